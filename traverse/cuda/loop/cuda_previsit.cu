/* cuda_previsit.cu: the frontier of a level; see cuda_kernels.h and its twin, cpu_previsit.c
 *
 * One pass over the words of a mask makes the frontier: the vertices that came in and were not visited. A
 * warp marks the vertices of one word at a time, so that depths and queue entries are written side by side.
 * If the frontier is small, and not dense anywhere, it is listed, and the lengths of its rows are added up.
 * Other frontiers are usually pulled, which needs neither list nor lengths. Bytes moved: 12 to 24 for each
 * word; 4 (depth) to 24 (listed) for each vertex of the frontier.
 */
#include "traverse/cuda/cuda_common.cuh"

/* A block with more fresh vertices is in a dense frontier, and does not list them. */
enum { MOST_LISTED = 1024 };

/* This thread's share of the counts. */
struct tally {
    unsigned long long fresh, sources[VERTEX_KINDS], forward[VERTEX_KINDS];
};

/* The fresh bits of a word, moved from `in` to the frontier. */
__device__ static uint32_t move_word(const gpu_previsit &p, uint64_t w)
{
    if (w >= p.vertices.words)
        return 0;
    uint32_t in = p.in[w], fresh = 0;
    if (in != 0) {
        uint32_t visited = p.vertices.visited[w];
        p.in[w] = 0;
        fresh = in & ~visited;
        if (fresh != 0)
            p.vertices.visited[w] = visited | fresh;
    }
    p.vertices.frontier[w] = fresh;
    return fresh;
}

/* Adds the row lengths of the vertices that a block has listed, a thread for each row. */
__device__ static void add_lengths(const gpu_previsit &p, unsigned long long base, unsigned total,
                                   tally &t)
{
    for (unsigned i = threadIdx.x; i < total; i += BLOCK) {
        uint32_t id = p.vertices.queue[base + i];
        for (int g = 0; g < VERTEX_KINDS; g++) {
            if (p.csr[g].edges != 0 && test_bit(p.csr[g].sources, id))
                t.forward[g] += row_length(p.csr[g], id);
        }
    }
}

__device__ static void count_word(const gpu_previsit &p, uint64_t w, uint32_t fresh,
                                  uint32_t *sources, tally &t)
{
    t.fresh += __popc(fresh);
    for (int g = 0; g < VERTEX_KINDS; g++) {
        sources[g] = fresh != 0 && p.csr[g].edges != 0 ? __popc(fresh & p.csr[g].sources[w]) : 0;
        t.sources[g] += sources[g];
    }
}

/* The words base..base+BLOCK-1. */
__device__ static void previsit_words(const gpu_previsit &p, uint64_t base, uint32_t fresh,
                                      tally &t)
{
    uint64_t w = base + threadIdx.x;
    uint32_t sources[VERTEX_KINDS];
    unsigned total, before = block_prefix(__popc(fresh), &total);
    count_word(p, w, fresh, sources, t);
    fill(p.vertices.depth, base + threadIdx.x / WARP * WARP, fresh, p.depth);
    unsigned long long at = total <= MOST_LISTED ? reserve(total, &p.counts->listed) : p.room;
    if (at + total <= p.room) {
        list_word(p.vertices.queue, w, fresh, at + before);
        __syncthreads();
        add_lengths(p, at, total, t);
    } else {
        for (int g = 0; g < VERTEX_KINDS; g++)
            t.forward[g] += sources[g];
    }
}

__global__ static void __launch_bounds__(BLOCK) previsit_kernel(gpu_previsit p)
{
    __shared__ unsigned long long sums[WARPS];
    tally t = {};
    bool any = false;
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < p.vertices.words;
         base += (uint64_t)gridDim.x * BLOCK) {
        uint32_t fresh = move_word(p, base + threadIdx.x);
        if (__syncthreads_or(fresh != 0)) {
            any = true;
            previsit_words(p, base, fresh, t);
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

void cuda_previsit(const gpu_previsit *p, cudaStream_t stream)
{
    const int blocks = blocks_for(p->vertices.words, BLOCK);
    if (p->vertices.words == 0)
        return;
    previsit_kernel<<<blocks, BLOCK, 0, stream>>>(*p);
}

/* ---- the whole frontier, where a push wants more than was listed ---- */

void cuda_list_frontier(const gpu_vertices *vertices, const uint32_t *sources,
                        unsigned long long *listed, cudaStream_t stream)
{
    const uint32_t *frontier = vertices->frontier;
    uint32_t *queue = vertices->queue;
    list_each(
        vertices->words, listed, stream, [=] __device__(uint64_t w) { return __popc(frontier[w] & sources[w]); },
        [=] __device__(uint64_t w, unsigned long long at) { list_word(queue, w, frontier[w] & sources[w], at); });
}

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

void cuda_count_forward(const gpu_vertices *vertices, const gpu_csr *csr,
                        unsigned long long *forward, cudaStream_t stream)
{
    const int blocks = blocks_for(vertices->words, BLOCK);
    if (vertices->words == 0 || csr->edges == 0)
        return;
    forward_kernel<<<blocks, BLOCK, 0, stream>>>(*vertices, *csr, forward);
}

/* ---- counters ---- */

void cuda_publish(gpu_level *level, gpu_level *published, cudaStream_t stream)
{
    unsigned *from = (unsigned *)level, *to = (unsigned *)published;
    each(sizeof *level / sizeof *from, stream, [=] __device__(uint64_t i) {
        to[i] = from[i];
        from[i] = 0;
    });
}
