/* cpu_run.c: a whole search by the only device of a graph, all levels in one call; engine.h has the contracts, cpu_run.h
 * the state
 *
 * The kinds of levels follow from counts, so two searches from one root choose alike. Only one thing depends on a clock:
 * whether several threads or one run the levels of a parallel region. The clock tells whether the threads have cores. One
 * thread finds the same vertices by a sparse level.
 */
#include "cpu_run.h"

/* After a search with a parallel region that lacked cores, SEARCHES_WITHOUT_REGION searches use one thread for the levels
 * of parallel regions. Levels that take one thread too long (wants_all_threads) still use a region. */
enum { SEARCHES_WITHOUT_REGION = 16 };

/* Forgets the last search, and makes the root the frontier, with its counts. Runs no level: cpu_search_end does. `noted`:
 * notes of the levels will be kept. This is `search_begin` of the backend. */
enum status cpu_search_begin(struct device *dev, const struct root *root, enum direction_mode mode, int noted,
                             struct error *e)
{
    begin_level_notes(dev, noted);
    dev->mode = mode;
    return cpu_start(dev, root, e) == ST_OK ? cpu_previsit(dev, BOTH_KINDS, 0, e) : e->status;
}

/* Runs the whole search that cpu_search_begin has begun, level by level: a device of the CPU searches where the caller
 * waits for the end. `count` is 1, as cpu_join allows such searches only to the only device of a graph. Sets *levels to the
 * number of levels visited, the last, empty one included. This is `search_end` of the backend. */
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
        if (s.kind == LEVEL_REGION && has_cores) { /* run_levels_in_region has chosen the next level on return */
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
    *levels = s.levels - 1; /* the last choice was that there is no further level */
    return e->status;
}
