/* cuda_fused_after.cu: kernels beside the search of cuda_fused.h: lengths of rows, before all
 * searches; depths and, for notes, counts of frontiers, after one
 */
#include "traverse/cuda/visit/cuda_list.cuh"

/* ---- depths of levels by masks ---- */

__global__ static void settle(gpu_vertices v, const fused_state *state)
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

void cuda_fused_settle(const gpu_fused *search, cudaStream_t stream)
{
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        const gpu_vertices *v = &search->of[kind];
        if (v->words > 0)
            settle<<<blocks_for(v->words, WARPS), BLOCK, 0, stream>>>(*v, search->state);
    }
}

/* Makes four bits the lowest bits of four bytes. */
__device__ static inline uint32_t bits_to_bytes(uint32_t bits)
{
    return bits * 0x00204081u & 0x01010101u;
}

enum { LINE_BYTES = 32, LINE_PARTS = LINE_BYTES / 4 };

/* A line is 32 bytes that begin at a multiple of 32, for 32 vertices. Delegates lie behind normals, so their first one
 * is `offset` bytes into its line, and the bits of a line are those of two words of a mask. */
__device__ static inline uint32_t bits_of_line(const uint32_t *mask, uint64_t words, uint64_t line, unsigned offset)
{
    const uint32_t own = line < words ? mask[line] : 0;
    if (offset == 0)
        return own;
    return own << offset | (line > 0 ? mask[line - 1] >> (32 - offset) : 0);
}

/* Adds the depths of vertices that no kept mask has; `first` is the first vertex of the line, and may be below 0. */
__device__ static inline void add_depths(uint32_t bits, const int32_t *depth, int64_t first, uint32_t *bytes)
{
#pragma unroll
    for (int i = 0; i < LINE_PARTS; i++) {
        for (uint32_t left = bits >> 4 * i & 15; left != 0; left &= left - 1) {
            const int at = __ffs(left) - 1;
            bytes[i] |= (uint32_t)(depth[first + 4 * i + at] + 1) << 8 * at;
        }
    }
}

/* Stores bytes [begin, end) of a line. */
__device__ static inline void store_line(const uint32_t *bytes, int64_t begin, int64_t end, uint8_t *to)
{
    if (begin == 0 && end >= LINE_BYTES) {
        ((uint4 *)to)[0] = make_uint4(bytes[0], bytes[1], bytes[2], bytes[3]);
        ((uint4 *)to)[1] = make_uint4(bytes[4], bytes[5], bytes[6], bytes[7]);
        return;
    }
#pragma unroll
    for (int i = 0; i < LINE_BYTES; i++) {
        if (i >= begin && i < end)
            to[i] = (uint8_t)(bytes[i / 4] >> 8 * (i % 4));
    }
}

/* Bytes before `to` in its line. */
__device__ static inline unsigned offset_of(const uint8_t *to)
{
    return (unsigned)((uintptr_t)to % LINE_BYTES);
}

__device__ static inline uint64_t lines_of(const gpu_vertices &v, const uint8_t *to)
{
    return v.count > 0 ? (v.count + offset_of(to) + LINE_BYTES - 1) / LINE_BYTES : 0;
}

__device__ static inline void write_line(const gpu_vertices &v, const fused_state *state, unsigned kept, uint64_t line,
                                         uint8_t *to)
{
    const unsigned offset = offset_of(to);
    const uint64_t words = (v.count + 31) / 32;
    const int64_t first = (int64_t)(line * LINE_BYTES) - offset;
    uint32_t bytes[LINE_PARTS] = {0}, left = bits_of_line(v.visited, words, line, offset);
#pragma unroll 4
    for (unsigned k = 0; k < kept; k++) {
        const uint32_t mask = bits_of_line(v.queue + k * v.words, words, line, offset),
                       value = (uint32_t)state->kept_depth[k] + 1;
        left &= ~mask;
#pragma unroll
        for (int i = 0; i < LINE_PARTS; i++)
            bytes[i] |= bits_to_bytes(mask >> 4 * i & 15) * value;
    }
    if (left != 0)
        add_depths(left, v.depth, first, bytes);
    store_line(bytes, first < 0 ? -first : 0, (int64_t)v.count - first, to + first);
}

/* A thread takes a line of one kind, and then of the other one. Bytes that must move for 32 vertices: 4 of each mask,
 * and 32. `closes`: a value for no vertex follows. */
__global__ static void __launch_bounds__(BLOCK)
    byte_depths(gpu_vertices v, gpu_vertices behind, const fused_state *state, uint8_t *to, int closes)
{
    const unsigned kept = state->kept;
    const uint64_t lines = lines_of(v, to), all = lines + lines_of(behind, to + v.count),
                   thread = (uint64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (closes && thread == 0)
        to[v.count + behind.count] = 0;
    for (uint64_t line = thread; line < all; line += (uint64_t)gridDim.x * BLOCK) {
        if (line < lines)
            write_line(v, state, kept, line, to);
        else
            write_line(behind, state, kept, line - lines, to + v.count);
    }
}

void cuda_fused_byte_depths(const gpu_fused *search, enum vertex_kind kind, uint8_t *to, cudaStream_t stream)
{
    const gpu_vertices *v = &search->of[kind];
    if (v->count > 0)
        byte_depths<<<blocks_for(v->words, BLOCK), BLOCK, 0, stream>>>(*v, gpu_vertices{}, search->state, to, 0);
}

void cuda_fused_all_byte_depths(const gpu_fused *search, uint8_t *to, cudaStream_t stream)
{
    const gpu_vertices *n = &search->of[NORMALS], *d = &search->of[DELEGATES];
    byte_depths<<<blocks_for(n->words + d->words + 1, BLOCK), BLOCK, 0, stream>>>(*n, *d, search->state, to, 1);
}

/* ---- the lengths of rows ---- */

void cuda_fused_measure(const gpu_fused *search, uint32_t *longest, cudaStream_t stream)
{
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        const gpu_csr one = search->csr[kind << 1], two = search->csr[kind << 1 | 1];
        uint32_t *of_kind = longest + kind * FUSED_CLASSES;
        each(search->of[kind].count, stream, [=] __device__(uint64_t v) {
            listed_row a, b;
            look_at_rows(one, two, (uint32_t)v, true, a, b);
            const uint64_t total = a.length + a.heads + b.length + b.heads;
            for (unsigned k = 0; k < FUSED_CLASSES && total > UINT64_C(1) << (FUSED_FIRST_CLASS + k); k++) {
                if (((volatile uint32_t *)of_kind)[k] <= v)
                    atomicMax(&of_kind[k], (uint32_t)v + 1);
            }
        });
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
__device__ static inline void add_rows(fused_frontier &to, int g, bool mine, const counted_row &row)
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
                                       uint32_t first, uint32_t levels, fused_frontier *to)
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

void cuda_fused_count(const gpu_fused *search, uint32_t first, uint32_t levels, fused_frontier *to,
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
