/* workspace.h: the memory and the folders that work beyond the memory is held to */
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
    size_t chunk_bytes; /* of spill_stream.h: also what each open stream or cursor takes of the budget */
    int threads;
};

/* `limit_bytes` becomes the budget; the chunks are a 4096th of it, within bounds. */
void workspace_init(struct workspace *space, const struct cli *cli, uint64_t limit_bytes,
                    int threads);

#endif
