/* kronecker500.h: the edge list of the Graph500 reference generator, version 3, bit for bit.
 *
 * Edge i is made from the random numbers that follow number i * 2^64 of the generator in mrg.h, one
 * a level and rarely more, and its vertices are scrambled by a permutation that further random
 * numbers fix. So any range can be made by any thread. The benchmark's seeds are 2 and 3.
 */
#ifndef DBFS_KRONECKER500_H
#define DBFS_KRONECKER500_H

#include "formats/edges.h"
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

/* ST_USAGE when the scale is outside 1..48. Takes about a tenth of a millisecond and allocates
 * nothing; `g` is read-only afterwards and may be shared by threads. */
enum status kronecker500_init(struct kronecker500 *g, int scale, uint64_t seed1, uint64_t seed2,
                              struct error *e);

/* Makes edges first .. first + count - 1; a call costs about a microsecond beside its edges. */
void kronecker500_edges(const struct kronecker500 *restrict g, uint64_t first, size_t count,
                        struct edge *restrict edges);

#endif
