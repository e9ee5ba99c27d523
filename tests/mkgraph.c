/* mkgraph.c: makes small graphs of known shape for the tests, as text edge lists on standard output
 *
 * It shares no code with dbfs. Each graph depends on the arguments alone. Ids start at 0 and N is the number of
 * vertices, unless said otherwise below. One comment line names the graph. */
#include "textedges.h"

/* The graph `components`. Everything not named is isolated, so n is 1002 (largest id 1001).
 *   ids        shape                                   lines  non-loop  distinct  levels from first
 *   3..7       path 5-3-6-4-7                              4         4         4                  4
 *   20..22     triangle, every edge in both directions     6         6         3                  2
 *   40..60     star with hub 40 and a loop on the hub     21        20        20                  2
 *   70         one loop, nothing else                      1         0         0                  1
 *   90, 1001   an edge from the middle to the last id      1         1         1                  2
 *   100, 101   one edge, three times                       3         3         1                  2
 *   200..263   cycle of 64                                64        64        64                 33
 *   300..309   complete graph of 10                       45        45        45                  2
 */
enum {
    STAR_HUB = 40,
    STAR_LAST = 60,
    CYCLE_FIRST = 200,
    CYCLE_VERTICES = 64,
    CLIQUE_FIRST = 300,
    CLIQUE_VERTICES = 10
};

static void edge(uint64_t u, uint64_t v)
{
    printf("%" PRIu64 "\t%" PRIu64 "\n", u, v);
}

static void path(const uint64_t *arg)
{
    for (uint64_t i = 1; i < arg[0]; i++)
        edge(i - 1, i);
}

static void ring(uint64_t first, uint64_t vertices)
{
    for (uint64_t i = 0; i < vertices; i++)
        edge(first + i, first + (i + 1) % vertices);
}

static void cycle(const uint64_t *arg)
{
    ring(0, arg[0]);
}

static void grid(const uint64_t *arg)
{
    uint64_t rows = arg[0], columns = arg[1];

    for (uint64_t r = 0; r < rows; r++) {
        for (uint64_t c = 0; c < columns; c++) {
            uint64_t v = r * columns + c;
            if (c + 1 < columns)
                edge(v, v + 1);
            if (r + 1 < rows)
                edge(v, v + columns);
        }
    }
}

static void star(const uint64_t *arg)
{
    for (uint64_t leaf = 1; leaf < arg[0]; leaf++)
        edge(0, leaf);
}

static void clique(uint64_t first, uint64_t vertices)
{
    for (uint64_t u = 0; u < vertices; u++)
        for (uint64_t v = u + 1; v < vertices; v++)
            edge(first + u, first + v);
}

static void complete(const uint64_t *arg)
{
    clique(0, arg[0]);
}

static void bipartite(const uint64_t *arg)
{
    for (uint64_t a = 0; a < arg[0]; a++)
        for (uint64_t b = 0; b < arg[1]; b++)
            edge(a, arg[0] + b);
}

/* Binary: the children of v are 2v + 1 and 2v + 2. */
static void tree(const uint64_t *arg)
{
    uint64_t vertices = ((uint64_t)2 << arg[0]) - 1;

    for (uint64_t v = 1; v < vertices; v++)
        edge((v - 1) / 2, v);
}

/* Hubs 0 and 1; the leaves 2 .. L+1 hang on both. */
static void twostars(const uint64_t *arg)
{
    for (uint64_t leaf = 2; leaf < arg[0] + 2; leaf++) {
        edge(0, leaf);
        edge(leaf, 1);
    }
}

static void components(const uint64_t *arg)
{
    (void)arg;
    edge(5, 3);
    edge(3, 6);
    edge(6, 4);
    edge(4, 7);
    ring(20, 3);
    edge(21, 20);
    edge(22, 21);
    edge(20, 22);
    edge(STAR_HUB, STAR_HUB);
    for (uint64_t leaf = STAR_HUB + 1; leaf <= STAR_LAST; leaf++)
        edge(leaf, STAR_HUB);
    edge(70, 70);
    edge(100, 101);
    edge(101, 100);
    edge(100, 101);
    ring(CYCLE_FIRST, CYCLE_VERTICES);
    clique(CLIQUE_FIRST, CLIQUE_VERTICES);
    edge(90, 1001);
}

/* A fixed scrambling of 64 bits: multiply and fold, three times. */
static uint64_t scramble(uint64_t x)
{
    for (int round = 0; round < 3; round++) {
        x = (x + 0x632be59bd9b4e019u) * 0xd1342543de82ef95u;
        x ^= x >> 32;
    }
    return x;
}

/* Draw number `which` (0 to 7) for edge i. */
static uint64_t draw(uint64_t seed, uint64_t i, unsigned which)
{
    return scramble(scramble(seed) ^ (8 * i + which));
}

static void random_pair(uint64_t seed, uint64_t i, uint64_t vertices, uint64_t *u, uint64_t *v)
{
    *u = draw(seed, i, 0) % vertices;
    *v = draw(seed, i, 1) % 16 == 0 ? *u : draw(seed, i, 2) % vertices;
}

/* About one edge in 16 is a loop; about one in 8 repeats an earlier pair, half of those turned
 * round. Vertex i has id 3i + 1, so two ids in three have no edges. */
static void multi(const uint64_t *arg)
{
    uint64_t vertices = arg[0], edges = arg[1], seed = arg[2];

    for (uint64_t i = 0; i < edges; i++) {
        uint64_t fate = draw(seed, i, 3), u, v;
        uint64_t pair = fate % 8 == 0 && i > 0 ? draw(seed, i, 4) % i : i;
        random_pair(seed, pair, vertices, &u, &v);
        if (pair != i && fate / 8 % 2 == 0)
            edge(3 * v + 1, 3 * u + 1);
        else
            edge(3 * u + 1, 3 * v + 1);
    }
}

enum { MAX_ARGS = 3 };

/* The least and largest value of each argument keep each id within TE_MAX_ID; main checks the product of a grid. */
static const struct kind {
    const char *name, *args;
    int arg_count;
    uint64_t least[MAX_ARGS], greatest[MAX_ARGS];
    void (*make)(const uint64_t *arg);
} kinds[] = {
    {"path", "N", 1, {1}, {TE_MAX_ID}, path},
    {"cycle", "N", 1, {3}, {TE_MAX_ID}, cycle},
    {"grid", "ROWS COLUMNS", 2, {1, 1}, {TE_MAX_ID, TE_MAX_ID}, grid},
    {"star", "N", 1, {1}, {TE_MAX_ID}, star},
    {"complete", "N", 1, {1}, {TE_MAX_ID}, complete},
    {"bipartite", "A B", 2, {1, 1}, {TE_MAX_ID / 2, TE_MAX_ID / 2}, bipartite},
    {"tree", "DEPTH", 1, {0}, {30}, tree},
    {"twostars", "LEAVES", 1, {1}, {TE_MAX_ID - 2}, twostars},
    {"components", "", 0, {0}, {0}, components},
    {"multi", "N EDGES SEED", 3, {1, 0, 0}, {TE_MAX_ID / 3, UINT64_MAX / 8, UINT64_MAX}, multi},
};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static void print_usage(FILE *out)
{
    fputs("usage: mkgraph KIND ARGUMENTS >EDGES.txt\n", out);
    for (int i = 0; i < KIND_COUNT; i++)
        fprintf(out, "  mkgraph %s %s\n", kinds[i].name, kinds[i].args);
}

static const struct kind *find_kind(const char *name)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

static int parse_arguments(const struct kind *kind, char **text, uint64_t *arg)
{
    for (int i = 0; i < kind->arg_count; i++)
        if (!te_argument(text[i], kind->greatest[i], &arg[i]) || arg[i] < kind->least[i])
            return te_fail(TE_USAGE, "%s: %s: not a number from %" PRIu64 " to %" PRIu64,
                           kind->name, text[i], kind->least[i], kind->greatest[i]);
    if (kind->make == grid && arg[0] > TE_MAX_ID / arg[1])
        return te_fail(TE_USAGE, "%s: more than %" PRIu32 " vertices", kind->name, TE_MAX_ID);
    return TE_OK;
}

int main(int argc, char **argv)
{
    uint64_t arg[MAX_ARGS] = {0};

    if (argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        print_usage(stdout);
        return TE_OK;
    }
    const struct kind *kind = argc >= 2 ? find_kind(argv[1]) : NULL;
    if (!kind || argc - 2 != kind->arg_count) {
        print_usage(stderr);
        return TE_USAGE;
    }
    int status = parse_arguments(kind, argv + 2, arg);
    if (status != TE_OK)
        return status;
    printf("# mkgraph");
    for (int i = 1; i < argc; i++)
        printf(" %s", argv[i]);
    putchar('\n');
    kind->make(arg);
    if (fflush(stdout) != 0 || ferror(stdout))
        return te_fail(TE_FAILED, "standard output: writing: %s", strerror(errno));
    return TE_OK;
}
