/* shard_edges.c: see shard_edges.h */
#include "shard_edges.h"

#include "formats/graph/partition.h"
#include "formats/container/packed_layout.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BLOCKS = EDGES_VISIT_PIECE / PACKED_BLOCK };

/* A subgraph of a loaded shard whose edges are being visited. Its columns are decoded piece by piece. */
struct reading {
    const struct shard_edges *edges;
    const struct shard *shard;
    enum subgraph g;
    int is_packed;
    struct packed packed; /* the columns, if they are packed */
    struct packed_rows rows;
    edges_visitor visit;
    void *context;
};

/* ---- opening ---- */

/* Decodes the slots of shard s if they are packed. */
static enum status find_slots(struct shard_edges *d, uint32_t s, struct error *e)
{
    struct packed packed;
    struct shard *shard = &d->shard[s];
    if (!shard_packed(shard, SHARD_LOCAL_SLOTS, &packed))
        return ST_OK;
    if (memory_take(d->budget, (void **)&d->decoded_slots[s], shard->locals, 4,
                    "slots of vertices", e) != ST_OK)
        return e->status;
    if (packed_decode_all(&packed, NULL, d->decoded_slots[s], d->threads) != ST_OK)
        return fail(e, ST_BAD_DATA, "%s: local-slots: a packed block is corrupt",
                    container_path(shard->file));
    return ST_OK;
}

/* Opens all shards of a folder, and decodes the slots of their vertices. */
enum status shard_edges_open(struct shard_edges *d, const char *folder, int threads,
                             struct memory_budget *budget, struct error *e)
{
    memset(d, 0, sizeof *d);
    d->folder = folder;
    d->threads = threads;
    d->budget = budget;
    if (manifest_read(&d->manifest, folder, e) != ST_OK)
        return e->status;
    d->shard = calloc(d->manifest.p, sizeof *d->shard);
    d->decoded_slots = calloc(d->manifest.p, sizeof *d->decoded_slots);
    if (d->shard == NULL || d->decoded_slots == NULL)
        fail_memory(e, folder, d->manifest.p * sizeof *d->shard);
    for (uint32_t s = 0; s < d->manifest.p && e->status == ST_OK; s++) {
        if (manifest_open_shard(&d->manifest, folder, s, &d->shard[s], e) == ST_OK)
            find_slots(d, s, e);
    }
    if (e->status != ST_OK)
        shard_edges_close(d);
    return e->status;
}

void shard_edges_close(struct shard_edges *d)
{
    for (uint32_t s = 0; d->shard != NULL && s < d->manifest.p; s++)
        shard_close(&d->shard[s]);
    for (uint32_t s = 0; d->decoded_slots != NULL && s < d->manifest.p; s++)
        memory_release(d->budget, d->decoded_slots[s]);
    free(d->shard);
    free(d->decoded_slots);
    manifest_free(&d->manifest);
    memset(d, 0, sizeof *d);
}

/* ---- ids ---- */

/* The id of a local vertex of shard s; UINT64_MAX if it has none. */
static uint64_t id_of_local(const struct shard_edges *d, uint32_t s, uint64_t local)
{
    if (s >= d->manifest.p || local >= d->shard[s].locals)
        return UINT64_MAX;
    const uint32_t *slots = d->decoded_slots[s];
    if (slots == NULL)
        slots = d->shard[s].ids.local_slots;
    return vertex_of_slot(slots[local], s, d->manifest.p);
}

/* The id of a column; UINT64_MAX if it is out of range. */
static uint64_t id_of_column(const struct reading *r, uint64_t column)
{
    const struct shard *s = r->shard;
    if (subgraph_columns(r->g) == DELEGATES)
        return column < s->d ? shard_delegate_id(s, column) : UINT64_MAX;
    if (r->g == DN)
        return id_of_local(r->edges, s->index, column);
    return id_of_local(r->edges, (uint32_t)(column >> s->local_bits),
                       column & ((UINT64_C(1) << s->local_bits) - 1));
}

/* Edges on their way to the visitor. */
struct piece {
    struct edge edge[EDGES_VISIT_PIECE];
    size_t count;
};

/* Gives the collected edges to the visitor, and begins anew. */
static enum status give_piece(const struct reading *r, struct piece *piece, struct error *e)
{
    if (piece->count > 0 && e->status == ST_OK)
        r->visit(r->context, omp_get_thread_num(), piece->edge, piece->count, e);
    piece->count = 0;
    return e->status;
}

/* Collects the edge of a row and a column, and gives the piece to the visitor if it is full. */
static enum status add_edge(const struct reading *r, uint64_t row, uint64_t column,
                            struct piece *piece, struct error *e)
{
    struct edge edge = {subgraph_rows(r->g) == NORMALS ? id_of_local(r->edges, r->shard->index, row)
                                                       : shard_delegate_id(r->shard, row),
                        id_of_column(r, column)};
    if (edge.u >= r->shard->n || edge.v >= r->shard->n)
        return fail(e, ST_BAD_DATA, "%s: %s: row %llu has a column out of range",
                    container_path(r->shard->file), subgraph_name[r->g], (unsigned long long)row);
    piece->edge[piece->count++] = edge;
    return piece->count == EDGES_VISIT_PIECE ? give_piece(r, piece, e) : ST_OK;
}

/* ---- rows ---- */

/* Gives the edges of columns from `first` on to the visitor: as many columns as one call may give, or all that are left. */
static enum status visit_columns(const struct reading *r, uint64_t first, struct piece *piece, struct error *e)
{
    const struct csr *csr = &r->shard->csr[r->g];
    uint64_t buffer[EDGES_VISIT_PIECE], left = csr->column_count - first;
    uint64_t count = left < EDGES_VISIT_PIECE ? left : EDGES_VISIT_PIECE;
    uint64_t block = first / PACKED_BLOCK;
    if (r->is_packed &&
        packed_decode_piece(&r->packed, &r->rows, block, block + PIECE_BLOCKS, buffer) != ST_OK)
        return fail(e, ST_BAD_DATA, "%s: %s: a packed block is corrupt",
                    container_path(r->shard->file), subgraph_name[r->g]);
    uint64_t row = packed_row_of(&r->rows, 0, first), end = csr_offset(csr, row + 1);
    for (uint64_t i = 0; i < count; i++) {
        while (first + i >= end && row + 1 < csr->rows)
            end = csr_offset(csr, ++row + 1);
        uint64_t column = !r->is_packed ? csr_column(csr, first + i)
                          : csr->column_width == 4 ? ((const uint32_t *)(const void *)buffer)[i]
                                                   : buffer[i];
        if (add_edge(r, row, column, piece, e) != ST_OK)
            return e->status;
    }
    return give_piece(r, piece, e);
}

/* The same for the head columns of as many rows. */
static enum status visit_heads(const struct reading *r, uint64_t first, struct piece *piece, struct error *e)
{
    const struct csr *csr = &r->shard->csr[r->g];
    uint64_t end = csr->rows - first < EDGES_VISIT_PIECE ? csr->rows : first + EDGES_VISIT_PIECE;
    for (uint64_t row = first; row < end; row++) {
        for (uint32_t j = 0; j < csr->head_columns; j++) {
            uint32_t column = csr->heads[j * csr->rows + row];
            if (column != HEAD_NONE && add_edge(r, row, column, piece, e) != ST_OK)
                return e->status;
        }
    }
    return give_piece(r, piece, e);
}

/* Pieces of EDGES_VISIT_PIECE. */
static uint64_t pieces_of(uint64_t count)
{
    return (count + EDGES_VISIT_PIECE - 1) / EDGES_VISIT_PIECE;
}

/* Gives all edges of a subgraph to the visitor, with all threads: pieces of columns, then pieces of rows for their heads. */
static enum status visit_subgraph(const struct reading *r, struct error *e)
{
    const struct csr *csr = &r->shard->csr[r->g];
    uint64_t of_columns = pieces_of(csr->column_count);
    uint64_t of_heads = csr->heads == NULL ? 0 : pieces_of(csr->rows);
#pragma omp parallel for num_threads(r->edges->threads) schedule(dynamic)
    for (uint64_t i = 0; i < of_columns + of_heads; i++) {
        struct error cause = {0};
        struct piece piece = {.count = 0};
        if (i < of_columns)
            visit_columns(r, i * EDGES_VISIT_PIECE, &piece, &cause);
        else
            visit_heads(r, (i - of_columns) * EDGES_VISIT_PIECE, &piece, &cause);
        fail_thread(e, &cause);
    }
    return e->status;
}

/* Loads a shard, gives all its edges to the visitor and unloads it. In the first pass compares its CRCs. */
static enum status visit_shard(struct shard_edges *d, struct shard *shard, edges_visitor visit,
                               void *context, struct error *e)
{
    if ((!d->checked && container_check_all(shard->file, d->threads, e) != ST_OK) ||
        shard_load(shard, SHARD_NO_COLUMNS, d->threads, d->budget, e) != ST_OK)
        return e->status;
    for (int g = 0; g < SUBGRAPHS && e->status == ST_OK; g++) {
        struct reading r = {.edges = d, .shard = shard, .g = (enum subgraph)g, .visit = visit,
                            .context = context};
        r.rows = shard_rows(&shard->csr[g]);
        r.is_packed = shard_packed(shard, shard_section_of(r.g, SHARD_COLUMNS), &r.packed);
        if (shard->csr[g].edges > 0)
            visit_subgraph(&r, e);
    }
    shard_unload(shard);
    return e->status;
}

/* Gives all edges of the shards of this rank to the visitor. */
enum status shard_edges_scan(struct shard_edges *d, const struct comm *comm, edges_visitor visit,
                             void *context, struct error *e)
{
    for (uint32_t s = comm->rank; s < d->manifest.p && e->status == ST_OK; s += comm->ranks)
        visit_shard(d, &d->shard[s], visit, context, e);
    d->checked = 1;
    return e->status;
}
