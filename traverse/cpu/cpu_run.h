/* cpu_run.h: a search of a device that is alone, between two levels; for the cpu_*.c files */
#ifndef DBFS_CPU_RUN_H
#define DBFS_CPU_RUN_H

#include "cpu_device.h"

/* How a level goes. */
enum level_way {
    BY_LISTS, /* one thread pushes from lists (cpu_list.c) */
    BY_CREW,  /* several threads do (cpu_crew.c), or one if they have no cores */
    BY_MASKS, /* the phases of cpu_search.c */
    IS_OVER   /* the frontier is empty, or as deep as the search is to go */
};

struct search_state {
    enum direction_mode mode;
    int threads; /* the most of a crew; 1: there is no crew */
    uint32_t levels;
    enum level_way way; /* of the next level */
    int is_for_all;     /* it would be slower by one thread than by masks: all threads help */
    uint64_t edges;     /* of the next frontier */
    int is_crewed;      /* levels by lists are for a crew */
    int team;           /* threads of a crew in the next level: a power of two */
    double regret;      /* picoseconds that it would have saved to begin, or to end, the crew earlier */
    double expected;    /* vertices that the level finds, if each edge finds another */
    struct directions directions;
};

/* cpu_way.c. Chooses how the next level goes. Its frontier is marked as visited and counted. */
void plan_level(struct device *dev, struct search_state *state, uint64_t delegates,
                uint64_t normals);

/* Whether the bins of a crew have room for a level of so many edges. */
static inline int crew_can_take(const struct device *dev, uint64_t edges)
{
    return edges <= MOST_BINNED / 4 || dev->shard->d + dev->shard->locals <= MOST_BINNED;
}

/* cpu_notes.c. A level begins when the one before it ends: at `start` or `end`, in seconds. */
void begin_level_notes(struct device *dev, int wanted);
void note_plan(struct device *dev, const struct search_state *state, const struct workload *work,
               double start);
void note_visits(struct device *dev, double end);
enum status cpu_replay_levels(struct device *dev, level_noter *noter, void *context, struct error *e);

/* cpu_crew.c. Runs levels as long as a crew is the best way. Returns nonzero if its threads had no cores. */
int run_levels_by_crew(struct device *dev, struct search_state *state);

#endif
