/* workspace.c: see workspace.h */
#include "workspace.h"

#include <string.h>

enum { LEAST_CHUNK_BYTES = 4 << 10, MOST_CHUNK_BYTES = 1 << 20, CHUNKS_IN_BUDGET = 4096 };

/* Begins a budget of `limit_bytes`, and takes the folders for temporary files from *cli. */
void workspace_init(struct workspace *space, const struct cli *cli, uint64_t limit_bytes, int threads)
{
    uint64_t chunk = limit_bytes / CHUNKS_IN_BUDGET / LEAST_CHUNK_BYTES * LEAST_CHUNK_BYTES;
    memset(space, 0, sizeof *space);
    memory_budget_init(&space->budget, limit_bytes);
    space->threads = threads;
    space->chunk_bytes = chunk < LEAST_CHUNK_BYTES  ? LEAST_CHUNK_BYTES
                         : chunk > MOST_CHUNK_BYTES ? MOST_CHUNK_BYTES
                                                    : (size_t)chunk;
    space->folders = cli->tmpdirs > 0 ? cli->tmpdirs : 1;
    for (int i = 0; i < space->folders; i++)
        space->folder[i] = cli_tmpdir(cli, i);
}
