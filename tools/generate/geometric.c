/* geometric.c: see geometric.h */
#include "geometric.h"

#include "formats/base/arith.h"
#include "formats/base/hash.h"

#include <math.h>

#define WHOLE (UINT64_C(1) << GEOMETRIC_BITS) /* the side of the square */
#define PI 3.14159265358979323846

/* ---- points ---- */

/* The mean degree of n points with a radius in units of the side. */
static double mean_degree(uint64_t n, double r)
{
    return (double)(n - 1) * (r * r * (PI - r * (8. / 3 - r / 2)));
}

double geometric_max_degree(uint64_t n)
{
    return mean_degree(n, 1);
}

/* The smallest radius that gives at least this mean degree. */
static uint64_t radius_for(uint64_t n, double degree)
{
    uint64_t low = 0, high = WHOLE;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (mean_degree(n, (double)middle / (double)WHOLE) < degree)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline uint64_t x_of(uint64_t point)
{
    return point >> GEOMETRIC_BITS;
}

static inline uint64_t y_of(uint64_t point)
{
    return point & (WHOLE - 1);
}

static inline uint64_t cell_of(const struct geometric *g, uint64_t point)
{
    uint64_t column = x_of(point) * g->cells >> GEOMETRIC_BITS;
    uint64_t row = y_of(point) * g->cells >> GEOMETRIC_BITS;
    return row * g->cells + column;
}

/* Point number i before the points are sorted. */
static inline uint64_t random_point(uint64_t seed, uint64_t i)
{
    return random64(seed, i) >> (64 - 2 * GEOMETRIC_BITS);
}

/* Makes the points and sorts them by cell: counts those of each cell, then places all from the last one on. In the end start[]
 * has the first point of each cell. */
static void sort_points(struct geometric *g, uint64_t seed)
{
    uint64_t all = g->cells * g->cells;
    uint32_t end = 0;
    for (uint64_t i = 0; i < g->n; i++)
        g->start[cell_of(g, random_point(seed, i))]++;
    for (uint64_t cell = 0; cell <= all; cell++)
        end = g->start[cell] += end;
    for (uint64_t i = g->n; i-- > 0;) {
        uint64_t point = random_point(seed, i);
        g->point[--g->start[cell_of(g, point)]] = point;
    }
}

enum status geometric_init(struct geometric *g, uint64_t n, double degree, uint64_t seed,
                           struct memory_budget *budget, struct error *e)
{
    void *point, *start;
    g->n = n;
    g->radius = radius_for(n, degree);
    g->cells = smaller(WHOLE / larger(g->radius, 1), (uint64_t)sqrt((double)n));
    if (memory_take(budget, &point, n, sizeof *g->point, "points", e) != ST_OK)
        return e->status;
    g->point = point;
    if (memory_take(budget, &start, g->cells * g->cells + 1, sizeof *g->start, "cells of points", e) != ST_OK)
        return e->status;
    g->start = start;
    sort_points(g, seed);
    return ST_OK;
}

void geometric_free(struct geometric *g, struct memory_budget *budget)
{
    memory_release(budget, g->point);
    memory_release(budget, g->start);
}

/* ---- edges ---- */

static inline int near(uint64_t a, uint64_t b, uint64_t radius)
{
    int64_t dx = (int64_t)(x_of(a) - x_of(b)), dy = (int64_t)(y_of(a) - y_of(b));
    return (uint64_t)(dx * dx) + (uint64_t)(dy * dy) <= radius * radius;
}

/* Appends edges from point `a` to those of the points first..end - 1 that are near it. */
static enum status edges_to(const struct geometric *g, uint64_t a, uint64_t first, uint64_t end,
                            struct edge_list *list, struct error *e)
{
    if (list->count + (end - first) > list->capacity &&
        edge_list_reserve(list, 2 * (list->count + (end - first)), e) != ST_OK)
        return e->status;
    for (uint64_t b = first; b < end; b++) {
        list->edges[list->count] = (struct edge){a, b};
        list->count += (size_t)near(g->point[a], g->point[b], g->radius);
    }
    return ST_OK;
}

/* Looks at the later points only that may be near: the rest of the point's cell with the next cell, and three cells of the next
 * row. In the order of cells these are two ranges. */
enum status geometric_edges(const struct geometric *g, uint64_t first, size_t count, struct edge_list *list,
                            struct error *e)
{
    for (uint64_t a = first; a < first + count; a++) {
        uint64_t cell = cell_of(g, g->point[a]), column = cell % g->cells, row = cell / g->cells;
        uint64_t left = column > 0, right = column + 1 < g->cells;
        if (edges_to(g, a, a + 1, g->start[cell + right + 1], list, e) != ST_OK)
            return e->status;
        uint64_t above = cell + g->cells;
        if (row + 1 < g->cells &&
            edges_to(g, a, g->start[above - left], g->start[above + right + 1], list, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}
