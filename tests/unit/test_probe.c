/* test_probe.c: twins of the inner loops of pulls and answers find the same as those, next to each limit */
#include "unit.h"

#include "traverse/engine/engine.h"
#include "traverse/cpu/cpu_probe.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, VERTICES = 5000, MOST_COLUMNS = 40, ROUNDS = 300 };

static uint64_t state = 1;

static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

struct input {
    uint64_t mask[(VERTICES + 63) / 64];
    uint32_t heads[ROWS], offsets[ROWS + 1];
    uint64_t wide_offsets[ROWS + 1];
    uint32_t *columns; /* as long as the rows, so that a read behind them is noticed */
    uint64_t rows;
};

/* One in `rare` vertices is in the mask, and rows are of all lengths. */
static void draw_input(struct input *in, uint64_t rare)
{
    uint32_t at = 0;
    memset(in->mask, 0, sizeof in->mask);
    for (uint64_t v = 0; v < VERTICES; v++)
        in->mask[v / 64] |= (uint64_t)(draw(rare) == 0) << (v % 64);
    for (int i = 0; i < ROWS; i++) {
        in->heads[i] = draw(5) == 0 ? HEAD_NONE : (uint32_t)draw(VERTICES);
        in->offsets[i] = at;
        in->wide_offsets[i] = at;
        at += (uint32_t)draw(MOST_COLUMNS);
    }
    in->offsets[ROWS] = at;
    in->wide_offsets[ROWS] = at;
    free(in->columns);
    in->columns = malloc(at > 0 ? at * sizeof *in->columns : 1);
    for (uint32_t i = 0; i < at; i++)
        in->columns[i] = (uint32_t)draw(VERTICES);
    in->rows = draw(3) == 0 ? UINT64_MAX : (draw(UINT64_C(1) << 31) << 33) ^ (draw(UINT64_C(1) << 31) << 2);
}

static uint64_t low_rows(uint64_t rows, uint64_t count)
{
    return count < 64 ? rows & ((UINT64_C(1) << count) - 1) : rows;
}

/* The parents that a head column must find, row by row. */
static uint64_t expected_heads(const struct input *in, uint64_t rows)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < ROWS; i++) {
        if ((rows >> i & 1) && in->heads[i] != HEAD_NONE && mask_bit(in->mask, in->heads[i]))
            found |= UINT64_C(1) << i;
    }
    return found;
}

static int heads_agree(const struct probes *probes, const struct input *in, uint64_t count)
{
    uint64_t rows = low_rows(in->rows, count);
    return probes->probe_heads(in->heads, rows, count, in->mask) == expected_heads(in, rows);
}

static int adopts_agree(const struct probes *probes, const struct input *in, uint64_t count)
{
    uint32_t parents[ROWS];
    uint64_t rows = low_rows(in->rows, count);
    int right = 1;
    for (uint32_t i = 0; i < ROWS; i++)
        parents[i] = i;
    probes->adopt_heads(parents, in->heads, rows, count, 1u << 31);
    for (uint32_t i = 0; i < ROWS; i++)
        right &= parents[i] == ((rows >> i & 1) ? 1u << 31 | in->heads[i] : i);
    return right;
}

static int rests_agree(const struct probes *probes, const struct input *in, int wide)
{
    struct csr csr = {.rows = ROWS,
                      .offset_width = wide ? 8 : 4,
                      .column_width = 4,
                      .offsets = wide ? (const void *)in->wide_offsets : in->offsets,
                      .columns = in->columns};
    uint32_t parents[ROWS] = {0};
    uint64_t found = probes->probe_rests(&csr, 0, in->rows, in->mask, 1u << 31, parents), expected = 0;
    int right = found == probes->probe_rests(&csr, 0, in->rows, in->mask, 0, NULL);
    for (uint64_t i = 0; i < ROWS; i++) {
        uint32_t at = in->offsets[i], parent = 0;
        while ((in->rows >> i & 1) && at < in->offsets[i + 1] && !mask_bit(in->mask, in->columns[at]))
            at++;
        if ((in->rows >> i & 1) && at < in->offsets[i + 1]) {
            expected |= UINT64_C(1) << i;
            parent = 1u << 31 | in->columns[at];
        }
        right &= parents[i] == parent;
    }
    return right && found == expected;
}

static int marks_agree(const struct probes *probes, const struct input *in, uint64_t count)
{
    int32_t depth[2 * ROWS];
    int right = 1;
    uint64_t bits = low_rows(in->rows, count - ROWS);
    for (int i = 0; i < 2 * ROWS; i++)
        depth[i] = -i;
    probes->mark(depth, count, 1, bits, 7);
    for (int i = 0; i < 2 * ROWS; i++)
        right &= depth[i] == (i >= ROWS && (bits >> (i - ROWS) & 1) ? 7 : -i);
    return right;
}

enum { LOCALS = 700, DELEGATES_OF_TEST = 41, IDS = 1000, KINDS_OF_PARENT = 5 };

/* The values of vertices after a search, and the vertex of each id. */
struct values {
    uint32_t vertex[IDS], records[LOCALS + DELEGATES_OF_TEST + 1];
    int32_t ids[LOCALS + DELEGATES_OF_TEST], expected[LOCALS + DELEGATES_OF_TEST + 1];
};

static void draw_values(struct values *v)
{
    enum { VERTICES_OF_TEST = LOCALS + DELEGATES_OF_TEST };
    for (uint32_t i = 0; i < IDS; i++)
        v->vertex[i] = (uint32_t)draw(VERTICES_OF_TEST + 1);
    for (uint32_t i = 0; i < VERTICES_OF_TEST; i++)
        v->ids[i] = (int32_t)draw(IDS);
    for (uint32_t i = 0; i < VERTICES_OF_TEST; i++) {
        uint32_t local = (uint32_t)draw(LOCALS), delegate = (uint32_t)draw(DELEGATES_OF_TEST);
        const uint32_t records[KINDS_OF_PARENT] = {local, delegate | PARENT_DELEGATE_BIT, PARENT_NONE,
                                                   PARENT_REMOTE, PARENT_SELF};
        const int32_t expected[KINDS_OF_PARENT] = {v->ids[local], v->ids[LOCALS + delegate], -1, -1,
                                                   v->ids[i]};
        uint64_t kind = draw(100) == 0 ? 4 : draw(4); /* few vertices are roots */
        v->records[i] = records[kind];
        v->expected[i] = expected[kind];
    }
    v->records[VERTICES_OF_TEST] = PARENT_NONE;
    v->expected[VERTICES_OF_TEST] = -1;
}

/* Compares the first `count` ids from `first` on. The next one must stay as it is. */
static int values_agree(const struct probes *probes, const struct values *v, uint64_t first,
                        uint64_t count)
{
    const struct named_parents parents = {v->records, v->ids, LOCALS};
    int32_t gathered[IDS + 1], named[IDS + 1];
    gathered[count] = named[count] = 12345;
    probes->gather(v->vertex + first, v->expected, count, gathered);
    probes->name_parents(&parents, v->vertex + first, count, named);
    int right = gathered[count] == 12345 && named[count] == 12345;
    for (uint64_t i = 0; i < count; i++) {
        int32_t expected = v->expected[v->vertex[first + i]];
        right &= gathered[i] == expected && named[i] == expected;
    }
    return right;
}

static void test_values(const struct probes *probes, const char *twin)
{
    static struct values v;
    char name[128];
    int right = 1;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t first = draw(IDS);
        draw_values(&v);
        right &= values_agree(probes, &v, 0, IDS) && values_agree(probes, &v, first, draw(IDS - first));
    }
    snprintf(name, sizeof name, "%s: values and the ids of parents by id", twin);
    report(right, name);
}

static void test_probes(const struct probes *probes, const char *twin)
{
    static struct input in;
    int heads = 1, adopts = 1, rests = 1, marks = 1;
    char name[128];
    for (uint64_t round = 0; round < ROUNDS; round++) {
        draw_input(&in, 1 + draw(30));
        heads &= heads_agree(probes, &in, 64) && heads_agree(probes, &in, 1 + draw(63));
        adopts &= adopts_agree(probes, &in, 64) && adopts_agree(probes, &in, 1 + draw(63));
        rests &= rests_agree(probes, &in, 0) && rests_agree(probes, &in, 1);
        marks &= marks_agree(probes, &in, 2 * ROWS) && marks_agree(probes, &in, ROWS + 1 + draw(63));
    }
    free(in.columns);
    in.columns = NULL;
    snprintf(name, sizeof name, "%s: rows with a head in the mask", twin);
    report(heads, name);
    snprintf(name, sizeof name, "%s: heads become parents", twin);
    report(adopts, name);
    snprintf(name, sizeof name, "%s: the first column of the rest of a row in the mask", twin);
    report(rests, name);
    snprintf(name, sizeof name, "%s: depths of the bits of a word", twin);
    report(marks, name);
    test_values(probes, twin);
}

int main(void)
{
    test_probes(&probes_plain, "plain");
    test_probes(probes_best(), probes_best() == &probes_plain ? "plain again" : "vectors");
    return unit_result();
}
