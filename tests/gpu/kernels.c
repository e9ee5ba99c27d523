/* kernels.c: the steps of steps.h by CUDA kernels, through traverse/cuda/device/cuda_kernels.h
 *
 * Each array is an allocation of exactly its size, so that compute-sanitizer sees accesses outside it. It holds
 * its input, or POISON if it has none. */
#include "steps.h"

#include "graphs.h"
#include "loaded.h"

#include "traverse/cuda/device/cuda_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call) try((call), #call, __LINE__)

static void try(cudaError_t code, const char *call, int line)
{
    if (code == cudaSuccess)
        return;
    printf("not ok - kernels.c:%d: %s: %s\n", line, call, cudaGetErrorString(code));
    exit(1);
}

/* ---- arrays of a step ---- */

enum { MOST_ARRAYS = 48 };

static void *arrays[MOST_ARRAYS];
static int array_count;

/* Copies to memory of the device, or fills it with poison if `from` is NULL. */
static void *on_device(const void *from, size_t bytes)
{
    void *to = NULL;
    if (bytes == 0)
        return NULL;
    if (array_count == MOST_ARRAYS)
        try(cudaErrorMemoryAllocation, "on_device", __LINE__);
    TRY(cudaMalloc(&to, bytes));
    arrays[array_count++] = to;
    if (from == NULL)
        TRY(cudaMemset(to, POISON_BYTE, bytes));
    else
        TRY(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return to;
}

static void *zeros_on_device(size_t bytes)
{
    void *to = on_device(NULL, bytes);
    if (bytes > 0)
        TRY(cudaMemset(to, 0, bytes));
    return to;
}

static void read_back(void *to, const void *from, size_t bytes)
{
    if (bytes > 0)
        TRY(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

static void *from_device(const void *from, size_t bytes)
{
    void *to = need_memory(bytes);
    read_back(to, from, bytes);
    return to;
}

/* Waits for the kernels launched so far. */
static void settle(void)
{
    TRY(cudaGetLastError());
    TRY(cudaDeviceSynchronize());
}

/* Frees all arrays after the first `kept`. */
static void drop_arrays(int kept)
{
    while (array_count > kept)
        TRY(cudaFree(arrays[--array_count]));
}

static size_t mask_bytes(uint64_t bits)
{
    return mask_words(bits) * 8;
}

/* ---- the device and its graph ---- */

static const struct shard *loaded;
static int loaded_packed;
static struct gpu_csr csr_of[SUBGRAPHS];
static int graph_arrays; /* the graph has so many, the first of `arrays` */

const char *kernel_missing(void)
{
    int gpus = 0;
    cudaError_t code = cudaGetDeviceCount(&gpus);
    if (code != cudaSuccess)
        return cudaGetErrorString(code);
    return gpus > 0 ? NULL : "there is none";
}

/* A section of 4-byte elements as the backend keeps it on the device. `rows`: the elements are their columns. */
static struct packed_columns packed_on_device(const void *elements, uint64_t count, const struct csr *rows)
{
    struct memory_budget budget = {.limit_bytes = UINT64_C(1) << 34};
    struct packed_encoder encoder;
    struct packed section;
    struct error e = {0};
    struct packed_rows of_rows = rows != NULL ? shard_rows(rows) : (struct packed_rows){0};
    struct packed_block *block = need_memory(packed_blocks(count) * sizeof *block);
    struct packed_place *place = need_memory(packed_blocks(count) * sizeof *place);
    uint32_t *words = need_memory(packed_most_words(4, count) * 4 + 64 + packed_blocks(count) * 16);
    if (rows != NULL && rows->head_columns == 0)
        of_rows.heads = NULL;
    packed_encoder_init(&encoder, 4, &budget);
    uint64_t made = packed_encode_blocks(4, rows != NULL ? &of_rows : NULL, elements, count, words, block, 1);
    if (packed_encoder_add(&encoder, count, block, made, &e) != ST_OK)
        try(cudaErrorMemoryAllocation, e.text, __LINE__);
    packed_directory(&encoder, words + made);
    if (packed_open(&section, words, made * 4 + packed_directory_bytes(&encoder), 4, count, "test", &e) != ST_OK ||
        packed_places(&section, place, 1) != ST_OK)
        try(cudaErrorInvalidValue, e.text, __LINE__);
    /* behind it is room, as in the plan: a warp reads UNARY_MOST_WORDS words of a bit vector, however short it is */
    const char *at = on_device(words, (size_t)(section.base - section.bits) + UNARY_MOST_WORDS * 4);
    struct packed_columns packed = {.words = (const uint32_t *)at,
                                    .place = on_device(place, packed_blocks(count) * sizeof *place),
                                    .group = (const uint64_t *)(at + (section.group - section.bits))};
    packed_encoder_free(&encoder);
    free(words);
    free(place);
    free(block);
    return packed;
}

/* Copies columns as a plan does (find_copied in cuda_plan.c), but always TEST_COPIES of them. */
static void copy_columns(struct gpu_csr *to, const struct csr *csr)
{
    uint64_t begin[TEST_COPIES + 1] = {0};
    for (uint32_t j = 0; j < TEST_COPIES; j++) {
        uint64_t rows = csr->rows;
        while (rows > 0 && csr_offset(csr, rows) - csr_offset(csr, rows - 1) <= j)
            rows--;
        begin[j + 1] = begin[j] + rows;
    }
    to->copied_columns = TEST_COPIES;
    to->copied_begin = on_device(begin, sizeof begin);
    to->copies = on_device(NULL, begin[TEST_COPIES] * 4);
    cuda_copy_columns(to, 0);
    settle();
}

static void load_csr(struct gpu_csr *to, const struct csr *csr)
{
    *to = (struct gpu_csr){.rows = csr->rows,
                           .edges = csr->edges,
                           .head_columns = csr->head_columns,
                           .offset_width = csr->offset_width,
                           .column_width = csr->column_width};
    if (csr->edges == 0) /* the backend loads none of it */
        return;
    to->heads = on_device(csr->heads, csr->head_columns * csr->rows * 4);
    to->sources = on_device(csr->sources, mask_bytes(csr->rows));
    to->offsets = on_device(csr->offsets, (csr->rows + 1) * csr->offset_width);
    if (loaded_packed && csr->column_width == 4 && csr->column_count > 0) {
        to->packed = packed_on_device(csr->columns, csr->column_count, csr);
        copy_columns(to, csr);
    } else {
        to->columns = on_device(csr->columns, csr_offset(csr, csr->rows) * csr->column_width);
    }
}

static void use(const struct shard *shard, int packed)
{
    if (shard == loaded && packed == loaded_packed)
        return;
    drop_arrays(0);
    loaded = shard;
    loaded_packed = packed;
    for (int g = 0; shard != NULL && g < SUBGRAPHS; g++)
        load_csr(&csr_of[g], &shard->csr[g]);
    graph_arrays = array_count;
}

void kernel_use(const struct shard *shard)
{
    use(shard, shard != NULL && shard == loaded && loaded_packed);
}

void kernel_use_packed(const struct shard *shard)
{
    use(shard, 1);
}

const struct gpu_csr *loaded_csr(const struct shard *shard, enum subgraph g)
{
    kernel_use(shard);
    return &csr_of[g];
}

uint32_t *kernel_copies(enum subgraph g, uint64_t begin[TEST_COPIES + 1])
{
    const struct gpu_csr *csr = &csr_of[g];
    if (csr->copied_columns == 0)
        return NULL;
    read_back(begin, csr->copied_begin, (TEST_COPIES + 1) * sizeof *begin);
    return from_device(csr->copies, begin[TEST_COPIES] * 4);
}

/* The vertices of a kind, without a state. */
static struct gpu_vertices vertices_on_device(const struct shard *shard, enum vertex_kind kind)
{
    uint64_t count = vertices_of(shard, kind);
    return (struct gpu_vertices){.count = count, .words = 2 * mask_words(count)};
}

static struct gpu_level *level_on_device(void)
{
    return zeros_on_device(sizeof(struct gpu_level));
}

/* ---- visits ---- */

/* The frontier as a list in random order, as blocks write it. */
static uint64_t shuffled_queue(const uint64_t *frontier, uint64_t bits, uint32_t **queue)
{
    uint64_t count = mask_list(frontier, bits, queue), random = count;
    for (uint64_t i = count; i > 1; i--) {
        uint64_t j = next_random(&random) % i;
        uint32_t id = (*queue)[i - 1];
        (*queue)[i - 1] = (*queue)[j];
        (*queue)[j] = id;
    }
    return count;
}

static int has_long_rows(const struct csr *csr, const uint32_t *queue, uint64_t count)
{
    for (uint64_t i = 0; csr->edges > 0 && i < count; i++) {
        if (csr_offset(csr, queue[i] + UINT64_C(1)) - csr_offset(csr, queue[i]) >= GPU_LONG_ROW)
            return 1;
    }
    return 0;
}

static void push(const struct visit *v, const struct gpu_target *target, struct gpu_level *level)
{
    const struct gpu_csr *csr = &csr_of[v->g];
    uint32_t *list;
    uint64_t count = shuffled_queue(v->from, csr->rows, &list);
    struct gpu_sparse_frontier sparse = {on_device(list, count * sizeof *list), count};
    size_t bytes = cuda_scan_bytes(count + 1);
    struct gpu_scan scan = {on_device(NULL, (count + 1) * 8), on_device(NULL, bytes), bytes};
    struct gpu_sharing sharing = {
        .cut = {on_device(NULL, gpu_chunk_capacity(csr->edges) * sizeof(struct work_item)), &level->chunks[v->g]},
        .has_long = has_long_rows(&v->shard->csr[v->g], list, count),
        .scan = v->way == VISIT_MERGED ? &scan : NULL};
    cuda_push(csr, &sparse, target, &sharing, 0);
    settle();
    free(list);
}

static void pull(const struct visit *v, const struct gpu_target *target)
{
    cuda_pull_rows(&csr_of[subgraph_reverse(v->g)], target,
                   on_device(v->from, mask_bytes(vertices_of(v->shard, subgraph_rows(v->g)))), 0);
    settle();
}

static void read_sent(const uint64_t *codes_there, uint64_t count, struct visited *out)
{
    uint64_t *codes = from_device(codes_there, count * sizeof *codes);
    for (uint64_t i = 0; i < count; i++)
        out->sent_sum += code_sum(codes[i]);
    out->sent = count;
    free(codes);
}

void kernel_visit(const struct visit *v, struct visited *out)
{
    const struct shard *shard = v->shard;
    uint64_t count = vertices_of(shard, subgraph_columns(v->g));
    int coded = v->g == NN && shard->p > 1;
    struct gpu_level *level, counters;
    struct gpu_target target;
    kernel_use(shard);
    level = level_on_device();
    target = (struct gpu_target){.to = {.visited = on_device(v->visited, mask_bytes(count)),
                                        .next = on_device(v->next, mask_bytes(count)),
                                        .parent = v->parents ? on_device(NULL, count * 4) : NULL},
                                 .g = v->g,
                                 .found = &level->found[subgraph_columns(v->g)],
                                 .coded = coded,
                                 .local_bits = shard->local_bits,
                                 .own_shard = shard->index,
                                 .out = on_device(NULL, coded ? shard->csr[NN].edges * 8 : 0),
                                 .sent = &level->sent};
    if (v->way == VISIT_PULL)
        pull(v, &target);
    else
        push(v, &target, level);
    read_back(&counters, level, sizeof counters);
    out->found = counters.found[subgraph_columns(v->g)] != 0;
    read_sent(target.out, counters.sent, out);
    out->next = from_device(target.to.next, mask_bytes(count));
    out->parent = v->parents ? from_device(target.to.parent, count * 4) : NULL;
    drop_arrays(graph_arrays);
}

/* ---- previsits ---- */

void kernel_previsit(const struct previsit_step *p, struct previsited *out)
{
    uint64_t count = vertices_of(p->shard, p->kind);
    size_t bytes = mask_bytes(count);
    struct gpu_vertices v;
    struct gpu_counts counts;
    kernel_use(p->shard);
    v = vertices_on_device(p->shard, p->kind);
    v.visited = on_device(p->visited, bytes);
    v.frontier = on_device(NULL, bytes);
    v.queue = on_device(NULL, count * 4);
    v.depth = on_device(NULL, count * 4);
    struct gpu_level *level = level_on_device();
    v.next = on_device(p->in, bytes);
    struct gpu_previsit previsit = {.vertices = v,
                                    .depth = p->depth,
                                    .capacity = p->capacity,
                                    .counts = &level->of[p->kind]};
    for (int to = 0; to < VERTEX_KINDS; to++)
        previsit.csr[to] = csr_of[subgraph_between(p->kind, (enum vertex_kind)to)];
    cuda_previsit(&previsit, 0);
    settle();
    read_back(&counts, &level->of[p->kind], sizeof counts);
    out->fresh = counts.fresh;
    out->listed = counts.places_reserved;
    for (int i = 0; i < 2; i++) {
        out->sources[i] = counts.sources[i];
        out->forward[i] = counts.forward[i];
    }
    out->in = from_device(v.next, bytes);
    out->visited = from_device(v.visited, bytes);
    out->frontier = from_device(v.frontier, bytes);
    out->queue = from_device(v.queue, count * 4);
    out->depth = from_device(v.depth, count * 4);
    drop_arrays(graph_arrays);
}

void kernel_list(const struct shard *shard, enum subgraph g, const uint64_t *frontier,
                 struct listed *out)
{
    uint64_t count = vertices_of(shard, subgraph_rows(g));
    struct gpu_vertices v;
    struct gpu_level counters;
    kernel_use(shard);
    v = vertices_on_device(shard, subgraph_rows(g));
    v.frontier = on_device(frontier, mask_bytes(count));
    v.queue = on_device(NULL, count * 4);
    struct gpu_level *level = level_on_device();
    if (csr_of[g].edges > 0) /* otherwise no sources can be listed */
        cuda_fill_queue(&v, csr_of[g].sources, &level->listed[g], 0);
    cuda_count_forward(&v, &csr_of[g], &level->of[subgraph_rows(g)].forward[0], 0);
    settle();
    read_back(&counters, level, sizeof counters);
    out->count = counters.listed[g];
    out->forward = counters.of[subgraph_rows(g)].forward[0];
    out->rows = from_device(v.queue, (out->count < count ? out->count : count) * 4);
    drop_arrays(graph_arrays);
}

/* ---- vertices of other shards ---- */

/* Memory of the host that kernels write to. */
static void *published_memory(size_t bytes)
{
    void *memory;
    TRY(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped));
    memset(memory, POISON_BYTE, bytes);
    return memory;
}

void kernel_bin(const uint64_t *codes, uint64_t count, uint32_t p, uint32_t local_bits,
                struct binned *out)
{
    size_t table = (p + 1) * sizeof(unsigned long long);
    unsigned long long sent = count, *published = published_memory(table);
    struct gpu_bins bins = {.codes = on_device(codes, count * sizeof *codes),
                            .sent = on_device(&sent, sizeof sent),
                            .p = p,
                            .local_bits = local_bits,
                            .ids = on_device(NULL, count * sizeof *bins.ids),
                            .begin = on_device(NULL, table),
                            .cursor = on_device(NULL, p * sizeof *bins.cursor),
                            .published = published};
    cuda_bin(&bins, count, 0);
    settle();
    out->begin = from_device(bins.begin, table);
    out->ids = from_device(bins.ids, count * sizeof *bins.ids);
    if (memcmp(out->begin, published, table) != 0)
        memset(out->begin, POISON_BYTE, table); /* shows that the table for the host is wrong */
    TRY(cudaFreeHost(published));
    drop_arrays(graph_arrays);
}

uint64_t kernel_unique(uint32_t *ids, uint64_t count, uint32_t bits, int capacity, int *cleared)
{
    uint64_t words = 2 * mask_words(UINT64_C(1) << bits);
    uint32_t *there = on_device(ids, count * sizeof *ids), *seen = zeros_on_device(words * 4);
    unsigned long long kept, *kept_there = zeros_on_device(sizeof kept);
    struct gpu_seen marks = {seen, words, on_device(NULL, count * 4), capacity ? count : count / 2};
    cuda_unique(there, count, &marks, kept_there, 0);
    settle();
    read_back(&kept, kept_there, sizeof kept);
    read_back(ids, there, count * sizeof *ids);
    uint32_t *left = from_device(seen, words * 4);
    *cleared = 1;
    for (uint64_t w = 0; w < words; w++)
        *cleared &= left[w] == 0;
    free(left);
    drop_arrays(graph_arrays);
    return kept;
}

static struct gpu_frontier_update news_of(const struct known *known)
{
    return (struct gpu_frontier_update){.p = known->p,
                             .shard_words = known->words,
                             .known = on_device(known->bits, known->p * known->words * 4),
                             .begin = on_device(NULL, known->p * gpu_frontier_update_begins(known->words) * 4),
                             .words = published_memory(known->p * sizeof(unsigned long long))};
}

static void end_news(struct known *known, const struct gpu_frontier_update *frontier_update)
{
    settle();
    read_back(known->bits, frontier_update->known, known->p * known->words * 4);
    TRY(cudaFreeHost(frontier_update->words));
    drop_arrays(graph_arrays);
}

void kernel_tell(struct known *known, uint32_t shard, const uint32_t *visited, uint32_t *message,
                 uint64_t *message_words)
{
    struct gpu_frontier_update frontier_update = news_of(known);
    uint32_t *there = published_memory(known->words * 4);
    cuda_frontier_update_count(&frontier_update, 0);
    cuda_frontier_update_write(&frontier_update, shard, on_device(visited, known->words * 4), known->words, there, 0);
    settle();
    memcpy(message, there, known->words * 4);
    for (uint32_t s = 0; s < known->p; s++)
        message_words[s] = frontier_update.words[s];
    TRY(cudaFreeHost(there));
    end_news(known, &frontier_update);
}

void kernel_hear(struct known *known, uint32_t shard, const uint32_t *message)
{
    struct gpu_frontier_update frontier_update = news_of(known);
    uint32_t *there = published_memory(known->words * 4);
    memcpy(there, message, known->words * 4);
    cuda_frontier_update_count(&frontier_update, 0);
    cuda_frontier_update_read(&frontier_update, shard, there, 0);
    end_news(known, &frontier_update);
    TRY(cudaFreeHost(there));
}

uint64_t kernel_list_words(const uint64_t *mask, const uint64_t *known, uint64_t words, struct mask_word *list,
                           uint64_t most)
{
    unsigned long long count, *count_there = zeros_on_device(sizeof count);
    struct mask_word *there = published_memory((most + 1) * sizeof *there);
    cuda_list_words(on_device(mask, words * 8), known != NULL ? on_device(known, words * 8) : NULL, words, there, most,
                    count_there, 0);
    settle();
    read_back(&count, count_there, sizeof count);
    memcpy(list, there, (count < most ? count : most) * sizeof *list);
    TRY(cudaFreeHost(there));
    drop_arrays(graph_arrays);
    return count;
}

void kernel_or_words(uint64_t *mask, uint64_t words, const struct mask_word *list, uint64_t count)
{
    uint32_t *there = on_device(mask, words * 8);
    cuda_or_words(there, words, on_device(list, count * sizeof *list), count, 0);
    settle();
    read_back(mask, there, words * 8);
    drop_arrays(graph_arrays);
}

/* Takes in the ids in lists of different lengths. If there are several, the first one is empty. */
static void receive_ids(const struct arrival *a, const struct gpu_vertices *v, struct gpu_level *level)
{
    for (uint64_t i = 0, n = (uint64_t)a->lists; i < n; i++) {
        uint64_t begin = a->count * i * i / (n * n), end = a->count * (i + 1) * (i + 1) / (n * n);
        if (n > 1 && i < 2) { /* the second list also gets the ids of the first */
            end = i == 0 ? 0 : end;
            begin = 0;
        }
        cuda_receive(v, on_device(a->ids + begin, (end - begin) * sizeof *a->ids), end - begin, UINT32_MAX - 1,
                     &level->bad_ids, 0);
    }
}

/* Takes in as many masks as there are lists. They get the ids in turn. */
static void receive_masks(const struct arrival *a, const struct gpu_vertices *v, struct gpu_level *level)
{
    for (int i = 0; i < a->lists; i++) {
        uint64_t *mask = need_memory(mask_bytes(a->shard->locals));
        memset(mask, 0, mask_bytes(a->shard->locals));
        for (uint64_t k = (uint64_t)i; k < a->count; k += (uint64_t)a->lists)
            mask[a->ids[k] / 64] |= UINT64_C(1) << (a->ids[k] % 64);
        cuda_receive_mask(v, on_device(mask, mask_bytes(a->shard->locals)), 0, v->words, UINT32_MAX - 1,
                          &level->bad_ids, 0);
        free(mask);
    }
}

void kernel_receive(const struct arrival *a, struct visited *out, int *bad)
{
    uint64_t count = a->shard->locals;
    struct gpu_vertices v = vertices_on_device(a->shard, NORMALS);
    struct gpu_level counters, *level = level_on_device();
    v.visited = on_device(a->visited, mask_bytes(count));
    v.next = on_device(a->next, mask_bytes(count));
    v.parent = a->parents ? on_device(NULL, count * 4) : NULL;
    if (a->masks)
        receive_masks(a, &v, level);
    else
        receive_ids(a, &v, level);
    settle();
    read_back(&counters, level, sizeof counters);
    *bad = counters.bad_ids != 0;
    out->next = from_device(v.next, mask_bytes(count));
    out->parent = a->parents ? from_device(v.parent, count * 4) : NULL;
    drop_arrays(graph_arrays);
}

/* ---- masks and results ---- */

void kernel_or(uint64_t *to, uint64_t *const *masks, int count, uint64_t words, int keep)
{
    uint32_t *sum = on_device(keep ? to : NULL, words * 8);
    for (int i = 0; i < count; i++)
        cuda_or_mask(sum, on_device(masks[i], words * 8), 2 * words, keep || i > 0, 0);
    settle();
    read_back(to, sum, words * 8);
    drop_arrays(graph_arrays);
}

void kernel_roots(const struct shard *shard, enum vertex_kind kind, const uint32_t *vertex, uint32_t count, int parents,
                  struct visited *out)
{
    uint64_t vertices = vertices_of(shard, kind);
    struct gpu_vertices of[VERTEX_KINDS] = {0};
    struct gpu_roots roots = {.count = count,
                              .delegates = kind == DELEGATES ? count : 0,
                              .first = vertex[0] | (kind == DELEGATES ? UINT32_C(1) << 31 : 0)};
    of[kind].next = zeros_on_device(mask_bytes(vertices));
    of[kind].parent = parents ? on_device(NULL, vertices * 4) : NULL;
    of[kind].queue = count > 1 ? on_device(vertex, count * 4) : NULL;
    cuda_set_roots(&roots, of, UINT32_MAX - 2, 0);
    settle();
    out->next = from_device(of[kind].next, mask_bytes(vertices));
    out->parent = parents ? from_device(of[kind].parent, vertices * 4) : NULL;
    drop_arrays(graph_arrays);
}

void kernel_blank(const struct shard *shard, enum vertex_kind kind, const uint64_t *visited,
                  int32_t *depth)
{
    uint64_t count = vertices_of(shard, kind);
    uint32_t *values = on_device(depth, count * 4);
    cuda_blank_unvisited(values, on_device(visited, mask_bytes(count)), count, UINT32_MAX, 0);
    settle();
    read_back(depth, values, count * 4);
    drop_arrays(graph_arrays);
}

/* ---- kernels whose twin needs no device ---- */

size_t kernel_level_bytes(void)
{
    return offsetof(struct gpu_level, report);
}

uint64_t kernel_publish(const unsigned char *level, unsigned char *published, unsigned char *left, uint32_t number)
{
    size_t bytes = kernel_level_bytes();
    struct gpu_level *there = on_device(level, bytes), *here = published_memory(sizeof *here);
    cuda_publish(there, here, number, 0);
    settle();
    const uint64_t report = here->report;
    memcpy(published, here, bytes);
    read_back(left, there, bytes);
    TRY(cudaFreeHost(here));
    drop_arrays(graph_arrays);
    return report;
}

int kernel_load(const unsigned char *const *from, unsigned char *const *back, const size_t *bytes,
                int count, int threads)
{
    struct gpu_copy *copies = need_memory((size_t)count * sizeof *copies);
    struct error e = {0};
    for (int i = 0; i < count; i++)
        copies[i] = (struct gpu_copy){on_device(NULL, bytes[i]), from[i], bytes[i]};
    settle(); /* streams of a loader do not wait for the poison */
    struct gpu_loader *loader = NULL;
    if (gpu_loader_open(&loader, threads, "kernel_load", &e) == ST_OK)
        gpu_loader_copy(loader, copies, count, &e);
    if (e.status != ST_OK)
        printf("    %s\n", e.text);
    gpu_loader_close(loader);
    settle();
    for (int i = 0; i < count; i++)
        read_back(back[i], copies[i].to, bytes[i]);
    drop_arrays(graph_arrays);
    free(copies);
    return e.status == ST_OK;
}

static const unsigned char *moved(const unsigned char *part, const struct packed *section,
                                  const unsigned char *copy)
{
    return copy + (part - section->bits);
}

int kernel_decode(const struct packed *section, uint64_t size, const struct packed_rows *rows,
                  void *array)
{
    struct packed there = *section;
    struct packed_rows rows_there = {0};
    const unsigned char *copy = on_device(section->bits, size);
    void *decoded = on_device(NULL, section->count * section->width);
    unsigned int bad, *bad_there = zeros_on_device(sizeof bad);
    there.bits = copy;
    there.group = moved(section->group, section, copy);
    there.base = moved(section->base, section, copy);
    there.entry = moved(section->entry, section, copy);
    if (rows != NULL) {
        rows_there = *rows;
        rows_there.offsets = on_device(rows->offsets, (rows->rows + 1) * rows->offset_width);
        rows_there.heads = rows->heads != NULL ? on_device(rows->heads, rows->rows * 4) : NULL;
    }
    cuda_decode(&there, rows != NULL ? &rows_there : NULL, 0, decoded, bad_there, 0);
    settle();
    read_back(&bad, bad_there, sizeof bad);
    read_back(array, decoded, section->count * section->width);
    drop_arrays(graph_arrays);
    return bad == 0;
}

void kernel_find_faults(const struct csr *csr, const struct column_bounds *bounds,
                        struct csr_faults *found)
{
    struct column_bounds there = *bounds;
    struct csr_faults *found_there = on_device(NULL, sizeof *found);
    struct gpu_csr copy = {
        .rows = csr->rows,
        .edges = csr->edges,
        .head_columns = csr->head_columns,
        .offset_width = csr->offset_width,
        .column_width = csr->column_width,
        .heads = csr->head_columns > 0 ? on_device(csr->heads, csr->head_columns * csr->rows * 4)
                                       : NULL,
        .offsets = on_device(csr->offsets, (csr->rows + 1) * csr->offset_width),
        .columns = on_device(csr->columns, csr->column_count * csr->column_width),
        .sources = on_device(csr->sources, mask_bytes(csr->rows))};
    if (bounds->locals != NULL)
        there.locals = on_device(bounds->locals, bounds->p * sizeof *bounds->locals);
    cuda_find_faults(&copy, csr->column_count, &there, found_there, 0);
    settle();
    read_back(found, found_there, sizeof *found);
    drop_arrays(graph_arrays);
}

int kernel_scratch_fits(uint64_t rows)
{
    return cuda_scan_bytes(rows + 1) <= gpu_merge_scratch_bound(rows);
}
