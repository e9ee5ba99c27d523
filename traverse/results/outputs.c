/* outputs.c: makes and checks the names of result files, and opens and closes files that all ranks write; see outputs.h */
#include "outputs.h"

#include "formats/graph/manifest.h"
#include "formats/result_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The most bytes of a root's name in the name of a file, of which 255 may not be exceeded. */
enum { MOST_NAME_BYTES = 180 };

/* Writes a name to `at`, as a part of the name of a file (outputs.h). Returns the end, without a NUL. */
static char *put_file_name(char *at, struct map_name name, uint64_t root)
{
    const char *begin = at;
    for (size_t i = 0; i < name.length; i++) {
        const unsigned char c = (unsigned char)name.bytes[i];
        const int is_plain = c > 0x1f && c != 0x7f && c != '%' && c != '/' && !(i == 0 && (c == '.' || c == '-'));
        if (at - begin > MOST_NAME_BYTES - 3)
            return at + sprintf(at, "%%.%" PRIu64, root);
        if (is_plain)
            *at++ = (char)c;
        else
            at += sprintf(at, "%%%02X", c);
    }
    return at;
}

/* Returns a copy of the name `pattern`, with the root for the first %d (outputs.h). */
char *outputs_name(const char *pattern, const struct name_map *map, uint64_t root, uint64_t base)
{
    const char *mark = strstr(pattern, "%d");
    char *name = malloc(strlen(pattern) + MOST_NAME_BYTES + 24), *at = name;
    if (name == NULL)
        return NULL;
    if (mark == NULL)
        return strcpy(name, pattern);
    at += sprintf(at, "%.*s", (int)(mark - pattern), pattern);
    at = map != NULL ? put_file_name(at, name_map_at(map, root), root) : at + sprintf(at, "%" PRIu64, root + base);
    strcpy(at, mark + 2);
    return name;
}

/* Prints notes about arrays of vertices with names (outputs.h). dbfs says itself where its map is. */
void outputs_note_names(const struct args *args)
{
    for (int i = 0; args->map != NULL && !args->cli.within_dbfs && i < VALUE_RESULTS; i++) {
        const char *name = args->results[i];
        if (name != NULL && !args_is_table(args, name))
            cli_note(&args->cli, "%s: value i is that of the vertex whose name is line i + 1 of %s", name, args->map);
    }
}

/* Collective. Lets the other ranks open the file that rank 0 has open in *out (outputs.h). For this, rank 0 broadcasts the
 * path of its temporary file, or an empty path if the other ranks are not to open the file. */
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

/* Collective. Closes a file on all ranks. Rank 0 gives the file its final name, or discards it if any rank has failed. */
enum status outputs_commit(struct outfile **out, const struct comm *comm, struct error *e)
{
    if (comm->rank != 0) {
        outfile_leave(*out, e);
        *out = NULL;
    }
    comm_agree(comm, e);
    outfile_commit(*out, NULL, e);
    *out = NULL;
    return comm_agree(comm, e);
}

/* ---- inputs ---- */

/* The paths of the files that a run reads. */
struct inputs {
    char **path; /* [count] an entry may be NULL, for no file */
    size_t count;
};

/* Frees the paths. *in may be zeroed. */
static void free_inputs(struct inputs *in)
{
    for (size_t i = 0; in->path != NULL && i < in->count; i++)
        free(in->path[i]);
    free(in->path);
}

/* Lists all input files: the manifest, the map (NULL if there is none), and the parts of the graph. If the manifest cannot
 * be read, leaves out the parts, because opening the graph will report this failure. free_inputs frees the paths, even
 * after a failure. */
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

/* Returns whether each root has a file of its own, because the name has a %d. The name may be NULL. */
static int is_per_root(const char *pattern)
{
    return pattern != NULL && strstr(pattern, "%d") != NULL;
}

/* Returns what result number i may be written as. Reached vertices and centralities are tables. */
static enum result_content content_of(int i)
{
    if (i == VALUE_RESULTS || i == RESULT_CENTRALITY)
        return RESULT_IS_TABLE;
    return i < VALUE_RESULTS || i > RESULT_CENTRALITY ? RESULT_IS_VALUES : RESULT_IS_REPORT;
}

/* Checks the names result[RESULTS], in the order of args->results, before a result is written; NULL stands for a result that is
 * not wanted. Fails for a file that is an input or another result, for a suffix of a format that is not written, and for a file
 * that outfile_check_output refuses. Does not call outfile_check_output for a name with a %d, which is not yet the name of a
 * file, or for a file that is overwritten in place, which needs no second file beside it. */
static enum status check_names(const char *const *result, const struct inputs *in, const struct args *args,
                               struct error *e)
{
    for (int i = 0; i < RESULTS && e->status == ST_OK; i++) {
        struct stat st;
        const char *name = result[i];
        outfile_refuse_inputs(name, (const char *const *)in->path, in->count, e);
        for (int j = 0; j < i; j++) {
            if (!(i == RESULT_PARENTS && args_in_one_table(args))) /* the same file as depths */
                outfile_refuse_output(name, result[j], e);
        }
        int in_place = args->in_place && i < VALUE_RESULTS && name != NULL && stat(name, &st) == 0 && S_ISREG(st.st_mode) &&
                       access(name, W_OK) == 0;
        if (e->status == ST_OK && result_name_check(name, content_of(i), args->cli.program, e) == ST_OK && !is_per_root(name) && !in_place)
            outfile_check_output(name, args->cli.force, e);
    }
    return e->status;
}

/* Checks the names of all results as they are given, before the graph is opened. With --plan, checks only the name of the
 * JSON file, because no other file is written. */
enum status outputs_check(const struct args *args, struct error *e)
{
    const char *const plan[RESULTS] = {[RESULT_JSON] = args->json};
    const char *const *result = args->plan ? plan : args->results;
    struct inputs in = {0};
    int wanted = 0;
    if (outfile_refuse_inputs("-", &args->map, 1, e) != ST_OK) /* the records go there */
        return e->status;
    for (int i = 0; i < RESULTS; i++)
        wanted |= result[i] != NULL;
    if (!wanted)
        return ST_OK;
    if (list_inputs(&in, args, e) == ST_OK)
        check_names(result, &in, args, e);
    free_inputs(&in);
    return e->status;
}

/* Checks the names of the results of the root with the input id `root`. The first call in which a result exists already lists
 * the input files in *in; before, no result can be an input. The caller passes the same *in to all calls, and frees it after
 * the last call. */
static enum status check_root(const struct args *args, const struct name_map *map, uint64_t root, uint64_t base,
                              struct inputs *in, struct error *e)
{
    const char *result[RESULTS];
    char *name[ROOT_RESULTS] = {NULL};
    int exists = 0;
    memcpy(result, args->results, sizeof result);
    for (int i = 0; i < ROOT_RESULTS; i++) {
        if (result[i] == NULL)
            continue;
        name[i] = outputs_name(result[i], map, root, base);
        if (name[i] == NULL)
            fail_memory(e, args->folder, 24);
        result[i] = name[i];
    }
    for (int i = 0; i < RESULTS; i++)
        exists |= result[i] != NULL && access(result[i], F_OK) == 0;
    if (e->status == ST_OK && (in->path != NULL || !exists || list_inputs(in, args, e) == ST_OK))
        check_names(result, in, args, e);
    for (int i = 0; i < ROOT_RESULTS; i++)
        free(name[i]);
    return e->status;
}

/* Checks the names of the results of each root. Does nothing if no name has a %d. ids[count]: the input ids of the roots;
 * `base`: what people call input id 0. */
enum status outputs_check_roots(const struct args *args, const struct name_map *map, const uint64_t *ids, uint64_t count,
                                uint64_t base, struct error *e)
{
    struct inputs in = {0};
    int any = 0;
    for (int i = 0; i < ROOT_RESULTS; i++)
        any |= is_per_root(args->results[i]);
    if (!any)
        return ST_OK;
    for (uint64_t i = 0; i < count && e->status == ST_OK; i++)
        check_root(args, map, ids[i], base, &in, e);
    free_inputs(&in);
    return e->status;
}
