/* cuda_solo_after.cu: what is found beside the search of cuda_solo.h: before all searches the lengths of rows;
 * after one its depths and, for notes, what its frontiers were
 */
#include "cuda_solo_list.cuh"

/* ---- depths of levels by masks ---- */

__global__ static void settle(gpu_vertices v, const solo_state *state)
{
    const uint64_t warps = (uint64_t)gridDim.x * blockDim.x / WARP;
    const unsigned kept = state->kept;
    for (uint64_t word = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP; word < v.words;
         word += warps) {
        const uint32_t own = lane_id() < kept ? v.queue[lane_id() * v.words + word] : 0;
        for (unsigned full = __ballot_sync(ALL_LANES, own != 0); full != 0; full &= full - 1) {
            const int i = __ffs(full) - 1;
            if (__shfl_sync(ALL_LANES, own, i) >> lane_id() & 1)
                v.depth[word * 32 + lane_id()] = state->kept_depth[i];
        }
    }
}

void cuda_solo_settle(const gpu_solo *search, cudaStream_t stream)
{
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        const gpu_vertices *v = &search->of[kind];
        if (v->words > 0)
            settle<<<blocks_for(v->words, WARPS), BLOCK, 0, stream>>>(*v, search->state);
    }
}

/* ---- the lengths of rows ---- */

/* `longest` is zero before. */
__global__ static void measure_classes(gpu_csr one, gpu_csr two, uint64_t count, uint32_t *longest)
{
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < count; v += threads) {
        listed_row a, b;
        look_at_rows(one, two, (uint32_t)v, true, a, b);
        const uint64_t total = a.length + a.heads + b.length + b.heads;
        for (unsigned k = 0; k < SOLO_CLASSES && total > UINT64_C(1) << (SOLO_FIRST_CLASS + k); k++) {
            if (((volatile uint32_t *)longest)[k] <= v)
                atomicMax(&longest[k], (uint32_t)v + 1);
        }
    }
}

void cuda_solo_measure(const gpu_solo *search, uint32_t *longest, cudaStream_t stream)
{
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        const uint64_t count = search->of[kind].count;
        if (count > 0)
            measure_classes<<<blocks_for(count, BLOCK), BLOCK, 0, stream>>>(
                search->csr[kind << 1], search->csr[kind << 1 | 1], count,
                longest + kind * SOLO_CLASSES);
    }
}

/* ---- notes ---- */

struct counted_row {
    bool is_source;
    uint64_t edges;
};

__device__ static inline counted_row count_row(const gpu_csr &csr, uint64_t v, bool wanted)
{
    const bool is_source = wanted && csr.edges != 0 && test_bit(csr.sources, (uint32_t)v);
    return counted_row{is_source, is_source ? row_length(csr, (uint32_t)v) : 0};
}

/* Adds the rows of some lanes to a level. All lanes of the warp call it. */
__device__ static inline void add_rows(solo_frontier &to, int g, bool mine, const counted_row &row)
{
    const unsigned sources = __popc(__ballot_sync(ALL_LANES, mine && row.is_source));
    if (sources == 0)
        return;
    const unsigned long long edges = warp_sum<unsigned long long>(mine ? row.edges : 0);
    if (lane_id() == 0) {
        atomicAdd(&to.sources[g], sources);
        atomicAdd(&to.forward[g], edges);
    }
}

/* Counts the vertices of one kind at the depths from `first` on, by depth. */
__global__ static void count_frontiers(gpu_vertices v, gpu_csr one, gpu_csr two, int kind,
                                       uint32_t first, uint32_t levels, solo_frontier *to)
{
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i - lane_id() < v.count;
         i += threads) {
        uint32_t level = levels;
        if (i < v.count && test_bit(v.visited, (uint32_t)i))
            level = (uint32_t)v.depth[i] - first;
        const counted_row a = count_row(one, i, level < levels), b = count_row(two, i, level < levels);
        for (unsigned left = __ballot_sync(ALL_LANES, level < levels); left != 0;) {
            const uint32_t at = __shfl_sync(ALL_LANES, level, __ffs(left) - 1);
            const unsigned same = __ballot_sync(ALL_LANES, level == at);
            add_rows(to[at], kind << 1, level == at, a);
            add_rows(to[at], kind << 1 | 1, level == at, b);
            if (lane_id() == 0)
                atomicAdd(&to[at].vertices[kind], (unsigned)__popc(same));
            left &= ~same;
        }
    }
}

void cuda_solo_count(const gpu_solo *search, uint32_t first, uint32_t levels, solo_frontier *to,
                     cudaStream_t stream)
{
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        const uint64_t count = search->of[kind].count;
        if (count > 0)
            count_frontiers<<<blocks_for(count, BLOCK), BLOCK, 0, stream>>>(
                search->of[kind], search->csr[kind << 1], search->csr[kind << 1 | 1], kind, first,
                levels, to);
    }
}
