/* cuda_frontier_updates.cu: messages of frontiers to devices that are no peers, without the vertices that these know;
 * see cuda_kernels.h
 *
 * A block takes as many words of the mask as it has threads. Each word gives its bits that are not known, the lowest
 * first. The bits of a block lie one behind the other, and begin with a word of the message. Kernels write and read
 * messages in memory of the host, which saves a copy. Twin: the loops over bits of test_messages.c. Bytes moved: 4
 * to count a word and 12 to write or read its message; 1/8 for each bit that is not known.
 */
#include "traverse/cuda/device/cuda_common.cuh"

/* The words of a shard that a block takes. */
struct update_block {
    uint64_t word;       /* this thread's in the mask of all shards */
    uint64_t in_shard;   /* the same in the mask of its shard */
    uint32_t missing;    /* its bits that are not known */
    unsigned before, all; /* bits of the block before those of the word, and in all */
};

/* Blocks that take the words of one shard. */
__device__ static uint64_t blocks_of_shard(const gpu_frontier_update &n)
{
    return (n.shard_words + BLOCK - 1) / BLOCK;
}

/* Finds what the block's threads need of block `number` of a shard. All threads of the block call it. */
__device__ static update_block open_block(const gpu_frontier_update &n, uint32_t shard, uint64_t number)
{
    update_block b;
    b.in_shard = number * BLOCK + threadIdx.x;
    b.word = shard * n.shard_words + b.in_shard;
    b.missing = b.in_shard < n.shard_words ? ~n.known[b.word] : 0;
    b.before = block_prefix(__popc(b.missing), &b.all);
    return b;
}

/* 32-bit words that hold so many bits. */
__device__ static unsigned words_of_bits(unsigned bits)
{
    return (bits + 31) / 32;
}

/* Counts the words that each block of each shard has in the message of the shard. */
__global__ static void __launch_bounds__(BLOCK) count_kernel(gpu_frontier_update n)
{
    const uint64_t each = blocks_of_shard(n);
    for (uint64_t i = blockIdx.x; i < n.p * each; i += gridDim.x) {
        const update_block b = open_block(n, (uint32_t)(i / each), i % each);
        if (threadIdx.x == 0)
            n.begin[i] = words_of_bits(b.all);
        __syncthreads(); /* before the sums of the next block */
    }
}

/* Replaces the counts in begin[] by their exclusive prefix sums, a block for each shard. */
__global__ static void __launch_bounds__(BLOCK) begin_kernel(gpu_frontier_update n)
{
    const uint64_t each = blocks_of_shard(n);
    for (uint32_t s = blockIdx.x; s < n.p; s += gridDim.x) {
        unsigned base = 0;
        for (uint64_t first = 0; first < each; first += BLOCK) {
            const uint64_t i = s * each + first + threadIdx.x;
            const bool there = first + threadIdx.x < each;
            unsigned all, before = block_prefix(there ? n.begin[i] : 0, &all);
            if (there)
                n.begin[i] = base + before;
            base += all;
            __syncthreads();
        }
        if (threadIdx.x == 0)
            n.words[s] = base;
    }
    __threadfence_system();
}

/* Launches the counting of all messages' words, and their prefix sums. */
void cuda_frontier_update_count(const gpu_frontier_update *update, cudaStream_t stream)
{
    const uint64_t blocks = update->p * ((update->shard_words + BLOCK - 1) / BLOCK);
    count_kernel<<<blocks_for(blocks, 1), BLOCK, 0, stream>>>(*update);
    begin_kernel<<<blocks_for(update->p, 1), BLOCK, 0, stream>>>(*update);
}

/* Returns the bits of `bits` at the set bits of `chosen`, packed, the lowest first. */
__device__ static uint32_t gather_bits(uint32_t bits, uint32_t chosen)
{
    uint32_t gathered = 0;
    if (chosen == ALL_LANES)
        return bits;
    for (int at = 0; chosen != 0; chosen &= chosen - 1)
        gathered |= (bits >> (__ffs(chosen) - 1) & 1) << at++;
    return gathered;
}

/* Returns the reverse of gather_bits: packed bits at the set bits of `chosen`. */
__device__ static uint32_t scatter_bits(uint32_t bits, uint32_t chosen)
{
    uint32_t scattered = 0;
    if (chosen == ALL_LANES)
        return bits;
    for (; chosen != 0 && bits != 0; chosen &= chosen - 1, bits >>= 1)
        scattered |= (bits & 1) << (__ffs(chosen) - 1);
    return scattered;
}

/* Packs the visited bits that are not known into the message of the shard, and adds them to the known ones. */
__global__ static void __launch_bounds__(BLOCK)
    write_update_kernel(gpu_frontier_update n, uint32_t shard, const uint32_t *visited, uint64_t words, uint32_t *message)
{
    __shared__ uint32_t packed[BLOCK + 1];
    const uint64_t each = blocks_of_shard(n);
    for (uint64_t i = blockIdx.x; i < each; i += gridDim.x) {
        for (unsigned j = threadIdx.x; j <= BLOCK; j += BLOCK)
            packed[j] = 0;
        const update_block b = open_block(n, shard, i); /* the others have cleared theirs, too */
        const uint32_t bits = b.in_shard < words ? visited[b.in_shard] : 0,
                       shared = gather_bits(bits, b.missing);
        if (shared != 0) {
            atomicOr(&packed[b.before / 32], shared << b.before % 32);
            if (b.before % 32 != 0)
                atomicOr(&packed[b.before / 32 + 1], shared >> (32 - b.before % 32));
            n.known[b.word] |= bits;
        }
        __syncthreads();
        for (unsigned j = threadIdx.x; j < words_of_bits(b.all); j += BLOCK)
            message[n.begin[shard * each + i] + j] = packed[j];
        __syncthreads();
    }
}

/* Launches the writing of a shard's message. */
void cuda_frontier_update_write(const gpu_frontier_update *update, uint32_t shard, const uint32_t *visited, uint64_t words,
                                uint32_t *message, cudaStream_t stream)
{
    const int blocks = blocks_for(update->shard_words, BLOCK);
    write_update_kernel<<<blocks, BLOCK, 0, stream>>>(*update, shard, visited, words, message);
}

/* Unpacks the bits of a shard's message to the places of the bits that are not known. */
__global__ static void __launch_bounds__(BLOCK)
    read_update_kernel(gpu_frontier_update n, uint32_t shard, const uint32_t *message)
{
    __shared__ uint32_t packed[BLOCK + 1];
    const uint64_t each = blocks_of_shard(n);
    for (uint64_t i = blockIdx.x; i < each; i += gridDim.x) {
        const update_block b = open_block(n, shard, i);
        for (unsigned j = threadIdx.x; j <= BLOCK; j += BLOCK)
            packed[j] = j < words_of_bits(b.all) ? message[n.begin[shard * each + i] + j] : 0;
        __syncthreads();
        if (b.missing != 0) {
            const uint64_t two = (uint64_t)packed[b.before / 32 + 1] << 32 | packed[b.before / 32];
            n.known[b.word] |= scatter_bits((uint32_t)(two >> b.before % 32), b.missing);
        }
        __syncthreads();
    }
}

/* Launches the reading of a shard's message. */
void cuda_frontier_update_read(const gpu_frontier_update *update, uint32_t shard, const uint32_t *message,
                               cudaStream_t stream)
{
    read_update_kernel<<<blocks_for(update->shard_words, BLOCK), BLOCK, 0, stream>>>(*update, shard, message);
}
