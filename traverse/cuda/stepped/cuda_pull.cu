/* cuda_pull.cu: pulls: unvisited vertices look for a visited parent among the columns of their rows; see cuda_kernels.h
 * and its twin, cpu_pull.c
 *
 * pull_words of cuda_pull_words.cuh does the work. A warp does 32 words of the bitmap of rows, which are 1,024 vertices.
 * All lanes of a warp read a long row together (pull_long_rows), because stepped searches have no list of pieces to pull.
 * Bytes moved: 12 to 16 for each word of the bitmap, and for each column that a row reads 4 (as a head) and a probe of
 * the bitmap of parents.
 */
#include "traverse/cuda/visit/cuda_pull_words.cuh"

enum { PULL_BLOCK = 128, PULL_WARPS = PULL_BLOCK / WARP };

/* The state of a pull of one subgraph, which functions of visit/ get as their argument `s`. Columns of nn have the kind
 * FUSED_COLUMNS: the shard stands in the bits from local_bits on, and the local id in the bits below. */
template <bool PACKED> struct row_pull {
    static constexpr bool noted = false, packed = PACKED, together = true, has_hub_bitmap = false, stepped = true;
    struct space {
        /* for decoding a packed block. Not in a union with `pull`, because both are in use at the same time */
        uint16_t bits[PACKED_BLOCK];
        struct {
            uint16_t list[WARP * 32];
            uint32_t found[WARP];
        } pull;
    };
    gpu_csr csr;
    gpu_target target;
    uint64_t words;
    const uint32_t *parents; /* the bitmap of the visited vertices among the columns, which may become parents */
    uint32_t tag;            /* KIND_BIT if the columns, which become parents, are delegates; otherwise 0 */
};

/* Returns what is recorded as parent if a vertex found `column` of nn: the local id of the column in this shard, or
 * REMOTE_PARENT for a vertex of another shard. */
template <bool PACKED> __device__ static inline uint32_t parent_of_shards(row_pull<PACKED> &s, uint32_t column)
{
    const gpu_target &t = s.target;
    return (uint64_t)column >> t.local_bits == t.own_shard ? column & (uint32_t)(((uint64_t)1 << t.local_bits) - 1)
                                                           : REMOTE_PARENT;
}

/* Looks for parents in the rest of long rows, one row after the other, whose columns the lanes of the warp share. `many`
 * has a bit for each lane with such a row, and `r` is the calling lane's row. Returns the column that this lane's row
 * found, or NO_HEAD if none. All lanes of the warp call it. */
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

/* Kernel: pulls a subgraph. Each row that has edges of the subgraph, and is neither visited nor in `next`, looks for a
 * parent. If it finds one, it is added to `next`, the parent is recorded, and *s.target.found becomes 1. A thread has a
 * word of 32 rows, and the lanes of a warp share all rows of the warp. */
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

/* Launches pull_kernel, with a thread for each word of rows. Columns that are set in `parents` may become parents. */
template <bool PACKED>
static void pull_rows(const gpu_csr *csr, const gpu_target *target, const uint32_t *parents, cudaStream_t stream)
{
    const uint64_t words = (csr->rows + 31) / 32, blocks = (words + PULL_WARPS * WARP - 1) / (PULL_WARPS * WARP);
    row_pull<PACKED> s = {*csr, *target, words, parents, subgraph_rows(target->g) == DELEGATES ? KIND_BIT : 0};
    s.csr.column_kind = target->coded ? (uint32_t)FUSED_COLUMNS : 0; /* a pull only asks whether the kind is FUSED_COLUMNS */
    pull_kernel<PACKED><<<(unsigned)blocks, PULL_BLOCK, PULL_WARPS * sizeof(typename row_pull<PACKED>::space), stream>>>(s);
}

/* Launches a pull by a kernel for packed columns or for raw columns. */
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
