/* cuda_sweep_kernel.cuh: the levels of a search by sweeps; see cuda_sweep.h and its twin, cuda_solo_kernel.cuh */
#ifndef DBFS_CUDA_SWEEP_KERNEL_CUH
#define DBFS_CUDA_SWEEP_KERNEL_CUH

#include "cuda_common.cuh"
#include "cuda_level_notes.cuh"
#include "cuda_ptx.cuh"
#include "cuda_sweep.h"

enum {
    BATCH = 4, /* slices of a thread under way; the first ones stay in its registers */
    NO_SLICE = 0xffffffffu, /* a row that is visited, or no row */
    /* the first block goes alone: it begins with so few vertices and slices, and goes on with as many as it has room for */
    FEW_VERTICES = SWEEP_ONE_VERTICES / 4,
    FEW_SLICES = SWEEP_ONE_SLICES / 4
};

struct sweep_batch {
    uint4 columns[BATCH];
    uint32_t row[BATCH];
};

/* A frontier of the first block: vertices, and the slices of their rows. */
struct one_frontier {
    unsigned vertices, slices; /* may be above the room there is */
    uint32_t vertex[SWEEP_ONE_VERTICES];
};

/* What a block has in shared memory. */
struct sweep_block {
    unsigned long long met; /* what all blocks brought to the last barrier */
    unsigned found, weight; /* by this block in this level: rows, counted by each warp that finds them; and their slices */
    unsigned long long probes[SUBGRAPHS];
    one_frontier one[2];
    uint32_t slice[SWEEP_ONE_SLICES];
};

static __shared__ sweep_block block;
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

/* ---- vertices ---- */

__device__ static inline int kind_of(const gpu_sweep &s, uint32_t v)
{
    return v < s.normals ? DELEGATES : NORMALS;
}

__device__ static inline uint32_t id_of(const gpu_sweep &s, uint32_t v)
{
    return v < s.normals ? v : v - s.normals;
}

/* As parents are recorded (backend.h). */
__device__ static inline uint32_t code_of(const gpu_sweep &s, uint32_t v)
{
    return id_of(s, v) | (kind_of(s, v) == DELEGATES ? 0x80000000u : 0);
}

/* The word of the visited masks, in device memory, at `word` of a mask of all vertices. */
__device__ static inline uint32_t *kept_word(const gpu_sweep &s, uint32_t word)
{
    const uint32_t normals = s.normals / 32;
    return word < normals ? &s.of[DELEGATES].visited[word] : &s.of[NORMALS].visited[word - normals];
}

#if SOLO_NOTED

/* Counts the columns that a slice looks at, by the subgraphs that a push would go along. */
__device__ static inline void note_columns(const gpu_sweep &s, bool looks, uint32_t row, const uint4 &c)
{
    const uint32_t columns[SWEEP_COLUMNS] = {c.x, c.y, c.z, c.w};
    for (int j = 0; looks && j < SWEEP_COLUMNS; j++) {
        if (columns[j] != row)
            atomicAdd(&block.probes[kind_of(s, columns[j]) << 1 | kind_of(s, row)], 1ull);
    }
}

/* Before a barrier: the counts of the block join those of the level. */
__device__ static inline void bring_probes(const gpu_sweep &s, unsigned turn)
{
    __syncthreads();
    if (threadIdx.x < SUBGRAPHS) {
        atomicAdd(&s.state->probes[turn][threadIdx.x], block.probes[threadIdx.x]);
        block.probes[threadIdx.x] = 0;
    }
}

/* After it. They become zero before the next barrier but one. */
__device__ static inline void note_probes(const gpu_sweep &s, unsigned turn, int32_t depth)
{
    for (int g = 0; is_noter() && g < SUBGRAPHS; g++) {
        note_of(depth).probes[g] = *(volatile unsigned long long *)&s.state->probes[turn][g];
        s.state->probes[turn][g] = 0;
    }
}

#else

__device__ static inline void note_columns(const gpu_sweep &, bool, uint32_t, const uint4 &) {}
__device__ static inline void bring_probes(const gpu_sweep &, unsigned) {}
__device__ static inline void note_probes(const gpu_sweep &, unsigned, int32_t) {}

#endif

/* ---- what is found ---- */

/* Nobody waits for what is written. Others may find v in the same level: any parent is right. */
__device__ static inline void put_found(const gpu_sweep &s, unsigned turn, uint32_t v, uint32_t parent, int32_t depth)
{
    const gpu_vertices &to = s.of[kind_of(s, v)];
    const uint32_t id = id_of(s, v);
    atomicOr(&s.found[turn * s.words + v / 32], 1u << (v % 32));
    to.depth[id] = depth;
    if (to.parent != NULL)
        to.parent[id] = code_of(s, parent);
}

/* ---- sweeps ---- */

__device__ static inline void load_batch(const gpu_sweep &s, uint32_t first, sweep_batch &b)
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

/* What a thread has found in a level. */
struct sweep_finds {
    unsigned rows, weight;
};

__device__ static inline void sweep_batch_of(const gpu_sweep &s, unsigned turn, int32_t depth, sweep_batch &b,
                                             sweep_finds &finds)
{
#pragma unroll
    for (int j = 0; j < BATCH; j++) {
        const uint32_t row = b.row[j] & SWEEP_ROW;
        const bool looks = b.row[j] != NO_SLICE && !is_visited(row);
        if (!looks)
            b.row[j] = NO_SLICE;
        if (!__any_sync(ALL_LANES, looks))
            continue;
        note_columns(s, looks, row, b.columns[j]);
        if (!is_first_of_row(looks && sees_visited(b.columns[j]), row))
            continue;
        put_found(s, turn, row, s.of[NORMALS].parent != NULL ? visited_column(b.columns[j]) : 0, depth + 1);
        finds.rows++;
        finds.weight += b.row[j] >> SWEEP_ROW_BITS;
    }
}

/* All rows that are not visited look for a visited column. `own` has the first slices of the thread. */
__device__ static void sweep(const gpu_sweep &s, unsigned turn, int32_t depth, sweep_batch &own)
{
    sweep_finds finds = {0, 0};
    sweep_batch_of(s, turn, depth, own, finds);
    for (uint32_t first = thread_of_grid() + BATCH * threads_of_grid(); first - lane_id() < s.count;
         first += BATCH * threads_of_grid()) {
        sweep_batch more;
        load_batch(s, first, more);
        sweep_batch_of(s, turn, depth, more, finds);
    }
    if (!__any_sync(ALL_LANES, finds.rows != 0))
        return;
    const unsigned rows = sum_lanes(finds.rows), weight = sum_lanes(finds.weight);
    if (lane_id() == 0) {
        atomicAdd(&block.found, rows);
        atomicAdd(&block.weight, weight);
    }
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

/* Of all blocks. Then each knows what all have found. */
__device__ static void meet(const gpu_sweep &s, unsigned turn)
{
    bring_probes(s, turn);
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned long long *arrived = s.state->arrived[s.set], met;
        if (blockIdx.x == 0)
            arrived[(turn + 1) % SWEEP_TURNS] = 0;
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

/* Lists the bits of a word. */
__device__ static inline void list_found(one_frontier &to, uint32_t word, uint32_t bits)
{
    for (; bits != 0; bits &= bits - 1) {
        const unsigned at = atomicAdd(&to.vertices, 1u);
        if (at < SWEEP_ONE_VERTICES)
            to.vertex[at] = word * 32 + __ffs(bits) - 1;
    }
}

/* Lists the slices of the frontier's rows. */
__device__ static void list_slices(const gpu_sweep &s, one_frontier &f)
{
    for (unsigned i = threadIdx.x - lane_id(); i < f.vertices; i += blockDim.x) {
        uint32_t first = 0, count = 0;
        if (i + lane_id() < f.vertices) {
            const uint32_t v = f.vertex[i + lane_id()];
            first = s.first[v];
            count = s.first[v + 1] - first;
        }
        const unsigned before = warp_prefix(count);
        unsigned at = 0;
        if (lane_id() == WARP - 1)
            at = atomicAdd(&f.slices, before + count);
        at = __shfl_sync(ALL_LANES, at, WARP - 1) + before;
        const bool fits = at + count <= SWEEP_ONE_SLICES, is_long = fits && count > WARP;
        for (unsigned k = 0; fits && !is_long && k < count; k++)
            block.slice[at + k] = first + k;
        for (unsigned many = __ballot_sync(ALL_LANES, is_long); many != 0; many &= many - 1) {
            const int from = __ffs(many) - 1;
            const unsigned to = __shfl_sync(ALL_LANES, at, from), end = __shfl_sync(ALL_LANES, count, from);
            const uint32_t slice = __shfl_sync(ALL_LANES, first, from);
            for (unsigned k = lane_id(); k < end; k += WARP)
                block.slice[to + k] = slice + k;
        }
    }
}

/* Pushes along the listed slices. */
__device__ static void push_slices(const gpu_sweep &s, unsigned turn, int32_t depth, unsigned count, one_frontier &next)
{
    const bool parents = s.of[NORMALS].parent != NULL;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        const uint32_t slice = block.slice[i];
        const uint4 c = ((const uint4 *)s.slices)[slice];
        const uint32_t columns[SWEEP_COLUMNS] = {c.x, c.y, c.z, c.w}, row = parents ? s.row[slice] & SWEEP_ROW : 0;
#pragma unroll
        for (int j = 0; j < SWEEP_COLUMNS; j++) {
            const uint32_t v = columns[j], bit = 1u << (v % 32);
            if (is_visited(v) || (atomicOr(&visited_mask()[v / 32], bit) & bit))
                continue;
            const unsigned at = atomicAdd(&next.vertices, 1u);
            if (at < SWEEP_ONE_VERTICES)
                next.vertex[at] = v;
            put_found(s, turn, v, row, depth + 1);
            atomicOr(kept_word(s, v / 32), bit);
        }
    }
}

/* By the first block, whose frontier is in block.one[0]: as many levels as it has room for. The frontier that it leaves is
 * what it brings to the barrier. */
__device__ static void run_one(const gpu_sweep &s, unsigned turn, int32_t depth)
{
    unsigned at = 0;
    for (;;) {
        one_frontier &f = block.one[at], &next = block.one[at ^ 1];
        if (threadIdx.x == 0)
            next.vertices = next.slices = 0;
        list_slices(s, f);
        __syncthreads();
        if (f.slices > SWEEP_ONE_SLICES)
            break;
        note_team(depth, SOLO_BY_BLOCK);
        push_slices(s, turn, depth++, f.slices, next);
        __syncthreads();
        at ^= 1;
        if (next.vertices == 0 || next.vertices > SWEEP_ONE_VERTICES)
            break;
    }
    if (threadIdx.x == 0) {
        s.state->depth = depth;
        block.found = block.one[at].vertices;
    }
}

/* ---- between levels ---- */

/* What was found is visited. The first block lists it, if it is to go on alone. The visited masks in device memory get it
 * from one block each. */
__device__ static void take_found(const gpu_sweep &s, unsigned turn, bool lists)
{
    const uint4 *found = (const uint4 *)(s.found + turn * s.words);
    uint4 *visited = (uint4 *)visited_mask();
    uint32_t round = 0;
    if (lists && threadIdx.x == 0)
        block.one[0].vertices = block.one[0].slices = 0;
    if (lists)
        __syncthreads();
    for (uint32_t i = threadIdx.x; i < s.words / 4; i += blockDim.x, round++) {
        const uint4 more = found[i];
        if ((more.x | more.y | more.z | more.w) == 0)
            continue;
        const uint4 v = visited[i];
        visited[i] = make_uint4(v.x | more.x, v.y | more.y, v.z | more.z, v.w | more.w);
        const uint32_t words[4] = {more.x, more.y, more.z, more.w};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            if (words[j] != 0 && round % gridDim.x == blockIdx.x)
                atomicOr(kept_word(s, 4 * i + j), words[j]);
            if (lists)
                list_found(block.one[0], 4 * i + j, words[j]);
        }
    }
    __syncthreads();
}

/* The share of this block. */
__device__ static inline void clear_found(const gpu_sweep &s, unsigned turn)
{
    uint4 *found = (uint4 *)(s.found + turn * s.words);
    for (uint32_t i = thread_of_grid(); i < s.words / 4; i += threads_of_grid())
        found[i] = make_uint4(0, 0, 0, 0);
}

/* The first block clears the visited masks: before the first barrier, nobody else writes to them. */
__device__ static inline void clear_kept(const gpu_sweep &s)
{
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        for (uint32_t i = threadIdx.x; i < s.of[kind].words; i += blockDim.x)
            s.of[kind].visited[i] = 0;
    }
    if (threadIdx.x < SWEEP_TURNS)
        s.state->arrived[s.set ^ 1][threadIdx.x] = 0;
}

/* By all threads. */
__device__ static void start(const gpu_sweep &s)
{
    for (uint32_t i = threadIdx.x; i < s.words; i += blockDim.x)
        visited_mask()[i] = i == s.root / 32 ? 1u << (s.root % 32) : 0;
    if (threadIdx.x == 0) {
        block.found = block.weight = 0;
        for (int g = 0; g < SUBGRAPHS; g++)
            block.probes[g] = 0;
        block.one[0].vertices = 1;
        block.one[0].slices = 0;
        block.one[0].vertex[0] = s.root;
    }
    begin_notes(s.out);
    if (blockIdx.x == 0)
        clear_kept(s);
    __syncthreads();
    if (thread_of_grid() == 0) {
        const gpu_vertices &to = s.of[kind_of(s, s.root)];
        const uint32_t id = id_of(s, s.root);
        to.visited[id / 32] = 1u << (id % 32);
        to.depth[id] = 0;
        if (to.parent != NULL)
            to.parent[id] = ROOT_PARENT;
    }
}

__global__ static void __launch_bounds__(1024, 1) sweep_kernel(const __grid_constant__ gpu_sweep s)
{
    sweep_batch own;
    load_batch(s, thread_of_grid(), own);
    bool one = s.first[s.root + 1] - s.first[s.root] <= SWEEP_ONE_SLICES;
    int32_t depth = 0;
    start(s);
    for (unsigned turn = 0;; turn = (turn + 1) % SWEEP_TURNS) {
        if (!one) {
            note_team(depth, SOLO_BY_SWEEP);
            sweep(s, turn, depth, own);
            note_time(depth, SOLO_VISITED);
        } else if (blockIdx.x == 0) {
            run_one(s, turn, depth);
        }
        clear_found(s, (turn + 1) % SWEEP_TURNS);
        meet(s, turn);
        if (!one)
            note_probes(s, turn, depth);
        depth = one ? *(volatile int32_t *)&s.state->depth : depth + 1;
        const unsigned found = found_of(block.met);
        if (found == 0)
            break;
        one = !one && found <= FEW_VERTICES && weight_of(block.met) <= FEW_SLICES;
        take_found(s, turn, one && blockIdx.x == 0);
    }
    end_notes(depth);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        __threadfence_system();
        s.out.mail->report = (uint64_t)s.number << 32 | (uint32_t)depth;
    }
    for (unsigned turn = 0; turn < SWEEP_TURNS; turn++)
        clear_found(s, turn);
}

static struct solo_program program()
{
    return solo_program{(const void *)sweep_kernel, 0};
}

#endif
