/* loop.h: one breadth-first search over all shards */
#ifndef DBFS_LOOP_H
#define DBFS_LOOP_H

#include "level_log.h"

/* The level loop's state of each device. */
struct device_level {
    struct visit_plan plan; /* the directions that were chosen last */
    struct workload work;   /* the counts of the last previsit */
    struct visit_result result; /* the result of the last visit */
};

/* The options of searches. */
struct bfs_options {
    struct direction_policy policy;
    int32_t deepest;  /* a search ends at this depth; INT32_MAX: no limit */
    int timed;        /* each level records the times of its phases; needs devices that were opened with timing */
    int counts_edges; /* FV, the number of the frontier's edges, is counted in every level, even if no choice needs it */
};

/* The times and counts of one search on this rank. */
struct bfs_times {
    double compute_s, exchange_s; /* seconds of this rank, summed over all levels */
    uint32_t iterations;          /* number of levels that were visited, including the last, empty level */
    uint32_t mask_reductions;     /* S' of section V-A: number of levels that reduced masks of delegates */
    uint64_t sent_vertices;
};

/* The state of searches on one rank. */
struct bfs {
    const struct rank *rank;
    struct exchange *exchange;
    struct bfs_options options;
    struct device_level *levels; /* [device_count] the state of each device */
    /* Members below belong to the last search. */
    struct root_set roots;
    struct bfs_times *times;
    struct level_log *log; /* NULL: levels are not logged */
    int noted;             /* devices ran all levels by themselves, and have notes of the levels */
};

/* How a program searches: by the level loop of loop.c (bfs_by_levels), or by the two-dimensional method of
 * programs/grid/. */
struct bfs_method {
    /* Collective. Allocates the memory of searches that does not belong to the devices. */
    enum status (*open)(struct bfs *bfs, const struct rank *rank, struct exchange *exchange,
                        const struct bfs_options *options, struct error *e);
    void (*close)(struct bfs *bfs); /* frees what `open` allocated; a zeroed bfs is allowed */

    /* Wakes the links between devices, and the host threads, so that a search does not have to wait for them. Called
     * before the clock of a search begins. */
    enum status (*prepare)(struct bfs *bfs, struct error *e);

    /* Collective. Searches from all roots together, and appends the levels to the log, which is NULL if levels are not
     * wanted. Only this rank learns of a failure while other ranks wait for it, so the caller must then end the job. */
    enum status (*search)(struct bfs *bfs, const struct root_set *roots, struct bfs_times *times, struct level_log *log,
                          struct error *e);

    /* Appends to the log the levels that devices noted themselves, which `search` leaves out. Called when the clock of
     * the search has stopped, because copying notes takes time. */
    enum status (*log_rest)(struct bfs *bfs, struct error *e);
};

extern const struct bfs_method bfs_by_levels;

#endif
