/* proof_cpu.c: the steps of a proof on the cores of the host, as a struct prover (proof.h) */
#include "proof.h"

#include <string.h>

_Static_assert(sizeof(struct offence) <= FIRST_BYTES, "there is room for it");

/* Allocates zeroed memory for `count` elements of `width` bytes, within the budget of the rank, and sets *array. */
static enum status cpu_take(const struct proof *p, void **array, uint64_t count, uint64_t width, const char *what,
                            struct error *e)
{
    return memory_take(p->rank->budget, array, count, width, what, e);
}

/* Frees memory that cpu_take has allocated, and gives it back to the budget of the rank. `array` may be NULL. */
static void cpu_release(const struct proof *p, void *array)
{
    memory_release(p->rank->budget, array);
}

/* Writes the input ids of all vertices of the device into p->end. Sets the bits of p->value_has_edges for the values that
 * belong to these vertices, all of which have edges. Called once, before the first root. */
static enum status cpu_open_proof(struct proof *p, struct error *e)
{
    const struct graph *graph = p->rank->graph;
    const uint64_t vertices = p->shard->locals + p->shard->d;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < vertices; i++)
        p->end[i].id = (int64_t)original_id(graph, numbered_vertex_id(p->shard, i));
    for (uint64_t i = 0; i < vertices; i++) {
        if (p->value_index[i] != VALUE_ELSEWHERE)
            p->value_has_edges[p->value_index[i] / 32] |= UINT32_C(1) << (p->value_index[i] % 32);
    }
    return e->status;
}

/* Counts or lists the questions of the device: one for each nn edge to another shard. If `put` is 0, counts the questions to
 * shard s in next[s + 1]. If `put` is 1, writes the far end of the edge to own.question[next[s]], and the local vertex to
 * own.asker[next[s]], and then adds 1 to next[s]. */
static enum status cpu_list_questions(struct proof *p, uint64_t *next, int put, struct error *e)
{
    const struct csr *nn = &p->shard->csr[NN];
    const struct proof_questions *own = &p->own;
    const uint64_t local_mask = (UINT64_C(1) << p->shard->local_bits) - 1;
    for (uint64_t row = 0; nn->edges > 0 && row < nn->rows; row++) {
        uint64_t length = csr_row_length(nn, row);
        for (uint64_t j = 0; j < length; j++) {
            uint64_t to = csr_destination(nn, row, j), s = to >> p->shard->local_bits;
            if (s == p->shard->index)
                continue;
            if (put) {
                own->asker[next[s]] = (uint32_t)row;
                own->question[next[s]++] = (uint32_t)(to & local_mask);
            } else {
                next[s + 1]++;
            }
        }
    }
    return e->status;
}

/* Returns the device's array of the answer: p->value_count parents, each of p->id_bytes bytes. */
static const void *values_of(const struct proof *p)
{
    return p->results->answers.arrays[p->g].values;
}

/* Begins the proof of a root: reads the depths of the search into p->end, and the parents of the answer into p->claim. Where
 * another device has the parent, p->claim becomes CLAIM_ELSEWHERE. Clears p->parent_seen, and sets *p->first to no offence. */
static enum status cpu_begin_root(struct proof *p, struct error *e)
{
    const int32_t *local = p->results->depth[p->g], *delegate = p->results->delegate_depth;
    const uint64_t locals = p->shard->locals, d = p->shard->d;
    const void *values = values_of(p);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < locals + d; i++) {
        p->end[i].depth = i < locals ? local[i] : delegate[i - locals];
        const uint32_t value = p->value_index[i];
        p->claim[i] = value == VALUE_ELSEWHERE ? CLAIM_ELSEWHERE : answer_id(values, p->id_bytes, value);
    }
    if (locals + d > 0)
        memset(p->parent_seen, 0, (mask_words(locals) + mask_words(d)) * 8);
    *(struct offence *)p->first = (struct offence){0};
    return e->status;
}

/* Writes the replies to all questions of other devices: the input id and the depth of the local vertex that is asked
 * about. */
static enum status cpu_reply(struct proof *p, struct error *e)
{
    const struct proof_questions *asked = &p->asked;
    const uint64_t count = asked->begin[p->shard->p];
    struct vertex_end *reply = asked->reply;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < count; i++)
        reply[i] = p->end[asked->question[i]];
    return e->status;
}

/* Checks values of vertices without edges, each vertex by itself, and edges with both ends on this device. Stores the first
 * offence in *p->first, and sets bits of p->parent_seen. Called after cpu_begin_root. */
static enum status cpu_check(struct proof *p, struct error *e)
{
    const struct proved_vertices of[VERTEX_KINDS] = {proved_of(p, NORMALS), proved_of(p, DELEGATES)};
    const struct proved_values values = values_of_proof(p, values_of(p));
    proof_check_isolated(&values, p->root, p->first);
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        proof_check_vertices(&of[kind], p->root, p->first);
    for (int s = 0; s < SUBGRAPHS; s++) {
        enum subgraph g = (enum subgraph)s;
        struct proved_rows rows = {.csr = &p->shard->csr[g],
                                   .rows = of[subgraph_rows(g)],
                                   .columns = of[subgraph_columns(g)].end,
                                   .local_bits = g == NN ? p->shard->local_bits : NO_SHARD_BITS,
                                   .own_shard = g == NN ? p->shard->index : 0};
        proof_check_rows(&rows, p->first);
    }
    return e->status;
}

/* Checks the nn edges to other shards. p->replies[s] has the vertices at their far ends on shard s. Stores the first offence in
 * *p->first, and sets bits of p->parent_seen. */
static enum status cpu_check_replies(struct proof *p, struct error *e)
{
    const struct proved_vertices locals = proved_of(p, NORMALS);
    const uint64_t *begin = p->own.begin;
    for (uint32_t s = 0; s < p->shard->p; s++)
        proof_check_edges(&locals, p->own.asker + begin[s], p->replies[s].at, begin[s + 1] - begin[s], p->first);
    return e->status;
}

/* Checks that all reached vertices of the device have an edge to their parents, after all edges were checked. Sets *first to the
 * first offence of all checks since cpu_begin_root. */
static enum status cpu_finish_proof(struct proof *p, struct offence *first, struct error *e)
{
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        struct proved_vertices v = proved_of(p, (enum vertex_kind)kind);
        proof_check_parents(&v, p->root, p->first);
    }
    *first = *(const struct offence *)p->first;
    return e->status;
}

const struct prover prover_cpu = {.take = cpu_take,
                                  .release = cpu_release,
                                  .open = cpu_open_proof,
                                  .list_questions = cpu_list_questions,
                                  .begin = cpu_begin_root,
                                  .reply = cpu_reply,
                                  .check = cpu_check,
                                  .check_replies = cpu_check_replies,
                                  .finish = cpu_finish_proof};
