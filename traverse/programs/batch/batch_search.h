/* batch_search.h: breadth-first search from up to 256 roots at once, which are a batch.
 *
 * Each root has a bit. Each vertex has words of bits by root. The seen words have the roots that have seen the vertex. The
 * frontier words have the roots whose frontier has the vertex. The next words have the roots that find the vertex in the
 * present level. A visit of an edge serves all roots by one operation on words (multi-source BFS of Then et al.).
 *
 * A level is one of two kinds. In a sparse level the frontier is a list of vertices. The listed vertices push their
 * frontier words to their neighbours, and all other vertices cost nothing. A dense level passes over all vertices, and a
 * root either pushes or pulls. A root pulls if the vertices of its frontier have a large share of the edges. The other
 * roots push first, from their frontiers to all neighbours. Then each vertex pulls if it lacks a root that pulls: the
 * vertex reads the frontier words of its neighbours until it lacks no root that pulls. At last the vertex drops the pushed
 * bits of roots that had seen it before.
 *
 * If roots have nothing in common, as on road graphs, a batch is slower on a CPU than a search from each root. Such a batch
 * is given up after some levels. A single thread then searches from each root. A GPU gives no batch up: there the cost of a
 * level is the cost of launches, and all roots share the launches. */
#ifndef DBFS_BATCH_SEARCH_H
#define DBFS_BATCH_SEARCH_H

#include "batch_depths.h"

#include "formats/mpi/comm.h"

/* The result of one root. */
struct batch_result {
    uint64_t reached;   /* vertices reached, the root included */
    uint64_t farthest;  /* the largest distance of a reached vertex */
    uint64_t distances; /* the sum of all distances */
    uint64_t checksum;  /* checksum of the distances as in results.h, if wanted */
    double harmonic;    /* the sum of 1 / distance over all reached vertices but the root */
};

/* Adds `count` vertices at distance `depth` from the root to all sums of *r, and makes `depth` the largest distance. Called
 * with ascending depths, and only if `count` is not 0. */
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
    /* vertices of the frontier that the level started from, and edges of the rows of these vertices */
    uint64_t vertices, edges;
    uint64_t read;             /* edges that the level read */
    uint32_t pulls;           /* number of roots that pulled */
    double seconds;           /* of the level, without the time in which distances were noted */
};

/* One batch: its roots, where the distances go, and what the search returns. */
struct batch_run {
    const uint64_t *roots; /* [count] vertices of the joined graph; JOINED_NOWHERE: a root without edges */
    uint32_t count;
    struct batch_depths *depths;  /* gets the distances level by level */
    struct batch_result *results; /* [count] filled in, all members but the checksum */
    /* Called after each level of a batch; not called in searches from single roots. NULL: no calls. */
    void (*note)(void *context, const struct batch_note *note);
    void *context;                 /* first argument of `note` */
    double seconds;                /* seconds of the search, without the time in which distances were noted */
    uint64_t levels, edges, bytes; /* number of levels; number of edges read; estimated number of bytes read and written */
};

/* The frontier that a level has found, and the work of that level. */
struct batch_found {
    uint64_t vertices, edges;    /* vertices of the frontier, and edges of their rows */
    uint64_t read;               /* edges that were read to find the frontier */
    uint64_t count[BATCH_MOST];  /* for each root: vertices that the root found */
    uint64_t weight[BATCH_MOST]; /* for each root: estimated edges of the vertices in `count`; 0 after a sparse level */
};

/* The state of a batch between two levels. */
struct batch_levels {
    uint64_t depth;                    /* distance of the frontier from the roots */
    /* the frontier is a list. If the list is empty, the frontier words and next words of all vertices are zero */
    int is_sparse;
    struct batch_found found;          /* the frontier, with the work of the last level */
    uint64_t roots[BATCH_MOST_WORDS]; /* bits of the roots that found a vertex in the last level */
    uint64_t pulls[BATCH_MOST_WORDS]; /* bits of the roots in `roots` that pull in the next level; the other roots push */
    int pushes;                       /* whether a root in `roots` pushes in the next level */
    /* for each root: upper bound of the edges of the rows of vertices that the root has not found */
    uint64_t left[BATCH_MOST];
    /* upper bound of the edges of the rows of vertices that at least one root has not found */
    uint64_t rows_left;
    uint64_t visits;                  /* vertices of the frontier, each counted once for each root that found the vertex */
    uint64_t all_vertices, all_visits; /* vertices of all frontiers so far, and visits of all frontiers so far */
};

struct batch_search;

/* The options with which a backend opens a search. */
struct batch_setup {
    int words;        /* 64-bit words per vertex: 1, 2 or 4; batches have up to 64 * words roots */
    int threads;      /* number of threads on the CPU */
    const struct comm *comm; /* the ranks; their numbers on a host choose the GPU */
};

/* The steps of a batch on a CPU or a GPU. If *e has failed before the call, a function with `e` does nothing useful, and
 * the results of the function are not to be used. A failure of the function is stored in *e. */
struct batch_backend {
    /* `open` sets *search. `close` frees everything, and is called after a failed `open`, too; NULL is allowed. */
    enum status (*open)(struct batch_search **search, const struct joined_graph *graph, const struct batch_setup *setup,
                        struct error *e);
    void (*close)(struct batch_search *search);
    void (*wake)(struct batch_search *search); /* wakes the threads before the clock starts; NULL: the backend has none */
    /* `start` forgets the last batch, and makes the roots the frontier, as a list. `visit` runs one level from the
     * frontier, and makes the found vertices the frontier. Both fill in levels->found. `sparse`: the level is sparse. */
    void (*start)(struct batch_search *search, const struct batch_run *run, struct batch_levels *levels, struct error *e);
    void (*visit)(struct batch_search *search, int sparse, struct batch_levels *levels, struct error *e);
    /* Sets level->found to the frontier words, in memory of the host. The words are valid until the next call of any
     * function. If the frontier is sparse, also sets level->list and level->count. */
    void (*show)(struct batch_search *search, const struct batch_levels *levels, struct batch_level *level, struct error *e);
    /* `open_single` allocates memory for threads that each search from one root at a time, and returns how many threads
     * have the memory. `run_single` searches from all roots of the run by these threads. Both are NULL if the backend gives
     * no batch up. */
    int (*open_single)(struct batch_search *search);
    void (*run_single)(struct batch_search *search, struct batch_run *run, int threads);
};

extern const struct batch_backend batch_cpu;  /* the cores of the host */
/* A GPU (cuda/batch_gpu.c); NULL in builds without CUDA. */
extern const struct batch_backend batch_cuda __attribute__((weak));

/* A search that runs batches, one after the other. */
struct batch {
    const struct batch_backend *backend;
    const struct joined_graph *graph;
    struct batch_search *search;
    int words;          /* 64-bit words per vertex */
    /* threads that each search from one root at a time, once a batch was given up; 0: no batch was given up */
    int single_threads;
    struct batch_levels levels;
};

/* Opens *batch for searches in `graph`, which must outlive *batch. After a failure, too, batch_close is to be called. */
enum status batch_open(struct batch *batch, const struct batch_backend *backend, const struct joined_graph *graph,
                       const struct batch_setup *setup, struct error *e);
void batch_close(struct batch *batch); /* frees all memory; *batch may be all zeros, or opened in part */
/* Searches from the roots of *run. Passes the distances to run->depths, and fills in the results, seconds and counts of
 * *run. */
enum status batch_run(struct batch *batch, struct batch_run *run, struct error *e);

#endif
