/* geometric.h: a random geometric graph: random points in the unit square, and an edge between any two that are near.
 *
 * Random number i places point i, in units of 2^-31: its upper 31 bits are x, the next 31 bits y. The radius r <= 1 follows
 * from the mean degree, because two random points are within r of each other with the probability pi r^2 - 8/3 r^3 + r^4 / 2.
 * All comparisons are between whole numbers, so every machine makes the same edges.
 *
 * The points are sorted into a grid of cells, row by row, none narrower than the radius, so that neighbours are in the same
 * cell or in cells that touch. Points of a cell keep their order. The id of a vertex is the place of its point in this order.
 */
#ifndef DBFS_GEOMETRIC_H
#define DBFS_GEOMETRIC_H

#include "formats/base/memory.h"
#include "tools/generate/edge_list.h"

#include <stdint.h>

enum { GEOMETRIC_BITS = 31 };
#define GEOMETRIC_MAX_POINTS (UINT64_C(1) << GEOMETRIC_BITS)

struct geometric {
    uint64_t n;
    uint64_t radius;
    uint64_t cells;   /* along a side of the square */
    uint64_t *point;  /* x << 31 | y, in the order of cells */
    uint32_t *start;  /* the first point of each cell, and n at the end */
};

/* The largest mean degree of n points: with a radius of 1. */
double geometric_max_degree(uint64_t n);

/* Makes the points. The budget is charged 8 bytes for each point and 4 for each cell, of which there are at most n. */
enum status geometric_init(struct geometric *g, uint64_t n, double degree, uint64_t seed,
                           struct memory_budget *budget, struct error *e);
void geometric_free(struct geometric *g, struct memory_budget *budget);

/* Appends the edges from `count` points, from number `first` on, to points with higher numbers. */
enum status geometric_edges(const struct geometric *g, uint64_t first, size_t count, struct edge_list *list,
                            struct error *e);

#endif
