/* cuda_limits.h: sizes that kernels and the plan of device memory share */
#ifndef DBFS_CUDA_LIMITS_H
#define DBFS_CUDA_LIMITS_H

#include "formats/limits.h"

#include <stddef.h>
#include <stdint.h>

enum {
    GPU_CHUNK_EDGES = 512,                /* of a piece of a long row */
    GPU_LONG_ROW = 2 * GPU_CHUNK_EDGES,   /* rows from here on are cut into pieces */
    GPU_COUNTER_BYTES = 1024,
    GPU_MOST_SHARDS = 4096                /* bins, one a shard, of which all fit into shared memory */
};

/* Sizes for fused searches (cuda_fused.h), and for sliced ones (cuda_sliced.h). */
enum {
    FUSED_ITEM_EDGES = 256,       /* of a piece of a row */
    FUSED_ROW_TOGETHER = 128,      /* columns that one warp visits in a dense level: longer rows are shared */
    FUSED_ITEM_BYTES = 16,        /* of struct work_item */
    FUSED_STATE_BYTES = 4096,
    FUSED_NOTE_BYTES = 112,        /* of struct fused_note */
    PEERS_STATE_BYTES = 16384,
    SLICED_MOST_BLOCKS = 1023,    /* of a grid */
    SLICED_STATE_BYTES = 20480,
    SLICED_ROUNDS = 3,            /* `found` bitmaps and counters that levels use in turn */
    SLICED_BITMAPS = SLICED_ROUNDS + 2, /* and far bits of two searches in turn */
    SLICED_COLUMNS = 4,           /* of a slice */
    SLICED_ROW_BITS = 22,
    SLICED_FIRST_BITS = 26,
    SLICED_SLICE_BYTES = 16,      /* of struct slice_columns */
    SLICED_LINKS_BYTES = 32,      /* of struct slice_links */
    SLICED_PIECE = 64,            /* slices of a piece of a long row */
    SLICED_PIECE_BYTES = 8,       /* of struct slice_piece */
    PEERS_ARRIVAL_BYTES = 8       /* of a vertex that a peer sends, with a number */
};

/* Sizes at which a search chooses otherwise. An emulated GPU (tests/emulator) has smaller ones,
 * so that small graphs reach every choice. */
#ifdef DBFS_EMULATED
#define SIZE(real, emulated) (emulated)
#else
#define SIZE(real, emulated) (real)
#endif
enum {
    SEARCH_LISTED = SIZE(1 << 18, 1 << 6),       /* vertices that a previsit lists; a push may list more */
    SEARCH_PART_ROWS = SIZE(1 << 20, 1 << 5),    /* rows of dd to pull: beyond, two parts pay for a reduction by messages */
    SEARCH_MERGE_EDGES = SIZE(1 << 16, 1 << 9),  /* dd is pushed by equal shares of edges */
    FUSED_LISTED_EDGES = SIZE(1 << 20, 1 << 11), /* edges of a list that is expanded into another one, at most */
    FUSED_FEW_EDGES = SIZE(1 << 14, 1 << 7),     /* edges to push, at most, before whose atomics no visited bit is read */
    FUSED_NOTES_KEPT = SIZE(1 << 14, 1 << 4),    /* levels that the device notes before the host must take the notes */
    FUSED_HUBS_FROM = SIZE(1 << 24, 1 << 7),     /* vertices of a device, from which on its blocks keep a hub bitmap */
    FUSED_MOST_HUB_WORDS = SIZE(1 << 14, 1 << 1),     /* words of a hub bitmap, at most */
    LOAD_PIECE_GROUPS = SIZE(1 << 7, 1),         /* of packed columns, 2^19 each, that are decoded at a time */
    PEERS_LISTED_EDGES = SIZE(1 << 16, 1 << 8),  /* of the sparse frontiers of all GPUs that search together, at most */
    PEERS_BLOCK_ITEMS = SIZE(1 << 8, 1 << 3),    /* work items of a GPU that its first block does by itself, at most */
    PEERS_BLOCK_EDGES = SIZE(1 << 10, 1 << 5),   /* the same, of edges, as the mean of all GPUs */
    PEERS_NUMBERS = SIZE(1 << 30, 1 << 5),       /* numbers of barriers: a search that begins beyond begins with 0 again */
    PEERS_PART_ROWS = SIZE(1 << 18, 1 << 5),     /* rows of dd to pull: beyond, two parts pay for a barrier */
    SLICED_BLOCK_SLICES = SIZE(1 << 12, 1 << 6),   /* of a frontier that one block pushes, at most: its capacity */
    SLICED_BLOCK_LEAST = SIZE(1 << 9, 1 << 4),     /* the same, of the smallest graphs */
    SLICED_LISTED = SIZE(1 << 16, 1 << 10),      /* of a sparse frontier of all blocks, at most */
    SLICED_PART = SIZE(1 << 13, 1 << 8)          /* of a block's part of such a frontier, at most */
};
#undef SIZE

/* The emulator's values, from its environment, replace those of limits.h. */
#ifdef DBFS_EMULATED
#ifdef __cplusplus
extern "C" {
#endif
uint64_t emulated_most_sliced(void); /* EMULATED_SLICED */
uint64_t emulated_all_sliced(void);  /* EMULATED_ALL_SLICES */
uint64_t emulated_near_sliced(void); /* EMULATED_NEAR */
#ifdef __cplusplus
}
#endif
#define SLICED_FAR_DEGREE 0
#define SLICED_MOST_EDGES emulated_most_sliced()
#define SLICED_ALL_EDGES emulated_all_sliced()
#define SLICED_NEAR_VERTICES emulated_near_sliced()
#endif

/* Degrees are alike and not small if their mean is at least the first of these, and the largest degree is at most the
 * second one times the mean. Sliced searches then have heads. */
enum { SLICED_ALIKE_DEGREE = 8, SLICED_ALIKE_LONGEST = 4 };

/* The least capacity of a sparse frontier of a fused search, in vertices. A thread group leaves a frontier of up to
 * 16 * 1024 * 8, and a level that is small by its cost finds up to 120,000. */
enum { FUSED_LEAST_CAPACITY = 1 << 17 };

/* Returns the most work items of a sparse frontier of a fused search. A vertex has two rows. A row that is cut fills its
 * items by half at least. A level may cut the rows of one subgraph twice, to push and to pull. */
static inline uint64_t gpu_fused_capacity(uint64_t vertices, uint64_t edges)
{
    const uint64_t edges_most = FUSED_LISTED_EDGES, least = FUSED_LEAST_CAPACITY,
                   most = edges_most > least ? edges_most : least,
                   listed = vertices < most ? vertices : most;
    return 2 * listed + edges / (FUSED_ITEM_EDGES / 4) + 64;
}

/* Returns the same for a GPU that searches together with peers. */
static inline uint64_t gpu_peers_capacity(uint64_t vertices, uint64_t edges)
{
    return gpu_fused_capacity(vertices < PEERS_LISTED_EDGES ? vertices : (uint64_t)PEERS_LISTED_EDGES, edges);
}

/* Returns the words of a bitmap of a sliced search, a multiple of 4. It has the delegates, then the normals. Each kind
 * begins with an even word. */
static inline uint32_t gpu_sliced_words(uint64_t delegates, uint64_t normals)
{
    return (uint32_t)(((delegates + 63) / 64 * 2 + (normals + 63) / 64 * 2 + 3) / 4 * 4);
}

/* Returns how many of these words lie in shared memory: at most those of SLICED_NEAR_VERTICES vertices. */
static inline uint32_t gpu_sliced_near(uint32_t words)
{
    const uint32_t most = (uint32_t)(((SLICED_NEAR_VERTICES + 126) / 64 * 2 + 3) / 4 * 4);
    return words < most ? words : most;
}

/* Returns a bound on the slices of all rows: in each row at most one slice is not full. */
static inline uint64_t gpu_sliced_capacity(uint64_t vertices, uint64_t edges)
{
    return (edges + (SLICED_COLUMNS - 1) * vertices) / SLICED_COLUMNS;
}

/* Returns a bound on the pieces of long rows: a row that has any has more than one, and at most one that is not full. */
static inline uint64_t gpu_sliced_pieces(uint64_t slices)
{
    return 2 * slices / SLICED_PIECE;
}

/* Returns a bound on the pieces that stepped pushes cut the long rows of a subgraph into: in each row at most one piece
 * is not full. */
static inline uint64_t gpu_chunk_capacity(uint64_t edges)
{
    return edges / GPU_CHUNK_EDGES + edges / GPU_LONG_ROW + 1;
}

/* Returns a bound on the scratch bytes that CUB asks for to scan `count` words. */
static inline uint64_t gpu_merge_scratch_bound(uint64_t count)
{
    return (UINT64_C(1) << 16) + count / 32;
}

/* Returns how many parts the message about a shard has, each of which begins with a word of the message: 256 words of the
 * shard's bitmap are a part (struct gpu_frontier_update of cuda_kernels.h). */
static inline uint64_t gpu_frontier_update_begins(uint64_t shard_words)
{
    return (shard_words + 255) / 256;
}

#endif
