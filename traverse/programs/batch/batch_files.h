/* batch_files.h: the files of --depths and --parents of all roots: a file for each root, a table of all, or the rows of a matrix */
#ifndef DBFS_BATCH_FILES_H
#define DBFS_BATCH_FILES_H

#include "batch_depths.h"
#include "batch_table.h"

#include "traverse/session/searcher.h"

/* The open files, and the arrays from which they are written. n is the number of ids. */
struct batch_files {
    const struct args *args;
    const struct searcher *searcher;
    const struct comm *sharing; /* the ranks that divide the graph; &comm_alone: each rank has all of it, and batches of its own */
    const struct joined_graph *all;   /* the vertices with rows on this rank */
    const struct joined_graph *noted; /* those whose distances this rank has */
    const struct batch_depths *found; /* the distances of the last batch */
    struct memory_budget *budget;
    /* the matrix of the distances from all roots, with a row for each root; NULL: not wanted */
    struct outfile *matrix;
    uint64_t matrix_at;        /* byte offset of the first row of the matrix */
    struct batch_table depths, parents; /* tables of all roots; if one has both, it is `depths`, and `parents` has no name */
    /* [n] the distances or parents of one root, by input id, each of up to 8 bytes; NULL: not wanted. Of ranks that divide the graph,
     * each has a range of the ids for tables, and rank 0 has all ids for other files */
    void *values;
    void *parent_ids;          /* [n] the parents, by input id: own memory if distances and parents go into one table, else `values` */
    uint64_t first, ids;       /* for tables: `values` has the ids from `first` on, `ids` in number */
    uint64_t deeper; /* number of distances that --depths-width does not hold */
};

/* Returns whether --depths names one .npy matrix for several roots. Otherwise each root has a file of its own, or lines in a table. */
int batch_files_want_matrix(const struct args *args);

/* Collective. Opens the matrix and the tables, and allocates the arrays. The caller has set the first seven members, and zeroed the
 * others. The roots have been chosen. Fails on all ranks if one rank fails. The caller calls batch_files_close even after a failure. */
enum status batch_files_open(struct batch_files *files, struct error *e);

/* Writes the files, or the row of the matrix, of root `number` of the last batch, which is root number `row` of all roots. Tables are left
 * to batch_files_append. Collective over the ranks that divide the graph, and then fails on all of them if one fails. Fails with
 * ST_BAD_DATA if a reached vertex has no parent. */
enum status batch_files_write(struct batch_files *files, uint32_t number, uint64_t row, struct error *e);

/* Collective. Appends the lines of the last batch of each rank to the tables, in the order of the ranks; if ranks divide the graph, those
 * of their one batch. Of the batch of this rank, `first` is the number of the first root among all roots, and `count` the number of roots,
 * which may be 0. Fails on all ranks if one rank fails. */
enum status batch_files_append(struct batch_files *files, uint64_t first, uint32_t count, struct error *e);

/* Collective. Completes the matrix and the tables. Fails on all ranks if one rank fails, or passes an `e` that has failed. */
enum status batch_files_commit(struct batch_files *files, struct error *e);
void batch_files_close(struct batch_files *files); /* frees all memory, and discards what is not complete; *files may be all zeros */

#endif
