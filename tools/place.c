/* place.c: see place.h */
#include "place.h"

#include "formats/partition.h"

#include <stdlib.h>
#include <string.h>

enum {
    PREFETCH_EDGES = 24,
    BUCKET_RECORDS = 1 << 17, /* 1 MiB: what a bucket should hold, so that it sorts in the cache */
    MAX_RANGES = 4096         /* of all shards together, before buckets grow instead */
};

/* v mod p without a division where v has 32 bits: the high word of p times the fraction v/p. */
struct modulus {
    uint32_t p;
    uint64_t reciprocal; /* 2^64 / p, rounded up */
};

static inline uint32_t reduce(const struct modulus *m, uint64_t v)
{
    if (v > UINT32_MAX)
        return shard_of_vertex(v, m->p);
    uint64_t fraction = m->reciprocal * v;
    return (uint32_t)(((unsigned __int128)fraction * m->p) >> 64);
}

struct placing {
    const struct vertex_order *order;
    struct placement *placement;
    struct modulus modulus;
    int symmetric;
};

/* The shard of a delegate-to-delegate edge: that of the lower degree, then of the smaller id. */
static inline uint64_t dd_decider(const struct vertex_order *o, uint64_t u, uint32_t du, uint64_t v,
                                  uint32_t dv)
{
    uint32_t ru = o->delegate_rank[du], rv = o->delegate_rank[dv];
    if (ru != rv)
        return ru < rv ? u : v;
    return u < v ? u : v;
}

static inline void append(const struct placement *pl, struct bucket_writer *w, uint32_t shard,
                          enum subgraph g, uint32_t row, uint64_t column)
{
    uint32_t range = row_ranges_find(placement_rows(pl, g), row);
    bucket_append(w, placement_bucket(pl, shard, g, range),
                  (uint64_t)row << pl->column_bits[g] | column);
}

/* Places u -> v, and v -> u with `both`. */
static inline void place_edge(const struct placing *c, struct bucket_writer *w, uint64_t u,
                              uint64_t v, int both)
{
    const struct placement *pl = c->placement;
    const struct vertex_order *o = c->order;
    uint32_t lu = o->label[u], lv = o->label[v];
    uint32_t du = lu & ~LABEL_DELEGATE, dv = lv & ~LABEL_DELEGATE;
    if (lu & lv & LABEL_DELEGATE) {
        uint32_t shard = reduce(&c->modulus, dd_decider(o, u, du, v, dv));
        append(pl, w, shard, DD, du, dv);
        if (both)
            append(pl, w, shard, DD, dv, du);
    } else if (lv & LABEL_DELEGATE) {
        uint32_t shard = reduce(&c->modulus, u);
        append(pl, w, shard, ND, lu, dv);
        if (both)
            append(pl, w, shard, DN, dv, lu);
    } else if (lu & LABEL_DELEGATE) {
        uint32_t shard = reduce(&c->modulus, v);
        append(pl, w, shard, DN, du, lv);
        if (both)
            append(pl, w, shard, ND, lv, du);
    } else {
        uint64_t su = reduce(&c->modulus, u), sv = reduce(&c->modulus, v);
        append(pl, w, (uint32_t)su, NN, lu, sv << o->local_bits | lv);
        if (both)
            append(pl, w, (uint32_t)sv, NN, lv, su << o->local_bits | lu);
    }
}

static enum status visit(void *context, int thread, const struct edge *edges, size_t count,
                         struct error *e)
{
    const struct placing *c = context;
    struct bucket_writer *w = &c->placement->store.writer[thread];
    const uint32_t *label = c->order->label;
    for (size_t i = 0; i < count; i++) {
        if (i + PREFETCH_EDGES < count) {
            __builtin_prefetch(&label[edges[i + PREFETCH_EDGES].u]);
            __builtin_prefetch(&label[edges[i + PREFETCH_EDGES].v]);
        }
        if (edges[i].u != edges[i].v)
            place_edge(c, w, edges[i].u, edges[i].v, !c->symmetric);
    }
    if (w->error.status != ST_OK)
        *e = w->error;
    return e->status;
}

/* ---- planning ---- */

static unsigned bits_for(uint64_t count)
{
    unsigned bits = 1;
    while (bits < 63 && count > UINT64_C(1) << bits)
        bits++;
    return bits;
}

static uint32_t largest_shard(const struct vertex_order *o)
{
    uint32_t largest = 0;
    for (uint32_t s = 1; s < o->p; s++) {
        if (o->shard[s].locals > o->shard[largest].locals)
            largest = s;
    }
    return largest;
}

static uint64_t range_target(const struct vertex_order *o, uint64_t directed_edges)
{
    uint64_t ranges = MAX_RANGES / o->p + 1;
    uint64_t target = directed_edges / o->p / ranges;
    return target > BUCKET_RECORDS ? target : BUCKET_RECORDS;
}

static enum status plan(struct placement *pl, uint64_t directed_edges, struct error *e)
{
    const struct vertex_order *o = pl->order;
    const struct shard_vertices *sv = &o->shard[largest_shard(o)];
    uint64_t target = range_target(o, directed_edges);
    pl->column_bits[NN] = o->local_bits + bits_for(o->p);
    pl->column_bits[DN] = o->local_bits;
    pl->column_bits[ND] = pl->column_bits[DD] = bits_for(o->d);
    uint64_t local_most = UINT64_C(1) << (64 - pl->column_bits[NN]);
    uint64_t delegate_most = UINT64_C(1) << 31; /* 31 bits of column leave 33 for the row */
    if (row_ranges_make(&pl->local_rows, sv->runs, sv->run_count, 1, target, local_most, e) !=
            ST_OK ||
        row_ranges_make(&pl->delegate_rows, o->delegate_runs, o->delegate_run_count, o->p, target,
                        delegate_most, e) != ST_OK)
        return e->status;
    pl->class_bucket[NN] = 0;
    pl->class_bucket[ND] = pl->local_rows.count;
    pl->class_bucket[DN] = 2 * pl->local_rows.count;
    pl->class_bucket[DD] = 2 * pl->local_rows.count + pl->delegate_rows.count;
    pl->shard_buckets = 2 * (pl->local_rows.count + pl->delegate_rows.count);
    return ST_OK;
}

enum status placement_make(struct placement *pl, const struct vertex_order *order,
                           const struct edge_source *source, const struct edges_totals *totals,
                           int symmetric, int threads, struct memory_budget *budget,
                           struct error *e)
{
    uint64_t records = (totals->edges - totals->loops) * (symmetric ? 1 : 2);
    struct placing c = {.order = order, .placement = pl, .symmetric = symmetric};
    c.modulus = (struct modulus){.p = order->p, .reciprocal = UINT64_MAX / order->p + 1};
    memset(pl, 0, sizeof *pl);
    pl->order = order;
    if (plan(pl, records, e) == ST_OK &&
        bucket_store_open(&pl->store, order->p * pl->shard_buckets, threads, records, budget, e) ==
            ST_OK &&
        edge_source_scan(source, totals, threads, visit, &c, e) == ST_OK)
        bucket_store_seal(&pl->store, e);
    if (e->status != ST_OK)
        placement_free(pl);
    return e->status;
}

void placement_free(struct placement *pl)
{
    bucket_store_close(&pl->store);
    row_ranges_free(&pl->local_rows);
    row_ranges_free(&pl->delegate_rows);
    memset(pl, 0, sizeof *pl);
}
