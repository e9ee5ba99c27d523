/* cuda_frontiers.c: messages that tell the frontier of a GPU to devices that are no peers, before nn is pulled; see engine.h
 *
 * A message says which normals of a shard are visited. A pull may look for visited vertices in place of the frontier, because
 * an unvisited vertex has no neighbour that was visited before the frontier. It looks in the bitmap `known` (struct
 * gpu_frontier_update of cuda_kernels.h). Messages have no bits for vertices that are in `known` already. At first it has the
 * vertices without edges of nn, which no pull meets.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* Tells the device which normals of a shard have edges of nn: copies mask[words], memory of the host, to the shard's words of
 * update_sources, clears the shard's other words, and waits. Called once for each shard, when devices have joined. */
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

/* Writes the message about this device's shard to `message`, host memory that the device can write, and waits. words[s] becomes
 * the number of 32-bit words of the message about each shard s. If `message` is NULL, does nothing, because peers read the
 * visited bits of this device in its memory. Called before nn is pulled. */
enum status gpu_show_frontier(struct device *dev, uint32_t *message, uint64_t *words, struct error *e)
{
    const struct gpu_vertices *normals = &dev->of[NORMALS];
    struct gpu_traffic *t = &dev->traffic;
    cudaStream_t stream = dev->stream.of[NORMALS];
    if (message == NULL || gpu_use(dev, e) != ST_OK)
        return e->status;
    if (!t->update_begun) /* the first message of the search: only vertices without nn edges are known */
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

/* Launches a kernel that reads the message about another shard, and adds the visited vertices to `known`, where a pull of
 * nn looks for them. `message` is memory of the host, and must stay unchanged until the visit is over. */
enum status gpu_take_frontier(struct device *dev, uint32_t shard, const uint32_t *message, struct error *e)
{
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    cuda_frontier_update_read(&dev->traffic.update, shard, message, dev->stream.of[NORMALS]);
    return CUDA_LAUNCHED(dev->where, e);
}
