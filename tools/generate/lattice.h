/* lattice.h: lattices: the points of a box with whole coordinates, and edges between points that are near.
 *
 * The point at (x, y, z) is vertex x + width * (y + height * z). A stencil is a point with its neighbours: 5 or 9 points in two
 * dimensions, 7 or 27 in three. The smaller one has the points at distance 1, the larger one all points whose coordinates
 * differ by 1 at most. On a torus, the last point of a line is a neighbour of the first.
 *
 * Edges are numbered by direction: all in the direction of x, then all in that of y, and so on. So the number of an edge tells its ends.
 */
#ifndef DBFS_LATTICE_H
#define DBFS_LATTICE_H

#include "formats/edges/edges.h"

#include <stddef.h>
#include <stdint.h>

enum { LATTICE_AXES = 3, LATTICE_MAX_DIRECTIONS = 13, LATTICE_TORUS_SIDE = 3 };

struct lattice_direction {
    int step[LATTICE_AXES];
    uint64_t box[LATTICE_AXES]; /* points along each axis that have a neighbour in this direction */
    uint64_t edges;
};

struct lattice {
    uint64_t side[LATTICE_AXES];
    int torus, directions;
    struct lattice_direction direction[LATTICE_MAX_DIRECTIONS];
};

/* Nonzero if there is a stencil of `stencil` points in `dimensions` dimensions (2 or 3). */
int lattice_has_stencil(int dimensions, uint64_t stencil);

/* Prepares a lattice. side[] has the points along each of LATTICE_AXES axes, 1 for an axis that the lattice lacks. There are
 * 2^48 points at most, and LATTICE_TORUS_SIDE or more along each side of a torus. */
void lattice_init(struct lattice *g, const uint64_t *side, int dimensions, uint64_t stencil, int torus);

uint64_t lattice_edge_count(const struct lattice *g);

/* Makes `count` edges from number `first` on. */
void lattice_edges(const struct lattice *g, uint64_t first, size_t count, struct edge *edges);

#endif
