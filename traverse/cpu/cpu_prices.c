/* cpu_prices.c: prices of pushing and pulling a subgraph, in picoseconds, from counts alone; see
 * direction_cost.h for one thread */
#include "cpu_device.h"

/* The price of a push by marks: of its rows and edges, and of words of 64 bits that have a vertex of the
 * frontier or a new one. */
static double price_of_marks(const struct device *dev, enum subgraph g, double found)
{
    const struct cost_graph *graph = &dev->costs.graph;
    double from = graph->words[subgraph_rows(g)] / 2, to = graph->words[subgraph_columns(g)] / 2;
    double rows = (double)dev->frontier[g];
    double words = (rows < from ? rows : from) + (found < to ? found : to);
    return (rows * graph->rates.push_row + (double)dev->forward[g] * graph->rates.mark_edge +
            words * graph->rates.mark_word) /
           threads_for(dev, dev->forward[g]);
}

double list_price(const struct device *dev, enum subgraph g, const struct workload *work)
{
    return pushes_marks(dev, g) ? direction_prices(&dev->costs, g, work).of[PUSH] : work->of[g].price[PUSH];
}

void set_prices(const struct device *dev, enum subgraph g, struct workload *all)
{
    struct direction_prices prices = direction_prices(&dev->costs, g, all);
    struct subgraph_work *work = &all->of[g];
    work->price[PULL] = prices.of[PULL] / threads_for(dev, unvisited_targets(dev, g));
    work->price[PUSH] = pushes_marks(dev, g) ? price_of_marks(dev, g, prices.found) : prices.of[PUSH];
}
