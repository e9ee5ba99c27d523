/* cuda_sliced_plain.cu: the kernels of a sliced search without notes of levels, and the launch of all kernels of sliced
 * searches; see cuda_sliced.h */
#include "cuda_sliced_kernel.cuh"

/* Returns the kernel without notes of levels that fits the graph: with far bits, with heads, or with neither. */
struct fused_program cuda_sliced_plain(const struct gpu_sliced *sliced)
{
    return program<false>(sliced);
}

/* Returns the bytes of a block's near bits, if the visited bits of all vertices have `words` words. */
static size_t shared_bytes(uint32_t words)
{
    return gpu_sliced_near(words) * sizeof(uint32_t);
}

/* Returns whether the current device can run sliced searches: it has cooperative launches, and the shared memory of a block
 * has room for the near bits of `words` words of visited bits beside the block's other memory. Errors of CUDA count as no.
 */
int cuda_sliced_fits(uint32_t words)
{
    int device = 0, shared = 0, cooperative = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
    return cooperative && shared_bytes(words) + cuda_sliced_block_bytes() <= (size_t)shared;
}

/* Sets threads, blocks and shared memory of *launch on the current device, for the kernel launch->program and sliced->words
 * and count. Then allows the kernel to use this much shared memory, and returns the error of that call. */
cudaError_t cuda_sliced_plan(const gpu_sliced *sliced, fused_launch *launch)
{
    enum { THREADS = 1024 };
    int device = 0, processors = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    launch->threads = THREADS;
    launch->thread_group = 1;
    launch->shared_bytes = shared_bytes(sliced->words);
    /* one block on each processor, or fewer blocks if these suffice for a thread for each slice: a barrier of few blocks
     * takes less time */
    launch->blocks = (int)min(min(processors, (int)SLICED_MOST_BLOCKS), (int)((sliced->count + THREADS - 1) / THREADS));
    return cudaFuncSetAttribute(launch->program.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (int)launch->shared_bytes);
}
