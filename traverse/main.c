/* main.c: dbfs-traverse: opens the graph, searches from each root, and reports */
#include "traverse/options/args.h"
#include "plan.h"
#include "traverse/search/record.h"
#include "traverse/search/roots.h"
#include "traverse/search/searcher.h"

#include "formats/base/progress.h"
#include "formats/base/text.h"
#include "formats/mpi/lead.h"
#include "formats/mpi/watch.h"

#include "traverse/report/report.h"
#include "traverse/report/trace_file.h"
#include "traverse/results/outputs.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct run {
    struct args args;
    char *const *command; /* argv */
    struct searcher searcher;
    struct record *records; /* [roots.count] */
    struct environment env;
    struct trace_file trace; /* with --trace */
    FILE *talk; /* records and summary: stdout, or stderr if a result takes stdout */
};

static enum status set_up(struct run *run, struct error *e)
{
    const struct args *args = &run->args;
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

static enum status name_root(const struct run *run, uint64_t id, struct record *record, struct error *e)
{
    record->root = id;
    if (run->searcher.map == NULL)
        return ST_OK;
    struct map_name name = name_map_at(run->searcher.map, id);
    record->name = strndup(name.bytes, name.length);
    return record->name != NULL ? ST_OK : fail_memory(e, "the name of the root", name.length + 1);
}

/* Writes parents first, as they usually are the answer that the devices hold. */
static enum status write_results(struct run *run, const struct root *root, struct error *e)
{
    const struct args *args = &run->args;
    struct result_file depths = {
        .name = args->depths, .kind = ANSWER_DEPTHS, .format = (enum result_format)args->result_format,
        .in_place = args->in_place, .map = run->searcher.map};
    struct result_file parents = {.name = args->parents,
                                  .kind = ANSWER_PARENTS,
                                  .format = (enum result_format)args->result_format,
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
    watch_phase("searching from root %" PRIu64, roots->ids[i]);
    if (name_root(run, roots->ids[i], record, e) != ST_OK ||
        record_search(record, s, &run->args, &roots->root[i], e) != ST_OK) {
        if (s->comm.ranks > 1)
            comm_abort(&s->comm, run->args.cli.program, e);
        return e->status; /* nobody waits, and unfinished files are removed */
    }
    if (talks && !run->args.serve)
        report_record(run->talk, &run->env, record);
    watch_phase("writing results of root %" PRIu64, roots->ids[i]);
    /* with --serve the line says that the files are complete */
    if (write_results(run, &roots->root[i], e) == ST_OK && talks && run->args.serve)
        report_record(run->talk, &run->env, record);
    return e->status;
}

static enum status search_all(struct run *run, struct error *e)
{
    const struct roots *roots = &run->searcher.roots;
    struct searcher *s = &run->searcher;
    int talks = s->comm.rank == 0 && !run->args.cli.quiet;
    if (talks)
        report_environment(run->talk, &run->env);
    if (run->args.trace != NULL &&
        trace_file_open(&run->trace, run->args.trace, &s->rank, e) != ST_OK)
        return e->status;
    for (uint64_t i = 0; i < run->args.warm_up; i++)
        record_nothing(s, &run->args, &roots->root[i % roots->count]);
    if (talks && !run->args.cli.verbose && !isatty(fileno(run->talk)))
        progress_start(&run->args.cli);
    progress_stage("searching", roots->count, PROGRESS_ITEMS);
    for (uint64_t i = 0; i < roots->count; i++) {
        if (search_one(run, i, &run->records[i], talks, e) != ST_OK ||
            (run->args.trace != NULL && trace_file_add(&run->trace, &run->records[i], e) != ST_OK))
            return e->status;
        progress_add(1);
    }
    progress_end();
    return ST_OK;
}

/* ---- roots that come one after the other on standard input (--serve) ----
 *
 * Rank 0 reads a line for each and passes it on. Until it comes ranks sleep, and --timeout does not count. */

enum { MOST_LINE_BYTES = 1 << 20 }; /* of a line that can be a root: names may be long */

struct serve {
    int ended;            /* standard input has no more lines */
    struct error refused; /* of rank 0: why the last line is no root; ST_OK: it is one */
    int any_refused;      /* of rank 0: some line was refused */
    char line[MOST_LINE_BYTES + 1]; /* of rank 0 */
};

/* The order of rank 0 to all ranks, made from a line. */
struct order {
    enum { ORDER_SEARCH, ORDER_NOTHING, ORDER_END, ORDER_FAIL } what;
    uint64_t id;
};

/* Reads a line, whose end is "\n" or "\r\n". Returns its bytes without the end, of which s->line gets as many as it has
 * room for; -1: the input has ended, or cannot be read. */
static int64_t read_line(struct serve *s)
{
    int64_t bytes = 0;
    int c;
    for (; (c = getc_unlocked(stdin)) != EOF && c != '\n'; bytes++) {
        if (bytes < MOST_LINE_BYTES)
            s->line[bytes] = (char)c;
    }
    if (c == EOF && (bytes == 0 || ferror(stdin)))
        return -1;
    if (bytes > 0 && bytes <= MOST_LINE_BYTES && s->line[bytes - 1] == '\r')
        bytes--;
    s->line[bytes < MOST_LINE_BYTES ? bytes : MOST_LINE_BYTES] = '\0';
    return bytes;
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

/* Refuses a line of which only a part could be looked up. */
static enum status check_line(const char *line, int64_t bytes, struct error *e)
{
    if (bytes > MOST_LINE_BYTES)
        return fail(e, ST_USAGE, "a line of %" PRId64 " bytes: expected %d at most", bytes, MOST_LINE_BYTES);
    if (memchr(line, '\0', (size_t)bytes) != NULL)
        return fail(e, ST_USAGE, "'%.64s' goes on with a NUL byte: expected a line of text", line);
    return ST_OK;
}

/* Reads lines until one is not empty, and makes an order of it, on rank 0. */
static struct order read_order(struct serve *s, const struct searcher *searcher, struct error *e)
{
    struct order order = {.what = ORDER_SEARCH};
    int64_t bytes;
    while ((bytes = read_line(s)) == 0)
        ;
    s->refused = (struct error){0};
    if (bytes < 0 && ferror(stdin))
        fail_errno(e, "standard input", "cannot read");
    else if (bytes < 0)
        order.what = ORDER_END;
    else if (check_line(s->line, bytes, &s->refused) != ST_OK ||
             find_id(s->line, searcher->graph.manifest.totals.n, searcher->map, &order.id, &s->refused) != ST_OK ||
             outputs_check_roots(searcher->args, &order.id, 1, &s->refused) != ST_OK)
        order.what = ORDER_NOTHING;
    if (s->refused.status == ST_RESOURCE) /* the line may well be a root */
        *e = s->refused;
    s->any_refused |= order.what == ORDER_NOTHING;
    if (e->status != ST_OK)
        order.what = ORDER_FAIL;
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

/* Prints the reason on one line, whatever bytes the line of standard input or the name of a file brought into it. */
static void print_refusal(FILE *out, const char *reason)
{
    fputs("error ", out);
    for (; *reason != '\0'; reason++)
        putc(iscntrl((unsigned char)*reason) ? '?' : *reason, out);
    putc('\n', out);
}

/* Prints a line for each line of standard input: a record, or the reason why there is none. */
static enum status serve_all(struct run *run, struct error *e)
{
    static struct serve serve;
    struct searcher *s = &run->searcher;
    int talks = s->comm.rank == 0;
    while (next_root(&serve, s, e) == ST_OK && !serve.ended) {
        struct record record = {0};
        if (s->roots.count > 0 && search_one(run, 0, &record, talks, e) != ST_OK)
            break;
        if (serve.refused.status != ST_OK)
            print_refusal(run->talk, serve.refused.text);
        record_free(&record);
        if (talks)
            stream_flush(run->talk, e);
        if (comm_agree(&s->comm, e) != ST_OK)
            break;
    }
    if (e->status == ST_OK && comm_max_of(&s->comm, (uint64_t)serve.any_refused))
        fail(e, ST_USAGE, "standard input: not every line was a root to search from");
    return comm_agree(&s->comm, e);
}

/* ---- the end ---- */

static enum status conclude(struct run *run, struct error *e)
{
    if (run->args.trace != NULL && trace_file_commit(&run->trace, e) != ST_OK)
        return e->status;
    run->env.peak_bytes = comm_max_of(&run->searcher.comm, memory_peak_bytes());
    if (run->searcher.comm.rank == 0) {
        if (!run->args.cli.quiet || run->talk == stdout) /* with -q, a result on stdout stands alone */
            report_summary(run->talk, run->records, run->searcher.roots.count);
        stream_flush(run->talk, e);
        if (run->args.json != NULL && e->status == ST_OK)
            report_json(run->args.json, &run->env, run->records, run->searcher.roots.count, e);
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
    if (run->args.serve)
        serve_all(run, e);
    else if (search_all(run, e) == ST_OK)
        conclude(run, e);
}

int main(int argc, char **argv)
{
    static struct run run;
    cli_begin();
    run.command = argv;
    args_parse(&run.args, argc, argv);
    run.talk = args_stdouts(&run.args) > 0 ? stderr : stdout;
    return run.args.plan ? print_plan(&run.args) : searcher_run(&run.searcher, &run.args, 0, work, tear_down, &run);
}
