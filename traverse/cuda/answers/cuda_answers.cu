/* cuda_answers.cu: kernels that turn depths and parents of vertices into the values of an answer (cuda_answers.h)
 *
 * The twin on a CPU is cpu_answers.c. A gathered answer is made in two steps. First the value of each vertex is written to an array in
 * the order of vertex numbers. Then each value of the answer is read from this array, in the order of the answer. The second step
 * moves for each value 4 bytes of the vertex number, 4 or 8 of the answer, and the sector of 32 bytes that has the value. Depths are
 * bytes in the array if the search had few levels, so that all values of RMAT 26 lie in the cache. Arrays that are read or written
 * only once bypass the cache.
 */
#include "cuda_answers.h"
#include "traverse/cuda/device/cuda_common.cuh"

/* The number of values that a thread gathers at the same time. */
enum { QUAD = 4 };

/* ---- by vertex ---- */

/* Writes the depths of all vertices of one kind to to[], by vertex: as bytes of depth + 1, or 0 if not visited (VALUE_BYTE), or
 * as int32, -1 if not visited (VALUE_32). One thread writes one depth. Does not wait. */
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

/* Writes the depth of each visited vertex of one kind to to[], at the index of its input id. Other values stay. Does not wait. */
void cuda_scatter_depths(const gpu_vertices *vertices, const void *ids, uint32_t id_bytes, int32_t *to, cudaStream_t stream)
{
    each(vertices->count, stream, [=, v = *vertices] __device__(uint64_t i) {
        if (test_bit(v.visited, (uint32_t)i))
            to[id_at(ids, id_bytes, i)] = __ldcs(&v.depth[i]);
    });
}

/* Writes the recorded parents of one kind of vertices as input ids, or -1 for a vertex without one, or with a parent on another
 * device. Vertices with a parent on another device are also appended to records->with_remote_parent, unless that is NULL, and
 * *records->remote_count becomes the length of this list. Does not wait. */
void cuda_write_parents(const gpu_records *records, cudaStream_t stream)
{
    each(records->count, stream, [r = *records] __device__(uint64_t i) {
        const bool found = r.visited == NULL || test_bit(r.visited, (uint32_t)i);
        const uint32_t record = found ? __ldcs(&r.record[i]) : PARENT_NONE;
        const uint64_t place = r.scatter ? (uint64_t)id_at(r.ids, r.id_bytes, r.first + i) : r.first + i;
        put_id(r.to, r.id_bytes, place, record > PARENT_SELF ? -1 : id_at(r.ids, r.id_bytes, parent_number(record, r.first + i, r.locals)));
        if (r.with_remote_parent != NULL && record == PARENT_REMOTE)
            r.with_remote_parent[reserve_for_lanes(__activemask(), r.remote_count)] = (uint32_t)i;
    });
}

/* ---- values ---- */

/* Kernel, any grid: sets to[i], for i < count, to by_vertex[vertex[i]]. Bytes in by_vertex are depth + 1, so 1 is subtracted.
 * Each thread gathers QUAD values at a time, so that its random reads overlap. */
template <typename From, typename To>
__global__ static void __launch_bounds__(BLOCK)
    gather_kernel(const uint32_t *vertex, uint64_t count, const From *by_vertex, To *to)
{
    const To added = sizeof(From) == 1 ? 1 : 0;
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
            value[k] = (To)by_vertex[from[k]] - added;
#pragma unroll
        for (int k = 0; k < QUAD; k++) {
            if (own + k * BLOCK < count)
                __stcs(&to[own + k * BLOCK], value[k]);
        }
    }
}

/* Sets to[i], for i < count, to the element of by_vertex for vertex vertex[i]. `form` is the type of elements. Does not wait. */
void cuda_gather_values(const uint32_t *vertex, uint64_t count, enum value_form form, const void *by_vertex, void *to,
                        cudaStream_t stream)
{
    const int blocks = blocks_for(count, BLOCK * QUAD);
    if (count == 0)
        return;
    if (form == VALUE_BYTE)
        gather_kernel<<<blocks, BLOCK, 0, stream>>>(vertex, count, (const uint8_t *)by_vertex, (int32_t *)to);
    else if (form == VALUE_32)
        gather_kernel<<<blocks, BLOCK, 0, stream>>>(vertex, count, (const int32_t *)by_vertex, (int32_t *)to);
    else
        gather_kernel<<<blocks, BLOCK, 0, stream>>>(vertex, count, (const int64_t *)by_vertex, (int64_t *)to);
}

/* Writes `value` to *to, in mapped memory of the host, when all earlier launches on the stream are over. Does not wait. */
void cuda_report_answer(volatile uint64_t *to, uint64_t value, cudaStream_t stream)
{
    each(1, stream, [=] __device__(uint64_t) { *to = value; });
}

/* ---- windows ---- */

/* Returns a value of a list, of type To. A depth that type To does not hold becomes the largest that it holds (narrow_depths). */
template <typename To, typename From> __device__ static inline To narrowed(From value)
{
    const From most = sizeof(To) < sizeof(From) ? (From)1 << (8 * sizeof(To) - 1) : 0;
    return (To)(sizeof(To) < sizeof(From) && value >= most ? most - 1 : value);
}

/* Writes `count` depths to `to`, as integers of `width` bytes, 1 or 2; deeper ones become the largest (narrowed). `to` does not overlap
 * `depth`. Does not wait. */
void cuda_narrow_depths(const int32_t *depth, uint64_t count, uint32_t width, void *to, cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) {
        if (width == 1)
            ((int8_t *)to)[i] = narrowed<int8_t>(depth[i]);
        else
            ((int16_t *)to)[i] = narrowed<int16_t>(depth[i]);
    });
}

/* Kernel, any grid: lists the values that this device has of a window of permuted input ids. A block of BLOCK threads does a block
 * of the window at a time: it counts the ids of the own shard, and reserves places for them. `inverse` divides by p
 * (slot_by_inverse). */
template <typename From, typename To>
__global__ static void __launch_bounds__(BLOCK) list_values_kernel(gpu_listing l, uint64_t inverse)
{
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < l.count; base += (uint64_t)gridDim.x * BLOCK) {
        const uint64_t i = base + threadIdx.x, id = l.first + i;
        const uint64_t stored = i < l.count && id < l.bijection.n ? bijection_forward(&l.bijection, id) : id;
        const uint64_t slot = __umul64hi(stored, inverse);
        const unsigned own = i < l.count && stored - slot * l.p == l.own_shard;
        unsigned total, before = block_prefix(own, &total);
        const unsigned long long first = reserve(total, l.listed);
        if (threadIdx.x == 0)
            l.blocks[base / BLOCK] = list_block{(uint32_t)first, total};
        if (own) {
            l.index[first + before] = (uint8_t)threadIdx.x;
            ((To *)l.to)[first + before] = narrowed<To>(((const From *)l.values)[slot]);
        }
        __syncthreads(); /* all threads have read the place before reserve() writes the next place */
    }
}

/* Lists the values, of listing->width bytes, that this device has of a window of permuted input ids. Does not wait. */
void cuda_list_values(const gpu_listing *listing, cudaStream_t stream)
{
    static_assert((int)LIST_BLOCK == (int)BLOCK, "a block of threads does a block of the window");
    const gpu_listing l = *listing;
    const uint64_t inverse = UINT64_MAX / l.p + 1; /* 2^64 / p, rounded up */
    const int blocks = blocks_for(l.count, BLOCK);
    if (l.count == 0)
        return;
    if (l.width == 1)
        list_values_kernel<int32_t, int8_t><<<blocks, BLOCK, 0, stream>>>(l, inverse);
    else if (l.width == 2)
        list_values_kernel<int32_t, int16_t><<<blocks, BLOCK, 0, stream>>>(l, inverse);
    else if (l.width == 4)
        list_values_kernel<int32_t, int32_t><<<blocks, BLOCK, 0, stream>>>(l, inverse);
    else
        list_values_kernel<int64_t, int64_t><<<blocks, BLOCK, 0, stream>>>(l, inverse);
}
