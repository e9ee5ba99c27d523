/* forest.c: see forest.h */
#include "forest.h"

#include "formats/base/arith.h"

#include <inttypes.h>
#include <string.h>

enum { PIECE = 1 << 14 }; /* vertices between two takings of work by a thread */

/* The values of 4 bytes that a slot takes. */
static uint64_t values_of_slot(const struct forest *f)
{
    return f->slot_bytes / sizeof(uint32_t);
}

enum status forest_open(struct forest *f, uint64_t n, uint64_t most_bytes, int threads, struct spill *spill,
                        struct memory_budget *budget, struct error *e)
{
    *f = (struct forest){.n = n, .slot_bytes = n < slot_tag(4) ? 4 : 8};
    uint64_t values = n * values_of_slot(f);
    const struct values_options options = {
        .n = values, .granule = values_of_slot(f), .most_bytes = most_bytes, .threads = threads, .spill = spill};
    if (spill != NULL && values_least_bytes(values) > most_bytes)
        return fail(e, ST_RESOURCE, "%" PRIu64 " vertices: their components need -S %" PRIu64 "M more, even with %d windows on "
                    "disk", n, (values_least_bytes(values) - most_bytes) / (1 << 20) + 1, VALUES_MOST_WINDOWS);
    return values_open(&f->values, &options, budget, e);
}

void forest_close(struct forest *f)
{
    if (f->values.budget != NULL)
        values_free(&f->values);
    memset(f, 0, sizeof *f);
}

/* Returns the number of the window that has this vertex. */
uint32_t forest_window_of(const struct forest *f, uint64_t vertex)
{
    return f->values.windows == 1 ? 0 : (uint32_t)(vertex * values_of_slot(f) / f->values.window);
}

/* Returns the slots of window w, which is in half 0 or 1 of the memory. If there is one window, it has the whole memory. */
static struct slots slots_of(const struct forest *f, uint32_t w, int half)
{
    const struct vertex_values *v = &f->values;
    uint64_t begin = window_begin(v, w), end = window_end(v, w);
    return (struct slots){.at = v->of + (v->windows > 1 ? (uint64_t)half * v->window : 0),
                          .bytes = f->slot_bytes,
                          .first = begin / values_of_slot(f),
                          .count = (end - begin) / values_of_slot(f)};
}

struct slots forest_begin_window(struct forest *f, uint32_t w)
{
    const struct slots s = slots_of(f, w, /* half */ 0);
#pragma omp parallel for num_threads(threads_for(s.count, f->values.threads)) schedule(static)
    for (uint64_t i = 0; i < s.count; i++)
        slot_set(&s, s.bytes, i, s.first + i);
    return s;
}

struct slots forest_load(struct forest *f, uint32_t w, int half, struct error *e)
{
    if (e->status != ST_OK || values_load(&f->values, w, half, e) == NULL)
        return (struct slots){.at = f->values.of, .bytes = f->slot_bytes};
    return slots_of(f, w, half);
}

enum status forest_keep(struct forest *f, uint32_t w, struct error *e)
{
    return e->status == ST_OK ? values_keep(&f->values, w, /* half */ 0, e) : e->status;
}

/* ---- trees ---- */

/* Flattens the trees of vertices first + begin to first + end - 1. Going up in ids, parents are mostly flattened before their
 * children. */
static inline void flatten_piece(const struct slots *s, unsigned bytes, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++) {
        uint64_t parent = slot_get(s, bytes, i), above;
        uint64_t found = parent;
        while (found - s->first < s->count && (above = slot_get(s, bytes, found - s->first)) != found)
            found = above;
        if (found != parent)
            slot_set(s, bytes, i, found);
    }
}

/* Replaces the parent of each vertex by the root of the vertex, as far as the window shows it (forest.h). Threads may follow parents
 * that others replace: a parent is only ever replaced by one of its own ancestors. */
void forest_flatten(const struct slots *s, int threads)
{
#pragma omp parallel for num_threads(threads_for(s->count, threads)) schedule(dynamic)
    for (uint64_t i = 0; i < s->count; i += PIECE) {
        uint64_t end = smaller(i + PIECE, s->count);
        if (s->bytes == 4) /* a constant, so that slot_get has no branch */
            flatten_piece(s, 4, i, end);
        else
            flatten_piece(s, 8, i, end);
    }
}

/* A slot that is no vertex of `roots` stays: its difference is then roots->count or more, as the subtraction wraps around. */
void forest_replace_roots(const struct slots *s, const struct slots *roots, int threads)
{
    const unsigned bytes = s->bytes;
#pragma omp parallel for num_threads(threads_for(s->count, threads)) schedule(static)
    for (uint64_t i = 0; i < s->count; i++) {
        uint64_t root = slot_get(s, bytes, i) - roots->first;
        if (root < roots->count)
            slot_set(s, bytes, i, slot_get(roots, bytes, root));
    }
}

/* The first window has only roots and their children already. */
enum status forest_resolve(struct forest *f, struct error *e)
{
    for (uint32_t w = 1; w < forest_windows(f) && e->status == ST_OK; w++) {
        const struct slots s = forest_load(f, w, /* half */ 0, e);
        for (uint32_t below = 0; below < w && e->status == ST_OK; below++) {
            const struct slots b = forest_load(f, below, /* half */ 1, e);
            forest_replace_roots(&s, &b, f->values.threads);
        }
        forest_keep(f, w, e);
    }
    return e->status;
}
