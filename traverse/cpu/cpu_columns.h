/* cpu_columns.h: reads the columns of rows, which may be packed in memory (packed_row.h)
 *
 * decode_plain (plain C) and decode_vectors (AVX2) decode the same columns. probes_best() chooses the one for the
 * machine. */
#ifndef DBFS_CPU_COLUMNS_H
#define DBFS_CPU_COLUMNS_H

#include "formats/graph/shard.h"

#include <stdint.h>

/* The entries of a buffer for decoded columns: a block's columns, and 16 more, because decode_vectors also writes
 * before and behind the wanted columns. */
enum { COLUMN_CAPACITY = PACKED_BLOCK + 16 };

/* Decodes the packed columns at..at + count of a row, which are all in one block. Returns the address of the first one
 * in the buffer, which need not be the buffer's beginning. */
typedef const uint32_t *decode_columns(const struct csr *csr, uint64_t row, uint64_t at, uint32_t count,
                                       uint32_t buffer[COLUMN_CAPACITY]);

/* decode_vectors needs a machine with AVX2 */
decode_columns decode_plain, decode_vectors;

/* Consecutive columns of a row: in a buffer if they were decoded, otherwise in the array csr->columns. */
struct column_run {
    const uint32_t *columns;
    uint64_t count;
};

/* Returns a run of columns of 4 bytes that begins with column `at` of a row. Packed columns are decoded into the
 * buffer, up to the end of the block or to `end`. Other columns are returned in place, all up to `end`. */
static inline __attribute__((always_inline)) struct column_run
next_columns(decode_columns *decode, const struct csr *csr, uint64_t row, uint64_t at, uint64_t end,
             uint32_t buffer[COLUMN_CAPACITY])
{
    uint64_t left = end - at, in_block = PACKED_BLOCK - at % PACKED_BLOCK;
    if (csr->packed.words == NULL)
        return (struct column_run){(const uint32_t *)csr->columns + at, left};
    left = left < in_block ? left : in_block;
    return (struct column_run){decode(csr, row, at, (uint32_t)left, buffer), left};
}

/* Prefetches column `at`, or the directory entry of its block if columns are packed. Inlined always, because a compiler
 * may drop calls of functions that only prefetch. */
static inline __attribute__((always_inline)) void prefetch_columns(const struct csr *csr, uint64_t at)
{
    if (csr->packed.words == NULL)
        __builtin_prefetch((const uint32_t *)csr->columns + at);
    else
        __builtin_prefetch(&csr->packed.place[at / PACKED_BLOCK]);
}

/* Prefetches the code of packed column `at`, and the bit vector of its block. Reads the block's directory entry, which
 * prefetch_columns should have prefetched. Inlined always, because a compiler may drop calls of functions that only
 * prefetch. */
static inline __attribute__((always_inline)) void prefetch_bits(const struct csr *csr, uint64_t at)
{
    const struct packed_columns *packed = &csr->packed;
    uint64_t block = at / PACKED_BLOCK;
    uint32_t entry = packed->place[block].entry, kind = entry >> POSITION_BITS;
    const uint32_t *words = packed_block_words(packed, block, entry);
    uint32_t bits = kind & KIND_GAPS ? kind & KIND_LOW_BITS_OF_4 : kind;
    __builtin_prefetch(words + at % PACKED_BLOCK * bits / 32);
    __builtin_prefetch(words + WORDS_PER_BIT * bits);
}

#endif
