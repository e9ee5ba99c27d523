/* main.c: dbfs-traverse: maps the shards, searches from each root, writes records and results */
#include "args.h"
#include "backend_choose.h"
#include "bfs.h"
#include "formats/mpi/comm.h"
#include "graph.h"
#include "outputs.h"
#include "plan.h"
#include "report.h"
#include "results.h"
#include "roots.h"
#include "team.h"
#include "threads.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
    struct args args;
    struct comm comm;
    struct memory_budget budget;
    struct graph graph;
    struct name_map *map; /* of rank 0; NULL: none */
    const struct backend *backend;
    enum exchange_memory exchange_memory;
    int threads;
    struct device **devices;
    struct team *team;
    struct exchange *exchange;
    struct results *results;
    struct bfs bfs;
    uint64_t *ids; /* original ids of the roots */
    struct root *roots;
    uint64_t count;
    struct record *records;
    struct environment env;
    FILE *talk; /* records and summary: stdout, or stderr where a result takes stdout */
};

/* ---- set-up ---- */

static int wants_parents(const struct run *run)
{
    return run->args.parents != NULL;
}

/* Of one device: its share where devices work side by side. */
static int device_threads(const struct run *run)
{
    int share = run->threads / (int)run->graph.device_count;
    if (!run->backend->side_by_side)
        return run->threads;
    return share > 0 ? share : 1;
}

/* Each device loads its shard. */
static enum status open_device(void *context, uint32_t g, struct error *e)
{
    struct run *run = context;
    struct device_options options = {
        .threads = device_threads(run),
        .parents = wants_parents(run),
        .timing = run->args.breakdown,
        .uniquify = run->args.exchange.uniquify,
        .exchange_memory = run->exchange_memory,
        .host = run->comm.host,
        .rank = run->comm.rank,
        .slot = run->comm.host_rank * run->graph.device_count + g,
        .budget = &run->budget};
    return run->backend->open(&run->devices[g], &run->graph.shards[g], &options, e);
}

static enum status open_devices(struct run *run, struct error *e)
{
    uint32_t count = run->graph.device_count;
    run->devices = calloc(count, sizeof(struct device *));
    run->bfs.levels = calloc(count, sizeof *run->bfs.levels);
    if (run->devices == NULL || run->bfs.levels == NULL)
        return fail_memory(e, "devices", count * sizeof(struct device *));
    if (team_open(&run->team, count, run->backend->side_by_side, e) != ST_OK ||
        team_run(run->team, open_device, run, e) != ST_OK ||
        exchange_open(&run->exchange, &run->comm, run->backend, run->devices, run->team, count,
                      run->graph.manifest.d, &run->args.exchange, &run->budget, e) != ST_OK)
        return e->status;
    return results_open(&run->results, &run->graph, &run->comm, run->backend, run->devices,
                        wants_parents(run), run->args.depths != NULL || run->args.parents != NULL,
                        &run->budget, e);
}

/* Collective. The ids of the roots: sampled, by name, or as they were given. */
static enum status find_ids(struct run *run, struct error *e)
{
    const struct args *args = &run->args;
    if (!args->roots_given)
        return roots_sample(&run->graph, &run->comm, args->seed, args->count, run->ids,
                            &run->count, &run->budget, e);
    if (args->map != NULL)
        return roots_named(&run->comm, run->map, (const char *const *)args->root_names, run->count,
                           run->ids, e);
    memcpy(run->ids, args->roots, run->count * sizeof *run->ids);
    return ST_OK;
}

static enum status choose_roots(struct run *run, struct error *e)
{
    run->count = run->args.count;
    run->ids = calloc(run->count, sizeof *run->ids);
    run->roots = calloc(run->count, sizeof *run->roots);
    run->records = calloc(run->count, sizeof *run->records);
    if (run->ids == NULL || run->roots == NULL || run->records == NULL)
        fail_memory(e, "roots", run->count * sizeof *run->roots);
    if (comm_agree(&run->comm, e) != ST_OK)
        return e->status;
    if (find_ids(run, e) != ST_OK)
        return e->status;
    if (run->count == 0)
        return fail(e, ST_RUNTIME, "%s: no vertex has an edge: there is no root to sample",
                    run->args.folder);
    if (run->count < run->args.count && run->comm.rank == 0)
        cli_warn(&run->args.cli, "only %" PRIu64 " vertices have edges: searching from each",
                 run->count);
    if (run->comm.rank == 0)
        outputs_check_roots(&run->args, run->ids, run->count, e);
    if (comm_agree(&run->comm, e) != ST_OK)
        return e->status;
    return roots_locate(&run->graph, &run->comm, run->ids, run->count, run->roots, &run->budget, e);
}

static struct device_load slowest_load(const struct run *run)
{
    struct device_load slowest = {0};
    for (uint32_t g = 0; g < run->graph.device_count && run->backend->load != NULL; g++) {
        struct device_load load = run->backend->load(run->devices[g]);
        if (load.seconds > slowest.seconds)
            slowest = load;
    }
    return slowest;
}

static void set_up_search(struct run *run)
{
    const struct args *args = &run->args;
    run->bfs.comm = &run->comm;
    run->bfs.backend = run->backend;
    run->bfs.devices = run->devices;
    run->bfs.device_count = run->graph.device_count;
    run->bfs.team = run->team;
    run->bfs.exchange = run->exchange;
    run->bfs.timed = args->breakdown;
    run->bfs.policy = args->policy;
    run->env = (struct environment){.folder = args->folder,
                                    .backend = run->backend->name,
                                    .direction = args_direction_name(args),
                                    .reduction =
                                        args->exchange.nonblocking ? "nonblocking" : "blocking",
                                    .comm = &run->comm,
                                    .graph = &run->graph,
                                    .policy = &args->policy,
                                    .threads = run->threads,
                                    .local_all2all = args->exchange.local_all2all,
                                    .uniquify = args->exchange.uniquify,
                                    .exchange_memory = run->exchange_memory == EXCHANGE_DEVICE
                                                           ? "device"
                                                           : "host",
                                    .parents = wants_parents(run),
                                    .seed = args->seed,
                                    .sampled = !args->roots_given,
                                    .device_load = slowest_load(run),
                                    .several_levels = args->several_levels};
}

/* Columns that the host reads: all, or what it takes to name the parents that a device does not
 * know. */
static unsigned host_columns(const struct run *run)
{
    if (run->backend->reads_host_columns)
        return SHARD_ALL_COLUMNS;
    return wants_parents(run) ? 1 << NN : SHARD_NO_COLUMNS;
}

/* Collective. Where the search runs, and what memory its messages are in. */
static enum status choose_backend(struct run *run, struct error *e)
{
    if (backend_choose(&run->backend, run->args.backend, e) == ST_OK)
        exchange_memory_choose(&run->exchange_memory, run->args.exchange_memory, run->backend,
                               &run->comm, e);
    return comm_agree(&run->comm, e);
}

static int cores_for_rank(const struct run *run)
{
    int cores = cli_threads(&run->args.cli);
    if (run->args.cli.threads > 0)
        return cores;
    int share = cores / (int)run->comm.host_ranks;
    return share > 0 ? share : 1;
}

static enum status set_up(struct run *run, struct error *e)
{
    double start = cli_seconds();
    if (run->comm.rank == 0)
        outputs_check(&run->args, e);
    if (comm_agree(&run->comm, e) != ST_OK)
        return e->status;
    run->threads = cores_for_rank(run);
    omp_set_num_threads(run->threads);
    memory_budget_init(&run->budget, run->args.cli.memory_bytes);
    if (run->args.cli.memory_bytes == 0)
        run->budget.limit_bytes /= run->comm.host_ranks;
    if (choose_backend(run, e) != ST_OK ||
        graph_open(&run->graph, &run->comm, run->args.folder, run->args.shards_per_rank,
                   run->args.check, host_columns(run), run->threads, &run->budget, e) != ST_OK)
        return e->status;
    if (open_devices(run, e) == ST_OK && run->args.map != NULL && run->comm.rank == 0)
        name_map_open(&run->map, run->args.map, run->graph.manifest.totals.n, &run->budget, e);
    if (comm_agree(&run->comm, e) != ST_OK || choose_roots(run, e) != ST_OK)
        return e->status;
    set_up_search(run);
    run->env.start_s = cli_seconds() - start;
    return ST_OK;
}

/* ---- searching ---- */

static void print_level(const struct run *run, int32_t depth, const struct level_trace *trace)
{
    fprintf(stderr, "%s: level %" PRId32, run->args.cli.program, depth);
    for (int g = 0; g < SUBGRAPHS; g++)
        fprintf(stderr, " %s %" PRIu64 "/%" PRIu64 "%s", subgraph_name[g], trace->frontier[g],
                trace->forward[g], trace->pulling[g] > 0 ? " pull" : "");
    fprintf(stderr, " sent %" PRIu64 " masks %d compute_us %.1f exchange_us %.1f\n",
            trace->exchange.sent_vertices, trace->exchange.reduced_masks, 1e6 * trace->compute_s,
            1e6 * trace->exchange_s);
}

/* What levels are traced into: lines with -v, the parts of each with --breakdown. */
struct trace {
    const struct run *run;
    struct breakdown *levels;
    uint32_t count;
    int failed; /* no memory for more */
};

static void trace_level(void *context, int32_t depth, const struct level_trace *level)
{
    struct trace *t = context;
    if (t->run->args.cli.verbose && t->run->comm.rank == 0)
        print_level(t->run, depth, level);
    if (!t->run->args.breakdown || t->failed)
        return;
    if ((t->count & (t->count - 1)) == 0) { /* room for a power of two is used up */
        size_t room = t->count > 0 ? 2 * (size_t)t->count : 1;
        struct breakdown *grown = realloc(t->levels, room * sizeof *grown);
        t->failed = grown == NULL;
        if (t->failed)
            return;
        t->levels = grown;
    }
    t->levels[t->count++] = level->breakdown;
}

/* A failure within a search is one rank's own, and the others wait for it in a collective. */
static void search(struct run *run, const struct root *root, struct bfs_times *times,
                   struct trace *trace)
{
    struct error error = {0};
    int tracing = trace != NULL && (run->args.cli.verbose || run->args.breakdown);
    bfs_search(&run->bfs, root, times, tracing ? trace_level : NULL, trace, &error);
    if (tracing && trace->failed)
        fail_memory(&error, "the breakdown", trace->count * sizeof *trace->levels);
    if (error.status != ST_OK)
        comm_abort(&run->comm, run->args.cli.program, &error);
}

static void reduce_record(const struct run *run, struct record *record,
                          const struct bfs_times *times)
{
    double slowest[3] = {record->time_s, times->compute_s, times->exchange_s};
    record->sent_vertices = times->sent_vertices;
    comm_max_double(&run->comm, slowest, 3);
    comm_sum_u64(&run->comm, &record->sent_vertices, 1);
    record->time_s = slowest[0];
    record->compute_s = slowest[1];
    record->exchange_s = slowest[2];
    record->iterations = times->iterations;
    if (record->levels != NULL)
        comm_max_double(&run->comm, record->levels->part_s, (uint64_t)times->iterations * PARTS);
    record->mask_reductions = times->mask_reductions;
}

/* To free; NULL without a map. */
static char *root_name(const struct run *run, uint64_t i)
{
    if (run->map == NULL)
        return NULL;
    struct map_name name = name_map_at(run->map, run->ids[i]);
    return strndup(name.bytes, name.length);
}

static enum status search_and_count(struct run *run, uint64_t i, struct error *e)
{
    struct record *record = &run->records[i];
    const struct root *root = &run->roots[i];
    struct trace trace = {.run = run};
    struct bfs_times times;
    comm_barrier(&run->comm);
    double start = cli_seconds();
    search(run, root, &times, &trace);
    record->time_s = cli_seconds() - start;
    record->levels = trace.levels;
    if (results_collect(run->results, root, &record->reach, e) != ST_OK)
        return e->status;
    if (wants_parents(run)) {
        double resolving = cli_seconds();
        if (results_parents(run->results, e) != ST_OK)
            return e->status;
        record->time_s += cli_seconds() - resolving;
    }
    record->root = run->ids[i];
    record->name = root_name(run, i);
    reduce_record(run, record, &times);
    record->teps = (double)record->reach.edges / record->time_s;
    return ST_OK;
}

static enum status write_result(struct run *run, enum result_kind kind, const char *pattern,
                                uint64_t i, struct error *e)
{
    if (pattern == NULL)
        return ST_OK;
    char *name = outputs_name(pattern, run->ids[i]);
    if (name == NULL)
        fail_memory(e, pattern, strlen(pattern));
    if (comm_agree(&run->comm, e) == ST_OK)
        results_write(run->results, kind, &run->roots[i], name, run->map, e);
    free(name);
    return e->status;
}

static enum status search_all(struct run *run, struct error *e)
{
    struct bfs_times times;
    int talks = run->comm.rank == 0 && !run->args.cli.quiet;
    if (talks)
        report_environment(run->talk, &run->env);
    for (uint64_t i = 0; i < run->args.warm_up; i++)
        search(run, &run->roots[i % run->count], &times, NULL);
    for (uint64_t i = 0; i < run->count; i++) {
        if (search_and_count(run, i, e) != ST_OK)
            comm_abort(&run->comm, run->args.cli.program, e);
        if (talks)
            report_record(run->talk, &run->records[i]);
        if (write_result(run, RESULT_DEPTHS, run->args.depths, i, e) != ST_OK ||
            write_result(run, RESULT_PARENTS, run->args.parents, i, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

static enum status conclude(struct run *run, struct error *e)
{
    if (run->comm.rank == 0) {
        report_summary(run->talk, &run->env, run->records, run->count);
        if (fflush(run->talk) != 0 || ferror(run->talk))
            fail_errno(e, "standard output", "cannot write");
        if (run->args.json != NULL && e->status == ST_OK)
            report_json(run->args.json, &run->env, run->records, run->count, e);
    }
    return comm_agree(&run->comm, e);
}

static void tear_down(struct run *run)
{
    results_close(run->results);
    exchange_close(run->exchange);
    team_close(run->team);
    for (uint32_t g = 0; run->devices != NULL && g < run->graph.device_count; g++)
        run->backend->close(run->devices[g]);
    free(run->devices);
    free(run->bfs.levels);
    graph_close(&run->graph);
    name_map_close(run->map);
    free(run->ids);
    free(run->roots);
    for (uint64_t i = 0; run->records != NULL && i < run->count; i++) {
        free(run->records[i].name);
        free(run->records[i].levels);
    }
    free(run->records);
    args_free(&run->args);
}

static int takes_stdout(const struct args *args)
{
    const char *const file[] = {args->depths, args->parents, args->json};
    for (int i = 0; i < 3; i++) {
        if (file[i] != NULL && strcmp(file[i], "-") == 0)
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static struct run run;
    struct error error = {0};
    threads_wait_briefly(argv);
    args_parse(&run.args, argc, argv);
    run.talk = takes_stdout(&run.args) ? stderr : stdout;
    if (run.args.plan) {
        plan_print(run.args.folder, run.args.parents != NULL, stdout, &error);
        return cli_finish(&run.args.cli, &error);
    }
    comm_start(&run.comm, COMM_ALWAYS, &error);
    if (comm_agree(&run.comm, &error) == ST_OK && set_up(&run, &error) == ST_OK &&
        search_all(&run, &error) == ST_OK)
        conclude(&run, &error);
    int code = run.comm.rank == 0 ? cli_finish(&run.args.cli, &error) : (int)error.status;
    tear_down(&run);
    return code;
}
