/* backend_choose.c: chooses CPUs or GPUs for a search; see backend_choose.h */
#include "backend_choose.h"

#include "formats/base/cli.h"

#ifdef DBFS_CUDA
#include "traverse/cuda/device/cuda_choose.h"

#include <cuda_runtime_api.h>

/* Returns a text that says why no GPU can be used. Returns NULL if a GPU can be used. Sets *fault to 1 if that is a fault. */
static const char *missing_gpu(int *fault)
{
    int gpus = 0;
    cudaError_t code = cudaGetDeviceCount(&gpus);
    *fault = 0;
    if (code == cudaErrorNoDevice)
        return "there is no GPU";
    if (code == cudaErrorInsufficientDriver) /* CUDA returns this code even if no driver is installed */
        return "there is no GPU, or its driver is older than the CUDA of this build";
    *fault = code != cudaSuccess;
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

/* Returns the free memory, in bytes, of the GPU for device `slot` of this host; 0 if there is none. Opens the GPU. */
uint64_t backend_gpu_memory(enum backend_choice choice, uint32_t slot)
{
    int gpus = 0;
    size_t unused = 0, total = 0;
    if (choice == BACKEND_CPU || cudaGetDeviceCount(&gpus) != cudaSuccess || gpus < 1 ||
        cudaSetDevice(gpu_ordinal(slot, gpus)) != cudaSuccess || cudaMemGetInfo(&unused, &total) != cudaSuccess)
        return 0;
    return unused;
}

static const struct backend *const cuda = &backend_cuda;
#else
/* Returns a text that says why no GPU can be used: this build has no CUDA. */
static const char *missing_gpu(int *fault)
{
    *fault = 0;
    return "this build has no CUDA backend";
}

/* Returns 0, because no device uses a GPU in this build. */
uint64_t backend_gpu_address(enum backend_choice choice, uint32_t slot)
{
    (void)choice, (void)slot;
    return 0;
}

/* Returns 0, because there are no GPUs in this build. */
uint64_t backend_gpu_memory(enum backend_choice choice, uint32_t slot)
{
    (void)choice, (void)slot;
    return 0;
}

static const struct backend *const cuda = &backend_cpu;
#endif

enum status backend_choose(const struct backend **backend, enum backend_choice choice, const struct cli *cli, struct error *e)
{
    int fault = 0;
    const char *missing = choice == BACKEND_CPU ? NULL : missing_gpu(&fault);
    if (choice == BACKEND_CUDA && missing != NULL)
        return fail(e, ST_RESOURCE, "--backend cuda: %s", missing);
    if (fault)
        cli_warn(cli, "CPUs search, as GPUs have a fault: %s: see 'nvidia-smi' and 'dmesg | grep -e NVRM -e Xid'", missing);
    *backend = choice == BACKEND_CPU || missing != NULL ? &backend_cpu : cuda;
    return ST_OK;
}

enum status backend_agree(const struct backend **backend, enum backend_choice choice, const struct cli *cli, const struct comm *comm,
                          struct error *e)
{
    backend_choose(backend, choice, cli, e);
    return backend_is_same(*backend, comm, e);
}

enum status backend_is_same(const struct backend *backend, const struct comm *comm, struct error *e)
{
    int unused;
    if (comm_agree(comm, e) != ST_OK)
        return e->status;
    const uint64_t on_cpu = backend == &backend_cpu;
    if (comm_min_of(comm, on_cpu) < on_cpu) {
        const char *missing = missing_gpu(&unused);
        fail(e, ST_RESOURCE, "%s, and other ranks have one: take only hosts with GPUs, or --backend cpu",
             missing != NULL ? missing : "this rank found no GPU");
    }
    return comm_agree(comm, e);
}
