/* format_names.c: the table of formats; see graph_reader.h */
#include "graph_reader.h"

#include <stdio.h>
#include <string.h>

/* The formats. Rows of one format stand together; the name in the first is the one that is printed. */
static const struct {
    const char *name;
    enum graph_format format;
    const struct reader_class *class;
    int no_base; /* does not say whether ids begin at 0 or 1 */
} formats[] = {
    {"auto", FORMAT_AUTO, NULL, 0},
    {"edges", FORMAT_EDGES, &read_edges_class, 0},
    {"pairs", FORMAT_PAIRS, &read_pairs_class, 1},
    {"text", FORMAT_PAIRS, &read_pairs_class, 1},
    {"snap", FORMAT_PAIRS, &read_pairs_class, 1},
    {"wdc", FORMAT_PAIRS, &read_pairs_class, 1},
    {"el", FORMAT_PAIRS, &read_pairs_class, 1},
    {"wel", FORMAT_PAIRS, &read_pairs_class, 1},
    {"csv", FORMAT_CSV, &read_csv_class, 1},
    {"adjacency", FORMAT_ADJACENCY, &read_adjacency_class, 1},
    {"friendster", FORMAT_ADJACENCY, &read_adjacency_class, 1},
    {"matrix-market", FORMAT_MATRIX_MARKET, &read_matrix_market_class, 0},
    {"mtx", FORMAT_MATRIX_MARKET, &read_matrix_market_class, 0},
    {"metis", FORMAT_METIS, &read_metis_class, 0},
    {"dimacs", FORMAT_DIMACS, &read_dimacs_class, 0},
    {"gr", FORMAT_DIMACS, &read_dimacs_class, 0},
    {"pace", FORMAT_PACE, &read_pace_class, 0},
    {"adjlist", FORMAT_ADJLIST, &read_adjlist_class, 1},
    {"lgl", FORMAT_LGL, &read_lgl_class, 1},
    {"lg", FORMAT_LG, &read_lg_class, 0},
    {"jlg", FORMAT_LG, &read_lg_class, 0},
    {"sg", FORMAT_SG, &read_sg_class, 0},
    {"graph500", FORMAT_GRAPH500, &read_graph500_class, 0},
    {"graph500-16", FORMAT_GRAPH500_16, &read_graph500_16_class, 0},
    {"u32", FORMAT_U32, &read_u32_class, 0},
    {"u64", FORMAT_U64, &read_u64_class, 0},
    {"npy", FORMAT_NPY, &read_npy_class, 1},
    {"npz", FORMAT_NPZ, &read_npz_class, 0},
    {"webgraph", FORMAT_WEBGRAPH, &read_webgraph_class, 0},
    {"bv", FORMAT_WEBGRAPH, &read_webgraph_class, 0},
    {"wdc-index", FORMAT_WDC_INDEX, NULL, 0},
};
enum { FORMATS = sizeof formats / sizeof *formats };

int graph_format_named(const char *name, enum graph_format *format)
{
    for (int i = 0; i < FORMATS; i++) {
        if (strcmp(name, formats[i].name) == 0) {
            *format = formats[i].format;
            return 0;
        }
    }
    return -1;
}

void graph_format_list(char *text, size_t room)
{
    size_t used = 0;
    for (int i = 0; i < FORMATS && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%s", i > 0 ? ", " : "", formats[i].name);
}

/* The first row of a format. */
static int row_of(enum graph_format format)
{
    int row = 0;
    while (formats[row].format != format)
        row++;
    return row;
}

const char *graph_format_name(enum graph_format format)
{
    return formats[row_of(format)].name;
}

const struct reader_class *graph_format_class(enum graph_format format, int *no_base)
{
    const int row = row_of(format);
    *no_base = formats[row].no_base;
    return formats[row].class;
}
