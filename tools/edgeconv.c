/* edgeconv.c: graphs in the formats people have them in, as an edge stream; see edgeconv(1).
 *
 * All inputs are looked at first (format, direction, declared sizes), so that what does not fit
 * together is refused before anything is written. Randomising needs the number of vertices: where
 * no option or header gives it, the edges are spooled and a second pass writes them.
 */
#include "tools/convert/convert.h"
#include "tools/convert/graph_reader.h"
#include "tools/convert/read_ahead.h"
#include "progress.h"
#include "tools/convert/write_graph.h"

#include "formats/bijection.h"
#include "formats/cli.h"
#include "formats/memory.h"
#include "formats/outfile.h"
#include "formats/text.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

static const char help[] =
    "usage: edgeconv [-f INFORMAT] [-t OUTFORMAT] [-u] [--randomize[=SEED]] [-o FILE] [FILE...]\n"
    "\n"
    "Reads graphs and writes them as an edge stream (.edges). Several files follow each other;\n"
    "no FILE or '-' is standard input. Compressed files and archives are recognised by content.\n"
    "\n"
    "  -f, --from FORMAT      auto (default: by content), pairs (snap, wdc, el, wel), csv,\n"
    "                         adjacency (friendster), mtx, metis, gr (DIMACS), pace, edges, sg;\n"
    "                         never guessed: graph500, graph500-16, u32, u64\n"
    "  -t, --to FORMAT        edges (default), text, u32, u64, graph500\n"
    "  -o, --output FILE      default: standard output\n"
    "  -u, --undirected       each input line is one undirected edge\n"
    "      --direction D      what the lines are: directed; once (as -u); or symmetric: each edge\n"
    "                         as u v and as v u, of which one is kept\n"
    "      --vertices N       ids are below N, and the graph has N vertices\n"
    "      --entry GLOB       of archives, only the files whose path matches\n"
    "      --one-based        the first vertex of a list is 1 (formats that do not say)\n"
    "      --randomize[=SEED] permute the vertex ids (SEED: 1); the stream records how\n"
    "      --original-ids     undo the permutation that an .edges input records\n"
    "\n"
    "  -@, --threads N        0 = all cores        -S, --memory SIZE   such as 4G\n"
    "  -T, --tmpdir DIR       for temporary files  -q, --quiet         no notes\n"
    "  -v, --verbose          details              -h, --help          --version\n"
    "\n"
    "Exit: 0 ok, 1 run-time failure, 2 usage, 3 bad data, 5 not enough memory or disk.\n";

enum { LEAST_MEMORY_BYTES = 16 << 20 };

enum assertion { ASSERT_NOTHING, ASSERT_DIRECTED, ASSERT_ONCE, ASSERT_SYMMETRIC };

struct options {
    struct cli cli;
    struct reader_options reader;
    enum output_format output;
    const char *output_path;
    const char *entry; /* of archives, the files wanted; NULL: all */
    enum assertion assertion;
    int randomize, original_ids;
    uint64_t seed;
    const char **paths;
    int path_count;
};

/* One input, or one file of an archive: what is open of it, and how its edges are taken. */
struct source {
    const char *path, *name;     /* the name for messages */
    struct input *input;         /* NULL: opened again when its turn comes */
    struct graph_reader *reader; /* of the input */
    const char *format;
    struct graph_facts facts;
    int fold;
};

struct job {
    const struct options *options;
    struct source *sources;
    int source_count;
    struct edges_info info; /* of the output */
    uint64_t n;             /* vertices as far as options and inputs say */
    int n_known;            /* it bounds the ids of every input */
    struct bijection randomize, restore;
    int restores;
    uint64_t edges, stored_bytes;
    int weights_noted;
    struct progress progress;
};

/* ---- the command line ---- */

enum {
    VERTICES_OPTION = CLI_FIRST_FREE_OPTION,
    RANDOMIZE_OPTION,
    ORIGINAL_IDS_OPTION,
    DIRECTION_OPTION,
    ONE_BASED_OPTION,
    ENTRY_OPTION,
};

static enum assertion assertion_named(const struct cli *cli, const char *name)
{
    if (strcmp(name, "directed") == 0)
        return ASSERT_DIRECTED;
    if (strcmp(name, "once") == 0 || strcmp(name, "undirected-once") == 0)
        return ASSERT_ONCE;
    if (strcmp(name, "symmetric") == 0)
        return ASSERT_SYMMETRIC;
    cli_usage(cli, "--direction: '%s' is not directed, once or symmetric", name);
}

static void take_option(struct options *o, int option, const char *argument)
{
    const struct cli *cli = &o->cli;
    switch (option) {
    case 'f':
        if (graph_format_named(argument, &o->reader.format) != 0)
            cli_usage(cli, "-f: '%s' is not an input format", argument);
        break;
    case 't':
        if (output_format_named(argument, &o->output) != 0)
            cli_usage(cli, "-t: '%s' is not edges, text, u32, u64 or graph500", argument);
        break;
    case 'o': o->output_path = argument; break;
    case 'u': o->assertion = ASSERT_ONCE; break;
    case DIRECTION_OPTION: o->assertion = assertion_named(cli, argument); break;
    case VERTICES_OPTION:
        o->reader.vertices = cli_number(cli, "--vertices", argument, 1, DBFS_MAX_VERTICES);
        break;
    case RANDOMIZE_OPTION:
        o->randomize = 1;
        if (argument != NULL)
            o->seed = cli_number(cli, "--randomize", argument, 0, UINT64_MAX);
        break;
    case ORIGINAL_IDS_OPTION: o->original_ids = 1; break;
    case ONE_BASED_OPTION: o->reader.one_based = 1; break;
    case ENTRY_OPTION: o->entry = argument; break;
    default: cli_option(&o->cli, option, argument);
    }
}

static void check_paths(const struct options *o)
{
    int from_stdin = 0;
    for (int i = 0; i < o->path_count; i++)
        from_stdin += strcmp(o->paths[i], "-") == 0;
    if (from_stdin > 1)
        cli_usage(&o->cli, "standard input is given %d times", from_stdin);
}

static void read_command_line(struct options *o, int argc, char **argv)
{
    static const struct option long_options[] = {
        {"from", required_argument, NULL, 'f'},
        {"to", required_argument, NULL, 't'},
        {"output", required_argument, NULL, 'o'},
        {"undirected", no_argument, NULL, 'u'},
        {"direction", required_argument, NULL, DIRECTION_OPTION},
        {"vertices", required_argument, NULL, VERTICES_OPTION},
        {"randomize", optional_argument, NULL, RANDOMIZE_OPTION},
        {"original-ids", no_argument, NULL, ORIGINAL_IDS_OPTION},
        {"one-based", no_argument, NULL, ONE_BASED_OPTION},
        {"entry", required_argument, NULL, ENTRY_OPTION},
        CLI_LONG_OPTIONS,
        {NULL, 0, NULL, 0},
    };
    static const char *only_stdin[] = {"-"};
    int option;
    while ((option = getopt_long(argc, argv, "f:t:o:u" CLI_SHORT_OPTIONS, long_options, NULL)) !=
           -1)
        take_option(o, option, optarg);
    o->paths = optind < argc ? (const char **)(argv + optind) : only_stdin;
    o->path_count = optind < argc ? argc - optind : 1;
    check_paths(o);
    if (o->randomize && o->original_ids)
        cli_usage(&o->cli, "--randomize and --original-ids exclude each other");
}

/* ---- looking at the inputs ---- */

static enum status contradicts(const struct source *s, const char *asserted, struct error *e)
{
    return fail(e, ST_USAGE,
                "%s: --direction %s: the format (%s) says that each edge is there once", s->name,
                asserted, s->format);
}

/* How the edges of an input are taken: its direction in the output, and whether of two lines one is
 * dropped. */
static enum status resolve_direction(const struct options *o, struct source *s,
                                     enum edges_direction *direction, struct error *e)
{
    const struct graph_facts *f = &s->facts;
    int fixed_once = f->direction_fixed && f->direction == EDGES_UNDIRECTED_ONCE;
    *direction = f->direction;
    s->fold = f->both_listed;
    switch (o->assertion) {
    case ASSERT_NOTHING: break;
    case ASSERT_ONCE: *direction = EDGES_UNDIRECTED_ONCE; break;
    case ASSERT_DIRECTED:
        if (fixed_once)
            return contradicts(s, "directed", e);
        *direction = EDGES_DIRECTED;
        break;
    case ASSERT_SYMMETRIC:
        if (fixed_once && !f->both_listed)
            return contradicts(s, "symmetric", e);
        *direction = EDGES_UNDIRECTED_ONCE;
        s->fold = 1;
        break;
    }
    return ST_OK;
}

/* The first input decides; the others must be alike. */
static enum status join_direction(struct job *job, struct source *s, struct error *e)
{
    enum edges_direction direction;
    const struct source *first = &job->sources[0];
    if (resolve_direction(job->options, s, &direction, e) != ST_OK)
        return e->status;
    if (s == first)
        job->info.direction = direction;
    if (direction == job->info.direction)
        return ST_OK;
    return fail(e, ST_BAD_DATA,
                "%s: found a graph that is %s, expected %s as %s: -u or --direction says what all "
                "of them are",
                s->name, edges_direction_name(direction), edges_direction_name(job->info.direction),
                first->name);
}

static enum status join_randomisation(struct job *job, const struct source *s, struct error *e)
{
    const struct graph_facts *f = &s->facts, *first = &job->sources[0].facts;
    if (f->randomized && job->options->randomize)
        return fail(e, ST_BAD_DATA,
                    "%s: its ids are randomised already (seed %llu): --original-ids undoes that",
                    s->name, (ull)f->random_seed);
    if (f->randomized != first->randomized ||
        (f->randomized && (f->random_n != first->random_n || f->random_seed != first->random_seed)))
        return fail(e, ST_BAD_DATA,
                    "%s: found ids randomised otherwise than those of %s, expected "
                    "the same",
                    s->name, job->sources[0].name);
    if (f->randomized && f->random_n > job->n)
        job->n = f->random_n;
    return ST_OK;
}

static void report_opened(struct job *job, const struct source *s)
{
    const struct cli *cli = &job->options->cli;
    const struct graph_facts *f = &s->facts;
    cli_detail(cli, "%s: %s, %s%s", s->name, s->format, edges_direction_name(f->direction),
               f->both_listed ? " (both directions listed)" : "");
    if (f->header_line[0] != '\0')
        cli_note(cli, "%s: the first line is taken for column names: %s", s->name, f->header_line);
    if (f->weights && !job->weights_noted)
        cli_note(cli, "%s: weights are not read: only the two ids of each edge are", s->name);
    job->weights_noted |= f->weights;
}

/* A README in an archive is no damage: says what to do about it. */
static void explain_entry(const struct job *job, const struct input *input, struct error *e)
{
    size_t used = strlen(e->text);
    if (e->status == ST_BAD_DATA && job->options->entry == NULL && input_from_archive(input) &&
        !input_failed(input))
        snprintf(e->text + used, sizeof e->text - used,
                 "; --entry=GLOB chooses the files of an archive");
}

static enum status open_reader(const struct job *job, struct graph_reader **reader,
                               struct input *input, struct error *e)
{
    if (graph_reader_open_input(reader, input, &job->options->reader, e) != ST_OK)
        explain_entry(job, input, e);
    return e->status;
}

static void close_source(struct source *s)
{
    graph_reader_close(s->reader);
    input_close(s->input);
    s->reader = NULL;
    s->input = NULL;
}

/* What the reader of the first file says; files behind it in an archive are seen in their turn. */
static enum status look_at(struct job *job, struct source *s, struct error *e)
{
    if (input_open_first(&s->input, s->path, job->options->entry, e) != ST_OK ||
        open_reader(job, &s->reader, s->input, e) != ST_OK)
        return e->status;
    const struct graph_reader *reader = s->reader;
    s->format = reader->class->name;
    s->facts = reader->facts;
    s->facts.provenance = NULL;
    if (reader->facts.provenance != NULL && job->source_count == 1)
        strcpy(job->info.provenance, reader->facts.provenance);
    if (s->facts.n > job->n)
        job->n = s->facts.n;
    job->n_known &= s->facts.has_n && !input_from_archive(s->input);
    job->stored_bytes += input_stored_bytes(s->input);
    /* hundreds of parts must not need hundreds of descriptors; a stream is there only once */
    if (strcmp(s->path, "-") != 0 && input_is_regular(s->input))
        close_source(s);
    report_opened(job, s);
    if (join_direction(job, s, e) == ST_OK)
        join_randomisation(job, s, e);
    return e->status;
}

/* Only what determines the content, so that equal graphs made alike are equal files. */
static void write_provenance(struct job *job)
{
    const struct options *o = job->options;
    char *text = job->info.provenance;
    size_t used = strlen(text), room = sizeof job->info.provenance;
#define ADD(...)                                                                                   \
    do {                                                                                           \
        if (used < room)                                                                           \
            used += (size_t)snprintf(text + used, room - used, __VA_ARGS__);                       \
    } while (0)
    ADD("%sedgeconv\n", used > 0 && text[used - 1] != '\n' ? "\n" : "");
    for (int i = 0; i < job->source_count; i++) {
        if (i == 0 || strcmp(job->sources[i].format, job->sources[i - 1].format) != 0)
            ADD("format %s\n", job->sources[i].format);
    }
    if (o->assertion == ASSERT_SYMMETRIC)
        ADD("of both directions one\n");
    if (o->reader.one_based)
        ADD("one-based\n");
    if (o->reader.vertices > 0)
        ADD("vertices %llu\n", (ull)o->reader.vertices);
    if (job->restores)
        ADD("original ids\n");
#undef ADD
}

static enum status look_at_inputs(struct job *job, struct error *e)
{
    const struct options *o = job->options;
    job->source_count = o->path_count;
    job->sources = calloc((size_t)job->source_count, sizeof *job->sources);
    if (job->sources == NULL)
        return fail_memory(e, "list of inputs", (ull)job->source_count * sizeof *job->sources);
    job->n = o->reader.vertices;
    job->n_known = 1;
    for (int i = 0; i < job->source_count; i++) {
        job->sources[i].path = job->sources[i].name = o->paths[i];
        if (strcmp(o->paths[i], "-") == 0)
            job->sources[i].name = "standard input";
        if (look_at(job, &job->sources[i], e) != ST_OK)
            return e->status;
    }
    job->n_known |= o->reader.vertices > 0;
    const struct graph_facts *first = &job->sources[0].facts;
    job->restores = o->original_ids && first->randomized;
    if (job->restores)
        bijection_init(&job->restore, first->random_n, first->random_seed);
    job->info.randomized = first->randomized && !job->restores;
    job->info.random_n = first->random_n;
    job->info.random_seed = first->random_seed;
    if (job->info.randomized && o->output != OUTPUT_EDGES)
        cli_note(&o->cli, "ids are written as stored, randomised; --original-ids undoes that");
    write_provenance(job);
    return ST_OK;
}

/* ---- converting ---- */

static void show_progress(void *context, uint64_t input_bytes)
{
    progress_update(context, input_bytes);
}

static void report_read(const struct job *job, const struct graph_reader *r)
{
    const struct cli *cli = &job->options->cli;
    const struct graph_facts *f = &r->facts;
    if (f->unterminated)
        cli_warn(cli, "%s: the last line has no newline: the file may have been cut", r->name);
    if (f->has_snap_edges && f->snap_edges != r->total.entries)
        cli_warn(cli, "%s: found %llu edges, but its comment says %llu: the file may have been cut",
                 r->name, (ull)r->total.entries, (ull)f->snap_edges);
    if (f->private_lists + f->missing_lists > 0)
        cli_note(cli, "%s: %llu private lists and %llu that were not found have no edges", r->name,
                 (ull)f->private_lists, (ull)f->missing_lists);
}

/* One input, or one file of an archive. */
static enum status read_file(struct job *job, const struct source *s, struct graph_reader *reader,
                             int is_first, struct conversion *conversion, struct error *e)
{
    struct source file = {.path = s->path,
                          .name = reader->name,
                          .format = reader->class->name,
                          .facts = reader->facts};
    if (!is_first)
        report_opened(job, &file);
    if (join_direction(job, &file, e) != ST_OK || join_randomisation(job, &file, e) != ST_OK)
        return e->status;
    if (conversion_read(conversion, reader, file.fold, e) != ST_OK) {
        if (reader->total.entries == 0)
            explain_entry(job, reader->input, e);
        return e->status;
    }
    if (reader->facts.n > job->n)
        job->n = reader->facts.n;
    report_read(job, reader);
    return ST_OK;
}

/* The files of an archive one after the other; any other input is one. */
static enum status read_source(struct job *job, struct source *s, struct input *input,
                               struct conversion *conversion, struct error *e)
{
    struct graph_reader *reader = s->reader;
    int is_first = 1, end = 0;
    s->reader = NULL;
    while (e->status == ST_OK && !end) {
        if (reader == NULL && open_reader(job, &reader, input, e) != ST_OK)
            break;
        read_file(job, s, reader, is_first, conversion, e);
        graph_reader_close(reader);
        reader = NULL;
        is_first = 0;
        if (e->status == ST_OK)
            input_next(input, &end, e);
    }
    return e->status;
}

/* The inputs that are not open yet, to be read ahead. */
static enum status open_read_ahead(const struct job *job, struct read_ahead **ahead,
                                   struct error *e)
{
    const struct options *o = job->options;
    const char **paths = calloc((size_t)job->source_count, sizeof *paths);
    if (paths == NULL)
        return fail_memory(e, "list of inputs", (ull)job->source_count * sizeof *paths);
    for (int i = 0; i < job->source_count; i++)
        paths[i] = job->sources[i].input == NULL ? job->sources[i].path : NULL;
    read_ahead_open(ahead, paths, job->source_count, o->reader.threads - 1,
                    2 * o->reader.max_buffer_bytes, o->entry, e);
    free(paths);
    return e->status;
}

static enum status open_conversion(struct job *job, struct conversion **conversion,
                                   struct graph_writer *writer, const struct change *change,
                                   struct error *e)
{
    const struct options *o = job->options;
    if (conversion_open(conversion, writer, change, o->reader.threads,
                        4 * o->reader.max_buffer_bytes, e) == ST_OK)
        conversion_on_progress(*conversion, show_progress, &job->progress);
    return e->status;
}

/* All inputs to one writer. Afterwards job->n holds every id. */
static enum status convert_inputs(struct job *job, struct graph_writer *writer,
                                  const struct change *change, struct error *e)
{
    struct conversion *conversion = NULL;
    struct read_ahead *ahead = NULL;
    struct input *input;
    if (open_read_ahead(job, &ahead, e) != ST_OK ||
        open_conversion(job, &conversion, writer, change, e) != ST_OK)
        goto done;
    conversion_on_idle(conversion, read_ahead_work, ahead);
    for (int i = 0; i < job->source_count && e->status == ST_OK; i++) {
        struct source *s = &job->sources[i];
        if (read_ahead_next(ahead, &input, e) == ST_OK)
            read_source(job, s, input != NULL ? input : s->input, conversion, e);
    }
    if (e->status == ST_OK)
        conversion_finish(conversion, job->n, e);
    job->edges = conversion_edges(conversion);
    if (conversion_bound(conversion) > job->n)
        job->n = conversion_bound(conversion);
done:
    conversion_free(conversion);
    read_ahead_close(ahead);
    return e->status;
}

/* The second pass: the spooled edges to the output, randomised. Closes `fd`. */
static enum status convert_spool(struct job *job, int fd, struct graph_writer *writer,
                                 const struct change *change, struct error *e)
{
    struct reader_options options = job->options->reader;
    struct graph_reader *reader = NULL;
    struct conversion *conversion = NULL;
    options.format = FORMAT_GRAPH500;
    options.vertices = 0;
    if (graph_reader_open_fd(&reader, fd, "temporary file", &options, e) == ST_OK &&
        open_conversion(job, &conversion, writer, change, e) == ST_OK &&
        conversion_read(conversion, reader, 0, e) == ST_OK) {
        if (conversion_edges(conversion) != job->edges)
            fail(e, ST_RUNTIME, "temporary file: holds %llu edges of the %llu written",
                 (ull)conversion_edges(conversion), (ull)job->edges);
        else
            conversion_finish(conversion, job->n, e);
    }
    conversion_free(conversion);
    graph_reader_close(reader);
    return e->status;
}

static void set_randomisation(struct job *job, struct change *change)
{
    if (job->n == 0) /* a graph without vertices has nothing to permute */
        return;
    bijection_init(&job->randomize, job->n, job->options->seed);
    change->randomize = &job->randomize;
    job->info.randomized = 1;
    job->info.random_n = job->n;
    job->info.random_seed = job->options->seed;
}

/* Reads the inputs once; only a number of vertices not known before makes the second pass. */
static enum status convert_in_two_passes(struct job *job, struct outfile *out, struct error *e)
{
    const struct options *o = job->options;
    struct graph_writer *spool = NULL, *writer = NULL;
    struct change none = {0}, change = {0};
    cli_detail(&o->cli, "the number of vertices is not known: edges are spooled to %s",
               cli_tmpdir(&o->cli, 0));
    if (graph_writer_open_spool(&spool, cli_tmpdir(&o->cli, 0), e) != ST_OK ||
        convert_inputs(job, spool, &none, e) != ST_OK)
        goto done;
    progress_end(&job->progress);
    set_randomisation(job, &change);
    if (graph_writer_open(&writer, o->output, out, &job->info, e) != ST_OK)
        goto done;
    if (job->edges == 0)
        graph_writer_finish(writer, job->n, e);
    else
        convert_spool(job, graph_writer_spool_fd(spool), writer, &change, e);
done:
    graph_writer_free(writer);
    graph_writer_free(spool);
    return e->status;
}

static enum status convert_in_one_pass(struct job *job, struct outfile *out, struct error *e)
{
    struct graph_writer *writer = NULL;
    struct change change = {.restore = job->restores ? &job->restore : NULL};
    if (job->options->randomize)
        set_randomisation(job, &change);
    if (graph_writer_open(&writer, job->options->output, out, &job->info, e) == ST_OK)
        convert_inputs(job, writer, &change, e);
    graph_writer_free(writer);
    return e->status;
}

/* ---- the whole ---- */

static void report_summary(const struct job *job, double seconds, double sync_seconds)
{
    char peak[16];
    double rate = (double)job->edges / (seconds - sync_seconds) * 1e-6;
    cli_note(&job->options->cli,
             "%llu edges, %llu vertices, %s; %.2f s (and %.2f s to sync), %.1f M edges/s, peak "
             "memory %s",
             (ull)job->edges, (ull)job->n, edges_direction_name(job->info.direction),
             seconds - sync_seconds, sync_seconds, rate,
             format_size(memory_peak_bytes(), peak, sizeof peak));
}

static enum status convert(struct job *job, struct error *e)
{
    const struct options *o = job->options;
    struct outfile *out = NULL;
    double start = cli_seconds(), sync_seconds = 0;
    if (outfile_open(&out, o->output_path, e) != ST_OK)
        return e->status;
    if (o->output != OUTPUT_TEXT && outfile_is_terminal(out)) {
        outfile_abort(out);
        return fail(e, ST_USAGE, "standard output: is a terminal: use -o FILE, a pipe or -t text");
    }
    progress_start(&job->progress, o->cli.program, o->cli.quiet, job->stored_bytes);
    if (o->randomize && !job->n_known)
        convert_in_two_passes(job, out, e);
    else
        convert_in_one_pass(job, out, e);
    progress_end(&job->progress);
    if (e->status != ST_OK) {
        if (outfile_broken_pipe(out)) /* whoever reads has had enough: nothing to complain about */
            e->text[0] = '\0';
        outfile_abort(out);
        return e->status;
    }
    if (outfile_commit(out, &sync_seconds, e) == ST_OK)
        report_summary(job, cli_seconds() - start, sync_seconds);
    return e->status;
}

static void free_job(struct job *job)
{
    for (int i = 0; job->sources != NULL && i < job->source_count; i++)
        close_source(&job->sources[i]);
    free(job->sources);
}

int main(int argc, char **argv)
{
    struct options options = {.cli = {.program = "edgeconv", .help = help}, .seed = 1};
    struct job job = {.options = &options};
    struct error error = {0};
    struct memory_budget budget;
    signal(SIGPIPE, SIG_IGN); /* as a failed write, so that temporary files are removed */
    read_command_line(&options, argc, argv);
    memory_budget_init(&budget, options.cli.memory_bytes);
    if (options.cli.memory_bytes > 0 && options.cli.memory_bytes < LEAST_MEMORY_BYTES) {
        fail(&error, ST_RESOURCE, "-S: edgeconv needs at least %d MiB", LEAST_MEMORY_BYTES >> 20);
        return cli_finish(&options.cli, &error);
    }
    options.reader.threads = cli_threads(&options.cli);
    options.reader.max_buffer_bytes = budget.limit_bytes / 8;
    if (look_at_inputs(&job, &error) == ST_OK)
        convert(&job, &error);
    free_job(&job);
    if (error.status != ST_OK && error.text[0] == '\0')
        return (int)error.status;
    return cli_finish(&options.cli, &error);
}
