/* diameter_main.c: the program dbfs-diameter, which finds diameter, radius and eccentricities by few searches, and proves them by
 * pairs of bounds that meet */
#include "diameter_state.h"
#include "finder.h"

#include "traverse/options/options.h"
#include "traverse/results/outputs.h"
#include "traverse/session/report_text.h"

#include "formats/base/json_format.h"
#include "formats/base/outfile.h"
#include "formats/base/signals.h"
#include "formats/base/text.h"
#include "formats/mpi/watch.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAVED_EVERY_S = 60 }; /* seconds between two writes of the state */

/* All state of the program. */
struct diameter {
    struct args args; /* must be the first member, as the table of options has offsets into it; args.depths: the file of --all */
    char *const *command; /* argv */
    const char *root;     /* the argument of -r; NULL: not given */
    const char *resume;   /* the file of the state; NULL: none is kept */
    int wants_diameter, wants_radius, every;
    uint64_t most_searches;
    struct searcher searcher;
    struct searcher reverse; /* of a directed graph: searches against the edges; otherwise not open */
    struct finder finder;
    FILE *talk;      /* where reports are printed: stdout, or stderr if a result is written to stdout */
    double started, saved; /* when the first search began, and when the state was written last, by cli_seconds */
    double seconds;        /* from the first search to the end */
    int met;               /* 1: all bounds have met; 0: the search was stopped */
};

static volatile sig_atomic_t asked; /* the signal that asked the program to stop; 0: none */

/* ---- the command line ---- */

#define AT(member) offsetof(struct diameter, member)

static const struct option_row own_options[] = {
    {.name = "roots", .letter = 'r', .value = "VERTEX", .group = GROUP_ROOTS, .of = OF_DIAMETER | EVERYDAY, .kind = TAKE_TEXT,
     .at = AT(root), .help = "of the component of this vertex (default: of the largest); with --map a name"},
    {.name = "every", .group = GROUP_ROOTS, .of = OF_DIAMETER | EVERYDAY, .kind = TAKE_FLAG, .at = AT(every),
     .help = "of every component: the diameter is the largest of theirs"},
    {.name = "diameter", .group = GROUP_RESULTS, .of = OF_DIAMETER | EVERYDAY, .kind = TAKE_FLAG, .at = AT(wants_diameter),
     .help = "find the largest eccentricity (default), and two vertices that are so far apart"},
    {.name = "radius", .group = GROUP_RESULTS, .of = OF_DIAMETER | EVERYDAY, .kind = TAKE_FLAG, .at = AT(wants_radius),
     .help = "find the smallest eccentricity, and a vertex that has it"},
    {.name = "all", .value = "FILE", .group = GROUP_RESULTS, .of = OF_DIAMETER | EVERYDAY, .kind = TAKE_TEXT,
     .at = offsetof(struct diameter, args.depths),
     .help = "find all eccentricities, and write them: .npy, .raw, .csv, or text with tabs"},
    {.name = "resume", .value = "FILE", .group = GROUP_RESULTS, .of = OF_DIAMETER | EVERYDAY, .kind = TAKE_TEXT,
     .at = AT(resume), .help = "keep the state in FILE until the end, and go on with it if it is there"},
    {.name = "searches", .value = "MAX", .group = GROUP_SEARCH, .of = OF_DIAMETER | EVERYDAY, .kind = TAKE_COUNT,
     .at = AT(most_searches), .least = 1, .most = UINT64_MAX, .help = "stop after so many searches, and print the bounds"},
};

static const struct option_program program = {
    .name = "dbfs-diameter",
    .bit = OF_DIAMETER,
    .usage = "Usage: dbfs-diameter [OPTION]... DIR\n"
             "       mpiexec -n R dbfs-diameter [OPTION]... DIR\n"
             "Diameter, radius and eccentricities of the graph that dbfs-pack wrote to DIR, by few searches.\n"
             "\n",
    .exit_codes = "Exit codes: 0 ok, 1 run-time failure, 2 usage, 3 bad data, 5 not enough memory or no GPU.\n",
    .own = own_options,
    .own_count = sizeof own_options / sizeof *own_options};

/* Reads the command line into *d. Ends the program with a message if it is wrong. */
static void parse(struct diameter *d, int argc, char **argv)
{
    struct args *args = &d->args;
    args_begin(args, program.name);
    args->count = 0;
    d->most_searches = UINT64_MAX;
    options_read(args, &program, argc, argv);
    if (d->root != NULL) {
        args->roots_given = 1;
        args_add_root(args, args_copy(args, d->root));
        options_read_ids(args);
    }
    args_finish(args);
    args->no_answer = args->depths == NULL;
    if (args->depths == NULL && !d->wants_radius)
        d->wants_diameter = 1;
    if (d->root != NULL && args->count != 1)
        cli_usage(&args->cli, "-r: one vertex names a component, not %" PRIu64, args->count);
    if (d->every && (d->root != NULL || d->wants_radius))
        cli_usage(&args->cli, "--every: is not for %s", d->root != NULL ? "-r, which names one component"
                                                                       : "--radius, which each component has");
    if (args->depths != NULL && strstr(args->depths, "%d") != NULL)
        cli_usage(&args->cli, "--all %s: there is one file, and no root for %%d", args->depths);
    if (d->resume != NULL && outfile_is_stdout(d->resume))
        cli_usage(&args->cli, "--resume: standard output is no file to go on with");
}

/* ---- reports ---- */

/* Returns the input id of a vertex. */
static uint64_t id_of(const struct diameter *d, const struct root *root)
{
    return original_id(&d->searcher.graph, root->id);
}

/* Prints the name of a vertex or, without a map, what people call it. */
static void show_vertex(FILE *out, const struct diameter *d, const struct root *root)
{
    const struct name_map *map = d->searcher.map;
    name_map_show(out, map, map != NULL ? id_of(d, root) : shown_id(&d->searcher.graph, id_of(d, root)));
}

/* Prints "NAME: LOWER..UPPER", or one number if the bounds have met. */
static void print_bounds(FILE *out, const char *name, struct range range)
{
    fprintf(out, "%s%" PRId32, name, range.lower);
    if (range.lower != range.upper)
        fprintf(out, "..%" PRId32, range.upper);
}

/* Prints a line about the last search, with the bounds that it has left. Called on rank 0. */
static void print_search(const struct diameter *d)
{
    const struct known *k = &d->finder.known;
    const struct goals *g = &d->finder.goals;
    fprintf(d->talk, "search %" PRIu64 " root ", k->searches);
    show_vertex(d->talk, d, &d->finder.known.last);
    print_bounds(d->talk, " diameter ", k->diameter);
    print_bounds(d->talk, " radius ", k->radius);
    fprintf(d->talk, " open %" PRIu64 " time_s %.6f\n", g->all ? k->open : g->diameter && k->above > 0 ? k->above : k->below,
            cli_seconds() - d->started);
    fflush(d->talk);
}

/* Prints an option of the command below, and a vertex as its value. */
static void print_vertex_word(FILE *out, const char *option, const struct diameter *d, const struct root *root)
{
    const struct name_map *map = d->searcher.map;
    fprintf(out, " %s ", option);
    if (map == NULL) {
        show_vertex(out, d, root);
    } else {
        const struct map_name name = name_map_at(map, id_of(d, root));
        text_print_word(out, name.bytes, name.length);
    }
}

/* Prints the command that prints a path as long as the diameter. */
static void print_path_command(FILE *out, const struct diameter *d)
{
    const struct known *k = &d->finder.known;
    fputs("\ndiameter_path: dbfs-paths --path", out);
    if (d->searcher.map != NULL) {
        fputs(" --map ", out);
        text_print_word(out, d->args.map, strlen(d->args.map));
    }
    print_vertex_word(out, "-r", d, &k->from);
    print_vertex_word(out, "--target", d, &k->to);
    fputc(' ', out);
    text_print_word(out, d->args.folder, strlen(d->args.folder));
}

/* Prints the results and, unless --quiet is given, the command for a path. Called on rank 0. */
static void print_summary(const struct diameter *d)
{
    const struct known *k = &d->finder.known;
    FILE *out = d->talk;
    fprintf(out, "bounds: %s\n", d->met ? "met" : "open, as the search was stopped");
    print_bounds(out, "diameter: ", k->diameter);
    fputs("\ndiameter_from: ", out);
    show_vertex(out, d, &k->from);
    fputs("\ndiameter_to: ", out);
    show_vertex(out, d, &k->to);
    if (!d->args.cli.quiet)
        print_path_command(out, d);
    fputc('\n', out);
    if (!d->every) {
        print_bounds(out, "radius: ", k->radius);
        fputs("\ncenter: ", out);
        show_vertex(out, d, &k->center);
        fprintf(out, "\ncomponent: %" PRIu64 "\n", k->size);
    } else {
        fprintf(out, "components: %" PRIu64 "\n", k->components);
    }
    fprintf(out, "searches: %" PRIu64 "\nsearch_time: %.9g\ntime: %.9g\n", k->searches, d->finder.search.seconds, d->seconds);
}

/* Prints the JSON document. Called by outfile_print. */
static void print_json(FILE *out, const void *context)
{
    const struct diameter *d = context;
    const struct known *k = &d->finder.known;
    const struct graph *graph = &d->searcher.graph;
    struct json json = {out, "  ", 0};
    fputs(JSON_OPEN "  ", out);
    json_text(&json, "program", program.name);
    json_text(&json, "version", DBFS_VERSION);
    json_text(&json, "\ngraph", d->args.folder);
    json_command(&json, d->command);
    json_member(&json, "\nvertices", JSON_COUNT, graph->manifest.totals.n);
    json_member(&json, "vertices_with_edges", JSON_COUNT, graph->vertices);
    json_member(&json, "base", JSON_COUNT, graph->base);
    json_member(&json, "shards", "%u", graph->manifest.p);
    json_member(&json, "ranks", "%u", d->searcher.comm.ranks);
    json_member(&json, "threads_per_rank", "%d", d->searcher.threads);
    json_text(&json, "backend", d->searcher.rank.backend->name);
    json_flag(&json, "\nbounds_met", d->met);
    json_begin(&json, "\ndiameter", '{');
    json_member(&json, "lower", "%" PRId32, k->diameter.lower);
    json_member(&json, "upper", "%" PRId32, k->diameter.upper);
    json_vertex(&json, "from", d->searcher.map, id_of(d, &k->from), graph->base);
    json_vertex(&json, "to", d->searcher.map, id_of(d, &k->to), graph->base);
    json_end(&json, '}');
    if (!d->every) {
        json_begin(&json, "\nradius", '{');
        json_member(&json, "lower", "%" PRId32, k->radius.lower);
        json_member(&json, "upper", "%" PRId32, k->radius.upper);
        json_vertex(&json, "center", d->searcher.map, id_of(d, &k->center), graph->base);
        json_end(&json, '}');
        json_member(&json, "\ncomponent_vertices", JSON_COUNT, k->size);
    } else {
        json_member(&json, "\ncomponents", JSON_COUNT, k->components);
    }
    json_member(&json, "searches", JSON_COUNT, k->searches);
    json_member(&json, "search_s", JSON_SECONDS, d->finder.search.seconds);
    json_member(&json, "time_s", JSON_SECONDS, d->seconds);
    fputs("\n}\n", out);
}

/* ---- the file of --all ---- */

/* Overwrites the answer of device g by eccentricities. delegate[d] has those of the delegates. Vertices of other components keep
 * -1, and so does, unless every component is wanted or the graph is directed, a vertex without edges. */
static enum status fill_answer(const struct diameter *d, uint32_t g, const int32_t *delegate, struct error *e)
{
    const struct searcher *s = &d->searcher;
    const struct graph *graph = &s->graph;
    const struct shard *shard = &graph->shards[g];
    const int32_t *lower = d->finder.bounds.lower + d->finder.search.first[g];
    const uint64_t count = s->results.answers.tables[g].values;
    int32_t *values;
    if (memory_take(d->finder.bounds.budget, (void **)&values, count, 4, "eccentricities by id", e) != ST_OK)
        return e->status;
    if (!d->every && !directed_is_open(&d->finder.directed))
        memset(values, 0xff, count * sizeof *values);
    for (uint64_t i = 0; i < shard->locals; i++)
        values[answers_index(graph, local_vertex_id(shard, i))] = lower[i] < 0 ? -1 : lower[i];
    for (uint64_t i = 0; i < shard->d; i++) {
        const uint64_t id = shard_delegate_id(shard, i);
        if (shard_of_vertex(id, graph->manifest.p) == shard->index)
            values[answers_index(graph, id)] = delegate[i] < 0 ? -1 : delegate[i];
    }
    s->rank.backend->answers->copy(s->rank.devices[g], s->results.answers.arrays[g].values, values, count * sizeof *values, e);
    memory_release(d->finder.bounds.budget, values);
    return e->status;
}

/* Collective. Writes all eccentricities by input id. They take the place of the distances from the last root. */
static enum status write_all(struct diameter *d, struct error *e)
{
    struct searcher *s = &d->searcher;
    struct finder *f = &d->finder;
    const struct result_file file = {
        .name = d->args.depths, .kind = ANSWER_DEPTHS, .columns = "id,eccentricity", .map = s->map};
    const uint64_t first = f->search.first[s->graph.device_count], delegates = s->graph.manifest.d;
    int32_t *delegate = f->scratch + first;
    if (s->comm.rank == 0)
        memcpy(delegate, f->bounds.lower + first, delegates * sizeof *delegate);
    comm_broadcast(&s->comm, delegate, delegates * sizeof *delegate, 0);
    answers_make(&s->results.answers, ANSWER_DEPTHS, &(struct root_set){&f->known.last, 1}, f->search.levels, e);
    for (uint32_t g = 0; g < s->graph.device_count && e->status == ST_OK; g++)
        fill_answer(d, g, delegate, e);
    if (e->status == ST_OK && f->known.last.at == ROOT_AT_ISOLATED)
        answers_set_value(&s->results.answers, f->known.last.id, 0, e);
    if (comm_agree(&s->comm, e) != ST_OK)
        return e->status;
    return results_write(&s->results, &file, e);
}

/* ---- the work ---- */

/* Collective. Opens searches against the edges of a directed graph. Fails if an option does not fit such a graph. */
static enum status set_up_directed(struct diameter *d, struct error *e)
{
    const struct searcher *s = &d->searcher;
    const char *folder = d->args.folder;
    if (d->root != NULL)
        return fail(e, ST_USAGE, "%s: -r: has directed edges, and is taken as a whole: no vertex names a component of it", folder);
    if (s->graph.manifest.out_only)
        return fail(e, ST_USAGE, "%s: searches against the edges go by in-rows, and it was packed with --rows out", folder);
    if (s->comm.ranks > 1)
        return fail(e, ST_USAGE, "%s: has directed edges, and one rank takes such a graph, with all threads or GPUs, not %" PRIu32, folder,
                    s->comm.ranks);
    if (d->every)
        cli_note(&d->args.cli, "--every: has no effect, as a directed graph is taken as a whole");
    d->every = 0;
    return searcher_open_reverse(&d->reverse, &d->searcher, e);
}

/* Collective. Opens the graph, and finds the vertex of -r. Fails if the file of the state cannot be written. */
static enum status set_up(struct diameter *d, struct error *e)
{
    struct searcher *s = &d->searcher;
    if (s->comm.rank == 0 && d->resume != NULL) {
        struct stat st;
        if (stat(d->resume, &st) == 0 && !S_ISREG(st.st_mode))
            fail(e, ST_USAGE, "%s: is no file that --resume could go on with", d->resume);
        outfile_refuse_output(d->resume, d->args.depths, e);
        outfile_refuse_output(d->resume, d->args.json, e);
        outfile_check_output(d->resume, 1, e);
    }
    if (comm_agree(&s->comm, e) != ST_OK || searcher_open(s, d->args.depths != NULL, e) != ST_OK)
        return e->status;
    const int directed = s->graph.manifest.direction == EDGES_DIRECTED;
    if ((directed && set_up_directed(d, e) != ST_OK) || (d->root != NULL && searcher_choose_roots(s, e) != ST_OK))
        return e->status;
    if (s->graph.manifest.totals.n == 0)
        return fail(e, ST_BAD_DATA, "%s: the graph has no vertices", d->args.folder);
    signals_ask(&asked);
    const struct goals goals = {d->wants_diameter, d->wants_radius, d->args.depths != NULL, d->every};
    return finder_open(&d->finder, s, directed ? &d->reverse : NULL, &goals, e);
}

/* Collective. Writes the state if it is kept. */
static enum status save(struct diameter *d, struct error *e)
{
    if (d->resume == NULL)
        return ST_OK;
    watch_phase("writing the state");
    d->saved = cli_seconds();
    return diameter_state_write(d->resume, &d->finder, d->root != NULL ? d->searcher.roots.ids[0] : UINT64_MAX, e);
}

/* Collective. Returns whether the user wants the search to stop. */
static int is_stopped(const struct diameter *d)
{
    return d->finder.known.searches >= d->most_searches || comm_max_of(&d->searcher.comm, (uint64_t)asked) > 0;
}

/* Collective. Searches until the bounds of the present component meet, or until the user wants it to stop. */
static enum status search_component(struct diameter *d, struct error *e)
{
    const struct comm *comm = &d->searcher.comm;
    const int talks = comm->rank == 0 && !d->args.cli.quiet;
    while (!finder_is_done(&d->finder) && !is_stopped(d)) {
        watch_phase("search %" PRIu64, d->finder.known.searches + 1);
        if (finder_step(&d->finder, d->most_searches - d->finder.known.searches, e) != ST_OK)
            return e->status;
        if (talks)
            print_search(d);
        if (comm_max_of(comm, cli_seconds() - d->saved > SAVED_EVERY_S) && save(d, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* Collective. Searches one component after the other, as many as are wanted, or until the user wants it to stop. Sets d->met. */
static enum status search_all(struct diameter *d, struct error *e)
{
    struct finder *f = &d->finder;
    const struct root *root = d->root != NULL ? &d->searcher.roots.root[0] : NULL;
    int found = 0, begun = 1;
    if (d->resume != NULL && diameter_state_read(d->resume, f, d->root != NULL ? d->searcher.roots.ids[0] : UINT64_MAX, &found, e) != ST_OK)
        return e->status;
    d->started = d->saved = cli_seconds();
    if (found && finder_restore(f, e) != ST_OK)
        return e->status;
    for (;;) {
        if (!found && finder_begin(f, root, &begun, e) != ST_OK)
            return e->status;
        if (!begun)
            break;
        if (!found && d->searcher.comm.rank == 0 && !d->args.cli.quiet)
            print_search(d);
        found = 0;
        if (search_component(d, e) != ST_OK)
            return e->status;
        const int is_done = finder_is_done(f);
        d->met = is_done && !d->every;
        if (!is_done || (d->every && is_stopped(d)))
            break;
        f->known.components++;
        if (!d->every)
            break;
    }
    d->met |= !begun;
    return d->met ? ST_OK : save(d, e);
}

/* Collective. Writes the table of --all, removes the state, and reports. */
static enum status conclude(struct diameter *d, struct error *e)
{
    const struct comm *comm = &d->searcher.comm;
    d->seconds = cli_seconds() - d->started;
    if (d->met && d->args.depths != NULL && write_all(d, e) != ST_OK)
        return e->status;
    if (comm->rank == 0) {
        if (d->met && d->resume != NULL)
            unlink(d->resume);
        if (!d->args.cli.quiet || d->talk == stdout)
            print_summary(d);
        if (stream_flush(d->talk, e) == ST_OK && d->args.json != NULL)
            outfile_print(d->args.json, print_json, d, e);
        if (!d->met && d->args.depths != NULL && e->status == ST_OK)
            fail(e, ST_RUNTIME, "%s: was not written, as %" PRIu64 " eccentricities are still open%s", d->args.depths,
                 d->finder.known.open, d->resume != NULL ? ": the same command goes on" : "");
    }
    return comm_agree(comm, e);
}

/* Does the whole work of the program. Called by searcher_run, with the struct diameter. */
static void work(void *context, struct error *e)
{
    struct diameter *d = context;
    if (set_up(d, e) == ST_OK && search_all(d, e) == ST_OK)
        conclude(d, e);
}

/* Frees everything that set_up has opened but the searcher. Called by searcher_run. */
static void tear_down(void *context)
{
    struct diameter *d = context;
    finder_close(&d->finder);
    searcher_close_reverse(&d->reverse);
}

/* Runs dbfs-diameter. Returns the exit code: after a signal 128 plus its number, as shells have it. */
int main(int argc, char **argv)
{
    static struct diameter d;
    cli_begin();
    parse(&d, argc, argv);
    d.command = argv;
    d.talk = args_talk(&d.args);
    d.searcher.method = &bfs_by_levels;
    const int code = searcher_run(&d.searcher, &d.args, 0, work, tear_down, &d);
    return asked != 0 && !d.met ? 128 + asked : code;
}
