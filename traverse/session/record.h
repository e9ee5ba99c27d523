/* record.h: runs searches from one root after the other, and keeps a record of each */
#ifndef DBFS_RECORD_H
#define DBFS_RECORD_H

#include "traverse/engine/level_log.h"
#include "searcher.h"

/* One search. */
struct record {
    uint64_t root; /* original id */
    char *name;    /* name of the root; NULL: there is no map. Owned */
    double time_s; /* of the slowest rank, from the start until all ranks know that the search is over */
    double answer_s; /* of the slowest rank, from the start until the devices hold the answer; 0: no answer is made */
    double validate_s; /* of the proof of the tree, by the slowest rank; 0: the tree is not proved */
    struct reach reach;
    double compute_s, exchange_s; /* of the slowest rank each */
    uint32_t iterations, mask_reductions;
    uint64_t sent_vertices;   /* all ranks */
    struct exchange_counts *moved; /* [iterations], sums of all ranks; NULL: not timed. Owned */
    struct pair_log pairs; /* with --count-pairs, of all ranks */
    struct level_log log; /* with --trace, the levels of this rank */
    struct breakdown *levels; /* [iterations], each phase of the slowest rank; NULL: not timed. Owned */
};

/* record_nothing and record_search are collective. A rank whose search fails ends the job, because the other ranks would
 * wait forever. */

/* Searches, makes the answer if answers are made, and keeps nothing: for a warm-up. */
void record_nothing(struct searcher *searcher, const struct args *args, const struct root *root);

/* Searches as record_nothing does, and fills the record but for its root and name, which the caller sets: times, and counts
 * of reached vertices and edges. With -v rank 0 prints a line per level. */
enum status record_search(struct record *record, struct searcher *searcher, const struct args *args,
                          const struct root *root, struct error *e);
void record_free(struct record *record);

#endif
