/* batch_depths.c: see batch_depths.h */
#include "batch_depths.h"

#include "formats/base/arith.h"
#include "formats/base/clones.h"
#include "formats/base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Vertices of a piece; bits of a word above which all 64 sums are added to by vectors. */
enum { STEP = 1024, MANY_BITS = 12 };

/* Takes memory for checksums and, if `arrays`, for the distances of `batch` roots, and opens the thread pool. */
enum status batch_depths_open(struct batch_depths *d, const struct joined_graph *graph, uint64_t batch, int threads,
                              int arrays, int checksums, struct error *e)
{
    *d = (struct batch_depths){.graph = graph, .threads = threads, .checksums = checksums};
    d->sums = calloc((size_t)threads, BATCH_MOST * sizeof *d->sums);
    if (d->sums == NULL)
        return fail_memory(e, "checksums", (size_t)threads * BATCH_MOST * sizeof *d->sums);
    if (arrays && memory_take(graph->budget, (void **)&d->depth, batch * graph->vertices, 4,
                              "distances of a batch (a smaller --batch takes less)", e) != ST_OK)
        return e->status;
    return pool_open(&d->pool, threads, e);
}

/* Frees what *d holds. */
void batch_depths_close(struct batch_depths *d)
{
    free(d->sums);
    if (d->graph != NULL)
        memory_release(d->graph->budget, d->depth);
    pool_close(d->pool);
    *d = (struct batch_depths){0};
}

/* ---- a level ---- */

/* A level that the threads of the pool note. */
struct watched {
    struct batch_depths *depths;
    const struct batch_level *level;
};

/* Adds `value` to those of sum[0..64) whose bit is set in `bits`, by vector operations on all 64. */
WIDE_CLONES static void add_to_many(uint64_t *sum, uint64_t bits, uint64_t value)
{
    for (int i = 0; i < 64; i++)
        sum[i] += value & -(bits >> i & 1);
}

/* Adds `value` to those of sum[0..64) whose bit is set in `bits`. */
static void add_to_sums(uint64_t *sum, uint64_t bits, uint64_t value)
{
    if (__builtin_popcountll(bits) > MANY_BITS)
        add_to_many(sum, bits, value);
    else
        for (; bits != 0; bits &= bits - 1)
            sum[__builtin_ctzll(bits)] += value;
}

/* Sets the distance of vertex v to `depth` for the roots 64 * word + i whose bit i is set in `bits`. */
static void set_depths(const struct batch_depths *d, uint64_t v, int word, uint64_t bits, int32_t depth)
{
    for (; bits != 0; bits &= bits - 1)
        batch_depths_of(d, (uint32_t)(64 * word + __builtin_ctzll(bits)))[v] = depth;
}

/* Notes the found vertices of a piece, STEP entries of the list or vertices, on thread `thread` of the pool; `context`
 * is the struct watched. Returns 0. */
static uint64_t watch_piece(void *context, int thread, uint64_t piece)
{
    const struct watched *w = context;
    const struct batch_level *level = w->level;
    struct batch_depths *d = w->depths;
    uint64_t *sums = d->sums + (size_t)thread * BATCH_MOST, end = smaller((piece + 1) * STEP, level->count);
    for (uint64_t i = piece * STEP; i < end; i++) {
        uint64_t v = level->list != NULL ? level->list[i] : i, hash = 0;
        const uint64_t *found = level->found + v * (uint64_t)level->words;
        for (int j = 0; j < level->words; j++) {
            if (found[j] == 0)
                continue;
            if (d->depth != NULL)
                set_depths(d, v, j, found[j], (int32_t)level->depth);
            if (!d->checksums)
                continue;
            hash = hash != 0 ? hash : hash_pair(d->graph->ids[v], level->depth);
            add_to_sums(sums + 64 * j, found[j], hash);
        }
    }
    return 0;
}

/* Notes a level of a search from the single root level->root. Only the thread of this root calls it. */
static void watch_alone(struct batch_depths *d, const struct batch_level *level)
{
    for (uint64_t i = 0; i < level->count; i++) {
        uint64_t v = level->list[i];
        if (d->depth != NULL)
            batch_depths_of(d, level->root)[v] = (int32_t)level->depth;
        if (d->checksums)
            d->sums[level->root] += hash_pair(d->graph->ids[v], level->depth);
    }
}

/* The `level` of the watcher; `context` is the struct batch_depths. Notes a level of the whole batch with the threads
 * of the pool, or one of a single root on the calling thread. */
static void watch(void *context, const struct batch_level *level)
{
    struct watched w = {context, level};
    uint64_t pieces = divide_up(level->count, STEP);
    if (level->found == NULL)
        watch_alone(w.depths, level);
    else
        pool_run(w.depths->pool, pieces < 8 ? 1 : w.depths->threads, pieces, watch_piece, &w);
}

/* The `begin` of the watcher; `context` is the struct batch_depths. Zeroes the checksums, and marks all vertices as
 * not reached. */
static void begin(void *context)
{
    struct batch_depths *d = context;
    memset(d->sums, 0, (size_t)d->threads * BATCH_MOST * sizeof *d->sums);
    if (d->depth != NULL)
        memset(d->depth, 0xff, d->count * d->graph->vertices * sizeof *d->depth); /* DEPTH_UNREACHED */
}

/* Returns the watcher that notes in *d the distances of the coming batch, of `count` roots. */
struct batch_watcher batch_depths_watcher(struct batch_depths *d, uint32_t count)
{
    d->count = count;
    return (struct batch_watcher){begin, d->depth != NULL || d->checksums ? watch : NULL, d};
}

/* Returns the checksum of root `number`, summed over threads. An isolated root, with input id `id`, was not searched
 * from: its checksum is that of the root at distance 0. */
uint64_t batch_depths_checksum(const struct batch_depths *d, uint32_t number, uint64_t id, int isolated)
{
    uint64_t sum = isolated && d->checksums ? hash_pair(id, 0) : 0;
    for (int i = 0; i < d->threads; i++)
        sum += d->sums[(size_t)i * BATCH_MOST + number];
    return sum;
}
