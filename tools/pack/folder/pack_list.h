/* pack_list.h: prints what a shard directory holds: facts, sizes of sections, and the bytes that the graph takes on devices,
 * compared with Table I of Pan et al. and with plain formats */
#ifndef DBFS_PACK_LIST_H
#define DBFS_PACK_LIST_H

#include "formats/base/status.h"

#include <stdio.h>

/* With `json`, as a JSON object. */
enum status pack_list(const char *folder, int json, FILE *stream, struct error *e);

#endif
