/* test_counts.c: counts over a listed frontier depend neither on its order nor on its pieces, as threads list
 * their finds in any order */
#include "unit.h"

#include "traverse/cpu/cpu_device.h"

#include <string.h>

enum { ROWS = 3000, LISTED = 1100 };

static uint64_t state = 1;

static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

/* Rows of up to `longest` columns, in descending order; most are short if `skew` is high. One row in `rare` has
 * edges. */
struct shape {
    const char *name;
    uint64_t longest, skew, rare;
    double least, most; /* bounds of the counted over the true number of edges */
};

struct graph {
    struct shard shard;
    struct device dev;
    uint64_t sources[(ROWS + 63) / 64];
    uint32_t offsets[ROWS + 1];
};

static void make_graph(struct graph *g, const struct shape *shape)
{
    struct csr *csr = &g->shard.csr[NN];
    memset(g, 0, sizeof *g);
    for (uint32_t row = 0; row < ROWS; row++) {
        uint64_t length = 1 + (shape->longest - 1) / (1 + row * shape->skew / 100);
        int has_edges = draw(shape->rare) == 0;
        g->sources[row / 64] |= (uint64_t)has_edges << (row % 64);
        g->offsets[row + 1] = g->offsets[row] + (has_edges ? (uint32_t)length : 0);
        csr->source_rows += (uint64_t)has_edges;
    }
    csr->rows = ROWS;
    csr->edges = g->offsets[ROWS];
    csr->offsets = (void *)g->offsets;
    csr->offset_width = 4;
    csr->sources = g->sources;
    g->dev.shard = &g->shard;
    g->dev.normals.longest = shape->longest;
}

static void shuffle(uint32_t *list, uint64_t size)
{
    for (uint64_t i = size; i-- > 1;) {
        uint64_t j = draw(i + 1);
        uint32_t id = list[i];
        list[i] = list[j];
        list[j] = id;
    }
}

static struct row_count count_pieces(const struct graph *g, const uint32_t *list, uint64_t longest_piece)
{
    struct row_count sum = {0};
    for (uint64_t at = 0, size; at < LISTED; at += size) {
        size = 1 + draw(longest_piece);
        size = size < LISTED - at ? size : LISTED - at;
        struct row_count count = count_sparse(&g->dev, NN, list + at, size);
        sum.rows += count.rows;
        sum.edges += count.edges;
    }
    return sum;
}

static void test_shape(const struct shape *shape)
{
    struct graph g;
    char name[100];
    uint32_t ids[ROWS];
    uint64_t edges = 0, rows = 0;
    int alike = 1;
    make_graph(&g, shape);
    for (uint32_t i = 0; i < ROWS; i++)
        ids[i] = i;
    shuffle(ids, ROWS);
    struct row_count first = count_sparse(&g.dev, NN, ids, LISTED);
    for (int i = 0; i < LISTED; i++) {
        rows += (uint64_t)mask_bit(g.sources, ids[i]);
        edges += g.offsets[ids[i] + 1] - g.offsets[ids[i]];
    }
    for (uint64_t longest = 1; longest <= LISTED; longest *= 4) {
        shuffle(ids, LISTED);
        struct row_count again = count_pieces(&g, ids, longest);
        alike &= again.rows == first.rows && again.edges == first.edges;
    }
    snprintf(name, sizeof name, "%s: in any order and pieces the same", shape->name);
    report(alike, name);
    snprintf(name, sizeof name, "%s: all rows with edges", shape->name);
    report(first.rows == rows, name);
    snprintf(name, sizeof name, "%s: about as many edges as there are", shape->name);
    report((double)first.edges >= shape->least * (double)edges &&
               (double)first.edges <= shape->most * (double)edges,
           name);
}

int main(void)
{
    static const struct shape shapes[] = {{"equal rows", 4, 0, 1, 1, 1},
                                          {"rows about equally long", 6, 2, 1, 0.7, 1.4},
                                          {"such rows, some empty", 6, 2, 3, 0.7, 1.4},
                                          {"short and shorter rows", 60, 100, 1, 1, 1},
                                          {"a few long rows", 2000, 100, 1, 1, 1},
                                          {"few rows with edges", 60, 100, 30, 1, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        test_shape(&shapes[i]);
    return unit_result();
}
