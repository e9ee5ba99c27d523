/* cuda_messages.c: what GPUs give to each other, to the host and to MPI between two levels; see backend.h
 *
 * Within a rank a GPU reads masks and vertices in the memory of the others. If it cannot see that memory, the
 * driver copies them, through the host if there is no other way.
 */
#include "cuda_device.h"
#include "cuda_error.h"

#include <string.h>

enum { MOST_GPUS = 64 };

/* Asked once per pair. */
int gpu_can_read(int from, int to)
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

/* ORs the masks that `dev` cannot read into what comes in to it. Each is first copied to its frontier mask,
 * which nothing needs between two levels. */
static enum status or_copies(struct device *dev, struct device *const *devices, uint32_t count,
                             struct error *e)
{
    struct gpu_vertices *own = &dev->of[DELEGATES];
    cudaStream_t stream = dev->stream.of[DELEGATES];
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++) {
        const struct device *other = devices[i];
        struct gpu_mask_list one = {.mask = {own->frontier}, .count = 1};
        if (!other->masks.updated || gpu_can_read(dev->ordinal, other->ordinal))
            continue;
        CUDA_TRY(cudaMemcpyPeerAsync(own->frontier, dev->ordinal, other->of[DELEGATES].next,
                                     other->ordinal, 4 * own->words, stream),
                 dev->where, e);
        cuda_or_masks(dev->masks.incoming, &one, own->words, 1, stream);
    }
    return e->status;
}

/* What comes in to `dev` becomes the OR of the updates of all devices. */
static enum status or_updates(struct device *dev, struct device *const *devices, uint32_t count,
                              struct error *e)
{
    struct gpu_mask_list list = {.count = 0};
    cudaStream_t stream = dev->stream.of[DELEGATES];
    uint64_t words = dev->of[DELEGATES].words;
    int keep = 0;
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < count; i++) {
        if (!devices[i]->masks.updated || !gpu_can_read(dev->ordinal, devices[i]->ordinal))
            continue;
        list.mask[list.count++] = devices[i]->of[DELEGATES].next;
        if (list.count == GPU_MASK_SOURCES) {
            cuda_or_masks(dev->masks.incoming, &list, words, keep, stream);
            list.count = 0;
            keep = 1;
        }
    }
    if (list.count > 0 || !keep)
        cuda_or_masks(dev->masks.incoming, &list, words, keep, stream);
    if (CUDA_LAUNCHED(dev->where, e) == ST_OK && or_copies(dev, devices, count, e) == ST_OK)
        CUDA_TRY(cudaEventRecord(dev->stream.masks_read, stream), dev->where, e);
    return e->status;
}

static int gpu_updated(const struct device *dev)
{
    return dev->masks.updated;
}

/* With a mask to write, this is the first device of several ranks: the host waits for it. */
static enum status gpu_read_masks(struct device *dev, struct device *const *devices, uint32_t count,
                           uint64_t *mask, struct error *e)
{
    cudaStream_t stream = dev->stream.of[DELEGATES];
    size_t bytes = 4 * dev->of[DELEGATES].words;
    if (or_updates(dev, devices, count, e) != ST_OK || mask == NULL || bytes == 0)
        return e->status;
    if (CUDA_TRY(cudaMemcpyAsync(mask, dev->masks.incoming, bytes, cudaMemcpyDeviceToHost, stream),
                 dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
    return e->status;
}

/* The device's own updates are part of what comes in. They are cleared when all devices have read them. */
static enum status gpu_take_mask(struct device *dev, struct device *const *devices, uint32_t count,
                          const uint64_t *mask, struct error *e)
{
    struct gpu_vertices *own = &dev->of[DELEGATES];
    cudaStream_t stream = dev->stream.of[DELEGATES];
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++) {
        if (devices[i] != dev)
            CUDA_TRY(cudaStreamWaitEvent(stream, devices[i]->stream.masks_read, 0), dev->where, e);
    }
    CUDA_TRY(cudaMemsetAsync(own->next, 0, 4 * own->words, stream), dev->where, e);
    if (mask != NULL)
        CUDA_TRY(cudaMemcpyAsync(dev->masks.incoming, mask, 4 * own->words, cudaMemcpyHostToDevice,
                                 stream),
                 dev->where, e);
    dev->masks.in = dev->masks.incoming;
    return e->status;
}

/* ---- memory that MPI sees ---- */

static void *gpu_host_take(size_t bytes)
{
    void *memory = NULL;
    return cudaMallocHost(&memory, bytes > 0 ? bytes : 1) == cudaSuccess ? memory : NULL;
}

static void gpu_host_release(void *memory)
{
    cudaFreeHost(memory);
}

/* Each buffer is an allocation of its own, which MPI libraries can open in another process. */
static void *gpu_exchange_take(struct device *dev, size_t bytes)
{
    void *memory = NULL;
    if (dev->traffic.memory == EXCHANGE_HOST)
        return gpu_host_take(bytes);
    if (cudaSetDevice(dev->ordinal) != cudaSuccess)
        return NULL;
    return cudaMalloc(&memory, bytes) == cudaSuccess ? memory : NULL;
}

static void gpu_exchange_release(struct device *dev, void *memory)
{
    if (dev->traffic.memory == EXCHANGE_HOST)
        gpu_host_release(memory);
    else if (cudaSetDevice(dev->ordinal) == cudaSuccess)
        cudaFree(memory);
}

/* ---- vertices ---- */

static uint64_t gpu_outgoing(const struct device *dev, uint32_t shard)
{
    if (!dev->traffic.binned || shard == dev->shard->index)
        return 0;
    return dev->traffic.bins.published[shard + 1] - dev->traffic.bins.published[shard];
}

/* The driver knows where `ids` lies: in host memory, or in that of this or another device. */
static enum status gpu_take_outgoing(struct device *dev, uint32_t shard, uint32_t *ids,
                                     struct error *e)
{
    cudaStream_t stream = dev->stream.of[NORMALS];
    if (gpu_use(dev, e) == ST_OK &&
        CUDA_TRY(cudaMemcpyAsync(ids, dev->traffic.bins.ids + dev->traffic.bins.published[shard],
                                 gpu_outgoing(dev, shard) * sizeof *ids, cudaMemcpyDefault,
                                 stream),
                 dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
    return e->status;
}

/* Counts on the device what is left of each box, in the cursors of the bins, which are free once the bins are
 * full. */
static enum status gpu_uniquify(struct device *dev, struct outbox *boxes, uint32_t count,
                                struct error *e)
{
    struct gpu_traffic *t = &dev->traffic;
    cudaStream_t stream = dev->stream.of[NORMALS];
    size_t bytes = count * sizeof *t->kept;
    if (gpu_use(dev, e) != ST_OK ||
        CUDA_TRY(cudaMemsetAsync(t->bins.cursor, 0, bytes, stream), dev->where, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < count; i++)
        cuda_unique(boxes[i].ids, boxes[i].count, t->seen, t->seen_words, &t->bins.cursor[i],
                    stream);
    if (CUDA_LAUNCHED(dev->where, e) == ST_OK &&
        CUDA_TRY(cudaMemcpyAsync(t->kept, t->bins.cursor, bytes, cudaMemcpyDeviceToHost, stream),
                 dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++)
        boxes[i].count = t->kept[i];
    return e->status;
}

static void receive_list(struct device *dev, const struct gpu_id_list *list)
{
    cuda_receive(&dev->of[NORMALS], list, PARENT_REMOTE, &dev->counters.level->bad_ids,
                 dev->stream.of[NORMALS]);
}

/* Takes in ids that lie in memory of this device. */
static enum status receive_here(struct device *dev, const uint32_t *ids, uint64_t count,
                                struct error *e)
{
    struct gpu_id_list list = {.ids = {ids}, .size = {count}, .count = 1};
    receive_list(dev, &list);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Copies ids a piece at a time and takes them in. They are on GPU `ordinal`, or on the host if that is
 * negative. */
static enum status receive_copies(struct device *dev, const uint32_t *ids, uint64_t count,
                                  int ordinal, struct error *e)
{
    cudaStream_t stream = dev->stream.of[NORMALS];
    for (uint64_t i = 0; i < count && e->status == ST_OK; i += GPU_RECEIVE_IDS) {
        uint64_t piece = count - i < GPU_RECEIVE_IDS ? count - i : GPU_RECEIVE_IDS;
        struct gpu_id_list list = {.ids = {dev->traffic.received}, .size = {piece}, .count = 1};
        size_t bytes = piece * sizeof *ids;
        if (ordinal < 0)
            CUDA_TRY(cudaMemcpyAsync(dev->traffic.received, ids + i, bytes, cudaMemcpyHostToDevice,
                                     stream),
                     dev->where, e);
        else
            CUDA_TRY(cudaMemcpyPeerAsync(dev->traffic.received, dev->ordinal, ids + i, ordinal,
                                         bytes, stream),
                     dev->where, e);
        receive_list(dev, &list);
        CUDA_LAUNCHED(dev->where, e);
    }
    return e->status;
}

static enum status gpu_receive(struct device *dev, const uint32_t *ids, uint64_t count,
                               struct error *e)
{
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    return dev->traffic.memory == EXCHANGE_DEVICE ? receive_here(dev, ids, count, e)
                                                   : receive_copies(dev, ids, count, -1, e);
}

/* Takes in what peers found for this device: in one launch from those whose memory it can read, and as copies
 * from the others. */
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
        const uint32_t *ids = from->traffic.bins.ids + from->traffic.bins.published[shard];
        if (!gpu_can_read(dev->ordinal, from->ordinal)) {
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

static enum status gpu_receive_local(struct device *dev, struct device *const *devices,
                                     uint32_t count, struct error *e)
{
    if (gpu_use(dev, e) == ST_OK)
        receive_peers(dev, devices, count, e);
    return e->status;
}

const struct backend_messages cuda_messages = {
    .exchange_take = gpu_exchange_take,
    .exchange_release = gpu_exchange_release,
    .host_take = gpu_host_take,
    .host_release = gpu_host_release,
    .outgoing = gpu_outgoing,
    .take_outgoing = gpu_take_outgoing,
    .uniquify = gpu_uniquify,
    .receive = gpu_receive,
    .receive_local = gpu_receive_local,
    .updated = gpu_updated,
    .read_masks = gpu_read_masks,
    .take_mask = gpu_take_mask,
};
