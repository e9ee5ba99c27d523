/* edges_rescan.h: further passes over an edge stream that edges_scan has read to its end.
 *
 * The first pass proved that the trailer fits the blocks. A further one compares the trailer with the
 * first pass and checks every block's CRC, and need not tally the edges again. It decodes in pieces
 * that stay in the first-level cache.
 */
#ifndef DBFS_EDGES_RESCAN_H
#define DBFS_EDGES_RESCAN_H

#include "edges_scan.h"

/* Like edges_scan; ST_BAD_DATA also when the stream is not the one with totals `expected` any more.
 * Visitors never see an id of expected->n or more. */
enum status edges_rescan(struct edges_reader *reader, int threads, edges_visitor visit,
                         void *context, const struct edges_totals *expected, struct error *e);

/* The same for one of several slices (edges_reader_slice): *edges receives the edges of this one, and
 * those of all must sum up to expected->edges. */
enum status edges_rescan_slice(struct edges_reader *reader, int threads, edges_visitor visit,
                               void *context, const struct edges_totals *expected,
                               uint64_t *edges, struct error *e);

/* What edges_rescan says of a stream that is not the expected one. */
enum status edges_rescan_changed(const char *name, struct error *e);

#endif
