/* cpu_probe.h: the inner loops of pulls and of answers, in a plain version and in a version by vectors
 *
 * A loop of a pull finds which of 64 rows have a column in a bitmap. A loop of answers finds the value of each input id.
 * struct probes is a table of such loops. There are two tables. One table has plain loops. The other table has loops by
 * vectors (AVX2), which handle eight columns at once. Both tables give the same results.
 *
 * Rows are handled in words of 64 rows. An argument `rows` or `bits` is a 64-bit integer. Bit i stands for row 64 * w +
 * i, where w is the number of the word. `base` is the first row of the word, 64 * w. Vertices are handled in words of 64
 * vertices, in the same way. */
#ifndef DBFS_CPU_PROBE_H
#define DBFS_CPU_PROBE_H

#include "cpu_columns.h"

#include "formats/graph/shard.h"

#include <stdint.h>

/* The tables with which `name` of struct probes converts a recorded parent to an input id. There are fewer than 2^31
 * vertices. */
struct named_parents {
    const uint32_t *records; /* [locals + d + 1] the recorded parent of each vertex (engine.h); the last element is
                              * PARENT_NONE */
    const int32_t *ids;      /* [locals + d] the input id of each vertex: of normals first, then of delegates */
    uint32_t locals;         /* number of normals of the shard */
};

/* A table of loops. In all loops `mask` is a bitmap of vertices, and `rows` or `bits` is a word of rows or vertices. */
struct probes {
    decode_columns *decode; /* decodes packed columns (cpu_columns.h) */

    /* Returns a word with the bit of each row in `rows` that has an entry of a head column in `mask`. heads[0..count) are
     * the head column's entries for the rows of the word, from the first row on. `count` is 64, or less in the last word
     * of a subgraph. An entry is HEAD_NONE if the row has no such column. */
    uint64_t (*probe_heads)(const uint32_t *heads, uint64_t rows, uint64_t count, const uint64_t *mask);

    /* Writes the parents of `rows`: sets parents[i] to heads[i] | tag, for each row i of the word in `rows`.
     * parents[0..count) are the parents of the rows of the word, from the first row on. heads[0..count) are the entries
     * of a head column. */
    void (*adopt_heads)(uint32_t *parents, const uint32_t *heads, uint64_t rows, uint64_t count, uint32_t tag);

    /* Looks up the columns after the head columns. Returns a word with the bit of each row in `rows` that has such a
     * column in `mask`. The columns may be packed. Unless `parent` is NULL, writes the first such column of each row,
     * ORed with `tag`, to parent[number of the row]. */
    uint64_t (*probe_rests)(const struct csr *csr, uint64_t base, uint64_t rows, const uint64_t *mask, uint32_t tag,
                            uint32_t *parent);

    /* Sets depth[v] to `value` for each vertex v of `bits`. The vertices belong to word w. `count` is the number of all
     * vertices, and the length of depth[]. depth[] may also be an array of parents. */
    void (*mark)(int32_t *depth, uint64_t count, uint64_t w, uint64_t bits, int32_t value);

    /* Sets to[i] to from[vertex[i]], for each i in 0..count. Vertices are below 2^31. */
    void (*gather)(const uint32_t *vertex, const int32_t *from, uint64_t count, int32_t *to);

    /* Sets to[i] to the input id of the parent of vertex[i], for each i in 0..count. The root gets its own id. A vertex
     * gets ANSWER_NONE if the device knows no parent of it. */
    void (*name)(const struct named_parents *parents, const uint32_t *vertex, uint64_t count, int32_t *to);
};

/* The table of plain loops, which every machine can run. */
extern const struct probes probes_plain;

/* Returns the fastest table for this machine: loops by AVX2 if the machine has AVX2, otherwise probes_plain. */
const struct probes *probes_best(void);

#endif
