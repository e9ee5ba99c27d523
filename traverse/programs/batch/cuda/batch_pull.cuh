/* batch_pull.cuh: dense levels of a batch on a GPU. batch_dense.c does the same on a CPU. Kernels for one step (batch_steps.cu) and for
 * many levels (batch_levels.cu) are made of these functions.
 *
 * A warp works on 32 vertices at a time. Each lane pulls along the short row of its vertex, until all roots that pull have found the
 * vertex. The last rows of a warp are pulled along by groups of four lanes, one row after the other.
 * Long rows are cut into pieces. An earlier step pulls along these pieces, with a warp for each.
 *
 * Memory traffic for each vertex: the seen words, the next words and the offsets. For each edge that is read: the column,
 * and the words of the neighbour, which are at a random place. */
#ifndef DBFS_BATCH_PULL_CUH
#define DBFS_BATCH_PULL_CUH

#include "batch_words.cuh"

enum {
    ROW_LANES = 4,       /* lanes of a group; a group pulls along a short row */
    ROW_GROUPS = WARP / ROW_LANES,
    ROW_STEP = 8,        /* columns that a group reads before it tests again whether a root is missing */
    LONG_STEP = 4 * WARP /* columns of a long row that a warp reads before it tests again */
};

/* ORs W frontier words of each of COUNT neighbours into `got`: all words of a neighbour, or part number `part` of `parts`. Leaves out
 * NO_COLUMN. A lane has registers for WORDS_AT_ONCE words. It loads so many in one loop, and uses them in another, so that the loads
 * overlap. */
template <int W, int COUNT>
__device__ static inline void add_words_of(const gpu_batch &b, const uint32_t column[COUNT], int parts, unsigned part, batch_words<W> &got)
{
    enum { WORDS_AT_ONCE = 8, AT_ONCE = COUNT * W <= WORDS_AT_ONCE ? COUNT : WORDS_AT_ONCE / W };
#pragma unroll
    for (int first = 0; first < COUNT; first += AT_ONCE) {
        batch_words<W> found[AT_ONCE] = {};
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (column[first + k] != NO_COLUMN)
                found[k] = load_words<W>(b.now, (uint64_t)column[first + k] * parts + part);
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            for (int j = 0; j < W; j++)
                got.of[j] |= found[k].of[j];
        }
    }
}

/* ---- long rows ---- */

/* Pulls along the columns row.begin to row.end - 1 of a long row: ORs the frontier words of these neighbours into `got`,
 * until `got` has all bits of `missing`. `got` is the same in all lanes. Returns the number of columns that this lane read.
 * Called by all lanes of the warp, with the same row. */
template <int W>
__device__ static inline unsigned pull_columns(const gpu_batch &b, row_rest row, const batch_words<W> &missing,
                                               batch_words<W> &got)
{
    unsigned read = 0;
    uint64_t step_end = row.begin + WARP; /* the first step is short, as many rows need no other */
    for (uint64_t at = row.begin; at < row.end; at = step_end, step_end += LONG_STEP) {
        const uint64_t end = step_end < row.end ? step_end : row.end;
        uint32_t column[LONG_STEP / WARP];
#pragma unroll
        for (int k = 0; k < LONG_STEP / WARP; k++) {
            const uint64_t i = at + k * WARP + lane_id();
            column[k] = i < end ? b.pull.columns[i] : NO_COLUMN;
            read += i < end;
        }
        add_words_of<W, LONG_STEP / WARP>(b, column, 1, 0, got);
        for (int j = 0; j < W; j++) {
            for (int step = WARP / 2; step > 0; step /= 2)
                got.of[j] |= __shfl_xor_sync(ALL_LANES, got.of[j], step);
        }
        if (!is_any<W>(words_without<W>(missing, got)))
            break;
    }
    return read;
}

/* Pulls along the pieces of long rows, with a warp for each piece, and ORs the found bits into the next words of the vertex
 * that has the row. Skips bits that another piece has put there already. Only lane 0 looks for these bits, so that all lanes
 * skip the same. Adds the number of columns read to b.level->read. */
template <int W> __device__ static inline void pull_long_rows(const gpu_batch &b)
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

/* The work of one lane on a row, along which LANES lanes pull. A lane reads all words of its columns. If several lanes pull and a vertex
 * has four words, two lanes share a column, and each reads two words. */
template <int W, int LANES> struct row_share {
    static constexpr int PARTS = W == 4 && LANES > 1 ? 2 : 1, OWN = W / PARTS, COLUMNS = LANES / PARTS,
                         DEEP = LANES == 1 ? ROW_STEP / W : ROW_STEP / COLUMNS, STEP = DEEP * COLUMNS;
    uint64_t at, end;       /* indices of the columns of the row that are still to be read: at to end - 1 */
    unsigned owner;         /* number of the lane that has the vertex of the row */
    bool is_busy;
    batch_words<OWN> missing, got;
};

/* N columns, where N is a power of 2. They are loaded at once, 16 bytes by each instruction. */
template <int N> struct __align__(N < 4 ? 4 * N : 16) column_chunk {
    uint32_t of[N];
};

/* Reads the next STEP columns of the row, which its lanes share, and ORs the frontier words of these neighbours
 * into row.got. Reads the brief of a neighbour in place of its words if there is one that has all its bits. Each lane loads all of
 * its columns before any words, so that these loads overlap. A lane that has a row of its own loads aligned columns, and drops those before
 * the row in the first step. row.at must be row.end at most. Returns the number of columns read; a column that two lanes share is counted
 * by one of them. */
template <int W, int LANES> __device__ static inline unsigned read_columns(const gpu_batch &b, row_share<W, LANES> &row)
{
    constexpr int OWN = row.OWN, DEEP = row.DEEP;
    const unsigned part = lane_id() % row.PARTS, slot = lane_id() % LANES / row.PARTS;
    const uint64_t base = LANES == 1 ? row.at & ~(uint64_t)(DEEP - 1) : row.at;
    const unsigned first = (unsigned)(row.at - base), most = row.STEP - first;
    const unsigned count = row.end - row.at < most ? (unsigned)(row.end - row.at) : most;
    column_chunk<DEEP> column;
    if (LANES == 1)
        column = *(const column_chunk<DEEP> *)&b.pull.columns[base];
#pragma unroll
    for (int k = 0; k < DEEP; k++) {
        const bool is_own = k * row.COLUMNS + slot - first < count;
        if (LANES == 1)
            column.of[k] = is_own ? column.of[k] : NO_COLUMN;
        else
            column.of[k] = is_own ? b.pull.columns[base + k * row.COLUMNS + slot] : NO_COLUMN;
    }
    if (W > 1 && b.brief != NULL) {
        uint32_t brief[DEEP] = {};
#pragma unroll
        for (int k = 0; k < DEEP; k++) {
            if (column.of[k] != NO_COLUMN)
                brief[k] = b.brief[column.of[k]];
        }
#pragma unroll
        for (int k = 0; k < DEEP; k++) {
            if (is_whole(brief[k])) {
                add_brief<OWN>(row.got, brief[k], part * OWN);
                column.of[k] = NO_COLUMN;
            }
        }
    }
    add_words_of<OWN, DEEP>(b, column.of, row.PARTS, part, row.got);
    row.at += count;
    return part == 0 ? (count + row.COLUMNS - 1 - slot) / row.COLUMNS : 0;
}

/* Pulls along the row of each lane that is busy, until no more rows are left than a warp has groups. The lanes of these rows are busy
 * afterwards. Returns the number of columns that this lane read. Called by all lanes of the warp. */
template <int W> __device__ static inline unsigned pull_own_rows(const gpu_batch &b, row_share<W, 1> &row)
{
    unsigned read = 0;
    while (__popc(__ballot_sync(ALL_LANES, row.is_busy)) > ROW_GROUPS) {
        if (row.is_busy) {
            read += read_columns<W, 1>(b, row);
            row.is_busy = row.at < row.end && is_any<W>(words_without<W>(row.missing, row.got));
        }
    }
    return read;
}

/* Pulls along the short rows of the vertices base + row_lane[0] to base + row_lane[count - 1]. Each group of ROW_LANES lanes
 * takes one row after the other. words[i] and begin[i] belong to vertex base + i: words[i] has the bits that the vertex lacks, and
 * begin[i] is the index of the first column to read. After the call, words[i] has the bits that these neighbours have, if the row of
 * the vertex is one of these. Returns the number of columns that this lane read. Called by all lanes of the warp. */
template <int W>
__device__ static inline unsigned pull_rows(const gpu_batch &b, uint64_t base, unsigned count, const unsigned char *row_lane,
                                            const uint64_t *begin, batch_words<W> *words)
{
    row_share<W, ROW_LANES> row = {};
    constexpr int OWN = row.OWN;
    const unsigned group = lane_id() / ROW_LANES * ROW_LANES, group_lanes = ((1u << ROW_LANES) - 1) << group;
    const unsigned part = lane_id() % row.PARTS;
    unsigned taken = 0, read = 0;
    for (;;) {
        const unsigned idle = __ballot_sync(ALL_LANES, !row.is_busy && lane_id() == group);
        const unsigned own = taken + __popc(idle & ((1u << group) - 1));
        if (!row.is_busy && own < count) { /* the group begins a row */
            row.owner = row_lane[own];
            row.at = begin[row.owner];
            row.end = b.pull.offsets[base + row.owner + 1];
            row.is_busy = true;
            for (int j = 0; j < OWN; j++) {
                row.missing.of[j] = words[row.owner].of[part * OWN + j];
                row.got.of[j] = 0;
            }
        }
        taken += __popc(idle);
        if (!__any_sync(ALL_LANES, row.is_busy))
            return read;
        read += read_columns<W, ROW_LANES>(b, row);
        for (int j = 0; j < OWN; j++) { /* gives each lane the bits that the lanes of its group got */
            for (int step = row.PARTS; step < ROW_LANES; step *= 2)
                row.got.of[j] |= __shfl_xor_sync(ALL_LANES, row.got.of[j], step);
        }
        const bool lacks = is_any<OWN>(words_without<OWN>(row.missing, row.got));
        const bool group_lacks = (__ballot_sync(ALL_LANES, lacks) & group_lanes) != 0;
        if (!row.is_busy || (group_lacks && row.at < row.end))
            continue;
        for (int j = 0; j < OWN && lane_id() % ROW_LANES < row.PARTS; j++) /* the row is done: stores the bits found */
            words[row.owner].of[part * OWN + j] = row.got.of[j];
        row.is_busy = false;
        row.at = row.end;
    }
}

/* Returns the new bits of vertex base + lane: bits that pulls find, and bits of roots that pushed. Pulls along the row if
 * it is short; pull_long_rows has pulled along long rows before. `seen` is the seen words of the vertex. words[32], begin[32]
 * and row_lane[32] are shared memory of the warp, and are overwritten. Adds the number of columns read to `read`. Called by
 * all lanes of the warp. */
template <int W>
__device__ static inline batch_words<W> find_words(const gpu_batch &b, uint64_t base, const batch_words<W> &seen, batch_words<W> *words,
                                                   uint64_t *begin, unsigned char *row_lane, unsigned long long &read)
{
    const uint64_t v = base + lane_id();
    const bool is_here = v < b.pull_end, is_long = is_here && row_edges(b.pull, v) > b.short_row;
    row_share<W, 1> row = {};
    row.missing = missing_in<W>(b.pulls, seen);
    row.is_busy = is_here && !is_long && is_any<W>(row.missing);
    if (row.is_busy) {
        row.at = b.pull.offsets[v];
        row.end = b.pull.offsets[v + 1];
    }
    read += pull_own_rows<W>(b, row);
    const unsigned left = __ballot_sync(ALL_LANES, row.is_busy);
    if (left != 0) {
        words[lane_id()] = words_without<W>(row.missing, row.got);
        begin[lane_id()] = row.at;
        if (row.is_busy)
            row_lane[__popc(left & ((1u << lane_id()) - 1))] = (unsigned char)lane_id();
        __syncwarp();
        read += pull_rows<W>(b, base, __popc(left), row_lane, begin, words);
        __syncwarp();
        for (int j = 0; j < W && row.is_busy; j++)
            row.got.of[j] |= words[lane_id()].of[j];
        __syncwarp();
    }
    batch_words<W> found = {};
    if (is_here && (is_long || b.is_pushed))
        found = words_without<W>(load_words<W>(b.next, v), seen);
    for (int j = 0; j < W; j++)
        found.of[j] |= row.got.of[j] & row.missing.of[j];
    return found;
}

/* Finds the new bits of the vertices that pull in a dense level, with a lane for each vertex. Stores them in b.next, adds them to b.seen,
 * and writes their briefs to b.next_brief if there are several words per vertex. Fills the counts of *b.level. */
template <int W> __device__ static inline void pull_vertices(const gpu_batch &b)
{
    __shared__ unsigned long long shared[WARPS];
    __shared__ batch_words<W> words[BLOCK];
    __shared__ uint64_t begin[BLOCK];
    __shared__ unsigned char row_lanes[BLOCK];
    const unsigned first = threadIdx.x / WARP * WARP;
    bit_counts<W> counts = {};
    unsigned long long vertices = 0, edges = 0, edges_left = 0, read = 0;
    for (uint64_t base = b.pull_from + (uint64_t)blockIdx.x * BLOCK + first; base < b.pull_end;
         base += (uint64_t)gridDim.x * BLOCK) {
        const uint64_t v = base + lane_id();
        const bool is_here = v < b.pull_end;
        batch_words<W> seen = {};
        if (is_here)
            seen = load_words<W>(b.seen, v);
        const batch_words<W> found = find_words<W>(b, base, seen, words + first, begin + first, row_lanes + first, read);
        const unsigned own = is_here ? (unsigned)row_edges(b.push, v) : 0;
        count_bits<W>(counts, found, (float)warp_sum(own) / WARP);
        if (!is_here)
            continue;
        for (int j = 0; j < W; j++)
            seen.of[j] |= found.of[j];
        store_words<W>(b.next, v, found);
        if (W > 1)
            b.next_brief[v] = brief_of<W>(found);
        edges_left += is_any<W>(missing_in<W>(b.active, seen)) ? row_edges(b.pull, v) : 0;
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
    block_add(edges_left, shared, &b.level->pull_edges_left);
    block_add(read, shared, &b.level->read);
}

/* Makes a list of a dense frontier: appends the vertices with frontier bits of roots that push to `list`, which has *listed entries, and
 * the pieces of their rows to b.pieces, which has *pieces. A thread loads the words of AT_ONCE vertices at a time. The first vertices
 * are dealt to the blocks one by one, as they have the longest rows. */
template <int W>
__device__ static inline void list_frontier(const gpu_batch &b, uint32_t *list, unsigned long long *listed, unsigned long long *pieces)
{
    enum { AT_ONCE = 4 };
    const uint64_t all = (uint64_t)gridDim.x * BLOCK;
    for (uint64_t base = 0; base < b.vertices; base += AT_ONCE * all) {
        uint64_t v[AT_ONCE];
        unsigned count[AT_ONCE] = {}, found = 0, own = 0, total;
        bool is_found[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            v[k] = base + k * all + (base + k == 0 ? threadIdx.x * gridDim.x + blockIdx.x : blockIdx.x * BLOCK + threadIdx.x);
            is_found[k] = v[k] < b.vertices && is_any<W>(pushed_words<W>(b, v[k]));
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (is_found[k])
                count[k] = pieces_of(row_edges(b.push, v[k]));
            found += is_found[k];
            own += count[k];
        }
        if (!__syncthreads_or(found))
            continue;
        unsigned before = block_prefix(found, &total);
        unsigned long long at = reserve(total, listed) + before;
        before = block_prefix(own, &total);
        unsigned long long piece_at = reserve(total, pieces) + before;
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (is_found[k])
                list[at++] = (uint32_t)v[k];
            write_pieces(b, (uint32_t)v[k], count[k], piece_at);
            piece_at += count[k];
        }
    }
}

#endif
