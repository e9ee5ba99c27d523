/* packed_bits.h: decodes the bits of one packed block (packed.h has the layout), for packed.c and for searches of packed columns */
#ifndef DBFS_PACKED_BITS_H
#define DBFS_PACKED_BITS_H

#include "packed_layout.h"

#include <stdint.h>

/* Entries of the array that decode_unary writes: one for each bit of the longest vector, and 8, as it writes 8 at a time. */
enum { UNARY_ROOM = UNARY_MOST_WORDS * 32 + 8 };

/* Decode the PACKED_BLOCK codes of a block: out[i] = base + code i. A code has `bits` bits, at most 32 for the first function
 * and 64 for the second. Up to 8 bytes behind the codes are read; every section has these, because its directory follows. */
void decode_codes_u32(const unsigned char *p, uint32_t bits, uint32_t base, uint32_t *out);
void decode_codes_u64(const unsigned char *p, uint32_t bits, uint64_t base, uint64_t *out);

/* Decodes the bit vector of a block of gaps: high[i] = S(i) >> l in the terms of packed.h. `bytes` is a multiple of 4,
 * for at most UNARY_MOST_WORDS words. Returns nonzero if the vector has not exactly PACKED_BLOCK ones. */
int decode_unary(const unsigned char *vector, uint32_t bytes, unsigned char high[UNARY_ROOM]);

/* Decodes only high[0..count-1], and reads only the part of the bit vector that has them. The vector must have been checked. */
void decode_unary_part(const unsigned char *vector, uint32_t count, unsigned char high[UNARY_ROOM]);

#endif
