/* root_set.h: the roots of one search. All of them have depth 0. */
#ifndef DBFS_ROOT_SET_H
#define DBFS_ROOT_SET_H

#include "engine.h"

/* Sorts root[count] in the order of a root_set, and drops roots that stand there twice. Returns the set, whose roots stay in
 * this array. */
struct root_set root_set_make(struct root *root, uint64_t count);

/* Return a part of a set, which may be empty: the roots of one kind, and those that are local vertices of a shard. */
struct root_set root_set_of_kind(const struct root_set *roots, enum root_at at);
struct root_set root_set_of_shard(const struct root_set *roots, uint32_t shard);

/* Returns whether a set has this root without edges: the id of slot `slot` of the shard. */
int root_set_has_isolated(const struct root_set *roots, uint32_t shard, uint64_t slot);

#endif
