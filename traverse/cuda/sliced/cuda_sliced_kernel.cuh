/* cuda_sliced_kernel.cuh: a sliced search; see cuda_sliced.h and its twin, cuda_fused_kernel.cuh */
#ifndef DBFS_CUDA_SLICED_KERNEL_CUH
#define DBFS_CUDA_SLICED_KERNEL_CUH

#include "cuda_sliced_all.cuh"
#include "cuda_sliced_answer.cuh"
#include "cuda_sliced_lists.cuh"
#include "cuda_sliced_rows.cuh"

/* ---- the kind of a level ---- */

/* The share of the most slices of one block (s.block_capacity) from which on a frontier is small. */
enum { SMALL_SHARE = 4 };

/* Costs, in slices that a pull reads. */
enum sliced_cost {
#define SLICED_WAY(name, value, unit, what) name = value,
#include "formats/rates.def"
};

/* Predicts the slices that PULL reads: a row ends when a slice has found a parent. */
__device__ static inline float pulled_slices(const gpu_sliced &s, const sliced_progress &p)
{
    const float vertices = (float)(s.of[DELEGATES].count + s.of[NORMALS].count);
    const float rows = (float)p.left * vertices / (float)s.count;
    const float until = (float)(p.left + p.weight) / (float)(SLICED_COLUMNS * (uint64_t)p.weight + 1);
    return min((float)p.left, rows * max(until, 1.0f));
}

/* Chooses a dense level. */
__device__ static inline level_kind dense_kind(const gpu_sliced &s, const sliced_progress &p)
{
    if (s.heads == NULL)
        return LEVEL_SLICED_ALL;
    return (float)p.weight * PUSH_PRICE < pulled_slices(s, p) ? LEVEL_SLICED_PUSH : LEVEL_SLICED_PULL;
}

/* Whether a sparse level of all blocks is predicted to cost least, and there is capacity for its frontier. A dense level
 * also reads the words of a bitmap. */
__device__ static inline bool is_sparse(const gpu_sliced &s, const sliced_progress &p)
{
    const float push = (float)p.weight * PUSH_PRICE, words = (float)s.words * WORD_PRICE;
    return p.weight <= SLICED_LISTED && (push < words || push < words + pulled_slices(s, p));
}

/* Chooses the next level. The first block begins to work by itself at a small frontier, unless it has just stopped doing
 * so: its list may not have held the frontier then. */
template <class B> __device__ static inline level_kind next_kind(const gpu_sliced &s, const sliced_progress &p)
{
    enum { FOUND_SHARE = 8 };
    const bool was_one = p.kind == LEVEL_SLICED_BLOCK;
    if (p.depth == s.order.deepest)
        return dense_kind(s, p);
    if (!was_one && p.found <= s.block_capacity / FOUND_SHARE && p.weight <= s.block_capacity / SMALL_SHARE)
        return LEVEL_SLICED_BLOCK;
    if (B::by_rows && (!was_one || p.weight <= s.list_capacity) && is_sparse(s, p))
        return LEVEL_SLICED_SPARSE;
    return dense_kind(s, p);
}

/* ---- the barrier ---- */

/* The word that a block brings to a barrier: 1 for itself, and above it its found rows and their slices. */
enum { FOUND_SHIFT = 10, WEIGHT_SHIFT = 36 };

/* Makes p the state after a level; `sum` is the sum of all blocks' words. At the depth where the search ends, a level finds
 * nothing: in it the blocks take in the vertices of the last one. By one thread. */
template <class B> __device__ static inline void advance(const gpu_sliced &s, unsigned long long sum, sliced_progress &p)
{
    const bool one = p.kind == LEVEL_SLICED_BLOCK;
    if (p.kind == LEVEL_SLICED_SPARSE && p.depth < s.order.deepest) { /* its list is made, and not pushed yet */
        p.list++;
        return;
    }
    if (p.depth < s.order.deepest)
        p.depth = one ? *(volatile int32_t *)&s.state->depth : p.depth + 1;
    p.found = (unsigned)(sum >> FOUND_SHIFT) & ((1u << (WEIGHT_SHIFT - FOUND_SHIFT)) - 1);
    p.weight = (unsigned)(sum >> WEIGHT_SHIFT);
    p.left -= one ? *(volatile uint32_t *)&s.state->seen : p.weight;
    p.kind = next_kind<B>(s, p);
}

/* Reports to the host that the search is over, with its number of levels. The host sees all writes before the last
 * system-wide fence. */
__device__ static inline void report_end(const gpu_sliced &s, int32_t levels)
{
    s.out.mapped->report = (uint64_t)s.order.number << 32 | (uint32_t)levels;
}

enum { GOES_ON = -1 };

/* The barrier of all blocks. If `levels` is GOES_ON, each block knows the counts of all and the next level afterwards.
 * Otherwise the search is over: the first block reports `levels` to the host as soon as it arrives, so that the host does
 * not wait for the other blocks. */
template <class B> __device__ static void grid_barrier(B &block, const gpu_sliced &s, unsigned round, int32_t levels)
{
    if (B::noted) {
        __syncthreads();
        if (threadIdx.x < SUBGRAPHS) {
            atomicAdd(&s.state->probes[round][threadIdx.x], (unsigned long long)block.probes[threadIdx.x]);
            block.probes[threadIdx.x] = 0;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const bool reports = blockIdx.x == 0 && levels != GOES_ON;
        unsigned long long *arrived = s.state->arrived[s.set], word;
        if (blockIdx.x == 0)
            arrived[next_round(round)] = 0;
        word = 1 | (unsigned long long)block.found << FOUND_SHIFT | (unsigned long long)block.weight << WEIGHT_SHIFT;
        block.found = block.weight = 0;
        if (reports)
            __threadfence_system();
        else
            fence_of_gpu();
        atomicAdd(&arrived[round], word);
        if (reports)
            report_end(s, levels);
        do
            word = load_acquire(&arrived[round]);
        while (((unsigned)word & ((1u << FOUND_SHIFT) - 1)) != gridDim.x);
        if (levels == GOES_ON)
            advance<B>(s, word, block.now);
    }
    __syncthreads();
}

/* ---- between levels: blocks add what was found to their visited bits ---- */

/* The found vertices that a block puts into block.slice[1] meanwhile: all, before it goes on by itself; or those
 * of its own words, before they are pushed. */
enum listing { LISTS_NONE, LISTS_ALL, LISTS_OWN };

template <class B> __device__ static inline void list_vertices(B &block, uint32_t word, uint32_t bits)
{
    if (bits == 0)
        return;
    unsigned at = atomicAdd(&block.count[1], (unsigned)__popc(bits));
    for (; bits != 0 && at < BLOCK_SLICES; bits &= bits - 1)
        block.slice[1][at++] = word * 32 + __ffs(bits) - 1;
}

/* Replaces the vertices in block.slice[1] by their slices in block.slice[0]. */
template <class B> __device__ static inline void list_slices(B &block, const gpu_sliced &s)
{
    __syncthreads();
    for (unsigned i = threadIdx.x; i < block.count[1]; i += blockDim.x) {
        const uint32_t v = block.slice[1][i], first = s.first[v], count = s.first[v + 1] - first;
        const unsigned at = atomicAdd(&block.count[0], count);
        for (unsigned k = 0; k < count && at + k < BLOCK_SLICES; k++)
            block.slice[0][at + k] = first + k;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        block.count[1] = 0;
}

/* Adds words 4 * i to 4 * i + 3 of `found` to the near bits. A block's own words are spread by a multiple of the golden
 * ratio, neighbours far apart. */
template <class B> __device__ static inline void add_near_words(B &block, uint32_t i, const uint4 &more, listing lists)
{
    uint4 *visited = (uint4 *)near_bits();
    if ((more.x | more.y | more.z | more.w) == 0)
        return;
    const uint4 v = visited[i];
    visited[i] = make_uint4(v.x | more.x, v.y | more.y, v.z | more.z, v.w | more.w);
    if (lists == LISTS_NONE)
        return;
    const uint32_t word[4] = {more.x, more.y, more.z, more.w};
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
        if (lists == LISTS_ALL || (uint32_t)((uint64_t)((4 * i + k) * 0x9e3779b1u) * gridDim.x >> 32) == blockIdx.x)
            list_vertices(block, 4 * i + k, word[k]);
    }
}

/* Adds words of `found` to the far bits: each block its share, since all blocks see them; for LISTS_ALL this block adds
 * all. */
template <class B> __device__ static inline void add_far_words(B &block, const gpu_sliced &s, listing lists)
{
    const bool all = lists == LISTS_ALL;
    const uint32_t first = all ? threadIdx.x : threadIdx.x * gridDim.x + blockIdx.x;
    for (uint32_t i = s.near_words + first; i < s.words; i += all ? blockDim.x : threads_of_grid()) {
        const uint32_t more = s.found[block.last + i];
        if (more == 0)
            continue;
        atomicOr(&s.far[i], more);
        if (lists != LISTS_NONE)
            list_vertices(block, i, more);
    }
}

/* Adds all of the `found` bitmap of a round to the visited bits. A thread has AT_ONCE reads under way; if several, each
 * block begins in another place. */
template <int AT_ONCE, class B>
__device__ static void add_found(B &block, const gpu_sliced &s, unsigned round, listing lists)
{
    const uint4 *found = (const uint4 *)(s.found + round * s.words);
    const uint32_t all = (B::split ? s.near_words : s.words) / 4, begin = AT_ONCE > 1 ? all / gridDim.x * blockIdx.x : 0;
    if (threadIdx.x < SLICED_ROUNDS)
        block.count[threadIdx.x] = 0;
    if (B::split && threadIdx.x == 0)
        block.last = round * s.words;
    if (B::split || lists != LISTS_NONE)
        __syncthreads();
    if constexpr (B::split)
        add_far_words(block, s, lists);
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
            add_near_words(block, at[j], more[j], lists);
    }
    if (lists == LISTS_ALL)
        list_slices(block, s);
    __syncthreads();
}

/* Adds the vertices that the last levels found to this block's visited bits. `one`: the first block did these levels;
 * `sparse`: sparse levels came after them. Returns the form of the frontier. */
template <class B>
__device__ static inline frontier_form take_level(B &block, const gpu_sliced &s, unsigned round, bool one, bool sparse)
{
    const sliced_progress &p = block.now;
    const bool more = p.found != 0, to_one = p.kind == LEVEL_SLICED_BLOCK;
    listing lists = LISTS_NONE;
    if (one || sparse) /* the last bitmap has all visited vertices, not those of one level */
        lists = LISTS_NONE;
    else if (to_one)
        lists = !B::by_rows || blockIdx.x == 0 ? LISTS_ALL : LISTS_NONE;
    else if (p.kind == LEVEL_SLICED_SPARSE || (B::by_rows && p.kind == LEVEL_SLICED_PUSH && p.found <= BLOCK_SLICES))
        lists = LISTS_OWN;
    if (more)
        add_found<!B::by_rows ? 1 : B::noted ? 4 : 8>(block, s, round, lists);
    if (B::by_rows && more && sparse && to_one && blockIdx.x == 0) { /* the frontier becomes that of the first block */
        const sparse_frontier f = {p.list, p.weight, true};
        for (unsigned i = threadIdx.x; i < f.total; i += blockDim.x)
            block.slice[0][i] = listed_slice(block, s, f, i);
        if (threadIdx.x == 0)
            block.count[0] = f.total;
        __syncthreads();
    }
    if (sparse)
        return more ? FRONTIER_VISITED : FRONTIER_NONE;
    return one ? FRONTIER_VISITED : lists == LISTS_OWN ? FRONTIER_LISTED : FRONTIER_FOUND;
}

/* Clears the share of this block. */
__device__ static inline void clear_found(const gpu_sliced &s, unsigned round)
{
    uint4 *found = (uint4 *)(s.found + round * s.words);
    for (uint32_t i = thread_of_grid(); i < s.words / 4; i += threads_of_grid())
        found[i] = make_uint4(0, 0, 0, 0);
}

/* ---- levels ---- */

/* Does one level by all blocks, or levels by the first block, as block.now.kind says. `form`: where a push finds the
 * frontier. `few`: the frontier as a list of slices, for BLOCK. `own`: the first slices of the thread, for ALL. */
template <class B>
__device__ static inline void run_level(B &block, const gpu_sliced &s, unsigned round, frontier_form form,
                                        const block_frontier &few, slice_batch &own)
{
    const sliced_progress &p = block.now;
    if (p.depth == s.order.deepest)
        return;
    if (p.kind == LEVEL_SLICED_BLOCK) {
        if (blockIdx.x == 0)
            run_first_block(block, s, round, few);
        return;
    }
    if (B::by_rows && p.kind == LEVEL_SLICED_SPARSE) { /* run_sparse pushes the list after the barrier */
        list_parts(block, s, s.found + round * s.words, p.list + 1);
        return;
    }
    note_level(block.notes, p.depth, p.kind);
    if constexpr (B::noted) {
        if (is_noter(block.notes))
            note_of(block.notes, p.depth).pulled = p.kind != LEVEL_SLICED_PUSH ? (1u << SUBGRAPHS) - 1 : 0;
    }
    if (!B::by_rows)
        pull_slices(block, s, round, p.depth, own);
    else if (p.kind == LEVEL_SLICED_PULL)
        pull_rows(block, s, round, p.depth);
    else
        push_rows(block, s, round, p.depth, form);
    note_time(block.notes, p.depth, FUSED_VISITED);
}

/* Does sparse levels of all blocks, while they are predicted to cost least. The level before left the frontier as a list,
 * in the first block (`one`) or in all blocks. It stops after SMALL_LEVELS frontiers that were small enough for the first
 * block: handing a list over costs as much as two levels. Found vertices get their bits in the `found` bitmap of the
 * round, which has all visited bits. Not inlined, so that other levels keep more in registers. */
template <class B>
__device__ static __noinline__ void run_sparse(B &block, const gpu_sliced &s, unsigned round, bool one)
{
    enum { SMALL_LEVELS = 4 };
    sliced_progress p = block.now;
    sparse_frontier f = one ? frontier_of_first_block(block, p.list, p.weight) : gather_parts(block, s, p.list);
    unsigned small = 0;
    while (f.total > 0 && f.fits && small < SMALL_LEVELS && p.depth < s.order.deepest && is_sparse(s, p)) {
        push_sparse(block, s, s.found + round * s.words, f, p.depth++);
        tell_part(block, s, f.number + 1);
        f = gather_parts(block, s, f.number + 1);
        p.found = p.weight = f.total; /* no fewer than its vertices */
        p.left -= f.total;
        small = f.total <= s.block_capacity / SMALL_SHARE ? small + 1 : 0;
    }
    p.kind = f.fits && small == SMALL_LEVELS && p.depth < s.order.deepest ? LEVEL_SLICED_BLOCK : dense_kind(s, p);
    p.list = f.number;
    if (threadIdx.x == 0)
        block.now = p;
    __syncthreads();
}

/* Does a few small levels in each block. All blocks find the same vertices and reach the same frontier, so none waits for
 * another. Returns whether the search is over. */
template <class B> __device__ static inline bool run_each_block(B &block, const gpu_sliced &s, block_frontier &few)
{
    enum { LEVELS = 4 };
    few.until = min(s.order.deepest, few.depth + LEVELS);
    push_small_levels(block, s, few);
    __syncthreads();
    if (threadIdx.x == 0) {
        block.now.depth = few.depth;
        block.now.left -= few.seen;
        if (few.count > s.block_capacity)
            block.now.kind = LEVEL_SLICED_ALL;
    }
    __syncthreads();
    return few.count == 0 || few.depth == s.order.deepest;
}

/* ---- a search ---- */

/* Makes the root the frontier, as a list of slices. */
template <class B> __device__ static void start(B &block, const gpu_sliced &s)
{
    const uint32_t first = s.first[s.root], count = s.first[s.root + 1] - first;
    for (uint32_t i = threadIdx.x; i < (B::split ? s.near_words : s.words) / 4; i += blockDim.x)
        ((uint4 *)near_bits())[i] = make_uint4(0, 0, 0, 0);
    if (B::split) /* the far bits of the next search */
        clear_found(s, SLICED_ROUNDS + (s.set ^ 1));
    for (uint32_t k = threadIdx.x; k < count && k < BLOCK_SLICES; k += blockDim.x)
        block.slice[0][k] = first + k;
    if (threadIdx.x < SUBGRAPHS)
        block.probes[threadIdx.x] = 0;
    if (threadIdx.x < SLICED_ROUNDS)
        block.count[threadIdx.x] = threadIdx.x == 0 ? count : 0;
    if (threadIdx.x == 0) {
        sliced_progress p = {LEVEL_SLICED_PUSH, 0, 1, count, s.count - count, 0};
        p.kind = count <= s.block_capacity ? LEVEL_SLICED_BLOCK : dense_kind(s, p);
        block.found = block.weight = 0;
        block.now = p;
        if (B::split)
            block.last = previous_round(0) * s.words;
    }
    if (blockIdx.x == 0 && threadIdx.x < SLICED_ROUNDS)
        s.state->arrived[s.set ^ 1][threadIdx.x] = 0;
    if (thread_of_grid() == 0)
        put_depth(s, s.root, 0, ROOT_PARENT);
    begin_notes(block.notes, s.out);
    __syncthreads();
    if (threadIdx.x == 0) { /* each block sets a far bit, too, as there is no barrier behind it */
        const uint32_t word = s.root / 32, bit = 1u << (s.root % 32);
        if (is_far(block, s, word))
            atomicOr(&s.far[word], bit);
        else
            near_bits()[word] = bit;
    }
    __syncthreads();
}

/* Reports the end, writes visited bits and the answer, and clears `found`. `form`: of the last frontier, which is empty.
 * `each`: each block saw the end by itself, so it needs a barrier, at which the first block reports. */
template <class B>
__device__ static inline void end_search(B &block, const gpu_sliced &s, unsigned round, frontier_form form, bool each)
{
    const bool written = form == FRONTIER_VISITED; /* the first block did the last level, and wrote its visited bits */
    if (blockIdx.x == 0)
        end_notes(block.notes, block.now.depth);
    if (each) {
        grid_barrier(block, s, round, block.now.depth);
    } else if (blockIdx.x == 0 && threadIdx.x == 0) {
        /* before the first block writes its part of the answer, as a report waits for all that its block wrote */
        __threadfence_system();
        report_end(s, block.now.depth);
    }
    if (B::by_rows && form == FRONTIER_NONE) {
        add_found<B::noted ? 4 : 8>(block, s, previous_round(round), LISTS_NONE);
        tell_part(block, s, block.now.list + 1); /* no block clears what others still read */
        gather_parts(block, s, block.now.list + 1);
    }
    if (blockIdx.x == 0 && !written)
        write_visited(block, s);
    if (s.answer.vertex != NULL)
        write_answer<B::by_rows ? 4 : 2>(block, s, written);
    for (unsigned i = 0; i < SLICED_ROUNDS; i++)
        clear_found(s, i);
}

template <class B> __device__ static inline void search_slices(B &block, const gpu_sliced &s)
{
    slice_batch own;
    if (!B::by_rows)
        load_batch(s, thread_of_grid(), own);
    start(block, s);
    frontier_form form = FRONTIER_FOUND;
    bool each = false;
    unsigned round = 0;
    for (; block.now.found != 0; round = next_round(round)) {
        block_frontier few = {0, 0, block.count[0], 0, block.now.depth, 0};
        each = !B::by_rows && block.now.kind == LEVEL_SLICED_BLOCK && run_each_block(block, s, few);
        if (each)
            break;
        const level_kind kind = block.now.kind;
        const bool one = kind == LEVEL_SLICED_BLOCK, listed = one || kind == LEVEL_SLICED_SPARSE;
        const int32_t depth = block.now.depth;
        run_level(block, s, round, form, few, own);
        grid_barrier(block, s, round, GOES_ON);
        clear_found(s, previous_round(round));
        if constexpr (B::noted) { /* the counts of probes are zero before the next barrier but one */
            for (int g = 0; !listed && is_noter(block.notes) && g < SUBGRAPHS; g++) {
                note_of(block.notes, depth).probes[g] = *(volatile unsigned long long *)&s.state->probes[round][g];
                s.state->probes[round][g] = 0;
            }
        }
        const bool sparse = B::by_rows && block.now.found != 0 && block.now.kind == LEVEL_SLICED_SPARSE && listed;
        if (sparse)
            run_sparse(block, s, round, one);
        form = take_level(block, s, round, one, sparse);
    }
    end_search(block, s, round, form, each);
}

/* Without heads: dense levels read all slices. */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED, false, false> block;
    search_slices(block, s);
}

/* With heads: dense levels pull or push rows. */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_rows_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED, true, false> block;
    search_slices(block, s);
}

/* With heads and far bits. */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_split_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED, true, true> block;
    search_slices(block, s);
}

template <bool NOTED> static struct fused_program program(const struct gpu_sliced *s)
{
    const void *all = (const void *)sliced_kernel<NOTED>;
    const void *rows = (const void *)sliced_rows_kernel<NOTED>;
    const void *split = (const void *)sliced_split_kernel<NOTED>;
    return fused_program{s->near_words < s->words ? split : s->heads != NULL ? rows : all, 0};
}

#endif
