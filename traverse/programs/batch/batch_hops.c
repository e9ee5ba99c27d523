/* batch_hops.c: counts the vertices at each distance from each root of a batch; see batch_hops.h */
#include "batch_hops.h"

#include "formats/base/memory.h"

#include <stdlib.h>

void batch_hops_begin(struct batch_hops *hops, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++)
        hops->levels[r] = 0;
}

/* Notes a distance of a root. The array is kept from batch to batch, and is only grown where it ends. */
void batch_hops_note(struct batch_hops *hops, uint32_t root, uint64_t depth, uint64_t vertices)
{
    uint64_t *grown = memory_grow(hops->vertices[root], depth, sizeof *grown);
    if (grown == NULL) {
        __atomic_store_n(&hops->has_failed, 1, __ATOMIC_RELAXED);
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
