/* cuda_sliced_plain.cu: the kernels of a sliced search without notes of levels, and plans of launches; see cuda_sliced.h */
#include "cuda_sliced_kernel.cuh"

/* Returns the kernel without notes for the graph of the search. */
struct fused_program cuda_sliced_plain(const struct gpu_sliced *sliced)
{
    return program<false>(sliced);
}

/* Returns whether the current device has cooperative launches; 0 if CUDA does not tell. */
int cuda_sliced_possible(void)
{
    int device = 0, cooperative = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
    return cooperative;
}

/* Plans a launch of THREADS threads in each block, and allows the kernel the shared memory that this needs. */
cudaError_t cuda_sliced_plan(const gpu_sliced *sliced, fused_launch *launch)
{
    enum { THREADS = 1024 };
    int device = 0, processors = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    launch->threads = THREADS;
    launch->thread_group = 1;
    launch->shared_bytes = sliced->near_words * sizeof(uint32_t); /* the near bits */
    /* one block on each processor, or fewer if these give each slice a thread, since a barrier of few blocks is fast */
    launch->blocks = (int)min(min(processors, (int)SLICED_MOST_BLOCKS), (int)((sliced->count + THREADS - 1) / THREADS));
    return cudaFuncSetAttribute(launch->program.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (int)launch->shared_bytes);
}
