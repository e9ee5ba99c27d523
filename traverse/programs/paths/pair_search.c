/* pair_search.c: see pair_search.h */
#include "pair_search.h"
#include "row_look.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCE, TARGET, SIDES, FIRST_ROOM = 1024, NO_STEP = 0 };

/* The search from one of the two vertices: a step for each found vertex, by depth. */
struct side {
    struct step *steps;
    uint64_t count, capacity;
    uint64_t frontier; /* the first step of the frontier, which ends with the last step */
    uint64_t counted;  /* the end of the steps of the frontier whose edges are counted */
    uint64_t edges;    /* edges of the counted steps */
};

struct pair_search {
    const struct graph *graph;
    struct memory_budget *budget;
    uint64_t delegates; /* the number of delegate 0 */
    unsigned local_bits;
    int even; /* no vertex has many edges */
    uint8_t *marks; /* by number: 0, or 1 + the side that has found it */
    struct side side[SIDES];
    uint64_t end[SIDES]; /* the steps from which the path leads to both vertices */
    uint64_t edges; /* columns that this run has read */
};

/* Returns how many vertex numbers a shard accounts for: its local numbers, and on shard 0 those of all delegates,
 * too. */
static uint64_t numbers_of_shard(const struct shard *shard)
{
    return (UINT64_C(1) << shard->local_bits) + (shard->index == 0 ? shard->d : 0);
}

uint64_t pair_search_takes(const struct shard *shard, int searches, int ignored)
{
    (void)ignored;
    return (uint64_t)searches * numbers_of_shard(shard);
}

/* ---- rows ---- */

/* A row of a vertex: row `row` of csr. */
struct row {
    const struct csr *csr;
    uint64_t row, base; /* base: the vertex number of column 0, added to each column */
};

/* Returns the rows of subgraph g that the search of `side` (SOURCE or TARGET) reads on a shard: the source's search
 * follows edges, the target's goes against them. Both are the same rows in a graph without directions. */
static const struct csr *rows_of(const struct shard *shard, enum subgraph g, int side)
{
    return &shard->csr[side == SOURCE ? g : shard_pulled(shard, g)];
}

/* Returns row i of a vertex, by number, for the search of `side` (SOURCE or TARGET). A normal vertex has the rows i =
 * 0, 1 on its own shard; a delegate has the rows 2k and 2k + 1 on each shard k. See rows_at for the number of rows. */
static struct row row_of(const struct pair_search *s, int side, uint64_t vertex, uint64_t i)
{
    const int normal = vertex < s->delegates;
    const uint64_t index = normal ? vertex >> s->local_bits : i / 2;
    const struct shard *shard = &s->graph->shards[index];
    if (normal)
        return (struct row){rows_of(shard, i == 0 ? NN : ND, side), vertex - (index << s->local_bits),
                            i == 0 ? 0 : s->delegates};
    return (struct row){rows_of(shard, i % 2 == 0 ? DN : DD, side), vertex - s->delegates,
                        i % 2 == 0 ? index << s->local_bits : s->delegates};
}

/* Returns how many rows a vertex has: 2 for a normal vertex, 2 for each shard for a delegate. */
static uint64_t rows_at(const struct pair_search *s, uint64_t vertex)
{
    return vertex < s->delegates ? 2 : 2 * (uint64_t)s->graph->device_count;
}

/* Returns the number of edges that the search of `side` (SOURCE or TARGET) reads at a vertex: the lengths of all its
 * rows. */
static uint64_t edges_at(const struct pair_search *s, int side, uint64_t vertex)
{
    uint64_t edges = 0;
    for (uint64_t i = 0; i < rows_at(s, vertex); i++) {
        struct row row = row_of(s, side, vertex, i);
        edges += row.csr->edges > 0 ? csr_row_length(row.csr, row.row) : 0;
    }
    return edges;
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

/* ---- opening ---- */

enum status pair_search_open(struct pair_search **search, const struct graph *graph, struct memory_budget *budget,
                             struct error *e)
{
    struct pair_search *s = *search = calloc(1, sizeof *s);
    if (s == NULL)
        return fail_memory(e, "searches", sizeof *s);
    s->graph = graph;
    s->budget = budget;
    s->local_bits = graph->shards[0].local_bits;
    s->delegates = (uint64_t)graph->device_count << s->local_bits;
    s->even = is_even(s);
    memory_take(budget, (void **)&s->marks, s->delegates + graph->manifest.d, 1, "marks of vertices", e);
    return e->status;
}

void pair_search_close(struct pair_search *s)
{
    if (s == NULL)
        return;
    for (int i = 0; i < SIDES; i++)
        memory_release(s->budget, s->side[i].steps);
    memory_release(s->budget, s->marks);
    free(s);
}

/* ---- steps ---- */

/* Grows the array of steps of `a`, one side of the search, until `more` further steps fit behind the present ones. */
static enum status reserve(struct pair_search *s, struct side *a, uint64_t more, struct error *e)
{
    struct step *grown;
    uint64_t capacity = a->capacity > 0 ? a->capacity : FIRST_ROOM;
    if (a->count + more <= a->capacity)
        return ST_OK;
    while (capacity < a->count + more)
        capacity *= 2;
    if (memory_take(s->budget, (void **)&grown, capacity, sizeof *grown, "vertices that were found", e) != ST_OK)
        return e->status;
    if (a->count > 0)
        memcpy(grown, a->steps, a->count * sizeof *grown);
    memory_release(s->budget, a->steps);
    a->steps = grown;
    a->capacity = capacity;
    return ST_OK;
}

/* Returns the number of a root, which must have edges: that of a delegate, or its shard and local index. */
static uint64_t number_of(const struct pair_search *s, const struct root *root)
{
    return root->at == ROOT_AT_DELEGATE ? s->delegates + root->index
                                        : (uint64_t)root->shard << s->local_bits | root->index;
}

/* Starts the search of side i (SOURCE or TARGET) at a root: the root becomes step 0, is marked, and is the frontier. */
static enum status start_side(struct pair_search *s, int i, const struct root *root, struct error *e)
{
    struct side *a = &s->side[i];
    a->frontier = a->counted = a->edges = 0;
    if (reserve(s, a, 1, e) != ST_OK)
        return e->status;
    a->steps[a->count++] = (struct step){number_of(s, root), NO_STEP};
    s->marks[a->steps[0].vertex] = (uint8_t)(1 + i);
    return ST_OK;
}

/* Clears the marks of all vertices that side `a` has found, and empties its list of steps, at the end of a run. The
 * steps stay in memory for pair_search_path. */
static void clear_side(struct pair_search *s, struct side *a)
{
    for (uint64_t i = 0; i < a->count; i++)
        s->marks[a->steps[i].vertex] = 0;
    a->count = 0;
}

/* ---- levels ---- */

/* Returns the number of vertices in the frontier of side `a`. */
static uint64_t vertices_of(const struct side *a)
{
    return a->count - a->frontier;
}

/* Returns the side (SOURCE or TARGET) whose frontier has fewer edges, which grows next. Edges of the larger frontier
 * are counted only until they exceed the edges of the smaller one; counts are kept in `counted` and `edges` of a side.
 * If no vertex has many edges (s->even), vertices are compared instead. */
static int cheaper_side(struct pair_search *s)
{
    if (s->even)
        return vertices_of(&s->side[SOURCE]) <= vertices_of(&s->side[TARGET]) ? SOURCE : TARGET;
    for (;;) {
        int least = s->side[SOURCE].edges <= s->side[TARGET].edges ? SOURCE : TARGET;
        struct side *a = &s->side[least];
        if (a->counted == a->count)
            return least;
        a->edges += edges_at(s, least, a->steps[a->counted++].vertex);
    }
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

/* Ends the search at a step of `side` whose vertex has an edge to `vertex`, which the other side has found: sets
 * s->end. `vertex` is in the other side's frontier: had the other side visited `vertex` before, it would have found the
 * vertex of this step by the same edge. Fails if `vertex` is not there, as the graph then has the edge in one direction
 * only. */
static enum status meet(struct pair_search *s, int side, uint64_t step, uint64_t vertex, struct error *e)
{
    const struct side *other = &s->side[!side];
    uint64_t i = other->frontier;
    while (i < other->count && other->steps[i].vertex != vertex)
        i++;
    if (i == other->count)
        return pair_runs_one_way(s->graph, input_id(s, s->side[side].steps[step].vertex), input_id(s, vertex), e);
    s->end[side] = step;
    s->end[!side] = i;
    return ST_OK;
}

/* Looks at all edges of the vertex of a step of `side`: vertices that no side has found become new steps of `side`.
 * If an edge leads to a vertex of the other side, sets *met and s->end, and stops there. */
static enum status visit(struct pair_search *s, int side, uint64_t step, int *met, struct error *e)
{
    struct side *a = &s->side[side];
    const uint64_t vertex = a->steps[step].vertex;
    struct look look = {.marks = s->marks, .own = (uint8_t)(1 + side), .from = step};
    for (uint64_t i = 0; i < rows_at(s, vertex) && !*met; i++) {
        struct row row = row_of(s, side, vertex, i);
        uint64_t most = row.csr->edges > 0 ? csr_row_length(row.csr, row.row) : 0;
        if (most == 0)
            continue;
        if (reserve(s, a, most, e) != ST_OK)
            return e->status;
        look.next = a->steps + a->count;
        *met = look_at_row(&look, row.csr, row.row, row.base);
        a->count = (uint64_t)(look.next - a->steps);
    }
    s->edges += look.edges;
    return *met ? meet(s, side, step, look.met, e) : ST_OK;
}

/* Grows `side` (SOURCE or TARGET) by a level: visits its whole frontier, and makes the found vertices the next
 * frontier. If the sides meet, sets *met, stops, and leaves the frontier as it is. */
static enum status grow(struct pair_search *s, int side, int *met, struct error *e)
{
    struct side *a = &s->side[side];
    const uint64_t end = a->count;
    for (uint64_t i = a->frontier; i < end && !*met && e->status == ST_OK; i++) {
        visit(s, side, i, met, e);
    }
    if (!*met) {
        a->frontier = a->counted = end;
        a->edges = 0;
    }
    return e->status;
}

/* Returns the number of vertices on the path from a step back to the first step, both included. */
static uint64_t steps_back(const struct side *a, uint64_t step)
{
    uint64_t count = 1;
    for (; step != NO_STEP; step = a->steps[step].from)
        count++;
    return count;
}

/* Grows one side after the other until the sides meet or a frontier is empty. Both sides must have been started. If
 * they meet, sets result->found to the number of vertices of the path. */
static enum status search(struct pair_search *s, int one_sided, struct pair_result *result, struct error *e)
{
    const struct side *source = &s->side[SOURCE], *target = &s->side[TARGET];
    int met = 0;
    while (!met && source->frontier < source->count && target->frontier < target->count && e->status == ST_OK)
        grow(s, one_sided ? SOURCE : cheaper_side(s), &met, e);
    if (met && e->status == ST_OK)
        result->found = steps_back(source, s->end[SOURCE]) + steps_back(target, s->end[TARGET]);
    return e->status;
}

/* ---- a pair ---- */

enum status pair_search_run(struct pair_search *s, const struct root *source, const struct root *target,
                            int one_sided, struct pair_result *result, struct error *e)
{
    double start = cli_seconds();
    *result = (struct pair_result){0};
    s->edges = 0;
    if (source->at != ROOT_AT_ISOLATED && target->at != ROOT_AT_ISOLATED && source->id != target->id &&
        start_side(s, SOURCE, source, e) == ST_OK && start_side(s, TARGET, target, e) == ST_OK)
        search(s, one_sided, result, e);
    result->found += source->id == target->id;
    result->edges = s->edges;
    result->vertices = s->side[SOURCE].count + s->side[TARGET].count;
    for (int i = 0; i < SIDES; i++)
        clear_side(s, &s->side[i]);
    result->nanoseconds = (uint64_t)(1e9 * (cli_seconds() - start));
    return e->status;
}

/* See pair_search.h. Reads the steps of the last run, which clear_side leaves in memory. */
void pair_search_path(const struct pair_search *s, uint64_t *ids)
{
    const struct side *source = &s->side[SOURCE], *target = &s->side[TARGET];
    const uint64_t first = steps_back(source, s->end[SOURCE]);
    uint64_t step = s->end[SOURCE];
    for (uint64_t i = first; i > 0; step = source->steps[step].from)
        ids[--i] = input_id(s, source->steps[step].vertex);
    step = s->end[TARGET];
    for (uint64_t i = first, end = first + steps_back(target, step); i < end; step = target->steps[step].from)
        ids[i++] = input_id(s, target->steps[step].vertex);
}
