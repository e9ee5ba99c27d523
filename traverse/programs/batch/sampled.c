/* sampled.c: estimates centralities from a sample, and writes them; see sampled.h */
#include "ordered_rows.h"
#include "sampled.h"

#include "formats/base/arith.h"
#include "formats/base/hash.h"
#include "formats/base/outfile.h"
#include "formats/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* PIECE: rows that a thread makes into bytes at a time. LINE_BYTES: about the bytes of one, for a message. */
enum { PIECE = 1 << 11, LINE_BYTES = 160 };

static const char columns[] = "id,reached,reached_error,closeness,closeness_error,closeness_wf,closeness_wf_error,"
                              "harmonic,harmonic_error";

/* ---- the sample ---- */

/* Floyd's algorithm: of the first j + 1 ids, each in turn for j from count - wanted on, a random one is taken, or number j if that one
 * was taken before. The ids that are taken then move to the front, in their order. */
enum status sampled_choose(uint64_t *ids, uint64_t *count, uint64_t wanted, uint64_t seed, struct error *e)
{
    uint64_t kept = 0, *taken;
    if (wanted >= *count)
        return ST_OK;
    taken = zeroed(mask_words(*count), sizeof *taken, "a sample of the vertices", e);
    if (taken == NULL)
        return e->status;
    for (uint64_t j = *count - wanted; j < *count; j++) {
        uint64_t i = (uint64_t)((unsigned __int128)random64(seed, j) * (j + 1) >> 64);
        i = mask_bit(taken, i) ? j : i;
        taken[i / 64] |= UINT64_C(1) << (i % 64);
    }
    for (uint64_t i = 0; i < *count; i++) {
        if (mask_bit(taken, i))
            ids[kept++] = ids[i];
    }
    free(taken);
    *count = kept;
    return ST_OK;
}

void sampled_turn(struct joined_graph *graph)
{
    const struct joined_rows *push = graph->push;
    graph->push = graph->pull;
    graph->pull = push;
}

enum status sampled_open(struct sampled *s, const struct joined_graph *graph, const struct roots *roots, uint64_t batch, int threads,
                         struct error *e)
{
    *s = (struct sampled){.graph = graph, .roots = roots};
    s->reached = zeroed(roots->count, sizeof *s->reached, "samples", e);
    return s->reached != NULL ? vertex_sums_open(&s->sums, graph, roots->count, batch, threads, e) : e->status;
}

void sampled_close(struct sampled *s)
{
    if (s->graph != NULL)
        memory_release(s->graph->budget, s->vertex);
    vertex_sums_close(&s->sums);
    free(s->reached);
    *s = (struct sampled){0};
}

enum status sampled_add(struct sampled *s, uint64_t first, const struct batch_result *results, uint64_t count, struct error *e)
{
    for (uint64_t i = 0; i < count; i++) {
        s->reached[first + i] = results[i].reached;
        s->farthest = larger(s->farthest, results[i].farthest);
    }
    if ((double)s->farthest * (double)s->farthest * (double)s->roots->count >= ldexp(1, 64))
        return fail(e, ST_RUNTIME, "distances of up to %" PRIu64 " are too large for sums over %" PRIu64 " samples", s->farthest,
                    s->roots->count);
    return ST_OK;
}

/* ---- estimates ---- */

/* A value and its standard error. NAN: unknown. */
struct estimate {
    double value, error;
};

/* The estimates for one vertex. */
struct estimates {
    struct estimate reached, closeness, closeness_wf, harmonic;
};

/* Estimates the centralities of a vertex from its sums over `samples` of its `others` other vertices (of which it may not reach
 * all). n: the number of vertices of the input.
 *
 * With y = 1 for a vertex that is reached and 0 for another, x its distance or 0, and h its inverse distance or 0:
 * reached = 1 + others mean(y), harmonic = others mean(h), closeness = R = sum(y) / sum(x). The last is a ratio of means, and its
 * error that of the mean of y - R x, divided by mean(x) (the delta method). closeness_wf is R times others mean(y) / (n - 1), and
 * its error that of the mean of 2 R y - R^2 x. The variance of a mean of z is
 * (1 - samples / others) sum((z - mean(z))^2) / (samples (samples - 1)), as samples are drawn without replacement. */
static struct estimates estimate(const struct vertex_sum *sum, double unit, uint64_t samples, uint64_t others, uint64_t n)
{
    const double k = (double)samples, all = (double)others, y = (double)sum->roots, x = (double)sum->distances;
    const double xx = (double)sum->squares, h = (double)sum->inverses / unit, hh = (double)sum->inverse_squares / unit;
    const double r = x > 0 ? y / x : samples == others ? 0 : NAN, to_wf = n > 1 ? all / (double)(n - 1) : 0;
    /* without a sample that is reached, the sums say nothing of the error */
    const double share = samples == others ? 0 : y > 0 && samples > 1 ? (1 - k / all) / (k * (k - 1)) : NAN;
    return (struct estimates){
        .reached = {1 + all * y / k, all * sqrt(share * fmax(0, y - y * y / k))},
        .closeness = {r, samples == others ? 0 : sqrt(share * fmax(0, r * r * xx - y)) * k / x},
        .closeness_wf = {y > 0 ? r * y / k * to_wf : 0,
                         samples == others ? 0 : to_wf * sqrt(share * fmax(0, r * r * (r * r * xx - y * y / k)))},
        .harmonic = {all * h / k, all * sqrt(share * fmax(0, hh - h * h / k))}};
}

/* Returns the estimates for a vertex. In an undirected graph, a sample that reaches the vertex has the same component, so its size
 * is known, and only the samples within it count. Otherwise all samples but the vertex itself count; `is_sample` is 1 if it
 * is one. */
static struct estimates estimate_vertex(const struct sampled *s, uint64_t v, int is_sample)
{
    const struct manifest *m = &s->graph->shards->manifest;
    const struct vertex_sum *sum = &s->sums.sum[v];
    const struct estimate unknown = {NAN, NAN};
    const int directed = m->direction == EDGES_DIRECTED;
    const uint64_t component = !directed && s->sums.root[v] >= 0 ? s->reached[s->sums.root[v]] : 0;
    const uint64_t samples = directed ? s->roots->count - (uint64_t)is_sample : sum->roots;
    struct estimates result = {unknown, unknown, unknown, unknown};
    if (samples > 0)
        result = estimate(sum, s->sums.unit, samples, directed ? s->graph->all_vertices - 1 : component - 1, m->totals.n);
    if (component > 0)
        result.reached = (struct estimate){(double)component, 0};
    return result;
}

/* ---- the table ---- */

/* Writes an estimate as two fields. Errors are written with 6 digits. A value that is not known is NaN, which numpy, pandas and R
 * read as such. */
static void put_estimate(struct table *t, struct estimate estimate, struct error *e)
{
    char error[32];
    if (isnan(estimate.value))
        table_text(t, "NaN", 3, e);
    else
        table_real(t, estimate.value, e);
    if (isnan(estimate.error))
        snprintf(error, sizeof error, "NaN");
    else
        snprintf(error, sizeof error, "%.6g", estimate.error);
    table_text(t, error, strlen(error), e);
}

/* The table of --sample: the rows of this rank. */
struct sampled_rows {
    const struct sampled *sampled;
    enum table_form form;
    const struct name_map *map;
};

/* Makes rows into bytes. Called by put_in_order, with a struct sampled_rows. */
static void make_lines(const void *context, uint64_t begin, uint64_t end, struct row_bytes *lines)
{
    const struct sampled_rows *rows = context;
    const struct sampled *s = rows->sampled;
    struct error e = {0};
    struct table t;
    FILE *stream = open_memstream(&lines->bytes, &lines->size);
    if (stream == NULL)
        return;
    table_begin_stream(&t, stream, rows->form, rows->map, s->graph->shards->base);
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t id = s->vertex[i].id;
        const int is_sample = bsearch(&id, s->roots->ids, s->roots->count, sizeof id, compare_u64) != NULL;
        const struct estimates row = estimate_vertex(s, s->vertex[i].vertex, is_sample);
        table_vertex(&t, (int64_t)id, &e);
        put_estimate(&t, row.reached, &e);
        put_estimate(&t, row.closeness, &e);
        put_estimate(&t, row.closeness_wf, &e);
        put_estimate(&t, row.harmonic, &e);
        table_end_line(&t, &e);
    }
    close_row_stream(stream, lines, &e);
}

/* Collective. Writes the rows of s->vertex of all ranks, in the order of the ranks. */
static enum status write_table(const struct sampled *s, const char *name, const struct name_map *map, const struct comm *comm,
                               struct error *e)
{
    const struct sampled_rows rows = {s, table_form_of(name), map};
    struct outfile *out = NULL;
    struct table t;
    if (comm->rank == 0 && e->status == ST_OK && outfile_open(&out, name, e) == ST_OK) {
        table_begin(&t, out, rows.form, map, s->graph->shards->base);
        table_columns(&t, columns, e);
    }
    put_in_order(&(struct ordered_rows){comm, out, 1, NULL, s->vertices, PIECE, make_lines, &rows, "rows of centralities",
                                        PIECE * LINE_BYTES}, e);
    outfile_commit(out, NULL, e);
    return comm_agree(comm, e);
}

/* Compares two struct sampled_vertex by id, for qsort. */
static int compare_ids(const void *a, const void *b)
{
    const struct sampled_vertex *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Sets s->vertex to the `count` vertices with these ids, which have the sums with the same index. */
static enum status sort_vertices(struct sampled *s, const uint64_t *ids, uint64_t stride, uint64_t count, struct error *e)
{
    s->vertices = count;
    memory_release(s->graph->budget, s->vertex);
    if (memory_take(s->graph->budget, (void **)&s->vertex, count, sizeof *s->vertex, "vertices by id", e) != ST_OK)
        return e->status;
    for (uint64_t i = 0; i < count; i++)
        s->vertex[i] = (struct sampled_vertex){ids[i * stride], i};
    qsort(s->vertex, count, sizeof *s->vertex, compare_ids);
    return ST_OK;
}

/* ---- sums of ranks that divide the graph ---- */

/* A vertex with its sums, as a rank sends it. */
struct sampled_sum {
    uint64_t id;
    int64_t root;
    struct vertex_sum sum;
};

/* Collective. Replaces the sums of this rank by those of its range of ids: rank r has the ids from r * width up to (r + 1) * width.
 * s->vertex has the vertices of this rank, by ascending id. */
static enum status share_sums(struct sampled *s, const struct comm *comm, struct error *e)
{
    static const char what[] = "sums of each vertex";
    const uint64_t width = divide_up(s->graph->shards->manifest.totals.n, comm->ranks);
    struct memory_budget *budget = s->graph->budget;
    uint64_t *counts = zeroed(2 * comm->ranks + 1, sizeof *counts, what, e), *begin = counts + comm->ranks;
    struct sampled_sum *own = NULL, *got;
    if (counts != NULL)
        memory_take(budget, (void **)&own, s->vertices, sizeof *own, what, e);
    for (uint64_t i = 0; own != NULL && i < s->vertices; i++) {
        const uint64_t v = s->vertex[i].vertex;
        own[i] = (struct sampled_sum){s->vertex[i].id, s->sums.root[v], s->sums.sum[v]};
        counts[own[i].id / width]++;
    }
    if (comm_deal(comm, own, counts, sizeof *own, budget, (void **)&got, begin, what, e) == ST_OK &&
        vertex_sums_resize(&s->sums, begin[comm->ranks], e) == ST_OK &&
        sort_vertices(s, &got->id, sizeof *got / 8, begin[comm->ranks], e) == ST_OK) {
        for (uint64_t i = 0; i < s->vertices; i++) {
            s->sums.root[i] = (int32_t)got[i].root;
            s->sums.sum[i] = got[i].sum;
        }
    }
    memory_release(budget, own);
    memory_release(budget, got);
    free(counts);
    return comm_agree(comm, e);
}

enum status sampled_write(struct sampled *s, const char *name, const struct name_map *map, const struct comm *comm,
                          struct error *e)
{
    const int divided = joined_graph_is_divided(s->graph);
    if (!divided) {
        comm_sum_u64(comm, (uint64_t *)s->sums.sum, s->graph->vertices * (sizeof *s->sums.sum / 8));
        comm_max_ids(comm, s->sums.root, 4, s->graph->vertices);
    }
    if (divided || comm->rank == 0)
        sort_vertices(s, s->graph->ids, 1, s->graph->vertices, e);
    if (divided && comm_agree(comm, e) == ST_OK) {
        comm_broadcast(comm, s->reached, s->roots->count * sizeof *s->reached, 0);
        share_sums(s, comm, e);
    }
    if (divided || comm->rank == 0)
        write_table(s, name, map, divided ? comm : &comm_alone, e);
    return comm_agree(comm, e);
}
