/* paths_args.h: the command line of dbfs-paths */
#ifndef DBFS_PATHS_ARGS_H
#define DBFS_PATHS_ARGS_H

#include "traverse/options/args.h"

struct paths_args {
    struct args args; /* comes first, as the table of options has offsets into it. Its roots are sources and
                       * targets in turn. */
    const char *source, *target, *pairs; /* source and target as given */
    uint64_t sample; /* pairs of -n; 0: not given */
    int one_sided;
    int paths; /* --path */
};

/* Exits with 2, or 3 if the file of pairs is wrong, and with 0 after --help or --version. */
void paths_parse(struct paths_args *paths, int argc, char **argv);

#endif
