/* cpu_run.c: a whole search by the only device of a graph, with all levels in one call; engine.h has the contracts,
 * cpu_run.h the state
 *
 * The kinds of levels depend on counts alone, so two searches from one root make the same choices. Only one thing depends
 * on a clock: whether several threads or one thread run the levels of a parallel region. The clock shows whether the
 * threads have cores. One thread finds the same vertices in a sparse level. */
#include "cpu_run.h"

/* The number of searches that use one thread in place of parallel regions, after a search in which a parallel region
 * lacked cores. A level that would take one thread too long (wants_all_threads) still uses a parallel region. */
enum { SEARCHES_WITHOUT_REGION = 16 };

/* Forgets the last search, makes the root the frontier, and counts the frontier. Runs no level, because cpu_search_end
 * runs all levels. `noted`: the levels will be noted. This is `search_begin` of the backend. */
enum status cpu_search_begin(struct device *dev, const struct root *root, enum direction_mode mode, int noted,
                             struct error *e)
{
    begin_level_notes(dev, noted);
    dev->mode = mode;
    return cpu_start(dev, root, e) == ST_OK ? cpu_previsit(dev, BOTH_KINDS, 0, e) : e->status;
}

/* Runs the whole search that cpu_search_begin has begun, level by level. A device of the CPU searches during this call,
 * in which the caller waits for the end. `count` is 1, because cpu_join allows such searches only for the only device of
 * a graph. Sets *levels to the number of levels visited, including the last, empty level. This is `search_end` of the
 * backend. */
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
        if (s.kind == LEVEL_REGION && has_cores) { /* when run_levels_in_region returns, the next level is already chosen */
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
    *levels = s.levels - 1; /* the last call of choose_level found that there is no further level */
    return e->status;
}
