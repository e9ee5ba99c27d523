/* cuda_messages.c: vertices that leave a GPU and arrive, between two levels; see engine.h
 *
 * A GPU reads vertices in the memory of its peers (cuda_peers.c). For other ranks they go through buffers, which MPI sends.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* ---- memory that MPI sees ---- */

/* Each buffer of device memory is an allocation of its own, which MPI libraries can open in another process. */
void *gpu_take_buffer(struct device *dev, enum exchange_memory kind, size_t bytes, const char *what, struct error *e)
{
    void *memory = NULL;
    if (gpu_use(dev, e) != ST_OK)
        return NULL;
    if (bytes == 0)
        bytes = 1;
    cudaError_t code = kind == EXCHANGE_HOST ? cudaMallocHost(&memory, bytes) : cudaMalloc(&memory, bytes);
    if (code == cudaErrorMemoryAllocation)
        fail_memory(e, what, bytes);
    else if (code != cudaSuccess) /* a GPU that is lost gives none, either */
        fail(e, ST_RUNTIME, "%s: %s", what, cudaGetErrorString(code));
    return memory;
}

/* Frees memory of gpu_take_buffer. */
void gpu_release_buffer(struct device *dev, enum exchange_memory kind, void *memory)
{
    if (kind == EXCHANGE_HOST)
        cudaFreeHost(memory);
    else if (cudaSetDevice(dev->ordinal) == cudaSuccess)
        cudaFree(memory);
}

/* ---- vertices ---- */

/* Returns memory for dropping duplicates: the codes are free once the bins are full. */
static struct gpu_seen seen_by(const struct device *dev)
{
    const struct gpu_traffic *t = &dev->traffic;
    return (struct gpu_seen){.mask = t->sent_mask,
                             .words = gpu_mask_words(UINT64_C(1) << dev->shard->local_bits),
                             .kept = (uint32_t *)t->bins.codes,
                             .capacity = 2 * dev->shard->csr[NN].edges};
}

/* Prepares to drop duplicates of `count` lists: clears the counts of ids left, which lie in the bins' cursors, since full
 * bins need none, and the bitmap of ids seen, sent_mask, which a level with lists does not send. */
static enum status clear_seen(struct device *dev, uint32_t count, struct error *e)
{
    struct gpu_traffic *t = &dev->traffic;
    cudaStream_t stream = dev->stream.of[NORMALS];
    CUDA_TRY(cudaMemsetAsync(t->sent_mask, 0, 4 * seen_by(dev).words, stream), dev->where, e);
    return CUDA_TRY(cudaMemsetAsync(t->bins.cursor, 0, count * sizeof *t->kept, stream), dev->where,
                    e);
}

/* Does nothing if no list has ids: in a level with bitmaps sent_mask is in use. Buffers in memory of the host are pinned:
 * kernels read each id once over the link, and write the ids that are left. */
enum status gpu_uniquify(struct device *dev, struct vertex_span *spans, uint32_t count, struct error *e)
{
    struct gpu_traffic *t = &dev->traffic;
    const struct gpu_seen seen = seen_by(dev);
    cudaStream_t stream = dev->stream.of[NORMALS];
    uint64_t ids = 0;
    for (uint32_t i = 0; i < count; i++)
        ids += spans[i].form == OUTGOING_LIST ? spans[i].count : 0;
    if (ids == 0 || gpu_use(dev, e) != ST_OK || clear_seen(dev, count, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < count; i++) {
        if (spans[i].form == OUTGOING_LIST)
            cuda_unique(spans[i].ids, spans[i].count, &seen, &t->bins.cursor[i], stream);
    }
    gpu_fetch(dev, t->kept, t->bins.cursor, count * sizeof *t->kept, stream, e);
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++) {
        if (spans[i].form == OUTGOING_LIST)
            spans[i].count = t->kept[i];
    }
    return e->status;
}

/* The driver knows where `to` lies: in host memory, or in that of this or another device. Host memory for messages is
 * pinned, and kernels can write it. */
enum status gpu_copy_vertices(struct device *dev, const struct vertex_span *span, uint32_t *to, int adds, uint32_t event,
                              struct error *e)
{
    cudaStream_t stream = dev->stream.of[NORMALS];
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    if (adds)
        cuda_or_mask(to, span->ids, span->count, 1, stream);
    else if (span->count > 0)
        CUDA_TRY(cudaMemcpyAsync(to, span->ids, span->count * sizeof *to, cudaMemcpyDefault, stream), dev->where, e);
    if (e->status != ST_OK || CUDA_LAUNCHED(dev->where, e) != ST_OK)
        return e->status;
    return CUDA_TRY(cudaEventRecord(dev->stream.event[event], stream), dev->where, e);
}

/* Asks the driver whether the event has passed. */
enum status gpu_is_over(struct device *dev, uint32_t event, int *over, struct error *e)
{
    cudaError_t code = cudaEventQuery(dev->stream.event[event]);
    *over = code == cudaSuccess;
    return code == cudaErrorNotReady ? e->status : CUDA_TRY(code, dev->where, e);
}

/* Takes in ids, or words of a mask from `first` on, in memory that this device reads. */
static enum status receive_here(struct device *dev, const uint32_t *from, uint64_t first, uint64_t count,
                                enum outgoing_form form, struct error *e)
{
    const struct gpu_vertices *normals = &dev->of[NORMALS];
    unsigned int *bad = &dev->counters.level->bad_ids;
    if (form == OUTGOING_LIST)
        cuda_receive(normals, from, count, PARENT_REMOTE, bad, dev->stream.of[NORMALS]);
    else
        cuda_receive_mask(normals, from, first, count, PARENT_REMOTE, bad, dev->stream.of[NORMALS]);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Kernels read messages in memory of the host, too, where they are pinned: that saves a copy. A shard without edges of nn
 * gets no ids, but may get a mask, which is empty. */
enum status gpu_receive(struct device *dev, const struct vertex_span *span, struct error *e)
{
    if (gpu_use(dev, e) != ST_OK || dev->traffic.received_capacity == 0)
        return e->status;
    return receive_here(dev, span->ids, span->begin, span->count, span->form, e);
}

/* Peers' parts of a mask begin with the vertices of this device, but may be longer. If kernels cannot read the memory of
 * a peer, the driver copies a piece at a time, through the host if there is no other way. */
enum status gpu_receive_peers(struct device *dev, const struct vertex_span *spans, struct error *e)
{
    const uint64_t capacity = dev->traffic.received_capacity;
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < dev->traffic.peers.count && e->status == ST_OK; i++) {
        const struct gpu_peer *peer = &dev->traffic.peers.all[i];
        const enum outgoing_form form = spans[i].form;
        const uint64_t count = spans[i].count;
        const uint32_t *from = (form == OUTGOING_LIST ? peer->shows.ids : peer->shows.sent_mask) + spans[i].begin;
        if (count == 0 || peer->is.shard == dev->shard->index)
            continue;
        if (peer->readable)
            receive_here(dev, from, 0, form == OUTGOING_LIST ? count : dev->of[NORMALS].words, form, e);
        for (uint64_t at = 0; !peer->readable && at < count && e->status == ST_OK; at += capacity) {
            uint64_t piece = count - at < capacity ? count - at : capacity;
            if (CUDA_TRY(cudaMemcpyAsync(dev->traffic.received, from + at, piece * sizeof *from, cudaMemcpyDefault,
                                         dev->stream.of[NORMALS]),
                         dev->where, e) == ST_OK)
                receive_here(dev, dev->traffic.received, at, piece, form, e);
        }
    }
    return e->status;
}
