/* test_columns.c: the twins that read columns from packed blocks give the packed columns, from any element on, and
 * find the first one in a mask.
 *
 * A section lies in an allocation of exactly its size, so that AddressSanitizer sees every access outside it. */
#include "unit.h"

#include "formats/base/hash.h"
#include "traverse/cpu/cpu_probe.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 192, MOST_COLUMNS = 700, MOST = ROWS * MOST_COLUMNS, ROUNDS = 40, SHAPES = 7 };

static uint64_t drawn;

static uint64_t below(uint64_t limit)
{
    return random64(11, drawn++) % limit;
}

/* Rows of one shape, packed. `heads` is the last of `k` head columns. */
struct input {
    uint32_t offsets[ROWS + 1], heads[2 * ROWS], columns[MOST];
    unsigned char *section;
    struct packed_place *place;
    struct csr csr;
};

/* Gaps of 1; small gaps; gaps of up to 2^17; of up to 2^30; rows of one column of 12 bits, and of 30 bits; mostly
 * gaps of 1, so that whole words of the vector are set. */
static uint32_t draw_gap(int shape)
{
    switch (shape) {
    case 0: return 1;
    case 1: return 1 + (uint32_t)below(4);
    case 2: return 1 + (uint32_t)below(1 << 17);
    case 3: return 1 + (uint32_t)below(1 << 30);
    case 4: return (uint32_t)below(1 << 12);
    case 5: return (uint32_t)below(1 << 30);
    default: return below(100) == 0 ? 1 + (uint32_t)below(1 << 14) : 1;
    }
}

static uint32_t draw_length(int shape)
{
    if (shape == 4 || shape == 5)
        return (uint32_t)below(2);
    if (shape == 3)
        return (uint32_t)below(4);
    return below(8) == 0 ? (uint32_t)below(MOST_COLUMNS) : (uint32_t)below(20);
}

static void draw_rows(struct input *in, int shape, uint32_t k)
{
    uint32_t at = 0;
    for (uint32_t row = 0; row < ROWS; row++) {
        uint32_t length = draw_length(shape), column = k > 0 ? (uint32_t)below(50) : UINT32_MAX;
        in->offsets[row] = at;
        in->heads[row] = 0;
        in->heads[(k > 0 ? k - 1 : 0) * ROWS + row] = column;
        for (uint32_t i = 0; i < length; i++)
            in->columns[at++] = column += draw_gap(shape);
    }
    in->offsets[ROWS] = at;
}

/* The section, and its directory as shard_load makes it. Nonzero where that fails. */
static int pack_rows(struct input *in, uint32_t k)
{
    struct memory_budget budget = {.limit_bytes = 1 << 28};
    struct error e = {0};
    struct packed_encoder encoder;
    struct packed packed;
    uint64_t count = in->offsets[ROWS], blocks = packed_blocks(count);
    struct packed_rows rows = {ROWS, in->offsets, 4, k > 0 ? in->heads + (k - 1) * ROWS : NULL};
    uint32_t *words = malloc(packed_most_words(4, count) * 4 + 4);
    struct packed_block *block = malloc((blocks + 1) * sizeof *block);
    packed_encoder_init(&encoder, 4, &budget);
    uint64_t made = packed_encode_blocks(4, &rows, in->columns, count, words, block, 1);
    packed_encoder_add(&encoder, count, block, made, &e);
    uint64_t size = made * 4 + packed_directory_bytes(&encoder);
    in->section = malloc(size + 1);
    in->place = malloc((blocks + 1) * sizeof *in->place);
    memcpy(in->section, words, made * 4);
    packed_directory(&encoder, in->section + made * 4);
    in->section = realloc(in->section, size);
    int failed = packed_open(&packed, in->section, size, 4, count, "test", &e) != ST_OK ||
                 packed_places(&packed, in->place, 2) != ST_OK;
    in->csr = (struct csr){.rows = ROWS,
                           .head_columns = k,
                           .offset_width = 4,
                           .column_width = 4,
                           .column_count = count,
                           .heads = k > 0 ? in->heads : NULL,
                           .offsets = in->offsets,
                           .packed = {(const uint32_t *)packed.bits, in->place,
                                      (const uint64_t *)packed.group}};
    free(words);
    free(block);
    packed_encoder_free(&encoder);
    return failed;
}

static int decodes(const struct probes *probes, const struct input *in)
{
    uint32_t capacity[COLUMN_CAPACITY];
    for (uint32_t row = 0; row < ROWS; row++) {
        uint64_t end = in->offsets[row + 1];
        for (uint64_t at = in->offsets[row]; at < end; at += 1 + below(5)) {
            struct column_run run = next_columns(probes->decode, &in->csr, row, at, at + 1 + below(end - at), capacity);
            if (memcmp(run.columns, in->columns + at, run.count * sizeof *capacity) != 0 || run.count == 0 ||
                csr_column_of_row(&in->csr, row, at) != in->columns[at])
                return 0;
        }
    }
    return 1;
}

static int is_in(const uint64_t *mask, uint32_t column)
{
    return mask_bit(mask, column);
}

/* A mask is not asked about columns of shapes that exceed it. */
enum { MASK_BITS = 1 << 27 };

static int finds(const struct probes *probes, const struct input *in, const uint64_t *mask)
{
    uint32_t parents[ROWS] = {0};
    for (uint32_t base = 0; base < ROWS; base += 64) {
        uint64_t rows = random64(5, drawn++), expected = 0;
        uint64_t found = probes->probe_rests(&in->csr, base, rows, mask, 1u << 31, parents);
        int right = found == probes->probe_rests(&in->csr, base, rows, mask, 0, NULL);
        for (uint32_t row = base; row < base + 64; row++) {
            uint32_t at = in->offsets[row], end = in->offsets[row + 1], parent = 0;
            while ((rows >> (row - base) & 1) && at < end && !is_in(mask, in->columns[at]))
                at++;
            if ((rows >> (row - base) & 1) && at < end) {
                expected |= UINT64_C(1) << (row - base);
                parent = 1u << 31 | in->columns[at];
            }
            right &= parents[row] == parent;
        }
        if (!right || found != expected)
            return 0;
    }
    return 1;
}

/* Notes the kinds of blocks that the rounds have had. */
static void note_kinds(const struct input *in, int kinds[4])
{
    for (uint64_t i = 0; i < packed_blocks(in->csr.column_count); i++) {
        uint32_t kind = in->place[i].entry >> POSITION_BITS;
        kinds[0] |= (kind & KIND_GAPS) == 0;
        kinds[1] |= (kind & KIND_GAPS) != 0 && (kind & KIND_NO_VECTOR) != 0;
        kinds[2] |= (kind & KIND_GAPS) != 0 && (kind & KIND_NO_VECTOR) == 0;
        kinds[3] |= (kind & KIND_GAPS) != 0 && (kind & KIND_LOW_BITS_OF_4) > 25;
    }
}

static void test_readers(const struct probes *probes, const char *twin)
{
    static struct input in;
    uint64_t *mask = calloc(MASK_BITS / 64, sizeof *mask);
    int decoded = 1, found = 1, kinds[4] = {0};
    char name[128];
    for (int round = 0; round < ROUNDS; round++) {
        int shape = round % SHAPES;
        uint32_t k = (uint32_t)below(3), rare = 1 + (uint32_t)below(60);
        draw_rows(&in, shape, k);
        if (pack_rows(&in, k)) {
            decoded = 0;
            continue;
        }
        note_kinds(&in, kinds);
        decoded &= decodes(probes, &in);
        memset(mask, 0, MASK_BITS / 8);
        for (uint32_t i = 0; i < in.offsets[ROWS]; i += rare)
            mask[in.columns[i] % MASK_BITS / 64] |= UINT64_C(1) << (in.columns[i] % 64);
        if (shape != 3 && shape != 5)
            found &= finds(probes, &in, mask);
        free(in.section);
        free(in.place);
    }
    free(mask);
    snprintf(name, sizeof name, "%s: columns from any element on", twin);
    report(decoded, name);
    snprintf(name, sizeof name, "%s: the first column of the rest of a row in the mask", twin);
    report(found, name);
    report(kinds[0] && kinds[1] && kinds[2] && kinds[3], "frames, gaps, wide codes, blocks without a vector");
}

int main(void)
{
    test_readers(&probes_plain, "plain");
    test_readers(probes_best(), probes_best() == &probes_plain ? "plain again" : "vectors");
    return unit_result();
}
