/* cuda_fused_launch.cu: the launch of the kernels of cuda_fused.h and cuda_peers.h */
#include "traverse/cuda/device/cuda_common.cuh"
#include "cuda_fused.h"

/* Vertices that a block of the team reaches in a level, at most. */
static size_t thread_group_capacity(const fused_launch *launch)
{
    return launch->has_thread_group || launch->has_hubs ? (size_t)launch->threads << FUSED_FIRST_CLASS : 0;
}

/* Two lists of the team, or marks of hubs: FUSED_HUB_WORDS for each thread. */
static size_t shared_bytes(const fused_launch *launch)
{
    return (size_t)launch->threads / WARP * launch->program.warp_bytes +
           2 * thread_group_capacity(launch) * sizeof(uint32_t);
}

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

/* Plans one block a processor, and the largest team that leaves few processors without a block: at
 * least `share` eighths of them have one. */
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
        if (known == cudaSuccess &&
            8 * clusters * (int)launch->thread_group >= launch->share * processors) {
            if (clusters * (int)launch->thread_group < launch->blocks)
                launch->blocks = clusters * (int)launch->thread_group;
            return;
        }
        cudaGetLastError();
    }
    launch->blocks = processors;
}

/* Plans as many threads as a block has room for. */
static void plan_threads(fused_launch *launch, size_t shared)
{
    enum { STATIC_BYTES = 36864 };
    launch->threads = launch->few_threads ? 512 : 1024;
    while (launch->threads > WARP && shared_bytes(launch) + STATIC_BYTES > shared)
        launch->threads /= 2;
    launch->shared_bytes = shared_bytes(launch);
    launch->thread_group_capacity = launch->has_thread_group ? (uint32_t)thread_group_capacity(launch) : 0;
}

cudaError_t cuda_fused_plan(fused_launch *launch)
{
    int device = 0, processors = 0, shared = 0, cooperative = 0, major = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    launch->blocks = 0;
    launch->thread_group = 1;
    plan_threads(launch, (size_t)shared);
    if (!cooperative)
        return cudaSuccess;
    launch->blocks = processors;
    const cudaError_t error =
        cudaFuncSetAttribute(launch->program.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)launch->shared_bytes);
    if (error == cudaSuccess && major >= 9 && launch->share > 0)
        plan_thread_group(launch, processors);
    return error;
}

cudaError_t cuda_fused_start(const void *search, const fused_launch *launch, cudaStream_t stream)
{
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attributes[2];
    void *arguments[] = {(void *)search};
    set_launch(launch, stream, &config, attributes);
    return cudaLaunchKernelExC(&config, launch->program.kernel, arguments);
}
