/* edgeconv_options.h: the command line of edgeconv */
#ifndef DBFS_EDGECONV_OPTIONS_H
#define DBFS_EDGECONV_OPTIONS_H

#include "tools/convert/read/graph_reader.h"
#include "tools/convert/write/write_graph.h"

#include "formats/base/cli.h"

/* What the user says of the direction of the input. */
enum assertion { ASSERT_NOTHING, ASSERT_DIRECTED, ASSERT_ONCE, ASSERT_SYMMETRIC };

struct options {
    struct cli cli;
    struct reader_options reader;
    enum edge_format output;
    const char *output_path;
    const char *entry; /* of archives, the files wanted; NULL: all */
    enum assertion assertion;
    int randomize, original_ids;
    const char *map_path; /* --compact; NULL: ids stay what they are */
    uint64_t seed;
    const char **paths;
    int path_count;
};

/* Exits with 2, or after --help and --version. */
void options_read(struct options *options, int argc, char **argv);

#endif
