/* cpu_columns.h: reads the columns of rows, which may be packed in memory (packed_row.h)
 *
 * Two functions decode packed columns. decode_plain is plain C, and uses the readers of packed_row.h. decode_vectors uses
 * vector instructions (AVX2). Both write the same columns. probes_best() chooses one of the two functions for the machine
 * (cpu_probe.h). */
#ifndef DBFS_CPU_COLUMNS_H
#define DBFS_CPU_COLUMNS_H

#include "formats/graph/shard.h"

#include <stdint.h>

/* The number of entries of a buffer for decoded columns. It is the number of columns of one block, plus 16, because
 * decode_vectors also writes entries before the columns and after the columns. */
enum { COLUMN_CAPACITY = PACKED_BLOCK + 16 };

/* Decodes the packed columns at..at + count of a row into the buffer. All these columns are in one block. Returns the
 * address of the first column in the buffer. This address may differ from the beginning of the buffer. */
typedef const uint32_t *decode_columns(const struct csr *csr, uint64_t row, uint64_t at, uint32_t count,
                                       uint32_t buffer[COLUMN_CAPACITY]);

/* decode_vectors may be called only on a machine with AVX2 */
decode_columns decode_plain, decode_vectors;

/* Consecutive columns of a row. They are in a buffer of decoded columns, or in the file's own array. */
struct column_run {
    const uint32_t *columns;
    uint64_t count;
};

/* Returns a run of consecutive columns of a row, each of 4 bytes. The run begins with column `at`, and ends at column
 * `end` or earlier. Packed columns are decoded into the buffer, and the run ends where the block of column `at` ends.
 * Columns that are not packed are not copied, and the run extends to `end`. */
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

/* Prefetches column `at`. If columns are packed, prefetches the directory entry of the column's block instead. Always
 * inlined, because a compiler may drop calls of functions that only prefetch. */
static inline __attribute__((always_inline)) void prefetch_columns(const struct csr *csr, uint64_t at)
{
    if (csr->packed.words == NULL)
        __builtin_prefetch((const uint32_t *)csr->columns + at);
    else
        __builtin_prefetch(&csr->packed.place[at / PACKED_BLOCK]);
}

/* Prefetches the code of packed column `at`, and the bit vector of the column's block. Reads the directory entry of the
 * block, so prefetch_columns should be called before. Always inlined, because a compiler may drop calls of functions that
 * only prefetch. */
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
