/* cuda_search.c: the steps of a level of a stepped search on a GPU, which the level loop (loop.c) calls; see engine.h
 *
 * There are two streams, as in figure 3 of Pan et al. Visits that find delegates (dd, nd) run in the stream of the delegates,
 * and visits that find normals (dn, nn) in the stream of the normals. The streams wait for each other before the previsits, and
 * the stream of the normals waits for the other one again after them. The host waits for the counts of the previsits, from
 * which directions are chosen, and once more in a level if devices exchange vertices.
 *
 * Usually one previsit makes the frontier of both kinds of vertices. If normals come from other ranks, a level may begin with
 * the previsit of the delegates and the visit of dd while the normals arrive (gpu_dd_went_first). These two steps count in
 * COUNTERS_DD_FIRST, and all later steps in COUNTERS_OF_LEVEL.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

/* Makes later launches on `stream` wait for earlier launches on `other`. The host does not wait. */
static enum status follow(struct device *dev, enum vertex_kind stream, enum vertex_kind other, struct error *e)
{
    struct gpu_streams *s = &dev->stream;
    if (CUDA_TRY(cudaEventRecord(s->reached[other], s->of[other]), dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamWaitEvent(s->of[stream], s->reached[other], 0), dev->where, e);
    return e->status;
}

/* ---- times of phases, if the device was opened with timing ---- */

/* Records where a phase begins, behind all earlier launches on `stream`, if phases are timed. */
static void time_begin(struct device *dev, enum phase phase, enum vertex_kind stream)
{
    if (dev->clock.runs)
        cudaEventRecord(dev->clock.begin[phase], dev->stream.of[stream]);
}

/* Records where a phase ends, behind all earlier launches on `stream`, and that the phase is timed, if phases are timed. */
static void time_end(struct device *dev, enum phase phase, enum vertex_kind stream)
{
    struct gpu_clock *c = &dev->clock;
    if (c->runs)
        c->timed[phase] = cudaEventRecord(c->end[phase], dev->stream.of[stream]) == cudaSuccess;
}

/* Sets times->phase_s[] to the seconds of each phase of this level, 0 for phases that were not timed. Waits for the ends of the
 * phases. The next level begins with no phase timed. */
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

/* Begins a search on a device, without waiting. Launches the clearing of bitmaps and counters. Sets the bits of the roots in
 * `next`, which the first previsit reads, and their parents: of delegates on every device, and of a normal on the device of
 * its shard. Resets what the last search has left in `dev`, and counts all sources as unvisited in dev->frontier. */
enum status gpu_start(struct device *dev, const struct root_set *roots, struct error *e)
{
    struct gpu_vertices *d = &dev->of[DELEGATES];
    struct gpu_level *level = dev->counters.level;
    struct gpu_roots own;
    cudaStream_t stream = dev->stream.of[DELEGATES];
    if (gpu_use(dev, e) != ST_OK || follow(dev, DELEGATES, NORMALS, e) != ST_OK)
        return e->status;
    CUDA_TRY(cudaMemsetAsync(dev->masks.all, 0, dev->masks.bytes, stream), dev->where, e);
    CUDA_TRY(cudaMemsetAsync(level, 0, GPU_COUNTERS_KINDS * sizeof *level, stream), dev->where, e);
    /* a delegate's parent is recorded only on devices that find this delegate; PARENT_NONE stays on all others */
    if (d->parent != NULL)
        CUDA_TRY(cudaMemsetAsync(d->parent, 0xff, d->count * 4, stream), dev->where, e);
    if (e->status != ST_OK || gpu_take_roots(dev, roots, &own, e) != ST_OK)
        return e->status;
    cuda_set_roots(&own, dev->of, PARENT_SELF, stream);
    dev->masks.next_input = d->next;
    dev->masks.has_known = 0;
    dev->fused.settled = 1; /* previsits write all depths */
    dev->fused.answer_valid = 0;
    dev->fused.group.ran = 0;
    dev->traffic.binned = 0;
    dev->traffic.update_begun = 0;
    dev->frontier.previsited = BOTH_KINDS;
    for (int g = 0; g < SUBGRAPHS; g++)
        dev->frontier.unvisited[g] = dev->shard->csr[g].source_rows;
    return CUDA_LAUNCHED(dev->where, e);
}

/* ---- counters ---- */

/* Launches, on `stream`, the copy of a set of counters to the host, after which the set is zero on the device. wait_published
 * waits for this copy. `counters` is COUNTERS_OF_LEVEL or COUNTERS_DD_FIRST. */
static void publish(struct device *dev, int counters, enum vertex_kind stream)
{
    struct gpu_counters *c = &dev->counters;
    cuda_publish(c->level + counters, c->published + counters, ++c->number, dev->stream.of[stream]);
}

/* Waits until the set `counters` has arrived in memory of the host. It must be the set that was published last, and
 * nothing may have been launched on `stream` since. Fails if a kernel failed. */
static enum status wait_published(struct device *dev, int counters, enum vertex_kind stream, struct error *e)
{
    const struct gpu_counters *c = &dev->counters;
    return CUDA_LAUNCHED(dev->where, e) == ST_OK
               ? gpu_wait_for_report(dev, &c->published[counters].report, c->number, stream, e)
               : e->status;
}

/* Copies the published counts of a kind of vertices to dev->frontier: the frontier's vertices, sources and edges, and
 * whether all were listed. Called once for each previsit, since it subtracts the sources from dev->frontier.unvisited. */
static void read_counts(struct device *dev, enum vertex_kind kind)
{
    const int ahead = kind == DELEGATES && gpu_dd_went_first(dev);
    const struct gpu_counts *counts = &dev->counters.published[ahead ? COUNTERS_DD_FIRST : COUNTERS_OF_LEVEL].of[kind];
    struct gpu_frontier *f = &dev->frontier;
    f->fresh[kind] = counts->fresh;
    f->listed[kind] = counts->places_reserved == counts->fresh && counts->places_reserved <= SEARCH_LISTED;
    for (int to = 0; to < VERTEX_KINDS; to++) {
        enum subgraph g = subgraph_between(kind, (enum vertex_kind)to);
        f->sources[g] = counts->sources[to];
        f->forward[g] = counts->forward[to];
        f->unvisited[g] -= counts->sources[to];
    }
}

/* Returns the counts from which the direction of a visit of g is chosen. The vertices that the visit can find are the
 * unvisited sources of the reverse subgraph. */
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

/* Launches the previsit of one kind of vertices on its stream. It reads found normals in `next`, and found delegates in the
 * bitmap masks.next_input, which becomes `next` again behind it. If dd is visited before the normals have arrived, the
 * delegates are counted in COUNTERS_DD_FIRST. */
static void previsit_kind(struct device *dev, enum vertex_kind kind, int32_t depth)
{
    const int ahead = kind == DELEGATES && gpu_dd_went_first(dev);
    struct gpu_level *level = dev->counters.level + (ahead ? COUNTERS_DD_FIRST : COUNTERS_OF_LEVEL);
    struct gpu_previsit p = {.vertices = dev->of[kind],
                             .depth = depth,
                             .capacity = SEARCH_LISTED,
                             .counts = &level->of[kind]};
    for (int to = 0; to < VERTEX_KINDS; to++)
        p.csr[to] = dev->csr[subgraph_between(kind, (enum vertex_kind)to)];
    if (kind == DELEGATES)
        p.vertices.next = dev->masks.next_input;
    cuda_previsit(&p, dev->stream.of[kind]);
    if (kind == DELEGATES)
        dev->masks.next_input = dev->of[DELEGATES].next;
}

/* Launches the previsits of these kinds of vertices, and the copy of their counters to the host. The host does not wait.
 * - BOTH_KINDS: before the previsits each stream waits for the other one. Behind them the stream of the normals waits for that
 *   of the delegates. Without delegates, this waiting is only needed in level 0.
 * - ONLY_DELEGATES, and later ONLY_NORMALS: no stream waits. Normals still arrive while the delegates' stream visits dd. */
enum status gpu_previsit(struct device *dev, enum vertex_kinds kinds, int32_t depth, struct error *e)
{
    const int join = kinds == BOTH_KINDS && (depth == 0 || dev->of[DELEGATES].count > 0);
    dev->frontier.previsited = kinds;
    if (gpu_use(dev, e) != ST_OK || (join && follow(dev, NORMALS, DELEGATES, e) != ST_OK) ||
        (join && follow(dev, DELEGATES, NORMALS, e) != ST_OK))
        return e->status;
    if (kinds == ONLY_DELEGATES) {
        previsit_kind(dev, DELEGATES, depth);
        publish(dev, COUNTERS_DD_FIRST, DELEGATES);
        return CUDA_LAUNCHED(dev->where, e);
    }
    time_begin(dev, PHASE_PREVISIT, NORMALS);
    if (kinds == BOTH_KINDS)
        previsit_kind(dev, DELEGATES, depth);
    previsit_kind(dev, NORMALS, depth);
    if (CUDA_LAUNCHED(dev->where, e) != ST_OK || (join && follow(dev, NORMALS, DELEGATES, e) != ST_OK))
        return e->status;
    time_end(dev, PHASE_PREVISIT, NORMALS);
    publish(dev, COUNTERS_OF_LEVEL, NORMALS);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Waits for the last previsit, copies its counts to dev->frontier, and fills *work: only work->of[DD] after ONLY_DELEGATES,
 * everything else after ONLY_NORMALS, and everything after BOTH_KINDS. If the previsit did not list the whole frontier,
 * `forward`, the number of the frontier's edges, is only a lower bound. ST_BAD_DATA: another shard sent a vertex that this
 * shard does not have. */
enum status gpu_counts(struct device *dev, struct workload *work, struct error *e)
{
    const struct gpu_frontier *f = &dev->frontier;
    const int only_delegates = f->previsited == ONLY_DELEGATES;
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    if (only_delegates) {
        if (wait_published(dev, COUNTERS_DD_FIRST, DELEGATES, e) == ST_OK)
            read_counts(dev, DELEGATES);
        work->of[DD] = work_of(dev, DD);
        return e->status;
    }
    if (wait_published(dev, COUNTERS_OF_LEVEL, NORMALS, e) != ST_OK)
        return e->status;
    if (dev->counters.published->bad_ids != 0)
        return fail(e, ST_BAD_DATA, "%s: nn: another shard sent a vertex this one does not have",
                    container_path(dev->shard->file));
    if (!gpu_dd_went_first(dev))
        read_counts(dev, DELEGATES);
    read_counts(dev, NORMALS);
    work->fresh = f->fresh[DELEGATES] + f->fresh[NORMALS];
    work->delegates = f->fresh[DELEGATES];
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (g != DD || !gpu_dd_went_first(dev))
            work->of[g] = work_of(dev, (enum subgraph)g);
    }
    return ST_OK;
}

/* Sets work->of[g].forward to the exact number of edges of the frontier for each subgraph g with exact[g], and waits. Launches
 * nothing for a subgraph whose frontier was listed whole, because then this number is exact already. */
enum status gpu_count_edges(struct device *dev, const int exact[SUBGRAPHS], struct workload *work, struct error *e)
{
    const int only_delegates = dev->frontier.previsited == ONLY_DELEGATES;
    const int counters = only_delegates ? COUNTERS_DD_FIRST : COUNTERS_OF_LEVEL;
    const enum vertex_kind stream = only_delegates ? DELEGATES : NORMALS;
    int counted[SUBGRAPHS], any = 0;
    for (int g = 0; g < SUBGRAPHS; g++) {
        counted[g] = exact[g] && !dev->frontier.listed[subgraph_rows((enum subgraph)g)];
        any |= counted[g];
    }
    if (!any || gpu_use(dev, e) != ST_OK)
        return e->status;
    for (int i = 0; i < SUBGRAPHS; i++) {
        const enum subgraph g = (enum subgraph)i;
        const enum vertex_kind kind = subgraph_rows(g);
        unsigned long long *forward = &dev->counters.level[counters].of[kind].forward[subgraph_columns(g)];
        if (counted[g])
            cuda_count_forward(&dev->of[kind], &dev->csr[g], forward, dev->stream.of[stream]);
    }
    publish(dev, counters, stream);
    wait_published(dev, counters, stream, e);
    for (int i = 0; i < SUBGRAPHS && e->status == ST_OK; i++) {
        const enum subgraph g = (enum subgraph)i;
        if (counted[g])
            work->of[g].forward = dev->counters.published[counters].of[subgraph_rows(g)].forward[subgraph_columns(g)];
    }
    return e->status;
}

/* ---- visits ---- */

/* Returns the counters of a visit of g: COUNTERS_DD_FIRST if it is the visit of dd before the previsit of the normals. */
static struct gpu_level *counters_of(const struct device *dev, enum subgraph g)
{
    return dev->counters.level + (g == DD && gpu_dd_went_first(dev) ? COUNTERS_DD_FIRST : COUNTERS_OF_LEVEL);
}

/* Returns where a visit of g puts the vertices that it finds: vertices of this shard in the bitmap `next` of their kind, and
 * vertices of other shards in the list of codes or in the bitmap sent_mask. */
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

/* Launches a push along g, from the vertices in the queue. If the queue does not have the whole frontier, it is first filled
 * with the frontier's vertices that have edges of g. */
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
        cuda_fill_queue(v, dev->csr[g].sources, &counters->listed[g], stream);
    cuda_push(&dev->csr[g], &sparse, &target, &sharing, stream);
}

/* Launches a pull of some rows of dd: the unvisited delegates that are set in the bitmap `rows` look for a visited
 * column. Launches nothing if no delegate of the frontier has edges of dd. */
static void pull_dd_rows(struct device *dev, const uint32_t *rows)
{
    struct gpu_target target = target_of(dev, DD);
    struct gpu_csr csr = *gpu_pull_rows(dev, DD);
    csr.sources = rows;
    if (dev->frontier.sources[DD] > 0)
        cuda_pull_rows(&csr, &target, dev->of[DELEGATES].visited, dev->stream.of[DELEGATES]);
}

/* Launches the visit of g, a push or a pull as chosen, on the stream of the vertices that g finds. Launches nothing if the
 * frontier has no edges of g. A pull looks in the bitmap of visited vertices, not in the frontier. It finds the same
 * neighbours, because an unvisited vertex has no neighbour that was visited before the frontier. With several shards a pull of
 * nn first gathers the visited bits of all shards. */
static enum status visit_subgraph(struct device *dev, enum subgraph g, const struct directions *directions,
                                  struct error *e)
{
    enum vertex_kind kind = subgraph_columns(g);
    enum phase phase = (enum phase)(PHASE_VISIT + (int)g);
    cudaStream_t stream = dev->stream.of[kind];
    int gathers = g == NN && dev->shard->p > 1 && directions->of[g] == PULL;
    if (dev->frontier.sources[g] == 0 && !gathers) /* a pull of nn also looks in the frontiers of other shards */
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

/* Returns whether both subgraphs with this kind of rows are pushed, and each of the pushes must fill the queue of this kind.
 * Such pushes must not run at the same time on two streams. */
static int share_a_queue(const struct device *dev, enum vertex_kind rows, const struct directions *directions)
{
    return !dev->frontier.listed[rows] &&
           directions->of[subgraph_between(rows, NORMALS)] == PUSH &&
           directions->of[subgraph_between(rows, DELEGATES)] == PUSH;
}

/* Launches the visits of dn and nn on the stream of the normals and, with several shards, records VISIT_EVENT behind
 * them. Vertices of other shards become bits of sent_mask, or a list that is sorted into bins. */
static enum status visit_normals(struct device *dev, const struct visit_plan *plan, struct error *e)
{
    struct gpu_traffic *t = &dev->traffic;
    cudaStream_t stream = dev->stream.of[NORMALS];
    t->form = plan->form;
    t->binned = dev->shard->p > 1 && dev->frontier.sources[NN] > 0 && plan->directions.of[NN] == PUSH;
    if (t->binned && t->form == OUTGOING_MASK)
        CUDA_TRY(cudaMemsetAsync(t->sent_mask, 0, t->sent_mask_bytes, stream), dev->where, e);
    if (e->status != ST_OK || visit_subgraph(dev, DN, &plan->directions, e) != ST_OK ||
        visit_subgraph(dev, NN, &plan->directions, e) != ST_OK)
        return e->status;
    if (t->binned && t->form == OUTGOING_LIST) {
        time_begin(dev, PHASE_BINS, NORMALS);
        /* the edges of vertices that the previsit did not list were not counted, so then there is no bound for the codes */
        cuda_bin(&t->bins, dev->frontier.listed[NORMALS] ? dev->frontier.forward[NN] : UINT64_MAX, stream);
        time_end(dev, PHASE_BINS, NORMALS);
        CUDA_LAUNCHED(dev->where, e);
    }
    if (dev->shard->p > 1 && e->status == ST_OK)
        CUDA_TRY(cudaEventRecord(dev->stream.event[VISIT_EVENT], stream), dev->where, e);
    return e->status;
}

/* Launches the first part of a pull of dd: the delegates that this device owns look for parents. Records the event
 * first_part, for which peers wait before they read the found delegates. */
static enum status pull_own_rows(struct device *dev, struct error *e)
{
    time_begin(dev, (enum phase)(PHASE_VISIT + (int)DD), DELEGATES);
    pull_dd_rows(dev, dev->traffic.peers.own);
    if (CUDA_LAUNCHED(dev->where, e) == ST_OK)
        CUDA_TRY(cudaEventRecord(dev->stream.first_part, dev->stream.of[DELEGATES]), dev->where, e);
    return e->status;
}

/* Launches the visits of nd, on the stream of the delegates, and of dn and nn, on the stream of the normals. If dd is pulled in
 * two parts, nd is left to VISIT_REST, and the host waits for the first part unless the GPUs of peers can wait for it. */
static enum status visit_others(struct device *dev, const struct visit_plan *plan, struct error *e)
{
    const struct directions *directions = &plan->directions;
    if (plan->divides_dd)
        return visit_normals(dev, plan, e) == ST_OK ? gpu_host_waits_for(dev, dev->stream.first_part, e) : e->status;
    const int apart = share_a_queue(dev, DELEGATES, directions) || share_a_queue(dev, NORMALS, directions);
    if (visit_subgraph(dev, ND, directions, e) != ST_OK || (apart && follow(dev, NORMALS, DELEGATES, e) != ST_OK))
        return e->status;
    return visit_normals(dev, plan, e);
}

/* Launches the second part of a pull of dd, for the delegates that other devices own, and then the visit of nd. First
 * adds the delegates that peers found in the first part to `next`, so that the second part does not look for them. */
static enum status visit_rest(struct device *dev, const struct directions *directions, struct error *e)
{
    /* after gpu_know_mask `next` has these delegates already */
    if (!dev->masks.has_known && gpu_take_peers_updates(dev, e) != ST_OK)
        return e->status;
    pull_dd_rows(dev, dev->traffic.peers.others);
    time_end(dev, (enum phase)(PHASE_VISIT + (int)DD), DELEGATES);
    if (CUDA_LAUNCHED(dev->where, e) != ST_OK ||
        (share_a_queue(dev, NORMALS, directions) && follow(dev, DELEGATES, NORMALS, e) != ST_OK))
        return e->status;
    return visit_subgraph(dev, ND, directions, e);
}

/* Launches a part of the level's visit: VISIT_DD is dd, and VISIT_OTHERS is nd, dn and nn. If dd is divided, VISIT_DD is
 * the rows of dd that this device owns, VISIT_OTHERS is dn and nn, and VISIT_REST is the other rows of dd, and nd. */
enum status gpu_visit(struct device *dev, const struct visit_plan *plan, enum visit_part part, struct error *e)
{
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    switch (part) {
    case VISIT_DD:
        return plan->divides_dd ? pull_own_rows(dev, e) : visit_subgraph(dev, DD, &plan->directions, e);
    case VISIT_OTHERS:
        return visit_others(dev, plan, e);
    default:
        return visit_rest(dev, &plan->directions, e);
    }
}

/* ---- the end of a level ---- */

/* Waits for the stream of the delegates only. Sets result->found_delegates to whether the visits of dd and nd in this level
 * found a delegate. If dd was visited first, this is told by two sets of counters. 0 with one shard or without delegates. */
static enum status finish_delegates(struct device *dev, struct visit_result *result, struct error *e)
{
    struct gpu_counters *c = &dev->counters;
    cudaStream_t stream = dev->stream.of[DELEGATES];
    const int none = dev->shard->p == 1 || dev->of[DELEGATES].count == 0;
    const int kinds = none ? 0 : gpu_dd_went_first(dev) ? GPU_COUNTERS_KINDS : 1;
    c->updated[COUNTERS_DD_FIRST] = 0;
    for (int i = 0; i < kinds; i++)
        CUDA_TRY(cudaMemcpyAsync(&c->updated[i], &c->level[i].found[DELEGATES], sizeof *c->updated,
                                 cudaMemcpyDeviceToHost, stream),
                 dev->where, e);
    if (e->status == ST_OK && gpu_wait(dev, stream, e) == ST_OK)
        result->found_delegates = c->updated[COUNTERS_OF_LEVEL] != 0 || c->updated[COUNTERS_DD_FIRST] != 0;
    return e->status;
}

/* Returns the vertices of shard `shard` that this level's visit of nn found: the ids in the shard's bin, or its words of
 * sent_mask. The span is empty for the own shard, and in levels that did not push nn. */
static struct vertex_span outgoing_span(const struct device *dev, uint32_t shard)
{
    const struct gpu_traffic *t = &dev->traffic;
    const unsigned long long *begin = t->bins.published + shard;
    const uint64_t shard_words = (UINT64_C(1) << dev->shard->local_bits) / 32;
    if (!t->binned || shard == dev->shard->index)
        return (struct vertex_span){0};
    if (t->form == OUTGOING_MASK)
        return (struct vertex_span){t->sent_mask + shard * shard_words, shard * shard_words, shard_words, OUTGOING_MASK};
    return (struct vertex_span){t->bins.ids + begin[0], begin[0], begin[1] - begin[0], OUTGOING_LIST};
}

/* Waits for the visits of a level, and fills *result. With ONLY_DELEGATES waits for dd and nd, and sets found_delegates only.
 * Otherwise waits for all visits, copies the counters to the host, after which they are zero on the device, and sets
 * found_delegates, found, outgoing[p] and, if phases are timed, the times. */
enum status gpu_finish(struct device *dev, enum vertex_kinds kinds, struct visit_result *result, struct error *e)
{
    struct gpu_counters *c = &dev->counters;
    const int levels = gpu_dd_went_first(dev) ? GPU_COUNTERS_KINDS : 1;
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    if (kinds == ONLY_DELEGATES)
        return finish_delegates(dev, result, e);
    if (dev->of[DELEGATES].count > 0 && follow(dev, NORMALS, DELEGATES, e) != ST_OK)
        return e->status;
    for (int i = 0; i < levels; i++)
        publish(dev, i, NORMALS);
    if (wait_published(dev, levels - 1, NORMALS, e) != ST_OK)
        return e->status;
    result->found_delegates = 0;
    for (int i = 0; i < levels; i++)
        result->found_delegates |= c->published[i].found[DELEGATES] != 0;
    result->found = c->published->found[NORMALS] != 0;
    for (uint32_t s = 0; dev->shard->p > 1 && s < dev->shard->p; s++)
        result->outgoing[s] = outgoing_span(dev, s);
    return dev->clock.runs ? gpu_times(dev, &result->times, e) : ST_OK;
}
