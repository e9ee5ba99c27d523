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

/* The bytes that are needed while the shard is loaded. */
static uint64_t needed_bytes(const struct device *dev, const struct gpu_plan *plan)
{
    return planned_bytes(dev, plan) + plan->staging_bytes;
}

static int fits(const struct device *dev, const struct gpu_plan *plan, uint64_t unused)
{
    return needed_bytes(dev, plan) <= unused && plan->host_bytes <= memory_left(dev->memory.budget);
}

/* ---- ways to fit ---- */

/* Tries the plan with the columns of `hosted` subgraphs in memory of the host: *plan becomes it if
 * it fits and takes less of this memory than *least. */
static void try_hosted(const struct device *dev, struct gpu_plan_options *planned, unsigned hosted,
                       uint64_t unused, uint64_t *least, struct gpu_plan *plan)
{
    struct gpu_plan_options options = *planned;
    struct gpu_plan tried;
    options.hosted = hosted;
    gpu_plan_make(&tried, dev->shard, &options);
    if (!fits(dev, &tried, unused) || tried.host_bytes >= *least)
        return;
    *least = tried.host_bytes;
    *planned = options;
    *plan = tried;
}

/* Leaves as many columns on the device as it has room for, whole subgraphs. */
static int host_few(const struct device *dev, struct gpu_plan_options *planned, uint64_t unused,
                    struct gpu_plan *plan)
{
    uint64_t least = UINT64_MAX;
    for (unsigned hosted = 1; hosted >> shard_row_sets(dev->shard) == 0; hosted++)
        try_hosted(dev, planned, hosted, unused, &least, plan);
    return least != UINT64_MAX;
}

/* Whether a plan fits: as it is, or without slices if it has any (cuda_sliced.h). */
static int try_plan(const struct device *dev, uint64_t unused, struct gpu_plan_options *planned, struct gpu_plan *plan)
{
    gpu_plan_make(plan, dev->shard, planned);
    if (fits(dev, plan, unused) || !gpu_searches_by_slices(plan, dev->shard))
        return fits(dev, plan, unused);
    planned->by_classes = 1;
    gpu_plan_make(plan, dev->shard, planned);
    return fits(dev, plan, unused);
}

/* The ways of one residence, the faster one first. *plan and *planned are those of the last way that was tried. */
static int try_residence(const struct device *dev, enum residence resident, uint64_t unused, int is_open,
                         struct gpu_plan_options *planned, struct gpu_plan *plan)
{
    planned->resident = resident;
    for (int saves = 0; saves <= (resident != RESIDENT_RAW); saves++) {
        planned->saves = saves;
        int has_room = try_plan(dev, unused, planned, plan);
        if (is_open && resident == RESIDENT_HOST && host_few(dev, planned, unused, plan))
            return 1;
        if (has_room)
            return 1;
    }
    return 0;
}

static int choose(const struct device *dev, uint64_t unused, struct gpu_plan_options *planned,
                  struct gpu_plan *plan)
{
    if (planned->resident != RESIDENT_AUTO)
        return try_residence(dev, planned->resident, unused, 0, planned, plan);
    for (int resident = RESIDENT_RAW; resident < RESIDENT_AUTO; resident++) {
        if (try_residence(dev, (enum residence)resident, unused, 1, planned, plan))
            return 1;
    }
    return 0;
}

/* ---- no way to fit ---- */

/* Says how many shards would do, for a message; nothing if no number does. */
static const char *enough_shards(const struct device *dev, const struct gpu_plan_options *planned, uint64_t unused,
                                 char *text, size_t size)
{
    uint32_t enough = gpu_plan_shards(dev->shard, planned, unused);
    text[0] = '\0';
    if (enough > 0)
        snprintf(text, size, " (about %u)", enough);
    return text;
}

static enum status refuse(const struct device *dev, const struct gpu_plan *plan,
                          const struct gpu_plan_options *planned, uint64_t unused, struct error *e)
{
    char need[16], graph[16], left[16], shards[32];
    return fail(e, ST_RESOURCE,
                "%s: shard %u of %u needs %s of device memory (%s of them the graph, %s), and %s are free: pack "
                "the graph into more shards%s for as many GPUs, or see --plan",
                dev->where, dev->shard->index, dev->shard->p,
                format_size(needed_bytes(dev, plan), need, sizeof need),
                format_size(plan->graph_bytes, graph, sizeof graph), residence_name[plan->resident],
                format_size(unused, left, sizeof left),
                enough_shards(dev, planned, unused, shards, sizeof shards));
}

/* Fails, as the device would have the room and the host has not. */
static enum status refuse_hosted(const struct device *dev, const struct gpu_plan *plan,
                                 const struct gpu_plan_options *planned, uint64_t unused, struct error *e)
{
    char need[16], left[16], shards[32];
    struct gpu_plan_options packed = *planned;
    packed.resident = RESIDENT_PACKED;
    return fail(e, ST_RESOURCE,
                "%s: shard %u of %u needs %s of host memory for the rests of rows, and %s of the memory budget (-S) "
                "are left: give --resident packed and as many shards and GPUs as that needs%s, or see --plan",
                dev->where, dev->shard->index, dev->shard->p, format_size(plan->host_bytes, need, sizeof need),
                format_size(memory_left(dev->memory.budget), left, sizeof left),
                enough_shards(dev, &packed, unused, shards, sizeof shards));
}

enum status gpu_take_memory(struct device *dev, struct gpu_plan_options *planned, struct gpu_plan *plan,
                            struct error *e)
{
    size_t unused = 0, total = 0;
    if (CUDA_TRY(cudaMemGetInfo(&unused, &total), dev->where, e) != ST_OK)
        return e->status;
    if (!choose(dev, unused, planned, plan))
        return needed_bytes(dev, plan) > unused ? refuse(dev, plan, planned, unused, e)
                                                : refuse_hosted(dev, plan, planned, unused, e);
    uint64_t bytes = planned_bytes(dev, plan);
    dev->traffic.peers.shown_bytes = bytes;
    return CUDA_TRY(cudaMalloc(&dev->memory.device, bytes > 0 ? bytes : 1), dev->where, e);
}
