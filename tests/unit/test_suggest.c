/* test_suggest.c: the TH by time of large graphs, for degrees and edges written down here: bytes that are worth
 * time, the bound of a device's memory, and the reason of a choice */
#include "unit.h"

#include "tools/separate/predict.h"
#include "tools/separate/suggest.h"
#include "traverse/cuda/device/cuda_limits.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 15 };

static struct memory_budget budget;

/* A graph of which only the numbers of vertices and edges of each kind are known. */
struct table {
    struct degree_count degrees[RANKS];
    uint64_t nn[RANKS + 1], dd[RANKS + 1], delegates[RANKS + 1];
    struct ranks ranks;
    struct separation s;
};

/* Vertices have degrees 1, 2, 4, ..., and each degree has a share of the vertices of the one before. Edges join
 * ends at random. */
static void make_table(struct table *t, double vertices, double share)
{
    double ends[RANKS + 1] = {0};
    memset(t, 0, sizeof *t);
    for (int i = 0; i < RANKS; i++) {
        t->degrees[i] = (struct degree_count){UINT64_C(1) << i, (uint64_t)vertices};
        t->s.edges.n += (uint64_t)vertices;
        ends[i + 1] = ends[i] + (double)(t->degrees[i].degree * t->degrees[i].vertices);
        vertices *= share;
    }
    for (int i = 0; i <= RANKS; i++) {
        double below = ends[i] / ends[RANKS];
        t->nn[i] = (uint64_t)(below * below * ends[RANKS]);
        t->dd[i] = (uint64_t)((1 - below) * (1 - below) * ends[RANKS]);
        for (int j = i; j < RANKS; j++)
            t->delegates[i] += t->degrees[j].vertices;
    }
    t->ranks = (struct ranks){RANKS, t->degrees};
    t->s.ranks = t->ranks;
    t->s.edges = (struct edge_ranks){t->s.edges.n, (uint64_t)ends[RANKS], &t->ranks, t->nn, t->dd, t->delegates};
}

static struct suggestion suggest_of(const struct table *t, uint64_t p, enum th_choice choice)
{
    struct suggestion s;
    struct error e = {0};
    if (suggest(&s, &t->s, (struct shard_layout){p, LINKS_AUTO}, choice, &budget, &e) != ST_OK) {
        fprintf(stderr, "%s\n", e.text);
        exit(1);
    }
    return s;
}

/* ---- by the definition in SPEC-split.md ---- */

struct row {
    uint64_t th, bytes;
    double ns[MACHINES], loss;
};

/* Row `fastest` has the smallest loss, and `small` takes its place if bytes are worth it. */
struct expected {
    struct row row[64];
    uint64_t rows, most_bytes;
    int fits;
    const struct row *fastest, *small;
};

static void read_rows(struct expected *x, const struct table *t, uint64_t p)
{
    struct sweep_row *row = NULL;
    struct predicted *predicted = NULL;
    struct error e = {0};
    int met;
    uint64_t th = suggest_th(&t->s.edges, p, &met);
    if (sweep_make(&t->s.edges, th, th, &row, &x->rows, &budget, &e) != ST_OK || x->rows > 64 ||
        predict_sweep(&predicted, &t->s, row, x->rows, (struct shard_layout){p, LINKS_AUTO}, &budget, &e) != ST_OK)
        exit(1);
    for (uint64_t r = 0; r < x->rows; r++) {
        x->row[r].th = row[r].th;
        x->row[r].bytes = 8 * t->s.edges.n + 8 * row[r].delegates * p + 4 * t->s.edges.directed_edges +
                          (p > 1 ? 4 * row[r].nn : 0);
        for (int m = 0; m < MACHINES; m++)
            x->row[r].ns[m] = (double)predicted[r].ns[m];
    }
    memory_release(&budget, predicted);
    memory_release(&budget, row);
}

static void bound(struct expected *x, uint64_t p, enum th_choice choice)
{
    uint64_t fewest = UINT64_MAX;
    for (uint64_t r = 0; r < x->rows; r++)
        fewest = x->row[r].bytes < fewest ? x->row[r].bytes : fewest;
    x->most_bytes = choice == TH_FOR_CPU ? UINT64_MAX : p << 37;
    x->fits = fewest <= x->most_bytes;
    x->most_bytes = x->fits ? x->most_bytes : fewest;
}

static void weigh(struct expected *x, enum th_choice choice)
{
    const enum machine first = choice == TH_FOR_GPU ? MACHINE_GPU : MACHINE_CPU;
    const enum machine last = choice == TH_FOR_CPU ? MACHINE_CPU : MACHINE_GPU;
    for (uint64_t r = 0; r < x->rows; r++)
        x->row[r].loss = 1;
    for (int m = first; m <= (int)last; m++) {
        double least = 1e300;
        for (uint64_t r = 0; r < x->rows; r++)
            least = x->row[r].bytes <= x->most_bytes && x->row[r].ns[m] < least ? x->row[r].ns[m] : least;
        for (uint64_t r = 0; r < x->rows; r++)
            x->row[r].loss = x->row[r].ns[m] / least > x->row[r].loss ? x->row[r].ns[m] / least : x->row[r].loss;
    }
}

static void expect(struct expected *x, const struct table *t, uint64_t p, enum th_choice choice)
{
    memset(x, 0, sizeof *x);
    read_rows(x, t, p);
    bound(x, p, choice);
    weigh(x, choice);
    for (const struct row *r = x->row; r < x->row + x->rows; r++) {
        if (r->bytes <= x->most_bytes && (x->fastest == NULL || r->loss <= x->fastest->loss))
            x->fastest = r;
    }
    double fewest = .99 * (double)x->fastest->bytes;
    x->small = x->fastest;
    for (const struct row *r = x->row; r < x->row + x->rows; r++) {
        if (r->loss <= 1.1 * x->fastest->loss && (double)r->bytes < fewest)
            fewest = (double)r->bytes;
    }
    for (const struct row *r = x->row; r < x->row + x->rows; r++) {
        if (r->loss <= 1.1 * x->fastest->loss && (double)r->bytes <= .99 * (double)x->fastest->bytes &&
            (double)r->bytes <= 1.01 * fewest && (x->small == x->fastest || r->loss <= x->small->loss))
            x->small = r;
    }
    if (choice != TH_FOR_BOTH || x->fastest->bytes < UINT64_C(1) << 26)
        x->small = x->fastest;
}

/* ---- tests ---- */

static int as_expected(const struct suggestion *s, const struct expected *x)
{
    return s->fits == x->fits && s->fastest_th == x->fastest->th && suggestion_th(s) == x->small->th &&
           s->by_time.bytes == x->small->bytes;
}

/* How often bytes were worth time, and how often the bound on bytes excluded a TH of one GPU, or all TH. */
struct seen {
    int ok, worth, bounded, none;
};

/* Graphs of 4 MB to 40 TB. */
static struct seen look_at_tables(enum th_choice choice)
{
    struct seen seen = {.ok = 1};
    struct table t;
    struct expected x;
    for (double vertices = 1e5; vertices < 1e12; vertices *= 7) {
        for (double share = .3; share < .62; share += .04) {
            for (uint64_t p = 1; p <= 8; p += 7) {
                make_table(&t, vertices, share);
                struct suggestion s = suggest_of(&t, p, choice);
                expect(&x, &t, p, choice);
                seen.ok &= as_expected(&s, &x);
                seen.worth += s.by_time.th != s.fastest_th;
                seen.bounded += x.fits && choice == TH_FOR_GPU && x.row[0].bytes > x.most_bytes;
                seen.none += !x.fits;
            }
        }
    }
    return seen;
}

static void test_rules(void)
{
    struct seen both = look_at_tables(TH_FOR_BOTH), gpu = look_at_tables(TH_FOR_GPU),
                cpu = look_at_tables(TH_FOR_CPU);
    report(both.ok && gpu.ok && cpu.ok, "the TH by time is that of the specification");
    report(both.worth > 5, "for both, fewer bytes are worth time");
    report(gpu.worth == 0 && cpu.worth == 0, "for one machine, fewer bytes are not worth time");
    report(both.none > 0 && gpu.none > 0 && cpu.none == 0, "some graphs are too large for GPUs, none for CPUs");
    report(gpu.bounded > 0, "some graphs are too large for GPUs at some TH");
}

static const double LIKE_RMAT = .6; /* with this share fewer bytes are worth time */

static uint64_t fewest_bytes(const struct expected *x)
{
    uint64_t fewest = x->row[0].bytes;
    for (uint64_t r = 1; r < x->rows; r++)
        fewest = x->row[r].bytes < fewest ? x->row[r].bytes : fewest;
    return fewest;
}

/* The TH suggested for a graph whose fastest TH takes so many bytes, beside the TH with the fewest bytes. */
static struct suggestion suggest_at(double bytes, uint64_t p, int of_fewest)
{
    struct table t;
    struct expected x;
    double vertices = 1e6;
    for (int i = 0; i < 4; i++) {
        make_table(&t, vertices, LIKE_RMAT);
        expect(&x, &t, p, TH_FOR_BOTH);
        vertices *= bytes / (double)(of_fewest ? fewest_bytes(&x) : x.fastest->bytes);
    }
    make_table(&t, vertices, LIKE_RMAT);
    return suggest_of(&t, p, TH_FOR_BOTH);
}

static void test_limit(void)
{
    const double limit = 1 << 26;
    struct suggestion below = suggest_at(.99 * limit, 2, 0), above = suggest_at(1.01 * limit, 2, 0);
    report(below.by_time.th == below.fastest_th && below.by_time.bytes > .98 * limit && below.by_time.bytes < limit,
           "below 64 MiB the fastest TH is taken");
    report(above.by_time.th > above.fastest_th && above.by_time.bytes < 1.01 * limit * .995,
           "from 64 MiB on one with fewer bytes");
}

static void test_bound(void)
{
    const double of_device = (double)(UINT64_C(1) << 37);
    int fits = 1, too_large = 1;
    for (uint64_t p = 1; p <= 9; p += 4) {
        fits &= suggest_at(.999 * of_device * (double)p, p, 1).fits;
        too_large &= !suggest_at(1.001 * of_device * (double)p, p, 1).fits;
    }
    report(fits, "what takes a little less than 128 GiB a device fits");
    report(too_large, "a little more does not");
}

/* ---- small graphs on one GPU ---- */

/* The largest time on a GPU with any TH over the smallest. */
static double spread_on_gpu(double vertices, double share, uint64_t p)
{
    struct table t;
    struct expected x = {0};
    double least = 1e300, most = 0;
    make_table(&t, vertices, share);
    read_rows(&x, &t, p);
    for (uint64_t r = 0; r < x.rows; r++) {
        least = x.row[r].ns[MACHINE_GPU] < least ? x.row[r].ns[MACHINE_GPU] : least;
        most = x.row[r].ns[MACHINE_GPU] > most ? x.row[r].ns[MACHINE_GPU] : most;
    }
    return most / least;
}

/* How many vertices of degree 1 a table of so many vertices has. */
static double first_number(double share, double vertices)
{
    struct table t;
    make_table(&t, 1e5, share);
    return 1e5 * vertices / (double)t.s.edges.n;
}

/* If all TH take a GPU equally long, the CPU chooses. */
static void test_sliced(void)
{
    struct table t;
    const double short_rows = .3, middle_rows = .6, long_rows = .75;
    make_table(&t, 1e5, long_rows);
    const double vertices = 1e5 * (double)SLICED_MOST_EDGES / (double)t.s.edges.directed_edges;
    report(spread_on_gpu(.99 * vertices, long_rows, 1) == 1, "up to 2^27 edges one GPU takes as long with any TH");
    report(spread_on_gpu(1.01 * vertices, long_rows, 1) > 1,
           "with more than 2^27 edges one GPU takes longer with some TH");
    report(spread_on_gpu(.99 * vertices, long_rows, 2) > 1, "two GPUs take longer with some TH");
    report(spread_on_gpu(.99 * first_number(short_rows, SLICED_FLAT_VERTICES), short_rows, 1) == 1,
           "up to 1.5 million vertices of few edges one GPU takes as long with any TH");
    report(spread_on_gpu(1.01 * first_number(short_rows, SLICED_FLAT_VERTICES), short_rows, 1) > 1,
           "with more vertices of few edges one GPU takes longer with some TH");
    report(spread_on_gpu(.99 * first_number(middle_rows, SLICED_MOST_VERTICES), middle_rows, 1) == 1,
           "up to 2^21 vertices of more edges one GPU takes as long with any TH");
    report(spread_on_gpu(1.01 * first_number(middle_rows, SLICED_MOST_VERTICES), middle_rows, 1) > 1,
           "beyond 2^21 vertices one GPU takes longer with some TH");
    make_table(&t, .99 * vertices, long_rows);
    report(suggest_of(&t, 1, TH_FOR_BOTH).by_time.th == suggest_of(&t, 1, TH_FOR_CPU).by_time.th,
           "the TH for both of a graph for which a GPU takes any TH is that of a CPU");
}

/* ---- the reason of a choice ---- */

/* Expects these words in the last line for a graph. */
static void check_reason(double vertices, uint64_t p, enum th_choice choice, const char *words)
{
    char line[SUGGEST_LINES][SUGGEST_LINE_BYTES], name[120], begin[48], th[24];
    struct table t;
    make_table(&t, vertices, LIKE_RMAT);
    struct suggestion s = suggest_of(&t, p, choice);
    suggest_describe(&s, line);
    snprintf(begin, sizeof begin, "TH %s is taken: ", th_format(suggestion_th(&s), th, sizeof th));
    snprintf(name, sizeof name, "why: %s", words);
    report(strncmp(line[2], begin, strlen(begin)) == 0 && strstr(line[2], words) != NULL, name);
}

static void test_reasons(void)
{
    check_reason(1e4, 1, TH_FOR_BOTH, "its larger loss is the smallest");
    check_reason(3e6, 1, TH_FOR_BOTH, "it takes fewer bytes than TH");
    check_reason(1e7, 1, TH_FOR_GPU, "it is predicted fastest on a GPU");
    check_reason(1e7, 1, TH_FOR_CPU, "it is predicted fastest on a CPU");
    check_reason(1e12, 1, TH_FOR_BOTH, "no TH fits into the memory of so many devices");
    check_reason(1e12, 1, TH_FOR_GPU, "no TH fits into the memory of so many devices");
    check_reason(1e12, 1, TH_FOR_CPU, "it is predicted fastest on a CPU");
    check_reason(1e7, 1, TH_BY_MEMORY, "it has the fewest bytes of those with at most 4n/p delegates");
    check_reason(1e7, 1000, TH_BY_MEMORY, "no TH gives both");
}

int main(void)
{
    memory_budget_init(&budget, UINT64_C(1) << 30);
    test_rules();
    test_limit();
    test_bound();
    test_sliced();
    test_reasons();
    return unit_result();
}
