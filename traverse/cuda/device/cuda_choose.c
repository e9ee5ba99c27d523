/* cuda_choose.c: chooses the GPU of a device among the GPUs of its host */
#include "cuda_choose.h"
#include "cuda_error.h"

#include <stdio.h>

/* Makes the GPU of the user's device the current GPU of this thread. Writes the number of the GPU to *ordinal. Writes a
 * name for messages (host, rank, GPU) to `where`. Fails with ST_RESOURCE if the host has no GPU, or if its GPUs cannot be
 * counted. */
enum status gpu_choose(const struct gpu_user *user, int *ordinal, char where[GPU_WHERE], struct error *e)
{
    int gpus = 0;
    snprintf(where, GPU_WHERE, "%s, rank %u", user->host, user->rank);
    if (CUDA_TRY(cudaGetDeviceCount(&gpus), where, e) != ST_OK) {
        e->status = ST_RESOURCE;
        return e->status;
    }
    *ordinal = gpu_ordinal(user->slot, gpus);
    snprintf(where, GPU_WHERE, "%s, rank %u, GPU %d", user->host, user->rank, *ordinal);
    return CUDA_TRY(cudaSetDevice(*ordinal), where, e);
}

/* Returns the address of a GPU on the buses of the host. The address has 16 bits each for domain, bus and device. The
 * device stands in the lowest bits. */
uint64_t gpu_bus_address(int ordinal)
{
    static const enum cudaDeviceAttr parts[] = {cudaDevAttrPciDomainId, cudaDevAttrPciBusId, cudaDevAttrPciDeviceId};
    uint64_t address = 0;
    for (int i = 0; i < 3; i++) {
        int part = 0;
        cudaDeviceGetAttribute(&part, parts[i], ordinal);
        address = address << 16 | (uint64_t)part;
    }
    return address;
}
