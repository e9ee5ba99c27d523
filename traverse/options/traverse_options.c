/* traverse_options.c: the command line of dbfs-traverse; see args.h */
#include "options.h"

#include <string.h>

static const char usage[] =
    "Usage: dbfs-traverse [OPTION]... DIR\n"
    "       mpiexec -n R dbfs-traverse [OPTION]... DIR\n"
    "       dbfs-traverse --plan [--parents -] [-S SIZE] [--json FILE] DIR\n"
    "Breadth-first search over the shards that dbfs-pack wrote to DIR.\n"
    "\n";

static const struct option_program traverse = {
    .name = "dbfs-traverse",
    .bit = OF_TRAVERSE,
    .usage = usage,
    .exit_codes = "Exit codes: 0 ok, 1 run-time failure, 2 usage, 3 bad data, 5 not enough memory or no GPU.\n"};

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
    if (args_stdouts(args) > 1)
        cli_usage(&args->cli, "only one result can go to standard output");
}

void args_parse(struct args *args, int argc, char **argv)
{
    args_defaults(args, traverse.name);
    cli_called(&args->cli, argv[0]);
    args->answer = (enum answer_kind)ANSWER_NONE; /* not given */
    options_read(args, &traverse, argc, argv);
    if (args->roots_given)
        options_read_roots(args);
    if ((int)args->answer == ANSWER_NONE)
        args->answer = args->parents != NULL ? ANSWER_PARENTS : ANSWER_DEPTHS;
    args->record_parents = args->parents != NULL || args->answer == ANSWER_PARENTS;
    args_settle(args);
    if (args->plan && args->dry_run)
        cli_usage(&args->cli, "--plan and --dry-run exclude each other");
    if (!args->plan)
        check_outputs(args);
}
