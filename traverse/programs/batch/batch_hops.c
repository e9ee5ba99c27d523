/* batch_hops.c: counts the vertices at each distance from each root of a batch; see batch_hops.h */
#include "batch_hops.h"

#include "formats/base/memory.h"

#include <stdlib.h>

void batch_hops_begin(struct batch_hops *hops, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++)
        hops->levels[r] = 0;
}

/* Notes a distance of a root. The array is kept from batch to batch. After a failure, which may have left it too short for this
 * distance, nothing is noted. */
void batch_hops_note(struct batch_hops *hops, uint32_t root, uint64_t depth, uint64_t vertices)
{
    const int failed = __atomic_load_n(&hops->failed_bytes, __ATOMIC_RELAXED) > 0;
    uint64_t *grown = failed ? NULL : memory_grow(hops->vertices[root], depth, sizeof *grown);
    if (grown == NULL) {
        __atomic_store_n(&hops->failed_bytes, 2 * (depth + 1) * sizeof *grown, __ATOMIC_RELAXED);
        return;
    }
    grown[depth] = vertices;
    hops->vertices[root] = grown;
    hops->levels[root] = depth + 1;
}

void batch_hops_close(struct batch_hops *hops)
{
    for (int r = 0; r < BATCH_MOST; r++)
        free(hops->vertices[r]);
    *hops = (struct batch_hops){0};
}
