/* format_names.c: the table of formats; see graph_reader.h */
#include "graph_reader.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 7 };

/* The formats. The first name of each is the one that is printed. */
static const struct {
    const char *name[MOST_NAMES]; /* the rest are NULL */
    const struct reader_class *class;
    int no_base; /* does not say whether ids begin at 0 or 1 */
} formats[] = {
    [FORMAT_AUTO] = {{"auto"}, NULL, 0},
    [FORMAT_EDGES] = {{"edges"}, &read_edges_class, 0},
    [FORMAT_PAIRS] = {{"pairs", "text", "snap", "wdc", "el", "wel"}, &read_pairs_class, 1},
    [FORMAT_CSV] = {{"csv"}, &read_csv_class, 1},
    [FORMAT_ADJACENCY] = {{"adjacency", "friendster"}, &read_adjacency_class, 1},
    [FORMAT_MATRIX_MARKET] = {{"matrix-market", "mtx"}, &read_matrix_market_class, 0},
    [FORMAT_METIS] = {{"metis"}, &read_metis_class, 0},
    [FORMAT_DIMACS] = {{"dimacs", "gr"}, &read_dimacs_class, 0},
    [FORMAT_PACE] = {{"pace"}, &read_pace_class, 0},
    [FORMAT_ADJLIST] = {{"adjlist"}, &read_adjlist_class, 1},
    [FORMAT_LGL] = {{"lgl"}, &read_lgl_class, 1},
    [FORMAT_LG] = {{"lg", "jlg"}, &read_lg_class, 0},
    [FORMAT_SG] = {{"sg"}, &read_sg_class, 0},
    [FORMAT_GRAPH500] = {{"graph500"}, &read_graph500_class, 0},
    [FORMAT_GRAPH500_16] = {{"graph500-16"}, &read_graph500_16_class, 0},
    [FORMAT_U32] = {{"u32"}, &read_u32_class, 0},
    [FORMAT_U64] = {{"u64"}, &read_u64_class, 0},
    [FORMAT_NPY] = {{"npy"}, &read_npy_class, 1},
    [FORMAT_NPZ] = {{"npz"}, &read_npz_class, 0},
    [FORMAT_WEBGRAPH] = {{"webgraph", "bv"}, &read_webgraph_class, 0},
    [FORMAT_WDC_INDEX] = {{"wdc-index"}, NULL, 0},
};
enum { FORMATS = sizeof formats / sizeof *formats };

int graph_format_named(const char *name, enum graph_format *format)
{
    for (int i = 0; i < FORMATS; i++) {
        for (const char *const *known = formats[i].name; *known != NULL; known++) {
            if (strcmp(name, *known) == 0) {
                *format = (enum graph_format)i;
                return 0;
            }
        }
    }
    return -1;
}

void graph_format_list(char *text, size_t room)
{
    size_t used = 0;
    for (int i = 0; i < FORMATS; i++) {
        for (const char *const *name = formats[i].name; *name != NULL && used < room; name++)
            used += (size_t)snprintf(text + used, room - used, "%s%s", used > 0 ? ", " : "", *name);
    }
}

const char *graph_format_name(enum graph_format format)
{
    return formats[format].name[0];
}

const struct reader_class *graph_format_class(enum graph_format format, int *no_base)
{
    *no_base = formats[format].no_base;
    return formats[format].class;
}
