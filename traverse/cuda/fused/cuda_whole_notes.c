/* cuda_whole_notes.c: notes of the levels of a search that is one kernel, for the host; see cuda_whole.h */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

#include <stdlib.h>

struct gpu_listener {
    level_noter *noter;
    void *context;
    const struct shard *shard;
};

/* The number of frontiers that the lists of a search, free then, have room for. */
static uint32_t frontier_room(const struct device *dev)
{
    const struct gpu_whole *s = &dev->whole.search;
    uint64_t bytes = (uint64_t)(s->list[1] - s->list[0]) * 2 * sizeof *s->list[0];
    uint64_t room = bytes / sizeof(struct whole_frontier);
    return room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
}

static enum status count_frontiers(struct device *dev, uint32_t first, uint32_t levels,
                                   struct whole_frontier *to, struct error *e)
{
    void *counts = dev->whole.search.list[0];
    cudaStream_t stream = dev->stream.of[NORMALS];
    size_t bytes = levels * sizeof *to;
    if (CUDA_TRY(cudaMemsetAsync(counts, 0, bytes, stream), dev->where, e) != ST_OK)
        return e->status;
    cuda_whole_count(&dev->whole.search, first, levels, counts, stream);
    return gpu_fetch(dev, to, counts, bytes, stream, e);
}

/* The work of a frontier, whose rows it takes from `unvisited`. */
static struct workload work_of(const struct whole_frontier *f, const struct shard *shard, uint64_t unvisited[SUBGRAPHS])
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
static void fill_times(const struct whole_note *from, unsigned pulled, unsigned long long end, struct level_note *to)
{
    const unsigned long long *at = from->at;
    unsigned long long begun = at[WHOLE_CHOSEN] != 0 ? at[WHOLE_CHOSEN] : at[WHOLE_BEGUN];
    unsigned long long visited = at[WHOLE_VISITED] != 0 ? at[WHOLE_VISITED] : end;
    double *phase_s = to->times.phase_s, pull_s, push_s;
    unsigned active = active_subgraphs(&to->work);
    pull_s = between(begun, active == pulled ? visited : at[WHOLE_LAST_PULLED]);
    push_s = between(pulled != 0 ? at[WHOLE_FIRST_PULLED] : begun, visited);
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (active >> g & 1)
            phase_s[PHASE_VISIT + g] = pulled >> g & 1 ? pull_s : push_s;
    }
    phase_s[PHASE_CHOOSE] = between(at[WHOLE_BEGUN], begun);
    phase_s[PHASE_PREVISIT] = between(visited, end);
    phase_s[PHASE_LOCAL_EXCHANGE] = 1e-9 * (double)from->waited;
    to->seconds = between(at[WHOLE_BEGUN], end);
}

static struct level_note note_of(const struct gpu_notes *n, uint32_t level,
                                 const struct workload *work)
{
    static const enum visit_way ways[] = {[WHOLE_BY_BLOCK] = WAY_BLOCK,
                                          [WHOLE_BY_TEAM] = WAY_TEAM,
                                          [WHOLE_BY_LIST] = WAY_LIST,
                                          [WHOLE_BY_MASKS] = WAY_MASKS,
                                          [WHOLE_BY_SLICES] = WAY_SLICES};
    const struct whole_note *from = &n->kept[level];
    struct level_note to = {.way = ways[from->way], .work = *work};
    unsigned long long end = from->at[WHOLE_ENDED];
    const unsigned pulled = from->pulled & (from->way == WHOLE_BY_SLICES ? active_subgraphs(work) : ~0u);
    for (int g = 0; g < SUBGRAPHS; g++) {
        to.directions.of[g] = pulled >> g & 1 ? PULL : PUSH;
        to.probes[g] = from->probes[g];
    }
    to.peer_vertices = from->arrived;
    to.peer_bytes = GROUP_ARRIVAL_BYTES * from->arrived + 4 * from->words;
    fill_times(from, pulled, end != 0 ? end : from[1].at[WHOLE_BEGUN], &to);
    return to;
}

/* Passes on the notes of levels first..first+count of the last search. */
static void replay(const struct gpu_notes *n, uint32_t first, uint32_t count,
                   const struct whole_frontier *frontiers, uint64_t unvisited[SUBGRAPHS],
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
    const struct gpu_notes *n = &dev->whole.notes;
    uint32_t room = frontier_room(dev), most = n->levels < room ? n->levels : room;
    uint64_t unvisited[SUBGRAPHS];
    struct whole_frontier *frontiers = malloc((size_t)most * sizeof *frontiers);
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
        gpu_whole_settle(dev, e) != ST_OK || gpu_copy_notes(dev, dev->whole.notes.levels, e) != ST_OK)
        return e->status;
    return replay_all(dev, &listener, e);
}
