/* sg_build.h: GAPBS's serialised graph (.sg), whose rows may need more memory than there is.
 *
 *   u8 directed, i64 m, i64 n, i64 offset[n + 1], i32 neighbour[m]; of a directed graph then the
 *   offsets and neighbours of the inverse
 *
 * As GAPBS's converter writes it: rows ascending, without duplicates and self-loops; an undirected
 * edge in the rows of both its ends. Edges are kept on disk. Then they are divided by ranges of rows
 * that fit memory; each range is sorted alone and appended.
 */
#ifndef DBFS_SG_BUILD_H
#define DBFS_SG_BUILD_H

#include "tools/spill/workspace.h"

#include "formats/edges.h"
#include "formats/base/outfile.h"

#include <stdint.h>

/* Ids are below this. */
enum { SG_MAX_VERTICES = INT32_MAX };

struct sg_build;

/* `space` stays the caller's. */
enum status sg_build_open(struct sg_build **build, struct workspace *space, struct error *e);
void sg_build_close(struct sg_build *build); /* NULL is allowed */

/* Takes pairs of u32, in which each id is below SG_MAX_VERTICES. */
enum status sg_build_add(struct sg_build *build, const unsigned char *pairs, size_t count,
                         struct error *e);

/* Writes the whole file to `out`, which must be seekable. `n` vertices, all ids below it; more than
 * SG_MAX_VERTICES are ST_BAD_DATA. Edges that are not EDGES_DIRECTED are undirected. ST_RESOURCE
 * when a few rows alone do not fit the budget. */
enum status sg_build_finish(struct sg_build *build, struct outfile *out,
                            enum edges_direction direction, uint64_t n, struct error *e);

/* After finishing: entries of rows that were left out, being duplicates or self-loops. */
uint64_t sg_build_dropped(const struct sg_build *build);

#endif
