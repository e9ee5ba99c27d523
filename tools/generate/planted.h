/* planted.h: a planted graph: communities of random edges, with few edges between them.
 *
 * A community is a range of ids, the same number for each. Each of its edges joins two different vertices of it, all pairs
 * equally likely, and a pair may come twice. So the degrees of a large community follow the Poisson distribution. Edges between
 * communities, the bridges, come last. One community without bridges is the random graph G(n, m).
 *
 * Edge i is made of random numbers 2i and 2i + 1, so any edge can be made without the ones before.
 */
#ifndef DBFS_PLANTED_H
#define DBFS_PLANTED_H

#include "formats/edges/edges.h"

#include <stddef.h>
#include <stdint.h>

/* In place of a number of bridges: one bridge from each community to the next. */
#define PLANTED_CHAIN UINT64_MAX

struct planted {
    uint64_t communities, size; /* vertices of a community */
    uint64_t inner;             /* edges of a community */
    uint64_t bridges;           /* between vertices of any two communities, or PLANTED_CHAIN */
    uint64_t seed;
};

/* The edges within a community that make this mean degree, rounded. */
uint64_t planted_inner_edges(uint64_t size, double degree);

/* All edges; UINT64_MAX where there are more than 2^64 - 2. */
uint64_t planted_edge_count(const struct planted *g);

/* Makes `count` edges from number `first` on. */
void planted_edges(const struct planted *g, uint64_t first, size_t count, struct edge *edges);

#endif
