/* mend.c: see mend.h */
#include "mend.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    PREAMBLE = 64, BLOCK_HEADER = 24, TRAILER = 64, /* streams */
    HEADER = 32, ENTRY = 48, MOST_SECTIONS = 64     /* containers */
};

uint32_t get_u32_at(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

uint64_t get_u64_at(const unsigned char *p)
{
    return get_u32_at(p) | (uint64_t)get_u32_at(p + 4) << 32;
}

void put_u32_at(unsigned char *p, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(value >> 8 * i);
}

void put_u64_at(unsigned char *p, uint64_t value)
{
    put_u32_at(p, (uint32_t)value);
    put_u32_at(p + 4, (uint32_t)(value >> 32));
}

static uint32_t crc_of(const unsigned char *p, size_t size)
{
    return (uint32_t)crc32_z(0, p, size);
}

/* ---- streams ---- */

struct tally {
    uint64_t edges, loops, most, checksum;
};

static uint64_t mix(uint64_t x)
{
    const uint64_t factor = UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= factor;
    x ^= x >> 32;
    x *= factor;
    return x ^ x >> 32;
}

static uint64_t pair_hash(uint64_t a, uint64_t b)
{
    return mix(a * UINT64_C(0x9fb21c651e98df25) + mix(b + UINT64_C(0xa0761d6478bd642f)));
}

static void tally_payload(struct tally *t, const unsigned char *p, uint32_t count, uint32_t width,
                          int undirected)
{
    for (uint32_t i = 0; i < count; i++, p += 2 * width) {
        uint64_t u = width == 4 ? get_u32_at(p) : get_u64_at(p);
        uint64_t v = width == 4 ? get_u32_at(p + 4) : get_u64_at(p + 8);
        t->edges++;
        t->loops += u == v;
        t->most = u > t->most ? u : t->most;
        t->most = v > t->most ? v : t->most;
        t->checksum += undirected && v < u ? pair_hash(v, u) : pair_hash(u, v);
    }
}

static void mend_trailer(unsigned char *p, const struct tally *t, int totals)
{
    if (totals) {
        put_u64_at(p + 8, t->edges);
        put_u64_at(p + 16, t->loops);
        if (get_u64_at(p + 24) <= t->most && t->edges > 0)
            put_u64_at(p + 24, t->most + 1);
        put_u64_at(p + 32, t->edges > 0 ? t->most : 0);
        put_u64_at(p + 40, t->checksum);
    }
    put_u32_at(p + 60, crc_of(p, 60));
}

void mend_edges(unsigned char *bytes, size_t size, int totals)
{
    struct tally tally = {0};
    if (size < PREAMBLE)
        return;
    uint32_t text = get_u32_at(bytes + 20);
    size_t at = PREAMBLE + (size_t)text;
    if (text <= size - PREAMBLE)
        put_u32_at(bytes + 56, crc_of(bytes + PREAMBLE, text));
    put_u32_at(bytes + 60, crc_of(bytes, 60));
    while (at < size && size - at >= BLOCK_HEADER) {
        unsigned char *p = bytes + at;
        uint32_t count = get_u32_at(p + 4), width = get_u32_at(p + 8);
        uint64_t payload = 2 * (uint64_t)count * width;
        if (get_u32_at(p) == 0x31444e45 && size - at >= TRAILER)
            mend_trailer(p, &tally, totals);
        if (get_u32_at(p) != 0x314b4c42)
            return;
        int whole = payload <= size - at - BLOCK_HEADER && (width == 4 || width == 8);
        if (whole)
            put_u32_at(p + 12, crc_of(p + BLOCK_HEADER, payload));
        put_u32_at(p + 20, crc_of(p, 20));
        if (!whole)
            return;
        tally_payload(&tally, p + BLOCK_HEADER, count, width, get_u32_at(bytes + 12) == 0);
        at += BLOCK_HEADER + (size_t)payload;
    }
}

/* ---- containers ---- */

unsigned char *container_entry(unsigned char *bytes, size_t size, uint32_t i)
{
    size_t at = HEADER + (size_t)ENTRY * i;
    if (size < HEADER || i >= get_u32_at(bytes + 12) || i >= MOST_SECTIONS || at + ENTRY > size)
        return NULL;
    return bytes + at;
}

void mend_container(unsigned char *bytes, size_t size)
{
    unsigned char *entry;
    uint32_t sections = 0;
    if (size < HEADER)
        return;
    for (; (entry = container_entry(bytes, size, sections)) != NULL; sections++) {
        uint64_t at = get_u64_at(entry + 16), length = get_u64_at(entry + 24);
        if (at <= size && length <= size - at)
            put_u32_at(entry + 12, crc_of(bytes + at, length));
    }
    put_u32_at(bytes + 24, crc_of(bytes + HEADER, (size_t)ENTRY * sections));
    put_u32_at(bytes + 28, crc_of(bytes, 28));
}

/* ---- lines ---- */

void mend_lines(unsigned char *bytes, size_t size)
{
    char line[16];
    size_t last = size > 0 ? size - 1 : 0;
    while (last > 0 && bytes[last - 1] != '\n')
        last--;
    snprintf(line, sizeof line, "crc %08" PRIx32 "\n", crc_of(bytes, last));
    if (size - last == strlen(line))
        memcpy(bytes + last, line, strlen(line));
}

/* The line keeps its length if the part's size has as many digits. Otherwise it cannot be changed in place. */
int mend_manifest(unsigned char *bytes, size_t size, unsigned part, const unsigned char *file,
                  size_t file_size)
{
    char key[32], line[80];
    snprintf(key, sizeof key, "\npart %u ", part);
    unsigned char *found = memmem(bytes, size, key, strlen(key));
    unsigned char *end = found != NULL ? memchr(found + 1, '\n', size - (size_t)(found + 1 - bytes)) : NULL;
    if (end == NULL || file_size < HEADER)
        return 0;
    int length = snprintf(line, sizeof line, "%s%zu %08" PRIx32, key, file_size,
                          get_u32_at(file + 24));
    if (length != end - found)
        return 0;
    memcpy(found, line, (size_t)length);
    mend_lines(bytes, size);
    return 1;
}

/* ---- any ---- */

enum file_kind mend_kind(const unsigned char *bytes, size_t size)
{
    if (size >= 8 && memcmp(bytes, "DBFSEDGE", 8) == 0)
        return KIND_EDGES;
    if (size >= 8 && (memcmp(bytes, "DBFSSPLT", 8) == 0 || memcmp(bytes, "DBFSSHRD", 8) == 0 ||
                      memcmp(bytes, "DBFSGRID", 8) == 0))
        return KIND_CONTAINER;
    return size >= 5 && memcmp(bytes, "dbfs-", 5) == 0 ? KIND_LINES : KIND_OTHER;
}

void mend(unsigned char *bytes, size_t size)
{
    switch (mend_kind(bytes, size)) {
    case KIND_EDGES: mend_edges(bytes, size, 1); break;
    case KIND_CONTAINER: mend_container(bytes, size); break;
    case KIND_LINES: mend_lines(bytes, size); break;
    default: break;
    }
}
