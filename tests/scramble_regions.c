/* scramble_regions.c: lets each sparse level of dbfs-traverse on CPUs run in a parallel region, by another number of threads than
 * the level before or by the caller alone, or in a round of several levels, where the graph has such rounds
 *
 * It is linked into tests/scramble_regions, which is dbfs-traverse otherwise: the functions __wrap_NAME replace NAME
 * (ld --wrap). Numbers of threads come from a fixed sequence. In the program threads change only where levels grow or shrink, which
 * a small graph does seldom. */
#include "traverse/cpu/cpu_run.h"

void __real_choose_level(struct device *dev, struct search_state *s, uint64_t delegates, uint64_t normals);
void __wrap_choose_level(struct device *dev, struct search_state *s, uint64_t delegates, uint64_t normals);
double __wrap_choose_local_levels(const struct device *dev, struct search_state *s, uint64_t size);

/* Returns the next number of a fixed sequence, below `end`. */
static uint32_t next_below(uint32_t end)
{
    static uint32_t sequence = 1;
    sequence = sequence * 1103515245 + 12345;
    return (sequence >> 16) % end;
}

/* Returns 2, 4, 8 or 16, but not more than the threads of the search. */
static int some_threads(const struct search_state *s)
{
    int threads = 2 << next_below(4);
    return threads < s->threads ? threads : s->threads;
}

double __wrap_choose_local_levels(const struct device *dev, struct search_state *s, uint64_t size)
{
    (void)size;
    s->local_levels = may_search_locally(dev, s) ? (int)next_below(MOST_LOCAL_LEVELS + 1) : 0;
    s->local_threads = some_threads(s);
    if (next_below(8) == 0) /* lists of a round may be full */
        s->local_entries = 100 + next_below(1000);
    if (s->local_levels > dev->means.deepest - dev->depth)
        s->local_levels = 0;
    return 0;
}

void __wrap_choose_level(struct device *dev, struct search_state *s, uint64_t delegates, uint64_t normals)
{
    __real_choose_level(dev, s, delegates, normals);
    if (s->kind == LEVEL_KINDS || s->threads == 1 || !region_can_take(dev, s->edges))
        return;
    s->kind = LEVEL_REGION;
    s->region_threads = next_below(5) == 0 ? 1 : some_threads(s);
    __wrap_choose_local_levels(dev, s, normals);
    s->wants_all_threads = 1;
}
