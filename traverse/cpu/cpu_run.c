/* cpu_run.c: a whole search by a graph's only device, with all levels in one call (engine.h)
 *
 * Kinds of levels depend on counts alone, so two searches from one root make the same choices. Only whether several
 * threads or one run the levels of a parallel region depends on a clock, which shows whether the threads have cores.
 * Both find the same vertices. */
#include "cpu_run.h"

/* The number of searches in which one thread does the work of parallel regions, after a region whose threads lacked cores. Levels that
 * would take one thread too long still use a region (wants_all_threads). */
enum { SINGLE_THREAD_SEARCHES = 16 };

/* Makes the roots the frontier, and counts them. Runs no level yet: cpu_search_end runs all of them. */
enum status cpu_search_begin(struct device *dev, const struct root_set *roots, enum direction_mode mode, int noted,
                             struct error *e)
{
    begin_level_notes(dev, noted);
    dev->mode = mode;
    return cpu_start(dev, roots, e) == ST_OK ? cpu_previsit(dev, BOTH_KINDS, 0, e) : e->status;
}

/* Runs the whole search that cpu_search_begin began. The caller waits for its end anyway, so nothing is lost by
 * searching here. There is just one device, because cpu_join allows such searches only to a graph's only device. */
enum status cpu_search_end(struct device *const *devices, uint32_t count, int noted, const struct message_relay *relay,
                           uint32_t *levels, struct error *e)
{
    struct device *dev = devices[0];
    const struct cpu_normals *n = &dev->normals;
    int most = dev->threads < MOST_REGION_THREADS ? dev->threads : MOST_REGION_THREADS;
    struct search_state s = {.mode = dev->mode, .threads = dev->per_thread.list_bytes > 0 ? most : 1};
    s.local_entries = dev->per_thread.list_bytes / (2 * sizeof(uint32_t)) / (dev->parents ? 2 : 1); /* lists of two rounds */
    (void)count, (void)noted, (void)relay;
    choose_level(dev, &s, dev->delegates.frontier_count, n->sparse_count + n->dense_count);
    while (s.kind != LEVEL_KINDS && e->status == ST_OK) {
        int has_cores = dev->single_thread_searches_left == 0 || s.wants_all_threads;
        if (s.kind == LEVEL_REGION && has_cores) { /* run_levels_in_region has already chosen the next level when it
                                                    * returns */
            if (s.local_levels > 1 ? run_local_levels(dev, &s) : run_levels_in_region(dev, &s))
                dev->single_thread_searches_left = SINGLE_THREAD_SEARCHES;
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
    dev->single_thread_searches_left -= dev->single_thread_searches_left > 0;
    *levels = s.levels - 1; /* the last call of choose_level found that there is no further level */
    return e->status;
}
