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

static const char columns[] = "# id reached eccentricity distance_sum closeness closeness_wf harmonic\n";

/* The arguments of print_line: a root and its result. */
struct line {
    const struct centrality *table;
    uint64_t id;
    const struct batch_result *result;
};

/* Prints the line of a root as the table has it, with the newline. Called by text_printed, with the struct line. */
static void print_line(FILE *file, const void *context)
{
    const struct line *line = context;
    const struct centrality *c = line->table;
    const struct batch_result *r = line->result;
    char gap = c->map != NULL ? '\t' : ' ';
    double others = (double)(r->reached - 1), closeness = r->distances > 0 ? others / (double)r->distances : 0;
    name_map_print(file, c->map, line->id);
    fprintf(file, "%c%" PRIu64 "%c%" PRIu64 "%c%" PRIu64 "%c%.17g%c%.17g%c%.17g\n", gap, r->reached, gap, r->farthest,
            gap, r->distances, gap, closeness, gap, c->n > 1 ? closeness * (others / (double)(c->n - 1)) : 0, gap,
            r->harmonic);
}

/* Appends the lines of `count` roots to the table, and syncs them to disk, so that they survive if the run is killed. Stops
 * at the first failure. */
enum status centrality_add(struct centrality *c, const uint64_t *ids, const struct batch_result *results, uint64_t count,
                           struct error *e)
{
    for (uint64_t i = 0; i < count && e->status == ST_OK; i++) {
        size_t bytes;
        char *text = text_printed(print_line, &(struct line){c, ids[i], &results[i]}, &bytes);
        if (text == NULL)
            fail_memory(e, c->name, bytes);
        else
            outfile_write(c->out, text, bytes, e);
        free(text);
    }
    return e->status == ST_OK ? outfile_keep(c->out, e) : e->status;
}

/* Returns whether line[length] is a valid line of the root `id`. Reads the counts in the line, prints the line that they
 * give, and compares both byte for byte, so that a line that was cut off or changed is not valid. */
static int is_line_of(const struct centrality *c, uint64_t id, const char *line, size_t length)
{
    struct batch_result r = {0};
    const char *at = line + length;
    for (int gaps = 0; gaps < 6 && at > line; gaps += *at == (c->map != NULL ? '\t' : ' '))
        at--;
    if (sscanf(at, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %*s %*s %lf", &r.reached, &r.farthest, &r.distances, &r.harmonic) != 4)
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
                   : lines == 1 ? strcmp(line, columns) == 0
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

/* Begins the table, or with --resume continues an unfinished table. The first line has the number of the roots, a digest of
 * the roots, the id of the graph, whether edges are followed in reverse, and the depth of --max-depth. With --resume, fails if the first line
 * differs. */
enum status centrality_open(struct centrality *c, const struct args *args, const struct graph *graph,
                            const struct roots *roots, struct error *e)
{
    const int reverse = args->reverse && graph->manifest.direction == EDGES_DIRECTED;
    uint64_t kept = 0, digest = 0;
    c->name = args->centrality;
    c->n = graph->manifest.totals.n;
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
    if (kept == 0 && outfile_write(c->out, c->key, strlen(c->key), e) == ST_OK)
        outfile_write(c->out, columns, strlen(columns), e);
    return e->status == ST_OK ? outfile_keep(c->out, e) : e->status;
}

/* Completes the table: syncs the unfinished file, and renames it to its final name. Sets c->out to NULL, even after a
 * failure. */
enum status centrality_commit(struct centrality *c, struct error *e)
{
    outfile_commit(c->out, NULL, e);
    c->out = NULL;
    return e->status;
}

/* Frees the memory of *c, which may be all zeros. An unfinished file stays on disk, so that --resume can continue the
 * table. */
void centrality_close(struct centrality *c)
{
    outfile_abort(c->out);
    free(c->part);
}
