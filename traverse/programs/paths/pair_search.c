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
    uint64_t edges;    /* their edges */
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
    uint64_t edges;
};

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

/* A row of a vertex. */
struct row {
    const struct csr *csr;
    uint64_t row, base; /* base: the number of column 0 */
};

/* The rows that a side reads: along edges from the source, against them from the target. They are the same in a graph
 * without directions. */
static const struct csr *rows_of(const struct shard *shard, enum subgraph g, int side)
{
    return &shard->csr[side == SOURCE ? g : shard_pulled(shard, g)];
}

/* Row i of a vertex: a normal one has 2, a delegate 2 on every shard. */
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

static uint64_t rows_at(const struct pair_search *s, uint64_t vertex)
{
    return vertex < s->delegates ? 2 : 2 * (uint64_t)s->graph->device_count;
}

static uint64_t edges_at(const struct pair_search *s, int side, uint64_t vertex)
{
    uint64_t edges = 0;
    for (uint64_t i = 0; i < rows_at(s, vertex); i++) {
        struct row row = row_of(s, side, vertex, i);
        edges += row.csr->edges > 0 ? csr_row_length(row.csr, row.row) : 0;
    }
    return edges;
}

/* Whether no vertex has many edges, so that a frontier of fewer vertices has about fewer edges. Vertices of a kind lie in the
 * order of their degrees, the largest first. */
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

/* Room for `more` steps. */
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

static uint64_t number_of(const struct pair_search *s, const struct root *root)
{
    return root->at == ROOT_AT_DELEGATE ? s->delegates + root->index
                                        : (uint64_t)root->shard << s->local_bits | root->index;
}

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

static void clear_side(struct pair_search *s, struct side *a)
{
    for (uint64_t i = 0; i < a->count; i++)
        s->marks[a->steps[i].vertex] = 0;
    a->count = 0;
}

/* ---- levels ---- */

/* Vertices of the frontier. */
static uint64_t vertices_of(const struct side *a)
{
    return a->count - a->frontier;
}

/* Chooses the side whose frontier has fewer edges. Edges of the larger frontier are counted only up to those of
 * the smaller one. */
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

/* Finds the step of a vertex in the frontier. */
static uint64_t step_of(const struct side *a, uint64_t vertex)
{
    uint64_t i = a->frontier;
    while (a->steps[i].vertex != vertex)
        i++;
    return i;
}

/* Visits the vertex of a step. *met: it has an edge to the other side. */
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
    if (*met) {
        s->end[side] = step;
        s->end[!side] = step_of(&s->side[!side], look.met);
    }
    return ST_OK;
}

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

/* Lists the vertices of the path from a step back to the first one. */
static uint64_t steps_back(const struct side *a, uint64_t step)
{
    uint64_t count = 1;
    for (; step != NO_STEP; step = a->steps[step].from)
        count++;
    return count;
}

static enum status search(struct pair_search *s, int one_sided, struct pair_result *result, struct error *e)
{
    const struct side *source = &s->side[SOURCE], *target = &s->side[TARGET];
    int met = 0;
    while (!met && source->frontier < source->count && target->frontier < target->count && e->status == ST_OK)
        grow(s, one_sided ? SOURCE : cheaper_side(s), &met, e);
    if (met)
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

static uint64_t input_id(const struct pair_search *s, uint64_t vertex)
{
    const struct graph *graph = s->graph;
    const uint64_t index = vertex >> s->local_bits;
    if (vertex >= s->delegates)
        return original_id(graph, shard_delegate_id(&graph->shards[0], vertex - s->delegates));
    return original_id(graph, local_vertex_id(&graph->shards[index], vertex - (index << s->local_bits)));
}

/* The steps of the last run are still there, behind the new counts. */
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
