/* loop.c: one search, level by level (figures 3 and 4 of Pan et al.); see loop.h
 *
 * A search takes one of two ways, which find the same distances:
 * - Devices run all levels by themselves (backend.search_begin): a single device, or several that read each other's memory.
 *   Devices note their levels if there is a log. This way is not taken if direction factors are given. Several devices do
 *   not take it either if a form of vertices is given.
 * - Otherwise the loop runs the steps of each level (search_levels). The loop is the reference for the first way.
 *
 * Each host thread (host_threads.h) runs search_levels for the devices that it drives. A level has five steps:
 *   previsit  the vertices that the last level found become the frontier, except vertices visited before
 *   choose    push or pull, for each subgraph
 *   visit     dd and nd find delegates; dn and nn find normals
 *   reduce    the delegates that any device found become known to every device
 *   exchange  the normals that nn found become known to the devices that own them
 * If ranks send messages, the next level begins between `reduce` and `exchange` (run_ahead). Its delegates are known by
 * then. So dd is visited, or the first part of a pull of dd.
 *
 * Why all vertices are found: a delegate is known to every device, and a normal vertex to its owner. When level L begins,
 * 1. vertices at a distance below L have their visited bit on every device that knows them;
 * 2. vertices at distance L are known as found, and are about to become the frontier;
 * 3. no other vertex has been found.
 * Every edge from the frontier is a row entry of a device that knows the row as frontier. So pushes find every vertex at
 * distance L + 1. Pulls find the same vertices from the other end, because the reverse of an edge is on the same device.
 * Only the reverse of an nn edge may be on another device. So devices get the frontiers of all other devices before a pull
 * of nn. The search ends with the first level in which no device finds anything, or before the visit at the depth where it
 * is to end.
 *
 * Barriers: the host threads of all devices that read each other's memory (exchange/group.h) wait for each other twice a
 * level, where a device needs results of another device:
 * - after counting: every device has read what other devices found for it, so the other devices may overwrite that memory;
 * - after finishing: every device has found its vertices, so the exchange may read them.
 * There is another barrier between the two parts of a pull of dd (enum visit_part), and another one before nn is pulled.
 * Ranks that send messages reduce masks between the parts, if many rows are pulled.
 *
 * A single device exchanges nothing. The host waits for the device once a level, for its counts. The cost of a level is the
 * work of its frontier and some passes over masks. Nothing else is proportional to n.
 *
 * After a failure a host thread skips all steps up to the next barrier, where the other threads get the failure.
 */
#include "loop.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- previsit: the frontier, and its work ---- */

/* Returns whether directions follow factors: if the user gave factors, or if the backend predicts no costs. */
static int follows_factors(const struct bfs *bfs)
{
    return !bfs->rank->backend->knows_costs || bfs->options.policy.factors_given;
}

/* Returns whether a previsit of these kinds of vertices counts the work of subgraph g. A previsit of delegates alone counts
 * dd alone. A previsit of normals alone counts the other subgraphs. */
static int is_counted(enum subgraph g, enum vertex_kinds kinds)
{
    return kinds == BOTH_KINDS || (kinds == ONLY_DELEGATES) == (g == DD);
}

/* Counts the frontier's edges on device i exactly, in the subgraphs where a choice by factors needs the number: the choice
 * of a direction, or of the form of nn's vertices. Changes levels[i].work. Does nothing if directions do not follow
 * factors. */
static void count_needed_edges(struct bfs *bfs, uint32_t i, enum vertex_kinds kinds, struct error *e)
{
    struct device_level *level = &bfs->levels[i];
    int needed[SUBGRAPHS], any = 0;
    for (int n = 0; n < SUBGRAPHS; n++) {
        const enum subgraph g = (enum subgraph)n;
        const struct subgraph_work *work = &level->work.of[g];
        needed[g] = is_counted(g, kinds) && follows_factors(bfs) &&
                    (direction_needs_forward(&bfs->options.policy, g, work, level->plan.directions.of[g]) ||
                     (g == NN && !rank_is_single_device(bfs->rank) && exchange_needs_forward(bfs->exchange, work)));
        any |= needed[g];
    }
    if (any)
        bfs->rank->backend->count_edges(bfs->rank->devices[i], needed, &level->work, e);
}

/* Counts the frontier's edges on device i exactly for a trace, if the options ask for it. Changes levels[i].work. Called
 * after directions are chosen, so that the exact numbers change no choice. */
static void count_traced_edges(struct bfs *bfs, uint32_t i, enum vertex_kinds kinds, struct error *e)
{
    struct workload *work = &bfs->levels[i].work;
    int traced[SUBGRAPHS];
    for (int g = 0; g < SUBGRAPHS; g++)
        traced[g] = is_counted((enum subgraph)g, kinds) && work->of[g].frontier > 0;
    if (bfs->options.counts_edges && e->status == ST_OK)
        bfs->rank->backend->count_edges(bfs->rank->devices[i], traced, work, e);
}

/* Makes the frontiers of the thread's devices, of these kinds of vertices, and gives these vertices the depth `depth`.
 * Copies the work of each device to levels[].work and to the place where the group sees it. */
static void previsit(struct bfs *bfs, const struct host_thread *t, enum vertex_kinds kinds, int32_t depth, struct error *e)
{
    const struct rank *rank = bfs->rank;
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++)
        rank->backend->previsit(rank->devices[i], kinds, depth, e); /* begins on all, before the first is waited for */
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++) {
        if (rank->backend->counts(rank->devices[i], &bfs->levels[i].work, e) == ST_OK)
            count_needed_edges(bfs, i, kinds, e);
        *exchange_work(bfs->exchange, i) = bfs->levels[i].work;
    }
}

/* ---- choose ---- */

/* Returns the direction of g from the counts `work`, by factors or by predicted costs. `current`: the direction of the last
 * visit of g. */
static enum direction direction_of(const struct bfs *bfs, enum subgraph g, const struct subgraph_work *work,
                                   enum direction current)
{
    return follows_factors(bfs) ? choose_direction(&bfs->options.policy, g, work, current)
                                : direction_by_cost(bfs->options.policy.mode, work);
}

/* Sets in *plan the direction of dd, and whether a pull of dd is divided into two parts. `dd`: the sum of the work of all
 * devices of the group. `ahead`: the level begins with dd while vertices are under way (run_ahead). */
static void choose_dd(const struct bfs *bfs, struct visit_plan *plan, const struct subgraph_work *dd, int ahead)
{
    plan->directions.of[DD] = direction_of(bfs, DD, dd, plan->directions.of[DD]);
    plan->divides_dd =
        plan->directions.of[DD] == PULL && dd->frontier > 0 && exchange_has_parts(bfs->exchange, ahead, dd);
}

/* Sets the plans of the thread's devices: a direction for each subgraph by itself (section IV-B), and the form of vertices
 * that leave. The direction of dd is left alone if dd is under way (`kinds` is ONLY_NORMALS). Each device chooses by its
 * own work for nd and dn. Peers choose alike, by the sum of their work, for dd, which they may pull in parts, and for nn,
 * whose frontiers they share. All threads must call this function, as the work is summed. */
static void choose_directions(struct bfs *bfs, const struct host_thread *t, enum vertex_kinds kinds, struct error *e)
{
    struct workload total;
    exchange_sum_work(bfs->exchange, t, &total, e);
    const struct subgraph_work *nn = &total.of[NN];
    const int may_pull_nn =
        rank_is_single_device(bfs->rank) || (nn->frontier > 0 && exchange_may_pull_nn(bfs->exchange, nn));
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++) {
        struct visit_plan *plan = &bfs->levels[i].plan;
        const struct workload *own = &bfs->levels[i].work;
        enum direction *direction = plan->directions.of;
        if (kinds == BOTH_KINDS)
            choose_dd(bfs, plan, &total.of[DD], 0);
        direction[DN] = direction_of(bfs, DN, &own->of[DN], direction[DN]);
        direction[ND] = direction_of(bfs, ND, &own->of[ND], direction[ND]);
        direction[NN] = may_pull_nn ? direction_of(bfs, NN, nn, direction[NN]) : PUSH;
        plan->form = exchange_form_of(bfs->exchange, nn);
        count_traced_edges(bfs, i, kinds, e);
    }
}

/* ---- visit ---- */

/* Begins a part of the visit on the thread's devices, by their plans. Does not wait for the visit. Does nothing if *e has
 * failed. */
static void visit_part(struct bfs *bfs, const struct host_thread *t, enum visit_part part, struct error *e)
{
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++)
        bfs->rank->backend->visit(bfs->rank->devices[i], &bfs->levels[i].plan, part, e);
}

/* Begins the visit of all subgraphs on the thread's devices. finish_visits waits for the visit. If `kinds` is ONLY_NORMALS,
 * dd is under way and is not begun again. Before a pull of nn the frontiers are exchanged. Between the two parts of a
 * divided dd the delegates that were found become known. Another group may divide dd where this group does not: this group
 * takes part in the reduction between the parts. Reads the conditions in the first device's plan, as all plans of the group
 * agree in them. */
static void begin_visits(struct bfs *bfs, const struct host_thread *t, enum vertex_kinds kinds, struct exchange_stats *stats,
                         struct error *e)
{
    const struct visit_plan *plan = &bfs->levels[t->first].plan;
    if (kinds == BOTH_KINDS)
        visit_part(bfs, t, VISIT_DD, e);
    if (plan->directions.of[NN] == PULL && !rank_is_single_device(bfs->rank))
        exchange_frontier(bfs->exchange, t, stats, e);
    visit_part(bfs, t, VISIT_OTHERS, e);
    if (plan->divides_dd || bfs->exchange->in_parts)
        exchange_join_parts(bfs->exchange, t, stats, e);
    if (plan->divides_dd)
        visit_part(bfs, t, VISIT_REST, e);
}

/* Waits for the visits of the thread's devices, sets levels[].result, and puts the results where the group sees them.
 * During the wait thread 0 drives a reduction of masks that is under way. Waits for nothing if *e has failed. */
static void finish_visits(struct bfs *bfs, const struct host_thread *t, struct error *e)
{
    struct group *group = &bfs->exchange->group;
    exchange_drive(bfs->exchange, t, e);
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++) {
        struct visit_result *result = &bfs->levels[i].result;
        result->outgoing = group_outgoing(group, i);
        if (bfs->rank->backend->finish(bfs->rank->devices[i], BOTH_KINDS, result, e) == ST_OK)
            group_put_result(group, i, result);
    }
}

/* ---- reduce and exchange ---- */

/* Begins level `depth` with dd while vertices of the level before are under way between ranks: makes the frontier of
 * delegates, chooses the direction of dd, and begins its visit. The group chooses alone whether dd is divided. Thread 0
 * writes this choice to exchange->in_parts, and choose_directions then tells the other groups. */
static void run_ahead(struct bfs *bfs, const struct host_thread *t, int32_t depth, struct error *e)
{
    struct subgraph_work total;
    previsit(bfs, t, ONLY_DELEGATES, depth, e);
    if (group_barrier(&bfs->exchange->group, t, e) != ST_OK)
        return;
    exchange_sum(bfs->exchange, DD, &total);
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++) {
        choose_dd(bfs, &bfs->levels[i].plan, &total, 1);
        count_traced_edges(bfs, i, ONLY_DELEGATES, e);
    }
    visit_part(bfs, t, VISIT_DD, e);
    if (t->number == 0)
        bfs->exchange->in_parts = bfs->levels[t->first].plan.divides_dd;
}

/* Ends a level: makes the delegates and normals that it found known to the devices that must know them. While vertices are
 * under way between ranks the next level may begin with dd. Sets *done to whether no device of any rank found a vertex.
 * Sets *next to the kinds of vertices that the next level must still previsit: ONLY_NORMALS if the next level has begun
 * with dd. Adds to the times in *stats. Does nothing more after a failure. */
static void end_level(struct bfs *bfs, const struct host_thread *t, int32_t depth, int *done, enum vertex_kinds *next,
                      struct exchange_stats *stats, struct error *e)
{
    if (exchange_masks(bfs->exchange, t, done, stats, e) != ST_OK)
        return;
    const double begun = cli_seconds();
    const int ahead = !*done && depth + 1 < bfs->options.deepest && exchange_runs_ahead(bfs->exchange);
    *next = ahead ? ONLY_NORMALS : BOTH_KINDS;
    if (ahead)
        run_ahead(bfs, t, depth + 1, e);
    if (host_threads_barrier(t, e) == ST_OK)
        exchange_vertices(bfs->exchange, t, stats, e);
    if (ahead)
        stats->times.phase_s[PHASE_AHEAD] = cli_seconds() - begun;
}

/* ---- the trace of a level ---- */

/* Adds the work of one device to the trace of a level. Raises the time of each phase to the device's time if that is
 * longer. `times`: NULL if times are not measured. Adds to the counts of the frontier, of its edges, and of pushing and
 * pulling devices, and to BV (the backward workload). */
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

/* Adds the work of all devices of this rank to the trace of a level, when the devices have finished. Sets whether probes
 * are counted, and adds the probes of pulls. */
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

/* Returns whether the search ends before the visit of this level: at the last depth that is wanted, or if the search has a
 * single device and the frontier of that device is empty. */
static int ends_before_visit(const struct bfs *bfs, int32_t depth)
{
    return depth == bfs->options.deepest ||
           (rank_is_single_device(bfs->rank) && depth > 0 && bfs->levels[0].work.fresh == 0);
}

/* Adds a level to the times of the search, and to the log if there is a log. Called by thread 0. Also counts the level and
 * its mask reductions and sent vertices in the times. */
static void record_level(struct bfs *bfs, const struct level_trace *trace)
{
    struct bfs_times *times = bfs->times;
    times->compute_s += trace->compute_s;
    times->exchange_s += trace->exchange_s;
    times->iterations++;
    times->mask_reductions += (uint32_t)trace->exchange.reduced_masks;
    times->sent_vertices += trace->exchange.counts.of[COUNT_SENT_VERTICES];
    if (bfs->log != NULL)
        level_log_add(bfs->log, trace);
}

/* Job of a host thread: runs all levels of a search from bfs->root on the thread's devices. Thread 0 records the levels. */
static enum status search_levels(void *context, const struct host_thread *t, struct error *e)
{
    struct bfs *bfs = context;
    struct group *group = &bfs->exchange->group;
    const int single = rank_is_single_device(bfs->rank), wants_results = bfs->options.timed || bfs->log != NULL;
    enum vertex_kinds kinds = BOTH_KINDS; /* the vertices that this level's previsit is still to make the frontier of */
    int done = 0;
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++) {
        bfs->levels[i] = (struct device_level){0}; /* all push */
        bfs->rank->backend->start(bfs->rank->devices[i], bfs->root, e);
    }
    for (int32_t depth = 0; !done && e->status == ST_OK; depth++) {
        struct level_trace trace = {0};
        const double begun = cli_seconds();
        previsit(bfs, t, kinds, depth, e);
        if (group_barrier(group, t, e) != ST_OK || ends_before_visit(bfs, depth))
            break;
        choose_directions(bfs, t, kinds, e);
        if (e->status == ST_OK)
            begin_visits(bfs, t, kinds, &trace.exchange, e);
        if (exchange_overlaps(bfs->exchange)) /* masks of delegates are reduced while normals are looked for */
            exchange_begin_masks(bfs->exchange, t, &trace.exchange, e);
        if (!single || wants_results)
            finish_visits(bfs, t, e);
        if (group_barrier(group, t, e) != ST_OK)
            break;
        trace_visits(bfs, &trace); /* before run_ahead changes the work of dd */
        const double visited = cli_seconds();
        if (!single)
            end_level(bfs, t, depth, &done, &kinds, &trace.exchange, e);
        trace.compute_s = visited - begun;
        trace.exchange_s = cli_seconds() - visited;
        if (t->number == 0 && e->status == ST_OK)
            record_level(bfs, &trace);
    }
    return e->status;
}

/* ---- all levels by the devices themselves ---- */

/* Returns whether the devices may run all levels of this search by themselves. The devices must be able to
 * (exchange_is_fused). The loop runs the search if factors are given, which only the loop follows. The loop also runs it,
 * as quickly, if the root has no edges, or if the search ends at depth 0. */
static int may_run_fused(const struct bfs *bfs)
{
    return exchange_is_fused(bfs->exchange) && !bfs->options.policy.factors_given && bfs->root->at != ROOT_AT_ISOLATED &&
           bfs->options.deepest > 0;
}

/* Step for one device: begins a search of all levels. Called by rank_each; the context is a struct bfs. */
static enum status begin_fused(void *context, uint32_t device, struct error *e)
{
    const struct bfs *bfs = context;
    return bfs->rank->backend->search_begin(bfs->rank->devices[device], bfs->root, bfs->options.policy.mode,
                                            bfs->log != NULL, e);
}

/* Runs a search that devices do by themselves: begins it on all devices, and waits for its end. Sets times->iterations and
 * times->compute_s, and bfs->noted if there is a log. */
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

/* Adds a device's note of the level at `depth` to the log, and appends the level if it is new there. The level's time
 * becomes the time of its slowest device. Called by replay_levels for each level in order; the context is a struct bfs.
 * Sets the kind of the level, and adds the device's counts, probes, and what it read of peers. */
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

/* Zeroes *bfs, sets what searches need, and allocates the level loop's state of each device. bfs_close frees the state, also
 * after a failure. */
static enum status bfs_open(struct bfs *bfs, const struct rank *rank, struct exchange *exchange,
                            const struct bfs_options *options, struct error *e)
{
    *bfs = (struct bfs){.rank = rank, .exchange = exchange, .options = *options};
    bfs->levels = zeroed(rank->device_count, sizeof *bfs->levels, "devices", e);
    return e->status;
}

/* Frees the state of the devices in the level loop. A zeroed bfs is allowed. */
static void bfs_close(struct bfs *bfs)
{
    free(bfs->levels);
}

/* Job of a host thread: wakes the devices that the thread drives. A thread sleeps after a long wait; the call to this job
 * wakes the thread itself. */
static enum status wake_devices(void *context, const struct host_thread *t, struct error *e)
{
    const struct bfs *bfs = context;
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++)
        bfs->rank->backend->wake(bfs->rank->devices[i], e);
    return e->status;
}

/* Wakes all devices and the host threads that drive them, before a search and its clock. */
static enum status bfs_prepare(struct bfs *bfs, struct error *e)
{
    return host_threads_run(bfs->rank->host_threads, wake_devices, bfs, e);
}

/* Searches from a root: devices run all levels by themselves if they may, otherwise the loop runs the levels. Sets *times.
 * `log`: NULL if levels are not wanted. Levels that devices noted are appended to the log only by bfs_log_rest. */
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

/* Appends the levels of the last search to the log, if the devices ran and noted them by themselves. */
static enum status bfs_log_rest(struct bfs *bfs, struct error *e)
{
    const struct rank *rank = bfs->rank;
    for (uint32_t i = 0; bfs->noted && i < rank->device_count && e->status == ST_OK; i++)
        rank->backend->replay_levels(rank->devices[i], add_note, bfs, e);
    return e->status;
}

const struct bfs_method bfs_by_levels = {
    .open = bfs_open, .close = bfs_close, .prepare = bfs_prepare, .search = bfs_search, .log_rest = bfs_log_rest};
