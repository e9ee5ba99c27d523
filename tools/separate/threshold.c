/* threshold.c: see threshold.h */
#include "threshold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PREFETCH_EDGES = 24, STEP = 128, MAX_SWEEP_ROWS = 160 };

/* ---- the pass ---- */

/* A pass that counts edges by the smaller rank of their two ends. Counts by the larger rank follow: the degrees tell how many
 * edge ends a rank has, and those that are not the smaller end of their edge are the larger one. */
struct rank_pass {
    const uint32_t *rank_of;
    unsigned tile_bytes;   /* of a record of the tiles */
    uint64_t **by_smaller; /* [threads][ranks] stream edges */
};

/* Counts edges of the stream by their smaller rank; an edges_visitor. */
static enum status count_edges(void *context, int thread, const struct edge *edges, size_t count, struct error *e)
{
    const struct rank_pass *pass = context;
    const uint32_t *rank_of = pass->rank_of;
    uint64_t *by_smaller = pass->by_smaller[thread];
    (void)e;
    for (size_t i = 0; i < count; i++) {
        if (i + PREFETCH_EDGES < count) {
            __builtin_prefetch(&rank_of[edges[i + PREFETCH_EDGES].u]);
            __builtin_prefetch(&rank_of[edges[i + PREFETCH_EDGES].v]);
        }
        if (edges[i].u == edges[i].v)
            continue;
        uint32_t a = rank_of[edges[i].u], b = rank_of[edges[i].v];
        by_smaller[a > b ? b : a]++;
    }
    return ST_OK;
}

/* Finds the smaller rank of each of `count` edges of a tile, and prefetches the ranks for the next ones. Callers pass `bytes`
 * as a constant. */
static inline void find_smaller(const struct rank_pass *pass, const struct tile_run *run, size_t at,
                                size_t count, unsigned bytes, uint32_t *smaller)
{
    const uint32_t *row = pass->rank_of + run->row, *column = pass->rank_of + run->column;
    const size_t ahead = run->count - at > count + PREFETCH_EDGES ? PREFETCH_EDGES : 0;
    for (size_t i = at; i < at + count; i++) {
        uint64_t coming = tile_record(run->records, bytes, i + ahead);
        uint64_t record = tile_record(run->records, bytes, i);
        __builtin_prefetch(&row[tile_row(coming, bytes)]);
        __builtin_prefetch(&column[tile_column(coming, bytes)]);
        uint32_t a = row[tile_row(record, bytes)], b = column[tile_column(record, bytes)];
        smaller[i - at] = a < b ? a : b;
    }
}

/* Counts the edges of a tile, which has no self-loops, by their smaller rank; a tile_visitor. */
static enum status count_tile(void *context, int thread, const struct tile_run *run, struct error *e)
{
    const struct rank_pass *pass = context;
    uint64_t *by_smaller = pass->by_smaller[thread];
    uint32_t smaller[STEP];
    for (size_t at = 0; at < run->count; at += STEP) {
        size_t count = run->count - at < STEP ? run->count - at : STEP;
        WITH_RECORD_BYTES(pass->tile_bytes, find_smaller(pass, run, at, count, BYTES, smaller))
        for (size_t i = 0; i < count; i++)
            by_smaller[smaller[i]]++;
    }
    return e->status;
}

/* Takes a histogram of ranks for each thread. */
static enum status take_threads(struct rank_pass *pass, uint64_t ranks, int threads,
                                struct memory_budget *budget, struct error *e)
{
    pass->by_smaller = calloc((size_t)threads, sizeof *pass->by_smaller);
    if (pass->by_smaller == NULL)
        return fail_memory(e, "edge histogram", (uint64_t)threads * sizeof *pass->by_smaller);
    for (int i = 0; i < threads && e->status == ST_OK; i++)
        memory_take(budget, (void **)&pass->by_smaller[i], ranks, 8, "edge histogram", e);
    return e->status;
}

/* Adds up the histograms of all threads and all ranks of the job, into that of thread 0. */
static void sum_histograms(const struct rank_pass *pass, uint32_t ranks, int threads, const struct comm *comm)
{
    uint64_t *sum = pass->by_smaller[0];
    for (int i = 1; i < threads; i++) {
        for (uint32_t r = 0; r < ranks; r++)
            sum[r] += pass->by_smaller[i][r];
    }
    comm_sum_u64(comm, sum, ranks);
}

/* Turns the histogram into the counts of nn and dd for every cut between ranks. An edge of the stream counts as `weight` directed edges. */
static void accumulate(struct edge_ranks *er, const uint64_t *by_smaller, uint64_t weight)
{
    uint32_t count = er->ranks->count;
    const struct degree_count *degrees = er->ranks->degrees;
    er->nn[0] = er->dd[count] = er->delegates[count] = 0;
    for (uint32_t r = 0; r < count; r++) {
        uint64_t ends = 2 * degrees[r].degree * degrees[r].vertices; /* of directed edges */
        er->nn[r + 1] = er->nn[r] + ends - weight * by_smaller[r];
    }
    for (uint32_t r = count; r-- > 0;) {
        er->delegates[r] = er->delegates[r + 1] + degrees[r].vertices;
        er->dd[r] = er->dd[r + 1] + weight * by_smaller[r];
    }
}

/* Counts the edges of nn and dd for every cut between ranks, in one pass over the edges. Collective. */
enum status edge_ranks_count(struct edge_ranks *er, const struct edge_supply *edges,
                             uint64_t directed_edges, struct vertex_ranks *rank_of,
                             const struct ranks *ranks, struct memory_budget *budget,
                             struct error *e)
{
    int threads = rank_of->values.threads;
    struct rank_pass pass = {.rank_of = rank_of->values.of};
    struct edge_visitors visitors = {count_edges, count_tile};
    uint64_t records = edges->source->totals.edges - edges->source->totals.loops;
    *er = (struct edge_ranks){
        .n = edges->source->totals.n, .directed_edges = directed_edges, .ranks = ranks};
    if (edges->tiles != NULL)
        pass.tile_bytes = edges->tiles->record_bytes;
    uint64_t **const counts[] = {&er->nn, &er->dd, &er->delegates};
    take_threads(&pass, ranks->count, threads, budget, e);
    for (int i = 0; i < 3 && e->status == ST_OK; i++)
        memory_take(budget, (void **)counts[i], (uint64_t)ranks->count + 1, 8, "class counts", e);
    if (values_scan(&rank_of->values, edges, visitors, &pass, e) == ST_OK) {
        sum_histograms(&pass, ranks->count, threads, edges->source->comm);
        accumulate(er, pass.by_smaller[0], records > 0 ? directed_edges / records : 1);
    }
    for (int i = 0; pass.by_smaller != NULL && i < threads; i++)
        memory_release(budget, pass.by_smaller[i]);
    free(pass.by_smaller);
    if (e->status != ST_OK)
        edge_ranks_free(er, budget);
    return e->status;
}

void edge_ranks_free(struct edge_ranks *er, struct memory_budget *budget)
{
    memory_release(budget, er->nn);
    memory_release(budget, er->dd);
    memory_release(budget, er->delegates);
    memset(er, 0, sizeof *er);
}

/* ---- choosing ---- */

/* The delegates and the edges of nn, nd, dn and dd for one TH. */
struct sweep_row edge_ranks_row(const struct edge_ranks *er, uint64_t th)
{
    uint32_t cut = ranks_cut(er->ranks, th);
    uint64_t mixed = (er->directed_edges - er->nn[cut] - er->dd[cut]) / 2;
    return (struct sweep_row){.th = th,
                              .delegates = er->delegates[cut],
                              .nn = er->nn[cut],
                              .nd = mixed,
                              .dn = mixed,
                              .dd = er->dd[cut]};
}

/* Bytes of all subgraphs on p devices by Table I of Pan et al. */
uint64_t table1_bytes(uint64_t n, uint64_t d, uint64_t p, uint64_t m, uint64_t nn)
{
    return 8 * n + 8 * d * p + 4 * m + 4 * nn;
}

/* The TH of the fewest bytes that meets both conditions of the rule of memory: at most 4n/p delegates, and fewer than 10% nn edges. If
 * none does, the first alone decides, and *both_met is 0. */
uint64_t suggest_th(const struct edge_ranks *er, uint64_t p, int *both_met)
{
    uint32_t count = er->ranks->count, best = count, fallback = count;
    uint64_t best_bytes = UINT64_MAX;
    *both_met = 0;
    /* TH is at least 0, so vertices of degree 0 are never delegates */
    for (uint32_t cut = ranks_cut(er->ranks, 0); cut <= count; cut++) {
        const uint64_t nn = er->nn[cut], tenth = er->directed_edges / 10;
        if (er->delegates[cut] > 4 * er->n / p)
            continue;
        if (cut < fallback)
            fallback = cut;
        uint64_t bytes = table1_bytes(er->n, er->delegates[cut], p, er->directed_edges, nn);
        const int few_nn = er->directed_edges == 0 || nn < tenth || 10 * (nn - tenth) < er->directed_edges % 10;
        if (few_nn && bytes <= best_bytes) {
            best = cut;
            best_bytes = bytes;
            *both_met = 1;
        }
    }
    return ranks_th(er->ranks, *both_met ? best : fallback);
}

/* ---- the sweep ---- */

/* Compares two struct sweep_row by TH, for qsort. */
static int by_th(const void *a, const void *b)
{
    uint64_t x = ((const struct sweep_row *)a)->th, y = ((const struct sweep_row *)b)->th;
    return (x > y) - (x < y);
}

/* Appends the row of this TH unless there is one. */
static void add_row(const struct edge_ranks *er, uint64_t th, struct sweep_row *rows, uint64_t *used)
{
    for (uint64_t i = 0; i < *used; i++) {
        if (rows[i].th == th)
            return;
    }
    rows[(*used)++] = edge_ranks_row(er, th);
}

/* Makes the rows of the sweep: TH in steps of about the square root of two, `th`, `other`, and an infinite one. */
enum status sweep_make(const struct edge_ranks *er, uint64_t th, uint64_t other,
                       struct sweep_row **result, uint64_t *count, struct memory_budget *budget,
                       struct error *e)
{
    const struct ranks *ranks = er->ranks;
    uint64_t largest = ranks->count > 0 ? ranks->degrees[ranks->count - 1].degree : 0, last = 0;
    struct sweep_row *rows;
    uint64_t used = 0;
    if (memory_take(budget, (void **)&rows, MAX_SWEEP_ROWS, sizeof *rows, "sweep", e) != ST_OK)
        return e->status;
    rows[used++] = edge_ranks_row(er, 0);
    for (int half_powers = 0; half_powers < 2 * 33; half_powers++) {
        uint64_t step = (uint64_t)llround(exp2(half_powers / 2.0));
        if (step <= last)
            continue;
        if (step > largest)
            break;
        rows[used++] = edge_ranks_row(er, step);
        last = step;
    }
    rows[used++] = edge_ranks_row(er, TH_INFINITE);
    add_row(er, th, rows, &used);
    add_row(er, other, rows, &used);
    qsort(rows, used, sizeof *rows, by_th);
    *result = rows;
    *count = used;
    return ST_OK;
}
