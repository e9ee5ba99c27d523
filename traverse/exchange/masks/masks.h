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
 * Member 0 calls them, except for those with a `member` parameter, which every member calls.
 */
#ifndef DBFS_MASKS_H
#define DBFS_MASKS_H

#include "traverse/exchange/exchange_counts.h"
#include "traverse/exchange/group.h"


/* The non-zero words of a mask, with their places: fewer bytes than the mask if they are few. */
struct mask_list {
    struct mask_word *own, *all; /* [most], in memory that devices copy to and from fast */
    uint64_t most;               /* 0: masks are never listed */
    uint64_t gathered;           /* words of `all` */
    int *counts, *begins;        /* [R] each, one behind the other */
};

struct masks {
    const struct group *group;
    uint64_t words;
    uint64_t *bits; /* [words]: the mask of the group on its way to and from MPI; NULL: the group holds all shards */
    int nonblocking;
    struct mask_list list;
    int devices_list; /* devices list the words of masks, and take lists of them */

    /* of this level */
    uint64_t changed; /* words that this group changed */
    int is_read;      /* `changed` is known already */
    int is_whole;     /* `bits` has the group's changes; 0: the list has them, or nothing changed */
    uint64_t all_changed; /* the sum of `changed` over all groups */
    int asks;         /* the ranks are asking for all_changed */
    int begun;        /* the reduction has begun while normals were looked for */
    int is_sparse;    /* groups give each other lists */
};

/* Collective: a rank that failed before takes part. `nonblocking`: option IR. */
enum status masks_open(struct masks *masks, struct group *group, int nonblocking, struct error *e);
void masks_close(struct masks *masks, const struct rank *rank); /* a zeroed one is allowed */

/* ---- in a group that holds all shards ---- */

/* Devices read the masks of their peers; masks_take follows when all have. */
enum status masks_read_peers(const struct masks *masks, const struct host_thread *member, struct error *e);

/* ---- between groups ---- */

/* Reduces what devices have found in the first part of a visit: whole masks, as that is most of what the level finds. */
enum status masks_join(struct masks *masks, struct exchange_counts *counts, struct error *e);

/* Then devices know it. */
enum status masks_know(const struct masks *masks, const struct host_thread *member, struct error *e);

/* Collective, without waiting. First all ranks ask how many words changed. If they are too many to be listed, a
 * reduction of whole masks begins, while normals are still looked for. */
enum status masks_begin(struct masks *masks, struct error *e);

/* Does what can be done now; 0: something is under way. */
int masks_move(struct masks *masks, struct exchange_counts *counts);

/* Waits until it is known whether a reduction has begun. */
void masks_await_answer(struct masks *masks, struct exchange_counts *counts);

/* Gives rank_note.changed, this rank's word to the others. */
enum status masks_count_changed(struct masks *masks, uint64_t *changed, struct error *e);

/* Reduces masks. Returns whether they are still under way, as in a non-blocking reduction. */
int masks_reduce(struct masks *masks, const struct rank_note *notes, struct exchange_counts *counts);

/* Lets MPI go on; 0: a reduction is under way. A rank that does not reduce has none to wait for. */
int masks_are_here(const struct masks *masks);

/* ---- in both ---- */

enum status masks_take(const struct masks *masks, const struct host_thread *member, struct error *e);

/* Counts the masks that devices of this rank read of their peers in this level. */
void masks_count_peers(const struct masks *masks, struct exchange_counts *counts);

#endif
