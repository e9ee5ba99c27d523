/* backend_choose.c: chooses CPUs or GPUs for a search; see backend_choose.h */
#include "backend_choose.h"

#ifdef DBFS_CUDA
#include "traverse/cuda/device/cuda_choose.h"

#include <cuda_runtime_api.h>

/* Returns a text that says why no GPU can be used. Returns NULL if a GPU can be used. */
static const char *missing_gpu(void)
{
    int gpus = 0;
    cudaError_t code = cudaGetDeviceCount(&gpus);
    if (code == cudaErrorNoDevice)
        return "there is no GPU";
    if (code == cudaErrorInsufficientDriver) /* CUDA returns this code even if no driver is installed */
        return "there is no GPU, or its driver is older than the CUDA of this build";
    if (code != cudaSuccess)
        return cudaGetErrorString(code);
    return gpus > 0 ? NULL : "there is no GPU";
}

/* Returns the bus address, plus 1, of the GPU for device `slot` of this host; 0 if the device would use no GPU. */
uint64_t backend_gpu_address(enum backend_choice choice, uint32_t slot)
{
    int gpus = 0;
    if (choice == BACKEND_CPU || cudaGetDeviceCount(&gpus) != cudaSuccess || gpus < 1)
        return 0;
    return gpu_bus_address(gpu_ordinal(slot, gpus)) + 1;
}

static const struct backend *const cuda = &backend_cuda;
#else
/* Returns a text that says why no GPU can be used: this build has no CUDA. */
static const char *missing_gpu(void)
{
    return "this build has no CUDA backend";
}

/* Returns 0, because no device uses a GPU in this build. */
uint64_t backend_gpu_address(enum backend_choice choice, uint32_t slot)
{
    (void)choice, (void)slot;
    return 0;
}

static const struct backend *const cuda = &backend_cpu;
#endif

/* Sets *backend to what --backend asks for. BACKEND_AUTO means CUDA if a GPU can be used, otherwise the CPU. */
enum status backend_choose(const struct backend **backend, enum backend_choice choice, struct error *e)
{
    const char *missing = choice == BACKEND_CPU ? NULL : missing_gpu();
    if (choice == BACKEND_CUDA && missing != NULL)
        return fail(e, ST_RESOURCE, "--backend cuda: %s", missing);
    *backend = choice == BACKEND_CPU || missing != NULL ? &backend_cpu : cuda;
    return ST_OK;
}
