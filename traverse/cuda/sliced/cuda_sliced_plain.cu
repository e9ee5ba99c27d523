/* cuda_sliced_plain.cu: the kernels of a sliced search without notes of levels; the launch of these and of those with notes;
 * see cuda_sliced.h */
#include "cuda_sliced_kernel.cuh"

struct fused_program cuda_sliced_plain(const struct gpu_sliced *sliced)
{
    return program<false>(sliced);
}

/* Returns the bytes of a block's near bits, for visited bits of `words` words. */
static size_t shared_bytes(uint32_t words)
{
    return gpu_sliced_near(words) * sizeof(uint32_t);
}

int cuda_sliced_fits(uint32_t words)
{
    int device = 0, shared = 0, cooperative = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
    return cooperative && shared_bytes(words) + cuda_sliced_block_bytes() <= (size_t)shared;
}

cudaError_t cuda_sliced_plan(const gpu_sliced *sliced, fused_launch *launch)
{
    enum { THREADS = 1024 };
    int device = 0, processors = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    launch->threads = THREADS;
    launch->thread_group = 1;
    launch->shared_bytes = shared_bytes(sliced->words);
    /* a block a processor, or fewer if each thread has a slice: barriers of few blocks take less */
    launch->blocks = (int)min(min(processors, (int)SLICED_MOST_BLOCKS), (int)((sliced->count + THREADS - 1) / THREADS));
    return cudaFuncSetAttribute(launch->program.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (int)launch->shared_bytes);
}
