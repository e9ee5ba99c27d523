/* record.c: runs one search, measures the search, and fills a record; see record.h */
#include "record.h"
#include "traverse/engine/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Prints a line about one level on standard error. Called with -v. */
static void print_level(const char *program, uint32_t depth, const struct level_trace *trace)
{
    const struct level_counts *counts = &trace->counts;
    fprintf(stderr, "%s: level %" PRIu32, program, depth);
    for (int g = 0; g < SUBGRAPHS; g++)
        fprintf(stderr, " %s %" PRIu64 "/%" PRIu64 "%s", subgraph_name[g], counts->frontier[g],
                counts->forward[g], counts->pulling[g] > 0 ? " pull" : "");
    fprintf(stderr, " sent %" PRIu64 " masks %d compute_us %.1f exchange_us %.1f"
            " frontier %" PRIu64 " delegates %" PRIu64 " way %s ahead_us %.1f\n",
            trace->exchange.counts.of[COUNT_SENT_VERTICES], trace->exchange.reduced_masks, 1e6 * trace->compute_s,
            1e6 * trace->exchange_s, counts->fresh, counts->delegates, level_kind_name[trace->kind],
            1e6 * trace->exchange.times.phase_s[PHASE_AHEAD]);
}

/* Collective. Searches from all roots together, and makes the answer if searches make answers. Sets record->time_s and
 * record->answer_s, which count from the moment when all ranks are ready, *times and, unless `log` is NULL, *log. A failure
 * ends the job. */
static void search_and_answer(struct record *record, struct searcher *s, const struct args *args,
                              const struct root_set *roots, struct bfs_times *times, struct level_log *log)
{
    struct error error = {0};
    threads_let_go();
    if (s->method->prepare(&s->bfs, &error) != ST_OK)
        comm_abort(&s->comm, args->cli.program, &error);
    comm_barrier(&s->comm);
    double start = cli_seconds();
    if (s->method->search(&s->bfs, roots, times, log, &error) == ST_OK)
        record->time_s = cli_seconds() - start;
    if (error.status == ST_OK && s->results.answering) {
        answers_make(&s->results.answers, args->answer, roots, times->iterations + 1 /* all depths are below */, &error);
        record->answer_s = cli_seconds() - start;
    }
    if (error.status != ST_OK) {
        searcher_explain_memory(s, &error);
        comm_abort(&s->comm, args->cli.program, &error);
    }
}

/* Collective. Searches from all roots together to warm up, and records nothing. A failure ends the job. */
void record_nothing(struct searcher *s, const struct args *args, const struct root_set *roots)
{
    struct record unused;
    struct bfs_times times;
    search_and_answer(&unused, s, args, roots, &times, NULL);
}

/* Collective. Searches from all roots together, and fills the record (record.h). The log of levels stays in the record only with
 * --trace. */
enum status record_search(struct record *record, struct searcher *s, const struct args *args,
                          const struct root_set *roots, struct error *e)
{
    struct level_log *log = &record->log;
    struct bfs_times times;
    s->exchange.pairs = args->count_pairs ? &record->pairs : NULL;
    search_and_answer(record, s, args, roots, &times, args_want_levels(args) ? log : NULL);
    s->exchange.pairs = NULL;
    if (args_want_levels(args))
        s->method->log_rest(&s->bfs, e);
    for (uint32_t i = 0; args->cli.verbose && s->comm.rank == 0 && i < log->count; i++)
        print_level(args->cli.program, i, &log->level[i]);
    if (args->breakdown && e->status == ST_OK) {
        record->level_times = calloc((size_t)log->count + 1, sizeof *record->level_times);
        record->level_exchanges = calloc((size_t)log->count + 1, sizeof *record->level_exchanges);
        if (log->failed || record->level_times == NULL || record->level_exchanges == NULL)
            fail_memory(e, "the breakdown", log->count * sizeof *log->level);
        for (uint32_t i = 0; i < log->count && e->status == ST_OK; i++) {
            record->level_times[i] = log->level[i].exchange.times;
            record->level_exchanges[i] = log->level[i].exchange.counts;
        }
    }
    if (args->breakdown)
        comm_agree(&s->comm, e); /* results are collected by all ranks, or by none */
    if (args->trace == NULL) /* with --trace, trace_file_add reads the log, and clears it */
        level_log_clear(log);
    if (e->status != ST_OK || results_collect(&s->results, roots, &record->reach, e) != ST_OK)
        return e->status;
    /* Until here, times and counts are of this rank alone. Now times become the largest of all ranks, and counts become
     * sums. */
    double slowest[] = {record->time_s, record->answer_s, times.compute_s, times.exchange_s};
    comm_max_double(&s->comm, slowest, sizeof slowest / sizeof *slowest);
    record->time_s = slowest[0];
    record->answer_s = slowest[1];
    record->compute_s = slowest[2];
    record->exchange_s = slowest[3];
    record->iterations = times.iterations;
    record->mask_reductions = times.mask_reductions;
    record->sent_vertices = times.sent_vertices;
    comm_sum_u64(&s->comm, &record->sent_vertices, 1);
    if (args->breakdown) {
        comm_max_double(&s->comm, record->level_times->phase_s, (uint64_t)times.iterations * PHASES);
        comm_sum_u64(&s->comm, record->level_exchanges->of, (uint64_t)times.iterations * EXCHANGE_COUNTS);
    }
    if (args->count_pairs)
        pair_log_gather(&record->pairs, &s->comm, e);
    return e->status;
}

void record_free(struct record *record)
{
    free(record->name);
    free(record->level_times);
    free(record->level_exchanges);
    pair_log_free(&record->pairs);
    level_log_clear(&record->log);
}
