/* batch_search.h: breadth-first search from up to 256 roots at once.
 *
 * Each root has a bit, and each vertex has words of bits: which roots have seen it, which found it in the last
 * level, and which in this one. A visit of an edge serves all roots by one operation on words (multi-source BFS of
 * Then et al.).
 *
 * A level is one of two kinds. In a level by list the vertices of the frontier push their words to their neighbours, and
 * vertices that are not in the list cost nothing. In a level by all vertices each root whose frontier has much of the graph
 * pulls: a vertex that lacks some of these roots reads the words of its neighbours until it has them all. The other roots
 * push first, to all neighbours; the later pass over all vertices drops the bits that a vertex had seen before.
 *
 * Where roots have nothing in common, as on road graphs, this is slower than a search for each on a CPU. Such a batch is
 * given up after some levels, and its roots are searched from one by one, each by one thread. A GPU gives no batch up:
 * there a level costs launches, which all roots share.
 */
#ifndef DBFS_BATCH_SEARCH_H
#define DBFS_BATCH_SEARCH_H

#include "bit_sums.h"

#include "traverse/programs/joined/joined_graph.h"

#include "formats/mpi/comm.h"

/* The result of one root. */
struct batch_result {
    uint64_t reached;   /* vertices, with the root */
    uint64_t farthest;  /* the largest distance */
    uint64_t distances; /* the sum of these distances */
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

/* The vertices found in a level, as a watcher sees them. */
struct batch_level {
    uint64_t depth;        /* distance of the found vertices from the roots that found them */
    int words;             /* 64-bit words per vertex in `found` */
    const uint64_t *found; /* [vertices][words] bit r: root r found it; NULL: `root` found the whole list */
    const uint32_t *list;  /* [count] the vertices with a bit in `found`; NULL: any vertex may have one */
    uint64_t count;        /* length of the list; without a list the number of all vertices */
    uint32_t root;         /* number of the root in the batch; only if `found` is NULL */
};

/* Functions that are shown the levels of a batch, level 0 (the roots) included. In a batch that was given up, several
 * threads may call `level` at once, each for its own root. `begin` is called first, and again if a batch begins anew. */
struct batch_watcher {
    void (*begin)(void *context);
    void (*level)(void *context, const struct batch_level *level);
    void *context;
};

/* The work of one level, as it is reported with -v. */
struct batch_note {
    uint64_t depth;           /* of the found vertices */
    int by_list;
    uint64_t vertices, edges; /* of the frontier that the level started from */
    uint64_t read;            /* edges that were read */
    uint32_t pulls;           /* roots that pulled */
    double seconds;           /* without the time of the watcher */
};

/* One batch: its roots, who watches it, and what it returns. */
struct batch_run {
    const uint64_t *roots; /* [count] vertices of the joined graph; JOINED_NOWHERE: a root without edges */
    uint32_t count;
    struct batch_watcher watcher;  /* level NULL: none */
    struct batch_result *results;  /* [count] all but the checksum */
    /* Called after each level of all roots together, and not in searches from single roots; NULL: not called. */
    void (*note)(void *context, const struct batch_note *note);
    void *context;                 /* first argument of `note` */
    double seconds;                /* of the search, without the time of the watcher */
    uint64_t levels, edges, bytes; /* levels; edges read; estimated bytes read and written */
};

/* The frontier of a level, and how it was found. */
struct batch_found {
    uint64_t vertices, edges;    /* its vertices, and the edges of their rows */
    uint64_t read;               /* edges that were read to find it */
    uint64_t count[BATCH_MOST];  /* vertices found by each root */
    uint64_t weight[BATCH_MOST]; /* estimated edges of these vertices; 0 after a level by list */
};

/* A batch that is under way. */
struct batch_levels {
    uint64_t depth;                   /* of the frontier */
    int is_list;                      /* the frontier is a list; all words are zero once that is empty */
    struct batch_found found;         /* the frontier */
    uint64_t roots[BATCH_MOST_WORDS]; /* those with a frontier */
    uint64_t pulls[BATCH_MOST_WORDS]; /* the members of `roots` that pull in the next level; the others push */
    int pushes;                       /* whether a root with a frontier pushes in the next level */
    uint64_t left[BATCH_MOST];        /* upper bound of the edges of rows that a root has not found */
    uint64_t rows_left;               /* upper bound of the edges of the rows of vertices that lack a root */
    uint64_t visits;                  /* vertices of the frontier, counted once for each root */
    uint64_t all_vertices, all_visits; /* vertices and visits, summed over all frontiers so far */
};

struct batch_search;

/* Where a search runs, and with what resources. */
struct batch_place {
    int words;        /* 64-bit words per vertex: 1, 2 or 4; batches have up to 64 * words roots */
    int threads;      /* of the CPU */
    const struct comm *comm; /* its rank numbers choose the GPU */
};

/* The steps of a batch on a CPU or a GPU. Functions with `e` do nothing useful after an error, and return one in *e. */
struct batch_backend {
    enum status (*open)(struct batch_search **search, const struct joined_graph *graph, const struct batch_place *place,
                        struct error *e);
    void (*close)(struct batch_search *search); /* NULL is allowed */
    void (*rouse)(struct batch_search *search); /* wakes the threads before the clock starts; NULL: not needed */
    /* `start` makes the roots the frontier, as a list. `visit` runs one level, and makes the vertices that it found the
     * frontier. Both fill in levels->found. */
    void (*start)(struct batch_search *search, const struct batch_run *run, struct batch_levels *levels, struct error *e);
    void (*visit)(struct batch_search *search, int by_list, struct batch_levels *levels, struct error *e);
    /* Sets level->found to the words of the frontier; if the frontier is a list, sets level->list and level->count, too. */
    void (*show)(struct batch_search *search, const struct batch_levels *levels, struct batch_level *level, struct error *e);
    /* `open_alone` takes memory for threads that search from one root each, and returns how many threads have it.
     * `run_single` searches all roots of the run in this way. Both are NULL if the backend gives no batch up. */
    int (*open_alone)(struct batch_search *search);
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
    int words; /* 64-bit words per vertex */
    int alone; /* after a batch was given up, threads that search from one root each; 0: no batch was given up */
    struct batch_levels levels;
};

/* Opens *batch for searches in `graph`. */
enum status batch_open(struct batch *batch, const struct batch_backend *backend, const struct joined_graph *graph,
                       const struct batch_place *place, struct error *e);
void batch_close(struct batch *batch); /* a zeroed one is allowed */
/* Searches from the roots of *run, and fills in its results, seconds and counts. */
enum status batch_run(struct batch *batch, struct batch_run *run, struct error *e);

#endif
