/* loop.c: one search, level by level (figures 3 and 4 of Pan et al.); see loop.h
 *
 * A search takes one of two ways:
 * - Devices may run all levels by themselves (struct backend_fused): one that is alone, and
 *   several that read each other's memory. They note levels if there is a log. They do not run
 *   by themselves if direction factors or, for several, a form of vertices is given. This page is the reference:
 *   both ways find the same distances.
 * - Otherwise the level loop below runs the steps of each level.
 *
 * Each member of the team (host_threads.h) runs search_levels for the devices that it drives. A level has five steps:
 *   previsit  the vertices that the last level found become the frontier, except those visited before
 *   choose    push or pull, for each subgraph
 *   visit     dd and nd find delegates; dn and nn find normals
 *   reduce    the delegates that any device found become known to every device
 *   exchange  the normals that nn found become known to the devices that own them
 * exchange_masks does the reduction and begins the exchange, exchange_vertices ends it. If ranks send
 * messages, the next level begins between the two: the delegates become its frontier, and dd is visited
 * (run_ahead), of a pull in two parts the first.
 *
 * A delegate is known to every device, a normal vertex to the device that owns it. When level L begins:
 * 1. vertices at a distance below L are marked as visited where they are known;
 * 2. vertices at distance L are known as found, and are about to become the frontier;
 * 3. no other vertex has been found.
 * Every edge from the frontier is a row entry of a device that knows the row as frontier, so pushes find
 * every vertex at distance L + 1. Pulls find the same ones from the other end: the reverse of an edge is on
 * the same device, except for nn: before it is pulled, devices get the frontiers of all others. Visited
 * vertices are never found again. The search ends with the first level in which no device finds anything,
 * or before the visit from the depth at which it is to end.
 *
 * The members of all devices that read each other's memory (exchange/group.h) meet twice in a level, where
 * one device needs the results of another one:
 * - After counting: every device has then read what others found for it, and they may overwrite it.
 * - After finishing: every device has then found its vertices of this level, and the exchange may read them.
 * They meet once more within a visit if dd is pulled, as that has two parts (enum visit_part), and once more
 * before a visit if nn is pulled. Ranks that send messages reduce masks between the parts, if many rows are pulled.
 * A device that is alone exchanges nothing, and the host waits for it only once a level, for its counts. The
 * cost of a level is the work of its frontier and some passes over masks. Nothing else is proportional to n.
 *
 * After a failure a member does nothing until it meets the others, who then fail with it.
 */
#include "loop.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- the steps, for the devices of one member ---- */

static void start(struct bfs *bfs, const struct host_thread *m, struct error *e)
{
    const struct rank *rank = bfs->rank;
    for (uint32_t i = m->first; i < m->end && e->status == ST_OK; i++) {
        bfs->levels[i].plan = (struct visit_plan){0}; /* all push */
        bfs->levels[i].ahead = 0;
        rank->backend->search->start(rank->devices[i], bfs->root, e);
    }
}

static void previsit(struct bfs *bfs, const struct host_thread *m, int32_t depth, struct error *e)
{
    const struct rank *rank = bfs->rank;
    for (uint32_t i = m->first; i < m->end && e->status == ST_OK; i++)
        rank->backend->search->previsit(rank->devices[i], depth, e);
}

static int follows_factors(const struct bfs *bfs)
{
    return !bfs->rank->backend->knows_costs || bfs->options.policy.factors_given;
}

static enum direction direction_of(const struct bfs *bfs, enum subgraph g, const struct subgraph_work *work,
                                   enum direction current)
{
    return follows_factors(bfs) ? choose_direction(&bfs->options.policy, g, work, current)
                                : direction_by_cost(bfs->options.policy.mode, work);
}

/* Whether the exact forward workload is needed to choose by factors, or to choose a form. */
static int needs_forward(const struct bfs *bfs, enum subgraph g, const struct subgraph_work *work,
                         enum direction current)
{
    return follows_factors(bfs) &&
           (direction_needs_forward(&bfs->options.policy, g, work, current) ||
            (g == NN && !rank_is_single_device(bfs->rank) &&
             exchange_needs_forward(bfs->exchange, work)));
}

/* Takes the counts of each device, and the exact workloads where a choice needs them. */
static void count_work(struct bfs *bfs, const struct host_thread *m, struct error *e)
{
    const struct backend_search *search = bfs->rank->backend->search;
    for (uint32_t i = m->first; i < m->end && e->status == ST_OK; i++) {
        struct device_level *level = &bfs->levels[i];
        struct subgraph_work dd = level->work.of[DD];
        search->counts(bfs->rank->devices[i], &level->work, e);
        if (level->ahead)
            level->work.of[DD] = dd;
        for (int g = 0; g < SUBGRAPHS && e->status == ST_OK; g++) {
            struct subgraph_work *work = &level->work.of[g];
            if ((g != DD || !level->ahead) &&
                needs_forward(bfs, (enum subgraph)g, work, level->plan.directions.of[g]))
                search->count_forward(bfs->rank->devices[i], (enum subgraph)g, &work->forward, e);
        }
        *exchange_work(bfs->exchange, i) = level->work;
    }
}

/* Chooses for each subgraph by itself (section IV-B). Each device chooses alone for nd and dn. Peers choose
 * alike for dd, which they pull in parts, and for nn, whose frontiers they give each other. */
static void choose_directions(const struct bfs *bfs, const struct workload *total,
                              struct device_level *level)
{
    for (int i = 0; i < SUBGRAPHS; i++) {
        enum subgraph g = (enum subgraph)i;
        if (g == DD && level->ahead)
            continue;
        enum direction *direction = &level->plan.directions.of[g];
        const struct subgraph_work *work = g == NN || g == DD ? &total->of[g] : &level->work.of[g];
        *direction = direction_of(bfs, g, work, *direction);
    }
}

/* `dd` is total, and its direction chosen. */
static enum visit_part first_part(const struct bfs *bfs, const struct device_level *level,
                                  const struct subgraph_work *dd)
{
    return level->plan.directions.of[DD] == PULL && dd->frontier > 0 &&
                   exchange_has_parts(bfs->exchange, level->ahead, dd)
               ? VISIT_FIRST
               : VISIT_WHOLE;
}

static void choose_for(const struct bfs *bfs, const struct workload *total,
                       struct device_level *level)
{
    choose_directions(bfs, total, level);
    level->plan.form = exchange_form_of(bfs->exchange, &total->of[NN]);
    if (rank_is_single_device(bfs->rank))
        return;
    if (total->of[NN].frontier == 0 || !exchange_may_pull_nn(bfs->exchange, &total->of[NN]))
        level->plan.directions.of[NN] = PUSH;
    if (!level->ahead)
        level->plan.part = first_part(bfs, level, &total->of[DD]);
}

/* Counts the edges of frontiers for a trace, once directions are chosen. */
static void count_edges(struct bfs *bfs, uint32_t i, struct error *e)
{
    struct workload *work = &bfs->levels[i].work;
    for (int g = 0; g < SUBGRAPHS && e->status == ST_OK; g++) {
        if (work->of[g].frontier > 0 && !(g == DD && bfs->levels[i].ahead))
            bfs->rank->backend->search->count_forward(bfs->rank->devices[i], (enum subgraph)g,
                                                      &work->of[g].forward, e);
    }
}

static void choose(struct bfs *bfs, const struct host_thread *m, struct error *e)
{
    struct workload total;
    exchange_sum_work(bfs->exchange, m, &total, e);
    for (uint32_t i = m->first; i < m->end && e->status == ST_OK; i++) {
        choose_for(bfs, &total, &bfs->levels[i]);
        if (bfs->options.counts_edges)
            count_edges(bfs, i, e);
    }
}

static void visit_part(struct bfs *bfs, const struct host_thread *m, struct error *e)
{
    const struct rank *rank = bfs->rank;
    for (uint32_t i = m->first; i < m->end && e->status == ST_OK; i++)
        rank->backend->search->visit(rank->devices[i], &bfs->levels[i].plan, e);
}

/* Visits the subgraphs by the plans of all devices of the group, which agree in the conditions tested here. Another
 * group's visit may have parts where this one's has none: it takes part in the reduction between them. */
static void visit(struct bfs *bfs, const struct host_thread *m, struct exchange_stats *stats,
                  struct error *e)
{
    const struct visit_plan *plan = &bfs->levels[m->first].plan;
    if (plan->directions.of[NN] == PULL && !rank_is_single_device(bfs->rank))
        exchange_frontier(bfs->exchange, m, stats, e);
    visit_part(bfs, m, e);
    if (plan->part == VISIT_FIRST || bfs->exchange->in_parts)
        exchange_join_parts(bfs->exchange, m, stats, e);
    if (plan->part == VISIT_WHOLE || e->status != ST_OK)
        return;
    for (uint32_t i = m->first; i < m->end; i++)
        bfs->levels[i].plan.part = VISIT_REST;
    visit_part(bfs, m, e);
}

static void finish(struct bfs *bfs, const struct host_thread *m, struct error *e)
{
    const struct rank *rank = bfs->rank;
    exchange_drive(bfs->exchange, m);
    for (uint32_t i = m->first; i < m->end && e->status == ST_OK; i++) {
        struct device_level *level = &bfs->levels[i];
        if (rank->backend->search->finish(rank->devices[i], &level->found, e) == ST_OK &&
            bfs->options.timed)
            rank->backend->search->times(rank->devices[i], &level->times, e);
        if (e->status == ST_OK)
            group_put_found(&bfs->exchange->group, i, level->found);
        level->ahead = 0;
    }
}

/* ---- the next level's delegates, while vertices are still under way between ranks ---- */

static void previsit_ahead(struct bfs *bfs, const struct host_thread *m, int32_t depth, struct error *e)
{
    const struct backend *backend = bfs->rank->backend;
    for (uint32_t i = m->first; i < m->end && e->status == ST_OK; i++) {
        struct device_level *level = &bfs->levels[i];
        struct subgraph_work *dd = &level->work.of[DD];
        level->ahead = 1;
        if (backend->ahead->previsit_ahead(bfs->rank->devices[i], depth, dd, e) == ST_OK &&
            dd->frontier > 0 &&
            (bfs->options.counts_edges || needs_forward(bfs, DD, dd, level->plan.directions.of[DD])))
            backend->search->count_forward(bfs->rank->devices[i], DD, &dd->forward, e);
        exchange_work(bfs->exchange, i)->of[DD] = *dd;
    }
}

/* Begins the next level with dd. It needs only delegates, known when the masks are reduced. The group chooses whether dd
 * has parts; `choose` then tells the others. */
static void run_ahead(struct bfs *bfs, const struct host_thread *m, int32_t depth, struct error *e)
{
    struct subgraph_work total;
    previsit_ahead(bfs, m, depth, e);
    if (group_barrier(&bfs->exchange->group, m, e) != ST_OK)
        return;
    exchange_sum(bfs->exchange, DD, &total);
    for (uint32_t i = m->first; i < m->end && e->status == ST_OK; i++) {
        struct visit_plan *plan = &bfs->levels[i].plan;
        plan->directions.of[DD] = direction_of(bfs, DD, &total, plan->directions.of[DD]);
        plan->part = first_part(bfs, &bfs->levels[i], &total);
        bfs->rank->backend->ahead->visit_ahead(bfs->rank->devices[i], plan, e);
    }
    if (m->number == 0)
        bfs->exchange->in_parts = bfs->levels[m->first].plan.part == VISIT_FIRST;
}

static void exchange(struct bfs *bfs, const struct host_thread *m, int32_t depth, int *done,
                     struct exchange_stats *stats, struct error *e)
{
    struct exchange *x = bfs->exchange;
    if (exchange_masks(x, m, done, stats, e) != ST_OK)
        return;
    double begun = cli_seconds();
    int ahead = !*done && depth + 1 < bfs->options.deepest && exchange_runs_ahead(x);
    if (ahead)
        run_ahead(bfs, m, depth + 1, e);
    if (host_threads_barrier(m, e) == ST_OK)
        exchange_vertices(x, m, stats, e);
    if (ahead)
        stats->times.phase_s[PHASE_AHEAD] = cli_seconds() - begun;
}

/* ---- traces ---- */

/* Keeps the larger time of each phase, of two devices. */
static void keep_slowest(struct breakdown *sum, const struct breakdown *other)
{
    for (int i = 0; i < PHASES; i++)
        sum->phase_s[i] = sum->phase_s[i] > other->phase_s[i] ? sum->phase_s[i] : other->phase_s[i];
}

/* Adds the work of a device. */
static void trace_device(struct level_trace *trace, const struct workload *work,
                         const struct directions *directions, const struct breakdown *times)
{
    struct level_counts *counts = &trace->counts;
    counts->fresh += work->fresh;
    counts->delegates += work->delegates;
    for (int g = 0; g < SUBGRAPHS; g++) {
        const struct subgraph_work *of = &work->of[g];
        int pulls = of->frontier > 0 && directions->of[g] == PULL;
        counts->frontier[g] += of->frontier;
        counts->forward[g] += of->frontier > 0 ? of->forward : 0;
        trace->backward[g] += of->frontier > 0 ? backward_work(of) : 0;
        counts->pushed[g] += pulls || of->frontier == 0 ? 0 : of->forward;
        counts->pulling[g] += (uint64_t)pulls;
    }
    if (times != NULL)
        keep_slowest(&trace->exchange.times, times);
}

/* Adds the work of the devices of this rank, when they have finished. */
static void trace_visits(const struct bfs *bfs, struct level_trace *trace)
{
    const struct rank *rank = bfs->rank;
    uint64_t (*probes)(const struct device *, enum subgraph) = rank->backend->search->probes;
    trace->counts_probes = probes != NULL;
    for (uint32_t i = 0; i < rank->device_count; i++) {
        const struct device_level *level = &bfs->levels[i];
        trace_device(trace, &level->work, &level->plan.directions, bfs->options.timed ? &level->times : NULL);
        for (int g = 0; probes != NULL && g < SUBGRAPHS; g++) {
            if (level->work.of[g].frontier > 0 && level->plan.directions.of[g] == PULL)
                trace->counts.probes[g] += probes(rank->devices[i], (enum subgraph)g);
        }
    }
}

static void note_level(const struct bfs *bfs, const struct level_trace *trace)
{
    bfs->times->compute_s += trace->compute_s;
    bfs->times->exchange_s += trace->exchange_s;
    bfs->times->iterations++;
    bfs->times->mask_reductions += (uint32_t)trace->exchange.reduced_masks;
    bfs->times->sent_vertices += trace->exchange.counts.of[COUNT_SENT_VERTICES];
    if (bfs->log != NULL)
        level_log_add(bfs->log, trace);
}

/* ---- the levels ---- */

/* Whether the search ends before the visit: this depth is the last one wanted, or the frontier of a
 * device that is alone is empty. */
static int is_over(const struct bfs *bfs, int32_t depth)
{
    return depth == bfs->options.deepest ||
           (rank_is_single_device(bfs->rank) && depth > 0 && bfs->levels[0].work.fresh == 0);
}

static enum status search_levels(void *context, const struct host_thread *m, struct error *e)
{
    struct bfs *bfs = context;
    int alone = rank_is_single_device(bfs->rank), done = 0;
    start(bfs, m, e);
    for (int32_t depth = 0; !done && e->status == ST_OK; depth++) {
        struct level_trace trace = {0};
        double begun = cli_seconds();
        previsit(bfs, m, depth, e);
        count_work(bfs, m, e);
        if (group_barrier(&bfs->exchange->group, m, e) != ST_OK || is_over(bfs, depth))
            break;
        choose(bfs, m, e);
        if (e->status == ST_OK)
            visit(bfs, m, &trace.exchange, e);
        if (exchange_overlaps(bfs->exchange))
            exchange_begin_masks(bfs->exchange, m, &trace.exchange, e);
        if (!alone || bfs->options.timed)
            finish(bfs, m, e);
        if (group_barrier(&bfs->exchange->group, m, e) != ST_OK)
            break;
        trace_visits(bfs, &trace);
        double visited = cli_seconds();
        if (!alone)
            exchange(bfs, m, depth, &done, &trace.exchange, e);
        else if (bfs->rank->backend->search->keep_updates != NULL)
            bfs->rank->backend->search->keep_updates(bfs->rank->devices[0]);
        trace.compute_s = visited - begun;
        trace.exchange_s = cli_seconds() - visited;
        if (m->number == 0 && e->status == ST_OK)
            note_level(bfs, &trace);
    }
    return e->status;
}

static enum status bfs_open(struct bfs *bfs, const struct rank *rank, struct exchange *exchange,
                            const struct bfs_options *options, struct error *e)
{
    *bfs = (struct bfs){.rank = rank, .exchange = exchange, .options = *options};
    bfs->levels = zeroed(rank->device_count, sizeof *bfs->levels, "devices", e);
    return e->status;
}

static void bfs_close(struct bfs *bfs)
{
    free(bfs->levels);
}

/* Whether devices may run all levels by themselves. Only the level loop follows factors, and it is quick with a root that
 * is found alone. */
static int may_run_by_themselves(const struct bfs *bfs)
{
    return !bfs->options.policy.factors_given && bfs->root->at != ROOT_AT_ISOLATED && bfs->options.deepest > 0 &&
           (rank_is_single_device(bfs->rank) || exchange_is_free(bfs->exchange));
}

static enum status begin_on(void *context, uint32_t device, struct error *e)
{
    const struct bfs *bfs = context;
    const struct rank *rank = bfs->rank;
    return rank->backend->fused->begin(rank->devices[device], bfs->root, bfs->options.policy.mode, bfs->log != NULL, e);
}

/* *done: the devices ran all levels. */
static enum status run_by_themselves(struct bfs *bfs, int *done, struct error *e)
{
    const struct rank *rank = bfs->rank;
    const struct backend_fused *fused = rank->backend->fused;
    const int noted = bfs->log != NULL;
    uint32_t *levels = &bfs->times->iterations;
    double start = cli_seconds();
    if (rank_is_single_device(rank))
        fused->run(rank->devices[0], bfs->root, bfs->options.policy.mode, noted, levels, e);
    else if (rank_each(rank, begin_on, bfs, e) == ST_OK)
        fused->await(rank->devices, rank->device_count, noted, levels, e);
    bfs->times->compute_s = cli_seconds() - start;
    *done = bfs->times->iterations > 0;
    bfs->noted = *done && bfs->log != NULL;
    return e->status;
}

static enum status wake_devices(void *context, const struct host_thread *m, struct error *e)
{
    const struct rank *rank = ((const struct bfs *)context)->rank;
    for (uint32_t i = m->first; i < m->end && e->status == ST_OK; i++)
        rank->backend->peers->wake(rank->devices[i], e);
    return e->status;
}

/* The team does this, which wakes its threads, too: they sleep if they wait for long. */
static enum status bfs_prepare(struct bfs *bfs, struct error *e)
{
    if (bfs->rank->backend->peers->wake == NULL)
        return ST_OK;
    return host_threads_run(bfs->rank->host_threads, wake_devices, bfs, e);
}

static enum status bfs_search(struct bfs *bfs, const struct root *root, struct bfs_times *times, struct level_log *log,
                              struct error *e)
{
    int done = 0;
    *times = (struct bfs_times){0};
    bfs->root = root;
    bfs->times = times;
    bfs->log = log;
    bfs->noted = 0;
    if (may_run_by_themselves(bfs) && (run_by_themselves(bfs, &done, e) != ST_OK || done))
        return e->status;
    return host_threads_run(bfs->rank->host_threads, search_levels, bfs, e);
}

/* ---- levels of devices that ran by themselves ---- */

/* The log of the notes so far, of all devices of this rank. */
struct noted_levels {
    const struct bfs *bfs;
    struct level_log *log;
};

/* Adds the note of a device. The level took as long as its slowest device. */
static void add_note(const struct bfs *bfs, struct level_trace *trace, const struct level_note *note)
{
    uint64_t *count = trace->exchange.counts.of;
    trace_device(trace, &note->work, &note->directions, bfs->options.timed ? &note->times : NULL);
    trace->kind = note->kind;
    trace->counts_probes = 1;
    trace->compute_s = note->seconds > trace->compute_s ? note->seconds : trace->compute_s;
    count[COUNT_PEER_VERTICES] += note->peer_vertices;
    count[COUNT_PEER_BYTES] += note->peer_bytes;
    for (int g = 0; g < SUBGRAPHS; g++)
        trace->counts.probes[g] += note->probes[g];
}

static void keep_note(void *context, int32_t depth, const struct level_note *note)
{
    struct noted_levels *noted = context;
    const struct level_trace none = {0};
    if ((uint32_t)depth == noted->log->count)
        level_log_add(noted->log, &none);
    if (!noted->log->failed)
        add_note(noted->bfs, &noted->log->level[depth], note);
}

static enum status bfs_log_rest(struct bfs *bfs, struct level_log *log, struct error *e)
{
    const struct rank *rank = bfs->rank;
    struct noted_levels noted = {bfs, log};
    for (uint32_t i = 0; bfs->noted && i < rank->device_count && e->status == ST_OK; i++)
        rank->backend->fused->replay_levels(rank->devices[i], keep_note, &noted, e);
    return e->status;
}

const struct bfs_method bfs_by_levels = {
    .open = bfs_open, .close = bfs_close, .prepare = bfs_prepare, .search = bfs_search, .log_rest = bfs_log_rest};
