/* pair_gpu.c: pairs of this rank on a GPU: see pair_backend.h, and pair_kernels.h for the search
 *
 * All shards are joined into one list of rows, which the GPU has once for all pairs.
 */
#include "pair_kernels.h"

#include "traverse/programs/joined/cuda/joined_gpu.h"
#include "traverse/programs/paths/pair_backend.h"

#include "formats/base/progress.h"

#include <stdlib.h>

/* Vertices of paths that there is room for, unless one path may be longer; eighths of the GPU's free memory that searches
 * may take. */
enum { LEAST_PATHS = 1 << 20, MEMORY_EIGHTHS = 7 };

struct pair_searches {
    const struct pair_job *job;
    struct joined_graph graph;
    struct joined_gpu on;
    struct gpu_pairs gpu;
    int blocks;
    uint64_t *todo;                 /* [gpu.count] pairs that need a search */
    uint32_t *ends, *paths;         /* in memory of the host: copies of the GPU's arrays */
    struct gpu_pair_result *result; /* likewise */
};

/* ---- memory ---- */

/* Sets p->blocks, the number of blocks that search at the same time: as many as the GPU's free memory has room for
 * (ranks that share a GPU share its memory), at most one for each of `pairs`, and at least 1. Without room for one
 * block, taking the memory fails later and says so. */
static enum status choose_blocks(struct pair_searches *p, uint64_t pairs, struct error *e)
{
    const struct gpu_pairs *gpu = &p->gpu;
    const uint64_t bytes = gpu->words * sizeof *gpu->marks + (gpu->vertices + 1) * sizeof *gpu->steps;
    size_t unused = 0, total = 0;
    uint64_t blocks;
    int gpus = 1;
    if (CUDA_TRY(cudaGetDeviceCount(&gpus), p->on.where, e) != ST_OK ||
        CUDA_TRY(cudaMemGetInfo(&unused, &total), p->on.where, e) != ST_OK)
        return e->status;
    blocks = unused / 8 * MEMORY_EIGHTHS / ((p->job->comm->host_ranks + (uint64_t)gpus - 1) / (uint64_t)gpus) / bytes;
    if (blocks > pairs)
        blocks = pairs;
    p->blocks = blocks > (uint64_t)cuda_pair_blocks() ? cuda_pair_blocks() : blocks > 0 ? (int)blocks : 1;
    return ST_OK;
}

/* Takes the arrays of p->gpu in memory of the GPU, for at most `pairs` pairs, and chooses the number of blocks. */
static enum status take_on_gpu(struct pair_searches *p, uint64_t pairs, struct error *e)
{
    struct gpu_pairs *gpu = &p->gpu;
    uint64_t edges = p->graph.push->edges; /* of the longer list of rows */
    if (p->graph.pull != NULL && p->graph.pull->edges > edges)
        edges = p->graph.pull->edges;
    if (p->job->paths)
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
    return e->status;
}

/* Takes the arrays in memory of the host, for at most `pairs` pairs. pair_gpu_close releases them. */
static enum status take_on_host(struct pair_searches *p, uint64_t pairs, struct error *e)
{
    p->todo = calloc(pairs + 1, sizeof *p->todo);
    p->ends = calloc(2 * pairs + 1, sizeof *p->ends);
    p->result = calloc(pairs + 1, sizeof *p->result);
    p->paths = p->job->paths ? calloc(p->gpu.path_capacity, sizeof *p->paths) : NULL;
    if (p->todo == NULL || p->ends == NULL || p->result == NULL || (p->job->paths && p->paths == NULL))
        return fail_memory(e, "pairs", pairs * sizeof *p->result);
    return ST_OK;
}

/* Launches each kernel once without work: CUDA loads a kernel at its first launch, and this time is no part of a
 * search. */
static enum status load_kernels(struct pair_searches *p, struct error *e)
{
    joined_gpu_clear(&p->on, p->gpu.counts, sizeof *p->gpu.counts, e);
    if (e->status != ST_OK)
        return e->status;
    cuda_pairs_by_blocks(&p->gpu, 1, p->on.stream);
    if (CUDA_LAUNCHED(p->on.where, e) == ST_OK &&
        CUDA_TRY(cuda_pairs_by_all(&p->gpu, p->on.stream), p->on.where, e) == ST_OK)
        joined_gpu_wait(&p->on, e);
    return e->status;
}

/* Joins all shards into one graph, copies it to the GPU, and takes memory for the pairs of this rank. After a
 * failure, too, pair_gpu_close releases *searches unless it is NULL. */
static enum status pair_gpu_open(struct pair_searches **searches, const struct pair_job *job, struct error *e)
{
    struct pair_searches *p = *searches = calloc(1, sizeof *p);
    const uint64_t all = job->roots->count / 2, pairs = all / job->comm->ranks + 1;
    if (p == NULL)
        return fail_memory(e, "searches", sizeof *p);
    p->job = job;
    if (joined_graph_open(&p->graph, job->graph, !job->one_sided, job->budget, e) != ST_OK ||
        joined_gpu_open(&p->on, &p->graph, job->comm, e) != ST_OK)
        return e->status;
    p->gpu = (struct gpu_pairs){.rows = {p->on.push, p->on.pull},
                                .vertices = p->graph.vertices,
                                .words = p->graph.vertices / PAIR_MARKS + 1,
                                .one_sided = job->one_sided,
                                .path_capacity = p->graph.vertices > LEAST_PATHS ? p->graph.vertices : LEAST_PATHS};
    if (take_on_host(p, pairs, e) == ST_OK && take_on_gpu(p, pairs, e) == ST_OK)
        load_kernels(p, e);
    return e->status;
}

/* Releases all memory of the searches, on the host and on the GPU. */
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

/* ---- searches ---- */

/* Lists the pairs of this rank that need a search in p->todo, p->gpu.count of them. For other pairs (source and
 * target are the same, or one has no edges) the result is known and is written to *runs. */
static enum status list_pairs(struct pair_searches *p, struct pair_runs *runs, struct error *e)
{
    const uint64_t own = pair_runs_own(runs);
    p->gpu.count = 0;
    for (uint64_t k = 0; k < own && e->status == ST_OK; k++) {
        const uint64_t i = pair_runs_number(runs, k);
        const struct root *ends = &p->job->roots->root[2 * i];
        runs->result[i].found = ends[0].id == ends[1].id;
        if (ends[0].id == ends[1].id || ends[0].at == ROOT_AT_ISOLATED || ends[1].at == ROOT_AT_ISOLATED)
            pair_runs_take_path(runs, i, e);
        else
            p->todo[p->gpu.count++] = i;
    }
    progress_add(own - p->gpu.count);
    return e->status;
}

/* Prepares a search between the pairs of p->todo: copies their sources and targets to the GPU, and clears counts and
 * results there. */
static enum status copy_ends(struct pair_searches *p, struct error *e)
{
    for (uint32_t k = 0; k < p->gpu.count; k++) {
        const struct root *ends = &p->job->roots->root[2 * p->todo[k]];
        p->ends[2 * k] = (uint32_t)joined_vertex(&p->graph, &ends[0]);
        p->ends[2 * k + 1] = (uint32_t)joined_vertex(&p->graph, &ends[1]);
    }
    joined_gpu_clear(&p->on, p->gpu.counts, sizeof *p->gpu.counts, e);
    joined_gpu_clear(&p->on, p->gpu.results, p->gpu.count * sizeof *p->gpu.results, e);
    if (e->status == ST_OK)
        joined_gpu_copy(&p->on, (void *)p->gpu.ends, p->ends, 2ull * p->gpu.count * sizeof *p->ends, e);
    return e->status;
}

/* Searches between the pairs of p->todo, in two passes: first each block searches between one pair at a time; then
 * all blocks together search between the pairs that the first pass has left, one pair after the other. Copies results
 * and paths to the host, into p->result and p->paths. */
static enum status search(struct pair_searches *p, struct error *e)
{
    struct gpu_pair_counts counts;
    if (copy_ends(p, e) != ST_OK)
        return e->status;
    cuda_pairs_by_blocks(&p->gpu, p->blocks, p->on.stream);
    if (CUDA_LAUNCHED(p->on.where, e) != ST_OK ||
        joined_gpu_copy(&p->on, &counts, p->gpu.counts, sizeof counts, e) != ST_OK ||
        (counts.left > 0 && CUDA_TRY(cuda_pairs_by_all(&p->gpu, p->on.stream), p->on.where, e) != ST_OK) ||
        joined_gpu_copy(&p->on, &counts, p->gpu.counts, sizeof counts, e) != ST_OK ||
        joined_gpu_copy(&p->on, p->result, p->gpu.results, p->gpu.count * sizeof *p->result, e) != ST_OK)
        return e->status;
    if (counts.path_capacity > p->gpu.path_capacity)
        counts.path_capacity = p->gpu.path_capacity;
    return counts.path_capacity > 0 ? joined_gpu_copy(&p->on, p->paths, p->gpu.paths, counts.path_capacity * sizeof *p->paths, e)
                                : ST_OK;
}

/* Adds the GPU's result *from of pair i (its number among all pairs) to *runs, and copies its path if paths are
 * wanted. Fails if the GPU found an edge that only one of its ends has. */
static enum status keep(struct pair_searches *p, struct pair_runs *runs, uint64_t i, const struct gpu_pair_result *from,
                        struct error *e)
{
    struct pair_result *to = &runs->result[i];
    if (from->found == PAIR_ONE_WAY)
        return pair_runs_one_way(p->job->graph, p->graph.ids[from->path >> 32], p->graph.ids[(uint32_t)from->path], e);
    *to = (struct pair_result){from->found, to->edges + from->edges, from->vertices, to->nanoseconds + from->nanoseconds};
    if (pair_runs_take_path(runs, i, e) != ST_OK || runs->path == NULL)
        return e->status;
    for (uint64_t j = 0; j < from->found; j++)
        runs->path[i][j] = p->graph.ids[p->paths[from->path + j]];
    return ST_OK;
}

/* Keeps the results of the last search. Pairs whose paths had no room are listed in p->todo again, for another
 * search. Each search writes at least one path, as an empty array of paths has room for any path. */
static enum status keep_results(struct pair_searches *p, struct pair_runs *runs, struct error *e)
{
    const uint32_t count = p->gpu.count;
    p->gpu.count = 0;
    for (uint32_t k = 0; k < count && e->status == ST_OK; k++) {
        const uint64_t i = p->todo[k];
        if (runs->path != NULL && p->result[k].found > 0 && p->result[k].path == PAIR_NO_PATH) {
            runs->result[i].edges += p->result[k].edges;
            runs->result[i].nanoseconds += p->result[k].nanoseconds;
            p->todo[p->gpu.count++] = i;
        } else if (keep(p, runs, i, &p->result[k], e) == ST_OK) {
            progress_add(1);
        }
    }
    return e->status;
}

/* Searches between all pairs of this rank, again as long as pairs are left whose paths had no room. */
static enum status pair_gpu_run(struct pair_searches *p, struct pair_runs *runs, struct error *e)
{
    if (list_pairs(p, runs, e) != ST_OK)
        return e->status;
    while (p->gpu.count > 0 && e->status == ST_OK) {
        if (search(p, e) == ST_OK)
            keep_results(p, runs, e);
    }
    return e->status;
}

const struct pair_backend pair_cuda = {"cuda", NULL, pair_gpu_open, pair_gpu_close, pair_gpu_run};
