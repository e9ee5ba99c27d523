/* edges_layout.h: byte positions in the preamble, the blocks and the trailer of an edge stream (SPEC-edges.md); only for edges*.c */
#ifndef DBFS_EDGES_LAYOUT_H
#define DBFS_EDGES_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define EDGES_MAGIC "DBFSEDGE"
#define EDGES_VERSION UINT32_C(2)      /* of streams whose base is 1 */
#define EDGES_VERSION_BASE_0 UINT32_C(1) /* of all others */
#define EDGES_BLOCK_MAGIC UINT32_C(0x314b4c42)   /* "BLK1" */
#define EDGES_TRAILER_MAGIC UINT32_C(0x31444e45) /* "END1" */

enum {
    EDGES_PREAMBLE_BYTES = 64, /* provenance follows, padded to a multiple of 8 */
    PREAMBLE_VERSION_AT = 8,
    PREAMBLE_DIRECTION_AT = 12,
    PREAMBLE_FLAGS_AT = 16,
    PREAMBLE_PROVENANCE_AT = 20, /* its length in bytes, padding included */
    PREAMBLE_RANDOM_N_AT = 24,
    PREAMBLE_RANDOM_SEED_AT = 32,
    PREAMBLE_BASE_AT = 40,
    PREAMBLE_RESERVED_AT = 44,
    PREAMBLE_TEXT_CRC_AT = 56,
    PREAMBLE_CRC_AT = 60,
    PREAMBLE_FLAG_RANDOMIZED = 1,

    EDGES_BLOCK_HEADER_BYTES = 24,
    BLOCK_MAGIC_AT = 0,
    BLOCK_COUNT_AT = 4,
    BLOCK_WIDTH_AT = 8,
    BLOCK_PAYLOAD_CRC_AT = 12,
    BLOCK_RESERVED_AT = 16,
    BLOCK_CRC_AT = 20,

    TRAILER_MAGIC_AT = 0,
    TRAILER_RESERVED_AT = 4,
    TRAILER_EDGES_AT = 8,
    TRAILER_LOOPS_AT = 16,
    TRAILER_N_AT = 24,
    TRAILER_MAX_ID_AT = 32,
    TRAILER_CHECKSUM_AT = 40,
    TRAILER_RESERVED_TOO_AT = 48,
    TRAILER_CRC_AT = 60
};

uint32_t edges_crc(const void *bytes, size_t count);

#endif
