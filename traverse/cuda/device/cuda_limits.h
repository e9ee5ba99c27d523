/* cuda_limits.h: sizes that kernels and the plan of device memory share. Most names begin with the kind of search: GPU and
 * SEARCH for stepped searches (the host launches kernels for each level), FUSED for searches in one kernel, PEERS for fused
 * searches on several GPUs, and SLICED for searches of a small graph in one kernel on a single GPU. */
#ifndef DBFS_CUDA_LIMITS_H
#define DBFS_CUDA_LIMITS_H

#include "formats/limits.h"

#include <stddef.h>
#include <stdint.h>

enum {
    GPU_CHUNK_EDGES = 512,                /* the largest number of edges of a piece of a long row, in stepped pushes */
    GPU_LONG_ROW = 2 * GPU_CHUNK_EDGES,   /* rows with at least this number of edges are cut into pieces */
    GPU_COUNTER_BYTES = 1024,             /* the bytes for GPU_COUNTERS_KINDS struct gpu_level, or more */
    /* the largest number of shards, since shared memory must have a counter for each */
    GPU_MOST_SHARDS = 4096
};

/* Sizes for fused searches (cuda_fused.h), and for sliced searches (cuda_sliced.h). */
enum {
    FUSED_ITEM_EDGES = 256,       /* the largest number of edges of a work item */
    /* in a dense level, pieces of rows of more than FUSED_ALIGNED_FROM columns begin at a multiple of FUSED_ITEM_ALIGNED columns, but
     * the first of a row: at cache lines, which are whole packets of the link to the host, and at blocks of packed columns */
    FUSED_ALIGNED_FROM = 1024,
    FUSED_ITEM_ALIGNED = 128,
    /* the longest row that one warp visits in a dense level; longer rows are cut */
    FUSED_ROW_TOGETHER = 128,
    FUSED_ITEM_BYTES = 16,        /* the bytes of struct work_item */
    FUSED_STATE_BYTES = 4096,     /* the bytes for struct fused_state, or more */
    FUSED_NOTE_BYTES = 112,       /* the bytes of struct fused_note */
    PEERS_STATE_BYTES = 16384,    /* the bytes for struct peers_state, or more */
    SLICED_MOST_BLOCKS = 1023,    /* the largest number of blocks of a grid */
    SLICED_BLOCK_BYTES = 33792,   /* the shared memory of a block besides visited bits, or more */
    SLICED_STATE_BYTES = 20480,   /* the bytes for struct sliced_state, or more */
    SLICED_TURNS = 3,            /* the number of `found` bitmaps, and of sets of counters, which levels use in turn */
    /* all bitmaps of sliced searches: the `found` bitmaps, and those for visited bits without room in shared memory, a pair for this
     * search and a pair for the next one */
    SLICED_BITMAPS = SLICED_TURNS + 4,
    SLICED_COLUMNS = 4,           /* the number of columns of a slice */
    SLICED_ROW_BITS = 22,         /* the width in bits of the number of a row */
    SLICED_FIRST_BITS = 26,       /* the width in bits of the number of a slice */
    SLICED_SLICE_BYTES = 16,      /* the bytes of struct slice_columns */
    SLICED_LINKS_BYTES = 32,      /* the bytes of struct slice_links */
    SLICED_PIECE = 64,            /* the largest number of slices of a piece of a long row */
    SLICED_PIECE_BYTES = 8,       /* the bytes of struct slice_piece */
    PEERS_ARRIVAL_BYTES = 8       /* the bytes of a vertex that a peer sends, together with the number of a barrier */
};

/* Sizes at which a search changes its way of working: smaller on an emulated GPU (tests/emulator), so that small graphs
 * reach them. */
#ifdef DBFS_EMULATED
#define SIZE(real, emulated) (emulated)
#else
#define SIZE(real, emulated) (real)
#endif
enum {
    /* the largest number of vertices that a stepped previsit lists; a push may list more */
    SEARCH_LISTED = SIZE(1 << 18, 1 << 6),
    /* the number of rows of dd above which a pull has two parts; below, reducing masks between the parts costs more */
    SEARCH_PART_ROWS = SIZE(1 << 20, 1 << 5),
    /* dd is pushed by equal shares of edges if the frontier has at least this number of edges */
    SEARCH_MERGE_EDGES = SIZE(1 << 16, 1 << 9),
    FUSED_LISTED_EDGES = SIZE(1 << 20, 1 << 11), /* the largest number of edges of a frontier that a sparse level expands */
    /* The thread group. The most vertices of short rows (class 0); if the largest class is k, 2^k times fewer vertices. */
    FUSED_BLOCK_ROWS = SIZE(320, 32), /* of the list of one block; with more, vertices are dealt to the blocks anew */
    FUSED_DEALT_ROWS = SIZE(224, 24), /* dealt to each block; with more, the usual levels of all blocks are faster */
    FUSED_ALONE_ROWS = SIZE(64, 8),   /* of a frontier that all blocks leave to the first one */
    FUSED_DEEP_FROM = SIZE(16, 3), /* the depth from which on a search is deep, whatever the graph is */
    /* up to this many edges, a push sets visited bits by atomics without first looking whether they are set */
    FUSED_FEW_EDGES = SIZE(1 << 14, 1 << 7),
    /* the number of levels that the device notes before the host must copy the notes */
    FUSED_NOTES_KEPT = SIZE(1 << 14, 1 << 4),
    /* the smallest number of vertices for which blocks keep the visited bits of hubs in shared memory */
    FUSED_HUBS_FROM = SIZE(1 << 24, 1 << 7),
    FUSED_MOST_HUB_WORDS = SIZE(1 << 14, 1 << 1),     /* the largest number of words of a hub bitmap */
    /* the number of values of an answer whose vertices are sorted together; at most 2^15 */
    ANSWER_STRIPE = SIZE(1 << 12, 1 << 8),
    /* the number of groups (2^19 packed columns each) that are decoded at a time */
    LOAD_PIECE_GROUPS = SIZE(1 << 7, 1),
    /* the largest number of edges of a sparse frontier, summed over all GPUs of a search */
    PEERS_LISTED_EDGES = SIZE(1 << 16, 1 << 8),
    /* the largest number of work items that a GPU's first block does without the rest of the GPU, in a level */
    PEERS_BLOCK_ITEMS = SIZE(1 << 8, 1 << 3),
    /* the mean number of edges per GPU up to which the first blocks of all GPUs do a level without the rest */
    PEERS_BLOCK_EDGES = SIZE(1 << 10, 1 << 5),
    /* the number of a barrier at which numbering begins anew, with the next search */
    PEERS_NUMBERS = SIZE(1 << 30, 1 << 5),
    /* the number of rows of dd above which a pull has two parts; below, the barrier of GPUs between the parts costs more */
    PEERS_PART_ROWS = SIZE(1 << 18, 1 << 5),
    SLICED_BLOCK_SLICES = SIZE(1 << 12, 1 << 6), /* the largest number of slices of a frontier that one block pushes */
    /* the same number for frontiers that grow in the smallest graphs, and that are steady in graphs with heads */
    SLICED_BLOCK_LEAST = SIZE(1 << 9, 1 << 4),
    SLICED_LONG_ROWS = SIZE(64, 32), /* the least mean number of columns of a row in graphs of long rows */
    SLICED_OF_WARP = SIZE(1 << 10, 1 << 7),      /* the largest number of slices that a warp appends to the list of a block at once */
    SLICED_LISTED = SIZE(1 << 16, 1 << 10),      /* the largest number of slices of a sparse frontier of all blocks */
    /* the longest list of one block in a sparse level, at most a slice for each thread; with more, shares are taken anew */
    SLICED_SHARE = SIZE(1 << 10, 1 << 5),
    /* how many slices a block has pushed in sparse levels beyond SLICED_UNEVEN_TIMES the mean, all in all, when shares are taken anew */
    SLICED_UNEVEN = SIZE(1 << 11, 1 << 4),
    SLICED_UNEVEN_TIMES = SIZE(4, 2),
    SLICED_PART = SIZE(1 << 13, 1 << 8)          /* the largest number of slices of one block's part of a sparse frontier */
};
#undef SIZE

/* An emulated GPU takes these values from its environment, in place of those of limits.h. */
#ifdef DBFS_EMULATED
#ifdef __cplusplus
extern "C" {
#endif
uint64_t emulated_most_sliced(void); /* EMULATED_SLICED */
uint64_t emulated_all_sliced(void);  /* EMULATED_ALL_SLICES */
uint64_t emulated_near_sliced(void); /* EMULATED_NEAR */
int emulated_processors(int device); /* of the GPU of EMULATED_DEVICE, whatever EMULATED_PROCESSORS says */
#ifdef __cplusplus
}
#endif
#define SLICED_FAR_DEGREE 0
#define SLICED_MOST_EDGES emulated_most_sliced()
#define SLICED_ALL_EDGES emulated_all_sliced()
#define SLICED_NEAR_VERTICES emulated_near_sliced()
#endif

/* Degrees are alike and not small if the mean degree is at least SLICED_ALIKE_DEGREE, and the largest degree at most
 * SLICED_ALIKE_LONGEST times the mean. Sliced searches of such a graph may have heads (gpu_slices_have_heads). */
enum { SLICED_ALIKE_DEGREE = 8, SLICED_ALIKE_LONGEST = 4 };

/* Degrees are small if the mean degree is below this, as in planar graphs. */
enum { SLICED_DEEP_DEGREE = 6 };

/* The smallest capacity of a sparse frontier of a fused search, in vertices. It is enough for levels that are sparse because of their
 * cost (up to 120,000 found vertices). What the thread group may leave has room where FUSED_LISTED_EDGES edges have. */
enum { FUSED_LEAST_CAPACITY = 1 << 17 };

/* The most roots of a fused search. They are its first sparse frontier, for which gpu_fused_capacity and gpu_peers_capacity have
 * room: two rows for each of so many vertices, and the pieces of all rows. */
enum { FUSED_MOST_ROOTS = PEERS_LISTED_EDGES };

/* Returns an upper bound for the number of work items of a sparse frontier of a fused search. `vertices` and `edges` are
 * those of the shard. A vertex has two rows, one in each subgraph of its kind. Work items of a row that is cut are at
 * least half full. The rows of one subgraph may be cut twice in a level, once to push and once to pull. */
static inline uint64_t gpu_fused_capacity(uint64_t vertices, uint64_t edges)
{
    const uint64_t edges_most = FUSED_LISTED_EDGES, least = FUSED_LEAST_CAPACITY,
                   most = edges_most > least ? edges_most : least,
                   listed = vertices < most ? vertices : most;
    return 2 * listed + edges / (FUSED_ITEM_EDGES / 4) + 64;
}

/* Returns an upper bound for the number of work items of one GPU's sparse frontier in a fused search on several GPUs. Such
 * frontiers have at most PEERS_LISTED_EDGES edges. */
static inline uint64_t gpu_peers_capacity(uint64_t vertices, uint64_t edges)
{
    return gpu_fused_capacity(vertices < PEERS_LISTED_EDGES ? vertices : (uint64_t)PEERS_LISTED_EDGES, edges);
}

/* Returns the number of 32-bit words of a bitmap of a sliced search, a multiple of 4. The bits of the delegates come
 * first, then those of the normals; both begin at a word with an even index. */
static inline uint32_t gpu_sliced_words(uint64_t delegates, uint64_t normals)
{
    return (uint32_t)(((delegates + 63) / 64 * 2 + (normals + 63) / 64 * 2 + 3) / 4 * 4);
}

/* Returns how many of the `words` words of a sliced search's visited bitmap lie in shared memory: all, or those of `near_vertices` vertices
 * (struct sliced_bounds) and up to 63 unused bits behind the delegates. That is as many as fit beside SLICED_BLOCK_BYTES for all else,
 * mostly two lists of slices, because reads of the other words take most of the time of large levels. */
static inline uint32_t gpu_sliced_near(uint32_t words, uint64_t near_vertices)
{
    const uint32_t most = gpu_sliced_words(0, near_vertices + 63);
    return words < most ? words : most;
}

/* Returns an upper bound for the slices of all rows of a sliced search. One slice of each row may have free places. */
static inline uint64_t gpu_sliced_capacity(uint64_t vertices, uint64_t edges)
{
    return (edges + (SLICED_COLUMNS - 1) * vertices) / SLICED_COLUMNS;
}

/* Returns an upper bound for the pieces of long rows in a sliced search with `slices` slices. A long row has at least two
 * pieces, of which one may have less than SLICED_PIECE slices. So there are at most 2 pieces for each SLICED_PIECE
 * slices. */
static inline uint64_t gpu_sliced_pieces(uint64_t slices)
{
    return 2 * slices / SLICED_PIECE;
}

/* Returns an upper bound for the number of pieces of long rows in stepped pushes of a subgraph with `edges` edges. In
 * each long row at most one piece has less than GPU_CHUNK_EDGES edges. */
static inline uint64_t gpu_chunk_capacity(uint64_t edges)
{
    return edges / GPU_CHUNK_EDGES + edges / GPU_LONG_ROW + 1;
}

/* Returns an upper bound for cuda_scan_bytes(count), the scratch memory that CUB needs to scan `count` values. Plans use
 * the bound because they are made without CUDA; gpu_open checks it. */
static inline uint64_t gpu_merge_scratch_bound(uint64_t count)
{
    return (UINT64_C(1) << 16) + count / 32;
}

/* Returns the number of parts of a message about a shard's frontier (struct gpu_frontier_update of cuda_kernels.h). There is a
 * part for each 256 words of the shard's bitmap, which has `shard_words` 32-bit words. */
static inline uint64_t gpu_frontier_update_begins(uint64_t shard_words)
{
    return (shard_words + 255) / 256;
}

#endif
