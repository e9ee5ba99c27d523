/* record.h: runs searches from one root after the other, and keeps a record of each */
#ifndef DBFS_RECORD_H
#define DBFS_RECORD_H

#include "traverse/engine/level_log.h"
#include "searcher.h"

/* The numbers of one search. */
struct record {
    uint64_t root; /* original id */
    char *name;    /* name of the root; NULL: there is no map. Owned */
    double time_s; /* of the slowest rank: seconds from the start until all ranks know that the search is over */
    double answer_s; /* of the slowest rank: seconds from the start until devices hold the answer; 0: no answer is made */
    double validate_s; /* of the slowest rank: seconds of the proof of the tree; 0: the tree is not proved */
    struct reach reach;
    double compute_s, exchange_s; /* seconds of the rank that is slowest in each */
    uint32_t iterations, mask_reductions;
    uint64_t sent_vertices;   /* of all ranks */
    struct exchange_counts *moved; /* [iterations] counts of each level, summed over all ranks; NULL: not timed. Owned */
    struct pair_log pairs; /* with --count-pairs: vertices between ranks, of all ranks */
    struct level_log log; /* with --trace: the levels of this rank */
    struct breakdown *levels; /* [iterations] times of each level, each of the slowest rank; NULL: not timed. Owned */
};

/* record_nothing and record_search are collective. A rank that fails in the search ends the job, because the other ranks
 * would wait forever. */

/* Searches from a root, makes the answer if answers are made, and keeps nothing. Called for a warm-up. */
void record_nothing(struct searcher *searcher, const struct args *args, const struct root *root);

/* Searches from a root, makes the answer if answers are made, and fills the record: times, and counts of reached vertices
 * and edges. The caller sets root and name of the record. With -v rank 0 prints a line for each level. */
enum status record_search(struct record *record, struct searcher *searcher, const struct args *args,
                          const struct root *root, struct error *e);
void record_free(struct record *record); /* frees what the record owns; a zeroed record is allowed */

#endif
