/* cpu_choose.c: chooses the kind of the next level; see cpu_run.h
 *
 * The level that is predicted to be the fastest is chosen, from counts alone: two searches from one root go alike.
 */
#include "cpu_run.h"

#include "formats/base/cli.h"

/* A frontier with fewer edges gets a sparse level, whatever a dense one would cost. */
enum { SMALL_EDGES = 4096 };

/* Rates of a parallel region, in picoseconds: crew_start to begin one; crew_vertex for each vertex then, as each thread
 * copies the visited bits; crew_meeting and crew_thread for the barriers of a level. crew_work: the work of all its threads
 * as a multiple of that of one thread. */
#define CREW(name, value, unit, what) static const double crew_##name = value;
#include "formats/rates.def"

/* Returns the picoseconds of a level in a parallel region. single_thread: picoseconds of the same level by one thread. */
static double region_cost(double single_thread, int threads)
{
    return crew_meeting + crew_thread * threads + crew_work * single_thread / threads;
}

/* Chooses whether sparse levels run in a parallel region, and with how many threads: sets in_region, region_threads and
 * regret. Returns the cost of the next level if it is sparse. Hysteresis: the choice changes only when the saving missed so
 * far exceeds the cost of beginning a region. A level that is cheapest as a dense one (cost `dense`) does not count. */
static double choose_region(const struct device *dev, struct search_state *s, double single_thread, double dense)
{
    double vertices = (double)(dev->shard->d + dev->shard->locals);
    if (s->threads == 1 || !region_can_take(dev, s->edges)) {
        s->in_region = 0;
        return single_thread;
    }
    int threads = 2;
    while (2 * threads <= s->threads && region_cost(single_thread, 2 * threads) < region_cost(single_thread, threads))
        threads *= 2;
    s->region_threads = threads;
    double region = region_cost(single_thread, threads);
    double missed = s->in_region ? region - single_thread : single_thread - region;
    if (s->edges > SMALL_EDGES && dense < region && dense < single_thread)
        missed = 0;
    if (missed > 0 || s->in_region)
        s->regret = s->regret + missed > 0 ? s->regret + missed : 0;
    if (s->regret > crew_start + crew_vertex * vertices) {
        s->in_region = !s->in_region;
        s->regret = 0;
    }
    return s->in_region ? region : single_thread;
}

void choose_level(struct device *dev, struct search_state *s, uint64_t delegates, uint64_t normals)
{
    const int noted = dev->notes.keeps_levels;
    double start = noted ? cli_seconds() : 0, found = (double)(delegates + normals);
    struct error e = {0};
    struct workload work;
    if (noted)
        note_visits(dev, start);
    /* how often edges of the last level led to the same vertex */
    dev->costs.overlap = found < s->expected ? 1 - found / s->expected : 0;
    cpu_counts(dev, &work, &e); /* never fails */
    double expected = 0, single_thread = 0, dense = dev->costs.graph.rates.masks;
    s->levels++;
    s->edges = 0;
    for (int i = 0; i < SUBGRAPHS; i++) {
        enum subgraph g = (enum subgraph)i;
        struct direction_costs_of costs = direction_costs_of(&dev->costs, g, &work);
        expected += costs.found;
        s->edges += work.of[g].forward;
        s->directions.of[g] = direction_by_cost(s->mode, &work.of[g]);
        single_thread += pushes_into_bitmaps(dev, g) ? costs.of[PUSH] : work.of[g].cost[PUSH];
        dense += work.of[g].cost[s->directions.of[g]];
    }
    s->expected = expected / (1 - dev->costs.overlap);
    double sparse = choose_region(dev, s, single_thread, dense);
    s->wants_all_threads = s->edges > SMALL_EDGES && dense < single_thread;
    if (found == 0 || dev->depth == dev->means.deepest)
        s->kind = LEVEL_KINDS;
    else if (s->mode == DIRECTION_PULL || (s->edges > SMALL_EDGES && dense < sparse))
        s->kind = LEVEL_DENSE;
    else
        s->kind = s->in_region ? LEVEL_REGION : LEVEL_SPARSE;
    work.delegates = delegates;
    work.fresh = delegates + normals;
    if (noted && s->kind != LEVEL_KINDS)
        note_choice(dev, s, &work, start);
}
