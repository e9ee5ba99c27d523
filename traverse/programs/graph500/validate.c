/* validate.c: all devices prove a tree together (validate.h). A prover does each step of the proof on one device (proof.h).
 *
 * Before the first root, each device finds out which value of the answer belongs to each of its vertices. If it has nn
 * edges to other shards, it asks the devices of these shards about the far ends. For each root, validation_check calls the
 * steps.
 *
 * Functions with the arguments (context, g) are called by rank_each for each device g of this rank, maybe side by side.
 * `context` is the struct validation, unless the comment of the function says something else. */
#include "validate.h"

#include "traverse/engine/backend_table.h"

#include "formats/graph/partition.h"

#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

/* Allocates zeroed memory of the device for `count` elements of `width` bytes, and sets the pointer at the address `array`.
 * `what` names the memory in messages. Does nothing if *e has failed, or if `count` is 0. close_proof frees the memory. */
static enum status take(const struct proof *p, void *array, uint64_t count, uint64_t width, const char *what,
                        struct error *e)
{
    if (e->status == ST_OK && count > 0)
        p->prover->take(p, array, count, width, what, e);
    return e->status;
}

/* Copies bytes from the host to the device of a proof, or back, and waits for the copy. */
static enum status copy_bytes(const struct proof *p, void *to, const void *from, uint64_t bytes, struct error *e)
{
    return bytes == 0 ? e->status : p->rank->backend->answers->copy(p->device, to, from, bytes, e);
}

/* Opens v->proofs[g], and allocates the arrays whose sizes follow from the graph. Fills in p->value_index, the index of each
 * vertex's value in the answer. This is computed from ids, and not read from the tables by which answers are made, so that
 * a fault in these tables is found. The caller calls close_proof even after a failure. */
static enum status open_proof(struct validation *v, uint32_t g, struct error *e)
{
    const struct graph *graph = v->rank->graph;
    const struct shard *shard = &graph->shards[g];
    const uint64_t vertices = shard->locals + shard->d, shards = (uint64_t)shard->p + 1;
    struct proof *p = &v->proofs[g];
    uint32_t *value_index = NULL;
    *p = (struct proof){.prover = backend_table(v->rank->backend, &prover_cpu, &prover_cuda, e),
                        .rank = v->rank,
                        .results = v->results,
                        .g = g,
                        .device = v->rank->devices[g],
                        .shard = shard,
                        .value_count = slots_of_shard(graph->manifest.totals.n, shard->index, shard->p),
                        .id_bytes = answers_width(&v->results->answers, ANSWER_PARENTS)};
    if (e->status != ST_OK)
        return e->status;
    take(p, &p->end, vertices, sizeof *p->end, "ends of edges", e);
    take(p, &p->claim, vertices, sizeof *p->claim, "parents to prove", e);
    take(p, &p->parent_seen, mask_words(shard->locals) + mask_words(shard->d), 8, "vertices whose parents are seen", e);
    take(p, &p->value_index, vertices, sizeof *p->value_index, "values of vertices", e);
    take(p, &p->value_has_edges, mask_words(p->value_count), 8, "marks of ids", e);
    take(p, &p->first, 1, FIRST_BYTES, "an offence", e);
    p->own.begin = zeroed(shards, sizeof *p->own.begin, "questions", e);
    p->asked.begin = zeroed(shards, sizeof *p->asked.begin, "questions", e);
    if (e->status != ST_OK ||
        memory_take(v->rank->budget, (void **)&value_index, vertices, sizeof *value_index, "values of vertices", e) != ST_OK)
        return e->status;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < vertices; i++) {
        uint64_t id = numbered_vertex_id(shard, i);
        int is_own = shard_of_vertex(id, shard->p) == shard->index;
        value_index[i] = is_own ? (uint32_t)answers_index(graph, id) : VALUE_ELSEWHERE;
    }
    copy_bytes(p, p->value_index, value_index, vertices * sizeof *value_index, e);
    memory_release(v->rank->budget, value_index);
    return e->status == ST_OK ? p->prover->open(p, e) : e->status;
}

/* Frees all memory of a proof. *p may be all zeros, or opened in part. */
static void close_proof(struct proof *p)
{
    if (p->prover == NULL)
        return;
    void *const arrays[] = {p->end, p->claim, p->parent_seen, p->value_index, p->value_has_edges, p->first,
                            p->own.question, p->own.asker, p->own.reply,
                            p->asked.question, p->asked.asker, p->asked.reply};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        p->prover->release(p, arrays[i]);
    free(p->own.begin);
    free(p->asked.begin);
}

/* Cuts an array into spans[0] to spans[p - 1], one byte span for each shard. Span s is the elements begin[s] to begin[s +
 * 1] - 1, each of `width` bytes. Copies nothing: the spans point into the array. */
static void spans_by_shard(const struct proof *p, const void *array, const uint64_t *begin, uint64_t width,
                           struct byte_span *spans)
{
    for (uint32_t s = 0; s < p->shard->p; s++)
        spans[s] = (struct byte_span){.at = (const char *)array + begin[s] * width, .bytes = (begin[s + 1] - begin[s]) * width};
}

/* Lists the questions of device g in p->own: one for each nn edge to another shard, with the vertex that has the edge. Counts
 * them first, to allocate memory. Makes the byte spans of the device point to them. Called once, before the first exchange. */
static enum status list_questions(void *context, uint32_t g, struct error *e)
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
        spans_by_shard(p, own->question, own->begin, sizeof *own->question, byte_spans_out(&v->spans, g));
        if (e->status == ST_OK)
            p->prover->list_questions(p, next, 1, e);
    }
    free(next);
    return e->status;
}

/* Copies the questions that device g has received from all shards into p->asked, and allocates memory for the replies.
 * Called once, after the exchange of the questions. */
static enum status keep_questions(void *context, uint32_t g, struct error *e)
{
    const struct validation *v = context;
    struct proof *p = &v->proofs[g];
    struct proof_questions *asked = &p->asked;
    const struct byte_span *questions = byte_spans_in(&v->spans, g); /* [p] the questions received from each shard */
    const uint32_t shards = p->shard->p;
    for (uint32_t s = 0; s < shards; s++)
        asked->begin[s + 1] = asked->begin[s] + questions[s].bytes / sizeof *asked->question;
    take(p, &asked->question, asked->begin[shards], sizeof *asked->question, "questions", e);
    take(p, &asked->reply, asked->begin[shards], sizeof(struct vertex_end), "replies", e);
    for (uint32_t s = 0; s < shards && e->status == ST_OK; s++)
        copy_bytes(p, asked->question + asked->begin[s], questions[s].at, questions[s].bytes, e);
    return e->status;
}

/* Collective. Opens a proof for each device of this rank. If there are several devices in all, they also exchange their questions. A rank
 * that has failed still takes part, because the other ranks wait for it. */
enum status validation_open(struct validation *v, const struct rank *rank, struct results *results, struct error *e)
{
    struct memory_budget *budget = rank->budget;
    const uint64_t d = rank->graph->manifest.d, words = mask_words(d);
    *v = (struct validation){.rank = rank, .results = results};
    if (byte_spans_open(&v->spans, rank, e) == ST_OK) {
        memory_take(budget, (void **)&v->parent_seen, words, 8, "delegates whose parents are seen", e);
        memory_take(budget, (void **)&v->seen_of_device, words, 8, "delegates whose parents are seen", e);
        memory_take(budget, (void **)&v->claim, d, 8, "parents of delegates", e);
        memory_take(budget, (void **)&v->claim_of_device, d, 8, "parents of delegates", e);
        v->proofs = zeroed(rank->device_count, sizeof *v->proofs, "proofs", e);
    }
    for (uint32_t g = 0; g < rank->device_count && e->status == ST_OK; g++)
        open_proof(v, g, e);
    if (comm_agree(rank->comm, e) != ST_OK || rank_is_single_device(rank))
        return e->status;
    rank_each(rank, list_questions, v, e);
    byte_spans_exchange_agreed(&v->spans, e);
    rank_each(rank, keep_questions, v, e);
    if (comm_agree(rank->comm, e) != ST_OK)
        return e->status;
    for (uint32_t g = 0; g < rank->device_count; g++) {
        struct proof *p = &v->proofs[g];
        p->prover->release(p, p->own.question); /* all devices have copied the questions by now */
        p->own.question = NULL;
        p->replies = byte_spans_in(&v->spans, g);
    }
    return ST_OK;
}

void validation_close(struct validation *v)
{
    if (v->rank == NULL)
        return;
    for (uint32_t g = 0; v->proofs != NULL && g < v->rank->device_count; g++)
        close_proof(&v->proofs[g]);
    free(v->proofs);
    byte_spans_close(&v->spans);
    memory_release(v->rank->budget, v->parent_seen);
    memory_release(v->rank->budget, v->seen_of_device);
    memory_release(v->rank->budget, v->claim);
    memory_release(v->rank->budget, v->claim_of_device);
}

/* ---- a root ---- */

/* The arguments of do_step: a step that all devices of this rank do. */
struct step_of_all {
    struct validation *validation;
    proof_step *step;
};

/* Does a step of the proof on device g, for the root of the validation. `context` is the struct step_of_all. */
static enum status do_step(void *context, uint32_t g, struct error *e)
{
    const struct step_of_all *all = context;
    struct proof *p = &all->validation->proofs[g];
    p->root = all->validation->root;
    return all->step(p, e);
}

/* Does a step of the proof on all devices of this rank, for the root v->root. Waits until all have done the step. */
static enum status step_each(struct validation *v, proof_step *step, struct error *e)
{
    struct step_of_all all = {v, step};
    return rank_each(v->rank, do_step, &all, e);
}

/* Copies v->claim (the parents of all delegates) into the claims of device g. */
static enum status set_claims(void *context, uint32_t g, struct error *e)
{
    const struct validation *v = context;
    const struct proof *p = &v->proofs[g];
    return copy_bytes(p, p->claim + p->shard->locals, v->claim, p->shard->d * sizeof *v->claim, e);
}

/* Collective. Gives all devices the parents of all delegates. At first, only the owner of a delegate has its parent, and
 * all other devices have CLAIM_ELSEWHERE, the least of all claims. So the maximum over all devices of all ranks is the
 * parent. It is stored in v->claim, and copied to each device of this rank. Overwrites v->claim_of_device. */
static enum status reduce_claims(struct validation *v, struct error *e)
{
    const uint64_t d = v->rank->graph->manifest.d;
    for (uint64_t i = 0; i < d; i++)
        v->claim[i] = CLAIM_ELSEWHERE;
    for (uint32_t g = 0; g < v->rank->device_count; g++) {
        const struct proof *p = &v->proofs[g];
        if (copy_bytes(p, v->claim_of_device, p->claim + p->shard->locals, d * sizeof *v->claim, e) != ST_OK)
            return e->status;
        for (uint64_t i = 0; i < d; i++)
            v->claim[i] = v->claim_of_device[i] > v->claim[i] ? v->claim_of_device[i] : v->claim[i];
    }
    comm_max_ids(v->rank->comm, v->claim, sizeof *v->claim, d);
    return rank_each(v->rank, set_claims, v, e);
}

/* Collective. Sends the replies p->asked.reply of each device to the devices that asked. Afterwards, p->replies points to
 * the replies that a device has received. */
static enum status exchange_replies(struct validation *v, struct error *e)
{
    for (uint32_t g = 0; g < v->rank->device_count; g++) {
        const struct proof *p = &v->proofs[g];
        spans_by_shard(p, p->asked.reply, p->asked.begin, sizeof(struct vertex_end), byte_spans_out(&v->spans, g));
    }
    return byte_spans_exchange(&v->spans, e);
}

/* Collective. Sets v->parent_seen to the delegates that have an edge to their parents on any device of any rank, as the OR of the bitmaps
 * of all devices. Overwrites v->seen_of_device. */
static enum status reduce_seen_parents(struct validation *v, struct error *e)
{
    const uint64_t words = mask_words(v->rank->graph->manifest.d);
    memset(v->parent_seen, 0, words * 8);
    for (uint32_t g = 0; g < v->rank->device_count; g++) {
        const struct proof *p = &v->proofs[g];
        if (copy_bytes(p, v->seen_of_device, proved_of(p, DELEGATES).parent_seen, words * 8, e) != ST_OK)
            return e->status;
        for (uint64_t i = 0; i < words; i++)
            v->parent_seen[i] |= v->seen_of_device[i];
    }
    comm_or_masks(v->rank->comm, v->parent_seen, words);
    return ST_OK;
}

/* Checks that the vertices of device g have an edge to their parents, after all edges were checked. First copies v->parent_seen to the
 * device, because the edge to the parent of a delegate may be on another device. If the first offence of the device comes before
 * v->first, stores it there. */
static enum status finish(void *context, uint32_t g, struct error *e)
{
    struct validation *v = context;
    struct proof *p = &v->proofs[g];
    struct offence found;
    if (copy_bytes(p, proved_of(p, DELEGATES).parent_seen, v->parent_seen, mask_words(p->shard->d) * 8, e) != ST_OK ||
        p->prover->finish(p, &found, e) != ST_OK)
        return e->status;
#pragma omp critical(validation)
    if (found.kind != OFFENCE_NONE && offence_comes_before(&found, &v->first))
        v->first = found;
    return ST_OK;
}

/* Collective. *first is the first offence of this rank, and becomes the first of all ranks. Offences are compared by two
 * numbers: key[0] is the vertex and the kind, and key[1] is the other end. The lowest rank with the least pair of numbers
 * sends its offence to all ranks. */
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
        key[1] = UINT64_MAX; /* another rank has an offence with a lesser vertex or kind */
    comm_min_u64(comm, &key[1], 1);
    /* true on all ranks if there is no offence at all */
    int mine = own[0] == key[0] && own[1] == key[1];
    uint32_t from = (uint32_t)comm_min_of(comm, mine ? comm->rank : comm->ranks - 1);
    comm_broadcast(comm, first, sizeof *first, from);
}

/* Collective. Proves the tree of a root (validate.h), step by step on all devices. With only one device on all ranks
 * together, skips the questions and the reduction of claims. Only this rank knows of a failure. */
enum status validation_check(struct validation *v, const struct root *root, struct offence *first, struct error *e)
{
    const struct prover *prover = v->proofs[0].prover; /* all devices of a rank have the same prover */
    const int several = !rank_is_single_device(v->rank);
    v->root = (int64_t)original_id(v->rank->graph, root->id);
    v->first = (struct offence){0};
    if (step_each(v, prover->begin, e) != ST_OK || (several && reduce_claims(v, e) != ST_OK) ||
        step_each(v, prover->check, e) != ST_OK)
        return e->status;
    if (several && (step_each(v, prover->reply, e) != ST_OK || exchange_replies(v, e) != ST_OK ||
                    step_each(v, prover->check_replies, e) != ST_OK))
        return e->status;
    if (reduce_seen_parents(v, e) != ST_OK || rank_each(v->rank, finish, v, e) != ST_OK)
        return e->status;
    agree_on_first(v->rank->comm, &v->first);
    *first = v->first;
    return ST_OK;
}
