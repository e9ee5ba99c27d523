/* rmatgen_options.h: the command line of rmatgen */
#ifndef DBFS_RMATGEN_OPTIONS_H
#define DBFS_RMATGEN_OPTIONS_H

#include "formats/base/cli.h"
#include "tools/generate/generator.h"
#include "tools/stream/edge_encode.h"

struct rmatgen_options {
    struct generator_options graph;
    uint64_t first, count; /* of items; all, unless the user asks for fewer edges */
    enum edge_format format;
    const char *output;
    struct cli cli;
};

/* Reads the command line. Exits with 2 on a usage error, and with 0 after --help and --version. */
void rmatgen_options_read(struct rmatgen_options *options, int argc, char **argv);

#endif
