/* cuda_plan.h: the plan of the memory of one shard, which has the sizes of all its arrays. Arrays lie in memory of the
 * GPU, or in memory of the host that the GPU reads. Making a plan needs no CUDA. */
#ifndef DBFS_CUDA_PLAN_H
#define DBFS_CUDA_PLAN_H

#include "cuda_traits.h"

#include "traverse/engine/answer_ids.h"
#include "traverse/engine/residence.h"

#include "formats/graph/shard.h"

#include <stdint.h>

/* The arrays of a plan: first the sections of the graph, then the arrays of cuda_arrays.def. */
enum gpu_array_id {
    /* The sections of csr[0]. Section i of csr[g] has the id GPU_SECTIONS * g + i */
    GPU_HEADS,
    GPU_OFFSETS,
    /* the columns or, if they stay packed, words of blocks and where groups of blocks begin (packed_row.h) */
    GPU_COLUMNS,
    GPU_COPIES, /* gpu_copied.begin, and behind it the copied columns */
    /* only if the columns stay packed: the directory by which a search finds a block (struct packed_place) */
    GPU_COLUMN_PLACES,
    GPU_SOURCES,
    GPU_SECTIONS,
    GPU_ALL_SECTIONS = GPU_SECTIONS * ROW_SETS - 1,
#define ARRAY(id, name, member) GPU_##id,
#include "cuda_arrays.def"
#undef ARRAY
    GPU_ARRAY_COUNT
};

enum {
    COPIED_COLUMNS = 14,      /* the largest number of copied columns (struct gpu_copied) */
    GPU_SHOWN_BYTES = 56,     /* the bytes of struct gpu_shown */
    GPU_LIST_BLOCKS_BYTES = 4 * ANSWER_WINDOW / LIST_BLOCK, /* the bytes of the blocks of a list (struct value_list) */
    /* the largest number of ids that a device copies at a time from a peer whose memory kernels cannot read */
    GPU_RECEIVE_IDS = 1 << 22
};

/* An array of the plan. */
struct gpu_array {
    const char *name; /* the name in memory plans (--plan), which for a section follows the name of its subgraph */
    uint64_t bytes;
    /* where the file has the bytes of the array; NULL: nothing is copied, or the shard is not loaded */
    const void *source;
    int hosted;         /* 1: the array lies in memory of the host; 0: in device memory */
};

/* Columns of a subgraph that are slow to read, as they are packed or lie in memory of the host, and are copied raw to device memory, so
 * that most pulls read nothing else. Copied column j is the j-th behind the head columns of all rows up to the last that has one. Rows
 * are in the order of falling degrees, so later rows are the shorter ones. */
struct gpu_copied {
    uint32_t columns;                    /* the number of copied columns; 0: none */
    uint64_t begin[COPIED_COLUMNS + 1]; /* [j]: where copied column j begins among the copies, and at the end the number of copies */
};

/* Returns the bytes of the array GPU_COPIES. */
static inline uint64_t gpu_copied_bytes(const struct gpu_copied *copied)
{
    return (copied->columns + 1) * sizeof *copied->begin + 4 * copied->begin[copied->columns];
}

/* A plan: the size of every array of a shard, and sums of these sizes. */
struct gpu_plan {
    enum residence resident; /* where columns lie; RESIDENT_RAW if none are packed or in memory of the host */
    int saves, by_subgraphs; /* the members of gpu_plan_options */
    struct gpu_copied copied[ROW_SETS];
    struct sliced_bounds bounds; /* of the GPU */
    struct gpu_array array[GPU_ARRAY_COUNT];
    uint64_t graph_bytes;   /* the bytes of the sections in device memory: the arrays before GPU_MASKS */
    uint64_t working_bytes; /* the bytes of the arrays from GPU_MASKS on in device memory */
    uint64_t host_bytes;    /* the bytes of the arrays in memory of the host, which no other sum counts */
    /* the bytes of device memory that only loading needs: for a piece of packed columns */
    uint64_t staging_bytes;
};

/* Returns the number of 32-bit words of a bitmap of `bits` bits: even, because bitmaps of shard files have 64-bit words. */
static inline uint64_t gpu_mask_words(uint64_t bits)
{
    return 2 * mask_words(bits);
}

/* Returns the bytes of an array of `bytes` bytes and of the gap behind it. Each array begins at a multiple of 256 bytes
 * of its allocation, in device memory or in memory of the host. The sums of a plan count the gaps. */
static inline uint64_t gpu_aligned(uint64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Returns the bytes of the tables of answers: a cursor for each of p shards, gpu_remote_count and gpu_bad_flag, 8 bytes
 * each. */
static inline uint64_t gpu_answer_table_bytes(uint32_t p)
{
    return 8 * ((uint64_t)p + 2);
}

/* The options of a plan: the tasks of the device, and where columns lie. */
struct gpu_plan_options {
    int parents;  /* searches record parents */
    int answers;  /* the device makes answers */
    int permuted; /* input ids are permuted */
    int notes;    /* fused and sliced searches may note their levels */
    enum residence resident; /* where columns lie; not RESIDENT_AUTO in gpu_plan_make */
    unsigned hosted; /* for RESIDENT_HOST: bit g says whether the columns of subgraph g lie in memory of the host */
    int saves;       /* the plan saves memory, not time: searches are stepped, and one GPU alone scatters answers */
    const struct gpu_copied *copied; /* [ROW_SETS]: what is copied of rows that are slow to read, by gpu_find_copied; NULL: nothing */
    int by_subgraphs; /* searches are never sliced, even if the graph is small */
    const struct gpu_traits *gpu; /* the GPU */
};

/* The value of gpu_plan_options.hosted for all subgraphs. */
#define GPU_ALL_HOSTED ((1u << ROW_SETS) - 1)

/* Sets copied[g] of each subgraph: what is copied if its rows are slow to read. The copies take at most an eighth of the bytes of the raw
 * columns. Nothing is copied of rows that no pull reads. Goes over the offsets of most rows. */
void gpu_find_copied(const struct shard *shard, struct gpu_copied copied[ROW_SETS]);

/* Fills *plan with the sizes of all arrays under these options, and for a loaded shard with where each array is copied from. */
void gpu_plan_make(struct gpu_plan *plan, const struct shard *shard, const struct gpu_plan_options *options);

/* Returns the number of bytes of device memory that a plan needs until the device is closed. */
static inline uint64_t gpu_plan_bytes(const struct gpu_plan *plan)
{
    return plan->graph_bytes + plan->working_bytes;
}

/* Returns the bytes of device memory that a plan needs while the shard is loaded, including staging memory. */
static inline uint64_t gpu_loading_bytes(const struct gpu_plan *plan)
{
    return gpu_plan_bytes(plan) + plan->staging_bytes;
}

/* Returns whether the device scatters its answers: writes each value directly at its input id. The answer overwrites arrays
 * that are free after a search, from GPU_SPARSE_D on (plan_answers in cuda_plan.c). */
static inline int gpu_scatters_answers(const struct gpu_plan *plan, const struct shard *shard)
{
    return plan->saves && shard->p == 1;
}

/* Returns whether the plan has the arrays of a fused search. */
static inline int gpu_searches_fused(const struct gpu_plan *plan)
{
    return !plan->saves;
}

/* Returns whether searches are sliced (cuda_sliced.h). There must be one shard that is small enough. The options saves and
 * by_subgraphs must be 0. */
int gpu_searches_by_slices(const struct gpu_plan *plan, const struct shard *shard);

/* Returns whether a sliced search of the graph has heads, copies of the first slices of all rows (cuda_sliced.h). */
int gpu_slices_have_heads(const struct gpu_plan *plan, const struct shard *shard);

/* Returns whether the degrees are alike: the largest degree is at most SLICED_ALIKE_LONGEST times the mean degree. */
int gpu_degrees_alike(const struct shard *shard);

/* Returns the number of leaves, vertices with one edge, which come last; 0 if the graph has directions. */
uint64_t gpu_leaves(const struct shard *shard);

/* Returns whether at least half of the vertices are leaves. */
int gpu_is_leafy(const struct shard *shard);

/* Returns the largest degree of the shard's vertices. */
uint64_t gpu_longest_row(const struct shard *shard);

/* Estimates how many shards the graph needs so that each fits into `capacity` bytes of device memory, at least as many as it
 * has. Each is planned as a part of this shard with all its delegates. Returns 0 if the delegates alone need more memory. */
uint32_t gpu_plan_shards(const struct shard *shard, const struct gpu_plan_options *options, uint64_t capacity);

/* Returns whether the columns of subgraph g stay packed on the device. If so, *packed describes them in the mapped file. */
int gpu_keeps_columns(const struct shard *shard, enum subgraph g, enum residence resident, struct packed *packed);

/* Returns the section of the packed columns of subgraph g if the device decodes them when it loads the shard, else NULL. */
const struct section *gpu_decoded_columns(const struct gpu_plan *plan, const struct shard *shard, enum subgraph g);

#endif
