/* proof.c: the arrays, questions and steps of a proof, wherever its memory lies; see proof.h */
#include "proof.h"

#include "traverse/devices/answer_blocks.h"

#include "formats/graph/partition.h"

#include <stdlib.h>
#include <string.h>

static enum status enter(const struct proof *p, struct error *e)
{
    return p->prover->enter != NULL ? p->prover->enter(p, e) : e->status;
}

static enum status wait(const struct proof *p, struct error *e)
{
    return p->prover->wait != NULL ? p->prover->wait(p, e) : e->status;
}

/* ---- opening ---- */

/* `array`: the address of a pointer. */
static enum status take(const struct proof *p, void *array, uint64_t count, uint64_t width, const char *what,
                        struct error *e)
{
    if (e->status == ST_OK && count > 0)
        p->prover->take(p, array, count, width, what, e);
    return e->status;
}

static uint64_t met_words(const struct proof *p)
{
    return mask_words(p->shard->locals) + mask_words(p->shard->d);
}

static enum status take_arrays(struct proof *p, struct error *e)
{
    uint64_t vertices = p->shard->locals + p->shard->d, shards = (uint64_t)p->shard->p + 1;
    take(p, &p->end, vertices, sizeof *p->end, "ends of edges", e);
    take(p, &p->claim, vertices, sizeof *p->claim, "parents to prove", e);
    take(p, &p->met, met_words(p), 8, "marks of vertices", e);
    take(p, &p->has_edges, mask_words(p->ids), 8, "marks of ids", e);
    take(p, &p->first, 1, FIRST_BYTES, "an offence", e);
    for (int t = 0; t < TOPICS; t++) {
        p->own[t].begin = zeroed(shards, sizeof *p->own[t].begin, "questions", e);
        p->asked[t].begin = zeroed(shards, sizeof *p->asked[t].begin, "questions", e);
    }
    return e->status;
}

enum status proof_open(struct proof *p, const struct rank *rank, const struct results *results, uint32_t g,
                       struct error *e)
{
    const struct manifest *m = &rank->graph->manifest;
    const uint32_t block = block_of_device(rank->comm->rank, g, rank->device_count);
    *p = (struct proof){.prover = rank->backend == &backend_cpu ? &prover_cpu : &prover_cuda,
                        .rank = rank,
                        .results = results,
                        .g = g,
                        .first_id = block_first(m->totals.n, m->p, block),
                        .device = rank->devices[g],
                        .shard = &rank->graph->shards[g],
                        .id_bytes = answers_width(&results->answers, ANSWER_PARENTS)};
    p->ids = block_first(m->totals.n, m->p, block + 1) - p->first_id;
    if (enter(p, e) == ST_OK && take_arrays(p, e) == ST_OK && p->prover->open != NULL)
        p->prover->open(p);
    return e->status;
}

static void release_questions(const struct proof *p, const struct proof_questions *q)
{
    p->prover->release(p, q->question);
    p->prover->release(p, q->asker);
    p->prover->release(p, q->reply);
    free(q->begin);
}

void proof_close(struct proof *p)
{
    if (p->prover == NULL)
        return;
    void *const arrays[] = {p->end, p->claim, p->met, p->has_edges, p->first};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        p->prover->release(p, arrays[i]);
    for (int t = 0; t < TOPICS; t++) {
        release_questions(p, &p->own[t]);
        release_questions(p, &p->asked[t]);
    }
}

/* ---- questions ---- */

/* Makes slices of elements that lie in the order of shards. */
static void slice_by_shard(const struct proof *p, const void *array, const uint64_t *begin, uint64_t width,
                           struct slice *slices)
{
    for (uint32_t s = 0; s < p->shard->p; s++)
        slices[s] = (struct slice){(const char *)array + begin[s] * width, (begin[s + 1] - begin[s]) * width};
}

/* Makes begins of the numbers of questions, and takes memory for them. Returns where those for each shard come next; NULL: a
 * failure. */
static uint64_t *place_questions(const struct proof *p, struct proof_questions *own, struct slice *slices,
                                 struct error *e)
{
    uint64_t shards = (uint64_t)p->shard->p + 1, *next = zeroed(shards, sizeof *next, "questions", e);
    for (uint32_t s = 0; s < p->shard->p; s++)
        own->begin[s + 1] += own->begin[s];
    take(p, &own->asker, own->begin[p->shard->p], sizeof *own->asker, "questions", e);
    take(p, &own->question, own->begin[p->shard->p], sizeof *own->question, "questions", e);
    slice_by_shard(p, own->question, own->begin, sizeof *own->question, slices);
    if (next != NULL)
        memcpy(next, own->begin, shards * sizeof *next);
    if (e->status == ST_OK)
        return next;
    free(next);
    return NULL;
}

/* The parents of a device's vertices stand in the blocks of their ids. Counts the questions for shard s in
 * next[s + 1], or puts them at next[s]. */
static void list_claims(const struct proof *p, uint64_t *next, uint32_t *asker, uint32_t *question)
{
    const struct rank *rank = p->rank;
    uint32_t G = rank->device_count;
    uint64_t length = block_first(rank->graph->manifest.totals.n, p->shard->p, 1);
    for (uint64_t i = 0; i < p->shard->locals + p->shard->d; i++) {
        uint64_t id = original_id(rank->graph, numbered_vertex_id(p->shard, i));
        uint32_t block = (uint32_t)(id / length), s = shard_of_device(block / G, block % G, rank->comm->ranks);
        if (asker == NULL) {
            next[s + 1]++;
        } else {
            asker[next[s]] = (uint32_t)i;
            question[next[s]++] = (uint32_t)(id % length);
        }
    }
}

/* Lists in memory of the host first. */
enum status proof_ask_claims(struct proof *p, struct slice *slices, struct error *e)
{
    struct proof_questions *own = &p->own[TOPIC_CLAIMS];
    struct memory_budget *budget = p->rank->budget;
    uint32_t *asker = NULL, *question = NULL;
    list_claims(p, own->begin, NULL, NULL);
    uint64_t *next = enter(p, e) == ST_OK ? place_questions(p, own, slices, e) : NULL;
    uint64_t count = own->begin[p->shard->p];
    if (next != NULL && memory_take(budget, (void **)&asker, count, sizeof *asker, "questions", e) == ST_OK &&
        memory_take(budget, (void **)&question, count, sizeof *question, "questions", e) == ST_OK) {
        list_claims(p, next, asker, question);
        if (p->prover->copy(p, own->asker, asker, count * sizeof *asker, e) == ST_OK)
            p->prover->copy(p, own->question, question, count * sizeof *question, e);
    }
    memory_release(budget, asker);
    memory_release(budget, question);
    free(next);
    return e->status;
}

enum status proof_ask_ends(struct proof *p, struct slice *slices, struct error *e)
{
    struct proof_questions *own = &p->own[TOPIC_ENDS];
    if (enter(p, e) != ST_OK || p->prover->list_ends(p, own->begin, 0, e) != ST_OK)
        return e->status;
    uint64_t *next = place_questions(p, own, slices, e);
    if (next != NULL)
        p->prover->list_ends(p, next, 1, e);
    free(next);
    return e->status;
}

static uint64_t reply_bytes(enum topic topic)
{
    return topic == TOPIC_CLAIMS ? sizeof(int64_t) : sizeof(struct vertex_end);
}

enum status proof_keep_questions(struct proof *p, enum topic topic, const struct slice *questions, struct error *e)
{
    struct proof_questions *a = &p->asked[topic];
    for (uint32_t s = 0; s < p->shard->p; s++)
        a->begin[s + 1] = a->begin[s] + questions[s].bytes / sizeof *a->question;
    uint64_t count = a->begin[p->shard->p];
    if (enter(p, e) != ST_OK || take(p, &a->question, count, sizeof *a->question, "questions", e) != ST_OK ||
        take(p, &a->reply, count, reply_bytes(topic), "replies", e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < p->shard->p && e->status == ST_OK; s++)
        p->prover->copy(p, a->question + a->begin[s], questions[s].at, questions[s].bytes, e);
    if (topic == TOPIC_CLAIMS && e->status == ST_OK)
        p->prover->mark(p, a->question, count);
    return wait(p, e);
}

/* ---- a root ---- */

enum status proof_begin(struct proof *p, struct error *e)
{
    if (enter(p, e) != ST_OK)
        return e->status;
    for (int t = 0; t < TOPICS; t++) { /* the questions have been sent */
        p->prover->release(p, p->own[t].question);
        p->own[t].question = NULL;
    }
    return p->prover->begin(p, e) == ST_OK ? wait(p, e) : e->status;
}

enum status proof_reply(struct proof *p, enum topic topic, struct slice *replies, struct error *e)
{
    const struct proof_questions *a = &p->asked[topic];
    if (enter(p, e) != ST_OK)
        return e->status;
    p->prover->reply(p, topic);
    slice_by_shard(p, a->reply, a->begin, reply_bytes(topic), replies);
    return wait(p, e);
}

enum status proof_take_claims(struct proof *p, const struct slice *replies, struct error *e)
{
    const struct proof_questions *own = &p->own[TOPIC_CLAIMS];
    if (enter(p, e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < p->shard->p; s++)
        p->prover->put_claims(p, replies[s].at, own->asker + own->begin[s], own->begin[s + 1] - own->begin[s]);
    return wait(p, e);
}

enum status proof_check(struct proof *p, int64_t root, struct error *e)
{
    if (enter(p, e) != ST_OK)
        return e->status;
    p->prover->check(p, root);
    return wait(p, e);
}

enum status proof_check_ends(struct proof *p, const struct slice *replies, struct error *e)
{
    const struct proof_questions *own = &p->own[TOPIC_ENDS];
    if (enter(p, e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < p->shard->p; s++)
        p->prover->check_edges(p, own->asker + own->begin[s], replies[s].at, own->begin[s + 1] - own->begin[s]);
    return wait(p, e);
}

enum status proof_read_met(const struct proof *p, uint64_t *met, struct error *e)
{
    return p->prover->copy(p, met, proved_of(p, DELEGATES).met, mask_words(p->shard->d) * 8, e);
}

enum status proof_finish(struct proof *p, int64_t root, const uint64_t *met, struct offence *first, struct error *e)
{
    if (p->prover->copy(p, proved_of(p, DELEGATES).met, met, mask_words(p->shard->d) * 8, e) != ST_OK ||
        enter(p, e) != ST_OK)
        return e->status;
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        p->prover->check_parents(p, (enum vertex_kind)kind, root);
    return wait(p, e) == ST_OK ? p->prover->read_first(p, first, e) : e->status;
}
