/* cuda_answers.cu: depths and parents as the values of an answer; see cuda_answers.h and its twin, cpu_answers.c
 *
 * Values are written by number of vertex first, which is sequential, and gathered in their order then. Bytes that must
 * move for each: 4 of its vertex, 4 or 8 of the answer, and a sector of 32 for its value. Depths are bytes if the
 * search had few levels, so that all values of RMAT 26 lie in the cache. Arrays that are read or written once go
 * past the cache.
 */
#include "cuda_answers.h"
#include "traverse/cuda/device/cuda_common.cuh"

/* Values that a thread gathers at a time. */
enum { QUAD = 4 };

/* ---- by vertex ---- */

/* Launches one thread for each vertex: to[i] becomes the depth of vertex i, or depth + 1 in a byte; -1, or 0 in a
 * byte, if the vertex was not visited. */
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

/* Launches one thread for each vertex: writes the depth of a visited vertex to the index of its input id. */
void cuda_scatter_depths(const gpu_vertices *vertices, const void *ids, uint32_t id_bytes, int32_t *to, cudaStream_t stream)
{
    each(vertices->count, stream, [=, v = *vertices] __device__(uint64_t i) {
        if (test_bit(v.visited, (uint32_t)i))
            to[id_at(ids, id_bytes, i)] = __ldcs(&v.depth[i]);
    });
}

/* Called by each thread for its vertex: returns the input id of the parent that `record` stands for, or -1 if
 * there is none or it is on another device. `i` counts from r.first. */
__device__ static inline int64_t parent_of(const gpu_records &r, uint32_t record, uint64_t i)
{
    if (record == PARENT_SELF)
        return id_at(r.ids, r.id_bytes, r.first + i);
    if (record > PARENT_SELF)
        return -1;
    const bool is_delegate = (record & PARENT_DELEGATE_BIT) != 0;
    return id_at(r.ids, r.id_bytes, is_delegate ? r.locals + (record & ~PARENT_DELEGATE_BIT) : record);
}

/* Launches one thread for each record: writes the parent as an input id, and appends a vertex whose parent is on
 * another device to the list r.remote. */
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

/* ---- values ---- */

/* Kernel, any grid: to[i] becomes the value of vertex[i] in by_vertex, for i < count. A byte in by_vertex holds depth + 1.
 * Each block takes BLOCK * QUAD neighbouring values, and each thread QUAD of them, so that the random reads of a thread
 * overlap. */
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

/* Launches the gather kernel that suits `form` over `count` values. Launches nothing for 0 values. */
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

/* Launches a single thread that writes `value` to *to, in mapped memory of the host. */
void cuda_report_answer(volatile uint64_t *to, uint64_t value, cudaStream_t stream)
{
    each(1, stream, [=] __device__(uint64_t) { *to = value; });
}

/* ---- windows ---- */

/* Launches one thread for each of the listed ids: a thread whose id belongs to the own shard appends the value,
 * and the index of the id in the window, to the list. T is the type of a value. */
template <typename T> static void list_values(const gpu_listing &listing, cudaStream_t stream)
{
    const uint64_t inverse = UINT64_MAX / listing.p + 1; /* divides by p, as in slot_by_inverse of partition.h */
    each(listing.count, stream, [=, l = listing] __device__(uint64_t i) {
        const uint64_t id = l.first + i, stored = id < l.bijection.n ? bijection_forward(&l.bijection, id) : id;
        const uint64_t slot = __umul64hi(stored, inverse);
        if (stored - slot * l.p != l.own_shard)
            return;
        const unsigned long long at = reserve_for_lanes(__activemask(), l.listed);
        l.index[at] = (uint32_t)i;
        ((T *)l.to)[at] = ((const T *)l.values)[slot];
    });
}

/* Launches the listing kernel for values of 4 or 8 bytes. */
void cuda_list_values(const gpu_listing *listing, cudaStream_t stream)
{
    if (listing->width == 4)
        list_values<int32_t>(*listing, stream);
    else
        list_values<int64_t>(*listing, stream);
}
