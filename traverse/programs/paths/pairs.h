/* pairs.h: pairs of vertices to search between, and the results of these searches.
 *
 * Ranks share the pairs: rank r has the pairs r, r + ranks, r + 2 * ranks and so on. Each rank searches by a backend, on
 * CPUs or on a GPU. Then the ranks add up their results, so that each rank has the results of all pairs. */
#ifndef DBFS_PAIRS_H
#define DBFS_PAIRS_H

#include "traverse/session/backend_choose.h"
#include "traverse/session/roots.h"

#include "formats/mpi/comm.h"

/* The result of a search between the two vertices of a pair. All members are numbers, which ranks add up. */
struct pair_result {
    uint64_t found;    /* the distance plus 1; 0: there is no path */
    uint64_t edges;    /* number of columns that were read */
    uint64_t vertices; /* number of found vertices, source and target included */
    uint64_t nanoseconds;
};

/* What to search between, and how. */
struct pair_job {
    const struct comm *comm;
    const struct graph *graph; /* has all shards */
    const struct roots *roots; /* the source of pair i is root 2 * i, and the target is root 2 * i + 1 */
    const struct pair_backend *backend;
    struct memory_budget *budget;
    int threads;
    int one_sided, paths; /* one_sided: only the search from the source grows; paths: paths are wanted */
};

/* The results of all pairs of a job, by number of the pair. */
struct pairs {
    const struct pair_job *job;
    uint64_t count;
    struct pair_result *result; /* [count] */
    /* [count] path[i] has result[i].found input ids; NULL: paths are not wanted */
    uint64_t **path;
    /* memory of all paths, once ranks have shared the paths. NULL before, when each path has memory of its own */
    uint64_t *ids;
    double seconds;             /* seconds until the last pair was done, on the slowest rank */
};

/* Collective. Searches between all pairs of *job, of which each rank does its own share. Afterwards all ranks have all
 * results, and the paths if these are wanted. *pairs must be zeroed before, and *job must outlive *pairs. Fails on all
 * ranks if one rank fails. After a failure, too, pairs_free is to be called. */
enum status pairs_search(struct pairs *pairs, const struct pair_job *job, struct error *e);
void pairs_free(struct pairs *pairs); /* frees results and paths; *pairs may be all zeros */

/* ---- backends ---- */

struct pair_searches; /* the state of a backend, which each backend defines */

/* The functions of a backend, which searches between pairs on CPUs or on a GPU. */
struct pair_backend {
    const char *name;
    /* Returns the bytes that `searches` searches at the same time take at first for the vertices of a shard (graph.h).
     * NULL: columns stay packed, as the backend reads them once. `ignored` is not used. */
    uint64_t (*bytes_needed)(const struct shard *shard, int searches, int ignored);
    /* Makes the graph of the job ready for searches, and sets *searches. NULL: the graph is ready, and there is no
     * state. */
    enum status (*open)(struct pair_searches **searches, const struct pair_job *job, struct error *e);
    /* Frees the state, also after a failed `open` that has set *searches. */
    void (*close)(struct pair_searches *searches);
    /* Searches between all pairs of this rank: pairs rank, rank + ranks and so on. Fills in pairs->result and the wanted
     * paths. `searches`: the state that `open` has set; NULL if the backend has no `open`. */
    enum status (*run)(struct pair_searches *searches, struct pairs *pairs, struct error *e);
};

extern const struct pair_backend pair_cpu;  /* the cores of the host */
/* A GPU (cuda/pair_gpu.c); NULL in builds without CUDA. */
extern const struct pair_backend pair_cuda __attribute__((weak));

/* Fails with ST_BAD_DATA and a message. The message says that the rows of vertex `a` have an edge to vertex `b`, and that
 * the rows of `b` lack this edge. `a` and `b` are input ids. */
enum status pairs_one_way(const struct graph *graph, uint64_t a, uint64_t b, struct error *e);

/* Allocates the path of pair i, whose result is known, and writes its first vertex, the source. If the source is the
 * target, the path is then complete. Does nothing if there is no path, or if paths are not wanted. pairs_free frees the
 * path. */
enum status pairs_take_path(struct pairs *pairs, uint64_t i, struct error *e);

#endif
