/* cuda_fused_run.c: prepares a device for searches that are one kernel (cuda_fused.h), starts such a search, and waits for it */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

#include <stdlib.h>
#include <string.h>

/* Checks sizes that cuda_limits.h gives as numbers, because the plan of device memory is made without CUDA's headers. */
_Static_assert(sizeof(struct work_item) == FUSED_ITEM_BYTES, "a work item as planned");
_Static_assert(sizeof(struct fused_state) <= FUSED_STATE_BYTES, "the state of a search as planned");
_Static_assert(sizeof(struct fused_note) == FUSED_NOTE_BYTES, "a note as planned");

/* ---- opening ---- */

/* Returns whether blocks of this device keep a hub bitmap while they pull. They do so if the device has many vertices, and hubs
 * among them: vertices with many more edges than most. */
int gpu_has_hubs(const struct device *dev)
{
    return dev->of[NORMALS].count + dev->of[DELEGATES].count >= FUSED_HUBS_FROM && !gpu_degrees_alike(dev->shard);
}

/* Plans the launches of fused searches on one GPU: dev->fused.launch without notes of levels and, if `notes`, dev->fused.noted
 * with notes. With several shards, or without memory for fused searches, no launch is planned, and dev->fused.launch only gets
 * its members up to few_threads.
 *
 * In deep graphs all blocks are in the thread group from the root on. A graph is deep if it has fewer than 6 edges for each vertex,
 * as planar graphs have. (Each undirected edge counts twice.) Levels are short in small graphs, and in deep graphs of few vertices.
 * These get few threads, which meet at a barrier sooner. */
static enum status plan_launch(struct device *dev, int notes, struct error *e)
{
    const double few_edges = 4e6, few_deep_vertices = 4e6, short_rows = 6;
    const double edges = (double)shard_edges(dev->shard), vertices = (double)(dev->shard->d + dev->shard->locals);
    const int is_deep = edges < short_rows * vertices;
    struct fused_launch *launch = &dev->fused.launch;
    launch->program = cuda_fused_plain(gpu_is_packed(dev));
    launch->has_thread_group = 1;
    launch->has_hubs = gpu_has_hubs(dev);
    launch->is_deep = is_deep;
    launch->few_threads = edges < few_edges || (is_deep && vertices < few_deep_vertices);
    if (dev->shard->p != 1 || !dev->fused.possible)
        return ST_OK;
    dev->fused.noted = *launch;
    dev->fused.noted.program = cuda_fused_noted(gpu_is_packed(dev));
    if (CUDA_TRY(cuda_fused_plan(launch), dev->where, e) == ST_OK && notes)
        CUDA_TRY(cuda_fused_plan(&dev->fused.noted), dev->where, e);
    return e->status;
}

/* Sets only and headed_from of *s. A vertex has at most as many columns as its degree, and vertices are in the order of their degrees. */
static void find_only_subgraph(struct gpu_fused *s, const struct shard *shard)
{
    const struct degree_list *list = shard->d == 0 ? &shard->degrees.locals : &shard->degrees.delegates;
    s->only = shard->d == 0 ? NN : shard->locals == 0 ? DD : SUBGRAPHS;
    s->headed_from = 0;
    for (uint64_t i = 0; s->only != SUBGRAPHS && i < list->count && list->runs[i].degree > s->csr[s->only].head_columns; i++)
        s->headed_from += (uint32_t)list->runs[i].vertices;
}

/* Prepares a device for fused searches, after its arrays were allocated: plans the launches, allocates the mapped memory for
 * reports, clears the state, and sets the parameters that the kernel has in all searches. `possible` and `notes` say whether
 * device memory has room for fused searches, and for notes. gpu_fused_close frees the memory, after a failure, too. */
enum status gpu_fused_open(struct device *dev, int possible, int notes, struct error *e)
{
    struct gpu_fused *s = &dev->fused.search;
    uint64_t edges = 0;
    dev->fused.possible = possible;
    dev->fused.ahead_levels = NIBBLE_LEVELS;
    if (plan_launch(dev, notes, e) != ST_OK ||
        CUDA_TRY(cudaHostAlloc((void **)&s->out.mapped, sizeof *s->out.mapped, cudaHostAllocMapped), dev->where, e) !=
            ST_OK ||
        CUDA_TRY(cudaMemsetAsync(s->state, 0, sizeof *s->state, dev->stream.of[DELEGATES]), dev->where, e) != ST_OK)
        return e->status;
    *s->out.mapped = (struct fused_mapped){0};
    if (!possible || !notes)
        s->out.notes = NULL;
    for (int g = 0; g < SUBGRAPHS; g++) {
        s->csr[g] = dev->csr[g];
        s->pulled[g] = dev->csr[shard_pulled(dev->shard, (enum subgraph)g)];
        s->csr[g].column_kind = s->pulled[g].column_kind = subgraph_columns((enum subgraph)g);
        s->pulled[g].wanted = s->pulled[g].sources;
        edges += dev->csr[g].edges;
    }
    find_only_subgraph(s, dev->shard);
    s->keeps = FUSED_MOST_KEPT; /* lowered below to the number of bitmaps that fit into the queues of both kinds */
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        const struct gpu_vertices *v = &dev->of[kind];
        s->of[kind] = *v;
        if (v->words > 0 && v->count / v->words < s->keeps)
            s->keeps = (uint32_t)(v->count / v->words);
    }
    s->graph = cost_graph_of(dev->shard, &dev->rates);
    for (int g = 0; g < SUBGRAPHS; g++) {
        const struct gpu_csr *pushed = &s->csr[g], *pulled = &s->pulled[g];
        const uint64_t further = dev->further_rows[shard_pulled(dev->shard, (enum subgraph)g)];
        s->graph.link[g] = (struct cost_link){(uint8_t)pushed->hosted, (uint8_t)pulled->hosted, (uint8_t)pushed->head_columns,
                                              (uint8_t)(pulled->head_columns + pulled->copied_columns),
                                              further > 0 ? (float)further / (float)s->graph.pulled[g].sources : 1};
    }
    if (dev->of[NORMALS].parent != NULL)
        s->graph.rates.push_edge += dev->rates.push_parent;
    s->order.deepest = dev->fused.deepest;
    if (!possible)
        s->sparse[0] = NULL;
    else
        s->sparse[1] = s->sparse[0] + (dev->shard->p == 1 ? gpu_fused_capacity : gpu_peers_capacity)(
                                          dev->shard->d + dev->shard->locals, edges);
    s->cleared = (struct cleared_words){dev->masks.all, dev->masks.bytes / sizeof(uint32_t)};
    return ST_OK;
}

/* Finds how long the rows of vertices are (first_of_class and even of dev->fused.search), and waits. Called when the graph is loaded.
 * Overwrites the first sparse frontier. Does nothing if the device does no fused searches on a single GPU. */
enum status gpu_fused_measure(struct device *dev, struct error *e)
{
    struct gpu_fused *s = &dev->fused.search;
    const struct gpu_csr *nn = &s->csr[NN];
    cudaStream_t stream = dev->stream.of[DELEGATES];
    struct fused_rows *rows = (struct fused_rows *)s->sparse[0], found;
    if (dev->fused.launch.blocks == 0)
        return ST_OK;
    if (CUDA_TRY(cudaMemsetAsync(rows, 0, sizeof *rows, stream), dev->where, e) != ST_OK)
        return e->status;
    cuda_fused_measure(s, rows, stream);
    if (gpu_fetch(dev, &found, rows, sizeof found, stream, e) != ST_OK)
        return e->status;
    memcpy(s->first_of_class, found.first_of_class, sizeof s->first_of_class);
    for (uint32_t i = 0; i < FUSED_EVEN_LENGTHS; i++) {
        const uint32_t begin = found.longer[i], first_shorter = ~found.shorter[i],
                       end = first_shorter < s->of[NORMALS].count ? first_shorter : (uint32_t)s->of[NORMALS].count;
        uint64_t offset = 0;
        if (begin < end &&
            gpu_fetch(dev, &offset, (const char *)nn->offsets + (uint64_t)begin * nn->offset_width, nn->offset_width, stream, e) != ST_OK)
            return e->status;
        s->even[i] = (struct even_rows){begin, end, offset - (uint64_t)(i + 1) * begin};
    }
    return ST_OK;
}

/* Frees the mapped memory for reports, and the host's notes of levels. Also called if gpu_fused_open failed or never ran. */
void gpu_fused_close(struct device *dev)
{
    cudaFreeHost(dev->fused.search.out.mapped);
    free(dev->fused.notes.kept);
}

/* ---- starting a search ---- */

/* Launches the kernel of a search, fused or sliced, with the parameters *search, and returns while it runs. If `noted`, first
 * drops the notes of the last search. If fused.answer_launched, also launches the kernels of the search's answer behind it. */
enum status gpu_begin_kernel(struct device *dev, const void *search, const struct fused_launch *launch, int noted,
                             struct error *e)
{
    struct fused_mapped *mapped = dev->fused.search.out.mapped;
    if (noted) {
        dev->fused.notes.count = dev->fused.notes.levels = 0;
        mapped->written = mapped->taken = 0;
    }
    if (gpu_use(dev, e) == ST_OK &&
        CUDA_TRY(cuda_fused_start(search, launch, dev->stream.of[DELEGATES]), dev->where, e) == ST_OK &&
        dev->fused.answer_launched)
        gpu_answer_ahead(dev, e);
    return e->status;
}

/* Begins a fused search from all roots together and returns while the search runs. The search gets the next number, which its report will
 * have. If `noted`, it writes notes of its levels. fused.settled becomes 0, as the depths on the device are no longer complete.
 * With several shards all peers must begin the search. */
enum status gpu_fused_begin(struct device *dev, const struct root_set *roots, enum direction_mode mode, int noted,
                            struct error *e)
{
    static const enum fused_mode modes[] = {[DIRECTION_AUTO] = FUSED_BY_COST,
                                            [DIRECTION_PUSH] = FUSED_PUSH,
                                            [DIRECTION_PULL] = FUSED_PULL};
    struct gpu_peers_search *group = &dev->fused.group;
    const int together = dev->shard->p > 1;
    const struct fused_launch *plain = together ? &group->launch : &dev->fused.launch,
                              *with_notes = together ? &group->noted : &dev->fused.noted,
                              *launch = noted ? with_notes : plain;
    struct gpu_fused *s = together ? &group->search.fused : &dev->fused.search;
    const uint64_t delegate_words = dev->of[DELEGATES].words;
    if (gpu_use(dev, e) != ST_OK || gpu_take_roots(dev, roots, &s->roots, e) != ST_OK)
        return e->status;
    s->mode = modes[mode];
    s->order.number = ++dev->fused.search.order.number;
    s->thread_group = launch->thread_group;
    s->thread_group_capacity = launch->thread_group_capacity;
    s->hub_words = launch->hub_capacity < FUSED_MOST_HUB_WORDS ? launch->hub_capacity : FUSED_MOST_HUB_WORDS;
    if (delegate_words < s->hub_words)
        s->hub_words = (uint32_t)delegate_words;
    group->search.last_was_fused = group->ran;
    group->ran |= together;
    dev->fused.settled = 0;
    return gpu_begin_kernel(dev, together ? (const void *)&group->search : s, launch, noted, e);
}

/* ---- waiting for a search ---- */

/* Returns whether a kernel has written `number` to the upper half of *report. As a failed kernel never does so, every 16,384th
 * call also asks the stream for an error, and writes it to *e. `look` counts the calls. */
static int has_reported(struct device *dev, const volatile uint64_t *report, uint32_t number, enum vertex_kind stream,
                        unsigned look, struct error *e)
{
    enum { LOOKS = 1 << 14 };
    if (*report >> 32 != number && look % LOOKS == 0) {
        const cudaError_t state = cudaStreamQuery(dev->stream.of[stream]);
        /* a kernel that traps has reported before: if its report is there now, the stream's error does not matter */
        if (state != cudaErrorNotReady && *report >> 32 != number)
            cuda_check(state, "a search in one kernel", __FILE__, __LINE__, dev->where, e);
    }
    return *report >> 32 == number;
}

/* Waits until a kernel of the stream has written `number` to the upper half of *report, in mapped host memory. The calling
 * thread reads *report all the time and does not sleep. Returns the error of the stream if it fails. */
enum status gpu_wait_for_report(struct device *dev, const volatile uint64_t *report, uint32_t number,
                                enum vertex_kind stream, struct error *e)
{
    for (unsigned look = 1; !has_reported(dev, report, number, stream, look, e) && e->status == ST_OK; look++)
        continue;
    return e->status;
}

/* Waits for the answer of the last search, whose kernels were launched behind the search (gpu_answer_ahead). */
enum status gpu_wait_for_answer(struct device *dev, struct error *e)
{
    const struct gpu_fused *s = &dev->fused.search;
    return gpu_wait_for_report(dev, &s->out.mapped->answered, s->order.number, DELEGATES, e);
}

/* Waits until the kernels of the last search have reported on all `count` devices. Then writes the number of levels, which is
 * the same on all, to *levels. If `noted`, also copies the notes of a device when they become full, as its kernel waits for
 * that. Meanwhile lets `relay` relay messages, unless it is NULL. Fails if a GPU reports that a peer did not take part in the
 * search. */
enum status gpu_await_kernels(struct device *const *devices, uint32_t count, int noted, const struct message_relay *relay,
                              uint32_t *levels, struct error *e)
{
    uint32_t reported = 0;
    for (unsigned look = 1; reported < count && e->status == ST_OK; look++) {
        reported = 0;
        if (relay != NULL)
            relay->pass(relay->context, e);
        for (uint32_t i = 0; i < count && e->status == ST_OK; i++) {
            struct device *dev = devices[i];
            volatile struct fused_mapped *mapped = dev->fused.search.out.mapped;
            reported += has_reported(dev, &mapped->report, dev->fused.search.order.number, DELEGATES, look, e);
            if (noted && e->status == ST_OK) { /* a device whose notes are full waits for this copy */
                const uint32_t written = mapped->written;
                if (written > dev->fused.notes.count && gpu_copy_notes(dev, written, e) == ST_OK)
                    mapped->taken = written;
            }
        }
    }
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++) {
        *levels = (uint32_t)devices[i]->fused.search.out.mapped->report;
        devices[i]->fused.notes.levels = noted ? *levels : 0;
        if (*levels > PEERS_FAILED - MOST_PEERS)
            fail(e, ST_RUNTIME, "%s: the GPU of shard %u did not take part in the search: its rank, its host or the network may have "
                 "failed", devices[i]->where, devices[i]->fused.group.search.shard[PEERS_FAILED - *levels]);
    }
    return e->status;
}
