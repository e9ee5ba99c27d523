/* test_look.c: parents that a device finds at others, and depths from the levels that a search kept as masks
 */
#include "answer_steps.h"
#include "checks.h"
#include "tests.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- arrays that devices show ---- */

static uint64_t vertices_of_all(const struct looking *l)
{
    return l->shard->p * l->shard->locals;
}

static int was_visited(const struct looking *l, uint64_t s, uint64_t v)
{
    return mask_bit(l->visited + s * mask_words(l->shard->locals), v);
}

/* Makes depths below `levels`, also for vertices that were not visited. */
static void show_depths(struct looking *l, int32_t *depth, uint32_t levels, uint64_t *random)
{
    uint64_t p = l->shard->p, locals = l->shard->locals, words = mask_words(locals);
    uint64_t *visited = need_memory(p * words * 8);
    for (uint64_t s = 0; s < p; s++) {
        uint64_t *mask = mask_make(locals, MASK_HALF, random);
        if (words > 0)
            memcpy(visited + s * words, mask, words * 8);
        free(mask);
    }
    for (uint64_t i = 0; i < p * locals; i++)
        depth[i] = (int32_t)(next_random(random) % levels);
    l->visited = visited;
}

static uint8_t *depths_as_bytes(const struct looking *l, const int32_t *depth)
{
    uint64_t locals = l->shard->locals, all = vertices_of_all(l);
    uint8_t *bytes = need_memory(all);
    for (uint64_t i = 0; i < all; i++)
        bytes[i] = was_visited(l, i / locals, i % locals) ? (uint8_t)(depth[i] + 1) : 0;
    return bytes;
}

/* Makes random ids. With `some`, each fourth one is none. */
static void *random_ids(uint64_t count, uint32_t id_bytes, int some, uint64_t *random)
{
    void *ids = need_memory(count * id_bytes);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t r = next_random(random);
        int64_t id = (int64_t)(r >> (id_bytes == 4 ? 33 : 17));
        answer_set_id(ids, id_bytes, i, some && r % 4 == 0 ? ANSWER_NONE : id);
    }
    return ids;
}

/* Lists half of the vertices that the own shard visited. All but the root have a parent. */
static uint32_t *list_of_lookers(struct looking *l, const int32_t *depth, uint64_t *random)
{
    const int32_t *own = depth + l->shard->index * l->shard->locals;
    uint32_t *list = need_memory(l->shard->locals * sizeof *list);
    for (uint64_t v = 0; v < l->shard->locals; v++) {
        if (own[v] > 0 && was_visited(l, l->shard->index, v) && next_random(random) % 2 == 0)
            list[l->count++] = (uint32_t)v;
    }
    return list;
}

static void make_looking(struct looking *l, int32_t *depth, uint32_t levels)
{
    uint64_t random = levels + l->shard->locals;
    show_depths(l, depth, levels, &random);
    l->ids = random_ids(vertices_of_all(l), l->id_bytes, 0, &random);
    l->parents = random_ids(l->shard->p * l->shard->d, l->id_bytes, 1, &random);
    l->not_owned = mask_make(l->shard->d, MASK_HALF, &random);
    l->list = list_of_lookers(l, depth, &random);
}

static void free_looking(struct looking *l)
{
    free((void *)l->visited);
    free((void *)l->bytes);
    free((void *)l->ids);
    free((void *)l->parents);
    free((void *)l->not_owned);
    free((void *)l->list);
}

/* ---- parents ---- */

/* Accepts any parent. *remote: the vertex has a neighbour on another shard. */
static int is_parent(const struct looking *l, const int32_t *depth, uint32_t row, int64_t id, int *remote)
{
    const struct shard *shard = l->shard;
    const struct csr *nn = &shard->csr[NN];
    uint64_t first = shard->index * shard->locals, length = nn->edges == 0 ? 0 : csr_row_length(nn, row);
    int any = 0;
    for (uint64_t j = 0; j < length; j++) {
        uint64_t to = csr_destination(nn, row, j), s = to >> shard->local_bits;
        uint64_t v = to & ((UINT64_C(1) << shard->local_bits) - 1), at = s * shard->locals + v;
        if (s == shard->index)
            continue;
        *remote = 1;
        if (v >= l->shown || !was_visited(l, s, v) || depth[at] != depth[first + row] - 1)
            continue;
        any = 1;
        if (answer_id(l->ids, l->id_bytes, at) == id)
            return 1;
    }
    return !any && id == ANSWER_NONE;
}

static int is_parent_of_delegate(const struct looking *l, uint64_t i, int64_t before, int64_t id)
{
    int any = 0;
    if (mask_bit(l->not_owned, i) || before != ANSWER_NONE)
        return id == before;
    for (uint64_t s = 0; s < l->shard->p; s++) {
        int64_t there = answer_id(l->parents, l->id_bytes, s * l->shard->d + i);
        if (s == l->shard->index || there == ANSWER_NONE)
            continue;
        any = 1;
        if (there == id)
            return 1;
    }
    return !any && id == ANSWER_NONE;
}

static void compare_looked(const struct looking *l, const int32_t *depth, const void *before, const void *after,
                           int good)
{
    uint64_t locals = l->shard->locals, listed = 0;
    int remote = 0;
    for (uint64_t v = 0; v < locals; v++) {
        int64_t id = answer_id(after, l->id_bytes, v);
        if (listed < l->count && l->list[listed] == v)
            check_that(is_parent(l, depth, l->list[listed++], id, &remote), "the parent of %" PRIu64, v);
        else
            check_that(id == answer_id(before, l->id_bytes, v), "%" PRIu64 " did not look", v);
    }
    for (uint64_t i = 0; i < l->shard->d; i++)
        check_that(is_parent_of_delegate(l, i, answer_id(before, l->id_bytes, locals + i),
                                         answer_id(after, l->id_bytes, locals + i)),
                   "the parent of delegate %" PRIu64, i);
    check_that(good == (l->shown > 0 || !remote), "a vertex that there is not: noticed %d", !good);
}

enum shown_as { AS_DEPTHS, AS_BYTES, AS_RESIDUES };

/* Looks for the parents of a search. With AS_RESIDUES levels are 3 at most, as these depths are random. With `bad` other shards do not
 * have the vertices that columns name. */
static void run_look(const struct shard *shard, uint32_t levels, enum shown_as as, uint32_t id_bytes, int bad)
{
    struct looking l = {.shard = shard, .shown = bad ? 0 : shard->locals, .id_bytes = id_bytes};
    int32_t *depth = need_memory(vertices_of_all(&l) * sizeof *depth);
    uint64_t vertices = shard->locals + shard->d, random = levels;
    make_looking(&l, depth, levels);
    if (as == AS_BYTES)
        l.bytes = depths_as_bytes(&l, depth);
    else
        l.depth = depth;
    l.by_residues = as == AS_RESIDUES;
    void *before = random_ids(vertices, id_bytes, 1, &random), *after = need_memory(vertices * id_bytes);
    if (vertices > 0)
        memcpy(after, before, vertices * id_bytes);
    check_input("%u levels, shown %d, ids of %u bytes, bad %d", levels, (int)as, id_bytes, bad);
    int good = kernel_look(&l, after);
    compare_looked(&l, depth, before, after, good);
    free(before);
    free(after);
    free(depth);
    free_looking(&l);
}

void test_look(const struct shard *shard, const struct graph_spec *spec)
{
    check_begin();
    for (int i = 0; shard->p > 1 && i < 4; i++) {
        run_look(shard, 3, (enum shown_as)(i % 2), i < 2 ? 4 : 8, 0);
        run_look(shard, 60, (enum shown_as)(i % 2), i < 2 ? 8 : 4, 0);
        run_look(shard, 3, AS_RESIDUES, i < 2 ? 4 : 8, i % 2);
    }
    for (int i = 0; shard->p > 1 && i < 2; i++)
        run_look(shard, 255, (enum shown_as)i, 4, 1);
    check_end("cuda_look, cuda_write_residues: %s", spec->name);
}

/* ---- depths of levels kept as masks ---- */

enum { NOT_VISITED = -1, NOT_KEPT = -2 };

/* Returns the level of a vertex: a kept one, or one of these. */
static int random_level(uint32_t kept, uint64_t *random)
{
    uint64_t r = next_random(random);
    if (r % 8 == 0 || (kept == 0 && r % 2 == 0))
        return NOT_VISITED;
    return kept == 0 || r % 8 == 1 ? NOT_KEPT : (int)((r >> 8) % kept);
}

static void compare_depths(const int32_t *expected, const uint8_t *bytes, const int32_t *settled,
                           uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        check_that(bytes[i] == expected[i] + 1, "byte %" PRIu64 " is %d, not %d", i, bytes[i], expected[i] + 1);
        check_that(expected[i] < 0 || settled[i] == expected[i], "depth %" PRIu64, i);
    }
}

static void run_kept(uint64_t count, uint32_t kept, uint32_t shift, uint32_t levels)
{
    uint64_t random = count + kept, words = mask_words(count);
    uint64_t *visited = need_memory(words * 8), *masks = need_memory(kept * words * 8);
    int32_t *depth = need_memory(count * 4), *settled = need_memory(count * 4);
    int32_t *expected = need_memory(count * 4);
    uint8_t *bytes = need_memory(count);
    struct kept_levels k = {
        .count = count, .visited = visited, .masks = masks, .depth = depth, .kept = kept, .levels = levels, .shift = shift};
    for (uint32_t i = 0; i < MOST_KEPT; i++)
        k.kept_depth[i] = (int32_t)(i == 1 ? levels - 1 : 7 * i % levels);
    for (uint64_t i = 0; i < count; i++) {
        int level = random_level(kept, &random);
        depth[i] = (int32_t)POISON;
        if (level == NOT_KEPT)
            depth[i] = (int32_t)(next_random(&random) % levels);
        expected[i] = level == NOT_VISITED ? -1 : level == NOT_KEPT ? depth[i] : k.kept_depth[level];
        if (level != NOT_VISITED)
            visited[i / 64] |= UINT64_C(1) << (i % 64);
        if (level >= 0)
            masks[(uint64_t)level * words + i / 64] |= UINT64_C(1) << (i % 64);
    }
    check_input("%" PRIu64 " vertices, %u masks, %u from alignment, %u levels", count, kept, shift, levels);
    check_that(kernel_kept_depths(&k, bytes, settled), "other bytes of all vertices");
    compare_depths(expected, bytes, settled, count);
    free(visited);
    free(masks);
    free(depth);
    free(expected);
    free(settled);
    free(bytes);
}

void test_kept_depths(void)
{
    static const uint64_t counts[] = {0, 1, 31, 32, 33, 64, 100, 5003};
    static const uint32_t kept[] = {0, 1, 3, 7, MOST_KEPT};
    check_begin();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (size_t j = 0; j < sizeof kept / sizeof *kept; j++) {
            run_kept(counts[i], kept[j], 0, 255);
            run_kept(counts[i], kept[j], 5, 255);
            run_kept(counts[i], kept[j], 0, 15);
        }
    }
    check_end("cuda_fused_byte_depths, cuda_fused_all_byte_depths, cuda_fused_nibble_depths, cuda_fused_settle");
}
