/* workspace.h: the memory budget and the temporary folders of work that may not fit into memory */
#ifndef DBFS_WORKSPACE_H
#define DBFS_WORKSPACE_H

#include "formats/base/cli.h"
#include "formats/base/memory.h"

#include <stddef.h>
#include <stdint.h>

struct workspace {
    struct memory_budget budget;
    const char *folder[CLI_MAX_TMPDIRS];
    int folders;
    /* Chunk size of spill_stream.h. Each open stream or cursor takes this much of the budget. */
    size_t chunk_bytes;
    int threads;
};

/* Makes a budget of `limit_bytes`. The chunk size is a 4096th of it, within bounds. */
void workspace_init(struct workspace *space, const struct cli *cli, uint64_t limit_bytes,
                    int threads);

#endif
