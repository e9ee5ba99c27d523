/* masks.h: the reduction of the masks of delegates (Pan et al., section V-A; exchange.h)
 *
 * In a group that holds all shards every device ORs the masks of its peers for itself. Otherwise the first device of each
 * group ORs them. The result is then reduced over all groups in host memory, and every device takes it from there. If few
 * words changed, groups give each other lists of these words in place of masks.
 *
 * The steps of a level between groups, in their order:
 * 0. masks_join and masks_know, between the two parts of a pull of dd, if it has two.
 * 1. masks_begin, if masks are reduced while devices still look for normals. masks_move goes on with the reduction.
 * 2. masks_count_changed: counts the changed words of the group's mask, for the note of this rank to the other ranks.
 * 3. masks_reduce, once all notes are known, if any device found a delegate. masks_are_here asks whether it is over.
 * 4. masks_take gives the result to the devices.
 * Host thread 0 calls these functions. Only functions with a `thread` parameter are called by every thread, for its devices.
 */
#ifndef DBFS_MASKS_H
#define DBFS_MASKS_H

#include "traverse/exchange/exchange_counts.h"
#include "traverse/exchange/group.h"

/* A mask's non-zero words as a list, each with its index. */
struct mask_list {
    struct mask_word *own, *all; /* [most] words of this group; words of all groups. Devices copy to and from them fast */
    uint64_t most;               /* a quarter of the mask's words; a longer list is not worth its indices. 0: no lists */
    uint64_t gathered;           /* the number of words in `all` */
    int *counts, *begins; /* [R] each, in one array: length and begin of each group's part of `all`, in 64-bit units */
};

struct masks {
    const struct group *group;
    uint64_t words; /* of a mask, of 64 bits each */
    uint64_t *bits; /* [words]: the mask of the group, on its way to and from MPI; NULL: the group holds all shards */
    int nonblocking;
    struct mask_list list;

    /* Members below belong to the current level. */
    uint64_t changed;     /* the number of words that this group changed */
    int is_read;          /* `changed` is known already */
    int is_whole;         /* `bits` has the group's changes; 0: list.own has the changes, or nothing changed */
    uint64_t all_changed; /* the sum of `changed` over all groups */
    int is_summing;       /* the ranks are adding up all_changed */
    int begun;            /* a reduction of whole masks has begun while normals were looked for */
    int is_sparse;        /* groups give each other lists */
};

/* Allocates the memory of reductions. Collective: a rank that failed before takes part. `nonblocking`: option IR. After a
 * failure masks_close frees what was allocated. */
enum status masks_open(struct masks *masks, struct group *group, int nonblocking, struct error *e);
void masks_close(struct masks *masks, const struct rank *rank); /* zeroed masks are allowed */

/* ---- in a group that holds all shards ---- */

/* Lets each device OR the masks of its peers. masks_take follows when all devices have read. */
enum status masks_read_peers(const struct masks *masks, const struct host_thread *thread, struct error *e);

/* ---- between groups ---- */

/* Collective. Reduces the delegates that devices have found in the first part of a pull of dd, and waits. Whole masks are
 * reduced, because the first part finds most of what the level finds. */
enum status masks_join(struct masks *masks, struct exchange_counts *counts, struct error *e);

/* Tells the devices of this thread the delegates of masks_join. */
enum status masks_know(const struct masks *masks, const struct host_thread *thread, struct error *e);

/* Collective, without waiting. All ranks begin to add up how many words changed. If the sum is too large for a list,
 * masks_move begins a reduction of whole masks, while normals are still looked for. */
enum status masks_begin(struct masks *masks, struct error *e);

/* Does what can be done now of the work that masks_begin began. Returns 0 while the sum or the reduction is under way. */
int masks_move(struct masks *masks, struct exchange_counts *counts);

/* Waits for the sum of masks_begin, if there is one. If the sum is too large for a list, begins the reduction of whole
 * masks. */
void masks_await_sum(struct masks *masks, struct exchange_counts *counts);

/* Sets *changed to the number for this rank's note (rank_note.changed), which all ranks get. */
enum status masks_count_changed(struct masks *masks, uint64_t *changed, struct error *e);

/* Collective. Reduces masks, by the notes of all ranks. Returns 1 if a non-blocking reduction is under way, otherwise 0. */
int masks_reduce(struct masks *masks, const struct rank_note *notes, struct exchange_counts *counts);

/* Lets MPI go on. Returns 0 while this rank's reduction is under way, and always 1 on ranks that reduce nothing. */
int masks_are_here(const struct masks *masks);

/* ---- in both ---- */

/* Gives the result to the devices of this thread: the delegates of the next previsit. */
enum status masks_take(const struct masks *masks, const struct host_thread *thread, struct error *e);

/* Counts the bytes of masks that devices of this rank read of their peers in this level. */
void masks_count_peers(const struct masks *masks, struct exchange_counts *counts);

#endif
