/* shared_gpus.h: finds out whether several ranks of a host would use the same GPU. Then one rank should drive all devices. Also
 * whether the GPUs of some hosts have more devices than those of others.
 *
 * A GPU works for one process at a time, and the driver switches between processes only after a time slice. So a search by
 * several ranks on the same GPU takes eight times as long as a search by one rank that drives the same devices. */
#ifndef DBFS_SHARED_GPUS_H
#define DBFS_SHARED_GPUS_H

#include "graph.h"

#include "traverse/options/args.h"

/* Collective. Sets *shared to 1 if rank 0 should search for all ranks. This is so if
 * - all ranks are on one host, and two of them would open devices on the same GPU,
 * - rank 0 sees all GPUs that the ranks would use,
 * - and the user has chosen neither the CPU as backend nor the memory of the exchange (--exchange-memory is "auto").
 * Otherwise sets *shared to 0, even if the graph or the GPUs cannot be used: this failure is reported when they are opened.
 */
enum status gpus_are_shared(int *shared, const struct comm *comm, const struct args *args, struct error *e);

/* Collective. Warns, on rank 0, if some GPUs have more devices than others, as where hosts have different numbers of GPUs. Each rank
 * has so many devices. */
enum status gpus_warn_if_uneven(const struct comm *comm, const struct args *args, uint32_t devices, struct error *e);

#endif
