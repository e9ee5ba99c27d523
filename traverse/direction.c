/* direction.c: see direction.h */
#include "direction.h"

/* factor0: the paper's values for RMAT, section VI-B. factor1: the paper never turns back on RMAT;
 * graphs with long tails need it, see NOTES.md. */
const struct direction_policy direction_defaults = {
    .mode = DIRECTION_AUTO,
    .factor0 = {[NN] = 0, [ND] = 1e-7, [DN] = 0.05, [DD] = 0.5},
    .factor1 = {[NN] = 0, [ND] = 0, [DN] = 0, [DD] = 0},
};

static double backward_work(const struct subgraph_work *w)
{
    double q = (double)w->frontier, s = (double)w->unvisited_sources;
    return (double)w->unvisited_targets * (q + s) / q;
}

static int is_fixed(const struct direction_policy *policy, enum subgraph g,
                    const struct subgraph_work *work)
{
    return g == NN || policy->mode != DIRECTION_AUTO || work->frontier == 0;
}

int direction_needs_forward(const struct direction_policy *policy, enum subgraph g,
                            const struct subgraph_work *work, enum direction current)
{
    if (is_fixed(policy, g, work))
        return 0;
    double backward = backward_work(work), least = (double)work->frontier;
    if (current == PUSH)
        return !(least > policy->factor0[g] * backward);
    return least < policy->factor1[g] * backward;
}

enum direction choose_direction(const struct direction_policy *policy, enum subgraph g,
                                const struct subgraph_work *work, enum direction current)
{
    if (g == NN || policy->mode == DIRECTION_PUSH)
        return PUSH;
    if (policy->mode == DIRECTION_PULL)
        return PULL;
    if (work->frontier == 0)
        return current; /* nothing to visit either way */
    double forward = (double)work->forward, backward = backward_work(work);
    if (current == PUSH && forward > policy->factor0[g] * backward)
        return PULL;
    if (current == PULL && forward < policy->factor1[g] * backward)
        return PUSH;
    return current;
}
