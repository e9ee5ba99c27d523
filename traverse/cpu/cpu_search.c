/* cpu_search.c: the steps of a level, for the level loop and for dense levels of a whole search (engine.h)
 *
 * Functions that cannot fail return the status that *e already has. */
#include "cpu_device.h"

#include "traverse/engine/root_set.h"

#include "formats/base/cli.h"

#include <string.h>

/* ---- start ---- */

/* Zeroes words begin..end of the bitmaps that must be zero when a search begins. Threads of the pool run this for
 * cpu_start; `context` is the device. */
static void clear_words(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    const struct cpu_delegates *d = &dev->delegates;
    struct {
        uint64_t *bitmap, words;
    } const cleared[] = {{d->visited, mask_words(dev->shard->d)},
                         {d->found_anywhere, mask_words(dev->shard->d)},
                         {d->dense, mask_words(dev->shard->d)},
                         {d->found_here, mask_words(dev->shard->d)},
                         {dev->normals.visited, mask_words(dev->shard->locals)}};
    for (size_t i = 0; i < sizeof cleared / sizeof *cleared; i++) {
        uint64_t stop = end < cleared[i].words ? end : cleared[i].words;
        if (begin < stop)
            memset(cleared[i].bitmap + begin, 0, (stop - begin) * sizeof(uint64_t));
    }
}

/* Forgets the last search, and puts the roots where the first previsit finds them: delegates into `found_anywhere`, normals of
 * this shard into next_sparse, visited with depth 0. The parent of a root is PARENT_SELF. */
enum status cpu_start(struct device *dev, const struct root_set *roots, struct error *e)
{
    /* One thread clears small bitmaps. It also begins the search, and then has their cache lines already. */
    enum { WORDS_OF_WORK = 4 };
    struct cpu_delegates *d = &dev->delegates;
    struct cpu_normals *n = &dev->normals;
    const struct root_set delegates = root_set_of_kind(roots, ROOT_AT_DELEGATE),
                          normals = root_set_of_shard(roots, dev->shard->index);
    uint64_t words = mask_words(most_rows(dev));
    pool_for(dev->means.pool, threads_for(dev, words / WORDS_OF_WORK), words, CLEAR_WORDS, clear_words, dev);
    d->any_found_here = 0;
    d->frontier_count = 0;
    d->is_sparse = 1;
    if (dev->parents && dev->shard->p > 1) /* a delegate that only another device finds keeps PARENT_NONE on this one */
        memset(d->parent, 0xff, dev->shard->d * sizeof *d->parent);
    n->any_dense = n->any_next_dense = 0;
    n->sparse_count = n->next_sparse_count = n->dense_count = n->next_dense_count = 0;
    direction_costs_begin(&dev->costs);
    memset(dev->frontier_rows, 0, sizeof dev->frontier_rows);
    for (int g = 0; g < SUBGRAPHS; g++)
        dev->unvisited[g] = dev->shard->csr[g].source_rows;
    d->any_found_anywhere = delegates.count > 0;
    for (uint64_t i = 0; i < delegates.count; i++) {
        const uint32_t index = delegates.root[i].index;
        set_mask_bit(d->found_anywhere, index);
        if (dev->parents)
            d->parent[index] = PARENT_SELF;
    }
    for (uint64_t i = 0; i < normals.count; i++) {
        const uint32_t index = normals.root[i].index;
        set_mask_bit(n->visited, index);
        n->depth[index] = 0;
        n->next_sparse[n->next_sparse_count++] = index;
        if (dev->parents)
            n->parent[index] = PARENT_SELF;
    }
    return e->status;
}

/* ---- previsit ---- */

/* Moves what visits found from found_here to found_anywhere, by exchanging the bitmaps. Only for a single device. */
static void take_own_updates(struct cpu_delegates *d)
{
    uint64_t *found_anywhere = d->found_anywhere;
    d->found_anywhere = d->found_here;
    d->found_here = found_anywhere;
    d->any_found_anywhere = 1;
}

/* Makes the frontier of these kinds of vertices from what the last level found, gives the vertices the depth `depth`, and
 * counts them. With ONLY_DELEGATES dev->depth stays, because normals that still arrive get their depth from it. */
enum status cpu_previsit(struct device *dev, enum vertex_kinds kinds, int32_t depth, struct error *e)
{
    double start = cli_seconds();
    dev->previsited = kinds;
    if (kinds != ONLY_NORMALS) {
        dev->notes.times.phase_s[PHASE_PREVISIT] = 0;
        if (dev->shard->p == 1 && dev->delegates.any_found_here)
            take_own_updates(&dev->delegates);
        dev->delegates.frontier_depth = depth;
        previsit_delegates(dev);
        count_frontier_of(dev, DELEGATES);
    }
    if (kinds != ONLY_DELEGATES) {
        dev->depth = depth;
        previsit_normals(dev);
        count_frontier_of(dev, NORMALS);
    }
    dev->notes.times.phase_s[PHASE_PREVISIT] += cli_seconds() - start;
    return e->status;
}

/* Returns the counts of subgraph g in this level, and adds them to what dev->costs has seen of the search. So this must
 * be called once a level. */
static struct subgraph_work see_work(struct device *dev, enum subgraph g)
{
    struct subgraph_work work = {.forward = dev->frontier_edges[g],
                                 .frontier = dev->frontier_rows[g],
                                 .unvisited_sources = dev->unvisited[g],
                                 .unvisited_targets = unvisited_targets(dev, g)};
    direction_costs_see(&dev->costs, g, &work);
    return work;
}

/* Predicts the picoseconds of a push and of a pull of subgraph g. Costs of subgraphs with higher numbers must be set
 * before, because the cost of a pull depends on an earlier pull (pulled_before). */
static void set_visit_costs(const struct device *dev, enum subgraph g, struct workload *all)
{
    struct direction_costs_of costs = direction_costs_of(&dev->costs, g, all);
    const struct cost_graph *graph = &dev->costs.graph;
    struct subgraph_work *work = &all->of[g];
    work->cost[PULL] = costs.of[PULL] / threads_for(dev, unvisited_targets(dev, g));
    work->cost[PUSH] = costs.of[PUSH];
    if (!pushes_into_bitmaps(dev, g))
        return;
    /* a push into bitmaps costs time for rows, for edges, and for words with vertices of the frontier or new vertices */
    double rows = (double)dev->frontier_rows[g], from = graph->words[subgraph_rows(g)] / 2,
           to = graph->words[subgraph_columns(g)] / 2;
    double words = (rows < from ? rows : from) + (costs.found < to ? costs.found : to);
    work->cost[PUSH] = (rows * graph->rates.push_row + (double)dev->frontier_edges[g] * graph->rates.mark_edge +
                        words * graph->rates.mark_word) / threads_for(dev, dev->frontier_edges[g]);
}

/* Returns the counts of the frontier and the costs of visits in *work: those of dd after ONLY_DELEGATES, all others after
 * ONLY_NORMALS. The cost of a pull depends on counts and costs of a subgraph that is pulled before it, which has a higher
 * number. So costs come after all counts, and begin with the highest subgraph. */
enum status cpu_counts(struct device *dev, struct workload *work, struct error *e)
{
    if (dev->previsited == ONLY_DELEGATES) {
        work->of[DD] = see_work(dev, DD);
        set_visit_costs(dev, DD, work);
        return e->status;
    }
    const int end = dev->previsited == ONLY_NORMALS ? DD : SUBGRAPHS; /* dd is the last subgraph */
    work->delegates = dev->delegates.frontier_count;
    work->fresh = work->delegates + dev->normals.sparse_count + dev->normals.dense_count;
    for (int g = 0; g < end; g++)
        work->of[g] = see_work(dev, (enum subgraph)g);
    for (int g = end - 1; g >= 0; g--)
        set_visit_costs(dev, (enum subgraph)g, work);
    return e->status;
}

/* Counts the frontier's edges in each subgraph g for which exact[g] is set. Overwrites dev->gathered_rows. */
enum status cpu_count_edges(struct device *dev, const int exact[SUBGRAPHS], struct workload *work, struct error *e)
{
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (exact[g])
            work->of[g].forward = count_forward(dev, (enum subgraph)g);
    }
    return e->status;
}

/* ---- frontiers that are shown to peers, or sent ---- */

/* Does nothing, because devices of the CPU send frontiers as whole bitmaps. */
enum status cpu_learn_sources(struct device *dev, uint32_t shard, const uint32_t *bitmap, uint64_t words, struct error *e)
{
    (void)dev, (void)shard, (void)bitmap, (void)words;
    return e->status;
}

/* Writes words begin..end of the frontier's dense part to the bitmap that peers read, or zeroes if there is no dense
 * part. Threads of the pool run this for cpu_show_frontier; `context` is the device. */
static void show_dense_words(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    uint64_t *shown = dev->shown.frontier + begin, bytes = (end - begin) * sizeof *shown;
    if (dev->normals.any_dense)
        memcpy(shown, dev->normals.dense + begin, bytes);
    else
        memset(shown, 0, bytes);
}

/* Writes the frontier's normals to the bitmap that peers read. If `message` is not NULL, also copies the bitmap there, and
 * sets words[s] to the number of 32-bit words in the message of each shard s. */
enum status cpu_show_frontier(struct device *dev, uint32_t *message, uint64_t *words, struct error *e)
{
    const struct cpu_normals *n = &dev->normals;
    const uint64_t shown_words = dev->shown.layout.frontier_words;
    pool_for(dev->means.pool, threads_for(dev, shown_words), shown_words, CLEAR_WORDS, show_dense_words, dev);
    for (uint64_t i = 0; i < n->sparse_count; i++)
        set_mask_bit(dev->shown.frontier, n->sparse[i]);
    if (message == NULL)
        return e->status;
    memcpy(message, dev->shown.frontier, shown_words * sizeof *dev->shown.frontier);
    for (uint32_t s = 0; s < dev->shard->p; s++)
        words[s] = 2 * mask_words(dev->locals[s]);
    return e->status;
}

/* Copies the frontier of another shard, which came as a message, to its place in peers.gathered. */
enum status cpu_take_frontier(struct device *dev, uint32_t shard, const uint32_t *message, struct error *e)
{
    memcpy(dev->peers.gathered + shard * column_words(dev->shard), message,
           mask_words(dev->locals[shard]) * sizeof *dev->peers.gathered);
    return e->status;
}

/* ---- visits ---- */

/* Pushes or pulls subgraph g, and measures the time. New normals of this shard go into next_sparse or next_dense, new
 * delegates into `found_here`, and vertices of other shards to where peers read them. If memory for bins is missing, sets
 * dev->shard_bins_error. */
static void visit_subgraph(struct device *dev, enum subgraph g, enum direction direction)
{
    const int to_shards = leads_to_shards(dev->shard, g);
    if (dev->frontier_rows[g] == 0 && !(to_shards && direction == PULL)) /* a pull of nn reads the frontiers of all shards */
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

/* Visits dd, or a part of a divided pull of dd. VISIT_DD pulls the rows of delegates that this shard owns. VISIT_REST
 * learns what peers have found, and pulls the other rows. */
static void visit_dd(struct device *dev, const struct visit_plan *plan, enum visit_part part)
{
    double start = cli_seconds();
    if (!plan->divides_dd) {
        visit_subgraph(dev, DD, plan->directions.of[DD]);
        return;
    }
    if (part == VISIT_REST)
        take_peer_updates(dev);
    if (dev->frontier_rows[DD] > 0)
        pull_subgraph(dev, DD, part == VISIT_DD ? dev->peers.own : dev->peers.others);
    dev->notes.times.phase_s[PHASE_VISIT + DD] += cli_seconds() - start;
}

/* Visits nd, dn and nn, in this order. nd is first, because its pull looks for normals visited before this level, and
 * dn and nn visit more. nn is last, because after a pull of dn little is left for it. With several shards first empties
 * the memory that peers read. Returns ST_RESOURCE if memory for bins is missing. */
static enum status visit_others(struct device *dev, const struct visit_plan *plan, struct error *e)
{
    const struct directions *directions = &plan->directions;
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

/* Visits a part of the level. If dd is divided, nd, dn and nn wait for VISIT_REST, because a visit uses all threads, and an
 * early begin gains nothing. VISIT_DD, which is first, zeroes the level's times and probes. */
enum status cpu_visit(struct device *dev, const struct visit_plan *plan, enum visit_part part, struct error *e)
{
    if (part == VISIT_DD) {
        memset(&dev->notes.times.phase_s[PHASE_VISIT], 0, SUBGRAPHS * sizeof(double));
        memset(dev->notes.probes, 0, sizeof dev->notes.probes);
    }
    if (part != VISIT_OTHERS)
        visit_dd(dev, plan, part);
    return part == (plan->divides_dd ? VISIT_REST : VISIT_OTHERS) ? visit_others(dev, plan, e) : e->status;
}

/* ---- the end of a level ---- */

/* Returns the vertices that visits found in another shard, as a span of the shown list or bitmap. If there are none, this is
 * an empty list, even if the form is a bitmap. */
static struct vertex_span outgoing_span(const struct device *dev, uint32_t shard)
{
    const struct cpu_shown *s = &dev->shown;
    const uint64_t begin = s->begin[shard], count = s->count[shard], shard_words = 2 * column_words(dev->shard);
    if (s->form == OUTGOING_LIST || count == 0)
        return (struct vertex_span){s->ids + begin, begin, count, OUTGOING_LIST};
    return (struct vertex_span){(uint32_t *)s->mask + shard * shard_words, shard * shard_words, shard_words, OUTGOING_MASK};
}

/* Writes what the visits found to *result. Does not wait, because visits are over when cpu_visit returns. */
enum status cpu_finish(struct device *dev, enum vertex_kinds kinds, struct visit_result *result, struct error *e)
{
    result->found_delegates = dev->delegates.any_found_here;
    if (kinds == ONLY_DELEGATES)
        return e->status;
    result->found = dev->normals.next_sparse_count + dev->normals.next_dense_count;
    for (uint32_t s = 0; dev->shard->p > 1 && s < dev->shard->p; s++)
        result->outgoing[s] = outgoing_span(dev, s);
    memcpy(result->probes, dev->notes.probes, sizeof result->probes);
    result->times = dev->notes.times;
    return e->status;
}
