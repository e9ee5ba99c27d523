/* cuda_delegates.c: after a visit each GPU learns which delegates any GPU found in the level; see engine.h
 *
 * The delegate mask of a GPU is its bitmap `next` of the delegates that it found. The next previsit needs the OR of the masks
 * of all GPUs, in the bitmap `incoming` of each GPU. A GPU reads the masks of its peers in their memory (cuda_peers.c). For
 * GPUs that are no peers, each group of peers copies its OR to memory of the host, which ranks exchange. If few words of this
 * OR are not zero, only these words are copied, as a list. So a level that found few delegates costs little.
 *
 * A pull of dd may have two parts. Between the parts all GPUs may learn the delegates that the first part found
 * (gpu_know_mask). Then masks.has_known is 1, and `incoming` and `next` both have these delegates. Lists of words leave them
 * out.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* Returns whether this device has peers other than itself. */
static int has_peers(const struct device *dev)
{
    return dev->traffic.peers.count > 1;
}

/* Returns the bitmap into which the masks of peers are ORed. This is `incoming`, except that it is this device's `next` if
 * there are no peers, or if `incoming` is in use for the delegates of gpu_know_mask. */
static uint32_t *gathered_mask(const struct device *dev)
{
    return dev->masks.has_known || !has_peers(dev) ? dev->of[DELEGATES].next : dev->masks.incoming;
}

/* If there are peers, launches kernels that OR the masks of the peers i with updating[i] into gathered_mask, and records the
 * event masks_read behind them. The host waits for this event if the GPUs of peers cannot. If kernels cannot read the memory of
 * a peer, its mask is first copied to the memory of dd's prefix sums, which no visit uses at this time. */
static enum status gather_masks(struct device *dev, const int *updating, struct error *e)
{
    cudaStream_t stream = dev->stream.of[DELEGATES];
    size_t bytes = 4 * dev->of[DELEGATES].words;
    uint32_t *staging = (uint32_t *)dev->scratch.scan.prefix;
    if (gpu_use(dev, e) != ST_OK || !has_peers(dev) ||
        (!dev->masks.has_known &&
         CUDA_TRY(cudaMemsetAsync(dev->masks.incoming, 0, bytes, stream), dev->where, e) != ST_OK) ||
        gpu_or_found(dev, updating, gathered_mask(dev), staging, e) != ST_OK ||
        CUDA_TRY(cudaEventRecord(dev->stream.masks_read, stream), dev->where, e) != ST_OK)
        return e->status;
    return gpu_host_waits_for(dev, dev->stream.masks_read, e);
}

/* ORs the delegates that the peers i with updating[i] found. If `to` is NULL, only keeps the result on the device, for
 * gpu_take_mask. Otherwise also copies the result to the host, and waits: to->words gets its words that are not zero, without
 * the delegates of gpu_know_mask. If there are more than to->most such words, to->mask gets the whole result instead. Sets
 * to->count and to->has_mask. The words are counted in the memory of dd's prefix sums, which no visit uses at this time. */
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
        cuda_list_words(gathered_mask(dev), dev->masks.has_known ? dev->masks.incoming : NULL, bytes / 8, to->words, to->most,
                        counter, stream);
        gpu_fetch(dev, &to->count, counter, sizeof to->count, stream, e);
    }
    to->has_mask = to->count > to->most;
    return to->has_mask && bytes > 0 && e->status == ST_OK ? gpu_fetch(dev, to->mask, gathered_mask(dev), bytes, stream, e)
                                                           : e->status;
}

/* Makes `incoming` the input of the next previsit, and clears `next`. After gpu_know_mask, first adds `next` to `incoming`,
 * which lacks some of its delegates. The GPU clears `next` when all peers have read it. The host does not wait. */
static enum status pass_mask_on(struct device *dev, struct error *e)
{
    struct gpu_vertices *own = &dev->of[DELEGATES];
    cudaStream_t stream = dev->stream.of[DELEGATES];
    const struct gpu_peers *p = &dev->traffic.peers;
    if (dev->masks.has_known)
        cuda_or_mask(dev->masks.incoming, own->next, own->words, 1, stream);
    dev->masks.has_known = 0;
    CUDA_LAUNCHED(dev->where, e);
    for (uint32_t i = 0; has_peers(dev) && i < p->count && !p->host_waits && e->status == ST_OK; i++)
        CUDA_TRY(cudaStreamWaitEvent(stream, p->all[i].masks_read, 0), dev->where, e);
    CUDA_TRY(cudaMemsetAsync(own->next, 0, 4 * own->words, stream), dev->where, e);
    dev->masks.next_input = dev->masks.incoming;
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
 * `mask`, in memory of the host. Launches a copy of the bitmap to `incoming`, and an OR into `next`, so that the second part
 * does not look for these delegates. The host does not wait, so `mask` must stay unchanged until the visit is over. */
enum status gpu_know_mask(struct device *dev, const uint64_t *mask, struct error *e)
{
    struct gpu_vertices *own = &dev->of[DELEGATES];
    if (gpu_use(dev, e) != ST_OK || copy_mask(dev, mask, e) != ST_OK)
        return e->status;
    cuda_or_mask(own->next, dev->masks.incoming, own->words, 1, dev->stream.of[DELEGATES]);
    dev->masks.has_known = 1;
    return CUDA_LAUNCHED(dev->where, e);
}

/* Gives the next previsit the delegates that all ranks found in a level. Called when all peers have called read_masks. The
 * delegates are in the list from->words or in the bitmap from->mask. If both are NULL, gpu_read_masks has already put them into
 * `incoming`. Clears `next`. The host does not wait, so *from must stay unchanged until the next previsit. */
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
