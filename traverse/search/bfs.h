/* bfs.h: one breadth-first search over all shards */
#ifndef DBFS_BFS_H
#define DBFS_BFS_H

#include "direction.h"
#include "traverse/devices/rank_devices.h"

#include "traverse/exchange/exchange.h"

/* The level loop's state of each device. */
struct device_level {
    struct visit_plan plan; /* the current choice */
    struct workload work;
    int ahead; /* dd of this level was visited before vertices of other ranks had arrived */
    struct breakdown times;
    uint64_t found; /* local normals that the device found */
};

struct bfs {
    const struct rank *rank;
    struct exchange *exchange;
    struct direction_policy policy;
    struct device_level *levels; /* [device_count] */
    int32_t deepest; /* a search ends at this depth */
    int timed;                   /* the devices time the phases of each level */
    int counts_edges; /* FV is counted in every level, also where the choice does not need it */
    int noted;        /* devices ran the last search by themselves, and have notes of its levels */
};

/* Counts of a level, of all devices of this rank. */
struct level_counts {
    uint64_t fresh; /* vertices of the frontier; a delegate counts on every device */
    uint64_t delegates; /* among them */
    uint64_t frontier[SUBGRAPHS]; /* sources of each subgraph in the frontier */
    uint64_t forward[SUBGRAPHS];  /* their edges, or the lower bound from which the direction was chosen */
    uint64_t pushed[SUBGRAPHS];   /* `forward` of the devices that pushed */
    uint64_t pulling[SUBGRAPHS];  /* devices that pulled */
    uint64_t probes[SUBGRAPHS];   /* columns that pulls looked at */
};

/* The work of one level on this rank, for a tracer. */
struct level_trace {
    enum visit_way way;
    struct level_counts counts;
    double backward[SUBGRAPHS];   /* BV */
    int counts_probes;            /* they are counted */
    struct exchange_stats exchange; /* its times are those of devices, too, if the search is timed */
    double compute_s, exchange_s;
};

struct bfs_times {
    double compute_s, exchange_s; /* of this rank, all levels */
    uint32_t iterations;          /* levels that were visited, the last, empty one included */
    uint32_t mask_reductions;     /* S' of section V-A */
    uint64_t sent_vertices;
};

/* `timed`: the devices were opened with timing, so each level records its phases. */
enum status bfs_open(struct bfs *bfs, const struct rank *rank, struct exchange *exchange,
                     const struct direction_policy *policy, int timed, struct error *e);
void bfs_close(struct bfs *bfs); /* a zeroed one is allowed */

/* A function that gets each level, in order; NULL: none. bfs_search calls it after a level, or leaves that to
 * bfs_trace_rest. */
typedef void bfs_tracer(void *context, int32_t depth, const struct level_trace *trace);

/* Makes the links between devices ready, and the threads that drive devices, before a search and its clock. */
enum status bfs_prepare(struct bfs *bfs, struct error *e);

/* Searches from one root. Collective. A failure is known to this rank only, and the other ranks wait for it,
 * so the caller must end the job. */
enum status bfs_search(struct bfs *bfs, const struct root *root, struct bfs_times *times,
                       bfs_tracer *tracer, void *context, struct error *e);

/* Gives a tracer the levels that it did not get during the search, if a device noted them. */
enum status bfs_trace_rest(struct bfs *bfs, bfs_tracer *tracer, void *context, struct error *e);

#endif
