/* cuda_searching.cuh: the search as a block of a kernel knows it, on which the functions of the kernel work
 *
 * All of them take it as `s`, whose type says what the kernel can do; there is no state of a file.
 * A function that needs less takes only that.
 */
#ifndef DBFS_CUDA_SEARCHING_CUH
#define DBFS_CUDA_SEARCHING_CUH

#include "traverse/cuda/device/cuda_common.cuh"
#include "cuda_level_notes.cuh"
#include "traverse/cuda/fused/cuda_fused.h"

#define ALL_SUBGRAPHS ((1u << SUBGRAPHS) - 1)

enum {
    PIECE_EDGES = FUSED_ITEM_EDGES,
    SHARE_EDGES = 64,   /* of a piece that several warps share, for each of them at least */
    SHARES_A_WARP = 32, /* of such pieces, at most: one a lane */
    OWN_PIECES = 4,     /* one thread puts so many into a list, and a warp more */
    SLOTS = 4,          /* edges of a thread under way; or words of a mask */
    SPAN_WORDS = 8      /* words of a mask that a warp unpacks */
};

/* The upper bits of a piece's `at`. */
#define ITEM_SUBGRAPH_SHIFT 62
#define ITEM_HEADS (1ull << 61)               /* with the head columns of the row */
#define PIECE_PULL (1ull << 60)                /* of a row that looks for a parent */
#define PIECE_FIRST (1ull << 59)               /* of its vertex */
#define PIECE_ONCE (ITEM_HEADS | PIECE_FIRST) /* not of the later pieces of a row */
#define PIECE_AT ((1ull << 59) - 1)

/* ---- columns, raw or packed ---- */

/* Columns of a row from one of them on: raw ones of 4 or 8 bytes, or packed ones, which need the beginning of the row, as the
 * content of a block depends on it. */
template <bool PACKED, typename Number = uint32_t> struct row_columns {
    typedef Number number;
    const Number *from;

    __device__ static row_columns make(const gpu_csr &csr, uint64_t at, uint64_t)
    {
        return row_columns{(const Number *)csr.columns + at};
    }

    __device__ Number column(const gpu_csr &, uint32_t, uint64_t i) const
    {
        return from[i];
    }
};

template <> struct row_columns<true> {
    typedef uint32_t number;
    uint64_t at, begin;

    __device__ static row_columns make(const gpu_csr &, uint64_t at, uint64_t begin)
    {
        return row_columns{at, begin};
    }

    __device__ uint32_t column(const gpu_csr &csr, uint32_t row, uint64_t i) const
    {
        return column_of_row<uint32_t, true>(csr, row, begin, at + i);
    }
};

/* One of two, in registers. */
__device__ static inline row_columns<false> choose(bool first, const row_columns<false> &a,
                                                   const row_columns<false> &b)
{
    return row_columns<false>{first ? a.from : b.from};
}

__device__ static inline row_columns<true> choose(bool first, const row_columns<true> &a, const row_columns<true> &b)
{
    return row_columns<true>{first ? a.at : b.at, first ? a.begin : b.begin};
}

/* ---- the state of a block ---- */

/* Pieces of rows, one a lane, whose edges lie end to end; and vertices that they reach. */
template <class Columns, unsigned REACHED> struct laid_pieces {
    Columns from[WARP];
    uint32_t row[WARP];
    uint32_t prefix[WARP]; /* edges before those of the piece */
    uint32_t reached[REACHED];
    uint8_t subgraph[WARP], heads[WARP];
};

/* One warp's memory. */
template <int COUNTERS, bool PACKED> struct warp_space {
    unsigned long long count[COUNTERS]; /* by its first lane; block_state adds them up */
    uint16_t unpacked[SPAN_WORDS * 32];
    union {
        laid_pieces<row_columns<PACKED>, SLOTS * WARP> push;
        uint16_t bits[PACKED_BLOCK]; /* the places of the set bits of a packed block's vector */
        struct {
            uint16_t list[WARP * 32]; /* candidates, as offsets from the first vertex */
            uint32_t found[WARP];     /* words */
        } pull;
    };
};

/* The vertices that a block of the team reached. */
struct __align__(16) thread_group_part {
    unsigned count;   /* vertices */
    unsigned longest; /* the class of the longest row */
    unsigned unused[2];
};

/* Output of a level by lists: the next list, its length, the depth. */
struct level_target {
    work_item *next;
    unsigned *next_count;
    int32_t depth; /* of reached vertices */
};

/* Spans of several masks, laid end to end for all warps. */
struct mask_spans {
    uint32_t size;             /* words of a span */
    uint32_t count[SUBGRAPHS]; /* spans of each mask */
};

/* The marks that a push by masks sets. */
enum marking {
    MARK_ALL,      /* of all edges, without a look */
    MARK_NEW,      /* of vertices that the level has not found yet */
    MARK_UNVISITED /* of these, only those of unvisited vertices */
};

/* The state that all threads of a block share. */
template <int COUNTERS> struct block_state {
    level_target target;
    thread_group_part part[3];                  /* for this block, while it is in the team; taken in turn */
    thread_group_part one[3];                   /* the same, while the other blocks of the team wait */
    int32_t one_depth;                  /* of the frontier that it then leaves */
    double thread_group_edges;                  /* of a frontier for the team, at most */
    unsigned long long count[COUNTERS]; /* of the level */
    unsigned pieces;                    /* in the next list */
    unsigned left;                      /* vertices that warps left to the block, maybe more than there is room */
    unsigned arrivals;                  /* at the barrier, before its next use */
    int chosen;                         /* the choice is made: the level is small */
    fused_progress now;
    fused_choice choice;
    bool few;         /* edges to push */
    bool dense;       /* much will be found */
    marking marks;    /* of pushes by masks */
    unsigned kept;    /* frontiers kept as masks */
    mask_spans pulls; /* of the level, by subgraphs */
};

/* The words of a mask that a warp takes in a turn, one a lane: groups of 2^shift neighbours that lie far
 * apart. Of small masks a lane takes a part of a word, one of 2^parts, as the rows of one word may have nearly
 * all edges of a level. */
struct scattered_words {
    uint32_t turns;
    uint16_t shift, parts;
};

/* The plan of a level by masks, beside block_state. */
struct mask_plan {
    scattered_words pushes[SUBGRAPHS];
    bool lists_next; /* the next level goes by lists, whatever this one finds */
};

/* A search as a block of its kernel sees it, in shared memory, where lanes can index it. All functions of a kernel
 * take it. PACKED: columns may lie packed. TOGETHER: several GPUs search. A
 * kernel pays nothing for parts that it is not compiled for. */
template <bool PACKED, bool TOGETHER> struct searching : gpu_fused {
    static constexpr bool packed = PACKED, together = TOGETHER, has_hub_bitmap = true, stepped = false;
    static constexpr uint32_t row_together = FUSED_ROW_TOGETHER, piece_edges = PIECE_EDGES;
    static constexpr int counters = FUSED_NOTED_COUNTS;
    typedef warp_space<counters, PACKED> space;
    typedef row_columns<PACKED> columns;
    block_state<counters> block;
    mask_plan planned;
    level_notes<true> notes;
};

/* An array of which all elements are one, for a search of one subgraph. */
template <typename T> struct only {
    T one;

    __device__ T &operator[](int)
    {
        return one;
    }
};

extern __shared__ unsigned char memory[]; /* a warp_space for each warp, then the lists of the team, or marks of hubs */

template <class S> __device__ static inline typename S::space *warp_spaces(S &)
{
    return (typename S::space *)memory;
}

template <class S> __device__ static inline typename S::space &own_space(S &s)
{
    return warp_spaces(s)[threadIdx.x / WARP];
}

/* The vertices that warps of a device that is alone leave to their block, where the team has its lists. */
template <class S> __device__ static inline uint32_t *left_vertices(S &s)
{
    return (uint32_t *)(warp_spaces(s) + blockDim.x / WARP);
}

/* Sums up and clears a counter of the warps of this block. By one warp. */
template <class S> __device__ static inline unsigned long long sum_of_warps(S &s, unsigned i)
{
    unsigned long long own = 0;
    if (lane_id() < blockDim.x / WARP) {
        own = warp_spaces(s)[lane_id()].count[i];
        warp_spaces(s)[lane_id()].count[i] = 0;
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

#endif
