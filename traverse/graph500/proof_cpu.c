/* proof_cpu.c: the proof of a device of the host's cores; see proof.h */
#include "proof.h"
#include "proof_loops.h"

#include "traverse/results/answers.h"

#include <stdlib.h>
#include <string.h>

/* The questions to this device, and its replies. */
struct asked {
    uint32_t *question; /* [count] */
    void *reply;        /* [count] */
    uint64_t *begin;    /* [p + 1] by the asking shard */
};

struct proof {
    struct proof_place place;
    const struct shard *shard;
    struct memory_budget *budget;
    struct vertex_end *end; /* [locals + d] */
    int64_t *claim;         /* [locals + d] */
    uint64_t *met;          /* masks of locals, of delegates */
    void *block;            /* [place.count] parents by input id */
    uint32_t id_bytes;
    uint32_t *has_edges;    /* mask of the ids in the block that somebody asks about */
    struct proof_questions own[TOPICS];
    struct asked asked[TOPICS];
    struct offence first;
};

static uint64_t met_words(const struct proof *p)
{
    return mask_words(p->shard->locals) + mask_words(p->shard->d);
}

static struct proved_vertices vertices_of(const struct proof *p, enum vertex_kind kind)
{
    uint64_t first = kind == NORMALS ? 0 : p->shard->locals;
    uint64_t *met = p->met + (kind == NORMALS ? 0 : mask_words(p->shard->locals));
    return (struct proved_vertices){.end = p->end + first,
                                    .claim = p->claim + first,
                                    .met = (uint32_t *)(void *)met,
                                    .count = kind == NORMALS ? p->shard->locals : p->shard->d};
}

/* ---- opening ---- */

static void release_questions(struct memory_budget *budget, struct proof_questions *q)
{
    memory_release(budget, q->asker);
    memory_release(budget, q->question);
    free(q->begin);
}

static void cpu_close(struct proof *p)
{
    if (p == NULL)
        return;
    memory_release(p->budget, p->end);
    memory_release(p->budget, p->claim);
    memory_release(p->budget, p->met);
    memory_release(p->budget, p->block);
    memory_release(p->budget, p->has_edges);
    for (int t = 0; t < TOPICS; t++) {
        release_questions(p->budget, &p->own[t]);
        memory_release(p->budget, p->asked[t].question);
        memory_release(p->budget, p->asked[t].reply);
        free(p->asked[t].begin);
    }
    free(p);
}

static enum status take_arrays(struct proof *p, struct error *e)
{
    uint64_t vertices = p->shard->locals + p->shard->d, shards = (uint64_t)p->shard->p + 1;
    memory_take(p->budget, (void **)&p->end, vertices, sizeof *p->end, "ends of edges", e);
    memory_take(p->budget, (void **)&p->claim, vertices, sizeof *p->claim, "parents to prove", e);
    memory_take(p->budget, (void **)&p->met, met_words(p), 8, "marks of vertices", e);
    memory_take(p->budget, &p->block, p->place.count, p->id_bytes, "a block of parents", e);
    memory_take(p->budget, (void **)&p->has_edges, mask_words(p->place.count), 8, "marks of ids", e);
    for (int t = 0; t < TOPICS; t++) {
        p->own[t].begin = calloc(shards, sizeof *p->own[t].begin);
        p->asked[t].begin = calloc(shards, sizeof *p->asked[t].begin);
        if (p->own[t].begin == NULL || p->asked[t].begin == NULL)
            return fail_memory(e, "questions", shards * sizeof *p->own[t].begin);
    }
    return e->status;
}

static void set_ids(struct proof *p)
{
    const struct graph *graph = p->place.rank->graph;
    uint64_t vertices = p->shard->locals + p->shard->d;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < vertices; i++)
        p->end[i].id = (int64_t)original_id(graph, numbered_vertex_id(p->shard, i));
    memset(p->has_edges, 0, mask_words(p->place.count) * 8);
}

static enum status cpu_open(struct proof **proof, const struct proof_place *place, struct error *e)
{
    struct proof *p = calloc(1, sizeof *p);
    *proof = p;
    if (p == NULL)
        return fail_memory(e, "a proof", sizeof *p);
    p->place = *place;
    p->shard = &place->rank->graph->shards[place->g];
    p->budget = place->rank->budget;
    p->id_bytes = answers_width(results_answers(place->results), ANSWER_PARENTS);
    if (take_arrays(p, e) == ST_OK)
        set_ids(p);
    return e->status;
}

/* ---- questions ---- */

static enum status take_questions(struct proof *p, enum topic topic, struct error *e)
{
    struct proof_questions *own = &p->own[topic];
    uint64_t count = own->begin[p->shard->p];
    if (memory_take(p->budget, (void **)&own->asker, count, sizeof *own->asker, "questions", e) ==
        ST_OK)
        memory_take(p->budget, (void **)&own->question, count, sizeof *own->question, "questions", e);
    return e->status;
}

static void slice_questions(const struct proof *p, enum topic topic, struct slice *slices)
{
    const struct proof_questions *own = &p->own[topic];
    for (uint32_t s = 0; s < p->shard->p; s++)
        slices[s] = (struct slice){own->question + own->begin[s],
                                   (own->begin[s + 1] - own->begin[s]) * sizeof *own->question};
}

static enum status cpu_ask_claims(struct proof *p, const struct proof_questions *q,
                                  struct slice *slices, struct error *e)
{
    struct proof_questions *own = &p->own[TOPIC_CLAIMS];
    memcpy(own->begin, q->begin, ((size_t)p->shard->p + 1) * sizeof *q->begin);
    if (take_questions(p, TOPIC_CLAIMS, e) != ST_OK)
        return e->status;
    memcpy(own->asker, q->asker, q->begin[p->shard->p] * sizeof *q->asker);
    memcpy(own->question, q->question, q->begin[p->shard->p] * sizeof *q->question);
    slice_questions(p, TOPIC_CLAIMS, slices);
    return ST_OK;
}

/* Goes over the nn edges to other shards. Counts them in next[s + 1], or puts them at next[s]. */
static void list_edges(const struct proof *p, uint64_t *next, int put)
{
    const struct csr *nn = &p->shard->csr[NN];
    const struct proof_questions *own = &p->own[TOPIC_ENDS];
    uint64_t mask = (UINT64_C(1) << p->shard->local_bits) - 1;
    for (uint64_t i = 0; nn->edges > 0 && i < nn->rows; i++) {
        uint64_t length = csr_row_length(nn, i);
        for (uint64_t j = 0; j < length; j++) {
            uint64_t to = csr_destination(nn, i, j), s = to >> p->shard->local_bits;
            if (s == p->shard->index)
                continue;
            if (put) {
                own->asker[next[s]] = (uint32_t)i;
                own->question[next[s]++] = (uint32_t)(to & mask);
            } else {
                next[s + 1]++;
            }
        }
    }
}

static enum status cpu_ask_ends(struct proof *p, struct slice *slices, struct error *e)
{
    struct proof_questions *own = &p->own[TOPIC_ENDS];
    uint64_t bytes = ((size_t)p->shard->p + 1) * sizeof *own->begin;
    list_edges(p, own->begin, 0);
    for (uint32_t s = 0; s < p->shard->p; s++)
        own->begin[s + 1] += own->begin[s];
    uint64_t *next = malloc(bytes);
    if (next == NULL)
        return fail_memory(e, "questions", bytes);
    memcpy(next, own->begin, bytes);
    if (take_questions(p, TOPIC_ENDS, e) == ST_OK) {
        list_edges(p, next, 1);
        slice_questions(p, TOPIC_ENDS, slices);
    }
    free(next);
    return e->status;
}

static uint64_t reply_bytes(enum topic topic)
{
    return topic == TOPIC_CLAIMS ? sizeof(int64_t) : sizeof(struct vertex_end);
}

static enum status cpu_keep_questions(struct proof *p, enum topic topic,
                                      const struct slice *questions, struct error *e)
{
    struct asked *a = &p->asked[topic];
    for (uint32_t s = 0; s < p->shard->p; s++)
        a->begin[s + 1] = a->begin[s] + questions[s].bytes / sizeof *a->question;
    uint64_t count = a->begin[p->shard->p];
    if (memory_take(p->budget, (void **)&a->question, count, sizeof *a->question, "questions", e) !=
            ST_OK ||
        memory_take(p->budget, &a->reply, count, reply_bytes(topic), "replies", e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < p->shard->p; s++) {
        if (questions[s].bytes > 0)
            memcpy(a->question + a->begin[s], questions[s].at, questions[s].bytes);
    }
    for (uint64_t i = 0; topic == TOPIC_CLAIMS && i < count; i++)
        p->has_edges[a->question[i] / 32] |= UINT32_C(1) << (a->question[i] % 32);
    return ST_OK;
}

/* ---- a root ---- */

static enum status cpu_begin(struct proof *p, struct error *e)
{
    const int32_t *local = results_depths(p->place.results, p->place.g);
    const int32_t *delegate = results_delegate_depths(p->place.results);
    uint64_t locals = p->shard->locals, d = p->shard->d;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < locals + d; i++)
        p->end[i].depth = i < locals ? local[i] : delegate[i - locals];
    for (int t = 0; t < TOPICS; t++) { /* the questions have been sent */
        memory_release(p->budget, p->own[t].question);
        p->own[t].question = NULL;
    }
    memset(p->met, 0, met_words(p) * 8);
    p->first = (struct offence){0};
    return e->status;
}

static enum status read_block(struct proof *p, struct error *e)
{
    const struct rank *rank = p->place.rank;
    return rank->backend->results->read_block(rank->devices[p->place.g], ANSWER_PARENTS, 0,
                                              p->place.count, p->block, e);
}

static enum status cpu_reply(struct proof *p, enum topic topic, struct slice *replies,
                             struct error *e)
{
    struct asked *a = &p->asked[topic];
    uint64_t count = a->begin[p->shard->p], width = reply_bytes(topic);
    int64_t *claim = a->reply;
    struct vertex_end *end = a->reply;
    if (topic == TOPIC_CLAIMS && read_block(p, e) != ST_OK)
        return e->status;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < count; i++) {
        if (topic == TOPIC_CLAIMS)
            claim[i] = answer_id(p->block, p->id_bytes, a->question[i]);
        else
            end[i] = p->end[a->question[i]];
    }
    for (uint32_t s = 0; s < p->shard->p; s++)
        replies[s] = (struct slice){(char *)a->reply + a->begin[s] * width,
                                    (a->begin[s + 1] - a->begin[s]) * width};
    return ST_OK;
}

static enum status cpu_take_claims(struct proof *p, const struct slice *replies, struct error *e)
{
    const struct proof_questions *own = &p->own[TOPIC_CLAIMS];
    for (uint32_t s = 0; s < p->shard->p; s++) {
        const int64_t *claim = replies[s].at;
#pragma omp parallel for schedule(static)
        for (uint64_t i = own->begin[s]; i < own->begin[s + 1]; i++)
            p->claim[own->asker[i]] = claim[i - own->begin[s]];
    }
    return e->status;
}

/* ---- checks ---- */

static enum status cpu_check(struct proof *p, int64_t root, struct error *e)
{
    struct proved_vertices of[VERTEX_KINDS] = {vertices_of(p, NORMALS), vertices_of(p, DELEGATES)};
    struct proved_block block = {p->block, p->id_bytes, p->has_edges, p->place.first,
                                 p->place.count};
    proof_check_isolated(&block, root, &p->first);
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        proof_check_vertices(&of[kind], root, &p->first);
    for (int s = 0; s < SUBGRAPHS; s++) {
        enum subgraph g = (enum subgraph)s;
        struct proved_rows rows = {.csr = &p->shard->csr[g],
                                   .rows = of[subgraph_rows(g)],
                                   .columns = of[subgraph_columns(g)].end,
                                   .local_bits = g == NN ? p->shard->local_bits : NO_SHARD_BITS,
                                   .own_shard = g == NN ? p->shard->index : 0};
        proof_check_rows(&rows, &p->first);
    }
    return e->status;
}

static enum status cpu_check_ends(struct proof *p, const struct slice *replies, struct error *e)
{
    const struct proof_questions *own = &p->own[TOPIC_ENDS];
    struct proved_vertices locals = vertices_of(p, NORMALS);
    for (uint32_t s = 0; s < p->shard->p; s++)
        proof_check_edges(&locals, own->asker + own->begin[s], replies[s].at,
                          own->begin[s + 1] - own->begin[s], &p->first);
    return e->status;
}

static enum status cpu_read_met(const struct proof *p, uint64_t *met, struct error *e)
{
    memcpy(met, p->met + mask_words(p->shard->locals), mask_words(p->shard->d) * 8);
    return e->status;
}

static enum status cpu_finish(struct proof *p, int64_t root, const uint64_t *met,
                              struct offence *first, struct error *e)
{
    memcpy(p->met + mask_words(p->shard->locals), met, mask_words(p->shard->d) * 8);
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        struct proved_vertices v = vertices_of(p, (enum vertex_kind)kind);
        proof_check_parents(&v, root, &p->first);
    }
    *first = p->first;
    return e->status;
}

static enum status cpu_set_depth(struct proof *p, uint64_t vertex, int32_t depth, struct error *e)
{
    uint64_t locals = p->shard->locals;
    if (vertex < locals)
        results_depths(p->place.results, p->place.g)[vertex] = depth;
    else
        results_delegate_depths(p->place.results)[vertex - locals] = depth;
    return e->status;
}

static const struct proof_steps cpu_steps = {
    .begin = cpu_begin,
    .reply = cpu_reply,
    .take_claims = cpu_take_claims,
    .check = cpu_check,
    .check_ends = cpu_check_ends,
    .read_met = cpu_read_met,
    .finish = cpu_finish,
};

const struct prover prover_cpu = {
    .open = cpu_open,
    .close = cpu_close,
    .ask_claims = cpu_ask_claims,
    .ask_ends = cpu_ask_ends,
    .keep_questions = cpu_keep_questions,
    .set_depth = cpu_set_depth,
    .steps = &cpu_steps,
};
