/* row_sort.c: see row_sort.h
 *
 * - Short rows are sorted by insertion.
 * - Long rows set a bit for each column in a bitmap, which is then read in order, so that duplicates disappear. A summary of
 *   the bitmap's words tells which words need not be read.
 * - All others are sorted by radix: rows of middle length, and rows with too many columns for a bitmap.
 */
#include "row_sort.h"

#include <stdlib.h>
#include <string.h>

enum {
    INSERTION_MOST = 24,
    MARK_MOST_BITS = 26, /* a map of 8 MiB */
    DIGIT_BITS = 8,
    DIGITS = 1 << DIGIT_BITS
};

/* Words of a map with a bit for each column. */
static uint64_t mark_words(unsigned column_bits)
{
    return ((UINT64_C(1) << column_bits) + 63) / 64;
}

/* Words of a summary with a bit for each word of that map. */
static uint64_t words_of_summary(unsigned column_bits)
{
    return (mark_words(column_bits) + 63) / 64;
}

/* The memory of a sorter for rows of up to `longest` columns of `width` bytes. */
uint64_t row_sorter_bytes(unsigned column_bits, uint64_t longest, uint32_t width)
{
    if (column_bits > MARK_MOST_BITS)
        return 2 * longest * width; /* reserve_spare doubles */
    uint64_t plain = words_of_summary(column_bits) / 8;
    if (width == 4 && longest > plain)
        longest = plain;
    return 8 * (mark_words(column_bits) + words_of_summary(column_bits)) + 2 * longest * width;
}

/* Opens a sorter for columns below 2^column_bits: with a map for long rows, unless it would be too large. */
enum status row_sorter_open(struct row_sorter *s, unsigned column_bits, struct error *e)
{
    memset(s, 0, sizeof *s);
    s->column_bits = column_bits;
    if (column_bits > MARK_MOST_BITS)
        return ST_OK;
    uint64_t words = mark_words(column_bits);
    s->summary_words = words_of_summary(column_bits);
    s->mark = calloc(words, sizeof *s->mark);
    s->summary = calloc(s->summary_words, sizeof *s->summary);
    if (s->mark != NULL && s->summary != NULL)
        return ST_OK;
    row_sorter_close(s);
    return fail_memory(e, "row sorting", words * sizeof *s->mark);
}

void row_sorter_close(struct row_sorter *s)
{
    free(s->mark);
    free(s->summary);
    free(s->spare);
    memset(s, 0, sizeof *s);
}

/* Makes room for `bytes` bytes in s->spare; returns 0 if memory is short. */
static int reserve_spare(struct row_sorter *s, size_t bytes)
{
    if (bytes <= s->spare_bytes)
        return 1;
    void *grown = realloc(s->spare, bytes * 2);
    if (grown == NULL)
        return 0;
    s->spare = grown;
    s->spare_bytes = bytes * 2;
    return 1;
}

/* ---- by marks ---- */

/* Sorts a long row by the map, which is clear before and after. Returns the columns left without duplicates. */
static size_t sort_by_marks(struct row_sorter *s, uint32_t *columns, size_t count)
{
    uint64_t *mark = s->mark, *summary = s->summary;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t word = columns[i] / 64;
        mark[word] |= UINT64_C(1) << (columns[i] % 64);
        summary[word / 64] |= UINT64_C(1) << (word % 64);
    }
    for (uint64_t w = 0; w < s->summary_words; w++) {
        for (uint64_t words = summary[w]; words != 0; words &= words - 1) {
            uint64_t word = 64 * w + (uint64_t)__builtin_ctzll(words);
            for (uint64_t bits = mark[word]; bits != 0; bits &= bits - 1)
                columns[kept++] = (uint32_t)(64 * word + (uint64_t)__builtin_ctzll(bits));
            mark[word] = 0;
        }
        summary[w] = 0;
    }
    return kept;
}

/* ---- by insertion and by radix, for both widths: order keeps duplicates, sort drops them ---- */

#define DEFINE_SORTS(type, suffix)                                                                 \
    static void insert_##suffix(type *columns, size_t count)                                       \
    {                                                                                              \
        for (size_t i = 1; i < count; i++) {                                                       \
            type column = columns[i];                                                              \
            size_t at = i;                                                                         \
            for (; at > 0 && columns[at - 1] > column; at--)                                       \
                columns[at] = columns[at - 1];                                                     \
            columns[at] = column;                                                                  \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void radix_pass_##suffix(const type *from, type *to, size_t count, unsigned shift)      \
    {                                                                                              \
        size_t start[DIGITS] = {0}, at = 0;                                                        \
        for (size_t i = 0; i < count; i++)                                                         \
            start[from[i] >> shift & (DIGITS - 1)]++;                                              \
        for (unsigned d = 0; d < DIGITS; d++) {                                                    \
            size_t own = start[d];                                                                 \
            start[d] = at;                                                                         \
            at += own;                                                                             \
        }                                                                                          \
        for (size_t i = 0; i < count; i++)                                                         \
            to[start[from[i] >> shift & (DIGITS - 1)]++] = from[i];                                \
    }                                                                                              \
                                                                                                   \
    static void radix_##suffix(type *columns, type *spare, size_t count, unsigned bits)            \
    {                                                                                              \
        type *from = columns, *to = spare;                                                         \
        for (unsigned shift = 0; shift < bits; shift += DIGIT_BITS) {                              \
            radix_pass_##suffix(from, to, count, shift);                                           \
            type *swap = from;                                                                     \
            from = to;                                                                             \
            to = swap;                                                                             \
        }                                                                                          \
        if (from != columns)                                                                       \
            memcpy(columns, from, count * sizeof *columns);                                        \
    }                                                                                              \
                                                                                                   \
    size_t row_unique_##suffix(const type *columns, size_t count, type *to)                        \
    {                                                                                              \
        if (count == 0)                                                                            \
            return 0;                                                                              \
        type last = to[0] = columns[0];                                                            \
        size_t kept = 1;                                                                           \
        for (size_t i = 1; i < count; i++) {                                                       \
            type column = columns[i];                                                              \
            to[kept] = column;                                                                     \
            kept += column != last;                                                                \
            last = column;                                                                         \
        }                                                                                          \
        return kept;                                                                               \
    }                                                                                              \
                                                                                                   \
    static void order_with_##suffix(type *columns, type *spare, size_t count, unsigned bits)       \
    {                                                                                              \
        if (count <= INSERTION_MOST)                                                               \
            insert_##suffix(columns, count);                                                       \
        else                                                                                       \
            radix_##suffix(columns, spare, count, bits);                                           \
    }                                                                                              \
                                                                                                   \
    static int order_##suffix(struct row_sorter *s, type *columns, size_t count)                   \
    {                                                                                              \
        if (count > INSERTION_MOST && !reserve_spare(s, count * sizeof *columns))                  \
            return 0;                                                                              \
        order_with_##suffix(columns, s->spare, count, s->column_bits);                             \
        return 1;                                                                                  \
    }                                                                                              \
                                                                                                   \
    static size_t sort_plainly_##suffix(struct row_sorter *s, type *columns, size_t count)         \
    {                                                                                              \
        return order_##suffix(s, columns, count) ? row_unique_##suffix(columns, count, columns)    \
                                                 : SIZE_MAX;                                       \
    }

DEFINE_SORTS(uint32_t, u32)
DEFINE_SORTS(uint64_t, u64)

/* Sorts the columns in place and drops duplicates; returns how many are left, SIZE_MAX if memory is short. */
size_t row_sort_u32(struct row_sorter *s, uint32_t *columns, size_t count)
{
    if (s->mark != NULL && count > INSERTION_MOST && count > s->summary_words / 8)
        return sort_by_marks(s, columns, count);
    return sort_plainly_u32(s, columns, count);
}

/* Sorts 8-byte columns in place and drops duplicates; returns how many are left, SIZE_MAX if memory is short. */
size_t row_sort_u64(struct row_sorter *s, uint64_t *columns, size_t count)
{
    return sort_plainly_u64(s, columns, count);
}

/* Sorts the columns in place and keeps duplicates; returns 0 if memory is short. */
int row_order_u32(struct row_sorter *s, uint32_t *columns, size_t count)
{
    return order_u32(s, columns, count);
}

/* Sorts the columns in place and keeps duplicates, by way of spare[count]. */
void row_order_with_u32(uint32_t *columns, uint32_t *spare, size_t count, unsigned column_bits)
{
    order_with_u32(columns, spare, count, column_bits);
}
