/* answer_kernels.c: the steps of answer_steps.h by the CUDA kernels, through traverse/cuda/cuda_answers.h
 */
#include "answer_steps.h"

#include "graphs.h"
#include "managed.h"

#include "traverse/cuda/cuda_answers.h"

#include <string.h>

static struct gpu_vertices vertices_of_search(const struct answering *a, enum vertex_kind kind)
{
    uint64_t count = vertices_of(a->shard, kind);
    return (struct gpu_vertices){.count = count,
                                 .words = 2 * mask_words(count),
                                 .visited = managed(a->visited[kind], mask_words(count) * 8),
                                 .depth = managed(a->depth[kind], count * 4),
                                 .parent = managed(a->record[kind], count * 4)};
}

/* Parents by number of vertex; the vertices that ask are listed. */
static void write_parents(const struct answering *a, const struct gpu_vertices *n,
                          const struct gpu_vertices *d, void *by_vertex, uint32_t *remote,
                          unsigned long long *remote_count)
{
    uint64_t vertices = n->count + d->count;
    struct gpu_records locals = {
        .visited = n->visited,
        .record = n->parent,
        .count = n->count,
        .locals = n->count,
        .ids = managed(a->places.ids, vertices * a->places.id_bytes),
        .id_bytes = a->places.id_bytes,
        .to = by_vertex,
        .remote = remote,
        .remote_count = remote_count};
    struct gpu_records delegates = locals;
    delegates.visited = NULL;
    delegates.record = d->parent;
    delegates.count = d->count;
    delegates.first = n->count;
    delegates.remote = NULL;
    cuda_write_parents(&locals, 0);
    cuda_write_parents(&delegates, 0);
    managed_settle();
}

void kernel_values(const struct answering *a, void *values)
{
    struct gpu_vertices n = vertices_of_search(a, NORMALS), d = vertices_of_search(a, DELEGATES);
    uint64_t vertices = n.count + d.count, width = answer_width(&a->places, a->kind);
    enum value_form form = a->levels <= 255 ? VALUE_BYTE : VALUE_32;
    char *by_vertex = managed(NULL, (vertices + 1) * width);
    uint64_t count = a->places.starts[a->shard->p];
    void *to = managed(NULL, count * width);
    uint32_t *vertex = managed(a->places.vertex, count * 4);
    if (a->kind == ANSWER_PARENTS) {
        form = width == 4 ? VALUE_32 : VALUE_64;
        write_parents(a, &n, &d, by_vertex, NULL, NULL);
        memset(by_vertex + vertices * width, 0xff, width);
    } else {
        uint64_t bytes = form == VALUE_BYTE ? 1 : 4;
        cuda_write_depths(&n, form, by_vertex, 0);
        cuda_write_depths(&d, form, by_vertex + n.count * bytes, 0);
        managed_settle();
        memset(by_vertex + vertices * bytes, form == VALUE_BYTE ? 0 : 0xff, bytes);
    }
    if (a->shard->p == 1)
        cuda_gather_values(vertex, count, form, by_vertex, to, 0);
    else
        cuda_pick_values(vertex, count, form, by_vertex, to, 0);
    managed_settle();
    for (uint64_t i = count; a->shard->p > 1 && form == VALUE_BYTE && i-- > 0;)
        ((int32_t *)to)[i] = ((const uint8_t *)to)[i] - 1;
    managed_finish(values, to, count * width);
}

static struct gpu_csr nn_of(const struct csr *csr)
{
    struct gpu_csr to = {.rows = csr->rows,
                         .edges = csr->edges,
                         .head_columns = csr->head_columns,
                         .offset_width = csr->offset_width,
                         .column_width = csr->column_width};
    if (csr->edges == 0)
        return to;
    to.heads = managed(csr->heads, csr->head_columns * csr->rows * 4);
    to.offsets = managed(csr->offsets, (csr->rows + 1) * csr->offset_width);
    to.columns = managed(csr->columns, csr_offset(csr, csr->rows) * csr->column_width);
    return to;
}

void kernel_ask(const struct answering *a, struct questions *out)
{
    const struct shard *shard = a->shard;
    struct gpu_vertices n = vertices_of_search(a, NORMALS), d = vertices_of_search(a, DELEGATES);
    unsigned long long *count = managed_zeros(sizeof *count), *cursor = managed_zeros(shard->p * sizeof *cursor);
    uint32_t *remote = managed(NULL, (n.count + 1) * 4);
    write_parents(a, &n, &d, managed(NULL, (n.count + d.count) * 4), remote, count);
    struct gpu_asking asking = {.nn = nn_of(&shard->csr[NN]),
                                .vertices = remote,
                                .count = count,
                                .depth = n.depth,
                                .own_shard = shard->index,
                                .local_bits = shard->local_bits,
                                .cursor = cursor};
    cuda_ask(&asking, 0, 0);
    managed_settle();
    out->begin = need_memory((shard->p + 1) * sizeof *out->begin);
    for (uint32_t s = 0; s < shard->p; s++) {
        out->begin[s + 1] = out->begin[s] + cursor[s];
        cursor[s] = out->begin[s];
    }
    uint64_t total = out->begin[shard->p];
    asking.questions = managed(NULL, (total + 1) * sizeof *asking.questions);
    asking.askers = managed(NULL, (total + 1) * sizeof *asking.askers);
    cuda_ask(&asking, 1, 0);
    managed_settle();
    out->question = need_memory(total * sizeof *out->question);
    out->asker = need_memory(total * sizeof *out->asker);
    if (total > 0)
        memcpy(out->asker, asking.askers, total * sizeof *out->asker);
    managed_finish(out->question, asking.questions, total * sizeof *out->question);
}

int kernel_reply(const struct replying *r, void *replies)
{
    uint64_t locals = r->shard->locals, ids = locals + r->shard->d;
    unsigned int *bad = managed_zeros(sizeof *bad);
    struct gpu_replying g = {
        .questions = managed(r->questions, r->count * sizeof *r->questions),
        .count = r->count,
        .locals = {.count = locals,
                   .visited = managed(r->visited, mask_words(locals) * 8),
                   .depth = managed(r->depth, locals * 4)},
        .ids = managed(r->ids, ids * r->id_bytes),
        .id_bytes = r->id_bytes,
        .replies = managed(NULL, r->count * r->id_bytes),
        .bad = bad};
    cuda_reply(&g, 0);
    managed_settle();
    int good = *bad == 0;
    managed_finish(replies, g.replies, r->count * r->id_bytes);
    return good;
}

void kernel_take(const struct replying *r, const void *replies, void *to)
{
    uint32_t *askers = managed(NULL, (r->count + 1) * sizeof *askers);
    void *there = managed(to, r->count * r->id_bytes);
    for (uint64_t i = 0; i < r->count; i++)
        askers[i] = (uint32_t)i;
    cuda_take_replies(managed(replies, r->count * r->id_bytes), askers, r->count, r->id_bytes, there,
                      0);
    managed_settle();
    managed_finish(to, there, r->count * r->id_bytes);
}

void kernel_assemble(const struct assembling *a, void *block)
{
    uint32_t width = answer_width(&a->places, a->kind);
    const struct answer_places *p = &a->places;
    uint64_t own = a->values[a->own].bytes / a->form_bytes;
    const void **values = managed(NULL, a->p * sizeof *values);
    uint32_t *vertex = managed(NULL, (own + 1) * sizeof *vertex);
    struct gpu_assembly g = {
        .places = {.first = p->first,
                   .count = p->count,
                   .p = a->p,
                   .own = a->own,
                   .vertex = vertex,
                   .marks = managed(p->marks, p->marks_of[a->p] * sizeof *p->marks),
                   .marks_of = managed(p->marks_of, (a->p + UINT64_C(1)) * sizeof *p->marks_of)},
        .form = a->form_bytes == 1   ? VALUE_BYTE
                : a->form_bytes == 4 ? VALUE_32
                                     : VALUE_64,
        .by_vertex = managed(a->values[a->own].at, a->values[a->own].bytes),
        .values = values,
        .to = managed(NULL, p->count * width)};
    if (p->before != NULL) {
        g.places.before = managed(p->before, p->count * 4);
        g.places.bijection = *p->bijection;
    }
    for (uint64_t i = 0; i < own; i++)
        vertex[i] = (uint32_t)(own - 1 - i);
    for (uint32_t s = 0; s < a->p; s++)
        values[s] = s == a->own ? NULL : managed(a->values[s].at, a->values[s].bytes);
    cuda_assemble(&g, 0);
    managed_settle();
    managed_finish(block, g.to, a->places.count * width);
}

void kernel_max(void *to, void *const *ids, int count_of_arrays, uint64_t count, uint32_t id_bytes,
                int keep)
{
    struct gpu_id_arrays list = {.count = count_of_arrays};
    void *sum = managed(to, count * id_bytes);
    for (int i = 0; i < count_of_arrays; i++)
        list.ids[i] = managed(ids[i], count * id_bytes);
    cuda_max_ids(sum, &list, count, id_bytes, keep, 0);
    managed_settle();
    managed_finish(to, sum, count * id_bytes);
}
