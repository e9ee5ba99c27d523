/* proof_kernels.cu: the kernels that prove trees on a GPU (proof_kernels.h), as proof_loops.c and proof_cpu.c do on a CPU
 *
 * The checks of edges take most of the time. A warp checks a row, and its lanes share the edges. Rows are sorted by
 * descending degree. The first LONG_ROWS rows may be the rows of hubs, so WARPS_OF_LONG warps share each of them. Memory
 * traffic for each edge: 4 or 8 bytes of the column, and 16 bytes of the other end, which is in the cache if it is a hub. */
#include "proof_kernels.h"
#include "traverse/cuda/device/cuda_common.cuh"

/* LONG_ROWS: number of rows at the front that count as long. WARPS_OF_LONG: number of warps that share a long row. */
enum { LONG_ROWS = 4096, WARPS_OF_LONG = 64 };

/* ---- the first offence ---- */

/* Returns the state before any offence is found. `key` and `other` have their greatest values, so every offence is
 * earlier. */
struct gpu_first gpu_no_offence(void)
{
    struct gpu_first first = {};
    first.key = ~0ull;
    first.other = INT64_MAX;
    return first;
}

/* Returns the vertex and the kind of an offence as one number. offence_comes_before orders offences by this number, and those
 * with the same number by the other end. */
__device__ static inline unsigned long long key_of(const offence &found)
{
    return (unsigned long long)found.vertex << 4 | (unsigned long long)found.kind;
}

/* Returns whether the offence `found` comes before *first: by `key`, and if the keys are the same, by `other`. May be
 * called with or without the lock.
 *
 * Without the lock, another thread may be writing *first. A result `false` is still right, because *first only moves to
 * earlier offences. A result `true` may be outdated, so the caller tests again with the lock. A writer sets `other` to
 * INT64_MAX before it changes `key`, and `key` is read first here. So the new key is never compared with the old `other`,
 * which may be smaller than the new one. */
__device__ static bool is_earlier(const gpu_first *first, const offence &found)
{
    const unsigned long long key = *(const volatile unsigned long long *)&first->key;
    if (key_of(found) != key)
        return key_of(found) < key;
    __threadfence();
    return found.other < *(const volatile long long *)&first->other;
}

/* Sets *first to `found` if this is an offence that comes before *first. Any threads may call it at once: a thread with an
 * earlier offence tries to get the lock, and then tests again, until `found` does not come before *first any more. */
__device__ static inline void keep_earlier(gpu_first *first, const offence &found)
{
    if (found.kind == OFFENCE_NONE)
        return;
    while (is_earlier(first, found)) {
        if (atomicCAS(&first->lock, 0u, 1u) == 0) {
            __threadfence();
            if (is_earlier(first, found)) {
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

/* Sets bit i of a bitmap that threads share. Reads the bit first, and writes only if the bit is not set. */
__device__ static inline void set_bit(uint32_t *bitmap, uint64_t i)
{
    const uint32_t bit = 1u << (i % 32);
    if ((((volatile uint32_t *)bitmap)[i / 32] & bit) == 0)
        atomicOr(&bitmap[i / 32], bit);
}

/* ---- ends and claims ---- */

/* Launches a kernel that sets end[i] to the id and the depth of vertex i, for `count` vertices. */
void cuda_write_ends(const void *ids, uint32_t id_bytes, const int32_t *depth, uint64_t count, vertex_end *end,
                     cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) { end[i] = vertex_end{id_at(ids, id_bytes, i), (int64_t)depth[i]}; });
}

/* Launches a kernel that sets bit value_index[i] of a bitmap, for `count` entries of `value_index`. Skips VALUE_ELSEWHERE. */
void cuda_mark(const uint32_t *value_index, uint64_t count, uint32_t *bitmap, cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) {
        if (value_index[i] != VALUE_ELSEWHERE)
            set_bit(bitmap, value_index[i]);
    });
}

/* Launches a kernel that sets to[i] to the parent values[value_index[i]], which has id_bytes bytes, for `count` entries of
 * `value_index`. If value_index[i] is VALUE_ELSEWHERE, because another device has the value, to[i] becomes CLAIM_ELSEWHERE. */
void cuda_gather_claims(const void *values, uint32_t id_bytes, const uint32_t *value_index, uint64_t count, int64_t *to,
                        cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) {
        to[i] = value_index[i] == VALUE_ELSEWHERE ? CLAIM_ELSEWHERE : id_at(values, id_bytes, value_index[i]);
    });
}

/* Launches a kernel that copies end[number[i]] to to[i], for `count` entries of `number`. */
void cuda_gather_ends(const vertex_end *end, const uint32_t *number, uint64_t count, vertex_end *to, cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) { to[i] = end[number[i]]; });
}

/* ---- checks ---- */

/* Launches a kernel that checks the depth and the parent of each vertex, but not the edges. Each vertex has a thread. */
void cuda_check_vertices(const proved_vertices *vertices, int64_t root, gpu_first *first, cudaStream_t stream)
{
    each(vertices->count, stream, [=, v = *vertices] __device__(uint64_t i) {
        keep_earlier(first, offence_of_vertex(v.end[i], v.claim[i], root));
    });
}

/* Launches a kernel that checks the values of vertices without edges, with a thread for each value. The search has no
 * depths of these vertices. So the root counts as reached at depth 0, and each of the others as unreached. */
void cuda_check_isolated(const proved_values *values, int64_t root, gpu_first *first, cudaStream_t stream)
{
    each(values->count, stream, [=, v = *values] __device__(uint64_t i) {
        if (test_bit(v.has_edges, (uint32_t)i))
            return;
        const int64_t id = proved_id(&v, i), claim = id_at(v.claim, v.id_bytes, i);
        keep_earlier(first, offence_of_vertex(vertex_end{id, id == root ? 0 : -1}, claim, root));
    });
}

/* Checks the edges of the rows `from` to `to` - 1. `sharers` warps share a row, and each of their lanes checks one edge at
 * a time. Skips columns on other shards. Sets the `parent_seen` bits of rows with an edge to their parents. *first becomes the
 * earliest of *first and the offences found. */
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
        bool parent_seen = false;
        for (uint64_t j = w % sharers * WARP + lane_id(); j < length; j += sharers * WARP) {
            const uint64_t column = column_at<false>(r.csr, (uint32_t)row, j);
            if (column >> r.local_bits != r.own_shard)
                continue;
            const vertex_end other = r.columns[column & local_mask];
            keep_earlier(first, offence_of_edge(v, claim, other));
            parent_seen |= other.id == claim;
        }
        if (__any_sync(ALL_LANES, parent_seen) && lane_id() == 0)
            set_bit(r.rows.parent_seen, row);
    }
}

/* Launches kernels that check the edges of all rows of a subgraph, except edges to other shards. *first becomes the earliest
 * offence, and vertices with an edge to their parents get their `parent_seen` bits. A row has one warp, but WARPS_OF_LONG if it is
 * among the first LONG_ROWS. */
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

/* Launches a kernel that checks `count` edges that are given one by one, with a thread for each: edge i leads from vertex
 * asker[i] to other[i]. Sets the `parent_seen` bits of vertices with an edge to their parents. */
void cuda_check_edges(const proved_vertices *vertices, const uint32_t *asker, const vertex_end *other, uint64_t count,
                      gpu_first *first, cudaStream_t stream)
{
    each(count, stream, [=, v = *vertices] __device__(uint64_t i) {
        const uint32_t at = asker[i];
        const int64_t claim = v.claim[at];
        keep_earlier(first, offence_of_edge(v.end[at], claim, other[i]));
        if (other[i].id == claim)
            set_bit(v.parent_seen, at);
    });
}

/* Launches a kernel that checks that each reached vertex except the root has an edge to its parent, after all edges were
 * checked. */
void cuda_check_parents(const proved_vertices *vertices, int64_t root, gpu_first *first, cudaStream_t stream)
{
    each(vertices->count, stream, [=, v = *vertices] __device__(uint64_t i) {
        keep_earlier(first, offence_of_parent(v.end[i], v.claim[i], root, test_bit(v.parent_seen, (uint32_t)i)));
    });
}
