/* number.c: see number.h */
#include "number.h"

#include "formats/base/arith.h"
#include "formats/base/memory.h"
#include "formats/base/progress.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 4096 }; /* sizes below are counted in an array */

/* The components whose roots are in a range of vertices. Threads have a part each; windows on disk are one part together. */
struct part {
    uint64_t small[SMALL]; /* components of that size; then the number of the next one */
    uint64_t *large;       /* [larges] sizes of all others, in the order of their roots; then their numbers. Owned */
    uint64_t larges, next_large;
};

struct numbering {
    struct forest *forest;
    struct component_sizes *sizes;
    int parts;
    struct part *part; /* [parts] */
};

/* ---- vertices of components ---- */

/* Makes the slot of every root in the window a tagged 1: the root itself. */
static void mark_roots(const struct slots *s, int threads)
{
    const uint64_t tag = slot_tag(s->bytes);
#pragma omp parallel for num_threads(threads_for(s->count, threads)) schedule(static)
    for (uint64_t i = 0; i < s->count; i++) {
        if (slot_get(s, s->bytes, i) == s->first + i)
            slot_set(s, s->bytes, i, tag | 1);
    }
}

/* Adds the vertices of the window `s` to the counts of their roots, if those are in the window `roots`. Vertices that follow
 * each other mostly have the same root, and are added together. */
static void count_vertices(const struct slots *s, const struct slots *roots, int threads)
{
    const unsigned bytes = s->bytes;
#pragma omp parallel num_threads(threads_for(s->count, threads))
    {
        uint64_t root = 0, count = 0;
#pragma omp for schedule(static)
        for (uint64_t i = 0; i < s->count; i++) {
            uint64_t slot = slot_get(s, bytes, i);
            if (slot - roots->first >= roots->count || slot == s->first + i)
                continue;
            if (slot != root && count > 0) {
                slot_add(roots, bytes, root - roots->first, count);
                count = 0;
            }
            root = slot;
            count++;
        }
        if (count > 0)
            slot_add(roots, bytes, root - roots->first, count);
    }
}

/* Makes the slot of every root the tagged number of its vertices. */
static enum status count_all_vertices(struct forest *f, struct error *e)
{
    for (uint32_t w = 0; w < forest_windows(f) && e->status == ST_OK; w++) {
        const struct slots roots = forest_load(f, w, /* half */ 0, e);
        mark_roots(&roots, f->values.threads);
        count_vertices(&roots, &roots, f->values.threads);
        for (uint32_t above = w + 1; above < forest_windows(f) && e->status == ST_OK; above++) {
            const struct slots s = forest_load(f, above, /* half */ 1, e);
            count_vertices(&s, &roots, f->values.threads);
        }
        forest_keep(f, w, e);
    }
    return e->status;
}

/* ---- runs of equal sizes ---- */

/* Counts the sizes of components whose roots are in part p of the window. */
static enum status count_sizes(struct part *part, const struct slots *s, uint64_t begin, uint64_t end, struct error *e)
{
    const uint64_t tag = slot_tag(s->bytes);
    for (uint64_t i = begin; i < end; i++) {
        uint64_t slot = slot_get(s, s->bytes, i);
        if (!(slot & tag))
            continue;
        if ((slot & ~tag) < SMALL) {
            part->small[slot & ~tag]++;
            continue;
        }
        uint64_t *grown = memory_grow(part->large, part->larges, sizeof *grown);
        if (grown == NULL)
            return fail_memory(e, "sizes of components", 2 * part->larges * sizeof *grown);
        part->large = grown;
        part->large[part->larges++] = slot & ~tag;
    }
    return ST_OK;
}

/* Counts the sizes of all components. */
static enum status count_all_sizes(struct numbering *k, struct error *e)
{
    for (uint32_t w = 0; w < forest_windows(k->forest) && e->status == ST_OK; w++) {
        const struct slots s = forest_load(k->forest, w, /* half */ 0, e);
#pragma omp parallel for num_threads(threads_for(s.count, k->parts)) schedule(static)
        for (int p = 0; p < k->parts; p++) {
            struct error own = {0};
            count_sizes(&k->part[p], &s, share_begin(s.count, k->parts, p), share_begin(s.count, k->parts, p + 1), &own);
            fail_thread(e, &own);
        }
    }
    return e->status;
}

static int descending(const void *a, const void *b)
{
    return compare_u64(b, a);
}

/* Appends a run of `count` components of this size behind those that are there. */
static void add_run(struct component_sizes *sizes, uint64_t vertices, uint64_t count)
{
    struct size_run *last = sizes->runs > 0 ? &sizes->run[sizes->runs - 1] : NULL;
    if (last != NULL && last->vertices == vertices)
        last->count += count;
    else if (count > 0)
        sizes->run[sizes->runs++] = (struct size_run){sizes->components, count, vertices};
    sizes->components += count;
}

/* Makes the runs of the sizes that all parts have counted. */
static enum status make_runs(struct numbering *k, struct error *e)
{
    uint64_t larges = 0, at = 0;
    for (int p = 0; p < k->parts; p++)
        larges += k->part[p].larges;
    uint64_t *large = zeroed(larges, sizeof *large, "sizes of components", e);
    k->sizes->run = zeroed(larges + SMALL, sizeof *k->sizes->run, "sizes of components", e);
    if (e->status == ST_OK) {
        for (int p = 0; p < k->parts; p++) {
            if (k->part[p].larges > 0)
                memcpy(large + at, k->part[p].large, k->part[p].larges * sizeof *large);
            at += k->part[p].larges;
        }
        qsort(large, larges, sizeof *large, descending);
        for (uint64_t i = 0; i < larges; i++)
            add_run(k->sizes, large[i], 1);
        for (uint64_t size = SMALL - 1; size > 0; size--) {
            for (int p = 0; p < k->parts; p++)
                add_run(k->sizes, size, k->part[p].small[size]);
        }
    }
    free(large);
    return e->status;
}

/* Returns the run of components of this size; there must be one. */
static struct size_run *run_of_size(const struct component_sizes *sizes, uint64_t vertices)
{
    uint64_t low = 0, high = sizes->runs - 1;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (sizes->run[middle].vertices > vertices)
            low = middle + 1;
        else
            high = middle;
    }
    return &sizes->run[low];
}

uint64_t component_size(const struct component_sizes *sizes, uint64_t number)
{
    uint64_t low = 0, high = sizes->runs - 1;
    while (low < high) {
        uint64_t middle = (low + high + 1) / 2;
        if (sizes->run[middle].first <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return sizes->run[low].vertices;
}

uint64_t component_singles(const struct component_sizes *sizes)
{
    const struct size_run *last = sizes->runs > 0 ? &sizes->run[sizes->runs - 1] : NULL;
    return last != NULL && last->vertices == 1 ? last->count : 0;
}

/* ---- numbers ---- */

/* Replaces each part's counts of components of a size by the number that the first of these components gets, behind those of the parts
 * before. */
static enum status assign_numbers(struct numbering *k, struct error *e)
{
    uint64_t *taken = zeroed(k->sizes->runs, sizeof *taken, "sizes of components", e); /* components of each run with a number */
    for (int p = 0; p < k->parts && e->status == ST_OK; p++) {
        struct part *part = &k->part[p];
        for (uint64_t i = 0; i < part->larges; i++) {
            const struct size_run *run = run_of_size(k->sizes, part->large[i]);
            part->large[i] = run->first + taken[run - k->sizes->run]++;
        }
        for (uint64_t size = 1; size < SMALL; size++) {
            uint64_t count = part->small[size];
            if (count == 0)
                continue;
            const struct size_run *run = run_of_size(k->sizes, size);
            part->small[size] = run->first + taken[run - k->sizes->run];
            taken[run - k->sizes->run] += count;
        }
    }
    free(taken);
    return e->status;
}

/* Replaces the tagged sizes of roots in a range of the window by tagged numbers. */
static void number_roots(struct part *part, const struct slots *s, uint64_t begin, uint64_t end)
{
    const uint64_t tag = slot_tag(s->bytes);
    for (uint64_t i = begin; i < end; i++) {
        uint64_t slot = slot_get(s, s->bytes, i), size = slot & ~tag;
        if (slot & tag)
            slot_set(s, s->bytes, i, tag | (size < SMALL ? part->small[size]++ : part->large[part->next_large++]));
    }
}

/* Makes every slot the tagged number of its component. */
static enum status number_all(struct numbering *k, struct error *e)
{
    struct forest *f = k->forest;
    if (assign_numbers(k, e) != ST_OK)
        return e->status;
    for (uint32_t w = 0; w < forest_windows(f) && e->status == ST_OK; w++) {
        const struct slots s = forest_load(f, w, /* half */ 0, e);
#pragma omp parallel for num_threads(threads_for(s.count, k->parts)) schedule(static)
        for (int p = 0; p < k->parts; p++)
            number_roots(&k->part[p], &s, share_begin(s.count, k->parts, p), share_begin(s.count, k->parts, p + 1));
        forest_replace_roots(&s, &s, f->values.threads);
        for (uint32_t below = 0; below < w && e->status == ST_OK; below++) {
            const struct slots roots = forest_load(f, below, /* half */ 1, e);
            forest_replace_roots(&s, &roots, f->values.threads);
        }
        forest_keep(f, w, e);
    }
    return e->status;
}

enum status number_components(struct forest *forest, int numbered, struct component_sizes *sizes, struct error *e)
{
    struct numbering k = {.forest = forest, .sizes = sizes, .parts = forest_windows(forest) == 1 ? forest->values.threads : 1};
    *sizes = (struct component_sizes){0};
    progress_stage("numbering components", 0, PROGRESS_ITEMS);
    k.part = zeroed((uint64_t)k.parts, sizeof *k.part, "sizes of components", e);
    if (e->status == ST_OK && count_all_vertices(forest, e) == ST_OK && count_all_sizes(&k, e) == ST_OK &&
        make_runs(&k, e) == ST_OK && numbered)
        number_all(&k, e);
    for (int p = 0; p < k.parts && k.part != NULL; p++)
        free(k.part[p].large);
    free(k.part);
    return e->status;
}

void component_sizes_free(struct component_sizes *sizes)
{
    free(sizes->run);
    memset(sizes, 0, sizeof *sizes);
}
