/* cpu_probe.c: the inner loops of pulls and answers, in plain C and by vectors (cpu_probe.h)
 *
 * A probe tests whether one column of a row is in a bitmap. Its result cannot be predicted, so no branch depends on a
 * single probe.
 *
 * Bytes that must move for each row of a pull: 4 of a head column and, without a hit there, 8 of offsets and 4 for each
 * further column. The bitmap of possible parents stays in the cache. For each id of an answer: 4 of the vertex number
 * and 4 of the value, in sequence. A parent also needs random reads of its record and its input id, but most parents
 * are hubs, whose ids are in the cache. */
#include "cpu_probe.h"
#include "cpu_lanes.h"

#include "traverse/engine/engine.h"

/* If at least so many of a word's 64 rows are wanted, a loop handles all 64, because code without a test for each row is
 * then faster than going over the set bits. MANY_ROWS is for probe_heads_plain, MANY_ROWS_OF_VECTORS for all loops by
 * vectors. */
enum { MANY_ROWS = 40, MANY_ROWS_OF_VECTORS = 12 };

/* ---- plain loops, and functions that the loops by vectors share with them ---- */

/* Returns 1 if vertex `id` of a head column is in the bitmap, and 0 if not or if `id` is HEAD_NONE, without a branch. */
static inline uint64_t probe(const uint64_t *mask, uint32_t id)
{
    uint32_t at = id == HEAD_NONE ? 0 : id;
    return (mask[at / 64] >> (at % 64)) & (id != HEAD_NONE);
}

/* the loop probe_heads in plain C */
static uint64_t probe_heads_plain(const uint32_t *heads, uint64_t rows, uint64_t count, const uint64_t *mask)
{
    uint64_t found = 0;
    if (count == 64 && __builtin_popcountll(rows) >= MANY_ROWS) {
        for (int i = 0; i < 64; i++)
            found |= probe(mask, heads[i]) << i;
        return found & rows;
    }
    for (; rows != 0; rows &= rows - 1) {
        int i = __builtin_ctzll(rows);
        found |= probe(mask, heads[i]) << i;
    }
    return found;
}

/* the loop adopt_heads in plain C */
static void adopt_heads_plain(uint32_t *parents, const uint32_t *heads, uint64_t rows, uint64_t count, uint32_t tag)
{
    (void)count;
    for (; rows != 0; rows &= rows - 1)
        parents[__builtin_ctzll(rows)] = tag | heads[__builtin_ctzll(rows)];
}

/* Returns the first of columns[0..count) that is in the bitmap; HEAD_NONE if none is. */
static inline uint32_t find_column_plain(const uint32_t *columns, uint64_t count, const uint64_t *mask)
{
    for (uint64_t i = 0; i < count; i++) {
        if (mask_bit(mask, columns[i]))
            return columns[i];
    }
    return HEAD_NONE;
}

/* The functions by which probe_rests_by decodes packed columns and searches columns. The compiler inlines them, because
 * probe_rests_by is inlined and gets them as constants. */
struct column_functions {
    decode_columns *decode;
    uint32_t (*find)(const uint32_t *columns, uint64_t count, const uint64_t *mask); /* find_column_plain or _avx2 */
};

/* The loop of both versions of probe_rests, plain and by vectors. Packed columns of a row are decoded in two steps, at
 * first only FEW of them, because most rows find a parent among these. */
static inline __attribute__((always_inline)) uint64_t
probe_rests_by(const struct csr *csr, uint64_t base, uint64_t rows, const uint64_t *mask, uint32_t tag, uint32_t *parent,
               struct column_functions by)
{
    enum { FEW = 8 };
    uint32_t buffer[COLUMN_CAPACITY];
    uint64_t found = 0;
    for (; rows != 0; rows &= rows - 1) {
        uint64_t row = base + (uint64_t)__builtin_ctzll(rows);
        uint64_t at = csr_offset(csr, row), end = csr_offset(csr, row + 1), stop = end - at > FEW ? at + FEW : end;
        uint32_t column = HEAD_NONE;
        if (csr->packed.words == NULL)
            column = by.find((const uint32_t *)csr->columns + at, end - at, mask);
        for (; csr->packed.words != NULL && at < end && column == HEAD_NONE; stop = end) {
            struct column_run run = next_columns(by.decode, csr, row, at, stop, buffer);
            column = by.find(run.columns, run.count, mask);
            at += run.count;
        }
        found |= column != HEAD_NONE ? rows & -rows : 0;
        if (parent != NULL && column != HEAD_NONE)
            parent[row] = tag | column;
    }
    return found;
}

/* the loop probe_rests in plain C */
static uint64_t probe_rests_plain(const struct csr *csr, uint64_t base, uint64_t rows, const uint64_t *mask,
                                  uint32_t tag, uint32_t *parent)
{
    return probe_rests_by(csr, base, rows, mask, tag, parent, (struct column_functions){decode_plain, find_column_plain});
}

/* the loop `mark` in plain C */
static void mark_plain(int32_t *depth, uint64_t count, uint64_t w, uint64_t bits, int32_t value)
{
    (void)count;
    for (; bits != 0; bits &= bits - 1)
        depth[64 * w + (uint64_t)__builtin_ctzll(bits)] = value;
}

/* the loop `gather` in plain C */
static void gather_plain(const uint32_t *vertex, const int32_t *from, uint64_t count, int32_t *to)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = from[vertex[i]];
}

/* the loop `name_parents` in plain C */
static void name_parents_plain(const struct named_parents *parents, const uint32_t *vertex, uint64_t count, int32_t *to)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t record = parents->records[vertex[i]];
        if (record == PARENT_SELF)
            to[i] = parents->ids[vertex[i]];
        else if (record >= PARENT_SELF)
            to[i] = ANSWER_NONE;
        else
            to[i] = parents->ids[(record & ~PARENT_DELEGATE_BIT) + (record >> 31) * parents->locals];
    }
}

const struct probes probes_plain = {.decode = decode_plain,
                                    .probe_heads = probe_heads_plain,
                                    .adopt_heads = adopt_heads_plain,
                                    .probe_rests = probe_rests_plain,
                                    .mark = mark_plain,
                                    .gather = gather_plain,
                                    .name_parents = name_parents_plain};

/* ---- loops by vectors of eight ---- */

#if HAS_AVX2

/* The loop probe_heads by vectors. Few rows, or an incomplete word, are left to the plain loop. */
AVX2 static uint64_t probe_heads_avx2(const uint32_t *heads, uint64_t rows, uint64_t count, const uint64_t *mask)
{
    const __m256i none = _mm256_set1_epi32(-1);
    uint64_t found = 0;
    if (count < 64 || _mm_popcnt_u64(rows) < MANY_ROWS_OF_VECTORS)
        return probe_heads_plain(heads, rows, count, mask);
    for (int i = 0; i < 64; i += 8) {
        __m256i ids = _mm256_loadu_si256((const __m256i *)(heads + i));
        __m256i lanes = _mm256_andnot_si256(_mm256_cmpeq_epi32(ids, none),
                                            lanes_of((uint32_t)(rows >> i) & 255));
        found |= (uint64_t)probe_lanes(mask, ids, lanes) << i;
    }
    return found;
}

/* The loop adopt_heads by vectors. Entries of other rows are written back unchanged. Few rows, or an incomplete word,
 * are left to the plain loop. */
AVX2 static void adopt_heads_avx2(uint32_t *parents, const uint32_t *heads, uint64_t rows, uint64_t count, uint32_t tag)
{
    const __m256i tags = _mm256_set1_epi32((int)tag);
    if (count < 64 || _mm_popcnt_u64(rows) < MANY_ROWS_OF_VECTORS) {
        adopt_heads_plain(parents, heads, rows, count, tag);
        return;
    }
    for (int i = 0; i < 64; i += 8) {
        __m256i *at = (__m256i *)(parents + i), lanes = lanes_of((uint32_t)(rows >> i) & 255);
        __m256i ids = _mm256_or_si256(_mm256_loadu_si256((const __m256i *)(heads + i)), tags);
        _mm256_storeu_si256(at, _mm256_blendv_epi8(_mm256_loadu_si256(at), ids, lanes));
    }
}

/* Returns the first of columns[0..count) that is in the bitmap; HEAD_NONE if none is. Eight at a time. */
AVX2 static inline uint32_t find_column_avx2(const uint32_t *columns, uint64_t count, const uint64_t *mask)
{
    const __m256i all = _mm256_set1_epi32(-1), number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    uint64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint32_t hits = probe_lanes(mask, _mm256_loadu_si256((const __m256i *)(columns + i)), all);
        if (hits != 0)
            return columns[i + (uint64_t)__builtin_ctz(hits)];
    }
    __m256i lanes = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(count - i)), number);
    __m256i ids = _mm256_maskload_epi32((const int *)(columns + i), lanes);
    uint32_t hits = probe_lanes(mask, ids, lanes);
    return hits != 0 ? columns[i + (uint64_t)__builtin_ctz(hits)] : HEAD_NONE;
}

/* The loop probe_rests by vectors. Prefetches the packed columns of all rows before it decodes any. */
AVX2 static uint64_t probe_rests_avx2(const struct csr *csr, uint64_t base, uint64_t rows, const uint64_t *mask,
                                      uint32_t tag, uint32_t *parent)
{
    for (uint64_t left = rows; left != 0 && csr->packed.words != NULL; left &= left - 1) {
        uint64_t row = base + (uint64_t)__builtin_ctzll(left), at = csr_offset(csr, row);
        if (at < csr_offset(csr, row + 1))
            prefetch_bits(csr, at);
    }
    return probe_rests_by(csr, base, rows, mask, tag, parent, (struct column_functions){decode_vectors, find_column_avx2});
}

/* The loop `mark` by vectors. Entries of other vertices are written back unchanged, so only one thread may use a word.
 * Few vertices, or an incomplete word, are left to the plain loop. */
AVX2 static void mark_avx2(int32_t *depth, uint64_t count, uint64_t w, uint64_t bits, int32_t value)
{
    const __m256i values = _mm256_set1_epi32(value);
    if (count - 64 * w < 64 || _mm_popcnt_u64(bits) < MANY_ROWS_OF_VECTORS) {
        mark_plain(depth, count, w, bits, value);
        return;
    }
    for (int i = 0; i < 64; i += 8) {
        __m256i *at = (__m256i *)(depth + 64 * w + i), lanes = lanes_of((uint32_t)(bits >> i) & 255);
        _mm256_storeu_si256(at, _mm256_blendv_epi8(_mm256_loadu_si256(at), values, lanes));
    }
}

/* the loop `gather` by vectors */
AVX2 static void gather_avx2(const uint32_t *vertex, const int32_t *from, uint64_t count, int32_t *to)
{
    uint64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        __m256i at = _mm256_loadu_si256((const __m256i *)(vertex + i));
        _mm256_storeu_si256((__m256i *)(to + i), _mm256_i32gather_epi32(from, at, 4));
    }
    gather_plain(vertex + i, from, count - i, to + i);
}

/* Returns the input ids of eight recorded parents; ANSWER_NONE for PARENT_NONE, PARENT_REMOTE and PARENT_SELF. */
AVX2 static inline __m256i name_lanes(const struct named_parents *parents, __m256i records)
{
    const __m256i none = _mm256_set1_epi32(ANSWER_NONE), bit = _mm256_set1_epi32(INT32_MIN);
    const __m256i last = _mm256_set1_epi32((int)(PARENT_SELF - 1));
    /* The record of a delegate has the top bit set, and its vertex number is `locals` plus the other bits. PARENT_SELF
     * and larger records have no id. */
    __m256i delegates = _mm256_srai_epi32(records, 31);
    __m256i beyond = _mm256_and_si256(delegates, _mm256_cmpgt_epi32(records, last));
    __m256i more = _mm256_and_si256(delegates, _mm256_set1_epi32((int)parents->locals));
    __m256i number = _mm256_add_epi32(_mm256_andnot_si256(bit, records), more);
    return _mm256_mask_i32gather_epi32(none, parents->ids, number, _mm256_xor_si256(beyond, none), 4);
}

/* The loop `name_parents` by vectors, for SOME vertices at a time. All their records are read before their ids, so that reads
 * of ids do not delay those of records, which miss the cache more often. name_lanes cannot convert the root's record,
 * so vertices with the root among them are converted again by the plain loop. */
AVX2 static void name_parents_avx2(const struct named_parents *parents, const uint32_t *vertex, uint64_t count, int32_t *to)
{
    enum { SOME = 128 };
    const __m256i self = _mm256_set1_epi32((int)PARENT_SELF);
    int32_t records[SOME];
    for (; count >= SOME; vertex += SOME, to += SOME, count -= SOME) {
        __m256i roots = _mm256_setzero_si256();
        gather_avx2(vertex, (const int32_t *)parents->records, SOME, records);
        for (int i = 0; i < SOME; i += 8) {
            __m256i eight = _mm256_loadu_si256((const __m256i *)(records + i));
            roots = _mm256_or_si256(roots, _mm256_cmpeq_epi32(eight, self));
            _mm256_storeu_si256((__m256i *)(to + i), name_lanes(parents, eight));
        }
        if (!_mm256_testz_si256(roots, roots))
            name_parents_plain(parents, vertex, SOME, to);
    }
    name_parents_plain(parents, vertex, count, to);
}

static const struct probes probes_avx2 = {.decode = decode_vectors,
                                          .probe_heads = probe_heads_avx2,
                                          .adopt_heads = adopt_heads_avx2,
                                          .probe_rests = probe_rests_avx2,
                                          .mark = mark_avx2,
                                          .gather = gather_avx2,
                                          .name_parents = name_parents_avx2};

#endif

/* Returns the table by AVX2 if compiler and machine have it, otherwise probes_plain. */
const struct probes *probes_best(void)
{
#if HAS_AVX2
    if (has_avx2())
        return &probes_avx2;
#endif
    return &probes_plain;
}
