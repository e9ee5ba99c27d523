/* cpu_probe.h: the inner loops of pulls and of answers: which rows of a word have a column in a mask, and
 * which value each input id has.
 *
 * Each has two twins that find the same: plain ones, and ones by vectors of AVX2, which look at eight columns
 * at once. probes_best() chooses once, by the machine.
 */
#ifndef DBFS_CPU_PROBE_H
#define DBFS_CPU_PROBE_H

#include "cpu_columns.h"

#include "formats/graph/shard.h"

#include <stdint.h>

/* Recorded parents, and the ids of vertices. Vertices are fewer than 2^31. */
struct named_parents {
    const uint32_t *records; /* [locals + d + 1] of each vertex (backend.h); the last is PARENT_NONE */
    const int32_t *ids;      /* [locals + d] */
    uint32_t locals;
};

struct probes {
    decode_columns *decode; /* of packed columns */

    /* Returns those of `rows`, bits of 64 rows, whose entry in a head column is in `mask`.
     * heads[0..count): entries of the 64 rows. An entry may be HEAD_NONE. */
    uint64_t (*heads)(const uint32_t *heads, uint64_t rows, uint64_t count, const uint64_t *mask);

    /* Gives each of `rows` its entry of the head column as parent, with `tag`. */
    void (*adopt)(uint32_t *parents, const uint32_t *heads, uint64_t rows, uint64_t count, uint32_t tag);

    /* Returns those of `rows`, bits of rows from `base` on, with a column behind their heads, packed or not, that is
     * in `mask`. Puts the first such column into `parent`, with `tag`, unless that is NULL. */
    uint64_t (*rests)(const struct csr *csr, uint64_t base, uint64_t rows, const uint64_t *mask,
                      uint32_t tag, uint32_t *parent);

    /* Gives the vertices `bits` of word w, of `count` vertices, a depth. */
    void (*mark)(int32_t *depth, uint64_t count, uint64_t w, uint64_t bits, int32_t value);

    /* to[i] = from[vertex[i]]; vertices are below 2^31. */
    void (*gather)(const uint32_t *vertex, const int32_t *from, uint64_t count, int32_t *to);

    /* The same with the ids of parents, ANSWER_NONE if there is none. */
    void (*name)(const struct named_parents *parents, const uint32_t *vertex, uint64_t count,
                 int32_t *to);
};

extern const struct probes probes_plain;

const struct probes *probes_best(void);

#endif
