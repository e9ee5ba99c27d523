/* placement.c: see placement.h */
#include "placement.h"

#include "formats/base/arith.h"

#include <string.h>

/* The bits of a column of subgraph g in a record. */
static unsigned column_bits(const struct vertex_order *o, enum subgraph g)
{
    if (subgraph_columns(g) == DELEGATES)
        return bits_for(o->d);
    return o->local_bits + (subgraph_rows(g) == NORMALS ? bits_for(o->p) : 0);
}

/* The most bits that a column takes in any subgraph. */
unsigned placement_column_bits(const struct vertex_order *o)
{
    return (unsigned)larger(column_bits(o, NN), column_bits(o, DD));
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

/* The rows of two subgraphs, and how they are cut into ranges. */
struct rows_cut {
    const struct degree_run *runs;
    uint64_t run_count;
    struct row_ranges_limits limits;
};

/* How the rows of this kind are cut, with the degrees of the largest shard, or of the delegates, as weights. */
static struct rows_cut plan_cut(const struct vertex_order *o, enum vertex_kind rows, struct placement_limits l)
{
    const struct shard_vertices *sv = &o->shard[largest_shard(o)];
    uint64_t count = rows == NORMALS ? sv->locals : o->d, max_ranges = l.max_ranges / o->p;
    unsigned to_normals = column_bits(o, subgraph_between(rows, NORMALS));
    unsigned to_delegates = column_bits(o, subgraph_between(rows, DELEGATES));
    uint64_t most = smaller(record_width_rows(to_normals, count, max_ranges),
                            record_width_rows(to_delegates, count, max_ranges));
    double target = (double)l.range_records;
    if (rows == NORMALS)
        return (struct rows_cut){sv->runs, sv->run_count, {target, most, most}};
    /* a delegate's edges are spread over all shards */
    return (struct rows_cut){o->delegate_runs, o->delegate_run_count, {target * o->p, most, most}};
}

/* Counts the ranges that placement_plan makes with these limits. */
struct placement_ranges placement_count(const struct vertex_order *o, struct placement_limits limits)
{
    struct rows_cut normals = plan_cut(o, NORMALS, limits);
    struct rows_cut delegates = plan_cut(o, DELEGATES, limits);
    struct row_ranges n = row_ranges_count(normals.runs, normals.run_count, &normals.limits);
    struct row_ranges d = row_ranges_count(delegates.runs, delegates.run_count, &delegates.limits);
    return (struct placement_ranges){n.count, d.count, larger(n.longest, d.longest)};
}

/* The subgraphs that have records, in the order of their buckets. */
#define NOTHING_PLACED ROW_SETS
static const enum subgraph placed[][SUBGRAPHS + 2] = {
    [ROWS_UNDIRECTED] = {NN, DN, DD, NOTHING_PLACED},
    [ROWS_OUT] = {NN, ND, DN, DD, NOTHING_PLACED},
    [ROWS_OUT_AND_IN] = {NN, IN_NN, ND, DN, DD, NOTHING_PLACED},
};

/* The buckets of a shard with this many ranges. */
uint64_t placement_shard_buckets(enum placed_rows rows, uint64_t normals, uint64_t delegates)
{
    uint64_t buckets = 0;
    for (int i = 0; placed[rows][i] != NOTHING_PLACED; i++)
        buckets += subgraph_rows(placed[rows][i]) == NORMALS ? normals : delegates;
    return buckets;
}

/* Plans ranges and buckets; the store is not opened. */
enum status placement_plan(struct placement *pl, const struct vertex_order *o, enum placed_rows rows,
                           struct placement_limits limits, struct error *e)
{
    struct rows_cut normals = plan_cut(o, NORMALS, limits);
    struct rows_cut delegates = plan_cut(o, DELEGATES, limits);
    memset(pl, 0, sizeof *pl);
    pl->order = o;
    pl->rows = rows;
    if (row_ranges_make(&pl->local_rows, normals.runs, normals.run_count, &normals.limits, e) !=
            ST_OK ||
        row_ranges_make(&pl->delegate_rows, delegates.runs, delegates.run_count,
                        &delegates.limits, e) != ST_OK)
        return e->status;
    for (int g = 0; g < ROW_SETS; g++)
        pl->plan[g] = (struct record_plan){
            .rows = subgraph_rows((enum subgraph)g) == NORMALS ? &pl->local_rows
                                                               : &pl->delegate_rows,
            .column_bits = column_bits(o, (enum subgraph)g)};
    for (int i = 0; placed[rows][i] != NOTHING_PLACED; i++) {
        pl->plan[placed[rows][i]].first_bucket = pl->shard_buckets;
        pl->shard_buckets += pl->plan[placed[rows][i]].rows->count;
    }
    return ST_OK;
}

void placement_free(struct placement *pl)
{
    bucket_store_close(&pl->store);
    row_ranges_free(&pl->local_rows);
    row_ranges_free(&pl->delegate_rows);
    memset(pl, 0, sizeof *pl);
}

/* The bytes of a record in this bucket of a shard. */
unsigned placement_bucket_bytes(const struct placement *pl, uint32_t bucket)
{
    const enum subgraph *g = placed[pl->rows];
    while (g[1] != NOTHING_PLACED && bucket >= pl->plan[g[1]].first_bucket)
        g++;
    const struct record_plan *plan = &pl->plan[*g];
    return record_bytes(plan, bucket - plan->first_bucket);
}

/* The entries that range_of needs. */
uint32_t record_target_granules(const struct record_plan *plan)
{
    const struct row_ranges *rows = plan->rows;
    return rows->rows == 0 ? 0 : row_ranges_granule((uint32_t)(rows->rows - 1), rows->granules) + 1;
}

/* Fills in range_of, and returns what record_append needs to know of the subgraph. */
struct record_target record_target_make(const struct record_plan *plan, uint16_t *range_of)
{
    uint32_t granules = record_target_granules(plan);
    for (uint32_t g = 0; g < granules; g++) {
        uint32_t range = plan->rows->of_granule[g];
        range_of[g] = (uint16_t)(range | record_width_of(plan, range) << RECORD_RANGE_BITS);
    }
    return (struct record_target){.range_of = range_of,
                                  .granules = plan->rows->granules,
                                  .column_bits = plan->column_bits,
                                  .first = plan->rows->first,
                                  .first_bucket = plan->first_bucket};
}
