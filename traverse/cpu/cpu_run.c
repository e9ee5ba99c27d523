/* cpu_run.c: a whole search by the only device of a graph; see engine.h and cpu_run.h
 *
 * Kinds of levels follow from counts. Only who runs a level of a parallel region depends on a clock, which tells whether
 * threads have cores: one thread finds the same vertices by a sparse level.
 */
#include "cpu_run.h"

/* Searches, after one whose parallel region lacked cores, in which one thread stands in for regions where it can. */
enum { SEARCHES_WITHOUT_REGION = 16 };

static void choose_next_level(struct device *dev, struct search_state *s)
{
    choose_level(dev, s, dev->delegates.frontier_count, dev->normals.sparse_count + dev->normals.dense_count);
}

static enum status run_dense_level(struct device *dev, struct search_state *s, struct error *e)
{
    const struct visit_plan plan = {.directions = s->directions};
    if (cpu_visit(dev, &plan, VISIT_DD, e) == ST_OK && cpu_visit(dev, &plan, VISIT_OTHERS, e) == ST_OK &&
        cpu_previsit(dev, BOTH_KINDS, dev->depth + 1, e) == ST_OK)
        choose_next_level(dev, s);
    return e->status;
}

enum status cpu_search_begin(struct device *dev, const struct root *root, enum direction_mode mode, int noted,
                             struct error *e)
{
    begin_level_notes(dev, noted);
    dev->mode = mode;
    return cpu_start(dev, root, e) == ST_OK ? cpu_previsit(dev, BOTH_KINDS, 0, e) : e->status;
}

/* A device of the CPU searches where its end is waited for. There is one, as cpu_join allows no other searches. */
enum status cpu_search_end(struct device *const *devices, uint32_t count, int noted, uint32_t *levels, struct error *e)
{
    struct device *dev = devices[0];
    int most = dev->threads < MOST_REGION_THREADS ? dev->threads : MOST_REGION_THREADS;
    struct search_state s = {.mode = dev->mode, .threads = dev->per_thread.list_bytes > 0 ? most : 1};
    (void)count, (void)noted;
    choose_next_level(dev, &s);
    while (s.kind != LEVEL_KINDS && e->status == ST_OK) {
        int is_single_thread = s.kind == LEVEL_SPARSE || (dev->searches_without_region > 0 && !s.wants_all_threads);
        if (s.kind == LEVEL_DENSE) {
            run_dense_level(dev, &s, e);
        } else if (is_single_thread) {
            run_sparse_level(dev);
            choose_next_level(dev, &s);
        } else if (run_levels_in_region(dev, &s)) {
            dev->searches_without_region = SEARCHES_WITHOUT_REGION;
        }
    }
    dev->searches_without_region -= dev->searches_without_region > 0;
    *levels = s.levels - 1; /* the last choice was for an empty frontier */
    return e->status;
}
