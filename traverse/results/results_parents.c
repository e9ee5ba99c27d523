/* results_parents.c: parents, after the search (Pan et al., section VI-A3; results.h)
 *
 * A device knows the parents of the vertices that it found itself. Two kinds are left:
 * - a delegate may have been found by several devices, or by another one: the smallest id wins, in one
 *   reduction of d words;
 * - a normal vertex may have been reached over an nn edge from another device: it asks the owners of its nn
 *   neighbours which of them stand one level above it.
 */
#include "results_internal.h"

#include <stdlib.h>
#include <string.h>

/* "Does your local vertex `vertex` have depth `depth`? My `asker` needs a parent." The answer, sent
 * only where it does, is the same record with the vertex's stored id. */
struct question {
    uint64_t vertex;
    int32_t depth;
    uint32_t asker;
};

struct box {
    struct question *items;
    uint64_t count, capacity;
};

/* Boxes between this rank's devices and all shards: [G][p]. */
struct post {
    struct results *r;
    struct box *out, *in;
    struct transfer *sends, *receives;
    uint64_t *counts, *counts_in; /* [R][G*G] */
    uint32_t G, R, p;
};

enum { QUESTION_TAG = 1 << 14 }; /* apart from the tags of the nn exchange: G*G is below this */

static enum status put_question(struct box *box, struct question q, struct error *e)
{
    if (box->count == box->capacity) {
        uint64_t capacity = box->capacity == 0 ? 256 : 2 * box->capacity;
        struct question *grown = realloc(box->items, capacity * sizeof *grown);
        if (grown == NULL)
            return fail_memory(e, "questions for parents", capacity * sizeof *grown);
        box->items = grown;
        box->capacity = capacity;
    }
    box->items[box->count++] = q;
    return ST_OK;
}

static void free_boxes(struct box *boxes, size_t count)
{
    for (size_t i = 0; boxes != NULL && i < count; i++)
        free(boxes[i].items);
    free(boxes);
}

static void post_close(struct post *post)
{
    free_boxes(post->out, (size_t)post->G * post->p);
    free_boxes(post->in, (size_t)post->G * post->p);
    free(post->sends);
    free(post->receives);
    free(post->counts);
    free(post->counts_in);
}

static enum status post_open(struct post *post, struct results *r, struct error *e)
{
    uint32_t G = r->graph->device_count, R = r->comm->ranks;
    size_t pairs = (size_t)G * G * R;
    *post = (struct post){.r = r, .G = G, .R = R, .p = G * R};
    post->out = calloc(pairs, sizeof *post->out);
    post->in = calloc(pairs, sizeof *post->in);
    post->sends = calloc(pairs, sizeof *post->sends);
    post->receives = calloc(pairs, sizeof *post->receives);
    post->counts = calloc(pairs, sizeof *post->counts);
    post->counts_in = calloc(pairs, sizeof *post->counts_in);
    if (post->out == NULL || post->in == NULL || post->sends == NULL || post->receives == NULL ||
        post->counts == NULL || post->counts_in == NULL) {
        post_close(post);
        memset(post, 0, sizeof *post);
        return fail_memory(e, "questions for parents", pairs * sizeof *post->out);
    }
    return ST_OK;
}

/* Box of device `device` of this rank with shard `shard`. */
static struct box *box_of(const struct post *post, struct box *boxes, uint32_t device,
                          uint32_t shard)
{
    return &boxes[(size_t)device * post->p + shard];
}

/* The pair (device of this rank, shard) as the slot of the message to or from rank_of(shard). */
static size_t slot_of(const struct post *post, uint32_t rank, uint32_t from, uint32_t to)
{
    return ((size_t)rank * post->G + from) * post->G + to;
}

static enum status make_room(struct box *box, uint64_t count, struct error *e)
{
    free(box->items);
    *box = (struct box){.items = malloc((count + 1) * sizeof *box->items),
                        .count = count,
                        .capacity = count + 1};
    return box->items != NULL ? ST_OK : fail_memory(e, "questions for parents", count);
}

/* Collective: what every `out` box holds is then in the other side's `in` box. */
static enum status post_exchange(struct post *post, struct error *e)
{
    size_t sends = 0, receives = 0;
    for (uint32_t g = 0; g < post->G; g++)
        for (uint32_t s = 0; s < post->p; s++)
            post->counts[slot_of(post, rank_of_shard(s, post->R), g, device_of_shard(s, post->R))] =
                box_of(post, post->out, g, s)->count;
    comm_alltoall_u64(post->r->comm, post->counts, post->counts_in, (int)(post->G * post->G));
    for (uint32_t g = 0; g < post->G; g++) {
        for (uint32_t s = 0; s < post->p; s++) {
            uint32_t rank = rank_of_shard(s, post->R), other = device_of_shard(s, post->R);
            struct box *out = box_of(post, post->out, g, s), *in = box_of(post, post->in, g, s);
            if (make_room(in, post->counts_in[slot_of(post, rank, other, g)], e) != ST_OK)
                return e->status;
            post->sends[sends++] =
                (struct transfer){rank, QUESTION_TAG + (int)(g * post->G + other), out->items,
                                  out->count * sizeof *out->items};
            post->receives[receives++] =
                (struct transfer){rank, QUESTION_TAG + (int)(other * post->G + g), in->items,
                                  in->count * sizeof *in->items};
        }
    }
    return comm_transfer(post->r->comm, post->sends, sends, post->receives, receives, 4 << 20, e);
}

/* ---- steps ---- */

static uint64_t parent_id(const struct results *r, uint32_t g, uint32_t code, uint64_t own)
{
    const struct shard *shard = &r->graph->shards[g];
    if (code == PARENT_SELF)
        return own;
    if (code == PARENT_NONE || code == PARENT_REMOTE)
        return UINT64_MAX;
    if ((code & PARENT_DELEGATE_BIT) != 0)
        return shard_delegate_id(shard, code & ~PARENT_DELEGATE_BIT);
    return local_vertex_id(shard, code);
}

/* Asks every nn neighbour of a local vertex that another device found; those on this device did not. */
static enum status ask_neighbours(struct post *post, uint32_t g, uint64_t local, struct error *e)
{
    const struct shard *shard = &post->r->graph->shards[g];
    const struct csr *nn = &shard->csr[NN];
    uint64_t local_mask = (UINT64_C(1) << shard->local_bits) - 1;
    uint64_t heads = nn->head_columns, length = csr_row_length(nn, local),
             rest = csr_offset(nn, local);
    for (uint64_t j = 0; j < length && e->status == ST_OK; j++) {
        uint64_t to =
            j < heads ? nn->heads[j * nn->rows + local] : csr_column(nn, rest + j - heads);
        uint32_t owner = (uint32_t)(to >> shard->local_bits);
        struct question q = {to & local_mask, post->r->depth[g][local] - 1, (uint32_t)local};
        if (owner != shard->index)
            put_question(box_of(post, post->out, g, owner), q, e);
    }
    return e->status;
}

/* Turns the codes of device g into ids of parents, and into questions where the device does not know. */
static enum status resolve_codes(struct post *post, uint32_t g, uint32_t *local_codes,
                                 uint32_t *delegate_codes, struct error *e)
{
    struct results *r = post->r;
    const struct shard *shard = &r->graph->shards[g];
    if (r->rank->backend->results->parents(r->rank->devices[g], local_codes, delegate_codes, e) !=
        ST_OK)
        return e->status;
    for (uint64_t i = 0; i < shard->d; i++) {
        uint64_t id = parent_id(r, g, delegate_codes[i], shard_delegate_id(shard, i));
        if (id < r->delegate_parent[i])
            r->delegate_parent[i] = id;
    }
    for (uint64_t i = 0; i < shard->locals; i++) {
        r->parent[g][i] = parent_id(r, g, local_codes[i], local_vertex_id(shard, i));
        if (local_codes[i] == PARENT_REMOTE && ask_neighbours(post, g, i, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

static enum status ask(struct post *post, struct error *e)
{
    struct results *r = post->r;
    uint64_t d = r->graph->manifest.d;
    memset(r->delegate_parent, 0xff, d * sizeof *r->delegate_parent);
    for (uint32_t g = 0; g < post->G; g++) {
        uint64_t locals = r->graph->shards[g].locals;
        uint32_t *local_codes = NULL, *delegate_codes = NULL;
        memory_take(r->budget, (void **)&local_codes, locals, 4, "parent codes", e);
        memory_take(r->budget, (void **)&delegate_codes, d, 4, "parent codes", e);
        if (e->status == ST_OK)
            resolve_codes(post, g, local_codes, delegate_codes, e);
        memory_release(r->budget, local_codes);
        memory_release(r->budget, delegate_codes);
        if (e->status != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* Answers the questions of one shard to device g. */
static enum status answer_shard(struct post *post, uint32_t g, uint32_t s, struct error *e)
{
    const struct shard *shard = &post->r->graph->shards[g];
    struct box *in = box_of(post, post->in, g, s), *out = box_of(post, post->out, g, s);
    out->count = 0;
    for (uint64_t i = 0; i < in->count; i++) {
        struct question q = in->items[i];
        if (q.vertex >= shard->locals)
            return fail(e, ST_BAD_DATA,
                        "%s: nn: another shard names a vertex this one does not have",
                        container_path(shard->file));
        if (post->r->depth[g][q.vertex] != q.depth)
            continue;
        q.vertex = local_vertex_id(shard, q.vertex);
        if (put_question(out, q, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

static enum status answer(struct post *post, struct error *e)
{
    for (uint32_t g = 0; g < post->G; g++) {
        for (uint32_t s = 0; s < post->p; s++) {
            if (answer_shard(post, g, s, e) != ST_OK)
                return e->status;
        }
    }
    return ST_OK;
}

/* A vertex that asked gets the smallest id among those that answered. */
static void keep_answers(struct post *post)
{
    for (uint32_t g = 0; g < post->G; g++) {
        uint64_t *parent = post->r->parent[g];
        for (uint32_t s = 0; s < post->p; s++) {
            const struct box *in = box_of(post, post->in, g, s);
            for (uint64_t i = 0; i < in->count; i++) {
                struct question q = in->items[i];
                parent[q.asker] = q.vertex < parent[q.asker] ? q.vertex : parent[q.asker];
            }
        }
    }
}

enum status results_parents(struct results *r, struct error *e)
{
    struct post post;
    if (post_open(&post, r, e) != ST_OK)
        return e->status;
    if (ask(&post, e) == ST_OK && post_exchange(&post, e) == ST_OK && answer(&post, e) == ST_OK &&
        post_exchange(&post, e) == ST_OK)
        keep_answers(&post);
    post_close(&post);
    if (e->status == ST_OK)
        comm_min_u64(r->comm, r->delegate_parent, r->graph->manifest.d);
    return e->status;
}
