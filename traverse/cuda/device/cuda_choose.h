/* cuda_choose.h: chooses the GPU that a device uses among the GPUs of its host */
#ifndef DBFS_CUDA_CHOOSE_H
#define DBFS_CUDA_CHOOSE_H

#include "cuda_traits.h"

#include "formats/base/status.h"

#include <stdint.h>

enum { GPU_WHERE = 320 }; /* the bytes of the name of a GPU in messages: rank, host, GPU and its address */

/* A device that needs a GPU: its host's name, the rank to which it belongs, and its number (`slot`) among the host's
 * devices. */
struct gpu_user {
    const char *host;
    uint32_t rank, slot;
};

/* Returns the number of the GPU that device `slot` of a host uses. The host has `gpus` GPUs, at least 1. Devices share
 * GPUs if there are more devices than GPUs. */
static inline int gpu_ordinal(uint32_t slot, int gpus)
{
    return (int)(slot % (uint32_t)gpus);
}

/* Chooses a GPU for the device `user`, and makes it the current GPU of this thread. Writes the number of the GPU to
 * *ordinal, and a name for messages (rank, host, GPU and its address, as lspci has it) to `where`. ST_RESOURCE: the host has no GPU. */
enum status gpu_choose(const struct gpu_user *user, int *ordinal, char where[GPU_WHERE], struct error *e);

/* Returns what GPU `ordinal` says of itself. The name is left NULL. */
struct gpu_traits gpu_ask_traits(int ordinal);

/* Returns the address of GPU `ordinal` on the buses of the host: domain, bus and device, 16 bits each, the device lowest.
 * Processes compare addresses to see whether they share a GPU, because each process may number the GPUs differently. */
uint64_t gpu_bus_address(int ordinal);

#endif
