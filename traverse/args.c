/* args.c: see args.h */
#include "args.h"
#include "rank_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: dbfs-traverse [OPTION]... DIR\n"
    "       mpiexec -n R dbfs-traverse [OPTION]... DIR\n"
    "       dbfs-traverse --plan [--parents -] [-S SIZE] [--json FILE] DIR\n"
    "Breadth-first search over the shards that dbfs-pack wrote to DIR.\n"
    "\n"
    "Roots:\n"
    "  -r, --roots ROOT[,ROOT...]  search from these vertices; with --map a name each time\n"
    "  -n, --count COUNT           search from COUNT sampled vertices of degree >= 1 (default 64)\n"
    "      --roots-from FILE       and from those of this file, one a line\n"
    "      --seed N                of the sampling (default 1)\n"
    "      --several-levels        summarise only searches of more than one level, as the paper\n"
    "                              does (with -n 140)\n"
    "      --warm-up N             untimed searches first (default 1 when sampling, else 0)\n"
    "Machine:\n"
    RANK_HELP_SHARDS
    "      --resident KIND         raw: columns are decoded; packed: they are searched as they are packed;\n"
    "                              host: they stay in memory of the host, which a GPU reads; auto: the\n"
    "                              first of these that fits (default auto)\n"
    "      --plan                  print the device memory that DIR takes, and do nothing else\n"
    "      --dry-run               check options and result files, and do nothing else\n"
    RANK_HELP_CHECKS
    RANK_HELP_SEARCH
    "Results ('-' is standard output; records then go to standard error):\n"
    "      --map FILE              of edgeconv --compact: roots are given and results written by name\n"
    "      --depths FILE           hop distances: .npy, .raw, .csv, or text lines \"id depth\"\n"
    "      --parents FILE          parents; %d in FILE becomes the root\n"
    "      --answer KIND           depths or parents: what answer_s is the time of (default parents\n"
    "                              with --parents, else depths)\n"
    "      --parents-width BYTES   of a parent in .npy and .raw: 4 or 8 (default 4 if ids fit)\n"
    "      --json FILE             environment, summary and a record per root\n"
    "      --force                 replace result files that exist\n"
    "      --breakdown             in FILE also the time of each part of each level\n"
    "      --trace FILE            a line of JSON per level: frontier, directions, messages, times\n"
    "Common:\n"
    "  -@, --threads N             per rank (default 0: all cores / ranks on the host)\n"
    "  -S, --memory SIZE           bound on a rank's arrays (default 3/4 of what is available,\n"
    "                              divided by the ranks on the host)\n"
    "  -T, --tmpdir DIR            accepted for uniformity; nothing is spilled\n"
    "  -q, --quiet                 only the summary and errors; with a result on standard output, only\n"
    "                              that\n"
    "  -v, --verbose               a line per level\n"
    "  -h, --help   --version\n"
    "\n"
    "Exit codes: 0 ok, 1 run-time failure, 2 usage, 3 bad data, 5 not enough memory or no GPU.\n";

enum {
    OPTION_SEED = RANK_FIRST_FREE_OPTION,
    OPTION_WARM_UP,
    OPTION_MAP,
    OPTION_DEPTHS,
    OPTION_PARENTS,
    OPTION_PARENTS_WIDTH,
    OPTION_ANSWER,
    OPTION_JSON,
    OPTION_BREAKDOWN,
    OPTION_TRACE,
    OPTION_PLAN,
    OPTION_DRY_RUN,
    OPTION_RESIDENT,
    OPTION_SEVERAL_LEVELS,
    OPTION_ROOTS_FROM
};

static const struct option long_options[] = {
    CLI_LONG_OPTIONS,
    {"roots", required_argument, NULL, 'r'},
    {"count", required_argument, NULL, 'n'},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"warm-up", required_argument, NULL, OPTION_WARM_UP},
    RANK_LONG_OPTIONS,
    {"map", required_argument, NULL, OPTION_MAP},
    {"depths", required_argument, NULL, OPTION_DEPTHS},
    {"parents", required_argument, NULL, OPTION_PARENTS},
    {"answer", required_argument, NULL, OPTION_ANSWER},
    {"parents-width", required_argument, NULL, OPTION_PARENTS_WIDTH},
    {"json", required_argument, NULL, OPTION_JSON},
    {"breakdown", no_argument, NULL, OPTION_BREAKDOWN},
    {"trace", required_argument, NULL, OPTION_TRACE},
    {"resident", required_argument, NULL, OPTION_RESIDENT},
    {"plan", no_argument, NULL, OPTION_PLAN},
    {"dry-run", no_argument, NULL, OPTION_DRY_RUN},
    {"several-levels", no_argument, NULL, OPTION_SEVERAL_LEVELS},
    {"roots-from", required_argument, NULL, OPTION_ROOTS_FROM},
    {NULL, 0, NULL, 0}};

static const char *const answer_names[] = {"depths", "parents"};
static const char *const width_names[] = {"4", "8"};

_Noreturn static void end_without_memory(struct args *args, uint64_t bytes)
{
    struct error e = {0};
    fail_memory(&e, "command line", bytes);
    args_free(args);
    comm_leave(&args->cli, &e);
}

/* Ids with commas between them, behind those that are there. */
static void parse_roots(struct args *args, char *list)
{
    uint64_t count = args->count + 1;
    for (const char *c = list; *c != '\0'; c++)
        count += *c == ',';
    if (count > MAX_ROOTS)
        cli_usage(&args->cli, "-r: more than %d roots", MAX_ROOTS);
    uint64_t *grown = realloc(args->roots, count * sizeof *grown);
    if (grown == NULL)
        end_without_memory(args, count * sizeof *grown);
    args->roots = grown;
    for (char *next = list; next != NULL;) {
        char *item = strsep(&next, ",");
        if (*item != '\0' && strchr("+-.0123456789", *item) == NULL)
            cli_usage(&args->cli, "-r: '%s' is not a whole number: ids are numbers; a graph of words "
                      "is made by `edgeconv --compact=MAP` (dbfs: --compact), and searched with "
                      "--map MAP", item);
        args->roots[args->count++] = cli_number(&args->cli, "-r", item, 0, UINT64_MAX);
    }
}

/* What every -r says: a name each where there is a map, else lists of ids. */
static void read_roots(struct args *args)
{
    uint64_t texts = args->count;
    if (args->map != NULL)
        return;
    args->count = 0;
    for (uint64_t i = 0; i < texts; i++)
        parse_roots(args, args->root_names[i]);
    free(args->root_names);
    args->root_names = NULL;
}

static void add_root(struct args *args, char *text)
{
    if (!args->roots_given++)
        args->count = 0;
    args->root_names[args->count++] = text;
}

/* The lines of a file, as so many -r. */
static void add_roots_from(struct args *args, const char *path, int argc)
{
    struct error e = {0};
    struct roots_file *f = &args->roots_from;
    if (f->count > 0)
        cli_usage(&args->cli, "--roots-from is given twice");
    if (roots_file_read(f, path, &e) != ST_OK) {
        args_free(args);
        comm_leave(&args->cli, &e);
    }
    if (f->count > MAX_ROOTS)
        cli_usage(&args->cli, "--roots-from: more than %d roots", MAX_ROOTS);
    char **grown = realloc(args->root_names, ((size_t)argc + f->count) * sizeof *grown);
    if (grown == NULL)
        end_without_memory(args, ((size_t)argc + f->count) * sizeof *grown);
    args->root_names = grown;
    for (uint64_t i = 0; i < f->count; i++)
        add_root(args, f->line[i]);
}

static void parse_option(struct args *args, int option, char *value)
{
    switch (option) {
    case 'r': add_root(args, value); break;
    case 'n':
        if (args->roots_given)
            cli_usage(&args->cli, "-n and -r exclude each other");
        args->count = cli_number(&args->cli, "-n", value, 1, MAX_ROOTS);
        break;
    case OPTION_SEED: args->seed = cli_number(&args->cli, "--seed", value, 0, UINT64_MAX); break;
    case OPTION_WARM_UP:
        args->warm_up = cli_number(&args->cli, "--warm-up", value, 0, MAX_ROOTS);
        break;
    case OPTION_MAP: args->map = value; break;
    case OPTION_DEPTHS: args->depths = value; break;
    case OPTION_PARENTS: args->parents = value; break;
    case OPTION_ANSWER:
        args->answer = (enum answer_kind)cli_choice(&args->cli, "--answer", value, answer_names, 2);
        break;
    case OPTION_PARENTS_WIDTH:
        args->parents_width = 4 << cli_choice(&args->cli, "--parents-width", value, width_names, 2);
        break;
    case OPTION_JSON: args->json = value; break;
    case OPTION_BREAKDOWN: args->breakdown = 1; break;
    case OPTION_TRACE: args->trace = value; break;
    case OPTION_RESIDENT:
        args->resident = (enum residence)cli_choice(&args->cli, "--resident", value, residence_name,
                                                         RESIDENCES + 1);
        break;
    case OPTION_PLAN: args->plan = 1; break;
    case OPTION_DRY_RUN: args->dry_run = 1; break;
    case OPTION_SEVERAL_LEVELS: args->several_levels = 1; break;
    default: rank_option(args, option, value);
    }
}

/* How many results go to standard output. */
static int count_stdout(const struct args *args)
{
    const char *const file[] = {args->depths, args->parents, args->json, args->trace};
    int count = 0;
    for (int i = 0; i < 4; i++)
        count += file[i] != NULL && strcmp(file[i], "-") == 0;
    return count;
}

int args_want_levels(const struct args *args)
{
    return args->cli.verbose || args->breakdown || args->trace != NULL;
}

int args_take_stdout(const struct args *args)
{
    return count_stdout(args) > 0;
}

/* A result file per root needs a name per root; two results cannot share standard output. */
static void check_outputs(const struct args *args)
{
    const char *const file[] = {args->depths, args->parents};
    for (int i = 0; i < 2 && args->count > 1; i++) {
        if (file[i] != NULL && strcmp(file[i], "-") == 0)
            cli_usage(&args->cli, "standard output takes the result of one root: give one, with -r");
        if (file[i] != NULL && strstr(file[i], "%d") == NULL)
            cli_usage(&args->cli, "%s: several roots need %%d in the file name%s", file[i],
                      args->roots_given ? "" : "; -r gives one root");
    }
    if (count_stdout(args) > 1)
        cli_usage(&args->cli, "only one result can go to standard output");
}

void args_parse(struct args *args, int argc, char **argv)
{
    int option, warm_up_given = 0, sampling_given = 0, answer_given = 0;
    rank_defaults(args, "dbfs-traverse", help);
    cli_called(&args->cli, argv[0]);
    args->resident = RESIDENT_AUTO;
    args->root_names = calloc((size_t)argc, sizeof *args->root_names); /* one -r an argument at most */
    if (args->root_names == NULL)
        end_without_memory(args, (uint64_t)argc * sizeof *args->root_names);
    while ((option = cli_next(&args->cli, argc, argv, CLI_SHORT_OPTIONS RANK_SHORT_OPTIONS "r:n:",
                              long_options)) != -1) {
        warm_up_given |= option == OPTION_WARM_UP;
        sampling_given |= option == 'n';
        answer_given |= option == OPTION_ANSWER;
        if ((option == 'r' || option == OPTION_ROOTS_FROM) && sampling_given)
            cli_usage(&args->cli, "-n and -r exclude each other");
        if (option == OPTION_ROOTS_FROM)
            add_roots_from(args, optarg, argc);
        else
            parse_option(args, option, optarg);
    }
    if (args->roots_given)
        read_roots(args);
    if (!answer_given && args->parents != NULL)
        args->answer = ANSWER_PARENTS;
    args->record_parents = args->parents != NULL || args->answer == ANSWER_PARENTS;
    if (!warm_up_given)
        args->warm_up = !args->roots_given;
    args->folder = args_folder(args, argc, argv);
    if (!args->plan)
        check_outputs(args);
}

void args_free(struct args *args)
{
    free(args->roots);
    free(args->root_names);
    roots_file_free(&args->roots_from);
}

const char *args_answer_name(const struct args *args)
{
    return answer_names[args->answer];
}
