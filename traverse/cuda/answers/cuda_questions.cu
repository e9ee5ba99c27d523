/* cuda_questions.cu: kernels that find parents on other devices, by questions and replies or in the memory of the other devices
 *
 * cuda_answers.h describes the functions, and the twin on a CPU is cpu_answers.c. For questions, a warp takes one vertex that asks, and
 * each lane some of the vertex's edges. Lanes that ask the same shard reserve places for their questions by one atomic. Bytes that must
 * move for each edge to another shard: 4 or 8 of the column, 8 of the question, and 4 of the vertex that asks.
 */
#include "cuda_answers.h"
#include "traverse/cuda/device/cuda_common.cuh"

/* Kernel, full grid: asks, for each nn edge of a vertex to another shard, whether the neighbour's depth is that of the vertex
 * minus 1. A warp takes one of the vertices that ask: those in a.vertices or, if that is NULL, all. If `writes` is 0, a.cursor[s] only
 * counts the questions for shard s. If it is 1, each question is written at index a.cursor[s], which then grows by 1, and the
 * vertex that asks into a.askers. If a.neighbours is given, neighbours are written in place of questions. PACKED: columns are packed. */
template <bool PACKED>
__global__ static void __launch_bounds__(BLOCK) ask_kernel(gpu_asking a, int writes)
{
    const uint64_t local_mask = ((uint64_t)1 << a.local_bits) - 1;
    const uint64_t count = a.vertices == NULL ? a.nn.rows : *a.count;
    for (uint64_t i = ((uint64_t)blockIdx.x * BLOCK + threadIdx.x) / WARP; i < count;
         i += (uint64_t)gridDim.x * WARPS) {
        const uint32_t row = a.vertices == NULL ? (uint32_t)i : a.vertices[i];
        const uint64_t length = row_length(a.nn, row);
        for (uint64_t j = lane_id(); j < length; j += WARP) {
            const uint64_t to = column_at<PACKED>(a.nn, row, j);
            const uint32_t owner = (uint32_t)(to >> a.local_bits);
            if (owner == a.own_shard)
                continue;
            const unsigned long long at =
                reserve_for_lanes(__match_any_sync(__activemask(), owner), &a.cursor[owner]);
            if (!writes)
                continue;
            a.askers[at] = row;
            if (a.neighbours != NULL)
                a.neighbours[at] = (uint32_t)(to & local_mask);
            else
                a.questions[at] = {(uint32_t)(to & local_mask), a.depth[row] - 1};
        }
        __syncwarp();
    }
}

/* Counts the questions for each shard or, if `writes` is 1, writes them (ask_kernel). Does nothing if nn has no edges. Does not
 * wait. */
void cuda_ask(const gpu_asking *a, int writes, cudaStream_t stream)
{
    if (a->nn.edges == 0)
        return;
    if (gpu_csr_is_packed(&a->nn))
        ask_kernel<true><<<cuda_full_grid(), BLOCK, 0, stream>>>(*a, writes);
    else
        ask_kernel<false><<<cuda_full_grid(), BLOCK, 0, stream>>>(*a, writes);
}

/* Replies to the questions of one shard: by the input id of the vertex in the question if this vertex was visited at the depth
 * in the question, otherwise by -1. Sets *replying->bad to 1 if this shard does not have such a vertex. Does not wait. */
void cuda_reply(const gpu_replying *replying, cudaStream_t stream)
{
    each(replying->count, stream, [r = *replying] __device__(uint64_t i) {
        const uint32_t vertex = r.questions[i].vertex;
        int64_t id = -1;
        if (vertex >= r.locals.count)
            *r.bad = 1;
        else if (test_bit(r.locals.visited, vertex) && r.locals.depth[vertex] == r.questions[i].depth)
            id = id_at(r.ids, r.id_bytes, vertex);
        put_id(r.replies, r.id_bytes, i, id);
    });
}

/* Lists the delegates that ask. Each is a vertex of one value of this shard, as the owner of a delegate has its value. Bytes that must
 * move: 4 for each value of the shard, and for each delegate that the shard owns a parent and its bit. Does not wait. */
void cuda_list_missing(const gpu_missing *missing, cudaStream_t stream)
{
    each(missing->values, stream, [m = *missing] __device__(uint64_t i) {
        const uint64_t v = m.vertex[i];
        if (v < m.locals || v >= m.locals + m.d || id_at(m.parents, m.id_bytes, v) != -1)
            return;
        const uint32_t delegate = (uint32_t)(v - m.locals);
        if (test_bit(m.visited, delegate))
            m.list[reserve_for_lanes(__activemask(), m.listed)] = delegate;
    });
}

/* Replies to questions of delegates: by the parents that this device has recorded. Does not wait. */
void cuda_reply_to_delegates(const uint32_t *delegates, uint64_t count, const void *parents, uint64_t d, uint32_t id_bytes,
                             void *replies, unsigned int *bad, cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) {
        if (delegates[i] >= d)
            *bad = 1;
        else
            put_id(replies, id_bytes, i, id_at(parents, id_bytes, delegates[i]));
    });
}

/* Makes replies the parents of the vertices that asked: reply i becomes the parent of vertex askers[i], unless it is -1. If
 * several threads write a parent of the same vertex, any of them will do. Does not wait. */
void cuda_take_replies(const void *replies, const uint32_t *askers, uint64_t count, uint32_t id_bytes, void *to,
                       cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) {
        const int64_t id = id_at(replies, id_bytes, i);
        if (id != -1)
            put_id(to, id_bytes, askers[i], id);
    });
}

/* ---- looking ---- */

/* The number of lanes that together search the row of one vertex for a parent. It is small because most rows of nn are short,
 * and because reads of another device take long. */
enum { LOOKERS = 8 };

/* Does what cuda_answers.h says. Bytes that must move: 4 for each vertex, and 3 bits. */
void cuda_write_residues(const gpu_vertices *normals, uint32_t *to, cudaStream_t stream)
{
    each((normals->count + 15) / 16, stream, [n = *normals, to] __device__(uint64_t word) {
        uint32_t residues = 0;
        for (uint64_t i = 0; i < 16; i++) {
            const uint64_t v = 16 * word + i;
            const uint32_t residue = v < n.count && test_bit(n.visited, (uint32_t)v) ? (uint32_t)n.depth[v] % 3 : 3;
            residues |= residue << 2 * i;
        }
        to[word] = residues;
    });
}

/* Returns whether a local vertex that a device shows was visited at `depth`. It is a neighbour of a vertex at depth + 1. */
__device__ static inline bool has_depth(const gpu_shown &s, uint32_t vertex, int depth)
{
    if (s.residues != NULL)
        return (s.residues[vertex / 16] >> 2 * (vertex % 16) & 3) == (uint32_t)depth % 3;
    return s.bytes != NULL ? s.bytes[vertex] == depth + 1 : s.depth[vertex] == depth && test_bit(s.visited, vertex) != 0;
}

/* Returns the input id of a neighbour of `row` on another shard that was visited at depth `depth`, or -1 if there is none.
 * Reads depths in the memory of other devices. Sets *l.bad to 1 if a neighbour does not exist on its shard. LOOKERS lanes of
 * the warp, the set `lanes`, call it together for one vertex, and all get the result. */
template <bool PACKED>
__device__ static inline int64_t look_along(const gpu_looking &l, uint32_t row, int depth, unsigned lanes)
{
    const uint64_t local_mask = ((uint64_t)1 << l.local_bits) - 1, length = row_length(l.nn, row);
    for (uint64_t first = 0; first < length; first += LOOKERS) {
        const uint64_t j = first + threadIdx.x % LOOKERS;
        const uint64_t to = j < length ? column_at<PACKED>(l.nn, row, j) : 0;
        const uint32_t owner = j < length ? (uint32_t)(to >> l.local_bits) : l.own_shard;
        const uint32_t vertex = (uint32_t)(to & local_mask);
        long long id = -1;
        if (owner != l.own_shard) {
            const gpu_shown &s = l.shown[owner];
            if (vertex >= s.locals)
                *l.bad = 1;
            else if (has_depth(s, vertex, depth))
                id = id_at(s.ids, l.id_bytes, vertex);
        }
        const unsigned found = __ballot_sync(lanes, id != -1);
        if (found != 0)
            return __shfl_sync(lanes, id, __ffs(found) - 1);
    }
    return -1;
}

/* Kernel, full grid, with LOOKERS lanes for each vertex in l.vertices: writes the vertex's parent to l.to. The parent is a
 * neighbour on another shard with the depth of the vertex - 1. If none is found, writes -1. PACKED: columns are packed. */
template <bool PACKED> __global__ static void __launch_bounds__(BLOCK) look_kernel(gpu_looking l)
{
    const unsigned lanes = ((1u << LOOKERS) - 1) << lane_id() / LOOKERS * LOOKERS;
    const gpu_shown own = l.shown[l.own_shard];
    for (uint64_t i = ((uint64_t)blockIdx.x * BLOCK + threadIdx.x) / LOOKERS; i < *l.count;
         i += (uint64_t)gridDim.x * (BLOCK / LOOKERS)) {
        const uint32_t row = l.vertices[i];
        const int depth = own.bytes != NULL ? own.bytes[row] - 1 : own.depth[row];
        const int64_t id = look_along<PACKED>(l, row, depth - 1, lanes);
        if (threadIdx.x % LOOKERS == 0)
            put_id(l.to, l.id_bytes, row, id);
    }
}

/* Finds parents in the memory of other devices. A delegate that this shard owns, and that has no parent, gets the parent of the
 * first shard that shows one, or -1. Then look_kernel looks for the parents of the listed local vertices. Does not wait. */
void cuda_look(const gpu_looking *looking, cudaStream_t stream)
{
    each(looking->delegates, stream, [=, l = *looking] __device__(uint64_t i) {
        const uint64_t place = l.shown[l.own_shard].locals + i;
        if (test_bit(l.not_owned, (uint32_t)i) || id_at(l.to, l.id_bytes, place) != -1)
            return;
        int64_t id = -1;
        for (uint32_t s = 0; s < l.p && id == -1; s++)
            id = s == l.own_shard ? -1 : id_at(l.shown[s].parents, l.id_bytes, i);
        put_id(l.to, l.id_bytes, place, id);
    });
    if (looking->nn.edges == 0)
        return;
    if (gpu_csr_is_packed(&looking->nn))
        look_kernel<true><<<cuda_full_grid(), BLOCK, 0, stream>>>(*looking);
    else
        look_kernel<false><<<cuda_full_grid(), BLOCK, 0, stream>>>(*looking);
}
