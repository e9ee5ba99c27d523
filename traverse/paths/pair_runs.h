/* pair_runs.h: all pairs, shared among ranks and their threads */
#ifndef DBFS_PAIR_RUNS_H
#define DBFS_PAIR_RUNS_H

#include "pair_search.h"

#include "traverse/search/roots.h"

#include "formats/mpi/comm.h"

struct pair_runs {
    uint64_t count;
    struct pair_result *result; /* [count] */
    uint64_t **path;            /* [count] input ids, result.found of each; NULL: paths are not wanted */
};

struct pair_job {
    const struct comm *comm;
    const struct graph *graph;
    const struct roots *roots; /* source and target of each pair */
    struct memory_budget *budget;
    int threads;
    int one_sided, paths;
};

/* Collective. Afterwards all ranks have all results. A thread takes one pair after the other. */
enum status pair_runs_make(struct pair_runs *runs, const struct pair_job *job, struct error *e);
void pair_runs_free(struct pair_runs *runs); /* a zeroed one is allowed */

#endif
