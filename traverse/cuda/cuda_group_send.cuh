/* cuda_group_send.cuh: what a level by lists reaches for other GPUs; see cuda_group.h
 *
 * A vertex is written into the memory of its GPU, 4 bytes. The letter of the next meeting says how many there are: at most
 * one for each edge of the list, so there is room (GROUP_LISTED_EDGES).
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
    return column >> group.local_bits;
}

__device__ static inline uint32_t local_of_column(uint32_t column)
{
    return column & ((1u << group.local_bits) - 1);
}

__device__ static inline bool is_own_column(uint32_t column)
{
    return shard_of_column(column) == group.shard[group.own];
}

/* The record of a vertex that found this column in a pull. Parents in other shards are asked for after the search. */
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

/* Of a level by masks that records parents: columns of nn in this shard become its normals. */
__device__ static inline void keep_own(slots &e)
{
    if (search.of[NORMALS].parent == NULL)
        return;
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        if (e.end[j] != NO_HEAD && e.kind[j] == SOLO_COLUMNS && is_own_column(e.end[j])) {
            e.kind[j] = NORMALS;
            e.end[j] = local_of_column(e.end[j]);
        }
    }
}

/* A vertex a lane, of the lanes that have one. All lanes of the warp call it. */
__device__ static inline void send_to(unsigned peer, uint32_t code, bool has)
{
    const unsigned all = __ballot_sync(ALL_LANES, has);
    unsigned first = 0;
    if (all == 0)
        return;
    if (lane_id() == 0)
        first = atomicAdd(&group.state->sent[peer], (unsigned)__popc(all));
    first = __shfl_sync(ALL_LANES, first, 0);
    if (has)
        group.peer[peer].arrivals[first + __popc(all & ((1u << lane_id()) - 1))] = code;
}

/* Columns of nn: those of other shards leave, and those of this one become its normals. */
__device__ static inline void send_away(slots &e)
{
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        const bool has = e.end[j] != NO_HEAD && e.kind[j] == SOLO_COLUMNS;
        if (!__any_sync(ALL_LANES, has))
            continue;
        const uint32_t shard = shard_of_column(e.end[j]), local = local_of_column(e.end[j]);
        for (unsigned i = 0; i < group.peers; i++) {
            if (i != group.own)
                send_to(i, local, has && shard == group.shard[i]);
        }
        if (has) {
            e.kind[j] = NORMALS;
            e.end[j] = shard == group.shard[group.own] ? local : NO_HEAD;
        }
    }
}

/* Delegates that this GPU is the first here to reach. Its peers may have reached them, too. */
__device__ static inline void tell_peers(const slots &e, const bool (&mine)[SLOTS])
{
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        const bool has = mine[j] && e.kind[j] == DELEGATES;
        for (unsigned i = 0; i < group.peers; i++) {
            if (i != group.own)
                send_to(i, e.end[j] | KIND_BIT, has);
        }
    }
}

#endif
