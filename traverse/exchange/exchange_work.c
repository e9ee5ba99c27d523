/* exchange_work.c: sums the counts of several devices before a visit, and chooses how vertices of nn are sent
 * (exchange.h) */
#include "exchange.h"

#include <string.h>

/* ---- sums of work ---- */

/* Sums the counts of the group's devices for g. Called after a barrier of the group. */
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

/* Estimates the edges of a frontier in g as its rows times the mean length of this rank's rows. work->forward is a
 * lower bound, so the larger of the two is returned. */
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

/* Returns whether any group may divide a pull of dd in a level that begins with dd. This pays only if the frontier has
 * many delegates, as is the case if the last level sent masks whole. All ranks get the same result. */
static int dd_may_have_parts(const struct exchange *x)
{
    return !x->group.holds_all_shards && x->level.updated && !x->masks.is_sparse &&
           x->rank->graph->manifest.d > x->rank->backend->part_rows;
}

/* Returns whether a pull of dd is divided into two parts. Peers that hold all shards always divide it, because they
 * need only a barrier between the parts. With several groups a level must begin with dd (`ahead`), and this group must
 * have many rows left to pull. `dd` has the summed counts of the group. */
int exchange_has_parts(const struct exchange *x, int ahead, const struct subgraph_work *dd)
{
    if (x->group.holds_all_shards)
        return x->group.count > 1;
    return ahead && dd_may_have_parts(x) && dd->unvisited_targets > x->group.count * x->rank->backend->part_rows;
}

/* Collective, called by thread 0. Makes up to two sums over all ranks. The counts of nn are summed if the last level may
 * have reached many normals. If any group may divide a pull of dd, the groups that do are counted, and any_divides_dd becomes
 * whether there is one. All ranks agree on which sums are needed. Also sets nn.reach. */
static void sum_groups(struct exchange *x, struct workload *total)
{
    struct subgraph_work *nn = &total->of[NN];
    uint64_t sum[] = {nn->forward,           nn->frontier,
                      nn->unvisited_sources, nn->unvisited_targets,
                      (uint64_t)nn->cost[PUSH], (uint64_t)nn->cost[PULL],
                      (uint64_t)x->own_divides_dd};
    x->nn.reach = expected_edges(x->rank, NN, nn) + expected_edges(x->rank, DN, &total->of[DN]);
    x->nn.is_over_all_ranks = x->level.may_reach_many && x->vertices.frontiers.bytes != NULL;
    x->any_divides_dd = 0;
    if (!x->nn.is_over_all_ranks && !dd_may_have_parts(x))
        return;
    if (x->group.first_peer > 0) /* only the first rank of a group adds the sums of its group */
        memset(sum, 0, sizeof sum);
    comm_sum_u64(x->rank->comm, sum, sizeof sum / sizeof *sum);
    x->any_divides_dd = sum[6] > 0;
    if (x->nn.is_over_all_ranks)
        *nn = (struct subgraph_work){.forward = sum[0],
                                     .frontier = sum[1],
                                     .unvisited_sources = sum[2],
                                     .unvisited_targets = sum[3],
                                     .cost = {[PUSH] = (double)sum[4], [PULL] = (double)sum[5]}};
}

/* Sums the counts of the group's devices into *total, but does not set total->delegates. If the frontier of nn may be large,
 * the counts of nn are those of all groups. All threads call this function, and thread 0 sends. */
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

/* Returns whether devices may search by themselves: the group holds all shards, all devices can (backend.join), and no
 * option prescribes the form of vertices, which does not matter to a single device; or messages are relayed, of whose form nobody
 * counts the vertices between ranks. */
int exchange_is_fused(const struct exchange *x)
{
    return (x->relay.searches_fused && x->pairs == NULL) || (x->group.holds_all_shards && x->group.searches_fused && !x->options.stepped &&
                             (x->group.count == 1 || x->options.form == EXCHANGE_FORM_AUTO));
}

/* Returns whether bitmaps have fewer bits than lists. `nn` has the summed counts of some devices. Each of them gives or
 * reads `bits` bits if bitmaps are used; lists have 32 bits for each edge of the frontier. Its own shard needs neither, but
 * that shrinks both alike. nn->forward may be a lower bound, so the expected number of edges is used if it is larger. */
static int bits_are_fewer(const struct exchange *x, const struct subgraph_work *nn, uint64_t bits)
{
    double edges = (double)x->rank->graph->manifest.edges[NN];
    double expected = x->nn.sources > 0 ? (double)nn->frontier * edges / (double)x->nn.sources : 0;
    double vertices = (double)nn->forward > expected ? (double)nn->forward : expected;
    /* the number of devices in the sum `nn` */
    const uint32_t devices = x->nn.is_over_all_ranks ? x->rank->graph->manifest.p : x->group.count;
    return 32 * vertices > (double)devices * (double)bits;
}

/* Returns whether the choice between lists and bitmaps needs FV, the number of the frontier's edges. It does not if the
 * frontier is so large that one id for each of its vertices has more bits than bitmaps have. `nn` has the counts of one
 * device. */
int exchange_needs_forward(const struct exchange *x, const struct subgraph_work *nn)
{
    return x->options.form == EXCHANGE_FORM_AUTO && x->has_bitmaps && nn->frontier > 0 &&
           nn->frontier * 32 <= x->group.count * x->nn.normals;
}

/* Returns whether nn may be pulled: all devices can get the frontiers, and either these have fewer bits than the lists
 * of a push, or the option asks for bitmaps. */
int exchange_may_pull_nn(const struct exchange *x, const struct subgraph_work *nn)
{
    if (!x->has_bitmaps || (!x->group.holds_all_shards && !x->nn.is_over_all_ranks))
        return 0;
    return x->options.form == EXCHANGE_FORM_BITS ||
           bits_are_fewer(x, nn, x->nn.is_over_all_ranks ? x->nn.bits : x->nn.normals);
}

/* Returns bitmaps if they are possible, and have fewer bits than lists or are asked for; else lists. */
enum outgoing_form exchange_form_of(const struct exchange *x, const struct subgraph_work *nn)
{
    if (!x->has_bitmaps)
        return OUTGOING_LIST;
    if (x->options.form == EXCHANGE_FORM_BITS)
        return OUTGOING_MASK;
    return bits_are_fewer(x, nn, x->nn.normals) ? OUTGOING_MASK : OUTGOING_LIST;
}
