/* cpu_run.c: a whole search by the only device of a graph; see backend.h and cpu_run.h
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
    if (cpu_search.visit(dev, &plan, e) != ST_OK)
        return e->status;
    cpu_search.keep_updates(dev);
    if (cpu_search.previsit(dev, dev->depth + 1, e) == ST_OK)
        choose_next_level(dev, s);
    return e->status;
}

static enum status cpu_run(struct device *dev, const struct root *root, enum direction_mode mode, int noted,
                           uint32_t *levels, struct error *e)
{
    int most = dev->threads < MOST_REGION_THREADS ? dev->threads : MOST_REGION_THREADS;
    struct search_state s = {.mode = mode, .threads = dev->per_thread.list_bytes > 0 ? most : 1};
    *levels = 0;
    begin_level_notes(dev, noted);
    if (root->at == ROOT_AT_ISOLATED || cpu_search.start(dev, root, e) != ST_OK || cpu_search.previsit(dev, 0, e) != ST_OK)
        return e->status;
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

const struct backend_fused cpu_fused = {.run = cpu_run, .replay_levels = cpu_replay_levels};
