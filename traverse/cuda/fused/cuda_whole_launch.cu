/* cuda_whole_launch.cu: the launch of the kernels of cuda_whole.h and cuda_group.h */
#include "traverse/cuda/device/cuda_common.cuh"
#include "cuda_whole.h"

/* Vertices that a block of the team reaches in a level, at most. */
static size_t team_room(const whole_launch *launch)
{
    return launch->has_team || launch->has_hubs ? (size_t)launch->threads << WHOLE_FIRST_CLASS : 0;
}

/* Two lists of the team, or marks of hubs: WHOLE_HUB_WORDS for each thread. */
static size_t shared_bytes(const whole_launch *launch)
{
    return (size_t)launch->threads / WARP * launch->program.warp_bytes +
           2 * team_room(launch) * sizeof(uint32_t);
}

static void set_launch(const whole_launch *launch, cudaStream_t stream, cudaLaunchConfig_t *config,
                       cudaLaunchAttribute attributes[2])
{
    *config = cudaLaunchConfig_t{};
    config->gridDim = dim3((unsigned)launch->blocks);
    config->blockDim = dim3((unsigned)launch->threads);
    config->dynamicSmemBytes = launch->shared_bytes;
    config->stream = stream;
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = launch->team;
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    attributes[1].id = cudaLaunchAttributeCooperative;
    attributes[1].val.cooperative = 1;
    config->attrs = launch->team > 1 ? attributes : attributes + 1;
    config->numAttrs = launch->team > 1 ? 2 : 1;
}

/* Plans one block a processor, and the largest team that leaves few processors without a block: at
 * least `share` eighths of them have one. */
static void plan_team(whole_launch *launch, int processors)
{
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attributes[2];
    const void *kernel = launch->program.kernel;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    for (launch->team = WHOLE_MOST_TEAM; launch->team > 1; launch->team /= 2) {
        int clusters = 0;
        launch->blocks = processors / (int)launch->team * (int)launch->team;
        set_launch(launch, NULL, &config, attributes);
        config.numAttrs = 1;
        const cudaError_t known = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
        if (known == cudaSuccess &&
            8 * clusters * (int)launch->team >= launch->share * processors) {
            if (clusters * (int)launch->team < launch->blocks)
                launch->blocks = clusters * (int)launch->team;
            return;
        }
        cudaGetLastError();
    }
    launch->blocks = processors;
}

/* Plans as many threads as a block has room for. */
static void plan_threads(whole_launch *launch, size_t shared)
{
    enum { STATIC_BYTES = 36864 };
    launch->threads = launch->few_threads ? 512 : 1024;
    while (launch->threads > WARP && shared_bytes(launch) + STATIC_BYTES > shared)
        launch->threads /= 2;
    launch->shared_bytes = shared_bytes(launch);
    launch->team_room = launch->has_team ? (uint32_t)team_room(launch) : 0;
}

cudaError_t cuda_whole_plan(whole_launch *launch)
{
    int device = 0, processors = 0, shared = 0, cooperative = 0, major = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    launch->blocks = 0;
    launch->team = 1;
    plan_threads(launch, (size_t)shared);
    if (!cooperative)
        return cudaSuccess;
    launch->blocks = processors;
    const cudaError_t error =
        cudaFuncSetAttribute(launch->program.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)launch->shared_bytes);
    if (error == cudaSuccess && major >= 9 && launch->share > 0)
        plan_team(launch, processors);
    return error;
}

cudaError_t cuda_whole_start(const void *search, const whole_launch *launch, cudaStream_t stream)
{
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attributes[2];
    void *arguments[] = {(void *)search};
    set_launch(launch, stream, &config, attributes);
    return cudaLaunchKernelExC(&config, launch->program.kernel, arguments);
}
