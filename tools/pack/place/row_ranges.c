/* row_ranges.c: see row_ranges.h */
#include "row_ranges.h"

#include <stdlib.h>
#include <string.h>

/* Walks the runs of a degree sequence. */
struct walk {
    const struct degree_run *runs;
    uint64_t run, used; /* the current run, and rows of it already walked */
};

/* Sum of the next `rows` degrees, in double: weights only balance work. */
static double weigh(struct walk *w, uint64_t rows)
{
    double sum = 0;
    while (rows > 0) {
        uint64_t left = w->runs[w->run].vertices - w->used, take = rows < left ? rows : left;
        sum += (double)take * (double)w->runs[w->run].degree;
        rows -= take;
        w->used += take;
        if (w->used == w->runs[w->run].vertices) {
            w->run++;
            w->used = 0;
        }
    }
    return sum;
}

static uint64_t granule_start(const struct row_ranges *r, uint64_t granule)
{
    const struct row_granules *g = &r->granules;
    uint64_t middle_end =
        ROW_RANGES_FINE + ((ROW_RANGES_MIDDLE - ROW_RANGES_FINE) >> g->middle_shift);
    uint64_t start = granule;
    if (granule > middle_end)
        start = ROW_RANGES_MIDDLE + ((granule - middle_end) << g->shift);
    else if (granule > ROW_RANGES_FINE)
        start = ROW_RANGES_FINE + ((granule - ROW_RANGES_FINE) << g->middle_shift);
    return start < r->rows ? start : r->rows;
}

/* Small enough for ranges of max_rows. */
static struct row_granules choose_granules(uint64_t rows, uint64_t max_rows)
{
    struct row_granules g = {0, 0};
    while (g.middle_shift < ROW_RANGES_MIDDLE_SHIFT && UINT64_C(2) << g.middle_shift <= max_rows)
        g.middle_shift++;
    while (rows > ROW_RANGES_MIDDLE && (rows - ROW_RANGES_MIDDLE) >> g.shift >= ROW_RANGES_GRANULES)
        g.shift++;
    return g;
}

/* Numbers the ranges and notes their first rows. */
static void cut(struct row_ranges *r, struct walk walk, uint64_t granules,
                const struct row_ranges_limits *l)
{
    double weight = 0;
    r->count = 1;
    r->first[0] = 0;
    for (uint64_t g = 0; g < granules; g++) {
        uint64_t start = granule_start(r, g), end = granule_start(r, g + 1);
        uint64_t first = r->first[r->count - 1], rows = end - first;
        double own = weigh(&walk, end - start);
        if (start > first && r->count < ROW_RANGES_MOST && (weight + own > l->target || rows > l->max_rows ||
                              (rows > l->wish_rows && weight >= l->target / 2))) {
            r->first[r->count++] = (uint32_t)start;
            weight = 0;
        }
        weight += own;
        if (weight > (double)r->heaviest)
            r->heaviest = (uint64_t)weight;
        r->of_granule[g] = (uint16_t)(r->count - 1);
    }
    r->first[r->count] = (uint32_t)r->rows;
}

enum status row_ranges_make(struct row_ranges *r, const struct degree_run *runs,
                            uint64_t run_count, const struct row_ranges_limits *limits,
                            struct error *e)
{
    memset(r, 0, sizeof *r);
    for (uint64_t i = 0; i < run_count; i++)
        r->rows += runs[i].vertices;
    r->granules = choose_granules(r->rows, limits->max_rows);
    uint64_t granules =
        r->rows == 0 ? 0 : row_ranges_granule((uint32_t)(r->rows - 1), r->granules) + 1;
    r->of_granule = calloc(granules + 1, sizeof *r->of_granule);
    r->first = calloc(granules + 2, sizeof *r->first);
    if (r->of_granule == NULL || r->first == NULL) {
        row_ranges_free(r);
        return fail_memory(e, "row ranges", 8 * granules);
    }
    cut(r, (struct walk){.runs = runs}, granules, limits);
    return ST_OK;
}

void row_ranges_free(struct row_ranges *r)
{
    free(r->of_granule);
    free(r->first);
    memset(r, 0, sizeof *r);
}
