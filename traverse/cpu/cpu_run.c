/* cpu_run.c: a whole search of a device that is alone; see backend.h
 *
 * Each level goes one of two ways:
 *   lists   the frontier is small: one thread pushes it from lists (cpu_list.c)
 *   masks   the phases of cpu_search.c, by all threads
 * The choice rests on counts alone, as directions do.
 */
#include "cpu_device.h"

/* A frontier with fewer edges is pushed from its lists without a look at the costs. */
enum { SMALL_EDGES = 4096 };

struct plan {
    int lists;
    struct directions directions;
};

static uint64_t edges_of(const struct workload *work)
{
    uint64_t edges = 0;
    for (int g = 0; g < SUBGRAPHS; g++)
        edges += work->of[g].forward;
    return edges;
}

static void plan_level(const struct device *dev, const struct workload *work,
                       enum direction_mode mode, struct plan *plan)
{
    double lists = 0, masks = 0;
    *plan = (struct plan){.lists = mode != DIRECTION_PULL && edges_of(work) <= SMALL_EDGES};
    for (int g = 0; g < SUBGRAPHS && !plan->lists; g++) {
        const struct subgraph_work *w = &work->of[g];
        struct direction_prices prices = direction_prices(&dev->costs, (enum subgraph)g, w);
        enum direction best = direction_by_cost(&dev->costs, mode, (enum subgraph)g, w);
        plan->directions.of[g] = best;
        lists += prices.of[PUSH];
        masks += prices.of[best] / (best == PULL || w->forward >= PARALLEL_PUSH ? dev->threads : 1);
    }
    masks += dev->costs.graph.rates.masks;
    plan->lists |= mode != DIRECTION_PULL && lists < masks;
}

static enum status run_level_by_masks(struct device *dev, const struct directions *directions,
                                      struct error *e)
{
    if (cpu_search.visit(dev, directions, e) != ST_OK ||
        cpu_search.keep_updates(dev, e) != ST_OK)
        return e->status;
    return cpu_search.previsit(dev, dev->depth + 1, e);
}

static enum status run_level(struct device *dev, const struct workload *work,
                             enum direction_mode mode, struct error *e)
{
    struct plan plan;
    direction_costs_see(&dev->costs, work);
    plan_level(dev, work, mode, &plan);
    if (!plan.lists)
        return run_level_by_masks(dev, &plan.directions, e);
    run_level_by_lists(dev);
    return ST_OK;
}

enum status cpu_run(struct device *dev, const struct root *root, enum direction_mode mode,
                    uint32_t *levels, struct error *e)
{
    struct workload work;
    *levels = 0;
    if (root->at == ROOT_AT_ISOLATED || cpu_search.start(dev, root, e) != ST_OK ||
        cpu_search.previsit(dev, 0, e) != ST_OK)
        return e->status;
    direction_costs_begin(&dev->costs);
    while (cpu_search.counts(dev, &work, e) == ST_OK && work.fresh > 0) {
        if (run_level(dev, &work, mode, e) != ST_OK)
            return e->status;
        ++*levels;
    }
    return e->status;
}
