/* outputs.c: see outputs.h */
#include "outputs.h"

#include "formats/graph/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

char *outputs_name(const char *pattern, uint64_t root)
{
    const char *at = strstr(pattern, "%d");
    char *name = malloc(strlen(pattern) + 24);
    if (name == NULL)
        return NULL;
    if (at == NULL)
        strcpy(name, pattern);
    else
        sprintf(name, "%.*s%" PRIu64 "%s", (int)(at - pattern), pattern, root, at + 2);
    return name;
}

int outputs_ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length >= end && strcmp(name + length - end, suffix) == 0;
}

int outputs_join(struct outfile **out, const struct comm *comm, int wanted, const char *name)
{
    struct error ignored = {0};
    char path[4096] = "";
    const char *temporary = *out != NULL && wanted ? outfile_temporary(*out) : NULL;
    if (temporary != NULL && strlen(temporary) < sizeof path)
        strcpy(path, temporary);
    comm_broadcast(comm, path, sizeof path, 0);
    if (path[0] != '\0' && comm->rank != 0)
        outfile_join(out, path, name, &ignored);
    return path[0] != '\0' && comm_min_of(comm, *out != NULL) == 1;
}

enum status outputs_commit(struct outfile **out, const struct comm *comm, struct error *e)
{
    if (comm->rank != 0) {
        outfile_leave(*out, e);
        *out = NULL;
    }
    if (comm_agree(comm, e) != ST_OK)
        outfile_abort(*out);
    else if (*out != NULL)
        outfile_commit(*out, NULL, e);
    *out = NULL;
    return comm_agree(comm, e);
}

/* ---- inputs ---- */

struct inputs {
    char **path; /* NULL stands for no file */
    size_t count;
};

static void free_inputs(struct inputs *in)
{
    for (size_t i = 0; in->path != NULL && i < in->count; i++)
        free(in->path[i]);
    free(in->path);
}

/* Lists the input files of a search: its map, the manifest and the parts. If the manifest cannot be read, opening the graph
 * reports it. */
static enum status list_inputs(struct inputs *in, const struct args *args, struct error *e)
{
    struct manifest m;
    struct error ignored = {0};
    char name[40];
    uint32_t p = manifest_read(&m, args->folder, &ignored) == ST_OK ? m.p : 0;
    manifest_free(&m);
    in->count = (size_t)p + 2;
    in->path = calloc(in->count, sizeof *in->path);
    if (in->path == NULL)
        return fail_memory(e, args->folder, in->count * sizeof *in->path);
    in->path[0] = manifest_path(args->folder, MANIFEST_NAME);
    in->path[1] = args->map != NULL ? strdup(args->map) : NULL;
    for (uint32_t s = 0; s < p; s++)
        in->path[s + 2] = manifest_path(args->folder, manifest_part_name(name, sizeof name, s, p));
    for (size_t i = 0; i < in->count; i++) {
        if (in->path[i] == NULL && (i != 1 || args->map != NULL))
            fail_memory(e, args->folder, strlen(args->folder));
    }
    return e->status;
}

/* ---- results ---- */

enum { RESULTS = 6 };

static int is_per_root(const char *pattern)
{
    return pattern != NULL && strstr(pattern, "%d") != NULL;
}

static int is_ending(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length >= end && strcasecmp(name + length - end, suffix) == 0;
}

static enum status refuse_compressed(const char *name, struct error *e)
{
    static const char *const compression[][2] = {
        {".gz", "gzip"}, {".xz", "xz"}, {".zst", "zstd"}, {".bz2", "bzip2"}, {".lz4", "lz4"}};
    for (size_t i = 0; i < sizeof compression / sizeof *compression; i++) {
        if (is_ending(name, compression[i][0]))
            return fail(e, ST_USAGE, "%s: results are written as they are: use '-' for this file, and "
                        "`dbfs-traverse ... | %s >%s`", name, compression[i][1], name);
    }
    return ST_OK;
}

/* Text under a name of another format would be noticed by the next program, far from here. */
static enum status refuse_other_formats(const char *name, struct error *e)
{
    static const char *const formats[] = {".parquet", ".arrow", ".feather", ".npz",  ".h5",
                                          ".hdf5",    ".mat",   ".xlsx",    ".json", ".jsonl"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        int stem = (int)(strlen(name) - strlen(formats[i]));
        if (is_ending(name, formats[i]))
            return fail(e, ST_USAGE, "%s: %s is not written: '%.*s.npy' is an array for numpy.load, "
                        "'%.*s.csv' has a line 'id,value' for each vertex", name, formats[i], stem,
                        name, stem, name);
    }
    return ST_OK;
}

/* A file that exists and is written over where it stands needs no other file beside it. */
static int is_in_place(const struct args *args, const char *name)
{
    struct stat st;
    return args->in_place && name != NULL && stat(name, &st) == 0 && S_ISREG(st.st_mode) && access(name, W_OK) == 0;
}

/* NULL stands for a result that is not wanted. The first two are values of vertices. */
static enum status check_names(const char *const *result, const struct inputs *in, const struct args *args,
                               struct error *e)
{
    for (int i = 0; i < RESULTS && e->status == ST_OK; i++) {
        if (result[i] != NULL && refuse_compressed(result[i], e) == ST_OK && i < 2)
            refuse_other_formats(result[i], e);
        if (e->status != ST_OK)
            return e->status;
        outfile_refuse_inputs(result[i], (const char *const *)in->path, in->count, e);
        for (int j = 0; j < i; j++)
            outfile_refuse_output(result[i], result[j], e);
        if (e->status == ST_OK && !is_per_root(result[i]) && !(i < 2 && is_in_place(args, result[i])))
            outfile_check_output(result[i], args->cli.force, e);
    }
    return e->status;
}

enum status outputs_check(const struct args *args, struct error *e)
{
    const char *const all[RESULTS] = {args->depths, args->parents, args->json, args->trace, args->reached,
                                      args->centrality};
    const char *const plan[RESULTS] = {[2] = args->json};
    const char *const *result = args->plan ? plan : all;
    struct inputs in = {0};
    int wanted = 0;
    for (int i = 0; i < RESULTS; i++)
        wanted |= result[i] != NULL;
    if (!wanted)
        return ST_OK;
    if (list_inputs(&in, args, e) == ST_OK)
        check_names(result, &in, args, e);
    free_inputs(&in);
    return e->status;
}

static int any_exists(const char *const *result)
{
    for (int i = 0; i < RESULTS; i++) {
        if (result[i] != NULL && access(result[i], F_OK) == 0)
            return 1;
    }
    return 0;
}

/* A file that does not exist is no input, so inputs are listed when the first existing result is met. */
static enum status check_root(const struct args *args, uint64_t root, struct inputs *in, struct error *e)
{
    const char *const pattern[] = {args->depths, args->parents, args->reached};
    char *name[3] = {NULL};
    for (int i = 0; i < 3; i++) {
        name[i] = pattern[i] != NULL ? outputs_name(pattern[i], root) : NULL;
        if (pattern[i] != NULL && name[i] == NULL)
            fail_memory(e, args->folder, 24);
    }
    const char *const result[RESULTS] = {name[0], name[1], args->json, args->trace, name[2], args->centrality};
    if (e->status == ST_OK && (in->path != NULL || !any_exists(result) || list_inputs(in, args, e) == ST_OK))
        check_names(result, in, args, e);
    for (int i = 0; i < 3; i++)
        free(name[i]);
    return e->status;
}

enum status outputs_check_roots(const struct args *args, const uint64_t *ids, uint64_t count,
                                struct error *e)
{
    struct inputs in = {0};
    if (!is_per_root(args->depths) && !is_per_root(args->parents) && !is_per_root(args->reached))
        return ST_OK;
    for (uint64_t i = 0; i < count && e->status == ST_OK; i++)
        check_root(args, ids[i], &in, e);
    free_inputs(&in);
    return e->status;
}
