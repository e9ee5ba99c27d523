/* edge_encode.h: encodes edges in one of edgeconv's output formats.
 *
 *   edges     blocks of an edge stream (formats/edges/edges.h), whose writer adds the preamble and trailer
 *   text      "u<TAB>v" lines in decimal, as SNAP and WDC have them
 *   graph500  12-byte records of the Graph500 benchmark's file: u32 low bits of u, u32 low bits of
 *             v, u32 with bits 32..47 of u below those of v
 *   u32, u64  pairs of little-endian integers
 *   sg        pairs of u32, from which edgeconv builds a serialised graph (tools/convert/write/sg_build.h)
 *
 * Any thread may encode edges into a buffer of its own; the buffers are written in order.
 */
#ifndef DBFS_EDGE_ENCODE_H
#define DBFS_EDGE_ENCODE_H

#include "formats/edges/edges.h"
#include "formats/result_name.h"

#include <stddef.h>
#include <stdint.h>

enum edge_format {
    EDGE_FORMAT_EDGES,
    EDGE_FORMAT_TEXT,
    EDGE_FORMAT_GRAPH500,
    EDGE_FORMAT_U32,
    EDGE_FORMAT_U64,
    EDGE_FORMAT_SG
};

/* The names of the formats but the last, in order, as the words of an option. */
#define EDGE_FORMAT_WORDS "edges|text|graph500|u32|u64"
const char *edge_format_name(enum edge_format format);

/* What a file of this format is, for the check of its name (formats/result_name.h). */
enum result_content edge_format_content(enum edge_format format);

/* The limit of this format: all ids must be below it. */
uint64_t edge_format_id_limit(enum edge_format format);

/* A buffer of encoded edges. It is used again and again and never shrinks. */
struct encoded_edges {
    unsigned char *bytes;
    size_t size, capacity;
    struct edges_block *blocks; /* for EDGE_FORMAT_EDGES, instead of bytes */
    size_t block_count, block_capacity;
};

void encoded_edges_free(struct encoded_edges *encoded); /* a zeroed buffer is allowed */

/* Encodes edges, whose ids must be below the format's limit. Fails only when memory is short. Only EDGE_FORMAT_EDGES uses
 * `direction`, and makes blocks: one for every EDGES_BLOCK_EDGES edges. Only EDGE_FORMAT_TEXT uses `base`, the id by which people
 * call vertex 0: the lines have their ids. */
enum status edge_encode(enum edge_format format, enum edges_direction direction, uint64_t base,
                        const struct edge *edges, size_t count, struct encoded_edges *encoded,
                        struct error *e);

/* Writes blocks to `writer`, bytes to `out`. */
enum status encoded_edges_write(const struct encoded_edges *encoded, struct edges_writer *writer,
                                struct outfile *out, struct error *e);

#endif
