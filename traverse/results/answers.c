/* answers.c: makes the depths or parents of all vertices on the devices; see answers.h
 *
 * Devices record most parents during the search. If there are several devices, two kinds of parents are still missing after it,
 * and find_parents brings them: the parents of normals that were reached over an nn edge from another shard, and the parents of
 * delegates, which only the device that found a parent knows.
 *
 * - If all devices read each other's memory (GPUs of a host), each device looks up its missing parents there.
 * - Otherwise devices ask. A normal asks its neighbours on other shards, and any neighbour that replies with its id may be the
 *   parent. A delegate whose owner has recorded no parent asks all other shards for the one that they have recorded.
 * - If normals have many neighbours on other shards (expects_depths), devices send each other the depths of all normals modulo 3 (2
 *   bits; neighbours differ by 1 at most) in place of the questions of normals. Devices know the input ids of each other's normals, so
 *   a normal needs no reply. Delegates still ask.
 *
 * Sending parents during the search would cost more: at least 4 more bytes for every nn edge to another shard. Questions (8
 * bytes) and replies (4 or 8) are needed only for the edges of normals that were reached from another shard. */
#include "answers.h"
#include "traverse/engine/answer_ids.h"
#include "traverse/engine/root_set.h"

#include <stdlib.h>

/* Tables of more values than this are made by all threads. */
enum { MANY_VALUES = 1 << 16 };

/* Lets device g do the step a->step (struct backend_answers). What the device has for others goes to `sent`, or as replies to `replied`;
 * what others have for it came in `received`. Called by rank_each with the struct answers. */
static enum status do_step(void *context, uint32_t g, struct error *e)
{
    const struct answers *a = context;
    const struct backend_answers *of = a->rank->backend->answers;
    struct device *device = a->rank->devices[g];
    struct byte_span *sent = byte_spans_out(&a->sent, g), *replied = byte_spans_out(&a->replies, g);
    const struct byte_span *received = byte_spans_in(&a->sent, g);
    switch (a->step) {
    case STEP_OPEN: return of->open(device, &a->tables[g], &a->arrays[g], e);
    case STEP_KNOW_IDS: return of->know_ids(device, received, e);
    case STEP_FORGET_IDS: of->forget_ids(device); break;
    case STEP_NAME_PARENTS: return of->name_parents(device, a->levels, sent, e);
    case STEP_LOOK: return of->look(device, received, e);
    case STEP_ASK: return of->ask(device, a->asking, sent, e);
    case STEP_REPLY: return of->reply(device, a->asking, received, replied, e);
    case STEP_TAKE_REPLIES: return of->take_replies(device, a->asking, byte_spans_in(&a->replies, g), e);
    case STEP_MAKE_VALUES: return of->make_values(device, a->kind, a->levels, e);
    }
    return e->status;
}

/* Lets all devices of this rank do a step, side by side, and waits for them. */
static enum status each_device(struct answers *a, enum answer_step step, struct error *e)
{
    a->step = step;
    return rank_each(a->rank, do_step, a, e);
}

/* ---- opening ---- */

/* Makes the tables of device g (struct answer_tables): the vertex of each value and, if `parents` is set, the input id of each
 * vertex. Charges them to the memory budget. release_tables frees them, even after a failure. */
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
    if (memory_take_huge(rank->budget, (void **)&t->vertex, values, 4, "vertices of values", e) != ST_OK)
        return e->status;
#pragma omp parallel for schedule(static) if (values > MANY_VALUES)
    for (uint64_t i = 0; i < values; i++)
        t->vertex[i] = (uint32_t)vertices; /* this number stands for an id without edges */
#pragma omp parallel for schedule(static) if (vertices > MANY_VALUES)
    for (uint64_t i = 0; i < vertices; i++) {
        uint64_t id = numbered_vertex_id(shard, i);
        if (shard_of_vertex(id, shard->p) == shard->index)
            t->vertex[answers_index(graph, id)] = (uint32_t)i;
    }
    if (!parents || memory_take_huge(rank->budget, &t->ids, vertices, t->id_bytes, "input ids of vertices", e) != ST_OK)
        return e->status;
#pragma omp parallel for schedule(static) if (vertices > MANY_VALUES)
    for (uint64_t i = 0; i < vertices; i++)
        answer_set_id(t->ids, t->id_bytes, i, (int64_t)original_id(graph, numbered_vertex_id(shard, i)));
    return ST_OK;
}

/* Frees the tables of all devices, and sets their pointers to NULL. Tables that are NULL already are allowed. */
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

/* Collective. Returns whether every device can read the memory of every other device. The result is the same on all
 * ranks. */
static int all_read(const struct rank *rank)
{
    uint64_t missing = 0;
    for (uint32_t g = 0; g < rank->device_count; g++) {
        for (uint32_t s = 0; s < rank->graph->manifest.p; s++)
            missing += !rank->backend->answers->reads_peer(rank->devices[g], s);
    }
    return comm_max_of(rank->comm, missing) == 0;
}

/* Returns whether device g should have the depths of all normals rather than ask: it must be able to, and each depth must replace
 * EDGES_FOR_A_DEPTH questions or more. In a directed graph depths of neighbours differ by more than 1, so depths modulo 3 would not do. */
static int expects_depths(const struct rank *rank, uint32_t g)
{
    enum { EDGES_FOR_A_DEPTH = 8 };
    const struct graph *graph = rank->graph;
    const struct shard *shard = &graph->shards[g];
    uint64_t others = 0;
    for (uint32_t s = 0; s < shard->p; s++)
        others += s == shard->index ? 0 : graph->locals[s];
    return rank->backend->answers->can_hear_depths && !shard->kept.directed && others <= shard->csr[NN].edges / EDGES_FOR_A_DEPTH;
}

/* Collective. If all devices should have the depths of all normals, gives them the input ids of all normals, and sets hears_depths. If a
 * device has no memory for these, devices ask. Any other failure of a rank is one of all ranks. */
static enum status open_depths(struct answers *a, struct error *e)
{
    const struct rank *rank = a->rank;
    uint64_t asks = 0;
    for (uint32_t g = 0; g < rank->device_count; g++)
        asks += !expects_depths(rank, g);
    if (comm_max_of(rank->comm, asks) > 0)
        return ST_OK;
    a->sent.caller_stages = 1;
    for (uint32_t g = 0; g < rank->device_count; g++) {
        const struct shard *shard = &rank->graph->shards[g];
        for (uint32_t s = 0; s < shard->p; s++)
            byte_spans_out(&a->sent, g)[s] =
                (struct byte_span){.at = a->tables[g].ids, .bytes = s == shard->index ? 0 : shard->locals * a->id_bytes};
    }
    if (byte_spans_exchange_agreed(&a->sent, e) == ST_OK)
        each_device(a, STEP_KNOW_IDS, e);
    const int is_short = e->status == ST_RESOURCE;
    if (is_short)
        *e = (struct error){0};
    byte_spans_close(&a->sent); /* its buffers have the size of all ids */
    byte_spans_open(&a->sent, rank, e);
    if (comm_agree(rank->comm, e) != ST_OK)
        return e->status;
    a->hears_depths = comm_max_of(rank->comm, (uint64_t)is_short) == 0;
    return a->hears_depths ? ST_OK : each_device(a, STEP_FORGET_IDS, e);
}

/* Collective. Prepares all devices for answers, and overwrites *a. Makes the tables of each device, and frees them again if the
 * devices have copies. Sets all_read if devices can read missing parents from the memory of their peers. If a rank fails, the
 * call fails on all ranks. answers_close frees everything, even after a failure. */
enum status answers_open(struct answers *a, const struct rank *rank, int parents, struct error *e)
{
    *a = (struct answers){.rank = rank, .id_bytes = answer_id_bytes(rank->graph->manifest.totals.n)};
    a->tables = zeroed(rank->device_count, sizeof *a->tables, "answers", e);
    a->arrays = zeroed(rank->device_count, sizeof *a->arrays, "answers", e);
    a->all_read = parents && !rank_is_single_device(rank) && all_read(rank);
    byte_spans_open(&a->sent, rank, e);
    byte_spans_open(&a->replies, rank, e);
    for (uint32_t g = 0; g < rank->device_count && e->status == ST_OK; g++)
        make_tables(a, g, parents, e);
    if (e->status == ST_OK)
        each_device(a, STEP_OPEN, e);
    if (comm_agree(rank->comm, e) == ST_OK && parents && !rank_is_single_device(rank) && !a->all_read)
        open_depths(a, e);
    if (rank->backend->has_device_memory)
        release_tables(a); /* the devices have copies */
    return comm_agree(rank->comm, e);
}

/* Frees all memory of the host. Answers in device memory are freed when the devices are closed. *a may be zeroed. */
void answers_close(struct answers *a)
{
    release_tables(a);
    free(a->tables);
    free(a->arrays);
    byte_spans_close(&a->sent);
    byte_spans_close(&a->replies);
}

/* ---- parents ---- */

/* Collective. Brings the missing parents of all normals, or of all delegates, to their devices, by questions and replies. A rank that
 * fails returns at once, and the caller must end the job. */
static enum status ask_for_parents(struct answers *a, enum vertex_kind kind, struct error *e)
{
    a->asking = kind;
    if (each_device(a, STEP_ASK, e) != ST_OK || byte_spans_exchange(&a->sent, e) != ST_OK ||
        each_device(a, STEP_REPLY, e) != ST_OK || byte_spans_exchange(&a->replies, e) != ST_OK)
        return e->status;
    return each_device(a, STEP_TAKE_REPLIES, e);
}

/* Collective. Brings the missing parents to the devices, of which there are several (see the head of this file). Afterwards
 * each device has the input ids of the parents of its own vertices, for make_values. A rank that fails returns at once. */
static enum status find_parents(struct answers *a, struct error *e)
{
    if (each_device(a, STEP_NAME_PARENTS, e) != ST_OK)
        return e->status;
    /* Each exchange of byte spans waits for those of all ranks. So no barrier is needed in the first two ways, where peers may read
     * spans in place: all have read what was shown in the step before. */
    if (a->hears_depths) {
        if (byte_spans_exchange(&a->sent, e) != ST_OK || each_device(a, STEP_LOOK, e) != ST_OK)
            return e->status;
        return ask_for_parents(a, DELEGATES, e);
    }
    if (!a->all_read)
        return ask_for_parents(a, NORMALS, e) == ST_OK ? ask_for_parents(a, DELEGATES, e) : e->status;
    comm_barrier(a->rank->comm); /* after this barrier the arrays of all devices are complete, and peers may read them */
    each_device(a, STEP_LOOK, e);
    comm_barrier(a->rank->comm); /* after this barrier no peer reads the arrays, and make_values may overwrite them */
    return e->status;
}

/* ---- values ---- */

/* Collective. Makes the answer of the last search: with several devices first finds missing parents, and then lets all
 * devices of the rank compute their values. Keeps kind, roots and levels in *a. */
enum status answers_make(struct answers *a, enum answer_kind kind, const struct root_set *roots,
                         uint32_t levels, struct error *e)
{
    a->kind = kind;
    a->levels = levels;
    a->roots = *roots;
    if (kind == ANSWER_PARENTS && !rank_is_single_device(a->rank) && find_parents(a, e) != ST_OK)
        return e->status;
    if (each_device(a, STEP_MAKE_VALUES, e) != ST_OK)
        return e->status;
    /* No device has searched roots without edges, so their values are set here. */
    const struct root_set isolated = root_set_of_kind(roots, ROOT_AT_ISOLATED);
    for (uint64_t i = 0; i < isolated.count && e->status == ST_OK; i++) {
        const uint64_t id = isolated.root[i].id;
        answers_set_value(a, id, kind == ANSWER_DEPTHS ? 0 : (int64_t)original_id(a->rank->graph, id), e);
    }
    return e->status;
}

/* Collective. Makes the answer of this kind, unless the devices hold it. If making it fails, only this rank knows. */
enum status answers_need(struct answers *a, enum answer_kind kind, struct error *e)
{
    const struct root_set roots = a->roots;
    return a->kind == kind ? ST_OK : answers_make(a, kind, &roots, a->levels, e);
}

/* Overwrites the value of one vertex in the last answer, if this rank owns the vertex. */
enum status answers_set_value(const struct answers *a, uint64_t stored, int64_t value, struct error *e)
{
    const struct rank *rank = a->rank;
    const uint32_t s = shard_of_vertex(stored, rank->graph->manifest.p), g = device_of_shard(s, rank->comm->ranks);
    const uint32_t width = answers_width(a, a->kind);
    int64_t bytes;
    if (rank_of_shard(s, rank->comm->ranks) != rank->comm->rank)
        return ST_OK;
    char *to = (char *)a->arrays[g].values + answers_index(rank->graph, stored) * width;
    answer_set_id(&bytes, width, 0, value);
    return rank->backend->answers->copy(rank->devices[g], to, &bytes, width, e);
}

/* Returns the number of bytes of one value in an answer of this kind: 4 for depths, 4 or 8 for parents. */
uint32_t answers_width(const struct answers *a, enum answer_kind kind)
{
    return answer_width(&a->tables[0], kind);
}
