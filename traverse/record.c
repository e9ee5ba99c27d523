/* record.c: see record.h */
#include "record.h"
#include "threads.h"

#include "formats/base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- levels ---- */

static void print_level(const char *program, int32_t depth, const struct level_trace *trace)
{
    fprintf(stderr, "%s: level %" PRId32, program, depth);
    for (int g = 0; g < SUBGRAPHS; g++)
        fprintf(stderr, " %s %" PRIu64 "/%" PRIu64 "%s", subgraph_name[g], trace->frontier[g],
                trace->forward[g], trace->pulling[g] > 0 ? " pull" : "");
    fprintf(stderr, " sent %" PRIu64 " masks %d compute_us %.1f exchange_us %.1f"
            " frontier %" PRIu64 " delegates %" PRIu64 " way %s ahead_us %.1f\n",
            trace->exchange.counts.of[COUNT_SENT_VERTICES], trace->exchange.reduced_masks, 1e6 * trace->compute_s,
            1e6 * trace->exchange_s, trace->fresh, trace->delegates, visit_way_name[trace->way],
            1e6 * trace->exchange.ahead_s);
}

/* What becomes of levels: lines with -v, with --breakdown the phases of each. */
struct trace {
    const struct args *args;
    int prints;
    struct breakdown *levels;
    struct exchange_counts *moved;
    uint32_t count;
    int failed; /* no memory for more */
    struct level_log log; /* with --trace */
};

static int grow_levels(struct trace *t)
{
    struct breakdown *levels = memory_grow(t->levels, t->count, sizeof *levels);
    if (levels != NULL)
        t->levels = levels;
    struct exchange_counts *moved = memory_grow(t->moved, t->count, sizeof *moved);
    if (moved != NULL)
        t->moved = moved;
    return levels != NULL && moved != NULL;
}

static void keep_level(struct trace *t, const struct level_trace *level)
{
    t->failed = !grow_levels(t);
    if (t->failed)
        return;
    t->moved[t->count] = level->exchange.counts;
    t->levels[t->count++] = level->breakdown;
}

static void trace_level(void *context, int32_t depth, const struct level_trace *level)
{
    struct trace *t = context;
    if (t->prints)
        print_level(t->args->cli.program, depth, level);
    if (t->args->trace != NULL)
        level_log_add(&t->log, level);
    if (t->args->breakdown && !t->failed)
        keep_level(t, level);
}

/* ---- a search ---- */

static void search(struct bfs *bfs, const struct args *args, const struct root *root,
                   struct bfs_times *times, struct trace *trace)
{
    struct error error = {0};
    bfs_search(bfs, root, times, trace != NULL ? trace_level : NULL, trace, &error);
    if (trace != NULL && trace->failed)
        fail_memory(&error, "the breakdown", trace->count * sizeof *trace->levels);
    if (error.status != ST_OK)
        comm_abort(bfs->rank->comm, args->cli.program, &error);
}

/* Before the clock starts. */
static void prepare(struct bfs *bfs, const struct args *args)
{
    struct error error = {0};
    threads_let_go();
    if (bfs_prepare(bfs, &error) != ST_OK)
        comm_abort(bfs->rank->comm, args->cli.program, &error);
    comm_barrier(bfs->rank->comm);
}

void record_warm_up(struct bfs *bfs, const struct args *args, const struct root *root)
{
    struct bfs_times times;
    search(bfs, args, root, &times, NULL);
}

/* What the tracer did not get during the search. */
static enum status trace_rest(struct bfs *bfs, struct trace *trace, struct error *e)
{
    if (bfs_trace_rest(bfs, trace_level, trace, e) == ST_OK && trace->failed)
        fail_memory(e, "the breakdown", trace->count * sizeof *trace->levels);
    return e->status;
}

/* The last level that was visited is empty. */
static void make_answer(struct results *results, const struct args *args, const struct root *root,
                        const struct bfs_times *times, const struct bfs *bfs)
{
    struct error error = {0};
    if (results_answer(results, args->answer, root, times->iterations + 1, &error) != ST_OK)
        comm_abort(bfs->rank->comm, args->cli.program, &error);
}

static void reduce_record(struct record *record, const struct comm *comm,
                          const struct bfs_times *times)
{
    double slowest[4] = {record->time_s, times->compute_s, times->exchange_s, record->answer_s};
    record->sent_vertices = times->sent_vertices;
    comm_max_double(comm, slowest, 4);
    comm_sum_u64(comm, &record->sent_vertices, 1);
    record->time_s = slowest[0];
    record->compute_s = slowest[1];
    record->exchange_s = slowest[2];
    record->answer_s = slowest[3];
    record->iterations = times->iterations;
    if (record->levels != NULL)
        comm_max_double(comm, record->levels->phase_s, (uint64_t)times->iterations * PHASES);
    if (record->moved != NULL)
        comm_sum_u64(comm, record->moved->of, (uint64_t)times->iterations * EXCHANGE_COUNTS);
    record->mask_reductions = times->mask_reductions;
}

enum status record_search(struct record *record, struct bfs *bfs, struct results *results,
                          const struct args *args, const struct root *root, struct error *e)
{
    const struct comm *comm = bfs->rank->comm;
    struct trace trace = {.args = args, .prints = args->cli.verbose && comm->rank == 0};
    struct bfs_times times;
    prepare(bfs, args);
    double start = cli_seconds();
    int traced = args_want_levels(args);
    search(bfs, args, root, &times, traced ? &trace : NULL);
    record->time_s = cli_seconds() - start;
    if (results_have_answers(results)) {
        make_answer(results, args, root, &times, bfs);
        record->answer_s = cli_seconds() - start;
    }
    if (traced)
        trace_rest(bfs, &trace, e);
    record->levels = trace.levels;
    record->moved = trace.moved;
    record->log = trace.log;
    if (e->status != ST_OK || results_collect(results, root, &record->reach, e) != ST_OK)
        return e->status;
    reduce_record(record, comm, &times);
    uint64_t vertices = bfs->rank->graph->vertices;
    record->share = vertices > 0 ? (double)record->reach.vertices / (double)vertices : 1;
    record->teps = (double)record->reach.edges / record->time_s;
    if (record->answer_s > 0)
        record->answer_teps = (double)record->reach.edges / record->answer_s;
    return ST_OK;
}

void record_free(struct record *record)
{
    free(record->name);
    free(record->levels);
    free(record->moved);
    level_log_clear(&record->log);
}
