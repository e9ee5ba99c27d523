/* edgeconv.c: converts graphs from common formats to an edge stream; see edgeconv(1). All inputs are first looked at
 * (edgeconv_look.c). Then their edges are read and written in one pass. Randomising ids needs the number of vertices first: if
 * no option or header tells it, edges are kept in a temporary file, and a second pass writes them. */
#include "tools/edgeconv/edgeconv_job.h"
#include "tools/convert/convert.h"
#include "tools/convert/input/beside.h"
#include "tools/convert/input/read_ahead.h"
#include "tools/convert/names/wdc_index.h"

#include "formats/bijection.h"
#include "formats/base/arith.h"
#include "formats/base/memory.h"
#include "formats/base/outfile.h"
#include "formats/base/progress.h"
#include "formats/base/text.h"
#include "formats/work/pipeline.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

enum {
    LEAST_MEMORY_BYTES = 16 << 20,
    LEAST_SPILL_MEMORY_BYTES = 32 << 20, /* with --compact or -t sg */
    LEAST_PIECES_BYTES = 16 << 20,       /* of that for the pieces under way */
};

/* ---- converting ---- */

/* Warns of what the reader noted while it read, at the end of an input. */
static void report_read(const struct job *job, const struct graph_reader *r)
{
    const struct cli *cli = &job->options->cli;
    const struct graph_facts *f = &r->facts;
    if (f->notes.warning[0] != '\0')
        cli_warn(cli, "%s", f->notes.warning);
    if (f->notes.unterminated)
        cli_warn(cli, "%s: the last line has no newline: the file may have been cut", r->name);
    if (f->notes.has_snap_edges && f->notes.snap_edges != r->total.entries)
        cli_warn(cli, "%s: found %llu edges, but its comment says %llu: the file may have been cut",
                 r->name, (ull)r->total.entries, (ull)f->notes.snap_edges);
    if (r->total.comments > 0)
        cli_note(cli, "%s: %llu line%s skipped among the edges, as comments: --comments none takes such lines for edges",
                 r->name, (ull)r->total.comments, r->total.comments == 1 ? " was" : "s were");
    if (r->total.signed_rows > 0)
        cli_note(cli, "%s: %llu line%s with # or %% and a blank, and %s an edge, as CSV has no comments among its rows: "
                 "--comments '#%%' skips such lines", r->name, (ull)r->total.signed_rows,
                 r->total.signed_rows == 1 ? " begins" : "s begin", r->total.signed_rows == 1 ? "is" : "each is");
    if (f->notes.private_lists + f->notes.missing_lists > 0)
        cli_note(cli, "%s: %llu private lists and %llu that were not found have no edges", r->name,
                 (ull)f->notes.private_lists, (ull)f->notes.missing_lists);
}

static void report_skipped(const struct job *job, const struct source *s, const struct input *input)
{
    uint64_t count;
    const char *names = input_skipped(input, &count);
    if (count > 0)
        cli_note(&job->options->cli, "%s: %llu file%s of the archive %s no part of the graph by name, and left out: %s; "
                 "--member=NAME reads one", s->name, (ull)count, count > 1 ? "s" : "", count > 1 ? "are" : "is", names);
}

/* Converts one input, or one file of an archive, and raises job->n to the number of its vertices. */
static enum status read_file(struct job *job, const struct source *s, struct graph_reader *reader,
                             int is_first, struct conversion *conversion, struct error *e)
{
    struct source file = {.path = s->path,
                          .name = reader->name,
                          .format = graph_format_name(reader->format),
                          .facts = reader->facts};
    if (!is_first && job->options->member == NULL && reader->format == FORMAT_NPY)
        return refuse_part(job, reader->input, "a second array", "one array alone", e);
    if (join_source(job, &file, reader->input, !is_first, e) != ST_OK)
        return e->status;
    if (conversion_read(conversion, reader, file.fold, e) != ST_OK) {
        if (reader->total.entries == 0 && reader->format != FORMAT_NPZ)
            explain_member(job, reader->input, e);
        return e->status;
    }
    if (reader->facts.n > job->n && job->compact == NULL)
        job->n = reader->facts.n;
    report_read(job, reader);
    return ST_OK;
}

/* Converts an input: its one file, or the files of an archive one after the other. Closes the readers, not the input. */
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
    if (e->status == ST_OK)
        report_skipped(job, s, input);
    return e->status;
}

/* Opens a read-ahead of the inputs that are not open yet. */
static enum status open_read_ahead(const struct job *job, struct read_ahead **ahead, struct error *e)
{
    const struct options *o = job->options;
    const char **paths = calloc((size_t)job->source_count, sizeof *paths);
    if (paths == NULL)
        return fail_memory(e, "list of inputs", (ull)job->source_count * sizeof *paths);
    for (int i = 0; i < job->source_count; i++)
        paths[i] = job->sources[i].input == NULL ? job->sources[i].path : NULL;
    read_ahead_open(ahead, paths, job->source_count, o->reader.threads - 1,
                    job->memory.ahead_bytes, o->member, e);
    free(paths);
    return e->status;
}

static enum status open_conversion(struct job *job, struct conversion **conversion,
                                   struct graph_writer *writer, const struct change *change,
                                   struct error *e)
{
    const struct options *o = job->options;
    return conversion_open(conversion, writer, change, o->reader.threads,
                           job->memory.pieces_bytes, e);
}

/* Numbers the names that --compact could not number while it read, and converts their edges. Closes job->compact. */
static enum status convert_rest(struct job *job, struct conversion *conversion, struct error *e)
{
    char size[16];
    struct graph_reader *reader = NULL;
    if (compact_rest(job->compact, &reader, e) == ST_OK && reader != NULL)
        conversion_read(conversion, reader, /* fold */ 0, e);
    if (reader != NULL)
        cli_detail(&job->options->cli, "the ids did not fit the memory: %s of temporary files",
                   format_size(job->compact->spilled_bytes, size, sizeof size));
    graph_reader_close(reader);
    job->n = job->compact->count;
    compact_close(job->compact);
    job->compact = NULL;
    return e->status;
}

/* The state of convert_inputs. */
struct inputs {
    struct job *job;
    struct read_ahead *ahead;
    struct conversion *conversion;
    struct error *error;
};

/* The function of pipeline_with_pool: converts all inputs, in order, up to an error. */
static void convert_each(void *context)
{
    const struct inputs *in = context;
    struct job *job = in->job;
    struct error *e = in->error;
    struct input *input;
    for (int i = 0; i < job->source_count && e->status == ST_OK; i++) {
        struct source *s = &job->sources[i];
        if (read_ahead_next(in->ahead, &input, e) == ST_OK)
            read_source(job, s, input != NULL ? input : s->input, in->conversion, e);
    }
}

/* Converts all inputs to one writer. Afterwards all ids are below job->n. */
static enum status convert_inputs(struct job *job, struct graph_writer *writer,
                                  const struct change *change, struct error *e)
{
    struct conversion *conversion = NULL;
    struct read_ahead *ahead = NULL;
    if (open_read_ahead(job, &ahead, e) != ST_OK ||
        open_conversion(job, &conversion, writer, change, e) != ST_OK)
        goto done;
    conversion->idle.call = read_ahead_work;
    conversion->idle.context = ahead;
    struct inputs inputs = {job, ahead, conversion, e};
    pipeline_with_pool(job->options->reader.threads, convert_each, &inputs);
    if (e->status == ST_OK && job->compact != NULL)
        convert_rest(job, conversion, e);
    if (e->status == ST_OK)
        conversion_finish(conversion, job->n, e);
    job->findings.edges = conversion->edges;
    if (conversion->bound > job->n)
        job->n = conversion->bound;
    job->findings.lists_twice = conversion->pairs > 0 && conversion->balance == 0;
done:
    conversion_free(conversion);
    read_ahead_close(ahead);
    return e->status;
}

/* Makes the second pass: reads the edges from the temporary file `fd`, randomises their ids and writes them. Closes `fd`. */
static enum status convert_kept(struct job *job, int fd, struct graph_writer *writer,
                                const struct change *change, struct error *e)
{
    struct reader_options options = job->options->reader;
    struct graph_reader *reader = NULL;
    struct conversion *conversion = NULL;
    options.format = FORMAT_GRAPH500;
    options.vertices = 0;
    options.one_based = 0;
    if (graph_reader_open_fd(&reader, fd, "temporary file", &options, e) == ST_OK &&
        open_conversion(job, &conversion, writer, change, e) == ST_OK &&
        conversion_read(conversion, reader, /* fold */ 0, e) == ST_OK) {
        if (conversion->edges != job->findings.edges)
            fail(e, ST_RUNTIME, "temporary file: holds %llu edges of the %llu written",
                 (ull)conversion->edges, (ull)job->findings.edges);
        else
            conversion_finish(conversion, job->n, e);
    }
    conversion_free(conversion);
    graph_reader_close(reader);
    return e->status;
}

/* Lets the conversion permute the ids below job->n, and notes that for the output's preamble. */
static void set_randomisation(struct job *job, struct change *change)
{
    if (job->n == 0) /* a graph without vertices has nothing to permute */
        return;
    bijection_init(&job->ids.randomize, job->n, job->options->seed);
    change->randomize = &job->ids.randomize;
    job->info.randomized = 1;
    job->info.random_n = job->n;
    job->info.random_seed = job->options->seed;
}

/* Randomises ids when the number of vertices is not known: reads the inputs once, keeps their edges in a temporary file, and
 * converts these in a second pass. */
static enum status convert_in_two_passes(struct job *job, struct outfile *out, struct error *e)
{
    const struct options *o = job->options;
    struct graph_writer *kept = NULL, *writer = NULL;
    struct change first = {.compact = job->compact}, change = {0};
    cli_detail(&o->cli, "the number of vertices is not known: edges are kept in %s",
               cli_tmpdir(&o->cli, 0));
    if (graph_writer_open_temporary(&kept, cli_tmpdir(&o->cli, 0), e) != ST_OK ||
        convert_inputs(job, kept, &first, e) != ST_OK)
        goto done;
    progress_stage("randomising", 12 * job->findings.edges, PROGRESS_BYTES);
    set_randomisation(job, &change);
    if (graph_writer_open(&writer, o->output, out, &job->info, &job->space, e) != ST_OK)
        goto done;
    if (job->findings.edges == 0)
        graph_writer_finish(writer, job->n, e);
    else
        convert_kept(job, graph_writer_temporary_fd(kept), writer, &change, e);
    job->findings.dropped = graph_writer_dropped(writer);
done:
    graph_writer_free(writer);
    graph_writer_free(kept);
    return e->status;
}

/* Writes the edges as they are read; ids are randomised on the way, or their randomisation undone. */
static enum status convert_in_one_pass(struct job *job, struct outfile *out, struct error *e)
{
    struct graph_writer *writer = NULL;
    struct change change = {.restore = job->ids.restores ? &job->ids.restore : NULL,
                            .compact = job->compact};
    if (job->options->randomize)
        set_randomisation(job, &change);
    if (graph_writer_open(&writer, job->options->output, out, &job->info, &job->space, e) ==
            ST_OK &&
        convert_inputs(job, writer, &change, e) == ST_OK)
        job->findings.dropped = graph_writer_dropped(writer);
    graph_writer_free(writer);
    return e->status;
}

/* ---- the whole ---- */

static void report_summary(const struct job *job, double seconds, double sync_seconds)
{
    char peak[16];
    double rate = (double)job->findings.edges / (seconds - sync_seconds) * 1e-6;
    cli_report(&job->options->cli,
               "%llu edges, %llu vertices, %s; %.2f s (and %.2f s to sync), %.1f M edges/s, peak "
               "memory %s",
               (ull)job->findings.edges, (ull)job->n, edges_direction_name(job->info.direction),
               seconds - sync_seconds, sync_seconds, rate,
               format_size(memory_peak_bytes(), peak, sizeof peak));
    if (job->findings.lists_twice && job->info.direction == EDGES_UNDIRECTED_ONCE)
        cli_warn(&job->options->cli,
                 "each edge is listed as u v and as v u, and so is there twice: --direction symmetric "
                 "keeps one of the two");
    if (job->findings.dropped > 0)
        cli_note(&job->options->cli,
                 "%llu duplicates and self-loops in the lists of vertices were left out, as .sg "
                 "files have none",
                 (ull)job->findings.dropped);
}

/* Divides the memory of -S: for pieces of input, for inputs read ahead, and for a workspace, larger if it may spill. */
static enum status share_memory(struct job *job, struct error *e)
{
    const struct options *o = job->options;
    int spills = o->map_path != NULL || o->output == EDGE_FORMAT_SG;
    struct memory_budget whole;
    memory_budget_init(&whole, o->cli.memory_bytes);
    uint64_t limit = whole.limit_bytes, least = spills ? LEAST_SPILL_MEMORY_BYTES
                                                       : LEAST_MEMORY_BYTES;
    if (o->cli.memory_bytes > 0 && limit < least)
        return fail(e, ST_RESOURCE, "-S: edgeconv needs at least %llu MiB%s", (ull)least >> 20,
                    spills ? " with --compact or -t sg" : "");
    job->memory.whole_bytes = limit;
    job->memory.ahead_bytes = limit / 4;
    job->memory.pieces_bytes = limit / 2;
    if (spills) { /* pieces of names are larger: half as many are under way */
        job->memory.ahead_bytes = limit / 8;
        job->memory.pieces_bytes = larger(limit / 8, LEAST_PIECES_BYTES / 2);
    }
    workspace_init(&job->space, &o->cli, limit - 2 * job->memory.pieces_bytes - job->memory.ahead_bytes,
                   o->reader.threads);
    return ST_OK;
}

/* Opens the output and, with --compact, the map and the numbering of names. */
static enum status open_outputs(struct job *job, struct outfile **out, struct error *e)
{
    const struct options *o = job->options;
    if (outfile_open(out, o->output_path, e) != ST_OK)
        return e->status;
    if (o->output != EDGE_FORMAT_TEXT && outfile_is_terminal(*out))
        return fail(e, ST_USAGE, "standard output: is a terminal: use -o FILE, a pipe or -t text");
    if (o->map_path != NULL && outfile_open(&job->map, o->map_path, e) == ST_OK)
        compact_open(&job->compact, &job->space, job->map, e);
    return e->status;
}

/* Commits the outputs, the map of names first, because edges without their map are of no use. */
static enum status commit_outputs(struct job *job, struct outfile *out, double *sync_seconds, struct error *e)
{
    double map_seconds = 0;
    struct outfile *map = job->map;
    job->map = NULL;
    outfile_commit(map, &map_seconds, e);
    outfile_commit(out, sync_seconds, e);
    *sync_seconds += map_seconds;
    return e->status;
}

/* Converts the inputs, which were looked at, and commits the outputs; on failure removes them. */
static enum status convert(struct job *job, struct error *e)
{
    const struct options *o = job->options;
    struct outfile *out = NULL;
    double start = cli_seconds(), sync_seconds = 0;
    open_outputs(job, &out, e);
    progress_start(&o->cli);
    progress_stage("converting", job->stored_bytes, PROGRESS_BYTES);
    if (e->status == ST_OK && o->randomize && !job->n_known)
        convert_in_two_passes(job, out, e);
    else if (e->status == ST_OK)
        convert_in_one_pass(job, out, e);
    progress_end();
    if (commit_outputs(job, out, &sync_seconds, e) == ST_OK)
        report_summary(job, cli_seconds() - start, sync_seconds);
    return e->status;
}

/* ---- an index instead of a graph ---- */

/* Writes the names of an index (-f wdc-index) as a map. */
static enum status convert_index(const struct options *o, struct error *e)
{
    struct outfile *map = NULL;
    uint64_t names = 0;
    if (outfile_open(&map, o->output_path, e) != ST_OK)
        return e->status;
    for (int i = 0; i < o->path_count && e->status == ST_OK; i++)
        wdc_index_read(o->paths[i], o->member, map, o->reader.max_buffer_bytes, &names, e);
    if (outfile_commit(map, NULL, e) == ST_OK)
        cli_note(&o->cli, "%llu names", (ull)names);
    return e->status;
}

/* Refuses outputs that would replace one of the files that are read. Edges go to standard output if nothing is said. */
static enum status refuse_inputs(const struct options *o, const char *const *inputs, size_t count, struct error *e)
{
    if (outfile_refuse_inputs(o->output_path != NULL ? o->output_path : "-", inputs, count, e) == ST_OK)
        outfile_refuse_inputs(o->map_path, inputs, count, e);
    return e->status;
}

/* As refuse_inputs, for the files that are read with an input. */
static enum status refuse_beside(const struct options *o, const char *path, struct error *e)
{
    char name[BESIDE_MOST][BESIDE_NAME_BYTES];
    enum beside kind[BESIDE_MOST];
    for (int left = beside_list(path, name, kind); left > 0 && e->status == ST_OK; left--) {
        const char *input = name[left - 1];
        refuse_inputs(o, &input, 1, e);
    }
    return e->status;
}

/* Refuses an output that would replace an input, another output or, without --force, an older file, that cannot be written, or
 * that has the suffix of another format. */
static enum status check_outputs(const struct options *o, struct error *e)
{
    size_t count = (size_t)o->path_count;
    enum result_content content = o->reader.format == FORMAT_WDC_INDEX ? RESULT_IS_NAMES : edge_format_content(o->output);
    if (refuse_inputs(o, o->paths, count, e) != ST_OK)
        return e->status;
    for (size_t i = 0; i < count; i++) {
        if (refuse_beside(o, o->paths[i], e) != ST_OK)
            return e->status;
    }
    if (outfile_refuse_output(o->output_path, o->map_path, e) == ST_OK &&
        result_name_check(o->output_path, content, o->cli.program, e) == ST_OK &&
        result_name_check(o->map_path, RESULT_IS_NAMES, o->cli.program, e) == ST_OK &&
        outfile_check_output(o->output_path, o->cli.force, e) == ST_OK)
        outfile_check_output(o->map_path, o->cli.force, e);
    return e->status;
}

/* Prints the files that are read with the inputs, for the script dbfs, which has the name of its map checked here, too. Each has two words
 * that end in a zero: "graph" if the graph depends on the file, else "time"; and the name. */
static enum status list_beside(const struct options *o, struct error *e)
{
    char name[BESIDE_MOST][BESIDE_NAME_BYTES];
    enum beside kind[BESIDE_MOST];
    if (result_name_check(o->map_path, RESULT_IS_NAMES, o->cli.program, e) != ST_OK)
        return e->status;
    for (int i = 0; i < o->path_count; i++) {
        int count = beside_list(o->paths[i], name, kind);
        for (int k = 0; k < count; k++)
            printf("%s%c%s%c", kind[k] == BESIDE_PROPERTIES ? "graph" : "time", 0, name[k], 0);
    }
    return stream_flush(stdout, e);
}

static void free_job(struct job *job)
{
    compact_close(job->compact);
    outfile_abort(job->map);
    for (int i = 0; job->sources != NULL && i < job->source_count; i++)
        close_source(&job->sources[i]);
    free(job->sources);
}

int main(int argc, char **argv)
{
    struct options options;
    struct job job = {.options = &options};
    struct error error = {0};
    cli_begin();
    signal(SIGPIPE, SIG_IGN); /* as a failed write, so that temporary files are removed */
    options_read(&options, argc, argv);
    cli_alone(&options.cli);
    if (options.lists_beside) {
        list_beside(&options, &error);
        return cli_finish(&options.cli, &error);
    }
    options.reader.threads = cli_threads(&options.cli);
    cli_keep_notes(&options.cli);
    if (check_outputs(&options, &error) != ST_OK || share_memory(&job, &error) != ST_OK)
        return cli_finish(&options.cli, &error);
    options.reader.max_buffer_bytes = job.memory.whole_bytes / 8;
    if (options.reader.format == FORMAT_WDC_INDEX)
        convert_index(&options, &error);
    else if (look_at_inputs(&job, &error) == ST_OK)
        convert(&job, &error);
    free_job(&job);
    if (error.status != ST_OK && error.text[0] == '\0')
        return (int)error.status;
    return cli_finish(&options.cli, &error);
}
