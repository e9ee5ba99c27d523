/* test_exchange.c: bins, dropping duplicates, vertices that arrive, masks, roots, results and loading */
#include "checks.h"
#include "steps.h"
#include "tests.h"

#include "traverse/engine/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- bins ---- */

enum destinations { TO_ALL, TO_FEW, TO_LAST, DESTINATIONS };

static uint64_t make_code(uint32_t p, uint32_t local_bits, enum destinations to, uint64_t random)
{
    uint64_t shard = to == TO_LAST ? p - 1 : to == TO_FEW ? random % 5 * 37 % p : random % p;
    return shard << local_bits | (random >> 20 & ((UINT64_C(1) << local_bits) - 1));
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void compare_bins(struct binned *kernel, struct binned *twin, uint32_t p)
{
    for (uint32_t s = 0; s <= p; s++) {
        if (!check_that(kernel->begin[s] == twin->begin[s], "shard %" PRIu32 " begins at %" PRIu64
                        " for %" PRIu64, s, kernel->begin[s], twin->begin[s]))
            return;
    }
    for (uint32_t s = 0; s < p; s++) {
        uint64_t at = twin->begin[s], count = twin->begin[s + 1] - at;
        qsort(kernel->ids + at, count, sizeof *kernel->ids, by_id);
        qsort(twin->ids + at, count, sizeof *twin->ids, by_id);
        check_that(memcmp(kernel->ids + at, twin->ids + at, count * sizeof *twin->ids) == 0,
                   "shard %" PRIu32 " gets other vertices", s);
    }
}

static void run_bin(uint64_t count, uint32_t p, uint32_t local_bits, enum destinations to)
{
    uint64_t *codes = need_memory(count * sizeof *codes), random = count + p;
    struct binned kernel, twin;
    for (uint64_t i = 0; i < count; i++)
        codes[i] = make_code(p, local_bits, to, next_random(&random));
    check_input("%" PRIu64 " codes of %" PRIu32 " bits, destinations %d", count, local_bits,
                (int)to);
    kernel_bin(codes, count, p, local_bits, &kernel);
    twin_bin(codes, count, p, local_bits, &twin);
    compare_bins(&kernel, &twin, p);
    free(kernel.begin);
    free(kernel.ids);
    free(twin.begin);
    free(twin.ids);
    free(codes);
}

void test_bins(void)
{
    static const uint32_t shards[] = {2, 3, 31, 32, 33, 64, 4095, 4096};
    static const uint64_t counts[] = {0, 1, 255, 4095, 4096, 4097, 1000003};
    static const uint32_t bits[] = {4, 20, 31};
    for (size_t s = 0; s < sizeof shards / sizeof *shards; s++) {
        check_begin();
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            for (int to = 0; to < DESTINATIONS; to++)
                run_bin(elements_of(counts[c]), shards[s], bits[(c + (size_t)to) % 3], (enum destinations)to);
        }
        check_end("cuda_bin: %" PRIu32 " shards", shards[s]);
    }
}

/* ---- duplicates ---- */

enum repetition { ALL_DISTINCT, SOME_TWICE, ALL_EQUAL, REPETITIONS };

/* ALL_DISTINCT: odd steps through 2^bits ids, from the largest id on. Ids come again if more are wanted. */
static uint32_t make_id(uint64_t i, uint32_t bits, enum repetition repetition, uint64_t random)
{
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    return (uint32_t)(mask & (repetition == ALL_EQUAL     ? mask
                              : repetition == SOME_TWICE  ? random % (mask / 3 + 1)
                                                          : mask + i * UINT64_C(2654435761)));
}

static void run_unique(uint64_t count, uint32_t bits, enum repetition repetition, int capacity)
{
    uint32_t *kernel = need_memory(count * sizeof *kernel),
             *twin = need_memory(count * sizeof *twin);
    uint64_t random = count + bits;
    int cleared = 0;
    for (uint64_t i = 0; i < count; i++)
        kernel[i] = twin[i] = make_id(i, bits, repetition, next_random(&random));
    check_input("%" PRIu64 " ids of %" PRIu32 " bits, repetition %d, room %d", count, bits, (int)repetition, capacity);
    uint64_t kept = twin_unique(twin, count),
             kept_there = kernel_unique(kernel, count, bits, capacity, &cleared);
    check_that(cleared, "the mask is not cleared");
    if (check_that(kept_there == kept, "%" PRIu64 " are left for %" PRIu64, kept_there, kept)) {
        qsort(kernel, kept, sizeof *kernel, by_id);
        check_that(memcmp(kernel, twin, kept * sizeof *kernel) == 0, "others are left");
    }
    free(kernel);
    free(twin);
}

void test_unique(void)
{
    static const uint64_t counts[] = {0, 1, 2, 255, 256, 257, 70000, 1000003};
    static const uint32_t bits[] = {1, 5, 6, 13, 16, 24};
    for (size_t b = 0; b < sizeof bits / sizeof *bits; b++) {
        check_begin();
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            for (int i = 0; i < 2 * REPETITIONS; i++)
                run_unique(elements_of(counts[c]), bits[b], (enum repetition)(i / 2), i % 2);
        }
        check_end("cuda_unique: ids of %" PRIu32 " bits", bits[b]);
    }
}

/* ---- arrival ---- */

static void check_remote(const struct arrival *a, const struct visited *out)
{
    for (uint64_t i = 0; a->parents && i < a->shard->locals; i++) {
        int fresh = mask_bit(out->next, i) && !mask_bit(a->next, i);
        check_that(out->parent[i] == (fresh ? PARENT_REMOTE : POISON),
                   "the parent of %" PRIu64 " is %" PRIx32, i, out->parent[i]);
    }
}

static void free_visited(struct visited *out)
{
    free(out->next);
    free(out->parent);
}

/* The twin gets valid ids only. */
static void compare_arrival(const struct arrival *a)
{
    struct visited kernel = {0}, twin = {0};
    uint32_t *good = need_memory(a->count * sizeof *good);
    struct arrival b = *a;
    int bad = 0;
    b.count = 0;
    b.ids = good;
    for (uint64_t i = 0; i < a->count; i++) {
        if (a->ids[i] < a->shard->locals)
            good[b.count++] = a->ids[i];
    }
    kernel_receive(a->masks ? &b : a, &kernel, &bad);
    twin_receive(&b, &twin);
    check_that(bad == (b.count < a->count && !a->masks), "bad is %d", bad);
    check_that(memcmp(kernel.next, twin.next, mask_words(a->shard->locals) * 8) == 0,
               "next differs");
    check_remote(a, &kernel);
    if (a->parents)
        check_that(memcmp(kernel.parent, twin.parent, a->shard->locals * 4) == 0, "parents differ");
    free_visited(&kernel);
    free_visited(&twin);
    free(good);
}

/* Makes `count` ids, duplicates among them. Each `every`-th one is too large. */
static void run_arrival(const struct shard *shard, uint64_t count, uint64_t every,
                        enum mask_kind visited)
{
    uint64_t random = count + every;
    uint64_t *before = mask_make(shard->locals, visited, &random);
    uint64_t *next = mask_make(shard->locals, MASK_FEW, &random);
    uint32_t *ids = need_memory(count * sizeof *ids);
    for (uint64_t w = 0; w < mask_words(shard->locals); w++)
        next[w] &= ~before[w];
    for (uint64_t i = 0; i < count; i++) {
        uint64_t r = next_random(&random);
        int bad = every > 0 && i % every == every - 1;
        ids[i] = (uint32_t)(!bad ? r % shard->locals : r & 1 ? shard->locals : UINT32_MAX);
    }
    check_input("%" PRIu64 " ids, visited %s, bad: 1 of %" PRIu64, count, mask_kind_name[visited],
                every);
    for (int lists = 1; lists <= 16; lists += lists < 3 ? 1 : 13) {
        compare_arrival(&(struct arrival){shard, before, next, ids, count, lists, 0, lists != 2});
        compare_arrival(&(struct arrival){shard, before, next, ids, count, lists, 1, lists != 2});
    }
    free(before);
    free(next);
    free(ids);
}

void test_arrivals(const struct shard *shard, const struct graph_spec *spec)
{
    static const uint64_t counts[] = {0, 1, 100, 1025, 300000}, every[] = {0, 1, 100};
    if (shard->locals == 0)
        return;
    check_begin();
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (size_t e = 0; e < sizeof every / sizeof *every; e++) {
            run_arrival(shard, elements_of(counts[c]), every[e], MASK_HALF);
            run_arrival(shard, elements_of(counts[c]), every[e], e == 0 ? MASK_ALL : MASK_NONE);
        }
    }
    check_end("cuda_receive, cuda_receive_mask: %s", spec->name);
}

/* ---- masks ---- */

static void run_or(uint64_t words, int count, int keep)
{
    enum { MOST = 16 };
    uint64_t *masks[MOST], random = words + (uint64_t)count;
    uint64_t *kernel = mask_make(64 * words, MASK_FEW, &random);
    uint64_t *twin = need_memory(words * 8);
    for (int i = 0; i < count; i++)
        masks[i] = mask_make(64 * words, i == 0 && count == MOST ? MASK_ALL : MASK_FEW, &random);
    memcpy(twin, kernel, words * 8);
    check_input("%d masks of %" PRIu64 " words, keep %d", count, words, keep);
    kernel_or(kernel, masks, count, words, keep);
    twin_or(twin, masks, count, words, keep);
    check_that(memcmp(kernel, twin, words * 8) == 0, "another mask");
    for (int i = 0; i < count; i++)
        free(masks[i]);
    free(kernel);
    free(twin);
}

void test_masks(void)
{
    static const uint64_t words[] = {0, 1, 2, 127, 128, 129, 40000};
    check_begin();
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        for (int count = 1; count <= 16; count += count < 4 ? 1 : 4) {
            run_or(elements_of(words[w]), count, 0);
            run_or(elements_of(words[w]), count, 1);
        }
    }
    check_end("cuda_or_mask");
}

/* ---- the beginning and the end of a search ---- */

static void run_roots(const struct shard *shard, enum vertex_kind kind, const uint32_t *vertex, uint32_t count, int parents)
{
    uint64_t bits = vertices_of(shard, kind);
    struct visited kernel = {0}, twin = {0};
    uint32_t before = 0; /* roots below vertex i */
    check_input("%" PRIu32 " roots from %" PRIu32 " of %" PRIu64 ", parents %d", count, vertex[0], bits, parents);
    kernel_roots(shard, kind, vertex, count, parents, &kernel);
    twin_roots(shard, kind, vertex, count, parents, &twin);
    check_that(memcmp(kernel.next, twin.next, mask_words(bits) * 8) == 0, "another mask");
    for (uint64_t i = 0; parents && i < bits; i++) {
        int is_root = before < count && vertex[before] == i;
        check_that(kernel.parent[i] == (is_root ? twin.parent[i] : POISON), "the parent of %" PRIu64 " is %" PRIx32, i,
                   kernel.parent[i]);
        before += (uint32_t)is_root;
    }
    free_visited(&kernel);
    free_visited(&twin);
}

static void run_blank(const struct shard *shard, enum vertex_kind kind, enum mask_kind visited)
{
    uint64_t bits = vertices_of(shard, kind), random = bits;
    uint64_t *mask = mask_make(bits, visited, &random);
    int32_t *kernel = need_memory(bits * 4), *twin = need_memory(bits * 4);
    for (uint64_t i = 0; i < bits; i++)
        kernel[i] = twin[i] = (int32_t)(next_random(&random) % 100);
    check_input("%" PRIu64 " vertices, visited %s", bits, mask_kind_name[visited]);
    kernel_blank(shard, kind, mask, kernel);
    twin_blank(shard, kind, mask, twin);
    check_that(memcmp(kernel, twin, bits * 4) == 0, "depths differ");
    free(mask);
    free(kernel);
    free(twin);
}

void test_results(const struct shard *shard, const struct graph_spec *spec)
{
    check_begin();
    for (int kind = NORMALS; kind < VERTEX_KINDS; kind++) {
        uint32_t count = (uint32_t)vertices_of(shard, (enum vertex_kind)kind), *vertex = need_memory(count * sizeof *vertex + 1);
        for (uint32_t i = 0; i < count; i++)
            vertex[i] = i;
        for (int parents = 0; count > 0 && parents < 2; parents++) {
            run_roots(shard, (enum vertex_kind)kind, vertex, 1, parents);
            run_roots(shard, (enum vertex_kind)kind, vertex + count - 1, 1, parents);
            run_roots(shard, (enum vertex_kind)kind, vertex, count, parents);
            run_roots(shard, (enum vertex_kind)kind, vertex + count / 2, count - count / 2, parents);
        }
        free(vertex);
    }
    check_end("cuda_set_roots: %s", spec->name);
    check_begin();
    for (int kind = NORMALS; kind < VERTEX_KINDS; kind++) {
        for (int visited = MASK_NONE; visited <= MASK_ALL; visited++)
            run_blank(shard, (enum vertex_kind)kind, (enum mask_kind)visited);
    }
    check_end("cuda_blank_unvisited: %s", spec->name);
}

/* ---- loading ---- */

enum { COPIES = 9 };

static void run_load(unsigned char *const *from, unsigned char *const *back, const size_t *bytes,
                     int count, int threads)
{
    check_input("%d copies, %d threads", count, threads);
    for (int i = 0; i < count; i++)
        memset(back[i], 0, bytes[i]);
    check_that(kernel_load((const unsigned char *const *)from, back, bytes, count, threads),
               "the call fails");
    for (int i = 0; i < count; i++)
        check_that(memcmp(from[i], back[i], bytes[i]) == 0, "copy %d of %zu bytes differs", i,
                   bytes[i]);
}

void test_load(void)
{
    static const size_t bytes[COPIES] = {
        0, 1, 4097, (4 << 20) - 1, 0, 4 << 20, (4 << 20) + 1, 33333333, 7};
    unsigned char *from[COPIES], *back[COPIES];
    uint64_t random = 1;
    for (int i = 0; i < COPIES; i++) {
        from[i] = need_memory(bytes[i]);
        back[i] = need_memory(bytes[i]);
        for (size_t b = 0; b < bytes[i]; b++)
            from[i][b] = (unsigned char)next_random(&random);
    }
    check_begin();
    run_load(from, back, bytes, 0, 2);
    run_load(from, back, bytes, 1, 2); /* a piece of 0 bytes */
    run_load(from, back, bytes, 2, 64);
    for (int threads = 1; threads <= 64; threads *= 4)
        run_load(from, back, bytes, COPIES, threads);
    check_end("gpu_loader_copy");
    for (int i = 0; i < COPIES; i++) {
        free(from[i]);
        free(back[i]);
    }
}

void test_scratch(void)
{
    check_begin();
    for (uint64_t rows = 0; rows < SHARD_MAX_LOCAL; rows = 3 * rows + 1) {
        check_input("%" PRIu64 " rows", rows);
        check_that(kernel_scratch_fits(rows), "the scan wants more than planned");
    }
    check_end("cuda_scan_bytes is within the plan");
}
