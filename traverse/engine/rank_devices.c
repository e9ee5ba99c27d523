/* rank_devices.c: see rank_devices.h */
#include "rank_devices.h"

#include <stdlib.h>

struct opening {
    struct rank *rank;
    const struct device_options *options;
};

/* The options of device g: its number on this host, and its share of the threads if devices work side by
 * side. */
static struct device_options options_of(const struct opening *o, uint32_t g)
{
    const struct rank *rank = o->rank;
    struct device_options options = *o->options;
    if (rank->backend->side_by_side)
        options.threads /= (int)rank->device_count;
    if (options.threads == 0)
        options.threads = 1;
    options.slot = rank->comm->host_rank * rank->device_count + g;
    options.host = rank->comm->host;
    options.rank = rank->comm->rank;
    options.budget = rank->budget;
    options.locals = rank->graph->locals;
    return options;
}

/* A job of the team, so that GPUs load their shards at the same time. */
static enum status open_devices(void *context, const struct host_thread *m, struct error *e)
{
    const struct opening *o = context;
    const struct rank *rank = o->rank;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++) {
        struct device_options options = options_of(o, g);
        rank->backend->device->open(&rank->devices[g], &rank->graph->shards[g], &options, e);
    }
    return e->status;
}

enum status rank_open_devices(struct rank *rank, const struct device_options *options,
                              struct error *e)
{
    struct opening opening = {rank, options};
    rank->device_count = rank->graph->device_count;
    rank->devices = zeroed(rank->device_count, sizeof *rank->devices, "devices", e);
    if (host_threads_open(&rank->host_threads, rank->device_count, rank->backend->side_by_side, e) != ST_OK)
        return e->status;
    return host_threads_run(rank->host_threads, open_devices, &opening, e);
}

void rank_close_devices(struct rank *rank)
{
    host_threads_close(rank->host_threads);
    for (uint32_t g = 0; rank->devices != NULL && g < rank->device_count; g++)
        rank->backend->device->close(rank->devices[g]);
    free(rank->devices);
}

struct device_load rank_slowest_load(const struct rank *rank)
{
    struct device_load slowest = {0};
    for (uint32_t g = 0; g < rank->device_count && rank->backend->device->load != NULL; g++) {
        struct device_load load = rank->backend->device->load(rank->devices[g]);
        if (load.seconds > slowest.seconds)
            slowest = load;
    }
    return slowest;
}

enum residence rank_residence(const struct rank *rank, uint64_t *bytes, uint64_t *host_bytes)
{
    const struct backend_device *of = rank->backend->device;
    enum residence all = RESIDENT_RAW;
    *bytes = *host_bytes = 0;
    for (uint32_t g = 0; g < rank->device_count; g++) {
        enum residence own = of->resident(rank->devices[g]);
        struct device_load load = {.bytes = residence_bytes(&rank->graph->shards[g], own)};
        if (of->load != NULL)
            load = of->load(rank->devices[g]);
        *bytes += load.bytes;
        *host_bytes += load.host_bytes;
        all = own > all ? own : all;
    }
    return all;
}
