/* main.c: the program dbfs-traverse, which does a breadth-first search of a graph from each of several roots in turn */
#include "traverse/options/options.h"
#include "traverse/session/run.h"

static const char usage[] =
    "Usage: dbfs-traverse [OPTION]... DIR\n"
    "       mpiexec -n R dbfs-traverse [OPTION]... DIR\n"
    "       dbfs-traverse --plan [--parents -] [-S SIZE] [--json FILE] DIR\n"
    "Breadth-first search over the shards that dbfs-pack wrote to DIR.\n"
    "\n";

static const struct option_program program = {
    .name = "dbfs-traverse",
    .bit = OF_TRAVERSE,
    .usage = usage,
    .exit_codes = "Exit codes: 0 ok, 1 run-time failure, 2 usage, 3 bad data, 5 not enough memory or no GPU.\n"};

/* Reads the command line, and runs the searches. Returns the exit code. */
int main(int argc, char **argv)
{
    static struct args args;
    cli_begin();
    args_read(&args, &program, argc, argv);
    return run_searches(&args, &bfs_by_levels, argv);
}
