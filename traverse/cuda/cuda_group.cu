/* cuda_group.cu: the search of several GPUs of a host, as one kernel on each; see cuda_group.h and its twin, bfs.c
 *
 * All blocks of all GPUs choose alike for nn and dd, by sums of counts, and so agree when to meet. For nd and
 * dn a GPU chooses alone: its part of nd is the reverse of its part of dn.
 */
#define SEARCHES_TOGETHER 1
#include "cuda_group_meet.cuh"
#include "cuda_solo_masks.cuh"
#include "cuda_solo_progress.cuh"

/* ---- start ---- */

__device__ static inline void clear_mask(uint32_t *mask, uint64_t words)
{
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += threads)
        mask[i] = 0;
}

/* The root is what a level found: by its owner, and if it is a delegate by all. */
__device__ static void put_root()
{
    if (blockIdx.x != 0 || threadIdx.x != 0 || search.root == GROUP_NO_ROOT)
        return;
    uint32_t *mask = search.root_kind == DELEGATES ? group.found[0] : search.of[NORMALS].next;
    mask[search.root / 32] = 1u << (search.root % 32);
}

__device__ static void start()
{
    if (threadIdx.x == 0) {
        block = block_state{};
        block.arrivals = *(volatile unsigned *)&search.state->arrivals;
        block.now.depth = -1;
        meeting = group_block{};
        meeting.meetings = *(volatile unsigned *)&group.state->meetings;
    }
    for (unsigned i = lane_id(); i < SOLO_COUNTS; i += WARP)
        own_space().count[i] = 0;
    clear_mask(search.masks, search.mask_words);
    clear_mask(group.found[1], search.of[DELEGATES].words);
    clear_mask(group.sent[0], group.column_words);
    clear_mask(group.sent[1], group.column_words);
    clear_mask(group.gathered, group.column_words);
    for (unsigned turn = 0; turn < 3; turn++)
        clear_counts(turn);
    barrier();
    put_root();
    meet(true);
    if (threadIdx.x == 0) {
        search.graph.sources[NN] = (double)meeting.sum[GROUP_NN_ROWS];
        search.graph.edges[NN] = (double)meeting.sum[GROUP_NN_EDGES];
        search.graph.sources[DD] = (double)meeting.sum[GROUP_DD_ROWS];
        search.graph.edges[DD] = (double)meeting.sum[GROUP_DD_EDGES];
    }
    __syncthreads();
}

/* ---- previsit ---- */

/* What was found becomes the frontier. */
__device__ static void frontier_span(int kind, uint32_t base, uint32_t span)
{
    const gpu_vertices &v = search.of[kind];
    const gpu_csr &one = search.csr[kind << 1], &two = search.csr[kind << 1 | 1];
    const uint32_t word = base + lane_id(), words = (uint32_t)v.words,
                   end = base + span < words ? base + span : words;
    const bool in = word < end;
    const uint64_t edges = lane_id() < 2 ? edges_between(lane_id() ? two : one, base, end) : 0;
    uint32_t next = 0;
    if (in && kind == DELEGATES) {
        next = found_delegates(word);
        group.found[meeting.buffer ^ 1][word] = 0;
    } else if (in) {
        next = v.next[word] | (meeting.sends ? found_normals(word) : 0);
        v.next[word] = 0;
    }
    const uint32_t visited = in ? v.visited[word] : 0, fresh = next & ~visited;
    if (in)
        frontier_mask(kind, block.kept + 1)[word] = fresh;
    if (!__any_sync(ALL_LANES, fresh != 0))
        return;
    if (fresh != 0)
        v.visited[word] = visited | fresh;
    const unsigned count = sum_lanes(__popc(fresh));
    if (lane_id() == 0)
        own_space().count[SOLO_FRESH] += count; /* delegates on all GPUs: the sum is for the end of the search */
    count_span(kind << 1 | 1, fresh, in && two.edges != 0 ? two.sources[word] : 0,
               __shfl_sync(ALL_LANES, edges, 1));
    count_span(kind << 1, fresh, in && one.edges != 0 ? one.sources[word] : 0,
               __shfl_sync(ALL_LANES, edges, 0));
    if (block.kept >= search.keeps)
        write_depths(v, base, fresh, block.target.depth);
}

/* What has been sent before is cleared, as all peers have read it. */
__device__ static void make_frontier()
{
    const uint32_t warp = warp_of_grid(), warps = warps_of_grid();
    const uint32_t normals = (uint32_t)search.of[NORMALS].words,
                   delegates = (uint32_t)search.of[DELEGATES].words,
                   span = span_of((uint64_t)normals + delegates, warps, WARP),
                   first = (normals + span - 1) / span, count = first + (delegates + span - 1) / span;
    for (uint32_t i = warp; i < count; i += warps)
        frontier_span(i < first ? NORMALS : DELEGATES, (i < first ? i : i - first) * span, span);
    if (meeting.sent_before)
        clear_mask(group.sent[meeting.buffer ^ 1], group.column_words);
}

/* The counts of nn and dd are those of all GPUs. */
__device__ static void note_counts()
{
    const unsigned g = lane_id() < SUBGRAPHS ? lane_id() : 0;
    unsigned long long sources = block.count[SOLO_SOURCES + g], forward = block.count[SOLO_FORWARD + g];
    if (g == NN || g == DD) {
        sources = meeting.sum[g == NN ? GROUP_NN_ROWS : GROUP_DD_ROWS];
        forward = meeting.sum[g == NN ? GROUP_NN_EDGES : GROUP_DD_EDGES];
    }
    note_frontier(sources, forward, meeting.sum[GROUP_FRESH], false);
}

/* The level writes the other buffer, which its peers do not read now. By one thread. */
__device__ static void turn_buffers()
{
    meeting.sent_before = meeting.sends;
    meeting.sends = false;
    meeting.buffer ^= 1;
    search.of[DELEGATES].next = group.found[meeting.buffer];
    search.of[SOLO_COLUMNS].next = group.sent[meeting.buffer];
    block.now.turn = (block.now.turn + 1) % 3;
    block.target.depth = block.now.depth + 1;
}

/* The vertices at a distance of one more: counts of all GPUs, and the state of the next level. */
__device__ static void previsit_and_meet()
{
    if (threadIdx.x == 0)
        block.target.depth = block.now.depth + 1;
    __syncthreads();
    make_frontier();
    add_counts();
    meet(false);
    if (threadIdx.x == 0 && block.kept < search.keeps && blockIdx.x == 0)
        search.state->kept_depth[block.kept] = block.target.depth;
    read_turn();
    if (threadIdx.x < WARP) {
        if (lane_id() == 0) {
            block.kept++;
            block.now.depth++;
        }
        __syncwarp();
        note_counts();
        __syncwarp();
        if (lane_id() == 0)
            turn_buffers();
    }
    __syncthreads();
}

/* ---- visits ---- */

/* By one warp: directions, and what pushes and pulls rest on. */
__device__ static void choose_directions()
{
    const unsigned g = lane_id();
    if (g < SUBGRAPHS)
        solo_weigh(&search.graph, &block.now, search.mode, (int)g, &block.choice);
    __syncwarp();
    if (g == 0) {
        const double ahead = (double)(search.of[NORMALS].count + search.of[DELEGATES].count);
        block.choice.masks = 1;
        block.probes = 2 * block.choice.push_edges > ahead;
        meeting.sends = block.now.frontier[NN] > 0 && !block.choice.pull[NN];
        meeting.in_parts = block.choice.pull[DD] &&
                           search.graph.sources[DD] - block.now.seen[DD] > GROUP_PART_ROWS;
        search.csr[DD].wanted = meeting.in_parts ? group.dd_own : search.csr[DD].sources;
    }
    __syncwarp();
    lay_out_pulls(warps_of_grid());
}

/* The rows of dd whose owners are other GPUs, except those that any GPU has found. */
__device__ static void pull_others(const cut_list &cut)
{
    const pulling q = start_pulling(DD);
    const uint32_t words = (uint32_t)search.of[DELEGATES].words, warps = warps_of_grid(),
                   span = span_of(words, SPANS_A_WARP * warps, WARP);
    for (uint32_t base = warp_of_grid() * span; base < words; base += warps * span) {
        const uint32_t word = base + lane_id();
        uint32_t todo = 0;
        if (lane_id() < span && word < words)
            todo = group.dd_others[word] & ~q.visited[word];
        if (todo != 0)
            todo &= ~found_delegates(word);
        pull_words(q, base, todo, cut);
    }
}

/* The pieces of long rows, and then all is visited. Few levels have any. */
__device__ static void finish_pieces(const cut_list &cut)
{
    barrier();
    const unsigned pieces = *(volatile unsigned *)cut.count;
    if (pieces > 0)
        finish_cut(block.target, cut.pieces, pieces, warp_of_grid(), warps_of_grid());
}

/* The pieces of the first part are finished; those of the second one are counted from zero. */
__device__ static void restart_cut(const cut_list &cut)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *cut.count = 0;
}

__device__ static void push_all(const cut_list &cut)
{
    for (int g = SUBGRAPHS - 1; g >= 0; g--) {
        if (block.now.frontier[g] > 0 && !block.choice.pull[g])
            push_words(block.target, g, warp_of_grid(), warps_of_grid(), cut);
    }
}

__device__ static void visit_and_meet()
{
    const cut_list cut = {search.list[0], &search.state->counts[block.now.turn].cut};
    clear_turn();
    if (block.choice.pull[NN]) {
        gather_visited();
        barrier();
    }
    pull_all(warp_of_grid(), warps_of_grid(), cut);
    push_all(cut);
    finish_pieces(cut);
    meet(false);
    if (!meeting.in_parts || meeting.failed)
        return;
    restart_cut(cut);
    barrier();
    pull_others(cut);
    finish_pieces(cut);
    meet(false);
}

/* ---- the search ---- */

__global__ static void __launch_bounds__(1024, 1)
    group_kernel(const __grid_constant__ gpu_group parameters)
{
    for (unsigned i = threadIdx.x; i < sizeof group / sizeof(unsigned); i += blockDim.x)
        ((unsigned *)&group)[i] = ((const unsigned *)&parameters)[i];
    for (unsigned i = threadIdx.x; i < sizeof search / sizeof(unsigned); i += blockDim.x)
        ((unsigned *)&search)[i] = ((const unsigned *)&parameters.solo)[i];
    __syncthreads();
    start();
    previsit_and_meet();
    while (block.now.fresh != 0 && !meeting.failed) {
        if (threadIdx.x < WARP)
            choose_directions();
        __syncthreads();
        visit_and_meet();
        if (!meeting.failed)
            previsit_and_meet();
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        search.state->arrivals = block.arrivals;
        search.state->kept = min(block.kept, search.keeps);
        group.state->meetings = meeting.meetings;
        __threadfence_system();
        search.out.mail->report = (uint64_t)search.number << 32 |
                         (meeting.failed ? GROUP_FAILED : (uint32_t)block.now.depth);
    }
}

/* ---- launch ---- */

cudaError_t cuda_group_plan(solo_launch *launch)
{
    int device = 0, processors = 0, cooperative = 0, blocks = 0;
    *launch = solo_launch{};
    launch->program = solo_program{(const void *)group_kernel, sizeof(warp_space)};
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
    launch->threads = 1024;
    launch->team = 1;
    launch->shared_bytes = launch->threads / WARP * launch->program.warp_bytes;
    cudaError_t error = cudaFuncSetAttribute(group_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             (int)launch->shared_bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, group_kernel, launch->threads,
                                                              launch->shared_bytes);
    launch->blocks = cooperative && error == cudaSuccess && blocks > 0 ? processors : 0;
    cudaGetLastError(); /* a GPU that is too small takes the level loop */
    return cudaSuccess;
}
