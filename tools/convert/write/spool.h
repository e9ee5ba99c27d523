/* spool.h: append-only streams of bytes in nameless temporary files.
 *
 * All streams of a spool share one file in each folder, cut into chunks of one size that go to the
 * folders in turn. A chunk names the next one of its stream, so that a stream takes no memory but
 * the buffer of its open end, however long it grows. Chunks that were read and dropped are used
 * again. Every chunk has a CRC, which is compared when it is read. From one thread at a time.
 */
#ifndef DBFS_SPOOL_H
#define DBFS_SPOOL_H

#include "formats/base/cli.h"
#include "formats/base/memory.h"
#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* The memory and the folders that work out of core is held to. */
struct workspace {
    struct memory_budget budget;
    const char *folder[CLI_MAX_TMPDIRS];
    int folders;
    size_t chunk_bytes; /* of spools: also what each open stream or cursor takes of the budget */
    int threads;
};

/* `limit_bytes` becomes the budget; the chunks are a 4096th of it, within bounds. */
void workspace_init(struct workspace *space, const struct cli *cli, uint64_t limit_bytes,
                    int threads);

struct spool;

/* `space` stays the caller's and must outlive the spool. */
enum status spool_open(struct spool **spool, struct workspace *space, struct error *e);
void spool_close(struct spool *spool); /* NULL is allowed; its streams must have been released */
uint64_t spool_peak_bytes(const struct spool *spool); /* on disk, in all folders */

struct spool_stream {
    struct spool *spool;
    uint64_t first, current; /* chunks */
    unsigned char *buffer;   /* the contents of `current` */
    size_t used;
};

/* An empty stream takes nothing. */
void spool_stream_init(struct spool_stream *stream, struct spool *spool);
enum status spool_append(struct spool_stream *stream, const void *bytes, size_t count,
                         struct error *e);

/* Ends the appending: writes the last chunk and gives its buffer back. */
enum status spool_seal(struct spool_stream *stream, struct error *e);

/* Gives the buffer back, of a stream that is not wanted any more. */
void spool_stream_release(struct spool_stream *stream);

/* A place in a sealed stream. */
struct spool_cursor {
    struct spool *spool;
    uint64_t next; /* chunk */
    unsigned char *buffer;
    size_t at, end;
    int drop; /* chunks are free once they are read: for the last reading */
};

void spool_cursor_init(struct spool_cursor *cursor, const struct spool_stream *stream, int drop);

/* Exactly `count` bytes: a stream that ends before is ST_RUNTIME. */
enum status spool_read(struct spool_cursor *cursor, void *bytes, size_t count, struct error *e);

/* Nonzero where nothing follows. */
static inline int spool_at_end(const struct spool_cursor *cursor)
{
    return cursor->at == cursor->end && cursor->next == UINT64_MAX;
}

/* Gives the buffer back. A zeroed cursor is allowed. */
void spool_cursor_close(struct spool_cursor *cursor);

#endif
