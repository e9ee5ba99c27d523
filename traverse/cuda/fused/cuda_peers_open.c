/* cuda_peers_open.c: prepares a GPU for fused searches with its peers (cuda_peers.h): sets the parameters of the kernel */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

_Static_assert(sizeof(struct peers_state) <= PEERS_STATE_BYTES, "the state of GPUs that search together as planned");

/* Returns the number of devices that would search together: near ones, which are peers, and far ones. */
static uint32_t devices_of(const struct gpu_traffic *t)
{
    return t->peers.count + t->far.buffers.count;
}

/* Returns the facts about device i of these: first the near ones. */
static const struct gpu_facts *facts_of(const struct gpu_traffic *t, uint32_t i)
{
    return i < t->peers.count ? &t->peers.all[i].is : &t->far.facts[i - t->peers.count];
}

/* Returns whether these devices may search together. There must be one for each shard, and 2 to MOST_PEERS in all. Each must
 * be on a GPU of its own, and be able to join a fused search. Near ones must let their peers read their memory. */
static int may_search_together(const struct gpu_traffic *t, uint32_t shards)
{
    const uint32_t count = devices_of(t);
    if (count != shards || count > MOST_PEERS || count < 2)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!facts_of(t, i)->joins || (i < t->peers.count && !t->peers.all[i].readable))
            return 0;
        for (uint32_t j = 0; j < i; j++) {
            if (facts_of(t, i)->pci_address == facts_of(t, j)->pci_address && facts_of(t, i)->host == facts_of(t, j)->host)
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

/* Raises each rate to that of `other` if this is larger. */
static void raise_rates(struct cost_rates *rates, const struct cost_rates *other)
{
#define STEP(name, cpu, h200, bytes, unit, what) rates->name = other->name > rates->name ? other->name : rates->name;
#include "formats/rates.def"
}

/* Sets g->fused.graph and g->total to sums over the sizes of all shards, and rates to those of the slowest GPU, so that all GPUs
 * compute the same costs. */
static void set_graph(struct gpu_fused_peers *g, const struct gpu_traffic *t)
{
    struct cost_graph *graph = &g->fused.graph;
    double list_edge = 0;
    g->total = (struct peers_total){0};
    for (int s = 0; s < SUBGRAPHS; s++) {
        graph->sources[s] = graph->edges[s] = 0;
        graph->pulled[s] = (struct cost_pulled){0};
    }
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        graph->rows_of_two_pulls[kind] = 0;
    for (uint32_t i = 0; i < devices_of(t); i++) {
        const struct peers_size *size = &facts_of(t, i)->size;
        for (int s = 0; s < SUBGRAPHS; s++) {
            graph->sources[s] += size->graph.sources[s];
            graph->edges[s] += size->graph.edges[s];
            graph->pulled[s].sources += size->graph.pulled[s].sources;
            graph->pulled[s].edges += size->graph.pulled[s].edges;
            if (size->graph.link[s].push || size->graph.link[s].pull)
                graph->link[s] = size->graph.link[s];
        }
        for (int kind = 0; kind < VERTEX_KINDS; kind++)
            graph->rows_of_two_pulls[kind] += size->graph.rows_of_two_pulls[kind];
        raise_rates(&graph->rates, &size->graph.rates);
        list_edge = size->list_edge > list_edge ? size->list_edge : list_edge;
        g->total.vertices += (double)size->vertices;
        g->total.edges += (double)size->all_edges;
        if (size->most_edges > g->total.most_edges)
            g->total.most_edges = size->most_edges;
    }
    graph->rates.list_edge = list_edge;
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
    graph->rates.list_edge += graph->rates.list_vertex * (locals + (double)shard->d);
    const struct cost_rates *rates = &graph->rates;
    const double dense = rates->masks + (graph->words[NORMALS] + graph->words[DELEGATES]) * rates->word;
    for (int sparse = 0; sparse < 2; sparse++) {
        const double edges = (dense - (sparse ? 0 : rates->list)) * g->count / rates->list_edge;
        g->listed_edges[sparse] = edges < 0 ? 0 : edges < PEERS_LISTED_EDGES ? (unsigned long long)edges
                                                                             : PEERS_LISTED_EDGES;
    }
}

/* Sets how the kernel reaches near peer i, in whose memory it reads and writes. */
static void set_near_peer(struct gpu_fused_peers *g, const struct gpu_peers *p, const struct shard *shard, uint32_t i)
{
    const struct gpu_peer *peer = &p->all[i];
    /* 1: the peer may look up this shard's normals in pulls of nn, as both shards have edges of nn */
    const int joined = shard->csr[NN].edges > 0 && peer->is.size.graph.pulled[NN].edges > 0;
    g->peer[i] = (struct gpu_fused_peer){
        .words = peer->is.words,
        .flag = peer->shows.state->flag[g->own],
        .arrivals = peer->shows.arrivals + (size_t)g->own * 2 * PEERS_LISTED_EDGES,
        .arrived = p->arrivals + (size_t)i * 2 * PEERS_LISTED_EDGES,
        .found = {peer->shows.found[0], peer->shows.found[1]},
        .sent = {peer->shows.sent[0], peer->shows.sent[1]},
        .visited = peer->shows.visited,
        .gathered = joined ? peer->shows.gathered + (uint64_t)g->columns.shard_words * shard->index : NULL};
}

/* Sets how the kernel reaches peer i, which is far, but for messages to all (gpu_hear). */
static void set_far_peer(struct gpu_fused_peers *g, const struct gpu_traffic *t, uint32_t i)
{
    const struct far_buffers *far = &t->far.buffers.far[i - g->near];
    g->peer[i] = (struct gpu_fused_peer){.words = facts_of(t, i)->words,
                                         .flag = far->flag_out,
                                         .arrivals = far->vertices_out,
                                         .arrived = far->vertices_in,
                                         .flag_in = far->flag_in,
                                         .single_out = (uint32_t *)far->single_out,
                                         .single_in = (const uint32_t *)far->single_in};
}

/* Sets what the kernel must know of its peers: their shards and numbers, the index of this GPU among them, and how it reaches
 * each (g->peer). Called after set_columns. */
static void set_peers(struct gpu_fused_peers *g, const struct gpu_traffic *t, const struct shard *shard)
{
    g->count = devices_of(t);
    g->near = t->peers.count;
    g->far = t->far.kernel;
    for (uint32_t i = 0; i < g->count; i++) {
        g->shard[i] = facts_of(t, i)->shard;
        if (g->shard[i] == shard->index)
            g->own = i;
    }
    for (uint32_t i = 0; i < g->count; i++) {
        if (i < g->near)
            set_near_peer(g, &t->peers, shard, i);
        else
            set_far_peer(g, t, i);
    }
}

/* Returns the warps of a launch. */
static int warps_of(const struct fused_launch *launch)
{
    return launch->blocks * (launch->threads / 32);
}

/* Prepares a device for fused searches with its peers: sets the parameters of the kernel (dev->fused.group.search), and plans the launches
 * with and without notes of levels. If the peers cannot search together, or some are far and the kernels have more than PEERS_MOST_WARPS
 * warps, dev->fused.group.launch gets 0 blocks, without an error. Called after gpu_join has made the arrays of the peers readable, and
 * again for other peers and for far devices. */
enum status gpu_peers_open(struct device *dev, struct error *e)
{
    const struct gpu_peers *peers = &dev->traffic.peers;
    struct gpu_fused_peers *g = &dev->fused.group.search;
    struct fused_launch *launch = &dev->fused.group.launch;
    launch->blocks = 0;
    if (!may_search_together(&dev->traffic, dev->shard->p))
        return ST_OK;
    g->fused = dev->fused.search;
    g->state = peers->peers_state;
    g->found[0] = dev->of[DELEGATES].next;
    g->found[1] = dev->masks.incoming;
    g->arrivals = peers->arrivals;
    g->dd_own = peers->own;
    g->dd_others = peers->others;
    set_columns(g, dev->shard, &dev->traffic);
    set_peers(g, &dev->traffic, dev->shard);
    set_graph(g, &dev->traffic);
    set_costs(g, dev->shard);
    *launch = (struct fused_launch){.program = cuda_peers_plain(gpu_is_packed(dev)), .has_hubs = gpu_has_hubs(dev)};
    dev->fused.group.noted = *launch;
    dev->fused.group.noted.program = cuda_peers_noted(gpu_is_packed(dev));
    if (CUDA_TRY(cuda_fused_plan(launch), dev->where, e) == ST_OK)
        CUDA_TRY(cuda_fused_plan(&dev->fused.group.noted), dev->where, e);
    if (peers->count < g->count && (warps_of(launch) > PEERS_MOST_WARPS || warps_of(&dev->fused.group.noted) > PEERS_MOST_WARPS))
        launch->blocks = 0;
    return e->status;
}
