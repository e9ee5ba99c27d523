/* answer_marks.h: marks that say which ids of a block have edges; all shards tell them its device */
#ifndef DBFS_ANSWER_MARKS_H
#define DBFS_ANSWER_MARKS_H

#include "answer_places.h"

/* Elements for the marks of so many ids of one shard. */
static inline uint64_t marks_for(uint64_t ids)
{
    return ids / 32 + (ids % 32 > 0);
}

/* Collective. Makes the marks of all blocks of this rank, and removes ids without edges from `vertex`. At first
 * `vertex`, `starts` and `marks_of` are those of all ids. If a rank fails, here or before, all do. */
enum status places_mark(const struct places *places, struct error *e);

#endif
