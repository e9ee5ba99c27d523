/* crc.h: CRC-32 (zlib's), by carry-less products where the processor has them */
#ifndef DBFS_CRC_H
#define DBFS_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Returns the same as zlib's crc32 that goes on from `crc`; 0 begins. */
uint32_t crc32_bytes(uint32_t crc, const void *bytes, size_t count);

/* The same of a large array, from 0, with several threads. */
uint32_t crc32_parallel(const void *bytes, uint64_t count, int threads);

/* The same; *most receives the largest number of the array, if it is one of 32-bit numbers in the
 * order of bytes of this machine. That takes a twelfth more time; another pass over the numbers
 * would double it. */
uint32_t crc32_and_most(const void *bytes, uint64_t count, int threads, uint32_t *most);

#endif
