/* benchmark.c: see benchmark.h */
#include "benchmark.h"

#include "formats/base/cli.h"
#include "traverse/threads.h"

#include <omp.h>
#include <stdlib.h>

void benchmark_defaults(struct benchmark *b)
{
    b->args = (struct args){.cli = {.program = "dbfs-graph500"},
                            .count = 64,
                            .seed = 1,
                            .check = 1,
                            .policy = direction_defaults,
                            .exchange = {.chunk_bytes = EXCHANGE_CHUNK_BYTES},
                            .answer = ANSWER_PARENTS,
                            .record_parents = 1};
    b->construction_s = -1;
    b->measure_energy = 1;
}

static void share_host(struct benchmark *b)
{
    int ranks = (int)b->comm.host_ranks;
    b->threads = cli_threads(&b->args.cli);
    if (b->args.cli.threads == 0)
        b->threads = b->threads > ranks ? b->threads / ranks : 1;
    omp_set_num_threads(b->threads);
    memory_budget_init(&b->budget, b->args.cli.memory_bytes);
    if (b->args.cli.memory_bytes == 0)
        b->budget.limit_bytes /= b->comm.host_ranks;
}

static enum status open_graph(struct benchmark *b, struct error *e)
{
    struct graph_options options = {.folder = b->args.folder,
                                    .device_count = b->args.shards_per_rank,
                                    .check = b->args.check,
                                    .columns = SHARD_ALL_COLUMNS, /* which the validation reads */
                                    .threads = b->threads,
                                    .budget = &b->budget};
    b->rank = (struct rank){.comm = &b->comm, .graph = &b->graph, .budget = &b->budget};
    if (backend_choose(&b->rank.backend, b->args.backend, e) == ST_OK)
        exchange_memory_choose(&b->rank.exchange_memory, EXCHANGE_MEMORY_AUTO, b->rank.backend,
                               &b->comm, e);
    return comm_agree(&b->comm, e) == ST_OK ? graph_open(&b->graph, &b->comm, &options, e)
                                            : e->status;
}

static enum status open_devices(struct benchmark *b, struct error *e)
{
    struct device_options options = {.threads = b->threads,
                                     .parents = 1,
                                     .answers = 1,
                                     .permuted = b->graph.manifest.randomized};
    struct results_options results = {.parents = 1, .files = 1};
    if (rank_open_devices(&b->rank, &options, e) == ST_OK &&
        exchange_open(&b->exchange, &b->rank, &b->args.exchange, e) == ST_OK &&
        results_open(&b->results, &b->rank, &results, e) == ST_OK &&
        validation_open(&b->validation, &b->rank, b->results, e) == ST_OK)
        bfs_open(&b->bfs, &b->rank, b->exchange, &b->args.policy, 0, e);
    return comm_agree(&b->comm, e);
}

enum status benchmark_open(struct benchmark *b, struct error *e)
{
    share_host(b);
    if (open_graph(b, e) != ST_OK || open_devices(b, e) != ST_OK ||
        roots_choose(&b->roots, &b->rank, &b->args, NULL, e) != ST_OK)
        return e->status;
    b->runs = calloc(b->roots.count, sizeof *b->runs);
    if (b->runs == NULL)
        fail_memory(e, "records", b->roots.count * sizeof *b->runs);
    return comm_agree(&b->comm, e);
}

void benchmark_search(struct benchmark *b, const struct root *root, struct run_record *run)
{
    struct bfs_times times;
    struct error error = {0};
    threads_let_go();
    comm_barrier(&b->comm);
    double start = cli_seconds();
    if (bfs_search(&b->bfs, root, &times, NULL, NULL, &error) == ST_OK) {
        run->search_s = cli_seconds() - start;
        results_answer(b->results, ANSWER_PARENTS, root, times.iterations + 1, &error);
    }
    run->answer_s = cli_seconds() - start;
    if (error.status != ST_OK)
        comm_abort(&b->comm, b->args.cli.program, &error);
}

void benchmark_close(struct benchmark *b)
{
    free(b->runs);
    validation_close(b->validation);
    bfs_close(&b->bfs);
    results_close(b->results);
    exchange_close(b->exchange);
    rank_close_devices(&b->rank);
    graph_close(&b->graph);
    roots_free(&b->roots);
}
