/* test_predict.c: the expected growth of a search, predicted times, and the TH that they suggest */
#include "stream.h"
#include "unit.h"

#include "tools/separate/growth.h"
#include "tools/separate/predict.h"
#include "tools/separate/separate.h"
#include "tools/separate/suggest.h"

#include <getopt.h>
#include <math.h>
#include <string.h>

enum { MOST = 64 };

static struct memory_budget budget;
static enum th_choice choice; /* what the options read choose */
static enum shard_links links;
static const char *given; /* the first option of a suggestion that was given */

/* ---- growth ---- */

/* Computes the vertices that each level finds, and their sum. Returns the number of levels. */
static int grow(const struct degree_count *degrees, uint64_t count, int planar, double *found, double *sum)
{
    double left[MOST], fresh[MOST];
    struct growth g = {.degrees = degrees, .count = count, .planar = planar, .left = left, .fresh = fresh};
    int levels = 0, more = growth_start(&g);
    *sum = 0;
    for (; more && levels < 100000; levels++) {
        if (levels < MOST)
            found[levels] = g.frontier.vertices;
        *sum += g.frontier.vertices;
        more = growth_next(&g);
    }
    return levels;
}

static int about(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * b;
}

static void test_growth(void)
{
    const struct degree_count four[] = {{4, 1000000}}, cycle[] = {{2, 1000}}, none[] = {{0, 10}};
    const struct degree_count mixed[] = {{0, 500}, {3, 100000}, {900, 100}};
    double found[MOST], sum;
    int levels = grow(four, 1, 0, found, &sum);
    report(found[0] == 1 && about(found[1], 4, .01) && about(found[2], 12, .01) && about(found[3], 36, .01),
           "degree 4: three times as many a level");
    report(levels < 20 && about(sum, 1e6, .001), "degree 4: all are found soon");
    levels = grow(four, 1, 1, found, &sum);
    report(about(found[20], 4 * 20, .1) && levels > 1000 && about(sum, 1e6, .1),
           "degree 4 in a plane: four more a level, and a thousand levels");
    levels = grow(cycle, 1, 0, found, &sum);
    report(about(found[1], 2, .01) && found[9] < 2.1 && levels > 200, "a cycle: two a level");
    report(grow(none, 1, 0, found, &sum) == 0, "no edges: no level");
    levels = grow(mixed, 3, 0, found, &sum);
    report(about(sum, 100100, .01) && levels < 10, "hubs and others: a few levels, and isolated ones are left out");
}

static void test_sums(void)
{
    const struct degree_count degrees[] = {{0, 5}, {1, 1000}, {4, 500}, {50, 10}};
    const struct sweep_row rows[] = {{.th = 0}, {.th = 4}, {.th = TH_INFINITE}};
    double left[4], fresh[4];
    struct growth_below below[3];
    struct growth g = {.degrees = degrees, .count = 4, .left = left, .fresh = fresh};
    int ok = growth_start(&g) && growth_next(&g);
    growth_sums(&g, rows, 3, below);
    report(ok && below[0].left.vertices == 0 && below[0].frontier.ends == 0, "none of degree 0 has an edge");
    report(about(below[2].frontier.ends, g.frontier.ends, 1e-12) &&
               about(below[2].left.vertices, g.unvisited.vertices, 1e-12),
           "below infinity are all");
    report(about(below[1].left.ends, left[1] + 4 * left[2], 1e-12) &&
               about(below[1].frontier.vertices, fresh[1] + fresh[2], 1e-12),
           "a threshold belongs to those below");
}

/* ---- predictions ---- */

static void separate(struct separation *s, const struct stream *stream, int threads)
{
    struct error e = {0};
    struct edge_source source = open_stream(stream);
    const struct separation_options options = {.threads = threads, .p = 1};
    memory_budget_init(&budget, UINT64_C(1) << 30);
    if (separation_degrees(s, &source, &options, &budget, &e) != ST_OK ||
        separation_classes(s, &source, &budget, &e) != ST_OK)
        stop_at(&e);
    edge_source_close(&source);
}

/* Rows of the sweep and their predictions. */
struct case_of {
    struct separation s;
    struct sweep_row *row;
    struct predicted *predicted;
    uint64_t rows;
};

static void predict_case(struct case_of *c, const struct stream *stream, int threads, uint64_t p,
                         enum shard_links with)
{
    struct error e = {0};
    separate(&c->s, stream, threads);
    if (sweep_make(&c->s.edges, 5, 1000000, &c->row, &c->rows, &budget, &e) != ST_OK ||
        predict_sweep(&c->predicted, &c->s, c->row, c->rows, (struct shard_layout){p, with}, &budget, &e) != ST_OK)
        stop_at(&e);
}

static void close_case(struct case_of *c)
{
    memory_release(&budget, c->predicted);
    memory_release(&budget, c->row);
    separation_free(&c->s, &budget);
}

static int same_predictions(const struct case_of *a, const struct case_of *b)
{
    return a->rows == b->rows && memcmp(a->predicted, b->predicted, a->rows * sizeof *a->predicted) == 0;
}

static int later(const struct case_of *a, const struct case_of *b)
{
    int ok = a->rows > 0 && b->rows > 0;
    for (int m = 0; m < MACHINES; m++) {
        ok &= a->predicted[0].ns[m] < b->predicted[0].ns[m];
        ok &= a->predicted[a->rows - 1].ns[m] < b->predicted[b->rows - 1].ns[m];
    }
    return ok;
}

/* Two shards that read each other's memory are faster than two that send messages. */
static void test_links(const struct stream *stream, const struct case_of *as_peers)
{
    struct case_of other;
    predict_case(&other, stream, 2, 2, LINKS_PEER);
    report(same_predictions(as_peers, &other), "two shards are peers where nothing else is said");
    close_case(&other);
    for (int with = LINKS_HOST; with <= LINKS_NETWORK; with++) {
        predict_case(&other, stream, 2, 2, (enum shard_links)with);
        report(later(as_peers, &other),
               with == LINKS_HOST ? "messages take longer than peers" : "a network takes longer than peers");
        close_case(&other);
    }
    predict_case(&other, stream, 2, 1, LINKS_NETWORK);
    struct case_of alone;
    predict_case(&alone, stream, 2, 1, LINKS_AUTO);
    report(same_predictions(&other, &alone), "one shard has no links");
    close_case(&other);
    close_case(&alone);
}

static void test_predictions(void)
{
    struct stream small = random_stream(3, 500, 2000, 0), large = random_stream(3, 5000, 20000, 0);
    struct case_of a, b, other;
    predict_case(&a, &small, 1, 1, LINKS_AUTO);
    predict_case(&other, &small, 4, 1, LINKS_AUTO);
    report(a.rows > 5 && same_predictions(&a, &other), "predictions are the same with one thread and with four");
    close_case(&other);
    const struct predicted *last = &a.predicted[a.rows - 1], *beyond = last - 1;
    report(beyond[0].ns[MACHINE_CPU] == last->ns[MACHINE_CPU] && beyond->ns[MACHINE_GPU] == last->ns[MACHINE_GPU],
           "a TH above all degrees is as good as an infinite one");
    predict_case(&b, &large, 2, 1, LINKS_AUTO);
    report(later(&a, &b), "ten times the graph takes longer, with no normals and with no delegates");
    predict_case(&other, &small, 2, 2, LINKS_AUTO);
    report(later(&a, &other), "two shards of a small graph take longer than one: they exchange");
    test_links(&small, &other);
    close_case(&other);
    close_case(&a);
    close_case(&b);
    free(small.edges);
    free(large.edges);
}

static struct stream path_stream(uint64_t n, uint64_t step)
{
    struct stream s = {.direction = EDGES_UNDIRECTED_ONCE, .n = n};
    s.edges = calloc(n, sizeof *s.edges);
    for (uint64_t v = 0; v + 1 < n; v++)
        s.edges[s.count++] = (struct edge){v * step % n, (v + 1) * step % n};
    return s;
}

/* Stars: n / (leaves + 1) centres, whose leaves have ids far away. */
static struct stream star_stream(uint64_t n, uint64_t leaves)
{
    struct stream s = {.direction = EDGES_UNDIRECTED_ONCE, .n = n};
    const uint64_t centres = n / (leaves + 1);
    s.edges = calloc(n, sizeof *s.edges);
    for (uint64_t v = centres; v < centres * (leaves + 1); v++)
        s.edges[s.count++] = (struct edge){v, v % centres};
    return s;
}

static void test_near(void)
{
    struct stream near = path_stream(10007, 1), far = path_stream(10007, 5003), tree, mixed;
    struct separation s;
    uint64_t expected = 0;
    separate(&s, &near, 3);
    report(s.degrees.near_edges == 10006 && separation_planar(&s), "ids along a path are near");
    separation_free(&s, &budget);
    separate(&s, &far, 3);
    report(s.degrees.near_edges == 0 && separation_planar(&s), "ids across a path are not, but its degrees are even");
    separation_free(&s, &budget);
    tree = star_stream(10007, 3);
    separate(&s, &tree, 2);
    report(s.degrees.near_edges == 0 && !separation_planar(&s), "degrees of 1 and 3 are not even");
    separation_free(&s, &budget);
    mixed = random_stream(8, 3000, 5000, 0);
    for (size_t i = 0; i < mixed.count; i++) {
        double difference = fabs((double)mixed.edges[i].u - (double)mixed.edges[i].v);
        expected += difference > 0 && difference <= floor(4 * sqrt(3000));
    }
    separate(&s, &mixed, 2);
    report(expected > 0 && s.degrees.near_edges == expected && !separation_planar(&s),
           "near edges are counted, self-loops are not");
    separation_free(&s, &budget);
    free(near.edges);
    free(far.edges);
    free(tree.edges);
    free(mixed.edges);
}

/* ---- suggestions ---- */

static double loss(const struct suggested_th *s, enum th_choice by)
{
    if (by == TH_FOR_GPU)
        return s->loss[MACHINE_GPU];
    if (by == TH_FOR_CPU)
        return s->loss[MACHINE_CPU];
    return s->loss[MACHINE_GPU] > s->loss[MACHINE_CPU] ? s->loss[MACHINE_GPU] : s->loss[MACHINE_CPU];
}

/* The smallest loss of any row, by definition. */
static double least_loss(const struct case_of *c, enum th_choice by)
{
    uint64_t least[MACHINES] = {UINT64_MAX, UINT64_MAX};
    double best = INFINITY;
    for (uint64_t r = 0; r < c->rows; r++) {
        for (int m = 0; m < MACHINES; m++)
            least[m] = c->predicted[r].ns[m] < least[m] ? c->predicted[r].ns[m] : least[m];
    }
    for (uint64_t r = 0; r < c->rows; r++) {
        struct suggested_th s = {0};
        for (int m = 0; m < MACHINES; m++)
            s.loss[m] = (double)c->predicted[r].ns[m] / (double)least[m];
        best = loss(&s, by) < best ? loss(&s, by) : best;
    }
    return best;
}

static int suggests_well(const struct case_of *c, uint64_t p, enum th_choice by)
{
    struct suggestion s;
    struct error e = {0};
    int both;
    if (suggest(&s, &c->s, (struct shard_layout){p, LINKS_AUTO}, by, &budget, &e) != ST_OK)
        stop_at(&e);
    double least = least_loss(c, by);
    return loss(&s.by_time, by) >= least - 1e-9 && loss(&s.by_time, by) <= least + 1e-9 &&
           s.fits && suggestion_th(&s) == s.by_time.th && s.by_memory.th == suggest_th(&c->s.edges, p, &both) &&
           both == s.both_met;
}

static void test_suggestions(void)
{
    int both = 1, gpu = 1, cpu = 1, memory = 1;
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct stream stream = random_stream(seed, 50 + 300 * seed, 100 + 1500 * seed, 0);
        uint64_t p = 1 + seed % 4;
        struct case_of c;
        struct suggestion s;
        struct error e = {0};
        int met;
        predict_case(&c, &stream, 2, p, LINKS_AUTO);
        both &= suggests_well(&c, p, TH_FOR_BOTH);
        gpu &= suggests_well(&c, p, TH_FOR_GPU);
        cpu &= suggests_well(&c, p, TH_FOR_CPU);
        memory &= suggest(&s, &c.s, (struct shard_layout){p, LINKS_AUTO}, TH_BY_MEMORY, &budget, &e) == ST_OK &&
                  suggestion_th(&s) == suggest_th(&c.s.edges, p, &met);
        close_case(&c);
        free(stream.edges);
    }
    report(both, "the TH for both has the smallest larger loss");
    report(gpu, "the TH for GPUs is the fastest there");
    report(cpu, "the TH for CPUs is the fastest there");
    report(memory, "the TH by memory is that of the paper's rule");
}

static void test_empty(void)
{
    struct stream stream = {.direction = EDGES_UNDIRECTED_ONCE, .n = 7, .edges = calloc(1, 16)};
    struct separation s;
    struct suggestion suggestion;
    struct error e = {0};
    separate(&s, &stream, 2);
    int ok = suggest(&suggestion, &s, (struct shard_layout){3, LINKS_AUTO}, TH_FOR_BOTH, &budget, &e) == ST_OK;
    report(ok && suggestion_th(&suggestion) == TH_INFINITE && suggestion.by_time.ms[MACHINE_GPU] == 0,
           "no edges: no time, and TH is infinite");
    separation_free(&s, &budget);
    free(stream.edges);
}

/* Reads --suggest, --for and --links from a command line that ends with NULL, and stores what they choose in `choice` and `links`. */
static void parse(const char **argv)
{
    struct cli cli = {.program = "test_predict"};
    struct suggest_words words = {0};
    struct cli_row rows[] = {SUGGEST_ROWS(&words)};
    const int count = sizeof rows / sizeof *rows;
    int argc = 0;
    while (argv[argc] != NULL)
        argc++;
    optind = 0;
    cli_read_rows(&cli, argc, (char **)argv, rows, count);
    given = suggest_option_given(rows, count);
    choice = suggest_choice(&cli, &words, rows, count);
    links = words.links;
}

/* tests/cli/degsplit.sh has those that are refused. */
static void test_options(void)
{
    parse((const char *[]){"x", NULL});
    report(choice == TH_FOR_BOTH && links == LINKS_AUTO && given == NULL, "the default is by time, for both, with any links");
    parse((const char *[]){"x", "--suggest=time", "--for=gpu", NULL});
    report(choice == TH_FOR_GPU && strcmp(given, "--suggest") == 0, "--suggest=time --for=gpu is taken");
    parse((const char *[]){"x", "--for=cpu", "--links=host", NULL});
    report(choice == TH_FOR_CPU && links == LINKS_HOST && strcmp(given, "--for") == 0, "--for=cpu --links=host is taken");
    parse((const char *[]){"x", "--suggest=memory", NULL});
    report(choice == TH_BY_MEMORY, "--suggest=memory is taken");
}

int main(void)
{
    test_growth();
    test_sums();
    test_predictions();
    test_near();
    test_suggestions();
    test_empty();
    test_options();
    return unit_result();
}
