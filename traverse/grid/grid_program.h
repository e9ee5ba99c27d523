/* grid_program.h: the command line of dbfs-traverse-2d */
#ifndef DBFS_GRID_PROGRAM_H
#define DBFS_GRID_PROGRAM_H

#include "grid_search.h"

/* The way of destinations to their owners, by --fold. */
enum grid_fold grid_fold_asked(void);

#endif
