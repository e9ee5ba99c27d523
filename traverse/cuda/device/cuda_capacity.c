/* cuda_capacity.c: chooses a plan of memory that fits the GPU, and allocates the plan's device memory. A plan
 * (cuda_plan.h) has the sizes of all arrays. The residence of a plan says where the columns of the graph lie: raw in
 * device memory, packed in device memory, or in memory of the host. */
#include "cuda_device.h"
#include "cuda_error.h"

#include "formats/base/text.h"

#include <stdio.h>

/* Returns the number of bytes of device memory that a plan needs until the device is closed. If other processes read this
 * memory, the number is rounded up to whole pages of 2 MiB. Otherwise the memory would share a page with other
 * allocations, and the other processes would see the whole page. */
static uint64_t planned_bytes(const struct device *dev, const struct gpu_plan *plan)
{
    enum { GPU_SHARED_PAGE = 2 << 20 };
    const uint64_t bytes = gpu_plan_bytes(plan);
    return dev->traffic.peers.shared ? (bytes + GPU_SHARED_PAGE - 1) / GPU_SHARED_PAGE * GPU_SHARED_PAGE : bytes;
}

/* Returns the number of bytes of device memory that a plan needs while the shard is loaded: planned_bytes and staging
 * memory. */
static uint64_t needed_bytes(const struct device *dev, const struct gpu_plan *plan)
{
    return planned_bytes(dev, plan) + plan->staging_bytes;
}

/* Returns whether a plan fits. Its device memory, including staging memory, must fit into `unused` bytes. Its memory of
 * the host must fit into the rest of the memory budget. Allocates nothing. */
static int fits(const struct device *dev, const struct gpu_plan *plan, uint64_t unused)
{
    return needed_bytes(dev, plan) <= unused && plan->host_bytes <= memory_left(dev->memory.budget);
}

/* Chooses which subgraphs have their columns in memory of the host, by trying every set of subgraphs. Of all plans that
 * fit, takes the plan with the least memory of the host. Writes this plan to *plan and its options to *planned, and
 * returns 1. If no plan fits, returns 0, and leaves *plan and *planned as they were. `unused` is the number of free bytes
 * of device memory. */
static int choose_hosted(const struct device *dev, struct gpu_plan_options *planned, uint64_t unused, struct gpu_plan *plan)
{
    uint64_t least = UINT64_MAX;
    for (unsigned hosted = 1; hosted >> shard_row_sets(dev->shard) == 0; hosted++) { /* bit g: subgraph g is in the set */
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

/* Tries the plans of one residence until a plan fits `unused` bytes of device memory. The plan for speed comes first. The
 * plan that saves memory comes second; RESIDENT_RAW has no such plan. If a plan with the slices of sliced searches does
 * not fit, it is tried again without slices, and no later plan has slices. With `few` and RESIDENT_HOST, columns of some
 * subgraphs may stay on the device (choose_hosted). Returns whether a plan fits. *plan becomes the plan that fits, or the
 * last plan that was tried. *planned becomes the options of *plan. */
static int try_residence(const struct device *dev, enum residence resident, int few, uint64_t unused,
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
        const int all_fits = fits(dev, plan, unused);
        /* even if the plan with all columns on the host fits, fewer columns on the host are faster */
        if ((few && resident == RESIDENT_HOST && choose_hosted(dev, planned, unused, plan)) || all_fits)
            return 1;
    }
    return 0;
}

/* Writes to *e why no plan fits, and returns ST_RESOURCE. `plan` is the plan that was tried last, `planned` its options,
 * and `unused` the number of free bytes of device memory. The message says how much memory this plan needs, how much is
 * left, and how many shards the graph should have. If the device memory is enough, the message is about memory of the
 * host. */
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

/* Chooses a plan that fits the free memory of the GPU, and allocates the plan's device memory (dev->memory.device), which
 * gpu_close frees. The plan has the residence planned->resident; for RESIDENT_AUTO it has the first residence that fits.
 * Writes the plan to *plan and its options to *planned. Memory of the host is only checked here. gpu_take_hosted
 * allocates it. */
enum status gpu_take_memory(struct device *dev, struct gpu_plan_options *planned, struct gpu_plan *plan, struct error *e)
{
    size_t unused = 0, total = 0;
    int has_plan = 0;
    if (CUDA_TRY(cudaMemGetInfo(&unused, &total), dev->where, e) != ST_OK)
        return e->status;
    if (planned->resident != RESIDENT_AUTO)
        has_plan = try_residence(dev, planned->resident, 0, unused, planned, plan);
    else
        for (int resident = RESIDENT_RAW; resident < RESIDENT_AUTO && !has_plan; resident++)
            has_plan = try_residence(dev, (enum residence)resident, 1, unused, planned, plan);
    if (!has_plan)
        return refuse(dev, plan, planned, unused, e);
    const uint64_t bytes = planned_bytes(dev, plan);
    return CUDA_TRY(cudaMalloc(&dev->memory.device, bytes > 0 ? bytes : 1), dev->where, e);
}
