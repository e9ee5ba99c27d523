/* joined_gpu.c: allocates and copies device memory, and copies a joined graph to a GPU */
#include "joined_gpu.h"

#include "formats/base/text.h"

enum { SPARE_COLUMNS = 8 }; /* columns behind the last row, which a kernel may load beside those of the row */

/* Allocates device memory for `count` elements of `width` bytes, at least for one, and does not zero it (joined_gpu.h). */
enum status joined_gpu_take(struct joined_gpu *gpu, void *array, uint64_t count, uint64_t width, struct error *e)
{
    void **to = array;
    if (e->status == ST_OK && CUDA_TRY(cudaMalloc(to, (count > 0 ? count : 1) * width), gpu->where, e) == ST_OK)
        gpu->arrays[gpu->taken++] = *to;
    return e->status;
}

/* Waits until the GPU has done all work of the stream. Fails if a kernel has failed. */
enum status joined_gpu_wait(const struct joined_gpu *gpu, struct error *e)
{
    return CUDA_TRY(cudaStreamSynchronize(gpu->stream), gpu->where, e);
}

/* Copies bytes between host and device, in any direction, after all earlier work of the stream. Waits for the copy. */
enum status joined_gpu_copy(const struct joined_gpu *gpu, void *to, const void *from, uint64_t bytes, struct error *e)
{
    if (bytes > 0 && CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, gpu->stream), gpu->where, e) != ST_OK)
        return e->status;
    return joined_gpu_wait(gpu, e);
}

/* Copies bytes as joined_gpu_copy does, without waiting. Does nothing if *e has failed before. */
void joined_gpu_begin_copy(const struct joined_gpu *gpu, void *to, const void *from, uint64_t bytes, struct error *e)
{
    if (e->status == ST_OK && bytes > 0)
        CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, gpu->stream), gpu->where, e);
}

/* Zeroes device memory after all earlier work of the stream, without waiting. Does nothing if *e has failed before. */
void joined_gpu_clear(const struct joined_gpu *gpu, void *array, uint64_t bytes, struct error *e)
{
    if (e->status == ST_OK)
        CUDA_TRY(cudaMemsetAsync(array, 0, bytes, gpu->stream), gpu->where, e);
}

/* Copies the offsets and columns of *rows to new device memory, and sets the pointers of *to. */
static enum status copy_rows(struct joined_gpu *gpu, const struct joined_graph *graph, const struct joined_rows *rows,
                             struct gpu_rows *to, struct error *e)
{
    uint64_t ends = graph->vertices + 1;
    if (joined_gpu_take(gpu, &to->offsets, ends, 8, e) != ST_OK ||
        joined_gpu_take(gpu, &to->columns, rows->edges + SPARE_COLUMNS, 4, e) != ST_OK ||
        joined_gpu_copy(gpu, (void *)to->offsets, rows->offsets, ends * 8, e) != ST_OK)
        return e->status;
    return joined_gpu_copy(gpu, (void *)to->columns, rows->columns, rows->edges * 4, e);
}

uint64_t joined_gpu_row_bytes(uint64_t vertices, uint64_t edges)
{
    return (vertices + 1) * 8 + (edges + SPARE_COLUMNS) * 4;
}

/* Fails if the GPU has less memory left than the graph and the search take. */
static enum status check_room(const struct joined_gpu *gpu, const struct joined_graph *graph, uint64_t search_bytes, struct error *e)
{
    uint64_t graph_bytes = joined_gpu_row_bytes(graph->vertices, graph->push->edges);
    char taken[32], searched[32], left[32];
    size_t unused = 0, total = 0;
    if (graph->pull != NULL && graph->pull != graph->push)
        graph_bytes += joined_gpu_row_bytes(graph->vertices, graph->pull->edges);
    if (CUDA_TRY(cudaMemGetInfo(&unused, &total), gpu->where, e) != ST_OK || graph_bytes + search_bytes <= unused)
        return e->status;
    format_size(search_bytes, searched, sizeof searched);
    return fail(e, ST_RESOURCE, "%s: the graph takes %s of device memory%s%s, and %s are free", gpu->where,
                format_size(graph_bytes, taken, sizeof taken), search_bytes > 0 ? ", a search " : "", search_bytes > 0 ? searched : "",
                format_size(unused, left, sizeof left));
}

/* Chooses the GPU of the rank of `comm`, makes a stream, and copies the rows of the graph to the GPU. gpu->pull is the same
 * as gpu->push, unless the graph has other rows to pull. */
enum status joined_gpu_open(struct joined_gpu *gpu, const struct joined_graph *graph, const struct comm *comm,
                            uint64_t search_bytes, struct error *e)
{
    const struct gpu_user user = {comm->host, comm->rank, comm->host_rank};
    int ordinal;
    if (gpu_choose(&user, &ordinal, gpu->where, e) != ST_OK || check_room(gpu, graph, search_bytes, e) != ST_OK ||
        CUDA_TRY(cudaStreamCreateWithFlags(&gpu->stream, cudaStreamNonBlocking), gpu->where, e) != ST_OK ||
        copy_rows(gpu, graph, graph->push, &gpu->push, e) != ST_OK)
        return e->status;
    gpu->pull = gpu->push;
    if (graph->pull != NULL && graph->pull != graph->push)
        copy_rows(gpu, graph, graph->pull, &gpu->pull, e);
    return e->status;
}

void joined_gpu_close(struct joined_gpu *gpu)
{
    for (int i = 0; i < gpu->taken; i++)
        cudaFree(gpu->arrays[i]);
    if (gpu->stream != NULL)
        cudaStreamDestroy(gpu->stream);
    *gpu = (struct joined_gpu){0};
}
