/* batch_table.h: a table of three or four whole numbers in each row, the first of which is a root. It grows batch by batch, in the order
 * of the roots, and several ranks write one file.
 *
 * The suffix of the name chooses the form:
 * - .npy: an array of numpy with all columns, or a matrix of the last column alone, with a row for each root.
 * - .csv: CSV with a line of column names.
 * - all others: lines with tabs.
 * Text has names instead of ids if there is a map. */
#ifndef DBFS_BATCH_TABLE_H
#define DBFS_BATCH_TABLE_H

#include "formats/mpi/comm.h"
#include "formats/table.h"

enum { TABLE_FIELDS = 4 }; /* the most numbers in a row */

struct batch_table {
    const char *name;    /* the name of the file; NULL: no table is wanted */
    const char *columns; /* the names of the columns, as "root,id,distance" */
    int fields;          /* the numbers in a row: 3 or 4 */
    int has_vertices[TABLE_FIELDS]; /* 1: the field is a vertex, and an input id in memory; 0: it is a number */
    uint64_t matrix_rows, matrix_columns; /* the shape of the matrix; 0: .npy has all columns */
    uint32_t width;      /* bytes of a number in .npy: 4 or 8 */
    const struct name_map *map; /* NULL: text has ids. On all ranks */
    uint64_t base;       /* what people call input id 0, for ids in text */
    const struct comm *comm;
    struct outfile *out; /* only on rank 0 */
    uint64_t rows;       /* the number of rows so far; only on rank 0 */
};

/* Fills in rows `begin` to `end` - 1 of the rows that this rank appends. Several threads call it at once. */
typedef void batch_table_rows(const void *context, uint64_t begin, uint64_t end, int64_t (*row)[TABLE_FIELDS]);

/* Opens the file. Only rank 0 calls this. The caller has set all members but `out` and `rows`, which are zero. Fails with ST_USAGE if
 * an .npy of all columns would go into a pipe: the header has the number of rows, which is known only at the end, and a pipe
 * cannot seek back to it. */
enum status batch_table_open(struct batch_table *table, struct error *e);

/* Collective. Appends `count` rows of each rank, those of rank 0 first, then those of rank 1, and so on. A rank that has failed
 * before appends nothing. Fails on all ranks if one rank fails. */
enum status batch_table_append(struct batch_table *table, uint64_t count, batch_table_rows *rows, const void *context,
                               struct error *e);

/* Finds what the rows of part number `part` of this rank are made of. Called by one thread. */
typedef enum status batch_table_part(void *context, uint64_t part, struct error *e);

/* Collective. As batch_table_append, but this rank appends `parts` times `count` rows: for each part it calls begin(context, part), and
 * then `rows` for `count` rows, which count from 0. Only one rank at a time does so, in the order of the ranks. */
enum status batch_table_append_parts(struct batch_table *table, uint64_t parts, batch_table_part *begin, uint64_t count,
                                     batch_table_rows *rows, void *context, struct error *e);

/* Completes the file. Called on rank 0, and does nothing without a table. */
enum status batch_table_commit(struct batch_table *table, struct error *e);
void batch_table_close(struct batch_table *table); /* discards the file unless it was committed; *table may be all zeros */

#endif
