/* edge_source.h: the edges of a graph, from one or several edge streams, in any number of passes.
 *
 * The tools need two or three passes, because degrees must be known before edges can be placed. (No pass reads the streams again if the
 * edges stay in memory: edge_tiles.h.) Under mpiexec the ranks share each pass: each reads a slice of the blocks of every shared stream,
 * and all blocks of its own streams (edge_inputs.h). Results depend neither on the order of the edges nor on their division among ranks.
 */
#ifndef DBFS_EDGE_SOURCE_H
#define DBFS_EDGE_SOURCE_H

#include "edge_inputs.h"
#include "edge_stream.h"
#include "sparse_ids.h"

#include "formats/edges/edges_scan.h"
#include "formats/base/memory.h"
#include "formats/mpi/comm.h"

struct edge_source {
    struct edge_stream *stream; /* [count] this rank reads: first the shared ones, then its own */
    size_t count, shared;
    const struct comm *comm; /* the ranks that share the passes */
    struct edges_info info;     /* of the graph (edge_union.h) */
    struct edges_totals totals; /* of the graph, as the trailers say; the first pass proves them */
    uint64_t bytes;             /* of all streams */
    uint64_t missing_edges;     /* of a generated graph: those that none of several pieces has */
    uint64_t share_edges;   /* this rank's share of the edges; about, for shared streams */
    uint64_t largest_share; /* of all ranks */
    /* Of the first pass over a live pipe that does not tell its length (PIPE_LIVE), before which the owner sets `totals` to a guess. A
     * visitor may end the pass by `stopped`: edge_source_keep, with the edges that it took, makes the pipe a source like any other. */
    int open_ended; /* nonzero until this pass is over */
    int stopped;    /* also set at the end of a pipe whose ids edge_source_make_dense, for dense_p shards, would change */
    uint32_t dense_p;
    uint64_t first_edges, likely_ids; /* edges of its first block; a power of two above all ids there */
    char *name;  /* of the graph, for messages: "FILE", or "FILE and 3 more" */
    char *names; /* of all streams of all ranks, each followed by a newline */
    struct memory_budget *budget; /* of pipes in memory, and of dense ids */
    struct sparse_ids *sparse; /* passes give dense ids; NULL: the ids of the streams */
};

/* Opens the streams. After a failure the source need not be closed. With several ranks, a shared stream must be a regular file,
 * else it is ST_USAGE. Streams that contradict each other are ST_BAD_DATA. `budget` is for pipes and must outlive the source;
 * NULL if there are none. All ranks call it together and get the same status. */
enum status edge_source_open(struct edge_source *source, const struct edge_inputs *inputs,
                             const char *tmpdir, const struct comm *comm,
                             struct memory_budget *budget, struct error *e);
void edge_source_close(struct edge_source *source); /* a zeroed source is allowed */

/* Frees the copies of pipes, which will not be read again because the edges stay in memory. */
void edge_source_forget(struct edge_source *source);

/* Sets first_edges and likely_ids of a source with an open end, whose first block is read and not taken. */
enum status edge_source_peek(struct edge_source *source, struct error *e);

/* About the edges that a rank reads in a pass, at most. With an open end, all if the first block is short, as the last one is; else
 * many. */
static inline uint64_t edge_source_share(const struct edge_source *source)
{
    return !source->open_ended ? source->largest_share : source->first_edges < EDGES_BLOCK_EDGES ? source->first_edges : UINT64_MAX;
}

/* Makes a live pipe (edge_inputs.h), which could be read only in the first pass, a source of any number of passes, by keeping its
 * bytes. Call it before the first pass, with NULL, or after one that was stopped. Other sources stay as they are. */
enum status edge_source_keep(struct edge_source *source, const struct edges_taken *taken, struct error *e);

/* The same for a pipe that tells its length: its bytes are kept while the first pass reads them. Call it before that pass. */
enum status edge_source_keep_while_read(struct edge_source *source, struct error *e);

/* Nonzero if edge_source_forget has freed one of this rank's streams, so that no further pass is possible. */
int edge_source_forgotten(const struct edge_source *source);

/* Warns if the streams are pieces of a generated graph, and some of its edges are in none of them. */
void edge_source_warn_missing(const struct edge_source *source, const struct cli *cli);

/* The bytes of this rank's pipes that are on disk. */
uint64_t edge_source_spooled_bytes(const struct edge_source *source);

/* Makes later passes give dense ids, if the graph has many vertices and few edges (sparse_ids.h); this takes a pass of its own.
 * All ranks call it together and get the same status. */
enum status edge_source_make_dense(struct edge_source *source, uint32_t p, int threads,
                                   struct memory_budget *budget, struct error *e);

/* The number of ids that passes give: n, or less if they are dense. */
static inline uint64_t edge_source_ids(const struct edge_source *source)
{
    return source->sparse != NULL ? source->sparse->n : source->totals.n;
}

/* Makes the first pass, which proves that the trailers fit the blocks; of a live pipe it finds the totals. Visitors get only
 * ids below n. *own_edges is set to the edges that this rank saw. All ranks call it together and get the same status; a failure
 * that *e already holds makes all of them fail. */
enum status edge_source_first_scan(struct edge_source *source, int threads, edges_visitor visit,
                                   void *context, uint64_t *own_edges, struct error *e);

/* Opens a reader of stream i that gives only the blocks which this rank reads in a pass. Not collective. */
enum status edge_source_open_share(const struct edge_source *source, size_t i, struct edges_reader **reader, struct error *e);

/* Makes a further pass. All ranks call it together and get the same status; a failure that *e already holds makes all of them fail. */
enum status edge_source_scan(const struct edge_source *source, int threads, edges_visitor visit,
                             void *context, struct error *e);

#endif
