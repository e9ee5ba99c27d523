/* batch_search.h: breadth-first search from up to 256 roots at once.
 *
 * Each root has a bit, and each vertex has words of bits: which roots have seen it, which found it in the last
 * level, and which in this one. A visit of an edge serves all roots by one operation on words (multi-source BFS of
 * Then et al.).
 *
 * There are two kinds of levels. By list: the vertices of the frontier push their words to their neighbours, and
 * other vertices take no time. By all vertices: each root whose frontier has much of the graph pulls. A vertex
 * that lacks some of these roots reads its neighbours until it has them all; the other roots push.
 *
 * If roots have nothing in common, as on road graphs, this is slower than a search for each on a CPU. Such a batch
 * is given up after some levels, and its roots are searched from one by one, each by one thread.
 *
 * A GPU has one direction for all roots of a batch in a level, and gives no batch up: a level costs launches
 * there, which all roots share. */
#ifndef DBFS_BATCH_SEARCH_H
#define DBFS_BATCH_SEARCH_H

#include "batch_graph.h"
#include "bit_sums.h"

#include "traverse/devices/backend_choose.h"

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

struct batch_run {
    const uint64_t *roots; /* [count] vertices; BATCH_NOWHERE: a root without edges */
    uint32_t count;
    struct batch_watcher watcher;  /* level NULL: none */
    struct batch_result *results;  /* [count] all but the checksum */
    double seconds;                /* without the time of the watcher */
    uint64_t levels, edges, bytes; /* levels; edges read; bytes read and written for both */
};

struct batch_search;

/* The way of searching. */
struct batch_place {
    int words;        /* of a vertex: batches have up to 64 * words roots */
    int threads;
    const char *host;
    uint32_t rank;
    uint32_t slot;    /* the rank's number among those of its host, which chooses its GPU */
};

struct batch_backend {
    /* Takes memory. */
    enum status (*open)(struct batch_search **search, const struct batch_graph *graph, const struct batch_place *place,
                        struct error *e);
    void (*close)(struct batch_search *search); /* NULL is allowed */
    enum status (*run)(struct batch_search *search, struct batch_run *run, struct error *e);
};

extern const struct batch_backend batch_cpu;  /* the cores of the host */
extern const struct batch_backend batch_cuda; /* a GPU, in builds that have CUDA: cuda/batch_gpu.c */

/* Chooses as backend_choose.h does. */
enum status batch_backend_choose(const struct batch_backend **batch, enum backend_choice choice, struct error *e);

#endif
