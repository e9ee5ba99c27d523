/* cuda_capacity.c: chooses a plan of memory that fits the GPU, and allocates the plan's device memory. A plan
 * (cuda_plan.h) has the sizes of all arrays of a shard. Its residence says where the columns of the graph lie: raw in
 * device memory, packed in device memory, or in memory of the host. */
#include "cuda_device.h"
#include "cuda_error.h"

#include "formats/base/text.h"

#include <stdio.h>

/* Returns the bytes of device memory that a plan needs while the device is open. Memory that other processes read is
 * rounded up to whole pages of 2 MiB, because CUDA shares whole pages, with everything else on the last one. */
static uint64_t planned_bytes(const struct device *dev, const struct gpu_plan *plan)
{
    enum { GPU_SHARED_PAGE = 2 << 20 };
    const uint64_t bytes = gpu_plan_bytes(plan);
    return dev->traffic.peers.shared ? (bytes + GPU_SHARED_PAGE - 1) / GPU_SHARED_PAGE * GPU_SHARED_PAGE : bytes;
}

/* Returns the bytes of device memory that a plan needs while the shard is loaded: planned_bytes plus staging memory. */
static uint64_t needed_bytes(const struct device *dev, const struct gpu_plan *plan)
{
    return planned_bytes(dev, plan) + plan->staging_bytes;
}

/* Returns whether a plan can be carried out: its device memory fits into `unused` bytes, and its host memory into what is left
 * of the memory budget (-S). */
static int fits(const struct device *dev, const struct gpu_plan *plan, uint64_t unused)
{
    return needed_bytes(dev, plan) <= unused && plan->host_bytes <= memory_left(dev->memory.budget);
}

/* Chooses which subgraphs keep their columns in memory of the host. Tries every set of subgraphs, and takes the plan that fits
 * and needs the fewest bytes on the host. `unused` is the free device memory in bytes. Returns 1, with the plan in *plan and
 * its options in *planned. If no plan fits, returns 0 and changes nothing. */
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

/* Makes the plan for these options, without sliced searches if it does not fit with them. With may_host_part, RESIDENT_HOST may leave
 * the columns of some subgraphs on the device, as searches are faster with fewer columns on the host. Returns whether the plan fits into
 * `unused` bytes of device memory. *plan and *planned become the plan and the options that were tried last. */
static int try_plan(const struct device *dev, int may_host_part, uint64_t unused, struct gpu_plan_options *planned, struct gpu_plan *plan)
{
    gpu_plan_make(plan, dev->shard, planned);
    if (!fits(dev, plan, unused) && gpu_searches_by_slices(plan, dev->shard)) {
        planned->by_subgraphs = 1;
        gpu_plan_make(plan, dev->shard, planned);
    }
    const int all_fits = fits(dev, plan, unused);
    return (may_host_part && planned->resident == RESIDENT_HOST && choose_hosted(dev, planned, unused, plan)) || all_fits;
}

/* Looks for a plan that has its columns where `resident` says: first one with copied columns, then one without, and then one that saves
 * memory (RESIDENT_RAW has neither). `copied`: what gpu_find_copied has found; only read if columns are not raw. Other arguments, and
 * results, are those of try_plan. */
static int try_residence(const struct device *dev, enum residence resident, int may_host_part, uint64_t unused,
                         const struct gpu_copied *copied, struct gpu_plan_options *planned, struct gpu_plan *plan)
{
    int has_plan;
    planned->resident = resident;
    planned->saves = 0;
    if (resident != RESIDENT_RAW)
        planned->copied = copied;
    while (!(has_plan = try_plan(dev, may_host_part, unused, planned, plan)) && resident != RESIDENT_RAW && !planned->saves) {
        planned->saves = planned->copied == NULL;
        planned->copied = NULL;
    }
    planned->copied = NULL;
    return has_plan;
}

/* Writes to *e why no plan fits, and returns ST_RESOURCE. The message says how much memory is needed, how much is left, and
 * about how many shards would be enough. These numbers are of host memory if the device memory is enough, and otherwise of
 * device memory. `plan` and `planned` are the plan that was tried last and its options. `unused` is the free device memory in
 * bytes. */
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

/* Chooses a plan that fits (see cuda_device.h), and allocates its device memory; gpu_take_hosted allocates its host memory. */
enum status gpu_take_memory(struct device *dev, struct gpu_plan_options *planned, struct gpu_plan *plan, struct error *e)
{
    const int is_chosen = planned->resident != RESIDENT_AUTO;
    const int first = is_chosen ? (int)planned->resident : RESIDENT_RAW, last = is_chosen ? first : RESIDENT_AUTO - 1;
    struct gpu_copied copied[ROW_SETS];
    size_t unused = 0, total = 0;
    int has_plan = 0;
    if (CUDA_TRY(cudaMemGetInfo(&unused, &total), dev->where, e) != ST_OK)
        return e->status;
    for (int resident = first; resident <= last && !has_plan; resident++) {
        if (resident == RESIDENT_PACKED || (is_chosen && resident == RESIDENT_HOST)) /* once, as all offsets are read */
            gpu_find_copied(dev->shard, copied);
        has_plan = try_residence(dev, (enum residence)resident, !is_chosen, unused, copied, planned, plan);
    }
    if (!has_plan)
        return refuse(dev, plan, planned, unused, e);
    const uint64_t bytes = planned_bytes(dev, plan);
    return CUDA_TRY(cudaMalloc(&dev->memory.device, bytes > 0 ? bytes : 1), dev->where, e);
}
