/* rmat.h: recursive-matrix (RMAT, Kronecker) edges that any thread can make in any order.
 *
 * An edge descends `scale` levels of the adjacency matrix. On each level it enters the upper left quadrant with probability a,
 * the upper right with b, the lower left with c and the lower right with d = 1 - a - b - c (Chakrabarti, Zhan, Faloutsos 2004;
 * Graph500 uses .57, .19, .19, .05). With a = b = c = .25 the edges are uniformly random pairs. Low ids have high degrees; if
 * that matters, randomise the ids with formats/bijection.h.
 *
 * Edge i is a function of (parameters, i) alone. The tables are computed with exact integers, so every machine makes the same
 * edges, and they never change within a format version.
 */
#ifndef DBFS_RMAT_H
#define DBFS_RMAT_H

#include "formats/edges/edges.h"
#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum {
    RMAT_MIN_SCALE = 1,
    RMAT_MAX_SCALE = 48,
    RMAT_WORD_LEVELS = 5, /* levels that one 32-bit random word decides */
    RMAT_MAX_CELLS = 1 << (2 * RMAT_WORD_LEVELS)
};

struct rmat_params {
    int scale; /* 2^scale vertices */
    double a, b, c;
    uint64_t seed;
};

/* A table of Walker's alias method over the 4^levels cells that `levels` levels distinguish. The low 2 * levels bits of a
 * random word choose a cell. Comparing the whole word with the cell's threshold chooses one of its two outcomes. */
struct rmat_alias {
    int levels;
    uint32_t cell_mask;
    uint32_t threshold[RMAT_MAX_CELLS];   /* words from here on have the second outcome */
    uint32_t outcome[2 * RMAT_MAX_CELLS]; /* bits of u << 16 | bits of v */
};

struct rmat {
    struct rmat_params params;
    int full_words; /* words of RMAT_WORD_LEVELS levels an edge takes */
    int edge_counters; /* 64-bit random numbers an edge takes */
    struct rmat_alias full, rest; /* rest.levels is 0 to RMAT_WORD_LEVELS - 1 */
};

/* Checks the parameters and builds the tables in `g`, which takes about 24 KiB and afterwards is only read, so that threads may
 * share it. Allocates nothing. ST_USAGE if the scale is not 1 to 48, a probability is negative or not a number, or a + b + c
 * exceeds 1 by more than rounding. */
enum status rmat_init(struct rmat *g, const struct rmat_params *params, struct error *e);

/* Makes edges first .. first + count - 1. Any index is valid. */
void rmat_edges(const struct rmat *restrict g, uint64_t first, size_t count,
                struct edge *restrict edges);

#endif
