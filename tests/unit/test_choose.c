/* test_choose.c: turns of a subgraph to pull and back: by factors (section IV-B of Pan et al.), and by cost */
#include "traverse/engine/choose.h"
#include "unit.h"

/* BV = |U| (q + s) / q = 100 (10 + 90) / 10 = 1000: pull above 500, push below 20. */
static const struct subgraph_work thousand = {
    .forward = 10, .frontier = 10, .unvisited_sources = 90, .unvisited_targets = 100};

static struct direction_policy policy_of(enum direction_mode mode, double factor0, double factor1)
{
    struct direction_policy policy = {.mode = mode};
    for (int g = 0; g < SUBGRAPHS; g++) {
        policy.factor0[g] = factor0;
        policy.factor1[g] = factor1;
    }
    return policy;
}

static int turns(const struct direction_policy *policy, struct subgraph_work work, uint64_t forward,
                 enum direction from, enum direction to)
{
    int all = 1;
    work.forward = forward;
    for (int g = 0; g < SUBGRAPHS; g++)
        all &= choose_direction(policy, (enum subgraph)g, &work, from) == to;
    return all;
}

static int needs(const struct direction_policy *policy, struct subgraph_work work,
                 enum direction current, int wanted)
{
    int all = 1;
    work.forward = work.frontier; /* the backend has not counted it yet */
    for (int g = 0; g < SUBGRAPHS; g++)
        all &= direction_needs_forward(policy, (enum subgraph)g, &work, current) == wanted;
    return all;
}

static void test_turns(void)
{
    struct direction_policy p = policy_of(DIRECTION_AUTO, 0.5, 0.02);
    report(turns(&p, thousand, 501, PUSH, PULL), "FV above factor0 BV turns to pull");
    report(turns(&p, thousand, 500, PUSH, PUSH), "FV of factor0 BV does not");
    report(turns(&p, thousand, 19, PULL, PUSH), "FV below factor1 BV turns back to push");
    report(turns(&p, thousand, 20, PULL, PULL), "FV of factor1 BV does not");
    report(turns(&p, thousand, 100, PUSH, PUSH) && turns(&p, thousand, 100, PULL, PULL),
           "between the two the direction stays as it is");

    struct direction_policy never = policy_of(DIRECTION_AUTO, 1e300, 0);
    report(turns(&never, thousand, UINT64_C(1) << 60, PUSH, PUSH), "a large factor0 never pulls");
    report(turns(&never, thousand, 10, PULL, PULL), "a factor1 of 0 never turns back");
    struct direction_policy always = policy_of(DIRECTION_AUTO, 0, 1e300);
    report(turns(&always, thousand, 10, PUSH, PULL), "a factor0 of 0 pulls at once");
    report(turns(&always, thousand, UINT64_C(1) << 60, PULL, PUSH),
           "a large factor1 turns back at once");
}

/* At factor0 0.5: the largest FV that pushes, and the next one, which pulls. */
static int turns_above(struct subgraph_work work, uint64_t limit, uint64_t next)
{
    struct direction_policy p = policy_of(DIRECTION_AUTO, 0.5, 0.02);
    return turns(&p, work, limit, PUSH, PUSH) && turns(&p, work, next, PUSH, PULL);
}

/* Changes each of the three counts in BV alone. */
static void test_backward_work(void)
{
    struct subgraph_work targets = thousand, sources = thousand, frontier = thousand;
    targets.unvisited_targets = 200;
    report(turns_above(targets, 1000, 1001), "twice |U|: twice BV");
    sources.unvisited_sources = 190;
    report(turns_above(sources, 1000, 1001), "q + s twice as large: twice BV");
    sources.unvisited_sources = 0;
    report(turns_above(sources, 50, 51), "no unvisited source: BV is |U|");
    frontier.frontier = 5;
    report(turns_above(frontier, 950, 951), "half of q: BV is |U| (5 + 90) / 5");
    targets.unvisited_targets = 0;
    struct direction_policy p = policy_of(DIRECTION_AUTO, 0.5, 0.02);
    report(turns(&p, targets, 10, PUSH, PULL) && turns(&p, targets, 10, PULL, PULL),
           "nothing to find: a pull costs nothing");
    struct subgraph_work large = {.frontier = UINT64_C(1) << 40,
                                  .unvisited_sources = UINT64_C(3) << 40,
                                  .unvisited_targets = UINT64_C(1) << 62};
    uint64_t half = UINT64_C(1) << 63;
    report(turns_above(large, half, half + 4096), "BV of 2^64 is no BV of 0");
}

/* Each subgraph has factors of its own. */
static void test_subgraphs(void)
{
    int own = 1;
    for (int g = 0; g < SUBGRAPHS; g++) {
        struct direction_policy p = policy_of(DIRECTION_AUTO, 1e300, 0);
        struct direction_policy back = policy_of(DIRECTION_AUTO, 1e300, 0);
        p.factor0[g] = 0;
        back.factor1[g] = 1e300;
        for (int other = 0; other < SUBGRAPHS; other++) {
            enum subgraph of = (enum subgraph)other;
            own &= (choose_direction(&p, of, &thousand, PUSH) == PULL) == (other == g);
            own &= (choose_direction(&back, of, &thousand, PULL) == PUSH) == (other == g);
        }
    }
    report(own, "the factors of one subgraph turn no other");
    int apart = direction_defaults.mode == DIRECTION_AUTO;
    for (int g = 0; g < SUBGRAPHS; g++)
        apart &= direction_defaults.factor1[g] < direction_defaults.factor0[g];
    report(apart, "by default FV at which a subgraph turns to pull does not turn it back");
}

static void test_fixed(void)
{
    static const enum direction current[] = {PUSH, PULL};
    struct direction_policy push = policy_of(DIRECTION_PUSH, 0, 0);
    struct direction_policy pull = policy_of(DIRECTION_PULL, 1e300, 1e300);
    struct direction_policy turning = policy_of(DIRECTION_AUTO, 0, 1e300);
    struct subgraph_work none = thousand;
    int pushes = 1, pulls = 1, stays = 1, uncounted = 1;
    none.frontier = none.forward = 0;
    for (int i = 0; i < 2; i++) {
        pushes &= turns(&push, thousand, 1000000, current[i], PUSH);
        pushes &= turns(&push, none, 0, current[i], PUSH);
        pulls &= turns(&pull, thousand, 10, current[i], PULL);
        pulls &= turns(&pull, none, 0, current[i], PULL);
        stays &= turns(&turning, none, 0, current[i], current[i]);
        uncounted &= needs(&push, thousand, current[i], 0);
        uncounted &= needs(&pull, thousand, current[i], 0);
        uncounted &= needs(&turning, none, current[i], 0);
    }
    report(pushes, "mode push always pushes");
    report(pulls, "mode pull always pulls");
    report(stays, "an empty frontier keeps the direction");
    report(uncounted, "modes push and pull, and an empty frontier, ask for no FV");
}

/* A choice may rest on q, the least possible FV, if every FV from q on gives the same choice; and it should, as
 * counting takes time. */
static int asks_where_it_matters(const struct direction_policy *p, struct subgraph_work work,
                                 enum direction current)
{
    work.forward = work.frontier;
    int asks = direction_needs_forward(p, DD, &work, current);
    enum direction by_bound = choose_direction(p, DD, &work, current);
    int differs = 0;
    for (uint64_t more = 0; more < 64; more++) {
        work.forward = (work.frontier << more % 32) + more / 32;
        differs |= choose_direction(p, DD, &work, current) != by_bound;
    }
    return asks == differs;
}

static void test_bound(void)
{
    struct direction_policy p = policy_of(DIRECTION_AUTO, 0.5, 0.02);
    struct subgraph_work work = thousand;
    report(needs(&p, work, PUSH, 1), "FV is asked for where q alone is no more than factor0 BV");
    report(needs(&p, work, PULL, 1), "or, pulling, less than factor1 BV");
    work.unvisited_targets = 1; /* BV is 10, the limits are 5 and 0.2 */
    report(needs(&p, work, PUSH, 0) && needs(&p, work, PULL, 0), "otherwise q decides");
    work.unvisited_targets = 2; /* BV is 20, the limit to pull 10 */
    report(needs(&p, work, PUSH, 1), "q of just factor0 BV does not decide");
    work.unvisited_targets = 50; /* BV is 500, the limit back 10 */
    report(needs(&p, work, PULL, 0), "q of just factor1 BV does");

    int same = 1;
    for (uint64_t q = 1; q < 12; q++) {
        for (uint64_t s = 0; s < 40; s += 3) {
            for (uint64_t u = 0; u < 40; u++) {
                struct subgraph_work any = {
                    .frontier = q, .unvisited_sources = s, .unvisited_targets = u};
                same &= asks_where_it_matters(&p, any, PUSH);
                same &= asks_where_it_matters(&p, any, PULL);
            }
        }
    }
    report(same, "FV is asked for exactly where it can change the choice");
}

/* ---- by cost ---- */

/* A graph of one subgraph dd: a million rows of 32 edges. */
static struct direction_costs new_costs(void)
{
    struct direction_costs costs = {.graph = {.edges = {[DD] = 32e6},
                                              .sources = {[DD] = 1e6},
                                              .pulled = {[DD] = {1e6, 32e6, 1, 1}},
                                              .words = {[DELEGATES] = 1e6 / 32},
                                              .rates = cost_rates_cpu}};
    return costs;
}

/* A frontier after which so many rows are left. */
static struct workload work_of(uint64_t rows, uint64_t edges, uint64_t left)
{
    struct workload work = {.fresh = rows};
    work.of[DD] = (struct subgraph_work){.forward = edges,
                                         .frontier = rows,
                                         .unvisited_sources = left,
                                         .unvisited_targets = left};
    return work;
}

static enum direction by_cost(const struct direction_costs *costs, const struct workload *work)
{
    struct direction_costs_of visit_costs = direction_costs_of(costs, DD, work);
    struct subgraph_work priced = {.cost = {[PUSH] = visit_costs.of[PUSH], [PULL] = visit_costs.of[PULL]}};
    return direction_by_cost(DIRECTION_AUTO, &priced);
}

static void test_prices(void)
{
    const struct cost_rates *r = &cost_rates_cpu;
    struct direction_costs costs = new_costs();
    struct workload work = work_of(1000, 32000, 999000);
    direction_costs_see(&costs, DD, &work.of[DD]);
    report(costs.seen_rows[DD] == 1000 && costs.seen_edges[DD] == 32000, "a frontier is seen");
    double found = 32000 * (32e6 - 32000) / 32e6;
    struct direction_costs_of visit_costs = direction_costs_of(&costs, DD, &work);
    double push = 1000 * r->push_row + 32000 * r->push_edge + found * r->found;
    report(visit_costs.of[PUSH] > push * 0.999 && visit_costs.of[PUSH] < push * 1.001,
           "a push costs rows, edges and what it finds");
    work.of[DD].unvisited_targets = 10;
    visit_costs = direction_costs_of(&costs, DD, &work);
    push = 1000 * r->push_row + 32000 * r->push_edge + 10 * r->found;
    report(visit_costs.of[PUSH] == push, "a push finds no more than there is to be found");
    work.of[DD].unvisited_targets = 999000;
    costs.overlap = 0.75;
    visit_costs = direction_costs_of(&costs, DD, &work);
    report(visit_costs.found > found * 0.2499 && visit_costs.found < found * 0.2501,
           "a push finds a vertex once that several edges lead to, as in the last level");
    visit_costs = direction_costs_of(&costs, NN, &work);
    report(visit_costs.of[PUSH] == 0 && visit_costs.of[PULL] == 0, "no frontier costs nothing");
    direction_costs_begin(&costs);
    report(costs.seen_rows[DD] == 0 && costs.seen_edges[DD] == 0 && costs.overlap == 0,
           "a new search has seen nothing");
}

static void test_cheaper(void)
{
    struct direction_costs costs = new_costs();
    struct workload few = work_of(100, 3200, 999900), many = work_of(300000, 9600000, 599900);
    struct workload last = work_of(10, 320, 599890);
    direction_costs_see(&costs, DD, &few.of[DD]);
    report(by_cost(&costs, &few) == PUSH, "a small frontier of an unvisited graph is pushed");
    direction_costs_see(&costs, DD, &many.of[DD]);
    report(by_cost(&costs, &many) == PULL, "a third of the graph is pulled");
    direction_costs_see(&costs, DD, &last.of[DD]);
    report(by_cost(&costs, &last) == PUSH, "a small frontier behind it is pushed again");
    struct direction_costs hubs = new_costs(), plain = new_costs();
    hubs.seen_rows[DD] = 1000, plain.seen_rows[DD] = 100000;
    hubs.seen_edges[DD] = plain.seen_edges[DD] = 3.2e6;
    report(direction_costs_of(&hubs, DD, &many).of[PULL] <
               direction_costs_of(&plain, DD, &many).of[PULL],
           "a pull that looks for hubs is shorter");
    const struct subgraph_work push = {.cost = {[PUSH] = 1, [PULL] = 2}};
    const struct subgraph_work pull = {.cost = {[PUSH] = 2, [PULL] = 1}};
    report(direction_by_cost(DIRECTION_PUSH, &pull) == PUSH &&
               direction_by_cost(DIRECTION_PULL, &push) == PULL,
           "a mode rules over costs");
}

/* A million normals with rows to other normals and to a thousand delegates. */
static void test_pull_behind(void)
{
    const struct cost_pulled nn = {1e6, 4e6, 1, 1}, nd = {1e6, 32e6, 1, 1};
    struct direction_costs costs = {.graph = {.edges = {[NN] = 4e6, [DN] = 32e6},
                                              .sources = {[NN] = 1e6, [DN] = 1000},
                                              .pulled = {[NN] = nn, [ND] = nd},
                                              .rows_of_two_pulls = {[NORMALS] = 1e6},
                                              .rates = cost_rates_cpu}};
    struct workload work = {.of = {[NN] = {.frontier = 1e5, .forward = 4e5, .unvisited_targets = 9e5},
                                   [DN] = {.frontier = 900, .forward = 24e6, .unvisited_targets = 9e5, .cost = {1e12, 1e9}}}};
    direction_costs_see(&costs, NN, &work.of[NN]);
    direction_costs_see(&costs, DN, &work.of[DN]);
    const double behind = direction_costs_of(&costs, NN, &work).of[PULL];
    report(behind < direction_costs_of(&costs, NN, &work).of[PUSH],
           "nn is pulled where the pull of dn leaves a quarter of its rows");
    costs.graph.rows_of_two_pulls[NORMALS] = 0;
    const double apart = direction_costs_of(&costs, NN, &work).of[PULL];
    report(apart > 3 * behind, "rows that dn does not have are left");
    work.of[DN].cost[PULL] = 2e12;
    costs.graph.rows_of_two_pulls[NORMALS] = 1e6;
    report(direction_costs_of(&costs, NN, &work).of[PULL] == apart, "a push of dn leaves all of them");
}

int main(void)
{
    test_prices();
    test_cheaper();
    test_pull_behind();
    test_turns();
    test_backward_work();
    test_subgraphs();
    test_fixed();
    test_bound();
    return unit_result();
}
