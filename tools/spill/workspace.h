/* workspace.h: what work that may not fit into memory needs: the memory budget and the folders for temporary files */
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
    /* bytes of a chunk of spill_stream.h; as many are charged to the budget for each open stream or cursor */
    size_t chunk_bytes;
    int threads;
};

/* Makes a workspace with a budget of `limit_bytes`. Its chunks have a 4096th of that, within bounds. */
void workspace_init(struct workspace *space, const struct cli *cli, uint64_t limit_bytes, int threads);

#endif
