/* own_rows.h: the delegates that a shard owns (enum visit_part of engine.h) */
#ifndef DBFS_OWN_ROWS_H
#define DBFS_OWN_ROWS_H

#include "formats/graph/shard.h"

/* Splits the sources of the rows that a pull of dd reads: own[mask_words(d)] gets the delegates that the shard owns,
 * others[mask_words(d)] the rest. */
void own_rows_split(const struct shard *shard, uint64_t *own, uint64_t *others);

#endif
