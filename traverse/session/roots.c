/* roots.c: see roots.h */
#include "roots.h"
#include "root_sample.h"

#include "traverse/engine/threads.h"

#include "formats/base/arith.h"

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

/* ---- choosing ---- */

/* Collective. Fills roots->ids. */
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
