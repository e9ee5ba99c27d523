/* cuda_open.c: the CUDA backend: its tables (backend.h), and opening a GPU: its memory and the shard in it */
#include "cuda_choose.h"
#include "cuda_device.h"
#include "cuda_error.h"
#include "cuda_load.h"

#include "formats/base/cli.h"
#include "formats/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the GPU ---- */

static uint64_t place_of_slot(uint32_t slot)
{
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus < 1)
        return 0;
    return gpu_place(gpu_ordinal(slot, gpus)) + 1;
}

/* ---- memory ---- */

/* Finds the place of each array of the plan. */
static void place_arrays(const struct device *dev, const struct gpu_plan *plan,
                         void *at[GPU_ARRAY_COUNT])
{
    char *next[2] = {dev->memory.device, dev->memory.host};
    for (int i = 0; i < GPU_ARRAY_COUNT; i++) {
        char **of = &next[plan->array[i].hosted];
        at[i] = *of;
        *of += gpu_aligned(plan->array[i].bytes);
    }
}

/* A section at at[0], the rest of its directory at at[1]. */
static struct packed_columns packed_at(const struct packed *packed, void *const *at)
{
    const char *words = at[0];
    return (struct packed_columns){.words = (const uint32_t *)words,
                                   .place = at[1],
                                   .group = (const uint64_t *)(words + (packed->group - packed->bits))};
}

static void set_csr(struct device *dev, enum subgraph g, enum residence resident,
                    void *const at[GPU_ARRAY_COUNT])
{
    const struct csr *csr = &dev->shard->csr[g];
    int i = GPU_SECTIONS * (int)g;
    dev->csr[g] = (struct gpu_csr){.rows = csr->rows,
                                   .edges = csr->edges,
                                   .head_columns = csr->head_columns,
                                   .offset_width = csr->offset_width,
                                   .column_width = csr->column_width,
                                   .heads = at[i + GPU_HEADS],
                                   .offsets = at[i + GPU_OFFSETS],
                                   .columns = at[i + GPU_COLUMNS],
                                   .sources = at[i + GPU_SOURCES]};
    struct packed packed;
    if (csr->edges > 0 && gpu_keeps_columns(dev->shard, g, resident, &packed))
        dev->csr[g].packed = packed_at(&packed, at + i + GPU_COLUMNS);
}

/* The members that point to the arrays. */
static const size_t pointer_to[GPU_ARRAY_COUNT] = {
#define ARRAY(id, name, member) [GPU_##id] = offsetof(struct device, member),
#include "cuda_arrays.def"
#undef ARRAY
};

/* The masks of the kind begin at `masks`. Returns where those of the next kind begin. */
static uint32_t *set_vertices(struct gpu_vertices *v, uint64_t count, uint32_t *masks)
{
    v->count = count;
    v->words = gpu_mask_words(count);
    v->visited = masks;
    v->next = masks + v->words;
    return masks + 2 * v->words;
}

static void set_kinds(struct device *dev, int parents)
{
    uint32_t *masks = set_vertices(&dev->of[DELEGATES], dev->shard->d, dev->masks.all);
    masks = set_vertices(&dev->of[NORMALS], dev->shard->locals, masks);
    dev->masks.incoming = dev->shard->p > 1 ? masks : NULL;
    if (!parents)
        dev->of[DELEGATES].parent = dev->of[NORMALS].parent = NULL;
}

/* Called after take_host_memory. */
static void set_traffic(struct device *dev, const struct gpu_plan *plan)
{
    struct gpu_traffic *t = &dev->traffic;
    t->bins.sent = &dev->counters.level->sent;
    t->bins.p = dev->shard->p;
    t->bins.local_bits = dev->shard->local_bits;
    t->bins.cursor = t->bins.begin + dev->shard->p + 1;
    t->frontiers.frontier_update.p = dev->shard->p;
    t->frontiers.frontier_update.shard_words = (UINT64_C(1) << dev->shard->local_bits) / 32;
    t->frontiers.frontier_update.known = t->peers.gathered;
    t->frontiers.frontier_update.words = t->bins.published; /* no pull of nn uses these */
    t->peers.others = t->peers.own + dev->of[DELEGATES].words;
    t->received_capacity = plan->array[GPU_RECEIVED_IDS].bytes / 4;
    t->sent_mask_bytes = plan->array[GPU_SENT_MASK].bytes;
}

/* Sets the pointers to arrays, and into them. */
static void set_arrays(struct device *dev, const struct gpu_plan *plan, int parents,
                       void *const at[GPU_ARRAY_COUNT])
{
    struct gpu_answers *a = &dev->answers;
    for (int g = 0; g < shard_row_sets(dev->shard); g++)
        set_csr(dev, (enum subgraph)g, plan->resident, at);
    for (int i = GPU_MASKS; i < GPU_ARRAY_COUNT; i++)
        memcpy((char *)dev + pointer_to[i], &at[i], sizeof at[i]);
    set_kinds(dev, parents);
    dev->masks.bytes = plan->array[GPU_MASKS].bytes;
    dev->scratch.scan.scratch_bytes = plan->array[GPU_MERGE_SCRATCH].bytes;
    set_traffic(dev, plan);
    if (gpu_scatters_answers(plan, dev->shard)) {
        a->vertex = NULL;
        a->block = at[GPU_QUEUE_D];
    }
    a->places.marks_of = (uint64_t *)a->tables + gpu_answer_cursors(dev->shard->p);
    if (plan->array[GPU_SLICED_HEADS].bytes == 0)
        dev->fused.sliced.search.heads = NULL;
    if (plan->array[GPU_SLICED_PUSHERS].bytes == 0)
        dev->fused.sliced.search.link_row = NULL;
}

static enum status take_host_memory(struct device *dev, struct error *e)
{
    struct gpu_counters *c = &dev->counters;
    unsigned long long **bins = &dev->traffic.bins.published;
    CUDA_TRY(cudaHostAlloc((void **)&c->published, GPU_COUNTERS_KINDS * sizeof *c->published,
                           cudaHostAllocMapped),
             dev->where, e);
    CUDA_TRY(cudaHostAlloc((void **)&c->updated, GPU_COUNTERS_KINDS * sizeof *c->updated,
                           cudaHostAllocMapped),
             dev->where, e);
    if (e->status == ST_OK) {
        memset(c->published, 0, GPU_COUNTERS_KINDS * sizeof *c->published);
        memset(c->updated, 0, GPU_COUNTERS_KINDS * sizeof *c->updated);
    }
    CUDA_TRY(cudaHostAlloc((void **)bins, ((size_t)dev->shard->p + 1) * sizeof **bins,
                           cudaHostAllocMapped),
             dev->where, e);
    return e->status;
}

static enum status take_unique_memory(struct device *dev, const struct device_options *options,
                                      struct error *e)
{
    struct gpu_traffic *t = &dev->traffic;
    if (!options->uniquify || dev->shard->p == 1)
        return ST_OK;
    if (CUDA_TRY(cudaHostAlloc((void **)&t->kept, 2 * dev->shard->p * sizeof *t->kept, cudaHostAllocMapped),
                 dev->where, e) == ST_OK)
        t->kept_in_boxes = t->kept + dev->shard->p;
    return e->status;
}

/* ---- loading ---- */

/* Makes the directory of section `type`, which stays packed. */
static enum status load_places(const struct device *dev, uint32_t type, struct packed_place *to,
                               struct gpu_loader *loader, const struct device_options *options, struct error *e)
{
    const char *name = shard_kind.section_name(type);
    struct packed_place *place = NULL;
    struct packed packed;
    if (to == NULL || !shard_packed(dev->shard, type, &packed))
        return ST_OK;
    if (memory_take(options->budget, (void **)&place, packed.blocks, sizeof *place, name, e) != ST_OK)
        return e->status;
    struct gpu_copy copy = {to, place, packed.blocks * sizeof *place};
    if (packed_places(&packed, place, options->threads) != ST_OK)
        fail(e, ST_BAD_DATA, "%s: %s: a packed block is corrupt", container_path(dev->shard->file), name);
    else
        gpu_loader_copy(loader, &copy, 1, e);
    memory_release(options->budget, place);
    return e->status;
}

static enum status load_directories(const struct device *dev, struct gpu_loader *loader,
                                    const struct device_options *options, struct error *e)
{
    for (int i = 0; i < shard_row_sets(dev->shard); i++) {
        const uint32_t columns = shard_section(dev->shard, (enum subgraph)i, SHARD_COLUMNS);
        if (load_places(dev, columns, dev->csr[i].packed.place, loader, options, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

static enum status load_arrays(const struct gpu_plan *plan, void *const at[GPU_ARRAY_COUNT],
                               struct gpu_loader *loader, struct error *e)
{
    struct gpu_copy copies[GPU_ARRAY_COUNT];
    int count = 0;
    for (int i = 0; i < GPU_ARRAY_COUNT; i++) {
        const struct gpu_array *a = &plan->array[i];
        if (a->source != NULL && a->bytes > 0 && !a->hosted)
            copies[count++] = (struct gpu_copy){at[i], a->source, a->bytes};
    }
    return gpu_loader_copy(loader, copies, count, e);
}

static enum status load(struct device *dev, const struct gpu_plan *plan,
                        void *const at[GPU_ARRAY_COUNT], const struct device_options *options,
                        struct error *e)
{
    void *staging = NULL; /* for gpu_unpack_columns */
    struct gpu_loader *loader = NULL;
    double start = cli_seconds();
    if (plan->staging_bytes > 0 &&
        CUDA_TRY(cudaMalloc(&staging, plan->staging_bytes), dev->where, e) != ST_OK)
        return e->status;
    if (gpu_loader_open(&loader, options->threads, dev->where, e) == ST_OK &&
        load_arrays(plan, at, loader, e) == ST_OK)
        load_directories(dev, loader, options, e);
    for (int g = 0; g < shard_row_sets(dev->shard) && e->status == ST_OK; g++)
        gpu_unpack_columns(dev, (enum subgraph)g, plan, staging, loader, e);
    gpu_loader_close(loader);
    cudaFree(staging);
    dev->load.seconds += cli_seconds() - start;
    dev->load.bytes = plan->graph_bytes;
    return e->status;
}

static enum residence gpu_resident(const struct device *dev)
{
    if (dev->memory.host != NULL)
        return RESIDENT_HOST;
    return gpu_is_packed(dev) ? RESIDENT_PACKED : RESIDENT_RAW;
}

static struct device_load gpu_load(const struct device *dev)
{
    return dev->load;
}

/* ---- streams and events ---- */

static enum status make_streams(struct device *dev, struct error *e)
{
    struct gpu_streams *s = &dev->stream;
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        CUDA_TRY(cudaStreamCreateWithFlags(&s->of[kind], cudaStreamNonBlocking), dev->where, e);
        CUDA_TRY(cudaEventCreateWithFlags(&s->reached[kind], cudaEventDisableTiming), dev->where,
                 e);
    }
    unsigned flags = cudaEventDisableTiming | (dev->traffic.peers.shared ? cudaEventInterprocess : 0);
    CUDA_TRY(cudaEventCreateWithFlags(&s->masks_read, flags), dev->where, e);
    CUDA_TRY(cudaEventCreateWithFlags(&s->first_part, flags), dev->where, e);
    for (int mark = 0; mark < COPY_EVENTS; mark++)
        CUDA_TRY(cudaEventCreateWithFlags(&s->copied[mark], cudaEventDisableTiming), dev->where,
                 e);
    for (int phase = 0; dev->clock.runs && phase < DEVICE_PHASES; phase++) {
        CUDA_TRY(cudaEventCreate(&dev->clock.begin[phase]), dev->where, e);
        CUDA_TRY(cudaEventCreate(&dev->clock.end[phase]), dev->where, e);
    }
    return e->status;
}

static void destroy_event(cudaEvent_t event)
{
    if (event != NULL)
        cudaEventDestroy(event);
}

static void gpu_close(struct device *dev)
{
    if (dev == NULL)
        return;
    cudaSetDevice(dev->ordinal);
    cuda_peers.leave(dev);
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        if (dev->stream.of[kind] != NULL)
            cudaStreamDestroy(dev->stream.of[kind]);
        destroy_event(dev->stream.reached[kind]);
    }
    destroy_event(dev->stream.masks_read);
    destroy_event(dev->stream.first_part);
    for (int mark = 0; mark < COPY_EVENTS; mark++)
        destroy_event(dev->stream.copied[mark]);
    for (int phase = 0; phase < DEVICE_PHASES; phase++) {
        destroy_event(dev->clock.begin[phase]);
        destroy_event(dev->clock.end[phase]);
    }
    gpu_fused_close(dev);
    cudaFreeHost(dev->counters.published);
    cudaFreeHost(dev->counters.updated);
    cudaFreeHost(dev->traffic.bins.published);
    cudaFreeHost(dev->traffic.kept);
    cudaFreeHost(dev->answers.counts);
    gpu_free_hosted(dev);
    cudaFree(dev->memory.device);
    free(dev);
}

/* Clears the arrays that peers may read before any search: they read them to wake their links, and
 * take words without the number of a meeting for old ones. */
static enum status clear_shown(struct device *dev, const struct gpu_plan *plan, void *const at[GPU_ARRAY_COUNT],
                               struct error *e)
{
    cudaStream_t stream = dev->stream.of[NORMALS];
    static const int shown[] = {GPU_MASKS, GPU_SENT_MASK, GPU_GATHERED, GPU_GROUP_MASK, GPU_GROUP_ARRIVALS,
                                GPU_GROUP_STATE};
    if (dev->shard->p == 1)
        return ST_OK;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        if (plan->array[shown[i]].bytes > 0)
            CUDA_TRY(cudaMemsetAsync(at[shown[i]], 0, plan->array[shown[i]].bytes, stream), dev->where, e);
    }
    return CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
}

static enum status open_device(struct device *dev, const struct device_options *options,
                               struct error *e)
{
    struct gpu_plan plan;
    struct gpu_plan_options planned = {.parents = options->parents,
                                       .answers = options->answers,
                                       .permuted = options->permuted,
                                       .notes = options->notes,
                                       .resident = options->resident,
                                       .hosted = GPU_ALL_HOSTED};
    const struct gpu_user user = {options->host, options->rank, options->slot};
    void *at[GPU_ARRAY_COUNT];
    dev->fused.answer = options->answer;
    if (gpu_choose(&user, &dev->ordinal, dev->where, e) != ST_OK)
        return e->status;
    planned.by_classes = options->by_classes || !cuda_sliced_fits(gpu_sliced_words(dev->shard->d, dev->shard->locals));
    if (gpu_take_memory(dev, &planned, &plan, e) != ST_OK ||
        gpu_take_hosted(dev, &plan, options->threads, e) != ST_OK ||
        take_host_memory(dev, e) != ST_OK || make_streams(dev, e) != ST_OK ||
        take_unique_memory(dev, options, e) != ST_OK)
        return e->status;
    place_arrays(dev, &plan, at);
    set_arrays(dev, &plan, options->parents, at);
    if (cuda_scan_bytes(dev->shard->d + 2) > dev->scratch.scan.scratch_bytes)
        return fail(e, ST_RUNTIME, "%s: the scan of %llu rows wants more scratch memory than "
                    "planned", dev->where, (unsigned long long)dev->shard->d);
    if (gpu_fused_open(dev, gpu_searches_fused(&plan), options->notes, e) != ST_OK ||
        clear_shown(dev, &plan, at, e) != ST_OK)
        return e->status;
    if (load(dev, &plan, at, options, e) == ST_OK && !options->trust)
        gpu_check_ranges(dev, options->locals, options->threads, e);
    if (e->status != ST_OK || gpu_fused_measure(dev, e) != ST_OK || !gpu_searches_by_slices(&plan, dev->shard))
        return e->status;
    return gpu_sliced_open(dev, options->notes, e);
}

static enum status gpu_open(struct device **result, const struct shard *shard,
                     const struct device_options *options, struct error *e)
{
    *result = NULL;
    struct device *dev = calloc(1, sizeof *dev);
    if (dev == NULL)
        return fail_memory(e, "device", sizeof *dev);
    dev->shard = shard;
    dev->memory.budget = options->budget;
    dev->fused.deepest = options->deepest;
    dev->clock.runs = options->timing;
    dev->traffic.peers.shared = options->shared;
    if (open_device(dev, options, e) != ST_OK) {
        gpu_close(dev);
        return e->status;
    }
    *result = dev;
    return ST_OK;
}

static const struct backend_device cuda_device = {
    .open = gpu_open,
    .close = gpu_close,
    .load = gpu_load,
    .resident = gpu_resident,
    .place = place_of_slot,
    .describe = gpu_describe};

const struct backend backend_cuda = {
    .name = "cuda",
    .side_by_side = 1,
    .has_device_memory = 1,
    .part_rows = SEARCH_PART_ROWS,
    .device = &cuda_device,
    .peers = &cuda_peers,
    .search = &cuda_search,
    .fused = &cuda_fused,
    .ahead = &cuda_ahead,
    .messages = &cuda_messages,
    .masks = &cuda_masks,
    .frontiers = &cuda_frontiers,
    .results = &cuda_results,
    .parents = &cuda_parents,
};
