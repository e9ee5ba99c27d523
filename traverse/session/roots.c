/* roots.c: see roots.h */
#include "roots.h"

#include "traverse/engine/threads.h"

#include "formats/base/arith.h"
#include "formats/base/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- locating ---- */

/* The location of a root as one word: its kind, then its index. */
static uint64_t encode_location(enum root_at at, uint64_t index)
{
    return (uint64_t)at << 40 | index;
}

/* The ids of the roots, and the location of each on the owner's rank; UINT64_MAX on other ranks. */
struct locations {
    uint64_t count;
    uint64_t *id; /* [count] ascending, as stored */
    uint64_t *of; /* [count]; of an id that is there several times, only one is set */
};

/* Where the location of an id is kept; NULL: the id is no root. */
static uint64_t *location_of(const struct locations *l, uint64_t id)
{
    const uint64_t *found = bsearch(&id, l->id, l->count, sizeof id, compare_u64);
    return found != NULL ? &l->of[found - l->id] : NULL;
}

static uint64_t vertex_id(const struct shard *shard, enum root_at at, uint64_t i)
{
    return at == ROOT_AT_LOCAL ? local_vertex_id(shard, i) : shard_delegate_id(shard, i);
}

/* Notes the location of vertex i of a shard, if the vertex is a root and the shard owns it. */
static void locate_vertex(const struct locations *l, const struct shard *shard, enum root_at at, uint64_t i)
{
    uint64_t id = vertex_id(shard, at, i), *location = location_of(l, id);
    if (location != NULL && shard_of_vertex(id, shard->p) == shard->index)
        *location = encode_location(at, i);
}

/* The first vertex of first..end whose id is not below `id`. Vertices of one degree are there by ids ascending. */
static uint64_t lower_bound(const struct shard *shard, enum root_at at, uint64_t first, uint64_t end, uint64_t id)
{
    while (first < end) {
        uint64_t middle = first + (end - first) / 2;
        if (vertex_id(shard, at, middle) < id)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Looks among the vertices of each degree for all roots, or where roots are more than vertices, at each vertex. */
static void locate_in_shard(const struct locations *l, const struct shard *shard, enum root_at at,
                            struct degree_list degrees)
{
    uint64_t first = 0, end;
    for (uint64_t run = 0; run < degrees.count; run++, first = end) {
        end = first + degrees.runs[run].vertices;
        for (uint64_t i = 0; end - first > l->count && i < l->count; i++) {
            uint64_t found = lower_bound(shard, at, first, end, l->id[i]);
            if (found < end)
                locate_vertex(l, shard, at, found);
        }
        if (end - first > l->count)
            continue;
#pragma omp parallel for schedule(static) if (end - first > WORTH_THREADS)
        for (uint64_t i = first; i < end; i++)
            locate_vertex(l, shard, at, i);
    }
}

/* Collective. */
static void locate_all(const struct locations *l, const struct rank *rank)
{
    const uint32_t shards = rank->graph->manifest.p, ranks = rank->comm->ranks;
    memset(l->of, 0xff, l->count * sizeof *l->of);
    for (uint64_t i = 0; i < l->count; i++) { /* isolated, unless a shard lists the vertex */
        if (rank_of_shard(shard_of_vertex(l->id[i], shards), ranks) == rank->comm->rank)
            l->of[i] = encode_location(ROOT_AT_ISOLATED, slot_of_vertex(l->id[i], shards));
    }
    for (uint32_t g = 0; g < rank->graph->device_count; g++) {
        const struct shard *shard = &rank->graph->shards[g];
        locate_in_shard(l, shard, ROOT_AT_LOCAL, shard->degrees.locals);
        locate_in_shard(l, shard, ROOT_AT_DELEGATE, shard->degrees.delegates);
    }
    comm_min_u64(rank->comm, l->of, l->count); /* the owner's */
}

enum status roots_locate(struct roots *roots, const struct rank *rank, struct error *e)
{
    const struct graph *graph = rank->graph;
    const uint64_t n = graph->manifest.totals.n;
    struct locations l = {.count = roots->count};
    for (uint64_t i = 0; i < roots->count; i++) {
        if (roots->ids[i] >= n)
            return fail(e, ST_USAGE, "root %" PRIu64 ": the graph has vertices 0 to %" PRIu64, roots->ids[i], n - 1);
        roots->root[i].id = stored_id(graph, roots->ids[i]);
    }
    memory_take(rank->budget, (void **)&l.id, l.count, 8, "roots", e);
    if (e->status == ST_OK)
        memory_take(rank->budget, (void **)&l.of, l.count, 8, "roots", e);
    if (comm_agree(rank->comm, e) == ST_OK) {
        for (uint64_t i = 0; i < l.count; i++)
            l.id[i] = roots->root[i].id;
        qsort(l.id, l.count, sizeof *l.id, compare_u64);
        locate_all(&l, rank);
        for (uint64_t i = 0; i < roots->count; i++) {
            struct root *root = &roots->root[i];
            uint64_t location = *location_of(&l, root->id);
            root->shard = shard_of_vertex(root->id, graph->manifest.p);
            root->at = (enum root_at)(location >> 40);
            root->index = (uint32_t)location;
        }
    }
    memory_release(rank->budget, l.id);
    memory_release(rank->budget, l.of);
    return e->status;
}

/* ---- sampling ---- */

/* The random candidates: 256 batches, and RANDOM_TRIES candidates for each root. */
enum { BATCH = 4096, RANDOM_BATCHES = 256, RANDOM_TRIES = 16 };

/* The vertices of this rank's shards that can still be drawn: those with edges to follow, in the direction of the search. */
struct drawable {
    const struct rank *rank;
    uint64_t slots; /* of the largest shard */
    uint64_t *bits; /* [G][mask_words(slots)] by slot */
};

static void set_bit(uint64_t *bits, uint64_t i)
{
    bits[i / 64] |= UINT64_C(1) << (i % 64);
}

/* Collective. Sets the bits of all delegates with edges, which lie on all shards: delegates[mask_words(d)]. */
static void find_delegates(const struct rank *rank, uint64_t *delegates)
{
    const uint64_t words = mask_words(rank->graph->manifest.d);
    for (uint32_t g = 0; g < rank->graph->device_count; g++) {
        const struct shard *shard = &rank->graph->shards[g];
        for (uint64_t w = 0; w < words; w++)
            delegates[w] |= shard->csr[DN].sources[w] | shard->csr[DD].sources[w];
    }
    comm_or_masks(rank->comm, delegates, words);
}

/* Sets the bits of the vertices that a shard owns. */
static void find_owned(const struct shard *shard, const uint64_t *delegates, uint64_t *bits)
{
    for (uint64_t i = 0; i < shard->locals; i++) {
        if (mask_bit(shard->csr[NN].sources, i) || mask_bit(shard->csr[ND].sources, i))
            set_bit(bits, shard->ids.local_slots[i]);
    }
    for (uint64_t i = 0; i < shard->d; i++) {
        uint64_t id = shard_delegate_id(shard, i);
        if (mask_bit(delegates, i) && shard_of_vertex(id, shard->p) == shard->index)
            set_bit(bits, slot_of_vertex(id, shard->p));
    }
}

/* Collective. The caller releases `bits`. */
static enum status drawable_find(struct drawable *d, const struct rank *rank, struct error *e)
{
    const struct graph *graph = rank->graph;
    uint64_t *delegates = NULL;
    *d = (struct drawable){.rank = rank, .slots = slots_of_shard(graph->manifest.totals.n, 0, graph->manifest.p)};
    const uint64_t words = mask_words(d->slots), delegate_words = mask_words(graph->manifest.d);
    if (memory_take(rank->budget, (void **)&d->bits, graph->device_count * words, 8, "vertices with edges", e) == ST_OK)
        memory_take(rank->budget, (void **)&delegates, delegate_words, 8, "delegates with edges", e);
    if (comm_agree(rank->comm, e) == ST_OK) {
        find_delegates(rank, delegates);
        for (uint32_t g = 0; g < graph->device_count; g++)
            find_owned(&graph->shards[g], delegates, d->bits + g * words);
    }
    memory_release(rank->budget, delegates);
    return e->status;
}

/* Collective. How many vertices can be drawn. */
static uint64_t drawable_count(const struct drawable *d)
{
    uint64_t count = 0, words = d->rank->graph->device_count * mask_words(d->slots);
    for (uint64_t w = 0; w < words; w++)
        count += (uint64_t)__builtin_popcountll(d->bits[w]);
    comm_sum_u64(d->rank->comm, &count, 1);
    return count;
}

/* Draws a vertex (an original id) on the rank that owns it. Returns 0 if it cannot be drawn, or is another rank's. */
static int draw_vertex(const struct drawable *d, uint64_t id)
{
    const struct comm *comm = d->rank->comm;
    uint64_t stored = stored_id(d->rank->graph, id);
    uint32_t shards = d->rank->graph->manifest.p, owner = shard_of_vertex(stored, shards);
    if (rank_of_shard(owner, comm->ranks) != comm->rank)
        return 0;
    uint64_t *bits = d->bits + device_of_shard(owner, comm->ranks) * mask_words(d->slots);
    uint64_t slot = slot_of_vertex(stored, shards), bit = UINT64_C(1) << (slot % 64);
    int is_there = (bits[slot / 64] & bit) != 0;
    bits[slot / 64] &= ~bit; /* only once */
    return is_there;
}

/* Makes a batch of candidates: random ids in the first batches. These rarely hit if vertices with edges are rare, so then
 * all ids follow in turn, from a random one on. */
static void make_candidates(uint64_t batch, uint64_t random_batches, uint64_t n, uint64_t seed, uint64_t ids[BATCH])
{
    const uint64_t start = random64(seed, UINT64_MAX) % n;
    for (uint64_t i = 0; i < BATCH; i++) {
        if (batch < random_batches)
            ids[i] = (uint64_t)((unsigned __int128)random64(seed, batch * BATCH + i) * n >> 64);
        else
            ids[i] = (start + (batch - random_batches) * BATCH + i) % n;
    }
}

/* Collective. Draws distinct vertices from which a search goes on, uniformly, by a counter-based sequence over original ids:
 * the same for every p, R and G. Draws fewer than roots->count only if the graph has no more such vertices. */
static enum status draw(struct roots *roots, const struct rank *rank, uint64_t seed, struct error *e)
{
    const struct graph *graph = rank->graph;
    const uint64_t n = graph->manifest.totals.n;
    struct drawable d;
    uint64_t ids[BATCH], drawn = 0;
    if (drawable_find(&d, rank, e) == ST_OK) {
        uint64_t there = graph->manifest.direction == EDGES_DIRECTED ? drawable_count(&d) : graph->vertices;
        roots->count = smaller(roots->count, there);
        const uint64_t random_batches = RANDOM_BATCHES + RANDOM_TRIES * (roots->count / BATCH);
        const uint64_t batches = random_batches + n / BATCH + (n % BATCH > 0);
        for (uint64_t batch = 0; drawn < roots->count && batch < batches; batch++) {
            uint64_t taken[BATCH / 64] = {0}; /* bit i: candidate i is drawn */
            make_candidates(batch, random_batches, n, seed, ids);
            for (uint64_t i = 0; i < BATCH; i++) {
                if (draw_vertex(&d, ids[i]))
                    set_bit(taken, i);
            }
            comm_sum_u64(rank->comm, taken, BATCH / 64); /* one owner each: the sum is the union */
            for (uint64_t i = 0; i < BATCH && drawn < roots->count; i++) {
                if (mask_bit(taken, i))
                    roots->ids[drawn++] = ids[i];
            }
        }
        if (drawn < roots->count) /* parts that contradict themselves */
            fail(e, ST_BAD_DATA, "%s: and the other parts: %llu vertices have edges, expected %llu",
                 container_path(graph->shards[0].file), (unsigned long long)drawn, (unsigned long long)roots->count);
    }
    memory_release(rank->budget, d.bits);
    return e->status;
}

/* ---- choosing ---- */

/* Collective. Fills roots->ids. */
static enum status find_ids(struct roots *roots, const struct rank *rank, const struct args *args,
                            const struct name_map *map, struct error *e)
{
    if (!args->roots_given)
        return draw(roots, rank, args->seed, e);
    if (args->map == NULL) {
        memcpy(roots->ids, args->roots, roots->count * sizeof *roots->ids);
        return ST_OK;
    }
    if (rank->comm->rank == 0)
        name_map_find(map, (const char *const *)args->root_names, roots->count, roots->ids, e);
    if (comm_agree(rank->comm, e) == ST_OK)
        comm_broadcast(rank->comm, roots->ids, roots->count * sizeof *roots->ids, 0);
    return e->status;
}

enum status roots_choose(struct roots *roots, const struct rank *rank, const struct args *args,
                         const struct name_map *map, struct error *e)
{
    if (rank->graph->manifest.totals.n == 0)
        return fail(e, ST_BAD_DATA, "%s: the graph has no vertices: there is no root to search from",
                    args->folder);
    roots->count = args->serve ? 1 : args->count;
    roots->ids = zeroed(roots->count, sizeof *roots->ids, "roots", e);
    roots->root = zeroed(roots->count, sizeof *roots->root, "roots", e);
    if (comm_agree(rank->comm, e) != ST_OK || args->serve || find_ids(roots, rank, args, map, e) != ST_OK)
        return e->status;
    if (roots->count == 0)
        return fail(e, ST_RUNTIME, "%s: no vertex has an edge: there is no root to sample",
                    args->folder);
    return roots_locate(roots, rank, e);
}

void roots_free(struct roots *roots)
{
    free(roots->ids);
    free(roots->root);
}
