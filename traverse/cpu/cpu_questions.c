/* cpu_questions.c: parents that a device of the CPU does not know itself; see engine.h
 *
 * A vertex that was reached over an nn edge from another shard asks all its neighbours there; of a directed
 * graph, those that have an edge to it. All threads count the questions, and then write them: by shard, and
 * for a shard by thread. Bytes that must move for each: 8 of the question and 4 of the vertex that asks, 4 or
 * 8 of the reply, and at the other end a random depth and id.
 */
#include "cpu_answers.h"

#include <string.h>

/* ---- asking ---- */

/* Counts the questions of local vertex `local` for each other shard or, with `list`, writes the questions and
 * their asker. cursor[p] is advanced by one for each question to a shard, in either case. */
static void ask_neighbours(const struct device *dev, uint32_t local, uint64_t *cursor, int list)
{
    const struct shard *shard = dev->shard;
    const struct csr *nn = shard_pull_rows(shard, NN);
    struct cpu_answers *a = dev->answers;
    uint64_t local_mask = (UINT64_C(1) << shard->local_bits) - 1;
    uint64_t heads = nn->head_columns, length = csr_row_length(nn, local),
             rest = csr_offset(nn, local);
    for (uint64_t j = 0; j < length; j++) {
        uint64_t to =
            j < heads ? nn->heads[j * nn->rows + local] : csr_column_of_row(nn, local, rest + j - heads);
        uint64_t owner = to >> shard->local_bits;
        if (owner == shard->index)
            continue;
        uint64_t at = cursor[owner]++;
        if (!list)
            continue;
        a->questions[at] =
            (struct question){(uint32_t)(to & local_mask), dev->normals.depth[local] - 1};
        a->askers[at] = local;
    }
}

/* Counts or, with `list`, writes the questions of the vertices in share `thread` of `threads` of the local
 * vertices that were reached over an nn edge from another shard. Advances cursors[thread][p]. */
static void ask_share(const struct device *dev, int threads, int thread, int list)
{
    const struct cpu_normals *n = &dev->normals;
    uint64_t *cursor = dev->answers->cursors + (uint64_t)thread * dev->shard->p;
    uint64_t end = share_begin(dev->shard->locals, threads, thread + 1);
    for (uint64_t i = share_begin(dev->shard->locals, threads, thread); i < end; i++) {
        if (n->parent[i] == PARENT_REMOTE)
            ask_neighbours(dev, (uint32_t)i, cursor, list);
    }
}

/* What ask_shares works on. The local vertices are split into `shares`; questions are counted if `list` is 0, and
 * written if it is 1. */
struct asking {
    const struct device *dev;
    int shares, list;
};

/* Pool callback of ask_in_parallel: counts or writes the questions of shares begin..end of the local vertices. The
 * context is a struct asking. */
static void ask_shares(void *context, uint64_t begin, uint64_t end)
{
    const struct asking *a = context;
    for (uint64_t t = begin; t < end; t++)
        ask_share(a->dev, a->shares, (int)t, a->list);
}

/* Called by cpu_ask: counts (list 0) or writes (list 1) the questions of all local vertices, in `shares` equal
 * shares of the vertices, one for each thread. Advances the cursors of each share. */
static void ask_in_parallel(const struct device *dev, int shares, int list)
{
    struct asking asking = {dev, shares, list};
    pool_for(dev->means.pool, shares, (uint64_t)shares, 1, ask_shares, &asking);
}

/* Replaces the counts in cursors[threads][p] by the index of the first question of each thread for each shard,
 * with all questions for a shard next to each other. Sets questions[s].bytes, s < p. Returns the number of
 * questions. */
static uint64_t place_questions(const struct device *dev, int threads, struct slice *questions)
{
    uint64_t *cursors = dev->answers->cursors, at = 0;
    uint32_t p = dev->shard->p;
    for (uint32_t s = 0; s < p; s++) {
        uint64_t first = at;
        for (int t = 0; t < threads; t++) {
            uint64_t count = cursors[(uint64_t)t * p + s];
            cursors[(uint64_t)t * p + s] = at;
            at += count;
        }
        questions[s].bytes = (at - first) * sizeof(struct question);
    }
    return at;
}

/* Enlarges the arrays of questions and askers to at least `questions` entries; old contents are lost. */
static enum status make_room(struct device *dev, uint64_t questions, struct error *e)
{
    struct cpu_answers *a = dev->answers;
    if (questions <= a->question_capacity)
        return ST_OK;
    memory_release(dev->means.budget, a->questions);
    memory_release(dev->means.budget, a->askers);
    a->questions = NULL;
    a->askers = NULL;
    a->question_capacity = 0;
    if (memory_take(dev->means.budget, (void **)&a->questions, questions, sizeof *a->questions,
                    "questions for parents", e) == ST_OK &&
        memory_take(dev->means.budget, (void **)&a->askers, questions, sizeof *a->askers,
                    "questions for parents", e) == ST_OK)
        a->question_capacity = questions;
    return e->status;
}

/* Implements `ask` of the backend after a search: converts the known parents to input ids, and writes the
 * questions for all other shards. questions[s], s < p, becomes the slice for shard s; empty with a single shard.
 * */
static enum status cpu_ask(struct device *dev, struct slice *questions, struct error *e)
{
    struct cpu_answers *a = dev->answers;
    uint32_t p = dev->shard->p;
    int threads = threads_for(dev, dev->shard->locals);
    memset(questions, 0, p * sizeof *questions);
    if (p == 1)
        return ST_OK;
    cpu_write_parents(dev);
    memset(a->cursors, 0, (uint64_t)threads * p * sizeof *a->cursors);
    ask_in_parallel(dev, threads, 0);
    if (make_room(dev, place_questions(dev, threads, questions), e) != ST_OK)
        return e->status;
    ask_in_parallel(dev, threads, 1);
    const struct question *at = a->questions;
    for (uint32_t s = 0; s < p; s++) {
        questions[s].at = at;
        at += questions[s].bytes / sizeof *at;
    }
    return ST_OK;
}

/* ---- replying ---- */

/* Questions, or delegates, that a thread takes at a time. */
enum { QUESTIONS_PIECE = 8192 };

/* The questions of one shard, and the replies to them. */
struct replying {
    const struct device *dev;
    const struct question *question;
    void *replies;
    _Atomic int bad; /* a question names a vertex that this shard does not have */
};

/* Pool callback of reply_to: replies to questions begin..end with the input id of the vertex if it has the depth
 * asked for, otherwise with ANSWER_NONE; sets `bad`. The context is a struct replying. */
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

/* Writes the replies to the questions of one shard, of id_bytes each, to `replies`. Returns nonzero if a question
 * names a vertex that this shard does not have. */
static int reply_to(const struct device *dev, const struct slice *questions, void *replies)
{
    struct replying replying = {dev, questions->at, replies, 0};
    uint64_t count = questions->bytes / sizeof(struct question);
    pool_for(dev->means.pool, threads_for(dev, count), count, QUESTIONS_PIECE, reply_range, &replying);
    return replying.bad;
}

/* Implements `reply` of the backend: answers questions[s] of each shard s < p, and sets replies[s] to the replies
 * in the same order. Fails with ST_BAD_DATA if a question names a vertex that this shard does not have. */
static enum status cpu_reply(struct device *dev, const struct slice *questions, struct slice *replies,
                             struct error *e)
{
    struct cpu_answers *a = dev->answers;
    uint64_t count = 0, width = a->tables.id_bytes;
    int bad = 0;
    for (uint32_t s = 0; s < dev->shard->p; s++)
        count += questions[s].bytes / sizeof(struct question);
    if (count > a->reply_capacity) {
        memory_release(dev->means.budget, a->replies);
        a->reply_capacity = 0;
        if (memory_take(dev->means.budget, &a->replies, count, width, "replies about parents", e) != ST_OK)
            return e->status;
        a->reply_capacity = count;
    }
    char *at = a->replies;
    for (uint32_t s = 0; s < dev->shard->p; s++) {
        replies[s] = (struct slice){at, questions[s].bytes / sizeof(struct question) * width};
        bad |= reply_to(dev, &questions[s], at);
        at += replies[s].bytes;
    }
    return bad ? fail(e, ST_BAD_DATA, "%s: nn: another shard names a vertex this one does not have",
                      container_path(dev->shard->file))
               : ST_OK;
}

/* Implements take_replies of the backend: gives each vertex that asked the input id of a neighbour that replied
 * with one. replies[s], s < p, are in the order of the questions. The last such reply wins; any of them is a valid
 * parent. */
static enum status cpu_take_replies(struct device *dev, const struct slice *replies, struct error *e)
{
    struct cpu_answers *a = dev->answers;
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

/* ---- delegates ---- */

/* The devices whose parents of delegates are merged, and where the result goes. */
struct parent_reading {
    struct device *const *devices;
    uint32_t count, width;
    void *to;
};

/* Pool callback of cpu_read_parents: for each delegate begin..end, sets to[] to the largest parent id that one of
 * the devices has. The context is a struct parent_reading. */
static void merge_parents_range(void *context, uint64_t begin, uint64_t end)
{
    const struct parent_reading *r = context;
    for (uint64_t i = begin; i < end; i++) {
        int64_t largest = ANSWER_NONE;
        for (uint32_t g = 0; g < r->count; g++) {
            uint64_t locals = r->devices[g]->shard->locals;
            int64_t id = answer_id(r->devices[g]->answers->by_vertex, r->width, locals + i);
            largest = id > largest ? id : largest;
        }
        answer_set_id(r->to, r->width, i, largest);
    }
}

/* Implements read_parents of the backend: merges the parents of the delegates of `count` devices by the largest
 * id, into host[d] or, if `host` is NULL, into the delegate_parents of `dev`. */
static enum status cpu_read_parents(struct device *dev, struct device *const *devices, uint32_t count,
                                    void *host, struct error *e)
{
    struct parent_reading reading = {devices, count, dev->answers->tables.id_bytes,
                                     host != NULL ? host : dev->answers->delegate_parents};
    uint64_t d = dev->shard->d;
    (void)e;
    pool_for(dev->means.pool, threads_for(dev, d), d, QUESTIONS_PIECE, merge_parents_range, &reading);
    return ST_OK;
}

/* Implements take_parents of the backend: overwrites the parents of all delegates in by_vertex with host[d] or, if
 * `host` is NULL, with the delegate_parents that cpu_read_parents wrote. */
static enum status cpu_take_parents(struct device *dev, const void *host, struct error *e)
{
    struct cpu_answers *a = dev->answers;
    uint64_t width = a->tables.id_bytes;
    (void)e;
    memcpy((char *)a->by_vertex + dev->shard->locals * width,
           host != NULL ? host : a->delegate_parents, dev->shard->d * width);
    return ST_OK;
}

const struct backend_parents cpu_parents = {
    .ask = cpu_ask,
    .reply = cpu_reply,
    .take_replies = cpu_take_replies,
    .read_parents = cpu_read_parents,
    .take_parents = cpu_take_parents,
};
