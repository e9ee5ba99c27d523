/* placing.h: the tables in which edges are looked up to be placed; only for place.c and place_arcs.c */
#ifndef DBFS_PLACING_H
#define DBFS_PLACING_H

#include "place.h"

#include "formats/graph/partition.h"

/* Computes v mod p without a division if v has 32 bits: the high word of p times the fraction of v/p. */
struct modulus {
    uint32_t p;
    uint64_t reciprocal; /* 2^64 / p, rounded up */
};

/* v mod p. */
static inline uint32_t reduce(const struct modulus *m, uint64_t v)
{
    if (v > UINT32_MAX)
        return shard_of_vertex(v, m->p);
    uint64_t fraction = m->reciprocal * v;
    return (uint32_t)(((unsigned __int128)fraction * m->p) >> 64);
}

/* Further targets, which only directed edges need. */
struct arc_targets {
    struct record_target nd, in_nn;
    int with_in; /* they have in-rows, too */
};

struct placing {
    struct record_target dd, dn, nn; /* the table of dn stands behind that of dd */
    struct arc_targets arcs;
    uint32_t dn_table;
    uint32_t shard_buckets;
    const uint32_t *label;
    uint32_t delegate_mask; /* of a label */
    const struct vertex_order *order; /* NULL where labels tell all runs of delegates apart */
    unsigned local_bits;
    struct modulus modulus;
    int symmetric;
    unsigned tile_bytes; /* of a record of the tiles */
    const unsigned char *finished; /* shards whose edges are passed over; NULL: none */
    struct bucket_store *store;
};

/* Nonzero if delegate `last` has the same degree as delegate `first`, whose id is smaller. */
static inline int same_run(const struct vertex_order *o, uint32_t first, uint32_t last)
{
    return last < o->delegate_run_end[order_delegate_run(o, first)];
}

/* Visitors that place directed edges (place_arcs.c); their context is a struct placing. */
extern const struct edge_visitors arc_visitors;

#endif
