/* proof_loops.c: the checks of a proof as loops of OpenMP threads, and the descriptions of offences in words */
#include "proof_loops.h"

#include "traverse/engine/engine.h"

#include <inttypes.h>
#include <stdio.h>

/* Writes a description of an offence to text[size], with the vertices and depths that matter for its kind. */
void offence_print(const struct offence *offence, uint64_t base, char *text, size_t size)
{
    uint64_t v = offence->vertex + base;
    int64_t u = offence->other < 0 ? offence->other : offence->other + (int64_t)base;
    int64_t dv = offence->depth, du = offence->other_depth;
    switch (offence->kind) {
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
        snprintf(text, size, "edge %" PRIu64 " %" PRId64 ": depths %" PRId64 " and %" PRId64, v, u, dv, du);
        break;
    case OFFENCE_LEVEL:
        snprintf(text, size, "edge %" PRIu64 " %" PRId64 ": to the parent, with depths %" PRId64
                 " and %" PRId64, v, u, dv, du);
        break;
    case OFFENCE_NO_EDGE:
        snprintf(text, size, "edge %" PRIu64 " %" PRId64 ": to the parent, and not in the graph", v, u);
        break;
    }
}

/* Sets *first to `found` if this is an offence that comes before *first. *first is used by one thread only. */
static void keep_earlier(struct offence *first, struct offence found)
{
    if (found.kind != OFFENCE_NONE && offence_comes_before(&found, first))
        *first = found;
}

/* Sets *first as keep_earlier does, but for a *first that all threads share. Only one thread at a time changes it. */
static void keep_earlier_shared(struct offence *first, struct offence found)
{
#pragma omp critical(proof)
    keep_earlier(first, found);
}

/* Returns bit i of a bitmap of 32-bit words. */
static int has_bit(const uint32_t *bitmap, uint64_t i)
{
    return (int)(bitmap[i / 32] >> (i % 32) & 1);
}

/* Sets bit i of a bitmap of 32-bit words that threads share. Reads the bit first, and writes only if the bit is not set. */
static void set_bit(uint32_t *bitmap, uint64_t i)
{
    uint32_t bit = UINT32_C(1) << (i % 32);
    if ((__atomic_load_n(&bitmap[i / 32], __ATOMIC_RELAXED) & bit) == 0)
        __atomic_fetch_or(&bitmap[i / 32], bit, __ATOMIC_RELAXED);
}

/* Checks each vertex by itself: a reached vertex has a parent, and an unreached vertex has none. Only the root is its own
 * parent, and only at depth 0. */
void proof_check_vertices(const struct proved_vertices *v, int64_t root, struct offence *first)
{
#pragma omp parallel
    {
        struct offence own = {0};
#pragma omp for schedule(static) nowait
        for (uint64_t i = 0; i < v->count; i++)
            keep_earlier(&own, offence_of_vertex(v->end[i], v->claim[i], root));
        keep_earlier_shared(first, own);
    }
}

/* Checks the values of vertices without edges. The search has no depths of these vertices. So the root counts as reached at
 * depth 0, and each of the others as unreached. */
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
            keep_earlier(&own, offence_of_vertex(v, answer_id(values->claim, values->id_bytes, i), root));
        }
        keep_earlier_shared(first, own);
    }
}

/* Checks the edges of all rows of a subgraph, except edges to other shards, which proof_check_edges checks. */
void proof_check_rows(const struct proved_rows *r, struct offence *first)
{
    if (r->csr->edges == 0)
        return;
#pragma omp parallel
    {
        struct offence own = {0};
#pragma omp for schedule(dynamic, 256) nowait
        for (uint64_t row = 0; row < r->csr->rows; row++) {
            const struct vertex_end v = r->rows.end[row];
            const int64_t claim = r->rows.claim[row];
            const uint64_t length = csr_row_length(r->csr, row);
            int parent_seen = 0;
            for (uint64_t j = 0; j < length; j++) {
                uint64_t to = csr_destination(r->csr, row, j);
                if (to >> r->local_bits != r->own_shard)
                    continue;
                struct vertex_end other = r->columns[to & ((UINT64_C(1) << r->local_bits) - 1)];
                keep_earlier(&own, offence_of_edge(v, claim, other));
                parent_seen |= other.id == claim;
            }
            if (parent_seen)
                set_bit(r->rows.parent_seen, row);
        }
        keep_earlier_shared(first, own);
    }
}

/* Checks `count` edges that are given one by one. */
void proof_check_edges(const struct proved_vertices *v, const uint32_t *asker, const struct vertex_end *other,
                       uint64_t count, struct offence *first)
{
#pragma omp parallel
    {
        struct offence own = {0};
#pragma omp for schedule(static) nowait
        for (uint64_t i = 0; i < count; i++) {
            uint32_t at = asker[i];
            keep_earlier(&own, offence_of_edge(v->end[at], v->claim[at], other[i]));
            if (other[i].id == v->claim[at])
                set_bit(v->parent_seen, at);
        }
        keep_earlier_shared(first, own);
    }
}

/* Checks that the `parent_seen` bit of each reached vertex except the root is set. Called after all edges were checked. */
void proof_check_parents(const struct proved_vertices *v, int64_t root, struct offence *first)
{
#pragma omp parallel
    {
        struct offence own = {0};
#pragma omp for schedule(static) nowait
        for (uint64_t i = 0; i < v->count; i++)
            keep_earlier(&own, offence_of_parent(v->end[i], v->claim[i], root, has_bit(v->parent_seen, i)));
        keep_earlier_shared(first, own);
    }
}
