/* backend_choose.h: chooses whether CPUs or GPUs search, by the option --backend and by the GPUs of this host */
#ifndef DBFS_BACKEND_CHOOSE_H
#define DBFS_BACKEND_CHOOSE_H

#include "traverse/engine/engine.h"

#include "formats/mpi/comm.h"

struct cli;

enum backend_choice { BACKEND_AUTO, BACKEND_CPU, BACKEND_CUDA };

/* Sets *backend to what --backend asks for. BACKEND_AUTO means CUDA if a GPU can be used, otherwise the CPU; if a fault is the
 * cause, warns. Fails with ST_RESOURCE if the choice is BACKEND_CUDA, but no GPU can be used. */
enum status backend_choose(const struct backend **backend, enum backend_choice choice, const struct cli *cli, struct error *e);

/* Collective. The same for ranks that search together. Fails with ST_RESOURCE, too, if some ranks can use a GPU and others cannot. */
enum status backend_agree(const struct backend **backend, enum backend_choice choice, const struct cli *cli, const struct comm *comm,
                          struct error *e);

/* Collective. Fails with ST_RESOURCE if some ranks have chosen a GPU and others have not. If a rank passes an `e` that has failed, the
 * call fails on all ranks. */
enum status backend_is_same(const struct backend *backend, const struct comm *comm, struct error *e);

/* Returns a number for the GPU that device `slot` of this host would use: its address on the host's buses, plus 1. All
 * processes of the host see the same number for a GPU. Returns 0 if the device would use no GPU. Opens no device. */
uint64_t backend_gpu_address(enum backend_choice choice, uint32_t slot);

/* Returns the bytes of memory that are free on this GPU, or 0. Opens the GPU, which takes time where nothing else has opened it. */
uint64_t backend_gpu_memory(enum backend_choice choice, uint32_t slot);

#endif
