/* cpu_probe.h: the inner loops of pulls and of answers: which of 64 rows have a column in a bitmap, and which value each
 * input id has
 *
 * Each loop has two twins that find the same: a plain one, and one by vectors of AVX2, which looks at eight columns at once.
 * Rows, or vertices, of a word are bits of 64 rows; `base` is the first row of a word.
 */
#ifndef DBFS_CPU_PROBE_H
#define DBFS_CPU_PROBE_H

#include "cpu_columns.h"

#include "formats/graph/shard.h"

#include <stdint.h>

/* Recorded parents, and the ids of vertices. Vertices are fewer than 2^31. */
struct named_parents {
    const uint32_t *records; /* [locals + d + 1] of each vertex (engine.h); the last is PARENT_NONE */
    const int32_t *ids;      /* [locals + d] */
    uint32_t locals;
};

struct probes {
    decode_columns *decode; /* decodes packed columns (cpu_columns.h) */

    /* Returns the bits of `rows` whose entry of a head column is in the bitmap `mask`. heads[0..count): the entries of the
     * word's rows, from its base on; count is 64 but in the last word. An entry may be HEAD_NONE. */
    uint64_t (*probe_heads)(const uint32_t *heads, uint64_t rows, uint64_t count, const uint64_t *mask);

    /* Writes the parents of `rows`: their entries of the head column, ORed with `tag`. parents[0..count): as `heads`. */
    void (*adopt_heads)(uint32_t *parents, const uint32_t *heads, uint64_t rows, uint64_t count, uint32_t tag);

    /* Returns the bits of `rows` with a column behind their heads, packed or not, that is in `mask`. Writes the first such
     * column, ORed with `tag`, to parent[row], unless `parent` is NULL. */
    uint64_t (*probe_rests)(const struct csr *csr, uint64_t base, uint64_t rows, const uint64_t *mask, uint32_t tag,
                            uint32_t *parent);

    /* Sets the depths, or other values, of the vertices `bits` of word w. depth[0..count): of all vertices. */
    void (*mark)(int32_t *depth, uint64_t count, uint64_t w, uint64_t bits, int32_t value);

    /* Sets to[i] to from[vertex[i]], for i in 0..count. Vertices are below 2^31. */
    void (*gather)(const uint32_t *vertex, const int32_t *from, uint64_t count, int32_t *to);

    /* Sets to[i] to the id of the parent of vertex[i], ANSWER_NONE without one; of the root, to its own id. */
    void (*name)(const struct named_parents *parents, const uint32_t *vertex, uint64_t count, int32_t *to);
};

extern const struct probes probes_plain;

/* The loops for this machine: by AVX2 where it has that, otherwise probes_plain. */
const struct probes *probes_best(void);

#endif
