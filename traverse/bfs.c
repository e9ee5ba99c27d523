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

/* Marks the frontiers and chooses directions; *fresh counts the vertices of this rank's frontiers. */
static enum status previsit_level(struct bfs *bfs, int32_t depth, struct level_trace *trace,
                                  uint64_t *fresh, struct error *e)
{
    const struct backend *b = bfs->backend;
    *fresh = 0;
    for (uint32_t i = 0; i < bfs->device_count; i++) {
        if (b->previsit(bfs->devices[i], depth, e) != ST_OK)
            return e->status;
    }
    for (uint32_t i = 0; i < bfs->device_count; i++) {
        struct workload work;
        if (b->choose(bfs->devices[i], &bfs->policy, &bfs->directions[i], &work, e) != ST_OK)
            return e->status;
        *fresh += work.fresh;
        trace_work(trace, &work, &bfs->directions[i]);
    }
    return ST_OK;
}

static enum status visit_level(struct bfs *bfs, struct error *e)
{
    for (uint32_t i = 0; i < bfs->device_count; i++) {
        if (bfs->backend->visit(bfs->devices[i], &bfs->directions[i], e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* Waits for the devices. */
static enum status finish_level(struct bfs *bfs, uint64_t *found, struct breakdown *sum,
                                struct error *e)
{
    *found = 0;
    for (uint32_t i = 0; i < bfs->device_count; i++) {
        struct breakdown times = {{0}};
        uint64_t reached;
        if (bfs->backend->finish(bfs->devices[i], &reached, e) != ST_OK ||
            (bfs->timed && bfs->backend->times(bfs->devices[i], &times, e) != ST_OK))
            return e->status;
        *found += reached;
        breakdown_max(sum, &times);
    }
    return ST_OK;
}

static enum status exchange(struct bfs *bfs, uint64_t found, int *done, struct level_trace *trace,
                            struct error *e)
{
    double *part = trace->breakdown.part_s;
    exchange_level(bfs->exchange, found, done, &trace->exchange, e);
    part[PART_LOCAL_EXCHANGE] = trace->exchange.local_s;
    part[PART_REMOTE_EXCHANGE] = trace->exchange.remote_s;
    part[PART_MASK_REDUCTION] = trace->exchange.masks_s;
    return e->status;
}

/* One level; *done when the search is over. A device that is alone learns that from its own empty
 * frontier, without waiting for anything else. */
static enum status search_level(struct bfs *bfs, int32_t depth, struct level_trace *trace, int *done,
                                struct error *e)
{
    int alone = bfs->comm->ranks * bfs->device_count == 1;
    uint64_t fresh, found = 0;
    double begin = cli_seconds();
    if (previsit_level(bfs, depth, trace, &fresh, e) != ST_OK)
        return e->status;
    *done = alone && fresh == 0 && depth > 0;
    if (*done)
        return ST_OK;
    if (visit_level(bfs, e) != ST_OK ||
        ((!alone || bfs->timed) && finish_level(bfs, &found, &trace->breakdown, e) != ST_OK))
        return e->status;
    double visited = cli_seconds();
    if (alone)
        bfs->backend->keep_updates(bfs->devices[0], e);
    else
        exchange(bfs, found, done, trace, e);
    trace->compute_s = visited - begin;
    trace->exchange_s = cli_seconds() - visited;
    return e->status;
}

static void add_level(struct bfs_times *times, const struct level_trace *trace)
{
    times->compute_s += trace->compute_s;
    times->exchange_s += trace->exchange_s;
    times->iterations++;
    times->mask_reductions += (uint32_t)trace->exchange.reduced_masks;
    times->sent_vertices += trace->exchange.sent_vertices;
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
        if (search_level(bfs, depth, &trace, &done, e) != ST_OK)
            return e->status;
        if (done && trace.compute_s == 0)
            break; /* an empty frontier: no level */
        add_level(times, &trace);
        if (tracer != NULL)
            tracer(context, depth, &trace);
    }
    return ST_OK;
}
