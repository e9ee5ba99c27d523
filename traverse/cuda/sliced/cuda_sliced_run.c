/* cuda_sliced_run.c: the host's side of a search by slices; see cuda_sliced.h */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

_Static_assert(sizeof(struct sliced_state) <= SLICED_STATE_BYTES, "the state of a search as planned");
_Static_assert(sizeof(struct slice_columns) == SLICED_SLICE_BYTES, "a slice as planned");
_Static_assert(sizeof(struct slice_piece) == SLICED_PIECE_BYTES, "pieces as planned");
_Static_assert(sizeof(struct slice_links) == SLICED_LINKS_BYTES, "links as planned");
_Static_assert(SLICED_MOST_VERTICES + 256 <= 1 << SLICED_ROW_BITS,
               "a row has its bits, with gaps before it, too, and there is a value that is none");

/* The most slices that the first block pushes alone: few if all blocks may push lists, otherwise more for larger masks, since
 * all blocks read all of a mask after each level of theirs. Measured with graphs of 7 K to 1 M vertices:
 * scripts/results/one-gpu.md. */
static uint32_t most_of_one_block(const struct device *dev, int lists)
{
    enum { VERTICES_A_SLICE = 256 };
    if (lists)
        return SLICED_ONE_LEAST;
    uint64_t slices = (dev->of[DELEGATES].count + dev->of[NORMALS].count) / VERTICES_A_SLICE;
    return (uint32_t)(slices < SLICED_ONE_LEAST ? SLICED_ONE_LEAST : slices > SLICED_ONE_SLICES ? SLICED_ONE_SLICES : slices);
}

/* Writes the places of rows to `arrays->first`, on the stream of the search, which follows. The next call overwrites them. */
static enum status count_rows(struct device *dev, const struct gpu_csr *csr, uint32_t least,
                              const struct gpu_sliced_arrays *arrays, struct error *e)
{
    struct gpu_scan *scan = &dev->scratch.scan;
    return CUDA_TRY(cuda_sliced_count(&dev->fused.sliced.search, csr, least, arrays->first, scan->scratch,
                                      scan->scratch_bytes, dev->stream.of[DELEGATES]),
                    dev->where, e);
}

static void pulled_rows(const struct device *dev, struct gpu_csr pulled[SUBGRAPHS])
{
    for (int g = 0; g < SUBGRAPHS; g++)
        pulled[g] = dev->csr[shard_pulled(dev->shard, (enum subgraph)g)];
}

/* Fills the slices, and with them the links if the graph is undirected. */
static enum status fill_slices(struct device *dev, const struct gpu_csr pulled[SUBGRAPHS],
                               const struct gpu_sliced_arrays *arrays, struct error *e)
{
    struct gpu_sliced_arrays to = *arrays;
    to.links = arrays->pushers != NULL ? NULL : arrays->links;
    cuda_sliced_fill(&dev->fused.sliced.search, pulled, &to, dev->stream.of[DELEGATES]);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Fills the links of a directed graph, whose rows are others. */
static enum status fill_links(struct device *dev, const struct gpu_sliced_arrays *arrays, struct error *e)
{
    struct gpu_sliced_arrays to = *arrays;
    to.slices = NULL;
    to.row = arrays->pushers;
    if (count_rows(dev, dev->csr, 1, arrays, e) != ST_OK)
        return e->status;
    cuda_sliced_fill(&dev->fused.sliced.search, dev->csr, &to, dev->stream.of[DELEGATES]);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Makes the links after the slices, as both need `first` of their own rows; a search has that of the links. */
static enum status make_slices(struct device *dev, const struct gpu_sliced_arrays *arrays, struct error *e)
{
    struct gpu_sliced *s = &dev->fused.sliced.search;
    struct gpu_csr pulled[SUBGRAPHS];
    cudaStream_t stream = dev->stream.of[DELEGATES];
    pulled_rows(dev, pulled);
    if (CUDA_TRY(cudaMemsetAsync(s->state, 0, sizeof *s->state, stream), dev->where, e) != ST_OK ||
        CUDA_TRY(cudaMemsetAsync(s->found, 0, SLICED_MASKS * sizeof *s->found * s->words, stream), dev->where, e) !=
            ST_OK ||
        count_rows(dev, pulled, 0, arrays, e) != ST_OK ||
        gpu_fetch(dev, &s->count, arrays->first + 32 * (size_t)s->words, sizeof s->count, stream, e) != ST_OK ||
        fill_slices(dev, pulled, arrays, e) != ST_OK ||
        (arrays->pushers != NULL && fill_links(dev, arrays, e) != ST_OK))
        return e->status;
    return gpu_fetch(dev, &s->rows.piece_count, &s->state->pieces, sizeof s->rows.piece_count, stream, e);
}

/* Lists of slices lie where the kernel of large graphs would have its lists. */
static struct slice_lists lists_of(const struct device *dev)
{
    struct work_item *const *list = dev->fused.search.sparse;
    const uint64_t capacity = (uint64_t)(list[1] - list[0]) * sizeof **list / sizeof(uint32_t),
                   part = capacity / (uint64_t)dev->fused.sliced.launch.blocks;
    return (struct slice_lists){{(uint32_t *)list[0], (uint32_t *)list[1]},
                                part < SLICED_PART ? (uint32_t)part : (uint32_t)SLICED_PART};
}

enum status gpu_sliced_open(struct device *dev, int notes, struct error *e)
{
    const struct gpu_sliced_arrays *arrays = &dev->fused.sliced.arrays;
    struct gpu_sliced *s = &dev->fused.sliced.search;
    const struct gpu_vertices *d = &dev->of[DELEGATES], *n = &dev->of[NORMALS];
    *s = (struct gpu_sliced){.slices = arrays->slices,
                            .row = arrays->row,
                            .pushes = {arrays->links, arrays->pushers != NULL ? arrays->pushers : arrays->row,
                                       most_of_one_block(dev, arrays->heads != NULL)},
                            .first = arrays->first,
                            .rows = {.heads = arrays->heads, .pieces = arrays->pieces},
                            .words = gpu_sliced_words(d->count, n->count),
                            .far.near = gpu_sliced_near(gpu_sliced_words(d->count, n->count)),
                            .order.deepest = dev->fused.deepest,
                            .normals = (uint32_t)(32 * d->words),
                            .found = arrays->found,
                            .state = arrays->state,
                            .of = {[NORMALS] = *n, [DELEGATES] = *d},
                            .out.search = dev->fused.search.out};
    dev->fused.sliced.launch.program = cuda_sliced_plain(s);
    dev->fused.sliced.noted.program = cuda_sliced_noted(s);
    if (make_slices(dev, arrays, e) != ST_OK ||
        CUDA_TRY(cuda_sliced_plan(s, &dev->fused.sliced.launch), dev->where, e) != ST_OK)
        return e->status;
    if (arrays->heads != NULL)
        s->lists = lists_of(dev);
    return notes ? CUDA_TRY(cuda_sliced_plan(s, &dev->fused.sliced.noted), dev->where, e) : ST_OK;
}

/* Lets the search write answers if threads have few ids: else other kernels are sooner. */
void gpu_sliced_open_answers(struct device *dev)
{
    enum { MOST_IDS = 32 };
    const struct gpu_answers *a = &dev->answers;
    const struct fused_launch *launch = &dev->fused.sliced.launch;
    const uint64_t threads = (uint64_t)launch->blocks * (uint64_t)launch->threads;
    const int parents = dev->fused.answer == ANSWER_PARENTS;
    if (a->vertex == NULL || (parents && a->id_bytes != 4) || a->count > MOST_IDS * threads)
        return;
    dev->fused.sliced.search.out.answer = (struct sliced_answer){.vertex = a->vertex,
                                                                .ids = parents ? a->ids : NULL,
                                                                .to = a->values,
                                                                .count = (uint32_t)a->count};
}

enum status gpu_sliced_begin(struct device *dev, const struct root *root, int noted, struct error *e)
{
    const struct fused_launch *launch = noted ? &dev->fused.sliced.noted : &dev->fused.sliced.launch;
    struct gpu_sliced *s = &dev->fused.sliced.search;
    s->begin.root = root->index + (root->at == ROOT_AT_DELEGATE ? 0 : s->normals);
    s->begin.set ^= 1;
    s->far.mask = s->found + (SLICED_TURNS + s->begin.set) * (size_t)s->words;
    s->order.number = ++dev->fused.search.order.number;
    dev->fused.settled = 1;
    dev->fused.answers = s->out.answer.vertex != NULL;
    return gpu_begin_kernel(dev, s, launch, noted, e);
}
