/* validate.c: takes the proofs of all devices through their steps (proof.h); see validate.h
 *
 * Once: each device asks for the claimed parents of its vertices at their places in the answer, and for the depths
 * of vertices on other shards that its nn edges lead to. For each root:
 * 1. claims: the replies about parents. Ids that nobody asks about have no edges, and must have no parents. All devices
 * ask about delegates.
 * 2. check: each device checks its vertices, and the edges with both ends on it.
 * 3. ends: the other edges, with the replies about depths.
 * 4. finish: every reached vertex must have met its parent. Delegates are on all devices, so their marks are ORed
 * first. */
#include "validate.h"

#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

static uint64_t delegates_of(const struct validation *v)
{
    return v->rank->graph->manifest.d;
}

static enum status take_arrays(struct validation *v, struct error *e)
{
    struct memory_budget *budget = v->rank->budget;
    uint64_t words = mask_words(delegates_of(v));
    memory_take(budget, (void **)&v->met, words, 8, "marks of delegates", e);
    return memory_take(budget, (void **)&v->met_of_device, words, 8, "marks of delegates", e);
}

static enum status open_proofs(struct validation *v, struct error *e)
{
    v->proofs = zeroed(v->rank->device_count, sizeof *v->proofs, "proofs", e);
    for (uint32_t g = 0; g < v->rank->device_count && e->status == ST_OK; g++)
        proof_open(&v->proofs[g], v->rank, v->results, g, e);
    return e->status;
}

static enum status send_questions(struct validation *v, enum topic topic, const struct member *m,
                                  struct error *e)
{
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++) {
        struct slice *out = slices_out(&v->slices, g);
        if (topic == TOPIC_CLAIMS)
            proof_ask_claims(&v->proofs[g], out, e);
        else
            proof_ask_ends(&v->proofs[g], out, e);
    }
    slices_exchange_agreed(&v->slices, m, e);
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        proof_keep_questions(&v->proofs[g], topic, slices_in(&v->slices, g), e);
    team_meet(m, e);
    if (m->number == 0) /* also after a failure, as the other ranks wait */
        comm_agree(v->rank->comm, e);
    return team_meet(m, e);
}

static enum status send_all_questions(void *context, const struct member *m, struct error *e)
{
    struct validation *v = context;
    if (send_questions(v, TOPIC_CLAIMS, m, e) == ST_OK && !rank_is_alone(v->rank))
        send_questions(v, TOPIC_ENDS, m, e);
    return e->status;
}

enum status validation_open(struct validation *v, const struct rank *rank, struct results *results, struct error *e)
{
    *v = (struct validation){.rank = rank, .results = results};
    if (slices_open(&v->slices, rank, e) == ST_OK && take_arrays(v, e) == ST_OK)
        open_proofs(v, e);
    if (comm_agree(rank->comm, e) != ST_OK)
        return e->status;
    return team_run(rank->team, send_all_questions, v, e);
}

void validation_close(struct validation *v)
{
    if (v->rank == NULL)
        return;
    for (uint32_t g = 0; v->proofs != NULL && g < v->rank->device_count; g++)
        proof_close(&v->proofs[g]);
    free(v->proofs);
    slices_close(&v->slices);
    memory_release(v->rank->budget, v->met);
    memory_release(v->rank->budget, v->met_of_device);
}

/* ---- a root ---- */

static enum status ask_again(struct validation *v, enum topic topic, const struct member *m,
                             struct error *e)
{
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        proof_reply(&v->proofs[g], topic, slices_out(&v->slices, g), e);
    if (team_meet(m, e) != ST_OK)
        return e->status;
    return slices_exchange(&v->slices, m, e);
}

/* Collective, by member 0. ORs the marks of delegates that met their parents. */
static enum status reduce_met(struct validation *v, struct error *e)
{
    uint64_t words = mask_words(delegates_of(v));
    memset(v->met, 0, words * 8);
    for (uint32_t g = 0; g < v->rank->device_count; g++) {
        if (proof_read_met(&v->proofs[g], v->met_of_device, e) != ST_OK)
            return e->status;
        for (uint64_t i = 0; i < words; i++)
            v->met[i] |= v->met_of_device[i];
    }
    comm_or_masks(v->rank->comm, v->met, words);
    return ST_OK;
}

static enum status fetch_claims(struct validation *v, const struct member *m, struct error *e)
{
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        proof_begin(&v->proofs[g], e);
    if (ask_again(v, TOPIC_CLAIMS, m, e) != ST_OK)
        return e->status;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        proof_take_claims(&v->proofs[g], slices_in(&v->slices, g), e);
    return team_meet(m, e);
}

static enum status check_ends(struct validation *v, const struct member *m, struct error *e)
{
    if (ask_again(v, TOPIC_ENDS, m, e) != ST_OK)
        return e->status;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        proof_check_ends(&v->proofs[g], slices_in(&v->slices, g), e);
    return e->status;
}

static enum status finish(struct validation *v, const struct member *m, struct error *e)
{
    if (team_meet(m, e) == ST_OK && m->number == 0)
        reduce_met(v, e);
    if (team_meet(m, e) != ST_OK)
        return e->status;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++) {
        struct offence found;
        if (proof_finish(&v->proofs[g], v->root, v->met, &found, e) != ST_OK)
            break;
#pragma omp critical(validation)
        if (found.kind != OFFENCE_NONE && offence_comes_before(&found, &v->first))
            v->first = found;
    }
    return e->status;
}

static enum status prove(void *context, const struct member *m, struct error *e)
{
    struct validation *v = context;
    if (fetch_claims(v, m, e) != ST_OK)
        return e->status;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        proof_check(&v->proofs[g], v->root, e);
    if (rank_is_alone(v->rank) || check_ends(v, m, e) == ST_OK)
        finish(v, m, e);
    return e->status;
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
    if (team_run(v->rank->team, prove, v, e) != ST_OK)
        return e->status;
    agree_on_first(v->rank->comm, &v->first);
    *first = v->first;
    return ST_OK;
}
