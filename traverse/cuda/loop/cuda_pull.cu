/* cuda_pull.cu: unvisited vertices look for a parent; see cuda_kernels.h and its twin, cpu_pull.c
 *
 * A warp takes 32 words, or 1,024 vertices. It lists the candidates of these words in shared memory. Then it
 * goes through the list once for each head column, and keeps the candidates that found no parent. A thread
 * probes for several candidates at a time, so that many probes are under way. The few candidates that are
 * left read the rest of their rows. Rows list hubs first, so most end at the first head. Bytes moved: 12 to
 * 16 for each word; 4 (head) and a probe of the mask of parents for each column that a candidate reads.
 */
#include "traverse/cuda/cuda_common.cuh"

enum {
    PULL_BLOCK = 128,
    PULL_WARPS = PULL_BLOCK / WARP,
    TILE = WARP * 32, /* vertices of a warp */
    AHEAD = 4,        /* candidates of a thread under way */
    ALONE = 16        /* columns that a thread reads of its row before the warp helps */
};

struct pull {
    gpu_csr csr;
    uint64_t words;
    const uint32_t *visited;
    uint32_t *next;
    const uint32_t *parents;
    uint32_t *parent;
    uint32_t tag;
    unsigned int *found;
    int coded; /* parents are columns of nn: shard << local_bits | local id */
    unsigned local_bits;
    uint32_t own_shard;
};

struct tile {
    uint16_t list[TILE];  /* candidates, as offsets from the first vertex */
    uint32_t found[WARP]; /* words */
};

/* Lists the set bits of the lanes' words in order; returns how many there are. */
__device__ static unsigned list_candidates(tile &t, uint32_t bits)
{
    unsigned before = warp_prefix(__popc(bits));
    unsigned total = __shfl_sync(ALL_LANES, before + __popc(bits), WARP - 1);
    for (; bits != 0; bits &= bits - 1)
        t.list[before++] = (uint16_t)(lane_id() * 32 + __ffs(bits) - 1);
    t.found[lane_id()] = 0;
    __syncwarp();
    return total;
}

__device__ static uint32_t parent_code(const pull &p, uint32_t parent)
{
    if (!p.coded)
        return p.tag | parent;
    bool here = (uint64_t)parent >> p.local_bits == p.own_shard;
    return here ? parent & (uint32_t)(((uint64_t)1 << p.local_bits) - 1) : REMOTE_PARENT;
}

__device__ static void set_found(const pull &p, tile &t, uint32_t row, unsigned at, uint32_t parent)
{
    atomicOr(&t.found[at / 32], 1u << (at % 32));
    if (p.parent != NULL)
        p.parent[row] = parent_code(p, parent);
}

/* One head column: what finds no parent in it, and has more columns, stays listed. */
__device__ static unsigned probe_heads(const pull &p, tile &t, uint32_t first, unsigned count,
                                       uint32_t column)
{
    const uint32_t *heads = p.csr.heads + column * p.csr.rows + first;
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i += AHEAD * WARP) {
        unsigned at[AHEAD];
        uint32_t head[AHEAD];
        bool hit[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; j++) {
            unsigned k = i + j * WARP + lane_id();
            at[j] = k < count ? t.list[k] : 0;
            head[j] = k < count ? heads[at[j]] : NO_HEAD;
        }
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
            hit[j] = head[j] != NO_HEAD && test_bit(p.parents, head[j]);
        __syncwarp();
#pragma unroll
        for (int j = 0; j < AHEAD; j++) {
            if (hit[j])
                set_found(p, t, first + at[j], at[j], head[j]);
            bool stays = head[j] != NO_HEAD && !hit[j];
            unsigned staying = __ballot_sync(ALL_LANES, stays);
            if (stays)
                t.list[kept + __popc(staying & ((1u << lane_id()) - 1))] = (uint16_t)at[j];
            kept += __popc(staying);
        }
        __syncwarp();
    }
    return kept;
}

/* Of a row whose columns are packed; as find_alone. */
__device__ static uint32_t find_packed(const pull &p, uint32_t row, uint64_t *begin, uint64_t end)
{
    const uint64_t first = *begin, stop = end - first < ALONE ? end : first + ALONE;
    while (*begin < stop) {
        const packed_span span = span_of(p.csr, row, first, *begin);
        packed_reader reader = packed_read_at(&p.csr.packed, &span);
        do {
            uint32_t column = packed_next(&reader);
            ++*begin;
            if (test_bit(p.parents, column))
                return column;
        } while (*begin < stop && *begin % PACKED_BLOCK != 0);
    }
    return NO_HEAD;
}

/* The rest of a row by one thread, up to ALONE columns; *begin moves on. */
__device__ static uint32_t find_alone(const pull &p, uint64_t *begin, uint64_t end)
{
    const uint32_t *columns = (const uint32_t *)p.csr.columns;
    uint64_t stop = end - *begin < ALONE ? end : *begin + ALONE;
    for (; *begin < stop; ++*begin) {
        uint32_t column = columns[*begin];
        if (test_bit(p.parents, column))
            return column;
    }
    return NO_HEAD;
}

/* The rest of a long row by the whole warp. */
template <bool PACKED>
__device__ static uint32_t find_together(const pull &p, uint32_t row, uint64_t begin, uint64_t end)
{
    const uint64_t first = PACKED ? offset_of(p.csr, row) : begin;
    for (uint64_t i = begin; i < end; i += WARP) {
        uint32_t column = NO_HEAD;
        if (i + lane_id() < end)
            column = column_of_row<uint32_t, PACKED>(p.csr, row, first, i + lane_id());
        bool hit = column != NO_HEAD && test_bit(p.parents, column);
        unsigned hits = __ballot_sync(ALL_LANES, hit);
        if (hits != 0)
            return __shfl_sync(ALL_LANES, column, __ffs(hits) - 1);
    }
    return NO_HEAD;
}

template <bool PACKED>
__device__ static void probe_rests(const pull &p, tile &t, uint32_t first, unsigned count)
{
    for (unsigned i = 0; i < count; i += WARP) {
        unsigned at = 0;
        uint64_t begin = 0, end = 0;
        uint32_t parent = NO_HEAD;
        if (i + lane_id() < count) {
            at = t.list[i + lane_id()];
            row_rest rest = rest_of_row(p.csr, (uint64_t)first + at);
            begin = rest.begin;
            end = rest.end;
            parent = PACKED && p.csr.packed.words != NULL ? find_packed(p, first + at, &begin, end)
                                                          : find_alone(p, &begin, end);
        }
        __syncwarp();
        unsigned open = __ballot_sync(ALL_LANES, parent == NO_HEAD && begin < end);
        for (; open != 0; open &= open - 1) {
            int source = __ffs(open) - 1;
            uint32_t hit = find_together<PACKED>(p, first + __shfl_sync(ALL_LANES, at, source),
                                                 __shfl_sync(ALL_LANES, begin, source),
                                                 __shfl_sync(ALL_LANES, end, source));
            if ((int)lane_id() == source)
                parent = hit;
        }
        if (parent != NO_HEAD)
            set_found(p, t, first + at, at, parent);
    }
}

template <bool PACKED>
__global__ static void __launch_bounds__(PULL_BLOCK) pull_kernel(pull p)
{
    __shared__ tile tiles[PULL_WARPS];
    tile &t = tiles[threadIdx.x / WARP];
    uint64_t warp = (uint64_t)blockIdx.x * PULL_WARPS + threadIdx.x / WARP;
    uint64_t word = warp * WARP + lane_id();
    uint32_t todo = word < p.words ? p.csr.sources[word] & ~p.visited[word] : 0;
    if (todo != 0)
        todo &= ~p.next[word];
    if (!__any_sync(ALL_LANES, todo != 0))
        return;
    uint32_t first = (uint32_t)(warp * TILE);
    unsigned left = list_candidates(t, todo);
    for (uint32_t column = 0; column < p.csr.head_columns && left > 0; column++)
        left = probe_heads(p, t, first, left, column);
    probe_rests<PACKED>(p, t, first, left);
    __syncwarp();
    uint32_t found = t.found[lane_id()];
    if (found != 0)
        atomicOr(&p.next[word], found);
    if (__any_sync(ALL_LANES, found != 0) && lane_id() == 0)
        *p.found = 1;
}

void cuda_pull_rows(const gpu_csr *csr, const gpu_target *target, const uint32_t *parents,
                    cudaStream_t stream)
{
    uint64_t words = (csr->rows + 31) / 32,
             blocks = (words + PULL_WARPS * WARP - 1) / (PULL_WARPS * WARP);
    pull p = {*csr,        words,         target->visited, target->next,
              parents,     target->parent, target->tag,    target->found,
              target->coded, target->local_bits, target->own_shard};
    if (csr->edges == 0)
        return;
    if (gpu_csr_is_packed(csr))
        pull_kernel<true><<<(unsigned)blocks, PULL_BLOCK, 0, stream>>>(p);
    else
        pull_kernel<false><<<(unsigned)blocks, PULL_BLOCK, 0, stream>>>(p);
}
