/* test_crc.c: the fast CRC against zlib's, over lengths, alignments and continued values */
#include "unit.h"

#include "formats/crc_fold.h"
#include "formats/hash.h"

#include <stdlib.h>
#include <zlib.h>

enum { BYTES = 1 << 16 };

int main(void)
{
    unsigned char *bytes = malloc(BYTES);
    int lengths = 1, alignments = 1, continued = 1;
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)random64(1, i);
    for (size_t count = 0; count < 3000; count++)
        lengths &= crc32_fold(0, bytes, count) == crc32_z(0, bytes, count);
    for (size_t shift = 0; shift < 70; shift++)
        alignments &= crc32_fold(0, bytes + shift, BYTES - 100) ==
                      crc32_z(0, bytes + shift, BYTES - 100);
    for (size_t cut = 0; cut < BYTES; cut += 997)
        continued &= crc32_fold(crc32_fold(0, bytes, cut), bytes + cut, BYTES - cut) ==
                     crc32_z(0, bytes, BYTES);
    report(lengths, "every length up to 3000");
    report(alignments, "any alignment");
    report(continued, "continued from any place");
    report(crc32_fold(0, "123456789", 9) == 0xcbf43926, "the check value of CRC-32");
    free(bytes);
    return unit_result();
}
