/* pair_cpu.c: pairs of this rank on the cores of the host: a thread does a pair, and takes the next one; see pair_backend.h */
#include "pair_backend.h"
#include "pair_search.h"

#include "formats/base/progress.h"

#include <stdlib.h>

struct pair_searches {
    const struct pair_job *job;
};

static enum status pair_cpu_open(struct pair_searches **searches, const struct pair_job *job, struct error *e)
{
    struct pair_searches *s = *searches = calloc(1, sizeof *s);
    if (s == NULL)
        return fail_memory(e, "searches", sizeof *s);
    s->job = job;
    return ST_OK;
}

static void pair_cpu_close(struct pair_searches *searches)
{
    free(searches);
}

static enum status run_pair(struct pair_runs *runs, const struct pair_job *job, struct pair_search *search, uint64_t i,
                            struct error *e)
{
    const struct root *ends = &job->roots->root[2 * i];
    if (pair_search_run(search, &ends[0], &ends[1], job->one_sided, &runs->result[i], e) == ST_OK &&
        pair_runs_take_path(runs, i, e) == ST_OK && runs->path != NULL && runs->result[i].found > 1)
        pair_search_path(search, runs->path[i]);
    progress_add(1);
    return e->status;
}

static enum status pair_cpu_run(struct pair_searches *searches, struct pair_runs *runs, struct error *e)
{
    const struct pair_job *job = searches->job;
    const uint64_t own = pair_runs_own(runs, job->comm);
#pragma omp parallel num_threads(job->threads)
    {
        struct pair_search *search = NULL;
        struct error mine = {0};
        pair_search_open(&search, job->graph, job->budget, &mine);
#pragma omp for schedule(dynamic, 1)
        for (uint64_t k = 0; k < own; k++) {
            if (mine.status == ST_OK)
                run_pair(runs, job, search, pair_runs_number(job->comm, k), &mine);
        }
        pair_search_close(search);
#pragma omp critical
        if (mine.status != ST_OK)
            fail(e, mine.status, "%s", mine.text);
    }
    return e->status;
}

const struct pair_backend pair_cpu = {"cpu", pair_search_takes, pair_cpu_open, pair_cpu_close, pair_cpu_run};
