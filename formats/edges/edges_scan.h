/* edges_scan.h: a pass over all edges of an edge stream, with all threads. One thread at a time takes the next block. Then the
 * threads work side by side: each reads its block, checks it, decodes it and calls the caller's visitor. The first pass tallies
 * every edge, which proves that the trailer fits the blocks. Later passes only compare the trailer with that of the first pass. */
#ifndef DBFS_EDGES_SCAN_H
#define DBFS_EDGES_SCAN_H

#include "edges.h"

/* The most edges that a visitor gets in one call, few enough for the first-level cache. */
enum { EDGES_VISIT_PIECE = 1024 };

/* The caller's function for each piece of a block's edges. Threads 0..threads-1 call it, in no particular order. To end
 * the pass it fills in *e and returns a status other than ST_OK. */
typedef enum status (*edges_visitor)(void *context, int thread, const struct edge *edges,
                                     size_t count, struct error *e);

/* Whether a pass compares the CRCs of blocks. They tell which block is damaged; the tally of all edges costs less, but tells
 * only whether any is. A first pass may leave the CRCs unchecked if the caller can read the stream again after a failure. */
enum edges_crcs { EDGES_CRCS_CHECKED, EDGES_CRCS_LEFT };

struct edges_scan {
    struct edges_reader *reader;
    int threads;         /* >= 1 */
    edges_visitor visit; /* NULL: the stream is only checked */
    void *context;
    enum edges_crcs crcs;
    /* the trailer that an earlier pass has read; NULL: this is the first pass. If the stream has another trailer, the pass
     * fails with ST_BAD_DATA. Visitors never see an id of trailer->n or more */
    const struct edges_totals *trailer;
    uint64_t most_ids; /* visitors see no id of this or more either; 0: no such bound */
    const int *stop; /* NULL, or a flag by which a visitor ends the pass early: no further block is taken */
    int proven; /* a further pass: the first one has shown that `trailer` fits the blocks */
};

/* Reads a stream, or one slice of it (edges_reader_slice), to its end, or until `stop` is set. *tally is set to the tally of the edges
 * read; if `proven` is set, to their number alone. The caller merges the tallies of all slices and compares them: with the trailer
 * (edges_reader_finish, edges_compare_tally) or, if `proven` is set, the number of edges (edges_scan_changed). */
enum status edges_scan_slice(const struct edges_scan *scan, struct edges_totals *tally, struct error *e);

/* Makes the first pass over a whole stream, checks CRCs, and compares the tally with the trailer, which *totals receives. */
enum status edges_scan(struct edges_reader *reader, int threads, edges_visitor visit,
                       void *context, struct edges_totals *totals, struct error *e);

/* Fails with ST_BAD_DATA: a later pass has found that the stream is no longer what the first pass read. */
enum status edges_scan_changed(const char *name, struct error *e);

#endif
