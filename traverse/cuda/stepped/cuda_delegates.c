/* cuda_delegates.c: GPUs get to know all delegates that they found in a level; see engine.h
 *
 * A GPU reads the masks of its peers (cuda_peers.c). For other ranks the result goes through the host, whole or, if few
 * of its words are not zero, as a list of them, so that a level costs what it found.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* Whether this device reads the memory of another one. */
static int has_peers(const struct device *dev)
{
    return dev->traffic.peers.count > 1;
}

/* Returns the bitmap that has the OR of the peers' updates: `incoming`, or the device's own `next` if it has no peers, or if
 * `incoming` has known delegates. */
static uint32_t *all_updates(const struct device *dev)
{
    return dev->masks.known || !has_peers(dev) ? dev->of[DELEGATES].next : dev->masks.incoming;
}

/* ORs the delegates that peers found into all_updates. Bitmaps that cannot be read in place are first copied into dd's
 * prefix sums, which are free once delegates have been found; dn may still be visited from the delegates' frontier. */
static enum status read_updates(struct device *dev, const int *updating, struct error *e)
{
    cudaStream_t stream = dev->stream.of[DELEGATES];
    size_t bytes = 4 * dev->of[DELEGATES].words;
    uint32_t *staging = (uint32_t *)dev->scratch.scan.prefix;
    if (gpu_use(dev, e) != ST_OK || !has_peers(dev) ||
        (!dev->masks.known &&
         CUDA_TRY(cudaMemsetAsync(dev->masks.incoming, 0, bytes, stream), dev->where, e) != ST_OK) ||
        gpu_or_found(dev, updating, all_updates(dev), staging, e) != ST_OK ||
        CUDA_TRY(cudaEventRecord(dev->stream.masks_read, stream), dev->where, e) != ST_OK)
        return e->status;
    return gpu_host_waits_for(dev, dev->stream.masks_read, e);
}

/* Given `to`, the device also copies the result there, for its whole group, and the host waits for it. The counter of listed
 * words lies in the prefix sums, too, which are free once peers are read. */
enum status gpu_read_masks(struct device *dev, const int *updating, struct mask_update *to, struct error *e)
{
    cudaStream_t stream = dev->stream.of[DELEGATES];
    unsigned long long *counter = (unsigned long long *)dev->scratch.scan.prefix;
    const size_t bytes = 4 * dev->of[DELEGATES].words;
    if (read_updates(dev, updating, e) != ST_OK || to == NULL)
        return e->status;
    to->count = to->most == 0;
    if (to->most > 0) {
        if (CUDA_TRY(cudaMemsetAsync(counter, 0, sizeof *counter, stream), dev->where, e) != ST_OK)
            return e->status;
        cuda_list_words(all_updates(dev), dev->masks.known ? dev->masks.incoming : NULL, bytes / 8, to->words, to->most,
                        counter, stream);
        gpu_fetch(dev, &to->count, counter, sizeof to->count, stream, e);
    }
    to->has_mask = to->count > to->most;
    return to->has_mask && bytes > 0 && e->status == ST_OK ? gpu_fetch(dev, to->mask, all_updates(dev), bytes, stream, e)
                                                           : e->status;
}

/* Makes `incoming` what the next previsit reads, and clears the device's own updates, which `incoming` has, when all
 * peers have read them. */
static enum status clear_updates(struct device *dev, struct error *e)
{
    struct gpu_vertices *own = &dev->of[DELEGATES];
    cudaStream_t stream = dev->stream.of[DELEGATES];
    const struct gpu_peers *p = &dev->traffic.peers;
    if (dev->masks.known)
        cuda_or_mask(dev->masks.incoming, own->next, own->words, 1, stream);
    dev->masks.known = 0;
    CUDA_LAUNCHED(dev->where, e);
    for (uint32_t i = 0; has_peers(dev) && i < p->count && !p->host_waits && e->status == ST_OK; i++)
        CUDA_TRY(cudaStreamWaitEvent(stream, p->all[i].masks_read, 0), dev->where, e);
    CUDA_TRY(cudaMemsetAsync(own->next, 0, 4 * own->words, stream), dev->where, e);
    dev->masks.in = dev->masks.incoming;
    return e->status;
}

/* Fills `incoming` from memory of the host. */
static enum status copy_mask(struct device *dev, const uint64_t *mask, struct error *e)
{
    return CUDA_TRY(cudaMemcpyAsync(dev->masks.incoming, mask, 4 * dev->of[DELEGATES].words, cudaMemcpyHostToDevice,
                                    dev->stream.of[DELEGATES]),
                    dev->where, e);
}

/* Adds known delegates to the device's own finds, so that visits do not find them again. */
enum status gpu_know_mask(struct device *dev, const uint64_t *mask, struct error *e)
{
    struct gpu_vertices *own = &dev->of[DELEGATES];
    if (gpu_use(dev, e) != ST_OK || copy_mask(dev, mask, e) != ST_OK)
        return e->status;
    cuda_or_mask(own->next, dev->masks.incoming, own->words, 1, dev->stream.of[DELEGATES]);
    dev->masks.known = 1;
    return CUDA_LAUNCHED(dev->where, e);
}

/* Fills `incoming` from a list or a mask, or keeps it as gpu_read_masks made it, and makes it the next previsit's input. */
enum status gpu_take_mask(struct device *dev, const struct mask_update *from, struct error *e)
{
    cudaStream_t stream = dev->stream.of[DELEGATES];
    const size_t bytes = 4 * dev->of[DELEGATES].words;
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    if (from->words != NULL) {
        if (CUDA_TRY(cudaMemsetAsync(dev->masks.incoming, 0, bytes, stream), dev->where, e) != ST_OK)
            return e->status;
        cuda_or_words(dev->masks.incoming, bytes / 8, from->words, from->count, stream);
    } else if (from->mask != NULL && copy_mask(dev, from->mask, e) != ST_OK) {
        return e->status;
    }
    return clear_updates(dev, e);
}
