/* test_rmat.c: both edge generators beside their definitions.
 *
 * RMAT is tested by counting edges and comparing the counts by chi-square. Seeds are fixed, so a check always
 * passes or always fails. A right generator would fail these bounds with odds below one in a million. The Graph500
 * generator is tested by sums over the edges of the reference generator. Its files of scale 10 and 16, which gave
 * these sums, had the MD5 7c26a8351ab574842b6305965c0f2f1e and f9ed1def5cbdf56fce5ffd1149f4a3c0. */
#include "tests/unit/unit.h"
#include "tools/stream/edge_encode.h"
#include "tools/generate/kronecker500.h"
#include "tools/generate/mrg.h"
#include "tools/generate/rmat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_EDGES = 1 << 22 };

/* ---- RMAT ---- */

static const struct rmat_params graph500_params = {20, .57, .19, .19, 1};

static struct rmat make_rmat(int scale, double a, double b, double c, uint64_t seed)
{
    static struct rmat g;
    struct error e = {0};
    struct rmat_params params = {scale, a, b, c, seed};
    if (rmat_init(&g, &params, &e) != ST_OK) {
        printf("not ok - rmat_init: %s\n", e.text);
        exit(1);
    }
    return g;
}

static int accepts(int scale, double a, double b, double c)
{
    static struct rmat g;
    struct error e = {0};
    struct rmat_params params = {scale, a, b, c, 1};
    enum status status = rmat_init(&g, &params, &e);
    return status == ST_OK ? 1 : status == ST_USAGE && e.text[0] != '\0' ? 0 : -1;
}

static void test_validation(void)
{
    report(accepts(1, .57, .19, .19) == 1 && accepts(48, .57, .19, .19) == 1, "rmat scales 1, 48");
    report(accepts(0, .57, .19, .19) == 0 && accepts(49, .57, .19, .19) == 0 &&
               accepts(-1, .57, .19, .19) == 0,
           "rmat refuses scales 0, 49, -1");
    report(accepts(10, -.01, .5, .5) == 0 && accepts(10, .5, -1e-12, .5) == 0 &&
               accepts(10, .5, .5, -1) == 0,
           "rmat refuses negative probabilities");
    report(accepts(10, NAN, .2, .2) == 0 && accepts(10, .2, .2, NAN) == 0 &&
               accepts(10, INFINITY, 0, 0) == 0,
           "rmat refuses NaN and infinity");
    report(accepts(10, .5, .3, .2001) == 0, "rmat refuses a sum over 1");
    report(accepts(10, .7, .2, .1) == 1 && accepts(10, .3333333334, .3333333333, .3333333333) == 1,
           "rmat takes a sum of 1 but for rounding");
}

/* Pieces of many sizes from a first edge on equal the same edges made at once. */
static int pieces_agree(const struct rmat *g, uint64_t first, const struct edge *whole,
                        size_t count)
{
    static struct edge piece[1000];
    size_t done = 0, size = 1;
    while (done < count) {
        size_t take = size < count - done ? size : count - done;
        rmat_edges(g, first + done, take, piece);
        if (memcmp(piece, whole + done, take * sizeof *piece) != 0)
            return 0;
        done += take;
        size = size * 3 % 997;
    }
    return 1;
}

static void test_ranges(struct edge *edges)
{
    static const uint64_t firsts[] = {0, 1, 12345, UINT64_C(1) << 40, (UINT64_C(1) << 54) - 7};
    int agree = 1, inside = 1;
    for (int scale = RMAT_MIN_SCALE; scale <= RMAT_MAX_SCALE; scale++) {
        struct rmat g = make_rmat(scale, .57, .19, .19, 7);
        for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++) {
            rmat_edges(&g, firsts[f], 5000, edges);
            agree &= pieces_agree(&g, firsts[f], edges, 5000);
            for (size_t i = 0; i < 5000; i++)
                inside &= edges[i].u >> scale == 0 && edges[i].v >> scale == 0;
        }
    }
    report(agree, "rmat edges in pieces equal edges at once, scales 1 to 48");
    report(inside, "rmat ids below 2^scale, scales 1 to 48");
}

/* Cells that expect fewer than 10 are total; cells of probability 0 must stay empty. */
static double chi_square(const uint64_t *count, const double *p, size_t cells, double total,
                         size_t *freedom)
{
    double sum = 0, pooled_expected = 0, pooled_count = 0;
    size_t used = 0;
    for (size_t i = 0; i < cells; i++) {
        double expected = p[i] * total;
        if (expected < 10) {
            pooled_expected += expected;
            pooled_count += (double)count[i];
            sum += p[i] == 0 && count[i] > 0 ? INFINITY : 0;
            continue;
        }
        sum += ((double)count[i] - expected) * ((double)count[i] - expected) / expected;
        used++;
    }
    if (pooled_expected >= 10) {
        sum += (pooled_count - pooled_expected) * (pooled_count - pooled_expected) /
               pooled_expected;
        used++;
    } else if (pooled_count > 60) {
        sum = INFINITY; /* Poisson with a mean under 10 */
    }
    *freedom = used > 0 ? used - 1 : 0;
    return sum;
}

/* Five standard deviations above the mean, after Wilson and Hilferty. */
static int fits(const uint64_t *count, const double *p, size_t cells, double total)
{
    size_t freedom;
    double chi2 = chi_square(count, p, cells, total, &freedom);
    if (freedom == 0)
        return chi2 < 1e-9;
    double k = (double)freedom, w = 2 / (9 * k);
    double z = (cbrt(chi2 / k) - (1 - w)) / sqrt(w);
    if (z >= 5)
        printf("# chi-square %.1f with %zu degrees of freedom: z = %.1f\n", chi2, freedom, z);
    return z < 5;
}

static size_t quadrant_at(const struct edge *edge, int bit)
{
    return 2 * (size_t)(edge->u >> bit & 1) + (size_t)(edge->v >> bit & 1);
}

/* Quadrants on each level, and jointly on each pair of neighbouring levels. */
static int levels_fit(const struct edge *edges, size_t count, int scale, const double q[4])
{
    int ok = 1;
    double joint[16];
    for (size_t i = 0; i < 16; i++)
        joint[i] = q[i / 4] * q[i % 4];
    for (int bit = 0; bit < scale; bit++) {
        uint64_t one[4] = {0}, two[16] = {0};
        int above = bit + 1 < scale ? bit + 1 : 0; /* the top level is paired with the lowest */
        for (size_t i = 0; i < count; i++) {
            one[quadrant_at(&edges[i], bit)]++;
            two[4 * quadrant_at(&edges[i], above) + quadrant_at(&edges[i], bit)]++;
        }
        ok &= fits(one, q, 4, (double)count);
        if (scale > 1)
            ok &= fits(two, joint, 16, (double)count);
    }
    return ok;
}

static void test_quadrants(struct edge *edges)
{
    static const double table[][3] = {{.57, .19, .19}, {.25, .25, .25}, {.1, .2, .3},
                                      {0, .5, .5},     {.45, .45, 0},   {.97, .01, .01}};
    static const int scales[] = {1, 4, 5, 6, 13, 20, 23, 33, 48};
    for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
        const double *p = table[t], q[4] = {p[0], p[1], p[2], 1 - p[0] - p[1] - p[2]};
        int ok = 1;
        for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
            size_t count = 300000;
            struct rmat g = make_rmat(scales[s], p[0], p[1], p[2], 11 + t);
            rmat_edges(&g, 1000 * s, count, edges);
            ok &= levels_fit(edges, count, scales[s], q);
        }
        char name[120];
        snprintf(name, sizeof name, "rmat %g,%g,%g: quadrants of each level and pair of levels",
                 p[0], p[1], p[2]);
        report(ok, name);
    }
}

static void test_extremes(struct edge *edges)
{
    static const double table[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    const uint64_t last = (UINT64_C(1) << 23) - 1;
    int ok = 1;
    for (uint64_t t = 0; t < 4; t++) {
        struct rmat g = make_rmat(23, table[t][0], table[t][1], table[t][2], 3);
        rmat_edges(&g, 0, 10000, edges);
        for (size_t i = 0; i < 10000; i++)
            ok &= edges[i].u == (t & 2 ? last : 0) && edges[i].v == (t & 1 ? last : 0);
    }
    report(ok, "rmat with one certain quadrant");
}

/* All 4^5 cells that one random word chooses among, on the levels from `bit` up. */
static int words_fit(const struct edge *edges, size_t count, int bit, const double q[4])
{
    static uint64_t cells[1024];
    static double p[1024];
    memset(cells, 0, sizeof cells);
    for (size_t i = 0; i < count; i++)
        cells[(edges[i].u >> bit & 31) << 5 | (edges[i].v >> bit & 31)]++;
    for (size_t cell = 0; cell < 1024; cell++) {
        p[cell] = 1;
        for (int level = 0; level < 5; level++)
            p[cell] *= q[2 * (cell >> (5 + level) & 1) + (cell >> level & 1)];
    }
    return fits(cells, p, 1024, (double)count);
}

static void test_words(struct edge *edges)
{
    const double q[4] = {.57, .19, .19, .05}, even[4] = {.4, .25, .2, .15};
    struct rmat g = make_rmat(22, q[0], q[1], q[2], 5);
    rmat_edges(&g, 0, MAX_EDGES, edges);
    int ok = 1;
    for (int bit = 0; bit + 5 <= 22; bit++)
        ok &= words_fit(edges, MAX_EDGES, bit, q);
    g = make_rmat(22, even[0], even[1], even[2], 6);
    rmat_edges(&g, UINT64_C(1) << 33, MAX_EDGES, edges);
    for (int bit = 0; bit + 5 <= 22; bit++)
        ok &= words_fit(edges, MAX_EDGES, bit, even);
    report(ok, "rmat cells of every five neighbouring levels, 4 M edges");
}

static int near(double count, double p, double total)
{
    double distance = (count - p * total) / sqrt(total * p * (1 - p));
    if (fabs(distance) >= 5)
        printf("# %.0f of %.0f, expected %.1f\n", count, total, p * total);
    return fabs(distance) < 5;
}

/* Degrees that the recursion gives in closed form. */
static void test_degrees(struct edge *edges)
{
    const struct rmat_params *p = &graph500_params;
    const double d = 1 - p->a - p->b - p->c;
    int ok = 1;
    for (int scale = 1; scale <= 12; scale++) {
        struct rmat g = make_rmat(scale, p->a, p->b, p->c, 100 + (uint64_t)scale);
        double from_first = 0, to_first = 0, loops = 0, total = 1 << 20;
        rmat_edges(&g, 0, 1 << 20, edges);
        for (size_t i = 0; i < 1 << 20; i++) {
            from_first += edges[i].u == 0;
            to_first += edges[i].v == 0;
            loops += edges[i].u == edges[i].v;
        }
        ok &= near(from_first, pow(p->a + p->b, scale), total);
        ok &= near(to_first, pow(p->a + p->c, scale), total);
        ok &= near(loops, pow(p->a + d, scale), total);
    }
    report(ok, "rmat degrees of vertex 0 and self-loops, scales 1 to 12");
}

/* Tests whether the quadrants of x[i] and y[i] are independent, on every pair of levels: edges that share random
 * numbers could use them on different levels. */
static int pairs_fit(const struct edge *x, const struct edge *y, size_t count, const double q[4])
{
    double joint[16];
    int ok = 1;
    for (size_t i = 0; i < 16; i++)
        joint[i] = q[i / 4] * q[i % 4];
    for (int bits = 0; bits < 20 * 20; bits++) {
        uint64_t two[16] = {0};
        for (size_t i = 0; i < count; i++)
            two[4 * quadrant_at(&x[i], bits / 20) + quadrant_at(&y[i], bits % 20)]++;
        ok &= fits(two, joint, 16, (double)count);
    }
    return ok;
}

static void test_independence(struct edge *edges)
{
    const double q[4] = {.57, .19, .19, .05};
    const size_t count = 200000;
    struct edge *other = edges + 2 * count;
    struct rmat g = make_rmat(20, q[0], q[1], q[2], 1), h = make_rmat(20, q[0], q[1], q[2], 2);
    rmat_edges(&g, 0, count + 2, edges);
    report(pairs_fit(edges, edges + 1, count, q), "rmat neighbouring edges are independent");
    report(pairs_fit(edges, edges + 2, count, q), "rmat edges two apart are independent");
    rmat_edges(&h, 0, count, other);
    report(pairs_fit(edges, other, count, q), "rmat neighbouring seeds are independent");
    rmat_edges(&g, UINT64_C(1) << 32, count, other);
    report(pairs_fit(edges, other, count, q), "rmat edges 2^32 apart are independent");
}

/* ---- the Graph500 generator ---- */

static void test_jumps(void)
{
    const struct mrg_state seed = {{1, 2, 3, 4, 5}};
    struct mrg_state stepped = seed;
    int ok = 1;
    for (uint64_t n = 0; n < 3000; n++) {
        struct mrg_state jumped = seed;
        struct mrg_jump jump = mrg_jump_repeat(mrg_jump_one(), n);
        mrg_skip(&jumped, &jump);
        ok &= memcmp(&jumped, &stepped, sizeof seed) == 0;
        mrg_next(&stepped);
    }
    report(ok, "mrg jumps of 0 to 2999 equal as many steps");
    struct mrg_jump far = mrg_jump_double(mrg_jump_one(), 61);
    struct mrg_jump same = mrg_jump_repeat(mrg_jump_one(), UINT64_C(1) << 61);
    report(memcmp(&far, &same, sizeof far) == 0, "mrg doubling equals repeating");
}

static uint64_t fnv1a(const unsigned char *bytes, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static void test_records(struct edge *edges)
{
    struct encoded_edges records = {0};
    static const struct {
        int scale;
        uint64_t first;
        size_t count;
        uint64_t hash;
    } known[] = {
        {1, 0, 100, UINT64_C(0x0d9583a617958974)},
        {10, 0, 16 << 10, UINT64_C(0x2387b69068a59e11)},
        {16, 0, 16 << 16, UINT64_C(0x2a13816fcf9b4c5b)},
        {24, 268434456, 1000, UINT64_C(0xfcef2db2e9b8a789)},
        {33, UINT64_C(12345678901), 1000, UINT64_C(0x66c09f3b087c6a67)},
        {48, UINT64_C(700000000000), 1000, UINT64_C(0x90ba7b63b52bc734)},
        {48, 16338429, 1, UINT64_C(0xb34e3aa9041b5738)}, /* draws 3646, the last refused */
        {48, 93412837, 1, UINT64_C(0xc63c913da317c7f7)}, /* draws 3647, the first accepted */
    };
    static struct kronecker500 g;
    for (size_t t = 0; t < sizeof known / sizeof *known; t++) {
        struct error e = {0};
        char name[100];
        snprintf(name, sizeof name, "graph500 records, scale %d from edge %llu", known[t].scale,
                 (unsigned long long)known[t].first);
        int ok = kronecker500_init(&g, known[t].scale, 2, 3, &e) == ST_OK;
        kronecker500_edges(&g, known[t].first, known[t].count, edges);
        ok &= edge_encode(EDGE_FORMAT_GRAPH500, EDGES_UNDIRECTED_ONCE, /* base */ 0, edges, known[t].count,
                          &records, &e) == ST_OK;
        ok &= fnv1a(records.bytes, records.size) == known[t].hash;
        report(ok, name);
    }
    encoded_edges_free(&records);
}

static void test_graph500_ranges(struct edge *edges)
{
    static struct kronecker500 g;
    struct edge *piece = edges + (1 << 20);
    int ok = 1;
    for (int scale = 1; scale <= KRONECKER500_MAX_SCALE; scale++) {
        struct error e = {0};
        ok &= kronecker500_init(&g, scale, (uint64_t)scale << 58 | 5, 99, &e) == ST_OK;
        kronecker500_edges(&g, 1000000007, 3000, edges);
        for (size_t done = 0, size = 1; done < 3000; done += size, size = size * 3 % 997) {
            size_t take = size < 3000 - done ? size : 3000 - done;
            kronecker500_edges(&g, 1000000007 + done, take, piece);
            ok &= memcmp(piece, edges + done, take * sizeof *piece) == 0;
        }
        for (size_t i = 0; i < 3000; i++)
            ok &= edges[i].u >> scale == 0 && edges[i].v >> scale == 0;
    }
    report(ok, "graph500 edges in pieces equal edges at once, scales 1 to 48");
    struct error e = {0}, f = {0};
    report(kronecker500_init(&g, 0, 2, 3, &e) == ST_USAGE &&
               kronecker500_init(&g, 49, 2, 3, &f) == ST_USAGE,
           "graph500 refuses scales 0 and 49");
}

int main(void)
{
    struct edge *edges = malloc(MAX_EDGES * sizeof *edges);
    if (edges == NULL) {
        printf("not ok - memory for the test\n");
        return 1;
    }
    test_validation();
    test_ranges(edges);
    test_quadrants(edges);
    test_extremes(edges);
    test_words(edges);
    test_degrees(edges);
    test_independence(edges);
    test_jumps();
    test_records(edges);
    test_graph500_ranges(edges);
    free(edges);
    return unit_result();
}
