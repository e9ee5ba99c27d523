/* crc.h: CRC-32 as zlib computes it, but with carry-less products where the processor has them */
#ifndef DBFS_CRC_H
#define DBFS_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Returns the same as zlib's crc32 that goes on from `crc`; 0 begins. */
uint32_t crc32_bytes(uint32_t crc, const void *bytes, size_t count);

/* The same of a large array, from 0, with several threads. */
uint32_t crc32_parallel(const void *bytes, uint64_t count, int threads);

/* Returns the CRC-32 of a large array, and sets *most to its largest element. Elements are 32-bit numbers in this machine's
 * byte order. Takes a twelfth more time than the CRC alone; a second pass over the array would take as long as the first. */
uint32_t crc32_and_most(const void *bytes, uint64_t count, int threads, uint32_t *most);

#endif
