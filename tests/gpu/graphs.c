/* graphs.c: see graphs.h */
#include "graphs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *need_memory(size_t bytes)
{
    void *memory = calloc(bytes > 0 ? bytes : 1, 1);
    if (memory == NULL) {
        fprintf(stderr, "not ok - no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

/* ---- rows ---- */

enum { HUB_EDGES = 1000000, LONG_ROWS = 192 };

static const uint16_t cutoffs[] = {0,    1,    2,    3,    7,    8,    9,    15,   16,   17,   18,
                                   31,   32,   33,   34,   48,   49,   63,   64,   65,   66,   127,
                                   128,  129,  255,  256,  257,  511,  512,  513,  1023, 1024, 1025,
                                   1026, 1535, 1536, 1537, 2047, 2048, 2049, 4095, 4096, 4097};

static uint64_t row_length(const struct graph_spec *spec, uint64_t row, uint64_t rows,
                           uint32_t heads, uint64_t *random)
{
    uint64_t r = next_random(random);
    switch (spec->lengths) {
    case ROWS_EMPTY:
        return 0;
    case ROWS_SHORT:
        return r % 13;
    case ROWS_CUTOFFS: /* rows of each length, and of that length behind the heads */
        return cutoffs[r % (sizeof cutoffs / sizeof *cutoffs)] + (r >> 32 & 1 ? heads : 0);
    case ROWS_HUB:
        return row == 0 || row == rows - 1 ? HUB_EDGES : r % 4;
    case ROWS_LONG:
        return row < LONG_ROWS ? 1000 + r % 3000 : 0;
    case ROWS_FULL:
        return UINT64_MAX;
    }
    return 0;
}

/* ---- subgraphs ---- */

/* The range of destinations: 0 to count-1 of one device, or codes of `p` devices. */
struct columns {
    uint64_t per_shard, count;
    uint32_t local_bits;
};

static uint64_t column_code(const struct columns *c, uint64_t i)
{
    return c->local_bits == 0 ? i : (i / c->per_shard) << c->local_bits | i % c->per_shard;
}

static void put_number(void *array, uint32_t width, uint64_t i, uint64_t value)
{
    if (width == 4)
        ((uint32_t *)array)[i] = (uint32_t)value;
    else
        ((uint64_t *)array)[i] = value;
}

/* The columns of a row: one from each of `length` equal stretches. */
static void fill_row(struct csr *csr, uint64_t row, uint64_t length, uint64_t at,
                     const struct columns *c, uint64_t *random)
{
    for (uint64_t j = 0; j < csr->head_columns; j++)
        ((uint32_t *)csr->heads)[j * csr->rows + row] = HEAD_NONE;
    for (uint64_t j = 0; j < length; j++) {
        uint64_t begin = j * c->count / length, end = (j + 1) * c->count / length;
        uint64_t code = column_code(c, begin + next_random(random) % (end - begin));
        if (j < csr->head_columns)
            ((uint32_t *)csr->heads)[j * csr->rows + row] = (uint32_t)code;
        else
            put_number((void *)csr->columns, csr->column_width, at + j - csr->head_columns, code);
    }
    if (length > 0)
        ((uint64_t *)csr->sources)[row / 64] |= UINT64_C(1) << (row % 64);
    csr->source_rows += length > 0;
}

static void make_csr(struct csr *csr, const struct graph_spec *spec, uint64_t rows,
                     uint32_t column_width, const struct columns *c, uint64_t *random)
{
    uint32_t k = column_width == 4 ? spec->heads : 0;
    uint64_t *length = need_memory(rows * sizeof *length), rest = 0;
    *csr = (struct csr){.rows = rows,
                        .head_columns = k,
                        .offset_width = spec->offset_width,
                        .column_width = column_width,
                        .heads = need_memory(k * rows * 4),
                        .offsets = need_memory((rows + 1) * spec->offset_width),
                        .sources = need_memory(mask_words(rows) * 8)};
    for (uint64_t row = 0; row < rows; row++) {
        length[row] = row_length(spec, row, rows, k, random);
        if (length[row] > c->count)
            length[row] = c->count;
        rest += length[row] > k ? length[row] - k : 0;
        csr->edges += length[row];
        put_number((void *)csr->offsets, csr->offset_width, row + 1, rest);
    }
    csr->column_count = rest;
    csr->columns = need_memory(rest * column_width);
    for (uint64_t row = 0; row < rows; row++)
        fill_row(csr, row, length[row], csr_offset(csr, row), c, random);
    free(length);
}

static uint32_t bits_for(uint64_t count)
{
    uint32_t bits = 1;
    while (count > UINT64_C(1) << bits)
        bits++;
    return bits;
}

struct shard *graph_make(const struct graph_spec *spec)
{
    struct shard *shard = need_memory(sizeof *shard);
    uint64_t random = spec->d + spec->locals + spec->heads;
    *shard = (struct shard){.index = spec->index,
                            .p = spec->p,
                            .n = spec->p * spec->locals + spec->d,
                            .th = spec->th,
                            .d = spec->d,
                            .locals = spec->locals,
                            .local_bits = spec->nn_width == 8 ? 31 : bits_for(spec->locals)};
    struct columns codes = {spec->locals, spec->p * spec->locals, shard->local_bits};
    struct columns locals = {0, spec->locals, 0}, delegates = {0, spec->d, 0};
    make_csr(&shard->csr[NN], spec, spec->locals, spec->nn_width, &codes, &random);
    make_csr(&shard->csr[ND], spec, spec->locals, 4, &delegates, &random);
    make_csr(&shard->csr[DN], spec, spec->d, 4, &locals, &random);
    make_csr(&shard->csr[DD], spec, spec->d, 4, &delegates, &random);
    uint32_t *ids = need_memory(spec->d * sizeof *ids); /* of all delegates, owned by the shards in turn */
    for (uint32_t i = 0; i < spec->d; i++)
        ids[i] = i;
    shard->ids = (struct shard_ids){.delegates = ids, .delegate_width = sizeof *ids};
    return shard;
}

void graph_free(struct shard *shard)
{
    for (int g = 0; g < SUBGRAPHS; g++) {
        free((void *)shard->csr[g].heads);
        free((void *)shard->csr[g].offsets);
        free((void *)shard->csr[g].columns);
        free((void *)shard->csr[g].sources);
    }
    free((void *)shard->ids.delegates);
    free(shard);
}

int csr_has_edge(const struct csr *csr, uint64_t row, uint64_t column)
{
    if (row >= csr->rows)
        return 0;
    for (uint64_t j = 0; j < csr->head_columns; j++) {
        if (csr->heads[j * csr->rows + row] == column)
            return 1;
    }
    uint64_t low = csr_offset(csr, row), end = csr_offset(csr, row + 1), high = end;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (csr_column(csr, middle) < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && csr_column(csr, low) == column;
}

/* ---- masks ---- */

const char *const mask_kind_name[] = {"none", "one", "few", "half", "most", "all"};

uint64_t *mask_make(uint64_t bits, enum mask_kind kind, uint64_t *random)
{
    static const int of_64[] = {0, 0, 2, 32, 61, 64};
    uint64_t *mask = need_memory(mask_words(bits) * sizeof *mask);
    for (uint64_t i = 0; i < bits; i++) {
        if (next_random(random) % 64 < (uint64_t)of_64[kind])
            mask[i / 64] |= UINT64_C(1) << (i % 64);
    }
    if (kind == MASK_ONE && bits > 0)
        mask[0] |= 1; /* the first vertex has the highest degree */
    return mask;
}

uint64_t mask_list(const uint64_t *mask, uint64_t bits, uint32_t **list)
{
    uint64_t count = 0;
    *list = need_memory(bits * sizeof **list);
    for (uint64_t i = 0; i < bits; i++) {
        if (mask_bit(mask, i))
            (*list)[count++] = (uint32_t)i;
    }
    return count;
}
