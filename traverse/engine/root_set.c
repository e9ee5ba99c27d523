/* root_set.c: the order of the roots of a search, and parts of it; see root_set.h */
#include "root_set.h"

#include <stdlib.h>

/* Compares two roots: by kind, then by shard, then by index. Delegates are compared by index alone, as every shard numbers
 * them alike. */
static int compare_roots(const struct root *a, const struct root *b)
{
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->shard != b->shard && a->at != ROOT_AT_DELEGATE)
        return a->shard < b->shard ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Compares two struct root for qsort. */
static int compare(const void *a, const void *b)
{
    return compare_roots(a, b);
}

/* Returns the number of roots of the set that come before `root`. */
static uint64_t roots_before(const struct root_set *roots, const struct root *root)
{
    uint64_t first = 0, end = roots->count;
    while (first < end) {
        const uint64_t middle = first + (end - first) / 2;
        if (compare_roots(&roots->root[middle], root) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Returns the roots of the set from `first` on that come before `end`. */
static struct root_set between(const struct root_set *roots, const struct root *first, const struct root *end)
{
    const uint64_t before = roots_before(roots, first);
    return (struct root_set){roots->root + before, roots_before(roots, end) - before};
}

/* Sorts the roots, and drops those that stand there twice (root_set.h). */
struct root_set root_set_make(struct root *root, uint64_t count)
{
    uint64_t kept = 0;
    if (count > 0)
        qsort(root, count, sizeof *root, compare);
    for (uint64_t i = 0; i < count; i++) {
        if (kept == 0 || compare_roots(&root[kept - 1], &root[i]) != 0)
            root[kept++] = root[i];
    }
    return (struct root_set){root, kept};
}

/* Returns the roots of one kind. */
struct root_set root_set_of_kind(const struct root_set *roots, enum root_at at)
{
    const struct root first = {.at = at}, end = {.at = at + 1};
    return between(roots, &first, &end);
}

/* Returns the roots that are local vertices of a shard. */
struct root_set root_set_of_shard(const struct root_set *roots, uint32_t shard)
{
    const struct root first = {.at = ROOT_AT_LOCAL, .shard = shard}, end = {.at = ROOT_AT_LOCAL, .shard = shard + 1};
    return between(roots, &first, &end);
}

/* Returns whether a set has this root without edges. */
int root_set_has_isolated(const struct root_set *roots, uint32_t shard, uint64_t slot)
{
    const struct root root = {.at = ROOT_AT_ISOLATED, .shard = shard, .index = (uint32_t)slot};
    const uint64_t i = roots_before(roots, &root);
    return i < roots->count && compare_roots(&roots->root[i], &root) == 0;
}
