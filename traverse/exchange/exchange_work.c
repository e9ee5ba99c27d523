/* exchange_work.c: agreements before a visit: directions, and how nn's vertices are given away; see exchange.h */
#include "exchange.h"

#include <string.h>

/* ---- sums of work ---- */

/* The shared place for the work of a device of this rank. */
struct workload *exchange_work(const struct exchange *x, uint32_t device)
{
    return &x->group.work[x->group.first + device];
}

/* Adds up the work of the group's devices for one subgraph. */
void exchange_sum(const struct exchange *x, enum subgraph g, struct subgraph_work *total)
{
    *total = (struct subgraph_work){0};
    for (uint32_t i = 0; i < x->group.count; i++) {
        const struct subgraph_work *work = &x->group.work[i].of[g];
        total->forward += work->forward;
        total->frontier += work->frontier;
        total->unvisited_sources += work->unvisited_sources;
        total->unvisited_targets += work->unvisited_targets;
        total->cost[PUSH] += work->cost[PUSH];
        total->cost[PULL] += work->cost[PULL];
    }
}

/* Edges of the frontier: its rows times their mean length, or `forward`, a lower bound, if more. */
static double expected_edges(const struct rank *rank, enum subgraph g, const struct subgraph_work *work)
{
    double edges = 0, sources = 0, forward = (double)work->forward;
    for (uint32_t i = 0; i < rank->device_count; i++) {
        edges += (double)rank->graph->shards[i].csr[g].edges;
        sources += (double)rank->graph->shards[i].csr[g].source_rows;
    }
    double expected = sources > 0 ? (double)work->frontier * edges / sources : 0;
    return forward > expected ? forward : expected;
}

/* Whether a level that begins with dd may have parts between groups: masks were sent whole, so that its frontier has many
 * delegates. All ranks know alike. */
static int dd_may_have_parts(const struct exchange *x)
{
    return !x->group.holds_all_shards && x->level.updated && !x->masks.is_sparse &&
           x->rank->graph->manifest.d > x->rank->backend->part_rows;
}

/* Whether a pull of dd is divided: always among several devices that hold all shards, else if its rows are many. */
int exchange_has_parts(const struct exchange *x, int ahead, const struct subgraph_work *dd)
{
    if (x->group.holds_all_shards)
        return x->group.count > 1;
    return ahead && dd_may_have_parts(x) && dd->unvisited_targets > x->group.count * x->rank->backend->part_rows;
}

/* Collective. Adds up nn's work over all ranks, but only if the last level may have reached many normals, and asks whether
 * dd of any group has parts, if it may. All ranks know alike whether to do so. */
static void sum_groups(struct exchange *x, struct workload *total)
{
    struct subgraph_work *nn = &total->of[NN];
    uint64_t sum[] = {nn->forward,           nn->frontier,
                      nn->unvisited_sources, nn->unvisited_targets,
                      (uint64_t)nn->cost[PUSH], (uint64_t)nn->cost[PULL],
                      (uint64_t)x->in_parts};
    x->nn.reach = expected_edges(x->rank, NN, nn) + expected_edges(x->rank, DN, &total->of[DN]);
    x->nn.everywhere = x->level.wide && x->vertices.frontiers != NULL;
    if (!x->nn.everywhere && !dd_may_have_parts(x))
        return;
    if (x->group.first > 0) /* one rank of each group adds the sums of its group */
        memset(sum, 0, sizeof sum);
    comm_sum_u64(x->rank->comm, sum, sizeof sum / sizeof *sum);
    x->in_parts = sum[6] > 0;
    if (x->nn.everywhere)
        *nn = (struct subgraph_work){.forward = sum[0],
                                     .frontier = sum[1],
                                     .unvisited_sources = sum[2],
                                     .unvisited_targets = sum[3],
                                     .cost = {[PUSH] = (double)sum[4], [PULL] = (double)sum[5]}};
}

/* Adds up the work of the group's devices for all subgraphs; for nn, if worth it, over all groups. */
enum status exchange_sum_work(struct exchange *x, const struct host_thread *t, struct workload *total, struct error *e)
{
    total->fresh = 0;
    for (uint32_t i = 0; i < x->group.count; i++)
        total->fresh += x->group.work[i].fresh;
    for (int g = 0; g < SUBGRAPHS; g++)
        exchange_sum(x, (enum subgraph)g, &total->of[g]);
    if (x->group.holds_all_shards)
        return e->status;
    if (t->number == 0) {
        sum_groups(x, total);
        x->nn.work = total->of[NN];
    }
    if (host_threads_barrier(t, e) == ST_OK)
        total->of[NN] = x->nn.work;
    return e->status;
}

/* ---- bitmaps or lists ---- */

/* Whether devices may search by themselves: they hold all shards, and no form of vertices was asked for. */
int exchange_is_fused(const struct exchange *x)
{
    return x->group.holds_all_shards && x->group.searches_fused &&
           (x->group.count == 1 || x->options.form == EXCHANGE_FORM_AUTO);
}

/* Whether `bits` of all shards are fewer than the bits of lists, for the devices of the total `nn`. Each of these devices
 * gives or reads the bits of all other shards. A list has 32 bits for each edge, and an equal part of the edges leads to
 * each shard. `forward` may be a lower bound. */
static int bits_are_fewer(const struct exchange *x, const struct subgraph_work *nn, uint64_t bits)
{
    double edges = (double)x->rank->graph->manifest.edges[NN];
    double expected = x->nn.sources > 0 ? (double)nn->frontier * edges / (double)x->nn.sources : 0;
    double vertices = (double)nn->forward > expected ? (double)nn->forward : expected;
    const uint32_t devices = x->nn.everywhere ? x->rank->graph->manifest.p : x->group.count; /* in the total */
    return 32 * vertices > (double)devices * (double)bits;
}

/* A list is at least as long as its frontier, so a large frontier decides without FV. */
int exchange_needs_forward(const struct exchange *x, const struct subgraph_work *nn)
{
    return x->options.form == EXCHANGE_FORM_AUTO && x->has_bitmaps && nn->frontier > 0 &&
           nn->frontier * 32 <= x->group.count * x->nn.normals;
}

/* Whether the frontiers of nn can be given to all devices, and are fewer bits than the vertices of a push. */
int exchange_may_pull_nn(const struct exchange *x, const struct subgraph_work *nn)
{
    if (!x->has_bitmaps || (!x->group.holds_all_shards && !x->nn.everywhere))
        return 0;
    return x->options.form == EXCHANGE_FORM_BITS ||
           bits_are_fewer(x, nn, x->nn.everywhere ? x->nn.bits : x->nn.normals);
}

/* Chooses bitmaps for the vertices of a push of nn if they are fewer bits than lists. */
enum outgoing_form exchange_form_of(const struct exchange *x, const struct subgraph_work *nn)
{
    if (!x->has_bitmaps)
        return OUTGOING_LIST;
    if (x->options.form == EXCHANGE_FORM_BITS)
        return OUTGOING_MASK;
    return bits_are_fewer(x, nn, x->nn.normals) ? OUTGOING_MASK : OUTGOING_LIST;
}
