/* cuda_sliced_kernel.cuh: a search by slices; see cuda_sliced.h and its twin, cuda_fused_kernel.cuh */
#ifndef DBFS_CUDA_SLICED_KERNEL_CUH
#define DBFS_CUDA_SLICED_KERNEL_CUH

#include "cuda_sliced_all.cuh"
#include "cuda_sliced_answer.cuh"
#include "cuda_sliced_lists.cuh"
#include "cuda_sliced_rows.cuh"

/* ---- which way a level goes ---- */

/* Estimates the slices that a pull by rows reads: a row ends when a slice has found a parent. */
__device__ static inline float pulled_slices(const gpu_sliced &s, const sliced_progress &p)
{
    const float vertices = (float)(s.of[DELEGATES].count + s.of[NORMALS].count);
    const float rows = (float)p.left * vertices / (float)s.count;
    const float until = (float)(p.left + p.weight) / (float)(SLICED_COLUMNS * (uint64_t)p.weight + 1);
    return min((float)p.left, rows * max(until, 1.0f));
}

enum { FEW_SLICES = 4 };

enum sliced_cost {
#define SLICED_WAY(name, value, unit, what) name = value,
#include "formats/rates.def"
};

/* The way of a level of all blocks, which have no list. */
__device__ static inline sliced_way way_of_all(const gpu_sliced &s, const sliced_progress &p)
{
    if (s.rows.heads == NULL)
        return BY_ALL_SLICES;
    return (float)p.weight * PUSH_PRICE < pulled_slices(s, p) ? BY_PUSH : BY_ROWS;
}

/* Whether all blocks are reckoned to be quicker with a list, for which there is room. */
__device__ static inline bool is_for_list(const gpu_sliced &s, const sliced_progress &p)
{
    const float push = (float)p.weight * PUSH_PRICE, words = (float)s.words * WORD_PRICE;
    return p.weight <= SLICED_LISTED && (push < words || push < words + pulled_slices(s, p));
}

/* The first block begins alone if the frontier is a small part, 1 / FEW, of the most that it may push, unless it has just
 * given up: its list may have found no room then. */
template <class B> __device__ static inline sliced_way next_way(const gpu_sliced &s, const sliced_progress &p)
{
    enum { FEW_FOUND = 8 };
    if (p.depth == s.order.deepest)
        return way_of_all(s, p);
    if (p.way != BY_ONE && p.found <= s.pushes.one / FEW_FOUND && p.weight <= s.pushes.one / FEW_SLICES)
        return BY_ONE;
    if (B::by_rows && (p.way != BY_ONE || p.weight <= s.lists.capacity) && is_for_list(s, p))
        return BY_LIST;
    return way_of_all(s, p);
}

__device__ static inline sliced_progress first_progress(const gpu_sliced &s, unsigned slices)
{
    sliced_progress p = {BY_PUSH, 0, 1, slices, s.count - slices, 0};
    p.way = slices <= s.pushes.one ? BY_ONE : way_of_all(s, p);
    return p;
}

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

/* The state after a level, whose counts are `met`. At the depth where the search ends, a level finds nothing: in it the blocks
 * take in the vertices of the last one. By one thread. */
template <class B> __device__ static inline void advance(const gpu_sliced &s, unsigned long long met, sliced_progress &p)
{
    const bool one = p.way == BY_ONE;
    if (p.way == BY_LIST && p.depth < s.order.deepest) { /* its list is made, and not pushed yet */
        p.list++;
        return;
    }
    if (p.depth < s.order.deepest)
        p.depth = one ? *(volatile int32_t *)&s.state->depth : p.depth + 1;
    p.found = found_of(met);
    p.weight = weight_of(met);
    p.left -= one ? *(volatile uint32_t *)&s.state->seen : p.weight;
    p.way = next_way<B>(s, p);
}

/* Reports to the host that the search is over, with its number of levels. The host sees all writes before the last
 * system-wide fence. */
__device__ static inline void report_end(const gpu_sliced &s, int32_t levels)
{
    s.out.search.mapped->report = (uint64_t)s.order.number << 32 | (uint32_t)levels;
}

enum { GOES_ON = -1 };

/* The barrier of all blocks. After it each block knows the counts of all, and the next level. `levels`, unless GOES_ON:
 * the first block reports the end of the search when it arrives, so that the host does not wait for the barrier. */
template <class B> __device__ static void meet(B &block, const gpu_sliced &s, unsigned turn, int32_t levels)
{
    bring_probes(block, s, turn);
    __syncthreads();
    if (threadIdx.x == 0) {
        const bool reports = blockIdx.x == 0 && levels != GOES_ON;
        unsigned long long *arrived = s.state->arrived[s.begin.set], met;
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
        if (levels == GOES_ON)
            advance<B>(s, met, block.now);
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
    for (; bits != 0 && at < ONE_SLICES; bits &= bits - 1)
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

/* Marks found vertices as visited whose marks are far: each block its share, since all see them; and for LISTS_ALL the
 * block reads all of them. */
template <class B> __device__ static inline void take_far(B &block, const gpu_sliced &s, listing lists)
{
    const bool all = lists == LISTS_ALL;
    const uint32_t first = all ? threadIdx.x : threadIdx.x * gridDim.x + blockIdx.x;
    for (uint32_t i = s.far.near + first; i < s.words; i += all ? blockDim.x : threads_of_grid()) {
        const uint32_t more = s.found[block.last + i];
        if (more == 0)
            continue;
        atomicOr(&s.far.mask[i], more);
        if (lists != LISTS_NONE)
            list_vertices(block, i, more);
    }
}

/* Marks all found vertices as visited. A thread has AT_ONCE reads under way; if several, each block begins in another
 * place. */
template <int AT_ONCE, class B>
__device__ static void take_found(B &block, const gpu_sliced &s, unsigned turn, listing lists)
{
    const uint4 *found = (const uint4 *)(s.found + turn * s.words);
    const uint32_t all = (B::split ? s.far.near : s.words) / 4, begin = AT_ONCE > 1 ? all / gridDim.x * blockIdx.x : 0;
    if (threadIdx.x < SLICED_TURNS)
        block.count[threadIdx.x] = 0;
    if (B::split && threadIdx.x == 0)
        block.last = turn * s.words;
    if (B::split || lists != LISTS_NONE)
        __syncthreads();
    if constexpr (B::split)
        take_far(block, s, lists);
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
        for (int g = 0; is_noter(block.notes) && g < SUBGRAPHS; g++) {
            note_of(block.notes, depth).probes[g] = *(volatile unsigned long long *)&s.state->probes[turn][g];
            s.state->probes[turn][g] = 0;
        }
    }
}

/* Notes of a level of all blocks whether rows looked for parents. */
template <class B> __device__ static inline void note_pull(B &block, int32_t depth, bool pulled)
{
    if constexpr (B::noted) {
        if (is_noter(block.notes))
            note_of(block.notes, depth).pulled = pulled ? (1u << SUBGRAPHS) - 1 : 0;
    }
}

/* ---- a search ---- */

/* Each block marks a far root, too, as there is no barrier behind it. */
template <class B> __device__ static inline void mark_root(B &block, const gpu_sliced &s)
{
    const uint32_t word = s.begin.root / 32, bit = 1u << (s.begin.root % 32);
    if (is_far(block, s, word))
        atomicOr(&s.far.mask[word], bit);
    else
        visited_mask()[word] = bit;
}

/* Makes the root the frontier, as a list. */
template <class B> __device__ static void start(B &block, const gpu_sliced &s)
{
    const uint32_t first = s.first[s.begin.root], count = s.first[s.begin.root + 1] - first;
    for (uint32_t i = threadIdx.x; i < (B::split ? s.far.near : s.words) / 4; i += blockDim.x)
        ((uint4 *)visited_mask())[i] = make_uint4(0, 0, 0, 0);
    if (B::split)
        clear_found(s, SLICED_TURNS + (s.begin.set ^ 1));
    for (uint32_t k = threadIdx.x; k < count && k < ONE_SLICES; k += blockDim.x)
        block.slice[0][k] = first + k;
    if (threadIdx.x < SUBGRAPHS)
        block.probes[threadIdx.x] = 0;
    if (threadIdx.x < SLICED_TURNS)
        block.count[threadIdx.x] = threadIdx.x == 0 ? count : 0;
    if (threadIdx.x == 0) {
        block.found = block.weight = 0;
        block.now = first_progress(s, count);
        if (B::split)
            block.last = previous(0) * s.words;
    }
    if (blockIdx.x == 0 && threadIdx.x < SLICED_TURNS)
        s.state->arrived[s.begin.set ^ 1][threadIdx.x] = 0;
    if (thread_of_grid() == 0)
        put_depth(s, s.begin.root, 0, ROOT_PARENT);
    begin_notes(block.notes, s.out.search);
    __syncthreads();
    if (threadIdx.x == 0)
        mark_root(block, s);
    __syncthreads();
}

/* Reports the end of the search. The first block does so before it writes its part of the answer, as a report waits for
 * all that its block wrote; other blocks may write theirs meanwhile. */
template <class B> __device__ static void report_search(B &block, const gpu_sliced &s)
{
    end_notes(block.notes, block.now.depth);
    if (threadIdx.x == 0) {
        __threadfence_system();
        report_end(s, block.now.depth);
    }
}

/* The vertices that this block lists for the next level. `shown`: the last mask has all visited vertices, and none is
 * listed. */
template <class B> __device__ static inline listing next_listing(const sliced_progress &p, bool shown)
{
    if (shown)
        return LISTS_NONE;
    if (p.way == BY_ONE)
        return !B::by_rows || blockIdx.x == 0 ? LISTS_ALL : LISTS_NONE;
    return p.way == BY_LIST || (B::by_rows && p.way == BY_PUSH && p.found <= ONE_SLICES) ? LISTS_OWN : LISTS_NONE;
}

/* Does a level. `form`: the form of the frontier, for a push. `few`: the frontier as a list of slices, if the first block
 * pushes it. */
template <class B>
__device__ static inline void run_level(B &block, const gpu_sliced &s, unsigned turn, frontier_form form,
                                        const one_progress &few, slice_batch &own)
{
    const sliced_progress &p = block.now;
    if (p.depth == s.order.deepest)
        return;
    if (p.way == BY_ONE) {
        if (blockIdx.x == 0)
            run_one(block, s, turn, few);
        return;
    }
    if (B::by_rows && p.way == BY_LIST) {
        list_parts(block, s, s.found + turn * s.words, p.list + 1);
        return;
    }
    note_level(block.notes, p.depth, LEVEL_SLICED);
    note_pull(block, p.depth, p.way != BY_PUSH);
    if (!B::by_rows)
        pull_slices(block, s, turn, p.depth, own);
    else if (p.way == BY_ROWS)
        pull_rows(block, s, turn, p.depth);
    else
        push_rows(block, s, turn, p.depth, form);
    note_time(block.notes, p.depth, FUSED_VISITED);
}

/* Does levels by lists, after a level that left or made a list, while lists are estimated to be fastest. It stops when
 * several frontiers in turn were small enough for the first block: handing a list over costs as much as two levels. The
 * vertices found join the visited ones in the last mask. Not inlined, so that other levels keep more in registers. */
template <class B>
__device__ static __noinline__ void run_lists(B &block, const gpu_sliced &s, unsigned turn, bool one)
{
    enum { FEW_LEVELS = 4 };
    sliced_progress p = block.now;
    list_frontier f = one ? take_left_list(block, p.list, p.weight) : gather_parts(block, s, p.list);
    unsigned few = 0;
    while (f.total > 0 && f.fits && few < FEW_LEVELS && p.depth < s.order.deepest && is_for_list(s, p)) {
        push_listed(block, s, s.found + turn * s.words, f, p.depth++);
        tell_part(block, s, f.number + 1);
        f = gather_parts(block, s, f.number + 1);
        p.found = p.weight = f.total; /* no fewer than its vertices */
        p.left -= f.total;
        few = f.total <= s.pushes.one / FEW_SLICES ? few + 1 : 0;
    }
    p.way = f.fits && few == FEW_LEVELS && p.depth < s.order.deepest ? BY_ONE : way_of_all(s, p);
    p.list = f.number;
    if (threadIdx.x == 0)
        block.now = p;
    __syncthreads();
}

/* Adds the vertices that the last levels found to this block's mask. `one`: the first block did these levels; `listed`:
 * levels by lists came after them. Returns the form of the frontier. */
template <class B>
__device__ static inline frontier_form take_level(B &block, const gpu_sliced &s, unsigned turn, bool one, bool listed)
{
    const bool more = block.now.found != 0;
    const listing lists = next_listing<B>(block.now, one || listed);
    if (more)
        take_found<!B::by_rows ? 1 : B::noted ? 4 : 8>(block, s, turn, lists);
    if (B::by_rows && more && listed && block.now.way == BY_ONE && blockIdx.x == 0)
        take_list(block, s, list_frontier{block.now.list, block.now.weight, true});
    if (listed)
        return more ? FRONTIER_VISITED : FRONTIER_MARKS;
    return one ? FRONTIER_VISITED : lists == LISTS_OWN ? FRONTIER_LISTED : FRONTIER_MASK;
}

/* Does a few small levels in each block. All blocks find the same vertices and reach the same frontier, so none waits for
 * another. Returns whether the search is over. */
template <class B> __device__ static inline bool run_each(B &block, const gpu_sliced &s, one_progress &few)
{
    enum { LEVELS = 4 };
    few.until = min(s.order.deepest, few.depth + LEVELS);
    run_single(block, s, few);
    __syncthreads();
    if (threadIdx.x == 0) {
        block.now.depth = few.depth;
        block.now.left -= few.seen;
        if (few.count > s.pushes.one)
            block.now.way = BY_ALL_SLICES;
    }
    __syncthreads();
    return few.count == 0 || few.depth == s.order.deepest;
}

/* Ends a search. `form`: the form of the last frontier, which is empty. `each`: each block saw the end by itself, and the
 * first block reports it when it arrives at a barrier. */
template <class B>
__device__ static inline void end_search(B &block, const gpu_sliced &s, unsigned turn, frontier_form form, bool each)
{
    const bool shown = form == FRONTIER_VISITED;
    if (each) {
        if (blockIdx.x == 0)
            end_notes(block.notes, block.now.depth);
        meet(block, s, turn, block.now.depth);
    } else if (blockIdx.x == 0) {
        report_search(block, s);
    }
    if (B::by_rows && form == FRONTIER_MARKS) {
        take_found<B::noted ? 4 : 8>(block, s, previous(turn), LISTS_NONE);
        tell_part(block, s, block.now.list + 1); /* no block clears what others still read */
        gather_parts(block, s, block.now.list + 1);
    }
    if (blockIdx.x == 0 && !shown)
        write_visited(block, s);
    if (s.out.answer.vertex != NULL)
        write_answer<B::by_rows ? 4 : 2>(block, s, shown);
    for (unsigned turn = 0; turn < SLICED_TURNS; turn++)
        clear_found(s, turn);
}

template <class B> __device__ static inline void search_slices(B &block, const gpu_sliced &s)
{
    slice_batch own;
    if (!B::by_rows)
        load_batch(s, thread_of_grid(), own);
    start(block, s);
    frontier_form form = FRONTIER_MASK;
    bool each = false;
    unsigned turn = 0;
    for (; block.now.found != 0; turn = after(turn)) {
        one_progress few = {0, 0, block.count[0], 0, block.now.depth, 0};
        each = !B::by_rows && block.now.way == BY_ONE && run_each(block, s, few);
        if (each)
            break;
        const sliced_way way = block.now.way;
        const int32_t depth = block.now.depth;
        run_level(block, s, turn, form, few, own);
        meet(block, s, turn, GOES_ON);
        clear_found(s, previous(turn));
        if (way != BY_ONE && way != BY_LIST)
            note_probes(block, s, turn, depth);
        const bool listed = B::by_rows && block.now.found != 0 && block.now.way == BY_LIST && (way == BY_ONE || way == BY_LIST);
        if (listed)
            run_lists(block, s, turn, way == BY_ONE);
        form = take_level(block, s, turn, way == BY_ONE, listed);
    }
    end_search(block, s, turn, form, each);
}

/* Levels read all slices. */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED, false, false> block;
    search_slices(block, s);
}

/* Levels go by rows. */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_rows_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED, true, false> block;
    search_slices(block, s);
}

/* The same, of a graph with far marks. */
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
    return fused_program{s->far.near < s->words ? split : s->rows.heads != NULL ? rows : all, 0};
}

#endif
