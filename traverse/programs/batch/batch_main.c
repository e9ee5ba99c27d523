/* batch_main.c: the program dbfs-batch, which searches from many roots at once, batch after batch, and reports results */
#include "batch_search.h"
#include "centrality.h"
#include "root_tables.h"
#include "sampled.h"

#include "traverse/engine/answer_ids.h"
#include "traverse/engine/backend_table.h"
#include "traverse/options/options.h"
#include "traverse/results/outputs.h"
#include "traverse/results/results.h"
#include "traverse/session/report_text.h"
#include "traverse/session/searcher.h"

#include "formats/base/arith.h"
#include "formats/base/hash.h"
#include "formats/base/outfile.h"
#include "formats/base/progress.h"
#include "formats/mpi/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* bytes of memory for each root with -n all: the id as given, the id in struct roots, and the struct root */
enum { ROOT_BYTES = 16 + sizeof(struct root) };

/* about the bytes that a rank has for each vertex, without words: its id, where its row begins, its places in lists and a byte */
enum { VERTEX_BYTES = 8 + 8 + 8 + 2 };

/* All state of the program. */
struct batching {
    struct args args;
    struct searcher searcher; /* the graph and the ranks */
    const struct comm *sharing; /* the ranks that divide the graph, and do each batch together; &comm_alone: each rank does its own batches */
    struct joined_graph all;
    struct joined_graph noted; /* the vertices of `all` that this rank notes */
    const struct batch_backend *backend;
    struct batch search;
    struct batch_depths depths;
    struct centrality centrality;
    struct sampled sampled;    /* of --sample */
    struct root_tables tables; /* of --reached, --hops and --targets */
    /* the matrix of the distances from all roots, with a row for each root; NULL: not wanted */
    struct outfile *matrix;
    uint64_t matrix_at;           /* byte offset of the first row of the matrix */
    /* [n] the distances or parents of one root, by input id, each of up to 8 bytes; NULL: not wanted */
    void *values;
    uint64_t deeper; /* number of distances that --depths-width does not hold; sum over all ranks at the end */
    void *parents; /* [n] the parents, by input id: own memory if distances and parents go into one table, otherwise `values` */
    struct result_table depth_table, parent_table; /* tables of several roots, if those are wanted */
    struct batch_result *results; /* [ranks][batch] results of the batches that the ranks are searching */
    uint64_t checksum;            /* sum over all roots of a hash of root and checksum; only rank 0 has it */
    double seconds;               /* seconds that this rank has spent in all its searches */
    FILE *talk;                   /* where reports are printed: stdout, or stderr if a result is written to stdout */
};

/* ---- the command line ---- */

#define AT(member) offsetof(struct args, member)

static const struct option_row own_options[] = {
    {.name = "count", .letter = 'n', .value = "COUNT", .group = GROUP_ROOTS, .of = OF_BATCH | EVERYDAY, .kind = TAKE_OTHER,
     .take = options_take_count, .help = "search from COUNT sampled vertices with an edge to follow (default 64); all: from each"},
    {.name = "target", .letter = 't', .value = "TARGET[,TARGET...]", .group = GROUP_ROOTS, .of = OF_BATCH | EVERYDAY,
     .kind = TAKE_OTHER, .take = options_take_target, .help = "distances to these vertices alone: --depths is one table of them"},
    {.name = "targets", .value = "FILE", .group = GROUP_ROOTS, .of = OF_BATCH | EVERYDAY, .kind = TAKE_OTHER,
     .take = options_take_targets_from, .help = "and to those of this file, one a line"},
    {.name = "centrality", .value = "FILE", .group = GROUP_RESULTS, .of = OF_BATCH | EVERYDAY, .kind = TAKE_TEXT,
     .at = AT(centrality), .help = "closeness, harmonic closeness, eccentricity of each root, as a table"},
    {.name = "sample", .value = "K", .group = GROUP_RESULTS, .of = OF_BATCH | EVERYDAY, .kind = TAKE_COUNT, .at = AT(sample),
     .least = 1, .most = UINT32_MAX, .help = "of all vertices, estimated by searches from K of them, with errors"},
    {.name = "reached", .value = "FILE", .group = GROUP_RESULTS, .of = OF_BATCH | EVERYDAY, .kind = TAKE_TEXT, .at = AT(balls),
     .help = "a row for each vertex that a root reaches: root, id, distance"},
    {.name = "hops", .value = "FILE", .group = GROUP_RESULTS, .of = OF_BATCH | EVERYDAY, .kind = TAKE_TEXT, .at = AT(hops),
     .help = "a row for each distance from a root: root, distance, vertices there"},
    {.name = "resume", .group = GROUP_RESULTS, .of = OF_BATCH | EVERYDAY, .kind = TAKE_FLAG, .at = AT(resume),
     .help = "go on with a table that was begun"},
    {.name = "no-checksum", .group = GROUP_RESULTS, .of = OF_BATCH, .kind = TAKE_FLAG, .at = AT(no_checksum),
     .help = "do not compute checksums of distances"},
    {.name = "distribute", .group = GROUP_MACHINE, .of = OF_BATCH, .kind = TAKE_FLAG, .at = AT(distribute),
     .help = "divide the graph among the ranks, which search together, on CPUs"},
    {.name = "batch", .value = "N", .group = GROUP_SEARCH, .of = OF_BATCH | EVERYDAY, .kind = TAKE_COUNT, .at = AT(batch),
     .least = 1, .most = BATCH_MOST, .help = "search from N roots at once, 256 at most (default 64)"},
};

static const struct option_program program = {
    .name = "dbfs-batch",
    .bit = OF_BATCH,
    .usage = "Usage: dbfs-batch [OPTION]... DIR\n"
             "       mpiexec -n R dbfs-batch [OPTION]... DIR\n"
             "Breadth-first searches from many roots at once over the shards that dbfs-pack wrote to DIR.\n"
             "\n",
    .exit_codes = "Exit codes: 0 ok, 1 run-time failure, 2 usage, 3 bad data, 5 not enough memory or no GPU.\n",
    .own = own_options,
    .own_count = sizeof own_options / sizeof *own_options};

/* Returns whether searches end when they have found all targets, because nothing else that is wanted needs whole searches. */
static int searches_end_at_targets(const struct args *args)
{
    return args->to_targets != NULL && args->balls == NULL && args->hops == NULL && args->parents == NULL &&
           args->centrality == NULL;
}

/* Returns whether --depths names one .npy matrix for several roots. Otherwise each root has a file of its own. */
static int wants_matrix(const struct args *args)
{
    return args->depths != NULL && strstr(args->depths, "%d") == NULL && result_format_of(RESULT_BY_SUFFIX, args->depths) == RESULT_NPY &&
           (args->count > 1 || args->all_roots);
}

/* With targets, makes --depths the table of the distances to them. If nothing else wants whole searches, they end when all targets are
 * found, and then have no checksums. */
static void take_targets(struct args *args)
{
    if (args->depths == NULL)
        cli_usage(&args->cli, "-t and --targets need --depths FILE, which gets the distances to them");
    if (strstr(args->depths, "%d") != NULL)
        cli_usage(&args->cli, "%s: the distances to targets are one table of all roots, without %%d", args->depths);
    args->to_targets = args->depths;
    args->depths = NULL;
    args->no_checksum |= searches_end_at_targets(args);
}

/* Ends the program if --sample is given with other roots or results than it has itself. The searches are from the sample, and serve
 * the table alone, so they have no checksums. */
static void check_sample(struct args *args)
{
    const struct { int given; const char *name; } others[] = {
        {args->roots_given, "-r"},          {args->count_given, "-n"},          {args->depths != NULL, "--depths"},
        {args->parents != NULL, "--parents"}, {args->balls != NULL, "--reached"}, {args->hops != NULL, "--hops"},
        {args->target_count > 0, "--targets"}, {args->resume, "--resume"},
        {args->max_depth != NO_MAX_DEPTH, "--max-depth"}};
    if (args->centrality == NULL)
        cli_usage(&args->cli, "--sample is for the table of --centrality");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i].given)
            cli_usage(&args->cli, "--sample and %s exclude each other", others[i].name);
    }
    args->no_checksum = 1;
}

/* Reads the command line and the file of roots into *args. Ends the program with a message if one of them is wrong, or if
 * the options for output files do not fit together. */
static void parse(struct args *args, int argc, char **argv)
{
    args_begin(args, program.name);
    args->batch = 64;
    options_read(args, &program, argc, argv);
    if (args->roots_given)
        options_read_roots(args);
    options_read_targets(args);
    args_finish(args);
    if (args->sample > 0)
        check_sample(args);
    if (args->target_count > 0)
        take_targets(args);
    const char *const file[] = {args->depths, args->parents};
    const int several = args->count > 1 || args->all_roots, is_asked = args->roots_given || args->count_given || args->all_roots;
    for (int i = 0; i < 2; i++) {
        const int takes_all = (i == 0 && wants_matrix(args)) || (args_is_table(args, file[i]) && is_asked);
        if (several && file[i] != NULL && strstr(file[i], "%d") == NULL && !takes_all)
            cli_usage(&args->cli, "%s: several roots need %%d in the file name, or a table (.csv, .tsv)%s", file[i],
                      i == 0 ? " or a matrix (.npy)" : "");
    }
    if (args->resume && (args->centrality == NULL || outfile_is_stdout(args->centrality)))
        cli_usage(&args->cli, "--resume is for the FILE of --centrality");
    if (args->resume && (args->depths != NULL || args->parents != NULL || args->balls != NULL || args->hops != NULL ||
                         args->to_targets != NULL))
        cli_usage(&args->cli, "--resume goes on with --centrality alone: all other results are written in one run");
    if (args->distribute && args->parents != NULL)
        cli_usage(&args->cli, "--distribute: the ranks find no parents together; --depths has distances, and dbfs-traverse finds parents");
    if (args->distribute && args->backend == BACKEND_CUDA)
        cli_usage(&args->cli, "--distribute is for CPUs: with --backend cuda each GPU needs the whole graph");
}

/* ---- files of distances and parents ---- */

/* Returns the table to which each root appends its lines: `table` if the result with this name takes several roots, otherwise
 * NULL. */
static struct result_table *table_of_roots(const struct batching *b, const char *name, struct result_table *table)
{
    const int several = b->searcher.roots.count > 1;
    return several && args_is_table(&b->args, name) && strstr(name, "%d") == NULL ? table : NULL;
}

/* Fails if several ranks would append to one table. Each rank finishes its roots at another time, unless all search together. */
static enum status refuse_shared_tables(struct batching *b, struct error *e)
{
    const char *const file[] = {b->args.depths, b->args.parents};
    for (int i = 0; i < 2 && b->searcher.comm.ranks > 1 && b->sharing->ranks == 1; i++) {
        if (table_of_roots(b, file[i], &b->depth_table) != NULL)
            return fail(e, ST_USAGE, "%s: of several ranks each writes files of its own: several roots need %%d in the file "
                        "name", file[i]);
    }
    return ST_OK;
}

/* Collective. Opens what files of distances and parents need: allocates b->values and b->parents and, if --depths names a matrix, opens it
 * on all ranks, because each rank will write the rows of its own roots. If ranks divide the graph, rank 0 alone has values and
 * writes. Rank 0 writes the header, and leaves space for all rows. Fails on all ranks if one rank fails. */
static enum status open_files(struct batching *b, struct error *e)
{
    const char *depths = b->args.depths;
    const struct comm *comm = &b->searcher.comm;
    const uint64_t n = b->searcher.graph.manifest.totals.n, roots = b->searcher.roots.count;
    const int one_table = args_in_one_table(&b->args);
    refuse_shared_tables(b, e);
    if (e->status == ST_OK && (depths != NULL || b->args.parents != NULL) && b->sharing->rank == 0)
        memory_take(&b->searcher.budget, &b->values, n, one_table ? 4 : 8, "results by id", e);
    b->parents = b->values;
    if (e->status == ST_OK && one_table)
        memory_take(&b->searcher.budget, &b->parents, n, answer_id_bytes(n), "parents by id", e);
    if (comm_agree(comm, e) != ST_OK || !wants_matrix(&b->args))
        return e->status;
    if (comm->rank == 0 && outfile_open(&b->matrix, depths, e) == ST_OK) {
        char header[NPY_HEADER_BYTES];
        npy_header(header, b->args.depths_width, roots, n);
        if (!outfile_seekable(b->matrix))
            fail(e, ST_USAGE, "%s: a matrix needs a regular file", depths);
        else if (outfile_write(b->matrix, header, sizeof header, e) == ST_OK)
            outfile_skip(b->matrix, roots * n * b->args.depths_width, &b->matrix_at, e);
    }
    if (comm_agree(comm, e) != ST_OK || comm->ranks == 1 || b->sharing->ranks > 1)
        return e->status;
    comm_broadcast(comm, &b->matrix_at, sizeof b->matrix_at, 0);
    if (!outputs_join(&b->matrix, comm, 1, depths))
        return fail(e, ST_RUNTIME, "%s: cannot be written by several ranks", depths);
    return ST_OK;
}

/* Counts the distances by_id[n] that are larger than what --depths-width holds, for the warning at the end. */
static void count_deeper(struct batching *b, const int32_t *by_id, uint64_t n)
{
    const int64_t deepest = deepest_of_width(b->args.depths_width);
    uint64_t deeper = 0;
    if (b->args.depths_width == 4 || args_is_table(&b->args, b->args.depths))
        return;
    for (uint64_t i = 0; i < n; i++)
        deeper += by_id[i] > deepest;
    b->deeper += deeper;
}

/* A vertex and its distance, as a rank sends them. */
struct sent_depth {
    uint64_t id;
    int64_t depth;
};

/* Collective over the ranks that divide the graph. Adds to by_id[n] of rank 0 the distances that the other ranks have noted. Each of
 * them in turn sends those of the vertices that were reached; a message that is not full is its last one. If a rank fails, all do. */
static enum status gather_depths(const struct batching *b, const int32_t *depth, int32_t *by_id, struct error *e)
{
    enum { SENT = 1 << 16 };
    const struct comm *comm = b->sharing;
    struct sent_depth *sent = zeroed(SENT, sizeof *sent, "distances of other ranks", e);
    uint64_t count = SENT, v = 0;
    if (comm_agree(comm, e) == ST_OK && comm->rank > 0) {
        while (count == SENT) {
            for (count = 0; count < SENT && v < b->noted.vertices; v++) {
                if (depth[v] >= 0)
                    sent[count++] = (struct sent_depth){b->noted.ids[v], depth[v]};
            }
            comm_swap(comm, 0, sent, count * sizeof *sent, COMM_NONE, NULL, 0);
        }
    }
    for (uint32_t rank = 1; e->status == ST_OK && comm->rank == 0 && rank < comm->ranks; rank += count < SENT) {
        count = comm_swap(comm, COMM_NONE, NULL, 0, rank, sent, SENT * sizeof *sent) / sizeof *sent;
        for (uint64_t i = 0; i < count; i++)
            by_id[sent[i].id] = (int32_t)sent[i].depth;
    }
    free(sent);
    return e->status;
}

/* Writes the distances from root number `row` of all roots, by input id: as row `row` of the matrix, or to a file or a table. If
 * the table has parents, too, only fills b->values. `depth` [vertices] has the distances by vertex that this rank notes. Vertices
 * without edges are written as unreached, except the root. Overwrites b->values. Collective over the ranks that divide the graph, of
 * which rank 0 writes; if that fails, only rank 0 knows. */
static enum status write_depths(struct batching *b, const int32_t *depth, uint64_t row, struct error *e)
{
    const struct rank writer = {.comm = &comm_alone, .graph = &b->searcher.graph, .budget = &b->searcher.budget};
    const struct root *root = &b->searcher.roots.root[row];
    const struct result_file file = {
        .name = b->args.depths, .kind = ANSWER_DEPTHS, .map = b->searcher.map, .values = b->values,
        .depth_bytes = b->args.depths_width, .table = table_of_roots(b, b->args.depths, &b->depth_table)};
    const uint32_t width = b->args.depths_width;
    const uint64_t n = b->searcher.graph.manifest.totals.n;
    int32_t *by_id = b->values;
    if (b->sharing->rank == 0) {
        memset(by_id, 0xff, n * sizeof *by_id); /* all values become DEPTH_UNREACHED */
        by_id[original_id(&b->searcher.graph, root->id)] = 0;
#pragma omp parallel for schedule(static)
        for (uint64_t v = 0; v < b->noted.vertices; v++)
            by_id[b->noted.ids[v]] = depth[v];
    }
    if (b->sharing->ranks > 1 && (gather_depths(b, depth, by_id, e) != ST_OK || b->sharing->rank > 0))
        return e->status;
    count_deeper(b, by_id, n);
    if (b->matrix == NULL)
        return args_in_one_table(&b->args) ? ST_OK : results_write_values(&writer, root, &file, e);
    if (width < 4)
        narrow_depths(by_id, by_id, n, width);
    return outfile_fill(b->matrix, b->matrix_at + row * n * width, by_id, n * width, e);
}

/* Returns the parent of the reached vertex v. The parent is the first neighbour that is one level nearer to the root. If
 * v is the root, returns v. Returns JOINED_NOWHERE if no neighbour is one level nearer: the edge over which the search has
 * found v is missing in the rows of v. `depth` is [vertices], the distances by vertex of the joined graph. */
static uint64_t parent_of(const struct joined_graph *graph, const int32_t *depth, uint64_t v)
{
    const struct joined_rows *rows = graph->pull;
    uint64_t at = rows->offsets[v], end = rows->offsets[v + 1];
    if (depth[v] == 0)
        return v;
    while (at < end && depth[rows->columns[at]] != depth[v] - 1)
        at++;
    return at < end ? rows->columns[at] : JOINED_NOWHERE;
}

/* Fails with ST_BAD_DATA, as the rows of vertex v do not have the edge over which the search has found v. The message names
 * the file that has these rows. */
static enum status fail_orphan(const struct batching *b, uint64_t v, struct error *e)
{
    const struct graph *graph = &b->searcher.graph;
    const uint64_t id = b->all.ids[v];
    const uint32_t shard = shard_of_vertex(stored_id(graph, id), graph->manifest.p);
    return fail(e, ST_BAD_DATA, "%s: vertex %" PRIu64 " was found over an edge that it does not have: the parts contradict "
                "each other, see `dbfs-pack --verify`", container_path(graph->shards[shard].file), shown_id(graph, id));
}

/* Finds the parents of the search from root number `row` of all roots, from the distances of the search. Writes the
 * parents to a file or a table, by input id; if the table has distances, too, writes those of b->values. `depth` is [vertices],
 * the distances by vertex of the joined graph. Overwrites b->parents. Fails with ST_BAD_DATA if a reached vertex has no parent. */
static enum status write_parents(struct batching *b, const int32_t *depth, uint64_t row, struct error *e)
{
    const struct root *root = &b->searcher.roots.root[row];
    const int one_table = args_in_one_table(&b->args);
    const struct result_file file = {.name = b->args.parents,
                                     .kind = one_table ? ANSWER_DEPTHS : ANSWER_PARENTS,
                                     .with_parents = one_table,
                                     .map = b->searcher.map,
                                     .values = b->values,
                                     .parents = one_table ? b->parents : NULL,
                                     .table = table_of_roots(b, b->args.parents, &b->parent_table)};
    const uint64_t n = b->searcher.graph.manifest.totals.n, own = original_id(&b->searcher.graph, root->id);
    const uint32_t width = answer_id_bytes(n);
    memset(b->parents, 0xff, n * width); /* all values become -1, which stands for no parent */
    answer_set_id(b->parents, width, own, (int64_t)own);
    uint64_t orphan = JOINED_NOWHERE; /* the first reached vertex without a parent */
#pragma omp parallel for schedule(dynamic, 4096) reduction(min : orphan)
    for (uint64_t v = 0; v < b->all.vertices; v++) {
        const uint64_t parent = depth[v] >= 0 ? parent_of(&b->all, depth, v) : v;
        if (parent == JOINED_NOWHERE)
            orphan = smaller(orphan, v);
        else if (depth[v] >= 0)
            answer_set_id(b->parents, width, b->all.ids[v], (int64_t)b->all.ids[parent]);
    }
    if (orphan != JOINED_NOWHERE)
        return fail_orphan(b, orphan, e);
    return results_write_values(&b->searcher.rank, root, &file, e);
}

/* ---- set-up ---- */

/* Makes all vertices with edges the roots, by ascending id, for -n all, or with --sample some of them. Charges them to the budget.
 * Sets args->map to NULL, because these roots are ids and not names. Collective over the ranks that divide the graph: each puts the ids
 * of the vertices that it notes into zeros, and all add up. */
static enum status give_all_roots(struct batching *b, struct error *e)
{
    struct args *args = &b->args;
    struct memory_budget *budget = &b->searcher.budget;
    const uint64_t before = comm_sum_before(b->sharing, b->noted.vertices);
    uint64_t *ids;
    args->count = b->all.all_vertices;
    args->roots_given = 1;
    args->map = NULL; /* the roots are ids */
    memory_take(budget, (void **)&ids, args->count, sizeof *ids, "all roots", e);
    if (comm_agree(b->sharing, e) == ST_OK) {
        memcpy(ids + before, b->noted.ids, b->noted.vertices * sizeof *ids);
        comm_sum_u64(b->sharing, ids, args->count);
        qsort(ids, args->count, sizeof *ids, compare_u64);
    }
    if (e->status == ST_OK && args->sample > 0)
        sampled_choose(ids, &args->count, args->sample, args->seed, e);
    if (e->status == ST_OK && memory_charge(budget, args->count * ROOT_BYTES, "all roots", e) == ST_OK)
        args->roots = zeroed(args->count, sizeof *args->roots, "all roots", e);
    for (uint64_t i = 0; i < args->count && e->status == ST_OK; i++)
        args->roots[i] = shown_id(&b->searcher.graph, ids[i]); /* as users give roots */
    memory_release(budget, ids);
    return e->status;
}

/* Returns about how many bytes a rank takes that has the whole graph and the words of a batch. Reads the heads of all parts. */
static uint64_t whole_bytes(const struct args *args, uint64_t words, struct error *e)
{
    struct manifest m = {0};
    uint64_t vertices = 0, bytes = 0;
    if (manifest_read(&m, args->folder, e) == ST_OK)
        vertices = m.d;
    for (uint32_t s = 0; s < m.p && e->status == ST_OK; s++) {
        struct shard shard = {0};
        if (manifest_open_shard(&m, args->folder, s, &shard, e) == ST_OK) {
            vertices += shard.locals;
            bytes += residence_taken_bytes(&shard, RESIDENT_PACKED) + 4 * shard_edges(&shard);
        }
        shard_close(&shard);
    }
    bytes += vertices * (VERTEX_BYTES + 24 * words + (m.direction == EDGES_DIRECTED ? 8 : 0));
    manifest_free(&m);
    return bytes;
}

/* Collective. Chooses whether the ranks divide the graph: with --distribute, or if the memory of some rank does not hold it. Then only
 * CPUs search. */
static enum status choose_sharing(struct batching *b, uint64_t words, struct error *e)
{
    struct args *args = &b->args;
    const struct comm *comm = &b->searcher.comm;
    struct memory_budget budget;
    uint64_t bytes = 0;
    memory_budget_init(&budget, comm_memory(comm, args->cli.memory_bytes));
    if (comm->ranks > 1 && !args->distribute && args->parents == NULL && args->backend != BACKEND_CUDA && comm->rank == 0)
        bytes = whole_bytes(args, words, e);
    if (comm_agree(comm, e) != ST_OK)
        return e->status;
    comm_broadcast(comm, &bytes, sizeof bytes, 0);
    const uint64_t least = comm_min_of(comm, budget.limit_bytes);
    if (comm->ranks == 1 && args->distribute)
        cli_note(&args->cli, "--distribute: has no effect with one rank");
    if (bytes > least && comm->rank == 0)
        cli_note(&args->cli, "a rank has %" PRIu64 " MiB, and the whole graph takes about %" PRIu64 ": the ranks divide it among "
                 "them, and search together (--distribute)", least >> 20, bytes >> 20);
    b->sharing = comm->ranks > 1 && (args->distribute || bytes > least) ? comm : &comm_alone;
    if (b->sharing->ranks == 1)
        return ST_OK;
    if (args->backend == BACKEND_AUTO && comm->rank == 0 && backend_gpu_address(BACKEND_AUTO, 0) != 0)
        cli_note(&args->cli, "the GPUs are not used: ranks that divide a graph search on CPUs");
    args->backend = BACKEND_CPU;
    return ST_OK;
}

/* Collective. Opens the graph, the joined graph, the roots, the search, the distances and all outputs. Columns stay packed
 * in memory, because the joined graph reads them only once. Fails on all ranks if one rank fails. tear_down frees
 * everything, even after a failure. */
static enum status set_up(struct batching *b, struct error *e)
{
    const struct args *args = &b->args;
    struct searcher *s = &b->searcher;
    const struct backend *backend;
    const int words = args->batch <= 64 ? 1 : args->batch <= 128 ? 2 : 4;
    if (choose_sharing(b, (uint64_t)words, e) == ST_OK && backend_choose(&backend, args->backend, e) == ST_OK)
        b->backend = backend_table(backend, &batch_cpu, &batch_cuda, e);
    if (comm_agree(&s->comm, e) != ST_OK)
        return e->status;
    if (searcher_open_shards(s, b->sharing, RESIDENT_PACKED, NULL, e) == ST_OK)
        joined_graph_open(&b->all, &s->graph, b->sharing, 1, &s->budget, e);
    if (e->status == ST_OK)
        b->noted = joined_graph_noted(&b->all);
    if (comm_agree(&s->comm, e) == ST_OK && (args->all_roots || args->sample > 0))
        give_all_roots(b, e);
    if (e->status == ST_OK && args->sample > 0)
        sampled_turn(&b->all);
    comm_agree(b->sharing, e);
    if (searcher_choose_roots(s, e) != ST_OK)
        return e->status;
    const struct batch_setup setup = {.words = words, .threads = s->threads, .comm = &s->comm};
    b->results = zeroed(s->comm.ranks * args->batch, sizeof *b->results, "results", e);
    if (comm_agree(b->sharing, e) == ST_OK && batch_open(&b->search, b->backend, &b->all, &setup, e) == ST_OK)
        batch_depths_open(&b->depths, &b->noted, args->batch, s->threads, args->depths != NULL || args->parents != NULL,
                          !args->no_checksum, e);
    if (e->status == ST_OK && args->sample > 0)
        sampled_open(&b->sampled, &b->noted, &s->roots, args->batch, s->threads, e);
    if (e->status == ST_OK && args->centrality != NULL && args->sample == 0 && s->comm.rank == 0) {
        b->centrality.map = s->map;
        centrality_open(&b->centrality, args, &s->graph, &s->roots, e);
        if (e->status == ST_OK && b->centrality.bad_line > 0)
            cli_warn(&args->cli, "%s: line %" PRIu64 " is not that of its root: the lines from there on are made again",
                     b->centrality.part, b->centrality.bad_line);
    }
    if (comm_agree(&s->comm, e) != ST_OK ||
        root_tables_open(&b->tables, args, s, &b->noted, searches_end_at_targets(args), e) != ST_OK)
        return e->status;
    return open_files(b, e);
}

/* ---- batches ---- */

/* Prints the work of a level. Called by batch_run after each level if -v is given, with the struct batching. */
static void print_level(void *context, const struct batch_note *n)
{
    const struct batching *b = context;
    cli_detail(&b->args.cli, "level %" PRIu64 " by %s: frontier of %" PRIu64 " vertices and %" PRIu64 " edges, %" PRIu32
               " roots pulled, %" PRIu64 " edges read, %.1f us", n->depth, n->is_sparse ? "list" : "all vertices", n->vertices,
               n->edges, n->pulls, n->read, 1e6 * n->seconds);
}

/* Searches from `count` roots, beginning with number `first` of all roots, as one batch of this rank or, collectively, of the ranks that
 * divide the graph. Fills in results[count], and adds the seconds of the search to b->seconds. Prints counts with -v, and writes the
 * wanted files of each root. Stops at the first failure. */
static enum status run_batch(struct batching *b, uint64_t first, uint32_t count, struct batch_result *results,
                             struct error *e)
{
    const uint64_t *ids = b->searcher.roots.ids + first;
    const struct root *roots = b->searcher.roots.root + first;
    uint64_t vertex[BATCH_MOST], checksum[BATCH_MOST];
    for (uint32_t i = 0; i < count; i++)
        vertex[i] = joined_vertex(&b->all, &roots[i]);
    struct batch_run run = {.roots = vertex, .count = count, .depths = &b->depths, .results = results,
                            .most_levels = b->args.max_depth != NO_MAX_DEPTH ? b->args.max_depth + 1 : 0,
                            .note = b->args.cli.verbose ? print_level : NULL, .context = b};
    root_tables_receive(&b->tables, &run, ids);
    if (b->args.sample > 0) {
        run.sums = &b->sampled.sums;
        run.sums->first = first;
    }
    watch_phase("searching from root %" PRIu64 " and those after it", shown_id(&b->searcher.graph, ids[0]));
    batch_run(&b->search, &run, e);
    if (comm_agree(b->sharing, e) != ST_OK || root_tables_gather(&b->tables, e) != ST_OK)
        return e->status;
    b->seconds += run.seconds;
    if (b->sharing->ranks > 1)
        cli_detail(&b->args.cli, "%" PRIu64 " bytes sent between ranks", run.sent);
    cli_detail(&b->args.cli, "batch of %" PRIu32 " roots from %" PRIu64 ": %.6f s, %" PRIu64 " levels, %" PRIu64
               " edges read, %.1f GB/s", count, shown_id(&b->searcher.graph, ids[0]), run.seconds, run.levels, run.edges,
               run.seconds > 0 ? 1e-9 * (double)run.bytes / run.seconds : 0);
    for (uint32_t i = 0; i < count; i++)
        checksum[i] = batch_depths_checksum(&b->depths, i, ids[i], vertex[i] == JOINED_NOWHERE && b->sharing->rank == 0);
    comm_sum_u64(b->sharing, checksum, count);
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++) {
        results[i].checksum = checksum[i];
        if (run.targets != NULL && run.targets->ends)
            results[i].reached = root_tables_reached_targets(&b->tables, i, &results[i].farthest);
        if (b->args.depths != NULL) {
            write_depths(b, batch_depths_of(&b->depths, i), first + i, e);
            comm_agree(b->sharing, e);
        }
        if (e->status == ST_OK && b->args.parents != NULL)
            write_parents(b, batch_depths_of(&b->depths, i), first + i, e);
    }
    return e->status;
}

/* Reports b->results[0] to b->results[count - 1], the results of the roots from number `first` of all roots on. Adds the
 * checksums to b->checksum. Prints a line for each root unless --quiet is given, and appends the roots to the table of
 * --centrality if there is a table. Called on rank 0 only. */
static enum status report_results(struct batching *b, uint64_t first, uint64_t count, struct error *e)
{
    const uint64_t *ids = b->searcher.roots.ids + first;
    for (uint64_t i = 0; i < count; i++) {
        const struct batch_result *r = &b->results[i];
        b->checksum += hash_pair(ids[i], r->checksum);
        if (b->args.cli.quiet || b->args.sample > 0)
            continue;
        const uint64_t root = shown_id(&b->searcher.graph, ids[i]);
        if (b->tables.targets.ends)
            fprintf(b->talk, "root %" PRIu64 " targets %" PRIu64 " farthest %" PRIu64, root, r->reached, r->farthest);
        else
            fprintf(b->talk, "root %" PRIu64 " levels %" PRIu64 " reached %" PRIu64, root, r->farthest + 1, r->reached);
        if (!b->args.no_checksum)
            fprintf(b->talk, " checksum %016" PRIx64, r->checksum);
        if (b->searcher.map != NULL) {
            fputs(" name ", b->talk);
            name_map_show(b->talk, b->searcher.map, ids[i]);
        }
        fputc('\n', b->talk);
    }
    if (b->args.sample > 0)
        return sampled_add(&b->sampled, first, b->results, count, e);
    return b->centrality.out != NULL ? centrality_add(&b->centrality, ids, b->results, count, e) : e->status;
}

/* Collective. Searches from `count` roots, beginning with number `first` of all roots: each rank takes a batch of --batch
 * roots, unless all do one together. Then all ranks get all results in b->results, and rank 0 reports them. Fails on all ranks if one rank fails. */
static enum status run_round(struct batching *b, uint64_t first, uint64_t count, struct error *e)
{
    const struct comm *comm = &b->searcher.comm;
    const int together = b->sharing->ranks > 1;
    const uint64_t batch = b->args.batch, skipped = together ? 0 : comm->rank * batch;
    memset(b->results, 0, comm->ranks * batch * sizeof *b->results);
    if (skipped < count)
        run_batch(b, first + skipped, (uint32_t)smaller(count - skipped, batch), b->results + skipped, e);
    if (comm_agree(comm, e) != ST_OK)
        return e->status;
    /* The result of a root is 0 on all ranks but one, so the sum over the ranks is the result. This holds even for doubles,
     * which are added as integers. */
    if (!together)
        comm_sum_u64(comm, (uint64_t *)b->results, count * (sizeof *b->results / 8));
    if (comm->rank == 0)
        report_results(b, first, count, e);
    return comm_agree(comm, e) == ST_OK ? root_tables_append(&b->tables, e) : e->status;
}

/* Collective. Prints the head of the report. Then searches from all roots that an earlier run has not finished, in rounds
 * of one batch for each rank, or for all together. Completes the matrix at the end. Fails on all ranks if one rank fails. */
static enum status run_all(struct batching *b, struct error *e)
{
    const struct searcher *s = &b->searcher;
    uint64_t first = b->centrality.done;
    if (s->comm.rank == 0 && !b->args.cli.quiet) {
        fprintf(b->talk, "vertices: %" PRIu64 "\nvertices_with_edges: %" PRIu64 "\nbatch: %" PRIu64 "\n",
                s->graph.manifest.totals.n, b->all.all_vertices, b->args.batch);
        edges_print(b->talk, &s->graph.manifest, b->args.reverse);
        if (b->args.sample > 0)
            fprintf(b->talk, "sample: %" PRIu64 "\n", s->roots.count);
    }
    if (s->comm.rank == 0 && !b->args.cli.verbose && !isatty(fileno(b->talk)))
        progress_start(&b->args.cli);
    comm_broadcast(&s->comm, &first, sizeof first, 0);
    progress_stage("searching", s->roots.count, PROGRESS_ITEMS);
    progress_add(first);
    while (first < s->roots.count) {
        uint64_t count = smaller(s->roots.count - first, s->comm.ranks / b->sharing->ranks * b->args.batch);
        if (run_round(b, first, count, e) != ST_OK)
            return e->status;
        first += count;
        progress_add(count);
    }
    progress_end();
    const struct comm *writers = b->sharing->ranks > 1 ? &comm_alone : &s->comm; /* rank 0 alone has a table of several roots */
    result_table_commit(&b->depth_table, writers, e);
    result_table_commit(&b->parent_table, writers, e);
    return outputs_commit(&b->matrix, &s->comm, e);
}

/* Collective. Rank 0 completes the table of --centrality, and prints the end of the report. b->seconds becomes the maximum
 * over all ranks. */
static enum status conclude(struct batching *b, struct error *e)
{
    uint64_t searched = b->searcher.roots.count - b->centrality.done;
    comm_max_double(&b->searcher.comm, &b->seconds, 1);
    comm_sum_u64(&b->searcher.comm, &b->deeper, 1);
    if (b->searcher.comm.rank == 0 && b->deeper > 0)
        cli_warn(&b->args.cli, "%s: %" PRIu64 " distances are larger than %" PRId64 ": they have this value, as --depths-width is %u",
                 b->args.depths, b->deeper, deepest_of_width(b->args.depths_width), b->args.depths_width);
    if (b->args.sample > 0 && sampled_write(&b->sampled, b->args.centrality, b->searcher.map, &b->searcher.comm, e) != ST_OK)
        return e->status;
    if (b->searcher.comm.rank == 0 && b->centrality.out != NULL)
        centrality_commit(&b->centrality, e);
    if (b->searcher.comm.rank == 0)
        root_tables_commit(&b->tables, e);
    if (b->searcher.comm.rank != 0 || (b->args.cli.quiet && b->talk != stdout))
        return comm_agree(&b->searcher.comm, e);
    fprintf(b->talk, "NBFS: %" PRIu64 "\nsearch_time: %.9g\nsearches_per_s: %.9g\n", searched, b->seconds,
            b->seconds > 0 ? (double)searched / b->seconds : 0);
    if (!b->args.no_checksum)
        fprintf(b->talk, "distance_checksum: %016" PRIx64 "\n", b->checksum);
    stream_flush(b->talk, e);
    return comm_agree(&b->searcher.comm, e);
}

/* Frees everything that set_up has opened, and deletes an unfinished matrix or table. Called by searcher_run, even after a
 * failure. */
static void tear_down(void *context)
{
    struct batching *b = context;
    centrality_close(&b->centrality);
    sampled_close(&b->sampled);
    root_tables_close(&b->tables);
    outfile_abort(b->matrix);
    result_table_abort(&b->depth_table, &b->searcher.comm);
    result_table_abort(&b->parent_table, &b->searcher.comm);
    if (b->parents != b->values)
        memory_release(&b->searcher.budget, b->parents);
    memory_release(&b->searcher.budget, b->values);
    batch_depths_close(&b->depths);
    batch_close(&b->search);
    joined_graph_close(&b->all);
    free(b->results);
}

/* Does the whole work of the program: opens everything, searches from all roots, and reports. Called by searcher_run. */
static void work(void *context, struct error *e)
{
    struct batching *b = context;
    if (set_up(b, e) == ST_OK && run_all(b, e) == ST_OK)
        conclude(b, e);
}

/* Runs dbfs-batch: reads the command line, and lets searcher_run call `work` and `tear_down`. Returns the exit code. */
int main(int argc, char **argv)
{
    static struct batching b;
    cli_begin();
    parse(&b.args, argc, argv);
    b.talk = args_talk(&b.args);
    return searcher_run(&b.searcher, &b.args, 1, work, tear_down, &b);
}
