/* pack_plan.c: see pack_plan.h. A split tells the degrees and, for its TH, the edges of nn, nd, dn and dd. Without a split
 * there are only bounds: each delegate has more than TH edge ends, and a TH by the rule of memory leaves at most 4n/p
 * delegates. Then the largest degree is guessed, and with it the memory for sorting the longest row. */
#include "pack_plan.h"

#include "formats/base/arith.h"
#include "formats/split.h"
#include "tools/pack/place/pack_memory.h"
#include "tools/pack/place/placement.h"

#include <math.h>
#include <string.h>

/* The numbers of the graph on which the plan rests. */
struct graph {
    uint64_t n, connected, m, d, largest_degree, largest_normal;
    uint64_t edges[SUBGRAPHS]; /* directed, of all shards */
    uint64_t most_nn;          /* a bound of the edges of nn */
};

/* Sets upper bounds of the counts, and a guess of the largest degree. */
static void bound_without_split(struct graph *g, const struct pack_options *o)
{
    g->connected = smaller(g->n, g->m);
    g->largest_degree = smaller(g->m / 2, 16 * (uint64_t)sqrt((double)g->m));
    g->d = o->suggest_by == TH_BY_MEMORY ? smaller(g->connected, 4 * g->n / o->p) : g->connected;
    if (o->th_given)
        g->d = o->th == TH_INFINITE ? 0 : smaller(g->connected, g->m / (o->th + 1));
    g->largest_normal = o->th_given && o->th < g->largest_degree ? o->th : g->largest_degree;
    g->most_nn = g->largest_normal > 0 && g->connected > g->m / g->largest_normal
                     ? g->m : g->connected * g->largest_normal;
    /* all edges in one class, which has the widest and the most rows */
    g->edges[g->d > 0 ? DD : NN] = g->m;
}

/* Takes the counts from the split. */
static enum status look_up_split(struct graph *g, const struct split *s, const char *path, struct error *e)
{
    const struct sweep_row *row = split_row(s, s->th);
    if (row == NULL)
        return fail(e, ST_BAD_DATA, "%s: sweep: has no row for its TH", path);
    g->connected = g->n;
    for (uint64_t i = 0; i < s->histogram_rows; i++) {
        const struct degree_count *h = &s->histogram[i];
        if (h->degree == 0)
            g->connected -= h->vertices;
        if (h->degree <= s->th)
            g->largest_normal = h->degree;
        g->largest_degree = h->degree;
    }
    g->d = s->d;
    g->edges[NN] = g->most_nn = row->nn;
    g->edges[ND] = row->nd;
    g->edges[DN] = row->dn;
    g->edges[DD] = row->dd;
    return ST_OK;
}

/* Finds the graph's counts, in the split or, without one, as bounds. */
static enum status find_counts(struct graph *g, const struct pack_plan *plan,
                               const struct pack_options *o, struct memory_budget budget,
                               struct error *e)
{
    struct split split;
    *g = (struct graph){.n = plan->separation.totals.n, .m = plan->separation.directed_edges};
    if (o->split_path == NULL) {
        bound_without_split(g, o);
        return ST_OK;
    }
    if (split_read(&split, o->split_path, &budget, e) != ST_OK)
        return e->status;
    if (split.totals.checksum != plan->separation.totals.checksum || split.totals.n != g->n)
        fail(e, ST_BAD_DATA, "%s: was made from another edge stream", o->split_path);
    else
        look_up_split(g, &split, o->split_path, e);
    split_free(&split);
    return e->status;
}

/* Returns the most of `count` things that a shard is likely to have: somewhat above the mean, as shards are about equal. */
static uint64_t share(uint64_t count, uint32_t p)
{
    uint64_t even = count / p + (count % p != 0);
    return p == 1 ? count : even + even / 32 + 64;
}

/* Fills in the sizes on which the memory depends. */
static struct pack_size fill_pack_size(const struct pack_plan *plan, const struct graph *g,
                                       const struct pack_options *o, uint64_t limit_bytes)
{
    uint64_t locals = smaller(share(g->connected - g->d, o->p), g->connected - g->d);
    unsigned nn_bits = bits_for(locals) + bits_for(o->p);
    struct pack_size s = {.p = o->p,
                          .ranks = 1,
                          .d = g->d,
                          .locals = locals,
                          .longest = larger(g->largest_normal, g->largest_degree / o->p),
                          .directed_edges = g->m,
                          .held_edges = g->m,
                          .held_nn = smaller(g->most_nn, g->m),
                          .tiles.bytes = plan->separation.tiles_bytes,
                          .rows = pack_rows(o, &plan->separation.info),
                          .nn_column_bytes = nn_bits < 32 ? 4 : 8,
                          .column_bits = nn_bits > bits_for(g->d) ? nn_bits : bits_for(g->d),
                          .threads = o->threads,
                          .limit_bytes = limit_bytes};
    memcpy(s.heads, o->heads, sizeof s.heads);
    return s;
}

/* ---- bytes of shards ---- */

/* Estimates the bytes of one subgraph in a shard of average size, not packed. Half of the entries of head columns may be empty. */
static uint64_t subgraph_bytes(const struct graph *g, const struct pack_size *s, enum subgraph sub, uint64_t edges)
{
    uint64_t rows = subgraph_rows(sub) == NORMALS ? (g->connected - g->d) / s->p : g->d;
    uint64_t k = s->heads[sub] != HEADS_AUTO ? (uint64_t)s->heads[sub] : HEADS_USUAL;
    if (s->heads[sub] == HEADS_AUTO && (subgraph_columns(sub) == NORMALS || edges < rows / 2))
        k = 0;
    return 4 * (rows + 1) + 8 * mask_words(rows) + (sub == NN ? s->nn_column_bytes : 4) * edges +
           2 * k * rows;
}

/* Estimates the bytes of a subgraph, in-rows included. g->edges counts a directed edge twice, each set of rows once. */
static uint64_t rows_bytes(const struct graph *g, const struct pack_size *s, enum subgraph sub)
{
    uint64_t edges = g->edges[sub] / s->p;
    if (s->rows == ROWS_UNDIRECTED)
        return subgraph_bytes(g, s, sub, edges);
    return (s->rows == ROWS_OUT_AND_IN ? 2 : 1) * subgraph_bytes(g, s, sub, edges / 2);
}

/* Sets the bytes of a shard on a device and of all shards, not packed. */
static void plan_output(struct pack_plan *plan, const struct graph *g, const struct pack_size *s)
{
    uint64_t id_bytes = g->n <= (uint64_t)UINT32_MAX + 1 ? 4 : 8;
    for (int i = 0; i < SUBGRAPHS; i++)
        plan->device_bytes += rows_bytes(g, s, (enum subgraph)i);
    uint64_t pages = (s->rows == ROWS_OUT_AND_IN ? 40 : 24) * CONTAINER_ALIGN;
    plan->output_bytes = s->p * (plan->device_bytes + id_bytes * g->d + pages) +
                         4 * (g->connected - g->d) +
                         16 * smaller(plan->separation.totals.loops, g->n);
}

/* Returns the most bytes of the packed columns of all rows. A row of L columns takes about log2(rows / L) + 3 bits for each,
 * which is most if all rows are equally long. */
static uint64_t packed_columns(const struct graph *g)
{
    uint64_t rows = larger(g->connected, 1), bits = bits_for(rows) + 3;
    for (uint64_t length = g->m / rows; length > 1 && bits > 3; length /= 2)
        bits--;
    return g->m / 8 * bits;
}

/* Sets the same as they are encoded. */
static void plan_packed(struct pack_plan *plan, const struct graph *g, const struct pack_size *s,
                        enum pack_encoding encoding)
{
    uint64_t columns = 0, packed = packed_columns(g), saved = 0;
    for (int i = 0; i < SUBGRAPHS; i++)
        columns += (i == NN ? s->nn_column_bytes : 4) * g->edges[i];
    if (s->rows == ROWS_OUT) {
        columns /= 2;
        packed /= 2;
    }
    if (encoding != PACK_RAW && packed < columns)
        saved = columns - packed;
    plan->device_packed_bytes = plan->device_bytes - smaller(saved / s->p, plan->device_bytes);
    plan->written_bytes = plan->output_bytes - smaller(saved, plan->output_bytes);
}

/* ---- memory and disk ---- */

/* Returns the bytes of all placed records; in dd only those above the diagonal are placed, in nd none. *nn is set to the bytes
 * of nn, whose records go through no transpose. */
static uint64_t placed_bytes(const struct graph *g, const struct pack_size *s,
                             const struct pack_memory *m, uint64_t *nn)
{
    const unsigned bits[SUBGRAPHS] = {[NN] = bits_for(s->locals) + bits_for(s->p),
                                      [DN] = bits_for(s->locals),
                                      [DD] = bits_for(s->d)};
    const uint64_t records[SUBGRAPHS] = {
        [NN] = s->rows == ROWS_OUT ? g->edges[NN] / 2 : g->edges[NN],
        [DN] = g->edges[DN],
        [DD] = g->edges[DD] / 2};
    uint64_t bytes = 0;
    for (int i = 0; i < SUBGRAPHS; i++) {
        uint64_t rows = subgraph_rows((enum subgraph)i) == NORMALS ? s->locals : s->d;
        uint64_t own = record_width_most(bits[i], rows, m->limits.max_ranges / s->p) * records[i];
        *nn = i == NN ? own : *nn;
        bytes += own;
    }
    return bytes;
}

/* Estimates the bytes that are spilled to disk. Of the placed edges, a quarter of the store stays in memory. Of the `passed`
 * bytes of records that go through transposes, each shard keeps half of what its transpose can use: the transpose's own memory,
 * and that quarter, which the store has given back by then. */
static uint64_t spilled_bytes(const struct pack_memory *m, uint32_t p, uint64_t edges, uint64_t passed)
{
    uint64_t quarter = m->store_bytes / 4;
    uint64_t spilled = edges - smaller(edges, quarter) + passed -
                       smaller(passed, p * (m->transpose_bytes + quarter) / 2);
    return spilled + spilled / 32;
}

/* Sets the memory and disk that the packing takes; fails if the memory budget is too small. */
static enum status plan_memory(struct pack_plan *plan, const struct graph *g,
                               const struct pack_size *s, const struct memory_budget *budget,
                               struct error *e)
{
    const struct separation_plan *sp = &plan->separation;
    uint64_t order = (g->n <= (uint64_t)UINT32_MAX + 1 ? 4 : 8) * s->d + sp->tables_bytes;
    uint64_t taken = budget->taken_bytes + sp->values_bytes + order;
    uint64_t ordering = taken + (plan->reads_split ? 8 * s->d : 0);
    uint64_t with_tiles = taken + sp->tiles_bytes;
    uint64_t left = with_tiles < budget->limit_bytes ? budget->limit_bytes - with_tiles : 0;
    int ample = sp->windows == 1 && pack_memory_ample(s, left);
    struct pack_memory m;
    if (pack_memory_divide(&m, s, left, left + (ample ? 0 : sp->values_bytes), e) != ST_OK)
        return e->status;
    uint64_t nn = 0, edges = placed_bytes(g, s, &m, &nn), passed = edges - nn;
    /* waste in chunks that are not full, and the headers of chunks, in the store and in transposes */
    uint64_t slack = edges / 6 + pack_memory_store_least(s, &m);
    uint64_t room = m.store_bytes + sp->tiles_bytes / 9 * 8;
    uint64_t store = larger(smaller(room, edges + slack), sp->tiles_bytes);
    store += smaller(m.transpose_bytes, slack);
    uint64_t sorting = smaller(m.sort_bytes, pack_memory_sorting(s, &m));
    uint64_t building = taken - (ample ? 0 : sp->values_bytes) + store + m.rows_bytes + sorting;
    uint64_t most = larger(ordering, larger(taken + store, building));
    plan->memory_bytes = smaller(most, budget->limit_bytes);
    plan->disk_bytes = sp->disk_bytes;
    if (!ample)
        plan->disk_bytes += 4 * sp->ids;
    if (edges + edges / 8 > room)
        plan->disk_bytes += spilled_bytes(&m, s->p, edges, passed);
    return ST_OK;
}

/* Halves the guessed number of delegates or of vertices with edges. Without a split only upper bounds of both are known. If these do
 * not fit into memory, the plan is made for fewer, because the packing counts them and may fit. Returns 0 if no fewer are possible. */
static int guess_fewer(struct graph *g)
{
    if (g->d > g->connected / 4)
        g->d /= 2;
    else
        g->connected /= 2;
    return g->connected > 0;
}

/* The options of a separation, by the totals of the source. */
struct separation_options pack_plan_separation(const struct pack_options *o, const struct edge_source *source)
{
    return (struct separation_options){.threads = o->threads,
                                       .p = o->p,
                                       .spill = o->spill,
                                       .beside = pack_memory_buckets(source->totals.edges, o->p, o->threads),
                                       .beside_vertex = PACK_VERTEX_BYTES,
                                       .edges_bytes = pack_memory_edges(source->totals.n, source->largest_share, o->p)};
}

/* Makes the plan without a pass over the stream. */
enum status pack_plan_make(struct pack_plan *plan, const struct pack_options *o,
                           const struct edge_source *source, const struct memory_budget *budget,
                           struct error *e)
{
    const struct separation_options options = pack_plan_separation(o, source);
    struct graph g;
    *plan = (struct pack_plan){.reads_split = o->split_path != NULL};
    if (separation_plan_make(&plan->separation, source, &options, budget, e) != ST_OK ||
        find_counts(&g, plan, o, *budget, e) != ST_OK)
        return e->status;
    struct pack_size size = fill_pack_size(plan, &g, o, budget->limit_bytes);
    while (plan_memory(plan, &g, &size, budget, e) != ST_OK && o->split_path == NULL && guess_fewer(&g)) {
        *e = (struct error){0};
        plan->if_fewer = 1;
        size = fill_pack_size(plan, &g, o, budget->limit_bytes);
    }
    plan->d = g.d;
    plan->connected = g.connected;
    plan->d_is_exact = o->split_path != NULL || (o->th_given && o->th == TH_INFINITE);
    plan->place_passes = plan->separation.scan_passes;
    plan->class_passes =
        o->split_path == NULL && !o->th_given ? plan->separation.scan_passes : 0;
    plan_output(plan, &g, &size);
    plan_packed(plan, &g, &size, o->encoding);
    return e->status;
}

/* Prints the plan as lines "key value quality". */
void pack_plan_print(const struct pack_plan *plan, const struct memory_budget *budget, FILE *stream)
{
    const struct separation_plan *sp = &plan->separation;
    uint64_t passes = sp->degree_passes + plan->class_passes + plan->place_passes;
    separation_plan_print(sp, stream);
    plan_print(stream, "class-passes", plan->class_passes, PLAN_EXACT);
    plan_print(stream, "place-passes", plan->place_passes, PLAN_EXACT);
    plan_print(stream, "stream-bytes-read", passes * sp->stream_bytes, PLAN_EXACT);
    plan_print(stream, "delegates", plan->d, plan->d_is_exact ? PLAN_EXACT : plan->if_fewer ? PLAN_ESTIMATE : PLAN_AT_MOST);
    plan_print(stream, "memory-budget", budget->limit_bytes, PLAN_EXACT);
    plan_print(stream, "memory", plan->memory_bytes,
               plan->reads_split ? PLAN_AT_MOST : PLAN_ESTIMATE);
    plan_print(stream, "temporary-disk", plan->disk_bytes, PLAN_AT_MOST);
    plan_print(stream, "device-bytes-per-shard", plan->device_bytes, PLAN_ESTIMATE);
    plan_print(stream, "packed-bytes-per-shard", plan->device_packed_bytes, PLAN_ESTIMATE);
    plan_print(stream, "output-bytes", plan->output_bytes, PLAN_ESTIMATE);
    plan_print(stream, "written-bytes", plan->written_bytes, PLAN_ESTIMATE);
}
