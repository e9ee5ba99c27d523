/* shard_join.h: makes one shard of all shards of a graph, in memory. It has the sections that dbfs-pack -p 1 --encoding raw would
 * write with the same TH, so that a single GPU searches a graph that was packed for several as if it had been packed for one. */
#ifndef DBFS_SHARD_JOIN_H
#define DBFS_SHARD_JOIN_H

#include "shard.h"

/* The options of shard_join. */
struct join_options {
    const char *path; /* stands for the file of the new shard in messages */
    int trust;        /* 1: the ranges of ids and offsets are not checked (shard_ranges.h) */
    int threads;
    struct memory_budget *budget; /* must outlive the shard */
};

/* Joins the shards shards[p], which are all of a graph, in the order of their indices, open and not yet loaded, with out-rows first (not
 * shard_reverse). The caller closes them afterwards, also after a failure. Returns ST_BAD_DATA if a shard is damaged, and ST_RESOURCE
 * if memory is short or one shard cannot have so many vertices. The caller closes *joined with shard_close; after a failure it is
 * zeroed. */
enum status shard_join(struct shard *joined, struct shard *shards, uint32_t p, const struct join_options *options, struct error *e);

/* Returns whether one shard can have vertices with ids below n, whose slots are these ids. */
static inline int shard_can_join(uint64_t n)
{
    return n < SHARD_MAX_LOCAL;
}

#endif
