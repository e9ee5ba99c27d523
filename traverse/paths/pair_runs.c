/* pair_runs.c: see pair_runs.h */
#include "pair_runs.h"

#include "formats/base/progress.h"

#include <stdlib.h>
#include <string.h>

static enum status keep_path(struct pair_runs *runs, const struct pair_job *job, const struct pair_search *search,
                             uint64_t i, struct error *e)
{
    const uint64_t found = runs->result[i].found;
    if (found == 0)
        return ST_OK;
    runs->path[i] = malloc(found * sizeof **runs->path);
    if (runs->path[i] == NULL)
        return fail_memory(e, "path", found * sizeof **runs->path);
    if (found == 1) /* from a vertex to itself */
        runs->path[i][0] = job->roots->ids[2 * i];
    else
        pair_search_path(search, runs->path[i]);
    return ST_OK;
}

static enum status run_pair(struct pair_runs *runs, const struct pair_job *job, struct pair_search *search,
                            uint64_t i, struct error *e)
{
    const struct root *ends = &job->roots->root[2 * i];
    if (pair_search_run(search, &ends[0], &ends[1], job->one_sided, &runs->result[i], e) == ST_OK && job->paths)
        keep_path(runs, job, search, i, e);
    progress_add(1);
    return e->status;
}

/* Searches between this rank's pairs, which are each ranks-th one. */
static enum status run_own(struct pair_runs *runs, const struct pair_job *job, struct error *e)
{
    const uint64_t first = job->comm->rank, step = job->comm->ranks;
    const uint64_t own = first < runs->count ? (runs->count - first + step - 1) / step : 0;
#pragma omp parallel num_threads(job->threads)
    {
        struct pair_search *search = NULL;
        struct error mine = {0};
        pair_search_open(&search, job->graph, job->budget, &mine);
#pragma omp for schedule(dynamic, 1)
        for (uint64_t i = 0; i < own; i++) {
            if (mine.status == ST_OK)
                run_pair(runs, job, search, first + i * step, &mine);
        }
        pair_search_close(search);
#pragma omp critical
        if (mine.status != ST_OK)
            fail(e, mine.status, "%s", mine.text);
    }
    return e->status;
}

/* Collective. Results that a rank does not have are 0 there. */
static enum status share_paths(struct pair_runs *runs, const struct comm *comm, struct error *e)
{
    uint64_t total = 0, at = 0;
    for (uint64_t i = 0; i < runs->count; i++)
        total += runs->result[i].found;
    uint64_t *ids = calloc(total > 0 ? total : 1, sizeof *ids);
    if (ids == NULL)
        fail_memory(e, "paths", total * sizeof *ids);
    for (uint64_t i = 0; i < runs->count && ids != NULL; i++) {
        uint64_t found = runs->result[i].found;
        if (runs->path[i] != NULL)
            memcpy(ids + at, runs->path[i], found * sizeof *ids);
        else if (found > 0 && (runs->path[i] = malloc(found * sizeof *ids)) == NULL)
            fail_memory(e, "paths", found * sizeof *ids);
        at += found;
    }
    if (comm_agree(comm, e) == ST_OK) {
        comm_sum_u64(comm, ids, total);
        at = 0;
        for (uint64_t i = 0; i < runs->count; at += runs->result[i++].found) {
            if (runs->path[i] != NULL)
                memcpy(runs->path[i], ids + at, runs->result[i].found * sizeof *ids);
        }
    }
    free(ids);
    return e->status;
}

enum status pair_runs_make(struct pair_runs *runs, const struct pair_job *job, struct error *e)
{
    runs->count = job->roots->count / 2;
    runs->result = calloc(runs->count, sizeof *runs->result);
    runs->path = job->paths ? calloc(runs->count, sizeof *runs->path) : NULL;
    if (runs->result == NULL || (job->paths && runs->path == NULL))
        fail_memory(e, "pairs", runs->count * sizeof *runs->result);
    else
        run_own(runs, job, e);
    if (comm_agree(job->comm, e) != ST_OK)
        return e->status;
    comm_sum_u64(job->comm, (uint64_t *)runs->result, runs->count * sizeof *runs->result / sizeof(uint64_t));
    return job->paths ? share_paths(runs, job->comm, e) : ST_OK;
}

void pair_runs_free(struct pair_runs *runs)
{
    for (uint64_t i = 0; runs->path != NULL && i < runs->count; i++)
        free(runs->path[i]);
    free(runs->path);
    free(runs->result);
}
