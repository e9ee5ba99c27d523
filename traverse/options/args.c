/* args.c: see args.h */
#include "options.h"

#include "formats/base/outfile.h"

#include <stdlib.h>
#include <string.h>

int args_stdouts(const struct args *args)
{
    const char *const file[] = {args->depths, args->parents, args->json, args->trace, args->reached,
                                args->centrality};
    int count = 0;
    for (size_t i = 0; i < sizeof file / sizeof *file; i++)
        count += outfile_is_stdout(file[i]);
    return count;
}

int args_want_levels(const struct args *args)
{
    return args->cli.verbose || args->breakdown || args->trace != NULL;
}

void args_defaults(struct args *args, const char *program)
{
    *args = (struct args){.cli = {.program = program},
                          .count = 64,
                          .seed = 1,
                          .warm_up = UINT64_MAX,
                          .max_depth = NO_MAX_DEPTH,
                          .check = 1,
                          .resident = RESIDENT_AUTO,
                          .parents_wide = PARENTS_AS_IDS,
                          .policy = direction_defaults,
                          .exchange = {.chunk_bytes = EXCHANGE_CHUNK_BYTES}};
}

void args_settle(struct args *args)
{
    args->policy.by_classes = args->direction == DIRECTION_BY_COST;
    args->policy.mode = args->policy.by_classes ? DIRECTION_AUTO : (enum direction_mode)args->direction;
    args->parents_width = args->parents_wide == PARENTS_AS_IDS ? 0 : 4 << args->parents_wide;
    if (args->warm_up == UINT64_MAX)
        args->warm_up = !args->roots_given && !args->serve;
}

void args_note_reverse(const struct args *args, int directed)
{
    if (args->reverse && !directed)
        cli_note(&args->cli, "--reverse: has no effect, as the edges are undirected");
}

void args_free(struct args *args)
{
    free(args->roots);
    free(args->root_names);
    roots_file_free(&args->roots_from);
}
