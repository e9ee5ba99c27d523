/* cpu_run.h: the state of a whole search by a graph's only device, and what cpu_run.c calls between levels */
#ifndef DBFS_CPU_RUN_H
#define DBFS_CPU_RUN_H

#include "cpu_device.h"

/* The state of a search between two levels: what choose_level chose for the next one, and what its later choices need. */
struct search_state {
    enum direction_mode mode;
    int threads;           /* the most threads of a parallel region; 1: there are no regions */
    uint32_t levels;       /* number of calls of choose_level in this search */
    enum level_kind kind; /* the kind of the next level: LEVEL_SPARSE (one thread), LEVEL_REGION or LEVEL_DENSE; or
                           * LEVEL_KINDS if the search ends */
    struct directions directions; /* the directions of the next level, if it is dense */
    uint64_t edges;        /* about the number of edges of the frontier */
    double expected;       /* how many vertices the next level would find if all its edges led to different ones */
    int in_region;         /* 1: sparse levels run in a parallel region */
    int region_threads;    /* threads of the next level if it runs in a region: a power of two; 1: the caller alone */
    double regret;         /* picoseconds that all levels of the search so far would have saved in a region; never set back */
    double vertex_cost;    /* picoseconds of one thread for a vertex of the last frontier that was counted */
    double local_gain;     /* picoseconds that rounds of several levels (cpu_local.c) would have saved since the last ones */
    int local_levels, local_threads; /* levels of a round, and its threads; at most 1: there is no round */
    uint64_t local_entries; /* of a thread's lists in a round */
    uint64_t last_size;    /* vertices of the level before, or of a mean level of the round before */
    int32_t full_at;       /* the depth of the last frontier whose round had no room for its lists, and was undone; 0: none */
    int wants_all_threads; /* one thread would need longer for the next level than all threads for a dense level */
};

/* cpu_choose.c. Chooses the kind, directions and threads of the next level from counts. The frontier must be made and
 * counted; it has `delegates` delegates and `normals` normals. */
void choose_level(struct device *dev, struct search_state *s, uint64_t delegates, uint64_t normals);

enum { MOST_LOCAL_LEVELS = 16 };

/* cpu_choose.c. Chooses s->local_levels and s->local_threads for a next level, or a mean level of the next round, of about `size`
 * vertices, all normals. Returns the predicted picoseconds of such a level. */
double choose_local_levels(const struct device *dev, struct search_state *s, uint64_t size);

/* Returns 1 if threads may search from shares of the frontier (cpu_local.c): one shard with normals alone, whose columns are
 * neither packed nor of 8 bytes. */
static inline int may_search_locally(const struct device *dev, const struct search_state *s)
{
    const struct csr *csr = &dev->shard->csr[NN];
    return s->threads > 1 && dev->shard->d == 0 && csr->packed.words == NULL && csr->column_width == 4 &&
           csr->source_rows == csr->rows && s->mode != DIRECTION_PULL;
}

/* cpu_local.c. Runs rounds of several levels while choose_local_levels wants them. The rest is as with run_levels_in_region. */
int run_local_levels(struct device *dev, struct search_state *s);

/* Returns 1 if the bins of a region have enough memory for a level of `edges` edges. */
static inline int region_can_take(const struct device *dev, uint64_t edges)
{
    return edges <= MOST_BINNED / 4 || dev->shard->d + dev->shard->locals <= MOST_BINNED;
}

/* cpu_region.c. Runs levels in a parallel region while LEVEL_REGION is chosen. At the return the frontier is sparse,
 * and the next level chosen. Returns 1 if the region ended because its threads lacked cores. */
int run_levels_in_region(struct device *dev, struct search_state *s);

/* cpu_notes.c. Drops the notes of the last search. `wanted` says whether the next one is noted. */
void begin_level_notes(struct device *dev, int wanted);

/* Begins the note of the level just chosen. The choice began at the time `start` (cli_seconds). */
void note_choice(struct device *dev, const struct search_state *s, const struct workload *work, double start);

/* Notes the levels of a round (cpu_local.c); frontier[i] is the number of vertices in the frontier of level i. `is_first`: choose_level
 * has begun the note of its first level. */
void note_round(struct device *dev, const uint64_t *frontier, int levels, int is_first);

/* Ends the note of the last level, whose visits ended at the time `end`. */
void note_visits(struct device *dev, double end);

#endif
