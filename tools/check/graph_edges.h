/* graph_edges.h: all edges of a graph, from edge streams or a shard directory, in any number of passes. Ids are those of the
 * graph's input: a permutation by edgeconv --randomize is undone. */
#ifndef DBFS_GRAPH_EDGES_H
#define DBFS_GRAPH_EDGES_H

#include "formats/base/memory.h"
#include "formats/mpi/comm.h"
#include "shard_edges.h"
#include "tools/stream/edge_source.h"
#include "tools/stream/input_ids.h"

struct graph_edges {
    uint64_t n;
    uint32_t base; /* what people call vertex 0 */
    struct edge_source source; /* of streams */
    int directed, reversed; /* reversed: directed edges are given from head to tail */
    int is_folder, passed;
    struct shard_edges shards; /* of a folder */
    struct input_ids ids;
    const struct comm *comm;
    int threads;
    edges_visitor visit; /* of the pass under way */
    void *context;
};

/* Opens the edge streams, or the one folder. After a failure nothing need be closed. Collective, with one status for all. */
enum status graph_edges_open(struct graph_edges *edges, const struct edge_inputs *inputs,
                             const char *tmpdir, const struct comm *comm, int threads,
                             struct memory_budget *budget, struct error *e);
void graph_edges_close(struct graph_edges *edges);

/* Gives every edge, with ids below n, to the visitor on one of the ranks. The first pass proves that streams or shards are
 * undamaged. All ranks get the same status; a failure that *e already holds makes all of them fail. */
enum status graph_edges_scan(struct graph_edges *edges, edges_visitor visit, void *context, struct error *e);

#endif
