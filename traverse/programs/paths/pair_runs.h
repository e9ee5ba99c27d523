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

/* Collective. Searches between all pairs of *job; each rank does its own share. Afterwards all ranks have all
 * results. *runs must be zeroed before, and *job must outlive it. */
enum status pair_runs_make(struct pair_runs *runs, const struct pair_job *job, struct error *e);
void pair_runs_free(struct pair_runs *runs); /* a zeroed one is allowed */

/* ---- for backends ---- */

/* Fails with a message: the edge between the vertices a and b, input ids, is in the rows of `a` but not in the rows
 * of `b`. */
enum status pair_runs_one_way(const struct graph *graph, uint64_t a, uint64_t b, struct error *e);

/* Returns how many pairs this rank has. Pairs are dealt to ranks in turn: rank r has the pairs r, r + ranks, ... */
uint64_t pair_runs_own(const struct pair_runs *runs);

/* Returns the number among all pairs of this rank's pair `own`, which counts from 0. */
static inline uint64_t pair_runs_number(const struct pair_runs *runs, uint64_t own)
{
    return runs->job->comm->rank + own * runs->job->comm->ranks;
}

/* Takes memory for the path of pair i (its number among all pairs), whose result is known, and writes its source.
 * Does nothing if there is no path or paths are not wanted. The path of a pair whose source is its target is then
 * complete. */
enum status pair_runs_take_path(struct pair_runs *runs, uint64_t i, struct error *e);

#endif
