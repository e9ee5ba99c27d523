/* cuda_results.c: the results of a search on a GPU: copies depths to the host, and makes answers in device memory
 * (backend_answers of engine.h)
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

#include "formats/base/arith.h"

/* Copies the depths of the last search to locals[] and delegates[] in host memory, and waits for all work of the GPU. First
 * writes the depths that the search has kept only as bitmaps of levels. Unvisited vertices get DEPTH_UNREACHED. */
static enum status gpu_read_depths(struct device *dev, int32_t *locals, int32_t *delegates, struct error *e)
{
    int32_t *const to[VERTEX_KINDS] = {[NORMALS] = locals, [DELEGATES] = delegates};
    cudaStream_t stream = gpu_answer_stream(dev);
    if (gpu_use(dev, e) != ST_OK || CUDA_TRY(cudaDeviceSynchronize(), dev->where, e) != ST_OK ||
        gpu_fused_settle(dev, e) != ST_OK)
        return e->status;
    for (int kind = 0; kind < VERTEX_KINDS && e->status == ST_OK; kind++) {
        const struct gpu_vertices *v = &dev->of[kind];
        cuda_blank_unvisited((uint32_t *)(void *)v->depth, v->visited, v->count, (uint32_t)DEPTH_UNREACHED, stream);
        if (CUDA_LAUNCHED(dev->where, e) == ST_OK && v->count > 0)
            CUDA_TRY(cudaMemcpyAsync(to[kind], v->depth, v->count * 4, cudaMemcpyDeviceToHost, stream), dev->where, e);
    }
    return e->status == ST_OK ? gpu_wait(dev, stream, e) : e->status;
}

/* ---- opening ---- */

/* Computes the input id of each vertex on the host, and uploads the ids to dev->answers.ids, PIECE ids at a time. Called only
 * if answers are scattered by input id, and so only on a single device. */
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
        gpu_copy(dev, (char *)dev->answers.ids + first * width, piece, count * width, e);
    }
    return e->status;
}

/* Copies to the device the vertex of each value: as dev->answers.stripes if these are smaller than vertex[], and neither a kernel of a
 * sliced search nor delegates that ask other shards for parents read vertex[]; otherwise as vertex[]. Stripes are made of a copy in
 * `values`, and lie in the memory of vertex[]. */
static enum status upload_vertices(struct device *dev, const struct answer_tables *tables, struct error *e)
{
    struct gpu_answers *a = &dev->answers;
    const uint64_t stripes = divide_up(a->count, ANSWER_STRIPE), sums_bytes = gpu_aligned((stripes + 1) * sizeof *a->stripes.before),
                   vertices = dev->shard->locals + dev->shard->d;
    struct gpu_stripes s = {.before = (struct gpu_stripe *)a->vertex};
    struct gpu_stripe sum;
    uint64_t words;
    cudaStream_t stream = gpu_answer_stream(dev);
    if ((dev->shard->p > 1 && tables->ids != NULL) || dev->fused.sliced.search.answer.vertex != NULL || sums_bytes > 4 * a->count)
        return gpu_copy(dev, a->vertex, tables->vertex, 4 * a->count, e);
    if (gpu_copy(dev, a->values, tables->vertex, 4 * a->count, e) != ST_OK)
        return e->status;
    cuda_count_stripes(a->values, a->count, (uint32_t)vertices, s.before, stream);
    if (CUDA_LAUNCHED(dev->where, e) != ST_OK || gpu_fetch(dev, &sum, s.before + stripes, sizeof sum, stream, e) != ST_OK)
        return e->status;
    words = sum.words + ANSWER_SPARE_WORDS;
    if (sums_bytes + words * (sizeof *s.word + 32 * sizeof *s.place) + sum.runs * sizeof *s.run > 4 * a->count)
        return gpu_copy(dev, a->vertex, a->values, 4 * a->count, e);
    s.word = (struct gpu_stripe_word *)((char *)a->vertex + sums_bytes);
    s.place = (uint16_t *)(s.word + words);
    s.run = (uint32_t *)(s.place + 32 * words);
    if (CUDA_TRY(cudaMemsetAsync(s.word, 0, (char *)s.run - (char *)s.word, stream), dev->where, e) != ST_OK)
        return e->status;
    cuda_fill_stripes(a->values, a->count, (uint32_t)vertices, &s, stream);
    a->stripes = s;
    return CUDA_LAUNCHED(dev->where, e) == ST_OK ? gpu_wait(dev, stream, e) : e->status;
}

/* Prepares answers: sets dev->answers, tells in *arrays where answers will be, and copies the tables to device memory. If
 * device memory has no room for tables (a->vertex is NULL), it uploads only the input ids of the vertices, since values are
 * then scattered by input id. Sliced searches may now write their answers. With all_read it also uploads what all devices show
 * (gpu_open_look). Allocates a->counts in host memory, which gpu_close frees, after a failure, too. */
static enum status gpu_open_answers(struct device *dev, const struct answer_tables *tables, struct answer_arrays *arrays,
                                    struct error *e)
{
    struct gpu_answers *a = &dev->answers;
    const uint64_t vertices = dev->shard->locals + dev->shard->d;
    a->id_bytes = tables->id_bytes;
    a->count = tables->values;
    a->all_read = tables->all_read;
    if (tables->bijection != NULL)
        a->bijection = *tables->bijection;
    *arrays = (struct answer_arrays){a->values};
    gpu_sliced_open_answers(dev);
    if (gpu_use(dev, e) != ST_OK ||
        CUDA_TRY(cudaHostAlloc((void **)&a->counts, dev->shard->p * sizeof *a->counts, cudaHostAllocDefault), dev->where,
                 e) != ST_OK)
        return e->status;
    if (a->vertex == NULL)
        return upload_ids(dev, tables, e);
    if (upload_vertices(dev, tables, e) != ST_OK ||
        (tables->ids != NULL && gpu_copy(dev, a->ids, tables->ids, a->id_bytes * vertices, e) != ST_OK))
        return e->status;
    return a->all_read ? gpu_open_look(dev, e) : ST_OK;
}

/* ---- answers ---- */

/* Makes the answer of this kind of the last search in dev->answers.values, and waits. Depths are below `levels`. If the kernels
 * of this answer were launched with the search, it only waits for them. Otherwise it launches them here, which overwrites an
 * answer of another kind (fused.answer_valid becomes 0). */
static enum status gpu_make_values(struct device *dev, enum answer_kind kind, uint32_t levels, struct error *e)
{
    if (dev->fused.answer_valid && dev->fused.answer_kind == kind) /* launched with the search */
        return gpu_wait_for_answer(dev, e);
    dev->fused.answer_valid = 0;
    if (gpu_use(dev, e) != ST_OK || gpu_follow_search(dev, e) != ST_OK)
        return e->status;
    if (dev->answers.vertex == NULL)
        gpu_scatter_values(dev, kind, e);
    else
        gpu_gather_values(dev, kind, levels, gpu_answer_stream(dev), e);
    return e->status == ST_OK ? gpu_wait(dev, gpu_answer_stream(dev), e) : e->status;
}

/* Begins to copy `bytes` bytes to the host, behind the launches of the answer. The next gpu_fetch waits for the copy. */
static enum status begin_copy(const struct device *dev, void *to, const void *from, uint64_t bytes, struct error *e)
{
    return CUDA_LAUNCHED(dev->where, e) == ST_OK
               ? CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, gpu_answer_stream(dev)), dev->where, e)
               : e->status;
}

/* Lists the values that this device has of a window of permuted input ids in device memory, copies the list to *list in host memory,
 * and waits (engine.h). */
static enum status gpu_list_values(struct device *dev, enum answer_kind kind, uint64_t first, uint64_t count,
                                   struct value_list *list, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const uint64_t blocks = divide_up(count, LIST_BLOCK), capacity = smaller(a->count, ANSWER_WINDOW);
    _Static_assert(GPU_LIST_BLOCKS_BYTES == ANSWER_WINDOW / LIST_BLOCK * sizeof(struct list_block), "blocks of a window");
    char *values = (char *)a->window + GPU_LIST_BLOCKS_BYTES;
    const struct gpu_listing listing = {.values = a->values,
                                        .width = list->width,
                                        .bijection = a->bijection,
                                        .p = dev->shard->p,
                                        .own_shard = dev->shard->index,
                                        .first = first,
                                        .count = count,
                                        .blocks = a->window,
                                        .to = values,
                                        .index = (uint8_t *)values + capacity * list->width,
                                        .listed = a->tables};
    cudaStream_t stream = gpu_answer_stream(dev);
    (void)kind;
    if (gpu_use(dev, e) != ST_OK ||
        CUDA_TRY(cudaMemsetAsync(a->tables, 0, sizeof *a->counts, stream), dev->where, e) != ST_OK)
        return e->status;
    cuda_list_values(&listing, stream);
    if (begin_copy(dev, list->blocks, listing.blocks, blocks * sizeof *list->blocks, e) != ST_OK ||
        gpu_fetch(dev, a->counts, a->tables, sizeof *a->counts, stream, e) != ST_OK)
        return e->status;
    list->count = a->counts[0];
    return begin_copy(dev, list->index, listing.index, list->count, e) == ST_OK
               ? gpu_fetch(dev, list->values, listing.to, list->count * list->width, stream, e)
               : e->status;
}

/* Narrows depths in device memory, copies them to the host, and waits (engine.h). */
static enum status gpu_copy_narrowed(struct device *dev, void *to, const int32_t *from, uint64_t count, uint32_t width,
                                     struct error *e)
{
    cudaStream_t stream = gpu_answer_stream(dev);
    if (count == 0 || gpu_use(dev, e) != ST_OK)
        return e->status;
    cuda_narrow_depths(from, count, width, dev->answers.window, stream);
    return gpu_fetch(dev, to, dev->answers.window, count * width, stream, e);
}

const struct backend_answers cuda_answers = {
    .read_depths = gpu_read_depths,
    .reads_peer = gpu_reads_peer,
    .open = gpu_open_answers,
    .know_ids = gpu_know_ids,
    .can_hear_depths = 1,
    .forget_ids = gpu_forget_ids,
    .name_parents = gpu_name_parents,
    .ask = gpu_ask,
    .reply = gpu_reply,
    .take_replies = gpu_take_replies,
    .look = gpu_look,
    .make_values = gpu_make_values,
    .list_values = gpu_list_values,
    .copy = gpu_copy,
    .copy_narrowed = gpu_copy_narrowed,
    .keep = gpu_keep_answer,
    .release = gpu_release_answer,
};
