/* cpu_columns.h: reads the columns of rows, which may be kept packed
 *
 * Packed columns are decoded by one of two twins: a plain one, on the readers of packed_row.h, and one by vectors of AVX2.
 * probes_best() chooses (cpu_probe.h).
 */
#ifndef DBFS_CPU_COLUMNS_H
#define DBFS_CPU_COLUMNS_H

#include "formats/graph/shard.h"

#include <stdint.h>

/* Entries of a buffer for the columns of a block, and for those that vectors write before and behind them. */
enum { COLUMN_CAPACITY = PACKED_BLOCK + 16 };

/* Decodes columns at..at+count of a row, which lie in one block, into the buffer. Returns where they begin there. */
typedef const uint32_t *decode_columns(const struct csr *csr, uint64_t row, uint64_t at, uint32_t count,
                                       uint32_t buffer[COLUMN_CAPACITY]);

decode_columns decode_plain, decode_vectors; /* decode_vectors: where the machine has AVX2 */

/* Consecutive columns of a row. */
struct column_run {
    const uint32_t *columns;
    uint64_t count;
};

/* Returns a run of columns of a row, of 4 bytes each, from column `at` on and before column `end`. If columns are packed,
 * the run ends with the block of `at`, and is decoded into the buffer. Otherwise it goes up to `end`, and is not copied. */
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

/* Prefetches columns or, if they are packed, the directory entry of their block. Always inlined: a compiler may drop calls
 * that only prefetch. */
static inline __attribute__((always_inline)) void prefetch_columns(const struct csr *csr, uint64_t at)
{
    if (csr->packed.words == NULL)
        __builtin_prefetch((const uint32_t *)csr->columns + at);
    else
        __builtin_prefetch(&csr->packed.place[at / PACKED_BLOCK]);
}

/* Prefetches the bits of packed columns, whose directory entry is in the cache. */
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
