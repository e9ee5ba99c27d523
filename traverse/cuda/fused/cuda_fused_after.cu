/* cuda_fused_after.cu: kernels beside the search of cuda_fused.h: they measure rows before the first search, and after a search write
 * depths, or count frontiers for notes
 */
#include "traverse/cuda/visit/cuda_frontier.cuh"

/* ---- depths of kept frontiers, as 4 bytes ---- */

/* Writes the depths of vertices of one kind that are in kept frontiers. These are dense frontiers whose bitmaps the search has
 * kept instead of writing depths. A warp handles the same word of all these bitmaps at a time: lane i reads the word of
 * frontier i, and then lane l writes the depth of the vertex that has bit l. */
__global__ static void settle(gpu_vertices v, const fused_state *state)
{
    const uint64_t warps = (uint64_t)gridDim.x * blockDim.x / WARP;
    const unsigned kept = state->kept;
    for (uint64_t word = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP; word < v.words; word += warps) {
        const uint32_t own = lane_id() < kept ? v.queue[lane_id() * v.words + word] : 0;
        for (unsigned full = __ballot_sync(ALL_LANES, own != 0); full != 0; full &= full - 1) {
            const int i = __ffs(full) - 1;
            if (__shfl_sync(ALL_LANES, own, i) >> lane_id() & 1)
                v.depth[word * 32 + lane_id()] = state->kept_depth[i];
        }
    }
}

/* Completes the 4-byte depths after a search: writes those of vertices in kept frontiers. The search has written all others. */
void cuda_fused_settle(const gpu_fused *search, cudaStream_t stream)
{
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        const gpu_vertices *v = &search->of[kind];
        if (v->words > 0)
            settle<<<blocks_for(v->words, WARPS), BLOCK, 0, stream>>>(*v, search->state);
    }
}

/* ---- depths as bytes ----
 *
 * A byte is the depth of a vertex + 1, or 0 if the vertex was not visited. Threads write whole lines. A line is 32 bytes of memory
 * that begin at a multiple of 32, and so has the bytes of 32 vertices. The bytes of delegates follow the bytes of normals, so the
 * first delegate may lie `offset` bytes behind the beginning of a line. Then the vertices of a line lie in two words of a bitmap.
 */

enum { LINE_BYTES = 32, LINE_PARTS = LINE_BYTES / 4 };

/* Returns the bits of the 32 vertices of a line, from a bitmap of `words` words. The bitmap's first vertex has its byte
 * `offset` bytes behind the beginning of line 0. */
__device__ static inline uint32_t bits_of_line(const uint32_t *bitmap, uint64_t words, uint64_t line, unsigned offset)
{
    const uint32_t own = line < words ? bitmap[line] : 0;
    if (offset == 0)
        return own;
    return own << offset | (line > 0 ? bitmap[line - 1] >> (32 - offset) : 0);
}

/* Returns the number of bytes in front of `to` in the line that contains `to`. */
__device__ static inline unsigned offset_in_line(const uint8_t *to)
{
    return (unsigned)((uintptr_t)to % LINE_BYTES);
}

/* Returns the number of lines that the bytes of the vertices `v` lie in. The byte of the first vertex lies at `to`. */
__device__ static inline uint64_t lines_of(const gpu_vertices &v, const uint8_t *to)
{
    return v.count > 0 ? (v.count + offset_in_line(to) + LINE_BYTES - 1) / LINE_BYTES : 0;
}

/* Writes the depths of the vertices of one line as bytes. The byte of the first vertex of `v` lies at `to`. Bytes of the line
 * that belong to no vertex of `v` stay as they are. A vertex in one of the `kept` frontiers has the depth of this frontier. Any
 * other visited vertex has its depth in v.depth. */
__device__ static inline void write_line(const gpu_vertices &v, const fused_state *state, unsigned kept, uint64_t line,
                                         uint8_t *to)
{
    const unsigned offset = offset_in_line(to);
    const uint64_t words = (v.count + 31) / 32;
    const int64_t first = (int64_t)(line * LINE_BYTES) - offset; /* vertex of byte 0, < 0 if the line begins before `to` */
    uint32_t bytes[LINE_PARTS] = {0}, left = bits_of_line(v.visited, words, line, offset);
#pragma unroll 4
    for (unsigned k = 0; k < kept; k++) {
        const uint32_t bits = bits_of_line(v.queue + k * v.words, words, line, offset),
                       value = (uint32_t)state->kept_depth[k] + 1;
        left &= ~bits;
#pragma unroll
        for (int i = 0; i < LINE_PARTS; i++) /* the product spreads four bits to the lowest bits of four bytes */
            bytes[i] |= ((bits >> 4 * i & 15) * 0x00204081u & 0x01010101u) * value;
    }
    if (left != 0) { /* the search has written the depths of visited vertices that are in no kept frontier */
#pragma unroll
        for (int i = 0; i < LINE_PARTS; i++) {
            for (uint32_t part = left >> 4 * i & 15; part != 0; part &= part - 1) {
                const int at = __ffs(part) - 1;
                bytes[i] |= (uint32_t)(v.depth[first + 4 * i + at] + 1) << 8 * at;
            }
        }
    }
    const int64_t begin = first < 0 ? -first : 0, end = (int64_t)v.count - first; /* bytes begin to end - 1 are written */
    to += first;
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

/* Kernel: writes the depths of the vertices `v` as bytes from `to` on, then those of the vertices `behind`, and then, if
 * `closes`, a byte 0 that stands for no vertex. A thread writes a line. Bytes that must move for 32 vertices: 4 of each bitmap,
 * and the 32 bytes that are written. */
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

/* Writes the depth + 1 of each vertex i of one kind to to[i], or 0 if it was not visited (cuda_fused.h). Does not wait. */
void cuda_fused_byte_depths(const gpu_fused *search, enum vertex_kind kind, uint8_t *to, cudaStream_t stream)
{
    const gpu_vertices *v = &search->of[kind];
    if (v->count > 0)
        byte_depths<<<blocks_for(v->words, BLOCK), BLOCK, 0, stream>>>(*v, gpu_vertices{}, search->state, to, 0);
}

/* Writes the depth + 1 of each vertex as a byte, or 0 if it was not visited: normals, delegates, and a last 0. Does not wait. */
void cuda_fused_all_byte_depths(const gpu_fused *search, uint8_t *to, cudaStream_t stream)
{
    const gpu_vertices *n = &search->of[NORMALS], *d = &search->of[DELEGATES];
    byte_depths<<<blocks_for(n->words + d->words + 1, BLOCK), BLOCK, 0, stream>>>(*n, *d, search->state, to, 1);
}

/* ---- depths as nibbles ---- */

/* Returns 32 bits of which bit 4 * i is bit i of `bits`, for i < 8. */
__device__ static inline uint32_t spread_to_nibbles(uint32_t bits)
{
    bits = (bits | bits << 12) & 0x000f000f;
    bits = (bits | bits << 6) & 0x03030303;
    return (bits | bits << 3) & 0x11111111;
}

/* Kernel: writes the depths of the vertices `v`, and then of `behind`, as nibbles. A thread has the 32 vertices of a word of a bitmap:
 * it must read 4 bytes of each bitmap, and write 16. It reads AT_ONCE bitmaps at a time, so that it waits less often. Past the last bitmap
 * it reads that one again, which changes nothing. */
__global__ static void __launch_bounds__(BLOCK)
    nibble_depths(gpu_vertices v, gpu_vertices behind, const fused_state *state, uint4 *to)
{
    enum { AT_ONCE = 4, PARTS = 4 };
    const unsigned kept = state->kept;
    const uint64_t words = v.words + behind.words;
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < words; i += (uint64_t)gridDim.x * BLOCK) {
        const bool is_behind = i >= v.words;
        const uint64_t word = is_behind ? i - v.words : i, stride = is_behind ? behind.words : v.words;
        const uint32_t *visited = is_behind ? behind.visited : v.visited, *bitmap = (is_behind ? behind.queue : v.queue) + word;
        const int32_t *depth = (is_behind ? behind.depth : v.depth) + word * 32;
        uint32_t part[PARTS] = {0}, left = visited[word];
        for (unsigned k = 0; k < kept; k += AT_ONCE) {
            uint32_t bits[AT_ONCE];
#pragma unroll
            for (unsigned j = 0; j < AT_ONCE; j++)
                bits[j] = bitmap[(k + j < kept ? k + j : kept - 1) * stride];
#pragma unroll
            for (unsigned j = 0; j < AT_ONCE; j++) {
                const uint32_t value = (uint32_t)state->kept_depth[k + j < kept ? k + j : kept - 1] + 1;
                left &= ~bits[j];
#pragma unroll
                for (int p = 0; p < PARTS; p++)
                    part[p] |= spread_to_nibbles(bits[j] >> 8 * p & 255) * value;
            }
        }
#pragma unroll
        for (int p = 0; p < PARTS; p++) { /* the search has written the depths of visited vertices that are in no kept frontier */
            for (uint32_t bits = left >> 8 * p & 255; bits != 0; bits &= bits - 1) {
                const int at = __ffs(bits) - 1;
                part[p] |= (uint32_t)(depth[8 * p + at] + 1) << 4 * at;
            }
        }
        to[i] = make_uint4(part[0], part[1], part[2], part[3]);
    }
}

/* Writes the depth + 1 of each vertex in four bits, or 0 if it was not visited: normals, and then delegates. Does not wait. */
void cuda_fused_nibble_depths(const gpu_fused *search, void *to, cudaStream_t stream)
{
    const gpu_vertices *n = &search->of[NORMALS], *d = &search->of[DELEGATES];
    nibble_depths<<<blocks_for(n->words + d->words, BLOCK), BLOCK, 0, stream>>>(*n, *d, search->state, (uint4 *)to);
}

/* ---- the lengths of rows ---- */

/* Finds out how long the rows of vertices are. rows->first_of_class[kind][k] becomes 1 + the number of the last vertex of the kind with
 * more than 2^(FUSED_FIRST_CLASS + k) edges in its two rows, or stays 0 if no vertex has so many. *rows is device memory, zero before the
 * launch. Does not wait. */
void cuda_fused_measure(const gpu_fused *search, fused_rows *rows, cudaStream_t stream)
{
    const auto raise = [] __device__(uint32_t &bound, uint32_t to) {
        if (*(volatile uint32_t *)&bound < to)
            atomicMax(&bound, to);
    };
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        const gpu_csr csr[] = {search->csr[kind << 1], search->csr[kind << 1 | 1]};
        each(search->of[kind].count, stream, [=] __device__(uint64_t v) {
            listed_row row[VERTEX_KINDS];
            look_at_rows(csr, (uint32_t)v, true, row);
            const uint64_t total = row[0].length + row[0].heads + row[1].length + row[1].heads;
            for (unsigned k = 0; k < FUSED_CLASSES && total > UINT64_C(1) << (FUSED_FIRST_CLASS + k); k++)
                raise(rows->first_of_class[kind][k], (uint32_t)v + 1);
        });
    }
    const gpu_csr nn = search->csr[NN];
    const uint64_t count = search->of[NORMALS].count;
    each(count, stream, [=] __device__(uint64_t v) { /* only where lengths change, as few rows do, so that few atomics are made */
        const uint64_t end = offset_of(nn, v + 1), length = end - offset_of(nn, v), next = v + 1 < count ? offset_of(nn, v + 2) - end : 0;
        for (uint64_t wanted = 1; wanted <= FUSED_EVEN_LENGTHS; wanted++) {
            if (length > wanted && next <= wanted)
                raise(rows->longer[wanted - 1], (uint32_t)v + 1);
            if (length >= wanted && next < wanted)
                raise(rows->shorter[wanted - 1], ~(uint32_t)(v + 1));
            if (length < wanted && v == 0)
                raise(rows->shorter[wanted - 1], ~0u);
        }
    });
}

/* ---- frontiers, for notes ---- */

/* Adds rows in subgraph g to the counts `to` of a frontier. Each lane gives a vertex, which counts if it is in the frontier
 * (`mine`) and has a row in g (is_source). The row has `edges` edges. All lanes of the warp call it. */
__device__ static inline void add_rows(fused_frontier &to, int g, bool mine, bool is_source, uint64_t edges)
{
    const unsigned sources = __popc(__ballot_sync(ALL_LANES, mine && is_source));
    if (sources == 0)
        return;
    const unsigned long long sum = warp_sum<unsigned long long>(mine ? edges : 0);
    if (lane_id() == 0) {
        atomicAdd(&to.sources[g], sources);
        atomicAdd(&to.forward[g], sum);
    }
}

/* Kernel: counts the vertices of one kind with depths first to first + levels - 1, and their rows in the subgraphs `one` and
 * `two`. Adds the counts for depth d to to[d - first]. A warp looks at 32 vertices, and adds up those of the same depth. */
__global__ static void count_frontiers(gpu_vertices v, gpu_csr one, gpu_csr two, int kind,
                                       uint32_t first, uint32_t levels, fused_frontier *to)
{
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i - lane_id() < v.count;
         i += threads) {
        uint32_t level = levels;
        if (i < v.count && test_bit(v.visited, (uint32_t)i))
            level = (uint32_t)v.depth[i] - first;
        const bool in_one = level < levels && one.edges != 0 && test_bit(one.sources, (uint32_t)i),
                   in_two = level < levels && two.edges != 0 && test_bit(two.sources, (uint32_t)i);
        const uint64_t edges_one = in_one ? row_length(one, (uint32_t)i) : 0,
                       edges_two = in_two ? row_length(two, (uint32_t)i) : 0;
        for (unsigned left = __ballot_sync(ALL_LANES, level < levels); left != 0;) {
            const uint32_t at = __shfl_sync(ALL_LANES, level, __ffs(left) - 1);
            const unsigned same = __ballot_sync(ALL_LANES, level == at);
            add_rows(to[at], kind << 1, level == at, in_one, edges_one);
            add_rows(to[at], kind << 1 | 1, level == at, in_two, edges_two);
            if (lane_id() == 0)
                atomicAdd(&to[at].vertices[kind], (unsigned)__popc(same));
            left &= ~same;
        }
    }
}

/* Counts the vertices, rows and edges of the frontiers of `levels` levels, from level `first` on, and adds them to to[]
 * (cuda_fused.h). Does not wait. */
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
