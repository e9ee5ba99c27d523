/* cuda_answers.cu: depths and parents in the order of input ids; see cuda_answers.h and its twin, cpu_answers.c
 *
 * Values are written by number of vertex first, which is sequential, and gathered by input id then. Bytes that
 * must move for each id: 4 of its vertex, 4 or 8 of the answer, and a sector of 32 for its value. Depths are
 * bytes where the search had few levels, so that all values of RMAT 26 lie in the cache. What is read or written
 * once goes past the cache.
 */
#include "cuda_answers.h"
#include "cuda_common.cuh"

enum { QUAD = 4 };

/* ---- by vertex ---- */

template <typename T>
__global__ static void __launch_bounds__(BLOCK) depths_kernel(gpu_vertices v, T *to)
{
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < v.count;
         i += (uint64_t)gridDim.x * BLOCK) {
        const int depth = test_bit(v.visited, (uint32_t)i) ? __ldcs(&v.depth[i]) : -1;
        to[i] = (T)(sizeof(T) == 1 ? depth + 1 : depth);
    }
}

void cuda_write_depths(const gpu_vertices *v, enum value_form form, void *to, cudaStream_t stream)
{
    if (v->count == 0)
        return;
    if (form == VALUE_BYTE)
        depths_kernel<<<blocks_for(v->count, BLOCK), BLOCK, 0, stream>>>(*v, (uint8_t *)to);
    else
        depths_kernel<<<blocks_for(v->count, BLOCK), BLOCK, 0, stream>>>(*v, (int32_t *)to);
}

template <typename Id>
__global__ static void __launch_bounds__(BLOCK) scatter_kernel(gpu_vertices v, const Id *ids, int32_t *to)
{
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < v.count;
         i += (uint64_t)gridDim.x * BLOCK) {
        if (test_bit(v.visited, (uint32_t)i))
            to[ids[i]] = __ldcs(&v.depth[i]);
    }
}

void cuda_scatter_depths(const gpu_vertices *v, const void *ids, uint32_t id_bytes, int32_t *to,
                         cudaStream_t stream)
{
    const int blocks = blocks_for(v->count, BLOCK);
    if (v->count == 0)
        return;
    if (id_bytes == 4)
        scatter_kernel<<<blocks, BLOCK, 0, stream>>>(*v, (const int32_t *)ids, to);
    else
        scatter_kernel<<<blocks, BLOCK, 0, stream>>>(*v, (const int64_t *)ids, to);
}

/* Appends the vertices of a warp's lanes that want it; one atomic. */
__device__ static inline void append_remote(const gpu_records &r, bool wants, uint32_t vertex)
{
    const unsigned lanes = __activemask(), mine = __ballot_sync(lanes, wants);
    if (!wants)
        return;
    const int leader = __ffs(mine) - 1;
    unsigned long long at = 0;
    if ((int)lane_id() == leader)
        at = atomicAdd(r.remote_count, (unsigned long long)__popc(mine));
    at = __shfl_sync(mine, at, leader);
    r.remote[at + __popc(mine & ((1u << lane_id()) - 1))] = vertex;
}

template <typename Id>
__global__ static void __launch_bounds__(BLOCK) parents_kernel(gpu_records r)
{
    const Id *ids = (const Id *)r.ids;
    Id *to = (Id *)r.to;
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < r.count;
         i += (uint64_t)gridDim.x * BLOCK) {
        const bool found = r.visited == NULL || test_bit(r.visited, (uint32_t)i);
        const uint32_t record = found ? __ldcs(&r.record[i]) : PARENT_NONE;
        Id id = -1;
        if (record < PARENT_SELF)
            id = ids[(record & PARENT_DELEGATE_BIT) != 0
                         ? r.locals + (record & ~PARENT_DELEGATE_BIT)
                         : record];
        else if (record == PARENT_SELF)
            id = ids[r.first + i];
        to[r.scatter ? (uint64_t)ids[r.first + i] : r.first + i] = id;
        if (r.remote != NULL)
            append_remote(r, record == PARENT_REMOTE, (uint32_t)i);
    }
}

void cuda_write_parents(const gpu_records *r, cudaStream_t stream)
{
    if (r->count == 0)
        return;
    if (r->id_bytes == 4)
        parents_kernel<int32_t><<<blocks_for(r->count, BLOCK), BLOCK, 0, stream>>>(*r);
    else
        parents_kernel<int64_t><<<blocks_for(r->count, BLOCK), BLOCK, 0, stream>>>(*r);
}

/* ---- by input id ---- */

template <typename From, typename To>
__device__ static inline To value_of(const From *by_vertex, uint32_t vertex)
{
    const From value = by_vertex[vertex];
    return sizeof(From) == 1 ? (To)value - 1 : (To)value;
}

/* A thread takes four ids at a time, so that four random reads are under way. */
template <typename From, typename To>
__global__ static void __launch_bounds__(BLOCK)
    gather_kernel(const uint32_t *vertex, uint64_t count, const From *by_vertex, To *to)
{
    const uint64_t quads = count / QUAD, thread = (uint64_t)blockIdx.x * BLOCK + threadIdx.x;
    for (uint64_t q = thread; q < quads; q += (uint64_t)gridDim.x * BLOCK) {
        const uint4 v = __ldcs((const uint4 *)vertex + q);
        const To a = value_of<From, To>(by_vertex, v.x), b = value_of<From, To>(by_vertex, v.y);
        const To c = value_of<From, To>(by_vertex, v.z), d = value_of<From, To>(by_vertex, v.w);
        if (sizeof(To) == 4) {
            __stcs((int4 *)to + q, make_int4((int)a, (int)b, (int)c, (int)d));
        } else {
            __stcs((longlong2 *)to + 2 * q, make_longlong2(a, b));
            __stcs((longlong2 *)to + 2 * q + 1, make_longlong2(c, d));
        }
    }
    for (uint64_t i = quads * QUAD + thread; i < count; i += (uint64_t)gridDim.x * BLOCK)
        to[i] = value_of<From, To>(by_vertex, vertex[i]);
}

void cuda_gather_values(const uint32_t *vertex, uint64_t count, enum value_form form,
                        const void *by_vertex, void *to, cudaStream_t stream)
{
    const int blocks = blocks_for(count, BLOCK * QUAD);
    if (count == 0)
        return;
    if (form == VALUE_BYTE)
        gather_kernel<<<blocks, BLOCK, 0, stream>>>(vertex, count, (const uint8_t *)by_vertex,
                                                   (int32_t *)to);
    else if (form == VALUE_32)
        gather_kernel<<<blocks, BLOCK, 0, stream>>>(vertex, count, (const int32_t *)by_vertex,
                                                   (int32_t *)to);
    else
        gather_kernel<<<blocks, BLOCK, 0, stream>>>(vertex, count, (const int64_t *)by_vertex,
                                                   (int64_t *)to);
}

/* ---- blocks ---- */

/* answer_stored_id of backend.h. */
__device__ static inline uint64_t stored_of(const struct bijection &b, uint64_t id)
{
    if (id >= b.n)
        return id;
    do {
        for (int r = 0; r < BIJECTION_ROUNDS; r++) {
            id = (id * b.multiplier[r] + b.addend[r]) & b.mask;
            id ^= id >> b.shift;
        }
    } while (id >= b.n);
    return id;
}

template <typename Value>
__global__ static void __launch_bounds__(BLOCK) assemble_kernel(gpu_assembly a)
{
    Value *to = (Value *)a.to;
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < a.count;
         i += (uint64_t)gridDim.x * BLOCK) {
        uint64_t stored = i, at = i / a.p; /* the first id of a block is a multiple of p */
        if (a.before != NULL) {
            stored = stored_of(a.bijection, a.first + i);
            at = __ldcs(&a.before[i]);
        }
        to[i] = ((const Value *)a.values[stored % a.p])[at];
    }
}

void cuda_assemble(const gpu_assembly *a, cudaStream_t stream)
{
    if (a->count == 0)
        return;
    if (a->width == 4)
        assemble_kernel<int32_t><<<blocks_for(a->count, BLOCK), BLOCK, 0, stream>>>(*a);
    else
        assemble_kernel<int64_t><<<blocks_for(a->count, BLOCK), BLOCK, 0, stream>>>(*a);
}
