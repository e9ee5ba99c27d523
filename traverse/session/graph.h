/* graph.h: opens the part of a packed graph that one rank holds: the manifest, and G of the graph's p shards */
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
    const char *folder;         /* that of graph_options, for messages */
    struct manifest manifest;
    struct bijection bijection; /* valid if manifest.randomized */
    uint32_t device_count;      /* G, the number of devices of this rank; each device has one shard */
    struct shard *shards;       /* [G] device g has shard number g*R + rank */
    uint32_t joined_shards;     /* the number of shards in the folder that were joined into one, which manifest.p counts; 0: none */
    uint64_t base;              /* what people call the vertex with input id 0: 0 or 1 */
    uint64_t vertices;          /* the number of vertices with edges in all shards of all ranks */
    uint32_t *locals;           /* [p] the number of local vertices of every shard */
    uint64_t search_bytes;      /* host memory that a search needs for shards and device arrays of this rank; 0: not known */
    double open_s, check_s, join_s, decode_s, ranges_s; /* seconds of the steps: mapping files, CRCs, joining, decoding, checking ranges */
};

/* The options of graph_open. */
struct graph_options {
    const char *folder;
    uint32_t device_count;        /* G, the number of shards of this rank; 0: p / R */
    int join;                     /* 1: the rank, which is alone, joins all shards into one (shard_join.h); device_count is not read */
    int check;                    /* 1: graph_open compares the CRC of every section */
    enum residence resident;      /* whether columns in host memory are decoded or stay packed */
    uint64_t (*bytes_needed)(const struct shard *shard, int threads, int parents); /* as backend.bytes_needed; may be NULL */
    int parents;                  /* 1: the search will record parents */
    int pulls;                    /* 1: the search will pull in every level */
    int reverse;                  /* 1: the search will go against the edges of a directed graph */
    enum base_choice base;        /* what people call the first vertex; BASE_OF_STREAMS: what the manifest says */
    int trust;                    /* 1: graph_open does not check ranges (shard_ranges.h) */
    unsigned columns;             /* if bit g is set, the columns of subgraph g are decoded into host memory */
    int threads;
    struct memory_budget *budget; /* decoded sections are charged to it. It must live as long as the graph */
};

/* Collective. Opens, decodes and checks the shards of this rank. With RESIDENT_AUTO, columns stay packed if decoded columns
 * and the arrays of devices need more memory than is left. Ids in columns that are not decoded on the host are not checked
 * here, because the device checks them when it decodes the columns; joining checks all. Fails with ST_USAGE if R*G is not p,
 * or if the search needs in-rows and the graph has none. The caller calls graph_close, even after a failure. */
enum status graph_open(struct graph *graph, const struct comm *comm, const struct graph_options *options, struct error *e);
void graph_close(struct graph *graph); /* frees and zeroes the graph; *graph may be zeroed */

/* Returns the number of shards of each rank: `wanted`, or p / ranks if `wanted` is 0. Returns 0 if the ranks together would
 * not have exactly p shards. */
static inline uint32_t shards_of_rank(uint32_t p, uint32_t ranks, uint64_t wanted)
{
    const uint64_t shards = wanted != 0 ? wanted : p / ranks;
    return shards * ranks == p ? (uint32_t)shards : 0;
}

/* Returns the stored id of the vertex with this original id. Shards have stored ids, and users give original ids. */
static inline uint64_t stored_id(const struct graph *graph, uint64_t original)
{
    return graph->manifest.randomized && original < graph->bijection.n
               ? bijection_forward(&graph->bijection, original)
               : original;
}

/* Returns the original id of the vertex with this stored id. Shards have stored ids, and users see original ids. */
static inline uint64_t original_id(const struct graph *graph, uint64_t stored)
{
    return graph->manifest.randomized && stored < graph->bijection.n
               ? bijection_backward(&graph->bijection, stored)
               : stored;
}

/* Returns what people call the vertex with this input id: its number in the file that the graph was made from, which may count
 * from 1. Commands, text, JSON and messages have these numbers. Arrays are indexed by input ids. */
static inline uint64_t shown_id(const struct graph *graph, uint64_t id)
{
    return id + graph->base;
}

/* Sets *id to the input id of the vertex that people call `shown`. Fails with ST_USAGE if the graph has no such vertex; the
 * message has the folder of the graph, `what` the vertex was given as, such as "root", and the vertices that there are. */
enum status id_from_user(const struct graph *graph, const char *what, uint64_t shown, uint64_t *id, struct error *e);

/* Returns the stored id of local vertex number `local` of a shard. */
static inline uint64_t local_vertex_id(const struct shard *shard, uint64_t local)
{
    return vertex_of_slot(shard->ids.local_slots[local], shard->index, shard->p);
}

/* Returns the stored id of vertex `number` of a shard. Numbers below `locals` are local vertices, and all other numbers are
 * delegates. */
static inline uint64_t numbered_vertex_id(const struct shard *shard, uint64_t number)
{
    return number < shard->locals ? local_vertex_id(shard, number) : shard_delegate_id(shard, number - shard->locals);
}

#endif
