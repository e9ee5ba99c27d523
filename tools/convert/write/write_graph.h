/* write_graph.h: writes edges in one of edgeconv's output formats. Any thread may encode edges; the encoded edges are written
 * in order. For EDGE_FORMAT_EDGES every call except the last must encode a multiple of graph_writer_granule edges, so that
 * blocks are cut at the same edges with any number of threads. */
#ifndef DBFS_WRITE_GRAPH_H
#define DBFS_WRITE_GRAPH_H

#include "tools/spill/workspace.h"

#include "tools/stream/edge_encode.h"

#include "formats/edges/edges.h"
#include "formats/base/outfile.h"

struct graph_writer;

/* Opens a writer to `out`. The caller keeps `out` and `space`, and commits `out` after graph_writer_finish. Only EDGE_FORMAT_SG
 * uses `space`; for it, an `out` that is no regular file is ST_USAGE. */
enum status graph_writer_open(struct graph_writer **writer, enum edge_format format,
                              struct outfile *out, const struct edges_info *info,
                              struct workspace *space, struct error *e);

/* Opens a writer of Graph500 records to a nameless file in `folder`. graph_writer_temporary_fd returns a descriptor of the
 * file, at its start, which the caller closes. */
enum status graph_writer_open_temporary(struct graph_writer **writer, const char *folder,
                                        struct error *e);
int graph_writer_temporary_fd(struct graph_writer *writer);
void graph_writer_free(struct graph_writer *writer); /* NULL is allowed */

size_t graph_writer_granule(const struct graph_writer *writer);

enum status graph_writer_encode(const struct graph_writer *writer, struct encoded_edges *encoded,
                                const struct edge *edges, size_t count, struct error *e);
enum status graph_writer_put(struct graph_writer *writer, const struct encoded_edges *encoded,
                             struct error *e);

/* Writes what is left after the last edge, and ends the output. The graph has `n` vertices, or more if its ids are larger. */
enum status graph_writer_finish(struct graph_writer *writer, uint64_t n, struct error *e);

/* Returns how many entries EDGE_FORMAT_SG left out as duplicates or self-loops. Call it after graph_writer_finish. */
uint64_t graph_writer_dropped(const struct graph_writer *writer);

#endif
