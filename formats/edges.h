/* edges.h: the edge stream, the one format between the tools, in pipes and in files.
 *
 * Layout in SPEC-edges.md: a preamble, blocks of edges each with its CRC, and a required trailer
 * with totals, so that a stream whose writer died is an error for the reader and never a smaller
 * graph. Blocks are encoded and decoded by pure functions that any thread may call; reading and
 * writing them is serial. edges_scan.h reads a whole stream with all threads.
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
    EDGES_BLOCK_EDGES = 32768,        /* edges in every block but the last, as our writer makes it */
    EDGES_MAX_BLOCK_EDGES = 1 << 20,  /* the most that a reader accepts */
    EDGES_MAX_PROVENANCE_BYTES = 4096 /* the terminating NUL included */
};

#define DBFS_MAX_VERTICES (UINT64_C(1) << 48) /* ids are below this everywhere in dbfs */

enum edges_direction {
    EDGES_UNDIRECTED_ONCE = 0, /* each undirected edge once, in either orientation */
    EDGES_SYMMETRIC = 1,       /* both directions of each edge */
    EDGES_DIRECTED = 2         /* arcs */
};

const char *edges_direction_name(enum edges_direction direction);

/* What the preamble says of the stream. */
struct edges_info {
    enum edges_direction direction;
    int randomized;           /* ids went through bijection (random_n, random_seed) */
    uint64_t random_n, random_seed;
    char provenance[EDGES_MAX_PROVENANCE_BYTES]; /* text: only what determines the content */
};

/* What the trailer says. The checksum does not depend on the order of the edges, nor, in an
 * undirected-once stream, on the orientation of each. */
struct edges_totals {
    uint64_t edges;  /* records, self-loops and duplicates included */
    uint64_t loops;  /* self-loops among them */
    uint64_t n;      /* vertices: at least max_id + 1 */
    uint64_t max_id; /* 0 when there is no edge */
    uint64_t checksum;
};

/* One encoded block, header included, with the tallies of its edges. */
struct edges_block {
    unsigned char *bytes; /* owned; edges_block_init */
    size_t capacity, size;
    uint64_t index, offset; /* its place in the stream */
    size_t unread;          /* bytes of the payload that edges_reader_fill has to read */
    struct edges_totals tally; /* n is not used */
};

enum status edges_block_init(struct edges_block *block, size_t max_edges, struct error *e);
void edges_block_free(struct edges_block *block);

/* Adds the tallies of some edges, or of another tally. */
void edges_tally(struct edges_totals *tally, enum edges_direction direction,
                 const struct edge *edges, size_t count);
void edges_tally_merge(struct edges_totals *into, const struct edges_totals *from);

/* Encodes up to EDGES_BLOCK_EDGES edges and their tallies. Ids must be below DBFS_MAX_VERTICES.
 * Ids of 4 bytes where all of the block's fit, else 8. Never fails. */
void edges_encode_block(struct edges_block *block, enum edges_direction direction,
                        const struct edge *edges, size_t count);

/* Of a block as it was read: the number of its edges; the check of its CRC; and its edges `first` to
 * first + count - 1, which are added to its tally. These pieces come in order. ST_BAD_DATA names the
 * stream, the block and its byte. */
size_t edges_block_count(const struct edges_block *block);
enum status edges_check_block(const struct edges_block *block, const char *name, struct error *e);
enum status edges_decode_piece(struct edges_block *block, enum edges_direction direction,
                               const char *name, size_t first, struct edge *edges, size_t count,
                               struct error *e);

/* The ids of these edges and nothing else. Returns the bits of all ids joined, which no id exceeds. */
uint64_t edges_decode_ids(const struct edges_block *block, size_t first, struct edge *edges,
                          size_t count);

/* All at once: checks the CRC, decodes into `edges` (room for EDGES_MAX_BLOCK_EDGES) and tallies.
 * ST_BAD_DATA names the stream, the block and its byte. */
enum status edges_decode_block(struct edges_block *block, enum edges_direction direction,
                               const char *name, struct edge *edges, size_t *count,
                               struct error *e);

/* ---- writing ---- */

struct edges_writer;

/* Writes the preamble. `out` stays the caller's, to commit after edges_writer_finish. */
enum status edges_writer_open(struct edges_writer **writer, struct outfile *out,
                              const struct edges_info *info, struct error *e);

/* Appends edges; blocks are cut every EDGES_BLOCK_EDGES whatever the calls' sizes. */
enum status edges_writer_add(struct edges_writer *writer, const struct edge *edges, size_t count,
                             struct error *e);

/* Appends a block made by edges_encode_block. For identical bytes at any thread count every block
 * but the last must be full. */
enum status edges_writer_put(struct edges_writer *writer, const struct edges_block *block,
                             struct error *e);

/* Writes the last block and the trailer; n becomes the larger of `n` and max id + 1. `totals` may
 * be NULL. */
enum status edges_writer_finish(struct edges_writer *writer, uint64_t n,
                                struct edges_totals *totals, struct error *e);
void edges_writer_free(struct edges_writer *writer); /* NULL is allowed */

/* ---- reading ---- */

struct edges_reader;

/* Opens `path` ("-" is standard input) and reads the preamble. ST_BAD_DATA distinguishes what is
 * not an edge stream, what is corrupt, and a version that this build does not know. */
enum status edges_reader_open(struct edges_reader **reader, const char *path, struct error *e);

/* The same from an open descriptor at its current offset; `fd` is closed with the reader. */
enum status edges_reader_open_fd(struct edges_reader **reader, int fd, const char *name,
                                 struct error *e);

/* The same from a source of bytes, whose failures become those of the reader. */
enum status edges_reader_open_source(struct edges_reader **reader, struct byte_source source,
                                     const char *name, struct error *e);
void edges_reader_close(struct edges_reader *reader); /* NULL is allowed */

/* Makes the reader one of `count` that share the blocks of one file: it gives only block `index` of every
 * `count` consecutive ones and passes over the others. ST_RUNTIME where the descriptor cannot seek. Call
 * it before the first block is read. */
enum status edges_reader_slice(struct edges_reader *reader, uint32_t index, uint32_t count,
                               struct error *e);

const struct edges_info *edges_reader_info(const struct edges_reader *reader);
const char *edges_reader_name(const struct edges_reader *reader);

/* Reads the next raw block; *end is set, and no block returned, once the trailer has been read. */
enum status edges_reader_next(struct edges_reader *reader, struct edges_block *block, int *end,
                              struct error *e);

/* The same in two steps, for several threads: one at a time takes a block, which in a regular file is
 * passed over, and each fills its own. */
enum status edges_reader_take(struct edges_reader *reader, struct edges_block *block, int *end,
                              struct error *e);
enum status edges_reader_fill(const struct edges_reader *reader, struct edges_block *block,
                              struct error *e);

/* After the end: compares the tally of all decoded blocks, those of all slices together, with the trailer,
 * and returns the trailer. */
enum status edges_reader_finish(struct edges_reader *reader, const struct edges_totals *tally,
                                struct edges_totals *totals, struct error *e);

/* What the trailer of a stream says that ends with the regular file `fd`; nonzero when there is one.
 * Only a pass over the blocks can tell whether it is true. The descriptor's offset stays. */
int edges_peek_totals(int fd, struct edges_totals *totals);

/* Nonzero when the first bytes (8 or more) are those of an edge stream. */
int edges_sniff(const unsigned char *bytes, size_t count);

#endif
