/* pair_search.cu: searches between pairs of vertices; see pair_kernels.h, and the twin, pair_search.c
 *
 * Edges of a frontier are laid end to end, and each thread looks at four of them at a time, so that several reads of
 * columns, marks and claims are under way at once. Bytes that move: 8 (step) and 16 (offsets) for each vertex of a frontier;
 * 4 (column) and a mark for each edge; an atomic, 8 (step) and 16 (offsets) for each vertex that is found.
 */
#include "pair_grid.cuh"

enum { SLOTS = 4 };
#ifdef DBFS_EMULATED
enum { BLOCKS_TOGETHER = 1 };
#else
enum { BLOCKS_TOGETHER = 4 }; /* of a multiprocessor */
#endif
#define NO_COLUMN UINT32_MAX

/* One side of a search, as every thread knows it. */
struct pair_side {
    uint32_t number, depth;
    uint32_t begin, end;      /* the frontier: its steps */
    unsigned long long edges; /* of its rows */
};

/* A search, as a thread knows it. All members but `looked` are the same in all threads of the search. */
template <class Team> struct pair_searching {
    const gpu_pairs &pairs;
    Team team;
    uint32_t *marks;
    gpu_pair_step *steps;
    pair_side now, other; /* the side that grows, and the other one */
    unsigned turn;        /* of the level's counts */
    unsigned long long looked; /* edges, by this thread */
};

/* Returns whether this thread is thread 0 of the first block of the search. */
template <class S> __device__ static inline bool is_first(const S &s)
{
    return threadIdx.x == 0 && s.team.block() == 0;
}

/* Returns step i of a side (0: source, 1: target): the target's steps lie backwards from the end of the array. */
template <class S> __device__ static inline gpu_pair_step &step_of(const S &s, unsigned side, uint64_t i)
{
    return s.steps[side == 0 ? i : s.pairs.vertices - i];
}

/* Returns the counts of the present level, which all threads of the search share. */
template <class S> __device__ static inline gpu_pair_level &level_of(const S &s)
{
    return s.team.live->level[s.turn];
}

/* ---- a look at edges ---- */

/* Rows of steps, which lie end to end, one for each thread of a block. */
struct laid_rows {
    uint64_t begin[BLOCK];  /* among the columns */
    uint32_t before[BLOCK]; /* edges of the rows before it */
};

/* Returns the row, an index into *rows, that has edge `edge` of the edges laid end to end. Any thread may call it. */
__device__ static inline unsigned row_of(const laid_rows &rows, uint32_t edge)
{
    unsigned row = 0;
    for (unsigned step = BLOCK / 2; step > 0; step /= 2) {
        if (rows.before[row + step] <= edge)
            row += step;
    }
    return row;
}

/* Tries to claim vertex v, found by step `from`, for the growing side; `word` is the word of marks read before.
 * Returns whether this thread is the one that finds v. If the other side has v, notes in the level that the sides have
 * met. Each thread calls it by itself. */
template <class S> __device__ static inline bool claim(S &s, uint32_t v, uint32_t word, uint32_t from)
{
    const unsigned shift = v % PAIR_MARKS * PAIR_SIDES, own = 1u << s.now.number, both = (1u << PAIR_SIDES) - 1;
    const unsigned bits = word >> shift & both;
    if ((bits & ~own) != 0)
        atomicCAS(&level_of(s).met, (unsigned long long)PAIR_NOT_MET, (unsigned long long)from << 32 | v);
    return bits == 0 && (atomicOr(&s.marks[v / PAIR_MARKS], own << shift) >> shift & both) == 0;
}

/* Returns whether the sides have met in this level. */
template <class S> __device__ static inline bool has_met(const S &s)
{
    return ((const volatile gpu_pair_level &)level_of(s)).met != PAIR_NOT_MET;
}

/* Appends the vertices that the lanes of a warp have found to the next frontier: bit j of `mine` says that this lane
 * found column[j], from step from[j]. Returns the edges of this lane's vertices. All lanes of a warp call it. */
template <class S>
__device__ static inline unsigned long long append(S &s, const uint32_t *column, const uint32_t *from, unsigned mine)
{
    const unsigned before = warp_prefix(__popc(mine)), total = __shfl_sync(ALL_LANES, before + __popc(mine), WARP - 1);
    unsigned long long edges = 0;
    unsigned at = 0;
    if (total == 0)
        return 0;
    if (lane_id() == 0)
        at = atomicAdd(&level_of(s).count, total);
    at = s.now.end + before + __shfl_sync(ALL_LANES, at, 0);
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        if (!(mine >> j & 1))
            continue;
        step_of(s, s.now.number, at++) = gpu_pair_step{column[j], from[j]};
        edges += row_edges(s.pairs.rows[s.now.number], column[j]);
    }
    return edges;
}

/* Looks at `total` edges of rows that lie end to end, the first row being the row of step `base`; stops if the sides
 * have met. Returns the edges of the vertices that this thread found. All threads of a block call it. */
template <class S>
__device__ static unsigned long long look_at(S &s, const laid_rows &rows, uint32_t base, uint32_t total)
{
    const uint32_t *columns = s.pairs.rows[s.now.number].columns;
    unsigned long long edges = 0;
    for (uint32_t first = threadIdx.x - lane_id(); first < total && !__any_sync(ALL_LANES, has_met(s));
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
            s.looked++;
        }
#pragma unroll
        for (int j = 0; j < SLOTS; j++)
            word[j] = column[j] != NO_COLUMN ? ((volatile uint32_t *)s.marks)[column[j] / PAIR_MARKS] : 0;
#pragma unroll
        for (int j = 0; j < SLOTS; j++)
            mine |= (unsigned)(column[j] != NO_COLUMN && claim(s, column[j], word[j], from[j])) << j;
        edges += append(s, column, from, mine);
    }
    return edges;
}

/* ---- a level ---- */

/* Lists the long row of a step, with `edges` edges, as pieces, which look_at_frontier takes in a second pass. Any
 * thread may call it, without the others. */
template <class S> __device__ static inline void put_pieces(S &s, uint32_t step, uint64_t edges)
{
    const uint32_t pieces = (uint32_t)((edges + PAIR_LONG_ROW - 1) / PAIR_LONG_ROW);
    const uint32_t at = atomicAdd(&level_of(s).pieces, pieces);
    for (uint32_t i = 0; i < pieces; i++)
        s.pairs.pieces[at + i] = gpu_pair_piece{step, i};
}

/* Lays the rows of `count` steps (at most BLOCK) from step `base` on end to end in *rows, one row a thread. Rows that
 * go to put_pieces count as empty. Returns the number of edges laid. All threads of a block call it. */
template <class S> __device__ static uint32_t lay_rows(S &s, laid_rows &rows, uint32_t base, uint32_t count)
{
    const uint64_t *offsets = s.pairs.rows[s.now.number].offsets;
    uint64_t begin = 0, edges = 0;
    unsigned total;
    if (threadIdx.x < count) {
        const uint32_t v = step_of(s, s.now.number, base + threadIdx.x).vertex;
        begin = offsets[v];
        edges = offsets[v + 1ull] - begin;
        if (S::has_all && edges > PAIR_LONG_ROW) {
            put_pieces(s, base + threadIdx.x, edges);
            edges = 0;
        }
    }
    const unsigned before = block_prefix((unsigned)edges, &total);
    rows.begin[threadIdx.x] = begin;
    rows.before[threadIdx.x] = before;
    __syncthreads();
    return total;
}

/* Lays a single piece of a long row into *rows. Returns its number of edges. All threads of a block call it. */
template <class S> __device__ static uint32_t lay_piece(S &s, laid_rows &rows, const gpu_pair_piece &piece)
{
    const uint64_t *offsets = s.pairs.rows[s.now.number].offsets;
    const uint32_t v = step_of(s, s.now.number, piece.step).vertex;
    const uint64_t begin = offsets[v] + (uint64_t)piece.number * PAIR_LONG_ROW, left = offsets[v + 1ull] - begin;
    const uint32_t total = left < PAIR_LONG_ROW ? (uint32_t)left : PAIR_LONG_ROW;
    __syncthreads();
    rows.begin[threadIdx.x] = begin;
    rows.before[threadIdx.x] = threadIdx.x == 0 ? 0 : total;
    __syncthreads();
    return total;
}

/* Adds up `edges`, the edges of the vertices that each thread found, in the counts of the level. All lanes of a warp
 * call it. */
template <class S> __device__ static inline void add_edges(S &s, unsigned long long edges)
{
    edges = warp_sum(edges);
    if (lane_id() == 0 && edges > 0)
        atomicAdd(&level_of(s).edges, edges);
}

/* Looks at all rows of the growing side's frontier, first at all but the long rows, then at the pieces of long rows.
 * All threads of the search call it, and the level's counts are complete afterwards. */
template <class S> __device__ static void look_at_frontier(S &s)
{
    __shared__ laid_rows rows;
    const uint32_t count = s.now.end - s.now.begin, blocks = s.team.blocks(), even = (count + blocks - 1) / blocks;
    const uint32_t chunk = even < BLOCK ? even : BLOCK;
    unsigned long long edges = 0;
    for (uint64_t at = (uint64_t)s.team.block() * chunk; at < count; at += (uint64_t)blocks * chunk) {
        const uint32_t some = count - at < chunk ? (uint32_t)(count - at) : chunk, base = s.now.begin + (uint32_t)at;
        edges += look_at(s, rows, base, lay_rows(s, rows, base, some));
    }
    add_edges(s, edges);
    s.team.barrier();
    if (!S::has_all)
        return;
    const uint32_t pieces = *(volatile uint32_t *)&level_of(s).pieces;
    edges = 0;
    for (uint32_t i = s.team.block(); i < pieces; i += blocks) {
        const gpu_pair_piece piece = s.pairs.pieces[i];
        edges += look_at(s, rows, piece.step, lay_piece(s, rows, piece));
    }
    add_edges(s, edges);
    if (pieces > 0)
        s.team.barrier();
}

/* ---- a search ---- */

/* Starts a side (0: source, 1: target) at vertex v: one thread marks v and writes step 0. Returns the side with v as
 * its frontier. All threads of the search call it. */
template <class S> __device__ static inline pair_side begin_side(S &s, unsigned number, uint32_t v)
{
    if (is_first(s)) {
        step_of(s, number, 0) = gpu_pair_step{v, 0};
        atomicOr(&s.marks[v / PAIR_MARKS], 1u << number << v % PAIR_MARKS * PAIR_SIDES);
    }
    return pair_side{number, 0, 0, 1, row_edges(s.pairs.rows[number], v)};
}

/* Starts the search between ends[0] and ends[1]: clears the shared counts and starts both sides. All threads of the
 * search call it. */
template <class S> __device__ static void begin(S &s, const uint32_t *ends)
{
    if (is_first(s)) {
        for (int i = 0; i < 3; i++)
            s.team.live->level[i] = gpu_pair_level{0, 0, 0, PAIR_NOT_MET};
        s.team.live->edges = 0;
        s.team.live->other = PAIR_NO_STEP;
    }
    s.turn = 0;
    s.looked = 0;
    s.now = begin_side(s, 0, ends[0]);
    s.other = begin_side(s, 1, ends[1]);
    s.team.barrier();
}

/* Swaps s.now and s.other if the other side's frontier has fewer edges; never in a one-sided search. All threads of
 * the search call it. */
template <class S> __device__ static inline void choose_side(S &s)
{
    if (s.pairs.one_sided || s.now.edges <= s.other.edges)
        return;
    const pair_side side = s.now;
    s.now = s.other;
    s.other = side;
}

/* Makes the vertices found in the level the frontier of the growing side, and turns to the next of three counts. The
 * count after that one is cleared here, as all threads have already read it. All threads of the search call it. */
template <class S> __device__ static inline void take_level(S &s)
{
    const volatile gpu_pair_level &level = level_of(s);
    s.now.begin = s.now.end;
    s.now.end += level.count;
    s.now.edges = level.edges;
    s.now.depth++;
    s.turn = (s.turn + 1) % 3;
    if (is_first(s))
        s.team.live->level[(s.turn + 1) % 3] = gpu_pair_level{0, 0, 0, PAIR_NOT_MET};
}

enum pair_end { PAIR_MET, PAIR_APART, PAIR_LEFT };

/* Grows sides level by level until they meet (PAIR_MET), one has no frontier left (PAIR_APART), or a frontier has too
 * many edges for a single block (PAIR_LEFT). All threads of the search call it. */
template <class S> __device__ static pair_end grow(S &s)
{
    for (;;) {
        choose_side(s);
        if (s.now.begin == s.now.end || s.other.begin == s.other.end)
            return PAIR_APART;
        if (!S::has_all && s.now.edges > PAIR_BLOCK_EDGES)
            return PAIR_LEFT;
        look_at_frontier(s);
        if (has_met(s)) {
            s.now.end += *(volatile uint32_t *)&level_of(s).count;
            return PAIR_MET;
        }
        take_level(s);
    }
}

/* Clears the marks of all vertices that a side has found. All threads of the search call it. */
template <class S> __device__ static void clear_marks(S &s, const pair_side &side)
{
    for (uint64_t i = s.team.block() * BLOCK + threadIdx.x; i < side.end; i += s.team.blocks() * BLOCK)
        s.marks[step_of(s, side.number, i).vertex / PAIR_MARKS] = 0;
}

/* ---- the path ---- */

/* Writes the vertices from a step of a side back to its first step to `to`, to + by, to + 2 * by, ... A single thread
 * calls it. */
template <class S>
__device__ static void walk(const S &s, const pair_side &side, uint32_t step, uint32_t *to, int by)
{
    for (uint32_t left = side.depth + 1; left > 0; left--, to += by) {
        const gpu_pair_step at = step_of(s, side.number, step);
        *to = at.vertex;
        step = at.from;
    }
}

/* Returns the step of the other side's frontier that has the vertex at which the sides met; PAIR_NO_STEP if no step
 * has it, as the rows of an edge's two ends contradict each other. All threads of the search call it, and share the look
 * at the frontier. */
template <class S> __device__ static uint32_t find_other_step(S &s)
{
    const uint32_t v = (uint32_t)level_of(s).met;
    for (uint64_t i = s.other.begin + s.team.block() * BLOCK + threadIdx.x; i < s.other.end; i += s.team.blocks() * BLOCK) {
        if (step_of(s, s.other.number, i).vertex == v)
            s.team.live->other = (uint32_t)i;
    }
    s.team.barrier();
    return *(volatile uint32_t *)&s.team.live->other;
}

/* Writes the path, of `vertices` vertices; `step` is the other side's step of find_other_step. All threads of the
 * first block call it; two of them each walk to an end. Returns the place of the path's first vertex among pairs.paths,
 * or PAIR_NO_PATH without room. */
template <class S> __device__ static uint64_t write_path(const S &s, uint64_t vertices, uint32_t step)
{
    __shared__ unsigned long long place;
    const unsigned long long met = level_of(s).met;
    if (threadIdx.x == 0)
        place = atomicAdd(&s.pairs.counts->path_capacity, (unsigned long long)vertices);
    __syncthreads();
    if (place + vertices > s.pairs.path_capacity)
        return PAIR_NO_PATH;
    const pair_side &source = s.now.number == 0 ? s.now : s.other;
    uint32_t *middle = s.pairs.paths + place + source.depth; /* the last vertex of the source's side */
    if (threadIdx.x == 0)
        walk(s, s.now, (uint32_t)(met >> 32), s.now.number == 0 ? middle : middle + 1, s.now.number == 0 ? -1 : 1);
    if (threadIdx.x == WARP)
        walk(s, s.other, step, s.other.number == 0 ? middle : middle + 1, s.other.number == 0 ? -1 : 1);
    return place;
}

/* ---- pairs ---- */

/* Ends a search that ended as `how` says: writes the path and the result of pair number `pair`, clears all marks, and
 * lists a pair that was left. `begun`: the time of the start in nanoseconds, known to the first thread. All threads of
 * the search call it. */
template <class S> __device__ static void finish(S &s, pair_end how, uint32_t pair, unsigned long long begun)
{
    const uint32_t other = how == PAIR_MET ? find_other_step(s) : PAIR_NO_STEP;
    const unsigned long long met = level_of(s).met;
    uint64_t found = other != PAIR_NO_STEP ? (uint64_t)s.now.depth + s.other.depth + 2 : 0, path = PAIR_NO_PATH;
    const unsigned long long looked = warp_sum(s.looked);
    if (lane_id() == 0)
        atomicAdd(&s.team.live->edges, looked);
    if (found > 0 && s.pairs.paths != NULL && s.team.block() == 0)
        path = write_path(s, found, other);
    if (how == PAIR_MET && found == 0) {
        found = PAIR_ONE_WAY;
        path = (uint64_t)step_of(s, s.now.number, met >> 32).vertex << 32 | (uint32_t)met;
    }
    s.team.barrier();
    clear_marks(s, s.now);
    clear_marks(s, s.other);
    if (is_first(s)) {
        gpu_pair_result &result = s.pairs.results[pair];
        result.found = found;
        result.edges += *(volatile unsigned long long *)&s.team.live->edges;
        result.vertices = (uint64_t)s.now.end + s.other.end;
        result.nanoseconds += device_nanoseconds() - begun;
        result.path = path;
        if (how == PAIR_LEFT)
            s.pairs.left[atomicAdd(&s.pairs.counts->left, 1u)] = pair;
    }
    s.team.barrier();
}

/* A search, as the functions above take it: with has_all, which says whether all blocks search together. */
template <class Team> struct pair_search : pair_searching<Team> {
    static constexpr bool has_all = Team::has_all;
};

/* Searches between pair number `pair`, from start to result. All threads of the search call it. */
template <class S> __device__ static void search_pair(S &s, uint32_t pair)
{
    const unsigned long long begun = is_first(s) ? device_nanoseconds() : 0;
    begin(s, s.pairs.ends + 2ull * pair);
    finish(s, grow(s), pair, begun);
}

/* The first kernel: each block takes one pair after the other, and searches between the two vertices by itself. */
__global__ static void __launch_bounds__(BLOCK, BLOCKS_TOGETHER)
    pair_blocks_kernel(const __grid_constant__ gpu_pairs pairs)
{
    __shared__ gpu_pair_live live;
    __shared__ uint32_t pair;
    pair_search<block_threads> s = {{pairs, {&live}, pairs.marks + blockIdx.x * pairs.words,
                                  pairs.steps + blockIdx.x * (pairs.vertices + 1), {}, {}, 0, 0}};
    for (;;) {
        if (threadIdx.x == 0)
            pair = atomicAdd(&pairs.counts->taken, 1u);
        __syncthreads();
        if (pair >= pairs.count)
            return;
        search_pair(s, pair);
    }
}

/* The second kernel, a cooperative launch: all blocks together search between each of the pairs that are left. */
__global__ static void __launch_bounds__(BLOCK, BLOCKS_TOGETHER)
    pair_grid_kernel(const __grid_constant__ gpu_pairs pairs)
{
    pair_search<grid_threads> s = {{pairs, {&pairs.counts->live, 0}, pairs.marks, pairs.steps, {}, {}, 0, 0}};
    const uint32_t left = pairs.counts->left;
    for (uint32_t i = 0; i < left; i++)
        search_pair(s, pairs.left[i]);
}

/* ---- launches ---- */

int cuda_pair_blocks(void)
{
    int device = 0, processors = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    return processors > 0 ? BLOCKS_TOGETHER * processors : 1;
}

void cuda_pairs_by_blocks(const gpu_pairs *pairs, int blocks, cudaStream_t stream)
{
    pair_blocks_kernel<<<blocks, BLOCK, 0, stream>>>(*pairs);
}

cudaError_t cuda_pairs_by_all(const gpu_pairs *pairs, cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    void *arguments[] = {(void *)pairs};
    config.gridDim = dim3((unsigned)cuda_pair_blocks());
    config.blockDim = dim3(BLOCK);
    config.stream = stream;
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelExC(&config, (const void *)pair_grid_kernel, arguments);
}
