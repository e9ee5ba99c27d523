/* cuda_peers_send.cuh: vertices that a level by lists reaches for other GPUs; see cuda_peers.h
 *
 * A vertex is written into the memory of its GPU, 8 bytes with the number of the next meeting. The
 * signal of that meeting has their number: at most one for each edge of the list, so there is room
 * (PEERS_LISTED_EDGES). Vertices of two meetings in turn have two boxes: those of one are taken
 * before their GPU comes to the next.
 */
#ifndef DBFS_CUDA_GROUP_SEND_CUH
#define DBFS_CUDA_GROUP_SEND_CUH

#include "cuda_peers_barrier.cuh"
#include "traverse/cuda/visit/cuda_expand.cuh"

/* The shard of a column of nn, and its number there. */
template <class S> __device__ static inline uint32_t shard_of_column(S &s, uint32_t column)
{
    return column >> s.joint.columns.local_bits;
}

template <class S> __device__ static inline uint32_t local_of_column(S &s, uint32_t column)
{
    return column & ((1u << s.joint.columns.local_bits) - 1);
}

template <class S> __device__ static inline bool is_own_column(S &s, uint32_t column)
{
    return shard_of_column(s, column) == s.joint.shard[s.joint.own];
}

/* The record of a vertex that found this column of nn in a pull. Parents in other shards are asked for after the
 * search. */
template <class S> __device__ static inline uint32_t parent_of_shards(S &s, uint32_t column)
{
    return is_own_column(s, column) ? local_of_column(s, column) : REMOTE_PARENT;
}

/* Columns of nn in this shard become its normals, if that is `wanted`: levels by masks do without, except for
 * parents. */
template <class S> __device__ static inline void keep_own(S &s, slots &e, bool wanted)
{
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        if (wanted && e.end[j] != NO_HEAD && e.kind[j] == FUSED_COLUMNS && is_own_column(s, e.end[j])) {
            e.kind[j] = NORMALS;
            e.end[j] = local_of_column(s, e.end[j]);
        }
    }
}

/* Whether a peer gets the vertex: a normal of its shard, or a delegate that no thread of this GPU
 * had reached before. The peer may know such a delegate already. */
template <class S> __device__ static inline bool is_for_peer(S &s, const slots &e, int j, bool mine, unsigned peer)
{
    if (e.end[j] == NO_HEAD)
        return false;
    return e.kind[j] == FUSED_COLUMNS ? shard_of_column(s, e.end[j]) == s.joint.shard[peer]
                                     : mine && e.kind[j] == DELEGATES;
}

/* The place for the vertices of a meeting from the first peer, if `arrivals` begin with those of
 * the first peer. */
template <typename T, class S> __device__ static inline T *box_of(S &s, T *arrivals, unsigned number)
{
    return arrivals + (size_t)(number & 1) * s.joint.peers * PEERS_LISTED_EDGES;
}

/* Sends reached vertices, by one atomic for each peer. All lanes of the warp call it. */
template <class S> __device__ static inline void send_reached(S &s, const slots &e, const bool (&mine)[SLOTS])
{
    const unsigned number = s.meeting.meetings + 1;
    for (unsigned i = 0; i < s.joint.peers; i++) {
        if (i == s.joint.own)
            continue;
        append_ends<unsigned>(
            sent_to(s, i), [&](int j) { return is_for_peer(s, e, j, mine[j], i); },
            [&](int j, unsigned at) {
                store_for_peer(&box_of(s, s.joint.peer[i].arrivals, number)[at],
                               (unsigned long long)number << 32 |
                                   (e.kind[j] == DELEGATES ? e.end[j] | KIND_BIT : local_of_column(s, e.end[j])));
            });
    }
}

#endif
