/* cuda_solo_list.cuh: frontiers as lists of rows; see cuda_solo.h
 *
 * A vertex has a row in two subgraphs. The thread that reaches a vertex appends those of its rows that are
 * not empty to the next list, cut into pieces that one warp can expand. It also counts their edges. So the
 * next level knows its work when it begins.
 */
#ifndef DBFS_CUDA_SOLO_LIST_CUH
#define DBFS_CUDA_SOLO_LIST_CUH

#include "traverse/cuda/cuda_common.cuh"
#include "cuda_level_notes.cuh"
#include "cuda_solo.h"

#define ALL_SUBGRAPHS ((1u << SUBGRAPHS) - 1)

enum {
    COUNTERS = SOLO_NOTED ? SOLO_NOTED_COUNTS : SOLO_COUNTS,
    PIECE_EDGES = SOLO_PIECE_EDGES,
    SHARE_EDGES = 64,  /* of a piece that several warps share, for each of them at least */
    SHARES_A_WARP = 32, /* of such pieces, at most: one a lane */
    OWN_PIECES = 4,    /* that one thread puts into a list; a warp puts more */
    SLOTS = 4,         /* edges of a thread under way; or words of a mask */
    SPAN_WORDS = 8     /* words of a mask that a warp unpacks */
};

/* The upper bits of a piece's `at`. */
#define PIECE_SUBGRAPH_SHIFT 62
#define PIECE_HEADS (1ull << 61) /* with the head columns of the row */
#define PIECE_PULL (1ull << 60)  /* of a row that looks for a parent */
#define PIECE_FIRST (1ull << 59) /* of its vertex */
#define PIECE_ONCE (PIECE_HEADS | PIECE_FIRST) /* not of the later pieces of a row */
#define PIECE_AT ((1ull << 59) - 1)

/* One warp's memory. */
struct warp_space {
    unsigned long long count[COUNTERS]; /* by its first lane; block_state adds them up */
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

/* What a block of the team reached. */
struct __align__(16) team_part {
    unsigned count;   /* vertices */
    unsigned longest; /* the class of the longest row */
    unsigned unused[2];
};

/* Where that goes which a level reaches. */
struct level_target {
    solo_piece *next;
    unsigned *next_count;
    int32_t depth; /* of what is reached */
};

/* Spans of several masks, laid end to end for all warps. */
struct mask_spans {
    uint32_t size;             /* words of a span */
    uint32_t count[SUBGRAPHS]; /* spans of each mask */
};

/* Which marks a push by masks sets: all, those that are not set, or of these only those of unvisited vertices. */
enum marking { MARK_ALL, MARK_NEW, MARK_UNVISITED };

/* What all threads of a block see. */
struct block_state {
    level_target target;
    team_part part[3]; /* of this block, while it is in the team; taken in turn */
    team_part one[3];  /* the same, while the other blocks of the team wait */
    int32_t one_depth; /* of the frontier that it then leaves */
    double team_edges; /* of a frontier for the team, at most */
    unsigned long long count[COUNTERS];    /* of the level */
    unsigned pieces;                       /* in the next list */
    unsigned arrivals;                     /* at the barrier, before its next use */
    int chosen;                            /* the choice is made: the level is small */
    solo_progress now;
    solo_choice choice;
    bool few;         /* edges to push */
    bool dense;       /* much will be found */
    marking marks;    /* of pushes by masks */
    unsigned kept;    /* frontiers kept as masks */
    mask_spans pulls; /* of the level, by subgraphs */
};

/* What a block has in shared memory. */
static __shared__ gpu_solo search; /* indexed by lanes, which kernel parameters are slow for */
static __shared__ block_state block;
static __shared__ uint32_t one_vertices[3][SOLO_ONE_ROOM]; /* of one block of the team, taken in turn */
extern __shared__ unsigned char memory[]; /* a warp_space for each warp, then the lists of the team */

__device__ static inline warp_space *warp_spaces()
{
    return (warp_space *)memory;
}

__device__ static inline warp_space &own_space()
{
    return warp_spaces()[threadIdx.x / WARP];
}

__device__ static inline uint64_t offset_of(const gpu_csr &csr, uint64_t i)
{
    return csr.offset_width == 4 ? ((const uint32_t *)csr.offsets)[i]
                                 : ((const uint64_t *)csr.offsets)[i];
}

/* What the warps of this block counted, summed up and cleared. By one warp. */
__device__ static inline unsigned long long sum_of_warps(unsigned i)
{
    unsigned long long own = 0;
    if (lane_id() < blockDim.x / WARP) {
        own = warp_spaces()[lane_id()].count[i];
        warp_spaces()[lane_id()].count[i] = 0;
    }
    return __any_sync(ALL_LANES, own != 0) ? warp_sum(own) : 0;
}

__device__ static inline unsigned max_lanes(unsigned value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(ALL_LANES, value);
#else
    for (int step = WARP / 2; step > 0; step /= 2)
        value = max(value, __shfl_xor_sync(ALL_LANES, value, step));
    return value;
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
                                           bool has, listed_row &one, listed_row &two)
{
    const bool in_a = has && ca.edges != 0, in_b = has && cb.edges != 0;
    uint64_t a_end = 0, b_end = 0;
    uint32_t a_head = NO_HEAD, b_head = NO_HEAD;
    one.begin = two.begin = 0;
    if (in_a && ca.head_columns > 0)
        a_head = ca.heads[id];
    if (in_b && cb.head_columns > 0)
        b_head = cb.heads[id];
    if (in_a)
        one.begin = offset_of(ca, id), a_end = offset_of(ca, (uint64_t)id + 1);
    if (in_b)
        two.begin = offset_of(cb, id), b_end = offset_of(cb, (uint64_t)id + 1);
    measure_row(one, a_end, a_head, ca.head_columns);
    measure_row(two, b_end, b_head, cb.head_columns);
}

/* ---- appending ---- */

/* A row of many pieces, by the whole warp. */
__device__ static inline void put_long_row(solo_piece *next, unsigned at,
                                           const solo_piece &first, uint64_t length)
{
    for (uint64_t done = (uint64_t)lane_id() * PIECE_EDGES; done < length;
         done += WARP * PIECE_EDGES) {
        const uint64_t left = length - done;
        const uint64_t begin = done == 0 ? first.at : (first.at & ~PIECE_ONCE) + done;
        next[at + (unsigned)(done / PIECE_EDGES)] =
            solo_piece{begin, (uint32_t)(left < PIECE_EDGES ? left : PIECE_EDGES), first.row};
    }
}

/* A row a lane, in subgraph g of the lane. `flags`: PIECE_FIRST or 0. */
__device__ static inline void put_rows(solo_piece *next, unsigned at, const listed_row &r, int g,
                                       uint32_t id, uint64_t flags)
{
    uint64_t begin =
        r.begin | (uint64_t)g << PIECE_SUBGRAPH_SHIFT | (r.heads > 0 ? PIECE_HEADS : 0) | flags;
    const uint64_t first = begin;
    uint64_t left = r.length;
    for (unsigned i = 0; i < r.pieces && r.pieces <= OWN_PIECES; i++) {
        const uint32_t length = (uint32_t)(left < PIECE_EDGES ? left : PIECE_EDGES);
        next[at + i] = solo_piece{begin, length, id};
        begin = (begin & ~PIECE_ONCE) + PIECE_EDGES;
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

/* So that the sum of a warp fits, a very long row counts as so many edges that no list takes it: with less,
 * the room of lists would not hold what it reaches. */
__device__ static inline void count_rows(const level_target &s, int g, bool mine, const listed_row &r)
{
    const unsigned full = __ballot_sync(ALL_LANES, mine && r.pieces > 0);
    if (full == 0)
        return;
    const uint64_t edges = r.length + r.heads, most = 1u << 26;
    const unsigned sum = sum_lanes(mine ? (unsigned)(edges < most ? edges : most) : 0);
    if (lane_id() != 0)
        return;
    own_space().count[SOLO_SOURCES + g] += __popc(full);
    own_space().count[SOLO_FORWARD + g] += sum;
}

/* Lists one vertex a lane, with KIND_BIT; `has` says which lanes have one. */
__device__ static inline void list_vertices(const level_target &s, uint32_t v, bool has)
{
    const int kind = (int)(v >> 31), g = kind << 1;
    const uint32_t id = v & ~KIND_BIT;
    listed_row one, two;
    look_at_rows(search.csr[g], search.csr[g | 1], id, has, one, two);
    const unsigned own = one.pieces + two.pieces, before = warp_prefix(own);
    const unsigned total = __shfl_sync(ALL_LANES, before + own, WARP - 1);
    const unsigned all = __ballot_sync(ALL_LANES, has);
    const unsigned delegates = __ballot_sync(ALL_LANES, has && kind == DELEGATES);
    unsigned base = 0;
    if (lane_id() == 0) {
        base = total > 0 ? atomicAdd(s.next_count, total) : 0;
        own_space().count[SOLO_FRESH] += __popc(all);
    }
    if (delegates != 0) {
        count_rows(s, DN, has && kind == DELEGATES, one);
        count_rows(s, DD, has && kind == DELEGATES, two);
    }
    if (delegates != all) {
        count_rows(s, NN, has && kind == NORMALS, one);
        count_rows(s, ND, has && kind == NORMALS, two);
    }
    base = __shfl_sync(ALL_LANES, base, 0);
    put_rows(s.next, base + before, one, g, id, PIECE_FIRST);
    put_rows(s.next, base + before + one.pieces, two, g | 1, id,
             one.pieces > 0 ? 0 : PIECE_FIRST);
}

#endif
