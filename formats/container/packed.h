/* packed.h: arrays of 4- or 8-byte integers in blocks of 128, each of which decodes alone.
 *
 * This is encoding 1 of a section. Threads (and warps) may decode the blocks in any order. To decode a block
 * they need its entry in the directory and its own bits. For the columns of a CSR they also need the row
 * offsets and the last head column, which are decoded before. All numbers are little-endian. Elements and
 * sums are modulo 2^(8 * width), where width is the element width of the section table (4 or 8). With
 * blocks = ceil(count / 128) and groups = ceil(blocks / 4096), a section is
 *
 *   words  of 4 bytes: the blocks' bits, block after block; then 4 bytes of zeros where the number
 *          of words is odd
 *   group  groups + 1 of 8 bytes: position of block 4096 * g, in words from the start of the
 *          section; last the number of words
 *   base   blocks of `width` bytes
 *   entry  blocks of 4 bytes: low 24 bits, the block's position in words from that of its group;
 *          high 8 bits, its kind
 *
 * A section of count 0 has no bytes. A block ends where the next one begins, the last one with the
 * words. Bit i of a block is bit i mod 32 of its word i / 32. The last block is filled up to 128
 * elements with codes of 0. The kind says how element i of a block, 0 <= i < 128, is found:
 *
 *   0 to 8 * width: a frame. With b = kind, the b bits from bit i * b on are a code, and
 *         element(i) = base + code(i).
 *     The block has 4 * b words.
 *
 *   0x80 + l: gaps, kept as their sums. With code(0) = 0, code(i) = element(i) - element(i-1) - 1
 *     and S(i) = code(0) + ... + code(i),
 *         element(i) = base + S(i) + i,
 *     so that base is element 0. S ascends and is kept as Elias and Fano do: its l low bits from
 *     bit i * l on; then, from word 4 * l on, a bit vector in which bit (S(i) >> l) + i is set for
 *     each i and no other. l is at most 31 for width 4 and 56 for width 8; the vector has at most
 *     12 words, and none where every S(i) is 0.
 *     In the columns of a CSR a row's first stored element, where it is not the block's first, has
 *     code(i) = element(i) - start instead, with start = the row's last head + 1, or 0 where there
 *     are no heads. So in a row that begins at place a > 0 of the block
 *         element(i) = start + S(i) - S(a-1) + i - a.
 *
 *   0xC0 + l: the same for elements that may repeat: code(i) = element(i) - element(i-1),
 *         element(i) = base + S(i), and in a row that begins at a, start + S(i) - S(a-1).
 *
 * The encoder uses gaps only if they save more than a thirty-second of the words, because frames decode
 * faster. It uses the least l for which S(127) >> l is at most 255; this l also gives the shortest block. The
 * base of a frame is the least element. If codes would then need all bits, 2^(8 * width) - 1 counts as -1 in
 * finding the least, so that HEAD_NONE does not widen a block of heads.
 */
#ifndef DBFS_PACKED_H
#define DBFS_PACKED_H

#include "formats/base/memory.h"
#include "formats/base/status.h"

#include <stdint.h>

enum { PACKED_BLOCK = 128 };

static inline uint64_t packed_blocks(uint64_t count)
{
    return count / PACKED_BLOCK + (count % PACKED_BLOCK != 0);
}

/* The rows whose columns are encoded. */
struct packed_rows {
    uint64_t rows;
    const void *offsets;   /* [rows + 1] */
    uint32_t offset_width; /* 4 or 8 */
    const uint32_t *heads; /* [rows], the last head column; NULL when there is none */
};

/* ---- decoding ---- */

/* A packed section in place. */
struct packed {
    uint32_t width;
    uint64_t count, blocks, words;
    const unsigned char *bits, *group, *base, *entry;
};

/* Opens a packed section of `size` bytes. ST_BAD_DATA, with `what` in the message, if the size does not fit `width` and
 * `count`. The caller keeps the bytes. */
enum status packed_open(struct packed *packed, const void *bytes, uint64_t size, uint32_t width,
                        uint64_t count, const char *what, struct error *e);

/* Decodes blocks `first` to last - 1, of 128 elements each, to their places in `array`, which has room for the whole section.
 * `rows` is NULL, except for the columns of a CSR. Any number of threads may decode different blocks.
 *
 * ST_BAD_DATA if a block cannot be decoded: its places then hold anything. Whatever the bytes and offsets are, nothing is
 * touched but the section, the places of the blocks, offsets[0..rows] and heads[0..rows-1]. The values are not checked.
 */
enum status packed_decode(const struct packed *packed, const struct packed_rows *rows,
                          uint64_t first, uint64_t last, void *array);

/* The same into an array that has only the places of these blocks. */
enum status packed_decode_piece(const struct packed *packed, const struct packed_rows *rows,
                                uint64_t first, uint64_t last, void *array);

/* Decodes all blocks, with `threads` threads. */
enum status packed_decode_all(const struct packed *packed, const struct packed_rows *rows, void *array, int threads);

/* Makes the directory through which searches read columns that stay packed (packed_row.h): sets place[i] for each block i.
 * ST_BAD_DATA if a block does not lie within the section. The bits of the blocks are not looked at. */
struct packed_place;
enum status packed_places(const struct packed *packed, struct packed_place *place, int threads);

/* ---- encoding ---- */

struct packed_block {
    uint64_t base;
    uint64_t words : 56; /* size of the block; in an encoder, the words before the block */
    uint64_t kind : 8;
};

/* Encodes `count` elements into `words` and returns the number of words. `words` has room for packed_most_words(width, count)
 * and may be the elements' own memory; `block` has room for ceil(count / 128). The result does not depend on `threads`.
 *
 * The elements may be only a piece of the columns of a CSR. Then `rows` has the rows of the piece, offsets count from the
 * piece's first element, and a row that begins before the piece has offset 0.
 */
uint64_t packed_encode_blocks(uint32_t width, const struct packed_rows *rows, const void *elements,
                              uint64_t count, uint32_t *words, struct packed_block *block,
                              int threads);
uint64_t packed_most_words(uint32_t width, uint64_t count);

/* Collects the directory of an array that is encoded in pieces, with 16 bytes for each block. The encoded words do not go
 * through the encoder: the caller writes them. */
struct packed_encoder {
    uint32_t width;
    struct memory_budget *budget;
    uint64_t count, words; /* so far */
    uint64_t blocks, capacity;
    struct packed_block *block;
};

void packed_encoder_init(struct packed_encoder *encoder, uint32_t width, struct memory_budget *budget);
void packed_encoder_free(struct packed_encoder *encoder);

/* Makes room for the directory of `count` elements at once, so that it need not grow while they are added. */
enum status packed_encoder_reserve(struct packed_encoder *encoder, uint64_t count, struct error *e);

/* Adds the next `count` elements to the directory. The caller has encoded them into block[] and `words` words. `count` is a
 * multiple of 128 in every call except the last, so that the section does not depend on how the array is cut into pieces. */
enum status packed_encoder_add(struct packed_encoder *encoder, uint64_t count,
                               const struct packed_block *block, uint64_t words, struct error *e);

/* Estimates the bytes that these elements would take when packed, from a sample of their blocks. */
uint64_t packed_estimate(uint32_t width, const void *elements, uint64_t count);

/* The size and the bytes of the directory, which follows the last words. */
uint64_t packed_directory_bytes(const struct packed_encoder *encoder);
void packed_directory(const struct packed_encoder *encoder, void *bytes);

#endif
