/* batch_search.h: breadth-first search from up to 256 roots at once. These roots are called a batch.
 *
 * Each root has a bit. Each vertex has three sets of words, with a bit for each root:
 * - seen words: the root has seen the vertex.
 * - frontier words: the vertex is in the frontier of the root.
 * - next words: the root finds the vertex in the present level.
 *
 * So one operation on words visits an edge for all roots (multi-source BFS of Then et al.).
 *
 * A level is either sparse or dense. In a sparse level, the frontier is a list of vertices. The listed vertices push
 * their frontier words to their neighbours, and all other vertices cost nothing.
 *
 * A dense level passes over all vertices, and each root either pushes or pulls. A root pulls if the vertices of its
 * frontier have a large share of the edges. The roots that push come first: they push from their frontiers to all
 * neighbours. Then each vertex pulls, unless all roots that pull have seen it. A pull reads the frontier words of the
 * neighbours of the vertex, until all roots that pull have found the vertex. At last, the vertex drops the pushed bits of
 * roots that had seen it before.
 *
 * On road graphs, for example, the roots seldom find the same vertices in the same level. A batch is then slower on a CPU
 * than a search from each root. Such a batch is given up after some levels, and a single thread searches from each root.
 * A GPU gives no batch up. The cost of a level on a GPU is the cost of launches, and all roots share the launches. */
#ifndef DBFS_BATCH_SEARCH_H
#define DBFS_BATCH_SEARCH_H

#include "batch_depths.h"

#include "formats/mpi/comm.h"

/* The result of one root. */
struct batch_result {
    uint64_t reached;   /* number of vertices reached, the root included */
    uint64_t farthest;  /* the largest distance of a reached vertex */
    uint64_t distances; /* the sum of all distances */
    uint64_t checksum;  /* checksum of the distances as in results.h; 0 if no checksums are wanted */
    double harmonic;    /* the sum of 1 / distance over all reached vertices but the root */
};

/* Adds `count` vertices at distance `depth` from the root to all sums of *r, and sets the largest distance to `depth`.
 * Called with ascending depths, and only with a `count` above 0. */
static inline void batch_result_add(struct batch_result *r, uint64_t depth, uint64_t count)
{
    r->reached += count;
    r->farthest = depth;
    r->distances += count * depth;
    r->harmonic += depth > 0 ? (double)count / (double)depth : 0;
}

/* The work of one level, as -v reports it. */
struct batch_note {
    uint64_t depth;           /* distance of the vertices that the level found */
    int is_sparse;
    /* counts of the frontier from which the level started: its vertices, and the edges of their rows */
    uint64_t vertices, edges;
    uint64_t read;             /* number of edges that the level read */
    uint32_t pulls;           /* number of roots that pulled */
    double seconds;           /* seconds of the level, without the time in which distances were noted */
};

/* One batch: the roots, the place for their distances, and the results of the search. */
struct batch_run {
    const uint64_t *roots; /* [count] vertices of the joined graph; JOINED_NOWHERE: a root without edges */
    uint32_t count;
    struct batch_depths *depths;  /* receives the distances level by level */
    struct batch_result *results; /* [count] the search fills in all members but the checksum */
    /* The function that is called after each level of a batch. It is not called in searches from single roots. NULL: no
     * calls. */
    void (*note)(void *context, const struct batch_note *note);
    void *context;                 /* first argument of `note` */
    double seconds;                /* seconds of the search, without the time in which distances were noted */
    uint64_t levels, edges, bytes; /* number of levels; number of edges read; estimated number of bytes read and written */
};

/* The frontier that a level has found, and the work of that level. */
struct batch_found {
    uint64_t vertices, edges;    /* number of vertices of the frontier, and number of edges of their rows */
    uint64_t read;               /* number of edges that were read to find the frontier */
    uint64_t count[BATCH_MOST];  /* for each root: number of vertices that the root found */
    /* For each root: estimated number of edges of the vertices in `count`. 0 after a sparse level. */
    uint64_t weight[BATCH_MOST];
};

/* The state of a batch between two levels. */
struct batch_levels {
    uint64_t depth;                    /* distance of the frontier from the roots */
    /* 1: the frontier is a list. If the list is empty, the frontier words and next words of all vertices are zero. */
    int is_sparse;
    struct batch_found found;          /* the counts of the frontier and of the last level */
    uint64_t roots[BATCH_MOST_WORDS]; /* a bit for each root; 1: the root found a vertex in the last level */
    /* A bit for each root. 1: the root found a vertex in the last level, and pulls in the next level. The other roots in
     * `roots` push. */
    uint64_t pulls[BATCH_MOST_WORDS];
    int pushes;                       /* 1: a root in `roots` pushes in the next level */
    /* for each root: upper bound of the number of edges of the vertices that the root has not found */
    uint64_t left[BATCH_MOST];
    /* Upper bound of the number of edges of the vertices that at least one root has not found. The edges are counted in
     * the rows to pull. */
    uint64_t rows_left;
    uint64_t visits;  /* for each vertex of the frontier: number of roots that found the vertex; summed over the frontier */
    uint64_t all_vertices, all_visits; /* sums of found.vertices and of `visits` over all frontiers so far */
};

struct batch_search;

/* The options with which a backend opens a search. */
struct batch_setup {
    int words;        /* number of 64-bit words per vertex: 1, 2 or 4; batches have up to 64 * words roots */
    int threads;      /* number of threads on the CPU */
    const struct comm *comm; /* the ranks; the number of a rank on its host chooses the GPU */
};

/* The steps of a batch on a CPU or a GPU. A function with an argument `e` stores its failure in *e. If *e has failed
 * before the call, the results of the function are not to be used. */
struct batch_backend {
    /* `open` sets *search. `close` frees everything. The caller calls `close` even after `open` has failed. The argument
     * of `close` may be NULL. */
    enum status (*open)(struct batch_search **search, const struct joined_graph *graph, const struct batch_setup *setup,
                        struct error *e);
    void (*close)(struct batch_search *search);
    /* Wakes the threads before the clock starts. NULL: the backend has no threads. */
    void (*wake)(struct batch_search *search);
    /* `start` forgets the last batch, and makes the roots the frontier, as a list. `visit` runs one level from the
     * frontier, and makes the found vertices the frontier. `sparse` is 1 for a sparse level. Both functions fill in
     * levels->found. */
    void (*start)(struct batch_search *search, const struct batch_run *run, struct batch_levels *levels, struct error *e);
    void (*visit)(struct batch_search *search, int sparse, struct batch_levels *levels, struct error *e);
    /* Sets level->found to the frontier words, in memory of the host. The words are valid until the next call of any
     * function of the backend. If the frontier is sparse, also sets level->list and level->count. */
    void (*show)(struct batch_search *search, const struct batch_levels *levels, struct batch_level *level, struct error *e);
    /* `open_single` allocates memory for threads, each of which will search from one root at a time. It returns the
     * number of threads that have got the memory. `run_single` searches from all roots of the run with these threads.
     * Both pointers are NULL if the backend gives no batch up. */
    int (*open_single)(struct batch_search *search);
    void (*run_single)(struct batch_search *search, struct batch_run *run, int threads);
};

extern const struct batch_backend batch_cpu;  /* the backend for the cores of the host */
/* The backend for a GPU (cuda/batch_gpu.c). NULL in builds without CUDA. */
extern const struct batch_backend batch_cuda __attribute__((weak));

/* A search that runs batches, one after the other. */
struct batch {
    const struct batch_backend *backend;
    const struct joined_graph *graph;
    struct batch_search *search;
    int words;          /* number of 64-bit words per vertex */
    /* Number of threads that search from single roots, once a batch was given up. 0: no batch was given up. */
    int single_threads;
    struct batch_levels levels;
};

/* Opens *batch for searches in `graph`. `graph` must outlive *batch. The caller calls batch_close even after a failure. */
enum status batch_open(struct batch *batch, const struct batch_backend *backend, const struct joined_graph *graph,
                       const struct batch_setup *setup, struct error *e);
void batch_close(struct batch *batch); /* frees all memory; *batch may be all zeros, or opened in part */
/* Searches from the roots of *run. Passes the distances to run->depths. Fills in the results, seconds and counts of *run. */
enum status batch_run(struct batch *batch, struct batch_run *run, struct error *e);

#endif
