/* exchange_internal.h: the state behind exchange.h, for the files of this folder only */
#ifndef DBFS_EXCHANGE_INTERNAL_H
#define DBFS_EXCHANGE_INTERNAL_H

#include "exchange.h"
#include "group.h"
#include "pair_log.h"

#include "masks/masks.h"
#include "vertices/vertices.h"

/* State of a level that all ranks know. */
struct level_state {
    int updated; /* a device of some rank found a delegate */
    int found;   /* a device of some rank found a normal vertex */
    int wide;    /* the next level may reach so many normals that their frontier is worth sending */
};

/* Counts that the direction of nn depends on. */
struct nn_pool {
    struct subgraph_work work; /* of all devices if `everywhere`, else of the group */
    int everywhere;
    double reach;     /* estimate of the normals that this rank's level reaches */
    uint64_t bits;    /* of all frontiers, which groups give each other if nn is pulled */
    uint64_t normals; /* of all shards */
    uint64_t sources; /* of all shards: rows of nn that are not empty */
};

struct exchange {
    const struct rank *rank;
    struct exchange_options options;
    struct group group;
    struct level_state level;
    struct exchange_counts counts; /* of this level, by member 0 */
    struct pair_log *pairs;        /* the same for each pair of ranks; NULL: not wanted */
    struct nn_pool nn;
    struct masks masks;
    struct vertices vertices;
    char why[ERROR_TEXT_BYTES];
};

/* Masks of nn's columns may be used. */
static inline int has_masks(const struct exchange *x)
{
    return x->options.form != EXCHANGE_FORM_LIST && shard_has_masks(&x->rank->graph->shards[0]);
}

/* Forgets the frontiers that others know, before a search. */
static inline void forget_frontiers(struct exchange *x)
{
    x->nn.bits = x->rank->backend->frontiers->words != NULL ? x->nn.sources : x->nn.normals;
}

#endif
