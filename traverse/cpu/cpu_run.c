/* cpu_run.c: a whole search of a device that is alone; see backend.h and cpu_run.h
 *
 * Each level goes the way that is predicted to be the fastest, from counts alone, as directions are: so two
 * searches from one root go alike. Whether the threads of a crew have cores is known from a clock only. It
 * decides who carries out a level of a crew, and nothing else: one thread does from lists what the crew would.
 */
#include "cpu_run.h"

#include "formats/base/cli.h"

/* A frontier with fewer edges is pushed from its lists, whatever the masks would cost. */
enum { SMALL_EDGES = 4096 };

/* What a crew takes: picoseconds to begin, and for each vertex, whose mark each thread copies then; and for a
 * level; and how much more work there is than for one thread. */
static const double crew_start = 20e6, crew_vertex = 12.5, crew_meeting = 8e6, crew_work = 2.5;

/* Searches that go without a crew where one thread will do, from one on whose crew had no cores. */
enum { REST = 16 };

static uint64_t edges_of(const struct workload *work)
{
    uint64_t edges = 0;
    for (int g = 0; g < SUBGRAPHS; g++)
        edges += work->of[g].forward;
    return edges;
}

/* Of a level that is pushed from lists by `lists` picoseconds of work. A crew begins when it would have saved
 * what beginning costs. */
static double crew_price(const struct device *dev, struct search_state *s, double lists)
{
    double price = crew_meeting + crew_work * lists / crew_threads(s);
    if (s->threads == 1 || !crew_can_take(dev, s->edges))
        return lists + 1;
    if (s->way == BY_CREW)
        return price;
    s->missed += price < lists ? lists - price : 0;
    double vertices = (double)(dev->shard->d + dev->shard->locals);
    return s->missed > crew_start + crew_vertex * vertices ? price : lists + 1;
}

static void choose_way(struct device *dev, struct search_state *s, uint64_t fresh,
                       struct workload *work)
{
    struct error e = {0};
    double lists = 0, masks = dev->costs.graph.rates.masks;
    cpu_search.counts(dev, work, &e);
    s->levels++;
    s->edges = edges_of(work);
    for (int i = 0; i < SUBGRAPHS; i++) {
        enum subgraph g = (enum subgraph)i;
        s->directions.of[g] = direction_by_price(s->mode, &work->of[g]);
        lists += list_price(dev, g, &work->of[g]);
        masks += work->of[g].price[s->directions.of[g]];
    }
    double crew = crew_price(dev, s, lists), push = crew < lists ? crew : lists;
    s->way = crew < lists ? BY_CREW : BY_LISTS;
    s->is_for_all = s->edges > SMALL_EDGES && masks < lists;
    if (s->mode == DIRECTION_PULL || (s->edges > SMALL_EDGES && masks < push))
        s->way = BY_MASKS;
    if (fresh == 0)
        s->way = IS_OVER;
}

void plan_level(struct device *dev, struct search_state *s, uint64_t delegates, uint64_t normals)
{
    struct workload work;
    double start = dev->notes.levels.kept ? cli_seconds() : 0;
    if (dev->notes.levels.kept)
        note_visits(dev, start);
    choose_way(dev, s, delegates + normals, &work);
    work.delegates = delegates;
    work.fresh = delegates + normals;
    if (dev->notes.levels.kept && s->way != IS_OVER)
        note_plan(dev, s, &work, start);
}

static void plan_next(struct device *dev, struct search_state *s)
{
    plan_level(dev, s, dev->delegates.fresh_count,
               dev->normals.queue_count + dev->normals.pulled_count);
}

static enum status run_level_by_masks(struct device *dev, struct search_state *s, struct error *e)
{
    const struct visit_plan plan = {.directions = s->directions};
    if (cpu_search.visit(dev, &plan, e) == ST_OK &&
        cpu_search.keep_updates(dev, e) == ST_OK &&
        cpu_search.previsit(dev, dev->depth + 1, e) == ST_OK)
        plan_next(dev, s);
    return e->status;
}

static int crew_size(const struct device *dev)
{
    if (dev->crew.bin_bytes == 0)
        return 1;
    return dev->threads < MOST_CREW ? dev->threads : MOST_CREW;
}

/* Whether one thread carries out a level of a crew, as the crew's threads had no cores of late. */
static int is_for_one(const struct device *dev, const struct search_state *s)
{
    return dev->crew.rest > 0 && !s->is_for_all;
}

static enum status run_levels(struct device *dev, struct search_state *s, struct error *e)
{
    while (s->way != IS_OVER && e->status == ST_OK) {
        if (s->way == BY_MASKS) {
            run_level_by_masks(dev, s, e);
        } else if (s->way == BY_LISTS || is_for_one(dev, s)) {
            run_level_by_lists(dev);
            plan_next(dev, s);
        } else if (run_levels_by_crew(dev, s)) {
            dev->crew.rest = REST;
        }
    }
    return e->status;
}

static enum status cpu_run(struct device *dev, const struct root *root, enum direction_mode mode,
                           int noted, uint32_t *levels, struct error *e)
{
    struct search_state s = {.mode = mode, .threads = crew_size(dev)};
    *levels = 0;
    begin_level_notes(dev, noted);
    if (root->at == ROOT_AT_ISOLATED || cpu_search.start(dev, root, e) != ST_OK ||
        cpu_search.previsit(dev, 0, e) != ST_OK)
        return e->status;
    plan_next(dev, &s);
    run_levels(dev, &s, e);
    dev->crew.rest -= dev->crew.rest > 0;
    *levels = s.levels - 1; /* the last plan was for an empty frontier */
    return e->status;
}

const struct backend_whole_search cpu_whole = {.run = cpu_run, .tell_levels = cpu_tell_levels};
