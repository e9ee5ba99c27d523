/* cpu_columns.c: decodes packed columns, one by one or by vectors of eight (cpu_columns.h)
 *
 * Columns are packed in blocks, and each column of a block, an element, has a code (packed_row.h). There are two kinds of
 * blocks. In a frame, element i is `add` plus its code. In a block of gaps, element i is `add` plus `step` * i plus a number
 * whose low bits are the code and whose high bits stand in a bit vector behind the codes: the high bits are the number of
 * zeros before set bit i.
 *
 * Bytes that must move for each row: 8 of offsets and 8 of the directory. For each column: its code and its bits of the
 * vector. Up to 40 bytes of the vector before them are read, too. Pulls prefetch the words of a block (cpu_probe.c). */
#include "cpu_columns.h"
#include "cpu_lanes.h"

#include "formats/container/packed_bits.h"

#include <string.h>

/* ---- plain ---- */

/* Decodes columns at..at + count of a row, one after the other. Returns the buffer. */
const uint32_t *decode_plain(const struct csr *csr, uint64_t row, uint64_t at, uint32_t count,
                             uint32_t buffer[COLUMN_CAPACITY])
{
    struct packed_span span = csr_span(csr, row, at);
    struct packed_reader reader = packed_read_at(&csr->packed, &span);
    for (uint32_t i = 0; i < count; i++)
        buffer[i] = packed_next(&reader);
    return buffer;
}

/* ---- eight at once ---- */

#if HAS_AVX2

enum { MOST_WINDOW_BITS = 25 }; /* a code of so many bits lies within 4 bytes, at whichever bit it begins */

/* Reads the elements of one packed block in order. struct packed_reader of packed_row.h does the same in plain C. */
struct reader {
    const unsigned char *codes, *vector; /* the vector is NULL if all high bits are 0 */
    uint32_t bits; /* bits of a code */
    uint32_t gaps; /* 0: the block is a frame; otherwise it has gaps */
    uint32_t step, add; /* what is added to element i: `add` and, in a block of gaps, step * i */
    uint32_t i;    /* index of the next element of the block */
    uint32_t word; /* which word of the bit vector has the set bit of element i */
    uint64_t ones; /* the set bits of this word, without those of elements before i */
};

/* Returns word number `word`, of 64 bits, of the bit vector. */
AVX2 static inline uint64_t vector_word(const struct reader *r, uint32_t word)
{
    uint64_t bits;
    memcpy(&bits, r->vector + 8 * word, sizeof bits);
    return bits;
}

/* Moves the reader to element i of the block: sets r->i, and finds set bit i of the bit vector, counted from 0. */
AVX2 static inline void skip_to(struct reader *r, uint32_t i)
{
    uint32_t left = i, count;
    r->i = i;
    r->word = 0;
    if (r->vector == NULL)
        return;
    r->ones = vector_word(r, 0);
    while ((count = (uint32_t)_mm_popcnt_u64(r->ones)) <= left && r->word < UNARY_MOST_WORDS / 2 - 1) {
        left -= count;
        r->ones = vector_word(r, ++r->word);
    }
    r->ones &= ~(_pdep_u64(UINT64_C(1) << left, r->ones) - 1);
}

/* Returns the high bits of element i, and moves the reader behind set bit i. This must be the next set bit. */
AVX2 static inline uint32_t next_high(struct reader *r, uint32_t i)
{
    while (r->ones == 0 && r->word < UNARY_MOST_WORDS / 2 - 1)
        r->ones = vector_word(r, ++r->word);
    uint32_t high = 64 * r->word + (uint32_t)_tzcnt_u64(r->ones) - i;
    r->ones = _blsr_u64(r->ones);
    return high;
}

/* Returns the code of element i, of up to 32 bits, without moving the reader. */
AVX2 static inline uint32_t code_at(const struct reader *r, uint32_t i)
{
    uint64_t window;
    memcpy(&window, r->codes + i * r->bits / 8, sizeof window);
    return (uint32_t)_bzhi_u64(window >> i * r->bits % 8, r->bits);
}

/* Returns the next element of a block of gaps without `add`, which the caller must add, and moves the reader behind it. */
AVX2 static inline uint32_t next_gap_sum(struct reader *r)
{
    uint32_t i = r->i++, high = r->vector != NULL ? next_high(r, i) : 0;
    return code_at(r, i) + (high << r->bits) + r->step * i;
}

/* Opens a reader of a packed row at element span->at. Gaps count from span->start, where the row starts. If the row begins
 * within a block of gaps, `add` therefore makes up for the elements of earlier rows in the block. */
AVX2 static inline struct reader open_reader(const struct packed_columns *packed, const struct packed_span *span)
{
    uint64_t block = span->at / PACKED_BLOCK, first = block * PACKED_BLOCK;
    struct packed_place place = packed->place[block];
    uint32_t kind = place.entry >> POSITION_BITS, i = (uint32_t)(span->at - first);
    struct reader r = {.codes = (const unsigned char *)packed_block_words(packed, block, place.entry),
                       .bits = kind & KIND_GAPS ? kind & KIND_LOW_BITS_OF_4 : kind,
                       .gaps = kind & KIND_GAPS,
                       .add = place.base,
                       .i = i};
    if (!r.gaps)
        return r;
    r.step = (kind & KIND_STEP_0) == 0;
    r.vector = kind & KIND_NO_VECTOR ? NULL : r.codes + 4 * WORDS_PER_BIT * r.bits;
    if (span->row_begin <= first) {
        skip_to(&r, i);
        return r;
    }
    skip_to(&r, (uint32_t)(span->row_begin - first) - 1);
    r.add = span->start - r.step - next_gap_sum(&r);
    if (r.i < i)
        skip_to(&r, i);
    return r;
}

/* Returns the next eight elements of the block, and moves behind them. If `count` is less than 8, only `count` elements
 * are valid, and the reader moves behind those. */
AVX2 static inline __m256i next_eight(struct reader *r, uint32_t count)
{
    const __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    /* the lanes that are read: the first `count` */
    const __m256i lanes = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), number);
    uint32_t one[8], i = r->i, wanted = count < 8 ? count : 8;
    if (r->bits > MOST_WINDOW_BITS) {
        for (uint32_t k = 0; k < wanted; k++)
            one[k] = r->add + (r->gaps ? next_gap_sum(r) : code_at(r, r->i++));
        return _mm256_loadu_si256((const __m256i *)one);
    }
    __m256i numbers = _mm256_add_epi32(_mm256_set1_epi32((int)i), number);
    __m256i at = _mm256_mullo_epi32(numbers, _mm256_set1_epi32((int)r->bits));
    __m256i windows = _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), (const int *)r->codes, _mm256_srli_epi32(at, 3),
                                                  lanes, 1);
    __m256i codes = _mm256_srlv_epi32(windows, _mm256_and_si256(at, _mm256_set1_epi32(7)));
    codes = _mm256_and_si256(codes, _mm256_set1_epi32((int)((UINT32_C(1) << r->bits) - 1)));
    codes = _mm256_add_epi32(codes, _mm256_set1_epi32((int)r->add));
    r->i += wanted;
    if (!r->gaps)
        return codes;
    if (r->step)
        codes = _mm256_add_epi32(codes, numbers);
    if (r->vector == NULL)
        return codes;
    for (uint32_t k = 0; k < wanted; k++)
        one[k] = next_high(r, i + k);
    __m256i high = _mm256_loadu_si256((const __m256i *)one);
    return _mm256_add_epi32(codes, _mm256_sll_epi32(high, _mm_cvtsi32_si128((int)r->bits)));
}

/* Decodes `count` elements from r->i on in groups of eight, which is faster for many elements. Returns where element r->i is
 * in the buffer. The eight codes of a group fill r->bits bytes, so codes begin at the same bits in all groups: a shuffle
 * moves the four bytes that hold a code into its lane, and a shift drops the bits before the code. The bit vector is decoded
 * before, up to the last element. Up to 16 bytes are read from the fifth code of a group on. */
AVX2 static const uint32_t *decode_groups(const struct reader *r, uint32_t count, uint32_t buffer[COLUMN_CAPACITY])
{
    const __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m128i bits = _mm_cvtsi32_si128((int)r->bits);
    const uint32_t first = r->i & ~7U;
    /* for each lane: the bit at which its code begins, counted from the first byte of the lane's half of the group. The
     * fourth and the fifth code may share a byte */
    const int half = (int)(4 * r->bits % 8);
    const __m256i at = _mm256_add_epi32(_mm256_mullo_epi32(_mm256_and_si256(number, _mm256_set1_epi32(3)),
                                                           _mm256_set1_epi32((int)r->bits)),
                                        _mm256_setr_epi32(0, 0, 0, 0, half, half, half, half));
    const __m256i byte = _mm256_mullo_epi32(_mm256_srli_epi32(at, 3), _mm256_set1_epi32(0x01010101));
    const __m256i window = _mm256_add_epi8(byte, _mm256_set1_epi32(0x03020100));
    const __m256i shift = _mm256_and_si256(at, _mm256_set1_epi32(7));
    const __m256i mask = _mm256_set1_epi32((int)((UINT32_C(1) << r->bits) - 1));
    unsigned char high[UNARY_ROOM];
    if (r->vector != NULL)
        decode_unary_part(r->vector, r->i + count, high);
    else
        memset(high, 0, PACKED_BLOCK);
    for (uint32_t i = first; i < r->i + count; i += 8) {
        const unsigned char *codes = r->codes + i / 8 * r->bits;
        __m128i low_half = _mm_loadu_si128((const __m128i *)codes);
        __m128i high_half = _mm_loadu_si128((const __m128i *)(codes + 4 * r->bits / 8));
        __m256i bytes = _mm256_shuffle_epi8(_mm256_set_m128i(high_half, low_half), window);
        __m256i values = _mm256_and_si256(_mm256_srlv_epi32(bytes, shift), mask);
        __m256i highs = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(high + i)));
        __m256i steps = _mm256_add_epi32(number, _mm256_set1_epi32((int)i));
        values = _mm256_add_epi32(_mm256_sll_epi32(highs, bits), values);
        values = _mm256_add_epi32(values, _mm256_mullo_epi32(steps, _mm256_set1_epi32((int)r->step)));
        values = _mm256_add_epi32(values, _mm256_set1_epi32((int)r->add));
        _mm256_storeu_si256((__m256i *)(buffer + (i - first)), values);
    }
    return buffer + (r->i - first);
}

/* Decodes the columns that decode_plain decodes, by vectors. Many columns are decoded in groups that begin at a
 * multiple of eight, so the first wanted column, whose address is returned, may not be the first in the buffer. */
AVX2 const uint32_t *decode_vectors(const struct csr *csr, uint64_t row, uint64_t at, uint32_t count,
                                    uint32_t buffer[COLUMN_CAPACITY])
{
    enum { MANY = 24 };
    struct packed_span span = csr_span(csr, row, at);
    struct reader r = open_reader(&csr->packed, &span);
    if (count >= MANY && r.bits <= MOST_WINDOW_BITS)
        return decode_groups(&r, count, buffer);
    for (uint32_t i = 0; i < count; i += 8)
        _mm256_storeu_si256((__m256i *)(buffer + i), next_eight(&r, count - i));
    return buffer;
}

#endif
