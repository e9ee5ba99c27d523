/* cuda_sliced_answer.cuh: the kernel of a sliced search writes its answer, the depth or the parent of each input id; see
 * cuda_sliced.h
 *
 * Each block writes a share of the answer after the last barrier of the search. The kernels of cuda_answers.cu write all
 * other answers: parents after a search that wrote depths, depths after one that wrote parents, and answers for a root
 * without edges.
 */
#ifndef DBFS_CUDA_SLICED_ANSWER_CUH
#define DBFS_CUDA_SLICED_ANSWER_CUH

#include "cuda_sliced_block.cuh"

/* Writes AT_ONCE values of the answer by one thread: for id `first`, and for every T-th id after it, where T is the
 * number of threads of all blocks. The value is -1 for a vertex that was not reached. Each step is done for all AT_ONCE
 * ids before the next step, so that many random reads overlap. For the same reason a value is read before it is known
 * that its vertex was reached. */
template <int AT_ONCE, class B>
__device__ static inline void write_values(const B &block, const gpu_sliced &s, uint32_t first)
{
    const sliced_answer &answer = s.answer;
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
        const uint32_t at = normal ? number[j] : number[j] - locals, word = at / 32 + (normal ? s.first_normal / 32 : 0);
        const uint32_t *from = (const uint32_t *)(normal ? s.of[NORMALS].depth : s.of[DELEGATES].depth);
        if (parents)
            from = normal ? s.of[NORMALS].parent : s.of[DELEGATES].parent;
        seen[j] = number[j] < vertices && (visited_word(block, s, word) >> (at % 32) & 1);
        value[j] = number[j] < vertices ? from[at] : 0;
    }
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++) {
        if (!parents || !seen[j])
            continue;
        if (value[j] == ROOT_PARENT)
            value[j] = first + j * threads_of_grid();
        else
            value[j] = (uint32_t)answer.ids[(value[j] & KIND_BIT) != 0 ? locals + (value[j] & ~KIND_BIT) : value[j]];
    }
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++) {
        const uint32_t id = first + j * threads_of_grid();
        if (id < answer.count)
            answer.to[id] = seen[j] ? (int32_t)value[j] : -1;
    }
}

/* Writes this block's share of the answer. The last block to finish reports to the host that the answer is complete. All threads of
 * all blocks call it, when each block knows all visited bits. */
template <int AT_ONCE, class B>
__device__ static inline void write_answer(const B &block, const gpu_sliced &s)
{
    for (uint32_t first = thread_of_grid(); first < s.answer.count; first += AT_ONCE * threads_of_grid())
        write_values<AT_ONCE>(block, s, first);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    fence_of_gpu();
    if (atomicAdd(&s.state->answered, 1u) != gridDim.x - 1)
        return;
    s.state->answered = 0;
    __threadfence_system();
    s.out.mapped->answered = (uint64_t)s.order.number << 32;
}

#endif
