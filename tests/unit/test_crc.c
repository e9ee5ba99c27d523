/* test_crc.c: crc32_bytes and crc32_parallel beside zlib's crc32, of all lengths around their limits */
#include "formats/base/crc.h"
#include "formats/base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

static void report(int ok, const char *name)
{
    printf("%s - %s\n", ok ? "ok" : "not ok", name);
    if (!ok)
        exit(1);
}

int main(void)
{
    enum { MOST = 5000, LARGE = (3 << 20) + 77 };
    unsigned char *bytes = malloc(LARGE);
    if (bytes == NULL)
        return 1;
    for (size_t i = 0; i < LARGE; i++)
        bytes[i] = (unsigned char)random64(7, i);
    int same = 1;
    for (size_t count = 0; count < MOST; count++)
        same &= crc32_bytes(0, bytes, count) == crc32(0, bytes, (uInt)count);
    report(same, "every length from 0 to 4999");
    for (size_t at = 0; at < 64; at++)
        same &= crc32_bytes(0x12345678, bytes + at, 1000) == crc32(0x12345678, bytes + at, 1000);
    report(same, "every alignment, going on from another CRC");
    size_t cut = 700;
    uint32_t first = crc32_bytes(0, bytes, cut);
    report(crc32_bytes(first, bytes + cut, MOST - cut) == crc32(0, bytes, MOST), "in two calls");
    for (int threads = 1; threads < 4; threads++)
        same &= crc32_parallel(bytes, LARGE, threads) == crc32(0, bytes, LARGE);
    report(same, "of 3 MiB, with 1 to 3 threads");
    free(bytes);
    return 0;
}
