/* unique.h: drops duplicates from a list of vertices in host memory */
#ifndef DBFS_UNIQUE_H
#define DBFS_UNIQUE_H

#include <stdint.h>

/* Drops duplicates from ids[0..count), and changes the order of the ids. Returns the number of remaining ids, which are
 * at the front of ids[]. Cannot fail. */
uint64_t unique_ids(uint32_t *ids, uint64_t count);

#endif
