/* searcher.h: the parts of one rank that searches need, from the job to the level loop: one set-up for every program */
#ifndef DBFS_SEARCHER_H
#define DBFS_SEARCHER_H

#include "traverse/options/args.h"
#include "bfs.h"

#include "traverse/results/results.h"

struct searcher {
    struct comm comm;        /* the ranks that search */
    uint32_t launched_ranks; /* of the job */
    int led;                 /* rank 0 searches for all ranks, and is the only one of its comm */
    struct memory_budget budget;
    int threads; /* of this rank */
    struct graph graph;
    struct rank rank;
    struct exchange *exchange;
    struct results *results;
    struct bfs bfs;
};

/* Collective, first of all. Starts MPI, and the watch of --timeout. If ranks would share GPUs (shared_gpus.h), rank 0
 * searches for all of them, with their threads and memory, and says so. */
enum status searcher_start(struct searcher *searcher, struct args *args, struct error *e);

/* Whether this rank goes on with searcher_open, after searcher_start. Otherwise only searcher_end is left to do. */
int searcher_takes_part(const struct searcher *searcher);

/* Collective, last of all but searcher_close. Ranks for which rank 0 searches wait here until rank 0 calls this,
 * and get its *e. */
void searcher_end(const struct searcher *searcher, struct error *e);

/* Collective, after searcher_start. Opens the graph in args->folder, devices for its shards and all that
 * searches need. `files`: results_write will be called, or the answers of all ids looked at. */
enum status searcher_open(struct searcher *searcher, struct args *args, int files, struct error *e);
void searcher_close(struct searcher *searcher); /* a zeroed one is allowed */

#endif
