/* placement.c: see placement.h */
#include "placement.h"

#include "formats/base/arith.h"

#include <string.h>

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

/* The rows that a range may have. */
static uint64_t most_rows(unsigned column_bits, uint64_t rows, uint64_t max_ranges)
{
    unsigned bits = 8 * record_width_most(column_bits, rows, max_ranges) - column_bits;
    return UINT64_C(1) << (bits < 63 ? bits : 63);
}

/* Ranges for the rows of two subgraphs. */
static enum status cut_rows(struct placement *pl, enum vertex_kind rows, double target,
                            uint64_t max_ranges, struct error *e)
{
    const struct vertex_order *o = pl->order;
    const struct shard_vertices *sv = &o->shard[largest_shard(o)];
    unsigned to_normals = pl->plan[subgraph_between(rows, NORMALS)].column_bits;
    unsigned to_delegates = pl->plan[subgraph_between(rows, DELEGATES)].column_bits;
    uint64_t count = rows == NORMALS ? sv->locals : o->d;
    uint64_t most = smaller(most_rows(to_normals, count, max_ranges),
                            most_rows(to_delegates, count, max_ranges));
    struct row_ranges_limits limits = {target, most, most};
    if (rows == NORMALS)
        return row_ranges_make(&pl->local_rows, sv->runs, sv->run_count, &limits, e);
    return row_ranges_make(&pl->delegate_rows, o->delegate_runs, o->delegate_run_count, &limits, e);
}

enum status placement_plan(struct placement *pl, const struct vertex_order *o,
                           const struct pack_memory *memory, struct error *e)
{
    uint64_t most = memory->max_ranges / o->p;
    memset(pl, 0, sizeof *pl);
    pl->order = o;
    pl->plan[NN].column_bits = o->local_bits + bits_for(o->p);
    pl->plan[DN].column_bits = o->local_bits;
    pl->plan[ND].column_bits = pl->plan[DD].column_bits = bits_for(o->d);
    /* a delegate's edges are spread over all shards */
    if (cut_rows(pl, NORMALS, (double)memory->range_records, most, e) != ST_OK ||
        cut_rows(pl, DELEGATES, (double)memory->range_records * o->p, most, e) != ST_OK)
        return e->status;
    for (int g = 0; g < SUBGRAPHS; g++)
        pl->plan[g].rows = subgraph_rows((enum subgraph)g) == NORMALS ? &pl->local_rows
                                                                      : &pl->delegate_rows;
    pl->plan[DN].first_bucket = pl->local_rows.count;
    pl->plan[DD].first_bucket = pl->local_rows.count + pl->delegate_rows.count;
    pl->shard_buckets = pl->local_rows.count + 2 * pl->delegate_rows.count;
    return ST_OK;
}

void placement_free(struct placement *pl)
{
    bucket_store_close(&pl->store);
    row_ranges_free(&pl->local_rows);
    row_ranges_free(&pl->delegate_rows);
    memset(pl, 0, sizeof *pl);
}

unsigned placement_bucket_bytes(const struct placement *pl, uint32_t bucket)
{
    const struct record_plan *plan = bucket >= pl->plan[DD].first_bucket   ? &pl->plan[DD]
                                     : bucket >= pl->plan[DN].first_bucket ? &pl->plan[DN]
                                                                           : &pl->plan[NN];
    return record_bytes(plan, bucket - plan->first_bucket);
}

uint32_t record_target_granules(const struct record_plan *plan)
{
    const struct row_ranges *rows = plan->rows;
    return rows->rows == 0 ? 0 : row_ranges_granule((uint32_t)(rows->rows - 1), rows->granules) + 1;
}

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
