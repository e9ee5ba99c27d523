/* rank_devices.h: one rank of a search: its shards, a device for each of them, and the other ranks */
#ifndef DBFS_RANK_DEVICES_H
#define DBFS_RANK_DEVICES_H

#include "engine.h"
#include "traverse/session/graph.h"
#include "host_threads.h"

#include "formats/mpi/comm.h"

struct rank {
    const struct comm *comm;
    const struct graph *graph; /* shard g of this rank is on device g */
    const struct backend *backend;
    struct device **devices; /* [device_count] */
    struct device_description *descriptions; /* [device_count] */
    uint32_t device_count;   /* G */
    struct host_threads *host_threads; /* drive the devices */
    enum exchange_memory exchange_memory;
    struct memory_budget *budget;
};

/* Opens a device for each shard of the graph. The caller has set comm, graph, backend, exchange_memory and budget. Of the
 * options, `threads` is the number of the whole rank, of which each device gets a share; slot, host, rank, budget and locals
 * are filled in here. A failure is known to this rank only; rank_close_devices frees what was opened. */
enum status rank_open_devices(struct rank *rank, const struct device_options *options, struct error *e);
void rank_close_devices(struct rank *rank); /* a zeroed rank is allowed */

/* Describes the devices of a rank, for reports. */
struct rank_description {
    struct device_description slowest; /* the device that took longest to load; the first of them on a CPU */
    enum residence resident;     /* RESIDENT_RAW if no device has another one */
    uint64_t bytes, host_bytes;  /* of the shards of all devices, as in device_description */
};

struct rank_description rank_describe(const struct rank *rank);

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
