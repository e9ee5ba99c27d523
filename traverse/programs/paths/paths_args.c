/* paths_args.c: reads the command line of dbfs-paths, and the file of --pairs */
#include "paths_args.h"

#include "traverse/options/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
};

static const struct option_program paths_program = {
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

/* Cuts a line after its first vertex, by a 0 byte in place of the separator, and returns the second vertex within the
 * line; NULL if the line does not have two. `names`: vertices are names, which may have spaces, so a tab separates them
 * if the line has one; otherwise blanks or a tab do. */
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

/* Reads the file of --pairs, and adds the source and the target of each line to the roots of args, as texts. Ends the
 * program if the file cannot be read, has too many pairs, or a line has no two vertices. */
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

/* Converts the texts of all sources and targets into ids, args->roots. Called without --map only. Ends the program if a
 * text, which may end with blanks, is not a whole number that fits. */
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

/* Reads the command line, which gives pairs in exactly one way: -r with --target, --pairs, or -n. Fills args->roots, or with
 * --map the names of roots. */
void paths_parse(struct paths_args *p, int argc, char **argv)
{
    struct args *args = &p->args;
    args_defaults(args, paths_program.name);
    cli_called(&args->cli);
    args->count = 0;
    options_read(args, &paths_program, argc, argv);
    args_settle(args);
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
