/* validate.c: the arrays, questions and steps of a proof, and the way of all proofs through them; see validate.h and
 * proof.h
 *
 * Once: each device finds the values of its vertices in the answer, and asks for the depths of the vertices on other
 * shards that its nn edges lead to. For each root:
 * 1. claims: each device takes the parents of its vertices; those of delegates, which one device has each, are reduced.
 * Values of no vertex are of ids without edges, and must be no parents.
 * 2. check: each device checks its vertices, and the edges with both ends on it.
 * 3. ends: the other edges, with the replies about depths.
 * 4. finish: every reached vertex must have met its parent. Delegates are on all devices, so their marks are ORed
 * first. */
#include "validate.h"

#include "formats/graph/partition.h"

#include <stdlib.h>
#include <string.h>

/* ---- one device: steps ---- */

static enum status enter(const struct proof *p, struct error *e)
{
    return p->prover->enter != NULL ? p->prover->enter(p, e) : e->status;
}

static enum status wait(const struct proof *p, struct error *e)
{
    return p->prover->wait != NULL ? p->prover->wait(p, e) : e->status;
}

/* ---- one device: opening ---- */

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
    take(p, &p->place, vertices, sizeof *p->place, "values of vertices", e);
    take(p, &p->has_edges, mask_words(p->values), 8, "marks of ids", e);
    take(p, &p->first, 1, FIRST_BYTES, "an offence", e);
    p->own.begin = zeroed(shards, sizeof *p->own.begin, "questions", e);
    p->asked.begin = zeroed(shards, sizeof *p->asked.begin, "questions", e);
    return e->status;
}

/* Finds where the answer has the values of the device's vertices: by their ids, and not by the tables that answers are
 * made with. */
static enum status find_places(const struct proof *p, struct error *e)
{
    const struct graph *graph = p->rank->graph;
    const uint64_t vertices = p->shard->locals + p->shard->d;
    uint32_t *place = NULL;
    if (memory_take(p->rank->budget, (void **)&place, vertices, sizeof *place, "values of vertices", e) != ST_OK)
        return e->status;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < vertices; i++) {
        uint64_t id = numbered_vertex_id(p->shard, i);
        int is_own = shard_of_vertex(id, p->shard->p) == p->shard->index;
        place[i] = is_own ? (uint32_t)answers_place(graph, id) : PLACE_ELSEWHERE;
    }
    p->prover->copy(p, p->place, place, vertices * sizeof *place, e);
    memory_release(p->rank->budget, place);
    return e->status;
}

static enum status open_proof(struct proof *p, const struct rank *rank, const struct results *results, uint32_t g,
                              struct error *e)
{
    const struct manifest *m = &rank->graph->manifest;
    *p = (struct proof){.prover = rank->backend == &backend_cpu ? &prover_cpu : &prover_cuda,
                        .rank = rank,
                        .results = results,
                        .g = g,
                        .device = rank->devices[g],
                        .shard = &rank->graph->shards[g],
                        .values = slots_of_shard(m->totals.n, rank->graph->shards[g].index, m->p),
                        .id_bytes = answers_width(&results->answers, ANSWER_PARENTS)};
    if (enter(p, e) != ST_OK || take_arrays(p, e) != ST_OK || find_places(p, e) != ST_OK)
        return e->status;
    p->prover->mark(p);
    if (p->prover->open != NULL)
        p->prover->open(p);
    return wait(p, e);
}

static void release_questions(const struct proof *p, const struct proof_questions *q)
{
    p->prover->release(p, q->question);
    p->prover->release(p, q->asker);
    p->prover->release(p, q->reply);
    free(q->begin);
}

static void close_proof(struct proof *p)
{
    if (p->prover == NULL)
        return;
    void *const arrays[] = {p->end, p->claim, p->met, p->place, p->has_edges, p->first};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        p->prover->release(p, arrays[i]);
    release_questions(p, &p->own);
    release_questions(p, &p->asked);
}

/* ---- one device: questions ---- */

/* Makes slices of elements that lie in the order of shards. */
static void slice_by_shard(const struct proof *p, const void *array, const uint64_t *begin, uint64_t width,
                           struct slice *slices)
{
    for (uint32_t s = 0; s < p->shard->p; s++)
        slices[s] = (struct slice){(const char *)array + begin[s] * width, (begin[s + 1] - begin[s]) * width};
}

/* Makes begins of the numbers of questions, and takes memory for them. Returns where those for each shard come next;
 * NULL: a failure. */
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

/* Lists the nn neighbours on other shards, and notes which vertices ask for them. The slices stay valid until
 * begin_proof. */
static enum status ask_ends(struct proof *p, struct slice *slices, struct error *e)
{
    struct proof_questions *own = &p->own;
    if (enter(p, e) != ST_OK || p->prover->list_ends(p, own->begin, 0, e) != ST_OK)
        return e->status;
    uint64_t *next = place_questions(p, own, slices, e);
    if (next != NULL)
        p->prover->list_ends(p, next, 1, e);
    free(next);
    return e->status;
}

/* Keeps the questions of the others to this device. */
static enum status keep_questions(struct proof *p, const struct slice *questions, struct error *e)
{
    struct proof_questions *a = &p->asked;
    for (uint32_t s = 0; s < p->shard->p; s++)
        a->begin[s + 1] = a->begin[s] + questions[s].bytes / sizeof *a->question;
    uint64_t count = a->begin[p->shard->p];
    if (enter(p, e) != ST_OK || take(p, &a->question, count, sizeof *a->question, "questions", e) != ST_OK ||
        take(p, &a->reply, count, sizeof(struct vertex_end), "replies", e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < p->shard->p && e->status == ST_OK; s++)
        p->prover->copy(p, a->question + a->begin[s], questions[s].at, questions[s].bytes, e);
    return wait(p, e);
}

/* ---- one device: the proof of a root, in this order ---- */

/* Forgets the last root, and reads the depths and claims of this one. */
static enum status begin_proof(struct proof *p, struct error *e)
{
    if (enter(p, e) != ST_OK)
        return e->status;
    p->prover->release(p, p->own.question); /* they have been sent */
    p->own.question = NULL;
    if (p->prover->begin(p, e) != ST_OK)
        return e->status;
    p->prover->take_claims(p);
    return wait(p, e);
}

static int64_t *delegate_claims(const struct proof *p)
{
    return p->claim + p->shard->locals;
}

/* Replies to the questions. The slices stay valid until this is called again. */
static enum status reply(struct proof *p, struct slice *replies, struct error *e)
{
    if (enter(p, e) != ST_OK)
        return e->status;
    p->prover->reply(p);
    slice_by_shard(p, p->asked.reply, p->asked.begin, sizeof(struct vertex_end), replies);
    return wait(p, e);
}

/* Checks vertices by themselves, and edges with both ends on this device. */
static enum status check_here(struct proof *p, int64_t root, struct error *e)
{
    if (enter(p, e) != ST_OK)
        return e->status;
    p->prover->check(p, root);
    return wait(p, e);
}

/* Checks the other edges by the replies about ends. */
static enum status check_by_replies(struct proof *p, const struct slice *replies, struct error *e)
{
    const struct proof_questions *own = &p->own;
    if (enter(p, e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < p->shard->p; s++)
        p->prover->check_edges(p, own->asker + own->begin[s], replies[s].at, own->begin[s + 1] - own->begin[s]);
    return wait(p, e);
}

static enum status read_met(const struct proof *p, uint64_t *met, struct error *e)
{
    return p->prover->copy(p, met, proved_of(p, DELEGATES).met, mask_words(p->shard->d) * 8, e);
}

/* Checks that all vertices met their parents, delegates by the mask of all devices. *first: the first offence that this
 * device found. */
static enum status finish_proof(struct proof *p, int64_t root, const uint64_t *met, struct offence *first,
                                struct error *e)
{
    if (p->prover->copy(p, proved_of(p, DELEGATES).met, met, mask_words(p->shard->d) * 8, e) != ST_OK ||
        enter(p, e) != ST_OK)
        return e->status;
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        p->prover->check_parents(p, (enum vertex_kind)kind, root);
    return wait(p, e) == ST_OK ? p->prover->read_first(p, first, e) : e->status;
}

/* ---- all devices: opening ---- */

static uint64_t delegates_of(const struct validation *v)
{
    return v->rank->graph->manifest.d;
}

static enum status take_delegates(struct validation *v, struct error *e)
{
    struct memory_budget *budget = v->rank->budget;
    uint64_t words = mask_words(delegates_of(v));
    memory_take(budget, (void **)&v->met, words, 8, "marks of delegates", e);
    memory_take(budget, (void **)&v->met_of_device, words, 8, "marks of delegates", e);
    memory_take(budget, (void **)&v->claim, delegates_of(v), 8, "parents of delegates", e);
    return memory_take(budget, (void **)&v->claim_of_device, delegates_of(v), 8, "parents of delegates", e);
}

static enum status open_proofs(struct validation *v, struct error *e)
{
    v->proofs = zeroed(v->rank->device_count, sizeof *v->proofs, "proofs", e);
    for (uint32_t g = 0; g < v->rank->device_count && e->status == ST_OK; g++)
        open_proof(&v->proofs[g], v->rank, v->results, g, e);
    return e->status;
}

static enum status ask(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    return ask_ends(&v->proofs[g], slices_out(&v->slices, g), e);
}

static enum status keep(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    return keep_questions(&v->proofs[g], slices_in(&v->slices, g), e);
}

/* After a failure, too, ranks agree, as others wait. */
static enum status send_questions(struct validation *v, struct error *e)
{
    rank_each(v->rank, ask, v, e);
    slices_exchange_agreed(&v->slices, e);
    rank_each(v->rank, keep, v, e);
    return comm_agree(v->rank->comm, e);
}

enum status validation_open(struct validation *v, const struct rank *rank, struct results *results, struct error *e)
{
    *v = (struct validation){.rank = rank, .results = results};
    if (slices_open(&v->slices, rank, e) == ST_OK && take_delegates(v, e) == ST_OK)
        open_proofs(v, e);
    return comm_agree(rank->comm, e) != ST_OK || rank_is_single_device(rank) ? e->status : send_questions(v, e);
}

void validation_close(struct validation *v)
{
    if (v->rank == NULL)
        return;
    for (uint32_t g = 0; v->proofs != NULL && g < v->rank->device_count; g++)
        close_proof(&v->proofs[g]);
    free(v->proofs);
    slices_close(&v->slices);
    memory_release(v->rank->budget, v->met);
    memory_release(v->rank->budget, v->met_of_device);
    memory_release(v->rank->budget, v->claim);
    memory_release(v->rank->budget, v->claim_of_device);
}

/* ---- all devices: a root ---- */

static enum status begin(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    return begin_proof(&v->proofs[g], e);
}

static enum status answer(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    return reply(&v->proofs[g], slices_out(&v->slices, g), e);
}

static enum status put_claims(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    const struct proof *p = &v->proofs[g];
    return p->prover->copy(p, delegate_claims(p), v->claim, delegates_of(v) * sizeof *v->claim, e);
}

static enum status check(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    return check_here(&v->proofs[g], v->root, e);
}

static enum status check_replies(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    return check_by_replies(&v->proofs[g], slices_in(&v->slices, g), e);
}

static enum status finish(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    struct offence found;
    if (finish_proof(&v->proofs[g], v->root, v->met, &found, e) != ST_OK)
        return e->status;
#pragma omp critical(validation)
    if (found.kind != OFFENCE_NONE && offence_comes_before(&found, &v->first))
        v->first = found;
    return ST_OK;
}

/* Collective. Gives the claims of delegates, which their owners have, to all devices. */
static enum status reduce_claims(struct validation *v, struct error *e)
{
    const uint64_t d = delegates_of(v);
    for (uint64_t i = 0; i < d; i++)
        v->claim[i] = CLAIM_ELSEWHERE;
    for (uint32_t g = 0; g < v->rank->device_count; g++) {
        const struct proof *p = &v->proofs[g];
        if (p->prover->copy(p, v->claim_of_device, delegate_claims(p), d * sizeof *v->claim, e) != ST_OK)
            return e->status;
        for (uint64_t i = 0; i < d; i++)
            v->claim[i] = v->claim_of_device[i] > v->claim[i] ? v->claim_of_device[i] : v->claim[i];
    }
    comm_max_ids(v->rank->comm, v->claim, sizeof *v->claim, d);
    return rank_each(v->rank, put_claims, v, e);
}

/* Collective. ORs the marks of delegates that met their parents. */
static enum status reduce_met(struct validation *v, struct error *e)
{
    uint64_t words = mask_words(delegates_of(v));
    memset(v->met, 0, words * 8);
    for (uint32_t g = 0; g < v->rank->device_count; g++) {
        if (read_met(&v->proofs[g], v->met_of_device, e) != ST_OK)
            return e->status;
        for (uint64_t i = 0; i < words; i++)
            v->met[i] |= v->met_of_device[i];
    }
    comm_or_masks(v->rank->comm, v->met, words);
    return ST_OK;
}

static enum status prove(struct validation *v, struct error *e)
{
    const int alone = rank_is_single_device(v->rank);
    if (rank_each(v->rank, begin, v, e) != ST_OK || (!alone && reduce_claims(v, e) != ST_OK) ||
        rank_each(v->rank, check, v, e) != ST_OK)
        return e->status;
    if (!alone && (rank_each(v->rank, answer, v, e) != ST_OK || slices_exchange(&v->slices, e) != ST_OK ||
                   rank_each(v->rank, check_replies, v, e) != ST_OK))
        return e->status;
    return reduce_met(v, e) == ST_OK ? rank_each(v->rank, finish, v, e) : e->status;
}

/* Finds the first offence of all ranks. */
static void agree_on_first(const struct comm *comm, struct offence *first)
{
    uint64_t key[2] = {UINT64_MAX, UINT64_MAX}, own[2];
    if (first->kind != OFFENCE_NONE) {
        key[0] = first->vertex << 4 | (uint64_t)first->kind;
        key[1] = (uint64_t)first->other + (UINT64_C(1) << 63);
    }
    memcpy(own, key, sizeof own);
    comm_min_u64(comm, &key[0], 1);
    if (own[0] != key[0])
        key[1] = UINT64_MAX;
    comm_min_u64(comm, &key[1], 1);
    int mine = own[0] == key[0] && own[1] == key[1];
    uint32_t from = (uint32_t)comm_min_of(comm, mine ? comm->rank : comm->ranks - 1);
    comm_broadcast(comm, first, sizeof *first, from);
}

enum status validation_check(struct validation *v, const struct root *root, struct offence *first,
                             struct error *e)
{
    v->root = (int64_t)original_id(v->rank->graph, root->id);
    v->first = (struct offence){0};
    if (prove(v, e) != ST_OK)
        return e->status;
    agree_on_first(v->rank->comm, &v->first);
    *first = v->first;
    return ST_OK;
}
