/* place_arcs.c: places directed edges; see place.h. An edge is one record, in the out-row of its tail. Its in-row is made from
 * that record when the shard is built, except in nn: there the in-row may be in another shard, so it gets a record of its own. */
#include "placing.h"

enum { AHEAD = 48 /* edges whose labels are on their way */ };

/* Returns the shard of an edge between two delegates: that of the lower degree, then of the smaller id, as find_shards in place.c. */
static uint32_t shard_between(const struct placing *c, uint32_t lu, uint32_t lv, struct edge edge)
{
    uint32_t u = lu & c->delegate_mask, v = lv & c->delegate_mask, first = u < v ? u : v;
    int same_degree = ((lu ^ lv) & ~c->delegate_mask) == 0 &&
                      (c->order == NULL || same_run(c->order, first, u < v ? v : u));
    return reduce(&c->modulus, same_degree == (u == first) ? edge.u : edge.v);
}

/* Appends a record to its bucket, unless the shard is finished. */
static void append(const struct placing *c, struct bucket_writer *w, const struct record_target *target,
                   uint32_t shard, uint32_t row, uint64_t column)
{
    if (c->finished == NULL || !c->finished[shard])
        record_append(target, w, shard * c->shard_buckets, row, column);
}

/* Places an edge between normal vertices: an out-row's record in the shard of its tail and, if wanted, an in-row's record in
 * that of its head. */
static void place_nn(const struct placing *c, struct bucket_writer *w, uint32_t lu, uint32_t lv, struct edge edge)
{
    uint32_t from = reduce(&c->modulus, edge.u), to = reduce(&c->modulus, edge.v);
    append(c, w, &c->nn, from, lu, (uint64_t)to << c->local_bits | lv);
    if (c->arcs.with_in)
        append(c, w, &c->arcs.in_nn, to, lv, (uint64_t)from << c->local_bits | lu);
}

/* Places a directed edge, unless it is a self-loop. */
static void place_arc(const struct placing *c, struct bucket_writer *w, struct edge edge)
{
    uint32_t lu = c->label[edge.u], lv = c->label[edge.v];
    uint32_t u = lu & c->delegate_mask, v = lv & c->delegate_mask;
    int from_delegate = lu >> 31 != 0, to_delegate = lv >> 31 != 0;
    if (edge.u == edge.v)
        return;
    if (from_delegate && to_delegate)
        append(c, w, &c->dd, shard_between(c, lu, lv, edge), u, v);
    else if (from_delegate)
        append(c, w, &c->dn, reduce(&c->modulus, edge.v), u, lv);
    else if (to_delegate)
        append(c, w, &c->arcs.nd, reduce(&c->modulus, edge.u), lu, v);
    else
        place_nn(c, w, lu, lv, edge);
}

static void prefetch_labels(const struct placing *c, struct edge edge)
{
    __builtin_prefetch(&c->label[edge.u]);
    __builtin_prefetch(&c->label[edge.v]);
}

/* Places edges of the stream; an edges_visitor. */
static enum status visit_stream(void *context, int thread, const struct edge *edges, size_t count, struct error *e)
{
    const struct placing *c = context;
    struct bucket_writer *w = &c->store->writer[thread];
    for (size_t i = 0; i < count; i++) {
        prefetch_labels(c, edges[i + AHEAD < count ? i + AHEAD : i]);
        place_arc(c, w, edges[i]);
    }
    if (w->error.status != ST_OK)
        *e = w->error;
    return e->status;
}

/* Places the edges of a tile; a tile_visitor. */
static enum status visit_tile(void *context, int thread, const struct tile_run *run, struct error *e)
{
    const struct placing *c = context;
    struct bucket_writer *w = &c->store->writer[thread];
    for (size_t i = 0; i < run->count; i++) {
        prefetch_labels(c, tile_edge(run, c->tile_bytes, i + AHEAD < run->count ? i + AHEAD : i));
        place_arc(c, w, tile_edge(run, c->tile_bytes, i));
    }
    if (w->error.status != ST_OK)
        *e = w->error;
    return e->status;
}

const struct edge_visitors arc_visitors = {visit_stream, visit_tile};
