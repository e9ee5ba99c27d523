/* cuda_sliced.h: sliced searches: a whole search of a small graph as one cooperative kernel on a single GPU
 *
 * The visited bits of all vertices, or of most vertices, fit into the shared memory of each block. A random read there takes
 * a tenth of the time of a read elsewhere. The graph fits into the cache. So the time of a level is the time of its barriers
 * and of its chains of dependent reads, and hardly depends on the number of visited vertices. A level therefore has one
 * barrier and short chains.
 * - The subgraphs nn, nd, dn, dd play no part. Vertices of both kinds have one numbering, the delegates first.
 * - A slice is four columns of a row. The slices of a row lie side by side. The slices of all rows are one list, in the
 *   order of vertices. The weight of a vertex is its number of slices.
 * - Visited bits are near or far. Each block has all near bits in its shared memory. The far bits are the bits of the
 *   vertices behind the first SLICED_NEAR_VERTICES vertices. These vertices are read least. The far bits lie in one bitmap
 *   in global memory. Most graphs have no far bits.
 * - A level sets the bits of found vertices in a `found` bitmap in global memory. After the barrier each block ORs the whole
 *   `found` bitmap into its near bits, and a share of the bitmap into the far bits. No further barrier is needed. A far bit
 *   is always read together with its bit of the `found` bitmap, and the OR of both stays the same while a block adds the
 *   bit. Both are read from the L2 cache, or from an L1 cache that the acquire of the barrier has emptied. Within a level
 *   only the far bitmap changes, and the far bitmap is not read through the L1 cache. While the first block works by itself,
 *   it sets far bits by atomics, and no other block reads far bits.
 *
 * Heads are copies of the first slices of all rows. A graph has heads if it has more than SLICED_ALL_EDGES edges, or far
 * bits. A graph also has heads if it has more than half as many edges and its degrees are alike and not small. Such a graph
 * may be deep, and then sparse levels, which need heads, save most. A level has one of five kinds (level_kind.h):
 * - BLOCK: one block pushes a small frontier from a list of slices. Only this block needs the visited bits. The level waits
 *   for one read of global memory, as each column comes with the slices of its vertex. Without heads, each block does the
 *   first few of these levels by itself, which saves the barrier after these levels. After that the first block goes on
 *   alone, and all its levels are one level to the other blocks.
 * - ALL, without heads: all slices are read, so that a level waits for no other read. An unvisited row is found by each of
 *   its slices that has a visited column. Each thread has the same slices in all levels, so its first slices stay in
 *   registers.
 * - PULL, with heads: each unvisited row looks for a parent until it has found one.
 * - PUSH, with heads: the rows of the frontier are pushed. PUSH is chosen if it is predicted to read less than PULL.
 * - SPARSE, with heads: a frontier of up to SLICED_LISTED slices is a list. Each block adds its part to the list. While
 *   levels are sparse, the visited bits of all blocks are one bitmap in global memory, which no block reads as a whole.
 *
 * When the search is over, the kernel reports the end to the host. Then it writes the answer by input id, and reports that
 * the answer is complete. No other kernel is launched for the answer. If the first block did the last level by itself, it
 * writes its visited bits first.
 *
 * Bytes that a dense level moves: n / 8 of visited bits for each block, and 8 for each found vertex. ALL also reads 20 for
 * each slice that is not in registers. PULL reads 16 for each row and for each slice that is looked at, 8 for each piece of
 * a long row, and two sectors for each far bit. PUSH and BLOCK read 32 for each slice of the frontier, and write a bit for
 * each found vertex. cuda_sliced_lists.cuh has the bytes of SPARSE. Bytes that the answer moves for each id: 4 that are read
 * and 4 that are written in order, and 4 (of a depth) or 8 (of a parent) that are read from any place.
 *
 * The kernel of cuda_fused.h finds the same distances. It runs in place of this kernel if directions are asked for
 * (--direction cost, push, pull), and for directed graphs without rows by destination. It also runs for directed graphs that
 * would have heads, as PULL and PUSH read the same rows.
 *
 * A directed graph has two lists. `slices` are the rows by destination, which are pulled. `links` are the rows by source,
 * which the first block pushes. A vertex that no edge leaves has one slice of links, which lead to the vertex itself: so
 * each frontier has slices. The weight of a vertex that ALL finds is the number of slices of its row by destination. The
 * weight of a frontier is only used as a cost.
 *
 *   cuda_sliced_block.cuh   a block's memory, and functions of all levels
 *   cuda_sliced_push.cuh    pushes along slices, and lists of slices
 *   cuda_sliced_one.cuh     BLOCK
 *   cuda_sliced_lists.cuh   SPARSE
 *   cuda_sliced_all.cuh     ALL
 *   cuda_sliced_rows.cuh    PULL and PUSH
 *   cuda_sliced_answer.cuh  the answer
 *   cuda_sliced_kernel.cuh  the barrier, the choice of a level's kind, the search: the file to begin with
 *   cuda_sliced_plain.cu, cuda_sliced_noted.cu  the kernels without and with notes of levels; the launch
 *   cuda_sliced_fill.cu     makes slices
 *   cuda_sliced_run.c       the host's side
 */
#ifndef DBFS_CUDA_SLICED_H
#define DBFS_CUDA_SLICED_H

#include "traverse/cuda/fused/cuda_fused.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A slice: SLICED_COLUMNS columns of one row. The last slice of a row may have fewer columns; the number of the row itself
 * fills it up. A row never finds itself, so these columns have no effect. */
struct slice_columns {
    uint32_t column[SLICED_COLUMNS];
};

/* A slice for a push: four links. A link is a column together with the slices of the column's vertex. `slices` has the
 * number of the vertex's first slice in its lower SLICED_FIRST_BITS bits, and in the bits above how many slices the vertex
 * has. SLICED_MANY stands for SLICED_MANY slices or more. */
struct slice_links {
    struct {
        uint32_t vertex, slices;
    } of[SLICED_COLUMNS];
};

#define SLICED_FIRST ((1u << SLICED_FIRST_BITS) - 1)
#define SLICED_MANY ((1u << (32 - SLICED_FIRST_BITS)) - 1)

/* A word of gpu_sliced.row: a row in the lower SLICED_ROW_BITS bits, and in the bits above the weight of the row.
 * SLICED_MOST_WEIGHT stands for a weight of SLICED_MOST_WEIGHT or more. */
#define SLICED_ROW ((1u << SLICED_ROW_BITS) - 1)
#define SLICED_WEIGHT_BITS (32 - SLICED_ROW_BITS)
#define SLICED_MOST_WEIGHT ((1u << SLICED_WEIGHT_BITS) - 1)

/* A piece of a long row: up to SLICED_PIECE of its slices. A long row has more than SLICED_PIECE slices. */
struct slice_piece {
    uint32_t row;   /* the row in SLICED_ROW_BITS bits; in the bits above how many slices the piece has */
    uint32_t first; /* the number of the first slice of the piece */
};

/* Words in global memory that blocks write for each other and for the host. All are zero before the first search. */
struct sliced_state {
    /* for each round, the sum of the words that blocks bring to the barrier of a level (FOUND_SHIFT in
     * cuda_sliced_kernel.cuh). A search uses one of the two sets, and clears the other set for the next search */
    unsigned long long arrived[2][SLICED_ROUNDS];
    unsigned long long probes[SLICED_ROUNDS][SUBGRAPHS]; /* for notes: columns that a level looked at */
    /* written by the first block after levels of kind BLOCK: the depth of the frontier, and the slices of all vertices that
     * these levels found */
    int32_t depth;
    uint32_t seen;
    uint32_t pieces; /* pieces of long rows that cuda_sliced_fill has made */
    /* the length of each block's part of a sparse frontier, with a tag (TOLD_BITS in cuda_sliced_lists.cuh); frontiers use
     * the two rows in turn */
    unsigned long long told[2][SLICED_MOST_BLOCKS];
    unsigned answered; /* blocks that have written their share of the answer; zero before and after a search */
};

/* The answer that a search writes itself, for all input ids: depths or, if `ids` is not NULL, parents. */
struct sliced_answer {
    const uint32_t *vertex; /* [count]: the number of the vertex of each id (answer_tables, engine.h); NULL: no answer */
    const int32_t *ids;     /* the input id of each vertex (answer_tables, engine.h); NULL: the answer is depths */
    int32_t *to;            /* [count]: receives the values, by input id */
    uint32_t count;         /* input ids */
};

/* A sliced search, the argument of its kernels. All pointers point to device memory, except out.mapped. */
struct gpu_sliced {
    /* the graph */
    struct slice_columns *slices; /* [count], in the order of rows; aligned to 16 bytes */
    uint32_t *row;                /* [count]: the row of each slice, and the row's weight above it (SLICED_ROW) */
    struct slice_links *links;    /* of `slices`; in a directed graph, of all rows by source. Aligned to 32 bytes */
    uint32_t *link_row;           /* the row of each slice of links, as `row`; the same array if the graph is undirected */
    uint32_t *first;              /* [32 words + 1]: the number of each vertex's first slice of links; then of all */
    /* [32 words]: a copy of the first slice of each vertex. The bits above each column have a part of the number of the
     * vertex's slices: SLICED_WEIGHT_BITS bits each, the lowest bits in the first column. A number 0 says that the vertex
     * has no edges. NULL: the graph has no heads */
    struct slice_columns *heads;
    struct slice_piece *pieces; /* [piece_count]: the pieces of all long rows, in any order */
    uint32_t piece_count, count;
    uint32_t words;   /* words of a bitmap of all vertices: a multiple of 4 */
    uint32_t normals; /* vertex v below this is delegate v; vertex v from this on is normal v - normals. A multiple of 64 */
    struct gpu_vertices of[VERTEX_KINDS];
    /* the frontier */
    uint32_t *found; /* [SLICED_BITMAPS][words]: a bitmap for each round, zero before and after a search; two far bitmaps */
    uint32_t *far;   /* [words]: the far bits, from word near_words on. Searches use the two far bitmaps in turn */
    uint32_t near_words;     /* words of visited bits in shared memory: all words, or a multiple of 4 */
    uint32_t block_capacity; /* most slices of a frontier that one block pushes */
    uint32_t *list[2];       /* [blocks][list_capacity] slices: sparse frontiers in turn, a part for each block */
    uint32_t list_capacity;  /* most slices of a block's part; 0: there are no sparse levels of all blocks */
    /* one search */
    uint32_t root;
    uint32_t set; /* 0 or 1: the set of state->arrived, and the far bitmap, that the search uses */
    struct fused_order order;
    struct fused_outputs out;
    struct sliced_answer answer;
    struct sliced_state *state;
};

/* Return the kernel that fits the graph (sliced->heads, words and near_words). cuda_sliced_plain returns the kernel without
 * notes of levels, cuda_sliced_noted the kernel with notes. */
struct fused_program cuda_sliced_plain(const struct gpu_sliced *sliced);
struct fused_program cuda_sliced_noted(const struct gpu_sliced *sliced);

/* Returns the most bytes of shared memory that a block of any kernel has beside its near bits. */
size_t cuda_sliced_block_bytes(void);

/* Whether the current device can run the kernels for visited bits of `words` words: it has cooperative launches, and the
 * near bits fit into the shared memory of a block. */
int cuda_sliced_fits(uint32_t words);

/* Sets blocks, threads and shared memory of *launch for the kernel launch->program on the current device. Reads
 * sliced->words and sliced->count. Also allows the kernel to use this much shared memory. Returns the error of that call. */
cudaError_t cuda_sliced_plan(const struct gpu_sliced *sliced, struct fused_launch *launch);

/* Launches, on `stream`, the filling of sliced->first for the rows `csr`. Reads words, normals and of[].count. Each vertex
 * gets at least `least` slices, 0 or 1. `scratch`: device memory of cuda_scan_bytes(32 words + 1) bytes. Returns an error of
 * the prefix sum. */
cudaError_t cuda_sliced_count(const struct gpu_sliced *sliced, const struct gpu_csr csr[SUBGRAPHS], uint32_t least,
                              void *scratch, size_t scratch_bytes, cudaStream_t stream);

/* Launches, on `stream`, the filling of the arrays of the graph, after cuda_sliced_count of the same `csr`. Fills
 * sliced->row. Of slices, links and heads it fills the arrays that are not NULL. If heads are not NULL, it also fills
 * `pieces`, and adds the number of pieces to state->pieces. */
void cuda_sliced_fill(const struct gpu_sliced *sliced, const struct gpu_csr csr[SUBGRAPHS], cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
