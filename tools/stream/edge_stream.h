/* edge_stream.h: an edge stream that can be read several times. A regular file is read again. The bytes of a pipe are kept: in
 * memory, up to a quarter of the budget, or else in a nameless temporary file. A pipe can also stay live: it is then read once,
 * and kept only if edge_stream_keep or edge_stream_keep_while_read asks for that. */
#ifndef DBFS_EDGE_STREAM_H
#define DBFS_EDGE_STREAM_H

#include "edge_inputs.h"

#include "formats/edges/edges_scan.h"
#include "formats/base/memory.h"

#include <sys/types.h>

struct edge_stream {
    int fd;
    off_t start; /* where the stream begins in the file */
    char *name;  /* for messages */
    int own;     /* under mpiexec: this rank alone reads it */
    int is_pipe;
    uint64_t bytes;
    uint64_t spooled_bytes; /* of a pipe, on disk; 0 for a file */
    uint64_t kept_bytes;    /* of a pipe, in memory and charged to the budget */
    int forgotten;          /* it cannot be read again */
    struct memory_budget *budget; /* of a pipe in memory */
    dev_t device; /* of a file, with its inode; 0 for a pipe */
    ino_t inode;
    struct edges_totals totals; /* as the trailer says; a first pass proves it */
    struct live_pipe *live;     /* NULL: not a live pipe. Else only n and the edges are expected; n is 0 where nothing is. */
    const char *tmpdir;         /* for a pipe */
};

/* Opens `path` ("-" is standard input), keeps it if it is a pipe, and reads the preamble, into *info, and the trailer. By `use` a
 * pipe may stay live. `tmpdir` and `budget` are for pipes and must outlive the
 * stream; NULL for a regular file. After a failure the stream need not be closed. A stream without a trailer is ST_BAD_DATA. */
enum status edge_stream_open(struct edge_stream *stream, const char *path, enum pipe_use use,
                             const char *tmpdir, struct memory_budget *budget,
                             struct edges_info *info, struct error *e);
void edge_stream_close(struct edge_stream *stream); /* a zeroed stream is allowed */

/* Gives back the memory of a pipe that will not be read again. */
void edge_stream_forget(struct edge_stream *stream);

/* The edges of a live pipe that were taken before it is to be kept: `write` gives them all to edge_copy_append, as encoded blocks. */
struct edge_copy;
struct edges_taken {
    void *context;
    enum status (*write)(void *context, struct edge_copy *copy, struct error *e);
};
enum status edge_copy_append(struct edge_copy *copy, const void *bytes, size_t count, struct error *e);

/* Keeps a live pipe, which then is like any other. `taken` is NULL if no block of it was read. */
enum status edge_stream_keep(struct edge_stream *stream, const struct edges_taken *taken, struct error *e);

/* The same while the one pass over a live pipe goes on, of which no block was read: what is read is kept, too, and edge_stream_finish_live
 * makes the stream one like any other. */
enum status edge_stream_keep_while_read(struct edge_stream *stream, struct error *e);

/* edge_stream_live_reader returns the reader for the one pass over a live pipe. edge_stream_finish_live ends the pass: closes
 * the reader and sets `totals` by the trailer. ST_BAD_DATA if that contradicts the tally of the pass, or the preamble. */
struct edges_reader *edge_stream_live_reader(const struct edge_stream *stream);
enum status edge_stream_finish_live(struct edge_stream *stream, const struct edges_totals *tally, struct error *e);

/* Opens a reader at the start of the stream. Close it before opening the next one. */
enum status edge_stream_open_reader(const struct edge_stream *stream, struct edges_reader **reader, struct error *e);

#endif
