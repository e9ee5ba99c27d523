/* crc_fold.h: CRC-32 (zlib's) at the speed of memory where the processor can multiply without
 * carries, else by zlib
 */
#ifndef DBFS_CRC_FOLD_H
#define DBFS_CRC_FOLD_H

#include <stddef.h>
#include <stdint.h>

/* Equal to zlib's crc32_z(crc, bytes, count): start with 0, continue with the result. */
uint32_t crc32_fold(uint32_t crc, const void *bytes, size_t count);

#endif
