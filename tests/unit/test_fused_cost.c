/* test_fused_cost.c: directions from costs, and the room for lists, in a search that is one kernel */
#include "unit.h"

#include "traverse/cuda/device/cuda_limits.h"
#include "traverse/cuda/device/cuda_traits.h"
#include "traverse/cuda/fused/cuda_fused_cost.h"

#include <string.h>

/* A graph of one subgraph dd: a million rows of 32 edges. */
static const struct cost_graph graph = {
    .edges = {[DD] = 32e6},
    .sources = {[DD] = 1e6},
    .pulled = {[DD] = {1e6, 32e6, 1, 1}},
    .words = {[DELEGATES] = 1e6 / 32},
    .rates = {.masks = 4e6,
              .list = 5e6,
              .list_edge = 100,
              .word = 4,
              .push_row = 50,
              .push_edge = 50,
              .pull_row = 14,
              .pull_probe = 10}};

static const double MOST_LISTED = 1 << 20;

/* A listed frontier of so many rows and edges, after `seen` visited rows and edges. */
static struct fused_progress progress(double rows, double edges, double seen, double seen_edges)
{
    struct fused_progress s = {.sparse = 1, .fresh = (unsigned long long)rows};
    s.frontier[DD] = rows;
    s.forward[DD] = edges;
    s.seen[DD] = rows + seen;
    s.seen_edges[DD] = edges + seen_edges;
    return s;
}

static void weigh_all(const struct cost_graph *g, const struct fused_progress *s, enum fused_mode mode,
                      struct fused_choice *c)
{
    for (int of = 0; of < SUBGRAPHS; of++)
        fused_weigh(g, s, mode, of, c);
    for (int of = 0; of < SUBGRAPHS; of++)
        fused_weigh_behind(g, s, mode, of, c);
}

static struct fused_choice choose(const struct fused_progress *s, enum fused_mode mode)
{
    struct fused_choice c = {.push_edges = s->forward[DD]};
    weigh_all(&graph, s, mode, &c);
    fused_choose(&graph, s, mode, MOST_LISTED, &c);
    return c;
}

static double push_of(const struct fused_progress *s)
{
    return cost_push(&graph, DD, s->frontier[DD], s->forward[DD]);
}

static double pull_of(const struct fused_progress *s)
{
    return cost_pull(&graph, s->seen, s->seen_edges, DD, 1);
}

static void test_costs(void)
{
    struct fused_progress s = progress(1000, 40000, 0, 0);
    report(push_of(&s) == 1000 * 50 + 40000 * 50.0, "a push costs rows and edges");
    s = progress(100000, 8e6, 0, 8e6); /* half of the ends are visited, so a row finds one in two probes */
    double rows = 1e6 - 100000, expected = 1e6 / 32 * 4 + rows * 14 + rows * 10; /* a second probe each */
    report(pull_of(&s) == expected, "a pull costs masks, rows and expected probes");
    s = progress(10, 320, 0, 0); /* nothing can be found, so all rows are read to their ends */
    expected = 1e6 / 32 * 4 + (1e6 - 10) * 4 + (32e6 - 320) * 10;
    report(pull_of(&s) == expected, "a pull reads no more columns than there are");
    s = progress(10, 320, 2e6, 40e6);
    report(pull_of(&s) == 1e6 / 32 * 4, "more seen than there is leaves no rows");
}

static void test_choices(void)
{
    struct fused_progress few = progress(100, 3200, 0, 0), many = progress(60000, 900000, 400000, 20e6);
    struct fused_choice c = choose(&few, FUSED_BY_COST);
    report(!c.dense && !c.pull[DD], "a small frontier is pushed from its list");
    c = choose(&many, FUSED_BY_COST);
    report(c.dense && c.pull[DD], "a large frontier is pulled");
    c = choose(&many, FUSED_PUSH);
    report(c.dense && !c.pull[DD], "push: never pulled, and by masks where listing costs more");
    c = choose(&few, FUSED_PULL);
    report(c.dense && c.pull[DD] && !c.pull[NN], "pull: always, where there is a frontier");
    few.sparse = 0;
    c = choose(&few, FUSED_BY_COST);
    report(c.dense, "a frontier without a list goes by masks where listing it costs more");
    few.sparse = 1;
    struct fused_progress medium = progress(2000, 200000, 0, 0);
    c = choose(&medium, FUSED_PUSH);
    report(c.dense, "a list goes by masks where what it reaches costs more to list");
    struct fused_progress wide = progress(900000, 2e6, 0, 0);
    c = choose(&wide, FUSED_PUSH);
    report(c.dense && !c.pull[DD], "what a list cannot take is pushed by masks");
}

/* A level as a trace counted it, in a graph that is all dd. */
struct counted {
    double rows, edges;           /* of the graph */
    double frontier, forward;
    double seen, seen_edges;      /* visited before the frontier */
    int listed, masks, pull;      /* levels, and the direction that was measured to be faster on an H200 */
    const char *name;
};

/* With the rates of an H200. RMAT 25 from a root of few edges; a grid of 4000 x 4000; 2^24 vertices of degree 32. */
static const struct counted levels[] = {
    {17.05e6, 1.054e9, 1, 2, 0, 0, 1, 0, 0, "RMAT, a root"},
    {17.05e6, 1.054e9, 1150, 11.4e6, 3, 1154, 1, 1, 0, "RMAT, neighbours of hubs"},
    {17.05e6, 1.054e9, 3.22e6, 915e6, 1153, 11.4e6, 0, 1, 1, "RMAT, most edges"},
    {17.05e6, 1.054e9, 13.4e6, 127e6, 3.22e6, 926e6, 0, 1, 1, "RMAT, most vertices"},
    {17.05e6, 1.054e9, 1259, 1594, 17.04e6, 1.0539e9, 1, 0, 0, "RMAT, the last"},
    {16e6, 64e6, 4000, 16e3, 8e6, 32e6, 1, 0, 0, "grid, its diagonal"},
    {16e6, 64e6, 100, 400, 15.9e6, 63e6, 1, 0, 0, "grid, a corner"},
    {16.8e6, 537e6, 1024, 32768, 33, 1056, 1, 0, 0, "uniform, the third level"},
    {16.8e6, 537e6, 1.02e6, 32.5e6, 34e3, 1.08e6, 0, 1, 0, "uniform, 6% of the edges"},
    {16.8e6, 537e6, 14.3e6, 455e6, 1.06e6, 33.6e6, 0, 1, 1, "uniform, most of it"},
};

static void test_rates(void)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const struct counted *l = &levels[i];
        struct cost_graph g = {.edges = {[DD] = l->edges}, .sources = {[DD] = l->rows}, .pulled = {[DD] = {l->rows, l->edges, 1, 1}},
                               .words = {[DELEGATES] = l->rows / 32}, .rates = gpu_rates(&gpu_traits_known[GPU_LIKE_h200], 0)};
        g.rates.list_edge += g.rates.list_vertex * l->rows; /* as in cost_graph_of */
        struct fused_progress s = progress(l->frontier, l->forward, l->seen, l->seen_edges);
        struct fused_choice c = {.push_edges = l->forward};
        s.sparse = (uint32_t)l->listed;
        weigh_all(&g, &s, FUSED_BY_COST, &c);
        fused_choose(&g, &s, FUSED_BY_COST, MOST_LISTED, &c);
        report(c.dense == l->masks && c.pull[DD] == l->pull, l->name);
    }
}

/* RMAT 27 on two GPUs, the third level from two roots: nn, nd, dn, dd. Of the first one dn finds most normals that nn would
 * look for; of the second one a fifth. */
static void test_pull_behind(void)
{
    const struct cost_pulled nn = {31.2e6, 125e6, 1, 1}, nd = {57e6, 645e6, 1, 1}, dn = {7e6, 645e6, 1, 1}, dd = {7e6, 2.8e9, 1, 1};
    const struct cost_graph g = {.edges = {125e6, 645e6, 645e6, 2.8e9}, .sources = {31.2e6, 57e6, 7e6, 7e6},
                                 .pulled = {nn, nd, dn, dd}, .rows_of_two_pulls = {31.2e6, 7e6}, .words = {4.2e6, .22e6},
                                 .rates = gpu_rates(&gpu_traits_known[GPU_LIKE_h200], 0)};
    struct fused_progress s = {.fresh = 4267378, .frontier = {926289, 1052779, 3214592, 3172793},
                               .forward = {8158385, 42197433, 524417371, 2237941607}};
    struct fused_choice c;
    memcpy(s.seen, s.frontier, sizeof s.seen);
    memcpy(s.seen_edges, s.forward, sizeof s.seen_edges);
    weigh_all(&g, &s, FUSED_BY_COST, &c);
    report(c.pull[NN], "nn is pulled where dn leaves few rows");
    double behind = c.pull_cost[NN];
    s.frontier[DN] = s.forward[DN] = 0;
    weigh_all(&g, &s, FUSED_BY_COST, &c);
    report(!c.pull[NN] && c.pull_cost[NN] > 4 * behind, "nn is pushed where dn is not pulled");
    s = (struct fused_progress){.fresh = 142425, .frontier = {14905, 16853, 125572, 124841},
                                .forward = {133121, 692865, 121518282, 462209262}};
    memcpy(s.seen, s.frontier, sizeof s.seen);
    memcpy(s.seen_edges, s.forward, sizeof s.seen_edges);
    weigh_all(&g, &s, FUSED_BY_COST, &c);
    report(c.pull[DN] && c.pull[DD] && !c.pull[NN], "nn is pushed where dn leaves many rows");
}

/* Columns in memory of the host: 4,000 ps a row that is read there, 80 a column. The device has two columns of each row to push,
 * and eight to pull. */
static void test_link(void)
{
    struct cost_graph g = graph;
    g.rates.link_row = 4000;
    g.rates.link_column = g.rates.link_probe = 80;
    g.link[DD] = (struct cost_link){1, 1, 2, 8, 1};
    struct fused_progress s = progress(1000, 40000, 0, 0);
    report(cost_push(&g, DD, 1000, 40000) == push_of(&s) + 1000 * 4000 + 38000 * 80, "a push reads columns behind the heads over the link");
    report(cost_push(&g, DD, 1000, 1500) == cost_push(&graph, DD, 1000, 1500), "a push of heads alone reads none");
    report(cost_push(&g, DD, 1000, 2100) == cost_push(&graph, DD, 1000, 2100) + 100 * 4080, "no more rows are read there than columns");
    s = progress(100000, 8e6, 0, 8e6); /* half of the ends are visited: one row of 256 looks further than eight columns */
    const double rows = 1e6 - 100000, more = cost_pull(&g, s.seen, s.seen_edges, DD, 1) - pull_of(&s);
    report(more > rows / 256 * 4160 - 1 && more < rows / 256 * 4160 + 1, "a pull reads there what the device does not have");
    s = progress(10, 320, 2e6, 40e6);
    report(cost_pull(&g, s.seen, s.seen_edges, DD, 1) == pull_of(&s), "a pull of no rows reads none");
    struct fused_progress early = progress(2000, 6.4e6, 0, 0); /* a fifth of the ends is visited */
    struct fused_choice far, copied;
    weigh_all(&g, &early, FUSED_BY_COST, &copied);
    g.link[DD].pull_near = 2;
    weigh_all(&g, &early, FUSED_BY_COST, &far);
    report(copied.pull[DD] && !far.pull[DD], "a pull becomes a push where many of its rows read over the link");
}

/* Pieces of rows of one length, for every length around the limits of a piece. */
static void test_capacity(void)
{
    int ok = 1;
    for (uint64_t length = 1; length <= 8 * FUSED_ITEM_EDGES; length++) {
        for (uint64_t vertices = 1; vertices <= UINT64_C(1) << 24; vertices *= 16) {
            /* a level by masks pushes and pulls each row; a level by lists takes both rows of a reached vertex */
            uint64_t pieces = (length + FUSED_ITEM_EDGES - 1) / FUSED_ITEM_EDGES;
            uint64_t less = length > FUSED_ALIGNED_FROM ? FUSED_ITEM_ALIGNED - 1 : 0; /* of a row's first piece, if it is cut: the most */
            uint64_t cut_pieces = (length + less + FUSED_ITEM_EDGES - 1) / FUSED_ITEM_EDGES;
            uint64_t edges = 2 * vertices * length, capacity = gpu_fused_capacity(vertices, edges);
            uint64_t cut = length > FUSED_ROW_TOGETHER ? 2 * vertices * 2 * cut_pieces : 0;
            uint64_t reached = vertices < FUSED_LISTED_EDGES ? vertices : (uint64_t)FUSED_LISTED_EDGES;
            ok &= cut <= capacity && 2 * reached * pieces <= capacity;
        }
    }
    report(ok, "lists have room for the pieces of every level");
}

int main(void)
{
    test_costs();
    test_choices();
    test_rates();
    test_pull_behind();
    test_link();
    test_capacity();
    return unit_result();
}
