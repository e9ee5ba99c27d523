/* cpu_search.c: the steps of a level on the CPU; see backend.h */
#include "cpu_device.h"

#include "formats/base/cli.h"

#include <string.h>

/* ---- start ---- */

static void clear_delegate_words(void *context, uint64_t begin, uint64_t end)
{
    const struct cpu_delegates *d = &((const struct device *)context)->delegates;
    uint64_t bytes = (end - begin) * sizeof *d->visited;
    memset(d->visited + begin, 0, bytes);
    memset(d->incoming + begin, 0, bytes);
    memset(d->frontier + begin, 0, bytes);
    memset(d->updated + begin, 0, bytes);
}

static void clear_normal_words(void *context, uint64_t begin, uint64_t end)
{
    const struct cpu_normals *n = &((const struct device *)context)->normals;
    memset(n->visited + begin, 0, (end - begin) * sizeof *n->visited);
}

static void clear_delegates(struct device *dev)
{
    struct cpu_delegates *d = &dev->delegates;
    uint64_t words = mask_words(dev->shard->d);
    gang_for(dev->means.gang, threads_for(dev, words), words, CLEAR_WORDS, clear_delegate_words, dev);
    d->any_incoming = d->any_updated = 0;
    d->fresh_count = 0;
    d->fresh_listed = 1;
    if (dev->parents && dev->shard->p > 1) /* devices that did not find a delegate say none */
        memset(d->parent, 0xff, dev->shard->d * sizeof *d->parent);
}

static void clear_normals(struct device *dev)
{
    struct cpu_normals *n = &dev->normals;
    uint64_t words = mask_words(dev->shard->locals);
    gang_for(dev->means.gang, threads_for(dev, words), words, CLEAR_WORDS, clear_normal_words, dev);
    n->any_pulled = 0;
    n->queue_count = n->next_count = n->pulled_count = 0;
}

static void clear_bins(struct device *dev)
{
    uint64_t bins = (uint64_t)dev->threads * dev->shard->p;
    for (uint64_t i = 0; i < bins; i++)
        dev->bins.of[i].count = 0;
}

static void put_delegate_root(struct device *dev, uint32_t id)
{
    set_mask_bit(dev->delegates.incoming, id);
    dev->delegates.any_incoming = 1;
    if (dev->parents)
        dev->delegates.parent[id] = PARENT_SELF;
}

static void put_local_root(struct device *dev, uint32_t id)
{
    struct cpu_normals *n = &dev->normals;
    set_mask_bit(n->visited, id);
    n->depth[id] = 0;
    n->next[n->next_count++] = id;
    if (dev->parents)
        n->parent[id] = PARENT_SELF;
}

/* Whether a search is long enough for threads to wake. */
static int is_large(const struct device *dev)
{
    enum { LARGE = 1 << 19 };
    uint64_t edges = 0;
    for (int g = 0; g < SUBGRAPHS; g++)
        edges += dev->shard->csr[g].edges;
    return dev->threads > 1 && edges >= LARGE;
}

static enum status cpu_start(struct device *dev, const struct root *root, struct error *e)
{
    (void)e;
    if (is_large(dev))
        gang_rouse(dev->means.gang);
    clear_delegates(dev);
    clear_normals(dev);
    clear_bins(dev);
    memset(dev->frontier, 0, sizeof dev->frontier);
    for (int g = 0; g < SUBGRAPHS; g++)
        dev->unvisited[g] = dev->shard->csr[g].source_rows;
    if (root->at == ROOT_AT_DELEGATE)
        put_delegate_root(dev, root->index);
    else if (root->at == ROOT_AT_LOCAL && root->shard == dev->shard->index)
        put_local_root(dev, root->index);
    return ST_OK;
}

/* ---- previsit ---- */

static enum status cpu_previsit(struct device *dev, int32_t depth, struct error *e)
{
    (void)e;
    double start = cli_seconds();
    memset(&dev->notes.times, 0, sizeof dev->notes.times);
    dev->depth = depth;
    previsit_delegates(dev);
    previsit_normals(dev);
    count_frontier(dev);
    dev->notes.times.phase_s[PHASE_PREVISIT] = cli_seconds() - start;
    return ST_OK;
}

/* A visit of g finds vertices that are sources of the reverse of g. */
static enum status cpu_counts(struct device *dev, struct workload *work, struct error *e)
{
    (void)e;
    work->fresh = dev->delegates.fresh_count + dev->normals.queue_count + dev->normals.pulled_count;
    for (int g = 0; g < SUBGRAPHS; g++)
        work->of[g] = (struct subgraph_work){
            .forward = dev->forward[g],
            .frontier = dev->frontier[g],
            .unvisited_sources = dev->unvisited[g],
            .unvisited_targets = dev->unvisited[subgraph_reverse((enum subgraph)g)]};
    return ST_OK;
}

static enum status cpu_count_forward(struct device *dev, enum subgraph g, uint64_t *forward,
                                     struct error *e)
{
    (void)e;
    *forward = count_forward(dev, g);
    return ST_OK;
}

/* ---- visits ---- */

typedef void push_subgraph(struct device *dev);
typedef uint64_t pull_subgraph(struct device *dev);

/* Returns the normals that masks have; those that other pushes find are in the next queue. */
static uint64_t visit_subgraph(struct device *dev, enum subgraph g, enum direction direction)
{
    static push_subgraph *const push[SUBGRAPHS] = {
        [NN] = push_nn, [ND] = push_nd, [DN] = push_dn, [DD] = push_dd};
    static pull_subgraph *const pull[SUBGRAPHS] = {
        [NN] = pull_nn, [ND] = pull_nd, [DN] = pull_dn, [DD] = pull_dd};
    uint64_t pulled = 0;
    if (dev->frontier[g] == 0)
        return 0;
    double start = cli_seconds();
    if (direction == PULL)
        pulled = pull[g](dev);
    else if (dev->shard->p == 1 && pushes_marks(dev, g))
        pulled = push_marks(dev, g);
    else if (dev->shard->p == 1)
        push_from_list(dev, g);
    else
        push[g](dev);
    dev->notes.times.phase_s[PHASE_VISIT + g] = cli_seconds() - start;
    return pulled;
}

/* A pull of nd looks for normals that were visited before this level, so nd comes before dn and nn, which
 * visit others. nn is last: after a pull of dn most of its destinations are visited, and it has little to
 * do. */
static enum status cpu_visit(struct device *dev, const struct directions *directions,
                             struct error *e)
{
    struct cpu_normals *n = &dev->normals;
    uint64_t *drained = n->pulled;
    n->any_pulled_next = 0;
    visit_subgraph(dev, DD, directions->of[DD]);
    visit_subgraph(dev, ND, directions->of[ND]);
    uint64_t pulled = visit_subgraph(dev, DN, directions->of[DN]);
    pulled += visit_subgraph(dev, NN, directions->of[NN]);
    n->pulled = n->pulled_next;
    n->pulled_next = drained;
    n->any_pulled = n->any_pulled_next;
    n->pulled_count = pulled;
    return dev->bins.out_of_memory ? fail_memory(e, "bins of vertices for other shards", 0) : ST_OK;
}

/* ---- the end of a level ---- */

static enum status cpu_finish_delegates(struct device *dev, struct error *e)
{
    (void)dev;
    return e->status;
}

static enum status cpu_finish(struct device *dev, uint64_t *found, struct error *e)
{
    (void)e;
    *found = dev->normals.next_count + dev->normals.pulled_count;
    return ST_OK;
}

static enum status cpu_times(struct device *dev, struct breakdown *times, struct error *e)
{
    (void)e;
    *times = dev->notes.times;
    return ST_OK;
}

static uint64_t cpu_probes(const struct device *dev, enum subgraph g)
{
    return dev->notes.probes[g];
}

static enum status cpu_keep_updates(struct device *dev, struct error *e)
{
    (void)e;
    struct cpu_delegates *d = &dev->delegates;
    uint64_t *mask = d->incoming;
    if (!d->any_updated)
        return ST_OK;
    d->incoming = d->updated;
    d->updated = mask;
    d->any_incoming = 1;
    return ST_OK;
}

const struct backend_search cpu_search = {
    .start = cpu_start,
    .previsit = cpu_previsit,
    .counts = cpu_counts,
    .count_forward = cpu_count_forward,
    .visit = cpu_visit,
    .finish_delegates = cpu_finish_delegates,
    .finish = cpu_finish,
    .times = cpu_times,
    .probes = cpu_probes,
    .keep_updates = cpu_keep_updates,
    .run = cpu_run,
};
