/* answers.h: the depths and the parents that a search has written, and what they say of each vertex alone */
#ifndef DBFS_ANSWERS_H
#define DBFS_ANSWERS_H

#include "answer_file.h"
#include "formats/base/hash.h"

struct answers {
    uint64_t n;
    int has_depths, has_parents; /* at least one of them */
    struct answer_file depths, parents;
    int root_given;
    uint64_t root; /* given, or found by answers_survey */
};

/* What the depths, or the depths that follow from the parents, add up to. */
struct answer_sums {
    uint64_t reached, levels;
    uint64_t checksum; /* that of dbfs-traverse */
    uint32_t windows;  /* that the vertices were divided into: answer_windows.h */
};

static inline void answer_sums_add(struct answer_sums *sums, uint64_t vertex, uint64_t depth)
{
    sums->reached++;
    sums->levels = depth + 1 > sums->levels ? depth + 1 : sums->levels;
    sums->checksum += hash_pair(vertex, depth);
}

/* Opens the files; NULL is none. On failure the answers need not be closed. */
enum status answers_open(struct answers *answers, const char *depths, const char *parents,
                         uint64_t n, const char *tmpdir, struct error *e);
void answers_close(struct answers *answers); /* zeroed answers are allowed */

/* Goes over all vertices in order and checks of each what can be seen without edges:
 * - Its depth and its parent are -1, or a number below n.
 * - It has both or none of them.
 * - The root, and no other vertex, has depth 0 and is its own parent. Where no root is given, the first such
 *   vertex is the root.
 * ST_INVALID names the first vertex that fails. *sums is filled in if there are depths. */
enum status answers_survey(struct answers *answers, struct answer_sums *sums, struct error *e);

/* The value of one vertex. */
enum status answers_value(const struct answer_file *file, uint64_t vertex, int64_t *value,
                          struct error *e);

#endif
