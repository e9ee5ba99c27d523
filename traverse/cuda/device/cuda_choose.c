/* cuda_choose.c: chooses the GPU of a device among the GPUs of its host */
#include "cuda_choose.h"
#include "cuda_error.h"

#include <stdio.h>

/* Chooses the GPU for a device. Returns ST_RESOURCE also if CUDA cannot count the GPUs of the host. */
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

/* Joins the three parts of the address, 16 bits each. */
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
