/* own_rows.h: splits the delegates of a shard by owner, for a pull of dd in two parts (enum visit_part of engine.h) */
#ifndef DBFS_OWN_ROWS_H
#define DBFS_OWN_ROWS_H

#include "formats/graph/shard.h"

/* Splits the delegates that have rows for a pull of dd into two masks. own[mask_words(d)] gets the delegates that the
 * shard owns. others[mask_words(d)] gets the other delegates. */
void own_rows_split(const struct shard *shard, uint64_t *own, uint64_t *others);

#endif
