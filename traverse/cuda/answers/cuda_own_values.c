/* cuda_own_values.c: the values that a device itself knows of its vertices after a search: parents,
 * and depths, which a whole search leaves as masks of its levels */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* Returns whether the kernels behind the last search already make the answer of this kind. */
int gpu_is_answered(const struct device *dev, enum answer_kind kind)
{
    return dev->fused.answers && dev->fused.answer == kind;
}

/* Makes later launches on the stream of answers wait for the search on the stream of delegates. The host does not
 * wait. */
enum status gpu_follow_search(struct device *dev, struct error *e)
{
    struct gpu_streams *s = &dev->stream;
    if (CUDA_TRY(cudaEventRecord(s->reached[DELEGATES], s->of[DELEGATES]), dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamWaitEvent(s->of[NORMALS], s->reached[DELEGATES], 0), dev->where, e);
    return e->status;
}

/* Launches, once after each search, the kernel that completes the depths from the bitmaps of the levels. */
enum status gpu_fused_settle(struct device *dev, struct error *e)
{
    if (gpu_is_settled(dev))
        return ST_OK;
    dev->fused.settled = 1;
    cuda_fused_settle(&dev->fused.search, dev->stream.of[NORMALS]);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Launches the writing of the depths of one kind of vertices to to[count], from the bitmaps of levels where bytes
 * suffice. */
enum status gpu_write_depths(struct device *dev, enum vertex_kind kind, enum value_form form, void *to,
                             cudaStream_t stream, struct error *e)
{
    if (form == VALUE_BYTE && !gpu_is_settled(dev))
        cuda_fused_byte_depths(&dev->fused.search, kind, to, stream);
    else if (gpu_fused_settle(dev, e) == ST_OK)
        cuda_write_depths(&dev->of[kind], form, to, stream);
    return e->status == ST_OK ? CUDA_LAUNCHED(dev->where, e) : e->status;
}

/* Launches the writing of the depths of all vertices to by_vertex, locals first. The entry behind them becomes
 * "unreached": it is the value of ids without a vertex. */
enum status gpu_write_all_depths(struct device *dev, enum value_form form, cudaStream_t stream, struct error *e)
{
    uint64_t width = form == VALUE_BYTE ? 1 : 4, locals = dev->of[NORMALS].count;
    char *to = dev->answers.by_vertex;
    if (form == VALUE_BYTE && !gpu_is_settled(dev)) {
        cuda_fused_all_byte_depths(&dev->fused.search, (uint8_t *)to, stream);
        return CUDA_LAUNCHED(dev->where, e);
    }
    if (gpu_write_depths(dev, NORMALS, form, to, stream, e) != ST_OK ||
        gpu_write_depths(dev, DELEGATES, form, to + locals * width, stream, e) != ST_OK)
        return e->status;
    return CUDA_TRY(cudaMemsetAsync(to + (locals + dev->of[DELEGATES].count) * width,
                                    form == VALUE_BYTE ? 0 : 0xff, width, stream),
                    dev->where, e);
}

/* Launches the conversion of the recorded parents of locals and delegates to input ids, in by_vertex or, where
 * answers are scattered, in the values. `remote` receives the locals with a parent on another device; NULL: no
 * list. */
enum status gpu_write_parents(struct device *dev, uint32_t *remote, cudaStream_t stream, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    int scatter = a->vertex == NULL;
    const struct gpu_vertices *n = &dev->of[NORMALS], *d = &dev->of[DELEGATES];
    uint64_t vertices = n->count + d->count;
    struct gpu_records locals = {.visited = n->visited,
                                 .record = n->parent,
                                 .count = n->count,
                                 .first = 0,
                                 .locals = n->count,
                                 .ids = a->ids,
                                 .id_bytes = a->id_bytes,
                                 .to = scatter ? a->values : a->by_vertex,
                                 .scatter = scatter,
                                 .remote = remote,
                                 .remote_count = gpu_remote_count(dev)};
    struct gpu_records delegates = locals;
    /* with several devices each has all delegates in its visited bitmap, but only a device that found one has a record */
    delegates.visited = dev->shard->p > 1 ? NULL : d->visited;
    delegates.record = d->parent;
    delegates.count = d->count;
    delegates.first = n->count;
    delegates.remote = NULL;
    if (remote != NULL)
        CUDA_TRY(cudaMemsetAsync(a->tables, 0, 8 * gpu_answer_cursors(dev->shard->p), stream), dev->where, e);
    if (!scatter)
        CUDA_TRY(cudaMemsetAsync((char *)a->by_vertex + vertices * a->id_bytes, 0xff, a->id_bytes, stream),
                 dev->where, e);
    cuda_write_parents(&locals, stream);
    cuda_write_parents(&delegates, stream);
    return CUDA_LAUNCHED(dev->where, e);
}
