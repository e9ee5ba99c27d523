/* cuda_peers.h: the whole search of several GPUs of one host, as one kernel on each of them.
 *
 * In the level loop (loop.c) a level of several GPUs costs launches, waits of the host, and meetings of its
 * threads: 60 us and more for a frontier of two vertices. Here a level is that of a GPU that is alone, by the same kernel
 * (cuda_fused_levels.cuh), between meetings. To meet, a GPU writes a signal to each peer, into the memory of the peer, and
 * waits until it has theirs.
 *
 * By masks. Peers read each other's masks word by word, in order: remote single reads are slow.
 *   visit     own rows find delegates, own normals, and (nn) normals of all shards, as masks
 *   meet      the masks are complete; a pull of dd has two parts, between which the GPUs meet once more
 *   previsit  delegates that any peer found, and own normals, become the frontier. Each GPU writes its visited
 *             normals into the memory of all, where pulls of nn look them up
 *   meet      signals have counts of found vertices and of their edges, so that all choose the same directions
 *
 * By lists, while the frontier is small. No mask is scanned.
 *   visit     own rows find vertices. Own ones join the next list. Normals of other shards are written into the
 *             memory of their GPUs, and delegates into that of all.
 *   meet      signals have the number of vertices
 *   take in   vertices from peers join the next list, unless they were found here, too
 *   meet      as above, but only if the vertices taken in may make the next level one by masks
 * Each word written to a peer in such a level carries a number, so that nothing else must be ordered. If the list of a GPU
 * is very short, one block of it goes from level to level alone.
 *
 * Arrays that peers read lie twice in memory, and levels take turns: one is cleared when the peers have read the
 * other. Distances are those of the level loop, which is the twin of this kernel.
 *
 * Several GPUs need, beside the files of one (cuda_fused.h):
 *   cuda_peers_start.cuh   the start and the end of a search
 *   cuda_peers_barrier.cuh    meetings, and reading of peers
 *   cuda_peers_masks.cuh   levels by masks: gathering, the second part, two buffers
 *   cuda_peers_list.cuh    levels by lists: vertices that arrive; levels of one block
 *   cuda_peers_send.cuh    vertices that a level by lists reaches for other GPUs
 *   cuda_peers_program.cu  the kernels, as of cuda_fused.h
 * cuda_fused_plan chooses their launch and cuda_fused_start starts them. A search ends only if it is started on all peers.
 */
#ifndef DBFS_CUDA_PEERS_H
#define DBFS_CUDA_PEERS_H

#include "cuda_fused.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MOST_PEERS = 16 /* GPUs */ };

/* The values of a signal: counts of cuda_fused.h for vertices of the next frontier, which the GPU found
 * itself or took from its peers. Delegates count on each GPU. Taken vertices may be in the signal of the
 * next level. */
enum peers_value {
    PEERS_FOUND,
    PEERS_TAKEN = FUSED_COUNTS,
    PEERS_SENT = 2 * FUSED_COUNTS, /* vertices to all peers in this level */
    PEERS_FOR_PEER,               /* of these, to the GPU that gets the signal */
    PEERS_VALUES
};

/* A word is the number of the meeting, in the upper half, and the lower or the upper half of a value. */
struct peer_flags {
    unsigned long long half[2][PEERS_VALUES];
};

/* Tallies of the blocks of a GPU in a level: found vertices, and taken ones. */
enum { TALLY_FOUND, TALLY_TAKEN, PEERS_TALLIES, PEERS_TALLY_WORDS = FUSED_COUNTS + MOST_PEERS };

/* Counts, and vertices sent to each peer. */
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
    unsigned int sent;     /* 1 + the mask of `sent` that the last search left with vertices; 0: none */
    unsigned long long progress[128]; /* left by a block that was alone, for the others */
    struct peers_tally tally[3][PEERS_TALLIES]; /* by levels in turn */
    struct peer_flags flag[2][MOST_PEERS]; /* by meetings in turn, and by peers, who write them */
};

/* The arrays of a peer that a GPU sees. It is a peer of itself, too. */
struct gpu_fused_peer {
    const uint32_t *found[2]; /* delegates */
    const uint32_t *sent[2];  /* normals that nn's pushes found, as its columns */
    const uint32_t *visited;  /* normals */
    uint64_t words;           /* of the last */
    uint32_t *gathered;       /* the peer's copy of this GPU's; NULL: no nn joins their shards */
    unsigned long long *arrivals; /* [PEERS_LISTED_EDGES]: the peer's room for vertices of this GPU */
    struct peers_state *state;
};

/* The numbering of nn's columns, and masks over them. */
struct peers_columns {
    uint32_t local_bits;  /* of a column: its number in its shard */
    uint32_t shard_words; /* of a shard's part of a mask */
    uint64_t words;       /* of a mask */
};

/* Sums over all shards; delegates count in each. */
struct peers_total {
    double vertices, edges;
    uint64_t longest; /* no vertex has more edges in a shard */
};

struct gpu_fused_peers {
    struct gpu_fused fused;
    struct gpu_fused_peer peer[MOST_PEERS];
    uint32_t count, own;   /* their number; the number of this GPU among them */
    uint32_t shard[MOST_PEERS];
    struct peers_columns columns;
    uint32_t *found[2], *sent[2];
    uint32_t *gathered;    /* visited normals of all shards, by nn's columns, for pulls */
    /* [2][peers][PEERS_LISTED_EDGES], by meetings in turn: vertices, with KIND_BIT, and above them
     * the number of the meeting whose signal has their count */
    unsigned long long *arrivals;
    struct peers_total total;
    unsigned long long listed_edges[2]; /* the most edges of a frontier for a level by lists: of a mask, of a list */
    int clean; /* the last search of this GPU was by this kernel, whose state has the mask of `sent` to clear */
    const uint32_t *dd_own, *dd_others; /* dd's rows of delegates whose owner the shard is; its other rows */
    struct peers_state *state;
};

/* `whole.root.index` of a GPU that does not have it. */
#define NO_ROOT_HERE UINT32_MAX

/* In the report: a peer did not come to a meeting. */
#define PEERS_FAILED UINT32_MAX

struct fused_program cuda_peers_program(int packed);

#ifdef __cplusplus
}
#endif

#endif
