/* rank_devices.c: opens, closes and describes the devices of a rank (rank_devices.h) */
#include "rank_devices.h"

#include <stdlib.h>

/* The arguments of open_devices. */
struct opening {
    struct rank *rank;
    const struct device_options *options;
};

/* Job of a host thread: opens the thread's devices, each with its shard, so that several GPUs load their shards at the
 * same time. Sets the options that depend on the rank. Devices that run side by side (GPUs) share options.threads. */
static enum status open_devices(void *context, const struct host_thread *t, struct error *e)
{
    const struct opening *opening = context;
    const struct rank *rank = opening->rank;
    struct device_options options = *opening->options;
    if (rank->backend->side_by_side)
        options.threads /= (int)rank->device_count;
    if (options.threads == 0)
        options.threads = 1;
    options.host = rank->comm->host;
    options.rank = rank->comm->rank;
    options.budget = rank->budget;
    options.locals = rank->graph->locals;
    for (uint32_t g = t->first; g < t->end && e->status == ST_OK; g++) {
        options.slot = rank->comm->host_rank * rank->device_count + g;
        rank->backend->open(&rank->devices[g], &rank->graph->shards[g], &options, &rank->descriptions[g], e);
    }
    return e->status;
}

/* Starts the host threads, each of which opens the devices that it drives. */
enum status rank_open_devices(struct rank *rank, const struct device_options *options, struct error *e)
{
    struct opening opening = {rank, options};
    rank->device_count = rank->graph->device_count;
    rank->devices = zeroed(rank->device_count, sizeof *rank->devices, "devices", e);
    rank->descriptions = zeroed(rank->device_count, sizeof *rank->descriptions, "devices", e);
    if (host_threads_open(&rank->host_threads, rank->device_count, rank->backend->side_by_side, e) != ST_OK)
        return e->status;
    return host_threads_run(rank->host_threads, open_devices, &opening, e);
}

/* Ends the host threads, closes the devices, and frees the arrays. The rank may be zeroed or partly opened. */
void rank_close_devices(struct rank *rank)
{
    host_threads_close(rank->host_threads);
    for (uint32_t g = 0; rank->devices != NULL && g < rank->device_count; g++)
        rank->backend->close(rank->devices[g]);
    free(rank->devices);
    free(rank->descriptions);
}

/* Sums the bytes of all devices, and picks the slowest to load. If residences differ, takes the one with the largest number. */
struct rank_description rank_describe(const struct rank *rank)
{
    struct rank_description all = {.resident = RESIDENT_RAW};
    for (uint32_t g = 0; g < rank->device_count; g++) {
        const struct device_description *device = &rank->descriptions[g];
        all.bytes += device->bytes;
        all.host_bytes += device->host_bytes;
        if (device->resident > all.resident)
            all.resident = device->resident;
        if (g == 0 || device->load_s > all.slowest.load_s)
            all.slowest = *device;
    }
    return all;
}
