/* packed_row.h: reads single columns of a row out of a packed section, so that a search can leave its columns packed.
 *
 * A struct packed_columns has the words of the file and a directory, which packed_places makes. A reader is opened at an
 * element of a row, and gives elements of that row: any of the same block (packed_element), or one after the other
 * (packed_next). A frame (packed.h) can be entered anywhere. In a block of gaps the reader finds the element's bit in the bit
 * vector of at most 12 words, and if the row begins in this block, also the bit of the element before the row.
 *
 * This is plain C, also valid C++, so that hosts and devices run the same functions. Offsets must have been checked
 * (shard_ranges.h). To read a row moves 8 bytes of the directory, the codes of its elements, and the bit vector up to these.
 */
#ifndef DBFS_PACKED_ROW_H
#define DBFS_PACKED_ROW_H

#include "packed_layout.h"

#include <stdint.h>

#ifdef __CUDACC__
#define PACKED_INLINE __host__ __device__ static inline
#else
#define PACKED_INLINE static inline
#endif

/* The directory's entry for a block. The high 8 bits of `entry` are the kind of the block. The low 24 bits are its position,
 * counted in words from the position of its group. */
struct packed_place {
    uint32_t base, entry;
};

/* A flag in the kind of a gap block, only in this directory: the block has no bit vector, because all its sums are 0. In files
 * this bit belongs to the number l (packed.h), which does not need the bit if elements have 4 bytes. */
enum { KIND_NO_VECTOR = 0x20, KIND_LOW_BITS_OF_4 = 0x1f };

struct packed_columns {
    const uint32_t *words;            /* the blocks' bits; there are at least 2 words behind them */
    struct packed_place *place;       /* [blocks] */
    const uint64_t *group;            /* [groups]: position of block GROUP_BLOCKS * g */
};

/* The part of a row that a reader is opened for. */
struct packed_span {
    uint64_t row_begin; /* the row's first element */
    uint64_t at;        /* the first one that is wanted */
    uint32_t start;     /* the last head column + 1; 0: the row has no heads */
};

struct packed_reader {
    const uint32_t *codes;
    const uint32_t *vector; /* the words behind the codes, which may be read even if they are no vector */
    uint32_t has_vector;
    uint32_t bits;  /* of a code */
    uint32_t gaps;  /* else a frame */
    uint32_t step;  /* gaps count from 1 */
    uint32_t add;   /* added to the place of an element, gives the element */
    uint32_t i;     /* of packed_next: the next element of the block, */
    uint32_t word;  /* the word with its set bit, */
    uint32_t ones;  /* and the bits of that word that have not been passed */
};

PACKED_INLINE uint32_t packed_count_bits(uint32_t x)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__popc(x);
#else
    return (uint32_t)__builtin_popcount(x);
#endif
}

/* x is not 0. */
PACKED_INLINE uint32_t packed_lowest_bit(uint32_t x)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__ffs((int)x) - 1;
#else
    return (uint32_t)__builtin_ctz(x);
#endif
}

/* Code i of `bits` bits, at most 32. Reads up to one word behind it. */
PACKED_INLINE uint32_t packed_code(const uint32_t *codes, uint32_t bits, uint32_t i)
{
    uint32_t at = i * bits;
    uint64_t two = codes[at / 32] | (uint64_t)codes[at / 32 + 1] << 32;
    return (uint32_t)(two >> at % 32 & ((UINT64_C(1) << bits) - 1));
}

/* The words of a block, whose entry in the directory is given. */
PACKED_INLINE const uint32_t *packed_block_words(const struct packed_columns *columns, uint64_t block, uint32_t entry)
{
    return columns->words + columns->group[block / GROUP_BLOCKS] +
           (entry & ((UINT32_C(1) << POSITION_BITS) - 1));
}

/* The place of set bit n of x, counted from 0. It has more than n. */
PACKED_INLINE uint32_t packed_nth_bit(uint32_t x, uint32_t n)
{
    uint32_t at = 0;
    for (uint32_t half = 16; half > 0; half /= 2) {
        uint32_t low = packed_count_bits(x & ((UINT32_C(1) << half) - 1)), up = n >= low;
        at += up ? half : 0;
        x >>= up ? half : 0;
        n -= up ? low : 0;
    }
    return at;
}

/* Finds set bit number i of the bit vector. Returns the index of its word, and in *before the set bits of earlier words. */
PACKED_INLINE uint32_t packed_word_of(const struct packed_reader *r, uint32_t i, uint32_t *before)
{
    uint32_t word = 0, seen = 0, count;
    while ((count = packed_count_bits(r->vector[word])) <= i - seen && word + 1 < UNARY_MOST_WORDS) {
        seen += count;
        word++;
    }
    *before = seen;
    return word;
}

/* S(i) + step * i, in a block of gaps. */
PACKED_INLINE uint32_t packed_place_of(const struct packed_reader *r, uint32_t i)
{
    uint32_t high = 0;
    if (r->has_vector) {
        uint32_t before, word = packed_word_of(r, i, &before);
        high = 32 * word + packed_nth_bit(r->vector[word], i - before) - i;
    }
    return packed_code(r->codes, r->bits, i) + (high << r->bits) + r->step * i;
}

/* Element i of the block, which must be of the row. */
PACKED_INLINE uint32_t packed_element(const struct packed_reader *r, uint32_t i)
{
    return r->add + (r->gaps ? packed_place_of(r, i) : packed_code(r->codes, r->bits, i));
}

/* The next element, which it passes; the caller stops at the end of the block. */
PACKED_INLINE uint32_t packed_next(struct packed_reader *r)
{
    uint32_t i = r->i++, high = 0;
    if (r->has_vector) {
        while (r->ones == 0 && r->word + 1 < UNARY_MOST_WORDS)
            r->ones = r->vector[++r->word];
        high = 32 * r->word + (r->ones != 0 ? packed_lowest_bit(r->ones) : 0) - i;
        high <<= r->bits;
        r->ones &= r->ones - 1;
    }
    return r->add + packed_code(r->codes, r->bits, i) + high + r->step * i;
}

/* Opens a reader for packed_element. r.vector is a valid address even if the block has no vector, because code that ptxas of
 * CUDA 13 makes for sm_90 loads the first word of the vector before it tests has_vector. */
PACKED_INLINE struct packed_reader packed_open_row(const struct packed_columns *columns, const struct packed_span *span)
{
    uint64_t block = span->at / PACKED_BLOCK, first = block * PACKED_BLOCK;
    struct packed_place place = columns->place[block];
    uint32_t kind = place.entry >> POSITION_BITS;
    struct packed_reader r;
    r.codes = packed_block_words(columns, block, place.entry);
    r.gaps = kind & KIND_GAPS;
    r.bits = r.gaps ? kind & KIND_LOW_BITS_OF_4 : kind;
    r.step = r.gaps != 0 && (kind & KIND_STEP_0) == 0;
    r.vector = r.codes + WORDS_PER_BIT * r.bits;
    r.has_vector = r.gaps != 0 && (kind & KIND_NO_VECTOR) == 0;
    r.add = place.base;
    r.i = (uint32_t)(span->at - first);
    r.word = r.ones = 0;
    if (r.gaps && span->row_begin > first)
        r.add = span->start - r.step - packed_place_of(&r, (uint32_t)(span->row_begin - first) - 1);
    return r;
}

/* Moves the reader behind set bit i of the bit vector. Returns S(i) + step * i: the row's base plus this is element i. */
PACKED_INLINE uint32_t packed_enter(struct packed_reader *r, uint32_t i)
{
    uint32_t before, n;
    r->word = packed_word_of(r, i, &before);
    n = packed_nth_bit(r->vector[r->word], i - before);
    r->ones = r->vector[r->word] & (UINT32_C(0xfffffffe) << n);
    return packed_code(r->codes, r->bits, i) + ((32 * r->word + n - i) << r->bits) + r->step * i;
}

/* Opens a reader for packed_next. Decodes the element before span->at, from which the reader goes on, and if the row begins in
 * this block, also the element before the row. Both are mostly the same, because the row mostly begins at span->at. */
PACKED_INLINE struct packed_reader packed_read_at(const struct packed_columns *columns, const struct packed_span *span)
{
    struct packed_span whole = {0, span->at, 0};
    struct packed_reader r = packed_open_row(columns, &whole);
    uint64_t first = span->at / PACKED_BLOCK * PACKED_BLOCK;
    uint32_t before = span->row_begin > first ? (uint32_t)(span->row_begin - first) : 0; /* elements of other rows */
    uint32_t place = 0;
    if (!r.has_vector) {
        place = r.gaps && before > 0 ? packed_place_of(&r, before - 1) : 0;
    } else if (r.i > 0) {
        place = packed_enter(&r, r.i - 1);
        if (before > 0 && before != r.i)
            place = packed_place_of(&r, before - 1);
    } else {
        r.ones = r.vector[0];
    }
    if (r.gaps && before > 0)
        r.add = span->start - r.step - place;
    return r;
}

#endif
