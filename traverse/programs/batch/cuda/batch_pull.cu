/* batch_pull.cu: levels of a batch by all vertices on a GPU; see batch_kernels.h, twin in batch_all.c
 *
 * A warp has 32 vertices. A group of four lanes pulls a short row until the vertex lacks no root that pulls, and then takes
 * the next row. Long rows are pulled by an earlier kernel, by a warp for each piece. For each vertex its seen words, next
 * words and offsets move; for each edge that is read the column, and, at a random place, the neighbour's words.
 */
#include "batch_words.cuh"

enum { ROW_LANES = 4, ROW_STEP = 8, LONG_STEP = 4 * WARP };

/* ---- long rows ---- */

/* ORs the words of all lanes of the warp; each lane gets the result. All lanes call it. */
template <int W> __device__ static inline void or_lanes(batch_words<W> &words)
{
    for (int j = 0; j < W; j++) {
        for (int step = WARP / 2; step > 0; step /= 2)
            words.of[j] |= __shfl_xor_sync(ALL_LANES, words.of[j], step);
    }
}

/* ORs the frontier words of the columns row.begin..row.end into `got`, until it has all bits of `missing`. All lanes
 * of the warp call it, with the same row. Returns how many columns this lane read. */
template <int W>
__device__ static inline unsigned pull_columns(const gpu_batch &b, row_rest row, const batch_words<W> &missing,
                                               batch_words<W> &got)
{
    unsigned read = 0;
    for (uint64_t at = row.begin; at < row.end; at += LONG_STEP) {
#pragma unroll
        for (int k = 0; k < LONG_STEP; k += WARP) {
            const uint64_t i = at + k + lane_id();
            if (i >= row.end)
                continue;
            const batch_words<W> found = load_words<W>(b.now, b.pull.columns[i]);
            for (int j = 0; j < W; j++)
                got.of[j] |= found.of[j];
            read++;
        }
        or_lanes<W>(got);
        if (!is_any<W>(words_without<W>(missing, got)))
            break;
    }
    return read;
}

/* Pulls the pieces of long rows, a warp for each, and ORs what they find into the next words. Roots that other pieces
 * of the row have found so far are not missing; all lanes use the next words that lane 0 reads, so that they agree. */
template <int W> __global__ static void __launch_bounds__(BLOCK) batch_pull_long_kernel(gpu_batch b)
{
    __shared__ unsigned long long shared[WARPS];
    unsigned long long read = 0;
    for (uint64_t i = ((uint64_t)blockIdx.x * BLOCK + threadIdx.x) / WARP; i < b.long_pieces;
         i += (uint64_t)gridDim.x * WARPS) {
        const gpu_batch_piece piece = b.long_rows[i];
        const uint64_t v = piece.vertex, row_end = b.pull.offsets[v + 1];
        unsigned long long *next = (unsigned long long *)b.next + v * W;
        batch_words<W> missing = missing_in<W>(b.pulls, load_words<W>(b.seen, v)), got = {};
        for (int j = 0; j < W; j++)
            missing.of[j] &= ~__shfl_sync(ALL_LANES, ((volatile unsigned long long *)next)[j], 0);
        row_rest row = {b.pull.offsets[v] + (uint64_t)piece.number * BATCH_PULL_PIECE, row_end};
        if (row.end > row.begin + BATCH_PULL_PIECE)
            row.end = row.begin + BATCH_PULL_PIECE;
        if (!is_any<W>(missing))
            continue;
        read += pull_columns<W>(b, row, missing, got);
        for (int j = 0; j < W; j++) {
            if (lane_id() == 0 && (got.of[j] & missing.of[j]) != 0)
                atomicOr(&next[j], got.of[j] & missing.of[j]);
        }
    }
    block_add(read, shared, &b.level->read);
}

/* ---- short rows ---- */

/* A lane's share of the row that its group of ROW_LANES lanes pulls. With one or two words per vertex a lane reads all
 * words of its columns; with four words two lanes share a column, and each reads two words. */
template <int W> struct row_share {
    static constexpr int PARTS = W == 4 ? 2 : 1, OWN = W / PARTS, COLUMNS = ROW_LANES / PARTS, DEEP = ROW_STEP / COLUMNS;
    uint64_t at, end;       /* columns of the row that are not yet read */
    unsigned owner;         /* the lane whose vertex has the row */
    bool is_busy;
    batch_words<OWN> missing, got;
};

/* Begins the row of vertex base + owner. words[32]: what the vertex of each lane lacks. Called by all lanes of a
 * group. */
template <int W>
__device__ static inline void begin_row(const gpu_batch &b, row_share<W> &s, uint64_t base, unsigned owner, const batch_words<W> *words)
{
    s.owner = owner;
    s.at = b.pull.offsets[base + owner];
    s.end = b.pull.offsets[base + owner + 1];
    s.is_busy = true;
    for (int j = 0; j < s.OWN; j++) {
        s.missing.of[j] = words[owner].of[lane_id() % s.PARTS * s.OWN + j];
        s.got.of[j] = 0;
    }
}

/* Adds a neighbour's frontier words, of this lane's share, to s.got. `column`: the neighbour; `brief`: its words in
 * brief, if b.brief is used. Any lanes may call it. */
template <int W> __device__ static inline void add_neighbour(const gpu_batch &b, row_share<W> &s, uint64_t column, uint32_t brief)
{
    const unsigned part = lane_id() % s.PARTS;
    if (W > 1 && b.brief != NULL && is_whole(brief)) {
        add_brief<row_share<W>::OWN>(s.got, brief, part * s.OWN);
        return;
    }
    const batch_words<row_share<W>::OWN> found = load_words<row_share<W>::OWN>(b.now, column * s.PARTS + part);
    for (int j = 0; j < s.OWN; j++)
        s.got.of[j] |= found.of[j];
}

/* Reads the next ROW_STEP columns of the row, and adds the words of these neighbours. Each lane loads all of its
 * columns before it loads any words. Returns the number of columns read, each counted by one lane. */
template <int W> __device__ static inline unsigned read_columns(const gpu_batch &b, row_share<W> &s)
{
    const unsigned slot = lane_id() % ROW_LANES / s.PARTS;
    uint32_t column[row_share<W>::DEEP], brief[row_share<W>::DEEP] = {};
    unsigned read = 0;
#pragma unroll
    for (int k = 0; k < s.DEEP; k++) {
        if (s.at + k * s.COLUMNS + slot < s.end)
            column[k] = b.pull.columns[s.at + k * s.COLUMNS + slot];
    }
#pragma unroll
    for (int k = 0; k < s.DEEP && W > 1 && b.brief != NULL; k++) {
        if (s.at + k * s.COLUMNS + slot < s.end)
            brief[k] = b.brief[column[k]];
    }
#pragma unroll
    for (int k = 0; k < s.DEEP; k++) {
        if (s.at + k * s.COLUMNS + slot >= s.end)
            continue;
        add_neighbour<W>(b, s, column[k], brief[k]);
        read += lane_id() % s.PARTS == 0;
    }
    return read;
}

/* Called by all lanes of the warp after each read_columns: joins what the lanes of a group got. If the row is at its
 * end or no bit is missing, leaves what was got in words[owner], and makes the group idle. */
template <int W> __device__ static inline void end_row(row_share<W> &s, batch_words<W> *words)
{
    const unsigned group_lanes = ((1u << ROW_LANES) - 1) << (lane_id() / ROW_LANES * ROW_LANES);
    for (int j = 0; j < s.OWN; j++) {
        for (int step = s.PARTS; step < ROW_LANES; step *= 2)
            s.got.of[j] |= __shfl_xor_sync(ALL_LANES, s.got.of[j], step);
    }
    const bool lacks = is_any<row_share<W>::OWN>(words_without<row_share<W>::OWN>(s.missing, s.got));
    const bool all_lack = (__ballot_sync(ALL_LANES, lacks) & group_lanes) != 0;
    s.at += ROW_STEP;
    if (!s.is_busy || (all_lack && s.at < s.end))
        return;
    for (int j = 0; j < s.OWN && lane_id() % ROW_LANES < s.PARTS; j++)
        words[s.owner].of[lane_id() % s.PARTS * s.OWN + j] = s.got.of[j];
    s.is_busy = false;
    s.end = 0;
}

/* Pulls short rows of vertices base..base+31. turn[0..count): the lanes whose vertices have rows to pull. words[32]:
 * on entry what the vertex of each lane lacks, on return what its neighbours have. All lanes of the warp call it.
 * Returns how many columns this lane read. */
template <int W>
__device__ static inline unsigned pull_rows(const gpu_batch &b, uint64_t base, unsigned count, const unsigned char *turn,
                                            batch_words<W> *words)
{
    const unsigned group = lane_id() / ROW_LANES * ROW_LANES;
    row_share<W> share = {};
    unsigned taken = 0, read = 0;
    for (;;) {
        const unsigned idle = __ballot_sync(ALL_LANES, !share.is_busy && lane_id() == group);
        const unsigned own = taken + __popc(idle & ((1u << group) - 1));
        if (!share.is_busy && own < count)
            begin_row<W>(b, share, base, turn[own], words);
        taken += __popc(idle);
        if (!__any_sync(ALL_LANES, share.is_busy))
            return read;
        read += read_columns<W>(b, share);
        end_row<W>(share, words);
    }
}

/* ---- all rows ---- */

/* Returns the new bits of vertex base + lane: by pulls, which are already done if its row is long, and by the pushes
 * of other roots. seen: its seen words; words[32] and turn[32]: shared memory of the warp; adds the columns read to
 * `read`. All lanes of the warp call it. */
template <int W>
__device__ static inline batch_words<W> find_words(const gpu_batch &b, uint64_t base, const batch_words<W> &seen,
                                                   batch_words<W> *words, unsigned char *turn, unsigned long long &read)
{
    const uint64_t v = base + lane_id();
    const bool is_here = v < b.vertices, is_long = is_here && row_edges(b.pull, v) > BATCH_SHORT_ROW;
    const batch_words<W> missing = missing_in<W>(b.pulls, seen);
    const bool waits = is_here && !is_long && is_any<W>(missing);
    const unsigned waiting = __ballot_sync(ALL_LANES, waits);
    batch_words<W> found = {};
    words[lane_id()] = missing;
    if (waits)
        turn[__popc(waiting & ((1u << lane_id()) - 1))] = (unsigned char)lane_id();
    __syncwarp();
    read += pull_rows<W>(b, base, __popc(waiting), turn, words);
    __syncwarp();
    if (is_here && (is_long || b.is_pushed))
        found = words_without<W>(load_words<W>(b.next, v), seen);
    for (int j = 0; j < W && waits; j++)
        found.of[j] |= words[lane_id()].of[j] & missing.of[j];
    __syncwarp();
    return found;
}

/* Finds the new bits of all vertices, a lane for each, and stores and counts them: see cuda_batch_pull. */
template <int W> __global__ static void __launch_bounds__(BLOCK, 3) batch_pull_kernel(gpu_batch b)
{
    __shared__ unsigned long long shared[WARPS];
    __shared__ batch_words<W> words[BLOCK];
    __shared__ unsigned char turns[BLOCK];
    const unsigned first = threadIdx.x / WARP * WARP;
    bit_counts<W> counts = {};
    unsigned long long vertices = 0, edges = 0, left = 0, read = 0;
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK + first; base < b.vertices; base += (uint64_t)gridDim.x * BLOCK) {
        const uint64_t v = base + lane_id();
        const bool is_here = v < b.vertices;
        batch_words<W> seen = {};
        if (is_here)
            seen = load_words<W>(b.seen, v);
        const batch_words<W> found = find_words<W>(b, base, seen, words + first, turns + first, read);
        const unsigned own = is_here ? (unsigned)row_edges(b.push, v) : 0;
        count_bits<W>(counts, found, (float)warp_sum(own) / WARP);
        if (!is_here)
            continue;
        for (int j = 0; j < W; j++)
            seen.of[j] |= found.of[j];
        store_words<W>(b.next, v, found);
        if (W > 1)
            b.next_brief[v] = brief_of<W>(found);
        left += is_any<W>(missing_in<W>(b.wanted, seen)) ? row_edges(b.pull, v) : 0;
        if (is_any<W>(found)) {
            store_words<W>(b.seen, v, seen);
            vertices++;
            edges += own;
        }
    }
    add_by_root<W>(counts.of, b.level->count);
    add_by_root<W>(counts.edges, b.level->weight);
    block_add(vertices, shared, &b.level->vertices);
    block_add(edges, shared, &b.level->edges);
    block_add(left, shared, &b.level->left);
    block_add(read, shared, &b.level->read);
}

/* ---- frontiers ---- */

/* Lists the vertices with frontier bits of roots that push, a thread for each vertex: see cuda_batch_list. */
template <int W> __global__ static void __launch_bounds__(BLOCK) batch_list_kernel(gpu_batch b)
{
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < b.vertices; base += (uint64_t)gridDim.x * BLOCK) {
        const uint64_t v = base + threadIdx.x;
        const bool is_found = v < b.vertices && is_any<W>(pushed_words<W>(b, v));
        unsigned total, before = block_prefix(is_found, &total);
        if (total == 0)
            continue;
        const unsigned long long at = reserve(total, &b.level->listed) + before;
        if (is_found)
            b.list.fresh[at] = (uint32_t)v;
        put_pieces(b, is_found, (uint32_t)v, is_found ? row_edges(b.push, v) : 0);
    }
}

/* ---- launches ---- */

/* Launches the pulls of a level by all vertices: long rows first, if any root pulls, and then all vertices. */
void cuda_batch_pull(const struct gpu_batch *b, cudaStream_t stream)
{
    const int blocks = blocks_for(b->vertices, BLOCK), blocks_of_long = blocks_for(b->long_pieces, WARPS);
    if (b->long_pieces > 0 && (b->pulls[0] | b->pulls[1] | b->pulls[2] | b->pulls[3]) != 0)
        BATCH_BY_WORDS(b, batch_pull_long_kernel<W><<<blocks_of_long, BLOCK, 0, stream>>>(*b));
    BATCH_BY_WORDS(b, batch_pull_kernel<W><<<blocks, BLOCK, 0, stream>>>(*b));
}

/* Launches a kernel that lists the vertices with frontier bits of roots that push, and the pieces of their rows. */
void cuda_batch_list(const struct gpu_batch *b, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, batch_list_kernel<W><<<blocks_for(b->vertices, BLOCK), BLOCK, 0, stream>>>(*b));
}
