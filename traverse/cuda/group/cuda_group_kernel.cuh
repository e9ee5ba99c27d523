/* cuda_group_kernel.cuh: the search of several GPUs of a host, as one kernel on each; see cuda_group.h and
 * its twin, bfs.c */
#ifndef DBFS_CUDA_GROUP_KERNEL_CUH
#define DBFS_CUDA_GROUP_KERNEL_CUH

#define SEARCHES_TOGETHER 1
#include "cuda_group_list.cuh"
#include "cuda_group_masks.cuh"

/* ---- start ---- */

/* The root is what the first level finds: by its owner, and if it is a delegate by all. */
__device__ static void put_root()
{
    if (blockIdx.x != 0 || threadIdx.x >= WARP)
        return;
    const gpu_vertices &v = search.of[search.root_kind];
    const bool has = lane_id() == 0 && search.root != GROUP_NO_ROOT;
    if (has) {
        v.visited[search.root / 32] = 1u << (search.root % 32);
        v.depth[search.root] = 0;
        if (v.parent != NULL)
            v.parent[search.root] = ROOT_PARENT;
    }
    list_vertices(block.target, search.root | (search.root_kind == DELEGATES ? KIND_BIT : 0), has);
}

/* The number of the last meeting. Words of peers carry such numbers, and those of long ago must not be
 * taken for new ones. So numbers begin anew in time, and what peers have sent is cleared: they send nothing
 * before the first meeting. That meeting has its letters where those of the last one are not. By all
 * threads. Inlined, it would cost the whole kernel registers. */
__device__ static __noinline__ unsigned last_number()
{
    const unsigned last = *(volatile unsigned *)&group.state->meetings;
    if (last < GROUP_NUMBERS)
        return last;
    set_words((uint32_t *)group.arrivals, 4ull * group.peers * GROUP_LISTED_EDGES, 0);
    return last & 1;
}

/* Most searches leave both masks clear. By all threads, before any has reached the first barrier. */
__device__ static inline void clear_sent()
{
    const unsigned sent = *(volatile unsigned *)&group.state->sent;
    for (unsigned i = 0; i < 2; i++) {
        if (!group.clean || sent == i + 1)
            clear_columns(group.sent[i]);
    }
}

__device__ static void start()
{
    const unsigned last = last_number();
    if (threadIdx.x == 0) {
        block = block_state{};
        block.arrivals = *(volatile unsigned *)&search.state->arrivals;
        block.now.depth = -1;
        set_target();
        meeting = group_block{};
        telling = group_telling{};
        meeting.meetings = last;
    }
    begin_notes(search.out);
    for (unsigned i = lane_id(); i < COUNTERS; i += WARP)
        own_space().count[i] = 0;
    set_words(search.masks, search.mask_words, 0);
    set_words(group.found[1], search.of[DELEGATES].words, 0);
    clear_sent();
    clear_columns(group.gathered);
    if (search.of[DELEGATES].parent != NULL) /* PARENT_NONE: those that find a delegate know its parent */
        set_words(search.of[DELEGATES].parent, search.of[DELEGATES].count, ~0u);
    for (unsigned turn = 0; turn < 3; turn++) {
        clear_counts(turn);
        clear_tallies(turn);
    }
    barrier();
    put_root();
    count_block();
    meet(GROUP_FOUND_NOW, true);
    end_level(true);
}

/* ---- the search ---- */

__device__ static void run_level()
{
    note_begin(block.now.depth);
    choose_level();
    if (meeting.by_lists && !block.now.listed) {
        list_frontier();
        choose_level();
    }
    note_time(block.now.depth, SOLO_CHOSEN);
    if (meeting.by_lists && is_for_one(1)) {
        leave_to_one();
        return;
    }
    note_way(block.now.depth, meeting.by_lists ? SOLO_BY_LIST : SOLO_BY_MASKS);
    if (meeting.by_lists)
        run_listed();
    else
        run_masks();
}

__global__ static void __launch_bounds__(1024, 1)
    group_kernel(const __grid_constant__ gpu_group parameters)
{
    for (unsigned i = threadIdx.x; i < sizeof group / sizeof(unsigned); i += blockDim.x)
        ((unsigned *)&group)[i] = ((const unsigned *)&parameters)[i];
    for (unsigned i = threadIdx.x; i < sizeof search / sizeof(unsigned); i += blockDim.x)
        ((unsigned *)&search)[i] = ((const unsigned *)&parameters.solo)[i];
    __syncthreads();
    start();
    while (block.now.fresh != 0)
        run_level();
    end_notes(block.now.depth);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        search.state->arrivals = block.arrivals;
        search.state->kept = min(block.kept, search.keeps);
        group.state->meetings = meeting.meetings;
        group.state->sent = meeting.sent_before ? 1 + (meeting.buffer ^ 1) : 0;
        __threadfence_system();
        search.out.mail->report = (uint64_t)search.number << 32 | (uint32_t)block.now.depth;
    }
}

static struct solo_program program()
{
    return solo_program{(const void *)group_kernel, sizeof(warp_space)};
}

#endif
