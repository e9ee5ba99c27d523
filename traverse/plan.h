/* plan.h: dbfs-traverse --plan: the device memory that a packed graph will take, known beforehand */
#ifndef DBFS_PLAN_H
#define DBFS_PLAN_H

#include "formats/base/status.h"

#include <stdio.h>

/* Bytes of every section and working array, of all shards together and of the largest, with Table I
 * of Pan et al. beside the graph's share. No GPU is needed. */
enum status plan_print(const char *folder, int parents, FILE *out, struct error *e);

#endif
