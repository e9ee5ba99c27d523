/* spill_stream.h: append-only streams of bytes in temporary files (spill.h).
 *
 * All streams of one store are cut into chunks of one size, which go to the folders in turn. A chunk
 * names the next one of its stream, so that a stream takes no memory except the buffer of its open end,
 * however long it grows. Chunks that were read and dropped are used again. Every chunk has a CRC, which
 * is compared when it is read. From one thread at a time.
 */
#ifndef DBFS_SPILL_STREAM_H
#define DBFS_SPILL_STREAM_H

#include "spill.h"
#include "workspace.h"

#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

struct spill_chunks;

/* `space` stays the caller's and must outlive the chunks. */
enum status spill_chunks_open(struct spill_chunks **chunks, struct workspace *space, struct error *e);
/* After its streams were released. NULL is allowed. */
void spill_chunks_close(struct spill_chunks *chunks);
uint64_t spill_chunks_bytes(const struct spill_chunks *chunks); /* on disk, in all folders */

struct spill_stream {
    struct spill_chunks *chunks;
    uint64_t first, current; /* chunks */
    unsigned char *buffer;   /* the contents of `current` */
    size_t used;
};

/* An empty stream takes nothing. */
void spill_stream_init(struct spill_stream *stream, struct spill_chunks *chunks);
enum status spill_stream_append(struct spill_stream *stream, const void *bytes, size_t count,
                         struct error *e);

/* Ends the appending: writes the last chunk and gives its buffer back. */
enum status spill_stream_seal(struct spill_stream *stream, struct error *e);

/* Gives the buffer back, of a stream that is not wanted any more. */
void spill_stream_release(struct spill_stream *stream);

/* A place in a sealed stream. */
struct spill_cursor {
    struct spill_chunks *chunks;
    uint64_t next; /* chunk */
    unsigned char *buffer;
    size_t at, end;
    int drop; /* chunks are free once they are read: for the last reading */
};

void spill_cursor_init(struct spill_cursor *cursor, const struct spill_stream *stream, int drop);

/* Exactly `count` bytes: a stream that ends before is ST_RUNTIME. */
enum status spill_cursor_read(struct spill_cursor *cursor, void *bytes, size_t count, struct error *e);

/* Nonzero where nothing follows. */
static inline int spill_cursor_at_end(const struct spill_cursor *cursor)
{
    return cursor->at == cursor->end && cursor->next == UINT64_MAX;
}

/* Gives the buffer back. A zeroed cursor is allowed. */
void spill_cursor_close(struct spill_cursor *cursor);

#endif
