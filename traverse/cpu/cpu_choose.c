/* cpu_choose.c: which way a level goes; see cpu_run.h
 *
 * A level goes the way that is predicted to be the fastest. Like directions, this follows from counts alone,
 * so two searches from one root go alike.
 */
#include "cpu_run.h"

#include "formats/base/cli.h"

/* A frontier with fewer edges is pushed from its lists, whatever the masks would cost. */
enum { SMALL_EDGES = 4096 };

/* Rates of a parallel region. Picoseconds: crew_start to begin; crew_vertex for each vertex then, as each thread copies its
 * mark; crew_meeting and crew_thread for the meetings of a level. crew_work: its work as a multiple of that of one thread. */
#define CREW(name, value, unit, what) static const double crew_##name = value;
#include "formats/rates.def"

static uint64_t edges_of(const struct workload *work)
{
    uint64_t edges = 0;
    for (int g = 0; g < SUBGRAPHS; g++)
        edges += work->of[g].forward;
    return edges;
}

/* Picoseconds of a level by a parallel region of some threads. `lists`: those of one thread that pushes from lists. */
static double region_cost(double lists, int threads)
{
    return crew_meeting + crew_thread * threads + crew_work * lists / threads;
}

/* The threads with which a parallel region does a level soonest. */
static int best_region_threads(const struct search_state *s, double lists)
{
    int team = 2;
    while (2 * team <= s->threads && region_cost(lists, 2 * team) < region_cost(lists, team))
        team *= 2;
    return team;
}

/* Chooses whether levels by lists are for a parallel region, and its threads. A parallel region begins or ends once it would have saved the
 * cost of beginning to do so earlier: a search at the border does not go to and fro. A level that costs less by masks says
 * nothing about that. Returns the level's cost. */
static double cost_of_lists(const struct device *dev, struct search_state *s, double lists, double masks)
{
    double vertices = (double)(dev->shard->d + dev->shard->locals);
    if (s->threads == 1 || !region_can_take(dev, s->edges)) {
        s->in_region = 0;
        return lists;
    }
    s->region_threads = best_region_threads(s, lists);
    double region = region_cost(lists, s->region_threads), more = s->in_region ? region - lists : lists - region;
    if (s->edges > SMALL_EDGES && masks < region && masks < lists)
        more = 0;
    if (more > 0 || s->in_region)
        s->regret = s->regret + more > 0 ? s->regret + more : 0;
    if (s->regret > crew_start + crew_vertex * vertices) {
        s->in_region = !s->in_region;
        s->regret = 0;
    }
    return s->in_region ? region : lists;
}

/* Learns from the last level how often edges lead to the same vertex. */
static void learn_overlap(struct device *dev, const struct search_state *s, uint64_t fresh)
{
    double found = (double)fresh;
    dev->costs.overlap = found < s->expected ? 1 - found / s->expected : 0;
}

static double expect_all(const struct device *dev, const struct workload *work)
{
    double found = 0;
    for (int g = 0; g < SUBGRAPHS; g++)
        found += direction_costs_of(&dev->costs, (enum subgraph)g, work).found;
    return found / (1 - dev->costs.overlap);
}

static void choose_kind(struct device *dev, struct search_state *s, uint64_t fresh,
                       struct workload *work)
{
    struct error e = {0};
    double lists = 0, masks = dev->costs.graph.rates.masks;
    learn_overlap(dev, s, fresh);
    cpu_counts(dev, work, &e);
    s->expected = expect_all(dev, work);
    s->levels++;
    s->edges = edges_of(work);
    for (int i = 0; i < SUBGRAPHS; i++) {
        enum subgraph g = (enum subgraph)i;
        s->directions.of[g] = direction_by_cost(s->mode, &work->of[g]);
        lists += sparse_cost(dev, g, work);
        masks += work->of[g].cost[s->directions.of[g]];
    }
    double push = cost_of_lists(dev, s, lists, masks);
    s->kind = s->in_region ? LEVEL_REGION : LEVEL_SPARSE;
    s->is_for_all = s->edges > SMALL_EDGES && masks < lists;
    if (s->mode == DIRECTION_PULL || (s->edges > SMALL_EDGES && masks < push))
        s->kind = LEVEL_DENSE;
    if (fresh == 0 || dev->depth == dev->means.deepest)
        s->kind = LEVEL_KINDS;
}

void plan_level(struct device *dev, struct search_state *s, uint64_t delegates, uint64_t normals)
{
    struct workload work;
    double start = dev->notes.levels.kept ? cli_seconds() : 0;
    if (dev->notes.levels.kept)
        note_visits(dev, start);
    choose_kind(dev, s, delegates + normals, &work);
    work.delegates = delegates;
    work.fresh = delegates + normals;
    if (dev->notes.levels.kept && s->kind != LEVEL_KINDS)
        note_plan(dev, s, &work, start);
}
