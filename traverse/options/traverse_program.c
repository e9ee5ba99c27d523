/* traverse_program.c: the name and help of dbfs-traverse; see args.h */
#include "options.h"

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

void args_parse(struct args *args, int argc, char **argv)
{
    args_read(args, &program, argc, argv);
}
