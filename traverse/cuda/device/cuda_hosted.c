/* cuda_hosted.c: columns in memory of the host that a GPU reads over the link
 *
 * The memory is taken from CUDA, pinned and mapped, and columns are copied into it or decoded there by threads of the
 * host. Parts of the mapped file could be registered instead, but only raw ones, and only where their file system lets
 * a driver pin its pages. Decoding on the host takes no device memory, which is short then.
 */
#include "cuda_device.h"
#include "cuda_error.h"

#include "formats/base/cli.h"

#include <stdio.h>
#include <string.h>

/* Copies or decodes the columns of g to memory of the host. */
static enum status fill_columns(const struct device *dev, enum subgraph g, void *to, int threads,
                                struct error *e)
{
    enum { PIECE_BYTES = 2 << 20 };
    uint32_t type = shard_section(dev->shard, g, SHARD_COLUMNS);
    const struct section *s = container_find(dev->shard->file, type);
    if (s->encoding == ENCODING_RAW) {
        const uint64_t bytes = section_decoded_bytes(s);
#pragma omp parallel for num_threads(threads)
        for (uint64_t begin = 0; begin < bytes; begin += PIECE_BYTES)
            memcpy((char *)to + begin, (const char *)s->data + begin,
                   bytes - begin < PIECE_BYTES ? bytes - begin : PIECE_BYTES);
        return ST_OK;
    }
    struct packed_rows rows = shard_rows(&dev->shard->csr[g]);
    struct packed packed = section_packed(s);
    if (packed_decode_all(&packed, &rows, to, threads) != ST_OK)
        fail(e, ST_BAD_DATA, "%s: %s: a packed block is corrupt", container_path(dev->shard->file),
             shard_kind.section_name(type));
    return e->status;
}

enum status gpu_take_hosted(struct device *dev, const struct gpu_plan *plan, int threads, struct error *e)
{
    struct gpu_memory *m = &dev->memory;
    char what[sizeof dev->where + 32];
    double start = cli_seconds();
    uint64_t begin = 0;
    snprintf(what, sizeof what, "%s: rests of rows in host memory", dev->where);
    if (plan->host_bytes == 0 || memory_charge(m->budget, plan->host_bytes, what, e) != ST_OK)
        return e->status;
    m->host_bytes = plan->host_bytes;
    if (CUDA_TRY(cudaHostAlloc(&m->host, m->host_bytes, cudaHostAllocMapped), dev->where, e) != ST_OK)
        return e->status;
    for (int g = 0; g < shard_row_sets(dev->shard) && e->status == ST_OK; g++) {
        const struct gpu_array *a = &plan->array[GPU_SECTIONS * g + GPU_COLUMNS];
        if (!a->hosted)
            continue;
        fill_columns(dev, (enum subgraph)g, (char *)m->host + begin, threads, e);
        begin += gpu_aligned(a->bytes);
    }
    dev->load = (struct gpu_load){.seconds = cli_seconds() - start, .host_bytes = plan->host_bytes};
    return e->status;
}

void gpu_free_hosted(struct device *dev)
{
    cudaFreeHost(dev->memory.host);
    memory_discharge(dev->memory.budget, dev->memory.host_bytes);
}
