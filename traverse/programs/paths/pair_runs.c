/* pair_runs.c: see pair_runs.h */
#include "pair_backend.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

uint64_t pair_runs_own(const struct pair_runs *runs)
{
    const struct comm *comm = runs->job->comm;
    return comm->rank < runs->count ? (runs->count - comm->rank + comm->ranks - 1) / comm->ranks : 0;
}

enum status pair_runs_one_way(const struct graph *graph, uint64_t a, uint64_t b, struct error *e)
{
    const uint32_t p = graph->manifest.p;
    return fail(e, ST_BAD_DATA, "%s: vertex %llu has an edge with vertex %llu, which does not have that edge in %s: "
                "the parts contradict each other, see `dbfs-pack --verify`",
                container_path(graph->shards[shard_of_vertex(stored_id(graph, a), p)].file), (unsigned long long)a,
                (unsigned long long)b, container_path(graph->shards[shard_of_vertex(stored_id(graph, b), p)].file));
}

enum status pair_runs_take_path(struct pair_runs *runs, uint64_t i, struct error *e)
{
    const uint64_t found = runs->result[i].found;
    if (runs->path == NULL || found == 0)
        return ST_OK;
    runs->path[i] = malloc(found * sizeof **runs->path);
    if (runs->path[i] == NULL)
        return fail_memory(e, "path", found * sizeof **runs->path);
    runs->path[i][0] = runs->job->roots->ids[2 * i];
    return ST_OK;
}

/* Collective. Puts the paths of all pairs into one array, runs->ids, and points runs->path into it. Each rank writes
 * its own paths and leaves 0 for the others; the sum over ranks then gives every rank all paths. */
static enum status share_paths(struct pair_runs *runs, const struct comm *comm, struct error *e)
{
    uint64_t total = 0, at = 0;
    for (uint64_t i = 0; i < runs->count; i++)
        total += runs->result[i].found;
    runs->ids = calloc(total + 1, sizeof *runs->ids);
    if (runs->ids == NULL)
        fail_memory(e, "paths", total * sizeof *runs->ids);
    for (uint64_t i = 0; i < runs->count && runs->ids != NULL; i++) {
        if (runs->path[i] != NULL)
            memcpy(runs->ids + at, runs->path[i], runs->result[i].found * sizeof *runs->ids);
        free(runs->path[i]);
        runs->path[i] = runs->ids + at;
        at += runs->result[i].found;
    }
    if (comm_agree(comm, e) == ST_OK)
        comm_sum_u64(comm, runs->ids, total);
    return e->status;
}

/* Collective. Opens the backend, searches between the pairs of this rank and closes the backend. Sets runs->seconds
 * to the time of the searches. Ranks agree on failures; a failure that *e has already is shared, too. */
static enum status run_own(struct pair_runs *runs, const struct pair_job *job, struct error *e)
{
    struct pair_searches *searches = NULL;
    double start;
    if (e->status == ST_OK && job->backend->open != NULL)
        job->backend->open(&searches, job, e);
    if (comm_agree(job->comm, e) == ST_OK) {
        start = cli_seconds();
        job->backend->run(searches, runs, e);
        runs->seconds = cli_seconds() - start;
    }
    if (searches != NULL)
        job->backend->close(searches);
    return comm_agree(job->comm, e);
}

enum status pair_runs_make(struct pair_runs *runs, const struct pair_job *job, struct error *e)
{
    runs->job = job;
    runs->count = job->roots->count / 2;
    runs->result = calloc(runs->count, sizeof *runs->result);
    runs->path = job->paths ? calloc(runs->count, sizeof *runs->path) : NULL;
    if (runs->result == NULL || (job->paths && runs->path == NULL))
        fail_memory(e, "pairs", runs->count * sizeof *runs->result);
    if (run_own(runs, job, e) != ST_OK)
        return e->status;
    comm_max_double(job->comm, &runs->seconds, 1);
    comm_sum_u64(job->comm, (uint64_t *)runs->result, runs->count * sizeof *runs->result / sizeof(uint64_t));
    return job->paths ? share_paths(runs, job->comm, e) : ST_OK;
}

void pair_runs_free(struct pair_runs *runs)
{
    for (uint64_t i = 0; runs->path != NULL && runs->ids == NULL && i < runs->count; i++)
        free(runs->path[i]);
    free(runs->ids);
    free(runs->path);
    free(runs->result);
}
