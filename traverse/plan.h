/* plan.h: prints the device memory that a packed graph will take, before it is searched (dbfs-traverse
 * --plan) */
#ifndef DBFS_PLAN_H
#define DBFS_PLAN_H

#include "formats/base/status.h"

/* Prints on standard output the bytes of every section and working array, for all shards together and for the
 * largest one. The bytes of the graph stand beside those of Table I of Pan et al. No GPU is needed. With
 * `json`, which may be "-", that file gets the same as a JSON object instead. */
enum status plan_print(const char *folder, int parents, const char *json, struct error *e);

#endif
