/* cuda_sliced_kernel.cuh: the kernel of a sliced search; see cuda_sliced.h
 *
 * search_slices does one level after the other. Each level has a `round`: the number of the `found` bitmap and of the
 * counts that it uses. Levels take three rounds in turn. The root has depth 0. The weight of a frontier is the number of
 * slices of its vertices. The search of cuda_fused_kernel.cuh finds the same distances without slices.
 */
#ifndef DBFS_CUDA_SLICED_KERNEL_CUH
#define DBFS_CUDA_SLICED_KERNEL_CUH

#include "cuda_sliced_all.cuh"
#include "cuda_sliced_answer.cuh"
#include "cuda_sliced_lists.cuh"
#include "cuda_sliced_rows.cuh"

/* ---- the kind of a level ---- */

/* A frontier is small for one block if it has at most s.block_capacity / SMALL_SHARE slices. s.block_capacity is the
 * number of slices that one block may push. */
enum { SMALL_SHARE = 4 };

/* Costs of a level. The unit is the cost of one slice that a PULL reads. */
enum sliced_cost {
#define SLICED_WAY(name, value, unit, what) name = value,
#include "formats/rates.def"
};

/* Predicts the number of slices that a level of kind PULL reads after state p. Each unvisited row reads at least one
 * slice, and goes on until a slice has a visited column. The prediction assumes that visited columns are spread evenly
 * over all slices. */
__device__ static inline float pulled_slices(const gpu_sliced &s, const sliced_progress &p)
{
    const float vertices = (float)(s.of[DELEGATES].count + s.of[NORMALS].count);
    const float rows = (float)p.left * vertices / (float)s.count;
    const float until = (float)(p.left + p.weight) / (float)(SLICED_COLUMNS * (uint64_t)p.weight + 1);
    return min((float)p.left, rows * max(until, 1.0f));
}

/* Returns the kind of the next level if this level is to be dense. A graph without heads has only ALL. A graph with heads
 * has PUSH and PULL. The function returns the cheaper of the two, by the number of slices that each reads. */
__device__ static inline level_kind dense_kind(const gpu_sliced &s, const sliced_progress &p)
{
    if (s.heads == NULL)
        return LEVEL_SLICED_ALL;
    return (float)p.weight * PUSH_PRICE < pulled_slices(s, p) ? LEVEL_SLICED_PUSH : LEVEL_SLICED_PULL;
}

/* Returns whether SPARSE is predicted to be the cheapest kind of the next level, and its lists have room for the
 * frontier. The costs of PUSH and PULL include the words of a bitmap, as each block reads a whole bitmap after a dense
 * level. */
__device__ static inline bool is_sparse(const gpu_sliced &s, const sliced_progress &p)
{
    const float push = (float)p.weight * PUSH_PRICE, words = (float)s.words * WORD_PRICE;
    return p.weight <= SLICED_LISTED && (push < words || push < words + pulled_slices(s, p));
}

/* Returns the kind of the next level. p already has the depth and the counts of the next frontier, but p.kind is still
 * the kind of the last level.
 * - BLOCK is for small frontiers, but not directly after BLOCK. The last BLOCK ended because its frontier may be too
 *   large for the list of a block.
 * - SPARSE is for larger frontiers, if it is predicted to be cheapest.
 * - Other levels are dense. The kind at the depth where the search ends is always a dense one. */
template <class B> __device__ static inline level_kind next_kind(const gpu_sliced &s, const sliced_progress &p)
{
    enum { FOUND_SHARE = 8 }; /* a small frontier has at most s.block_capacity / FOUND_SHARE vertices */
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

/* At the barrier of a level each block adds one word to a sum. The word has three fields:
 * - from bit 0: the number 1, which counts the block.
 * - from bit FOUND_SHIFT: the number of vertices that the block has found.
 * - from bit WEIGHT_SHIFT: the number of slices of these vertices. */
enum { FOUND_SHIFT = 10, WEIGHT_SHIFT = 36 };

/* Turns p from the state before a level into the state after the level, and chooses the kind of the next level. `sum` is
 * the complete sum of the level's barrier. One thread of each block calls it.
 * - After SPARSE: the level has only listed its frontier. p keeps kind, depth and counts. The number of the list goes up
 *   by 1.
 * - After BLOCK: the first block may have done several levels. It has left the depth and the number of visited slices in
 *   s.state, and p gets them.
 * - At the depth where the search ends (s.order.deepest): the level does nothing, so it finds nothing, and the depth
 *   stays. This empty level ends the search. Before this level, take_level has added the last vertices to the visited
 *   bits of all blocks. */
template <class B> __device__ static inline void advance(const gpu_sliced &s, unsigned long long sum, sliced_progress &p)
{
    const bool by_block = p.kind == LEVEL_SLICED_BLOCK;
    if (p.kind == LEVEL_SLICED_SPARSE && p.depth < s.order.deepest) { /* run_sparse will push the list */
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

/* Reports to the host that the search is over, and the number of its levels. The caller has made a system-wide fence, so
 * the host sees all writes before that fence. */
__device__ static inline void report_end(const gpu_sliced &s, int32_t levels)
{
    s.out.mapped->report = (uint64_t)s.order.number << 32 | (uint32_t)levels;
}

enum { GOES_ON = -1 }; /* a value for `levels` of grid_barrier: the search is not over */

/* The barrier of all blocks after a level. Each block adds its counts (block.found, block.weight, and for notes
 * block.probes) to the sums of the round, and sets its own counts to zero. Then the block waits until all blocks have
 * arrived. The first block also clears the sum of the next round. All threads of all blocks call it.
 *
 * If `levels` is GOES_ON, block.now becomes the state after the level. All blocks reach the same state. If `levels` is a
 * number of levels, the search is over, and block.now stays. In this case the first block reports `levels` to the host
 * before it waits, so that the host need not wait for the other blocks. */
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
            __threadfence_system(); /* the host is to see everything that the search has written */
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

/* ---- between levels: blocks add found vertices to their visited bits ---- */

/* Says which found vertices a block lists in block.slice[1] while the block adds them to its visited bits. */
enum listing {
    LISTS_NONE, /* no vertices */
    LISTS_ALL, /* all vertices; block.slice[0] gets their slices, and the block goes on by itself from this list */
    LISTS_OWN  /* the vertices in the block's own words of the bitmap; each block will push its own vertices */
};

/* Returns a number below `count` for number i. Neighbouring numbers i get results that are far apart, and all results are
 * spread evenly. The result is the fractional part of i times the golden ratio, multiplied by `count`. The computation
 * needs no division. */
__device__ static inline uint32_t spread(uint32_t i, uint32_t count)
{
    return (uint32_t)((uint64_t)(i * 0x9e3779b1u) * count >> 32);
}

/* Appends the vertices of the set bits `bits` in word number `word` of a bitmap to the list block.slice[1].
 * block.count[1] is the length of the list. If the list is full, the vertices are not written but still counted in the
 * length. So a length above BLOCK_SLICES says that the list lacks vertices. */
template <class B> __device__ static inline void list_vertices(B &block, uint32_t word, uint32_t bits)
{
    if (bits == 0)
        return;
    unsigned at = atomicAdd(&block.count[1], (unsigned)__popc(bits));
    for (; bits != 0 && at < BLOCK_SLICES; bits &= bits - 1)
        block.slice[1][at++] = word * 32 + __ffs(bits) - 1;
}

/* ORs `more` into words 4 * i to 4 * i + 3 of the near bits, and appends vertices of `more` to block.slice[1]. `lists`
 * says which vertices: all, none, or the vertices of the block's own words. A word belongs to the block that spread()
 * returns for it. */
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

/* ORs words of the last `found` bitmap into the far bits. Appends the vertices of these words to block.slice[1] unless
 * `lists` is LISTS_NONE. All blocks share the far bits, so usually each block does a share of the words. For LISTS_ALL
 * this block needs all vertices, so it does all words. */
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

/* ORs the `found` bitmap of a round into the visited bits, and lists found vertices as `lists` says. First sets all
 * block.count to zero. For LISTS_ALL, block.count[0] becomes the number of slices in block.slice[0]. For LISTS_OWN,
 * block.count[1] becomes the number of vertices in block.slice[1]. In a kernel with far bits, block.last becomes the
 * index of this bitmap. A thread reads AT_ONCE groups of four words before it uses the first group. If AT_ONCE is above
 * 1, each block begins at another word, so that blocks do not read the same words at the same time. All threads of the
 * block call it. */
template <int AT_ONCE, class B>
__device__ static void add_found(B &block, const gpu_sliced &s, unsigned round, listing lists)
{
    const uint4 *found = (const uint4 *)(s.found + round * s.words);
    enum { LINE = 8 }; /* a cache line has 8 groups of four words */
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

/* Prepares the next level: adds the vertices that were found last to this block's visited bits. If the next level wants a
 * list, also lists the frontier in the memory of the block. Returns where the next push finds the frontier. All threads
 * of all blocks call it after the barrier of each level.
 *
 * `by_block`: the first block did the last levels by itself. `sparse`: run_sparse did the last levels. In both cases the
 * `found` bitmap of the round has all visited vertices, and not only the frontier. If the next level is BLOCK after
 * sparse levels, the first block copies the sparse frontier to its own list. */
template <class B>
__device__ static inline frontier_form take_level(B &block, const gpu_sliced &s, unsigned round, bool by_block,
                                                  bool sparse)
{
    const sliced_progress &p = block.now;
    const bool more = p.found != 0, to_block = p.kind == LEVEL_SLICED_BLOCK; /* the next level */
    listing lists = LISTS_NONE;
    if (by_block || sparse) /* a list of slices exists already, and PUSH can find the frontier by the depths of vertices */
        lists = LISTS_NONE;
    else if (to_block) /* with heads the first block goes on alone; without heads each block goes on (run_each_block) */
        lists = !B::by_rows || blockIdx.x == 0 ? LISTS_ALL : LISTS_NONE;
    else if (p.kind == LEVEL_SLICED_SPARSE || (B::by_rows && p.kind == LEVEL_SLICED_PUSH && p.found <= BLOCK_SLICES))
        lists = LISTS_OWN;
    if (more)
        add_found<!B::by_rows ? 1 : B::noted ? 4 : 8>(block, s, round, lists);
    /* the first block copies the sparse frontier to its own list */
    if (B::by_rows && more && sparse && to_block && blockIdx.x == 0) {
        const sparse_frontier f = {p.list, p.weight, true};
        for (unsigned i = threadIdx.x; i < f.total; i += blockDim.x)
            block.slice[0][i] = listed_slice(block, s, f, i);
        if (threadIdx.x == 0)
            block.count[0] = f.total;
        __syncthreads();
    }
    if (sparse)
        return more ? FRONTIER_VISITED : FRONTIER_SPARSE_ENDED;
    return by_block ? FRONTIER_VISITED : lists == LISTS_OWN ? FRONTIER_LISTED : FRONTIER_FOUND;
}

/* Sets bitmap number `round` of s.found to zero. The bitmap is a `found` bitmap or a far bitmap. The threads of all
 * blocks share its words. */
__device__ static inline void clear_found(const gpu_sliced &s, unsigned round)
{
    uint4 *found = (uint4 *)(s.found + round * s.words);
    for (uint32_t i = thread_of_grid(); i < s.words / 4; i += threads_of_grid())
        found[i] = make_uint4(0, 0, 0, 0);
}

/* ---- levels ---- */

/* Does the level that block.now.kind says. All threads of all blocks call it.
 * - ALL, PULL, PUSH: all blocks find the next frontier.
 * - BLOCK: the first block does several levels by itself, and the other blocks do nothing.
 * - SPARSE: the frontier is listed only. run_sparse pushes the list after the barrier.
 * - At the depth where the search ends, the function does nothing.
 *
 * `form`: where PUSH finds the frontier. `few`: the frontier for BLOCK. `own`: the first slices of the thread, for ALL.
 * ALL drops the slices of visited rows from `own`. */
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
    if (B::by_rows && p.kind == LEVEL_SLICED_SPARSE) {
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

/* Does sparse levels of all blocks, as long as SPARSE is predicted to be cheapest. block.now becomes the state after
 * these levels. All blocks reach the same state. All threads of all blocks call it.
 *
 * The level before has left the frontier as a list: in the first block if `by_block`, otherwise in all blocks. The
 * `found` bitmap of the round has all visited bits, and the sparse levels set the visited bits of found vertices in this
 * bitmap. The next level is never SPARSE. It is BLOCK after SMALL_LEVELS small frontiers in turn, and otherwise a dense
 * level. A single small frontier is not enough, as handing the list to the first block costs as much as two levels. Not
 * inlined, so that other levels keep more values in registers. */
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
        p.found = p.weight = f.total; /* p.found is only an upper bound: each vertex has at least one slice */
        p.left -= f.total;
        small = f.total <= s.block_capacity / SMALL_SHARE ? small + 1 : 0;
    }
    p.kind = f.fits && small == SMALL_LEVELS && p.depth < s.order.deepest ? LEVEL_SLICED_BLOCK : dense_kind(s, p);
    p.list = f.number;
    if (threadIdx.x == 0)
        block.now = p;
    __syncthreads();
}

/* Does up to LEVELS small levels in each block by itself, from frontier `few` on. `few` becomes the frontier after these
 * levels. All blocks find the same vertices and reach the same frontier, so no block waits for another block. Sets depth
 * and unvisited slices of block.now. If the new frontier is too large for a block, block.now.kind becomes ALL. Otherwise
 * the kind stays BLOCK. Returns whether the search is over: the frontier is empty, or has the depth where the search
 * ends. */
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

/* Begins a search. All threads of all blocks call it. It does the following:
 * - It sets the near bits of the block. Only the root is visited.
 * - block.slice[0] becomes the list of the root's slices.
 * - block.now.kind becomes BLOCK, or a dense kind if the root has more slices than a block pushes.
 * - It writes the depth and the parent of the root.
 * - It begins the notes.
 * - It clears the counters and the far bits for the next search. */
template <class B> __device__ static void start(B &block, const gpu_sliced &s)
{
    const uint32_t first = s.first[s.root], count = s.first[s.root + 1] - first;
    for (uint32_t i = threadIdx.x; i < (B::split ? s.near_words : s.words) / 4; i += blockDim.x)
        ((uint4 *)near_bits())[i] = make_uint4(0, 0, 0, 0);
    if (B::split) /* clears the far bits of the next search */
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
    /* each block sets the bit, even if it is a far bit that all blocks share, as no barrier follows */
    if (threadIdx.x == 0) {
        const uint32_t word = s.root / 32, bit = 1u << (s.root % 32);
        if (is_far(block, s, word))
            atomicOr(&s.far[word], bit);
        else
            near_bits()[word] = bit;
    }
    __syncthreads();
}

/* Ends a search: reports the end to the host, writes the visited bits to global memory, and writes the answer if the
 * search has one. Then clears all `found` bitmaps for the next search. `form` is the last result of take_level. `each`:
 * run_each_block ended the search, so no barrier followed the last levels. All threads of all blocks call it.
 *
 * Until now the visited bits lie in shared memory and in the far bitmap. Kernels after the search read the visited bits
 * in s.of[].visited. All blocks have the same bits at the end, so only the first block writes the bits. */
template <class B>
__device__ static inline void end_search(B &block, const gpu_sliced &s, unsigned round, frontier_form form, bool each)
{
    /* True if run_first_block ended the search. Then only the first block had all visited bits, and it has written them
     * already */
    const bool written = form == FRONTIER_VISITED;
    end_notes(block.notes, block.now.depth);
    if (each) {
        /* No block may clear or answer before all blocks are here. The first block reports the end before it waits */
        grid_barrier(block, s, round, block.now.depth);
    } else if (blockIdx.x == 0 && threadIdx.x == 0) {
        /* the fence waits for all writes of the block, so the fence comes before the block writes its part of the answer */
        __threadfence_system();
        report_end(s, block.now.depth);
    }
    if (B::by_rows && form == FRONTIER_SPARSE_ENDED) {
        /* Only a `found` bitmap has the bits that sparse levels set. All blocks read this bitmap before any block clears
         * it */
        add_found<B::noted ? 4 : 8>(block, s, previous_round(round), LISTS_NONE);
        tell_part(block, s, block.now.list + 1);
        gather_parts(block, s, block.now.list + 1);
    }
    if (blockIdx.x == 0 && !written)
        write_visited(block, s);
    if (s.answer.vertex != NULL)
        write_answer<B::by_rows ? 4 : 2>(block, s, written);
    for (unsigned i = 0; i < SLICED_ROUNDS; i++)
        clear_found(s, i);
}

/* Does a whole search, level after level, until a frontier is empty. Each turn of the loop does one level by all blocks,
 * several levels by one block, or several sparse levels. Then take_level adds the found vertices to the visited bits. All
 * threads of all blocks call it. */
template <class B> __device__ static inline void search_slices(B &block, const gpu_sliced &s)
{
    slice_batch own; /* the first slices of the thread, for levels that read all slices */
    if (!B::by_rows)
        load_batch(s, thread_of_grid(), own);
    start(block, s);
    frontier_form form = FRONTIER_FOUND; /* where PUSH finds the frontier */
    bool each = false;                   /* each block has reached the end of the search by itself */
    unsigned round = 0;
    for (; block.now.found != 0; round = next_round(round)) {
        block_frontier few = {0, 0, block.count[0], 0, block.now.depth, 0};
        each = !B::by_rows && block.now.kind == LEVEL_SLICED_BLOCK && run_each_block(block, s, few);
        if (each)
            break;
        const level_kind kind = block.now.kind; /* the barrier sets block.now.kind to the kind of the next level */
        const int32_t depth = block.now.depth;
        const bool by_block = kind == LEVEL_SLICED_BLOCK, listed = by_block || kind == LEVEL_SLICED_SPARSE;
        run_level(block, s, round, form, few, own);
        grid_barrier(block, s, round, GOES_ON);
        clear_found(s, previous_round(round)); /* all blocks added this bitmap to their visited bits before the barrier */
        /* copies the probes of this round to the notes, and clears the probes before the round is used again */
        if constexpr (B::noted) {
            for (int g = 0; !listed && is_noter(block.notes) && g < SUBGRAPHS; g++) {
                note_of(block.notes, depth).probes[g] = *(volatile unsigned long long *)&s.state->probes[round][g];
                s.state->probes[round][g] = 0;
            }
        }
        /* the frontier is a list, in one block or in all blocks, and the next level is sparse */
        const bool sparse = B::by_rows && block.now.found != 0 && block.now.kind == LEVEL_SLICED_SPARSE && listed;
        if (sparse)
            run_sparse(block, s, round, by_block);
        form = take_level(block, s, round, by_block, sparse);
    }
    end_search(block, s, round, form, each);
}

/* The kernel for graphs without heads. Dense levels read all slices (ALL). With NOTED the kernel notes its levels. */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED, false, false> block;
    search_slices(block, s);
}

/* The kernel for graphs with heads and without far bits: all visited bits lie in shared memory. Dense levels pull or push
 * rows. */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_rows_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED, true, false> block;
    search_slices(block, s);
}

/* The kernel for graphs with heads and far bits: some visited bits lie in global memory. Dense levels pull or push rows. */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_split_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED, true, true> block;
    search_slices(block, s);
}

/* Returns the kernel for the graph of the search. There are three: for graphs with far bits, for graphs with heads and no
 * far bits, and for all other graphs. With NOTED the kernel notes its levels. */
template <bool NOTED> static struct fused_program program(const struct gpu_sliced *s)
{
    const void *all = (const void *)sliced_kernel<NOTED>;
    const void *rows = (const void *)sliced_rows_kernel<NOTED>;
    const void *split = (const void *)sliced_split_kernel<NOTED>;
    return fused_program{s->near_words < s->words ? split : s->heads != NULL ? rows : all, 0};
}

#endif
