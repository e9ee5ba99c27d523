/* cuda_choose.h: chooses the GPU that a device uses among the GPUs of its host */
#ifndef DBFS_CUDA_CHOOSE_H
#define DBFS_CUDA_CHOOSE_H

#include "formats/base/status.h"

#include <stdint.h>

enum { GPU_WHERE = 320 }; /* the bytes of the name of a GPU in messages: host, rank and GPU */

/* A device for which a GPU is to be chosen. `host` is the name of the host, `rank` is the rank of the device, and `slot`
 * is the number of the device among the devices of the host. */
struct gpu_user {
    const char *host;
    uint32_t rank, slot;
};

/* Returns the number of the GPU that device `slot` of a host uses. The host has `gpus` GPUs, at least 1. If a host has
 * more devices than GPUs, several devices share a GPU. */
static inline int gpu_ordinal(uint32_t slot, int gpus)
{
    return (int)(slot % (uint32_t)gpus);
}

/* Makes the user's GPU the current GPU of this thread. Writes the number of the GPU to *ordinal. Writes the name of the
 * GPU for messages to `where`. ST_RESOURCE: there is no GPU. */
enum status gpu_choose(const struct gpu_user *user, int *ordinal, char where[GPU_WHERE], struct error *e);

/* Returns the address of GPU `ordinal` on the buses of the host. The address has 16 bits each for domain, bus and device.
 * All processes see the same address, even if they number the GPUs in different ways. */
uint64_t gpu_bus_address(int ordinal);

#endif
