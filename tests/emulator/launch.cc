/* launch.cc: launches kernels: checks the launch and puts it into a stream */
#include "include/emulated_launch.h"

#include "device.h"
#include "grid.h"
#include "lanes.h"
#include "report.h"
#include "settings.h"
#include "stream.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

namespace emulated {

struct known_kernel {
    const char *name;
    lane_maker maker;
};

static std::mutex kernels_lock;
static std::map<const void *, known_kernel> &kernels = *new std::map<const void *, known_kernel>;

void register_kernel(const void *address, const char *name, lane_maker maker)
{
    std::lock_guard<std::mutex> lock(kernels_lock);
    kernels[address] = known_kernel{name, std::move(maker)};
}

/* Notes the launch, for a test that asks whether all kernels were launched: EMULATED_KERNELS=FILE. */
struct launch_log {
    std::mutex lock;
    std::map<std::string, unsigned long> counts;

    void note(const std::string &name, unsigned long count)
    {
        std::lock_guard<std::mutex> locked(lock);
        counts[name] += count;
    }
    ~launch_log()
    {
        const char *path = getenv("EMULATED_KERNELS");
        FILE *file = path != nullptr ? fopen(path, "a") : nullptr;
        if (file == nullptr)
            return;
        for (const auto &one : counts)
            fprintf(file, "%s %lu\n", one.first.c_str(), one.second);
        fclose(file);
    }
};

static launch_log launches;

void note_use(const std::string &name, unsigned long count)
{
    launches.note(name, count);
}

static cudaError_t check_launch(const grid &what, cudaStream_t stream)
{
    if (what.blocks == 0 || what.threads == 0 || what.threads > MOST_WARPS * WARP_LANES ||
        what.shared_bytes > gpu_of(current_device()).shared_bytes) {
        complain("kernel %s: %u blocks of %u threads, %zu bytes of shared memory",
                 what.name.c_str(), what.blocks, what.threads, what.shared_bytes);
        return cudaErrorInvalidConfiguration;
    }
    if (what.cooperative && what.blocks > (unsigned)setting().processors)
        return cudaErrorCooperativeLaunchTooLarge;
    if (is_lost(current_device()))
        return cudaErrorLaunchFailure;
    return is_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t begin(const grid &what, cudaStream_t stream)
{
    if (const cudaError_t error = check_launch(what, stream))
        return failed(error);
    note_use(what.name);
    const std::shared_ptr<const grid> kept = std::make_shared<grid>(what);
    enqueue(stream, [=] { run_grid(*kept); });
    return cudaSuccess;
}

static bool is_cooperative(const cudaLaunchConfig_t *config)
{
    for (unsigned i = 0; i < config->numAttrs; i++) {
        if (config->attrs[i].id == cudaLaunchAttributeCooperative)
            return config->attrs[i].val.cooperative != 0;
    }
    return false;
}

}

using namespace emulated;

cudaError_t cudaLaunchKernel(const void *kernel, dim3 blocks, dim3 threads, void **arguments, size_t shared_bytes,
                             cudaStream_t stream)
{
    return begin(grid{(const char *)kernel, blocks.x, threads.x, shared_bytes, false,
                      *(const std::function<void()> *)arguments[0], current_device()},
                 stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments)
{
    std::unique_lock<std::mutex> lock(kernels_lock);
    const auto found = kernels.find(kernel);
    if (found == kernels.end())
        return failed(cudaErrorInvalidValue);
    const known_kernel known = found->second;
    lock.unlock();
    return begin(grid{known.name, config->gridDim.x, config->blockDim.x, config->dynamicSmemBytes,
                      is_cooperative(config), known.maker(arguments), current_device()},
                 config->stream);
}

/* The static shared memory is about that of fused kernels, as ptxas says. */
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *)
{
    *attributes = {2304};
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute attribute, int value)
{
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && (size_t)value > gpu_of(current_device()).shared_bytes)
        return failed(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t emulated_blocks_that_fit(int *blocks, int threads, size_t shared_bytes)
{
    *blocks = threads <= MOST_WARPS * WARP_LANES && shared_bytes <= gpu_of(current_device()).shared_bytes ? 1 : 0;
    return cudaSuccess;
}
