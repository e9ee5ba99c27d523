/* claims.h: the depths and parents that a search has written, and the checks of each vertex that need no edges */
#ifndef DBFS_CLAIMS_H
#define DBFS_CLAIMS_H

#include "claim_file.h"
#include "formats/base/hash.h"

struct claims {
    uint64_t n;
    int has_depths, has_parents; /* at least one of them */
    struct claim_file depths, parents;
    uint32_t deepest; /* the search ended at this depth; UINT32_MAX: at none */
    int root_given;
    uint64_t root; /* given, or found by claims_survey */
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

/* Opens the files; NULL is none. On failure the claims need not be closed. */
enum status claims_open(struct claims *claims, const char *depths, const char *parents,
                         uint64_t n, const char *tmpdir, struct error *e);
void claims_close(struct claims *claims); /* zeroed claims are allowed */

/* Checks all vertices in order, without edges:
 * - The depth and the parent of a vertex are each -1, or a number below n. Of the two, both are -1 or neither.
 * - The root, and no other vertex, has depth 0 and is its own parent. If no root is given, the first such vertex is the root.
 *
 * ST_INVALID names the first vertex that fails. *sums is filled in if there are depths.
 */
enum status claims_survey(struct claims *claims, struct claim_sums *sums, struct error *e);

/* The value of one vertex. */
enum status claims_value(const struct claim_file *file, uint64_t vertex, int64_t *value, struct error *e);

#endif
