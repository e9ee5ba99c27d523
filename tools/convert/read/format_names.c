/* format_names.c: the names of formats; see graph_reader.h */
#include "graph_reader.h"

#include <stdio.h>
#include <string.h>

/* The first name of a format is the one that is printed. */
static const struct {
    const char *name;
    enum graph_format format;
} names[] = {
    {"auto", FORMAT_AUTO},
    {"edges", FORMAT_EDGES},
    {"pairs", FORMAT_PAIRS},
    {"text", FORMAT_PAIRS},
    {"snap", FORMAT_PAIRS},
    {"wdc", FORMAT_PAIRS},
    {"el", FORMAT_PAIRS},
    {"wel", FORMAT_PAIRS},
    {"csv", FORMAT_CSV},
    {"adjacency", FORMAT_ADJACENCY},
    {"friendster", FORMAT_ADJACENCY},
    {"matrix-market", FORMAT_MATRIX_MARKET},
    {"mtx", FORMAT_MATRIX_MARKET},
    {"metis", FORMAT_METIS},
    {"dimacs", FORMAT_DIMACS},
    {"gr", FORMAT_DIMACS},
    {"pace", FORMAT_PACE},
    {"adjlist", FORMAT_ADJLIST},
    {"lgl", FORMAT_LGL},
    {"lg", FORMAT_LG},
    {"jlg", FORMAT_LG},
    {"sg", FORMAT_SG},
    {"graph500", FORMAT_GRAPH500},
    {"graph500-16", FORMAT_GRAPH500_16},
    {"u32", FORMAT_U32},
    {"u64", FORMAT_U64},
    {"npy", FORMAT_NPY},
    {"npz", FORMAT_NPZ},
    {"webgraph", FORMAT_WEBGRAPH},
    {"bv", FORMAT_WEBGRAPH},
    {"wdc-index", FORMAT_WDC_INDEX},
};

/* Sets *format by a name for -f; -1 if there is none. */
int graph_format_named(const char *name, enum graph_format *format)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i].name) == 0) {
            *format = names[i].format;
            return 0;
        }
    }
    return -1;
}

void graph_format_list(char *text, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%s", i > 0 ? ", " : "", names[i].name);
}

const char *graph_format_name(enum graph_format format)
{
    size_t i = 0;
    while (names[i].format != format)
        i++;
    return names[i].name;
}
