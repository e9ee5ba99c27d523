/* cpu_probe.h: the inner loops of pulls and answers, in a plain version and by vectors
 *
 * Loops of pulls find which of 64 rows have a column in a bitmap. Loops of answers find the value of each input id.
 * struct probes is a table of such loops. There are two tables: plain loops, and loops by vectors (AVX2), which handle
 * eight columns at once. Both give the same results.
 *
 * Rows are handled in words of 64. Bit i of a 64-bit argument `rows` or `bits` stands for row 64 * w + i, where w is
 * the number of the word; `base` is the word's first row, 64 * w. Vertices are handled in the same way. */
#ifndef DBFS_CPU_PROBE_H
#define DBFS_CPU_PROBE_H

#include "cpu_columns.h"

#include "formats/graph/shard.h"

#include <stdint.h>

/* What is needed to find the input id of a recorded parent. There are fewer than 2^31 vertices. */
struct named_parents {
    const uint32_t *records; /* [locals + d + 1] the recorded parent (engine.h) of each vertex; the last is PARENT_NONE */
    const int32_t *ids;      /* [locals + d] input id of each vertex: normals first, then delegates */
    uint32_t locals;         /* number of normals of the shard */
};

/* A table of loops. `mask` is always a bitmap of vertices, and `rows` or `bits` a word of rows or vertices. */
struct probes {
    decode_columns *decode; /* decodes packed columns (cpu_columns.h) */

    /* Returns those of `rows` whose entry of a head column is in `mask`. heads[0..count) are the column's entries for the
     * rows of the word, or HEAD_NONE if a row has no such column. `count` is 64, or less in the last word of a subgraph. */
    uint64_t (*probe_heads)(const uint32_t *heads, uint64_t rows, uint64_t count, const uint64_t *mask);

    /* Records the parents that probe_heads found: sets parents[i] to heads[i] | tag for each of `rows`.
     * parents[0..count) and heads[0..count) have the rows of the word. */
    void (*adopt_heads)(uint32_t *parents, const uint32_t *heads, uint64_t rows, uint64_t count, uint32_t tag);

    /* Looks at the columns after the head columns, which may be packed. Returns those of `rows` that have a column in
     * `mask`. Unless `parent` is NULL, the first such column of a row, ORed with `tag`, goes to parent[row]. */
    uint64_t (*probe_rests)(const struct csr *csr, uint64_t base, uint64_t rows, const uint64_t *mask, uint32_t tag,
                            uint32_t *parent);

    /* Sets depth[v] to `value` for each vertex v of `bits`, which is word w. depth[] has `count` entries, and may also
     * be an array of parents. */
    void (*mark)(int32_t *depth, uint64_t count, uint64_t w, uint64_t bits, int32_t value);

    /* Sets to[i] to from[vertex[i]] for each i in 0..count. Vertices are below 2^31. */
    void (*gather)(const uint32_t *vertex, const int32_t *from, uint64_t count, int32_t *to);

    /* Sets to[i] to the input id of vertex[i]'s parent for each i in 0..count. The root gets its own id, and a vertex
     * whose parent the device does not know gets ANSWER_NONE. */
    void (*name_parents)(const struct named_parents *parents, const uint32_t *vertex, uint64_t count, int32_t *to);
};

/* the plain loops, which every machine can run */
extern const struct probes probes_plain;

/* Returns the fastest loops for this machine: by AVX2 if it has AVX2, otherwise plain ones. */
const struct probes *probes_best(void);

#endif
