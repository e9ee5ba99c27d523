/* answers.c: see answers.h
 *
 * Devices make the values of their own vertices. Parents take these steps before that, which the team shares:
 *   ask        each device turns what it recorded into input ids. A vertex that was reached over an nn edge from
 *              another shard asks all its neighbours there.
 *   delegates  a delegate may have been found by several devices, or by another one than its owner. The largest id
 *              wins, in one reduction.
 *   look       in place of both where all devices read each other's memory: each device looks there for the parents of
 *              its vertices that it does not know itself.
 * Parents are asked for after the search, and not carried with the messages of the search. Every nn edge of
 * another shard carries a vertex in the search, 4 bytes, and would carry 4 more. Only the edges of vertices
 * that were found over such an edge carry a question, 8 bytes, and a reply of 4.
 */
#include "answers.h"
#include "traverse/engine/answer_ids.h"

#include <stdlib.h>

/* ---- opening ---- */

/* Sets vertex[i], i < values, to the number of the vertex whose value has index i on this shard, or to locals + d
 * for an id without a vertex. */
static void fill_vertices(const struct graph *graph, const struct shard *shard, uint32_t *vertex, uint64_t values)
{
    uint32_t none = (uint32_t)(shard->locals + shard->d);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < values; i++)
        vertex[i] = none;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < shard->locals + shard->d; i++) {
        uint64_t id = numbered_vertex_id(shard, i);
        if (shard_of_vertex(id, shard->p) == shard->index)
            vertex[answers_place(graph, id)] = (uint32_t)i;
    }
}

/* Takes and fills t->ids: the input id of each vertex of device g, by vertex number. */
static enum status fill_ids(const struct rank *rank, uint32_t g, struct answer_tables *t, struct error *e)
{
    const struct graph *graph = rank->graph;
    const struct shard *shard = &graph->shards[g];
    uint32_t width = t->id_bytes;
    if (memory_take(rank->budget, &t->ids, shard->locals + shard->d, width, "input ids of vertices", e) != ST_OK)
        return e->status;
    memory_advise_huge(t->ids);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < shard->locals + shard->d; i++)
        answer_set_id(t->ids, width, i, (int64_t)original_id(graph, numbered_vertex_id(shard, i)));
    return ST_OK;
}

/* Makes the tables of device g that open_answers of the backend needs; input ids only with `parents`. */
static enum status make_tables(const struct answers *a, uint32_t g, int parents, struct error *e)
{
    const struct rank *rank = a->rank;
    const struct manifest *m = &rank->graph->manifest;
    const struct shard *shard = &rank->graph->shards[g];
    struct answer_tables *t = &a->tables[g];
    *t = (struct answer_tables){.values = slots_of_shard(m->totals.n, shard->index, m->p),
                                .id_bytes = a->id_bytes,
                                .bijection = m->randomized ? &rank->graph->bijection : NULL};
    if (memory_take(rank->budget, (void **)&t->vertex, t->values, 4, "vertices of values", e) != ST_OK)
        return e->status;
    memory_advise_huge(t->vertex);
    fill_vertices(rank->graph, shard, t->vertex, t->values);
    return parents ? fill_ids(rank, g, t, e) : ST_OK;
}

/* Frees the arrays of the tables of all devices. Tables that were released before are allowed. */
static void release_tables(const struct answers *a)
{
    for (uint32_t g = 0; a->tables != NULL && g < a->rank->device_count; g++) {
        struct answer_tables *t = &a->tables[g];
        memory_release(a->rank->budget, t->vertex);
        memory_release(a->rank->budget, t->ids);
        t->vertex = NULL;
        t->ids = NULL;
    }
}

/* Called by rank_each when answers are opened: passes its tables to device g. The context is a struct answers, as
 * in all functions below that rank_each calls. */
static enum status open_device(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return a->rank->backend->results->open_answers(a->rank->devices[g], &a->tables[g], e);
}

/* Collective. Returns, alike on all ranks, whether every device can read the memory of all others, so that devices
 * find parents there. Otherwise all devices exchange questions and replies. Returns 0 for a single device. */
static int all_look(const struct rank *rank)
{
    int (*reads_all)(const struct device *) = rank->backend->parents->reads_all;
    uint64_t missing = reads_all == NULL || rank_is_single_device(rank);
    for (uint32_t g = 0; missing == 0 && g < rank->device_count; g++)
        missing += !reads_all(rank->devices[g]);
    return comm_max_of(rank->comm, missing) == 0;
}

/* Makes the tables and opens answers on all devices; frees the tables where devices have copied them. */
enum status answers_open(struct answers *a, const struct rank *rank, int parents, struct error *e)
{
    const struct manifest *m = &rank->graph->manifest;
    *a = (struct answers){.rank = rank, .id_bytes = answer_id_bytes(m->totals.n)};
    a->tables = zeroed(rank->device_count, sizeof *a->tables, "answers", e);
    slices_open(&a->questions, rank, e);
    slices_open(&a->replies, rank, e);
    if (e->status == ST_OK && parents && rank->comm->ranks > 1)
        a->delegate_parents = rank->backend->take_buffer(rank->devices[0], EXCHANGE_HOST, (m->d + 1) * a->id_bytes,
                                                         "delegate parents", e);
    for (uint32_t g = 0; g < rank->device_count && e->status == ST_OK; g++)
        make_tables(a, g, parents, e);
    if (e->status == ST_OK)
        rank_each(rank, open_device, a, e);
    a->looks = parents && all_look(rank);
    if (rank->backend->has_device_memory)
        release_tables(a); /* devices have copies */
    return comm_agree(rank->comm, e);
}

/* Frees the tables and host memory; answers on the devices are freed with the devices. */
void answers_close(struct answers *a)
{
    release_tables(a);
    free(a->tables);
    slices_close(&a->questions);
    slices_close(&a->replies);
    if (a->delegate_parents != NULL)
        a->rank->backend->release_buffer(a->rank->devices[0], EXCHANGE_HOST, a->delegate_parents);
}

/* ---- steps ---- */

/* Returns the functions of the backend that find parents. */
static const struct backend_parents *parents_of(const struct answers *a)
{
    return a->rank->backend->parents;
}

/* Called by rank_each: device g writes its questions into slices_out of the questions. */
static enum status ask(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return parents_of(a)->ask(a->rank->devices[g], slices_out(&a->questions, g), e);
}

/* Called by rank_each: device g replies to the questions received, into slices_out of the replies. */
static enum status reply(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return parents_of(a)->reply(a->rank->devices[g], slices_in(&a->questions, g), slices_out(&a->replies, g), e);
}

/* Called by rank_each: device g gives vertices that asked the parents in the replies received. */
static enum status take_replies(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return parents_of(a)->take_replies(a->rank->devices[g], slices_in(&a->replies, g), e);
}

/* Called by rank_each: device g makes its parents and depths readable for its peers. */
static enum status show_parents(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return parents_of(a)->show_parents(a->rank->devices[g], a->levels, e);
}

/* Called by rank_each: device g finds missing parents in the memory of its peers. */
static enum status look_parents(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return parents_of(a)->look_parents(a->rank->devices[g], e);
}

/* Called by rank_each: device g merges the parents of delegates of all devices of the rank. With several ranks
 * only device 0 does this, into delegate_parents. */
static enum status read_delegates(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    const struct rank *rank = a->rank;
    if (a->delegate_parents == NULL || g == 0)
        parents_of(a)->read_parents(rank->devices[g], rank->devices, rank->device_count, a->delegate_parents, e);
    return e->status;
}

/* Called by rank_each: device g takes over the merged parents of delegates. */
static enum status take_delegates(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return parents_of(a)->take_parents(a->rank->devices[g], a->delegate_parents, e);
}

/* ---- in their order ---- */

/* Collective. Converts recorded parents to input ids on all devices, and completes those of vertices that were
 * reached from another shard by questions and replies. */
static enum status ask_others(struct answers *a, struct error *e)
{
    if (rank_each(a->rank, ask, a, e) != ST_OK || rank_is_single_device(a->rank) || slices_exchange(&a->questions, e) != ST_OK ||
        rank_each(a->rank, reply, a, e) != ST_OK || slices_exchange(&a->replies, e) != ST_OK)
        return e->status;
    return rank_each(a->rank, take_replies, a, e);
}

/* Collective. Merges the parents of delegates over all devices of all ranks by the largest id, and gives the
 * result to every device. */
static enum status reduce_delegates(struct answers *a, struct error *e)
{
    if (rank_each(a->rank, read_delegates, a, e) != ST_OK)
        return e->status;
    if (a->delegate_parents != NULL)
        comm_max_ids(a->rank->comm, a->delegate_parents, a->id_bytes, a->rank->graph->manifest.d);
    return rank_each(a->rank, take_delegates, a, e);
}

/* Collective. Completes the parents of all devices by reads of the memory of peers, between two barriers. */
static enum status look(struct answers *a, struct error *e)
{
    if (rank_each(a->rank, show_parents, a, e) != ST_OK)
        return e->status;
    comm_barrier(a->rank->comm); /* no device reads before all have shown their arrays */
    rank_each(a->rank, look_parents, a, e);
    comm_barrier(a->rank->comm); /* after this no device reads the arrays, so values may overwrite them */
    return e->status;
}

/* Collective. Called by answers_make: leaves the input id of every vertex's parent on its device, by vertex
 * number. */
static enum status find_parents(struct answers *a, struct error *e)
{
    if (a->looks)
        return look(a, e);
    return ask_others(a, e) != ST_OK || rank_is_single_device(a->rank) ? e->status : reduce_delegates(a, e);
}

/* ---- all of it ---- */

/* Called by rank_each: device g fills its values for the answer. */
static enum status make_values(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return a->rank->backend->results->make_values(a->rank->devices[g], a->kind, a->levels, e);
}

/* Called by answers_make on all ranks for a root without edges, which no device searches: the rank that owns the
 * root sets its value, depth 0 or its own id as parent. */
static enum status set_isolated_root(const struct answers *a, const struct root *root, struct error *e)
{
    const struct rank *rank = a->rank;
    uint32_t g = device_of_shard(root->shard, rank->comm->ranks);
    if (rank_of_shard(root->shard, rank->comm->ranks) != rank->comm->rank)
        return ST_OK;
    return rank->backend->results->set_value(rank->devices[g], a->kind, answers_place(rank->graph, root->id),
                                             a->kind == ANSWER_DEPTHS ? 0 : (int64_t)original_id(rank->graph, root->id), e);
}

/* Completes the parents first if they are wanted, and then lets all devices of the rank fill their values; see
 * answers.h. */
enum status answers_make(struct answers *a, enum answer_kind kind, const struct root *root,
                         uint32_t levels, struct error *e)
{
    a->kind = kind;
    a->levels = levels;
    if ((kind == ANSWER_PARENTS && find_parents(a, e) != ST_OK) || rank_each(a->rank, make_values, a, e) != ST_OK)
        return e->status;
    return root->at == ROOT_AT_ISOLATED ? set_isolated_root(a, root, e) : ST_OK;
}

/* Returns the bytes of a value of an answer of this kind. */
uint32_t answers_width(const struct answers *a, enum answer_kind kind)
{
    return answer_width(&a->tables[0], kind);
}
