/* joined_graph.c: gives the vertices of all shards of a rank one numbering, and copies the rows of these shards into one array */
#include "joined_graph.h"

#include "traverse/cpu/cpu_probe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The order of the four subgraphs in a row of the joined graph. Edges to delegates come first. */
static const enum subgraph in_order[SUBGRAPHS] = {DD, ND, DN, NN};

/* More rows of a shard than this are taken by all threads. */
enum { MANY_ROWS = 1 << 14 };

/* Returns the number, in the joined graph, of vertex `i` of a shard: of delegate i or, if `kind` is NORMALS, of local vertex i. */
static inline uint64_t vertex_of(const struct joined_graph *all, const struct shard *shard, enum vertex_kind kind, uint64_t i)
{
    return kind == NORMALS ? all->first[shard->index] + i : joined_delegate(all, shard->d, i);
}

/* Where the columns of a row go: as vertices of the joined graph to `to` or, if `to` is NULL, to the marks of ghosts. */
struct row_copy {
    struct joined_graph *all;
    const struct shard *shard;
    enum subgraph g; /* the subgraph that says which kind of vertices the columns are, for out-rows and in-rows alike */
    uint32_t *to;
};

/* Takes one column of a row. In nn, the high bits of a column are the shard of its vertex, which may be of another rank. */
static inline void take_column(struct row_copy *copy, uint64_t column)
{
    struct joined_graph *all = copy->all;
    if (copy->g != NN) {
        *copy->to++ = (uint32_t)vertex_of(all, copy->shard, subgraph_columns(copy->g), column);
        return;
    }
    const uint64_t s = column >> copy->shard->local_bits, local = column & ((UINT64_C(1) << copy->shard->local_bits) - 1);
    const int elsewhere = all->first[s] == JOINED_ELSEWHERE;
    if (copy->to != NULL)
        *copy->to++ = (uint32_t)(elsewhere ? all->vertices + joined_ghost(&all->ghosts, s, local) : all->first[s] + local);
    else if (elsewhere)
        joined_ghosts_mark(&all->ghosts, s, local);
}

/* Takes the columns of row `row` of *csr: first the head columns, then the others, which are stored raw or packed. */
static void take_row(struct row_copy *copy, const struct csr *csr, uint64_t row)
{
    uint64_t end = csr_offset(csr, row + 1), at = csr_offset(csr, row);
    uint32_t decoded[COLUMN_CAPACITY];
    for (uint32_t k = 0; k < csr->head_columns && csr->heads[k * csr->rows + row] != HEAD_NONE; k++)
        take_column(copy, csr->heads[k * csr->rows + row]);
    for (; at < end && csr->column_width == 8; at++)
        take_column(copy, csr_column(csr, at));
    while (at < end) {
        struct column_run run = next_columns(probes_best()->decode, csr, row, at, end, decoded);
        for (uint64_t i = 0; i < run.count; i++)
            take_column(copy, run.columns[i]);
        at += run.count;
    }
}

/* Goes over the rows of all subgraphs and all shards, to make *rows (all->own[0] or all->own[1]). Is called twice. The first
 * call, with `copies` 0, adds the length of each row to offsets[v + 2], where v is the vertex that has the row, and marks ghosts.
 * The second call, with `copies` 1, copies the row to index offsets[v + 1], and sets offsets[v + 1] to the index after the row. */
static void take_rows(struct joined_graph *all, struct joined_rows *rows, int copies)
{
    const int divided = joined_graph_is_divided(all);
    for (int i = 0; i < SUBGRAPHS; i++) {
        for (uint32_t s = 0; s < all->shards->device_count; s++) {
            const struct shard *shard = &all->shards->shards[s];
            const enum subgraph set = rows == &all->own[1] ? shard_pulled(shard, in_order[i]) : in_order[i];
            const struct csr *csr = &shard->csr[set];
            uint64_t *ends = rows->offsets + 1;
            const uint64_t count = csr->edges > 0 ? csr->rows : 0;
#pragma omp parallel for schedule(dynamic, 1024) if (count > MANY_ROWS)
            for (uint64_t row = 0; row < count; row++) {
                const uint64_t v = vertex_of(all, shard, subgraph_rows(in_order[i]), row);
                struct row_copy copy = {all, shard, in_order[i], copies ? rows->columns + ends[v] : NULL};
                if (!mask_bit(csr->sources, row))
                    continue;
                if (copies || (divided && in_order[i] == NN))
                    take_row(&copy, csr, row);
                if (copies)
                    ends[v] = (uint64_t)(copy.to - rows->columns);
                else
                    ends[v + 1] += csr_row_length(csr, row);
            }
        }
    }
}

/* Counts the columns of each vertex, and makes the offsets of *rows (all->own[0] or all->own[1]) from these counts, within the budget. Also
 * marks the ghosts among the columns (joined_ghosts.h). joined_graph_close frees the memory, even after a failure. */
static enum status make_offsets(struct joined_graph *all, struct joined_rows *rows, struct error *e)
{
    if (memory_take(all->budget, (void **)&rows->offsets, all->vertices + 2, 8, "rows of all shards", e) != ST_OK)
        return e->status;
    take_rows(all, rows, 0);
    for (uint64_t v = 1; v < all->vertices + 2; v++)
        rows->offsets[v] += rows->offsets[v - 1];
    rows->edges = rows->all_edges = rows->offsets[all->vertices + 1];
    return ST_OK;
}

/* Makes the columns of *rows, whose offsets are made. Ghosts have been numbered. */
static enum status make_columns(struct joined_graph *all, struct joined_rows *rows, struct error *e)
{
    if (memory_take_huge(all->budget, (void **)&rows->columns, rows->edges, 4, "edges of all shards", e) != ST_OK)
        return e->status;
    take_rows(all, rows, 1);
    return ST_OK;
}

/* Numbers the vertices that have rows on this rank, and reads their input ids. If ranks divide the graph, rank r notes (joined_graph.h) the
 * delegates d * r / ranks to d * (r + 1) / ranks - 1, and numbers them behind all other delegates. */
static enum status number_vertices(struct joined_graph *all, const struct comm *comm, struct error *e)
{
    const struct graph *graph = all->shards;
    const uint64_t d = graph->manifest.d, end = d * (comm->rank + 1) / comm->ranks;
    all->turn = d - end;
    all->noted = d - (end - d * comm->rank / comm->ranks);
    all->first = zeroed(graph->manifest.p, sizeof *all->first, "shards", e);
    if (e->status != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < graph->manifest.p; s++)
        all->first[s] = JOINED_ELSEWHERE;
    for (uint32_t s = 0; s < graph->device_count; s++) {
        all->first[graph->shards[s].index] = all->vertices;
        all->vertices += graph->shards[s].locals;
    }
    if (memory_take(all->budget, (void **)&all->ids, all->vertices, 8, "ids of vertices", e) != ST_OK)
        return e->status;
    for (uint64_t i = 0; i < d; i++)
        all->ids[joined_delegate(all, d, i)] = original_id(graph, shard_delegate_id(&graph->shards[0], i));
    for (uint32_t s = 0; s < graph->device_count; s++) {
        const struct shard *shard = &graph->shards[s];
        const uint64_t first = all->first[shard->index];
#pragma omp parallel for schedule(static) if (shard->locals > MANY_ROWS)
        for (uint64_t i = 0; i < shard->locals; i++)
            all->ids[first + i] = original_id(graph, local_vertex_id(shard, i));
    }
    return ST_OK;
}

/* Makes *all (joined_graph.h): numbers the vertices of all shards, reads their input ids, and copies the rows to push. If
 * `pulls` is 1, also copies the rows to pull, which are other rows only in a directed graph. */
enum status joined_graph_open(struct joined_graph *all, const struct graph *graph, const struct comm *comm, int pulls,
                              struct memory_budget *budget, struct error *e)
{
    const struct manifest *manifest = &graph->manifest;
    const int directed = manifest->direction == EDGES_DIRECTED, sets = directed && pulls ? 2 : 1;
    *all = (struct joined_graph){.shards = graph, .budget = budget, .vertices = manifest->d, .all_vertices = graph->vertices,
                                 .ghosts = {.comm = comm}};
    all->push = &all->own[0];
    all->pull = !directed ? all->push : pulls ? &all->own[1] : NULL;
    if (e->status == ST_OK && manifest->out_only && pulls)
        fail(e, ST_USAGE, "the directed graph has out-rows alone, and others are needed, too: pack it with --rows out,in");
    if (e->status == ST_OK && number_vertices(all, comm, e) == ST_OK)
        joined_ghosts_open(&all->ghosts, comm, graph, budget, e);
    for (int i = 0; i < sets && e->status == ST_OK; i++)
        make_offsets(all, &all->own[i], e);
    if (comm_agree(comm, e) == ST_OK)
        joined_ghosts_number(&all->ghosts, graph, e);
    if (e->status == ST_OK && all->vertices + joined_ghosts_count(&all->ghosts) > UINT32_MAX)
        fail(e, ST_RESOURCE, "the graph has %" PRIu64 " vertices with edges%s: this search takes up to %" PRIu32,
             all->vertices + joined_ghosts_count(&all->ghosts), comm->ranks > 1 ? " on a rank" : "", UINT32_MAX);
    for (int i = 0; i < sets && e->status == ST_OK; i++)
        make_columns(all, &all->own[i], e);
    joined_ghosts_forget_ids(&all->ghosts);
    if (comm_agree(comm, e) == ST_OK) {
        comm_sum_u64(comm, &all->own[0].all_edges, 1);
        comm_sum_u64(comm, &all->own[1].all_edges, 1);
    }
    return e->status;
}

struct joined_graph joined_graph_noted(const struct joined_graph *all)
{
    struct joined_graph noted = *all;
    noted.vertices -= all->noted;
    noted.ids += all->noted;
    noted.skipped = all->noted;
    noted.push = noted.pull = NULL;
    return noted;
}

void joined_graph_close(struct joined_graph *all)
{
    free(all->first);
    joined_ghosts_close(&all->ghosts);
    memory_release(all->budget, all->ids);
    for (int i = 0; all->budget != NULL && i < 2; i++) {
        memory_release(all->budget, all->own[i].offsets);
        memory_release(all->budget, all->own[i].columns);
    }
    *all = (struct joined_graph){0};
}
