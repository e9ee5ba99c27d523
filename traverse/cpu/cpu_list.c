/* cpu_list.c: a level by lists, for frontiers that are small: one thread, no pass over a mask
 *
 * The level loop (loop.c) with the phases of cpu_search.c is its twin. It leaves the same state behind: the
 * next frontier is listed, visited and counted.
 */
#include "cpu_rows.h"

#include <string.h>

/* ---- from masks to lists ---- */

static void list_delegates(struct device *dev)
{
    struct cpu_delegates *d = &dev->delegates;
    struct frontier_view view = {NULL, 0, d->frontier, mask_words(dev->shard->d)};
    if (d->fresh_listed)
        return;
    d->fresh_count = gather_frontier(dev, view, NULL, d->fresh);
    memset(d->frontier, 0, view.words * sizeof *d->frontier);
    d->fresh_listed = 1;
}

static void list_normals(struct device *dev)
{
    struct cpu_normals *n = &dev->normals;
    struct frontier_view view = {NULL, 0, n->pulled, mask_words(dev->shard->locals)};
    if (!n->any_pulled)
        return;
    n->queue_count += gather_frontier(dev, view, NULL, n->queue + n->queue_count);
    n->any_pulled = 0;
    n->pulled_count = 0;
}

/* ---- pushes ---- */

static uint64_t push_listed(struct device *dev, enum subgraph g, uint64_t count)
{
    if (dev->frontier[g] == 0)
        return count;
    struct row_push p = describe_push(dev, g);
    uint64_t end = push_rows_of(&p, count);
    settle_parents(&p.to, count, end);
    return end;
}

void push_from_list(struct device *dev, enum subgraph g)
{
    struct cpu_normals *n = &dev->normals;
    struct row_push p = describe_whole_push(dev, g);
    if (subgraph_columns(g) == DELEGATES) {
        p.to.marks = MARK_APART;
        p.to.marked = dev->delegates.updated;
        p.to.next = dev->push.from; /* nobody reads it */
        uint64_t found = push_rows_of(&p, 0);
        settle_parents(&p.to, 0, found);
        dev->delegates.any_updated |= found > 0;
        return;
    }
    uint64_t first = n->next_count;
    n->next_count = push_rows_of(&p, first);
    settle_parents(&p.to, first, n->next_count);
    mark_depths(n->next + first, n->next_count - first, n->depth, dev->depth + 1);
}

/* ---- the next frontier ---- */

static void swap(uint32_t **a, uint32_t **b)
{
    uint32_t *list = *a;
    *a = *b;
    *b = list;
}

void swap_lists(struct device *dev, uint64_t delegates, uint64_t normals)
{
    swap(&dev->delegates.fresh, &dev->delegates.next);
    swap(&dev->normals.queue, &dev->normals.next);
    dev->delegates.fresh_count = delegates;
    dev->normals.queue_count = normals;
    dev->normals.next_count = 0;
}

void list_whole_frontier(struct device *dev)
{
    list_delegates(dev);
    list_normals(dev);
}

void run_level_by_lists(struct device *dev)
{
    struct cpu_delegates *d = &dev->delegates;
    struct cpu_normals *n = &dev->normals;
    list_whole_frontier(dev);
    uint64_t delegates = push_listed(dev, ND, push_listed(dev, DD, 0));
    uint64_t normals = push_listed(dev, NN, push_listed(dev, DN, 0));
    swap_lists(dev, delegates, normals);
    dev->depth++;
    mark_depths(d->fresh, delegates, d->depth, dev->depth);
    mark_depths(n->queue, normals, n->depth, dev->depth);
    count_frontier(dev);
}
