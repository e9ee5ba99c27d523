/* graph_reader.h: what edgeconv's readers have in common: one input in one format, as edges.
 *
 * A reader family is a table of functions (struct reader_class, one file each). Opening reads the
 * header; then pieces of the input are taken in order, parsed by any thread and accounted for in
 * order, which is where line numbers, declared counts and faults are settled; finishing checks what
 * can only be known at the end. Ids are 0-based from the parser on.
 */
#ifndef DBFS_GRAPH_READER_H
#define DBFS_GRAPH_READER_H

#include "tools/convert/input/input.h"
#include "lines.h"
#include "tools/convert/piece/piece.h"

#include "formats/edges.h"
#include "formats/base/status.h"

#include <stdint.h>

enum graph_format {
    FORMAT_AUTO, /* recognised by content */
    FORMAT_EDGES,
    FORMAT_PAIRS,
    FORMAT_CSV, /* pairs under a line of column names */
    FORMAT_ADJACENCY,
    FORMAT_MATRIX_MARKET,
    FORMAT_METIS,
    FORMAT_DIMACS,
    FORMAT_PACE,
    FORMAT_SG,
    FORMAT_GRAPH500,
    FORMAT_GRAPH500_16,
    FORMAT_U32,
    FORMAT_U64,
    FORMAT_WDC_INDEX, /* names and no edges: wdc_index.h */
};

#define NO_COUNT UINT64_MAX

struct reader_options {
    enum graph_format format;
    uint64_t vertices;      /* ids must be below; 0 = no such limit */
    int names;              /* ids are to be numbered: any word, any number of 64 bits */
    int one_based;          /* of formats that do not say: the first vertex is 1 */
    uint64_t max_buffer_bytes; /* of one line: an eighth of the memory allowed */
    int threads;
};

/* What a reader tells people about its input. */
struct reader_notes {
    int weights;          /* columns beyond the ids, which are not read */
    char header_line[64]; /* of CSV: the names of columns */
    int has_snap_edges;   /* "# Nodes: N Edges: M" */
    uint64_t snap_edges;
    int unterminated;     /* the last line had no newline */
    uint64_t private_lists, missing_lists; /* adjacency */
};

/* What a reader knows of its graph. */
struct graph_facts {
    enum edges_direction direction;
    int direction_fixed; /* by the format, so that no option may contradict it */
    int both_listed;      /* each undirected edge stands twice, as u v and v u */
    int has_n;            /* `n` bounds the ids, so it is known before they are read */
    uint64_t n;           /* vertices: declared, and after finishing at least what was seen */
    int randomized;
    uint64_t random_n, random_seed;
    const char *provenance; /* of an edge stream; else NULL */
    int names;              /* edges are of names (names.h), not of numbers */
    int numbered;           /* edges that have been through compact.h */

    struct reader_notes notes;
};

/* What readers of text keep; others leave it as it is. */
struct text_state {
    const char *comments; /* characters that make a line a comment by starting it */
    char *head;           /* the first lines, whole ones, ending in '\n' and padded */
    size_t head_bytes;
    struct line_feed feed;
    uint64_t lines;            /* lines before the next piece to be accounted for */
    uint64_t declared_entries; /* NO_COUNT: nothing says */
    uint64_t declared_line;    /* where it says so */
};

struct reader_class;

struct graph_reader {
    const struct reader_class *class;
    struct reader_options options;
    struct input *input;
    int owns_input;
    const char *name;    /* of the input, for messages */
    struct graph_facts facts;
    uint64_t base, limit; /* ids as written are base to base + limit - 1 */
    char expected_id[96]; /* for messages */

    struct text_state text;
    struct piece_tally total;
    void *state; /* of the family; freed by its close */
};

struct reader_class {
    const char *name; /* as -f and provenance have it */
    enum status (*open)(struct graph_reader *r, struct error *e);
    enum status (*take)(struct graph_reader *r, struct piece *piece, int *end, struct error *e);
    enum status (*parse)(const struct graph_reader *r, struct piece *piece, struct error *e);
    enum status (*account)(struct graph_reader *r, struct piece *piece, struct error *e);
    enum status (*finish)(struct graph_reader *r, struct error *e); /* may be NULL */
    void (*close)(struct graph_reader *r);                          /* may be NULL */
};

extern const struct reader_class read_edges_class, read_pairs_class, read_csv_class,
    read_adjacency_class, read_matrix_market_class, read_metis_class, read_dimacs_class,
    read_pace_class, read_sg_class, read_graph500_class, read_graph500_16_class, read_u32_class,
    read_u64_class;

/* Opens a reader of an input that stays the caller's and is at its start. */
enum status graph_reader_open_input(struct graph_reader **reader, struct input *input,
                                    const struct reader_options *options, struct error *e);

/* Opens a reader of an open descriptor, which is closed with it. */
enum status graph_reader_open_fd(struct graph_reader **reader, int fd, const char *name,
                                 const struct reader_options *options, struct error *e);
void graph_reader_close(struct graph_reader *reader); /* NULL is allowed */

/* The end of the input: what was declared must have been found. */
enum status graph_reader_finish(struct graph_reader *reader, struct error *e);

/* The format that -f NAME means; nonzero when none is called so. */
int graph_format_named(const char *name, enum graph_format *format);

/* ---- for the reader files ---- */

/* Sets base and limit, and the words for messages. `n`, unless NO_COUNT, is the number of vertices
 * that the file declares at line `line` (0: not a text): more than --vertices is ST_BAD_DATA. */
enum status reader_set_ids(struct graph_reader *r, uint64_t base, uint64_t n, uint64_t line,
                           struct error *e);

/* The same for ids that only have to be below `limit`. */
void reader_limit_ids(struct graph_reader *r, uint64_t base, uint64_t limit, const char *why);

/* ST_BAD_DATA at a line: "name:line: found ..., expected ...". `at`, where not NULL, is the word
 * found there; else `found` says it. */
enum status reader_bad_line(const struct graph_reader *r, uint64_t line, const char *at,
                            const char *found, const char *expected, struct error *e);

/* ---- text readers (text_reader.c) ----
 *
 * They take, load and account alike. Each brings a parser of lines, which goes over piece->in.text,
 * adds edges, counts lines in piece->tally.lines, and sets a fault where it had to stop. */
typedef void line_parser(const struct graph_reader *r, struct piece *piece);

/* Fills r->text.head with at least `lines` lines that are neither blank nor comments, where the input
 * has them within HEAD_MAX_BYTES. */
enum { HEAD_MAX_BYTES = 1 << 24 };
enum status text_peek(struct graph_reader *r, const char *comments, int lines, struct error *e);

/* The first character of the head, a byte order mark left out. */
const char *text_first(const struct graph_reader *r);

/* The first line at or after `p` that is neither blank nor a comment; NULL at the end of the head.
 * Adds the lines passed to *line. */
const char *text_data_line(const struct graph_reader *r, const char *p, uint64_t *line);

/* Starts the pieces at `body`, a place in the head, after `lines` lines; gives up the head. */
enum status text_start(struct graph_reader *r, const char *body, uint64_t lines, int in_order,
                       struct error *e);

enum status text_take(struct graph_reader *r, struct piece *piece, int *end, struct error *e);
enum status text_parse(const struct graph_reader *r, struct piece *piece, size_t bytes_per_edge,
                       line_parser *parser, struct error *e);
enum status text_account(struct graph_reader *r, struct piece *piece, struct error *e);
enum status text_finish(struct graph_reader *r, struct error *e);

#endif
