/* rank.h: vertices by rank of degree instead of degree.
 *
 * A graph with m directed edges has fewer than sqrt(2m) + 1 different degrees, so whatever is
 * tabulated by degree is small when it is tabulated by the rank of the degree among those that
 * occur. Rank 0 is the smallest degree.
 */
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

/* Ranks the degrees that occur, and makes the rank of every vertex of its degree, which is gone then. */
enum status ranks_make(struct ranks *ranks, struct vertex_ranks *rank_of, struct vertex_degrees *degree_of,
                       struct memory_budget *budget, struct error *e);
void ranks_free(struct ranks *ranks, struct memory_budget *budget);

/* Ranks below the result have degree <= th: those vertices are normal, the others delegates. */
uint32_t ranks_cut(const struct ranks *ranks, uint64_t th);

/* The largest TH that separates the ranks below `cut` from the others. */
uint64_t ranks_th(const struct ranks *ranks, uint32_t cut);

#endif
