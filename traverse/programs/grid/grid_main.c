/* grid_main.c: the program dbfs-traverse-2d, which does what dbfs-traverse does, over a 2D partition (grid_search.h)
 *
 * Each rank has a device of the CPU backend. The search writes visited bits and depths to this device, from which answers
 * and counts are then made as after any other search. */
#include "grid_search.h"

#include "traverse/cpu/cpu_device.h"
#include "traverse/engine/loop.h"
#include "traverse/options/options.h"
#include "traverse/session/run.h"

#include "formats/base/cli.h"

#include <string.h>

/* The grid of this process. The command line sets `fold`; all other members are zero before the search is opened. */
static struct grid_search grid;

/* Collective. Opens the search: fills *bfs, and opens the grid of this process. Fails unless this rank has exactly one
 * shard. The caller calls grid_bfs_close even after a failure. */
static enum status grid_bfs_open(struct bfs *bfs, const struct rank *rank, struct exchange *exchange,
                                 const struct bfs_options *options, struct error *e)
{
    *bfs = (struct bfs){.rank = rank, .exchange = exchange, .options = *options};
    if (rank->device_count != 1)
        return fail(e, ST_USAGE, "a rank of a 2D search has one shard: mpiexec -n %u", rank->graph->manifest.p);
    return grid_search_open(&grid, rank->comm, rank->graph, rank->budget, e);
}

/* Closes the grid of this process. *bfs itself has nothing to free. */
static void grid_bfs_close(struct bfs *bfs)
{
    (void)bfs;
    grid_search_close(&grid);
}

/* Does nothing. It is `prepare` of grid_bfs, because the search needs no preparation, and also log_rest, because
 * grid_bfs_search has already added a record of each level to the log. */
static enum status grid_bfs_nothing(struct bfs *bfs, struct error *e)
{
    (void)bfs;
    return e->status;
}

/* Starts a search: clears the visited bits of the device, and the state of the last search. The rank that owns the root
 * marks the root as visited at depth 0, and makes it the only vertex of grid.frontier. */
static void start(struct device *device, const struct root *root)
{
    struct cpu_normals *n = &device->normals;
    memset(n->visited, 0, 8 * mask_words(device->shard->locals));
    grid_search_begin(&grid);
    if (root->at != ROOT_AT_LOCAL || root->shard != device->shard->index)
        return;
    n->visited[root->index / 64] |= UINT64_C(1) << (root->index % 64);
    n->depth[root->index] = 0;
    grid.frontier.ids[grid.frontier.count++] = root->index;
}

/* Makes the unvisited vertices of grid.incoming the next frontier (grid.frontier), and marks them as visited at depth
 * `depth`. Drops visited vertices and duplicates. */
static void take_incoming(struct device *device, int32_t depth)
{
    struct cpu_normals *n = &device->normals;
    grid.frontier.count = 0;
    for (uint64_t k = 0; k < grid.incoming.count; k++) {
        uint32_t v = grid.incoming.ids[k];
        uint64_t bit = UINT64_C(1) << (v % 64);
        if (n->visited[v / 64] & bit)
            continue;
        n->visited[v / 64] |= bit;
        n->depth[v] = depth;
        grid.frontier.ids[grid.frontier.count++] = v;
    }
}

/* Collective. Searches from a root, level by level, until no rank finds a vertex. Leaves the depths on the device, and fills *times. Unless
 * `log` is NULL, adds a record of each level to it. Records have no counts of their own for a grid: vertices that `expand` sends count as
 * bytes of frontiers, and those that `fold` sends as lists (exchange_counts.h). */
static enum status grid_bfs_search(struct bfs *bfs, const struct root_set *roots, struct bfs_times *times,
                                   struct level_log *log, struct error *e)
{
    struct device *device = bfs->rank->devices[0];
    const struct root *root = roots->root; /* there is just one, as dbfs-traverse-2d has no --together */
    uint64_t found = root->at == ROOT_AT_LOCAL;
    *times = (struct bfs_times){0};
    start(device, root);
    for (int32_t depth = 0; found > 0; depth++) {
        struct grid_counts counts = {0};
        struct level_trace trace = {.kind = LEVEL_SPARSE, .counts.fresh = grid.frontier.count};
        uint64_t *of = trace.exchange.counts.of;
        double begin = cli_seconds();
        grid_level(&grid, &counts);
        take_incoming(device, depth + 1);
        found = grid.frontier.count;
        comm_sum_u64(bfs->rank->comm, &found, 1);
        trace.compute_s = cli_seconds() - begin;
        trace.counts.frontier[NN] = trace.counts.fresh;
        trace.counts.forward[NN] = trace.counts.pushed[NN] = counts.looked_up;
        of[COUNT_FOUND_VERTICES] = counts.found;
        of[COUNT_SENT_VERTICES] = counts.folded;
        of[COUNT_LIST_BYTES] = 4 * counts.folded;
        of[COUNT_FRONTIER_BYTES] = 4 * counts.expanded;
        of[COUNT_MESSAGES] = counts.messages;
        of[COUNT_DROPPED_VERTICES] = counts.dropped;
        times->compute_s += trace.compute_s;
        times->sent_vertices += counts.folded + counts.expanded;
        times->iterations++;
        if (log != NULL)
            level_log_add(log, &trace);
    }
    return e->status;
}

static const struct bfs_method grid_bfs = {.open = grid_bfs_open,
                                    .close = grid_bfs_close,
                                    .prepare = grid_bfs_nothing,
                                    .search = grid_bfs_search,
                                    .log_rest = grid_bfs_nothing};

/* ---- the command line ---- */

/* Stores the value of --fold in grid.fold. Ends the program with a message if it is neither "ring" nor "direct". */
static void take_fold(struct args *args, const struct option_row *row, char *value)
{
    grid.fold = cli_choice(&args->cli, "--fold", value, row->value) == 0 ? GRID_FOLD_RING : GRID_FOLD_DIRECT;
}

static const struct option_row own_options[] = {
    {.name = "fold", .value = "ring|direct", .group = GROUP_EXCHANGE, .of = OF_GRID | EVERYDAY, .kind = TAKE_OTHER,
     .take = take_fold,
     .help = "how destinations go to their owners: around the row, where duplicates are dropped, or at once (default ring)"},
};

static const struct option_program program = {
    .name = "dbfs-traverse-2d",
    .bit = OF_GRID,
    .usage = "Usage: mpiexec -n P dbfs-traverse-2d [OPTION]... DIR\n"
             "Breadth-first search over the 2D partition that dbfs-pack --layout 2d=RxC wrote to DIR, with P = R C\n"
             "ranks on CPUs, one thread each: Yoo et al.'s expand and fold, to compare with dbfs-traverse.\n"
             "\n",
    .exit_codes = "Exit codes: 0 ok, 1 run-time failure, 2 usage, 3 bad data, 5 not enough memory.\n",
    .own = own_options,
    .own_count = sizeof own_options / sizeof *own_options};

/* Runs dbfs-traverse-2d: reads the command line, and searches by grid_bfs on the CPU. Returns the exit code. */
int main(int argc, char **argv)
{
    static struct args args;
    cli_begin();
    args_read(&args, &program, argc, argv);
    args.backend = BACKEND_CPU;
    return run_searches(&args, &grid_bfs, argv);
}
