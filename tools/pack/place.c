/* place.c: see place.h */
#include "place.h"

#include "formats/base/arith.h"
#include "formats/graph/partition.h"
#include "upper.h"

#include <stdlib.h>
#include <string.h>

enum { PREFETCH_EDGES = 24 };

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

/* What placing an edge of one subgraph takes, copied together. */
struct class_placing {
    const uint16_t *of_granule;
    struct row_granules granules;
    unsigned column_bits, record_bytes;
    uint32_t first_bucket;
};

struct placing {
    struct class_placing class[SUBGRAPHS];
    uint32_t shard_buckets;
    const uint32_t *label;
    uint32_t delegate_mask; /* of a label */
    const struct vertex_order *order; /* NULL where labels tell all runs of delegates apart */
    unsigned local_bits;
    struct modulus modulus;
    int both; /* directions: the stream has each edge once */
    const unsigned char *finished; /* shards whose edges are passed over; NULL: none */
    struct bucket_store *store;
};

/* Whether `last` is in the run of the delegate `first` before it. */
static int same_run(const struct vertex_order *o, uint32_t first, uint32_t last)
{
    return last < o->delegate_run_end[order_delegate_run(o, first)];
}

/* The shard of an edge between delegates: that of the lower degree, then of the smaller id. Ids of
 * delegates ascend as degrees descend, and with the ids of their vertices within a degree. The run
 * bits of the labels tell different degrees apart, or most of them where there are many. */
static inline uint32_t dd_shard(const struct placing *c, uint64_t u, uint32_t lu, uint64_t v,
                                uint32_t lv)
{
    uint32_t du = lu & c->delegate_mask, dv = lv & c->delegate_mask;
    uint32_t first = du < dv ? du : dv, last = du < dv ? dv : du;
    int same_degree = ((lu ^ lv) & ~c->delegate_mask) == 0 &&
                      (c->order == NULL || same_run(c->order, first, last));
    return reduce(&c->modulus, same_degree == (du < dv) ? u : v);
}

static inline void append(const struct placing *c, struct bucket_writer *w, uint32_t shard,
                          enum subgraph g, uint32_t row, uint64_t column, int selective)
{
    if (selective && c->finished[shard])
        return;
    const struct class_placing *class = &c->class[g];
    uint32_t range = class->of_granule[row_ranges_granule(row, class->granules)];
    uint32_t bucket = shard * c->shard_buckets + class->first_bucket + range;
    uint64_t record = (uint64_t)row << class->column_bits | column;
    if (class->record_bytes == 4)
        bucket_append_u32(w, bucket, (uint32_t)record);
    else
        bucket_append_u64(w, bucket, record);
}

/* What a label stands for: the number of a vertex without the bits that tell its run. */
static inline uint32_t number_of(const struct placing *c, uint32_t label)
{
    return label & (c->delegate_mask | ((label >> 31) - 1));
}

/* The subgraph of row -> column. */
static inline enum subgraph subgraph_of(uint32_t row_label, uint32_t column_label)
{
    return (enum subgraph)(row_label >> 31 << 1 | column_label >> 31);
}

/* Places u -> v, and v -> u where the stream has each edge once. */
static inline void place_edge(const struct placing *c, struct bucket_writer *w, uint64_t u,
                              uint64_t v, int selective)
{
    uint32_t lu = c->label[u], lv = c->label[v];
    uint32_t nu = number_of(c, lu), nv = number_of(c, lv);
    enum subgraph g = subgraph_of(lu, lv);
    uint32_t shard, back;
    uint64_t column = nv, back_column = nu;
    if (g == DD) {
        shard = back = dd_shard(c, u, lu, v, lv);
    } else if (g == NN) {
        shard = reduce(&c->modulus, u);
        back = reduce(&c->modulus, v);
        column |= (uint64_t)back << c->local_bits;
        back_column |= (uint64_t)shard << c->local_bits;
    } else {
        shard = back = reduce(&c->modulus, g == ND ? u : v);
    }
    append(c, w, shard, g, nu, column, selective);
    if (c->both)
        append(c, w, back, subgraph_of(lv, lu), nv, back_column, selective);
}

static inline void place_edges(const struct placing *c, struct bucket_writer *w,
                               const struct edge *edges, size_t count, int selective)
{
    for (size_t i = 0; i < count; i++) {
        if (i + PREFETCH_EDGES < count) {
            __builtin_prefetch(&c->label[edges[i + PREFETCH_EDGES].u]);
            __builtin_prefetch(&c->label[edges[i + PREFETCH_EDGES].v]);
        }
        if (edges[i].u != edges[i].v)
            place_edge(c, w, edges[i].u, edges[i].v, selective);
    }
}

static enum status visit(void *context, int thread, const struct edge *edges, size_t count,
                         struct error *e)
{
    /* a copy that nothing points to stays in registers while records are stored */
    const struct placing c = *(const struct placing *)context;
    struct bucket_writer *w = &c.store->writer[thread];
    if (c.finished == NULL)
        place_edges(&c, w, edges, count, 0);
    else
        place_edges(&c, w, edges, count, 1);
    if (w->error.status != ST_OK)
        *e = w->error;
    return e->status;
}

/* ---- planning ---- */

unsigned placement_column_bits(const struct vertex_order *o)
{
    unsigned nn = o->local_bits + bits_for(o->p), delegates = bits_for(o->d);
    return nn > delegates ? nn : delegates;
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

unsigned placement_record_bytes(unsigned column_bits, uint64_t rows, uint64_t max_ranges)
{
    return column_bits < 32 && rows >> (32 - column_bits) <= max_ranges ? 4 : 8;
}

/* Returns the rows that a range may have. */
static uint64_t plan_records(struct record_plan *plan, unsigned column_bits, uint64_t rows,
                             uint64_t max_ranges)
{
    plan->column_bits = column_bits;
    plan->bytes = placement_record_bytes(column_bits, rows, max_ranges);
    return UINT64_C(1) << (8 * plan->bytes - column_bits < 63 ? 8 * plan->bytes - column_bits : 63);
}

static enum status plan(struct placement *pl, const struct pack_memory *memory, struct error *e)
{
    const struct vertex_order *o = pl->order;
    const struct shard_vertices *sv = &o->shard[largest_shard(o)];
    struct record_plan *plan = pl->plan;
    uint64_t target = memory->range_records, most = memory->max_ranges / o->p;
    uint64_t nn = plan_records(&plan[NN], o->local_bits + bits_for(o->p), sv->locals, most);
    uint64_t nd = plan_records(&plan[ND], bits_for(o->d), sv->locals, most);
    uint64_t dn = plan_records(&plan[DN], o->local_bits, o->d, most);
    uint64_t dd = plan_records(&plan[DD], bits_for(o->d), o->d, most);
    /* a delegate's edges are spread over all shards */
    struct row_ranges_limits locals = {(double)target, smaller(nn, nd), smaller(nn, nd)},
                             delegates = {(double)target * o->p, smaller(dn, dd), smaller(dn, dd)};
    if (row_ranges_make(&pl->local_rows, sv->runs, sv->run_count, &locals, e) != ST_OK ||
        row_ranges_make(&pl->delegate_rows, o->delegate_runs, o->delegate_run_count, &delegates,
                        e) != ST_OK)
        return e->status;
    plan[NN].first_bucket = 0;
    plan[ND].first_bucket = pl->local_rows.count;
    plan[DN].first_bucket = 2 * pl->local_rows.count;
    plan[DD].first_bucket = 2 * pl->local_rows.count + pl->delegate_rows.count;
    pl->rows[NN] = pl->rows[ND] = &pl->local_rows;
    pl->rows[DN] = pl->rows[DD] = &pl->delegate_rows;
    if (pl->upper != NULL)
        pl->rows[DD] = &pl->upper->ranges;
    pl->shard_buckets = plan[DD].first_bucket + pl->rows[DD]->count;
    return ST_OK;
}

static struct placing start_placing(struct placement *pl, const struct placing_options *options)
{
    const struct vertex_order *o = pl->order;
    struct placing c = {.shard_buckets = pl->shard_buckets,
                        .label = o->labels->of,
                        .delegate_mask = (UINT32_C(1) << o->delegate_bits) - 1,
                        .local_bits = o->local_bits,
                        .modulus = {.p = o->p, .reciprocal = UINT64_MAX / o->p + 1},
                        .both = !options->symmetric,
                        .finished = options->finished,
                        .store = &pl->store};
    if (o->delegate_run_count > UINT64_C(1) << (31 - o->delegate_bits))
        c.order = o;
    for (int g = 0; g < SUBGRAPHS; g++) {
        const struct row_ranges *rows = pl->rows[g];
        c.class[g] = (struct class_placing){.of_granule = rows->of_granule,
                                            .granules = rows->granules,
                                            .column_bits = pl->plan[g].column_bits,
                                            .record_bytes = pl->plan[g].bytes,
                                            .first_bucket = pl->plan[g].first_bucket};
    }
    return c;
}

enum status placement_open(struct placement *pl, const struct vertex_order *order,
                           struct upper *upper, uint64_t records, const struct bucket_store *like,
                           const struct placing_options *options, struct memory_budget *budget,
                           struct error *e)
{
    memset(pl, 0, sizeof *pl);
    pl->order = order;
    pl->upper = upper;
    if (plan(pl, options->memory, e) != ST_OK)
        return e->status;
    struct bucket_options o = {.buckets = order->p * pl->shard_buckets,
                               .threads = options->threads,
                               .expected_bytes = 4 * records,
                               .room_bytes = options->store_bytes,
                               .spill = options->spill,
                               .like = like};
    for (int g = 0; g < SUBGRAPHS; g++)
        o.most_bytes = larger(o.most_bytes, pl->plan[g].bytes * records);
    return bucket_store_open(&pl->store, &o, budget, e);
}

enum status placement_make(struct placement *pl, const struct vertex_order *order,
                           const struct edge_source *source, const struct edges_totals *totals,
                           const struct placing_options *options, struct memory_budget *budget,
                           struct error *e)
{
    /* an upper bound: how many of this rank's are loops is not known */
    uint64_t own = smaller(options->own_edges, totals->edges - totals->loops);
    struct edge_tiles *tiles = order->labels->tiles;
    placement_open(pl, order, NULL, own * (options->symmetric ? 1 : 2),
                   tiles != NULL ? &tiles->store : NULL, options, budget, e);
    if (e->status == ST_OK && tiles != NULL)
        edge_tiles_leave(tiles, &pl->store, e);
    /* a rank that has no plan goes through the scan too, which visits nothing and fails on all ranks */
    struct placing c = {0};
    if (e->status == ST_OK)
        c = start_placing(pl, options);
    if (values_scan(order->labels, source, totals, visit, &c, e) == ST_OK)
        bucket_store_seal(&pl->store, e);
    if (comm_agree(source->comm, e) != ST_OK)
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
