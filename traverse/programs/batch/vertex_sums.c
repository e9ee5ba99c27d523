/* vertex_sums.c: adds the distances from roots to the sums of each vertex; see vertex_sums.h
 *
 * In a level of all roots, a vertex has a bit for each root that has found it, and all these roots have the same distance. So a
 * vertex costs one addition to each of its sums, 40 bytes that are read and written, whatever the number of bits.
 * Searches from single roots note their distances by root. A pass over the vertices then adds up to `rows` of them. */
#include "vertex_sums.h"

#include "formats/base/arith.h"

#include <math.h>
#include <string.h>

/* LEAST_ROWS: single roots of a part, if there are not more threads.
 * SMALL: distances below this number have their inverses in a table. EXACT_BITS: the largest unit is 2^EXACT_BITS, which a
 * double has exactly. */
enum { LEAST_ROWS = 16, SMALL = 1 << 12, EXACT_BITS = 52 };

/* Returns unit / distance^power, rounded. */
static uint64_t inverse_of(const struct vertex_sums *s, double distance, int power)
{
    return (uint64_t)(s->unit / (power == 1 ? distance : distance * distance) + 0.5);
}

enum status vertex_sums_open(struct vertex_sums *s, const struct joined_graph *graph, uint64_t roots, uint64_t batch, int threads,
                             struct error *e)
{
    *s = (struct vertex_sums){.graph = graph};
    s->rows = (uint32_t)smaller(batch, larger(LEAST_ROWS, (uint64_t)threads));
    s->unit = ldexp(1, (int)smaller(EXACT_BITS, 63 - bits_for(roots)));
    if (vertex_sums_resize(s, graph->vertices, e) != ST_OK ||
        memory_take(graph->budget, (void **)&s->inverse, 2 * SMALL, 8, "sums of each vertex", e) != ST_OK)
        return e->status;
    memset(s->root, 0xff, graph->vertices * sizeof *s->root);
    for (int d = 1; d < SMALL; d++) {
        s->inverse[2 * d] = inverse_of(s, d, 1);
        s->inverse[2 * d + 1] = inverse_of(s, d, 2);
    }
    return ST_OK;
}

void vertex_sums_close(struct vertex_sums *s)
{
    void *const arrays[] = {s->sum, s->root, s->depth, s->inverse};
    for (size_t i = 0; s->graph != NULL && i < sizeof arrays / sizeof *arrays; i++)
        memory_release(s->graph->budget, arrays[i]);
    *s = (struct vertex_sums){0};
}

enum status vertex_sums_resize(struct vertex_sums *s, uint64_t vertices, struct error *e)
{
    struct memory_budget *budget = s->graph->budget;
    memory_release(budget, s->sum);
    memory_release(budget, s->root);
    s->root = NULL;
    memory_take(budget, (void **)&s->sum, vertices, sizeof *s->sum, "sums of each vertex", e);
    return e->status == ST_OK ? memory_take(budget, (void **)&s->root, vertices, 4, "sums of each vertex", e) : e->status;
}

/* The first batch may have added levels before it was given up. */
void vertex_sums_begin(struct vertex_sums *s)
{
    if (s->batches > 0)
        return;
    memset(s->sum, 0, s->graph->vertices * sizeof *s->sum);
    memset(s->root, 0xff, s->graph->vertices * sizeof *s->root);
}

/* Adds a distance from `roots` roots to the sums of a vertex. */
static inline void add(const struct vertex_sums *s, struct vertex_sum *sum, uint64_t roots, uint64_t distance)
{
    const int small = distance < SMALL;
    sum->roots += roots;
    sum->distances += roots * distance;
    sum->squares += roots * distance * distance;
    sum->inverses += roots * (small ? s->inverse[2 * distance] : inverse_of(s, (double)distance, 1));
    sum->inverse_squares += roots * (small ? s->inverse[2 * distance + 1] : inverse_of(s, (double)distance, 2));
}

/* ---- levels of all roots ---- */

/* A level_body: adds the distance of each vertex to its sums. The roots, at distance 0, are only noted as vertices that a root reaches.
 * `sink` is the struct vertex_sums. */
static void add_entries(void *sink, const struct batch_level *level, int thread, uint64_t begin, uint64_t end)
{
    const struct vertex_sums *s = sink;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t v = level_vertex(level, i);
        const uint64_t *found = level_found(level, v);
        uint64_t roots = 0, one = 0; /* number of roots; number of one of them */
        for (int j = 0; j < level->words; j++) {
            roots += (uint64_t)__builtin_popcountll(found[j]);
            one = found[j] != 0 ? 64 * (uint64_t)j + (uint64_t)__builtin_ctzll(found[j]) : one;
        }
        if (roots == 0)
            continue;
        if (s->root[v] < 0)
            s->root[v] = (int32_t)(s->first + one);
        if (level->depth > 0)
            add(s, &s->sum[v], roots, level->depth);
    }
}

void vertex_sums_note(struct vertex_sums *s, const struct batch_level *level)
{
    if (level->found != NULL) {
        level_run(level, level->count, add_entries, s);
        return;
    }
    for (uint64_t i = 0; i < level->count; i++)
        s->depth[level->root * s->graph->vertices + level->list[i]] = (int32_t)level->depth;
}

/* ---- single roots ---- */

enum status vertex_sums_open_part(struct vertex_sums *s, struct error *e)
{
    const uint64_t values = s->rows * s->graph->vertices;
    if (s->depth == NULL && memory_take(s->graph->budget, (void **)&s->depth, values, 4,
                                        "distances of searches from single roots (a smaller --batch takes less)", e) == ST_OK)
        memset(s->depth, 0xff, values * sizeof *s->depth); /* DEPTH_UNREACHED */
    return e->status;
}

/* The arguments of add_vertices. */
struct added_part {
    struct vertex_sums *sums;
    uint32_t count;
};

/* Adds the distances from all roots of a part to the vertices `begin` to `end` - 1, and resets them. Called by pool_for. */
static void add_vertices(void *context, uint64_t begin, uint64_t end)
{
    const struct added_part *part = context;
    struct vertex_sums *s = part->sums;
    for (uint32_t r = 0; r < part->count; r++) {
        int32_t *depth = s->depth + r * s->graph->vertices;
        for (uint64_t v = begin; v < end; v++) {
            if (depth[v] < 0)
                continue;
            s->root[v] = (int32_t)(s->first + r);
            if (depth[v] > 0)
                add(s, &s->sum[v], 1, (uint64_t)depth[v]);
            depth[v] = DEPTH_UNREACHED;
        }
    }
}

void vertex_sums_add_part(struct vertex_sums *s, uint32_t count, struct thread_pool *pool, int threads)
{
    struct added_part part = {s, count};
    pool_for(pool, threads, s->graph->vertices, LEVEL_STEP, add_vertices, &part);
}
