/* cuda_frontiers.c: frontiers of nn that GPUs give to devices that are no peers; see backend.h
 *
 * Each message says which vertices of a shard are visited, which serves as well as a frontier, without those that the
 * receiver knows (struct gpu_frontier_update). The bitmap of known vertices is the one in which a pull of nn looks for
 * frontiers. A search begins with the vertices that have no nn edges as known: no pull looks for them.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

enum status gpu_learn_sources(struct device *dev, uint32_t shard, const uint32_t *mask, uint64_t words, struct error *e)
{
    const uint64_t shard_words = dev->traffic.update.shard_words;
    uint32_t *to = dev->traffic.update_sources + shard * shard_words;
    cudaStream_t stream = dev->stream.of[NORMALS];
    if (gpu_use(dev, e) == ST_OK &&
        CUDA_TRY(cudaMemsetAsync(to, 0, shard_words * sizeof *to, stream), dev->where, e) == ST_OK)
        gpu_copy(dev, to, mask, words * sizeof *to, e);
    return e->status;
}

enum status gpu_count_frontiers(struct device *dev, struct error *e)
{
    struct gpu_traffic *t = &dev->traffic;
    cudaStream_t stream = dev->stream.of[NORMALS];
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    if (!t->update_begun)
        cuda_invert(t->update.known, t->update_sources, t->update.p * t->update.shard_words, stream);
    t->update_begun = 1;
    cuda_frontier_update_count(&t->update, stream);
    return gpu_wait(dev, stream, e);
}

uint64_t gpu_frontier_words(const struct device *dev, uint32_t shard)
{
    return dev->traffic.update.words[shard];
}

enum status gpu_read_frontier(struct device *dev, uint32_t *to, struct error *e)
{
    const struct gpu_vertices *normals = &dev->of[NORMALS];
    cudaStream_t stream = dev->stream.of[NORMALS];
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    cuda_frontier_update_write(&dev->traffic.update, dev->shard->index, normals->visited, normals->words, to, stream);
    return gpu_wait(dev, stream, e);
}

enum status gpu_write_frontier(struct device *dev, uint32_t shard, const uint32_t *from, struct error *e)
{
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    cuda_frontier_update_read(&dev->traffic.update, shard, from, dev->stream.of[NORMALS]);
    return CUDA_LAUNCHED(dev->where, e);
}
