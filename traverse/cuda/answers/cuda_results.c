/* cuda_results.c: results of a GPU: depths for the host, and answers in its own memory; see backend.h */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* ---- depths, for the host ---- */

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

static enum status wait_for_all(struct device *dev, struct error *e)
{
    if (gpu_use(dev, e) == ST_OK)
        CUDA_TRY(cudaDeviceSynchronize(), dev->where, e);
    return e->status;
}

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

static enum status upload(struct device *dev, void *to, const void *from, uint64_t bytes,
                          struct error *e)
{
    return from == NULL ? ST_OK : gpu_copy(dev, to, from, bytes, e);
}

/* For a device that is alone: makes and copies the input id of each vertex, piece by piece. */
static enum status upload_ids(struct device *dev, const struct answer_places *places, struct error *e)
{
    enum { PIECE = 1 << 13 };
    const struct shard *shard = dev->shard;
    uint64_t vertices = shard->locals + shard->d, width = places->id_bytes;
    int64_t piece[PIECE];
    for (uint64_t first = 0; first < vertices && e->status == ST_OK; first += PIECE) {
        uint64_t count = vertices - first < PIECE ? vertices - first : PIECE;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t v = first + i, l = shard->locals;
            uint64_t id = v < l ? shard->ids.local_slots[v] : shard_delegate_id(shard, v - l);
            if (places->bijection != NULL && id < places->bijection->n)
                id = bijection_backward(places->bijection, id);
            answer_set_id(piece, places->id_bytes, i, (int64_t)id);
        }
        upload(dev, (char *)dev->answers.ids + first * width, piece, count * width, e);
    }
    return e->status;
}

/* For one of several devices: copies the places of its block. */
static enum status upload_block(struct device *dev, const struct answer_places *places, struct error *e)
{
    const struct gpu_block_places *b = &dev->answers.places;
    uint32_t p = dev->shard->p;
    if (upload(dev, b->marks, places->marks, places->marks_of[p] * sizeof *b->marks, e) != ST_OK ||
        upload(dev, b->marks_of, places->marks_of, (p + UINT64_C(1)) * sizeof *b->marks_of, e) != ST_OK)
        return e->status;
    return upload(dev, b->before, places->before, 4 * b->count, e);
}

static void set_places(struct device *dev, const struct answer_places *places)
{
    struct gpu_answers *a = &dev->answers;
    struct gpu_block_places *b = &a->places;
    a->id_bytes = places->id_bytes;
    a->starts = places->starts;
    a->own_block = places->block;
    b->first = places->first;
    b->count = places->count;
    b->p = dev->shard->p;
    b->own = dev->shard->index;
    b->vertex = a->vertex == NULL ? NULL : a->vertex + a->starts[a->own_block];
    if (places->bijection != NULL)
        b->bijection = *places->bijection;
    if (places->before == NULL)
        b->before = NULL;
}

static enum status gpu_open_answers(struct device *dev, const struct answer_places *places,
                                    struct error *e)
{
    struct gpu_answers *a = &dev->answers;
    uint64_t vertices = dev->shard->locals + dev->shard->d;
    set_places(dev, places);
    gpu_sliced_open_answers(dev);
    if (gpu_use(dev, e) != ST_OK ||
        CUDA_TRY(cudaHostAlloc((void **)&a->counts,
                               ((size_t)dev->shard->p + 1) * sizeof *a->counts,
                               cudaHostAllocDefault),
                 dev->where, e) != ST_OK)
        return e->status;
    a->counts[dev->shard->p] = 0;
    if (a->vertex == NULL)
        return upload_ids(dev, places, e);
    if (upload(dev, a->vertex, places->vertex, 4 * a->starts[dev->shard->p], e) != ST_OK ||
        upload(dev, a->ids, places->ids, a->id_bytes * vertices, e) != ST_OK)
        return e->status;
    if (dev->shard->p == 1 || upload_block(dev, places, e) != ST_OK)
        return e->status;
    return gpu_reads_all(dev) && places->ids != NULL ? gpu_open_look(dev, e) : e->status;
}

/* ---- answers ---- */

static uint32_t width_of(const struct device *dev, enum answer_kind kind)
{
    return kind == ANSWER_DEPTHS ? 4 : dev->answers.id_bytes;
}

static enum value_form form_of(const struct device *dev, enum answer_kind kind, uint32_t levels)
{
    if (kind == ANSWER_PARENTS)
        return dev->answers.id_bytes == 4 ? VALUE_32 : VALUE_64;
    return levels <= BYTE_LEVELS ? VALUE_BYTE : VALUE_32;
}

/* Makes the answer without an array of values by vertex. */
static enum status scatter_values(struct device *dev, enum answer_kind kind, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const struct gpu_vertices *n = &dev->of[NORMALS], *d = &dev->of[DELEGATES];
    const char *ids = a->ids;
    cudaStream_t stream = gpu_answer_stream(dev);
    if (CUDA_TRY(cudaMemsetAsync(a->block, 0xff, a->places.count * width_of(dev, kind), stream), dev->where, e) !=
        ST_OK)
        return e->status;
    if (kind == ANSWER_PARENTS)
        return gpu_write_parents(dev, NULL, stream, e);
    cuda_scatter_depths(n, ids, a->id_bytes, a->block, stream);
    cuda_scatter_depths(d, ids + n->count * a->id_bytes, a->id_bytes, a->block, stream);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Picks the values for other blocks: all before the own block, and all behind it. */
static void pick_values(const struct device *dev, struct slice *values)
{
    static const uint64_t form_bytes[] = {[VALUE_BYTE] = 1, [VALUE_32] = 4, [VALUE_64] = 8};
    const struct gpu_answers *a = &dev->answers;
    const uint64_t *starts = a->starts, own = starts[a->own_block + 1] - starts[a->own_block], width = form_bytes[a->form];
    uint64_t all = starts[dev->shard->p], behind = starts[a->own_block + 1];
    char *to = a->values;
    cuda_gather_values(a->vertex, starts[a->own_block], a->form, 1, a->by_vertex, to, gpu_answer_stream(dev));
    cuda_gather_values(a->vertex + behind, all - behind, a->form, 1, a->by_vertex, to + starts[a->own_block] * width,
                       gpu_answer_stream(dev));
    for (uint32_t b = 0; b < dev->shard->p; b++) {
        uint64_t at = b <= a->own_block ? starts[b] : starts[b] - own;
        values[b] = (struct slice){to + at * width, b == a->own_block ? 0 : (starts[b + 1] - starts[b]) * width};
    }
}

static enum status gather_values(struct device *dev, enum answer_kind kind, uint32_t levels, struct slice *values,
                                 struct error *e)
{
    struct gpu_answers *a = &dev->answers;
    a->form = form_of(dev, kind, levels);
    if (kind == ANSWER_DEPTHS &&
        gpu_write_all_depths(dev, a->form, gpu_answer_stream(dev), e) != ST_OK)
        return e->status;
    if (dev->shard->p == 1)
        cuda_gather_values(a->vertex, a->starts[1], a->form, 0, a->by_vertex, a->block, gpu_answer_stream(dev));
    else
        pick_values(dev, values);
    return CUDA_LAUNCHED(dev->where, e);
}

static enum status gpu_values(struct device *dev, enum answer_kind kind, uint32_t levels,
                              struct slice *values, struct error *e)
{
    if (gpu_is_answered(dev, kind))
        return gpu_wait_for_answer(dev, e);
    dev->fused.answers = 0;
    if (gpu_use(dev, e) != ST_OK || gpu_follow_search(dev, e) != ST_OK)
        return e->status;
    if (dev->answers.vertex == NULL)
        scatter_values(dev, kind, e);
    else
        gather_values(dev, kind, levels, values, e);
    if (e->status != ST_OK || gpu_wait(dev, gpu_answer_stream(dev), e) != ST_OK)
        return e->status;
    return kind == ANSWER_PARENTS ? gpu_check_looked(dev, e) : e->status;
}

static enum status gpu_assemble(struct device *dev, enum answer_kind kind,
                                const struct slice *values, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    uint32_t p = dev->shard->p;
    const void **pointers = (const void **)(void *)a->counts; /* host memory of p words and one */
    struct gpu_assembly assembly = {.places = a->places,
                                    .form = a->form,
                                    .by_vertex = a->by_vertex,
                                    .values = a->tables,
                                    .to = a->block};
    (void)kind;
    for (uint32_t s = 0; s < p; s++)
        pointers[s] = values[s].at;
    if (gpu_use(dev, e) != ST_OK ||
        CUDA_TRY(cudaMemcpyAsync(a->tables, pointers, p * sizeof *pointers, cudaMemcpyHostToDevice,
                                 gpu_answer_stream(dev)),
                 dev->where, e) != ST_OK)
        return e->status;
    cuda_assemble(&assembly, gpu_answer_stream(dev));
    return gpu_wait(dev, gpu_answer_stream(dev), e);
}

static enum status gpu_set_value(struct device *dev, enum answer_kind kind, uint64_t at,
                                 int64_t value, struct error *e)
{
    uint32_t width = width_of(dev, kind);
    int32_t narrow = (int32_t)value;
    const void *from = width == 4 ? (const void *)&narrow : &value;
    return gpu_copy(dev, (char *)dev->answers.block + at * width, from, width, e);
}

static enum status gpu_read_block(struct device *dev, enum answer_kind kind, uint64_t first,
                                  uint64_t count, void *values, struct error *e)
{
    uint64_t width = width_of(dev, kind);
    return gpu_copy(dev, values, (const char *)dev->answers.block + first * width, count * width, e);
}

/* Called by the thread that drives `device` or another one. */
static int gpu_can_read_slice(const struct device *dev, const struct device *other)
{
    return cudaSetDevice(dev->ordinal) == cudaSuccess && gpu_can_read(dev->ordinal, other->ordinal);
}

/* The peer of another process that has the shard, or NULL. */
static const struct gpu_peer *peer_elsewhere(const struct device *dev, uint32_t shard)
{
    const struct gpu_peers *p = &dev->traffic.peers;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->all[i].is.shard == shard && !p->all[i].here)
            return &p->all[i];
    }
    return NULL;
}

/* A place is 1 + the bytes from the start of the allocation. Slices in other memory are not shown. */
static uint64_t gpu_show_slice(const struct device *dev, uint32_t to, const struct slice *slice)
{
    const uintptr_t at = (uintptr_t)slice->at, memory = (uintptr_t)dev->memory.device;
    if (at < memory || at - memory >= dev->traffic.peers.shown_bytes || peer_elsewhere(dev, to) == NULL)
        return 0;
    return at - memory + 1;
}

static const void *gpu_peers_slice(const struct device *dev, uint32_t from, uint64_t place)
{
    return (const char *)peer_elsewhere(dev, from)->mapped + place - 1;
}

static enum status gpu_copy_slice(struct device *dev, const struct slice *slice, void *to,
                                  struct error *e)
{
    return gpu_use(dev, e) == ST_OK ? gpu_fetch(dev, to, slice->at, slice->bytes, gpu_answer_stream(dev), e) : e->status;
}

const struct backend_results cuda_results = {
    .depths = gpu_depths,
    .open_answers = gpu_open_answers,
    .values = gpu_values,
    .assemble = gpu_assemble,
    .set_value = gpu_set_value,
    .read_block = gpu_read_block,
    .can_read = gpu_can_read_slice,
    .show_slice = gpu_show_slice,
    .peers_slice = gpu_peers_slice,
    .copy_slice = gpu_copy_slice,
};
