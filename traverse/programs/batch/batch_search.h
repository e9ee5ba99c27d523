/* batch_search.h: breadth-first search from up to 256 roots at once.
 *
 * Each root has a bit. Each vertex has words of bits by root: the roots that have seen it, those whose frontier has it, and
 * those that find it in the present level. A visit of an edge serves all roots by one operation on words (multi-source BFS
 * of Then et al.).
 *
 * A level is one of two kinds. In a sparse level the frontier is a list: its vertices push their words to their neighbours,
 * and all other vertices cost nothing. A dense level passes over all vertices. There each root whose frontier has much of
 * the graph pulls: a vertex that lacks some of these roots reads the words of its neighbours until it lacks none. The other
 * roots push first, to all neighbours. The pass over all vertices then drops the bits that a vertex had seen before.
 *
 * Where roots have nothing in common, as on road graphs, a batch is slower on a CPU than a search from each root. Such a
 * batch is given up after some levels, and one thread each then searches from its roots, one by one. A GPU gives no batch
 * up: there a level costs launches, which all roots share. */
#ifndef DBFS_BATCH_SEARCH_H
#define DBFS_BATCH_SEARCH_H

#include "batch_depths.h"

#include "formats/mpi/comm.h"

/* The result of one root. */
struct batch_result {
    uint64_t reached;   /* vertices, with the root */
    uint64_t farthest;  /* the largest distance */
    uint64_t distances; /* the sum of all distances */
    uint64_t checksum;  /* as in results.h, if wanted */
    double harmonic;    /* the sum of 1 / distance over reached vertices but the root */
};

/* Adds `count` vertices at distance `depth` from the root to its result. Depths must come in ascending order. */
static inline void batch_result_add(struct batch_result *r, uint64_t depth, uint64_t count)
{
    r->reached += count;
    r->farthest = depth;
    r->distances += count * depth;
    r->harmonic += depth > 0 ? (double)count / (double)depth : 0;
}

/* The work of one level, as it is reported with -v. */
struct batch_note {
    uint64_t depth;           /* of the found vertices */
    int is_sparse;
    uint64_t vertices, edges; /* of the frontier that the level started from */
    uint64_t read;            /* edges that were read */
    uint32_t pulls;           /* roots that pulled */
    double seconds;           /* without the time of noting distances */
};

/* One batch: its roots, where distances go, and what it returns. */
struct batch_run {
    const uint64_t *roots; /* [count] vertices of the joined graph; JOINED_NOWHERE: a root without edges */
    uint32_t count;
    struct batch_depths *depths;  /* notes the distances */
    struct batch_result *results; /* [count] all but the checksum */
    /* Called after each level of all roots together, and not in searches from single roots; NULL: not called. */
    void (*note)(void *context, const struct batch_note *note);
    void *context;                 /* first argument of `note` */
    double seconds;                /* of the search, without the time of noting distances */
    uint64_t levels, edges, bytes; /* levels; edges read; estimated bytes read and written */
};

/* The frontier of a level, and how it was found. */
struct batch_found {
    uint64_t vertices, edges;    /* its vertices, and the edges of their rows */
    uint64_t read;               /* edges that were read to find it */
    uint64_t count[BATCH_MOST];  /* vertices found by each root */
    uint64_t weight[BATCH_MOST]; /* estimated edges of these vertices; 0 after a sparse level */
};

/* The levels of a batch that is under way. */
struct batch_levels {
    uint64_t depth;                   /* of the frontier */
    int is_sparse;                    /* the frontier is a list; all its words are zero once the list is empty */
    struct batch_found found;         /* the frontier */
    uint64_t roots[BATCH_MOST_WORDS]; /* bits of the roots with a frontier */
    uint64_t pulls[BATCH_MOST_WORDS]; /* those of `roots` that pull in the next level; the others push */
    int pushes;                       /* whether a root with a frontier pushes in the next level */
    uint64_t left[BATCH_MOST];        /* upper bound of the edges of rows that a root has not found */
    uint64_t rows_left;               /* upper bound of the edges of the rows of vertices that lack a root */
    uint64_t visits;                  /* vertices of the frontier, counted once for each root */
    uint64_t all_vertices, all_visits; /* vertices and visits, summed over all frontiers so far */
};

struct batch_search;

/* What a search is opened with. */
struct batch_setup {
    int words;        /* 64-bit words per vertex: 1, 2 or 4; batches have up to 64 * words roots */
    int threads;      /* of the CPU */
    const struct comm *comm; /* its rank numbers choose the GPU */
};

/* The steps of a batch on a CPU or a GPU. Functions with `e` do nothing useful after an error, and return one in *e. */
struct batch_backend {
    /* `close` is called after a failed `open`, too; NULL is allowed. */
    enum status (*open)(struct batch_search **search, const struct joined_graph *graph, const struct batch_setup *setup,
                        struct error *e);
    void (*close)(struct batch_search *search);
    void (*wake)(struct batch_search *search); /* wakes the threads before the clock starts; NULL: not needed */
    /* `start` makes the roots the frontier, as a list. `visit` runs one level, and makes the vertices that it found the
     * frontier. Both fill in levels->found. */
    void (*start)(struct batch_search *search, const struct batch_run *run, struct batch_levels *levels, struct error *e);
    void (*visit)(struct batch_search *search, int sparse, struct batch_levels *levels, struct error *e);
    /* Sets level->found to the words of the frontier; if the frontier is sparse, also level->list and level->count. */
    void (*show)(struct batch_search *search, const struct batch_levels *levels, struct batch_level *level, struct error *e);
    /* `open_single` takes memory for threads that search from one root each, and returns how many threads have it.
     * `run_single` searches from all roots of the run in this way. Both are NULL if the backend gives no batch up. */
    int (*open_single)(struct batch_search *search);
    void (*run_single)(struct batch_search *search, struct batch_run *run, int threads);
};

extern const struct batch_backend batch_cpu;  /* the cores of the host */
/* A GPU, in builds that have CUDA: cuda/batch_gpu.c. */
extern const struct batch_backend batch_cuda __attribute__((weak));

/* What searches batches, one after the other. */
struct batch {
    const struct batch_backend *backend;
    const struct joined_graph *graph;
    struct batch_search *search;
    int words;          /* 64-bit words per vertex */
    int single_threads; /* once a batch was given up, threads that search from one root each; 0: no batch was given up */
    struct batch_levels levels;
};

/* Opens *batch for searches in `graph`. */
enum status batch_open(struct batch *batch, const struct batch_backend *backend, const struct joined_graph *graph,
                       const struct batch_setup *setup, struct error *e);
void batch_close(struct batch *batch); /* a zeroed one is allowed */
/* Searches from the roots of *run, notes distances, and fills in its results, seconds and counts. */
enum status batch_run(struct batch *batch, struct batch_run *run, struct error *e);

#endif
