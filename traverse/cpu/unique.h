/* unique.h: drops duplicates among the vertices for one device, in host memory */
#ifndef DBFS_UNIQUE_H
#define DBFS_UNIQUE_H

#include <stdint.h>

/* Drops duplicates from ids[0..count), whose order is lost. Returns how many are left. */
uint64_t unique_ids(uint32_t *ids, uint64_t count);

#endif
