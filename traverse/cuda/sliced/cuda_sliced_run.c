/* cuda_sliced_run.c: the host's side of a sliced search; see cuda_sliced.h */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

_Static_assert(sizeof(struct sliced_state) <= SLICED_STATE_BYTES, "the state of a search as planned");
_Static_assert(sizeof(struct slice_columns) == SLICED_SLICE_BYTES, "a slice as planned");
_Static_assert(sizeof(struct slice_piece) == SLICED_PIECE_BYTES, "pieces as planned");
_Static_assert(sizeof(struct slice_links) == SLICED_LINKS_BYTES, "links as planned");
_Static_assert(SLICED_MOST_VERTICES + 256 <= 1 << SLICED_ROW_BITS,
               "a row has its bits, with gaps before it, too, and there is a value that is none");

/* Makes slices and links of the shard's rows, and clears what searches expect to be zero, on the stream of the search. In a
 * directed graph links come after slices: both need `first` of their own rows, and a search needs that of the links. */
static enum status make_slices(struct device *dev, struct error *e)
{
    struct gpu_sliced *s = &dev->fused.sliced.search;
    const struct gpu_scan *scan = &dev->scratch.scan;
    cudaStream_t stream = dev->stream.of[DELEGATES];
    struct gpu_csr pulled[SUBGRAPHS];
    struct gpu_sliced made = *s;
    const int directed = s->link_row != s->row;
    for (int g = 0; g < SUBGRAPHS; g++)
        pulled[g] = dev->csr[shard_pulled(dev->shard, (enum subgraph)g)];
    if (directed)
        made.links = NULL;
    if (CUDA_TRY(cudaMemsetAsync(s->state, 0, sizeof *s->state, stream), dev->where, e) != ST_OK ||
        CUDA_TRY(cudaMemsetAsync(s->found, 0, SLICED_BITMAPS * sizeof *s->found * s->words, stream), dev->where, e) !=
            ST_OK ||
        CUDA_TRY(cuda_sliced_count(s, pulled, 0, scan->scratch, scan->scratch_bytes, stream), dev->where, e) != ST_OK ||
        gpu_fetch(dev, &s->count, s->first + 32 * (size_t)s->words, sizeof s->count, stream, e) != ST_OK)
        return e->status;
    cuda_sliced_fill(&made, pulled, stream);
    if (CUDA_LAUNCHED(dev->where, e) != ST_OK)
        return e->status;
    if (directed) {
        made.slices = NULL;
        made.links = s->links;
        made.row = s->link_row;
        if (CUDA_TRY(cuda_sliced_count(s, dev->csr, 1, scan->scratch, scan->scratch_bytes, stream), dev->where, e) != ST_OK)
            return e->status;
        cuda_sliced_fill(&made, dev->csr, stream);
    }
    return gpu_fetch(dev, &s->piece_count, &s->state->pieces, sizeof s->piece_count, stream, e);
}

enum status gpu_sliced_open(struct device *dev, int notes, struct error *e)
{
    enum { VERTICES_A_SLICE = 256 };
    struct gpu_sliced *s = &dev->fused.sliced.search;
    struct fused_launch *launch = &dev->fused.sliced.launch;
    const struct gpu_vertices *d = &dev->of[DELEGATES], *n = &dev->of[NORMALS];
    if (s->link_row == NULL)
        s->link_row = s->row;
    s->words = gpu_sliced_words(d->count, n->count);
    s->near_words = gpu_sliced_near(s->words);
    s->normals = (uint32_t)(32 * d->words);
    s->of[NORMALS] = *n;
    s->of[DELEGATES] = *d;
    s->order.deepest = dev->fused.deepest;
    s->out = dev->fused.search.out;
    /* One block pushes few slices if all blocks may push lists, otherwise more in larger graphs, since all blocks read a
     * whole bitmap after each level of theirs. Measured with graphs of 7 K to 1 M vertices: scripts/results/one-gpu.md. */
    const uint64_t slices = (d->count + n->count) / VERTICES_A_SLICE;
    s->block_capacity = s->heads != NULL || slices < SLICED_BLOCK_LEAST ? SLICED_BLOCK_LEAST
                        : slices > SLICED_BLOCK_SLICES                  ? SLICED_BLOCK_SLICES
                                                                        : (uint32_t)slices;
    launch->program = cuda_sliced_plain(s);
    dev->fused.sliced.noted.program = cuda_sliced_noted(s);
    if (make_slices(dev, e) != ST_OK || CUDA_TRY(cuda_sliced_plan(s, launch), dev->where, e) != ST_OK)
        return e->status;
    if (s->heads != NULL) { /* sparse frontiers lie where a fused search would have its own */
        struct work_item *const *list = dev->fused.search.sparse;
        const uint64_t capacity = (uint64_t)(list[1] - list[0]) * sizeof **list / sizeof(uint32_t),
                       part = capacity / (uint64_t)launch->blocks;
        s->list[0] = (uint32_t *)list[0];
        s->list[1] = (uint32_t *)list[1];
        s->list_capacity = part < SLICED_PART ? (uint32_t)part : (uint32_t)SLICED_PART;
    }
    return notes ? CUDA_TRY(cuda_sliced_plan(s, &dev->fused.sliced.noted), dev->where, e) : ST_OK;
}

void gpu_sliced_open_answers(struct device *dev)
{
    enum { MOST_IDS = 32 }; /* of a thread: for more, other kernels are sooner */
    const struct gpu_answers *a = &dev->answers;
    const struct fused_launch *launch = &dev->fused.sliced.launch;
    const uint64_t threads = (uint64_t)launch->blocks * (uint64_t)launch->threads;
    const int parents = dev->fused.answer == ANSWER_PARENTS;
    if (a->vertex == NULL || (parents && a->id_bytes != 4) || a->count > MOST_IDS * threads)
        return;
    dev->fused.sliced.search.answer = (struct sliced_answer){
        .vertex = a->vertex, .ids = parents ? a->ids : NULL, .to = a->values, .count = (uint32_t)a->count};
}

enum status gpu_sliced_begin(struct device *dev, const struct root *root, int noted, struct error *e)
{
    const struct fused_launch *launch = noted ? &dev->fused.sliced.noted : &dev->fused.sliced.launch;
    struct gpu_sliced *s = &dev->fused.sliced.search;
    s->root = root->index + (root->at == ROOT_AT_DELEGATE ? 0 : s->normals);
    s->set ^= 1;
    s->far = s->found + (SLICED_ROUNDS + s->set) * (size_t)s->words;
    s->order.number = ++dev->fused.search.order.number;
    dev->fused.settled = 1;
    dev->fused.answers = s->answer.vertex != NULL;
    return gpu_begin_kernel(dev, s, launch, noted, e);
}
