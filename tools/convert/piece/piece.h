/* piece.h: the unit of work in edgeconv's pipeline. A piece first holds a part of an input, then the edges of that part, then
 * the bytes to be written. It is used again for later parts; its buffers never shrink. */
#ifndef DBFS_PIECE_H
#define DBFS_PIECE_H

#include "tools/stream/edge_encode.h"

#include "formats/edges/edges.h"
#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum {
    PIECE_BYTES = 1 << 20, /* of input in a piece; more if one line is longer */
    PART_BYTES = 1 << 17,  /* loaded from a file at once; so little stays in the core's cache */
    PIECE_PADDING = 64     /* readable bytes after the text, so that scans may look ahead */
};

/* The place where parsing stopped, and the word that it expected there. */
struct fault {
    const char *at; /* NULL: none */
    uint64_t line;  /* lines of the piece before this one */
    const char *expected;
};

/* The counts of parsing. */
struct piece_tally {
    uint64_t lines;
    uint64_t comments; /* of lists */
    uint64_t signed_rows; /* of CSV: rows that could be comments */
    uint64_t entries; /* edges, counted as the header of the format counts them */
    uint64_t beyond;  /* smallest n above all vertices that are named without an edge */
    uint64_t unreadable_lists[2]; /* adjacency: private, not found */
    uint64_t above, below;        /* entries with u < v, u > v, and hashes of the unordered pairs */
    uint64_t above_hash, below_hash;
};

/* The part of the input that a piece has: bytes [range_begin, range_end) and, once loaded, their text or records. */
struct piece_input {
    uint64_t range_begin, range_end;
    char *buffer;
    size_t buffer_bytes; /* without the padding */
    uint64_t buffer_at;  /* lines.c: offset of buffer[0] in the input */
    size_t have, used;   /* lines.c: bytes in the buffer; those of them already given out */
    char *text;          /* in buffer: the lines to parse */
    size_t text_bytes;
    uint64_t first_row; /* METIS: data lines before the piece */
    int unterminated;   /* the last line had no newline, so one was added to the text */
    struct edges_block block;
};

struct piece {
    struct piece_input in;
    struct edge *room; /* EDGES_BLOCK_EDGES free places, then the edges of this piece */
    size_t room_edges;
    struct edge *edges;
    size_t count;
    struct edges_totals totals; /* of the edges as they are written, and */
    uint64_t balance;           /* their edges_tally_balance */
    char *names;    /* names of the vertices; u and v are then places in it: names.h */
    size_t names_bytes, names_capacity;
    struct fault fault;
    struct piece_tally tally;

    struct encoded_edges encoded;
    uint64_t input_bytes; /* bytes of input that this piece covers; for progress */
};

void piece_free(struct piece *piece);

/* Makes room for `bytes` of text and the padding behind it. The buffer keeps its content. */
enum status piece_reserve_text(struct piece *piece, size_t bytes, struct error *e);

/* Removes all edges, clears the fault and the tally, and makes room for `count` edges, behind free places for piece_prepend. */
enum status piece_clear_edges(struct piece *piece, size_t count, struct error *e);

/* Makes room for `count` more edges, after the present ones. */
enum status piece_extend_edges(struct piece *piece, size_t count, struct error *e);

/* Inserts up to EDGES_BLOCK_EDGES edges before the piece's own edges. */
void piece_prepend(struct piece *piece, const struct edge *edges, size_t count);

void piece_tally_merge(struct piece_tally *into, const struct piece_tally *from);

#endif
