/* compact.h: dense numbers for ids of any kind, in the order in which they first appear.
 *
 * Names are numbered by a table in memory. When that is full, all that is left goes through
 * name_spill.h, and comes back, numbered, through a reader of its own. Numbers, and so the edges and
 * the map, are the same at any number of threads and with any memory.
 */
#ifndef DBFS_COMPACT_H
#define DBFS_COMPACT_H

#include "tools/convert/read/graph_reader.h"
#include "tools/spill/workspace.h"

#include "formats/base/outfile.h"

struct compact;

/* Names are appended to `map`, a line each in the order of their numbers (formats/SPEC-map.md). It
 * and `space` stay the caller's. ST_RESOURCE when the budget is too small to work in. */
enum status compact_open(struct compact **compact, struct workspace *space, struct outfile *map,
                         struct error *e);
void compact_close(struct compact *compact); /* NULL is allowed */

/* Piece by piece in order: turns edges of names into edges of numbers. What cannot be numbered yet
 * is taken out of the piece. */
enum status compact_number(struct compact *compact, struct piece *piece, struct error *e);

/* After the last piece: numbers what is left and gives the memory of the table back. *reader, where
 * not NULL then, brings the edges that were taken out, for the caller to close before `compact`. */
enum status compact_rest(struct compact *compact, struct graph_reader **reader, struct error *e);

/* Names so far; after compact_rest, all of them. */
uint64_t compact_count(const struct compact *compact);

/* Bytes on disk; 0 when memory was enough. */
uint64_t compact_spilled_bytes(const struct compact *compact);

#endif
