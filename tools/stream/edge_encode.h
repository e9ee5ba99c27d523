/* edge_encode.h: edges as the bytes of each output format that is a plain sequence of records.
 *
 *   text      "u<TAB>v" lines in decimal, as SNAP and WDC have them
 *   graph500  12-byte records of the Graph500 benchmark's file: u32 low bits of u, u32 low bits of
 *             v, u32 with bits 32..47 of u below those of v
 *   u32, u64  pairs of little-endian integers
 *
 * Edge streams (the format "edges") have blocks and a trailer: formats/edges.h writes them.
 */
#ifndef DBFS_EDGE_ENCODE_H
#define DBFS_EDGE_ENCODE_H

#include "formats/edges.h"

#include <stddef.h>
#include <stdint.h>

enum edge_format {
    EDGE_FORMAT_EDGES,
    EDGE_FORMAT_TEXT,
    EDGE_FORMAT_GRAPH500,
    EDGE_FORMAT_U32,
    EDGE_FORMAT_U64
};

/* "edges", "text", "graph500", "u32", "u64"; -1 for any other name. */
int edge_format_parse(const char *name, enum edge_format *format);
const char *edge_format_name(enum edge_format format);

/* Ids in this format are below this. */
uint64_t edge_format_id_limit(enum edge_format format);

/* The most bytes that one edge takes; 0 for EDGE_FORMAT_EDGES. */
size_t edge_format_max_bytes(enum edge_format format);

/* Encodes edges whose ids are below the format's limit, into room for the most bytes they can take.
 * Returns the bytes used. Not for EDGE_FORMAT_EDGES. */
size_t edge_encode(enum edge_format format, const struct edge *edges, size_t count,
                   unsigned char *bytes);

#endif
