/* cpu_answers.c: makes the answers of devices of the CPU, and finds parents that a device does not know itself; engine.h
 * has the contracts
 *
 * Vertices that the search did not reach have values that an earlier search left. So these values are overwritten first.
 * Then the value of each id is gathered from the arrays of the search, by the number of the id's vertex, without a
 * branch. Bytes that must move for each value: 4 of the vertex number, 4 of the answer, and the bytes of a random read of
 * the value. A parent also needs a random read of its input id.
 *
 * A normal that was reached over an nn edge from another shard does not know its parent. The normal asks all its
 * neighbours on other shards. In a directed graph it asks only neighbours that have an edge to it. The threads go over
 * the normals twice: first to count the questions, and then to write the questions. Questions are ordered by shard, and
 * the questions for a shard are ordered by thread. Bytes that must move for each question: 8 of the question, 4 of the
 * vertex that asks, and 4 or 8 of the reply. The shard that replies reads a random depth and a random id. */
#include "cpu_answers.h"

#include "formats/graph/partition.h"

#include <stdlib.h>
#include <string.h>

/* Sizes:
 * - ANSWER_PIECE: number of values, or of ids of a window, that a thread handles at a time.
 * - QUESTIONS_PIECE: number of questions that a thread handles at a time.
 * - STORED_AT_ONCE: number of ids that are permuted together, by vector instructions.
 * - COPIED_BYTES: number of bytes that a thread copies at a time. */
enum { ANSWER_PIECE = 16384, QUESTIONS_PIECE = 8192, STORED_AT_ONCE = 512, COPIED_BYTES = 1 << 16 };

/* Returns the number of vertices for which the device has values: the normals of its shard and all delegates. */
static uint64_t vertices_of(const struct device *dev)
{
    return dev->shard->locals + dev->shard->d;
}

/* ---- memory ---- */

/* Zeroes 4 bytes for each of the values begin..end. The operating system places a page near the thread that first writes
 * to the page. So the pages will be near the thread that gathers these values later. Called by threads of the pool, for
 * cpu_open_answers. `context` is a struct cpu_answers. */
static void touch_values(void *context, uint64_t begin, uint64_t end)
{
    const struct cpu_answers *a = context;
    memset((int32_t *)a->values + begin, 0, (end - begin) * sizeof(int32_t));
}

/* Copies `tables` to dev->answers, and allocates the memory for the values. If parents are recorded and there are several
 * shards, also allocates the arrays for questions to other shards. The budget is charged. Sets *arrays to the allocated
 * arrays. After a failure dev->answers keeps what was allocated. cpu_close frees this memory in any case. This is `open`
 * of backend_answers. */
static enum status cpu_open_answers(struct device *dev, const struct answer_tables *tables, struct answer_arrays *arrays,
                                    struct error *e)
{
    uint64_t count = tables->values, width = tables->id_bytes;
    struct cpu_answers *a = calloc(1, sizeof *a);
    if (a == NULL)
        return fail_memory(e, "answers", sizeof *a);
    dev->answers = a;
    a->tables = *tables;
    if (memory_take(dev->means.budget, &a->values, count, tables->ids != NULL ? width : 4, "answer", e) != ST_OK)
        return e->status;
    memory_advise_huge(a->values);
    pool_for(dev->means.pool, threads_for(dev, count), count, ANSWER_PIECE, touch_values, a);
    *arrays = (struct answer_arrays){.values = a->values};
    if (tables->ids == NULL || dev->shard->p == 1)
        return ST_OK;
    if (memory_take(dev->means.budget, &a->by_vertex, vertices_of(dev) + 1, width, "parents by vertex", e) != ST_OK)
        return e->status;
    memory_advise_huge(a->by_vertex);
    arrays->delegate_parents = (char *)a->by_vertex + dev->shard->locals * width;
    return memory_take(dev->means.budget, (void **)&a->cursors, (uint64_t)dev->threads * dev->shard->p, 8,
                       "questions for parents", e);
}

/* Frees dev->answers, and all arrays that opening, asking and replying allocated. Returns the charged bytes to the
 * budget. Does nothing if dev->answers is NULL. dev->answers is invalid afterwards, so only cpu_close calls this
 * function. */
void cpu_close_answers(struct device *dev)
{
    struct cpu_answers *a = dev->answers;
    if (a == NULL)
        return;
    memory_release(dev->means.budget, a->by_vertex);
    memory_release(dev->means.budget, a->values);
    memory_release(dev->means.budget, a->cursors);
    memory_release(dev->means.budget, a->questions);
    memory_release(dev->means.budget, a->replies);
    free(a);
}

/* Makes space for at least `count` elements of `width` bytes in *array. *capacity is the number of elements that fit. If
 * *array is too small, replaces it by a new array, and the contents are lost. Charges the budget. After a failure *array
 * is NULL and *capacity is 0. */
static enum status make_room(struct device *dev, void **array, uint64_t *capacity, uint64_t count, uint64_t width,
                             const char *what, struct error *e)
{
    if (count <= *capacity)
        return ST_OK;
    memory_release(dev->means.budget, *array);
    *capacity = 0;
    if (memory_take(dev->means.budget, array, count, width, what, e) == ST_OK)
        *capacity = count;
    return e->status;
}

/* ---- depths and parents by vertex ---- */

/* The values of the vertices of one kind (normals or delegates) after a search, and the bitmap of visited vertices. */
struct left_values {
    const struct device *dev;
    const uint64_t *visited;
    uint64_t count;  /* number of vertices of the kind */
    int32_t *values; /* [count] */
};

/* Sets the value of each unvisited vertex in words begin..end of the bitmap to DEPTH_UNREACHED. Called by threads of the
 * pool, for mark_unreached. `context` is a struct left_values. */
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

/* Sets the values of all unvisited vertices of the shard to DEPTH_UNREACHED. values[locals + d] are depths, or recorded
 * parents. The values of normals stand before the values of delegates. The same value serves for parents, because
 * DEPTH_UNREACHED and PARENT_NONE both have all bits set. */
static void mark_unreached(const struct device *dev, int32_t *values)
{
    uint64_t locals = dev->shard->locals, d = dev->shard->d;
    struct left_values kinds[] = {{dev, dev->normals.visited, locals, values},
                                  {dev, dev->delegates.visited, d, values + locals}};
    for (int i = 0; i < VERTEX_KINDS; i++)
        pool_for(dev->means.pool, threads_for(dev, kinds[i].count / 8), mask_words(kinds[i].count),
                 ANSWER_PIECE / 64, mark_unreached_words, &kinds[i]);
}

/* Copies the depths of the last search to locals[] and delegates[]. Before that sets the depths of unreached vertices in
 * the device's own array to DEPTH_UNREACHED. This is `read_depths` of backend_answers. */
static enum status cpu_read_depths(struct device *dev, int32_t *locals, int32_t *delegates, struct error *e)
{
    mark_unreached(dev, dev->normals.depth);
    memcpy(locals, dev->normals.depth, dev->shard->locals * sizeof *locals);
    memcpy(delegates, dev->delegates.depth, dev->shard->d * sizeof *delegates);
    return e->status;
}

/* Returns the input id of a recorded parent. `record` is PARENT_SELF, a local id or a delegate. PARENT_SELF stands for
 * the vertex that has the record, and the number of this vertex is `self`. Returns ANSWER_NONE if the record is
 * PARENT_NONE or PARENT_REMOTE. Whether a parent is a delegate cannot be predicted, so no branch depends on it. */
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

/* Converts the recorded parents of the vertices with numbers begin..end to input ids, and writes the input ids to
 * answers->by_vertex. The number locals + d stands for no vertex, and gets ANSWER_NONE. Called by threads of the pool,
 * for cpu_ask. `context` is the struct device. */
static void write_parents(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    const struct cpu_answers *a = dev->answers;
    for (uint64_t i = begin; i < end; i++)
        answer_set_id(a->by_vertex, a->tables.id_bytes, i,
                      id_of_record(&a->tables, dev->shard->locals, dev->normals.parent[i], i));
}

/* ---- parents of several shards ---- */

/* The input of the loop over ask_shares. The normals are divided into `shares` equal shares, one for each thread. */
struct asking {
    const struct device *dev;
    int shares;
    int list; /* 0: questions are counted; 1: questions are written */
};

/* Goes over the neighbours of normal `local` on other shards. Adds 1 to cursor[s] for each neighbour on shard s. With
 * `list` also writes a question for the neighbour to questions[cursor[s]], and `local` to askers[cursor[s]]. The question
 * asks whether the depth of the neighbour is the depth of `local` less 1. */
static void ask_neighbours(const struct device *dev, uint32_t local, uint64_t *cursor, int list)
{
    const struct shard *shard = dev->shard;
    const struct csr *nn = shard_pull_rows(shard, NN);
    const struct cpu_answers *a = dev->answers;
    uint64_t local_mask = (UINT64_C(1) << shard->local_bits) - 1;
    uint64_t heads = nn->head_columns, length = csr_row_length(nn, local), rest = csr_offset(nn, local);
    for (uint64_t j = 0; j < length; j++) {
        uint64_t to =
            j < heads ? nn->heads[j * nn->rows + local] : csr_column_of_row(nn, local, rest + j - heads);
        uint64_t owner = to >> shard->local_bits;
        if (owner == shard->index)
            continue;
        uint64_t at = cursor[owner]++;
        if (!list)
            continue;
        a->questions[at] = (struct question){(uint32_t)(to & local_mask), dev->normals.depth[local] - 1};
        a->askers[at] = local;
    }
}

/* Counts or writes the questions of the normals in shares begin..end that were reached over an nn edge from another shard
 * (PARENT_REMOTE). Advances the cursors of these shares. Called by threads of the pool, for cpu_ask. `context` is a
 * struct asking. */
static void ask_shares(void *context, uint64_t begin, uint64_t end)
{
    const struct asking *a = context;
    const struct device *dev = a->dev;
    for (uint64_t t = begin; t < end; t++) {
        uint64_t last = share_begin(dev->shard->locals, a->shares, (int)t + 1);
        for (uint64_t i = share_begin(dev->shard->locals, a->shares, (int)t); i < last; i++) {
            if (dev->normals.parent[i] == PARENT_REMOTE)
                ask_neighbours(dev, (uint32_t)i, dev->answers->cursors + t * dev->shard->p, a->list);
        }
    }
}

/* Makes the questions of all normals with an unknown parent. First overwrites the old parents of unreached vertices, and
 * converts recorded parents to input ids in answers->by_vertex. Sets questions[s] to the questions for each shard s. The
 * questions stay until the next call. Their memory is charged to the budget. This is `ask` of backend_answers. */
static enum status cpu_ask(struct device *dev, uint32_t levels, struct byte_span *questions, struct error *e)
{
    struct cpu_answers *a = dev->answers;
    const uint32_t p = dev->shard->p;
    const int threads = threads_for(dev, dev->shard->locals);
    struct asking asking = {.dev = dev, .shares = threads};
    uint64_t vertices = vertices_of(dev) + 1, total = 0;
    (void)levels;
    mark_unreached(dev, (int32_t *)dev->normals.parent);
    pool_for(dev->means.pool, threads_for(dev, vertices), vertices, ANSWER_PIECE, write_parents, dev);
    memset(a->cursors, 0, (uint64_t)threads * p * sizeof *a->cursors);
    pool_for(dev->means.pool, threads, (uint64_t)threads, 1, ask_shares, &asking);
    /* changes each count to the index of the first question of the thread for the shard */
    for (uint32_t s = 0; s < p; s++) {
        uint64_t first = total;
        for (int t = 0; t < threads; t++) {
            uint64_t *cursor = &a->cursors[(uint64_t)t * p + s], count = *cursor;
            *cursor = total;
            total += count;
        }
        questions[s] = (struct byte_span){.bytes = (total - first) * sizeof(struct question)};
    }
    if (make_room(dev, (void **)&a->questions, &a->question_capacity, total + 1, sizeof *a->questions + sizeof *a->askers,
                  "questions for parents", e) != ST_OK)
        return e->status;
    a->askers = (uint32_t *)(void *)(a->questions + a->question_capacity);
    asking.list = 1;
    pool_for(dev->means.pool, threads, (uint64_t)threads, 1, ask_shares, &asking);
    const struct question *at = a->questions;
    for (uint32_t s = 0; s < p; s++) {
        questions[s].at = at;
        at += questions[s].bytes / sizeof *at;
    }
    return ST_OK;
}

/* The questions of one shard, and the place for the replies. */
struct replying {
    const struct device *dev;
    const struct question *question;
    void *replies;
    _Atomic int bad; /* 1: a question names a vertex that this shard does not have */
};

/* Replies to questions begin..end. The reply is the input id of the vertex if the vertex was reached at the depth of the
 * question, otherwise ANSWER_NONE. Sets `bad` if a vertex is not in the shard. Called by threads of the pool, for
 * cpu_reply. `context` is a struct replying. */
static void reply_range(void *context, uint64_t begin, uint64_t end)
{
    struct replying *r = context;
    const struct device *dev = r->dev;
    const struct answer_tables *tables = &dev->answers->tables;
    const struct cpu_normals *n = &dev->normals;
    int wrong = 0;
    for (uint64_t i = begin; i < end; i++) {
        struct question q = r->question[i];
        int known = q.vertex < dev->shard->locals;
        wrong |= !known;
        int matches = known && mask_bit(n->visited, q.vertex) && n->depth[q.vertex] == q.depth;
        answer_set_id(r->replies, tables->id_bytes, i,
                      matches ? answer_id(tables->ids, tables->id_bytes, q.vertex) : ANSWER_NONE);
    }
    r->bad |= wrong;
}

/* Writes a reply to each question in questions[s], for one shard s after the other. Sets replies[s] to the replies. The
 * replies are in answers->replies, and stay until the next call. This array grows as needed, and its bytes are charged to
 * the budget. Returns ST_BAD_DATA if a question names a vertex that this shard does not have. All other questions still
 * get replies. This is `reply` of backend_answers. */
static enum status cpu_reply(struct device *dev, const struct byte_span *questions, struct byte_span *replies, struct error *e)
{
    struct cpu_answers *a = dev->answers;
    uint64_t total = 0, width = a->tables.id_bytes;
    struct replying r = {.dev = dev};
    for (uint32_t s = 0; s < dev->shard->p; s++)
        total += questions[s].bytes / sizeof(struct question);
    if (make_room(dev, &a->replies, &a->reply_capacity, total, width, "replies about parents", e) != ST_OK)
        return e->status;
    r.replies = a->replies;
    for (uint32_t s = 0; s < dev->shard->p; s++) {
        uint64_t count = questions[s].bytes / sizeof(struct question);
        replies[s] = (struct byte_span){.at = r.replies, .bytes = count * width};
        r.question = questions[s].at;
        pool_for(dev->means.pool, threads_for(dev, count), count, QUESTIONS_PIECE, reply_range, &r);
        r.replies = (char *)r.replies + count * width;
    }
    return r.bad ? fail(e, ST_BAD_DATA, "%s: nn: another shard names a vertex this one does not have",
                        container_path(dev->shard->file))
                 : ST_OK;
}

/* Goes over the replies in the order of the questions. Sets the parent of each vertex that asked, in answers->by_vertex,
 * to the last reply that has an id. Every such id is a valid parent. Cannot fail. This is `take_replies` of
 * backend_answers. */
static enum status cpu_take_replies(struct device *dev, const struct byte_span *replies, struct error *e)
{
    const struct cpu_answers *a = dev->answers;
    uint32_t width = a->tables.id_bytes;
    const uint32_t *asker = a->askers;
    (void)e;
    for (uint32_t s = 0; s < dev->shard->p; s++) {
        uint64_t count = replies[s].bytes / width;
        for (uint64_t i = 0; i < count; i++) {
            int64_t id = answer_id(replies[s].at, width, i);
            if (id != ANSWER_NONE)
                answer_set_id(a->by_vertex, width, asker[i], id);
        }
        asker += count;
    }
    return ST_OK;
}

/* Returns 0, because devices of the CPU have no memory of their own. This is `reads_peer` of backend_answers. */
static int cpu_reads_peer(const struct device *dev, uint32_t shard)
{
    (void)dev;
    (void)shard;
    return 0;
}

/* ---- values ---- */

/* The input of gather_range, which sets to[i] to the value of vertex tables->vertex[i]. */
struct gathered {
    const struct probes *probes;
    const struct answer_tables *tables;
    const void *from; /* [vertices] in the order of vertex numbers: depths, input ids of parents, or recorded parents */
    int are_records;  /* 1: `from` holds recorded parents, which must be converted to input ids */
    uint64_t locals;  /* number of normals of the shard, which is also the vertex number of delegate 0 */
    void *to;         /* [tables->values] the values */
    uint32_t width;   /* bytes of a value */
};

/* Writes the values to[begin..end). Called by threads of the pool, for cpu_make_values. `context` is a struct gathered. */
static void gather_range(void *context, uint64_t begin, uint64_t end)
{
    const struct gathered *g = context;
    const struct named_parents parents = {g->from, g->tables->ids, (uint32_t)g->locals};
    const uint32_t *vertex = g->tables->vertex;
    int64_t *to = g->to;
    if (g->width == 4 && g->are_records)
        g->probes->name(&parents, vertex + begin, end - begin, (int32_t *)g->to + begin);
    else if (g->width == 4)
        g->probes->gather(vertex + begin, g->from, end - begin, (int32_t *)g->to + begin);
    for (uint64_t i = begin; g->width == 8 && i < end; i++)
        to[i] = g->are_records ? id_of_record(g->tables, g->locals, ((const uint32_t *)g->from)[vertex[i]], vertex[i])
                               : ((const int64_t *)g->from)[vertex[i]];
}

/* Writes the value of each vertex to answers->values. Gathers depths, and the parents of a single shard, from the arrays
 * of the search. The values of unreached vertices are overwritten before. Gathers parents of several shards from
 * answers->by_vertex, which cpu_ask and cpu_take_replies filled. Cannot fail. This is `make_values` of backend_answers. */
static enum status cpu_make_values(struct device *dev, enum answer_kind kind, uint32_t levels, struct error *e)
{
    struct cpu_answers *a = dev->answers;
    uint64_t count = a->tables.values;
    int asked = kind == ANSWER_PARENTS && dev->shard->p > 1;
    int32_t *left = kind == ANSWER_DEPTHS ? dev->normals.depth : (int32_t *)dev->normals.parent;
    int few = vertices_of(dev) <= INT32_MAX;
    struct gathered gathered = {.probes = few ? dev->means.probes : &probes_plain,
                                .tables = &a->tables,
                                .from = asked ? a->by_vertex : left,
                                .are_records = kind == ANSWER_PARENTS && !asked,
                                .locals = dev->shard->locals,
                                .to = a->values,
                                .width = answer_width(&a->tables, kind)};
    (void)e;
    (void)levels;
    if (!asked)
        mark_unreached(dev, left);
    pool_for(dev->means.pool, threads_for(dev, count), count, ANSWER_PIECE, gather_range, &gathered);
    return ST_OK;
}

/* A window of permuted input ids, for which values are listed. A piece has ANSWER_PIECE ids of the window. The list of a
 * piece begins at the index of the piece's first id. So there are gaps between the lists of pieces. */
struct listing {
    const struct device *dev;
    uint32_t width; /* bytes of a value */
    uint64_t first; /* the first input id of the window */
    const struct value_list *list;
    uint64_t listed[ANSWER_WINDOW / ANSWER_PIECE]; /* number of values listed in each piece */
};

/* Lists the values of the ids begin..end of the window that belong to this shard. The ids are one piece. The list begins
 * at index `begin`. Stores the number of values listed. Called by threads of the pool, for cpu_list_values. `context` is
 * a struct listing. */
static void list_piece(void *context, uint64_t begin, uint64_t end)
{
    struct listing *l = context;
    const struct cpu_answers *a = l->dev->answers;
    const struct shard_inverse shards = shard_inverse(l->dev->shard->p);
    uint64_t at = begin;
    for (uint64_t first = begin; first < end; first += STORED_AT_ONCE) {
        uint64_t stored[STORED_AT_ONCE], slot[STORED_AT_ONCE], own = 0;
        uint64_t count = end - first < STORED_AT_ONCE ? end - first : STORED_AT_ONCE;
        bijection_forward_range(a->tables.bijection, l->first + first, count, stored);
        for (uint64_t i = 0; i < count; i++) {
            slot[own] = slot_by_inverse(stored[i], shards);
            l->list->index[at + own] = (uint32_t)(first + i);
            own += stored[i] - slot[own] * shards.p == l->dev->shard->index;
        }
        for (uint64_t i = 0; i < own; i++)
            answer_set_id(l->list->values, l->width, at + i, answer_id(a->values, l->width, slot[i]));
        at += own;
    }
    l->listed[begin / ANSWER_PIECE] = at - begin;
}

/* Lists the values of the permuted ids first..first + count that this shard has. Several threads list the pieces of the
 * window. Then the lists of the pieces are moved together, so that no gaps are left. Sets list->count. Cannot fail. This
 * is `list_values` of backend_answers. */
static enum status cpu_list_values(struct device *dev, enum answer_kind kind, uint64_t first, uint64_t count,
                                   struct value_list *list, struct error *e)
{
    uint32_t width = answer_width(&dev->answers->tables, kind);
    struct listing l = {.dev = dev, .width = width, .first = first, .list = list};
    char *values = list->values;
    (void)e;
    list->count = 0;
    pool_for(dev->means.pool, threads_for(dev, count), count, ANSWER_PIECE, list_piece, &l);
    for (uint64_t i = 0; i < count; i += ANSWER_PIECE) {
        uint64_t own = l.listed[i / ANSWER_PIECE];
        memmove(list->index + list->count, list->index + i, own * sizeof *list->index);
        memmove(values + list->count * width, values + i * width, own * width);
        list->count += own;
    }
    return ST_OK;
}

/* The addresses of a copy. */
struct copied {
    char *to;
    const char *from;
};

/* Copies the bytes begin..end. Called by threads of the pool, for cpu_copy. `context` is a struct copied. */
static void copy_range(void *context, uint64_t begin, uint64_t end)
{
    const struct copied *c = context;
    memcpy(c->to + begin, c->from + begin, end - begin);
}

/* Copies `bytes` bytes within host memory, because a device of the CPU has no other memory. Does nothing if both
 * addresses are equal. This is `copy` of backend_answers. */
static enum status cpu_copy(const struct device *dev, void *to, const void *from, uint64_t bytes, struct error *e)
{
    struct copied copied = {to, from};
    (void)e;
    if (to != from)
        pool_for(dev->means.pool, threads_for(dev, bytes / sizeof(uint64_t)), bytes, COPIED_BYTES, copy_range, &copied);
    return ST_OK;
}

const struct backend_answers cpu_answers = {
    .read_depths = cpu_read_depths,
    .reads_peer = cpu_reads_peer,
    .open = cpu_open_answers,
    .ask = cpu_ask,
    .reply = cpu_reply,
    .take_replies = cpu_take_replies,
    .make_values = cpu_make_values,
    .list_values = cpu_list_values,
    .copy = cpu_copy,
};
