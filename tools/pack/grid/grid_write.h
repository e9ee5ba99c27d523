/* grid_write.h: writes the 2D layout of a packed graph: a grid part for each of the R x C processors
 * (formats/graph/grid_part.h). The edges come from the shards of a graph that is packed without delegates, and the grid parts
 * stand beside them. So one folder serves 1D and 2D searches, and both have the same vertices and results. */
#ifndef DBFS_GRID_WRITE_H
#define DBFS_GRID_WRITE_H

#include "formats/base/memory.h"
#include "formats/graph/manifest.h"
#include "formats/mpi/comm.h"

#include <stdint.h>

struct grid_layout {
    uint32_t r, c; /* 0: none is asked for */
};

struct grid_report {
    uint64_t bytes; /* of all grid parts */
    double seconds;
};

/* "2d=RxC". Nonzero: `text` is none. */
int grid_layout_parse(const char *text, struct grid_layout *layout);

/* A folder whose shards are there; its manifest need not be written. */
struct grid_job {
    const struct manifest *manifest;
    const char *folder;
    struct grid_layout layout;
    const struct comm *comm;
    struct memory_budget *budget;
    int threads;
};

/* Writes the grid parts that are missing; ranks take turns. A part takes the memory of its rows and, while a shard of its grid
 * column is read, that of the shard and of a piece of columns. Collective. */
enum status grid_write(const struct grid_job *job, struct grid_report *report, struct error *e);

#endif
