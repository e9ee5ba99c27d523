/* cuda_search.c: the steps of a level on a GPU; see backend.h
 *
 * There are two streams, as in figure 3 of Pan et al.: one for visits that find delegates (dd, nd) and one
 * for those that find normals (dn, nn). They meet before and after the previsits. The host waits once a
 * level, for the counts that directions are chosen from, and once more if there is an exchange.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* Later launches on `stream` wait for all earlier ones on `other`. */
static enum status follow(struct device *dev, enum vertex_kind stream, enum vertex_kind other, struct error *e)
{
    struct gpu_streams *s = &dev->stream;
    if (CUDA_TRY(cudaEventRecord(s->reached[other], s->of[other]), dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamWaitEvent(s->of[stream], s->reached[other], 0), dev->where, e);
    return e->status;
}

/* ---- start ---- */

static enum status clear_masks(struct device *dev, cudaStream_t stream, struct error *e)
{
    const struct gpu_vertices *d = &dev->of[DELEGATES];
    struct gpu_level *level = dev->counters.level;
    CUDA_TRY(cudaMemsetAsync(dev->masks.all, 0, dev->masks.bytes, stream), dev->where, e);
    CUDA_TRY(cudaMemsetAsync(level, 0, GPU_COUNTERS_KINDS * sizeof *level, stream), dev->where, e);
    if (d->parent != NULL) /* those that find a delegate know its parent, others have none */
        CUDA_TRY(cudaMemsetAsync(d->parent, 0xff, d->count * 4, stream), dev->where, e);
    return e->status;
}

enum status gpu_start(struct device *dev, const struct root *root, struct error *e)
{
    struct gpu_vertices *d = &dev->of[DELEGATES], *n = &dev->of[NORMALS];
    cudaStream_t stream = dev->stream.of[DELEGATES];
    if (gpu_use(dev, e) != ST_OK || follow(dev, DELEGATES, NORMALS, e) != ST_OK ||
        clear_masks(dev, stream, e) != ST_OK)
        return e->status;
    if (root->at == ROOT_AT_DELEGATE)
        cuda_set_root(d->next, root->index, d->parent, PARENT_SELF, stream);
    else if (root->at == ROOT_AT_LOCAL && root->shard == dev->shard->index)
        cuda_set_root(n->next, root->index, n->parent, PARENT_SELF, stream);
    dev->masks.in = d->next;
    dev->masks.known = 0;
    dev->fused.settled = 1; /* previsits write all depths */
    dev->fused.answers = 0;
    dev->fused.group.ran = 0;
    dev->traffic.binned = 0;
    dev->traffic.frontiers.begun = 0;
    dev->frontier.ahead = 0;
    for (int g = 0; g < SUBGRAPHS; g++)
        dev->frontier.unvisited[g] = dev->shard->csr[g].source_rows;
    return CUDA_LAUNCHED(dev->where, e);
}

/* ---- counters ---- */

static void publish(struct device *dev, int counters, enum vertex_kind stream)
{
    struct gpu_counters *c = &dev->counters;
    cuda_publish(c->level + counters, c->published + counters, ++c->number, dev->stream.of[stream]);
}

/* Waits for the counters that were published last: theirs is the last kernel in the stream. */
static enum status wait_published(struct device *dev, int counters, enum vertex_kind stream, struct error *e)
{
    const struct gpu_counters *c = &dev->counters;
    return CUDA_LAUNCHED(dev->where, e) == ST_OK
               ? gpu_wait_for_report(dev, &c->published[counters].report, c->number, stream, e)
               : e->status;
}

/* ---- previsit ---- */

/* Delegates that come ahead have counters of their own. */
static void previsit_kind(struct device *dev, enum vertex_kind kind, int32_t depth)
{
    struct gpu_level *level = dev->counters.level;
    if (kind == DELEGATES && dev->frontier.ahead)
        level += COUNTERS_AHEAD;
    struct gpu_previsit p = {.vertices = dev->of[kind],
                             .depth = depth,
                             .capacity = SEARCH_LISTED,
                             .counts = &level->of[kind]};
    for (int to = 0; to < VERTEX_KINDS; to++)
        p.csr[to] = dev->csr[subgraph_between(kind, (enum vertex_kind)to)];
    if (kind == DELEGATES)
        p.vertices.next = dev->masks.in;
    cuda_previsit(&p, dev->stream.of[kind]);
}

/* The streams meet, except if the delegates came ahead, since their stream then visits dd, or if
 * there are no delegates, once the start of the search is over. */
enum status gpu_previsit(struct device *dev, int32_t depth, struct error *e)
{
    int ahead = dev->frontier.ahead, meet = !ahead && (depth == 0 || dev->of[DELEGATES].count > 0);
    if (gpu_use(dev, e) != ST_OK || (meet && follow(dev, NORMALS, DELEGATES, e) != ST_OK) ||
        (meet && follow(dev, DELEGATES, NORMALS, e) != ST_OK))
        return e->status;
    gpu_time_begin(dev, PHASE_PREVISIT, NORMALS);
    if (!ahead)
        previsit_kind(dev, DELEGATES, depth);
    previsit_kind(dev, NORMALS, depth);
    dev->masks.in = dev->of[DELEGATES].next;
    if (CUDA_LAUNCHED(dev->where, e) != ST_OK || (meet && follow(dev, NORMALS, DELEGATES, e) != ST_OK))
        return e->status;
    gpu_time_end(dev, PHASE_PREVISIT, NORMALS);
    publish(dev, COUNTERS_OF_LEVEL, NORMALS);
    return CUDA_LAUNCHED(dev->where, e);
}

static void read_counts(struct device *dev, enum vertex_kind kind)
{
    int ahead = kind == DELEGATES && dev->frontier.ahead;
    const struct gpu_counts *counts =
        &dev->counters.published[ahead ? COUNTERS_AHEAD : COUNTERS_OF_LEVEL].of[kind];
    struct gpu_frontier *f = &dev->frontier;
    f->fresh[kind] = counts->fresh;
    f->listed[kind] = counts->listed == counts->fresh && counts->listed <= SEARCH_LISTED;
    for (int to = 0; to < VERTEX_KINDS; to++) {
        enum subgraph g = subgraph_between(kind, (enum vertex_kind)to);
        f->sources[g] = counts->sources[to];
        f->forward[g] = counts->forward[to];
        f->unvisited[g] -= counts->sources[to];
    }
}

static struct subgraph_work work_of(const struct device *dev, enum subgraph g)
{
    const struct gpu_frontier *f = &dev->frontier;
    return (struct subgraph_work){.forward = f->forward[g],
                                  .frontier = f->sources[g],
                                  .unvisited_sources = f->unvisited[g],
                                  .unvisited_targets =
                                      unvisited_pulled(dev->shard, g, f->unvisited[subgraph_reverse(g)])};
}

/* The stream of the normals takes in vertices that arrive meanwhile. */
enum status gpu_previsit_ahead(struct device *dev, int32_t depth, struct subgraph_work *dd, struct error *e)
{
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    dev->frontier.ahead = 1;
    previsit_kind(dev, DELEGATES, depth);
    dev->masks.in = dev->of[DELEGATES].next;
    publish(dev, COUNTERS_AHEAD, DELEGATES);
    if (wait_published(dev, COUNTERS_AHEAD, DELEGATES, e) == ST_OK)
        read_counts(dev, DELEGATES);
    *dd = work_of(dev, DD);
    return e->status;
}

/* `forward` is a lower bound if the frontier was not listed whole. A visit of g finds vertices that are
 * sources of the reverse of g. */
enum status gpu_counts(struct device *dev, struct workload *work, struct error *e)
{
    const struct gpu_frontier *f = &dev->frontier;
    if (gpu_use(dev, e) != ST_OK || wait_published(dev, COUNTERS_OF_LEVEL, NORMALS, e) != ST_OK)
        return e->status;
    if (dev->counters.published->bad_ids != 0)
        return fail(e, ST_BAD_DATA, "%s: nn: another shard sent a vertex this one does not have",
                    container_path(dev->shard->file));
    if (!f->ahead)
        read_counts(dev, DELEGATES);
    read_counts(dev, NORMALS);
    work->fresh = f->fresh[DELEGATES] + f->fresh[NORMALS];
    work->delegates = f->fresh[DELEGATES];
    for (int g = 0; g < SUBGRAPHS; g++)
        work->of[g] = work_of(dev, (enum subgraph)g);
    return ST_OK;
}

enum status gpu_count_forward(struct device *dev, enum subgraph g, uint64_t *forward, struct error *e)
{
    enum vertex_kind kind = subgraph_rows(g);
    enum vertex_kind stream = g == DD && dev->frontier.ahead ? DELEGATES : NORMALS;
    int counters = stream == DELEGATES ? COUNTERS_AHEAD : COUNTERS_OF_LEVEL;
    struct gpu_level *level = dev->counters.level + counters;
    *forward = dev->frontier.forward[g];
    if (dev->frontier.listed[kind] || gpu_use(dev, e) != ST_OK)
        return e->status;
    cuda_count_forward(&dev->of[kind], &dev->csr[g], &level->of[kind].forward[0],
                       dev->stream.of[stream]);
    publish(dev, counters, stream);
    wait_published(dev, counters, stream, e);
    *forward = dev->counters.published[counters].of[kind].forward[0];
    return e->status;
}

/* ---- visits ---- */

/* The counters that a visit of g changes. */
static struct gpu_level *counters_of(const struct device *dev, enum subgraph g)
{
    return dev->counters.level +
           (g == DD && dev->frontier.ahead ? COUNTERS_AHEAD : COUNTERS_OF_LEVEL);
}

static struct gpu_target target_of(struct device *dev, enum subgraph g)
{
    int coded = g == NN && dev->shard->p > 1;
    enum vertex_kind kind = subgraph_columns(g);
    struct gpu_level *level = counters_of(dev, g);
    return (struct gpu_target){.to = dev->of[kind],
                               .g = g,
                               .found = &level->found[kind],
                               .coded = coded,
                               .local_bits = dev->shard->local_bits,
                               .own_shard = dev->shard->index,
                               .out_mask = coded && dev->traffic.form == OUTGOING_MASK
                                               ? dev->traffic.sent_mask
                                               : NULL,
                               .out = dev->traffic.bins.codes,
                               .sent = &level->sent};
}

/* A push wants the whole frontier. If the previsit did not list it whole, it is listed again, without the
 * vertices that have no edges of g. */
static struct gpu_queue complete_queue(struct device *dev, enum subgraph g, cudaStream_t stream)
{
    enum vertex_kind kind = subgraph_rows(g);
    const struct gpu_vertices *v = &dev->of[kind];
    if (dev->frontier.listed[kind])
        return (struct gpu_queue){v->queue, dev->frontier.fresh[kind]};
    cuda_list_frontier(v, dev->csr[g].sources, &counters_of(dev, g)->listed[g], stream);
    return (struct gpu_queue){v->queue, dev->frontier.sources[g]};
}

static void push(struct device *dev, enum subgraph g, cudaStream_t stream)
{
    const struct gpu_frontier *f = &dev->frontier;
    struct gpu_target target = target_of(dev, g);
    struct gpu_queue queue = complete_queue(dev, g, stream);
    struct gpu_sharing sharing = {
        .cut = {dev->scratch.chunks[subgraph_columns(g)], &counters_of(dev, g)->chunks[g]},
        .has_long = f->forward[g] >= GPU_LONG_ROW || !f->listed[subgraph_rows(g)],
        .scan = g == DD && f->forward[g] >= SEARCH_MERGE_EDGES ? &dev->scratch.scan : NULL};
    cuda_push(&dev->csr[g], &queue, &target, &sharing, stream);
}

/* Rows of the reverse subgraph look for a frontier vertex. Any visited one serves, because an unvisited
 * vertex has no older neighbour. */
static void pull(struct device *dev, enum subgraph g, cudaStream_t stream)
{
    struct gpu_target target = target_of(dev, g);
    cuda_pull_rows(gpu_pull_rows(dev, g), &target,
                   target.coded ? dev->traffic.peers.gathered : dev->of[subgraph_rows(g)].visited, stream);
}

/* The rows of dd that have their bit in the mask. */
static void pull_dd_rows(struct device *dev, const uint32_t *rows)
{
    struct gpu_target target = target_of(dev, DD);
    struct gpu_csr csr = *gpu_pull_rows(dev, DD);
    csr.sources = rows;
    cuda_pull_rows(&csr, &target, dev->of[DELEGATES].visited, dev->stream.of[DELEGATES]);
}

static enum status visit_subgraph(struct device *dev, enum subgraph g, const struct directions *directions,
                                  struct error *e)
{
    enum vertex_kind kind = subgraph_columns(g);
    enum phase phase = (enum phase)(PHASE_VISIT + (int)g);
    int gathers = g == NN && dev->shard->p > 1 && directions->of[g] == PULL;
    if (dev->frontier.sources[g] == 0 && !gathers) /* other shards' frontiers may find something */
        return ST_OK;
    gpu_time_begin(dev, phase, kind);
    if (gathers && gpu_gather_frontiers(dev, e) != ST_OK)
        return e->status;
    if (directions->of[g] == PULL)
        pull(dev, g, dev->stream.of[kind]);
    else
        push(dev, g, dev->stream.of[kind]);
    gpu_time_end(dev, phase, kind);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Whether both subgraphs of a kind of rows must list its queue again: then two streams cannot push
 * them at the same time. */
static int share_a_queue(const struct device *dev, enum vertex_kind rows, const struct directions *directions)
{
    return !dev->frontier.listed[rows] &&
           directions->of[subgraph_between(rows, NORMALS)] == PUSH &&
           directions->of[subgraph_between(rows, DELEGATES)] == PUSH;
}

/* Chooses the form of vertices that leave, before nn is visited. */
static enum status choose_outgoing(struct device *dev, const struct visit_plan *plan, struct error *e)
{
    struct gpu_traffic *t = &dev->traffic;
    t->form = plan->form;
    t->unique = 0;
    t->binned = dev->shard->p > 1 && dev->frontier.sources[NN] > 0 &&
                plan->directions.of[NN] == PUSH;
    if (!t->binned || t->form == OUTGOING_LIST)
        return ST_OK;
    return CUDA_TRY(cudaMemsetAsync(t->sent_mask, 0, t->sent_mask_bytes, dev->stream.of[NORMALS]),
                    dev->where, e);
}

/* Fills the bins. The edges of a frontier that was not listed are not counted, and have no
 * bound. */
static enum status fill_bins(struct device *dev, struct error *e)
{
    const uint64_t most = dev->frontier.listed[NORMALS] ? dev->frontier.forward[NN] : UINT64_MAX;
    if (!dev->traffic.binned || dev->traffic.form == OUTGOING_MASK)
        return ST_OK;
    gpu_time_begin(dev, PHASE_BINS, NORMALS);
    cuda_bin(&dev->traffic.bins, most, dev->stream.of[NORMALS]);
    gpu_time_end(dev, PHASE_BINS, NORMALS);
    return CUDA_LAUNCHED(dev->where, e);
}

static enum status visit_normals(struct device *dev, const struct visit_plan *plan, struct error *e)
{
    if (choose_outgoing(dev, plan, e) != ST_OK ||
        visit_subgraph(dev, DN, &plan->directions, e) != ST_OK ||
        visit_subgraph(dev, NN, &plan->directions, e) != ST_OK)
        return e->status;
    return fill_bins(dev, e);
}

static enum status visit_whole(struct device *dev, const struct visit_plan *plan, struct error *e)
{
    const struct directions *directions = &plan->directions;
    int apart =
        share_a_queue(dev, DELEGATES, directions) || share_a_queue(dev, NORMALS, directions);
    if ((!dev->frontier.ahead && visit_subgraph(dev, DD, directions, e) != ST_OK) ||
        visit_subgraph(dev, ND, directions, e) != ST_OK ||
        (apart && follow(dev, NORMALS, DELEGATES, e) != ST_OK))
        return e->status;
    return visit_normals(dev, plan, e);
}

static enum status pull_first(struct device *dev, struct error *e)
{
    gpu_time_begin(dev, (enum phase)(PHASE_VISIT + (int)DD), DELEGATES);
    if (dev->frontier.sources[DD] > 0)
        pull_dd_rows(dev, dev->traffic.peers.own);
    if (CUDA_LAUNCHED(dev->where, e) == ST_OK)
        CUDA_TRY(cudaEventRecord(dev->stream.first_part, dev->stream.of[DELEGATES]), dev->where, e);
    return e->status;
}

/* Messages have brought what peers found, too. */
static enum status pull_rest(struct device *dev, struct error *e)
{
    if (!dev->masks.known && gpu_take_peers_updates(dev, e) != ST_OK)
        return e->status;
    if (dev->frontier.sources[DD] > 0)
        pull_dd_rows(dev, dev->traffic.peers.others);
    gpu_time_end(dev, (enum phase)(PHASE_VISIT + (int)DD), DELEGATES);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Visits the first part of dd. Normals are visited meanwhile, on their own stream. */
static enum status visit_first(struct device *dev, const struct visit_plan *plan, struct error *e)
{
    if ((dev->frontier.ahead || pull_first(dev, e) == ST_OK) && visit_normals(dev, plan, e) == ST_OK)
        gpu_wait_for_peers(dev, dev->stream.first_part, e);
    return e->status;
}

static enum status visit_rest(struct device *dev, const struct visit_plan *plan, struct error *e)
{
    const struct directions *directions = &plan->directions;
    if (pull_rest(dev, e) != ST_OK ||
        (share_a_queue(dev, NORMALS, directions) && follow(dev, DELEGATES, NORMALS, e) != ST_OK))
        return e->status;
    return visit_subgraph(dev, ND, directions, e);
}

enum status gpu_visit(struct device *dev, const struct visit_plan *plan, struct error *e)
{
    static enum status (*const visit[])(struct device *, const struct visit_plan *,
                                        struct error *) = {[VISIT_WHOLE] = visit_whole,
                                                           [VISIT_FIRST] = visit_first,
                                                           [VISIT_REST] = visit_rest};
    return gpu_use(dev, e) == ST_OK ? visit[plan->part](dev, plan, e) : e->status;
}

enum status gpu_visit_ahead(struct device *dev, const struct visit_plan *plan, struct error *e)
{
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    if (plan->part == VISIT_WHOLE)
        return visit_subgraph(dev, DD, &plan->directions, e);
    return pull_first(dev, e) == ST_OK ? gpu_wait_for_peers(dev, dev->stream.first_part, e)
                                       : e->status;
}

/* ---- the end of a level ---- */

/* Copies whether delegates were found, without the other stream. Without delegates it stays 0. */
static enum status copy_updated(struct device *dev, struct error *e)
{
    struct gpu_counters *c = &dev->counters;
    int none = dev->shard->p == 1 || dev->of[DELEGATES].count == 0;
    int kinds = none ? 0 : dev->frontier.ahead ? GPU_COUNTERS_KINDS : 1;
    c->updated[COUNTERS_AHEAD] = 0;
    for (int i = 0; i < kinds; i++)
        CUDA_TRY(cudaMemcpyAsync(&c->updated[i], &c->level[i].found[DELEGATES], sizeof *c->updated,
                                 cudaMemcpyDeviceToHost, dev->stream.of[DELEGATES]),
                 dev->where, e);
    return e->status;
}

enum status gpu_finish_delegates(struct device *dev, int *found, struct error *e)
{
    if (gpu_use(dev, e) == ST_OK && copy_updated(dev, e) == ST_OK &&
        gpu_wait(dev, dev->stream.of[DELEGATES], e) == ST_OK)
        *found = dev->counters.updated[COUNTERS_OF_LEVEL] != 0 || dev->counters.updated[COUNTERS_AHEAD] != 0;
    return e->status;
}

enum status gpu_finish(struct device *dev, struct visit_result *result, struct error *e)
{
    struct gpu_counters *c = &dev->counters;
    int kinds = dev->frontier.ahead ? GPU_COUNTERS_KINDS : 1;
    if (gpu_use(dev, e) != ST_OK ||
        (dev->of[DELEGATES].count > 0 && follow(dev, NORMALS, DELEGATES, e) != ST_OK))
        return e->status;
    for (int i = 0; i < kinds; i++)
        publish(dev, i, NORMALS);
    if (wait_published(dev, kinds - 1, NORMALS, e) != ST_OK)
        return e->status;
    result->found_delegates = 0;
    for (int i = 0; i < kinds; i++)
        result->found_delegates |= c->published[i].found[DELEGATES] != 0;
    dev->frontier.ahead = 0;
    result->found = c->published->found[NORMALS] != 0;
    return dev->clock.runs ? gpu_times(dev, &result->times, e) : ST_OK;
}

int gpu_is_busy(const struct device *dev)
{
    int busy = 0;
    if (cudaSetDevice(dev->ordinal) != cudaSuccess)
        return 0; /* finish will report it */
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        busy |= cudaStreamQuery(dev->stream.of[kind]) == cudaErrorNotReady;
    return busy;
}

/* Peers see the visited bits as the previsit left them: these serve as well as a frontier. */
void gpu_show_frontier(struct device *dev)
{
    (void)dev;
}

/* The previsit takes delegates from where the visits put them. */
void gpu_keep_updates(struct device *dev)
{
    (void)dev;
}
