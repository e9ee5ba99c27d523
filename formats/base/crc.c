/* crc.c: see crc.h */
#include "crc.h"

#include <stddef.h>
#include <stdlib.h>
#include <zlib.h>

enum { CHUNK_BYTES = 1 << 20 };

uint32_t crc32_parallel(const void *bytes, uint64_t count, int threads)
{
    const unsigned char *p = bytes;
    uint64_t chunks = (count + CHUNK_BYTES - 1) / CHUNK_BYTES;
    uint32_t *crc = threads > 1 && chunks > 1 ? malloc(chunks * sizeof *crc) : NULL;
    if (crc == NULL)
        return (uint32_t)crc32_z(0, p, count);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (uint64_t i = 0; i < chunks; i++) {
        uint64_t at = i * CHUNK_BYTES;
        crc[i] = (uint32_t)crc32_z(0, p + at, count - at < CHUNK_BYTES ? count - at : CHUNK_BYTES);
    }
    uLong whole = crc[0];
    for (uint64_t i = 1; i < chunks; i++) {
        uint64_t left = count - i * CHUNK_BYTES;
        whole = crc32_combine(whole, crc[i], (z_off_t)(left < CHUNK_BYTES ? left : CHUNK_BYTES));
    }
    free(crc);
    return (uint32_t)whole;
}
