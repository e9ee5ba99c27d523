/* lattice.c: see lattice.h */
#include "lattice.h"

#include <stdlib.h>
#include <string.h>

/* The points of the larger stencil. */
static uint64_t large_stencil(int dimensions)
{
    return dimensions == 2 ? 9 : 27;
}

int lattice_has_stencil(int dimensions, uint64_t stencil)
{
    return stencil == (dimensions == 2 ? 5 : 7) || stencil == large_stencil(dimensions);
}

/* Adds a direction, with the box of points that have a neighbour there. */
static void add_direction(struct lattice *g, const int step[LATTICE_AXES])
{
    struct lattice_direction *d = &g->direction[g->directions++];
    d->edges = 1;
    for (int axis = 0; axis < LATTICE_AXES; axis++) {
        d->step[axis] = step[axis];
        d->box[axis] = g->side[axis] - (step[axis] != 0 && !g->torus);
        d->edges *= d->box[axis];
    }
}

/* Lists the directions in which a point has neighbours, each without its reverse: those with a number above 0. The digits of
 * the number in base 3, from -1 to 1, lowest first, are the steps along x, y and z. */
void lattice_init(struct lattice *g, const uint64_t *side, int dimensions, uint64_t stencil, int torus)
{
    const int last = dimensions == 2 ? 4 : 13; /* the number of the direction (1, 1) or (1, 1, 1) */
    memset(g, 0, sizeof *g);
    memcpy(g->side, side, sizeof g->side);
    g->torus = torus;
    for (int number = 1; number <= last; number++) {
        int step[LATTICE_AXES] = {(number + 1) % 3 - 1, (number + 4) / 3 % 3 - 1, (number + 13) / 9 % 3 - 1};
        if (stencil == large_stencil(dimensions) || abs(step[0]) + abs(step[1]) + abs(step[2]) == 1)
            add_direction(g, step);
    }
}

uint64_t lattice_edge_count(const struct lattice *g)
{
    uint64_t edges = 0;
    for (int i = 0; i < g->directions; i++)
        edges += g->direction[i].edges;
    return edges;
}

static uint64_t vertex_at(const struct lattice *g, const uint64_t at[LATTICE_AXES])
{
    return at[0] + g->side[0] * (at[1] + g->side[1] * at[2]);
}

/* Returns an edge in one direction, from place `at` in the box of all points that have such an edge. Along an axis on which the
 * direction goes back, the box begins at the second point. */
static struct edge edge_at(const struct lattice *g, const struct lattice_direction *d,
                           const uint64_t at[LATTICE_AXES])
{
    uint64_t from[LATTICE_AXES], to[LATTICE_AXES];
    for (int axis = 0; axis < LATTICE_AXES; axis++) {
        from[axis] = at[axis] + (d->step[axis] < 0 && !g->torus);
        to[axis] = from[axis] + (uint64_t)d->step[axis];
        if (to[axis] == g->side[axis])
            to[axis] = 0;
        else if (to[axis] == UINT64_MAX)
            to[axis] = g->side[axis] - 1;
    }
    return (struct edge){vertex_at(g, from), vertex_at(g, to)};
}

/* Makes edges first to first + count - 1 of those of one direction. */
static void edges_of_direction(const struct lattice *g, const struct lattice_direction *d, uint64_t first,
                               size_t count, struct edge *edges)
{
    uint64_t at[LATTICE_AXES] = {first % d->box[0], first / d->box[0] % d->box[1],
                                 first / d->box[0] / d->box[1]};
    for (size_t i = 0; i < count; i++) {
        edges[i] = edge_at(g, d, at);
        for (int axis = 0; axis < LATTICE_AXES && ++at[axis] == d->box[axis]; axis++)
            at[axis] = 0;
    }
}

/* Goes to the direction that has edge `first`, and on to the next ones. */
void lattice_edges(const struct lattice *g, uint64_t first, size_t count, struct edge *edges)
{
    for (const struct lattice_direction *d = g->direction; count > 0; d++) {
        if (first >= d->edges) {
            first -= d->edges;
            continue;
        }
        size_t here = count < d->edges - first ? count : (size_t)(d->edges - first);
        edges_of_direction(g, d, first, here, edges);
        first = 0;
        count -= here;
        edges += here;
    }
}
