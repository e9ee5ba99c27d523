/* graph.c: opens, decodes and checks the shards of a rank; see graph.h */
#include "graph.h"
#include "numa_nodes.h"

#include "formats/base/arith.h"
#include "formats/base/cli.h"
#include "formats/base/progress.h"
#include "formats/graph/shard_join.h"
#include "formats/graph/shard_ranges.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Reads the manifest, and maps this rank's shards into memory: all of them if they will be joined. Sets graph->device_count and
 * graph->shards. Fails with ST_USAGE if the shards cannot be divided evenly among the ranks, or not into options->device_count a
 * rank, if that is given. Fails likewise if in-rows are needed and the graph was packed without them. They are needed to search
 * against the edges, to pull, and to find parents on several shards. */
static enum status open_shards(struct graph *graph, const struct comm *comm, const struct graph_options *options,
                               struct error *e)
{
    const char *folder = options->folder;
    struct manifest *m = &graph->manifest;
    if (manifest_read(m, folder, e) != ST_OK)
        return e->status;
    const uint32_t count = options->join ? m->p : shards_of_rank(m->p, comm->ranks, options->device_count);
    if (count == 0 && options->device_count != 0)
        return fail(e, ST_USAGE, "%u ranks x %u shards per rank are not the %u shards of the graph",
                    comm->ranks, options->device_count, m->p);
    if (count == 0)
        return fail(e, ST_USAGE, "%u shards cannot be divided evenly among %u ranks", m->p, comm->ranks);
    const char *what = options->reverse ? "--reverse goes" : options->pulls ? "--direction pull goes"
                       : options->parents && m->p > 1 && !options->join ? "parents of several shards are found" : NULL;
    if (m->out_only && what != NULL)
        return fail(e, ST_USAGE, "%s: %s by in-rows, and it was packed with --rows out", folder, what);
    graph->device_count = count;
    graph->shards = zeroed(count, sizeof *graph->shards, folder, e);
    for (uint32_t g = 0; g < count && e->status == ST_OK; g++) {
        uint32_t index = shard_of_device(comm->rank, g, comm->ranks);
        manifest_open_shard(m, folder, index, &graph->shards[g], e);
    }
    return e->status;
}

/* Replaces the shards of the graph by one that has all their vertices and edges. From here on the graph counts as one of a single shard. */
static enum status join_shards(struct graph *graph, const struct graph_options *options, struct error *e)
{
    const uint32_t p = graph->manifest.p;
    const struct join_options join = {options->folder, options->trust, options->threads, options->budget};
    struct shard joined;
    progress_stage("joining shards", 0, PROGRESS_ITEMS);
    if (shard_join(&joined, graph->shards, p, &join, e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < p; s++)
        shard_close(&graph->shards[s]);
    graph->shards[0] = joined;
    graph->joined_shards = p;
    graph->device_count = graph->manifest.p = 1;
    return ST_OK;
}

/* Compares the CRC of every section of this rank's shards with the stored CRC. Fails with ST_BAD_DATA if one differs. */
static enum status check_shards(const struct graph *graph, int threads, struct error *e)
{
    uint64_t bytes = 0;
    for (uint32_t g = 0; g < graph->device_count; g++)
        bytes += container_bytes(graph->shards[g].file);
    progress_stage("checking shards", bytes, PROGRESS_BYTES);
    for (uint32_t g = 0; g < graph->device_count; g++) {
        if (container_check_all(graph->shards[g].file, threads, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* Returns whether the columns of all subgraphs are decoded into memory of the host. */
static int has_columns(const struct graph_options *options)
{
    return (options->columns & SHARD_ALL_COLUMNS) == SHARD_ALL_COLUMNS;
}

/* Decodes the sections of this rank's shards, within the memory budget. Columns stay packed with RESIDENT_PACKED, and with
 * RESIDENT_AUTO if decoded columns and the arrays of devices would need more memory than is left. Sets
 * graph->search_bytes. */
static enum status decode_shards(struct graph *graph, const struct graph_options *options, struct error *e)
{
    uint64_t raw_bytes = 0, packed_bytes = 0;
    for (uint32_t g = 0; has_columns(options) && options->bytes_needed != NULL && g < graph->device_count; g++) {
        const struct shard *shard = &graph->shards[g];
        uint64_t arrays = options->bytes_needed(shard, options->threads, options->parents);
        raw_bytes += residence_taken_bytes(shard, RESIDENT_RAW) + arrays;
        packed_bytes += residence_taken_bytes(shard, RESIDENT_PACKED) + arrays;
    }
    int packed = options->resident == RESIDENT_PACKED ||
                 (options->resident == RESIDENT_AUTO && raw_bytes > memory_left(options->budget));
    graph->search_bytes = packed ? packed_bytes : raw_bytes;
    const unsigned columns = options->columns | (packed ? SHARD_KEEP_PACKED : 0);
    progress_stage("loading shards", (uint64_t)graph->device_count * SUBGRAPHS, PROGRESS_ITEMS);
    for (uint32_t g = 0; g < graph->device_count; g++) {
        if (shard_load(&graph->shards[g], columns, options->threads, options->budget, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* Collective. Sets graph->locals to the number of local vertices of each shard, and graph->vertices to the number of all
 * local vertices and delegates. */
static enum status count_vertices(struct graph *graph, const struct comm *comm, struct error *e)
{
    uint32_t p = graph->manifest.p;
    graph->locals = zeroed(p, sizeof *graph->locals, "shards", e);
    if (comm_agree(comm, e) != ST_OK)
        return e->status;
    for (uint32_t g = 0; g < graph->device_count; g++)
        graph->locals[graph->shards[g].index] = (uint32_t)graph->shards[g].locals;
    comm_sum_u32(comm, graph->locals, p);
    graph->vertices = graph->manifest.d;
    for (uint32_t s = 0; s < p; s++)
        graph->vertices += graph->locals[s];
    return ST_OK;
}

/* Checks that all ids in this rank's shards are in range. Checks the ids of columns only if the columns are decoded on the
 * host, because a device that decodes columns checks their ids itself. With options->trust checks only the widths of ids. */
static enum status check_ranges(const struct graph *graph, const struct graph_options *options, struct error *e)
{
    uint64_t most = 0;
    for (uint32_t s = 0; s < graph->manifest.p; s++)
        most = larger(most, graph->locals[s]);
    for (uint32_t g = 0; g < graph->device_count; g++) {
        if (shard_check_widths(&graph->shards[g], most, e) != ST_OK)
            return e->status;
    }
    if (options->trust)
        return ST_OK;
    progress_stage("checking ranges", graph->device_count, PROGRESS_ITEMS);
    for (uint32_t g = 0; g < graph->device_count && e->status == ST_OK; g++) {
        progress_add(g > 0);
        if (has_columns(options))
            shard_check_ranges(&graph->shards[g], graph->locals, options->threads, e);
        else
            shard_check_ids(&graph->shards[g], options->threads, e);
    }
    return e->status;
}

/* Collective. Opens, checks and decodes the graph for graph_open, and times each step. The ranks agree at the end of each
 * step, so that all of them fail if one fails. */
static enum status open_graph(struct graph *graph, const struct comm *comm, const struct graph_options *options,
                              struct error *e)
{
    *graph = (struct graph){.folder = options->folder};
    double start = cli_seconds();
    open_shards(graph, comm, options, e);
    if (comm_agree(comm, e) != ST_OK)
        return e->status;
    double opened = cli_seconds();
    if (options->check)
        check_shards(graph, options->threads, e);
    if (comm_agree(comm, e) != ST_OK)
        return e->status;
    double checked = cli_seconds();
    if (options->join && graph->manifest.p > 1 && join_shards(graph, options, e) != ST_OK)
        return e->status; /* no rank waits for this one, which is alone */
    for (uint32_t g = 0; options->reverse && graph->manifest.direction == EDGES_DIRECTED && g < graph->device_count; g++)
        shard_reverse(&graph->shards[g]); /* the search goes against the edges */
    double joined = cli_seconds();
    decode_shards(graph, options, e);
    if (comm_agree(comm, e) != ST_OK || count_vertices(graph, comm, e) != ST_OK)
        return e->status;
    double decoded = cli_seconds();
    check_ranges(graph, options, e);
    if (comm_agree(comm, e) != ST_OK)
        return e->status;
    graph->open_s = opened - start;
    graph->check_s = checked - opened;
    graph->join_s = joined - checked;
    graph->decode_s = decoded - joined;
    graph->ranges_s = cli_seconds() - decoded;
    graph->base = options->base == BASE_OF_STREAMS ? graph->manifest.base : options->base == BASE_1;
    if (graph->manifest.randomized)
        bijection_init(&graph->bijection, graph->manifest.random_n, graph->manifest.random_seed);
    return ST_OK;
}

/* Collective. Opens, decodes and checks this rank's shards. Spreads columns that are decoded on the host over the NUMA
 * nodes, because all cores read them in a search on the CPU. */
enum status graph_open(struct graph *graph, const struct comm *comm, const struct graph_options *options, struct error *e)
{
    int spreads = has_columns(options) && numa_spread() > 1;
    open_graph(graph, comm, options, e);
    if (spreads)
        numa_rest();
    return e->status;
}

/* Sets *id to the input id of the vertex that people call `shown` (graph.h). */
enum status id_from_user(const struct graph *graph, const char *what, uint64_t shown, uint64_t *id, struct error *e)
{
    const uint64_t n = graph->manifest.totals.n, base = graph->base;
    if (shown < base || shown - base >= n)
        return fail(e, ST_USAGE, "%s: %s %" PRIu64 ": the graph has vertices %" PRIu64 " to %" PRIu64, graph->folder, what, shown, base,
                    base + n - 1);
    *id = shown - base;
    return ST_OK;
}

void graph_close(struct graph *graph)
{
    for (uint32_t g = 0; graph->shards != NULL && g < graph->device_count; g++)
        shard_close(&graph->shards[g]);
    free(graph->shards);
    free(graph->locals);
    manifest_free(&graph->manifest);
    memset(graph, 0, sizeof *graph);
}
