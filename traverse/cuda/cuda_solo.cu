/* cuda_solo.cu: the search of a device that is alone; see cuda_solo.h and its twin, bfs.c
 *
 * All blocks have the same struct solo_progress and choose by it, so they agree without telling each other. A
 * level goes one of three ways:
 *   alone   the list is small: block 0 expands it in shared memory and goes on with the next level; the
 *           other blocks wait at the barrier
 *   listed  all blocks expand the list; a vertex that they reach is visited at once and joins the other list
 *   masks   pulls and pushes fill `next`, and a previsit makes it the frontier
 */
#include "cuda_solo_alone.cuh"
#include "cuda_solo_masks.cuh"

__device__ static uint32_t warp_of_grid()
{
    return blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
}

__device__ static uint32_t warps_of_grid()
{
    return gridDim.x * (blockDim.x / WARP);
}

/* ---- barrier and counters ---- */

/* Of all blocks. */
__device__ static void barrier()
{
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned target = block.arrivals += gridDim.x;
        unsigned spins = 0;
        __threadfence();
        atomicAdd(&search.state->arrived, 1u);
        while ((int)(*(volatile unsigned *)&search.state->arrived - target) < 0) {
            if (++spins > 256)
                __nanosleep(64);
        }
        __threadfence();
    }
    __syncthreads();
}

/* Adds what the warps of this block counted to the counters of the level, and clears it. */
__device__ static void add_counts()
{
    const unsigned warps = blockDim.x / WARP;
    __syncthreads();
    for (unsigned i = threadIdx.x / WARP; i < SOLO_COUNTS; i += warps) {
        const unsigned long long sum = sum_of_warps(i);
        if (lane_id() == 0 && sum != 0)
            atomicAdd(&search.state->counts[block.now.turn].count[i], sum);
    }
}

__device__ static void clear_counts(unsigned turn)
{
    unsigned *words = (unsigned *)&search.state->counts[turn];
    if (blockIdx.x == 0 && threadIdx.x < sizeof(solo_counts) / sizeof *words)
        words[threadIdx.x] = 0;
}

/* The counters of the turn after the next, which no block reads or writes now. */
__device__ static void clear_turn()
{
    clear_counts((block.now.turn + 1) % 3);
}

/* After a barrier. */
__device__ static void read_turn()
{
    const solo_counts *c = &search.state->counts[block.now.turn];
    if (threadIdx.x < SOLO_COUNTS)
        block.count[threadIdx.x] = ((const volatile unsigned long long *)c->count)[threadIdx.x];
    if (threadIdx.x == SOLO_COUNTS)
        block.pieces = *(const volatile unsigned *)&c->pieces;
    __syncthreads();
}

/* ---- from level to level ---- */

__device__ static void next_turn(bool listed)
{
    if (threadIdx.x == 0) {
        block.now.turn = (block.now.turn + 1) % 3;
        block.now.list ^= listed;
        set_target();
    }
    __syncthreads();
}

/* After the barrier of a level: every block computes the next state. */
__device__ static void end_level(bool listed)
{
    const unsigned g = lane_id() < SUBGRAPHS ? lane_id() : 0;
    read_turn();
    if (threadIdx.x < WARP) {
        if (threadIdx.x == 0)
            block.now.depth++;
        note_frontier(block.count[SOLO_SOURCES + g], block.count[SOLO_FORWARD + g],
                      block.count[SOLO_FRESH], listed);
    }
    next_turn(listed);
}

/* ---- levels ---- */

/* All blocks take over what block 0 left. */
__device__ static void read_progress()
{
    const volatile unsigned *from = (const volatile unsigned *)&search.state->progress;
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < sizeof block.now / sizeof *from; i++)
            ((unsigned *)&block.now)[i] = from[i];
        block.choice.push_edges = 0;
        for (int g = 0; g < SUBGRAPHS; g++)
            block.choice.push_edges += block.now.forward[g], block.choice.pull[g] = 0;
        block.chosen = is_small(block.choice.push_edges);
        block.choice.masks = 0;
        set_target();
    }
    __syncthreads();
}

__device__ static void run_listed()
{
    const piece_list from = {NULL, search.list[block.now.list], 0};
    clear_turn();
    expand_list<REACH_LISTED>(block.target, from, block.now.pieces, warp_of_grid(),
                              warps_of_grid(), ~0u);
    add_counts();
    barrier();
    end_level(true);
}

/* Lists a frontier that is a mask and small enough; its edges are known exactly then. */
__device__ static void run_list()
{
    clear_turn();
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        list_kind(block.target, kind, warp_of_grid(), warps_of_grid());
    add_counts();
    barrier();
    read_turn();
    if (threadIdx.x < WARP) {
        if (lane_id() < SUBGRAPHS) {
            const double edges = (double)block.count[SOLO_FORWARD + lane_id()];
            block.now.seen_edges[lane_id()] += edges - block.now.forward[lane_id()];
            block.now.forward[lane_id()] = edges;
        }
        __syncwarp();
        note_list(true);
    }
    next_turn(true);
}

/* Pulls first: what they find need not be claimed by pushes. Returns the subgraphs that a list still
 * pushes. */
__device__ static unsigned visit_by_masks(const cut_list &cut)
{
    unsigned listed = 0;
    pull_all(warp_of_grid(), warps_of_grid(), cut);
    for (int g = SUBGRAPHS - 1; g >= 0; g--) {
        if (!(block.now.frontier[g] > 0) || block.choice.pull[g])
            continue;
        if (block.now.listed)
            listed |= 1u << g;
        else
            push_words(block.target, g, warp_of_grid(), warps_of_grid(), cut);
    }
    return listed;
}

__device__ static __noinline__ void run_masks()
{
    const cut_list cut = {search.list[block.now.list ^ 1],
                          &search.state->counts[block.now.turn].cut};
    clear_turn();
    const unsigned listed = visit_by_masks(cut);
    if (listed != 0)
        expand_list<REACH_NEXT>(block.target, piece_list{NULL, search.list[block.now.list], 0},
                                block.now.pieces, warp_of_grid(), warps_of_grid(), listed);
    LOG(10);
    barrier();
    LOG(11);
    const unsigned pieces = *(volatile unsigned *)cut.count;
    if (pieces > 0) {
        finish_cut(block.target, cut.pieces, pieces, warp_of_grid(), warps_of_grid());
        barrier();
        LOG(12);
    }
    previsit(block.target, warp_of_grid(), warps_of_grid());
    add_counts();
    LOG(13);
    barrier();
    end_level(false);
}

/* ---- start ---- */

/* Masks and counters become zero, except the root's bit. */
__device__ static void clear()
{
    uint32_t *root = &search.of[search.root_kind].visited[search.root / 32];
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < search.mask_words;
         i += threads)
        search.masks[i] = &search.masks[i] == root ? 1u << (search.root % 32) : 0;
    for (unsigned turn = 0; turn < 3; turn++)
        clear_counts(turn);
}

/* The root is what the first level finds. */
__device__ static void start()
{
    if (threadIdx.x == 0) {
        block = block_state{};
        block.arrivals = *(volatile unsigned *)&search.state->arrivals;
        block.now.fresh = 1;
        set_target();
    }
    for (unsigned i = lane_id(); i < SOLO_COUNTS; i += WARP)
        own_space().count[i] = 0;
    clear();
    barrier();
}

/* Block 0 works, the others wait. */
__device__ static void leave_to_one_block(bool at_root)
{
    if (blockIdx.x == 0)
        run_alone(at_root);
    LOG(1);
    barrier();
    read_progress();
}

__device__ static void choose_level()
{
    if (threadIdx.x < WARP)
        choose();
    if (threadIdx.x == 0 && block.choice.masks)
        lay_out_pulls(warps_of_grid());
    __syncthreads();
}

__device__ static void run_level()
{
    choose_level();
    if (!block.now.listed && !block.choice.masks) {
        LOG(6);
        run_list();
        LOG(7);
        choose_level();
    }
    if (is_for_one_block()) {
        leave_to_one_block(false);
    } else if (block.choice.masks) {
        LOG(2);
        run_masks();
        LOG(3);
    } else {
        LOG(4);
        run_listed();
        LOG(5);
    }
}

__global__ static void __launch_bounds__(1024, 1)
    solo_kernel(const __grid_constant__ gpu_solo parameters)
{
    for (unsigned i = threadIdx.x; i < sizeof search / sizeof(unsigned); i += blockDim.x)
        ((unsigned *)&search)[i] = ((const unsigned *)&parameters)[i];
    __syncthreads();
    LOG(100);
    start();
    LOG(101);
    leave_to_one_block(true);
    while (block.now.fresh != 0) {
        run_level();
        __syncthreads();
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        search.state->arrivals = block.arrivals;
        __threadfence_system();
        *search.report = (uint64_t)search.number << 32 | (uint32_t)block.now.depth;
    }
}

/* ---- launch ---- */

enum { VERTICES_A_PIECE = 4 }; /* that a block alone has room for */

static size_t shared_bytes(const solo_launch *launch)
{
    return (size_t)launch->threads / WARP * sizeof(warp_space) +
           launch->shared_pieces * (sizeof(solo_piece) + 2 * VERTICES_A_PIECE * sizeof(uint32_t));
}

/* One block a processor: fewer come to the barrier. */
cudaError_t cuda_solo_plan(solo_launch *launch)
{
    enum { STATIC_BYTES = 4096, ALONE_PIECES = 1024 };
    int device = 0, processors = 0, shared = 0, cooperative = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
    *launch = solo_launch{cooperative ? processors : 0, 1024, 0, ALONE_PIECES, 0};
    while (launch->threads > WARP && shared_bytes(launch) + STATIC_BYTES > (size_t)shared) {
        launch->threads /= 2;
        launch->shared_pieces /= 2;
    }
    launch->shared_vertices = VERTICES_A_PIECE * launch->shared_pieces;
    launch->shared_bytes = shared_bytes(launch);
    return cudaFuncSetAttribute(solo_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (int)launch->shared_bytes);
}

cudaError_t cuda_solo_search(const gpu_solo *search, const solo_launch *launch, cudaStream_t stream)
{
    void *arguments[] = {(void *)search};
    return cudaLaunchCooperativeKernel((const void *)solo_kernel, dim3((unsigned)launch->blocks),
                                       dim3((unsigned)launch->threads), arguments,
                                       launch->shared_bytes, stream);
}

#ifdef SOLO_PROFILE
#include <cstdio>
extern "C" void solo_dump(void)
{
    static uint64_t log[1 << 20];
    unsigned n;
    cudaMemcpyFromSymbol(&n, solo_logged, sizeof n);
    cudaMemcpyFromSymbol(log, solo_log, sizeof log);
    if (n > 3000) n = 3000;
    for (unsigned i = 0; i <= n; i++)
        fprintf(stderr, "LOG %8.2f +%6.2f what %d depth %d fresh %llu edges %llu pull %llx\n", (log[4*i]-log[0])/1e3,
                i ? (log[4*i]-log[4*i-4])/1e3 : 0.0, (int)(log[4*i+1]>>32), (int)log[4*i+1], (unsigned long long)log[4*i+2], (unsigned long long)(log[4*i+3]>>8), (unsigned long long)(log[4*i+3]&255));
}
#endif
