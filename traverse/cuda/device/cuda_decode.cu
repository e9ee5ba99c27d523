/* cuda_decode.cu: decodes packed sections on the device; see cuda_kernels.h. formats/container/packed.h describes the bytes,
 * and formats/container/packed.c is the twin.
 *
 * A warp decodes a block of 128 elements, each of which has a code of a fixed number of bits. There are two kinds of blocks. In
 * a frame, an element is the block's base plus its code. In a block of gaps, an element is the block's base plus its running
 * sum, the sum of all gaps between neighbouring elements up to this element. The code has the low bits of the running sum. The
 * high bits of all running sums form a bit vector of at most 12 words (`unary`).
 *
 * If a row begins within a block of gaps, running sums begin anew with the row. So the warp must know the row of each element,
 * and finds it by bisection. Bytes moved: the section and the offsets once, and 4 or 8 to write each element. Even if a section
 * is damaged, the kernel reads only the section, the offsets and the heads, and writes only the elements of the block.
 */
#include "cuda_common.cuh"

#include "formats/container/packed_layout.h"

/* The argument of decode_kernel: the arguments of cuda_decode. */
struct decode {
    packed section;
    packed_rows rows;  /* the rows to which the elements belong as columns */
    int has_rows;      /* 0: the section has no rows, and `rows` is empty */
    /* the index in `array` of the section's first element. For columns this index counts the columns of all rows */
    uint64_t begin;
    void *array;       /* receives the elements */
    unsigned int *bad; /* becomes 1 if a block cannot be decoded */
};

/* A block of a section: where its bits lie, and how they code the elements. */
struct found_block {
    const uint32_t *bits, *unary;    /* `bits`: the words of the codes; `unary`: the words of the bit vector, right behind */
    /* the number of bits of a code; the number of words of the bit vector, 0 if the block has none */
    uint32_t code_bits, unary_words;
    uint32_t step; /* 0 or 1, added to every gap: if the elements rise strictly, the gaps are stored less 1 */
    /* true: a block of gaps; false: a frame */
    bool gaps;
    uint64_t base;
};

/* Returns element i of an array in the directory of a section. `bytes` is where the array begins; elements have type
 * Element. */
template <typename Element> __device__ static Element entry_at(const unsigned char *bytes, uint64_t i)
{
    return ((const Element *)bytes)[i];
}

/* Returns where a block begins, as the index of a word in its section: where its group of blocks begins, plus the distance of
 * the block from there. */
__device__ static uint64_t block_position(const packed &s, uint64_t block)
{
    return entry_at<uint64_t>(s.group, block / GROUP_BLOCKS) +
           (entry_at<uint32_t>(s.entry, block) & ((1u << POSITION_BITS) - 1));
}

/* Finds block `at` of a section in the section's directory, and describes it in `b`. Returns false, with only a part of
 * `b` filled, if the block does not lie within the section, or if the number of its words does not fit its kind. */
template <typename Element> __device__ static bool find_block(const packed &s, uint64_t at, found_block &b)
{
    uint32_t kind = entry_at<uint32_t>(s.entry, at) >> POSITION_BITS;
    uint64_t begin = block_position(s, at);
    uint64_t end = at + 1 < s.blocks ? block_position(s, at + 1) : s.words;
    b.gaps = kind & KIND_GAPS;
    b.step = kind & KIND_STEP_0 ? 0 : 1;
    b.code_bits = b.gaps ? kind & KIND_LOW_BITS : kind;
    b.base = entry_at<Element>(s.base, at);
    if (begin > end || end > s.words || end - begin < WORDS_PER_BIT * b.code_bits)
        return false;
    uint64_t unary_words = end - begin - WORDS_PER_BIT * b.code_bits;
    uint32_t most_bits = !b.gaps ? 8 * sizeof(Element) : sizeof(Element) == 4 ? 31 : 56;
    if (b.code_bits > most_bits || unary_words > (b.gaps ? UNARY_MOST_WORDS : 0))
        return false;
    b.bits = (const uint32_t *)s.bits + begin;
    b.unary = b.bits + WORDS_PER_BIT * b.code_bits;
    b.unary_words = (uint32_t)unary_words;
    return true;
}

/* Returns the code of element i of a block: up to 64 bits, which lie in at most three words. A code without bits is 0. */
__device__ static uint64_t code_at(const found_block &b, uint32_t i)
{
    uint32_t first = i * b.code_bits, word = first / 32, shift = first % 32;
    uint32_t last = b.code_bits > 0 ? (first + b.code_bits - 1) / 32 : word;
    uint64_t code = 0;
    if (b.code_bits == 0)
        return 0;
    code = b.bits[word] >> shift;
    if (last > word)
        code |= (uint64_t)b.bits[word + 1] << (32 - shift);
    if (last > word + 1)
        code |= (uint64_t)b.bits[word + 2] << (64 - shift);
    return b.code_bits < 64 ? code & (((uint64_t)1 << b.code_bits) - 1) : code;
}

/* Unpacks the bit vector of a block of gaps: high[i] becomes the high bits of the running sum of element i. The i-th set
 * bit of the vector, counted from 0, belongs to element i, and its index in the vector is high[i] + i. Without a vector
 * all high[i] become 0. Returns false, and writes nothing, if the vector does not have PACKED_BLOCK set bits. All lanes
 * of the warp call it, and see all of high[PACKED_BLOCK], shared memory of the warp, when it returns. */
__device__ static bool unpack_unary(const found_block &b, uint16_t *high)
{
    uint32_t word = lane_id() < b.unary_words ? b.unary[lane_id()] : 0;
    if (b.unary_words == 0) {
        for (uint32_t i = lane_id(); i < PACKED_BLOCK; i += WARP)
            high[i] = 0;
        __syncwarp();
        return true;
    }
    uint32_t before = warp_prefix(__popc(word));
    uint32_t total = __shfl_sync(ALL_LANES, before + __popc(word), WARP - 1);
    if (total != PACKED_BLOCK)
        return false;
    for (; word != 0; word &= word - 1, before++)
        high[before] = (uint16_t)(lane_id() * 32 + __ffs(word) - 1 - before);
    __syncwarp();
    return true;
}

/* Returns which of the rows low, ..., high - 1 has a given element. `element` is its index among the columns of all rows. */
__device__ static uint64_t find_row(const packed_rows &rows, uint64_t low, uint64_t high, uint64_t element)
{
    return last_not_above(low, high, element, [&](uint64_t i) { return offset_of(rows, i); });
}

/* Writes the elements of a block of gaps to d.array, from element `first` on. `high` has the high bits of the running
 * sums (unpack_unary). There are two cases:
 * - If the row of an element began before the block, the element is the block's base plus its running sum.
 * - If the row begins within the block, counting begins anew with the row: the element is the row's last head column + 1
 *   (0 if rows have no heads), plus its running sum, less the running sum of the last element before the row.
 *
 * If b.step is 1, the number of elements before the element in the block or in the row is added, too. All lanes of the
 * warp call it.
 */
template <typename Element>
__device__ static void decode_gaps(const decode &d, const found_block &b, uint64_t first, const uint16_t *high)
{
    uint64_t left = d.begin + d.section.count - first;
    uint32_t count = left < PACKED_BLOCK ? (uint32_t)left : PACKED_BLOCK;
    uint64_t low_row = 0, high_row = 1; /* the elements of the block belong to rows low_row to high_row - 1 */
    /* lane 0 finds the row of the block's first element, and lane 1 the row of its last element */
    if (d.has_rows) {
        uint64_t edge = first + (lane_id() == 0 ? 0 : count - 1), row = 0;
        if (lane_id() < 2)
            row = find_row(d.rows, 0, d.rows.rows, edge);
        low_row = __shfl_sync(ALL_LANES, row, 0);
        high_row = __shfl_sync(ALL_LANES, row, 1) + 1;
        if (high_row <= low_row)
            high_row = low_row + 1;
    }
    for (uint32_t i = lane_id(); i < count; i += WARP) {
        uint64_t sum = ((uint64_t)high[i] << b.code_bits) + code_at(b, i); /* the running sum */
        uint64_t row = d.has_rows ? find_row(d.rows, low_row, high_row, first + i) : 0;
        uint64_t begin = d.has_rows ? offset_of(d.rows, row) : 0;
        uint64_t value = b.base + sum + (b.step ? i : 0);
        if (begin > first && begin <= first + i) { /* the row begins within the block, with element a of the block */
            uint32_t a = (uint32_t)(begin - first);
            uint64_t start = d.rows.heads == NULL ? 0 : (uint32_t)(d.rows.heads[row] + 1);
            uint64_t before = ((uint64_t)high[a - 1] << b.code_bits) + code_at(b, a - 1);
            value = start + sum - before + (b.step ? i - a : 0);
        }
        ((Element *)d.array)[first + i] = (Element)value;
    }
}

/* Kernel: writes all elements of a section to d.array. A warp decodes a block at a time. If a block cannot be decoded,
 * sets *d.bad to 1, and leaves the elements of this block as they were. */
template <typename Element> __global__ static void __launch_bounds__(BLOCK) decode_kernel(decode d)
{
    __shared__ uint16_t shared[WARPS][PACKED_BLOCK];
    uint16_t *high = shared[threadIdx.x / WARP];
    uint64_t warps = (uint64_t)gridDim.x * WARPS;
    for (uint64_t at = (uint64_t)blockIdx.x * WARPS + threadIdx.x / WARP; at < d.section.blocks; at += warps) {
        const uint64_t first = d.begin + at * PACKED_BLOCK;
        found_block b;
        if (!find_block<Element>(d.section, at, b)) {
            *d.bad = 1;
        } else if (!b.gaps) {
            for (uint32_t i = lane_id(); i < PACKED_BLOCK && first + i < d.begin + d.section.count; i += WARP)
                ((Element *)d.array)[first + i] = (Element)(b.base + code_at(b, i));
        } else if (unpack_unary(b, high)) {
            decode_gaps<Element>(d, b, first, high);
        } else {
            *d.bad = 1;
        }
        __syncwarp(); /* all lanes have read `high` before the next block overwrites it */
    }
}

/* Launches the kernel for elements of 4 or of 8 bytes, and returns at once. */
void cuda_decode(const packed *section, const packed_rows *rows, uint64_t begin, void *array, unsigned int *bad,
                 cudaStream_t stream)
{
    decode d = {*section, rows != NULL ? *rows : packed_rows{}, rows != NULL && rows->rows > 0, begin, array, bad};
    int grid = blocks_for(section->blocks, WARPS);
    if (section->blocks == 0)
        return;
    if (section->width == 4)
        decode_kernel<uint32_t><<<grid, BLOCK, 0, stream>>>(d);
    else
        decode_kernel<uint64_t><<<grid, BLOCK, 0, stream>>>(d);
}

/* Bytes moved: 4 for each copy, and for each row an offset and its columns. */
void cuda_copy_columns(const gpu_csr *csr, cudaStream_t stream)
{
    each(csr->rows, stream, [c = *csr] __device__(uint64_t row) {
        const row_rest rest = rest_of_row(c, row);
        for (uint32_t j = 0; j < c.copied_columns && row < c.copied_begin[j + 1] - c.copied_begin[j]; j++) {
            const uint64_t at = rest.begin + j;
            c.copies[c.copied_begin[j] + row] =
                at < rest.end ? column_of_row<uint32_t, true>(c, (uint32_t)row, rest.begin, at) : NO_HEAD;
        }
    });
}
