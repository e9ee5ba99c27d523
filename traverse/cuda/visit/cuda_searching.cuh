/* cuda_searching.cuh: a search as one block of its kernel keeps it, in shared memory
 *
 * A function of a visit that needs many parts of a search takes the search as `s`. The type of `s` is the template
 * argument S. It is the case for which a kernel is compiled:
 *   S::packed    columns of rows may lie packed; otherwise all columns are raw numbers
 *   S::noted     the search writes a note of each level for the host
 *   S::together  the graph has several shards, one for each GPU, so columns of nn may be vertices of other shards
 *   S::stepped   a kernel of the level loop, which does one visit of one subgraph
 * A function that needs few parts takes the graph, the vertices or the counters alone.
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
    SHARES_A_WARP = 32, /* a warp takes at most 32 shares of work items at once: one share a lane */
    OWN_ITEMS = 4,      /* a thread alone writes up to 4 work items of a row; a warp writes the items of longer rows */
    SLOTS = 4,          /* a thread reads 4 edges, or 4 words of a bitmap, before it waits for the first one */
    SPAN_WORDS = 8      /* words of a bitmap that a warp unpacks at once */
};

/* The parts of work_item::at. Bits 62 and 63 are the subgraph. Bits 59 to 61 are flags. The bits below (ITEM_AT) are the
 * index of the first column in gpu_csr::columns. */
#define ITEM_SUBGRAPH_SHIFT 62
#define ITEM_HEADS (1ull << 61)             /* the head columns of the row belong to the work item */
#define ITEM_PULL (1ull << 60)              /* the row is pulled: it looks for a parent. Other work items are pushed */
#define ITEM_FIRST (1ull << 59)             /* the first work item of its vertex, which may have rows in two subgraphs */
#define ITEM_ONCE (ITEM_HEADS | ITEM_FIRST) /* flags that no piece of a row has but the first one */
#define ITEM_AT ((1ull << 59) - 1)

/* ---- columns, raw or packed ---- */

/* The raw columns of a row, from one column on. A column is a number of 4 or 8 bytes. row_columns<true> below is the same
 * interface for columns that may lie packed. */
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

/* The columns of a row that may lie packed, from element `at` of the columns of the subgraph on. `begin` is the element
 * at which the row begins: the code of a column depends on whether the row begins within the block of the column. */
template <> struct row_columns<true> {
    typedef uint32_t number;
    uint64_t at, begin;

    /* Returns the columns from element `at` on of a row that begins at element `begin`. */
    __device__ static row_columns make(const gpu_csr &, uint64_t at, uint64_t begin)
    {
        return row_columns{at, begin};
    }

    /* Returns `a` if `first`, otherwise `b`. */
    __device__ static row_columns select(bool first, const row_columns &a, const row_columns &b)
    {
        return row_columns{first ? a.at : b.at, first ? a.begin : b.begin};
    }

    /* Reads column i of the row, and decodes the column if the columns of `csr` lie packed. i is 0 for element `at`. */
    __device__ uint32_t column(const gpu_csr &csr, uint32_t row, uint64_t i) const
    {
        return column_of_row<uint32_t, true>(csr, row, begin, at + i);
    }
};

/* ---- the memory of a warp ---- */

/* Up to 32 work items of a warp, one a lane. Their edges lie end to end, so that lanes can share the edges evenly. */
template <class Columns, unsigned REACHED> struct laid_pieces {
    Columns from[WARP];        /* the columns of the work item, without the head columns */
    uint32_t row[WARP];        /* the row of the work item */
    uint32_t prefix[WARP];     /* exclusive prefix sum of the edges */
    uint32_t reached[REACHED]; /* vertices, with KIND_BIT, that one step of the warp has reached */
    uint8_t subgraph[WARP], heads[WARP]; /* the subgraph of the work item; the head columns that belong to the work item */
};

/* The shared memory of one warp. */
template <int COUNTERS, bool PACKED> struct warp_space {
    unsigned long long count[COUNTERS]; /* the counts of this warp: lane 0 adds to them, add_counts takes them */
    uint16_t unpacked[SPAN_WORDS * 32]; /* rows of a dense frontier that are pushed next, as bits of words of the warp */
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

/* What one block of the thread group reached in a level. The thread group is the few blocks that do very small levels by
 * themselves. */
struct __align__(16) thread_group_part {
    unsigned count;   /* vertices that the block reached */
    unsigned longest; /* the length class of the longest row among the rows of these vertices (gpu_fused::longest) */
    unsigned unused[2];
};

/* Where a sparse level puts the vertices that it reaches. */
struct level_target {
    work_item *next;      /* the next sparse frontier, to which work items are appended */
    unsigned *next_count; /* the number of work items in `next` */
    int32_t depth;        /* the depth that reached vertices get */
};

/* How warps share the pulls of a level. A warp takes a span: `size` words of the bitmaps of the rows of one subgraph. The
 * spans of all subgraphs have consecutive numbers. */
struct word_spans {
    uint32_t size;             /* words of a span */
    uint32_t count[SUBGRAPHS]; /* spans, by the subgraph that a push would go along; 0: the subgraph is not pulled */
};

/* The edges for which a dense push sets the bit of the end (the vertex that the edge leads to) in `next`. */
enum pushed_bits {
    PUSH_ALL,      /* all edges: the push looks at no bitmap before */
    PUSH_UNFOUND,  /* edges to ends whose bit in `next` is not set yet */
    PUSH_UNVISITED /* edges to ends that are not visited and whose bit in `next` is not set yet */
};

/* The state of a search in one block. Each block computes this state by itself, from the same counters. */
template <int COUNTERS> struct block_state {
    level_target target;
    thread_group_part part[3];   /* what this block reached as a block of the thread group, by rounds modulo 3 */
    thread_group_part single[3]; /* what this block reached while the rest of the thread group waits, by levels modulo 3 */
    int32_t single_depth;        /* the depth of the frontier that a single block leaves to the thread group */
    double thread_group_edges;   /* the most edges of a frontier for the thread group */
    unsigned long long count[COUNTERS]; /* the counters of the level, summed up over all blocks */
    unsigned items;                     /* work items of the next frontier */
    unsigned left;         /* vertices left to the block (leave_reached), and vertices for which its list was full */
    unsigned arrivals;     /* the value of fused_state::arrived that ends the last barrier of the grid */
    int sparse_is_chosen;  /* the level is so small that costs are not computed */
    fused_progress now;    /* the frontier, and what the search has seen */
    fused_choice choice;   /* how the level is done */
    bool few_edges;        /* the level pushes few edges, so claim does not read a visited bit before its atomic */
    bool finds_many;       /* a dense level will find many vertices: a previsit reads all words at once */
    pushed_bits push_bits;
    unsigned kept;         /* frontiers of dense levels so far; the bitmaps of the first gpu_fused::keeps of them are kept */
    word_spans pulls;
};

/* How warps take the words of a bitmap in a dense push. In a round a warp takes 32 words, one a lane. The words of a
 * round are groups of 2^shift neighbours, and the groups lie far apart. If the bitmap is small, a lane takes one of
 * 2^parts parts of a word, as the rows of a single word may have nearly all edges of a level. */
struct scattered_words {
    uint32_t rounds; /* rounds of all warps together */
    uint16_t shift, parts;
};

/* The plan of a dense level. */
struct dense_plan {
    scattered_words pushes[SUBGRAPHS]; /* of the rows of each subgraph */
    bool sparse_next; /* the next level is sparse for certain, as few vertices and edges are left */
};

/* A search in one block, of a single GPU or, if TOGETHER, of one GPU among several. NOTED: the search writes a note of
 * each level. PACKED: columns may lie packed. A dense push cuts a row into pieces of piece_edges columns if the row has
 * more than row_together columns behind the heads. */
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

/* An array whose elements are all `one`. The level loop visits one subgraph a kernel, and has it under every index. */
template <typename T> struct only {
    T one;

    __device__ T &operator[](int)
    {
        return one;
    }
};

/* The shared memory of a block. It begins with a warp_space for each warp. Behind these lies one of three arrays: the
 * list of reached vertices that warps leave to the block (leave_reached), the two lists of the thread group, or the hub
 * bitmap. */
extern __shared__ unsigned char memory[];

/* Returns the part of the shared memory that belongs to this warp. */
template <class S> __device__ static inline typename S::space &own_space()
{
    return ((typename S::space *)memory)[threadIdx.x / WARP];
}

/* Returns the shared memory behind the parts of the warps. All warps of the block use this memory together. It has the
 * list of reached vertices, the lists of the thread group, or the hub bitmap. */
template <class S> __device__ static inline uint32_t *shared_words()
{
    return (uint32_t *)((typename S::space *)memory + blockDim.x / WARP);
}

/* Returns the maximum of the lanes' values to all lanes. All lanes of the warp call it. */
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
