/* edges_scan.h: a pass over an edge stream with all threads.
 *
 * One thread at a time takes a block; reading it from a regular file, checking, decoding and the
 * caller's work run beside each other.
 *
 * The first pass tallies every edge and so proves that the trailer fits the blocks. A further pass
 * compares the trailer with that of the first one and need not tally again.
 */
#ifndef DBFS_EDGES_SCAN_H
#define DBFS_EDGES_SCAN_H

#include "edges.h"

/* The most edges that a visitor gets at once: they are in the first cache then. */
enum { EDGES_VISIT_PIECE = 1024 };

/* Called with a piece of a block's edges, by thread 0..threads-1, in no particular order. Returns a status
 * other than ST_OK, with *e filled, to end the scan. */
typedef enum status (*edges_visitor)(void *context, int thread, const struct edge *edges,
                                     size_t count, struct error *e);

/* The CRC of a block tells which one is damaged. Whether one is, the tally of all edges tells as well, for
 * less: who can read the stream again after a failure may leave the CRCs of a first pass to that. */
enum edges_crcs { EDGES_CRCS_CHECKED, EDGES_CRCS_LEFT };

struct edges_scan {
    struct edges_reader *reader;
    int threads;         /* >= 1 */
    edges_visitor visit; /* NULL: the stream is only checked */
    void *context;
    enum edges_crcs crcs;
    /* Of a further pass: the totals of the first one. A stream that has others is ST_BAD_DATA, and
     * visitors never see an id of expected->n or more. NULL: this is the first pass. */
    const struct edges_totals *expected;
};

/* Reads to the end and closes nothing. The reader may be one of several slices (edges_reader_slice).
 * *tally is that of the edges read; a further pass counts the edges and tallies nothing else. The
 * caller merges the tallies of all slices: those of a first pass go to edges_reader_finish, and the
 * edges of a further one must sum up to expected->edges (edges_scan_changed). */
enum status edges_scan_slice(const struct edges_scan *scan, struct edges_totals *tally,
                             struct error *e);

/* The first pass over a whole stream, CRCs checked, and its comparison with the trailer. */
enum status edges_scan(struct edges_reader *reader, int threads, edges_visitor visit,
                       void *context, struct edges_totals *totals, struct error *e);

/* What a further pass says of a stream that is not the expected one. */
enum status edges_scan_changed(const char *name, struct error *e);

#endif
