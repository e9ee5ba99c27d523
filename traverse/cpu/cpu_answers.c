/* cpu_answers.c: answers in the order of input ids, of devices of the CPU; see backend.h
 *
 * Values are first written by number of vertex, which is sequential, and then gathered by input id, without a
 * branch. Bytes that must move for each id: 4 of its vertex, 4 of the answer, and those of a random value. So
 * the values of depths are bytes where the search had few levels: more of them stay in the cache.
 */
#include "cpu_answers.h"

#include "formats/base/clones.h"
#include "formats/base/huge.h"
#include "formats/graph/partition.h"

#include <stdlib.h>
#include <string.h>

/* With this many levels depth + 1 still is a byte. */
enum { BYTE_LEVELS = 255 };

static uint64_t vertices_of(const struct device *dev)
{
    return dev->shard->locals + dev->shard->d;
}

/* ---- memory ---- */

static enum status take_parent_arrays(struct device *dev, struct cpu_answers *a, struct error *e)
{
    uint64_t width = a->places.id_bytes;
    if (a->places.ids == NULL || dev->shard->p == 1)
        return ST_OK;
    memory_take(dev->budget, &a->delegate_parents, dev->shard->d, width, "delegate parents", e);
    if (e->status == ST_OK)
        memory_take(dev->budget, (void **)&a->cursors,
                    (uint64_t)dev->threads * dev->shard->p, 8, "questions for parents", e);
    return e->status;
}

enum status cpu_open_answers(struct device *dev, const struct answer_places *places,
                             struct error *e)
{
    uint32_t width = places->ids != NULL ? places->id_bytes : 4;
    struct cpu_answers *a = calloc(1, sizeof *a);
    if (a == NULL)
        return fail_memory(e, "answers", sizeof *a);
    dev->answers = a;
    a->places = *places;
    if (memory_take(dev->budget, &a->by_vertex, vertices_of(dev) + 1, width, "values of an answer",
                    e) != ST_OK ||
        memory_take(dev->budget, &a->block, places->count, width, "answer", e) != ST_OK)
        return e->status;
    huge_advise(a->by_vertex, (vertices_of(dev) + 1) * width);
    huge_advise(a->block, places->count * width);
    if (dev->shard->p > 1 && memory_take(dev->budget, &a->values, places->slots, width,
                                         "values by input id", e) != ST_OK)
        return e->status;
    return take_parent_arrays(dev, a, e);
}

void cpu_close_answers(struct device *dev)
{
    struct cpu_answers *a = dev->answers;
    if (a == NULL)
        return;
    memory_release(dev->budget, a->by_vertex);
    memory_release(dev->budget, a->block);
    memory_release(dev->budget, a->values);
    memory_release(dev->budget, a->delegate_parents);
    memory_release(dev->budget, a->cursors);
    memory_release(dev->budget, a->questions);
    memory_release(dev->budget, a->askers);
    memory_release(dev->budget, a->replies);
    free(a);
}

/* ---- by vertex ---- */

/* Depths of one word of a mask as bytes: depth + 1, and 0 for those that were not reached. */
WIDE_CLONES
static void write_word(uint64_t visited, const int32_t *depth, uint64_t count, uint8_t *to)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = (uint8_t)((depth[i] + 1) & -(int)(visited >> i & 1));
}

/* A thread's share, within a parallel region. */
static void write_bytes(uint64_t count, const uint64_t *visited, const int32_t *depth, uint8_t *to)
{
#pragma omp for schedule(static) nowait
    for (uint64_t w = 0; w < mask_words(count); w++)
        write_word(visited[w], depth + 64 * w, count - 64 * w < 64 ? count - 64 * w : 64,
                   to + 64 * w);
}

void cpu_copy_depths(const struct device *dev, uint64_t count, const uint64_t *visited,
                     const int32_t *depth, int32_t *to)
{
#pragma omp parallel for num_threads(threads_for(dev, count)) schedule(static)
    for (uint64_t i = 0; i < count; i++)
        to[i] = mask_bit(visited, i) ? depth[i] : DEPTH_UNREACHED;
}

static void write_all_depths(struct device *dev, uint32_t levels)
{
    const struct cpu_delegates *d = &dev->delegates;
    const struct cpu_normals *n = &dev->normals;
    uint64_t locals = dev->shard->locals;
    uint8_t *bytes = dev->answers->by_vertex;
    int32_t *depths = dev->answers->by_vertex;
    if (levels <= BYTE_LEVELS) {
#pragma omp parallel num_threads(threads_for(dev, vertices_of(dev)))
        {
            write_bytes(locals, n->visited, n->depth, bytes);
            write_bytes(dev->shard->d, d->visited, d->depth, bytes + locals);
        }
        bytes[vertices_of(dev)] = 0;
    } else {
        cpu_copy_depths(dev, locals, n->visited, n->depth, depths);
        cpu_copy_depths(dev, dev->shard->d, d->visited, d->depth, depths + locals);
        depths[vertices_of(dev)] = DEPTH_UNREACHED;
    }
}

/* The input id of a recorded parent; ANSWER_NONE where this device does not know it. Whether it is a delegate
 * is a coin toss, so no branch depends on that. */
static inline int64_t id_of_record(const struct answer_places *places, uint64_t locals,
                                   uint32_t record, uint64_t self)
{
    uint64_t number = (record >> 31) * locals + (record & ~PARENT_DELEGATE_BIT);
    if (record >= PARENT_SELF) {
        if (record != PARENT_SELF)
            return ANSWER_NONE;
        number = self;
    }
    return answer_id(places->ids, places->id_bytes, number);
}

/* Always inlined, here and below, so that the width is a constant. */
static inline __attribute__((always_inline)) void
write_parents_as(struct device *dev, struct answer_places places)
{
    const struct cpu_normals *n = &dev->normals;
    uint64_t locals = dev->shard->locals, d = dev->shard->d;
    void *to = dev->answers->by_vertex;
#pragma omp parallel num_threads(threads_for(dev, locals + d))
    {
        const uint64_t *visited = n->visited;
        const uint32_t *parent = n->parent;
        const struct answer_places own = places; /* a copy of each thread, in registers */
#pragma omp for schedule(static) nowait
        for (uint64_t i = 0; i < locals; i++) {
            uint32_t unvisited = (uint32_t)mask_bit(visited, i) - 1; /* all bits, or none */
            uint32_t record = parent[i] | unvisited;                 /* PARENT_NONE is all bits */
            answer_set_id(to, own.id_bytes, i, id_of_record(&own, locals, record, i));
        }
#pragma omp for schedule(static) nowait
        for (uint64_t i = 0; i < d; i++)
            answer_set_id(to, own.id_bytes, locals + i,
                          id_of_record(&own, locals, dev->delegates.parent[i], locals + i));
    }
    answer_set_id(to, places.id_bytes, locals + d, ANSWER_NONE);
}

void cpu_write_parents(struct device *dev)
{
    const void *ids = dev->answers->places.ids;
    if (dev->answers->places.id_bytes == 4)
        write_parents_as(dev, (struct answer_places){.ids = ids, .id_bytes = 4});
    else
        write_parents_as(dev, (struct answer_places){.ids = ids, .id_bytes = 8});
}

/* ---- by input id ---- */

static void gather_bytes(const struct device *dev, const uint8_t *from, int32_t *to)
{
    const struct answer_places *places = &dev->answers->places;
#pragma omp parallel for num_threads(threads_for(dev, places->slots)) schedule(static)
    for (uint64_t i = 0; i < places->slots; i++)
        to[i] = (int32_t)from[places->vertex[i]] - 1;
}

static void gather_words(const struct device *dev, const int32_t *from, int32_t *to)
{
    const struct answer_places *places = &dev->answers->places;
#pragma omp parallel for num_threads(threads_for(dev, places->slots)) schedule(static)
    for (uint64_t i = 0; i < places->slots; i++)
        to[i] = from[places->vertex[i]];
}

static void gather_wide(const struct device *dev, const int64_t *from, int64_t *to)
{
    const struct answer_places *places = &dev->answers->places;
#pragma omp parallel for num_threads(threads_for(dev, places->slots)) schedule(static)
    for (uint64_t i = 0; i < places->slots; i++)
        to[i] = from[places->vertex[i]];
}

enum status cpu_values(struct device *dev, enum answer_kind kind, uint32_t levels,
                       const void **values, struct error *e)
{
    struct cpu_answers *a = dev->answers;
    void *to = dev->shard->p == 1 ? a->block : a->values;
    (void)e;
    *values = to;
    if (kind == ANSWER_DEPTHS)
        write_all_depths(dev, levels);
    if (answer_width(&a->places, kind) == 8)
        gather_wide(dev, a->by_vertex, to);
    else if (kind == ANSWER_DEPTHS && levels <= BYTE_LEVELS)
        gather_bytes(dev, a->by_vertex, to);
    else
        gather_words(dev, a->by_vertex, to);
    return ST_OK;
}

/* ---- blocks ---- */

/* Of the block of one device, from the values of all shards. */
static inline __attribute__((always_inline)) void
assemble_as(struct device *dev, const struct slice *values, uint32_t width)
{
    const struct answer_places *places = &dev->answers->places;
    uint32_t p = dev->shard->p;
    void *to = dev->answers->block;
#pragma omp parallel for num_threads(threads_for(dev, places->count)) schedule(static)
    for (uint64_t i = 0; i < places->count; i++) {
        uint64_t stored = i, at = i / p; /* the first id of a block is a multiple of p */
        if (places->before != NULL) {
            stored = answer_stored_id(places->bijection, places->first + i);
            at = places->before[i];
        }
        answer_set_id(to, width, i, answer_id(values[shard_of_vertex(stored, p)].at, width, at));
    }
}

enum status cpu_assemble(struct device *dev, enum answer_kind kind, const struct slice *values,
                         struct error *e)
{
    (void)e;
    if (answer_width(&dev->answers->places, kind) == 4)
        assemble_as(dev, values, 4);
    else
        assemble_as(dev, values, 8);
    return ST_OK;
}

enum status cpu_set_value(struct device *dev, enum answer_kind kind, uint64_t at, int64_t value,
                          struct error *e)
{
    (void)e;
    answer_set_id(dev->answers->block, answer_width(&dev->answers->places, kind), at, value);
    return ST_OK;
}

enum status cpu_read_block(struct device *dev, enum answer_kind kind, uint64_t first,
                           uint64_t count, void *values, struct error *e)
{
    uint64_t width = answer_width(&dev->answers->places, kind);
    (void)e;
    memcpy(values, (const char *)dev->answers->block + first * width, count * width);
    return ST_OK;
}
