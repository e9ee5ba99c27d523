/* joined_graph.h: all shards of a rank as one graph, for searches from many roots or between many pairs at once.
 *
 * All vertices have one numbering: first the delegates, then the local vertices of the first shard, then those of the second, and so
 * on, each in the order of descending degree. All edges of a vertex lie side by side, with edges to delegates first. So a
 * search needs only its own state for each vertex, whatever the number of shards.
 *
 * A rank has all shards of the graph, or ranks divide the graph among them. Then each rank has the rows of its own shards: all
 * edges of its local vertices, and a part of the edges of each delegate. Vertices of other ranks at the end of these edges are
 * numbered behind the vertices with rows: the ghosts (joined_ghosts.h). All ranks have all delegates.
 *
 * Each vertex is *noted* by one rank: this rank counts the vertex, and keeps what searches tell about it. A rank notes its local vertices
 * and a share of the delegates, which are the last delegates in its numbering. So the vertices that it notes have consecutive numbers. */
#ifndef DBFS_JOINED_GRAPH_H
#define DBFS_JOINED_GRAPH_H

#include "joined_ghosts.h"

#include "traverse/engine/engine.h"

/* The edges of all vertices. The edges of vertex v are columns[offsets[v]] to columns[offsets[v + 1] - 1]. */
struct joined_rows {
    uint64_t *offsets; /* [vertices + 2] The last entry is used only while the rows are made. */
    uint32_t *columns; /* [edges] the vertex at the other end of each edge */
    uint64_t edges, all_edges; /* number of edges of this rank, and of the whole graph */
};

/* All shards of a rank as one graph. */
struct joined_graph {
    const struct graph *shards;
    struct memory_budget *budget;
    uint64_t vertices, all_vertices; /* number of vertices with edges that have rows on this rank, and of the whole graph */
    uint64_t *first;               /* [p] for each shard: number of the first local vertex; JOINED_ELSEWHERE: of another rank */
    uint64_t *ids;                 /* [vertices] input id of each vertex */
    uint64_t turn;                 /* delegate i has the number (i + turn) modulo the number of delegates */
    uint64_t noted;                /* the rank notes the vertices from this number on; 0 if it has all shards */
    uint64_t skipped;              /* 0, or `noted` in the graph of joined_graph_noted: numbers begin there */
    struct joined_ghosts ghosts;   /* they have the numbers from `vertices` on, and no rows */
    struct joined_rows own[2];  /* [0]: rows along the edges; [1]: rows against the edges, used only in a directed graph */
    const struct joined_rows *push; /* for each vertex: the vertices to which its edges lead */
    /* for each vertex: the vertices with an edge to it; the same as `push` in an undirected graph; NULL: not wanted */
    const struct joined_rows *pull;
};

/* Stands for the number of a root without edges. Such a root is not in the joined graph. */
#define JOINED_NOWHERE UINT64_MAX

/* Stands for the number of a vertex that is not in the joined graph, because another rank has it. */
#define JOINED_ELSEWHERE (UINT64_MAX - 1)

/* Makes *all from an open graph, with columns in memory, which must outlive *all. `comm` has the ranks that divide the graph, as it
 * was opened; a single rank must have all shards. `pulls` is 1 if the rows against the edges of a directed graph are wanted, too.
 * Fails if 32 bits cannot number all vertices with edges, or if the graph does not have the wanted rows. Collective over `comm`:
 * if a rank fails, or passes an `e` that has failed, the call fails on all ranks. The caller calls joined_graph_close even after
 * a failure. */
enum status joined_graph_open(struct joined_graph *all, const struct graph *graph, const struct comm *comm, int pulls,
                              struct memory_budget *budget, struct error *e);
void joined_graph_close(struct joined_graph *all); /* frees *all and zeroes it; *all may be all zeros */

/* Returns the graph of the vertices that this rank notes, for those who note them: their number and ids, with the first one as
 * vertex 0. It has no rows, and is not closed. */
struct joined_graph joined_graph_noted(const struct joined_graph *all);

/* Returns whether ranks divide the graph among them. */
static inline int joined_graph_is_divided(const struct joined_graph *all)
{
    return all->ghosts.comm->ranks > 1;
}

/* Returns the number of a delegate in the graph. `delegates` is their number. */
static inline uint64_t joined_delegate(const struct joined_graph *all, uint64_t delegates, uint64_t i)
{
    return i + all->turn - (i + all->turn >= delegates ? delegates : 0);
}

/* Returns the number of a root in the joined graph, or JOINED_NOWHERE or JOINED_ELSEWHERE. */
static inline uint64_t joined_vertex(const struct joined_graph *all, const struct root *root)
{
    if (root->at == ROOT_AT_ISOLATED)
        return JOINED_NOWHERE;
    if (root->at == ROOT_AT_LOCAL && all->first[root->shard] == JOINED_ELSEWHERE)
        return JOINED_ELSEWHERE;
    const uint64_t v = root->at == ROOT_AT_LOCAL ? all->first[root->shard] + root->index
                                                 : joined_delegate(all, all->shards->manifest.d, root->index);
    return v < all->skipped ? JOINED_ELSEWHERE : v - all->skipped;
}

#endif
