/* cuda_results.c: results of a GPU: depths for the host, and answers in its own memory; see engine.h */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* ---- depths, for the host ---- */

/* Overwrites the values[] of unvisited vertices of one kind by `none`, and launches the copy of all of them, 4
 * bytes each, to host[]. */
static enum status copy_visited(struct device *dev, enum vertex_kind kind, void *values,
                                uint32_t none, void *host, struct error *e)
{
    const struct gpu_vertices *v = &dev->of[kind];
    cudaStream_t stream = gpu_answer_stream(dev);
    cuda_blank_unvisited(values, v->visited, v->count, none, stream);
    if (CUDA_LAUNCHED(dev->where, e) != ST_OK || v->count == 0)
        return e->status;
    return CUDA_TRY(cudaMemcpyAsync(host, values, v->count * 4, cudaMemcpyDeviceToHost, stream),
                    dev->where, e);
}

/* Waits for all streams of the device. */
static enum status wait_for_all(struct device *dev, struct error *e)
{
    if (gpu_use(dev, e) == ST_OK)
        CUDA_TRY(cudaDeviceSynchronize(), dev->where, e);
    return e->status;
}

/* Implements `depths` of the backend after a search: copies the depths of normals and of delegates to the host,
 * DEPTH_UNREACHED for vertices that were not reached. Waits. */
static enum status gpu_depths(struct device *dev, int32_t *locals, int32_t *delegates,
                              struct error *e)
{
    uint32_t none = (uint32_t)DEPTH_UNREACHED;
    if (wait_for_all(dev, e) == ST_OK && gpu_fused_settle(dev, e) == ST_OK &&
        copy_visited(dev, NORMALS, dev->of[NORMALS].depth, none, locals, e) == ST_OK &&
        copy_visited(dev, DELEGATES, dev->of[DELEGATES].depth, none, delegates, e) == ST_OK)
        wait_for_all(dev, e);
    return e->status;
}

/* ---- opening ---- */

/* Copies `bytes` from the host to the device; does nothing if `from` is NULL. */
static enum status upload(struct device *dev, void *to, const void *from, uint64_t bytes,
                          struct error *e)
{
    return from == NULL ? ST_OK : gpu_copy(dev, to, from, bytes, e);
}

/* For the only device of a search: computes the input id of each vertex on the host and uploads it, PIECE ids at a
 * time. */
static enum status upload_ids(struct device *dev, const struct answer_tables *tables, struct error *e)
{
    enum { PIECE = 1 << 13 };
    const struct shard *shard = dev->shard;
    uint64_t vertices = shard->locals + shard->d, width = tables->id_bytes;
    int64_t piece[PIECE];
    for (uint64_t first = 0; first < vertices && e->status == ST_OK; first += PIECE) {
        uint64_t count = vertices - first < PIECE ? vertices - first : PIECE;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t v = first + i, l = shard->locals;
            uint64_t id = v < l ? shard->ids.local_slots[v] : shard_delegate_id(shard, v - l);
            if (tables->bijection != NULL && id < tables->bijection->n)
                id = bijection_backward(tables->bijection, id);
            answer_set_id(piece, tables->id_bytes, i, (int64_t)id);
        }
        upload(dev, (char *)dev->answers.ids + first * width, piece, count * width, e);
    }
    return e->status;
}

/* Implements open_answers of the backend: takes over the tables into device memory, and prepares looking for
 * parents in the memory of peers where all can be read. */
static enum status gpu_open_answers(struct device *dev, const struct answer_tables *tables, struct error *e)
{
    struct gpu_answers *a = &dev->answers;
    uint64_t vertices = dev->shard->locals + dev->shard->d;
    a->id_bytes = tables->id_bytes;
    a->count = tables->values;
    if (tables->bijection != NULL)
        a->bijection = *tables->bijection;
    gpu_sliced_open_answers(dev);
    if (gpu_use(dev, e) != ST_OK ||
        CUDA_TRY(cudaHostAlloc((void **)&a->counts, dev->shard->p * sizeof *a->counts, cudaHostAllocDefault), dev->where,
                 e) != ST_OK)
        return e->status;
    if (a->vertex == NULL)
        return upload_ids(dev, tables, e);
    if (upload(dev, a->vertex, tables->vertex, 4 * a->count, e) != ST_OK ||
        upload(dev, a->ids, tables->ids, a->id_bytes * vertices, e) != ST_OK)
        return e->status;
    return gpu_reads_all(dev) && tables->ids != NULL ? gpu_open_look(dev, e) : e->status;
}

/* ---- answers ---- */

/* Returns the bytes of a value of an answer of this kind. */
static uint32_t width_of(const struct device *dev, enum answer_kind kind)
{
    return kind == ANSWER_DEPTHS ? 4 : dev->answers.id_bytes;
}

/* Returns the type in which by_vertex holds the values of an answer after a search of `levels` levels. */
static enum value_form form_of(const struct device *dev, enum answer_kind kind, uint32_t levels)
{
    if (kind == ANSWER_PARENTS)
        return dev->answers.id_bytes == 4 ? VALUE_32 : VALUE_64;
    return levels <= BYTE_LEVELS ? VALUE_BYTE : VALUE_32;
}

/* Launches the writing of an answer straight to the values, indexed by input id, without an array by vertex
 * number. Ids that were not reached become -1. */
static enum status scatter_values(struct device *dev, enum answer_kind kind, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const struct gpu_vertices *n = &dev->of[NORMALS], *d = &dev->of[DELEGATES];
    const char *ids = a->ids;
    cudaStream_t stream = gpu_answer_stream(dev);
    if (CUDA_TRY(cudaMemsetAsync(a->values, 0xff, a->count * width_of(dev, kind), stream), dev->where, e) !=
        ST_OK)
        return e->status;
    if (kind == ANSWER_PARENTS)
        return gpu_write_parents(dev, NULL, stream, e);
    cuda_scatter_depths(n, ids, a->id_bytes, a->values, stream);
    cuda_scatter_depths(d, ids + n->count * a->id_bytes, a->id_bytes, a->values, stream);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Launches the writing of depths by vertex number, where depths are wanted, and the gathering of values in their
 * order. Parents are in by_vertex already. */
static enum status gather_values(struct device *dev, enum answer_kind kind, uint32_t levels, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const enum value_form form = form_of(dev, kind, levels);
    if (kind == ANSWER_DEPTHS && gpu_write_all_depths(dev, form, gpu_answer_stream(dev), e) != ST_OK)
        return e->status;
    cuda_gather_values(a->vertex, a->count, form, a->by_vertex, a->values, gpu_answer_stream(dev));
    return CUDA_LAUNCHED(dev->where, e);
}

/* Implements make_values of the backend after a search: makes the answer in device memory unless it was launched
 * with the search, and waits for it. */
static enum status gpu_make_values(struct device *dev, enum answer_kind kind, uint32_t levels, struct error *e)
{
    if (gpu_is_answered(dev, kind))
        return gpu_wait_for_answer(dev, e);
    dev->fused.answers = 0;
    if (gpu_use(dev, e) != ST_OK || gpu_follow_search(dev, e) != ST_OK)
        return e->status;
    if (dev->answers.vertex == NULL)
        scatter_values(dev, kind, e);
    else
        gather_values(dev, kind, levels, e);
    return e->status == ST_OK ? gpu_wait(dev, gpu_answer_stream(dev), e) : e->status;
}

/* Implements set_value of the backend: overwrites the value at index `at` (not bytes) of the answer in device
 * memory. */
static enum status gpu_set_value(struct device *dev, enum answer_kind kind, uint64_t at,
                                 int64_t value, struct error *e)
{
    uint32_t width = width_of(dev, kind);
    int32_t narrow = (int32_t)value;
    const void *from = width == 4 ? (const void *)&narrow : &value;
    return gpu_copy(dev, (char *)dev->answers.values + at * width, from, width, e);
}

/* ---- reading ---- */

/* Implements see_values of the backend: returns NULL, as values lie in device memory. */
static const void *gpu_see_values(const struct device *dev)
{
    (void)dev;
    return NULL;
}

/* Implements read_values of the backend: copies values first..first+count (indices, not bytes) to `to` on the
 * host. */
static enum status gpu_read_values(struct device *dev, enum answer_kind kind, uint64_t first, uint64_t count, void *to,
                                   struct error *e)
{
    uint64_t width = width_of(dev, kind);
    return gpu_copy(dev, to, (const char *)dev->answers.values + first * width, count * width, e);
}

/* Implements list_values of the backend: lists the values and indices of those of the permuted input ids
 * first..first+count that belong to this shard, on the host. Sets list->count. */
static enum status gpu_list_values(struct device *dev, enum answer_kind kind, uint64_t first, uint64_t count,
                                   struct value_list *list, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const uint32_t width = width_of(dev, kind);
    const uint64_t capacity = a->count < ANSWER_WINDOW ? a->count : ANSWER_WINDOW;
    const struct gpu_listing listing = {.values = a->values,
                                        .width = width,
                                        .bijection = a->bijection,
                                        .p = dev->shard->p,
                                        .own_shard = dev->shard->index,
                                        .first = first,
                                        .count = count,
                                        .to = a->listed,
                                        .index = (uint32_t *)(void *)((char *)a->listed + capacity * width),
                                        .listed = a->tables};
    cudaStream_t stream = gpu_answer_stream(dev);
    if (gpu_use(dev, e) != ST_OK ||
        CUDA_TRY(cudaMemsetAsync(a->tables, 0, sizeof *a->counts, stream), dev->where, e) != ST_OK)
        return e->status;
    cuda_list_values(&listing, stream);
    if (gpu_fetch(dev, a->counts, a->tables, sizeof *a->counts, stream, e) != ST_OK)
        return e->status;
    list->count = a->counts[0];
    return gpu_fetch(dev, list->index, listing.index, list->count * sizeof *list->index, stream, e) == ST_OK
               ? gpu_fetch(dev, list->values, listing.to, list->count * width, stream, e)
               : e->status;
}

/* ---- slices ---- */

/* Implements can_read of the backend: returns whether `dev` can read slices in the memory of `other`. Any host
 * thread may call it. */
static int gpu_can_read_slice(const struct device *dev, const struct device *other)
{
    return cudaSetDevice(dev->ordinal) == cudaSuccess && gpu_can_read(dev->ordinal, other->ordinal);
}

/* Returns the peer that has the shard if that peer is in another process, otherwise NULL. */
static const struct gpu_peer *peer_elsewhere(const struct device *dev, uint32_t shard)
{
    const struct gpu_peers *p = &dev->traffic.peers;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->all[i].is.shard == shard && !p->all[i].here)
            return &p->all[i];
    }
    return NULL;
}

/* Implements show_slice of the backend: returns 1 + the offset in bytes of the slice in the memory that peers map,
 * or 0 if the slice lies elsewhere or the device of shard `to` is no peer in another process. */
static uint64_t gpu_show_slice(const struct device *dev, uint32_t to, const struct slice *slice)
{
    const uintptr_t at = (uintptr_t)slice->at, memory = (uintptr_t)dev->memory.device;
    if (at < memory || at - memory >= dev->traffic.peers.shown_bytes || peer_elsewhere(dev, to) == NULL)
        return 0;
    return at - memory + 1;
}

/* Implements peers_slice of the backend: returns the address at which this device reads a slice of shard `from` in
 * the mapped memory of another process. `place` is what gpu_show_slice returned there. */
static const void *gpu_peers_slice(const struct device *dev, uint32_t from, uint64_t place)
{
    return (const char *)peer_elsewhere(dev, from)->mapped + place - 1;
}

/* Implements copy_slice of the backend: copies a slice from device memory to `to` on the host, and waits. */
static enum status gpu_copy_slice(struct device *dev, const struct slice *slice, void *to,
                                  struct error *e)
{
    return gpu_use(dev, e) == ST_OK ? gpu_fetch(dev, to, slice->at, slice->bytes, gpu_answer_stream(dev), e) : e->status;
}

const struct backend_results cuda_results = {
    .depths = gpu_depths,
    .open_answers = gpu_open_answers,
    .make_values = gpu_make_values,
    .set_value = gpu_set_value,
    .see_values = gpu_see_values,
    .read_values = gpu_read_values,
    .list_values = gpu_list_values,
    .can_read = gpu_can_read_slice,
    .show_slice = gpu_show_slice,
    .peers_slice = gpu_peers_slice,
    .copy_slice = gpu_copy_slice,
};
