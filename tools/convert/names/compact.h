/* compact.h: gives ids of any kind dense numbers, in the order in which they first appear. A table in memory numbers the names.
 * Edges with names that the full table cannot take go through files on disk (name_spill.h) and come back, numbered, from a
 * reader of their own. The numbers, the edges and the map are the same with any number of threads and any amount of memory. */
#ifndef DBFS_COMPACT_H
#define DBFS_COMPACT_H

#include "tools/convert/read/graph_reader.h"
#include "tools/spill/workspace.h"

#include "formats/base/outfile.h"

struct compact {
    struct workspace *space;
    struct outfile *map;
    struct name_table *table;
    uint64_t table_bytes; /* the most bytes of the table */
    uint64_t count;       /* the names so far; after compact_rest, all names */
    struct name_spill *spill;
    uint64_t spilled_bytes; /* 0 if memory was enough */
};

/* Begins to number names, and to append them to `map`, a line for each, in the order of their numbers (formats/SPEC-map.md).
 * The caller keeps `map` and `space`. ST_RESOURCE if the budget is too small to work in. */
enum status compact_open(struct compact **compact, struct workspace *space, struct outfile *map,
                         struct error *e);
void compact_close(struct compact *compact); /* NULL is allowed */

/* Replaces the names in the edges of a piece by numbers; call it for each piece, in order. Edges that cannot be numbered yet
 * are removed from the piece. */
enum status compact_number(struct compact *compact, struct piece *piece, struct error *e);

/* Numbers the edges that compact_number has removed, and frees the table. Call it after the last piece. *reader is set to a
 * reader that gives these edges, and must be closed before `compact`; NULL if there are none. */
enum status compact_rest(struct compact *compact, struct graph_reader **reader, struct error *e);

#endif
