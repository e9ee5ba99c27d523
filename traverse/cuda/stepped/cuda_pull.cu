/* cuda_pull.cu: unvisited vertices look for a parent; see cuda_kernels.h and its twin, cpu_pull.c
 *
 * The visit is that of cuda_pull_words.cuh, where a warp takes 32 words, or 1,024 vertices. Long rows are not cut, since the
 * level loop has no list of pieces to pull: their warp reads them here. Bytes moved: 12 to 16 for each word; 4 (head) and a
 * probe of the mask of parents for each column that a candidate reads.
 */
#include "traverse/cuda/visit/cuda_pull_words.cuh"

enum { PULL_BLOCK = 128, PULL_WARPS = PULL_BLOCK / WARP };

/* The pull of one subgraph, as functions of the visit know it. Columns of nn have the kind FUSED_COLUMNS: a shard, and above
 * `local_bits` bits a number there. */
template <bool PACKED> struct row_pull {
    static constexpr bool noted = false, packed = PACKED, together = true, has_hub_bitmap = false, stepped = true;
    struct space {
        uint16_t bits[PACKED_BLOCK]; /* of a packed block, while the list is in use */
        struct {
            uint16_t list[WARP * 32];
            uint32_t found[WARP];
        } pull;
    };
    gpu_csr csr;
    gpu_target target;
    uint64_t words;
    const uint32_t *parents;
    uint32_t tag; /* of parents */
};

/* The record of a vertex that found a column of nn. */
template <bool PACKED> __device__ static inline uint32_t parent_of_shards(row_pull<PACKED> &s, uint32_t column)
{
    const gpu_target &t = s.target;
    return (uint64_t)column >> t.local_bits == t.own_shard ? column & (uint32_t)(((uint64_t)1 << t.local_bits) - 1)
                                                           : REMOTE_PARENT;
}

/* Looks at the rests of the rows of `many` lanes, one by one. Returns the hit of the lane's row. */
template <class S>
__device__ static inline uint32_t pull_long_rows(S &s, const pulling &q, unsigned many, const pulled_row &r)
{
    uint32_t own = NO_HEAD;
    for (; many != 0; many &= many - 1) {
        const int from = __ffs(many) - 1;
        const work_item piece = {__shfl_sync(ALL_LANES, r.at, from),
                                   __shfl_sync(ALL_LANES, (uint32_t)(r.end - r.at), from),
                                   __shfl_sync(ALL_LANES, r.row, from)};
        const uint32_t hit = pull_by_warp<S>(q, piece);
        own = (int)lane_id() == from ? hit : own;
    }
    return own;
}

/* Lets the unvisited rows of a word for each thread look for a parent, and notes whether any found one. */
template <bool PACKED>
__global__ static void __launch_bounds__(PULL_BLOCK) pull_kernel(row_pull<PACKED> s)
{
    const gpu_target &t = s.target;
    const uint64_t warp = (uint64_t)blockIdx.x * PULL_WARPS + threadIdx.x / WARP, word = warp * WARP + lane_id();
    uint32_t todo = word < s.words ? s.csr.sources[word] & ~t.to.visited[word] : 0;
    if (todo != 0)
        todo &= ~t.to.next[word];
    const pulling q = {&s.csr, t.to.visited, s.parents, 0, t.to.next, t.to.parent, s.tag, 0, 0};
    const uint32_t found = pull_words(s, q, (uint32_t)(warp * WARP), todo, cut_list{});
    if (__any_sync(ALL_LANES, found != 0) && lane_id() == 0)
        *t.found = 1;
}

/* Launches the kernel with a thread for each word of rows. */
template <bool PACKED>
static void pull_rows(const gpu_csr *csr, const gpu_target *target, const uint32_t *parents, cudaStream_t stream)
{
    const uint64_t words = (csr->rows + 31) / 32, blocks = (words + PULL_WARPS * WARP - 1) / (PULL_WARPS * WARP);
    row_pull<PACKED> s = {*csr, *target, words, parents, subgraph_rows(target->g) == DELEGATES ? KIND_BIT : 0};
    s.csr.column_kind = target->coded ? (uint32_t)FUSED_COLUMNS : 0; /* only the kind of nn's matters here */
    pull_kernel<PACKED><<<(unsigned)blocks, PULL_BLOCK, PULL_WARPS * sizeof(typename row_pull<PACKED>::space), stream>>>(s);
}

/* Launches a pull over packed or raw columns, unless there are no edges. */
void cuda_pull_rows(const gpu_csr *csr, const gpu_target *target, const uint32_t *parents,
                    cudaStream_t stream)
{
    if (csr->edges == 0)
        return;
    if (gpu_csr_is_packed(csr))
        pull_rows<true>(csr, target, parents, stream);
    else
        pull_rows<false>(csr, target, parents, stream);
}
