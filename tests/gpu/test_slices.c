/* test_slices.c: cuda_sliced_count and cuda_sliced_fill by their definition (traverse/cuda/sliced/cuda_sliced.h):
 * slice by slice, the edges of all rows in the order of vertices, those to delegates first; heads; and pieces in
 * any order */
#include "checks.h"
#include "loaded.h"
#include "managed.h"
#include "steps.h"
#include "tests.h"

#include "traverse/cuda/sliced/cuda_sliced.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The slices that the kernels made, and the twin's place in them. */
struct slices {
    const struct shard *shard;
    struct gpu_sliced sliced;
    const uint32_t *first;
};

static uint64_t row_edges(const struct slices *s, enum vertex_kind kind, uint64_t id)
{
    uint64_t edges = 0;
    for (int to = 0; to < VERTEX_KINDS; to++) {
        const struct csr *csr = &s->shard->csr[kind << 1 | to];
        edges += csr->edges > 0 ? csr_row_length(csr, id) : 0;
    }
    return edges;
}

/* Edge j of a row as a vertex number over both kinds. */
static uint32_t row_column(const struct slices *s, enum vertex_kind kind, uint64_t id, uint64_t j)
{
    const struct csr *to_normals = &s->shard->csr[kind << 1], *to_delegates = to_normals + 1;
    uint64_t delegates = to_delegates->edges > 0 ? csr_row_length(to_delegates, id) : 0;
    if (j < delegates)
        return (uint32_t)csr_destination(to_delegates, id, j);
    return (uint32_t)csr_destination(to_normals, id, j - delegates) + s->sliced.first_normal;
}

static void compare_slice(const struct slices *s, uint32_t slice, uint32_t v, uint32_t j, uint32_t expected)
{
    uint32_t column = s->sliced.slices[slice].column[j], vertex = s->sliced.links[slice].of[j].vertex;
    uint32_t first = s->first[expected], count = s->first[expected + 1] - first, many = SLICED_MANY;
    check_that(column == expected, "column %u of slice %u, of %u, is %u, not %u", j, slice, v, column, expected);
    check_that(vertex == expected, "link %u of slice %u, of %u, is to %u, not to %u", j, slice, v, vertex, expected);
    check_that(s->sliced.links[slice].of[j].slices == (first | (count < many ? count : many) << SLICED_FIRST_BITS),
               "slices of link %u of slice %u", j, slice);
}

/* The first slice of a vertex, and their number in the upper bits. */
static void compare_head(const struct slices *s, uint32_t v, uint32_t at, uint32_t count)
{
    const uint32_t *head = s->sliced.heads[v].column;
    for (uint32_t j = 0; j < SLICED_COLUMNS && count > 0; j++)
        check_that((head[j] & SLICED_ROW) == s->sliced.slices[at].column[j], "column %u of the head of %u", j, v);
    uint64_t told = 0;
    for (uint32_t j = 0; j < SLICED_COLUMNS; j++)
        told |= (uint64_t)(head[j] >> SLICED_ROW_BITS) << j * SLICED_WEIGHT_BITS;
    check_that(told == count, "the head of %u tells of %" PRIu64 " slices, not %u", v, told, count);
}

/* Compares the slices of a vertex from `at` on. Returns the place of the next vertex's slices. */
static uint32_t compare_row(const struct slices *s, uint32_t at, uint32_t v, enum vertex_kind kind, uint64_t id)
{
    uint64_t edges = row_edges(s, kind, id);
    uint32_t count = (uint32_t)((edges + SLICED_COLUMNS - 1) / SLICED_COLUMNS), most = SLICED_MOST_WEIGHT;
    if (!check_that(s->first[v] == at && s->first[v + 1] == at + count, "%u has slices %u to %u, not %u to %u", v,
                    s->first[v], s->first[v + 1], at, at + count))
        return at + count;
    compare_head(s, v, at, count);
    for (uint32_t i = 0; i < count; i++) {
        check_that(s->sliced.row[at + i] == (v | (count < most ? count : most) << SLICED_ROW_BITS), "row of slice %u",
                   at + i);
        for (uint32_t j = 0; j < SLICED_COLUMNS; j++) {
            uint64_t edge = (uint64_t)i * SLICED_COLUMNS + j;
            compare_slice(s, at + i, v, j, edge < edges ? row_column(s, kind, id, edge) : v);
        }
    }
    return at + count;
}

/* Numbers without a row lie between the kinds and behind them. */
static void compare_all(const struct slices *s)
{
    uint32_t at = 0, d = (uint32_t)s->shard->d, locals = (uint32_t)s->shard->locals, normals = s->sliced.first_normal;
    for (uint32_t v = 0; v < d; v++)
        at = compare_row(s, at, v, DELEGATES, v);
    for (uint32_t v = 0; v < locals; v++)
        at = compare_row(s, at, normals + v, NORMALS, v);
    check_that(s->first[32 * s->sliced.words] == at, "%u slices, not %u", s->first[32 * s->sliced.words], at);
    for (uint32_t v = d; v < normals; v++)
        check_that(s->first[v] == s->first[v + 1], "%u, which does not exist, has slices", v);
    for (uint32_t v = d; v < normals; v++)
        compare_head(s, v, 0, 0);
}

/* Checks that each slice of a long row is in exactly one piece, and no other slice is. */
static void compare_pieces(const struct slices *s)
{
    uint32_t slices = s->first[32 * s->sliced.words];
    unsigned char *taken = calloc(slices + 1, 1);
    if (!check_that(taken != NULL, "no memory"))
        return;
    for (uint32_t i = 0; i < s->sliced.piece_count; i++) {
        const struct slice_piece *piece = &s->sliced.pieces[i];
        uint32_t v = piece->row & SLICED_ROW, count = piece->row >> SLICED_ROW_BITS, behind = piece->first + count;
        check_that(count > 0 && count <= SLICED_PIECE && piece->first >= s->first[v] && behind <= s->first[v + 1],
                   "piece %u of %u: %u from %u on", i, v, count, piece->first);
        for (uint32_t at = piece->first; at < behind && at < slices; at++)
            taken[at]++;
    }
    for (uint32_t v = 0; v < 32 * s->sliced.words; v++) {
        unsigned char expected = s->first[v + 1] - s->first[v] > SLICED_PIECE;
        for (uint32_t at = s->first[v]; at < s->first[v + 1]; at++)
            check_that(taken[at] == expected, "slice %u of %u is in %d pieces", at, v, taken[at]);
    }
    free(taken);
}

/* The slices as the kernels make them. */
static struct slices make_slices(const struct shard *shard)
{
    struct slices s = {.shard = shard};
    struct gpu_sliced *to = &s.sliced;
    struct gpu_csr csr[SUBGRAPHS];
    for (int g = 0; g < SUBGRAPHS; g++)
        csr[g] = *loaded_csr(shard, (enum subgraph)g);
    to->words = gpu_sliced_words(shard->d, shard->locals);
    to->first_normal = 64 * (uint32_t)mask_words(shard->d);
    to->of[DELEGATES].count = shard->d;
    to->of[NORMALS].count = shard->locals;
    const size_t vertices = 32 * (size_t)to->words, scratch_bytes = gpu_merge_scratch_bound(shard->d + 1);
    s.first = to->first = managed(NULL, (vertices + 1) * sizeof *to->first);
    check_that(cuda_sliced_count(to, csr, 0, managed(NULL, scratch_bytes), scratch_bytes, 0) == cudaSuccess,
               "the scratch memory of the scan is too little");
    managed_settle();
    size_t count = s.first[vertices], capacity = gpu_sliced_capacity(shard->d + shard->locals, shard_edges(shard));
    to->state = managed(NULL, sizeof *to->state);
    to->slices = managed(NULL, count * sizeof *to->slices);
    to->links = managed(NULL, count * sizeof *to->links);
    to->row = managed(NULL, count * sizeof *to->row);
    to->heads = managed(NULL, vertices * sizeof *to->heads);
    to->pieces = managed(NULL, gpu_sliced_pieces(capacity) * sizeof *to->pieces);
    check_that(count <= capacity, "%zu slices, but room for %zu", count, capacity);
    memset(to->state, 0, sizeof *to->state);
    cuda_sliced_fill(to, csr, 0);
    managed_settle();
    to->piece_count = to->state->pieces;
    check_that(to->state->pieces <= gpu_sliced_pieces(capacity), "%u pieces", to->state->pieces);
    return s;
}

void test_slices(const struct shard *shard, const struct graph_spec *spec)
{
    check_begin();
    if (shard->p == 1) {
        const struct slices s = make_slices(shard);
        compare_all(&s);
        compare_pieces(&s);
        managed_finish(NULL, NULL, 0);
    }
    check_end("cuda_sliced_count, cuda_sliced_fill: %s", spec->name);
}
