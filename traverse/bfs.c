/* bfs.c: the level loop of sections IV and V of Pan et al.: previsit, visit, exchange; see bfs.h
 *
 * No graph and no device appears here, only the order of the steps. The cost of a level is the
 * work of its frontier plus passes over the delegate mask; nothing is proportional to n.
 */
#include "bfs.h"

#include "formats/cli.h"

#include <string.h>

static enum status start_devices(struct bfs *bfs, const struct root *root, struct error *e)
{
    for (uint32_t i = 0; i < bfs->device_count; i++) {
        memset(&bfs->directions[i], 0, sizeof bfs->directions[i]); /* all push */
        if (bfs->backend->start(bfs->devices[i], root, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

static void trace_work(struct level_trace *trace, const struct workload *work,
                       const struct directions *directions)
{
    for (int g = 0; g < SUBGRAPHS; g++) {
        trace->frontier[g] += work->of[g].frontier;
        trace->forward[g] += work->of[g].forward;
        trace->pulling[g] += work->of[g].frontier > 0 && directions->of[g] == PULL;
    }
}

static enum status visit_level(struct bfs *bfs, int32_t depth, struct level_trace *trace,
                               uint64_t *found, struct error *e)
{
    const struct backend *b = bfs->backend;
    *found = 0;
    for (uint32_t i = 0; i < bfs->device_count; i++) {
        struct workload work;
        uint64_t reached;
        if (b->previsit(bfs->devices[i], depth, &bfs->policy, &bfs->directions[i], &work, e) !=
            ST_OK)
            return e->status;
        trace_work(trace, &work, &bfs->directions[i]);
        if (b->visit_delegates(bfs->devices[i], &bfs->directions[i], e) != ST_OK ||
            b->visit_normals(bfs->devices[i], &bfs->directions[i], &reached, e) != ST_OK)
            return e->status;
        *found += reached;
    }
    return ST_OK;
}

enum status bfs_search(struct bfs *bfs, const struct root *root, struct bfs_times *times,
                       bfs_tracer *tracer, void *context, struct error *e)
{
    int done = 0;
    memset(times, 0, sizeof *times);
    if (start_devices(bfs, root, e) != ST_OK)
        return e->status;
    for (int32_t depth = 0; !done; depth++) {
        struct level_trace trace = {0};
        uint64_t found;
        double begin = cli_seconds();
        if (visit_level(bfs, depth, &trace, &found, e) != ST_OK)
            return e->status;
        double visited = cli_seconds();
        if (exchange_level(bfs->exchange, found, &done, &trace.exchange, e) != ST_OK)
            return e->status;
        double exchanged = cli_seconds();
        trace.compute_s = visited - begin;
        trace.exchange_s = exchanged - visited;
        times->compute_s += trace.compute_s;
        times->exchange_s += trace.exchange_s;
        times->iterations++;
        times->mask_reductions += (uint32_t)trace.exchange.reduced_masks;
        times->sent_vertices += trace.exchange.sent_vertices;
        if (tracer != NULL)
            tracer(context, depth, &trace);
    }
    return ST_OK;
}
