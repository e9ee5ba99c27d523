/* cpu_search.c: the steps of a level on the CPU; see backend.h */
#include "cpu_device.h"

#include "formats/base/cli.h"

#include <string.h>

/* ---- start ---- */

/* One thread clears small masks, as it begins to search alone: others would have their lines. */
enum { WORDS_OF_WORK = 4 };

static void clear_part(uint64_t *mask, uint64_t words, uint64_t begin, uint64_t end)
{
    if (begin < words)
        memset(mask + begin, 0, ((end < words ? end : words) - begin) * sizeof *mask);
}

static void clear_words(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    const struct cpu_delegates *d = &dev->delegates;
    uint64_t *const masks[] = {d->visited, d->incoming, d->frontier, d->updated};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
        clear_part(masks[i], mask_words(dev->shard->d), begin, end);
    clear_part(dev->normals.visited, mask_words(dev->shard->locals), begin, end);
}

static void clear_vertices(struct device *dev)
{
    struct cpu_delegates *d = &dev->delegates;
    struct cpu_normals *n = &dev->normals;
    uint64_t words = mask_words(most_rows(dev));
    pool_for(dev->means.pool, threads_for(dev, words / WORDS_OF_WORK), words, CLEAR_WORDS, clear_words, dev);
    d->any_incoming = d->any_updated = d->ahead = 0;
    d->fresh_count = 0;
    d->fresh_listed = 1;
    if (dev->parents && dev->shard->p > 1) /* NONE if the device does not find the delegate */
        memset(d->parent, 0xff, dev->shard->d * sizeof *d->parent);
    n->any_pulled = n->any_pulled_next = 0;
    n->queue_count = n->next_count = n->pulled_count = n->pulled_next_count = 0;
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

enum status cpu_start(struct device *dev, const struct root *root, struct error *e)
{
    (void)e;
    clear_vertices(dev);
    direction_costs_begin(&dev->costs);
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

/* Clears the notes of a level's visits. */
static void forget_visits(struct device *dev)
{
    memset(&dev->notes.times.phase_s[PHASE_VISIT], 0, SUBGRAPHS * sizeof(double));
    memset(dev->notes.probes, 0, sizeof dev->notes.probes);
}

/* Makes the delegates of the frontier, and counts their work. */
static void begin_level(struct device *dev, int32_t depth)
{
    dev->notes.times.phase_s[PHASE_PREVISIT] = 0;
    dev->delegates.level = depth;
    previsit_delegates(dev);
    count_frontier_of(dev, DELEGATES);
}

enum status cpu_previsit(struct device *dev, int32_t depth, struct error *e)
{
    (void)e;
    double start = cli_seconds();
    if (!dev->delegates.ahead)
        begin_level(dev, depth);
    dev->depth = depth;
    previsit_normals(dev);
    count_frontier_of(dev, NORMALS);
    dev->notes.times.phase_s[PHASE_PREVISIT] += cli_seconds() - start;
    return ST_OK;
}

/* The work of g, which becomes part of the work seen: once a level. */
static struct subgraph_work work_of(struct device *dev, enum subgraph g)
{
    struct subgraph_work work = {.forward = dev->forward[g],
                                 .frontier = dev->frontier[g],
                                 .unvisited_sources = dev->unvisited[g],
                                 .unvisited_targets = unvisited_targets(dev, g)};
    direction_costs_see(&dev->costs, g, &work);
    return work;
}

/* dev->depth stays, as vertices that arrive meanwhile get their depth from it. */
enum status cpu_previsit_ahead(struct device *dev, int32_t depth, struct subgraph_work *dd, struct error *e)
{
    (void)e;
    double start = cli_seconds();
    forget_visits(dev);
    begin_level(dev, depth);
    dev->delegates.ahead = 1;
    struct workload work = {.of[DD] = work_of(dev, DD)};
    set_visit_costs(dev, DD, &work);
    *dd = work.of[DD];
    dev->notes.times.phase_s[PHASE_PREVISIT] = cli_seconds() - start;
    return ST_OK;
}

/* Prices come last, as they rest on the work seen of g and of its reverse, whose sources g finds. */
enum status cpu_counts(struct device *dev, struct workload *work, struct error *e)
{
    (void)e;
    work->delegates = dev->delegates.fresh_count;
    work->fresh = work->delegates + dev->normals.queue_count + dev->normals.pulled_count;
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (g != DD || !dev->delegates.ahead)
            work->of[g] = work_of(dev, (enum subgraph)g);
    }
    for (int g = SUBGRAPHS - 1; g >= 0; g--) /* those from delegates first: they are pulled first */
        set_visit_costs(dev, (enum subgraph)g, work);
    return ST_OK;
}

enum status cpu_count_forward(struct device *dev, enum subgraph g, uint64_t *forward, struct error *e)
{
    (void)e;
    *forward = count_forward(dev, g);
    return ST_OK;
}

/* ---- visits ---- */

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
    memcpy(to, dev->traffic.shown.frontier, cpu_frontier_words(dev, dev->shard->index) * sizeof *to);
    return e->status;
}

enum status cpu_write_frontier(struct device *dev, uint32_t shard, const uint32_t *from, struct error *e)
{
    memcpy(dev->traffic.peers.gathered + shard * column_words(dev->shard), from,
           cpu_frontier_words(dev, shard) * sizeof *from);
    return e->status;
}

static void show_words(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    uint64_t *shown = dev->traffic.shown.frontier + begin, bytes = (end - begin) * sizeof *shown;
    if (dev->normals.any_pulled)
        memcpy(shown, dev->normals.pulled + begin, bytes);
    else
        memset(shown, 0, bytes);
}

void cpu_show_frontier(struct device *dev)
{
    const struct cpu_normals *n = &dev->normals;
    uint64_t *shown = dev->traffic.shown.frontier, words = dev->traffic.shown.layout.frontier_words;
    pool_for(dev->means.pool, threads_for(dev, words), words, CLEAR_WORDS, show_words, dev);
    for (uint64_t i = 0; i < n->queue_count; i++)
        set_mask_bit(shown, n->queue[i]);
}

typedef uint64_t pull_subgraph(struct device *dev);

/* Whether a visit has no frontier. A pull of nn looks at the frontiers of all shards. */
static int is_idle(const struct device *dev, enum subgraph g, enum direction direction)
{
    return dev->frontier[g] == 0 && !(g == NN && direction == PULL && dev->shard->p > 1);
}

/* Whether a push may mark: vertices for other shards must leave as masks then. */
static int may_mark(const struct device *dev, enum subgraph g)
{
    return !leads_to_shards(dev->shard, g) || dev->traffic.shown.form == OUTGOING_MASK;
}

static void push_to_shards(struct device *dev)
{
    struct error *e = &dev->traffic.bins.error;
    push_nn(dev);
    if (e->status == ST_OK)
        show_bins(dev, e);
}

/* Visits g. The normals that it finds are in the next queue or in the next mask. */
static void visit_subgraph(struct device *dev, enum subgraph g, enum direction direction)
{
    static pull_subgraph *const pull[SUBGRAPHS] = {
        [NN] = pull_nn, [ND] = pull_nd, [DN] = pull_dn, [DD] = pull_dd};
    uint64_t found = 0;
    if (is_idle(dev, g, direction))
        return;
    double start = cli_seconds();
    if (direction == PULL)
        found = pull[g](dev);
    else if (pushes_marks(dev, g) && may_mark(dev, g))
        found = push_marks(dev, g);
    else if (leads_to_shards(dev->shard, g))
        push_to_shards(dev);
    else
        push_from_list(dev, g);
    dev->notes.times.phase_s[PHASE_VISIT + g] = cli_seconds() - start;
    dev->normals.pulled_next_count += found;
}

static void visit_dd(struct device *dev, enum direction direction, enum visit_part part)
{
    double start = cli_seconds();
    if (part == VISIT_WHOLE) {
        visit_subgraph(dev, DD, direction);
        return;
    }
    if (part == VISIT_REST)
        take_peers_updates(dev);
    if (dev->frontier[DD] > 0)
        pull_dd_rows(dev, part == VISIT_FIRST ? dev->traffic.peers.own : dev->traffic.peers.others);
    dev->notes.times.phase_s[PHASE_VISIT + DD] += cli_seconds() - start;
}

enum status cpu_visit_ahead(struct device *dev, const struct visit_plan *plan, struct error *e)
{
    visit_dd(dev, plan->directions.of[DD], plan->part);
    return e->status;
}

/* A pull of nd looks for normals that were visited before this level, so nd comes before dn and nn, which
 * visit others. nn is last: after a pull of dn most of its destinations are visited, and it has little to
 * do. */
enum status cpu_visit(struct device *dev, const struct visit_plan *plan, struct error *e)
{
    const struct directions *directions = &plan->directions;
    if (plan->part != VISIT_REST && !dev->delegates.ahead)
        forget_visits(dev);
    if (!dev->delegates.ahead || plan->part == VISIT_REST)
        visit_dd(dev, directions->of[DD], plan->part);
    if (plan->part == VISIT_FIRST)
        return e->status;
    dev->delegates.ahead = 0;
    if (dev->shard->p > 1)
        hide_outgoing(dev, plan->form);
    if (directions->of[NN] == PULL && dev->shard->p > 1)
        gather_frontiers(dev);
    visit_subgraph(dev, ND, directions->of[ND]);
    visit_subgraph(dev, DN, directions->of[DN]);
    visit_subgraph(dev, NN, directions->of[NN]);
    if (dev->traffic.bins.error.status != ST_OK)
        *e = dev->traffic.bins.error;
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
    result->found = dev->normals.next_count + dev->normals.pulled_next_count;
    result->found_delegates = dev->delegates.any_updated;
    memcpy(result->probes, dev->notes.probes, sizeof result->probes);
    result->times = dev->notes.times;
    return e->status;
}

void cpu_keep_updates(struct device *dev)
{
    struct cpu_delegates *d = &dev->delegates;
    uint64_t *mask = d->incoming;
    if (!d->any_updated)
        return;
    d->incoming = d->updated;
    d->updated = mask;
    d->any_incoming = 1;
}
