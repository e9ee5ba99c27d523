/* cpu_results.c: depths and parents of devices of the CPU; see backend.h */
#include "cpu_device.h"

#include <string.h>

static void copy_depths(const struct device *dev, uint64_t count, const uint64_t *visited,
                        const int32_t *depth, int32_t *to)
{
#pragma omp parallel for num_threads(threads_for(dev, count)) schedule(static)
    for (uint64_t i = 0; i < count; i++)
        to[i] = mask_bit(visited, i) ? depth[i] : DEPTH_UNREACHED;
}

static enum status cpu_depths(struct device *dev, int32_t *locals, int32_t *delegates,
                              struct error *e)
{
    (void)e;
    copy_depths(dev, dev->shard->locals, dev->normals.visited, dev->normals.depth, locals);
    copy_depths(dev, dev->shard->d, dev->delegates.visited, dev->delegates.depth, delegates);
    return ST_OK;
}

static enum status cpu_parents(struct device *dev, uint32_t *locals, uint32_t *delegates,
                               struct error *e)
{
    (void)e;
    for (uint64_t i = 0; i < dev->shard->locals; i++)
        locals[i] = mask_bit(dev->normals.visited, i) ? dev->normals.parent[i] : PARENT_NONE;
    memcpy(delegates, dev->delegates.parent, dev->shard->d * sizeof *delegates);
    return ST_OK;
}

const struct backend_results cpu_results = {.depths = cpu_depths, .parents = cpu_parents};
