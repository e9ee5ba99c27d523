/* backend_choose.h: chooses whether CPUs or GPUs search, by the option --backend and by the GPUs of this host */
#ifndef DBFS_BACKEND_CHOOSE_H
#define DBFS_BACKEND_CHOOSE_H

#include "traverse/engine/engine.h"

enum backend_choice { BACKEND_AUTO, BACKEND_CPU, BACKEND_CUDA };

/* Sets *backend to the backend of the user's choice. For BACKEND_AUTO, this is CUDA if a GPU can be used, otherwise the CPU.
 * Fails with ST_RESOURCE if the choice is BACKEND_CUDA, and there is no GPU that this build can use. */
enum status backend_choose(const struct backend **backend, enum backend_choice choice, struct error *e);

/* Returns the address, plus 1, of the GPU that device number `slot` of this host would use. This is the address on the buses
 * of the host, so all processes of the host get the same address for a GPU. Returns 0 if the device would use no GPU. Opens
 * no device. */
uint64_t backend_gpu_address(enum backend_choice choice, uint32_t slot);

#endif
