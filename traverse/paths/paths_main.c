/* paths_main.c: dbfs-paths: distances and shortest paths between pairs of vertices.
 *
 * Each rank maps all shards and takes its share of the pairs, on CPUs or on a GPU; ranks only add up results. */
#include "pair_backend.h"
#include "paths_report.h"

#include "traverse/results/outputs.h"

#include "formats/base/progress.h"
#include "formats/mpi/watch.h"

#include <inttypes.h>
#include <omp.h>

struct run {
    struct paths_args paths;
    char *const *command; /* argv */
    struct comm comm;
    struct memory_budget budget;
    struct graph graph;
    struct name_map *map; /* NULL: none */
    struct roots roots;   /* source and target of each pair */
    struct pair_job job;
    struct pair_runs runs;
};

/* Fewer pairs are done by the CPU before a GPU has the graph. */
enum { PAIRS_FOR_GPU = 64 };

static enum status choose_backend(struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    const struct backend *backend = &backend_cpu;
    if (args->backend != BACKEND_AUTO || args->count / 2 >= PAIRS_FOR_GPU)
        backend_choose(&backend, args->backend, e);
    run->job.backend = backend == &backend_cpu ? &pair_cpu : &pair_cuda;
    return e->status;
}

static enum status open_graph(struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    const struct graph_options options = {.folder = args->folder,
                                          .check = args->check,
                                          .trust = args->trust,
                                          .reverse = args->reverse,
                                          .columns = SHARD_ALL_COLUMNS,
                                          .resident = run->job.backend->takes != NULL ? args->resident : RESIDENT_PACKED,
                                          .takes = run->job.backend->takes,
                                          .threads = run->job.threads,
                                          .budget = &run->budget};
    return graph_open(&run->graph, &comm_alone, &options, e);
}

static enum status check_ids(const struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    const uint64_t n = run->graph.manifest.totals.n;
    for (uint64_t i = 0; args->roots != NULL && i < args->count; i++) {
        if (args->roots[i] >= n)
            return fail(e, ST_USAGE, "pair %" PRIu64 ": %s %" PRIu64 ": the graph has %" PRIu64 " vertices", i / 2 + 1,
                        i % 2 == 0 ? "source" : "target", args->roots[i], n);
    }
    return ST_OK;
}

/* The side of the target goes against the edges. */
static enum status check_rows(const struct run *run, struct error *e)
{
    if (run->graph.manifest.out_only && !run->paths.one_sided)
        return fail(e, ST_USAGE, "%s: the directed graph has out-rows alone: --one-sided, or pack it with --rows out,in",
                    run->paths.args.folder);
    return ST_OK;
}

/* Sampled vertices are distinct, so a graph may have too few for all pairs. */
static enum status choose_pairs(struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    const struct rank rank = {.comm = &comm_alone, .graph = &run->graph, .budget = &run->budget};
    if (check_rows(run, e) != ST_OK || check_ids(run, e) != ST_OK || roots_choose(&run->roots, &rank, args, run->map, e) != ST_OK)
        return e->status;
    if (run->roots.count < 2)
        return fail(e, ST_RUNTIME, "%s: fewer than two vertices have edges: there is no pair to sample", args->folder);
    if (run->roots.count < args->count)
        cli_warn(&args->cli, "only %" PRIu64 " vertices have edges to follow: %" PRIu64 " pairs", run->roots.count,
                 run->roots.count / 2);
    return ST_OK;
}

static enum status set_up(struct run *run, struct error *e)
{
    struct args *args = &run->paths.args;
    run->job = (struct pair_job){.comm = &run->comm,
                                 .graph = &run->graph,
                                 .roots = &run->roots,
                                 .budget = &run->budget,
                                 .threads = cli_threads(&args->cli),
                                 .one_sided = run->paths.one_sided,
                                 .paths = run->paths.paths};
    omp_set_num_threads(run->job.threads);
    memory_budget_init(&run->budget, comm_memory(&run->comm, args->cli.memory_bytes));
    watch_phase("opening the graph");
    if (run->comm.rank == 0)
        outputs_check(args, e);
    if (e->status == ST_OK)
        choose_backend(run, e);
    if (e->status == ST_OK && open_graph(run, e) == ST_OK && args->map != NULL)
        name_map_open(&run->map, args->map, run->graph.manifest.totals.n, &run->budget, e);
    if (e->status == ST_OK && run->comm.rank == 0)
        args_note_reverse(args, run->graph.manifest.direction == EDGES_DIRECTED);
    if (e->status == ST_OK)
        choose_pairs(run, e);
    return comm_agree(&run->comm, e);
}

static enum status search_all(struct run *run, struct error *e)
{
    if (run->comm.rank == 0)
        progress_start(&run->paths.args.cli);
    progress_stage("searching", run->roots.count / 2 / run->comm.ranks, PROGRESS_ITEMS);
    watch_phase("searching between pairs");
    pair_runs_make(&run->runs, &run->job, e);
    progress_end();
    return e->status;
}

static enum status conclude(const struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    const struct paths_report report = {&run->paths, run->command, &run->job, &run->runs, run->map};
    FILE *talk = args_stdouts(args) > 0 ? stderr : stdout;
    if (run->comm.rank > 0)
        return ST_OK;
    if (!args->cli.quiet)
        paths_report_pairs(talk, &report);
    if (args->cli.quiet ? talk == stdout : run->runs.count > 1)
        paths_report_summary(talk, &report);
    if (fflush(talk) != 0 || ferror(talk))
        return fail_errno(e, "standard output", "cannot write");
    return args->json != NULL ? paths_report_json(args->json, &report, e) : ST_OK;
}

static void tear_down(struct run *run)
{
    pair_runs_free(&run->runs);
    roots_free(&run->roots);
    name_map_close(run->map);
    graph_close(&run->graph);
    args_free(&run->paths.args);
}

int main(int argc, char **argv)
{
    static struct run run;
    static char own_name[] = "dbfs-paths";
    struct cli *cli = &run.paths.args.cli;
    struct error error = {0};
    paths_parse(&run.paths, argc, argv);
    if (cli->within_dbfs)
        argv[0] = own_name; /* the command in the report can be run again */
    if (run.paths.args.dry_run) {
        outputs_check(&run.paths.args, &error);
        args_free(&run.paths.args);
        return cli_finish(cli, &error);
    }
    run.command = argv;
    comm_start_tool(&run.comm, cli, &error);
    if (comm_agree(&run.comm, &error) == ST_OK &&
        watch_start(&run.comm, cli->program, cli->timeout_s, &error) == ST_OK && set_up(&run, &error) == ST_OK &&
        search_all(&run, &error) == ST_OK) {
        conclude(&run, &error);
        comm_agree(&run.comm, &error);
    }
    int code = run.comm.rank == 0 ? cli_finish(cli, &error) : (int)error.status;
    tear_down(&run);
    return code;
}
