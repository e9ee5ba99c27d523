/* pair_gpu.c: searches between pairs on a GPU (pair_kernels.h), as a struct pair_backend (pairs.h)
 *
 * All shards are joined into one array of rows. The GPU has a single copy of this array, which all searches read. */
#include "pair_kernels.h"

#include "traverse/programs/joined/cuda/joined_gpu.h"
#include "traverse/programs/paths/pairs.h"

#include "formats/base/arith.h"
#include "formats/base/progress.h"

#include <stdlib.h>

/* LEAST_PATHS: the array of paths has memory for this number of vertices, or for all vertices of the graph if they are
 * more. MEMORY_EIGHTHS: searches may take this number of eighths of the free memory of the GPU. */
enum { LEAST_PATHS = 1 << 20, MEMORY_EIGHTHS = 7 };

/* The state of pair_cuda: the graph, the memory of the searches, and the pairs that need a search. */
struct pair_searches {
    const struct pair_job *job;
    /* all shards as one graph, in memory of the host */
    struct joined_graph graph;
    /* the GPU with the graph on it; owns all device memory */
    struct joined_gpu on;
    /* The arguments of the kernels. gpu.count is the number of pairs in `todo`. */
    struct gpu_pairs gpu;
    int blocks;                     /* number of blocks that search at the same time */
    uint64_t *todo;                 /* [gpu.count] numbers of the pairs that need a search */
    uint32_t *ends, *paths;         /* memory of the host: copies of the arrays `ends` and `paths` of the GPU */
    struct gpu_pair_result *result; /* memory of the host: copy of the results of the GPU */
};

/* Sets p->blocks to the number of blocks that search at the same time: at most as many as fill the GPU, at most `pairs`,
 * and only as many as have room for their marks and steps in this rank's share of the free memory of the GPU. If there is
 * no room even for one block, sets it to 1, and the allocation fails later, with a message. */
static enum status choose_blocks(struct pair_searches *p, uint64_t pairs, struct error *e)
{
    const struct gpu_pairs *gpu = &p->gpu;
    const uint64_t bytes = gpu->words * sizeof *gpu->marks + (gpu->vertices + 1) * sizeof *gpu->steps;
    size_t unused = 0, total = 0;
    int gpus = 1;
    if (CUDA_TRY(cudaGetDeviceCount(&gpus), p->on.where, e) != ST_OK ||
        CUDA_TRY(cudaMemGetInfo(&unused, &total), p->on.where, e) != ST_OK)
        return e->status;
    const uint64_t sharers = divide_up(p->job->comm->host_ranks, (uint64_t)gpus);
    const uint64_t blocks = smaller(unused / 8 * MEMORY_EIGHTHS / sharers / bytes, pairs);
    p->blocks = (int)larger(smaller(blocks, (uint64_t)cuda_pair_blocks()), 1);
    return ST_OK;
}

/* Allocates the arrays for at most `pairs` pairs, on the host and on the GPU, and zeroes the marks and counts. Sets
 * p->blocks. The budget is not charged. The caller calls pair_gpu_close even after a failure. */
static enum status take_memory(struct pair_searches *p, uint64_t pairs, struct error *e)
{
    const int paths = p->job->paths;
    struct gpu_pairs *gpu = &p->gpu;
    uint64_t edges = p->graph.push->edges; /* number of edges of the longer array of rows */
    if (p->graph.pull != NULL)
        edges = larger(edges, p->graph.pull->edges);
    p->todo = calloc(pairs + 1, sizeof *p->todo);
    p->ends = calloc(2 * pairs + 1, sizeof *p->ends);
    p->result = calloc(pairs + 1, sizeof *p->result);
    p->paths = paths ? calloc(gpu->path_capacity, sizeof *p->paths) : NULL;
    if (p->todo == NULL || p->ends == NULL || p->result == NULL || (paths && p->paths == NULL))
        return fail_memory(e, "pairs", pairs * sizeof *p->result);
    if (paths)
        joined_gpu_take(&p->on, &gpu->paths, gpu->path_capacity, sizeof *gpu->paths, e);
    joined_gpu_take(&p->on, &gpu->ends, 2 * pairs, sizeof *gpu->ends, e);
    joined_gpu_take(&p->on, &gpu->left, pairs, sizeof *gpu->left, e);
    joined_gpu_take(&p->on, &gpu->results, pairs, sizeof *gpu->results, e);
    joined_gpu_take(&p->on, &gpu->counts, 1, sizeof *gpu->counts, e);
    joined_gpu_take(&p->on, &gpu->pieces, 2 * (edges / PAIR_LONG_ROW) + 1, sizeof *gpu->pieces, e);
    if (e->status != ST_OK || choose_blocks(p, pairs, e) != ST_OK)
        return e->status;
    joined_gpu_take(&p->on, &gpu->steps, (uint64_t)p->blocks * (gpu->vertices + 1), sizeof *gpu->steps, e);
    joined_gpu_take(&p->on, &gpu->marks, (uint64_t)p->blocks * gpu->words, sizeof *gpu->marks, e);
    joined_gpu_clear(&p->on, gpu->marks, (uint64_t)p->blocks * gpu->words * sizeof *gpu->marks, e);
    joined_gpu_clear(&p->on, gpu->counts, sizeof *gpu->counts, e);
    return e->status;
}

/* Opens *searches: joins all shards into one graph, copies the graph to the GPU, and allocates the memory for the pairs of
 * this rank. Launches each kernel once without work, because CUDA loads a kernel at its first launch, and searches must not
 * wait for this. After a failure, the caller calls pair_gpu_close, unless *searches is NULL. */
static enum status pair_gpu_open(struct pair_searches **searches, const struct pair_job *job, struct error *e)
{
    struct pair_searches *p = *searches = calloc(1, sizeof *p);
    if (p == NULL)
        return fail_memory(e, "searches", sizeof *p);
    p->job = job;
    if (joined_graph_open(&p->graph, job->graph, &comm_alone, !job->one_sided, job->budget, e) != ST_OK ||
        joined_gpu_open(&p->on, &p->graph, job->comm, 0, e) != ST_OK)
        return e->status;
    p->gpu = (struct gpu_pairs){.rows = {p->on.push, p->on.pull},
                                .vertices = p->graph.vertices,
                                .words = p->graph.vertices / PAIR_MARKS + 1,
                                .one_sided = job->one_sided,
                                .path_capacity = larger(p->graph.vertices, LEAST_PATHS)};
    if (take_memory(p, job->roots->count / 2 / job->comm->ranks + 1, e) != ST_OK)
        return e->status;
    cuda_pairs_by_blocks(&p->gpu, 1, p->on.stream);
    if (CUDA_LAUNCHED(p->on.where, e) == ST_OK &&
        CUDA_TRY(cuda_pairs_by_all(&p->gpu, p->on.stream), p->on.where, e) == ST_OK)
        joined_gpu_wait(&p->on, e);
    return e->status;
}

/* Frees all memory of the searches. `p` may be opened in part, but must not be NULL. */
static void pair_gpu_close(struct pair_searches *p)
{
    free(p->todo);
    free(p->ends);
    free(p->result);
    free(p->paths);
    joined_gpu_close(&p->on);
    joined_graph_close(&p->graph);
    free(p);
}

/* Searches between the gpu.count pairs in p->todo, and copies results and paths to p->result and p->paths, on the host. In
 * a first pass, each block works on one pair at a time, and leaves a pair if a frontier has too many edges. In a second
 * pass, all blocks together search between the pairs that were left, one pair after the other. */
static enum status search(struct pair_searches *p, struct error *e)
{
    struct gpu_pairs *gpu = &p->gpu;
    struct gpu_pair_counts counts;
    for (uint32_t k = 0; k < gpu->count; k++) {
        const struct root *ends = &p->job->roots->root[2 * p->todo[k]];
        p->ends[2 * k] = (uint32_t)joined_vertex(&p->graph, &ends[0]);
        p->ends[2 * k + 1] = (uint32_t)joined_vertex(&p->graph, &ends[1]);
    }
    joined_gpu_clear(&p->on, gpu->counts, sizeof *gpu->counts, e);
    joined_gpu_clear(&p->on, gpu->results, gpu->count * sizeof *gpu->results, e);
    if (e->status != ST_OK ||
        joined_gpu_copy(&p->on, (void *)gpu->ends, p->ends, 2ull * gpu->count * sizeof *p->ends, e) != ST_OK)
        return e->status;
    cuda_pairs_by_blocks(gpu, p->blocks, p->on.stream);
    if (CUDA_LAUNCHED(p->on.where, e) != ST_OK ||
        joined_gpu_copy(&p->on, &counts, gpu->counts, sizeof counts, e) != ST_OK ||
        (counts.left > 0 && CUDA_TRY(cuda_pairs_by_all(gpu, p->on.stream), p->on.where, e) != ST_OK) ||
        joined_gpu_copy(&p->on, &counts, gpu->counts, sizeof counts, e) != ST_OK ||
        joined_gpu_copy(&p->on, p->result, gpu->results, gpu->count * sizeof *p->result, e) != ST_OK)
        return e->status;
    const uint64_t vertices = smaller(counts.path_vertices, gpu->path_capacity);
    return vertices > 0 ? joined_gpu_copy(&p->on, p->paths, gpu->paths, vertices * sizeof *p->paths, e) : ST_OK;
}

/* Copies the results of the last search to *pairs, and the paths if paths are wanted. A pair whose path did not fit into
 * the array of the GPU stays in p->todo for another search. Each search writes at least one path, because the array is
 * empty when the search starts, and has memory for any single path. Fails if the GPU found an edge that only the rows of
 * one end have. */
static enum status keep_results(struct pair_searches *p, struct pairs *pairs, struct error *e)
{
    const uint64_t *ids = p->graph.ids;
    const uint32_t count = p->gpu.count;
    p->gpu.count = 0;
    for (uint32_t k = 0; k < count; k++) {
        const struct gpu_pair_result *from = &p->result[k];
        const uint64_t i = p->todo[k];
        struct pair_result *to = &pairs->result[i];
        if (from->found == PAIR_ONE_WAY)
            return pairs_one_way(p->job->graph, ids[from->path >> 32], ids[(uint32_t)from->path], e);
        to->edges += from->edges;
        to->nanoseconds += from->nanoseconds;
        if (pairs->path != NULL && from->found > 0 && from->path == PAIR_NO_PATH) {
            p->todo[p->gpu.count++] = i;
            continue;
        }
        to->found = from->found;
        to->vertices = from->vertices;
        if (pairs_take_path(pairs, i, e) != ST_OK)
            return e->status;
        for (uint64_t j = 0; pairs->path != NULL && j < from->found; j++)
            pairs->path[i][j] = ids[p->paths[from->path + j]];
        progress_add(1);
    }
    return e->status;
}

/* Searches between all pairs of this rank, and fills in pairs->result and the wanted paths. A pair needs no search if its
 * source is its target, or if one of its vertices has no edges. All others are listed in p->todo. Pairs whose paths did not
 * fit stay there, so the search is repeated until p->todo is empty. */
static enum status pair_gpu_run(struct pair_searches *p, struct pairs *pairs, struct error *e)
{
    p->gpu.count = 0;
    for (uint64_t i = p->job->comm->rank; i < pairs->count && e->status == ST_OK; i += p->job->comm->ranks) {
        const struct root *ends = &p->job->roots->root[2 * i];
        pairs->result[i].found = ends[0].id == ends[1].id;
        if (ends[0].id == ends[1].id || ends[0].at == ROOT_AT_ISOLATED || ends[1].at == ROOT_AT_ISOLATED) {
            pairs_take_path(pairs, i, e);
            progress_add(1);
        } else {
            p->todo[p->gpu.count++] = i;
        }
    }
    while (p->gpu.count > 0 && e->status == ST_OK) {
        if (search(p, e) == ST_OK)
            keep_results(p, pairs, e);
    }
    return e->status;
}

const struct pair_backend pair_cuda = {"cuda", NULL, pair_gpu_open, pair_gpu_close, pair_gpu_run};
