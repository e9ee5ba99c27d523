/* test_forest.c: components of a forest with slots of 4 and of 8 bytes, in one window and in several, joined by several
 * threads, are those of a plain union-find; their numbers go by size */
#include "unit.h"

#include "formats/base/hash.h"
#include "tools/components/number.h"

#include <stdlib.h>

enum { VERTICES = 60000, EDGES = 48000, THREADS = 4, WINDOW_BYTES = 100000, MOST_LEFT = EDGES };

static struct edge edges[EDGES];
static uint64_t expected[VERTICES], size[VERTICES]; /* the smallest id of each vertex's component; its vertices */

static uint64_t find(uint64_t v)
{
    return expected[v] == v ? v : (expected[v] = find(expected[v]));
}

/* Makes random edges, mostly between near ids, and what is expected of them. */
static void make_edges(void)
{
    for (uint64_t v = 0; v < VERTICES; v++)
        expected[v] = v;
    for (uint64_t i = 0; i < EDGES; i++) {
        uint64_t u = random64(1, i) % VERTICES, v = i % 3 == 0 ? random64(2, i) % VERTICES : (u + random64(3, i) % 50) % VERTICES;
        edges[i] = (struct edge){u, v};
        u = find(u), v = find(v);
        expected[u > v ? u : v] = u < v ? u : v;
    }
    for (uint64_t v = 0; v < VERTICES; v++)
        size[expected[v] = find(v)]++;
}

/* Opens a forest whose slots have this width, in windows if `spill` is there. */
static void open_forest(struct forest *f, unsigned slot_bytes, struct spill *spill, struct memory_budget *budget, struct error *e)
{
    const uint64_t values = slot_bytes / 4;
    const struct values_options options = {.n = VERTICES * values, .granule = values, .most_bytes = WINDOW_BYTES,
                                           .threads = THREADS, .spill = spill};
    *f = (struct forest){.n = VERTICES, .slot_bytes = slot_bytes};
    values_open(&f->values, &options, budget, e);
}

/* Joins all edges, window by window. What is left by a window is joined by those below, with the edges that begin there. */
static void join(struct forest *f, struct error *e)
{
    static struct edge left[MOST_LEFT];
    uint64_t lefts = 0;
    for (uint32_t w = forest_windows(f); w-- > 0;) {
        const struct slots s = forest_begin_window(f, w);
        const struct edge *from = w + 1 == forest_windows(f) ? edges : left;
        uint64_t count = w + 1 == forest_windows(f) ? EDGES : lefts, kept = 0;
#pragma omp parallel for num_threads(THREADS) schedule(static, 1)
        for (uint64_t i = 0; i < count; i++) {
            struct edge edge = from[i], below;
            int more = s.bytes == 4 ? forest_unite(&s, 4, edge.u, edge.v, &below) : forest_unite(&s, 8, edge.u, edge.v, &below);
            left[i] = more ? below : (struct edge){0, 0};
        }
        for (uint64_t i = 0; i < count; i++) {
            left[kept] = left[i];
            kept += left[i].u != left[i].v;
        }
        lefts = kept;
        forest_flatten(&s, THREADS);
        forest_keep(f, w, e);
    }
    report(lefts == 0, "the first window of a forest leaves no edge");
    forest_resolve(f, e);
}

/* Returns whether the slots are those of the expected roots. */
static int has_roots(struct forest *f, struct error *e)
{
    int same = 1;
    for (uint32_t w = 0; w < forest_windows(f); w++) {
        const struct slots s = forest_load(f, w, /* half */ 0, e);
        for (uint64_t i = 0; i < s.count; i++)
            same &= slot_get(&s, s.bytes, i) == expected[s.first + i];
    }
    return same && e->status == ST_OK;
}

/* Returns whether each vertex has the number of its component's size, and whether numbers of one size go by the smallest id. */
static int has_numbers(struct forest *f, const struct component_sizes *sizes, struct error *e)
{
    static uint64_t number[VERTICES], root[VERTICES];
    int right = 1;
    for (uint32_t w = 0; w < forest_windows(f); w++) {
        const struct slots s = forest_load(f, w, /* half */ 0, e);
        for (uint64_t i = 0; i < s.count; i++)
            number[s.first + i] = slot_number(&s, s.bytes, i);
    }
    for (uint64_t v = 0; v < VERTICES && right; v++) {
        right &= number[v] < sizes->components && number[v] == number[expected[v]] &&
                 component_size(sizes, number[v]) == size[expected[v]];
        if (right)
            root[number[v]] = expected[v];
    }
    for (uint64_t c = 1; c < sizes->components && right; c++)
        right &= size[root[c - 1]] > size[root[c]] || (size[root[c - 1]] == size[root[c]] && root[c - 1] < root[c]);
    return right && e->status == ST_OK;
}

int main(void)
{
    const char *folder[] = {unit_place()};
    make_edges();
    for (unsigned slot_bytes = 4; slot_bytes <= 8; slot_bytes += 4) {
        for (int windows = 0; windows <= 1; windows++) {
            struct error e = {0};
            struct spill spill;
            struct memory_budget budget;
            struct forest forest;
            struct component_sizes sizes = {0};
            memory_budget_init(&budget, UINT64_C(64) << 20);
            spill_open(&spill, folder, 1);
            open_forest(&forest, slot_bytes, windows ? &spill : NULL, &budget, &e);
            report(windows ? forest_windows(&forest) > 3 : forest_windows(&forest) == 1,
                   windows ? "a forest has several windows if memory is short" : "a forest without temporary files has one window");
            join(&forest, &e);
            report(has_roots(&forest, &e), "the root of each tree is the smallest id of its component");
            number_components(&forest, /* numbered */ 1, &sizes, &e);
            report(has_numbers(&forest, &sizes, &e), "components have numbers by their sizes, and then by their smallest ids");
            component_sizes_free(&sizes);
            forest_close(&forest);
            spill_close(&spill);
            report(budget.taken_bytes == 0, "a forest gives all its memory back");
        }
    }
    return unit_result();
}
