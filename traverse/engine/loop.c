/* loop.c: one search, level by level (figures 3 and 4 of Pan et al.)
 *
 * If the devices can run all levels by themselves, they do (search_fused). Otherwise the loop runs the steps of each level,
 * and finds the same distances. Each host thread (host_threads.h) runs search_levels for its devices. A level has five
 * steps:
 * - previsit: the vertices that the last level found become the frontier, except vertices visited before;
 * - choose: each subgraph gets a direction, push or pull;
 * - visit: dd and nd find delegates, dn and nn find normals;
 * - reduce: all devices learn which delegates any device found;
 * - exchange: the owners of normals learn which normals nn found on other devices.
 * If ranks send messages, the next level's visit of dd begins between `reduce` and `exchange`, because its delegates are
 * known by then (run_ahead). The search ends after a level in which no device found anything, or before the visit at the
 * greatest depth wanted.
 *
 * Why all vertices are found: when level L begins, each device knows which delegates, and which of its normals, are at
 * distance L. These are the rows of its frontier, and pushes of these rows find all vertices at distance L + 1. Pulls find
 * the same vertices from the other end of the edges. The other end of an nn edge may be a row of another device, so devices
 * get each other's frontiers before nn is pulled.
 *
 * Host threads of devices that read each other's memory meet at two barriers a level. After the counts no device reads any
 * more what others found for it, so that memory may be overwritten. After the visits everything is found, so the exchange
 * may read it. One more barrier comes between the two parts of a pull of dd, and one before a pull of nn. After a failure a
 * host thread skips all steps up to the next barrier, where all other threads get the failure, too. */
#include "loop.h"
#include "root_set.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- previsit: the frontier, and its work ---- */

/* Returns whether directions follow factors: the user gave some, or the backend predicts no costs. */
static int follows_factors(const struct bfs *bfs)
{
    return !bfs->rank->backend->knows_costs || bfs->options.policy.factors_given;
}

/* Returns whether a previsit of these kinds of vertices counts subgraph g. Delegates alone count only dd, and normals
 * alone count all others. */
static int is_counted(enum subgraph g, enum vertex_kinds kinds)
{
    return kinds == BOTH_KINDS || (kinds == ONLY_DELEGATES) == (g == DD);
}

/* Counts the frontier's edges on device i in each subgraph in which a choice by factors needs their exact number. The choice
 * is that of a direction or, for nn, also that between lists and bitmaps. Updates levels[i].work. */
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

/* Counts the frontier's edges on device i exactly for a trace, if the options ask for this. Called after directions
 * were chosen, so that tracing changes no choice. */
static void count_traced_edges(struct bfs *bfs, uint32_t i, enum vertex_kinds kinds, struct error *e)
{
    struct workload *work = &bfs->levels[i].work;
    int traced[SUBGRAPHS];
    for (int g = 0; g < SUBGRAPHS; g++)
        traced[g] = is_counted((enum subgraph)g, kinds) && work->of[g].frontier > 0;
    if (bfs->options.counts_edges && e->status == ST_OK)
        bfs->rank->backend->count_edges(bfs->rank->devices[i], traced, work, e);
}

/* Makes the frontiers of the thread's devices from found vertices of these kinds, which get the depth `depth`. Writes
 * the counts of each device to levels[].work, and to memory that the whole group sees. */
static void previsit(struct bfs *bfs, const struct host_thread *t, enum vertex_kinds kinds, int32_t depth, struct error *e)
{
    const struct rank *rank = bfs->rank;
    const struct group *group = &bfs->exchange->group;
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++)
        rank->backend->previsit(rank->devices[i], kinds, depth, e); /* all previsits begin before the wait for the first */
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++) {
        if (rank->backend->counts(rank->devices[i], &bfs->levels[i].work, e) == ST_OK)
            count_needed_edges(bfs, i, kinds, e);
        group->work[group->first_peer + i] = bfs->levels[i].work;
    }
}

/* ---- choose ---- */

/* Chooses the direction of subgraph g from its counts. `current` is the direction of the last visit of g. */
static enum direction direction_of(const struct bfs *bfs, enum subgraph g, const struct subgraph_work *work,
                                   enum direction current)
{
    return follows_factors(bfs) ? choose_direction(&bfs->options.policy, g, work, current)
                                : direction_by_cost(bfs->options.policy.mode, work);
}

/* Chooses the direction of dd, and whether a pull of dd is divided into two parts. `dd` has the summed counts of the
 * group's devices. `ahead`: the level begins with dd while vertices are under way (run_ahead). */
static void choose_dd(const struct bfs *bfs, struct visit_plan *plan, const struct subgraph_work *dd, int ahead)
{
    plan->directions.of[DD] = direction_of(bfs, DD, dd, plan->directions.of[DD]);
    plan->divides_dd =
        plan->directions.of[DD] == PULL && dd->frontier > 0 && exchange_has_parts(bfs->exchange, ahead, dd);
}

/* Chooses the directions of the thread's devices (section IV-B), and the form in which vertices of other shards are
 * kept. With ONLY_NORMALS dd is under way already and keeps its direction. A device chooses nd and dn from its own
 * counts. For dd and nn all peers choose alike, from summed counts, because they pull dd in parts and share frontiers
 * of nn. All threads must call this function, because of the sums. */
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

/* Begins a part of the visit on the thread's devices, according to their plans, without waiting. */
static void visit_part(struct bfs *bfs, const struct host_thread *t, enum visit_part part, struct error *e)
{
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++)
        bfs->rank->backend->visit(bfs->rank->devices[i], &bfs->levels[i].plan, part, e);
}

/* Begins the visits of all subgraphs on the thread's devices, without waiting for the last. With ONLY_NORMALS dd is under
 * way already. Before a pull of nn devices get each other's frontiers. If a pull of dd is divided, they learn between its
 * parts which delegates were found. This may be a reduction over all groups: then a group takes part even if only another
 * group divides dd. All plans of a group agree about nn and dd, so the plan of the first device is read. */
static void begin_visits(struct bfs *bfs, const struct host_thread *t, enum vertex_kinds kinds, struct exchange_stats *stats,
                         struct error *e)
{
    const struct visit_plan *plan = &bfs->levels[t->first].plan;
    if (kinds == BOTH_KINDS)
        visit_part(bfs, t, VISIT_DD, e);
    if (plan->directions.of[NN] == PULL && !rank_is_single_device(bfs->rank))
        exchange_frontier(bfs->exchange, t, stats, e);
    visit_part(bfs, t, VISIT_OTHERS, e);
    if (plan->divides_dd || bfs->exchange->any_divides_dd)
        exchange_join_parts(bfs->exchange, t, stats, e);
    if (plan->divides_dd)
        visit_part(bfs, t, VISIT_REST, e);
}

/* Waits for the visits of the thread's devices, and writes the results to levels[].result and to memory that the group
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

/* Begins level `depth` with dd, while messages with normals of the last level are still under way. Makes the frontier of
 * delegates, chooses the direction of dd, and begins its visit. Sets exchange->own_divides_dd, from which choose_directions
 * later tells the other groups whether this group divides dd. */
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
        bfs->exchange->own_divides_dd = bfs->levels[t->first].plan.divides_dd;
}

/* Ends a level: all devices learn which delegates were found, and owners learn which of their normals were found. Meanwhile
 * the next level may begin with dd. *next gets the kinds of vertices that the next level must still previsit. Sets *done if
 * no device of any rank found a vertex. Adds to the times in *stats. After a failure skips what is left. */
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

/* Adds the counts of one device to the trace of a level. The time of each phase becomes that of the slowest device.
 * `times` is NULL if times are not measured. */
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

/* Adds the visits of all devices of this rank to the trace of a level, with the probes of pulls if the backend counts
 * them. */
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

/* Returns whether the search ends before this visit: at the greatest depth wanted, or with an empty frontier. Only a
 * single device knows here that the whole frontier is empty. */
static int ends_before_visit(const struct bfs *bfs, int32_t depth)
{
    return depth == bfs->options.deepest ||
           (rank_is_single_device(bfs->rank) && depth > 0 && bfs->levels[0].work.fresh == 0);
}

/* Adds a level to the times of the search, and to the log if there is one. Called by thread 0. */
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

/* Job of a host thread: runs all levels of a search from bfs->roots on the thread's devices. */
static enum status search_levels(void *context, const struct host_thread *t, struct error *e)
{
    struct bfs *bfs = context;
    struct group *group = &bfs->exchange->group;
    const int single = rank_is_single_device(bfs->rank), wants_results = bfs->options.timed || bfs->log != NULL;
    enum vertex_kinds kinds = BOTH_KINDS; /* the kinds of vertices that this level's previsit has left to do */
    int done = 0;
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++) {
        bfs->levels[i] = (struct device_level){0}; /* zero means that every subgraph begins with a push */
        bfs->rank->backend->start(bfs->rank->devices[i], &bfs->roots, e);
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

/* Returns whether the devices may run all levels by themselves, in any mode of a whole search. For that they must reach all
 * shards (exchange_is_fused), and the user must have given no factors for directions, which only the loop follows. The loop
 * also runs searches that are over at once, from roots without edges or with --max-depth 0, and those from more roots than the
 * devices take (backend.fused_roots). */
static int may_run_fused(const struct bfs *bfs)
{
    const uint64_t isolated = root_set_of_kind(&bfs->roots, ROOT_AT_ISOLATED).count;
    return exchange_is_fused(bfs->exchange) && !bfs->options.policy.factors_given && bfs->roots.count > isolated &&
           bfs->roots.count <= bfs->rank->backend->fused_roots && bfs->options.deepest > 0;
}

/* Step for one device: begins a search that the device runs by itself. `context` is the struct bfs. */
static enum status begin_fused(void *context, uint32_t device, struct error *e)
{
    const struct bfs *bfs = context;
    return bfs->rank->backend->search_begin(bfs->rank->devices[device], &bfs->roots, bfs->options.policy.mode,
                                            bfs->log != NULL, e);
}

/* Searches with devices that run all levels by themselves. Sets the number of levels and the time, but logs nothing yet. */
static enum status search_fused(struct bfs *bfs, struct error *e)
{
    const struct rank *rank = bfs->rank;
    struct exchange *x = bfs->exchange;
    const int relays = x->relay.searches_fused;
    const double start = cli_seconds();
    bfs->noted = bfs->log != NULL;
    if (relays)
        relay_begin(&x->relay);
    if (rank_each(rank, begin_fused, bfs, e) == ST_OK)
        rank->backend->search_end(rank->devices, rank->device_count, bfs->noted, relays ? &x->message_relay : NULL,
                                  &bfs->times->iterations, e);
    bfs->times->compute_s = cli_seconds() - start;
    bfs->times->sent_vertices = x->relay.sent_vertices;
    return e->status;
}

/* Adds a device's note of a level to the log, which gets a new level if the note is the first of this depth. Counts of
 * devices are summed, and the slowest device gives the time. replay_levels calls this function for each level in order,
 * with the struct bfs as `context`. */
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

/* Sets the members that searches need, and allocates the loop's state of each device. bfs_close frees it. */
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

/* Job of a host thread: wakes the thread's devices. The thread itself is awake since the job was begun. */
static enum status wake_devices(void *context, const struct host_thread *t, struct error *e)
{
    const struct bfs *bfs = context;
    for (uint32_t i = t->first; i < t->end && e->status == ST_OK; i++)
        bfs->rank->backend->wake(bfs->rank->devices[i], e);
    return e->status;
}

/* Wakes all devices and host threads, before the clock of a search begins. */
static enum status bfs_prepare(struct bfs *bfs, struct error *e)
{
    return host_threads_run(bfs->rank->host_threads, wake_devices, bfs, e);
}

/* Searches from all roots together, by the devices alone if they may, else by the loop. Sets *times. */
static enum status bfs_search(struct bfs *bfs, const struct root_set *roots, struct bfs_times *times, struct level_log *log,
                              struct error *e)
{
    *times = (struct bfs_times){0};
    bfs->roots = *roots;
    bfs->times = times;
    bfs->log = log;
    bfs->noted = 0;
    return may_run_fused(bfs) ? search_fused(bfs, e) : host_threads_run(bfs->rank->host_threads, search_levels, bfs, e);
}

/* Appends the levels that devices noted themselves in the last search. */
static enum status bfs_log_rest(struct bfs *bfs, struct error *e)
{
    const struct rank *rank = bfs->rank;
    for (uint32_t i = 0; bfs->noted && i < rank->device_count && e->status == ST_OK; i++)
        rank->backend->replay_levels(rank->devices[i], add_note, bfs, e);
    return e->status;
}

const struct bfs_method bfs_by_levels = {
    .open = bfs_open, .close = bfs_close, .prepare = bfs_prepare, .search = bfs_search, .log_rest = bfs_log_rest};
