/* unique.c: see unique.h */
#include "unique.h"

#include <stdlib.h>

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

uint64_t unique_ids(uint32_t *ids, uint64_t count)
{
    if (count == 0)
        return 0;
    qsort(ids, count, sizeof *ids, compare_ids);
    uint64_t kept = 1;
    for (uint64_t i = 1; i < count; i++) {
        if (ids[i] != ids[kept - 1])
            ids[kept++] = ids[i];
    }
    return kept;
}
