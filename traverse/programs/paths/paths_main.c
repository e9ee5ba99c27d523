/* paths_main.c: the program dbfs-paths, which finds distances and shortest paths between pairs of vertices.
 *
 * Each rank maps all shards, and searches between its share of the pairs, on CPUs or on a GPU. The ranks exchange nothing
 * but their results, which they add up at the end. With --distribute each rank has a part of the shards, on its CPU or its GPUs, and
 * all ranks search together. */
#include "pairs.h"

#include "traverse/engine/backend_table.h"
#include "traverse/options/options.h"
#include "traverse/session/report_text.h"
#include "traverse/session/searcher.h"
#include "traverse/session/statistics.h"

#include "formats/base/json_format.h"
#include "formats/base/outfile.h"
#include "formats/base/progress.h"
#include "formats/mpi/watch.h"
#include "formats/table.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The command line of dbfs-paths. */
struct paths_args {
    /* must be the first member, as the table of options has offsets into it; args.roots are alternately sources and targets */
    struct args args;
    const char *source, *target, *pairs; /* the arguments of -r, --target and --pairs; NULL: the option is not given */
    uint64_t sample; /* number of pairs that -n gives; 0: the option is not given */
    int one_sided;
    int paths; /* 1: paths are wanted (--path) */
};

/* All state of the program. */
struct run {
    struct paths_args paths;
    char *const *command; /* argv */
    struct searcher searcher; /* its roots are alternately sources and targets */
    struct pair_job job;
    struct pairs pairs;
};

/* ---- the command line ---- */

#define AT(member) offsetof(struct paths_args, member)

static const struct option_row own_options[] = {
    {.name = "roots", .letter = 'r', .value = "SOURCE", .group = GROUP_ROOTS, .of = OF_PATHS | EVERYDAY,
     .kind = TAKE_TEXT, .at = AT(source), .help = "where the path begins; with --map a name"},
    {.name = "target", .value = "TARGET", .group = GROUP_ROOTS, .of = OF_PATHS | EVERYDAY, .kind = TAKE_TEXT,
     .at = AT(target), .help = "where it ends"},
    {.name = "pairs", .value = "FILE", .group = GROUP_ROOTS, .of = OF_PATHS | EVERYDAY, .kind = TAKE_TEXT,
     .at = AT(pairs), .help = "or many of both: a source and a target on each line; '-' is standard input"},
    {.name = "count", .letter = 'n', .value = "COUNT", .group = GROUP_ROOTS, .of = OF_PATHS | EVERYDAY,
     .kind = TAKE_COUNT, .at = AT(sample), .least = 1, .most = MAX_ROOTS / 2,
     .help = "or COUNT pairs of sampled vertices with an edge to follow"},
    {.name = "path", .group = GROUP_RESULTS, .of = OF_PATHS | EVERYDAY, .kind = TAKE_FLAG, .at = AT(paths),
     .help = "also give the vertices of one shortest path"},
    {.name = "one-sided", .group = GROUP_SEARCH, .of = OF_PATHS | EVERYDAY, .kind = TAKE_FLAG, .at = AT(one_sided),
     .help = "search from the source alone, until the target is found"},
    {.name = "distribute", .group = GROUP_MACHINE, .of = OF_PATHS, .kind = TAKE_FLAG, .at = AT(args.distribute),
     .help = "divide the graph among the ranks, which search from each source together"},
};

static const struct option_program program = {
    .name = "dbfs-paths",
    .bit = OF_PATHS,
    .usage = "Usage: dbfs-paths [OPTION]... -r SOURCE --target TARGET DIR\n"
             "       dbfs-paths [OPTION]... --pairs FILE DIR\n"
             "       mpiexec -n R dbfs-paths [OPTION]... --pairs FILE DIR\n"
             "Distances and shortest paths between pairs of vertices, over the shards that dbfs-pack wrote to DIR.\n"
             "\n",
    .exit_codes = "Exit codes: 0 ok, 1 run-time failure, 2 usage, 3 bad data, 5 not enough memory or no GPU.\n",
    .own = own_options,
    .own_count = sizeof own_options / sizeof *own_options};

/* Cuts a line into two vertices, which blanks or a tab separate: writes a 0 byte after the first vertex, and returns the
 * second. Returns NULL if the line does not have two vertices. If `names` is 1, vertices are names, which may have blanks; so a
 * line with a tab is only cut at the tab. */
static char *cut_pair(char *line, int names)
{
    int tabs = names && strchr(line, '\t') != NULL;
    char *cut = line + strcspn(line, tabs ? "\t" : " \t"), *second;
    if (*cut == '\0' || cut == line)
        return NULL;
    *cut = '\0';
    second = cut + 1;
    if (!tabs)
        second += strspn(second, " \t");
    return *second != '\0' ? second : NULL;
}

/* Reads the file of --pairs, and appends the source and the target of each line to the roots of p->args, as texts. Ends the
 * program with a message if the file cannot be read or has too many pairs, or if a line does not have two vertices. */
static void read_pairs(struct paths_args *p)
{
    struct args *args = &p->args;
    struct roots_file *f = &args->roots_from;
    struct error e = {0};
    if (roots_file_read(f, p->pairs, "pair", args->cli.memory_bytes, &e) != ST_OK)
        args_end(args, &e);
    if (f->count > MAX_ROOTS / 2)
        cli_usage(&args->cli, "--pairs: more than %d pairs", MAX_ROOTS / 2);
    for (uint64_t i = 0; i < f->count; i++) {
        char *second = cut_pair(f->line[i], args->map != NULL);
        if (second == NULL) {
            fail(&e, ST_BAD_DATA, "%s: pair %" PRIu64 ": '%s': expected a source and a target", p->pairs, i + 1,
                 f->line[i]);
            args_end(args, &e);
        }
        args_add_root(args, f->line[i]);
        args_add_root(args, second);
    }
}

/* Converts the texts of all sources and targets to ids in p->args.roots, and frees the array of the texts. Called only
 * without --map. Ends the program with a message if a text is not a whole number that fits, apart from blanks after it. */
static void read_ids(struct paths_args *p)
{
    struct args *args = &p->args;
    struct error e = {0};
    args->roots = calloc(args->count, sizeof *args->roots);
    if (args->roots == NULL)
        fail_memory(&e, "pairs", args->count * sizeof *args->roots);
    for (uint64_t i = 0; i < args->count && e.status == ST_OK; i++) {
        const char *text = args->root_names[i];
        char *end;
        errno = 0;
        args->roots[i] = strtoull(text, &end, 10);
        if (isdigit((unsigned char)*text) && end[strspn(end, " \t")] == '\0' && errno == 0)
            continue;
        if (p->pairs == NULL)
            cli_usage(&args->cli, "%s: '%s' is not a whole number; vertices by name need --map",
                      i == 0 ? "-r" : "--target", text);
        fail(&e, ST_BAD_DATA, "%s: pair %" PRIu64 ": '%s' is not a whole number; vertices by name need --map",
             p->pairs, i / 2 + 1, text);
    }
    if (e.status != ST_OK)
        args_end(args, &e);
    free(args->root_names);
    args->root_names = NULL;
}

/* Reads the command line into *p, and reads the file of --pairs. Pairs must be given in exactly one way: by -r with
 * --target, by --pairs, or by -n. With -n, only sets args->count. Otherwise fills args->roots, or args->root_names if --map
 * is given. Ends the program with a message if the command line is wrong. */
static void parse(struct paths_args *p, int argc, char **argv)
{
    struct args *args = &p->args;
    args_begin(args, program.name);
    args->count = 0;
    options_read(args, &program, argc, argv);
    args_finish(args);
    if (args->distribute) { /* answers are made for paths alone: distances are read where the search left them */
        args->answer = ANSWER_PARENTS;
        args->record_parents = p->paths;
        args->no_answer = !p->paths;
    }
    const struct cli *cli = &args->cli;
    const int ways = (p->source != NULL || p->target != NULL) + (p->pairs != NULL) + (p->sample > 0);
    if (ways > 1)
        cli_usage(cli, "-r with --target, --pairs and -n exclude each other");
    if (ways == 0)
        cli_usage(cli, "which pairs? -r SOURCE --target TARGET, --pairs FILE or -n COUNT");
    if (p->pairs == NULL && p->sample == 0 && (p->source == NULL || p->target == NULL))
        cli_usage(cli, "%s is missing", p->source == NULL ? "-r SOURCE" : "--target TARGET");
    if (p->sample > 0) {
        args->count = 2 * p->sample;
        return;
    }
    args->roots_given = 1;
    if (p->pairs != NULL) {
        read_pairs(p);
    } else {
        args_add_root(args, (char *)p->source);
        args_add_root(args, (char *)p->target);
    }
    if (args->map == NULL)
        read_ids(p);
}

/* ---- the report ---- */

/* Returns the time of the search between a pair, in seconds. */
static double seconds_of(const struct pair_result *r)
{
    return 1e-9 * (double)r->nanoseconds;
}

/* Returns the distance of a pair in edges. Returns -1 if there is no path. */
static int64_t distance_of(const struct pair_result *r)
{
    return (int64_t)r->found - 1;
}

/* Writes a line for each pair: source, target and distance and, if paths are wanted, the vertices of the path. */
static enum status write_pairs(struct table *table, const struct run *run, struct error *e)
{
    for (uint64_t i = 0; i < run->pairs.count && e->status == ST_OK; i++) {
        const struct pair_result *r = &run->pairs.result[i];
        const uint64_t *ends = &run->job.roots->ids[2 * i];
        const uint64_t *path = run->pairs.path != NULL ? run->pairs.path[i] : NULL;
        table_vertex(table, (int64_t)ends[0], e);
        table_vertex(table, (int64_t)ends[1], e);
        table_number(table, distance_of(r), e);
        for (uint64_t k = 0; path != NULL && k < r->found; k++)
            table_vertex(table, (int64_t)path[k], e);
        table_end_line(table, e);
    }
    return e->status;
}

/* Prints the work of each pair to standard error, with -v. */
static void print_work(const struct run *run)
{
    for (uint64_t i = 0; i < run->pairs.count; i++) {
        const struct pair_result *r = &run->pairs.result[i];
        cli_detail(&run->paths.args.cli, "pair %" PRIu64 ": %" PRIu64 " edges, %" PRIu64 " vertices, %.9f s", i + 1, r->edges,
                   r->vertices, seconds_of(r));
    }
}

/* Sums over all pairs, and the median time of a search. */
struct summary {
    uint64_t reached, edges, vertices;
    double median_s, total_s;
};

/* Returns the sums over all pairs, and the median time of a search. The median is 0 if there is no memory for the times. */
static struct summary summary_of(const struct pairs *pairs)
{
    struct summary all = {0};
    struct statistics of;
    double *times = calloc(pairs->count, sizeof *times);
    for (uint64_t i = 0; i < pairs->count; i++) {
        const struct pair_result *r = &pairs->result[i];
        all.reached += r->found > 0;
        all.edges += r->edges;
        all.vertices += r->vertices;
        all.total_s += seconds_of(r);
        if (times != NULL)
            times[i] = seconds_of(r);
    }
    statistics_of_values(times, pairs->count, &of);
    all.median_s = of.median;
    free(times);
    return all;
}

/* Prints the summary: the numbers of pairs, of pairs with a path and of edges read, and the times over all pairs. */
static void print_summary(FILE *out, const struct run *run)
{
    const struct summary all = summary_of(&run->pairs);
    fprintf(out, "pairs: %" PRIu64 "\nreached: %" PRIu64 "\nedges: %" PRIu64 "\nmedian_time: %.9g\ntotal_time: %.9g\nsearch_time: %.9g\n",
            run->pairs.count, all.reached, all.edges, all.median_s, all.total_s, run->pairs.seconds);
}

/* Prints the member "environment" of the JSON document: the program, the graph, and how pairs were searched. */
static void json_environment(FILE *out, const struct run *run)
{
    const struct pair_job *job = &run->job;
    const struct graph *graph = job->graph;
    const struct args *args = &run->paths.args;
    struct json json = {out, "    ", 0};
    fputs("  \"environment\": {", out);
    json_text(&json, "\nversion", DBFS_VERSION);
    json_text(&json, "graph", args->folder);
    json_command(&json, run->command);
    json_member(&json, "\nvertices", JSON_COUNT, graph->manifest.totals.n);
    json_member(&json, "vertices_with_edges", JSON_COUNT, graph->vertices);
    json_member(&json, "base", JSON_COUNT, graph->base);
    json_member(&json, "delegates", JSON_COUNT, graph->manifest.d);
    json_member(&json, "shards", "%u", graph->manifest.p);
    json_member(&json, "\npack_id", JSON_HEX, graph->manifest.pack_id);
    json_member(&json, "load_s", JSON_SECONDS, graph->open_s + graph->check_s + graph->decode_s + graph->ranges_s);
    edges_json(&json, &graph->manifest);
    json_flag(&json, "reverse", args->reverse);
    json_member(&json, "\nranks", "%u", job->comm->ranks);
    json_member(&json, "threads_per_rank", "%d", job->threads);
    json_text(&json, "backend", job->together != NULL ? job->together->rank.backend->name : job->backend->name);
    json_flag(&json, "distributed", job->together != NULL);
    json_flag(&json, "one_sided", job->one_sided);
    if (!args->roots_given)
        json_member(&json, "seed", JSON_COUNT, args->seed);
    fputs("\n  },\n", out);
}

/* Prints the result of pair i as an item of the array "pairs", with the path if paths are wanted. */
static void json_pair(FILE *out, const struct run *run, uint64_t i)
{
    const struct pair_result *r = &run->pairs.result[i];
    const struct name_map *map = run->searcher.map;
    const uint64_t *ends = &run->job.roots->ids[2 * i], base = run->searcher.graph.base;
    struct json json = {out, "", 0};
    fputs("    {", out);
    json_vertex(&json, "source", map, ends[0], base);
    json_vertex(&json, "target", map, ends[1], base);
    json_member(&json, "distance", "%" PRId64, distance_of(r));
    json_member(&json, "edges", JSON_COUNT, r->edges);
    json_member(&json, "vertices", JSON_COUNT, r->vertices);
    json_member(&json, "time_s", JSON_SECONDS, seconds_of(r));
    if (run->pairs.path != NULL) {
        json_begin(&json, "path", '[');
        for (uint64_t k = 0; k < r->found; k++)
            json_vertex(&json, NULL, map, run->pairs.path[i][k], base);
        json_end(&json, ']');
    }
    fputs(i + 1 < run->pairs.count ? "},\n" : "}\n", out);
}

/* Prints the whole JSON document: the environment, the summary and the pairs. Called by outfile_print. */
static void print_json(FILE *out, const void *context)
{
    const struct run *run = context;
    const struct summary all = summary_of(&run->pairs);
    fputs(JSON_OPEN, out);
    json_environment(out, run);
    fprintf(out,
            "  \"summary\": {\n    \"pairs\": %" PRIu64 ", \"reached\": %" PRIu64 ", \"edges\": %" PRIu64
            ", \"vertices\": %" PRIu64 ",\n    \"time_s\": {\"median\": %.9g, \"total\": %.9g}, \"search_s\": %.9g\n  },\n  \"pairs\": [\n",
            run->pairs.count, all.reached, all.edges, all.vertices, all.median_s, all.total_s, run->pairs.seconds);
    for (uint64_t i = 0; i < run->pairs.count; i++)
        json_pair(out, run, i);
    fputs("  ]\n}\n", out);
}

/* Reports the results on rank 0: a line for each pair, and the file of --json. The lines go to standard error if the JSON goes to
 * standard output. If there are several pairs, their summary goes to standard error, so that it does not stand among the lines;
 * dbfs prints none, except with -v.
 * With --quiet, prints only the summary, and only to standard output. */
static enum status report(const struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    FILE *talk = args_talk(args);
    struct table table;
    print_work(run);
    table_begin_stream(&table, talk, TABLE_TABS, run->searcher.map, run->searcher.graph.base);
    if (!args->cli.quiet)
        write_pairs(&table, run, e);
    else if (talk == stdout)
        print_summary(stdout, run);
    if (e->status != ST_OK || stream_flush(talk, e) != ST_OK)
        return e->status;
    if (!args->cli.quiet && run->pairs.count > 1 && (!args->cli.within_dbfs || args->cli.verbose))
        print_summary(stderr, run);
    return args->json != NULL ? outfile_print(args->json, print_json, run, e) : ST_OK;
}

/* ---- searches ---- */

/* the least number of pairs for which a GPU is chosen; with fewer, the CPU is done before the graph is on a GPU */
enum { PAIRS_FOR_GPU = 64 };

/* Collective. Checks the given pairs, or samples pairs, and fills in the roots of the searcher. Fails if a given id is not
 * in the graph, or if the graph does not have the rows against the edges, which the search from the target reads. Sampled
 * vertices are all different, so if there are too few vertices, samples fewer pairs, and prints a warning. */
static enum status choose_pairs(struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    struct searcher *s = &run->searcher;
    const struct manifest *manifest = &s->graph.manifest;
    if (manifest->out_only && !run->paths.one_sided && !args->distribute)
        return fail(e, ST_USAGE, "%s: the directed graph has out-rows alone: --one-sided, --distribute, or pack it with --rows out,in",
                    args->folder);
    for (uint64_t i = 0; args->roots != NULL && i < args->count; i++) {
        char what[48];
        uint64_t ignored;
        snprintf(what, sizeof what, "pair %" PRIu64 ": %s", i / 2 + 1, i % 2 == 0 ? "source" : "target");
        if (id_from_user(&s->graph, what, args->roots[i], &ignored, e) != ST_OK)
            return e->status;
    }
    if (roots_choose(&s->roots, &s->rank, args, s->map, e) != ST_OK)
        return e->status;
    if (s->roots.count < 2)
        return fail(e, ST_RUNTIME, "%s: fewer than two vertices have edges: there is no pair to sample", args->folder);
    if (s->roots.count < args->count)
        cli_warn(&args->cli, "only %" PRIu64 " vertices have edges to follow: %" PRIu64 " pairs", s->roots.count,
                 s->roots.count / 2);
    return ST_OK;
}

/* Chooses the backend, and opens all shards. Without --backend, chooses the CPU for fewer than PAIRS_FOR_GPU pairs. Columns stay
 * packed for a backend without bytes_needed, which reads them only once. Returns the backend; NULL after a failure. */
static const struct pair_backend *open_whole_graph(struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    struct searcher *s = &run->searcher;
    const struct backend *devices = &backend_cpu;
    const struct pair_backend *backend = NULL;
    if (args->backend != BACKEND_AUTO || args->count / 2 >= PAIRS_FOR_GPU)
        backend_choose(&devices, args->backend, &args->cli, e);
    if (e->status == ST_OK)
        backend = backend_table(devices, &pair_cpu, &pair_cuda, e);
    if (e->status == ST_OK)
        searcher_open_shards(s, &comm_alone, backend->bytes_needed != NULL ? args->resident : RESIDENT_PACKED,
                             backend->bytes_needed, e);
    const size_t used = strlen(e->text);
    if (e->status == ST_RESOURCE && backend != NULL && s->comm.ranks > 1)
        snprintf(e->text + used, sizeof e->text - used, "; each rank has the whole graph: --distribute divides it among them");
    return backend;
}

/* Collective. Opens the shards, all on each rank or a part on each, chooses the pairs, and fills run->job. Fails on all ranks if
 * one rank fails. */
static enum status set_up(struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    struct searcher *s = &run->searcher;
    run->job = (struct pair_job){.comm = &s->comm,
                                 .graph = &s->graph,
                                 .roots = &s->roots,
                                 .together = args->distribute ? s : NULL,
                                 .budget = &s->budget,
                                 .one_sided = run->paths.one_sided,
                                 .paths = run->paths.paths};
    run->job.backend = args->distribute ? &pair_together : open_whole_graph(run, e);
    if (args->distribute)
        searcher_open(s, run->paths.paths, e);
    if (e->status == ST_OK)
        choose_pairs(run, e);
    run->job.threads = s->threads;
    return comm_agree(&s->comm, e);
}

/* Does the whole work of the program: opens everything, searches between all pairs, and on rank 0 prints the results.
 * Called by searcher_run, with the struct run. */
static void work(void *context, struct error *e)
{
    struct run *run = context;
    const struct comm *comm = &run->searcher.comm;
    if (set_up(run, e) != ST_OK)
        return;
    if (comm->rank == 0)
        progress_start(&run->paths.args.cli);
    progress_stage("searching", run->searcher.roots.count / 2 / (run->job.together != NULL ? 1 : comm->ranks), PROGRESS_ITEMS);
    watch_phase("searching between pairs");
    pairs_search(&run->pairs, &run->job, e);
    progress_end();
    if (e->status != ST_OK)
        return;
    if (comm->rank == 0)
        report(run, e);
    comm_agree(comm, e);
}

/* Frees the results. Called by searcher_run at the end, with the struct run. */
static void tear_down(void *context)
{
    pairs_free(&((struct run *)context)->pairs);
}

/* Runs dbfs-paths: reads the command line, and lets searcher_run call `work` and `tear_down`. Returns the exit code. */
int main(int argc, char **argv)
{
    static struct run run;
    cli_begin();
    parse(&run.paths, argc, argv);
    run.command = argv;
    run.searcher.method = &bfs_by_levels;
    return searcher_run(&run.searcher, &run.paths.args, !run.paths.args.distribute, work, tear_down, &run);
}
