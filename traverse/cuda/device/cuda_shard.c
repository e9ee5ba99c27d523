/* cuda_shard.c: brings a shard to its GPU, and checks the shard. Sections go to device memory, packed columns decoded or as
 * they are. A plan may also put columns into memory of the host that the GPU reads.
 *
 * CUDA allocates this host memory, and threads copy or decode columns into it. (The GPU could read the mapped file itself only
 * if columns were raw, and the file system let a driver pin its pages.)
 *
 * A device decodes packed columns in pieces of LOAD_PIECE_GROUPS groups of blocks (formats/container/packed.h). The words of a
 * piece, and behind them its part of the directory, are copied to staging memory, where they look like a section of their own.
 * All pieces use the same staging memory, so any graph that fits raw can be loaded.
 */
#include "cuda_device.h"
#include "cuda_error.h"
#include "cuda_load.h"
#include "cuda_plan.h"

#include "formats/base/cli.h"
#include "formats/container/packed_layout.h"

#include <stdio.h>
#include <string.h>

/* Writes to *e that the shard's file has a corrupt packed block in this section. Returns e->status. */
static enum status fail_packed(const struct device *dev, uint32_t section, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: %s: a packed block is corrupt", container_path(dev->shard->file),
                shard_kind.section_name(section));
}

/* ---- columns in memory of the host ---- */

/* Fills `to`, memory of the host, with the columns of subgraph g by `threads` threads: copies raw columns from the mapped
 * file, or decodes packed columns. ST_BAD_DATA: a packed block is corrupt. */
static enum status fill_columns(const struct device *dev, enum subgraph g, void *to, int threads, struct error *e)
{
    enum { COPY_BYTES = 2 << 20 };
    const struct section *s = container_find(dev->shard->file, shard_section(dev->shard, g, SHARD_COLUMNS));
    if (s->encoding == ENCODING_RAW) {
        const uint64_t bytes = section_decoded_bytes(s);
#pragma omp parallel for num_threads(threads)
        for (uint64_t begin = 0; begin < bytes; begin += COPY_BYTES)
            memcpy((char *)to + begin, (const char *)s->data + begin,
                   bytes - begin < COPY_BYTES ? bytes - begin : COPY_BYTES);
        return ST_OK;
    }
    struct packed_rows rows = shard_rows(&dev->shard->csr[g]);
    struct packed packed = section_packed(s);
    return packed_decode_all(&packed, &rows, to, threads) == ST_OK ? ST_OK : fail_packed(dev, s->type, e);
}

/* Tells the driver that managed memory stays on the host, and that the device reads it there. */
static void keep_on_host(const struct device *dev, const void *memory, uint64_t bytes, struct error *e)
{
#if CUDART_VERSION >= 13000
    const struct cudaMemLocation host = {.type = cudaMemLocationTypeHost}, device = {.type = cudaMemLocationTypeDevice, .id = dev->ordinal};
#else
    const int host = cudaCpuDeviceId, device = dev->ordinal;
#endif
    if (CUDA_TRY(cudaMemAdvise(memory, bytes, cudaMemAdviseSetPreferredLocation, host), dev->where, e) == ST_OK)
        CUDA_TRY(cudaMemAdvise(memory, bytes, cudaMemAdviseSetAccessedBy, device), dev->where, e);
}

/* Allocates memory of the host that the device reads over the link: managed memory that stays there, or pinned memory if host and
 * device may not read managed memory at the same time. A GPU knows managed memory by pages of 2 MiB, and pinned memory by small ones,
 * for whose addresses it waits if it reads here and there: 391 and 48 million reads a second in 4 GiB (one H200). */
static enum status alloc_hosted(struct device *dev, uint64_t bytes, struct error *e)
{
    struct gpu_memory *m = &dev->memory;
    if (CUDA_TRY(cudaDeviceGetAttribute(&m->managed, cudaDevAttrConcurrentManagedAccess, dev->ordinal), dev->where, e) != ST_OK)
        return e->status;
    if (!m->managed)
        return CUDA_TRY(cudaHostAlloc(&m->host, bytes, cudaHostAllocMapped), dev->where, e);
    if (CUDA_TRY(cudaMallocManaged(&m->host, bytes, cudaMemAttachGlobal), dev->where, e) == ST_OK)
        keep_on_host(dev, m->host, bytes, e);
    return e->status;
}

/* Allocates and fills the host memory of the plan, which is for columns. Writes its bytes and the seconds that this took to
 * dev->load. Does nothing if the plan has no host memory. gpu_free_hosted frees the memory, even after a failure. */
enum status gpu_take_hosted(struct device *dev, const struct gpu_plan *plan, int threads, struct error *e)
{
    struct gpu_memory *m = &dev->memory;
    char what[sizeof dev->where + 32];
    double start = cli_seconds();
    uint64_t begin = 0;
    snprintf(what, sizeof what, "%s: rests of rows in host memory", dev->where);
    if (plan->host_bytes == 0 || memory_charge(m->budget, plan->host_bytes, what, e) != ST_OK)
        return e->status;
    m->host_bytes = plan->host_bytes;
    if (alloc_hosted(dev, m->host_bytes, e) != ST_OK)
        return e->status;
    for (int g = 0; g < shard_row_sets(dev->shard) && e->status == ST_OK; g++) {
        const struct gpu_array *a = &plan->array[GPU_SECTIONS * g + GPU_COLUMNS];
        if (!a->hosted)
            continue;
        fill_columns(dev, (enum subgraph)g, (char *)m->host + begin, threads, e);
        begin += gpu_aligned(a->bytes);
    }
    dev->load = (struct gpu_load){.seconds = cli_seconds() - start, .host_bytes = plan->host_bytes};
    return e->status;
}

/* Frees the host memory of gpu_take_hosted, if there is any, and gives its bytes back to the budget. Called once, when the device is
 * closed: the members of dev->memory stay. */
void gpu_free_hosted(struct device *dev)
{
    if (dev->memory.managed)
        cudaFree(dev->memory.host);
    else
        cudaFreeHost(dev->memory.host);
    memory_discharge(dev->memory.budget, dev->memory.host_bytes);
}

/* ---- packed columns ---- */

/* Makes the directory of the columns of subgraph g on the host, in memory of the budget, copies it to the device, and
 * waits. Does nothing unless these columns stay packed on the device. ST_BAD_DATA: a block is corrupt. */
static enum status load_places(const struct device *dev, enum subgraph g, struct gpu_loader *loader,
                               const struct device_options *options, struct error *e)
{
    const uint32_t type = shard_section(dev->shard, g, SHARD_COLUMNS);
    const struct packed_place *to = dev->csr[g].packed.place;
    struct packed_place *place = NULL;
    struct packed packed;
    if (to == NULL || !shard_packed(dev->shard, type, &packed))
        return ST_OK;
    if (memory_take(options->budget, (void **)&place, packed.blocks, sizeof *place, shard_kind.section_name(type), e) !=
        ST_OK)
        return e->status;
    struct gpu_copy copy = {(void *)to, place, packed.blocks * sizeof *place};
    if (packed_places(&packed, place, options->threads) != ST_OK)
        fail_packed(dev, type, e);
    else
        gpu_loader_copy(loader, &copy, 1, e);
    memory_release(options->budget, place);
    return e->status;
}

/* A piece of packed columns: groups first, ..., last - 1 of a section. */
struct piece {
    uint64_t first, last;
    /* [i]: the word of the piece at which group first + i begins; the last element is the end of the piece */
    uint64_t group[LOAD_PIECE_GROUPS + 1];
    struct packed there;                   /* the piece in staging memory of the device, in the form of a section */
    struct gpu_copy copy[4];               /* the copies that bring the piece to the device */
};

/* Returns the word at which a group begins in a section. For `group` = number of groups, returns the end of the words. */
static uint64_t group_position(const struct packed *section, uint64_t group)
{
    uint64_t at;
    memcpy(&at, section->group + group * sizeof at, sizeof at);
    return at;
}

/* Describes in *copy a copy of `bytes` bytes from `from` to *to, but copies nothing yet. Moves *to to the next multiple of 256
 * behind these bytes. Returns the address at which they will lie. */
static const unsigned char *place_copy(struct gpu_copy *copy, const void *from, uint64_t bytes, char **to)
{
    *copy = (struct gpu_copy){*to, from, bytes};
    *to += gpu_aligned(bytes);
    return copy->to;
}

/* Describes in *piece the piece that begins with group `first` of a section, and its copies to `staging`, the plan's
 * staging memory on the device. Copies nothing yet. Returns nonzero if the file is corrupt: the piece does not lie within
 * the section, or is larger than the staging memory, which has room for the largest possible blocks. */
static int make_piece(const struct packed *section, uint64_t first, const struct gpu_plan *plan, void *staging,
                      struct piece *piece)
{
    const uint64_t groups = packed_groups(section->blocks), begin = first * GROUP_BLOCKS;
    const uint64_t first_word = group_position(section, first);
    struct packed *there = &piece->there;
    char *to = staging;
    *there = (struct packed){.width = section->width};
    piece->first = first;
    piece->last = groups - first < LOAD_PIECE_GROUPS ? groups : first + LOAD_PIECE_GROUPS;
    for (uint64_t g = first; g <= piece->last; g++) {
        const uint64_t at = group_position(section, g);
        if (at < first_word || at > section->words)
            return -1;
        piece->group[g - first] = at - first_word;
    }
    there->words = piece->group[piece->last - first];
    there->blocks = (piece->last == groups ? section->blocks : piece->last * GROUP_BLOCKS) - begin;
    there->count = piece->last == groups ? section->count - begin * PACKED_BLOCK : there->blocks * PACKED_BLOCK;
    there->bits = place_copy(&piece->copy[0], section->bits + 4 * first_word, 4 * there->words, &to);
    there->group = place_copy(&piece->copy[1], piece->group, 8 * (piece->last - first + 1), &to);
    there->base = place_copy(&piece->copy[2], section->base + begin * section->width, there->blocks * section->width, &to);
    there->entry = place_copy(&piece->copy[3], section->entry + begin * 4, there->blocks * 4, &to);
    return (uint64_t)(to - (char *)staging) <= plan->staging_bytes ? 0 : -1;
}

/* Decodes the packed columns of subgraph g on the device, piece by piece, and waits. Does nothing if there is nothing to
 * decode. The offsets and heads of g must already be on the device. `staging` is device memory of plan->staging_bytes
 * bytes. ST_BAD_DATA: a block is corrupt. */
static enum status unpack_columns(struct device *dev, enum subgraph g, const struct gpu_plan *plan, void *staging,
                                  struct gpu_loader *loader, struct error *e)
{
    const struct section *s = gpu_decoded_columns(plan, dev->shard, g);
    const struct gpu_csr *csr = &dev->csr[g];
    const struct packed_rows rows = {
        .rows = csr->rows,
        .offsets = csr->offsets,
        .offset_width = csr->offset_width,
        .heads = csr->head_columns > 0 ? csr->heads + (csr->head_columns - 1) * csr->rows : NULL};
    /* no level uses the counters yet, so bad_ids can be the flag for corrupt blocks */
    struct gpu_level *level = dev->counters.level;
    cudaStream_t stream = dev->stream.of[DELEGATES];
    unsigned bad = 0;
    if (s == NULL)
        return ST_OK;
    const struct packed section = section_packed(s);
    struct piece piece;
    CUDA_TRY(cudaMemsetAsync(level, 0, sizeof *level, stream), dev->where, e);
    for (uint64_t first = 0; first < packed_groups(section.blocks) && e->status == ST_OK; first = piece.last) {
        bad = make_piece(&section, first, plan, staging, &piece) != 0;
        if (bad || gpu_loader_copy(loader, piece.copy, 4, e) != ST_OK)
            break;
        cuda_decode(&piece.there, &rows, first * GROUP_BLOCKS * PACKED_BLOCK, (void *)csr->columns, &level->bad_ids, stream);
        gpu_wait(dev, stream, e); /* the next piece overwrites the staging memory */
    }
    if (!bad && e->status == ST_OK)
        gpu_fetch(dev, &bad, &level->bad_ids, sizeof bad, stream, e);
    return bad && e->status == ST_OK ? fail_packed(dev, s->type, e) : e->status;
}

/* ---- all sections ---- */

/* Brings the sections of the shard to device memory, and waits: copies raw sections, makes the directories of columns
 * that stay packed, and decodes all other packed columns. Sets the bytes of dev->load, and adds the seconds. */
enum status gpu_load_shard(struct device *dev, const struct gpu_plan *plan, void *const at[GPU_ARRAY_COUNT],
                           const struct device_options *options, struct error *e)
{
    const int sets = shard_row_sets(dev->shard);
    struct gpu_copy copies[GPU_ARRAY_COUNT];
    struct gpu_loader *loader = NULL;
    void *staging = NULL;
    int count = 0;
    double start = cli_seconds();
    for (int i = 0; i < GPU_ARRAY_COUNT; i++) {
        const struct gpu_array *a = &plan->array[i];
        if (a->source != NULL && a->bytes > 0 && !a->hosted)
            copies[count++] = (struct gpu_copy){at[i], a->source, a->bytes};
    }
    if (plan->staging_bytes > 0 && CUDA_TRY(cudaMalloc(&staging, plan->staging_bytes), dev->where, e) != ST_OK)
        return e->status;
    if (gpu_loader_open(&loader, options->threads, dev->where, e) == ST_OK)
        gpu_loader_copy(loader, copies, count, e);
    for (int g = 0; g < sets && e->status == ST_OK; g++)
        load_places(dev, (enum subgraph)g, loader, options, e);
    for (int g = 0; g < sets && e->status == ST_OK; g++)
        unpack_columns(dev, (enum subgraph)g, plan, staging, loader, e);
    gpu_loader_close(loader);
    cudaFree(staging);
    dev->load.seconds += cli_seconds() - start;
    dev->load.bytes = plan->graph_bytes;
    return e->status;
}

/* ---- ranges ---- */

/* Checks that the indices of subgraph g are in range, and waits: on the host, by `threads` threads, if the columns are
 * packed on the device, and otherwise on the device. locals[p] has the number of normals of every shard, and
 * device_locals[p] is a copy in device memory. *found is scratch in device memory. ST_BAD_DATA names the first fault. */
static enum status check_csr(const struct device *dev, enum subgraph g, const uint32_t *locals, int threads,
                             struct csr_faults *found, const uint32_t *device_locals, struct error *e)
{
    const struct csr *csr = &dev->shard->csr[g];
    cudaStream_t stream = dev->stream.of[DELEGATES];
    struct csr_faults ranges = {.first = {NO_FAULT, NO_FAULT, NO_FAULT, NO_FAULT}, .edges = csr->column_count};
    struct packed packed;
    if (csr->edges > 0 && gpu_csr_is_packed(&dev->csr[g])) {
        /* heads, bitmaps and offsets are checked on the host, in the file from which they were copied to the device */
        const int keeps = gpu_keeps_columns(dev->shard, g, RESIDENT_PACKED, &packed);
        struct column_bounds bounds = csr_column_bounds(dev->shard, g, locals);
        csr_find_faults(csr, keeps ? &packed : NULL, &bounds, threads, &ranges);
    } else if (csr->edges > 0) {
        struct column_bounds bounds = csr_column_bounds(dev->shard, g, device_locals);
        cuda_find_faults(&dev->csr[g], csr->column_count, &bounds, found, stream);
        if (gpu_fetch(dev, &ranges, found, sizeof ranges, stream, e) != ST_OK)
            return e->status;
    } /* a subgraph without edges has no arrays on the device (cuda_plan.c), and a search reads nothing of this subgraph */
    return csr_judge_faults(dev->shard, g, &ranges, e);
}

/* Checks all subgraphs, and waits. Adds the seconds to dev->load. */
enum status gpu_check_ranges(struct device *dev, const uint32_t *locals, int threads, struct error *e)
{
    const size_t bytes = dev->shard->p * sizeof *locals;
    struct csr_faults *found = NULL;
    uint32_t *device_locals = NULL;
    double start = cli_seconds();
    if (CUDA_TRY(cudaMalloc((void **)&found, sizeof *found), dev->where, e) == ST_OK &&
        CUDA_TRY(cudaMalloc((void **)&device_locals, bytes), dev->where, e) == ST_OK)
        CUDA_TRY(cudaMemcpyAsync(device_locals, locals, bytes, cudaMemcpyHostToDevice, dev->stream.of[DELEGATES]),
                 dev->where, e);
    for (int g = 0; g < shard_row_sets(dev->shard) && e->status == ST_OK; g++)
        check_csr(dev, (enum subgraph)g, locals, threads, found, device_locals, e);
    cudaFree(found);
    cudaFree(device_locals);
    dev->load.ranges_s = cli_seconds() - start;
    dev->load.seconds += dev->load.ranges_s;
    return e->status;
}

/* ---- copied columns ---- */

/* Makes the copied columns of the plan on the device, and waits. Called when ranges are checked, as offsets say where the columns lie.
 * Adds the seconds to dev->load. */
enum status gpu_copy_columns(struct device *dev, const struct gpu_plan *plan, struct error *e)
{
    cudaStream_t stream = dev->stream.of[DELEGATES];
    double start = cli_seconds();
    for (int g = 0; g < shard_row_sets(dev->shard) && e->status == ST_OK; g++) {
        const struct gpu_copied *copied = &plan->copied[g];
        const struct gpu_csr *csr = &dev->csr[g];
        if (copied->columns == 0)
            continue;
        CUDA_TRY(cudaMemcpyAsync((void *)csr->copied_begin, copied->begin, (copied->columns + 1) * sizeof *copied->begin,
                                 cudaMemcpyHostToDevice, stream), dev->where, e);
        cuda_copy_columns(csr, stream);
        CUDA_LAUNCHED(dev->where, e);
    }
    if (e->status == ST_OK)
        gpu_wait(dev, stream, e);
    dev->load.seconds += cli_seconds() - start;
    return e->status;
}
