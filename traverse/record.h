/* record.h: searches from one root after the other, and what is kept of each */
#ifndef DBFS_RECORD_H
#define DBFS_RECORD_H

#include "args.h"
#include "bfs.h"

#include "traverse/results/results.h"

/* One search. */
struct record {
    uint64_t root; /* original id */
    char *name;    /* of the root in the map; NULL: there is no map. Owned */
    double time_s; /* slowest rank, from start to the agreement that it is over */
    struct reach reach;
    double teps;                  /* reach.edges / time_s */
    double compute_s, exchange_s; /* of the slowest rank each */
    uint32_t iterations, mask_reductions;
    uint64_t sent_vertices;   /* all ranks */
    struct breakdown *levels; /* [iterations] if searches are timed, of the slowest rank each. Owned */
};

/* Both are collective. A failure within a search is one rank's own, and ends the job: the others wait for it
 * in a collective. */

/* Searches and keeps nothing. */
void record_warm_up(struct bfs *bfs, const struct args *args, const struct root *root);

/* Searches, counts what was reached, and finds parents if they are wanted. Root and name are the caller's to
 * set. With -v it prints a line per level. */
enum status record_search(struct record *record, struct bfs *bfs, struct results *results,
                          const struct args *args, const struct root *root, struct error *e);
void record_free(struct record *record);

#endif
