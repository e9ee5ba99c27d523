/* masks.h: the reduction of the masks of delegates (Pan et al., section V-A; exchange.h)
 *
 * In a group that holds all shards every device ORs the masks of its peers for itself. Otherwise the first device of each
 * group ORs the masks of the group. The masks of all groups are then reduced in host memory, and every device gets the
 * result from host memory. If few words changed, groups give each other lists of these words in place of masks.
 *
 * The steps of a level between groups, in their order:
 * 0. masks_join and masks_know are called between the two parts of a pull of dd, if dd is divided.
 * 1. masks_begin is called if masks are reduced while devices still look for normals. masks_move continues the reduction.
 * 2. masks_count_changed counts the changed words of the group's mask, for the note of this rank to the other ranks.
 * 3. masks_reduce is called if any device found a delegate, when all notes are known. masks_are_here says whether the
 *    reduction is over.
 * 4. masks_take gives the result to the devices.
 *
 * Every host thread calls the functions with a `thread` parameter, for the devices of that thread. Host thread 0 calls
 * all other functions. */
#ifndef DBFS_MASKS_H
#define DBFS_MASKS_H

#include "traverse/exchange/exchange_counts.h"
#include "traverse/exchange/group.h"

/* The non-zero words of a mask as a list. Each word has its index. */
struct mask_list {
    struct mask_word *own, *all; /* [most] `own` has the words of this group, `all` the words of all groups. Devices copy to
                                  * and from both arrays fast */
    uint64_t most; /* the capacity in words: a quarter of the mask's words. A longer list has more bytes than it saves. 0:
                    * no lists */
    uint64_t gathered;           /* the number of words in `all` */
    int *counts, *begins; /* [R] each, in one array: the length and the beginning of each group's part of `all`, in units of
                           * 64 bits */
};

/* How far the reduction of a level has come before masks_reduce. It goes further than the first stage only if masks are reduced
 * while devices still look for normals (masks_begin). */
enum masks_stage {
    MASKS_UNREAD,  /* the delegates that the group found have not been read */
    MASKS_SUMMING, /* `changed` is set, and the sum all_changed is under way */
    MASKS_SUMMED,  /* the sum is complete, and small enough for lists */
    MASKS_BEGUN    /* the sum is complete, and a reduction of whole masks has begun */
};

struct masks {
    const struct group *group;
    uint64_t words; /* the number of 64-bit words of a mask */
    uint64_t *bits; /* [words] the mask of the group, before and after the reduction by MPI; NULL: the group holds all
                     * shards */
    int nonblocking;
    struct mask_list list;

    /* Members below belong to the current level. */
    enum masks_stage stage;
    uint64_t changed;     /* the number of words that this group changed */
    int is_whole;         /* `bits` has the changes of the group; 0: list.own has the changes, or nothing changed */
    uint64_t all_changed; /* the sum of `changed` over all groups */
    int is_sparse;        /* groups give each other lists */
};

/* Allocates the memory of reductions. Collective: a rank with a failure in *e takes part, too. `nonblocking`: option IR.
 * After a failure masks_close frees what was allocated. */
enum status masks_open(struct masks *masks, struct group *group, int nonblocking, struct error *e);
void masks_close(struct masks *masks, const struct rank *rank); /* zeroed masks are allowed */

/* ---- in a group that holds all shards ---- */

/* Lets each device OR the masks of its peers. masks_take follows when all devices have read the masks. */
enum status masks_read_peers(const struct masks *masks, const struct host_thread *thread, struct error *e);

/* ---- between groups ---- */

/* Collective. Reduces the delegates that devices have found in the first part of a pull of dd, and waits. Whole masks are
 * reduced, because the first part finds most of the delegates of the level. */
enum status masks_join(struct masks *masks, struct exchange_counts *counts, struct error *e);

/* Tells the devices of this thread which delegates masks_join found. */
enum status masks_know(const struct masks *masks, const struct host_thread *thread, struct error *e);

/* Collective, without waiting. All ranks begin to add up how many words changed. If the sum is too large for a list,
 * masks_move begins a reduction of whole masks while devices still look for normals. */
enum status masks_begin(struct masks *masks, struct error *e);

/* Continues the work that masks_begin began, without waiting. Returns 0 while the sum or the reduction is under way,
 * otherwise 1. */
int masks_move(struct masks *masks, struct exchange_counts *counts);

/* If masks_begin has begun a sum, waits for the sum. If the sum is too large for a list, begins the reduction of whole
 * masks. */
void masks_await_sum(struct masks *masks, struct exchange_counts *counts);

/* Sets *changed to the value of rank_note.changed for this rank's note. All ranks get the note later. */
enum status masks_count_changed(struct masks *masks, uint64_t *changed, struct error *e);

/* Collective. Reduces masks. The notes of all ranks say in which form. Returns 1 if a non-blocking reduction is under
 * way, otherwise 0. */
int masks_reduce(struct masks *masks, const struct rank_note *notes, struct exchange_counts *counts);

/* Lets MPI continue. Returns 0 while this rank's reduction is under way. On ranks that do not take part in reductions
 * always returns 1. */
int masks_are_here(const struct masks *masks);

/* ---- in both cases ---- */

/* Gives the result of the reduction to the devices of this thread. The delegates of the result are the frontier of the
 * next previsit. */
enum status masks_take(const struct masks *masks, const struct host_thread *thread, struct error *e);

/* Counts the bytes of masks that devices of this rank read in the memory of their peers in this level. */
void masks_count_peers(const struct masks *masks, struct exchange_counts *counts);

#endif
