/* cpu_answers.c: the values of an answer, of devices of the CPU; see engine.h
 *
 * Old values of vertices that the search did not reach are overwritten first. Then each value is gathered from the arrays
 * of the search by the number of its vertex, without a branch. Bytes that must move for each value: 4 of its vertex, 4 of
 * the answer, and those of a random value; of a parent also those of the parent's id.
 */
#include "cpu_answers.h"

#include "formats/graph/partition.h"

#include <stdlib.h>
#include <string.h>

/* Values that a thread writes at a time. */
enum { ANSWER_PIECE = 16384 };

/* Ids that are permuted together, by vectors. */
enum { STORED_AT_ONCE = 512 };

/* Returns the number of vertices of the shard: its locals and all delegates. */
static uint64_t vertices_of(const struct device *dev)
{
    return dev->shard->locals + dev->shard->d;
}

/* ---- memory ---- */

/* Called when answers are opened: takes the arrays for asking other shards for parents. Takes nothing if parents are not
 * recorded or there is a single shard. */
static enum status take_parent_arrays(struct device *dev, struct cpu_answers *a, struct error *e)
{
    uint64_t width = a->tables.id_bytes;
    if (a->tables.ids == NULL || dev->shard->p == 1)
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

/* Pool callback of cpu_open_answers: zeroes values begin..end before the first answer, so that the pages are placed near the
 * thread that gathers these values later. The context is a struct cpu_answers. */
static void touch_values(void *context, uint64_t begin, uint64_t end)
{
    const struct cpu_answers *a = context;
    memset((int32_t *)a->values + begin, 0, (end - begin) * sizeof(int32_t));
}

/* Implements open_answers of the backend: copies the tables into the device, and takes memory for the values and,
 * where parents are recorded with several shards, for the arrays of questions. */
static enum status cpu_open_answers(struct device *dev, const struct answer_tables *tables, struct error *e)
{
    uint64_t count = tables->values;
    struct cpu_answers *a = calloc(1, sizeof *a);
    if (a == NULL)
        return fail_memory(e, "answers", sizeof *a);
    dev->answers = a;
    a->tables = *tables;
    if (memory_take(dev->means.budget, &a->values, count, tables->ids != NULL ? tables->id_bytes : 4, "answer", e) != ST_OK)
        return e->status;
    memory_advise_huge(a->values);
    pool_for(dev->means.pool, threads_for(dev, count), count, ANSWER_PIECE, touch_values, a);
    return take_parent_arrays(dev, a, e);
}

/* Frees everything that cpu_open_answers and later questions and replies took. Does nothing for a device without
 * answers. */
void cpu_close_answers(struct device *dev)
{
    struct cpu_answers *a = dev->answers;
    if (a == NULL)
        return;
    memory_release(dev->means.budget, a->by_vertex);
    memory_release(dev->means.budget, a->values);
    memory_release(dev->means.budget, a->delegate_parents);
    memory_release(dev->means.budget, a->cursors);
    memory_release(dev->means.budget, a->questions);
    memory_release(dev->means.budget, a->askers);
    memory_release(dev->means.budget, a->replies);
    free(a);
}

/* ---- by vertex ---- */

/* The values of vertices of one kind (normals or delegates) after a search, and the bitmap of those that were visited. */
struct left_values {
    const struct device *dev;
    const uint64_t *visited;
    uint64_t count;  /* vertices */
    int32_t *values; /* [count] */
};

/* Pool callback of mark_unreached: sets the values of unvisited vertices in words begin..end of the bitmap to
 * DEPTH_UNREACHED. The context is a struct left_values. */
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

/* Sets the values of unvisited vertices to DEPTH_UNREACHED. values[locals + d] holds depths or records of parents, normals
 * first; DEPTH_UNREACHED and PARENT_NONE both have all bits set, so the same value suits either. */
static void mark_unreached(const struct device *dev, int32_t *values)
{
    uint64_t locals = dev->shard->locals, d = dev->shard->d;
    struct left_values kinds[] = {{dev, dev->normals.visited, locals, values},
                                  {dev, dev->delegates.visited, d, values + locals}};
    for (int i = 0; i < VERTEX_KINDS; i++)
        pool_for(dev->means.pool, threads_for(dev, kinds[i].count / 8), mask_words(kinds[i].count),
                 ANSWER_PIECE / 64, mark_unreached_words, &kinds[i]);
}

/* Returns the input id of the parent in a record, or ANSWER_NONE if the record has no parent or the parent is on
 * another shard. `self` is the number of the vertex that the record belongs to. Whether a parent is a delegate
 * cannot be predicted, so no branch depends on that. */
static inline int64_t id_of_record(const struct answer_tables *tables, uint64_t locals,
                                   uint32_t record, uint64_t self)
{
    uint64_t number = (record >> 31) * locals + (record & ~PARENT_DELEGATE_BIT);
    if (record >= PARENT_SELF) {
        if (record != PARENT_SELF)
            return ANSWER_NONE;
        number = self;
    }
    return answer_id(tables->ids, tables->id_bytes, number);
}

/* Pool callback of cpu_write_parents: converts the recorded parents of vertex numbers begin..end to input ids in
 * by_vertex. Entry locals + d is the spare entry, which no vertex has. The context is the struct device. */
static void write_parents(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    const struct cpu_answers *a = dev->answers;
    for (uint64_t i = begin; i < end; i++)
        answer_set_id(a->by_vertex, a->tables.id_bytes, i,
                      id_of_record(&a->tables, dev->shard->locals, dev->normals.parent[i], i));
}

/* Called by cpu_ask after a search: overwrites old records of unreached vertices, and converts the recorded
 * parents of all vertices to input ids in by_vertex. The one extra entry behind the vertices is a record of no
 * parent, so it becomes ANSWER_NONE. */
void cpu_write_parents(struct device *dev)
{
    uint64_t count = vertices_of(dev) + 1;
    mark_unreached(dev, (int32_t *)dev->normals.parent);
    pool_for(dev->means.pool, threads_for(dev, count), count, ANSWER_PIECE, write_parents, dev);
}

/* Implements `depths` of the backend after a search: copies the depths of normals to locals[] and those of
 * delegates to delegates[]; DEPTH_UNREACHED for vertices that were not reached, which are first marked so in the device's
 * own array of normals. */
static enum status cpu_depths(struct device *dev, int32_t *locals, int32_t *delegates, struct error *e)
{
    mark_unreached(dev, dev->normals.depth);
    memcpy(locals, dev->normals.depth, dev->shard->locals * sizeof *locals);
    memcpy(delegates, dev->delegates.depth, dev->shard->d * sizeof *delegates);
    return e->status;
}

/* ---- values ---- */

/* The input and output of the gather callbacks: to[i] becomes the value of vertex tables->vertex[i]. */
struct gathered {
    const struct probes *probes;
    const struct answer_tables *tables;
    const void *from; /* by vertex number: values, or records of parents */
    int are_records;  /* `from` holds records of parents, which must be converted to input ids */
    uint64_t locals; /* normals of the shard: the number of the first delegate */
    void *to;        /* [tables->values] */
};

/* Pool callback of cpu_make_values for values of 4 bytes: sets values begin..end from g->from by vertex number.
 * The context is a struct gathered. */
static void gather_words(void *context, uint64_t begin, uint64_t end)
{
    const struct gathered *g = context;
    g->probes->gather(g->tables->vertex + begin, g->from, end - begin, (int32_t *)g->to + begin);
}

/* Pool callback of cpu_make_values for ids of 4 bytes with a single shard: converts the recorded parents of values
 * begin..end to input ids. The context is a struct gathered. */
static void gather_parents(void *context, uint64_t begin, uint64_t end)
{
    const struct gathered *g = context;
    const struct named_parents parents = {g->from, g->tables->ids, (uint32_t)g->locals};
    g->probes->name(&parents, g->tables->vertex + begin, end - begin, (int32_t *)g->to + begin);
}

/* Pool callback of cpu_make_values for ids of 8 bytes: fills values begin..end, either by converting records of
 * parents or by copying ids that cpu_write_parents converted. The context is a struct gathered. */
static void gather_wide(void *context, uint64_t begin, uint64_t end)
{
    const struct gathered *g = context;
    const uint32_t *vertex = g->tables->vertex;
    int64_t *to = g->to;
    for (uint64_t i = begin; i < end; i++)
        to[i] = g->are_records ? id_of_record(g->tables, g->locals, ((const uint32_t *)g->from)[vertex[i]], vertex[i])
                               : ((const int64_t *)g->from)[vertex[i]];
}

/* Implements make_values of the backend after a search: fills the values of one answer, depths or parents. Parents
 * of several shards come from by_vertex, completed by the replies of other shards and the merging of delegates. */
static enum status cpu_make_values(struct device *dev, enum answer_kind kind, uint32_t levels, struct error *e)
{
    struct cpu_answers *a = dev->answers;
    uint64_t count = a->tables.values;
    int asked = kind == ANSWER_PARENTS && dev->shard->p > 1, wide = answer_width(&a->tables, kind) == 8;
    int32_t *left = kind == ANSWER_DEPTHS ? dev->normals.depth : (int32_t *)dev->normals.parent;
    int few = vertices_of(dev) <= INT32_MAX;
    struct gathered gathered = {.probes = few ? dev->means.probes : &probes_plain,
                                .tables = &a->tables,
                                .from = asked ? a->by_vertex : left,
                                .are_records = kind == ANSWER_PARENTS && !asked,
                                .locals = dev->shard->locals,
                                .to = a->values};
    pool_body *gather = wide ? gather_wide : gathered.are_records ? gather_parents : gather_words;
    (void)e;
    (void)levels;
    if (!asked)
        mark_unreached(dev, left);
    pool_for(dev->means.pool, threads_for(dev, count), count, ANSWER_PIECE, gather, &gathered);
    return ST_OK;
}

/* Implements set_value of the backend: overwrites the value at index `at` of the answer. */
static enum status cpu_set_value(struct device *dev, enum answer_kind kind, uint64_t at, int64_t value,
                                 struct error *e)
{
    (void)e;
    answer_set_id(dev->answers->values, answer_width(&dev->answers->tables, kind), at, value);
    return ST_OK;
}

/* ---- reading ---- */

/* Implements see_values of the backend: returns the values of the last answer, which lie in memory of the host. */
static const void *cpu_see_values(const struct device *dev)
{
    return dev->answers->values;
}

/* Implements read_values of the backend: copies values first..first+count (indices, not bytes) to `to`. */
static enum status cpu_read_values(struct device *dev, enum answer_kind kind, uint64_t first, uint64_t count, void *to,
                                   struct error *e)
{
    uint64_t width = answer_width(&dev->answers->tables, kind);
    (void)e;
    memcpy(to, (const char *)dev->answers->values + first * width, count * width);
    return ST_OK;
}

/* The window of permuted input ids whose values are listed. A task takes ANSWER_PIECE ids at a time, and writes
 * the values that it lists from the index of its first id on, which leaves gaps. */
struct listing {
    const struct device *dev;
    uint32_t width; /* bytes of a value */
    uint64_t first; /* the first input id of the window */
    const struct value_list *list;
    uint64_t listed[ANSWER_WINDOW / ANSWER_PIECE]; /* values that each task of ANSWER_PIECE ids listed */
};

/* Lists the values of those of the ids begin..end of the window (at most STORED_AT_ONCE) that belong to this
 * shard, from index `at` of the list on. Returns the index behind the last one listed. */
static uint64_t list_range(const struct listing *l, uint64_t begin, uint64_t end, uint64_t at)
{
    const struct answer_tables *tables = &l->dev->answers->tables;
    const struct shard_inverse shards = shard_inverse(l->dev->shard->p);
    uint64_t stored[STORED_AT_ONCE], slot[STORED_AT_ONCE], own = 0;
    bijection_forward_range(tables->bijection, l->first + begin, end - begin, stored);
    for (uint64_t i = begin; i < end; i++) {
        slot[own] = slot_by_inverse(stored[i - begin], shards);
        l->list->index[at + own] = (uint32_t)i;
        own += stored[i - begin] - slot[own] * shards.p == l->dev->shard->index;
    }
    for (uint64_t i = 0; i < own; i++)
        answer_set_id(l->list->values, l->width, at + i, answer_id(l->dev->answers->values, l->width, slot[i]));
    return at + own;
}

/* Pool callback of cpu_list_values: lists the values of ids begin..end of the window, at most ANSWER_PIECE, from
 * index `begin` of the list on, and stores how many it listed. The context is a struct listing. */
static void list_piece(void *context, uint64_t begin, uint64_t end)
{
    struct listing *l = context;
    uint64_t at = begin;
    for (uint64_t i = begin; i < end; i += STORED_AT_ONCE)
        at = list_range(l, i, end - i < STORED_AT_ONCE ? end : i + STORED_AT_ONCE, at);
    l->listed[begin / ANSWER_PIECE] = at - begin;
}

/* Implements list_values of the backend: lists the values and indices of those of the permuted input ids
 * first..first+count that belong to this shard, without gaps. Sets list->count. */
static enum status cpu_list_values(struct device *dev, enum answer_kind kind, uint64_t first, uint64_t count,
                                   struct value_list *list, struct error *e)
{
    uint32_t width = answer_width(&dev->answers->tables, kind);
    struct listing l = {.dev = dev, .width = width, .first = first, .list = list};
    char *values = list->values;
    (void)e;
    list->count = 0;
    pool_for(dev->means.pool, threads_for(dev, count), count, ANSWER_PIECE, list_piece, &l);
    for (uint64_t i = 0; i < count; i += ANSWER_PIECE) { /* closes the gaps between the lists of the tasks */
        uint64_t own = l.listed[i / ANSWER_PIECE];
        memmove(list->index + list->count, list->index + i, own * sizeof *list->index);
        memmove(values + list->count * width, values + i * width, own * width);
        list->count += own;
    }
    return ST_OK;
}

const struct backend_results cpu_results = {
    .depths = cpu_depths,
    .open_answers = cpu_open_answers,
    .make_values = cpu_make_values,
    .set_value = cpu_set_value,
    .see_values = cpu_see_values,
    .read_values = cpu_read_values,
    .list_values = cpu_list_values,
};
