/* unique.h: drops duplicates from a list of vertices in host memory */
#ifndef DBFS_UNIQUE_H
#define DBFS_UNIQUE_H

#include <stdint.h>

/* Drops duplicates from ids[0..count), in any order. Returns how many ids are left, at the front of ids[]. Cannot fail. */
uint64_t unique_ids(uint32_t *ids, uint64_t count);

#endif
