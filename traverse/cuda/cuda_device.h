/* cuda_device.h: the state of one shard's search on a GPU, shared by the C files of the CUDA backend */
#ifndef DBFS_CUDA_DEVICE_H
#define DBFS_CUDA_DEVICE_H

#include "cuda_answers.h"
#include "cuda_error.h"
#include "cuda_kernels.h"
#include "cuda_plan.h"
#include "cuda_solo.h"

#include "traverse/backend.h"

/* The masks that a search clears. They lie one behind the other, so that one call clears them all. */
struct gpu_masks {
    void *all; /* visited and next masks of both kinds, and `incoming` */
    size_t bytes;
    uint32_t *incoming; /* the delegates found by all devices; NULL if there is one shard */
    uint32_t *in;       /* the mask that the next previsit reads: `incoming` or next */
    int updated;        /* this level found a delegate */
};

struct gpu_scratch {
    struct gpu_scan scan;                    /* for merge-based pushes of dd */
    struct gpu_chunk *chunks[VERTEX_KINDS]; /* by kind of destination */
};

/* Vertices that leave and arrive. */
struct gpu_traffic {
    enum exchange_memory memory;
    struct gpu_bins bins;
    int binned; /* the bins are of this level */
    uint32_t *received;
    /* for dropping duplicates in device memory; NULL if that is not wanted */
    uint32_t *seen; /* mask of any shard's local ids, zero between uses */
    uint64_t seen_words;
    unsigned long long *kept; /* [p], host memory: how many ids are left in each box */
};

/* Counters of a level, and host memory that the device copies them to. */
struct gpu_counters {
    struct gpu_level *level;
    struct gpu_level *published;
    unsigned int *updated; /* `found` of delegates, for finish_delegates */
};

/* The counts of the frontier, as the host has them. */
struct gpu_frontier {
    uint64_t fresh[VERTEX_KINDS];
    int listed[VERTEX_KINDS]; /* the queue holds the whole frontier */
    uint64_t sources[SUBGRAPHS], forward[SUBGRAPHS], unvisited[SUBGRAPHS];
};

/* A stream for each kind of vertices that visits find: delegates (dd, nd) and normals (dn, nn). */
struct gpu_streams {
    cudaStream_t of[VERTEX_KINDS];
    cudaEvent_t reached[VERTEX_KINDS]; /* for one stream to follow the other */
    cudaEvent_t masks_read;            /* this device has read the masks of the others */
};

struct gpu_clock {
    int runs;
    cudaEvent_t begin[DEVICE_PHASES], end[DEVICE_PHASES];
    int timed[DEVICE_PHASES]; /* in this level */
};

/* Notes of the levels of such a search (cuda_solo_notes.c). */
struct gpu_notes {
    struct solo_launch launch; /* no blocks: the device was opened without notes */
    struct solo_note *kept; /* [count + 1] as far as they were copied */
    uint32_t count;
    uint32_t levels; /* of the last search */
};

/* A whole search as one kernel, for a device that is alone (cuda_solo.h). */
struct gpu_solo_search {
    struct gpu_solo search;
    struct solo_launch launch;
    struct gpu_notes notes;
    int settled; /* the depths of the last search are complete, or the level loop made them */
};

struct device {
    const struct shard *shard;
    int ordinal;
    char where[320]; /* host, rank and GPU, for messages */
    struct device_load load;
    void *memory; /* one allocation for everything */
    struct gpu_csr csr[SUBGRAPHS];
    struct gpu_vertices of[VERTEX_KINDS];
    struct gpu_masks masks;
    struct gpu_scratch scratch;
    struct gpu_traffic traffic;
    struct gpu_counters counters;
    struct gpu_frontier frontier;
    struct gpu_streams stream;
    struct gpu_clock clock;
    struct gpu_solo_search solo;
    struct gpu_answers answers;
};

/* Makes the device's GPU that of the calling thread. */
static inline enum status gpu_use(const struct device *dev, struct error *e)
{
    return CUDA_TRY(cudaSetDevice(dev->ordinal), dev->where, e);
}

/* cuda_solo_run.c. gpu_solo_open does nothing if there are several shards. The arrays are those of the plan. No
 * notes are wanted if `notes` is NULL. */
struct gpu_solo_arrays {
    void *state, *lists, *notes;
};
enum status gpu_solo_open(struct device *device, const struct gpu_solo_arrays *arrays,
                          struct error *e);
void gpu_solo_close(struct device *device);

/* Completes depths, before results are read. */
enum status gpu_solo_settle(struct device *device, struct error *e);

/* After the sections are loaded: measures rows. */
enum status gpu_solo_measure(struct device *device, struct error *e);

enum status gpu_run(struct device *device, const struct root *root, enum direction_mode mode,
                    int noted, uint32_t *levels, struct error *e);

/* cuda_solo_notes.c. While a search runs, the host calls gpu_notes_take again and again. */
enum status gpu_notes_open(struct device *device, int share, struct error *e);
void gpu_notes_close(struct device *device);
void gpu_notes_begin(struct device *device);
enum status gpu_notes_take(struct device *device, struct error *e);
enum status gpu_tell_levels(struct device *device, level_noter *noter, void *context,
                            struct error *e);

/* cuda_check.c. Checks the ranges of the shard on the device (shard_ranges.h). `locals` is [p], of every
 * shard. */
enum status gpu_check_ranges(struct device *device, const uint32_t *locals, struct error *e);

/* cuda_times.c. These do nothing if the device was opened without timing. */
void gpu_time_begin(struct device *device, enum phase phase, enum vertex_kind stream);
void gpu_time_end(struct device *device, enum phase phase, enum vertex_kind stream);
enum status gpu_times(struct device *device, struct breakdown *times, struct error *e);

/* cuda_messages.c. Whether GPU `from`, which is the thread's current one, can read the memory of `to`. */
int gpu_can_read(int from, int to);

/* cuda_parents.c. What is launched on the stream of normals waits for the search on the other one. */
enum status gpu_follow_search(struct device *device, struct error *e);

/* cuda_describe.c */
void gpu_describe(const struct device *device, struct device_description *description);

extern const struct backend_search cuda_search;     /* cuda_search.c */
extern const struct backend_messages cuda_messages; /* cuda_messages.c */
extern const struct backend_results cuda_results;   /* cuda_results.c */
extern const struct backend_parents cuda_parents;   /* cuda_parents.c */

#endif
