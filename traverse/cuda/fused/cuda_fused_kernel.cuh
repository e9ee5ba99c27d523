/* cuda_fused_kernel.cuh: a whole search in one kernel, of one GPU or of several that read each other's memory
 *
 * cuda_fused.h and cuda_peers.h describe the kernel, and the level loop (loop.c) is its twin. S::together is true if several
 * GPUs search. All blocks compute the same state s.block.now and choose levels by it, so they agree without a message. There are
 * three kinds of levels:
 *   few      The frontier is small. The thread group (the first block, or in a deep search all blocks), or with several GPUs the first
 *            block of each GPU, goes from level to level by itself. The other blocks wait at the barrier.
 *   sparse   All blocks visit the edges of the frontier's work items. A work item is a row, or a piece of a long row. A
 *            vertex that is reached gets its visited bit at once and joins the next frontier.
 *   dense    Pulls and pushes set bits of the bitmap `next`. Then a previsit makes the vertices of `next` that are not
 *            visited yet the next frontier.
 * A level ends with a barrier of the grid or, with several GPUs, of all GPUs, which send each other their counts.
 */
#ifndef DBFS_CUDA_FUSED_KERNEL_CUH
#define DBFS_CUDA_FUSED_KERNEL_CUH

#include "cuda_peers_sparse.cuh"
#include "cuda_peers_dense.cuh"
#include "cuda_fused_thread_group.cuh"

/* ---- levels: these functions are not inlined, so that each of them keeps more values in registers ---- */

/* Runs a sparse level: pushes along all edges of the frontier, and makes the vertices that they reach the next frontier. All
 * threads of the grid call it. With several GPUs the first block of a GPU may call it alone, for its GPU. */
template <class S> __device__ static __noinline__ void run_sparse(S &s)
{
    begin_round(s);
    if constexpr (S::together) {
        run_sparse_together(s);
    } else {
        expand_items<REACH_SPARSE>(s, s.sparse[s.block.now.current], s.block.now.items, warp_of_grid(), warps_of_grid(),
                                   ALL_SUBGRAPHS);
        append_block_list(s);
        search_barrier(s);
        if (threadIdx.x == 0)
            s.block.block_reached = 0;
        end_level(s, true);
    }
}

/* Makes a dense frontier sparse: writes the rows of its vertices as work items, and counts their edges, which were only
 * estimated before. Ends with a barrier of the search and a new round of counters, like a level, but the depth stays. All
 * threads of the grid call it. */
template <class S> __device__ static __noinline__ void make_sparse(S &s)
{
    begin_round(s);
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        list_kind(s, kind, warp_of_grid(), warps_of_grid());
    search_barrier(s);
    read_counts(s);
    if (threadIdx.x < WARP) {
        if (lane_id() < SUBGRAPHS) {
            const double edges = (double)found_of(s, FUSED_FORWARD + lane_id());
            s.block.now.seen_edges[lane_id()] += edges - s.block.now.forward[lane_id()];
            s.block.now.forward[lane_id()] = edges;
        }
        if constexpr (S::together) {
            if (lane_id() == 0) {
                const unsigned long long edges = sum_of_edges(s.sums_of_flags + PEERS_FOUND);
                s.peers.seen_edges += (double)edges - (double)s.peers.edges;
                s.peers.edges = edges;
            }
        }
        __syncwarp();
        prepare_choice(s, true);
    }
    next_round(s, true);
}

/* Waits until all blocks have done their pulls and pushes. Then does the second pass, for the pieces of long rows in the list
 * `cut`. work_item::at of a piece has its subgraph, and ITEM_PULL if the piece is pulled; otherwise it is pushed. Returns
 * whether there were pieces. All threads of the grid call it. */
template <class S> __device__ static inline bool finish_pieces(S &s, const cut_list &cut)
{
    grid_barrier(s);
    const unsigned pieces = *(volatile unsigned *)cut.count;
    for (unsigned i = warp_of_grid(); i < pieces; i += warps_of_grid()) {
        const work_item piece = cut.pieces[i];
        if (piece.at & ITEM_PULL)
            pull_piece(s, start_pulling<S::together>(s, (int)(piece.at >> ITEM_SUBGRAPH_SHIFT)), piece);
        else
            expand_one<REACH_NEXT>(s, piece);
    }
    return pieces > 0;
}

/* Does all pulls of a dense level. A pull of nn is the last, as it may wait until far GPUs have told what they visited. All threads
 * of the grid call it. */
template <class S> __device__ static inline void pull_subgraphs(S &s, const cut_list &cut)
{
    bool waits = false;
    if constexpr (S::together)
        waits = s.block.choice.pull[NN] && has_far_peers(s.joint);
    for (int highest = SUBGRAPHS - 1, lowest = waits ? NN + 1 : NN; highest >= NN; highest = lowest - 1, lowest = NN) {
        if constexpr (S::together) {
            if (waits && highest == NN)
                take_visited(s);
        }
        pull_all(s, highest, lowest, warp_of_grid(), warps_of_grid(), cut);
    }
}

/* Runs a dense level: pulls and pushes find vertices, and a previsit makes them the next frontier. If there is memory left,
 * this frontier's bitmap is kept until the search ends (its depth in s.state->kept_depth). All threads of the grid call it. */
template <class S> __device__ static __noinline__ void run_dense(S &s)
{
    const cut_list cut = {s.sparse[s.block.now.current ^ 1], &s.state->counts[s.block.now.round].pieces};
    begin_round(s);
    if constexpr (S::together)
        gather_for_pulls(s);
    copy_hub_bitmap<S>(s, s.block.choice);
    pull_subgraphs(s, cut); /* before pushes, which can leave out vertices that pulls found */
    note_pulled(s.notes);
    push_all(s, cut, warp_of_grid(), warps_of_grid());
    const bool was_cut = finish_pieces(s, cut);
    if constexpr (S::together)
        finish_parts(s, cut);
    else if (was_cut)
        grid_barrier(s);
    note_time(s.notes, s.block.now.depth, FUSED_VISITED);
    /* previsit of the next level */
    if (s.plan.sparse_next)
        previsit<true>(s, warp_of_grid(), warps_of_grid());
    else
        previsit<false>(s, warp_of_grid(), warps_of_grid());
    if constexpr (S::together)
        clear_sent_before(s);
    search_barrier(s);
    if constexpr (S::together)
        note_shared(s);
    if (threadIdx.x == 0) {
        if (s.block.dense_frontiers < s.keeps && blockIdx.x == 0)
            s.state->kept_depth[s.block.dense_frontiers] = s.block.target.depth;
        s.block.dense_frontiers++;
        if constexpr (S::together)
            swap_buffers(s);
    }
    end_level(s, s.plan.sparse_next);
}

/* ---- the search ---- */

/* Makes the roots that this GPU has the frontier: delegates are on all GPUs, and a normal is on its owner only. Writes depth 0 and
 * ROOT_PARENT, and appends rows as work items. Sets visited bits, but that of an only root, which start_search sets. Ends as a level
 * of depth -1 does. All threads of the grid call it. Not inlined, so that the search of one root on one GPU keeps its registers. */
template <class S> __device__ static __noinline__ void put_roots(S &s)
{
    for (uint32_t first = warp_of_grid() * WARP; first < s.roots.count; first += warps_of_grid() * WARP) {
        const bool has = first + lane_id() < s.roots.count;
        const uint32_t v = has ? root_at(s.roots, s.of, first + lane_id()) : 0, id = v & ~KIND_BIT;
        const gpu_vertices &kind = s.of[v >> 31];
        if (has) {
            kind.depth[id] = 0;
            if (kind.parent != NULL)
                kind.parent[id] = ROOT_PARENT;
            if (s.roots.count > 1)
                atomicOr(&kind.visited[id / 32], 1u << (id % 32));
        }
        list_vertices<S>(s.csr, s.block.target, v, has);
    }
    search_barrier(s);
    end_level(s, true);
}

/* Starts a search: clears the state, the bitmaps and the counters, and sets the visited bit of an only root. On a single GPU
 * the thread group then does the first levels, from this root on. Several roots, and all roots on several GPUs, become the
 * frontier as if a level of depth -1 had found them. All threads of the grid call it. */
template <class S> __device__ static void start_search(S &s)
{
    const bool begins_at_root = !S::together && s.roots.count == 1;
    if constexpr (S::together)
        begin_peers(s);
    if (threadIdx.x == 0) {
        s.block = {};
        s.block.arrivals = *(volatile unsigned *)&s.state->arrivals;
        s.block.now.depth = begins_at_root ? 0 : -1;
        set_target(s);
        s.block.now.fresh = 1;
        s.block.thread_group_edges = s.thread_group * blockDim.x;
        begin_sum_barriers(s.block.barrier.own, s.state->barrier);
        s.block.barrier.dealt = *(volatile unsigned *)&s.state->dealt;
    }
    begin_notes(s.notes, s.out);
    for (unsigned i = lane_id(); i < S::counters; i += WARP)
        own_space<S>().count[i] = 0;
    const uint32_t *root = s.roots.count == 1 ? &s.of[s.roots.first >> 31].visited[(s.roots.first & ~KIND_BIT) / 32] : NULL;
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < s.cleared.words; i += threads)
        s.cleared.all[i] = &s.cleared.all[i] == root ? 1u << (s.roots.first % 32) : 0;
    for (unsigned round = 0; round < 3; round++)
        clear_round(s, round);
    if constexpr (S::together)
        clear_for_peers(s);
    grid_barrier(s);
    if (begins_at_root) {
        if constexpr (!S::together)
            leave_to_thread_group(s, true);
    } else {
        put_roots(s);
    }
}

/* Chooses and runs the next level, and makes a dense frontier sparse before a sparse level. If the frontier is
 * small, the thread group does this level and the levels that follow, while other blocks wait. All threads of the grid call it. */
template <class S> __device__ static void run_level(S &s)
{
    note_begin(s.notes, s.block.now.depth);
    if constexpr (!S::together)
        begin_deep_levels(s);
    choose_level(s);
    if (!s.block.now.sparse && !s.block.choice.dense) {
        make_sparse(s);
        choose_level(s); /* by the exact number of edges */
    }
    note_time(s.notes, s.block.now.depth, FUSED_CHOSEN);
    if (s.block.choice.dense) {
        note_level(s.notes, s.block.now.depth, LEVEL_DENSE);
        run_dense(s);
        return;
    }
    if constexpr (S::together) {
        if (begins_single_block(s)) {
            leave_to_first_block(s);
            return;
        }
    } else if (is_for_thread_group(s, s.block.now, s.block.choice.push_edges, s.block.thread_group_edges)) {
        leave_to_thread_group(s, false);
        return;
    }
    note_level(s.notes, s.block.now.depth, LEVEL_SPARSE);
    run_sparse(s);
}

/* The kernel: does a search from the roots to the last level. Each block copies the parameters to its shared memory, `s`. At the
 * end one thread keeps in device memory what the next search needs, and reports the number of levels to the host. */
template <class S>
__global__ static void __launch_bounds__(1024, 1) fused_kernel(const __grid_constant__ typename S::parameters parameters)
{
    __shared__ S s;
    if constexpr (S::together) {
        copy_words(&s.joint, &parameters);
        copy_words((gpu_fused *)&s, &parameters.fused);
    } else {
        copy_words((gpu_fused *)&s, &parameters);
    }
    __syncthreads();
    start_search(s);
    while (s.block.now.fresh != 0 && s.block.now.depth < s.order.deepest)
        run_level(s);
    end_notes(s.notes, s.block.now.depth);
    if (blockIdx.x == 0 && threadIdx.x == 0) { /* keep the state for the next search, and report to the host */
        if constexpr (S::together) {
            s.joint.state->barriers = s.peers.barriers;
            s.joint.state->sent = s.peers.sent_before ? 1 + (s.peers.buffer ^ 1) : 0;
        }
        s.state->arrivals = s.block.arrivals;
        s.state->kept = min(s.block.dense_frontiers, s.keeps);
        __threadfence_system();
        s.out.mapped->report = (uint64_t)s.order.number << 32 | (uint32_t)s.block.now.depth;
    }
}

/* Returns the kernel that is compiled for a case, and the bytes of shared memory that each of its warps needs. TOGETHER: for
 * several GPUs. NOTED: writes notes of levels. PACKED: also reads packed columns. */
template <bool TOGETHER, bool NOTED, bool PACKED> static struct fused_program program()
{
    if constexpr (TOGETHER) {
        typedef peers_searching<NOTED, PACKED> several_gpus;
        return fused_program{(const void *)fused_kernel<several_gpus>, sizeof(typename several_gpus::space)};
    } else {
        typedef searching<NOTED, PACKED, false> single_gpu;
        return fused_program{(const void *)fused_kernel<single_gpu>, sizeof(typename single_gpu::space)};
    }
}

#endif
