/* graph_edges.c: see graph_edges.h */
#include "graph_edges.h"

#include <string.h>
#include <sys/stat.h>

/* ---- opening ---- */

static void undo_random(struct graph_edges *g, int randomized, uint64_t n, uint64_t seed)
{
    g->randomized = randomized;
    if (randomized)
        bijection_init(&g->bijection, n, seed);
}

static enum status open_folder(struct graph_edges *g, const char *path,
                               struct memory_budget *budget, struct error *e)
{
    g->is_folder = 1;
    if (shard_edges_open(&g->shards, path, g->threads, budget, e) != ST_OK)
        return e->status;
    const struct manifest *m = &g->shards.manifest;
    g->n = m->totals.n;
    undo_random(g, m->randomized, m->random_n, m->random_seed);
    return ST_OK;
}

/* What the preamble and the trailer say; the first pass proves it. */
static enum status read_head(struct graph_edges *g, struct error *e)
{
    struct edges_reader *reader = NULL;
    struct edges_totals totals = {0};
    if (edge_source_reader(&g->source, &reader, e) != ST_OK)
        return e->status;
    const struct edges_info *info = edges_reader_info(reader);
    undo_random(g, info->randomized, info->random_n, info->random_seed);
    if (info->direction == EDGES_DIRECTED)
        fail(e, ST_BAD_DATA,
             "%s: the edges are directed, and a search follows both directions of each: "
             "'edgeconv -u' makes them undirected",
             g->source.name);
    else if (!edges_peek_totals(g->source.fd, &totals)) /* reading it finds out what is wrong */
        edges_scan(reader, g->threads, NULL, NULL, &totals, e);
    g->n = totals.n;
    edges_reader_close(reader);
    return e->status;
}

enum status graph_edges_open(struct graph_edges *g, const char *path, const char *tmpdir,
                             const struct comm *comm, int threads, struct memory_budget *budget,
                             struct error *e)
{
    struct stat st;
    memset(g, 0, sizeof *g);
    g->comm = comm;
    g->threads = threads;
    if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        open_folder(g, path, budget, e);
    else if (edge_source_open(&g->source, path, tmpdir, comm, budget, e) == ST_OK)
        read_head(g, e);
    if (comm_agree(comm, e) != ST_OK)
        graph_edges_close(g);
    return e->status;
}

void graph_edges_close(struct graph_edges *g)
{
    shard_edges_close(&g->shards);
    edge_source_close(&g->source);
    memset(g, 0, sizeof *g);
}

/* ---- passes ---- */

static uint64_t input_id(const struct graph_edges *g, uint64_t id)
{
    return id < g->bijection.n ? bijection_backward(&g->bijection, id) : id;
}

/* Between the reader and the visitor: ids of the input. Before the trailer has been compared with the edges,
 * an id may be n or larger; the pass fails later. */
static enum status visit_input_ids(void *context, int thread, const struct edge *edges,
                                   size_t count, struct error *e)
{
    const struct graph_edges *g = context;
    struct edge mapped[EDGES_VISIT_PIECE];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (edges[i].u >= g->n || edges[i].v >= g->n)
            continue;
        mapped[kept] = edges[i];
        if (g->randomized)
            mapped[kept] = (struct edge){input_id(g, edges[i].u), input_id(g, edges[i].v)};
        kept++;
    }
    return g->visit(g->context, thread, mapped, kept, e);
}

static enum status first_pass(struct graph_edges *g, struct error *e)
{
    struct edges_scan scan = {.threads = g->threads, .visit = visit_input_ids, .context = g};
    uint64_t own_edges;
    if (e->status == ST_OK)
        edge_source_reader(&g->source, &scan.reader, e);
    edge_source_first_scan(&g->source, scan, &g->totals, &own_edges, e);
    edges_reader_close(scan.reader);
    if (e->status == ST_OK && g->totals.n != g->n)
        fail(e, ST_BAD_DATA, "%s: the trailer changed while the stream was read", g->source.name);
    return e->status;
}

enum status graph_edges_scan(struct graph_edges *g, edges_visitor visit, void *context,
                             struct error *e)
{
    g->visit = visit;
    g->context = context;
    if (g->is_folder) {
        if (e->status == ST_OK)
            shard_edges_scan(&g->shards, g->comm, visit_input_ids, g, e);
        return comm_agree(g->comm, e);
    }
    if (g->passed)
        return edge_source_scan(&g->source, &g->totals, g->threads, visit_input_ids, g, e);
    g->passed = 1;
    return first_pass(g, e);
}
