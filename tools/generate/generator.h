/* generator.h: the kinds of graphs that rmatgen makes, behind one interface. A graph is made in items, which any thread makes in
 * any order. An item is an edge, by its number, or in a random geometric graph a point with all its edges to later points. */
#ifndef DBFS_GENERATOR_H
#define DBFS_GENERATOR_H

#include "formats/base/memory.h"
#include "formats/bijection.h"
#include "tools/generate/edge_list.h"
#include "tools/generate/geometric.h"
#include "tools/generate/kronecker500.h"
#include "tools/generate/lattice.h"
#include "tools/generate/planted.h"
#include "tools/generate/rmat.h"

enum graph_kind { GRAPH_RMAT, GRAPH_GRAPH500, GRAPH_POISSON, GRAPH_LATTICE, GRAPH_GEOMETRIC, GRAPH_PLANTED };

/* The options of the user. A kind of graph reads its own members alone. */
struct generator_options {
    enum graph_kind kind;
    uint64_t seed;
    int randomize;
    /* RMAT and Graph500 */
    int scale;
    uint64_t edge_factor;
    double a, b, c;
    /* for Poisson, geometric and planted graphs; a planted graph has communities * size vertices */
    uint64_t vertices;
    double degree;
    uint64_t communities, size, bridges;
    /* lattices */
    uint64_t side[LATTICE_AXES];
    int dimensions, torus;
    uint64_t stencil;
};

struct generator {
    const struct generator_options *options;
    struct rmat rmat;
    struct kronecker500 kronecker500;
    struct planted planted;
    struct lattice lattice;
    struct geometric geometric;
    struct bijection bijection;
    struct memory_budget budget;
};

uint64_t generator_vertices(const struct generator_options *o);

/* Returns the number of items: points of a geometric graph, edges of any other. UINT64_MAX stands for 2^64 - 1 or more. */
uint64_t generator_items(const struct generator_options *o);

/* The items that make about a block of edges. */
size_t generator_block_items(const struct generator_options *o);

/* `memory_bytes` is the bound of -S, 0 for none. */
enum status generator_init(struct generator *g, const struct generator_options *o, uint64_t memory_bytes,
                           struct error *e);
void generator_free(struct generator *g);

/* Makes the edges of items first..first + count - 1 and puts them into the list, in place of what it had. */
enum status generator_edges(const struct generator *g, uint64_t first, size_t count, struct edge_list *list,
                            struct error *e);

/* Writes the options that determine the graph into `text`, a line for each. Returns the number of characters. */
int generator_describe(const struct generator_options *o, char *text, size_t room);

#endif
