/* backend_table.h: the functions that a program has of its own for the devices of a backend */
#ifndef DBFS_BACKEND_TABLE_H
#define DBFS_BACKEND_TABLE_H

#include "engine.h"

/* Returns the program's own table of functions for the devices of a backend: `on_cpu` or `on_gpu`. A table is NULL if the
 * program, or this build of it, does not have it. Returns NULL and fails with ST_RUNTIME if the backend has no table. */
const void *backend_table(const struct backend *backend, const void *on_cpu, const void *on_gpu, struct error *e);

#endif
