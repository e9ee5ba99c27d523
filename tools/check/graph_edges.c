/* graph_edges.c: see graph_edges.h */
#include "graph_edges.h"

#include <string.h>
#include <sys/stat.h>

/* ---- opening ---- */

/* Opens the shards of a folder, and takes n and other facts from the manifest. */
static enum status open_folder(struct graph_edges *g, const char *path, struct memory_budget *budget, struct error *e)
{
    if (shard_edges_open(&g->shards, path, g->threads, budget, e) != ST_OK)
        return e->status;
    const struct manifest *m = &g->shards.manifest;
    g->n = m->totals.n;
    g->base = m->base;
    g->directed = m->direction == EDGES_DIRECTED;
    input_ids_init(&g->ids, m->randomized, m->random_n, m->random_seed);
    return ST_OK;
}

/* Opens the streams and takes n and other facts from their preambles and trailers, which the first pass proves. */
static enum status open_streams(struct graph_edges *g, const struct edge_inputs *inputs,
                                const char *tmpdir, struct memory_budget *budget, struct error *e)
{
    if (edge_source_open(&g->source, inputs, tmpdir, g->comm, budget, e) != ST_OK)
        return e->status;
    const struct edges_info *info = &g->source.info;
    input_ids_init(&g->ids, info->randomized, info->random_n, info->random_seed);
    g->n = g->source.totals.n;
    g->base = info->base;
    g->directed = info->direction == EDGES_DIRECTED;
    return ST_OK;
}

static int is_folder(const char *path)
{
    struct stat st;
    return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Sets g->is_folder: the inputs are edge streams, which together are one graph, or a single folder. All ranks decide alike. */
static enum status find_input_kind(struct graph_edges *g, const struct edge_inputs *inputs, struct error *e)
{
    for (size_t i = 0; i < inputs->count; i++) {
        g->is_folder |= is_folder(inputs->path[i]);
        if (g->is_folder && inputs->count > 1)
            fail(e, ST_USAGE, "%s: more than one graph: only edge streams make up one",
                 inputs->path[i]);
    }
    if (comm_max_of(g->comm, (uint64_t)g->is_folder) != comm_min_of(g->comm, (uint64_t)g->is_folder))
        fail(e, ST_RUNTIME, "%s: is a folder on some ranks only", inputs->path[0]);
    return comm_agree(g->comm, e);
}

/* Opens edge streams or a folder of shards. Collective. */
enum status graph_edges_open(struct graph_edges *g, const struct edge_inputs *inputs,
                             const char *tmpdir, const struct comm *comm, int threads,
                             struct memory_budget *budget, struct error *e)
{
    memset(g, 0, sizeof *g);
    g->comm = comm;
    g->threads = threads;
    if (find_input_kind(g, inputs, e) != ST_OK)
        return e->status;
    if (g->is_folder)
        open_folder(g, inputs->path[0], budget, e);
    else
        open_streams(g, inputs, tmpdir, budget, e);
    if (inputs->base != BASE_OF_STREAMS)
        g->base = inputs->base == BASE_1;
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

/* Gives edges to the visitor of the pass, with the ids of the input. Leaves out those with an id that is not below n. */
static enum status visit_input_ids(void *context, int thread, const struct edge *edges, size_t count, struct error *e)
{
    const struct graph_edges *g = context;
    struct edge mapped[EDGES_VISIT_PIECE];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (edges[i].u >= g->n || edges[i].v >= g->n)
            continue;
        mapped[kept] = edges[i];
        if (g->ids.permuted)
            mapped[kept] = (struct edge){input_id(&g->ids, edges[i].u), input_id(&g->ids, edges[i].v)};
        if (g->reversed)
            mapped[kept] = (struct edge){mapped[kept].v, mapped[kept].u};
        kept++;
    }
    return g->visit(g->context, thread, mapped, kept, e);
}

/* Gives every edge to the visitor on one of the ranks. The first pass also proves the input undamaged. Collective. */
enum status graph_edges_scan(struct graph_edges *g, edges_visitor visit, void *context, struct error *e)
{
    g->visit = visit;
    g->context = context;
    if (g->is_folder) {
        if (e->status == ST_OK)
            shard_edges_scan(&g->shards, g->comm, visit_input_ids, g, e);
        return comm_agree(g->comm, e);
    }
    if (g->passed)
        return edge_source_scan(&g->source, g->threads, visit_input_ids, g, e);
    uint64_t own_edges;
    g->passed = 1;
    return edge_source_first_scan(&g->source, g->threads, visit_input_ids, g, &own_edges, e);
}
