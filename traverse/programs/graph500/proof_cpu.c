/* proof_cpu.c: the proof of a tree on the cores of the host, as a struct prover; see proof.h */
#include "proof.h"

#include <string.h>

_Static_assert(sizeof(struct offence) <= FIRST_BYTES, "there is room for it");

/* Takes zeroed memory from the rank's budget. */
static enum status cpu_take(const struct proof *p, void **array, uint64_t count, uint64_t width, const char *what,
                            struct error *e)
{
    return memory_take(p->rank->budget, array, count, width, what, e);
}

/* Releases memory of cpu_take; NULL is allowed. */
static void cpu_release(const struct proof *p, void *array)
{
    memory_release(p->rank->budget, array);
}

/* Copies bytes; all memory is the host's. */
static enum status cpu_copy(const struct proof *p, void *to, const void *from, uint64_t bytes, struct error *e)
{
    (void)p;
    if (bytes > 0)
        memcpy(to, from, bytes);
    return e->status;
}

/* Writes the input ids of all vertices into p->end, once. */
static void set_ids(struct proof *p)
{
    const struct graph *graph = p->rank->graph;
    uint64_t vertices = p->shard->locals + p->shard->d;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < vertices; i++)
        p->end[i].id = (int64_t)original_id(graph, numbered_vertex_id(p->shard, i));
}

/* ---- questions ---- */

/* Goes over the nn edges to other shards. Without `put`: counts the edges to shard s in next[s + 1]. With `put`:
 * writes the question and the asking vertex of each edge to place next[s], which grows. */
static enum status list_ends(struct proof *p, uint64_t *next, int put, struct error *e)
{
    const struct csr *nn = &p->shard->csr[NN];
    const struct proof_questions *own = &p->own;
    uint64_t mask = (UINT64_C(1) << p->shard->local_bits) - 1;
    for (uint64_t i = 0; nn->edges > 0 && i < nn->rows; i++) {
        uint64_t length = csr_row_length(nn, i);
        for (uint64_t j = 0; j < length; j++) {
            uint64_t to = csr_destination(nn, i, j), s = to >> p->shard->local_bits;
            if (s == p->shard->index)
                continue;
            if (put) {
                own->asker[next[s]] = (uint32_t)i;
                own->question[next[s]++] = (uint32_t)(to & mask);
            } else {
                next[s + 1]++;
            }
        }
    }
    return e->status;
}

/* Sets the bits of all vertices' places in p->has_edges. */
static void mark_places(struct proof *p)
{
    for (uint64_t i = 0; i < p->shard->locals + p->shard->d; i++) {
        if (p->place[i] != PLACE_ELSEWHERE)
            p->has_edges[p->place[i] / 32] |= UINT32_C(1) << (p->place[i] % 32);
    }
}

/* ---- a root ---- */

/* Begins the proof of a root: reads the depths into p->end, and clears p->met and the first offence. */
static enum status cpu_begin(struct proof *p, struct error *e)
{
    const int32_t *local = p->results->depth[p->g];
    const int32_t *delegate = p->results->delegate_depth;
    uint64_t locals = p->shard->locals, d = p->shard->d;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < locals + d; i++)
        p->end[i].depth = i < locals ? local[i] : delegate[i - locals];
    if (locals + d > 0)
        memset(p->met, 0, (mask_words(locals) + mask_words(d)) * 8);
    *(struct offence *)p->first = (struct offence){0};
    return e->status;
}

/* Returns the values of the answer on the proof's device, p->values parents of p->id_bytes each. */
static const void *values_of(const struct proof *p)
{
    return p->results->answers.arrays[p->g].values;
}

/* Reads the parents of all vertices from the answer into p->claim; CLAIM_ELSEWHERE where another device has the
 * value. */
static void cpu_take_claims(struct proof *p)
{
    const void *values = values_of(p);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < p->shard->locals + p->shard->d; i++)
        p->claim[i] = p->place[i] == PLACE_ELSEWHERE ? CLAIM_ELSEWHERE : answer_id(values, p->id_bytes, p->place[i]);
}

/* Writes the replies to all questions from other devices. */
static void cpu_reply(struct proof *p)
{
    const struct proof_questions *a = &p->asked;
    uint64_t count = a->begin[p->shard->p];
    struct vertex_end *end = a->reply;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < count; i++)
        end[i] = p->end[a->question[i]];
}

/* ---- checks ---- */

/* Checks values of ids without edges, vertices by themselves, and edges with both ends on this device. */
static void cpu_check(struct proof *p, int64_t root)
{
    struct proved_vertices of[VERTEX_KINDS] = {proved_of(p, NORMALS), proved_of(p, DELEGATES)};
    struct proved_values values = values_of_proof(p, values_of(p));
    proof_check_isolated(&values, root, p->first);
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        proof_check_vertices(&of[kind], root, p->first);
    for (int s = 0; s < SUBGRAPHS; s++) {
        enum subgraph g = (enum subgraph)s;
        struct proved_rows rows = {.csr = &p->shard->csr[g],
                                   .rows = of[subgraph_rows(g)],
                                   .columns = of[subgraph_columns(g)].end,
                                   .local_bits = g == NN ? p->shard->local_bits : NO_SHARD_BITS,
                                   .own_shard = g == NN ? p->shard->index : 0};
        proof_check_rows(&rows, p->first);
    }
}

/* Checks `count` edges: edge i leads from local vertex asker[i] to other[i]. */
static void cpu_check_edges(struct proof *p, const uint32_t *asker, const struct vertex_end *other, uint64_t count)
{
    struct proved_vertices locals = proved_of(p, NORMALS);
    proof_check_edges(&locals, asker, other, count, p->first);
}

/* Checks that the vertices of a kind have met their parents. */
static void cpu_check_parents(struct proof *p, enum vertex_kind kind, int64_t root)
{
    struct proved_vertices v = proved_of(p, kind);
    proof_check_parents(&v, root, p->first);
}

/* Copies the first offence of this device to *first. */
static enum status cpu_read_first(const struct proof *p, struct offence *first, struct error *e)
{
    *first = *(const struct offence *)p->first;
    return e->status;
}

const struct prover prover_cpu = {
    .take = cpu_take,
    .release = cpu_release,
    .copy = cpu_copy,
    .open = set_ids,
    .list_ends = list_ends,
    .mark = mark_places,
    .begin = cpu_begin,
    .take_claims = cpu_take_claims,
    .reply = cpu_reply,
    .check = cpu_check,
    .check_edges = cpu_check_edges,
    .check_parents = cpu_check_parents,
    .read_first = cpu_read_first,
};
