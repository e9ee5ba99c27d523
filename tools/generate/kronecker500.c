/* kronecker500.c: see kronecker500.h
 *
 * The benchmark fixes these steps for each level:
 * 1. Draw a random number, again while it is below 2^31-1 mod 10000, so that the remaining range is a whole number of 10000s.
 * 2. Take the number modulo 10000. Below 1900 it means the upper right quadrant, below 3800 the lower left, below 9500 the
 *    upper left, else the lower right.
 * 3. While both ends are still equal, the lower left counts as the upper right.
 *
 * LANES edges are made at a time, in plain loops over lanes that compilers turn into vector code. The loops have no division.
 * Numbers are reduced modulo 2^31-1 only as far as is needed to fit 32 bits.
 */
#include "kronecker500.h"

#include <string.h>

enum {
    LANES = 32,
    LANES_LOG2 = 5,
    DENOMINATOR = 10000,
    UPPER_RIGHT_END = 1900,
    LOWER_LEFT_END = 3800,
    UPPER_LEFT_END = 9500,
    FIRST_ACCEPTED = 3647 /* (2^31 - 1) mod 10000 */
};

/* x mod 10000 is compared without a division, by bits 13..44 of x * RECIPROCAL, a fraction of x / 10000. RECIPROCAL is 2^45 /
 * 10000 rounded up, so for each x below 2^31 with remainder r, bits 0..44 lie in [r, r + 1/8) * RECIPROCAL. */
#define RECIPROCAL UINT64_C(3518437209)
#define FRACTION_SHIFT 13

/* A bound, the kept bits for r - 1/4: those of remainders below r are smaller, those of r and above are larger. */
#define FRACTION_BEFORE(r) ((uint32_t)((RECIPROCAL * (r) - RECIPROCAL / 4) >> FRACTION_SHIFT))

struct lanes {
    uint32_t x[MRG_ORDER][LANES]; /* in lane l the state that edge first + l starts from */
};

struct paths {
    uint32_t v[LANES];       /* bits of v, one a level */
    uint32_t differ[LANES];  /* bits of u XOR v */
    uint32_t refused[LANES]; /* bit 31: a number was below FIRST_ACCEPTED */
};

/* ---- set-up ---- */

/* Cuts the seeds into the generator's five numbers, as the benchmark does. */
static struct mrg_state seed_state(uint64_t seed1, uint64_t seed2)
{
    const uint32_t low30 = (UINT32_C(1) << 30) - 1;
    uint32_t top = (uint32_t)(seed2 >> 60 << 4) + (uint32_t)(seed1 >> 60);
    struct mrg_state state = {{
        top + 1,
        ((uint32_t)(seed2 >> 30) & low30) + 1,
        ((uint32_t)seed2 & low30) + 1,
        ((uint32_t)(seed1 >> 30) & low30) + 1,
        ((uint32_t)seed1 & low30) + 1,
    }};
    return state;
}

/* Makes a 64-bit word of the next two numbers. */
static uint64_t draw_scramble(struct mrg_state *state)
{
    uint64_t high = mrg_next(state);
    return high * UINT32_MAX + mrg_next(state);
}

enum status kronecker500_init(struct kronecker500 *g, int scale, uint64_t seed1, uint64_t seed2, struct error *e)
{
    memset(g, 0, sizeof *g);
    if (scale < KRONECKER500_MIN_SCALE || scale > KRONECKER500_MAX_SCALE)
        return fail(e, ST_USAGE, "scale %d is not in %d..%d", scale, KRONECKER500_MIN_SCALE,
                    KRONECKER500_MAX_SCALE);
    g->scale = scale;
    g->origin = seed_state(seed1, seed2);
    g->ahead[0] = mrg_jump_double(mrg_jump_one(), 64);
    for (int k = 1; k < KRONECKER500_INDEX_BITS; k++)
        g->ahead[k] = mrg_jump_double(g->ahead[k - 1], 1);
    /* the scramble's numbers are those after 50 * 2^128 + 7 * 2^64 */
    struct mrg_jump far = mrg_jump_double(g->ahead[KRONECKER500_INDEX_BITS - 1], 1);
    struct mrg_jump to_scramble =
        mrg_jump_join(mrg_jump_repeat(far, 50), mrg_jump_repeat(g->ahead[0], 7));
    struct mrg_state state = g->origin;
    mrg_skip(&state, &to_scramble);
    g->scramble[0] = draw_scramble(&state);
    g->scramble[1] = draw_scramble(&state);
    return ST_OK;
}

/* ---- lanes ---- */

/* Puts lane l at the numbers of edge first + l. */
static void start_lanes(const struct kronecker500 *g, uint64_t first, struct lanes *lanes)
{
    struct mrg_state state = g->origin;
    for (int k = 0; first != 0; k++, first >>= 1) {
        if (first & 1)
            mrg_skip(&state, &g->ahead[k]);
    }
    for (int l = 0; l < LANES; l++) {
        for (int i = 0; i < MRG_ORDER; i++)
            lanes->x[i][l] = state.x[i];
        mrg_skip(&state, &g->ahead[0]);
    }
}

/* Returns the next number of a lane, plus a multiple of 2^31-1: below 2^31 + 2^28 if both arguments are below 2^32. */
static inline uint32_t next_number(uint32_t newest, uint32_t oldest)
{
    uint64_t next = (uint64_t)newest * MRG_NEWEST_FACTOR + (uint64_t)oldest * MRG_OLDEST_FACTOR;
    return (uint32_t)mrg_fold(next);
}

/* Descends one level in all lanes: each draws its next random number, in place of its oldest, and goes into the quadrant that
 * the number means. Comparisons are signed, because the oldest vector units have no others. */
static inline void descend_level(uint32_t *restrict oldest, const uint32_t *restrict newest,
                                 struct paths *restrict paths)
{
    const uint32_t sign = UINT32_C(1) << 31;
    /* v is 1 in [UPPER_LEFT_END, 10000) and [0, UPPER_RIGHT_END); `turn`, added to a fraction, joins these to one interval */
    const uint32_t turn = -FRACTION_BEFORE(UPPER_LEFT_END);
    const uint32_t turned_end = FRACTION_BEFORE(UPPER_RIGHT_END) + turn;
    for (int l = 0; l < LANES; l++) {
        oldest[l] = next_number(newest[l], oldest[l]);
        int32_t above = (int32_t)(oldest[l] - MRG_MODULUS);
        uint32_t x = (uint32_t)above + ((uint32_t)(above >> 31) & MRG_MODULUS);
        uint32_t fraction = (uint32_t)(x * RECIPROCAL >> FRACTION_SHIFT);
        uint32_t v = (int32_t)(fraction + turn + sign) < (int32_t)(turned_end + sign);
        uint32_t differ =
            (int32_t)(fraction + sign) < (int32_t)(FRACTION_BEFORE(LOWER_LEFT_END) + sign);
        paths->v[l] = 2 * paths->v[l] + v;
        paths->differ[l] = 2 * paths->differ[l] + differ;
        paths->refused[l] |= x - FIRST_ACCEPTED;
    }
}

/* Descends 32 levels at most, in all lanes. *oldest is the index of the oldest number in the ring of numbers. */
static void descend(struct lanes *lanes, int *oldest, int levels, struct paths *paths)
{
    int o = *oldest;
    memset(paths, 0, sizeof *paths);
    for (int level = 0; level < levels; level++) {
        descend_level(lanes->x[o], lanes->x[o == 0 ? MRG_ORDER - 1 : o - 1], paths);
        o = o == MRG_ORDER - 1 ? 0 : o + 1;
    }
    *oldest = o;
}

/* Moves the state of each lane on by LANES edges, as mrg_skip does, but for all lanes at once and without exact reductions. */
static void advance_lanes(struct lanes *lanes, const struct mrg_jump *jump)
{
    uint32_t x[2 * MRG_ORDER - 1][LANES];
    memcpy(x, lanes->x, sizeof lanes->x);
    for (int i = MRG_ORDER; i < 2 * MRG_ORDER - 1; i++) {
        for (int l = 0; l < LANES; l++)
            x[i][l] = next_number(x[i - 1][l], x[i - MRG_ORDER][l]);
    }
    for (int i = 0; i < MRG_ORDER; i++) {
        for (int l = 0; l < LANES; l++) {
            /* a product is below 2^62 + 2^59, so 64 bits hold the sum of three products, or of two products and a folded sum */
            uint64_t sum = (uint64_t)jump->c[0] * x[i][l] + (uint64_t)jump->c[1] * x[i + 1][l] +
                           (uint64_t)jump->c[2] * x[i + 2][l];
            sum = mrg_fold(sum) + (uint64_t)jump->c[3] * x[i + 3][l] +
                  (uint64_t)jump->c[4] * x[i + 4][l];
            lanes->x[i][l] = (uint32_t)mrg_fold(mrg_fold(sum));
        }
    }
}

/* ---- edges ---- */

static inline uint64_t reverse_bits(uint64_t x)
{
    const uint64_t pairs = UINT64_C(0x3333333333333333), ones = UINT64_C(0x5555555555555555);
    const uint64_t nibbles = UINT64_C(0x0f0f0f0f0f0f0f0f);
    x = __builtin_bswap64(x);
    x = (x >> 4 & nibbles) | (x & nibbles) << 4;
    x = (x >> 2 & pairs) | (x & pairs) << 2;
    return (x >> 1 & ones) | (x & ones) << 1;
}

/* Permutes the ids: multiplies by an odd number and reverses the lowest `scale` bits, twice. */
static inline uint64_t scramble(const struct kronecker500 *g, uint64_t id)
{
    const int drop = 64 - g->scale;
    id = (id + g->scramble[0] + g->scramble[1]) * (g->scramble[0] | UINT64_C(0x4519840211493211));
    id = reverse_bits(id) >> drop;
    id *= g->scramble[1] | UINT64_C(0x3050852102c843a5);
    return reverse_bits(id) >> drop;
}

/* Makes an edge of v and `differ`, which is u XOR v. The highest bit in which the two ends differ becomes 0 in u and 1 in v, whichever was
 * drawn: lower left counts as upper right there. */
static inline struct edge finish_edge(const struct kronecker500 *g, uint64_t v, uint64_t differ)
{
    uint64_t top = differ & UINT64_C(1) << (63 - __builtin_clzll(differ | 1));
    v |= top;
    return (struct edge){scramble(g, v ^ differ), scramble(g, v)};
}

/* Makes one edge by the benchmark's rule as it is stated. It is for the rare lanes that draw a number again. */
static struct edge make_edge(const struct kronecker500 *g, struct mrg_state state)
{
    uint64_t v = 0, differ = 0;
    for (int level = 0; level < g->scale; level++) {
        uint32_t x = mrg_next(&state);
        while (x < FIRST_ACCEPTED)
            x = mrg_next(&state);
        uint32_t remainder = x % DENOMINATOR;
        v = 2 * v + (remainder < UPPER_RIGHT_END || remainder >= UPPER_LEFT_END);
        differ = 2 * differ + (remainder < LOWER_LEFT_END);
    }
    return finish_edge(g, v, differ);
}

/* The state of a lane, fully reduced. */
static struct mrg_state lane_state(const struct lanes *lanes, int lane)
{
    struct mrg_state state;
    for (int i = 0; i < MRG_ORDER; i++)
        state.x[i] = lanes->x[i][lane] % MRG_MODULUS;
    return state;
}

/* Makes LANES edges, of which lane l starts from its state in *start. */
static void make_batch(const struct kronecker500 *g, const struct lanes *start, struct edge *restrict edges)
{
    struct lanes lanes = *start;
    struct paths upper, lower;
    int oldest = 0, upper_levels = g->scale / 2, lower_levels = g->scale - upper_levels;
    descend(&lanes, &oldest, upper_levels, &upper);
    descend(&lanes, &oldest, lower_levels, &lower);
    for (int l = 0; l < LANES; l++)
        edges[l] = finish_edge(g, (uint64_t)upper.v[l] << lower_levels | lower.v[l],
                               (uint64_t)upper.differ[l] << lower_levels | lower.differ[l]);
    for (int l = 0; l < LANES; l++) {
        if ((upper.refused[l] | lower.refused[l]) >> 31)
            edges[l] = make_edge(g, lane_state(start, l));
    }
}

void kronecker500_edges(const struct kronecker500 *restrict g, uint64_t first, size_t count,
                        struct edge *restrict edges)
{
    struct lanes lanes;
    start_lanes(g, first, &lanes);
    for (; count >= LANES; count -= LANES, edges += LANES) {
        make_batch(g, &lanes, edges);
        advance_lanes(&lanes, &g->ahead[LANES_LOG2]);
    }
    if (count > 0) {
        struct edge last[LANES];
        make_batch(g, &lanes, last);
        memcpy(edges, last, count * sizeof *edges);
    }
}
