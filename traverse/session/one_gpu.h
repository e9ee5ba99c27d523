/* one_gpu.h: decides whether all shards of a graph are joined into one (shard_join.h), which a single device searches.
 *
 * A barrier between GPUs costs some microseconds a level, so one GPU searches small graphs, and deep ones, faster than several do.
 * Both times are predicted from the manifest (predict_time.h). */
#ifndef DBFS_ONE_GPU_H
#define DBFS_ONE_GPU_H

#include "traverse/options/args.h"

#include "formats/mpi/comm.h"

/* Whether shards are joined, and why. */
struct one_gpu {
    int joins;
    uint32_t gpus;            /* the GPUs that would search without joining; 0: nothing was predicted */
    double one_s, several_s;  /* predicted seconds of a search by one GPU, and by `gpus` */
};

/* Collective. Decides for ranks that would open the graph in args->folder together. Shards are joined
 * - with -g 1, if a single rank opens a graph of several shards, on CPUs, too;
 * - with `may_join`, if all ranks are on one host, one GPU is predicted to be faster by a clear margin, its memory holds all shards raw,
 *   and no option was given that divides shards, chooses how devices exchange, or where columns lie (-g, --resident).
 * Where one GPU is predicted to be faster, and cannot have all shards, rank 0 prints a note. Leaves faults of the graph or of GPUs
 * to those who open them. */
enum status one_gpu_choose(struct one_gpu *choice, const struct comm *comm, const struct args *args, int may_join, struct error *e);

#endif
