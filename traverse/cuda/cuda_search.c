/* backend_cuda.c: the CUDA backend: a shard in device memory, and the steps of a level (backend.h).
 *
 * Two streams as in figure 3 of Pan et al.: what finds delegates (dd, nd) and what finds normals (dn,
 * nn). They meet before and after the previsits. The host waits once a level, for the counts that
 * directions are chosen from, and once more where there is an exchange.
 */
#include "traverse/backend.h"
#include "cuda_device.h"
#include "cuda_error.h"
#include "cuda_kernels.h"

/* Frontier vertices that a previsit lists; larger frontiers are listed when a push wants them. */
enum { LISTED = 1 << 18 };

/* From here on dd is pushed by equal shares of edges. */
enum { MERGE_EDGES = 1 << 16 };

static const enum subgraph first_of[GPU_KINDS] = {DN, NN}, second_of[GPU_KINDS] = {DD, ND};

static enum gpu_kind kind_of(enum subgraph g)
{
    return g == DN || g == DD ? GPU_DELEGATES : GPU_NORMALS;
}

static enum status use(const struct device *dev, struct error *e)
{
    return CUDA_TRY(cudaSetDevice(dev->ordinal), dev->where, e);
}

/* What is launched on `stream` from here on waits for what was launched on `other` so far. */
static enum status follow(struct device *dev, enum gpu_kind stream, enum gpu_kind other,
                          struct error *e)
{
    if (CUDA_TRY(cudaEventRecord(dev->reached[other], dev->stream[other]), dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamWaitEvent(dev->stream[stream], dev->reached[other], 0), dev->where, e);
    return e->status;
}

/* ---- a search ---- */

static enum status gpu_start(struct device *dev, const struct root *root, struct error *e)
{
    struct gpu_vertices *d = &dev->of[GPU_DELEGATES], *n = &dev->of[GPU_NORMALS];
    cudaStream_t stream = dev->stream[GPU_DELEGATES];
    if (use(dev, e) != ST_OK || follow(dev, GPU_DELEGATES, GPU_NORMALS, e) != ST_OK ||
        CUDA_TRY(cudaMemsetAsync(dev->masks, 0, dev->mask_bytes, stream), dev->where, e) != ST_OK ||
        CUDA_TRY(cudaMemsetAsync(dev->level, 0, sizeof *dev->level, stream), dev->where, e) != ST_OK)
        return e->status;
    /* a delegate's parent is known only to the devices that found it: the others say none */
    if (d->parent != NULL &&
        CUDA_TRY(cudaMemsetAsync(d->parent, 0xff, d->count * 4, stream), dev->where, e) != ST_OK)
        return e->status;
    if (root->at == ROOT_AT_DELEGATE)
        cuda_set_root(d->next, root->index, d->parent, PARENT_SELF, stream);
    else if (root->at == ROOT_AT_LOCAL && root->shard == dev->shard->index)
        cuda_set_root(n->next, root->index, n->parent, PARENT_SELF, stream);
    dev->in = d->next;
    dev->binned = 0;
    for (int g = 0; g < SUBGRAPHS; g++)
        dev->unvisited[g] = dev->shard->csr[g].source_rows;
    return CUDA_LAUNCHED(dev->where, e);
}

static enum status gpu_previsit(struct device *dev, int32_t depth, struct error *e)
{
    if (use(dev, e) != ST_OK || follow(dev, GPU_NORMALS, GPU_DELEGATES, e) != ST_OK ||
        follow(dev, GPU_DELEGATES, GPU_NORMALS, e) != ST_OK)
        return e->status;
    gpu_time_begin(dev, PART_PREVISIT, GPU_NORMALS);
    for (int kind = 0; kind < GPU_KINDS; kind++)
        cuda_previsit(&dev->of[kind], kind == GPU_DELEGATES ? dev->in : dev->of[kind].next, depth,
                      &dev->csr[first_of[kind]], &dev->csr[second_of[kind]], LISTED,
                      &dev->level->of[kind], dev->stream[kind]);
    dev->in = dev->of[GPU_DELEGATES].next;
    if (CUDA_LAUNCHED(dev->where, e) != ST_OK ||
        follow(dev, GPU_NORMALS, GPU_DELEGATES, e) != ST_OK)
        return e->status;
    gpu_time_end(dev, PART_PREVISIT, GPU_NORMALS);
    cuda_publish(dev->level, dev->published, dev->stream[GPU_NORMALS]);
    return CUDA_LAUNCHED(dev->where, e);
}

static enum status count_forward(struct device *dev, enum subgraph g, uint64_t *forward,
                                 struct error *e)
{
    enum gpu_kind kind = kind_of(g);
    cudaStream_t stream = dev->stream[GPU_NORMALS];
    cuda_count_forward(&dev->of[kind], &dev->csr[g], &dev->level->of[kind].forward[0], stream);
    cuda_publish(dev->level, dev->published, stream);
    if (CUDA_LAUNCHED(dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
    *forward = dev->published->of[kind].forward[0];
    return e->status;
}

static enum status weigh(struct device *dev, enum subgraph g, const struct direction_policy *policy,
                         struct directions *directions, struct subgraph_work *work,
                         struct error *e)
{
    static const enum subgraph reverse[SUBGRAPHS] = {[NN] = NN, [ND] = DN, [DN] = ND, [DD] = DD};
    work->frontier = dev->sources[g];
    work->forward = dev->forward[g];
    work->unvisited_sources = dev->unvisited[g];
    work->unvisited_targets = dev->unvisited[reverse[g]];
    if (g == NN && dev->shard->p > 1) {
        directions->of[g] = PUSH;
        return ST_OK;
    }
    /* where the frontier was not listed whole, the sum so far is a lower bound */
    if (!dev->listed[kind_of(g)] &&
        direction_needs_forward(policy, g, work, directions->of[g]) &&
        count_forward(dev, g, &work->forward, e) != ST_OK)
        return e->status;
    directions->of[g] = choose_direction(policy, g, work, directions->of[g]);
    return ST_OK;
}

static void take_counts(struct device *dev)
{
    for (int kind = 0; kind < GPU_KINDS; kind++) {
        const struct gpu_counts *counts = &dev->published->of[kind];
        enum subgraph both[2] = {first_of[kind], second_of[kind]};
        dev->fresh[kind] = counts->fresh;
        dev->listed[kind] = counts->listed == counts->fresh && counts->listed <= LISTED;
        for (int i = 0; i < 2; i++) {
            dev->sources[both[i]] = counts->sources[i];
            dev->forward[both[i]] = counts->forward[i];
            dev->unvisited[both[i]] -= counts->sources[i];
        }
    }
}

static enum status gpu_choose(struct device *dev, const struct direction_policy *policy,
                              struct directions *directions, struct workload *work,
                              struct error *e)
{
    if (use(dev, e) != ST_OK ||
        CUDA_TRY(cudaStreamSynchronize(dev->stream[GPU_NORMALS]), dev->where, e) != ST_OK)
        return e->status;
    if (dev->published->bad_ids != 0)
        return fail(e, ST_BAD_DATA, "%s: nn: another shard sent a vertex this one does not have",
                    container_path(dev->shard->file));
    take_counts(dev);
    work->fresh = dev->fresh[GPU_DELEGATES] + dev->fresh[GPU_NORMALS];
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (weigh(dev, (enum subgraph)g, policy, directions, &work->of[g], e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* ---- visits ---- */

static struct gpu_target target_of(struct device *dev, enum subgraph g)
{
    enum gpu_kind kind = g == DD || g == ND ? GPU_DELEGATES : GPU_NORMALS;
    const struct gpu_vertices *to = &dev->of[kind];
    return (struct gpu_target){.visited = to->visited,
                               .next = to->next,
                               .parent = to->parent,
                               .tag = g == DD || g == DN ? PARENT_DELEGATE_BIT : 0,
                               .found = &dev->level->found[kind],
                               .coded = g == NN && dev->shard->p > 1,
                               .local_bits = dev->shard->local_bits,
                               .own_shard = dev->shard->index,
                               .out = dev->codes,
                               .sent = &dev->level->sent};
}

/* The queue of a kind holds what its previsit listed, in full or not; a push wants all of it. */
static uint64_t complete_queue(struct device *dev, enum subgraph g, cudaStream_t stream)
{
    enum gpu_kind kind = kind_of(g);
    if (dev->listed[kind])
        return dev->fresh[kind];
    cuda_list_frontier(&dev->of[kind], dev->csr[g].sources, &dev->level->listed[g], stream);
    return dev->sources[g];
}

static void push(struct device *dev, enum subgraph g, cudaStream_t stream)
{
    struct gpu_target target = target_of(dev, g);
    const uint32_t *queue = dev->of[kind_of(g)].queue;
    struct gpu_chunk *chunks = dev->chunks[g == DD || g == ND ? GPU_DELEGATES : GPU_NORMALS];
    uint64_t count = complete_queue(dev, g, stream);
    int long_rows = dev->forward[g] >= GPU_LONG_ROW || !dev->listed[kind_of(g)];
    if (g == DD && dev->forward[g] >= MERGE_EDGES)
        cuda_push_merged(&dev->csr[g], queue, count, &target, dev->prefix, dev->scratch,
                         dev->scratch_bytes, stream);
    else
        cuda_push_rows(&dev->csr[g], queue, count, &target, chunks, &dev->level->chunks[g],
                       long_rows, stream);
}

/* Rows of the reverse subgraph look for a frontier vertex; whatever is visited serves, because an
 * unvisited vertex has no older neighbour. */
static void pull(struct device *dev, enum subgraph g, cudaStream_t stream)
{
    static const enum subgraph rows_of[SUBGRAPHS] = {[NN] = NN, [ND] = DN, [DN] = ND, [DD] = DD};
    struct gpu_target target = target_of(dev, g);
    cuda_pull_rows(&dev->csr[rows_of[g]], target.visited, target.next,
                   dev->of[kind_of(g)].visited, target.parent, target.tag, target.found, stream);
}

static enum status visit_subgraph(struct device *dev, enum subgraph g,
                                  const struct directions *directions, struct error *e)
{
    enum gpu_kind kind = g == DD || g == ND ? GPU_DELEGATES : GPU_NORMALS;
    if (dev->sources[g] == 0)
        return ST_OK;
    gpu_time_begin(dev, (enum part)(PART_VISIT + g), kind);
    if (directions->of[g] == PULL)
        pull(dev, g, dev->stream[kind]);
    else
        push(dev, g, dev->stream[kind]);
    gpu_time_end(dev, (enum part)(PART_VISIT + g), kind);
    return CUDA_LAUNCHED(dev->where, e);
}

/* For finish_delegates, which does not wait for the other stream. */
static enum status publish_updated(struct device *dev, struct error *e)
{
    if (dev->shard->p == 1)
        return ST_OK;
    return CUDA_TRY(cudaMemcpyAsync(dev->updated_published, &dev->level->found[GPU_DELEGATES],
                                    sizeof *dev->updated_published, cudaMemcpyDeviceToHost,
                                    dev->stream[GPU_DELEGATES]),
                    dev->where, e);
}

static enum status gpu_visit(struct device *dev, const struct directions *directions,
                             struct error *e)
{
    /* the queues are shared by the two subgraphs of a kind: one that must be listed again for a
     * subgraph of the other stream keeps the streams apart */
    int apart = (!dev->listed[GPU_DELEGATES] && directions->of[DN] == PUSH &&
                 directions->of[DD] == PUSH) ||
                (!dev->listed[GPU_NORMALS] && directions->of[ND] == PUSH &&
                 directions->of[NN] == PUSH);
    if (use(dev, e) != ST_OK || visit_subgraph(dev, DD, directions, e) != ST_OK ||
        visit_subgraph(dev, ND, directions, e) != ST_OK || publish_updated(dev, e) != ST_OK ||
        (apart && follow(dev, GPU_NORMALS, GPU_DELEGATES, e) != ST_OK) ||
        visit_subgraph(dev, DN, directions, e) != ST_OK ||
        visit_subgraph(dev, NN, directions, e) != ST_OK)
        return e->status;
    dev->binned = dev->shard->p > 1 && dev->sources[NN] > 0;
    if (!dev->binned)
        return ST_OK;
    gpu_time_begin(dev, PART_BINS, GPU_NORMALS);
    cuda_bin(dev->codes, &dev->level->sent, dev->shard->p, dev->shard->local_bits, dev->sent_ids,
             dev->bin_begin, dev->bin_cursor, dev->bins_published, dev->stream[GPU_NORMALS]);
    gpu_time_end(dev, PART_BINS, GPU_NORMALS);
    return CUDA_LAUNCHED(dev->where, e);
}

static enum status gpu_finish_delegates(struct device *dev, struct error *e)
{
    if (use(dev, e) == ST_OK &&
        CUDA_TRY(cudaStreamSynchronize(dev->stream[GPU_DELEGATES]), dev->where, e) == ST_OK)
        dev->updated = *dev->updated_published != 0;
    return e->status;
}

static enum status gpu_finish(struct device *dev, uint64_t *found, struct error *e)
{
    if (use(dev, e) != ST_OK || follow(dev, GPU_NORMALS, GPU_DELEGATES, e) != ST_OK)
        return e->status;
    cuda_publish(dev->level, dev->published, dev->stream[GPU_NORMALS]);
    if (CUDA_LAUNCHED(dev->where, e) != ST_OK ||
        CUDA_TRY(cudaStreamSynchronize(dev->stream[GPU_NORMALS]), dev->where, e) != ST_OK)
        return e->status;
    dev->updated = dev->published->found[GPU_DELEGATES] != 0;
    *found = dev->published->found[GPU_NORMALS] != 0;
    return ST_OK;
}

static enum status gpu_keep_updates(struct device *dev, struct error *e)
{
    (void)dev; /* the previsit takes delegates from where the visits put them */
    return e->status;
}

/* ---- results ---- */

static enum status copy_visited(struct device *dev, enum gpu_kind kind, void *values, uint32_t none,
                                void *host, struct error *e)
{
    const struct gpu_vertices *v = &dev->of[kind];
    cuda_blank_unvisited(values, v->visited, v->count, none, dev->stream[GPU_NORMALS]);
    if (CUDA_LAUNCHED(dev->where, e) != ST_OK || v->count == 0)
        return e->status;
    return CUDA_TRY(cudaMemcpyAsync(host, values, v->count * 4, cudaMemcpyDeviceToHost,
                                    dev->stream[GPU_NORMALS]),
                    dev->where, e);
}

/* After the last level: all its work is done. */
static enum status settle(struct device *dev, struct error *e)
{
    if (use(dev, e) == ST_OK)
        CUDA_TRY(cudaDeviceSynchronize(), dev->where, e);
    return e->status;
}

static enum status gpu_depths(struct device *dev, int32_t *locals, int32_t *delegates,
                              struct error *e)
{
    if (settle(dev, e) == ST_OK &&
        copy_visited(dev, GPU_NORMALS, dev->of[GPU_NORMALS].depth, (uint32_t)DEPTH_UNREACHED,
                     locals, e) == ST_OK &&
        copy_visited(dev, GPU_DELEGATES, dev->of[GPU_DELEGATES].depth, (uint32_t)DEPTH_UNREACHED,
                     delegates, e) == ST_OK)
        settle(dev, e);
    return e->status;
}

static enum status gpu_parents(struct device *dev, uint32_t *locals, uint32_t *delegates,
                               struct error *e)
{
    if (settle(dev, e) == ST_OK &&
        copy_visited(dev, GPU_NORMALS, dev->of[GPU_NORMALS].parent, PARENT_NONE, locals, e) ==
            ST_OK &&
        copy_visited(dev, GPU_DELEGATES, dev->of[GPU_DELEGATES].parent, PARENT_NONE, delegates,
                     e) == ST_OK)
        settle(dev, e);
    return e->status;
}

const struct backend backend_cuda = {
    .name = "cuda",
    .side_by_side = 1,
    .has_device_memory = 1,
    .open = gpu_open,
    .close = gpu_close,
    .load = gpu_load,
    .start = gpu_start,
    .previsit = gpu_previsit,
    .choose = gpu_choose,
    .visit = gpu_visit,
    .finish_delegates = gpu_finish_delegates,
    .finish = gpu_finish,
    .times = gpu_times,
    .keep_updates = gpu_keep_updates,
    .exchange_take = gpu_exchange_take,
    .exchange_release = gpu_exchange_release,
    .outgoing = gpu_outgoing,
    .take_outgoing = gpu_take_outgoing,
    .uniquify = gpu_uniquify,
    .receive = gpu_receive,
    .receive_local = gpu_receive_local,
    .updated = gpu_updated,
    .read_masks = gpu_read_masks,
    .take_mask = gpu_take_mask,
    .host_take = gpu_host_take,
    .host_release = gpu_host_release,
    .depths = gpu_depths,
    .parents = gpu_parents,
};
