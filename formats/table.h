/* table.h: text results: lines of fields, which are numbers, texts and vertices. A table has one of two forms:
 * - TABLE_TABS: a tab stands between two fields. There is no line of column names and no comment, so that awk, sort and join
 *   read the lines as they are. A field that has a tab, a CR or a LF has \t, \r or \n in its place; all other bytes stay.
 * - TABLE_CSV: CSV by RFC 4180 with lines that end in LF. The first line has the names of the columns. A text is quoted if it is
 *   empty, has a comma, a quote, a CR or a LF, or begins or ends with a blank or a tab; a quote within it is doubled.
 * On a terminal, control characters of texts are printed as \xNN, so that the terminal shows them and does not obey them. */
#ifndef DBFS_TABLE_H
#define DBFS_TABLE_H

#include "name_map.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum table_form { TABLE_TABS, TABLE_CSV };

/* Returns TABLE_CSV for a file name with the suffix .csv, and TABLE_TABS for all other names and for NULL. */
enum table_form table_form_of(const char *name);

/* A table that is being written, to `out` or, if `out` is NULL, to `stream`. table_begin sets all members. */
struct table {
    struct outfile *out; /* not owned */
    FILE *stream;        /* not owned */
    enum table_form form;
    const struct name_map *map; /* the names of vertices; NULL: vertices are ids. Not owned */
    uint64_t base;       /* what people call vertex 0, if vertices are ids */
    int on_terminal;
    uint64_t fields; /* the number of fields in the current line */
};

/* Begins a table, and writes nothing. `map` may be NULL: vertices are then ids, of which the first is called `base`. The caller commits
 * or aborts the file. */
void table_begin(struct table *table, struct outfile *out, enum table_form form, const struct name_map *map, uint64_t base);

/* The same for a stream. The caller finds failures of writing by stream_flush. */
void table_begin_stream(struct table *table, FILE *stream, enum table_form form, const struct name_map *map, uint64_t base);

/* The next functions write a field or the end of a line. Each returns e->status, and does nothing if *e has failed before, so
 * that a caller may write a whole line and then look at *e. */

/* Writes the line of column names, such as "id,distance", in a table of CSV; otherwise nothing. */
enum status table_columns(struct table *table, const char *columns, struct error *e);

enum status table_number(struct table *table, int64_t value, struct error *e);
enum status table_real(struct table *table, double value, struct error *e); /* with 17 significant digits */
enum status table_text(struct table *table, const char *bytes, size_t length, struct error *e);

/* Writes the name of a vertex or, without a map, its id + table->base. `id` counts from 0; -1 is no vertex, and written as -1. */
enum status table_vertex(struct table *table, int64_t id, struct error *e);

enum status table_end_line(struct table *table, struct error *e);

/* ---- lines in memory, for threads that each make some of the lines of a table ---- */

/* The most bytes that table_put_number and table_put_id write. */
enum { TABLE_NUMBER_BYTES = 20 };

/* Write a number, or the id of a vertex as table_vertex does, to `at`, without a NUL. Return a pointer behind the last digit. */
char *table_put_number(char *at, int64_t value);
char *table_put_id(char *at, int64_t id, uint64_t base);

/* Returns the character between two fields. */
static inline char table_separator(enum table_form form)
{
    return form == TABLE_CSV ? ',' : '\t';
}

#endif
