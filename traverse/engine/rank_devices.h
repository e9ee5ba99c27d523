/* rank_devices.h: the devices of one rank of a search, one for each of its shards */
#ifndef DBFS_RANK_DEVICES_H
#define DBFS_RANK_DEVICES_H

#include "engine.h"
#include "traverse/session/graph.h"
#include "host_threads.h"

#include "formats/mpi/comm.h"

/* One rank of a search. */
struct rank {
    const struct comm *comm;
    const struct graph *graph; /* device g of this rank holds shard g of the graph */
    const struct backend *backend;
    struct device **devices; /* [device_count] the devices */
    struct device_description *descriptions; /* [device_count] the description of each device */
    uint32_t device_count;   /* G, the number of devices */
    struct host_threads *host_threads; /* the threads that drive the devices */
    enum exchange_memory exchange_memory;
    struct memory_budget *budget;
};

/* Opens a device for each shard of the graph. The caller has set comm, graph, backend, exchange_memory and budget.
 * options->threads is for the whole rank: devices of the CPU use all of these threads in turn, GPUs divide them. The
 * members slot, host, rank, budget and locals of the options are set here. Only this rank learns of a failure.
 * rank_close_devices frees what was opened, also after a failure. */
enum status rank_open_devices(struct rank *rank, const struct device_options *options, struct error *e);
void rank_close_devices(struct rank *rank); /* a zeroed rank is allowed */

/* A description of the devices of a rank, for reports. */
struct rank_description {
    struct device_description slowest; /* the device that took longest to load; on a CPU the first device */
    enum residence resident;     /* RESIDENT_RAW if no device has another residence */
    uint64_t bytes, host_bytes;  /* bytes of all shards of the rank, counted as in device_description */
};

/* Returns the description of the open devices of a rank. */
struct rank_description rank_describe(const struct rank *rank);

/* Returns whether one device holds the whole graph, so that nothing is exchanged. */
static inline int rank_is_single_device(const struct rank *rank)
{
    return rank->comm->ranks * rank->device_count == 1;
}

/* Runs a step for each device of the rank, on any host thread, and waits. Returns the failure that came first. */
static inline enum status rank_each(const struct rank *rank, device_step *step, void *context, struct error *e)
{
    return host_threads_each(rank->host_threads, rank->device_count, step, context, e);
}

#endif
