/* cuda_check.c: checks the ranges of a shard that lies on the device, after it was loaded */
#include "cuda_device.h"

#include "formats/base/cli.h"

/* Checks csr[g]. `found`, and `device_locals`, which is [p] as `locals`, are memory of the device. */
static enum status check_csr(const struct device *dev, enum subgraph g, const uint32_t *locals, int threads,
                             struct csr_ranges *found, const uint32_t *device_locals, struct error *e)
{
    const struct csr *csr = &dev->shard->csr[g];
    cudaStream_t stream = dev->stream.of[DELEGATES];
    struct csr_ranges ranges = {.first = {NO_FAULT, NO_FAULT, NO_FAULT, NO_FAULT}, .edges = csr->column_count};
    struct packed packed;
    if (csr->edges > 0 && gpu_csr_is_packed(&dev->csr[g])) {
        /* heads and bitmaps of the host are those that were copied to the device, and offsets those that it reads */
        const int keeps = gpu_keeps_columns(dev->shard, g, RESIDENT_PACKED, &packed);
        struct column_bounds bounds = csr_column_bounds(dev->shard, g, locals);
        csr_ranges_find(csr, keeps ? &packed : NULL, &bounds, threads, &ranges);
    } else if (csr->edges > 0) {
        struct column_bounds bounds = csr_column_bounds(dev->shard, g, device_locals);
        cuda_find_ranges(&dev->csr[g], csr->column_count, &bounds, found, stream);
        if (gpu_fetch(dev, &ranges, found, sizeof ranges, stream, e) != ST_OK)
            return e->status;
    } /* otherwise nothing is on the device (cuda_plan.c), so a search reads nothing */
    return csr_ranges_judge(dev->shard, g, &ranges, e);
}

enum status gpu_check_ranges(struct device *dev, const uint32_t *locals, int threads, struct error *e)
{
    const size_t bytes = dev->shard->p * sizeof *locals;
    struct csr_ranges *found = NULL;
    uint32_t *device_locals = NULL;
    double start = cli_seconds();
    if (CUDA_TRY(cudaMalloc((void **)&found, sizeof *found), dev->where, e) == ST_OK &&
        CUDA_TRY(cudaMalloc((void **)&device_locals, bytes), dev->where, e) == ST_OK)
        CUDA_TRY(cudaMemcpyAsync(device_locals, locals, bytes, cudaMemcpyHostToDevice, dev->stream.of[DELEGATES]),
                 dev->where, e);
    for (int g = 0; g < shard_row_sets(dev->shard) && e->status == ST_OK; g++)
        check_csr(dev, (enum subgraph)g, locals, threads, found, device_locals, e);
    cudaFree(found);
    cudaFree(device_locals);
    dev->load.ranges_s = cli_seconds() - start;
    dev->load.seconds += dev->load.ranges_s;
    return e->status;
}
