/* loop.c: one search, level by level (figures 3 and 4 of Pan et al.); see loop.h
 *
 * A search takes one of two ways, which find the same distances:
 * - Devices run all levels by themselves (backend.search_begin): a single device, or several that read each other's memory.
 *   They note levels if there is a log. They do not if direction factors or, for several, a form of vertices is given.
 * - Otherwise the loop runs the steps of each level (search_levels). It is the reference for the other way.
 *
 * Each host thread (host_threads.h) runs search_levels for the devices that it drives. A level has five steps:
 *   previsit  the vertices that the last level found become the frontier, except those visited before
 *   choose    push or pull, for each subgraph
 *   visit     dd and nd find delegates; dn and nn find normals
 *   reduce    the delegates that any device found become known to every device
 *   exchange  the normals that nn found become known to the devices that own them
 * If ranks send messages, the next level begins between the last two: its delegates are known, so dd is visited, or the
 * first part of a pull of dd (run_ahead).
 *
 * Why all vertices are found: a delegate is known to every device, a normal vertex to its owner. When level L begins,
 * 1. vertices at a distance below L have their visited bit wherever they are known;
 * 2. vertices at distance L are known as found, and are about to become the frontier;
 * 3. no other vertex has been found.
 * Every edge from the frontier is a row entry of a device that knows the row as frontier, so pushes find every vertex at
 * distance L + 1. Pulls find the same vertices from the other end: the reverse of an edge is on the same device, except for
 * nn, before whose pull devices get the frontiers of all others. The search ends with the first level in which no device
 * finds anything, or before the visit at the depth where it is to end.
 *
 * Barriers: the host threads of all devices that read each other's memory (exchange/group.h) wait for each other twice a
 * level, where a device needs results of another one:
 * - after counting: every device has read what others found for it, so that they may overwrite it;
 * - after finishing: every device has found its vertices, so that the exchange may read them.
 * There is another barrier between the two parts of a pull of dd (enum visit_part), and one before nn is pulled. Ranks that
 * send messages reduce masks between the parts, if many rows are pulled.
 *
 * A single device exchanges nothing, and the host waits for it once a level, for its counts. The cost of a level is the work
 * of its frontier and some passes over masks. Nothing else is proportional to n.
 *
 * After a failure a host thread skips all steps up to the next barrier, where the others get the failure.
 */
#include "loop.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- previsit: the frontier, and its work ---- */

/* Directions follow factors if the user gave some, or if the backend predicts no costs. */
static int follows_factors(const struct bfs *bfs)
{
    return !bfs->rank->backend->knows_costs || bfs->options.policy.factors_given;
}

/* Whether a choice by factors, of a direction or of a form of nn's vertices, needs the exact forward workload of g. */
static int needs_forward(const struct bfs *bfs, enum subgraph g, const struct subgraph_work *work, enum direction current)
{
    if (!follows_factors(bfs))
        return 0;
    return direction_needs_forward(&bfs->options.policy, g, work, current) ||
           (g == NN && !rank_is_single_device(bfs->rank) && exchange_needs_forward(bfs->exchange, work));
}

/* Makes the frontiers of a thread's devices, and puts their work where the group sees it. */
static void previsit(struct bfs *bfs, const struct host_thread *t, int32_t depth, struct error *e)
{
    const struct backend *backend = bfs->rank->backend;
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++)
        backend->previsit(bfs->rank->devices[i], depth, e); /* begins on all, before the first is waited for */
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++) {
        struct device_level *level = &bfs->levels[i];
        const struct subgraph_work dd = level->work.of[DD];
        backend->counts(bfs->rank->devices[i], &level->work, e);
        if (level->ahead)
            level->work.of[DD] = dd; /* previsit_ahead has counted it */
        for (int g = 0; g < SUBGRAPHS && e->status == ST_OK; g++) {
            struct subgraph_work *work = &level->work.of[g];
            if ((g != DD || !level->ahead) && needs_forward(bfs, (enum subgraph)g, work, level->plan.directions.of[g]))
                backend->count_forward(bfs->rank->devices[i], (enum subgraph)g, &work->forward, e);
        }
        *exchange_work(bfs->exchange, i) = level->work;
    }
}

/* ---- choose ---- */

static enum direction direction_of(const struct bfs *bfs, enum subgraph g, const struct subgraph_work *work,
                                   enum direction current)
{
    return follows_factors(bfs) ? choose_direction(&bfs->options.policy, g, work, current)
                                : direction_by_cost(bfs->options.policy.mode, work);
}

/* The part of dd that is visited first, once its direction is chosen. `dd`: the work of all devices of the group. */
static enum visit_part first_part(const struct bfs *bfs, const struct device_level *level, const struct subgraph_work *dd)
{
    return level->plan.directions.of[DD] == PULL && dd->frontier > 0 && exchange_has_parts(bfs->exchange, level->ahead, dd)
               ? VISIT_FIRST
               : VISIT_WHOLE;
}

/* Chooses for each subgraph by itself (section IV-B). Each device chooses alone for nd and dn. Peers choose alike for dd,
 * which they pull in parts, and for nn, whose frontiers they give each other. */
static void choose(struct bfs *bfs, const struct host_thread *t, struct error *e)
{
    struct workload total;
    const int single = rank_is_single_device(bfs->rank);
    exchange_sum_work(bfs->exchange, t, &total, e);
    const int may_pull_nn =
        single || (total.of[NN].frontier > 0 && exchange_may_pull_nn(bfs->exchange, &total.of[NN]));
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++) {
        struct device_level *level = &bfs->levels[i];
        enum direction *direction = level->plan.directions.of;
        for (int g = 0; g < SUBGRAPHS; g++) {
            const struct subgraph_work *work = g == NN || g == DD ? &total.of[g] : &level->work.of[g];
            if (g != DD || !level->ahead)
                direction[g] = direction_of(bfs, (enum subgraph)g, work, direction[g]);
        }
        if (!may_pull_nn)
            direction[NN] = PUSH;
        level->plan.form = exchange_form_of(bfs->exchange, &total.of[NN]);
        if (!single && !level->ahead)
            level->plan.part = first_part(bfs, level, &total.of[DD]);
        for (int g = 0; bfs->options.counts_edges && g < SUBGRAPHS && e->status == ST_OK; g++) { /* for a trace */
            struct subgraph_work *work = &level->work.of[g];
            if (work->frontier > 0 && !(g == DD && level->ahead))
                bfs->rank->backend->count_forward(bfs->rank->devices[i], (enum subgraph)g, &work->forward, e);
        }
    }
}

/* ---- visit ---- */

static void visit_part(struct bfs *bfs, const struct host_thread *t, struct error *e)
{
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++)
        bfs->rank->backend->visit(bfs->rank->devices[i], &bfs->levels[i].plan, e);
}

/* Visits the subgraphs by the plans of all devices of the group, which agree in the conditions tested here. Another group's
 * visit may have parts where this one's has none: this group takes part in the reduction between them. */
static void visit(struct bfs *bfs, const struct host_thread *t, struct exchange_stats *stats, struct error *e)
{
    const struct visit_plan *plan = &bfs->levels[t->first].plan;
    if (plan->directions.of[NN] == PULL && !rank_is_single_device(bfs->rank))
        exchange_frontier(bfs->exchange, t, stats, e);
    visit_part(bfs, t, e);
    if (plan->part == VISIT_FIRST || bfs->exchange->in_parts)
        exchange_join_parts(bfs->exchange, t, stats, e);
    if (plan->part == VISIT_WHOLE || e->status != ST_OK)
        return;
    for (uint32_t i = t->first; i < t->end; i++)
        bfs->levels[i].plan.part = VISIT_REST;
    visit_part(bfs, t, e);
}

/* Waits for the visits, and puts what they found where the group sees it. */
static void finish(struct bfs *bfs, const struct host_thread *t, struct error *e)
{
    exchange_drive(bfs->exchange, t);
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++) {
        struct device_level *level = &bfs->levels[i];
        if (bfs->rank->backend->finish(bfs->rank->devices[i], &level->result, e) == ST_OK)
            group_put_result(&bfs->exchange->group, i, &level->result);
        level->ahead = 0;
    }
}

/* ---- reduce and exchange ---- */

/* Begins the next level with dd while vertices are under way between ranks. The group chooses whether dd has parts;
 * `choose` then tells the other groups. */
static void run_ahead(struct bfs *bfs, const struct host_thread *t, int32_t depth, struct error *e)
{
    const struct backend *backend = bfs->rank->backend;
    struct subgraph_work total;
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++) {
        struct device_level *level = &bfs->levels[i];
        struct subgraph_work *dd = &level->work.of[DD];
        level->ahead = 1;
        if (backend->previsit_ahead(bfs->rank->devices[i], depth, dd, e) == ST_OK && dd->frontier > 0 &&
            (bfs->options.counts_edges || needs_forward(bfs, DD, dd, level->plan.directions.of[DD])))
            backend->count_forward(bfs->rank->devices[i], DD, &dd->forward, e);
        exchange_work(bfs->exchange, i)->of[DD] = *dd;
    }
    if (group_barrier(&bfs->exchange->group, t, e) != ST_OK)
        return;
    exchange_sum(bfs->exchange, DD, &total);
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++) {
        struct visit_plan *plan = &bfs->levels[i].plan;
        plan->directions.of[DD] = direction_of(bfs, DD, &total, plan->directions.of[DD]);
        plan->part = first_part(bfs, &bfs->levels[i], &total);
        backend->visit_ahead(bfs->rank->devices[i], plan, e);
    }
    if (t->number == 0)
        bfs->exchange->in_parts = bfs->levels[t->first].plan.part == VISIT_FIRST;
}

/* Makes delegates and normals known where they have to be. *done: no device of any rank found any. */
static void exchange(struct bfs *bfs, const struct host_thread *t, int32_t depth, int *done,
                     struct exchange_stats *stats, struct error *e)
{
    if (exchange_masks(bfs->exchange, t, done, stats, e) != ST_OK)
        return;
    const double begun = cli_seconds();
    const int ahead = !*done && depth + 1 < bfs->options.deepest && exchange_runs_ahead(bfs->exchange);
    if (ahead)
        run_ahead(bfs, t, depth + 1, e);
    if (host_threads_barrier(t, e) == ST_OK)
        exchange_vertices(bfs->exchange, t, stats, e);
    if (ahead)
        stats->times.phase_s[PHASE_AHEAD] = cli_seconds() - begun;
}

/* ---- the trace of a level ---- */

/* Adds the work of a device, and of each phase the time of the slowest device. times == NULL: not measured. */
static void trace_device(struct level_trace *trace, const struct workload *work, const struct directions *directions,
                         const struct breakdown *times)
{
    struct level_counts *counts = &trace->counts;
    double *slowest = trace->exchange.times.phase_s;
    counts->fresh += work->fresh;
    counts->delegates += work->delegates;
    for (int g = 0; g < SUBGRAPHS; g++) {
        const struct subgraph_work *of = &work->of[g];
        if (of->frontier == 0)
            continue;
        const int pulls = directions->of[g] == PULL;
        counts->frontier[g] += of->frontier;
        counts->forward[g] += of->forward;
        trace->backward[g] += backward_work(of);
        counts->pushed[g] += pulls ? 0 : of->forward;
        counts->pulling[g] += (uint64_t)pulls;
    }
    for (int i = 0; times != NULL && i < PHASES; i++)
        slowest[i] = times->phase_s[i] > slowest[i] ? times->phase_s[i] : slowest[i];
}

/* Adds the work of the devices of this rank, when they have finished. */
static void trace_visits(const struct bfs *bfs, struct level_trace *trace)
{
    trace->counts_probes = bfs->rank->backend->counts_probes;
    for (uint32_t i = 0; i < bfs->rank->device_count; i++) {
        const struct device_level *level = &bfs->levels[i];
        trace_device(trace, &level->work, &level->plan.directions, bfs->options.timed ? &level->result.times : NULL);
        for (int g = 0; trace->counts_probes && g < SUBGRAPHS; g++) {
            if (level->work.of[g].frontier > 0 && level->plan.directions.of[g] == PULL)
                trace->counts.probes[g] += level->result.probes[g];
        }
    }
}

/* ---- all levels ---- */

/* Whether the search ends before the visit: at the last depth that is wanted, or with the empty frontier of a single
 * device. */
static int ends_before_visit(const struct bfs *bfs, int32_t depth)
{
    return depth == bfs->options.deepest ||
           (rank_is_single_device(bfs->rank) && depth > 0 && bfs->levels[0].work.fresh == 0);
}

/* Job of a host thread: all levels of a search, for the thread's devices. */
static enum status search_levels(void *context, const struct host_thread *t, struct error *e)
{
    struct bfs *bfs = context;
    const struct backend *backend = bfs->rank->backend;
    struct group *group = &bfs->exchange->group;
    const int single = rank_is_single_device(bfs->rank), wants_results = bfs->options.timed || bfs->log != NULL;
    int done = 0;
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++) {
        bfs->levels[i] = (struct device_level){.ahead = 0}; /* all push */
        backend->start(bfs->rank->devices[i], bfs->root, e);
    }
    for (int32_t depth = 0; !done && e->status == ST_OK; depth++) {
        struct level_trace trace = {0};
        const double begun = cli_seconds();
        previsit(bfs, t, depth, e);
        if (group_barrier(group, t, e) != ST_OK || ends_before_visit(bfs, depth))
            break;
        choose(bfs, t, e);
        if (e->status == ST_OK)
            visit(bfs, t, &trace.exchange, e);
        if (exchange_overlaps(bfs->exchange)) /* delegates are reduced while normals are looked for */
            exchange_begin_masks(bfs->exchange, t, &trace.exchange, e);
        if (!single || wants_results)
            finish(bfs, t, e);
        if (group_barrier(group, t, e) != ST_OK)
            break;
        trace_visits(bfs, &trace); /* before run_ahead changes the work of dd */
        const double visited = cli_seconds();
        if (single)
            backend->keep_updates(bfs->rank->devices[0]);
        else
            exchange(bfs, t, depth, &done, &trace.exchange, e);
        if (t->number > 0 || e->status != ST_OK)
            continue;
        trace.compute_s = visited - begun;
        trace.exchange_s = cli_seconds() - visited;
        bfs->times->compute_s += trace.compute_s;
        bfs->times->exchange_s += trace.exchange_s;
        bfs->times->iterations++;
        bfs->times->mask_reductions += (uint32_t)trace.exchange.reduced_masks;
        bfs->times->sent_vertices += trace.exchange.counts.of[COUNT_SENT_VERTICES];
        if (bfs->log != NULL)
            level_log_add(bfs->log, &trace);
    }
    return e->status;
}

/* ---- all levels by the devices themselves ---- */

/* Whether devices may run all levels. The loop alone follows factors, and is quick with a root without edges. */
static int may_run_fused(const struct bfs *bfs)
{
    return exchange_is_fused(bfs->exchange) && !bfs->options.policy.factors_given && bfs->root->at != ROOT_AT_ISOLATED &&
           bfs->options.deepest > 0;
}

static enum status begin_fused(void *context, uint32_t device, struct error *e)
{
    const struct bfs *bfs = context;
    return bfs->rank->backend->search_begin(bfs->rank->devices[device], bfs->root, bfs->options.policy.mode,
                                            bfs->log != NULL, e);
}

static enum status search_fused(struct bfs *bfs, struct error *e)
{
    const struct rank *rank = bfs->rank;
    const double start = cli_seconds();
    bfs->noted = bfs->log != NULL;
    if (rank_each(rank, begin_fused, bfs, e) == ST_OK)
        rank->backend->search_end(rank->devices, rank->device_count, bfs->noted, &bfs->times->iterations, e);
    bfs->times->compute_s = cli_seconds() - start;
    return e->status;
}

/* Adds a device's note of a level to the log. The level took as long as its slowest device. */
static void add_note(void *context, int32_t depth, const struct level_note *note)
{
    const struct bfs *bfs = context;
    const struct level_trace none = {0};
    if ((uint32_t)depth == bfs->log->count)
        level_log_add(bfs->log, &none);
    if (bfs->log->failed)
        return;
    struct level_trace *trace = &bfs->log->level[depth];
    trace_device(trace, &note->work, &note->directions, bfs->options.timed ? &note->times : NULL);
    trace->kind = note->kind;
    trace->counts_probes = 1;
    trace->compute_s = note->seconds > trace->compute_s ? note->seconds : trace->compute_s;
    trace->exchange.counts.of[COUNT_PEER_VERTICES] += note->peer_vertices;
    trace->exchange.counts.of[COUNT_PEER_BYTES] += note->peer_bytes;
    for (int g = 0; g < SUBGRAPHS; g++)
        trace->counts.probes[g] += note->probes[g];
}

/* ---- the method (loop.h has the contracts) ---- */

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

/* Job of a host thread: wakes the devices that it drives. The call to the job wakes the thread, which sleeps after a long
 * wait. */
static enum status wake_devices(void *context, const struct host_thread *t, struct error *e)
{
    const struct bfs *bfs = context;
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++)
        bfs->rank->backend->wake(bfs->rank->devices[i], e);
    return e->status;
}

static enum status bfs_prepare(struct bfs *bfs, struct error *e)
{
    return host_threads_run(bfs->rank->host_threads, wake_devices, bfs, e);
}

static enum status bfs_search(struct bfs *bfs, const struct root *root, struct bfs_times *times, struct level_log *log,
                              struct error *e)
{
    *times = (struct bfs_times){0};
    bfs->root = root;
    bfs->times = times;
    bfs->log = log;
    bfs->noted = 0;
    return may_run_fused(bfs) ? search_fused(bfs, e) : host_threads_run(bfs->rank->host_threads, search_levels, bfs, e);
}

static enum status bfs_log_rest(struct bfs *bfs, struct error *e)
{
    const struct rank *rank = bfs->rank;
    for (uint32_t i = 0; bfs->noted && i < rank->device_count && e->status == ST_OK; i++)
        rank->backend->replay_levels(rank->devices[i], add_note, bfs, e);
    return e->status;
}

const struct bfs_method bfs_by_levels = {
    .open = bfs_open, .close = bfs_close, .prepare = bfs_prepare, .search = bfs_search, .log_rest = bfs_log_rest};
