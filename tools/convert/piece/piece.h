/* piece.h: what travels through edgeconv's pipeline: a part of an input, then its edges, then the
 * bytes to be written. A piece is used again and again; its buffers only grow.
 */
#ifndef DBFS_PIECE_H
#define DBFS_PIECE_H

#include "tools/stream/edge_encode.h"

#include "formats/edges.h"
#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum {
    PIECE_BYTES = 1 << 20, /* of input in a piece, more where one line is longer */
    PART_BYTES = 1 << 17,  /* of a file loaded at once, to stay in the core's own cache */
    PIECE_PADDING = 64     /* readable bytes behind the text, so that scans may look ahead */
};

/* Where parsing stopped and what should have stood there. */
struct fault {
    const char *at; /* NULL: none */
    uint64_t line;  /* lines of the piece before this one */
    const char *expected;
};

/* What parsing counted. */
struct piece_tally {
    uint64_t lines;
    uint64_t entries; /* edges as the format counts them in its header */
    uint64_t beyond;  /* smallest n that holds the vertices named without an edge */
    uint64_t unreadable_lists[2]; /* adjacency: private, not found */
    uint64_t above, below;        /* entries with u < v, u > v, and hashes of the unordered pairs */
    uint64_t above_hash, below_hash;
};

/* What a piece is of its input: bytes [range_begin, range_end), and once loaded the text or records. */
struct piece_input {
    uint64_t range_begin, range_end;
    char *buffer;
    size_t buffer_bytes; /* without the padding */
    uint64_t buffer_at;  /* lines.c: byte of the input that buffer[0] is */
    size_t have, used;   /* lines.c: bytes in the buffer, and of them given out */
    char *text;          /* in buffer: the lines to parse */
    size_t text_bytes;
    uint64_t first_row; /* METIS: data lines before the piece */
    int unterminated;   /* the last line had no newline; the text has been given one */
    struct edges_block block;
};

struct piece {
    struct piece_input in;
    struct edge *room; /* EDGES_BLOCK_EDGES free places come before edges of this piece */
    size_t room_edges;
    struct edge *edges;
    size_t count;
    uint64_t bound; /* largest id + 1, where it was asked for */
    char *names;    /* of the edges, whose u and v are places in it then: names.h */
    size_t names_bytes, names_capacity;
    struct fault fault;
    struct piece_tally tally;

    struct encoded_edges encoded;
    uint64_t input_bytes; /* input that the piece stands for, for progress */
};

void piece_free(struct piece *piece);

/* Makes room for `bytes` of text and its padding; what the buffer holds is kept. */
enum status piece_reserve_text(struct piece *piece, size_t bytes, struct error *e);

/* Makes room for `count` edges, behind the free places, and sets edges and count to none; clears
 * fault and tally. */
enum status piece_reserve_edges(struct piece *piece, size_t count, struct error *e);

/* Makes room for `count` edges more, behind those that are there. */
enum status piece_extend_edges(struct piece *piece, size_t count, struct error *e);

/* Puts up to EDGES_BLOCK_EDGES edges in front of the piece's own. */
void piece_prepend(struct piece *piece, const struct edge *edges, size_t count);

void piece_tally_merge(struct piece_tally *into, const struct piece_tally *from);

#endif
