/* validate.c: the arrays, questions and steps of one device's proof, and how all proofs go through these steps; see
 * validate.h and proof.h
 *
 * Once: each device finds the values of its vertices in the answer, and asks for the depths of the vertices on other
 * shards that its nn edges lead to. For each root:
 * 1. claims: each device takes the parents of its vertices; those of delegates, which one device has each, are reduced.
 * Other values of the answer belong to ids without edges, which must have no parent (the root: itself).
 * 2. check: each device checks its vertices, and the edges with both ends on it.
 * 3. ends: the other edges, with the replies about depths.
 * 4. finish: every reached vertex must have met its parent. Delegates are on all devices, so their marks are ORed
 * first. */
#include "validate.h"

#include "formats/graph/partition.h"

#include <stdlib.h>
#include <string.h>

/* ---- one device: steps ---- */

/* Begins a step in the memory of the proof's device; does nothing for a prover without `enter`. */
static enum status enter(const struct proof *p, struct error *e)
{
    return p->prover->enter != NULL ? p->prover->enter(p, e) : e->status;
}

/* Waits for the work of a step on the proof's device; does nothing for a prover without `wait`. */
static enum status wait(const struct proof *p, struct error *e)
{
    return p->prover->wait != NULL ? p->prover->wait(p, e) : e->status;
}

/* ---- one device: opening ---- */

/* Takes zeroed memory of the device for `count` elements of `width` bytes, and stores its address in the pointer at
 * `array`. `what` names the memory in messages. Does nothing after a failure or for no elements. */
static enum status take(const struct proof *p, void *array, uint64_t count, uint64_t width, const char *what,
                        struct error *e)
{
    if (e->status == ST_OK && count > 0)
        p->prover->take(p, array, count, width, what, e);
    return e->status;
}

/* Returns the 64-bit words of the two masks of p->met: of local vertices and of delegates. */
static uint64_t met_words(const struct proof *p)
{
    return mask_words(p->shard->locals) + mask_words(p->shard->d);
}

/* Takes the arrays of a proof whose size the graph gives. close_proof releases them. */
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

/* Fills p->place: where the answer has the values of the device's vertices. Places follow from the ids of vertices,
 * and not from the tables by which answers are made, so that a fault in these tables shows. */
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

/* Opens the proof of device g of this rank: takes memory, and writes what is the same for all roots. After a failure,
 * too, close_proof is to be called. */
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

/* Releases the arrays of questions. */
static void release_questions(const struct proof *p, const struct proof_questions *q)
{
    p->prover->release(p, q->question);
    p->prover->release(p, q->asker);
    p->prover->release(p, q->reply);
    free(q->begin);
}

/* Releases all memory of a proof; a zeroed one is allowed. */
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

/* Fills slices[0] to slices[p - 1]: slice s has the elements begin[s] to begin[s + 1] - 1, of `width` bytes each, of
 * the array. */
static void slice_by_shard(const struct proof *p, const void *array, const uint64_t *begin, uint64_t width,
                           struct slice *slices)
{
    for (uint32_t s = 0; s < p->shard->p; s++)
        slices[s] = (struct slice){.at = (const char *)array + begin[s] * width, .bytes = (begin[s + 1] - begin[s]) * width};
}

/* Sums own->begin, which has the number of questions to shard s at s + 1, into beginnings; takes memory for the
 * questions; and makes slices of them. Returns an array, which the caller frees, of the places of the first question for
 * each shard; NULL: a failure. */
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

/* Lists the far ends of the nn edges to other shards as questions, p->own, with the vertices that ask. slices[s]
 * becomes the questions to shard s, valid until begin_proof. */
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

/* Copies the questions of all shards to this device into p->asked, and takes memory for replies. questions[s] came
 * from shard s. */
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

/* Begins the proof of a root: forgets the last root, and reads the depths and parents of this one. Releases the
 * questions of this device, which have been sent. */
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

/* Returns the claims of delegates, [d] in the memory of the device. */
static int64_t *delegate_claims(const struct proof *p)
{
    return p->claim + p->shard->locals;
}

/* Writes the replies to the questions of other devices. replies[s] becomes the replies to shard s, valid until the
 * next call. */
static enum status reply(struct proof *p, struct slice *replies, struct error *e)
{
    if (enter(p, e) != ST_OK)
        return e->status;
    p->prover->reply(p);
    slice_by_shard(p, p->asked.reply, p->asked.begin, sizeof(struct vertex_end), replies);
    return wait(p, e);
}

/* Checks vertices by themselves, and edges with both ends on this device. `root`: input id. */
static enum status check_here(struct proof *p, int64_t root, struct error *e)
{
    if (enter(p, e) != ST_OK)
        return e->status;
    p->prover->check(p, root);
    return wait(p, e);
}

/* Checks edges to other shards by the replies about their far ends; replies[s] came from shard s. */
static enum status check_by_replies(struct proof *p, const struct slice *replies, struct error *e)
{
    const struct proof_questions *own = &p->own;
    if (enter(p, e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < p->shard->p; s++)
        p->prover->check_edges(p, own->asker + own->begin[s], replies[s].at, own->begin[s + 1] - own->begin[s]);
    return wait(p, e);
}

/* Copies the mask of delegates that met their parents on this device to `met`, [mask_words(d)] on the host. */
static enum status read_met(const struct proof *p, uint64_t *met, struct error *e)
{
    return p->prover->copy(p, met, proved_of(p, DELEGATES).met, mask_words(p->shard->d) * 8, e);
}

/* Checks that all vertices met their parents; `met`, [mask_words(d)] on the host, has the delegates that did on any
 * device. Sets *first to the first offence that this device found in the whole proof of the root, an input id. */
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

/* Returns the number of delegates of the graph. */
static uint64_t delegates_of(const struct validation *v)
{
    return v->rank->graph->manifest.d;
}

/* Takes the arrays over delegates, in memory of the host. */
static enum status take_delegates(struct validation *v, struct error *e)
{
    struct memory_budget *budget = v->rank->budget;
    uint64_t words = mask_words(delegates_of(v));
    memory_take(budget, (void **)&v->met, words, 8, "marks of delegates", e);
    memory_take(budget, (void **)&v->met_of_device, words, 8, "marks of delegates", e);
    memory_take(budget, (void **)&v->claim, delegates_of(v), 8, "parents of delegates", e);
    return memory_take(budget, (void **)&v->claim_of_device, delegates_of(v), 8, "parents of delegates", e);
}

/* Opens a proof for each device of this rank. */
static enum status open_proofs(struct validation *v, struct error *e)
{
    v->proofs = zeroed(v->rank->device_count, sizeof *v->proofs, "proofs", e);
    for (uint32_t g = 0; g < v->rank->device_count && e->status == ST_OK; g++)
        open_proof(&v->proofs[g], v->rank, v->results, g, e);
    return e->status;
}

/* Lists the questions of device g; called for each device by rank_each. `context` is the struct validation. */
static enum status ask(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    return ask_ends(&v->proofs[g], slices_out(&v->slices, g), e);
}

/* Keeps the questions to device g; called for each device by rank_each. `context` is the struct validation. */
static enum status keep(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    return keep_questions(&v->proofs[g], slices_in(&v->slices, g), e);
}

/* Collective. Lists the questions of all devices, sends them and keeps those received. After a failure, too, ranks
 * agree, as others wait. */
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

/* Begins the proof of device g; called for each device by rank_each. `context` is the struct validation. */
static enum status begin(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    return begin_proof(&v->proofs[g], e);
}

/* Writes the replies of device g; called for each device by rank_each. `context` is the struct validation. */
static enum status answer(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    return reply(&v->proofs[g], slices_out(&v->slices, g), e);
}

/* Copies the parents of all delegates, v->claim, to device g; called by rank_each. `context` is the struct
 * validation. */
static enum status put_claims(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    const struct proof *p = &v->proofs[g];
    return p->prover->copy(p, delegate_claims(p), v->claim, delegates_of(v) * sizeof *v->claim, e);
}

/* Checks vertices and edges within device g; called for each device by rank_each. `context` is the struct validation. */
static enum status check(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    return check_here(&v->proofs[g], v->root, e);
}

/* Checks edges of device g by replies; called for each device by rank_each. `context` is the struct validation. */
static enum status check_replies(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    return check_by_replies(&v->proofs[g], slices_in(&v->slices, g), e);
}

/* Ends the proof of device g, and keeps its offence in v->first if it comes before the one there. Called for each
 * device by rank_each, maybe by several threads at once. `context` is the struct validation. */
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

/* Collective. Gives the parents of delegates to all devices: the owner of a delegate has its parent, and all other
 * devices have CLAIM_ELSEWHERE, so the maximum is taken. */
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

/* Collective. Sets v->met to the OR of all devices' masks of delegates that met their parents. */
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

/* Collective. Takes all proofs through the steps for v->root; leaves the first offence of this rank in v->first. With
 * one device in all there are no questions and nothing to reduce before the checks. */
static enum status prove(struct validation *v, struct error *e)
{
    const int single_device = rank_is_single_device(v->rank);
    if (rank_each(v->rank, begin, v, e) != ST_OK || (!single_device && reduce_claims(v, e) != ST_OK) ||
        rank_each(v->rank, check, v, e) != ST_OK)
        return e->status;
    if (!single_device &&
        (rank_each(v->rank, answer, v, e) != ST_OK || slices_exchange(&v->slices, e) != ST_OK ||
         rank_each(v->rank, check_replies, v, e) != ST_OK))
        return e->status;
    return reduce_met(v, e) == ST_OK ? rank_each(v->rank, finish, v, e) : e->status;
}

/* Collective. Replaces *first, the first offence of this rank, by the first offence of all ranks. */
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
