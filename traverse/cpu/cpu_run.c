/* cpu_run.c: a whole search by the only device of a graph; see engine.h and cpu_run.h
 *
 * Kinds of levels follow from counts. Only who runs a level of a parallel region depends on a clock, which tells whether
 * threads have cores: one thread finds the same vertices by a sparse level.
 */
#include "cpu_run.h"

/* Searches, after one whose parallel region lacked cores, in which one thread stands in for regions where it can. */
enum { SEARCHES_WITHOUT_REGION = 16 };

/* Implements search_begin of the backend: makes the frontier of the root. The levels run in cpu_search_end. */
enum status cpu_search_begin(struct device *dev, const struct root *root, enum direction_mode mode, int noted,
                             struct error *e)
{
    begin_level_notes(dev, noted);
    dev->mode = mode;
    return cpu_start(dev, root, e) == ST_OK ? cpu_previsit(dev, BOTH_KINDS, 0, e) : e->status;
}

/* Runs the whole search, level by level: a device of the CPU searches where the end of a search is waited for. There is one
 * device, as cpu_join allows no other searches. */
enum status cpu_search_end(struct device *const *devices, uint32_t count, int noted, uint32_t *levels, struct error *e)
{
    struct device *dev = devices[0];
    const struct cpu_normals *n = &dev->normals;
    int most = dev->threads < MOST_REGION_THREADS ? dev->threads : MOST_REGION_THREADS;
    struct search_state s = {.mode = dev->mode, .threads = dev->per_thread.list_bytes > 0 ? most : 1};
    (void)count, (void)noted;
    choose_level(dev, &s, dev->delegates.frontier_count, n->sparse_count + n->dense_count);
    while (s.kind != LEVEL_KINDS && e->status == ST_OK) {
        int has_cores = dev->searches_without_region == 0 || s.wants_all_threads;
        if (s.kind == LEVEL_REGION && has_cores) { /* these levels choose the next one themselves */
            if (run_levels_in_region(dev, &s))
                dev->searches_without_region = SEARCHES_WITHOUT_REGION;
            continue;
        }
        if (s.kind == LEVEL_DENSE) {
            const struct visit_plan plan = {.directions = s.directions};
            if (cpu_visit(dev, &plan, VISIT_DD, e) == ST_OK && cpu_visit(dev, &plan, VISIT_OTHERS, e) == ST_OK)
                cpu_previsit(dev, BOTH_KINDS, dev->depth + 1, e);
        } else {
            run_sparse_level(dev);
        }
        choose_level(dev, &s, dev->delegates.frontier_count, n->sparse_count + n->dense_count);
    }
    dev->searches_without_region -= dev->searches_without_region > 0;
    *levels = s.levels - 1; /* the last choice was for an empty frontier */
    return e->status;
}
