/* batch_files.h: distances and parents of a batch as files: one of each root, or a matrix of all distances */
#ifndef DBFS_BATCH_FILES_H
#define DBFS_BATCH_FILES_H

#include "batch_depths.h"

#include "traverse/search/roots.h"

struct batch_files {
    const struct rank *rank;   /* that has the whole graph, alone */
    const struct comm *comm;   /* of all ranks, which write the matrix together */
    const struct args *args;
    const struct batch_depths *depths;
    const struct name_map *map;
    uint64_t rows;             /* of the matrix: all roots */
    struct outfile *matrix;    /* NULL: none is written */
    uint64_t matrix_at;        /* where its first row begins */
    void *values;              /* [n] of a root, by id */
};

/* Whether --depths names one matrix for several roots, and not a file of each. */
int batch_files_is_matrix(const struct args *args);

/* Collective. The caller has filled in what is above `rows`, and knows how many roots there are. */
enum status batch_files_open(struct batch_files *files, uint64_t roots, struct error *e);

/* Writes what is wanted of root `number` of the batch that the depths have; it is root `row` of all. */
enum status batch_files_write(struct batch_files *files, const struct root *root, uint32_t number, uint64_t row,
                              struct error *e);

/* Collective. Ends the matrix; after a failure it is discarded. */
enum status batch_files_commit(struct batch_files *files, struct error *e);
void batch_files_close(struct batch_files *files); /* a zeroed one is allowed */

#endif
