/* proof_cuda.c: the steps of a proof on a GPU, as a struct prover (proof.h) */
#include "proof_kernels.h"

#include "traverse/cuda/device/cuda_device.h"
#include "traverse/programs/graph500/proof.h"

_Static_assert(sizeof(struct gpu_first) <= FIRST_BYTES, "there is room for it");

/* Returns the stream of the GPU in which all work of the proof runs. */
static cudaStream_t stream_of(const struct proof *p)
{
    return p->device->stream.of[NORMALS];
}

/* Waits until the GPU has done all work of the proof so far. Fails if a kernel has failed. */
static enum status gpu_settle(const struct proof *p, struct error *e)
{
    return gpu_wait(p->device, stream_of(p), e);
}

/* Allocates memory of the GPU for `count` elements of `width` bytes, and sets *array. Zeroes it on the stream, without
 * waiting. The budget of the rank is not charged, because it is for host memory. */
static enum status gpu_take(const struct proof *p, void **array, uint64_t count, uint64_t width, const char *what,
                            struct error *e)
{
    (void)what;
    if (gpu_use(p->device, e) != ST_OK || CUDA_TRY(cudaMalloc(array, count * width), p->device->where, e) != ST_OK)
        return e->status;
    return CUDA_TRY(cudaMemsetAsync(*array, 0, count * width, stream_of(p)), p->device->where, e);
}

/* Frees memory that gpu_take has allocated. `array` may be NULL. */
static void gpu_release(const struct proof *p, void *array)
{
    cudaSetDevice(p->device->ordinal);
    cudaFree(array);
}

/* Sets the bits of p->value_has_edges for the values that belong to vertices of this GPU, all of which have edges. Called once,
 * before the first root. */
static enum status gpu_open_proof(struct proof *p, struct error *e)
{
    if (gpu_use(p->device, e) != ST_OK)
        return e->status;
    cuda_mark(p->value_index, p->shard->locals + p->shard->d, p->value_has_edges, stream_of(p));
    return gpu_settle(p, e);
}

/* Counts or lists the questions of the device, one for each nn edge to another shard. If `put` is 0, sets next[s + 1] to the
 * number of questions to shard s. If `put` is 1, writes them to own.question, and the vertices that ask to own.asker, from
 * index next[s] on; next[p] is then the number of all questions. `next` is memory of the host. Overwrites arrays in which the
 * device makes answers. */
static enum status gpu_list_questions(struct proof *p, uint64_t *next, int put, struct error *e)
{
    const struct gpu_answers *a = &p->device->answers;
    const uint32_t shards = p->shard->p;
    const struct gpu_asking asking = {.nn = p->device->csr[NN],
                                      .own_shard = p->shard->index,
                                      .local_bits = p->shard->local_bits,
                                      .cursor = a->tables,
                                      .neighbours = p->own.question,
                                      .askers = p->own.asker};
    if (put) {
        if (next[shards] == 0 || gpu_copy(p->device, asking.cursor, next, shards * sizeof *next, e) != ST_OK)
            return e->status;
        cuda_ask(&asking, 1, stream_of(p));
        return gpu_settle(p, e);
    }
    size_t bytes = shards * sizeof *a->counts;
    if (gpu_use(p->device, e) != ST_OK ||
        CUDA_TRY(cudaMemsetAsync(asking.cursor, 0, bytes, stream_of(p)), p->device->where, e) != ST_OK)
        return e->status;
    cuda_ask(&asking, 0, stream_of(p));
    if (gpu_fetch(p->device, a->counts, asking.cursor, bytes, stream_of(p), e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < shards; s++)
        next[s + 1] = a->counts[s];
    return ST_OK;
}

/* Begins the proof of a root: writes the ids and depths of all vertices to p->end, and their parents to p->claim. Where another
 * device has the parent, p->claim becomes CLAIM_ELSEWHERE. Clears p->parent_seen, and sets *p->first to no offence. */
static enum status gpu_begin_root(struct proof *p, struct error *e)
{
    const struct gpu_answers *a = &p->device->answers;
    const struct gpu_vertices *n = &p->device->of[NORMALS], *d = &p->device->of[DELEGATES];
    const struct gpu_first none = gpu_no_offence();
    const uint64_t seen_bytes = (mask_words(n->count) + mask_words(d->count)) * 8;
    const void *delegate_ids = (const char *)a->ids + n->count * a->id_bytes;
    if (gpu_use(p->device, e) != ST_OK)
        return e->status;
    cuda_write_ends(a->ids, a->id_bytes, n->depth, n->count, p->end, stream_of(p));
    cuda_write_ends(delegate_ids, a->id_bytes, d->depth, d->count, p->end + n->count, stream_of(p));
    if (seen_bytes > 0)
        CUDA_TRY(cudaMemsetAsync(p->parent_seen, 0, seen_bytes, stream_of(p)), p->device->where, e);
    if (gpu_copy(p->device, p->first, &none, sizeof none, e) != ST_OK)
        return e->status;
    cuda_gather_claims(a->values, a->id_bytes, p->value_index, p->shard->locals + p->shard->d, p->claim, stream_of(p));
    return gpu_settle(p, e);
}

/* Writes the replies to all questions of other devices: the input id and the depth of the local vertex that is asked
 * about. */
static enum status gpu_proof_reply(struct proof *p, struct error *e)
{
    if (gpu_use(p->device, e) != ST_OK)
        return e->status;
    cuda_gather_ends(p->end, p->asked.question, p->asked.begin[p->shard->p], p->asked.reply, stream_of(p));
    return gpu_settle(p, e);
}

/* Checks values of vertices without edges, each vertex by itself, and edges with both ends on this GPU. Stores the first
 * offence in *p->first, and sets bits of p->parent_seen. Called after gpu_begin_root. */
static enum status gpu_check(struct proof *p, struct error *e)
{
    const struct proved_vertices of[VERTEX_KINDS] = {proved_of(p, NORMALS), proved_of(p, DELEGATES)};
    const struct proved_values values = values_of_proof(p, p->device->answers.values);
    if (gpu_use(p->device, e) != ST_OK)
        return e->status;
    cuda_check_isolated(&values, p->root, p->first, stream_of(p));
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        cuda_check_vertices(&of[kind], p->root, p->first, stream_of(p));
    for (int s = 0; s < SUBGRAPHS; s++) {
        enum subgraph g = (enum subgraph)s;
        struct gpu_proved_rows rows = {.csr = p->device->csr[g],
                                       .rows = of[subgraph_rows(g)],
                                       .columns = of[subgraph_columns(g)].end,
                                       .local_bits = g == NN ? p->shard->local_bits : NO_SHARD_BITS,
                                       .own_shard = g == NN ? p->shard->index : 0};
        cuda_check_rows(&rows, p->first, stream_of(p));
    }
    return gpu_settle(p, e);
}

/* Checks the nn edges to other shards. p->replies[s] has the vertices at their far ends on shard s. Stores the first offence in
 * *p->first, and sets bits of p->parent_seen. */
static enum status gpu_check_replies(struct proof *p, struct error *e)
{
    const struct proved_vertices locals = proved_of(p, NORMALS);
    const uint64_t *begin = p->own.begin;
    if (gpu_use(p->device, e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < p->shard->p; s++)
        cuda_check_edges(&locals, p->own.asker + begin[s], p->replies[s].at, begin[s + 1] - begin[s], p->first,
                         stream_of(p));
    return gpu_settle(p, e);
}

/* Checks that all reached vertices of the GPU have an edge to their parents, after all edges were checked. Copies the first
 * offence of all checks since gpu_begin_root to *first, which is memory of the host. */
static enum status gpu_finish_proof(struct proof *p, struct offence *first, struct error *e)
{
    struct gpu_first found;
    if (gpu_use(p->device, e) != ST_OK)
        return e->status;
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        struct proved_vertices v = proved_of(p, (enum vertex_kind)kind);
        cuda_check_parents(&v, p->root, p->first, stream_of(p));
    }
    if (gpu_settle(p, e) == ST_OK && gpu_copy(p->device, &found, p->first, sizeof found, e) == ST_OK)
        *first = found.offence;
    return e->status;
}

const struct prover prover_cuda = {.take = gpu_take,
                                   .release = gpu_release,
                                   .open = gpu_open_proof,
                                   .list_questions = gpu_list_questions,
                                   .begin = gpu_begin_root,
                                   .reply = gpu_proof_reply,
                                   .check = gpu_check,
                                   .check_replies = gpu_check_replies,
                                   .finish = gpu_finish_proof};
