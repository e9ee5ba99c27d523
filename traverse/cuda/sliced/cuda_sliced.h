/* cuda_sliced.h: the whole search of a graph of few vertices, on a device that is alone, as one cooperative kernel.
 *
 * Marks of all vertices fit into the shared memory of each block, where a random read takes a tenth of the time that it
 * takes elsewhere. And the graph fits the cache, so a level takes as long as its barriers and its chains of reads, however
 * much it visits. So a level has one barrier and short chains. The classes nn, nd, dn, dd play no part:
 *   - Vertices of both kinds have one numbering, the delegates first, and their rows are one list of slices, four
 *     columns each, hubs first.
 *   - Each block has the visited mask of all vertices in shared memory: of a graph with more than SLICED_NEAR_VERTICES
 *     those of the first ones, which are read most. The marks of the others, which are far, lie in one mask in global memory.
 *   - A level sets the bits of found vertices in `found`. After the barrier each block adds all of `found` to its mask.
 *     Far marks are read as the far mask or'ed with what the level before found. Meanwhile each block adds its share of that
 *     to the far mask, so no further barrier is needed: the sum stays the same. Both come from the L2 cache, or from an L1
 *     cache that the barrier's acquire has emptied; only the far mask changes in a level, and it is not read through the L1.
 *     While the first block goes alone, it takes far marks by atomics, and nobody else reads them.
 *   - A small frontier is pushed by one block alone, from a list of slices, and only this block needs the marks. It waits
 *     for one read a level, as each column comes with the slices of its vertex. Each block does the first few of these
 *     levels itself, which saves the barrier after them; then the first block goes on, and its levels are one level to the others.
 *   - Other levels of a graph of at most SLICED_ALL_EDGES read all edges, and so wait for nothing else: a slice finds its
 *     row if that is not visited, and one of its columns is. Threads share the slices once and for all, so their first ones
 *     stay in registers.
 *   - Other levels of a larger graph go by rows: each unvisited row looks for a parent until it has one. If all blocks are
 *     reckoned to read less by pushing the frontier, they do that. A graph is larger, too, if it has half as many edges,
 *     and its degrees are alike and not small: it may be deep, and the next way is worth most there.
 *   - Frontiers of a larger graph that have up to SLICED_LISTED slices are lists, to which each block adds its part. While
 *     levels go by lists, all blocks mark what they find in one mask in global memory, and none reads it as a whole.
 * When the search is over, it reports so. The kernel goes on to write the answer by input id, and reports that, too: no
 * other kernel is launched for it. The last vertices of the first block are in its own mask alone, so it shows it first.
 * Bytes of a level of all blocks: n / 8 of near marks for each block; 8 for each vertex that is found; and 20 for each slice
 * beyond those in registers, or, by rows, 16 for each row and each slice that is looked at, 8 for each piece of a long row,
 * and two sectors for each far mark. A push reads 32 for each slice of the frontier and writes a bit for each vertex that it
 * finds, as does the first block alone; lists: cuda_sliced_lists.cuh. Of an answer: 4 that are read and 4 that are written
 * for each id, and 4 or, of parents, 8 from any place.
 *
 * cuda_fused.h is the twin: it finds the same distances. It runs if directions are asked for
 * (--direction cost, push, pull), and for directed graphs with more than SLICED_ALL_EDGES edges or without rows by
 * destination: levels by rows read rows of one kind. Graphs with far marks have more edges than that.
 *
 * A directed graph has two lists: the slices that levels of all blocks read hold rows by destination, and the links that the
 * first block pushes hold rows by source. A vertex that no edge leaves has one slice of links, which lead to itself: so each
 * frontier has slices. Found vertices are weighed by their rows by destination, as a cost only.
 *
 *   cuda_sliced_block.cuh   a block's memory, and functions of all levels
 *   cuda_sliced_one.cuh     levels of the first block
 *   cuda_sliced_lists.cuh   levels of all blocks that push lists
 *   cuda_sliced_all.cuh     levels that read all slices
 *   cuda_sliced_rows.cuh    levels by rows
 *   cuda_sliced_answer.cuh  the answer
 *   cuda_sliced_kernel.cuh  the barrier, the choice of a level's way, the search
 *   cuda_sliced_plain.cu, cuda_sliced_noted.cu  the kernels, as of cuda_fused.h
 *   cuda_sliced_launch.cu   the launch of these
 *   cuda_sliced_fill.cu     the making of slices
 *   cuda_sliced_run.c       the host's side
 */
#ifndef DBFS_CUDA_SLICED_H
#define DBFS_CUDA_SLICED_H

#include "traverse/cuda/fused/cuda_fused.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Columns of one row; its last slice is filled up with the row itself, which is never new to itself. */
struct slice_columns {
    uint32_t column[SLICED_COLUMNS];
};

/* The same columns for a push, each with the slices of its vertex: the first one, and in the upper
 * bits their number, at most SLICED_MANY, which stands for more, too. */
struct slice_links {
    struct {
        uint32_t vertex, slices;
    } of[SLICED_COLUMNS];
};

#define SLICED_FIRST ((1u << SLICED_FIRST_BITS) - 1)
#define SLICED_MANY ((1u << (32 - SLICED_FIRST_BITS)) - 1)

/* A row, and in the upper bits the number of its slices, at most SLICED_MOST_WEIGHT. */
#define SLICED_ROW ((1u << SLICED_ROW_BITS) - 1)
#define SLICED_WEIGHT_BITS (32 - SLICED_ROW_BITS)
#define SLICED_MOST_WEIGHT ((1u << SLICED_WEIGHT_BITS) - 1)

/* Up to SLICED_PIECE slices of a long row: the row, in upper bits their number, and the first. */
struct slice_piece {
    uint32_t row, first;
};

/* Arrays for levels that look at rows one by one. */
struct slice_rows {
    /* [32 words]: the first slice of a vertex; the upper bits of its columns say how many slices the vertex has,
     * SLICED_WEIGHT_BITS of the number each, the lowest ones first; 0: it has no edges. NULL: levels read all slices */
    const struct slice_columns *heads;
    const struct slice_piece *pieces; /* of all long rows, in any order */
    uint32_t piece_count;
};

/* Lists of slices that all blocks push. Each block has its part of either one, and they are taken in turn. */
struct slice_lists {
    uint32_t *slice[2];
    uint32_t capacity; /* of a block's part; 0: no lists */
};

struct sliced_state {
    /* blocks that have come to the barrier of a level, and the counts that they bring, as cuda_sliced_kernel.cuh packs
     * them; searches take the two sets in turn, and clear the other one */
    unsigned long long arrived[2][SLICED_TURNS];
    unsigned long long probes[SLICED_TURNS][SUBGRAPHS]; /* for notes */
    /* from the first block: the depth of its frontier, and the slices of all vertices that it found */
    int32_t depth;
    uint32_t seen;
    uint32_t pieces; /* that were made */
    /* the slices in each block's part of a list, and above them its tag, as cuda_sliced_lists.cuh packs them */
    unsigned long long listed[2][SLICED_MOST_BLOCKS];
    unsigned answered; /* blocks that have written their share of the answer; zero before and after a search */
};

/* An answer of all input ids: depths, or with `ids` parents. */
struct sliced_answer {
    const uint32_t *vertex; /* as of struct answer_tables (backend.h); NULL: no answer is written */
    const int32_t *ids;     /* the same */
    int32_t *to;
    uint32_t count;
};

struct sliced_outputs {
    struct fused_outputs search;
    struct sliced_answer answer;
};

/* For levels of pushes. */
struct slice_pushes {
    const struct slice_links *links; /* of all rows by source; at multiples of 32 bytes */
    const uint32_t *row; /* of each link slice, as gpu_sliced's `row`; the same array if the graph is undirected */
    uint32_t one; /* slices of a frontier that the first block pushes, at most */
};

/* What a search begins with. */
struct sliced_begin {
    uint32_t set; /* of state->arrived */
    uint32_t root;
};

/* Marks of visited vertices for which shared memory has no room. */
struct far_marks {
    uint32_t near;  /* words of a mask that lie in shared memory: all, or a multiple of 4 */
    uint32_t *mask; /* [words]: those from word `near` on; searches take two such masks in turn */
};

struct gpu_sliced {
    const struct slice_columns *slices; /* [count], in the order of rows; at multiples of 16 bytes */
    const uint32_t *row;                /* [count]: of a slice, with the weight of the row */
    struct slice_pushes pushes;
    const uint32_t *first;              /* [32 words + 1]: the first slice of a vertex */
    struct slice_rows rows;
    struct slice_lists lists;
    uint32_t count;
    uint32_t words;   /* of a mask of all vertices: a multiple of 4 */
    uint32_t normals; /* vertex v is delegate v or, from here on, normal v - normals */
    uint32_t *found;  /* [SLICED_MASKS][words]: SLICED_TURNS masks, zero before and after a search; then two far ones */
    struct sliced_state *state; /* zero before the first search */
    struct gpu_vertices of[VERTEX_KINDS];
    struct sliced_outputs out;
    struct sliced_begin begin;
    struct fused_order order;
    struct far_marks far; /* behind the rest: kernels of graphs without them stay as they are */
};

/* The kernels for these rows and masks. */
struct fused_program cuda_sliced_plain(const struct gpu_sliced *sliced);
struct fused_program cuda_sliced_noted(const struct gpu_sliced *sliced);

/* Bytes of shared memory that each block has beside the mask of all vertices. */
size_t cuda_sliced_block_bytes(void);

/* Whether the current device has such searches, with a mask of so many words. */
int cuda_sliced_fits(uint32_t words);

/* Chooses the launch of launch->program for the current device. */
cudaError_t cuda_sliced_plan(const struct gpu_sliced *sliced, struct fused_launch *launch);

/* Makes first[] of the rows of `csr`, for vertices that *sliced numbers. `least`: slices of each, 0 or 1. */
cudaError_t cuda_sliced_count(const struct gpu_sliced *sliced, const struct gpu_csr csr[SUBGRAPHS], uint32_t least,
                             uint32_t *first, void *scratch, size_t scratch_bytes, cudaStream_t stream);

/* The arrays of a struct gpu_sliced, as the plan of device memory has them. */
struct gpu_sliced_arrays {
    struct sliced_state *state;
    struct slice_columns *slices;
    struct slice_links *links;
    uint32_t *row, *first, *found;
    struct slice_columns *heads; /* NULL: none */
    struct slice_piece *pieces;
    uint32_t *pushers; /* of a directed graph, or NULL */
};

/* Then the slices, their links and their rows; slices or links that are NULL are left out. With heads also these, and
 * state->pieces pieces, which is zero before. */
void cuda_sliced_fill(const struct gpu_sliced *sliced, const struct gpu_csr csr[SUBGRAPHS],
                      const struct gpu_sliced_arrays *arrays, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
