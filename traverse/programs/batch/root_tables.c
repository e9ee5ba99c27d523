/* root_tables.c: writes the tables of --reached, --hops and --targets; see root_tables.h */
#include "root_tables.h"

#include "traverse/engine/answer_ids.h"

#include "formats/base/arith.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

/* Returns the root to which row number `row` belongs. */
static uint32_t root_of_row(const struct root_tables *t, uint64_t row)
{
    uint32_t r = 0;
    while (t->first[r + 1] <= row)
        r++;
    return r;
}

/* Fills in rows of --reached: the vertices of each root, by distance and then by id. */
static void fill_reached(const void *context, uint64_t begin, uint64_t end, int64_t (*row)[TABLE_FIELDS])
{
    const struct root_tables *t = context;
    uint64_t at = begin;
    for (uint32_t r = root_of_row(t, begin); at < end; r++) {
        const uint64_t *vertices = t->counts.vertices[r], *ids = t->balls.ball[r].ids;
        uint64_t i = at - t->first[r], distance = 0, level_end = vertices[0];
        for (; at < smaller(end, t->first[r + 1]); at++, i++) {
            while (i >= level_end)
                level_end += vertices[++distance];
            row[at - begin][0] = (int64_t)t->ids[r];
            row[at - begin][1] = (int64_t)ids[i];
            row[at - begin][2] = (int64_t)distance;
        }
    }
}

/* Fills in rows of --hops: the distances of each root, and the number of vertices there. */
static void fill_hops(const void *context, uint64_t begin, uint64_t end, int64_t (*row)[TABLE_FIELDS])
{
    const struct root_tables *t = context;
    uint64_t at = begin;
    for (uint32_t r = root_of_row(t, begin); at < end; r++) {
        for (uint64_t distance = at - t->first[r]; at < smaller(end, t->first[r + 1]); at++, distance++) {
            row[at - begin][0] = (int64_t)t->ids[r];
            row[at - begin][1] = (int64_t)distance;
            row[at - begin][2] = (int64_t)t->counts.vertices[r][distance];
        }
    }
}

/* Returns the distance from root number r of the batch to target number i, as they were given, as far as this rank has noted it. A
 * target without edges is reached from itself alone. */
static int32_t noted_distance(const struct root_tables *t, uint32_t r, uint64_t i)
{
    if (t->target_index[i] == JOINED_NOWHERE)
        return t->target.ids[i] == t->ids[r] ? 0 : DEPTH_UNREACHED;
    if (t->target_index[i] == JOINED_ELSEWHERE)
        return DEPTH_UNREACHED;
    return t->targets.distance[r * t->targets.count + t->target_index[i]];
}

/* Returns the distance from root number r of the batch to target number i. */
static int64_t distance_to(const struct root_tables *t, uint32_t r, uint64_t i)
{
    return t->all_distances != NULL ? t->all_distances[r * t->target.count + i] : noted_distance(t, r, i);
}

/* Fills in rows of --targets: the targets of each root, in the order in which they were given. */
static void fill_distances(const void *context, uint64_t begin, uint64_t end, int64_t (*row)[TABLE_FIELDS])
{
    const struct root_tables *t = context;
    for (uint64_t at = begin; at < end; at++) {
        const uint32_t r = (uint32_t)(at / t->target.count);
        const uint64_t i = at % t->target.count;
        row[at - begin][0] = (int64_t)t->ids[r];
        row[at - begin][1] = (int64_t)t->target.ids[i];
        row[at - begin][2] = distance_to(t, r, i);
    }
}

uint64_t root_tables_reached_targets(const struct root_tables *t, uint32_t number, uint64_t *farthest)
{
    uint64_t reached = 0;
    *farthest = 0;
    for (uint64_t i = 0; i < t->target.count; i++) {
        const int64_t distance = distance_to(t, number, i);
        reached += distance >= 0;
        *farthest = distance > (int64_t)*farthest ? (uint64_t)distance : *farthest;
    }
    return reached;
}

/* Sets t->first by the number of rows that each root has in a table: counts[r] or, if `counts` is NULL, the size of its ball if this
 * rank appends it. Returns the number of all rows. */
static uint64_t number_rows(struct root_tables *t, const uint64_t *counts)
{
    for (uint32_t r = 0; r < t->count; r++) {
        const int is_own = r >= t->balls_begin && r < t->balls_end;
        t->first[r + 1] = t->first[r] + (counts != NULL ? counts[r] : is_own ? t->balls.ball[r].count : 0);
    }
    return t->first[t->count];
}

/* ---- tables ---- */

/* Collective. Finds the targets in the graph, and opens t->targets. Ranks may fail alone; the caller agrees. */
static enum status open_targets(struct root_tables *t, const struct args *args, const struct searcher *s,
                                const struct joined_graph *graph, struct error *e)
{
    const uint64_t count = args->target_count;
    t->target.count = count;
    t->target.ids = zeroed(count, sizeof *t->target.ids, "targets", e);
    t->target.root = zeroed(count, sizeof *t->target.root, "targets", e);
    t->target_index = zeroed(count, sizeof *t->target_index, "targets", e);
    if (e->status == ST_OK && s->map != NULL)
        name_map_find(s->map, (const char *const *)args->target_names, count, t->target.ids, e);
    else if (e->status == ST_OK)
        for (uint64_t i = 0; i < count && e->status == ST_OK; i++)
            id_from_user(&s->graph, "target", args->targets[i], &t->target.ids[i], e);
    if (comm_agree(&s->comm, e) != ST_OK || roots_locate(&t->target, &s->rank, e) != ST_OK)
        return e->status;
    for (uint64_t i = 0; i < count; i++)
        t->target_index[i] = joined_vertex(graph, &t->target.root[i]);
    if (batch_targets_open(&t->targets, graph, t->target_index, count, args->batch, e) != ST_OK)
        return e->status;
    if (joined_graph_is_divided(graph))
        memory_take(graph->budget, (void **)&t->all_distances, args->batch * count, 4, "distances to the targets", e);
    for (uint64_t i = 0; i < count; i++) {
        if (t->target_index[i] < JOINED_ELSEWHERE)
            t->target_index[i] = batch_targets_index(&t->targets, t->target_index[i]);
    }
    return ST_OK;
}

/* Opens the file of a table on rank 0, if the table is wanted and nothing has failed before. */
static void open_table(struct batch_table *table, struct error *e)
{
    if (e->status == ST_OK && table->name != NULL && table->comm->rank == 0)
        batch_table_open(table, e);
}

enum status root_tables_open(struct root_tables *t, const struct args *args, const struct searcher *s,
                             const struct joined_graph *graph, int ends_at_targets, struct error *e)
{
    const uint32_t width = answer_id_bytes(graph->shards->manifest.totals.n);
    const struct name_map *map = s->map;
    const struct comm *comm = &s->comm;
    const uint64_t base = s->graph.base;
    t->is_divided = joined_graph_is_divided(graph);
    t->reached = (struct batch_table){.name = args->balls, .columns = "root,id,distance", .fields = 3, .has_vertices = {1, 1, 0},
                                      .width = width, .map = map, .base = base, .comm = comm};
    t->hops = (struct batch_table){.name = args->hops, .columns = "root,distance,vertices", .fields = 3, .has_vertices = {1, 0, 0},
                                   .width = 8, .map = map, .base = base, .comm = comm};
    t->distances = (struct batch_table){.name = args->to_targets, .columns = "root,target,distance", .fields = 3,
                                        .has_vertices = {1, 1, 0}, .matrix_rows = s->roots.count,
                                        .matrix_columns = args->target_count, .width = 4, .map = map, .base = base, .comm = comm};
    if (args->balls != NULL)
        batch_balls_open(&t->balls, graph, s->threads, e);
    if (args->to_targets != NULL && comm_agree(comm, e) == ST_OK)
        open_targets(t, args, s, graph, e);
    t->targets.ends = ends_at_targets;
    open_table(&t->reached, e);
    open_table(&t->hops, e);
    open_table(&t->distances, e);
    return comm_agree(comm, e);
}

void root_tables_receive(struct root_tables *t, struct batch_run *run, const uint64_t *ids)
{
    t->ids = ids;
    t->count = run->count;
    t->balls_begin = 0;
    t->balls_end = run->count;
    run->balls = t->reached.name != NULL ? &t->balls : NULL;
    run->targets = t->distances.name != NULL ? &t->targets : NULL;
    run->hops = t->reached.name != NULL || t->hops.name != NULL ? &t->counts : NULL;
}

enum status root_tables_gather(struct root_tables *t, struct error *e)
{
    const struct comm *comm = t->reached.comm;
    for (uint32_t r = 0; t->all_distances != NULL && r < t->count; r++) {
        for (uint64_t i = 0; i < t->target.count; i++)
            t->all_distances[r * t->target.count + i] = noted_distance(t, r, i);
    }
    if (t->all_distances != NULL)
        comm_max_ids(comm, t->all_distances, 4, t->count * t->target.count);
    if (t->reached.name == NULL)
        return e->status;
    if (t->is_divided) {
        t->balls_begin = batch_balls_of_rank(t->count, comm->rank, comm->ranks);
        t->balls_end = batch_balls_of_rank(t->count, comm->rank + 1, comm->ranks);
        batch_balls_move(&t->balls, t->count, e);
    }
    for (uint32_t r = t->balls_begin; r < t->balls_end && e->status == ST_OK; r++) {
        if (t->balls.ball[r].count == 0) /* the root has no edges */
            batch_balls_isolate(&t->balls, r, t->ids[r]);
    }
    if (e->status == ST_OK && t->balls.has_failed)
        *e = t->balls.error;
    return t->is_divided ? comm_agree(comm, e) : e->status;
}

enum status root_tables_append(struct root_tables *t, struct error *e)
{
    if (t->reached.name != NULL) {
        const uint64_t rows = number_rows(t, NULL);
#pragma omp parallel for schedule(dynamic) if (rows > (1 << 12))
        for (uint32_t r = t->balls_begin; r < t->balls_end; r++)
            batch_balls_sort(&t->balls, r, t->counts.vertices[r], t->counts.levels[r]);
        batch_table_append(&t->reached, rows, fill_reached, t, e);
    }
    const uint64_t appends = !t->is_divided || t->hops.comm->rank == 0; /* all ranks have the same of all roots */
    if (t->hops.name != NULL)
        batch_table_append(&t->hops, appends * number_rows(t, t->counts.levels), fill_hops, t, e);
    if (t->distances.name != NULL)
        batch_table_append(&t->distances, appends * t->count * t->target.count, fill_distances, t, e);
    t->count = t->balls_begin = t->balls_end = 0;
    return e->status;
}

enum status root_tables_commit(struct root_tables *t, struct error *e)
{
    if (batch_table_commit(&t->reached, e) == ST_OK && batch_table_commit(&t->hops, e) == ST_OK)
        batch_table_commit(&t->distances, e);
    return e->status;
}

void root_tables_close(struct root_tables *t)
{
    batch_table_close(&t->reached);
    batch_table_close(&t->hops);
    batch_table_close(&t->distances);
    batch_balls_close(&t->balls);
    batch_hops_close(&t->counts);
    if (t->targets.graph != NULL)
        memory_release(t->targets.graph->budget, t->all_distances);
    batch_targets_close(&t->targets);
    roots_free(&t->target);
    free(t->target_index);
}
