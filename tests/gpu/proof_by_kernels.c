/* proof_by_kernels.c: see proof_steps.h */
#include "proof_steps.h"

#include "managed.h"

#include "traverse/programs/graph500/cuda/proof_kernels.h"

#include <string.h>

static struct proved_vertices vertices_there(const struct proved_vertices *v)
{
    return (struct proved_vertices){.end = managed(v->end, v->count * sizeof *v->end),
                                    .claim = managed(v->claim, v->count * sizeof *v->claim),
                                    .parent_seen = managed(v->parent_seen, mask_words(v->count) * 8),
                                    .count = v->count};
}

static struct gpu_first *first_there(void)
{
    struct gpu_first none = gpu_no_offence();
    return managed(&none, sizeof none);
}

/* Copies marks and the offence back. */
static void finish(const struct proved_vertices *v, const struct proved_vertices *there,
                   struct gpu_first *first, struct offence *offence)
{
    managed_settle();
    if (v != NULL && v->count > 0)
        memcpy(v->parent_seen, there->parent_seen, mask_words(v->count) * 8);
    managed_finish(offence, &first->offence, sizeof *offence);
}

void kernel_check_vertices(const struct proved_vertices *v, int64_t root, struct offence *first)
{
    struct proved_vertices there = vertices_there(v);
    struct gpu_first *found = first_there();
    cuda_check_vertices(&there, root, found, 0);
    finish(v, &there, found, first);
}

void kernel_check_isolated(const struct proved_values *v, int64_t root, struct offence *first)
{
    struct proved_values there = *v;
    struct gpu_first *found = first_there();
    there.claim = managed(v->claim, v->count * v->id_bytes);
    there.has_edges = managed(v->has_edges, mask_words(v->count) * 8);
    cuda_check_isolated(&there, root, found, 0);
    finish(NULL, NULL, found, first);
}

void kernel_check_rows(const struct proved_rows *rows, uint64_t column_count, struct offence *first)
{
    const struct csr *csr = rows->csr;
    struct gpu_first *found = first_there();
    struct gpu_proved_rows there = {.csr = {.rows = csr->rows,
                                            .edges = csr->edges,
                                            .head_columns = csr->head_columns,
                                            .offset_width = csr->offset_width,
                                            .column_width = csr->column_width},
                                    .rows = vertices_there(&rows->rows),
                                    .columns = managed(rows->columns,
                                                       column_count * sizeof *rows->columns),
                                    .local_bits = rows->local_bits,
                                    .own_shard = rows->own_shard};
    there.csr.heads = managed(csr->heads, csr->head_columns * csr->rows * 4);
    there.csr.offsets = managed(csr->offsets, (csr->rows + 1) * csr->offset_width);
    there.csr.columns = managed(csr->columns, csr_offset(csr, csr->rows) * csr->column_width);
    cuda_check_rows(&there, found, 0);
    finish(&rows->rows, &there.rows, found, first);
}

void kernel_check_edges(const struct proved_vertices *v, const uint32_t *asker,
                        const struct vertex_end *other, uint64_t count, struct offence *first)
{
    struct proved_vertices there = vertices_there(v);
    struct gpu_first *found = first_there();
    cuda_check_edges(&there, managed(asker, count * sizeof *asker),
                     managed(other, count * sizeof *other), count, found, 0);
    finish(v, &there, found, first);
}

void kernel_check_parents(const struct proved_vertices *v, int64_t root, struct offence *first)
{
    struct proved_vertices there = vertices_there(v);
    struct gpu_first *found = first_there();
    cuda_check_parents(&there, root, found, 0);
    finish(v, &there, found, first);
}

void kernel_move(const struct proof_moves *m, struct proof_moved *out)
{
    const void *ids = managed(m->ids, m->count * m->id_bytes);
    const uint32_t *numbers = managed(m->numbers, m->count * 4), *places = managed(m->places, m->count * 4);
    size_t mask_bytes = mask_words(m->count) * 8;
    struct proof_moved there = {
        .end = managed(NULL, m->count * sizeof *there.end),
        .gathered_end = managed(NULL, m->count * sizeof *there.end),
        .gathered_claim = managed(NULL, m->count * sizeof *there.gathered_claim),
        .marked = managed_zeros(mask_bytes)};
    cuda_write_ends(ids, m->id_bytes, managed(m->depth, m->count * 4), m->count, there.end, 0);
    cuda_gather_ends(there.end, numbers, m->count, there.gathered_end, 0);
    cuda_gather_claims(ids, m->id_bytes, places, m->count, there.gathered_claim, 0);
    cuda_mark(places, m->count, there.marked, 0);
    managed_settle();
    if (m->count > 0) {
        memcpy(out->end, there.end, m->count * sizeof *out->end);
        memcpy(out->gathered_end, there.gathered_end, m->count * sizeof *out->gathered_end);
        memcpy(out->gathered_claim, there.gathered_claim, m->count * 8);
    }
    managed_finish(out->marked, there.marked, mask_bytes);
}
