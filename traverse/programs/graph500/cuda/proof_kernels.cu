/* proof_kernels.cu: the kernels that prove trees (proof_kernels.h); twins in proof_loops.c and proof_cpu.c
 *
 * Edges take most of the time: a warp takes a row, and its lanes the edges. Rows come by descending degree. The first
 * LONG_ROWS rows may be those of hubs, so WARPS_OF_LONG warps share each of them. Bytes that must move for each edge: 4 or
 * 8 of the column, and 16 of the other end, which the cache has if the other end is a hub. */
#include "proof_kernels.h"
#include "traverse/cuda/device/cuda_common.cuh"

enum { LONG_ROWS = 4096, WARPS_OF_LONG = 64 };

/* ---- the first offence ---- */

/* Returns the state before the first offence, with the greatest key and other end. */
struct gpu_first gpu_no_offence(void)
{
    struct gpu_first first = {};
    first.key = ~0ull;
    first.other = INT64_MAX;
    return first;
}

/* Returns vertex and kind of an offence as one number, in the order of offence_comes_before. */
__device__ static inline unsigned long long key_of(const offence &found)
{
    return (unsigned long long)found.vertex << 4 | (unsigned long long)found.kind;
}

/* Returns whether the offence `found` comes before *first. Any thread may call it, with the lock or without. `other` is
 * read after `key`. Writers set `other` to its maximum before they change `key`, so `other` is never that of a later key. */
__device__ static bool may_be_first(const gpu_first *first, const offence &found)
{
    const unsigned long long key = *(const volatile unsigned long long *)&first->key;
    if (key_of(found) != key)
        return key_of(found) < key;
    __threadfence();
    return found.other < *(const volatile long long *)&first->other;
}

/* Replaces *first by the offence `found` if it comes before *first; does nothing for OFFENCE_NONE. Threads call it
 * independently, and write under a lock. */
__device__ static inline void note(gpu_first *first, const offence &found)
{
    if (found.kind == OFFENCE_NONE)
        return;
    while (may_be_first(first, found)) {
        if (atomicCAS(&first->lock, 0u, 1u) == 0) {
            __threadfence();
            if (may_be_first(first, found)) {
                *(volatile long long *)&first->other = INT64_MAX;
                __threadfence();
                *(volatile unsigned long long *)&first->key = key_of(found);
                __threadfence();
                *(volatile long long *)&first->other = found.other;
                first->offence = found;
            }
            __threadfence();
            atomicExch(&first->lock, 0u);
        }
    }
}

/* Sets bit i of a bitmap that threads share. */
__device__ static inline void set_bit(uint32_t *bitmap, uint64_t i)
{
    const uint32_t bit = 1u << (i % 32);
    if ((((volatile uint32_t *)bitmap)[i / 32] & bit) == 0)
        atomicOr(&bitmap[i / 32], bit);
}

/* ---- ends and claims ---- */

/* Writes the id and the depth of each vertex side by side. */
void cuda_write_ends(const void *ids, uint32_t id_bytes, const int32_t *depth, uint64_t count, vertex_end *end,
                     cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) { end[i] = vertex_end{id_at(ids, id_bytes, i), (int64_t)depth[i]}; });
}

/* Sets the bits of the listed values in a bitmap. */
void cuda_mark(const uint32_t *value, uint64_t count, uint32_t *bitmap, cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) {
        if (value[i] != VALUE_ELSEWHERE)
            set_bit(bitmap, value[i]);
    });
}

/* Reads the listed values, which are parents of id_bytes each, as claims. */
void cuda_gather_claims(const void *values, uint32_t id_bytes, const uint32_t *value, uint64_t count, int64_t *to,
                        cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) {
        to[i] = value[i] == VALUE_ELSEWHERE ? CLAIM_ELSEWHERE : id_at(values, id_bytes, value[i]);
    });
}

/* Copies the ends of the listed vertices. */
void cuda_gather_ends(const vertex_end *end, const uint32_t *number, uint64_t count, vertex_end *to, cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) { to[i] = end[number[i]]; });
}

/* ---- checks ---- */

/* Checks each vertex without its edges, a thread for each. */
void cuda_check_vertices(const proved_vertices *vertices, int64_t root, gpu_first *first, cudaStream_t stream)
{
    each(vertices->count, stream, [=, v = *vertices] __device__(uint64_t i) {
        note(first, offence_of_vertex(v.end[i], v.claim[i], root));
    });
}

/* Checks the values of vertices without edges, each as an unreached vertex, or as the root at depth 0. */
void cuda_check_isolated(const proved_values *values, int64_t root, gpu_first *first, cudaStream_t stream)
{
    each(values->count, stream, [=, v = *values] __device__(uint64_t i) {
        if (test_bit(v.has_edges, (uint32_t)i))
            return;
        const int64_t id = proved_id(&v, i), claim = id_at(v.claim, v.id_bytes, i);
        note(first, offence_of_vertex(vertex_end{id, id == root ? 0 : -1}, claim, root));
    });
}

/* Checks the edges of the rows `from` to `to` - 1. Each row is shared by `sharers` warps, whose lanes take an edge at a
 * time; columns on other shards are skipped. Sets the `met` bits of rows whose edges lead to their parents. */
__global__ static void __launch_bounds__(BLOCK)
    rows_kernel(gpu_proved_rows r, uint64_t from, uint64_t to, uint32_t sharers, gpu_first *first)
{
    const uint64_t local_mask = ((uint64_t)1 << r.local_bits) - 1;
    for (uint64_t w = ((uint64_t)blockIdx.x * BLOCK + threadIdx.x) / WARP; w < (to - from) * sharers;
         w += (uint64_t)gridDim.x * WARPS) {
        const uint64_t row = from + w / sharers;
        const uint64_t length = row_length(r.csr, (uint32_t)row);
        const vertex_end v = r.rows.end[row];
        const int64_t claim = r.rows.claim[row];
        bool met = false;
        for (uint64_t j = w % sharers * WARP + lane_id(); j < length; j += sharers * WARP) {
            const uint64_t column = column_at<false>(r.csr, (uint32_t)row, j);
            if (column >> r.local_bits != r.own_shard)
                continue;
            const vertex_end other = r.columns[column & local_mask];
            note(first, offence_of_edge(v, claim, other));
            met |= other.id == claim;
        }
        if (__any_sync(ALL_LANES, met) && lane_id() == 0)
            set_bit(r.rows.met, row);
    }
}

/* Checks all edges of a subgraph's rows: several warps take each of the first rows, and a warp each of the other rows. */
void cuda_check_rows(const gpu_proved_rows *r, gpu_first *first, cudaStream_t stream)
{
    const uint64_t rows = r->csr.rows, hubs = rows < LONG_ROWS ? rows : (uint64_t)LONG_ROWS;
    const int hub_blocks = blocks_for(hubs * WARPS_OF_LONG, WARPS), blocks = blocks_for(rows - hubs, WARPS);
    if (r->csr.edges == 0)
        return;
    rows_kernel<<<hub_blocks, BLOCK, 0, stream>>>(*r, 0, hubs, WARPS_OF_LONG, first);
    if (rows > hubs)
        rows_kernel<<<blocks, BLOCK, 0, stream>>>(*r, hubs, rows, 1, first);
}

/* Checks edges given one by one, a thread for each. Sets the `met` bits as cuda_check_rows does. */
void cuda_check_edges(const proved_vertices *vertices, const uint32_t *asker, const vertex_end *other, uint64_t count,
                      gpu_first *first, cudaStream_t stream)
{
    each(count, stream, [=, v = *vertices] __device__(uint64_t i) {
        const uint32_t at = asker[i];
        const int64_t claim = v.claim[at];
        note(first, offence_of_edge(v.end[at], claim, other[i]));
        if (other[i].id == claim)
            set_bit(v.met, at);
    });
}

/* Checks that the `met` bit of each reached vertex but the root is set. */
void cuda_check_parents(const proved_vertices *vertices, int64_t root, gpu_first *first, cudaStream_t stream)
{
    each(vertices->count, stream, [=, v = *vertices] __device__(uint64_t i) {
        note(first, offence_of_parent(v.end[i], v.claim[i], root, test_bit(v.met, (uint32_t)i)));
    });
}
