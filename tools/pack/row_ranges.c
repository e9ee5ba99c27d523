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
    uint64_t start = granule <= ROW_RANGES_FINE
                         ? granule
                         : ROW_RANGES_FINE + ((granule - ROW_RANGES_FINE) << r->shift);
    return start < r->rows ? start : r->rows;
}

/* Numbers the ranges and notes their first rows. */
static void cut(struct row_ranges *r, struct walk walk, uint64_t granules, double target,
                uint64_t max_rows)
{
    double weight = 0;
    r->count = 1;
    r->first[0] = 0;
    for (uint64_t g = 0; g < granules; g++) {
        uint64_t start = granule_start(r, g), end = granule_start(r, g + 1);
        double own = weigh(&walk, end - start);
        int has_rows = start > r->first[r->count - 1];
        if (has_rows && (weight + own > target || end - r->first[r->count - 1] > max_rows)) {
            r->first[r->count++] = (uint32_t)start;
            weight = 0;
        }
        weight += own;
        r->of_granule[g] = (uint16_t)(r->count - 1);
    }
    r->first[r->count] = (uint32_t)r->rows;
}

enum status row_ranges_make(struct row_ranges *r, const struct degree_run *runs,
                            uint64_t run_count, uint64_t divisor, uint64_t target,
                            uint64_t max_rows, struct error *e)
{
    memset(r, 0, sizeof *r);
    for (uint64_t i = 0; i < run_count; i++)
        r->rows += runs[i].vertices;
    uint64_t granules = r->rows;
    if (r->rows > ROW_RANGES_FINE) {
        uint64_t beyond = r->rows - ROW_RANGES_FINE;
        while (beyond >> r->shift > ROW_RANGES_GRANULES)
            r->shift++;
        granules = ROW_RANGES_FINE + ((beyond - 1) >> r->shift) + 1;
    }
    r->of_granule = calloc(granules + 1, sizeof *r->of_granule);
    r->first = calloc(granules + 2, sizeof *r->first);
    if (r->of_granule == NULL || r->first == NULL) {
        row_ranges_free(r);
        return fail_memory(e, "row ranges", 8 * granules);
    }
    cut(r, (struct walk){.runs = runs}, granules, (double)target * (double)divisor, max_rows);
    return ST_OK;
}

void row_ranges_free(struct row_ranges *r)
{
    free(r->of_granule);
    free(r->first);
    memset(r, 0, sizeof *r);
}
