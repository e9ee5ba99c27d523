/* cuda_traits.h: what a GPU says of itself, and what follows from it: rates of steps, and bounds of sliced searches
 *
 * All rates were measured on an H200. For another GPU they are scaled by its clock, multiprocessors and memory bandwidth, and
 * bounds by its shared memory. For an H200 all scales are 1, so rates and bounds are exactly the measured ones. Needs no CUDA. */
#ifndef DBFS_CUDA_TRAITS_H
#define DBFS_CUDA_TRAITS_H

#include "traverse/engine/cost.h"

#include <stdint.h>
#include <stdio.h>

/* What a GPU says of itself (gpu_ask_traits in cuda_choose.h). A member that the driver does not tell is 0, and then counts as
 * that of an H200. */
struct gpu_traits {
    const char *name;
    int capability;        /* compute capability: 10 * major + minor */
    int processors;        /* multiprocessors */
    double clock_hz;       /* of the multiprocessors, at most */
    double bytes_s;        /* memory bandwidth */
    uint64_t cache_bytes;  /* of the L2 cache */
    uint64_t shared_bytes; /* shared memory that a block may have at most */
};

/* The known GPUs: the rows GPU of formats/rates.def. */
enum gpu_known {
#define GPU(name, capability, processors, clock_hz, bytes_s, cache_bytes, shared_bytes, threads, memory_bytes) GPU_LIKE_##name,
#include "formats/rates.def"
    GPU_KNOWN
};
extern const struct gpu_traits gpu_traits_known[GPU_KNOWN];

/* Returns the rates of the GPU for a graph of `graph_bytes` bytes. If the graph is larger than the L2 cache, no step takes less
 * than its bytes take by the memory bandwidth. */
struct cost_rates gpu_rates(const struct gpu_traits *traits, uint64_t graph_bytes);

/* The bounds of sliced searches on a GPU; see formats/limits.h, which has those of an H200. */
struct sliced_bounds {
    uint64_t near_vertices; /* SLICED_NEAR_VERTICES, or as many visited bits as the shared memory of a block holds */
    uint64_t most_vertices; /* SLICED_MOST_VERTICES, and less in proportion to near_vertices */
    uint64_t all_edges;     /* SLICED_ALL_EDGES, and less on a GPU that takes longer for its work */
    float word_price;       /* WORD_PRICE of rates.def, for a bitmap that every block reads while slices are shared by all blocks */
};

/* Returns the bounds of the GPU. */
struct sliced_bounds gpu_sliced_bounds(const struct gpu_traits *traits);

/* Prints a line without a line end: the GPU, what it says of itself, and how rates are scaled. */
void gpu_traits_print(FILE *out, const struct gpu_traits *traits);

#endif
