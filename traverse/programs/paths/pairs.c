/* pairs.c: searches between all pairs, and gives the results of all pairs to each rank */
#include "pairs.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

/* The message of the failure names the vertices, and the files that have these rows. */
enum status pairs_one_way(const struct graph *graph, uint64_t a, uint64_t b, struct error *e)
{
    const uint32_t p = graph->manifest.p;
    return fail(e, ST_BAD_DATA, "%s: vertex %llu has an edge with vertex %llu, which does not have that edge in %s: "
                "the parts contradict each other, see `dbfs-pack --verify`",
                container_path(graph->shards[shard_of_vertex(stored_id(graph, a), p)].file), (unsigned long long)shown_id(graph, a),
                (unsigned long long)shown_id(graph, b), container_path(graph->shards[shard_of_vertex(stored_id(graph, b), p)].file));
}

/* Allocates the path of pair i, and writes its first vertex, which is the source (pairs.h). The budget is not charged. */
enum status pairs_take_path(struct pairs *pairs, uint64_t i, struct error *e)
{
    const uint64_t found = pairs->result[i].found;
    if (pairs->path == NULL || found == 0)
        return ST_OK;
    pairs->path[i] = malloc(found * sizeof **pairs->path);
    if (pairs->path[i] == NULL)
        return fail_memory(e, "path", found * sizeof **pairs->path);
    pairs->path[i][0] = pairs->job->roots->ids[2 * i];
    return ST_OK;
}

/* Collective. Gives all paths to all ranks. Copies the paths of this rank into pairs->ids, an array for the paths of all
 * pairs, and points pairs->path into this array. Paths of other ranks are 0 there, so the sum of the arrays over the ranks
 * has all paths. Fails on all ranks if one rank fails. */
static enum status share_paths(struct pairs *pairs, const struct comm *comm, struct error *e)
{
    uint64_t total = 0, at = 0;
    for (uint64_t i = 0; i < pairs->count; i++)
        total += pairs->result[i].found;
    pairs->ids = calloc(total + 1, sizeof *pairs->ids);
    if (pairs->ids == NULL)
        fail_memory(e, "paths", total * sizeof *pairs->ids);
    for (uint64_t i = 0; i < pairs->count && pairs->ids != NULL; i++) {
        if (pairs->path[i] != NULL)
            memcpy(pairs->ids + at, pairs->path[i], pairs->result[i].found * sizeof *pairs->ids);
        free(pairs->path[i]);
        pairs->path[i] = pairs->ids + at;
        at += pairs->result[i].found;
    }
    if (comm_agree(comm, e) == ST_OK)
        comm_sum_u64(comm, pairs->ids, total);
    return e->status;
}

/* Collective. Opens the backend, lets it search between the pairs of this rank, and closes it. Then gives all results, and
 * all paths if paths are wanted, to all ranks. pairs->seconds is the time of the searches alone. */
enum status pairs_search(struct pairs *pairs, const struct pair_job *job, struct error *e)
{
    const struct pair_backend *backend = job->backend;
    struct pair_searches *searches = NULL;
    pairs->job = job;
    pairs->count = job->roots->count / 2;
    pairs->result = calloc(pairs->count, sizeof *pairs->result);
    pairs->path = job->paths ? calloc(pairs->count, sizeof *pairs->path) : NULL;
    if (pairs->result == NULL || (job->paths && pairs->path == NULL))
        fail_memory(e, "pairs", pairs->count * sizeof *pairs->result);
    if (e->status == ST_OK && backend->open != NULL)
        backend->open(&searches, job, e);
    if (comm_agree(job->comm, e) == ST_OK) {
        double start = cli_seconds();
        backend->run(searches, pairs, e);
        pairs->seconds = cli_seconds() - start;
    }
    if (searches != NULL)
        backend->close(searches);
    if (comm_agree(job->comm, e) != ST_OK)
        return e->status;
    comm_max_double(job->comm, &pairs->seconds, 1);
    comm_sum_u64(job->comm, (uint64_t *)pairs->result, pairs->count * sizeof *pairs->result / sizeof(uint64_t));
    return job->paths ? share_paths(pairs, job->comm, e) : ST_OK;
}

/* Frees the results and the paths. *pairs may be all zeros. Before share_paths has run, each path has its own memory. */
void pairs_free(struct pairs *pairs)
{
    for (uint64_t i = 0; pairs->path != NULL && pairs->ids == NULL && i < pairs->count; i++)
        free(pairs->path[i]);
    free(pairs->ids);
    free(pairs->path);
    free(pairs->result);
}
