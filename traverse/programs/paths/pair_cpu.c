/* pair_cpu.c: pairs of this rank on the cores of the host: each thread searches one pair at a time; see pair_backend.h */
#include "pair_backend.h"
#include "pair_search.h"

#include "formats/base/progress.h"

/* Searches between pair i (its number among all pairs) with the caller's search, and keeps its result and, if wanted,
 * its path in *runs. Threads call it, each for other pairs. */
static enum status run_pair(struct pair_runs *runs, struct pair_search *search, uint64_t i, struct error *e)
{
    const struct root *ends = &runs->job->roots->root[2 * i];
    if (pair_search_run(search, &ends[0], &ends[1], runs->job->one_sided, &runs->result[i], e) == ST_OK &&
        pair_runs_take_path(runs, i, e) == ST_OK && runs->path != NULL && runs->result[i].found > 1)
        pair_search_path(search, runs->path[i]);
    progress_add(1);
    return e->status;
}

/* Searches between all pairs of this rank: each thread opens a search and takes one pair after the other. After a
 * failure a thread takes no further pair. `none` is unused, as this backend has no state. */
static enum status pair_cpu_run(struct pair_searches *none, struct pair_runs *runs, struct error *e)
{
    const struct pair_job *job = runs->job;
    const uint64_t own = pair_runs_own(runs);
    (void)none;
#pragma omp parallel num_threads(job->threads)
    {
        struct pair_search *search = NULL;
        struct error mine = {0};
        pair_search_open(&search, job->graph, job->budget, &mine);
#pragma omp for schedule(dynamic, 1)
        for (uint64_t k = 0; k < own; k++) {
            if (mine.status == ST_OK)
                run_pair(runs, search, pair_runs_number(runs, k), &mine);
        }
        pair_search_close(search);
#pragma omp critical
        if (mine.status != ST_OK)
            fail(e, mine.status, "%s", mine.text);
    }
    return e->status;
}

const struct pair_backend pair_cpu = {.name = "cpu", .bytes_needed = pair_search_takes, .run = pair_cpu_run};
