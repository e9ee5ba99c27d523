/* answers.c: see answers.h
 *
 * A device that is alone makes the answer by itself. Several go through these steps, which the team shares:
 *   ask        parents only: each device turns what it recorded into input ids. A vertex that was reached over
 *              an nn edge from another shard asks all its neighbours there.
 *   delegates  parents only: a delegate may have been found by several devices, or by another one. The largest
 *              id wins, in one reduction.
 *   look       parents only, in place of both where all devices read each other's memory: each device looks there
 *              for the parents of its vertices that it does not know itself.
 *   values     each device puts the values of its vertices into the order of input ids.
 *   assemble   each device puts the values of all shards into its block. Marks tell which ids have one; so ids
 *              without edges take no bytes of a message.
 * Parents are asked for after the search, and not carried with the messages of the search. Every nn edge of
 * another shard carries a vertex in the search, 4 bytes, and would carry 4 more. Only the edges of vertices
 * that were found over such an edge carry a question, 8 bytes, and a reply of 4.
 */
#include "answers.h"
#include "traverse/engine/answer_blocks.h"

#include "formats/graph/partition.h"

#include <stdlib.h>

/* ---- opening ---- */

static enum status open_device_answers(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return a->rank->backend->results->open_answers(a->rank->devices[g], &a->places.at[g], e);
}

/* Collective. Devices look up parents only if each reads all others. Otherwise each must ask, and be asked. */
static int all_look(const struct rank *rank)
{
    int (*reads_all)(const struct device *) = rank->backend->parents->reads_all;
    uint64_t missing = reads_all == NULL || rank_is_single_device(rank);
    for (uint32_t g = 0; missing == 0 && g < rank->device_count; g++)
        missing += !reads_all(rank->devices[g]);
    return comm_max_of(rank->comm, missing) == 0;
}

enum status answers_open(struct answers *a, const struct rank *rank, int parents, struct error *e)
{
    const struct manifest *m = &rank->graph->manifest;
    *a = (struct answers){.rank = rank, .id_bytes = answer_id_bytes(m->totals.n)};
    a->values = zeroed((uint64_t)rank->device_count * m->p, sizeof *a->values, "answers", e);
    slices_open(&a->slices, rank, e);
    slices_open(&a->replies, rank, e);
    if (e->status == ST_OK && parents && rank->comm->ranks > 1)
        a->delegate_parents =
            rank->backend->host_take((m->d + 1) * a->id_bytes, "delegate parents", e);
    if (places_open(&a->places, rank, parents, e) != ST_OK)
        return e->status;
    rank_each(a->rank, open_device_answers, a, e);
    a->looks = parents && all_look(rank);
    if (rank->backend->has_device_memory)
        places_forget(&a->places);
    return e->status;
}

void answers_close(struct answers *a)
{
    places_close(&a->places);
    slices_close(&a->slices);
    slices_close(&a->replies);
    if (a->delegate_parents != NULL)
        a->rank->backend->host_release(a->delegate_parents);
    free(a->values);
}

/* ---- steps ---- */

static const struct backend_parents *parents_of(const struct answers *a)
{
    return a->rank->backend->parents;
}

static enum status ask(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return parents_of(a)->ask(a->rank->devices[g], slices_out(&a->slices, g), e);
}

static enum status reply(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return parents_of(a)->reply(a->rank->devices[g], slices_in(&a->slices, g), slices_out(&a->replies, g), e);
}

static enum status take_replies(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return parents_of(a)->take_replies(a->rank->devices[g], slices_in(&a->replies, g), e);
}

static enum status show_parents(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return parents_of(a)->show_parents(a->rank->devices[g], a->levels, e);
}

static enum status look_parents(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return parents_of(a)->look_parents(a->rank->devices[g], e);
}

static enum status read_delegates(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    const struct rank *rank = a->rank;
    if (a->delegate_parents == NULL || g == 0)
        parents_of(a)->read_parents(rank->devices[g], rank->devices, rank->device_count, a->delegate_parents, e);
    return e->status;
}

static enum status take_delegates(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return parents_of(a)->take_parents(a->rank->devices[g], a->delegate_parents, e);
}

/* Puts the values of device g into order by block. The device of each shard has one block. */
static enum status put_values(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    const struct rank *rank = a->rank;
    uint32_t p = rank->graph->manifest.p;
    struct slice *values = a->values + (size_t)g * p;
    rank->backend->results->values(rank->devices[g], a->kind, a->levels, values, e);
    for (uint32_t b = 0; b < p; b++)
        *slice_for_block(&a->slices, g, b) = values[b];
    return e->status;
}

static enum status assemble(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return a->rank->backend->results->assemble(a->rank->devices[g], a->kind, slices_in(&a->slices, g), e);
}

/* ---- in their order ---- */

static enum status ask_others(struct answers *a, struct error *e)
{
    if (rank_each(a->rank, ask, a, e) != ST_OK || rank_is_single_device(a->rank) || slices_exchange(&a->slices, e) != ST_OK ||
        rank_each(a->rank, reply, a, e) != ST_OK || slices_exchange(&a->replies, e) != ST_OK)
        return e->status;
    return rank_each(a->rank, take_replies, a, e);
}

static enum status reduce_delegates(struct answers *a, struct error *e)
{
    if (rank_each(a->rank, read_delegates, a, e) != ST_OK)
        return e->status;
    if (a->delegate_parents != NULL)
        comm_max_ids(a->rank->comm, a->delegate_parents, a->id_bytes, a->rank->graph->manifest.d);
    return rank_each(a->rank, take_delegates, a, e);
}

static enum status look(struct answers *a, struct error *e)
{
    if (rank_each(a->rank, show_parents, a, e) != ST_OK)
        return e->status;
    if (a->rank->comm->ranks > 1) /* all devices have shown their arrays */
        comm_barrier(a->rank->comm);
    return rank_each(a->rank, look_parents, a, e);
}

static enum status find_parents(struct answers *a, struct error *e)
{
    if (a->looks)
        return look(a, e);
    return ask_others(a, e) != ST_OK || rank_is_single_device(a->rank) ? e->status : reduce_delegates(a, e);
}

/* ---- all of it ---- */

/* A root without edges is in no search. The device that holds its id sets its value. */
static enum status set_isolated_root(struct answers *a, const struct root *root, struct error *e)
{
    uint64_t id = original_id(a->rank->graph, root->id);
    for (uint32_t g = 0; g < a->rank->device_count && e->status == ST_OK; g++) {
        const struct answer_places *places = &a->places.at[g];
        if (id >= places->first && id - places->first < places->count)
            a->rank->backend->results->set_value(a->rank->devices[g], a->kind, id - places->first,
                                  a->kind == ANSWER_DEPTHS ? 0 : (int64_t)id, e);
    }
    return e->status;
}

enum status answers_make(struct answers *a, enum answer_kind kind, const struct root *root,
                         uint32_t levels, struct error *e)
{
    a->kind = kind;
    a->levels = levels;
    if ((kind == ANSWER_PARENTS && find_parents(a, e) != ST_OK) || rank_each(a->rank, put_values, a, e) != ST_OK)
        return e->status;
    if (!rank_is_single_device(a->rank)) {
        if (slices_exchange(&a->slices, e) == ST_OK && rank_each(a->rank, assemble, a, e) == ST_OK)
            slices_release(&a->slices);
    }
    return e->status == ST_OK && root->at == ROOT_AT_ISOLATED ? set_isolated_root(a, root, e) : e->status;
}

/* ---- reading ---- */

uint32_t answers_width(const struct answers *a, enum answer_kind kind)
{
    return answer_width(&a->places.at[0], kind);
}

enum status answers_read(const struct answers *a, enum answer_kind kind, uint64_t first,
                         uint64_t count, void *values, struct error *e)
{
    uint32_t width = answers_width(a, kind);
    char *to = values;
    for (uint32_t g = 0; g < a->rank->device_count && count > 0 && e->status == ST_OK; g++) {
        const struct answer_places *places = &a->places.at[g];
        uint64_t end = places->first + places->count;
        if (first < places->first || first >= end)
            continue;
        uint64_t part = end - first < count ? end - first : count;
        a->rank->backend->results->read_block(a->rank->devices[g], kind, first - places->first,
                                              part, to, e);
        first += part;
        count -= part;
        to += part * width;
    }
    return e->status;
}

const void *answers_see(const struct answers *a, enum answer_kind kind, uint64_t first, uint64_t count)
{
    const void *(*see)(const struct device *) = a->rank->backend->results->see_block;
    for (uint32_t g = 0; see != NULL && g < a->rank->device_count; g++) {
        const struct answer_places *places = &a->places.at[g];
        if (first >= places->first && first + count <= places->first + places->count)
            return (const char *)see(a->rank->devices[g]) + (first - places->first) * answers_width(a, kind);
    }
    return NULL;
}
