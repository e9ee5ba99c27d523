/* backend_choose.c: chooses CPUs or GPUs for a search; see backend_choose.h */
#include "backend_choose.h"

#ifdef DBFS_CUDA
#include "traverse/cuda/device/cuda_choose.h"

#include <cuda_runtime_api.h>

/* Returns why there is no GPU to use, as a text for a message; NULL if there is one. */
static const char *missing_gpu(void)
{
    int gpus = 0;
    cudaError_t code = cudaGetDeviceCount(&gpus);
    if (code == cudaErrorNoDevice)
        return "there is no GPU";
    if (code == cudaErrorInsufficientDriver) /* also where there is no driver at all */
        return "there is no GPU, or its driver is older than the CUDA of this build";
    if (code != cudaSuccess)
        return cudaGetErrorString(code);
    return gpus > 0 ? NULL : "there is no GPU";
}

/* Returns the address of the GPU that the device of this slot of the host would use, plus 1. Returns 0 if the choice leads
 * to no GPU. Opens nothing. */
uint64_t backend_gpu_address(enum backend_choice choice, uint32_t slot)
{
    int gpus = 0;
    if (choice == BACKEND_CPU || cudaGetDeviceCount(&gpus) != cudaSuccess || gpus < 1)
        return 0;
    return gpu_bus_address(gpu_ordinal(slot, gpus)) + 1;
}

static const struct backend *const cuda = &backend_cuda;
#else
/* Returns why there is no GPU to use: this build has no CUDA. */
static const char *missing_gpu(void)
{
    return "this build has no CUDA backend";
}

/* Returns 0: in this build no choice leads to a GPU. */
uint64_t backend_gpu_address(enum backend_choice choice, uint32_t slot)
{
    (void)choice, (void)slot;
    return 0;
}

static const struct backend *const cuda = &backend_cpu;
#endif

/* Sets *backend to the backend that the user asked for. BACKEND_AUTO gives CUDA if there is a GPU to use, else the CPU.
 * ST_RESOURCE: CUDA was asked for, and there is no GPU to use. */
enum status backend_choose(const struct backend **backend, enum backend_choice choice, struct error *e)
{
    const char *missing = choice == BACKEND_CPU ? NULL : missing_gpu();
    if (choice == BACKEND_CUDA && missing != NULL)
        return fail(e, ST_RESOURCE, "--backend cuda: %s", missing);
    *backend = choice == BACKEND_CPU || missing != NULL ? &backend_cpu : cuda;
    return ST_OK;
}
