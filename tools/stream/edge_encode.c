/* edge_encode.c: see edge_encode.h */
#include "edge_encode.h"

#include "formats/base/bytes.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_ID_DIGITS = 15, /* 2^48 - 1 has 15 */
    LINE_BYTES = 2 * MAX_ID_DIGITS + 2,
    DIGITS_BYTES = 8, /* bytes that put_number may write behind a number */
    GRAPH500_BYTES = 12
};

static const struct {
    const char *name;
    size_t edge_bytes; /* the most that one edge takes */
    uint64_t id_limit;
    enum result_content content;
} formats[] = {
    [EDGE_FORMAT_EDGES] = {"edges", 0, DBFS_MAX_VERTICES, RESULT_IS_STREAM},
    [EDGE_FORMAT_TEXT] = {"text", LINE_BYTES, DBFS_MAX_VERTICES, RESULT_IS_TABS},
    [EDGE_FORMAT_GRAPH500] = {"graph500", GRAPH500_BYTES, DBFS_MAX_VERTICES, RESULT_IS_NUMBERS},
    [EDGE_FORMAT_U32] = {"u32", 8, UINT64_C(1) << 32, RESULT_IS_NUMBERS},
    [EDGE_FORMAT_U64] = {"u64", 16, DBFS_MAX_VERTICES, RESULT_IS_NUMBERS},
    [EDGE_FORMAT_SG] = {"sg", 8, INT32_MAX, RESULT_IS_SG},
};

const char *edge_format_name(enum edge_format format)
{
    return formats[format].name;
}

enum result_content edge_format_content(enum edge_format format)
{
    return formats[format].content;
}

uint64_t edge_format_id_limit(enum edge_format format)
{
    return formats[format].id_limit;
}

void encoded_edges_free(struct encoded_edges *encoded)
{
    for (size_t i = 0; i < encoded->block_capacity; i++)
        edges_block_free(&encoded->blocks[i]);
    free(encoded->blocks);
    free(encoded->bytes);
    memset(encoded, 0, sizeof *encoded);
}

/* ---- blocks ---- */

static enum status reserve_blocks(struct encoded_edges *encoded, size_t count, struct error *e)
{
    if (count <= encoded->block_capacity)
        return ST_OK;
    struct edges_block *grown = realloc(encoded->blocks, count * sizeof *grown);
    if (grown == NULL)
        return fail_memory(e, "output blocks", count * sizeof *grown);
    encoded->blocks = grown;
    for (; encoded->block_capacity < count; encoded->block_capacity++) {
        if (edges_block_init(&grown[encoded->block_capacity], e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* Encodes into encoded->blocks. */
static enum status encode_blocks(enum edges_direction direction, const struct edge *edges,
                                 size_t count, struct encoded_edges *encoded, struct error *e)
{
    size_t blocks = (count + EDGES_BLOCK_EDGES - 1) / EDGES_BLOCK_EDGES;
    if (reserve_blocks(encoded, blocks, e) != ST_OK)
        return e->status;
    for (size_t i = 0; i < blocks; i++) {
        size_t first = i * EDGES_BLOCK_EDGES, left = count - first;
        edges_encode_block(&encoded->blocks[i], direction, edges + first,
                           left < EDGES_BLOCK_EDGES ? left : EDGES_BLOCK_EDGES);
    }
    encoded->block_count = blocks;
    return ST_OK;
}

/* ---- text ---- */

/* Returns the eight decimal digits of x < 10^8 as a byte each, the first digit in the lowest byte. x is split into halves of 4
 * digits, then 2, then 1, all lanes of the word at once. */
static inline uint64_t split_digits(uint64_t x)
{
    uint64_t high = x / 10000, halves = high | (x - high * 10000) << 32;
    uint64_t hundreds = ((halves * 10486) >> 20) & UINT64_C(0x0000007f0000007f);
    uint64_t quarters = hundreds + ((halves - 100 * hundreds) << 16);
    uint64_t tens = ((quarters * 103) >> 10) & UINT64_C(0x000f000f000f000f);
    return tens + ((quarters - 10 * tens) << 8);
}

/* Writes eight digits, a byte each, as characters, and returns their end. */
static inline char *put_digits(char *p, uint64_t digits)
{
    digits |= UINT64_C(0x3030303030303030);
    memcpy(p, &digits, 8);
    return p + 8;
}

/* Writes a number in decimal and returns its end. Up to DIGITS_BYTES bytes behind the digits are overwritten. */
static inline char *put_number(char *p, uint64_t x)
{
    const uint64_t eight = 100000000;
    uint64_t rest = x / eight;
    if (__builtin_expect(rest > 0, 0))
        return put_digits(put_number(p, rest), split_digits(x - rest * eight));
    uint64_t digits = split_digits(x);
    /* the last digit stays, though it be 0 */
    unsigned zeros = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) >> 3;
    digits = (digits | UINT64_C(0x3030303030303030)) >> (8 * zeros);
    memcpy(p, &digits, 8);
    return p + 8 - zeros;
}

/* Writes a line for each edge and returns the bytes written. */
static size_t encode_text(uint64_t base, const struct edge *edges, size_t count, unsigned char *bytes)
{
    char *start = (char *)bytes, *p = start;
    for (size_t i = 0; i < count; i++) {
        p = put_number(p, edges[i].u + base);
        *p++ = '\t';
        p = put_number(p, edges[i].v + base);
        *p++ = '\n';
    }
    return (size_t)(p - start);
}

/* ---- records ---- */

/* Writes records of 12 bytes: the lower 32 bits of u and of v, then the upper 16 of both. */
static void encode_graph500(const struct edge *edges, size_t count, unsigned char *bytes)
{
    for (size_t i = 0; i < count; i++, bytes += GRAPH500_BYTES) {
        uint64_t u = edges[i].u, v = edges[i].v;
        put_u32(bytes, (uint32_t)u);
        put_u32(bytes + 4, (uint32_t)v);
        put_u32(bytes + 8, (uint32_t)(u >> 32 | v >> 32 << 16));
    }
}

static void encode_u32(const struct edge *edges, size_t count, unsigned char *bytes)
{
    for (size_t i = 0; i < count; i++, bytes += 8) {
        put_u32(bytes, (uint32_t)edges[i].u);
        put_u32(bytes + 4, (uint32_t)edges[i].v);
    }
}

/* Makes room; what the buffer had is lost. */
static enum status reserve_bytes(struct encoded_edges *encoded, size_t bytes, struct error *e)
{
    if (bytes <= encoded->capacity)
        return ST_OK;
    free(encoded->bytes);
    encoded->capacity = 0;
    encoded->bytes = malloc(bytes);
    if (encoded->bytes == NULL)
        return fail_memory(e, "output buffer", bytes);
    encoded->capacity = bytes;
    return ST_OK;
}

/* Encodes edges in a format, in place of what `encoded` had. */
enum status edge_encode(enum edge_format format, enum edges_direction direction, uint64_t base,
                        const struct edge *edges, size_t count, struct encoded_edges *encoded,
                        struct error *e)
{
    size_t most = count * formats[format].edge_bytes;
    if (format == EDGE_FORMAT_EDGES)
        return encode_blocks(direction, edges, count, encoded, e);
    if (reserve_bytes(encoded, most + DIGITS_BYTES, e) != ST_OK)
        return e->status;
    encoded->size = most;
    switch (format) {
    case EDGE_FORMAT_EDGES: break;
    case EDGE_FORMAT_TEXT: encoded->size = encode_text(base, edges, count, encoded->bytes); break;
    case EDGE_FORMAT_GRAPH500: encode_graph500(edges, count, encoded->bytes); break;
    case EDGE_FORMAT_U32:
    case EDGE_FORMAT_SG: encode_u32(edges, count, encoded->bytes); break;
    case EDGE_FORMAT_U64:
        if (count > 0)
            memcpy(encoded->bytes, edges, most);
        break;
    }
    return ST_OK;
}

/* ---- writing ---- */

enum status encoded_edges_write(const struct encoded_edges *encoded, struct edges_writer *writer,
                                struct outfile *out, struct error *e)
{
    if (writer == NULL)
        return outfile_write(out, encoded->bytes, encoded->size, e);
    for (size_t i = 0; i < encoded->block_count; i++) {
        if (edges_writer_put(writer, &encoded->blocks[i], e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}
