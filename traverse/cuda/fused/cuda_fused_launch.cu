/* cuda_fused_launch.cu: plans and launches the kernels of cuda_fused.h, cuda_peers.h and cuda_sliced.h */
#include "traverse/cuda/device/cuda_common.cuh"
#include "cuda_fused.h"

/* Writes *config for a cooperative launch of the kernel. If launch->thread_group is above 1, the launch has clusters of so many
 * blocks. *config points to `attributes`, which must live as long as *config. */
static void set_launch(const fused_launch *launch, cudaStream_t stream, cudaLaunchConfig_t *config,
                       cudaLaunchAttribute attributes[2])
{
    *config = cudaLaunchConfig_t{};
    config->gridDim = dim3((unsigned)launch->blocks);
    config->blockDim = dim3((unsigned)launch->threads);
    config->dynamicSmemBytes = launch->shared_bytes;
    config->stream = stream;
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = launch->thread_group;
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    attributes[1].id = cudaLaunchAttributeCooperative;
    attributes[1].val.cooperative = 1;
    config->attrs = launch->thread_group > 1 ? attributes : attributes + 1;
    config->numAttrs = launch->thread_group > 1 ? 2 : 1;
}

/* Chooses the thread group, a cluster of blocks: writes launch->thread_group and launch->blocks. A grid of clusters may leave
 * processors without a block, so clusters are as large as possible while launch->eighths_in_clusters eighths of all processors
 * get a block. If no size does so, the thread group is one block, and each processor gets a block. Also allows the kernel
 * clusters of more than 8 blocks. */
static void plan_thread_group(fused_launch *launch, int processors)
{
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attributes[2];
    const void *kernel = launch->program.kernel;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    for (launch->thread_group = FUSED_MOST_THREAD_GROUP; launch->thread_group > 1; launch->thread_group /= 2) {
        int clusters = 0;
        launch->blocks = processors / (int)launch->thread_group * (int)launch->thread_group;
        set_launch(launch, NULL, &config, attributes);
        config.numAttrs = 1;
        const cudaError_t known = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
        if (known == cudaSuccess && 8 * clusters * (int)launch->thread_group >= launch->eighths_in_clusters * processors) {
            if (clusters * (int)launch->thread_group < launch->blocks)
                launch->blocks = clusters * (int)launch->thread_group;
            return;
        }
        cudaGetLastError();
    }
    launch->blocks = processors;
}

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
 * cudaSuccess is returned. Only code for compute capability 9.0 or later knows clusters: a later GPU may run older code. */
cudaError_t cuda_fused_plan(fused_launch *launch)
{
    int device = 0, processors = 0, shared = 0, cooperative = 0, clusters = 0;
    cudaFuncAttributes code = {};
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
    cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device);
    cudaError_t error = cudaFuncGetAttributes(&code, launch->program.kernel);
    plan_block(launch, (size_t)shared > code.sharedSizeBytes ? (size_t)shared - code.sharedSizeBytes : 0);
    launch->thread_group = 1;
    launch->blocks = cooperative ? processors : 0;
    if (!cooperative || error != cudaSuccess)
        return error;
    error = cudaFuncSetAttribute(launch->program.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)launch->shared_bytes);
    if (error == cudaSuccess && clusters && code.ptxVersion >= 90 && launch->eighths_in_clusters > 0)
        plan_thread_group(launch, processors);
    return error;
}

/* Launches the kernel of a search on `stream` with the parameters *search, which are copied, and returns before it runs. */
cudaError_t cuda_fused_start(const void *search, const fused_launch *launch, cudaStream_t stream)
{
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attributes[2];
    void *arguments[] = {(void *)search};
    set_launch(launch, stream, &config, attributes);
    return cudaLaunchKernelExC(&config, launch->program.kernel, arguments);
}
