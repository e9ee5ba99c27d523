/* columns.h: finds which columns of a list are the ends of edges, and what separates columns. The options --columns and
 * --separator decide; without them the names of the columns, or else the first lines. A list that can be read in two ways is
 * refused, and the message names the option that decides. */
#ifndef DBFS_COLUMNS_H
#define DBFS_COLUMNS_H

#include "fields.h"
#include "graph_reader.h"

enum { SAMPLE_LINES = 512, MAX_PLAIN_COLUMNS = 4, MOST_COLUMNS = 512 };

struct columns {
    enum separator separator; /* SEPARATOR_ANY: numbers, the first two of each line */
    int count;                /* of every line */
    int place[2];             /* of the ends, from 0 */
    int any_rest;             /* the others may hold anything, and not only numbers */
    int quotes;               /* fields may stand in quotes */
};

/* What the first line says if it is no edge but counts the lines behind it (list_shape.h). */
struct counts {
    uint64_t lines[MAX_PLAIN_COLUMNS];
    int known;
    uint64_t at;   /* the number of the first line */
    char text[48]; /* the content of that line */
};

/* The state of a reader of pairs. */
struct pairs {
    struct columns columns;
    struct counts counts;
    char expected_end[192];
    int signed_rows; /* lines that begin with a sign and a blank are rows, if they have as many fields as the others */
};

/* The first lines of a list. */
struct list_sample {
    const char *header, *comment; /* the names of columns; the last comment before the data. NULL: none */
    const char *line[SAMPLE_LINES];
    const char *end; /* of the text behind them */
    int lines;
    uint64_t header_line, first_line; /* their numbers in the file */
};

/* Returns the number that a field of digits has as the number of a column; 0 if it is not 1 to MOST_COLUMNS. */
int field_column(struct field number);

/* The fields of a line of a text that ends at `end`. */
struct fields columns_fields(const struct columns *columns, const char *line, const char *end);

enum status columns_decide(const struct graph_reader *r, const struct list_sample *sample,
                           struct columns *columns, struct error *e);

#endif
