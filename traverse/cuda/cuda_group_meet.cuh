/* cuda_group_meet.cuh: meetings of the GPUs of a host, and what they read of each other; see cuda_group.h
 *
 * A meeting costs a barrier of the blocks and one way of a letter between two GPUs: 8 us between two H200, 6 of them for
 * the letter. A mask that a peer has is read once, 4 bytes a word.
 */
#ifndef DBFS_CUDA_GROUP_MEET_CUH
#define DBFS_CUDA_GROUP_MEET_CUH

#include "cuda_group.h"
#include "cuda_ptx.cuh"
#include "cuda_solo_grid.cuh"

/* What all threads of a block see, beside block_state. */
struct group_block {
    unsigned meetings;
    unsigned failed;
    unsigned buffer;     /* of what peers read, and this level writes */
    bool sends;          /* this level pushes nn */
    bool sent_before;    /* the other buffer has vertices, too */
    bool in_parts;       /* dd is pulled in two parts */
    bool by_lists;       /* how the level goes */
    unsigned long long sum[GROUP_VALUES];
};

static __shared__ gpu_group group; /* its `solo` is `search`, and not used */
static __shared__ group_block meeting;

#define GROUP_PATIENCE 20000000000ull /* ns that a GPU waits for a peer, which may start late */

/* A word of a mask that a peer writes between meetings. */
__device__ static inline uint32_t peek(const uint32_t *mask, uint64_t word)
{
    return ((const volatile uint32_t *)mask)[word];
}

/* By one warp of the first block, a lane for each peer: letters go out and come in. */
__device__ static inline void exchange_letters(unsigned number, const unsigned long long *values)
{
    const unsigned i = lane_id(), turn = number & 1;
    const bool is_peer = i < group.peers;
    unsigned long long theirs[GROUP_VALUES];
    bool late = false;
    if (is_peer) {
        group_letter *out = &group.peer[i].state->letter[turn][group.own];
        for (int k = 0; k < GROUP_VALUES; k++)
            ((volatile unsigned long long *)out->value)[k] = values[k];
        out->sent = ((volatile unsigned *)group.state->sent)[i];
        store_release_system(&out->meeting, number);
        const group_letter *in = &group.state->letter[turn][i];
        unsigned long long begin = 0;
        for (unsigned polls = 0; !late && load_acquire_system(&in->meeting) != number; polls++) {
            if (polls % 1024 != 1023) /* the clock is slow to read */
                continue;
            const unsigned long long now = device_nanoseconds();
            begin = begin == 0 ? now : begin;
            late = now - begin > GROUP_PATIENCE;
        }
        group.state->arrived[i] = ((const volatile group_letter *)in)->sent;
    }
    late = __any_sync(ALL_LANES, late);
#pragma unroll
    for (int k = 0; k < GROUP_VALUES; k++) /* all are under way before one is waited for */
        theirs[k] = is_peer ? ((volatile unsigned long long *)group.state->letter[turn][i].value)[k] : 0;
#pragma unroll
    for (int k = 0; k < GROUP_VALUES; k++) {
        const unsigned long long sum = warp_sum(theirs[k]);
        if (i == 0)
            group.state->sum[k] = sum;
    }
    if (i == 0 && late)
        group.state->failed = 1;
}

/* What this GPU tells: by one warp, after all blocks have counted. */
__device__ static inline void write_values(unsigned long long *values)
{
    const volatile unsigned long long *count =
        (const volatile unsigned long long *)search.state->counts[block.now.turn].count;
    values[GROUP_FRESH] = count[SOLO_FRESH];
    values[GROUP_NN_ROWS] = count[SOLO_SOURCES + NN];
    values[GROUP_NN_EDGES] = count[SOLO_FORWARD + NN];
    values[GROUP_DD_ROWS] = count[SOLO_SOURCES + DD];
    values[GROUP_DD_EDGES] = count[SOLO_FORWARD + DD];
    values[GROUP_EDGES] = 0;
    for (int g = 0; g < SUBGRAPHS; g++)
        values[GROUP_EDGES] += count[SOLO_FORWARD + g];
}

/* All blocks of all GPUs. What any of them wrote before is seen by all after it: blocks of a GPU are ordered by fences of
 * the GPU, and GPUs by the letters, whose release and acquire pass on what blocks had seen before. */
__device__ static inline void meet()
{
    __syncthreads();
    if (threadIdx.x < WARP) {
        const unsigned number = meeting.meetings + 1, target = block.arrivals + gridDim.x;
        if (lane_id() == 0) {
            __threadfence();
            atomicAdd(&search.state->arrived, 1u);
        }
        __syncwarp();
        if (blockIdx.x == 0) {
            unsigned long long values[GROUP_VALUES];
            while ((int)(load_awaited(&search.state->arrived) - target) < 0)
                ;
            __threadfence();
            const unsigned long long begun = note_clock();
            write_values(values);
            exchange_letters(number, values);
            __syncwarp();
            note_wait(begun);
            if (lane_id() == 0) {
                __threadfence();
                *(volatile unsigned *)&group.state->open = number;
            }
        } else if (lane_id() == 0) {
            unsigned spins = 0;
            while ((int)(*(volatile unsigned *)&group.state->open - number) < 0) {
                if (++spins > 256)
                    __nanosleep(64);
            }
        }
        __syncwarp();
        __threadfence();
        if (lane_id() < GROUP_VALUES)
            meeting.sum[lane_id()] = ((volatile unsigned long long *)group.state->sum)[lane_id()];
        if (lane_id() == 0) {
            meeting.failed = *(volatile unsigned *)&group.state->failed;
            meeting.meetings = number;
            block.arrivals = target;
        }
    }
    __syncthreads();
}

/* ---- masks ---- */

__device__ static inline void set_words(uint32_t *to, uint64_t words, uint32_t value)
{
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += threads)
        to[i] = value;
}

/* ---- what peers found ---- */

/* Delegates, of this level, on all GPUs. */
__device__ static inline uint32_t found_delegates(uint64_t word)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < group.peers; i++)
        found |= peek(group.peer[i].found[meeting.buffer], word);
    return found;
}

/* Normals of this shard, by nn's pushes on all GPUs. */
__device__ static inline uint32_t found_normals(uint64_t word)
{
    const uint64_t at = (uint64_t)group.shard[group.own] * group.shard_words + word;
    uint32_t found = 0;
    for (unsigned i = 0; i < group.peers; i++)
        found |= peek(group.peer[i].sent[meeting.buffer], at);
    return found;
}

/* Of masks of normals. */
__device__ static inline uint64_t words_of_peers()
{
    uint64_t words = 0;
    for (unsigned i = 0; i < group.peers; i++)
        words += i != group.own ? group.peer[i].words : 0;
    return words;
}

/* Before nn is pulled: the visited normals of all shards. */
__device__ static inline void gather_visited()
{
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (unsigned i = 0; i < group.peers; i++) {
        const gpu_group_peer &peer = group.peer[i];
        uint32_t *to = group.gathered + (uint64_t)group.shard[i] * group.shard_words;
        for (uint64_t w = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; w < peer.words;
             w += threads)
            to[w] = peek(peer.visited, w);
    }
}

#endif
