/* grid_verify.c: see grid_verify.h */
#include "grid_verify.h"

#include "formats/base/hash.h"
#include "formats/graph/grid_part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* Nonzero if the file of grid part `index` exists. */
static int is_there(const struct grid_shards *shards, uint32_t index)
{
    char name[64];
    char *path = manifest_path(shards->folder, grid_part_name(name, sizeof name, index, shards->manifest->p));
    int there = path != NULL && access(path, F_OK) == 0;
    free(path);
    return there;
}

/* Sums the hashes of a grid part's edges, as nn_sum for a shard. Sources are vertices of the shards in its grid column. */
static uint64_t sum_edges(const struct grid_part *part, uint32_t local_bits)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < part->r; i++) {
        const uint64_t shard = i + part->r * (part->index / part->r);
        for (uint64_t row = part->starts[i]; row < part->starts[i + 1]; row++) {
            for (uint64_t k = part->offsets[row]; k < part->offsets[row + 1]; k++)
                sum += hash_pair(shard << local_bits | part->rows[row], grid_column(part, k));
        }
    }
    return sum;
}

/* Compares the sum over all grid parts with that over the shards. grid_part_open has checked that each part keeps to its grid
 * row and column, so equal sums mean that each edge is in its place. */
static enum status compare_edges(const struct grid_shards *shards, struct error *e)
{
    const struct manifest *m = shards->manifest;
    uint64_t sum = 0, edges = 0;
    uint32_t r = 0;
    for (uint32_t s = 0; s < m->p; s++) {
        struct grid_part part;
        if (grid_part_open(&part, shards->folder, m, shards->locals, shards->local_bits, s, e) != ST_OK)
            return e->status;
        if (s > 0 && part.r != r)
            fail(e, ST_BAD_DATA, "%s: attributes: a grid of %u x %u, and the other parts are of %u x %u",
                 container_path(part.file), part.r, part.c, r, m->p / r);
        r = part.r;
        edges += part.edges;
        sum += sum_edges(&part, shards->local_bits);
        grid_part_close(&part);
        if (e->status != ST_OK)
            return e->status;
    }
    if (edges != m->edges[NN] || sum != shards->nn_sum)
        return fail(e, ST_BAD_DATA, "%s: the grid parts have %" PRIu64 " edges, and they are not the %" PRIu64 " of the shards",
                    shards->folder, edges, m->edges[NN]);
    return ST_OK;
}

/* Checks all grid parts, if there is any; sets *parts to their number, 0 or p. */
enum status grid_verify(const struct grid_shards *shards, uint32_t *parts, struct error *e)
{
    const uint32_t p = shards->manifest->p;
    *parts = 0;
    for (uint32_t s = 0; s < p && *parts == 0; s++)
        *parts = is_there(shards, s) ? p : 0;
    return *parts > 0 ? compare_edges(shards, e) : ST_OK;
}
