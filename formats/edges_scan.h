/* edges_scan.h: one pass over an edge stream with all threads.
 *
 * One thread at a time takes a block; reading it from a regular file, checking, decoding and the
 * caller's work run beside each other.
 */
#ifndef DBFS_EDGES_SCAN_H
#define DBFS_EDGES_SCAN_H

#include "edges.h"

/* Most edges that a visitor gets at once: they are in the first cache then. */
enum { EDGES_VISIT_PIECE = 1024 };

/* Called with a piece of a block's edges, by thread 0..threads-1, in no particular order. Returns a status
 * other than ST_OK, with *e filled, to end the scan. */
typedef enum status (*edges_visitor)(void *context, int thread, const struct edge *edges,
                                     size_t count, struct error *e);

/* Reads to the end, compares with the trailer and closes nothing. `threads` >= 1; with visit NULL, the
 * stream is checked alone. */
enum status edges_scan(struct edges_reader *reader, int threads, edges_visitor visit,
                       void *context, struct edges_totals *totals, struct error *e);

/* The CRC of a block tells which one is damaged. Whether one is, the tally of all edges tells as well, for
 * less: who can read the stream again after a failure may leave CRCs to that. */
enum edges_crcs { EDGES_CRCS_CHECKED, EDGES_CRCS_LEFT };

/* edges_scan without the comparison, for one of several slices (edges_reader_slice): the tallies of all
 * are merged and given to edges_reader_finish. */
enum status edges_scan_slice(struct edges_reader *reader, enum edges_crcs crcs, int threads,
                             edges_visitor visit, void *context, struct edges_totals *tally,
                             struct error *e);

#endif
