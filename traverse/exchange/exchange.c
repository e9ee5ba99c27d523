/* exchange.c: opens the exchange, and runs the steps of a level's exchange in their order (exchange.h) */
#include "exchange.h"

#include "formats/base/cli.h"
#include "formats/mpi/watch.h"

const char *const exchange_count_name[EXCHANGE_COUNTS] = {
    "found_vertices", "sent_vertices",    "list_bytes", "bits_bytes",    "frontier_bytes",
    "mask_bytes",     "whole_mask_bytes", "messages",   "peer_vertices", "peer_bytes",
    "dropped_vertices"};

/* ---- opening ---- */

/* Chooses device memory if the option wants it, and backend and MPI library allow it; else host memory, also after a failure. */
enum status exchange_memory_choose(enum exchange_memory *memory, enum exchange_memory_choice choice,
                                   const struct backend *backend, const struct comm *comm, struct error *e)
{
    *memory = EXCHANGE_HOST;
    if (choice != EXCHANGE_MEMORY_DEVICE)
        return ST_OK;
    if (!backend->has_device_memory)
        return fail(e, ST_RESOURCE, "--exchange-memory device: the %s backend has host memory only", backend->name);
    const char *refusal = comm_refuses_device_memory();
    if (refusal != NULL)
        return fail(e, ST_RESOURCE, "--exchange-memory device: %s: %s", refusal, comm->library);
    *memory = EXCHANGE_DEVICE;
    return ST_OK;
}

/* Returns the bits of the first frontiers that groups send each other in a search, over all shards. An update has one
 * bit for each vertex with nn edges, a bitmap one for each normal. */
static uint64_t first_frontier_bits(const struct backend *backend, const struct nn_total *nn)
{
    return backend->updates_frontiers ? nn->sources : nn->normals;
}

/* Returns whether devices of several groups should search by themselves, with relayed messages between them: no option prescribes how the
 * stepped exchange works. */
static int may_relay(const struct exchange *x)
{
    const struct exchange_options *o = &x->options;
    return !x->group.holds_all_shards && !o->stepped && x->rank->exchange_memory == EXCHANGE_HOST &&
           o->form == EXCHANGE_FORM_AUTO && !o->nonblocking && !o->local_all2all && !o->uniquify &&
           o->chunk_bytes == EXCHANGE_CHUNK_BYTES;
}

/* Collective. Counts the normals and the rows of nn, forms the group, and allocates memory for masks and, between groups, for vertices. */
enum status exchange_open(struct exchange *x, const struct rank *rank, const struct exchange_options *options,
                          struct error *e)
{
    const struct graph *graph = rank->graph;
    const enum group_reach reach = options->memory == EXCHANGE_MEMORY_AUTO   ? GROUP_OF_HOST_IF_POSSIBLE
                                   : options->memory == EXCHANGE_MEMORY_PEER ? GROUP_OF_HOST
                                                                             : GROUP_OF_RANK;
    *x = (struct exchange){
        .rank = rank,
        .options = *options,
        .level = {.may_reach_many = options->form == EXCHANGE_FORM_BITS},
        .has_bitmaps = options->form != EXCHANGE_FORM_LIST && shard_has_masks(&graph->shards[0])};
    for (uint32_t s = 0; s < graph->manifest.p; s++)
        x->nn.normals += graph->locals[s];
    for (uint32_t g = 0; g < graph->device_count; g++)
        x->nn.sources += graph->shards[g].csr[NN].source_rows;
    comm_sum_u64(rank->comm, &x->nn.sources, 1);
    if (group_open(&x->group, rank, reach, x->why, e) != ST_OK)
        return e->status;
    x->nn.bits = first_frontier_bits(rank->backend, &x->nn);
    if (!x->group.holds_all_shards)
        vertices_open(&x->vertices, &x->group, options->chunk_bytes, options->local_all2all, x->has_bitmaps, e);
    masks_open(&x->masks, &x->group, options->nonblocking, e);
    if (comm_agree(rank->comm, e) != ST_OK || !may_relay(x))
        return e->status;
    x->message_relay = (struct message_relay){relay_pass, &x->relay};
    return relay_open(&x->relay, &x->group, e);
}

void exchange_close(struct exchange *x)
{
    if (x->rank == NULL)
        return;
    relay_close(&x->relay, x->rank);
    masks_close(&x->masks, x->rank);
    vertices_close(&x->vertices, x->rank);
    group_close(&x->group);
}

/* Returns the seconds since *clock, and sets *clock to the present time. */
static double lap(double *clock)
{
    double before = *clock;
    *clock = cli_seconds();
    return *clock - before;
}

/* ---- before and within a visit ---- */

/* Gives the frontiers of this thread's devices to all other devices before nn is pulled: shows them to peers, sends
 * them to other groups, and waits until all have arrived. Adds the time to *stats. */
enum status exchange_frontier(struct exchange *x, const struct host_thread *t, struct exchange_stats *stats, struct error *e)
{
    const int sends = !x->group.holds_all_shards;
    double clock = cli_seconds();
    if (t->number == 0)
        vertices_count_frontiers(&x->group, &x->counts);
    vertices_show_frontiers(&x->group, sends ? &x->vertices : NULL, t, e);
    if (group_barrier(&x->group, t, e) == ST_OK && sends)
        vertices_give_frontiers(&x->vertices, t, &x->counts, e);
    if (t->number == 0 && sends && x->rank->backend->updates_frontiers)
        x->nn.bits = x->nn.work.unvisited_sources; /* the next updates leave out all vertices that are visited now */
    stats->times.phase_s[PHASE_REMOTE_EXCHANGE] += lap(&clock);
    return e->status;
}

/* Waits until all devices of the group have finished looking for delegates, and notes in group->updated which of them
 * found any. Visits that look for normals may go on. Ends with a barrier of the group. */
static enum status await_delegates(const struct group *group, const struct host_thread *t, struct error *e)
{
    const struct rank *rank = group->rank;
    for (uint32_t g = t->first; g < t->end && e->status == ST_OK; g++) {
        struct visit_result result = {0};
        rank->backend->finish(rank->devices[g], ONLY_DELEGATES, &result, e);
        group->updated[group->first_peer + g] = result.found_delegates;
    }
    return group_barrier(group, t, e);
}

/* Tells all devices which delegates the first part of a pull of dd found. In a group that holds all shards peers read this,
 * so a barrier is enough. Other groups reduce masks, and add the time and number of reductions to *stats. */
enum status exchange_join_parts(struct exchange *x, const struct host_thread *t, struct exchange_stats *stats,
                                struct error *e)
{
    if (x->group.holds_all_shards)
        return group_barrier(&x->group, t, e);
    if (await_delegates(&x->group, t, e) != ST_OK)
        return e->status;
    double clock = cli_seconds();
    if (t->number == 0)
        masks_join(&x->masks, &x->counts, e);
    if (group_barrier(&x->group, t, e) == ST_OK)
        masks_know(&x->masks, t, e);
    stats->times.phase_s[PHASE_MASK_REDUCTION] += lap(&clock);
    stats->reduced_masks++;
    return e->status;
}

/* Waits for the delegates of the group, and begins to reduce their masks. exchange_drive continues the reduction. */
enum status exchange_begin_masks(struct exchange *x, const struct host_thread *t, struct exchange_stats *stats,
                                 struct error *e)
{
    if (await_delegates(&x->group, t, e) != ST_OK)
        return e->status;
    double clock = cli_seconds();
    if (t->number == 0)
        masks_begin(&x->masks, e);
    stats->times.phase_s[PHASE_MASK_REDUCTION] += lap(&clock);
    return group_barrier(&x->group, t, e); /* the reduction reads the flags `updated`, which change after this
                                            * barrier */
}

/* Continues a reduction of masks until it is over, or the visits of this thread's devices are. Does nothing on other
 * threads than 0, which alone calls MPI. Called before the wait for the visits. */
void exchange_drive(struct exchange *x, const struct host_thread *t, struct error *e)
{
    const struct rank *rank = x->rank;
    int busy = t->number == 0; /* only thread 0 calls MPI */
    while (busy && !masks_move(&x->masks, &x->counts)) {
        busy = 0;
        for (uint32_t g = t->first; g < t->end && e->status == ST_OK; g++) {
            int over = 1;
            rank->backend->is_over(rank->devices[g], VISIT_EVENT, &over, e);
            busy |= !over;
        }
    }
}

/* ---- the end of a level in a group that holds all shards ---- */

/* Completes the counts of this level, passes them on in stats->counts, and zeroes them for the next level. */
static void take_counts(struct exchange *x, struct exchange_stats *stats)
{
    masks_count_peers(&x->masks, &x->counts);
    vertices_count_peers(&x->group, &x->counts);
    stats->counts = x->counts;
    x->counts = (struct exchange_counts){0};
}

/* Ends a level without messages: every device reads what its peers found, delegates and normals. Sets *done to whether no
 * device found anything. The arrays of the peers must stay unchanged until the next barrier. Adds times and reductions to
 * *stats, and on thread 0 the counts of the level. */
static enum status end_level_in_group(struct exchange *x, const struct host_thread *t, int *done,
                                      struct exchange_stats *stats, struct error *e)
{
    const int updated = group_updated(&x->group);
    double clock = cli_seconds();
    if (updated)
        masks_read_peers(&x->masks, t, e);
    stats->times.phase_s[PHASE_MASK_REDUCTION] += lap(&clock);
    vertices_take_peers(&x->group, t, e);
    stats->times.phase_s[PHASE_LOCAL_EXCHANGE] += lap(&clock);
    *done = !updated && !group_found(&x->group);
    if (updated && group_barrier(&x->group, t, e) == ST_OK)
        masks_take(&x->masks, t, e);
    stats->times.phase_s[PHASE_MASK_REDUCTION] += lap(&clock);
    stats->reduced_masks = updated;
    if (t->number == 0)
        take_counts(x, stats);
    return e->status;
}

/* ---- the end of a level of several groups ---- */

/* Collective. Tells the other ranks what this rank found in the level, and learns what they found: sets exchange->level.
 * Also clears own_divides_dd for the next level. Called by thread 0. */
static enum status share_level(struct exchange *x, struct error *e)
{
    struct rank_note own = {.updated = (uint64_t)group_updated(&x->group),
                            .found = (uint64_t)(group_found(&x->group) || x->vertices.leaving),
                            .reach = (uint64_t)x->nn.reach};
    double reach = 0;
    if (masks_count_changed(&x->masks, &own.changed_plus_1, e) != ST_OK)
        return e->status;
    vertices_share(&x->vertices, &own);
    x->level = (struct level_state){0};
    x->own_divides_dd = 0;
    for (uint32_t r = 0; r < x->rank->comm->ranks; r++) {
        const struct rank_note *note = &x->vertices.notes[r];
        reach += (double)note->reach;
        x->level.updated |= note->updated != 0;
        x->level.found |= note->found != 0;
    }
    x->level.may_reach_many = x->options.form == EXCHANGE_FORM_BITS || 32 * reach > (double)x->nn.bits;
    return ST_OK;
}

/* Gets a level ready for sending. Thread 0 waits for the sum that masks_begin began, counts the found vertices, sizes the
 * send buffers (with option L also fills them), and tells all ranks how the level went. With option U every thread drops
 * duplicates among the vertices that its devices found and, with option L, once more among those that its devices gathered. */
static enum status prepare_messages(struct exchange *x, const struct host_thread *t, struct error *e)
{
    const struct rank *rank = x->rank;
    const struct vertices *v = &x->vertices;
    const int drops = x->options.uniquify;
    if (t->number == 0) {
        masks_await_sum(&x->masks, &x->counts);
        vertices_count_found(&x->vertices);
    }
    if (drops && host_threads_barrier(t, e) != ST_OK)
        return e->status;
    /* drops duplicates among the vertices that each device found */
    for (uint32_t g = t->first; drops && g < t->end && e->status == ST_OK; g++)
        rank->backend->uniquify(rank->devices[g], group_outgoing(&x->group, g), rank->graph->manifest.p, e);
    if (drops && host_threads_barrier(t, e) != ST_OK)
        return e->status;
    if (t->number == 0)
        vertices_collect(&x->vertices, e);
    const int gathered = drops && x->options.local_all2all && host_threads_barrier(t, e) == ST_OK && v->leaving;
    /* drops duplicates among the vertices that option L gathered */
    for (uint32_t g = t->first; gathered && g < t->end && e->status == ST_OK; g++)
        rank->backend->uniquify(rank->devices[g], send_buffer_of(v, g, 0, 0), (uint32_t)buffers_of_device(v), e);
    if (host_threads_barrier(t, e) == ST_OK && t->number == 0)
        share_level(x, e);
    return host_threads_barrier(t, e);
}

/* Sends and receives what can move now, without waiting. `beside` says whether a reduction of masks is under way as well,
 * since the time `begun`. If so, sets *merged_s to the seconds since then, as long as vertices move. */
static void move_vertices(struct vertices *vertices, int beside, double begun, double *merged_s, struct error *e)
{
    const int moving = !vertices_are_here(vertices);
    vertices_move(vertices, e);
    if (moving && beside)
        *merged_s = cli_seconds() - begun;
}

/* Reduces the masks of all groups if any device found a delegate, and meanwhile sends and receives vertices. Returns
 * when the masks are in the memory of all ranks of the group. Sets *merged_s to the seconds in which both masks and
 * vertices were under way. Called by thread 0. */
static enum status reduce_masks(struct exchange *x, double *merged_s, struct error *e)
{
    double begun = cli_seconds();
    int beside = x->level.updated && masks_reduce(&x->masks, x->vertices.notes, &x->counts);
    while (e->status == ST_OK && !masks_are_here(&x->masks))
        move_vertices(&x->vertices, beside, begun, merged_s, e);
    if (e->status != ST_OK || !x->group.has_whole_host)
        return e->status;
    uint32_t barrier = comm_window_arrive(x->group.window);
    watch_wait_begin();
    while (e->status == ST_OK && !comm_window_barrier_is_over(x->group.window, barrier))
        move_vertices(&x->vertices, beside, begun, merged_s, e);
    watch_wait_end();
    return e->status;
}

/* Ends a level of several groups, but does not wait for vertices: begins to send them, reduces masks at the same time, and
 * gives the masks to the devices. Sets *done to whether no rank found anything. Adds times and reductions to *stats. All
 * threads call this function. */
static enum status reduce_between_groups(struct exchange *x, const struct host_thread *t, int *done,
                                         struct exchange_stats *stats, struct error *e)
{
    double *phase_s = stats->times.phase_s, clock = cli_seconds();
    if (prepare_messages(x, t, e) != ST_OK)
        return e->status;
    if (t->number == 0 && vertices_begin(&x->vertices, &x->counts, e) == ST_OK)
        vertices_move(&x->vertices, e);
    phase_s[PHASE_REMOTE_EXCHANGE] += lap(&clock);
    if (t->number == 0 && e->status == ST_OK)
        reduce_masks(x, &phase_s[PHASE_MERGED_EXCHANGE], e);
    if (host_threads_barrier(t, e) != ST_OK) /* peers read masks before this barrier */
        return e->status;
    phase_s[PHASE_MASK_REDUCTION] += lap(&clock) - phase_s[PHASE_MERGED_EXCHANGE];
    vertices_take_peers(&x->group, t, e);
    phase_s[PHASE_LOCAL_EXCHANGE] += lap(&clock);
    if (x->level.updated)
        masks_take(&x->masks, t, e);
    phase_s[PHASE_MASK_REDUCTION] += lap(&clock);
    stats->reduced_masks += x->level.updated;
    *done = !x->level.updated && !x->level.found;
    if (*done && t->number == 0)
        x->nn.bits = first_frontier_bits(x->rank->backend, &x->nn); /* the value with which the next search begins */
    return host_threads_barrier(t, e);
}

/* Tells all devices which delegates were found. A group that holds all shards takes in its vertices here, too. */
enum status exchange_masks(struct exchange *x, const struct host_thread *t, int *done, struct exchange_stats *stats,
                           struct error *e)
{
    return x->group.holds_all_shards ? end_level_in_group(x, t, done, stats, e)
                                     : reduce_between_groups(x, t, done, stats, e);
}

/* Waits for vertices of other groups, and takes them in. Passes on the counts of the level in stats->counts, and logs what
 * went to each rank if wanted. Does nothing in a group that holds all shards, where exchange_masks has done all this. */
enum status exchange_vertices(struct exchange *x, const struct host_thread *t, struct exchange_stats *stats, struct error *e)
{
    double clock = cli_seconds();
    if (x->group.holds_all_shards)
        return e->status;
    if (t->number == 0) {
        watch_wait_begin();
        while (e->status == ST_OK && !vertices_are_here(&x->vertices))
            vertices_move(&x->vertices, e);
        watch_wait_end();
        vertices_end(&x->vertices);
        if (x->pairs != NULL)
            pair_log_add(x->pairs, x->rank->comm, x->vertices.to);
        take_counts(x, stats);
    }
    host_threads_barrier(t, e); /* after this barrier other threads may change arrays that thread 0 reads above */
    stats->times.phase_s[PHASE_REMOTE_EXCHANGE] += lap(&clock);
    return e->status;
}
