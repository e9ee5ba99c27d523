/* pack_list.h: prints what a shard directory holds: facts, sizes of sections, and its device bytes
 * beside what Table I of Pan et al. and plain formats would take
 */
#ifndef DBFS_PACK_LIST_H
#define DBFS_PACK_LIST_H

#include "formats/base/status.h"

#include <stdio.h>

enum status pack_list(const char *folder, FILE *stream, struct error *e);

#endif
