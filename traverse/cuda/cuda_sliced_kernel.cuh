/* cuda_sliced_kernel.cuh: the levels of a search by slices; see cuda_sliced.h and its twin, cuda_solo_kernel.cuh */
#ifndef DBFS_CUDA_SLICED_KERNEL_CUH
#define DBFS_CUDA_SLICED_KERNEL_CUH

#include "cuda_common.cuh"
#include "cuda_level_notes.cuh"
#include "cuda_ptx.cuh"
#include "cuda_sliced.h"

enum {
    BATCH = 4, /* slices of a thread under way; the first ones stay in its registers */
    ONE_SLICES = SLICED_ONE_SLICES,
    FEW_FOUND = 8, FEW_SLICES = 4 /* the first block begins alone if a level found at most such parts of gpu_sliced.one:
                                   * vertices, and their slices */
};

#define NO_SLICE 0xffffffffu /* in place of a row: it is visited, or there is none */

struct slice_batch {
    uint4 columns[BATCH];
    uint32_t row[BATCH];
};

/* Frontiers of the first block, while it goes alone. */
struct one_progress {
    unsigned at;    /* of sliced_block's `count` */
    unsigned list;  /* of `slice` */
    unsigned count; /* slices of the frontier: there may be more than there is room for */
    int32_t depth;  /* of the frontier */
};

/* What a block has in shared memory, beside its mask of visited vertices. */
struct sliced_block {
    unsigned long long met; /* what all blocks brought to the last barrier */
    unsigned found, weight; /* by this block in this level: rows, counted by each warp that finds them; and their slices */
    unsigned probes[SUBGRAPHS]; /* for notes */
    one_progress one;
    /* its slices: lists are taken in turn by two, their counts by three */
    unsigned count[SLICED_TURNS];
    uint32_t slice[2][ONE_SLICES];
};

static __shared__ sliced_block block;
extern __shared__ unsigned char memory[];

__device__ static inline uint32_t *visited_mask()
{
    return (uint32_t *)memory;
}

__device__ static inline bool is_visited(uint32_t v)
{
    return visited_mask()[v / 32] >> (v % 32) & 1;
}

__device__ static inline uint32_t thread_of_grid()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ static inline uint32_t threads_of_grid()
{
    return gridDim.x * blockDim.x;
}

__device__ static inline unsigned after(unsigned turn)
{
    return turn == SLICED_TURNS - 1 ? 0 : turn + 1;
}

/* ---- vertices ---- */

__device__ static inline int kind_of(const gpu_sliced &s, uint32_t v)
{
    return v < s.normals ? DELEGATES : NORMALS;
}

__device__ static inline uint32_t id_of(const gpu_sliced &s, uint32_t v)
{
    return v < s.normals ? v : v - s.normals;
}

/* As parents are recorded (backend.h). */
__device__ static inline uint32_t code_of(const gpu_sliced &s, uint32_t v)
{
    return id_of(s, v) | (kind_of(s, v) == DELEGATES ? KIND_BIT : 0);
}

__device__ static inline bool has_parents(const gpu_sliced &s)
{
    return s.of[NORMALS].parent != NULL;
}

/* Nobody waits for what is written. Others may find v in the same level: any parent is right. */
__device__ static inline void put_depth(const gpu_sliced &s, uint32_t v, int32_t depth, uint32_t parent)
{
    const bool normal = v >= s.normals;
    const uint32_t id = id_of(s, v);
    (normal ? s.of[NORMALS].depth : s.of[DELEGATES].depth)[id] = depth;
    if (has_parents(s))
        (normal ? s.of[NORMALS].parent : s.of[DELEGATES].parent)[id] = parent;
}

/* ---- levels of all blocks ---- */

__device__ static inline void load_batch(const gpu_sliced &s, uint32_t first, slice_batch &b)
{
#pragma unroll
    for (int j = 0; j < BATCH; j++) {
        const uint32_t i = first + j * threads_of_grid();
        b.row[j] = i < s.count ? s.row[i] : NO_SLICE;
        b.columns[j] = i < s.count ? ((const uint4 *)s.slices)[i] : make_uint4(0, 0, 0, 0);
    }
}

__device__ static inline bool sees_visited(const uint4 &c)
{
    return is_visited(c.x) | is_visited(c.y) | is_visited(c.z) | is_visited(c.w);
}

/* One that is visited. */
__device__ static inline uint32_t visited_column(const uint4 &c)
{
    return is_visited(c.x) ? c.x : is_visited(c.y) ? c.y : is_visited(c.z) ? c.z : c.w;
}

/* Slices of a row lie in neighbouring lanes: the first of them that has found a parent says so. */
__device__ static inline bool is_first_of_row(bool found, uint32_t row)
{
    const unsigned all = __ballot_sync(ALL_LANES, found), before = all & ((1u << lane_id()) - 1);
    const uint32_t last = __shfl_sync(ALL_LANES, row, before != 0 ? 31 - __clz(before) : 0);
    return found && (before == 0 || last != row);
}

/* What a thread has done in a level. */
struct slice_tally {
    unsigned found, weight;
    unsigned probes[SUBGRAPHS]; /* for notes: columns that were looked at, by the subgraph that a push would go along */
};

__device__ static inline void note_columns(const gpu_sliced &s, uint32_t row, const uint4 &c, slice_tally &tally)
{
    const uint32_t columns[SLICED_COLUMNS] = {c.x, c.y, c.z, c.w};
#pragma unroll
    for (int j = 0; j < SOLO_NOTED * SLICED_COLUMNS; j++) {
#pragma unroll
        for (int g = 0; g < SUBGRAPHS; g++)
            tally.probes[g] += columns[j] != row && g == (kind_of(s, columns[j]) << 1 | kind_of(s, row));
    }
}

/* The slices of a batch whose rows are not visited look for a visited column. */
__device__ static inline void pull_batch(const gpu_sliced &s, unsigned turn, int32_t depth, slice_batch &b,
                                           slice_tally &tally)
{
#pragma unroll
    for (int j = 0; j < BATCH; j++) {
        const uint32_t row = b.row[j] & SLICED_ROW;
        const bool looks = b.row[j] != NO_SLICE && !is_visited(row);
        if (!looks)
            b.row[j] = NO_SLICE;
        if (!__any_sync(ALL_LANES, looks))
            continue;
        if (looks)
            note_columns(s, row, b.columns[j], tally);
        if (!is_first_of_row(looks && sees_visited(b.columns[j]), row))
            continue;
        atomicOr(&s.found[turn * s.words + row / 32], 1u << (row % 32));
        put_depth(s, row, depth + 1, has_parents(s) ? code_of(s, visited_column(b.columns[j])) : 0);
        tally.found++;
        tally.weight += b.row[j] >> SLICED_ROW_BITS;
    }
}

/* What the threads did joins what the block did. */
__device__ static inline void add_tally(const slice_tally &tally)
{
    if (__any_sync(ALL_LANES, tally.found != 0)) {
        const unsigned found = sum_lanes(tally.found), weight = sum_lanes(tally.weight);
        if (lane_id() == 0) {
            atomicAdd(&block.found, found);
            atomicAdd(&block.weight, weight);
        }
    }
    for (int g = 0; g < SOLO_NOTED * SUBGRAPHS; g++) {
        const unsigned probes = sum_lanes(tally.probes[g]);
        if (lane_id() == 0)
            atomicAdd(&block.probes[g], probes);
    }
}

/* All rows. `own` has the first slices of the thread. */
__device__ static void pull_slices(const gpu_sliced &s, unsigned turn, int32_t depth, slice_batch &own)
{
    slice_tally tally = {};
    pull_batch(s, turn, depth, own, tally);
    for (uint32_t first = thread_of_grid() + BATCH * threads_of_grid(); first - lane_id() < s.count;
         first += BATCH * threads_of_grid()) {
        slice_batch more;
        load_batch(s, first, more);
        pull_batch(s, turn, depth, more, tally);
    }
    add_tally(tally);
}

/* ---- the barrier ---- */

/* What a block brings: itself, and what it found. */
enum { FOUND_SHIFT = 10, WEIGHT_SHIFT = 36, BLOCK_MOST_WEIGHT = 1 << 16 };

__device__ static inline unsigned blocks_met(unsigned long long met)
{
    return (unsigned)met & ((1u << FOUND_SHIFT) - 1);
}

__device__ static inline unsigned found_of(unsigned long long met)
{
    return (unsigned)(met >> FOUND_SHIFT) & ((1u << (WEIGHT_SHIFT - FOUND_SHIFT)) - 1);
}

__device__ static inline unsigned weight_of(unsigned long long met)
{
    return (unsigned)(met >> WEIGHT_SHIFT);
}

/* Before the barrier: for notes. */
__device__ static inline void bring_probes(const gpu_sliced &s, unsigned turn)
{
    if (!SOLO_NOTED)
        return;
    __syncthreads();
    if (threadIdx.x < SUBGRAPHS) {
        atomicAdd(&s.state->probes[turn][threadIdx.x], (unsigned long long)block.probes[threadIdx.x]);
        block.probes[threadIdx.x] = 0;
    }
}

/* Of all blocks. Then each knows what all have found. */
__device__ static void meet(const gpu_sliced &s, unsigned turn)
{
    bring_probes(s, turn);
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned long long *arrived = s.state->arrived[s.set], met;
        if (blockIdx.x == 0)
            arrived[after(turn)] = 0;
        met = 1 | (unsigned long long)block.found << FOUND_SHIFT |
              (unsigned long long)min(block.weight, (unsigned)BLOCK_MOST_WEIGHT) << WEIGHT_SHIFT;
        block.found = block.weight = 0;
        fence_of_gpu();
        atomicAdd(&arrived[turn], met);
        do
            met = load_acquire(&arrived[turn]);
        while (blocks_met(met) != gridDim.x);
        block.met = met;
    }
    __syncthreads();
}

/* ---- levels of the first block ---- */

/* Of so many slices a lane: those of the lanes before it, and of all lanes. Mostly lanes have few. */
struct lane_share {
    unsigned before, all;
};

__device__ static inline lane_share share_of_lane(unsigned own)
{
    const unsigned one = __ballot_sync(ALL_LANES, own & 1), two = __ballot_sync(ALL_LANES, own & 2),
                   lower = (1u << lane_id()) - 1;
    lane_share share = {(unsigned)(__popc(one & lower) + 2 * __popc(two & lower)),
                        (unsigned)(__popc(one) + 2 * __popc(two))};
    if (__any_sync(ALL_LANES, own > 3)) {
        share.before = warp_prefix(own);
        share.all = __shfl_sync(ALL_LANES, share.before + own, WARP - 1);
    }
    return share;
}

/* `slices` of a link. */
__device__ static inline unsigned count_of(uint32_t slices)
{
    const unsigned count = slices >> SLICED_FIRST_BITS;
    return count < SLICED_MANY ? count : ONE_SLICES + 1; /* all rows will look */
}

/* Lists slices from list[at] on, as far as there is room. All lanes of the warp call it. */
__device__ static inline void put_slices(uint32_t *list, unsigned at, uint32_t first, unsigned count)
{
    enum { ALONE = 4 };
    for (unsigned k = 0; k < count && count <= ALONE && at + k < ONE_SLICES; k++)
        list[at + k] = first + k;
    for (unsigned many = __ballot_sync(ALL_LANES, count > ALONE); many != 0; many &= many - 1) {
        const int from = __ffs(many) - 1;
        const unsigned to = __shfl_sync(ALL_LANES, at, from), all = __shfl_sync(ALL_LANES, count, from);
        const uint32_t slice = __shfl_sync(ALL_LANES, first, from);
        for (unsigned k = lane_id(); k < all && to + k < ONE_SLICES; k += WARP)
            list[to + k] = slice + k;
    }
}

/* Link number i of the listed slices. What does not exist leads to a vertex that is visited. */
__device__ static inline uint2 link_of(const gpu_sliced &s, const uint32_t *list, unsigned i, bool has)
{
    return has ? ((const uint2 *)s.links)[(uint64_t)list[i / SLICED_COLUMNS] * SLICED_COLUMNS + i % SLICED_COLUMNS]
               : make_uint2(s.root, 0);
}

/* Whether the lane was the first to visit v. */
__device__ static inline bool claim(uint32_t v)
{
    const uint32_t bit = 1u << (v % 32);
    return !is_visited(v) && !(atomicOr(&visited_mask()[v / 32], bit) & bit);
}

/* The slice that the lane pushes along is of a vertex. */
__device__ static inline uint32_t pushing_code(const gpu_sliced &s, const uint32_t *list, unsigned i)
{
    return has_parents(s) ? code_of(s, s.row[list[i / SLICED_COLUMNS]] & SLICED_ROW) : 0;
}

/* A level by all warps. */
__device__ static void push_by_block(const gpu_sliced &s, one_progress &p)
{
    const uint32_t *list = block.slice[p.list];
    uint32_t *next = block.slice[p.list ^= 1];
    unsigned *count = &block.count[p.at = after(p.at)];
    note_team(p.depth, SOLO_BY_BLOCK);
    p.depth++;
    if (threadIdx.x == 0)
        block.count[after(p.at)] = 0;
    for (unsigned i = threadIdx.x; i - lane_id() < p.count * SLICED_COLUMNS; i += blockDim.x) {
        const bool has = i < p.count * SLICED_COLUMNS;
        const uint2 link = link_of(s, list, i, has);
        const bool mine = claim(link.x);
        if (!__any_sync(ALL_LANES, mine))
            continue;
        if (mine)
            put_depth(s, link.x, p.depth, pushing_code(s, list, i));
        const unsigned own = mine ? count_of(link.y) : 0;
        const lane_share share = share_of_lane(own);
        const unsigned base = lane_id() == 0 ? atomicAdd(count, share.all) : 0;
        put_slices(next, __shfl_sync(ALL_LANES, base, 0) + share.before, link.y & SLICED_FIRST, own);
    }
    __syncthreads();
    p.count = *(volatile unsigned *)count;
}

/* By the first warp: levels of at most a link a lane. */
__device__ static void push_by_warp(const gpu_sliced &s, one_progress &p)
{
    while (p.count > 0 && p.count * SLICED_COLUMNS <= WARP) {
        const uint32_t *list = block.slice[p.list];
        note_team(p.depth, SOLO_BY_BLOCK);
        p.depth++;
        const uint2 link = link_of(s, list, lane_id(), lane_id() < p.count * SLICED_COLUMNS);
        const bool mine = claim(link.x);
        if (mine)
            put_depth(s, link.x, p.depth, pushing_code(s, list, lane_id()));
        const unsigned own = mine ? count_of(link.y) : 0;
        const lane_share share = share_of_lane(own);
        put_slices(block.slice[p.list ^= 1], share.before, link.y & SLICED_FIRST, own);
        p.count = share.all;
        __syncwarp();
    }
    if (lane_id() == 0)
        block.one = p;
}

/* All blocks get to know what the first one has visited, as if it had been found in this level. */
__device__ static inline void show_visited(const gpu_sliced &s, unsigned turn)
{
    uint4 *found = (uint4 *)(s.found + turn * s.words);
    for (uint32_t i = threadIdx.x; i < s.words / 4; i += blockDim.x)
        found[i] = ((const uint4 *)visited_mask())[i];
}

/* By the first block, whose frontier is in its first list: as many levels as it has room for. */
__device__ static void run_one(const gpu_sliced &s, unsigned turn, int32_t depth)
{
    one_progress p = {0, 0, block.count[0], depth};
    while (p.count > 0 && p.count <= s.one) {
        if (p.count * SLICED_COLUMNS > WARP) {
            push_by_block(s, p);
            continue;
        }
        __syncthreads();
        if (threadIdx.x < WARP)
            push_by_warp(s, p);
        __syncthreads();
        p = block.one;
    }
    if (p.count > 0)
        show_visited(s, turn);
    if (threadIdx.x == 0) {
        s.state->depth = p.depth;
        block.found = p.count > 0;
    }
}

/* ---- between levels ---- */

/* The slices of the vertices of a word. */
__device__ static inline void list_slices(const gpu_sliced &s, uint32_t word, uint32_t bits)
{
    for (; bits != 0; bits &= bits - 1) {
        const uint32_t v = word * 32 + __ffs(bits) - 1, first = s.first[v], count = s.first[v + 1] - first;
        const unsigned at = atomicAdd(&block.count[0], count);
        for (unsigned k = 0; k < count && at + k < ONE_SLICES; k++)
            block.slice[0][at + k] = first + k;
    }
}

/* What was found is visited. The first block lists it if it goes on alone. */
__device__ static void take_found(const gpu_sliced &s, unsigned turn, bool lists)
{
    const uint4 *found = (const uint4 *)(s.found + turn * s.words);
    uint4 *visited = (uint4 *)visited_mask();
    if (threadIdx.x < SLICED_TURNS)
        block.count[threadIdx.x] = 0;
    if (lists)
        __syncthreads();
    for (uint32_t i = threadIdx.x; i < s.words / 4; i += blockDim.x) {
        const uint4 more = found[i];
        if ((more.x | more.y | more.z | more.w) == 0)
            continue;
        const uint4 v = visited[i];
        visited[i] = make_uint4(v.x | more.x, v.y | more.y, v.z | more.z, v.w | more.w);
        if (lists) {
            list_slices(s, 4 * i, more.x);
            list_slices(s, 4 * i + 1, more.y);
            list_slices(s, 4 * i + 2, more.z);
            list_slices(s, 4 * i + 3, more.w);
        }
    }
    __syncthreads();
}

/* The share of this block. */
__device__ static inline void clear_found(const gpu_sliced &s, unsigned turn)
{
    uint4 *found = (uint4 *)(s.found + turn * s.words);
    for (uint32_t i = thread_of_grid(); i < s.words / 4; i += threads_of_grid())
        found[i] = make_uint4(0, 0, 0, 0);
}

/* After a level by slices. The counts become zero before the next barrier but one. */
__device__ static inline void note_probes(const gpu_sliced &s, unsigned turn, int32_t depth)
{
#if SOLO_NOTED
    for (int g = 0; is_noter() && g < SUBGRAPHS; g++) {
        note_of(depth).probes[g] = *(volatile unsigned long long *)&s.state->probes[turn][g];
        s.state->probes[turn][g] = 0;
    }
#endif
}

/* ---- a search ---- */

/* The root is the frontier, as a list. */
__device__ static void start(const gpu_sliced &s)
{
    const uint32_t first = s.first[s.root], count = s.first[s.root + 1] - first;
    for (uint32_t i = threadIdx.x; i < s.words; i += blockDim.x)
        visited_mask()[i] = i == s.root / 32 ? 1u << (s.root % 32) : 0;
    for (uint32_t k = threadIdx.x; k < count && k < ONE_SLICES; k += blockDim.x)
        block.slice[0][k] = first + k;
    if (threadIdx.x < SUBGRAPHS)
        block.probes[threadIdx.x] = 0;
    if (threadIdx.x < SLICED_TURNS)
        block.count[threadIdx.x] = threadIdx.x == 0 ? count : 0;
    if (threadIdx.x == 0)
        block.found = block.weight = 0;
    if (blockIdx.x == 0 && threadIdx.x < SLICED_TURNS)
        s.state->arrived[s.set ^ 1][threadIdx.x] = 0;
    if (thread_of_grid() == 0)
        put_depth(s, s.root, 0, ROOT_PARENT);
    begin_notes(s.out);
    __syncthreads();
}

/* The first block writes the visited masks, and reports. */
__device__ static void finish(const gpu_sliced &s, int32_t depth)
{
    const uint32_t normals = s.normals / 32;
    for (uint32_t i = threadIdx.x; i < s.of[DELEGATES].words; i += blockDim.x)
        s.of[DELEGATES].visited[i] = visited_mask()[i];
    for (uint32_t i = threadIdx.x; i < s.of[NORMALS].words; i += blockDim.x)
        s.of[NORMALS].visited[i] = visited_mask()[normals + i];
    end_notes(depth);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        s.out.mail->report = (uint64_t)s.number << 32 | (uint32_t)depth;
    }
}

__global__ static void __launch_bounds__(1024, 1) sliced_kernel(const __grid_constant__ gpu_sliced s)
{
    slice_batch own;
    int32_t depth = 0;
    load_batch(s, thread_of_grid(), own);
    start(s);
    bool one = block.count[0] <= s.one;
    for (unsigned turn = 0;; turn = after(turn)) {
        if (!one) {
            note_team(depth, SOLO_BY_SLICES);
            pull_slices(s, turn, depth, own);
            note_time(depth, SOLO_VISITED);
        } else if (blockIdx.x == 0) {
            run_one(s, turn, depth);
        }
        clear_found(s, after(turn));
        meet(s, turn);
        if (!one)
            note_probes(s, turn, depth);
        depth = one ? *(volatile int32_t *)&s.state->depth : depth + 1;
        const unsigned found = found_of(block.met);
        if (found == 0)
            break;
        one = !one && found <= s.one / FEW_FOUND && weight_of(block.met) <= s.one / FEW_SLICES;
        take_found(s, turn, one && blockIdx.x == 0);
    }
    if (blockIdx.x == 0)
        finish(s, depth);
    for (unsigned turn = 0; turn < SLICED_TURNS; turn++)
        clear_found(s, turn);
}

static struct solo_program program()
{
    return solo_program{(const void *)sliced_kernel, 0};
}

#endif
