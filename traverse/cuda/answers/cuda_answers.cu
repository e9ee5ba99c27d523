/* cuda_answers.cu: kernels that turn depths and parents of vertices into the values of an answer; see cuda_answers.h.
 * cpu_answers.c does the same on a CPU.
 *
 * An answer that is gathered is made in two steps. First the value of each vertex is written by number of vertex, which is
 * sequential. Then the values are gathered in the order of the answer. Bytes that must move for each value: 4 of the vertex
 * number, 4 or 8 of the answer, and a sector of 32 that has the value. Depths are written as bytes if the search had few
 * levels, so that all values of RMAT 26 lie in the cache. Arrays that are read or written once bypass the cache.
 */
#include "cuda_answers.h"
#include "traverse/cuda/device/cuda_common.cuh"

/* Values that a thread gathers at the same time. */
enum { QUAD = 4 };

/* ---- by vertex ---- */

/* Writes the depths of all vertices of one kind to to[], by number of vertex, with one thread for each vertex. In the form
 * VALUE_BYTE to[i] becomes depth + 1, or 0 if vertex i was not visited. In the form VALUE_32 to[i] becomes the depth, or -1.
 * Does not wait. */
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

/* Writes the depth of each visited vertex of one kind to to[], at the index of its input id, with one thread for each
 * vertex. Values of other vertices stay as they are. Does not wait. */
void cuda_scatter_depths(const gpu_vertices *vertices, const void *ids, uint32_t id_bytes, int32_t *to, cudaStream_t stream)
{
    each(vertices->count, stream, [=, v = *vertices] __device__(uint64_t i) {
        if (test_bit(v.visited, (uint32_t)i))
            to[id_at(ids, id_bytes, i)] = __ldcs(&v.depth[i]);
    });
}

/* Returns the input id of the parent that `record` stands for, or -1 if there is no parent or the parent is on another
 * device. A thread calls it for vertex number r.first + i, which is its own parent if it is the root. */
__device__ static inline int64_t parent_of(const gpu_records &r, uint32_t record, uint64_t i)
{
    if (record == PARENT_SELF)
        return id_at(r.ids, r.id_bytes, r.first + i);
    if (record > PARENT_SELF)
        return -1;
    const bool is_delegate = (record & PARENT_DELEGATE_BIT) != 0;
    return id_at(r.ids, r.id_bytes, is_delegate ? r.locals + (record & ~PARENT_DELEGATE_BIT) : record);
}

/* Writes the recorded parents of one kind of vertices as input ids to r.to, with one thread for each record. The value is -1
 * if the device has recorded no parent, or if the parent is on another device. A vertex with a parent on another device is
 * appended to the list r.remote, unless that is NULL; *r.remote_count is the length of the list. Does not wait. */
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

/* Kernel, any grid: to[i] becomes the value of vertex number vertex[i], which is by_vertex[vertex[i]], for i < count. A byte
 * in by_vertex has depth + 1, so 1 is subtracted. Each block takes BLOCK * QUAD neighbouring values, and each thread takes
 * QUAD of them, so that the random reads of a thread overlap. */
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

/* Sets to[i] to the value of vertex number vertex[i], for i < count: launches the gather kernel for values of this form in
 * by_vertex. Launches nothing for 0 values. Does not wait. */
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

/* Writes `value` to *to, in mapped memory of the host, when all launches before it on the stream are over: launches one
 * thread. Does not wait. */
void cuda_report_answer(volatile uint64_t *to, uint64_t value, cudaStream_t stream)
{
    each(1, stream, [=] __device__(uint64_t) { *to = value; });
}

/* ---- windows ---- */

/* Lists the values that this device has of the window of permuted input ids, with one thread for each id of the window. A
 * thread whose id belongs to the own shard appends the value to listing.to and the index of the id in the window to
 * listing.index, and counts it in *listing.listed. T is the type of a value. */
template <typename T> static void list_values(const gpu_listing &listing, cudaStream_t stream)
{
    const uint64_t inverse = UINT64_MAX / listing.p + 1; /* 2^64 / p, rounded up: divides by p (slot_by_inverse) */
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

/* Lists the values that this device has of a window of ids (list_values), for values of 4 or 8 bytes. Does not wait. */
void cuda_list_values(const gpu_listing *listing, cudaStream_t stream)
{
    if (listing->width == 4)
        list_values<int32_t>(*listing, stream);
    else
        list_values<int64_t>(*listing, stream);
}
