/* cuda_peers_start.cuh: the start of a search of several GPUs, and its end; see cuda_peers.h */
#ifndef DBFS_CUDA_GROUP_START_CUH
#define DBFS_CUDA_GROUP_START_CUH

#include "cuda_fused_progress.cuh"

/* The number of the last meeting. Words of peers carry such numbers, and those of long ago must not
 * be taken for new ones. So numbers begin anew in time, and vertices from peers are cleared: peers
 * send none before the first meeting. The signals of that meeting lie in the other buffer than
 * those of the last one. By all threads. Inlined, it would cost the whole kernel registers. */
template <class S> __device__ static __noinline__ unsigned last_number(S &s)
{
    const unsigned last = *(volatile unsigned *)&s.joint.state->meetings;
    if (last < PEERS_NUMBERS)
        return last;
    set_words((uint32_t *)s.joint.arrivals, 4ull * s.joint.peers * PEERS_LISTED_EDGES, 0);
    return last & 1;
}

/* Clears the masks `sent`; most searches leave both clear. By all threads, before any has reached
 * the first barrier. */
template <class S> __device__ static inline void clear_sent(S &s)
{
    const unsigned sent = *(volatile unsigned *)&s.joint.state->sent;
    for (unsigned i = 0; i < 2; i++) {
        if (!s.joint.clean || sent == i + 1)
            clear_columns(s, s.joint.sent[i]);
    }
}

template <class S> __device__ static inline void begin_meetings(S &s)
{
    const unsigned last = last_number(s);
    if (threadIdx.x == 0) {
        s.meeting = peers_block{};
        s.own_counts = peers_counts{};
        s.meeting.meetings = last;
    }
}

template <class S> __device__ static inline void clear_for_peers(S &s)
{
    clear_sent(s);
    clear_columns(s, s.joint.gathered);
    if (s.of[DELEGATES].parent != NULL) /* PARENT_NONE: those that find one know its parent */
        set_words(s.of[DELEGATES].parent, s.of[DELEGATES].count, ~0u);
    for (unsigned turn = 0; turn < 3; turn++)
        clear_tallies(s, turn);
}

/* Lets the first level find the root, which is marked: on its owner, or on all GPUs if it is a delegate. */
template <class S> __device__ static void put_root(S &s)
{
    if (blockIdx.x != 0 || threadIdx.x >= WARP)
        return;
    const gpu_vertices &v = s.of[s.root.kind];
    const bool has = lane_id() == 0 && s.root.index != NO_ROOT_HERE;
    if (has) {
        v.depth[s.root.index] = 0;
        if (v.parent != NULL)
            v.parent[s.root.index] = ROOT_PARENT;
    }
    list_vertices(s, s.root.index | (s.root.kind == DELEGATES ? KIND_BIT : 0), has);
}

/* Keeps the state for the next search. By one thread. */
template <class S> __device__ static inline void end_meetings(S &s)
{
    s.joint.state->meetings = s.meeting.meetings;
    s.joint.state->sent = s.meeting.sent_before ? 1 + (s.meeting.buffer ^ 1) : 0;
}

#endif
