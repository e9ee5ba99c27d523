/* number.h: counts the vertices of every component, and numbers the components by size.
 *
 * Component 0 has the most vertices. Of components of equal size, the one with the smallest id comes first. So the sizes of all
 * components are a short list of runs: components of consecutive numbers that have the same size. There are less than sqrt(2n)
 * runs.
 */
#ifndef DBFS_NUMBER_H
#define DBFS_NUMBER_H

#include "forest.h"

#include <stdint.h>

/* The components first to first + count - 1 have `vertices` vertices each. */
struct size_run {
    uint64_t first, count, vertices;
};

struct component_sizes {
    uint64_t components;
    struct size_run *run; /* [runs], by descending number of vertices; owned */
    uint64_t runs;
};

/* Counts and numbers the components of a forest whose slots are all roots. With `numbered`, every slot becomes slot_tag and the
 * number of its component; without, the slots are of no further use. Reads about k*k/2 of k windows, and as many again for
 * numbers. */
enum status number_components(struct forest *forest, int numbered, struct component_sizes *sizes, struct error *e);
void component_sizes_free(struct component_sizes *sizes); /* zeroed sizes are allowed */

/* The vertices of component `number`. */
uint64_t component_size(const struct component_sizes *sizes, uint64_t number);

/* The components of one vertex, which have the last numbers. */
uint64_t component_singles(const struct component_sizes *sizes);

/* The number of the component of a vertex, from its slot. */
static inline uint64_t slot_number(const struct slots *s, unsigned bytes, uint64_t i)
{
    return slot_get(s, bytes, i) & ~slot_tag(bytes);
}

#endif
