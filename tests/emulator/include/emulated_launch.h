/* emulated_launch.h: how kernels are launched, for the emulator; see ../README.md
 *
 * rewrite.sed makes of  KERNEL<<<BLOCKS, THREADS, SHARED, STREAM>>>(ARGUMENT, ...)  a call of launch().
 */
#ifndef EMULATED_LAUNCH_H
#define EMULATED_LAUNCH_H

#include "cuda_runtime_api.h"

#include <functional>

namespace emulated {

struct shape {
    const char *kernel; /* its name */
    unsigned blocks, threads;
    size_t shared_bytes;
    cudaStream_t stream;
};

/* Puts a kernel into its stream. `lane` is what each thread does. Its error is that of cudaGetLastError. */
inline void start(const shape &s, std::function<void()> lane)
{
    void *arguments[] = {&lane};
    cudaLaunchKernel(s.kernel, s.blocks, s.threads, arguments, s.shared_bytes, s.stream);
}

/* The work of a thread, given the arguments of a launch. */
using lane_maker = std::function<std::function<void()>(void **arguments)>;

/* a kernel that is launched by its address */
void register_kernel(const void *address, const char *name, lane_maker maker);

/* These belong to each translation unit, as kernels of several units may have arguments of the same name. */
namespace {

struct launcher {
    shape what;
    template <typename Kernel, typename... Argument> void run(Kernel kernel, Argument... argument) const
    {
        start(what, [=] { kernel(argument...); });
    }
};

inline launcher launch(const char *kernel, unsigned blocks, unsigned threads, size_t shared_bytes = 0,
                       cudaStream_t stream = nullptr)
{
    return launcher{shape{kernel, blocks, threads, shared_bytes, stream}};
}

template <typename Argument> inline const void *address_of(void (*kernel)(Argument), const char *name)
{
    register_kernel((const void *)kernel, name, [=](void **arguments) {
        return [=, argument = *(const Argument *)arguments[0]] { kernel(argument); };
    });
    return (const void *)kernel;
}

}

}

/* ---- launches by address, and what fits ---- */

enum cudaLaunchAttributeID { cudaLaunchAttributeCooperative = 2 };

union cudaLaunchAttributeValue {
    int cooperative;
};

struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
};

struct cudaLaunchConfig_st {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value);
cudaError_t emulated_blocks_that_fit(int *blocks, int threads, size_t shared_bytes);

template <typename Kernel>
static inline cudaError_t cudaFuncSetAttribute(Kernel *kernel, cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}

template <typename Kernel>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel *, int threads,
                                                                        size_t shared_bytes)
{
    return emulated_blocks_that_fit(blocks, threads, shared_bytes);
}

#endif
