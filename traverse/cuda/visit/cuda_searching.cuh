/* cuda_searching.cuh: the state of a search in the shared memory of one block
 *
 * A function that needs many parts of this state has the parameter `s`, the search. The type of `s` is the template argument
 * S. S says for which case the kernel is compiled:
 *   S::packed    columns of rows may lie packed; otherwise all columns are raw numbers
 *   S::noted     the search writes a note of each level for the host
 *   S::together  the graph has several shards, one for each GPU, so columns of nn may be vertices of other shards
 *   S::stepped   the kernel is of the level loop, and does one visit of one subgraph
 * A function that needs few parts of this state has other parameters: the graph, the vertices or the counters.
 */
#ifndef DBFS_CUDA_SEARCHING_CUH
#define DBFS_CUDA_SEARCHING_CUH

#include "traverse/cuda/device/cuda_common.cuh"
#include "cuda_level_notes.cuh"
#include "traverse/cuda/fused/cuda_fused.h"

#define ALL_SUBGRAPHS ((1u << SUBGRAPHS) - 1)

enum {
    ITEM_EDGES = FUSED_ITEM_EDGES,
    SHARE_EDGES = 64,   /* a work item of ITEM_EDGES columns is cut into shares of at least 64 columns */
    SHARES_A_WARP = 32, /* a warp visits at most 32 shares of work items at a time: one share a lane */
    OWN_ITEMS = 4,      /* a thread alone writes up to 4 work items of a row; a whole warp writes the items of longer rows */
    SLOTS = 4,          /* a thread reads 4 edges, or 4 words of a bitmap, before it waits for the first of them */
    SPAN_WORDS = 8      /* words of a bitmap that a warp unpacks at once */
};

/* The parts of work_item::at. Bits 62 and 63 are the subgraph. Bits 59 to 61 are flags. Bits 0 to 58 (ITEM_AT) are the
 * index of the first column in gpu_csr::columns. */
#define ITEM_SUBGRAPH_SHIFT 62
#define ITEM_HEADS (1ull << 61)             /* the head columns of the row belong to the work item */
#define ITEM_PULL (1ull << 60)              /* set: the row looks for a parent (pull); not set: the row is pushed */
#define ITEM_FIRST (1ull << 59)             /* the first work item of its vertex, which may have rows in two subgraphs */
#define ITEM_ONCE (ITEM_HEADS | ITEM_FIRST) /* the flags that only the first piece of a row has */
#define ITEM_AT ((1ull << 59) - 1)

/* ---- columns, raw or packed ---- */

/* The raw columns of a row, from one of the columns on. A column is a number of 4 or 8 bytes. row_columns<true> below
 * has the same functions for columns that may lie packed. */
template <bool PACKED, typename Number = uint32_t> struct row_columns {
    typedef Number number;
    const Number *from;

    /* Returns the columns from element `at` of csr.columns on. */
    __device__ static row_columns make(const gpu_csr &csr, uint64_t at, uint64_t)
    {
        return row_columns{(const Number *)csr.columns + at};
    }

    /* Returns `a` if `first`, otherwise `b`. */
    __device__ static row_columns select(bool first, const row_columns &a, const row_columns &b)
    {
        return row_columns{first ? a.from : b.from};
    }

    /* Returns column i of the row, where i is 0 for the first column of this struct. */
    __device__ Number column(const gpu_csr &, uint32_t, uint64_t i) const
    {
        return from[i];
    }
};

/* The columns of a row that may lie packed, from one of the columns on. `at` is the index of this column among the
 * columns of the subgraph. `begin` is the index of the first column of the row. `begin` is needed for decoding: the code
 * of a column depends on whether the row begins within the block of the column. */
template <> struct row_columns<true> {
    typedef uint32_t number;
    uint64_t at, begin;

    /* Returns the columns of a row from index `at` on. The row begins at index `begin`. */
    __device__ static row_columns make(const gpu_csr &, uint64_t at, uint64_t begin)
    {
        return row_columns{at, begin};
    }

    /* Returns `a` if `first`, otherwise `b`. */
    __device__ static row_columns select(bool first, const row_columns &a, const row_columns &b)
    {
        return row_columns{first ? a.at : b.at, first ? a.begin : b.begin};
    }

    /* Returns column i of the row, decoded if the columns of `csr` lie packed. i is 0 for the column at index `at`. */
    __device__ uint32_t column(const gpu_csr &csr, uint32_t row, uint64_t i) const
    {
        return column_of_row<uint32_t, true>(csr, row, begin, at + i);
    }
};

/* ---- the memory of a warp ---- */

/* Up to 32 work items of a warp, one a lane. The edges of all work items are numbered one after the other, so that lanes can
 * share the edges evenly. */
template <class Columns, unsigned REACHED> struct laid_pieces {
    Columns from[WARP];        /* the columns of the work item, without the head columns */
    uint32_t row[WARP];        /* the row of the work item */
    uint32_t prefix[WARP];     /* exclusive prefix sum of the numbers of edges: the number of the work item's first edge */
    uint32_t reached[REACHED]; /* vertices, with KIND_BIT, that one step of the warp has reached */
    uint8_t subgraph[WARP], heads[WARP]; /* the subgraph of the work item; the number of its head columns */
};

/* The shared memory of one warp. */
template <int COUNTERS, bool PACKED> struct warp_space {
    unsigned long long count[COUNTERS]; /* the counts of this warp. Lane 0 adds to them. add_counts reads and clears them */
    uint16_t unpacked[SPAN_WORDS * 32]; /* rows of a dense frontier that are pushed next: positions in the warp's words */
    union {
        laid_pieces<row_columns<PACKED>, SLOTS * WARP> push;
        uint16_t bits[PACKED_BLOCK]; /* positions of the set bits in the vector of a packed block */
        struct {
            uint16_t list[WARP * 32]; /* rows that look for a parent, as offsets from the first vertex of the warp's words */
            uint32_t found[WARP];     /* a bitmap over these offsets: the rows that found a parent */
        } pull;
    };
};

/* ---- the state that all threads of a block share ---- */

/* The number and the largest class of the vertices that one block of the thread group reached in a level. The thread
 * group is the few blocks that do very small levels by themselves. */
struct __align__(16) thread_group_part {
    unsigned count;   /* the number of vertices that the block reached */
    unsigned longest; /* the largest length class of these vertices (gpu_fused::longest) */
    unsigned unused[2];
};

/* The lists and counters to which a sparse level adds the vertices that it reaches. */
struct level_target {
    work_item *next;      /* the next sparse frontier, to which work items are appended */
    unsigned *next_count; /* the number of work items in `next` */
    int32_t depth;        /* the depth that reached vertices get */
};

/* How warps share the pulls of a level. A warp pulls a span of words at a time. A span is `size` words of the bitmaps of
 * the rows of one subgraph. The spans of all subgraphs have consecutive numbers. */
struct word_spans {
    uint32_t size;             /* words of a span */
    uint32_t count[SUBGRAPHS]; /* number of spans, by the subgraph that a push would go along; 0: it is not pulled */
};

/* The edges whose end vertices get their bits in `next` by a dense push. The end vertex of an edge is the vertex that
 * the edge leads to. */
enum pushed_bits {
    PUSH_ALL,      /* all edges: the push looks at no bitmap first */
    PUSH_UNFOUND,  /* edges to end vertices whose bit in `next` is not set yet */
    PUSH_UNVISITED /* edges to end vertices that are not visited and whose bit in `next` is not set yet */
};

/* The state of a search in one block. Each block computes this state by itself. All blocks read the same counters, and
 * so have the same state. */
template <int COUNTERS> struct block_state {
    level_target target;
    thread_group_part part[3];   /* the vertices that this block reached in the thread group, by rounds modulo 3 */
    thread_group_part single[3]; /* the vertices that this block reached as the single block, by levels modulo 3 */
    int32_t single_depth;        /* the depth of the frontier that a single block leaves to the thread group */
    double thread_group_edges;   /* the most edges of a frontier for the thread group */
    unsigned long long count[COUNTERS]; /* the counters of the level, summed up over all blocks */
    unsigned items;                     /* work items of the next frontier */
    unsigned left;         /* vertices for the list of the block (leave_reached), with vertices that no longer fit */
    unsigned arrivals;     /* the value of fused_state::arrived at which the last barrier of the grid ended */
    int sparse_is_chosen;  /* the level is sparse, and so small that costs are not computed */
    fused_progress now;    /* counts of the frontier, and of all visited vertices */
    fused_choice choice;   /* the kind and the directions of the level */
    bool few_edges;        /* the level pushes few edges, so claim does not read a visited bit before its atomic */
    bool finds_many;       /* a dense level will find many vertices, so a previsit reads all words at once */
    pushed_bits push_bits;
    unsigned kept;         /* number of dense frontiers so far; the first gpu_fused::keeps of them are kept as bitmaps */
    word_spans pulls;
};

/* How warps share the words of a bitmap in a dense push. In a round a warp pushes 32 words, one word a lane. The words
 * of a round are groups of 2^shift neighbouring words, and the groups lie far apart. If the bitmap is small, each word
 * is cut into 2^parts parts, and a lane pushes one part in a round. Without parts a single lane could have nearly all edges
 * of a level. */
struct scattered_words {
    uint32_t rounds; /* the number of rounds of all warps together */
    uint16_t shift, parts;
};

/* The plan of a dense level. */
struct dense_plan {
    scattered_words pushes[SUBGRAPHS]; /* how warps share the rows of each subgraph */
    bool sparse_next; /* the next level is certainly sparse, as few vertices and edges are unvisited */
};

/* A search in one block.
 * - NOTED: the search writes a note of each level.
 * - PACKED: columns may lie packed.
 * - TOGETHER: the search is of one GPU among several; otherwise the search is of a single GPU.
 * If a row has more than row_together columns behind the heads, a dense push cuts the row into pieces of piece_edges
 * columns. */
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

/* An array whose elements are all the same, `one`. A kernel of the level loop visits one subgraph. With this array the
 * subgraph is found under every index. */
template <typename T> struct only {
    T one;

    __device__ T &operator[](int)
    {
        return one;
    }
};

/* The dynamic shared memory of a block. This memory begins with a warp_space for each warp. Behind the last warp_space
 * lies one of three arrays:
 * - the list of reached vertices of the block (leave_reached).
 * - the two lists of the thread group.
 * - the hub bitmap. */
extern __shared__ unsigned char memory[];

/* Returns the part of the shared memory that belongs to this warp. */
template <class S> __device__ static inline typename S::space &own_space()
{
    return ((typename S::space *)memory)[threadIdx.x / WARP];
}

/* Returns the shared memory behind the parts of the warps. All warps of the block share this memory. It holds the
 * block's list of reached vertices, the lists of the thread group, or the hub bitmap. */
template <class S> __device__ static inline uint32_t *shared_words()
{
    return (uint32_t *)((typename S::space *)memory + blockDim.x / WARP);
}

/* Returns the maximum of `value` over all lanes to all lanes. All lanes of the warp call it. */
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
