/* cuda_solo_run.c: the host's side of a search that is one kernel; see cuda_solo.h */
#include "cuda_device.h"
#include "cuda_error.h"

/* What the plan of device memory counts, which knows no CUDA. */
_Static_assert(sizeof(struct solo_piece) == SOLO_PIECE_BYTES, "a piece of a list as planned");
_Static_assert(sizeof(struct solo_state) <= SOLO_STATE_BYTES, "the state of a search as planned");

enum status gpu_solo_open(struct device *dev, void *state, void *lists, struct error *e)
{
    struct gpu_solo *s = &dev->solo.search;
    uint64_t edges = 0;
    if (dev->shard->p > 1 || CUDA_TRY(cuda_solo_plan(&dev->solo.launch), dev->where, e) != ST_OK ||
        CUDA_TRY(cudaHostAlloc((void **)&s->levels, sizeof *s->levels, cudaHostAllocMapped),
                 dev->where, e) != ST_OK)
        return e->status;
    for (int g = 0; g < SUBGRAPHS; g++) {
        s->csr[g] = dev->csr[g];
        edges += dev->csr[g].edges;
    }
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        s->of[kind] = dev->of[kind];
    s->graph = cost_graph_of(dev->shard, &cost_rates_h200);
    s->list[0] = lists;
    s->list[1] = s->list[0] + gpu_solo_room(dev->shard->d + dev->shard->locals, edges);
    s->shared_pieces = dev->solo.launch.shared_pieces;
    s->state = state;
    return ST_OK;
}

void gpu_solo_close(struct device *dev)
{
    cudaFreeHost(dev->solo.search.levels);
}

static enum status clear(struct device *dev, cudaStream_t stream, struct error *e)
{
    struct gpu_solo *s = &dev->solo.search;
    if (CUDA_TRY(cudaMemsetAsync(dev->masks.all, 0, dev->masks.bytes, stream), dev->where, e) ==
            ST_OK &&
        CUDA_TRY(cudaMemsetAsync(s->state, 0, sizeof *s->state, stream), dev->where, e) == ST_OK &&
        s->of[DELEGATES].parent != NULL)
        CUDA_TRY(cudaMemsetAsync(s->of[DELEGATES].parent, 0xff, 4 * s->of[DELEGATES].count, stream),
                 dev->where, e);
    return e->status;
}

enum status gpu_run(struct device *dev, const struct root *root, enum direction_mode mode,
                    uint32_t *levels, struct error *e)
{
    static const enum solo_mode modes[] = {[DIRECTION_AUTO] = SOLO_BY_COST,
                                           [DIRECTION_PUSH] = SOLO_PUSH,
                                           [DIRECTION_PULL] = SOLO_PULL};
    cudaStream_t stream = dev->stream.of[DELEGATES];
    struct gpu_solo *s = &dev->solo.search;
    *levels = 0;
    if (dev->solo.launch.blocks == 0 || root->at == ROOT_AT_ISOLATED)
        return ST_OK;
    s->mode = modes[mode];
    s->root = root->index;
    s->root_kind = root->at == ROOT_AT_DELEGATE ? DELEGATES : NORMALS;
    if (gpu_use(dev, e) != ST_OK || clear(dev, stream, e) != ST_OK ||
        CUDA_TRY(cuda_solo_search(s, &dev->solo.launch, stream), dev->where, e) != ST_OK ||
        CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e) != ST_OK)
        return e->status;
    *levels = *s->levels;
    return ST_OK;
}
