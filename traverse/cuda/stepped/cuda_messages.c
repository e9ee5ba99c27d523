/* cuda_messages.c: exchanges normals between two levels, those of other shards that this GPU found, and those of this GPU
 * that others found; see engine.h
 *
 * A GPU reads the vertices that its peers found in the memory of these peers (cuda_peers.c). Vertices for other ranks are
 * copied to buffers, which MPI sends. Vertices go as a list of local ids, or as words of a bitmap.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* ---- memory that MPI sees ---- */

/* Allocates a buffer of `bytes` bytes for messages, which gpu_release_buffer frees: pinned memory of the host for
 * EXCHANGE_HOST, and device memory otherwise. A buffer of device memory is an allocation of its own, so that MPI
 * libraries can open it in another process. The budget is not charged. Returns NULL after a failure, and names the buffer
 * in *e by `what`. */
void *gpu_take_buffer(struct device *dev, enum exchange_memory kind, size_t bytes, const char *what, struct error *e)
{
    void *memory = NULL;
    if (gpu_use(dev, e) != ST_OK)
        return NULL;
    if (bytes == 0)
        bytes = 1;
    cudaError_t code = kind == EXCHANGE_HOST ? cudaMallocHost(&memory, bytes) : cudaMalloc(&memory, bytes);
    if (code == cudaErrorMemoryAllocation) {
        cudaGetLastError(); /* the caller may go on without the buffer */
        fail_memory(e, what, bytes);
    } else if (code != cudaSuccess) { /* for example, the GPU is lost */
        cuda_fail(code, what, __FILE__, __LINE__, dev->where, e);
    }
    return memory;
}

/* Frees a buffer of gpu_take_buffer that was allocated with this `kind`. `memory` may be NULL. */
void gpu_release_buffer(struct device *dev, enum exchange_memory kind, void *memory)
{
    if (memory == NULL)
        return;
    if (kind == EXCHANGE_HOST)
        cudaFreeHost(memory);
    else if (cudaSetDevice(dev->ordinal) == cudaSuccess)
        cudaFree(memory);
}

/* Pins memory that ranks share, for all GPUs of this process, which read it at its address in the process. */
enum status gpu_pin(struct device *dev, void *memory, uint64_t bytes, struct error *e)
{
    if (gpu_use(dev, e) == ST_OK)
        CUDA_TRY(cudaHostRegister(memory, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped), dev->where, e);
    return e->status;
}

/* Ends the pinning of memory, if it is pinned. */
void gpu_unpin(struct device *dev, void *memory)
{
    (void)dev;
    if (cudaHostUnregister(memory) != cudaSuccess)
        cudaGetLastError(); /* drops the error of memory that is not pinned */
}

/* ---- vertices ---- */

/* Returns the memory for dropping duplicates: sent_mask for the bits of the ids, and the array of codes for the kept ids. The
 * codes are no longer needed, because their ids stand in the bins. */
static struct gpu_seen seen_by(const struct device *dev)
{
    const struct gpu_traffic *t = &dev->traffic;
    return (struct gpu_seen){.mask = t->sent_mask,
                             .words = gpu_mask_words(UINT64_C(1) << dev->shard->local_bits),
                             .kept = (uint32_t *)t->bins.codes,
                             .capacity = 2 * dev->shard->csr[NN].edges};
}

/* Launches the clearing of the memory for dropping duplicates in `count` lists: the bitmap sent_mask, and the counters of kept
 * ids in bins.cursor. A level that sends lists does not use sent_mask otherwise, and sorting no longer needs bins.cursor. */
static enum status clear_seen(struct device *dev, uint32_t count, struct error *e)
{
    struct gpu_traffic *t = &dev->traffic;
    cudaStream_t stream = dev->stream.of[NORMALS];
    CUDA_TRY(cudaMemsetAsync(t->sent_mask, 0, 4 * seen_by(dev).words, stream), dev->where, e);
    return CUDA_TRY(cudaMemsetAsync(t->bins.cursor, 0, count * sizeof *t->kept, stream), dev->where,
                    e);
}

/* Drops duplicates in each list of spans[count], sets the counts of the lists to the ids that are left, and waits. Does nothing
 * if there are no ids, as in a level that sends bitmaps, which still needs sent_mask. A list may lie in pinned memory of the
 * host, where kernels read each id once over the link, and write the kept ids. */
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

/* Launches the copy of a span of found vertices to `to`, in memory of this or another device, or in pinned memory of the host.
 * With `adds`, ORs the span, words of a bitmap, into `to` instead. Then records event `event`, also for an empty span. */
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

/* Sets *over to whether everything has ended that was launched before event `event` was last recorded. Does not wait. */
enum status gpu_is_over(struct device *dev, uint32_t event, int *over, struct error *e)
{
    cudaError_t code = cudaEventQuery(dev->stream.event[event]);
    *over = code == cudaSuccess;
    return code == cudaErrorNotReady ? e->status : CUDA_TRY(code, dev->where, e);
}

/* Launches a kernel that takes in normals of this device that another device found: those that are not visited are added to
 * `next`. `from` has `count` local ids (OUTGOING_LIST) or, from word `first` of the bitmap on, `count` words of a bitmap
 * (OUTGOING_MASK), in any memory that kernels of this device can read. A wrong id sets bad_ids of the level's counters, which
 * gpu_counts reports. */
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

/* Launches a kernel that takes in the vertices that another rank found, for the next previsit. The span lies in exchange memory
 * of this device, and must stay unchanged until that previsit. Kernels read it in place, even in pinned memory of the host,
 * which saves a copy. Does nothing if the shard has no edges of nn, because its spans are empty. */
enum status gpu_receive(struct device *dev, const struct vertex_span *span, struct error *e)
{
    if (gpu_use(dev, e) != ST_OK || dev->traffic.received_capacity == 0)
        return e->status;
    return receive_here(dev, span->ids, span->begin, span->count, span->form, e);
}

/* Launches kernels that take in the normals of this device that its peers found. spans[i] lies in the memory of peer i, where
 * kernels read it. If they cannot, the driver copies it to traffic.received piece by piece. Words of a bitmap behind the last
 * normal are left out. */
enum status gpu_receive_peers(struct device *dev, const struct vertex_span *spans, struct error *e)
{
    const uint64_t capacity = dev->traffic.received_capacity;
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < dev->traffic.peers.count && e->status == ST_OK; i++) {
        const struct gpu_peer *peer = &dev->traffic.peers.all[i];
        const enum outgoing_form form = spans[i].form;
        const uint64_t count = spans[i].count;
        const uint32_t *from = (form == OUTGOING_LIST ? peer->shows.ids : peer->shows.sent[0]) + spans[i].begin;
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
