/* proof_cuda.c: the proof of a GPU; see traverse/graph500/proof.h */
#include "proof_kernels.h"

#include "traverse/cuda/cuda_device.h"
#include "traverse/graph500/proof.h"

#include <stdlib.h>
#include <string.h>

/* The questions of this device, which are released when they have been sent. */
struct asking {
    uint32_t *asker, *question;
    uint64_t *begin; /* [p + 1] host memory */
};

/* The questions to this device, and its replies. */
struct asked {
    uint32_t *question;
    void *reply;
    uint64_t *begin; /* [p + 1] host memory, by the asking shard */
};

struct proof {
    struct device *dev;
    struct vertex_end *end; /* [locals + d] */
    int64_t *claim;         /* [locals + d] */
    uint32_t *met;          /* masks of locals, of delegates */
    uint32_t *has_edges;    /* mask of the ids in the block that somebody asks about */
    struct gpu_first *first;
    struct asking own[TOPICS];
    struct asked asked[TOPICS];
};

static cudaStream_t stream_of(const struct proof *p)
{
    return p->dev->stream.of[NORMALS];
}

static enum status launched(const struct proof *p, struct error *e)
{
    return gpu_wait(p->dev, stream_of(p), e);
}

static struct proved_vertices vertices_of(const struct proof *p, enum vertex_kind kind)
{
    const struct gpu_vertices *normals = &p->dev->of[NORMALS];
    uint64_t first = kind == NORMALS ? 0 : normals->count;
    return (struct proved_vertices){.end = p->end + first,
                                    .claim = p->claim + first,
                                    .met = p->met + (kind == NORMALS ? 0 : normals->words),
                                    .count = p->dev->of[kind].count};
}

static uint64_t vertices_in(const struct proof *p)
{
    return p->dev->of[NORMALS].count + p->dev->of[DELEGATES].count;
}

static uint64_t met_bytes(const struct proof *p)
{
    return 4 * (p->dev->of[NORMALS].words + p->dev->of[DELEGATES].words);
}

/* ---- opening ---- */

static enum status take(const struct proof *p, void *array, uint64_t count, uint64_t width,
                        struct error *e)
{
    void **to = array;
    if (e->status == ST_OK && count > 0)
        CUDA_TRY(cudaMalloc(to, count * width), p->dev->where, e);
    return e->status;
}

static void gpu_proof_close(struct proof *p)
{
    if (p == NULL)
        return;
    cudaSetDevice(p->dev->ordinal);
    cudaFree(p->end);
    cudaFree(p->claim);
    cudaFree(p->met);
    cudaFree(p->has_edges);
    cudaFree(p->first);
    for (int t = 0; t < TOPICS; t++) {
        cudaFree(p->own[t].asker);
        cudaFree(p->own[t].question);
        cudaFree(p->asked[t].question);
        cudaFree(p->asked[t].reply);
        free(p->own[t].begin);
        free(p->asked[t].begin);
    }
    free(p);
}

static enum status take_arrays(struct proof *p, struct error *e)
{
    uint64_t mask_bytes = 4 * gpu_mask_words(p->dev->answers.places.count), shards = p->dev->shard->p + 1;
    take(p, &p->end, vertices_in(p), sizeof *p->end, e);
    take(p, &p->claim, vertices_in(p), sizeof *p->claim, e);
    take(p, &p->met, met_bytes(p), 1, e);
    take(p, &p->has_edges, mask_bytes, 1, e);
    take(p, &p->first, 1, sizeof *p->first, e);
    for (int t = 0; t < TOPICS; t++) {
        p->own[t].begin = calloc(shards, sizeof *p->own[t].begin);
        p->asked[t].begin = calloc(shards, sizeof *p->asked[t].begin);
        if (p->own[t].begin == NULL || p->asked[t].begin == NULL)
            return fail_memory(e, "questions", shards * sizeof *p->own[t].begin);
    }
    if (e->status == ST_OK && mask_bytes > 0)
        CUDA_TRY(cudaMemsetAsync(p->has_edges, 0, mask_bytes, stream_of(p)), p->dev->where, e);
    return e->status;
}

static enum status gpu_proof_open(struct proof **proof, const struct proof_place *place,
                                  struct error *e)
{
    struct proof *p = calloc(1, sizeof *p);
    *proof = p;
    if (p == NULL)
        return fail_memory(e, "a proof", sizeof *p);
    p->dev = place->rank->devices[place->g];
    return gpu_use(p->dev, e) == ST_OK ? take_arrays(p, e) : e->status;
}

/* ---- questions ---- */

static void slice_questions(const struct proof *p, enum topic topic, struct slice *slices)
{
    const struct asking *own = &p->own[topic];
    for (uint32_t s = 0; s < p->dev->shard->p; s++)
        slices[s] = (struct slice){own->question + own->begin[s],
                                   (own->begin[s + 1] - own->begin[s]) * sizeof *own->question};
}

static enum status take_questions(struct proof *p, enum topic topic, struct error *e)
{
    struct asking *own = &p->own[topic];
    uint64_t count = own->begin[p->dev->shard->p];
    take(p, &own->asker, count, sizeof *own->asker, e);
    return take(p, &own->question, count, sizeof *own->question, e);
}

static enum status gpu_ask_claims(struct proof *p, const struct proof_questions *q,
                                  struct slice *slices, struct error *e)
{
    struct asking *own = &p->own[TOPIC_CLAIMS];
    size_t bytes = q->begin[p->dev->shard->p] * sizeof *q->asker;
    memcpy(own->begin, q->begin, ((size_t)p->dev->shard->p + 1) * sizeof *q->begin);
    if (gpu_use(p->dev, e) != ST_OK || take_questions(p, TOPIC_CLAIMS, e) != ST_OK)
        return e->status;
    slice_questions(p, TOPIC_CLAIMS, slices);
    if (gpu_copy(p->dev, own->asker, q->asker, bytes, e) == ST_OK)
        gpu_copy(p->dev, own->question, q->question, bytes, e);
    return e->status;
}

static enum status count_edges(struct proof *p, const struct gpu_asking *asking, struct error *e)
{
    const struct gpu_answers *a = &p->dev->answers;
    uint32_t shards = p->dev->shard->p;
    uint64_t *begin = p->own[TOPIC_ENDS].begin;
    size_t bytes = shards * sizeof *a->counts;
    if (CUDA_TRY(cudaMemsetAsync(a->tables, 0, bytes, stream_of(p)), p->dev->where, e) != ST_OK)
        return e->status;
    cuda_ask(asking, 0, stream_of(p));
    if (gpu_fetch(p->dev, a->counts, a->tables, bytes, stream_of(p), e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < shards; s++)
        begin[s + 1] = begin[s] + a->counts[s];
    return ST_OK;
}

static enum status gpu_ask_ends(struct proof *p, struct slice *slices, struct error *e)
{
    struct asking *own = &p->own[TOPIC_ENDS];
    struct gpu_asking asking = {.nn = p->dev->csr[NN],
                                .own_shard = p->dev->shard->index,
                                .local_bits = p->dev->shard->local_bits,
                                .cursor = p->dev->answers.tables};
    if (gpu_use(p->dev, e) != ST_OK || count_edges(p, &asking, e) != ST_OK ||
        take_questions(p, TOPIC_ENDS, e) != ST_OK ||
        CUDA_TRY(cudaMemcpyAsync(asking.cursor, own->begin,
                                 p->dev->shard->p * sizeof *own->begin, cudaMemcpyHostToDevice,
                                 stream_of(p)),
                 p->dev->where, e) != ST_OK)
        return e->status;
    asking.neighbours = own->question;
    asking.askers = own->asker;
    if (own->begin[p->dev->shard->p] > 0)
        cuda_ask(&asking, 1, stream_of(p));
    slice_questions(p, TOPIC_ENDS, slices);
    return launched(p, e);
}

static uint64_t reply_bytes(enum topic topic)
{
    return topic == TOPIC_CLAIMS ? sizeof(int64_t) : sizeof(struct vertex_end);
}

static enum status gpu_keep_questions(struct proof *p, enum topic topic,
                                      const struct slice *questions, struct error *e)
{
    struct asked *a = &p->asked[topic];
    for (uint32_t s = 0; s < p->dev->shard->p; s++)
        a->begin[s + 1] = a->begin[s] + questions[s].bytes / sizeof *a->question;
    uint64_t count = a->begin[p->dev->shard->p];
    if (gpu_use(p->dev, e) != ST_OK || take(p, &a->question, count, sizeof *a->question, e) != ST_OK ||
        take(p, &a->reply, count, reply_bytes(topic), e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < p->dev->shard->p && e->status == ST_OK; s++) {
        if (questions[s].bytes > 0)
            CUDA_TRY(cudaMemcpyAsync(a->question + a->begin[s], questions[s].at,
                                     questions[s].bytes, cudaMemcpyDefault, stream_of(p)),
                     p->dev->where, e);
    }
    if (topic == TOPIC_CLAIMS)
        cuda_mark(a->question, count, p->has_edges, stream_of(p));
    return launched(p, e);
}

/* ---- a root ---- */

static void release_questions(struct proof *p)
{
    for (int t = 0; t < TOPICS; t++) { /* the questions have been sent */
        cudaFree(p->own[t].question);
        p->own[t].question = NULL;
    }
}

static enum status gpu_begin(struct proof *p, struct error *e)
{
    const struct gpu_answers *a = &p->dev->answers;
    const struct gpu_vertices *n = &p->dev->of[NORMALS], *d = &p->dev->of[DELEGATES];
    struct gpu_first none = gpu_no_offence();
    if (gpu_use(p->dev, e) != ST_OK)
        return e->status;
    release_questions(p);
    cuda_write_ends(a->ids, a->id_bytes, n->depth, n->count, p->end, stream_of(p));
    cuda_write_ends((const char *)a->ids + n->count * a->id_bytes, a->id_bytes, d->depth, d->count,
                    p->end + n->count, stream_of(p));
    if (met_bytes(p) > 0)
        CUDA_TRY(cudaMemsetAsync(p->met, 0, met_bytes(p), stream_of(p)), p->dev->where, e);
    CUDA_TRY(cudaMemcpyAsync(p->first, &none, sizeof none, cudaMemcpyHostToDevice, stream_of(p)),
             p->dev->where, e);
    return launched(p, e);
}

static enum status gpu_reply_topic(struct proof *p, enum topic topic, struct slice *replies,
                                   struct error *e)
{
    const struct gpu_answers *answers = &p->dev->answers;
    const struct asked *a = &p->asked[topic];
    uint64_t count = a->begin[p->dev->shard->p], width = reply_bytes(topic);
    if (gpu_use(p->dev, e) != ST_OK)
        return e->status;
    if (topic == TOPIC_CLAIMS)
        cuda_gather_claims(answers->block, answers->id_bytes, a->question, count, a->reply,
                           stream_of(p));
    else
        cuda_gather_ends(p->end, a->question, count, a->reply, stream_of(p));
    for (uint32_t s = 0; s < p->dev->shard->p; s++)
        replies[s] = (struct slice){(const char *)a->reply + a->begin[s] * width,
                                    (a->begin[s + 1] - a->begin[s]) * width};
    return launched(p, e);
}

static enum status gpu_take_claims(struct proof *p, const struct slice *replies, struct error *e)
{
    const struct asking *own = &p->own[TOPIC_CLAIMS];
    if (gpu_use(p->dev, e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < p->dev->shard->p; s++)
        cuda_put_claims(replies[s].at, own->asker + own->begin[s],
                        own->begin[s + 1] - own->begin[s], p->claim, stream_of(p));
    return launched(p, e);
}

/* ---- checks ---- */

static enum status gpu_check(struct proof *p, int64_t root, struct error *e)
{
    struct proved_vertices of[VERTEX_KINDS] = {vertices_of(p, NORMALS), vertices_of(p, DELEGATES)};
    const struct gpu_answers *a = &p->dev->answers;
    struct proved_block block = {a->block, a->id_bytes, p->has_edges, a->places.first, a->places.count};
    if (gpu_use(p->dev, e) != ST_OK)
        return e->status;
    cuda_check_isolated(&block, root, p->first, stream_of(p));
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        cuda_check_vertices(&of[kind], root, p->first, stream_of(p));
    for (int s = 0; s < SUBGRAPHS; s++) {
        enum subgraph g = (enum subgraph)s;
        struct gpu_proved_rows rows = {.csr = p->dev->csr[g],
                                       .rows = of[subgraph_rows(g)],
                                       .columns = of[subgraph_columns(g)].end,
                                       .local_bits = g == NN ? p->dev->shard->local_bits
                                                             : NO_SHARD_BITS,
                                       .own_shard = g == NN ? p->dev->shard->index : 0};
        cuda_check_rows(&rows, p->first, stream_of(p));
    }
    return launched(p, e);
}

static enum status gpu_check_ends(struct proof *p, const struct slice *replies, struct error *e)
{
    const struct asking *own = &p->own[TOPIC_ENDS];
    struct proved_vertices locals = vertices_of(p, NORMALS);
    if (gpu_use(p->dev, e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < p->dev->shard->p; s++)
        cuda_check_edges(&locals, own->asker + own->begin[s], replies[s].at,
                         own->begin[s + 1] - own->begin[s], p->first, stream_of(p));
    return launched(p, e);
}

static enum status gpu_read_met(const struct proof *p, uint64_t *met, struct error *e)
{
    return gpu_copy(p->dev, met, vertices_of(p, DELEGATES).met, 4 * p->dev->of[DELEGATES].words, e);
}

static enum status gpu_finish_proof(struct proof *p, int64_t root, const uint64_t *met,
                                    struct offence *first, struct error *e)
{
    struct proved_vertices of[VERTEX_KINDS] = {vertices_of(p, NORMALS), vertices_of(p, DELEGATES)};
    struct gpu_first found;
    if (gpu_copy(p->dev, of[DELEGATES].met, met, 4 * p->dev->of[DELEGATES].words, e) != ST_OK ||
        gpu_use(p->dev, e) != ST_OK)
        return e->status;
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        cuda_check_parents(&of[kind], root, p->first, stream_of(p));
    if (launched(p, e) == ST_OK && gpu_copy(p->dev, &found, p->first, sizeof found, e) == ST_OK)
        *first = found.offence;
    return e->status;
}

static enum status gpu_set_depth(struct proof *p, uint64_t vertex, int32_t depth, struct error *e)
{
    uint64_t locals = p->dev->of[NORMALS].count;
    int32_t *to = vertex < locals ? p->dev->of[NORMALS].depth + vertex
                                  : p->dev->of[DELEGATES].depth + (vertex - locals);
    return gpu_copy(p->dev, to, &depth, sizeof depth, e);
}

static const struct proof_steps gpu_steps = {
    .begin = gpu_begin,
    .reply = gpu_reply_topic,
    .take_claims = gpu_take_claims,
    .check = gpu_check,
    .check_ends = gpu_check_ends,
    .read_met = gpu_read_met,
    .finish = gpu_finish_proof,
};

const struct prover prover_cuda = {
    .open = gpu_proof_open,
    .close = gpu_proof_close,
    .ask_claims = gpu_ask_claims,
    .ask_ends = gpu_ask_ends,
    .keep_questions = gpu_keep_questions,
    .set_depth = gpu_set_depth,
    .steps = &gpu_steps,
};
