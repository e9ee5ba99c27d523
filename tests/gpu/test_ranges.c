/* test_ranges.c: cuda_find_faults and csr_find_faults agree on subgraphs as they are and with one number changed
 *
 * The change may be in any array. Both sides name the same first fault and count the same edges and rows. */
#include "checks.h"
#include "steps.h"
#include "tests.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One number of an array. */
struct place {
    unsigned char *at;
    uint32_t width;
};

static struct place place_in(const void *array, uint32_t width, uint64_t count, uint64_t random)
{
    if (count == 0)
        return (struct place){NULL, 0};
    return (struct place){(unsigned char *)array + random % count * width, width};
}

/* The first and the last offset stay, as loading compares them. */
static struct place choose_place(const struct csr *csr, uint64_t random)
{
    uint64_t inner = csr->rows > 1 ? csr->rows - 1 : 0, at = random >> 8;
    switch (random % 4) {
    case 0: return place_in(csr->heads, 4, csr->heads != NULL ? csr->rows * csr->head_columns : 0, at);
    case 1: return place_in(csr->columns, csr->column_width, csr->column_count, at);
    case 2:
        return place_in((const char *)csr->offsets + csr->offset_width, csr->offset_width, inner, at);
    default: return place_in(csr->sources, 8, csr->rows / 64, at);
    }
}

static uint64_t choose_value(const struct column_bounds *bounds, uint64_t random)
{
    const uint64_t values[] = {bounds->bound - 1, bounds->bound, bounds->bound + 1, 0,
                               UINT32_MAX,        UINT64_MAX,    random,            random >> 40};
    return values[random % (sizeof values / sizeof *values)];
}

static void compare(const struct csr *csr, const struct column_bounds *bounds, int intact)
{
    struct csr_faults kernel, twin;
    kernel_find_faults(csr, bounds, &kernel);
    csr_find_faults(csr, NULL, bounds, 2, &twin);
    for (int f = 0; f < RANGE_FAULTS; f++) {
        check_that(kernel.first[f] == twin.first[f],
                   "fault %d: at %" PRIu64 " for the kernel, %" PRIu64 " for the twin", f,
                   kernel.first[f], twin.first[f]);
        check_that(!intact || kernel.first[f] == NO_FAULT, "fault %d in a good subgraph", f);
    }
    check_that(kernel.edges == twin.edges && kernel.source_rows == twin.source_rows,
               "counts differ from the twin's");
    check_that(!intact || (kernel.edges == csr->edges && kernel.source_rows == csr->source_rows),
               "counts of a good subgraph are wrong");
}

static void run_changes(const struct csr *csr, const struct column_bounds *bounds, int changes,
                        uint64_t *random)
{
    compare(csr, bounds, 1);
    for (int i = 0; i < changes; i++) {
        struct place place = choose_place(csr, next_random(random));
        uint64_t value = choose_value(bounds, next_random(random)), old = 0;
        if (place.at == NULL)
            continue;
        memcpy(&old, place.at, place.width);
        memcpy(place.at, &value, place.width);
        compare(csr, bounds, 0);
        memcpy(place.at, &old, place.width);
    }
}

void test_ranges(const struct shard *shard, const struct graph_spec *spec)
{
    uint32_t *locals = need_memory(shard->p * sizeof *locals);
    uint64_t random = shard->locals;
    for (uint32_t s = 0; s < shard->p; s++)
        locals[s] = (uint32_t)shard->locals;
    kernel_use(NULL);
    check_begin();
    for (int g = 0; g < SUBGRAPHS; g++) {
        const struct csr *csr = &shard->csr[g];
        struct column_bounds bounds = csr_column_bounds(shard, (enum subgraph)g, locals);
        check_input("%s", subgraph_name[g]);
        run_changes(csr, &bounds, changes_of(csr->column_count < 100000 ? 60 : 6), &random);
    }
    check_end("cuda_find_faults: %s", spec->name);
    free(locals);
}
