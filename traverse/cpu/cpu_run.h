/* cpu_run.h: a search by the only device of a graph, between two levels: shared by cpu_run.c, cpu_choose.c, cpu_region.c
 * and cpu_notes.c */
#ifndef DBFS_CPU_RUN_H
#define DBFS_CPU_RUN_H

#include "cpu_device.h"

/* The state of a search between two levels. */
struct search_state {
    enum direction_mode mode;
    int threads;           /* most threads of a parallel region; 1: there are no parallel regions */
    uint32_t levels;       /* that were chosen */
    enum level_kind kind;  /* the kind of the next level: LEVEL_SPARSE (one thread), LEVEL_REGION or LEVEL_DENSE;
                            * LEVEL_KINDS: there is no next level */
    struct directions directions; /* of a dense level */
    uint64_t edges;        /* of the frontier */
    double expected;       /* vertices that the next level finds, were there no overlap */
    int in_region;         /* sparse levels are for a parallel region */
    int region_threads;    /* of the next level of a parallel region: a power of two */
    double regret;         /* picoseconds that changing in_region earlier would have saved */
    int wants_all_threads; /* one thread would be slower by a sparse level than by a dense one */
};

/* cpu_choose.c. Chooses kind, directions and threads of the next level from counts. The frontier has been made and counted:
 * `delegates` and `normals` vertices. */
void choose_level(struct device *dev, struct search_state *s, uint64_t delegates, uint64_t normals);

/* Returns 1 if the bins of a parallel region have memory for a level of so many edges. */
static inline int region_can_take(const struct device *dev, uint64_t edges)
{
    return edges <= MOST_BINNED / 4 || dev->shard->d + dev->shard->locals <= MOST_BINNED;
}

/* cpu_region.c. Runs levels in a parallel region while LEVEL_REGION is chosen. Returns 1 if its threads lacked cores. The
 * frontier is sparse then, and the next level is chosen. */
int run_levels_in_region(struct device *dev, struct search_state *s);

/* cpu_notes.c. Notes of the levels of a search, if they are wanted. note_choice begins the note of the level that was
 * chosen, by a choice that began at `start` (cli_seconds); note_visits adds the times of its visits, which ended at
 * `end`. */
void begin_level_notes(struct device *dev, int wanted);
void note_choice(struct device *dev, const struct search_state *s, const struct workload *work, double start);
void note_visits(struct device *dev, double end);

#endif
