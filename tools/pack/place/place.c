/* place.c: see place.h. Edges are placed in batches, without a branch that depends on the subgraph of an edge, because that
 * cannot be predicted: edges with a delegate are first separated from the others, their rows, buckets and records are computed
 * with vector instructions, and then they are appended. place_arcs.c places directed edges. */
#include "place.h"

#include "formats/base/arith.h"
#include "formats/base/clones.h"
#include "placing.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEP = 128,
    AHEAD = 48, /* edges whose labels are on their way */
    WITHOUT_IDS = 0,
    WITH_IDS = 1 /* the vertices of edges are needed, too */
};

/* Labels and, where they are needed, vertices of some edges. */
struct edge_labels {
    size_t count;
    uint32_t u[STEP], v[STEP];
    uint64_t id_u[STEP], id_v[STEP];
};

/* The values that are computed for a batch of edges with a delegate, before each is appended to its bucket. */
struct step {
    uint32_t row[STEP], column[STEP], entry[STEP], bucket[STEP], record[STEP], shard[STEP];
    uint8_t to_normal[STEP];
};

/* ---- taking edges apart ---- */

/* Stores the labels of an edge behind the batch, and counts the edge only if `kept`, so that no branch is needed. */
static inline void keep(struct edge_labels *l, int kept, uint32_t u, uint32_t v)
{
    l->u[l->count] = u;
    l->v[l->count] = v;
    l->count += (size_t)kept;
}

/* Stores the vertices of an edge behind the batch. */
static inline void keep_ids(struct edge_labels *l, uint64_t u, uint64_t v)
{
    l->id_u[l->count] = u;
    l->id_v[l->count] = v;
}

/* Appends an edge to the batch of edges with a delegate or to that of the others. Callers pass `with_ids` as a constant. */
static inline void take_apart(const struct placing *c, uint64_t u, uint64_t v, int with_ids,
                              struct edge_labels *mixed, struct edge_labels *normal)
{
    uint32_t lu = c->label[u], lv = c->label[v];
    int both_normal = (int)(~(lu | lv) >> 31);
    /* of the two directions of an edge, one is left; self-loops are not placed */
    int kept = with_ids ? (c->symmetric ? u < v : u != v) : 1;
    if (with_ids) {
        keep_ids(mixed, u, v);
        keep_ids(normal, u, v);
    }
    keep(mixed, kept & !both_normal, lu, lv);
    keep(normal, kept & both_normal, lu, lv);
}

/* Prefetches the labels of an edge that comes soon. */
static inline void prefetch_labels(const struct placing *c, uint64_t u, uint64_t v)
{
    __builtin_prefetch(&c->label[u]);
    __builtin_prefetch(&c->label[v]);
}

/* ---- edges with a delegate ---- */

/* Computes row, column and record of each edge of the batch. The row is that of the delegate; of two delegates, that of the one
 * with the smaller id. */
WIDE_CLONES
static void compute(const struct placing *c, const struct edge_labels *restrict l, struct step *restrict s)
{
    const uint32_t mask = c->delegate_mask, dn_table = c->dn_table, normal = UINT32_C(1) << 31;
    const uint32_t dd_bucket = c->dd.first_bucket, dn_bucket = c->dn.first_bucket;
    const unsigned dd_bits = c->dd.column_bits, dn_bits = c->dn.column_bits;
    const struct row_granules granules = c->dd.granules;
    for (size_t i = 0; i < STEP; i++) { /* places beyond the count are not used */
        uint32_t u = l->u[i], v = l->v[i];
        u = u >> 31 != 0 ? u & mask : u | normal;
        v = v >> 31 != 0 ? v & mask : v | normal;
        uint32_t row = u < v ? u : v, column = u < v ? v : u, to_normal = column >> 31;
        column &= ~normal;
        s->to_normal[i] = (uint8_t)to_normal;
        s->row[i] = row;
        s->column[i] = column;
        s->entry[i] = row_ranges_granule(row, granules) + (to_normal ? dn_table : 0);
        s->bucket[i] = to_normal ? dn_bucket : dd_bucket;
        s->record[i] = row << (to_normal ? dn_bits : dd_bits) | column;
    }
}

/* Finds the shard of each edge: that of its normal vertex; if both ends are delegates, that of the lower degree or, if degrees
 * are equal, of the smaller id. Delegate ids ascend as degrees descend, and as ids do within a degree, so only equality of
 * degrees must be found out: by the run bits of labels and, where there are too many runs for these, by the order. */
static void find_shards(const struct placing *c, const struct edge_labels *l, struct step *s)
{
    for (size_t i = 0; i < l->count; i++) {
        uint32_t u = l->u[i], v = l->v[i];
        int u_is_row = (u & c->delegate_mask) == s->row[i] && u >> 31 != 0;
        int same_degree = !s->to_normal[i] && ((u ^ v) & ~c->delegate_mask) == 0 &&
                          (c->order == NULL || same_run(c->order, s->row[i], s->column[i]));
        s->shard[i] = reduce(&c->modulus, same_degree == u_is_row ? l->id_u[i] : l->id_v[i]);
        s->bucket[i] += s->shard[i] * c->shard_buckets;
    }
}

/* Appends edges with a delegate, already computed, to their buckets; if `selective`, only those of unfinished shards. */
static inline void append_mixed(const struct placing *c, struct bucket_writer *w,
                                const struct step *s, size_t count, int selective)
{
    const uint16_t *range_of = c->dd.range_of;
    for (size_t i = 0; i < count; i++) {
        uint32_t entry = range_of[s->entry[i]];
        uint32_t bucket = s->bucket[i] + (entry & RECORD_RANGE_MASK);
        if (selective && c->finished[s->shard[i]])
            continue;
        if (entry <= RECORD_RANGE_MASK)
            bucket_append_u32(w, bucket, s->record[i]);
        else
            bucket_append_long(w, bucket,
                               (uint64_t)s->row[i] << (s->to_normal[i] ? c->dn : c->dd).column_bits |
                                   s->column[i],
                               record_width_bytes(entry >> RECORD_RANGE_BITS));
    }
}

/* ---- edges of nn ---- */

/* Appends the record of one direction of an nn edge, unless its shard is finished. */
static inline void append_normal(const struct placing *c, struct bucket_writer *w, uint32_t shard,
                                 uint32_t row, uint64_t column, int selective)
{
    if (!selective || !c->finished[shard])
        record_append(&c->nn, w, shard * c->shard_buckets, row, column);
}

/* The same for both directions of each edge of the batch. */
static inline void append_normals(const struct placing *c, struct bucket_writer *w,
                                  const struct edge_labels *l, int selective)
{
    for (size_t i = 0; i < l->count; i++) {
        uint32_t shard_u = 0, shard_v = 0;
        if (c->modulus.p > 1) {
            shard_u = reduce(&c->modulus, l->id_u[i]);
            shard_v = reduce(&c->modulus, l->id_v[i]);
        }
        append_normal(c, w, shard_u, l->u[i], (uint64_t)shard_v << c->local_bits | l->v[i],
                      selective);
        append_normal(c, w, shard_v, l->v[i], (uint64_t)shard_u << c->local_bits | l->u[i],
                      selective);
    }
}

/* ---- visits ---- */

/* Appends both batches to their buckets. */
static void append_all(const struct placing *c, struct bucket_writer *w,
                       const struct edge_labels *mixed, const struct edge_labels *normal,
                       struct step *step)
{
    if (mixed->count > 0) {
        compute(c, mixed, step);
        if (c->modulus.p > 1)
            find_shards(c, mixed, step);
    }
    if (c->finished == NULL) {
        append_mixed(c, w, step, mixed->count, /* selective */ 0);
        append_normals(c, w, normal, /* selective */ 0);
    } else {
        append_mixed(c, w, step, mixed->count, /* selective */ 1);
        append_normals(c, w, normal, /* selective */ 1);
    }
}

/* Places edges of the stream; an edges_visitor. */
static enum status visit_stream(void *context, int thread, const struct edge *edges, size_t count, struct error *e)
{
    const struct placing c = *(const struct placing *)context;
    struct bucket_writer *w = &c.store->writer[thread];
    struct edge_labels mixed = {0}, normal = {0};
    struct step step = {0};
    for (size_t at = 0; at < count; at += STEP) {
        size_t end = count - at < STEP ? count : at + STEP;
        mixed.count = normal.count = 0;
        for (size_t i = at; i < end; i++) {
            size_t ahead = i + AHEAD < count ? i + AHEAD : i;
            prefetch_labels(&c, edges[ahead].u, edges[ahead].v);
            take_apart(&c, edges[i].u, edges[i].v, WITH_IDS, &mixed, &normal);
        }
        append_all(&c, w, &mixed, &normal, &step);
    }
    if (w->error.status != ST_OK)
        *e = w->error;
    return e->status;
}

/* Sorts edges of a tile, from record `at` on, into the two batches. Callers pass `bytes` and `with_ids` as constants. */
static inline void batch_records(const struct placing *c, const struct tile_run *run, size_t at,
                                unsigned bytes, int with_ids, struct edge_labels *mixed,
                                struct edge_labels *normal)
{
    size_t end = run->count - at < STEP ? run->count : at + STEP;
    size_t ahead = run->count - end > AHEAD ? AHEAD : 0;
    for (size_t i = at; i < end; i++) {
        struct edge coming = tile_edge(run, bytes, i + ahead), edge = tile_edge(run, bytes, i);
        prefetch_labels(c, coming.u, coming.v);
        take_apart(c, edge.u, edge.v, with_ids, mixed, normal);
    }
}

/* The same for the width of records and the need of ids; the batches begin anew. */
static void batch_tile(const struct placing *c, const struct tile_run *run, size_t at,
                      struct edge_labels *mixed, struct edge_labels *normal)
{
    int with_ids = c->symmetric || c->modulus.p > 1;
    mixed->count = normal->count = 0;
    switch (c->tile_bytes) {
    case 4:
        if (with_ids)
            batch_records(c, run, at, 4, WITH_IDS, mixed, normal);
        else
            batch_records(c, run, at, 4, WITHOUT_IDS, mixed, normal);
        break;
    case 5: batch_records(c, run, at, 5, WITH_IDS, mixed, normal); break;
    case 6: batch_records(c, run, at, 6, WITH_IDS, mixed, normal); break;
    default: batch_records(c, run, at, 8, WITH_IDS, mixed, normal);
    }
}

/* Places the edges of a tile; a tile_visitor. */
static enum status visit_tile(void *context, int thread, const struct tile_run *run, struct error *e)
{
    const struct placing c = *(const struct placing *)context;
    struct bucket_writer *w = &c.store->writer[thread];
    struct edge_labels mixed = {0}, normal = {0};
    struct step step = {0};
    for (size_t at = 0; at < run->count; at += STEP) {
        batch_tile(&c, run, at, &mixed, &normal);
        append_all(&c, w, &mixed, &normal, &step);
    }
    if (w->error.status != ST_OK)
        *e = w->error;
    return e->status;
}

/* ---- everything ---- */

/* Opens the store for the edges of this rank; the memory of tiles becomes that of the store. */
static enum status open_store(struct placement *pl, const struct placing_options *o,
                              struct memory_budget *budget, struct error *e)
{
    struct edge_tiles *tiles = o->edges->tiles;
    /* an upper bound: it is not known how many of this rank's edges are loops */
    const struct edges_totals *totals = &o->edges->source->totals;
    uint64_t own = smaller(o->own_edges, totals->edges - totals->loops);
    uint64_t edges = o->symmetric ? own / 2 : own;
    struct bucket_options b = {.buckets = pl->order->p * pl->shard_buckets,
                               .threads = o->threads,
                               .expected_bytes = 4 * edges,
                               .most_bytes = 16 * edges, /* all of nn, and wide */
                               .room_bytes = o->store_bytes,
                               .spill = o->spill,
                               .like = tiles != NULL ? &tiles->store : NULL};
    if (bucket_store_open(&pl->store, &b, budget, e) == ST_OK && tiles != NULL)
        edge_tiles_leave(tiles, &pl->store, e);
    return e->status;
}

/* Collects the tables in which edges are looked up; `tables` has room for those of ranges. */
static struct placing collect_tables(struct placement *pl, const struct placing_options *options, uint16_t *tables)
{
    const struct vertex_order *o = pl->order;
    const struct edge_tiles *tiles = options->edges->tiles;
    uint32_t delegates = record_target_granules(&pl->plan[DD]);
    uint32_t normals = record_target_granules(&pl->plan[NN]);
    struct placing c = {.dd = record_target_make(&pl->plan[DD], tables),
                        .dn = record_target_make(&pl->plan[DN], tables + delegates),
                        .nn = record_target_make(&pl->plan[NN], tables + 2 * delegates),
                        .arcs.nd = record_target_make(&pl->plan[ND], tables + 2 * delegates + normals),
                        .arcs.in_nn = record_target_make(&pl->plan[IN_NN], tables + 2 * delegates + 2 * normals),
                        .arcs.with_in = pl->rows == ROWS_OUT_AND_IN,
                        .dn_table = delegates,
                        .shard_buckets = pl->shard_buckets,
                        .label = options->labels->values.of,
                        .delegate_mask = (UINT32_C(1) << o->delegate_bits) - 1,
                        .local_bits = o->local_bits,
                        .modulus = {.p = o->p, .reciprocal = UINT64_MAX / o->p + 1},
                        .symmetric = options->symmetric,
                        .tile_bytes = tiles != NULL ? tiles->record_bytes : 0,
                        .finished = options->finished,
                        .store = &pl->store};
    if (o->delegate_run_count > UINT64_C(1) << (31 - o->delegate_bits))
        c.order = o;
    return c;
}

/* Opens the store of a planned placement and fills it with this rank's edges. Collective. */
enum status place_edges(struct placement *pl, const struct placing_options *options,
                        struct memory_budget *budget, struct error *e)
{
    size_t granules = 2 * (size_t)record_target_granules(&pl->plan[DD]) +
                      3 * (size_t)record_target_granules(&pl->plan[NN]);
    uint16_t *tables = calloc(granules + 1, sizeof *tables);
    struct edge_visitors visitors = {visit_stream, visit_tile};
    if (pl->rows != ROWS_UNDIRECTED)
        visitors = arc_visitors;
    struct placing c = {0};
    if (tables == NULL)
        fail_memory(e, "row ranges", granules * sizeof *tables);
    else if (open_store(pl, options, budget, e) == ST_OK)
        c = collect_tables(pl, options, tables);
    if (values_scan(&options->labels->values, options->edges, visitors, &c, e) == ST_OK)
        bucket_store_seal(&pl->store, e);
    pl->has_degrees = options->edges->tiles != NULL && pl->rows == ROWS_UNDIRECTED && pl->order->p == 1;
    free(tables);
    if (comm_agree(options->edges->source->comm, e) != ST_OK)
        placement_free(pl);
    return e->status;
}
