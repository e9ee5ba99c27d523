/* write_graph.c: see write_graph.h */
#include "write_graph.h"

#include "sg_build.h"

#include "formats/base/bytes.h"
#include "tools/spill/unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_LINE_BYTES = 2 * 20 + 2, GRAPH500_BYTES = 12 };

struct graph_writer {
    enum output_format format;
    struct outfile *out; /* not owned; NULL for a spool */
    enum edges_direction direction;
    struct edges_writer *edges;
    struct sg_build *sg;
    int spool_fd;
    char *spool_name; /* its folder, for messages */
};

int output_format_named(const char *name, enum output_format *format)
{
    static const char *const names[] = {
        [OUTPUT_EDGES] = "edges", [OUTPUT_TEXT] = "text",         [OUTPUT_U32] = "u32",
        [OUTPUT_U64] = "u64",     [OUTPUT_GRAPH500] = "graph500",
        [OUTPUT_SG] = "sg",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            *format = (enum output_format)i;
            return 0;
        }
    }
    return -1;
}

static struct graph_writer *new_writer(enum output_format format, struct error *e)
{
    struct graph_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        fail_memory(e, "graph writer", sizeof *writer);
        return NULL;
    }
    writer->format = format;
    writer->spool_fd = -1;
    return writer;
}

enum status graph_writer_open(struct graph_writer **result, enum output_format format,
                              struct outfile *out, const struct edges_info *info,
                              struct workspace *space, struct error *e)
{
    *result = NULL;
    if (format == OUTPUT_SG && !outfile_seekable(out))
        return fail(e, ST_USAGE,
                    "%s: -t sg needs a regular file (-o FILE): its head is written last",
                    outfile_name(out));
    struct graph_writer *writer = new_writer(format, e);
    if (writer == NULL)
        return e->status;
    writer->out = out;
    writer->direction = info->direction;
    if (format == OUTPUT_EDGES)
        edges_writer_open(&writer->edges, out, info, e);
    else if (format == OUTPUT_SG)
        sg_build_open(&writer->sg, space, e);
    if (e->status != ST_OK) {
        graph_writer_free(writer);
        return e->status;
    }
    *result = writer;
    return ST_OK;
}

enum status graph_writer_open_spool(struct graph_writer **result, const char *folder,
                                    struct error *e)
{
    *result = NULL;
    struct graph_writer *writer = new_writer(OUTPUT_SPOOL, e);
    if (writer == NULL)
        return e->status;
    writer->spool_name = strdup(folder);
    if (writer->spool_name == NULL)
        fail_memory(e, folder, strlen(folder));
    else if ((writer->spool_fd = unnamed_file(folder)) < 0)
        fail_errno(e, folder, "cannot create a temporary file in it");
    if (e->status != ST_OK) {
        graph_writer_free(writer);
        return e->status;
    }
    *result = writer;
    return ST_OK;
}

int graph_writer_spool_fd(struct graph_writer *writer)
{
    int fd = writer->spool_fd;
    writer->spool_fd = -1;
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

void graph_writer_free(struct graph_writer *writer)
{
    if (writer == NULL)
        return;
    edges_writer_free(writer->edges);
    sg_build_close(writer->sg);
    if (writer->spool_fd >= 0)
        close(writer->spool_fd);
    free(writer->spool_name);
    free(writer);
}

size_t graph_writer_granule(const struct graph_writer *writer)
{
    return writer->format == OUTPUT_EDGES ? EDGES_BLOCK_EDGES : 1;
}

/* ---- encoding ---- */

static enum status reserve_bytes(struct encoded *encoded, size_t bytes, struct error *e)
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

static enum status reserve_blocks(struct encoded *encoded, size_t count, struct error *e)
{
    if (count <= encoded->block_capacity)
        return ST_OK;
    struct edges_block *grown = realloc(encoded->blocks, count * sizeof *grown);
    if (grown == NULL)
        return fail_memory(e, "output blocks", count * sizeof *grown);
    encoded->blocks = grown;
    for (; encoded->block_capacity < count; encoded->block_capacity++) {
        if (edges_block_init(&grown[encoded->block_capacity], EDGES_BLOCK_EDGES, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

static enum status encode_blocks(const struct graph_writer *writer, struct encoded *encoded,
                                 const struct edge *edges, size_t count, struct error *e)
{
    size_t blocks = (count + EDGES_BLOCK_EDGES - 1) / EDGES_BLOCK_EDGES;
    if (reserve_blocks(encoded, blocks, e) != ST_OK)
        return e->status;
    for (size_t i = 0; i < blocks; i++) {
        size_t first = i * EDGES_BLOCK_EDGES, left = count - first;
        edges_encode_block(&encoded->blocks[i], writer->direction, edges + first,
                           left < EDGES_BLOCK_EDGES ? left : EDGES_BLOCK_EDGES);
    }
    encoded->block_count = blocks;
    return ST_OK;
}

/* The eight decimal digits of x < 10^8 as digit values, the first in the lowest byte: x is halved
 * into 4, then 2, then 1 digits a lane, all lanes at once. */
static inline uint64_t split_digits(uint64_t x)
{
    uint64_t high = x / 10000, halves = high | (x - high * 10000) << 32;
    uint64_t hundreds = ((halves * 10486) >> 20) & UINT64_C(0x0000007f0000007f);
    uint64_t quarters = hundreds + ((halves - 100 * hundreds) << 16);
    uint64_t tens = ((quarters * 103) >> 10) & UINT64_C(0x000f000f000f000f);
    return tens + ((quarters - 10 * tens) << 8);
}

static inline char *put_digits(char *p, uint64_t digits)
{
    digits |= UINT64_C(0x3030303030303030);
    memcpy(p, &digits, 8);
    return p + 8;
}

/* Writes up to 8 bytes more than the number has digits. */
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

static enum status encode_text(struct encoded *encoded, const struct edge *edges, size_t count,
                               struct error *e)
{
    if (reserve_bytes(encoded, count * LONGEST_LINE_BYTES + 8, e) != ST_OK)
        return e->status;
    char *start = (char *)encoded->bytes, *p = start;
    for (size_t i = 0; i < count; i++) {
        p = put_number(p, edges[i].u);
        *p++ = '\t';
        p = put_number(p, edges[i].v);
        *p++ = '\n';
    }
    encoded->size = (size_t)(p - start);
    return ST_OK;
}

/* Pairs of u32, whose ids must be at most `most`. */
static enum status encode_u32(struct encoded *encoded, const struct edge *edges, size_t count,
                              uint64_t most, const char *remedy, struct error *e)
{
    uint64_t largest = 0;
    if (reserve_bytes(encoded, 8 * count, e) != ST_OK)
        return e->status;
    for (size_t i = 0; i < count; i++) {
        put_u32(encoded->bytes + 8 * i, (uint32_t)edges[i].u);
        put_u32(encoded->bytes + 8 * i + 4, (uint32_t)edges[i].v);
        uint64_t larger = edges[i].u > edges[i].v ? edges[i].u : edges[i].v;
        largest = larger > largest ? larger : largest;
    }
    encoded->size = 8 * count;
    if (largest <= most)
        return ST_OK;
    size_t i = 0;
    while (edges[i].u <= most && edges[i].v <= most)
        i++;
    return fail(e, ST_BAD_DATA, "edge %llu %llu: its ids do not fit %s",
                (unsigned long long)edges[i].u, (unsigned long long)edges[i].v, remedy);
}

static enum status encode_u64(struct encoded *encoded, const struct edge *edges, size_t count,
                              struct error *e)
{
    if (reserve_bytes(encoded, 16 * count, e) != ST_OK)
        return e->status;
    if (count > 0)
        memcpy(encoded->bytes, edges, 16 * count);
    encoded->size = 16 * count;
    return ST_OK;
}

static enum status encode_graph500(struct encoded *encoded, const struct edge *edges, size_t count,
                                   struct error *e)
{
    if (reserve_bytes(encoded, GRAPH500_BYTES * count, e) != ST_OK)
        return e->status;
    for (size_t i = 0; i < count; i++) {
        unsigned char *record = encoded->bytes + GRAPH500_BYTES * i;
        uint64_t u = edges[i].u, v = edges[i].v;
        put_u32(record, (uint32_t)u);
        put_u32(record + 4, (uint32_t)v);
        put_u32(record + 8, (uint32_t)(u >> 32 | v >> 32 << 16));
    }
    encoded->size = GRAPH500_BYTES * count;
    return ST_OK;
}

enum status graph_writer_encode(const struct graph_writer *writer, struct encoded *encoded,
                                const struct edge *edges, size_t count, struct error *e)
{
    switch (writer->format) {
    case OUTPUT_EDGES: return encode_blocks(writer, encoded, edges, count, e);
    case OUTPUT_TEXT: return encode_text(encoded, edges, count, e);
    case OUTPUT_U32:
        return encode_u32(encoded, edges, count, UINT32_MAX, "32 bits: use -t u64", e);
    case OUTPUT_SG:
        return encode_u32(encoded, edges, count, SG_MAX_VERTICES - 1,
                          "the 31 bits of an .sg file: --compact may help", e);
    case OUTPUT_U64: return encode_u64(encoded, edges, count, e);
    case OUTPUT_GRAPH500:
    case OUTPUT_SPOOL: return encode_graph500(encoded, edges, count, e);
    }
    return ST_OK;
}

/* ---- writing ---- */

static enum status write_spool(const struct graph_writer *writer, const struct encoded *encoded,
                               struct error *e)
{
    size_t sent = 0;
    while (sent < encoded->size) {
        ssize_t done = write(writer->spool_fd, encoded->bytes + sent, encoded->size - sent);
        if (done < 0 && errno != EINTR)
            return fail_errno(e, writer->spool_name, "cannot write the temporary file");
        sent += done > 0 ? (size_t)done : 0;
    }
    return ST_OK;
}

enum status graph_writer_put(struct graph_writer *writer, const struct encoded *encoded,
                             struct error *e)
{
    if (writer->format == OUTPUT_SPOOL)
        return write_spool(writer, encoded, e);
    if (writer->format == OUTPUT_SG)
        return sg_build_add(writer->sg, encoded->bytes, encoded->size / 8, e);
    if (writer->format != OUTPUT_EDGES)
        return encoded->size == 0 ? ST_OK
                                  : outfile_write(writer->out, encoded->bytes, encoded->size, e);
    for (size_t i = 0; i < encoded->block_count; i++) {
        if (edges_writer_put(writer->edges, &encoded->blocks[i], e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

enum status graph_writer_finish(struct graph_writer *writer, uint64_t n, struct error *e)
{
    if (writer->format == OUTPUT_EDGES)
        return edges_writer_finish(writer->edges, n, NULL, e);
    if (writer->format == OUTPUT_SG)
        return sg_build_finish(writer->sg, writer->out, writer->direction, n, e);
    return ST_OK;
}

uint64_t graph_writer_dropped(const struct graph_writer *writer)
{
    return writer->format == OUTPUT_SG ? sg_build_dropped(writer->sg) : 0;
}
