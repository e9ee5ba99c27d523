/* cuda_packed_block.cuh: a warp decodes a block of packed columns; see formats/container/packed_row.h and its twin,
 * column_of_row of cuda_common.cuh
 *
 * One lane for each word of the block's bit vector finds the set bits once, so that all elements look them up. Bytes
 * moved for 128 columns: 8 (offsets), 4 (head), 16 (directory), the codes and up to 48 of the vector.
 */
#ifndef DBFS_CUDA_PACKED_BLOCK_CUH
#define DBFS_CUDA_PACKED_BLOCK_CUH

#include "cuda_frontier.cuh"

/* The packed columns that a work item reads: the blocks first..last. A block belongs to the piece that has its first
 * element, or to the first piece of the row, so no block is read twice. */
struct packed_part {
    uint64_t begin, end; /* of the row */
    uint64_t first, last;
    uint32_t start; /* the last head column + 1, as packed_span has it */
};

/* Returns the part of a work item, whose reads are all under way at once. The first piece of a row begins within the first
 * `skipped` columns. */
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

/* Returns element i of a block, less the base of the block: as packed_place_of, from the positions of the set bits. */
__device__ static inline uint32_t place_in_block(const packed_reader &r, const uint16_t *bits, uint32_t i)
{
    const uint32_t high = r.has_vector ? (bits[i] - i) << r.bits : 0;
    return packed_code(r.codes, r.bits, i) + high + r.step * i;
}

/* Decodes the columns of a row that lie in a block: element lane + 32 * j into column[j], NO_HEAD where the element is not
 * of the row. `bits` becomes the positions of the set bits of the block's vector, which are found once for all elements.
 * All lanes of the warp call it. */
__device__ static inline void read_block(uint16_t *bits, const gpu_csr &csr, const packed_part &part, uint64_t block,
                                         uint32_t (&column)[SLOTS])
{
    static_assert(SLOTS * WARP == PACKED_BLOCK, "a block is four elements a lane");
    const uint64_t first = block * PACKED_BLOCK;
    const packed_span whole = {0, first, 0};
    const packed_reader r = packed_open_row(&csr.packed, &whole);
    uint32_t add = r.add;
    if (r.has_vector) { /* words behind the vector belong to no element; the positions of the blocks lie behind the last */
        uint32_t word = lane_id() < UNARY_MOST_WORDS ? r.vector[lane_id()] : 0;
        unsigned i = warp_prefix(__popc(word));
        __syncwarp();
        for (; word != 0 && i < PACKED_BLOCK; word &= word - 1)
            bits[i++] = (uint16_t)(lane_id() * 32 + __ffs(word) - 1);
        __syncwarp();
    }
    if (r.gaps && part.begin > first)
        add = part.start - r.step - place_in_block(r, bits, (uint32_t)(part.begin - first) - 1);
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        const uint32_t i = j * WARP + lane_id();
        column[j] = first + i >= part.begin && first + i < part.end ? add + place_in_block(r, bits, i) : NO_HEAD;
    }
}

#endif
