/* cpu_sparse.c: pushes of a list of vertices by one thread
 *
 * A sparse level pushes all subgraphs in this way, and makes no pass over a bitmap. A dense level pushes a subgraph in
 * this way if the subgraph has too few edges for bitmaps. run_sparse_level leaves the same state as a level of the level
 * loop (loop.c) with the steps of cpu_search.c: the next frontier is visited and counted. */
#include "cpu_rows.h"

/* Pushes the whole frontier along g by one thread, in a dense level. New normals are appended to next_sparse, with
 * visited bits, depths and parents. New delegates go into `updated`, with parents. The next previsit sets the visited
 * bits of these delegates. g must not lead to other shards. May overwrite dev->gathered_rows. */
void push_sparse(struct device *dev, enum subgraph g)
{
    struct cpu_normals *n = &dev->normals;
    struct row_push p = describe_gathered_push(dev, g);
    uint64_t first = n->next_sparse_count;
    if (subgraph_columns(g) == DELEGATES) {
        p.to.kind = PUSH_UPDATE;
        p.to.found = dev->delegates.updated;
        p.to.next = dev->found_parents; /* Used only in this push: the first half of found_parents is free, and parents go
                                         * into the second half */
        uint64_t found = push_rows(&p, 0);
        write_parents(&p.to, 0, found);
        dev->delegates.any_updated |= found > 0;
        return;
    }
    n->next_sparse_count = push_rows(&p, first);
    write_parents(&p.to, first, n->next_sparse_count);
    set_depths(n->next_sparse + first, n->next_sparse_count - first, n->depth, dev->depth + 1);
}

/* Pushes the frontier, which is sparse, along g. Does nothing if the frontier has no edges in g. `count` is the number of
 * vertices in the next frontier that have the kind of g's columns. Returns the new number of these vertices. New vertices
 * get visited bits and parents, but no depths yet. */
static uint64_t push_to_next(struct device *dev, enum subgraph g, uint64_t count)
{
    if (dev->frontier[g] == 0)
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

/* Runs a level of a search of one shard by one thread. Makes the frontier sparse, and pushes it along all subgraphs. The
 * vertices found become the frontier. They get visited bits, parents and depths, and are counted. Adds 1 to dev->depth. */
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
