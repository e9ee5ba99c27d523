/* centrality.c: see centrality.h */
#include "centrality.h"

#include "formats/base/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char columns[] = "# id reached eccentricity distance_sum closeness closeness_wf harmonic\n";

/* The facts that the lines belong to. */
static void make_key(char key[128], const struct graph *graph, const struct roots *roots, int reverse)
{
    uint64_t digest = 0;
    for (uint64_t i = 0; i < roots->count; i++)
        digest += hash_pair(i, roots->ids[i]);
    snprintf(key, 128, "# dbfs-batch centrality of %" PRIu64 " roots %016" PRIx64 " in graph %016" PRIx64 "%s\n",
             roots->count, digest, graph->manifest.pack_id, reverse ? " reverse" : "");
}

/* ---- an unfinished table ---- */

/* Goes to the end of the last whole line, and cuts off the rest. Returns the number of lines. */
static enum status find_end(struct centrality *c, uint64_t *lines, struct error *e)
{
    long end = 0, at = 0;
    int byte;
    *lines = 0;
    rewind(c->file);
    while ((byte = getc(c->file)) != EOF) {
        at++;
        if (byte == '\n') {
            end = at;
            (*lines)++;
        }
    }
    if (ferror(c->file) || fseek(c->file, end, SEEK_SET) != 0 || ftruncate(fileno(c->file), end) != 0)
        return fail_errno(e, c->part, "cannot go on");
    return ST_OK;
}

/* Returns nonzero if there is no unfinished table. */
static int is_new(struct centrality *c, const char *key, struct error *e)
{
    char line[128] = "";
    uint64_t lines = 0;
    c->file = fopen(c->part, "r+");
    if (c->file == NULL || find_end(c, &lines, e) != ST_OK || lines < 2) {
        if (c->file != NULL)
            fclose(c->file);
        c->file = NULL;
        return e->status == ST_OK;
    }
    rewind(c->file);
    if (fgets(line, sizeof line, c->file) == NULL || strcmp(line, key) != 0)
        fail(e, ST_BAD_DATA, "%s: is of other roots or of another graph: without --resume and with --force it is replaced",
             c->part);
    else if (fseek(c->file, 0, SEEK_END) != 0)
        fail_errno(e, c->part, "cannot go on");
    c->done = lines - 2;
    return 0;
}

static enum status flush(struct centrality *c, struct error *e)
{
    if (fflush(c->file) != 0 || ferror(c->file) || (c->part != NULL && fdatasync(fileno(c->file)) != 0))
        return fail_errno(e, c->part != NULL ? c->part : "standard output", "cannot write");
    return ST_OK;
}

static enum status begin(struct centrality *c, const char *key, struct error *e)
{
    c->file = c->part != NULL ? fopen(c->part, "w") : stdout;
    if (c->file == NULL)
        return fail_errno(e, c->part, "cannot create");
    fputs(key, c->file);
    fputs(columns, c->file);
    return flush(c, e);
}

enum status centrality_open(struct centrality *c, const struct args *args, const struct graph *graph,
                            const struct roots *roots, struct error *e)
{
    char key[128];
    c->name = args->centrality;
    c->n = graph->manifest.totals.n;
    make_key(key, graph, roots, args->reverse && graph->manifest.direction == EDGES_DIRECTED);
    if (strcmp(c->name, "-") == 0)
        return begin(c, key, e);
    c->part = malloc(strlen(c->name) + sizeof ".part");
    if (c->part == NULL)
        return fail_memory(e, c->name, strlen(c->name));
    sprintf(c->part, "%s.part", c->name);
    if (!args->resume && !args->cli.force && access(c->part, F_OK) == 0)
        return fail(e, ST_RUNTIME, "%s: is there, unfinished: --resume goes on with it, --force begins anew", c->part);
    if (args->resume && !is_new(c, key, e))
        return e->status;
    return e->status == ST_OK ? begin(c, key, e) : e->status;
}

/* ---- lines ---- */

static void print_line(struct centrality *c, uint64_t id, const struct batch_result *r)
{
    char gap = c->map != NULL ? '\t' : ' ';
    double others = (double)(r->reached - 1), closeness = r->distances > 0 ? others / (double)r->distances : 0;
    name_map_print(c->file, c->map, id);
    fprintf(c->file, "%c%" PRIu64 "%c%" PRIu64 "%c%" PRIu64 "%c%.15g%c%.15g%c%.15g\n", gap, r->reached, gap, r->farthest,
            gap, r->distances, gap, closeness, gap, c->n > 1 ? closeness * others / (double)(c->n - 1) : 0, gap,
            r->harmonic);
}

enum status centrality_add(struct centrality *c, const uint64_t *ids, const struct batch_result *results, uint64_t count,
                           struct error *e)
{
    for (uint64_t i = 0; i < count; i++)
        print_line(c, ids[i], &results[i]);
    return flush(c, e);
}

enum status centrality_commit(struct centrality *c, struct error *e)
{
    if (c->part != NULL && rename(c->part, c->name) != 0)
        return fail_errno(e, c->name, "cannot rename");
    return ST_OK;
}

void centrality_close(struct centrality *c)
{
    if (c->file != NULL && c->part != NULL)
        fclose(c->file);
    free(c->part);
}
