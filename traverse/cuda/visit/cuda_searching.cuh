/* cuda_searching.cuh: the state of a search, which each block keeps in shared memory
 *
 * Functions that need many parts of the state take it as `s`. The type of `s`, S, tells for which case a kernel is compiled.
 * Code of other cases is not in the kernel:
 *   S::packed    columns may be packed; otherwise all columns are raw numbers
 *   S::noted     the search writes a note (times, probes) of each level for the host
 *   S::together  several GPUs search together, each with a shard of its own, so columns of nn may belong to other shards
 *   S::stepped   the kernel belongs to the level loop, and does one visit of one subgraph
 */
#ifndef DBFS_CUDA_SEARCHING_CUH
#define DBFS_CUDA_SEARCHING_CUH

#include "traverse/cuda/device/cuda_sum_barrier.cuh"
#include "traverse/cuda/device/cuda_common.cuh"
#include "cuda_level_notes.cuh"
#include "traverse/cuda/fused/cuda_fused.h"

#define ALL_SUBGRAPHS ((1u << SUBGRAPHS) - 1)

enum {
    ITEM_EDGES = FUSED_ITEM_EDGES,
    SHARE_EDGES = 64,   /* if a work item is cut into shares, each has at least 64 columns (expand_items) */
    SHARES_A_WARP = 32, /* shares of work items that a warp visits at a time: one for each lane */
    OWN_ITEMS = 4,      /* a thread writes up to 4 work items of its row by itself; the whole warp writes those of longer rows */
    SLOTS = 4,          /* a thread begins 4 reads, of edges or of words of a bitmap, before it waits for the first */
    SPAN_WORDS = 8      /* words of a bitmap that a warp unpacks at once */
};

/* The bits of work_item::at: the index of the item's first column in gpu_csr::columns (ITEM_AT), above it three flags, and in
 * the two highest bits the subgraph. */
#define ITEM_SUBGRAPH_SHIFT 62
#define ITEM_HEADS (1ull << 61)             /* the head columns of the row belong to the work item */
#define ITEM_PULL (1ull << 60)              /* the row looks for a parent in a pull; without this flag it is pushed */
#define ITEM_FIRST (1ull << 59)             /* the vertex's first work item, by which take_items finds each vertex once */
#define ITEM_ONCE (ITEM_HEADS | ITEM_FIRST) /* the flags that only the first piece of a row has */
#define ITEM_AT ((1ull << 59) - 1)

/* ---- columns, raw or packed ---- */

/* A reader of the columns of a row that are stored raw, as numbers of 4 or 8 bytes. It begins at one column of the row, and
 * counts the others from there. row_columns<true> reads packed columns by the same functions. */
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

    /* Returns the column that lies i columns behind `from`. */
    __device__ Number column(const gpu_csr &, uint32_t, uint64_t i) const
    {
        return from[i];
    }
};

/* A reader of the columns of a row that may be packed. `at` is the index in the subgraph of the column where it begins, and
 * `begin` the index of the row's first column. Decoding needs `begin`, because a packed column is coded differently if its row
 * begins in the same block. */
template <> struct row_columns<true> {
    typedef uint32_t number;
    uint64_t at, begin;

    /* Returns the columns from index `at` on, of a row that begins at `begin`. */
    __device__ static row_columns make(const gpu_csr &, uint64_t at, uint64_t begin)
    {
        return row_columns{at, begin};
    }

    /* Returns `a` if `first`, otherwise `b`. */
    __device__ static row_columns select(bool first, const row_columns &a, const row_columns &b)
    {
        return row_columns{first ? a.at : b.at, first ? a.begin : b.begin};
    }

    /* Returns the column at index at + i, decoded if the columns of `csr` are packed. */
    __device__ uint32_t column(const gpu_csr &csr, uint32_t row, uint64_t i) const
    {
        return column_of_row<uint32_t, true>(csr, row, begin, at + i);
    }
};

/* ---- the memory of a warp ---- */

/* Up to 32 work items that a warp visits together, one from each lane. Their edges are numbered one after the other, so that
 * the lanes share them evenly, however long the rows are. */
template <class Columns, unsigned REACHED> struct laid_pieces {
    Columns from[WARP];        /* the columns of the work item, without the head columns */
    uint32_t row[WARP];        /* the row of the work item */
    uint32_t prefix[WARP];     /* exclusive prefix sum of the items' edges: the number of each item's first edge */
    uint32_t reached[REACHED]; /* vertices, with KIND_BIT, that one step of the warp has reached */
    uint8_t subgraph[WARP], heads[WARP]; /* the subgraph of the work item; the number of its head columns */
};

/* The shared memory of one warp. */
template <int COUNTERS, bool PACKED> struct warp_space {
    unsigned long long count[COUNTERS]; /* this warp's counters (FUSED_FRESH, ...); add_counts adds them to the level's */
    uint16_t unpacked[SPAN_WORDS * 32]; /* rows of the dense frontier to push next, as bit positions in the warp's 32 words */
    union {
        laid_pieces<row_columns<PACKED>, SLOTS * WARP> push;
        uint16_t bits[PACKED_BLOCK]; /* positions of the set bits in the vector of a packed block */
        struct {
            uint16_t list[WARP * 32]; /* rows that still look for a parent, as bit positions in the warp's 32 words */
            uint32_t found[WARP];     /* bitmap of the same positions: rows that found a parent */
        } pull;
    };
};

/* ---- the state that all threads of a block share ---- */

/* What one block of the thread group (the blocks that do small levels and keep what they found) reached in a level. */
struct thread_group_part {
    unsigned count;         /* the number of vertices that the block reached */
    unsigned largest_class; /* the largest length class of these vertices (gpu_fused::first_of_class) */
};

/* The frontier of the thread group, as all its blocks know it. */
struct thread_group_frontier {
    unsigned lanes;      /* the lanes that all lists need, one for each vertex of class 0 */
    unsigned long_lists; /* how many lists need more lanes than one block has for them */
};

/* To which round the thread group, or its first warp alone, has come (run_headed, run_by_warp). */
struct thread_group_round {
    unsigned round;
    int32_t depth; /* of the frontier */
};

/* What a block keeps of barriers of the thread group. */
struct thread_group_barrier {
    block_barrier own;
    thread_group_frontier frontier; /* the result of the last one */
    /* the value of fused_state::dealt when vertices were dealt; meanwhile, where the block writes its own in the list of all, and then the
     * number of all */
    unsigned dealt, place;
};

/* Where a sparse level puts the vertices that it reaches. */
struct level_target {
    work_item *next;      /* the next sparse frontier, to which work items are appended */
    unsigned *next_count; /* the number of work items in `next` */
    int32_t depth;        /* the depth that reached vertices get */
};

/* How warps share the pulls of a level. A span is `size` consecutive words of the bitmap of one subgraph's rows. The spans of
 * all pulled subgraphs are numbered together, and a warp pulls one span at a time. */
struct word_spans {
    uint32_t size;             /* words of a span */
    uint32_t instead_of_push[SUBGRAPHS]; /* spans of the pull that replaces a push along subgraph g; 0: g is not pulled */
};

/* Which edges of a dense push set the bit of their end vertex in `next`. With fewer edges there are fewer atomics, but more reads. */
enum pushed_bits {
    PUSH_ALL,      /* all edges; no bitmap is read first */
    PUSH_UNFOUND,  /* edges to vertices whose bit in `next` is not set yet */
    PUSH_UNVISITED /* edges to vertices that are not visited, and whose bit in `next` is not set yet */
};

/* The state of a search as one block knows it. Every block computes its own copy from the same counters, so all blocks agree on
 * the next level without a message. */
template <int COUNTERS> struct block_state {
    level_target target;
    thread_group_part group_reached[3];  /* vertices that this block reached in levels of the thread group, by round modulo 3 */
    thread_group_barrier barrier;
    thread_group_round group_round;
    double thread_group_edges;   /* the most edges of a frontier for the thread group */
    unsigned long long count[COUNTERS]; /* the counters of the level, summed up over all blocks */
    unsigned items;                     /* work items of the next frontier */
    unsigned block_reached;   /* vertices moved to the block's list; may be more than the list can hold (move_to_block_list) */
    unsigned arrivals;        /* fused_state::arrived at the end of the last barrier of the grid */
    int sparse_is_chosen;     /* the level is sparse, and so small that costs are not computed */
    fused_progress now;       /* counts of the frontier, and of all visited vertices */
    fused_choice choice;      /* the kind and the directions of the level */
    bool few_edges;           /* so few edges are pushed that reading a visited bit before the atomic does not pay (claim) */
    bool finds_many;          /* the dense level will find so many vertices that the previsit reads all words at once */
    pushed_bits push_bits;
    unsigned dense_frontiers; /* number of dense frontiers so far; the first gpu_fused::keeps of them are kept as bitmaps */
    word_spans pulls;
};

/* How warps share the words of the frontier's bitmap in a dense push. In a round a warp pushes 32 words, one from each lane:
 * groups of 2^shift neighbours, far apart from each other. In a small bitmap one word may have nearly all edges of the level.
 * So each word of a small bitmap is cut into 2^parts parts, and a lane pushes one part. */
struct scattered_words {
    uint32_t rounds; /* the number of rounds of all warps together */
    uint16_t shift, parts;
};

/* The plan of a dense level. */
struct dense_plan {
    scattered_words pushes[SUBGRAPHS]; /* how warps share the rows of each subgraph that is pushed */
    bool sparse_next; /* the next level is certainly sparse, as few vertices and edges are unvisited */
};

/* The search as a block of fused_kernel keeps it: the parameters of the kernel (gpu_fused), and the state of the block. In a
 * dense push, rows with more than longest_uncut_row columns behind the heads are cut into pieces of piece_edges columns. */
template <bool NOTED, bool PACKED, bool TOGETHER> struct searching : gpu_fused {
    static constexpr bool noted = NOTED, packed = PACKED, together = TOGETHER, has_hub_bitmap = true, stepped = false;
    static constexpr uint32_t longest_uncut_row = FUSED_ROW_TOGETHER, piece_edges = ITEM_EDGES;
    static constexpr int counters = NOTED ? FUSED_NOTED_COUNTS : FUSED_COUNTS;
    typedef warp_space<counters, PACKED> space;
    typedef row_columns<PACKED> columns;
    typedef gpu_fused parameters; /* of the kernel */
    block_state<counters> block;
    dense_plan plan;
    level_notes<NOTED> notes;
};

/* Stands for an array over subgraphs in kernels of the level loop, which visit one subgraph: every index gives `one`. */
template <typename T> struct only {
    T one;

    __device__ T &operator[](int)
    {
        return one;
    }
};

/* The dynamic shared memory of a block: a warp_space for each warp, and behind these one array that the whole block shares. It
 * is at times the block's list of reached vertices, the two lists of the thread group, or the hub bitmap. */
extern __shared__ unsigned char memory[];

/* Returns the part of the shared memory that belongs to this warp. */
template <class S> __device__ static inline typename S::space &own_space()
{
    return ((typename S::space *)memory)[threadIdx.x / WARP];
}

/* Returns the array in shared memory that the whole block shares, behind the parts of the warps. */
template <class S> __device__ static inline uint32_t *shared_words()
{
    return (uint32_t *)((typename S::space *)memory + blockDim.x / WARP);
}

/* Returns the maximum of `value` over all lanes. All lanes of the warp call it. */
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
