/* cpu_answers.c: makes answers on the CPU, and asks other shards for the parents that a device does not know (engine.h)
 *
 * An earlier search may have left values of vertices that this search did not reach. They are overwritten first, so that
 * every value can then be read without a branch. Bytes that must move for each value: 4 of the vertex number, 4 of the
 * answer, a random read of the value and, for a parent, a random read of its input id.
 *
 * A normal that was reached over an nn edge from another shard has no recorded parent, so it asks its neighbours on other
 * shards. (In a directed graph it asks those that have an edge to it.) Threads go over the normals twice:
 * first they count the questions, then they write them, ordered by shard and then by thread. A delegate that this shard owns asks
 * all other shards, if another device found it. Bytes that must move for each question: 8 of the
 * question, 4 of the vertex that asks, 4 or 8 of the reply, and random reads of a depth and an id by the other shard. */
#include "cpu_answers.h"

#include "formats/base/arith.h"
#include "formats/graph/partition.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Sizes:
 * - ANSWER_PIECE: number of values, or of ids of a window, that a thread handles at a time.
 * - QUESTIONS_PIECE: number of questions that a thread handles at a time.
 * - COPIED_BYTES: number of bytes that a thread copies at a time. */
enum { ANSWER_PIECE = 4096, QUESTIONS_PIECE = 8192, COPIED_BYTES = 1 << 16 };

/* Returns how many vertices the device has values for: its normals and all delegates. */
static uint64_t vertices_of(const struct device *dev)
{
    return dev->shard->locals + dev->shard->d;
}

/* ---- memory ---- */

/* Zeroes 4 bytes for each of the values begin..end, so that the system places their pages near the thread that will
 * write the values. Threads of the pool run this for cpu_open_answers; `context` is a struct cpu_answers. */
static void touch_values(void *context, uint64_t begin, uint64_t end)
{
    const struct cpu_answers *a = context;
    memset((int32_t *)a->values + begin, 0, (end - begin) * sizeof(int32_t));
}

/* Lists the delegates that the shard owns. The list is charged to the budget. */
static enum status list_owned(struct device *dev, struct error *e)
{
    struct cpu_answers *a = dev->answers;
    const struct shard *shard = dev->shard;
    for (uint64_t i = 0; i < shard->d; i++)
        a->owned_count += shard_of_vertex(shard_delegate_id(shard, i), shard->p) == shard->index;
    if (memory_take(dev->means.budget, (void **)&a->owned, a->owned_count, sizeof *a->owned, "delegates of the shard", e) != ST_OK)
        return e->status;
    for (uint64_t i = 0, at = 0; at < a->owned_count; i++) {
        if (shard_of_vertex(shard_delegate_id(shard, i), shard->p) == shard->index)
            a->owned[at++] = (uint32_t)i;
    }
    return ST_OK;
}

/* backend_answers.open: allocates the memory for values and, if parents of several shards are wanted, for questions,
 * charged to the budget. cpu_close frees it, also after a failure. */
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
    if (list_owned(dev, e) != ST_OK)
        return e->status;
    return memory_take(dev->means.budget, (void **)&a->cursors, (uint64_t)dev->threads * dev->shard->p, 8,
                       "questions for parents", e);
}

/* Frees dev->answers with all its arrays. Only for cpu_close, because dev->answers is invalid afterwards. */
void cpu_close_answers(struct device *dev)
{
    struct cpu_answers *a = dev->answers;
    if (a == NULL)
        return;
    memory_release(dev->means.budget, a->by_vertex);
    memory_release(dev->means.budget, a->owned);
    memory_release(dev->means.budget, a->values);
    memory_release(dev->means.budget, a->cursors);
    memory_release(dev->means.budget, a->questions);
    memory_release(dev->means.budget, a->replies);
    free(a);
}

/* Makes space for `count` elements of `width` bytes in *array, which has space for *capacity. A larger array takes its
 * place, without the old elements, and is charged to the budget. After a failure *array is NULL and *capacity 0. */
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

/* The values of all vertices of one kind after a search, and which of them were visited. */
struct left_values {
    const struct device *dev;
    const uint64_t *visited;
    uint64_t count;  /* number of vertices of the kind */
    int32_t *values; /* [count] */
};

/* Sets the values of unvisited vertices in words begin..end of the bitmap to DEPTH_UNREACHED. Threads of the pool run
 * this for mark_unreached; `context` is a struct left_values. */
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

/* Sets values[locals + d] of all unvisited vertices to -1. The values are depths, for which -1 is DEPTH_UNREACHED, or
 * recorded parents, for which the same bits are PARENT_NONE. */
static void mark_unreached(const struct device *dev, int32_t *values)
{
    uint64_t locals = dev->shard->locals, d = dev->shard->d;
    struct left_values kinds[] = {{dev, dev->normals.visited, locals, values},
                                  {dev, dev->delegates.visited, d, values + locals}};
    for (int i = 0; i < VERTEX_KINDS; i++)
        pool_for(dev->means.pool, threads_for(dev, kinds[i].count / 8), mask_words(kinds[i].count),
                 ANSWER_PIECE / 64, mark_unreached_words, &kinds[i]);
}

/* backend_answers.read_depths: copies the depths of the last search. Vertices that were not reached get DEPTH_UNREACHED. */
static enum status cpu_read_depths(struct device *dev, int32_t *locals, int32_t *delegates, struct error *e)
{
    mark_unreached(dev, dev->normals.depth);
    memcpy(locals, dev->normals.depth, dev->shard->locals * sizeof *locals);
    memcpy(delegates, dev->delegates.depth, dev->shard->d * sizeof *delegates);
    return e->status;
}

/* Returns the input id of a recorded parent, or ANSWER_NONE if there is none (PARENT_NONE, PARENT_REMOTE). PARENT_SELF
 * stands for the vertex itself, whose number is `self`. No branch depends on whether a parent is a delegate, because
 * this cannot be predicted. */
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

/* Converts the recorded parents of vertices begin..end, locals and behind them delegates, to input ids in answers->by_vertex. The last
 * number, locals + d, belongs to no vertex, and gets ANSWER_NONE. Threads of the pool run this for cpu_name_parents; `context` is the
 * device. */
static void write_parents(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    const struct cpu_answers *a = dev->answers;
    for (uint64_t i = begin; i < end; i++)
        answer_set_id(a->by_vertex, a->tables.id_bytes, i,
                      id_of_record(&a->tables, dev->shard->locals, dev->normals.parent[i], i));
}

/* ---- parents of several shards ---- */

/* backend_answers.know_ids: not called (can_hear_depths). */
static enum status cpu_know_ids(struct device *dev, const struct byte_span *ids, struct error *e)
{
    (void)dev, (void)ids, (void)e;
    return ST_OK;
}

/* backend_answers.forget_ids: there are none. */
static void cpu_forget_ids(struct device *dev)
{
    (void)dev;
}

/* backend_answers.name_parents: converts recorded parents to input ids in answers->by_vertex. */
static enum status cpu_name_parents(struct device *dev, uint32_t levels, struct byte_span *depths, struct error *e)
{
    const uint64_t vertices = vertices_of(dev) + 1;
    (void)levels, (void)e;
    memset(depths, 0, dev->shard->p * sizeof *depths);
    mark_unreached(dev, (int32_t *)dev->normals.parent);
    pool_for(dev->means.pool, threads_for(dev, vertices), vertices, ANSWER_PIECE, write_parents, dev);
    return ST_OK;
}

/* Makes space for `count` questions and as many askers. They are charged to the budget, and stay until the next call. */
static enum status make_room_for_questions(struct device *dev, uint64_t count, struct error *e)
{
    struct cpu_answers *a = dev->answers;
    if (make_room(dev, (void **)&a->questions, &a->question_capacity, count + 1 /* none is an array, too */,
                  sizeof *a->questions + sizeof *a->askers, "questions for parents", e) == ST_OK)
        a->askers = (uint32_t *)(void *)(a->questions + a->question_capacity);
    return e->status;
}

/* What the threads of ask_shares share: the normals, in `shares` equal shares, one for each thread. */
struct asking {
    const struct device *dev;
    int shares;
    int list; /* 0: questions are counted; 1: questions are written */
};

/* Asks all neighbours of a normal on other shards: "Is your depth one less than mine?" Counts the questions for each shard
 * s in cursor[s]. With `list` also writes each question to questions[cursor[s]], and `local` to askers[cursor[s]]. */
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

/* Counts or writes the questions of those normals in shares begin..end that were reached over an nn edge from another
 * shard (PARENT_REMOTE). Threads of the pool run this for ask_for_normals; `context` is a struct asking. */
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

/* Makes the questions of all normals that have no recorded parent. */
static enum status ask_for_normals(struct device *dev, struct byte_span *questions, struct error *e)
{
    struct cpu_answers *a = dev->answers;
    const uint32_t p = dev->shard->p;
    const int threads = threads_for(dev, dev->shard->locals);
    struct asking asking = {.dev = dev, .shares = threads};
    uint64_t total = 0;
    memset(a->cursors, 0, (uint64_t)threads * p * sizeof *a->cursors);
    pool_for(dev->means.pool, threads, (uint64_t)threads, 1, ask_shares, &asking);
    /* each cursor has the number of a thread's questions for shard s, and becomes the index of the first of them */
    for (uint32_t s = 0; s < p; s++) {
        uint64_t first = total;
        for (int t = 0; t < threads; t++) {
            uint64_t *cursor = &a->cursors[(uint64_t)t * p + s], count = *cursor;
            *cursor = total;
            total += count;
        }
        questions[s] = (struct byte_span){.bytes = (total - first) * sizeof(struct question)};
    }
    if (make_room_for_questions(dev, total, e) != ST_OK)
        return e->status;
    asking.list = 1;
    pool_for(dev->means.pool, threads, (uint64_t)threads, 1, ask_shares, &asking);
    const struct question *at = a->questions;
    for (uint32_t s = 0; s < p; s++) {
        questions[s].at = at;
        at += questions[s].bytes / sizeof *at;
    }
    return ST_OK;
}

/* The delegates that this shard owns and that only other devices have found. */
struct missing {
    const struct device *dev;
    uint32_t *list;         /* [owned_count] receives the delegates, in any order */
    _Atomic uint64_t count; /* the number of delegates listed so far */
};

/* Lists the missing ones of the owned delegates begin..end, which are at most ANSWER_PIECE. Threads of the pool run this for
 * ask_for_delegates; `context` is a struct missing. */
static void list_missing(void *context, uint64_t begin, uint64_t end)
{
    struct missing *m = context;
    const struct device *dev = m->dev;
    const struct cpu_answers *a = dev->answers;
    uint32_t found[ANSWER_PIECE], count = 0;
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t delegate = a->owned[i];
        found[count] = delegate;
        count += mask_bit(dev->delegates.visited, delegate) &&
                 answer_id(a->by_vertex, a->tables.id_bytes, dev->shard->locals + delegate) == ANSWER_NONE;
    }
    memcpy(m->list + atomic_fetch_add(&m->count, count), found, count * sizeof *found);
}

/* Makes the questions of the delegates that this shard owns and that only other devices have found. */
static enum status ask_for_delegates(struct device *dev, struct byte_span *questions, struct error *e)
{
    const uint64_t owned = dev->answers->owned_count;
    if (make_room_for_questions(dev, owned, e) != ST_OK)
        return e->status;
    struct missing missing = {.dev = dev, .list = dev->answers->askers};
    pool_for(dev->means.pool, threads_for(dev, owned), owned, ANSWER_PIECE, list_missing, &missing);
    for (uint32_t s = 0; s < dev->shard->p; s++) {
        const uint64_t asked = s == dev->shard->index ? 0 : missing.count;
        questions[s] = (struct byte_span){.at = missing.list, .bytes = asked * sizeof *missing.list};
    }
    return ST_OK;
}

/* backend_answers.ask */
static enum status cpu_ask(struct device *dev, enum vertex_kind kind, struct byte_span *questions, struct error *e)
{
    return kind == NORMALS ? ask_for_normals(dev, questions, e) : ask_for_delegates(dev, questions, e);
}

/* The questions of one shard, and where their replies go. */
struct replying {
    const struct device *dev;
    const void *questions;
    void *replies;
    _Atomic int bad; /* 1: a question names a vertex that this shard does not have */
};

/* Replies to questions begin..end of normals: with the input id of a question's vertex if the vertex has the question's depth,
 * otherwise with ANSWER_NONE. Sets `bad` if a vertex is not in the shard. Threads of the pool run this for cpu_reply;
 * `context` is a struct replying. */
static void reply_to_normals(void *context, uint64_t begin, uint64_t end)
{
    struct replying *r = context;
    const struct device *dev = r->dev;
    const struct answer_tables *tables = &dev->answers->tables;
    const struct cpu_normals *n = &dev->normals;
    int wrong = 0;
    for (uint64_t i = begin; i < end; i++) {
        struct question q = ((const struct question *)r->questions)[i];
        int known = q.vertex < dev->shard->locals;
        wrong |= !known;
        int matches = known && mask_bit(n->visited, q.vertex) && n->depth[q.vertex] == q.depth;
        answer_set_id(r->replies, tables->id_bytes, i,
                      matches ? answer_id(tables->ids, tables->id_bytes, q.vertex) : ANSWER_NONE);
    }
    r->bad |= wrong;
}

/* Replies to questions begin..end of delegates: with the parent that this device has recorded, or ANSWER_NONE. Sets `bad` if there
 * is no such delegate. Threads of the pool run this for cpu_reply; `context` is a struct replying. */
static void reply_to_delegates(void *context, uint64_t begin, uint64_t end)
{
    struct replying *r = context;
    const struct shard *shard = r->dev->shard;
    const struct cpu_answers *a = r->dev->answers;
    const uint32_t *delegate = r->questions;
    const uint32_t width = a->tables.id_bytes;
    int wrong = 0;
    for (uint64_t i = begin; i < end; i++) {
        const int known = delegate[i] < shard->d;
        wrong |= !known;
        answer_set_id(r->replies, width, i, known ? answer_id(a->by_vertex, width, shard->locals + delegate[i]) : ANSWER_NONE);
    }
    r->bad |= wrong;
}

/* backend_answers.reply: replies to the questions of each shard in turn. The replies are charged to the budget, and
 * stay until the next call. If a question names a vertex that this shard does not have, returns ST_BAD_DATA, after
 * replies to all other questions. */
static enum status cpu_reply(struct device *dev, enum vertex_kind kind, const struct byte_span *questions, struct byte_span *replies,
                             struct error *e)
{
    struct cpu_answers *a = dev->answers;
    uint64_t total = 0, width = a->tables.id_bytes;
    struct replying r = {.dev = dev};
    for (uint32_t s = 0; s < dev->shard->p; s++)
        total += questions[s].bytes / question_bytes(kind);
    if (make_room(dev, &a->replies, &a->reply_capacity, total, width, "replies about parents", e) != ST_OK)
        return e->status;
    r.replies = a->replies;
    for (uint32_t s = 0; s < dev->shard->p; s++) {
        uint64_t count = questions[s].bytes / question_bytes(kind);
        replies[s] = (struct byte_span){.at = r.replies, .bytes = count * width};
        r.questions = questions[s].at;
        pool_for(dev->means.pool, threads_for(dev, count), count, QUESTIONS_PIECE,
                 kind == NORMALS ? reply_to_normals : reply_to_delegates, &r);
        r.replies = (char *)r.replies + count * width;
    }
    return r.bad ? fail(e, ST_BAD_DATA, "%s: another shard names a vertex that this one does not have",
                        container_path(dev->shard->file))
                 : ST_OK;
}

/* backend_answers.take_replies: goes over the replies in the order of the questions. Each vertex that asked gets the
 * last id that came in reply as its parent. Any of these ids is a valid parent. */
static enum status cpu_take_replies(struct device *dev, enum vertex_kind kind, const struct byte_span *replies, struct error *e)
{
    const struct cpu_answers *a = dev->answers;
    const uint32_t width = a->tables.id_bytes;
    const uint64_t first = kind == NORMALS ? 0 : dev->shard->locals;
    const uint32_t *asker = a->askers;
    (void)e;
    for (uint32_t s = 0; s < dev->shard->p; s++) {
        uint64_t count = replies[s].bytes / width;
        for (uint64_t i = 0; i < count; i++) {
            int64_t id = answer_id(replies[s].at, width, i);
            if (id != ANSWER_NONE)
                answer_set_id(a->by_vertex, width, first + asker[i], id);
        }
        asker += kind == NORMALS ? count : 0; /* all shards got the same questions of delegates */
    }
    return ST_OK;
}

/* backend_answers.look: does nothing, as no device of the CPU reads a peer (cpu_reads_peer). */
static enum status cpu_look(struct device *dev, const struct byte_span *depths, struct error *e)
{
    (void)dev, (void)depths, (void)e;
    return ST_OK;
}

/* backend_answers.reads_peer: 0, because devices of the CPU have no memory of their own. */
static int cpu_reads_peer(const struct device *dev, uint32_t shard)
{
    (void)dev;
    (void)shard;
    return 0;
}

/* ---- values ---- */

/* What the threads of gather_range share. The value of the vertex with the number tables->vertex[i] is copied to to[i]. */
struct gathered {
    const struct probes *probes;
    const struct answer_tables *tables;
    const void *from; /* [vertices] by vertex number: depths, parents as input ids, or recorded parents */
    int are_records;  /* `from` has recorded parents, which become input ids on the way */
    uint64_t locals;  /* number of normals of the shard, and so the vertex number of delegate 0 */
    void *to;         /* [tables->values] the values */
    uint32_t width;   /* bytes of a value */
};

/* Writes the values to[begin..end). Threads of the pool run this for cpu_make_values; `context` is a struct gathered. */
static void gather_range(void *context, uint64_t begin, uint64_t end)
{
    const struct gathered *g = context;
    const struct named_parents parents = {g->from, g->tables->ids, (uint32_t)g->locals};
    const uint32_t *vertex = g->tables->vertex;
    int64_t *to = g->to;
    if (g->width == 4 && g->are_records)
        g->probes->name_parents(&parents, vertex + begin, end - begin, (int32_t *)g->to + begin);
    else if (g->width == 4)
        g->probes->gather(vertex + begin, g->from, end - begin, (int32_t *)g->to + begin);
    for (uint64_t i = begin; g->width == 8 && i < end; i++)
        to[i] = g->are_records ? id_of_record(g->tables, g->locals, ((const uint32_t *)g->from)[vertex[i]], vertex[i])
                               : ((const int64_t *)g->from)[vertex[i]];
}

/* backend_answers.make_values: gathers depths, or parents of a single shard, from the arrays of the search, and parents
 * of several shards from answers->by_vertex, which cpu_name_parents and cpu_take_replies have filled. */
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

/* What the threads of list_piece share. They list this shard's values in a window, which is a range of permuted input ids,
 * by pieces of ANSWER_PIECE ids. A piece at offset i of the window is listed from place i of the list on, so that threads
 * need not wait for each other's counts. Holes between the pieces are closed later. */
struct listing {
    const struct device *dev;
    uint32_t held;  /* bytes of a value of the answer; those of the list may be fewer */
    uint64_t first; /* the first input id of the window */
    const struct value_list *list;
    uint64_t listed[ANSWER_WINDOW / ANSWER_PIECE]; /* number of values listed in each piece */
};

/* Lists this shard's values for one piece of the window, the ids at offsets begin..end, from place `begin` of the list on.
 * Sets listed[] to their number. Threads of the pool run this for cpu_list_values; `context` is a struct listing. */
static void list_piece(void *context, uint64_t begin, uint64_t end)
{
    struct listing *l = context;
    const struct value_list *list = l->list;
    const struct cpu_answers *a = l->dev->answers;
    const struct shard_inverse shards = shard_inverse(l->dev->shard->p);
    uint64_t at = begin;
    for (uint64_t first = begin; first < end; first += LIST_BLOCK) {
        uint64_t stored[LIST_BLOCK], slot[LIST_BLOCK], own = 0;
        uint64_t count = smaller(end - first, LIST_BLOCK);
        bijection_forward_range(a->tables.bijection, l->first + first, count, stored);
        for (uint64_t i = 0; i < count; i++) {
            slot[own] = slot_by_inverse(stored[i], shards);
            list->index[at + own] = (uint8_t)i;
            own += stored[i] - slot[own] * shards.p == l->dev->shard->index;
        }
        for (uint64_t i = 0; i < own; i++) {
            if (list->width < l->held)
                narrow_depths((char *)list->values + (at + i) * list->width, (const int32_t *)a->values + slot[i], 1, list->width);
            else
                answer_set_id(list->values, l->held, at + i, answer_id(a->values, l->held, slot[i]));
        }
        list->blocks[first / LIST_BLOCK] = (struct list_block){(uint32_t)at, (uint32_t)own};
        at += own;
    }
    l->listed[begin / ANSWER_PIECE] = at - begin;
}

/* backend_answers.list_values: lists the pieces of a window by several threads, and then closes the holes between them. */
static enum status cpu_list_values(struct device *dev, enum answer_kind kind, uint64_t first, uint64_t count,
                                   struct value_list *list, struct error *e)
{
    struct listing l = {.dev = dev, .held = answer_width(&dev->answers->tables, kind), .first = first, .list = list};
    char *values = list->values;
    (void)e;
    list->count = 0;
    pool_for(dev->means.pool, threads_for(dev, count), count, ANSWER_PIECE, list_piece, &l);
    for (uint64_t i = 0; i < count; i += ANSWER_PIECE) {
        const uint64_t own = l.listed[i / ANSWER_PIECE], hole = i - list->count, end = smaller(i + ANSWER_PIECE, count);
        memmove(list->index + list->count, list->index + i, own);
        memmove(values + list->count * list->width, values + i * list->width, own * list->width);
        for (uint64_t b = i / LIST_BLOCK; b * LIST_BLOCK < end; b++)
            list->blocks[b].first -= (uint32_t)hole;
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

/* Depths that are narrowed, and where they go. */
struct narrowed {
    char *to;
    const int32_t *from;
    uint32_t width;
};

/* Narrows the depths begin..end. Called by threads of the pool, for cpu_copy_narrowed. `context` is a struct narrowed. */
static void narrow_range(void *context, uint64_t begin, uint64_t end)
{
    const struct narrowed *n = context;
    if (n->width == 1)
        narrow_depths(n->to + begin, n->from + begin, end - begin, 1);
    else
        narrow_depths(n->to + 2 * begin, n->from + begin, end - begin, 2);
}

/* backend_answers.copy_narrowed: narrows the depths by several threads. */
static enum status cpu_copy_narrowed(struct device *dev, void *to, const int32_t *from, uint64_t count, uint32_t width,
                                     struct error *e)
{
    struct narrowed narrowed = {to, from, width};
    (void)e;
    pool_for(dev->means.pool, threads_for(dev, count), count, ANSWER_PIECE, narrow_range, &narrowed);
    return ST_OK;
}

/* backend_answers.keep: refuses, as the CPU has no memory that a handle opens. */
static enum status cpu_keep(const struct device *dev, const void *from, uint64_t bytes, struct kept_values *kept,
                            struct error *e)
{
    (void)dev, (void)from, (void)bytes;
    kept->memory = NULL;
    return fail(e, ST_RESOURCE, "the CPU has no device memory");
}

/* backend_answers.release: nothing was kept. */
static void cpu_release(const struct device *dev, struct kept_values *kept)
{
    (void)dev, (void)kept;
}

const struct backend_answers cpu_answers = {
    .read_depths = cpu_read_depths,
    .reads_peer = cpu_reads_peer,
    .open = cpu_open_answers,
    .know_ids = cpu_know_ids,
    .forget_ids = cpu_forget_ids,
    .name_parents = cpu_name_parents,
    .ask = cpu_ask,
    .reply = cpu_reply,
    .take_replies = cpu_take_replies,
    .look = cpu_look,
    .make_values = cpu_make_values,
    .list_values = cpu_list_values,
    .copy = cpu_copy,
    .copy_narrowed = cpu_copy_narrowed,
    .keep = cpu_keep,
    .release = cpu_release,
};
