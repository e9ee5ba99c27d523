/* cuda_solo.cu: the search of a device that is alone; see cuda_solo.h and its twin, bfs.c
 *
 * All blocks have the same struct solo_progress and choose by it, so they agree without telling each other. A
 * level goes one of three ways:
 *   alone   the list is small: block 0 expands it in shared memory and goes on with the next level; the
 *           other blocks wait at the barrier
 *   listed  all blocks expand the list; a vertex that they reach is visited at once and joins the other list
 *   masks   pulls and pushes fill `next`, and a previsit makes it the frontier
 */
#include "cuda_solo_masks.cuh"

enum {
    ALONE_PIECES = 1024, ALONE_EDGES = 2048, /* that a block takes alone */
    SMALL_EDGES = 8192 /* a frontier with fewer is pushed without a look at the costs */
};

static_assert((uint64_t)ALONE_EDGES * (2 * SOLO_LISTED_EDGES - 1) <= UINT32_MAX,
              "a block alone counts edges with 32 bits");

#define PARENT_OF_ROOT (0xffffffffu - 2) /* PARENT_SELF */

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
__device__ static void barrier(const gpu_solo &p, block_state &b)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned target = ++b.epoch * gridDim.x;
        unsigned spins = 0;
        __threadfence();
        atomicAdd(&p.state->arrived, 1u);
        while ((int)(*(volatile unsigned *)&p.state->arrived - target) < 0) {
            if (++spins > 256)
                __nanosleep(64);
        }
        __threadfence();
    }
    __syncthreads();
}

/* Adds what the warps of this block counted to the counters of the level, and clears it. */
__device__ static void add_counts(const gpu_solo &p, const block_state &b, warp_space *spaces)
{
    const unsigned warps = blockDim.x / WARP;
    __syncthreads();
    for (unsigned i = threadIdx.x / WARP; i < SOLO_COUNTS; i += warps) {
        unsigned long long own = lane_id() < warps ? spaces[lane_id()].count[i] : 0;
        if (!__any_sync(ALL_LANES, own != 0))
            continue;
        if (lane_id() < warps)
            spaces[lane_id()].count[i] = 0;
        own = warp_sum(own);
        if (lane_id() == 0)
            atomicAdd(&p.state->counts[b.now.turn].count[i], own);
    }
}

/* The counters of the turn after the next, which no block reads or writes now. */
__device__ static void clear_turn(const gpu_solo &p, const block_state &b)
{
    unsigned *words = (unsigned *)&p.state->counts[(b.now.turn + 1) % 3];
    if (blockIdx.x == 0 && threadIdx.x < sizeof(solo_counts) / sizeof *words)
        words[threadIdx.x] = 0;
}

/* After a barrier. */
__device__ static void read_turn(const gpu_solo &p, block_state &b)
{
    const solo_counts *c = &p.state->counts[b.now.turn];
    if (threadIdx.x < SOLO_COUNTS)
        b.count[threadIdx.x] = ((const volatile unsigned long long *)c->count)[threadIdx.x];
    if (threadIdx.x == SOLO_COUNTS)
        b.pieces = *(const volatile unsigned *)&c->pieces;
    __syncthreads();
}

/* ---- from level to level ---- */

/* What the next level knows of its list; and the choice, if the level is too small for a look at the costs.
 * By one warp. */
__device__ static void note_list(const gpu_solo &p, block_state &b, bool listed)
{
    const unsigned g = lane_id();
    double edges = g < SUBGRAPHS ? b.now.forward[g] : 0;
    edges += __shfl_xor_sync(ALL_LANES, edges, 1);
    edges += __shfl_xor_sync(ALL_LANES, edges, 2);
    if (g < SUBGRAPHS)
        b.choice.pull[g] = 0;
    if (g == 0) {
        b.now.pieces = b.pieces;
        b.now.listed = listed;
        b.pieces = 0;
        b.choice.masks = 0;
        b.choice.push_edges = edges;
        b.chosen = p.mode != SOLO_PULL && listed && edges <= SMALL_EDGES;
    }
    __syncwarp();
}

/* What a level found is the frontier: a lane for each subgraph. By one warp. */
__device__ static void advance(const gpu_solo &p, block_state &b, unsigned long long sources,
                               unsigned long long forward, unsigned long long fresh, bool listed)
{
    solo_progress &s = b.now;
    const unsigned g = lane_id();
    if (g < SUBGRAPHS) {
        s.frontier[g] = (double)sources;
        s.forward[g] = (double)forward;
        s.seen[g] += (double)sources;
        s.seen_edges[g] += (double)forward;
    }
    if (g == 0) {
        s.fresh = fresh;
        s.depth++;
    }
    __syncwarp();
    note_list(p, b, listed);
}

__device__ static void next_turn(block_state &b, bool listed)
{
    if (threadIdx.x == 0) {
        b.now.turn = (b.now.turn + 1) % 3;
        b.now.list ^= listed;
    }
    __syncthreads();
}

/* After the barrier of a level: every block computes the next state. */
__device__ static void end_level(const gpu_solo &p, block_state &b, bool listed)
{
    const unsigned g = lane_id() < SUBGRAPHS ? lane_id() : 0;
    read_turn(p, b);
    if (threadIdx.x < WARP)
        advance(p, b, b.count[SOLO_SOURCES + g], b.count[SOLO_FORWARD + g], b.count[SOLO_FRESH],
                listed);
    next_turn(b, listed);
}

/* By one thread. */
__device__ static void choose(const gpu_solo &p, block_state &b)
{
    if (!b.chosen)
        solo_choose(&p.graph, &b.now, p.mode, SOLO_LISTED_EDGES, &b.choice);
}

__device__ static bool is_for_one_block(const gpu_solo &p, const block_state &b)
{
    return !b.choice.masks && b.now.pieces <= p.shared_pieces && b.choice.push_edges <= ALONE_EDGES;
}

/* ---- levels ---- */

__device__ static level_side start_side(const gpu_solo &p, const block_state &b, block_state *block,
                                        warp_space *spaces)
{
    level_side s;
    s.p = &p;
    s.block = block;
    s.space = spaces + threadIdx.x / WARP;
    s.next = piece_list{NULL, p.list[b.now.list ^ 1], 0};
    s.next_count = &p.state->counts[b.now.turn].pieces;
    s.depth = b.now.depth + 1;
    return s;
}

__device__ static piece_list shared_list(const gpu_solo &p, solo_piece *shared, uint32_t list)
{
    return piece_list{shared + (size_t)list * p.shared_pieces, p.list[list], p.shared_pieces};
}

/* One level of block 0, up to the choice for the next one. */
__device__ static void run_level_alone(const gpu_solo &p, block_state &b, warp_space *spaces,
                                       solo_piece *shared)
{
    const unsigned g = lane_id();
    level_side s = start_side(p, b, &b, spaces);
    s.next = shared_list(p, shared, b.now.list ^ 1);
    s.next_count = &b.pieces;
    expand_list<REACH_ALONE>(s, shared_list(p, shared, b.now.list), b.now.pieces,
                             threadIdx.x / WARP, blockDim.x / WARP, ~0u);
    __syncthreads();
    if (threadIdx.x < WARP) {
        advance(p, b, g < SUBGRAPHS ? b.small[SOLO_SOURCES + g] : 0,
                g < SUBGRAPHS ? b.small[SOLO_FORWARD + g] : 0, b.small[SOLO_FRESH], true);
        if (g < SOLO_COUNTS)
            b.small[g] = 0;
    }
    if (threadIdx.x == 0) {
        b.now.list ^= 1;
        choose(p, b);
    }
    __syncthreads();
}

/* Block 0, for as many levels as are small. */
__device__ static void run_alone(const gpu_solo &p, block_state &b, warp_space *spaces,
                                 solo_piece *shared)
{
    const piece_list from = shared_list(p, shared, b.now.list);
    for (uint32_t i = threadIdx.x; i < b.now.pieces; i += blockDim.x)
        from.shared[i] = from.global[i];
    __syncthreads();
    do
        run_level_alone(p, b, spaces, shared);
    while (b.now.fresh != 0 && is_for_one_block(p, b));
    const piece_list to = shared_list(p, shared, b.now.list);
    for (uint32_t i = threadIdx.x; i < b.now.pieces && i < to.room; i += blockDim.x)
        to.global[i] = to.shared[i];
    if (threadIdx.x == 0)
        p.state->progress = b.now;
}

/* The other blocks take over what block 0 left. */
__device__ static void read_progress(const gpu_solo &p, block_state &b)
{
    const volatile unsigned *from = (const volatile unsigned *)&p.state->progress;
    if (threadIdx.x == 0 && blockIdx.x != 0) {
        for (unsigned i = 0; i < sizeof b.now / sizeof *from; i++)
            ((unsigned *)&b.now)[i] = from[i];
        b.choice.push_edges = 0;
        for (int g = 0; g < SUBGRAPHS; g++)
            b.choice.push_edges += b.now.forward[g];
        b.chosen = 0;
    }
    __syncthreads();
}

__device__ static void run_listed(const gpu_solo &p, block_state &b, warp_space *spaces)
{
    const level_side s = start_side(p, b, &b, spaces);
    const piece_list from = {NULL, p.list[b.now.list], 0};
    clear_turn(p, b);
    expand_list<REACH_LISTED>(s, from, b.now.pieces, warp_of_grid(), warps_of_grid(), ~0u);
    add_counts(p, b, spaces);
    barrier(p, b);
    end_level(p, b, true);
}

/* Lists a frontier that is a mask and small enough; its edges are known exactly then. */
__device__ static void run_list(const gpu_solo &p, block_state &b, warp_space *spaces)
{
    const level_side s = start_side(p, b, &b, spaces);
    clear_turn(p, b);
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        list_kind(s, kind, warp_of_grid(), warps_of_grid());
    add_counts(p, b, spaces);
    barrier(p, b);
    read_turn(p, b);
    if (threadIdx.x < WARP) {
        if (lane_id() < SUBGRAPHS) {
            const double edges = (double)b.count[SOLO_FORWARD + lane_id()];
            b.now.seen_edges[lane_id()] += edges - b.now.forward[lane_id()];
            b.now.forward[lane_id()] = edges;
        }
        __syncwarp();
        note_list(p, b, true);
    }
    next_turn(b, true);
}

/* Pulls first: what they find need not be claimed by pushes. Returns the subgraphs that a list still
 * pushes. */
__device__ static unsigned visit_by_masks(const gpu_solo &p, const block_state &b,
                                          const level_side &s, const cut_list &cut)
{
    unsigned listed = 0;
    for (int g = SUBGRAPHS - 1; g >= 0; g--) {
        if (!(b.now.frontier[g] > 0))
            continue;
        if (b.choice.pull[g])
            pull_subgraph(p, *s.space, g, warp_of_grid(), warps_of_grid(), cut);
        else if (b.now.listed)
            listed |= 1u << g;
        else
            push_words(s, g, warp_of_grid(), warps_of_grid(), cut);
    }
    return listed;
}

__device__ static void run_masks(const gpu_solo &p, block_state &b, warp_space *spaces)
{
    const level_side s = start_side(p, b, &b, spaces);
    const cut_list cut = {p.list[b.now.list ^ 1], &p.state->counts[b.now.turn].cut};
    clear_turn(p, b);
    const unsigned listed = visit_by_masks(p, b, s, cut);
    if (listed != 0)
        expand_list<REACH_NEXT>(s, piece_list{NULL, p.list[b.now.list], 0}, b.now.pieces,
                                warp_of_grid(), warps_of_grid(), listed);
    barrier(p, b);
    const unsigned pieces = *(volatile unsigned *)cut.count;
    if (pieces > 0) {
        finish_cut(s, cut.pieces, pieces, warp_of_grid(), warps_of_grid());
        barrier(p, b);
    }
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        previsit_kind(s, kind, warp_of_grid(), warps_of_grid());
    add_counts(p, b, spaces);
    barrier(p, b);
    end_level(p, b, false);
}

/* Puts the root on the first list. */
__device__ static void start(const gpu_solo &p, block_state &b, warp_space *spaces)
{
    const gpu_vertices &v = p.of[p.root_kind];
    if (threadIdx.x == 0) {
        b = block_state{};
        b.now.depth = -1;
    }
    for (unsigned i = lane_id(); i < SOLO_COUNTS; i += WARP)
        spaces[threadIdx.x / WARP].count[i] = 0;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x < WARP) {
        if (threadIdx.x == 0) {
            v.visited[p.root / 32] = 1u << (p.root % 32);
            v.depth[p.root] = 0;
            if (v.parent != NULL)
                v.parent[p.root] = PARENT_OF_ROOT;
        }
        list_vertices<false>(start_side(p, b, &b, spaces),
                             p.root | (p.root_kind == DELEGATES ? KIND_BIT : 0), threadIdx.x == 0);
    }
    add_counts(p, b, spaces);
    barrier(p, b);
    end_level(p, b, true);
}

__device__ static void run_level(const gpu_solo &p, block_state &b, warp_space *spaces,
                                 solo_piece *shared)
{
    if (!b.now.listed && b.now.fresh <= SOLO_LISTED)
        run_list(p, b, spaces);
    if (threadIdx.x == 0)
        choose(p, b);
    __syncthreads();
    if (is_for_one_block(p, b)) {
        if (blockIdx.x == 0)
            run_alone(p, b, spaces, shared);
        barrier(p, b);
        read_progress(p, b);
    } else if (b.choice.masks) {
        run_masks(p, b, spaces);
    } else {
        run_listed(p, b, spaces);
    }
}

__global__ static void __launch_bounds__(1024, 1)
    solo_kernel(const __grid_constant__ gpu_solo parameters)
{
    extern __shared__ unsigned char memory[];
    __shared__ block_state b;
    __shared__ gpu_solo p; /* indexed by lanes, which parameters are slow for */
    warp_space *spaces = (warp_space *)memory;
    solo_piece *shared = (solo_piece *)(spaces + blockDim.x / WARP);
    for (unsigned i = threadIdx.x; i < sizeof p / sizeof(unsigned); i += blockDim.x)
        ((unsigned *)&p)[i] = ((const unsigned *)&parameters)[i];
    __syncthreads();
    start(p, b, spaces);
    while (b.now.fresh != 0) {
        run_level(p, b, spaces, shared);
        __syncthreads();
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *p.levels = (uint32_t)b.now.depth;
}

/* ---- launch ---- */

static size_t shared_bytes(const solo_launch *launch)
{
    return (size_t)launch->threads / WARP * sizeof(warp_space) +
           2 * launch->shared_pieces * sizeof(solo_piece);
}

/* One block a processor: fewer come to the barrier. */
cudaError_t cuda_solo_plan(solo_launch *launch)
{
    enum { STATIC_BYTES = 4096 };
    int device = 0, processors = 0, shared = 0, cooperative = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
    *launch = solo_launch{cooperative ? processors : 0, 1024, 0, ALONE_PIECES};
    while (launch->threads > WARP && shared_bytes(launch) + STATIC_BYTES > (size_t)shared) {
        launch->threads /= 2;
        launch->shared_pieces /= 2;
    }
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
