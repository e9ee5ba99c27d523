/* root_tables.h: the tables of --reached, --hops and --targets, which have rows for each root of a batch */
#ifndef DBFS_ROOT_TABLES_H
#define DBFS_ROOT_TABLES_H

#include "batch_search.h"
#include "batch_table.h"

#include "traverse/session/searcher.h"

/* The tables, and what a batch of this rank has found for them. */
struct root_tables {
    struct batch_table reached; /* root, id, distance: a row for each vertex that a root has reached */
    struct batch_table hops;    /* root, distance, vertices: a row for each distance */
    struct batch_table distances; /* root, target, distance: a row for each target; -1: it is not reached */
    struct batch_balls balls;   /* open only if `reached` is wanted */
    struct batch_hops counts;
    struct batch_targets targets; /* open only if there are targets */
    struct roots target;        /* the targets as they were given, with their places in the graph */
    /* [target.count] for each: its index in `targets`; JOINED_NOWHERE: it has no edges; JOINED_ELSEWHERE: another rank notes it. Owned */
    uint64_t *target_index;
    /* [batch][target.count] if ranks divide the graph: the distances that any of them has noted; otherwise NULL. Owned */
    int32_t *all_distances;
    int is_divided;             /* 1: ranks divide the graph, and all have the same batch */
    const uint64_t *ids;        /* [count] the input ids of the roots of the batch */
    uint32_t count;             /* number of roots of the batch; 0: this rank has had no batch in this round */
    uint32_t balls_begin, balls_end; /* the roots of the batch whose balls this rank appends */
    uint64_t first[BATCH_MOST + 1]; /* for each root: the number of its first row in the table that is being written */
};

/* Collective. Opens the tables that the options want, for batches of args->batch roots. Rank 0 opens the files. The roots have been
 * chosen. `graph` has the vertices that this rank notes (joined_graph_noted). `ends_at_targets` is 1 if searches may end when all targets
 * are found. The caller calls root_tables_close, even after a failure. Fails with ST_USAGE if a target is not in the graph. */
enum status root_tables_open(struct root_tables *tables, const struct args *args, const struct searcher *searcher,
                             const struct joined_graph *graph, int ends_at_targets, struct error *e);

/* Makes a batch pass on what the tables need. Called before batch_run. ids[run->count]: the input ids of the roots. */
void root_tables_receive(struct root_tables *tables, struct batch_run *run, const uint64_t *ids);

/* Called after batch_run. Gives roots without edges their balls. If ranks divide the graph, it is collective, fails on all ranks if one
 * fails, and gives rank 0 the distances to the targets and each rank the balls of some roots. */
enum status root_tables_gather(struct root_tables *tables, struct error *e);

/* Returns the number of targets that root `number` of the last batch has reached, as often as they were given, and sets *farthest to
 * the largest distance of one of them. */
uint64_t root_tables_reached_targets(const struct root_tables *tables, uint32_t number, uint64_t *farthest);

/* Collective. Appends the rows of the batches that the ranks have run since the last call. Fails on all ranks if one fails. */
enum status root_tables_append(struct root_tables *tables, struct error *e);

/* Completes the files. Called on rank 0. */
enum status root_tables_commit(struct root_tables *tables, struct error *e);
void root_tables_close(struct root_tables *tables); /* frees all memory; *tables may be all zeros */

#endif
