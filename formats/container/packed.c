/* packed.c: decodes packed sections; see packed.h */
#include "packed_bits.h"
#include "packed_row.h"

#include "formats/base/bytes.h"

#include <string.h>

enum {
    ROW_STEP = 8,      /* elements of a row marked at a time */
    TASK_BLOCKS = 1024 /* per thread at a time: 512 KiB of 4-byte elements */
};

/* A block as its directory entry describes it, checked. */
struct block {
    const unsigned char *bits, *unary;
    uint32_t unary_bytes;
    uint32_t code_bits;
    uint32_t gaps, step;
    uint64_t base;
};

/* ---- elements of either width ---- */

/* Element i of the array. Functions from here on are inlined for each constant `width`. */
static inline uint64_t load(const void *array, uint32_t width, uint64_t i)
{
    return width == 4 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

static inline void store(void *array, uint32_t width, uint64_t i, uint64_t x)
{
    if (width == 4)
        ((uint32_t *)array)[i] = (uint32_t)x;
    else
        ((uint64_t *)array)[i] = x;
}

union elements {
    uint32_t of_4[PACKED_BLOCK + ROW_STEP];
    uint64_t of_8[PACKED_BLOCK + ROW_STEP];
};

/* Decodes the codes of a block: out[i] = base + code i. */
static inline void unpack(const struct block *b, uint32_t width, uint64_t base, void *out)
{
    if (width == 4)
        decode_codes_u32(b->bits, b->code_bits, (uint32_t)base, out);
    else
        decode_codes_u64(b->bits, b->code_bits, base, out);
}

/* A gap block taken apart: S(i) = low(i) + (high[i] << low_bits). */
struct sums {
    union elements low;
    unsigned char high[UNARY_ROOM];
    uint32_t low_bits, step;
};

/* Decodes the sums of a block of gaps: low bits from its codes, high bits from its bit vector. Nonzero if that is corrupt. */
static inline int unpack_sums(const struct block *b, uint32_t width, struct sums *s)
{
    s->low_bits = b->code_bits;
    s->step = b->step;
    unpack(b, width, 0, &s->low);
    return decode_unary(b->unary, b->unary_bytes, s->high);
}

/* S(i) + step * i, which is the element less what find_rows finds. */
static inline uint64_t place_of(const struct sums *s, uint32_t width, uint32_t i)
{
    uint32_t steps = s->step ? i : 0;
    return width == 4 ? s->low.of_4[i] + ((uint32_t)s->high[i] << s->low_bits) + steps
                      : s->low.of_8[i] + ((uint64_t)s->high[i] << s->low_bits) + steps;
}

/* Returns where row `row` ends in the block that begins at element `first`: an index in the block, or PACKED_BLOCK if the row
 * goes on behind the block. */
static inline uint32_t row_end(const struct packed_rows *rows, uint64_t row, uint64_t first)
{
    uint64_t end = row + 1 < rows->rows ? packed_offset(rows, row + 1) - first : PACKED_BLOCK;
    return end < PACKED_BLOCK ? (uint32_t)end : PACKED_BLOCK;
}

/* Sets add[i], for each element i of the block, to the number that must be added to place_of(i) to give the element. The number
 * is the same for all elements of a row. Returns the row of the last element. Writes 8 entries at a time, so that hardly any
 * jump depends on the length of a row; the next row overwrites those that are too many. Every entry is written even if offsets
 * do not ascend, because each row begins where the one before ended. */
static inline uint64_t find_rows(const struct sums *s, const struct packed_rows *rows, uint64_t row,
                                 uint64_t first, uint64_t base, uint32_t width, void *add)
{
    uint64_t of_row = base;
    for (uint32_t begin = 0;;) {
        uint32_t end = row_end(rows, row, first), at = begin;
        do {
            for (uint32_t i = 0; i < ROW_STEP; i++)
                store(add, width, at + i, of_row);
            at += ROW_STEP;
        } while (at < end);
        if (end == PACKED_BLOCK)
            return row;
        begin = end;
        row++;
        of_row = packed_row_start(rows, row) - s->step;
        of_row -= begin > 0 ? place_of(s, width, begin - 1) : 0;
    }
}

/* Decodes a gap block that begins in *row, which becomes the row of its last element. Nonzero if it is corrupt. */
static inline int unpack_gaps(const struct block *b, const struct packed_rows *rows, uint64_t *row,
                              uint64_t first, uint32_t width, void *out)
{
    struct sums s;
    union elements add;
    if (unpack_sums(b, width, &s))
        return 1;
    if (rows == NULL || row_end(rows, *row, first) == PACKED_BLOCK) {
        for (uint32_t i = 0; i < PACKED_BLOCK; i++)
            store(out, width, i, place_of(&s, width, i) + b->base);
        return 0;
    }
    *row = find_rows(&s, rows, *row, first, b->base, width, &add);
    for (uint32_t i = 0; i < PACKED_BLOCK; i++)
        store(out, width, i, place_of(&s, width, i) + load(&add, width, i));
    return 0;
}

/* ---- blocks ---- */

/* The first word of a block, counted from the start of the section. */
static uint64_t position_of(const struct packed *packed, uint64_t block)
{
    uint64_t in_group = get_u32(packed->entry + block * 4) & ((1U << POSITION_BITS) - 1);
    return get_u64(packed->group + block / GROUP_BLOCKS * 8) + in_group;
}

/* Describes block `at` in *b, by the directory. Nonzero if it does not lie within the section. */
static int find_block(const struct packed *packed, uint64_t at, struct block *b)
{
    uint32_t kind = get_u32(packed->entry + at * 4) >> POSITION_BITS;
    uint64_t begin = position_of(packed, at);
    uint64_t end = at + 1 < packed->blocks ? position_of(packed, at + 1) : packed->words;
    b->gaps = kind & KIND_GAPS;
    b->step = kind & KIND_STEP_0 ? 0 : 1;
    b->code_bits = b->gaps ? kind & KIND_LOW_BITS : kind;
    b->base = packed->width == 4 ? get_u32(packed->base + at * 4) : get_u64(packed->base + at * 8);
    if (begin > end || end > packed->words || end - begin < WORDS_PER_BIT * b->code_bits)
        return 1;
    uint64_t unary_words = end - begin - WORDS_PER_BIT * b->code_bits;
    uint32_t most_bits = !b->gaps ? 8 * packed->width : packed->width == 4 ? 31 : 56;
    if (b->code_bits > most_bits || unary_words > (b->gaps ? UNARY_MOST_WORDS : 0))
        return 1;
    b->bits = packed->bits + begin * 4;
    b->unary = b->bits + WORDS_PER_BIT * 4 * b->code_bits;
    b->unary_bytes = (uint32_t)unary_words * 4;
    return 0;
}

/* Decodes blocks `first` to last - 1 into `array`, which begins with the place of block `first`. */
static inline enum status decode_range(const struct packed *packed, const struct packed_rows *rows,
                                       uint64_t first, uint64_t last, uint32_t width, void *array)
{
    uint64_t row = 0;
    for (uint64_t at = first; at < last; at++) {
        struct block b;
        union elements spare;
        uint64_t begin = at * PACKED_BLOCK, left = packed->count - begin;
        unsigned char *in_place = (unsigned char *)array + (at - first) * PACKED_BLOCK * width;
        void *out = left < PACKED_BLOCK ? (void *)&spare : in_place;
        if (find_block(packed, at, &b))
            return ST_BAD_DATA;
        if (!b.gaps) {
            unpack(&b, width, b.base, out);
        } else {
            row = rows == NULL ? 0 : packed_row_of(rows, row, begin);
            if (unpack_gaps(&b, rows, &row, begin, width, out))
                return ST_BAD_DATA;
        }
        if (left < PACKED_BLOCK)
            memcpy(in_place, &spare, left * width);
    }
    return ST_OK;
}

/* ---- sections ---- */

/* Opens a packed section, once its size fits `width` and `count`. */
enum status packed_open(struct packed *packed, const void *bytes, uint64_t size, uint32_t width,
                        uint64_t count, const char *what, struct error *e)
{
    uint64_t blocks = packed_blocks(count);
    uint64_t groups = packed_groups(blocks), directory, after_words;
    *packed = (struct packed){.width = width, .count = count, .blocks = blocks};
    if (width != 4 && width != 8)
        return fail(e, ST_BAD_DATA, "%s: packed elements of %u bytes", what, width);
    if (blocks == 0)
        return size == 0 ? ST_OK : fail(e, ST_BAD_DATA, "%s: bytes without elements", what);
    if (size_mul(blocks, width + 4, &directory) ||
        size_add(directory, (groups + 1) * 8, &directory) || directory > size)
        return fail(e, ST_BAD_DATA, "%s: packed section too short for its elements", what);
    after_words = size - directory;
    packed->bits = bytes;
    packed->group = packed->bits + after_words;
    packed->base = packed->group + (groups + 1) * 8;
    packed->entry = packed->base + blocks * width;
    packed->words = get_u64(packed->group + groups * 8);
    if (packed->words > after_words / 4 || (packed->words + 1) / 2 * 8 != after_words)
        return fail(e, ST_BAD_DATA, "%s: packed words and size do not agree", what);
    return ST_OK;
}

/* Decodes blocks `first` to last - 1 into an array that begins with the place of block `first`. */
enum status packed_decode_piece(const struct packed *packed, const struct packed_rows *rows,
                                uint64_t first, uint64_t last, void *array)
{
    last = last < packed->blocks ? last : packed->blocks;
    if (rows != NULL && rows->rows == 0 && first < last)
        return ST_BAD_DATA;
    return packed->width == 4 ? decode_range(packed, rows, first, last, 4, array)
                              : decode_range(packed, rows, first, last, 8, array);
}

/* The same into an array of all elements. */
enum status packed_decode(const struct packed *packed, const struct packed_rows *rows,
                          uint64_t first, uint64_t last, void *array)
{
    return packed_decode_piece(packed, rows, first, last,
                               (unsigned char *)array + first * PACKED_BLOCK * packed->width);
}

enum status packed_decode_all(const struct packed *packed, const struct packed_rows *rows, void *array, int threads)
{
    int corrupt = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(| : corrupt)             \
    if (packed->blocks > TASK_BLOCKS)
    for (uint64_t first = 0; first < packed->blocks; first += TASK_BLOCKS)
        corrupt |= packed_decode(packed, rows, first, first + TASK_BLOCKS, array) != ST_OK;
    return corrupt ? ST_BAD_DATA : ST_OK;
}

/* ---- reading in place ---- */

/* Sets *place to what packed_row.h needs of block `at`. Nonzero if the block does not lie within the section. */
static int find_place(const struct packed *packed, uint64_t at, struct packed_place *place)
{
    struct block b;
    if (find_block(packed, at, &b))
        return 1;
    *place = (struct packed_place){get_u32(packed->base + at * 4), get_u32(packed->entry + at * 4)};
    if (b.gaps && b.unary_bytes == 0)
        place->entry |= (uint32_t)KIND_NO_VECTOR << POSITION_BITS;
    return 0;
}

/* Makes the directory of packed_row.h: sets place[i] for each block i. */
enum status packed_places(const struct packed *packed, struct packed_place *place, int threads)
{
    int corrupt = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(| : corrupt)              \
    if (packed->blocks > TASK_BLOCKS)
    for (uint64_t at = 0; at < packed->blocks; at++)
        corrupt |= find_place(packed, at, &place[at]);
    return corrupt ? ST_BAD_DATA : ST_OK;
}
