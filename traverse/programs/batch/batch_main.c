/* batch_main.c: the program dbfs-batch, which searches from many roots at once, batch after batch, and reports results */
#include "batch_files.h"
#include "batch_search.h"
#include "centrality.h"
#include "leaf_roots.h"
#include "root_tables.h"
#include "sampled.h"

#include "traverse/engine/answer_ids.h"
#include "traverse/engine/backend_table.h"
#include "traverse/options/options.h"
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

/* about the bytes of the host that a rank has for each vertex, without words: its id, where its row begins, its places in lists and a byte;
 * and for each word: those of the search or, with a GPU, the one that is shown */
enum { VERTEX_BYTES = 8 + 8 + 8 + 2, WORD_BYTES = 24, SHOWN_BYTES = 8 };

/* All state of the program. */
struct batching {
    struct args args;
    struct searcher searcher; /* the graph and the ranks */
    const struct comm *sharing; /* the ranks that divide the graph, and do each batch together; &comm_alone: each does its own batches */
    struct joined_graph all;
    struct joined_graph noted; /* the vertices of `all` that this rank notes */
    const struct batch_backend *backend;
    struct batch search;
    struct batch_depths depths;
    struct centrality centrality;
    struct sampled sampled;    /* of --sample */
    struct root_tables tables; /* of --reached, --hops and --targets */
    struct batch_files files;  /* of --depths and --parents */
    struct leaf_roots leaves;  /* in use if leaves need no searches of their own */
    uint64_t *vertex;             /* [ranks][batch] the vertices from which the ranks are searching (joined_vertex) */
    struct batch_result *results; /* [ranks][batch] their results */
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
     .help = "divide the graph among the ranks, which search together"},
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
    options_read_ids(args);
    args_finish(args);
    if (args->sample > 0)
        check_sample(args);
    if (args->target_count > 0)
        take_targets(args);
    const char *const file[] = {args->depths, args->parents};
    const int several = args->count > 1 || args->all_roots, is_asked = args->roots_given || args->count_given || args->all_roots;
    for (int i = 0; i < 2; i++) {
        const int takes_all = (i == 0 && batch_files_want_matrix(args)) || (args_is_table(args, file[i]) && is_asked);
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

/* About the bytes that a rank takes that has the whole graph and the words of a batch, and those that each rank has. */
struct whole {
    uint64_t host, host_left, device, device_left;
};

/* Sets whole->host and whole->device, which are 0 before. Reads the heads of all shards. */
static enum status measure_whole(const struct batching *b, int words, struct whole *whole, struct error *e)
{
    const int on_gpu = b->backend->device_bytes != NULL;
    struct manifest m = {0};
    uint64_t vertices = 0, edges = 0;
    if (manifest_read(&m, b->args.folder, e) == ST_OK)
        vertices = m.d;
    const int directed = m.direction == EDGES_DIRECTED;
    for (uint32_t s = 0; s < m.p && e->status == ST_OK; s++) {
        struct shard shard = {0};
        if (manifest_open_shard(&m, b->args.folder, s, &shard, e) == ST_OK) {
            vertices += shard.locals;
            edges += shard_edges(&shard);
            whole->host += residence_taken_bytes(&shard, RESIDENT_PACKED);
        }
        shard_close(&shard);
    }
    whole->host += 4 * edges + vertices * (VERTEX_BYTES + (uint64_t)words * (on_gpu ? SHOWN_BYTES : WORD_BYTES) + (directed ? 8 : 0));
    whole->device = on_gpu ? b->backend->device_bytes(vertices, edges, directed, words) : 0;
    manifest_free(&m);
    return e->status;
}

/* Tells that ranks divide the graph, because the memory of one, or of its GPU, does not hold the whole. */
static void tell_division(const struct cli *cli, const char *of, uint64_t left, uint64_t taken)
{
    char text[2][32];
    cli_note(cli, "a %s has %s, and the whole graph takes about %s there: the ranks divide it among them, and search together "
             "(--distribute)", of, format_size(left, text[0], 32), format_size(taken, text[1], 32));
}

/* Collective. Chooses whether the ranks divide the graph: with --distribute, or if the memory of some rank, or of its GPU, does not hold
 * it. Then all ranks have GPUs, or none. */
static enum status choose_sharing(struct batching *b, int words, struct error *e)
{
    const struct args *args = &b->args;
    const struct comm *comm = &b->searcher.comm;
    const int is_open = comm->ranks > 1 && !args->distribute && args->parents == NULL;
    struct memory_budget budget;
    struct whole whole = {0};
    memory_budget_init(&budget, comm_memory(comm, args->cli.memory_bytes));
    whole.host_left = budget.limit_bytes;
    whole.device_left = UINT64_MAX;
    if (is_open && comm->rank == 0 && e->status == ST_OK)
        measure_whole(b, words, &whole, e);
    if (is_open && e->status == ST_OK && b->backend->device_left != NULL)
        b->backend->device_left(comm, &whole.device_left, e);
    if (comm_agree(comm, e) != ST_OK)
        return e->status;
    /* rank 0 alone has measured */
    whole.host = comm_max_of(comm, whole.host);
    whole.device = comm_max_of(comm, whole.device);
    whole.host_left = comm_min_of(comm, whole.host_left);
    whole.device_left = comm_min_of(comm, whole.device_left);
    if (comm->ranks == 1 && args->distribute)
        cli_note(&args->cli, "--distribute: has no effect with one rank");
    const int is_short = whole.host > whole.host_left || whole.device > whole.device_left;
    if (is_short && comm->rank == 0) {
        if (whole.host > whole.host_left)
            tell_division(&args->cli, "rank", whole.host_left, whole.host);
        else
            tell_division(&args->cli, "GPU", whole.device_left, whole.device);
    }
    b->sharing = comm->ranks > 1 && (args->distribute || is_short) ? comm : &comm_alone;
    return e->status;
}

/* Returns whether a root needs only what its line and --centrality show. */
static int wants_results_alone(const struct args *args)
{
    return args->no_checksum && args->max_depth == NO_MAX_DEPTH && args->depths == NULL && args->parents == NULL && args->balls == NULL &&
           args->hops == NULL && args->to_targets == NULL && args->sample == 0;
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
    if (backend_choose(&backend, args->backend, &args->cli, e) == ST_OK)
        b->backend = backend_table(backend, &batch_cpu, &batch_cuda, e);
    if (choose_sharing(b, words, e) != ST_OK || backend_is_same(backend, b->sharing, e) != ST_OK)
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
    b->vertex = zeroed(s->comm.ranks * args->batch, sizeof *b->vertex, "roots", e);
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
    b->files = (struct batch_files){.args = args, .searcher = s, .sharing = b->sharing, .all = &b->all, .noted = &b->noted,
                                    .found = &b->depths, .budget = &s->budget};
    batch_files_open(&b->files, e);
    if (comm_agree(&s->comm, e) != ST_OK)
        return e->status;
    /* last, as it takes what memory the rest has left */
    if (args->all_roots && wants_results_alone(args) && b->all.push == b->all.pull && !joined_graph_is_divided(&b->all)) {
        leaf_roots_open(&b->leaves, &b->all);
        if (!comm_min_of(&s->comm, b->leaves.graph != NULL)) /* all ranks count rounds alike */
            leaf_roots_close(&b->leaves);
    }
    return e->status;
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

/* Searches from vertex[count], as one batch of this rank or, collectively, of the ranks that divide the graph. The vertices are those of
 * the roots from number `first` on, unless b->leaves is in use. Fills in results[count], and adds the seconds of the search to
 * b->seconds. Prints counts with -v, and writes the wanted files of each root. Stops at the first failure. */
static enum status run_batch(struct batching *b, uint64_t first, const uint64_t *vertex, uint32_t count, struct batch_result *results,
                             struct error *e)
{
    const uint64_t *ids = b->searcher.roots.ids + first;
    uint64_t checksum[BATCH_MOST];
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
        batch_files_write(&b->files, i, first + i, e);
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

/* Sets b->vertex to the vertices to search from for the next round of roots, from number `first` on, and *searches to their number: those
 * of a batch for each rank, or for all together. Returns the number of roots, which is larger if roots are leaves. */
static uint64_t choose_round(struct batching *b, uint64_t first, uint64_t *searches)
{
    const struct roots *roots = &b->searcher.roots;
    const uint64_t most = b->searcher.comm.ranks / b->sharing->ranks * b->args.batch;
    uint64_t count = 0;
    for (*searches = 0; first + count < roots->count && *searches < most; count++) {
        const uint64_t v = joined_vertex(&b->all, &roots->root[first + count]);
        b->vertex[*searches] = v;
        *searches += b->leaves.graph == NULL || leaf_roots_take(&b->leaves, v, &b->vertex[*searches]);
    }
    return count;
}

/* Reports the results of `count` roots from number `first` of all roots on, which b->leaves has, a part in b->results at a time. */
static enum status report_leaves(struct batching *b, uint64_t first, uint64_t count, struct error *e)
{
    const struct root *roots = b->searcher.roots.root + first;
    for (uint64_t done = 0; done < count && e->status == ST_OK; done += b->args.batch) {
        const uint64_t part = smaller(count - done, b->args.batch);
        for (uint64_t i = 0; i < part; i++)
            b->results[i] = leaf_roots_result(&b->leaves, joined_vertex(&b->all, &roots[done + i]));
        report_results(b, first + done, part, e);
    }
    return e->status;
}

/* Collective. Searches from the first `searches` of b->vertex, for the `count` roots from number `first` on: each rank takes a batch of
 * --batch vertices, unless all do one together. Then all ranks get all results in b->results, and rank 0 reports them. Fails on all ranks
 * if one rank fails. */
static enum status run_round(struct batching *b, uint64_t first, uint64_t count, uint64_t searches, struct error *e)
{
    const struct comm *comm = &b->searcher.comm;
    const int together = b->sharing->ranks > 1;
    const uint64_t batch = b->args.batch, skipped = together ? 0 : smaller(comm->rank * batch, searches);
    const uint32_t own = (uint32_t)smaller(searches - skipped, batch);
    memset(b->results, 0, comm->ranks * batch * sizeof *b->results);
    if (own > 0)
        run_batch(b, first + skipped, b->vertex + skipped, own, b->results + skipped, e);
    if (comm_agree(comm, e) != ST_OK)
        return e->status;
    /* The result of a root is 0 on all ranks but one, so the sum over the ranks is the result. This holds even for doubles,
     * which are added as integers. */
    if (!together)
        comm_sum_u64(comm, (uint64_t *)b->results, searches * (sizeof *b->results / 8));
    if (b->leaves.graph != NULL)
        leaf_roots_keep(&b->leaves, b->vertex, b->results, searches);
    if (comm->rank == 0 && b->leaves.graph != NULL)
        report_leaves(b, first, count, e);
    else if (comm->rank == 0)
        report_results(b, first, count, e);
    if (comm_agree(comm, e) != ST_OK || root_tables_append(&b->tables, e) != ST_OK)
        return e->status;
    return batch_files_append(&b->files, first + skipped, own, e);
}

/* Collective. Prints the head of the report. Then searches from all roots that an earlier run has not finished, in rounds of one batch for
 * each rank, or for all together. Completes the files of --depths and --parents at the end. Fails on all ranks if one rank fails. */
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
        uint64_t searches, count = choose_round(b, first, &searches);
        if (run_round(b, first, count, searches, e) != ST_OK)
            return e->status;
        first += count;
        progress_add(count);
    }
    progress_end();
    return batch_files_commit(&b->files, e);
}

/* Collective. Rank 0 completes the table of --centrality, and prints the end of the report. b->seconds becomes the maximum
 * over all ranks. */
static enum status conclude(struct batching *b, struct error *e)
{
    uint64_t searched = b->searcher.roots.count - b->centrality.done;
    comm_max_double(&b->searcher.comm, &b->seconds, 1);
    comm_sum_u64(&b->searcher.comm, &b->files.deeper, 1);
    if (b->searcher.comm.rank == 0 && b->files.deeper > 0)
        cli_warn(&b->args.cli, "%s: %" PRIu64 " distances are larger than %" PRId64 ": they have this value, as --depths-width is %u",
                 b->args.depths, b->files.deeper, deepest_of_width(b->args.depths_width), b->args.depths_width);
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
    batch_files_close(&b->files);
    batch_depths_close(&b->depths);
    batch_close(&b->search);
    leaf_roots_close(&b->leaves);
    joined_graph_close(&b->all);
    free(b->results);
    free(b->vertex);
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
