/* cuda_delegates.c: after a visit each GPU learns which delegates any GPU found in the level; see engine.h
 *
 * The delegate mask of a GPU is its bitmap `next` of the delegates that it found. The next previsit needs the OR of the
 * masks of all GPUs, in the bitmap `incoming` of each GPU. A GPU reads the masks of its peers in their memory
 * (cuda_peers.c). For GPUs that are no peers, the OR over a group of peers goes through memory of the host: only its
 * words that are not zero, as a list, if these are few. So a level that found few delegates costs little.
 *
 * A pull of dd may have two parts. Between the parts all GPUs may learn the delegates that the first part found
 * (gpu_know_mask). Then dev->masks.known is 1, `incoming` and `next` both have these delegates, and the list of words
 * leaves them out.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* Returns whether this device has peers other than itself. */
static int has_peers(const struct device *dev)
{
    return dev->traffic.peers.count > 1;
}

/* Returns the bitmap into which the masks of peers are ORed: usually `incoming`, but the device's own `next` if it has no
 * peers, or if `incoming` has the delegates of gpu_know_mask. */
static uint32_t *gathered_mask(const struct device *dev)
{
    return dev->masks.known || !has_peers(dev) ? dev->of[DELEGATES].next : dev->masks.incoming;
}

/* Launches kernels that OR the masks of the peers i with updating[i] into gathered_mask, if there are peers. Then records
 * the event masks_read, for which the host waits if peers cannot. A mask that kernels cannot read in the memory of its
 * peer is first copied to the memory of dd's prefix sums, which is free when the delegates have been found. */
static enum status gather_masks(struct device *dev, const int *updating, struct error *e)
{
    cudaStream_t stream = dev->stream.of[DELEGATES];
    size_t bytes = 4 * dev->of[DELEGATES].words;
    uint32_t *staging = (uint32_t *)dev->scratch.scan.prefix;
    if (gpu_use(dev, e) != ST_OK || !has_peers(dev) ||
        (!dev->masks.known &&
         CUDA_TRY(cudaMemsetAsync(dev->masks.incoming, 0, bytes, stream), dev->where, e) != ST_OK) ||
        gpu_or_found(dev, updating, gathered_mask(dev), staging, e) != ST_OK ||
        CUDA_TRY(cudaEventRecord(dev->stream.masks_read, stream), dev->where, e) != ST_OK)
        return e->status;
    return gpu_host_waits_for(dev, dev->stream.masks_read, e);
}

/* ORs the delegates that the peers i with updating[i] found, and keeps the result for gpu_take_mask if `to` is NULL.
 * Otherwise copies the result to the host for all peers, and waits: to->words gets the words that are not zero, without
 * the delegates of gpu_know_mask. If these are more than to->most, to->mask gets the whole result instead. Sets to->count
 * and to->has_mask. The counter of words lies in the memory of dd's prefix sums, which is free by then. */
enum status gpu_read_masks(struct device *dev, const int *updating, struct mask_update *to, struct error *e)
{
    cudaStream_t stream = dev->stream.of[DELEGATES];
    unsigned long long *counter = (unsigned long long *)dev->scratch.scan.prefix;
    const size_t bytes = 4 * dev->of[DELEGATES].words;
    if (gather_masks(dev, updating, e) != ST_OK || to == NULL)
        return e->status;
    to->count = to->most == 0;
    if (to->most > 0) {
        if (CUDA_TRY(cudaMemsetAsync(counter, 0, sizeof *counter, stream), dev->where, e) != ST_OK)
            return e->status;
        cuda_list_words(gathered_mask(dev), dev->masks.known ? dev->masks.incoming : NULL, bytes / 8, to->words, to->most,
                        counter, stream);
        gpu_fetch(dev, &to->count, counter, sizeof to->count, stream, e);
    }
    to->has_mask = to->count > to->most;
    return to->has_mask && bytes > 0 && e->status == ST_OK ? gpu_fetch(dev, to->mask, gathered_mask(dev), bytes, stream, e)
                                                           : e->status;
}

/* Makes `incoming`, the delegates of the level, the input of the next previsit. After gpu_know_mask first ORs `next` into
 * it. Then the GPU waits until all peers have read the device's mask `next`, and clears it. The host does not wait. */
static enum status pass_mask_on(struct device *dev, struct error *e)
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

/* Launches the copy of a bitmap of delegates from memory of the host to `incoming`. */
static enum status copy_mask(struct device *dev, const uint64_t *mask, struct error *e)
{
    return CUDA_TRY(cudaMemcpyAsync(dev->masks.incoming, mask, 4 * dev->of[DELEGATES].words, cudaMemcpyHostToDevice,
                                    dev->stream.of[DELEGATES]),
                    dev->where, e);
}

/* Tells the device, between the two parts of a pull of dd, which delegates any device found in the first part: the bitmap
 * `mask`, in memory of the host. Launches its copy to `incoming`, and ORs it into `next`, so that the second part does
 * not look for these delegates. The host does not wait, so `mask` must stay unchanged until the visit is over. */
enum status gpu_know_mask(struct device *dev, const uint64_t *mask, struct error *e)
{
    struct gpu_vertices *own = &dev->of[DELEGATES];
    if (gpu_use(dev, e) != ST_OK || copy_mask(dev, mask, e) != ST_OK)
        return e->status;
    cuda_or_mask(own->next, dev->masks.incoming, own->words, 1, dev->stream.of[DELEGATES]);
    dev->masks.known = 1;
    return CUDA_LAUNCHED(dev->where, e);
}

/* Gives the next previsit the delegates that all ranks found, at the end of a level, when all peers have read the masks.
 * They come from the list from->words or the bitmap from->mask, or are already in `incoming` (gpu_read_masks) if both are
 * NULL. Clears `next`. The host does not wait, so *from must stay unchanged until the next previsit. */
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
    return pass_mask_on(dev, e);
}
