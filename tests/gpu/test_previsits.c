/* test_previsits.c: previsits, lists of the frontier, workloads and counters */
#include "checks.h"
#include "steps.h"
#include "tests.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 7, SURELY_LISTED = 256 };

static const char *const kind_name[] = {"normals", "delegates"};

/* Checks that a queue lists the mask in any order. Words behind its end are POISON. */
static void check_queue(const uint32_t *queue, uint64_t count, const uint64_t *mask, uint64_t bits)
{
    uint64_t *seen = need_memory(mask_words(bits) * 8);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t id = queue[i];
        if (!check_that(id < bits && mask_bit(mask, id) && !mask_bit(seen, id),
                        "entry %" PRIu64 " of the queue is %" PRIu32, i, id))
            break;
        seen[id / 64] |= UINT64_C(1) << (id % 64);
    }
    for (uint64_t i = count; i < bits; i++)
        check_that(queue[i] == POISON, "entry %" PRIu64 " is behind the end of the queue", i);
    free(seen);
}

/* A frontier that is large, or dense somewhere, need not be listed. Its FV is then a lower bound of at least q. */
static void check_counts(const struct previsit_step *p, const struct previsited *kernel,
                         const struct previsited *twin)
{
    uint64_t bits = vertices_of(p->shard, p->kind);
    int listed = kernel->listed == kernel->fresh && kernel->listed <= p->capacity;
    check_that(kernel->fresh == twin->fresh, "fresh is %" PRIu64 " for %" PRIu64, kernel->fresh,
               twin->fresh);
    check_that(listed || twin->fresh > SURELY_LISTED || twin->fresh > p->capacity,
               "%" PRIu64 " of only %" PRIu64 " are listed", kernel->listed, twin->fresh);
    if (listed)
        check_queue(kernel->queue, twin->fresh, twin->frontier, bits);
    for (int i = 0; i < 2; i++) {
        check_that(kernel->sources[i] == twin->sources[i], "q is %" PRIu64 " for %" PRIu64,
                   kernel->sources[i], twin->sources[i]);
        check_that(kernel->forward[i] <= twin->forward[i] &&
                       kernel->forward[i] >= (listed ? twin->forward[i] : twin->sources[i]),
                   "FV is %" PRIu64 " for %" PRIu64, kernel->forward[i], twin->forward[i]);
    }
}

static void compare(const struct previsit_step *p, const struct previsited *kernel,
                    const struct previsited *twin)
{
    uint64_t bits = vertices_of(p->shard, p->kind), words = mask_words(bits), left = 0;
    for (uint64_t w = 0; w < words; w++)
        left |= kernel->in[w];
    check_that(left == 0, "what came in is not cleared");
    check_that(memcmp(kernel->visited, twin->visited, words * 8) == 0, "visited differs");
    check_that(memcmp(kernel->frontier, twin->frontier, words * 8) == 0, "the frontier differs");
    for (uint64_t i = 0; i < bits; i++)
        check_that(kernel->depth[i] == (mask_bit(twin->frontier, i) ? DEPTH : (int32_t)POISON) &&
                       kernel->depth[i] == twin->depth[i],
                   "the depth of %" PRIu64 " is %" PRId32, i, kernel->depth[i]);
    check_counts(p, kernel, twin);
}

static void free_previsited(struct previsited *out)
{
    free(out->visited);
    free(out->frontier);
    free(out->depth);
    free(out->in);
    free(out->queue);
}

static void run_previsit(const struct previsit_step *p)
{
    struct previsited kernel = {0}, twin = {0};
    kernel_previsit(p, &kernel);
    twin_previsit(p, &twin);
    compare(p, &kernel, &twin);
    free_previsited(&kernel);
    free_previsited(&twin);
}

static void test_rooms(const struct shard *shard, enum vertex_kind kind, enum mask_kind in,
                       enum mask_kind visited)
{
    static const uint64_t rooms[] = {UINT64_C(1) << 40, 500, 0};
    uint64_t bits = vertices_of(shard, kind), random = (uint64_t)in + 8 * (uint64_t)visited;
    uint64_t *coming = mask_make(bits, in, &random), *before = mask_make(bits, visited, &random);
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        check_input("in %s, visited %s, room %" PRIu64, mask_kind_name[in],
                    mask_kind_name[visited], rooms[i]);
        run_previsit(&(struct previsit_step){shard, kind, coming, before, DEPTH, rooms[i]});
    }
    free(coming);
    free(before);
}

/* ---- the whole frontier ---- */

static int by_id(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void run_list(const struct shard *shard, enum subgraph g, enum mask_kind kind)
{
    uint64_t bits = vertices_of(shard, subgraph_rows(g)), random = (uint64_t)kind;
    uint64_t *frontier = mask_make(bits, kind, &random);
    struct listed kernel = {0}, twin = {0};
    kernel_list(shard, g, frontier, &kernel);
    twin_list(shard, g, frontier, &twin);
    check_input("frontier %s", mask_kind_name[kind]);
    check_that(kernel.forward == twin.forward, "FV is %" PRIu64 " for %" PRIu64, kernel.forward,
               twin.forward);
    if (check_that(kernel.count == twin.count, "%" PRIu64 " are listed for %" PRIu64, kernel.count,
                   twin.count)) {
        qsort(kernel.rows, kernel.count, sizeof *kernel.rows, by_id);
        check_that(memcmp(kernel.rows, twin.rows, twin.count * sizeof *twin.rows) == 0,
                   "other vertices are listed");
    }
    free(kernel.rows);
    free(twin.rows);
    free(frontier);
}

void test_previsits(const struct shard *shard, const struct graph_spec *spec)
{
    for (int kind = NORMALS; kind < VERTEX_KINDS; kind++) {
        check_begin();
        for (int in = MASK_NONE; in <= MASK_ALL; in++) {
            test_rooms(shard, (enum vertex_kind)kind, (enum mask_kind)in, MASK_NONE);
            test_rooms(shard, (enum vertex_kind)kind, (enum mask_kind)in, MASK_HALF);
        }
        test_rooms(shard, (enum vertex_kind)kind, MASK_ALL, MASK_ALL);
        check_end("cuda_previsit, %s: %s", kind_name[kind], spec->name);
    }
    for (int g = 0; g < SUBGRAPHS; g++) {
        check_begin();
        for (int kind = MASK_NONE; kind <= MASK_ALL; kind++)
            run_list(shard, (enum subgraph)g, (enum mask_kind)kind);
        check_end("cuda_fill_queue and cuda_count_forward, %s: %s", subgraph_name[g],
                  spec->name);
    }
}

/* ---- counters ---- */

void test_publish(void)
{
    size_t bytes = kernel_level_bytes();
    unsigned char *level = need_memory(bytes), *published = need_memory(bytes),
                  *left = need_memory(bytes), sum = 0;
    for (size_t i = 0; i < bytes; i++)
        level[i] = (unsigned char)(i + 1);
    check_begin();
    check_input("%zu bytes", bytes);
    const uint64_t report = kernel_publish(level, published, left, 7);
    for (size_t i = 0; i < bytes; i++)
        sum |= left[i];
    check_that(memcmp(level, published, bytes) == 0, "others are published");
    check_that(sum == 0, "they are not zeroed");
    check_that(report == UINT64_C(7) << 32, "the report is another one");
    check_end("cuda_publish");
    free(level);
    free(published);
    free(left);
}
