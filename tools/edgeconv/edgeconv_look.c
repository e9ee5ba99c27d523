/* edgeconv_look.c: finds the format of each input of edgeconv, and checks that the inputs fit together (edgeconv_job.h) */
#include "edgeconv_job.h"

#include "formats/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef unsigned long long ull;

/* Fails: the input's format contradicts --direction. */
static enum status refuse_assertion(const struct source *s, const char *asserted, struct error *e)
{
    return fail(e, ST_USAGE,
                "%s: --direction %s: the format (%s) says that each edge is there once", s->name,
                asserted, s->format);
}

/* Decides the direction that the edges of an input have in the output. Sets s->fold if the input has two lines for each edge,
 * of which one is dropped. */
static enum status resolve_direction(const struct options *o, struct source *s,
                                     enum edges_direction *direction, struct error *e)
{
    const struct graph_facts *f = &s->facts;
    int fixed_once = f->direction_fixed && f->direction == EDGES_UNDIRECTED_ONCE;
    *direction = f->direction;
    s->fold = f->both_listed;
    switch (o->assertion) {
    case ASSERT_NOTHING: break;
    case ASSERT_ONCE:
        *direction = EDGES_UNDIRECTED_ONCE;
        s->fold |= f->direction_fixed && f->direction == EDGES_SYMMETRIC; /* one of the two records */
        break;
    case ASSERT_DIRECTED:
        if (fixed_once)
            return refuse_assertion(s, "directed", e);
        *direction = EDGES_DIRECTED;
        break;
    case ASSERT_SYMMETRIC:
        if (fixed_once && !f->both_listed)
            return refuse_assertion(s, "symmetric", e);
        *direction = EDGES_UNDIRECTED_ONCE;
        s->fold = 1;
        break;
    }
    return ST_OK;
}

/* Gives the job the direction of the first input, and refuses a later input whose direction is another. */
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

/* Checks that the ids are randomised as those of the first input, and raises job->n to the vertices of that. */
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

/* Gives the job the base of the first input, and refuses a later input of another base. With --base the first vertices of all
 * inputs are one, whatever the inputs call it. With --compact ids are names, which become numbers from 0 on. */
static enum status join_base(struct job *job, const struct source *s, struct error *e)
{
    const struct options *o = job->options;
    const struct source *first = &job->sources[0];
    if (o->map_path != NULL)
        return ST_OK;
    if (o->base != BASE_OF_STREAMS)
        job->info.base = o->base == BASE_1;
    else if (s == first)
        job->info.base = s->facts.base;
    else if (s->facts.base != job->info.base)
        return fail(e, ST_BAD_DATA, "%s: its ids begin at %u, and those of %s at %u: --base 0 (or 1) takes their first vertices for "
                    "one, and calls it 0 (or 1)", s->name, s->facts.base, first->name, job->info.base);
    return ST_OK;
}

/* ---- one list ---- */

enum status refuse_part(const struct job *job, struct input *input, const char *found, const char *expected,
                        struct error *e)
{
    fail(e, ST_BAD_DATA, "%s: found %s, expected %s as %s: inputs that follow each other are parts of one list",
         input_name(input), found, expected, job->first.name);
    input_explain_members(input, e);
    return e->status;
}

/* Writes which columns a list has; `names` if they have names. */
static void describe_columns(const struct list_facts *list, const char *names, char *text, size_t room)
{
    if (list->names != 0)
        snprintf(text, room, "the columns '%s'", names);
    else
        snprintf(text, room, "%d columns, of which %d and %d are the ids", list->columns, list->place[0] + 1,
                 list->place[1] + 1);
}

/* Compares an input with the first one, which job->first is taken from: other columns mean another table. */
static enum status join_list(struct job *job, const struct source *s, struct input *input, struct error *e)
{
    const struct list_facts *list = &s->facts.list;
    struct first_list *first = &job->first;
    char found[96], expected[96];
    if (*first->name == '\0') {
        snprintf(first->name, sizeof first->name, "%s", input_name(input));
        snprintf(first->format, sizeof first->format, "%s", s->format);
    }
    if (strcmp(s->format, first->format) != 0) {
        snprintf(found, sizeof found, "the format %s", s->format);
        return refuse_part(job, input, found, first->format, e);
    }
    if (first->facts.columns == 0) {
        first->facts = *list;
        memcpy(first->header_line, s->facts.notes.header_line, sizeof first->header_line);
    }
    if (list->columns == 0)
        return ST_OK;
    const struct list_facts *other = &first->facts;
    if (list->columns != other->columns || list->names != other->names || list->place[0] != other->place[0] ||
        list->place[1] != other->place[1]) {
        describe_columns(list, s->facts.notes.header_line, found, sizeof found);
        describe_columns(&first->facts, first->header_line, expected, sizeof expected);
        return refuse_part(job, input, found, expected, e);
    }
    if (list->separator == first->facts.separator)
        return ST_OK;
    snprintf(found, sizeof found, "columns separated by %ss", separator_name(list->separator));
    snprintf(expected, sizeof expected, "%ss", separator_name(first->facts.separator));
    return refuse_part(job, input, found, expected, e);
}

/* Tells the user, once, that an input says it is directed, while the script dbfs has asserted undirected edges by itself. */
static void note_direction(struct job *job, const struct source *s)
{
    const struct graph_facts *f = &s->facts;
    char said[64] = "comment";
    int fixed = f->direction_fixed && f->direction == EDGES_DIRECTED;
    if (!job->options->cli.within_dbfs || job->options->assertion != ASSERT_ONCE || job->noted.direction ||
        (!fixed && f->directed_by == NULL))
        return;
    if (fixed || strcmp(f->directed_by, "format") == 0)
        snprintf(said, sizeof said, "format (%s)", s->format);
    cli_note(&job->options->cli, "%s: its %s says that edges are directed, and each is taken as an undirected one: "
             "--direction directed keeps them", s->name, said);
    job->noted.direction = 1;
}

/* Tells the user what an input was taken for; notes that are alike only once (job->noted). */
static void report_opened(struct job *job, const struct source *s)
{
    const struct cli *cli = &job->options->cli;
    const struct graph_facts *f = &s->facts;
    cli_detail(cli, "%s: %s, %s%s", s->name, s->format, edges_direction_name(f->direction),
               f->both_listed ? " (both directions listed)" : "");
    note_direction(job, s);
    if (f->notes.header_line[0] != '\0')
        cli_note(cli, "%s: the first line is taken for column names: %s", s->name,
                 f->notes.header_line);
    if (f->notes.column[0] > 0 && !job->noted.weights)
        cli_note(cli, "%s: columns %d and %d are the ids of each edge; weights and other columns are not read",
                 s->name, f->notes.column[0], f->notes.column[1]);
    else if (f->notes.weights && !job->noted.weights)
        cli_note(cli, "%s: weights are not read: only the two ids of each edge are", s->name);
    job->noted.weights |= f->notes.weights || f->notes.column[0] > 0;
}

/* Appends the list of an archive's files to the message about a faulty one, which may be no list of edges, but for example a
 * table of vertices. */
void explain_member(const struct job *job, struct input *input, struct error *e)
{
    if (e->status == ST_BAD_DATA && job->options->member == NULL && !input_failed(input))
        input_explain_members(input, e);
}

/* Opens a reader of an input with the options of the command line. If this fails, the message may list the files of the archive. */
enum status open_reader(const struct job *job, struct graph_reader **reader, struct input *input, struct error *e)
{
    if (graph_reader_open_input(reader, input, &job->options->reader, e) != ST_OK)
        explain_member(job, input, e);
    return e->status;
}

/* Closes reader and input; both may be opened again. */
void close_source(struct source *s)
{
    graph_reader_close(s->reader);
    input_close(s->input);
    s->reader = NULL;
    s->input = NULL;
}

/* Checks that an input fits the first one, or becomes it: list, direction, base and randomisation. Sets s->fold. */
enum status join_source(struct job *job, struct source *s, struct input *input, int is_new, struct error *e)
{
    if (is_new)
        report_opened(job, s);
    if (join_list(job, s, input, e) == ST_OK && join_direction(job, s, e) == ST_OK && join_base(job, s, e) == ST_OK)
        join_randomisation(job, s, e);
    return e->status;
}

/* Refuses two inputs that read one pipe: each would get some of its bytes. */
static enum status refuse_same_pipe(const struct job *job, struct source *s, struct error *e)
{
    struct stat st;
    int found = strcmp(s->path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(s->path, &st);
    if (found != 0 || S_ISREG(st.st_mode))
        return ST_OK; /* opening tells what is wrong with it */
    s->pipe_device = st.st_dev;
    s->pipe_inode = st.st_ino;
    for (const struct source *before = job->sources; before < s; before++) {
        if (before->pipe_inode == st.st_ino && before->pipe_device == st.st_dev)
            return fail(e, ST_USAGE, "%s: is given twice, before as %s, and can be read once", s->name,
                        before->name);
    }
    return ST_OK;
}

/* Opens an input and takes format and facts from the reader of its first file, for the job and its totals. The later files of
 * an archive are looked at when they are read. */
static enum status look_at(struct job *job, struct source *s, struct error *e)
{
    if (refuse_same_pipe(job, s, e) != ST_OK ||
        input_open_first(&s->input, s->path, job->options->member, e) != ST_OK ||
        open_reader(job, &s->reader, s->input, e) != ST_OK)
        return e->status;
    job->archives += input_from_archive(s->input);
    const struct graph_reader *reader = s->reader;
    s->format = graph_format_name(reader->format);
    s->facts = reader->facts;
    s->facts.provenance = NULL;
    if (reader->facts.provenance != NULL && job->source_count == 1)
        strcpy(job->info.provenance, reader->facts.provenance);
    if (s->facts.n > job->n && job->options->map_path == NULL)
        job->n = s->facts.n;
    job->n_known &= s->facts.has_n && !input_from_archive(s->input) &&
                    job->options->map_path == NULL;
    job->stored_bytes += input_stored_size(s->input);
    join_source(job, s, s->input, /* is_new */ 1, e);
    /* closed until its turn, because hundreds of inputs would need too many descriptors; a pipe cannot be opened twice */
    if (strcmp(s->path, "-") != 0 && input_is_regular(s->input))
        close_source(s);
    return e->status;
}

/* Writes the provenance: only options that determine the content, so that graphs converted alike are equal files. */
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
    ADD("format %s\n", job->first.format);
    if (o->assertion == ASSERT_SYMMETRIC)
        ADD("of both directions one\n");
    if (o->map_path != NULL)
        ADD("ids made dense\n");
    if (o->reader.columns.end[0].begin != NULL)
        ADD("columns %s\n", o->reader.columns.end[0].begin);
    if (o->reader.separator != SEPARATOR_ANY)
        ADD("separator %s\n", separator_name(o->reader.separator));
    if (o->reader.comments != NULL)
        ADD("comments %s\n", *o->reader.comments != '\0' ? o->reader.comments : "none");
    if (o->reader.one_based)
        ADD("one-based\n");
    if (o->reader.vertices > 0)
        ADD("vertices %llu\n", (ull)o->reader.vertices);
    if (job->ids.restores)
        ADD("original ids\n");
#undef ADD
}

/* Looks at each input, and fills job->sources, job->n and, of the output, job->info and job->ids. */
enum status look_at_inputs(struct job *job, struct error *e)
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
    if (o->member != NULL && job->archives == 0)
        return fail(e, ST_USAGE, "%s: is no archive%s, and --member chooses files of archives", job->sources[0].name,
                    job->source_count > 1 ? ", nor is any other input" : "");
    job->n_known |= o->reader.vertices > 0;
    const struct graph_facts *first = &job->sources[0].facts;
    /* a map of ids that nobody has seen would be of no use */
    job->ids.restores = (o->original_ids || o->map_path != NULL) && first->randomized;
    if (o->original_ids && !first->randomized)
        cli_note(&o->cli, "%s: its ids are the original ones: --original-ids changes nothing", job->sources[0].name);
    if (job->ids.restores)
        bijection_init(&job->ids.restore, first->random_n, first->random_seed);
    job->info.randomized = first->randomized && !job->ids.restores;
    job->info.random_n = first->random_n;
    job->info.random_seed = first->random_seed;
    if (job->info.randomized && o->output != EDGE_FORMAT_EDGES)
        cli_note(&o->cli, "ids are written as stored, randomised; --original-ids undoes that");
    if (job->info.base == 1 && o->output != EDGE_FORMAT_EDGES && o->output != EDGE_FORMAT_TEXT)
        cli_note(&o->cli, "%s: its ids begin at 1, and at 0 in the output (%s): vertex 1 becomes 0", job->sources[0].name,
                 edge_format_name(o->output));
    write_provenance(job);
    return ST_OK;
}
