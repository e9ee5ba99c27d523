/* packed_bits.h: the bits of one packed block, for packed.c alone; layout in packed.h */
#ifndef DBFS_PACKED_BITS_H
#define DBFS_PACKED_BITS_H

#include "packed_layout.h"

#include <stdint.h>

/* Room for as many ones as a vector has bits, and for the 8 bytes written at a time. */
enum { UNARY_ROOM = UNARY_MOST_WORDS * 32 + 8 };

/* out[i] = base + code i of `bits` bits, PACKED_BLOCK of them; bits is at most 32, or 64. Reads up
 * to 8 bytes past the codes: what follows in a section, its directory at least, is longer. */
void decode_codes_u32(const unsigned char *p, uint32_t bits, uint32_t base, uint32_t *out);
void decode_codes_u64(const unsigned char *p, uint32_t bits, uint64_t base, uint64_t *out);

/* high[i] = S(i) >> l from a bit vector of `bytes` bytes, a multiple of 4 and at most those of
 * UNARY_MOST_WORDS. Nonzero when it does not have PACKED_BLOCK ones. */
int decode_unary(const unsigned char *vector, uint32_t bytes, unsigned char high[UNARY_ROOM]);

#endif
