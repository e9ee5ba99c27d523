/* centrality.c: writes the table of --centrality, and reads an unfinished table (centrality.h) */
#include "centrality.h"

#include "formats/base/hash.h"
#include "formats/base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The second line of the unfinished table, and the names of the columns of the finished one. */
static const char part_columns[] = "# id reached eccentricity distance_sum closeness closeness_wf harmonic\n";
static const char columns[] = "root,reached,eccentricity,distance_sum,closeness,closeness_wf,harmonic";

/* FIELDS: the number of fields in a line after the root. */
enum { FIELDS = 6 };

/* The arguments of print_line: a root and its result. */
struct line {
    const struct centrality *table;
    uint64_t id;
    const struct batch_result *result;
};

/* Prints the six numbers of a root, each after the separator `gap`. */
static void print_numbers(FILE *file, char gap, uint64_t n, const struct batch_result *r)
{
    double others = (double)(r->reached - 1), closeness = r->distances > 0 ? others / (double)r->distances : 0;
    fprintf(file, "%c%" PRIu64 "%c%" PRIu64 "%c%" PRIu64 "%c%.17g%c%.17g%c%.17g", gap, r->reached, gap, r->farthest, gap,
            r->distances, gap, closeness, gap, n > 1 ? closeness * (others / (double)(n - 1)) : 0, gap, r->harmonic);
}

/* Prints the line of a root as the unfinished table has it, with the newline. Called by text_printed, with the struct line. */
static void print_line(FILE *file, const void *context)
{
    const struct line *line = context;
    const struct name_map *map = line->table->map;
    name_map_print(file, map, map != NULL ? line->id : line->id + line->table->base);
    print_numbers(file, line->table->map != NULL ? '\t' : ' ', line->table->n, line->result);
    fputc('\n', file);
}

/* Writes a line of the finished table: the root, and the FIELDS numbers at `numbers`, each of which begins with a separator of
 * one byte. `name` is the text of the root in the unfinished table: a name or, without a map, what people call it. */
static enum status write_line(struct table *t, const char *name, size_t length, char *numbers, struct error *e)
{
    if (t->map != NULL)
        table_text(t, name, length, e);
    else
        table_vertex(t, (int64_t)strtoull(name, NULL, 10), e);
    const char gap[] = {numbers[0], '\n', '\0'};
    for (char *field = strtok(numbers, gap); field != NULL; field = strtok(NULL, gap))
        table_text(t, field, strlen(field), e);
    return table_end_line(t, e);
}

/* Returns the index in line[length] at which its FIELDS numbers begin, with the separator before the first of them. */
static size_t numbers_of(const struct centrality *c, const char *line, size_t length)
{
    size_t at = length;
    for (int gaps = 0; gaps < FIELDS && at > 0; gaps += line[at] == (c->map != NULL ? '\t' : ' '))
        at--;
    return at;
}

/* Appends the lines of `count` roots to the table, and syncs them to disk, so that they survive if the run is killed. A table
 * that is written directly has its finished lines. Stops at the first failure. */
enum status centrality_add(struct centrality *c, const uint64_t *ids, const struct batch_result *results, uint64_t count,
                           struct error *e)
{
    for (uint64_t i = 0; i < count && e->status == ST_OK; i++) {
        size_t bytes;
        char *text = text_printed(print_line, &(struct line){c, ids[i], &results[i]}, &bytes);
        const size_t numbers = text != NULL ? numbers_of(c, text, bytes) : 0;
        if (text == NULL)
            fail_memory(e, c->name, bytes);
        else if (c->part != NULL)
            outfile_write(c->out, text, bytes, e);
        else
            write_line(&c->table, text, numbers, text + numbers, e);
        free(text);
    }
    return e->status == ST_OK ? outfile_keep(c->out, e) : e->status;
}

/* Returns whether line[length] is a valid line of the root `id`. Reads the counts in the line, prints the line that they
 * give, and compares both byte for byte, so that a line that was cut off or changed is not valid. */
static int is_line_of(const struct centrality *c, uint64_t id, const char *line, size_t length)
{
    struct batch_result r = {0};
    if (sscanf(line + numbers_of(c, line, length), "%" SCNu64 " %" SCNu64 " %" SCNu64 " %*s %*s %lf", &r.reached, &r.farthest,
               &r.distances, &r.harmonic) != 4)
        return 0;
    size_t bytes;
    char *text = text_printed(print_line, &(struct line){c, id, &r}, &bytes);
    int same = text != NULL && bytes == length && memcmp(text, line, length) == 0;
    free(text);
    return same;
}

/* Reads the unfinished table c->part for --resume, up to the first bad line, which is not the line of the root in its place.
 * Sets c->done to the number of roots with valid lines, c->bad_line to the number of the bad line, and *kept to the bytes of
 * the valid lines, or to 0 if no root has one. Changes nothing if the file is missing. Fails if the file cannot be read, or if
 * its first line names other roots or another graph. */
static enum status read_part(struct centrality *c, const struct roots *roots, uint64_t *kept, struct error *e)
{
    int fd = open(c->part, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    uint64_t bytes = 0, lines = 0;
    if (file == NULL && (fd >= 0 || errno != ENOENT))
        return fail_errno(e, c->part, "cannot go on");
    if (file == NULL)
        return ST_OK;
    while ((length = getline(&line, &room, file)) > 0 && line[length - 1] == '\n') {
        int held = lines == 0   ? strcmp(line, c->key) == 0
                   : lines == 1 ? strcmp(line, part_columns) == 0
                                : lines - 2 < roots->count && is_line_of(c, roots->ids[lines - 2], line, (size_t)length);
        if (!held) {
            c->bad_line = lines + 1;
            break;
        }
        bytes += (uint64_t)length;
        lines++;
    }
    free(line);
    c->done = lines > 2 ? lines - 2 : 0;
    *kept = lines > 2 ? bytes : 0;
    if (c->bad_line == 1)
        fail(e, ST_BAD_DATA, "%s: is of other roots or of another graph: without --resume and with --force it is replaced",
             c->part);
    if (ferror(file))
        fail_errno(e, c->part, "cannot go on");
    fclose(file);
    return e->status;
}

/* Sets c->part to the name of the unfinished table, or to NULL if the table is written directly to its final name. Fails if
 * another output has the name c->part, if the file c->part exists and neither --resume nor --force is given, or if --resume is
 * given and c->part is NULL. */
static enum status name_part(struct centrality *c, const struct args *args, struct error *e)
{
    struct stat st;
    if (outfile_part(&c->part, c->name, e) != ST_OK || (c->part == NULL && !args->resume))
        return e->status;
    if (c->part == NULL)
        return fail(e, ST_USAGE, "%s: is no file that --resume could go on with", c->name);
    outfile_refuse_output(c->part, args->depths, e);
    outfile_refuse_output(c->part, args->parents, e);
    if (e->status == ST_OK && !args->resume && !args->cli.force && lstat(c->part, &st) == 0)
        fail(e, ST_RUNTIME, "%s: is there, unfinished: --resume goes on with it, --force begins anew", c->part);
    return e->status;
}

/* Begins the table, or with --resume continues an unfinished table. The first line has the number of the roots, a digest of the roots,
 * the id of the graph, whether edges are followed in reverse, and the depth of --max-depth. With --resume, fails if the first line
 * differs. */
enum status centrality_open(struct centrality *c, const struct args *args, const struct graph *graph,
                            const struct roots *roots, struct error *e)
{
    const int reverse = args->reverse && graph->manifest.direction == EDGES_DIRECTED;
    uint64_t kept = 0, digest = 0;
    c->name = args->centrality;
    c->n = graph->manifest.totals.n;
    c->base = graph->base;
    for (uint64_t i = 0; i < roots->count; i++)
        digest += hash_pair(i, roots->ids[i]);
    snprintf(c->key, sizeof c->key, "# dbfs-batch centrality of %" PRIu64 " roots %016" PRIx64 " in graph %016" PRIx64 "%s",
             roots->count, digest, graph->manifest.pack_id, reverse ? " reverse" : "");
    if (args->max_depth != NO_MAX_DEPTH)
        snprintf(c->key + strlen(c->key), sizeof c->key - strlen(c->key), " to depth %" PRIu64, args->max_depth);
    strcat(c->key, "\n");
    if (name_part(c, args, e) != ST_OK || (args->resume && read_part(c, roots, &kept, e) != ST_OK) ||
        outfile_open_growing(&c->out, c->name, kept, e) != ST_OK)
        return e->status;
    table_begin(&c->table, c->out, table_form_of(c->name), c->map, /* base */ 0); /* lines have the ids of the file */
    if (c->part == NULL)
        table_columns(&c->table, columns, e);
    else if (kept == 0 && outfile_write(c->out, c->key, strlen(c->key), e) == ST_OK)
        outfile_write(c->out, part_columns, strlen(part_columns), e);
    return e->status == ST_OK ? outfile_keep(c->out, e) : e->status;
}

/* Writes the finished table from the lines of the unfinished one, without the two lines at its head. */
static enum status write_finished(struct centrality *c, struct error *e)
{
    FILE *file = fopen(c->part, "re");
    struct outfile *out = NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    if (file == NULL)
        return fail_errno(e, c->part, "cannot read");
    if (outfile_open(&out, c->name, e) == ST_OK) {
        table_begin(&c->table, out, table_form_of(c->name), c->map, /* base */ 0); /* lines have the ids of the file */
        table_columns(&c->table, columns, e);
    }
    for (uint64_t number = 0; e->status == ST_OK && (length = getline(&line, &room, file)) > 0; number++) {
        size_t numbers = numbers_of(c, line, (size_t)length);
        if (number >= 2)
            write_line(&c->table, line, numbers, line + numbers, e);
    }
    if (e->status == ST_OK && ferror(file))
        fail_errno(e, c->part, "cannot read");
    free(line);
    fclose(file);
    return outfile_commit(out, NULL, e);
}

/* Completes the table. If it has grown in c->part, writes the finished table from it, and removes c->part. Sets c->out to NULL,
 * even after a failure, which leaves c->part on disk. */
enum status centrality_commit(struct centrality *c, struct error *e)
{
    struct outfile *grown = c->out;
    c->out = NULL;
    if (c->part == NULL)
        return outfile_commit(grown, NULL, e);
    if (outfile_keep(grown, e) == ST_OK && write_finished(c, e) == ST_OK)
        outfile_remove_part(grown);
    else
        outfile_abort(grown);
    return e->status;
}

/* Frees the memory of *c, which may be all zeros. An unfinished file stays on disk, so that --resume can continue the
 * table. */
void centrality_close(struct centrality *c)
{
    outfile_abort(c->out);
    free(c->part);
}
