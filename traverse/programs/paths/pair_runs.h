/* pair_runs.h: all pairs, shared among ranks */
#ifndef DBFS_PAIR_RUNS_H
#define DBFS_PAIR_RUNS_H

#include "traverse/session/roots.h"

#include "formats/mpi/comm.h"

/* The result of a search between a pair: numbers, which ranks add up. */
struct pair_result {
    uint64_t found;    /* the distance plus 1; 0: there is no path */
    uint64_t edges;    /* columns that were read */
    uint64_t vertices; /* found vertices, the two included */
    uint64_t nanoseconds;
};

struct pair_runs {
    const struct pair_job *job;
    uint64_t count;
    struct pair_result *result; /* [count] */
    uint64_t **path;            /* [count] input ids, result.found of each; NULL: paths are not wanted */
    uint64_t *ids;              /* all paths, one behind the other, once ranks have shared them */
    double seconds;             /* until the last pair was done, on the slowest rank */
};

struct pair_backend;

struct pair_job {
    const struct comm *comm;
    const struct graph *graph;
    const struct roots *roots; /* source and target of each pair */
    const struct pair_backend *backend;
    struct memory_budget *budget;
    int threads;
    int one_sided, paths;
};

/* Collective. Afterwards all ranks have all results. */
enum status pair_runs_make(struct pair_runs *runs, const struct pair_job *job, struct error *e);
void pair_runs_free(struct pair_runs *runs); /* a zeroed one is allowed */

/* ---- for backends ---- */

/* Says that the edge between two vertices, by input id, is in the rows of `a` and not in those of `b`. */
enum status pair_runs_one_way(const struct graph *graph, uint64_t a, uint64_t b, struct error *e);

/* The number of pairs of this rank, which are every ranks-th; and the number of one of them among all. */
uint64_t pair_runs_own(const struct pair_runs *runs);

static inline uint64_t pair_runs_number(const struct pair_runs *runs, uint64_t own)
{
    return runs->job->comm->rank + own * runs->job->comm->ranks;
}

/* Makes room for the path of a pair whose result is known, if it has one and paths are wanted. A path of one vertex is
 * complete then. */
enum status pair_runs_take_path(struct pair_runs *runs, uint64_t i, struct error *e);

#endif
