/* pair_cpu.c: searches between pairs on the cores of the host: each thread takes one pair after the other.
 *
 * One search grows from the source, along edges, the other from the target, against them. In each step the search whose
 * frontier has fewer edges grows by a level. Both searches, the two sides, have all vertices up to their depths, and no
 * vertex in common. So the first edge between them closes a shortest path: a shorter one would have been found a level
 * before.
 *
 * The searches read rows of all shards in place, decoded or packed. The number of a normal vertex is its nn column, so it
 * has the shard in its high bits; delegates have numbers after all of these. The state is a mark for each number. Marks are
 * cleared by the lists of found vertices, so the time of a pair follows its visits, and not n. */
#include "pairs.h"

#include "formats/base/cli.h"
#include "formats/base/progress.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCE, TARGET, SIDES, FIRST_CAPACITY = 1024 };

/* A found vertex, by number, and the index of the step whose vertex found it. Step 0 of a side is its source or target. */
struct step {
    uint64_t vertex, from;
};

/* The search from one of the two vertices: a step for each found vertex, by depth. */
struct side {
    struct step *steps;
    uint64_t count, capacity;
    uint64_t frontier; /* the first step of the frontier, which ends with the last step */
    uint64_t counted;  /* the end of the steps of the frontier whose edges are counted */
    uint64_t edges;    /* edges of the counted steps */
    uint64_t met;      /* the step at which the path crosses to the other side, once both sides have met */
};

struct pair_search {
    const struct graph *graph;
    struct memory_budget *budget;
    uint64_t delegates; /* the number of delegate 0 */
    unsigned local_bits;
    int even; /* no vertex has many edges */
    uint8_t *marks; /* by number: 0, or 1 + the side that has found the vertex */
    struct side side[SIDES];
    uint64_t edges; /* columns that this run has read */
};

/* Returns the bytes that `searches` open searches take at first, for the vertices of this shard: a mark for each local
 * number and, on shard 0, for each delegate. `ignored` is unused. */
static uint64_t bytes_needed(const struct shard *shard, int searches, int ignored)
{
    (void)ignored;
    return (uint64_t)searches * ((UINT64_C(1) << shard->local_bits) + (shard->index == 0 ? shard->d : 0));
}

/* ---- rows ---- */

/* A row of a vertex: row `row` of csr. */
struct row {
    const struct csr *csr;
    uint64_t row, base; /* base: the vertex number of column 0, added to each column */
};

/* Returns how many rows a vertex has: 2 for a normal vertex, 2 for each shard for a delegate. */
static uint64_t rows_at(const struct pair_search *s, uint64_t vertex)
{
    return vertex < s->delegates ? 2 : 2 * (uint64_t)s->graph->device_count;
}

/* Returns row i, below rows_at, of a vertex. A normal vertex has rows 0 and 1 on its own shard, a delegate has rows 2k and
 * 2k + 1 on each shard k; odd rows lead to delegates. The source's side follows edges, and the target's side goes against
 * them; both read the same rows in a graph without directions. */
static struct row row_of(const struct pair_search *s, int side, uint64_t vertex, uint64_t i)
{
    const int normal = vertex < s->delegates, to_delegates = (int)(i % 2);
    const uint64_t index = normal ? vertex >> s->local_bits : i / 2, first = index << s->local_bits;
    const struct shard *shard = &s->graph->shards[index];
    const enum subgraph g = normal ? (to_delegates ? ND : NN) : (to_delegates ? DD : DN);
    return (struct row){&shard->csr[side == SOURCE ? g : shard_pulled(shard, g)],
                        vertex - (normal ? first : s->delegates),
                        to_delegates ? s->delegates : normal ? 0 : first};
}

/* Returns the number of edges that a side reads at a vertex: the lengths of all rows of the vertex. */
static uint64_t edges_at(const struct pair_search *s, int side, uint64_t vertex)
{
    uint64_t edges = 0;
    for (uint64_t i = 0; i < rows_at(s, vertex); i++) {
        struct row row = row_of(s, side, vertex, i);
        edges += row.csr->edges > 0 ? csr_row_length(row.csr, row.row) : 0;
    }
    return edges;
}

/* Returns the input id of a vertex, given by its number. */
static uint64_t input_id(const struct pair_search *s, uint64_t vertex)
{
    const struct graph *graph = s->graph;
    const uint64_t index = vertex >> s->local_bits;
    if (vertex >= s->delegates)
        return original_id(graph, shard_delegate_id(&graph->shards[0], vertex - s->delegates));
    return original_id(graph, local_vertex_id(&graph->shards[index], vertex - (index << s->local_bits)));
}

/* Returns nonzero if no vertex has many edges, so that the frontier with fewer vertices also has about fewer edges.
 * Only delegate 0 and the first local vertex of each shard are read, as delegates and local vertices lie in the order of
 * their degrees, the largest first. */
static int is_even(const struct pair_search *s)
{
    enum { FEW_EDGES = 16 };
    const struct graph *graph = s->graph;
    for (int side = 0; side < SIDES; side++) {
        if (graph->manifest.d > 0 && edges_at(s, side, s->delegates) > FEW_EDGES)
            return 0;
        for (uint32_t i = 0; i < graph->device_count; i++) {
            if (graph->shards[i].locals > 0 && edges_at(s, side, (uint64_t)i << s->local_bits) > FEW_EDGES)
                return 0;
        }
    }
    return 1;
}

/* Opens the search of a thread. After a failure, too, *search is to be closed. */
static enum status open_search(struct pair_search **search, const struct pair_job *job, struct error *e)
{
    const struct graph *graph = job->graph;
    struct pair_search *s = *search = calloc(1, sizeof *s);
    if (s == NULL)
        return fail_memory(e, "searches", sizeof *s);
    s->graph = graph;
    s->budget = job->budget;
    s->local_bits = graph->shards[0].local_bits;
    s->delegates = (uint64_t)graph->device_count << s->local_bits;
    s->even = is_even(s);
    return memory_take(s->budget, (void **)&s->marks, s->delegates + graph->manifest.d, 1, "marks of vertices", e);
}

/* Closes the search of a thread; NULL is allowed. */
static void close_search(struct pair_search *s)
{
    if (s == NULL)
        return;
    for (int i = 0; i < SIDES; i++)
        memory_release(s->budget, s->side[i].steps);
    memory_release(s->budget, s->marks);
    free(s);
}

/* ---- a level ---- */

/* Grows the array of steps of a side until `more` further steps fit behind the present ones. */
static enum status reserve(struct side *a, uint64_t more, struct memory_budget *budget, struct error *e)
{
    struct step *grown;
    uint64_t capacity = a->capacity > 0 ? a->capacity : FIRST_CAPACITY;
    if (a->count + more <= a->capacity)
        return ST_OK;
    while (capacity < a->count + more)
        capacity *= 2;
    if (memory_take(budget, (void **)&grown, capacity, sizeof *grown, "vertices that were found", e) != ST_OK)
        return e->status;
    if (a->count > 0)
        memcpy(grown, a->steps, a->count * sizeof *grown);
    memory_release(budget, a->steps);
    a->steps = grown;
    a->capacity = capacity;
    return ST_OK;
}

/* The reading of the edges of one vertex by a side. */
struct reading {
    uint8_t *marks;
    uint8_t own;       /* the mark of the side */
    uint64_t from;     /* the step of the vertex */
    struct step *next; /* found vertices go here; there is memory for all of the row */
    uint64_t edges;    /* columns read */
    uint64_t met;      /* the last vertex read that either side had found before */
};

/* Reads an edge to `vertex`. A vertex that no side has found is marked and becomes a step. Otherwise sets r->met. Returns
 * nonzero if the other side has found the vertex. */
static inline int read_edge(struct reading *r, uint64_t vertex)
{
    uint8_t mark = r->marks[vertex];
    r->edges++;
    if (mark == 0) {
        r->marks[vertex] = r->own;
        *r->next++ = (struct step){vertex, r->from};
        return 0;
    }
    r->met = vertex;
    return mark != r->own;
}

/* Reads the edges of a row: its head columns, and then the other columns, raw or packed. Stops and returns nonzero at the
 * first edge that leads to a vertex of the other side, reading->met. *reading is kept in registers meanwhile. */
static inline int read_row(struct reading *reading, const struct row *of)
{
    const struct csr *csr = of->csr;
    const uint64_t row = of->row, base = of->base, end = csr_offset(csr, row + 1);
    const int packed = csr->packed.words != NULL;
    uint64_t at = csr_offset(csr, row);
    struct reading r = *reading;
    uint32_t column = 0;
    int met = 0;
    for (uint64_t j = 0; j < csr->head_columns && !met && column != HEAD_NONE; j++) {
        column = csr->heads[j * csr->rows + row];
        met = column != HEAD_NONE && read_edge(&r, base + column);
    }
    for (; !packed && at < end && !met; at++)
        met = read_edge(&r, base + csr_column(csr, at));
    while (at < end && !met) {
        struct packed_span span = csr_span(csr, row, at);
        struct packed_reader reader = packed_read_at(&csr->packed, &span);
        const uint64_t block_end = (at / PACKED_BLOCK + 1) * PACKED_BLOCK;
        for (; at < block_end && at < end && !met; at++)
            met = read_edge(&r, base + packed_next(&reader));
    }
    *reading = r;
    return met;
}

/* Reads all edges of the vertex of a step of `side`: vertices that no side has found become new steps of `side`. If an
 * edge leads to a vertex of the other side, sets *met to this vertex, stops there, and returns nonzero. */
static int visit(struct pair_search *s, int side, uint64_t step, uint64_t *met, struct error *e)
{
    struct side *a = &s->side[side];
    const uint64_t vertex = a->steps[step].vertex;
    struct reading reading = {.marks = s->marks, .own = (uint8_t)(1 + side), .from = step};
    int has_met = 0;
    for (uint64_t i = 0; i < rows_at(s, vertex) && !has_met; i++) {
        struct row row = row_of(s, side, vertex, i);
        uint64_t most = row.csr->edges > 0 ? csr_row_length(row.csr, row.row) : 0;
        if (most == 0)
            continue;
        if (reserve(a, most, s->budget, e) != ST_OK)
            break;
        reading.next = a->steps + a->count;
        has_met = read_row(&reading, &row);
        a->count = (uint64_t)(reading.next - a->steps);
    }
    s->edges += reading.edges;
    *met = reading.met;
    return has_met;
}

/* Grows `side` (SOURCE or TARGET) by a level: visits its whole frontier, and makes the found vertices the next frontier. If
 * an edge leads to a vertex of the other side, stops, sets `met` of both sides, and returns nonzero. That vertex is in the
 * other side's frontier: had the other side visited the vertex, the same edge would have led it to this side's vertex. Fails
 * if the vertex is not in that frontier, as the graph then has the edge in one direction only. */
static int grow(struct pair_search *s, int side, struct error *e)
{
    struct side *a = &s->side[side], *other = &s->side[!side];
    const uint64_t end = a->count;
    uint64_t i = a->frontier, k = other->frontier, met;
    for (; i < end && e->status == ST_OK; i++) {
        if (!visit(s, side, i, &met, e))
            continue;
        while (k < other->count && other->steps[k].vertex != met)
            k++;
        if (k == other->count)
            pairs_one_way(s->graph, input_id(s, a->steps[i].vertex), input_id(s, met), e);
        a->met = i;
        other->met = k;
        return 1;
    }
    a->frontier = a->counted = end;
    a->edges = 0;
    return 0;
}

/* Returns the side (SOURCE or TARGET) whose frontier has fewer edges, which grows next. Edges of the larger frontier
 * are counted only until they exceed the edges of the smaller one; counts are kept in `counted` and `edges` of a side.
 * If no vertex has many edges (s->even), vertices are compared instead. */
static int cheaper_side(struct pair_search *s)
{
    struct side *source = &s->side[SOURCE], *target = &s->side[TARGET];
    if (s->even)
        return source->count - source->frontier <= target->count - target->frontier ? SOURCE : TARGET;
    for (;;) {
        int least = source->edges <= target->edges ? SOURCE : TARGET;
        struct side *a = &s->side[least];
        if (a->counted == a->count)
            return least;
        a->edges += edges_at(s, least, a->steps[a->counted++].vertex);
    }
}

/* ---- a pair ---- */

/* Starts a side at a root, which has edges: the root becomes step 0, is marked, and is the frontier. */
static enum status start_side(struct pair_search *s, int side, const struct root *root, struct error *e)
{
    struct side *a = &s->side[side];
    const uint64_t vertex = root->at == ROOT_AT_DELEGATE ? s->delegates + root->index
                                                         : (uint64_t)root->shard << s->local_bits | root->index;
    a->frontier = a->counted = a->edges = 0;
    if (reserve(a, 1, s->budget, e) != ST_OK)
        return e->status;
    a->steps[a->count++] = (struct step){vertex, 0};
    s->marks[vertex] = (uint8_t)(1 + side);
    return ST_OK;
}

/* Returns the number of vertices on the path from the step where the sides met back to the first step, both included. */
static uint64_t steps_back(const struct side *a)
{
    uint64_t count = 1;
    for (uint64_t step = a->met; step != 0; step = a->steps[step].from)
        count++;
    return count;
}

/* Searches between two vertices, and fills *result: grows one side after the other until the sides meet or a frontier is
 * empty. `one_sided`: only the source's side grows. Clears all marks at the end; steps stay in memory for write_path. */
static enum status search_pair(struct pair_search *s, const struct root *ends, int one_sided,
                               struct pair_result *result, struct error *e)
{
    struct side *source = &s->side[SOURCE], *target = &s->side[TARGET];
    const double start = cli_seconds();
    *result = (struct pair_result){.found = ends[0].id == ends[1].id};
    s->edges = 0;
    if (ends[0].at != ROOT_AT_ISOLATED && ends[1].at != ROOT_AT_ISOLATED && !result->found &&
        start_side(s, SOURCE, &ends[0], e) == ST_OK && start_side(s, TARGET, &ends[1], e) == ST_OK) {
        int met = 0;
        while (!met && source->frontier < source->count && target->frontier < target->count && e->status == ST_OK)
            met = grow(s, one_sided ? SOURCE : cheaper_side(s), e);
        if (met && e->status == ST_OK)
            result->found = steps_back(source) + steps_back(target);
    }
    result->edges = s->edges;
    result->vertices = source->count + target->count;
    for (int i = 0; i < SIDES; i++) {
        for (uint64_t k = 0; k < s->side[i].count; k++)
            s->marks[s->side[i].steps[k].vertex] = 0;
        s->side[i].count = 0;
    }
    result->nanoseconds = (uint64_t)(1e9 * (cli_seconds() - start));
    return e->status;
}

/* After a search that found a path: writes the input ids of its vertices, distance + 1 of them, from the source on, to
 * `ids`. */
static void write_path(const struct pair_search *s, uint64_t *ids)
{
    const struct side *source = &s->side[SOURCE], *target = &s->side[TARGET];
    const uint64_t middle = steps_back(source), end = middle + steps_back(target);
    uint64_t step = source->met;
    for (uint64_t i = middle; i > 0; step = source->steps[step].from)
        ids[--i] = input_id(s, source->steps[step].vertex);
    step = target->met;
    for (uint64_t i = middle; i < end; step = target->steps[step].from)
        ids[i++] = input_id(s, target->steps[step].vertex);
}

/* The `run` of pair_cpu: searches between all pairs of this rank. Each thread opens a search, takes one pair after the
 * other, and keeps results and wanted paths in *pairs; after a failure it takes no further pair. `none` is unused, as this
 * backend has no state. */
static enum status run(struct pair_searches *none, struct pairs *pairs, struct error *e)
{
    const struct pair_job *job = pairs->job;
    const uint64_t count = pairs->count, rank = job->comm->rank, ranks = job->comm->ranks;
    (void)none;
#pragma omp parallel num_threads(job->threads)
    {
        struct pair_search *search = NULL;
        struct error mine = {0};
        open_search(&search, job, &mine);
#pragma omp for schedule(dynamic, 1)
        for (uint64_t i = rank; i < count; i += ranks) {
            if (mine.status != ST_OK)
                continue;
            if (search_pair(search, &job->roots->root[2 * i], job->one_sided, &pairs->result[i], &mine) == ST_OK &&
                pairs_take_path(pairs, i, &mine) == ST_OK && pairs->path != NULL && pairs->result[i].found > 1)
                write_path(search, pairs->path[i]);
            progress_add(1);
        }
        close_search(search);
#pragma omp critical
        if (mine.status != ST_OK)
            fail(e, mine.status, "%s", mine.text);
    }
    return e->status;
}

const struct pair_backend pair_cpu = {.name = "cpu", .bytes_needed = bytes_needed, .run = run};
