/* proof_kernels.h: launches the kernels that prove trees, from plain C or CUDA
 *
 * proof_loops.c and proof_cpu.c do the same work on a CPU. All pointers to arrays are device memory, or memory that the
 * device can read. `first` is device memory, too. The functions do not wait for the kernels. */
#ifndef DBFS_PROOF_KERNELS_H
#define DBFS_PROOF_KERNELS_H

#include "traverse/cuda/device/cuda_kernels.h"
#include "traverse/programs/graph500/proof_loops.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first offence found so far, in device memory. `key` and `other` are enough to compare an offence with it, in the
 * order of offence_comes_before. A thread takes the lock only to replace it by an earlier offence. */
struct gpu_first {
    /* 1 while a thread writes the other members */
    unsigned int lock;
    unsigned long long key; /* vertex << 4 | kind of the offence; the maximum if there is no offence */
    /* the other end of the edge, or the claimed parent; INT64_MAX if there is no offence, and while a thread writes *first */
    long long other;
    struct offence offence;
};

/* Returns the state before any offence is found: every offence comes before it. */
struct gpu_first gpu_no_offence(void);

/* For each i below `count`, sets end[i] to the input id ids[i] and the depth depth[i]. An id has id_bytes bytes. */
void cuda_write_ends(const void *ids, uint32_t id_bytes, const int32_t *depth, uint64_t count, struct vertex_end *end,
                     cudaStream_t stream);

/* Sets bit value_index[i] of a bitmap, for each i below `count`. Skips each i with a value_index[i] of VALUE_ELSEWHERE. */
void cuda_mark(const uint32_t *value_index, uint64_t count, uint32_t *bitmap, cudaStream_t stream);

/* Sets to[i] to the element values[value_index[i]], which has id_bytes bytes, for each i below `count`. If value_index[i] is
 * VALUE_ELSEWHERE, to[i] becomes CLAIM_ELSEWHERE. */
void cuda_gather_claims(const void *values, uint32_t id_bytes, const uint32_t *value_index, uint64_t count, int64_t *to,
                        cudaStream_t stream);

/* Sets to[i] to end[number[i]], for each i below `count`. */
void cuda_gather_ends(const struct vertex_end *end, const uint32_t *number, uint64_t count, struct vertex_end *to,
                      cudaStream_t stream);

/* ---- checks: cuda_check_... launches a kernel that does what proof_check_... of proof_loops.h does ----
 *
 * The pointers to structs are memory of the host, except `first`. *first becomes the earliest of *first and the offences
 * found. */

/* The rows of a subgraph in device memory. The members mean the same as in struct proved_rows. */
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
