/* csr_build.c: see csr_build.h */
#include "csr_build.h"

#include "csr_columns.h"
#include "range_sort.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

/* Counts the records of all ranges, each thread with counters of its own. */
static enum status count_ranges(const struct csr_rows *csr, struct range_counter *counters,
                                int threads, struct error *e)
{
#pragma omp parallel num_threads(threads)
    {
        struct error error = {0};
        struct range_counter *own = &counters[omp_get_thread_num()];
        range_counter_open(own, csr, &error);
#pragma omp for schedule(dynamic, 1)
        for (uint32_t r = 0; r < csr->plan->rows->count; r++) {
            if (error.status == ST_OK)
                range_count(csr, own, r, &error);
        }
        range_counter_close(own);
        fail_thread(e, &error);
    }
    return e->status;
}

/* Gives each thread counters of its own for the columns of dd if memory allows; otherwise all threads share those of the first. */
static enum status take_columns(const struct csr_rows *csr, struct range_counter *counters,
                                int threads, struct memory_budget *budget, struct error *e)
{
    int shared = threads > 1 && csr->rows * 4 > memory_left(budget) / 4 / (uint64_t)(threads - 1);
    for (int i = 0; i < threads && e->status == ST_OK; i++) {
        counters[i].shared = shared;
        counters[i].of_column = csr->records_of;
        if (i > 0 && !shared)
            memory_take_huge(budget, (void **)&counters[i].of_column, csr->rows, 4, "row lengths", e);
    }
    return e->status;
}

/* The rows of subgraph g, without arrays. */
static struct csr_rows describe_rows(const struct csr_source *source, enum subgraph g)
{
    struct placement *pl = source->placement;
    const struct vertex_order *o = pl->order;
    int normal_rows = subgraph_rows(g) == NORMALS;
    return (struct csr_rows){.placement = pl,
                             .plan = &pl->plan[g],
                             .shard = source->shard,
                             .g = g,
                             .to = source->to,
                             .from = source->from,
                             .rows = normal_rows ? o->shard[source->shard].locals : o->d,
                             .width = subgraph_rows(g) == NORMALS && subgraph_columns(g) == NORMALS ? o->nn_column_bytes : 4};
}

/* Sets records_of[] of dd to the number of records that the transpose will bring to each delegate: its degree less its records in dn and
 * less placed[], its records in dd. To count the columns of dd would take a random access for each record. */
static enum status count_transposed(const struct csr_rows *csr, struct range_counter *counters, int threads, struct error *e)
{
    const struct csr_source source = {.placement = csr->placement, .shard = csr->shard};
    const struct vertex_order *o = csr->placement->order;
    struct csr_rows dn = describe_rows(&source, DN);
    dn.placed = csr->records_of; /* count_ranges counts those of dn there */
    if (count_ranges(&dn, counters, threads, e) != ST_OK)
        return e->status;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (uint32_t r = 0; r < csr->plan->rows->count; r++) {
        const uint64_t begin = range_begin(csr, r), end = range_begin(csr, r + 1);
        uint64_t run = begin < end ? order_delegate_run(o, (uint32_t)begin) : 0;
        for (uint64_t row = begin; row < end; row++) {
            run += row == o->delegate_run_end[run];
            csr->records_of[row] = (uint32_t)o->delegate_runs[run].degree - csr->records_of[row] - csr->placed[row];
        }
    }
    return e->status;
}

/* Sets records_of[] and records_in[] to the records of each row and range, and placed[] to those from buckets. */
static enum status count_rows(const struct csr_rows *csr, int threads, struct memory_budget *budget, struct error *e)
{
    struct range_counter *counters = calloc((size_t)threads, sizeof *counters);
    const int joins_itself = csr->to != NULL && csr->from != NULL, by_degrees = joins_itself && csr->placement->has_degrees;
    if (counters == NULL)
        return fail_memory(e, "row lengths", (uint64_t)threads * sizeof *counters);
    if ((!joins_itself || by_degrees || take_columns(csr, counters, threads, budget, e) == ST_OK) &&
        count_ranges(csr, counters, threads, e) == ST_OK &&
        (!by_degrees || count_transposed(csr, counters, threads, e) == ST_OK)) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
        for (uint32_t r = 0; r < csr->plan->rows->count; r++)
            range_counted(csr, counters, threads, r);
    }
    for (int i = 0; i < threads; i++) {
        if (counters[i].of_column != csr->records_of)
            memory_release(budget, counters[i].of_column);
    }
    free(counters);
    return e->status;
}

/* Returns the rows that are not empty, and sets csr->longest_row. */
static uint64_t count_sources(struct csr_rows *csr, int threads)
{
    uint64_t sources = 0, longest = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : sources)              \
    reduction(max : longest)
    for (uint64_t row = 0; row < csr->rows; row++) {
        sources += csr->records_of[row] != 0;
        longest = csr->records_of[row] > longest ? csr->records_of[row] : longest;
    }
    csr->longest_row = longest;
    return sources;
}

/* The number of head columns: as asked, or by HEADS_AUTO. */
static uint32_t choose_heads(const struct csr_rows *csr, int asked, uint64_t source_rows)
{
    if (csr->width == 8 || csr->rows == 0)
        return 0;
    if (asked != HEADS_AUTO)
        return (uint32_t)asked;
    return shard_usual_heads(csr->g, csr->rows, source_rows);
}

/* Estimates the bytes of the packed columns from the number of records in each row, and counts the columns. In a row of L
 * columns spread evenly over 2^column_bits, a column takes column_bits - log2(L) + 2 bits, and one more for the directory. */
static uint64_t estimate_columns(const struct csr_rows *csr, int threads, uint64_t *columns)
{
    uint64_t bits = 0, count = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : bits, count)
    for (uint64_t row = 0; row < csr->rows; row++) {
        uint64_t left = csr->records_of[row] > csr->k ? csr->records_of[row] - csr->k : 0;
        unsigned length_bits = left == 0 ? 0 : 63 - (unsigned)__builtin_clzll(left);
        unsigned gap_bits =
            csr->plan->column_bits > length_bits ? csr->plan->column_bits - length_bits : 0;
        bits += left * (gap_bits + 3);
        count += left;
    }
    *columns = count;
    return bits / 8;
}

/* ---- the other sections ---- */

/* Sets the bits of rows that are not empty. */
static void mark_sources(const struct csr_rows *csr, int threads, uint64_t words, uint64_t *mask)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t word = 0; word < words; word++) {
        uint64_t first = 64 * word, end = csr->rows - first < 64 ? csr->rows - first : 64, bits = 0;
        for (uint64_t i = 0; i < end; i++) {
            int full = csr->kept_of[first + i] != 0 ||
                       (csr->k > 0 && csr->heads[first + i] != HEAD_NONE);
            bits |= (uint64_t)full << i;
        }
        mask[word] = bits;
    }
}

/* Writes the mask of rows that are not empty. */
static enum status write_sources(const struct csr_rows *csr, const struct section_writer *out, struct error *e)
{
    uint64_t words = mask_words(csr->rows), *mask;
    if (memory_take(out->budget, (void **)&mask, words, 8, "row masks", e) != ST_OK)
        return e->status;
    mark_sources(csr, out->threads, words, mask);
    section_write(out, shard_section_of(csr->g, SHARD_SOURCES), 8, words, mask, e);
    memory_release(out->budget, mask);
    return e->status;
}

/* Turns the lengths of the rows into offsets, in the same memory if `total`, the last one, fits 4 bytes, and writes them. */
static enum status write_offsets(struct csr_rows *csr, uint64_t total,
                                 const struct section_writer *out, struct error *e)
{
    uint64_t at = 0, *wide = NULL;
    uint32_t *narrow = csr->kept_of, type = shard_section_of(csr->g, SHARD_OFFSETS);
    const uint32_t *kept_of = csr->kept_of;
    if (total > UINT32_MAX &&
        memory_take(out->budget, (void **)&wide, csr->rows + 1, 8, "row offsets", e) != ST_OK)
        return e->status;
    csr->kept_of = NULL;
    for (uint64_t row = 0; row < csr->rows; row++) {
        uint32_t kept = kept_of[row];
        if (wide != NULL)
            wide[row] = at;
        else
            narrow[row] = (uint32_t)at;
        at += kept;
    }
    if (wide != NULL) {
        wide[csr->rows] = at;
        section_write(out, type, 8, csr->rows + 1, wide, e);
    } else {
        narrow[csr->rows] = (uint32_t)at;
        section_write(out, type, 4, csr->rows + 1, narrow, e);
    }
    memory_release(out->budget, wide);
    return e->status;
}

/* The columns that are left in all rows. */
static uint64_t sum_kept(const struct csr_rows *csr, int threads)
{
    uint64_t total = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : total)
    for (uint64_t row = 0; row < csr->rows; row++)
        total += csr->kept_of[row];
    return total;
}

/* Allocates the arrays over rows. A subgraph that comes from a transpose alone, as nd does, needs no counts of placed records. */
static enum status take_rows(struct csr_rows *csr, struct memory_budget *budget, struct error *e)
{
    memory_take_huge(budget, (void **)&csr->records_of, csr->rows + 1, 4, "row lengths", e);
    memory_take(budget, (void **)&csr->records_in, csr->plan->rows->count, 8, "row ranges", e);
    csr->kept_of = csr->records_of;
    if (csr->to != NULL && csr->from != NULL)
        return memory_take_huge(budget, (void **)&csr->placed, csr->rows, 4, "row lengths", e);
    csr->placed = csr->from == NULL ? csr->records_of : NULL;
    return e->status;
}

/* Frees the counts of placed records, which are not needed once the columns are written. */
static void release_placed(struct csr_rows *csr, struct memory_budget *budget)
{
    if (csr->placed != csr->records_of)
        memory_release(budget, csr->placed);
    csr->placed = NULL;
}

/* Makes all sections of subgraph g and writes them; sets *counts. `heads` may be HEADS_AUTO. */
enum status csr_build(const struct csr_source *source, enum subgraph g, int heads,
                      const struct section_writer *out, struct csr_counts *counts,
                      struct error *e)
{
    struct csr_rows csr = describe_rows(source, g);
    struct memory_budget *budget = out->budget;
    const int threads = csr.rows > 0 ? out->threads : 1; /* the start of a thread takes longer than no rows */
    if (take_rows(&csr, budget, e) != ST_OK || count_rows(&csr, threads, budget, e) != ST_OK)
        goto cleanup;
    counts->source_rows = count_sources(&csr, threads);
    counts->head_columns = csr.k = choose_heads(&csr, heads, counts->source_rows);
    uint64_t head_entries = csr.rows * csr.k;
    if (memory_take_huge(budget, (void **)&csr.heads, head_entries, 4, "head columns", e) != ST_OK)
        goto cleanup;
    memset(csr.heads, 0xff, head_entries * 4); /* HEAD_NONE, also in ranges without edges */
    uint64_t columns, packed_bytes = estimate_columns(&csr, threads, &columns);
    if (csr_columns_write(&csr, out, section_choose(out, columns * csr.width, packed_bytes), &counts->edges, e) != ST_OK)
        goto cleanup;
    release_placed(&csr, budget);
    if (csr.k > 0 && section_write(out, shard_section_of(g, SHARD_HEADS), 4, head_entries,
                                   csr.heads, e) != ST_OK)
        goto cleanup;
    if (write_sources(&csr, out, e) == ST_OK)
        write_offsets(&csr, sum_kept(&csr, threads), out, e);
cleanup:
    release_placed(&csr, budget);
    memory_release(budget, csr.heads);
    memory_release(budget, csr.records_in);
    memory_release(budget, csr.records_of);
    return e->status;
}
