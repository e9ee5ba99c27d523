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

/* The first row of a granule. */
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

/* Chooses granules that are small enough for ranges of max_rows. */
static struct row_granules choose_granules(uint64_t rows, uint64_t max_rows)
{
    struct row_granules g = {0, 0};
    while (g.middle_shift < ROW_RANGES_MIDDLE_SHIFT && UINT64_C(2) << g.middle_shift <= max_rows)
        g.middle_shift++;
    while (rows > ROW_RANGES_MIDDLE && (rows - ROW_RANGES_MIDDLE) >> g.shift >= ROW_RANGES_GRANULES)
        g.shift++;
    return g;
}

/* The granules that all rows make. */
static uint64_t count_granules(const struct row_ranges *r)
{
    return r->rows == 0 ? 0 : row_ranges_granule((uint32_t)(r->rows - 1), r->granules) + 1;
}

/* Sets rows and granules; the ranges are still to be made. */
static struct row_ranges describe(const struct degree_run *runs, uint64_t run_count, uint64_t max_rows)
{
    struct row_ranges r = {0};
    for (uint64_t i = 0; i < run_count; i++)
        r.rows += runs[i].vertices;
    r.granules = choose_granules(r.rows, max_rows);
    return r;
}

/* Counts the ranges and, if r has arrays, numbers the granules by range and notes the first row of each range. */
static void cut(struct row_ranges *r, struct walk walk, const struct row_ranges_limits *l)
{
    uint64_t granules = count_granules(r), first = 0;
    double weight = 0;
    r->count = 1;
    for (uint64_t g = 0; g < granules; g++) {
        uint64_t start = granule_start(r, g), end = granule_start(r, g + 1), rows = end - first;
        double own = weigh(&walk, end - start);
        if (start > first && r->count < ROW_RANGES_MOST &&
            (weight + own > l->target || rows > l->max_rows ||
             (rows > l->wish_rows && weight >= l->target / 2))) {
            first = start;
            weight = 0;
            if (r->first != NULL)
                r->first[r->count] = (uint32_t)first;
            r->count++;
        }
        weight += own;
        if (weight > (double)r->heaviest)
            r->heaviest = (uint64_t)weight;
        if (end - first > r->longest)
            r->longest = end - first;
        if (r->of_granule != NULL)
            r->of_granule[g] = (uint16_t)(r->count - 1);
    }
}

/* Counts the ranges, without arrays. */
struct row_ranges row_ranges_count(const struct degree_run *runs, uint64_t run_count,
                                   const struct row_ranges_limits *limits)
{
    struct row_ranges r = describe(runs, run_count, limits->max_rows);
    cut(&r, (struct walk){.runs = runs}, limits);
    return r;
}

/* Cuts the rows into ranges of about equal weight; `runs` has the weights, which are degrees. */
enum status row_ranges_make(struct row_ranges *r, const struct degree_run *runs,
                            uint64_t run_count, const struct row_ranges_limits *limits,
                            struct error *e)
{
    *r = describe(runs, run_count, limits->max_rows);
    uint64_t granules = count_granules(r);
    r->of_granule = calloc(granules + 1, sizeof *r->of_granule);
    r->first = calloc(granules + 2, sizeof *r->first);
    if (r->of_granule == NULL || r->first == NULL) {
        row_ranges_free(r);
        return fail_memory(e, "row ranges", 8 * granules);
    }
    cut(r, (struct walk){.runs = runs}, limits);
    r->first[r->count] = (uint32_t)r->rows;
    return ST_OK;
}

void row_ranges_free(struct row_ranges *r)
{
    free(r->of_granule);
    free(r->first);
    memset(r, 0, sizeof *r);
}
