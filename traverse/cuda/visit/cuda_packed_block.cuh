/* cuda_packed_block.cuh: a warp decodes a block of 128 packed columns (formats/container/packed_row.h)
 *
 * In its twin, column_of_row of cuda_common.cuh, one thread searches the block's bit vector for the bit of one column. Here
 * each lane lists the set bits of one word of the vector. Then the bits of all columns of the block are found in this list.
 * Bytes moved for 128 columns: 8 (offsets), 4 (head), 16 (directory), the codes, and up to 48 of the vector.
 */
#ifndef DBFS_CUDA_PACKED_BLOCK_CUH
#define DBFS_CUDA_PACKED_BLOCK_CUH

#include "cuda_frontier.cuh"

/* The blocks of packed columns that a work item (a row, or a piece of a row) decodes. If a block has columns of two pieces, the
 * piece with the block's first column decodes it. If a row begins inside a block, the row's first piece decodes it. */
struct packed_part {
    uint64_t begin, end;  /* the row is elements begin to end - 1 of the subgraph's columns */
    uint64_t first, last; /* blocks first to last - 1 are decoded */
    uint32_t start;       /* the number to which the row's first gap is added: its last head column + 1, or 0 without heads */
};

/* Returns the blocks that a work item decodes. It counts as the first piece of its row if it begins at most `skipped` columns
 * behind the row's beginning, as these columns were looked at before. All reads are under way at once. */
__device__ static inline packed_part packed_part_of(const gpu_csr &csr, const work_item &item, uint32_t skipped)
{
    const uint64_t at = item.at & ITEM_AT;
    const uint32_t k = csr.head_columns;
    const row_rest row = rest_of_row(csr, item.row);
    const uint32_t head = k > 0 ? csr.heads[(uint64_t)(k - 1) * csr.rows + item.row] : 0;
    const bool is_first = at - row.begin <= skipped;
    return packed_part{row.begin, row.end, (is_first ? at : at + PACKED_BLOCK - 1) / PACKED_BLOCK,
                       (at + item.length + PACKED_BLOCK - 1) / PACKED_BLOCK, k > 0 ? head + 1 : 0};
}

/* Begins to read all blocks of `part`, so that the warp waits for memory once, and not for each block. All lanes of the warp call it. */
__device__ static inline void prefetch_blocks(const gpu_csr &csr, const packed_part &part)
{
    enum { LINE = 128 };
    const packed_columns &packed = csr.packed;
    if (part.first >= part.last)
        return;
    const char *begin = (const char *)packed_block_words(&packed, part.first, packed.place[part.first].entry),
               *last = (const char *)packed_block_words(&packed, part.last - 1, packed.place[part.last - 1].entry);
    for (const char *line = begin + lane_id() * LINE; line < last + LINE; line += WARP * LINE)
        prefetch_line(line);
}

/* Returns element i of a block, minus the base of the block. `code` is its code. bits[i] is the position of the i-th set bit in the
 * block's vector, and is read only if there is a vector. The twin, packed_place_of, searches the vector for this bit. */
__device__ static inline uint32_t place_in_block(const packed_reader &r, uint32_t code, const uint16_t *bits, uint32_t i)
{
    const uint32_t high = r.has_vector ? (bits[i] - i) << r.bits : 0;
    return code + high + r.step * i;
}

/* Decodes the columns of block number `block` that belong to the row of `part`. Element j * 32 + lane of the block becomes
 * column[j] of the lane, or NO_HEAD if it belongs to another row. If the block has a vector, its set bits are first listed in
 * `bits`. All lanes of the warp call it. */
__device__ static inline void read_block(uint16_t *bits, const gpu_csr &csr, const packed_part &part, uint64_t block,
                                         uint32_t (&column)[SLOTS])
{
    static_assert(SLOTS * WARP == PACKED_BLOCK, "a block is four elements a lane");
    const uint64_t first = block * PACKED_BLOCK;
    const packed_span whole = {0, first, 0};
    const packed_reader r = packed_open_row(&csr.packed, &whole);
    const bool begins = r.gaps && part.begin > first; /* the row begins in this block, so its gaps count from its last head column */
    const uint32_t before = begins ? (uint32_t)(part.begin - first) - 1 : 0;
    uint32_t add = r.add, code_before = begins ? packed_code(r.codes, r.bits, before) : 0;
#pragma unroll
    for (int j = 0; j < SLOTS; j++) /* all codes, which come from memory while the vector does */
        column[j] = packed_code(r.codes, r.bits, j * WARP + lane_id());
    /* Lanes may read words beyond the block's vector, which belong to no element. This is safe, as the positions of the blocks
     * follow the last vector in memory. */
    if (r.has_vector) {
        uint32_t word = lane_id() < UNARY_MOST_WORDS ? r.vector[lane_id()] : 0;
        unsigned i = warp_prefix(__popc(word));
        __syncwarp();
        for (; word != 0 && i < PACKED_BLOCK; word &= word - 1)
            bits[i++] = (uint16_t)(lane_id() * 32 + __ffs(word) - 1);
        __syncwarp();
    }
    if (begins)
        add = part.start - r.step - place_in_block(r, code_before, bits, before);
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        const uint32_t i = j * WARP + lane_id();
        column[j] = first + i >= part.begin && first + i < part.end ? add + place_in_block(r, column[j], bits, i) : NO_HEAD;
    }
}

#endif
