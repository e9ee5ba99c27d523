/* rank.c: see rank.h. Degrees below DIRECT are counted in a table. Fewer than 2m / DIRECT vertices have a higher degree; a list
 * collects these degrees, because a table up to the highest degree of all might be too large. */
#include "rank.h"

#include "formats/base/arith.h"

#include <stdlib.h>
#include <string.h>

enum { DIRECT = 1 << 16 };

struct tally {
    uint64_t *direct; /* [DIRECT] vertices of each small degree */
    uint32_t *large;  /* the large degrees, one entry per vertex */
    uint64_t large_count;
};

/* Adds the degrees below DIRECT to t->direct, and counts the others in t->large_count. */
static void count_small(struct tally *t, const uint32_t *of, uint64_t n, int threads)
{
    uint64_t large = 0;
#pragma omp parallel num_threads(threads) reduction(+ : large)
    {
        uint64_t *own = calloc(DIRECT, sizeof *own);
#pragma omp for schedule(static)
        for (uint64_t v = 0; v < n; v++) {
            if (of[v] >= DIRECT) {
                large++;
            } else if (own != NULL) {
                own[of[v]]++;
            } else {
#pragma omp atomic
                t->direct[of[v]]++;
            }
        }
        for (unsigned i = 0; own != NULL && i < DIRECT; i++) {
            if (own[i] != 0) {
#pragma omp atomic
                t->direct[i] += own[i];
            }
        }
        free(own);
    }
    t->large_count += large;
}

/* The same for the vertices of all windows. */
static enum status count_windows(struct tally *t, struct vertex_values *v, struct error *e)
{
    for (uint32_t w = 0; w < v->windows; w++) {
        const uint32_t *of = values_load(v, w, /* half */ 0, e);
        if (of == NULL)
            return e->status;
        count_small(t, of, window_end(v, w) - window_begin(v, w), v->threads);
    }
    return ST_OK;
}

/* Lists the degrees of DIRECT and more in t->large, sorted. */
static enum status collect_large(struct tally *t, struct vertex_values *v,
                                 struct memory_budget *budget, struct error *e)
{
    uint64_t found = 0;
    if (memory_take(budget, (void **)&t->large, t->large_count, sizeof *t->large, "large degrees",
                    e) != ST_OK)
        return e->status;
    for (uint32_t w = 0; w < v->windows && found < t->large_count; w++) {
        const uint32_t *of = values_load(v, w, /* half */ 0, e);
        uint64_t n = window_end(v, w) - window_begin(v, w);
        if (of == NULL)
            return e->status;
        for (uint64_t i = 0; i < n && found < t->large_count; i++) {
            if (of[i] >= DIRECT)
                t->large[found++] = of[i];
        }
    }
    qsort(t->large, t->large_count, sizeof *t->large, compare_u32);
    return ST_OK;
}

/* The number of different degrees. */
static uint32_t count_different(const struct tally *t)
{
    uint32_t different = 0;
    for (unsigned i = 0; i < DIRECT; i++)
        different += t->direct[i] != 0;
    for (uint64_t i = 0; i < t->large_count; i++)
        different += i == 0 || t->large[i] != t->large[i - 1];
    return different;
}

/* Fills in ranks->degrees, the histogram by rank. */
static void list_degrees(struct ranks *ranks, const struct tally *t)
{
    uint32_t rank = 0;
    for (unsigned i = 0; i < DIRECT; i++) {
        if (t->direct[i] != 0)
            ranks->degrees[rank++] = (struct degree_count){.degree = i, .vertices = t->direct[i]};
    }
    for (uint64_t i = 0; i < t->large_count; i++) {
        if (i > 0 && t->large[i] == t->large[i - 1])
            ranks->degrees[rank - 1].vertices++;
        else
            ranks->degrees[rank++] = (struct degree_count){.degree = t->large[i], .vertices = 1};
    }
}

/* First rank whose degree is at least `degree`. */
static uint32_t first_rank(const struct ranks *ranks, uint64_t degree)
{
    uint32_t low = 0, high = ranks->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ranks->degrees[middle].degree < degree)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Replaces the degree of every vertex by its rank. */
static enum status replace_degrees(const struct ranks *ranks, struct vertex_values *v, struct error *e)
{
    uint32_t *rank_of = calloc(DIRECT, sizeof *rank_of);
    if (rank_of == NULL)
        return fail_memory(e, "degree ranks", DIRECT * sizeof *rank_of);
    for (uint32_t r = 0; r < ranks->count && ranks->degrees[r].degree < DIRECT; r++)
        rank_of[ranks->degrees[r].degree] = r;
    for (uint32_t w = 0; w < v->windows && e->status == ST_OK; w++) {
        uint32_t *of = values_load(v, w, /* half */ 0, e);
        uint64_t n = of != NULL ? window_end(v, w) - window_begin(v, w) : 0;
#pragma omp parallel for num_threads(v->threads) schedule(static)
        for (uint64_t i = 0; i < n; i++)
            of[i] = of[i] < DIRECT ? rank_of[of[i]] : first_rank(ranks, of[i]);
        if (of != NULL)
            values_keep(v, w, /* half */ 0, e);
    }
    free(rank_of);
    return e->status;
}

/* Ranks the degrees; the memory of degree_of becomes that of rank_of, with the rank of every vertex. */
enum status ranks_make(struct ranks *ranks, struct vertex_ranks *rank_of,
                       struct vertex_degrees *degree_of, struct memory_budget *budget,
                       struct error *e)
{
    struct tally t = {0};
    rank_of->values = degree_of->values;
    memset(degree_of, 0, sizeof *degree_of);
    memset(ranks, 0, sizeof *ranks);
    t.direct = calloc(DIRECT, sizeof *t.direct);
    if (t.direct == NULL)
        return fail_memory(e, "degree histogram", DIRECT * sizeof *t.direct);
    if (count_windows(&t, &rank_of->values, e) != ST_OK ||
        collect_large(&t, &rank_of->values, budget, e) != ST_OK)
        goto cleanup;
    uint32_t count = count_different(&t);
    if (memory_take(budget, (void **)&ranks->degrees, count, sizeof *ranks->degrees,
                    "degree histogram", e) != ST_OK)
        goto cleanup;
    ranks->count = count;
    list_degrees(ranks, &t);
    replace_degrees(ranks, &rank_of->values, e);
cleanup:
    memory_release(budget, t.large);
    free(t.direct);
    if (e->status != ST_OK)
        ranks_free(ranks, budget);
    return e->status;
}

void ranks_free(struct ranks *ranks, struct memory_budget *budget)
{
    memory_release(budget, ranks->degrees);
    memset(ranks, 0, sizeof *ranks);
}

/* The first rank of delegates for this TH. */
uint32_t ranks_cut(const struct ranks *ranks, uint64_t th)
{
    return th == TH_INFINITE ? ranks->count : first_rank(ranks, th + 1);
}

/* The largest TH for which ranks below `cut` are normal and all others delegates. */
uint64_t ranks_th(const struct ranks *ranks, uint32_t cut)
{
    return cut == ranks->count ? TH_INFINITE : ranks->degrees[cut].degree - 1;
}
