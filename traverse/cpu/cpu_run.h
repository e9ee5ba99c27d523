/* cpu_run.h: the state of a whole search by the only device of a graph. Also the functions of cpu_choose.c, cpu_region.c
 * and cpu_notes.c that cpu_run.c calls between levels */
#ifndef DBFS_CPU_RUN_H
#define DBFS_CPU_RUN_H

#include "cpu_device.h"

/* The state of a search between two levels: the choices of choose_level for the next level, and the numbers that later
 * choices need. */
struct search_state {
    enum direction_mode mode;
    int threads;           /* the largest number of threads of a parallel region; 1: there are no parallel regions */
    uint32_t levels;       /* number of calls of choose_level in this search */
    enum level_kind kind; /* the kind of the next level: LEVEL_SPARSE (one thread), LEVEL_REGION or LEVEL_DENSE.
                           * LEVEL_KINDS: there is no next level */
    struct directions directions; /* the directions of the next level, if it is dense */
    uint64_t edges;        /* about the number of edges of the frontier */
    double expected;       /* number of vertices that the next level would find if all its edges led to different vertices */
    int in_region;         /* 1: sparse levels run in a parallel region */
    int region_threads;    /* number of threads of the next level, if it runs in a parallel region: a power of two */
    double regret;         /* picoseconds that the search would have saved if in_region had changed earlier */
    int wants_all_threads; /* 1: a sparse level by one thread would take longer than a dense level by all threads */
};

/* cpu_choose.c. Chooses the kind, directions and threads of the next level from counts, and writes them to *s. The
 * frontier must have been made and counted. It has `delegates` delegates and `normals` normals. */
void choose_level(struct device *dev, struct search_state *s, uint64_t delegates, uint64_t normals);

/* Returns 1 if the bins of a parallel region have enough memory for a level of `edges` edges. */
static inline int region_can_take(const struct device *dev, uint64_t edges)
{
    return edges <= MOST_BINNED / 4 || dev->shard->d + dev->shard->locals <= MOST_BINNED;
}

/* cpu_region.c. Runs levels in a parallel region while LEVEL_REGION is chosen. On return the frontier is sparse, and the
 * next level is chosen. Returns 1 if the region ended because its threads lacked cores, otherwise 0. */
int run_levels_in_region(struct device *dev, struct search_state *s);

/* cpu_notes.c. Drops the notes of the last search. `wanted` says whether levels of the next search are noted. */
void begin_level_notes(struct device *dev, int wanted);

/* Begins the note of the level that was just chosen. The choice began at the time `start`, in seconds (cli_seconds). */
void note_choice(struct device *dev, const struct search_state *s, const struct workload *work, double start);

/* Ends the note of the last level: adds the times of its visits. The visits ended at the time `end`, in seconds. */
void note_visits(struct device *dev, double end);

#endif
