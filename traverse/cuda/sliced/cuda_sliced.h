/* cuda_sliced.h: sliced searches: a whole search of a small graph as one cooperative kernel on a single GPU
 *
 * The graph fits into the cache, so the time of a level is mostly the time of its barriers and of reads that wait for each
 * other. A level therefore has one barrier and few such reads. Words of these files:
 * - Delegates and normals have one numbering, in which the delegates come first. The subgraphs nn, nd, dn, dd play no part.
 * - A slice is four columns of a row. The slices of all rows are one list, in the order of vertices. The weight of a vertex is
 *   its number of slices.
 * - A visited bit is near if it lies in shared memory, where each block has a copy of all near bits. Vertices from
 *   sliced_bounds.near_vertices on, which are read least, have far bits, in bitmaps in global memory that all blocks share. Most
 *   graphs have no far bits.
 * - A leaf is a vertex with one edge. BLOCK keeps leaves out of its frontiers, as they find nothing.
 * - A level sets the bits of the vertices that it finds in a bitmap in global memory, the `found` bitmap. After the barrier
 *   each block ORs it into its near bits. A level reads one far bitmap and sets bits in the other (far_bits).
 * - Heads are copies of the first slices of all rows. Larger graphs have heads (gpu_slices_have_heads), so that
 *   levels can skip the rest of a row.
 * - A link is a column together with the place of its vertex's slices, so that a push needs no other read to find them.
 *
 * A level has one of five kinds (level_kind.h):
 * - BLOCK: one block pushes a small frontier from a list of slices. Without heads, each block first does a few of these levels
 *   by itself, and then the first block goes on alone, while the others wait at one barrier. In graphs with long rows each block pushes
 *   a frontier of a few vertices by itself (run_few).
 * - ALL, in graphs without heads: all slices are read, without waiting for another read. Each thread has the same slices in all
 *   levels, and keeps its first ones in registers.
 * - PULL, in graphs with heads: each unvisited row looks for a parent until it has found one.
 * - PUSH, in graphs with heads: the rows of the frontier are pushed, if this is predicted to read less than PULL.
 * - SPARSE, in graphs with heads: all blocks push a frontier of up to SLICED_LISTED slices, each from a list of its own
 *   (cuda_sliced_lists.cuh).
 *
 * When the search is over, the kernel reports this to the host, writes the answer by input id, and reports again. The kernel of
 * cuda_fused.h finds the same distances. Bytes that a level moves in a graph of n vertices:
 * - ALL, PULL, PUSH: n / 8 of visited bits for each block, and 8 for each found vertex
 * - ALL: also 20 for each slice that is not in registers
 * - PULL: also 16 for each row and each further slice that is looked at, 8 for each piece of a long row, and a sector for
 *   each far column of a slice with no visited near column
 * - PUSH and BLOCK: 32 for each slice of the frontier, and a bit for each found vertex
 * - the answer: 8 in order for each id, and 4 (of a depth) or 8 (of a parent) at random places
 *
 * A directed graph has two lists of slices: `slices` are the rows by destination, which are pulled, and `links` are the rows by
 * source, which the first block pushes. A vertex without outgoing edges gets one slice of links to itself, so that each
 * frontier has slices.
 *
 *   cuda_sliced_kernel.cuh  the barrier, the choice of a level's kind, the search: the file to begin with
 *   cuda_sliced_block.cuh   the shared memory of a block, and functions of all levels
 *   cuda_sliced_push.cuh    pushes along slices, and lists of slices
 *   cuda_sliced_one.cuh     BLOCK
 *   cuda_sliced_lists.cuh   SPARSE
 *   cuda_sliced_all.cuh     ALL
 *   cuda_sliced_rows.cuh    PULL and PUSH
 *   cuda_sliced_answer.cuh  the answer
 *   cuda_sliced_plain.cu, cuda_sliced_noted.cu  the kernels without and with notes of levels
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

/* A slice for a push: four links. A link is a column together with the slices of its vertex: the lower SLICED_FIRST_BITS
 * bits of `slices` are the number of the vertex's first slice, and the bits above say how many slices the vertex has.
 * SLICED_MANY stands for SLICED_MANY slices or more. */
struct slice_links {
    struct {
        uint32_t vertex, slices;
    } of[SLICED_COLUMNS];
};

#define SLICED_FIRST ((1u << SLICED_FIRST_BITS) - 1)
#define SLICED_MANY ((1u << (32 - SLICED_FIRST_BITS)) - 1)

/* A word of gpu_sliced.row: the number of a row in the lower SLICED_ROW_BITS bits, and its weight (number of slices)
 * above. SLICED_MOST_WEIGHT stands for a weight of SLICED_MOST_WEIGHT or more. */
#define SLICED_ROW ((1u << SLICED_ROW_BITS) - 1)
#define SLICED_WEIGHT_BITS (32 - SLICED_ROW_BITS)
#define SLICED_MOST_WEIGHT ((1u << SLICED_WEIGHT_BITS) - 1)

/* A piece of a row that has more than SLICED_PIECE slices (a long row): up to SLICED_PIECE of its slices. */
struct slice_piece {
    uint32_t row;   /* the row, in the lower SLICED_ROW_BITS bits; above, the number of slices of the piece */
    uint32_t first; /* the number of the first slice of the piece */
};

/* Words in global memory that blocks write for each other and for the host, zero before the first search. */
struct sliced_state {
    /* sums to which all blocks add their counts at the barriers of levels (FOUND_SHIFT in cuda_sliced_kernel.cuh). A search
     * uses one set of three sums, which its levels take in turn, and clears the other set for the next search */
    unsigned long long arrived[2][SLICED_TURNS];
    unsigned long long probes[SLICED_TURNS][SUBGRAPHS]; /* for notes: how many columns a level looked at */
    /* results of the first block's BLOCK levels, for all blocks: the depth of the frontier; the number of slices found, with
     * LACKS_SLICES if the list of the frontier lacks some */
    int32_t depth;
    uint32_t seen;
    uint32_t pieces; /* the number of pieces of long rows that cuda_sliced_fill has made */
    /* for each block, the length of its part of a sparse frontier, with a tag (TOLD_BITS in cuda_sliced_lists.cuh); one
     * frontier uses told[0], and the next one told[1] */
    unsigned long long told[2][SLICED_MOST_BLOCKS];
    struct barrier_sum barrier[2]; /* of the barriers of all blocks in sparse levels, summed up over all searches */
    unsigned answered; /* how many blocks have written their share of the answer; zero before and after a search */
};

/* The answer that a search writes itself: for each input id its depth or, if `ids` is not NULL, its parent. */
struct sliced_answer {
    const uint32_t *vertex; /* [count]: the vertex of each id (answer_tables, engine.h); NULL: no answer */
    const int32_t *ids;     /* the input id of each vertex (answer_tables, engine.h); NULL: the values are depths */
    int32_t *to;            /* [count]: receives the values, by input id */
    uint32_t count;         /* the number of input ids */
};

/* A sliced search, the argument of its kernels. All pointers point to device memory, except out.mapped. */
struct gpu_sliced {
    /* the graph */
    struct slice_columns *slices; /* [count], in the order of rows; aligned to 16 bytes */
    uint32_t *row;                /* [count]: for each slice, its row with the weight of the row (SLICED_ROW) */
    /* slices for pushes, aligned to 32 bytes: those of `slices` or, in a directed graph, those of the rows by source */
    struct slice_links *links;
    /* for each slice of `links`, its row with the row's weight (SLICED_ROW); in an undirected graph this is the array `row` */
    uint32_t *link_row;
    /* [32 * words + 1]: for each vertex, the number of its first slice of `links`; the last element is the number of slices */
    uint32_t *first;
    /* [32 * words]: a copy of the first slice of each vertex; NULL: the graph has no heads. Each column has
     * SLICED_WEIGHT_BITS bits of the number of the vertex's slices at the top, the first one the lowest bits; 0: no edges */
    struct slice_columns *heads;
    struct slice_piece *pieces; /* [piece_count]: the pieces of all long rows, in any order */
    uint32_t piece_count, count;
    uint32_t words;   /* the number of words of a bitmap of all vertices, a multiple of 4 */
    /* the number of the first normal, a multiple of 64: a vertex v below is delegate v, any other is normal v - first_normal */
    uint32_t first_normal;
    /* the numbers of the first leaf and of its slice: all vertices from here on have one edge, and no others have; UINT32_MAX if
     * there is none, or if the graph is directed */
    uint32_t first_leaf, leaf_slice;
    struct gpu_vertices of[VERTEX_KINDS];
    /* the frontier */
    /* [SLICED_BITMAPS][words]: the `found` bitmaps, which are zero between searches, and two pairs of far bitmaps */
    uint32_t *found;
    /* [2][words]: the far bitmaps of this search (far_bits), used from word near_words on; the next search uses the other pair */
    uint32_t *far;
    uint32_t near_words;     /* how many words of visited bits lie in shared memory: all, or a multiple of 4 */
    float word_price;        /* sliced_bounds.word_price */
    int long_rows;           /* rows have SLICED_LONG_ROWS columns or more in the mean, and the graph has heads and no far bits */
    /* the largest number of slices of a frontier that one block pushes (fits_one_block): of any frontier, and of a steady
     * one */
    uint32_t block_capacity, steady_capacity;
    /* [blocks][list_capacity]: slices of a sparse frontier, a part for each block; frontiers take the two lists in turn */
    uint32_t *list[2];
    uint32_t list_capacity;  /* the largest number of slices of a block's part; 0: no SPARSE levels */
    /* one search */
    struct gpu_roots roots;
    uint32_t root; /* the number of the first root */
    uint32_t parity; /* 0 or 1, in turn: which set of state->arrived, and which pair of far bitmaps, this search uses */
    struct fused_order order;
    struct fused_outputs out;
    struct sliced_answer answer;
    struct sliced_state *state;
};

/* Return the kernel that fits the graph (sliced->heads, words and near_words), without or with notes of levels. */
struct fused_program cuda_sliced_plain(const struct gpu_sliced *sliced);
struct fused_program cuda_sliced_noted(const struct gpu_sliced *sliced);

/* Returns whether the current device can run the kernels: whether it has cooperative launches. */
int cuda_sliced_possible(void);

/* Sets blocks, threads and shared memory of *launch for the kernel launch->program on the current device, from
 * sliced->near_words and sliced->count. Then allows the kernel to use this shared memory, and returns the error of that call. */
cudaError_t cuda_sliced_plan(const struct gpu_sliced *sliced, struct fused_launch *launch);

/* Launches the numbering of slices for the rows `csr`: fills sliced->first, from words, normals and of[].count of *sliced. Each
 * vertex gets at least `least` slices, 0 or 1. `scratch` is device memory of cuda_scan_bytes(32 * words + 1) bytes. Returns an
 * error of the prefix sum. */
cudaError_t cuda_sliced_count(const struct gpu_sliced *sliced, const struct gpu_csr csr[SUBGRAPHS], uint32_t least,
                              void *scratch, size_t scratch_bytes, cudaStream_t stream);

/* Launches the making of slices, after cuda_sliced_count of the same `csr`. Fills sliced->row, and each of slices, links
 * and heads that is not NULL. With heads also fills `pieces`, and adds their number to state->pieces. */
void cuda_sliced_fill(const struct gpu_sliced *sliced, const struct gpu_csr csr[SUBGRAPHS], cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
