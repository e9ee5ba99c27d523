/* rank.h: ranks the degrees of a graph, and replaces each vertex's degree by its rank. The rank of a degree is its place among
 * the different degrees that occur; rank 0 is the smallest. A graph with m directed edges has fewer than sqrt(2m) + 1 different
 * degrees, so a table by rank is small, and a table by degree would not be. */
#ifndef DBFS_RANK_H
#define DBFS_RANK_H

#include "formats/base/memory.h"
#include "formats/split.h"
#include "degree.h"

#include <stdint.h>

struct ranks {
    uint32_t count;               /* different degrees */
    struct degree_count *degrees; /* [count], ascending: the histogram of degrees */
};

struct vertex_ranks {
    struct vertex_values values;
};

/* Ranks the degrees that occur, and replaces the degree of every vertex by its rank, in the same memory. */
enum status ranks_make(struct ranks *ranks, struct vertex_ranks *rank_of,
                       struct vertex_degrees *degree_of, struct memory_budget *budget,
                       struct error *e);
void ranks_free(struct ranks *ranks, struct memory_budget *budget);

/* Returns the first rank of delegates for this TH: vertices of lower ranks have degree <= th and are normal. */
uint32_t ranks_cut(const struct ranks *ranks, uint64_t th);

/* Returns the largest TH for which vertices of ranks below `cut` are normal and all others delegates. */
uint64_t ranks_th(const struct ranks *ranks, uint32_t cut);

#endif
