/* cpu_sparse.c: pushes a list of vertices by one thread
 *
 * A sparse level pushes all subgraphs like this, without a pass over a bitmap. A dense level does so for a subgraph
 * with too few edges for bitmaps. run_sparse_level leaves the same state as a level of loop.c with the steps of
 * cpu_search.c: the next frontier is visited and counted. */
#include "cpu_rows.h"

/* Pushes the whole frontier along subgraph g by one thread, in a dense level. The visited bits of new delegates are
 * left to the next previsit. */
void push_sparse(struct device *dev, enum subgraph g)
{
    struct cpu_normals *n = &dev->normals;
    struct row_push p = describe_gathered_push(dev, g);
    uint64_t first = n->next_sparse_count;
    if (subgraph_columns(g) == DELEGATES) {
        p.to.kind = PUSH_UPDATE;
        p.to.found = dev->delegates.found_here;
        p.to.next = dev->found_parents; /* a list for this push alone, in the half of found_parents that has no parents */
        uint64_t found = push_rows(&p, 0);
        write_parents(&p.to, 0, found);
        dev->delegates.any_found_here |= found > 0;
        return;
    }
    n->next_sparse_count = push_rows(&p, first);
    write_parents(&p.to, first, n->next_sparse_count);
    set_depths(n->next_sparse + first, n->next_sparse_count - first, n->depth, dev->depth + 1);
}

/* Pushes the sparse frontier along subgraph g, if it has edges there, and appends new vertices to the next frontier. They
 * get visited bits and parents, but no depths yet. `count` is the number of vertices of their kind that the next frontier
 * already has; returns the new number. */
static uint64_t push_to_next(struct device *dev, enum subgraph g, uint64_t count)
{
    if (dev->frontier_rows[g] == 0)
        return count;
    struct row_push p = describe_push(dev, g);
    uint64_t end = push_rows(&p, count);
    write_parents(&p.to, count, end);
    return end;
}

/* Exchanges two pointers to lists. */
static void swap_lists(uint32_t **a, uint32_t **b)
{
    uint32_t *list = *a;
    *a = *b;
    *b = list;
}

/* Runs a level of a search of one shard by one thread. What it finds becomes the frontier, which is counted. */
void run_sparse_level(struct device *dev)
{
    struct cpu_delegates *d = &dev->delegates;
    struct cpu_normals *n = &dev->normals;
    make_frontier_sparse(dev);
    uint64_t delegates = push_to_next(dev, ND, push_to_next(dev, DD, 0));
    uint64_t normals = push_to_next(dev, NN, push_to_next(dev, DN, 0));
    swap_lists(&d->sparse, &d->next_sparse);
    swap_lists(&n->sparse, &n->next_sparse);
    d->frontier_count = delegates;
    n->sparse_count = normals;
    n->next_sparse_count = 0;
    dev->depth++;
    set_depths(d->sparse, delegates, d->depth, dev->depth);
    set_depths(n->sparse, normals, n->depth, dev->depth);
    count_frontier_of(dev, NORMALS);
    count_frontier_of(dev, DELEGATES);
}
