/* run.c: runs all searches of dbfs-traverse or dbfs-traverse-2d; see run.h. The steps of a run, in order:
 *
 *   searcher_run            starts MPI, and decides which ranks search (searcher.c, shared_gpus.c)
 *   searcher_open           opens the graph (graph.c), the devices, the exchange and the results
 *   searcher_choose_roots   chooses the roots (roots.c)
 *   search_one              for each search: searches and measures (record.c), prints the record (report.c), writes results
 *   conclude                completes the trace (trace_file.c), prints the summary and writes the JSON report (report.c)
 *   searcher_run            closes all that was opened
 *
 * With --serve, roots come one after the other (serve.c), and there is no summary. With --plan, nothing is searched, and the
 * plan is printed instead (plan.c). */
#include "run.h"
#include "plan.h"
#include "record.h"
#include "report.h"
#include "searcher.h"
#include "serve.h"
#include "trace_file.h"

#include "traverse/engine/root_set.h"
#include "traverse/results/outputs.h"

#include "formats/base/progress.h"
#include "formats/base/text.h"
#include "formats/mpi/lead.h"
#include "formats/mpi/watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The state of a run on this rank. */
struct run {
    struct args *args;
    char *const *command; /* the words of the command line; NULL ends them */
    struct searcher searcher;
    struct root_set together; /* with --together: the roots of the search, in the order of a set */
    uint64_t searches; /* the number of searches: one for each root, or with --together one from all; not used with --serve */
    struct record *records; /* [searches] a record for each search; not used with --serve */
    struct environment env;
    struct trace_file trace; /* open with --trace, otherwise zeroed */
    struct result_table depths, parents, reached; /* files of several roots, if those are wanted */
    FILE *talk; /* records and the summary are printed here: stdout, or stderr if a result goes to stdout */
};

/* With --together, makes one set of the roots, which then are no longer in the order of their ids. Called once they are known. */
static void join_roots(struct run *run)
{
    const struct roots *roots = &run->searcher.roots;
    if (run->args->together)
        run->together = root_set_make(roots->root, roots->count);
}

/* Returns the roots of search i: root i or, with --together, all. */
static struct root_set roots_of_search(const struct run *run, uint64_t i)
{
    return run->args->together ? run->together : (struct root_set){&run->searcher.roots.root[i], 1};
}

/* Returns the file to which each root appends its lines, or its row: `table` if the result with this name takes several roots,
 * otherwise NULL. */
static struct result_table *table_of_roots(const struct run *run, const char *name, struct result_table *table)
{
    const struct args *args = run->args;
    const int several = run->searches > 1 && !args->in_place;
    table->roots = run->searches;
    return several && args_takes_roots(args, name) && strstr(name, "%d") == NULL ? table : NULL;
}

/* Collective. Rank 0 warns if --depths-width is too narrow for distances of the search from root `root`, of which the largest is
 * `farthest`. */
static void warn_of_width(struct run *run, uint64_t root, uint64_t farthest)
{
    const struct args *args = run->args;
    const uint64_t deepest = (uint64_t)deepest_of_width(args->depths_width);
    if (args->depths == NULL || args_is_table(args, args->depths) || farthest <= deepest)
        return;
    uint64_t deeper = results_count_deeper(&run->searcher.results, (int64_t)deepest);
    if (run->searcher.comm.rank == 0)
        cli_warn(&args->cli, "%s: %" PRIu64 " vertices are farther than %" PRIu64 " from root %" PRIu64 ", up to distance %" PRIu64
                 ": they have %" PRIu64 ", as --depths-width is %u", args->depths, deeper, deepest, root, farthest, deepest,
                 args->depths_width);
}

/* Collective. Writes the result files that the user wants. Parents come first, because the devices usually have them
 * already, and the nearest roots, which take their place, next. */
static enum status write_results(struct run *run, const struct root_set *roots, uint64_t root, struct error *e)
{
    const struct args *args = run->args;
    const int one_table = args_in_one_table(args);
    struct result_file file = {.name = args->parents,
                               .root = root,
                               .kind = ANSWER_PARENTS,
                               .format = (enum result_format)args->result_format,
                               .in_place = args->in_place,
                               .id_bytes = args->parents_width,
                               .map = run->searcher.map};
    file.table = table_of_roots(run, args->parents, &run->parents);
    if (args->parents != NULL && !one_table && results_write(&run->searcher.results, &file, e) != ST_OK)
        return e->status;
    file.name = args->nearest;
    file.kind = ANSWER_NEAREST;
    file.table = NULL;
    if (args->nearest != NULL && results_write(&run->searcher.results, &file, e) != ST_OK)
        return e->status;
    file.name = args->depths;
    file.kind = ANSWER_DEPTHS;
    file.id_bytes = 0;
    file.depth_bytes = args->depths_width;
    file.with_parents = one_table;
    file.table = table_of_roots(run, args->depths, &run->depths);
    if (args->depths != NULL && results_write(&run->searcher.results, &file, e) != ST_OK)
        return e->status;
    file.name = args->reached;
    file.table = table_of_roots(run, args->reached, &run->reached);
    if (args->reached != NULL)
        reached_list_write(&run->searcher.results, roots, &file, e);
    return e->status;
}

/* Collective. Does search i, fills *record, and writes the results. Prints the record if `talks` is set, which is so
 * on rank 0 only. If the search fails, a job of several ranks ends at once. */
static enum status search_one(struct run *run, uint64_t i, struct record *record, int talks, struct error *e)
{
    struct searcher *s = &run->searcher;
    const struct root_set roots = roots_of_search(run, i);
    record->root = s->roots.ids[i];
    if (run->args->together) {
        record->roots = s->roots.ids;
        record->root_count = s->roots.count;
    }
    watch_phase("searching from root %" PRIu64, shown_id(&s->graph, record->root));
    if (s->map != NULL) {
        struct map_name name = name_map_at(s->map, record->root);
        record->name = strndup(name.bytes, name.length);
        if (record->name == NULL)
            fail_memory(e, "the name of the root", name.length + 1);
    }
    if (e->status != ST_OK || record_search(record, s, run->args, &roots, e) != ST_OK) {
        if (s->comm.ranks > 1)
            comm_abort(&s->comm, run->args->cli.program, e);
        return e->status; /* there is only one rank, so none waits. The caller removes unfinished files */
    }
    if (talks && !run->args->serve)
        report_record(run->talk, &run->env, record);
    watch_phase("writing results of root %" PRIu64, shown_id(&s->graph, record->root));
    if (run->args->device_answers) {
        if (kept_answers_add(&s->results.kept, &s->results.answers, e) != ST_OK)
            return e->status;
        record->kept = &s->results.kept;
    }
    /* With --serve, the record is printed last, because its line tells the user that the result files are complete. */
    warn_of_width(run, record->root, record->reach.levels - 1);
    if (write_results(run, &roots, record->root, e) == ST_OK && talks && run->args->serve)
        report_record(run->talk, &run->env, record);
    return e->status;
}

/* Collective. Prints the set-up, opens the trace, warms up, and does all searches in turn. */
static enum status search_all(struct run *run, struct error *e)
{
    const struct args *args = run->args;
    struct searcher *s = &run->searcher;
    int talks = s->comm.rank == 0 && !args->cli.quiet;
    if (talks)
        report_environment(run->talk, &run->env);
    if (args->trace != NULL && trace_file_open(&run->trace, args->trace, &s->rank, e) != ST_OK)
        return e->status;
    for (uint64_t i = 0; i < args->warm_up; i++) {
        const struct root_set roots = roots_of_search(run, i % run->searches);
        record_nothing(s, args, &roots);
    }
    if (talks && !args->cli.verbose && !isatty(fileno(run->talk)))
        progress_start(&args->cli);
    progress_stage("searching", run->searches, PROGRESS_ITEMS);
    for (uint64_t i = 0; i < run->searches; i++) {
        if (search_one(run, i, &run->records[i], talks, e) != ST_OK ||
            (args->trace != NULL && trace_file_add(&run->trace, &run->records[i], e) != ST_OK))
            return e->status;
        progress_add(1);
    }
    progress_end();
    result_table_commit(&run->depths, &s->comm, e);
    result_table_commit(&run->parents, &s->comm, e);
    return result_table_commit(&run->reached, &s->comm, e);
}

/* Collective. Searches from the root, or the roots, on each line of standard input (--serve). For each line prints the record of the
 * search, or the reason why the line is no root. At the end of the input fails with ST_USAGE if any line was no root. */
static enum status serve_all(struct run *run, struct error *e)
{
    static struct serve serve;
    struct searcher *s = &run->searcher;
    int talks = s->comm.rank == 0;
    while (serve_next_root(&serve, s, e) == ST_OK && !serve.ended) {
        struct record record = {0};
        join_roots(run);
        if (s->roots.count > 0)
            search_one(run, 0, &record, talks, e);
        record_free(&record);
        if (e->status != ST_OK && s->results.kept.is_full) { /* searches go on */
            s->results.kept.is_full = 0;
            serve.refused = *e;
            serve.any_refused = 1;
            *e = (struct error){0};
        }
        if (e->status != ST_OK)
            break;
        if (serve.refused.status != ST_OK)
            serve_print_refusal(run->talk, &serve);
        if (talks)
            stream_flush(run->talk, e);
        if (comm_agree(&s->comm, e) != ST_OK)
            break;
    }
    if (e->status == ST_OK && comm_max_of(&s->comm, (uint64_t)serve.any_refused))
        fail(e, ST_USAGE, "standard input: not every line was a root to search from");
    return comm_agree(&s->comm, e);
}

/* Collective. Called after the last search. Completes the trace. Rank 0 prints the summary, and writes the JSON report. */
static enum status conclude(struct run *run, struct error *e)
{
    if (run->args->trace != NULL && outputs_commit(&run->trace.out, &run->searcher.comm, e) != ST_OK)
        return e->status;
    run->env.peak_bytes = comm_max_of(&run->searcher.comm, memory_peak_bytes());
    if (run->searcher.comm.rank == 0) {
        if (!run->args->cli.quiet || run->talk == stdout) /* no summary with -q if a result goes to stdout */
            report_summary(run->talk, run->records, run->searches);
        stream_flush(run->talk, e);
        if (run->args->json != NULL && e->status == ST_OK)
            report_json(run->args->json, &run->env, run->records, run->searches, e);
    }
    return comm_agree(&run->searcher.comm, e);
}

/* Fails with ST_USAGE if --device-answers was given, and the search is not that of one GPU over one shard. All ranks agree without a
 * message. */
static enum status check_single_device(const struct searcher *s, struct error *e)
{
    const uint32_t p = s->graph.manifest.p;
    if (!s->args->device_answers)
        return ST_OK;
    if (!s->rank.backend->has_device_memory)
        return fail(e, ST_USAGE, "--device-answers: needs a GPU, and this search runs on the CPU");
    if (p > 1 || s->comm.ranks > 1)
        return fail(e, ST_USAGE, "--device-answers: needs a graph of one shard, on one rank: found %" PRIu32 " on %" PRIu32, p,
                    s->comm.ranks);
    return ST_OK;
}

/* Does the whole run: opens the searcher, chooses roots, searches, and reports. Called by searcher_run on each rank that
 * searches, with the struct run. */
static void run_on_rank(void *context, struct error *e)
{
    struct run *run = context;
    const struct args *args = run->args;
    struct searcher *s = &run->searcher;
    double start = cli_seconds();
    if (s->comm.rank == 0)
        progress_start(&args->cli);
    if (searcher_open(s, args->depths != NULL || args->parents != NULL || args->nearest != NULL || args->device_answers, e) != ST_OK ||
        check_single_device(s, e) != ST_OK || searcher_choose_roots(s, e) != ST_OK)
        return;
    join_roots(run);
    run->searches = args->together ? 1 : s->roots.count;
    run->records = zeroed(run->searches, sizeof *run->records, "records", e);
    run->env = environment_of(s, run->command, start);
    if (comm_agree(&s->comm, e) != ST_OK)
        return;
    if (args->serve)
        serve_all(run, e);
    else if (search_all(run, e) == ST_OK)
        conclude(run, e);
}

/* Frees the records, and discards the tables and the trace if they are not complete. Called by searcher_run at the end, with the struct
 * run. */
static void tear_down(void *context)
{
    struct run *run = context;
    for (uint64_t i = 0; run->records != NULL && i < run->searches; i++)
        record_free(&run->records[i]);
    free(run->records);
    result_table_abort(&run->depths, &run->searcher.comm);
    result_table_abort(&run->parents, &run->searcher.comm);
    result_table_abort(&run->reached, &run->searcher.comm);
    outfile_abort(run->trace.out);
}

/* Runs dbfs-traverse or dbfs-traverse-2d (run.h), or with --plan only prints the plan. Returns the exit code. */
int run_searches(struct args *args, const struct bfs_method *method, char **argv)
{
    static struct run run;
    struct error error = {0};
    run = (struct run){.args = args,
                       .command = argv,
                       .searcher.method = method,
                       .searcher.may_join = method == &bfs_by_levels,
                       .talk = args_talk(args)};
    if (!args->plan)
        return searcher_run(&run.searcher, args, 0, run_on_rank, tear_down, &run);
    if (outputs_check(args, &error) == ST_OK)
        plan_print(args, &error);
    args_free(args);
    return cli_finish(&args->cli, &error);
}
