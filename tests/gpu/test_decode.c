/* test_decode.c: decoding packed sections on the device, damaged ones too, against formats/container/packed.c */
#include "checks.h"
#include "steps.h"
#include "tests.h"

#include "formats/container/packed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct array {
    const void *elements;
    uint64_t count;
    uint32_t width;
    const struct packed_rows *rows; /* NULL: not columns */
};

/* A section as it lies in a file. The caller frees it. */
static unsigned char *pack(const struct array *a, uint64_t *size)
{
    struct memory_budget budget = {.limit_bytes = UINT64_MAX};
    struct packed_encoder encoder;
    struct error e = {0};
    struct packed_block *block = need_memory(packed_blocks(a->count) * sizeof *block);
    uint32_t *words = need_memory(packed_most_words(a->width, a->count) * 4 + 64);
    uint64_t made = packed_encode_blocks(a->width, a->rows, a->elements, a->count, words, block, 1);
    packed_encoder_init(&encoder, a->width, &budget);
    check_that(packed_encoder_add(&encoder, a->count, block, made, &e) == ST_OK, "%s", e.text);
    *size = made * 4 + packed_directory_bytes(&encoder);
    unsigned char *bytes = need_memory(*size);
    memcpy(bytes, words, made * 4);
    packed_directory(&encoder, bytes + made * 4);
    packed_encoder_free(&encoder);
    free(block);
    free(words);
    return bytes;
}

/* Compares the outcomes of both sides. Elements count if the section can be decoded. */
static void compare(const struct packed *section, uint64_t size, const struct array *a, int damaged)
{
    size_t bytes = a->count * a->width;
    void *kernel = need_memory(bytes), *twin = need_memory(bytes);
    int good = kernel_decode(section, size, a->rows, kernel);
    int twin_good = packed_decode_all(section, a->rows, twin, 1) == ST_OK;
    check_that(good == twin_good, "it is %s for the kernel, and %s for the twin",
               good ? "good" : "bad", twin_good ? "good" : "bad");
    check_that(!good || memcmp(kernel, twin, bytes) == 0, "elements differ from the twin's");
    check_that(damaged || memcmp(kernel, a->elements, bytes) == 0, "elements are not those packed");
    free(kernel);
    free(twin);
}

static void run_decode(const struct array *a, int damages)
{
    uint64_t size, random = a->count;
    unsigned char *bytes = pack(a, &size);
    for (int i = 0; i <= damages && (i == 0 || size > 0); i++) {
        struct error e = {0};
        struct packed section;
        uint64_t r = next_random(&random),
                 at = i > 0 ? (i % 2 ? r % size : size - 1 - r % size / 8) : 0;
        if (i > 0)
            bytes[at] ^= (unsigned char)(1 << (r >> 60 & 7));
        if (packed_open(&section, bytes, size, a->width, a->count, "test", &e) == ST_OK)
            compare(&section, size, a, i > 0);
        else
            check_that(i > 0, "%s", e.text);
        if (i > 0)
            bytes[at] ^= (unsigned char)(1 << (r >> 60 & 7));
    }
    free(bytes);
}

void test_columns(const struct shard *shard, const struct graph_spec *spec)
{
    check_begin();
    for (int g = 0; g < SUBGRAPHS; g++) {
        const struct csr *csr = &shard->csr[g];
        struct packed_rows rows = {.rows = csr->rows,
                                   .offsets = csr->offsets,
                                   .offset_width = csr->offset_width};
        if (csr->head_columns > 0)
            rows.heads = csr->heads + (csr->head_columns - 1) * csr->rows;
        check_input("%s", subgraph_name[g]);
        run_decode(&(struct array){csr->columns, csr->column_count, csr->column_width, &rows},
                   changes_of(csr->column_count < 100000 ? 40 : 4));
    }
    check_end("cuda_decode: %s", spec->name);
}

void test_copies(const struct shard *shard, const struct graph_spec *spec)
{
    check_begin();
    for (int g = 0; g < SUBGRAPHS; g++) {
        const struct csr *csr = &shard->csr[g];
        uint64_t begin[TEST_COPIES + 1], wrong = 0;
        uint32_t *copies = kernel_copies((enum subgraph)g, begin);
        for (uint64_t row = 0; copies != NULL && row < csr->rows; row++) {
            const uint64_t first = csr_offset(csr, row), columns = csr_offset(csr, row + 1) - first;
            for (uint32_t j = 0; j < TEST_COPIES; j++) {
                if (row < begin[j + 1] - begin[j])
                    wrong += copies[begin[j] + row] != (j < columns ? ((const uint32_t *)csr->columns)[first + j] : HEAD_NONE);
                else
                    wrong += j < columns;
            }
        }
        check_input("%s", subgraph_name[g]);
        check_that((copies != NULL) == (csr->column_width == 4 && csr->column_count > 0), "copies are there, or not, against what is said");
        check_that(wrong == 0, "%" PRIu64 " copies are not the first columns behind the heads", wrong);
        free(copies);
    }
    check_end("cuda_copy_columns: %s", spec->name);
}

/* ---- arrays without rows ---- */

enum pattern { ZEROS, ONES, RANDOM, SMALL, ASCENDING, STEPS, SCATTERED, PATTERNS };

static uint64_t element(enum pattern pattern, uint64_t i, uint64_t random)
{
    switch (pattern) {
    case ZEROS:
        return 0;
    case ONES:
        return UINT64_MAX;
    case RANDOM:
        return random;
    case SMALL:
        return random % 1000 + (i % 77 == 0 ? UINT64_MAX : 0);
    case ASCENDING:
        return 5 * i + random % 5;
    case STEPS:
        return i / 3;
    case SCATTERED: /* ascends by much now and then */
        return i + (i / 128 << 20);
    default:
        return i;
    }
}

void test_decode(void)
{
    static const uint64_t counts[] = {0, 1, 127, 128, 129, 5000, 600011};
    for (uint32_t width = 4; width <= 8; width += 4) {
        check_begin();
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            const uint64_t count = elements_of(counts[c]);
            void *elements = need_memory(count * width);
            uint64_t random = c;
            for (int pattern = 0; pattern < PATTERNS; pattern++) {
                for (uint64_t i = 0; i < count; i++) {
                    uint64_t value = element((enum pattern)pattern, i, next_random(&random));
                    memcpy((char *)elements + i * width, &value, width);
                }
                check_input("%" PRIu64 " elements, pattern %d", count, pattern);
                run_decode(&(struct array){elements, count, width, NULL}, changes_of(counts[c] < 100000 ? 40 : 2));
            }
            free(elements);
        }
        check_end("cuda_decode: elements of %" PRIu32 " bytes", width);
    }
}
