/* kronecker500.h: makes the edge list of the Graph500 reference generator, version 3, bit for bit. Edge i is made from the
 * random numbers that follow number i * 2^64 of the generator in mrg.h: one for each level, rarely more. Its vertices are then
 * permuted, as further random numbers say. So any thread can make any range of edges. The benchmark's seeds are 2 and 3. */
#ifndef DBFS_KRONECKER500_H
#define DBFS_KRONECKER500_H

#include "formats/edges/edges.h"
#include "formats/base/status.h"
#include "mrg.h"

#include <stddef.h>
#include <stdint.h>

enum {
    KRONECKER500_MIN_SCALE = 1,
    KRONECKER500_MAX_SCALE = 48, /* ids have 48 bits in the benchmark's own files */
    KRONECKER500_INDEX_BITS = 64
};

struct kronecker500 {
    int scale;
    uint64_t scramble[2];
    struct mrg_state origin; /* where edge 0 starts */
    struct mrg_jump ahead[KRONECKER500_INDEX_BITS]; /* [k]: from an edge's start to 2^k edges on */
};

/* Prepares `g`, which afterwards is only read, so that threads may share it. Allocates nothing. ST_USAGE if the scale is not 1 to 48. */
enum status kronecker500_init(struct kronecker500 *g, int scale, uint64_t seed1, uint64_t seed2,
                              struct error *e);

/* Makes edges first..first + count - 1. Each call also has a small fixed cost, so make many edges at once. */
void kronecker500_edges(const struct kronecker500 *restrict g, uint64_t first, size_t count,
                        struct edge *restrict edges);

#endif
