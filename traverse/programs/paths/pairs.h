/* pairs.h: pairs of vertices to search between, shared among ranks, and their results.
 *
 * Pairs are dealt to ranks in turn: rank r has the pairs r, r + ranks, ... Each rank searches by a backend, on CPUs or on a
 * GPU. Ranks then add up results, so that all have all of them. */
#ifndef DBFS_PAIRS_H
#define DBFS_PAIRS_H

#include "traverse/session/backend_choose.h"
#include "traverse/session/roots.h"

#include "formats/mpi/comm.h"

/* The result of a search between a pair: numbers, which ranks add up. */
struct pair_result {
    uint64_t found;    /* the distance plus 1; 0: there is no path */
    uint64_t edges;    /* columns that were read */
    uint64_t vertices; /* found vertices, source and target included */
    uint64_t nanoseconds;
};

/* What to search, and how. */
struct pair_job {
    const struct comm *comm;
    const struct graph *graph; /* all shards */
    const struct roots *roots; /* source and target of each pair, in turn */
    const struct pair_backend *backend;
    struct memory_budget *budget;
    int threads;
    int one_sided, paths; /* only the source's search grows; paths are wanted */
};

/* All pairs of a job, by number. */
struct pairs {
    const struct pair_job *job;
    uint64_t count;
    struct pair_result *result; /* [count] */
    uint64_t **path;            /* [count] input ids, result.found of each; NULL: paths are not wanted */
    uint64_t *ids;              /* all paths, one behind the other, once ranks have shared them */
    double seconds;             /* until the last pair was done, on the slowest rank */
};

/* Collective. Searches between all pairs of *job; each rank does its own share. Afterwards all ranks have all
 * results. *pairs must be zeroed before, and *job must outlive it. */
enum status pairs_search(struct pairs *pairs, const struct pair_job *job, struct error *e);
void pairs_free(struct pairs *pairs); /* zeroed pairs are allowed */

/* ---- backends ---- */

struct pair_searches; /* the state of a backend */

struct pair_backend {
    const char *name;
    /* Returns the bytes that `searches` searches at the same time take at first for a shard (graph.h). NULL: columns stay
     * packed, as the backend reads them once. `ignored` is unused. */
    uint64_t (*bytes_needed)(const struct shard *shard, int searches, int ignored);
    /* Makes the graph of the job ready for searches. NULL: the graph is ready, and there is no state. */
    enum status (*open)(struct pair_searches **searches, const struct pair_job *job, struct error *e);
    /* Releases the state, also after a failed `open`. */
    void (*close)(struct pair_searches *searches);
    /* Searches between every pair of this rank: pairs rank, rank + ranks, ... `searches`: the state of `open`; NULL without `open`. */
    enum status (*run)(struct pair_searches *searches, struct pairs *pairs, struct error *e);
};

extern const struct pair_backend pair_cpu;  /* the cores of the host */
/* A GPU, in builds that have CUDA: cuda/pair_gpu.c. */
extern const struct pair_backend pair_cuda __attribute__((weak));

/* Fails with a message: the edge between the vertices a and b, input ids, is in the rows of `a` but not in the rows
 * of `b`. */
enum status pairs_one_way(const struct graph *graph, uint64_t a, uint64_t b, struct error *e);

/* Takes memory for the path of pair i, whose result is known, and writes the source. Does nothing if there is no path or
 * paths are not wanted. If the source is the target, the path is then complete. */
enum status pairs_take_path(struct pairs *pairs, uint64_t i, struct error *e);

#endif
