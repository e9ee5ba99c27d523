/* cpu_choose.c: chooses the kind of the next level of a whole search (struct search_state of cpu_run.h)
 *
 * The kind with the smallest predicted time is chosen. Times are predicted from counts alone, so two searches from one
 * root make the same choices. */
#include "cpu_run.h"

#include "formats/base/cli.h"

/* A frontier with at most SMALL_EDGES edges gets a sparse level, even if the predicted time of a dense level is smaller.
 * DIRECTION_PULL, which a user may ask for, always gets dense levels. */
enum { SMALL_EDGES = 4096 };

/* The rates of a parallel region. crew_work is a factor, and all other rates are picoseconds:
 * - The beginning of a region costs crew_start, and crew_vertex for each vertex, because each thread copies the visited
 *   bits.
 * - The barriers of a level cost crew_meeting, and crew_thread for each thread.
 * - All threads together do crew_work times the work that one thread would do for the same level. */
#define CREW(name, value, unit, what) static const double crew_##name = value;
#include "formats/rates.def"

/* Returns the predicted picoseconds of a level in a parallel region of `threads` threads. `single_thread` is the
 * predicted time of the same level by one thread. */
static double region_cost(double single_thread, int threads)
{
    return crew_meeting + crew_thread * threads + crew_work * single_thread / threads;
}

/* Chooses whether sparse levels run in a parallel region, and the number of threads. Sets s->in_region, s->region_threads
 * and s->regret. Returns the predicted cost of the next level as a sparse level, in picoseconds. `single_thread` is the
 * cost of this level by one thread, and `dense` the cost of a dense level. s->regret is the time that levels lost because
 * in_region had the worse value. in_region changes only when s->regret exceeds the cost of beginning a region. A level
 * that is cheapest as a dense level adds nothing to s->regret. */
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

/* Counts the work of the frontier, and chooses the next level. Sets s->kind, s->directions, s->edges and
 * s->wants_all_threads. Sets the threads by choose_region. If the frontier is empty or at the greatest depth, s->kind is
 * LEVEL_KINDS, and there is no next level. Adds 1 to s->levels in any case. `delegates` and `normals` are the numbers of
 * vertices of the frontier. If levels are noted, ends the note of the last level, and begins the note of the next level.
 * Called by the thread that searches, between two levels. */
void choose_level(struct device *dev, struct search_state *s, uint64_t delegates, uint64_t normals)
{
    const int noted = dev->notes.keeps_levels;
    double start = noted ? cli_seconds() : 0, found = (double)(delegates + normals);
    struct error e = {0};
    struct workload work;
    if (noted)
        note_visits(dev, start);
    /* among the edges of the last level to new vertices: the share that led to a vertex found by another edge */
    dev->costs.overlap = found < s->expected ? 1 - found / s->expected : 0;
    cpu_counts(dev, &work, &e); /* never fails */
    double expected = 0, single_thread = 0, dense = dev->costs.graph.rates.masks;
    s->levels++;
    s->edges = 0;
    for (int i = 0; i < SUBGRAPHS; i++) {
        enum subgraph g = (enum subgraph)i;
        /* work.of[g].cost[PUSH] is the cost of a push into bitmaps if a dense level pushes g into bitmaps. costs.of[PUSH]
         * is the cost of a push by one thread */
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
