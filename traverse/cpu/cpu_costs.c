/* cpu_costs.c: visit_costs of pushing and pulling a subgraph, in picoseconds, from counts alone; see
 * cost.h for one thread */
#include "cpu_device.h"

/* The cost of a push by marks: of its rows and edges, and of words of 64 bits that have a vertex of the
 * frontier or a new one. */
static double cost_of_marks(const struct device *dev, enum subgraph g, double found)
{
    const struct cost_graph *graph = &dev->costs.graph;
    double from = graph->words[subgraph_rows(g)] / 2, to = graph->words[subgraph_columns(g)] / 2;
    double rows = (double)dev->frontier[g];
    double words = (rows < from ? rows : from) + (found < to ? found : to);
    return (rows * graph->rates.push_row + (double)dev->forward[g] * graph->rates.mark_edge +
            words * graph->rates.mark_word) /
           threads_for(dev, dev->forward[g]);
}

double sparse_cost(const struct device *dev, enum subgraph g, const struct workload *work)
{
    return pushes_marks(dev, g) ? direction_costs_of(&dev->costs, g, work).of[PUSH] : work->of[g].cost[PUSH];
}

void set_visit_costs(const struct device *dev, enum subgraph g, struct workload *all)
{
    struct direction_costs_of visit_costs = direction_costs_of(&dev->costs, g, all);
    struct subgraph_work *work = &all->of[g];
    work->cost[PULL] = visit_costs.of[PULL] / threads_for(dev, unvisited_targets(dev, g));
    work->cost[PUSH] = pushes_marks(dev, g) ? cost_of_marks(dev, g, visit_costs.found) : visit_costs.of[PUSH];
}
