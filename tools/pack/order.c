/* order.c: see order.h
 *
 * A counting sort by rank puts all vertices in order; the delegates are its beginning, and each
 * shard's normal vertices are a subsequence of the rest. Threads work on consecutive pieces, so the
 * result does not depend on their number.
 */
#include "order.h"

#include "formats/partition.h"
#include "formats/huge.h"

#include <stdlib.h>
#include <string.h>

/* The i-th of `parts` consecutive pieces of 0..count starts here. */
static uint64_t piece_start(uint64_t count, int parts, int i)
{
    return count / (uint64_t)parts * (uint64_t)i +
           (count % (uint64_t)parts) * (uint64_t)i / (uint64_t)parts;
}

struct sorting {
    const uint32_t *rank_of;
    const struct ranks *ranks;
    uint64_t n, connected; /* vertices with edges */
    uint32_t first_rank;   /* of a degree above 0 */
    int pieces;
    uint64_t *position; /* [pieces][ranks]: where the next vertex of this piece and rank goes */
    uint64_t *sorted;   /* [connected] ids */
};

/* ---- the sorted list of all vertices with edges ---- */

static void count_pieces(struct sorting *s)
{
#pragma omp parallel for num_threads(s->pieces) schedule(static, 1)
    for (int i = 0; i < s->pieces; i++) {
        uint64_t *count = s->position + (uint64_t)i * s->ranks->count;
        uint64_t end = piece_start(s->n, s->pieces, i + 1);
        for (uint64_t v = piece_start(s->n, s->pieces, i); v < end; v++)
            count[s->rank_of[v]]++;
    }
}

/* Counts become positions: by rank descending, then by piece. */
static void place_pieces(struct sorting *s)
{
    uint64_t at = 0;
    for (uint32_t r = s->ranks->count; r-- > s->first_rank;) {
        for (int i = 0; i < s->pieces; i++) {
            uint64_t *position = &s->position[(uint64_t)i * s->ranks->count + r];
            uint64_t count = *position;
            *position = at;
            at += count;
        }
    }
}

static void scatter_pieces(struct sorting *s)
{
#pragma omp parallel for num_threads(s->pieces) schedule(static, 1)
    for (int i = 0; i < s->pieces; i++) {
        uint64_t *position = s->position + (uint64_t)i * s->ranks->count;
        uint64_t end = piece_start(s->n, s->pieces, i + 1);
        for (uint64_t v = piece_start(s->n, s->pieces, i); v < end; v++) {
            if (s->rank_of[v] >= s->first_rank)
                s->sorted[position[s->rank_of[v]]++] = v;
        }
    }
}

static enum status sort_vertices(struct sorting *s, struct memory_budget *budget, struct error *e)
{
    uint64_t cells = (uint64_t)s->pieces * s->ranks->count;
    if (memory_take(budget, (void **)&s->position, cells, sizeof *s->position, "vertex order", e) !=
            ST_OK ||
        memory_take(budget, (void **)&s->sorted, s->connected, sizeof *s->sorted, "vertex order",
                    e) != ST_OK)
        return e->status;
    count_pieces(s);
    place_pieces(s);
    scatter_pieces(s);
    return ST_OK;
}

static void release_sorting(struct sorting *s, struct memory_budget *budget)
{
    memory_release(budget, s->position, (uint64_t)s->pieces * s->ranks->count,
                   sizeof *s->position);
    memory_release(budget, s->sorted, s->connected, sizeof *s->sorted);
}

/* ---- delegates ---- */

static enum status number_delegates(struct vertex_order *o, const struct sorting *s, int threads,
                                    struct memory_budget *budget, struct error *e)
{
    if (o->d >= LABEL_ISOLATED)
        return fail(e, ST_RESOURCE, "%llu delegates: at most 2^31 - 2 are possible, TH must be "
                    "larger", (unsigned long long)o->d);
    if (memory_take(budget, (void **)&o->delegate_ids, o->d, 8, "delegates", e) != ST_OK ||
        memory_take(budget, (void **)&o->delegate_peers, o->d, 4, "delegates", e) != ST_OK)
        return e->status;
    for (o->delegate_bits = 1; o->d > UINT64_C(1) << o->delegate_bits; o->delegate_bits++)
        ;
    uint32_t run_mask = (UINT32_C(1) << (31 - o->delegate_bits)) - 1;
    uint32_t last_rank = s->ranks->count - 1;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t i = 0; i < o->d; i++) {
        uint64_t v = s->sorted[i];
        uint32_t run = last_rank - s->rank_of[v];
        o->label[v] = LABEL_DELEGATE | (run & run_mask) << o->delegate_bits | (uint32_t)i;
        o->delegate_ids[i] = v;
    }
    return ST_OK;
}

static enum status list_delegate_runs(struct vertex_order *o, const struct ranks *ranks,
                                      uint32_t cut, struct error *e)
{
    uint64_t runs = ranks->count - cut;
    o->delegate_runs = malloc((runs + 1) * sizeof *o->delegate_runs);
    if (o->delegate_runs == NULL)
        return fail_memory(e, "delegate degrees", runs * sizeof *o->delegate_runs);
    uint64_t at = 0;
    for (uint32_t r = ranks->count; r-- > cut;) {
        uint64_t end = at + ranks->degrees[r].vertices;
        o->delegate_runs[o->delegate_run_count++] =
            (struct degree_run){.degree = ranks->degrees[r].degree, .vertices = end - at};
        for (; at < end; at++)
            o->delegate_peers[at] = (uint32_t)end;
    }
    return ST_OK;
}

/* ---- local vertices ---- */

/* Counts each piece's vertices of each shard, then turns counts into first local ids. */
static enum status count_locals(struct vertex_order *o, const struct sorting *s, uint32_t *first,
                                struct error *e)
{
    const uint64_t *normal = s->sorted + o->d;
    uint64_t largest = 0, slot_at = 0;
#pragma omp parallel for num_threads(s->pieces) schedule(static, 1)
    for (int i = 0; i < s->pieces; i++) {
        uint32_t *count = first + (uint64_t)i * o->p;
        uint64_t end = piece_start(o->normals, s->pieces, i + 1);
        for (uint64_t j = piece_start(o->normals, s->pieces, i); j < end; j++)
            count[shard_of_vertex(normal[j], o->p)]++;
    }
    for (uint32_t shard = 0; shard < o->p; shard++) {
        uint64_t locals = 0;
        for (int i = 0; i < s->pieces; i++) {
            uint32_t *at = &first[(uint64_t)i * o->p + shard], count = *at;
            *at = (uint32_t)locals;
            locals += count;
        }
        o->shard[shard].locals = locals;
        o->shard[shard].slots = o->slots + slot_at;
        slot_at += locals;
        largest = locals > largest ? locals : largest;
    }
    if (largest >= LABEL_ISOLATED)
        return fail(e, ST_RESOURCE, "%llu normal vertices in a shard: at most 2^31 - 2 are "
                    "possible, p must be larger", (unsigned long long)largest);
    for (o->local_bits = 1; largest > UINT64_C(1) << o->local_bits; o->local_bits++)
        ;
    /* all ones stands for "none" in head columns, so no code may reach it */
    uint64_t codes = ((uint64_t)(o->p - 1) << o->local_bits) + largest;
    o->nn_column_bytes = codes <= UINT32_MAX ? 4 : 8;
    return ST_OK;
}

static void number_locals(struct vertex_order *o, const struct sorting *s, uint32_t *next)
{
    const uint64_t *normal = s->sorted + o->d;
#pragma omp parallel for num_threads(s->pieces) schedule(static, 1)
    for (int i = 0; i < s->pieces; i++) {
        uint64_t end = piece_start(o->normals, s->pieces, i + 1);
        for (uint64_t j = piece_start(o->normals, s->pieces, i); j < end; j++) {
            uint64_t v = normal[j];
            uint32_t shard = shard_of_vertex(v, o->p);
            uint32_t local = next[(uint64_t)i * o->p + shard]++;
            o->label[v] = local;
            o->shard[shard].slots[local] = (uint32_t)slot_of_vertex(v, o->p);
        }
    }
}

/* Degrees of a shard's local vertices as runs; with `runs` NULL only counts them. */
static uint64_t local_runs(const struct vertex_order *o, uint32_t shard, const struct sorting *s,
                           struct degree_run *runs)
{
    const struct shard_vertices *sv = &o->shard[shard];
    uint64_t count = 0;
    uint32_t last = UINT32_MAX;
    for (uint64_t i = 0; i < sv->locals; i++) {
        uint32_t rank = s->rank_of[vertex_of_slot(sv->slots[i], shard, o->p)];
        if (rank != last) {
            if (runs != NULL)
                runs[count] = (struct degree_run){.degree = s->ranks->degrees[rank].degree};
            count++;
            last = rank;
        }
        if (runs != NULL)
            runs[count - 1].vertices++;
    }
    return count;
}

static enum status list_local_runs(struct vertex_order *o, const struct sorting *s, int threads,
                                   struct error *e)
{
    int failed = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) reduction(| : failed)
    for (uint32_t shard = 0; shard < o->p; shard++) {
        struct shard_vertices *sv = &o->shard[shard];
        sv->run_count = local_runs(o, shard, s, NULL);
        sv->runs = malloc((sv->run_count + 1) * sizeof *sv->runs);
        if (sv->runs == NULL)
            failed = 1;
        else
            local_runs(o, shard, s, sv->runs);
    }
    return failed ? fail_memory(e, "local degrees", sizeof(struct degree_run)) : ST_OK;
}

static enum status order_locals(struct vertex_order *o, const struct sorting *s, int threads,
                                struct memory_budget *budget, struct error *e)
{
    void *first = NULL;
    uint64_t cells = (uint64_t)s->pieces * o->p;
    if (memory_take(budget, (void **)&o->slots, o->normals, 4, "local vertices", e) != ST_OK ||
        memory_take(budget, &first, cells, 4, "local vertices", e) != ST_OK)
        return e->status;
    if (count_locals(o, s, first, e) == ST_OK) {
        number_locals(o, s, first);
        list_local_runs(o, s, threads, e);
    }
    memory_release(budget, first, cells, 4);
    return e->status;
}

/* ---- everything ---- */

static void label_isolated(struct vertex_order *o, const struct sorting *s, int threads)
{
    if (s->first_rank == 0)
        return;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t v = 0; v < o->n; v++) {
        if (s->rank_of[v] < s->first_rank)
            o->label[v] = LABEL_ISOLATED;
    }
}

static enum status check_slots(const struct vertex_order *o, struct error *e)
{
    if (o->n / o->p >= SHARD_MAX_LOCAL)
        return fail(e, ST_RESOURCE, "%llu vertices in %u shards: at most 2^31 a shard are "
                    "possible, p must be larger", (unsigned long long)o->n, o->p);
    return ST_OK;
}

static enum status take_labels(struct vertex_order *o, struct memory_budget *budget,
                               struct error *e)
{
    if (memory_take(budget, (void **)&o->label, o->n, 4, "vertex labels", e) == ST_OK)
        huge_advise(o->label, o->n * sizeof *o->label);
    return e->status;
}

enum status order_make(struct vertex_order *o, const uint32_t *rank_of, const struct ranks *ranks,
                       uint64_t n, uint32_t p, uint64_t th, int threads,
                       struct memory_budget *budget, struct error *e)
{
    struct sorting s = {.rank_of = rank_of, .ranks = ranks, .n = n, .pieces = threads};
    uint32_t cut = ranks_cut(ranks, th);
    *o = (struct vertex_order){.n = n, .p = p};
    s.first_rank = ranks->count > 0 && ranks->degrees[0].degree == 0;
    for (uint32_t r = s.first_rank; r < ranks->count; r++) {
        s.connected += ranks->degrees[r].vertices;
        o->d += r >= cut ? ranks->degrees[r].vertices : 0;
    }
    o->normals = s.connected - o->d;
    o->shard = calloc(p, sizeof *o->shard);
    if (o->shard == NULL)
        fail_memory(e, "shards", p * sizeof *o->shard);
    else if (check_slots(o, e) == ST_OK && take_labels(o, budget, e) == ST_OK &&
             sort_vertices(&s, budget, e) == ST_OK &&
             number_delegates(o, &s, threads, budget, e) == ST_OK &&
             list_delegate_runs(o, ranks, cut, e) == ST_OK &&
             order_locals(o, &s, threads, budget, e) == ST_OK)
        label_isolated(o, &s, threads);
    release_sorting(&s, budget);
    if (e->status != ST_OK)
        order_free(o, budget);
    return e->status;
}

void order_drop_labels(struct vertex_order *o, struct memory_budget *budget)
{
    memory_release(budget, o->label, o->n, 4);
    o->label = NULL;
}

void order_free(struct vertex_order *o, struct memory_budget *budget)
{
    for (uint32_t shard = 0; o->shard != NULL && shard < o->p; shard++)
        free(o->shard[shard].runs);
    free(o->shard);
    free(o->delegate_runs);
    order_drop_labels(o, budget);
    memory_release(budget, o->delegate_ids, o->d, 8);
    memory_release(budget, o->delegate_peers, o->d, 4);
    memory_release(budget, o->slots, o->normals, 4);
    memset(o, 0, sizeof *o);
}
