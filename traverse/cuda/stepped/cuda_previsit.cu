/* cuda_previsit.cu: makes the frontier of a level from the vertices that were found; see cuda_kernels.h and its twin,
 * cpu_frontier.c
 *
 * A previsit is one pass over the words of a bitmap of found vertices. Those that were not visited before become the
 * frontier (join_frontier of cuda_previsit_words.cuh). A frontier that is small, and nowhere dense, is also listed in a
 * queue, and the lengths of its rows are added up. Other frontiers are usually pulled, which needs neither. A block reserves
 * places in the queue for all its vertices at once, since an atomic for each warp would be too many for long lists. Bytes
 * moved: 12 to 24 for each word, and for each vertex of the frontier from 4 (its depth) to 24 (if it is listed).
 *
 * In this file *fresh* vertices are the vertices of the new frontier. The *sources* of a subgraph are the vertices with
 * edges in it.
 */
#include "traverse/cuda/visit/cuda_previsit_words.cuh"

/* A block does not list the fresh vertices of its 256 words if there are more than this, because the frontier is dense
 * then. */
enum { MOST_LISTED = 1024 };

/* The state of a previsit of one kind of vertices, which join_frontier gets as argument `s`. Arrays by kind have index 0
 * only. */
struct kind_previsit {
    static constexpr bool together = false;
    /* 0: the search keeps no frontiers of earlier levels to write depths from, so depths are written at once */
    uint32_t keeps;
    const gpu_vertices *of;
    const gpu_csr *csr;
    struct {
        bool finds_many;
        unsigned dense_frontiers;
        level_target target;
    } block;
};

/* The counts of one thread over all its words (struct gpu_counts). */
struct previsit_tally {
    unsigned long long fresh, sources[VERTEX_KINDS], forward[VERTEX_KINDS];
};

/* Adds the edges of the vertices queue[base], ..., queue[base + total - 1], which the block has just listed, to
 * t.forward: the lengths of their rows in both subgraphs. All threads of the block call it. */
__device__ static void add_lengths(const gpu_previsit &p, unsigned long long base, unsigned total, previsit_tally &t)
{
    for (unsigned i = threadIdx.x; i < total; i += BLOCK) {
        uint32_t id = p.vertices.queue[base + i];
        for (int g = 0; g < VERTEX_KINDS; g++) {
            if (p.csr[g].edges != 0 && test_bit(p.csr[g].sources, id))
                t.forward[g] += row_length(p.csr[g], id);
        }
    }
}

/* Counts the fresh vertices of a block's words, their sources and their edges, in the thread's tally `t`. If there are at most MOST_LISTED,
 * and the queue has room, also lists the vertices; otherwise reads no edges, and t.forward counts 1 for each source. `fresh` has the
 * fresh bits of this thread's word, and `base` is the number of the block's first word. All threads of the block call it. */
__device__ static void count_fresh(const gpu_previsit &p, uint64_t base, uint32_t fresh, const found_word &word,
                                  previsit_tally &t)
{
    const unsigned sources[] = {(unsigned)__popc(fresh & word.in_one), (unsigned)__popc(fresh & word.in_two)};
    unsigned total, before = block_prefix(__popc(fresh), &total);
    /* counts->places_reserved grows even if the queue has no room, so it may become larger than the capacity */
    const unsigned long long at = total <= MOST_LISTED ? reserve(total, &p.counts->places_reserved) : p.capacity;
    const bool lists = at + total <= p.capacity;
    t.fresh += __popc(fresh);
    for (int g = 0; g < VERTEX_KINDS; g++) {
        t.sources[g] += sources[g];
        t.forward[g] += lists ? 0 : sources[g];
    }
    if (lists) {
        list_word(p.vertices.queue, base + threadIdx.x, fresh, at + before);
        __syncthreads();
        add_lengths(p, at, total, t);
    }
}

/* Kernel: does a previsit of one kind of vertices, with a thread for each word. Writes the frontier's bitmap, the visited
 * bits and the depths, and clears `next`. Lists the vertices if they are few. Adds the counts to *p.counts. */
__global__ static void __launch_bounds__(BLOCK) previsit_kernel(const __grid_constant__ gpu_previsit p)
{
    __shared__ unsigned long long sums[WARPS];
    kind_previsit s = {0, &p.vertices, p.csr, {false, 0, {NULL, NULL, p.depth}}};
    previsit_tally t = {};
    bool any = false;
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < p.vertices.words; base += (uint64_t)gridDim.x * BLOCK) {
        const uint64_t w = base + threadIdx.x;
        found_word word = {w < p.vertices.words ? p.vertices.next[w] : 0, 0, 0, 0, 0};
        const uint32_t fresh = join_frontier<false>(s, 0, (uint32_t)(w - lane_id()), WARP, word);
        if (__syncthreads_or(fresh != 0)) {
            any = true;
            count_fresh(p, base, fresh, word, t);
        }
    }
    if (!any)
        return;
    block_add(t.fresh, sums, &p.counts->fresh);
    for (int g = 0; g < VERTEX_KINDS; g++) {
        block_add(t.sources[g], sums, &p.counts->sources[g]);
        block_add(t.forward[g], sums, &p.counts->forward[g]);
    }
}

/* Launches the previsit of one kind of vertices, with a copy of *p, and returns at once. */
void cuda_previsit(const gpu_previsit *p, cudaStream_t stream)
{
    const int blocks = blocks_for(p->vertices.words, BLOCK);
    if (p->vertices.words > 0)
        previsit_kernel<<<blocks, BLOCK, 0, stream>>>(*p);
}

/* ---- the whole frontier, if the previsit did not list all of it ---- */

/* Launches the listing of those vertices of the dense frontier that are set in `sources`. Overwrites the queue. */
void cuda_fill_queue(const gpu_vertices *vertices, const uint32_t *sources,
                        unsigned long long *listed, cudaStream_t stream)
{
    const uint32_t *frontier = vertices->frontier;
    uint32_t *queue = vertices->queue;
    list_each(
        vertices->words, listed, stream, [=] __device__(uint64_t w) { return __popc(frontier[w] & sources[w]); },
        [=] __device__(uint64_t w, unsigned long long at) { list_word(queue, w, frontier[w] & sources[w], at); });
}

/* Kernel: adds the number of edges of the dense frontier in `csr` to *forward. A thread does a word at a time. */
__global__ static void __launch_bounds__(BLOCK)
    forward_kernel(gpu_vertices v, gpu_csr csr, unsigned long long *forward)
{
    __shared__ unsigned long long sums[WARPS];
    unsigned long long sum = 0;
    for (uint64_t w = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; w < v.words;
         w += (uint64_t)gridDim.x * BLOCK) {
        for (uint32_t bits = v.frontier[w] & csr.sources[w]; bits != 0; bits &= bits - 1)
            sum += row_length(csr, (uint32_t)(w * 32 + __ffs(bits) - 1));
    }
    block_add(sum, sums, forward);
}

/* Launches the exact count of the frontier's edges in a subgraph, unless there are no vertices or no edges. */
void cuda_count_forward(const gpu_vertices *vertices, const gpu_csr *csr,
                        unsigned long long *forward, cudaStream_t stream)
{
    const int blocks = blocks_for(vertices->words, BLOCK);
    if (vertices->words == 0 || csr->edges == 0)
        return;
    forward_kernel<<<blocks, BLOCK, 0, stream>>>(*vertices, *csr, forward);
}

/* ---- counters ---- */

/* Kernel of one block: copies *level to *published, memory of the host, and sets *level to zero. Then writes `number` to
 * the upper half of published->report, behind a barrier, so that the host sees the whole copy. */
__global__ static void __launch_bounds__(BLOCK) publish_kernel(gpu_level *level, gpu_level *published, uint32_t number)
{
    unsigned *from = (unsigned *)level, *to = (unsigned *)published;
    for (unsigned i = threadIdx.x; i < offsetof(gpu_level, report) / sizeof *from; i += BLOCK) {
        to[i] = from[i];
        from[i] = 0;
    }
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        *(volatile uint64_t *)&published->report = (uint64_t)number << 32;
}

/* Launches the copy of counters to the host, which sets them to zero and then reports `number`. */
void cuda_publish(gpu_level *level, gpu_level *published, uint32_t number, cudaStream_t stream)
{
    publish_kernel<<<1, BLOCK, 0, stream>>>(level, published, number);
}
