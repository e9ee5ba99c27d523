/* cuda_results.c: copies depths and parents from a GPU; see backend.h */
#include "cuda_device.h"
#include "cuda_error.h"

static enum status copy_visited(struct device *dev, enum vertex_kind kind, void *values,
                                uint32_t none, void *host, struct error *e)
{
    const struct gpu_vertices *v = &dev->of[kind];
    cudaStream_t stream = dev->stream.of[NORMALS];
    cuda_blank_unvisited(values, v->visited, v->count, none, stream);
    if (CUDA_LAUNCHED(dev->where, e) != ST_OK || v->count == 0)
        return e->status;
    return CUDA_TRY(cudaMemcpyAsync(host, values, v->count * 4, cudaMemcpyDeviceToHost, stream),
                    dev->where, e);
}

static enum status wait_for_all(struct device *dev, struct error *e)
{
    if (gpu_use(dev, e) == ST_OK)
        CUDA_TRY(cudaDeviceSynchronize(), dev->where, e);
    return e->status;
}

static enum status gpu_depths(struct device *dev, int32_t *locals, int32_t *delegates,
                              struct error *e)
{
    uint32_t none = (uint32_t)DEPTH_UNREACHED;
    if (wait_for_all(dev, e) == ST_OK && gpu_solo_settle(dev, e) == ST_OK &&
        copy_visited(dev, NORMALS, dev->of[NORMALS].depth, none, locals, e) == ST_OK &&
        copy_visited(dev, DELEGATES, dev->of[DELEGATES].depth, none, delegates, e) == ST_OK)
        wait_for_all(dev, e);
    return e->status;
}

static enum status gpu_parents(struct device *dev, uint32_t *locals, uint32_t *delegates,
                               struct error *e)
{
    uint32_t none = PARENT_NONE;
    if (wait_for_all(dev, e) == ST_OK &&
        copy_visited(dev, NORMALS, dev->of[NORMALS].parent, none, locals, e) == ST_OK &&
        copy_visited(dev, DELEGATES, dev->of[DELEGATES].parent, none, delegates, e) == ST_OK)
        wait_for_all(dev, e);
    return e->status;
}

const struct backend_results cuda_results = {.depths = gpu_depths, .parents = gpu_parents};
