/* test_threshold.c: degrees, ranks, class counts for every TH, and the suggested TH agree with counts straight
 * from the definitions */
#include "stream.h"
#include "unit.h"

#include "tools/separate/separate.h"
#include "tools/separate/split_make.h"

#include <math.h>

static struct memory_budget budget;

struct case_of {
    struct stream stream;
    uint64_t *degree;
    struct separation s;
};

static void open_case(struct case_of *c, struct stream stream, int threads)
{
    struct error e = {0};
    struct edge_source source = open_stream(&stream);
    c->stream = stream;
    c->degree = plain_degrees(&stream);
    struct separation_options options = {.threads = threads, .p = 1};
    memory_budget_init(&budget, UINT64_C(1) << 30);
    if (separation_degrees(&c->s, &source, &options, &budget, &e) != ST_OK ||
        separation_classes(&c->s, &source, &budget, &e) != ST_OK)
        stop_at(&e);
    edge_source_close(&source);
}

static void close_case(struct case_of *c)
{
    separation_free(&c->s, &budget);
    free(c->degree);
    free(c->stream.edges);
}

/* Counts the classes of one TH edge by edge. */
static struct sweep_row plain_row(const struct case_of *c, uint64_t th)
{
    struct sweep_row row = {.th = th};
    for (uint64_t v = 0; v < c->stream.n; v++)
        row.delegates += c->degree[v] > th;
    for (size_t i = 0; i < c->stream.count; i++) {
        uint64_t u = c->stream.edges[i].u, v = c->stream.edges[i].v;
        for (int turn = c->stream.direction == EDGES_SYMMETRIC; u != v && turn < 2; turn++) {
            uint64_t from = turn == 0 ? u : v, to = turn == 0 ? v : u;
            int from_delegate = c->degree[from] > th, to_delegate = c->degree[to] > th;
            uint64_t *counts[2][2] = {{&row.nn, &row.nd}, {&row.dn, &row.dd}};
            (*counts[from_delegate][to_delegate])++;
        }
    }
    return row;
}

static int same_row(struct sweep_row a, struct sweep_row b)
{
    return a.th == b.th && a.delegates == b.delegates && a.nn == b.nn && a.nd == b.nd &&
           a.dn == b.dn && a.dd == b.dd;
}

static uint64_t largest_degree(const struct case_of *c)
{
    uint64_t largest = 0;
    for (uint64_t v = 0; v < c->stream.n; v++)
        largest = c->degree[v] > largest ? c->degree[v] : largest;
    return largest;
}

static int rows_agree(const struct case_of *c)
{
    uint64_t largest = largest_degree(c);
    for (uint64_t th = 0; th <= largest + 2; th++) {
        if (!same_row(edge_ranks_row(&c->s.edges, th), plain_row(c, th)) ||
            separation_delegates(&c->s, th) != plain_row(c, th).delegates)
            return 0;
    }
    return same_row(edge_ranks_row(&c->s.edges, TH_INFINITE), plain_row(c, TH_INFINITE));
}

/* The paper's rule over each TH in turn; "inf" stands for all TH from the largest degree on. */
static uint64_t plain_suggestion(const struct case_of *c, uint64_t p, int *both)
{
    uint64_t largest = largest_degree(c), best = TH_INFINITE, first = TH_INFINITE, m = 0;
    uint64_t best_bytes = UINT64_MAX, first_delegates = 0;
    *both = 0;
    for (uint64_t v = 0; v < c->stream.n; v++)
        m += c->degree[v];
    for (uint64_t th = 0; th <= largest; th++) {
        struct sweep_row row = plain_row(c, th);
        uint64_t name = th == largest ? TH_INFINITE : th;
        if (row.delegates * p > 4 * c->stream.n)
            continue;
        if (first == TH_INFINITE || row.delegates == first_delegates) {
            first = name;
            first_delegates = row.delegates;
        }
        uint64_t bytes = 8 * c->stream.n + 8 * row.delegates * p + 4 * m + 4 * row.nn;
        if ((m == 0 || 10 * row.nn < m) && bytes <= best_bytes) {
            best_bytes = bytes;
            best = name;
            *both = 1;
        }
    }
    return *both ? best : first;
}

static int suggestions_agree(const struct case_of *c)
{
    for (uint64_t p = 1; p < 200; p = p * 3 / 2 + 1) {
        int both, expected_both;
        uint64_t th = suggest_th(&c->s.edges, p, &both);
        uint64_t expected = plain_suggestion(c, p, &expected_both);
        if (th != expected || both != expected_both) {
            printf("# p %llu: suggested %llu (%d), expected %llu (%d)\n", (unsigned long long)p,
                   (unsigned long long)th, both, (unsigned long long)expected, expected_both);
            return 0;
        }
    }
    return 1;
}

static int loops_agree(const struct case_of *c)
{
    uint64_t entry = 0;
    for (uint64_t v = 0; v < c->stream.n; v++) {
        uint64_t count = 0;
        for (size_t i = 0; i < c->stream.count; i++)
            count += c->stream.edges[i].u == v && c->stream.edges[i].v == v;
        if (count == 0)
            continue;
        const struct vertex_loops *l = &c->s.degrees.loops.list[entry++];
        if (entry > c->s.degrees.loops.count || l->vertex != v || l->count != count)
            return 0;
    }
    return entry == c->s.degrees.loops.count;
}

static int degrees_agree(const struct case_of *c)
{
    for (uint64_t v = 0; v < c->stream.n; v++) {
        if (c->s.ranks.degrees[c->s.rank_of.values.of[v]].degree != c->degree[v])
            return 0;
    }
    return 1;
}

static int sweep_agrees(const struct case_of *c, uint64_t th)
{
    static const uint64_t steps[] = {0, 1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181,
                                     256, 362, 512, 724, 1024, 1448, 2048};
    struct sweep_row *rows;
    struct error e = {0};
    uint64_t count, at = 0, largest = largest_degree(c);
    int ok = sweep_make(&c->s.edges, th, th / 2, &rows, &count, &budget, &e) == ST_OK, seen = 0;
    for (uint64_t i = 0; ok && i < count; i++) {
        ok = same_row(rows[i], plain_row(c, rows[i].th)) && (i == 0 || rows[i].th > rows[i - 1].th);
        seen |= (rows[i].th == th) | (rows[i].th == th / 2) << 1;
        if (rows[i].th == steps[at])
            at++;
    }
    ok = ok && seen == 3 && rows[count - 1].th == TH_INFINITE && steps[at] > largest;
    memory_release(&budget, rows);
    return ok;
}

static int split_agrees(struct case_of *c, uint64_t th)
{
    struct split split;
    struct error e = {0};
    struct delegate_pass pass;
    const struct split_choice choice = {.th = th, .other = th, .by = TH_BY_MEMORY, .p = 1};
    int ok = split_make(&split, &pass, &c->s, &choice, &budget, &e) == ST_OK;
    struct sweep_row row = plain_row(c, th);
    ok = ok && split.d == row.delegates && split.histogram_rows == c->s.ranks.count;
    for (uint64_t i = 0; ok && i < split.d; i++)
        ok = split.delegate_degrees[i] == c->degree[split.delegate_ids[i]] &&
             split.delegate_degrees[i] > th &&
             (i == 0 || split.delegate_degrees[i] < split.delegate_degrees[i - 1] ||
              (split.delegate_degrees[i] == split.delegate_degrees[i - 1] &&
               split.delegate_ids[i] > split.delegate_ids[i - 1]));
    split_free(&split);
    return ok;
}

static void test_random(void)
{
    int rows = 1, suggested = 1, loops = 1, degrees = 1, sweeps = 1, splits = 1;
    for (uint64_t seed = 0; seed < 60; seed++) {
        uint64_t n = seed % 4 == 0 ? 1 + seed / 4 : 10 + 7 * seed;
        size_t edges = seed % 5 == 0 ? seed / 5 : 13 * seed;
        struct case_of c;
        open_case(&c, random_stream(seed, n, edges, seed % 3 == 0), 1 + (int)(seed % 4));
        rows &= rows_agree(&c);
        suggested &= suggestions_agree(&c);
        loops &= loops_agree(&c);
        degrees &= degrees_agree(&c);
        sweeps &= sweep_agrees(&c, seed) && sweep_agrees(&c, TH_INFINITE);
        splits &= split_agrees(&c, seed / 8) && split_agrees(&c, TH_INFINITE);
        close_case(&c);
    }
    report(degrees, "degrees as defined, duplicates counted, loops not");
    report(loops, "self-loops per vertex");
    report(rows, "class counts of every TH");
    report(suggested, "the suggested TH, and whether it meets both bounds");
    report(sweeps, "the sweep: steps, counts, chosen and infinite TH");
    report(splits, "delegates by degree, ties by id");
}

/* In a cycle every vertex has degree 2. Up to p = 4 all may be delegates; beyond, none. */
static void test_cycle(void)
{
    struct stream s = {.direction = EDGES_UNDIRECTED_ONCE, .n = 100, .count = 100};
    struct case_of c;
    int both;
    s.edges = calloc(s.count, sizeof *s.edges);
    for (uint64_t v = 0; v < s.n; v++)
        s.edges[v] = (struct edge){v, (v + 1) % s.n};
    open_case(&c, s, 2);
    report(suggest_th(&c.s.edges, 4, &both) == 1 && both, "cycle, p 4: all vertices are delegates");
    report(suggest_th(&c.s.edges, 5, &both) == TH_INFINITE && !both,
           "cycle, p 5: no TH meets both bounds, and the bound on delegates wins");
    close_case(&c);
}

static void test_empty(void)
{
    struct stream s = {.direction = EDGES_UNDIRECTED_ONCE, .n = 7};
    struct case_of c;
    int both;
    s.edges = calloc(1, sizeof *s.edges);
    open_case(&c, s, 2);
    report(suggest_th(&c.s.edges, 3, &both) == TH_INFINITE && both, "no edges: TH is infinite");
    close_case(&c);
}

/* A degree beyond the table of small ones; hub and leaves are told apart. */
static void test_star(void)
{
    struct stream s = {.direction = EDGES_UNDIRECTED_ONCE, .n = 70001, .count = 70000};
    struct case_of c;
    s.edges = calloc(s.count, sizeof *s.edges);
    for (uint64_t i = 0; i < s.count; i++)
        s.edges[i] = i % 2 == 0 ? (struct edge){7, i < 7 ? i : i + 1}
                                : (struct edge){i < 7 ? i : i + 1, 7};
    open_case(&c, s, 3);
    struct sweep_row row = edge_ranks_row(&c.s.edges, 69999);
    report(c.s.ranks.count == 2 && c.s.ranks.degrees[1].degree == 70000 &&
               c.s.ranks.degrees[1].vertices == 1 && c.s.rank_of.values.of[7] == 1,
           "a star's hub has degree 70000");
    report(row.delegates == 1 && row.nd == 70000 && row.dn == 70000 && row.nn == 0 && row.dd == 0,
           "a star's edges are nd and dn");
    close_case(&c);
}

/* Makes so many self-loops that each thread merges its list again and again. */
static void test_loops(void)
{
    struct stream s = {.direction = EDGES_UNDIRECTED_ONCE, .n = 3000, .count = 200000};
    struct case_of c;
    int ok = 1;
    s.edges = calloc(s.count, sizeof *s.edges);
    for (uint64_t i = 0; i < s.count; i++) {
        uint64_t v = i % 2 == 0 ? 17 : i * 7 % s.n;
        s.edges[i] = (struct edge){v, v};
    }
    open_case(&c, s, 3);
    uint64_t *expected = calloc(s.n, sizeof *expected);
    for (uint64_t i = 0; i < s.count; i++)
        expected[s.edges[i].u]++;
    uint64_t entry = 0;
    for (uint64_t v = 0; v < s.n; v++) {
        if (expected[v] == 0)
            continue;
        ok &= entry < c.s.degrees.loops.count && c.s.degrees.loops.list[entry].vertex == v &&
              c.s.degrees.loops.list[entry].count == expected[v];
        entry++;
    }
    report(ok && entry == c.s.degrees.loops.count, "a graph of 200000 self-loops has the counts of all of them");
    report(c.s.ranks.count == 1 && c.s.degrees.directed_edges == 0, "a graph of self-loops has no edges of degrees");
    free(expected);
    close_case(&c);
}

/* A directed edge counts at its tail and at its head, as an undirected one counts at both ends. */
static void test_directed(void)
{
    int degrees = 1, rows = 1;
    for (uint64_t seed = 0; seed < 8; seed++) {
        struct stream s = random_stream(seed, 40, 30 * seed, 0);
        struct case_of c;
        s.direction = EDGES_DIRECTED;
        open_case(&c, s, 2);
        for (uint64_t v = 0; v < s.n; v++)
            c.degree[v] = 0;
        for (size_t i = 0; i < s.count; i++) {
            c.degree[s.edges[i].u] += s.edges[i].u != s.edges[i].v;
            c.degree[s.edges[i].v] += s.edges[i].u != s.edges[i].v;
        }
        degrees &= degrees_agree(&c);
        c.stream.direction = EDGES_UNDIRECTED_ONCE;
        rows &= rows_agree(&c);
        close_case(&c);
    }
    report(degrees, "directed: the sum of both degrees");
    report(rows, "directed: classes of out-rows and in-rows together are those of the undirected graph");
}

static void test_refusals(void)
{
    struct stream s = random_stream(5, 50, 100, 1);
    struct separation sep;
    struct separation_options options = {.threads = 2, .p = 1};
    struct error e = {0}, memory = {0};
    s.edges[s.count++] = (struct edge){1, 2};
    struct edge_source source = open_stream(&s);
    memory_budget_init(&budget, UINT64_C(1) << 30);
    separation_degrees(&sep, &source, &options, &budget, &e);
    report(e.status == ST_BAD_DATA && strstr(e.text, "symmetric") != NULL,
           "symmetric in name only: refused");
    edge_source_close(&source);

    report(budget.taken_bytes == 0, "a refusal gives all memory back");

    s.direction = EDGES_UNDIRECTED_ONCE;
    s.edges[3].v = 123456789;
    source = open_stream(&s);
    memory_budget_init(&budget, 1 << 20);
    separation_degrees(&sep, &source, &options, &budget, &memory);
    report(memory.status == ST_RESOURCE && strstr(memory.text, "123456789") != NULL &&
               strstr(memory.text, "block at byte") != NULL && budget.taken_bytes == 0,
           "too many vertices for the budget: names the largest id and its block");
    edge_source_close(&source);
    free(s.edges);
}

int main(void)
{
    test_random();
    test_cycle();
    test_empty();
    test_star();
    test_loops();
    test_directed();
    test_refusals();
    return unit_result();
}
