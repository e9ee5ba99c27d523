/* batch_targets.c: notes the distances from the roots of a batch to the targets; see batch_targets.h */
#include "batch_targets.h"

#include "formats/base/arith.h"

#include <stdlib.h>
#include <string.h>

/* Sets t->vertex and t->bitmap to the targets that have edges, each once. */
static void set_targets(struct batch_targets *t, const uint64_t *vertex, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (vertex[i] == JOINED_NOWHERE || vertex[i] == JOINED_ELSEWHERE || mask_bit(t->bitmap, vertex[i]))
            continue;
        t->bitmap[vertex[i] / 64] |= UINT64_C(1) << (vertex[i] % 64);
        t->vertex[t->count++] = (uint32_t)vertex[i];
    }
    qsort(t->vertex, t->count, sizeof *t->vertex, compare_u32);
}

enum status batch_targets_open(struct batch_targets *t, const struct joined_graph *graph, const uint64_t *vertex,
                               uint64_t count, uint64_t batch, struct error *e)
{
    *t = (struct batch_targets){.graph = graph};
    if (memory_take(graph->budget, (void **)&t->vertex, count, 4, "targets", e) != ST_OK ||
        memory_take(graph->budget, (void **)&t->bitmap, mask_words(graph->vertices), 8, "targets", e) != ST_OK)
        return e->status;
    set_targets(t, vertex, count);
    return memory_take(graph->budget, (void **)&t->distance, batch * t->count, 4,
                       "distances to the targets (a smaller --batch takes less)", e);
}

void batch_targets_close(struct batch_targets *t)
{
    void *const arrays[] = {t->vertex, t->bitmap, t->distance};
    for (size_t i = 0; t->graph != NULL && i < sizeof arrays / sizeof *arrays; i++)
        memory_release(t->graph->budget, arrays[i]);
    *t = (struct batch_targets){0};
}

void batch_targets_begin(struct batch_targets *t, const uint64_t *roots, uint32_t count)
{
    memset(t->distance, 0xff, count * t->count * sizeof *t->distance); /* all values become DEPTH_UNREACHED */
    t->left_of_all = 0;
    for (uint32_t r = 0; r < count; r++) {
        t->left[r] = roots[r] != JOINED_NOWHERE ? t->count : 0;
        t->left_of_all += t->left[r];
    }
}

uint64_t batch_targets_index(const struct batch_targets *t, uint64_t vertex)
{
    const uint32_t v = (uint32_t)vertex;
    return (uint64_t)((const uint32_t *)bsearch(&v, t->vertex, t->count, sizeof v, compare_u32) - t->vertex);
}

/* Notes that a root has found target number `index`. */
static void note_target(struct batch_targets *t, uint64_t root, uint64_t index, uint64_t depth)
{
    t->distance[root * t->count + index] = (int32_t)depth;
    __atomic_fetch_sub(&t->left[root], 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&t->left_of_all, 1, __ATOMIC_RELAXED);
}

/* A level_body: notes the targets among some entries of the list of a level or, without a list, some of the targets that the level has
 * reached. `sink` is the struct batch_targets. */
static void note_entries(void *sink, const struct batch_level *level, int thread, uint64_t begin, uint64_t end)
{
    struct batch_targets *t = sink;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t v = level->list != NULL ? level->list[i] : t->vertex[i];
        const uint64_t *found = level_found(level, v);
        if (!mask_bit(t->bitmap, v))
            continue;
        const uint64_t index = level->list != NULL ? batch_targets_index(t, v) : i;
        for (int j = 0; j < level->words; j++) {
            for (uint64_t bits = found[j]; bits != 0; bits &= bits - 1)
                note_target(t, 64 * (uint64_t)j + (uint64_t)__builtin_ctzll(bits), index, level->depth);
        }
    }
}

/* Stores the depth of each target that a level has reached (batch_targets.h). A level of all roots has the bits of those that reached
 * each vertex in `found`; threads of the pool share its vertices or, without a list, the targets. A level of a single root has
 * a list alone. */
void batch_targets_note(struct batch_targets *t, const struct batch_level *level)
{
    if (level->found != NULL) {
        level_run(level, level->list != NULL ? level->count : t->count, note_entries, t);
        return;
    }
    for (uint64_t i = 0; i < level->count; i++) {
        if (mask_bit(t->bitmap, level->list[i]))
            note_target(t, level->root, batch_targets_index(t, level->list[i]), level->depth);
    }
}
