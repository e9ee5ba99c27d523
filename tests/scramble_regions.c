/* scramble_regions.c: lets each sparse level of dbfs-traverse on CPUs run in a parallel region, by another number of threads than
 * the level before
 *
 * It is linked into tests/scramble_regions, which is dbfs-traverse otherwise: __wrap_choose_level replaces choose_level (ld
 * --wrap). Numbers of threads come from a fixed sequence. In the program threads change only where levels grow or shrink, which
 * a small graph does seldom. */
#include "traverse/cpu/cpu_run.h"

void __real_choose_level(struct device *dev, struct search_state *s, uint64_t delegates, uint64_t normals);
void __wrap_choose_level(struct device *dev, struct search_state *s, uint64_t delegates, uint64_t normals);

void __wrap_choose_level(struct device *dev, struct search_state *s, uint64_t delegates, uint64_t normals)
{
    static uint32_t sequence = 1;
    __real_choose_level(dev, s, delegates, normals);
    if (s->kind == LEVEL_KINDS || s->threads == 1 || !region_can_take(dev, s->edges))
        return;
    sequence = sequence * 1103515245 + 12345;
    s->kind = LEVEL_REGION;
    s->region_threads = 2 << (sequence >> 16) % 4;
    s->region_threads = s->region_threads < s->threads ? s->region_threads : s->threads;
    s->wants_all_threads = 1;
}
