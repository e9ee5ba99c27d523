/* cuda_fused_launch.cu: plans and launches the kernels of cuda_fused.h, cuda_peers.h and cuda_sliced.h */
#include "traverse/cuda/device/cuda_common.cuh"
#include "cuda_fused.h"

/* Chooses threads and shared memory for a block that has `shared` bytes of dynamic shared memory at most. A block has two lists,
 * of as many vertices as its threads can reach. If they do not fit, they are shorter, and if they would be too short,
 * the block has half as many threads. */
static void plan_block(fused_launch *launch, size_t shared)
{
    const bool has_lists = launch->has_thread_group || launch->has_hubs;
    for (launch->threads = launch->few_threads ? 512 : 1024;; launch->threads /= 2) {
        const size_t reached = (size_t)launch->threads << FUSED_FIRST_CLASS,
                     of_warps = (size_t)launch->threads / WARP * launch->program.warp_bytes,
                     rest = shared > of_warps ? shared - of_warps : 0, fitting = rest / (2 * sizeof(uint32_t)) / WARP * WARP;
        const size_t capacity = !has_lists ? 0 : fitting < reached ? fitting : reached;
        launch->shared_bytes = of_warps + 2 * capacity * sizeof(uint32_t);
        launch->thread_group_capacity = launch->has_thread_group ? (uint32_t)capacity : 0;
        launch->hub_capacity = launch->has_hubs ? 2 * (uint32_t)capacity : 0;
        const bool fits = launch->shared_bytes <= shared && (!has_lists || capacity == reached || capacity >= FUSED_ENOUGH_REACHED);
        if (launch->threads <= WARP || fits)
            return;
    }
}

/* Plans the launch of launch->program on the current device (cuda_fused.h): blocks, threads, the thread group, and shared
 * memory, which the kernel is allowed to use. If the device has no cooperative launches, launch->blocks becomes 0, and
 * cudaSuccess is returned. */
cudaError_t cuda_fused_plan(fused_launch *launch)
{
    int device = 0, processors = 0, shared = 0, cooperative = 0;
    cudaFuncAttributes code = {};
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
    cudaError_t error = cudaFuncGetAttributes(&code, launch->program.kernel);
    plan_block(launch, (size_t)shared > code.sharedSizeBytes ? (size_t)shared - code.sharedSizeBytes : 0);
    launch->blocks = cooperative ? processors : 0;
    launch->thread_group = launch->is_deep && processors <= FUSED_MOST_THREAD_GROUP ? (uint32_t)processors : 1;
    if (!cooperative || error != cudaSuccess)
        return error;
    return cudaFuncSetAttribute(launch->program.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)launch->shared_bytes);
}

/* Launches the kernel of a search on `stream` with the parameters *search, which are copied, and returns before it runs. */
cudaError_t cuda_fused_start(const void *search, const fused_launch *launch, cudaStream_t stream)
{
    return launch_together(launch->program.kernel, launch->blocks, launch->threads, launch->shared_bytes, search, stream);
}
