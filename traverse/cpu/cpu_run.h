/* cpu_run.h: a search of a device that is alone, between two levels; for the cpu_*.c files */
#ifndef DBFS_CPU_RUN_H
#define DBFS_CPU_RUN_H

#include "cpu_device.h"

struct search_state {
    enum direction_mode mode;
    int threads; /* the most of a parallel region; 1: there is no parallel region */
    uint32_t levels;
    enum level_kind kind; /* of the next level: LEVEL_SPARSE by one thread, LEVEL_REGION, LEVEL_DENSE;
                           * LEVEL_KINDS: none, as the search is over */
    int is_for_all;     /* it would be slower by one thread than by masks: all threads help */
    uint64_t edges;     /* of the next frontier */
    int in_region;      /* levels by lists are for a parallel region */
    int region_threads;           /* threads of a parallel region in the next level: a power of two */
    double regret;      /* picoseconds that it would have saved to begin, or to end, the parallel region earlier */
    double expected;    /* vertices that the level finds, if each edge finds another */
    struct directions directions;
};

/* cpu_choose.c. Chooses how the next level goes. Its frontier is marked as visited and counted. */
void plan_level(struct device *dev, struct search_state *state, uint64_t delegates,
                uint64_t normals);

/* Whether the bins of a parallel region have room for a level of so many edges. */
static inline int region_can_take(const struct device *dev, uint64_t edges)
{
    return edges <= MOST_BINNED / 4 || dev->shard->d + dev->shard->locals <= MOST_BINNED;
}

/* cpu_notes.c. A level begins when the one before it ends: at `start` or `end`, in seconds. */
void begin_level_notes(struct device *dev, int wanted);
void note_plan(struct device *dev, const struct search_state *state, const struct workload *work,
               double start);
void note_visits(struct device *dev, double end);

/* cpu_region.c. Runs levels as long as a parallel region is the best way. Returns nonzero if its threads had no cores. */
int run_levels_in_region(struct device *dev, struct search_state *state);

#endif
