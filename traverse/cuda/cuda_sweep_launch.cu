/* cuda_sweep_launch.cu: how the kernel of a search by sweeps is launched; see cuda_sweep.h */
#include "cuda_common.cuh"
#include "cuda_sweep.h"

/* One block a processor, or fewer if each thread of them has a slice: a barrier of few blocks takes less. */
cudaError_t cuda_sweep_plan(const gpu_sweep *sweep, solo_launch *launch)
{
    enum { THREADS = 1024, MOST_BLOCKS = 1023 /* a barrier counts so far */ };
    int device = 0, processors = 0, shared = 0, cooperative = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
    launch->blocks = 0;
    launch->threads = THREADS;
    launch->team = 1;
    launch->shared_bytes = sweep->words * sizeof(uint32_t);
    if (!cooperative || launch->shared_bytes + cuda_sweep_block_bytes() > (size_t)shared)
        return cudaSuccess;
    launch->blocks = (int)min(min(processors, (int)MOST_BLOCKS), (int)((sweep->count + THREADS - 1) / THREADS));
    return cudaFuncSetAttribute(launch->program.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (int)launch->shared_bytes);
}
