/* cuda_sliced_plain.cu: the kernels of a sliced search without notes of levels, and the launch of all kernels of sliced
 * searches; see cuda_sliced.h */
#include "cuda_sliced_kernel.cuh"

/* Returns a kernel without notes of levels. There are three such kernels: for graphs with far bits (visited bits in
 * global memory), for graphs with heads (copies of first slices) and no far bits, and for all other graphs. */
struct fused_program cuda_sliced_plain(const struct gpu_sliced *sliced)
{
    return program<false>(sliced);
}

/* Returns how many bytes of visited bits a block has in its shared memory. `words`: the words of a bitmap of all
 * vertices. */
static size_t shared_bytes(uint32_t words)
{
    return gpu_sliced_near(words) * sizeof(uint32_t);
}

/* Returns whether the current device can run sliced searches. The device must have cooperative launches. The shared
 * memory of a block must hold the near bits of a bitmap of `words` words, and the block's other memory. Returns 0 if CUDA
 * reports an error. */
int cuda_sliced_fits(uint32_t words)
{
    int device = 0, shared = 0, cooperative = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
    return cooperative && shared_bytes(words) + cuda_sliced_block_bytes() <= (size_t)shared;
}

/* Sets threads, blocks and shared memory of *launch on the current device. Reads launch->program, sliced->words and
 * sliced->count. Then allows the kernel to use this amount of shared memory, and returns the error of that call. */
cudaError_t cuda_sliced_plan(const gpu_sliced *sliced, fused_launch *launch)
{
    enum { THREADS = 1024 };
    int device = 0, processors = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    launch->threads = THREADS;
    launch->thread_group = 1;
    launch->shared_bytes = shared_bytes(sliced->words);
    /* one block on each processor, or fewer blocks if fewer give each slice a thread: a barrier of few blocks takes less
     * time */
    launch->blocks = (int)min(min(processors, (int)SLICED_MOST_BLOCKS), (int)((sliced->count + THREADS - 1) / THREADS));
    return cudaFuncSetAttribute(launch->program.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (int)launch->shared_bytes);
}
