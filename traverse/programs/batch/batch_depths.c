/* batch_depths.c: notes the distances of a batch; see batch_depths.h */
#include "batch_depths.h"

#include "formats/base/arith.h"
#include "formats/base/clones.h"
#include "formats/base/hash.h"

#include <stdlib.h>
#include <string.h>

/* MANY_BITS: for a word with more set bits than this, the hash
 * is added to all 64 sums of the word, by vector operations. */
enum { MANY_BITS = 12 };

/* Allocates the checksums and, with `arrays`, the distances of `batch` roots within the budget. */
enum status batch_depths_open(struct batch_depths *d, const struct joined_graph *graph, uint64_t batch, int threads,
                              int arrays, int checksums, struct error *e)
{
    *d = (struct batch_depths){.graph = graph, .threads = threads, .checksums = checksums};
    d->sums = calloc((size_t)threads, BATCH_MOST * sizeof *d->sums);
    if (d->sums == NULL)
        return fail_memory(e, "checksums", (size_t)threads * BATCH_MOST * sizeof *d->sums);
    return !arrays ? e->status : memory_take(graph->budget, (void **)&d->depth, batch * graph->vertices, 4,
                                             "distances of a batch (a smaller --batch takes less)", e);
}

void batch_depths_close(struct batch_depths *d)
{
    free(d->sums);
    if (d->graph != NULL)
        memory_release(d->graph->budget, d->depth);
    *d = (struct batch_depths){0};
}

/* Forgets the last batch: zeroes the checksums, and sets all distances from the first `count` roots to DEPTH_UNREACHED. */
void batch_depths_begin(struct batch_depths *d, uint32_t count)
{
    memset(d->sums, 0, (size_t)d->threads * BATCH_MOST * sizeof *d->sums);
    if (d->depth != NULL)
        memset(d->depth, 0xff, count * d->graph->vertices * sizeof *d->depth);
}

/* Adds `value` to sum[i] for each bit i that is set in `bits`. Works on all 64 sums, by vector operations. */
WIDE_CLONES static void add_to_many(uint64_t *sum, uint64_t bits, uint64_t value)
{
    for (int i = 0; i < 64; i++)
        sum[i] += value & -(bits >> i & 1);
}

/* A level_body: for each root that found a vertex, sets the distance, and adds a hash of vertex and distance to the sum that this thread
 * keeps for the root. `sink` is the struct batch_depths. */
static void note_entries(void *sink, const struct batch_level *level, int thread, uint64_t begin, uint64_t end)
{
    const struct batch_depths *d = sink;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t v = level_vertex(level, i), hash = 0;
        const uint64_t *found = level_found(level, v);
        for (int j = 0; j < level->words; j++) {
            uint64_t *sum = d->sums + (size_t)thread * BATCH_MOST + 64 * j;
            if (found[j] == 0)
                continue;
            for (uint64_t bits = d->depth != NULL ? found[j] : 0; bits != 0; bits &= bits - 1)
                batch_depths_of(d, (uint32_t)(64 * j + __builtin_ctzll(bits)))[v] = (int32_t)level->depth;
            if (!d->checksums)
                continue;
            hash = hash != 0 ? hash : hash_pair(d->graph->ids[v], level->depth);
            if (__builtin_popcountll(found[j]) > MANY_BITS) {
                add_to_many(sum, found[j], hash);
                continue;
            }
            for (uint64_t bits = found[j]; bits != 0; bits &= bits - 1)
                sum[__builtin_ctzll(bits)] += hash;
        }
    }
}

/* Notes the distances of the vertices of a level (batch_depths.h). If the level is of all roots, the threads of the pool
 * share the work. If it is of a single root, the calling thread does the work alone. */
void batch_depths_note(struct batch_depths *d, const struct batch_level *level)
{
    if (level->found != NULL) {
        level_run(level, level->count, note_entries, d);
        return;
    }
    for (uint64_t i = 0; i < level->count; i++) {
        uint64_t v = level->list[i];
        if (d->depth != NULL)
            batch_depths_of(d, level->root)[v] = (int32_t)level->depth;
        if (d->checksums)
            d->sums[level->root] += hash_pair(d->graph->ids[v], level->depth);
    }
}

/* Returns the checksum of root `number`; 0 if no checksums are wanted. It is the sum of what all threads have noted. For an
 * isolated root nothing was noted, so it is the hash of the input id `id` and distance 0. */
uint64_t batch_depths_checksum(const struct batch_depths *d, uint32_t number, uint64_t id, int isolated)
{
    uint64_t sum = isolated && d->checksums ? hash_pair(id, 0) : 0;
    for (int i = 0; i < d->threads; i++)
        sum += d->sums[(size_t)i * BATCH_MOST + number];
    return sum;
}
