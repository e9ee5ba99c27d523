/* cuda_frontier_updates.cu: writes and reads the messages by which a device tells its visited normals to devices that are no
 * peers; see struct gpu_frontier_update of cuda_kernels.h
 *
 * A message has one bit for each normal of a shard that is not in the bitmap `known`, 1 if the normal is visited. The sender
 * and the receivers have the same `known`: the vertices that earlier messages called visited, and those without edges of nn.
 * The bits are in the order of vertices, so a message needs no positions.
 *
 * A block of threads works on 256 words of the shard's bitmap, a word for each thread. Their message bits lie one behind the
 * other, the lowest first, from a new word of the message on. Kernels write and read messages in memory of the host, which
 * saves a copy. Twin: the loops over bits of test_messages.c. Bytes moved: 4 to count the message bits of a word, 12 to write
 * or read them, and 1/8 for each bit that is not known.
 */
#include "traverse/cuda/device/cuda_bits.cuh"
#include "traverse/cuda/device/cuda_common.cuh"

/* The word of a shard's bitmap on which a thread works, and where its message bits lie among those of the block of threads. */
struct update_block {
    uint64_t word;     /* index of the thread's word in `known`, the bitmap of all shards */
    uint64_t in_shard; /* index of the same word in the bitmap of its shard */
    uint32_t missing;  /* the bits of the word that are 0 in `known`, each of which has a bit in the message */
    unsigned before;   /* how many message bits of the block lie before those of this word */
    unsigned all;      /* the number of message bits of the block */
};

/* Returns how many blocks of threads the words of one shard need, with a word for each thread. */
__device__ static uint64_t blocks_of_shard(const gpu_frontier_update &n)
{
    return (n.shard_words + BLOCK - 1) / BLOCK;
}

/* Returns the word of this thread in block `number` of a shard, and where its message bits lie among those of the block.
 * A thread beyond the end of the shard has no message bits. All threads of the block call it. */
__device__ static update_block open_block(const gpu_frontier_update &n, uint32_t shard, uint64_t number)
{
    update_block b;
    b.in_shard = number * BLOCK + threadIdx.x;
    b.word = shard * n.shard_words + b.in_shard;
    b.missing = b.in_shard < n.shard_words ? ~n.known[b.word] : 0;
    b.before = block_prefix(__popc(b.missing), &b.all);
    return b;
}

/* Kernel: sets begin[], for each block of threads of each shard, to the number of words that the block needs in the message. */
__global__ static void __launch_bounds__(BLOCK) count_kernel(gpu_frontier_update n)
{
    const uint64_t each = blocks_of_shard(n);
    for (uint64_t i = blockIdx.x; i < n.p * each; i += gridDim.x) {
        const update_block b = open_block(n, (uint32_t)(i / each), i % each);
        if (threadIdx.x == 0)
            n.begin[i] = words_of_bits(b.all);
        __syncthreads(); /* all threads have read the sums of this block before the next sums are made */
    }
}

/* Kernel: replaces the counts in begin[] by prefix sums for each shard, so that begin[] says at which word of the message
 * the bits of a block begin. words[s], memory of the host, becomes the length of the message about shard s. A block does
 * a shard at a time. */
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

/* Launches the kernels that lay out the messages about all shards: fills begin[] and words[]. */
void cuda_frontier_update_count(const gpu_frontier_update *update, cudaStream_t stream)
{
    const uint64_t blocks = update->p * ((update->shard_words + BLOCK - 1) / BLOCK);
    count_kernel<<<blocks_for(blocks, 1), BLOCK, 0, stream>>>(*update);
    begin_kernel<<<blocks_for(update->p, 1), BLOCK, 0, stream>>>(*update);
}

/* Kernel: writes the message about this device's own shard, to memory of the host. The message gets the bits of visited[words]
 * that belong to vertices not in `known`. Then adds these visited vertices to `known`, as each receiver will do. */
__global__ static void __launch_bounds__(BLOCK)
    write_update_kernel(gpu_frontier_update n, uint32_t shard, const uint32_t *visited, uint64_t words, uint32_t *message)
{
    __shared__ uint32_t packed[BLOCK + 1];
    const uint64_t each = blocks_of_shard(n);
    for (uint64_t i = blockIdx.x; i < each; i += gridDim.x) {
        for (unsigned j = threadIdx.x; j <= BLOCK; j += BLOCK)
            packed[j] = 0;
        /* open_block has barriers, so all of packed[] is zero when it returns */
        const update_block b = open_block(n, shard, i);
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

/* Launches the kernel that writes a message, after cuda_frontier_update_count. Returns at once. */
void cuda_frontier_update_write(const gpu_frontier_update *update, uint32_t shard, const uint32_t *visited, uint64_t words,
                                uint32_t *message, cudaStream_t stream)
{
    const int blocks = blocks_for(update->shard_words, BLOCK);
    write_update_kernel<<<blocks, BLOCK, 0, stream>>>(*update, shard, visited, words, message);
}

/* Kernel: reads a message about a shard on a device that received it, and adds the visited vertices to `known`. Message
 * bit i belongs to the i-th vertex that is not in `known`. `message` is memory of the host. */
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
        if (b.missing != 0) { /* the bits of a word lie in at most two words of the message */
            const uint64_t two = (uint64_t)packed[b.before / 32 + 1] << 32 | packed[b.before / 32];
            n.known[b.word] |= scatter_bits((uint32_t)(two >> b.before % 32), b.missing);
        }
        __syncthreads();
    }
}

/* Launches the kernel that reads a message, after cuda_frontier_update_count. Returns at once. */
void cuda_frontier_update_read(const gpu_frontier_update *update, uint32_t shard, const uint32_t *message,
                               cudaStream_t stream)
{
    read_update_kernel<<<blocks_for(update->shard_words, BLOCK), BLOCK, 0, stream>>>(*update, shard, message);
}
