/* component_files.h: what is written of the components of a graph: the number of each vertex's component, the sizes of
 * components, and the edges of the largest one. */
#ifndef DBFS_COMPONENT_FILES_H
#define DBFS_COMPONENT_FILES_H

#include "number.h"

#include "formats/name_map.h"
#include "tools/stream/edge_source.h"
#include "tools/stream/input_ids.h"

/* The components of a graph. After forest_share every rank has the same slots. */
struct component_graph {
    struct edge_source *source;
    struct input_ids ids;
    struct forest *forest; /* its slots have numbers (number.h) */
    const struct component_sizes *sizes;
    int strong; /* an edge may lead from one component to another */
    int threads;
    struct memory_budget *budget;
};

/* Gives the slots of rank 0 to all ranks. Collective. */
enum status forest_share(struct forest *forest, const struct comm *comm, struct error *e);

/* Writes the number of the component of each vertex, by the suffix of the name:
 * - .npy: an array of numpy, indexed by id, of 4 bytes a number if there are less than 2^31 vertices, else of 8.
 * - .raw: the same without a header.
 * - any other: a table (formats/table.h) with the columns id and component. With a map the vertices have names.
 * For rank 0 alone. */
enum status component_numbers_write(const struct component_graph *graph, const char *name, const struct name_map *map,
                                    struct error *e);

/* Writes a table of all components with the columns component, vertices and edges. Edges are those of the streams between two
 * vertices of the component, loops and duplicates included. Takes a pass over the edges or, if memory is short, several.
 * Collective; rank 0 writes. */
enum status component_sizes_write(const struct component_graph *graph, const char *name, struct error *e);

/* Writes a table with the columns vertices and components: how many components have that many vertices, by ascending number of
 * vertices. For rank 0 alone. */
enum status component_histogram_write(const struct component_sizes *sizes, const char *name, struct error *e);

/* Writes the edges of component 0 that this rank reads as an edge stream with the direction, the ids, the order and the n of
 * the graph's. Takes n bits of memory and a pass over the edges. *edges is set to their number, of all ranks. Collective. */
enum status component_largest_write(const struct component_graph *graph, const char *name, uint64_t *edges, struct error *e);

#endif
