/* claims.h: the depths, the parents and the nearest roots that a search has written, and the checks of each vertex that need no edges */
#ifndef DBFS_CLAIMS_H
#define DBFS_CLAIMS_H

#include "claim_file.h"
#include "formats/base/hash.h"

struct claims {
    uint64_t n;
    uint32_t base; /* what people call vertex 0 */
    int has_depths, has_parents; /* at least one of them */
    int has_nearest;             /* only if roots are given */
    struct claim_file depths, parents, nearest;
    uint32_t deepest; /* the search ended at this depth; UINT32_MAX: at none */
    uint64_t root; /* the one that messages name: the first that is given, or the one that claims_survey finds */
    const uint64_t *roots; /* [root_count] all roots of the search, ascending; the caller's */
    uint64_t root_count;   /* 0: none is given, and claims_survey finds the only one */
};

/* Sums over the depths, or over the depths that follow from the parents. */
struct claim_sums {
    uint64_t reached, levels;
    uint64_t checksum; /* equal to that of dbfs-traverse */
    uint32_t windows;  /* of vertices: claim_windows.h */
};

/* Counts a reached vertex of this depth. */
static inline void claim_sums_add(struct claim_sums *sums, uint64_t vertex, uint64_t depth)
{
    sums->reached++;
    sums->levels = depth + 1 > sums->levels ? depth + 1 : sums->levels;
    sums->checksum += hash_pair(vertex, depth);
}

/* Returns what people call a vertex; a value that is none stays as it is. */
static inline long long claims_shown(const struct claims *claims, int64_t vertex)
{
    return vertex < 0 ? vertex : vertex + (int64_t)claims->base;
}

/* Opens the files; NULL is none. claims->base is set before. On failure the claims need not be closed. */
enum status claims_open(struct claims *claims, const char *depths, const char *parents, const char *nearest,
                         uint64_t n, const char *tmpdir, struct error *e);
void claims_close(struct claims *claims); /* zeroed claims are allowed */

/* Checks all vertices in order, without edges:
 * - The depth and the parent of a vertex are each -1, or a number below n. Of the two, both are -1 or neither.
 * - A root, and no other vertex, has depth 0 and is its own parent. If no root is given, the first such vertex is the only one.
 * - A root is its own nearest root. That of another vertex is a root, or -1 if the vertex was not reached.
 *
 * ST_INVALID names the first vertex that fails. *sums is filled in if there are depths.
 */
enum status claims_survey(struct claims *claims, struct claim_sums *sums, struct error *e);

/* Returns the index of a vertex among the roots; -1: it is none. */
int64_t claims_root_index(const struct claims *claims, uint64_t vertex);

#endif
