/* graph_reader.h: the common part of edgeconv's readers, each of which gives the edges of one input in one format.
 *
 * Readers of similar formats are a table of functions (struct reader_class) in a file of its own. A reader works in these
 * steps:
 * 1. open reads the header.
 * 2. take takes the pieces of the input, in order.
 * 3. parse makes edges of a piece, in any thread, unless `take` has made them. From here on ids are 0-based.
 * 4. account goes through the pieces in order and settles line numbers, declared counts and faults. The caller has added the tally of
 *    the piece to `total`.
 * 5. finish checks what can be known only at the end.
 */
#ifndef DBFS_GRAPH_READER_H
#define DBFS_GRAPH_READER_H

#include "tools/convert/input/input.h"
#include "fields.h"
#include "lines.h"
#include "tools/convert/piece/piece.h"

#include "formats/edges/edges.h"
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
    FORMAT_ADJLIST, /* a vertex and its neighbours in each line */
    FORMAT_LGL,     /* of the Large Graph Layout, as igraph writes it */
    FORMAT_LG,      /* of Julia's Graphs.jl */
    FORMAT_SG,
    FORMAT_GRAPH500,
    FORMAT_GRAPH500_16,
    FORMAT_U32,
    FORMAT_U64,
    FORMAT_NPY,
    FORMAT_NPZ,       /* a sparse matrix of scipy */
    FORMAT_WEBGRAPH,  /* BV, with a file of properties beside it */
    FORMAT_WDC_INDEX, /* names and no edges: wdc_index.h */
};

#define NO_COUNT UINT64_MAX

/* The columns that hold the two ids of a list, if the user chose them, each by its name or its number, from 1. If not, .begin
 * of both is NULL. */
struct column_choice {
    struct field end[2];
};

struct reader_options {
    enum graph_format format;
    uint64_t vertices;      /* ids must be below; 0 = no such limit */
    int names;              /* ids are to be numbered; they may be any words or 64-bit numbers */
    int one_based;          /* in formats that do not say so, the first vertex is 1 */
    enum separator separator; /* of lists; SEPARATOR_ANY: what their lines show */
    struct column_choice columns;
    const char *comments; /* of lists: signs that begin a comment; NULL: not chosen */
    uint64_t max_buffer_bytes; /* for one line: an eighth of the memory allowed */
    int threads;
};

/* The shape of a list of pairs. Parts of one list have the same. */
struct list_facts {
    int columns;              /* 0: no list, or one without a line */
    int place[2];             /* of the ends among them, from 0 */
    enum separator separator;
    uint64_t names;           /* a hash of the names of columns; 0: they have none */
};

/* Facts about an input that edgeconv reports to the user. */
struct reader_notes {
    int weights;          /* the format has values beside the ids, which are not read */
    int column[2];        /* of lists: the columns of the ids, from 1, unless there are just these two */
    char header_line[64]; /* of CSV: the names of columns */
    int has_snap_edges;   /* "# Nodes: N Edges: M" */
    uint64_t snap_edges;
    int unterminated;     /* the last line had no newline */
    uint64_t private_lists, missing_lists; /* adjacency */
    char warning[512];    /* empty: there is none */
};

/* The properties of the graph that a reader reads. */
struct graph_facts {
    enum edges_direction direction;
    int direction_fixed; /* the format fixes it, so no option may contradict it */
    const char *directed_by; /* "format" or "comment", whichever says that edges are directed; NULL: neither */
    int both_listed;      /* each undirected edge stands twice, as u v and v u */
    int has_n;            /* `n` is known before the ids are read, and bounds them */
    uint64_t n;           /* vertices: as declared; after finishing, above all ids seen */
    uint32_t base;        /* 0 or 1: what the file calls its first vertex */
    int randomized;
    uint64_t random_n, random_seed;
    const char *provenance; /* of an edge stream; else NULL */
    int names;              /* the ends of edges are names (names.h), not numbers */
    int numbered;           /* the edges have already been numbered by compact.h */

    struct list_facts list;
    struct reader_notes notes;
};

/* What may stand between the two numbers of a plain line: one of these bytes (plain_lines.h). NO_PLAIN_LINES: all lines are left to
 * reader_class.line. */
enum plain_lines { NO_PLAIN_LINES, PLAIN_BLANK, PLAIN_BLANK_OR_COMMA };

/* The state of text readers. Other readers do not use it. */
struct text_state {
    struct comment_rule comments;
    enum plain_lines plain; /* which lines text_parse reads by itself */
    enum separator separator; /* of lists of neighbours */
    char *head;           /* the first lines, whole ones, ending in '\n' and padded */
    size_t head_bytes;
    struct line_feed feed;
    uint64_t lines;            /* lines before the next piece to be accounted for */
    uint64_t declared_entries; /* NO_COUNT: not declared */
    uint64_t declared_line;    /* the line that declares them */
};

struct reader_class;

struct graph_reader {
    enum graph_format format;
    const struct reader_class *class;
    struct reader_options options;
    struct input *input;
    int owns_input;
    const char *name;    /* of the input, for messages */
    struct graph_facts facts;
    uint64_t base, limit; /* ids in the file are base to base + limit - 1 */
    char expected_id[128]; /* for messages */

    struct text_state text;
    struct piece_tally total;
    void *state; /* of the class: reader_class.state_bytes bytes, which are zero before `open` */
};

/* Parses the line at `p`, before which the piece has `lines` lines: adds its edges, if it has any. Returns the next line, or NULL with a
 * fault. */
typedef const char *line_parser(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines);

struct reader_class {
    enum status (*open)(struct graph_reader *r, struct error *e);
    enum status (*take)(struct graph_reader *r, struct piece *piece, int *end, struct error *e);
    /* The next four may be NULL. */
    enum status (*parse)(const struct graph_reader *r, struct piece *piece, struct error *e);
    enum status (*account)(struct graph_reader *r, struct piece *piece, struct error *e);
    enum status (*finish)(struct graph_reader *r, struct error *e);
    void (*close)(struct graph_reader *r); /* frees what r->state points to */
    size_t state_bytes;
    /* of text formats, for text_parse */
    size_t shortest_entry; /* bytes of an edge in the text, at least */
    line_parser *line;     /* parses a line that is not plain; NULL: `lines` parses all */
    void (*lines)(const struct graph_reader *r, struct piece *piece); /* goes over piece->in.text: adds edges, and counts lines in
                                                                       * piece->tally.lines, up to a fault */
};

extern const struct reader_class read_edges_class, read_pairs_class, read_csv_class,
    read_adjacency_class, read_matrix_market_class, read_metis_class, read_dimacs_class,
    read_pace_class, read_sg_class, read_graph500_class, read_graph500_16_class, read_u32_class,
    read_u64_class, read_npy_class, read_npz_class, read_lg_class, read_adjlist_class, read_lgl_class,
    read_webgraph_class;

/* Nonzero for the header of an lg file; for the banner of Matrix Market. */
int lg_sniff(const char *line);
int matrix_market_sniff(const char *line);

/* Returns the name of an option that is given but has no effect on this format: --columns, --separator or --comments. NULL if
 * there is none. */
const char *reader_unused_option(const struct reader_options *options, enum graph_format format);

/* Writes the list options that the user gave, such as --columns, into `text`, each after a blank. A message that advises
 * another command needs them. */
enum { LIST_OPTIONS_BYTES = 256 };
const char *reader_list_options(const struct reader_options *options, char text[LIST_OPTIONS_BYTES]);

/* Nonzero if a column is chosen by its name. */
int reader_columns_by_name(const struct reader_options *options);

/* Opens a reader of an input that is at its start. The caller keeps the input. */
enum status graph_reader_open_input(struct graph_reader **reader, struct input *input,
                                    const struct reader_options *options, struct error *e);

/* Opens a reader of an open descriptor, which is closed with the reader. */
enum status graph_reader_open_fd(struct graph_reader **reader, int fd, const char *name,
                                 const struct reader_options *options, struct error *e);
void graph_reader_close(struct graph_reader *reader); /* NULL is allowed */

/* Finishes the input: checks that everything declared was found. */
enum status graph_reader_finish(struct graph_reader *reader, struct error *e);

/* Finds the format for -f NAME. Nonzero if there is no such format. */
int graph_format_named(const char *name, enum graph_format *format);

/* Returns the first name of a format, which the provenance has, too. */
const char *graph_format_name(enum graph_format format);

/* Returns the functions that read a format. Sets *no_base to 1 if the format does not say whether ids begin at 0 or 1. */
const struct reader_class *graph_format_class(enum graph_format format, int *no_base);

/* Writes all names that -f takes, in the order of enum graph_format, with commas between. */
void graph_format_list(char *text, size_t room);

/* ---- for the reader files (reader_ids.c) ---- */

/* Sets *id to the id that a field of a list holds: the number, or the place of the name. Returns 0 if the field is neither. */
int reader_take_id(const struct graph_reader *r, struct piece *piece, struct field f, uint64_t *id);

/* What a list must have in place of a field that is no id; for messages. */
const char *reader_expected_id(const struct graph_reader *r, struct field f);

/* Sets which ids are allowed: from `base` on, and as many as the file declares vertices, `n` (NO_COUNT if it does not). `line`
 * is the line that declares them, 0 in a binary file. ST_BAD_DATA if `n` is more than --vertices. */
enum status reader_set_ids(struct graph_reader *r, uint64_t base, uint64_t n, uint64_t line,
                           struct error *e);

/* The same for ids that must only be below `limit`. */
void reader_limit_ids(struct graph_reader *r, uint64_t base, uint64_t limit, const char *why);

/* Reports ST_BAD_DATA at a line: "name:line: found ..., expected ...". `at` is the word found there; if `at` is NULL, `found`
 * describes it. */
enum status reader_bad_line(const struct graph_reader *r, uint64_t line, const char *at,
                            const char *found, const char *expected, struct error *e);

/* ---- text readers (text_reader.c) ----
 *
 * Readers of text formats share the functions that take, load and parse pieces and account for them. Each brings its own parser of a
 * line. */

/* Reads the beginning of the input to r->text.head: at least a line that is neither blank nor a comment, if there is one within
 * HEAD_MAX_BYTES. */
enum { HEAD_MAX_BYTES = 1 << 24 };
enum status text_peek(struct graph_reader *r, const char *comments, struct error *e);

/* Reads the beginning of a list likewise, with at least `lines` such lines, and comments as --comments says. Without that option,
 * if ids are names, a sign begins a comment only if it stands alone, because a name may begin with a sign, too. */
enum status text_peek_list(struct graph_reader *r, int lines, struct error *e);

/* Sets *first to the first line of a list that is no comment, or to the end of the head if all are, and *line to the number of
 * lines before. ST_USAGE if that line may be a comment or an id; the message names the option that decides. */
enum status text_first_of_list(const struct graph_reader *r, const char **first, uint64_t *line, struct error *e);

/* Returns the first character of the head after any byte order mark. */
const char *text_head_start(const struct graph_reader *r);

/* Returns the first line at or after `p` that is neither blank nor a comment; NULL at the end of the head. Adds the lines
 * skipped to *line. */
const char *text_data_line(const struct graph_reader *r, const char *p, uint64_t *line);

/* Begins to take pieces at `body`, a place in the head with `lines` lines before it, and frees the head. With
 * text_start_in_order a piece has its text when it is taken; text_start leaves that of a plain file to text_parse (lines.h). */
enum status text_start(struct graph_reader *r, const char *body, uint64_t lines, struct error *e);
enum status text_start_in_order(struct graph_reader *r, const char *body, uint64_t lines, struct error *e);

/* The functions of a reader_class of text. */
#define READ_TEXT .take = text_take, .parse = text_parse, .account = text_account, .finish = text_finish

enum status text_take(struct graph_reader *r, struct piece *piece, int *end, struct error *e);
enum status text_parse(const struct graph_reader *r, struct piece *piece, struct error *e);
enum status text_account(struct graph_reader *r, struct piece *piece, struct error *e);
/* Called at the end of the input. Fails if it has fewer entries than it declared. */
enum status text_finish(struct graph_reader *r, struct error *e);

#endif
