/* write_graph.h: edges out, in one of edgeconv's output formats.
 *
 * Encoding is for any thread; writing what was encoded is in order. For .edges every call but the
 * last must bring a multiple of graph_writer_granule edges, so that blocks are cut alike at any
 * thread count.
 */
#ifndef DBFS_WRITE_GRAPH_H
#define DBFS_WRITE_GRAPH_H

#include "tools/spill/workspace.h"

#include "tools/stream/edge_encode.h"

#include "formats/edges.h"
#include "formats/base/outfile.h"

struct graph_writer;

/* `out` stays the caller's, to commit after graph_writer_finish. `space`, which stays the caller's
 * too, is used by EDGE_FORMAT_SG alone, which is ST_USAGE where `out` is not a regular file. */
enum status graph_writer_open(struct graph_writer **writer, enum edge_format format,
                              struct outfile *out, const struct edges_info *info,
                              struct workspace *space, struct error *e);

/* A writer of Graph500 records to a nameless file in `folder`. graph_writer_temporary_fd is its descriptor,
 * at the start of the file, for the caller to close. */
enum status graph_writer_open_temporary(struct graph_writer **writer, const char *folder,
                                        struct error *e);
int graph_writer_temporary_fd(struct graph_writer *writer);
void graph_writer_free(struct graph_writer *writer); /* NULL is allowed */

size_t graph_writer_granule(const struct graph_writer *writer);

enum status graph_writer_encode(const struct graph_writer *writer, struct encoded_edges *encoded,
                                const struct edge *edges, size_t count, struct error *e);
enum status graph_writer_put(struct graph_writer *writer, const struct encoded_edges *encoded,
                             struct error *e);

/* After the last edge; `n` is the least number of vertices. */
enum status graph_writer_finish(struct graph_writer *writer, uint64_t n, struct error *e);

/* After that: list entries that EDGE_FORMAT_SG left out, as duplicates or self-loops. */
uint64_t graph_writer_dropped(const struct graph_writer *writer);

#endif
