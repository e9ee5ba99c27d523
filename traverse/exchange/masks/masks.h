/* masks.h: the reduction of the masks of delegates (Pan et al., section V-A; exchange.h)
 *
 * In a group that holds all shards every device ORs the masks of its peers for itself. Otherwise the first
 * device of each group does, the result is reduced in host memory, and every device takes it from there. If few
 * words changed, groups give each other lists of these words in place of masks.
 *
 * The steps of a level between groups, in their order:
 * 0. masks_join and masks_know, between the parts of a visit, if it has two.
 * 1. masks_begin, if masks are reduced while devices still look for normals. masks_move goes on with it.
 * 2. masks_count_changed: counts the changed words of the group's mask, for this rank's note to the others.
 * 3. masks_reduce, once all notes are known, if any device found a delegate. masks_are_here asks whether it is over.
 * 4. masks_take gives the result to the devices.
 * Host thread 0 calls them, except for those with a `thread` parameter, which every thread calls for its devices.
 */
#ifndef DBFS_MASKS_H
#define DBFS_MASKS_H

#include "traverse/exchange/exchange_counts.h"
#include "traverse/exchange/group.h"

/* The non-zero words of masks, with their indices. */
struct mask_list {
    struct mask_word *own, *all; /* [most], in memory that devices copy to and from fast: of this group, of all groups */
    uint64_t most;               /* above a quarter of the mask's words a list is not worth its indices; 0: never listed */
    uint64_t gathered;           /* words of `all` */
    int *counts, *begins;        /* [R] each, one behind the other: of the ranks' parts in `all`, 64-bit words for MPI */
};

struct masks {
    const struct group *group;
    uint64_t words; /* of a mask, of 64 bits each */
    uint64_t *bits; /* [words]: the mask of the group on its way to and from MPI; NULL: the group holds all shards */
    int nonblocking;
    struct mask_list list;

    /* of this level */
    uint64_t changed;     /* words that this group changed */
    int is_read;          /* `changed` is known already */
    int is_whole;         /* `bits` has the group's changes; 0: list.own has them, or nothing changed */
    uint64_t all_changed; /* the sum of `changed` over all groups */
    int is_summing;       /* the ranks are adding up all_changed */
    int begun;            /* the reduction has begun while normals were looked for */
    int is_sparse;        /* groups give each other lists */
};

/* Collective: a rank that failed before takes part. `nonblocking`: option IR. */
enum status masks_open(struct masks *masks, struct group *group, int nonblocking, struct error *e);
void masks_close(struct masks *masks, const struct rank *rank); /* a zeroed one is allowed */

/* ---- in a group that holds all shards ---- */

/* Devices read the masks of their peers; masks_take follows when all have. */
enum status masks_read_peers(const struct masks *masks, const struct host_thread *thread, struct error *e);

/* ---- between groups ---- */

/* Collective. Reduces what devices have found in the first part of a visit: whole masks, as that is most of what the level
 * finds. Waits. */
enum status masks_join(struct masks *masks, struct exchange_counts *counts, struct error *e);

/* Gives the result of masks_join to devices. */
enum status masks_know(const struct masks *masks, const struct host_thread *thread, struct error *e);

/* Collective, without waiting. All ranks begin to add up how many words changed. If these are too many for a list, a
 * reduction of whole masks follows, while normals are still looked for. */
enum status masks_begin(struct masks *masks, struct error *e);

/* Does what can be done now of what masks_begin began. Returns 0 while something is under way. */
int masks_move(struct masks *masks, struct exchange_counts *counts);

/* Waits for the sum of masks_begin, if it is pending. A sum too large for a list begins the reduction of whole masks. */
void masks_await_sum(struct masks *masks, struct exchange_counts *counts);

/* Sets rank_note.changed, this rank's number for the others. */
enum status masks_count_changed(struct masks *masks, uint64_t *changed, struct error *e);

/* Collective. Reduces masks, by the notes of all ranks. Returns 1 while they are under way, in a non-blocking reduction. */
int masks_reduce(struct masks *masks, const struct rank_note *notes, struct exchange_counts *counts);

/* Progresses MPI. Returns 0 while this rank's reduction is pending, always 1 on ranks that reduce nothing. */
int masks_are_here(const struct masks *masks);

/* ---- in both ---- */

/* Gives the result to devices: the delegates of the next previsit. */
enum status masks_take(const struct masks *masks, const struct host_thread *thread, struct error *e);

/* Counts the masks that devices of this rank read of their peers in this level. */
void masks_count_peers(const struct masks *masks, struct exchange_counts *counts);

#endif
