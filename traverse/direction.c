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

static enum direction choose(const struct direction_policy *policy, enum subgraph g,
                             const struct subgraph_work *w, enum direction current)
{
    if (g == NN || policy->mode == DIRECTION_PUSH)
        return PUSH;
    if (policy->mode == DIRECTION_PULL)
        return PULL;
    if (w->frontier == 0)
        return current; /* nothing to visit either way */
    double forward = (double)w->forward, backward = backward_work(w);
    if (current == PUSH && forward > policy->factor0[g] * backward)
        return PULL;
    if (current == PULL && forward < policy->factor1[g] * backward)
        return PUSH;
    return current;
}

void choose_directions(const struct direction_policy *policy, const struct workload *work,
                       struct directions *directions)
{
    for (int g = 0; g < SUBGRAPHS; g++)
        directions->of[g] = choose(policy, (enum subgraph)g, &work->of[g], directions->of[g]);
}
