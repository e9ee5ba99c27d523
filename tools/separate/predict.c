/* predict.c: see predict.h */
#include "predict.h"

#include "formats/graph/subgraph.h"
#include "formats/limits.h"
#include "growth.h"

/* The most levels that are predicted; more levels, of a path or a road network, would not change the comparison of TH. */
enum { MOST_LEVELS = 4096 };

/* Rates of the steps (formats/rates.def) on a single device and on one of several. They differ because a single device goes
 * through all levels by itself, with code of its own, and several devices meet in every level. */
static const struct th_steps alone_rates[MACHINES] = {
#define TH(name, cpu, cpus, gpu, unit, what) [MACHINE_CPU].name = cpu, [MACHINE_GPU].name = gpu,
#include "formats/rates.def"
};
static const struct th_steps several_rates[MACHINES] = {
#define TH(name, cpu, cpus, gpu, unit, what) [MACHINE_CPU].name = cpus, [MACHINE_GPU].name = gpu,
#include "formats/rates.def"
};

/* Rates of several shards, by the slowest link between them: the time of a level, and the time of a byte over the link. */
static const struct {
    double level[MACHINES], byte[MACHINES];
} link_rates[LINKS] = {
#define TH_LINK(link, cpu_level, gpu_level, cpu_byte, gpu_byte, unit, what) \
    [link] = {{cpu_level, gpu_level}, {cpu_byte, gpu_byte}},
#include "formats/rates.def"
};

/* Rates of a single GPU that searches a small graph by slices, equally fast with every TH. In a level one block pushes the
 * frontier, or all blocks read all edges; with more than SLICED_ALL_EDGES edges, all blocks push it or pull row by row. */
#define TH_SLICED(name, value, unit, what) static const double sliced_##name = value;
#include "formats/rates.def"

/* A graph as one TH separates it. */
struct th_shape {
    struct vertex_sum all[VERTEX_KINDS]; /* of all devices */
    double share[SUBGRAPHS];   /* of the edge ends at vertices of the rows' kind */
    double bits[VERTEX_KINDS]; /* of a device's mask */
    double hot[VERTEX_KINDS];  /* bytes of the mask where most edges lead */
    double p;
    double group;   /* shards that read each other's memory */
    enum link link; /* between groups */
};

/* A level on one device. */
struct th_level {
    struct vertex_sum frontier[VERTEX_KINDS], left[VERTEX_KINDS];
    double open[VERTEX_KINDS]; /* the share of `left` that no subgraph of this level has found yet */
};

/* Sums over all levels. */
struct predicted_sum {
    struct th_steps steps[MACHINES];
    double links_ns[MACHINES];
    double sliced_ns;
};

struct prediction {
    const struct sweep_row *row;
    uint64_t rows;
    struct shard_layout layout;
    struct growth growth;
    /* for each row: */
    struct th_shape *shape;
    struct growth_below *below;
    struct predicted_sum *sum;
};

/* ---- steps ---- */

static void add_steps(struct th_steps *sum, const struct th_steps *more)
{
#define TH(name, cpu, cpus, gpu, unit, what) sum->name += more->name;
#include "formats/rates.def"
}

/* Nanoseconds of these steps at these rates. */
static double time_of(const struct th_steps *steps, const struct th_steps *rates)
{
    double ns = 0;
#define TH(name, cpu, cpus, gpu, unit, what) ns += steps->name * rates->name;
#include "formats/rates.def"
    return ns;
}

/* ---- a level ---- */

/* Estimates how many vertices out of `vertices` have at least one edge end, if `ends` edge ends are spread over them. */
static double rows_with(double vertices, double ends)
{
    return ends > 0 ? vertices * ends / (vertices + ends) : 0;
}

/* The share of probes of a mask of `bytes` bytes that miss the cache. */
static double missing(const struct th_steps *r, double bytes)
{
    return bytes > r->cache_bytes ? 1 - r->cache_bytes / bytes : 0;
}

/* Edges of subgraph g that leave the frontier on a device. */
static double frontier_edges(const struct th_shape *s, const struct th_level *l, enum subgraph g)
{
    return l->frontier[subgraph_rows(g)].ends * s->share[g];
}

/* Steps of a push along g. */
static struct th_steps push_steps(const struct th_shape *s, const struct th_level *l, const struct th_steps *r,
                                  enum subgraph g)
{
    double edges = frontier_edges(s, l, g), rows = rows_with(l->frontier[subgraph_rows(g)].vertices, edges);
    return (struct th_steps){.push_row = rows, .push_edge = edges,
                             .miss = edges * missing(r, s->hot[subgraph_columns(g)])};
}

/* Returns how many rows a device pulls for subgraph g. Every device has a row of each delegate. Within a group of peers it is
 * pulled first where most of its edges are, then where it is still needed. Groups tell each other nothing within a level. */
static double pulled_vertices(const struct th_shape *s, const struct th_level *l, enum subgraph g)
{
    const enum vertex_kind to = subgraph_columns(g);
    return l->open[to] * l->left[to].vertices * (g == DD ? s->p / s->group : 1);
}

/* Returns how many edges a pull looks at. `visited` is the visited share of the edge ends that a row can meet, so a row ends
 * after 1 / visited edges. */
static double pull_probes(double rows, double ends, double visited)
{
    return rows < visited * ends ? rows / visited : ends;
}

/* Steps of a pull that finds what a push along g finds. */
static struct th_steps pull_steps(const struct th_shape *s, const struct th_level *l, const struct th_steps *r,
                                  enum subgraph g)
{
    const enum vertex_kind from = subgraph_rows(g), to = subgraph_columns(g);
    double edges = l->open[to] * l->left[to].ends * s->share[subgraph_reverse(g)];
    double rows = rows_with(pulled_vertices(s, l, g), edges);
    double visited = 1 - s->p * l->left[from].ends / s->all[from].ends;
    double probes = pull_probes(rows, edges, visited);
    return (struct th_steps){.word = s->bits[to] / 32, .pull_row = rows, .offset = from == NORMALS ? rows : 0,
                             .pull_probe = probes, .miss = probes * missing(r, s->hot[from])};
}

/* Takes the vertices that g finds off those that later subgraphs look for. */
static void close_found(const struct th_shape *s, struct th_level *l, enum subgraph g)
{
    double edges = frontier_edges(s, l, g);
    double others = frontier_edges(s, l, subgraph_between(!subgraph_rows(g), subgraph_columns(g)));
    l->open[subgraph_columns(g)] *= others / (edges + others);
}

/* Returns the bytes that nn sends to `others` shards: of each vertex found 4 bytes in a list, or a bit for every vertex there,
 * whichever is less. */
static double nn_bytes(const struct th_shape *s, const struct th_level *l, double others)
{
    double list = 4 * frontier_edges(s, l, NN) * others / s->p, bits = s->bits[NORMALS] / 8 * others;
    return list < bits ? list : bits;
}

/* Returns the time of an exchange. A device reads the delegate masks of all its peers. Groups reduce their masks by an
 * MPI_Allreduce, which moves a mask's halves, quarters and so on, and back. */
static double exchange_cost(const struct th_shape *s, const struct th_level *l, enum machine m)
{
    const double groups = s->p / s->group, hubs = l->frontier[DELEGATES].vertices * s->p;
    const double mask = s->bits[DELEGATES] / 8 * (hubs < 1 ? hubs : 1);
    double cost = link_rates[groups > 1 ? s->link : LINK_PEER].level[m];
    cost += (mask + nn_bytes(s, l, 1)) * (s->group - 1) * link_rates[LINK_PEER].byte[m];
    if (groups > 1)
        cost += (2 * mask * (groups - 1) / groups + nn_bytes(s, l, s->p - s->group)) *
                link_rates[s->link].byte[m];
    return cost;
}

/* Returns the steps of a level: of a sparse one, which pushes all subgraphs, or of a dense one, which pushes or pulls each of
 * them, whichever is cheaper. The faster of the two is taken. */
static struct th_steps level_steps(const struct th_shape *s, struct th_level level, const struct th_steps *r)
{
    struct th_level *l = &level; /* `open` changes */
    static const enum subgraph order[SUBGRAPHS] = {DD, ND, DN, NN};
    const double found = l->frontier[NORMALS].vertices, hubs = l->frontier[DELEGATES].vertices;
    struct th_steps lists = {0}, masks = {.masks = 1, .word = (s->bits[NORMALS] + s->bits[DELEGATES]) / 32};
    struct th_steps steps = {.level = 1, .delegates = hubs < 1 ? hubs : 1, .found = found + hubs};
    for (int i = 0; i < SUBGRAPHS; i++) {
        const enum subgraph g = order[i];
        double edges = frontier_edges(s, l, g);
        if (!(edges > 0))
            continue;
        struct th_steps push = push_steps(s, l, r, g), pull = pull_steps(s, l, r, g);
        add_steps(&lists, &push);
        add_steps(&masks, time_of(&push, r) < time_of(&pull, r) ? &push : &pull);
        steps.visit += edges < 1 ? edges : 1;
        close_found(s, l, g);
    }
    add_steps(&steps, time_of(&lists, r) < time_of(&masks, r) ? &lists : &masks);
    return steps;
}

/* Nonzero if a GPU would search the graph without classes of edges. */
static int is_sliced(const struct th_shape *s)
{
    const struct vertex_sum *n = &s->all[NORMALS], *d = &s->all[DELEGATES];
    return s->p == 1 && SLICED_TAKES(n->vertices + d->vertices, n->ends + d->ends, SLICED_NEAR_VERTICES, SLICED_MOST_VERTICES);
}

/* The time of a level that all blocks of a GPU search. */
static double all_blocks_cost(double all, double frontier, double left_rows, double left)
{
    if (all <= SLICED_ALL_EDGES)
        return sliced_whole_level + sliced_whole_edge * all;
    const double push = sliced_rows_push * frontier,
                 pull = sliced_rows_probe * pull_probes(left_rows, left, 1 - left / all);
    return sliced_rows_level + (push < pull ? push : pull);
}

/* The time of a level by slices, on one block of a GPU or on all, whichever is less. */
static double sliced_cost(const struct th_shape *s, const struct th_level *l)
{
    const struct vertex_sum *frontier = l->frontier, *left = l->left;
    const double ends = frontier[NORMALS].ends + frontier[DELEGATES].ends,
                 one = sliced_one_level + sliced_one_edge * ends,
                 all = all_blocks_cost(s->all[NORMALS].ends + s->all[DELEGATES].ends, ends,
                                       left[NORMALS].vertices + left[DELEGATES].vertices,
                                       left[NORMALS].ends + left[DELEGATES].ends);
    return one < all ? one : all;
}

/* ---- a graph with each TH ---- */

/* Returns the bytes of the part of a mask to which most edges lead. It is as large as the mask of vertices of one degree with
 * this sum of degrees and this sum of their squares. */
static double hot_bytes(double ends, double squares)
{
    return squares > 0 ? ends * ends / squares / 8 : 0;
}

/* Shards of one host, unless the user says otherwise. */
static const double host_shards = 8;

/* Sets how the shards of the graph are linked: groups of peers, and links between groups. */
static void set_links(struct th_shape *s, const struct shard_layout *layout)
{
    s->p = (double)layout->p;
    s->group = layout->links == LINKS_PEER ? s->p : 1;
    if (layout->links == LINKS_AUTO)
        s->group = s->p < host_shards ? s->p : host_shards;
    s->link = layout->links == LINKS_HOST ? LINK_HOST : LINK_NETWORK;
}

/* Sums over vertices of degree <= TH. */
struct degree_sum {
    double vertices, ends, squares;
};

/* Adds the vertices of one degree. */
static void add_degree(struct degree_sum *sum, const struct degree_count *d)
{
    double degree = (double)d->degree, vertices = (double)d->vertices;
    sum->vertices += degree > 0 ? vertices : 0;
    sum->ends += degree * vertices;
    sum->squares += degree * degree * vertices;
}

/* Returns the shape that one TH gives the graph; `below` sums up the vertices with degrees up to TH. */
static struct th_shape shape_of(const struct sweep_row *row, const struct degree_sum *below,
                                const struct degree_sum *all, double p)
{
    const double normal = (double)row->nn + (double)row->nd, hub = (double)row->dn + (double)row->dd;
    const struct degree_sum above = {all->vertices - below->vertices, all->ends - below->ends,
                                     all->squares - below->squares};
    return (struct th_shape){
        .all = {{below->vertices, below->ends}, {above.vertices, above.ends}},
        .share = {[NN] = normal > 0 ? (double)row->nn / normal : 0,
                  [ND] = normal > 0 ? (double)row->nd / normal : 0,
                  [DN] = hub > 0 ? (double)row->dn / hub : 0,
                  [DD] = hub > 0 ? (double)row->dd / hub : 0},
        .bits = {below->vertices / p, above.vertices},
        .hot = {hot_bytes(below->ends, below->squares) / p, hot_bytes(above.ends, above.squares)}};
}

/* Sets p->shape for every TH, and begins p->sum. */
static void fill_shapes(struct prediction *p, const struct ranks *ranks)
{
    struct degree_sum below = {0}, all = {0};
    uint32_t at = 0;
    for (uint32_t i = 0; i < ranks->count; i++)
        add_degree(&all, &ranks->degrees[i]);
    for (uint64_t r = 0; r < p->rows; r++) {
        while (at < ranks->count && ranks->degrees[at].degree <= p->row[r].th)
            add_degree(&below, &ranks->degrees[at++]);
        p->shape[r] = shape_of(&p->row[r], &below, &all, (double)p->layout.p);
        set_links(&p->shape[r], &p->layout);
        p->sum[r].sliced_ns = sliced_start;
    }
}

/* ---- all levels ---- */

static struct vertex_sum difference(struct vertex_sum a, struct vertex_sum b)
{
    return (struct vertex_sum){a.vertices - b.vertices, a.ends - b.ends};
}

/* The share of one device in a level with one TH: `below` it are normal vertices, and the rest of `all` delegates. */
static struct th_level level_of(const struct growth_below *below, const struct growth_below *all, double p)
{
    struct th_level l = {.frontier = {below->frontier, difference(all->frontier, below->frontier)},
                         .left = {below->left, difference(all->left, below->left)}};
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        l.frontier[kind].vertices /= p;
        l.frontier[kind].ends /= p;
        l.left[kind].vertices /= p;
        l.left[kind].ends /= p;
        l.open[kind] = 1;
    }
    return l;
}

/* The rates of all machines for so many devices. */
static const struct th_steps *rates_of(const struct prediction *p)
{
    return p->layout.p == 1 ? alone_rates : several_rates;
}

/* Adds the cost of the level that p->growth is at to the sums of every TH. */
static void add_level(struct prediction *p)
{
    growth_sums(&p->growth, p->row, p->rows, p->below);
    const struct th_steps *rates = rates_of(p);
    for (uint64_t r = 0; r < p->rows; r++) {
        struct th_level l = level_of(&p->below[r], &p->below[p->rows - 1], (double)p->layout.p);
        p->sum[r].sliced_ns += sliced_cost(&p->shape[r], &l);
        for (int m = 0; m < MACHINES; m++) {
            struct th_steps steps = level_steps(&p->shape[r], l, &rates[m]);
            add_steps(&p->sum[r].steps[m], &steps);
            p->sum[r].links_ns[m] += p->layout.p > 1 ? exchange_cost(&p->shape[r], &l, (enum machine)m) : 0;
        }
    }
}

/* The prediction of row r, once all levels were added. */
static struct predicted predict_row(const struct prediction *p, uint64_t r)
{
    const struct predicted_sum *sum = &p->sum[r];
    struct predicted predicted;
    for (int m = 0; m < MACHINES; m++) {
        predicted.steps[m] = sum->steps[m];
        predicted.ns[m] = (uint64_t)(time_of(&sum->steps[m], &rates_of(p)[m]) + sum->links_ns[m]);
    }
    if (is_sliced(&p->shape[r]))
        predicted.ns[MACHINE_GPU] = (uint64_t)sum->sliced_ns;
    return predicted;
}

static enum status open_prediction(struct prediction *p, uint32_t degrees, struct memory_budget *budget,
                                   struct error *e)
{
    memory_take(budget, (void **)&p->shape, p->rows, sizeof *p->shape, "prediction", e);
    memory_take(budget, (void **)&p->below, p->rows, sizeof *p->below, "prediction", e);
    memory_take(budget, (void **)&p->sum, p->rows, sizeof *p->sum, "prediction", e);
    memory_take(budget, (void **)&p->growth.left, degrees, 8, "prediction", e);
    memory_take(budget, (void **)&p->growth.fresh, degrees, 8, "prediction", e);
    return e->status; /* of the first that failed */
}

static void close_prediction(struct prediction *p, struct memory_budget *budget)
{
    memory_release(budget, p->shape);
    memory_release(budget, p->below);
    memory_release(budget, p->sum);
    memory_release(budget, p->growth.left);
    memory_release(budget, p->growth.fresh);
}

/* Predicts the time of a search for each TH of row[], ascending, into *predicted, which the caller releases. */
enum status predict_sweep(struct predicted **predicted, const struct separation *s, const struct sweep_row *row,
                          uint64_t rows, struct shard_layout layout, struct memory_budget *budget,
                          struct error *e)
{
    const struct ranks *ranks = &s->ranks;
    struct prediction of = {.row = row, .rows = rows, .layout = layout};
    of.growth.degrees = ranks->degrees;
    of.growth.count = ranks->count;
    of.growth.planar = separation_planar(s);
    if (memory_take(budget, (void **)predicted, rows, sizeof **predicted, "prediction", e) == ST_OK &&
        open_prediction(&of, ranks->count, budget, e) == ST_OK) {
        fill_shapes(&of, ranks);
        int more = growth_start(&of.growth);
        for (int level = 0; more && level < MOST_LEVELS; level++) {
            add_level(&of);
            more = growth_next(&of.growth);
        }
        for (uint64_t r = 0; r < rows; r++)
            (*predicted)[r] = predict_row(&of, r);
    }
    close_prediction(&of, budget);
    return e->status;
}
