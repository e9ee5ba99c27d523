/* cuda_group_send.cuh: what a level by lists reaches for other GPUs; see cuda_group.h
 *
 * A vertex is written into the memory of its GPU, 8 bytes with the number of the next meeting. The letter
 * of that meeting says how many there are: at most one for each edge of the list, so there is room
 * (GROUP_LISTED_EDGES). Vertices of two meetings in turn have two boxes: those of one are taken before
 * their GPU comes to the next.
 */
#ifndef DBFS_CUDA_GROUP_SEND_CUH
#define DBFS_CUDA_GROUP_SEND_CUH

#include "cuda_group_meet.cuh"

__device__ static inline uint32_t kind_of_columns(int g)
{
    return search.csr[g].column_kind;
}

/* Of a column of nn: its shard, and its number there. */
__device__ static inline uint32_t shard_of_column(uint32_t column)
{
    return column >> group.columns.local_bits;
}

__device__ static inline uint32_t local_of_column(uint32_t column)
{
    return column & ((1u << group.columns.local_bits) - 1);
}

__device__ static inline bool is_own_column(uint32_t column)
{
    return shard_of_column(column) == group.shard[group.own];
}

/* The record of a vertex that found this column in a pull. Parents in other shards are asked for after the
 * search. */
__device__ static inline uint32_t parent_of_column(const gpu_csr &csr, uint32_t column)
{
    if (csr.column_kind != SOLO_COLUMNS)
        return column;
    return is_own_column(column) ? local_of_column(column) : REMOTE_PARENT;
}

/* Columns of nn have none. */
__device__ static inline bool has_parents(const gpu_vertices &to)
{
    return to.parent != NULL;
}

/* An end in another shard. */
__device__ static inline bool is_elsewhere(const slots &e, int j)
{
    return e.kind[j] == SOLO_COLUMNS;
}

/* Columns of nn in this shard become its normals, if that is `wanted`: levels by masks do without, except for
 * parents. */
__device__ static inline void keep_own(slots &e, bool wanted)
{
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        if (wanted && e.end[j] != NO_HEAD && e.kind[j] == SOLO_COLUMNS && is_own_column(e.end[j])) {
            e.kind[j] = NORMALS;
            e.end[j] = local_of_column(e.end[j]);
        }
    }
}

/* What a peer gets: normals of its shard, and delegates that no thread of this GPU had reached before. The
 * peer may know these delegates already. */
__device__ static inline bool is_for_peer(const slots &e, int j, bool mine, unsigned peer)
{
    if (e.end[j] == NO_HEAD)
        return false;
    return e.kind[j] == SOLO_COLUMNS ? shard_of_column(e.end[j]) == group.shard[peer]
                                     : mine && e.kind[j] == DELEGATES;
}

/* Where a GPU has the vertices of a meeting from the first peer, if `arrivals` begin with those of the
 * first peer. */
template <typename T> __device__ static inline T *box_of(T *arrivals, unsigned number)
{
    return arrivals + (size_t)(number & 1) * group.peers * GROUP_LISTED_EDGES;
}

/* All lanes of the warp call it. One atomic for each peer that gets something. */
__device__ static inline void send_reached(const slots &e, const bool (&mine)[SLOTS])
{
    const unsigned number = meeting.meetings + 1;
    for (unsigned i = 0; i < group.peers; i++) {
        unsigned all[SLOTS], count = 0, at = 0;
        if (i == group.own)
            continue;
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            all[j] = __ballot_sync(ALL_LANES, is_for_peer(e, j, mine[j], i));
            count += __popc(all[j]);
        }
        if (count == 0)
            continue;
        if (lane_id() == 0)
            at = (unsigned)atomicAdd(sent_to(i), (unsigned long long)count);
        at = __shfl_sync(ALL_LANES, at, 0);
        unsigned long long *box = box_of(group.peer[i].arrivals, number);
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            if (all[j] >> lane_id() & 1)
                store_for_peer(&box[at + __popc(all[j] & ((1u << lane_id()) - 1))],
                               (unsigned long long)number << 32 |
                                   (e.kind[j] == DELEGATES ? e.end[j] | KIND_BIT : local_of_column(e.end[j])));
            at += __popc(all[j]);
        }
    }
}

#endif
