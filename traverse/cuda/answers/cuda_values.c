/* cuda_values.c: launches that make the values of an answer from what a search left on the device: recorded parents, and
 * depths, which a fused search leaves as bitmaps of its levels
 *
 * On a single device the answer of a search is launched behind the kernel of the search (gpu_answer_ahead). The stream
 * begins these kernels when the search ends, while the host still waits for the report of that end. So an answer costs no
 * launch, no event and no call that waits: its last kernel reports, too. The number of levels is not known then, so depths
 * are written as bytes. If levels were too many for that, cuda_results.c makes the answer again, and the next search
 * launches nothing ahead.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* Makes later launches on the stream of answers wait for the search on the stream of delegates. The host does not
 * wait. */
enum status gpu_follow_search(struct device *dev, struct error *e)
{
    struct gpu_streams *s = &dev->stream;
    if (CUDA_TRY(cudaEventRecord(s->reached[DELEGATES], s->of[DELEGATES]), dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamWaitEvent(s->of[NORMALS], s->reached[DELEGATES], 0), dev->where, e);
    return e->status;
}

/* ---- by vertex ---- */

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
        CUDA_TRY(cudaMemsetAsync(a->tables, 0, gpu_answer_table_bytes(dev->shard->p), stream), dev->where, e);
    if (!scatter)
        CUDA_TRY(cudaMemsetAsync((char *)a->by_vertex + vertices * a->id_bytes, 0xff, a->id_bytes, stream),
                 dev->where, e);
    cuda_write_parents(&locals, stream);
    cuda_write_parents(&delegates, stream);
    return CUDA_LAUNCHED(dev->where, e);
}

/* ---- values ---- */

/* Launches on `stream` the writing of an answer by vertex number, and the gathering of the values in their order. Parents of
 * several shards are in by_vertex already. Depths are below `levels`. */
enum status gpu_gather_values(struct device *dev, enum answer_kind kind, uint32_t levels, cudaStream_t stream,
                              struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const uint64_t locals = dev->of[NORMALS].count, d = dev->of[DELEGATES].count;
    char *to = a->by_vertex;
    enum value_form form = a->id_bytes == 4 ? VALUE_32 : VALUE_64;
    if (kind == ANSWER_DEPTHS) {
        form = levels <= BYTE_LEVELS ? VALUE_BYTE : VALUE_32;
        const uint64_t width = form == VALUE_BYTE ? 1 : 4;
        if (form == VALUE_BYTE && !gpu_is_settled(dev)) {
            cuda_fused_all_byte_depths(&dev->fused.search, (uint8_t *)to, stream);
        } else if (gpu_write_depths(dev, NORMALS, form, to, stream, e) == ST_OK &&
                   gpu_write_depths(dev, DELEGATES, form, to + locals * width, stream, e) == ST_OK) {
            /* the entry behind the vertices, "unreached", is the value of ids without a vertex */
            CUDA_TRY(cudaMemsetAsync(to + (locals + d) * width, form == VALUE_BYTE ? 0 : 0xff, width, stream),
                     dev->where, e);
        }
    } else if (dev->shard->p == 1) {
        gpu_write_parents(dev, NULL, stream, e);
    }
    if (e->status != ST_OK)
        return e->status;
    cuda_gather_values(a->vertex, a->count, form, a->by_vertex, a->values, stream);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Launches the writing of an answer straight to the values, indexed by input id, without an array by vertex
 * number. Ids that were not reached become -1. */
enum status gpu_scatter_values(struct device *dev, enum answer_kind kind, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const struct gpu_vertices *n = &dev->of[NORMALS], *d = &dev->of[DELEGATES];
    const char *ids = a->ids;
    cudaStream_t stream = gpu_answer_stream(dev);
    if (CUDA_TRY(cudaMemsetAsync(a->values, 0xff, a->count * gpu_value_width(dev, kind), stream), dev->where, e) != ST_OK)
        return e->status;
    if (kind == ANSWER_PARENTS)
        return gpu_write_parents(dev, NULL, stream, e);
    cuda_scatter_depths(n, ids, a->id_bytes, a->values, stream);
    cuda_scatter_depths(d, ids + n->count * a->id_bytes, a->id_bytes, a->values, stream);
    return CUDA_LAUNCHED(dev->where, e);
}

/* ---- behind the kernel of a search ---- */

/* Returns whether the answer of the next search can be launched before the search ends: answers are open and
 * gathered, and depths, if wanted, are expected to fit bytes. */
int gpu_can_answer_ahead(const struct device *dev)
{
    const struct gpu_answers *a = &dev->answers;
    const int opened = a->counts != NULL, gathers = a->vertex != NULL;
    return opened && gathers && (dev->fused.answer == ANSWER_PARENTS || !dev->fused.is_deep);
}

/* Called right after the kernel of a search on a single device is launched: launches the kernels that make the answer on the
 * same stream, the last of which reports the number of the order to the host. Does not wait. */
enum status gpu_answer_ahead(struct device *dev, struct error *e)
{
    cudaStream_t stream = dev->stream.of[DELEGATES];
    const struct gpu_fused *s = &dev->fused.search;
    if (gpu_gather_values(dev, dev->fused.answer, 0 /* so depths are bytes */, stream, e) != ST_OK)
        return e->status;
    cuda_report_answer(&s->out.mapped->answered, (uint64_t)s->order.number << 32, stream);
    return CUDA_LAUNCHED(dev->where, e);
}
