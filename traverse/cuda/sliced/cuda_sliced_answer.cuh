/* cuda_sliced_answer.cuh: a search by slices writes its answer; see cuda_sliced.h
 *
 * All blocks write after the last barrier: each input id takes the value of its vertex. Its twin is
 * cuda_answers.cu, which makes the other answer of a search, and the one of a root without edges.
 */
#ifndef DBFS_CUDA_SLICED_ANSWER_CUH
#define DBFS_CUDA_SLICED_ANSWER_CUH

#include "cuda_sliced_block.cuh"

/* Masks of all visited vertices. Each block has them in its shared memory; or, `shown`, the first
 * block alone had them, and has written them to global memory. */
struct visited_masks {
    const uint32_t *normals, *delegates;
};

__device__ static inline visited_masks masks_of_all(const gpu_sliced &s, bool shown)
{
    return shown ? visited_masks{s.of[NORMALS].visited, s.of[DELEGATES].visited}
                 : visited_masks{visited_mask() + s.normals / 32, visited_mask()};
}

/* Whether vertex `at` of a kind is visited. All far marks are in place when a search is over. */
template <class B>
__device__ static inline bool is_seen(const B &block, const gpu_sliced &s, const visited_masks &visited, bool normal,
                                      uint32_t at)
{
    const uint32_t word = at / 32 + (normal ? s.normals / 32 : 0);
    const uint32_t *mask = normal ? visited.normals : visited.delegates;
    return (is_far(block, s, word) ? s.far.mask[word] : mask[at / 32]) >> (at % 32) & 1;
}

/* The input id of a parent as it was recorded; `own`: that of the child. */
__device__ static inline int32_t parent_id(const gpu_sliced &s, uint32_t record, uint32_t own)
{
    if (record == ROOT_PARENT)
        return (int32_t)own;
    const uint32_t locals = (uint32_t)s.of[NORMALS].count;
    return s.out.answer.ids[(record & KIND_BIT) != 0 ? locals + (record & ~KIND_BIT) : record];
}

/* Writes the values of AT_ONCE ids of a thread, from `first` on, so that many random reads are
 * under way. Mask and depth are read together, though a vertex may not be visited. */
template <int AT_ONCE, class B>
__device__ static inline void write_values(const B &block, const gpu_sliced &s, const visited_masks &visited,
                                           uint32_t first)
{
    const sliced_answer &answer = s.out.answer;
    const uint32_t locals = (uint32_t)s.of[NORMALS].count, vertices = locals + (uint32_t)s.of[DELEGATES].count;
    const bool parents = answer.ids != NULL;
    uint32_t number[AT_ONCE], value[AT_ONCE];
    bool seen[AT_ONCE];
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++) {
        const uint32_t id = first + j * threads_of_grid();
        number[j] = id < answer.count ? answer.vertex[id] : vertices;
    }
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++) {
        const bool normal = number[j] < locals;
        const uint32_t at = normal ? number[j] : number[j] - locals;
        const uint32_t *from = (const uint32_t *)(normal ? s.of[NORMALS].depth : s.of[DELEGATES].depth);
        if (parents)
            from = normal ? s.of[NORMALS].parent : s.of[DELEGATES].parent;
        seen[j] = number[j] < vertices && is_seen(block, s, visited, normal, at);
        value[j] = number[j] < vertices ? from[at] : 0;
    }
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++) {
        if (parents && seen[j])
            value[j] = (uint32_t)parent_id(s, value[j], first + j * threads_of_grid());
    }
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++) {
        const uint32_t id = first + j * threads_of_grid();
        if (id < answer.count)
            answer.to[id] = seen[j] ? (int32_t)value[j] : -1;
    }
}

/* Reports the answer, by the last block that has written its share. */
__device__ static inline void report_answer(const gpu_sliced &s)
{
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    fence_of_gpu();
    if (atomicAdd(&s.state->answered, 1u) != gridDim.x - 1)
        return;
    s.state->answered = 0;
    __threadfence_system();
    s.out.search.mapped->answered = (uint64_t)s.order.number << 32;
}

template <int AT_ONCE, class B>
__device__ static inline void write_answer(const B &block, const gpu_sliced &s, bool shown)
{
    const visited_masks visited = masks_of_all(s, shown);
    for (uint32_t first = thread_of_grid(); first < s.out.answer.count; first += AT_ONCE * threads_of_grid())
        write_values<AT_ONCE>(block, s, visited, first);
    report_answer(s);
}

#endif
