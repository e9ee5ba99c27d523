/* edgeconv_options.h: the command line of edgeconv */
#ifndef DBFS_EDGECONV_OPTIONS_H
#define DBFS_EDGECONV_OPTIONS_H

#include "tools/convert/read/graph_reader.h"
#include "tools/convert/write/write_graph.h"
#include "tools/stream/edge_inputs.h"

#include "formats/base/cli.h"

/* The direction of the input as the user states it. */
enum assertion { ASSERT_NOTHING, ASSERT_DIRECTED, ASSERT_ONCE, ASSERT_SYMMETRIC };

struct options {
    struct cli cli;
    struct reader_options reader;
    enum edge_format output;
    const char *output_path;
    const char *member; /* name or pattern of the files wanted from archives; NULL: all */
    enum assertion assertion;
    enum base_choice base; /* --base; BASE_OF_STREAMS: that of the inputs */
    int randomize, original_ids;
    int lists_beside; /* --beside: files that are read with the inputs are listed, and nothing else is done */
    const char *map_path; /* --compact; NULL: ids stay as they are */
    uint64_t seed;
    const char **paths;
    int path_count;
};

/* Reads the command line. Exits with 2 on a usage error, and with 0 after --help and --version. */
void options_read(struct options *options, int argc, char **argv);

#endif
