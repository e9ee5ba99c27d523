/* paths_report.h: the results of dbfs-paths, as text and as JSON */
#ifndef DBFS_PATHS_REPORT_H
#define DBFS_PATHS_REPORT_H

#include "pairs.h"

#include "traverse/options/args.h"

#include "formats/name_map.h"

#include <stdio.h>

/* The command line of dbfs-paths. */
struct paths_args {
    struct args args; /* comes first, as the table of options has offsets into it. Its roots are sources and
                       * targets in turn. */
    const char *source, *target, *pairs; /* source and target as given */
    uint64_t sample; /* pairs of -n; 0: not given */
    int one_sided;
    int paths; /* --path */
};

struct paths_report {
    const struct paths_args *paths;
    char *const *command; /* argv */
    const struct pair_job *job;
    const struct pairs *pairs;
    const struct name_map *map; /* NULL: vertices are ids */
};

/* Prints a line for each pair. */
void paths_report_pairs(FILE *out, const struct paths_report *report);
/* Prints the sums and times over all pairs. */
void paths_report_summary(FILE *out, const struct paths_report *report);
/* Writes all results as JSON to the file `path`. */
enum status paths_report_json(const char *path, const struct paths_report *report, struct error *e);

#endif
