/* batch_files.h: distances and parents of a batch as files: a file for each root, or a matrix of all distances */
#ifndef DBFS_BATCH_FILES_H
#define DBFS_BATCH_FILES_H

#include "batch_depths.h"

#include "traverse/session/roots.h"

struct batch_files {
    const struct rank *rank;   /* a communicator of this process alone, which has the whole graph */
    const struct comm *comm;   /* all ranks, which write the matrix together */
    const struct args *args;
    const struct batch_depths *depths;
    const struct name_map *map;
    uint64_t rows;             /* rows of the matrix: all roots */
    struct outfile *matrix;    /* the matrix; NULL: none is written */
    uint64_t matrix_at;        /* place of its first row */
    void *values;              /* [n] distances of a root, by id */
};

/* Returns whether --depths names one matrix for several roots, and not a file for each. */
int batch_files_is_matrix(const struct args *args);

/* Collective. The caller has filled in the members above `rows`, and knows the number of roots. */
enum status batch_files_open(struct batch_files *files, uint64_t roots, struct error *e);

/* Writes the wanted files of root `number` of the batch in the depths; it is root `row` of all. */
enum status batch_files_write(struct batch_files *files, const struct root *root, uint32_t number, uint64_t row,
                              struct error *e);

/* Collective. Completes the matrix; after a failure it is discarded. */
enum status batch_files_commit(struct batch_files *files, struct error *e);
void batch_files_close(struct batch_files *files); /* a zeroed one is allowed */

#endif
