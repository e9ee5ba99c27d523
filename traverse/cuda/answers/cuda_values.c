/* cuda_values.c: launches the kernels that make the values of an answer from what a search has left on the device
 *
 * A search leaves depths and parents. A fused search leaves some depths as bitmaps of its levels.
 *
 * On a single device the kernels of the answer are launched right behind the kernel of the search (gpu_answer_ahead). They begin when
 * the search ends, while the host still waits for its report. So an answer costs no launch after the search, no event and no call
 * that waits. The last kernel of the answer reports to the host, too. The number of levels is not known at the launch, so depths are
 * written in four bits until a search has had too many levels for these, and then as bytes. If there were too many levels, cuda_results.c
 * makes the answer again. If there were too many for bytes, the next answer is launched only after its search.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* Makes all later launches on the stream of normals wait for the last search, which runs on the stream of delegates. Answers
 * are made on the stream of normals. The host does not wait. */
enum status gpu_follow_search(struct device *dev, struct error *e)
{
    struct gpu_streams *s = &dev->stream;
    if (CUDA_TRY(cudaEventRecord(s->reached[DELEGATES], s->of[DELEGATES]), dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamWaitEvent(s->of[NORMALS], s->reached[DELEGATES], 0), dev->where, e);
    return e->status;
}

/* ---- by vertex ---- */

/* Completes the depths of the last search, on the stream of normals: writes those in levels that the search has kept as
 * bitmaps. Sets fused.settled, which says that the depths are complete. Does nothing if they are complete already. Does not
 * wait. */
enum status gpu_fused_settle(struct device *dev, struct error *e)
{
    if (gpu_is_settled(dev))
        return ST_OK;
    dev->fused.settled = 1;
    cuda_fused_settle(&dev->fused.search, dev->stream.of[NORMALS]);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Launches kernels on `stream` that write the depths of one kind of vertices to to[count], by number of vertex. Does not wait.
 * Bytes are made directly from bitmaps, if the search has kept levels as bitmaps. Otherwise the depths are completed first. */
enum status gpu_write_depths(struct device *dev, enum vertex_kind kind, enum value_form form, void *to,
                             cudaStream_t stream, struct error *e)
{
    if (form == VALUE_BYTE && !gpu_is_settled(dev))
        cuda_fused_byte_depths(&dev->fused.search, kind, to, stream);
    else if (gpu_fused_settle(dev, e) == ST_OK)
        cuda_write_depths(&dev->of[kind], form, to, stream);
    return e->status == ST_OK ? CUDA_LAUNCHED(dev->where, e) : e->status;
}

/* Describes the recorded parents of both kinds of vertices, without where they go. */
static void describe_records(const struct device *dev, struct gpu_records records[VERTEX_KINDS])
{
    const struct gpu_vertices *n = &dev->of[NORMALS], *d = &dev->of[DELEGATES];
    records[NORMALS] = (struct gpu_records){.visited = n->visited,
                                            .record = n->parent,
                                            .count = n->count,
                                            .locals = n->count,
                                            .ids = dev->answers.ids,
                                            .id_bytes = dev->answers.id_bytes};
    records[DELEGATES] = records[NORMALS];
    /* With several devices the bitmap of each device has all visited delegates, but only a device that found a delegate has
     * recorded a parent. All other records are PARENT_NONE. */
    records[DELEGATES].visited = dev->shard->p > 1 ? NULL : d->visited;
    records[DELEGATES].record = d->parent;
    records[DELEGATES].count = d->count;
    records[DELEGATES].first = n->count;
}

/* Launches kernels on `stream` that turn the recorded parents of locals and delegates into input ids. Does not wait. A vertex
 * without a recorded parent gets -1. If answers are gathered, the ids go to a->by_vertex, by number of vertex, with one more -1
 * behind the last vertex. If answers are scattered, the ids go to a->values, by input id of the vertex.
 *
 * Unless `remote` is NULL, it also lists the locals with a parent on another device in `remote`, and writes their number to
 * gpu_remote_count. All tables (a->tables) are cleared before. */
enum status gpu_write_parents(struct device *dev, uint32_t *remote, cudaStream_t stream, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const int scatter = a->vertex == NULL;
    const uint64_t vertices = dev->of[NORMALS].count + dev->of[DELEGATES].count;
    struct gpu_records records[VERTEX_KINDS];
    describe_records(dev, records);
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        records[kind].to = scatter ? a->values : a->by_vertex;
        records[kind].scatter = scatter;
    }
    records[NORMALS].with_remote_parent = remote;
    records[NORMALS].remote_count = gpu_remote_count(dev);
    if (remote != NULL)
        CUDA_TRY(cudaMemsetAsync(a->tables, 0, gpu_answer_table_bytes(dev->shard->p), stream), dev->where, e);
    if (!scatter)
        CUDA_TRY(cudaMemsetAsync((char *)a->by_vertex + vertices * a->id_bytes, 0xff, a->id_bytes, stream),
                 dev->where, e);
    cuda_write_parents(&records[NORMALS], stream);
    cuda_write_parents(&records[DELEGATES], stream);
    return CUDA_LAUNCHED(dev->where, e);
}

/* ---- values ---- */

/* Launches the kernels of a gathered answer on `stream`, and does not wait. They write the value of each vertex to
 * a->by_vertex, and gather these values into a->values, in the order of the answer. Depths are below `levels`, and have four bits in
 * a->by_vertex, or a byte, if they fit. Parents of several shards are there already (gpu_ask, gpu_take_replies). */
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
        if (levels <= NIBBLE_LEVELS && a->stripes.before != NULL && !gpu_is_settled(dev)) {
            form = VALUE_NIBBLE;
            cuda_fused_nibble_depths(&dev->fused.search, to, stream);
        } else if (form == VALUE_BYTE && !gpu_is_settled(dev)) {
            cuda_fused_all_byte_depths(&dev->fused.search, (uint8_t *)to, stream);
        } else if (gpu_write_depths(dev, NORMALS, form, to, stream, e) == ST_OK &&
                   gpu_write_depths(dev, DELEGATES, form, to + locals * width, stream, e) == ST_OK) {
            /* the element behind the last vertex is the value of ids without a vertex: not reached */
            CUDA_TRY(cudaMemsetAsync(to + (locals + d) * width, form == VALUE_BYTE ? 0 : 0xff, width, stream),
                     dev->where, e);
        }
    } else if (dev->shard->p == 1 && a->stripes.before == NULL) {
        gpu_write_parents(dev, NULL, stream, e);
    }
    if (e->status != ST_OK)
        return e->status;
    if (a->stripes.before == NULL) {
        cuda_gather_values(a->vertex, a->count, form, a->by_vertex, a->values, stream);
    } else if (kind == ANSWER_DEPTHS) {
        cuda_stripe_depths(&a->stripes, a->count, form, a->by_vertex, locals, a->values, stream);
    } else {
        struct gpu_records records[VERTEX_KINDS];
        describe_records(dev, records);
        cuda_stripe_parents(&a->stripes, a->count, &records[NORMALS], &records[DELEGATES], a->values, stream);
    }
    return CUDA_LAUNCHED(dev->where, e);
}

/* Launches the kernels of a scattered answer, which write each value to a->values at the index of its input id, without
 * by_vertex. Ids that were not reached get -1. Called only if the search has a single device. Does not wait. */
enum status gpu_scatter_values(struct device *dev, enum answer_kind kind, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const struct gpu_vertices *n = &dev->of[NORMALS], *d = &dev->of[DELEGATES];
    const char *ids = a->ids;
    cudaStream_t stream = gpu_answer_stream(dev);
    if (CUDA_TRY(cudaMemsetAsync(a->values, 0xff, a->count * gpu_value_width(dev, kind), stream), dev->where, e) != ST_OK)
        return e->status;
    if (kind == ANSWER_PARENTS)
        return gpu_write_parents(dev, NULL /* no list of vertices with a parent on another device */, stream, e);
    cuda_scatter_depths(n, ids, a->id_bytes, a->values, stream);
    cuda_scatter_depths(d, ids + n->count * a->id_bytes, a->id_bytes, a->values, stream);
    return CUDA_LAUNCHED(dev->where, e);
}

/* ---- behind the kernel of a search ---- */

/* Returns whether the answer of the next search can be launched before the search ends. Answers must be open and gathered.
 * Depths then have a byte at most, so if they are the answer, the last search must not have had too many levels for bytes. */
int gpu_can_answer_ahead(const struct device *dev)
{
    const struct gpu_answers *a = &dev->answers;
    const int opened = a->counts != NULL, gathers = a->vertex != NULL;
    return opened && gathers && (dev->fused.answer_kind == ANSWER_PARENTS || !dev->fused.is_deep);
}

/* Launches the kernels of the answer on the stream of the search, behind its kernel, and does not wait. The last of them writes
 * the number of the search to host memory, which tells the host that the answer is complete. Called right after the launch of a
 * search on a single device, if gpu_can_answer_ahead returned 1. */
enum status gpu_answer_ahead(struct device *dev, struct error *e)
{
    cudaStream_t stream = dev->stream.of[DELEGATES];
    const struct gpu_fused *s = &dev->fused.search;
    if (gpu_gather_values(dev, dev->fused.answer_kind, dev->fused.ahead_levels, stream, e) != ST_OK)
        return e->status;
    cuda_report_answer(&s->out.mapped->answered, (uint64_t)s->order.number << 32, stream);
    return CUDA_LAUNCHED(dev->where, e);
}
