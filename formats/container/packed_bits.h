/* packed_bits.h: decodes the bits of one packed block; for packed.c, and for searches of packed columns;
 * packed.h has the layout */
#ifndef DBFS_PACKED_BITS_H
#define DBFS_PACKED_BITS_H

#include "packed_layout.h"

#include <stdint.h>

/* Room for as many ones as a vector has bits, and for the 8 bytes written at a time. */
enum { UNARY_ROOM = UNARY_MOST_WORDS * 32 + 8 };

/* out[i] = base + code i, for PACKED_BLOCK codes of `bits` bits; bits is at most 32, or 64 for the second
 * function. Reads up to 8 bytes behind the codes. A section always has these bytes, because at least its
 * directory follows. */
void decode_codes_u32(const unsigned char *p, uint32_t bits, uint32_t base, uint32_t *out);
void decode_codes_u64(const unsigned char *p, uint32_t bits, uint64_t base, uint64_t *out);

/* Decodes a bit vector: high[i] = S(i) >> l. `bytes` is a multiple of 4 and at most the size of
 * UNARY_MOST_WORDS words. Nonzero when the vector does not have exactly PACKED_BLOCK ones. */
int decode_unary(const unsigned char *vector, uint32_t bytes, unsigned char high[UNARY_ROOM]);

/* The same of a vector that is known to be right, but only the first `count` places. Reads no more of it
 * than it needs. */
void decode_unary_part(const unsigned char *vector, uint32_t count, unsigned char high[UNARY_ROOM]);

#endif
