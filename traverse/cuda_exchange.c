/* cuda_exchange.c: what GPUs give to each other and to the host between two levels
 *
 * Inside a rank masks are read straight from the peers' memory (DESIGN: 12 us for four masks of
 * 512 KiB over NVLink), and copied where a GPU cannot see the other; vertices go by peer copies,
 * which the driver takes through the host where it must.
 */
#include "cuda_device.h"
#include "cuda_error.h"

#include <string.h>

enum { MOST_GPUS = 64 };

static enum status use(const struct device *dev, struct error *e)
{
    return CUDA_TRY(cudaSetDevice(dev->ordinal), dev->where, e);
}

/* Whether GPU `from` can read the memory of `to`; the current GPU is `from`. Asked once per pair. */
static int can_read(int from, int to)
{
    static signed char known[MOST_GPUS][MOST_GPUS]; /* 0: not asked, 1: yes, -1: no */
    int possible = 0;
    if (from == to)
        return 1;
    if (from >= MOST_GPUS || to >= MOST_GPUS)
        return 0;
    if (known[from][to] == 0) {
        if (cudaDeviceCanAccessPeer(&possible, from, to) == cudaSuccess && possible) {
            cudaError_t enabled = cudaDeviceEnablePeerAccess(to, 0);
            possible = enabled == cudaSuccess || enabled == cudaErrorPeerAccessAlreadyEnabled;
        }
        cudaGetLastError(); /* a refusal is an answer */
        known[from][to] = possible ? 1 : -1;
    }
    return known[from][to] > 0;
}

/* ---- masks ---- */

/* Adds the masks that `dev` cannot read itself, one after the other, by way of its frontier mask,
 * which nothing needs between two levels. */
static enum status or_copies(struct device *dev, struct device *const *devices, uint32_t count,
                             struct error *e)
{
    struct gpu_vertices *own = &dev->of[GPU_DELEGATES];
    cudaStream_t stream = dev->stream[GPU_DELEGATES];
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++) {
        const struct device *other = devices[i];
        struct gpu_mask_list one = {.mask = {own->frontier}, .count = 1};
        if (!other->updated || can_read(dev->ordinal, other->ordinal))
            continue;
        CUDA_TRY(cudaMemcpyPeerAsync(own->frontier, dev->ordinal, other->of[GPU_DELEGATES].next,
                                     other->ordinal, 4 * own->words, stream),
                 dev->where, e);
        cuda_or_masks(dev->incoming, &one, own->words, 1, stream);
    }
    return e->status;
}

/* ORs the updates of all devices into what comes in to `dev`. */
static enum status or_updates(struct device *dev, struct device *const *devices, uint32_t count,
                              struct error *e)
{
    struct gpu_mask_list list = {.count = 0};
    cudaStream_t stream = dev->stream[GPU_DELEGATES];
    uint64_t words = dev->of[GPU_DELEGATES].words;
    int keep = 0;
    if (use(dev, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < count; i++) {
        if (!devices[i]->updated || !can_read(dev->ordinal, devices[i]->ordinal))
            continue;
        list.mask[list.count++] = devices[i]->of[GPU_DELEGATES].next;
        if (list.count == GPU_MASK_SOURCES) {
            cuda_or_masks(dev->incoming, &list, words, keep, stream);
            list.count = 0;
            keep = 1;
        }
    }
    if (list.count > 0 || !keep)
        cuda_or_masks(dev->incoming, &list, words, keep, stream);
    if (CUDA_LAUNCHED(dev->where, e) == ST_OK && or_copies(dev, devices, count, e) == ST_OK)
        CUDA_TRY(cudaEventRecord(dev->masks_read, stream), dev->where, e);
    return e->status;
}

enum status gpu_gather_masks(struct device *const *devices, uint32_t count, uint64_t *mask,
                             int *updated, struct error *e)
{
    struct device *first = devices[0];
    cudaStream_t stream = first->stream[GPU_DELEGATES];
    size_t bytes = 4 * first->of[GPU_DELEGATES].words;
    *updated = 0;
    for (uint32_t i = 0; i < count; i++)
        *updated |= devices[i]->updated;
    if (!*updated) {
        if (mask != NULL)
            memset(mask, 0, bytes);
        return ST_OK;
    }
    /* without other ranks every device reads all masks by itself */
    for (uint32_t i = 0; i < (mask == NULL ? count : 1); i++) {
        if (or_updates(devices[i], devices, count, e) != ST_OK)
            return e->status;
    }
    if (mask == NULL || bytes == 0)
        return ST_OK;
    if (CUDA_TRY(cudaMemcpyAsync(mask, first->incoming, bytes, cudaMemcpyDeviceToHost, stream),
                 first->where, e) == ST_OK)
        CUDA_TRY(cudaStreamSynchronize(stream), first->where, e);
    return e->status;
}

/* After every device has read the updates of `dev` they are cleared: what came in holds them. */
static enum status take_in(struct device *dev, struct device *const *devices, uint32_t count,
                           const uint64_t *mask, struct error *e)
{
    struct gpu_vertices *own = &dev->of[GPU_DELEGATES];
    cudaStream_t stream = dev->stream[GPU_DELEGATES];
    if (use(dev, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < (mask == NULL ? count : 1) && e->status == ST_OK; i++)
        CUDA_TRY(cudaStreamWaitEvent(stream, devices[i]->masks_read, 0), dev->where, e);
    CUDA_TRY(cudaMemsetAsync(own->next, 0, 4 * own->words, stream), dev->where, e);
    if (mask != NULL)
        CUDA_TRY(cudaMemcpyAsync(dev->incoming, mask, 4 * own->words, cudaMemcpyHostToDevice,
                                 stream),
                 dev->where, e);
    dev->in = dev->incoming;
    return e->status;
}

enum status gpu_spread_mask(struct device *const *devices, uint32_t count, const uint64_t *mask,
                            struct error *e)
{
    for (uint32_t i = 0; i < count; i++) {
        if (take_in(devices[i], devices, count, mask, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* ---- vertices ---- */

uint64_t gpu_outgoing(const struct device *dev, uint32_t shard)
{
    if (!dev->binned || shard == dev->shard->index)
        return 0;
    return dev->bins_published[shard + 1] - dev->bins_published[shard];
}

enum status gpu_take_outgoing(struct device *dev, uint32_t shard, uint32_t *ids, struct error *e)
{
    cudaStream_t stream = dev->stream[GPU_NORMALS];
    if (use(dev, e) == ST_OK &&
        CUDA_TRY(cudaMemcpyAsync(ids, dev->sent_ids + dev->bins_published[shard],
                                 gpu_outgoing(dev, shard) * sizeof *ids, cudaMemcpyDeviceToHost,
                                 stream),
                 dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
    return e->status;
}

/* Copies `count` ids from where `copy` says, a piece at a time, and takes them in. */
static enum status take_ids(struct device *dev, const uint32_t *ids, uint64_t count, int ordinal,
                            struct error *e)
{
    cudaStream_t stream = dev->stream[GPU_NORMALS];
    for (uint64_t i = 0; i < count && e->status == ST_OK; i += GPU_RECEIVE_IDS) {
        uint64_t piece = count - i < GPU_RECEIVE_IDS ? count - i : GPU_RECEIVE_IDS;
        size_t bytes = piece * sizeof *ids;
        if (ordinal < 0)
            CUDA_TRY(cudaMemcpyAsync(dev->received_ids, ids + i, bytes, cudaMemcpyHostToDevice,
                                     stream),
                     dev->where, e);
        else
            CUDA_TRY(cudaMemcpyPeerAsync(dev->received_ids, dev->ordinal, ids + i, ordinal, bytes,
                                         stream),
                     dev->where, e);
        cuda_receive(&dev->of[GPU_NORMALS], dev->received_ids, piece, PARENT_REMOTE,
                     &dev->level->bad_ids, stream);
        CUDA_LAUNCHED(dev->where, e);
    }
    return e->status;
}

enum status gpu_receive(struct device *dev, const uint32_t *ids, uint64_t count, struct error *e)
{
    if (use(dev, e) == ST_OK)
        take_ids(dev, ids, count, -1, e);
    return e->status;
}

enum status gpu_deliver(struct device *from, struct device *to, struct error *e)
{
    uint32_t shard = to->shard->index;
    if (use(to, e) != ST_OK || take_ids(to, from->sent_ids + from->bins_published[shard],
                                        gpu_outgoing(from, shard), from->ordinal, e) != ST_OK)
        return e->status;
    /* the next level's vertices must not overwrite what is still being read */
    if (CUDA_TRY(cudaEventRecord(to->ids_read, to->stream[GPU_NORMALS]), to->where, e) == ST_OK &&
        use(from, e) == ST_OK)
        CUDA_TRY(cudaStreamWaitEvent(from->stream[GPU_NORMALS], to->ids_read, 0), from->where, e);
    return e->status;
}
