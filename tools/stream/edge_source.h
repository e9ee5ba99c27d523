/* edge_source.h: an edge stream that can be read several times.
 *
 * The tools pass over their input two or three times, because degrees must be known before edges can be
 * classified. (No further pass is needed if the edges stay in memory: edge_tiles.h.) A regular file is read
 * again. What comes out of a pipe is kept in memory, up to a quarter of the budget, or else in an unlinked
 * file in the folder for temporary files. Under mpiexec the ranks of the job share each pass: each rank reads
 * a slice of the blocks.
 */
#ifndef DBFS_EDGE_SOURCE_H
#define DBFS_EDGE_SOURCE_H

#include "sparse_ids.h"

#include "formats/edges_scan.h"
#include "formats/base/memory.h"
#include "formats/mpi/comm.h"

#include <sys/types.h>

struct edge_source {
    int fd;
    off_t start; /* where the stream begins in the file */
    char *name;  /* for messages */
    uint64_t spooled_bytes; /* of a pipe, on disk; 0 for a file */
    uint64_t kept_bytes;    /* of a pipe, in memory and charged to the budget */
    struct memory_budget *budget; /* of a pipe in memory, and of dense ids */
    const struct comm *comm; /* the ranks that share the passes */
    struct sparse_ids *sparse; /* passes give dense ids; NULL: the ids of the stream */
};

/* Opens `path` ("-" is standard input). On failure the source need not be closed. If there are several ranks,
 * all of them call this together, and the input must be a regular file; any other input is ST_USAGE. `budget`
 * is for pipes and must stay until the source is closed; NULL if the input is a regular file. */
enum status edge_source_open(struct edge_source *source, const char *path, const char *tmpdir,
                             const struct comm *comm, struct memory_budget *budget,
                             struct error *e);
void edge_source_close(struct edge_source *source); /* a zeroed source is allowed */

/* Gives back the memory of a pipe that will not be read again, because its edges stay in memory. */
void edge_source_forget(struct edge_source *source);

/* Lets passes give dense ids if the stream has many vertices and few edges (sparse_ids.h). This takes a pass
 * of its own. All ranks call it together, and get the same status. */
enum status edge_source_make_dense(struct edge_source *source, uint32_t p, int threads,
                                   struct memory_budget *budget, struct error *e);

/* The number of ids that passes give: n, or less if they are dense. */
static inline uint64_t edge_source_ids(const struct edge_source *source,
                                       const struct edges_totals *totals)
{
    return source->sparse != NULL ? source->sparse->n : totals->n;
}

/* Opens a reader at the start of the stream. Close it before opening the next one. */
enum status edge_source_reader(const struct edge_source *source, struct edges_reader **reader,
                               struct error *e);

/* Makes the first pass; all ranks call it together. It runs edges_scan_slice on this rank's share with the
 * settings of `scan`, whose reader comes from edge_source_reader. This function itself decides whether CRCs
 * are compared. *totals receives the totals of the stream, *own_edges the number of edges that this rank saw.
 * All ranks get the same status; a failure that is already in *e makes all of them fail. */
enum status edge_source_first_scan(const struct edge_source *source, struct edges_scan scan,
                                   struct edges_totals *totals, uint64_t *own_edges,
                                   struct error *e);

/* Makes a further pass (edges_scan.h); all ranks call it together. `expected` are the totals that the first
 * pass gave. All ranks get the same status; a failure that is already in *e makes all of them fail. */
enum status edge_source_scan(const struct edge_source *source, const struct edges_totals *expected,
                             int threads, edges_visitor visit, void *context, struct error *e);

#endif
