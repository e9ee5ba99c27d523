/* answer_places.c: see answer_places.h
 *
 * Ids that are not permuted need no search: slot i of shard s is id i * p + s. Permuted ids are put
 * into order by going through all ids of the graph twice, by all threads of every rank: first to count
 * those of each shard in pieces, then to place those of this rank. So no rank takes anything of size n.
 */
#include "answer_places.h"

#include "traverse/engine/answer_blocks.h"

#include <stdlib.h>
#include <string.h>

/* ---- the vertex of a slot ---- */

/* Lists the numbers of vertices by slot. A vertex without edges has locals + d. */
static void fill_vertices(const struct shard *shard, uint32_t *vertex, uint64_t slots)
{
    uint32_t none = (uint32_t)(shard->locals + shard->d);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < slots; i++)
        vertex[i] = none;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < shard->locals; i++)
        vertex[shard->ids.local_slots[i]] = (uint32_t)i;
    for (uint64_t i = 0; i < shard->d; i++) {
        uint64_t id = shard_delegate_id(shard, i);
        if (shard_of_vertex(id, shard->p) == shard->index)
            vertex[slot_of_vertex(id, shard->p)] = (uint32_t)(shard->locals + i);
    }
}

/* ---- permuted ids ---- */

/* Ids in pieces, which threads share, with a number of ids for each block. */
struct permuting {
    struct places *places;
    const struct graph *graph;
    uint32_t p, pieces;  /* of a block */
    uint64_t *place;     /* [p * pieces + 1][p] ids of each shard in a piece; later: before the piece */
    uint64_t *begin;     /* [G][p] ids of each shard before this rank's blocks */
    uint32_t **by_slot;  /* [G] the vertices of a shard */
};

static uint64_t piece_first(const struct permuting *w, uint64_t piece)
{
    uint64_t n = w->graph->manifest.totals.n, part = piece % w->pieces;
    uint32_t block = (uint32_t)(piece / w->pieces);
    uint64_t first = block_first(n, w->p, block);
    uint64_t length = block_first(n, w->p, block + 1) - first;
    return first + length / w->pieces * part + length % w->pieces * part / w->pieces;
}

static void count_piece(const struct permuting *w, uint64_t piece)
{
    uint64_t *count = w->place + piece * w->p, end = piece_first(w, piece + 1);
    for (uint64_t i = piece_first(w, piece); i < end; i++)
        count[shard_of_vertex(stored_id(w->graph, i), w->p)]++;
}

static void sum_counts(const struct permuting *w)
{
    for (uint32_t s = 0; s < w->p; s++) {
        uint64_t sum = 0;
        for (uint64_t i = 0; i <= (uint64_t)w->p * w->pieces; i++) {
            uint64_t own = w->place[i * w->p + s];
            w->place[i * w->p + s] = sum;
            sum += own;
        }
    }
}

/* The places of a piece move on while its ids are placed. */
static void place_piece(const struct permuting *w, uint64_t piece)
{
    const struct comm *comm = w->places->rank->comm;
    uint32_t devices = w->graph->device_count, block = (uint32_t)(piece / w->pieces);
    uint64_t *place = w->place + piece * w->p, end = piece_first(w, piece + 1);
    uint64_t first = block_first(w->graph->manifest.totals.n, w->p, block);
    uint32_t holder = block % devices;
    uint32_t *before = block / devices == comm->rank ? w->places->at[holder].before : NULL;
    for (uint64_t i = piece_first(w, piece); i < end; i++) {
        uint64_t stored = stored_id(w->graph, i);
        uint32_t s = shard_of_vertex(stored, w->p), g = device_of_shard(s, comm->ranks);
        if (before != NULL)
            before[i - first] = (uint32_t)(place[s] - w->begin[holder * w->p + s]);
        if (rank_of_shard(s, comm->ranks) == comm->rank)
            w->places->at[g].vertex[place[s]] = w->by_slot[g][slot_of_vertex(stored, w->p)];
        place[s]++;
    }
}

/* The number of ids of shard s before a block. */
static uint64_t ids_before(const struct permuting *w, uint32_t block, uint32_t s)
{
    return w->place[(uint64_t)block * w->pieces * w->p + s];
}

/* Finds where this rank's shards and its blocks begin. */
static void note_starts(const struct permuting *w)
{
    uint32_t devices = w->graph->device_count;
    for (uint32_t g = 0; g < devices; g++) {
        const struct answer_places *t = &w->places->at[g];
        uint32_t own = t->block;
        for (uint32_t b = 0; b <= w->p; b++)
            t->starts[b] = ids_before(w, b, w->graph->shards[g].index);
        for (uint32_t s = 0; s < w->p; s++) {
            w->begin[g * w->p + s] = ids_before(w, own, s);
            t->marks_of[s + 1] = t->marks_of[s] + marks_for(ids_before(w, own + 1, s) - ids_before(w, own, s));
        }
    }
}

static void permute_all(const struct permuting *w)
{
    uint64_t pieces = (uint64_t)w->p * w->pieces;
#pragma omp parallel for schedule(dynamic)
    for (uint64_t i = 0; i < pieces; i++)
        count_piece(w, i);
    sum_counts(w);
    note_starts(w);
#pragma omp parallel for schedule(dynamic)
    for (uint64_t i = 0; i < pieces; i++)
        place_piece(w, i);
}

/* Brings the vertices, so far by slot, into the order of input ids. */
static enum status permute(struct places *places, struct error *e)
{
    const struct rank *rank = places->rank;
    struct permuting w = {.places = places, .graph = rank->graph, .p = rank->graph->manifest.p};
    uint32_t devices = rank->device_count;
    w.pieces = w.p < 64 ? 64 : 1;
    w.by_slot = zeroed(devices, sizeof *w.by_slot, "permuted ids", e);
    if (w.by_slot == NULL)
        return e->status;
    memory_take(rank->budget, (void **)&w.place, ((uint64_t)w.p * w.pieces + 1) * w.p, 8,
                "places of permuted ids", e);
    if (e->status == ST_OK)
        memory_take(rank->budget, (void **)&w.begin, (uint64_t)devices * w.p, 8, "blocks of ids", e);
    for (uint32_t g = 0; g < devices && e->status == ST_OK; g++) {
        struct answer_places *t = &places->at[g];
        w.by_slot[g] = t->vertex;
        t->vertex = NULL;
        memory_take(rank->budget, (void **)&t->vertex, t->slots, 4, "vertices by input id", e);
        if (w.p > 1 && e->status == ST_OK)
            memory_take(rank->budget, (void **)&t->before, t->count, 4, "order of permuted ids", e);
    }
    if (e->status == ST_OK)
        permute_all(&w);
    for (uint32_t g = 0; g < devices; g++)
        memory_release(rank->budget, w.by_slot[g]);
    free(w.by_slot);
    memory_release(rank->budget, w.place);
    memory_release(rank->budget, w.begin);
    return e->status;
}

/* ---- input ids ---- */

static enum status fill_ids(const struct places *places, uint32_t g, struct error *e)
{
    const struct graph *graph = places->rank->graph;
    const struct shard *shard = &graph->shards[g];
    struct answer_places *t = &places->at[g];
    uint32_t width = t->id_bytes;
    if (memory_take(places->rank->budget, &t->ids, shard->locals + shard->d, width, "input ids of vertices", e) !=
        ST_OK)
        return e->status;
    memory_advise_huge(t->ids);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < shard->locals + shard->d; i++)
        answer_set_id(t->ids, width, i, (int64_t)original_id(graph, numbered_vertex_id(shard, i)));
    return ST_OK;
}

/* ---- all of it ---- */

static void set_starts(const struct places *places, const struct answer_places *t, uint32_t shard)
{
    const struct manifest *m = &places->rank->graph->manifest;
    uint64_t first = t->first, end = first + t->count;
    for (uint32_t b = 0; b <= m->p; b++)
        t->starts[b] = slots_of_shard(block_first(m->totals.n, m->p, b), shard, m->p);
    for (uint32_t s = 0; s < m->p; s++)
        t->marks_of[s + 1] =
            t->marks_of[s] + marks_for(slots_of_shard(end, s, m->p) - slots_of_shard(first, s, m->p));
}

static enum status open_device(const struct places *places, uint32_t g, int parents, struct error *e)
{
    const struct rank *rank = places->rank;
    const struct manifest *m = &rank->graph->manifest;
    const struct shard *shard = &rank->graph->shards[g];
    struct answer_places *t = &places->at[g];
    uint32_t block = block_of_device(rank->comm->rank, g, rank->device_count);
    *t = (struct answer_places){.block = block,
                                .slots = slots_of_shard(m->totals.n, shard->index, m->p),
                                .first = block_first(m->totals.n, m->p, block),
                                .id_bytes = answer_id_bytes(m->totals.n),
                                .bijection = m->randomized ? &rank->graph->bijection : NULL};
    t->count = block_first(m->totals.n, m->p, block + 1) - t->first;
    t->starts = zeroed(UINT64_C(1) + m->p, sizeof *t->starts, "blocks of ids", e);
    t->marks_of = zeroed(UINT64_C(1) + m->p, sizeof *t->marks_of, "blocks of ids", e);
    if (e->status != ST_OK)
        return e->status;
    set_starts(places, t, shard->index);
    if (memory_take(rank->budget, (void **)&t->vertex, t->slots, 4, "vertices by input id", e) != ST_OK)
        return e->status;
    memory_advise_huge(t->vertex);
    fill_vertices(shard, t->vertex, t->slots);
    return parents ? fill_ids(places, g, e) : ST_OK;
}

static enum status open_devices(struct places *places, int parents, struct error *e)
{
    const struct rank *rank = places->rank;
    places->at = zeroed(rank->device_count, sizeof *places->at, "answers", e);
    for (uint32_t g = 0; g < rank->device_count && e->status == ST_OK; g++)
        open_device(places, g, parents, e);
    if (rank->graph->manifest.randomized && e->status == ST_OK)
        permute(places, e);
    return e->status;
}

enum status places_open(struct places *places, const struct rank *rank, int parents,
                        struct error *e)
{
    *places = (struct places){.rank = rank};
    open_devices(places, parents, e);
    return rank_is_single_device(rank) ? e->status : places_mark(places, e);
}

void places_forget(const struct places *places)
{
    for (uint32_t g = 0; places->at != NULL && g < places->rank->device_count; g++) {
        struct answer_places *t = &places->at[g];
        void *const arrays[] = {t->vertex, t->ids, t->before, t->marks};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
            memory_release(places->rank->budget, arrays[i]);
        t->vertex = t->before = NULL;
        t->ids = NULL;
        t->marks = NULL;
    }
}

void places_close(struct places *places)
{
    places_forget(places);
    for (uint32_t g = 0; places->at != NULL && g < places->rank->device_count; g++) {
        free(places->at[g].starts);
        free(places->at[g].marks_of);
    }
    free(places->at);
}
