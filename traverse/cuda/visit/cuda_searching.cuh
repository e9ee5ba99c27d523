/* cuda_searching.cuh: a search as one block of its kernel keeps it, in shared memory
 *
 * Functions of a visit that need many parts of a search take it as `s`. The type of `s` is the case for which a kernel is
 * compiled: packed columns or raw ones, one GPU or several. Other functions take the graph, vertices or counters they use.
 */
#ifndef DBFS_CUDA_SEARCHING_CUH
#define DBFS_CUDA_SEARCHING_CUH

#include "traverse/cuda/device/cuda_common.cuh"
#include "cuda_level_notes.cuh"
#include "traverse/cuda/fused/cuda_fused.h"

#define ALL_SUBGRAPHS ((1u << SUBGRAPHS) - 1)

enum {
    ITEM_EDGES = FUSED_ITEM_EDGES,
    SHARE_EDGES = 64,   /* the least edges of a work item for each of the warps that share it */
    SHARES_A_WARP = 32, /* the most shares of work items that a warp takes at once: one a lane */
    OWN_ITEMS = 4,      /* a thread writes up to so many work items of a row; longer rows are written by the warp */
    SLOTS = 4,          /* edges, or words of a bitmap, that a thread has under way */
    SPAN_WORDS = 8      /* words of a bitmap that a warp unpacks at once */
};

/* The upper bits of work_item::at: the subgraph from bit 62 on, and flags. */
#define ITEM_SUBGRAPH_SHIFT 62
#define ITEM_HEADS (1ull << 61)             /* the head columns of the row belong to the work item */
#define ITEM_PULL (1ull << 60)              /* the row looks for a parent */
#define ITEM_FIRST (1ull << 59)             /* the first work item of its vertex */
#define ITEM_ONCE (ITEM_HEADS | ITEM_FIRST) /* flags that only the first piece of a row has */
#define ITEM_AT ((1ull << 59) - 1)

/* ---- columns, raw or packed ---- */

/* The columns of a row, from one of them on: raw numbers of 4 or 8 bytes. */
template <bool PACKED, typename Number = uint32_t> struct row_columns {
    typedef Number number;
    const Number *from;

    __device__ static row_columns make(const gpu_csr &csr, uint64_t at, uint64_t)
    {
        return row_columns{(const Number *)csr.columns + at};
    }

    __device__ static row_columns select(bool first, const row_columns &a, const row_columns &b)
    {
        return row_columns{first ? a.from : b.from};
    }

    __device__ Number column(const gpu_csr &, uint32_t, uint64_t i) const
    {
        return from[i];
    }
};

/* Packed columns need the beginning of the row, too: the content of a block depends on it. */
template <> struct row_columns<true> {
    typedef uint32_t number;
    uint64_t at, begin;

    __device__ static row_columns make(const gpu_csr &, uint64_t at, uint64_t begin)
    {
        return row_columns{at, begin};
    }

    __device__ static row_columns select(bool first, const row_columns &a, const row_columns &b)
    {
        return row_columns{first ? a.at : b.at, first ? a.begin : b.begin};
    }

    __device__ uint32_t column(const gpu_csr &csr, uint32_t row, uint64_t i) const
    {
        return column_of_row<uint32_t, true>(csr, row, begin, at + i);
    }
};

/* ---- the memory of a warp ---- */

/* Work items, one a lane, with their edges laid end to end; and the vertices that a step of these edges reaches. */
template <class Columns, unsigned REACHED> struct laid_pieces {
    Columns from[WARP];
    uint32_t row[WARP];
    uint32_t prefix[WARP]; /* exclusive prefix sum of the edges */
    uint32_t reached[REACHED];
    uint8_t subgraph[WARP], heads[WARP];
};

/* The shared memory of one warp. */
template <int COUNTERS, bool PACKED> struct warp_space {
    unsigned long long count[COUNTERS]; /* lane 0 adds to them; add_counts sums them up for the block */
    uint16_t unpacked[SPAN_WORDS * 32]; /* rows of a dense frontier, to push */
    union {
        laid_pieces<row_columns<PACKED>, SLOTS * WARP> push;
        uint16_t bits[PACKED_BLOCK]; /* positions of the set bits in the vector of a packed block */
        struct {
            uint16_t list[WARP * 32]; /* rows that look for a parent, as offsets from the first vertex of the warp's words */
            uint32_t found[WARP];     /* words: those that found one */
        } pull;
    };
};

/* ---- the state that all threads of a block share ---- */

/* The vertices that a block of the thread group reached in a level. */
struct __align__(16) thread_group_part {
    unsigned count;
    unsigned longest; /* the class of the longest row (gpu_fused::longest) */
    unsigned unused[2];
};

/* The output of a sparse level. */
struct level_target {
    work_item *next;
    unsigned *next_count; /* of work items there */
    int32_t depth;        /* of reached vertices */
};

/* The spans of words in which warps take the bitmaps of a level's pulls, those of all subgraphs laid end to end. */
struct word_spans {
    uint32_t size; /* words */
    uint32_t count[SUBGRAPHS];
};

/* The bits of `next` that a dense push sets. */
enum pushed_bits {
    PUSH_ALL,      /* of the ends of all edges, without a look at any bitmap */
    PUSH_UNFOUND,  /* of those that `next` does not have yet */
    PUSH_UNVISITED /* of those of PUSH_UNFOUND that are not visited */
};

template <int COUNTERS> struct block_state {
    level_target target;
    thread_group_part part[3];   /* of this block in the thread group, by rounds */
    thread_group_part single[3]; /* the same, by levels, while this block works and the others of the thread group wait */
    int32_t single_depth;        /* of the frontier that a single block leaves */
    double thread_group_edges;   /* the most edges of a frontier for the thread group */
    unsigned long long count[COUNTERS]; /* of the level, over all blocks */
    unsigned items;                     /* work items of the next frontier */
    unsigned left;         /* vertices that warps left to the block; it counts those that found no room, too */
    unsigned arrivals;     /* the value of fused_state::arrived that ends the last barrier of the grid */
    int sparse_is_chosen;  /* the level is so small that costs are not computed */
    fused_progress now;
    fused_choice choice;
    bool few_edges;      /* so few edges are pushed that claims need no look before */
    bool finds_many;     /* a dense level will find many vertices: a previsit reads all words at once */
    pushed_bits push_bits;
    unsigned kept;       /* frontiers of dense levels so far; the first gpu_fused::keeps of them are kept */
    word_spans pulls;
};

/* The words of a bitmap that a warp takes in a round, one a lane: groups of 2^shift neighbours that lie far apart. Of a
 * small bitmap a lane takes one of 2^parts parts of a word, as the rows of one word may have nearly all edges of a level. */
struct scattered_words {
    uint32_t rounds;
    uint16_t shift, parts;
};

/* The plan of a dense level. */
struct dense_plan {
    scattered_words pushes[SUBGRAPHS];
    bool sparse_next; /* the next level is sparse, whatever this one finds */
};

/* A search on one GPU, or on one of several: TOGETHER. NOTED: it notes its levels. PACKED: columns may lie packed. */
template <bool NOTED, bool PACKED, bool TOGETHER> struct searching : gpu_fused {
    static constexpr bool noted = NOTED, packed = PACKED, together = TOGETHER, has_hub_bitmap = true, stepped = false;
    static constexpr uint32_t row_together = FUSED_ROW_TOGETHER, piece_edges = ITEM_EDGES;
    static constexpr int counters = NOTED ? FUSED_NOTED_COUNTS : FUSED_COUNTS;
    typedef warp_space<counters, PACKED> space;
    typedef row_columns<PACKED> columns;
    typedef gpu_fused parameters; /* of the kernel */
    block_state<counters> block;
    dense_plan plan;
    level_notes<NOTED> notes;
};

/* An array whose elements are all the same one, for a search of one subgraph. */
template <typename T> struct only {
    T one;

    __device__ T &operator[](int)
    {
        return one;
    }
};

/* Shared memory of the block: a warp_space for each warp, and behind these one of three: the list of reached vertices
 * that warps leave to the block (leave_reached); the two lists of the thread group; or the hub bitmap. */
extern __shared__ unsigned char memory[];

/* The shared memory of this warp. */
template <class S> __device__ static inline typename S::space &own_space()
{
    return ((typename S::space *)memory)[threadIdx.x / WARP];
}

/* The shared memory behind that of the warps. */
template <class S> __device__ static inline uint32_t *shared_words()
{
    return (uint32_t *)((typename S::space *)memory + blockDim.x / WARP);
}

/* Returns the maximum over a warp, to all lanes. All lanes call it. */
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
