/* cuda_peers.h: the whole search of several GPUs of one host, as one kernel on each GPU
 *
 * In the level loop (loop.c) a level of several GPUs costs launches, waits of the host, and barriers of the host's
 * threads. These take 60 us or more for a frontier of two vertices. In this kernel each GPU does its part of a level as
 * a single GPU does a level (cuda_fused_kernel.cuh). Barriers of the GPUs separate the steps of a level. For a barrier a
 * GPU writes a flag into the memory of each peer. Then it waits until the flags of all peers are in its own memory.
 *
 * Dense levels. Peers read each other's bitmaps word by word, in order, since single reads of remote memory are slow.
 *   visit     The rows of a GPU find delegates, own normals, and (by nn) normals of all shards. The GPU sets the bits of the
 *             found vertices in bitmaps.
 *   barrier   The bitmaps are complete. If dd is pulled in two parts, one more barrier is between the parts.
 *   previsit  Delegates that any peer found, and own normals, become the frontier. Each GPU writes its visited normals into
 *             the memory of all peers, where pulls of nn look them up.
 *   barrier   Flags have counts of found vertices and of their edges, so that all GPUs choose the same directions.
 *
 * Sparse levels, while the frontier is small. No bitmap is scanned.
 *   visit     The rows of a GPU find vertices. Own normals and delegates join the next frontier. Normals of other shards are
 *             written into the memory of their GPUs, and delegates into the memory of all GPUs.
 *   barrier   Flags have the number of the vertices that were written.
 *   take      Vertices from peers join the next frontier, unless they were visited on this GPU already.
 *   barrier   Flags have counts of the vertices that joined by `take`. This barrier is left out if the next level is
 *             certainly sparse.
 * Each word that is written to a peer in a sparse level carries the number of a barrier, so words may arrive in any
 * order. If the frontier of a GPU is very small, the first block of this GPU goes from level to level by itself.
 *
 * Each array that peers read in dense levels lies twice in memory. Dense levels use the two copies in turn. A GPU clears
 * one copy when the peers have read it. The level loop is the twin of this kernel: both find the same distances.
 *
 * Several GPUs need, beside the files of one (cuda_fused.h):
 *   cuda_peers_barrier.cuh  the barrier of GPUs; the start and the end of a search
 *   cuda_peers_dense.cuh    dense levels: gathering, the second part, two buffers
 *   cuda_peers_sparse.cuh   sparse levels: vertices that leave and arrive; levels of one block
 *   cuda_peers_plain.cu, cuda_peers_noted.cu  the kernels; cuda_peers_open.c: the host's side
 * cuda_fused_plan chooses the launch of these kernels, and cuda_fused_start launches them. A search ends only if it is
 * started on all peers.
 */
#ifndef DBFS_CUDA_PEERS_H
#define DBFS_CUDA_PEERS_H

#include "cuda_fused.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MOST_PEERS = 16 /* GPUs */ };

/* Indices of the values of a flag. PEERS_FOUND + i is count i of cuda_fused.h (FUSED_FRESH, ...) for vertices that the GPU
 * found itself. PEERS_TAKEN + i is count i for vertices that the GPU received from its peers and that joined the frontier.
 * Each GPU counts every delegate. If the next level is certainly sparse, the flag of the next level has the counts of the
 * vertices that the GPU received in this level. */
enum peers_value {
    PEERS_FOUND,
    PEERS_TAKEN = FUSED_COUNTS,
    PEERS_SENT = 2 * FUSED_COUNTS, /* the number of vertices that the GPU sent to all its peers in the level */
    PEERS_FOR_PEER,                /* the number of vertices that the GPU sent to the peer that gets this flag */
    PEERS_VALUES
};

/* A flag that one GPU writes to another. Each value is split into two words: half[0] has the lower 32 bits of the value,
 * and half[1] has the upper 32 bits. The upper half of each word is the number of the barrier. */
struct peer_flags {
    unsigned long long half[2][PEERS_VALUES];
};

/* The two tallies of a GPU in a round. All blocks of the GPU add their counts to a tally. TALLY_FOUND is for vertices
 * that the GPU found, and also has the number of vertices that were sent to each peer. TALLY_TAKEN is for vertices that
 * the GPU received from peers and that joined the frontier. */
enum { TALLY_FOUND, TALLY_TAKEN, PEERS_TALLIES, PEERS_TALLY_WORDS = FUSED_COUNTS + MOST_PEERS };

/* A tally: first the counts of cuda_fused.h, then the number of vertices for each peer. The upper bits of a word are the
 * number of blocks that have added their counts (TALLY_ARRIVAL). */
struct peers_tally {
    unsigned long long word[PEERS_TALLY_WORDS];
};

/* The size of a shard. The GPU of the shard tells this size to its peers. */
struct peers_size {
    struct cost_graph graph;
    uint64_t longest;             /* the most edges of a vertex */
    uint64_t vertices, all_edges; /* number of normals and delegates; number of edges of all subgraphs */
};

/* The state of a GPU's searches, in device memory. The state is zero before the first search. */
struct peers_state {
    unsigned int barriers; /* the number of the last barrier of the GPUs: the same on all GPUs */
    unsigned int sent;     /* 1 + the index of the bitmap `sent` that still has vertices of the last search; 0: none has */
    unsigned long long progress[128]; /* the state (peers_progress) that a single block hands to the other blocks */
    struct peers_tally tally[3][PEERS_TALLIES]; /* round r uses tally[r % 3] */
    struct peer_flags flag[2][MOST_PEERS]; /* peer i writes its flag of barrier b to flag[b % 2][i] */
};

/* The arrays of a peer that this GPU can read and write. Each GPU is also a peer of itself. */
struct gpu_fused_peer {
    const uint32_t *found[2]; /* two bitmaps of the delegates that the peer found; dense levels use them in turn */
    const uint32_t *sent[2];  /* two bitmaps over nn's columns: normals of all shards that the peer's pushes of nn found */
    const uint32_t *visited;  /* the visited bits of the peer's normals */
    uint64_t words;           /* words of `visited` */
    uint32_t *gathered;       /* this GPU's visited normals, in the peer's memory; NULL: no nn edge joins the shards */
    unsigned long long *arrivals; /* [PEERS_LISTED_EDGES]: the peer's receive buffer for vertices from this GPU */
    struct peers_state *state;
};

/* The numbering of columns of nn, and the size of bitmaps over these columns. The upper bits of a column are the shard
 * of the vertex. The lower bits are the number of the vertex in its shard. */
struct peers_columns {
    uint32_t local_bits;  /* bits for the number in the shard */
    uint32_t shard_words; /* words of a bitmap for one shard */
    uint64_t words;       /* words of a whole bitmap; 0: nn has no such bitmaps */
};

/* Sums over all shards. Each shard counts every delegate. */
struct peers_total {
    double vertices, edges;
    uint64_t longest; /* the most edges of a vertex in one shard */
};

/* The parameters of the kernel. */
struct gpu_fused_peers {
    struct gpu_fused fused;
    struct gpu_fused_peer peer[MOST_PEERS];
    uint32_t count, own; /* the number of GPUs that search together; the index of this GPU among them */
    uint32_t shard[MOST_PEERS]; /* the shards of the peers */
    struct peers_columns columns;
    uint32_t *found[2], *sent[2]; /* the bitmaps of this GPU that its peers see as gpu_fused_peer.found and sent */
    uint32_t *gathered; /* bitmap over nn's columns: visited normals of all shards, which pulls of nn look up */
    /* Receive buffers, [2][peers][PEERS_LISTED_EDGES]. The first index is the number of the barrier modulo 2. The lower half
     * of an element is a vertex, with KIND_BIT. The upper half is the number of the barrier whose flag counts the vertex. */
    unsigned long long *arrivals;
    struct peers_total total;
    unsigned long long listed_edges[2]; /* most edges of a sparse level: [0] for a dense frontier, [1] for a sparse one */
    int clean; /* the last search of this GPU was by this kernel, so state->sent says which bitmap `sent` must be cleared */
    const uint32_t *dd_own, *dd_others; /* bitmaps of dd's rows: delegates that this shard owns; all other delegates */
    struct peers_state *state;
};

/* The value of gpu_fused_peers.fused.root.index on a GPU that does not have the root. */
#define NO_ROOT_HERE UINT32_MAX

/* A GPU reports this value as the number of levels if a peer did not come to a barrier. */
#define PEERS_FAILED UINT32_MAX

/* Return the kernel of several GPUs: cuda_peers_plain without notes of levels, cuda_peers_noted with notes of levels. If
 * `packed`, columns may be stored packed. */
struct fused_program cuda_peers_plain(int packed);
struct fused_program cuda_peers_noted(int packed);

#ifdef __cplusplus
}
#endif

#endif
