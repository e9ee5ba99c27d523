/* cuda_fused_kernel.cuh: a whole search, of one GPU or of several that read each other's memory; see cuda_fused.h,
 * cuda_peers.h and the twin, loop.c
 *
 * All blocks have the same struct fused_progress and choose by it, so they agree without a message.
 * A level goes one of three ways:
 *   few     the frontier is small: the team, or of several GPUs the first block of each, goes from level to level by
 *           itself, and the others wait at the barrier
 *   listed  all blocks expand the list; a vertex that they reach is visited at once and joins the other list
 *   masks   pulls and pushes fill `next`, and a previsit makes it the frontier
 */
#ifndef DBFS_CUDA_WHOLE_KERNEL_CUH
#define DBFS_CUDA_WHOLE_KERNEL_CUH

#include "cuda_peers_start.cuh"
#include "cuda_fused_levels.cuh"
#include "cuda_fused_thread_group.cuh"

/* The search of a device that is alone; see cuda_searching.cuh. */
template <bool NOTED, bool PACKED> struct single_searching : searching<NOTED, PACKED, false> {
    typedef gpu_fused parameters;
    uint32_t one_vertices[3][FUSED_BLOCK_CAPACITY]; /* of one block of the team, taken in turn */
};

/* ---- start ---- */

/* Copies the search to shared memory. By all threads. */
template <class S> __device__ static inline void copy_search(S &s, const gpu_fused &parameters)
{
    copy_words((gpu_fused *)&s, &parameters);
}

template <class S> __device__ static inline void copy_search(S &s, const gpu_fused_peers &parameters)
{
    copy_words(&s.joint, &parameters);
    copy_words((gpu_fused *)&s, &parameters.fused);
}

/* Clears masks and counters, except the root's bit. */
template <class S> __device__ static void clear(S &s)
{
    const bool has_root = !S::together || s.root.index != NO_ROOT_HERE;
    uint32_t *root = has_root ? &s.of[s.root.kind].visited[s.root.index / 32] : NULL;
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < s.cleared.words; i += threads)
        s.cleared.all[i] = &s.cleared.all[i] == root ? 1u << (s.root.index % 32) : 0;
    for (unsigned turn = 0; turn < 3; turn++)
        clear_counts(s, turn);
    if constexpr (S::together)
        clear_for_peers(s);
}

/* Starts with the root: the team of one GPU begins with it; the first level of several finds it. */
template <class S> __device__ static void start(S &s)
{
    if constexpr (S::together) {
        begin_meetings(s);
        begin_search(s, -1);
        clear(s);
        barrier(s);
        put_root(s);
        peers_barrier(s);
        end_level(s, true);
    } else {
        begin_search(s, 0);
        if (threadIdx.x == 0) {
            s.block.now.fresh = 1;
            s.block.thread_group_edges = s.thread_group * blockDim.x;
        }
        clear(s);
        barrier(s);
        leave_to_thread_group(s, true);
    }
}

/* ---- small levels ---- */

/* Whether a few blocks take the frontier: the team of one GPU, or the first block of each of several. */
template <class S> __device__ static bool is_for_few(S &s)
{
    if constexpr (S::together)
        return !s.block.choice.masks && is_for_first_block(s, 1);
    else
        return is_small_level(s);
}

template <class S> __device__ static void leave_to_few(S &s)
{
    if constexpr (S::together)
        leave_to_first_block(s);
    else
        leave_to_thread_group(s, false);
}

/* ---- the search ---- */

template <class S> __device__ static void run_level(S &s)
{
    note_begin(s.notes, s.block.now.depth);
    choose_level(s);
    if (!s.block.now.listed && !s.block.choice.masks) {
        if constexpr (S::together)
            run_list_apart(s);
        else
            run_list(s);
        choose_level(s);
    }
    note_time(s.notes, s.block.now.depth, FUSED_CHOSEN);
    if (is_for_few(s)) {
        leave_to_few(s);
        return;
    }
    note_kind(s.notes, s.block.now.depth, s.block.choice.masks ? LEVEL_DENSE : LEVEL_SPARSE);
    if (!s.block.choice.masks)
        run_listed(s);
    else if constexpr (S::together)
        run_masks(s);
    else
        run_masks_apart(s);
}

template <class S>
__global__ static void __launch_bounds__(1024, 1) fused_kernel(const __grid_constant__ typename S::parameters parameters)
{
    __shared__ S s;
    copy_search(s, parameters);
    __syncthreads();
    start(s);
    while (s.block.now.fresh != 0 && s.block.now.depth < s.order.deepest)
        run_level(s);
    end_notes(s.notes, s.block.now.depth);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        if constexpr (S::together)
            end_meetings(s);
        report_search(s);
    }
}

template <bool TOGETHER, bool NOTED, bool PACKED> static struct fused_program program()
{
    if constexpr (TOGETHER) {
        typedef peers_searching<NOTED, PACKED> group;
        return fused_program{(const void *)fused_kernel<group>, sizeof(typename group::space)};
    } else {
        typedef single_searching<NOTED, PACKED> alone;
        return fused_program{(const void *)fused_kernel<alone>, sizeof(typename alone::space)};
    }
}

#endif
