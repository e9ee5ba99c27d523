/* cuda_open.c: opens and closes a device of the CUDA backend. open_device has the steps; the backend's table stands at
 * the end. */
#include "cuda_choose.h"
#include "cuda_device.h"
#include "cuda_error.h"

#include "formats/base/cli.h"
#include "formats/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the GPU ---- */

/* Writes the version of the driver, such as 550.54.15, to driver[bytes]: the first word of the driver's file in /proc
 * that looks like a version. Leaves `driver` as it was if there is no such file. CUDA does not tell this version; what
 * CUDA calls the "driver version" is the version of an interface. */
static void read_driver(char *driver, size_t bytes)
{
    char line[256] = "", *rest = NULL;
    FILE *file = fopen("/proc/driver/nvidia/version", "re");
    if (file != NULL && fgets(line, sizeof line, file) == NULL)
        line[0] = '\0';
    if (file != NULL)
        fclose(file);
    for (char *word = strtok_r(line, " \t\n", &rest); word != NULL; word = strtok_r(NULL, " \t\n", &rest)) {
        if (isdigit((unsigned char)word[0]) && strchr(word, '.') != NULL) {
            snprintf(driver, bytes, "%s", word);
            return;
        }
    }
}

/* Asks the GPU what it says of itself: sets the members `model` and `traits`, and `rates` for the shard. */
static void learn_traits(struct device *dev)
{
    enum { VERTEX_BYTES = 16, EDGE_BYTES = 4 }; /* that searches read: offsets and depth; column */
    const uint64_t bytes = VERTEX_BYTES * (dev->shard->d + dev->shard->locals) + EDGE_BYTES * shard_pushed_edges(dev->shard);
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, dev->ordinal) == cudaSuccess)
        snprintf(dev->model, sizeof dev->model, "%s", properties.name);
    dev->traits = gpu_ask_traits(dev->ordinal);
    dev->traits.name = dev->model;
    dev->rates = gpu_rates(&dev->traits, bytes);
}

/* Prints to text[bytes] what the GPU says of itself, how rates are scaled, and the sizes of a search that a single GPU does in one
 * kernel. */
static void describe_choices(const struct device *dev, char *text, size_t bytes)
{
    const struct gpu_sliced *sliced = &dev->fused.sliced.search;
    const int is_sliced = dev->fused.sliced.launch.blocks > 0;
    const struct fused_launch *launch = is_sliced ? &dev->fused.sliced.launch : &dev->fused.launch;
    FILE *out = fmemopen(text, bytes, "w");
    if (out == NULL)
        return;
    gpu_traits_print(out, &dev->traits);
    if (is_sliced)
        fprintf(out, "; sliced%s, %u of %u words of visited bits in shared memory",
                sliced->heads != NULL ? " by rows" : "", sliced->near_words, sliced->words);
    else if (launch->blocks > 0)
        fprintf(out, "; fused, thread group of %u blocks, lists of %u", launch->thread_group, launch->thread_group_capacity);
    if (launch->blocks > 0)
        fprintf(out, ", %d blocks of %d threads", launch->blocks, launch->threads);
    fclose(out);
}

/* Fills *d with facts for reports: the residence of the shard, the bytes of the shard, the seconds of loading, the model
 * of the GPU, and the versions of driver and runtime. Names that CUDA does not tell stay empty. */
static void describe(const struct device *dev, struct device_description *d)
{
    int runtime = 0;
    *d = (struct device_description){.resident = dev->memory.host != NULL ? RESIDENT_HOST
                                                 : gpu_is_packed(dev)    ? RESIDENT_PACKED
                                                                         : RESIDENT_RAW,
                                     .bytes = dev->load.bytes,
                                     .host_bytes = dev->load.host_bytes,
                                     .load_s = dev->load.seconds,
                                     .ranges_s = dev->load.ranges_s};
    snprintf(d->model, sizeof d->model, "%s", dev->model);
    describe_choices(dev, d->choices, sizeof d->choices);
    if (cudaRuntimeGetVersion(&runtime) == cudaSuccess)
        snprintf(d->runtime, sizeof d->runtime, "%d.%d", runtime / 1000, runtime % 1000 / 10);
    read_driver(d->driver, sizeof d->driver);
}

/* Returns 0, because a GPU has its own memory, so that searches take nothing of the memory budget. */
uint64_t gpu_bytes_needed(const struct shard *shard, int threads, int parents)
{
    (void)shard, (void)threads, (void)parents;
    return 0;
}

/* ---- memory ---- */

/* Describes subgraph g in dev->csr[g]: its sizes, from the shard, and the addresses of its arrays in device memory. Also sets
 * dev->further_rows[g]. at[i] is
 * the address of array i of the plan. If the columns stay packed, also describes how to decode them: their array has the words
 * of all blocks, and behind them where each group of GROUP_BLOCKS blocks begins. GPU_COLUMN_PLACES has where each block begins
 * in its group. */
static void set_csr(struct device *dev, enum subgraph g, const struct gpu_plan *plan, void *const at[GPU_ARRAY_COUNT])
{
    const struct csr *csr = &dev->shard->csr[g];
    int i = GPU_SECTIONS * (int)g;
    const struct gpu_copied *copied = &plan->copied[g];
    const uint64_t *copied_begin = at[i + GPU_COPIES];
    dev->csr[g] = (struct gpu_csr){.rows = csr->rows,
                                   .edges = csr->edges,
                                   .head_columns = csr->head_columns,
                                   .offset_width = csr->offset_width,
                                   .column_width = csr->column_width,
                                   .heads = at[i + GPU_HEADS],
                                   .offsets = at[i + GPU_OFFSETS],
                                   .columns = at[i + GPU_COLUMNS],
                                   .copied_columns = copied->columns,
                                   .copied_begin = copied_begin,
                                   .copies = (uint32_t *)(copied_begin + copied->columns + 1),
                                   .hosted = plan->array[i + GPU_COLUMNS].hosted != 0,
                                   .sources = at[i + GPU_SOURCES]};
    dev->further_rows[g] = copied->columns > 0 ? copied->begin[copied->columns] - copied->begin[copied->columns - 1] : 0;
    struct packed packed;
    if (csr->edges > 0 && gpu_keeps_columns(dev->shard, g, plan->resident, &packed))
        dev->csr[g].packed = (struct packed_columns){
            .words = at[i + GPU_COLUMNS],
            .place = at[i + GPU_COLUMN_PLACES],
            .group = (const uint64_t *)((const char *)at[i + GPU_COLUMNS] + (packed.group - packed.bits))};
}

/* For each array of the plan, where struct device has the pointer to the array, as an offset in bytes. */
static const size_t pointer_to[GPU_ARRAY_COUNT] = {
#define ARRAY(id, name, member) [GPU_##id] = offsetof(struct device, member),
#include "cuda_arrays.def"
#undef ARRAY
};

/* Gives each array of the plan its address in one of the two allocations of dev->memory, and writes the addresses to at[]. Sets
 * all pointers and sizes of the device that belong to these arrays. `parents`: searches record parents. Allocates nothing. */
static void set_arrays(struct device *dev, const struct gpu_plan *plan, int parents, void *at[GPU_ARRAY_COUNT])
{
    const struct shard *shard = dev->shard;
    const uint64_t count[VERTEX_KINDS] = {[NORMALS] = shard->locals, [DELEGATES] = shard->d};
    struct gpu_traffic *t = &dev->traffic;
    char *next[2] = {dev->memory.device, dev->memory.host}; /* the beginning of the next array, by gpu_array.hosted */
    for (int i = 0; i < GPU_ARRAY_COUNT; i++) {
        char **of = &next[plan->array[i].hosted];
        at[i] = *of;
        *of += gpu_aligned(plan->array[i].bytes);
    }
    for (int g = 0; g < shard_row_sets(shard); g++)
        set_csr(dev, (enum subgraph)g, plan, at);
    for (int i = GPU_MASKS; i < GPU_ARRAY_COUNT; i++)
        memcpy((char *)dev + pointer_to[i], &at[i], sizeof at[i]);
    uint32_t *masks = dev->masks.all;
    for (int kind = DELEGATES; kind >= NORMALS; kind--) {
        struct gpu_vertices *v = &dev->of[kind];
        v->count = count[kind];
        v->words = gpu_mask_words(v->count);
        v->visited = masks;
        v->next = masks + v->words;
        masks += 2 * v->words;
        if (!parents)
            v->parent = NULL;
    }
    dev->masks.incoming = shard->p > 1 ? masks : NULL;
    dev->masks.bytes = plan->array[GPU_MASKS].bytes;
    dev->scratch.scan.scratch_bytes = plan->array[GPU_MERGE_SCRATCH].bytes;
    t->bins.sent = &dev->counters.level->sent;
    t->bins.p = shard->p;
    t->bins.local_bits = shard->local_bits;
    t->bins.cursor = t->bins.begin + shard->p + 1;
    t->update.p = shard->p;
    t->update.shard_words = (UINT64_C(1) << shard->local_bits) / 32;
    t->update.known = t->peers.gathered;
    /* two uses: a level that pushes nn sorts bins, and a level that pulls nn may send messages with frontiers */
    t->update.words = t->bins.published;
    t->peers.others = t->peers.own + dev->of[DELEGATES].words;
    t->received_capacity = plan->array[GPU_RECEIVED_IDS].bytes / 4;
    t->sent_mask_bytes = plan->array[GPU_SENT_MASK].bytes;
    if (gpu_scatters_answers(plan, dev->shard)) { /* the answer overwrites arrays that are free after a search */
        dev->answers.vertex = NULL;
        dev->answers.values = at[GPU_SPARSE_D];
    }
    if (plan->array[GPU_SLICED_HEADS].bytes == 0)
        dev->fused.sliced.search.heads = NULL;
    if (plan->array[GPU_SLICED_LINK_ROWS].bytes == 0)
        dev->fused.sliced.search.link_row = NULL;
}

/* Allocates `bytes` zeroed bytes of host memory that the device can write, and sets *memory to the address. gpu_close
 * frees the memory. Does nothing if *e has an error already. The budget is not charged. */
static enum status take_mapped(const struct device *dev, void **memory, size_t bytes, struct error *e)
{
    if (e->status == ST_OK && CUDA_TRY(cudaHostAlloc(memory, bytes, cudaHostAllocMapped), dev->where, e) == ST_OK)
        memset(*memory, 0, bytes);
    return e->status;
}

/* Allocates the host memory to which the device writes numbers for the host: counters of levels, where bins begin, and how many
 * ids are left when duplicates were dropped from lists. gpu_close frees the memory. */
static enum status take_published(struct device *dev, const struct device_options *options, struct error *e)
{
    struct gpu_counters *c = &dev->counters;
    struct gpu_traffic *t = &dev->traffic;
    const uint32_t p = dev->shard->p;
    take_mapped(dev, (void **)&c->published, GPU_COUNTERS_KINDS * sizeof *c->published, e);
    take_mapped(dev, (void **)&c->updated, GPU_COUNTERS_KINDS * sizeof *c->updated, e);
    take_mapped(dev, (void **)&t->bins.published, ((size_t)p + 1) * sizeof *t->bins.published, e);
    if (options->uniquify && p > 1)
        take_mapped(dev, (void **)&t->kept, p * sizeof *t->kept, e);
    return e->status;
}

/* ---- streams and events ---- */

/* Makes the streams and the events of the device; gpu_close destroys them, even after a failure. There are events of the
 * clock only if phases are timed. Other processes can wait for masks_read and first_part if they read this device. */
static enum status make_streams(struct device *dev, struct error *e)
{
    struct gpu_streams *s = &dev->stream;
    const unsigned shared = cudaEventDisableTiming | (dev->traffic.peers.shared ? cudaEventInterprocess : 0);
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        CUDA_TRY(cudaStreamCreateWithFlags(&s->of[kind], cudaStreamNonBlocking), dev->where, e);
        CUDA_TRY(cudaEventCreateWithFlags(&s->reached[kind], cudaEventDisableTiming), dev->where, e);
    }
    CUDA_TRY(cudaEventCreateWithFlags(&s->masks_read, shared), dev->where, e);
    CUDA_TRY(cudaEventCreateWithFlags(&s->first_part, shared), dev->where, e);
    for (int event = 0; event < DEVICE_EVENTS; event++)
        CUDA_TRY(cudaEventCreateWithFlags(&s->event[event], cudaEventDisableTiming), dev->where, e);
    for (int phase = 0; dev->clock.runs && phase < DEVICE_PHASES; phase++) {
        CUDA_TRY(cudaEventCreate(&dev->clock.begin[phase]), dev->where, e);
        CUDA_TRY(cudaEventCreate(&dev->clock.end[phase]), dev->where, e);
    }
    return e->status;
}

/* Destroys an event. Does nothing for NULL, an event that was not made because opening the device failed. */
static void destroy_event(cudaEvent_t event)
{
    if (event != NULL)
        cudaEventDestroy(event);
}

/* Frees a device with all its memory, streams and events, and ends the sharing with its peers. The device may be open
 * only in part, because open_device has failed. It may be NULL. */
void gpu_close(struct device *dev)
{
    if (dev == NULL)
        return;
    cudaSetDevice(dev->ordinal);
    gpu_far_close(dev);
    gpu_leave(dev);
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        if (dev->stream.of[kind] != NULL)
            cudaStreamDestroy(dev->stream.of[kind]);
        destroy_event(dev->stream.reached[kind]);
    }
    destroy_event(dev->stream.masks_read);
    destroy_event(dev->stream.first_part);
    for (int event = 0; event < DEVICE_EVENTS; event++)
        destroy_event(dev->stream.event[event]);
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
    gpu_forget_ids(dev);
    gpu_free_hosted(dev);
    cudaFree(dev->memory.device);
    free(dev);
}

/* ---- opening ---- */

/* Clears the arrays that peers may read before the first search, and waits. Without this, bytes of an earlier program could
 * look like the number of a barrier for which peers wait there. Does nothing if there is one shard. */
static enum status clear_shown(struct device *dev, const struct gpu_plan *plan, void *const at[GPU_ARRAY_COUNT],
                               struct error *e)
{
    cudaStream_t stream = dev->stream.of[NORMALS];
    static const int shown[] = {GPU_MASKS, GPU_SENT_MASK, GPU_GATHERED, GPU_PEERS_MASK, GPU_PEERS_ARRIVALS,
                                GPU_PEERS_STATE};
    for (size_t i = 0; dev->shard->p > 1 && i < sizeof shown / sizeof *shown; i++) {
        if (plan->array[shown[i]].bytes > 0)
            CUDA_TRY(cudaMemsetAsync(at[shown[i]], 0, plan->array[shown[i]].bytes, stream), dev->where, e);
    }
    return e->status == ST_OK ? CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e) : e->status;
}

/* Opens a device, for which gpu_open has set the options. After a failure it is open in part, and the caller closes it. */
static enum status open_device(struct device *dev, const struct device_options *options, struct error *e)
{
    struct gpu_plan plan;
    struct gpu_plan_options planned = {.gpu = &dev->traits,
                                       .parents = options->parents,
                                       .answers = options->answers,
                                       .permuted = options->permuted,
                                       .notes = options->notes,
                                       .resident = options->resident,
                                       .hosted = GPU_ALL_HOSTED};
    const struct gpu_user user = {options->host, options->rank, options->slot};
    void *at[GPU_ARRAY_COUNT]; /* the address of each array of the plan */
    if (gpu_choose(&user, &dev->ordinal, dev->where, e) != ST_OK)
        return e->status;
    learn_traits(dev);
    planned.by_subgraphs = options->by_subgraphs || !cuda_sliced_possible();
    if (gpu_take_memory(dev, &planned, &plan, e) != ST_OK || gpu_take_hosted(dev, &plan, options->threads, e) != ST_OK ||
        take_published(dev, options, e) != ST_OK || make_streams(dev, e) != ST_OK)
        return e->status;
    set_arrays(dev, &plan, options->parents, at);
    if (cuda_scan_bytes(dev->shard->d + 2) > dev->scratch.scan.scratch_bytes)
        return fail(e, ST_RUNTIME, "%s: the scan of %llu rows wants more scratch memory than planned", dev->where,
                    (unsigned long long)dev->shard->d);
    if (gpu_fused_open(dev, gpu_searches_fused(&plan), options->notes, e) != ST_OK ||
        clear_shown(dev, &plan, at, e) != ST_OK || gpu_load_shard(dev, &plan, at, options, e) != ST_OK ||
        (!options->trust && gpu_check_ranges(dev, options->locals, options->threads, e) != ST_OK) ||
        gpu_copy_columns(dev, &plan, e) != ST_OK ||
        gpu_fused_measure(dev, e) != ST_OK)
        return e->status;
    return gpu_searches_by_slices(&plan, dev->shard) ? gpu_sliced_open(dev, options->notes, e) : ST_OK;
}

/* Opens a device on the GPU of options->slot. After a failure *result is NULL, and everything is freed. */
enum status gpu_open(struct device **result, const struct shard *shard, const struct device_options *options,
                     struct device_description *description, struct error *e)
{
    *result = NULL;
    struct device *dev = calloc(1, sizeof *dev);
    if (dev == NULL)
        return fail_memory(e, "device", sizeof *dev);
    dev->shard = shard;
    dev->memory.budget = options->budget;
    dev->fused.deepest = options->deepest;
    dev->fused.answer_kind = options->answer;
    dev->clock.runs = options->timing;
    dev->traffic.peers.shared = options->shared;
    if (open_device(dev, options, e) != ST_OK) {
        gpu_close(dev);
        return e->status;
    }
    if (description != NULL)
        describe(dev, description);
    *result = dev;
    return ST_OK;
}

const struct backend backend_cuda = {
    .name = "cuda",
    .side_by_side = 1,
    .has_device_memory = 1,
    .updates_frontiers = 1,
    .fused_roots = FUSED_MOST_ROOTS,
    .part_rows = SEARCH_PART_ROWS,
    .open = gpu_open,
    .close = gpu_close,
    .bytes_needed = gpu_bytes_needed,
    .show = gpu_show,
    .join = gpu_join,
    .reach = gpu_reach,
    .hear = gpu_hear,
    .wake = gpu_wake,
    .search_begin = gpu_search_begin,
    .search_end = gpu_search_end,
    .replay_levels = gpu_replay_levels,
    .start = gpu_start,
    .previsit = gpu_previsit,
    .counts = gpu_counts,
    .count_edges = gpu_count_edges,
    .visit = gpu_visit,
    .finish = gpu_finish,
    .take_buffer = gpu_take_buffer,
    .release_buffer = gpu_release_buffer,
    .pin = gpu_pin,
    .unpin = gpu_unpin,
    .uniquify = gpu_uniquify,
    .copy_vertices = gpu_copy_vertices,
    .is_over = gpu_is_over,
    .receive = gpu_receive,
    .receive_peers = gpu_receive_peers,
    .read_masks = gpu_read_masks,
    .know_mask = gpu_know_mask,
    .take_mask = gpu_take_mask,
    .learn_sources = gpu_learn_sources,
    .show_frontier = gpu_show_frontier,
    .take_frontier = gpu_take_frontier,
    .answers = &cuda_answers,
};
