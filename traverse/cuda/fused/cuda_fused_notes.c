/* cuda_fused_notes.c: turns the notes that a fused search wrote on the device (struct fused_note) into those that the level loop
 * reports (struct level_note)
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

#include <stdlib.h>

/* Appends notes from the device to dev->fused.notes.kept on the host, and waits: those of levels below `levels` that were not
 * copied before. Called after a search, and during one if the device's notes are full. After a failure earlier copies stay. */
enum status gpu_copy_notes(struct device *dev, uint32_t levels, struct error *e)
{
    struct gpu_notes *n = &dev->fused.notes;
    const struct fused_note *from = dev->fused.search.out.notes; /* after each copy the device writes from notes[0] on */
    uint32_t more = levels - n->count;
    struct fused_note *grown = realloc(n->kept, ((size_t)levels + 1) * sizeof *grown);
    if (grown == NULL)
        return fail_memory(e, "notes of levels", (size_t)levels * sizeof *grown);
    n->kept = grown;
    if (gpu_fetch(dev, n->kept + n->count, from, more * sizeof *from, dev->stream.of[NORMALS], e) == ST_OK)
        n->count = levels;
    return e->status;
}

/* Writes the counts of the frontiers of `levels` levels of the last search, from level `first` on, to to[], and waits. The
 * depths of the search must be complete. The memory of the device's sparse frontiers is used for the counts and overwritten. */
static enum status count_frontiers(struct device *dev, uint32_t first, uint32_t levels,
                                   struct fused_frontier *to, struct error *e)
{
    void *counts = dev->fused.search.sparse[0];
    cudaStream_t stream = dev->stream.of[NORMALS];
    size_t bytes = levels * sizeof *to;
    if (CUDA_TRY(cudaMemsetAsync(counts, 0, bytes, stream), dev->where, e) != ST_OK)
        return e->status;
    cuda_fused_count(&dev->fused.search, first, levels, counts, stream);
    return gpu_fetch(dev, to, counts, bytes, stream, e);
}

/* Returns the workload of a level, from the counts *f of its frontier. unvisited[g] has the number of rows of subgraph g that
 * are in no earlier frontier. The rows of this frontier are subtracted from it. */
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

/* Returns the seconds between two times in nanoseconds, or 0 if `to` is not later than `from`. */
static double seconds_between(unsigned long long from, unsigned long long to)
{
    return to > from ? 1e-9 * (double)(to - from) : 0;
}

/* Returns the note of a level as the level loop reports it, from the device's note *from and the level's workload. Also reads
 * from[1], the note of the next level, as a level usually ends when the next one begins. Subgraphs that are pushed run side by
 * side, and so all get the same time. So do the subgraphs that are pulled. */
static struct level_note note_of(const struct fused_note *from, const struct workload *work)
{
    const unsigned long long *at = from->at;
    const unsigned long long begun = at[FUSED_CHOSEN] != 0 ? at[FUSED_CHOSEN] : at[FUSED_BEGUN],
                             end = at[FUSED_ENDED] != 0 ? at[FUSED_ENDED] : from[1].at[FUSED_BEGUN],
                             visited = at[FUSED_VISITED] != 0 ? at[FUSED_VISITED] : end;
    struct level_note to = {.kind = (enum level_kind)from->kind, .work = *work};
    double *phase_s = to.times.phase_s;
    unsigned active = 0, pulled = from->pulled; /* bit g: subgraph g has rows in the frontier; subgraph g is pulled */
    for (int g = 0; g < SUBGRAPHS; g++)
        active |= (work->of[g].frontier > 0 ? 1u : 0) << g;
    if (from->kind >= LEVEL_SLICED_BLOCK)
        pulled &= active;
    const double pull_s = seconds_between(begun, active == pulled ? visited : at[FUSED_LAST_PULLED]),
                 push_s = seconds_between(pulled != 0 ? at[FUSED_FIRST_PULLED] : begun, visited);
    for (int g = 0; g < SUBGRAPHS; g++) {
        const int pulls = pulled >> g & 1;
        to.directions.of[g] = pulls ? PULL : PUSH;
        to.probes[g] = from->probes[g];
        if (active >> g & 1)
            phase_s[PHASE_VISIT + g] = pulls ? pull_s : push_s;
    }
    phase_s[PHASE_CHOOSE] = seconds_between(at[FUSED_BEGUN], begun);
    phase_s[PHASE_PREVISIT] = seconds_between(visited, end);
    phase_s[PHASE_LOCAL_EXCHANGE] = 1e-9 * (double)from->waited;
    to.seconds = seconds_between(at[FUSED_BEGUN], end);
    to.peer_vertices = from->arrived;
    to.peer_bytes = PEERS_ARRIVAL_BYTES * from->arrived + 4 * from->words;
    return to;
}

/* Passes the notes of all levels of the last search, which must have been noted, to `noter`, in the order of the levels. First
 * completes the depths, and copies the notes that are still on the device. Overwrites the sparse frontiers. */
enum status gpu_replay_levels(struct device *dev, level_noter *noter, void *context, struct error *e)
{
    const struct gpu_notes *n = &dev->fused.notes;
    if (gpu_use(dev, e) != ST_OK || gpu_follow_search(dev, e) != ST_OK || gpu_fused_settle(dev, e) != ST_OK ||
        gpu_copy_notes(dev, n->levels, e) != ST_OK)
        return e->status;
    /* the counts of `most` levels at a time fit into the memory of the sparse frontiers */
    const struct gpu_fused *s = &dev->fused.search;
    const uint64_t bytes = (uint64_t)(s->sparse[1] - s->sparse[0]) * 2 * sizeof *s->sparse[0],
                   capacity = bytes / sizeof(struct fused_frontier);
    const uint32_t most = n->levels < capacity ? n->levels : (uint32_t)capacity;
    uint64_t unvisited[SUBGRAPHS];
    struct fused_frontier *frontiers = malloc((size_t)most * sizeof *frontiers);
    if (frontiers == NULL)
        return fail_memory(e, "frontiers of levels", (size_t)most * sizeof *frontiers);
    for (int g = 0; g < SUBGRAPHS; g++)
        unvisited[g] = dev->shard->csr[g].source_rows;
    for (uint32_t first = 0; first < n->levels && e->status == ST_OK; first += most) {
        const uint32_t count = n->levels - first < most ? n->levels - first : most;
        if (count_frontiers(dev, first, count, frontiers, e) != ST_OK)
            break;
        for (uint32_t i = 0; i < count; i++) {
            const struct workload work = work_of(&frontiers[i], dev->shard, unvisited);
            const struct level_note note = note_of(&n->kept[first + i], &work);
            noter(context, (int32_t)(first + i), &note);
        }
    }
    free(frontiers);
    return e->status;
}
