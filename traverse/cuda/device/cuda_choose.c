/* cuda_choose.c: chooses the GPU of a device among the GPUs of its host */
#include "cuda_choose.h"
#include "cuda_error.h"
#include "cuda_limits.h"

#include <stdio.h>

/* Chooses the GPU for a device. Returns ST_RESOURCE also if CUDA cannot count the GPUs of the host. */
enum status gpu_choose(const struct gpu_user *user, int *ordinal, char where[GPU_WHERE], struct error *e)
{
    int gpus = 0;
    snprintf(where, GPU_WHERE, "rank %u on %s", user->rank, user->host);
    if (CUDA_TRY(cudaGetDeviceCount(&gpus), where, e) != ST_OK) {
        e->status = ST_RESOURCE;
        return e->status;
    }
    *ordinal = gpu_ordinal(user->slot, gpus);
    const uint64_t address = gpu_bus_address(*ordinal);
    snprintf(where, GPU_WHERE, "rank %u on %s, GPU %d (%04x:%02x:%02x.0)", user->rank, user->host, *ordinal,
             (unsigned)(address >> 32), (unsigned)(address >> 16 & 0xffff), (unsigned)(address & 0xffff));
    return CUDA_TRY(cudaSetDevice(*ordinal), where, e);
}

/* Returns the value of an attribute of a GPU; 0 if CUDA does not tell it. */
static int attribute(int ordinal, enum cudaDeviceAttr attribute)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, attribute, ordinal) != cudaSuccess)
        cudaGetLastError(); /* drops the error */
    return value;
}

/* CUDA tells clocks in kHz, and the width of the memory's bus in bits, of which each takes two in a clock. */
struct gpu_traits gpu_ask_traits(int ordinal)
{
    const double bus_bytes = attribute(ordinal, cudaDevAttrGlobalMemoryBusWidth) / 8.0;
    struct gpu_traits traits = {
        .capability = 10 * attribute(ordinal, cudaDevAttrComputeCapabilityMajor) + attribute(ordinal, cudaDevAttrComputeCapabilityMinor),
        .processors = attribute(ordinal, cudaDevAttrMultiProcessorCount),
        .clock_hz = 1e3 * attribute(ordinal, cudaDevAttrClockRate),
        .bytes_s = 2e3 * attribute(ordinal, cudaDevAttrMemoryClockRate) * bus_bytes,
        .cache_bytes = (uint64_t)attribute(ordinal, cudaDevAttrL2CacheSize),
        .shared_bytes = (uint64_t)attribute(ordinal, cudaDevAttrMaxSharedMemoryPerBlockOptin)};
#ifdef DBFS_EMULATED /* it runs fewer multiprocessors than the GPU that it stands for has */
    traits.processors = emulated_processors(ordinal);
#endif
    return traits;
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
