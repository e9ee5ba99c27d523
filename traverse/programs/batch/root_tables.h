/* root_tables.h: the tables of --reached and --hops, which have rows for each root of a batch */
#ifndef DBFS_ROOT_TABLES_H
#define DBFS_ROOT_TABLES_H

#include "batch_search.h"
#include "batch_table.h"

#include "traverse/options/args.h"

/* The tables, and what a batch of this rank has found for them. */
struct root_tables {
    struct batch_table reached; /* root, id, distance: a row for each vertex that a root has reached */
    struct batch_table hops;    /* root, distance, vertices: a row for each distance */
    struct batch_balls balls;   /* open only if `reached` is wanted */
    struct batch_hops counts;
    const uint64_t *ids;        /* [count] the input ids of the roots of the batch */
    uint32_t count;             /* number of roots of the batch; 0: this rank has had no batch in this round */
    uint64_t first[BATCH_MOST + 1]; /* for each root: the number of its first row in the table that is being written */
};

/* Collective. Opens the tables that the options want. Rank 0 opens the files. `map` has the names of vertices; NULL: text has ids.
 * The caller calls root_tables_close, even after a failure. */
enum status root_tables_open(struct root_tables *tables, const struct args *args, const struct joined_graph *graph,
                             const struct name_map *map, const struct comm *comm, int threads, struct error *e);

/* Makes a batch pass on what the tables need. Called before batch_run. ids[run->count]: the input ids of the roots. */
void root_tables_receive(struct root_tables *tables, struct batch_run *run, const uint64_t *ids);

/* Collective. Appends the rows of the batches that the ranks have run since the last call. Fails on all ranks if one fails. */
enum status root_tables_append(struct root_tables *tables, struct error *e);

/* Completes the files. Called on rank 0. */
enum status root_tables_commit(struct root_tables *tables, struct error *e);
void root_tables_close(struct root_tables *tables); /* frees all memory; *tables may be all zeros */

#endif
