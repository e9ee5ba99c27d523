/* cuda_messages.c: vertices that leave a GPU and arrive, between two levels; see backend.h
 *
 * A GPU reads vertices in the memory of its peers (cuda_peers.c). For other ranks they go through buffers, which MPI sends.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* ---- memory that MPI sees ---- */

/* Returns `memory`, and sets *e if it was not taken. A GPU that is lost gives none, either. */
static void *check_taken(void *memory, cudaError_t code, size_t bytes, const char *what, struct error *e)
{
    if (code == cudaErrorMemoryAllocation)
        fail_memory(e, what, bytes);
    else if (code != cudaSuccess)
        fail(e, ST_RUNTIME, "%s: %s", what, cudaGetErrorString(code));
    return memory;
}

void *gpu_host_take(size_t bytes, const char *what, struct error *e)
{
    void *memory = NULL;
    cudaError_t code = cudaMallocHost(&memory, bytes > 0 ? bytes : 1);
    return check_taken(memory, code, bytes, what, e);
}

void gpu_host_release(void *memory)
{
    cudaFreeHost(memory);
}

/* Each buffer is an allocation of its own, which MPI libraries can open in another process. */
void *gpu_exchange_take(struct device *dev, size_t bytes, const char *what, struct error *e)
{
    void *memory = NULL;
    if (gpu_use(dev, e) != ST_OK)
        return NULL;
    cudaError_t code = cudaMalloc(&memory, bytes);
    return check_taken(memory, code, bytes, what, e);
}

void gpu_exchange_release(struct device *dev, void *memory)
{
    if (cudaSetDevice(dev->ordinal) == cudaSuccess)
        cudaFree(memory);
}

/* ---- vertices ---- */

/* Returns where the vertices for a shard lie: in bins.ids or sent_mask (span_at). */
struct vertex_span gpu_outgoing(const struct device *dev, uint32_t shard)
{
    const struct gpu_traffic *t = &dev->traffic;
    const unsigned long long *begin = t->bins.published + shard;
    uint64_t shard_words = (UINT64_C(1) << dev->shard->local_bits) / 32;
    if (!t->binned || shard == dev->shard->index)
        return (struct vertex_span){0};
    if (t->form == OUTGOING_MASK)
        return (struct vertex_span){shard * shard_words, shard_words, OUTGOING_MASK};
    uint64_t count = t->unique ? t->kept[shard] : begin[1] - begin[0];
    return (struct vertex_span){begin[0], count, OUTGOING_LIST};
}

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
 * bins need none, and the mask in which ids are marked, which a level with lists does not send. */
static enum status clear_seen(struct device *dev, uint32_t count, struct error *e)
{
    struct gpu_traffic *t = &dev->traffic;
    cudaStream_t stream = dev->stream.of[NORMALS];
    CUDA_TRY(cudaMemsetAsync(t->sent_mask, 0, 4 * seen_by(dev).words, stream), dev->where, e);
    return CUDA_TRY(cudaMemsetAsync(t->bins.cursor, 0, count * sizeof *t->kept, stream), dev->where,
                    e);
}

enum status gpu_drop_repeated(struct device *dev, struct error *e)
{
    struct gpu_traffic *t = &dev->traffic;
    cudaStream_t stream = dev->stream.of[NORMALS];
    const struct gpu_seen seen = seen_by(dev);
    uint32_t p = dev->shard->p;
    if (!t->binned || t->form == OUTGOING_MASK || gpu_use(dev, e) != ST_OK || clear_seen(dev, p, e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < p; s++) {
        struct vertex_span span = gpu_outgoing(dev, s);
        cuda_unique(t->bins.ids + span.begin, span.count, &seen, &t->bins.cursor[s], stream);
    }
    t->unique = gpu_fetch(dev, t->kept, t->bins.cursor, p * sizeof *t->kept, stream, e) == ST_OK;
    return e->status;
}

/* The mask is free if the buffers have lists, as all devices of a rank use the same form. The sizes of bins without
 * duplicates stay known: peers of the rank read them. Buffers in memory of the host are pinned: kernels read each id once
 * over the link, and write those that are left. */
enum status gpu_uniquify(struct device *dev, struct send_buffer *buffers, uint32_t count, struct error *e)
{
    struct gpu_traffic *t = &dev->traffic;
    const struct gpu_seen seen = seen_by(dev);
    cudaStream_t stream = dev->stream.of[NORMALS];
    if (t->form == OUTGOING_MASK || gpu_use(dev, e) != ST_OK || clear_seen(dev, count, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < count; i++)
        cuda_unique(buffers[i].ids, buffers[i].count, &seen, &t->bins.cursor[i], stream);
    gpu_fetch(dev, t->kept_in_buffers, t->bins.cursor, count * sizeof *t->kept_in_buffers, stream, e);
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++)
        buffers[i].count = t->kept_in_buffers[i];
    return e->status;
}

static const uint32_t *span_at(const struct device *dev, const struct vertex_span *span)
{
    const struct gpu_traffic *t = &dev->traffic;
    return (span->form == OUTGOING_LIST ? t->bins.ids : t->sent_mask) + span->begin;
}

/* The driver knows where `to` lies: in host memory, or in that of this or another device. */
enum status gpu_take_outgoing(struct device *dev, const struct vertex_span *span, uint32_t *to, struct error *e)
{
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    return CUDA_TRY(cudaMemcpyAsync(to, span_at(dev, span), span->count * sizeof *to,
                                    cudaMemcpyDefault, dev->stream.of[NORMALS]),
                    dev->where, e);
}

/* Host memory for messages is pinned, and kernels can write it. */
enum status gpu_or_outgoing(struct device *dev, const struct vertex_span *span, uint32_t *to, struct error *e)
{
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    cuda_or_mask(to, span_at(dev, span), span->count, 1, dev->stream.of[NORMALS]);
    return CUDA_LAUNCHED(dev->where, e);
}

enum status gpu_record_copies(struct device *dev, uint32_t event, struct error *e)
{
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    return CUDA_TRY(cudaEventRecord(dev->stream.copied[event], dev->stream.of[NORMALS]), dev->where,
                    e);
}

enum status gpu_copies_are_over(struct device *dev, uint32_t event, int *over, struct error *e)
{
    cudaError_t code = cudaEventQuery(dev->stream.copied[event]);
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
enum status gpu_receive(struct device *dev, const uint32_t *from, const struct vertex_span *part, struct error *e)
{
    if (gpu_use(dev, e) != ST_OK || dev->traffic.received_capacity == 0)
        return e->status;
    return receive_here(dev, from, part->begin, part->count, part->form, e);
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
