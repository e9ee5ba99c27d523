/* cuda_peers_open.c: prepares a GPU for fused searches with its peers (cuda_peers.h): sets the parameters of the kernel */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

_Static_assert(sizeof(struct peers_state) <= PEERS_STATE_BYTES, "the state of GPUs that search together as planned");

/* Returns whether the devices *p may search together. There must be one for each shard, and 2 to MOST_PEERS in all. Each must
 * be on a GPU of its own, be able to join a fused search, and let its peers read its memory. */
static int may_search_together(const struct gpu_peers *p, uint32_t shards)
{
    if (p->count != shards || p->count > MOST_PEERS || p->count < 2)
        return 0;
    for (uint32_t i = 0; i < p->count; i++) {
        if (!p->all[i].is.joins || !p->all[i].readable)
            return 0;
        for (uint32_t j = 0; j < i; j++) {
            if (p->all[i].is.pci_address == p->all[j].is.pci_address)
                return 0;
        }
    }
    return 1;
}

/* Sets how columns of nn number the normals of all shards (g->columns), and the bitmaps over these columns, g->sent and
 * g->gathered. For the kernel these normals become a third kind of vertices, FUSED_COLUMNS. */
static void set_columns(struct gpu_fused_peers *g, const struct shard *shard, const struct gpu_traffic *t)
{
    g->columns.local_bits = shard->local_bits;
    g->columns.shard_words = (uint32_t)((UINT64_C(1) << shard->local_bits) / 32);
    g->columns.words = shard_has_masks(shard) ? (uint64_t)g->columns.shard_words * shard->p : 0;
    g->sent[0] = t->sent_mask;
    g->sent[1] = t->peers.second_sent_mask;
    g->gathered = t->peers.gathered;
    g->fused.of[FUSED_COLUMNS] = (struct gpu_vertices){
        .words = g->columns.words, .visited = g->gathered, .next = g->sent[0]};
    g->fused.csr[NN].column_kind = g->fused.pulled[NN].column_kind = FUSED_COLUMNS;
}

/* Sets g->fused.graph and g->total to sums over the sizes of all shards, so that all GPUs compute the same costs. */
static void set_graph(struct gpu_fused_peers *g, const struct gpu_peers *p)
{
    struct cost_graph *graph = &g->fused.graph;
    g->total = (struct peers_total){0};
    for (int s = 0; s < SUBGRAPHS; s++) {
        graph->sources[s] = graph->edges[s] = 0;
        graph->pulled[s] = (struct cost_pulled){0};
    }
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        graph->rows_of_two_pulls[kind] = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct peers_size *size = &p->all[i].is.size;
        for (int s = 0; s < SUBGRAPHS; s++) {
            graph->sources[s] += size->graph.sources[s];
            graph->edges[s] += size->graph.edges[s];
            graph->pulled[s].sources += size->graph.pulled[s].sources;
            graph->pulled[s].edges += size->graph.pulled[s].edges;
        }
        for (int kind = 0; kind < VERTEX_KINDS; kind++)
            graph->rows_of_two_pulls[kind] += size->graph.rows_of_two_pulls[kind];
        g->total.vertices += (double)size->vertices;
        g->total.edges += (double)size->all_edges;
        if (size->most_edges > g->total.most_edges)
            g->total.most_edges = size->most_edges;
    }
    cost_settle_pulled(graph);
}

/* Sets the costs by which all GPUs choose directions, and g->listed_edges, the most edges of a frontier for which a sparse
 * level costs less than any dense level. They are fewer for a dense frontier, which must first be made sparse. Called after
 * set_peers and set_graph. */
static void set_costs(struct gpu_fused_peers *g, const struct shard *shard)
{
    struct cost_graph *graph = &g->fused.graph;
    const double locals = (double)(UINT64_C(1) << shard->local_bits);
    graph->words[NORMALS] = locals / 32 * shard->p;
    graph->rates.list_edge = cost_rates_h200.list_edge + cost_rates_h200.list_vertex * (locals + (double)shard->d);
    const struct cost_rates *rates = &graph->rates;
    const double dense = rates->masks + (graph->words[NORMALS] + graph->words[DELEGATES]) * rates->word;
    for (int sparse = 0; sparse < 2; sparse++) {
        const double edges = (dense - (sparse ? 0 : rates->list)) * g->count / rates->list_edge;
        g->listed_edges[sparse] = edges < 0 ? 0 : edges < PEERS_LISTED_EDGES ? (unsigned long long)edges
                                                                             : PEERS_LISTED_EDGES;
    }
}

/* Sets what the kernel must know of its peers: the arrays that it reads and writes (g->peer), their shards, their number, and
 * the index of this GPU among them. Called after set_columns. */
static void set_peers(struct gpu_fused_peers *g, const struct gpu_peers *p, const struct shard *shard)
{
    g->count = p->count;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->all[i].is.shard == shard->index)
            g->own = i;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        const struct gpu_peer *peer = &p->all[i];
        /* 1: the peer may look up this shard's normals in pulls of nn, as both shards have edges of nn */
        const int joined = shard->csr[NN].edges > 0 && peer->is.size.graph.pulled[NN].edges > 0;
        g->shard[i] = peer->is.shard;
        g->peer[i] = (struct gpu_fused_peer){
            .found = {peer->shows.found[0], peer->shows.found[1]},
            .sent = {peer->shows.sent[0], peer->shows.sent[1]},
            .visited = peer->shows.visited,
            .words = peer->is.words,
            .gathered = joined ? peer->shows.gathered + (uint64_t)g->columns.shard_words * shard->index : NULL,
            .arrivals = peer->shows.arrivals + (size_t)g->own * PEERS_LISTED_EDGES,
            .state = peer->shows.state};
    }
}

/* Prepares a device for fused searches with its peers: sets the parameters of the kernel (dev->fused.group.search), and plans
 * the launches with and without notes of levels. If the peers cannot search together, dev->fused.group.launch gets 0 blocks,
 * without an error. Called after gpu_join has made the arrays of the peers readable, and again for other peers. */
enum status gpu_peers_open(struct device *dev, struct error *e)
{
    const struct gpu_peers *peers = &dev->traffic.peers;
    struct gpu_fused_peers *g = &dev->fused.group.search;
    struct fused_launch *launch = &dev->fused.group.launch;
    launch->blocks = 0;
    if (!may_search_together(peers, dev->shard->p))
        return ST_OK;
    g->fused = dev->fused.search;
    g->state = peers->peers_state;
    g->found[0] = dev->of[DELEGATES].next;
    g->found[1] = dev->masks.incoming;
    g->arrivals = peers->arrivals;
    g->dd_own = peers->own;
    g->dd_others = peers->others;
    set_columns(g, dev->shard, &dev->traffic);
    set_peers(g, peers, dev->shard);
    set_graph(g, peers);
    set_costs(g, dev->shard);
    *launch = (struct fused_launch){.program = cuda_peers_plain(gpu_is_packed(dev)), .has_hubs = gpu_has_hubs(dev)};
    dev->fused.group.noted = *launch;
    dev->fused.group.noted.program = cuda_peers_noted(gpu_is_packed(dev));
    if (CUDA_TRY(cuda_fused_plan(launch), dev->where, e) == ST_OK)
        CUDA_TRY(cuda_fused_plan(&dev->fused.group.noted), dev->where, e);
    return e->status;
}
