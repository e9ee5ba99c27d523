/* proof_kernels.h: the launches of the kernels that prove trees, in plain C.
 *
 * Twins are in proof_loops.c and proof_cpu.c. All pointers are device memory, or memory that the device can read. Launches
 * do not wait. */
#ifndef DBFS_PROOF_KERNELS_H
#define DBFS_PROOF_KERNELS_H

#include "traverse/cuda/device/cuda_kernels.h"
#include "traverse/programs/graph500/proof_loops.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first offence found so far. A thread compares an offence by `key` and `other` alone, in the order of
 * offence_comes_before, and takes the lock only to write an earlier offence. */
struct gpu_first {
    unsigned int lock;
    unsigned long long key; /* vertex and kind as one number */
    long long other;
    struct offence offence;
};

/* Returns the state before any offence is found: every offence comes before it. */
struct gpu_first gpu_no_offence(void);

/* Writes end[i] = the id, of id_bytes, and the depth of vertex i, for `count` vertices. */
void cuda_write_ends(const void *ids, uint32_t id_bytes, const int32_t *depth, uint64_t count, struct vertex_end *end,
                     cudaStream_t stream);

/* Sets the bits value[0] to value[count - 1] of a bitmap, but for VALUE_ELSEWHERE. */
void cuda_mark(const uint32_t *value, uint64_t count, uint32_t *bitmap, cudaStream_t stream);

/* Writes to[i] = value number value[i], of id_bytes, for i below `count`; CLAIM_ELSEWHERE for VALUE_ELSEWHERE. */
void cuda_gather_claims(const void *values, uint32_t id_bytes, const uint32_t *value, uint64_t count, int64_t *to,
                        cudaStream_t stream);

/* Writes to[i] = end[number[i]], for i below `count`. */
void cuda_gather_ends(const struct vertex_end *end, const uint32_t *number, uint64_t count, struct vertex_end *to,
                      cudaStream_t stream);

/* ---- checks: each does what its twin in proof_loops.h does, and keeps the first offence in *first ---- */

/* struct proved_rows of a device. */
struct gpu_proved_rows {
    struct gpu_csr csr;
    struct proved_vertices rows;
    const struct vertex_end *columns;
    unsigned local_bits;
    uint32_t own_shard;
};

void cuda_check_vertices(const struct proved_vertices *vertices, int64_t root, struct gpu_first *first,
                         cudaStream_t stream);
void cuda_check_isolated(const struct proved_values *values, int64_t root, struct gpu_first *first, cudaStream_t stream);
void cuda_check_rows(const struct gpu_proved_rows *rows, struct gpu_first *first, cudaStream_t stream);
void cuda_check_edges(const struct proved_vertices *vertices, const uint32_t *asker, const struct vertex_end *other,
                      uint64_t count, struct gpu_first *first, cudaStream_t stream);
void cuda_check_parents(const struct proved_vertices *vertices, int64_t root, struct gpu_first *first,
                        cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
