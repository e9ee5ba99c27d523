/* cuda_frontiers.c: frontiers of nn that GPUs give to devices that are no peers; see engine.h
 *
 * Each message says which vertices of a shard are visited, which serves as well as a frontier, without those that the
 * receiver knows (struct gpu_frontier_update). The bitmap of known vertices is the one in which a pull of nn looks for
 * frontiers. A search begins with the vertices that have no nn edges as known: no pull looks for them.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* Copies the bitmap of a shard's rows of nn, zeroes behind it, to update_sources. */
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

/* Shows nothing to peers: they see the visited bits as the previsit left them, which serve as well as a frontier. */
enum status gpu_show_frontier(struct device *dev, uint32_t *message, uint64_t *words, struct error *e)
{
    const struct gpu_vertices *normals = &dev->of[NORMALS];
    struct gpu_traffic *t = &dev->traffic;
    cudaStream_t stream = dev->stream.of[NORMALS];
    if (message == NULL || gpu_use(dev, e) != ST_OK)
        return e->status;
    if (!t->update_begun)
        cuda_invert(t->update.known, t->update_sources, t->update.p * t->update.shard_words, stream);
    t->update_begun = 1;
    cuda_frontier_update_count(&t->update, stream);
    cuda_frontier_update_write(&t->update, dev->shard->index, normals->visited, normals->words, message, stream);
    if (gpu_wait(dev, stream, e) == ST_OK) {
        for (uint32_t s = 0; s < dev->shard->p; s++)
            words[s] = t->update.words[s];
    }
    return e->status;
}

/* Adds the vertices of a shard's message to the known ones. */
enum status gpu_take_frontier(struct device *dev, uint32_t shard, const uint32_t *message, struct error *e)
{
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    cuda_frontier_update_read(&dev->traffic.update, shard, message, dev->stream.of[NORMALS]);
    return CUDA_LAUNCHED(dev->where, e);
}
