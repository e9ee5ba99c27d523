/* searcher.c: opens all that searches need on a rank, runs the work of a program, and closes all; see searcher.h */
#include "searcher.h"
#include "traverse/engine/answer_ids.h"
#include "shared_gpus.h"
#include "traverse/results/outputs.h"

#include "formats/base/progress.h"
#include "formats/mpi/lead.h"
#include "formats/mpi/watch.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Collective. Makes rank 0 the only rank that searches, with the shards of all ranks, for the reason `why`. Multiplies the
 * threads of -@ and the memory of -S by the number of ranks, because these options are per rank, but uses no more threads
 * than cores. Sets s->rank_0_alone. Afterwards s->comm of rank 0 has rank 0 only. */
static void search_on_rank_0(struct searcher *s, const char *why)
{
    struct args *args = s->args;
    const int ranks = (int)s->launched_ranks, cores = cli_cores();
    s->rank_0_alone = 1;
    comm_lead(&s->comm);
    if (s->comm.rank > 0)
        return;
    if (args->cli.threads > 0 && args->cli.threads < cores)
        args->cli.threads = args->cli.threads < cores / ranks ? args->cli.threads * ranks : cores;
    if (args->cli.memory_bytes <= UINT64_MAX / (uint64_t)ranks)
        args->cli.memory_bytes *= (uint64_t)ranks;
    args->shards_per_rank *= s->launched_ranks;
    cli_note(&args->cli, "%s: rank 0 searches alone, with all shards (--exchange-memory peer lets every rank search)", why);
}

/* Collective. Decides which ranks search, and whether the shards are joined: sets s->rank_0_alone and s->one_gpu. */
static enum status choose_ranks(struct searcher *s, struct error *e)
{
    char why[160];
    int shared = 0;
    snprintf(why, sizeof why, "%u ranks would share GPUs, each of which serves one process at a time, for milliseconds", s->launched_ranks);
    if (gpus_are_shared(&shared, &s->comm, s->args, e) == ST_OK && shared)
        search_on_rank_0(s, why);
    if (e->status != ST_OK || (s->rank_0_alone && s->comm.rank > 0) || s->method != &bfs_by_levels ||
        one_gpu_choose(&s->one_gpu, &s->comm, s->args, s->may_join, e) != ST_OK)
        return e->status;
    snprintf(why, sizeof why, "one GPU is predicted to be faster than %u, by %.0f us a search to %.0f", s->one_gpu.gpus,
             1e6 * s->one_gpu.one_s, 1e6 * s->one_gpu.several_s);
    if (s->one_gpu.joins && s->comm.ranks > 1)
        search_on_rank_0(s, why);
    return ST_OK;
}

/* Closes what searches need beside the graph. */
static void close_devices(struct searcher *s)
{
    if (s->method != NULL)
        s->method->close(&s->bfs);
    results_close(&s->results);
    exchange_close(&s->exchange);
    rank_close_devices(&s->rank);
}

/* Runs a program from the start of MPI to the exit code (searcher.h). */
int searcher_run(struct searcher *s, struct args *args, int holds_all, searcher_work *work, void (*close)(void *context),
                 void *context)
{
    struct error error = {0}, *e = &error;
    s->args = args;
    if (args->dry_run) {
        outputs_check(args, e);
    } else {
        comm_start(&s->comm, e);
        s->launched_ranks = s->comm.ranks;
        if (comm_agree(&s->comm, e) == ST_OK &&
            watch_start(&s->comm, args->cli.program, args->cli.timeout_s, e) == ST_OK && !holds_all)
            choose_ranks(s, e);
        if (e->status == ST_OK && (!s->rank_0_alone || s->comm.rank == 0)) {
            if (s->comm.rank == 0)
                outputs_check(args, e);
            if (comm_agree(&s->comm, e) == ST_OK)
                work(context, e);
        }
    }
    if (s->rank_0_alone)
        comm_await_lead(e);
    progress_end();
    int code = s->comm.rank == 0 ? cli_finish(&args->cli, e) : (int)e->status;
    if (close != NULL)
        close(context);
    close_devices(s);
    name_map_close(s->map);
    roots_free(&s->roots);
    graph_close(&s->graph);
    args_free(args);
    return code;
}

/* ---- opening ---- */

/* Sets the number of threads, also of OpenMP, and the memory budget of this rank: to -@ and -S if these are given,
 * otherwise to its share of the host. */
static void share_host(struct searcher *s)
{
    struct cli *cli = &s->args->cli;
    comm_share_host(&s->comm, cli);
    s->threads = cli_threads(cli);
    omp_set_num_threads(s->threads);
    memory_budget_init(&s->budget, comm_memory(&s->comm, cli->memory_bytes));
}

/* Returns the options for graph_open that follow from the command line. `columns` asks for all columns; the caller changes it
 * if devices do not read columns on the host. */
static struct graph_options graph_options_of(struct searcher *s)
{
    const struct args *args = s->args;
    return (struct graph_options){.folder = args->folder,
                                  .check = args->check,
                                  .base = args->serve ? BASE_0 : args->base, /* a server speaks of places in its arrays */
                                  .trust = args->trust,
                                  .reverse = args->reverse,
                                  .columns = SHARD_ALL_COLUMNS,
                                  .threads = s->threads,
                                  .budget = &s->budget};
}

/* Collective. Opens this rank's part of the graph. Fails if an option does not fit the graph, or if the program is for
 * undirected graphs and the graph is directed. If the graph has no in-rows, all levels will push. Rank 0 prints a note for
 * each option without effect. */
static enum status open_graph(struct searcher *s, struct error *e)
{
    struct args *args = s->args;
    const struct manifest *m = &s->graph.manifest;
    struct graph_options options = graph_options_of(s);
    options.device_count = (uint32_t)args->shards_per_rank;
    options.join = s->one_gpu.joins;
    options.pulls = args->policy.mode == DIRECTION_PULL;
    options.columns = s->rank.backend->reads_host_columns ? SHARD_ALL_COLUMNS : SHARD_NO_COLUMNS;
    options.resident = args->resident;
    options.bytes_needed = s->rank.backend->bytes_needed;
    options.parents = args->record_parents;
    if (graph_open(&s->graph, &s->comm, &options, e) != ST_OK)
        return e->status;
    if (m->direction == EDGES_DIRECTED && args->undirected_only != NULL)
        return fail(e, ST_BAD_DATA, "%s: has directed edges, and %s is for undirected graphs: 'edgeconv -u' makes "
                    "each an undirected edge; %s", args->folder, args->cli.program, args->undirected_only);
    if (s->comm.rank == 0)
        args_note_idle(args, m->direction == EDGES_DIRECTED);
    if (m->out_only)
        args->policy.mode = DIRECTION_PUSH;
    if (args->parents != NULL && args->parents_width != 0 && args->parents_width < answer_id_bytes(m->totals.n))
        return fail(e, ST_USAGE, "--parents-width %u: the graph has %" PRIu64 " vertices", args->parents_width, m->totals.n);
    return ST_OK;
}

/* On rank 0, prints a note for each given option that has no effect because no messages are sent. */
static void note_idle_options(const struct searcher *s, const struct args *args)
{
    const struct exchange_options *o = &args->exchange;
    if (!s->exchange.group.holds_all_shards || s->comm.rank != 0)
        return;
    const struct { int given; const char *name; } options[] = {
        {o->nonblocking, "--reduction nonblocking"},
        {o->local_all2all, "--local-all2all"},
        {o->uniquify, "--uniquify"},
        {o->chunk_bytes != EXCHANGE_CHUNK_BYTES, "--chunk"}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (options[i].given)
            cli_note(&args->cli, "%s: has no effect, as no messages are sent: %s", options[i].name,
                     s->rank.graph->manifest.p == 1 ? "the graph has one shard"
                                                    : "devices read each other's memory");
    }
}

/* Collective. Opens a device for each shard of s->rank.graph, then the exchange and the method of searching. `answers` is that of
 * device_options. close_devices closes everything, even after a failure. */
static enum status open_devices(struct searcher *s, const struct args *args, int answers, struct error *e)
{
    struct rank *rank = &s->rank;
    const struct direction_policy *policy = &args->policy;
    const enum exchange_memory_choice memory = args->exchange.memory;
    struct device_options options = {.threads = s->threads,
                                     .parents = args->record_parents,
                                     .answers = answers,
                                     .answer = args->answer,
                                     .permuted = rank->graph->manifest.randomized,
                                     .deepest = (int32_t)args->max_depth,
                                     .trust = args->trust,
                                     .resident = args->resident,
                                     .timing = args->breakdown,
                                     .shared = s->comm.host_ranks > 1 && (memory == EXCHANGE_MEMORY_AUTO || memory == EXCHANGE_MEMORY_PEER),
                                     .probes = args->trace != NULL,
                                     .notes = args_want_levels(args),
                                     .uniquify = args->exchange.uniquify,
                                     .by_subgraphs = direction_by_subgraphs(policy)};
    rank_open_devices(rank, &options, e);
    if (comm_agree(&s->comm, e) != ST_OK || exchange_open(&s->exchange, rank, &args->exchange, e) != ST_OK)
        return e->status;
    const struct bfs_options search = {.policy = *policy,
                                       .deepest = (int32_t)args->max_depth,
                                       .timed = args->breakdown,
                                       .counts_edges = args->trace != NULL};
    s->method->open(&s->bfs, rank, &s->exchange, &search, e);
    return comm_agree(&s->comm, e);
}

/* If *e says that memory is short, and the budget is too small for a search, appends the value of -S that is enough. */
void searcher_explain_memory(const struct searcher *s, struct error *e)
{
    const uint64_t bytes = s->graph.search_bytes;
    const uint64_t enough = bytes + bytes / 8 + (8 << 20); /* the additional bytes are for messages, results, small arrays */
    const size_t used = strlen(e->text);
    if (e->status == ST_RESOURCE && bytes > 0 && s->budget.limit_bytes < enough)
        snprintf(e->text + used, sizeof e->text - used, "; -S %" PRIu64 "M is enough for a search", (enough >> 20) + 1);
}

/* Collective. Opens all that is needed for searches by all ranks together (searcher.h). Rank 0 also opens the map. */
enum status searcher_open(struct searcher *s, int writes_answers, struct error *e)
{
    struct args *args = s->args;
    struct rank *rank = &s->rank;
    share_host(s);
    comm_warn_of_idle_cores(&s->comm, &args->cli);
    watch_phase("opening the graph");
    *rank = (struct rank){.comm = &s->comm, .graph = &s->graph, .budget = &s->budget};
    if (backend_agree(&rank->backend, args->backend, &args->cli, &s->comm, e) == ST_OK)
        exchange_memory_choose(&rank->exchange_memory, args->exchange.memory, rank->backend, &s->comm, e);
    if (comm_agree(&s->comm, e) == ST_OK && open_graph(s, e) == ST_OK) {
        watch_phase("opening devices");
        if (open_devices(s, args, results_wanted(rank->graph, args, writes_answers), e) == ST_OK &&
            results_open(&s->results, rank, args, writes_answers, e) == ST_OK) {
            if (s->exchange.why[0] != '\0' && s->comm.rank == 0)
                cli_warn(&args->cli, "the ranks of a host send messages, as one cannot read another's memory: %s",
                         s->exchange.why);
            note_idle_options(s, args);
            if (rank->backend != &backend_cpu)
                gpus_warn_if_uneven(&s->comm, args, rank->device_count, e);
        }
        progress_end();
        if (args->map != NULL && s->comm.rank == 0 && e->status == ST_OK)
            name_map_open(&s->map, args->map, s->graph.manifest.totals.n, &s->budget, e);
        comm_agree(&s->comm, e);
    }
    searcher_explain_memory(s, e);
    return e->status;
}

/* Collective. Opens devices for searches against the edges, over the shards that *s has loaded (searcher.h). */
enum status searcher_open_reverse(struct searcher *reverse, struct searcher *s, struct error *e)
{
    const uint32_t shards = s->graph.device_count;
    *reverse = (struct searcher){.args = s->args, .method = s->method, .comm = s->comm, .threads = s->threads, .graph = s->graph};
    reverse->graph.shards = zeroed(shards, sizeof *s->graph.shards, "shards", e);
    for (uint32_t g = 0; g < shards && e->status == ST_OK; g++) {
        reverse->graph.shards[g] = s->graph.shards[g];
        shard_reverse(&reverse->graph.shards[g]);
    }
    reverse->rank = (struct rank){.comm = &s->comm,
                                  .graph = &reverse->graph,
                                  .backend = s->rank.backend,
                                  .exchange_memory = s->rank.exchange_memory,
                                  .budget = &s->budget};
    if (comm_agree(&s->comm, e) == ST_OK)
        open_devices(reverse, s->args, 0, e);
    comm_agree(&s->comm, e);
    searcher_explain_memory(s, e);
    return e->status;
}

/* Closes the devices of searcher_open_reverse. *reverse may be zeroed. */
void searcher_close_reverse(struct searcher *reverse)
{
    close_devices(reverse);
    free(reverse->graph.shards);
}

/* Opens what is needed for searches without devices (searcher.h): the shards of this rank of `comm`, and the map. */
enum status searcher_open_shards(struct searcher *s, const struct comm *comm, enum residence resident,
                                 uint64_t (*bytes_needed)(const struct shard *shard, int threads, int parents),
                                 struct error *e)
{
    const struct args *args = s->args;
    share_host(s);
    struct graph_options options = graph_options_of(s);
    options.resident = resident;
    options.bytes_needed = bytes_needed;
    s->rank = (struct rank){.comm = comm, .graph = &s->graph, .budget = &s->budget};
    watch_phase("opening the graph");
    if (graph_open(&s->graph, comm, &options, e) != ST_OK)
        return e->status;
    if (s->comm.rank == 0)
        args_note_idle(args, s->graph.manifest.direction == EDGES_DIRECTED);
    if (args->map != NULL)
        name_map_open(&s->map, args->map, s->graph.manifest.totals.n, &s->budget, e);
    return comm_agree(comm, e);
}

/* Collective. Chooses the roots. Rank 0 warns if they are fewer than wanted, and checks the names of their results. */
enum status searcher_choose_roots(struct searcher *s, struct error *e)
{
    const struct args *args = s->args;
    struct roots *roots = &s->roots;
    watch_phase("choosing roots");
    if (e->status == ST_OK && roots_choose(roots, &s->rank, args, s->map, e) == ST_OK && !args->serve &&
        s->comm.rank == 0) {
        if (roots->count < args->count)
            cli_warn(&args->cli, "only %" PRIu64 " vertices have edges to follow: searching from each", roots->count);
        outputs_check_roots(args, s->map, roots->ids, args->together ? 1 : roots->count, s->graph.base, e);
        outputs_note_names(args);
    }
    return comm_agree(&s->comm, e);
}
