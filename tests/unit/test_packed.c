/* test_packed.c: packed sections beside a decoder written from the header alone, and beside damaged bytes.
 *
 * Sections and arrays lie in allocations of exactly their size, so that AddressSanitizer sees every access outside
 * them. */
#include "unit.h"

#include "formats/base/bytes.h"
#include "formats/base/hash.h"
#include "formats/container/packed.h"

#include <stdlib.h>
#include <string.h>

enum { TRIES = 150, MOST = 2000 };

static uint64_t drawn;

static uint64_t draw(void)
{
    return random64(7, drawn++);
}

static uint64_t below(uint64_t limit)
{
    return draw() % limit;
}

static void *bytes_of(uint64_t bytes)
{
    return malloc(bytes == 0 ? 1 : bytes);
}

/* ---- sections ---- */

struct packed_section {
    unsigned char *bytes;
    uint64_t size;
};

static uint64_t offset_of(const struct packed_rows *rows, uint64_t row)
{
    return rows->offset_width == 4 ? ((const uint32_t *)rows->offsets)[row]
                                   : ((const uint64_t *)rows->offsets)[row];
}

/* The rows for a piece that begins at element `at`; the caller frees the offsets. */
static struct packed_rows rows_from(const struct packed_rows *rows, uint64_t at)
{
    uint64_t *offsets = bytes_of((rows->rows + 1) * 8);
    for (uint64_t r = 0; r <= rows->rows; r++)
        offsets[r] = offset_of(rows, r) < at ? 0 : offset_of(rows, r) - at;
    return (struct packed_rows){rows->rows, offsets, 8, rows->heads};
}

static struct memory_budget budget = {.limit_bytes = UINT64_C(1) << 30};

/* Packs each piece in the place of its elements, in an allocation of just their blocks. */
static uint64_t pack_piece(struct packed_encoder *encoder, const void *elements, uint64_t count,
                           const struct packed_rows *rows, uint32_t *words, int threads)
{
    struct error e = {0};
    struct packed_block *block = bytes_of(packed_blocks(count) * sizeof *block);
    struct packed_rows own = {0};
    void *piece = bytes_of(packed_most_words(encoder->width, count) * 4);
    memcpy(piece, elements, count * encoder->width);
    if (rows != NULL)
        own = rows_from(rows, encoder->count);
    uint64_t made = packed_encode_blocks(encoder->width, rows != NULL ? &own : NULL, piece, count,
                                         piece, block, threads);
    memcpy(words, piece, made * 4);
    packed_encoder_add(encoder, count, block, made, &e);
    free((void *)(uintptr_t)own.offsets);
    free(piece);
    free(block);
    return made;
}

static struct packed_section pack(const void *array, uint64_t count, uint32_t width,
                                  const struct packed_rows *rows, uint64_t piece, int threads)
{
    struct packed_encoder encoder;
    packed_encoder_init(&encoder, width, &budget);
    uint32_t *words = bytes_of(packed_most_words(width, count) * 4);
    for (uint64_t at = 0, made = 0; at < count; at += piece) {
        uint64_t n = count - at < piece ? count - at : piece;
        made += pack_piece(&encoder, (const char *)array + at * width, n, rows, words + made,
                           threads);
        if (count - at <= piece)
            break;
    }
    uint64_t directory = packed_directory_bytes(&encoder);
    struct packed_section s = {.size = encoder.words * 4 + directory};
    s.bytes = bytes_of(s.size);
    memcpy(s.bytes, words, encoder.words * 4);
    packed_directory(&encoder, s.bytes + encoder.words * 4);
    free(words);
    packed_encoder_free(&encoder);
    return s;
}

static enum status unpack(const struct packed_section *s, void *array, uint64_t count,
                          uint32_t width, const struct packed_rows *rows, int threads)
{
    struct error e = {0};
    struct packed packed;
    if (packed_open(&packed, s->bytes, s->size, width, count, "test", &e) != ST_OK)
        return e.status;
    return packed_decode_all(&packed, rows, array, threads);
}

/* ---- the header, word for word ---- */

static uint64_t bits_at(const unsigned char *block, uint64_t at, uint32_t bits)
{
    uint64_t x = 0;
    for (uint32_t i = 0; i < bits; i++)
        x |= (uint64_t)(block[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    return x;
}

static uint64_t sum_by_the_book(const unsigned char *block, int unary, uint32_t low_bits,
                                uint64_t i)
{
    uint64_t ones = 0, bit = 128 * (uint64_t)low_bits;
    if (!unary)
        return 0;
    for (;; bit++) {
        ones += bits_at(block, bit, 1);
        if (ones == i + 1)
            break;
    }
    return (bit - 128 * (uint64_t)low_bits - i) << low_bits |
           bits_at(block, i * low_bits, low_bits);
}

static uint64_t element_by_the_book(const struct packed_section *s, uint64_t count, uint32_t width,
                                    const struct packed_rows *rows, uint64_t row, uint64_t index)
{
    uint64_t blocks = (count + 127) / 128, groups = (blocks + 4095) / 4096, at = index / 128;
    const unsigned char *entry = s->bytes + s->size - 4 * blocks, *base = entry - blocks * width;
    const unsigned char *group = base - 8 * (groups + 1);
    uint64_t begin = get_u64(group + at / 4096 * 8) + (get_u32(entry + at * 4) & 0xffffff);
    uint64_t next = at + 1 == blocks ? get_u64(group + groups * 8)
                                     : get_u64(group + (at + 1) / 4096 * 8) +
                                           (get_u32(entry + (at + 1) * 4) & 0xffffff);
    uint64_t i = index % 128, from = width == 4 ? get_u32(base + at * 4) : get_u64(base + at * 8);
    const unsigned char *block = s->bytes + begin * 4;
    uint32_t kind = entry[at * 4 + 3], l = kind & 0x3f, step = kind < 0xc0;
    if (kind < 0x80)
        return from + bits_at(block, i * kind, kind);
    int unary = next - begin > 4 * (uint64_t)l;
    uint64_t sum = sum_by_the_book(block, unary, l, i);
    if (rows == NULL || offset_of(rows, row) <= at * 128)
        return from + sum + step * i;
    uint64_t a = offset_of(rows, row) - at * 128;
    uint64_t start = rows->heads == NULL ? 0 : (uint32_t)(rows->heads[row] + 1);
    return start + sum - sum_by_the_book(block, unary, l, a - 1) + step * (i - a);
}

static int book_agrees(const struct packed_section *s, const void *array, uint64_t count,
                       uint32_t width, const struct packed_rows *rows)
{
    uint64_t row = 0;
    for (uint64_t i = 0; i < count; i++) {
        while (rows != NULL && offset_of(rows, row + 1) <= i)
            row++;
        uint64_t x = element_by_the_book(s, count, width, rows, row, i);
        if (width == 4 ? (uint32_t)x != ((const uint32_t *)array)[i]
                       : x != ((const uint64_t *)array)[i])
            return 0;
    }
    return 1;
}

/* ---- round trips ---- */

/* Decodes blocks one by one in random order; the places of others must stay untouched. */
static int split_agrees(const struct packed_section *s, const void *array, uint64_t count,
                        uint32_t width, const struct packed_rows *rows)
{
    struct error e = {0};
    struct packed packed;
    unsigned char *out = bytes_of(count * width);
    int ok = packed_open(&packed, s->bytes, s->size, width, count, "test", &e) == ST_OK;
    memset(out, 0xa5, count * width);
    for (uint64_t i = 0; ok && i < packed.blocks; i++) {
        uint64_t at = i % 2 == 0 ? i / 2 : packed.blocks - 1 - i / 2, end = (at + 1) * 128 * width;
        unsigned char before = at > 0 ? out[at * 128 * width - 1] : 0;
        unsigned char after = end < count * width ? out[end] : 0;
        ok &= packed_decode(&packed, rows, at, at + 1, out) == ST_OK;
        ok &= at == 0 || out[at * 128 * width - 1] == before;
        ok &= end >= count * width || out[end] == after;
    }
    ok = ok && memcmp(out, array, count * width) == 0;
    free(out);
    return ok;
}

static int same_bytes(const struct packed_section *a, struct packed_section b)
{
    int same = a->size == b.size && memcmp(a->bytes, b.bytes, a->size) == 0;
    free(b.bytes);
    return same;
}

static int round_trip(const void *array, uint64_t count, uint32_t width,
                      const struct packed_rows *rows)
{
    struct packed_section s = pack(array, count, width, rows, UINT64_MAX, 1);
    unsigned char *out = bytes_of(count * width);
    int ok = 1;
    for (int threads = 1; threads <= 3; threads += 2) {
        memset(out, 0xa5, count * width);
        ok &= unpack(&s, out, count, width, rows, threads) == ST_OK &&
              memcmp(out, array, count * width) == 0;
    }
    ok &= split_agrees(&s, array, count, width, rows);
    ok &= book_agrees(&s, array, count, width, rows);
    ok &= same_bytes(&s, pack(array, count, width, rows, 128 * (1 + below(5)), 2));
    free(out);
    free(s.bytes);
    return ok;
}

/* ---- arrays ---- */

enum shape { ANY, SMALL, EQUAL, ASCENDING, STEPS, LARGEST, EXTREMES, HEADS, CONSECUTIVE, SHAPES };

static const char *const shape_name[SHAPES] = {
    "any values",     "values of few bits",     "equal values",
    "ascending",      "ascending with repeats", "the largest value",
    "zero or largest", "values or none",        "consecutive values"};

static uint64_t next_value(enum shape shape, uint64_t before, uint32_t bits, uint64_t largest)
{
    switch (shape) {
    case SMALL: return draw() >> (64 - bits);
    case EQUAL:
    case LARGEST: return before;
    case ASCENDING: return before + 1 + (draw() >> (64 - bits));
    case STEPS: return before + (below(3) == 0 ? draw() >> (64 - bits) : 0);
    case EXTREMES: return below(2) * largest;
    case HEADS: return below(4) == 0 ? largest : draw() >> (64 - bits);
    case CONSECUTIVE: return before + 1;
    default: return draw();
    }
}

static void *make_array(enum shape shape, uint64_t count, uint32_t width)
{
    uint64_t largest = width == 4 ? UINT32_MAX : UINT64_MAX;
    uint64_t x = shape == LARGEST ? largest : draw() >> below(64);
    uint32_t bits = 1 + (uint32_t)below(8 * width);
    void *array = bytes_of(count * width);
    for (uint64_t i = 0; i < count; i++) {
        x = next_value(shape, x, bits, largest);
        if (width == 4)
            ((uint32_t *)array)[i] = (uint32_t)x;
        else
            ((uint64_t *)array)[i] = x;
    }
    return array;
}

static void test_arrays(uint32_t width)
{
    static const uint64_t edge[] = {0, 1, 2, 127, 128, 129, 255, 256, 257};
    for (int shape = 0; shape < SHAPES; shape++) {
        int ok = 1;
        for (int i = 0; i < 40; i++) {
            uint64_t count = i < 9 ? edge[i] : below(MOST);
            void *array = make_array((enum shape)shape, count, width);
            ok &= round_trip(array, count, width, NULL);
            free(array);
        }
        char name[100];
        snprintf(name, sizeof name, "width %u: %s", width, shape_name[shape]);
        report(ok, name);
    }
}

/* ---- rows ---- */

struct graph {
    struct packed_rows rows;
    uint64_t count;
    uint32_t width;
    void *offsets, *columns;
    uint32_t *heads;
};

static void set_offset(struct graph *g, uint64_t row, uint64_t x)
{
    if (g->rows.offset_width == 4)
        ((uint32_t *)g->offsets)[row] = (uint32_t)x;
    else
        ((uint64_t *)g->offsets)[row] = x;
}

/* Rows of 0 to `longest` columns; gaps of up to `bits` bits, sums modulo the width. */
static struct graph make_graph(uint64_t rows, uint64_t longest, uint32_t bits, uint32_t width,
                               int heads)
{
    struct graph g = {.rows = {.rows = rows, .offset_width = below(2) ? 4 : 8}, .width = width};
    g.offsets = bytes_of((rows + 1) * g.rows.offset_width);
    g.heads = heads ? bytes_of(rows * 4) : NULL;
    set_offset(&g, 0, 0);
    for (uint64_t r = 0; r < rows; r++) {
        uint64_t length = below(3) == 0 ? 0 : below(longest + 1);
        if (heads)
            g.heads[r] = length == 0 && below(2) ? UINT32_MAX : (uint32_t)(draw() >> (64 - bits));
        set_offset(&g, r + 1, g.count += length);
    }
    g.rows.offsets = g.offsets;
    g.rows.heads = g.heads;
    g.columns = bytes_of(g.count * width);
    for (uint64_t r = 0; r < rows; r++) {
        uint64_t x = heads ? (uint32_t)(g.heads[r] + 1) : 0;
        for (uint64_t i = offset_of(&g.rows, r); i < offset_of(&g.rows, r + 1); i++, x++) {
            x += draw() >> (64 - bits);
            if (width == 4)
                ((uint32_t *)g.columns)[i] = (uint32_t)x;
            else
                ((uint64_t *)g.columns)[i] = x;
        }
    }
    return g;
}

static void free_graph(struct graph *g)
{
    free(g->offsets);
    free(g->columns);
    free(g->heads);
}

static void test_rows(uint32_t width, int heads)
{
    static const uint64_t longest[] = {1, 3, 9, 40, 300, 1000};
    int ok = 1;
    for (int i = 0; i < TRIES; i++) {
        uint32_t bits = 1 + (uint32_t)below(below(4) == 0 ? 8 * width : 14);
        uint64_t most = longest[below(6)];
        struct graph g = make_graph(1 + below(2 * MOST / most), most, bits, width, heads);
        ok &= round_trip(g.columns, g.count, width, &g.rows);
        free_graph(&g);
    }
    char name[100];
    snprintf(name, sizeof name, "width %u: rows %s heads", width, heads ? "with" : "without");
    report(ok, name);
}

/* ---- sizes and bytes ---- */

static double bits_each(const struct packed_section *s, uint64_t count)
{
    return 8.0 * (double)s->size / (double)count;
}

static void test_sizes(void)
{
    enum { COUNT = 128 * 500 };
    uint32_t *array = bytes_of(4 * COUNT);
    uint64_t x = 0;
    for (uint64_t i = 0; i < COUNT; i++)
        array[i] = (uint32_t)(x += 1 + below(1 << 11));
    struct packed_section s = pack(array, COUNT, 4, NULL, UINT64_MAX, 1);
    /* a mean gap of 2^10 costs 10 + 2 bits, a fill of up to 31 bits and 64 of directory a block */
    report(bits_each(&s, COUNT) < 12.9, "ascending values cost their mean gap and 3 bits");
    free(s.bytes);
    for (uint64_t i = 0; i < COUNT; i++)
        array[i] = i % 3 == 0 ? UINT32_MAX : (uint32_t)below(1 << 10);
    s = pack(array, COUNT, 4, NULL, UINT64_MAX, 1);
    report(bits_each(&s, COUNT) < 11.6, "values and HEAD_NONE cost the values' bits and one");
    free(s.bytes);
    for (uint64_t i = 0; i < COUNT; i++)
        array[i] = 5 + (uint32_t)i;
    s = pack(array, COUNT, 4, NULL, UINT64_MAX, 1);
    report(bits_each(&s, COUNT) < 0.6, "consecutive values cost their directory");
    free(s.bytes);
    for (uint64_t i = 0; i < COUNT; i++)
        array[i] = (uint32_t)draw();
    s = pack(array, COUNT, 4, NULL, UINT64_MAX, 1);
    report(bits_each(&s, COUNT) < 32.6, "any values cost their bits and the directory");
    free(s.bytes);
    free(array);
}

static int section_is(const struct packed_section *s, const uint32_t *words, uint64_t count)
{
    return s->size == 4 * count && memcmp(s->bytes, words, s->size) == 0;
}

static void test_bytes(void)
{
    static const uint32_t gaps[] = {5, 6, 7, 9}, frame[] = {10, 8, 11};
    static const uint32_t gaps_bytes[] = {
        0xfffffff7, 0xffffffff, 0xffffffff, 0xffffffff, 1, 0, /* bit 3 + 1 and on; a fill */
        0, 0, 5, 0,                                           /* the group; 5 words */
        5, 0x80000000};
    static const uint32_t frame_bytes[] = {2 | 0 << 2 | 3 << 4, 0, 0, 0, 0, 0, 0, 0,
                                           0, 0, 8, 0, 8, 0x02000000};
    struct packed_section s = pack(gaps, 4, 4, NULL, UINT64_MAX, 1);
    report(section_is(&s, gaps_bytes, 12), "a block of gaps has the bytes of the specification");
    free(s.bytes);
    s = pack(frame, 3, 4, NULL, UINT64_MAX, 1);
    report(section_is(&s, frame_bytes, 14), "a frame has the bytes of the specification");
    free(s.bytes);
}

/* Positions above 24 bits: several groups of blocks, of full width. */
static void test_groups(void)
{
    enum { COUNT = 128 * 9000 + 5 };
    uint64_t *array = bytes_of(8 * COUNT), *out = bytes_of(8 * COUNT);
    for (uint64_t i = 0; i < COUNT; i++)
        array[i] = i / 128 % 7 == 0 ? i : draw();
    struct packed_section s = pack(array, COUNT, 8, NULL, 128 * 1000, 2);
    report(unpack(&s, out, COUNT, 8, NULL, 2) == ST_OK && memcmp(out, array, 8 * COUNT) == 0,
           "several groups of blocks");
    free(s.bytes);
    free(array);
    free(out);
}

/* Large enough for several threads, which begin in the middle of rows. */
static void test_threads(void)
{
    struct graph g = make_graph(20000, 60, 12, 4, 1);
    struct packed_section s = pack(g.columns, g.count, 4, &g.rows, UINT64_MAX, 3);
    uint32_t *out = bytes_of(4 * g.count);
    report(same_bytes(&s, pack(g.columns, g.count, 4, &g.rows, 128 * 999, 2)),
           "packing gives the same bytes from any number of threads and pieces");
    report(unpack(&s, out, g.count, 4, &g.rows, 3) == ST_OK &&
               memcmp(out, g.columns, 4 * g.count) == 0,
           "rows are decoded by several threads");
    free(out);
    free(s.bytes);
    free_graph(&g);
}

/* ---- bad bytes ---- */

static uint64_t checked_bytes; /* of decoded sections: reads them, so that a checker sees them */

static enum status try_section(const struct packed_section *s, const struct graph *g)
{
    unsigned char *out = bytes_of(g->count * g->width);
    enum status status = unpack(s, out, g->count, g->width, &g->rows, 2);
    for (uint64_t i = 0; status == ST_OK && i < g->count * g->width; i++)
        checked_bytes += out[i] < 128;
    free(out);
    return status;
}

static struct packed_section copy_of(const struct packed_section *s, uint64_t size)
{
    struct packed_section copy = {bytes_of(size), size};
    memcpy(copy.bytes, s->bytes, size);
    return copy;
}

/* Also runs under the sanitizers, where a step out of the section or the array ends the test. */
static void test_flips(uint32_t width)
{
    int refused = 0, unclear = 0, cut = 1;
    for (int i = 0; i < 40; i++) {
        struct graph g = make_graph(1 + below(60), 30, 1 + (uint32_t)below(20), width, width == 4);
        struct packed_section s = pack(g.columns, g.count, width, &g.rows, UINT64_MAX, 1);
        for (uint64_t bit = 0; bit < 8 * s.size; bit += 1 + below(5)) {
            struct packed_section bad = copy_of(&s, s.size);
            bad.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            enum status status = try_section(&bad, &g);
            refused += status == ST_BAD_DATA;
            unclear += status != ST_BAD_DATA && status != ST_OK;
            free(bad.bytes);
        }
        for (uint64_t size = 0; size < s.size; size++) {
            struct packed_section bad = copy_of(&s, size);
            cut &= try_section(&bad, &g) == ST_BAD_DATA;
            free(bad.bytes);
        }
        free(s.bytes);
        free_graph(&g);
    }
    char name[100];
    snprintf(name, sizeof name, "width %u: one wrong bit is refused or decodes in bounds", width);
    report(refused > 500 && unclear == 0, name);
    snprintf(name, sizeof name, "width %u: a section cut anywhere is refused", width);
    report(cut, name);
}

/* Makes a section of any content whose blocks follow each other and, mostly, can be decoded. */
static struct packed_section make_garbage(uint64_t blocks, uint32_t width)
{
    static const uint32_t kinds[] = {0,    7,    31, 32, 0x80, 0x83, 0x9f,
                                     0xc0, 0xd1, 33, 64, 0xb8, 0xff};
    uint64_t most = blocks * 4 * 76;
    struct packed_section s = {.size = most * 4 + 16 + blocks * (width + 4)};
    s.bytes = bytes_of(s.size);
    for (uint64_t j = 0; j < s.size; j++)
        s.bytes[j] = (unsigned char)draw();
    unsigned char *directory = s.bytes + most * 4, *entry = s.bytes + s.size - blocks * 4;
    uint64_t words = 0;
    for (uint64_t b = 0; b < blocks; b++) {
        uint32_t kind = kinds[below(below(4) == 0 ? 13 : 9)];
        uint32_t bits = kind < 0x80 ? kind : kind & 0x3f;
        put_u32(entry + b * 4, kind << 24 | (uint32_t)words);
        words += 4 * bits;
        for (uint32_t w = 0, full = 4; kind >= 0x80 && w < 12; w++, words++) {
            int set = full > 0 && (below(3) == 0 || 12 - w == full);
            put_u32(s.bytes + words * 4, set ? UINT32_MAX : 0);
            full -= (uint32_t)set;
        }
    }
    put_u64(directory, below(8) == 0 ? draw() : 0);
    put_u64(directory + 8, words);
    /* closes the gap between the words, an even number of them, and the directory */
    memmove(s.bytes + words * 4, directory, s.size - most * 4);
    s.size -= (most - words) * 4;
    return s;
}

static void test_garbage(uint32_t width)
{
    int decoded = 0, refused = 0;
    for (int i = 0; i < 20 * TRIES; i++) {
        struct graph g = make_graph(1 + below(50), 20, 10, width, 1);
        struct packed_section made = make_garbage((g.count + 127) / 128, width);
        struct packed_section s = copy_of(&made, g.count > 0 ? made.size : 0);
        for (uint64_t r = 0; below(2) && r <= g.rows.rows; r++)
            set_offset(&g, r, below(2) ? below(g.count + 2) : draw());
        enum status status = try_section(&s, &g);
        decoded += g.count > 0 && status == ST_OK;
        refused += status == ST_BAD_DATA;
        free(made.bytes);
        free(s.bytes);
        free_graph(&g);
    }
    char name[100];
    snprintf(name, sizeof name, "width %u: any bytes are refused or decode in bounds", width);
    report(decoded > 300 && refused > 300, name);
}

/* Good blocks of gaps under bad offsets: within bounds, and each element written. */
static void test_bad_offsets(void)
{
    int ok = 1;
    for (int i = 0; i < 5 * TRIES; i++) {
        struct graph g = make_graph(1 + below(80), 20, 12, 4, (int)below(2));
        struct packed_section s = pack(g.columns, g.count, 4, &g.rows, UINT64_MAX, 1);
        for (uint64_t n = below(8); n > 0; n--)
            set_offset(&g, below(g.rows.rows + 1), below(3) ? below(g.count + 200) : draw());
        ok &= try_section(&s, &g) == ST_OK;
        free(s.bytes);
        free_graph(&g);
    }
    report(ok, "offsets that do not ascend: decoded in bounds");
}

static void test_refusals(void)
{
    struct error e = {0};
    struct packed packed;
    uint32_t array[300], out[300];
    for (uint32_t i = 0; i < 300; i++)
        array[i] = 10 * i;
    struct packed_rows none = {.rows = 0, .offsets = array, .offset_width = 4};
    struct packed_section s = pack(array, 300, 4, NULL, UINT64_MAX, 1);
    unsigned char *entry = s.bytes + s.size - 12;
    report(unpack(&s, out, 300, 4, &none, 1) == ST_BAD_DATA, "elements without rows");
    report(packed_open(&packed, s.bytes, s.size, 4, UINT64_MAX, "x", &e) == ST_BAD_DATA,
           "a count beyond all sizes");
    report(strncmp(e.text, "x: ", 3) == 0, "errors name the section");
    e = (struct error){0};
    report(packed_open(&packed, s.bytes, s.size, 2, 300, "x", &e) == ST_BAD_DATA, "width 2");
    e = (struct error){0};
    report(packed_open(&packed, s.bytes, s.size, 4, 0, "x", &e) == ST_BAD_DATA,
           "bytes without elements");
    s.bytes[3] ^= 0xff;
    entry[3] = 33;
    report(unpack(&s, out, 300, 4, NULL, 1) == ST_BAD_DATA, "a frame of 33 bits in 32");
    entry[3] = 0xa0;
    report(unpack(&s, out, 300, 4, NULL, 1) == ST_BAD_DATA, "32 low bits in 32");
    free(s.bytes);
    s = pack(array, 300, 4, NULL, UINT64_MAX, 1);
    uint32_t low_bits = s.bytes[s.size - 12 + 3] & 0x3f;
    s.bytes[16 * low_bits] ^= 1;
    report(unpack(&s, out, 300, 4, NULL, 1) == ST_BAD_DATA, "a bit vector without 128 ones");
    free(s.bytes);
}

/* The number of words beside the size: too few, and one that wraps around. */
static void test_word_counts(void)
{
    struct error e = {0};
    struct packed packed;
    uint32_t array[128];
    for (uint32_t i = 0; i < 128; i++)
        array[i] = i * i;
    struct packed_section s = pack(array, 128, 4, NULL, UINT64_MAX, 1);
    unsigned char *words = s.bytes + s.size - 16;
    put_u64(words, get_u64(words) - 2);
    report(packed_open(&packed, s.bytes, s.size, 4, 128, "x", &e) == ST_BAD_DATA,
           "words between the blocks and the directory");
    free(s.bytes);
    memset(array, 0, sizeof array);
    s = pack(array, 128, 4, NULL, UINT64_MAX, 1);
    put_u64(s.bytes + 8, UINT64_MAX);
    e = (struct error){0};
    report(packed_open(&packed, s.bytes, s.size, 4, 128, "x", &e) == ST_BAD_DATA,
           "a number of words that wraps around");
    free(s.bytes);
}

/* Estimates are within an eighth for the same mixture of blocks everywhere. */
static void test_estimates(void)
{
    enum { COUNT = 128 * 3000 + 17 };
    uint32_t *array = bytes_of(4 * COUNT);
    for (uint64_t i = 0; i < COUNT; i++)
        array[i] = (uint32_t)draw() >> (i / 128 % 5 * 5);
    struct packed_section s = pack(array, COUNT, 4, NULL, UINT64_MAX, 2);
    uint64_t estimate = packed_estimate(4, array, COUNT);
    report(estimate > s.size / 8 * 7 && estimate < s.size / 8 * 9,
           "an estimate comes near the size");
    report(packed_estimate(4, array, 0) == 0, "the estimate of nothing");
    free(s.bytes);
    s = pack(array, 129, 4, NULL, UINT64_MAX, 1);
    estimate = packed_estimate(4, array, 129);
    report(estimate <= s.size && estimate + 20 >= s.size, "the estimate of two blocks");
    free(s.bytes);
    free(array);
}

int main(void)
{
    for (uint32_t width = 4; width <= 8; width += 4) {
        test_arrays(width);
        test_rows(width, 0);
        test_rows(width, 1);
        test_flips(width);
        test_garbage(width);
    }
    test_sizes();
    test_bytes();
    test_groups();
    test_threads();
    test_bad_offsets();
    test_refusals();
    test_word_counts();
    test_estimates();
    report(checked_bytes > 0, "decoded bytes were looked at");
    report(budget.taken_bytes == 0, "all memory was given back");
    return unit_result();
}
