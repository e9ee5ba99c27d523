/* edge_source.h: an edge stream that can be read several times.
 *
 * Degrees must be known before edges can be classified, so the tools pass over their input two or
 * three times, except where edges stay in memory (edge_tiles.h). A regular file is read again; a pipe
 * is first copied into an unlinked file in the folder for temporary files. The ranks of a job under
 * mpiexec share each pass: every one reads a slice of the blocks.
 */
#ifndef DBFS_EDGE_SOURCE_H
#define DBFS_EDGE_SOURCE_H

#include "formats/edges_scan.h"
#include "formats/mpi/comm.h"

#include <sys/types.h>

struct edge_source {
    int fd;
    off_t start; /* where the stream begins in the file */
    char *name;  /* for messages */
    uint64_t spooled_bytes; /* copied from a pipe; 0 for a file */
    const struct comm *comm; /* who share the passes */
};

/* Opens `path` ("-" is standard input). On failure the source need not be closed. Several ranks call
 * this together, and can share regular files alone: anything else is ST_USAGE. */
enum status edge_source_open(struct edge_source *source, const char *path, const char *tmpdir,
                             const struct comm *comm, struct error *e);
void edge_source_close(struct edge_source *source); /* a zeroed source is allowed */

/* A reader at the start of the stream; close it before asking for the next one. */
enum status edge_source_reader(const struct edge_source *source, struct edges_reader **reader,
                               struct error *e);

/* The first pass, by all ranks together: edges_scan_slice of this rank's share, as `scan` says, whose
 * reader is of edge_source_reader. Whether CRCs are compared is decided here. *totals are those of the
 * stream, *own_edges the edges that this rank saw. The status is the same on all ranks; one that comes
 * with a failure in *e makes all fail. */
enum status edge_source_first_scan(const struct edge_source *source, struct edges_scan scan,
                                   struct edges_totals *totals, uint64_t *own_edges,
                                   struct error *e);

/* A further pass over a stream whose first one gave the totals `expected` (edges_scan.h), by all
 * ranks together as above; a failure that *e has already is agreed upon. */
enum status edge_source_scan(const struct edge_source *source, const struct edges_totals *expected,
                             int threads, edges_visitor visit, void *context, struct error *e);

#endif
