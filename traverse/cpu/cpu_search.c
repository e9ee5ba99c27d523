/* cpu_search.c: the steps of a dense level on the CPU; see backend.h. Functions that cannot fail return the status
 * that *e has. */
#include "cpu_device.h"

#include "formats/base/cli.h"

#include <string.h>

/* ---- start ---- */

/* Zeroes words begin..end of the bitmaps that a search begins with. */
static void clear_words(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    const struct cpu_delegates *d = &dev->delegates;
    struct {
        uint64_t *bitmap, words;
    } const cleared[] = {{d->visited, mask_words(dev->shard->d)},
                         {d->incoming, mask_words(dev->shard->d)},
                         {d->dense, mask_words(dev->shard->d)},
                         {d->updated, mask_words(dev->shard->d)},
                         {dev->normals.visited, mask_words(dev->shard->locals)}};
    for (size_t i = 0; i < sizeof cleared / sizeof *cleared; i++) {
        uint64_t stop = end < cleared[i].words ? end : cleared[i].words;
        if (begin < stop)
            memset(cleared[i].bitmap + begin, 0, (stop - begin) * sizeof(uint64_t));
    }
}

enum status cpu_start(struct device *dev, const struct root *root, struct error *e)
{
    /* one thread clears small bitmaps, as it searches alone at first: other threads would have their lines */
    enum { WORDS_OF_WORK = 4 };
    struct cpu_delegates *d = &dev->delegates;
    struct cpu_normals *n = &dev->normals;
    uint64_t words = mask_words(most_rows(dev));
    pool_for(dev->means.pool, threads_for(dev, words / WORDS_OF_WORK), words, CLEAR_WORDS, clear_words, dev);
    d->any_incoming = d->any_updated = d->ahead = 0;
    d->frontier_count = 0;
    d->is_sparse = 1;
    if (dev->parents && dev->shard->p > 1) /* PARENT_NONE where another device finds the delegate */
        memset(d->parent, 0xff, dev->shard->d * sizeof *d->parent);
    n->any_dense = n->any_next_dense = 0;
    n->sparse_count = n->next_sparse_count = n->dense_count = n->next_dense_count = 0;
    direction_costs_begin(&dev->costs);
    memset(dev->frontier, 0, sizeof dev->frontier);
    for (int g = 0; g < SUBGRAPHS; g++)
        dev->unvisited[g] = dev->shard->csr[g].source_rows;
    if (root->at == ROOT_AT_DELEGATE) {
        set_mask_bit(d->incoming, root->index);
        d->any_incoming = 1;
        if (dev->parents)
            d->parent[root->index] = PARENT_SELF;
    } else if (root->at == ROOT_AT_LOCAL && root->shard == dev->shard->index) {
        set_mask_bit(n->visited, root->index);
        n->depth[root->index] = 0;
        n->next_sparse[n->next_sparse_count++] = root->index;
        if (dev->parents)
            n->parent[root->index] = PARENT_SELF;
    }
    return e->status;
}

/* ---- previsit ---- */

/* Zeroes the times and probes of a level's visits. */
static void clear_visit_notes(struct device *dev)
{
    memset(&dev->notes.times.phase_s[PHASE_VISIT], 0, SUBGRAPHS * sizeof(double));
    memset(dev->notes.probes, 0, sizeof dev->notes.probes);
}

/* Makes the frontier of the delegates, of this depth, and counts it. */
static void previsit_and_count_delegates(struct device *dev, int32_t depth)
{
    dev->notes.times.phase_s[PHASE_PREVISIT] = 0;
    dev->delegates.frontier_depth = depth;
    previsit_delegates(dev);
    count_frontier_of(dev, DELEGATES);
}

enum status cpu_previsit(struct device *dev, int32_t depth, struct error *e)
{
    double start = cli_seconds();
    if (!dev->delegates.ahead)
        previsit_and_count_delegates(dev, depth);
    dev->depth = depth;
    previsit_normals(dev);
    count_frontier_of(dev, NORMALS);
    dev->notes.times.phase_s[PHASE_PREVISIT] += cli_seconds() - start;
    return e->status;
}

/* The work of g in this level. Adds it to the work that costs have seen: to be called once a level. */
static struct subgraph_work see_work(struct device *dev, enum subgraph g)
{
    struct subgraph_work work = {.forward = dev->forward[g],
                                 .frontier = dev->frontier[g],
                                 .unvisited_sources = dev->unvisited[g],
                                 .unvisited_targets = unvisited_targets(dev, g)};
    direction_costs_see(&dev->costs, g, &work);
    return work;
}

/* Sets the costs of a push and of a pull of g, in picoseconds. The caller has set those of all subgraphs whose number is
 * higher. */
static void set_visit_costs(const struct device *dev, enum subgraph g, struct workload *all)
{
    struct direction_costs_of costs = direction_costs_of(&dev->costs, g, all);
    const struct cost_graph *graph = &dev->costs.graph;
    struct subgraph_work *work = &all->of[g];
    work->cost[PULL] = costs.of[PULL] / threads_for(dev, unvisited_targets(dev, g));
    work->cost[PUSH] = costs.of[PUSH];
    if (!pushes_into_bitmaps(dev, g))
        return;
    /* a push into bitmaps: its rows, its edges, and the words of 64 bits that have a vertex of the frontier or a new one */
    double rows = (double)dev->frontier[g], from = graph->words[subgraph_rows(g)] / 2,
           to = graph->words[subgraph_columns(g)] / 2;
    double words = (rows < from ? rows : from) + (costs.found < to ? costs.found : to);
    work->cost[PUSH] = (rows * graph->rates.push_row + (double)dev->forward[g] * graph->rates.mark_edge +
                        words * graph->rates.mark_word) / threads_for(dev, dev->forward[g]);
}

/* Leaves dev->depth as it is: vertices that arrive meanwhile get their depth from it. */
enum status cpu_previsit_ahead(struct device *dev, int32_t depth, struct subgraph_work *dd, struct error *e)
{
    double start = cli_seconds();
    clear_visit_notes(dev);
    previsit_and_count_delegates(dev, depth);
    dev->delegates.ahead = 1;
    struct workload work = {.of[DD] = see_work(dev, DD)};
    set_visit_costs(dev, DD, &work);
    *dd = work.of[DD];
    dev->notes.times.phase_s[PHASE_PREVISIT] = cli_seconds() - start;
    return e->status;
}

/* Costs come last: they rest on the work of g and of its reverse, whose rows g finds. Subgraphs from delegates come first
 * then, as they are pulled first. */
enum status cpu_counts(struct device *dev, struct workload *work, struct error *e)
{
    work->delegates = dev->delegates.frontier_count;
    work->fresh = work->delegates + dev->normals.sparse_count + dev->normals.dense_count;
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (g != DD || !dev->delegates.ahead) /* of dd, previsit_ahead has seen it */
            work->of[g] = see_work(dev, (enum subgraph)g);
    }
    for (int g = SUBGRAPHS - 1; g >= 0; g--)
        set_visit_costs(dev, (enum subgraph)g, work);
    return e->status;
}

enum status cpu_count_forward(struct device *dev, enum subgraph g, uint64_t *forward, struct error *e)
{
    *forward = count_forward(dev, g);
    return e->status;
}

/* ---- frontiers that are shown to peers, or sent ---- */

/* Frontiers go as bitmaps, so there is nothing to learn, or to count. */
enum status cpu_learn_sources(struct device *dev, uint32_t shard, const uint32_t *bitmap, uint64_t words, struct error *e)
{
    (void)dev, (void)shard, (void)bitmap, (void)words;
    return e->status;
}

enum status cpu_count_frontiers(struct device *dev, struct error *e)
{
    (void)dev;
    return e->status;
}

uint64_t cpu_frontier_words(const struct device *dev, uint32_t shard)
{
    return 2 * mask_words(dev->locals[shard]);
}

enum status cpu_read_frontier(struct device *dev, uint32_t *to, struct error *e)
{
    memcpy(to, dev->shown.frontier, cpu_frontier_words(dev, dev->shard->index) * sizeof *to);
    return e->status;
}

enum status cpu_write_frontier(struct device *dev, uint32_t shard, const uint32_t *from, struct error *e)
{
    memcpy(dev->peers.gathered + shard * column_words(dev->shard), from,
           cpu_frontier_words(dev, shard) * sizeof *from);
    return e->status;
}

static void show_dense_words(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    uint64_t *shown = dev->shown.frontier + begin, bytes = (end - begin) * sizeof *shown;
    if (dev->normals.any_dense)
        memcpy(shown, dev->normals.dense + begin, bytes);
    else
        memset(shown, 0, bytes);
}

void cpu_show_frontier(struct device *dev)
{
    const struct cpu_normals *n = &dev->normals;
    uint64_t words = dev->shown.layout.frontier_words;
    pool_for(dev->means.pool, threads_for(dev, words), words, CLEAR_WORDS, show_dense_words, dev);
    for (uint64_t i = 0; i < n->sparse_count; i++)
        set_mask_bit(dev->shown.frontier, n->sparse[i]);
}

/* ---- visits ---- */

/* Visits g, and times it. Normals of this shard go into next_sparse or next_dense, delegates into `updated`. */
static void visit_subgraph(struct device *dev, enum subgraph g, enum direction direction)
{
    const int to_shards = leads_to_shards(dev->shard, g);
    if (dev->frontier[g] == 0 && !(to_shards && direction == PULL)) /* such a pull looks at frontiers of all shards */
        return;
    double start = cli_seconds();
    if (direction == PULL) {
        dev->normals.next_dense_count += pull_subgraph(dev, g, NULL);
    } else if (pushes_into_bitmaps(dev, g) && (!to_shards || dev->shown.form == OUTGOING_MASK)) {
        dev->normals.next_dense_count += push_into_bitmaps(dev, g);
    } else if (to_shards) {
        push_nn(dev);
        if (dev->shard_bins_error.status == ST_OK)
            show_shard_bins(dev, &dev->shard_bins_error);
    } else {
        push_sparse(dev, g);
    }
    dev->notes.times.phase_s[PHASE_VISIT + g] = cli_seconds() - start;
}

/* Visits dd, or a part of it, which is a pull. */
static void visit_dd(struct device *dev, enum direction direction, enum visit_part part)
{
    double start = cli_seconds();
    if (part == VISIT_WHOLE) {
        visit_subgraph(dev, DD, direction);
        return;
    }
    if (part == VISIT_REST)
        take_peer_updates(dev);
    if (dev->frontier[DD] > 0)
        pull_subgraph(dev, DD, part == VISIT_FIRST ? dev->peers.own : dev->peers.others);
    dev->notes.times.phase_s[PHASE_VISIT + DD] += cli_seconds() - start;
}

enum status cpu_visit_ahead(struct device *dev, const struct visit_plan *plan, struct error *e)
{
    visit_dd(dev, plan->directions.of[DD], plan->part);
    return e->status;
}

/* A pull of nd looks for normals that were visited before this level: nd comes before dn and nn, which visit more. nn is
 * last: after a pull of dn most of its destinations are visited, and little is left. */
enum status cpu_visit(struct device *dev, const struct visit_plan *plan, struct error *e)
{
    const struct directions *directions = &plan->directions;
    const int ahead = dev->delegates.ahead; /* visit_ahead has visited dd, or its first part */
    if (plan->part != VISIT_REST && !ahead)
        clear_visit_notes(dev);
    if (!ahead || plan->part == VISIT_REST)
        visit_dd(dev, directions->of[DD], plan->part);
    if (plan->part == VISIT_FIRST)
        return e->status;
    dev->delegates.ahead = 0;
    if (dev->shard->p > 1)
        begin_outgoing(dev, plan->form);
    if (directions->of[NN] == PULL && dev->shard->p > 1)
        gather_peer_frontiers(dev);
    visit_subgraph(dev, ND, directions->of[ND]);
    visit_subgraph(dev, DN, directions->of[DN]);
    visit_subgraph(dev, NN, directions->of[NN]);
    if (dev->shard_bins_error.status != ST_OK)
        *e = dev->shard_bins_error;
    return e->status;
}

/* ---- the end of a level ---- */

/* Visits are over when cpu_visit returns. */
int cpu_is_busy(const struct device *dev)
{
    (void)dev;
    return 0;
}

enum status cpu_finish_delegates(struct device *dev, int *found, struct error *e)
{
    *found = dev->delegates.any_updated;
    return e->status;
}

enum status cpu_finish(struct device *dev, struct visit_result *result, struct error *e)
{
    result->found = dev->normals.next_sparse_count + dev->normals.next_dense_count;
    result->found_delegates = dev->delegates.any_updated;
    memcpy(result->probes, dev->notes.probes, sizeof result->probes);
    result->times = dev->notes.times;
    return e->status;
}

/* Makes the delegates that this level found the incoming mask of the next previsit. */
void cpu_keep_updates(struct device *dev)
{
    struct cpu_delegates *d = &dev->delegates;
    uint64_t *incoming = d->incoming;
    if (!d->any_updated)
        return;
    d->incoming = d->updated;
    d->updated = incoming;
    d->any_incoming = 1;
}
