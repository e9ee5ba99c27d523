/* edges.h: the edge stream, the format in which the tools pass edges to each other, in pipes and in files.
 *
 * A stream is a preamble, blocks of edges with a CRC each, and a trailer with totals (SPEC-edges.md). A stream without
 * a trailer is an error, so that the death of its writer never makes a smaller graph. Blocks are read and written one
 * after the other, but any thread may encode or decode one. edges_scan.h reads a whole stream with all threads.
 */
#ifndef DBFS_EDGES_H
#define DBFS_EDGES_H

#include "formats/base/byte_source.h"
#include "formats/base/outfile.h"
#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

struct edge {
    uint64_t u, v;
};

enum {
    EDGES_BLOCK_EDGES = 32768,        /* our writer: edges in every block except the last */
    EDGES_MAX_BLOCK_EDGES = 1 << 20,  /* the most that a reader accepts */
    EDGES_MAX_PROVENANCE_BYTES = 4096, /* the terminating NUL included */
    EDGES_MAX_PREAMBLE_BYTES = 64 + EDGES_MAX_PROVENANCE_BYTES
};

#define DBFS_MAX_VERTICES (UINT64_C(1) << 48) /* ids are below this everywhere in dbfs */

enum edges_direction {
    EDGES_UNDIRECTED_ONCE = 0, /* each undirected edge once, in either orientation */
    EDGES_SYMMETRIC = 1,       /* both directions of each edge */
    EDGES_DIRECTED = 2         /* arcs */
};

const char *edges_direction_name(enum edges_direction direction);

/* What people call the first vertex of a graph (edges_info.base): what its streams, or the shards made of them, say; or 0 or 1,
 * whatever these say (--base). */
enum base_choice { BASE_OF_STREAMS, BASE_0, BASE_1 };

/* The content of the preamble. */
struct edges_info {
    enum edges_direction direction;
    int randomized;           /* ids were permuted by the bijection of (random_n, random_seed) */
    uint64_t random_n, random_seed;
    uint32_t base; /* 0 or 1: what people call the first vertex. The ids of the edges count from 0 in any case */
    char provenance[EDGES_MAX_PROVENANCE_BYTES]; /* text: only facts that determine the content */
};

/* The totals of a stream, as in its trailer. The checksum does not depend on the order of the edges, nor, in an
 * undirected-once stream, on the order of their two ends. */
struct edges_totals {
    uint64_t edges;  /* records, self-loops and duplicates included */
    uint64_t loops;  /* self-loops among them */
    uint64_t n;      /* vertices: at least max_id + 1 */
    uint64_t max_id; /* 0 when there is no edge */
    uint64_t checksum;
};

/* One encoded block, with its header, and the tally of its edges. */
struct edges_block {
    unsigned char *bytes; /* owned; edges_block_init */
    size_t capacity, size;
    uint64_t index, offset; /* its place in the stream */
    size_t unread;          /* bytes of the payload that edges_reader_fill has to read */
    struct edges_totals tally; /* n is not used */
    uint64_t balance;          /* of an undirected block that was encoded: edges_tally_balance */
};

enum status edges_block_init(struct edges_block *block, struct error *e);
void edges_block_free(struct edges_block *block);

/* Add some edges, or another tally, to a tally. */
void edges_tally(struct edges_totals *tally, enum edges_direction direction, const struct edge *edges, size_t count);
void edges_tally_merge(struct edges_totals *into, const struct edges_totals *from);

/* Adds undirected edges to a tally and returns their balance: the sum of the hashes of pairs u < v, less that of pairs u > v.
 * If the balances of a list add up to 0, it has each edge as u v and as v u, except with a chance of 2^-64. */
uint64_t edges_tally_balance(struct edges_totals *tally, const struct edge *edges, size_t count);

/* Encodes at most EDGES_BLOCK_EDGES edges, whose ids are below DBFS_MAX_VERTICES, and tallies them. An id takes 4 bytes
 * if all ids of the block fit, else 8. */
void edges_encode_block(struct edges_block *block, enum edges_direction direction,
                        const struct edge *edges, size_t count);

/* Decode a block in three steps: edges_block_count returns the number of its edges, edges_check_block compares its CRC, and
 * edges_decode_piece decodes edges `first` to first + count - 1 and adds them to the block's tally. Pieces are decoded in
 * order. ST_BAD_DATA names the stream, the block and the byte where it begins. */
size_t edges_block_count(const struct edges_block *block);
enum status edges_check_block(const struct edges_block *block, const char *name, struct error *e);
enum status edges_decode_piece(struct edges_block *block, enum edges_direction direction,
                               const char *name, size_t first, struct edge *edges, size_t count,
                               struct error *e);

/* Decodes edges `first` to first + count - 1 without adding them to a tally. Returns the bitwise OR of all their ids, which no id
 * exceeds. */
uint64_t edges_decode_ids(const struct edges_block *block, size_t first, struct edge *edges, size_t count);

/* Decodes a whole block: checks its CRC, decodes its edges into `edges`, which has room for EDGES_MAX_BLOCK_EDGES, and tallies
 * them. ST_BAD_DATA names the stream, the block and the byte where it begins. */
enum status edges_decode_block(struct edges_block *block, enum edges_direction direction,
                               const char *name, struct edge *edges, size_t *count,
                               struct error *e);

/* ---- writing ---- */

struct edges_writer;

/* Opens a writer and writes the preamble. The caller keeps `out` and commits it after edges_writer_finish. */
enum status edges_writer_open(struct edges_writer **writer, struct outfile *out,
                              const struct edges_info *info, struct error *e);

/* Appends edges. A block ends after every EDGES_BLOCK_EDGES edges, however the edges are divided among calls. */
enum status edges_writer_add(struct edges_writer *writer, const struct edge *edges, size_t count, struct error *e);

/* Appends a block made by edges_encode_block. Every block except the last must be full, so that the bytes of the stream
 * do not depend on the number of threads. */
enum status edges_writer_put(struct edges_writer *writer, const struct edges_block *block, struct error *e);

/* Writes the last block and the trailer, whose n is `n` or max_id + 1, whichever is larger. *totals is set to the
 * content of the trailer; it may be NULL. */
enum status edges_writer_finish(struct edges_writer *writer, uint64_t n, struct edges_totals *totals, struct error *e);
void edges_writer_free(struct edges_writer *writer); /* NULL is allowed */

/* Encodes the trailer of a stream with these totals. */
enum { EDGES_TRAILER_BYTES = 64 };
void edges_encode_trailer(const struct edges_totals *totals, unsigned char trailer[EDGES_TRAILER_BYTES]);

/* ---- reading ---- */

struct edges_reader;

/* Opens a reader on an open descriptor, from its current offset on, and reads the preamble. edges_reader_close closes the descriptor, too.
 * ST_BAD_DATA says which it is: not an edge stream, corrupt, or of a version that this build does not know. */
enum status edges_reader_open_fd(struct edges_reader **reader, int fd, const char *name, struct error *e);

/* Opens a reader on a source of bytes. A failure of the source becomes a failure of the reader. */
enum status edges_reader_open_source(struct edges_reader **reader, struct byte_source source,
                                     const char *name, struct error *e);
void edges_reader_close(struct edges_reader *reader); /* NULL is allowed */

/* Makes this reader one of `count` readers that share the blocks of a file: it gives only block `index` of every `count`
 * consecutive ones and skips the others. Call it before the first block is read. ST_RUNTIME if the descriptor cannot seek. */
enum status edges_reader_slice(struct edges_reader *reader, uint32_t index, uint32_t count, struct error *e);

const struct edges_info *edges_reader_info(const struct edges_reader *reader);
const char *edges_reader_name(const struct edges_reader *reader);

/* Reads the next block without decoding it. At the end of the stream it reads the trailer instead and sets *end. */
enum status edges_reader_next(struct edges_reader *reader, struct edges_block *block, int *end, struct error *e);

/* Read a block in two steps, for several threads. One thread at a time calls edges_reader_take for the next block, which of a
 * regular file reads only the header. Then each thread reads the rest of its own block, by edges_reader_fill. */
enum status edges_reader_take(struct edges_reader *reader, struct edges_block *block, int *end, struct error *e);
enum status edges_reader_fill(const struct edges_reader *reader, struct edges_block *block, struct error *e);

/* Reads a block of an input that cannot seek, which the next edges_reader_take will give, and returns it; its CRC is still to be compared.
 * NULL at the end, or after a failure. edges_reader_ahead returns a block that was read so and not taken; NULL if there is none. */
const struct edges_block *edges_reader_peek(struct edges_reader *reader, struct error *e);
const struct edges_block *edges_reader_ahead(const struct edges_reader *reader);

/* Compares the tally of all blocks with the trailer, and sets *totals to the content of the trailer. Call it at the end of the
 * stream. If readers share the stream by slices, pass the merged tally of all. */
enum status edges_reader_finish(struct edges_reader *reader, const struct edges_totals *tally,
                                struct edges_totals *totals, struct error *e);

/* Nonzero once the trailer was read, which *totals is then set to. */
int edges_reader_ended(const struct edges_reader *reader, struct edges_totals *totals);

/* The same comparison with a trailer that is known already. */
enum status edges_compare_tally(const char *name, const struct edges_totals *trailer,
                                const struct edges_totals *tally, struct error *e);

/* Reads the trailer at the end of the regular file `fd`, without moving its offset. Returns nonzero if there is one.
 * Its totals are not proven: only a pass over the blocks can do that. */
int edges_peek_totals(int fd, struct edges_totals *totals);

/* Nonzero when these first bytes (8 or more) of an input begin an edge stream. */
int edges_sniff(const unsigned char *bytes, size_t count);

#endif
