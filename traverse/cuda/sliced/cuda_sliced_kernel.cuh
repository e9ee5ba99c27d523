/* cuda_sliced_kernel.cuh: a search by slices; see cuda_sliced.h and its twin, cuda_whole_kernel.cuh */
#ifndef DBFS_CUDA_SLICED_KERNEL_CUH
#define DBFS_CUDA_SLICED_KERNEL_CUH

#include "cuda_sliced_all.cuh"
#include "cuda_sliced_answer.cuh"
#include "cuda_sliced_one.cuh"
#include "cuda_sliced_rows.cuh"

/* ---- the barrier ---- */

/* The word that a block brings to a barrier: 1 for itself, and above it its found rows and their
 * slices. */
enum { FOUND_SHIFT = 10, WEIGHT_SHIFT = 36 };

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

/* Adds the block's probes to those of the level before the barrier, for notes. */
template <class B> __device__ static inline void bring_probes(B &block, const gpu_sliced &s, unsigned turn)
{
    if (!B::noted)
        return;
    __syncthreads();
    if (threadIdx.x < SUBGRAPHS) {
        atomicAdd(&s.state->probes[turn][threadIdx.x], (unsigned long long)block.probes[threadIdx.x]);
        block.probes[threadIdx.x] = 0;
    }
}

/* Reports the end of the search, which has found so many levels. Writes before the last system-wide fence are there. */
__device__ static inline void report_end(const gpu_sliced &s, int32_t levels)
{
    s.out.search.mail->report = (uint64_t)s.order.number << 32 | (uint32_t)levels;
}

enum { GOES_ON = -1 };

/* The barrier of all blocks. After it each block knows the counts of all. `levels`, unless GOES_ON: the first block reports
 * the end of the search as it comes here, which the others need not wait for. */
template <class B> __device__ static void meet(B &block, const gpu_sliced &s, unsigned turn, int32_t levels)
{
    bring_probes(block, s, turn);
    __syncthreads();
    if (threadIdx.x == 0) {
        const bool reports = blockIdx.x == 0 && levels != GOES_ON;
        unsigned long long *arrived = s.state->arrived[s.set], met;
        if (blockIdx.x == 0)
            arrived[after(turn)] = 0;
        met = 1 | (unsigned long long)block.found << FOUND_SHIFT | (unsigned long long)block.weight << WEIGHT_SHIFT;
        block.found = block.weight = 0;
        if (reports)
            __threadfence_system();
        else
            fence_of_gpu();
        atomicAdd(&arrived[turn], met);
        if (reports)
            report_end(s, levels);
        do
            met = load_acquire(&arrived[turn]);
        while (blocks_met(met) != gridDim.x);
        block.met = met;
    }
    __syncthreads();
}

/* ---- between levels ---- */

/* The found vertices that a block puts into its second list: all, before it goes on alone; or those
 * of its own words, before they are pushed. */
enum listing { LISTS_NONE, LISTS_ALL, LISTS_OWN };

template <class B> __device__ static inline void list_vertices(B &block, uint32_t word, uint32_t bits)
{
    if (bits == 0)
        return;
    unsigned at = atomicAdd(&block.count[1], (unsigned)__popc(bits));
    for (; bits != 0; bits &= bits - 1)
        block.slice[1][at++] = word * 32 + __ffs(bits) - 1;
}

/* Lists the slices of all these vertices in the first list. */
template <class B> __device__ static inline void list_slices(B &block, const gpu_sliced &s)
{
    __syncthreads();
    for (unsigned i = threadIdx.x; i < block.count[1]; i += blockDim.x) {
        const uint32_t v = block.slice[1][i], first = s.first[v], count = s.first[v + 1] - first;
        const unsigned at = atomicAdd(&block.count[0], count);
        for (unsigned k = 0; k < count && at + k < ONE_SLICES; k++)
            block.slice[0][at + k] = first + k;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        block.count[1] = 0;
}

/* Whether a word belongs to this block. A multiple of the golden ratio spreads words over the
 * blocks, neighbours far apart. */
__device__ static inline bool is_own_word(uint32_t word)
{
    return (uint32_t)((uint64_t)(word * 0x9e3779b1u) * gridDim.x >> 32) == blockIdx.x;
}

/* Marks vertices found in words 4 * i to 4 * i + 3 as visited. */
template <class B> __device__ static inline void take_words(B &block, uint32_t i, const uint4 &more, listing lists)
{
    uint4 *visited = (uint4 *)visited_mask();
    if ((more.x | more.y | more.z | more.w) == 0)
        return;
    const uint4 v = visited[i];
    visited[i] = make_uint4(v.x | more.x, v.y | more.y, v.z | more.z, v.w | more.w);
    if (lists == LISTS_NONE)
        return;
    const uint32_t word[4] = {more.x, more.y, more.z, more.w};
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
        if (lists == LISTS_ALL || is_own_word(4 * i + k))
            list_vertices(block, 4 * i + k, word[k]);
    }
}

/* Marks all found vertices as visited. A thread has AT_ONCE reads under way; if several, each block begins in another
 * place. */
template <int AT_ONCE, class B>
__device__ static void take_found(B &block, const gpu_sliced &s, unsigned turn, listing lists)
{
    const uint4 *found = (const uint4 *)(s.found + turn * s.words);
    const uint32_t all = s.words / 4, begin = AT_ONCE > 1 ? all / gridDim.x * blockIdx.x : 0;
    if (threadIdx.x < SLICED_TURNS)
        block.count[threadIdx.x] = 0;
    if (lists != LISTS_NONE)
        __syncthreads();
    for (uint32_t first = threadIdx.x; first < all; first += AT_ONCE * blockDim.x) {
        uint4 more[AT_ONCE];
        uint32_t at[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
            const uint32_t i = first + j * blockDim.x;
            at[j] = i + begin < all ? i + begin : i + begin - all;
            more[j] = i < all ? found[at[j]] : make_uint4(0, 0, 0, 0);
        }
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            take_words(block, at[j], more[j], lists);
    }
    if (lists == LISTS_ALL)
        list_slices(block, s);
    __syncthreads();
}

/* Clears the share of this block. */
__device__ static inline void clear_found(const gpu_sliced &s, unsigned turn)
{
    uint4 *found = (uint4 *)(s.found + turn * s.words);
    for (uint32_t i = thread_of_grid(); i < s.words / 4; i += threads_of_grid())
        found[i] = make_uint4(0, 0, 0, 0);
}

/* Notes the probes of a level of all blocks. Counts are zero before the next barrier but one. */
template <class B>
__device__ static inline void note_probes(B &block, const gpu_sliced &s, unsigned turn, int32_t depth)
{
    if constexpr (B::noted) {
        for (int g = 0; is_noter() && g < SUBGRAPHS; g++) {
            note_of(block.notes, depth).probes[g] = *(volatile unsigned long long *)&s.state->probes[turn][g];
            s.state->probes[turn][g] = 0;
        }
    }
}

/* Notes of a level of all blocks whether rows looked for parents. */
template <class B> __device__ static inline void note_pull(B &block, int32_t depth, bool pulled)
{
    if constexpr (B::noted) {
        if (is_noter())
            note_of(block.notes, depth).pulled = pulled ? (1u << SUBGRAPHS) - 1 : 0;
    }
}

/* ---- a search ---- */

/* Makes the root the frontier, as a list. */
template <class B> __device__ static void start(B &block, const gpu_sliced &s)
{
    const uint32_t first = s.first[s.root], count = s.first[s.root + 1] - first;
    for (uint32_t i = threadIdx.x; i < s.words / 4; i += blockDim.x)
        ((uint4 *)visited_mask())[i] = make_uint4(0, 0, 0, 0);
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
    begin_notes(block.notes, s.out.search);
    __syncthreads();
    if (threadIdx.x == 0)
        visited_mask()[s.root / 32] = 1u << (s.root % 32);
    __syncthreads();
}

/* The first block reports, and only then shows its masks, unless they are `shown`: the other blocks write the answer by
 * now, and what this block writes waits for them. */
template <class B> __device__ static void finish(B &block, const gpu_sliced &s, int32_t depth, bool shown)
{
    end_notes(block.notes, depth);
    if (threadIdx.x == 0) {
        __threadfence_system();
        report_end(s, depth);
    }
    if (!shown)
        write_visited(s);
}

/* The same of a search of which each block knows that it is over. All blocks call it. */
template <class B> __device__ static void finish_together(B &block, const gpu_sliced &s, unsigned turn, int32_t depth)
{
    if (blockIdx.x == 0)
        end_notes(block.notes, depth);
    meet(block, s, turn, depth);
    if (blockIdx.x == 0)
        write_visited(s);
}

/* ---- which way a level goes ---- */

enum sliced_way { BY_ONE, BY_ALL_SLICES, BY_ROWS, BY_PUSH };

/* The state between two levels, the same in all blocks. */
struct sliced_progress {
    sliced_way way;
    int32_t depth;
    unsigned found, weight; /* vertices of the frontier, and their slices */
    unsigned left;          /* slices of rows that are not visited */
};

/* Estimates the slices that a pull by rows reads: a row ends when a slice has found a parent. */
__device__ static inline float pulled_slices(const gpu_sliced &s, const sliced_progress &p)
{
    const float vertices = (float)(s.of[DELEGATES].count + s.of[NORMALS].count);
    const float rows = (float)p.left * vertices / (float)s.count;
    const float until = (float)(p.left + p.weight) / (float)(SLICED_COLUMNS * (uint64_t)p.weight + 1);
    return min((float)p.left, rows * max(until, 1.0f));
}

/* The first block begins alone if the frontier is a small part, 1 / FEW, of the most that it may push, unless it has just
 * given up. */
__device__ static inline sliced_way next_way(const gpu_sliced &s, const sliced_progress &p)
{
    enum {
        FEW_FOUND = 8,
        FEW_SLICES = 4,
#define SLICED_WAY(name, value, unit, what) name = value,
#include "formats/rates.def"
    };
    if (p.way != BY_ONE && p.found <= s.one / FEW_FOUND && p.weight <= s.one / FEW_SLICES)
        return BY_ONE;
    if (s.rows.heads == NULL)
        return BY_ALL_SLICES;
    return (float)p.weight * PUSH_PRICE < pulled_slices(s, p) ? BY_PUSH : BY_ROWS;
}

template <class B> __device__ static inline sliced_progress first_progress(B &block, const gpu_sliced &s)
{
    const unsigned slices = block.count[0];
    sliced_progress p = {BY_PUSH, 0, 1, slices, s.count - slices};
    p.way = slices <= s.one ? BY_ONE : next_way(s, p);
    return p;
}

/* Called after the barrier. Whether there is a next level. At the depth where the search ends, a
 * level finds nothing: in it the blocks take in the vertices of the last one. */
template <class B> __device__ static inline bool advance(B &block, const gpu_sliced &s, sliced_progress &p)
{
    const bool one = p.way == BY_ONE;
    if (p.depth < s.order.deepest)
        p.depth = one ? *(volatile int32_t *)&s.state->depth : p.depth + 1;
    p.found = found_of(block.met);
    p.weight = weight_of(block.met);
    p.left -= one ? *(volatile uint32_t *)&s.state->seen : p.weight;
    p.way = next_way(s, p);
    return p.found != 0;
}

/* Called after advance(): the vertices that this block lists for the next level. Each block lists few, except of levels by
 * rows, whose pushes want a frontier that all know. `one`: the last level was of the first block, and p.found does not count its vertices. Few vertices are listed: they are found in several hundred levels, which
 * wait for nothing but reads. */
template <bool ROWS>
__device__ static inline listing next_listing(const sliced_progress &p, bool one)
{
    if (p.way == BY_ONE)
        return !ROWS || blockIdx.x == 0 ? LISTS_ALL : LISTS_NONE;
    return ROWS && p.way == BY_PUSH && !one && p.found <= ONE_SLICES ? LISTS_OWN : LISTS_NONE;
}

/* Does a level. `form`: that of the frontier, for a push. `few`: it as a list of slices, if the first block pushes it. */
template <bool ROWS, class B>
__device__ static inline void run_level(B &block, const gpu_sliced &s, unsigned turn, const sliced_progress &p,
                                        frontier_form form, const one_progress &few, slice_batch &own)
{
    if (p.depth == s.order.deepest)
        return;
    if (p.way == BY_ONE) {
        if (blockIdx.x == 0)
            run_one(block, s, turn, few);
        return;
    }
    note_team(block.notes, p.depth, WHOLE_BY_SLICES);
    note_pull(block, p.depth, p.way != BY_PUSH);
    if (!ROWS)
        pull_slices(block, s, turn, p.depth, own);
    else if (p.way == BY_ROWS)
        pull_rows(block, s, turn, p.depth);
    else
        push_rows(block, s, turn, p.depth, form);
    note_time(block.notes, p.depth, WHOLE_VISITED);
}

/* Does a few small levels by each block. All find the same and come to the same frontier, so no block waits for another
 * one. Whether the search is over. */
template <class B>
__device__ static inline bool run_each(B &block, const gpu_sliced &s, sliced_progress &p, one_progress &few)
{
    enum { LEVELS = 4 };
    few.until = min(s.order.deepest, p.depth + LEVELS);
    run_alone(block, s, few);
    p.depth = few.depth;
    p.left -= few.seen;
    if (few.count > s.one)
        p.way = BY_ALL_SLICES;
    return few.count == 0 || p.depth == s.order.deepest;
}

template <bool ROWS, class B> __device__ static inline void search_slices(B &block, const gpu_sliced &s)
{
    slice_batch own;
    if (!ROWS)
        load_batch(s, thread_of_grid(), own);
    start(block, s);
    sliced_progress p = first_progress(block, s);
    frontier_form form = FRONTIER_MASK;
    bool more = true;
    unsigned turn = 0;
    for (; more; turn = after(turn)) {
        one_progress few = {0, 0, block.count[0], 0, p.depth, 0};
        if (!ROWS && p.way == BY_ONE && run_each(block, s, p, few))
            break;
        const bool one = p.way == BY_ONE;
        const int32_t depth = p.depth;
        run_level<ROWS>(block, s, turn, p, form, few, own);
        meet(block, s, turn, GOES_ON);
        clear_found(s, previous(turn));
        if (!one)
            note_probes(block, s, turn, depth);
        more = advance(block, s, p);
        const listing lists = next_listing<ROWS>(p, one);
        form = one ? FRONTIER_VISITED : lists == LISTS_OWN ? FRONTIER_LISTED : FRONTIER_MASK;
        if (more)
            take_found<!ROWS ? 1 : B::noted ? 4 : 8>(block, s, turn, lists);
    }
    if (more) /* each block saw the end by itself */
        finish_together(block, s, turn, p.depth);
    else if (blockIdx.x == 0)
        finish(block, s, p.depth, form == FRONTIER_VISITED);
    if (s.out.answer.vertex != NULL)
        write_answer<ROWS ? 4 : 2>(s, form == FRONTIER_VISITED);
    for (unsigned turn = 0; turn < SLICED_TURNS; turn++)
        clear_found(s, turn);
}

/* Levels read all slices. */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED> block;
    search_slices<false>(block, s);
}

/* Levels go by rows. */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_rows_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED> block;
    search_slices<true>(block, s);
}

template <bool NOTED> static struct whole_program program(int by_rows)
{
    const void *all = (const void *)sliced_kernel<NOTED>;
    const void *rows = (const void *)sliced_rows_kernel<NOTED>;
    return whole_program{by_rows ? rows : all, 0};
}

#endif
