/* searcher.h: the parts of one rank that searches need, from the job to the level loop. Every program uses this frame and
 * set-up.
 *
 * dbfs-traverse, dbfs-traverse-2d and dbfs-graph500 search with all ranks, each of which holds a part of the shards
 * (searcher_open). In dbfs-batch and dbfs-paths each rank holds all shards (searcher_open_all_shards), and each rank does
 * some of the searches. `rank` is then the only rank of its comm. */
#ifndef DBFS_SEARCHER_H
#define DBFS_SEARCHER_H

#include "traverse/options/args.h"
#include "traverse/engine/loop.h"
#include "roots.h"

#include "traverse/results/results.h"

/* Everything that a rank needs to search. */
struct searcher {
    struct args *args;
    const struct bfs_method *method; /* set by the program; NULL if each rank holds all shards */
    struct comm comm;        /* the ranks that search */
    uint32_t launched_ranks; /* ranks of the job */
    int led;                 /* rank 0 searches for all ranks, and is the only rank of its comm */
    struct memory_budget budget;
    int threads; /* of this rank */
    struct graph graph;
    struct rank rank;
    struct exchange exchange; /* exchange, results and bfs are zero if each rank holds all shards */
    struct results results;
    struct bfs bfs;
    struct name_map *map; /* on rank 0, and on each rank that holds all shards; NULL: none */
    struct roots roots;
};

/* The frame of a program. Starts MPI and the watch of --timeout, and checks the names of result files. Calls `work` on each
 * rank, then `close`, which may be NULL, and closes the searcher. Returns the exit code. With --dry-run only the names are
 * checked. If ranks would share GPUs (shared_gpus.h), rank 0 prints a note and works alone, with the threads and the memory
 * of all ranks. The other ranks wait. `holds_all`: each rank will hold all shards, so all ranks work. */
typedef void searcher_work(void *context, struct error *e);
int searcher_run(struct searcher *searcher, struct args *args, int holds_all, searcher_work *work,
                 void (*close)(void *context), void *context);

/* Collective. Opens the graph in args->folder, devices for its shards and all that searches need. `files`: results_write
 * will be called, or the program reads the answers of all ids. */
enum status searcher_open(struct searcher *searcher, int files, struct error *e);

/* If *e says that an array exceeds the memory budget, appends the value of -S that is enough for a whole search. The
 * message of the array itself counts only the arrays that were allocated up to then. searcher_open calls this function
 * itself. */
void searcher_explain_memory(const struct searcher *searcher, struct error *e);

/* Opens all shards on this rank, with columns in this residence, and the map of names. `bytes_needed`: a function like
 * backend.bytes_needed; NULL with RESIDENT_PACKED. A failure is known to this rank only. */
enum status searcher_open_all_shards(struct searcher *searcher, enum residence resident,
                                     uint64_t (*bytes_needed)(const struct shard *shard, int threads, int parents),
                                     struct error *e);

/* Collective. Chooses the roots. Rank 0 warns if they are fewer than wanted, and checks the names of their results. If a
 * rank fails, or passes an `e` that has failed, the call fails on all ranks. */
enum status searcher_choose_roots(struct searcher *searcher, struct error *e);

#endif
