/* cuda_fused_notes.c: notes of the levels of a search that is one kernel, for the host; see cuda_fused.h */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

#include <stdlib.h>

struct gpu_listener {
    level_noter *noter;
    void *context;
    const struct shard *shard;
};

/* The number of frontiers that the lists of a search, free then, have room for. */
static uint32_t frontier_capacity(const struct device *dev)
{
    const struct gpu_fused *s = &dev->fused.search;
    uint64_t bytes = (uint64_t)(s->list[1] - s->list[0]) * 2 * sizeof *s->list[0];
    uint64_t capacity = bytes / sizeof(struct fused_frontier);
    return capacity < UINT32_MAX ? (uint32_t)capacity : UINT32_MAX;
}

static enum status count_frontiers(struct device *dev, uint32_t first, uint32_t levels,
                                   struct fused_frontier *to, struct error *e)
{
    void *counts = dev->fused.search.list[0];
    cudaStream_t stream = dev->stream.of[NORMALS];
    size_t bytes = levels * sizeof *to;
    if (CUDA_TRY(cudaMemsetAsync(counts, 0, bytes, stream), dev->where, e) != ST_OK)
        return e->status;
    cuda_fused_count(&dev->fused.search, first, levels, counts, stream);
    return gpu_fetch(dev, to, counts, bytes, stream, e);
}

/* The work of a frontier, whose rows it takes from `unvisited`. */
static struct workload work_of(const struct fused_frontier *f, const struct shard *shard, uint64_t unvisited[SUBGRAPHS])
{
    struct workload work = {.fresh = (uint64_t)f->vertices[NORMALS] + f->vertices[DELEGATES],
                            .delegates = f->vertices[DELEGATES]};
    for (int g = 0; g < SUBGRAPHS; g++)
        unvisited[g] -= f->sources[g];
    for (int g = 0; g < SUBGRAPHS; g++)
        work.of[g] = (struct subgraph_work){
            .forward = f->forward[g],
            .frontier = f->sources[g],
            .unvisited_sources = unvisited[g],
            .unvisited_targets =
                unvisited_pulled(shard, (enum subgraph)g, unvisited[subgraph_reverse((enum subgraph)g)])};
    return work;
}

/* Seconds from one time to a later one. */
static double between(unsigned long long from, unsigned long long to)
{
    return to > from ? 1e-9 * (double)(to - from) : 0;
}

/* The subgraphs in which the frontier has rows, a bit each. */
static unsigned active_subgraphs(const struct workload *work)
{
    unsigned active = 0;
    for (int g = 0; g < SUBGRAPHS; g++)
        active |= (work->of[g].frontier > 0 ? 1u : 0) << g;
    return active;
}

/* Subgraphs that are pulled have one time, and those that are pushed another: each kind goes side by side. */
static void fill_times(const struct fused_note *from, unsigned pulled, unsigned long long end, struct level_note *to)
{
    const unsigned long long *at = from->at;
    unsigned long long begun = at[FUSED_CHOSEN] != 0 ? at[FUSED_CHOSEN] : at[FUSED_BEGUN];
    unsigned long long visited = at[FUSED_VISITED] != 0 ? at[FUSED_VISITED] : end;
    double *phase_s = to->times.phase_s, pull_s, push_s;
    unsigned active = active_subgraphs(&to->work);
    pull_s = between(begun, active == pulled ? visited : at[FUSED_LAST_PULLED]);
    push_s = between(pulled != 0 ? at[FUSED_FIRST_PULLED] : begun, visited);
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (active >> g & 1)
            phase_s[PHASE_VISIT + g] = pulled >> g & 1 ? pull_s : push_s;
    }
    phase_s[PHASE_CHOOSE] = between(at[FUSED_BEGUN], begun);
    phase_s[PHASE_PREVISIT] = between(visited, end);
    phase_s[PHASE_LOCAL_EXCHANGE] = 1e-9 * (double)from->waited;
    to->seconds = between(at[FUSED_BEGUN], end);
}

static struct level_note note_of(const struct gpu_notes *n, uint32_t level,
                                 const struct workload *work)
{
    const struct fused_note *from = &n->kept[level];
    struct level_note to = {.kind = (enum level_kind)from->kind, .work = *work};
    unsigned long long end = from->at[FUSED_ENDED];
    const unsigned pulled = from->pulled & (from->kind >= LEVEL_SLICED_BLOCK ? active_subgraphs(work) : ~0u);
    for (int g = 0; g < SUBGRAPHS; g++) {
        to.directions.of[g] = pulled >> g & 1 ? PULL : PUSH;
        to.probes[g] = from->probes[g];
    }
    to.peer_vertices = from->arrived;
    to.peer_bytes = GROUP_ARRIVAL_BYTES * from->arrived + 4 * from->words;
    fill_times(from, pulled, end != 0 ? end : from[1].at[FUSED_BEGUN], &to);
    return to;
}

/* Passes on the notes of levels first..first+count of the last search. */
static void replay(const struct gpu_notes *n, uint32_t first, uint32_t count,
                   const struct fused_frontier *frontiers, uint64_t unvisited[SUBGRAPHS],
                   const struct gpu_listener *listener)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct workload work = work_of(&frontiers[i], listener->shard, unvisited);
        const struct level_note note = note_of(n, first + i, &work);
        listener->noter(listener->context, (int32_t)(first + i), &note);
    }
}

/* Passes on the notes of all levels, as many at a time as the device has room for. */
static enum status replay_all(struct device *dev, const struct gpu_listener *listener, struct error *e)
{
    const struct gpu_notes *n = &dev->fused.notes;
    uint32_t capacity = frontier_capacity(dev), most = n->levels < capacity ? n->levels : capacity;
    uint64_t unvisited[SUBGRAPHS];
    struct fused_frontier *frontiers = malloc((size_t)most * sizeof *frontiers);
    if (frontiers == NULL)
        return fail_memory(e, "frontiers of levels", (size_t)most * sizeof *frontiers);
    for (int g = 0; g < SUBGRAPHS; g++)
        unvisited[g] = dev->shard->csr[g].source_rows;
    for (uint32_t first = 0; first < n->levels && e->status == ST_OK; first += most) {
        uint32_t count = n->levels - first < most ? n->levels - first : most;
        if (count_frontiers(dev, first, count, frontiers, e) == ST_OK)
            replay(n, first, count, frontiers, unvisited, listener);
    }
    free(frontiers);
    return e->status;
}

enum status gpu_replay_levels(struct device *dev, level_noter *noter, void *context, struct error *e)
{
    const struct gpu_listener listener = {noter, context, dev->shard};
    if (gpu_use(dev, e) != ST_OK || gpu_follow_search(dev, e) != ST_OK ||
        gpu_fused_settle(dev, e) != ST_OK || gpu_copy_notes(dev, dev->fused.notes.levels, e) != ST_OK)
        return e->status;
    return replay_all(dev, &listener, e);
}
