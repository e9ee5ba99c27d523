/* answers.c: makes the depths or parents of all vertices on the devices; see answers.h
 *
 * Devices make the values of their own vertices. Where the parent of a vertex comes from (find_parents):
 *
 * - A single device recorded all parents. make_values turns them into input ids.
 * - Several devices turn the parents that they recorded into input ids in `ask`. Two kinds of parents are missing: parents
 *   of normals that were reached over an nn edge from another shard, and parents of delegates that another device found.
 *   - If all devices read each other's memory (GPUs of a host), each device looks for its missing parents in the memory of
 *     its peers, in take_replies between two barriers. For a normal it looks at all neighbours on other shards. For a
 *     delegate that it owns it looks at the parents that the other devices recorded.
 *   - Otherwise (several hosts, CPUs) a normal sends a question to each of its neighbours on other shards. Any neighbour
 *     that replies with its id becomes the parent. For a delegate one reduction takes the largest id that a device
 *     recorded.
 *
 * Parents are asked for after the search. The messages of the search do not carry them, because that would cost more. In
 * the search every nn edge to another shard carries a vertex of 4 bytes, and would carry a parent of 4 bytes. After the
 * search only the edges of vertices that were found over an edge from another shard carry a question of 8 bytes and a reply
 * of 4 bytes.
 */
#include "answers.h"
#include "traverse/engine/answer_ids.h"

#include "formats/base/clones.h"

#include <stdlib.h>

/* ---- opening ---- */

/* Makes the tables of device g that `open` of the backend needs: the vertex of each value and, with `parents`, the input id
 * of each vertex. Both arrays are charged to the budget. release_tables frees them, also after a failure. */
static enum status make_tables(const struct answers *a, uint32_t g, int parents, struct error *e)
{
    const struct rank *rank = a->rank;
    const struct graph *graph = rank->graph;
    const struct manifest *m = &graph->manifest;
    const struct shard *shard = &graph->shards[g];
    const uint64_t vertices = shard->locals + shard->d, values = slots_of_shard(m->totals.n, shard->index, m->p);
    struct answer_tables *t = &a->tables[g];
    *t = (struct answer_tables){.values = values,
                                .id_bytes = a->id_bytes,
                                .all_read = a->all_read,
                                .bijection = m->randomized ? &graph->bijection : NULL};
    if (memory_take(rank->budget, (void **)&t->vertex, values, 4, "vertices of values", e) != ST_OK)
        return e->status;
    memory_advise_huge(t->vertex);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < values; i++)
        t->vertex[i] = (uint32_t)vertices; /* an id without edges */
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < vertices; i++) {
        uint64_t id = numbered_vertex_id(shard, i);
        if (shard_of_vertex(id, shard->p) == shard->index)
            t->vertex[answers_place(graph, id)] = (uint32_t)i;
    }
    if (!parents || memory_take(rank->budget, &t->ids, vertices, t->id_bytes, "input ids of vertices", e) != ST_OK)
        return e->status;
    memory_advise_huge(t->ids);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < vertices; i++)
        answer_set_id(t->ids, t->id_bytes, i, (int64_t)original_id(graph, numbered_vertex_id(shard, i)));
    return ST_OK;
}

/* Frees the arrays in the tables of all devices, and sets them to NULL. Does nothing for tables that were released before.
 */
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

/* Called by rank_each when answers are opened: device g gets its tables, and says where its answer will be. The context is a
 * struct answers, here and in all functions below that rank_each calls. */
static enum status open_device(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return a->rank->backend->answers->open(a->rank->devices[g], &a->tables[g], &a->arrays[g], e);
}

/* Collective. Returns whether every device of all ranks reads the memory of all devices. All ranks get the same result. */
static int all_read(const struct rank *rank)
{
    uint64_t missing = 0;
    for (uint32_t g = 0; g < rank->device_count; g++) {
        for (uint32_t s = 0; s < rank->graph->manifest.p; s++)
            missing += !rank->backend->answers->reads_peer(rank->devices[g], s);
    }
    return comm_max_of(rank->comm, missing) == 0;
}

/* Sets delegate_parents[g] of each device g to where the host sees the device's parents of delegates. That is the device's
 * own array for devices of the CPU, and otherwise memory for a copy, which is not charged to a budget. */
static enum status take_delegate_parents(struct answers *a, struct error *e)
{
    const struct rank *rank = a->rank;
    const uint64_t bytes = (rank->graph->manifest.d + 1) * a->id_bytes;
    a->delegate_parents = zeroed(rank->device_count, sizeof *a->delegate_parents, "answers", e);
    for (uint32_t g = 0; g < rank->device_count && e->status == ST_OK; g++)
        a->delegate_parents[g] = rank->backend->has_device_memory
                                     ? rank->backend->take_buffer(rank->devices[g], EXCHANGE_HOST, bytes,
                                                                  "delegate parents", e)
                                     : a->arrays[g].delegate_parents;
    return e->status;
}

/* Collective. Makes the tables, opens answers on all devices, and allocates the memory in which parents of delegates are
 * merged if that will be needed. Frees the tables if devices have copied them. answers_close frees everything, also after a
 * failure, which all ranks return. Overwrites *a. Sets all_read if parents can be found by reading peers. */
enum status answers_open(struct answers *a, const struct rank *rank, int parents, struct error *e)
{
    *a = (struct answers){.rank = rank, .id_bytes = answer_id_bytes(rank->graph->manifest.totals.n)};
    a->tables = zeroed(rank->device_count, sizeof *a->tables, "answers", e);
    a->arrays = zeroed(rank->device_count, sizeof *a->arrays, "answers", e);
    a->all_read = parents && !rank_is_single_device(rank) && all_read(rank);
    slices_open(&a->questions, rank, e);
    slices_open(&a->replies, rank, e);
    for (uint32_t g = 0; g < rank->device_count && e->status == ST_OK; g++)
        make_tables(a, g, parents, e);
    if (e->status == ST_OK && rank_each(rank, open_device, a, e) == ST_OK && parents && !rank_is_single_device(rank) &&
        !a->all_read)
        take_delegate_parents(a, e);
    if (rank->backend->has_device_memory)
        release_tables(a); /* devices have copies */
    return comm_agree(rank->comm, e);
}

/* Frees the tables and the memory of the host. The answers on devices are freed with the devices. Zeroed answers are
 * allowed. */
void answers_close(struct answers *a)
{
    release_tables(a);
    for (uint32_t g = 0; a->delegate_parents != NULL && g < a->rank->device_count; g++) {
        if (a->rank->backend->has_device_memory)
            a->rank->backend->release_buffer(a->rank->devices[g], EXCHANGE_HOST, a->delegate_parents[g]);
    }
    free(a->delegate_parents);
    free(a->tables);
    free(a->arrays);
    slices_close(&a->questions);
    slices_close(&a->replies);
}

/* ---- parents ---- */

/* Called by rank_each: device g turns the parents that it recorded into input ids, and writes its questions to other
 * shards. */
static enum status ask(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return a->rank->backend->answers->ask(a->rank->devices[g], a->levels, slices_out(&a->questions, g), e);
}

/* Called by rank_each: device g replies to the questions that it received. */
static enum status reply(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return a->rank->backend->answers->reply(a->rank->devices[g], slices_in(&a->questions, g), slices_out(&a->replies, g), e);
}

/* Called by rank_each: device g takes the parents from the replies that it received. With all_read it looks for the missing
 * parents in the memory of its peers instead. */
static enum status take_replies(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return a->rank->backend->answers->take_replies(a->rank->devices[g], slices_in(&a->replies, g), e);
}

/* Called by rank_each: copies the parents of delegates that device g recorded to the host, unless they are there already. */
static enum status read_delegates(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return a->rank->backend->answers->copy(a->rank->devices[g], a->delegate_parents[g], a->arrays[g].delegate_parents,
                                           a->rank->graph->manifest.d * a->id_bytes, e);
}

/* Sets to[i] to the larger of to[i] and from[i], for i from begin to end - 1. Both are arrays of ids of 4 or 8 bytes. */
WIDE_CLONES static void take_larger(void *restrict to, const void *restrict from, uint32_t id_bytes, uint64_t begin,
                                    uint64_t end)
{
    int32_t *to4 = to;
    int64_t *to8 = to;
    const int32_t *from4 = from;
    const int64_t *from8 = from;
    for (uint64_t i = begin; id_bytes == 4 && i < end; i++)
        to4[i] = from4[i] > to4[i] ? from4[i] : to4[i];
    for (uint64_t i = begin; id_bytes == 8 && i < end; i++)
        to8[i] = from8[i] > to8[i] ? from8[i] : to8[i];
}

/* Called by rank_each: merges the parents of delegates of all devices of the rank in delegate_parents[0]. The largest id
 * wins. The delegates are divided into G equal shares, and this call does share g. */
static enum status merge_delegates(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    const uint64_t G = a->rank->device_count, d = a->rank->graph->manifest.d, begin = d * g / G, end = d * (g + 1) / G;
    for (uint32_t other = 1; other < G; other++)
        take_larger(a->delegate_parents[0], a->delegate_parents[other], a->id_bytes, begin, end);
    return e->status;
}

/* Called by rank_each: copies the merged parents of delegates, delegate_parents[0], to device g. */
static enum status write_delegates(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return a->rank->backend->answers->copy(a->rank->devices[g], a->arrays[g].delegate_parents, a->delegate_parents[0],
                                           a->rank->graph->manifest.d * a->id_bytes, e);
}

/* Collective, for several devices. Finds the input id of every vertex's parent, and leaves it on the device that owns the
 * vertex, for make_values. The head of this file says where parents come from. A failed rank returns at once. */
static enum status find_parents(struct answers *a, struct error *e)
{
    const struct rank *rank = a->rank;
    if (rank_each(rank, ask, a, e) != ST_OK)
        return e->status;
    if (a->all_read) {
        comm_barrier(rank->comm); /* no device looks before all devices have shown their arrays */
        rank_each(rank, take_replies, a, e);
        comm_barrier(rank->comm); /* now no device looks any more, so values may overwrite the arrays */
        return e->status;
    }
    if (slices_exchange(&a->questions, e) != ST_OK || rank_each(rank, reply, a, e) != ST_OK ||
        slices_exchange(&a->replies, e) != ST_OK || rank_each(rank, take_replies, a, e) != ST_OK)
        return e->status;
    if (rank_each(rank, read_delegates, a, e) != ST_OK || rank_each(rank, merge_delegates, a, e) != ST_OK)
        return e->status;
    if (rank->comm->ranks > 1)
        comm_max_ids(rank->comm, a->delegate_parents[0], a->id_bytes, rank->graph->manifest.d);
    return rank_each(rank, write_delegates, a, e);
}

/* ---- values ---- */

/* Called by rank_each: device g computes its values of the answer. */
static enum status make_values(void *context, uint32_t g, struct error *e)
{
    struct answers *a = context;
    return a->rank->backend->answers->make_values(a->rank->devices[g], a->kind, a->levels, e);
}

/* Collective. Makes the answer of the last search: finds the missing parents, if parents of several devices are wanted, and
 * lets all devices of the rank compute their values. A root without edges gets its value from here. Keeps kind, root and
 * levels. */
enum status answers_make(struct answers *a, enum answer_kind kind, const struct root *root,
                         uint32_t levels, struct error *e)
{
    a->kind = kind;
    a->levels = levels;
    a->root = root;
    if (kind == ANSWER_PARENTS && !rank_is_single_device(a->rank) && find_parents(a, e) != ST_OK)
        return e->status;
    if (rank_each(a->rank, make_values, a, e) != ST_OK || root->at != ROOT_AT_ISOLATED)
        return e->status;
    /* no device searches a root without edges */
    return answers_set_value(a, root->id, kind == ANSWER_DEPTHS ? 0 : (int64_t)original_id(a->rank->graph, root->id), e);
}

/* Overwrites the value of one vertex, if a device of this rank owns it; otherwise does nothing. `stored`: the stored id of
 * the vertex. `value`: a depth or an input id. */
enum status answers_set_value(const struct answers *a, uint64_t stored, int64_t value, struct error *e)
{
    const struct rank *rank = a->rank;
    const uint32_t s = shard_of_vertex(stored, rank->graph->manifest.p), g = device_of_shard(s, rank->comm->ranks);
    const uint32_t width = answers_width(a, a->kind);
    int64_t bytes;
    if (rank_of_shard(s, rank->comm->ranks) != rank->comm->rank)
        return ST_OK;
    char *to = (char *)a->arrays[g].values + answers_place(rank->graph, stored) * width;
    answer_set_id(&bytes, width, 0, value);
    return rank->backend->answers->copy(rank->devices[g], to, &bytes, width, e);
}

/* Returns the bytes of one value of an answer of this kind: 4 or 8. */
uint32_t answers_width(const struct answers *a, enum answer_kind kind)
{
    return answer_width(&a->tables[0], kind);
}
