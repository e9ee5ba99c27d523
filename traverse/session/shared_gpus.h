/* shared_gpus.h: whether ranks would share GPUs. In this case one rank should drive all devices.
 *
 * The driver of a GPU gives time slices to one process after the other. So a search of several ranks that share GPUs takes
 * eight times as long as a search of a single rank that drives the same devices.
 */
#ifndef DBFS_SHARED_GPUS_H
#define DBFS_SHARED_GPUS_H

#include "graph.h"

#include "traverse/options/args.h"

/* Collective. Sets *shared to 1 if
 * - all ranks are of one host, and the user leaves the memory of the exchange to the program;
 * - two of the ranks would open devices on one GPU;
 * - and rank 0 sees all GPUs that the ranks would use.
 * Otherwise sets it to 0. Also sets it to 0 if the graph or the GPUs cannot be used; opening them later says why. */
enum status gpus_are_shared(int *shared, const struct comm *comm, const struct args *args, struct error *e);

#endif
