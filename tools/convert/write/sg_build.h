/* sg_build.h: builds a serialised graph of GAPBS (.sg), just as GAPBS's own converter writes it.
 *
 *   u8 directed, i64 m, i64 n, i64 offset[n + 1], i32 neighbour[m]; a directed graph then has the
 *   offsets and neighbours of the inverse
 *
 * Rows ascend and have no duplicates and no self-loops; an undirected edge is in the rows of both its ends. Edges are kept, on
 * disk if need be, until all are known. Then rows take 16 bytes a vertex and 8 bytes an entry: out-rows first, later in-rows.
 */
#ifndef DBFS_SG_BUILD_H
#define DBFS_SG_BUILD_H

#include "tools/spill/workspace.h"

#include "formats/edges/edges.h"
#include "formats/base/outfile.h"

#include <stdint.h>

/* All ids are below this. */
enum { SG_MAX_VERTICES = INT32_MAX };

struct sg_build;

/* The caller keeps `space`. */
enum status sg_build_open(struct sg_build **build, struct workspace *space, struct error *e);
void sg_build_close(struct sg_build *build); /* NULL is allowed */

/* Takes pairs of u32, in which each id is below SG_MAX_VERTICES. */
enum status sg_build_add(struct sg_build *build, const unsigned char *pairs, size_t count,
                         struct error *e);

/* Writes the whole file to `out`, which must be seekable. The graph has `n` vertices, and all ids are below n. Every `direction` except
 * EDGES_DIRECTED means undirected edges. ST_BAD_DATA if n exceeds SG_MAX_VERTICES; ST_RESOURCE if the budget cannot hold the rows. */
enum status sg_build_finish(struct sg_build *build, struct outfile *out,
                            enum edges_direction direction, uint64_t n, struct error *e);

/* Returns how many entries were left out as duplicates or self-loops. Call it after sg_build_finish. */
uint64_t sg_build_dropped(const struct sg_build *build);

#endif
