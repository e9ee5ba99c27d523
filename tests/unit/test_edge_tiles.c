/* test_edge_tiles.c: tiles hold every edge once, without self-loops; they count degrees as a plain loop does; the
 * store that follows gets their memory. */
#include "unit.h"

#include "formats/base/hash.h"
#include "tools/stream/edge_tiles.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) report((condition), #condition)

enum { THREADS = 3, PIECES = 60, PIECE = 1000, MOST_COUNTED = (1 << 26) + 1 /* vertices with degrees */ };

/* A piece of a stream over n vertices: some self-loops, duplicates, and the first and last ids. */
static void make_piece(struct edge *edges, uint64_t n, uint64_t piece)
{
    for (uint64_t i = 0; i < PIECE; i++) {
        uint64_t at = piece * PIECE + i;
        edges[i] = (struct edge){random64(1, at) % n, random64(2, at) % n};
        if (i % 50 == 0)
            edges[i].v = edges[i].u;
        if (i % 97 == 0)
            edges[i] = (struct edge){n - 1, 0};
    }
}

/* Sums over a multiset of edges, in any order. */
struct digest {
    uint64_t edges, sum;
};

static void add(struct digest *d, const struct edge *edges, size_t count, int undirected)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t u = edges[i].u, v = edges[i].v;
        if (u == v)
            continue;
        d->edges++;
        d->sum += undirected && u > v ? hash_pair(v, u) : hash_pair(u, v);
    }
}

struct scan {
    struct digest of[THREADS];
    int undirected;
    _Atomic int fail_at; /* pieces until a failure, in any thread; 0: no failure */
    struct bucket_store *copy; /* edges go there; or NULL */
    unsigned record_bytes;
};

static enum status visit(void *context, int thread, const struct tile_run *run, struct error *e)
{
    struct scan *s = context;
    for (size_t i = 0; i < run->count; i++) {
        struct edge edge = tile_edge(run, s->record_bytes, i);
        add(&s->of[thread], &edge, 1, s->undirected);
        if (s->copy != NULL)
            *(uint64_t *)(void *)bucket_place(&s->copy->writer[thread], (uint32_t)(edge.u % 5), 8) = edge.v;
    }
    if (s->fail_at > 0 && --s->fail_at == 0)
        return fail(e, ST_BAD_DATA, "as the test asked");
    return ST_OK;
}

static struct digest scan_all(struct edge_tiles *tiles, struct scan *s, struct error *e)
{
    struct digest d = {0};
    s->record_bytes = tiles->record_bytes;
    edge_tiles_visit(tiles, THREADS, visit, s, e);
    for (int t = 0; t < THREADS; t++) {
        d.edges += s->of[t].edges;
        d.sum += s->of[t].sum;
    }
    return d;
}

static void fill(struct edge_tiles *tiles, uint64_t n, struct error *e)
{
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 1)
    for (uint64_t i = 0; i < PIECES; i++) {
        struct edge edges[PIECE];
        struct error error = {0};
        make_piece(edges, n, i);
        edge_tiles_add(tiles, omp_get_thread_num(), edges, PIECE, &error);
#pragma omp critical
        if (error.status != ST_OK)
            *e = error;
    }
    edge_tiles_seal(tiles, e);
}

static int same_degrees(const struct edge_tiles *tiles, uint64_t n, int both_ends)
{
    uint32_t *got = calloc(n, sizeof *got), *expected = calloc(n, sizeof *expected);
    struct edge edges[PIECE];
    for (uint64_t i = 0; i < PIECES; i++) {
        make_piece(edges, n, i);
        for (int j = 0; j < PIECE; j++) {
            if (edges[j].u == edges[j].v)
                continue;
            expected[edges[j].u]++;
            expected[edges[j].v] += both_ends;
        }
    }
    edge_tiles_degrees(tiles, THREADS, got);
    int same = memcmp(got, expected, n * sizeof *got) == 0;
    free(got);
    free(expected);
    return same;
}

/* The stream's edges with ids that differ by `near` at most, self-loops left out. */
static uint64_t count_near(uint64_t n, uint64_t near)
{
    uint64_t sum = 0;
    struct edge edges[PIECE];
    for (uint64_t i = 0; i < PIECES; i++) {
        make_piece(edges, n, i);
        for (int j = 0; j < PIECE; j++) {
            uint64_t u = edges[j].u, v = edges[j].v;
            sum += u != v && (u > v ? u - v : v - u) <= near;
        }
    }
    return sum;
}

/* Tiles of which only the most ids are known hold the same edges as others. */
static void check_likely(uint64_t n, enum edges_direction direction, uint64_t expected_edges, struct memory_budget *budget)
{
    struct error e = {0};
    struct edge_tiles tiles;
    struct scan s = {.undirected = direction == EDGES_UNDIRECTED_ONCE};
    CHECK(edge_tiles_open_likely(&tiles, UINT64_C(1) << 23, n < 1 << 23 ? n : 1 << 23, direction, THREADS, budget, &e) == ST_OK);
    if (n <= 1 << 23) {
        fill(&tiles, n, &e);
        CHECK(scan_all(&tiles, &s, &e).edges == expected_edges);
        CHECK(edge_tiles_near(&tiles, THREADS, 9000) == count_near(n, 9000));
    }
    edge_tiles_close(&tiles);
}

/* The last scan copies the edges into an heir of their memory, which must not lose any of it. */
static void check_heir(struct edge_tiles *tiles, struct digest expected, int undirected,
                       struct memory_budget *budget)
{
    struct error e = {0};
    struct bucket_store heir = {0};
    struct scan s = {.undirected = undirected, .copy = &heir};
    struct bucket_options o = {.buckets = 5, .threads = THREADS, .expected_bytes = 1 << 20,
                               .room_bytes = UINT64_C(1) << 32, .like = &tiles->store};
    uint64_t before = budget->taken_bytes, records = 0;
    size_t count;
    const void *at;
    CHECK(bucket_store_open(&heir, &o, budget, &e) == ST_OK);
    CHECK(edge_tiles_leave(tiles, &heir, &e) == ST_OK);
    CHECK(budget->taken_bytes - before == heir.fixed_bytes + THREADS * heir.slab_bytes);
    struct digest got = scan_all(tiles, &s, &e);
    CHECK(e.status == ST_OK && got.edges == expected.edges && got.sum == expected.sum);
    CHECK(bucket_store_seal(&heir, &e) == ST_OK);
    for (uint32_t b = 0; b < 5; b++) {
        struct bucket_reader r = bucket_read(&heir, b, 8, NULL, &e);
        while ((count = bucket_reader_next(&r, &at)) > 0)
            records += count;
    }
    CHECK(records == expected.edges);
    edge_tiles_close(tiles);
    bucket_store_close(&heir);
}

static void check_graph(uint64_t n, enum edges_direction direction, uint32_t ranges, unsigned record_bytes)
{
    struct error e = {0};
    struct edge_tiles tiles;
    struct memory_budget budget = {.limit_bytes = UINT64_C(1) << 32};
    struct digest expected = {0};
    struct edge edges[PIECE];
    int undirected = direction == EDGES_UNDIRECTED_ONCE;
    for (uint64_t i = 0; i < PIECES; i++) {
        make_piece(edges, n, i);
        add(&expected, edges, PIECE, undirected);
    }
    CHECK(edge_tiles_open(&tiles, n, PIECES * PIECE, direction, THREADS, &budget, &e) == ST_OK);
    CHECK(tiles.ranges == ranges && tiles.record_bytes == record_bytes);
    fill(&tiles, n, &e);
    CHECK(budget.taken_bytes <= edge_tiles_bytes(n, PIECES * PIECE, THREADS));
    if (n <= MOST_COUNTED)
        CHECK(same_degrees(&tiles, n, direction != EDGES_SYMMETRIC));
    for (uint64_t near = 0; near < UINT64_C(1) << tiles.range_bits; near = 40 * near + 1)
        CHECK(edge_tiles_near(&tiles, THREADS, near) == count_near(n, near));
    check_likely(n, direction, expected.edges, &budget);
    for (int again = 0; again < 2; again++) {
        struct scan s = {.undirected = undirected};
        struct digest got = scan_all(&tiles, &s, &e);
        CHECK(e.status == ST_OK && got.edges == expected.edges && got.sum == expected.sum);
    }
    struct scan failing = {.undirected = undirected, .fail_at = 3};
    scan_all(&tiles, &failing, &e);
    CHECK(e.status == ST_BAD_DATA);
    check_heir(&tiles, expected, undirected, &budget);
    CHECK(budget.taken_bytes == 0);
}

static void check_limits(void)
{
    struct error e = {0};
    struct edge_tiles tiles;
    struct memory_budget budget = {.limit_bytes = 1 << 10};
    CHECK(edge_tiles_bytes(UINT64_C(1) << 38, 1, 1) != UINT64_MAX);
    CHECK(edge_tiles_bytes((UINT64_C(1) << 38) + 1, 1, 1) == UINT64_MAX);
    CHECK(edge_tiles_open(&tiles, 1 << 20, 1000, EDGES_UNDIRECTED_ONCE, 1, &budget, &e) == ST_RESOURCE);
    edge_tiles_close(&tiles);
}

int main(void)
{
    for (int i = EDGES_UNDIRECTED_ONCE; i <= EDGES_DIRECTED; i++) {
        enum edges_direction direction = (enum edges_direction)i;
        check_graph(2, direction, 1, 4);
        check_graph(1 << 16, direction, 1, 4);
        check_graph((1 << 16) + 1, direction, 2, 4);
        check_graph((1 << 20) - 3, direction, 16, 4);
        check_graph(1 << 23, direction, 128, 4);
        check_graph((1 << 23) + 1, direction, 33, 5);
    }
    check_graph(1 << 26, 1, 64, 5);
    check_graph((1 << 26) + 1, 0, 33, 6);
    check_graph(1 << 30, 1, 64, 6);
    check_graph((1 << 30) + 1, 0, 33, 8);
    check_graph(UINT64_C(1) << 38, 1, 64, 8);
    check_limits();
    return unit_result();
}
