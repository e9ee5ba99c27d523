/* cuda_push.cuh: marks the destination of a pushed edge, or sends it to its shard */
#ifndef DBFS_CUDA_PUSH_CUH
#define DBFS_CUDA_PUSH_CUH

#include "traverse/cuda/cuda_common.cuh"

__device__ static inline bool reach(const struct gpu_target &t, uint32_t id, uint32_t row)
{
    if (test_bit(t.visited, id) || !claim_bit(t.next, id))
        return false;
    if (t.parent != NULL)
        t.parent[id] = t.tag | row;
    return true;
}

/* Visits an edge. True if it found a vertex of this device. */
template <typename Column>
__device__ static inline bool visit(const struct gpu_target &t, Column column, uint32_t row)
{
    if (!t.coded)
        return reach(t, (uint32_t)column, row);
    uint64_t shard = (uint64_t)column >> t.local_bits;
    if (shard == t.own_shard)
        return reach(t, (uint32_t)(column & (((uint64_t)1 << t.local_bits) - 1)), row);
    if (t.out_mask != NULL)
        claim_bit(t.out_mask, (uint32_t)column);
    else
        t.out[reserve_for_lanes(__activemask(), t.sent)] = column;
    return false;
}

/* The head columns of a row. */
template <typename Column>
__device__ static inline bool visit_heads(const struct gpu_csr &csr, const struct gpu_target &t,
                                          uint32_t row)
{
    bool found = false;
    for (uint32_t j = 0; j < csr.head_columns; j++) {
        uint32_t head = csr.heads[j * csr.rows + row];
        if (head == NO_HEAD)
            break;
        found |= visit<Column>(t, (Column)head, row);
    }
    return found;
}

/* Notes, once per block, that a vertex was found. All threads of the block call it. */
__device__ static inline void note_found(const struct gpu_target &t, bool found)
{
    if (__syncthreads_or(found) && threadIdx.x == 0)
        *t.found = 1;
}

#endif
