/* pair_cpu.c: searches between pairs on the cores of the host. Each thread works on one pair after the other.
 *
 * The search between a pair has two sides. One side grows from the source, along edges, and the other from the target,
 * against edges. In each step, the side with fewer edges in its frontier grows by a level. A side has found all vertices up
 * to its depth, and the sides have no vertex in common. So the first edge between the sides completes a shortest path,
 * because a shorter path would have been found a level before.
 *
 * The searches read the rows of all shards in place, decoded or packed. The number of a normal vertex is its column in nn,
 * with the shard in the high bits. Delegates have the numbers after those of normal vertices. A search has a mark for each
 * number. At its end, it clears the marks of the vertices that it has found, so the time of a pair depends on the number of
 * visited vertices, and not on n. */
#include "pairs.h"

#include "formats/base/cli.h"
#include "formats/base/progress.h"

#include <stdlib.h>
#include <string.h>

/* SOURCE, TARGET: the two sides. FIRST_CAPACITY: number of steps for which a side has memory at first. */
enum { SOURCE, TARGET, SIDES, FIRST_CAPACITY = 1024 };

/* A step is a found vertex, by number, and the index of the step from which the vertex was found. Step 0 is the source or
 * target. */
struct step {
    uint64_t vertex, from;
};

/* A side of a search: a step for each vertex found from the source, or from the target, in the order of depths. */
struct side {
    struct step *steps;
    uint64_t count, capacity;
    /* index of the first step of the frontier, which ends with the last step of the side */
    uint64_t frontier;
    uint64_t counted;  /* index of the first step of the frontier whose edges are not counted in `edges` yet */
    uint64_t edges;    /* number of edges of the counted steps of the frontier */
    uint64_t met;      /* index of the step at which the path crosses to the other side; set when the sides have met */
};

/* The state of one thread. The thread works on one pair after the other. */
struct pair_search {
    const struct graph *graph;
    struct memory_budget *budget;
    uint64_t delegates; /* number of delegate 0; the other delegates have the numbers after it */
    unsigned local_bits;
    int few_edges_each; /* nonzero: no vertex has many edges (has_few_edges_each) */
    uint8_t *marks; /* a mark for each number of a vertex; 0: not found; otherwise 1 + the side that has found the vertex */
    struct side side[SIDES];
    uint64_t edges; /* number of columns read for the present pair */
};

/* Returns how many bytes the marks of `searches` searches take for the vertices of this shard (pairs.h): one for each number
 * that a local vertex may have and, on shard 0, one for each delegate. `ignored` is not used. */
static uint64_t bytes_needed(const struct shard *shard, int searches, int ignored)
{
    (void)ignored;
    return (uint64_t)searches * ((UINT64_C(1) << shard->local_bits) + (shard->index == 0 ? shard->d : 0));
}

/* ---- rows ---- */

/* A row of a vertex: row number `row` of the subgraph *csr. */
struct row {
    const struct csr *csr;
    uint64_t row, base; /* a column stands for the vertex with the number base + column */
};

/* Returns the number of rows of a vertex. A normal vertex has 2 rows. A delegate has 2 rows on each shard. */
static uint64_t rows_at(const struct pair_search *s, uint64_t vertex)
{
    return vertex < s->delegates ? 2 : 2 * (uint64_t)s->graph->device_count;
}

/* Returns row number i of a vertex, which has rows_at(s, vertex) rows. A normal vertex has rows 0 and 1, on its own shard.
 * A delegate has rows 2k and 2k + 1 on each shard k. Odd rows lead to delegates. The side of the source reads rows along
 * edges, and the side of the target rows against edges, which are the same rows in an undirected graph. */
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

/* Returns the number of edges that a side reads at a vertex: the sum of the lengths of the rows of the vertex. */
static uint64_t edges_at(const struct pair_search *s, int side, uint64_t vertex)
{
    uint64_t edges = 0;
    for (uint64_t i = 0; i < rows_at(s, vertex); i++) {
        struct row row = row_of(s, side, vertex, i);
        edges += row.csr->edges > 0 ? csr_row_length(row.csr, row.row) : 0;
    }
    return edges;
}

/* Returns the input id of the vertex with the number `vertex`. */
static uint64_t input_id(const struct pair_search *s, uint64_t vertex)
{
    const struct graph *graph = s->graph;
    const uint64_t index = vertex >> s->local_bits;
    if (vertex >= s->delegates)
        return original_id(graph, shard_delegate_id(&graph->shards[0], vertex - s->delegates));
    return original_id(graph, local_vertex_id(&graph->shards[index], vertex - (index << s->local_bits)));
}

/* Returns nonzero if no vertex has more than FEW_EDGES edges, so that a frontier with fewer vertices also has fewer edges,
 * more or less. Reads only delegate 0 and the first local vertex of each shard, which have the largest degrees. */
static int has_few_edges_each(const struct pair_search *s)
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

/* Opens the search of a thread: allocates *search, and its marks within the budget. The caller calls close_search for
 * *search even after a failure, when it may be NULL. */
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
    s->few_edges_each = has_few_edges_each(s);
    return memory_take(s->budget, (void **)&s->marks, s->delegates + graph->manifest.d, 1, "marks of vertices", e);
}

/* Frees all memory of the search of a thread. `s` may be NULL, or opened in part. */
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

/* Makes memory for `more` steps after those of side *a, within the budget. If the present array is too small, moves the
 * steps to a larger one. On failure, *a is unchanged. */
static enum status reserve_steps(struct side *a, uint64_t more, struct memory_budget *budget, struct error *e)
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

/* The state while a side reads the edges of one vertex. */
struct reading {
    uint8_t *marks;
    uint8_t own;       /* the mark of the side that reads */
    uint64_t from;     /* the step of the vertex that has the edges */
    struct step *next; /* address of the next new step; there is memory for all vertices of the row */
    uint64_t edges;    /* number of columns read */
    uint64_t last_found; /* the last vertex read that one of the sides had found before */
};

/* Reads an edge to `vertex`. If no side has found this vertex, marks it, and appends a step for it to the side that reads.
 * Otherwise sets r->last_found to it. Returns nonzero if the other side has found it. */
static inline int read_edge(struct reading *r, uint64_t vertex)
{
    uint8_t mark = r->marks[vertex];
    r->edges++;
    if (mark == 0) {
        r->marks[vertex] = r->own;
        *r->next++ = (struct step){vertex, r->from};
        return 0;
    }
    r->last_found = vertex;
    return mark != r->own;
}

/* Reads the edges of a row: first the head columns, then the others, which are raw or packed. Stops at the first edge to a
 * vertex that the other side has found, which then is reading->last_found, and returns nonzero. Otherwise returns 0. Works on a
 * copy of *reading, so that the compiler can keep it in registers. */
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

/* Reads the edges of step number `step` of `side`. Vertices that no side has found become new steps of `side`. Stops at the
 * first edge to a vertex that the other side has found, sets *met to this vertex, and returns nonzero. Adds the number of
 * edges read to s->edges. If memory for steps is short, fails and returns 0. */
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
        if (reserve_steps(a, most, s->budget, e) != ST_OK)
            break;
        reading.next = a->steps + a->count;
        has_met = read_row(&reading, &row);
        a->count = (uint64_t)(reading.next - a->steps);
    }
    s->edges += reading.edges;
    *met = reading.last_found;
    return has_met;
}

/* Grows `side` (SOURCE or TARGET) by a level: reads the edges of its whole frontier, and makes the found vertices the next
 * frontier. Returns 0. If an edge leads to a vertex of the other side, stops at this edge, sets `met` of both sides, and
 * returns nonzero.
 *
 * The vertex at which the sides meet must be in the frontier of the other side. If it were nearer to the start of the other
 * side, the other side would have read the edge before, from this vertex. So if the vertex is not in that frontier, the
 * edge is missing in the rows of one end, and the function fails. */
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

/* Returns the side that is to grow next: the side with fewer edges in its frontier. Counts edges of the larger frontier only
 * until they exceed those of the smaller one. Keeps the counts in `counted` and `edges` of both sides. If no vertex has many
 * edges (s->few_edges_each), compares the numbers of vertices instead. */
static int cheaper_side(struct pair_search *s)
{
    struct side *source = &s->side[SOURCE], *target = &s->side[TARGET];
    if (s->few_edges_each)
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

/* Starts a side at a root with edges: marks the root, and makes it step 0 and the frontier. The side must not have any
 * steps. */
static enum status start_side(struct pair_search *s, int side, const struct root *root, struct error *e)
{
    struct side *a = &s->side[side];
    const uint64_t vertex = root->at == ROOT_AT_DELEGATE ? s->delegates + root->index
                                                         : (uint64_t)root->shard << s->local_bits | root->index;
    a->frontier = a->counted = a->edges = 0;
    if (reserve_steps(a, 1, s->budget, e) != ST_OK)
        return e->status;
    a->steps[a->count++] = (struct step){vertex, 0};
    s->marks[vertex] = (uint8_t)(1 + side);
    return ST_OK;
}

/* Returns the number of vertices on the path from step a->met, at which the sides have met, back to step 0, both
 * included. */
static uint64_t steps_back(const struct side *a)
{
    uint64_t count = 1;
    for (uint64_t step = a->met; step != 0; step = a->steps[step].from)
        count++;
    return count;
}

/* Searches between the vertices ends[0] and ends[1], and fills *result. Grows one side after the other, or only that of the
 * source if `one_sided` is 1, until the sides meet, or until a frontier is empty. No search is needed if both ends are the
 * same vertex (distance 0), or if an end has no edges (no path). At the end, clears all marks, but leaves the steps in
 * memory for write_path. After a failure, the result is not to be used. */
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

/* Writes the path, as input ids from the source to the target, to ids[distance + 1]. The distance is at least 1. Called
 * after search_pair has found a path, and before this thread starts its next search. */
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

/* Searches between all pairs of this rank. Each thread opens a search, and works on one pair after the other. Stores the
 * results and the wanted paths in *pairs. A thread that fails searches no more, and its failure is stored in *e. `none` is
 * not used. */
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
        fail_thread(e, &mine);
    }
    return e->status;
}

const struct pair_backend pair_cpu = {.name = "cpu", .bytes_needed = bytes_needed, .run = run};
