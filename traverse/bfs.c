/* bfs.c: the level loop of sections IV and V of Pan et al.: previsit, visit, exchange; see bfs.h
 *
 * No graph and no device appears here, only the order of the steps. The cost of a level is the
 * work of its frontier plus passes over the delegate mask; nothing is proportional to n.
 */
#include "bfs.h"

#include "formats/base/cli.h"

#include <string.h>

/* One search as its steps see it. */
struct search {
    struct bfs *bfs;
    const struct root *root;
    int32_t depth;
};

/* ---- what each device does ---- */

static enum status start_device(void *context, uint32_t i, struct error *e)
{
    const struct search *s = context;
    memset(&s->bfs->levels[i], 0, sizeof s->bfs->levels[i]); /* all push */
    return s->bfs->backend->start(s->bfs->devices[i], s->root, e);
}

static enum status previsit_device(void *context, uint32_t i, struct error *e)
{
    const struct search *s = context;
    const struct bfs *bfs = s->bfs;
    struct device_level *level = &bfs->levels[i];
    if (bfs->backend->previsit(bfs->devices[i], s->depth, e) != ST_OK)
        return e->status;
    return bfs->backend->choose(bfs->devices[i], &bfs->policy, &level->directions, &level->work, e);
}

static enum status visit_device(void *context, uint32_t i, struct error *e)
{
    const struct search *s = context;
    return s->bfs->backend->visit(s->bfs->devices[i], &s->bfs->levels[i].directions, e);
}

static enum status finish_device(void *context, uint32_t i, struct error *e)
{
    const struct search *s = context;
    const struct bfs *bfs = s->bfs;
    struct device_level *level = &bfs->levels[i];
    if (bfs->backend->finish(bfs->devices[i], &level->found, e) != ST_OK || !bfs->timed)
        return e->status;
    return bfs->backend->times(bfs->devices[i], &level->times, e);
}

static enum status visit_and_finish_device(void *context, uint32_t i, struct error *e)
{
    if (visit_device(context, i, e) == ST_OK)
        finish_device(context, i, e);
    return e->status;
}

/* ---- a level ---- */

static void trace_work(struct level_trace *trace, const struct device_level *level)
{
    for (int g = 0; g < SUBGRAPHS; g++) {
        const struct subgraph_work *work = &level->work.of[g];
        trace->frontier[g] += work->frontier;
        trace->forward[g] += work->forward;
        trace->pulling[g] += work->frontier > 0 && level->directions.of[g] == PULL;
    }
}

/* Marks the frontiers and chooses directions; *fresh counts the vertices of this rank's frontiers. */
static enum status previsit_level(struct search *s, struct level_trace *trace, uint64_t *fresh,
                                  struct error *e)
{
    *fresh = 0;
    if (team_run(s->bfs->team, previsit_device, s, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < s->bfs->device_count; i++) {
        *fresh += s->bfs->levels[i].work.fresh;
        trace_work(trace, &s->bfs->levels[i]);
    }
    return ST_OK;
}

static int is_alone(const struct bfs *bfs)
{
    return bfs->comm->ranks * bfs->device_count == 1;
}

/* Delegates are reduced while normals are still looked for, where the exchange can do that. */
static enum status visit_overlapping(struct search *s, struct level_trace *trace, struct error *e)
{
    if (team_run(s->bfs->team, visit_device, s, e) == ST_OK &&
        exchange_begin(s->bfs->exchange, &trace->exchange, e) == ST_OK)
        team_run(s->bfs->team, finish_device, s, e);
    return e->status;
}

/* A device that is alone need not be waited for. */
static enum status visit_devices(struct search *s, struct level_trace *trace, struct error *e)
{
    if (exchange_overlaps(s->bfs->exchange))
        return visit_overlapping(s, trace, e);
    int waits = !is_alone(s->bfs) || s->bfs->timed;
    return team_run(s->bfs->team, waits ? visit_and_finish_device : visit_device, s, e);
}

static enum status visit_level(struct search *s, struct level_trace *trace, uint64_t *found,
                               struct error *e)
{
    *found = 0;
    if (visit_devices(s, trace, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < s->bfs->device_count; i++) {
        *found += s->bfs->levels[i].found;
        if (s->bfs->timed)
            breakdown_max(&trace->breakdown, &s->bfs->levels[i].times);
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
static enum status search_level(struct search *s, struct level_trace *trace, int *done,
                                struct error *e)
{
    struct bfs *bfs = s->bfs;
    int alone = is_alone(bfs);
    uint64_t fresh, found;
    double begin = cli_seconds();
    if (previsit_level(s, trace, &fresh, e) != ST_OK)
        return e->status;
    *done = alone && fresh == 0 && s->depth > 0;
    if (*done)
        return ST_OK;
    if (visit_level(s, trace, &found, e) != ST_OK)
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
    struct search s = {.bfs = bfs, .root = root};
    int done = 0;
    memset(times, 0, sizeof *times);
    if (team_run(bfs->team, start_device, &s, e) != ST_OK)
        return e->status;
    for (s.depth = 0; !done; s.depth++) {
        struct level_trace trace = {0};
        if (search_level(&s, &trace, &done, e) != ST_OK)
            return e->status;
        if (done && trace.compute_s == 0)
            break; /* an empty frontier: no level */
        add_level(times, &trace);
        if (tracer != NULL)
            tracer(context, s.depth, &trace);
    }
    return ST_OK;
}
