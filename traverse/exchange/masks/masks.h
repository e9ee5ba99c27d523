/* masks.h: reduces the masks of delegates that devices found in a level (Pan et al., section V-A)
 *
 * In a group that holds all shards every device ORs the masks of its peers. Otherwise the first device of each group ORs the
 * masks of its group, and MPI then ORs the masks of all groups in host memory, where all devices read the result. If few
 * words changed, groups send lists of these words in place of masks.
 *
 * Between groups a level goes through these steps:
 * 0. If dd is divided, masks_join and masks_know tell all devices what its first part found.
 * 1. If masks are reduced while devices still look for normals, masks_begin begins this, and masks_move continues.
 * 2. masks_count_changed says how many words the group changed, for this rank's note to the others.
 * 3. If any device found a delegate, masks_reduce reduces the masks, and masks_are_here says when this is over.
 * 4. masks_take gives the result to the devices.
 *
 * Every host thread calls the functions with a `thread` parameter, for its own devices. Thread 0 calls the others. */
#ifndef DBFS_MASKS_H
#define DBFS_MASKS_H

#include "traverse/exchange/exchange_counts.h"
#include "traverse/exchange/group.h"

/* The words of masks that changed, each with its index, as lists that groups send each other. */
struct mask_list {
    struct mask_word *own, *all; /* [most] the words of this group, and those of all groups, in memory that devices copy fast */
    uint64_t most; /* capacity in words, a quarter of a mask: longer lists save no bytes; 0: no lists */
    uint64_t gathered;           /* the number of words in `all` */
    int *counts, *begins; /* [R] each, in one array: how many words each group has in `all`, and where they begin, counted in
                           * units of 64 bits */
};

/* How far the reduction of a level has come before masks_reduce. It goes further than the first stage only if masks are
 * reduced while devices still look for normals (masks_begin). */
enum masks_stage {
    MASKS_UNREAD,  /* the delegates that the group found have not been read */
    MASKS_SUMMING, /* `changed` is set, and the sum all_changed is under way */
    MASKS_SUMMED,  /* the sum is complete, and small enough for lists */
    MASKS_BEGUN    /* the sum is complete, and a reduction of whole masks has begun */
};

struct masks {
    const struct group *group;
    uint64_t words; /* the number of 64-bit words of a mask */
    uint64_t *bits; /* [words] the mask of the group, which MPI reduces in place; NULL: the group holds all shards */
    int nonblocking;
    struct mask_list list;

    /* Members below belong to the current level. */
    enum masks_stage stage;
    uint64_t changed;     /* the number of words that this group changed */
    int is_whole;         /* 1: `bits` has the changes of the group; 0: list.own has them, or nothing changed */
    uint64_t all_changed; /* the sum of `changed` over all groups */
    int is_sparse;        /* groups give each other lists */
};

/* Collective. Allocates the memory of reductions; a rank with a failure in *e takes part, too. `nonblocking` is option
 * IR. masks_close frees what was allocated, also after a failure. */
enum status masks_open(struct masks *masks, struct group *group, int nonblocking, struct error *e);
void masks_close(struct masks *masks, const struct rank *rank); /* zeroed masks are allowed */

/* ---- in a group that holds all shards ---- */

/* Lets each device OR the masks of its peers, for masks_take, which follows when all have done so. */
enum status masks_read_peers(const struct masks *masks, const struct host_thread *thread, struct error *e);

/* ---- between groups ---- */

/* Collective. Reduces the delegates that the first part of a pull of dd found, and waits. That part finds most of a
 * level's delegates, so whole masks are reduced. */
enum status masks_join(struct masks *masks, struct exchange_counts *counts, struct error *e);

/* Tells the devices of this thread which delegates masks_join found. */
enum status masks_know(const struct masks *masks, const struct host_thread *thread, struct error *e);

/* Collective, without waiting. Begins to sum up how many words changed on all ranks. If there are too many for lists,
 * masks_move begins to reduce whole masks while devices still look for normals. */
enum status masks_begin(struct masks *masks, struct error *e);

/* Continues what masks_begin began, without waiting. Returns 0 while a sum or reduction is under way, otherwise 1. */
int masks_move(struct masks *masks, struct exchange_counts *counts);

/* Waits for the sum if masks_begin has begun one. If it is too large for lists, begins to reduce whole masks. */
void masks_await_sum(struct masks *masks, struct exchange_counts *counts);

/* Counts the words of the group's mask that changed, for this rank's note: sets *changed_plus_1 (rank_note). */
enum status masks_count_changed(struct masks *masks, uint64_t *changed_plus_1, struct error *e);

/* Collective. Reduces masks, as whole masks or lists: the notes of all ranks decide. Returns 1 if a non-blocking
 * reduction may still be under way, otherwise 0. */
int masks_reduce(struct masks *masks, const struct rank_note *notes, struct exchange_counts *counts);

/* Lets MPI continue. Returns 0 while this rank's reduction is under way; ranks without a part in reductions get 1. */
int masks_are_here(const struct masks *masks);

/* ---- in both cases ---- */

/* Gives the result of the reduction to the devices of this thread, whose next previsit makes it the frontier of
 * delegates. */
enum status masks_take(const struct masks *masks, const struct host_thread *thread, struct error *e);

/* Counts the bytes of masks that devices of this rank read in the memory of peers in this level. */
void masks_count_peers(const struct masks *masks, struct exchange_counts *counts);

#endif
