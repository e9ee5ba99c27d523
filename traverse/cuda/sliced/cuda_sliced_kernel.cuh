/* cuda_sliced_kernel.cuh: a sliced search, whose levels search_slices does one after the other; see cuda_sliced.h and its
 * twin, cuda_fused_kernel.cuh
 *
 * A level uses the counts and the `found` bitmap of its `round`. The weight of a frontier is the number of its slices.
 */
#ifndef DBFS_CUDA_SLICED_KERNEL_CUH
#define DBFS_CUDA_SLICED_KERNEL_CUH

#include "cuda_sliced_all.cuh"
#include "cuda_sliced_answer.cuh"
#include "cuda_sliced_lists.cuh"
#include "cuda_sliced_rows.cuh"

/* ---- the kind of a level ---- */

/* A frontier is small for one block if it has at most this share of the slices that one block pushes (s.block_capacity). */
enum { SMALL_SHARE = 4 };

/* Costs of a level, in slices that a pull reads. */
enum sliced_cost {
#define SLICED_WAY(name, value, unit, what) name = value,
#include "formats/rates.def"
};

/* Predicts how many slices PULL reads. Each unvisited row reads slices until one has a visited column, and at least one. */
__device__ static inline float pulled_slices(const gpu_sliced &s, const sliced_progress &p)
{
    const float vertices = (float)(s.of[DELEGATES].count + s.of[NORMALS].count);
    const float rows = (float)p.left * vertices / (float)s.count;
    const float until = (float)(p.left + p.weight) / (float)(SLICED_COLUMNS * (uint64_t)p.weight + 1);
    return min((float)p.left, rows * max(until, 1.0f));
}

/* Chooses between the dense levels that the graph has: ALL without heads; with heads PUSH or PULL, by what they read. */
__device__ static inline level_kind dense_kind(const gpu_sliced &s, const sliced_progress &p)
{
    if (s.heads == NULL)
        return LEVEL_SLICED_ALL;
    return (float)p.weight * PUSH_PRICE < pulled_slices(s, p) ? LEVEL_SLICED_PUSH : LEVEL_SLICED_PULL;
}

/* Whether SPARSE is predicted to cost least, and lists have capacity for its frontier. PUSH and PULL cost the words of a
 * bitmap, too, which each block reads after them. */
__device__ static inline bool is_sparse(const gpu_sliced &s, const sliced_progress &p)
{
    const float push = (float)p.weight * PUSH_PRICE, words = (float)s.words * WORD_PRICE;
    return p.weight <= SLICED_LISTED && (push < words || push < words + pulled_slices(s, p));
}

/* Chooses the kind of the level after p, whose kind is still that of the last level. BLOCK is for small frontiers, but does
 * not follow itself: it ends where the frontier may be too large for the list of a block. */
template <class B> __device__ static inline level_kind next_kind(const gpu_sliced &s, const sliced_progress &p)
{
    enum { FOUND_SHARE = 8 }; /* as SMALL_SHARE, of vertices */
    const bool was_block = p.kind == LEVEL_SLICED_BLOCK;
    if (p.depth == s.order.deepest)
        return dense_kind(s, p);
    if (!was_block && p.found <= s.block_capacity / FOUND_SHARE && p.weight <= s.block_capacity / SMALL_SHARE)
        return LEVEL_SLICED_BLOCK;
    if (B::by_rows && (!was_block || p.weight <= s.list_capacity) && is_sparse(s, p))
        return LEVEL_SLICED_SPARSE;
    return dense_kind(s, p);
}

/* ---- the barrier ---- */

/* A block adds one word to the sum of a barrier: 1 for itself, above it the number of vertices that it has found, and above
 * that the number of their slices. These are the positions of the two. */
enum { FOUND_SHIFT = 10, WEIGHT_SHIFT = 36 };

/* Makes p, the state before a level, that after the level, and chooses the next level. `sum` is the sum of a barrier. At the
 * depth where the search ends, a level does and finds nothing: it is there for take_level. One thread calls it. */
template <class B> __device__ static inline void advance(const gpu_sliced &s, unsigned long long sum, sliced_progress &p)
{
    const bool by_block = p.kind == LEVEL_SLICED_BLOCK; /* several levels, whose counts the first block has left */
    if (p.kind == LEVEL_SLICED_SPARSE && p.depth < s.order.deepest) { /* the list is made; run_sparse will push it */
        p.list++;
        return;
    }
    if (p.depth < s.order.deepest)
        p.depth = by_block ? *(volatile int32_t *)&s.state->depth : p.depth + 1;
    p.found = (unsigned)(sum >> FOUND_SHIFT) & ((1u << (WEIGHT_SHIFT - FOUND_SHIFT)) - 1);
    p.weight = (unsigned)(sum >> WEIGHT_SHIFT);
    p.left -= by_block ? *(volatile uint32_t *)&s.state->seen : p.weight;
    p.kind = next_kind<B>(s, p);
}

/* Reports to the host that the search is over, and how many levels it had. The caller has made a system-wide fence: the host
 * sees all writes before that fence. */
__device__ static inline void report_end(const gpu_sliced &s, int32_t levels)
{
    s.out.mapped->report = (uint64_t)s.order.number << 32 | (uint32_t)levels;
}

enum { GOES_ON = -1 }; /* instead of the number of levels: the search is not over */

/* Waits for all blocks, and adds up what they have found. If `levels` is GOES_ON, block.now becomes the state after the
 * level, alike in all blocks. Otherwise the search is over: the first block reports `levels` to the host as soon as it
 * arrives, so that the host does not wait for the other blocks. */
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

/* Which found vertices a block lists in block.slice[1] while it adds them to its visited bits. */
enum listing {
    LISTS_NONE,
    LISTS_ALL, /* all; then their slices are listed in block.slice[0], from which the block goes on by itself */
    LISTS_OWN  /* those of its own words of the bitmap: the blocks will push a share each */
};

/* Returns a number below `count` for number i: neighbours are far apart, and all are spread evenly, by multiples of the
 * golden ratio. It takes no division. */
__device__ static inline uint32_t spread(uint32_t i, uint32_t count)
{
    return (uint32_t)((uint64_t)(i * 0x9e3779b1u) * count >> 32);
}

/* Appends the vertices of a word's set bits to block.slice[1]. The count goes on if the list is full. */
template <class B> __device__ static inline void list_vertices(B &block, uint32_t word, uint32_t bits)
{
    if (bits == 0)
        return;
    unsigned at = atomicAdd(&block.count[1], (unsigned)__popc(bits));
    for (; bits != 0 && at < BLOCK_SLICES; bits &= bits - 1)
        block.slice[1][at++] = word * 32 + __ffs(bits) - 1;
}

/* ORs `more` into words 4 * i to 4 * i + 3 of the near bits, and lists their vertices as `lists` says. A word belongs to the
 * block that spread() gives for it. */
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
        if (lists == LISTS_ALL || spread(4 * i + k, gridDim.x) == blockIdx.x)
            list_vertices(block, 4 * i + k, word[k]);
    }
}

/* ORs words of the last `found` bitmap into the far bits, and lists their vertices. All blocks see the far bits, so each
 * block adds a share. For LISTS_ALL this block needs all vertices, and adds all words. */
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

/* ORs the `found` bitmap of a round into the visited bits, and lists found vertices as `lists` says. A thread has AT_ONCE
 * reads under way. If these are several, each block begins at another place, so that blocks do not read the same words at
 * the same time. */
template <int AT_ONCE, class B>
__device__ static void add_found(B &block, const gpu_sliced &s, unsigned round, listing lists)
{
    const uint4 *found = (const uint4 *)(s.found + round * s.words);
    enum { LINE = 8 }; /* of four words each, in a line of the cache */
    const uint32_t all = (B::split ? s.near_words : s.words) / 4;
    const uint32_t begin = AT_ONCE > 1 ? spread(blockIdx.x, all) / LINE * LINE : 0;
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
    if (lists == LISTS_ALL) {
        __syncthreads();
        for (unsigned i = threadIdx.x; i < block.count[1]; i += blockDim.x) {
            const uint32_t v = block.slice[1][i], first = s.first[v], count = s.first[v + 1] - first;
            const unsigned place = atomicAdd(&block.count[0], count);
            for (unsigned k = 0; k < count && place + k < BLOCK_SLICES; k++)
                block.slice[0][place + k] = first + k;
        }
        __syncthreads();
        if (threadIdx.x == 0)
            block.count[1] = 0;
    }
    __syncthreads();
}

/* Adds the vertices that the last levels found to this block's visited bits, and lists the frontier as the next level wants
 * it. `by_block`: the first block did these levels; `sparse`: sparse levels came after them. In both cases the `found`
 * bitmap of the round has all visited vertices. Returns where the next push finds the frontier. */
template <class B>
__device__ static inline frontier_form take_level(B &block, const gpu_sliced &s, unsigned round, bool by_block,
                                                  bool sparse)
{
    const sliced_progress &p = block.now;
    const bool more = p.found != 0, to_block = p.kind == LEVEL_SLICED_BLOCK;
    listing lists = LISTS_NONE;
    if (by_block || sparse)
        lists = LISTS_NONE; /* the frontier is a list, or PUSH tells it from other vertices by their depths */
    else if (to_block)
        lists = !B::by_rows || blockIdx.x == 0 ? LISTS_ALL : LISTS_NONE;
    else if (p.kind == LEVEL_SLICED_SPARSE || (B::by_rows && p.kind == LEVEL_SLICED_PUSH && p.found <= BLOCK_SLICES))
        lists = LISTS_OWN;
    if (more)
        add_found<!B::by_rows ? 1 : B::noted ? 4 : 8>(block, s, round, lists);
    if (B::by_rows && more && sparse && to_block && blockIdx.x == 0) { /* the first block goes on with the sparse frontier */
        const sparse_frontier f = {p.list, p.weight, true};
        for (unsigned i = threadIdx.x; i < f.total; i += blockDim.x)
            block.slice[0][i] = listed_slice(block, s, f, i);
        if (threadIdx.x == 0)
            block.count[0] = f.total;
        __syncthreads();
    }
    if (sparse)
        return more ? FRONTIER_VISITED : FRONTIER_NONE;
    return by_block ? FRONTIER_VISITED : lists == LISTS_OWN ? FRONTIER_LISTED : FRONTIER_FOUND;
}

/* Clears a `found` bitmap: each block its share. */
__device__ static inline void clear_found(const gpu_sliced &s, unsigned round)
{
    uint4 *found = (uint4 *)(s.found + round * s.words);
    for (uint32_t i = thread_of_grid(); i < s.words / 4; i += threads_of_grid())
        found[i] = make_uint4(0, 0, 0, 0);
}

/* ---- levels ---- */

/* Does one level by all blocks, or levels by the first block, as block.now.kind says. `form`: where PUSH finds the frontier.
 * `few`: the frontier for BLOCK. `own`: the thread's first slices, for ALL. */
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
    if (B::by_rows && p.kind == LEVEL_SLICED_SPARSE) { /* only lists; run_sparse pushes the list after the barrier */
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

/* Does sparse levels of all blocks, while they are predicted to cost least. The level before has left the frontier as a
 * list, in the first block (`by_block`) or in all blocks. The `found` bitmap of the round has all visited bits, and found
 * vertices get theirs there. block.now becomes the state after these levels. The next level is of another kind: BLOCK after
 * SMALL_LEVELS small frontiers, as handing a list over costs as much as two levels; otherwise a dense one. Not inlined, so
 * that other levels keep more in registers. */
template <class B>
__device__ static __noinline__ void run_sparse(B &block, const gpu_sliced &s, unsigned round, bool by_block)
{
    enum { SMALL_LEVELS = 4 };
    sliced_progress p = block.now;
    sparse_frontier f = by_block ? frontier_of_first_block(block, p.list, p.weight) : gather_parts(block, s, p.list);
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

/* Does a few small levels in each block, from frontier `few` on, which becomes the one after them. All blocks find the same
 * vertices and reach the same frontier, so none waits for another. If the frontier is then too large, block.now says ALL.
 * Returns whether the search is over. */
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

/* Begins a search: the root becomes visited, and the frontier, as a list of slices in block.slice[0]. Sets the block's
 * memory, and clears the counters and far bits of the next search. */
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

/* Reports the end to the host, writes visited bits and the answer, and clears all `found` bitmaps. `form`: that of the last
 * frontier, which is empty. `each`: each block saw the end by itself, so blocks wait for each other first, and the first one
 * reports at this barrier. */
template <class B>
__device__ static inline void end_search(B &block, const gpu_sliced &s, unsigned round, frontier_form form, bool each)
{
    const bool written = form == FRONTIER_VISITED; /* the first block did the last level, and wrote its visited bits */
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

/* Does a search, level after level, until a level finds nothing. Each turn of the loop does a level by all blocks, or
 * several by one block or as sparse levels, and then adds what was found to the visited bits. All threads of all blocks
 * call it. */
template <class B> __device__ static inline void search_slices(B &block, const gpu_sliced &s)
{
    slice_batch own; /* the first slices of the thread, for levels that read all slices */
    if (!B::by_rows)
        load_batch(s, thread_of_grid(), own);
    start(block, s);
    frontier_form form = FRONTIER_FOUND; /* where PUSH finds the frontier */
    bool each = false;                   /* each block has seen the end of the search by itself */
    unsigned round = 0;
    for (; block.now.found != 0; round = next_round(round)) {
        block_frontier few = {0, 0, block.count[0], 0, block.now.depth, 0};
        each = !B::by_rows && block.now.kind == LEVEL_SLICED_BLOCK && run_each_block(block, s, few);
        if (each)
            break;
        const level_kind kind = block.now.kind; /* the barrier replaces it by that of the next level */
        const int32_t depth = block.now.depth;
        const bool by_block = kind == LEVEL_SLICED_BLOCK, listed = by_block || kind == LEVEL_SLICED_SPARSE;
        run_level(block, s, round, form, few, own);
        grid_barrier(block, s, round, GOES_ON);
        clear_found(s, previous_round(round));
        if constexpr (B::noted) { /* the counts of probes are zero before the next barrier but one */
            for (int g = 0; !listed && is_noter(block.notes) && g < SUBGRAPHS; g++) {
                note_of(block.notes, depth).probes[g] = *(volatile unsigned long long *)&s.state->probes[round][g];
                s.state->probes[round][g] = 0;
            }
        }
        /* a list is ready, in one block or in all, and sparse levels are to follow */
        const bool sparse = B::by_rows && block.now.found != 0 && block.now.kind == LEVEL_SLICED_SPARSE && listed;
        if (sparse)
            run_sparse(block, s, round, by_block);
        form = take_level(block, s, round, by_block, sparse);
    }
    end_search(block, s, round, form, each);
}

/* The kernel for graphs without heads: dense levels read all slices. */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED, false, false> block;
    search_slices(block, s);
}

/* The kernel for graphs with heads: dense levels pull or push rows. */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_rows_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED, true, false> block;
    search_slices(block, s);
}

/* The kernel for graphs with heads and far bits. */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_split_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED, true, true> block;
    search_slices(block, s);
}

/* Returns the kernel for the graph of a search. */
template <bool NOTED> static struct fused_program program(const struct gpu_sliced *s)
{
    const void *all = (const void *)sliced_kernel<NOTED>;
    const void *rows = (const void *)sliced_rows_kernel<NOTED>;
    const void *split = (const void *)sliced_split_kernel<NOTED>;
    return fused_program{s->near_words < s->words ? split : s->heads != NULL ? rows : all, 0};
}

#endif
