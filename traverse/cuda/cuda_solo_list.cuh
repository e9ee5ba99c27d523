/* cuda_solo_list.cuh: frontiers as lists of rows; see cuda_solo.h
 *
 * A vertex has a row in two subgraphs. The thread that reaches a vertex appends those of its rows that are
 * not empty to the next list, cut into pieces that one warp can expand. It also counts their edges. So the
 * next level knows its work when it begins.
 */
#ifndef DBFS_CUDA_SOLO_LIST_CUH
#define DBFS_CUDA_SOLO_LIST_CUH

#include "cuda_common.cuh"
#include "cuda_solo.h"

enum {
    PIECE_EDGES = SOLO_PIECE_EDGES,
    OWN_PIECES = 4, /* that one thread puts into a list; a warp puts more */
    SLOTS = 4,      /* edges of a thread under way */
    SPAN_WORDS = 8  /* words of a mask that a warp unpacks */
};

/* The upper bits of a piece's `at`. */
#define PIECE_SUBGRAPH_SHIFT 62
#define PIECE_HEADS (1ull << 61) /* with the head columns of the row */
#define PIECE_PULL (1ull << 60)  /* of a row that looks for a parent */
#define PIECE_AT ((1ull << 60) - 1)

#define KIND_BIT 0x80000000u /* of a vertex: a delegate; in backend.h, PARENT_DELEGATE_BIT */

/* One warp's memory. */
struct warp_space {
    unsigned long long count[SOLO_COUNTS]; /* by its first lane; block_state adds them up */
    uint16_t unpacked[SPAN_WORDS * 32];
    union {
        struct {
            const uint32_t *from[WARP];
            uint32_t row[WARP];
            uint32_t prefix[WARP]; /* edges before those of the piece */
            uint32_t reached[SLOTS * WARP];
            uint8_t subgraph[WARP], heads[WARP];
        } push;
        struct {
            uint16_t list[WARP * 32]; /* candidates, as offsets from the first vertex */
            uint32_t found[WARP];     /* words */
        } pull;
    };
};

/* What all threads of a block see. */
struct block_state {
    unsigned long long count[SOLO_COUNTS]; /* of the level */
    unsigned small[SOLO_COUNTS];           /* the same, of a block alone */
    unsigned pieces;                       /* in the next list, of a block alone */
    unsigned epoch;                        /* barriers so far */
    int chosen;                            /* the choice is made: the level is small */
    solo_progress now;
    solo_choice choice;
};

/* A list, whose first pieces a block alone keeps in shared memory. */
struct piece_list {
    solo_piece *shared, *global;
    uint32_t room; /* of the shared part */
};

__device__ static inline solo_piece piece_at(const piece_list &l, uint32_t i)
{
    return i < l.room ? l.shared[i] : l.global[i];
}

__device__ static inline void put_piece(const piece_list &l, uint32_t i, const solo_piece &piece)
{
    if (i < l.room)
        l.shared[i] = piece;
    else
        l.global[i] = piece;
}

/* A warp's side of a level. */
struct level_side {
    const gpu_solo *p;
    block_state *block;
    warp_space *space;
    piece_list next;
    unsigned *next_count; /* in shared memory of a block alone, otherwise in the counters */
    int32_t depth;        /* of what is reached */
};

__device__ static inline uint64_t offset_of(const gpu_csr &csr, uint64_t i)
{
    return csr.offset_width == 4 ? ((const uint32_t *)csr.offsets)[i]
                                 : ((const uint64_t *)csr.offsets)[i];
}

__device__ static inline unsigned sum_lanes(unsigned value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(ALL_LANES, value);
#else
    return warp_sum(value);
#endif
}

/* ---- the rows of a vertex ---- */

struct listed_row {
    uint64_t begin, length;
    unsigned heads, pieces; /* no pieces: the row is empty */
};

__device__ static inline unsigned pieces_of(uint64_t length)
{
    return (unsigned)((length + PIECE_EDGES - 1) / PIECE_EDGES);
}

__device__ static inline void measure_row(listed_row &r, uint64_t end, uint32_t head,
                                          uint32_t head_columns)
{
    r.length = end - r.begin;
    r.heads = head != NO_HEAD ? head_columns : 0;
    r.pieces = r.length > PIECE_EDGES ? pieces_of(r.length) : r.length > 0 || r.heads > 0;
}

/* Asks for everything before it waits for anything. */
__device__ static inline void look_at_rows(const gpu_csr &ca, const gpu_csr &cb, uint32_t id,
                                           bool has, listed_row &a, listed_row &b)
{
    const bool in_a = has && ca.edges != 0, in_b = has && cb.edges != 0;
    uint64_t a_end = 0, b_end = 0;
    uint32_t a_head = NO_HEAD, b_head = NO_HEAD;
    a.begin = b.begin = 0;
    if (in_a && ca.head_columns > 0)
        a_head = ca.heads[id];
    if (in_b && cb.head_columns > 0)
        b_head = cb.heads[id];
    if (in_a)
        a.begin = offset_of(ca, id), a_end = offset_of(ca, (uint64_t)id + 1);
    if (in_b)
        b.begin = offset_of(cb, id), b_end = offset_of(cb, (uint64_t)id + 1);
    measure_row(a, a_end, a_head, ca.head_columns);
    measure_row(b, b_end, b_head, cb.head_columns);
}

/* ---- appending ---- */

/* A row of many pieces, by the whole warp. */
__device__ static inline void put_long_row(const piece_list &next, unsigned at,
                                           const solo_piece &first, uint64_t length)
{
    for (uint64_t done = (uint64_t)lane_id() * PIECE_EDGES; done < length;
         done += WARP * PIECE_EDGES) {
        const uint64_t left = length - done;
        const uint64_t begin = done == 0 ? first.at : (first.at & ~PIECE_HEADS) + done;
        put_piece(
            next, at + (unsigned)(done / PIECE_EDGES),
            solo_piece{begin, (uint32_t)(left < PIECE_EDGES ? left : PIECE_EDGES), first.row});
    }
}

/* A row a lane, in subgraph g of the lane. */
__device__ static inline void put_rows(const piece_list &next, unsigned at, const listed_row &r,
                                       int g, uint32_t id)
{
    uint64_t begin =
        r.begin | (uint64_t)g << PIECE_SUBGRAPH_SHIFT | (r.heads > 0 ? PIECE_HEADS : 0);
    const uint64_t first = begin;
    uint64_t left = r.length;
    for (unsigned i = 0; i < r.pieces && r.pieces <= OWN_PIECES; i++) {
        const uint32_t length = (uint32_t)(left < PIECE_EDGES ? left : PIECE_EDGES);
        put_piece(next, at + i, solo_piece{begin, length, id});
        begin = (begin & ~PIECE_HEADS) + PIECE_EDGES;
        left -= length;
    }
    for (unsigned many = __ballot_sync(ALL_LANES, r.pieces > OWN_PIECES); many != 0;
         many &= many - 1) {
        const int from = __ffs(many) - 1;
        const solo_piece piece = {__shfl_sync(ALL_LANES, first, from), 0,
                                  __shfl_sync(ALL_LANES, id, from)};
        put_long_row(next, __shfl_sync(ALL_LANES, at, from), piece,
                     __shfl_sync(ALL_LANES, r.length, from));
    }
}

/* A block alone counts with 32 bits, all warps together; otherwise each warp counts for itself. So that the
 * sums fit, a very long row counts as so many edges that no list takes it: with less, the room of lists would
 * not hold what it reaches. */
template <bool ALONE>
__device__ static inline void count_rows(const level_side &s, int g, bool mine, const listed_row &r)
{
    const unsigned full = __ballot_sync(ALL_LANES, mine && r.pieces > 0);
    if (full == 0)
        return;
    const uint64_t edges = r.length + r.heads, most = ALONE ? 2 * SOLO_LISTED_EDGES - 1 : 1u << 26;
    const unsigned sum = sum_lanes(mine ? (unsigned)(edges < most ? edges : most) : 0);
    if (lane_id() != 0)
        return;
    if (ALONE) {
        atomicAdd(&s.block->small[SOLO_SOURCES + g], __popc(full));
        atomicAdd(&s.block->small[SOLO_FORWARD + g], sum);
    } else {
        s.space->count[SOLO_SOURCES + g] += __popc(full);
        s.space->count[SOLO_FORWARD + g] += sum;
    }
}

/* Lists one vertex a lane, with KIND_BIT; `has` says which lanes have one. */
template <bool ALONE>
__device__ static inline void list_vertices(const level_side &s, uint32_t v, bool has)
{
    const int kind = (int)(v >> 31), g = kind << 1;
    const uint32_t id = v & ~KIND_BIT;
    listed_row a, b;
    look_at_rows(s.p->csr[g], s.p->csr[g | 1], id, has, a, b);
    const unsigned own = a.pieces + b.pieces, before = warp_prefix(own);
    const unsigned total = __shfl_sync(ALL_LANES, before + own, WARP - 1);
    const unsigned all = __ballot_sync(ALL_LANES, has);
    const unsigned delegates = __ballot_sync(ALL_LANES, has && kind == DELEGATES);
    unsigned base = 0;
    if (lane_id() == 0) {
        base = total > 0 ? atomicAdd(s.next_count, total) : 0;
        if (ALONE)
            atomicAdd(&s.block->small[SOLO_FRESH], __popc(all));
        else
            s.space->count[SOLO_FRESH] += __popc(all);
    }
    if (delegates != 0) {
        count_rows<ALONE>(s, DN, has && kind == DELEGATES, a);
        count_rows<ALONE>(s, DD, has && kind == DELEGATES, b);
    }
    if (delegates != all) {
        count_rows<ALONE>(s, NN, has && kind == NORMALS, a);
        count_rows<ALONE>(s, ND, has && kind == NORMALS, b);
    }
    base = __shfl_sync(ALL_LANES, base, 0);
    put_rows(s.next, base + before, a, g, id);
    put_rows(s.next, base + before + a.pieces, b, g | 1, id);
}

#endif
