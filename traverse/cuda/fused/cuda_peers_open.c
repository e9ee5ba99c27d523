/* cuda_peers_open.c: a GPU gets to know its peers before they search together; see cuda_peers.h */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

_Static_assert(sizeof(struct peers_state) <= GROUP_STATE_BYTES, "the state of a group as planned");

/* Whether the peers have all shards, each has a GPU, and all of them can. */
static int may_search_together(const struct device *dev)
{
    const struct gpu_peers *p = &dev->traffic.peers;
    if (p->count != dev->shard->p || p->count > MOST_PEERS || p->count < 2)
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

/* Sets masks of normals that are numbered as nn's columns are. */
static void set_columns(struct gpu_fused_peers *g, const struct device *dev)
{
    const struct gpu_traffic *t = &dev->traffic;
    g->columns.local_bits = dev->shard->local_bits;
    g->columns.shard_words = (uint32_t)((UINT64_C(1) << dev->shard->local_bits) / 32);
    g->columns.words = shard_has_masks(dev->shard) ? (uint64_t)g->columns.shard_words * dev->shard->p : 0;
    g->sent[0] = t->sent_mask;
    g->sent[1] = t->peers.sent_too;
    g->gathered = t->peers.gathered;
    g->fused.of[FUSED_COLUMNS] = (struct gpu_vertices){
        .words = g->columns.words, .visited = g->gathered, .next = g->sent[0]};
    g->fused.csr[NN].column_kind = g->fused.pulled[NN].column_kind = FUSED_COLUMNS;
}

/* Sets the costs by which all GPUs choose: they must be the same on each. */
static void set_costs(struct cost_graph *graph, const struct device *dev)
{
    const struct shard *s = dev->shard;
    const double locals = (double)(UINT64_C(1) << s->local_bits);
    graph->words[NORMALS] = locals / 32 * s->p;
    graph->rates.list_edge =
        cost_rates_h200.list_edge + cost_rates_h200.list_vertex * (locals + (double)s->d);
}

/* Sets the sizes of frontiers that cost less by lists than any level by masks would. A mask has to be listed first. */
static void set_listed_edges(struct gpu_fused_peers *g)
{
    const struct cost_graph *graph = &g->fused.graph;
    const struct cost_rates *rates = &graph->rates;
    const double masks = rates->masks + (graph->words[NORMALS] + graph->words[DELEGATES]) * rates->word;
    for (int listed = 0; listed < 2; listed++) {
        const double edges = (masks - (listed ? 0 : rates->list)) * g->peers / rates->list_edge;
        g->listed_edges[listed] = edges < 0 ? 0 : edges < PEERS_LISTED_EDGES ? (unsigned long long)edges
                                                                             : PEERS_LISTED_EDGES;
    }
}

/* Makes the counts of a graph of no shards. */
static void clear_counts(struct cost_graph *graph)
{
    for (int g = 0; g < SUBGRAPHS; g++) {
        graph->sources[g] = graph->edges[g] = 0;
        graph->pulled[g] = (struct cost_pulled){0};
    }
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        graph->both[kind] = 0;
}

static void add_counts(struct cost_graph *graph, const struct cost_graph *shard)
{
    for (int g = 0; g < SUBGRAPHS; g++) {
        graph->sources[g] += shard->sources[g];
        graph->edges[g] += shard->edges[g];
        graph->pulled[g].sources += shard->pulled[g].sources;
        graph->pulled[g].edges += shard->pulled[g].edges;
    }
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        graph->both[kind] += shard->both[kind];
}

/* A peer's copy of the visited normals of this shard. A peer without nn edges pulls none, and
 * without nn edges of this shard it looks for none of its vertices. */
static uint32_t *gathered_by(const struct gpu_peer *peer, const struct gpu_fused_peers *g, const struct device *dev)
{
    int joined = dev->shard->csr[NN].edges > 0 && peer->is.size.graph.pulled[NN].edges > 0;
    return joined ? peer->shows.gathered + (uint64_t)g->columns.shard_words * dev->shard->index : NULL;
}

static void set_peers(struct gpu_fused_peers *g, const struct device *dev)
{
    const struct gpu_peers *p = &dev->traffic.peers;
    struct cost_graph *graph = &g->fused.graph;
    g->total = (struct peers_total){0};
    clear_counts(graph);
    g->peers = p->count;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct gpu_peer *peer = &p->all[i];
        g->shard[i] = peer->is.shard;
        g->peer[i] = (struct gpu_fused_peer){.found = {peer->shows.found, peer->shows.found_too},
                                             .sent = {peer->shows.sent_mask, peer->shows.sent_too},
                                             .visited = peer->shows.visited,
                                             .words = peer->is.words,
                                             .gathered = gathered_by(peer, g, dev),
                                             .state = peer->shows.state};
        add_counts(graph, &peer->is.size.graph);
        g->total.vertices += (double)peer->is.size.vertices;
        g->total.edges += (double)peer->is.size.all_edges;
        if (peer->is.size.longest > g->total.longest)
            g->total.longest = peer->is.size.longest;
        if (peer->is.shard == dev->shard->index)
            g->own = i;
    }
    cost_settle_pulled(graph);
    for (uint32_t i = 0; i < p->count; i++)
        g->peer[i].arrivals = p->all[i].shows.arrivals + (size_t)g->own * PEERS_LISTED_EDGES;
}

enum status gpu_peers_open(struct device *dev, struct error *e)
{
    struct gpu_fused_peers *g = &dev->fused.group.search;
    struct fused_launch *launch = &dev->fused.group.launch;
    launch->blocks = 0;
    if (!may_search_together(dev))
        return ST_OK;
    g->fused = dev->fused.search;
    g->state = dev->traffic.peers.peers_state;
    g->found[0] = dev->of[DELEGATES].next;
    g->found[1] = dev->masks.incoming;
    g->arrivals = dev->traffic.peers.arrivals;
    g->dd_own = dev->traffic.peers.own;
    g->dd_others = dev->traffic.peers.others;
    set_columns(g, dev);
    set_costs(&g->fused.graph, dev);
    set_peers(g, dev);
    set_listed_edges(g);
    *launch = (struct fused_launch){.program = cuda_peers_program(gpu_is_packed(dev)), .has_hubs = gpu_has_hubs(dev)};
    return CUDA_TRY(cuda_fused_plan(launch), dev->where, e);
}
