/* cuda_peers.h: the whole search of several GPUs of one host, as one kernel on each of them
 *
 * In the level loop (loop.c) a level of several GPUs costs launches, waits of the host, and barriers of its threads: 60 us
 * and more for a frontier of two vertices. Here a level is that of one GPU, by the same kernel (cuda_fused_kernel.cuh),
 * between barriers of the GPUs: a GPU writes a flag to each peer, into the memory of the peer, and waits until it has
 * theirs.
 *
 * Dense levels. Peers read each other's bitmaps word by word, in order: remote single reads are slow.
 *   visit     own rows find delegates, own normals, and (nn) normals of all shards, as bitmaps
 *   barrier   the bitmaps are complete; a pull of dd has two parts, between which there is one more barrier
 *   previsit  delegates that any peer found, and own normals, become the frontier. Each GPU writes its visited
 *             normals into the memory of all, where pulls of nn look them up
 *   barrier   flags have counts of found vertices and of their edges, so that all choose the same directions
 *
 * Sparse levels, while the frontier is small. No bitmap is scanned.
 *   visit     own rows find vertices. Own ones join the next frontier. Normals of other shards are written into the
 *             memory of their GPUs, and delegates into that of all.
 *   barrier   flags have the number of vertices
 *   take      vertices from peers join the next frontier, unless they were found here, too
 *   barrier   as above, but only if the vertices taken may make the next level a dense one
 * Each word written to a peer in such a level carries a number, so that nothing else must be ordered. If the frontier of a
 * GPU is very small, one block of it goes from level to level by itself.
 *
 * Arrays that peers read lie twice in memory, and levels take turns: one is cleared when the peers have read the other.
 * Distances are those of the level loop, which is the twin of this kernel.
 *
 * Several GPUs need, beside the files of one (cuda_fused.h):
 *   cuda_peers_barrier.cuh  the barrier of GPUs; the start and the end of a search
 *   cuda_peers_dense.cuh    dense levels: gathering, the second part, two buffers
 *   cuda_peers_sparse.cuh   sparse levels: vertices that leave and arrive; levels of one block
 *   cuda_peers_plain.cu, cuda_peers_noted.cu  the kernels; cuda_peers_open.c: the host's side
 * cuda_fused_plan chooses their launch and cuda_fused_start starts them. A search ends only if it is started on all peers.
 */
#ifndef DBFS_CUDA_PEERS_H
#define DBFS_CUDA_PEERS_H

#include "cuda_fused.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MOST_PEERS = 16 /* GPUs */ };

/* The values of a flag: counts of cuda_fused.h for vertices of the next frontier, which the GPU found itself or took from
 * its peers. Delegates count on each GPU. Taken vertices may be in the flag of the next level. */
enum peers_value {
    PEERS_FOUND,
    PEERS_TAKEN = FUSED_COUNTS,
    PEERS_SENT = 2 * FUSED_COUNTS, /* vertices to all peers in this level */
    PEERS_FOR_PEER,                /* of these, to the GPU that gets the flag */
    PEERS_VALUES
};

/* A word is the number of the barrier, in the upper half, and the lower or the upper half of a value. */
struct peer_flags {
    unsigned long long half[2][PEERS_VALUES];
};

/* Tallies of the blocks of a GPU in a level: of found vertices, with those sent to each peer, and of taken ones. */
enum { TALLY_FOUND, TALLY_TAKEN, PEERS_TALLIES, PEERS_TALLY_WORDS = FUSED_COUNTS + MOST_PEERS };

struct peers_tally {
    unsigned long long word[PEERS_TALLY_WORDS];
};

/* The size of a shard. */
struct peers_size {
    struct cost_graph graph;
    uint64_t longest;             /* no vertex has more edges */
    uint64_t vertices, all_edges; /* delegates included; edges of all subgraphs */
};

/* The state of a GPU's searches, in device memory. It is zero before the first search. */
struct peers_state {
    unsigned int barriers; /* the number of the last one: the same on all GPUs */
    unsigned int sent;     /* 1 + the index of the bitmap `sent` that the last search left with vertices; 0: none */
    unsigned long long progress[128]; /* left by a single block, for the others */
    struct peers_tally tally[3][PEERS_TALLIES]; /* by rounds */
    struct peer_flags flag[2][MOST_PEERS]; /* by barriers in turn, and by peers, who write them */
};

/* The arrays of a peer that a GPU sees. It is a peer of itself, too. */
struct gpu_fused_peer {
    const uint32_t *found[2]; /* delegates */
    const uint32_t *sent[2];  /* normals that nn's pushes found, as its columns */
    const uint32_t *visited;  /* normals */
    uint64_t words;           /* of `visited` */
    uint32_t *gathered;       /* the peer's copy of this GPU's `visited`; NULL: no nn joins their shards */
    unsigned long long *arrivals; /* [PEERS_LISTED_EDGES]: the peer's receive buffer for vertices of this GPU */
    struct peers_state *state;
};

/* The numbering of nn's columns, and bitmaps over them. */
struct peers_columns {
    uint32_t local_bits;  /* of a column: its number in its shard */
    uint32_t shard_words; /* of a shard's part of a bitmap */
    uint64_t words;       /* of a bitmap */
};

/* Sums over all shards; delegates count in each. */
struct peers_total {
    double vertices, edges;
    uint64_t longest; /* no vertex has more edges in a shard */
};

/* The parameters of the kernel. */
struct gpu_fused_peers {
    struct gpu_fused fused;
    struct gpu_fused_peer peer[MOST_PEERS];
    uint32_t count, own; /* of peers; the index of this GPU among them */
    uint32_t shard[MOST_PEERS];
    struct peers_columns columns;
    uint32_t *found[2], *sent[2];
    uint32_t *gathered; /* visited normals of all shards, by nn's columns, for pulls */
    /* receive buffers, [2][peers][PEERS_LISTED_EDGES], by barriers in turn: vertices, with KIND_BIT, and above them the
     * number of the barrier whose flag has their count */
    unsigned long long *arrivals;
    struct peers_total total;
    unsigned long long listed_edges[2]; /* the most edges for a sparse level, of a dense frontier and of a sparse one */
    int clean; /* the last search of this GPU was by this kernel: its state says which bitmap `sent` is to be cleared */
    const uint32_t *dd_own, *dd_others; /* dd's rows of delegates whose owner the shard is; its other rows */
    struct peers_state *state;
};

/* fused.root.index of a GPU that does not have the root. */
#define NO_ROOT_HERE UINT32_MAX

/* In the report, in place of levels: a peer did not come to a barrier. */
#define PEERS_FAILED UINT32_MAX

/* Returns the kernel of several GPUs. `packed`: columns may lie packed. */
struct fused_program cuda_peers_plain(int packed);
struct fused_program cuda_peers_noted(int packed);

#ifdef __cplusplus
}
#endif

#endif
