/* test_pack.c: every section of every shard equals that of a packer written straight from the definitions.
 *
 * The plain packer lists each directed edge as (shard, subgraph, row, destination), by Algorithm 1 of Pan et al.
 * and the orders of formats/graph/shard.h, and sorts the list. */
#include "stream.h"
#include "unit.h"

#include "formats/graph/manifest.h"
#include "formats/graph/partition.h"
#include "formats/split.h"
#include "tools/pack/pack.h"
#include "tools/pack/place/place.h"
#include "tools/pack/folder/pack_verify.h"
#include "tools/separate/separate.h"
#include "tools/pack/build/shard_write.h"

#include <stdlib.h>
#include <sys/stat.h>

/* ---- the plain packer ---- */

struct plain_edge {
    uint32_t shard;
    uint32_t g;
    uint64_t row, destination;
};

struct plain {
    const struct stream *stream;
    uint32_t p;
    uint64_t th, d, n;
    uint64_t *degree;
    uint64_t *loops;    /* of each vertex */
    uint64_t *number;   /* of a vertex: delegate id or local id */
    uint64_t *delegate; /* [d] ids */
    uint64_t **local;   /* [p][locals] ids */
    uint64_t *locals;   /* [p] */
    unsigned local_bits;
    size_t count;
    struct plain_edge *edges; /* sorted, each once */
};

static const struct plain *sorting;

static int by_degree(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    uint64_t dx = sorting->degree[x], dy = sorting->degree[y];
    return dx != dy ? (dx < dy ? 1 : -1) : (x > y) - (x < y);
}

static int by_place(const void *a, const void *b)
{
    const struct plain_edge *x = a, *y = b;
    if (x->shard != y->shard)
        return x->shard < y->shard ? -1 : 1;
    if (x->g != y->g)
        return x->g < y->g ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->destination > y->destination) - (x->destination < y->destination);
}

static int is_delegate(const struct plain *pl, uint64_t v)
{
    return pl->degree[v] > pl->th;
}

static void number_vertices(struct plain *pl)
{
    uint64_t *list = calloc(pl->n + 1, sizeof *list), count = 0, most = 0;
    for (uint64_t v = 0; v < pl->n; v++) {
        if (pl->degree[v] > 0)
            list[count++] = v;
    }
    sorting = pl;
    qsort(list, count, sizeof *list, by_degree);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t v = list[i], s = v % pl->p;
        if (is_delegate(pl, v)) {
            pl->number[v] = pl->d;
            pl->delegate[pl->d++] = v;
        } else {
            pl->number[v] = pl->locals[s];
            pl->local[s][pl->locals[s]++] = v;
        }
    }
    for (uint32_t s = 0; s < pl->p; s++)
        most = pl->locals[s] > most ? pl->locals[s] : most;
    for (pl->local_bits = 1; UINT64_C(1) << pl->local_bits < most; pl->local_bits++)
        ;
    free(list);
}

/* Algorithm 1. */
static uint64_t deciding_vertex(const struct plain *pl, uint64_t u, uint64_t v)
{
    if (!is_delegate(pl, u))
        return u;
    if (!is_delegate(pl, v))
        return v;
    if (pl->degree[u] != pl->degree[v])
        return pl->degree[u] < pl->degree[v] ? u : v;
    return u < v ? u : v;
}

static void add_edge(struct plain *pl, uint64_t u, uint64_t v)
{
    struct plain_edge *e = &pl->edges[pl->count++];
    e->shard = (uint32_t)(deciding_vertex(pl, u, v) % pl->p);
    e->g = (is_delegate(pl, u) ? 2 : 0) + (is_delegate(pl, v) ? 1 : 0);
    e->row = pl->number[u];
    e->destination = pl->number[v] + (e->g == NN ? (v % pl->p) << pl->local_bits : 0);
}

static void list_edges(struct plain *pl)
{
    size_t kept = 0;
    for (size_t i = 0; i < pl->stream->count; i++) {
        uint64_t u = pl->stream->edges[i].u, v = pl->stream->edges[i].v;
        pl->loops[u] += u == v;
        if (u == v)
            continue;
        add_edge(pl, u, v);
        if (pl->stream->direction != EDGES_SYMMETRIC)
            add_edge(pl, v, u);
    }
    qsort(pl->edges, pl->count, sizeof *pl->edges, by_place);
    for (size_t i = 0; i < pl->count; i++) {
        if (i == 0 || by_place(&pl->edges[i], &pl->edges[kept - 1]) != 0)
            pl->edges[kept++] = pl->edges[i];
    }
    pl->count = kept;
}

/* local_bits 0: as many as the definition says. */
static struct plain *plain_pack(const struct stream *stream, uint32_t p, uint64_t th,
                                unsigned local_bits)
{
    struct plain *pl = calloc(1, sizeof *pl);
    *pl = (struct plain){.stream = stream, .p = p, .th = th, .n = stream->n};
    pl->degree = plain_degrees(stream);
    pl->loops = calloc(pl->n + 1, 8);
    pl->number = calloc(pl->n + 1, 8);
    pl->delegate = calloc(pl->n + 1, 8);
    pl->locals = calloc(p, 8);
    pl->local = calloc(p, sizeof *pl->local);
    for (uint32_t s = 0; s < p; s++)
        pl->local[s] = calloc(pl->n / p + 2, 8);
    pl->edges = calloc(2 * stream->count + 1, sizeof *pl->edges);
    number_vertices(pl);
    if (local_bits != 0)
        pl->local_bits = local_bits;
    list_edges(pl);
    return pl;
}

static void plain_free(struct plain *pl)
{
    for (uint32_t s = 0; s < pl->p; s++)
        free(pl->local[s]);
    free(pl->local);
    free(pl->locals);
    free(pl->delegate);
    free(pl->number);
    free(pl->loops);
    free(pl->degree);
    free(pl->edges);
    free(pl);
}

/* ---- comparing ---- */

static int differs(const struct shard *s, const char *what, uint64_t at)
{
    printf("# part %u of %u, TH %lld: %s, entry %llu\n", s->index, s->p, (long long)s->th, what,
           (unsigned long long)at);
    return 0;
}

static int runs_agree(const struct shard *s, const struct plain *pl, const char *what,
                      const struct degree_run *runs, uint64_t run_count, const uint64_t *ids,
                      uint64_t count)
{
    uint64_t at = 0;
    for (uint64_t r = 0; r < run_count; r++) {
        if (r > 0 && runs[r].degree >= runs[r - 1].degree)
            return differs(s, what, r);
        for (uint64_t i = 0; i < runs[r].vertices; i++, at++) {
            if (at >= count || pl->degree[ids[at]] != runs[r].degree)
                return differs(s, what, r);
        }
    }
    return at == count || differs(s, what, run_count);
}

static int vertices_agree(const struct shard *s, const struct plain *pl)
{
    const uint64_t *local = pl->local[s->index];
    if (s->d != pl->d || s->locals != pl->locals[s->index] || s->n != pl->n || s->th != pl->th ||
        s->local_bits != pl->local_bits)
        return differs(s, "attributes", 0);
    for (uint64_t i = 0; i < s->d; i++) {
        if (shard_delegate_id(s, i) != pl->delegate[i])
            return differs(s, "delegate ids", i);
    }
    for (uint64_t i = 0; i < s->locals; i++) {
        if (vertex_of_slot(s->ids.local_slots[i], s->index, s->p) != local[i])
            return differs(s, "local slots", i);
    }
    return runs_agree(s, pl, "local degrees", s->degrees.locals.runs, s->degrees.locals.count,
                      local, s->locals) &&
           runs_agree(s, pl, "delegate degrees", s->degrees.delegates.runs,
                      s->degrees.delegates.count, pl->delegate, pl->d);
}

static int loops_agree(const struct shard *s, const struct plain *pl)
{
    uint64_t at = 0;
    for (uint64_t v = s->index; v < pl->n; v += s->p) {
        uint64_t count = pl->loops[v];
        if (count == 0)
            continue;
        const struct loop_count *l = &s->degrees.loops[at++];
        uint32_t kind = pl->degree[v] == 0     ? LOOP_AT_ISOLATED
                        : is_delegate(pl, v) ? LOOP_AT_DELEGATE
                                             : LOOP_AT_LOCAL;
        uint64_t index = kind == LOOP_AT_ISOLATED ? v / s->p : pl->number[v];
        if (at > s->degrees.loop_counts || l->at != kind || l->index != index || l->count != count)
            return differs(s, "loops", at - 1);
    }
    return at == s->degrees.loop_counts || differs(s, "loops", at);
}

/* Compares every row of a subgraph with edges[*at...], and moves *at past them. */
static int csr_agrees(const struct shard *s, const struct plain *pl, enum subgraph g, int heads,
                      size_t *at)
{
    const struct csr *csr = &s->csr[g];
    uint64_t sources = 0;
    size_t begin = *at;
    for (uint64_t row = 0; row < csr->rows; row++) {
        uint64_t first = *at, tail = csr_offset(csr, row);
        while (*at < pl->count && pl->edges[*at].shard == s->index && pl->edges[*at].g == g &&
               pl->edges[*at].row == row) {
            uint64_t j = *at - first;
            uint64_t found = j < csr->head_columns ? csr->heads[j * csr->rows + row]
                                                   : csr_column(csr, tail++);
            if (found != pl->edges[*at].destination)
                return differs(s, subgraph_name[g], row);
            ++*at;
        }
        for (uint64_t j = *at - first; j < csr->head_columns; j++) {
            if (csr->heads[j * csr->rows + row] != HEAD_NONE)
                return differs(s, "an empty head", row);
        }
        if (tail != csr_offset(csr, row + 1) || mask_bit(csr->sources, row) != (*at > first))
            return differs(s, "offsets or sources", row);
        sources += *at > first;
    }
    uint64_t expected = heads != HEADS_AUTO    ? (uint64_t)heads
                        : (g == ND || g == DD) && 2 * sources >= csr->rows ? 2 : 0;
    if (csr->rows == 0 || csr->column_width == 8)
        expected = 0;
    return csr->edges == *at - begin && csr->source_rows == sources &&
           csr->head_columns == expected ? 1 : differs(s, "counts", g);
}

static int shard_agrees(const struct shard *s, const struct plain *pl, const int *heads, size_t *at)
{
    if (!vertices_agree(s, pl) || !loops_agree(s, pl))
        return 0;
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (!csr_agrees(s, pl, (enum subgraph)g, heads[g], at))
            return 0;
    }
    return 1;
}

/* ---- packing through pack() ---- */

static char folder[64];

static void remove_folder(uint32_t p)
{
    char name[64], path[160];
    for (uint32_t s = 0; s < p; s++) {
        snprintf(path, sizeof path, "%s/%s", folder, manifest_part_name(name, sizeof name, s, p));
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/%s", folder, MANIFEST_NAME);
    unlink(path);
    rmdir(folder);
}

static int manifest_agrees(const struct manifest *m, const struct plain *pl)
{
    uint64_t edges[SUBGRAPHS] = {0};
    for (size_t i = 0; i < pl->count; i++)
        edges[pl->edges[i].g]++;
    return memcmp(edges, m->edges, sizeof edges) == 0 && m->p == pl->p && m->th == pl->th &&
           m->d == pl->d && m->totals.n == pl->n && m->totals.edges == pl->stream->count &&
           m->direction == pl->stream->direction && strcmp(m->provenance, "a test\n") == 0;
}

static int folder_agrees(const struct plain *pl, const int *heads)
{
    struct manifest m;
    struct error e = {0};
    struct verify_report verified;
    struct memory_budget budget = {.limit_bytes = UINT64_C(1) << 30};
    size_t at = 0;
    if (manifest_read(&m, folder, &e) != ST_OK)
        stop_at(&e);
    int ok = manifest_agrees(&m, pl);
    for (uint32_t s = 0; s < pl->p && ok; s++) {
        struct shard shard;
        if (manifest_open_shard(&m, folder, s, &shard, &e) != ST_OK ||
            shard_load(&shard, SHARD_ALL_COLUMNS, 2, &budget, &e) != ST_OK)
            stop_at(&e);
        ok = shard_agrees(&shard, pl, heads, &at);
        shard_close(&shard);
    }
    manifest_free(&m);
    if (pack_verify(folder, 2, &budget, &verified, &e) != ST_OK)
        stop_at(&e);
    return ok && at == pl->count && budget.taken_bytes == 0;
}

static int pack_agrees(const struct stream *stream, uint32_t p, uint64_t th, int suggest,
                       const int *heads, enum pack_encoding encoding, int threads)
{
    struct pack_options o = {.p = p, .th_given = !suggest, .th = th, .encoding = encoding,
                             .threads = threads, .folder = folder};
    struct pack_report report;
    struct error e = {0};
    struct memory_budget budget = {.limit_bytes = UINT64_C(1) << 30};
    struct edge_source source = open_stream(stream);
    memcpy(o.heads, heads, sizeof o.heads);
    if (pack(&o, &source, &budget, &report, &e) != ST_OK)
        stop_at(&e);
    edge_source_close(&source);
    struct plain *pl = plain_pack(stream, p, report.th, 0);
    int ok = folder_agrees(pl, heads) && budget.taken_bytes == 0 &&
             (suggest || report.th == th) && report.d == pl->d;
    plain_free(pl);
    remove_folder(p);
    return ok;
}

static void test_random(int symmetric, const char *name)
{
    static const uint64_t thresholds[] = {0, 1, 4, 20, TH_INFINITE};
    static const int heads[][SUBGRAPHS] = {{HEADS_AUTO, HEADS_AUTO, HEADS_AUTO, HEADS_AUTO},
                                           {0, 0, 0, 0}, {1, 2, 3, 4}, {2, 1, 0, 8}};
    static const size_t edges[] = {0, 1, 30, 200, 2000};
    int ok = 1;
    for (uint32_t p = 1; p <= 9 && ok; p++) {
        for (unsigned i = 0; i < 5 && ok; i++) {
            for (unsigned j = 0; j < 6 && ok; j++) {
                uint64_t seed = 100 * p + 10 * i + j, n = j == 1 ? 1 + seed % 5 : 5 + 31 * i * i;
                struct stream s = random_stream(seed, n, edges[i], symmetric);
                ok = pack_agrees(&s, p, thresholds[j % 5], j == 5, heads[(i + j + p) % 4],
                                 (enum pack_encoding)((i + 2 * j + p) % PACK_ENCODINGS),
                                 1 + (int)(seed % 3));
                if (!ok)
                    printf("# seed %llu\n", (unsigned long long)seed);
                free(s.edges);
            }
        }
    }
    report(ok, name);
}

/* ---- an example by hand, after figure 2 ----
 *
 * Eight vertices, three shards, TH 3, edges once each:
 *   7-0 7-1 7-2 7-4 7-5   6-0 6-3 6-4 6-7   1-2   3-4   0-2, and 0-2 again, and a loop at 5
 * Degrees: 0:4 1:2 2:4 3:2 4:3 5:1 6:4 7:5. Vertices 7, 0, 2, 6 are delegates 0, 1, 2, 3.
 * Shard 0 owns 3 (local 0); shard 1 owns 4 and 1 (locals 0, 1); shard 2 owns 5 (local 0).
 */
static const struct edge example[] = {{7, 0}, {7, 1}, {7, 2}, {4, 7}, {7, 5}, {6, 0}, {6, 3},
                                      {6, 4}, {6, 7}, {1, 2}, {3, 4}, {0, 2}, {2, 0}, {5, 5}};

static int row_is(const struct csr *csr, uint64_t row, unsigned count, const uint64_t *columns)
{
    uint64_t begin = csr_offset(csr, row);
    if (csr_offset(csr, row + 1) - begin != count)
        return 0;
    for (unsigned i = 0; i < count; i++) {
        if (csr_column(csr, begin + i) != columns[i])
            return 0;
    }
    return 1;
}

#define ROW(csr, row, ...)                                                                         \
    row_is(csr, row, sizeof((uint64_t[]){__VA_ARGS__}) / 8, (uint64_t[]){__VA_ARGS__})
#define EMPTY(csr, row) row_is(csr, row, 0, NULL)

static int example_part(const struct shard *s)
{
    const struct csr *nn = &s->csr[NN], *nd = &s->csr[ND], *dn = &s->csr[DN], *dd = &s->csr[DD];
    const uint64_t code0 = 0 << 1, code1 = 1 << 1; /* shard << local_bits */
    if (s->d != 4 || s->local_bits != 1)
        return 0;
    switch (s->index) {
    case 0: /* dd: 7-0 and 6-0 (tie), 0-2 (tie), and 6-7 (6 has the lower degree) */
        return s->locals == 1 && ROW(nn, 0, code1 + 0) && ROW(nd, 0, 3) && EMPTY(dn, 0) &&
               EMPTY(dn, 1) && EMPTY(dn, 2) && ROW(dn, 3, 0) && ROW(dd, 0, 1, 3) &&
               ROW(dd, 1, 0, 2, 3) && ROW(dd, 2, 1) && ROW(dd, 3, 0, 1) &&
               s->degrees.loop_counts == 0;
    case 1:
        return s->locals == 2 && ROW(nn, 0, code0 + 0) && EMPTY(nn, 1) && ROW(nd, 0, 0, 3) &&
               ROW(nd, 1, 0, 2) && ROW(dn, 0, 0, 1) && EMPTY(dn, 1) && ROW(dn, 2, 1) &&
               ROW(dn, 3, 0) && dd->edges == 0;
    default: /* dd: 7-2, where 2 has the lower degree */
        return s->locals == 1 && EMPTY(nn, 0) && ROW(nd, 0, 0) && ROW(dn, 0, 0) && ROW(dd, 0, 2) &&
               ROW(dd, 2, 0) && dd->edges == 2 && s->degrees.loop_counts == 1 &&
               s->degrees.loops[0].at == LOOP_AT_LOCAL && s->degrees.loops[0].index == 0 &&
               s->degrees.loops[0].count == 1;
    }
}

static void test_example(void)
{
    struct stream stream = {.direction = EDGES_UNDIRECTED_ONCE, .n = 9,
                            .count = sizeof example / sizeof *example,
                            .edges = (struct edge *)(uintptr_t)example};
    struct pack_options o = {.p = 3, .th_given = 1, .th = 3, .threads = 2, .folder = folder};
    struct pack_report packed;
    struct memory_budget budget = {.limit_bytes = UINT64_C(1) << 30};
    struct manifest m;
    struct error e = {0};
    struct edge_source source = open_stream(&stream);
    if (pack(&o, &source, &budget, &packed, &e) != ST_OK || manifest_read(&m, folder, &e) != ST_OK)
        stop_at(&e);
    for (uint32_t i = 0; i < 3; i++) {
        char name[64];
        struct shard s;
        if (manifest_open_shard(&m, folder, i, &s, &e) != ST_OK ||
            shard_load(&s, SHARD_ALL_COLUMNS, 1, &budget, &e) != ST_OK)
            stop_at(&e);
        snprintf(name, sizeof name, "the example by hand, part %u", i);
        report(example_part(&s), name);
        shard_close(&s);
    }
    manifest_free(&m);
    edge_source_close(&source);
    remove_folder(3);
}

/* ---- destinations of 8 bytes ----
 *
 * They need more vertices than a test can hold, so an order is made and then told that local ids take more bits.
 * With 42 of them a record keeps 21 bits of its row, and there are more rows.
 *
 * Records of 5 and 6 bytes, too, come with many vertices, or with few ranges. */
static enum status place(struct placement *placement, struct vertex_order *order,
                         const struct edge_source *source, struct separation *sep,
                         uint64_t max_ranges, struct memory_budget *budget, struct error *e)
{
    struct placement_limits limits = {(UINT64_C(4096) << 17) / max_ranges, max_ranges};
    struct edge_supply edges = degrees_edges(&sep->degrees, source);
    struct placing_options options = {.edges = &edges,
                                      .labels = &order->labels,
                                      .own_edges = sep->degrees.totals.edges,
                                      .symmetric = sep->degrees.info.direction == EDGES_SYMMETRIC,
                                      .threads = 2,
                                      .store_bytes = UINT64_C(1) << 30};
    if (placement_plan(placement, order, ROWS_UNDIRECTED, limits, e) != ST_OK)
        return e->status;
    return place_edges(placement, &options, budget, e);
}

/* The arrays of a packing, in memory for comparison; local_bits 0: as many bits as needed. */
struct odd_packing {
    uint32_t p;
    uint64_t th;
    unsigned local_bits;
    enum pack_encoding encoding;
    uint64_t max_ranges;
    enum subgraph g; /* its first records have: */
    unsigned record_bytes;
};

static int odd_agrees(const struct stream *stream, const struct odd_packing *o)
{
    const uint32_t p = o->p;
    const uint64_t th = o->th;
    static const int heads[SUBGRAPHS] = {1, HEADS_AUTO, HEADS_AUTO, HEADS_AUTO};
    struct memory_budget budget = {.limit_bytes = UINT64_C(1) << 32};
    struct error e = {0};
    struct separation_options options = {.threads = 2, .p = p};
    struct separation sep;
    struct vertex_order order;
    struct placement placement;
    struct shard_loops loops;
    struct edge_source source = open_stream(stream);
    size_t at = 0;
    if (separation_degrees(&sep, &source, &options, &budget, &e) != ST_OK ||
        order_make(&order, &sep.rank_of, &sep.ranks,
                   &(struct order_graph){.n = stream->n, .th = th, .p = p}, &budget, &e) != ST_OK)
        stop_at(&e);
    if (o->local_bits > 0) {
        order.local_bits = o->local_bits;
        order.nn_column_bytes = 8;
    }
    const unsigned local_bits = order.local_bits, columns = order.nn_column_bytes;
    if (shard_loops_make(&loops, &sep.degrees.loops, &order, &budget, &e) != ST_OK ||
        place(&placement, &order, &source, &sep, o->max_ranges, &budget, &e) != ST_OK)
        stop_at(&e);
    int ok = record_bytes(&placement.plan[o->g], 0) == o->record_bytes;
    struct packing packing = {.placement = &placement, .loops = &loops, .th = th,
                              .encoding = o->encoding, .threads = 2};
    memcpy(packing.heads, heads, sizeof heads);
    struct plain *pl = plain_pack(stream, p, th, local_bits);
    for (uint32_t i = 0; i < p && ok; i++) {
        struct written_shard written;
        struct shard s;
        if (shard_write(&packing, i, folder, &budget, &written, &e) != ST_OK ||
            shard_open(&s, folder, &e) != ST_OK ||
            shard_load(&s, SHARD_ALL_COLUMNS, 2, &budget, &e) != ST_OK)
            stop_at(&e);
        s.local_bits = local_bits;
        ok = s.csr[NN].column_width == columns && shard_agrees(&s, pl, heads, &at);
        shard_close(&s);
        unlink(folder);
    }
    plain_free(pl);
    placement_free(&placement);
    shard_loops_free(&loops, &budget);
    order_free(&order, &budget);
    separation_free(&sep, &budget);
    edge_source_close(&source);
    return ok && budget.taken_bytes == 0;
}

/* A path over n vertices, so long that its rows have more bits than a record keeps. */
static struct stream path_stream(uint64_t n)
{
    struct stream s = {.direction = EDGES_UNDIRECTED_ONCE, .n = n, .count = n - 1};
    s.edges = calloc(s.count, sizeof *s.edges);
    for (uint64_t v = 0; v + 1 < n; v++)
        s.edges[v] = (struct edge){v, v + 1};
    return s;
}

static void test_wide(void)
{
    struct stream s = random_stream(3, 400, 3000, 0);
    const struct odd_packing shards = {5, 10, 30, PACK_RAW, 4096, NN, 5};
    const struct odd_packing packed = {5, 10, 30, PACK_PACKED, 4096, NN, 5};
    const struct odd_packing alone = {1, TH_INFINITE, 31, PACK_RAW, 4096, NN, 5};
    const struct odd_packing six = {260, TH_INFINITE, 31, PACK_PACKED, 4096, NN, 6};
    report(odd_agrees(&s, &shards), "nn destinations of 8 bytes, 5 shards");
    report(odd_agrees(&s, &packed), "nn destinations of 8 bytes, packed");
    report(odd_agrees(&s, &alone), "nn destinations of 8 bytes, no delegates, records of 5");
    report(odd_agrees(&s, &six), "the same, packed, 260 shards, records of 6 bytes");
    free(s.edges);
}

/* One range has all rows. */
static void test_odd_records(void)
{
    struct stream s = random_stream(4, 90000, 400000, 0);
    const struct odd_packing delegates = {1, 0, 0, PACK_AUTO, 1, DD, 5};
    const struct odd_packing both = {2, 0, 0, PACK_AUTO, 2, DD, 5};
    report(odd_agrees(&s, &delegates), "records of 5 bytes, delegates alone");
    report(odd_agrees(&s, &both), "records of 5 bytes, 2 shards");
    free(s.edges);
}

/* Cuts a record's row in the same way, for a shard that can be packed itself: 2^21 rows and a bit. */
static void test_cut_rows(void)
{
    struct stream s = path_stream((UINT64_C(1) << 21) + 5000);
    struct memory_budget budget = {.limit_bytes = UINT64_C(1) << 32};
    struct error e = {0};
    struct separation_options options = {.threads = 2, .p = 1};
    struct separation sep;
    struct vertex_order order;
    struct placement placement;
    struct edge_source source = open_stream(&s);
    if (separation_degrees(&sep, &source, &options, &budget, &e) != ST_OK ||
        order_make(&order, &sep.rank_of, &sep.ranks,
                   &(struct order_graph){.n = s.n, .th = TH_INFINITE, .p = 1}, &budget,
                   &e) != ST_OK)
        stop_at(&e);
    order.local_bits = 42;
    order.nn_column_bytes = 8;
    if (place(&placement, &order, &source, &sep, 4096, &budget, &e) != ST_OK)
        stop_at(&e);
    struct outfile *out;
    struct container_writer *w;
    struct csr_counts counts;
    if (outfile_open(&out, folder, &e) != ST_OK ||
        container_writer_open(&w, &shard_kind, out, &e) != ST_OK ||
        csr_build(&(struct csr_source){.placement = &placement}, NN, 0,
                  &(struct section_writer){w, PACK_RAW, 2, &budget}, &counts, &e) != ST_OK ||
        container_writer_finish(w, NULL, &e) != ST_OK || outfile_commit(out, NULL, &e) != ST_OK)
        stop_at(&e);
    container_writer_free(w);
    struct container *file;
    const struct section *columns, *offsets;
    if (container_open(&file, &shard_kind, folder, &e) != ST_OK ||
        container_need(file, SHARD_COLUMNS, 8, 2 * s.count, &columns, &e) != ST_OK ||
        container_need(file, SHARD_OFFSETS, 4, s.n + 1, &offsets, &e) != ST_OK)
        stop_at(&e);
    /* degree 2 first, by id: vertices 1..n-2 are locals 0..n-3, then 0 and n-1 */
    int ok = 1;
    for (uint64_t row = 0; row + 2 < s.n && ok; row++) {
        const uint64_t *to = (const uint64_t *)columns->data + 2 * row;
        uint64_t before = row == 0 ? s.n - 2 : row - 1, after = row + 3 == s.n ? s.n - 1 : row + 1;
        ok = ((const uint32_t *)offsets->data)[row] == 2 * row &&
             to[0] == (before < after ? before : after) &&
             to[1] == (before < after ? after : before);
    }
    report(ok && counts.edges == 2 * s.count, "rows beyond the bits that a record keeps");
    container_close(file);
    unlink(folder);
    placement_free(&placement);
    order_free(&order, &budget);
    separation_free(&sep, &budget);
    edge_source_close(&source);
    free(s.edges);
}

int main(void)
{
    snprintf(folder, sizeof folder, "%s/dbfs-unit.%ld.shards", unit_place(), (long)getpid());
    test_example();
    test_random(0, "random graphs, each edge once: every section of every shard");
    test_random(1, "random graphs, both directions: every section of every shard");
    test_wide();
    test_odd_records();
    test_cut_rows();
    return unit_result();
}
