/* direction.c: see direction.h */
#include "direction.h"

/* BV assumes that parents are placed at random. Every row lists its hubs first, so a pull ends sooner
 * than BV says: factors are below the paper's 0.5, 0.05, 1e-7 (section VI-B) for dd, dn, and above it
 * for nd, where graphs of many levels pay for pulling. The paper never turns back on RMAT; long
 * tails need it. Measured in NOTES.md. nn's are used only with one shard. */
const struct direction_policy direction_defaults = {
    .mode = DIRECTION_AUTO,
    .factor0 = {[NN] = 0.5, [ND] = 1e-2, [DN] = 5e-3, [DD] = 3e-2},
    .factor1 = {[NN] = 1e-2, [ND] = 1e-4, [DN] = 1e-4, [DD] = 1e-3},
};

double backward_work(const struct subgraph_work *w)
{
    double q = (double)w->frontier, s = (double)w->unvisited_sources;
    return (double)w->unvisited_targets * (q + s) / q;
}

static int is_fixed(const struct direction_policy *policy, const struct subgraph_work *work)
{
    return policy->mode != DIRECTION_AUTO || work->frontier == 0;
}

int direction_needs_forward(const struct direction_policy *policy, enum subgraph g,
                            const struct subgraph_work *work, enum direction current)
{
    if (is_fixed(policy, work))
        return 0;
    double backward = backward_work(work), least = (double)work->frontier;
    if (current == PUSH)
        return !(least > policy->factor0[g] * backward);
    return least < policy->factor1[g] * backward;
}

enum direction choose_direction(const struct direction_policy *policy, enum subgraph g,
                                const struct subgraph_work *work, enum direction current)
{
    if (policy->mode == DIRECTION_PUSH)
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
