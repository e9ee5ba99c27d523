/* cuda_sliced_kernel.cuh: the kernel of a sliced search; see cuda_sliced.h
 *
 * search_slices does one level after the other. A level uses one of three `found` bitmaps, and the sums of the same number.
 * This number is the level's turn: 0, 1, 2, and again from 0. The root has depth 0. The weight of a frontier is the number of
 * slices of its vertices. The search of cuda_fused_kernel.cuh finds the same distances without slices.
 */
#ifndef DBFS_CUDA_SLICED_KERNEL_CUH
#define DBFS_CUDA_SLICED_KERNEL_CUH

#include "cuda_sliced_all.cuh"
#include "cuda_sliced_answer.cuh"
#include "cuda_sliced_lists.cuh"
#include "cuda_sliced_rows.cuh"

/* ---- the kind of a level ---- */

/* A frontier of at most s.block_capacity / SMALL_SHARE slices is small: one block goes on alone (BLOCK), as the frontier has room to
 * grow. The block also takes larger frontiers that are steady (is_steady), and stops at one that does not fit it (fits_one_block). */
enum { SMALL_SHARE = 4 };

/* Costs of a level. The unit is the cost of one slice that a PULL reads. */
enum sliced_cost {
#define SLICED_WAY(name, value, unit, what) name = value,
#include "formats/rates.def"
};

/* Predicts how many slices a PULL would read after state p. Each unvisited row reads slices until one has a visited column. The prediction
 * assumes that visited columns are spread evenly over all slices. If the last PULL found few rows (p.pull_failed), they are not, and all
 * unvisited rows are predicted to read all of their slices: in a chain of cliques most rows have no visited neighbour. */
__device__ static inline float pulled_slices(const gpu_sliced &s, const sliced_progress &p)
{
    if (p.pull_failed)
        return (float)p.left;
    const float vertices = (float)(s.of[DELEGATES].count + s.of[NORMALS].count);
    const float rows = (float)p.left * vertices / (float)s.count;
    const float until = (float)(p.left + p.weight) / (float)(SLICED_COLUMNS * (uint64_t)p.weight + 1);
    return min((float)p.left, rows * max(until, 1.0f));
}

/* Returns the kind of the next level if it is to be dense: ALL without heads, otherwise the cheaper one of PUSH and PULL. */
template <class B> __device__ static inline level_kind dense_kind(const gpu_sliced &s, const sliced_progress &p)
{
    if (!B::by_rows)
        return LEVEL_SLICED_ALL;
    enum { IN_VAIN = 4 }; /* where a PULL has failed, most columns of the frontier are visited, and a push costs less: it finds few */
    const float price = B::long_rows && p.pull_failed ? (float)PUSH_PRICE / IN_VAIN : (float)PUSH_PRICE;
    return (float)p.weight * price < pulled_slices(s, p) ? LEVEL_SLICED_PUSH : LEVEL_SLICED_PULL;
}

/* Returns whether SPARSE, a level whose frontier is a list, is predicted to be the cheapest kind, and the lists of the
 * blocks have room for the frontier. A PUSH or PULL also costs the words of a bitmap, because each block reads a whole bitmap after it. */
__device__ static inline bool is_sparse(const gpu_sliced &s, const sliced_progress &p)
{
    const float push = (float)p.weight * PUSH_PRICE, words = (float)s.words * s.word_price;
    return p.weight <= min((unsigned)SLICED_LISTED, SLICED_SHARE * gridDim.x) && (push < words || push < words + pulled_slices(s, p));
}

/* Returns the kind of the next level, and sets p.each. p already describes the next frontier, but p.kind is still that of the last level.
 * - BLOCK is for small and for steady frontiers, but not directly after BLOCK, because that may have ended for lack of room in the block's
 *   list. With heads it also takes up to FEW_FOUND vertices of up to s.block_capacity slices, like a root.
 * - In graphs with long rows each block pushes up to FEW_FOUND vertices by itself (p.each), if the next frontier is predicted to be far too
 *   large for one block: to have more than SLICED_COLUMNS * s.steady_capacity slices. The prediction is that each column leads to a new
 *   vertex, whose row is as long as the mean row of this frontier. In a chain of cliques this saves a barrier and the reading of a bitmap.
 * - SPARSE is for larger frontiers, if it is predicted to be cheapest.
 * - Other levels are dense. The level at the depth where the search ends is always dense. */
template <class B> __device__ static inline level_kind next_kind(const gpu_sliced &s, sliced_progress &p)
{
    enum { FOUND_SHARE = 8 /* a small frontier has at most s.block_capacity / FOUND_SHARE vertices */, FEW_FOUND = 4 };
    const bool was_block = p.kind == LEVEL_SLICED_BLOCK;
    if (B::long_rows)
        p.each = false;
    if (p.depth == s.order.deepest)
        return dense_kind<B>(s, p);
    const bool small = p.found <= s.block_capacity / FOUND_SHARE && p.weight <= s.block_capacity / SMALL_SHARE;
    const bool few = B::by_rows && p.found <= FEW_FOUND, steady = is_steady(s, p.weight, p.last);
    if (B::long_rows)
        p.each = !was_block && few && p.found > 0 && !steady && p.weight <= EACH_SLICES &&
                 p.weight * p.weight > p.found * s.steady_capacity;
    if ((B::long_rows && p.each) || (!was_block && (small || steady || (few && p.weight <= s.block_capacity))))
        return LEVEL_SLICED_BLOCK;
    if (B::by_rows && (!was_block || (p.weight <= s.list_capacity && !p.lacks_slices)) && is_sparse(s, p))
        return LEVEL_SLICED_SPARSE;
    return dense_kind<B>(s, p);
}

/* ---- the barrier ---- */

/* The fields of the word that each block adds to a sum at the barrier of a level: from bit 0 the number 1, which counts
 * the block; then the number of vertices that the block has found, and from bit WEIGHT_SHIFT the number of their slices. */
enum { FOUND_SHIFT = 10, WEIGHT_SHIFT = 36 };

/* Returns whether state p has no unvisited vertices with edges, in a graph with heads. There p.left is exact, since each vertex is counted
 * once, with all of its slices, by the level that finds it:
 * - No level counts a vertex of an earlier one: in a dense level each block's visited bits have all of those, and in a SPARSE or BLOCK
 *   level so have the visited bits that its lanes set.
 * - PULL: a short row belongs to one lane of the grid, which counts it. A long row is counted by the lane whose atomic sets its bit in the
 *   `found` bitmap.
 * - PUSH and SPARSE: the lane whose atomic sets the bit in the bitmap that all blocks share counts the vertex.
 * - BLOCK: the lane whose atomic sets the visited bit, in each block if each pushes the level (run_few). A leaf with a far bit is counted
 *   without a test, as one edge leads to it (block_bits.set).
 * Without heads the count is not exact: ALL counts a row once for each warp that finds it. */
template <class B> __device__ static inline bool all_visited(const sliced_progress &p)
{
    return B::by_rows && p.left == 0;
}

/* Moves the state p past a level, and chooses the kind of the next level. `sum` is the complete sum of the level's barrier. One
 * thread of each block calls it.
 * - A SPARSE level has only listed its frontier, so only p.list_number, the number of the list, goes up by 1.
 * - A BLOCK level may have been several levels. p gets the depth and the number of slices that the first block has left in s.state.
 * - The level at the depth where the search ends (s.order.deepest) finds nothing, and p.depth stays. It is done all the same, because
 *   take_level, before it, adds the last vertices to the visited bits of all blocks.
 * - If all vertices with edges are visited (all_visited), the next level would find nothing, and counts as done. */
template <class B> __device__ static inline void advance(const gpu_sliced &s, unsigned long long sum, sliced_progress &p)
{
    enum { PULL_LEAST = 8 }; /* a PULL has failed that finds less than 1 / PULL_LEAST of the slices that look */
    const bool by_block = p.kind == LEVEL_SLICED_BLOCK;
    if (p.kind == LEVEL_SLICED_SPARSE && p.depth < s.order.deepest) { /* run_sparse will push the list */
        p.list_number++;
        return;
    }
    if (p.depth < s.order.deepest)
        p.depth = by_block ? *(volatile int32_t *)&s.state->depth : p.depth + 1;
    p.last = p.weight;
    p.found = (unsigned)(sum >> FOUND_SHIFT) & ((1u << (WEIGHT_SHIFT - FOUND_SHIFT)) - 1);
    p.weight = (unsigned)(sum >> WEIGHT_SHIFT);
    if (B::by_rows && p.kind == LEVEL_SLICED_PULL)
        p.pull_failed = p.weight < p.left / PULL_LEAST;
    const uint32_t seen = by_block ? *(volatile uint32_t *)&s.state->seen : p.weight;
    p.left -= seen & ~LACKS_SLICES;
    p.lacks_slices = (seen & LACKS_SLICES) != 0;
    if (all_visited<B>(p) && p.found > 0 && p.depth < s.order.deepest) {
        p.found = 0;
        p.depth++;
    }
    p.kind = next_kind<B>(s, p);
}

/* Reports the end of the search and the number of its levels to the host. The caller has made a system-wide fence, so the
 * host sees all writes before that fence. */
__device__ static inline void report_end(const gpu_sliced &s, int32_t levels)
{
    s.out.mapped->report = (uint64_t)s.order.number << 32 | (uint32_t)levels;
}

enum { GOES_ON = -1 }; /* for `levels` of grid_barrier: the search is not over */

/* The barrier of all blocks after a level. Each block adds its counts of the level (vertices, slices and, for notes, probes) to
 * the level's sums, sets its own counts to zero, and waits until all blocks have arrived. All threads of all blocks call it.
 *
 * While the search goes on, `levels` is GOES_ON, and block.now becomes the state after the level, the same in all blocks. After
 * the last level, `levels` is the number of levels, and block.now stays. The first block then reports the end to the host
 * before it waits.
 */
template <class B> __device__ static void grid_barrier(B &block, const gpu_sliced &s, unsigned turn, int32_t levels)
{
    if (B::noted) {
        __syncthreads();
        if (threadIdx.x < SUBGRAPHS) {
            atomicAdd(&s.state->probes[turn][threadIdx.x], (unsigned long long)block.probes[threadIdx.x]);
            block.probes[threadIdx.x] = 0;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const bool reports = blockIdx.x == 0 && levels != GOES_ON;
        unsigned long long *arrived = s.state->arrived[s.parity], word;
        if (blockIdx.x == 0)
            arrived[next_turn(turn)] = 0;
        word = 1 | (unsigned long long)block.found << FOUND_SHIFT | (unsigned long long)block.weight << WEIGHT_SHIFT;
        block.found = block.weight = 0;
        if (reports)
            __threadfence_system(); /* the host is to see everything that the search has written */
        else
            fence_of_gpu();
        atomicAdd(&arrived[turn], word);
        if (reports)
            report_end(s, levels);
        do
            word = load_acquire(&arrived[turn]);
        while (((unsigned)word & ((1u << FOUND_SHIFT) - 1)) != gridDim.x);
        if (levels == GOES_ON)
            advance<B>(s, word, block.now);
    }
    __syncthreads();
}

/* ---- between levels: blocks add found vertices to their visited bits ---- */

/* Which found vertices a block lists in block.slice[1] while it adds them to its visited bits. */
enum listing {
    LISTS_NONE, /* no vertices */
    LISTS_ALL, /* all found vertices; block.slice[0] gets their slices, which the block then pushes by itself */
    LISTS_OWN  /* the vertices in the block's own words of the bitmap, which the block will push */
};

/* Spreads numbers evenly: returns a number below `count` for i, and numbers that are far apart for neighbouring i. The result is
 * `count` times the fractional part of (i times the golden ratio), computed without a division. */
__device__ static inline uint32_t spread(uint32_t i, uint32_t count)
{
    return (uint32_t)((uint64_t)(i * 0x9e3779b1u) * count >> 32);
}

/* Appends to the list block.slice[1] the vertices whose bits are set in `bits`, a word of a bitmap. block.count[1] goes up by
 * their number even if the list is full, so a count above BLOCK_SLICES tells that vertices are missing. */
template <class B> __device__ static inline void list_vertices(B &block, uint32_t word, uint32_t bits)
{
    if (bits == 0)
        return;
    unsigned at = atomicAdd(&block.count[1], (unsigned)__popc(bits));
    for (; bits != 0 && at < BLOCK_SLICES; bits &= bits - 1)
        block.slice[1][at++] = word * 32 + __ffs(bits) - 1;
}

/* ORs `more`, the bits of found vertices, into words 4 * i to 4 * i + 3 of this block's near bits. Lists in block.slice[1] all of
 * these vertices (LISTS_ALL), those in words whose spread() is the number of this block (LISTS_OWN), or none (LISTS_NONE). */
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

/* Adds the vertices in the `found` bitmap of number `turn` to the next far bitmap; the other one got them when they were found. Unless
 * LISTS_NONE, lists them in block.slice[1]. Blocks share the far bits, so each adds a share of the words; with LISTS_ALL it adds all. */
template <class B> __device__ static inline void add_far_words(B &block, const gpu_sliced &s, unsigned turn, listing lists)
{
    const bool all = lists == LISTS_ALL;
    const uint32_t first = all ? threadIdx.x : threadIdx.x * gridDim.x + blockIdx.x;
    for (uint32_t i = s.near_words + first; i < s.words; i += all ? blockDim.x : threads_of_grid()) {
        const uint32_t more = s.found[turn * s.words + i];
        if (more == 0)
            continue;
        atomicOr(&next_far_bits(block, s)[i], more);
        if (lists != LISTS_NONE)
            list_vertices(block, i, more);
    }
}

/* Lists in block.slice[0] the slices of the vertices in block.slice[1]. block.count[0] goes up by their number, and block.count[1] becomes
 * 0. A warp takes a vertex in graphs with long rows, and otherwise a thread. All threads of the block call it. */
template <class B> __device__ static inline void list_slices(B &block, const gpu_sliced &s)
{
    constexpr unsigned LANES = B::long_rows ? WARP : 1;
    for (unsigned i = threadIdx.x / LANES; i < block.count[1]; i += blockDim.x / LANES) {
        const uint32_t v = block.slice[1][i], first = s.first[v], count = s.first[v + 1] - first;
        unsigned place = threadIdx.x % LANES == 0 ? atomicAdd(&block.count[0], count) : 0;
        if (LANES > 1)
            place = __shfl_sync(ALL_LANES, place, 0);
        for (unsigned k = threadIdx.x % LANES; k < count && place + k < BLOCK_SLICES; k += LANES)
            block.slice[0][place + k] = first + k;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        block.count[1] = 0;
    __syncthreads();
}

/* Adds the vertices in the `found` bitmap of number `turn` to the visited bits, and lists them in block.slice[1] as `lists`
 * says. For LISTS_OWN, block.count[1] becomes their number. For LISTS_ALL, block.slice[0] gets their slices, and block.count[0]
 * the number of these slices. All threads of the block call it.
 *
 * A thread reads AT_ONCE groups of four words before it uses the first. If AT_ONCE is above 1, each block begins at another
 * word, so that blocks do not read the same words at the same time.
 */
template <int AT_ONCE, class B>
__device__ static void add_found(B &block, const gpu_sliced &s, unsigned turn, listing lists)
{
    const uint4 *found = (const uint4 *)(s.found + turn * s.words);
    enum { LINE = 8 }; /* a cache line has 8 groups of four words */
    const uint32_t all = (B::split ? s.near_words : s.words) / 4;
    const uint32_t begin = AT_ONCE > 1 ? spread(blockIdx.x, all) / LINE * LINE : 0;
    if (threadIdx.x < SLICED_TURNS)
        block.count[threadIdx.x] = 0;
    if (B::split || lists != LISTS_NONE)
        __syncthreads();
    if constexpr (B::split)
        add_far_words(block, s, turn, lists);
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
    __syncthreads();
    if (lists == LISTS_ALL)
        list_slices(block, s);
}

/* Prepares the next level: swaps the far bitmaps, adds the vertices found last to this block's visited bits, and lists the frontier in the
 * block's memory if the next level needs a list. Returns where a PUSH would find the frontier. All threads of all blocks call it after the
 * barrier of each level.
 *
 * `by_block` says that the first block did the last levels by itself, and `sparse` that run_sparse did them. Then the last `found` bitmap
 * has all vertices of these levels, not only the frontier. If a BLOCK level follows run_sparse, the first block copies the sparse frontier
 * to its own list. If all are visited (all_visited), FRONTIER_BY_DEPTH makes end_search add the last ones. */
template <class B>
__device__ static inline frontier_form take_level(B &block, const gpu_sliced &s, unsigned turn, bool by_block,
                                                  bool sparse)
{
    const sliced_progress &p = block.now;
    if (B::split) {
        if (threadIdx.x == 0)
            block.far ^= 1;
        __syncthreads();
    }
    const bool more = p.found != 0, to_block = p.kind == LEVEL_SLICED_BLOCK; /* the next level */
    listing lists = LISTS_NONE;
    if (by_block || sparse) /* the frontier is already a list of slices, or PUSH can find it by the depths of vertices */
        lists = LISTS_NONE;
    else if (to_block) /* without heads (run_each_block) and with p.each (run_few) each block goes on, and otherwise the first one alone */
        lists = !B::by_rows || (B::long_rows && p.each) || blockIdx.x == 0 ? LISTS_ALL : LISTS_NONE;
    else if (p.kind == LEVEL_SLICED_SPARSE || (B::by_rows && p.kind == LEVEL_SLICED_PUSH && p.found <= BLOCK_SLICES))
        lists = LISTS_OWN;
    if (more)
        add_found<!B::by_rows ? 1 : B::noted ? 4 : 8>(block, s, turn, lists);
    /* the first block copies the sparse frontier to its own list */
    if (B::by_rows && more && sparse && to_block && blockIdx.x == 0) {
        const sparse_frontier f = {p.list_number, p.weight, true};
        for (unsigned i = threadIdx.x; i < f.total; i += blockDim.x)
            block.slice[0][i] = listed_slice(block, s, f, i);
        if (threadIdx.x == 0)
            block.count[0] = f.total;
        __syncthreads();
    }
    return by_block || sparse || all_visited<B>(p) ? FRONTIER_BY_DEPTH : lists == LISTS_OWN ? FRONTIER_LISTED : FRONTIER_FOUND;
}

/* Clears bitmap `number` of s.found: a `found` bitmap or, from SLICED_TURNS on, a far one. The threads of all blocks call
 * it. */
__device__ static inline void clear_bitmap(const gpu_sliced &s, unsigned number)
{
    uint4 *found = (uint4 *)(s.found + number * s.words);
    for (uint32_t i = thread_of_grid(); i < s.words / 4; i += threads_of_grid())
        found[i] = make_uint4(0, 0, 0, 0);
}

/* ---- levels ---- */

/* Begins the note of a dense level of kind block.now.kind: it pushes or pulls all subgraphs. */
template <class B> __device__ static inline void note_dense(B &block)
{
    note_level(block.notes, block.now.depth, block.now.kind);
    if constexpr (B::noted) {
        if (is_noter(block.notes))
            note_of(block.notes, block.now.depth).pulled = block.now.kind != LEVEL_SLICED_PUSH ? (1u << SUBGRAPHS) - 1 : 0;
    }
}

/* Does the level of kind block.now.kind, but nothing at the depth where the search ends. All threads of all blocks call it.
 * Without B::by_rows there are only the kinds ALL and BLOCK, and with it all but ALL.
 * - ALL, PULL, PUSH: all blocks find the next frontier. `form` says where PUSH finds the present one. ALL uses `own`, the first
 *   slices of the thread, and drops those of visited rows.
 * - BLOCK: the first block does several levels by itself, from the frontier `few` on. The other blocks do nothing.
 * - SPARSE: only lists the frontier. run_sparse pushes the list after the barrier. */
template <class B>
__device__ static inline void run_level(B &block, const gpu_sliced &s, unsigned turn, frontier_form form,
                                        const block_frontier &few, slice_batch &own)
{
    const sliced_progress &p = block.now;
    if (p.depth == s.order.deepest)
        return;
    if (p.kind == LEVEL_SLICED_BLOCK) {
        if (blockIdx.x == 0)
            run_first_block(block, s, turn, few);
        return;
    }
    if (B::by_rows && p.kind == LEVEL_SLICED_SPARSE) {
        list_parts(block, s, s.found + turn * s.words, p.list_number + 1);
        return;
    }
    note_dense(block);
    if (!B::by_rows)
        pull_slices(block, s, turn, p.depth, own);
    else if (p.kind == LEVEL_SLICED_PULL)
        pull_rows(block, s, turn, p.depth);
    else
        push_rows(block, s, turn, p.depth, form);
    note_time(block.notes, p.depth, FUSED_VISITED);
}

/* Does sparse levels by all blocks, as long as SPARSE is predicted to be cheapest. block.now becomes the state after these
 * levels, the same in all blocks. All threads of all blocks call it. Not inlined, so that other levels keep more values in
 * registers.
 *
 * The frontier is a list, made by the first block if `by_block`, otherwise by all blocks. `from_root` says that the first block began at
 * the only root. The `found` bitmap of number `turn` has all visited bits, and gets those of found vertices, too. If SMALL_LEVELS
 * frontiers in a row are small or steady, the next level is BLOCK, otherwise a dense one. One such frontier is not enough, because handing
 * the list to the first block costs as much as two levels. In graphs with long rows the next level is dense, too, where the frontier has
 * grown much MANY_JUMPS times: in a chain of cliques, a level of all blocks and one of each block (run_few) are faster than two of SPARSE.
 */
template <class B>
__device__ static __noinline__ void run_sparse(B &block, const gpu_sliced &s, unsigned turn, bool by_block, bool from_root)
{
    enum { SMALL_LEVELS = 4, MANY_JUMPS = 3, JUMP = 8 /* a frontier that has grown much is this many times the one before */ };
    sliced_progress p = block.now;
    if (by_block) /* 2 more: told[] has no such number yet, and it is even or odd like that by which the first block chose a list */
        p.list_number += 2;
    sparse_frontier f = by_block ? take_first_part(block, s, s.found + turn * s.words, p.list_number, p.weight, from_root)
                                 : gather_parts(block, s, p.list_number);
    unsigned small = 0, jumps = 0;
    const auto goes_on = [&] {
        return p.weight > 0 && small < SMALL_LEVELS && jumps < MANY_JUMPS && p.depth < s.order.deepest && is_sparse(s, p);
    };
    while (f.fits && goes_on())
        f = push_sparse_levels(block, s, s.found + turn * s.words, f, p.depth, [&](unsigned slices) {
            p.last = p.weight;
            p.found = p.weight = slices; /* each vertex has at least one slice, so this is an upper bound for p.found */
            p.left -= slices;
            small = slices <= s.block_capacity / SMALL_SHARE || is_steady(s, slices, p.last) ? small + 1 : 0;
            if (B::long_rows) /* no search grows so much so often without becoming small in between */
                jumps += slices > 4 * s.steady_capacity && slices / JUMP >= p.last;
            return goes_on();
        });
    p.kind = f.fits && small == SMALL_LEVELS && p.depth < s.order.deepest ? LEVEL_SLICED_BLOCK : dense_kind<B>(s, p);
    p.list_number = f.number;
    if (threadIdx.x == 0)
        block.now = p;
    __syncthreads();
}

/* Does up to LEVELS small levels in each block by itself, from frontier `few` on. All blocks find the same vertices, so
 * no block waits for another. `few` becomes the frontier after these levels, and block.now gets its depth and the number
 * of unvisited slices. The next kind is ALL if the frontier is too large for a block, and otherwise BLOCK. Returns
 * whether the search is over: the frontier is empty, or has the depth where the search ends. */
template <class B> __device__ static inline bool run_each_block(B &block, const gpu_sliced &s, block_frontier &few)
{
    enum { LEVELS = 4 };
    few.until = min(s.order.deepest, few.depth + LEVELS);
    push_small_levels(block, s, few, NULL);
    __syncthreads();
    if (threadIdx.x == 0) {
        block.now.depth = few.depth;
        block.now.left -= few.seen + block.leaves; /* a leaf has one slice */
        block.leaves = 0;
        if (!fits_one_block(s, few.count, few.last))
            block.now.kind = LEVEL_SLICED_ALL;
    }
    __syncthreads();
    return few.count == 0 || few.depth == s.order.deepest;
}

/* Does one level that each block pushes by itself (p.each), and chooses the next kind. If that is PUSH, all blocks share this level, too:
 * each has the whole frontier as a list. Then the blocks must meet at the barrier, and the result is true. Otherwise the result is false;
 * if the next kind is BLOCK, block.slice[0] has the slices of the frontier.
 * All threads of all blocks call it. Not inlined, so that other levels keep more values in registers. */
template <class B> __device__ static __noinline__ bool run_few(B &block, const gpu_sliced &s, unsigned turn)
{
    note_level(block.notes, block.now.depth, LEVEL_SLICED_BLOCK);
    push_few(block, s, block.now.depth + 1);
    if (threadIdx.x == 0) {
        const unsigned long long found = block.count[1], weight = block.weight;
        sliced_progress p = block.now;
        block.weight = block.count[0] = 0; /* list_slices adds to count[0] */
        p.kind = LEVEL_SLICED_PUSH; /* as after a dense level, which BLOCK may follow */
        advance<B>(s, found << FOUND_SHIFT | weight << WEIGHT_SHIFT, p);
        if (p.kind == LEVEL_SLICED_SPARSE) /* no list of slices is there, and the way back from SPARSE costs more than a PUSH */
            p.kind = dense_kind<B>(s, p);
        block.now = p;
    }
    __syncthreads();
    if (block.now.kind == LEVEL_SLICED_BLOCK)
        list_slices(block, s);
    if (block.now.kind != LEVEL_SLICED_PUSH || block.now.found == 0 || block.now.depth == s.order.deepest)
        return false;
    note_dense(block);
    push_whole_list(block, s, turn, block.now.depth);
    note_time(block.notes, block.now.depth, FUSED_VISITED);
    return true;
}

/* ---- a search ---- */

/* Begins a search: clears this block's visited bits, its counts, and the far bits for the next search, and begins the notes. An
 * only root is visited, with depth and parent. block.slice[0] becomes the list of its slices, and the first level is BLOCK, or
 * dense if it has more slices than a block pushes. Several roots are left to find_roots. All threads of all blocks call it. */
template <class B> __device__ static void start(B &block, const gpu_sliced &s)
{
    const bool several = s.roots.count > 1;
    const uint32_t first = several ? 0 : s.first[s.root], count = several ? 0 : s.first[s.root + 1] - first;
    /* no block has arrived yet: the first level is not SPARSE, and ends with a barrier of another kind */
    if (is_speaker())
        begin_sum_barriers(block.barrier, s.state->barrier);
    for (uint32_t i = threadIdx.x; i < (B::split ? s.near_words : s.words) / 4; i += blockDim.x)
        ((uint4 *)near_bits())[i] = make_uint4(0, 0, 0, 0);
    for (unsigned i = 0; i < 2 * B::split; i++) /* the far bits of the next search */
        clear_bitmap(s, SLICED_TURNS + 2 * (s.parity ^ 1) + i);
    for (uint32_t k = threadIdx.x; k < count && k < BLOCK_SLICES; k += blockDim.x)
        block.slice[0][k] = first + k;
    if (threadIdx.x < SUBGRAPHS)
        block.probes[threadIdx.x] = 0;
    if (threadIdx.x < SLICED_TURNS)
        block.count[threadIdx.x] = threadIdx.x == 0 ? count : 0;
    if (threadIdx.x == 0) {
        sliced_progress p = {};
        p.kind = LEVEL_SLICED_PUSH;
        p.found = 1;
        p.weight = count;
        p.left = s.count - count;
        if (several)
            p.depth = -1;
        else
            p.kind = count <= s.block_capacity ? LEVEL_SLICED_BLOCK : dense_kind<B>(s, p);
        block.found = block.weight = 0;
        block.leaf_depth = 0;
        block.leaves = 0;
        block.now = p;
        if (B::split)
            block.far = 0;
    }
    if (blockIdx.x == 0 && threadIdx.x < SLICED_TURNS)
        s.state->arrived[s.parity ^ 1][threadIdx.x] = 0;
    if (thread_of_grid() == 0 && !several)
        put_depth(s, s.root, 0, ROOT_PARENT);
    begin_notes(block.notes, s.out);
    __syncthreads();
    /* each block sets it, as no barrier follows; far in both bitmaps, as no `found` one has it */
    if (threadIdx.x == 0 && !several) {
        const uint32_t word = s.root / 32, bit = 1u << (s.root % 32);
        if (is_far(block, s, word))
            atomicOr(&far_bits(block, s)[word], bit);
        else
            near_bits()[word] = bit;
        set_next_far(block, s, word, bit);
    }
    __syncthreads();
}

/* Makes several roots the frontier, as if a level of depth -1 had found them: sets their bits in `found` bitmap `turn` and in
 * the next far one, writes their depths and parents, and counts them. Then the blocks go on as after any level. Returns where
 * a PUSH finds the frontier. All threads of all blocks call it. Not inlined, so that searches of one root keep their
 * registers. */
template <class B> __device__ static __noinline__ frontier_form find_roots(B &block, const gpu_sliced &s, unsigned turn)
{
    slice_tally tally = {};
    for (uint32_t i = thread_of_grid(); i < s.roots.count; i += threads_of_grid()) {
        const uint32_t root = root_at(s.roots, s.of, i), v = root & KIND_BIT ? root & ~KIND_BIT : root + s.first_normal;
        atomicOr(&s.found[turn * s.words + v / 32], 1u << (v % 32));
        set_next_far(block, s, v / 32, 1u << (v % 32));
        put_depth(s, v, 0, ROOT_PARENT);
        tally.found++;
        tally.weight += s.first[v + 1] - s.first[v];
    }
    add_tally(block, tally);
    grid_barrier(block, s, turn, GOES_ON);
    return take_level(block, s, turn, false, false);
}

/* Writes the visited bits to s.of[].visited, for later kernels, each block a share. All threads of all blocks call it, when each
 * block knows all visited bits. */
template <class B> __device__ static inline void write_visited(const B &block, const gpu_sliced &s)
{
    const uint32_t normals = s.first_normal / 32;
    for (uint32_t i = thread_of_grid(); i < s.of[DELEGATES].words; i += threads_of_grid())
        s.of[DELEGATES].visited[i] = visited_word(block, s, i);
    for (uint32_t i = thread_of_grid(); i < s.of[NORMALS].words; i += threads_of_grid())
        s.of[NORMALS].visited[i] = visited_word(block, s, normals + i);
}

/* If the last level was left out (advance), and so has no note, writes one: all subgraphs as pulled, since none was pushed. All threads of
 * all blocks call it. */
template <class B> __device__ static inline void note_left_out(B &block)
{
    if constexpr (B::noted) {
        const int32_t depth = block.now.depth - 1;
        if (!is_noter(block.notes) || block.notes.begun > depth)
            return;
        note_level(block.notes, depth, LEVEL_SLICED_NONE);
        note_of(block.notes, depth).pulled = (1u << SUBGRAPHS) - 1;
    }
}

/* Ends a search: reports the end to the host, writes the visited bits and, if the search has one, the answer. Then clears all
 * `found` bitmaps for the next search. `form` is the last result of take_level. `ended` says that run_each_block or run_few ended the
 * search, so no barrier followed its levels. All threads of all blocks call it. */
template <class B>
__device__ static inline void end_search(B &block, const gpu_sliced &s, unsigned turn, frontier_form form, bool ended)
{
    note_left_out(block);
    end_notes(block.notes, block.now.depth);
    if (ended) {
        /* no block may clear or answer before all blocks are here; the first block reports the end before it waits */
        grid_barrier(block, s, turn, block.now.depth);
    } else if (blockIdx.x == 0 && threadIdx.x == 0) {
        /* the fence waits for all writes of the block, so it comes before the block writes its share of the answer */
        __threadfence_system();
        report_end(s, block.now.depth);
    }
    if (!ended && form == FRONTIER_BY_DEPTH) {
        /* a `found` bitmap has the bits that the last levels set; all blocks read it before any block clears it */
        add_found<!B::by_rows ? 1 : B::noted ? 4 : 8>(block, s, previous_turn(turn), LISTS_NONE);
        tell_part(block, s, block.now.list_number + 1);
        gather_parts(block, s, block.now.list_number + 1);
    }
    write_visited(block, s);
    if (s.answer.vertex != NULL)
        write_answer<B::by_rows ? 4 : 2>(block, s);
    for (unsigned i = 0; i < SLICED_TURNS; i++)
        clear_bitmap(s, i);
}

/* Does a whole search, until a frontier is empty. Each pass of the loop does one level by all blocks, several by one
 * block, or several sparse levels; before them each block may do levels by itself (run_few). Then take_level adds the found vertices to the
 * visited bits. All threads of all blocks
 * call it. */
template <class B> __device__ static inline void search_slices(B &block, const gpu_sliced &s)
{
    slice_batch own; /* the first slices of the thread, for levels that read all slices */
    if (!B::by_rows)
        load_batch(s, thread_of_grid(), own);
    start(block, s);
    frontier_form form = FRONTIER_FOUND; /* where PUSH finds the frontier */
    bool ended = false;                  /* each block has reached the end of the search by itself */
    unsigned turn = 0;
    if (s.roots.count > 1) {
        form = find_roots(block, s, turn);
        turn = next_turn(turn);
    }
    for (; block.now.found != 0; turn = next_turn(turn)) {
        bool pushed = false; /* the level is done but for the barrier */
        if constexpr (B::long_rows) {
            while (block.now.each && !pushed)
                pushed = run_few(block, s, turn);
            ended = block.now.found == 0;
            if (ended)
                break;
        }
        block_frontier few = {0, 0, block.count[0], block.now.last, 0, block.now.depth, 0};
        ended = !B::by_rows && block.now.kind == LEVEL_SLICED_BLOCK && run_each_block(block, s, few);
        if (ended)
            break;
        const level_kind kind = block.now.kind; /* the barrier sets block.now.kind to the kind of the next level */
        const int32_t depth = block.now.depth;
        const bool by_block = kind == LEVEL_SLICED_BLOCK, listed = by_block || kind == LEVEL_SLICED_SPARSE;
        if (!pushed)
            run_level(block, s, turn, form, few, own);
        grid_barrier(block, s, turn, GOES_ON);
        /* before the barrier, all blocks have added this bitmap to their visited bits */
        clear_bitmap(s, previous_turn(turn));
        /* copies the probes to the notes, and clears them before another level adds to the same element */
        if constexpr (B::noted) {
            for (int g = 0; !listed && is_noter(block.notes) && g < SUBGRAPHS; g++) {
                note_of(block.notes, depth).probes[g] = *(volatile unsigned long long *)&s.state->probes[turn][g];
                s.state->probes[turn][g] = 0;
            }
        }
        /* SPARSE follows a level that left its frontier as a list, made by the first block or by all blocks */
        const bool sparse = B::by_rows && block.now.found != 0 && block.now.kind == LEVEL_SLICED_SPARSE && listed;
        if (sparse)
            run_sparse(block, s, turn, by_block, depth == 0 && s.roots.count == 1);
        form = take_level(block, s, turn, by_block, sparse);
    }
    end_search(block, s, turn, form, ended);
}

/* The kernel for graphs without heads, whose dense levels are of kind ALL. With NOTED it notes its levels. */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED, false, false, false> block;
    search_slices(block, s);
}

/* The kernel for graphs with heads and without far bits, whose dense levels are of kind PULL or PUSH. */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_rows_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED, true, false, false> block;
    search_slices(block, s);
}

/* The kernel for graphs with heads and long rows, and without far bits. It is a kernel of its own because its code slows other searches:
 * with it in sliced_rows_kernel, grids of a million vertices took 1.06 times as long (one H200). */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_long_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED, true, false, true> block;
    search_slices(block, s);
}

/* The kernel for graphs with heads and far bits (visited bits in global memory). */
template <bool NOTED>
__global__ static void __launch_bounds__(1024, 1) sliced_split_kernel(const __grid_constant__ gpu_sliced s)
{
    __shared__ sliced_block<NOTED, true, true, false> block;
    search_slices(block, s);
}

/* Returns the kernel for the graph of the search. With NOTED the kernel notes its levels. */
template <bool NOTED> static struct fused_program program(const struct gpu_sliced *s)
{
    const void *all = (const void *)sliced_kernel<NOTED>;
    const void *rows = (const void *)sliced_rows_kernel<NOTED>;
    const void *by_long = (const void *)sliced_long_kernel<NOTED>;
    const void *split = (const void *)sliced_split_kernel<NOTED>;
    return fused_program{s->near_words < s->words ? split : s->long_rows ? by_long : s->heads != NULL ? rows : all, 0};
}

#endif
