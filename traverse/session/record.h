/* record.h: runs a search, and fills a record with its times and counts */
#ifndef DBFS_RECORD_H
#define DBFS_RECORD_H

#include "traverse/engine/level_log.h"
#include "searcher.h"

/* The times and counts of one search. */
struct record {
    uint64_t root; /* the original id of the root; of several roots that are searched together, the first that was given */
    char *name;    /* the name of this root; NULL: there is no map. Owned */
    const uint64_t *roots; /* [root_count] with --together: the original ids of all roots, as they were given; otherwise NULL */
    uint64_t root_count;
    double time_s; /* seconds from the start until all ranks know that the search has ended, on the slowest rank */
    double answer_s; /* seconds from the start until the devices have the answer, on the slowest rank; 0: no answer */
    double validate_s; /* seconds that the check of the tree took on the slowest rank; 0: the tree was not checked */
    struct reach reach;
    double compute_s, exchange_s; /* seconds of computing and of exchanging, each on the rank where it took longest */
    uint32_t iterations, mask_reductions; /* the number of levels, and of levels in which masks were reduced */
    uint64_t sent_vertices;   /* the number of vertices that all ranks sent in messages */
    struct exchange_counts *level_exchanges; /* [iterations] summed over all ranks; NULL: no --breakdown. Owned */
    struct pair_log pairs; /* with --count-pairs: the vertices that each rank sent to each other rank */
    struct level_log log; /* with --trace: the levels of this rank, until trace_file_add clears the log */
    const struct kept_answers *kept; /* with --device-answers: the last two are depths and parents of this search; otherwise NULL */
    struct breakdown *level_times; /* [iterations] times of each level, each on the slowest rank; NULL: no --breakdown. Owned */
};

/* record_nothing and record_search are collective. A rank that fails in the search ends the job, because the other ranks
 * would otherwise wait forever. */

/* Searches from all roots together to warm up, with the answer if searches make answers, and records nothing. */
void record_nothing(struct searcher *searcher, const struct args *args, const struct root_set *roots);

/* Searches from all roots together, and makes the answer if searches make answers. Fills the record with times, and with counts
 * of reached vertices and edges. The caller sets root, name and roots of the record. With -v, rank 0 prints a line for each level. */
enum status record_search(struct record *record, struct searcher *searcher, const struct args *args,
                          const struct root_set *roots, struct error *e);
void record_free(struct record *record); /* frees the memory that the record owns; *record may be zeroed */

#endif
