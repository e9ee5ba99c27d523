/* root_tables.c: writes the tables of --reached and --hops; see root_tables.h */
#include "root_tables.h"

#include "traverse/engine/answer_ids.h"

#include "formats/base/arith.h"

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

/* Sets t->first by the number of rows that each root has in a table. Returns the number of all rows. */
static uint64_t number_rows(struct root_tables *t, int reached)
{
    for (uint32_t r = 0; r < t->count; r++)
        t->first[r + 1] = t->first[r] + (reached ? t->balls.ball[r].count : t->counts.levels[r]);
    return t->first[t->count];
}

/* ---- tables ---- */

enum status root_tables_open(struct root_tables *t, const struct args *args, const struct joined_graph *graph,
                             const struct name_map *map, const struct comm *comm, int threads, struct error *e)
{
    const uint32_t width = answer_id_bytes(graph->shards->manifest.totals.n);
    t->reached = (struct batch_table){.name = args->balls, .columns = "root,id,distance", .has_vertices = {1, 1, 0},
                                      .width = width, .map = map, .comm = comm};
    t->hops = (struct batch_table){.name = args->hops, .columns = "root,distance,vertices", .has_vertices = {1, 0, 0},
                                   .width = 8, .map = map, .comm = comm};
    if (args->balls != NULL)
        batch_balls_open(&t->balls, graph, threads, e);
    if (e->status == ST_OK && args->balls != NULL && comm->rank == 0)
        batch_table_open(&t->reached, e);
    if (e->status == ST_OK && args->hops != NULL && comm->rank == 0)
        batch_table_open(&t->hops, e);
    return comm_agree(comm, e);
}

void root_tables_receive(struct root_tables *t, struct batch_run *run, const uint64_t *ids)
{
    t->ids = ids;
    t->count = run->count;
    run->balls = t->reached.name != NULL ? &t->balls : NULL;
    run->hops = t->reached.name != NULL || t->hops.name != NULL ? &t->counts : NULL;
}

enum status root_tables_append(struct root_tables *t, struct error *e)
{
    if (t->reached.name != NULL) {
        const uint64_t rows = number_rows(t, 1);
#pragma omp parallel for schedule(dynamic) if (rows > (1 << 12))
        for (uint32_t r = 0; r < t->count; r++)
            batch_balls_sort(&t->balls, r, t->counts.vertices[r], t->counts.levels[r]);
        batch_table_append(&t->reached, rows, fill_reached, t, e);
    }
    if (t->hops.name != NULL)
        batch_table_append(&t->hops, number_rows(t, 0), fill_hops, t, e);
    t->count = 0;
    return e->status;
}

enum status root_tables_commit(struct root_tables *t, struct error *e)
{
    if (batch_table_commit(&t->reached, e) == ST_OK)
        batch_table_commit(&t->hops, e);
    return e->status;
}

void root_tables_close(struct root_tables *t)
{
    batch_table_close(&t->reached);
    batch_table_close(&t->hops);
    batch_balls_close(&t->balls);
    batch_hops_close(&t->counts);
}
