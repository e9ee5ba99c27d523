/* joined_graph.c: gives the vertices of all shards one numbering, and copies the rows of all shards into one array */
#include "joined_graph.h"

#include "traverse/cpu/cpu_probe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The order of the four subgraphs in a row of the joined graph. Edges to delegates come first. */
static const enum subgraph in_order[SUBGRAPHS] = {DD, ND, DN, NN};

/* Returns the number, in the joined graph, of delegate 0 or, if `kind` is NORMALS, of local vertex 0 of the shard. */
static uint64_t base_of(const struct joined_graph *all, const struct shard *shard, enum vertex_kind kind)
{
    return kind == NORMALS ? all->first[shard->index] : 0;
}

/* Returns the vertex of the joined graph to which a column of subgraph g of the shard leads. In nn, the high bits of a
 * column are the shard of this vertex. */
static uint32_t vertex_of_column(const struct joined_graph *all, const struct shard *shard, enum subgraph g,
                                 uint64_t column)
{
    if (g != NN)
        return (uint32_t)(base_of(all, shard, subgraph_columns(g)) + column);
    return (uint32_t)(all->first[column >> shard->local_bits] + (column & ((UINT64_C(1) << shard->local_bits) - 1)));
}

/* Copies the columns of row `row` of a shard to `to`, as vertices of the joined graph: first the head columns, then the others,
 * which are stored raw or packed. `set` says which rows: the out-rows or the in-rows of a subgraph. Returns the address after
 * the last column written. */
static uint32_t *copy_row(const struct joined_graph *all, const struct shard *shard, enum subgraph set, uint64_t row,
                          uint32_t *to)
{
    const struct csr *csr = &shard->csr[set];
    /* the subgraph that says which kind of vertices the columns are, for out-rows and in-rows alike */
    const enum subgraph g = (enum subgraph)(set % SUBGRAPHS);
    uint64_t end = csr_offset(csr, row + 1), at = csr_offset(csr, row);
    uint32_t decoded[COLUMN_CAPACITY];
    for (uint32_t k = 0; k < csr->head_columns && csr->heads[k * csr->rows + row] != HEAD_NONE; k++)
        *to++ = vertex_of_column(all, shard, g, csr->heads[k * csr->rows + row]);
    for (; at < end && csr->column_width == 8; at++)
        *to++ = vertex_of_column(all, shard, g, csr_column(csr, at));
    while (at < end) {
        struct column_run run = next_columns(probes_best()->decode, csr, row, at, end, decoded);
        for (uint64_t i = 0; i < run.count; i++)
            *to++ = vertex_of_column(all, shard, g, run.columns[i]);
        at += run.count;
    }
    return to;
}

/* Goes over the rows of all subgraphs and all shards, to make *rows (all->own[0] or all->own[1]). Is called twice. The first
 * call, with `copies` 0, adds the length of each row to offsets[v + 2], where v is the vertex that has the row. The second
 * call, with `copies` 1, copies the row to index offsets[v + 1], and sets offsets[v + 1] to the index after the row. */
static void take_rows(struct joined_graph *all, struct joined_rows *rows, int copies)
{
    for (int i = 0; i < SUBGRAPHS; i++) {
        for (uint32_t s = 0; s < all->shards->device_count; s++) {
            const struct shard *shard = &all->shards->shards[s];
            const enum subgraph set = rows == &all->own[1] ? shard_pulled(shard, in_order[i]) : in_order[i];
            const struct csr *csr = &shard->csr[set];
            uint64_t *ends = rows->offsets + 1 + base_of(all, shard, subgraph_rows(in_order[i]));
            const uint64_t count = csr->edges > 0 ? csr->rows : 0;
#pragma omp parallel for schedule(dynamic, 1024)
            for (uint64_t row = 0; row < count; row++) {
                if (!mask_bit(csr->sources, row))
                    continue;
                if (copies)
                    ends[row] = (uint64_t)(copy_row(all, shard, set, row, rows->columns + ends[row]) - rows->columns);
                else
                    ends[row + 1] += csr_row_length(csr, row);
            }
        }
    }
}

/* Makes the offsets and columns of *rows (all->own[0] or all->own[1]): counts the columns of each vertex, allocates memory
 * within the budget, and copies the columns. joined_graph_close frees the memory, even after a failure. */
static enum status make_rows(struct joined_graph *all, struct joined_rows *rows, struct error *e)
{
    if (memory_take(all->budget, (void **)&rows->offsets, all->vertices + 2, 8, "rows of all shards", e) != ST_OK)
        return e->status;
    take_rows(all, rows, 0);
    for (uint64_t v = 1; v < all->vertices + 2; v++)
        rows->offsets[v] += rows->offsets[v - 1];
    rows->edges = rows->offsets[all->vertices + 1];
    if (memory_take(all->budget, (void **)&rows->columns, rows->edges, 4, "edges of all shards", e) != ST_OK)
        return e->status;
    memory_advise_huge(rows->columns);
    take_rows(all, rows, 1);
    return ST_OK;
}

/* Makes *all (joined_graph.h): numbers the vertices of all shards, reads their input ids, and copies the rows to push. If
 * `pulls` is 1, also copies the rows to pull, which are other rows only in a directed graph. */
enum status joined_graph_open(struct joined_graph *all, const struct graph *graph, int pulls,
                              struct memory_budget *budget, struct error *e)
{
    const struct manifest *manifest = &graph->manifest;
    const int directed = manifest->direction == EDGES_DIRECTED;
    *all = (struct joined_graph){.shards = graph, .budget = budget, .vertices = manifest->d};
    all->first = calloc(manifest->p, sizeof *all->first);
    if (all->first == NULL)
        return fail_memory(e, "shards", manifest->p * sizeof *all->first);
    for (uint32_t s = 0; s < graph->device_count; s++) {
        all->first[s] = all->vertices;
        all->vertices += graph->shards[s].locals;
    }
    if (all->vertices > UINT32_MAX)
        return fail(e, ST_RESOURCE, "the graph has %" PRIu64 " vertices with edges: this search takes up to %" PRIu32,
                    all->vertices, UINT32_MAX);
    if (memory_take(budget, (void **)&all->ids, all->vertices, 8, "ids of vertices", e) != ST_OK)
        return e->status;
    for (uint64_t i = 0; i < manifest->d; i++)
        all->ids[i] = original_id(graph, shard_delegate_id(&graph->shards[0], i));
    for (uint32_t s = 0; s < graph->device_count; s++) {
        const struct shard *shard = &graph->shards[s];
#pragma omp parallel for schedule(static)
        for (uint64_t i = 0; i < shard->locals; i++)
            all->ids[all->first[s] + i] = original_id(graph, local_vertex_id(shard, i));
    }
    if (manifest->out_only && pulls)
        return fail(e, ST_USAGE,
                    "the directed graph has out-rows alone, and others are needed, too: pack it with --rows out,in");
    all->push = &all->own[0];
    all->pull = !directed ? all->push : pulls ? &all->own[1] : NULL;
    if (make_rows(all, &all->own[0], e) == ST_OK && directed && pulls)
        make_rows(all, &all->own[1], e);
    return e->status;
}

/* Frees all memory of *all, and zeroes *all. *all may be all zeros already. */
void joined_graph_close(struct joined_graph *all)
{
    free(all->first);
    memory_release(all->budget, all->ids);
    for (int i = 0; all->budget != NULL && i < 2; i++) {
        memory_release(all->budget, all->own[i].offsets);
        memory_release(all->budget, all->own[i].columns);
    }
    *all = (struct joined_graph){0};
}
