/* record.h: runs searches from one root after the other, and keeps a record of each */
#ifndef DBFS_RECORD_H
#define DBFS_RECORD_H

#include "traverse/engine/level_log.h"
#include "searcher.h"

/* One search. */
struct record {
    uint64_t root; /* original id */
    char *name;    /* name of the root; NULL: there is no map. Owned */
    double time_s; /* of the slowest rank, from the start until all ranks know that it is over */
    double answer_s; /* the same, until the answer is in the memory of the devices; 0: none is made */
    double validate_s; /* of the proof of the tree, by the slowest rank; 0: it is not proved */
    struct reach reach;
    double compute_s, exchange_s; /* of the slowest rank each */
    uint32_t iterations, mask_reductions;
    uint64_t sent_vertices;   /* all ranks */
    struct exchange_counts *moved; /* [iterations], sums of all ranks; NULL: not timed. Owned */
    struct pair_log pairs; /* with --count-pairs, of all ranks */
    struct level_log log; /* with --trace, the levels of this rank */
    struct breakdown *levels; /* [iterations], each phase of the slowest rank; NULL: not timed. Owned */
};

/* The next two functions are collective. If a search fails on one rank, that rank ends the job, because the
 * others would wait for it forever. */

/* Searches, makes the answer if answers are made, and keeps nothing. */
void record_nothing(struct searcher *searcher, const struct args *args, const struct root *root);

/* The same, and counts the reached vertices and edges. The caller sets root and name of the record. With
 * -v it prints a line per level. */
enum status record_search(struct record *record, struct searcher *searcher, const struct args *args,
                          const struct root *root, struct error *e);
void record_free(struct record *record);

#endif
