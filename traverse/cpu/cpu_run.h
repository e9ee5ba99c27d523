/* cpu_run.h: the state of a whole search by the only device of a graph, and the functions of cpu_choose.c, cpu_region.c and
 * cpu_notes.c that cpu_run.c calls between levels */
#ifndef DBFS_CPU_RUN_H
#define DBFS_CPU_RUN_H

#include "cpu_device.h"

/* The state of a search between two levels: what choose_level has chosen for the next level, and what it needs for further
 * choices. */
struct search_state {
    enum direction_mode mode;
    int threads;           /* threads of a parallel region, at most; 1: there are no parallel regions */
    uint32_t levels;       /* calls of choose_level in this search */
    enum level_kind kind;  /* the kind of the next level: LEVEL_SPARSE (one thread), LEVEL_REGION or LEVEL_DENSE;
                            * LEVEL_KINDS: there is no next level */
    struct directions directions; /* of the next level, if it is dense */
    uint64_t edges;        /* about the edges of the frontier */
    double expected;       /* vertices that the next level would find if no two of its edges led to the same vertex */
    int in_region;         /* 1: sparse levels run in a parallel region */
    int region_threads;    /* threads of the next level, if it is in a parallel region: a power of two */
    double regret;         /* picoseconds that the search would have saved if in_region had changed earlier */
    int wants_all_threads; /* 1: one thread would take longer for a sparse level than all threads for a dense one */
};

/* cpu_choose.c. Chooses kind, directions and threads of the next level from counts, and writes them to *s. The frontier has
 * been made and counted. It has `delegates` delegates and `normals` normals. */
void choose_level(struct device *dev, struct search_state *s, uint64_t delegates, uint64_t normals);

/* Returns 1 if the bins of a parallel region have memory for a level of `edges` edges. */
static inline int region_can_take(const struct device *dev, uint64_t edges)
{
    return edges <= MOST_BINNED / 4 || dev->shard->d + dev->shard->locals <= MOST_BINNED;
}

/* cpu_region.c. Runs levels in a parallel region while LEVEL_REGION is chosen. On return the frontier is sparse, and the
 * next level is chosen. Returns 1 if the region ended because its threads lacked cores, otherwise 0. */
int run_levels_in_region(struct device *dev, struct search_state *s);

/* cpu_notes.c. Forgets the notes of the last search. `wanted` 1: the levels of the next search are to be noted. */
void begin_level_notes(struct device *dev, int wanted);

/* Begins the note of the level that was just chosen. The choice began at `start`, in seconds (cli_seconds). */
void note_choice(struct device *dev, const struct search_state *s, const struct workload *work, double start);

/* Ends the note of the last level, by the times of its visits, which ended at `end`, in seconds. */
void note_visits(struct device *dev, double end);

#endif
