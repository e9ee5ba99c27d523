/* proof_cuda.c: the proof of a tree on a GPU, as a struct prover; see traverse/programs/graph500/proof.h */
#include "proof_kernels.h"

#include "traverse/cuda/device/cuda_device.h"
#include "traverse/programs/graph500/proof.h"

_Static_assert(sizeof(struct gpu_first) <= FIRST_BYTES, "there is room for it");

/* Returns the stream on which all work of the proof is put. */
static cudaStream_t stream_of(const struct proof *p)
{
    return p->device->stream.of[NORMALS];
}

/* Makes the proof's GPU the current one. */
static enum status gpu_enter(const struct proof *p, struct error *e)
{
    return gpu_use(p->device, e);
}

/* Waits for all work of the proof on its stream. */
static enum status gpu_settle(const struct proof *p, struct error *e)
{
    return gpu_wait(p->device, stream_of(p), e);
}

/* Takes memory of the GPU; its zeroing is put on the stream. */
static enum status gpu_take(const struct proof *p, void **array, uint64_t count, uint64_t width, const char *what,
                            struct error *e)
{
    (void)what;
    if (CUDA_TRY(cudaMalloc(array, count * width), p->device->where, e) != ST_OK)
        return e->status;
    return CUDA_TRY(cudaMemsetAsync(*array, 0, count * width, stream_of(p)), p->device->where, e);
}

/* Releases memory of the GPU; NULL is allowed. */
static void gpu_release(const struct proof *p, void *array)
{
    cudaSetDevice(p->device->ordinal);
    cudaFree(array);
}

/* Copies bytes to, from or within the GPU's memory. */
static enum status gpu_copy_bytes(const struct proof *p, void *to, const void *from, uint64_t bytes, struct error *e)
{
    return gpu_copy(p->device, to, from, bytes, e);
}

/* ---- questions ---- */

/* Counts the nn edges to each shard s in next[s + 1], in host memory; waits for the GPU. */
static enum status count_ends(const struct proof *p, const struct gpu_asking *asking, uint64_t *next, struct error *e)
{
    const struct gpu_answers *a = &p->device->answers;
    size_t bytes = p->shard->p * sizeof *a->counts;
    if (CUDA_TRY(cudaMemsetAsync(asking->cursor, 0, bytes, stream_of(p)), p->device->where, e) != ST_OK)
        return e->status;
    cuda_ask(asking, 0, stream_of(p));
    if (gpu_fetch(p->device, a->counts, asking->cursor, bytes, stream_of(p), e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < p->shard->p; s++)
        next[s + 1] = a->counts[s];
    return ST_OK;
}

/* Counts the nn edges to other shards, or with `put` writes them as questions; see struct prover. With `put`, next[p]
 * is the number of all questions. */
static enum status gpu_list_ends(struct proof *p, uint64_t *next, int put, struct error *e)
{
    struct gpu_asking asking = {.nn = p->device->csr[NN],
                                .own_shard = p->shard->index,
                                .local_bits = p->shard->local_bits,
                                .cursor = p->device->answers.tables,
                                .neighbours = p->own.question,
                                .askers = p->own.asker};
    if (!put)
        return count_ends(p, &asking, next, e);
    if (next[p->shard->p] == 0 || gpu_copy(p->device, asking.cursor, next, p->shard->p * sizeof *next, e) != ST_OK)
        return e->status;
    cuda_ask(&asking, 1, stream_of(p));
    return gpu_settle(p, e);
}

/* Sets the bits of all vertices' places in p->has_edges. */
static void gpu_mark(struct proof *p)
{
    cuda_mark(p->place, p->shard->locals + p->shard->d, p->has_edges, stream_of(p));
}

/* ---- a root ---- */

/* Begins the proof of a root: writes ids and depths of all vertices to p->end, and clears p->met and the first
 * offence. */
static enum status gpu_begin(struct proof *p, struct error *e)
{
    const struct gpu_answers *a = &p->device->answers;
    const struct gpu_vertices *n = &p->device->of[NORMALS], *d = &p->device->of[DELEGATES];
    const struct gpu_first none = gpu_no_offence();
    uint64_t met_bytes = (mask_words(n->count) + mask_words(d->count)) * 8;
    cuda_write_ends(a->ids, a->id_bytes, n->depth, n->count, p->end, stream_of(p));
    cuda_write_ends((const char *)a->ids + n->count * a->id_bytes, a->id_bytes, d->depth, d->count,
                    p->end + n->count, stream_of(p));
    if (met_bytes > 0)
        CUDA_TRY(cudaMemsetAsync(p->met, 0, met_bytes, stream_of(p)), p->device->where, e);
    return gpu_copy(p->device, p->first, &none, sizeof none, e);
}

/* Reads the parents of all vertices from the answer into p->claim; CLAIM_ELSEWHERE where another device has the
 * value. */
static void gpu_take_claims(struct proof *p)
{
    const struct gpu_answers *a = &p->device->answers;
    cuda_gather_claims(a->values, a->id_bytes, p->place, p->shard->locals + p->shard->d, p->claim, stream_of(p));
}

/* Writes the replies to all questions from other devices. */
static void gpu_reply_ends(struct proof *p)
{
    cuda_gather_ends(p->end, p->asked.question, p->asked.begin[p->shard->p], p->asked.reply, stream_of(p));
}

/* ---- checks ---- */

/* Checks values of ids without edges, vertices by themselves, and edges with both ends on this GPU. */
static void gpu_check(struct proof *p, int64_t root)
{
    struct proved_vertices of[VERTEX_KINDS] = {proved_of(p, NORMALS), proved_of(p, DELEGATES)};
    const struct proved_values values = values_of_proof(p, p->device->answers.values);
    cuda_check_isolated(&values, root, p->first, stream_of(p));
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        cuda_check_vertices(&of[kind], root, p->first, stream_of(p));
    for (int s = 0; s < SUBGRAPHS; s++) {
        enum subgraph g = (enum subgraph)s;
        struct gpu_proved_rows rows = {.csr = p->device->csr[g],
                                       .rows = of[subgraph_rows(g)],
                                       .columns = of[subgraph_columns(g)].end,
                                       .local_bits = g == NN ? p->shard->local_bits : NO_SHARD_BITS,
                                       .own_shard = g == NN ? p->shard->index : 0};
        cuda_check_rows(&rows, p->first, stream_of(p));
    }
}

/* Checks `count` edges: edge i leads from local vertex asker[i] to other[i]. */
static void gpu_check_edges(struct proof *p, const uint32_t *asker, const struct vertex_end *other, uint64_t count)
{
    struct proved_vertices locals = proved_of(p, NORMALS);
    cuda_check_edges(&locals, asker, other, count, p->first, stream_of(p));
}

/* Checks that the vertices of a kind have met their parents. */
static void gpu_check_parents(struct proof *p, enum vertex_kind kind, int64_t root)
{
    struct proved_vertices v = proved_of(p, kind);
    cuda_check_parents(&v, root, p->first, stream_of(p));
}

/* Copies the first offence of this GPU to *first, on the host. */
static enum status gpu_read_first(const struct proof *p, struct offence *first, struct error *e)
{
    struct gpu_first found;
    if (gpu_copy(p->device, &found, p->first, sizeof found, e) == ST_OK)
        *first = found.offence;
    return e->status;
}

const struct prover prover_cuda = {
    .take = gpu_take,
    .release = gpu_release,
    .copy = gpu_copy_bytes,
    .enter = gpu_enter,
    .wait = gpu_settle,
    .list_ends = gpu_list_ends,
    .mark = gpu_mark,
    .begin = gpu_begin,
    .take_claims = gpu_take_claims,
    .reply = gpu_reply_ends,
    .check = gpu_check,
    .check_edges = gpu_check_edges,
    .check_parents = gpu_check_parents,
    .read_first = gpu_read_first,
};
