/* exchange.c: the steps that end a level, in their order; see exchange.h */
#include "exchange_internal.h"

#include "formats/base/cli.h"
#include "formats/mpi/watch.h"

/* Seconds since *clock, which moves on to now. */
static double lap(double *clock)
{
    double before = *clock;
    *clock = cli_seconds();
    return *clock - before;
}

enum status exchange_meet(struct exchange *x, const struct member *m, struct error *e)
{
    return group_meet(&x->group, m, e);
}

/* ---- how a level went ---- */

struct parcel parcel_for(const struct exchange *x, uint32_t device, uint32_t shard)
{
    const struct rank *rank = x->rank;
    struct parcel parcel = rank->backend->messages->outgoing(rank->devices[device], shard);
    if (parcel.form == OUTGOING_MASK && parcel.count > 0)
        parcel.count = mask_parcel_words(x, shard);
    return parcel;
}

struct parcel parcel_from_peer(const struct exchange *x, uint32_t from, uint32_t to)
{
    const struct group *group = &x->group;
    if (group->parcels != NULL)
        return *parcel_between(group, from, to);
    if (from == to)
        return (struct parcel){0};
    return parcel_for(x, from - group->first, group->shard[to]);
}

void exchange_tell_found(struct exchange *x, uint32_t device, uint64_t found)
{
    struct group *group = &x->group;
    uint32_t self = group->first + device;
    struct note *note = &group->notes[self];
    note->updated = x->rank->backend->masks->updated(x->rank->devices[device]);
    note->found = found > 0;
    for (uint32_t i = 0; i < group->count; i++) {
        struct parcel parcel = {0};
        if (i != self)
            parcel = parcel_for(x, device, group->shard[i]);
        if (group->parcels != NULL)
            *parcel_between(group, self, i) = parcel;
        note->found |= parcel.count > 0;
    }
}

static int group_found(const struct group *group)
{
    int found = 0;
    for (uint32_t i = 0; i < group->count; i++)
        found |= group->notes[i].found;
    return found;
}

/* ---- delegates that are reduced while normals are looked for ---- */

enum status exchange_begin_masks(struct exchange *x, const struct member *m,
                                 struct exchange_stats *stats, struct error *e)
{
    const struct rank *rank = x->rank;
    struct group *group = &x->group;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++) {
        if (rank->backend->search->finish_delegates(rank->devices[g], e) == ST_OK)
            group->notes[group->first + g].updated =
                rank->backend->masks->updated(rank->devices[g]);
    }
    if (group_meet(group, m, e) != ST_OK)
        return e->status;
    double clock = cli_seconds();
    if (m->number == 0)
        begin_masks(x, e);
    stats->masks_s = lap(&clock);
    return group_meet(group, m, e); /* before the devices finish, which writes what masks are read by */
}

/* MPI goes on with a reduction while the host would only wait for devices. */
void exchange_drive(struct exchange *x, const struct member *m)
{
    const struct rank *rank = x->rank;
    int busy = m->number == 0 && (x->masks.asks || x->masks.begun) && rank->backend->ahead->is_busy != NULL;
    while (busy && !move_masks(x)) {
        busy = 0;
        for (uint32_t g = m->first; g < m->end; g++)
            busy |= rank->backend->ahead->is_busy(rank->devices[g]);
    }
}

/* ---- counts ---- */

static void give_counts(struct exchange *x, int updated, struct exchange_stats *stats)
{
    count_peers(x, updated);
    stats->counts = x->counts;
    stats->leaving_vertices = x->counts.of[COUNT_FOUND_VERTICES];
    stats->sent_vertices = x->counts.of[COUNT_SENT_VERTICES];
    stats->local_vertices = x->counts.of[COUNT_PEER_VERTICES];
    x->counts = (struct exchange_counts){0};
}

/* ---- a level of a group that holds all shards ---- */

/* Nothing is sent: every device reads what its peers show. Each member finds out for itself how the level
 * went. What is read here changes only after the next meeting. */
static enum status end_level_in_group(struct exchange *x, const struct member *m, int *done,
                                      struct exchange_stats *stats, struct error *e)
{
    int updated = masks_updated(x);
    double clock = cli_seconds();
    if (updated)
        read_group_masks(x, m, e);
    stats->masks_s = lap(&clock);
    receive_from_peers(x, m, e);
    stats->local_s = lap(&clock);
    *done = !updated && !group_found(&x->group);
    if (updated && group_meet(&x->group, m, e) == ST_OK)
        take_masks(x, m, e);
    stats->masks_s += lap(&clock);
    stats->reduced_masks = updated;
    if (m->number == 0)
        give_counts(x, updated, stats);
    return e->status;
}

/* ---- a level of several groups ---- */

/* Puts what leaves into boxes, and agrees with the other ranks on what the level found. */
static enum status take_stock(struct exchange *x, const struct member *m, struct error *e)
{
    if (m->number == 0) {
        await_answer(x);
        count_found(x);
    }
    if (x->options.uniquify && team_meet(m, e) == ST_OK)
        drop_repeated(x, m, e);
    if (x->options.uniquify && team_meet(m, e) != ST_OK)
        return e->status;
    if (m->number == 0) {
        x->level =
            (struct level_state){.updated = masks_updated(x), .found = group_found(&x->group)};
        collect_leaving(x, e);
    }
    if (x->options.uniquify && x->options.local_all2all && team_meet(m, e) == ST_OK)
        drop_duplicates(x, m, e);
    if (team_meet(m, e) == ST_OK && m->number == 0 && find_changed(x, e) == ST_OK)
        share_counts(x);
    return team_meet(m, e);
}

/* What can be done for vertices while masks are under way, which they have been since `begun`. */
static void move_beside_masks(struct exchange *x, double begun, struct error *e)
{
    int moving = !flow_is_over(x);
    move_flow(x, e);
    if (moving && reduces_beside(x))
        x->masks.merged_s = cli_seconds() - begun;
}

/* Until the ranks of the group have come. */
static void move_until_met(struct exchange *x, double begun, struct error *e)
{
    uint32_t meeting = comm_window_arrive(x->group.window);
    watch_wait_begin();
    while (e->status == ST_OK && !comm_window_have_met(x->group.window, meeting))
        move_beside_masks(x, begun, e);
    watch_wait_end();
}

/* Vertices go on moving while masks are under way. A reduction that has begun is waited for in any case. */
static enum status reduce_all_masks(struct exchange *x, struct error *e)
{
    double begun = cli_seconds();
    x->masks.merged_s = 0;
    if (x->level.updated && !x->masks.begun)
        reduce_masks(x);
    while (e->status == ST_OK && !masks_are_here(x))
        move_beside_masks(x, begun, e);
    x->masks.begun = 0;
    if (e->status == ST_OK && x->group.of_host)
        move_until_met(x, begun, e);
    return e->status;
}

static enum status take_masks_by_messages(struct exchange *x, const struct member *m, int *done,
                                          struct exchange_stats *stats, struct error *e)
{
    const struct level_state *level = &x->level;
    double clock = cli_seconds();
    if (take_stock(x, m, e) != ST_OK)
        return e->status;
    if (m->number == 0 && open_flow(x, e) == ST_OK)
        move_flow(x, e);
    stats->remote_s = lap(&clock);
    if (m->number == 0 && e->status == ST_OK)
        reduce_all_masks(x, e);
    if (team_meet(m, e) != ST_OK) /* masks are read */
        return e->status;
    stats->merged_s = x->masks.merged_s;
    stats->masks_s += lap(&clock) - stats->merged_s;
    receive_from_peers(x, m, e);
    stats->local_s = lap(&clock);
    if (level->updated)
        take_masks(x, m, e);
    stats->masks_s += lap(&clock);
    stats->reduced_masks = level->updated;
    *done = !level->updated && !level->found;
    if (*done && m->number == 0)
        forget_frontiers(x);
    return team_meet(m, e);
}

enum status exchange_masks(struct exchange *x, const struct member *m, int *done,
                           struct exchange_stats *stats, struct error *e)
{
    return x->group.whole ? end_level_in_group(x, m, done, stats, e)
                          : take_masks_by_messages(x, m, done, stats, e);
}

int exchange_runs_ahead(const struct exchange *x)
{
    return !x->group.whole && x->level.updated;
}

enum status exchange_vertices(struct exchange *x, const struct member *m,
                              struct exchange_stats *stats, struct error *e)
{
    double clock = cli_seconds();
    if (x->group.whole)
        return e->status;
    if (m->number == 0) {
        watch_wait_begin();
        while (e->status == ST_OK && !flow_is_over(x))
            move_flow(x, e);
        watch_wait_end();
        close_flow(x);
        give_counts(x, x->level.updated, stats);
    }
    team_meet(m, e); /* what members do next may change what others read here */
    stats->remote_s += lap(&clock);
    return e->status;
}
