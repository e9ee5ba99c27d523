/* cuda_check.c: checks the ranges of a shard that lies on the device, after it was loaded */
#include "cuda_device.h"

#include "formats/base/cli.h"

/* Device memory that the check takes while it runs. */
struct check_memory {
    struct csr_ranges *found;
    uint32_t *locals; /* [p] */
    const uint32_t *host_locals;
    int threads;
};

static enum status take_memory(struct check_memory *m, const struct device *dev,
                               const uint32_t *locals, struct error *e)
{
    size_t bytes = dev->shard->p * sizeof *locals;
    cudaStream_t stream = dev->stream.of[DELEGATES];
    if (CUDA_TRY(cudaMalloc((void **)&m->found, sizeof *m->found), dev->where, e) != ST_OK ||
        CUDA_TRY(cudaMalloc((void **)&m->locals, bytes), dev->where, e) != ST_OK)
        return e->status;
    return CUDA_TRY(cudaMemcpyAsync(m->locals, locals, bytes, cudaMemcpyHostToDevice, stream),
                    dev->where, e);
}

/* A subgraph without edges has nothing on the device (cuda_plan.c), so a search reads nothing of it. */
static enum status check_no_edges(const struct device *dev, enum subgraph g, struct error *e)
{
    struct csr_ranges found = {.first = {NO_FAULT, NO_FAULT, NO_FAULT, NO_FAULT},
                               .edges = dev->shard->csr[g].column_count};
    return csr_ranges_judge(dev->shard, g, &found, e);
}

/* `packed`: the columns, NULL if they are raw in the file. Heads and masks of the host are those that were copied
 * to the device, and offsets those that it reads. */
static enum status check_packed(const struct device *dev, enum subgraph g, const struct packed *packed,
                                const struct check_memory *m, struct error *e)
{
    struct column_bounds bounds = csr_column_bounds(dev->shard, g, m->host_locals);
    struct csr_ranges found;
    csr_ranges_find(&dev->shard->csr[g], packed, &bounds, m->threads, &found);
    return csr_ranges_judge(dev->shard, g, &found, e);
}

static enum status check_csr(const struct device *dev, enum subgraph g,
                             const struct check_memory *m, struct error *e)
{
    cudaStream_t stream = dev->stream.of[DELEGATES];
    struct column_bounds bounds = csr_column_bounds(dev->shard, g, m->locals);
    struct csr_ranges found;
    struct packed packed;
    if (dev->shard->csr[g].edges == 0)
        return check_no_edges(dev, g, e);
    if (gpu_csr_is_packed(&dev->csr[g]))
        return check_packed(dev, g,
                            gpu_keeps_columns(dev->shard, g, RESIDENT_PACKED, &packed) ? &packed : NULL, m, e);
    cuda_find_ranges(&dev->csr[g], dev->shard->csr[g].column_count, &bounds, m->found, stream);
    if (gpu_fetch(dev, &found, m->found, sizeof found, stream, e) == ST_OK)
        csr_ranges_judge(dev->shard, g, &found, e);
    return e->status;
}

enum status gpu_check_ranges(struct device *dev, const uint32_t *locals, int threads, struct error *e)
{
    struct check_memory memory = {.host_locals = locals, .threads = threads};
    double start = cli_seconds();
    take_memory(&memory, dev, locals, e);
    for (int g = 0; g < shard_row_sets(dev->shard) && e->status == ST_OK; g++)
        check_csr(dev, (enum subgraph)g, &memory, e);
    cudaFree(memory.found);
    cudaFree(memory.locals);
    dev->load.ranges_s = cli_seconds() - start;
    dev->load.seconds += dev->load.ranges_s;
    return e->status;
}
