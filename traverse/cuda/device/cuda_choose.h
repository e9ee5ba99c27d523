/* cuda_choose.h: which GPU of a host a device uses */
#ifndef DBFS_CUDA_CHOOSE_H
#define DBFS_CUDA_CHOOSE_H

#include "formats/base/status.h"

#include <stdint.h>

enum { GPU_WHERE = 320 }; /* bytes of a name for messages: host, rank and GPU */

/* A device that wants a GPU: its rank, and its number among the devices of the host. */
struct gpu_user {
    const char *host;
    uint32_t rank, slot;
};

/* Returns the number of the GPU of device `slot` of a host with so many GPUs. Devices beyond their number share GPUs. */
static inline int gpu_ordinal(uint32_t slot, int gpus)
{
    return (int)(slot % (uint32_t)gpus);
}

/* Makes the user's GPU the current one of this thread, and writes its name to `where`. ST_RESOURCE: there is no GPU. */
enum status gpu_choose(const struct gpu_user *user, int *ordinal, char where[GPU_WHERE], struct error *e);

/* The address of a GPU on the buses of the host, alike in all processes: domain, bus and device, 16 bits each. */
uint64_t gpu_bus_address(int ordinal);

#endif
