/* cuda_sliced.h: a whole search of a graph of few vertices as one cooperative kernel, on a single GPU.
 *
 * The visited bits of all vertices fit into the shared memory of each block, where a random read takes a tenth of the time
 * that it takes elsewhere. And the graph fits the cache, so a level takes as long as its barriers and its chains of reads,
 * however much it visits. So a level has one barrier and short chains. The subgraphs nn, nd, dn, dd play no part:
 *   - Vertices of both kinds have one numbering, the delegates first. Their rows are one list of slices, hubs first. A
 *     slice is four columns of a row; a row of several slices has them side by side. The weight of a vertex is its number
 *     of slices.
 *   - Each block has the visited bits of all vertices in shared memory: of a graph with more than SLICED_NEAR_VERTICES
 *     those of the first vertices, which are read most. The others, the far bits, lie in one bitmap in global memory.
 *   - A level sets the bits of found vertices in a `found` bitmap. After the barrier each block adds all of it to its
 *     visited bits. A far bit is read as the far bitmap or'ed with what the level before found. Meanwhile each block adds
 *     its share of `found` to the far bitmap, so no further barrier is needed: the sum stays the same. Both are read from
 *     the L2 cache, or from an L1 cache that the barrier's acquire has emptied; only the far bitmap changes in a level,
 *     and it is not read through the L1. While the first block works by itself, it sets far bits by atomics, and no other
 *     block reads them.
 * A level has one of five kinds (level_kind.h):
 *   - BLOCK: one block pushes a small frontier, from a list of slices, and only this block needs the visited bits. A
 *     level waits for one read, as each column comes with the slices of its vertex. Without heads, each block does the
 *     first few of these levels itself, which saves the barrier after them; then the first block goes on, and its levels
 *     are one level to the others.
 *   - ALL, in a graph of at most SLICED_ALL_EDGES: all edges are read, so a level waits for nothing else. A slice finds its
 *     row if that is not visited, and one of its columns is. Threads share the slices once and for all, so their first ones
 *     stay in registers.
 *   - PULL, in a larger graph: each unvisited row looks for a parent until it has one.
 *   - PUSH, in a larger graph: rows of the frontier are pushed, if that is predicted to read less than PULL.
 *   - SPARSE, in a larger graph: frontiers of up to SLICED_LISTED slices are lists, to which each block adds its part. While
 *     levels are sparse, the visited bits of all blocks are one bitmap in global memory, and none reads the whole bitmap.
 *   A graph is larger, too, if it has half as many edges, and its degrees are alike and not small: it may be deep, and
 *   sparse levels are worth most there. A larger graph has heads (below).
 * When the search is over, the kernel reports it, goes on to write the answer by input id, and reports that, too: no
 * other kernel is launched for the answer. If the first block did the last level by itself, it first writes its visited
 * bits. Bytes of a dense level: n / 8 of visited bits for each block; 8 for each vertex that is found; and 20 for each
 * slice beyond those in registers, or, in a larger graph, 16 for each row and each slice that is looked at, 8 for each
 * piece of a long row, and two sectors for each far bit. A push reads 32 for each slice of the frontier and writes a bit
 * for each vertex that it finds, as does one block; sparse levels: cuda_sliced_lists.cuh. Of an answer: 4 that are read
 * and 4 that are written for each id, and 4 or, of parents, 8 from any place.
 *
 * cuda_fused.h is the twin: it finds the same distances. It runs if directions are asked for
 * (--direction cost, push, pull), and for directed graphs with more than SLICED_ALL_EDGES edges or without rows by
 * destination: PULL and PUSH read the same rows. Graphs with far bits have more edges than that.
 *
 * A directed graph has two lists: slices hold rows by destination, which are pulled, and links hold rows by source, which
 * the first block pushes. A vertex that no edge leaves has one slice of links, which lead to itself: so each frontier has
 * slices. Found vertices are weighed by their rows by destination, as a cost only.
 *
 *   cuda_sliced_block.cuh   a block's memory, and functions of all levels
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

/* A slice for a push: each column with the slices of its vertex, as SLICED_FIRST_BITS bits of the first one's number, and
 * above them how many they are, at most SLICED_MANY, which stands for more, too. */
struct slice_links {
    struct {
        uint32_t vertex, slices;
    } of[SLICED_COLUMNS];
};

#define SLICED_FIRST ((1u << SLICED_FIRST_BITS) - 1)
#define SLICED_MANY ((1u << (32 - SLICED_FIRST_BITS)) - 1)

/* A row in SLICED_ROW_BITS bits, and above them its weight, at most SLICED_MOST_WEIGHT. */
#define SLICED_ROW ((1u << SLICED_ROW_BITS) - 1)
#define SLICED_WEIGHT_BITS (32 - SLICED_ROW_BITS)
#define SLICED_MOST_WEIGHT ((1u << SLICED_WEIGHT_BITS) - 1)

/* Up to SLICED_PIECE slices of a row that has more. */
struct slice_piece {
    uint32_t row;   /* and above SLICED_ROW_BITS bits how many slices */
    uint32_t first; /* the number of the first slice */
};

/* Words that blocks write for each other, and for the host. Zero before the first search. */
struct sliced_state {
    /* blocks that have come to the barrier of a level, and the counts that they bring, as
     * cuda_sliced_kernel.cuh packs them; searches use the two sets in turn, and clear the other one */
    unsigned long long arrived[2][SLICED_ROUNDS];
    unsigned long long probes[SLICED_ROUNDS][SUBGRAPHS]; /* for notes: columns that were looked at */
    /* from the first block: the depth of its frontier, and the slices of all vertices that it found */
    int32_t depth;
    uint32_t seen;
    uint32_t pieces; /* that cuda_sliced_fill made */
    /* the length of each block's part of a sparse frontier, and above it a tag, as cuda_sliced_lists.cuh packs them */
    unsigned long long told[2][SLICED_MOST_BLOCKS];
    unsigned answered; /* blocks that have written their share of the answer; zero before and after a search */
};

/* An answer of all input ids: depths, or with `ids` parents. */
struct sliced_answer {
    const uint32_t *vertex; /* [count]: as of struct answer_tables (engine.h); NULL: no answer is written */
    const int32_t *ids;     /* the input id of each vertex, as of the same struct; NULL: depths */
    int32_t *to;            /* [count] */
    uint32_t count;
};

/* A search, the argument of its kernels. All pointers are device memory, except `out.mapped`. */
struct gpu_sliced {
    /* the graph */
    struct slice_columns *slices; /* [count], in the order of rows; at multiples of 16 bytes */
    uint32_t *row;                /* [count]: the row of a slice, with its weight */
    struct slice_links *links;    /* of all rows by source; at multiples of 32 bytes */
    uint32_t *link_row;           /* as `row`, for links; the same array if the graph is undirected */
    uint32_t *first;              /* [32 words + 1]: the first slice of links of a vertex */
    /* [32 words]: the first slice of a vertex; the bits above its columns say how many slices the vertex has,
     * SLICED_WEIGHT_BITS of the number each, the lowest ones first; 0: it has no edges. NULL: levels read all slices */
    struct slice_columns *heads;
    struct slice_piece *pieces; /* [piece_count], of all long rows, in any order */
    uint32_t piece_count, count;
    uint32_t words;   /* of a bitmap of all vertices: a multiple of 4 */
    uint32_t normals; /* vertex v is delegate v or, from here on, normal v - normals; a multiple of 64 */
    struct gpu_vertices of[VERTEX_KINDS];
    /* the frontier */
    uint32_t *found; /* [SLICED_BITMAPS][words]: SLICED_ROUNDS bitmaps, zero before and after a search; then two far ones */
    uint32_t *far;   /* [words]: visited bits from word near_words on; searches use two such bitmaps in turn */
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

/* The kernel for sliced->heads and near_words, without and with notes of levels. */
struct fused_program cuda_sliced_plain(const struct gpu_sliced *sliced);
struct fused_program cuda_sliced_noted(const struct gpu_sliced *sliced);

/* Returns the bytes of shared memory that a block of either kernel has beside the visited bits. */
size_t cuda_sliced_block_bytes(void);

/* Whether the current device can run the kernels for bitmaps of `words` words. */
int cuda_sliced_fits(uint32_t words);

/* Chooses blocks, threads and shared memory of launch->program for the current device, given sliced->words and count. */
cudaError_t cuda_sliced_plan(const struct gpu_sliced *sliced, struct fused_launch *launch);

/* Makes sliced->first of the rows of `csr`, given words, normals and of[].count. Each vertex gets at least `least`
 * slices, 0 or 1. `scratch`: cuda_scan_bytes(32 words + 1). An error is one of the scan. */
cudaError_t cuda_sliced_count(const struct gpu_sliced *sliced, const struct gpu_csr csr[SUBGRAPHS], uint32_t least,
                              void *scratch, size_t scratch_bytes, cudaStream_t stream);

/* Makes row, and of slices, links and heads those that are not NULL, after cuda_sliced_count of the same `csr`. With heads
 * it also makes pieces, and adds their number to state->pieces. */
void cuda_sliced_fill(const struct gpu_sliced *sliced, const struct gpu_csr csr[SUBGRAPHS], cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
