/* leaf_roots.c: the results of roots with one edge, from those of their neighbours; see leaf_roots.h */
#include "leaf_roots.h"

/* Returns the neighbour of vertex v, which has edges, if v is a leaf, and otherwise v. Two vertices with an edge between them and no other
 * are no leaves. */
static uint64_t leaf_or_self(const struct joined_rows *rows, uint64_t v)
{
    const uint64_t at = rows->offsets[v], neighbour = rows->columns[at];
    const int has_one = rows->offsets[v + 1] - at == 1, is_end = rows->offsets[neighbour + 1] - rows->offsets[neighbour] == 1;
    return has_one && !is_end ? neighbour : v;
}

void leaf_roots_open(struct leaf_roots *leaves, const struct joined_graph *graph)
{
    struct error short_of_memory = {0}; /* not reported: without the memory, leaves are searched from like other roots */
    if (memory_take(graph->budget, (void **)&leaves->of, graph->vertices, sizeof *leaves->of, "results", &short_of_memory) == ST_OK)
        leaves->graph = graph;
}

void leaf_roots_close(struct leaf_roots *leaves)
{
    if (leaves->graph != NULL)
        memory_release(leaves->graph->budget, leaves->of);
    *leaves = (struct leaf_roots){0};
}

int leaf_roots_take(struct leaf_roots *leaves, uint64_t root, uint64_t *searched)
{
    const uint64_t v = leaf_or_self(leaves->graph->push, root);
    const int is_new = leaves->of[v].reached == 0;
    leaves->of[v].reached += (uint64_t)is_new;
    *searched = v;
    return is_new;
}

void leaf_roots_keep(struct leaf_roots *leaves, const uint64_t *searched, const struct batch_result *results, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        leaves->of[searched[i]] = results[i];
}

struct batch_result leaf_roots_result(const struct leaf_roots *leaves, uint64_t root)
{
    const uint64_t v = leaf_or_self(leaves->graph->push, root);
    struct batch_result r = leaves->of[v];
    if (v == root)
        return r;
    r.farthest++;
    r.distances += r.reached - 2; /* one more for each vertex but the leaf itself, which its neighbour counts with distance 1 */
    r.harmonic = r.leaf_harmonic;
    return r;
}
