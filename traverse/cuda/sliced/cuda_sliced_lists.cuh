/* cuda_sliced_lists.cuh: sparse levels of all blocks (kind SPARSE); see cuda_sliced.h
 *
 * After a dense level each block reads a whole bitmap. A sparse level needs no such reads, which pays in searches with many
 * levels of thousands of vertices. The visited bits of all blocks lie in one `found` bitmap meanwhile. Each block lists in its own
 * shared memory the slices of the vertices that it finds, and pushes them in the next level. So blocks tell each other only the lengths
 * of their lists (cuda_sum_barrier.cuh). A block reads the links of its slices while it waits for the others. A level then costs the
 * barrier and an atomic, and moves 32 bytes for each slice, and a visited bit for each link. If the list of a block becomes long, and
 * before and after levels of other kinds, the frontier is a list in global memory with a part for each block, from which all blocks take
 * shares. Lists drift apart in hundreds of levels, so shares are also taken anew when a block has pushed far more slices than others
 * (SLICED_UNEVEN).
 */
#ifndef DBFS_CUDA_SLICED_LISTS_CUH
#define DBFS_CUDA_SLICED_LISTS_CUH

#include "cuda_sliced_one.cuh"

enum {
    /* the lower bits of an element of sliced_state.told, the length of a list or part; a tag stands in the other bits */
    TOLD_BITS = 24,
    LOOK_FROM = 1 << 14 /* if the frontier has more slices than this, a lane reads a visited bit before it sets it */
};
static_assert(SLICED_MOST_BLOCKS < 1 << ARRIVAL_BITS, "a sum counts all blocks");

/* The visited bits of a SPARSE level, as push_links uses them: one bitmap in global memory, which all blocks share.
 * `looks`: a lane reads a bit before it sets the bit. */
template <class B> struct grid_bits {
    B &block;
    const gpu_sliced &s;
    uint32_t *bits;
    bool looks;

    /* Returns whether the lane has a link whose vertex v may be unvisited. Reads the bit of v only if `looks`. */
    __device__ bool may_be_new(uint32_t v, bool has) const
    {
        return has && (!looks || !(((const volatile uint32_t *)bits)[v / 32] >> (v % 32) & 1));
    }

    /* Returns true, so that each lane goes on to set(): the block has no bits of its own by which to choose one lane. */
    __device__ bool claim(uint32_t) const
    {
        return true;
    }

    /* Sets the visited bit of v. Returns whether this lane was the first of all lanes of all blocks. */
    __device__ bool set(uint32_t v) const
    {
        const uint32_t bit = 1u << (v % 32);
        return !(atomicOr(&bits[v / 32], bit) & bit);
    }

    /* Writes depth, parent and next far bit of the vertex of a link. */
    __device__ void found(const uint2 &link, int32_t depth, uint32_t parent) const
    {
        put_depth(s, link.x, depth, parent);
        set_next_far(block, s, link.x / 32, 1u << (link.x % 32));
    }

    /* Returns true: each vertex belongs to the next frontier. */
    __device__ bool leads_on(uint32_t) const
    {
        return true;
    }

    /* Returns true: each slice is pushed. */
    __device__ bool is_pushed(uint32_t, int32_t) const
    {
        return true;
    }
};

/* ---- lengths of all parts ---- */

/* Returns the tag of frontier `number`, made of the number of the search and that of the frontier. No block has written
 * this tag to the same word of s.state->told before, so waiting blocks can tell a new word from an old one. */
__device__ static inline unsigned long long tag_of(const gpu_sliced &s, unsigned number)
{
    return (unsigned long long)s.order.number << 8 | (number & 0xff);
}

/* Tells all blocks the length of this block's part of frontier `number`: writes block.count[number % SLICED_TURNS], with
 * a tag, to s.state->told. A block that reads the tag by gather_parts sees all earlier writes of this block. Does not wait. All
 * threads of the block call it. */
template <class B> __device__ static inline void tell_part(B &block, const gpu_sliced &s, unsigned number)
{
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    const unsigned own = min(block.count[number % SLICED_TURNS], (1u << TOLD_BITS) - 1);
    fence_of_gpu();
    *(volatile unsigned long long *)&s.state->told[number % 2][blockIdx.x] = tag_of(s, number) << TOLD_BITS | own;
}

/* Returns the number of groups of WARP blocks in the grid. The last group may have fewer blocks. */
__device__ static inline unsigned groups_of_blocks()
{
    return (gridDim.x + WARP - 1) / WARP;
}

/* Returns the array part_ends, in the memory of the block. Element i is where the part of block i ends in a sparse frontier, as
 * a number of slices. It counts from the first part of a group of WARP blocks, the group that has block i. */
template <class B> __device__ static inline uint32_t *part_ends(B &block)
{
    return block.slice[1];
}

/* Fills part_ends() from the lengths of all parts, and sets block.told[g] to the number of slices of the WARP blocks from WARP * g on.
 * Thread i brings the length of block i's part as `own`. All lanes of each calling warp call it. */
template <class B> __device__ static inline void write_part_ends(B &block, unsigned own)
{
    const unsigned before = warp_prefix(own);
    part_ends(block)[threadIdx.x] = before + own;
    if (lane_id() == WARP - 1)
        block.told[threadIdx.x / WARP] = before + own;
}

/* A barrier, after tell_part: waits until all blocks have told the lengths of their parts of frontier `number`, and returns this
 * frontier. Fills part_ends() for it. All threads of all blocks call it. */
template <class B>
__device__ static inline sparse_frontier gather_parts(B &block, const gpu_sliced &s, unsigned number)
{
    sparse_frontier f = {number, 0, true};
    unsigned own = 0;
    if (threadIdx.x < gridDim.x) {
        unsigned long long told;
        do
            told = load_acquire(&s.state->told[number % 2][threadIdx.x]);
        while (told >> TOLD_BITS != tag_of(s, number));
        own = (unsigned)told & ((1u << TOLD_BITS) - 1);
    }
    if (threadIdx.x / WARP < groups_of_blocks())
        write_part_ends(block, own);
    f.fits = !__syncthreads_or(own > s.list_capacity);
    for (unsigned i = 0; i < groups_of_blocks(); i++)
        f.total += block.told[i];
    return f;
}

/* Waits until all blocks have arrived with their lists (push_sparse_levels). Returns the slices of all lists, and whether all blocks can go
 * on with their own lists. All threads of all blocks call it. */
template <class B> __device__ static inline sparse_frontier await_lists(B &block, const gpu_sliced &s)
{
    if (is_speaker()) {
        const unsigned long long sum = await_sum(block.barrier, s.state->barrier, gridDim.x);
        block.frontier.total = (unsigned)(sum >> ARRIVAL_BITS);
        block.frontier.fits = (sum & ((1u << ARRIVAL_BITS) - 1)) == 0;
    }
    __syncthreads();
    return block.frontier;
}

/* Returns slice i of a sparse frontier (i < f.total): looks for its group of blocks, and then for its block by bisection. */
template <class B>
__device__ static inline uint32_t listed_slice(B &block, const gpu_sliced &s, const sparse_frontier &f, unsigned i)
{
    unsigned group = 0, part = 0;
    while (i >= block.told[group])
        i -= block.told[group++];
    const uint32_t *ends = part_ends(block) + group * WARP;
#pragma unroll
    for (int step = WARP / 2; step > 0; step /= 2)
        part += ends[part + step - 1] <= i ? step : 0;
    i -= part > 0 ? ends[part - 1] : 0;
    return s.list[f.number % 2][(group * WARP + part) * s.list_capacity + i];
}

/* ---- levels ---- */

/* Returns this block's part of frontier `number`, as a list to which slices can be written. */
__device__ static inline slice_list part_of_block(const gpu_sliced &s, unsigned number)
{
    uint32_t *part = s.list[number % 2] + blockIdx.x * s.list_capacity;
    return slice_list{part, part, s.list_capacity, s.list_capacity, UINT32_MAX};
}

/* Takes this block's share of frontier f, every so many slices of all parts, into its list block.slice[0], whose length becomes
 * block.count[0]. All threads of the block call it. */
template <class B> __device__ static inline void take_share(B &block, const gpu_sliced &s, const sparse_frontier &f)
{
    const unsigned count = f.total > blockIdx.x ? (f.total - blockIdx.x + gridDim.x - 1) / gridDim.x : 0;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        block.slice[0][i] = listed_slice(block, s, f, blockIdx.x + i * gridDim.x);
    if (threadIdx.x < SLICED_TURNS)
        block.count[threadIdx.x] = threadIdx.x == 0 ? count : 0;
    __syncthreads();
}

/* Makes this block's list its part of frontier `number`, in which slices behind the first BLOCK_SLICES stand already. If slices are
 * missing, for lack of room, the length that the block tells is above s.list_capacity. All threads of the block call it. */
template <class B>
__device__ static inline void put_part(B &block, const gpu_sliced &s, const uint32_t *list, unsigned count, unsigned number)
{
    const slice_list to = part_of_block(s, number);
    for (unsigned i = threadIdx.x; i < count && i < BLOCK_SLICES && i < to.most; i += blockDim.x)
        to.slice[i] = list[i];
    if (threadIdx.x == 0)
        block.count[number % SLICED_TURNS] = count;
    tell_part(block, s, number);
}

/* Does one SPARSE level or more. Frontier `first` is in parts; between levels each block keeps its own list. The first level is always
 * done; another one follows if goes_on(slices of its frontier) returns true, and no block asks for new shares, because its list is longer
 * than SLICED_SHARE, or it has pushed far more slices than others. All threads call goes_on, while they wait for the other blocks, and get
 * the same result. `visited` is the bitmap of all vertices found so far. Each found vertex gets its bit, a depth and a parent. `depth`
 * becomes that of the last frontier, which is returned, in parts. All threads of all blocks call it. */
template <class B, class Next>
__device__ static inline sparse_frontier push_sparse_levels(B &block, const gpu_sliced &s, uint32_t *visited,
                                                            const sparse_frontier &first, int32_t &depth, Next goes_on)
{
    const int32_t first_depth = depth;
    const unsigned number = first.number + 1; /* of the frontier that is left in parts */
    unsigned turn = 0, total = first.total;
    unsigned uneven = 0; /* of the speaker: what SLICED_UNEVEN bounds, times the number of blocks */
    bool more = true;
    take_share(block, s, first);
    for (unsigned from = 0;; from ^= 1, turn = next_turn(turn)) {
        const unsigned length = block.count[turn];
        const unsigned count = length <= SLICED_SHARE ? length : 0; /* a list without room lacks slices, and none is pushed */
        const grid_bits<B> bits = {block, s, visited, total > LOOK_FROM};
        /* the part has room for a frontier that no block keeps */
        const slice_list next = {block.slice[from ^ 1], part_of_block(s, number).slice, BLOCK_SLICES,
                                 max((unsigned)BLOCK_SLICES, s.list_capacity), UINT32_MAX};
        const auto goes_on_together = [&] {
            const sparse_frontier f = await_lists(block, s);
            more = depth == first_depth || (goes_on(f.total) && f.fits);
            total = f.total;
            return more;
        };
        if (is_speaker()) {
            const bool asks = length > SLICED_SHARE || uneven > SLICED_UNEVEN * gridDim.x;
            arrive_with(block.barrier, s.state->barrier, (unsigned long long)length << ARRIVAL_BITS | asks);
            /* the total is that of the level before, which is about the same */
            const unsigned own = length * gridDim.x, even = SLICED_UNEVEN_TIMES * total;
            uneven += own > even ? own - even : 0;
        }
        if (threadIdx.x == 0)
            block.count[previous_turn(turn)] = 0;
        unsigned *found = &block.count[next_turn(turn)];
        if (count * SLICED_COLUMNS <= blockDim.x)
            push_listed<1>(bits, s, depth + 1, block.slice[from], threadIdx.x, count, next, found, goes_on_together);
        else
            push_listed<SLICED_COLUMNS>(bits, s, depth + 1, block.slice[from], threadIdx.x, count, next, found, goes_on_together);
        if (!more) {
            put_part(block, s, block.slice[from], length, number);
            return gather_parts(block, s, number);
        }
        note_level(block.notes, depth++, LEVEL_SLICED_SPARSE);
        __syncthreads();
    }
}

/* Adds the visited bits that this block knows to the bitmap `visited`, each block a share. All threads of all blocks call it. */
template <class B> __device__ static inline void add_visited(const B &block, const gpu_sliced &s, uint32_t *visited)
{
    for (uint32_t i = thread_of_grid(); i < s.words; i += threads_of_grid())
        visited[i] |= visited_word(block, s, i);
}

/* Returns sparse frontier `number` after BLOCK, and fills part_ends() for it: its slices are the first `slices` ones of the first block's
 * part, where they stand already, and all other parts are empty. Adds to `visited`, which has the bits that the first block found, those of
 * all vertices found before, and waits for the other blocks. If `has_all`, there are no such vertices, and no block waits. All threads of
 * all blocks call it. */
template <class B>
__device__ static inline sparse_frontier take_first_part(B &block, const gpu_sliced &s, uint32_t *visited, unsigned number,
                                                         unsigned slices, bool has_all)
{
    if (has_all) {
        if (threadIdx.x / WARP < groups_of_blocks())
            write_part_ends(block, threadIdx.x == 0 ? slices : 0);
        __syncthreads();
        return sparse_frontier{number, slices, true};
    }
    add_visited(block, s, visited);
    __syncthreads();
    if (threadIdx.x < SLICED_TURNS)
        block.count[threadIdx.x] = blockIdx.x == 0 && threadIdx.x == number % SLICED_TURNS ? slices : 0;
    tell_part(block, s, number);
    return gather_parts(block, s, number);
}

/* Makes sparse frontier `number` after a dense level: the slices of the vertices in block.slice[1] become this block's part. If
 * some have no room, in the part or already in block.slice[1], the block tells a length above s.list_capacity, so that no block
 * pushes the frontier. Also adds all visited bits to `visited`. All threads of all blocks call it. Not
 * inlined, so that other levels keep more values in registers. */
template <class B>
__device__ static __noinline__ void list_parts(B &block, const gpu_sliced &s, uint32_t *visited, unsigned number)
{
    const unsigned count = block.count[1];
    const slice_list to = part_of_block(s, number);
    unsigned *length = &block.count[number % SLICED_TURNS];
    add_visited(block, s, visited);
    __syncthreads();
    if (threadIdx.x < SLICED_TURNS) /* if slice[1] lacks vertices, this length tells that the part has too little room */
        block.count[threadIdx.x] = count > BLOCK_SLICES ? s.list_capacity + 1 : 0;
    __syncthreads();
    for (unsigned i = threadIdx.x; i - lane_id() < count && count <= BLOCK_SLICES; i += blockDim.x) {
        const uint32_t v = i < count ? block.slice[1][i] : 0, first = s.first[v];
        const unsigned own = i < count ? s.first[v + 1] - first : 0;
        put_slices(to, reserve_slices(length, share_of_lane(own)), first, own);
    }
    tell_part(block, s, number);
    if (threadIdx.x < SLICED_TURNS && threadIdx.x != number % SLICED_TURNS)
        block.count[threadIdx.x] = 0;
}

#endif
