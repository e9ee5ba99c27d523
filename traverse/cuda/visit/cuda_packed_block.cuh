/* cuda_packed_block.cuh: a warp decodes a block of 128 packed columns
 *
 * formats/container/packed_row.h describes the format. The twin is column_of_row of cuda_common.cuh, by which one thread
 * decodes one column. In this file each lane lists the set bits of one word of the block's bit vector. Then all elements of
 * the block look up their bits in the list. Bytes moved for 128 columns: 8 (offsets), 4 (head), 16 (directory), the codes,
 * and up to 48 of the vector.
 */
#ifndef DBFS_CUDA_PACKED_BLOCK_CUH
#define DBFS_CUDA_PACKED_BLOCK_CUH

#include "cuda_frontier.cuh"

/* The blocks of packed columns that a work item reads. A work item is a row or a piece of a row. Two pieces of a row
 * never read the same block. A block belongs to the piece that has the first element of the block. There is one
 * exception: the block in which the row begins belongs to the first piece of the row. */
struct packed_part {
    uint64_t begin, end;  /* the elements begin to end - 1 of the subgraph's columns are the row */
    uint64_t first, last; /* the blocks first to last - 1 are read */
    uint32_t start;       /* the row's last head column + 1, as in packed_span; 0 if the row has no head columns */
};

/* Returns the blocks of packed columns that a work item reads. All reads of this function are under way at once. A work
 * item counts as the first piece of its row if it begins at most `skipped` columns behind the beginning of the row.
 * `skipped` is the number of columns at the beginning of the row that the caller has looked at already. */
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

/* Returns element i of an open block minus the base of the block. bits[i] is the position of the i-th set bit in the block's
 * vector. bits[i] is read only if the block has a vector. The twin is packed_place_of, which searches the vector for this
 * bit. */
__device__ static inline uint32_t place_in_block(const packed_reader &r, const uint16_t *bits, uint32_t i)
{
    const uint32_t high = r.has_vector ? (bits[i] - i) << r.bits : 0;
    return packed_code(r.codes, r.bits, i) + high + r.step * i;
}

/* Decodes the columns of a row that lie in block number `block`. column[j] of a lane becomes element j * 32 + lane of
 * the block, or NO_HEAD if this element does not belong to the row. If the block has a bit vector, the positions of the
 * set bits of the vector are written to `bits` first, for all elements together. All lanes of the warp call it. */
__device__ static inline void read_block(uint16_t *bits, const gpu_csr &csr, const packed_part &part, uint64_t block,
                                         uint32_t (&column)[SLOTS])
{
    static_assert(SLOTS * WARP == PACKED_BLOCK, "a block is four elements a lane");
    const uint64_t first = block * PACKED_BLOCK;
    const packed_span whole = {0, first, 0};
    const packed_reader r = packed_open_row(&csr.packed, &whole);
    uint32_t add = r.add;
    /* Lanes may read words behind the vector. These words belong to no element. The read is safe, as the positions of the
     * blocks lie behind the last vector. */
    if (r.has_vector) {
        uint32_t word = lane_id() < UNARY_MOST_WORDS ? r.vector[lane_id()] : 0;
        unsigned i = warp_prefix(__popc(word));
        __syncwarp();
        for (; word != 0 && i < PACKED_BLOCK; word &= word - 1)
            bits[i++] = (uint16_t)(lane_id() * 32 + __ffs(word) - 1);
        __syncwarp();
    }
    if (r.gaps && part.begin > first) /* The row begins in this block. Gaps of the row are counted from its last head. */
        add = part.start - r.step - place_in_block(r, bits, (uint32_t)(part.begin - first) - 1);
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        const uint32_t i = j * WARP + lane_id();
        column[j] = first + i >= part.begin && first + i < part.end ? add + place_in_block(r, bits, i) : NO_HEAD;
    }
}

#endif
