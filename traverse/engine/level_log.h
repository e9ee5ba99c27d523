/* level_log.h: the work of each level of a search on this rank, kept for traces and reports */
#ifndef DBFS_LEVEL_LOG_H
#define DBFS_LEVEL_LOG_H

#include "traverse/exchange/exchange.h"

extern const char *const level_kind_name[LEVEL_KINDS];

/* The counts of a level, summed over all devices of this rank. */
struct level_counts {
    uint64_t fresh; /* number of vertices of the frontier; a delegate is counted once for every device */
    uint64_t delegates; /* number of delegates among `fresh` */
    uint64_t frontier[SUBGRAPHS]; /* number of sources of each subgraph in the frontier */
    uint64_t forward[SUBGRAPHS]; /* number of the frontier's edges in each subgraph; a lower bound if the direction was
                                  * chosen by it */
    uint64_t pushed[SUBGRAPHS];   /* the part of `forward` that belongs to devices that pushed */
    uint64_t pulling[SUBGRAPHS];  /* number of devices that pulled */
    uint64_t probes[SUBGRAPHS];   /* number of columns that pulls looked at */
};

/* The work of one level on this rank. */
struct level_trace {
    enum level_kind kind;
    struct level_counts counts;
    double backward[SUBGRAPHS];   /* the sum of the devices' BV (backward workload) */
    int counts_probes;            /* counts.probes is valid */
    struct exchange_stats exchange; /* if the search is timed, exchange.times has the phases of the devices, too */
    double compute_s, exchange_s;
};

/* The levels of one search. A zeroed log is empty. */
struct level_log {
    struct level_trace *level; /* [count], owned */
    uint32_t count;
    int failed; /* memory for a level was missing; this level and all later levels are lost */
};

/* Appends a copy of a level. Sets `failed` if memory is short. */
void level_log_add(struct level_log *log, const struct level_trace *level);

/* Frees the levels. The log is empty afterwards. */
void level_log_clear(struct level_log *log);

#endif
