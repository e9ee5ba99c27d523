/* batch_files.h: distances and parents of a batch as files: a file for each root, or a matrix of all distances */
#ifndef DBFS_BATCH_FILES_H
#define DBFS_BATCH_FILES_H

#include "batch_depths.h"

#include "traverse/session/roots.h"

struct batch_files {
    const struct rank *rank;   /* a rank in a communicator of this single process, which has the whole graph */
    const struct comm *comm;   /* all ranks, which write the matrix together */
    const struct args *args;
    const struct batch_depths *depths;
    const struct name_map *map;
    struct outfile *matrix;    /* the matrix; NULL: none is written */
    uint64_t matrix_at;        /* byte offset of its first row */
    void *values;              /* [n] distances or parents of one root, by input id, in up to 8 bytes each */
};

/* Returns whether --depths names one matrix for several roots, and not a file for each. */
int batch_files_is_matrix(const struct args *args);

/* Collective. Takes memory, and begins the matrix if --depths names one. The caller has filled in the members above
 * `matrix`; `roots` is the number of all roots. */
enum status batch_files_open(struct batch_files *files, uint64_t roots, struct error *e);

/* Writes the wanted files or the matrix row of one root: it is number `number` in the batch that files->depths has
 * noted, and number `row` of all roots. */
enum status batch_files_write(struct batch_files *files, const struct root *root, uint32_t number, uint64_t row,
                              struct error *e);

/* Discards a matrix that the caller has not completed by outputs_commit. A zeroed one is allowed. */
void batch_files_close(struct batch_files *files);

#endif
