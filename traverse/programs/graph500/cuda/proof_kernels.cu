/* proof_kernels.cu: proves trees on a GPU; see proof_kernels.h and its twins, proof_loops.c and proof_cpu.c
 *
 * Edges take most of the time: a warp takes a row, and its lanes the edges. Rows come by descending degree, so
 * SLICES warps share each of the first LONG_ROWS, which may be hubs. Bytes that must move for each edge: 4 or 8 of
 * the column, and 16 of the other end, which the cache has if that is a hub. */
#include "proof_kernels.h"
#include "traverse/cuda/device/cuda_common.cuh"

enum { LONG_ROWS = 4096, SLICES = 64 };

/* ---- the first offence ---- */

struct gpu_first gpu_no_offence(void)
{
    struct gpu_first first = {};
    first.place = ~0ull;
    first.other = INT64_MAX;
    return first;
}

/* Returns vertex and kind of an offence as one number, in the order of offence_comes_before. */
__device__ static inline unsigned long long place_of(const offence &o)
{
    return (unsigned long long)o.vertex << 4 | (unsigned long long)o.kind;
}

/* Returns whether offence o comes before *first. Any thread may call it, with the lock or without. `other` is read
 * after `place`, so it is never the `other` of a later place: write_first guarantees this. */
__device__ static bool may_be_first(const gpu_first *first, const offence &o)
{
    const unsigned long long place = *(const volatile unsigned long long *)&first->place;
    if (place_of(o) != place)
        return place_of(o) < place;
    __threadfence();
    return o.other < *(const volatile long long *)&first->other;
}

/* Writes offence o to *first. The calling thread has the lock. `other` is set to its maximum before `place` changes. */
__device__ static void write_first(gpu_first *first, const offence &o)
{
    *(volatile long long *)&first->other = INT64_MAX;
    __threadfence();
    *(volatile unsigned long long *)&first->place = place_of(o);
    __threadfence();
    *(volatile long long *)&first->other = o.other;
    first->offence = o;
}

/* Replaces *first by offence o if o comes before it; does nothing for OFFENCE_NONE. Each thread calls it by itself. */
__device__ static inline void note(gpu_first *first, const offence &o)
{
    if (o.kind == OFFENCE_NONE)
        return;
    while (may_be_first(first, o)) {
        if (atomicCAS(&first->lock, 0u, 1u) == 0) {
            __threadfence();
            if (may_be_first(first, o))
                write_first(first, o);
            __threadfence();
            atomicExch(&first->lock, 0u);
        }
    }
}

/* Sets bit i of a mask that threads share. */
__device__ static inline void mark_bit(uint32_t *mask, uint64_t i)
{
    const uint32_t bit = 1u << (i % 32);
    if ((((volatile uint32_t *)mask)[i / 32] & bit) == 0)
        atomicOr(&mask[i / 32], bit);
}

/* ---- ends and claims ---- */

void cuda_write_ends(const void *ids, uint32_t id_bytes, const int32_t *depth, uint64_t count, vertex_end *end,
                     cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) { end[i] = vertex_end{id_at(ids, id_bytes, i), (int64_t)depth[i]}; });
}

void cuda_mark(const uint32_t *place, uint64_t count, uint32_t *mask, cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) {
        if (place[i] != PLACE_ELSEWHERE)
            mark_bit(mask, place[i]);
    });
}

void cuda_gather_claims(const void *claims, uint32_t id_bytes, const uint32_t *place, uint64_t count, int64_t *to,
                        cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) {
        to[i] = place[i] == PLACE_ELSEWHERE ? CLAIM_ELSEWHERE : id_at(claims, id_bytes, place[i]);
    });
}

void cuda_gather_ends(const vertex_end *end, const uint32_t *number, uint64_t count, vertex_end *to, cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) { to[i] = end[number[i]]; });
}

/* ---- vertices ---- */

void cuda_check_vertices(const proved_vertices *vertices, int64_t root, gpu_first *first, cudaStream_t stream)
{
    each(vertices->count, stream, [=, v = *vertices] __device__(uint64_t i) {
        note(first, offence_of_vertex(v.end[i], v.claim[i], root));
    });
}

void cuda_check_isolated(const proved_values *values, int64_t root, gpu_first *first, cudaStream_t stream)
{
    each(values->count, stream, [=, v = *values] __device__(uint64_t i) {
        if (test_bit(v.has_edges, (uint32_t)i))
            return;
        const int64_t id = proved_id(&v, i), claim = id_at(v.claim, v.id_bytes, i);
        note(first, offence_of_vertex(vertex_end{id, id == root ? 0 : -1}, claim, root));
    });
}

/* ---- edges ---- */

/* Checks the edges of the rows `from` to `to` - 1. Each row is shared by `slices` warps, whose lanes take an edge at
 * a time; columns on other shards are skipped. Marks rows whose edges lead to their parents. */
__global__ static void __launch_bounds__(BLOCK)
    rows_kernel(gpu_proved_rows r, uint64_t from, uint64_t to, uint32_t slices, gpu_first *first)
{
    const uint64_t local_mask = ((uint64_t)1 << r.local_bits) - 1;
    for (uint64_t w = ((uint64_t)blockIdx.x * BLOCK + threadIdx.x) / WARP; w < (to - from) * slices;
         w += (uint64_t)gridDim.x * WARPS) {
        const uint64_t row = from + w / slices;
        const uint64_t length = row_length(r.csr, (uint32_t)row);
        const vertex_end v = r.rows.end[row];
        const int64_t claim = r.rows.claim[row];
        bool met = false;
        for (uint64_t j = w % slices * WARP + lane_id(); j < length; j += slices * WARP) {
            const uint64_t column = column_at<false>(r.csr, (uint32_t)row, j);
            if (column >> r.local_bits != r.own_shard)
                continue;
            const vertex_end other = r.columns[column & local_mask];
            note(first, offence_of_edge(v, claim, other));
            met |= other.id == claim;
        }
        if (__any_sync(ALL_LANES, met) && lane_id() == 0)
            mark_bit(r.rows.met, row);
    }
}

/* Launches rows_kernel for the rows `from` to `to` - 1, with `slices` warps for each row; does nothing for no rows. */
static void launch_rows(const gpu_proved_rows *r, uint64_t from, uint64_t to, uint32_t slices,
                        gpu_first *first, cudaStream_t stream)
{
    const int blocks = blocks_for((to - from) * slices, WARPS);
    if (from == to)
        return;
    rows_kernel<<<blocks, BLOCK, 0, stream>>>(*r, from, to, slices, first);
}

void cuda_check_rows(const gpu_proved_rows *r, gpu_first *first, cudaStream_t stream)
{
    const uint64_t rows = r->csr.rows, hubs = rows < LONG_ROWS ? rows : (uint64_t)LONG_ROWS;
    if (r->csr.edges == 0)
        return;
    launch_rows(r, 0, hubs, SLICES, first, stream);
    launch_rows(r, hubs, rows, 1, first, stream);
}

void cuda_check_edges(const proved_vertices *vertices, const uint32_t *asker, const vertex_end *other, uint64_t count,
                      gpu_first *first, cudaStream_t stream)
{
    each(count, stream, [=, v = *vertices] __device__(uint64_t i) {
        const uint32_t at = asker[i];
        const int64_t claim = v.claim[at];
        note(first, offence_of_edge(v.end[at], claim, other[i]));
        if (other[i].id == claim)
            mark_bit(v.met, at);
    });
}

void cuda_check_parents(const proved_vertices *vertices, int64_t root, gpu_first *first, cudaStream_t stream)
{
    each(vertices->count, stream, [=, v = *vertices] __device__(uint64_t i) {
        note(first, offence_of_parent(v.end[i], v.claim[i], root, test_bit(v.met, (uint32_t)i)));
    });
}
