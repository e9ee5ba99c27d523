/* cuda_sliced_run.c: the host opens and begins sliced searches; see cuda_sliced.h */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

_Static_assert(sizeof(struct sliced_state) <= SLICED_STATE_BYTES, "the state of a search as planned");
_Static_assert(sizeof(struct slice_columns) == SLICED_SLICE_BYTES, "a slice as planned");
_Static_assert(sizeof(struct slice_piece) == SLICED_PIECE_BYTES, "pieces as planned");
_Static_assert(sizeof(struct slice_links) == SLICED_LINKS_BYTES, "links as planned");
_Static_assert(SLICED_MOST_VERTICES + 256 <= 1 << SLICED_ROW_BITS,
               "a row has its bits, with gaps before it, too, and there is a value that is none");

/* Makes slices, links, heads and pieces of the shard's rows in device memory, and sets s->count and s->piece_count.
 * Clears the memory that searches expect to be zero. Waits. Called when a device is opened.
 *
 * In a directed graph the rows by destination become slices first, and then the rows by source become links. Each step
 * fills s->first for its own rows, and links come last because searches read s->first for links.
 */
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

/* Sets how many slices a frontier may have that one block pushes: any frontier (block_capacity, see fits_one_block), and a steady one
 * (steady_capacity, see is_steady). The graph has so many vertices; `leafy` says that half of them are leaves.
 * - block_capacity is SLICED_BLOCK_LEAST / 2 if the graph has heads, as all blocks then push lists (SPARSE): 1.6 us a level, where one
 *   block takes .9 and 2.3 more for 1,000 slices. With twice as much a uniform graph of 2^21 vertices took 1.08 times as long (one H200,
 *   revision 936803ee). It is not so small in a leafy graph: lists of SPARSE have leaves, and those of one block have none. Without
 *   heads it grows with the graph, because all blocks read a whole bitmap after each level that they do together. Measured with graphs of
 *   7 K to 1 M vertices: one H200, revision fa0e939.
 * - From steady_capacity on one block takes as long as all blocks where they read all slices: 3.1 and 4.6 us in
 *   graphs of 2^16 and 2^18 vertices (one H200, revision cb561a67). */
static void set_block_capacities(struct gpu_sliced *s, uint64_t vertices, int leafy)
{
    const int by_lists = s->heads != NULL && !leafy;
    enum { VERTICES_A_SLICE = 256 }; /* of the graph, for each slice that one block pushes */
    const uint64_t slices = vertices / VERTICES_A_SLICE;
    s->block_capacity = by_lists                       ? SLICED_BLOCK_LEAST / 2
                        : slices < SLICED_BLOCK_LEAST  ? SLICED_BLOCK_LEAST
                        : slices > SLICED_BLOCK_SLICES ? SLICED_BLOCK_SLICES
                                                       : (uint32_t)slices;
    s->steady_capacity = by_lists ? SLICED_BLOCK_LEAST : s->block_capacity + s->block_capacity / 2;
    if (s->steady_capacity > SLICED_BLOCK_SLICES)
        s->steady_capacity = SLICED_BLOCK_SLICES;
}

/* Makes the device ready for sliced searches: sets the members of `search`, makes the slices, and plans the launch (with
 * `notes` also that of the kernel with notes). Called once, after gpu_fused_open, when the sections are loaded. Allocates
 * nothing, because all device memory belongs to the plan of the device. */
enum status gpu_sliced_open(struct device *dev, int notes, struct error *e)
{
    struct gpu_sliced *s = &dev->fused.sliced.search;
    struct fused_launch *launch = &dev->fused.sliced.launch;
    const struct gpu_vertices *d = &dev->of[DELEGATES], *n = &dev->of[NORMALS];
    const struct sliced_bounds bounds = gpu_sliced_bounds(&dev->traits);
    const uint64_t leaves = gpu_leaves(dev->shard);
    if (s->link_row == NULL)
        s->link_row = s->row;
    s->words = gpu_sliced_words(d->count, n->count);
    s->near_words = gpu_sliced_near(s->words, bounds.near_vertices);
    s->word_price = bounds.word_price;
    s->long_rows = s->heads != NULL && s->near_words >= s->words &&
                   shard_edges(dev->shard) >= (uint64_t)SLICED_LONG_ROWS * (d->count + n->count);
    s->first_normal = (uint32_t)(32 * d->words);
    s->of[NORMALS] = *n;
    s->of[DELEGATES] = *d;
    s->order.deepest = dev->fused.deepest;
    s->out = dev->fused.search.out;
    set_block_capacities(s, d->count + n->count, gpu_is_leafy(dev->shard));
    launch->program = cuda_sliced_plain(s);
    dev->fused.sliced.noted.program = cuda_sliced_noted(s);
    if (make_slices(dev, e) != ST_OK || CUDA_TRY(cuda_sliced_plan(s, launch), dev->where, e) != ST_OK)
        return e->status;
    s->first_leaf = leaves == 0 ? UINT32_MAX : (uint32_t)((n->count > 0 ? s->first_normal + n->count : d->count) - leaves);
    s->leaf_slice = leaves == 0 ? UINT32_MAX : s->count - (uint32_t)leaves; /* a leaf has one slice */
    /* sparse frontiers lie in the arrays that fused searches use for theirs, as a sliced search never runs at the same time */
    if (s->heads != NULL) {
        struct work_item *const *list = dev->fused.search.sparse;
        const uint64_t capacity = (uint64_t)(list[1] - list[0]) * sizeof **list / sizeof(uint32_t),
                       part = capacity / (uint64_t)launch->blocks;
        s->list[0] = (uint32_t *)list[0];
        s->list[1] = (uint32_t *)list[1];
        s->list_capacity = part < SLICED_PART ? (uint32_t)part : (uint32_t)SLICED_PART;
    }
    return notes ? CUDA_TRY(cuda_sliced_plan(s, &dev->fused.sliced.noted), dev->where, e) : ST_OK;
}

/* Lets searches write their answers themselves, if possible: dev->answers, complete by now, must have the vertex of each id,
 * ids of parents must have 4 bytes, and a thread may have at most MOST_IDS ids. Otherwise cuda_values.c makes the answers. */
void gpu_sliced_open_answers(struct device *dev)
{
    enum { MOST_IDS = 32 }; /* with more ids for each thread the kernels of cuda_answers.cu are faster */
    const struct gpu_answers *a = &dev->answers;
    const struct fused_launch *launch = &dev->fused.sliced.launch;
    const uint64_t threads = (uint64_t)launch->blocks * (uint64_t)launch->threads;
    const int parents = dev->fused.answer_kind == ANSWER_PARENTS;
    if (a->vertex == NULL || (parents && a->id_bytes != 4) || a->count > MOST_IDS * threads)
        return;
    dev->fused.sliced.search.answer = (struct sliced_answer){
        .vertex = a->vertex, .ids = parents ? a->ids : NULL, .to = a->values, .count = (uint32_t)a->count};
}

/* Starts the kernel of a search from all roots together, with notes of levels if `noted`, and does not wait. Searches use the two sets of
 * counters and the two pairs of far bitmaps in turn. dev->fused.settled becomes 1, because this kernel writes all depths.
 * dev->fused.answer_valid becomes 1 if the kernel also writes the answer. */
enum status gpu_sliced_begin(struct device *dev, const struct root_set *roots, int noted, struct error *e)
{
    const struct fused_launch *launch = noted ? &dev->fused.sliced.noted : &dev->fused.sliced.launch;
    struct gpu_sliced *s = &dev->fused.sliced.search;
    if (gpu_use(dev, e) != ST_OK || gpu_take_roots(dev, roots, &s->roots, e) != ST_OK)
        return e->status;
    s->root = s->roots.delegates > 0 ? s->roots.first & ~PARENT_DELEGATE_BIT : s->roots.first + s->first_normal;
    s->parity ^= 1;
    s->far = s->found + (SLICED_TURNS + 2 * s->parity) * (size_t)s->words;
    s->order.number = ++dev->fused.search.order.number;
    dev->fused.settled = 1;
    dev->fused.answer_valid = s->answer.vertex != NULL;
    return gpu_begin_kernel(dev, s, launch, noted, e);
}
