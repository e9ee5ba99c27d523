/* cuda_capacity.c: finds a plan that a GPU has room for, and takes its memory */
#include "cuda_device.h"
#include "cuda_error.h"

#include "formats/base/text.h"

#include <stdio.h>

enum { GPU_SHARED_PAGE = 2 << 20 };

/* Bytes to take for good. Smaller allocations share pages, which other processes would see
 * whole. */
static uint64_t planned_bytes(const struct device *dev, const struct gpu_plan *plan)
{
    uint64_t bytes = gpu_plan_bytes(plan);
    return dev->traffic.peers.shared ? (bytes + GPU_SHARED_PAGE - 1) / GPU_SHARED_PAGE * GPU_SHARED_PAGE
                                     : bytes;
}

/* Bytes that are needed while the shard is loaded. */
static uint64_t needed_bytes(const struct device *dev, const struct gpu_plan *plan)
{
    return planned_bytes(dev, plan) + plan->staging_bytes;
}

static int fits(const struct device *dev, const struct gpu_plan *plan, uint64_t unused)
{
    return needed_bytes(dev, plan) <= unused && plan->host_bytes <= memory_left(dev->memory.budget);
}

/* ---- ways to fit ---- */

/* Leaves as many columns on the device as it has capacity for, whole subgraphs: of the plans that fit with columns of some
 * subgraphs in memory of the host, *plan becomes the one that takes least of this memory. Returns whether there is one. */
static int host_few(const struct device *dev, struct gpu_plan_options *planned, uint64_t unused,
                    struct gpu_plan *plan)
{
    uint64_t least = UINT64_MAX;
    for (unsigned hosted = 1; hosted >> shard_row_sets(dev->shard) == 0; hosted++) {
        struct gpu_plan_options options = *planned;
        struct gpu_plan tried;
        options.hosted = hosted;
        gpu_plan_make(&tried, dev->shard, &options);
        if (!fits(dev, &tried, unused) || tried.host_bytes >= least)
            continue;
        least = tried.host_bytes;
        *planned = options;
        *plan = tried;
    }
    return least != UINT64_MAX;
}

/* Tries the plans of one residence, the faster one first, each as it is, or without slices if it has any (cuda_sliced.h).
 * *plan and *planned are those of the last plan that was tried. */
static int try_residence(const struct device *dev, enum residence resident, uint64_t unused, int is_open,
                         struct gpu_plan_options *planned, struct gpu_plan *plan)
{
    planned->resident = resident;
    for (int saves = 0; saves <= (resident != RESIDENT_RAW); saves++) {
        planned->saves = saves;
        gpu_plan_make(plan, dev->shard, planned);
        if (!fits(dev, plan, unused) && gpu_searches_by_slices(plan, dev->shard)) {
            planned->by_classes = 1;
            gpu_plan_make(plan, dev->shard, planned);
        }
        int has_capacity = fits(dev, plan, unused);
        if ((is_open && resident == RESIDENT_HOST && host_few(dev, planned, unused, plan)) || has_capacity)
            return 1;
    }
    return 0;
}

/* ---- no way to fit ---- */

/* Fails. If memory of the device would do, memory of the host has not been enough. */
static enum status refuse(const struct device *dev, const struct gpu_plan *plan, const struct gpu_plan_options *planned,
                          uint64_t unused, struct error *e)
{
    const struct shard *shard = dev->shard;
    const int hosted = needed_bytes(dev, plan) <= unused;
    char need[16], graph[16], left[16], enough[32] = "";
    struct gpu_plan_options options = *planned;
    if (hosted)
        options.resident = RESIDENT_PACKED;
    const uint32_t shards = gpu_plan_shards(shard, &options, unused);
    if (shards > 0)
        snprintf(enough, sizeof enough, " (about %u)", shards);
    format_size(hosted ? plan->host_bytes : needed_bytes(dev, plan), need, sizeof need);
    format_size(hosted ? memory_left(dev->memory.budget) : unused, left, sizeof left);
    if (hosted)
        return fail(e, ST_RESOURCE,
                    "%s: shard %u of %u needs %s of host memory for the rests of rows, and %s of the memory budget (-S) "
                    "are left: give --resident packed and as many shards and GPUs as that needs%s, or see --plan",
                    dev->where, shard->index, shard->p, need, left, enough);
    return fail(e, ST_RESOURCE,
                "%s: shard %u of %u needs %s of device memory (%s of them the graph, %s), and %s are free: pack "
                "the graph into more shards%s for as many GPUs, or see --plan",
                dev->where, shard->index, shard->p, need, format_size(plan->graph_bytes, graph, sizeof graph),
                residence_name[plan->resident], left, enough);
}

enum status gpu_take_memory(struct device *dev, struct gpu_plan_options *planned, struct gpu_plan *plan,
                            struct error *e)
{
    size_t unused = 0, total = 0;
    int has_plan = 0;
    if (CUDA_TRY(cudaMemGetInfo(&unused, &total), dev->where, e) != ST_OK)
        return e->status;
    if (planned->resident != RESIDENT_AUTO)
        has_plan = try_residence(dev, planned->resident, unused, 0, planned, plan);
    else
        for (int resident = RESIDENT_RAW; resident < RESIDENT_AUTO && !has_plan; resident++)
            has_plan = try_residence(dev, (enum residence)resident, unused, 1, planned, plan);
    if (!has_plan)
        return refuse(dev, plan, planned, unused, e);
    uint64_t bytes = planned_bytes(dev, plan);
    return CUDA_TRY(cudaMalloc(&dev->memory.device, bytes > 0 ? bytes : 1), dev->where, e);
}
