/* cuda_search.c: the steps of a level on a GPU; see backend.h
 *
 * There are two streams, as in figure 3 of Pan et al.: one for visits that find delegates (dd, nd) and one
 * for those that find normals (dn, nn). They wait for each other before and after the previsits. The host waits once a
 * level, for the counts that directions are chosen from, and once more if there is an exchange.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* Makes later launches on `stream` wait for all earlier ones on `other`. */
static enum status follow(struct device *dev, enum vertex_kind stream, enum vertex_kind other, struct error *e)
{
    struct gpu_streams *s = &dev->stream;
    if (CUDA_TRY(cudaEventRecord(s->reached[other], s->of[other]), dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamWaitEvent(s->of[stream], s->reached[other], 0), dev->where, e);
    return e->status;
}

/* ---- times of phases, if the device was opened with timing ---- */

static void time_begin(struct device *dev, enum phase phase, enum vertex_kind stream)
{
    if (dev->clock.runs)
        cudaEventRecord(dev->clock.begin[phase], dev->stream.of[stream]);
}

static void time_end(struct device *dev, enum phase phase, enum vertex_kind stream)
{
    struct gpu_clock *c = &dev->clock;
    if (c->runs)
        c->timed[phase] = cudaEventRecord(c->end[phase], dev->stream.of[stream]) == cudaSuccess;
}

static enum status gpu_times(struct device *dev, struct breakdown *times, struct error *e)
{
    struct gpu_clock *c = &dev->clock;
    gpu_use(dev, e);
    for (int phase = 0; phase < DEVICE_PHASES && e->status == ST_OK; phase++) {
        float milliseconds = 0;
        if (c->timed[phase] && CUDA_TRY(cudaEventSynchronize(c->end[phase]), dev->where, e) == ST_OK)
            CUDA_TRY(cudaEventElapsedTime(&milliseconds, c->begin[phase], c->end[phase]), dev->where, e);
        times->phase_s[phase] = 1e-3 * milliseconds;
        c->timed[phase] = 0;
    }
    return e->status;
}

/* ---- start ---- */

enum status gpu_start(struct device *dev, const struct root *root, struct error *e)
{
    struct gpu_vertices *d = &dev->of[DELEGATES], *n = &dev->of[NORMALS];
    struct gpu_level *level = dev->counters.level;
    cudaStream_t stream = dev->stream.of[DELEGATES];
    if (gpu_use(dev, e) != ST_OK || follow(dev, DELEGATES, NORMALS, e) != ST_OK)
        return e->status;
    CUDA_TRY(cudaMemsetAsync(dev->masks.all, 0, dev->masks.bytes, stream), dev->where, e);
    CUDA_TRY(cudaMemsetAsync(level, 0, GPU_COUNTERS_KINDS * sizeof *level, stream), dev->where, e);
    if (d->parent != NULL) /* the device that finds a delegate knows its parent, others have none */
        CUDA_TRY(cudaMemsetAsync(d->parent, 0xff, d->count * 4, stream), dev->where, e);
    if (e->status != ST_OK)
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
    dev->traffic.update_begun = 0;
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

/* Waits for the counters that were published last, which is the last kernel in the stream. */
static enum status wait_published(struct device *dev, int counters, enum vertex_kind stream, struct error *e)
{
    const struct gpu_counters *c = &dev->counters;
    return CUDA_LAUNCHED(dev->where, e) == ST_OK
               ? gpu_wait_for_report(dev, &c->published[counters].report, c->number, stream, e)
               : e->status;
}

/* Takes the counts of a kind of vertices from published counters to dev->frontier. */
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

/* A visit of g finds vertices that are sources of the reverse of g. */
static struct subgraph_work work_of(const struct device *dev, enum subgraph g)
{
    const struct gpu_frontier *f = &dev->frontier;
    return (struct subgraph_work){.forward = f->forward[g],
                                  .frontier = f->sources[g],
                                  .unvisited_sources = f->unvisited[g],
                                  .unvisited_targets =
                                      unvisited_pulled(dev->shard, g, f->unvisited[subgraph_reverse(g)])};
}

/* ---- previsit ---- */

/* Delegates that come ahead have counters of their own. */
static void previsit_kind(struct device *dev, enum vertex_kind kind, int32_t depth)
{
    int ahead = kind == DELEGATES && dev->frontier.ahead;
    struct gpu_level *level = dev->counters.level + (ahead ? COUNTERS_AHEAD : COUNTERS_OF_LEVEL);
    struct gpu_previsit p = {.vertices = dev->of[kind],
                             .depth = depth,
                             .capacity = SEARCH_LISTED,
                             .counts = &level->of[kind]};
    for (int to = 0; to < VERTEX_KINDS; to++)
        p.csr[to] = dev->csr[subgraph_between(kind, (enum vertex_kind)to)];
    if (kind == DELEGATES)
        p.vertices.next = dev->masks.in;
    cuda_previsit(&p, dev->stream.of[kind]);
    if (kind == DELEGATES)
        dev->masks.in = dev->of[DELEGATES].next;
}

/* The streams wait for each other, except if the delegates came ahead, since their stream then visits dd, or if
 * there are no delegates, once the start of the search is over. */
enum status gpu_previsit(struct device *dev, int32_t depth, struct error *e)
{
    int ahead = dev->frontier.ahead, join = !ahead && (depth == 0 || dev->of[DELEGATES].count > 0);
    if (gpu_use(dev, e) != ST_OK || (join && follow(dev, NORMALS, DELEGATES, e) != ST_OK) ||
        (join && follow(dev, DELEGATES, NORMALS, e) != ST_OK))
        return e->status;
    time_begin(dev, PHASE_PREVISIT, NORMALS);
    if (!ahead)
        previsit_kind(dev, DELEGATES, depth);
    previsit_kind(dev, NORMALS, depth);
    if (CUDA_LAUNCHED(dev->where, e) != ST_OK || (join && follow(dev, NORMALS, DELEGATES, e) != ST_OK))
        return e->status;
    time_end(dev, PHASE_PREVISIT, NORMALS);
    publish(dev, COUNTERS_OF_LEVEL, NORMALS);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Lists the delegates of the next frontier before its normals are known, waits for their counts, and sets *dd to the work
 * of subgraph dd. The stream of the normals takes in vertices that arrive meanwhile. */
enum status gpu_previsit_ahead(struct device *dev, int32_t depth, struct subgraph_work *dd, struct error *e)
{
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    dev->frontier.ahead = 1;
    previsit_kind(dev, DELEGATES, depth);
    publish(dev, COUNTERS_AHEAD, DELEGATES);
    if (wait_published(dev, COUNTERS_AHEAD, DELEGATES, e) == ST_OK)
        read_counts(dev, DELEGATES);
    *dd = work_of(dev, DD);
    return e->status;
}

/* `forward` is a lower bound if the frontier was not listed whole. */
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

/* Returns the counters that a visit of g changes. */
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

/* A push needs the whole sparse frontier. If the previsit did not list all of it, it is listed again, without the
 * vertices that have no edges of g. */
static void push(struct device *dev, enum subgraph g, cudaStream_t stream)
{
    const struct gpu_frontier *f = &dev->frontier;
    const enum vertex_kind kind = subgraph_rows(g);
    const struct gpu_vertices *v = &dev->of[kind];
    struct gpu_level *counters = counters_of(dev, g);
    struct gpu_target target = target_of(dev, g);
    struct gpu_sparse_frontier sparse = {v->queue, f->listed[kind] ? f->fresh[kind] : f->sources[g]};
    struct gpu_sharing sharing = {
        .cut = {dev->scratch.chunks[subgraph_columns(g)], &counters->chunks[g]},
        .has_long = f->forward[g] >= GPU_LONG_ROW || !f->listed[kind],
        .scan = g == DD && f->forward[g] >= SEARCH_MERGE_EDGES ? &dev->scratch.scan : NULL};
    if (!f->listed[kind])
        cuda_list_frontier(v, dev->csr[g].sources, &counters->listed[g], stream);
    cuda_push(&dev->csr[g], &sparse, &target, &sharing, stream);
}

/* Rows of dd that have their bit in `rows` look for a visited column. */
static void pull_dd_rows(struct device *dev, const uint32_t *rows)
{
    struct gpu_target target = target_of(dev, DD);
    struct gpu_csr csr = *gpu_pull_rows(dev, DD);
    csr.sources = rows;
    if (dev->frontier.sources[DD] > 0)
        cuda_pull_rows(&csr, &target, dev->of[DELEGATES].visited, dev->stream.of[DELEGATES]);
}

/* In a pull, rows of the reverse subgraph look for a frontier vertex. Any visited one serves, because an unvisited
 * vertex has no older neighbour. */
static enum status visit_subgraph(struct device *dev, enum subgraph g, const struct directions *directions,
                                  struct error *e)
{
    enum vertex_kind kind = subgraph_columns(g);
    enum phase phase = (enum phase)(PHASE_VISIT + (int)g);
    cudaStream_t stream = dev->stream.of[kind];
    int gathers = g == NN && dev->shard->p > 1 && directions->of[g] == PULL;
    if (dev->frontier.sources[g] == 0 && !gathers) /* other shards' frontiers may find something */
        return ST_OK;
    time_begin(dev, phase, kind);
    if (gathers && gpu_gather_frontiers(dev, e) != ST_OK)
        return e->status;
    if (directions->of[g] == PULL) {
        struct gpu_target target = target_of(dev, g);
        cuda_pull_rows(gpu_pull_rows(dev, g), &target,
                       target.coded ? dev->traffic.peers.gathered : dev->of[subgraph_rows(g)].visited, stream);
    } else {
        push(dev, g, stream);
    }
    time_end(dev, phase, kind);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Whether both subgraphs of a kind of rows must list its sparse frontier again: then two streams cannot push
 * them at the same time. */
static int share_a_queue(const struct device *dev, enum vertex_kind rows, const struct directions *directions)
{
    return !dev->frontier.listed[rows] &&
           directions->of[subgraph_between(rows, NORMALS)] == PUSH &&
           directions->of[subgraph_between(rows, DELEGATES)] == PUSH;
}

/* Visits dn and nn, and sorts the vertices that leave into bins, unless they leave as bits of a mask. */
static enum status visit_normals(struct device *dev, const struct visit_plan *plan, struct error *e)
{
    struct gpu_traffic *t = &dev->traffic;
    cudaStream_t stream = dev->stream.of[NORMALS];
    t->form = plan->form;
    t->unique = 0;
    t->binned = dev->shard->p > 1 && dev->frontier.sources[NN] > 0 &&
                plan->directions.of[NN] == PUSH;
    if (t->binned && t->form == OUTGOING_MASK)
        CUDA_TRY(cudaMemsetAsync(t->sent_mask, 0, t->sent_mask_bytes, stream), dev->where, e);
    if (e->status != ST_OK || visit_subgraph(dev, DN, &plan->directions, e) != ST_OK ||
        visit_subgraph(dev, NN, &plan->directions, e) != ST_OK || !t->binned || t->form == OUTGOING_MASK)
        return e->status;
    time_begin(dev, PHASE_BINS, NORMALS);
    /* edges of a frontier that was not listed were not counted, and have no bound */
    cuda_bin(&t->bins, dev->frontier.listed[NORMALS] ? dev->frontier.forward[NN] : UINT64_MAX, stream);
    time_end(dev, PHASE_BINS, NORMALS);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Pulls the rows of dd that this device owns, and records the event that its peers wait for. */
static enum status pull_first(struct device *dev, struct error *e)
{
    time_begin(dev, (enum phase)(PHASE_VISIT + (int)DD), DELEGATES);
    pull_dd_rows(dev, dev->traffic.peers.own);
    if (CUDA_LAUNCHED(dev->where, e) == ST_OK)
        CUDA_TRY(cudaEventRecord(dev->stream.first_part, dev->stream.of[DELEGATES]), dev->where, e);
    return e->status;
}

/* The other rows of dd, with what peers found in the first part, then nd. */
static enum status visit_rest(struct device *dev, const struct directions *directions, struct error *e)
{
    /* if delegates are known, messages have brought what peers found, too */
    if (!dev->masks.known && gpu_take_peers_updates(dev, e) != ST_OK)
        return e->status;
    pull_dd_rows(dev, dev->traffic.peers.others);
    time_end(dev, (enum phase)(PHASE_VISIT + (int)DD), DELEGATES);
    if (CUDA_LAUNCHED(dev->where, e) != ST_OK ||
        (share_a_queue(dev, NORMALS, directions) && follow(dev, DELEGATES, NORMALS, e) != ST_OK))
        return e->status;
    return visit_subgraph(dev, ND, directions, e);
}

enum status gpu_visit(struct device *dev, const struct visit_plan *plan, struct error *e)
{
    const struct directions *directions = &plan->directions;
    const int ahead = dev->frontier.ahead; /* dd is under way */
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    if (plan->part == VISIT_REST)
        return visit_rest(dev, directions, e);
    if (plan->part == VISIT_FIRST) { /* normals are visited meanwhile, on their own stream */
        if ((ahead || pull_first(dev, e) == ST_OK) && visit_normals(dev, plan, e) == ST_OK)
            gpu_wait_for_peers(dev, dev->stream.first_part, e);
        return e->status;
    }
    int apart = share_a_queue(dev, DELEGATES, directions) || share_a_queue(dev, NORMALS, directions);
    if ((!ahead && visit_subgraph(dev, DD, directions, e) != ST_OK) ||
        visit_subgraph(dev, ND, directions, e) != ST_OK || (apart && follow(dev, NORMALS, DELEGATES, e) != ST_OK))
        return e->status;
    return visit_normals(dev, plan, e);
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

/* Copies whether delegates were found, without waiting for the other stream. Without delegates the flags stay 0. */
enum status gpu_finish_delegates(struct device *dev, int *found, struct error *e)
{
    struct gpu_counters *c = &dev->counters;
    cudaStream_t stream = dev->stream.of[DELEGATES];
    int none = dev->shard->p == 1 || dev->of[DELEGATES].count == 0;
    int kinds = none ? 0 : dev->frontier.ahead ? GPU_COUNTERS_KINDS : 1;
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    c->updated[COUNTERS_AHEAD] = 0;
    for (int i = 0; i < kinds; i++)
        CUDA_TRY(cudaMemcpyAsync(&c->updated[i], &c->level[i].found[DELEGATES], sizeof *c->updated,
                                 cudaMemcpyDeviceToHost, stream),
                 dev->where, e);
    if (e->status == ST_OK && gpu_wait(dev, stream, e) == ST_OK)
        *found = c->updated[COUNTERS_OF_LEVEL] != 0 || c->updated[COUNTERS_AHEAD] != 0;
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
