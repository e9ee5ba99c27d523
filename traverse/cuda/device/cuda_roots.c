/* cuda_roots.c: brings the roots of a search to the device, for all modes of a search */
#include "cuda_device.h"
#include "cuda_error.h"

#include "traverse/engine/root_set.h"

#include <stdlib.h>

/* Launches the copy of the indices of `roots` to the queue of their kind, in the stream of the delegates. The host's memory is
 * free again when the call returns, as bytes from pageable memory are staged by then. */
static enum status list_roots(struct device *dev, enum vertex_kind kind, const struct root_set *roots, struct error *e)
{
    if (roots->count == 0)
        return e->status;
    uint32_t *index = zeroed(roots->count, sizeof *index, "roots", e);
    for (uint64_t i = 0; i < roots->count && e->status == ST_OK; i++)
        index[i] = roots->root[i].index;
    if (e->status == ST_OK)
        CUDA_TRY(cudaMemcpyAsync(dev->of[kind].queue, index, roots->count * sizeof *index, cudaMemcpyHostToDevice,
                                 dev->stream.of[DELEGATES]),
                 dev->where, e);
    free(index);
    return e->status;
}

/* Sets *to to the roots that the device has. A single root needs no copy. Several are listed in the queues, which no search
 * uses before its first level. */
enum status gpu_take_roots(struct device *dev, const struct root_set *roots, struct gpu_roots *to, struct error *e)
{
    const struct root_set delegates = root_set_of_kind(roots, ROOT_AT_DELEGATE),
                          normals = root_set_of_shard(roots, dev->shard->index);
    *to = (struct gpu_roots){.count = (uint32_t)(delegates.count + normals.count),
                             .delegates = (uint32_t)delegates.count};
    if (to->count > 0)
        to->first = to->delegates > 0 ? delegates.root->index | PARENT_DELEGATE_BIT : normals.root->index;
    if (to->count > 1 && list_roots(dev, DELEGATES, &delegates, e) == ST_OK)
        list_roots(dev, NORMALS, &normals, e);
    return e->status;
}
