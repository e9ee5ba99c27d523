/* searcher.h: opens all that searches need on a rank, and runs the work of a program. All programs that search call
 * searcher_run, and open what they need in one of two ways:
 *
 * - dbfs-traverse, dbfs-traverse-2d and dbfs-graph500 call searcher_open. Each rank has a part of the shards, and all ranks
 *   do each search together.
 * - dbfs-batch and dbfs-paths call searcher_open_shards. Each rank has all shards, and does some of the searches alone,
 *   as the only rank of the comm in searcher.rank. Or, in dbfs-batch, ranks divide the shards, and do each search together. */
#ifndef DBFS_SEARCHER_H
#define DBFS_SEARCHER_H

#include "traverse/options/args.h"
#include "traverse/engine/loop.h"
#include "one_gpu.h"
#include "roots.h"

#include "traverse/results/results.h"

/* Everything that a rank needs to search. */
struct searcher {
    struct args *args;
    const struct bfs_method *method; /* set by the program; NULL if each rank opens all shards */
    struct comm comm;        /* the ranks that search */
    uint32_t launched_ranks; /* the number of ranks in the MPI job */
    int rank_0_alone;        /* 1: only rank 0 searches, and `comm` of rank 0 has rank 0 only */
    int may_join;          /* set by the program: 1: shards are joined if one GPU is predicted to be faster (one_gpu.h) */
    struct one_gpu one_gpu;  /* whether all shards are joined into one */
    struct memory_budget budget;
    int threads; /* the number of threads of this rank */
    struct graph graph;
    struct rank rank;
    struct exchange exchange; /* exchange, results and bfs are zeroed if each rank opens all shards */
    struct results results;
    struct bfs bfs;
    struct name_map *map; /* the names of vertices, on rank 0 and on each rank that opens all shards; NULL: there are none */
    struct roots roots;
};

/* Runs a program, from the start of MPI to the exit code, which it returns. Starts MPI and the watch of --timeout, checks
 * the names of result files, calls `work` on each rank that searches, and then `close` unless it is NULL. Closes the
 * searcher at the end. With --dry-run, only checks the names.
 * If ranks would share GPUs (shared_gpus.h), or one GPU is faster than several (one_gpu.h), rank 0 searches alone, with the threads
 * and the memory of all ranks, and the other ranks wait. With `holds_all`, each rank opens all shards, and all ranks search in any
 * case. */
typedef void searcher_work(void *context, struct error *e);
int searcher_run(struct searcher *searcher, struct args *args, int holds_all, searcher_work *work,
                 void (*close)(void *context), void *context);

/* Collective. Opens the graph in args->folder, a device for each shard, and all else that searches need. `writes_answers` is 1
 * if the program calls results_write, or reads the answers of all ids. If a rank fails, the call fails on all ranks. */
enum status searcher_open(struct searcher *searcher, int writes_answers, struct error *e);

/* Collective. Opens *reverse, whose method searches against the edges of the directed graph that *searcher has open, with devices of its
 * own over the same loaded shards. GPUs load the shards once more. The graph must have in-rows. The caller calls searcher_close_reverse,
 * even after a failure, before *searcher is closed. */
enum status searcher_open_reverse(struct searcher *reverse, struct searcher *searcher, struct error *e);
void searcher_close_reverse(struct searcher *reverse); /* *reverse may be zeroed */

/* If *e says that memory is short, and the memory budget is too small for a whole search, appends to the message the value of
 * -S that is enough: the message itself counts only the arrays up to the one that failed. searcher_open calls this function
 * itself. */
void searcher_explain_memory(const struct searcher *searcher, struct error *e);

/* Opens the shards of this rank of `comm`, with columns in the residence `resident`, and the map of names. With &comm_alone the rank has
 * all shards, and other ranks do not learn of a failure; otherwise the call is collective. `bytes_needed` is as
 * backend.bytes_needed; NULL with RESIDENT_PACKED. */
enum status searcher_open_shards(struct searcher *searcher, const struct comm *comm, enum residence resident,
                                 uint64_t (*bytes_needed)(const struct shard *shard, int threads, int parents),
                                 struct error *e);

/* Collective. Chooses the roots. Rank 0 warns if there are fewer roots than the user wants, and checks the names of the
 * roots' results. If a rank fails, or passes an `e` that has failed, the call fails on all ranks. */
enum status searcher_choose_roots(struct searcher *searcher, struct error *e);

#endif
