/* twin.c: the steps of steps.h by the CPU backend; it fills and reads the state of that backend */
#include "steps.h"

#include "graphs.h"

#include "traverse/cpu/cpu_device.h"
#include "traverse/cpu/unique.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 4 };

static void need(enum status status, const struct error *e)
{
    if (status == ST_OK)
        return;
    printf("not ok - the twin: %s\n", e->text);
    exit(1);
}

/* Prepares a device for a search whose roots are elsewhere. */
static struct device *open_device(const struct shard *shard, int parents)
{
    static struct memory_budget budget = {.limit_bytes = UINT64_MAX};
    struct device_options options = {.threads = 1, .deepest = INT32_MAX, .parents = parents, .budget = &budget};
    const struct root_set none = {0};
    struct device *dev;
    struct error e = {0};
    need(backend_cpu.open(&dev, shard, &options, NULL, &e), &e);
    need(backend_cpu.start(dev, &none, &e), &e);
    if (parents) {
        memset(dev->delegates.parent, POISON_BYTE, shard->d * 4);
        memset(dev->normals.parent, POISON_BYTE, shard->locals * 4);
    }
    memset(dev->delegates.depth, POISON_BYTE, shard->d * 4);
    memset(dev->normals.depth, POISON_BYTE, shard->locals * 4);
    dev->depth = dev->delegates.frontier_depth = DEPTH;
    return dev;
}

static void *copy_of(const void *from, size_t bytes)
{
    void *copy = need_memory(bytes);
    if (bytes > 0)
        memcpy(copy, from, bytes);
    return copy;
}

static void put_mask(uint64_t *to, const uint64_t *from, uint64_t bits)
{
    if (bits > 0)
        memcpy(to, from, mask_words(bits) * 8);
}

static void set_queue(struct device *dev, const uint64_t *mask)
{
    uint32_t *list;
    dev->normals.sparse_count = mask_list(mask, dev->shard->locals, &list);
    memcpy(dev->normals.sparse, list, dev->normals.sparse_count * sizeof *list);
    free(list);
}

static void set_frontier(struct device *dev, enum vertex_kind kind, const uint64_t *frontier)
{
    if (kind == DELEGATES) {
        put_mask(dev->delegates.dense, frontier, dev->shard->d);
        dev->delegates.is_sparse = 0;
    } else {
        set_queue(dev, frontier);
    }
    count_frontier_of(dev, NORMALS);
    count_frontier_of(dev, DELEGATES);
}

/* ---- visits ---- */

/* The CPU backend marks normals as visited when it finds them. */
static void set_targets(struct device *dev, enum vertex_kind kind, const uint64_t *visited,
                        const uint64_t *next)
{
    if (kind == DELEGATES) {
        put_mask(dev->delegates.visited, visited, dev->shard->d);
        put_mask(dev->delegates.found_here, next, dev->shard->d);
        return;
    }
    for (uint64_t w = 0; w < mask_words(dev->shard->locals); w++)
        dev->normals.visited[w] = visited[w] | next[w];
}

static uint64_t *next_of(const struct device *dev, enum vertex_kind kind, const uint64_t *visited)
{
    uint64_t words = mask_words(vertices_of(dev->shard, kind));
    uint64_t *next =
        copy_of(kind == DELEGATES ? dev->delegates.found_here : dev->normals.visited, words * 8);
    for (uint64_t w = 0; w < words; w++)
        next[w] &= ~visited[w];
    return next;
}

/* Returns the number of normals found. */
static uint64_t pull(struct device *dev, const struct visit *v)
{
    if (v->g == ND)
        put_mask(dev->normals.visited, v->from, dev->shard->locals);
    if (v->g == DN)
        put_mask(dev->delegates.visited, v->from, dev->shard->d);
    if (v->g == NN)
        set_queue(dev, v->from);
    return pull_subgraph(dev, v->g, NULL);
}

static uint64_t push(struct device *dev, const struct visit *v)
{
    struct error e = {0};
    set_frontier(dev, subgraph_rows(v->g), v->from);
    if (v->g == NN)
        push_nn(dev);
    else
        push_sparse(dev, v->g);
    if (dev->shard->p > 1)
        need(show_shard_bins(dev, &e), &e);
    return dev->normals.next_sparse_count;
}

/* The vertices that the last visit found for each shard: [p], to be freed. */
static struct vertex_span *sent_spans(struct device *dev)
{
    struct vertex_span *spans = need_memory(dev->shard->p * sizeof *spans);
    struct visit_result result = {.outgoing = spans};
    struct error e = {0};
    need(backend_cpu.finish(dev, BOTH_KINDS, &result, &e), &e);
    return spans;
}

static void read_sent(struct device *dev, struct visited *out)
{
    const struct shard *shard = dev->shard;
    struct vertex_span *spans = sent_spans(dev);
    for (uint64_t s = 0; shard->p > 1 && s < shard->p; s++) {
        for (uint64_t i = 0; i < spans[s].count; i++)
            out->sent_sum += code_sum(s << shard->local_bits | spans[s].ids[i]);
        out->sent += spans[s].count;
    }
    free(spans);
}

static uint32_t *parents_of(const struct device *dev, enum vertex_kind kind)
{
    const uint32_t *parent = kind == DELEGATES ? dev->delegates.parent : dev->normals.parent;
    return dev->parents ? copy_of(parent, vertices_of(dev->shard, kind) * 4) : NULL;
}

void twin_visit(const struct visit *v, struct visited *out)
{
    struct device *dev = open_device(v->shard, v->parents);
    enum vertex_kind kind = subgraph_columns(v->g);
    set_targets(dev, kind, v->visited, v->next);
    uint64_t normals = v->way == VISIT_PULL ? pull(dev, v) : push(dev, v);
    out->found = kind == DELEGATES ? dev->delegates.any_found_here : normals > 0;
    out->next = next_of(dev, kind, v->visited);
    out->parent = parents_of(dev, kind);
    read_sent(dev, out);
    backend_cpu.close(dev);
}

/* ---- previsits ---- */

/* Normals are marked when they arrive. */
static void arrive(struct device *dev, const struct previsit_step *p)
{
    struct error e = {0};
    uint32_t *ids;
    uint64_t count = mask_list(p->in, p->shard->locals, &ids);
    put_mask(dev->normals.visited, p->visited, p->shard->locals);
    dev->depth = p->depth - 1;
    need(backend_cpu.receive(dev, &(struct vertex_span){.ids = ids, .count = count}, &e), &e);
    free(ids);
    dev->depth = p->depth;
    previsit_normals(dev);
}

void twin_previsit(const struct previsit_step *p, struct previsited *out)
{
    struct device *dev = open_device(p->shard, 0);
    uint64_t words = mask_words(vertices_of(p->shard, p->kind));
    dev->depth = p->depth;
    if (p->kind == DELEGATES) {
        put_mask(dev->delegates.found_anywhere, p->in, p->shard->d);
        put_mask(dev->delegates.visited, p->visited, p->shard->d);
        dev->delegates.any_found_anywhere = 1;
        dev->delegates.frontier_depth = p->depth;
        previsit_delegates(dev);
        out->fresh = dev->delegates.frontier_count;
        out->frontier = copy_of(dev->delegates.dense, words * 8);
    } else {
        arrive(dev, p);
        out->fresh = dev->normals.sparse_count;
        out->frontier = need_memory(words * 8);
        for (uint64_t i = 0; i < dev->normals.sparse_count; i++)
            set_mask_bit(out->frontier, dev->normals.sparse[i]);
    }
    count_frontier_of(dev, NORMALS);
    count_frontier_of(dev, DELEGATES);
    for (int i = 0; i < VERTEX_KINDS; i++) {
        enum subgraph g = subgraph_between(p->kind, (enum vertex_kind)i);
        out->sources[i] = dev->frontier_rows[g];
        out->forward[i] = count_forward(dev, g);
    }
    out->visited =
        copy_of(p->kind == DELEGATES ? dev->delegates.visited : dev->normals.visited, words * 8);
    out->depth = copy_of(p->kind == DELEGATES ? dev->delegates.depth : dev->normals.depth,
                         vertices_of(p->shard, p->kind) * 4);
    backend_cpu.close(dev);
}

/* Gathers rows, as a push from masks does. */
void twin_list(const struct shard *shard, enum subgraph g, const uint64_t *frontier,
               struct listed *out)
{
    struct device *dev = open_device(shard, 0);
    set_frontier(dev, subgraph_rows(g), frontier);
    out->count = gather_sources(dev, g);
    out->rows = copy_of(dev->gathered_rows, out->count * 4);
    out->forward = count_forward(dev, g);
    backend_cpu.close(dev);
}

/* ---- vertices of other shards ---- */

/* Pushes one row of nn whose columns are the codes. The pushing shard owns none of them. */
void twin_bin(const uint64_t *codes, uint64_t count, uint32_t p, uint32_t local_bits,
              struct binned *out)
{
    uint64_t offsets[2] = {0, count}, sources = count > 0;
    struct shard shard = {.index = p, .p = p + 1, .locals = 1, .local_bits = local_bits};
    shard.csr[NN] = (struct csr){.rows = 1,
                                 .edges = count,
                                 .offset_width = 8,
                                 .column_width = 8,
                                 .offsets = offsets,
                                 .columns = codes,
                                 .sources = &sources,
                                 .source_rows = sources};
    struct device *dev = open_device(&shard, 0);
    out->begin = need_memory((p + 1) * sizeof *out->begin);
    out->ids = need_memory(count * sizeof *out->ids);
    push(dev, &(struct visit){.g = NN, .from = &(uint64_t){1}});
    struct vertex_span *spans = sent_spans(dev);
    for (uint32_t s = 0; s < p; s++) {
        out->begin[s + 1] = out->begin[s] + spans[s].count;
        if (spans[s].count > 0)
            memcpy(out->ids + out->begin[s], spans[s].ids, spans[s].count * sizeof *out->ids);
    }
    free(spans);
    backend_cpu.close(dev);
}

uint64_t twin_unique(uint32_t *ids, uint64_t count)
{
    return unique_ids(ids, count);
}

void twin_receive(const struct arrival *a, struct visited *out)
{
    struct device *dev = open_device(a->shard, a->parents);
    struct error e = {0};
    set_targets(dev, NORMALS, a->visited, a->next);
    need(backend_cpu.receive(dev, &(struct vertex_span){.ids = (uint32_t *)a->ids, .count = a->count}, &e), &e);
    out->next = next_of(dev, NORMALS, a->visited);
    out->parent = parents_of(dev, NORMALS);
    backend_cpu.close(dev);
}

/* ---- masks and results ---- */

/* Passes masks as those of devices; with `keep`, the old mask is that of one more. */
void twin_or(uint64_t *to, uint64_t *const *masks, int count, uint64_t words, int keep)
{
    struct shard shard = {.p = 1, .d = 64 * words};
    struct device **devices = need_memory(((size_t)count + 1) * sizeof(struct device *));
    struct peer_handle *cards = need_memory(((size_t)count + 1) * sizeof *cards);
    int *updating = need_memory(((size_t)count + 1) * sizeof *updating);
    struct mask_update update = {.mask = to};
    struct error e = {0};
    int searches_fused;
    for (int i = 0; i <= count; i++) {
        devices[i] = open_device(&shard, 0);
        put_mask(devices[i]->delegates.found_here, i < count ? masks[i] : to, shard.d);
        updating[i] = i < count || keep;
        need(backend_cpu.show(devices[i], 0, &cards[i], &e), &e);
    }
    need(backend_cpu.join(devices[0], cards, (uint32_t)count + 1, &searches_fused, &e), &e);
    need(backend_cpu.read_masks(devices[0], updating, &update, &e), &e);
    for (int i = 0; i <= count; i++)
        backend_cpu.close(devices[i]);
    free(devices);
    free(cards);
    free(updating);
}

void twin_roots(const struct shard *shard, enum vertex_kind kind, const uint32_t *vertex, uint32_t count, int parents,
                struct visited *out)
{
    struct device *dev = open_device(shard, parents);
    struct root *root = need_memory(count * sizeof *root);
    const struct root_set roots = {root, count};
    struct error e = {0};
    for (uint32_t i = 0; i < count; i++)
        root[i] = (struct root){.at = kind == DELEGATES ? ROOT_AT_DELEGATE : ROOT_AT_LOCAL,
                                .shard = shard->index,
                                .index = vertex[i]};
    need(backend_cpu.start(dev, &roots, &e), &e);
    free(root);
    out->next = copy_of(kind == DELEGATES ? dev->delegates.found_anywhere : dev->normals.visited,
                        mask_words(vertices_of(shard, kind)) * 8);
    out->parent = parents_of(dev, kind);
    backend_cpu.close(dev);
}

void twin_blank(const struct shard *shard, enum vertex_kind kind, const uint64_t *visited,
                int32_t *depth)
{
    struct device *dev = open_device(shard, 0);
    uint64_t count = vertices_of(shard, kind);
    int32_t *other = need_memory(vertices_of(shard, kind == DELEGATES ? NORMALS : DELEGATES) * 4);
    struct error e = {0};
    put_mask(kind == DELEGATES ? dev->delegates.visited : dev->normals.visited, visited, count);
    if (count > 0)
        memcpy(kind == DELEGATES ? dev->delegates.depth : dev->normals.depth, depth, count * 4);
    need(backend_cpu.answers->read_depths(dev, kind == DELEGATES ? other : depth,
                                          kind == DELEGATES ? depth : other, &e), &e);
    free(other);
    backend_cpu.close(dev);
}
