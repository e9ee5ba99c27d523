/* batch_search.h: breadth-first search from up to 256 roots at once.
 *
 * Each root has a bit, and each vertex words of bits: which roots have seen it, which found it in the last level, and
 * which in this one. A visit of an edge serves all roots by one operation on words (multi-source BFS of Then et al.).
 *
 * A level is one of two kinds. By list: the vertices of the frontier push their words to their neighbours, and what is
 * not in the list costs nothing. By all vertices: each root whose frontier has much of the graph pulls, so a vertex that
 * lacks some of these roots reads its neighbours until it has them all; the other roots push.
 *
 * Where roots have nothing in common, as on road graphs, this is slower than a search for each on a CPU. Such a batch is
 * given up after some levels, and its roots are searched from one by one, each by one thread.
 *
 * A GPU has one direction for all roots of a batch in a level, and gives no batch up: there a level costs launches, which
 * all roots share.
 */
#ifndef DBFS_BATCH_SEARCH_H
#define DBFS_BATCH_SEARCH_H

#include "traverse/joined/joined_graph.h"
#include "bit_sums.h"

#include "traverse/devices/backend_choose.h"

/* What a search says of a root. */
struct batch_result {
    uint64_t reached;   /* vertices, the root included */
    uint64_t farthest;  /* the largest distance */
    uint64_t distances; /* their sum */
    uint64_t checksum;  /* as of results.h, if wanted */
    double harmonic;    /* the sum of 1 / distance, without the root */
};

static inline void batch_result_add(struct batch_result *r, uint64_t depth, uint64_t count)
{
    r->reached += count;
    r->farthest = depth;
    r->distances += count * depth;
    r->harmonic += depth > 0 ? (double)count / (double)depth : 0;
}

/* What a level found. */
struct batch_level {
    uint64_t depth;
    int words;             /* of a vertex */
    const uint64_t *found; /* [vertices][words]; NULL: all in the list are found from `root`, alone */
    const uint32_t *list;  /* the vertices that have a bit in `found`; NULL: any may have one */
    uint64_t count;        /* of the list, or all vertices */
    uint32_t root;
};

/* Is shown every level, the roots' own included. Several threads may show levels of one root alone. `begin` comes first, and
 * again if a batch begins anew. */
struct batch_watcher {
    void (*begin)(void *context);
    void (*level)(void *context, const struct batch_level *level);
    void *context;
};

struct batch_run {
    const uint64_t *roots; /* [count] vertices; JOINED_NOWHERE is one without edges */
    uint32_t count;
    struct batch_watcher watcher;  /* level NULL: none */
    struct batch_result *results;  /* [count] all but the checksum */
    double seconds;                /* without what the watcher took */
    uint64_t levels, edges, bytes; /* levels; edges that were read; bytes that were read and written for all that */
};

struct batch_search;

/* How it is searched. */
struct batch_place {
    int words;        /* of a vertex: batches have up to 64 * words roots */
    int threads;
    const char *host;
    uint32_t rank;
    uint32_t slot;    /* number of the rank's GPU among those of its host */
};

struct batch_backend {
    /* Takes memory. */
    enum status (*open)(struct batch_search **search, const struct joined_graph *graph, const struct batch_place *place,
                        struct error *e);
    void (*close)(struct batch_search *search); /* NULL is allowed */
    enum status (*run)(struct batch_search *search, struct batch_run *run, struct error *e);
};

extern const struct batch_backend batch_cpu;  /* the cores of the host */
extern const struct batch_backend batch_cuda; /* a GPU, in builds that have CUDA: cuda/batch_gpu.c */

/* As backend_choose.h. */
enum status batch_backend_choose(const struct batch_backend **batch, enum backend_choice choice, struct error *e);

#endif
