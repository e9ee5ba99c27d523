/* graph.h: the part of a packed graph that one rank holds: the manifest, and G of the p shards */
#ifndef DBFS_GRAPH_H
#define DBFS_GRAPH_H

#include "formats/mpi/comm.h"

#include "traverse/engine/residence.h"

#include "formats/bijection.h"
#include "formats/graph/manifest.h"
#include "formats/base/memory.h"
#include "formats/graph/partition.h"

/* The part of a graph that one rank holds. R is the number of ranks. */
struct graph {
    struct manifest manifest;
    struct bijection bijection; /* valid if manifest.randomized */
    uint32_t device_count;      /* G */
    struct shard *shards;       /* [G]: device g holds shard g*R + rank */
    uint64_t vertices;          /* vertices with edges, of all shards of all ranks */
    uint32_t *locals;           /* [p]: local vertices of every shard */
    uint64_t search_bytes;      /* of host memory, for this rank's shards and device arrays; 0: not known yet, or little */
    double open_s, check_s, decode_s, ranges_s; /* seconds of graph_open's steps: mapping, CRCs, decoding, checking ranges */
};

/* The options of graph_open. */
struct graph_options {
    const char *folder;
    uint32_t device_count;        /* G, shards of this rank; 0: p / R */
    int check;                    /* the CRC of every section is compared */
    enum residence resident;      /* how columns lie in host memory */
    uint64_t (*bytes_needed)(const struct shard *shard, int threads, int parents); /* backend.bytes_needed */
    int parents;                  /* parents will be recorded */
    int pulls;                    /* the search pulls in every level */
    int reverse;                  /* the search goes against the edges of a directed graph */
    int trust;                    /* the check of ranges is left out (shard_ranges.h) */
    unsigned columns;             /* the subgraphs of which columns are decoded into host memory (shard_load) */
    int threads;
    struct memory_budget *budget; /* for decoded sections; it must outlive the graph */
};

/* Collective. Opens the shards of this rank and checks them. With RESIDENT_AUTO the columns stay packed if decoded
 * columns and the arrays of devices exceed the memory that is left. The ranges of a subgraph are checked here only if
 * its columns are decoded here; a device that decodes them checks them itself. ST_USAGE: R*G is not p, or the graph lacks
 * in-rows that the search needs. graph_close frees the graph, also after a failure. */
enum status graph_open(struct graph *graph, const struct comm *comm, const struct graph_options *options, struct error *e);
void graph_close(struct graph *graph); /* frees and zeroes the graph; a zeroed graph is allowed */

/* Returns the number of shards of each rank: `wanted`, or p / ranks if `wanted` is 0. Returns 0 if all ranks together would
 * not have p shards. */
static inline uint32_t shards_of_rank(uint32_t p, uint32_t ranks, uint64_t wanted)
{
    const uint64_t shards = wanted != 0 ? wanted : p / ranks;
    return shards * ranks == p ? (uint32_t)shards : 0;
}

/* Returns the stored id of a vertex, by which shards know it, from the original id, which people use. */
static inline uint64_t stored_id(const struct graph *graph, uint64_t original)
{
    return graph->manifest.randomized && original < graph->bijection.n
               ? bijection_forward(&graph->bijection, original)
               : original;
}

/* Returns the original id of a vertex, which people use, from the stored id, by which shards know it. */
static inline uint64_t original_id(const struct graph *graph, uint64_t stored)
{
    return graph->manifest.randomized && stored < graph->bijection.n
               ? bijection_backward(&graph->bijection, stored)
               : stored;
}

/* Returns the stored id of a local vertex. */
static inline uint64_t local_vertex_id(const struct shard *shard, uint64_t local)
{
    return vertex_of_slot(shard->ids.local_slots[local], shard->index, shard->p);
}

/* Returns the stored id of the vertex that has this number in a shard. Local vertices are numbered first, then delegates. */
static inline uint64_t numbered_vertex_id(const struct shard *shard, uint64_t number)
{
    return number < shard->locals ? local_vertex_id(shard, number) : shard_delegate_id(shard, number - shard->locals);
}

#endif
