/* exchange_work.c: what a group must agree on before a visit: directions, and how nn's vertices are given away;
 * see exchange.h */
#include "exchange_internal.h"

#include <string.h>

void exchange_tell_work(struct exchange *x, uint32_t device, const struct workload *work)
{
    x->group.notes[x->group.first + device].work = *work;
}

void exchange_pool_work(const struct exchange *x, struct workload *pooled)
{
    memset(pooled, 0, sizeof *pooled);
    for (uint32_t i = 0; i < x->group.count; i++) {
        const struct workload *work = &x->group.notes[i].work;
        pooled->fresh += work->fresh;
        for (int g = 0; g < SUBGRAPHS; g++) {
            pooled->of[g].forward += work->of[g].forward;
            pooled->of[g].frontier += work->of[g].frontier;
            pooled->of[g].unvisited_sources += work->of[g].unvisited_sources;
            pooled->of[g].unvisited_targets += work->of[g].unvisited_targets;
        }
    }
}

int exchange_has_parts(const struct exchange *x)
{
    return x->group.count > 1;
}

static int has_masks(const struct exchange *x)
{
    return x->options.form != EXCHANGE_FORM_LIST && shard_has_masks(&x->rank->graph->shards[0]);
}

/* Whether a bit for each vertex is less than a list. Each device gives or reads the bits of all other shards,
 * while a list is as long as the edges are many, of which an equal part leads to each shard. `forward` may be
 * a lower bound. */
static int bits_are_fewer(const struct exchange *x, const struct subgraph_work *nn)
{
    double edges = (double)x->rank->graph->manifest.edges[NN];
    double expected = x->nn_sources > 0 ? (double)nn->frontier * edges / (double)x->nn_sources : 0;
    double vertices = (double)nn->forward > expected ? (double)nn->forward : expected;
    return 32 * vertices > (double)x->group.count * (double)x->normals;
}

/* A list is at least as long as its frontier. */
int exchange_needs_forward(const struct exchange *x, const struct subgraph_work *nn)
{
    return x->options.form == EXCHANGE_FORM_AUTO && has_masks(x) && nn->frontier > 0 &&
           nn->frontier * 32 <= x->group.count * x->normals;
}

int exchange_may_pull_nn(const struct exchange *x, const struct subgraph_work *nn)
{
    if (!has_masks(x) || !x->group.whole)
        return 0;
    return x->options.form == EXCHANGE_FORM_BITS || bits_are_fewer(x, nn);
}

enum outgoing_form exchange_form_of(const struct exchange *x, const struct subgraph_work *nn)
{
    if (!has_masks(x))
        return OUTGOING_LIST;
    if (x->options.form == EXCHANGE_FORM_BITS)
        return OUTGOING_MASK;
    return bits_are_fewer(x, nn) ? OUTGOING_MASK : OUTGOING_LIST;
}

enum status exchange_frontier(struct exchange *x, const struct member *m,
                              struct exchange_stats *stats, struct error *e)
{
    const struct rank *rank = x->rank;
    (void)stats;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        rank->backend->search->show_frontier(rank->devices[g], e);
    return group_meet(&x->group, m, e);
}
