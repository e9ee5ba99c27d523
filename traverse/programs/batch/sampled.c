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
        result = estimate(sum, s->sums.unit, samples, directed ? s->graph->vertices - 1 : component - 1, m->totals.n);
    if (component > 0)
        result.reached = (struct estimate){(double)component, 0};
    return result;
}

/* ---- the table ---- */

/* A vertex of the joined graph and its input id. */
struct sampled_vertex {
    uint64_t id, vertex;
};

/* Compares two struct sampled_vertex by id, for qsort. */
static int compare_ids(const void *a, const void *b)
{
    const struct sampled_vertex *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

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

/* The table of --sample: the rows of all vertices, in the order of vertex[]. */
struct sampled_rows {
    const struct sampled *sampled;
    const struct sampled_vertex *vertex;
    enum table_form form;
    const struct name_map *map;
};

/* Makes rows into bytes. Called by put_in_order, with a struct sampled_rows. */
static struct row_bytes make_lines(const void *context, uint64_t begin, uint64_t end)
{
    const struct sampled_rows *rows = context;
    const struct sampled *s = rows->sampled;
    struct row_bytes lines = {0};
    struct error e = {0};
    struct table t;
    FILE *stream = open_memstream(&lines.bytes, &lines.size);
    if (stream == NULL)
        return lines;
    table_begin_stream(&t, stream, rows->form, rows->map, s->graph->shards->base);
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t id = rows->vertex[i].id;
        const int is_sample = bsearch(&id, s->roots->ids, s->roots->count, sizeof id, compare_u64) != NULL;
        const struct estimates row = estimate_vertex(s, rows->vertex[i].vertex, is_sample);
        table_vertex(&t, (int64_t)id, &e);
        put_estimate(&t, row.reached, &e);
        put_estimate(&t, row.closeness, &e);
        put_estimate(&t, row.closeness_wf, &e);
        put_estimate(&t, row.harmonic, &e);
        table_end_line(&t, &e);
    }
    close_row_stream(stream, &lines, &e);
    return lines;
}

/* Writes the next rows to an open file. Called by put_in_order, with the struct outfile. */
static enum status write_bytes(void *to, const char *bytes, size_t size, struct error *e)
{
    return outfile_write(to, bytes, size, e);
}

/* Writes the table on rank 0. */
static enum status write_table(const struct sampled *s, const char *name, const struct name_map *map, struct error *e)
{
    struct outfile *out = NULL;
    struct table t;
    struct sampled_vertex *vertex;
    const uint64_t vertices = s->graph->vertices;
    if (memory_take(s->graph->budget, (void **)&vertex, vertices, sizeof *vertex, "vertices by id", e) != ST_OK)
        return e->status;
    for (uint64_t v = 0; v < vertices; v++)
        vertex[v] = (struct sampled_vertex){s->graph->ids[v], v};
    qsort(vertex, vertices, sizeof *vertex, compare_ids);
    if (outfile_open(&out, name, e) == ST_OK) {
        table_begin(&t, out, table_form_of(name), map, s->graph->shards->base);
        table_columns(&t, columns, e);
        put_in_order(vertices, PIECE, make_lines, &(struct sampled_rows){s, vertex, table_form_of(name), map}, write_bytes, out,
                     "rows of centralities", PIECE * LINE_BYTES, e);
    }
    if (e->status == ST_OK)
        outfile_commit(out, NULL, e);
    else
        outfile_abort(out);
    memory_release(s->graph->budget, vertex);
    return e->status;
}

enum status sampled_write(struct sampled *s, const char *name, const struct name_map *map, const struct comm *comm,
                          struct error *e)
{
    comm_sum_u64(comm, (uint64_t *)s->sums.sum, s->graph->vertices * (sizeof *s->sums.sum / 8));
    comm_max_ids(comm, s->sums.root, 4, s->graph->vertices);
    if (comm->rank == 0)
        write_table(s, name, map, e);
    return comm_agree(comm, e);
}
