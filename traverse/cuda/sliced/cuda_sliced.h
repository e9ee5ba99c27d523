/* cuda_sliced.h: sliced searches: a whole search of a small graph as one cooperative kernel on a single GPU
 *
 * The visited bits of all vertices, or of most, fit into the shared memory of each block, where a random read takes a
 * tenth of the time that it takes elsewhere. The graph fits into the cache. So a level takes as long as its barriers and
 * its chains of reads, however much it visits, and is made of one barrier and short chains.
 *   - The subgraphs nn, nd, dn, dd play no part. Vertices of both kinds have one numbering, the delegates first.
 *   - Rows are one list of slices, in the order of vertices. A slice is four columns of a row, and the slices of a row
 *     lie side by side. The weight of a vertex is its number of slices.
 *   - Visited bits are near or far. Each block has the near ones in its shared memory. The far ones, of the vertices
 *     behind the first SLICED_NEAR_VERTICES, which are read least, lie in one bitmap in global memory. Most graphs have
 *     none.
 *   - A level sets the bits of found vertices in a `found` bitmap in global memory. After the barrier each block ORs all
 *     of that bitmap into its near bits, and a share of it into the far bits. That takes no further barrier: a far bit is
 *     always read together with its bit of `found`, and the OR of both stays the same. Both are read from the L2 cache,
 *     or from an L1 cache that the barrier's acquire has emptied. Only the far bitmap changes within a level, and it is
 *     not read through the L1. While the first block works by itself, it sets far bits by atomics, and no other block
 *     reads them.
 * The graph has heads, copies of the first slices of all rows, if it has more than SLICED_ALL_EDGES edges, or far bits;
 * or if it has more than half as many edges, and its degrees are alike and not small: such a graph may be deep, where
 * sparse levels are worth most. A level has one of five kinds (level_kind.h):
 *   - BLOCK: one block pushes a small frontier from a list of slices, and only this block needs the visited bits. The
 *     level waits for one read of global memory, as each column comes with the slices of its vertex. Without heads, each
 *     block does the first few of these levels itself, which saves the barrier after them. Then the first block goes on,
 *     and its levels are one level to the other blocks.
 *   - ALL, without heads: all slices are read, so a level waits for nothing else. An unvisited row is found by each of its
 *     slices that has a visited column. Threads share the slices once and for all, so their first ones stay in registers.
 *   - PULL, with heads: each unvisited row looks for a parent until it has one.
 *   - PUSH, with heads: rows of the frontier are pushed, if that is predicted to read less than PULL.
 *   - SPARSE, with heads: a frontier of up to SLICED_LISTED slices is a list, to which each block adds its part. While
 *     levels are sparse, the visited bits of all blocks are one bitmap in global memory, which no block reads as a whole.
 * When the search is over, the kernel reports that, writes the answer by input id, and reports that, too. No other kernel is
 * launched for the answer. If the first block did the last level by itself, it first writes its visited bits.
 *
 * Bytes of a dense level: n / 8 of visited bits for each block; 8 for each found vertex. ALL reads 20 for each slice
 * beyond those in registers. PULL reads 16 for each row and each slice that is looked at, 8 for each piece of a long row,
 * and two sectors for each far bit. PUSH and BLOCK read 32 for each slice of the frontier, and write a bit for each found
 * vertex. For SPARSE see cuda_sliced_lists.cuh. Of an answer: 4 that are read and 4 that are written for each id; 4 or,
 * of parents, 8 from any place.
 *
 * cuda_fused.h is the twin: it finds the same distances. It runs if directions are asked for (--direction cost, push,
 * pull), and for directed graphs that would have heads, or that have no rows by destination: PULL and PUSH read the same
 * rows.
 *
 * A directed graph has two lists: slices have the rows by destination, which are pulled, and links the rows by source, which
 * the first block pushes. A vertex that no edge leaves has one slice of links, which lead to itself: so each frontier has
 * slices. The weight of a found vertex is that of its row by destination; it is only a cost.
 *
 *   cuda_sliced_block.cuh   a block's memory, and functions of all levels
 *   cuda_sliced_push.cuh    pushes along slices, and lists of slices
 *   cuda_sliced_one.cuh     BLOCK
 *   cuda_sliced_lists.cuh   SPARSE
 *   cuda_sliced_all.cuh     ALL
 *   cuda_sliced_rows.cuh    PULL and PUSH
 *   cuda_sliced_answer.cuh  the answer
 *   cuda_sliced_kernel.cuh  the barrier, the choice of a level's kind, the search
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

/* A slice: columns of one row. The last slice of a row is filled up with the row itself, which is never new to itself. */
struct slice_columns {
    uint32_t column[SLICED_COLUMNS];
};

/* A slice for a push: four links. A link is a column with the slices of its vertex: the number of the first one in
 * SLICED_FIRST_BITS bits, and above them how many there are; SLICED_MANY stands for so many or more. */
struct slice_links {
    struct {
        uint32_t vertex, slices;
    } of[SLICED_COLUMNS];
};

#define SLICED_FIRST ((1u << SLICED_FIRST_BITS) - 1)
#define SLICED_MANY ((1u << (32 - SLICED_FIRST_BITS)) - 1)

/* A word of gpu_sliced.row: a row in SLICED_ROW_BITS bits, and above them its weight; SLICED_MOST_WEIGHT stands for so
 * much or more. */
#define SLICED_ROW ((1u << SLICED_ROW_BITS) - 1)
#define SLICED_WEIGHT_BITS (32 - SLICED_ROW_BITS)
#define SLICED_MOST_WEIGHT ((1u << SLICED_WEIGHT_BITS) - 1)

/* Up to SLICED_PIECE slices of a long row, which has more. */
struct slice_piece {
    uint32_t row;   /* in SLICED_ROW_BITS bits; above them how many slices */
    uint32_t first; /* the number of the first slice */
};

/* Words that blocks write for each other, and for the host. Zero before the first search. */
struct sliced_state {
    /* sums of the words that blocks bring to the barrier of a level (FOUND_SHIFT in cuda_sliced_kernel.cuh); a search uses
     * one set of them, and clears the other one for the next search */
    unsigned long long arrived[2][SLICED_ROUNDS];
    unsigned long long probes[SLICED_ROUNDS][SUBGRAPHS]; /* for notes: columns that were looked at */
    /* after levels of kind BLOCK: the depth of the frontier, and the slices of all vertices that the first block found */
    int32_t depth;
    uint32_t seen;
    uint32_t pieces; /* how many cuda_sliced_fill has made */
    /* the length of each block's part of a sparse frontier, with a tag (TOLD_BITS in cuda_sliced_lists.cuh) */
    unsigned long long told[2][SLICED_MOST_BLOCKS];
    unsigned answered; /* blocks that have written their share of the answer; zero before and after a search */
};

/* An answer of all input ids: depths or, with `ids`, parents. */
struct sliced_answer {
    const uint32_t *vertex; /* [count]: as of struct answer_tables (engine.h); NULL: no answer is written */
    const int32_t *ids;     /* the input id of each vertex, as of the same struct; NULL: depths */
    int32_t *to;            /* [count] */
    uint32_t count;
};

/* A sliced search, the argument of its kernels. All pointers are device memory, except `out.mapped`. */
struct gpu_sliced {
    /* the graph */
    struct slice_columns *slices; /* [count], in the order of rows; at multiples of 16 bytes */
    uint32_t *row;                /* [count]: the row of a slice, with its weight */
    struct slice_links *links;    /* [count]; of a directed graph, of all rows by source; at multiples of 32 bytes */
    uint32_t *link_row;           /* as `row`, for links; the same array if the graph is undirected */
    uint32_t *first;              /* [32 words + 1]: the number of the first slice of links of a vertex */
    /* [32 words]: the first slice of a vertex. The bits above its columns say how many slices the vertex has: each column
     * has SLICED_WEIGHT_BITS of this number, the first one the lowest. 0: the vertex has no edges. NULL: there are no
     * heads */
    struct slice_columns *heads;
    struct slice_piece *pieces; /* [piece_count], of all long rows, in any order */
    uint32_t piece_count, count;
    uint32_t words;   /* of a bitmap of all vertices: a multiple of 4 */
    uint32_t normals; /* vertex v is delegate v; from this number on, which is a multiple of 64, normal v - normals */
    struct gpu_vertices of[VERTEX_KINDS];
    /* the frontier */
    uint32_t *found; /* [SLICED_BITMAPS][words]: one for each round, zero before and after a search; then two far bitmaps */
    uint32_t *far;   /* [words], used from word near_words on: the far bits; searches use the two far bitmaps in turn */
    uint32_t near_words;     /* words of visited bits in shared memory: all, or a multiple of 4 */
    uint32_t block_capacity; /* slices of a frontier that one block pushes, at most */
    uint32_t *list[2];       /* [blocks][list_capacity] slices: sparse frontiers, a part for each block, used in turn */
    uint32_t list_capacity;  /* 0: no sparse levels of all blocks */
    /* one search */
    uint32_t root;
    uint32_t set; /* of state->arrived */
    struct fused_order order;
    struct fused_outputs out;
    struct sliced_answer answer;
    struct sliced_state *state;
};

/* Returns the kernel that fits sliced->heads, words and near_words, without or with notes of levels. */
struct fused_program cuda_sliced_plain(const struct gpu_sliced *sliced);
struct fused_program cuda_sliced_noted(const struct gpu_sliced *sliced);

/* Returns a bound on the bytes of shared memory that a block of any kernel has beside the near bits. */
size_t cuda_sliced_block_bytes(void);

/* Whether the current device can run the kernels for bitmaps of `words` words: near bits fit into its shared memory. */
int cuda_sliced_fits(uint32_t words);

/* Sets blocks, threads and shared memory of *launch for launch->program on the current device, given sliced->words and
 * count. */
cudaError_t cuda_sliced_plan(const struct gpu_sliced *sliced, struct fused_launch *launch);

/* Fills sliced->first for the rows of `csr`, given words, normals and of[].count. Each vertex gets at least `least`
 * slices, 0 or 1. `scratch`: of cuda_scan_bytes(32 words + 1). Returns an error of the scan. */
cudaError_t cuda_sliced_count(const struct gpu_sliced *sliced, const struct gpu_csr csr[SUBGRAPHS], uint32_t least,
                              void *scratch, size_t scratch_bytes, cudaStream_t stream);

/* Fills sliced->row, and those of slices, links and heads that are not NULL, after cuda_sliced_count of the same `csr`. With
 * heads it also fills pieces, and adds their number to state->pieces. */
void cuda_sliced_fill(const struct gpu_sliced *sliced, const struct gpu_csr csr[SUBGRAPHS], cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
