/* answer_marks.h: which ids of a block have edges, as all shards tell its device */
#ifndef DBFS_ANSWER_MARKS_H
#define DBFS_ANSWER_MARKS_H

#include "answer_places.h"

/* Elements for so many ids of one shard. */
static inline uint64_t marks_for(uint64_t ids)
{
    return ids / 32 + (ids % 32 > 0);
}

/* Collective. Makes the marks of all blocks of this rank, and leaves ids without edges out of `vertex`. Before it
 * `vertex`, `starts` and `marks_of` are those of all ids. If a rank fails, here or before, all do. */
enum status places_mark(struct places *places, struct error *e);

#endif
