/* cpu_run.c: a whole search of a device that is alone; see backend.h and cpu_run.h
 *
 * Only a clock tells whether the threads of a parallel region have cores. This decides who carries out a level of a parallel region, and
 * nothing else: one thread finds from lists the same vertices as the parallel region.
 */
#include "cpu_run.h"

/* After a search whose parallel region lacked cores, so many searches use one thread where that is enough. */
enum { REST = 16 };

static void plan_next(struct device *dev, struct search_state *s)
{
    plan_level(dev, s, dev->delegates.fresh_count,
               dev->normals.queue_count + dev->normals.pulled_count);
}

static enum status run_level_by_masks(struct device *dev, struct search_state *s, struct error *e)
{
    const struct visit_plan plan = {.directions = s->directions};
    if (cpu_visit(dev, &plan, e) != ST_OK)
        return e->status;
    cpu_keep_updates(dev);
    if (cpu_previsit(dev, dev->depth + 1, e) == ST_OK)
        plan_next(dev, s);
    return e->status;
}

static int region_size(const struct device *dev)
{
    if (dev->region.list_bytes == 0)
        return 1;
    return dev->threads < MOST_REGION_THREADS ? dev->threads : MOST_REGION_THREADS;
}

/* Whether one thread carries out a level of a parallel region, as the parallel region's threads had no cores of late. */
static int is_for_one(const struct device *dev, const struct search_state *s)
{
    return dev->region.rest > 0 && !s->is_for_all;
}

static enum status run_levels(struct device *dev, struct search_state *s, struct error *e)
{
    while (s->kind != LEVEL_KINDS && e->status == ST_OK) {
        if (s->kind == LEVEL_DENSE) {
            run_level_by_masks(dev, s, e);
        } else if (s->kind == LEVEL_SPARSE || is_for_one(dev, s)) {
            run_level_by_lists(dev);
            plan_next(dev, s);
        } else if (run_levels_in_region(dev, s)) {
            dev->region.rest = REST;
        }
    }
    return e->status;
}

int cpu_can_search_fused(const struct device *dev)
{
    return dev->shard->p == 1;
}

enum status cpu_search_begin(struct device *dev, const struct root *root, enum direction_mode mode, int noted,
                             struct error *e)
{
    begin_level_notes(dev, noted);
    dev->mode = mode;
    return cpu_start(dev, root, e) == ST_OK ? cpu_previsit(dev, 0, e) : e->status;
}

/* A device of the CPU searches where its end is waited for. There is one, as cpu_can_search_fused says. */
enum status cpu_search_end(struct device *const *devices, uint32_t count, int noted, uint32_t *levels, struct error *e)
{
    struct device *dev = devices[0];
    struct search_state s = {.mode = dev->mode, .threads = region_size(dev)};
    (void)count, (void)noted;
    plan_next(dev, &s);
    run_levels(dev, &s, e);
    dev->region.rest -= dev->region.rest > 0;
    *levels = s.levels - 1; /* the last plan was for an empty frontier */
    return e->status;
}
