/* cuda_peers.h: the whole search of several GPUs, as one kernel on each GPU
 *
 * In the level loop (loop.c), the plain twin of this kernel, host threads launch each level of several GPUs and wait for it: 60
 * us or more, even for a frontier of two vertices. Here each GPU does its part of a level as a single GPU does
 * (cuda_fused_kernel.cuh), and barriers of the GPUs separate the steps. For a barrier a GPU writes a flag into the memory of
 * each peer, and waits until the flags of all peers are in its own memory. A search ends only if it is started on all peers.
 *
 * Dense levels. A GPU reads the bitmaps of its peers word by word, in order, since single reads of remote memory are slow.
 *   visit     Each GPU sets bits for the vertices that its rows find: delegates, own normals and, by nn, normals of all shards.
 *   barrier   The bitmaps are complete. If dd is pulled in two parts, there is one more barrier between the parts.
 *   previsit  Own normals, and delegates that any GPU found, become the frontier. Each GPU writes its visited normals into the
 *             memory of all peers, where pulls of nn look them up.
 *   barrier   Flags have counts of found vertices and of their edges, so that all GPUs choose the same directions.
 *
 * Sparse levels, while the frontier is small. No bitmap is scanned.
 *   visit     Own normals and delegates join the next frontier. Normals of other shards are written into the memory of their
 *             GPUs, and delegates into the memory of all GPUs.
 *   barrier   Flags have the number of the vertices that were written.
 *   take      Vertices from peers join the next frontier, unless this GPU has visited them already.
 *   barrier   Flags have counts of the vertices that joined. There is no such barrier if the next level is certainly sparse.
 *
 * A GPU is near if this GPU reads and writes its memory, and far otherwise: on another host, or where messages are wanted. For a
 * far GPU the kernel writes flags, vertices and parts of bitmaps into buffers (engine/relay_buffers.h) in memory that the host sends
 * from. What the far GPU wrote arrives there, too, and its flag last. So the kernel runs on, and the host only passes
 * messages on.
 *
 * Several GPUs need, beside the files of one (cuda_fused.h):
 *   cuda_peers_barrier.cuh  the barrier of GPUs; the start of a search
 *   cuda_peers_dense.cuh    dense levels: gathering, the second part, two buffers
 *   cuda_peers_sparse.cuh   sparse levels: vertices that leave and arrive; levels of one block
 *   cuda_peers_messages.cuh dense levels: messages to far GPUs
 *   cuda_peers_plain.cu, cuda_peers_noted.cu  the kernels; cuda_peers_open.c: the host's side
 */
#ifndef DBFS_CUDA_PEERS_H
#define DBFS_CUDA_PEERS_H

#include "cuda_fused.h"

#include "traverse/engine/relay_buffers.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MOST_PEERS = 16 /* GPUs */, ALL_FAR_PEERS = MOST_PEERS /* in place of the number of a peer, where one message goes to all */ };

/* Where a flag has its values. A GPU writes a flag to each peer in a barrier, to tell what it has counted. The counts of
 * cuda_fused.h (FUSED_FRESH, ...) stand in it twice: first those of vertices that the GPU found itself, then those of vertices
 * that peers sent to the GPU and that joined its frontier. If the next level is certainly sparse, vertices from peers are
 * counted in the flag of that level. A delegate counts on each GPU. */
enum peers_value {
    PEERS_FOUND,
    PEERS_TAKEN = FUSED_COUNTS,
    PEERS_SENT = 2 * FUSED_COUNTS, /* the number of vertices that the GPU sent to all its peers in the level */
    /* what the GPU sent to the peer that gets this flag, as the host reads it in buffers of messages, too */
    PEERS_FOR_PEER = RELAY_VERTICES, /* the number of vertices */
    PEERS_SINGLE = RELAY_SINGLE_BYTES,   /* the bytes of the message for this peer alone; 0 for a near one */
    PEERS_ALL = RELAY_ALL_BYTES, /* the bytes of the message for all far peers; 0 for a near one */
    PEERS_VALUES = RELAY_VALUES
};

/* The flag by which a GPU tells a peer that it has come to a barrier (struct relay_flag). */
typedef struct relay_flag peer_flags;

/* When GPUs tell what they found in a dense level: after the first part of a pull of dd, and after all visits. */
enum peers_step { STEP_FIRST_PULL, STEP_FOUND };

/* How long a message to far GPUs is, or a part of it, as a list of ids and as words of bits (cuda_peers_messages.cuh). */
struct message_counts {
    unsigned ids, bit_words;
};

/* Such counts of the warps before one, and of all warps. */
struct message_sums {
    struct message_counts before, all;
};

enum { PEERS_MOST_WARPS = 1 << 13 /* the most warps of a search with far GPUs */ };

/* The two tallies of a GPU in a round, to which all its blocks add their counts. TALLY_FOUND counts the vertices that the GPU
 * found and, for each peer, the vertices sent to it. TALLY_TAKEN counts the received vertices that joined the frontier. */
enum { TALLY_FOUND, TALLY_TAKEN, PEERS_TALLIES, PEERS_TALLY_WORDS = FUSED_COUNTS + MOST_PEERS };

/* A tally: the counts of cuda_fused.h, and then the number of vertices for each peer. The upper bits of each word count the
 * blocks that have added theirs (TALLY_ARRIVAL). */
struct peers_tally {
    unsigned long long word[PEERS_TALLY_WORDS];
};

/* The size of a shard, as its GPU tells it to the peers. */
struct peers_size {
    struct cost_graph graph;
    double list_edge;             /* the rate of the GPU, before graph.rates.list_edge grows with the vertices */
    uint64_t most_edges;          /* the most edges of a vertex */
    uint64_t vertices, all_edges; /* number of normals and delegates; number of edges of all subgraphs */
};

/* The state of a GPU's searches, in device memory. The state is zero before the first search. */
struct peers_state {
    unsigned int barriers; /* the number of the last barrier of the GPUs: the same on all GPUs */
    unsigned int sent;     /* 1 or 2: the last search left vertices in its first or second bitmap `sent`; 0: in none */
    unsigned long long progress[128]; /* the state (peers_progress) that a single block hands to the other blocks */
    struct peers_tally tally[3][PEERS_TALLIES]; /* round r uses tally[r % 3] */
    peer_flags flag[MOST_PEERS][2]; /* peer i writes its flag of barrier b to flag[i][b % 2] */
};

/* A peer, as this GPU reaches it. Each GPU is also a near peer of itself. */
struct gpu_fused_peer {
    uint64_t words;           /* words of a bitmap of the peer's normals */
    peer_flags *flag;         /* [2]: where this GPU writes its flag of barrier b: flag[b % 2] */
    unsigned long long *arrivals; /* [2][PEERS_LISTED_EDGES]: where this GPU writes vertices for the peer, by barrier */
    const unsigned long long *arrived; /* [2][PEERS_LISTED_EDGES]: where vertices from the peer arrive */
    /* Arrays of a near peer, NULL for a far one. */
    const uint32_t *found[2]; /* two bitmaps of the delegates that the peer found; dense levels use them in turn */
    const uint32_t *sent[2];  /* two bitmaps over nn's columns: normals of all shards that the peer's pushes of nn found */
    const uint32_t *visited;  /* the visited bits of the peer's normals */
    uint32_t *gathered;       /* this GPU's visited normals, in the peer's memory; NULL: no nn edge joins the shards */
    /* Buffers for messages to a far peer, NULL for a near one (engine/relay_buffers.h). */
    const peer_flags *flag_in; /* [2]: the peer's flags */
    uint32_t *single_out;       /* the message for this peer alone */
    const uint32_t *single_in, *all_in; /* its messages: for this GPU alone, and for all GPUs (peers_far.all_second) */
};

/* What a GPU needs for messages to far GPUs, in device memory but for `all_out`. A search clears the first three bitmaps when it
 * starts. */
struct peers_far {
    uint32_t *known;   /* delegates that messages have told in this level */
    uint32_t *reached; /* own normals that pushes of nn on far GPUs have found in this level */
    uint32_t *told;    /* own visited normals that far GPUs have been told in this search */
    const uint32_t *sources; /* the normals of all shards that have nn edges, by nn's columns */
    const uint32_t *owned;   /* [p][words]: the delegates that each shard owns */
    struct message_counts *counts; /* [1 + far peers][PEERS_MOST_WARPS]: of a message to all far peers, and of those to each */
    uint32_t *all_out; /* the message for all far GPUs */
    uint64_t all_second; /* the words from gpu_fused_peer.all_in to the message that came by a barrier with an odd number; 0: none */
};

/* How nn numbers the normals of all shards, and the size of bitmaps over these numbers. A column of nn has the shard in its
 * upper bits and the local id in its lower bits. */
struct peers_columns {
    uint32_t local_bits;  /* bits of the local id */
    uint32_t shard_words; /* words of a bitmap for one shard */
    uint64_t words;       /* words of a whole bitmap; 0: nn has no such bitmaps */
};

/* Sums over all shards. Delegates are counted in each shard. */
struct peers_total {
    double vertices, edges;
    uint64_t most_edges; /* the most edges of a vertex in one shard */
};

/* The parameters of the kernel. */
struct gpu_fused_peers {
    struct gpu_fused fused;
    struct gpu_fused_peer peer[MOST_PEERS];
    uint32_t count, near; /* the number of GPUs that search together; the number of near ones, which are the first peers */
    uint32_t own;         /* the index of this GPU among the peers */
    uint32_t shard[MOST_PEERS]; /* the shards of the peers */
    struct peers_far far; /* all 0 if no peer is far */
    struct peers_columns columns;
    uint32_t *found[2], *sent[2]; /* the bitmaps of this GPU that its peers see as gpu_fused_peer.found and sent */
    uint32_t *gathered; /* bitmap over nn's columns: visited normals of all shards, which pulls of nn look up */
    /* Receive buffers, [peers][2][PEERS_LISTED_EDGES]: buffer b % 2 is for the vertices that a peer sends before barrier b. The
     * lower half of an element is a vertex, with KIND_BIT for a delegate, the upper half is b: the vertex has arrived. */
    unsigned long long *arrivals;
    struct peers_total total;
    unsigned long long listed_edges[2]; /* most edges of a sparse level on all GPUs: [0] if the frontier is dense, [1] if it is sparse */
    int last_was_fused; /* 1: this kernel did the last search, too, so only the bitmap that state->sent names is to be cleared */
    const uint32_t *dd_own, *dd_others; /* bitmaps of dd's rows: delegates that this shard owns; all other delegates */
    struct peers_state *state;
};

/* A GPU reports PEERS_FAILED - i as the number of levels if peer i did not come to a barrier. */
#define PEERS_FAILED UINT32_MAX

/* Return the kernel of several GPUs, without notes of levels (cuda_peers_plain) or with notes (cuda_peers_noted). If `packed`,
 * the kernel also reads packed columns. */
struct fused_program cuda_peers_plain(int packed);
struct fused_program cuda_peers_noted(int packed);

#ifdef __cplusplus
}
#endif

#endif
