/* rank_devices.h: one rank of a search: its shards, a device for each of them, and the other ranks */
#ifndef DBFS_RANK_DEVICES_H
#define DBFS_RANK_DEVICES_H

#include "backend.h"
#include "traverse/session/graph.h"
#include "host_threads.h"

#include "formats/mpi/comm.h"

struct rank {
    const struct comm *comm;
    const struct graph *graph; /* shard g of this rank is on device g */
    const struct backend *backend;
    struct device **devices; /* [device_count] */
    uint32_t device_count;   /* G */
    struct host_threads *host_threads;       /* drives the devices */
    enum exchange_memory exchange_memory;
    struct memory_budget *budget;
};

/* Opens a device for each shard of the graph. The caller has set comm, graph, backend, exchange_memory and
 * budget. Of the options, `threads` is the number of the whole rank, and each device gets a share. Slot,
 * host, rank and locals are filled in here. */
enum status rank_open_devices(struct rank *rank, const struct device_options *options,
                              struct error *e);
void rank_close_devices(struct rank *rank); /* a zeroed rank is allowed */

/* The load of the device that took longest for it; 0 s if devices use the host's memory. */
struct device_load rank_slowest_load(const struct rank *rank);

/* The residence of the shards of the rank: RESIDENT_RAW if no device has another one. *bytes: all that a search reads
 * of them; *host_bytes: of that, the bytes in memory of the host, if devices have memory of their own. */
enum residence rank_residence(const struct rank *rank, uint64_t *bytes, uint64_t *host_bytes);

/* Whether one device of one rank has the whole graph: nothing is exchanged then. */
static inline int rank_is_single_device(const struct rank *rank)
{
    return rank->comm->ranks * rank->device_count == 1;
}

/* Runs a step on every device of the rank. */
static inline enum status rank_each(const struct rank *rank, device_step *step, void *context, struct error *e)
{
    return host_threads_each(rank->host_threads, rank->device_count, step, context, e);
}

#endif
