/* proof_loops.c: see proof_loops.h */
#include "proof_loops.h"

#include "traverse/engine/engine.h"

/* Replaces *first by `found` if that is an offence and comes before *first. */
static void note(struct offence *first, struct offence found)
{
    if (found.kind != OFFENCE_NONE && offence_comes_before(&found, first))
        *first = found;
}

/* Does the same as note, for threads that share *first. */
static void merge(struct offence *first, struct offence found)
{
#pragma omp critical(proof)
    note(first, found);
}

/* Returns bit i of a mask of 32-bit words. */
static int has_bit(const uint32_t *mask, uint64_t i)
{
    return (int)(mask[i / 32] >> (i % 32) & 1);
}

/* Sets bit i of a mask of 32-bit words, which threads share. */
static void mark(uint32_t *mask, uint64_t i)
{
    uint32_t bit = UINT32_C(1) << (i % 32);
    if ((__atomic_load_n(&mask[i / 32], __ATOMIC_RELAXED) & bit) == 0)
        __atomic_fetch_or(&mask[i / 32], bit, __ATOMIC_RELAXED);
}

void proof_check_vertices(const struct proved_vertices *v, int64_t root, struct offence *first)
{
#pragma omp parallel
    {
        struct offence own = {0};
#pragma omp for schedule(static) nowait
        for (uint64_t i = 0; i < v->count; i++)
            note(&own, offence_of_vertex(v->end[i], v->claim[i], root));
        merge(first, own);
    }
}

void proof_check_isolated(const struct proved_values *values, int64_t root, struct offence *first)
{
#pragma omp parallel
    {
        struct offence own = {0};
#pragma omp for schedule(static) nowait
        for (uint64_t i = 0; i < values->count; i++) {
            if (has_bit(values->has_edges, i))
                continue;
            int64_t id = proved_id(values, i);
            struct vertex_end v = {id, id == root ? 0 : -1};
            note(&own, offence_of_vertex(v, answer_id(values->claim, values->id_bytes, i), root));
        }
        merge(first, own);
    }
}

/* ---- edges ---- */

/* Checks the edges of a row; skips columns on other shards. Notes offences in *first, which belongs to this thread.
 * Returns nonzero if an edge leads to the parent that the vertex of the row claims. */
static int check_row(const struct proved_rows *r, uint64_t row, struct offence *first)
{
    struct vertex_end v = r->rows.end[row];
    int64_t claim = r->rows.claim[row];
    uint64_t length = csr_row_length(r->csr, row);
    int met = 0;
    for (uint64_t j = 0; j < length; j++) {
        uint64_t to = csr_destination(r->csr, row, j);
        if (to >> r->local_bits != r->own_shard)
            continue;
        struct vertex_end other = r->columns[to & ((UINT64_C(1) << r->local_bits) - 1)];
        note(first, offence_of_edge(v, claim, other));
        met |= other.id == claim;
    }
    return met;
}

void proof_check_rows(const struct proved_rows *r, struct offence *first)
{
    if (r->csr->edges == 0)
        return;
#pragma omp parallel
    {
        struct offence own = {0};
#pragma omp for schedule(dynamic, 256) nowait
        for (uint64_t i = 0; i < r->csr->rows; i++) {
            if (check_row(r, i, &own))
                mark(r->rows.met, i);
        }
        merge(first, own);
    }
}

void proof_check_edges(const struct proved_vertices *v, const uint32_t *asker,
                       const struct vertex_end *other, uint64_t count, struct offence *first)
{
#pragma omp parallel
    {
        struct offence own = {0};
#pragma omp for schedule(static) nowait
        for (uint64_t i = 0; i < count; i++) {
            uint32_t at = asker[i];
            note(&own, offence_of_edge(v->end[at], v->claim[at], other[i]));
            if (other[i].id == v->claim[at])
                mark(v->met, at);
        }
        merge(first, own);
    }
}

/* ---- parents ---- */

void proof_check_parents(const struct proved_vertices *v, int64_t root, struct offence *first)
{
#pragma omp parallel
    {
        struct offence own = {0};
#pragma omp for schedule(static) nowait
        for (uint64_t i = 0; i < v->count; i++)
            note(&own, offence_of_parent(v->end[i], v->claim[i], root, has_bit(v->met, i)));
        merge(first, own);
    }
}
