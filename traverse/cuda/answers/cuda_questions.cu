/* cuda_questions.cu: parents that a device does not know itself; see cuda_answers.h and its twin, cpu_questions.c
 *
 * A warp takes a vertex, and its lanes the edges of the row. Lanes that ask the same shard share an
 * atomic. Bytes that must move for each edge to another shard: 4 or 8 of the column, 8 of the
 * question and 4 of the vertex that asks.
 */
#include "cuda_answers.h"
#include "traverse/cuda/cuda_common.cuh"

__device__ static inline void put_question(const gpu_asking &a, unsigned long long at, uint32_t row,
                                           uint32_t vertex)
{
    a.askers[at] = row;
    if (a.neighbours != NULL) {
        a.neighbours[at] = vertex;
    } else {
        a.questions[at].vertex = vertex;
        a.questions[at].depth = a.depth[row] - 1;
    }
}

template <bool PACKED>
__global__ static void __launch_bounds__(BLOCK) ask_kernel(gpu_asking a, int list)
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
            if (list)
                put_question(a, at, row, (uint32_t)(to & local_mask));
        }
        __syncwarp();
    }
}

void cuda_ask(const gpu_asking *a, int list, cudaStream_t stream)
{
    if (a->nn.edges == 0)
        return;
    if (gpu_csr_is_packed(&a->nn))
        ask_kernel<true><<<cuda_full_grid(), BLOCK, 0, stream>>>(*a, list);
    else
        ask_kernel<false><<<cuda_full_grid(), BLOCK, 0, stream>>>(*a, list);
}

template <typename Id>
__global__ static void __launch_bounds__(BLOCK) reply_kernel(gpu_replying r)
{
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < r.count;
         i += (uint64_t)gridDim.x * BLOCK) {
        const uint32_t vertex = r.questions[i].vertex;
        const int32_t depth = r.questions[i].depth;
        Id id = -1;
        if (vertex >= r.locals.count)
            *r.bad = 1;
        else if (test_bit(r.locals.visited, vertex) && r.locals.depth[vertex] == depth)
            id = ((const Id *)r.ids)[vertex];
        ((Id *)r.replies)[i] = id;
    }
}

void cuda_reply(const gpu_replying *r, cudaStream_t stream)
{
    if (r->count == 0)
        return;
    if (r->id_bytes == 4)
        reply_kernel<int32_t><<<blocks_for(r->count, BLOCK), BLOCK, 0, stream>>>(*r);
    else
        reply_kernel<int64_t><<<blocks_for(r->count, BLOCK), BLOCK, 0, stream>>>(*r);
}

/* Gives askers their parents. Any thread may be the last to write one: all replies are right. */
template <typename Id>
__global__ static void __launch_bounds__(BLOCK)
    take_kernel(const Id *replies, const uint32_t *askers, uint64_t count, Id *to)
{
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * BLOCK) {
        if (replies[i] != -1)
            to[askers[i]] = replies[i];
    }
}

void cuda_take_replies(const void *replies, const uint32_t *askers, uint64_t count,
                       uint32_t id_bytes, void *to, cudaStream_t stream)
{
    const int blocks = blocks_for(count, BLOCK);
    if (count == 0)
        return;
    if (id_bytes == 4)
        take_kernel<<<blocks, BLOCK, 0, stream>>>((const int32_t *)replies, askers, count,
                                                 (int32_t *)to);
    else
        take_kernel<<<blocks, BLOCK, 0, stream>>>((const int64_t *)replies, askers, count,
                                                 (int64_t *)to);
}

/* ---- looking ---- */

/* Threads that look for one vertex: most rows of nn are short, and a read of another device takes long. */
enum { LOOKERS = 8 };

/* The id of a vertex of another shard, if it has this depth, or -1. */
template <typename Id>
__device__ static inline Id id_at_depth(const gpu_shown &s, uint32_t vertex, int depth, unsigned int *bad)
{
    if (vertex >= s.locals) {
        *bad = 1;
        return -1;
    }
    const bool has = s.bytes != NULL ? s.bytes[vertex] == depth + 1
                                     : s.depth[vertex] == depth && test_bit(s.visited, vertex) != 0;
    return has ? ((const Id *)s.ids)[vertex] : -1;
}

template <typename Id, bool PACKED>
__device__ static inline Id look_along(const gpu_looking &l, uint32_t row, int depth, unsigned lanes)
{
    const uint64_t local_mask = ((uint64_t)1 << l.local_bits) - 1, length = row_length(l.nn, row);
    for (uint64_t first = 0; first < length; first += LOOKERS) {
        const uint64_t j = first + threadIdx.x % LOOKERS;
        const uint64_t to = j < length ? column_at<PACKED>(l.nn, row, j) : 0;
        const uint32_t owner = j < length ? (uint32_t)(to >> l.local_bits) : l.own_shard;
        Id id = -1;
        if (owner != l.own_shard)
            id = id_at_depth<Id>(l.shown[owner], (uint32_t)(to & local_mask), depth, l.bad);
        const unsigned found = __ballot_sync(lanes, id != -1);
        if (found != 0)
            return __shfl_sync(lanes, id, __ffs(found) - 1);
    }
    return -1;
}

template <typename Id, bool PACKED>
__global__ static void __launch_bounds__(BLOCK) look_kernel(gpu_looking l)
{
    const unsigned lanes = ((1u << LOOKERS) - 1) << lane_id() / LOOKERS * LOOKERS;
    const gpu_shown own = l.shown[l.own_shard];
    for (uint64_t i = ((uint64_t)blockIdx.x * BLOCK + threadIdx.x) / LOOKERS; i < *l.count;
         i += (uint64_t)gridDim.x * (BLOCK / LOOKERS)) {
        const uint32_t row = l.vertices[i];
        const int depth = own.bytes != NULL ? own.bytes[row] - 1 : own.depth[row];
        const Id id = look_along<Id, PACKED>(l, row, depth - 1, lanes);
        if (threadIdx.x % LOOKERS == 0)
            ((Id *)l.to)[row] = id;
    }
}

template <typename Id>
__global__ static void __launch_bounds__(BLOCK) look_for_delegates(gpu_looking l)
{
    Id *to = (Id *)l.to + l.shown[l.own_shard].locals;
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < l.delegates;
         i += (uint64_t)gridDim.x * BLOCK) {
        if (test_bit(l.not_owned, (uint32_t)i) || to[i] != -1)
            continue;
        Id id = -1;
        for (uint32_t s = 0; s < l.p && id == -1; s++)
            id = s == l.own_shard ? -1 : ((const Id *)l.shown[s].parents)[i];
        to[i] = id;
    }
}

template <typename Id>
static void look(const gpu_looking *l, cudaStream_t stream)
{
    const int grid = cuda_full_grid();
    if (l->delegates > 0)
        look_for_delegates<Id><<<blocks_for(l->delegates, BLOCK), BLOCK, 0, stream>>>(*l);
    if (l->nn.edges == 0)
        return;
    if (gpu_csr_is_packed(&l->nn))
        look_kernel<Id, true><<<grid, BLOCK, 0, stream>>>(*l);
    else
        look_kernel<Id, false><<<grid, BLOCK, 0, stream>>>(*l);
}

void cuda_look(const gpu_looking *l, cudaStream_t stream)
{
    if (l->id_bytes == 4)
        look<int32_t>(l, stream);
    else
        look<int64_t>(l, stream);
}

/* ---- delegates ---- */

template <typename Id>
__global__ static void __launch_bounds__(BLOCK)
    max_kernel(Id *to, gpu_id_arrays from, uint64_t count, int keep)
{
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * BLOCK) {
        Id largest = keep ? to[i] : -1;
        for (int k = 0; k < from.count; k++) {
            const Id id = ((const Id *)from.ids[k])[i];
            largest = id > largest ? id : largest;
        }
        to[i] = largest;
    }
}

void cuda_max_ids(void *to, const gpu_id_arrays *from, uint64_t count, uint32_t id_bytes, int keep,
                  cudaStream_t stream)
{
    const int blocks = blocks_for(count, BLOCK);
    if (count == 0)
        return;
    if (id_bytes == 4)
        max_kernel<<<blocks, BLOCK, 0, stream>>>((int32_t *)to, *from, count, keep);
    else
        max_kernel<<<blocks, BLOCK, 0, stream>>>((int64_t *)to, *from, count, keep);
}
