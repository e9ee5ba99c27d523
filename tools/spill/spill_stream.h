/* spill_stream.h: append-only streams of bytes in temporary files (spill.h).
 *
 * All streams of a store are cut into chunks of one size, which the folders get by turns. A chunk names the next one of its
 * stream, so a stream of any length needs only memory for the chunk being written. Chunks that were read are used again. Every
 * chunk has a CRC, which is compared when it is read. Only one thread at a time may use a store.
 */
#ifndef DBFS_SPILL_STREAM_H
#define DBFS_SPILL_STREAM_H

#include "spill.h"
#include "workspace.h"

#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

struct spill_chunks;

/* Opens a store of chunks for streams. The caller keeps `space`, which must outlive the store. */
enum status spill_chunks_open(struct spill_chunks **chunks, struct workspace *space, struct error *e);
/* Closes a store. Call it after all its streams have been released. NULL is allowed. */
void spill_chunks_close(struct spill_chunks *chunks);
uint64_t spill_chunks_bytes(const struct spill_chunks *chunks); /* on disk, in all folders */

struct spill_stream {
    struct spill_chunks *chunks;
    uint64_t first, current; /* numbers of chunks */
    unsigned char *buffer;   /* the contents of `current` */
    size_t used;
};

/* Starts an empty stream, which takes neither memory nor disk space. */
void spill_stream_init(struct spill_stream *stream, struct spill_chunks *chunks);
enum status spill_stream_append(struct spill_stream *stream, const void *bytes, size_t count, struct error *e);

/* Ends the appending: writes the last chunk and frees the buffer. */
enum status spill_stream_seal(struct spill_stream *stream, struct error *e);

/* Frees the buffer of a stream that is no longer needed. */
void spill_stream_release(struct spill_stream *stream);

/* A place in a sealed stream. */
struct spill_cursor {
    struct spill_chunks *chunks;
    uint64_t next; /* chunk */
    unsigned char *buffer;
    size_t at, end;
    int drop; /* the last reading: each chunk is freed once it is read */
};

void spill_cursor_init(struct spill_cursor *cursor, const struct spill_stream *stream, int drop);

/* Reads exactly `count` bytes. ST_RUNTIME if the stream ends before. */
enum status spill_cursor_read(struct spill_cursor *cursor, void *bytes, size_t count, struct error *e);

/* Nonzero when nothing is left to read. */
static inline int spill_cursor_at_end(const struct spill_cursor *cursor)
{
    return cursor->at == cursor->end && cursor->next == UINT64_MAX;
}

/* Frees the buffer. A zeroed cursor is allowed. */
void spill_cursor_close(struct spill_cursor *cursor);

#endif
