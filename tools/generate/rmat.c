/* rmat.c: see rmat.h */
#include "rmat.h"

#include "formats/base/clones.h"
#include "formats/base/hash.h"

#include <string.h>

#define RMAT_TOLERANCE 1e-9 /* by which a + b + c may exceed 1: people type rounded thirds */

static const uint64_t whole = UINT64_C(1) << 32; /* the probability 1 in units of the tables */

/* ---- tables ---- */

static enum status check_params(const struct rmat_params *p, struct error *e)
{
    if (p->scale < RMAT_MIN_SCALE || p->scale > RMAT_MAX_SCALE)
        return fail(e, ST_USAGE, "scale %d is not in %d..%d", p->scale, RMAT_MIN_SCALE,
                    RMAT_MAX_SCALE);
    /* negated, so that NaN fails too */
    if (!(p->a >= 0 && p->b >= 0 && p->c >= 0))
        return fail(e, ST_USAGE, "RMAT probabilities %g, %g, %g: each must be at least 0", p->a,
                    p->b, p->c);
    if (!(p->a + p->b + p->c <= 1 + RMAT_TOLERANCE))
        return fail(e, ST_USAGE, "RMAT probabilities %g, %g, %g: their sum exceeds 1", p->a, p->b,
                    p->c);
    return ST_OK;
}

/* Computes the probabilities of the cells in units of 2^-32, so that they sum to 2^32 exactly. The index of a cell has the bits
 * of u above those of v. Doubles are only multiplied, subtracted and scaled exactly, so that no compiler can fuse two
 * operations and round differently. */
static void weigh_cells(const double quadrant[4], int levels, uint64_t *weight)
{
    uint64_t total = 0;
    size_t cells = (size_t)1 << (2 * levels), largest = 0;
    for (size_t cell = 0; cell < cells; cell++) {
        double p = 1;
        for (int level = 0; level < levels; level++) {
            size_t u = cell >> (levels + level) & 1, v = cell >> level & 1;
            p *= quadrant[2 * u + v];
        }
        weight[cell] = (uint64_t)(p * (double)whole + 0.5);
        total += weight[cell];
        largest = weight[cell] > weight[largest] ? cell : largest;
    }
    /* rounding has changed the sum by at most half a unit for each cell; the largest cell has enough to make up for it */
    weight[largest] += whole - total;
}

/* Sets the two outcomes of a cell in the alias table: the cell itself, for `kept` of its fair share, and `alias` for the rest.
 * The bits of a random word above the cell's index are a coin: coin < kept, which is word < kept << bits, keeps the cell. */
static void set_cell(struct rmat_alias *table, uint32_t cell, uint64_t kept, uint32_t alias)
{
    int levels = table->levels;
    uint32_t v_mask = (UINT32_C(1) << levels) - 1;
    table->threshold[cell] = (uint32_t)(kept << (2 * levels));
    table->outcome[2 * cell] = (cell >> levels) << 16 | (cell & v_mask);
    table->outcome[2 * cell + 1] = (alias >> levels) << 16 | (alias & v_mask);
}

/* Builds the alias table by Walker's method in Vose's order: a cell with less than its fair share of the probability is filled
 * up from a cell with more, until all have their share. */
static void build_alias(struct rmat_alias *table, const double quadrant[4], int levels)
{
    uint64_t weight[RMAT_MAX_CELLS];
    uint32_t below[RMAT_MAX_CELLS], above[RMAT_MAX_CELLS];
    size_t below_count = 0, above_count = 0;
    uint32_t cells = UINT32_C(1) << (2 * levels);
    uint64_t share = whole >> (2 * levels);
    table->levels = levels;
    table->cell_mask = cells - 1;
    weigh_cells(quadrant, levels, weight);
    for (uint32_t cell = 0; cell < cells; cell++) {
        set_cell(table, cell, 0, cell);
        if (weight[cell] < share)
            below[below_count++] = cell;
        else if (weight[cell] > share)
            above[above_count++] = cell;
    }
    while (below_count > 0) {
        uint32_t poor = below[--below_count], rich = above[above_count - 1];
        set_cell(table, poor, weight[poor], rich);
        weight[rich] -= share - weight[poor];
        if (weight[rich] <= share)
            above_count--;
        if (weight[rich] < share)
            below[below_count++] = rich;
    }
}

/* Checks the parameters and builds the alias tables of five levels, and of those that are left. */
enum status rmat_init(struct rmat *g, const struct rmat_params *params, struct error *e)
{
    memset(g, 0, sizeof *g);
    if (check_params(params, e) != ST_OK)
        return e->status;
    double d = 1 - params->a - params->b - params->c;
    const double quadrant[4] = {params->a, params->b, params->c, d > 0 ? d : 0};
    g->params = *params;
    g->full_words = params->scale / RMAT_WORD_LEVELS;
    int rest_levels = params->scale % RMAT_WORD_LEVELS;
    g->edge_counters = (g->full_words + (rest_levels > 0) + 1) / 2;
    build_alias(&g->full, quadrant, RMAT_WORD_LEVELS);
    build_alias(&g->rest, quadrant, rest_levels);
    return ST_OK;
}

/* ---- edges ---- */

/* Returns the outcome that a random word chooses. It is read from an array by index, because a compiler may turn a choice of
 * two values into a branch, which would be mispredicted every other time. */
static inline uint32_t draw(const struct rmat_alias *table, uint32_t mask, uint32_t word)
{
    uint32_t cell = word & mask;
    return table->outcome[2 * cell + (word >= table->threshold[cell])];
}

/* draw from the table of RMAT_WORD_LEVELS levels. */
static inline uint32_t draw_full(const struct rmat *g, uint32_t word)
{
    return draw(&g->full, RMAT_MAX_CELLS - 1, word);
}

/* Appends `levels` bits, at most 16, to both ends of an edge. `path` has those of u in its upper half and those of v below. */
static inline void descend(struct edge *edge, uint32_t path, int levels)
{
    edge->u = edge->u << levels | path >> 16;
    edge->v = edge->v << levels | (path & 0xffff);
}

/* Makes an edge of its random numbers: each gives two words, low half first. */
static inline struct edge make_edge(const struct rmat *g, const uint64_t *random)
{
    struct edge edge = {0, 0};
    int words = g->full_words;
    for (; words >= 2; words -= 2, random++) {
        uint32_t upper = draw_full(g, (uint32_t)*random);
        uint32_t lower = draw_full(g, (uint32_t)(*random >> 32));
        descend(&edge, upper << RMAT_WORD_LEVELS | lower, 2 * RMAT_WORD_LEVELS);
    }
    uint64_t left = words > 0 || g->rest.levels > 0 ? *random : 0;
    if (words > 0) {
        descend(&edge, draw_full(g, (uint32_t)left), RMAT_WORD_LEVELS);
        left >>= 32;
    }
    if (g->rest.levels > 0)
        descend(&edge, draw(&g->rest, g->rest.cell_mask, (uint32_t)left), g->rest.levels);
    return edge;
}

enum { STEP = 128, MOST_COUNTERS = (RMAT_MAX_SCALE / RMAT_WORD_LEVELS + 2) / 2 };

/* Writes random numbers counter to counter + count - 1 of the seed. */
WIDE_CLONES
static void fill_random(uint64_t key, uint64_t counter, size_t count, uint64_t *restrict random)
{
    for (size_t i = 0; i < count; i++)
        random[i] = random64(key, counter + i);
}

/* Makes edges, some at a time, whose random numbers are made by vectors. */
void rmat_edges(const struct rmat *restrict g, uint64_t first, size_t count, struct edge *restrict edges)
{
    const uint64_t counters = (uint64_t)g->edge_counters;
    uint64_t random[STEP * MOST_COUNTERS];
    for (size_t at = 0; at < count; at += STEP) {
        size_t taken = count - at < STEP ? count - at : STEP;
        fill_random(g->params.seed, (first + at) * counters, taken * counters, random);
        for (size_t i = 0; i < taken; i++)
            edges[at + i] = make_edge(g, &random[i * counters]);
    }
}
