/* roots.c: see roots.h */
#include "roots.h"

#include "formats/base/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- locating ---- */

/* A root's place as one word, so that the minimum over ranks is the owner's: kind, then index. */
static uint64_t encode_place(enum root_at at, uint64_t index)
{
    return (uint64_t)at << 40 | index;
}

static uint64_t find_delegate(const struct shard *shard, uint64_t id)
{
    for (uint64_t i = 0; i < shard->d; i++) {
        if (shard_delegate_id(shard, i) == id)
            return i;
    }
    return UINT64_MAX;
}

static uint64_t find_local(const struct shard *shard, uint64_t slot)
{
    for (uint64_t i = 0; i < shard->locals; i++) {
        if (shard->ids.local_slots[i] == slot)
            return i;
    }
    return UINT64_MAX;
}

/* For the owner's rank: one pass over its shard's ids per root, which beats an index over n for
 * the handful of roots that a run has. */
static uint64_t place_of(const struct rank *rank, uint64_t id)
{
    const struct graph *graph = rank->graph;
    const struct comm *comm = rank->comm;
    uint32_t owner = shard_of_vertex(id, graph->manifest.p);
    if (rank_of_shard(owner, comm->ranks) != comm->rank)
        return UINT64_MAX;
    const struct shard *shard = &graph->shards[device_of_shard(owner, comm->ranks)];
    uint64_t slot = slot_of_vertex(id, graph->manifest.p);
    uint64_t at = find_local(shard, slot);
    if (at != UINT64_MAX)
        return encode_place(ROOT_AT_LOCAL, at);
    at = find_delegate(shard, id);
    if (at != UINT64_MAX)
        return encode_place(ROOT_AT_DELEGATE, at);
    return encode_place(ROOT_AT_ISOLATED, slot);
}

static enum status locate(struct roots *roots, const struct rank *rank, struct error *e)
{
    const struct graph *graph = rank->graph;
    uint64_t *place = NULL, n = graph->manifest.totals.n;
    for (uint64_t i = 0; i < roots->count; i++) {
        if (roots->ids[i] >= n)
            return fail(e, ST_USAGE, "root %" PRIu64 ": the graph has vertices 0 to %" PRIu64,
                        roots->ids[i], n - 1);
    }
    memory_take(rank->budget, (void **)&place, roots->count, 8, "roots", e);
    if (comm_agree(rank->comm, e) != ST_OK)
        return e->status;
#pragma omp parallel for schedule(dynamic)
    for (uint64_t i = 0; i < roots->count; i++)
        place[i] = place_of(rank, stored_id(graph, roots->ids[i]));
    comm_min_u64(rank->comm, place, roots->count);
    for (uint64_t i = 0; i < roots->count; i++) {
        struct root *root = &roots->root[i];
        root->id = stored_id(graph, roots->ids[i]);
        root->shard = shard_of_vertex(root->id, graph->manifest.p);
        root->at = (enum root_at)(place[i] >> 40);
        root->index = (uint32_t)place[i];
    }
    memory_release(rank->budget, place);
    return ST_OK;
}

/* ---- names ---- */

static enum status find_names(struct roots *roots, const struct comm *comm, const struct args *args,
                              const struct name_map *map, struct error *e)
{
    if (comm->rank == 0)
        name_map_find(map, (const char *const *)args->root_names, roots->count, roots->ids, e);
    if (comm_agree(comm, e) == ST_OK)
        comm_broadcast(comm, roots->ids, roots->count * sizeof *roots->ids, 0);
    return e->status;
}

/* ---- sampling ---- */

enum { BATCH = 4096, RANDOM_BATCHES = 256 };

/* Which slots of this rank's shards hold vertices with edges. */
struct presence {
    const struct rank *rank;
    uint64_t slots; /* of the largest shard */
    uint64_t *bits; /* [G][mask_words(slots)] */
};

/* Marks a slot as one with edges. A file may name a slot beyond the last one. */
static enum status mark_slot(const struct presence *p, const struct shard *shard, uint64_t *bits,
                             uint64_t slot, struct error *e)
{
    if (slot >= p->slots)
        return fail(e, ST_BAD_DATA, "%s: slot %llu is not below %llu", container_path(shard->file),
                    (unsigned long long)slot, (unsigned long long)p->slots);
    bits[slot / 64] |= UINT64_C(1) << (slot % 64);
    return ST_OK;
}

static enum status mark_shard(const struct presence *p, const struct shard *shard, uint64_t *bits,
                              struct error *e)
{
    for (uint64_t i = 0; i < shard->locals && e->status == ST_OK; i++)
        mark_slot(p, shard, bits, shard->ids.local_slots[i], e);
    for (uint64_t i = 0; i < shard->d && e->status == ST_OK; i++) {
        uint64_t id = shard_delegate_id(shard, i);
        if (shard_of_vertex(id, shard->p) == shard->index)
            mark_slot(p, shard, bits, slot_of_vertex(id, shard->p), e);
    }
    return e->status;
}

static enum status presence_open(struct presence *p, const struct rank *rank, struct error *e)
{
    const struct graph *graph = rank->graph;
    *p = (struct presence){.rank = rank};
    p->slots = slots_of_shard(graph->manifest.totals.n, 0, graph->manifest.p);
    uint64_t words = mask_words(p->slots);
    if (memory_take(rank->budget, (void **)&p->bits, graph->device_count * words, 8,
                    "vertices with edges", e) != ST_OK)
        return e->status;
    for (uint32_t g = 0; g < graph->device_count && e->status == ST_OK; g++)
        mark_shard(p, &graph->shards[g], p->bits + g * words, e);
    return e->status;
}

static int is_present_here(const struct presence *p, uint64_t id)
{
    const struct comm *comm = p->rank->comm;
    uint64_t stored = stored_id(p->rank->graph, id);
    uint32_t shards = p->rank->graph->manifest.p, owner = shard_of_vertex(stored, shards);
    if (rank_of_shard(owner, comm->ranks) != comm->rank)
        return 0;
    const uint64_t *bits = p->bits + device_of_shard(owner, comm->ranks) * mask_words(p->slots);
    return mask_bit(bits, slot_of_vertex(stored, shards));
}

/* Candidates that have edges, agreed by all ranks: bit i of `present`. */
static void test_batch(const struct presence *p, const uint64_t *ids, uint64_t *present)
{
    memset(present, 0, BATCH / 8);
    for (int i = 0; i < BATCH; i++) {
        if (is_present_here(p, ids[i]))
            present[i / 64] |= UINT64_C(1) << (i % 64);
    }
    comm_sum_u64(p->rank->comm, present, BATCH / 64); /* one owner each: the sum is the union */
}

static int already_drawn(const uint64_t *ids, uint64_t count, uint64_t id)
{
    for (uint64_t i = 0; i < count; i++) {
        if (ids[i] == id)
            return 1;
    }
    return 0;
}

/* Random candidates at first; where vertices with edges are so rare that these rarely hit, one id after the
 * other from a random one on. */
static void next_candidates(uint64_t seed, uint64_t batch, uint64_t n, uint64_t *ids)
{
    for (uint64_t i = 0; i < BATCH; i++) {
        if (batch < RANDOM_BATCHES)
            ids[i] = (uint64_t)((unsigned __int128)random64(seed, batch * BATCH + i) * n >> 64);
        else
            ids[i] = (random64(seed, UINT64_MAX) % n + (batch - RANDOM_BATCHES) * BATCH + i) % n;
    }
}

/* Batches after which the sweep has been at every id. */
static uint64_t most_batches(uint64_t n)
{
    return RANDOM_BATCHES + n / BATCH + (n % BATCH > 0);
}

/* Draws distinct vertices of degree at least 1, uniformly, by a counter-based sequence over original ids: the
 * same for every p, R and G. They are fewer than roots->count only if the graph has no more of them. */
static enum status draw(struct roots *roots, const struct rank *rank, uint64_t seed,
                        struct error *e)
{
    const struct graph *graph = rank->graph;
    uint64_t candidates[BATCH], present[BATCH / 64], n = graph->manifest.totals.n, drawn = 0;
    struct presence p;
    presence_open(&p, rank, e);
    comm_agree(rank->comm, e);
    if (roots->count > rank->graph->vertices)
        roots->count = rank->graph->vertices;
    for (uint64_t batch = 0;
         e->status == ST_OK && drawn < roots->count && batch < most_batches(n); batch++) {
        next_candidates(seed, batch, n, candidates);
        test_batch(&p, candidates, present);
        for (uint64_t i = 0; i < BATCH && drawn < roots->count; i++) {
            if (mask_bit(present, i) && !already_drawn(roots->ids, drawn, candidates[i]))
                roots->ids[drawn++] = candidates[i];
        }
    }
    memory_release(rank->budget, p.bits);
    if (drawn < roots->count && e->status == ST_OK) /* parts that contradict themselves */
        fail(e, ST_BAD_DATA, "%s: and the other parts: %llu vertices have edges, expected %llu",
             container_path(graph->shards[0].file), (unsigned long long)drawn,
             (unsigned long long)graph->vertices);
    return e->status;
}

/* ---- all of it ---- */

static enum status find_ids(struct roots *roots, const struct rank *rank, const struct args *args,
                            const struct name_map *map, struct error *e)
{
    if (!args->roots_given)
        return draw(roots, rank, args->seed, e);
    if (args->map != NULL)
        return find_names(roots, rank->comm, args, map, e);
    memcpy(roots->ids, args->roots, roots->count * sizeof *roots->ids);
    return ST_OK;
}

enum status roots_choose(struct roots *roots, const struct rank *rank, const struct args *args,
                         const struct name_map *map, struct error *e)
{
    if (rank->graph->manifest.totals.n == 0)
        return fail(e, ST_BAD_DATA, "%s: the graph has no vertices: there is no root to search from",
                    args->folder);
    roots->count = args->count;
    roots->ids = calloc(roots->count, sizeof *roots->ids);
    roots->root = calloc(roots->count, sizeof *roots->root);
    if (roots->ids == NULL || roots->root == NULL)
        fail_memory(e, "roots", roots->count * sizeof *roots->root);
    if (comm_agree(rank->comm, e) != ST_OK || find_ids(roots, rank, args, map, e) != ST_OK)
        return e->status;
    if (roots->count == 0)
        return fail(e, ST_RUNTIME, "%s: no vertex has an edge: there is no root to sample",
                    args->folder);
    return locate(roots, rank, e);
}

void roots_free(struct roots *roots)
{
    free(roots->ids);
    free(roots->root);
}
