/* own_rows.h: splits the rows of a pull of dd by owner, so that dd can be pulled in two parts (enum visit_part) */
#ifndef DBFS_OWN_ROWS_H
#define DBFS_OWN_ROWS_H

#include "formats/graph/shard.h"

/* Splits the delegates that have rows for a pull of dd on this shard. own[mask_words(d)] gets the delegates that the
 * shard owns, and others[mask_words(d)] gets all others. */
void own_rows_split(const struct shard *shard, uint64_t *own, uint64_t *others);

#endif
