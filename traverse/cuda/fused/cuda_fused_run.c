/* cuda_fused_run.c: the host's side of a search that is one kernel; see cuda_fused.h */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

#include <stdlib.h>

/* Sizes that the plan of device memory counts with, which knows no CUDA. */
_Static_assert(sizeof(struct work_item) == FUSED_ITEM_BYTES, "a piece of a list as planned");
_Static_assert(sizeof(struct fused_state) <= FUSED_STATE_BYTES, "the state of a search as planned");

/* The number of masks that fit into the queues of both kinds. */
static uint32_t kept_masks(const struct device *dev)
{
    uint64_t masks = FUSED_MOST_KEPT;
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        const struct gpu_vertices *v = &dev->of[kind];
        if (v->words > 0 && v->count / v->words < masks)
            masks = v->count / v->words;
    }
    return (uint32_t)masks;
}

int gpu_has_hubs(const struct device *dev)
{
    return dev->of[NORMALS].count + dev->of[DELEGATES].count >= FUSED_HUBS_FROM && !gpu_degrees_alike(dev->shard);
}

/* Chooses a team of several blocks, a cluster, for deep graphs: those of short rows, as a planar graph has less than 6
 * edges a vertex. Clusters start later and leave some processors without a block. Chooses few threads for short
 * levels, of deep or small graphs: barriers of fewer threads take less. */
static void choose_launch(struct fused_launch *launch, const struct shard *shard)
{
    const double few_edges = 4e6, few_deep_vertices = 4e6, short_rows = 6;
    const double edges = (double)shard_edges(shard), vertices = (double)(shard->d + shard->locals);
    launch->has_thread_group = 1;
    launch->share = edges < short_rows * vertices ? 6 : 0;
    launch->few_threads =
        edges < few_edges || (launch->share > 0 && vertices < few_deep_vertices);
}

enum status gpu_fused_open(struct device *dev, int possible, int notes, struct error *e)
{
    struct gpu_fused *s = &dev->fused.search;
    uint64_t edges = 0;
    dev->fused.possible = possible;
    dev->fused.launch.program = cuda_fused_program(gpu_is_packed(dev));
    choose_launch(&dev->fused.launch, dev->shard);
    dev->fused.launch.has_hubs = gpu_has_hubs(dev);
    if ((dev->shard->p == 1 && dev->fused.possible &&
         CUDA_TRY(cuda_fused_plan(&dev->fused.launch), dev->where, e) != ST_OK) ||
        CUDA_TRY(cudaHostAlloc((void **)&s->out.mapped, sizeof *s->out.mapped, cudaHostAllocMapped),
                 dev->where, e) != ST_OK ||
        CUDA_TRY(cudaMemsetAsync(s->state, 0, sizeof *s->state, dev->stream.of[DELEGATES]), dev->where, e) !=
            ST_OK)
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
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        s->of[kind] = dev->of[kind];
    s->graph = cost_graph_of(dev->shard, &cost_rates_h200);
    if (dev->of[NORMALS].parent != NULL)
        s->graph.rates.push_edge += cost_rates_h200.push_parent;
    s->keeps = kept_masks(dev);
    s->order.deepest = dev->fused.deepest;
    if (!possible)
        s->sparse[0] = NULL;
    else
        s->sparse[1] = s->sparse[0] + (dev->shard->p == 1 ? gpu_fused_capacity : gpu_peers_capacity)(
                                      dev->shard->d + dev->shard->locals, edges);
    s->cleared = (struct cleared_words){dev->masks.all, dev->masks.bytes / sizeof(uint32_t)};
    return ST_OK;
}

enum status gpu_fused_measure(struct device *dev, struct error *e)
{
    struct gpu_fused *s = &dev->fused.search;
    if (dev->fused.launch.blocks == 0)
        return ST_OK;
    cudaStream_t stream = dev->stream.of[DELEGATES];
    uint32_t *longest = (uint32_t *)s->sparse[0];
    if (CUDA_TRY(cudaMemsetAsync(longest, 0, sizeof s->longest, stream), dev->where, e) != ST_OK)
        return e->status;
    cuda_fused_measure(s, longest, stream);
    return gpu_fetch(dev, s->longest, longest, sizeof s->longest, stream, e);
}

void gpu_fused_close(struct device *dev)
{
    cudaFreeHost(dev->fused.search.out.mapped);
    free(dev->fused.notes.kept);
}

/* ---- a search ---- */

/* In a group, GPUs other than the owner do not have the root, unless it is a delegate. */
static void set_root(struct gpu_fused *s, const struct root *root, int has_root)
{
    s->root.index = has_root ? root->index : NO_ROOT_HERE;
    s->root.kind = root->at == ROOT_AT_DELEGATE ? DELEGATES : NORMALS;
}

/* Words of the marks of hubs that blocks keep. */
static uint32_t hub_words(const struct gpu_vertices *delegates, const struct fused_launch *launch)
{
    const uint64_t capacity = (uint64_t)launch->threads * FUSED_HUB_WORDS, most = capacity < FUSED_MOST_HUB_WORDS ? capacity : FUSED_MOST_HUB_WORDS;
    return !launch->has_hubs ? 0 : (uint32_t)(delegates->words < most ? delegates->words : most);
}

enum status gpu_fused_begin(struct device *dev, const struct root *root, enum fused_mode mode, int noted,
                            struct error *e)
{
    struct gpu_peers_search *group = &dev->fused.group;
    const int together = dev->shard->p > 1;
    const struct fused_launch *launch = together ? &group->launch : &dev->fused.launch;
    struct gpu_fused *s = together ? &group->search.fused : &dev->fused.search;
    s->mode = mode;
    set_root(s, root, !together || root->at == ROOT_AT_DELEGATE || root->shard == dev->shard->index);
    s->order.number = ++dev->fused.search.order.number;
    s->order.noted = noted && s->out.notes != NULL;
    s->thread_group = launch->thread_group;
    s->thread_group_capacity = launch->thread_group_capacity;
    s->hub_words = hub_words(&dev->of[DELEGATES], launch);
    group->search.clean = group->ran;
    group->ran |= together;
    dev->fused.settled = 0;
    return gpu_begin_kernel(dev, together ? (const void *)&group->search : s, launch, noted, e);
}
