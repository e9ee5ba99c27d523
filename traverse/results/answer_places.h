/* answer_places.h: the tables by which devices put values into the order of input ids */
#ifndef DBFS_ANSWER_PLACES_H
#define DBFS_ANSWER_PLACES_H

#include "traverse/engine/rank_devices.h"

/* The tables of the devices of a rank. */
struct places {
    const struct rank *rank;
    struct answer_places *at; /* [G] */
};

/* Collective. Makes all tables; those of ids only with `parents`. If a rank fails, here or before, all do. */
enum status places_open(struct places *places, const struct rank *rank, int parents,
                        struct error *e);
void places_close(struct places *places); /* a zeroed one is allowed */

/* Releases the tables that devices have copied: all but `starts` and `marks_of`. */
void places_forget(const struct places *places);

/* Elements for the marks of so many ids of one shard. */
static inline uint64_t marks_for(uint64_t ids)
{
    return ids / 32 + (ids % 32 > 0);
}

/* answer_marks.c. Collective. Makes the marks of all blocks of this rank, and removes ids without edges from `vertex`.
 * At first `vertex`, `starts` and `marks_of` are those of all ids. If a rank fails, here or before, all do. */
enum status places_mark(const struct places *places, struct error *e);

#endif
