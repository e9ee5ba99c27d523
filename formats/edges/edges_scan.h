/* edges_scan.h: a pass over an edge stream with all threads.
 *
 * One thread at a time takes a block. The threads then work side by side: they read blocks of a regular file,
 * check them, decode them and do the caller's work.
 *
 * The first pass tallies every edge, which proves that the trailer fits the blocks. A further pass compares
 * the trailer with that of the first pass and need not tally again.
 */
#ifndef DBFS_EDGES_SCAN_H
#define DBFS_EDGES_SCAN_H

#include "edges.h"

/* The most edges that a visitor gets at once: few enough to stay in the first-level cache. */
enum { EDGES_VISIT_PIECE = 1024 };

/* Called with a piece of a block's edges, by thread 0..threads-1, in no particular order. To end the scan, it
 * returns a status other than ST_OK and fills in *e. */
typedef enum status (*edges_visitor)(void *context, int thread, const struct edge *edges,
                                     size_t count, struct error *e);

/* Tells a pass to compare the CRCs of the blocks or not. A CRC shows which block is damaged. The
 * tally of all edges shows that some block is damaged, and costs less. So a first pass may leave
 * the CRCs unchecked if the caller can read the stream again after a failure. */
enum edges_crcs { EDGES_CRCS_CHECKED, EDGES_CRCS_LEFT };

struct edges_scan {
    struct edges_reader *reader;
    int threads;         /* >= 1 */
    edges_visitor visit; /* NULL: the stream is only checked */
    void *context;
    enum edges_crcs crcs;
    /* The trailer that is expected; NULL if none is known. A stream that ends with another one is ST_BAD_DATA, and
     * visitors never see an id of trailer->n or more. */
    const struct edges_totals *trailer;
    uint64_t most_ids; /* visitors see no id of this or more either; 0: no such bound */
    int proven; /* a further pass: the first one has shown that `trailer` fits the blocks */
};

/* Reads to the end of the stream; closes nothing. The reader may be one of several slices
 * (edges_reader_slice). *tally receives the tally of the edges read; a further pass only counts the edges.
 * The caller merges the tallies of all slices. After a first pass it compares the result with the trailer
 * (edges_reader_finish, edges_compare_tally), after a further pass only the number of edges
 * (edges_scan_changed). */
enum status edges_scan_slice(const struct edges_scan *scan, struct edges_totals *tally,
                             struct error *e);

/* Makes the first pass over a whole stream: checks CRCs and compares the tally with the trailer. */
enum status edges_scan(struct edges_reader *reader, int threads, edges_visitor visit,
                       void *context, struct edges_totals *totals, struct error *e);

/* The failure of a further pass over a stream that has changed since the first pass. */
enum status edges_scan_changed(const char *name, struct error *e);

#endif
