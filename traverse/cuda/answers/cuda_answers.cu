/* cuda_answers.cu: depths and parents in the order of input ids; see cuda_answers.h and its twin, cpu_answers.c
 *
 * Values are written by number of vertex first, which is sequential, and gathered by input id then. Bytes that must
 * move for each id: 4 of its vertex, 4 or 8 of the answer, and a sector of 32 for its value. Depths are bytes if the
 * search had few levels, so that all values of RMAT 26 lie in the cache. Arrays that are read or written once go
 * past the cache. With several devices the bytes for each id are those of the answer and a quarter byte of its
 * marks; for each vertex 4 of its number, and those of its value, which cross a link if another device has it.
 */
#include "cuda_answers.h"
#include "traverse/cuda/device/cuda_common.cuh"

enum { QUAD = 4 };

/* ---- by vertex ---- */

void cuda_write_depths(const gpu_vertices *vertices, enum value_form form, void *to, cudaStream_t stream)
{
    each(vertices->count, stream, [=, v = *vertices] __device__(uint64_t i) {
        const int depth = test_bit(v.visited, (uint32_t)i) ? __ldcs(&v.depth[i]) : -1;
        if (form == VALUE_BYTE)
            ((uint8_t *)to)[i] = (uint8_t)(depth + 1);
        else
            ((int32_t *)to)[i] = depth;
    });
}

void cuda_scatter_depths(const gpu_vertices *vertices, const void *ids, uint32_t id_bytes, int32_t *to, cudaStream_t stream)
{
    each(vertices->count, stream, [=, v = *vertices] __device__(uint64_t i) {
        if (test_bit(v.visited, (uint32_t)i))
            to[id_at(ids, id_bytes, i)] = __ldcs(&v.depth[i]);
    });
}

/* The parent of vertex i as an input id. */
__device__ static inline int64_t parent_of(const gpu_records &r, uint32_t record, uint64_t i)
{
    if (record == PARENT_SELF)
        return id_at(r.ids, r.id_bytes, r.first + i);
    if (record > PARENT_SELF)
        return -1;
    const bool is_delegate = (record & PARENT_DELEGATE_BIT) != 0;
    return id_at(r.ids, r.id_bytes, is_delegate ? r.locals + (record & ~PARENT_DELEGATE_BIT) : record);
}

void cuda_write_parents(const gpu_records *records, cudaStream_t stream)
{
    each(records->count, stream, [r = *records] __device__(uint64_t i) {
        const bool found = r.visited == NULL || test_bit(r.visited, (uint32_t)i);
        const uint32_t record = found ? __ldcs(&r.record[i]) : PARENT_NONE;
        const uint64_t place = r.scatter ? (uint64_t)id_at(r.ids, r.id_bytes, r.first + i) : r.first + i;
        put_id(r.to, r.id_bytes, place, parent_of(r, record, i));
        if (r.remote != NULL && record == PARENT_REMOTE)
            r.remote[reserve_for_lanes(__activemask(), r.remote_count)] = (uint32_t)i;
    });
}

/* ---- by input id ---- */

template <typename From, typename To>
__device__ static inline To value_of(const From *by_vertex, uint32_t vertex)
{
    const From value = by_vertex[vertex];
    return sizeof(From) < sizeof(To) ? (To)value - 1 : (To)value;
}

/* A block of threads takes neighbouring values, each thread four, so that their random reads are under way together. */
template <typename From, typename To>
__global__ static void __launch_bounds__(BLOCK)
    gather_kernel(const uint32_t *vertex, uint64_t count, const From *by_vertex, To *to)
{
    for (uint64_t first = (uint64_t)blockIdx.x * BLOCK * QUAD; first < count;
         first += (uint64_t)gridDim.x * BLOCK * QUAD) {
        uint32_t from[QUAD];
        To value[QUAD];
        const uint64_t own = first + threadIdx.x;
#pragma unroll
        for (int k = 0; k < QUAD; k++)
            from[k] = own + k * BLOCK < count ? __ldcs(&vertex[own + k * BLOCK]) : 0;
#pragma unroll
        for (int k = 0; k < QUAD; k++)
            value[k] = value_of<From, To>(by_vertex, from[k]);
#pragma unroll
        for (int k = 0; k < QUAD; k++) {
            if (own + k * BLOCK < count)
                __stcs(&to[own + k * BLOCK], value[k]);
        }
    }
}

void cuda_gather_values(const uint32_t *vertex, uint64_t count, enum value_form form, int stay_bytes,
                        const void *by_vertex, void *to, cudaStream_t stream)
{
    const int blocks = blocks_for(count, BLOCK * QUAD);
    if (count == 0)
        return;
    if (form == VALUE_BYTE && stay_bytes)
        gather_kernel<<<blocks, BLOCK, 0, stream>>>(vertex, count, (const uint8_t *)by_vertex, (uint8_t *)to);
    else if (form == VALUE_BYTE)
        gather_kernel<<<blocks, BLOCK, 0, stream>>>(vertex, count, (const uint8_t *)by_vertex, (int32_t *)to);
    else if (form == VALUE_32)
        gather_kernel<<<blocks, BLOCK, 0, stream>>>(vertex, count, (const int32_t *)by_vertex, (int32_t *)to);
    else
        gather_kernel<<<blocks, BLOCK, 0, stream>>>(vertex, count, (const int64_t *)by_vertex, (int64_t *)to);
}

void cuda_report_answer(volatile uint64_t *to, uint64_t value, cudaStream_t stream)
{
    each(1, stream, [=] __device__(uint64_t) { *to = value; });
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

/* id / p for ids below 2^48 and p below 2^16, from 2^64 / p rounded up. */
__device__ static inline uint64_t round_of(uint64_t id, uint64_t inverse)
{
    return __umul64hi(id, inverse);
}

/* An id of the block: its shard, and how many earlier ids of the block that shard owns. */
struct shard_id {
    uint32_t s, at;
};

/* Finds the shard of id number i of the block. */
__device__ static inline shard_id find_shard(const gpu_block_places &b, uint64_t inverse, uint64_t i)
{
    /* the first id of a block is a multiple of p */
    const uint64_t id = b.before != NULL ? stored_of(b.bijection, b.first + i) : i, round = round_of(id, inverse);
    return shard_id{(uint32_t)(id - round * b.p), b.before != NULL ? __ldcs(&b.before[i]) : (uint32_t)round};
}

/* The values that a shard has for the block. */
template <typename From>
struct shard_values {
    const id_marks *marks;
    const From *value;
    const uint32_t *vertex; /* for the own shard, whose values lie by number of vertex; or NULL */
};

template <typename From>
__device__ static inline shard_values<From> values_of(const gpu_assembly &a, uint32_t s)
{
    const gpu_block_places &b = a.places;
    return s == b.own ? shard_values<From>{b.marks + b.marks_of[s], (const From *)a.by_vertex, b.vertex}
                      : shard_values<From>{b.marks + b.marks_of[s], (const From *)a.values[s], NULL};
}

/* Reads the values of four ids, number at[k] of shard of[k]. Reads of one kind are under way
 * together, since the memory of another device answers late. */
template <typename From, typename To>
__device__ static inline void read_values(const shard_values<From> *of, const uint32_t *at, To *to)
{
    uint32_t place[QUAD];
    bool has_edges[QUAD];
    From value[QUAD];
#pragma unroll
    for (int k = 0; k < QUAD; k++) {
        const uint2 marks = ((const uint2 *)of[k].marks)[at[k] / 32]; /* bits, earlier */
        const uint32_t bit = 1u << (at[k] % 32);
        has_edges[k] = (marks.x & bit) != 0;
        place[k] = marks.y + __popc(marks.x & (bit - 1));
    }
#pragma unroll
    for (int k = 0; k < QUAD; k++) {
        if (has_edges[k] && of[k].vertex != NULL)
            place[k] = __ldcs(&of[k].vertex[place[k]]);
    }
#pragma unroll
    for (int k = 0; k < QUAD; k++) {
        value[k] = (From)(sizeof(From) == 1 ? 0 : -1);
        if (has_edges[k])
            value[k] = of[k].value[place[k]];
    }
#pragma unroll
    for (int k = 0; k < QUAD; k++)
        to[k] = sizeof(From) == 1 ? (To)value[k] - 1 : (To)value[k];
}

/* A thread takes four ids, as in gather_kernel; past the end it reads the last one. */
template <typename From, typename To>
__global__ static void __launch_bounds__(BLOCK) assemble_kernel(gpu_assembly a, uint64_t inverse)
{
    for (uint64_t first = (uint64_t)blockIdx.x * BLOCK * QUAD; first < a.places.count;
         first += (uint64_t)gridDim.x * BLOCK * QUAD) {
        shard_values<From> of[QUAD];
        uint32_t at[QUAD];
        To value[QUAD];
        const uint64_t own = first + threadIdx.x;
#pragma unroll
        for (int k = 0; k < QUAD; k++) {
            const shard_id id = find_shard(a.places, inverse, min(own + k * BLOCK, a.places.count - 1));
            of[k] = values_of<From>(a, id.s);
            at[k] = id.at;
        }
        read_values<From, To>(of, at, value);
#pragma unroll
        for (int k = 0; k < QUAD; k++) {
            if (own + k * BLOCK < a.places.count)
                __stcs((To *)a.to + own + k * BLOCK, value[k]);
        }
    }
}

template <typename From, typename To>
static void assemble(const gpu_assembly &a, cudaStream_t stream)
{
    const int blocks = blocks_for(a.places.count, BLOCK * QUAD);
    assemble_kernel<From, To><<<blocks, BLOCK, 0, stream>>>(a, UINT64_MAX / a.places.p + 1);
}

void cuda_assemble(const gpu_assembly *a, cudaStream_t stream)
{
    if (a->places.count == 0)
        return;
    if (a->form == VALUE_BYTE)
        assemble<uint8_t, int32_t>(*a, stream);
    else if (a->form == VALUE_32)
        assemble<int32_t, int32_t>(*a, stream);
    else
        assemble<int64_t, int64_t>(*a, stream);
}
