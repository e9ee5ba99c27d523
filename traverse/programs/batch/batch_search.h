/* batch_search.h: breadth-first search from a batch of up to 256 roots at once (multi-source BFS of Then et al.).
 *
 * Each vertex has three sets of words, with a bit for each root. So one operation on a word visits an edge for 64 roots.
 * - seen words: the root has seen the vertex.
 * - frontier words: the vertex is in the frontier of the root.
 * - next words: the root finds the vertex in the present level.
 *
 * In a sparse level, the frontier is a list of vertices, which push their frontier words to their neighbours. A dense level
 * passes over all vertices. First, roots with small frontiers push. Then each vertex pulls for the other roots: it reads the
 * frontier words of its neighbours, until all these roots have found it. At last, it drops the pushed bits of roots that had
 * seen it before.
 *
 * If roots seldom find the same vertices in the same level, as on road graphs, a batch is slower on a CPU than a search from
 * each root. So after some levels it is given up, and a single thread searches from each root. A GPU gives no batch up, because
 * all roots share what a level costs whatever it finds. A backend may run levels before they are asked for, by the same rules
 * (batch_choose.h), unless they are noted. */
#ifndef DBFS_BATCH_SEARCH_H
#define DBFS_BATCH_SEARCH_H

#include "batch_balls.h"
#include "batch_hops.h"
#include "batch_targets.h"
#include "vertex_sums.h"

#include "formats/mpi/comm.h"

/* The result of one root. */
struct batch_result {
    uint64_t reached;   /* number of vertices reached, the root included */
    uint64_t farthest;  /* the largest distance of a reached vertex */
    uint64_t distances; /* the sum of all distances */
    uint64_t checksum;  /* checksum of the distances as in results.h; 0 if no checksums are wanted */
    double harmonic;    /* the sum of 1 / distance over all reached vertices but the root */
    double leaf_harmonic; /* `harmonic` of a vertex whose only edge leads to this root (leaf_roots.h) */
};

/* Adds `count` vertices at distance `depth` from the root to *r. Called with ascending depths, and only with a `count`
 * above 0. */
static inline void batch_result_add(struct batch_result *r, uint64_t depth, uint64_t count)
{
    r->reached += count;
    r->farthest = depth;
    r->distances += count * depth;
    r->harmonic += depth > 0 ? (double)count / (double)depth : 0;
    r->leaf_harmonic += (double)(count - (depth == 1)) / (double)(depth + 1); /* one vertex at depth 1 is the leaf */
}

/* The work of one level, as -v reports it. */
struct batch_note {
    uint64_t depth;           /* distance of the vertices that the level found */
    int is_sparse;
    /* the frontier from which the level started: its vertices, and the edges of their rows */
    uint64_t vertices, edges;
    uint64_t read;             /* number of edges that the level read */
    uint32_t pulls;           /* number of roots that pulled */
    double seconds;           /* seconds of the level, without the time in which distances were noted */
};

/* One batch: the roots, the places for their distances, and the results of the search. */
struct batch_run {
    /* [count] vertices of the joined graph; JOINED_NOWHERE: a root without edges; JOINED_ELSEWHERE: a root of another rank */
    const uint64_t *roots;
    uint32_t count;
    uint64_t most_levels;         /* the search ends after this number of levels, that of the roots included; 0: no bound */
    struct batch_depths *depths;  /* receives the distances level by level; NULL: not wanted */
    struct batch_balls *balls;    /* receives the vertices that each root reaches; NULL: not wanted */
    struct batch_hops *hops;      /* receives the number of vertices at each distance; NULL: not wanted */
    struct vertex_sums *sums;     /* receives the distances as sums over all roots, for each vertex; NULL: not wanted */
    struct batch_targets *targets; /* receives the distances to the targets, and may end searches; NULL: there are none */
    /* receives each level, as batch_run_note does, with `context`; NULL: not wanted */
    void (*receive)(void *context, const struct batch_level *level);
    struct batch_result *results; /* [count] the search fills in all members but the checksum */
    /* called after each level of a batch, but not in searches from single roots; NULL: no calls */
    void (*note)(void *context, const struct batch_note *note);
    void *context;                 /* first argument of `receive` and `note` */
    double seconds;                /* seconds of the search, without the time in which distances were noted */
    uint64_t levels, edges, bytes; /* number of levels; number of edges read; estimated number of bytes read and written */
    uint64_t sent;                 /* bytes that ranks which divide the graph have sent each other */
};

/* Returns whether the vertices that a level has found are wanted, and not only their number. */
int batch_run_notes_levels(const struct batch_run *run);

/* Passes the vertices that a level has found to all that want them. Called for each level, from level 0 on. For levels of
 * single roots, several threads may call the function at once, each with its own root. */
void batch_run_note(const struct batch_run *run, const struct batch_level *level);

/* Returns whether a search ends although its frontier, at distance `depth`, has neighbours. `left` is the number of targets that
 * the batch, or a single root, has not found. */
static inline int batch_run_ends(const struct batch_run *run, uint64_t depth, uint64_t left)
{
    return (run->most_levels > 0 && depth + 1 >= run->most_levels) ||
           (run->targets != NULL && run->targets->ends && left == 0);
}

/* The frontier that a level has found, and the work of that level. */
struct batch_found {
    uint64_t vertices, edges;    /* number of vertices of the frontier, and number of edges of their rows */
    uint64_t read;               /* number of edges that were read to find the frontier */
    uint64_t sent;               /* bytes that ranks which divide the graph have sent each other to find the frontier */
    uint64_t count[BATCH_MOST];  /* for each root: number of vertices that the root found */
    /* for each root: estimated number of edges of the vertices in `count`; 0 after a sparse level */
    uint64_t weight[BATCH_MOST];
    uint64_t pull_edges_left;    /* what batch_levels.pull_edges_left becomes; only after a dense level on a GPU */
    double seconds;              /* seconds of the level; 0: the backend does not know them */
};

/* The state of a batch between two levels. */
struct batch_levels {
    uint64_t depth;                    /* distance of the frontier from the roots */
    /* 1: the frontier is a list. If the list is empty, all frontier words and next words are zero */
    int is_sparse;
    struct batch_found found;          /* the counts of the frontier and of the last level */
    uint64_t active[BATCH_MOST_WORDS]; /* a bit for each root; 1: the root found a vertex in the last level */
    /* a bit for each root in `active`; 1: the root pulls in the next level; 0: it pushes */
    uint64_t pulls[BATCH_MOST_WORDS];
    int pushes;                       /* 1: a root in `active` pushes in the next level */
    /* for each root: upper bound of the number of edges of the vertices that the root has not found */
    uint64_t edges_left[BATCH_MOST];
    /* upper bound of the number of edges that pulls read: those of vertices that a root in `active` has not found */
    uint64_t pull_edges_left;
    uint64_t finds;  /* sum over the vertices of the frontier: number of roots that found the vertex */
    uint64_t all_vertices, all_finds; /* sums of found.vertices and of `finds` over all frontiers so far */
};

struct batch_search;

/* The options with which a backend opens a search. */
struct batch_setup {
    int words;        /* number of 64-bit words per vertex: 1, 2 or 4; batches have up to 64 * words roots */
    int threads;      /* number of threads on the CPU */
    const struct comm *comm; /* the ranks; the number of a rank on its host chooses the GPU */
};

/* The steps of a batch on a CPU or a GPU. A failure is stored in *e. If *e has failed before the call, the results of the
 * function are not to be used. */
struct batch_backend {
    /* cost of an edge that a dense level pushes, over that of an edge that it pulls; and with a single thread, which needs no atomics */
    uint64_t push_cost, push_cost_alone;
    uint64_t list_cost; /* cost of a list of a dense frontier for each vertex of the graph, over that of an edge that is pulled */
    /* `open` sets *search. `close` frees everything, even after a failed `open`. It may be called with NULL. */
    enum status (*open)(struct batch_search **search, const struct joined_graph *graph, const struct batch_setup *setup,
                        struct error *e);
    void (*close)(struct batch_search *search);
    /* Wakes the threads before the clock starts. NULL: the backend has no threads. */
    void (*wake)(struct batch_search *search);
    /* `start` forgets the last batch, and makes the roots the frontier, as a list. `visit` runs one level, sparse or dense,
     * and makes the found vertices the frontier. Both fill in levels->found. */
    void (*start)(struct batch_search *search, const struct batch_run *run, struct batch_levels *levels, struct error *e);
    void (*visit)(struct batch_search *search, int sparse, struct batch_levels *levels, struct error *e);
    /* Sets level->found to the frontier words, in memory of the host. They are valid until the next call of any function of
     * the backend. If the frontier is sparse, also sets level->list and level->count. If ranks divide the graph, shows the vertices
     * that this rank notes, and sets level->found_by to their counts. */
    void (*show)(struct batch_search *search, const struct batch_levels *levels, struct batch_level *level, struct error *e);
    /* `open_single` allocates memory for threads that search from one root at a time, and returns the number of threads
     * that have got memory. `run_single` searches from all roots of the run with these threads. Both are NULL if the
     * backend gives no batch up. */
    int (*open_single)(struct batch_search *search);
    void (*run_single)(struct batch_search *search, struct batch_run *run, int threads);
    /* `device_bytes` returns about how many bytes of its GPU a rank takes that has the whole graph, with `edges` edges in all rows, and the
     * words of a batch. `device_left` sets *bytes to what the GPU of the rank has left for it. Both are NULL on the CPU. */
    uint64_t (*device_bytes)(uint64_t vertices, uint64_t edges, int directed, int words);
    enum status (*device_left)(const struct comm *comm, uint64_t *bytes, struct error *e);
};

extern const struct batch_backend batch_cpu;  /* the backend for the cores of the host */
/* The backend for a GPU (cuda/batch_gpu.c). NULL in builds without CUDA. */
extern const struct batch_backend batch_cuda __attribute__((weak));

/* A search that runs batches, one after the other. */
struct batch {
    const struct batch_backend *backend;
    const struct joined_graph *graph;
    struct batch_search *search;
    struct thread_pool *pool; /* of `threads` threads, which note what a level found */
    int threads;
    int words;          /* number of 64-bit words per vertex */
    uint64_t push_cost; /* that of the backend, with the threads of this search */
    /* number of threads that search from single roots, once a batch was given up; 0: none was given up */
    int single_threads;
    struct batch_levels levels;
};

/* Opens *batch for searches in `graph`. `graph` must outlive *batch. Collective if ranks divide the graph, as is batch_run: all ranks
 * search from the same roots. The caller calls batch_close even after a failure. */
enum status batch_open(struct batch *batch, const struct batch_backend *backend, const struct joined_graph *graph,
                       const struct batch_setup *setup, struct error *e);
void batch_close(struct batch *batch); /* frees all memory; *batch may be all zeros, or opened in part */
/* Searches from the roots of *run, and passes the vertices that each level finds to all members of *run that receive them. Fills
 * in the results, seconds and counts of *run. If ranks divide the graph, results and counts are those of all ranks, and a rank
 * passes on the vertices that it notes. */
enum status batch_run(struct batch *batch, struct batch_run *run, struct error *e);

#endif
