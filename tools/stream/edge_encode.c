/* edge_encode.c: see edge_encode.h */
#include "edge_encode.h"

#include "formats/base/bytes.h"

#include <string.h>

enum {
    MAX_ID_DIGITS = 15, /* 2^48 - 1 has 15 */
    TEXT_MAX_BYTES = 2 * MAX_ID_DIGITS + 2,
    GRAPH500_BYTES = 12
};

static const char *const names[] = {"edges", "text", "graph500", "u32", "u64"};

int edge_format_parse(const char *name, enum edge_format *format)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            *format = (enum edge_format)i;
            return 0;
        }
    }
    return -1;
}

const char *edge_format_name(enum edge_format format)
{
    return names[format];
}

uint64_t edge_format_id_limit(enum edge_format format)
{
    return format == EDGE_FORMAT_U32 ? UINT64_C(1) << 32 : DBFS_MAX_VERTICES;
}

size_t edge_format_max_bytes(enum edge_format format)
{
    switch (format) {
    case EDGE_FORMAT_EDGES: return 0;
    case EDGE_FORMAT_TEXT: return TEXT_MAX_BYTES;
    case EDGE_FORMAT_GRAPH500: return GRAPH500_BYTES;
    case EDGE_FORMAT_U32: return 8;
    case EDGE_FORMAT_U64: return 16;
    }
    return 0;
}

/* Two digits at a time from the last; returns the place after the number. */
static unsigned char *put_decimal(unsigned char *p, uint64_t x)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    unsigned char digits[MAX_ID_DIGITS + 1], *end = digits + sizeof digits, *q = end;
    while (x >= 100) {
        q -= 2;
        memcpy(q, pairs + 2 * (x % 100), 2);
        x /= 100;
    }
    q -= 2;
    memcpy(q, pairs + 2 * x, 2);
    q += x < 10;
    memcpy(p, q, (size_t)(end - q));
    return p + (end - q);
}

static size_t encode_text(const struct edge *edges, size_t count, unsigned char *bytes)
{
    unsigned char *p = bytes;
    for (size_t i = 0; i < count; i++) {
        p = put_decimal(p, edges[i].u);
        *p++ = '\t';
        p = put_decimal(p, edges[i].v);
        *p++ = '\n';
    }
    return (size_t)(p - bytes);
}

static size_t encode_graph500(const struct edge *edges, size_t count, unsigned char *bytes)
{
    for (size_t i = 0; i < count; i++, bytes += GRAPH500_BYTES) {
        uint64_t u = edges[i].u, v = edges[i].v;
        put_u32(bytes, (uint32_t)u);
        put_u32(bytes + 4, (uint32_t)v);
        put_u32(bytes + 8, (uint32_t)(u >> 32 & 0xffff) | (uint32_t)(v >> 32 << 16));
    }
    return GRAPH500_BYTES * count;
}

static size_t encode_u32(const struct edge *edges, size_t count, unsigned char *bytes)
{
    for (size_t i = 0; i < count; i++, bytes += 8) {
        put_u32(bytes, (uint32_t)edges[i].u);
        put_u32(bytes + 4, (uint32_t)edges[i].v);
    }
    return 8 * count;
}

size_t edge_encode(enum edge_format format, const struct edge *edges, size_t count,
                   unsigned char *bytes)
{
    switch (format) {
    case EDGE_FORMAT_EDGES: break;
    case EDGE_FORMAT_TEXT: return encode_text(edges, count, bytes);
    case EDGE_FORMAT_GRAPH500: return encode_graph500(edges, count, bytes);
    case EDGE_FORMAT_U32: return encode_u32(edges, count, bytes);
    case EDGE_FORMAT_U64: memcpy(bytes, edges, 16 * count); return 16 * count;
    }
    return 0;
}
