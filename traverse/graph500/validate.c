/* validate.c: see validate.h
 *
 * 1. fetch: each device gets the claimed parents of its vertices from the blocks of the answer. Ids that nobody
 *    asks for have no edges, and must have no parents.
 * 2. vertices: each device checks its vertices by themselves.
 * 3. edges: each device goes through its rows. Neighbours on other shards are looked up, in rounds.
 * 4. parents: every reached vertex must have met its parent. Delegates are on all devices, so their marks are
 *    ORed first.
 */
#include "validate.h"
#include "lookup.h"

#include "traverse/answer_blocks.h"
#include "traverse/results/answers.h"

#include "formats/graph/partition.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND = 1 << 20 }; /* values that a device looks up at a time, or a row more */

struct validation {
    const struct rank *rank;
    struct results *results;
    struct lookup blocks, neighbours;
    struct wanted *wanted; /* [G] */
    uint64_t *room;        /* [G] of the arrays in `wanted` */
    void *block;           /* [range] this rank's part of the answer */
    uint64_t *asked;       /* mask of ids that have edges */
    int64_t **claim;       /* [G][locals] claimed parents */
    int64_t *delegate_claim;    /* [d] */
    struct found *delegate;     /* [d] input ids and depths, side by side for the cache */
    uint64_t **met;             /* [G] masks of locals that met their parents */
    uint64_t *delegate_met;
    struct id_range range;
    struct offence first;
};

/* One row's vertex, as its edges are checked. */
struct row {
    uint64_t id;
    int64_t claim, depth;
    int met;
};

/* ---- offences ---- */

static int comes_before(const struct offence *a, const struct offence *b)
{
    if (b->kind == OFFENCE_NONE || a->vertex != b->vertex)
        return b->kind == OFFENCE_NONE || a->vertex < b->vertex;
    return a->kind != b->kind ? a->kind < b->kind : a->other < b->other;
}

static void note(struct offence *first, struct offence found)
{
    if (comes_before(&found, first))
        *first = found;
}

static void merge(struct validation *v, const struct offence *found)
{
#pragma omp critical(validation)
    if (found->kind != OFFENCE_NONE)
        note(&v->first, *found);
}

/* The first of all ranks. */
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

void offence_print(const struct offence *o, char *text, size_t size)
{
    uint64_t v = o->vertex;
    int64_t u = o->other, dv = o->depth, du = o->other_depth;
    switch (o->kind) {
    case OFFENCE_NONE: snprintf(text, size, "nothing is wrong"); break;
    case OFFENCE_ROOT:
        snprintf(text, size, "vertex %" PRIu64 ": the root has depth %" PRId64, v, dv);
        break;
    case OFFENCE_NO_PARENT:
        snprintf(text, size, "vertex %" PRIu64 ": depth %" PRId64 ", and no parent", v, dv);
        break;
    case OFFENCE_NO_DEPTH:
        snprintf(text, size, "vertex %" PRIu64 ": parent %" PRId64 ", and not reached", v, u);
        break;
    case OFFENCE_OWN_PARENT:
        snprintf(text, size, "vertex %" PRIu64 ": parent %" PRId64 ", as only a root may have", v, u);
        break;
    case OFFENCE_EDGE:
        snprintf(text, size, "edge %" PRIu64 " %" PRId64 ": depths %" PRId64 " and %" PRId64, v, u,
                 dv, du);
        break;
    case OFFENCE_LEVEL:
        snprintf(text, size, "edge %" PRIu64 " %" PRId64 ": to the parent, with depths %" PRId64
                 " and %" PRId64, v, u, dv, du);
        break;
    case OFFENCE_NO_EDGE:
        snprintf(text, size, "edge %" PRIu64 " %" PRId64 ": to the parent, and not in the graph", v,
                 u);
        break;
    }
}

/* ---- what other devices are asked ---- */

static const struct shard *shard_of(const struct validation *v, uint32_t g)
{
    return &v->rank->graph->shards[g];
}

/* Keys are places in the block of device g. */
static void find_claims(void *context, uint32_t g, const uint32_t *keys, uint64_t count,
                        struct found *found)
{
    struct validation *v = context;
    const struct manifest *m = &v->rank->graph->manifest;
    uint32_t block = block_of_device(v->rank->comm->rank, g, v->rank->device_count);
    uint64_t first = block_first(m->totals.n, m->p, block);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = first + keys[i] - v->range.first;
        found[i].id = validation_claim(v, first + keys[i]);
        v->asked[at / 64] |= UINT64_C(1) << (at % 64);
    }
}

/* Keys are local vertices of device g. */
static void find_neighbours(void *context, uint32_t g, const uint32_t *keys, uint64_t count,
                            struct found *found)
{
    struct validation *v = context;
    const struct shard *shard = shard_of(v, g);
    const int32_t *depth = results_depths(v->results, g);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < count; i++)
        found[i] = (struct found){
            (int64_t)original_id(v->rank->graph, local_vertex_id(shard, keys[i])), depth[keys[i]]};
}

/* Appends a key to what device g looks up. */
static enum status want(struct validation *v, uint32_t g, uint32_t shard, uint32_t key,
                        struct error *e)
{
    struct wanted *w = &v->wanted[g];
    if (w->count == v->room[g]) {
        uint64_t room = 2 * v->room[g] + 1024;
        uint32_t *shards = realloc(w->shard, room * sizeof *shards);
        if (shards != NULL)
            w->shard = shards;
        uint32_t *keys = realloc(w->key, room * sizeof *keys);
        if (keys != NULL)
            w->key = keys;
        struct found *found = realloc(w->found, room * sizeof *found);
        if (found != NULL)
            w->found = found;
        if (shards == NULL || keys == NULL || found == NULL)
            return fail_memory(e, "validation", room * sizeof *found);
        v->room[g] = room;
    }
    w->shard[w->count] = shard;
    w->key[w->count++] = key;
    return ST_OK;
}

/* ---- opening ---- */

static enum status take_arrays(struct validation *v, struct error *e)
{
    struct memory_budget *budget = v->rank->budget;
    uint64_t d = v->rank->graph->manifest.d, ids = v->range.end - v->range.first;
    const struct answers *answers = results_answers(v->results);
    memory_take(budget, &v->block, ids, answers_width(answers, ANSWER_PARENTS), "parents", e);
    memory_take(budget, (void **)&v->asked, mask_words(ids), 8, "ids with edges", e);
    memory_take(budget, (void **)&v->delegate_claim, d, 8, "parents of delegates", e);
    memory_take(budget, (void **)&v->delegate, d, sizeof *v->delegate, "ids of delegates", e);
    memory_take(budget, (void **)&v->delegate_met, mask_words(d), 8, "marks of delegates", e);
    for (uint32_t g = 0; g < v->rank->device_count && e->status == ST_OK; g++) {
        memory_take(budget, (void **)&v->claim[g], shard_of(v, g)->locals, 8, "parents", e);
        memory_take(budget, (void **)&v->met[g], mask_words(shard_of(v, g)->locals), 8, "marks", e);
    }
    return e->status;
}

enum status validation_open(struct validation **result, const struct rank *rank,
                            struct results *results, struct error *e)
{
    uint32_t G = rank->device_count;
    struct validation *v = calloc(1, sizeof *v);
    *result = v;
    if (v == NULL)
        return fail_memory(e, "validation", sizeof *v);
    v->rank = rank;
    v->results = results;
    v->range = answers_range(results_answers(results));
    v->wanted = calloc(G, sizeof *v->wanted);
    v->room = calloc(G, sizeof *v->room);
    v->claim = calloc(G, sizeof *v->claim);
    v->met = calloc(G, sizeof *v->met);
    if (v->wanted == NULL || v->room == NULL || v->claim == NULL || v->met == NULL)
        return fail_memory(e, "validation", G * sizeof *v->wanted);
    if (lookup_open(&v->blocks, rank, find_claims, v, e) == ST_OK &&
        lookup_open(&v->neighbours, rank, find_neighbours, v, e) == ST_OK)
        take_arrays(v, e);
    for (uint64_t i = 0; e->status == ST_OK && i < rank->graph->manifest.d; i++)
        v->delegate[i].id =
            (int64_t)original_id(rank->graph, shard_delegate_id(shard_of(v, 0), i));
    return e->status;
}

void validation_close(struct validation *v)
{
    if (v == NULL)
        return;
    lookup_close(&v->blocks);
    lookup_close(&v->neighbours);
    for (uint32_t g = 0; g < v->rank->device_count; g++) {
        if (v->wanted != NULL) {
            free(v->wanted[g].shard);
            free(v->wanted[g].key);
            free(v->wanted[g].found);
        }
        if (v->claim != NULL)
            memory_release(v->rank->budget, v->claim[g]);
        if (v->met != NULL)
            memory_release(v->rank->budget, v->met[g]);
    }
    free(v->wanted);
    free(v->room);
    free(v->claim);
    free(v->met);
    memory_release(v->rank->budget, v->block);
    memory_release(v->rank->budget, v->asked);
    memory_release(v->rank->budget, v->delegate_claim);
    memory_release(v->rank->budget, v->delegate);
    memory_release(v->rank->budget, v->delegate_met);
    free(v);
}

/* ---- claims ---- */

enum status validation_read(struct validation *v, struct error *e)
{
    return answers_read(results_answers(v->results), ANSWER_PARENTS, v->range.first,
                        v->range.end - v->range.first, v->block, e);
}

static uint32_t width_of(const struct validation *v)
{
    return answers_width(results_answers(v->results), ANSWER_PARENTS);
}

int64_t validation_claim(const struct validation *v, uint64_t id)
{
    return answer_id(v->block, width_of(v), id - v->range.first);
}

void validation_set_claim(struct validation *v, uint64_t id, int64_t parent)
{
    if (id >= v->range.first && id < v->range.end)
        answer_set_id(v->block, width_of(v), id - v->range.first, parent);
}

/* Asks for the claim of one vertex where its input id is. */
static enum status want_claim(struct validation *v, uint32_t g, uint64_t stored, struct error *e)
{
    const struct graph *graph = v->rank->graph;
    uint64_t id = original_id(graph, stored), n = graph->manifest.totals.n;
    uint32_t p = graph->manifest.p, G = graph->device_count, ranks = v->rank->comm->ranks;
    uint64_t length = block_first(n, p, 1);
    uint32_t block = (uint32_t)(id / length);
    return want(v, g, shard_of_device(block / G, block % G, ranks), (uint32_t)(id % length), e);
}

/* Vertex i of device g: locals, then delegates. Those of delegates count on the device that owns them. */
static int is_fetched_here(const struct validation *v, uint32_t g, uint64_t i)
{
    const struct shard *shard = shard_of(v, g);
    return i < shard->locals ||
           shard_of_vertex(shard_delegate_id(shard, i - shard->locals), shard->p) == shard->index;
}

static uint64_t stored_vertex(const struct validation *v, uint32_t g, uint64_t i)
{
    const struct shard *shard = shard_of(v, g);
    return i < shard->locals ? local_vertex_id(shard, i)
                             : shard_delegate_id(shard, i - shard->locals);
}

static void put_claim(struct validation *v, uint32_t g, uint64_t i, int64_t claim)
{
    uint64_t locals = shard_of(v, g)->locals;
    if (i < locals)
        v->claim[g][i] = claim;
    else
        v->delegate_claim[i - locals] = claim;
}

/* One round from vertex `first` on, of each device. */
static enum status fetch_round(struct validation *v, uint64_t first, struct error *e)
{
    for (uint32_t g = 0; g < v->rank->device_count; g++) {
        uint64_t count = shard_of(v, g)->locals + shard_of(v, g)->d;
        v->wanted[g].count = 0;
        for (uint64_t i = first; i < count && i < first + ROUND && e->status == ST_OK; i++) {
            if (is_fetched_here(v, g, i))
                want_claim(v, g, stored_vertex(v, g, i), e);
        }
    }
    if (comm_agree(v->rank->comm, e) != ST_OK || lookup_run(&v->blocks, v->wanted, e) != ST_OK)
        return e->status;
    for (uint32_t g = 0; g < v->rank->device_count; g++) {
        uint64_t count = shard_of(v, g)->locals + shard_of(v, g)->d;
        const struct found *next = v->wanted[g].found;
        for (uint64_t i = first; i < count && i < first + ROUND; i++) {
            if (is_fetched_here(v, g, i))
                put_claim(v, g, i, (next++)->id);
        }
    }
    return ST_OK;
}

static enum status fetch(struct validation *v, struct error *e)
{
    uint64_t d = v->rank->graph->manifest.d, most = 0;
    for (uint32_t g = 0; g < v->rank->device_count; g++)
        most = shard_of(v, g)->locals + d > most ? shard_of(v, g)->locals + d : most;
    most = comm_max_of(v->rank->comm, most);
    memset(v->asked, 0, mask_words(v->range.end - v->range.first) * 8);
    for (uint64_t i = 0; i < d; i++)
        v->delegate_claim[i] = INT64_MIN;
    for (uint64_t first = 0; first < most; first += ROUND) {
        if (fetch_round(v, first, e) != ST_OK)
            return e->status;
    }
    comm_max_ids(v->rank->comm, v->delegate_claim, 8, d);
    return ST_OK;
}

/* ---- vertices ---- */

static void check_vertex(struct row row, uint64_t root, struct offence *first)
{
    struct offence o = {.vertex = row.id, .other = row.claim, .depth = row.depth};
    if (row.id == root && row.depth != 0)
        o.kind = OFFENCE_ROOT;
    else if (row.claim < 0 && row.depth >= 0)
        o.kind = OFFENCE_NO_PARENT;
    else if (row.claim >= 0 && row.depth < 0)
        o.kind = OFFENCE_NO_DEPTH;
    else if (row.claim >= 0 && ((uint64_t)row.claim == row.id) != (row.id == root))
        o.kind = OFFENCE_OWN_PARENT;
    if (o.kind != OFFENCE_NONE)
        note(first, o);
}

static struct row local_row(const struct validation *v, uint32_t g, uint64_t i)
{
    return (struct row){original_id(v->rank->graph, local_vertex_id(shard_of(v, g), i)),
                        v->claim[g][i], results_depths(v->results, g)[i], 0};
}

static struct row delegate_row(const struct validation *v, uint64_t i)
{
    return (struct row){(uint64_t)v->delegate[i].id, v->delegate_claim[i], v->delegate[i].depth, 0};
}

static void check_vertices(struct validation *v, uint64_t root)
{
    struct offence first = {0};
    uint64_t ids = v->range.end - v->range.first;
    for (uint32_t g = 0; g < v->rank->device_count; g++) {
        for (uint64_t i = 0; i < shard_of(v, g)->locals; i++)
            check_vertex(local_row(v, g, i), root, &first);
    }
    for (uint64_t i = 0; i < v->rank->graph->manifest.d; i++)
        check_vertex(delegate_row(v, i), root, &first);
    for (uint64_t i = 0; i < ids; i++) { /* those without edges reach themselves alone */
        uint64_t id = v->range.first + i;
        if (!mask_bit(v->asked, i))
            check_vertex((struct row){id, validation_claim(v, id), id == root ? 0 : -1, 0}, root,
                         &first);
    }
    merge(v, &first);
}

/* ---- edges ---- */

static inline void check_edge(struct row *row, int64_t other, int64_t other_depth, struct offence *first)
{
    struct offence o = {.vertex = row->id,
                        .other = other,
                        .depth = row->depth,
                        .other_depth = other_depth};
    int64_t apart = row->depth - other_depth;
    if ((row->depth < 0) != (other_depth < 0) || apart > 1 || apart < -1)
        o.kind = OFFENCE_EDGE;
    if (other == row->claim) {
        row->met = 1;
        if (o.kind == OFFENCE_NONE && apart != 1)
            o.kind = OFFENCE_LEVEL;
    }
    if (o.kind != OFFENCE_NONE)
        note(first, o);
}

static inline uint64_t column_of(const struct csr *csr, uint64_t row, uint64_t j)
{
    return j < csr->head_columns ? csr->heads[j * csr->rows + row]
                                 : csr_column(csr, csr_offset(csr, row) + j - csr->head_columns);
}

/* The edges of a row whose other ends are delegates, or local vertices of the same device. */
static void check_row(const struct validation *v, uint32_t g, enum subgraph s, uint64_t i,
                      struct row *row, struct offence *first)
{
    const struct shard *shard = shard_of(v, g);
    const struct csr *csr = &shard->csr[s];
    const int32_t *depth = results_depths(v->results, g);
    uint64_t length = csr->edges > 0 ? csr_row_length(csr, i) : 0;
    for (uint64_t j = 0; j < length; j++) {
        uint64_t to = column_of(csr, i, j);
        if (subgraph_columns(s) == DELEGATES)
            check_edge(row, v->delegate[to].id, v->delegate[to].depth, first);
        else
            check_edge(row, (int64_t)original_id(v->rank->graph, local_vertex_id(shard, to)),
                       depth[to], first);
    }
}

static void mark(uint64_t *mask, uint64_t i)
{
    __atomic_fetch_or(&mask[i / 64], UINT64_C(1) << (i % 64), __ATOMIC_RELAXED);
}

/* Rows of normals without nn, unless the device is alone; rows of delegates. */
static void check_rows(struct validation *v, uint32_t g)
{
    int alone = rank_is_alone(v->rank);
#pragma omp parallel
    {
        struct offence first = {0};
#pragma omp for schedule(dynamic, 256) nowait
        for (uint64_t i = 0; i < shard_of(v, g)->locals; i++) {
            struct row row = local_row(v, g, i);
            check_row(v, g, ND, i, &row, &first);
            if (alone)
                check_row(v, g, NN, i, &row, &first);
            if (row.met)
                mark(v->met[g], i);
        }
#pragma omp for schedule(dynamic, 64) nowait
        for (uint64_t i = 0; i < shard_of(v, g)->d; i++) {
            struct row row = delegate_row(v, i);
            check_row(v, g, DN, i, &row, &first);
            check_row(v, g, DD, i, &row, &first);
            if (row.met)
                mark(v->delegate_met, i);
        }
        merge(v, &first);
    }
}

/* Asks for the nn neighbours of rows from `first` on, up to a round of them. *end: the row after the last. */
static enum status want_neighbours(struct validation *v, uint32_t g, uint64_t first, uint64_t *end,
                                   struct error *e)
{
    const struct shard *shard = shard_of(v, g);
    const struct csr *nn = &shard->csr[NN];
    uint64_t local_mask = (UINT64_C(1) << shard->local_bits) - 1, i = first;
    v->wanted[g].count = 0;
    for (; i < shard->locals && v->wanted[g].count < ROUND && e->status == ST_OK; i++) {
        uint64_t length = nn->edges > 0 ? csr_row_length(nn, i) : 0;
        for (uint64_t j = 0; j < length && e->status == ST_OK; j++) {
            uint64_t to = column_of(nn, i, j);
            want(v, g, (uint32_t)(to >> shard->local_bits), (uint32_t)(to & local_mask), e);
        }
    }
    *end = i;
    return e->status;
}

static void check_neighbours(struct validation *v, uint32_t g, uint64_t first, uint64_t end)
{
    const struct csr *nn = &shard_of(v, g)->csr[NN];
    const struct found *next = v->wanted[g].found;
    struct offence found = {0};
    for (uint64_t i = first; i < end; i++) {
        struct row row = local_row(v, g, i);
        uint64_t length = nn->edges > 0 ? csr_row_length(nn, i) : 0;
        for (uint64_t j = 0; j < length; j++, next++)
            check_edge(&row, next->id, next->depth, &found);
        if (row.met)
            mark(v->met[g], i);
    }
    merge(v, &found);
}

/* nn, of several devices. */
static enum status check_nn(struct validation *v, struct error *e)
{
    uint32_t G = v->rank->device_count;
    uint64_t *next = calloc(2 * (size_t)G, sizeof *next), *end = next + G, left = 1;
    if (next == NULL)
        fail_memory(e, "validation", 2 * G * sizeof *next);
    while (comm_agree(v->rank->comm, e) == ST_OK && left > 0) {
        for (uint32_t g = 0; g < G; g++)
            want_neighbours(v, g, next[g], &end[g], e);
        if (comm_agree(v->rank->comm, e) != ST_OK ||
            lookup_run(&v->neighbours, v->wanted, e) != ST_OK)
            break;
        left = 0;
        for (uint32_t g = 0; g < G; g++) {
            check_neighbours(v, g, next[g], end[g]);
            next[g] = end[g];
            left += shard_of(v, g)->locals - end[g];
        }
        left = comm_max_of(v->rank->comm, left);
    }
    free(next);
    return e->status;
}

/* ---- parents ---- */

static void check_met(struct row row, int met, uint64_t root, struct offence *first)
{
    if (row.claim >= 0 && row.depth >= 0 && row.id != root && !met)
        note(first, (struct offence){.kind = OFFENCE_NO_EDGE, .vertex = row.id, .other = row.claim});
}

static void check_parents(struct validation *v, uint64_t root)
{
    struct offence first = {0};
    comm_or_masks(v->rank->comm, v->delegate_met, mask_words(v->rank->graph->manifest.d));
    for (uint32_t g = 0; g < v->rank->device_count; g++) {
        for (uint64_t i = 0; i < shard_of(v, g)->locals; i++)
            check_met(local_row(v, g, i), mask_bit(v->met[g], i), root, &first);
    }
    for (uint64_t i = 0; i < v->rank->graph->manifest.d; i++)
        check_met(delegate_row(v, i), mask_bit(v->delegate_met, i), root, &first);
    merge(v, &first);
}

/* ---- all of it ---- */

enum status validation_check(struct validation *v, const struct root *root, struct offence *first,
                             struct error *e)
{
    uint64_t id = original_id(v->rank->graph, root->id);
    v->first = (struct offence){0};
    for (uint64_t i = 0; i < v->rank->graph->manifest.d; i++)
        v->delegate[i].depth = results_delegate_depths(v->results)[i];
    if (fetch(v, e) != ST_OK)
        return e->status;
    check_vertices(v, id);
    memset(v->delegate_met, 0, mask_words(v->rank->graph->manifest.d) * 8);
    for (uint32_t g = 0; g < v->rank->device_count; g++) {
        memset(v->met[g], 0, mask_words(shard_of(v, g)->locals) * 8);
        check_rows(v, g);
    }
    if (!rank_is_alone(v->rank) && check_nn(v, e) != ST_OK)
        return e->status;
    check_parents(v, id);
    agree_on_first(v->rank->comm, &v->first);
    *first = v->first;
    return ST_OK;
}
