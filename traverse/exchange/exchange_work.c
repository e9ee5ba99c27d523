/* exchange_work.c: what devices agree on before a visit: directions, and the form in which vertices of nn are sent; see
 * exchange.h */
#include "exchange.h"

#include <string.h>

/* ---- sums of work ---- */

/* Returns where the work of a device of this rank is kept. The whole group sees this memory. */
struct workload *exchange_work(const struct exchange *x, uint32_t device)
{
    return &x->group.work[x->group.first + device];
}

/* Sets *total to the sum of the work of all devices of the group for subgraph g. Called after a barrier of the group. */
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

/* Returns an estimate of the number of edges of a frontier in subgraph g. The estimate is the number of the frontier's
 * rows times the mean length of this rank's rows. work->forward is a lower bound of the number, and is returned if it is
 * larger than the estimate. */
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

/* Returns whether any group may divide dd in a level that begins with dd. Two conditions must hold. There are several
 * groups. The masks of the last level were sent whole, so the frontier has many delegates. All ranks get the same result. */
static int dd_may_have_parts(const struct exchange *x)
{
    return !x->group.holds_all_shards && x->level.updated && !x->masks.is_sparse &&
           x->rank->graph->manifest.d > x->rank->backend->part_rows;
}

/* Returns whether a pull of dd is divided into two parts. A group of several devices that holds all shards always divides
 * dd. With several groups dd is divided only if the level begins with dd (`ahead`) and this group has many unvisited
 * rows. `dd`: the sum over the group. */
int exchange_has_parts(const struct exchange *x, int ahead, const struct subgraph_work *dd)
{
    if (x->group.holds_all_shards)
        return x->group.count > 1;
    return ahead && dd_may_have_parts(x) && dd->unvisited_targets > x->group.count * x->rank->backend->part_rows;
}

/* Collective. Makes up to two sums over all ranks:
 * - The work of nn, if the last level may have reached many normals. This sum replaces total->of[NN], the sum of this
 *   group.
 * - The number of groups that divide dd, if any group may divide dd. in_parts is set to whether the number is above 0.
 * All ranks agree on which sums are needed. If neither sum is needed, nothing is sent. Sets nn.reach and nn.everywhere.
 * Called by thread 0. */
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
    if (x->group.first > 0) /* only the first rank of a group adds the sums of its group */
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

/* Sets *total to the work of the group's devices, summed for all subgraphs. If the frontier of nn may be large, the work
 * of nn is summed over all groups. The member `delegates` of *total is not set. All threads call this function. Thread 0
 * sends the messages. */
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

/* Returns whether devices may search by themselves. The devices must hold all shards, and `join` must have allowed it.
 * With several devices no option may ask for a form of vertices. */
int exchange_is_fused(const struct exchange *x)
{
    return x->group.holds_all_shards && x->group.searches_fused &&
           (x->group.count == 1 || x->options.form == EXCHANGE_FORM_AUTO);
}

/* Returns whether the bits of bitmaps are fewer than the 32-bit ids of lists have. `nn`: the summed work of some devices.
 * `bits`: the bits of all shards. Each of these devices gives or reads the bits of all shards but its own. A list has 32
 * bits for each edge, and an equal part of the edges leads to each shard. nn->forward may be a lower bound of the number
 * of edges, so it is raised to the expected number. */
static int bits_are_fewer(const struct exchange *x, const struct subgraph_work *nn, uint64_t bits)
{
    double edges = (double)x->rank->graph->manifest.edges[NN];
    double expected = x->nn.sources > 0 ? (double)nn->frontier * edges / (double)x->nn.sources : 0;
    double vertices = (double)nn->forward > expected ? (double)nn->forward : expected;
    /* the number of devices in the sum `nn` */
    const uint32_t devices = x->nn.everywhere ? x->rank->graph->manifest.p : x->group.count;
    return 32 * vertices > (double)devices * (double)bits;
}

/* Returns whether the choice between lists and bitmaps needs FV, the number of edges of the frontier. A list is at least
 * as long as the frontier. So a large frontier makes lists longer than bitmaps for every FV. `nn`: the work of one
 * device. */
int exchange_needs_forward(const struct exchange *x, const struct subgraph_work *nn)
{
    return x->options.form == EXCHANGE_FORM_AUTO && x->has_bitmaps && nn->frontier > 0 &&
           nn->frontier * 32 <= x->group.count * x->nn.normals;
}

/* Returns whether nn may be pulled. The frontiers of nn must be possible to give to all devices. The frontiers must also
 * have fewer bits than the lists of a push, unless the option asks for bitmaps. */
int exchange_may_pull_nn(const struct exchange *x, const struct subgraph_work *nn)
{
    if (!x->has_bitmaps || (!x->group.holds_all_shards && !x->nn.everywhere))
        return 0;
    return x->options.form == EXCHANGE_FORM_BITS ||
           bits_are_fewer(x, nn, x->nn.everywhere ? x->nn.bits : x->nn.normals);
}

/* Returns the form of the vertices that a push of nn finds. The form is bitmaps if bitmaps are possible, and if they have
 * fewer bits than lists or the option wants bitmaps. Otherwise the form is lists. */
enum outgoing_form exchange_form_of(const struct exchange *x, const struct subgraph_work *nn)
{
    if (!x->has_bitmaps)
        return OUTGOING_LIST;
    if (x->options.form == EXCHANGE_FORM_BITS)
        return OUTGOING_MASK;
    return bits_are_fewer(x, nn, x->nn.normals) ? OUTGOING_MASK : OUTGOING_LIST;
}
