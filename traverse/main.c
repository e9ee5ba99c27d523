/* main.c: dbfs-traverse: opens the graph, searches from each root, and reports */
#include "args.h"
#include "backend_choose.h"
#include "bfs.h"
#include "plan.h"
#include "record.h"
#include "roots.h"

#include "formats/base/progress.h"
#include "formats/mpi/watch.h"

#include "traverse/report/report.h"
#include "traverse/report/trace_file.h"
#include "traverse/results/outputs.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct run {
    struct args args;
    char *const *command; /* argv */
    struct comm comm;
    struct memory_budget budget;
    int threads;
    struct graph graph;
    struct name_map *map; /* of rank 0; NULL: none */
    struct rank rank;
    struct exchange *exchange;
    struct results *results;
    struct bfs bfs;
    struct roots roots;
    struct record *records; /* [roots.count] */
    struct environment env;
    struct trace_file *trace; /* NULL: none */
    FILE *talk; /* records and summary: stdout, or stderr if a result takes stdout */
};

/* ---- set-up ---- */

/* A rank's share of the cores and the memory of its host. */
static void share_host(struct run *run)
{
    run->args.cli.silent = run->comm.rank > 0;
    int threads = cli_threads(&run->args.cli), ranks = (int)run->comm.host_ranks;
    if (run->args.cli.threads == 0)
        threads = threads > ranks ? threads / ranks : 1;
    run->threads = threads;
    omp_set_num_threads(threads);
    memory_budget_init(&run->budget, run->args.cli.memory_bytes);
    if (run->args.cli.memory_bytes == 0)
        run->budget.limit_bytes /= run->comm.host_ranks;
}

/* Collective. Where the search runs, and what memory its messages are in. */
static enum status choose_backend(struct run *run, struct error *e)
{
    struct rank *rank = &run->rank;
    *rank = (struct rank){.comm = &run->comm, .graph = &run->graph, .budget = &run->budget};
    if (backend_choose(&rank->backend, run->args.backend, e) == ST_OK)
        exchange_memory_choose(&rank->exchange_memory, run->args.exchange_memory, rank->backend,
                               &run->comm, e);
    return comm_agree(&run->comm, e);
}

static enum status open_graph(struct run *run, struct error *e)
{
    const struct args *args = &run->args;
    unsigned columns =
        run->rank.backend->reads_host_columns ? SHARD_ALL_COLUMNS : SHARD_NO_COLUMNS;
    struct graph_options options = {.folder = args->folder,
                                    .device_count = args->shards_per_rank,
                                    .check = args->check,
                                    .trust = args->trust,
                                    .columns = columns,
                                    .threads = run->threads,
                                    .budget = &run->budget};
    return graph_open(&run->graph, &run->comm, &options, e);
}

static enum status open_devices(struct run *run, struct error *e)
{
    const struct args *args = &run->args;
    struct rank *rank = &run->rank;
    struct device_options options = {.threads = run->threads,
                                     .parents = args->record_parents,
                                     .permuted = rank->graph->manifest.randomized,
                                     .trust = args->trust,
                                     .timing = args->breakdown,
                                     .probes = args->trace != NULL,
                                     .uniquify = args->exchange.uniquify};
    struct results_options results = {.parents = args->record_parents,
                                      .files = args->depths != NULL || args->parents != NULL};
    options.answers = results_wanted(rank->graph, &results);
    if (rank_open_devices(rank, &options, e) != ST_OK ||
        exchange_open(&run->exchange, rank, &args->exchange, e) != ST_OK ||
        results_open(&run->results, rank, &results, e) != ST_OK)
        return e->status;
    bfs_open(&run->bfs, rank, run->exchange, &args->policy, args->breakdown, e);
    run->bfs.counts_edges = args->trace != NULL;
    return e->status;
}

static enum status choose_roots(struct run *run, struct error *e)
{
    const struct args *args = &run->args;
    watch_phase("choosing roots");
    if (roots_choose(&run->roots, &run->rank, args, run->map, e) != ST_OK)
        return e->status;
    if (run->roots.count < args->count && run->comm.rank == 0)
        cli_warn(&args->cli, "only %" PRIu64 " vertices have edges: searching from each",
                 run->roots.count);
    if (run->comm.rank == 0)
        outputs_check_roots(args, run->roots.ids, run->roots.count, e);
    run->records = calloc(run->roots.count, sizeof *run->records);
    if (run->records == NULL)
        fail_memory(e, "records", run->roots.count * sizeof *run->records);
    return comm_agree(&run->comm, e);
}

static enum status set_up(struct run *run, struct error *e)
{
    double start = cli_seconds();
    watch_phase("opening the graph");
    if (run->comm.rank == 0)
        outputs_check(&run->args, e);
    if (comm_agree(&run->comm, e) != ST_OK)
        return e->status;
    share_host(run);
    if (choose_backend(run, e) != ST_OK || open_graph(run, e) != ST_OK)
        return e->status;
    watch_phase("opening devices");
    if (open_devices(run, e) == ST_OK && run->args.map != NULL && run->comm.rank == 0)
        name_map_open(&run->map, run->args.map, run->graph.manifest.totals.n, &run->budget, e);
    if (comm_agree(&run->comm, e) != ST_OK || choose_roots(run, e) != ST_OK)
        return e->status;
    run->env = (struct environment){.args = &run->args,
                                    .rank = &run->rank,
                                    .command = run->command,
                                    .threads = run->threads,
                                    .device_load = rank_slowest_load(&run->rank),
                                    .start_s = cli_seconds() - start};
    return ST_OK;
}

/* ---- searching ---- */

static void name_root(struct run *run, uint64_t i)
{
    struct record *record = &run->records[i];
    record->root = run->roots.ids[i];
    if (run->map == NULL)
        return;
    struct map_name name = name_map_at(run->map, record->root);
    record->name = strndup(name.bytes, name.length);
}

/* Parents first: they usually are the answer that the devices hold. */
static enum status write_results(struct run *run, struct error *e)
{
    const struct args *args = &run->args;
    struct result_file depths = {
        .name = args->depths, .kind = ANSWER_DEPTHS, .map = run->map};
    struct result_file parents = {.name = args->parents,
                                  .kind = ANSWER_PARENTS,
                                  .id_bytes = args->parents_width,
                                  .map = run->map};
    if (args->parents != NULL && results_write(run->results, &parents, e) != ST_OK)
        return e->status;
    if (args->depths != NULL)
        results_write(run->results, &depths, e);
    return e->status;
}

static enum status search_all(struct run *run, struct error *e)
{
    const struct roots *roots = &run->roots;
    int talks = run->comm.rank == 0 && !run->args.cli.quiet;
    if (talks)
        report_environment(run->talk, &run->env);
    if (run->args.trace != NULL &&
        trace_file_open(&run->trace, run->args.trace, &run->rank, e) != ST_OK)
        return e->status;
    for (uint64_t i = 0; i < run->args.warm_up; i++)
        record_warm_up(&run->bfs, &run->args, &roots->root[i % roots->count]);
    if (talks && !run->args.cli.verbose && !isatty(fileno(run->talk)))
        progress_start(&run->args.cli);
    progress_stage("searching", roots->count, PROGRESS_ITEMS);
    for (uint64_t i = 0; i < roots->count; i++) {
        name_root(run, i);
        watch_phase("searching from root %" PRIu64, roots->ids[i]);
        if (record_search(&run->records[i], &run->bfs, run->results, &run->args, &roots->root[i],
                          e) != ST_OK)
            comm_abort(&run->comm, run->args.cli.program, e);
        if (talks)
            report_record(run->talk, &run->records[i]);
        watch_phase("writing results of root %" PRIu64, roots->ids[i]);
        if (write_results(run, e) != ST_OK ||
            (run->trace != NULL && trace_file_add(run->trace, &run->records[i], e) != ST_OK))
            return e->status;
        progress_add(1);
    }
    progress_end();
    return ST_OK;
}

/* ---- the end ---- */

static enum status conclude(struct run *run, struct error *e)
{
    if (run->trace != NULL) {
        struct trace_file *trace = run->trace;
        run->trace = NULL;
        if (trace_file_commit(trace, e) != ST_OK)
            return e->status;
    }
    run->env.peak_bytes = comm_max_of(&run->comm, memory_peak_bytes());
    if (run->comm.rank == 0) {
        if (!run->args.cli.quiet || run->talk == stdout) /* with -q, a result on stdout is all there is */
            report_summary(run->talk, &run->env, run->records, run->roots.count);
        if (fflush(run->talk) != 0 || ferror(run->talk))
            fail_errno(e, "standard output", "cannot write");
        if (run->args.json != NULL && e->status == ST_OK)
            report_json(run->args.json, &run->env, run->records, run->roots.count, e);
    }
    return comm_agree(&run->comm, e);
}

static void tear_down(struct run *run)
{
    for (uint64_t i = 0; run->records != NULL && i < run->roots.count; i++)
        record_free(&run->records[i]);
    free(run->records);
    trace_file_abort(run->trace);
    bfs_close(&run->bfs);
    results_close(run->results);
    exchange_close(run->exchange);
    rank_close_devices(&run->rank);
    graph_close(&run->graph);
    name_map_close(run->map);
    roots_free(&run->roots);
    args_free(&run->args);
}

int main(int argc, char **argv)
{
    static struct run run;
    struct error error = {0};
    run.command = argv;
    args_parse(&run.args, argc, argv);
    run.talk = args_take_stdout(&run.args) ? stderr : stdout;
    if (run.args.plan) {
        plan_print(run.args.folder, run.args.record_parents, run.args.json, &error);
        return cli_finish(&run.args.cli, &error);
    }
    comm_start(&run.comm, COMM_ALWAYS, &error);
    if (comm_agree(&run.comm, &error) == ST_OK &&
        watch_start(&run.comm, run.args.cli.program, run.args.cli.timeout_s, &error) == ST_OK &&
        set_up(&run, &error) == ST_OK &&
        search_all(&run, &error) == ST_OK)
        conclude(&run, &error);
    int code = run.comm.rank == 0 ? cli_finish(&run.args.cli, &error) : (int)error.status;
    tear_down(&run);
    return code;
}
