/* cuda_exchange.c: what GPUs give to each other, to the host and to MPI between two levels
 *
 * Inside a rank masks are read straight from the peers' memory, and copied where a GPU cannot see the
 * other; vertices are read there, too, or go by peer copies, which the driver takes through the host
 * where it must.
 */
#include "cuda_device.h"
#include "cuda_error.h"
#include "traverse/exchange/unique.h"

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

int gpu_updated(const struct device *dev)
{
    return dev->updated;
}

/* For other ranks only the first device reads, and hands on to the host; without them every device
 * reads for itself. */
enum status gpu_read_masks(struct device *dev, struct device *const *devices, uint32_t count,
                           uint64_t *mask, struct error *e)
{
    cudaStream_t stream = dev->stream[GPU_DELEGATES];
    size_t bytes = 4 * dev->of[GPU_DELEGATES].words;
    if (or_updates(dev, devices, count, e) != ST_OK || mask == NULL || bytes == 0)
        return e->status;
    if (CUDA_TRY(cudaMemcpyAsync(mask, dev->incoming, bytes, cudaMemcpyDeviceToHost, stream),
                 dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
    return e->status;
}

/* Updates are cleared when every device has read them: what comes in holds them. */
enum status gpu_take_mask(struct device *dev, struct device *const *devices, uint32_t count,
                          const uint64_t *mask, struct error *e)
{
    struct gpu_vertices *own = &dev->of[GPU_DELEGATES];
    cudaStream_t stream = dev->stream[GPU_DELEGATES];
    if (use(dev, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++) {
        if (devices[i] != dev)
            CUDA_TRY(cudaStreamWaitEvent(stream, devices[i]->masks_read, 0), dev->where, e);
    }
    CUDA_TRY(cudaMemsetAsync(own->next, 0, 4 * own->words, stream), dev->where, e);
    if (mask != NULL)
        CUDA_TRY(cudaMemcpyAsync(dev->incoming, mask, 4 * own->words, cudaMemcpyHostToDevice,
                                 stream),
                 dev->where, e);
    dev->in = dev->incoming;
    return e->status;
}

/* ---- memory that MPI sees ---- */

void *gpu_host_take(size_t bytes)
{
    void *memory = NULL;
    return cudaMallocHost(&memory, bytes > 0 ? bytes : 1) == cudaSuccess ? memory : NULL;
}

void gpu_host_release(void *memory)
{
    cudaFreeHost(memory);
}

/* An allocation of its own, which MPI libraries can open in another process. */
void *gpu_exchange_take(struct device *dev, size_t bytes)
{
    void *memory = NULL;
    if (dev->exchange_memory == EXCHANGE_HOST)
        return gpu_host_take(bytes);
    if (cudaSetDevice(dev->ordinal) != cudaSuccess)
        return NULL;
    return cudaMalloc(&memory, bytes) == cudaSuccess ? memory : NULL;
}

void gpu_exchange_release(struct device *dev, void *memory)
{
    if (dev->exchange_memory == EXCHANGE_HOST)
        gpu_host_release(memory);
    else if (cudaSetDevice(dev->ordinal) == cudaSuccess)
        cudaFree(memory);
}

/* ---- vertices ---- */

uint64_t gpu_outgoing(const struct device *dev, uint32_t shard)
{
    if (!dev->binned || shard == dev->shard->index)
        return 0;
    return dev->bins_published[shard + 1] - dev->bins_published[shard];
}

/* Into host memory, this device's or, gathered for it, another one's: the driver knows which. */
enum status gpu_take_outgoing(struct device *dev, uint32_t shard, uint32_t *ids, struct error *e)
{
    cudaStream_t stream = dev->stream[GPU_NORMALS];
    if (use(dev, e) == ST_OK &&
        CUDA_TRY(cudaMemcpyAsync(ids, dev->sent_ids + dev->bins_published[shard],
                                 gpu_outgoing(dev, shard) * sizeof *ids, cudaMemcpyDefault,
                                 stream),
                 dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
    return e->status;
}

/* The counts go by way of the cursors of the bins, which nothing needs when those are full. */
static enum status uniquify_here(struct device *dev, struct outbox *boxes, uint32_t count,
                                 struct error *e)
{
    cudaStream_t stream = dev->stream[GPU_NORMALS];
    size_t bytes = count * sizeof *dev->bin_cursor;
    if (use(dev, e) != ST_OK ||
        CUDA_TRY(cudaMemsetAsync(dev->bin_cursor, 0, bytes, stream), dev->where, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < count; i++)
        cuda_unique(boxes[i].ids, boxes[i].count, dev->seen, dev->seen_words, &dev->bin_cursor[i],
                    stream);
    if (CUDA_LAUNCHED(dev->where, e) == ST_OK &&
        CUDA_TRY(cudaMemcpyAsync(dev->kept_published, dev->bin_cursor, bytes,
                                 cudaMemcpyDeviceToHost, stream),
                 dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++)
        boxes[i].count = dev->kept_published[i];
    return e->status;
}

enum status gpu_uniquify(struct device *dev, struct outbox *boxes, uint32_t count, struct error *e)
{
    if (dev->exchange_memory == EXCHANGE_DEVICE)
        return uniquify_here(dev, boxes, count, e);
    for (uint32_t i = 0; i < count; i++)
        boxes[i].count = unique_ids(boxes[i].ids, boxes[i].count);
    return ST_OK;
}

static void receive_list(struct device *dev, const struct gpu_id_list *list)
{
    cuda_receive(&dev->of[GPU_NORMALS], list, PARENT_REMOTE, &dev->level->bad_ids,
                 dev->stream[GPU_NORMALS]);
}

/* Takes ids in where they lie. */
static enum status receive_here(struct device *dev, const uint32_t *ids, uint64_t count,
                                struct error *e)
{
    struct gpu_id_list list = {.ids = {ids}, .size = {count}, .count = 1};
    receive_list(dev, &list);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Copies ids, from the host where `ordinal` is negative, a piece at a time, and takes them in. */
static enum status receive_copies(struct device *dev, const uint32_t *ids, uint64_t count,
                                  int ordinal, struct error *e)
{
    cudaStream_t stream = dev->stream[GPU_NORMALS];
    for (uint64_t i = 0; i < count && e->status == ST_OK; i += GPU_RECEIVE_IDS) {
        uint64_t piece = count - i < GPU_RECEIVE_IDS ? count - i : GPU_RECEIVE_IDS;
        struct gpu_id_list list = {.ids = {dev->received_ids}, .size = {piece}, .count = 1};
        size_t bytes = piece * sizeof *ids;
        if (ordinal < 0)
            CUDA_TRY(cudaMemcpyAsync(dev->received_ids, ids + i, bytes, cudaMemcpyHostToDevice,
                                     stream),
                     dev->where, e);
        else
            CUDA_TRY(cudaMemcpyPeerAsync(dev->received_ids, dev->ordinal, ids + i, ordinal, bytes,
                                         stream),
                     dev->where, e);
        receive_list(dev, &list);
        CUDA_LAUNCHED(dev->where, e);
    }
    return e->status;
}

enum status gpu_receive(struct device *dev, const uint32_t *ids, uint64_t count, struct error *e)
{
    if (use(dev, e) != ST_OK)
        return e->status;
    return dev->exchange_memory == EXCHANGE_DEVICE ? receive_here(dev, ids, count, e)
                                                   : receive_copies(dev, ids, count, -1, e);
}

/* What a peer holds is read where it lies, all peers' in one launch. */
static enum status receive_peers(struct device *dev, struct device *const *devices, uint32_t count,
                                 struct error *e)
{
    struct gpu_id_list list = {.count = 0};
    uint32_t shard = dev->shard->index;
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++) {
        const struct device *from = devices[i];
        uint64_t size = from == dev ? 0 : gpu_outgoing(from, shard);
        if (size == 0)
            continue;
        const uint32_t *ids = from->sent_ids + from->bins_published[shard];
        if (!can_read(dev->ordinal, from->ordinal)) {
            receive_copies(dev, ids, size, from->ordinal, e);
            continue;
        }
        list.ids[list.count] = ids;
        list.size[list.count++] = size;
        if (list.count == GPU_LIST_SOURCES) {
            receive_list(dev, &list);
            list.count = 0;
        }
    }
    if (list.count > 0)
        receive_list(dev, &list);
    return CUDA_LAUNCHED(dev->where, e);
}

/* What peers found stays as it is until they visit again, for which every device is waited for. */
enum status gpu_receive_local(struct device *dev, struct device *const *devices, uint32_t count,
                              struct error *e)
{
    if (use(dev, e) == ST_OK)
        receive_peers(dev, devices, count, e);
    return e->status;
}
