/* cpu_answers.c: answers in the order of input ids, of devices of the CPU; see backend.h
 *
 * Old values of vertices that the search did not reach are overwritten first. Then the value of each input id
 * is gathered from the arrays of the search, without a branch. Bytes that must move for each id: 4 of its
 * vertex, 4 of the answer, and those of a random value; of a parent also those of the parent's id. Several devices
 * gather values of ids with edges alone.
 */
#include "cpu_answers.h"

#include "formats/graph/partition.h"

#include <stdlib.h>
#include <string.h>

/* Values that a thread writes at a time. */
enum { ANSWER_PIECE = 16384 };

static uint64_t vertices_of(const struct device *dev)
{
    return dev->shard->locals + dev->shard->d;
}

/* ---- memory ---- */

/* Takes arrays for parents, if they are recorded and there are several shards. */
static enum status take_parent_arrays(struct device *dev, struct cpu_answers *a, struct error *e)
{
    uint64_t width = a->places.id_bytes;
    if (a->places.ids == NULL || dev->shard->p == 1)
        return ST_OK;
    if (memory_take(dev->means.budget, &a->by_vertex, vertices_of(dev) + 1, width, "parents by vertex",
                    e) != ST_OK)
        return e->status;
    memory_advise_huge(a->by_vertex);
    memory_take(dev->means.budget, &a->delegate_parents, dev->shard->d, width, "delegate parents", e);
    if (e->status == ST_OK)
        memory_take(dev->means.budget, (void **)&a->cursors,
                    (uint64_t)dev->threads * dev->shard->p, 8, "questions for parents", e);
    return e->status;
}

/* Takes the pages of the block before the first answer: each thread those of ids that it gathers. */
static void touch_block(void *context, uint64_t begin, uint64_t end)
{
    const struct cpu_answers *a = context;
    memset((int32_t *)a->block + begin, 0, (end - begin) * sizeof(int32_t));
}

static enum status cpu_open_answers(struct device *dev, const struct answer_places *places,
                                    struct error *e)
{
    uint32_t width = places->ids != NULL ? places->id_bytes : 4;
    struct cpu_answers *a = calloc(1, sizeof *a);
    if (a == NULL)
        return fail_memory(e, "answers", sizeof *a);
    dev->answers = a;
    a->places = *places;
    if (memory_take(dev->means.budget, &a->block, places->count, width, "answer", e) != ST_OK)
        return e->status;
    memory_advise_huge(a->block);
    pool_for(dev->means.pool, threads_for(dev, places->count), places->count, ANSWER_PIECE, touch_block,
             a);
    if (dev->shard->p > 1 && memory_take(dev->means.budget, &a->values, places->starts[dev->shard->p], width,
                                         "values by input id", e) != ST_OK)
        return e->status;
    return take_parent_arrays(dev, a, e);
}

void cpu_close_answers(struct device *dev)
{
    struct cpu_answers *a = dev->answers;
    if (a == NULL)
        return;
    memory_release(dev->means.budget, a->by_vertex);
    memory_release(dev->means.budget, a->block);
    memory_release(dev->means.budget, a->values);
    memory_release(dev->means.budget, a->delegate_parents);
    memory_release(dev->means.budget, a->cursors);
    memory_release(dev->means.budget, a->questions);
    memory_release(dev->means.budget, a->askers);
    memory_release(dev->means.budget, a->replies);
    free(a);
}

/* ---- by vertex ---- */

/* The values of vertices of one kind after a search. */
struct left_values {
    const struct device *dev;
    const uint64_t *visited;
    uint64_t count;
    int32_t *values;
};

static void mark_unreached_words(void *context, uint64_t begin, uint64_t end)
{
    const struct left_values *l = context;
    for (uint64_t w = begin; w < end; w++) {
        uint64_t left = l->count - 64 * w, unreached = ~l->visited[w];
        unreached &= left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
        if (unreached != 0)
            l->dev->means.probes->mark(l->values, l->count, w, unreached, DEPTH_UNREACHED);
    }
}

/* Of depths, or of records of parents: DEPTH_UNREACHED and PARENT_NONE are both all bits. */
static void mark_unreached(const struct device *dev, int32_t *values)
{
    uint64_t locals = dev->shard->locals, d = dev->shard->d;
    struct left_values kinds[] = {{dev, dev->normals.visited, locals, values},
                                  {dev, dev->delegates.visited, d, values + locals}};
    for (int i = 0; i < VERTEX_KINDS; i++)
        pool_for(dev->means.pool, threads_for(dev, kinds[i].count / 8), mask_words(kinds[i].count),
                 ANSWER_PIECE / 64, mark_unreached_words, &kinds[i]);
}

/* The input id of a recorded parent; ANSWER_NONE if this device does not know it. Whether it is a delegate
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

/* Writes the parents of vertices begin..end, the last of which is no vertex. */
static void write_parents(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    const struct cpu_answers *a = dev->answers;
    for (uint64_t i = begin; i < end; i++)
        answer_set_id(a->by_vertex, a->places.id_bytes, i,
                      id_of_record(&a->places, dev->shard->locals, dev->normals.parent[i], i));
}

void cpu_write_parents(struct device *dev)
{
    uint64_t count = vertices_of(dev) + 1;
    mark_unreached(dev, (int32_t *)dev->normals.parent);
    pool_for(dev->means.pool, threads_for(dev, count), count, ANSWER_PIECE, write_parents, dev);
}

static enum status cpu_depths(struct device *dev, int32_t *locals, int32_t *delegates, struct error *e)
{
    mark_unreached(dev, dev->normals.depth);
    memcpy(locals, dev->normals.depth, dev->shard->locals * sizeof *locals);
    memcpy(delegates, dev->delegates.depth, dev->shard->d * sizeof *delegates);
    return e->status;
}

/* ---- by input id ---- */

/* A gathering of values: id i gets the value of vertex[i]. */
struct gathered {
    const struct probes *probes;
    const struct answer_places *places;
    const void *from;
    int are_records; /* of parents, and not values */
    uint64_t locals;
    void *to;
};

static void gather_words(void *context, uint64_t begin, uint64_t end)
{
    const struct gathered *g = context;
    g->probes->gather(g->places->vertex + begin, g->from, end - begin, (int32_t *)g->to + begin);
}

static void gather_parents(void *context, uint64_t begin, uint64_t end)
{
    const struct gathered *g = context;
    const struct named_parents parents = {g->from, g->places->ids, (uint32_t)g->locals};
    g->probes->name(&parents, g->places->vertex + begin, end - begin, (int32_t *)g->to + begin);
}

/* Ids of 8 bytes: of records of parents, or those that were made of them before. */
static void gather_wide(void *context, uint64_t begin, uint64_t end)
{
    const struct gathered *g = context;
    const uint32_t *vertex = g->places->vertex;
    int64_t *to = g->to;
    for (uint64_t i = begin; i < end; i++)
        to[i] = g->are_records ? id_of_record(g->places, g->locals, ((const uint32_t *)g->from)[vertex[i]], vertex[i])
                               : ((const int64_t *)g->from)[vertex[i]];
}

static void slice_values(const struct cpu_answers *a, uint32_t p, uint32_t width, struct slice *values)
{
    const uint64_t *starts = a->places.starts;
    for (uint32_t b = 0; b < p; b++)
        values[b] = (struct slice){(const char *)a->values + starts[b] * width, (starts[b + 1] - starts[b]) * width};
}

static enum status cpu_values(struct device *dev, enum answer_kind kind, uint32_t levels,
                              struct slice *values, struct error *e)
{
    struct cpu_answers *a = dev->answers;
    uint64_t count = a->places.starts[dev->shard->p];
    int alone = dev->shard->p == 1, wide = answer_width(&a->places, kind) == 8;
    int32_t *left = kind == ANSWER_DEPTHS ? dev->normals.depth : (int32_t *)dev->normals.parent;
    int few = vertices_of(dev) <= INT32_MAX;
    struct gathered gathered = {.probes = few ? dev->means.probes : &probes_plain,
                                .places = &a->places,
                                .from = left,
                                .are_records = kind == ANSWER_PARENTS && alone,
                                .locals = dev->shard->locals,
                                .to = alone ? a->block : a->values};
    pool_body *gather = wide ? gather_wide : gathered.are_records ? gather_parents : gather_words;
    (void)e;
    (void)levels;
    if (!alone)
        slice_values(a, dev->shard->p, answer_width(&a->places, kind), values);
    if (kind == ANSWER_DEPTHS || alone)
        mark_unreached(dev, left);
    else
        gathered.from = a->by_vertex;
    pool_for(dev->means.pool, threads_for(dev, count), count, ANSWER_PIECE, gather, &gathered);
    return ST_OK;
}

/* ---- blocks ---- */

/* Makes the block of one device from the values of all shards. */
struct assembly {
    struct device *dev;
    const struct slice *values;
    uint32_t width; /* of a value */
};

/* The value of an id of shard s, which owns `at` earlier ones of the block. Always inlined, here and below, so that the
 * width is a constant. */
static inline __attribute__((always_inline)) int64_t value_of_id(const struct assembly *a, uint32_t s, uint64_t at,
                                                                 uint32_t width)
{
    const struct answer_places *places = &a->dev->answers->places;
    int has_edges;
    uint32_t place = answer_value_place(places->marks + places->marks_of[s], at, &has_edges);
    return has_edges ? answer_id(a->values[s].at, width, place) : ANSWER_NONE;
}

static inline __attribute__((always_inline)) void assemble_as(const struct assembly *a, uint64_t begin,
                                                              uint64_t end, uint32_t width)
{
    const struct answer_places *places = &a->dev->answers->places;
    void *block = a->dev->answers->block;
    uint32_t p = a->dev->shard->p, s = (uint32_t)(begin % p);
    uint64_t round = begin / p; /* the first id of a block is a multiple of p */
    for (uint64_t i = begin; i < end; i++) {
        if (places->before != NULL) {
            uint64_t stored = answer_stored_id(places->bijection, places->first + i);
            answer_set_id(block, width, i, value_of_id(a, shard_of_vertex(stored, p), places->before[i], width));
            continue;
        }
        answer_set_id(block, width, i, value_of_id(a, s, round, width));
        s = s + 1 < p ? s + 1 : 0;
        round += s == 0;
    }
}

static void assemble_values(void *context, uint64_t begin, uint64_t end)
{
    const struct assembly *a = context;
    if (a->width == 4)
        assemble_as(a, begin, end, 4);
    else
        assemble_as(a, begin, end, 8);
}

static enum status cpu_assemble(struct device *dev, enum answer_kind kind, const struct slice *values,
                                struct error *e)
{
    struct assembly assembly = {dev, values, answer_width(&dev->answers->places, kind)};
    uint64_t count = dev->answers->places.count;
    pool_for(dev->means.pool, threads_for(dev, count), count, ANSWER_PIECE, assemble_values, &assembly);
    return e->status;
}

static enum status cpu_set_value(struct device *dev, enum answer_kind kind, uint64_t at, int64_t value,
                                 struct error *e)
{
    (void)e;
    answer_set_id(dev->answers->block, answer_width(&dev->answers->places, kind), at, value);
    return ST_OK;
}

static enum status cpu_read_block(struct device *dev, enum answer_kind kind, uint64_t first,
                                  uint64_t count, void *values, struct error *e)
{
    uint64_t width = answer_width(&dev->answers->places, kind);
    (void)e;
    memcpy(values, (const char *)dev->answers->block + first * width, count * width);
    return ST_OK;
}

static const void *cpu_see_block(const struct device *dev)
{
    return dev->answers->block;
}

const struct backend_results cpu_results = {
    .depths = cpu_depths,
    .open_answers = cpu_open_answers,
    .values = cpu_values,
    .assemble = cpu_assemble,
    .set_value = cpu_set_value,
    .read_block = cpu_read_block,
    .see_block = cpu_see_block,
};
