/* pairs.h: pairs of vertices to search between, and the results of these searches.
 *
 * Ranks share the pairs: rank r has the pairs r, r + ranks, r + 2 * ranks and so on. Each rank searches with a backend,
 * on CPUs or on a GPU. Or ranks divide the graph, and find each pair together (pair_together.c), and rank 0 alone notes the result.
 * What a rank does not note is 0, so that the sum over all ranks gives each rank the results of all pairs. */
#ifndef DBFS_PAIRS_H
#define DBFS_PAIRS_H

#include "traverse/session/backend_choose.h"
#include "traverse/session/roots.h"

#include "formats/mpi/comm.h"

/* The result of a search between the vertices of a pair. All members are numbers, because ranks add up their results. */
struct pair_result {
    uint64_t found;    /* the distance plus 1; 0: there is no path */
    uint64_t edges;    /* number of columns that were read */
    uint64_t vertices; /* number of found vertices, source and target included */
    uint64_t nanoseconds;
};

struct searcher;

/* The pairs to search between, and how to search. */
struct pair_job {
    const struct comm *comm;
    const struct graph *graph; /* has all shards */
    const struct roots *roots; /* the source of pair i is root 2 * i, and the target is root 2 * i + 1 */
    const struct pair_backend *backend;
    struct searcher *together; /* for pair_together: searches with all ranks */
    struct memory_budget *budget;
    int threads;
    int one_sided, paths; /* one_sided: 1 if only the side of the source grows. paths: 1 if paths are wanted. */
};

/* The results of all pairs of a job, by number of the pair. */
struct pairs {
    const struct pair_job *job;
    uint64_t count;
    struct pair_result *result; /* [count] the result of each pair */
    /* [count] path[i] has result[i].found input ids. NULL: paths are not wanted. */
    uint64_t **path;
    /* the memory of all paths, once the ranks have shared them; NULL before, when each path has its own memory */
    uint64_t *ids;
    double seconds;             /* seconds of all searches of a rank, on the slowest rank */
};

/* Collective. Searches between all pairs of *job, of which each rank has a share. Afterwards, all ranks have all results,
 * and all paths if paths are wanted. *pairs must be all zeros before. *job must outlive *pairs. Fails on all ranks if one
 * rank fails. The caller calls pairs_free even after a failure. */
enum status pairs_search(struct pairs *pairs, const struct pair_job *job, struct error *e);
void pairs_free(struct pairs *pairs); /* frees results and paths; *pairs may be all zeros */

/* ---- backends ---- */

struct pair_searches; /* the state of a backend; each backend has its own definition */

/* The functions of a backend. A backend searches between pairs on CPUs or on a GPU. */
struct pair_backend {
    const char *name;
    /* Returns how many bytes of memory searches take at first for the vertices of a shard, if `searches` of them run at the
     * same time. `ignored` is not used. NULL: columns stay packed in memory, because the backend reads them only once. */
    uint64_t (*bytes_needed)(const struct shard *shard, int searches, int ignored);
    /* Prepares the graph of the job for searches, and sets *searches. NULL: the backend has nothing to prepare, and no
     * state. */
    enum status (*open)(struct pair_searches **searches, const struct pair_job *job, struct error *e);
    /* Frees the state that `open` has set, even if `open` has failed afterwards. */
    void (*close)(struct pair_searches *searches);
    /* Searches between all pairs of this rank: the pairs rank, rank + ranks and so on, or for pair_together all on rank 0. Fills in
     * pairs->result and the wanted paths. `searches` is the state that `open` has set; NULL if the backend has no `open`. */
    enum status (*run)(struct pair_searches *searches, struct pairs *pairs, struct error *e);
};

/* For a graph that the ranks divide. `run` is collective, and finds all pairs: rank 0 has the results and paths. `edges` of a pair are
 * those at the vertices that its source reaches, and 0 if the search was that of the pair before. */
extern const struct pair_backend pair_together;
extern const struct pair_backend pair_cpu;  /* the backend for the cores of the host */
/* The backend for a GPU (cuda/pair_gpu.c). NULL in builds without CUDA. */
extern const struct pair_backend pair_cuda __attribute__((weak));

/* Fails with ST_BAD_DATA, because the rows of vertex `a` have an edge to vertex `b`, and the rows of `b` do not have this
 * edge. `a` and `b` are input ids. */
enum status pairs_one_way(const struct graph *graph, uint64_t a, uint64_t b, struct error *e);

/* Allocates the path of pair i, whose result must be known, and writes its first vertex, which is the source. If the
 * source is the target, this is the whole path. Does nothing if there is no path, or if paths are not wanted. pairs_free
 * frees it. */
enum status pairs_take_path(struct pairs *pairs, uint64_t i, struct error *e);

#endif
