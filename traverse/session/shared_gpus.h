/* shared_gpus.h: finds out whether several ranks of a host would use the same GPU. Then one rank should drive all devices.
 *
 * A GPU works for one process at a time, and the driver switches between processes after a time slice. So a search by
 * several ranks that use the same GPU takes eight times as long as a search by a single rank that drives the same devices.
 */
#ifndef DBFS_SHARED_GPUS_H
#define DBFS_SHARED_GPUS_H

#include "graph.h"

#include "traverse/options/args.h"

/* Collective. Sets *shared to 1 if all of this holds:
 * - All ranks are on one host.
 * - The user has not chosen the memory of the exchange (--exchange-memory is "auto").
 * - Two ranks would open devices on the same GPU.
 * - Rank 0 sees all GPUs that the ranks would use.
 * Otherwise sets *shared to 0. If the graph or the GPUs cannot be used, also sets *shared to 0. The failure is then reported
 * later, when the graph or the devices are opened. */
enum status gpus_are_shared(int *shared, const struct comm *comm, const struct args *args, struct error *e);

#endif
