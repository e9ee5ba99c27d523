/* upper_sweep.c: see upper_sweep.h; upper_take.c and upper_join.c are its two steps */
#include "upper_parts.h"

#include <stdlib.h>

/* ---- buffers ---- */

static uint64_t most_rows(const struct row_ranges *ranges)
{
    uint64_t most = 1;
    for (uint32_t r = 0; r < ranges->count; r++) {
        uint64_t rows = ranges->first[r + 1] - ranges->first[r];
        most = rows > most ? rows : most;
    }
    return most;
}

static uint64_t largest_degree(const struct vertex_order *o)
{
    const struct shard_vertices *sv = &o->shard[0];
    if (o->delegate_run_count > 0)
        return o->delegate_runs[0].degree;
    return sv->run_count > 0 ? sv->runs[0].degree : 0;
}

static uint64_t large_bytes(const struct upper *u)
{
    uint64_t bytes = u->ranges.heaviest * sizeof(uint32_t);
    return bytes > RECORD_RADIX_BYTES ? bytes : 0;
}

uint64_t upper_sweeper_bytes(const struct csr_rows *csr)
{
    const struct placement *pl = csr->placement;
    const struct upper *u = pl->upper;
    return record_radix_bytes(u->column_bits) + most_rows(&u->ranges) * sizeof(uint64_t) +
           large_bytes(u) + row_order_bytes(largest_degree(pl->order)) +
           (uint64_t)pl->store.threads * sizeof(struct sweep_lane);
}

static enum status open_target(struct sweep_target *t, const struct placement *pl, enum subgraph g,
                               struct error *e)
{
    const struct record_plan *plan = &pl->plan[g];
    *t = (struct sweep_target){.granules = pl->rows[g]->granules,
                               .column_bits = plan->column_bits,
                               .first = pl->rows[g]->first,
                               .first_bucket = plan->first_bucket};
    t->bucket_of = upper_bucket_table(pl->rows[g], plan->column_bits, g != DD && plan->bytes == 8, e);
    return e->status;
}

enum status upper_sweeper_open(struct upper_sweeper *s, const struct csr_rows *csr, int thread,
                               struct error *e)
{
    struct placement *pl = csr->placement;
    const struct upper *u = pl->upper;
    *s = (struct upper_sweeper){.placement = pl, .writer = &pl->store.writer[thread]};
    s->next = malloc(most_rows(&u->ranges) * sizeof *s->next);
    s->large = large_bytes(u) > 0 ? malloc(large_bytes(u)) : NULL;
    s->lane = malloc((size_t)pl->store.threads * sizeof *s->lane);
    s->rows.column_bits = u->column_bits; /* rows are put into order alone, so there are no marks */
    if (s->next == NULL || s->lane == NULL || (s->large == NULL && large_bytes(u) > 0))
        return fail_memory(e, "sorting edges", upper_sweeper_bytes(csr));
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (open_target(&s->target[g], pl, (enum subgraph)g, e) != ST_OK)
            return e->status;
    }
    return record_radix_open(&s->radix, u->column_bits, e);
}

void upper_sweeper_close(struct upper_sweeper *s)
{
    free(s->next);
    free(s->large);
    free(s->lane);
    for (int g = 0; g < SUBGRAPHS; g++)
        free(s->target[g].bucket_of);
    record_radix_close(&s->radix);
    row_sorter_close(&s->rows);
}

/* ---- lengths ---- */

void upper_sweep_lengths(const struct csr_rows *csr, uint32_t r)
{
    const struct upper *u = csr->placement->upper;
    const struct vertex_order *o = u->order;
    uint64_t row = range_begin(csr, r), end = range_begin(csr, r + 1);
    uint64_t run = row < end ? order_delegate_run(o, (uint32_t)row) : 0;
    for (; row < end; row++) {
        while (row >= o->delegate_run_end[run])
            run++;
        uint64_t lower = o->delegate_runs[run].degree - u->records[row];
        csr->length[row] = (uint32_t)(lower + u->delegates[row]);
        csr->records[r] += csr->length[row];
    }
}
