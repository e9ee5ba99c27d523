/* pack_lack.h: the memory and the disk space that a planned packing lacks */
#ifndef DBFS_PACK_LACK_H
#define DBFS_PACK_LACK_H

#include "pack_plan.h"

/* Bytes; 0: there is enough. */
struct pack_lack {
    uint64_t memory;
    uint64_t disk; /* of the folders for temporary files and the folder of the output together */
};

/* Compares the plan with the free memory of this host and the free disk space, in the folders for temporary files and at
 * `output`, which need not exist yet. If `output` is NULL, the graph's own bytes on disk are left out. */
struct pack_lack pack_lack_find(const struct pack_plan *plan, const char *output,
                                const char *const *tmpdirs, int count);

#endif
