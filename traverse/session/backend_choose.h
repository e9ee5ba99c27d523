/* backend_choose.h: chooses the backend that the user asked for, or the backend that suits this machine */
#ifndef DBFS_BACKEND_CHOOSE_H
#define DBFS_BACKEND_CHOOSE_H

#include "traverse/engine/engine.h"

enum backend_choice { BACKEND_AUTO, BACKEND_CPU, BACKEND_CUDA };

/* Sets *backend. BACKEND_AUTO gives CUDA if there is a GPU. ST_RESOURCE: CUDA was asked for, and there is no GPU, or none
 * that this build can use. */
enum status backend_choose(const struct backend **backend, enum backend_choice choice, struct error *e);

/* Returns which GPU the device of this slot of the host would use: the GPU's address on the buses of the host, plus 1. All
 * processes of the host get the same address. Returns 0 if the choice leads to no GPU. Opens nothing. */
uint64_t backend_gpu_address(enum backend_choice choice, uint32_t slot);

#endif
