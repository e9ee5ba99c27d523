/* pair_search.cu: searches between pairs of vertices on a GPU (pair_kernels.h). pair_cpu.c does the same on a CPU.
 *
 * The rows of a frontier are put one after the other, so that their edges have consecutive numbers. Each thread reads four
 * edges at a time, so that several reads of columns and marks run at once. Memory traffic in bytes:
 * - for each vertex of a frontier: 8 (step) and 16 (offsets)
 * - for each edge: 4 (column), and a mark
 * - for each found vertex: an atomic, 8 (step) and 16 (offsets)
 *
 * The threads of one block do a search, or the threads of all blocks together; these are called the threads of the search.
 * A claim is the attempt of a thread to be the first to mark a vertex. */
#include "pair_kernels.h"
#include "traverse/cuda/device/cuda_common.cuh"
#include "traverse/cuda/device/cuda_ptx.cuh"

enum { SLOTS = 4 }; /* number of edges that a thread reads at a time */
#ifdef DBFS_EMULATED
enum { BLOCKS_TOGETHER = 1 };
#else
enum { BLOCKS_TOGETHER = 4 }; /* number of blocks that a multiprocessor runs at the same time */
#endif
#define NO_COLUMN UINT32_MAX

/* One side of a search, in the registers of every thread. */
struct pair_side {
    /* number: 0 for the side of the source, 1 for that of the target; depth: number of levels that the side has grown */
    uint32_t number, depth;
    uint32_t begin, end;      /* the frontier is steps `begin` to `end` - 1 */
    unsigned long long edges; /* number of edges of the rows of the frontier */
};

/* A search, as each thread of the search stores it. ALL: all blocks search together. `read` differs between threads; all
 * other members are the same in all threads of the search. */
template <bool ALL> struct pair_search {
    static constexpr bool all = ALL;
    const gpu_pairs &pairs;
    /* what all threads of the search share: in shared memory if one block searches, in device memory if all blocks do */
    gpu_pair_live *live;
    /* the marks and the steps of this search */
    uint32_t *marks;
    gpu_pair_step *steps;
    pair_side now, other;    /* the side that grows, and the other side */
    unsigned round;          /* index in live->level of the counts of the present level */
    /* the value of live->arrived once all blocks have arrived at the latest barrier; only if ALL */
    unsigned arrivals;
    unsigned long long read; /* number of edges that this thread has read */

    /* Returns the number of this block among the blocks of the search, from 0 on. */
    __device__ unsigned block() const
    {
        return ALL ? blockIdx.x : 0;
    }

    /* Returns the number of blocks of the search. */
    __device__ unsigned blocks() const
    {
        return ALL ? gridDim.x : 1;
    }

    /* Waits until all threads of the search have arrived. After the barrier, all threads see all writes made before it. */
    __device__ void barrier()
    {
        __syncthreads();
        if (!ALL)
            return;
        arrivals += gridDim.x;
        if (threadIdx.x == 0) {
            fence_of_gpu();
            atomicAdd(&live->arrived, 1u);
            while ((int)(load_acquire(&live->arrived) - arrivals) < 0)
                __nanosleep(32);
        }
        __syncthreads();
    }

    /* Returns whether this is the first thread of the search: thread 0 of the first block. */
    __device__ bool is_first() const
    {
        return threadIdx.x == 0 && block() == 0;
    }

    /* Returns a reference to step i of a side. Steps of the target go backwards from the last element of the array. */
    __device__ gpu_pair_step &step(unsigned side, uint64_t i) const
    {
        return steps[side == 0 ? i : pairs.vertices - i];
    }

    /* Returns the counts of the present level. All threads of the search share these counts. */
    __device__ gpu_pair_level &level() const
    {
        return live->level[round];
    }

    /* Returns whether the sides have met in the present level. Reads `met` from memory, as any thread may have set it. */
    __device__ bool has_met() const
    {
        return ((const volatile gpu_pair_level &)level()).met != PAIR_NOT_MET;
    }
};

/* ---- reading edges ---- */

/* The rows that a block reads together: the rows of consecutive steps, one for each thread. The edges of all these rows are
 * numbered one row after the other. */
struct laid_rows {
    uint64_t begin[BLOCK];  /* index of the first column of each row */
    uint32_t before[BLOCK]; /* for each row: number of edges of all rows before it */
};

/* Returns the index in *rows of the row that has edge number `edge` of all rows. Any thread may call it. */
__device__ static inline unsigned row_of(const laid_rows &rows, uint32_t edge)
{
    unsigned row = 0;
    for (unsigned step = BLOCK / 2; step > 0; step /= 2) {
        if (rows.before[row + step] <= edge)
            row += step;
    }
    return row;
}

/* Tries to mark vertex v, to which step `from` has an edge, for the growing side. Returns true if this thread is the first
 * to mark v, and so must append v to the frontier. If the other side has found v, stores the edge in `met` of the level,
 * unless `met` is set already. `word` has the marks of v, and was read shortly before. Any thread may call it. */
template <class Search>
__device__ static inline bool mark_for_side(Search &search, uint32_t v, uint32_t word, uint32_t from)
{
    const unsigned shift = v % PAIR_MARKS * PAIR_SIDES, own = 1u << search.now.number, both = (1u << PAIR_SIDES) - 1;
    const unsigned bits = word >> shift & both;
    if ((bits & ~own) != 0)
        atomicCAS(&search.level().met, (unsigned long long)PAIR_NOT_MET, (unsigned long long)from << 32 | v);
    return bits == 0 && (atomicOr(&search.marks[v / PAIR_MARKS], own << shift) >> shift & both) == 0;
}

/* Appends steps to the next frontier, for the vertices that the lanes of a warp have found. If bit j of `mine` is set, this
 * lane has found column[j] from step from[j]. Adds the vertices to the count of the level. Returns the number of edges of
 * this lane's vertices. Called by all lanes of a warp. */
template <class Search>
__device__ static inline unsigned long long append_steps(Search &search, const uint32_t *column, const uint32_t *from,
                                                         unsigned mine)
{
    const unsigned before = warp_prefix(__popc(mine)), total = __shfl_sync(ALL_LANES, before + __popc(mine), WARP - 1);
    unsigned long long edges = 0;
    unsigned at = 0;
    if (total == 0)
        return 0;
    if (lane_id() == 0)
        at = atomicAdd(&search.level().count, total);
    at = search.now.end + before + __shfl_sync(ALL_LANES, at, 0);
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        if (!(mine >> j & 1))
            continue;
        search.step(search.now.number, at++) = gpu_pair_step{column[j], from[j]};
        edges += row_edges(search.pairs.rows[search.now.number], column[j]);
    }
    return edges;
}

/* Reads edges number 0 to `total` - 1 of the rows in *rows, the first of which is the row of step `base`. Marks vertices
 * that no side has found, and appends them to the next frontier. Stops if the sides have met. Returns the number of edges
 * of the vertices that this thread has found. Called by all threads of a block. */
template <class Search>
__device__ static unsigned long long read_edges(Search &search, const laid_rows &rows, uint32_t base, uint32_t total)
{
    const uint32_t *columns = search.pairs.rows[search.now.number].columns;
    unsigned long long edges = 0;
    for (uint32_t first = threadIdx.x - lane_id(); first < total && !__any_sync(ALL_LANES, search.has_met());
         first += BLOCK * SLOTS) {
        uint32_t column[SLOTS], from[SLOTS], word[SLOTS];
        unsigned mine = 0;
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            const uint32_t i = first + lane_id() + j * BLOCK;
            column[j] = NO_COLUMN;
            if (i >= total)
                continue;
            const unsigned row = row_of(rows, i);
            column[j] = columns[rows.begin[row] + (i - rows.before[row])];
            from[j] = base + row;
            search.read++;
        }
#pragma unroll
        for (int j = 0; j < SLOTS; j++)
            word[j] = column[j] != NO_COLUMN ? ((volatile uint32_t *)search.marks)[column[j] / PAIR_MARKS] : 0;
#pragma unroll
        for (int j = 0; j < SLOTS; j++)
            mine |= (unsigned)(column[j] != NO_COLUMN && mark_for_side(search, column[j], word[j], from[j])) << j;
        edges += append_steps(search, column, from, mine);
    }
    return edges;
}

/* ---- a level ---- */

/* Puts the rows of steps `base` to `base` + `count` - 1 into *rows, one row for each thread of the block. If all blocks
 * search together, a long row counts as empty, and its pieces are listed for read_frontier. Returns the number of edges of
 * the rows in *rows. Called by all threads of a block. */
template <class Search>
__device__ static uint32_t lay_rows(Search &search, laid_rows &rows, uint32_t base, uint32_t count)
{
    const uint64_t *offsets = search.pairs.rows[search.now.number].offsets;
    uint64_t begin = 0, edges = 0;
    unsigned total;
    if (threadIdx.x < count) {
        const uint32_t step = base + threadIdx.x, v = search.step(search.now.number, step).vertex;
        begin = offsets[v];
        edges = offsets[v + 1ull] - begin;
        if (Search::all && edges > PAIR_LONG_ROW) {
            const uint32_t pieces = (uint32_t)((edges + PAIR_LONG_ROW - 1) / PAIR_LONG_ROW);
            const uint32_t at = atomicAdd(&search.level().pieces, pieces);
            for (uint32_t i = 0; i < pieces; i++)
                search.pairs.pieces[at + i] = gpu_pair_piece{step, i};
            edges = 0;
        }
    }
    const unsigned before = block_prefix((unsigned)edges, &total);
    rows.begin[threadIdx.x] = begin;
    rows.before[threadIdx.x] = before;
    __syncthreads();
    return total;
}

/* Puts a single piece of a long row into *rows, as the first row, with empty rows after it. Returns the number of edges of
 * the piece. Called by all threads of a block. */
template <class Search>
__device__ static uint32_t lay_piece(Search &search, laid_rows &rows, const gpu_pair_piece &piece)
{
    const uint64_t *offsets = search.pairs.rows[search.now.number].offsets;
    const uint32_t v = search.step(search.now.number, piece.step).vertex;
    const uint64_t begin = offsets[v] + (uint64_t)piece.number * PAIR_LONG_ROW, left = offsets[v + 1ull] - begin;
    const uint32_t total = left < PAIR_LONG_ROW ? (uint32_t)left : PAIR_LONG_ROW;
    __syncthreads();
    rows.begin[threadIdx.x] = begin;
    rows.before[threadIdx.x] = threadIdx.x == 0 ? 0 : total;
    __syncthreads();
    return total;
}

/* Adds the sum of `edges` over all lanes of a warp to the edges of the level. Called by all lanes of a warp. */
template <class Search> __device__ static inline void add_edges(Search &search, unsigned long long edges)
{
    edges = warp_sum(edges);
    if (lane_id() == 0 && edges > 0)
        atomicAdd(&search.level().edges, edges);
}

/* Reads all edges of the frontier of the growing side: first the rows that are not long, then the pieces of long rows.
 * Found vertices become steps of the next frontier. Ends with a barrier, so that the counts of the level are complete.
 * Called by all threads of the search. */
template <class Search> __device__ static void read_frontier(Search &search)
{
    __shared__ laid_rows rows;
    const uint32_t block = search.block(), blocks = search.blocks();
    const uint32_t count = search.now.end - search.now.begin, even = (count + blocks - 1) / blocks;
    const uint32_t chunk = even < BLOCK ? even : BLOCK;
    unsigned long long edges = 0;
    for (uint64_t at = (uint64_t)block * chunk; at < count; at += (uint64_t)blocks * chunk) {
        const uint32_t part = count - at < chunk ? (uint32_t)(count - at) : chunk, base = search.now.begin + (uint32_t)at;
        edges += read_edges(search, rows, base, lay_rows(search, rows, base, part));
    }
    add_edges(search, edges);
    search.barrier();
    if (!Search::all)
        return;
    const uint32_t pieces = *(volatile uint32_t *)&search.level().pieces;
    edges = 0;
    for (uint32_t i = block; i < pieces; i += blocks) {
        const gpu_pair_piece piece = search.pairs.pieces[i];
        edges += read_edges(search, rows, piece.step, lay_piece(search, rows, piece));
    }
    add_edges(search, edges);
    if (pieces > 0)
        search.barrier();
}

/* ---- a search ---- */

/* Starts side `number` (0: source, 1: target) at vertex v: the first thread marks v, and writes step 0. Returns the side,
 * with v as its frontier. The caller must call a barrier afterwards. Called by all threads of the search. */
template <class Search> __device__ static inline pair_side begin_side(Search &search, unsigned number, uint32_t v)
{
    if (search.is_first()) {
        search.step(number, 0) = gpu_pair_step{v, 0};
        atomicOr(&search.marks[v / PAIR_MARKS], 1u << number << v % PAIR_MARKS * PAIR_SIDES);
    }
    return pair_side{number, 0, 0, 1, row_edges(search.pairs.rows[number], v)};
}

/* How a search has ended: the results of `grow`. */
enum pair_end { PAIR_MET, PAIR_APART, PAIR_LEFT };

/* Grows the sides level by level until the search has ended: in each level the side with fewer edges in its frontier, or in a
 * one-sided search always the side of the source. Called by all threads of the search. Returns:
 * - PAIR_MET: the sides have met. search.now grew last; its steps up to search.now.end include what it found last.
 * - PAIR_APART: a side has an empty frontier.
 * - PAIR_LEFT: the frontier has too many edges for a single block. */
template <class Search> __device__ static pair_end grow(Search &search)
{
    for (;;) {
        if (!search.pairs.one_sided && search.now.edges > search.other.edges) {
            const pair_side side = search.now;
            search.now = search.other;
            search.other = side;
        }
        if (search.now.begin == search.now.end || search.other.begin == search.other.end)
            return PAIR_APART;
        if (!Search::all && search.now.edges > PAIR_BLOCK_EDGES)
            return PAIR_LEFT;
        read_frontier(search);
        const volatile gpu_pair_level &level = search.level();
        if (search.has_met()) {
            search.now.end += level.count;
            return PAIR_MET;
        }
        search.now.begin = search.now.end; /* the found vertices become the frontier */
        search.now.end += level.count;
        search.now.edges = level.edges;
        search.now.depth++;
        search.round = (search.round + 1) % 3;
        /* clears the counts for the level after the next one, which no thread reads any more */
        if (search.is_first())
            search.live->level[(search.round + 1) % 3] = gpu_pair_level{0, 0, 0, PAIR_NOT_MET};
    }
}

/* Clears the marks of all vertices that a side has found. Zeroes whole words, and so may also clear marks of the other
 * side. Called for both sides at the end of a search, by all threads of the search. */
template <class Search> __device__ static void clear_marks(Search &search, const pair_side &side)
{
    for (uint64_t i = search.block() * BLOCK + threadIdx.x; i < side.end; i += search.blocks() * BLOCK)
        search.marks[search.step(side.number, i).vertex / PAIR_MARKS] = 0;
}

/* ---- the path ---- */

/* Writes the side.depth + 1 vertices on the path from step `step` of a side back to step 0, to the addresses `to`, to + by,
 * to + 2 * by and so on. Called by a single thread. */
template <class Search>
__device__ static void walk(const Search &search, const pair_side &side, uint32_t step, uint32_t *to, int by)
{
    for (uint32_t left = side.depth + 1; left > 0; left--, to += by) {
        const gpu_pair_step at = search.step(side.number, step);
        *to = at.vertex;
        step = at.from;
    }
}

/* Finds the step at which the side that does not grow has the vertex of the meeting edge. Returns its number, which is below
 * search.other.end, or PAIR_NO_STEP if that side has no such step, because the rows of one end do not have this edge. The threads tell
 * each other by live->other, which is PAIR_NO_STEP before. Called by all threads of the search. */
template <class Search> __device__ static uint32_t meeting_step(Search &search)
{
    const uint32_t v = (uint32_t)search.level().met;
    for (uint64_t i = search.other.begin + search.block() * BLOCK + threadIdx.x; i < search.other.end;
         i += search.blocks() * BLOCK) {
        if (search.step(search.other.number, i).vertex == v)
            search.live->other = (uint32_t)i;
    }
    search.barrier();
    return *(volatile uint32_t *)&search.live->other;
}

/* Writes a path of `vertices` vertices to pairs.paths, after the paths of other pairs. `step` is the step of the other side
 * at which the sides have met. Two threads write, from the edge between the sides to the two ends of the path. Returns the
 * index of the first vertex, or PAIR_NO_PATH if the path does not fit. Called by all threads of the first block. */
template <class Search> __device__ static uint64_t write_path(const Search &search, uint64_t vertices, uint32_t step)
{
    __shared__ unsigned long long begin;
    const unsigned long long met = search.level().met;
    const int from_source = search.now.number == 0; /* 1: the growing side is the side of the source */
    if (threadIdx.x == 0)
        begin = atomicAdd(&search.pairs.counts->path_vertices, (unsigned long long)vertices);
    __syncthreads();
    if (begin + vertices > search.pairs.path_capacity)
        return PAIR_NO_PATH;
    /* address of the last vertex on the side of the source */
    uint32_t *middle = search.pairs.paths + begin + (from_source ? search.now : search.other).depth;
    if (threadIdx.x == 0)
        walk(search, search.now, (uint32_t)(met >> 32), from_source ? middle : middle + 1, from_source ? -1 : 1);
    if (threadIdx.x == WARP)
        walk(search, search.other, step, from_source ? middle + 1 : middle, from_source ? 1 : -1);
    return begin;
}

/* Ends a search of pair number `pair`, in the way that `how` says. Writes the path if paths are wanted, writes the result, and
 * clears all marks. If the sides have met at a vertex that no step has, the result is PAIR_ONE_WAY. With PAIR_LEFT, appends the
 * pair to pairs.left, and keeps the edges and the time of this search in the result. `begun` is the start time in nanoseconds,
 * known only to the first thread. Called by all threads of the search. */
template <class Search>
__device__ static void finish(Search &search, pair_end how, uint32_t pair, unsigned long long begun)
{
    const uint32_t other = how == PAIR_MET ? meeting_step(search) : PAIR_NO_STEP;
    const unsigned long long met = search.level().met, read = warp_sum(search.read);
    uint64_t found = other != PAIR_NO_STEP ? (uint64_t)search.now.depth + search.other.depth + 2 : 0, path = PAIR_NO_PATH;
    if (lane_id() == 0)
        atomicAdd(&search.live->edges, read);
    if (found > 0 && search.pairs.paths != NULL && search.block() == 0)
        path = write_path(search, found, other);
    if (how == PAIR_MET && found == 0) {
        found = PAIR_ONE_WAY;
        path = (uint64_t)search.step(search.now.number, met >> 32).vertex << 32 | (uint32_t)met;
    }
    search.barrier();
    clear_marks(search, search.now);
    clear_marks(search, search.other);
    if (search.is_first()) {
        gpu_pair_result &result = search.pairs.results[pair];
        result.found = found;
        result.edges += *(volatile unsigned long long *)&search.live->edges;
        result.vertices = (uint64_t)search.now.end + search.other.end;
        result.nanoseconds += device_nanoseconds() - begun;
        result.path = path;
        if (how == PAIR_LEFT)
            search.pairs.left[atomicAdd(&search.pairs.counts->left, 1u)] = pair;
    }
    search.barrier();
}

/* Searches between the vertices of pair number `pair`: clears the shared counts, starts both sides, grows them, and writes
 * the result. At the end, all marks are zero. Called by all threads of the search. */
template <class Search> __device__ static void search_pair(Search &search, uint32_t pair)
{
    const unsigned long long begun = search.is_first() ? device_nanoseconds() : 0;
    const uint32_t *ends = search.pairs.ends + 2ull * pair;
    if (search.is_first()) {
        for (int i = 0; i < 3; i++)
            search.live->level[i] = gpu_pair_level{0, 0, 0, PAIR_NOT_MET};
        search.live->edges = 0;
        search.live->other = PAIR_NO_STEP;
    }
    search.round = 0;
    search.read = 0;
    search.now = begin_side(search, 0, ends[0]);
    search.other = begin_side(search, 1, ends[1]);
    search.barrier();
    finish(search, grow(search), pair, begun);
}

/* The first kernel. Each block works on one pair after the other, without the other blocks. */
__global__ static void __launch_bounds__(BLOCK, BLOCKS_TOGETHER)
    pair_blocks_kernel(const __grid_constant__ gpu_pairs pairs)
{
    __shared__ gpu_pair_live live;
    __shared__ uint32_t pair;
    pair_search<false> search = {pairs, &live, pairs.marks + blockIdx.x * pairs.words,
                                 pairs.steps + blockIdx.x * (pairs.vertices + 1), {}, {}, 0, 0, 0};
    for (;;) {
        if (threadIdx.x == 0)
            pair = atomicAdd(&pairs.counts->taken, 1u);
        __syncthreads();
        if (pair >= pairs.count)
            return;
        search_pair(search, pair);
    }
}

/* The second kernel. All blocks together search between each of the pairs that the first kernel has left. The launch is
 * cooperative, because the blocks wait for each other, and so must run at the same time. */
__global__ static void __launch_bounds__(BLOCK, BLOCKS_TOGETHER)
    pair_grid_kernel(const __grid_constant__ gpu_pairs pairs)
{
    pair_search<true> search = {pairs, &pairs.counts->live, pairs.marks, pairs.steps, {}, {}, 0, 0, 0};
    const uint32_t left = pairs.counts->left;
    for (uint32_t i = 0; i < left; i++)
        search_pair(search, pairs.left[i]);
}

/* Returns the number of blocks that fill the current GPU. Returns 1 if the number cannot be found out. */
int cuda_pair_blocks(void)
{
    int device = 0, processors = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    return processors > 0 ? BLOCKS_TOGETHER * processors : 1;
}

/* Launches the first kernel with `blocks` blocks. Does not wait for the kernel. */
void cuda_pairs_by_blocks(const gpu_pairs *pairs, int blocks, cudaStream_t stream)
{
    pair_blocks_kernel<<<blocks, BLOCK, 0, stream>>>(*pairs);
}

/* Launches the second kernel, with only as many blocks as the GPU runs at the same time, because the blocks wait for each
 * other. Does not wait for the kernel. Returns the error of the launch. */
cudaError_t cuda_pairs_by_all(const gpu_pairs *pairs, cudaStream_t stream)
{
    return launch_together((const void *)pair_grid_kernel, cuda_pair_blocks(), BLOCK, 0, pairs, stream);
}
