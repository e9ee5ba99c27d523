/* cuda_plan.h: the sizes of the arrays of one shard in memory of its GPU, and in memory of the host that the GPU reads;
 * computing them needs no CUDA */
#ifndef DBFS_CUDA_PLAN_H
#define DBFS_CUDA_PLAN_H

#include "traverse/engine/residence.h"

#include "formats/graph/shard.h"

#include <stdint.h>

enum gpu_array_id {
    /* the sections of csr[0]; those of csr[g] are GPU_SECTIONS * g further */
    GPU_HEADS,
    GPU_OFFSETS,
    GPU_COLUMNS,       /* if they stay packed, their words and groups (packed_row.h) */
    GPU_COLUMN_PLACES, /* the rest of the directory of columns that stay packed */
    GPU_SOURCES,
    GPU_SECTIONS,
    GPU_ALL_SECTIONS = GPU_SECTIONS * ROW_SETS - 1,
#define ARRAY(id, name, member) GPU_##id,
#include "cuda_arrays.def"
#undef ARRAY
    GPU_ARRAY_COUNT
};

enum {
    GPU_SHOWN_BYTES = 48,     /* of struct gpu_shown */
    GPU_RECEIVE_IDS = 1 << 22 /* vertices that a device takes in at a time */
};

struct gpu_array {
    const char *name; /* that of a section stands behind the name of its subgraph */
    uint64_t bytes;
    const void *source; /* the part of the file that is copied into the array; NULL: none, or the shard is not loaded */
    int hosted;         /* the array lies in memory of the host */
};

struct gpu_plan {
    enum residence resident; /* RESIDENT_RAW, too, if no columns are kept packed or in memory of the host */
    int saves, by_classes;   /* as of gpu_plan_options */
    struct gpu_array array[GPU_ARRAY_COUNT];
    uint64_t graph_bytes, working_bytes; /* device memory: of the arrays before GPU_MASKS; of the arrays from there on */
    uint64_t host_bytes;    /* memory of the host, of hosted arrays, which no other sum counts */
    uint64_t staging_bytes; /* further device memory while the shard is loaded: a piece of packed columns */
};

/* Returns the 32-bit words of a bitmap of `bits` bits, as of shard files. */
static inline uint64_t gpu_mask_words(uint64_t bits)
{
    return 2 * mask_words(bits);
}

/* Returns the bytes that an array takes in its allocation. There are two allocations, in device memory and in memory of the
 * host, and in them each array begins at a multiple of 256 bytes. The sums of a plan count the gaps. */
static inline uint64_t gpu_aligned(uint64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Returns the bytes of the tables of answers: a cursor for each shard, a count and a flag (cuda_device.h), 8 bytes each. */
static inline uint64_t gpu_answer_table_bytes(uint32_t p)
{
    return 8 * ((uint64_t)p + 2);
}

/* The tasks of the device, and where columns lie. */
struct gpu_plan_options {
    int parents;  /* searches record parents */
    int answers;  /* the device makes answers */
    int permuted; /* ids are permuted */
    int notes;    /* levels are noted, in fused and sliced searches */
    enum residence resident; /* not RESIDENT_AUTO */
    unsigned hosted; /* with RESIDENT_HOST: the subgraphs g whose columns lie in memory of the host, bits 1 << g */
    int saves;       /* memory before speed: searches are stepped, and a single GPU scatters answers */
    int by_classes;  /* searches are not sliced, however small the graph is */
};

#define GPU_ALL_HOSTED ((1u << ROW_SETS) - 1)

/* Computes the sizes of all arrays of a shard. The sources of arrays point into the shard; they are NULL if it is not
 * loaded. */
void gpu_plan_make(struct gpu_plan *plan, const struct shard *shard, const struct gpu_plan_options *options);

/* Returns the bytes of device memory that are taken until the device is closed. */
static inline uint64_t gpu_plan_bytes(const struct gpu_plan *plan)
{
    return plan->graph_bytes + plan->working_bytes;
}

/* Returns the bytes of device memory that are taken while the shard is loaded. */
static inline uint64_t gpu_loading_bytes(const struct gpu_plan *plan)
{
    return gpu_plan_bytes(plan) + plan->staging_bytes;
}

/* Whether the device scatters its answer by input id, over the arrays from GPU_SPARSE_D on (put_answers in cuda_plan.c). */
static inline int gpu_scatters_answers(const struct gpu_plan *plan, const struct shard *shard)
{
    return plan->saves && shard->p == 1;
}

/* Whether the plan has the arrays of a fused search. */
static inline int gpu_searches_fused(const struct gpu_plan *plan)
{
    return !plan->saves;
}

/* Whether searches are sliced (cuda_sliced.h): there is one shard, small enough, with raw columns, and memory to spare. */
int gpu_searches_by_slices(const struct gpu_plan *plan, const struct shard *shard);

/* Whether no vertex has more than SLICED_ALIKE_LONGEST times the mean number of edges. */
int gpu_degrees_alike(const struct shard *shard);

/* Returns the largest degree. Vertices of a kind are in the order of their degrees, so it is that of the first delegate or
 * normal. */
uint64_t gpu_longest_row(const struct shard *shard);

/* Estimates how many shards the graph should have, at least as many as now, so that each fits into `capacity` bytes of
 * device memory. Each is taken for a part of this shard with all delegates. Returns 0 if no number of shards would do, as
 * delegates alone take more. */
uint32_t gpu_plan_shards(const struct shard *shard, const struct gpu_plan_options *options, uint64_t capacity);

/* Whether the columns of g stay packed on the device. *packed becomes where they are in the file. */
int gpu_keeps_columns(const struct shard *shard, enum subgraph g, enum residence resident, struct packed *packed);

/* Returns the packed columns of g that the device decodes when it loads them; NULL: there are none. */
const struct section *gpu_decoded_columns(const struct gpu_plan *plan, const struct shard *shard, enum subgraph g);

#endif
