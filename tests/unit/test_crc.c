/* test_crc.c: crc32_bytes, crc32_parallel and crc32_and_most beside zlib's crc32, of all lengths around their limits */
#include "formats/base/crc.h"
#include "formats/base/hash.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <zlib.h>

/* Puts the largest of `count` numbers at each place, a step apart; the others are smaller. */
static int finds_largest(unsigned char *bytes, size_t count, int threads)
{
    uint32_t *x = (uint32_t *)(void *)bytes, most;
    int found = 1;
    for (size_t i = 0; i < count; i++)
        x[i] = (uint32_t)random64(8, i) >> 1;
    for (size_t at = 0; at < count; at += count < 2000 ? 1 : 99991) {
        uint32_t before = x[at];
        x[at] = UINT32_MAX - 5;
        crc32_and_most(bytes, count * sizeof *x, threads, &most);
        found &= most == UINT32_MAX - 5;
        x[at] = before;
    }
    return found;
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
    report(same, "crc32_bytes is zlib's for every length from 0 to 4999");
    for (size_t at = 0; at < 64; at++)
        same &= crc32_bytes(0x12345678, bytes + at, 1000) == crc32(0x12345678, bytes + at, 1000);
    report(same, "crc32_bytes is zlib's for every alignment, going on from another CRC");
    size_t cut = 700;
    uint32_t first = crc32_bytes(0, bytes, cut);
    report(crc32_bytes(first, bytes + cut, MOST - cut) == crc32(0, bytes, MOST), "crc32_bytes is zlib's in two calls");
    for (int threads = 1; threads < 4; threads++)
        same &= crc32_parallel(bytes, LARGE, threads) == crc32(0, bytes, LARGE);
    report(same, "crc32_parallel is zlib's for 3 MiB, with 1 to 3 threads");
    report(finds_largest(bytes, MOST / 4, 1) && finds_largest(bytes, 3 << 18, 3),
           "crc32_and_most finds the largest number, wherever it is");
    free(bytes);
    return unit_result();
}
