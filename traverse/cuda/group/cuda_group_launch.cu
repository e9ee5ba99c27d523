/* cuda_group_launch.cu: how the kernels of several GPUs are launched; see cuda_group.h */
#include "traverse/cuda/cuda_common.cuh"
#include "cuda_group.h"

cudaError_t cuda_group_plan(solo_launch *launch)
{
    int device = 0, processors = 0, cooperative = 0, blocks = 0;
    const void *kernel = launch->program.kernel;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
    launch->threads = 1024;
    launch->team = 1;
    launch->shared_bytes = launch->threads / WARP * launch->program.warp_bytes;
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             (int)launch->shared_bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, launch->threads,
                                                              launch->shared_bytes);
    launch->blocks = cooperative && error == cudaSuccess && blocks > 0 ? processors : 0;
    cudaGetLastError(); /* a GPU that is too small takes the level loop */
    return cudaSuccess;
}
