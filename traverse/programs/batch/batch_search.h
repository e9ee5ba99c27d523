/* batch_search.h: breadth-first search from up to 256 roots at once.
 *
 * Each root has a bit, and each vertex has words of bits: which roots have seen it, which found it in the last
 * level, and which in this one. A visit of an edge serves all roots by one operation on words (multi-source BFS of
 * Then et al.).
 *
 * A level is one of two kinds. By list: the vertices of the frontier push their words to their neighbours, and what is
 * not in the list costs nothing. By all vertices: each root whose frontier has much of the graph pulls, so a vertex that
 * lacks some of these roots reads its neighbours until it has them all; the other roots push, and whether a vertex has seen
 * them already is looked up when the vertex is come to.
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

static inline void batch_result_add(struct batch_result *r, uint64_t depth, uint64_t count)
{
    r->reached += count;
    r->farthest = depth;
    r->distances += count * depth;
    r->harmonic += depth > 0 ? (double)count / (double)depth : 0;
}

/* The finds of a level. */
struct batch_level {
    uint64_t depth;
    int words;             /* of a vertex */
    const uint64_t *found; /* [vertices][words]; NULL: `root` alone finds all vertices of the list */
    const uint32_t *list;  /* the vertices with a bit in `found`; NULL: any may have one */
    uint64_t count;        /* vertices of the list, or all */
    uint32_t root;
};

/* Is shown each level, and the roots' own. Several threads may show levels of one root alone. `begin` comes first,
 * and again if a batch begins anew. */
struct batch_watcher {
    void (*begin)(void *context);
    void (*level)(void *context, const struct batch_level *level);
    void *context;
};

/* The work of a level. */
struct batch_note {
    uint64_t depth;           /* of its finds */
    int by_list;
    uint64_t vertices, edges; /* of the frontier */
    uint64_t read;            /* edges */
    uint32_t pulls;           /* roots that pulled */
    double seconds;           /* without the time of the watcher */
};

struct batch_run {
    const uint64_t *roots; /* [count] vertices; JOINED_NOWHERE: a root without edges */
    uint32_t count;
    struct batch_watcher watcher;  /* level NULL: none */
    struct batch_result *results;  /* [count] all but the checksum */
    void (*note)(void *context, const struct batch_note *note); /* is told of each level, but those of roots alone; NULL: none */
    void *context;
    double seconds;                /* without the time of the watcher */
    uint64_t levels, edges, bytes; /* levels; edges that were read; bytes that were read and written for all that */
};

/* The frontier of a level, and how it was found. */
struct batch_found {
    uint64_t vertices, edges;    /* vertices, and the edges of their rows */
    uint64_t read;               /* edges that were read to find it */
    uint64_t count[BATCH_MOST];  /* vertices of each root */
    uint64_t weight[BATCH_MOST]; /* their edges, about; 0 after a level by list */
};

/* A batch that is under way. */
struct batch_levels {
    uint64_t depth;                   /* of the frontier */
    int is_list;                      /* the frontier is a list; an empty one has left no words behind */
    struct batch_found found;         /* the frontier */
    uint64_t roots[BATCH_MOST_WORDS]; /* those with a frontier */
    uint64_t pulls[BATCH_MOST_WORDS]; /* those of them that pull in the next level; the others push */
    int pushes;                       /* whether there are others */
    uint64_t left[BATCH_MOST];        /* edges of rows that a root has not found, at most */
    uint64_t rows_left;               /* edges of rows that lack a root, at most */
    uint64_t visits;                  /* vertices of the frontier, counted once for each root */
    uint64_t all_vertices, all_visits; /* the same of all frontiers so far */
};

struct batch_search;

/* The place of a search. */
struct batch_place {
    int words;        /* of a vertex: batches have up to 64 * words roots */
    int threads;
    const struct comm *comm; /* of the rank, which has a GPU by it */
};

/* The steps of a batch. */
struct batch_backend {
    enum status (*open)(struct batch_search **search, const struct joined_graph *graph, const struct batch_place *place,
                        struct error *e);
    void (*close)(struct batch_search *search); /* NULL is allowed */
    void (*rouse)(struct batch_search *search); /* before the clock starts; NULL: nothing sleeps */
    /* Makes the roots the frontier, as a list; `visit` the finds of its neighbours. Both fill in levels->found. */
    void (*start)(struct batch_search *search, const struct batch_run *run, struct batch_levels *levels, struct error *e);
    void (*visit)(struct batch_search *search, int by_list, struct batch_levels *levels, struct error *e);
    /* Gives the words of the frontier and, unless any vertex may have some, its list. */
    void (*show)(struct batch_search *search, const struct batch_levels *levels, struct batch_level *level, struct error *e);
    /* Takes memory for searches from roots alone by threads, and returns how many. Both are NULL if no batch is given up. */
    int (*open_alone)(struct batch_search *search);
    void (*run_single)(struct batch_search *search, struct batch_run *run, int threads);
};

extern const struct batch_backend batch_cpu;  /* the cores of the host */
/* A GPU, in builds that have CUDA: cuda/batch_gpu.c. */
extern const struct batch_backend batch_cuda __attribute__((weak));

/* Searches of batches, one after the other. */
struct batch {
    const struct batch_backend *backend;
    const struct joined_graph *graph;
    struct batch_search *search;
    int words; /* of a vertex */
    int alone; /* threads that search from one root each, as a batch was given up; 0: none was */
    struct batch_levels levels;
};

enum status batch_open(struct batch *batch, const struct batch_backend *backend, const struct joined_graph *graph,
                       const struct batch_place *place, struct error *e);
void batch_close(struct batch *batch); /* a zeroed one is allowed */
enum status batch_run(struct batch *batch, struct batch_run *run, struct error *e);

#endif
