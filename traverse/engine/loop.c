/* loop.c: one search, level by level (figures 3 and 4 of Pan et al.); see loop.h
 *
 * A search runs in one of two ways. Both ways find the same distances:
 * - Devices run all levels by themselves (backend.search_begin). This is possible for a single device, and for several
 *   devices that read each other's memory. Devices note their levels if there is a log. Direction factors rule this way
 *   out. For several devices an option for the form of vertices rules it out, too.
 * - Otherwise the loop runs the steps of each level (search_levels). The loop is the reference for the first way.
 *
 * Each host thread (host_threads.h) runs search_levels for the devices that it drives. A level has five steps:
 *   previsit  the vertices that the last level found become the frontier, except vertices visited before
 *   choose    push or pull is chosen for each subgraph
 *   visit     dd and nd find delegates; dn and nn find normals
 *   reduce    the delegates that any device found become known to every device
 *   exchange  the normals that nn found become known to the devices that own them
 * If ranks send messages, the next level begins between `reduce` and `exchange` (run_ahead). At that time the delegates of
 * the next level are known. So dd is visited, or the first part of a divided pull of dd.
 *
 * Why all vertices are found: a delegate is known to every device, and a normal vertex is known to its owner. Three things
 * hold when level L begins:
 * 1. A vertex at a distance below L has its visited bit on every device that knows the vertex.
 * 2. A vertex at distance L is known as found, and is about to become part of the frontier.
 * 3. No other vertex has been found.
 * Each edge from the frontier is an entry of a row, and the device that has the row knows that the row is in the frontier.
 * So pushes find every vertex at distance L + 1. Pulls find the same vertices from the other end of the edges, because the
 * reverse of an edge is on the same device. Only the reverse of an nn edge may be on another device. So before a pull of nn
 * devices get the frontiers of all other devices. The search ends after the first level in which no device finds anything.
 * With a depth limit it ends before the visit at that depth.
 *
 * Barriers: the host threads of all devices that read each other's memory (exchange/group.h) wait for each other twice a
 * level, because a device needs results of another device:
 * - After the counts: every device has read what other devices found for it, so these devices may overwrite that memory.
 * - After the visits: every device has found its vertices, so the exchange may read them.
 * There is one more barrier between the two parts of a pull of dd (enum visit_part), and one more before a pull of nn.
 * Between the two parts ranks that send messages reduce masks, if many rows are pulled.
 *
 * A single device exchanges nothing. Once a level the host waits for the counts of the device. The cost of a level is the
 * work of its frontier and some passes over masks. Nothing else is proportional to n, the number of vertices.
 *
 * After a failure a host thread skips all steps up to the next barrier. There the other threads get the failure, too.
 */
#include "loop.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- previsit: the frontier, and its work ---- */

/* Returns whether directions are chosen by factors. This is so if the user gave factors, or if the backend predicts no
 * costs. */
static int follows_factors(const struct bfs *bfs)
{
    return !bfs->rank->backend->knows_costs || bfs->options.policy.factors_given;
}

/* Returns whether a previsit of these kinds of vertices counts the work of subgraph g. A previsit of delegates alone
 * counts only dd. A previsit of normals alone counts all other subgraphs. */
static int is_counted(enum subgraph g, enum vertex_kinds kinds)
{
    return kinds == BOTH_KINDS || (kinds == ONLY_DELEGATES) == (g == DD);
}

/* Counts the frontier's edges on device i exactly, in each subgraph in which a choice by factors needs the exact number.
 * The choice is that of a direction, or of the form of nn's vertices. Changes levels[i].work. Does nothing if directions
 * are not chosen by factors. */
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

/* Counts the frontier's edges on device i exactly for a trace, if the options ask for this. Changes levels[i].work.
 * Called after directions are chosen, so the exact numbers change no choice. */
static void count_traced_edges(struct bfs *bfs, uint32_t i, enum vertex_kinds kinds, struct error *e)
{
    struct workload *work = &bfs->levels[i].work;
    int traced[SUBGRAPHS];
    for (int g = 0; g < SUBGRAPHS; g++)
        traced[g] = is_counted((enum subgraph)g, kinds) && work->of[g].frontier > 0;
    if (bfs->options.counts_edges && e->status == ST_OK)
        bfs->rank->backend->count_edges(bfs->rank->devices[i], traced, work, e);
}

/* Makes the frontiers of the thread's devices from these kinds of vertices, and gives these vertices the depth `depth`.
 * Copies the work of each device to levels[].work, and to the memory that the group sees. */
static void previsit(struct bfs *bfs, const struct host_thread *t, enum vertex_kinds kinds, int32_t depth, struct error *e)
{
    const struct rank *rank = bfs->rank;
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++)
        rank->backend->previsit(rank->devices[i], kinds, depth, e); /* begins the previsits of all devices before the wait
                                                                     * for the first one */
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++) {
        if (rank->backend->counts(rank->devices[i], &bfs->levels[i].work, e) == ST_OK)
            count_needed_edges(bfs, i, kinds, e);
        *exchange_work(bfs->exchange, i) = bfs->levels[i].work;
    }
}

/* ---- choose ---- */

/* Returns the direction of g, chosen from the counts `work` by factors or by predicted costs. `current`: the direction of
 * the last visit of g. */
static enum direction direction_of(const struct bfs *bfs, enum subgraph g, const struct subgraph_work *work,
                                   enum direction current)
{
    return follows_factors(bfs) ? choose_direction(&bfs->options.policy, g, work, current)
                                : direction_by_cost(bfs->options.policy.mode, work);
}

/* Sets the direction of dd in *plan, and whether a pull of dd is divided into two parts. `dd`: the sum of the work of all
 * devices of the group. `ahead`: the level begins with dd while vertices are under way (run_ahead). */
static void choose_dd(const struct bfs *bfs, struct visit_plan *plan, const struct subgraph_work *dd, int ahead)
{
    plan->directions.of[DD] = direction_of(bfs, DD, dd, plan->directions.of[DD]);
    plan->divides_dd =
        plan->directions.of[DD] == PULL && dd->frontier > 0 && exchange_has_parts(bfs->exchange, ahead, dd);
}

/* Sets the plans of the thread's devices: a direction for each subgraph (section IV-B), and the form of the vertices that
 * leave. If `kinds` is ONLY_NORMALS, dd is under way, and its direction is not changed. For nd and dn each device chooses
 * from its own work. For dd and nn all peers make the same choice, from the sum of their work, because peers may pull dd
 * in parts and share the frontiers of nn. All threads must call this function, because the work is summed. */
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

/* Begins a part of the visit on the thread's devices, according to their plans. Does not wait for the visit. Does nothing
 * if *e has failed. */
static void visit_part(struct bfs *bfs, const struct host_thread *t, enum visit_part part, struct error *e)
{
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++)
        bfs->rank->backend->visit(bfs->rank->devices[i], &bfs->levels[i].plan, part, e);
}

/* Begins the visit of all subgraphs on the thread's devices. finish_visits waits for the visit. If `kinds` is
 * ONLY_NORMALS, dd is already under way, and is not begun here. Before a pull of nn the frontiers are exchanged. Between
 * the two parts of a divided dd the delegates that were found become known to all devices. If another group divides dd
 * and this group does not, this group still takes part in the reduction between the parts. All plans of the group agree
 * in these conditions, so the function reads the plan of the first device. */
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

/* Waits for the visits of the thread's devices, sets levels[].result, and writes the results to the memory that the group
 * sees. Meanwhile thread 0 continues a reduction of masks that is under way. Does not wait if *e has failed. */
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

/* Begins level `depth` with dd, while vertices of the last level are under way between ranks. Makes the frontier of
 * delegates, chooses the direction of dd, and begins the visit of dd. Each group decides by itself whether dd is divided.
 * Thread 0 writes this choice to exchange->in_parts, and choose_directions later tells the other groups. */
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

/* Ends a level. Tells every device which delegates the level found, and tells the owner of each normal that the normal
 * was found. While vertices are under way between ranks, the next level may begin with dd. Sets *done to whether no
 * device of any rank found a vertex. Sets *next to the kinds of vertices that the next level must still previsit. This is
 * ONLY_NORMALS if the next level has begun with dd. Adds to the times in *stats. After a failure the remaining steps are
 * skipped. */
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

/* Adds the work of one device to the trace of a level: to the counts of the frontier, of its edges, and of pushing and
 * pulling devices, and to BV (the backward workload). Raises the time of each phase to the device's time if the device
 * took longer. `times`: NULL if times are not measured. */
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

/* Adds the visits of all devices of this rank to the trace of a level, after the devices have finished. Sets whether
 * probes are counted, and adds the probes of pulls. */
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

/* Returns whether the search ends before the visit of this level. It ends at the last depth that is wanted. A search of a
 * single device also ends when the frontier of the device is empty. */
static int ends_before_visit(const struct bfs *bfs, int32_t depth)
{
    return depth == bfs->options.deepest ||
           (rank_is_single_device(bfs->rank) && depth > 0 && bfs->levels[0].work.fresh == 0);
}

/* Adds a level to the times of the search: counts the level, its mask reductions and its sent vertices. Also adds the
 * level to the log if there is a log. Called by thread 0. */
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
    enum vertex_kinds kinds = BOTH_KINDS; /* the kinds of vertices of which this level's previsit must still make the
                                           * frontier */
    int done = 0;
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++) {
        bfs->levels[i] = (struct device_level){0}; /* zero means that every subgraph begins with a push */
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
        if (exchange_overlaps(bfs->exchange)) /* masks of delegates are reduced while devices still look for normals */
            exchange_begin_masks(bfs->exchange, t, &trace.exchange, e);
        if (!single || wants_results)
            finish_visits(bfs, t, e);
        if (group_barrier(group, t, e) != ST_OK)
            break;
        trace_visits(bfs, &trace); /* must come before run_ahead, which changes the work of dd */
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

/* Returns whether the devices may run all levels of this search by themselves. exchange_is_fused must allow this. If the
 * user gave factors, the level loop runs the search, because only the loop follows factors. The loop also runs the search
 * if the root has no edges, or if the search ends at depth 0. The loop is as fast in these two cases. */
static int may_run_fused(const struct bfs *bfs)
{
    return exchange_is_fused(bfs->exchange) && !bfs->options.policy.factors_given && bfs->root->at != ROOT_AT_ISOLATED &&
           bfs->options.deepest > 0;
}

/* Step for one device: begins a search that the device runs by itself. Called by rank_each. The context is a struct bfs. */
static enum status begin_fused(void *context, uint32_t device, struct error *e)
{
    const struct bfs *bfs = context;
    return bfs->rank->backend->search_begin(bfs->rank->devices[device], bfs->root, bfs->options.policy.mode,
                                            bfs->log != NULL, e);
}

/* Runs a search in which the devices run all levels by themselves: begins the search on all devices, and waits for its
 * end. Sets times->iterations and times->compute_s. Sets bfs->noted if there is a log. */
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

/* Adds a device's note of the level at `depth` to the log. If the log has no such level yet, appends the level. Sets the
 * kind of the level. Adds the device's counts, its probes, and the bytes and vertices that it read of peers. The time of
 * the level becomes the time of its slowest device. Called by replay_levels for each level in order. The context is a
 * struct bfs. */
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

/* Zeroes *bfs, sets the members that searches need, and allocates the level loop's state of each device. bfs_close frees
 * the state, also after a failure. */
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

/* Job of a host thread: wakes the devices that the thread drives. A thread sleeps after a long wait. The call to this job
 * wakes the thread itself. */
static enum status wake_devices(void *context, const struct host_thread *t, struct error *e)
{
    const struct bfs *bfs = context;
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++)
        bfs->rank->backend->wake(bfs->rank->devices[i], e);
    return e->status;
}

/* Wakes all devices and the host threads that drive them, before a search and its clock begin. */
static enum status bfs_prepare(struct bfs *bfs, struct error *e)
{
    return host_threads_run(bfs->rank->host_threads, wake_devices, bfs, e);
}

/* Searches from a root. Devices run all levels by themselves if they may. Otherwise the level loop runs the levels. Sets
 * *times. `log`: NULL if levels are not wanted. Levels that devices have noted are appended to the log later, by
 * bfs_log_rest. */
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

/* Appends the levels of the last search to the log, if devices ran the levels by themselves and noted them. */
static enum status bfs_log_rest(struct bfs *bfs, struct error *e)
{
    const struct rank *rank = bfs->rank;
    for (uint32_t i = 0; bfs->noted && i < rank->device_count && e->status == ST_OK; i++)
        rank->backend->replay_levels(rank->devices[i], add_note, bfs, e);
    return e->status;
}

const struct bfs_method bfs_by_levels = {
    .open = bfs_open, .close = bfs_close, .prepare = bfs_prepare, .search = bfs_search, .log_rest = bfs_log_rest};
