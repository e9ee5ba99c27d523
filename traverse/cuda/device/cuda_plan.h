/* cuda_plan.h: the sizes of the arrays of one shard in memory of its GPU, and in memory of the host that the GPU reads;
 * computing them needs no CUDA */
#ifndef DBFS_CUDA_PLAN_H
#define DBFS_CUDA_PLAN_H

#include "traverse/engine/residence.h"

#include "formats/graph/shard.h"

#include <stdint.h>

enum gpu_array_id {
    /* of the rows csr[g] of the shard: + GPU_SECTIONS * g */
    GPU_HEADS,
    GPU_OFFSETS,
    GPU_COLUMNS, /* if they stay packed, their words and groups (packed_row.h) */
    GPU_COLUMN_PLACES, /* the rest of the directory of packed columns */
    GPU_SOURCES,
    GPU_SECTIONS,
    GPU_ALL_SECTIONS = GPU_SECTIONS * ROW_SETS - 1,
#define ARRAY(id, name, member) GPU_##id,
#include "cuda_arrays.def"
#undef ARRAY
    GPU_ARRAY_COUNT
};

enum { GPU_SHOWN_BYTES = 48 }; /* of an array's element: struct gpu_shown */
enum { GPU_RECEIVE_IDS = 1 << 22 /* vertices that a device takes in at a time */ };

struct gpu_array {
    const char *name; /* of sections without that of their subgraph */
    uint64_t bytes;
    const void *source; /* copied into it; NULL: nothing, or a packed section that is not loaded */
    int hosted;         /* in memory of the host */
};

struct gpu_plan {
    enum residence resident; /* raw, too, if there is nothing to keep packed, or in memory of the host */
    int saves, by_classes;   /* as of gpu_plan_options */
    struct gpu_array array[GPU_ARRAY_COUNT];
    uint64_t graph_bytes, working_bytes; /* of the arrays before GPU_MASKS; of the others */
    uint64_t host_bytes;    /* of arrays in memory of the host, which are in none of the other sums */
    uint64_t staging_bytes; /* of device memory that only loading takes: a piece of packed columns */
};

/* Returns the 32-bit words of a bitmap of `bits` bits, as of shard files. */
static inline uint64_t gpu_mask_words(uint64_t bits)
{
    return 2 * mask_words(bits);
}

/* All arrays lie in two allocations, those of the device and those of the host, each array at a multiple of 256
 * bytes. The sums count the gaps. */
static inline uint64_t gpu_aligned(uint64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Bytes of the tables of answers: a cursor for each shard, a count and a flag, 8 bytes each. */
static inline uint64_t gpu_answer_table_bytes(uint32_t p)
{
    return 8 * ((uint64_t)p + 2);
}

/* The tasks of the device, and where columns lie. */
struct gpu_plan_options {
    int parents;  /* record them */
    int answers;  /* make answers */
    int permuted; /* of ids that are permuted */
    int notes;    /* note what levels do, in searches without the level loop */
    enum residence resident; /* not RESIDENT_AUTO */
    unsigned hosted; /* with RESIDENT_HOST: the subgraphs whose columns lie in memory of the host, as 1 << g */
    int saves;       /* memory before speed: single GPUs scatter answers; searches are stepped */
    int by_classes;  /* searches are not sliced, however small the graph is */
};

#define GPU_ALL_HOSTED ((1u << ROW_SETS) - 1)

/* Computes the sizes of all arrays, which point into the shard. A shard that is not loaded has no content: sources are
 * NULL. */
void gpu_plan_make(struct gpu_plan *plan, const struct shard *shard,
                   const struct gpu_plan_options *options);

/* Bytes of the device, for good. */
static inline uint64_t gpu_plan_bytes(const struct gpu_plan *plan)
{
    return plan->graph_bytes + plan->working_bytes;
}

/* Bytes of the device, while the shard is loaded. */
static inline uint64_t gpu_loading_bytes(const struct gpu_plan *plan)
{
    return gpu_plan_bytes(plan) + plan->staging_bytes;
}

/* Whether answers are written by scattering them over the values, which lie at GPU_QUEUE_D. */
static inline int gpu_scatters_answers(const struct gpu_plan *plan, const struct shard *shard)
{
    return plan->saves && shard->p == 1;
}

/* Whether there is memory for a fused search. */
static inline int gpu_searches_fused(const struct gpu_plan *plan)
{
    return !plan->saves;
}

/* Whether searches are sliced (cuda_sliced.h): the graph is so small, and memory and columns allow it. */
int gpu_searches_by_slices(const struct gpu_plan *plan, const struct shard *shard);

/* Whether no row is longer than SLICED_ALIKE_LONGEST times the mean one. */
int gpu_degrees_alike(const struct shard *shard);

/* Returns the most edges of a vertex, the first one of its kind: vertices are in the order of their degrees. */
uint64_t gpu_longest_row(const struct shard *shard);

/* Estimates how many shards the graph should have, at least as many as now, so that each fits into `capacity`
 * bytes. It rests on this shard, with the same delegates. Returns 0 if delegates take more by themselves. */
uint32_t gpu_plan_shards(const struct shard *shard, const struct gpu_plan_options *options, uint64_t capacity);

/* Whether the columns of g stay packed on the device. *packed says where they are. */
int gpu_keeps_columns(const struct shard *shard, enum subgraph g, enum residence resident,
                      struct packed *packed);

/* The packed columns of g that the device decodes when it loads them; NULL: there are none. */
const struct section *gpu_decoded_columns(const struct gpu_plan *plan, const struct shard *shard, enum subgraph g);

#endif
