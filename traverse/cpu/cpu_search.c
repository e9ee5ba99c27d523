/* backend_cpu.c: the CPU backend: state, and the steps of a level put together (backend.h).
 *
 * It serves where there is no GPU and is the oracle of the GPU kernels: each of those has its twin
 * in cpu_previsit.c, cpu_push.c or cpu_pull.c.
 */
#include "traverse/backend.h"
#include "cpu_device.h"
#include "traverse/exchange/unique.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

static enum status take(struct device *dev, void **array, uint64_t count, uint64_t width,
                        const char *what, struct error *e)
{
    return memory_take(dev->budget, array, count, width, what, e);
}

static enum status take_delegate_arrays(struct device *dev, struct error *e)
{
    uint64_t d = dev->shard->d, words = mask_words(d);
    take(dev, (void **)&dev->visited_d, words, 8, "visited delegates", e);
    take(dev, (void **)&dev->incoming_d, words, 8, "reduced delegate mask", e);
    take(dev, (void **)&dev->frontier_d, words, 8, "delegate frontier", e);
    take(dev, (void **)&dev->updated_d, words, 8, "updated delegates", e);
    take(dev, (void **)&dev->fresh, words, 4, "delegate frontier list", e);
    take(dev, (void **)&dev->depth_d, d, 4, "delegate depths", e);
    if (dev->parents)
        take(dev, (void **)&dev->parent_d, d, 4, "delegate parents", e);
    return e->status;
}

static enum status take_normal_arrays(struct device *dev, struct error *e)
{
    uint64_t locals = dev->shard->locals, words = mask_words(locals);
    take(dev, (void **)&dev->visited_n, words, 8, "visited vertices", e);
    take(dev, (void **)&dev->pulled_n, words, 8, "pulled frontier", e);
    take(dev, (void **)&dev->pulled_next, words, 8, "next pulled frontier", e);
    take(dev, (void **)&dev->queue, locals, 4, "frontier queue", e);
    take(dev, (void **)&dev->next, locals, 4, "next frontier queue", e);
    take(dev, (void **)&dev->depth_n, locals, 4, "depths", e);
    if (dev->parents)
        take(dev, (void **)&dev->parent_n, locals, 4, "parents", e);
    return e->status;
}

static uint64_t most_rows(const struct device *dev)
{
    return dev->shard->locals > dev->shard->d ? dev->shard->locals : dev->shard->d;
}

static enum status take_scratch(struct device *dev, struct error *e)
{
    take(dev, (void **)&dev->push.rows, most_rows(dev), 4, "push rows", e);
    take(dev, (void **)&dev->push.prefix, most_rows(dev) + 1, 8, "push prefix sums", e);
    take(dev, (void **)&dev->push.row_start, (uint64_t)dev->threads, 8, "push shares", e);
    take(dev, (void **)&dev->push.edge_start, (uint64_t)dev->threads, 8, "push shares", e);
    take(dev, (void **)&dev->bins, (uint64_t)dev->threads * dev->shard->p, sizeof *dev->bins,
         "bins", e);
    return e->status;
}

static void cpu_close(struct device *dev)
{
    if (dev == NULL)
        return;
    uint64_t bins = (uint64_t)dev->threads * dev->shard->p;
    for (uint64_t i = 0; dev->bins != NULL && i < bins; i++)
        free(dev->bins[i].ids);
    memory_release(dev->budget, dev->visited_d);
    memory_release(dev->budget, dev->incoming_d);
    memory_release(dev->budget, dev->frontier_d);
    memory_release(dev->budget, dev->updated_d);
    memory_release(dev->budget, dev->fresh);
    memory_release(dev->budget, dev->depth_d);
    memory_release(dev->budget, dev->parent_d);
    memory_release(dev->budget, dev->visited_n);
    memory_release(dev->budget, dev->pulled_n);
    memory_release(dev->budget, dev->pulled_next);
    memory_release(dev->budget, dev->queue);
    memory_release(dev->budget, dev->next);
    memory_release(dev->budget, dev->depth_n);
    memory_release(dev->budget, dev->parent_n);
    memory_release(dev->budget, dev->push.rows);
    memory_release(dev->budget, dev->push.prefix);
    memory_release(dev->budget, dev->push.row_start);
    memory_release(dev->budget, dev->push.edge_start);
    memory_release(dev->budget, dev->bins);
    free(dev);
}

static enum status cpu_open(struct device **result, const struct shard *shard,
                            const struct device_options *options, struct error *e)
{
    *result = NULL;
    struct device *dev = calloc(1, sizeof *dev);
    if (dev == NULL)
        return fail_memory(e, "device", sizeof *dev);
    dev->shard = shard;
    dev->budget = options->budget;
    dev->threads = options->threads;
    dev->parents = options->parents;
    if (take_delegate_arrays(dev, e) != ST_OK || take_normal_arrays(dev, e) != ST_OK ||
        take_scratch(dev, e) != ST_OK) {
        cpu_close(dev);
        return e->status;
    }
    *result = dev;
    return ST_OK;
}

/* ---- a search ---- */

static void clear_bins(struct device *dev)
{
    uint64_t bins = (uint64_t)dev->threads * dev->shard->p;
    for (uint64_t i = 0; i < bins; i++)
        dev->bins[i].count = 0;
}

static enum status cpu_start(struct device *dev, const struct root *root, struct error *e)
{
    (void)e;
    uint64_t words_d = mask_words(dev->shard->d), words_n = mask_words(dev->shard->locals);
    memset(dev->visited_d, 0, 8 * words_d);
    memset(dev->incoming_d, 0, 8 * words_d);
    memset(dev->frontier_d, 0, 8 * words_d);
    memset(dev->updated_d, 0, 8 * words_d);
    memset(dev->visited_n, 0, 8 * words_n);
    dev->incoming = dev->updated = dev->pulled = 0;
    dev->queue_count = dev->next_count = dev->fresh_count = dev->pulled_count = 0;
    dev->fresh_listed = 1;
    if (dev->parents) {
        /* a delegate's parent is known only to the devices that found it: the others say none */
        memset(dev->parent_d, 0xff, 4 * dev->shard->d);
    }
    for (int g = 0; g < SUBGRAPHS; g++)
        dev->unvisited[g] = dev->shard->csr[g].source_rows;
    memset(dev->frontier, 0, sizeof dev->frontier);
    clear_bins(dev);
    if (root->at == ROOT_AT_DELEGATE) {
        set_mask_bit(dev->incoming_d, root->index);
        dev->incoming = 1;
        if (dev->parents)
            dev->parent_d[root->index] = PARENT_SELF;
    } else if (root->at == ROOT_AT_LOCAL && root->shard == dev->shard->index) {
        set_mask_bit(dev->visited_n, root->index);
        dev->depth_n[root->index] = 0;
        dev->next[dev->next_count++] = root->index;
        if (dev->parents)
            dev->parent_n[root->index] = PARENT_SELF;
    }
    return ST_OK;
}

/* The four numbers behind a choice; FV only where the choice rests on it. */
static void weigh(struct device *dev, enum subgraph g, const struct direction_policy *policy,
                  struct directions *directions, struct subgraph_work *work)
{
    /* the vertices that a visit of g would find are the sources of the reverse subgraph */
    static const enum subgraph reverse[SUBGRAPHS] = {[NN] = NN, [ND] = DN, [DN] = ND, [DD] = DD};
    *work = (struct subgraph_work){.forward = dev->frontier[g],
                                   .frontier = dev->frontier[g],
                                   .unvisited_sources = dev->unvisited[g],
                                   .unvisited_targets = dev->unvisited[reverse[g]]};
    if (g == NN && dev->shard->p > 1) {
        directions->of[g] = PUSH;
        return;
    }
    if (direction_needs_forward(policy, g, work, directions->of[g]))
        work->forward = count_forward(dev, g);
    directions->of[g] = choose_direction(policy, g, work, directions->of[g]);
}

static enum status cpu_previsit(struct device *dev, int32_t depth, struct error *e)
{
    (void)e;
    double start = cli_seconds();
    memset(&dev->times, 0, sizeof dev->times);
    dev->depth = depth;
    previsit_delegates(dev);
    previsit_normals(dev);
    count_frontier(dev);
    for (int g = 0; g < SUBGRAPHS; g++)
        dev->unvisited[g] -= dev->frontier[g];
    dev->times.part_s[PART_PREVISIT] = cli_seconds() - start;
    return ST_OK;
}

static enum status cpu_choose(struct device *dev, const struct direction_policy *policy,
                              struct directions *directions, struct workload *work,
                              struct error *e)
{
    (void)e;
    work->fresh = dev->fresh_count + dev->queue_count + dev->pulled_count;
    for (int g = 0; g < SUBGRAPHS; g++)
        weigh(dev, (enum subgraph)g, policy, directions, &work->of[g]);
    return ST_OK;
}

/* The time since `start` goes to the visit of g. Returns the time now. */
static double note_visit(struct device *dev, enum subgraph g, double start)
{
    double now = cli_seconds();
    dev->times.part_s[PART_VISIT + g] = now - start;
    return now;
}

static void visit_delegates(struct device *dev, const struct directions *directions)
{
    double start = cli_seconds();
    if (dev->frontier[DD] > 0) {
        if (directions->of[DD] == PULL)
            pull_dd(dev);
        else
            push_dd(dev);
        start = note_visit(dev, DD, start);
    }
    if (dev->frontier[ND] > 0) {
        if (directions->of[ND] == PULL)
            pull_nd(dev);
        else
            push_nd(dev);
        note_visit(dev, ND, start);
    }
}

static void visit_normals(struct device *dev, const struct directions *directions)
{
    /* nn last: after a pull of dn most of its destinations are visited, and it has little to do */
    uint64_t pulled = 0;
    double start = cli_seconds();
    dev->pulled_next_valid = 0;
    if (dev->frontier[DN] > 0) {
        if (directions->of[DN] == PULL)
            pulled += pull_dn(dev);
        else
            push_dn(dev);
        start = note_visit(dev, DN, start);
    }
    if (dev->frontier[NN] > 0) {
        if (directions->of[NN] == PULL)
            pulled += pull_nn(dev);
        else
            push_nn(dev);
        note_visit(dev, NN, start);
    }
    uint64_t *frontier = dev->pulled_next;
    dev->pulled_next = dev->pulled_n;
    dev->pulled_n = frontier;
    dev->pulled = dev->pulled_next_valid;
    dev->pulled_count = pulled;
}

static enum status cpu_visit(struct device *dev, const struct directions *directions,
                             struct error *e)
{
    visit_delegates(dev, directions);
    visit_normals(dev, directions);
    return dev->out_of_memory ? fail_memory(e, "bins of vertices for other shards", 0) : ST_OK;
}

static enum status cpu_finish_delegates(struct device *dev, struct error *e)
{
    (void)dev;
    return e->status;
}

static enum status cpu_finish(struct device *dev, uint64_t *found, struct error *e)
{
    (void)e;
    *found = dev->next_count + dev->pulled_count;
    return ST_OK;
}

static enum status cpu_times(struct device *dev, struct breakdown *times, struct error *e)
{
    (void)e;
    *times = dev->times;
    return ST_OK;
}

static enum status cpu_keep_updates(struct device *dev, struct error *e)
{
    (void)e;
    uint64_t *mask = dev->incoming_d;
    if (!dev->updated)
        return ST_OK;
    dev->incoming_d = dev->updated_d;
    dev->updated_d = mask;
    dev->incoming = 1;
    return ST_OK;
}

/* ---- exchange ---- */

static void *cpu_exchange_take(struct device *dev, size_t bytes)
{
    (void)dev;
    return malloc(bytes);
}

static void cpu_exchange_release(struct device *dev, void *memory)
{
    (void)dev;
    free(memory);
}

static uint64_t cpu_outgoing(const struct device *dev, uint32_t shard)
{
    uint64_t count = 0;
    for (int t = 0; t < dev->threads; t++)
        count += dev->bins[(size_t)t * dev->shard->p + shard].count;
    return count;
}

static enum status cpu_take_outgoing(struct device *dev, uint32_t shard, uint32_t *ids,
                                     struct error *e)
{
    (void)e;
    for (int t = 0; t < dev->threads; t++) {
        struct bin *bin = &dev->bins[(size_t)t * dev->shard->p + shard];
        if (bin->count > 0)
            memcpy(ids, bin->ids, bin->count * sizeof *ids);
        ids += bin->count;
        bin->count = 0;
    }
    return ST_OK;
}

static enum status cpu_uniquify(struct device *dev, struct outbox *boxes, uint32_t count,
                                struct error *e)
{
    (void)dev;
    (void)e;
    for (uint32_t i = 0; i < count; i++)
        boxes[i].count = unique_ids(boxes[i].ids, boxes[i].count);
    return ST_OK;
}

static enum status cpu_receive(struct device *dev, const uint32_t *ids, uint64_t count,
                               struct error *e)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t id = ids[i];
        if (id >= dev->shard->locals)
            return fail(e, ST_BAD_DATA, "%s: nn: another shard sent a vertex this one does not have",
                        container_path(dev->shard->file));
        if (mask_bit(dev->visited_n, id))
            continue;
        set_mask_bit(dev->visited_n, id);
        dev->depth_n[id] = dev->depth + 1;
        if (dev->parents)
            dev->parent_n[id] = PARENT_REMOTE;
        dev->next[dev->next_count++] = id;
    }
    return ST_OK;
}

static enum status receive_from(struct device *to, struct device *from, struct error *e)
{
    for (int t = 0; t < from->threads; t++) {
        struct bin *bin = &from->bins[(size_t)t * from->shard->p + to->shard->index];
        if (bin->count > 0 && cpu_receive(to, bin->ids, bin->count, e) != ST_OK)
            return e->status;
        bin->count = 0;
    }
    return ST_OK;
}

static enum status cpu_receive_local(struct device *dev, struct device *const *devices,
                                     uint32_t count, struct error *e)
{
    for (uint32_t i = 0; i < count; i++) {
        if (devices[i] != dev && receive_from(dev, devices[i], e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

static int cpu_updated(const struct device *dev)
{
    return dev->updated;
}

/* The first device reads for all of this rank: into the mask for the other ranks, or, where there
 * are none, into its own incoming mask. */
static enum status cpu_read_masks(struct device *dev, struct device *const *devices, uint32_t count,
                                  uint64_t *mask, struct error *e)
{
    (void)e;
    uint64_t words = mask_words(dev->shard->d);
    if (dev != devices[0])
        return ST_OK;
    if (mask == NULL)
        mask = dev->incoming_d;
    memset(mask, 0, 8 * words);
    for (uint32_t i = 0; i < count; i++) {
        for (uint64_t w = 0; devices[i]->updated && w < words; w++)
            mask[w] |= devices[i]->updated_d[w];
    }
    return ST_OK;
}

static enum status cpu_take_mask(struct device *dev, struct device *const *devices, uint32_t count,
                                 const uint64_t *mask, struct error *e)
{
    (void)count;
    (void)e;
    const uint64_t *from = mask != NULL ? mask : devices[0]->incoming_d;
    if (dev->incoming_d != from)
        memcpy(dev->incoming_d, from, 8 * mask_words(dev->shard->d));
    dev->incoming = 1;
    return ST_OK;
}

/* ---- results ---- */

static enum status cpu_depths(struct device *dev, int32_t *locals, int32_t *delegates,
                              struct error *e)
{
    (void)e;
#pragma omp parallel for num_threads(threads_for(dev, dev->shard->locals)) schedule(static)
    for (uint64_t i = 0; i < dev->shard->locals; i++)
        locals[i] = mask_bit(dev->visited_n, i) ? dev->depth_n[i] : DEPTH_UNREACHED;
#pragma omp parallel for num_threads(threads_for(dev, dev->shard->d)) schedule(static)
    for (uint64_t i = 0; i < dev->shard->d; i++)
        delegates[i] = mask_bit(dev->visited_d, i) ? dev->depth_d[i] : DEPTH_UNREACHED;
    return ST_OK;
}

static enum status cpu_parents(struct device *dev, uint32_t *locals, uint32_t *delegates,
                               struct error *e)
{
    (void)e;
    for (uint64_t i = 0; i < dev->shard->locals; i++)
        locals[i] = mask_bit(dev->visited_n, i) ? dev->parent_n[i] : PARENT_NONE;
    memcpy(delegates, dev->parent_d, 4 * dev->shard->d);
    return ST_OK;
}

const struct backend backend_cpu = {
    .name = "cpu",
    .reads_host_columns = 1,
    .open = cpu_open,
    .close = cpu_close,
    .start = cpu_start,
    .previsit = cpu_previsit,
    .choose = cpu_choose,
    .visit = cpu_visit,
    .finish_delegates = cpu_finish_delegates,
    .finish = cpu_finish,
    .times = cpu_times,
    .keep_updates = cpu_keep_updates,
    .exchange_take = cpu_exchange_take,
    .exchange_release = cpu_exchange_release,
    .outgoing = cpu_outgoing,
    .take_outgoing = cpu_take_outgoing,
    .uniquify = cpu_uniquify,
    .receive = cpu_receive,
    .receive_local = cpu_receive_local,
    .updated = cpu_updated,
    .read_masks = cpu_read_masks,
    .take_mask = cpu_take_mask,
    .host_take = malloc,
    .host_release = free,
    .depths = cpu_depths,
    .parents = cpu_parents,
};
