/* cuda_group_list.cuh: levels by lists of GPUs that search together; see cuda_group.h */
#ifndef DBFS_CUDA_GROUP_LIST_CUH
#define DBFS_CUDA_GROUP_LIST_CUH

#include "cuda_group_state.cuh"

/* What peers sent joins the next list, where it is not visited. */
__device__ static void take_from(unsigned peer)
{
    const uint32_t *codes = group.arrivals + (size_t)peer * GROUP_LISTED_EDGES;
    const uint32_t count = ((volatile unsigned *)group.state->arrived)[peer];
    note_read(count, 0);
    for (uint32_t first = warp_of_grid() * WARP; first < count; first += warps_of_grid() * WARP) {
        const uint32_t v = first + lane_id() < count ? peek(codes, first + lane_id()) : 0, id = v & ~KIND_BIT;
        const gpu_vertices &to = search.of[v >> 31];
        const bool mine = first + lane_id() < count && claim<REACH_LISTED>(to, id);
        if (mine) {
            to.depth[id] = block.target.depth;
            if (v == id && to.parent != NULL)
                to.parent[id] = REMOTE_PARENT; /* of a delegate the peer knows it */
        }
        list_vertices(block.target, v, mine);
    }
}

__device__ static void take_arrivals()
{
    for (unsigned i = 0; i < group.peers; i++) {
        if (i != group.own)
            take_from(i);
    }
    if (blockIdx.x == 0 && threadIdx.x < group.peers)
        group.state->sent[threadIdx.x] = 0;
}

__device__ static __noinline__ void run_listed()
{
    clear_turn();
    expand_list<REACH_LISTED>(block.target, search.list[block.now.list], block.now.pieces,
                              warp_of_grid(), warps_of_grid(), ALL_SUBGRAPHS);
    meet();
    note_time(SOLO_VISITED);
    take_arrivals();
    add_counts();
    meet();
    end_level(true);
}

/* Lists the frontier, which is a mask, with its rows. Their edges are known exactly then. */
__device__ static __noinline__ void list_frontier()
{
    clear_turn();
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        list_kind(block.target, kind, warp_of_grid(), warps_of_grid());
    add_counts();
    meet();
    read_turn();
    if (threadIdx.x < WARP) {
        if (lane_id() < SUBGRAPHS) {
            const double edges = (double)edges_of_level(lane_id());
            block.now.seen_edges[lane_id()] += edges - block.now.forward[lane_id()];
            block.now.forward[lane_id()] = edges;
        }
        __syncwarp();
        note_list(true);
    }
    next_turn(true);
}

#endif
