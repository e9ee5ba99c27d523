/* run.c: see run.h */
#include "run.h"
#include "plan.h"
#include "record.h"
#include "report.h"
#include "searcher.h"
#include "trace_file.h"

#include "formats/base/progress.h"
#include "formats/base/text.h"
#include "formats/mpi/lead.h"
#include "formats/mpi/watch.h"

#include "traverse/results/outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct run {
    struct args *args;
    char *const *command; /* argv */
    struct searcher searcher;
    struct record *records; /* [roots.count] */
    struct environment env;
    struct trace_file trace; /* with --trace */
    FILE *talk; /* records and summary: stdout, or stderr if a result takes stdout */
};

static enum status set_up(struct run *run, struct error *e)
{
    const struct args *args = run->args;
    struct searcher *s = &run->searcher;
    double start = cli_seconds();
    if (s->comm.rank == 0)
        progress_start(&args->cli);
    if (searcher_open(s, args->depths != NULL || args->parents != NULL, e) != ST_OK ||
        searcher_choose_roots(s, e) != ST_OK)
        return e->status;
    run->records = zeroed(s->roots.count, sizeof *run->records, "records", e);
    run->env = environment_of(s, run->command, start);
    return comm_agree(&s->comm, e);
}

/* ---- searching ---- */

static void name_root(const struct run *run, uint64_t id, struct record *record)
{
    record->root = id;
    if (run->searcher.map == NULL)
        return;
    struct map_name name = name_map_at(run->searcher.map, id);
    record->name = strndup(name.bytes, name.length);
}

/* Writes parents first, as they usually are the answer that the devices hold. */
static enum status write_results(struct run *run, const struct root *root, struct error *e)
{
    const struct args *args = run->args;
    struct result_file depths = {
        .name = args->depths, .kind = ANSWER_DEPTHS, .in_place = args->in_place, .map = run->searcher.map};
    struct result_file parents = {.name = args->parents,
                                  .kind = ANSWER_PARENTS,
                                  .in_place = args->in_place,
                                  .id_bytes = args->parents_width,
                                  .map = run->searcher.map};
    if (args->parents != NULL && results_write(&run->searcher.results, &parents, e) != ST_OK)
        return e->status;
    if (args->depths != NULL && results_write(&run->searcher.results, &depths, e) != ST_OK)
        return e->status;
    if (args->reached != NULL)
        reached_list_write(&run->searcher.results, root, args->reached, run->searcher.map, e);
    return e->status;
}

/* Searches from root `i`, and prints and writes the results. */
static enum status search_one(struct run *run, uint64_t i, struct record *record, int talks, struct error *e)
{
    const struct roots *roots = &run->searcher.roots;
    struct searcher *s = &run->searcher;
    name_root(run, roots->ids[i], record);
    watch_phase("searching from root %" PRIu64, roots->ids[i]);
    if (record_search(record, s, run->args, &roots->root[i], e) != ST_OK) {
        if (s->comm.ranks > 1)
            comm_abort(&s->comm, run->args->cli.program, e);
        return e->status; /* nobody waits, and unfinished files are removed */
    }
    if (talks && !run->args->serve)
        report_record(run->talk, &run->env, record);
    watch_phase("writing results of root %" PRIu64, roots->ids[i]);
    /* with --serve the line says that the files are complete */
    if (write_results(run, &roots->root[i], e) == ST_OK && talks && run->args->serve)
        report_record(run->talk, &run->env, record);
    return e->status;
}

static enum status search_all(struct run *run, struct error *e)
{
    const struct roots *roots = &run->searcher.roots;
    struct searcher *s = &run->searcher;
    int talks = s->comm.rank == 0 && !run->args->cli.quiet;
    if (talks)
        report_environment(run->talk, &run->env);
    if (run->args->trace != NULL &&
        trace_file_open(&run->trace, run->args->trace, &s->rank, e) != ST_OK)
        return e->status;
    for (uint64_t i = 0; i < run->args->warm_up; i++)
        record_nothing(s, run->args, &roots->root[i % roots->count]);
    if (talks && !run->args->cli.verbose && !isatty(fileno(run->talk)))
        progress_start(&run->args->cli);
    progress_stage("searching", roots->count, PROGRESS_ITEMS);
    for (uint64_t i = 0; i < roots->count; i++) {
        if (search_one(run, i, &run->records[i], talks, e) != ST_OK ||
            (run->args->trace != NULL && trace_file_add(&run->trace, &run->records[i], e) != ST_OK))
            return e->status;
        progress_add(1);
    }
    progress_end();
    return ST_OK;
}

/* ---- roots that come one after the other on standard input (--serve) ----
 *
 * Rank 0 reads a line for each and passes it on. Until it comes ranks sleep, and --timeout does not count. */

struct serve {
    int ended;            /* standard input has no more lines */
    struct error refused; /* of rank 0: why the last line is no root; ST_OK: it is one */
    int any_refused;      /* of rank 0: some line was refused */
    char *line;           /* of rank 0, as it was read */
    size_t capacity;
};

/* The order of rank 0 to all ranks, made from a line. */
struct order {
    enum { ORDER_SEARCH, ORDER_NOTHING, ORDER_END, ORDER_FAIL } what;
    uint64_t id;
};

/* The next line that is not empty, without its end. NULL at the end of the input. */
static const char *read_line(struct serve *s)
{
    while (getline(&s->line, &s->capacity, stdin) > 0) {
        s->line[strcspn(s->line, "\r\n")] = '\0';
        if (*s->line != '\0')
            return s->line;
    }
    return NULL;
}

static enum status find_id(const char *line, uint64_t n, const struct name_map *map, uint64_t *id, struct error *e)
{
    if (map != NULL)
        return name_map_find(map, &line, 1, id, e);
    if (parse_u64(line, id) != 0 && !has_digits_alone(line))
        return fail(e, ST_USAGE, "'%.64s' is not a whole number", line);
    if (parse_u64(line, id) != 0 || *id >= n)
        return fail(e, ST_USAGE, "root %.64s: the graph has vertices 0 to %" PRIu64, line, n - 1);
    return ST_OK;
}

/* Reads a line and makes an order of it, on rank 0. */
static struct order read_order(struct serve *s, const struct searcher *searcher, struct error *e)
{
    struct order order = {.what = ORDER_END};
    const char *line = read_line(s);
    s->refused = (struct error){0};
    if (line == NULL && ferror(stdin)) {
        fail_errno(e, "standard input", "cannot read");
        order.what = ORDER_FAIL;
    }
    if (line == NULL)
        return order;
    order.what = ORDER_SEARCH;
    if (find_id(line, searcher->graph.manifest.totals.n, searcher->map, &order.id, &s->refused) != ST_OK ||
        outputs_check_roots(searcher->args, &order.id, 1, &s->refused) != ST_OK) {
        order.what = ORDER_NOTHING;
        s->any_refused = 1;
    }
    return order;
}

/* Collective. Waits for a line, and finds out where its root is: roots->count becomes 1; or 0 if standard input has
 * ended, the line is no root of the graph, or a file of its results must not be written. */
static enum status next_root(struct serve *s, struct searcher *searcher, struct error *e)
{
    const struct rank *rank = &searcher->rank;
    struct roots *root = &searcher->roots;
    struct order order = {.what = ORDER_END};
    watch_phase("waiting for a root");
    if (rank->comm->rank == 0)
        order = read_order(s, searcher, e);
    comm_await(rank->comm, &order, sizeof order);
    s->ended = order.what == ORDER_END;
    root->count = order.what == ORDER_SEARCH;
    *root->ids = order.id;
    if (order.what == ORDER_FAIL)
        return comm_agree(rank->comm, e);
    return root->count > 0 ? roots_locate(root, rank, e) : ST_OK;
}

/* Prints a line for each line of standard input: a record, or the reason why there is none. */
static enum status serve_all(struct run *run, struct error *e)
{
    struct serve serve = {0};
    struct searcher *s = &run->searcher;
    int talks = s->comm.rank == 0;
    while (next_root(&serve, s, e) == ST_OK && !serve.ended) {
        struct record record = {0};
        if (s->roots.count > 0 && search_one(run, 0, &record, talks, e) != ST_OK)
            break;
        if (serve.refused.status != ST_OK)
            fprintf(run->talk, "error %s\n", serve.refused.text);
        record_free(&record);
        if (talks)
            stream_flush(run->talk, e);
        if (comm_agree(&s->comm, e) != ST_OK)
            break;
    }
    if (e->status == ST_OK && comm_max_of(&s->comm, (uint64_t)serve.any_refused))
        fail(e, ST_USAGE, "standard input: not every line was a root to search from");
    free(serve.line);
    return comm_agree(&s->comm, e);
}

/* ---- the end ---- */

static enum status conclude(struct run *run, struct error *e)
{
    if (run->args->trace != NULL && trace_file_commit(&run->trace, e) != ST_OK)
        return e->status;
    run->env.peak_bytes = comm_max_of(&run->searcher.comm, memory_peak_bytes());
    if (run->searcher.comm.rank == 0) {
        if (!run->args->cli.quiet || run->talk == stdout) /* with -q, a result on stdout stands alone */
            report_summary(run->talk, run->records, run->searcher.roots.count);
        stream_flush(run->talk, e);
        if (run->args->json != NULL && e->status == ST_OK)
            report_json(run->args->json, &run->env, run->records, run->searcher.roots.count, e);
    }
    return comm_agree(&run->searcher.comm, e);
}

static void tear_down(void *context)
{
    struct run *run = context;
    for (uint64_t i = 0; run->records != NULL && i < run->searcher.roots.count; i++)
        record_free(&run->records[i]);
    free(run->records);
    outfile_abort(run->trace.out);
}

static int print_plan(struct args *args)
{
    struct error error = {0};
    if (outputs_check(args, &error) == ST_OK)
        plan_print(args, &error);
    args_free(args);
    return cli_finish(&args->cli, &error);
}

static void work(void *context, struct error *e)
{
    struct run *run = context;
    if (set_up(run, e) != ST_OK)
        return;
    if (run->args->serve)
        serve_all(run, e);
    else if (search_all(run, e) == ST_OK)
        conclude(run, e);
}

int run_searches(struct args *args, const struct bfs_method *method, char **argv)
{
    static struct run run;
    static char own_name[] = "dbfs-traverse";
    if (args->cli.within_dbfs)
        argv[0] = own_name; /* the command in the report can be run again */
    run = (struct run){.args = args,
                       .command = argv,
                       .searcher.method = method,
                       .talk = args_stdouts(args) > 0 ? stderr : stdout};
    return args->plan ? print_plan(args) : searcher_run(&run.searcher, args, 0, work, tear_down, &run);
}
