/* cuda_sliced.h: sliced searches: a whole search of a small graph as one cooperative kernel on a single GPU
 *
 * A block keeps the visited bits of all vertices, or of most vertices, in its own shared memory. A random read of shared
 * memory takes a tenth of the time of another read. The graph fits into the cache. So the time of a level is the time of
 * its barriers and of its chains of dependent reads. The number of visited vertices hardly matters. A level therefore has
 * one barrier and short chains.
 * - The subgraphs nn, nd, dn, dd play no part. Vertices of both kinds have one numbering, in which the delegates come
 *   first.
 * - A slice is four columns of a row. The slices of a row lie side by side. The slices of all rows are one list, in the
 *   order of vertices. The weight of a vertex is its number of slices.
 * - A visited bit is called near if it lies in shared memory. Each block has all near bits in its own shared memory. A
 *   visited bit is called far if it lies in global memory. The vertices behind the first SLICED_NEAR_VERTICES vertices
 *   have far bits. These vertices are read least. All blocks share one bitmap of far bits. Most graphs have no far bits.
 * - A level sets the bits of found vertices in a bitmap in global memory, the `found` bitmap. The barrier of the level
 *   follows. After the barrier each block ORs the whole `found` bitmap into its near bits. Each block also ORs a share of
 *   the `found` bitmap into the far bits. No further barrier is needed, as a far bit is always read together with its bit
 *   of the `found` bitmap. The OR of the two bits stays the same while a block adds the bit. Both bits are read from the
 *   L2 cache, or from an L1 cache that the acquire of the barrier has emptied. Within a level only the far bitmap
 *   changes, and the far bitmap is not read through the L1 cache. While the first block works by itself, it sets far bits
 *   by atomics, and no other block reads far bits.
 *
 * Heads are copies of the first slices of all rows. A graph has heads in three cases:
 * - The graph has more than SLICED_ALL_EDGES edges.
 * - The graph has far bits.
 * - The graph is undirected, and has more than half of SLICED_ALL_EDGES edges. Its degrees are alike and not small. Such a
 *   graph may be deep. In a deep graph sparse levels save most, and sparse levels need heads.
 *
 * A level has one of five kinds (level_kind.h):
 * - BLOCK: one block pushes a small frontier from a list of slices. Only this block needs the visited bits. The level
 *   waits for one read of global memory only, as each column is stored with the slices of its vertex. Without heads, each
 *   block does the first few of these levels by itself. This saves the barriers of these levels. After these levels the
 *   first block goes on alone. All levels of the first block count as one level for the other blocks.
 * - ALL, in graphs without heads: all slices are read, so that a level waits for no other read. An unvisited row is found
 *   by each of its slices that has a visited column. Each thread has the same slices in all levels, so its first slices
 *   stay in registers.
 * - PULL, in graphs with heads: each unvisited row looks for a parent until it has found one.
 * - PUSH, in graphs with heads: the rows of the frontier are pushed. PUSH is chosen if it is predicted to read less than
 *   PULL.
 * - SPARSE, in graphs with heads: a frontier of up to SLICED_LISTED slices is a list. Each block adds a part to the list.
 *   While levels are sparse, the visited bits of all blocks are one bitmap in global memory. No block reads the whole
 *   bitmap.
 *
 * When the search is over, the kernel reports the end to the host. Then the kernel writes the answer by input id, and
 * reports that the answer is complete. No other kernel is launched for the answer. If the first block did the last level
 * by itself, the first block writes its visited bits before the answer.
 *
 * Bytes that a level moves in a graph of n vertices:
 * - ALL, PULL, PUSH: n / 8 of visited bits for each block, and 8 for each found vertex
 * - ALL: also 20 for each slice that is not in registers
 * - PULL: also 16 for each row, 16 for each further slice that is looked at, 8 for each piece of a long row, and two
 *   sectors for each far bit
 * - PUSH and BLOCK: 32 for each slice of the frontier, and a bit for each found vertex
 *
 * The bytes of SPARSE are in cuda_sliced_lists.cuh. For each id, the answer reads 4 bytes and writes 4 bytes in order. It
 * also reads 4 bytes (of a depth) or 8 bytes (of a parent) at random places.
 *
 * The kernel of cuda_fused.h finds the same distances. It runs in place of this kernel in three cases:
 * - Directions are asked for (--direction cost, push, pull).
 * - The graph is directed and has no rows by destination.
 * - The graph is directed and would have heads. PULL and PUSH read the same rows, so they need an undirected graph.
 *
 * A directed graph has two lists of slices. `slices` are the rows by destination, which are pulled. `links` are the rows
 * by source, which the first block pushes. A vertex without outgoing edges has one slice of links, and these links lead
 * to the vertex itself. So each frontier has slices. The weight of a vertex that ALL finds is the number of slices of the
 * vertex's row by destination. The weight of a frontier is only used as a cost.
 *
 *   cuda_sliced_block.cuh   the shared memory of a block, and functions of all levels
 *   cuda_sliced_push.cuh    pushes along slices, and lists of slices
 *   cuda_sliced_one.cuh     BLOCK
 *   cuda_sliced_lists.cuh   SPARSE
 *   cuda_sliced_all.cuh     ALL
 *   cuda_sliced_rows.cuh    PULL and PUSH
 *   cuda_sliced_answer.cuh  the answer
 *   cuda_sliced_kernel.cuh  the barrier, the choice of a level's kind, the search: the file to begin with
 *   cuda_sliced_plain.cu    the kernels without notes of levels, and the launch
 *   cuda_sliced_noted.cu    the kernels with notes of levels
 *   cuda_sliced_fill.cu     makes slices
 *   cuda_sliced_run.c       the host's side
 */
#ifndef DBFS_CUDA_SLICED_H
#define DBFS_CUDA_SLICED_H

#include "traverse/cuda/fused/cuda_fused.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A slice: SLICED_COLUMNS columns of one row. If the last slice of a row has fewer columns, the number of the row itself
 * stands in the free places. A row never finds itself, so these places have no effect. */
struct slice_columns {
    uint32_t column[SLICED_COLUMNS];
};

/* A slice for a push: four links. A link is a column together with the slices of the column's vertex. The lower
 * SLICED_FIRST_BITS bits of `slices` are the number of the vertex's first slice. The bits above are the number of the
 * vertex's slices. SLICED_MANY stands for SLICED_MANY slices or more. */
struct slice_links {
    struct {
        uint32_t vertex, slices;
    } of[SLICED_COLUMNS];
};

#define SLICED_FIRST ((1u << SLICED_FIRST_BITS) - 1)
#define SLICED_MANY ((1u << (32 - SLICED_FIRST_BITS)) - 1)

/* A word of gpu_sliced.row: the lower SLICED_ROW_BITS bits are the number of a row, and the bits above are the weight of
 * the row. SLICED_MOST_WEIGHT stands for a weight of SLICED_MOST_WEIGHT or more. */
#define SLICED_ROW ((1u << SLICED_ROW_BITS) - 1)
#define SLICED_WEIGHT_BITS (32 - SLICED_ROW_BITS)
#define SLICED_MOST_WEIGHT ((1u << SLICED_WEIGHT_BITS) - 1)

/* A piece of a long row: up to SLICED_PIECE of its slices. A long row has more than SLICED_PIECE slices. */
struct slice_piece {
    uint32_t row;   /* the lower SLICED_ROW_BITS bits are the row, the bits above are the number of slices of the piece */
    uint32_t first; /* the number of the first slice of the piece */
};

/* Words in global memory that blocks write for each other and for the host. All are zero before the first search. */
struct sliced_state {
    /* for each round, the sum of the words that blocks add at the barrier of a level (FOUND_SHIFT in
     * cuda_sliced_kernel.cuh). A search uses one of the two sets of sums, and clears the other set for the next search */
    unsigned long long arrived[2][SLICED_ROUNDS];
    unsigned long long probes[SLICED_ROUNDS][SUBGRAPHS]; /* for notes: the number of columns that a level looked at */
    /* the depth of the frontier, and the number of slices of all vertices that levels of kind BLOCK found. The first
     * block writes both numbers after these levels */
    int32_t depth;
    uint32_t seen;
    uint32_t pieces; /* the number of pieces of long rows that cuda_sliced_fill has made */
    /* for each block, the length of its part of a sparse frontier, with a tag (TOLD_BITS in cuda_sliced_lists.cuh).
     * Frontiers use the two rows of this array in turn */
    unsigned long long told[2][SLICED_MOST_BLOCKS];
    unsigned answered; /* the number of blocks that have written their share of the answer; zero before and after a search */
};

/* The answer that a search writes itself, for all input ids. The values are parents if `ids` is not NULL, and depths
 * otherwise. */
struct sliced_answer {
    const uint32_t *vertex; /* [count]: for each id, the number of its vertex (answer_tables, engine.h); NULL: no answer */
    const int32_t *ids;     /* for each vertex, its input id (answer_tables, engine.h); NULL: the values are depths */
    int32_t *to;            /* [count]: receives the values, by input id */
    uint32_t count;         /* the number of input ids */
};

/* A sliced search, the argument of its kernels. All pointers point to device memory, except out.mapped. */
struct gpu_sliced {
    /* the graph */
    struct slice_columns *slices; /* [count], in the order of rows; aligned to 16 bytes */
    uint32_t *row;                /* [count]: for each slice, its row with the weight of the row (SLICED_ROW) */
    /* the links of `slices`; in a directed graph, the links of all rows by source. Aligned to 32 bytes */
    struct slice_links *links;
    /* for each slice of links, its row with the weight of the row, like `row`; the array `row` itself if the graph is
     * undirected */
    uint32_t *link_row;
    /* [32 words + 1]: for each vertex, the number of its first slice of links. The last element is the number of all
     * slices */
    uint32_t *first;
    /* [32 words]: for each vertex, a copy of its first slice. NULL: the graph has no heads. The upper SLICED_WEIGHT_BITS
     * bits of each column hold a part of the number of the vertex's slices. The first column holds the lowest bits of
     * this number. The number is 0 if the vertex has no edges */
    struct slice_columns *heads;
    struct slice_piece *pieces; /* [piece_count]: the pieces of all long rows, in any order */
    uint32_t piece_count, count;
    uint32_t words;   /* the number of words of a bitmap of all vertices, a multiple of 4 */
    /* vertex v is delegate v if v is below `normals`, and normal v - normals otherwise. A multiple of 64 */
    uint32_t normals;
    struct gpu_vertices of[VERTEX_KINDS];
    /* the frontier */
    /* [SLICED_BITMAPS][words]: first a `found` bitmap for each round, zero before and after a search. Two far bitmaps
     * follow */
    uint32_t *found;
    /* [words]: the far bitmap of this search, used from word near_words on. Searches take the two far bitmaps in turn */
    uint32_t *far;
    uint32_t near_words;     /* the number of words of visited bits in shared memory: all words, or a multiple of 4 */
    uint32_t block_capacity; /* the largest number of slices of a frontier that one block pushes */
    /* [blocks][list_capacity]: slices of a sparse frontier, a part for each block. Frontiers use the two lists in turn */
    uint32_t *list[2];
    uint32_t list_capacity;  /* the largest number of slices of a block's part; 0: no SPARSE levels */
    /* one search */
    uint32_t root;
    uint32_t set; /* 0 or 1: which set of state->arrived, and which far bitmap, the search uses */
    struct fused_order order;
    struct fused_outputs out;
    struct sliced_answer answer;
    struct sliced_state *state;
};

/* Return the kernel that fits the graph. The choice depends on sliced->heads, words and near_words. cuda_sliced_plain
 * returns a kernel without notes of levels. cuda_sliced_noted returns a kernel with notes of levels. */
struct fused_program cuda_sliced_plain(const struct gpu_sliced *sliced);
struct fused_program cuda_sliced_noted(const struct gpu_sliced *sliced);

/* Returns how many bytes of shared memory a block needs in addition to the visited bits. This is the number for the
 * kernel that needs most. */
size_t cuda_sliced_block_bytes(void);

/* Returns whether the current device can run the kernels for visited bits of `words` words. The device must have
 * cooperative launches. The shared memory of a block must hold the near bits. */
int cuda_sliced_fits(uint32_t words);

/* Sets blocks, threads and shared memory of *launch for the kernel launch->program on the current device. Reads
 * sliced->words and sliced->count. Then allows the kernel to use this amount of shared memory, and returns the error of
 * that call. */
cudaError_t cuda_sliced_plan(const struct gpu_sliced *sliced, struct fused_launch *launch);

/* Launches, on `stream`, the filling of sliced->first for the rows `csr`. Reads words, normals and of[].count of *sliced.
 * Each vertex gets at least `least` slices, 0 or 1. `scratch` is device memory of cuda_scan_bytes(32 words + 1) bytes.
 * Returns an error of the prefix sum. */
cudaError_t cuda_sliced_count(const struct gpu_sliced *sliced, const struct gpu_csr csr[SUBGRAPHS], uint32_t least,
                              void *scratch, size_t scratch_bytes, cudaStream_t stream);

/* Launches, on `stream`, the filling of the arrays of the graph. cuda_sliced_count of the same `csr` comes before this
 * call. Fills sliced->row. Fills each of slices, links and heads unless it is NULL. If heads are not NULL, also fills
 * `pieces`, and adds the number of pieces to state->pieces. */
void cuda_sliced_fill(const struct gpu_sliced *sliced, const struct gpu_csr csr[SUBGRAPHS], cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
