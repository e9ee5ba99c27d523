/* graph.c: see graph.h */
#include "graph.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

static enum status open_shards(struct graph *graph, const struct comm *comm, const char *folder,
                               struct error *e)
{
    graph->shards = calloc(graph->device_count, sizeof *graph->shards);
    if (graph->shards == NULL)
        return fail_memory(e, folder, graph->device_count * sizeof *graph->shards);
    for (uint32_t g = 0; g < graph->device_count; g++) {
        uint32_t index = shard_of_device(comm->rank, g, comm->ranks);
        if (manifest_open_shard(&graph->manifest, folder, index, &graph->shards[g], e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

static enum status check_shards(const struct graph *graph, int threads, struct error *e)
{
    for (uint32_t g = 0; g < graph->device_count; g++) {
        if (container_check_all(graph->shards[g].file, threads, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

static enum status decode_shards(struct graph *graph, const struct graph_options *options,
                                 struct error *e)
{
    for (uint32_t g = 0; g < graph->device_count; g++) {
        if (shard_load(&graph->shards[g], options->columns, options->threads, options->budget, e) !=
            ST_OK)
            return e->status;
    }
    return ST_OK;
}

static enum status choose_device_count(struct graph *graph, const struct comm *comm,
                                       uint32_t wanted, struct error *e)
{
    uint32_t p = graph->manifest.p;
    graph->device_count = wanted != 0 ? wanted : p / comm->ranks;
    if ((uint64_t)graph->device_count * comm->ranks == p)
        return ST_OK;
    if (wanted != 0)
        return fail(e, ST_USAGE, "%u ranks x %u shards per rank are not the %u shards of the graph",
                    comm->ranks, wanted, p);
    return fail(e, ST_USAGE, "%u shards cannot be divided evenly among %u ranks", p, comm->ranks);
}

static void count_vertices(struct graph *graph, const struct comm *comm)
{
    for (uint32_t g = 0; g < graph->device_count; g++)
        graph->vertices += graph->shards[g].locals;
    comm_sum_u64(comm, &graph->vertices, 1);
    graph->vertices += graph->manifest.d;
}

enum status graph_open(struct graph *graph, const struct comm *comm,
                       const struct graph_options *options, struct error *e)
{
    memset(graph, 0, sizeof *graph);
    double start = cli_seconds();
    if (manifest_read(&graph->manifest, options->folder, e) == ST_OK &&
        choose_device_count(graph, comm, options->device_count, e) == ST_OK)
        open_shards(graph, comm, options->folder, e);
    if (comm_agree(comm, e) != ST_OK)
        return e->status;
    double opened = cli_seconds();
    if (options->check)
        check_shards(graph, options->threads, e);
    if (comm_agree(comm, e) != ST_OK)
        return e->status;
    double checked = cli_seconds();
    decode_shards(graph, options, e);
    if (comm_agree(comm, e) != ST_OK)
        return e->status;
    graph->open_s = opened - start;
    graph->check_s = checked - opened;
    graph->decode_s = cli_seconds() - checked;
    if (graph->manifest.randomized)
        bijection_init(&graph->bijection, graph->manifest.random_n, graph->manifest.random_seed);
    count_vertices(graph, comm);
    return ST_OK;
}

void graph_close(struct graph *graph)
{
    for (uint32_t g = 0; graph->shards != NULL && g < graph->device_count; g++)
        shard_close(&graph->shards[g]);
    free(graph->shards);
    manifest_free(&graph->manifest);
    memset(graph, 0, sizeof *graph);
}
