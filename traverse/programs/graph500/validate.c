/* validate.c: the proof of a tree by all devices (validate.h), in the steps of a prover on each device (proof.h)
 *
 * Once, each device finds which value of the answer each of its vertices has. It asks the other devices about the vertices
 * that its nn edges to their shards lead to. validation_check then has the steps for each root.
 *
 * A function with the arguments (context, g) is called by rank_each for each device g of this rank, maybe side by side.
 * `context` is the struct validation, if nothing else is said. */
#include "validate.h"

#include "formats/graph/partition.h"

#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

/* Takes zeroed memory of the device for `count` elements of `width` bytes, and stores the address in the pointer at
 * `array`. `what` names the memory in messages. Does nothing after a failure or for no elements. */
static enum status take(const struct proof *p, void *array, uint64_t count, uint64_t width, const char *what,
                        struct error *e)
{
    if (e->status == ST_OK && count > 0)
        p->prover->take(p, array, count, width, what, e);
    return e->status;
}

/* Opens the proof of device g of this rank: takes the arrays whose sizes the graph gives, and fills p->value, the index of
 * each vertex's value in the answer. Indices follow from the ids of vertices, and not from the tables by which answers are
 * made, so that a fault in these tables shows. After a failure, too, close_proof is to be called. */
static enum status open_proof(struct validation *v, uint32_t g, struct error *e)
{
    const struct graph *graph = v->rank->graph;
    const struct shard *shard = &graph->shards[g];
    const uint64_t vertices = shard->locals + shard->d, shards = (uint64_t)shard->p + 1;
    struct proof *p = &v->proofs[g];
    uint32_t *value = NULL;
    *p = (struct proof){.prover = v->rank->backend == &backend_cpu ? &prover_cpu : &prover_cuda,
                        .rank = v->rank,
                        .results = v->results,
                        .g = g,
                        .device = v->rank->devices[g],
                        .shard = shard,
                        .values = slots_of_shard(graph->manifest.totals.n, shard->index, shard->p),
                        .id_bytes = answers_width(&v->results->answers, ANSWER_PARENTS)};
    take(p, &p->end, vertices, sizeof *p->end, "ends of edges", e);
    take(p, &p->claim, vertices, sizeof *p->claim, "parents to prove", e);
    take(p, &p->met, mask_words(shard->locals) + mask_words(shard->d), 8, "marks of vertices", e);
    take(p, &p->value, vertices, sizeof *p->value, "values of vertices", e);
    take(p, &p->has_edges, mask_words(p->values), 8, "marks of ids", e);
    take(p, &p->first, 1, FIRST_BYTES, "an offence", e);
    p->own.begin = zeroed(shards, sizeof *p->own.begin, "questions", e);
    p->asked.begin = zeroed(shards, sizeof *p->asked.begin, "questions", e);
    if (e->status != ST_OK ||
        memory_take(v->rank->budget, (void **)&value, vertices, sizeof *value, "values of vertices", e) != ST_OK)
        return e->status;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < vertices; i++) {
        uint64_t id = numbered_vertex_id(shard, i);
        int is_own = shard_of_vertex(id, shard->p) == shard->index;
        value[i] = is_own ? (uint32_t)answers_place(graph, id) : VALUE_ELSEWHERE;
    }
    p->prover->copy(p, p->value, value, vertices * sizeof *value, e);
    memory_release(v->rank->budget, value);
    return e->status == ST_OK ? p->prover->open(p, e) : e->status;
}

/* Releases all memory of a proof; a zeroed one is allowed. */
static void close_proof(struct proof *p)
{
    if (p->prover == NULL)
        return;
    void *const arrays[] = {p->end,   p->claim,        p->met,       p->value,     p->has_edges,
                            p->first, p->own.question, p->own.asker, p->own.reply, p->asked.question,
                            p->asked.asker, p->asked.reply};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        p->prover->release(p, arrays[i]);
    free(p->own.begin);
    free(p->asked.begin);
}

/* Fills slices[0] to slices[p - 1]: slice s is the elements begin[s] to begin[s + 1] - 1, of `width` bytes each, of
 * the array. */
static void slice_by_shard(const struct proof *p, const void *array, const uint64_t *begin, uint64_t width,
                           struct slice *slices)
{
    for (uint32_t s = 0; s < p->shard->p; s++)
        slices[s] = (struct slice){.at = (const char *)array + begin[s] * width, .bytes = (begin[s + 1] - begin[s]) * width};
}

/* Lists the far ends of the nn edges to other shards as questions, p->own, with the vertices that ask. The slices that
 * device g sends become these questions. */
static enum status ask(void *context, uint32_t g, struct error *e)
{
    const struct validation *v = context;
    struct proof *p = &v->proofs[g];
    struct proof_questions *own = &p->own;
    const uint32_t shards = p->shard->p;
    uint64_t *next = zeroed(shards + UINT64_C(1), sizeof *next, "questions", e);
    if (next != NULL && p->prover->list_questions(p, own->begin, 0, e) == ST_OK) {
        for (uint32_t s = 0; s < shards; s++)
            own->begin[s + 1] += own->begin[s];
        memcpy(next, own->begin, (shards + UINT64_C(1)) * sizeof *next);
        take(p, &own->asker, own->begin[shards], sizeof *own->asker, "questions", e);
        take(p, &own->question, own->begin[shards], sizeof *own->question, "questions", e);
        slice_by_shard(p, own->question, own->begin, sizeof *own->question, slices_out(&v->slices, g));
        if (e->status == ST_OK)
            p->prover->list_questions(p, next, 1, e);
    }
    free(next);
    return e->status;
}

/* Copies the questions that device g received into p->asked, and takes memory for the replies. */
static enum status keep_questions(void *context, uint32_t g, struct error *e)
{
    const struct validation *v = context;
    struct proof *p = &v->proofs[g];
    struct proof_questions *asked = &p->asked;
    const struct slice *questions = slices_in(&v->slices, g); /* [p] of each shard */
    const uint32_t shards = p->shard->p;
    for (uint32_t s = 0; s < shards; s++)
        asked->begin[s + 1] = asked->begin[s] + questions[s].bytes / sizeof *asked->question;
    take(p, &asked->question, asked->begin[shards], sizeof *asked->question, "questions", e);
    take(p, &asked->reply, asked->begin[shards], sizeof(struct vertex_end), "replies", e);
    for (uint32_t s = 0; s < shards && e->status == ST_OK; s++)
        p->prover->copy(p, asked->question + asked->begin[s], questions[s].at, questions[s].bytes, e);
    return e->status;
}

/* Collective. Opens a proof for each device of this rank. With several devices, lists the questions of all devices, sends
 * them, and keeps those received. After a failure, too, ranks agree, as the other ranks wait. */
enum status validation_open(struct validation *v, const struct rank *rank, struct results *results, struct error *e)
{
    struct memory_budget *budget = rank->budget;
    const uint64_t d = rank->graph->manifest.d, words = mask_words(d);
    *v = (struct validation){.rank = rank, .results = results};
    if (slices_open(&v->slices, rank, e) == ST_OK) {
        memory_take(budget, (void **)&v->met, words, 8, "marks of delegates", e);
        memory_take(budget, (void **)&v->met_of_device, words, 8, "marks of delegates", e);
        memory_take(budget, (void **)&v->claim, d, 8, "parents of delegates", e);
        memory_take(budget, (void **)&v->claim_of_device, d, 8, "parents of delegates", e);
        v->proofs = zeroed(rank->device_count, sizeof *v->proofs, "proofs", e);
    }
    for (uint32_t g = 0; g < rank->device_count && e->status == ST_OK; g++)
        open_proof(v, g, e);
    if (comm_agree(rank->comm, e) != ST_OK || rank_is_single_device(rank))
        return e->status;
    rank_each(rank, ask, v, e);
    slices_exchange_agreed(&v->slices, e);
    rank_each(rank, keep_questions, v, e);
    if (comm_agree(rank->comm, e) != ST_OK)
        return e->status;
    for (uint32_t g = 0; g < rank->device_count; g++) {
        struct proof *p = &v->proofs[g];
        p->prover->release(p, p->own.question); /* all devices have copied them */
        p->own.question = NULL;
        p->replies = slices_in(&v->slices, g);
    }
    return ST_OK;
}

/* Releases all memory. */
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

/* ---- a root ---- */

/* A step that all devices do. */
struct step_of_all {
    struct validation *validation;
    proof_step *step;
};

/* Does the step for v->root on device g; `context` is the struct step_of_all. */
static enum status do_step(void *context, uint32_t g, struct error *e)
{
    const struct step_of_all *all = context;
    struct proof *p = &all->validation->proofs[g];
    p->root = all->validation->root;
    return all->step(p, e);
}

/* Does a step of the prover on all devices of this rank. */
static enum status step_each(struct validation *v, proof_step *step, struct error *e)
{
    struct step_of_all all = {v, step};
    return rank_each(v->rank, do_step, &all, e);
}

/* Copies the parents of all delegates, v->claim, to device g. */
static enum status put_claims(void *context, uint32_t g, struct error *e)
{
    const struct validation *v = context;
    const struct proof *p = &v->proofs[g];
    return p->prover->copy(p, p->claim + p->shard->locals, v->claim, p->shard->d * sizeof *v->claim, e);
}

/* Collective. Gives the parents of delegates to all devices. The owner of a delegate has the parent, and all other
 * devices have CLAIM_ELSEWHERE, so the maximum over devices is taken. */
static enum status reduce_claims(struct validation *v, struct error *e)
{
    const uint64_t d = v->rank->graph->manifest.d;
    for (uint64_t i = 0; i < d; i++)
        v->claim[i] = CLAIM_ELSEWHERE;
    for (uint32_t g = 0; g < v->rank->device_count; g++) {
        const struct proof *p = &v->proofs[g];
        if (p->prover->copy(p, v->claim_of_device, p->claim + p->shard->locals, d * sizeof *v->claim, e) != ST_OK)
            return e->status;
        for (uint64_t i = 0; i < d; i++)
            v->claim[i] = v->claim_of_device[i] > v->claim[i] ? v->claim_of_device[i] : v->claim[i];
    }
    comm_max_ids(v->rank->comm, v->claim, sizeof *v->claim, d);
    return rank_each(v->rank, put_claims, v, e);
}

/* Collective. Sends the replies of each device to the devices that asked, and receives the replies to its own questions. */
static enum status exchange_replies(struct validation *v, struct error *e)
{
    for (uint32_t g = 0; g < v->rank->device_count; g++) {
        const struct proof *p = &v->proofs[g];
        slice_by_shard(p, p->asked.reply, p->asked.begin, sizeof(struct vertex_end), slices_out(&v->slices, g));
    }
    return slices_exchange(&v->slices, e);
}

/* Collective. Sets v->met to the OR of all devices' bitmaps of delegates that met their parents. */
static enum status reduce_met(struct validation *v, struct error *e)
{
    const uint64_t words = mask_words(v->rank->graph->manifest.d);
    memset(v->met, 0, words * 8);
    for (uint32_t g = 0; g < v->rank->device_count; g++) {
        const struct proof *p = &v->proofs[g];
        if (p->prover->copy(p, v->met_of_device, proved_of(p, DELEGATES).met, words * 8, e) != ST_OK)
            return e->status;
        for (uint64_t i = 0; i < words; i++)
            v->met[i] |= v->met_of_device[i];
    }
    comm_or_masks(v->rank->comm, v->met, words);
    return ST_OK;
}

/* Checks that the vertices of device g met their parents; v->met has the delegates that did so on any device. Keeps the
 * first offence of the device in v->first, if it comes before the one there. */
static enum status finish(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    struct proof *p = &v->proofs[g];
    struct offence found;
    if (p->prover->copy(p, proved_of(p, DELEGATES).met, v->met, mask_words(p->shard->d) * 8, e) != ST_OK ||
        p->prover->finish(p, &found, e) != ST_OK)
        return e->status;
#pragma omp critical(validation)
    if (found.kind != OFFENCE_NONE && offence_comes_before(&found, &v->first))
        v->first = found;
    return ST_OK;
}

/* Collective. Replaces *first, the first offence of this rank, by the first offence of all ranks: that with the least
 * vertex and kind, and then the least other end. */
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

/* Collective. Proves the tree of a root, step by step on all devices, and sets *first to the first offence. With one device
 * in all there are no questions, and nothing to reduce before the checks. */
enum status validation_check(struct validation *v, const struct root *root, struct offence *first, struct error *e)
{
    const struct prover *prover = v->proofs[0].prover; /* of all devices of a rank */
    const int several = !rank_is_single_device(v->rank);
    v->root = (int64_t)original_id(v->rank->graph, root->id);
    v->first = (struct offence){0};
    if (step_each(v, prover->begin, e) != ST_OK || (several && reduce_claims(v, e) != ST_OK) ||
        step_each(v, prover->check, e) != ST_OK)
        return e->status;
    if (several && (step_each(v, prover->reply, e) != ST_OK || exchange_replies(v, e) != ST_OK ||
                    step_each(v, prover->check_replies, e) != ST_OK))
        return e->status;
    if (reduce_met(v, e) != ST_OK || rank_each(v->rank, finish, v, e) != ST_OK)
        return e->status;
    agree_on_first(v->rank->comm, &v->first);
    *first = v->first;
    return ST_OK;
}
