/* grid_main.c: dbfs-traverse-2d: what dbfs-traverse does, by the search of grid_bfs.c */
#include "grid_search.h"

#include "traverse/options/options.h"
#include "traverse/session/run.h"

#include <string.h>

/* Takes the value of --fold, ring or direct, when options are read. Ends the program for another value. */
static void take_fold(struct args *args, const struct option_row *row, char *value)
{
    if (strcmp(value, "ring") != 0 && strcmp(value, "direct") != 0)
        cli_usage(&args->cli, "--%s: '%s' is not ring or direct", row->name, value);
    grid_bfs_set_fold(strcmp(value, "ring") == 0 ? GRID_FOLD_RING : GRID_FOLD_DIRECT);
}

static const struct option_row own_options[] = {
    {.name = "fold", .value = "ring|direct", .group = GROUP_EXCHANGE, .of = OF_GRID | EVERYDAY, .kind = TAKE_OTHER,
     .take = take_fold,
     .help = "how destinations go to their owners: around the row, where duplicates are dropped, or at once (default ring)"},
};

static const struct option_program program = {
    .name = "dbfs-traverse-2d",
    .bit = OF_GRID,
    .usage = "Usage: mpiexec -n P dbfs-traverse-2d [OPTION]... DIR\n"
             "Breadth-first search over the 2D partition that dbfs-pack --layout 2d=RxC wrote to DIR, with P = R C\n"
             "ranks on CPUs, one thread each: Yoo et al.'s expand and fold, to compare with dbfs-traverse.\n"
             "\n",
    .exit_codes = "Exit codes: 0 ok, 1 run-time failure, 2 usage, 3 bad data, 5 not enough memory.\n",
    .own = own_options,
    .own_count = sizeof own_options / sizeof *own_options};

int main(int argc, char **argv)
{
    static struct args args;
    cli_begin();
    args_read(&args, &program, argc, argv);
    args.backend = BACKEND_CPU;
    return run_searches(&args, &grid_bfs, argv);
}
