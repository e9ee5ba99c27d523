/* pair_together.c: pairs of a graph that the ranks divide among them (pairs.h). All ranks search together from the source of a pair,
 * as dbfs-traverse does; pairs that follow each other and have the same source share this search. A path goes back from the target by
 * the parents of the search, each of which the owner of its vertex tells all ranks. */
#include "pairs.h"

#include "traverse/session/record.h"
#include "traverse/session/searcher.h"

#include "formats/base/progress.h"

#include <inttypes.h>

/* Collective. Returns the distance from the source of the last search to a target plus 1, or 0 if the target was not reached. */
static uint64_t found_by(const struct searcher *s, const struct root *target)
{
    const uint32_t ranks = s->comm.ranks;
    int32_t depth = DEPTH_UNREACHED;
    if (target->at == ROOT_AT_DELEGATE)
        depth = s->results.delegate_depth[target->index];
    else if (target->at == ROOT_AT_LOCAL && rank_of_shard(target->shard, ranks) == s->comm.rank)
        depth = s->results.depth[device_of_shard(target->shard, ranks)][target->index];
    return comm_max_of(&s->comm, (uint64_t)(depth + 1));
}

/* Collective. Returns the parent of a vertex in the last search, both as input ids. Returns -1 if there is none, or after a failure. */
static int64_t parent_of(const struct searcher *s, uint64_t id, struct error *e)
{
    const struct answers *a = &s->results.answers;
    const uint64_t stored = stored_id(&s->graph, id);
    const uint32_t shard = shard_of_vertex(stored, s->graph.manifest.p), ranks = s->comm.ranks, width = answers_width(a, ANSWER_PARENTS);
    const uint32_t owner = rank_of_shard(shard, ranks), g = device_of_shard(shard, ranks);
    int64_t parent = -1;
    if (owner == s->comm.rank) {
        char value[sizeof parent];
        const char *from = (const char *)a->arrays[g].values + answers_index(&s->graph, stored) * width;
        if (s->rank.backend->answers->copy(s->rank.devices[g], value, from, width, e) == ST_OK)
            parent = answer_id(value, width, 0);
    }
    comm_broadcast(&s->comm, &parent, sizeof parent, owner);
    return parent;
}

/* Collective. Allocates the path of pair i with its source, and fills in the rest from the target back, on rank 0. Fails on all ranks if
 * one rank fails, or if the parents do not lead to the source. */
static enum status follow_path(struct pairs *pairs, uint64_t i, uint64_t found, struct error *e)
{
    const struct pair_job *job = pairs->job;
    const uint64_t *ends = &job->roots->ids[2 * i];
    uint64_t id = ends[1];
    if (job->comm->rank == 0)
        pairs_take_path(pairs, i, e);
    if (comm_agree(job->comm, e) != ST_OK)
        return e->status;
    for (uint64_t at = found - 1; at > 0; at--) {
        if (job->comm->rank == 0)
            pairs->path[i][at] = id;
        const int64_t parent = parent_of(job->together, id, e);
        if (comm_agree(job->comm, e) != ST_OK)
            return e->status;
        id = parent < 0 ? UINT64_MAX : (uint64_t)parent;
        if (id >= job->graph->manifest.totals.n)
            break;
    }
    return id == ends[0] ? ST_OK : fail(e, ST_BAD_DATA, "%s: pair %" PRIu64 ": the parents of the search do not lead to its source",
                                        job->together->args->folder, i + 1);
}

/* Collective. Finds the results of pair i on rank 0. Searches from its source, unless the pair before it has the same source. *record
 * has the last search. */
static enum status find_pair(struct pairs *pairs, uint64_t i, struct record *record, struct error *e)
{
    const struct pair_job *job = pairs->job;
    const struct root *ends = &job->roots->root[2 * i];
    struct pair_result result = {.found = ends[0].id == ends[1].id};
    if (ends[0].at != ROOT_AT_ISOLATED) {
        if (i == 0 || ends[-2].id != ends[0].id) {
            *record = (struct record){0};
            if (record_search(record, job->together, job->together->args, &(struct root_set){ends, 1}, e) != ST_OK)
                return e->status;
            result.edges = record->reach.edges;
            result.nanoseconds = (uint64_t)(1e9 * (job->paths ? record->answer_s : record->time_s));
        }
        result.found = found_by(job->together, &ends[1]);
        result.vertices = record->reach.vertices;
    }
    if (job->comm->rank == 0)
        pairs->result[i] = result;
    return job->paths && result.found > 0 ? follow_path(pairs, i, result.found, e) : ST_OK;
}

/* Collective. Finds all pairs, on rank 0. This is `run` of the backend, which has no state. */
static enum status run(struct pair_searches *none, struct pairs *pairs, struct error *e)
{
    struct record record = {0};
    (void)none;
    for (uint64_t i = 0; i < pairs->count && e->status == ST_OK; i++) {
        find_pair(pairs, i, &record, e);
        comm_agree(pairs->job->comm, e);
        progress_add(1);
    }
    return e->status;
}

const struct pair_backend pair_together = {.name = "together", .run = run};
