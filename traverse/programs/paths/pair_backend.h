/* pair_backend.h: where pairs are searched */
#ifndef DBFS_PAIR_BACKEND_H
#define DBFS_PAIR_BACKEND_H

#include "pair_runs.h"

#include "traverse/session/backend_choose.h"

struct pair_searches;

struct pair_backend {
    const char *name;
    /* Returns the bytes that `searches` searches at the same time take at first for a shard (graph.h). NULL: columns stay
     * packed, as the backend reads them once. `ignored` is unused. */
    uint64_t (*bytes_needed)(const struct shard *shard, int searches, int ignored);
    /* Makes the graph of the job ready for searches. NULL: it is ready, and there is no state. */
    enum status (*open)(struct pair_searches **searches, const struct pair_job *job, struct error *e);
    /* Releases what `open` made. */
    void (*close)(struct pair_searches *searches);
    /* Searches between every pair of this rank. `searches`: of `open`, or NULL without `open`. */
    enum status (*run)(struct pair_searches *searches, struct pair_runs *runs, struct error *e);
};

extern const struct pair_backend pair_cpu;  /* the cores of the host */
/* A GPU, in builds that have CUDA: cuda/pair_gpu.c. */
extern const struct pair_backend pair_cuda __attribute__((weak));

#endif
