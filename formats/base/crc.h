/* crc.h: CRC-32 (zlib's) of large arrays with several threads */
#ifndef DBFS_CRC_H
#define DBFS_CRC_H

#include <stdint.h>

/* Returns the same as zlib's crc32 of these bytes, whatever the number of threads. */
uint32_t crc32_parallel(const void *bytes, uint64_t count, int threads);

#endif
