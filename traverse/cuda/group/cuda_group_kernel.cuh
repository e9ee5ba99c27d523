/* cuda_group_kernel.cuh: the search of several GPUs of a host, as one kernel on each; see cuda_group.h and
 * its twin, bfs.c */
#ifndef DBFS_CUDA_GROUP_KERNEL_CUH
#define DBFS_CUDA_GROUP_KERNEL_CUH

#include "cuda_group_list.cuh"
#include "cuda_group_masks.cuh"

/* ---- start ---- */

/* The root is what the first level finds: by its owner, and if it is a delegate by all. */
template <class S> __device__ static void put_root(S &s)
{
    if (blockIdx.x != 0 || threadIdx.x >= WARP)
        return;
    const gpu_vertices &v = s.of[s.root_kind];
    const bool has = lane_id() == 0 && s.root != GROUP_NO_ROOT;
    if (has) {
        v.visited[s.root / 32] = 1u << (s.root % 32);
        v.depth[s.root] = 0;
        if (v.parent != NULL)
            v.parent[s.root] = ROOT_PARENT;
    }
    list_vertices(s, s.root | (s.root_kind == DELEGATES ? KIND_BIT : 0), has);
}

/* The number of the last meeting. Words of peers carry such numbers, and those of long ago must not be
 * taken for new ones. So numbers begin anew in time, and what peers have sent is cleared: they send nothing
 * before the first meeting. That meeting has its letters where those of the last one are not. By all
 * threads. Inlined, it would cost the whole kernel registers. */
template <class S> __device__ static __noinline__ unsigned last_number(S &s)
{
    const unsigned last = *(volatile unsigned *)&s.group.state->meetings;
    if (last < GROUP_NUMBERS)
        return last;
    set_words((uint32_t *)s.group.arrivals, 4ull * s.group.peers * GROUP_LISTED_EDGES, 0);
    return last & 1;
}

/* Most searches leave both masks clear. By all threads, before any has reached the first barrier. */
template <class S> __device__ static inline void clear_sent(S &s)
{
    const unsigned sent = *(volatile unsigned *)&s.group.state->sent;
    for (unsigned i = 0; i < 2; i++) {
        if (!s.group.clean || sent == i + 1)
            clear_columns(s, s.group.sent[i]);
    }
}

template <class S> __device__ static void start(S &s)
{
    const unsigned last = last_number(s);
    begin_search(s, -1);
    if (threadIdx.x == 0) {
        s.meeting = group_block{};
        s.telling = group_telling{};
        s.meeting.meetings = last;
    }
    set_words(s.masks, s.mask_words, 0);
    set_words(s.group.found[1], s.of[DELEGATES].words, 0);
    clear_sent(s);
    clear_columns(s, s.group.gathered);
    if (s.of[DELEGATES].parent != NULL) /* PARENT_NONE: those that find a delegate know its parent */
        set_words(s.of[DELEGATES].parent, s.of[DELEGATES].count, ~0u);
    for (unsigned turn = 0; turn < 3; turn++) {
        clear_counts(s, turn);
        clear_tallies(s, turn);
    }
    barrier(s);
    put_root(s);
    count_block(s);
    meet(s, GROUP_FOUND_NOW, true);
    end_level(s, true);
}

/* ---- the search ---- */

template <class S> __device__ static void run_level(S &s)
{
    note_begin(s.notes, s.block.now.depth);
    choose_level(s);
    if (s.meeting.by_lists && !s.block.now.listed) {
        list_frontier(s);
        choose_level(s);
    }
    note_time(s.notes, s.block.now.depth, SOLO_CHOSEN);
    if (s.meeting.by_lists && is_for_one(s, 1)) {
        leave_to_one(s);
        return;
    }
    note_way(s.notes, s.block.now.depth, s.meeting.by_lists ? SOLO_BY_LIST : SOLO_BY_MASKS);
    if (s.meeting.by_lists)
        run_listed(s);
    else
        run_masks(s);
}

template <class S>
__global__ static void __launch_bounds__(1024, 1) group_kernel(const __grid_constant__ gpu_group parameters)
{
    __shared__ S s;
    copy_words(&s.group, &parameters);
    copy_words((gpu_solo *)&s, &parameters.solo);
    __syncthreads();
    start(s);
    while (s.block.now.fresh != 0)
        run_level(s);
    end_notes(s.notes, s.block.now.depth);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        s.group.state->meetings = s.meeting.meetings;
        s.group.state->sent = s.meeting.sent_before ? 1 + (s.meeting.buffer ^ 1) : 0;
        report_search(s);
    }
}

template <bool NOTED, bool PACKED> static struct solo_program program()
{
    typedef group_searching<NOTED, PACKED> S;
    return solo_program{(const void *)group_kernel<S>, sizeof(typename S::space)};
}

#endif
