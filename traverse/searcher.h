/* searcher.h: what searches need on one rank, from the job to the level loop: one set-up for every program */
#ifndef DBFS_SEARCHER_H
#define DBFS_SEARCHER_H

#include "args.h"
#include "bfs.h"

#include "traverse/results/results.h"

struct searcher {
    struct comm comm;
    struct memory_budget budget;
    int threads; /* of this rank */
    struct graph graph;
    struct rank rank;
    struct exchange *exchange;
    struct results *results;
    struct bfs bfs;
};

/* Collective, first of all. Starts MPI, and the watch of --timeout. */
enum status searcher_start(struct searcher *searcher, const struct args *args, struct error *e);

/* Collective, after searcher_start. Opens the graph in args->folder, devices for its shards and all that
 * searches need. `files`: results_write will be called, or the answers of all ids looked at. */
enum status searcher_open(struct searcher *searcher, struct args *args, int files, struct error *e);
void searcher_close(struct searcher *searcher); /* a zeroed one is allowed */

#endif
