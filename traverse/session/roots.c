/* roots.c: see roots.h */
#include "roots.h"
#include "root_sample.h"

#include "traverse/engine/threads.h"

#include "formats/base/arith.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- locating ---- */

/* The place of a root as one word: kind, then index. The minimum over ranks is the owner's. */
static uint64_t encode_place(enum root_at at, uint64_t index)
{
    return (uint64_t)at << 40 | index;
}

/* The ids of the roots in the shards, and the place of each: an encode_place on its owner's rank, UINT64_MAX on
 * others. */
struct places {
    uint64_t count;
    uint64_t *id; /* [count] ascending */
    uint64_t *of; /* [count]; of an id that is there several times, at one of them */
};

/* The place of an id; NULL: it is no root. */
static uint64_t *place_of(const struct places *p, uint64_t id)
{
    const uint64_t *found = bsearch(&id, p->id, p->count, sizeof id, compare_u64);
    return found != NULL ? &p->of[found - p->id] : NULL;
}

/* Makes all roots isolated. Shards place those that they list later; the others have no edges. */
static void place_isolated(const struct places *p, const struct rank *rank)
{
    const uint32_t shards = rank->graph->manifest.p, ranks = rank->comm->ranks;
    for (uint64_t i = 0; i < p->count; i++) {
        if (rank_of_shard(shard_of_vertex(p->id[i], shards), ranks) == rank->comm->rank)
            p->of[i] = encode_place(ROOT_AT_ISOLATED, slot_of_vertex(p->id[i], shards));
    }
}

static uint64_t vertex_id(const struct shard *shard, enum root_at at, uint64_t i)
{
    return at == ROOT_AT_LOCAL ? local_vertex_id(shard, i) : shard_delegate_id(shard, i);
}

static void place_vertex(const struct places *p, const struct shard *shard, enum root_at at, uint64_t i)
{
    uint64_t id = vertex_id(shard, at, i), *place = place_of(p, id);
    if (place != NULL && shard_of_vertex(id, shard->p) == shard->index)
        *place = encode_place(at, i);
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

/* Among the vertices of one degree: looks for each root, or where roots are more, at each vertex. */
static void place_in_run(const struct places *p, const struct shard *shard, enum root_at at, uint64_t first,
                         uint64_t end)
{
    if (end - first > p->count) {
        for (uint64_t i = 0; i < p->count; i++) {
            uint64_t found = lower_bound(shard, at, first, end, p->id[i]);
            if (found < end)
                place_vertex(p, shard, at, found);
        }
        return;
    }
#pragma omp parallel for schedule(static) if (end - first > WORTH_THREADS)
    for (uint64_t i = first; i < end; i++)
        place_vertex(p, shard, at, i);
}

static void place_in_runs(const struct places *p, const struct shard *shard, enum root_at at,
                          struct degree_list degrees)
{
    uint64_t first = 0;
    for (uint64_t run = 0; run < degrees.count; run++) {
        uint64_t end = first + degrees.runs[run].vertices;
        place_in_run(p, shard, at, first, end);
        first = end;
    }
}

static enum status places_open(struct places *p, const struct rank *rank, const struct roots *roots, struct error *e)
{
    p->count = roots->count;
    if (memory_take(rank->budget, (void **)&p->id, p->count, 8, "roots", e) != ST_OK ||
        memory_take(rank->budget, (void **)&p->of, p->count, 8, "roots", e) != ST_OK)
        return e->status;
    for (uint64_t i = 0; i < p->count; i++)
        p->id[i] = roots->root[i].id;
    qsort(p->id, p->count, sizeof *p->id, compare_u64);
    return ST_OK;
}

/* Collective. */
static void find_places(const struct places *p, const struct rank *rank)
{
    memset(p->of, 0xff, p->count * sizeof *p->of);
    place_isolated(p, rank);
    for (uint32_t g = 0; g < rank->graph->device_count; g++) {
        const struct shard *shard = &rank->graph->shards[g];
        place_in_runs(p, shard, ROOT_AT_LOCAL, shard->degrees.locals);
        place_in_runs(p, shard, ROOT_AT_DELEGATE, shard->degrees.delegates);
    }
    comm_min_u64(rank->comm, p->of, p->count);
}

static enum status check_ids(const struct roots *roots, uint64_t n, struct error *e)
{
    for (uint64_t i = 0; i < roots->count; i++) {
        if (roots->ids[i] >= n)
            return fail(e, ST_USAGE, "root %" PRIu64 ": the graph has vertices 0 to %" PRIu64,
                        roots->ids[i], n - 1);
    }
    return ST_OK;
}

enum status roots_locate(struct roots *roots, const struct rank *rank, struct error *e)
{
    const struct graph *graph = rank->graph;
    struct places places = {0};
    if (check_ids(roots, graph->manifest.totals.n, e) != ST_OK)
        return e->status;
    for (uint64_t i = 0; i < roots->count; i++)
        roots->root[i].id = stored_id(graph, roots->ids[i]);
    places_open(&places, rank, roots, e);
    if (comm_agree(rank->comm, e) == ST_OK) {
        find_places(&places, rank);
        for (uint64_t i = 0; i < roots->count; i++) {
            struct root *root = &roots->root[i];
            uint64_t place = *place_of(&places, root->id);
            root->shard = shard_of_vertex(root->id, graph->manifest.p);
            root->at = (enum root_at)(place >> 40);
            root->index = (uint32_t)place;
        }
    }
    memory_release(rank->budget, places.id);
    memory_release(rank->budget, places.of);
    return e->status;
}

/* ---- all of it ---- */

static enum status find_ids(struct roots *roots, const struct rank *rank, const struct args *args,
                            const struct name_map *map, struct error *e)
{
    if (!args->roots_given)
        return roots_sample(roots->ids, &roots->count, rank, args->seed, e);
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
