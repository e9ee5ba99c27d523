/* cpu_choose.c: chooses the kind of each level of a whole search (cpu_run.h)
 *
 * The kind with the least predicted time is taken. Predictions come from counts and never from a clock, so two searches
 * from one root make the same choices. */
#include "cpu_run.h"

#include "formats/base/cli.h"

/* With at most SMALL_EDGES edges a frontier gets a sparse level, even if a dense one promises to be faster. Only a
 * user's wish for pulls (DIRECTION_PULL) makes all levels dense. */
enum { SMALL_EDGES = 4096 };

/* The rates of parallel regions: region_work, region_uneven and region_local (of rounds, cpu_local.c) are factors, and all others are
 * picoseconds. Beginning a region costs region_start, and region_vertex for each vertex, because each thread copies the visited bits. A
 * level costs region_level, and region_thread for each thread, for its barrier. All threads together do region_work times the work of a
 * single thread, and the slowest thread region_uneven times that work more than its share, but at most region_uneven_most, because parts
 * are not equally large. */
#define REGION(name, value, unit, what) static const double region_##name = value;
#include "formats/rates.def"

/* Predicts the picoseconds of a level in a parallel region, if one thread alone would need `single_thread`. */
static double region_cost(double single_thread, int threads)
{
    double uneven = region_uneven * single_thread;
    uneven = uneven < region_uneven_most ? uneven : region_uneven_most;
    return region_level + region_thread * threads + region_work * single_thread / threads + uneven;
}

/* Chooses whether sparse levels run in a parallel region (s->in_region), and by how many threads: 1 if the caller alone is faster. Returns
 * the predicted picoseconds of the next level as a sparse one. `single_thread` is the prediction for one thread, `dense` that for a dense
 * level. Beginning a region costs time. So a search first waits until its
 * levels have lost more time than that without a region (s->regret). A level that is cheapest as a dense one loses nothing. A dense level
 * ends the region, and the next sparse level begins it again. Levels of the caller alone do not end it: they lose nothing in it. */
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
    double region = region_cost(single_thread, threads);
    s->region_threads = region < single_thread ? threads : 1;
    if (region < single_thread && (s->edges <= SMALL_EDGES || dense >= region))
        s->regret += single_thread - region;
    if (s->regret > region_start + region_vertex * vertices)
        s->in_region = 1;
    return s->in_region && region < single_thread ? region : single_thread;
}

/* Chooses how many levels a round has, and its threads (cpu_run.h). A share has at least SHARE vertices for each level of the round, so
 * that few vertices are found by the searches of two threads. A frontier that grows quickly gets no round. */
double choose_local_levels(const struct device *dev, struct search_state *s, uint64_t size)
{
    enum { SHARE = 4, GROWTH = 2 };
    double best = 0;
    uint64_t most = (uint64_t)(dev->means.deepest - dev->depth);
    most = most < MOST_LOCAL_LEVELS ? most : MOST_LOCAL_LEVELS;
    int grows = size > GROWTH * s->last_size;
    s->last_size = size;
    s->local_levels = 0;
    for (int threads = 2; threads <= s->threads && may_search_locally(dev, s) && dev->rows_are_near && !grows; threads *= 2) {
        uint64_t levels = size / (SHARE * (uint64_t)threads);
        levels = levels < most ? levels : most;
        if (levels < 2)
            break;
        double cost = (region_level + region_thread * threads) / (double)levels + region_local * s->vertex_cost * (double)size / threads;
        if (s->local_levels == 0 || cost < best) {
            best = cost;
            s->local_levels = (int)levels;
            s->local_threads = threads;
        }
    }
    return best;
}

/* Counts the frontier's work, and chooses the next level: its kind, directions and threads. `delegates` and `normals`
 * are the numbers of vertices of the frontier. If there are none, or the greatest depth is reached, s->kind becomes
 * LEVEL_KINDS, which ends the search. Counts the level in s->levels in any case, and writes notes if these are wanted.
 * Called by the thread that searches, between two levels. */
void choose_level(struct device *dev, struct search_state *s, uint64_t delegates, uint64_t normals)
{
    enum { BARRIERS = 4 }; /* where rounds of several levels begin and end */
    const int noted = dev->notes.keeps_levels;
    double start = noted ? cli_seconds() : 0, found = (double)(delegates + normals);
    struct error e = {0};
    struct workload work;
    if (noted)
        note_visits(dev, start);
    /* the share of the last level's edges to unvisited vertices that found nothing new */
    dev->costs.overlap = found < s->expected ? 1 - found / s->expected : 0;
    cpu_counts(dev, &work, &e); /* never fails */
    double expected = 0, single_thread = 0, dense = dev->costs.graph.rates.masks;
    s->levels++;
    s->edges = 0;
    for (int i = 0; i < SUBGRAPHS; i++) {
        enum subgraph g = (enum subgraph)i;
        /* A dense level may push g into bitmaps: work.of[g].cost[PUSH] is the cost of that, and costs.of[PUSH] the cost of a
         * push by one thread. */
        struct direction_costs_of costs = direction_costs_of(&dev->costs, g, &work);
        expected += costs.found;
        s->edges += work.of[g].forward;
        s->directions.of[g] = direction_by_cost(s->mode, &work.of[g]);
        single_thread += pushes_into_bitmaps(dev, g) ? costs.of[PUSH] : work.of[g].cost[PUSH];
        dense += work.of[g].cost[s->directions.of[g]];
    }
    s->expected = expected / (1 - dev->costs.overlap);
    double sparse = choose_region(dev, s, single_thread, dense);
    s->vertex_cost = single_thread / (found + 1);
    double local = choose_local_levels(dev, s, normals);
    s->local_gain += s->local_levels > 1 ? sparse - local : 0;
    if (s->local_levels > 1 && s->full_at > 0 && s->full_at == dev->depth)
        s->local_levels = 0; /* it would be undone again */
    if (s->local_levels > 1 &&
        s->local_gain < BARRIERS * region_level + region_depth * (double)dev->shard->locals / s->local_threads)
        s->local_levels = 0;
    s->wants_all_threads = s->edges > SMALL_EDGES && dense < single_thread;
    if (found == 0 || dev->depth == dev->means.deepest)
        s->kind = LEVEL_KINDS;
    else if (s->mode == DIRECTION_PULL || (s->edges > SMALL_EDGES && dense < sparse))
        s->kind = LEVEL_DENSE;
    else
        s->kind = s->in_region || s->local_levels > 1 ? LEVEL_REGION : LEVEL_SPARSE;
    work.delegates = delegates;
    work.fresh = delegates + normals;
    if (noted && s->kind != LEVEL_KINDS)
        note_choice(dev, s, &work, start);
}
