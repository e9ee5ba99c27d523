/* traverse_options.c: the command line of a program that searches and writes results; see options.h */
#include "options.h"

#include "formats/base/outfile.h"

#include <string.h>

/* --serve has no number of searches, and so no summary and no report. */
static void check_serve(const struct args *args)
{
    const struct { int given; const char *name; } others[] = {
        {args->roots_given, "-r"},          {args->count_given, "-n"},       {args->warm_up != UINT64_MAX, "--warm-up"},
        {args->json != NULL, "--json"},     {args->trace != NULL, "--trace"}, {args->breakdown, "--breakdown"},
        {args->count_pairs, "--count-pairs"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i].given)
            cli_usage(&args->cli, "--serve and %s exclude each other", others[i].name);
    }
    if (args_stdouts(args) > 0)
        cli_usage(&args->cli, "--serve: standard output has a line for each root: give results a name with %%d");
}

/* Each root needs a result file of its own, and only one result can have standard output. */
static void check_outputs(const struct args *args)
{
    const char *const file[] = {args->depths, args->parents, args->reached};
    for (int i = 0; i < 3 && (args->count > 1 || args->serve); i++) {
        if (outfile_is_stdout(file[i]))
            cli_usage(&args->cli, "standard output takes the result of one root: give one, with -r");
        if (file[i] != NULL && strstr(file[i], "%d") == NULL && !args->in_place)
            cli_usage(&args->cli, "%s: several roots need %%d in the file name%s", file[i],
                      args->roots_given ? "" : "; -r gives one root");
    }
    if (args_stdouts(args) > 1)
        cli_usage(&args->cli, "only one result can go to standard output");
}

void args_read(struct args *args, const struct option_program *program, int argc, char **argv)
{
    args_defaults(args, program->name);
    cli_called(&args->cli);
    args->answer = (enum answer_kind)ANSWER_NONE; /* not given */
    options_read(args, program, argc, argv);
    if (args->serve)
        check_serve(args);
    if (args->in_place && !(args->serve && args->cli.force))
        cli_usage(&args->cli, "--in-place needs --serve and --force");
    if (args->roots_given)
        options_read_roots(args);
    args->no_answer = (int)args->answer == ANSWER_NONE && args->reached != NULL && args->depths == NULL &&
                      args->parents == NULL;
    if ((int)args->answer == ANSWER_NONE)
        args->answer = args->parents != NULL ? ANSWER_PARENTS : ANSWER_DEPTHS;
    args->record_parents = args->parents != NULL || args->answer == ANSWER_PARENTS;
    args_settle(args);
    if (args->plan && args->dry_run)
        cli_usage(&args->cli, "--plan and --dry-run exclude each other");
    if (!args->plan)
        check_outputs(args);
}
