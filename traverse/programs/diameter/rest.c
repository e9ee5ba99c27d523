/* rest.c: finds the strong components of the vertices outside of the core, and bounds their distances (rest.h) */
#include "rest.h"

#include "formats/base/arith.h"

#include <stdlib.h>
#include <string.h>

/* Bits of a vertex: z reaches it; it reaches z. Vertices with both are the core. */
enum { REACHED = 1, REACHES = 2, IN_CORE = REACHED | REACHES };

/* Edges within components: those of member i lead to to[first[i]] to to[first[i + 1] - 1]. */
struct inner_edges {
    uint64_t *first; /* [R + 2] the last element is used only while the edges are made */
    uint32_t *to;
};

/* What is needed to find the rest. Vertices are numbered as in the joined graph. */
struct building {
    struct rest *rest;
    const struct joined_graph *all;
    uint8_t *side;       /* [vertices] bits */
    uint32_t *component; /* [vertices] REST_CORE: the core, or not yet known */
    /* [vertices] in find_components: the low link (Tarjan), the least number in the order of visits that the vertex is known to reach; 0: not
     * visited. From choose_pivots on: the number of the member */
    uint32_t *place;
    uint32_t *stack;     /* [R] vertices on the stack of components, then a queue */
    uint32_t *path;      /* [R] the path to the present vertex */
    uint32_t *entered;   /* [R] the number in the order of visits of each vertex of the path */
    uint64_t *next;      /* [R] the next edge of each vertex of the path */
    struct inner_edges inner[2]; /* along the edges, and against them */
    uint64_t outer;      /* edges between components */
};

/* Returns the index (root_search.h) of a vertex of the joined graph. */
static uint32_t index_of(const struct joined_graph *all, uint32_t v)
{
    const uint64_t delegates = all->shards->manifest.d;
    return (uint32_t)(v < delegates ? all->vertices - delegates + v : v - delegates);
}

/* Returns whether an edge from v, which is not in the core, to w is one of the rest. An edge from v to the core is none, as v reaches z. */
static inline int is_edge(const struct building *b, uint32_t v, uint32_t w)
{
    return !((b->side[v] & REACHES) && (b->side[w] & REACHED));
}

/* Allocates b->side, and sets for each vertex whether z reaches it (REACHED) and whether it reaches z (REACHES): both in the core. Counts the
 * others in b->rest->count. The distances from z and to it are -1 where there is no path. */
static enum status find_sides(struct building *b, const int32_t *along, const int32_t *against, struct error *e)
{
    const struct joined_graph *all = b->all;
    if (memory_take(all->budget, (void **)&b->side, all->vertices, 1, "sides of the core", e) != ST_OK)
        return e->status;
    for (uint64_t v = 0; v < all->vertices; v++) {
        const uint32_t index = index_of(all, (uint32_t)v);
        b->side[v] = (uint8_t)((along[index] >= 0 ? REACHED : 0) | (against[index] >= 0 ? REACHES : 0));
        b->rest->count += b->side[v] != IN_CORE;
    }
    return ST_OK;
}

/* Allocates the arrays that components are found in. */
static enum status take_arrays(struct building *b, struct error *e)
{
    struct rest *rest = b->rest;
    const uint64_t vertices = b->all->vertices, count = rest->count;
    static const char *const what = "strong components";
    memory_take(rest->budget, (void **)&rest->component, vertices, 4, what, e);
    memory_take(rest->budget, (void **)&rest->member, count, 4, what, e);
    memory_take(rest->budget, (void **)&rest->first, count + 1, 4, what, e);
    memory_take(rest->budget, (void **)&rest->distance[0], count, 4, what, e);
    memory_take(rest->budget, (void **)&rest->distance[1], count, 4, what, e);
    memory_take(rest->budget, (void **)&b->component, vertices, 4, what, e);
    memory_take(rest->budget, (void **)&b->place, vertices, 4, what, e);
    memory_take(rest->budget, (void **)&b->stack, count, 4, what, e);
    memory_take(rest->budget, (void **)&b->path, count, 4, what, e);
    memory_take(rest->budget, (void **)&b->entered, count, 4, what, e);
    memory_take(rest->budget, (void **)&b->next, count, 8, what, e);
    memory_take(rest->budget, (void **)&b->inner[0].first, count + 2, 8, what, e);
    memory_take(rest->budget, (void **)&b->inner[1].first, count + 2, 8, what, e);
    return e->status;
}

/* Finds the components by a depth-first search (Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972). A component is complete
 * after all that edges lead to from it. Until then place[v] is the least number that is known to be reached from v. */
static void find_components(struct building *b)
{
    struct rest *rest = b->rest;
    const struct joined_rows *rows = b->all->push;
    uint32_t visits = 0, members = 0, stacked = 0, depth = 0;
    memset(b->component, 0xff, b->all->vertices * sizeof *b->component); /* REST_CORE */
    for (uint64_t root = 0; root < b->all->vertices; root++) {
        uint32_t enter = (uint32_t)root;
        int enters = b->side[root] != IN_CORE && b->place[root] == 0;
        while (enters || depth > 0) {
            if (enters) {
                b->place[enter] = ++visits;
                b->stack[stacked++] = b->path[depth] = enter;
                b->entered[depth] = visits;
                b->next[depth++] = rows->offsets[enter];
                enters = 0;
            }
            const uint32_t v = b->path[depth - 1];
            uint64_t at = b->next[depth - 1];
            for (; at < rows->offsets[v + 1] && !enters; at++) {
                const uint32_t w = rows->columns[at];
                if (!is_edge(b, v, w) || b->component[w] != REST_CORE)
                    continue;
                enters = b->place[w] == 0;
                enter = w;
                if (!enters && b->place[w] < b->place[v])
                    b->place[v] = b->place[w];
            }
            b->next[depth - 1] = at;
            if (enters)
                continue;
            depth--;
            if (depth > 0 && b->place[v] < b->place[b->path[depth - 1]])
                b->place[b->path[depth - 1]] = b->place[v];
            if (b->place[v] != b->entered[depth])
                continue;
            do {
                const uint32_t w = b->stack[--stacked];
                b->component[w] = rest->components;
                rest->member[members++] = w;
            } while (rest->member[members - 1] != v);
            rest->first[++rest->components] = members;
        }
    }
}

/* Returns the number of edges of a vertex in the graph. */
static uint64_t edges_of(const struct building *b, uint32_t v)
{
    return b->all->push->offsets[v + 1] - b->all->push->offsets[v];
}

/* Makes the member of each component with the most edges its first, and so its pivot; of equal ones, that with the smallest id. Sets
 * place[] to the numbers of members. */
static void choose_pivots(struct building *b)
{
    struct rest *rest = b->rest;
    for (uint32_t c = 0; c < rest->components; c++) {
        uint32_t *first = &rest->member[rest->first[c]], *pivot = first;
        for (uint32_t *m = first; m < &rest->member[rest->first[c + 1]]; m++) {
            const uint64_t edges = edges_of(b, *m), most = edges_of(b, *pivot);
            if (edges > most || (edges == most && b->all->ids[*m] < b->all->ids[*pivot]))
                pivot = m;
        }
        const uint32_t before = *first;
        *first = *pivot;
        *pivot = before;
    }
    for (uint64_t i = 0; i < rest->count; i++)
        b->place[rest->member[i]] = (uint32_t)i;
}

/* Goes over the edges of the rest. The first call, with `stores` 0, counts those within components and those between them. The second one
 * stores those within components. */
static void take_inner_edges(struct building *b, int stores)
{
    const struct joined_rows *rows = b->all->push;
    for (uint64_t i = 0; i < b->rest->count; i++) {
        const uint32_t v = b->rest->member[i];
        for (uint64_t at = rows->offsets[v]; at < rows->offsets[v + 1]; at++) {
            const uint32_t w = rows->columns[at];
            if (!is_edge(b, v, w))
                continue;
            if (b->component[w] != b->component[v]) {
                b->outer += !stores;
            } else if (stores) {
                b->inner[0].to[b->inner[0].first[i + 1]++] = b->place[w];
                b->inner[1].to[b->inner[1].first[b->place[w] + 1]++] = (uint32_t)i;
            } else {
                b->inner[0].first[i + 2]++;
                b->inner[1].first[b->place[w] + 2]++;
            }
        }
    }
}

/* Makes the lists of edges within components. */
static enum status list_inner_edges(struct building *b, struct error *e)
{
    const uint64_t count = b->rest->count;
    take_inner_edges(b, 0);
    for (int i = 0; i < 2; i++) {
        for (uint64_t member = 1; member < count + 2; member++)
            b->inner[i].first[member] += b->inner[i].first[member - 1];
        memory_take(b->rest->budget, (void **)&b->inner[i].to, b->inner[i].first[count + 1], 4, "edges of components", e);
    }
    if (e->status == ST_OK)
        take_inner_edges(b, 1);
    return e->status;
}

/* Sets distance[] to the distances of all members from the pivots, along a list of edges within components. */
static void find_distances(struct building *b, const struct inner_edges *edges, int32_t *distance)
{
    const struct rest *rest = b->rest;
    memset(distance, 0xff, rest->count * sizeof *distance);
    for (uint32_t c = 0; c < rest->components; c++) {
        uint32_t found = 1;
        b->stack[0] = rest->first[c];
        distance[rest->first[c]] = 0;
        for (uint32_t i = 0; i < found; i++) {
            const uint32_t m = b->stack[i];
            for (uint64_t at = edges->first[m]; at < edges->first[m + 1]; at++) {
                const uint32_t to = edges->to[at];
                if (distance[to] >= 0)
                    continue;
                distance[to] = distance[m] + 1;
                b->stack[found++] = to;
            }
        }
    }
}

/* Lists the edges between components, one for each pair, with the length of the shortest path by way of an edge between them. */
static enum status list_outer_edges(struct building *b, struct error *e)
{
    struct rest *rest = b->rest;
    const struct joined_rows *rows = b->all->push;
    const uint64_t components = rest->components;
    int32_t *shortest = NULL; /* [C] from the present component to each other one; 0: no edge was seen */
    uint64_t edges = 0;
    memory_take(rest->budget, (void **)&rest->first_edge, components + 1, 8, "edges between components", e);
    memory_take(rest->budget, (void **)&rest->edge_to, b->outer, 4, "edges between components", e);
    memory_take(rest->budget, (void **)&rest->edge_length, b->outer, 4, "edges between components", e);
    memory_take(rest->budget, (void **)&rest->farthest, components, 4, "edges between components", e);
    memory_take(rest->budget, (void **)&shortest, components, 4, "edges between components", e);
    for (uint32_t c = 0; c < components && e->status == ST_OK; c++) {
        for (uint32_t i = rest->first[c]; i < rest->first[c + 1]; i++) {
            const uint32_t v = rest->member[i];
            for (uint64_t at = rows->offsets[v]; at < rows->offsets[v + 1]; at++) {
                const uint32_t w = rows->columns[at], to = b->component[w];
                if (!is_edge(b, v, w) || to == c)
                    continue;
                const int32_t length = rest->distance[0][i] + 1 + rest->distance[1][b->place[w]];
                if (shortest[to] == 0)
                    rest->edge_to[edges++] = to;
                if (shortest[to] == 0 || length < shortest[to])
                    shortest[to] = length;
            }
        }
        for (uint64_t edge = rest->first_edge[c]; edge < edges; edge++) {
            rest->edge_length[edge] = shortest[rest->edge_to[edge]];
            shortest[rest->edge_to[edge]] = 0;
        }
        rest->first_edge[c + 1] = edges;
    }
    memory_release(rest->budget, shortest);
    return e->status;
}

/* Finds the rest (rest.h). */
enum status rest_open(struct rest *rest, const struct joined_graph *all, const int32_t *along, const int32_t *against, struct error *e)
{
    struct building b = {.rest = rest, .all = all};
    *rest = (struct rest){.budget = all->budget};
    if (find_sides(&b, along, against, e) == ST_OK && take_arrays(&b, e) == ST_OK) {
        find_components(&b);
        choose_pivots(&b);
        if (list_inner_edges(&b, e) == ST_OK) {
            find_distances(&b, &b.inner[0], rest->distance[0]);
            find_distances(&b, &b.inner[1], rest->distance[1]);
            list_outer_edges(&b, e);
        }
    }
    for (uint64_t v = 0; v < all->vertices && e->status == ST_OK; v++)
        rest->component[index_of(all, (uint32_t)v)] = b.component[v];
    for (uint64_t i = 0; i < rest->count && e->status == ST_OK; i++)
        rest->member[i] = index_of(all, rest->member[i]);
    void *const arrays[] = {b.side, b.component, b.place, b.stack, b.path, b.entered, b.next, b.inner[0].first, b.inner[0].to,
                            b.inner[1].first, b.inner[1].to};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        memory_release(rest->budget, arrays[i]);
    return e->status;
}

/* Frees everything. *rest may be zeroed. */
void rest_close(struct rest *rest)
{
    void *const arrays[] = {rest->component, rest->member, rest->first, rest->distance[0], rest->distance[1], rest->first_edge,
                            rest->edge_to, rest->edge_length, rest->farthest};
    for (size_t i = 0; rest->budget != NULL && i < sizeof arrays / sizeof *arrays; i++)
        memory_release(rest->budget, arrays[i]);
    *rest = (struct rest){0};
}

/* Returns the number of vertices in the largest component. */
uint32_t rest_largest(const struct rest *rest)
{
    uint32_t largest = 0;
    for (uint32_t c = 0; c < rest->components; c++)
        largest = rest_size(rest, c) > largest ? rest_size(rest, c) : largest;
    return largest;
}

/* Lowers farthest[c] to the upper bound of the pivot or, if it was searched from (its upper bound is 0), to its eccentricity. No distance
 * is larger than the number of vertices, so sums of two fit. */
static void limit_by_pivot(const struct rest *rest, uint32_t c, const struct bounds *bounds)
{
    const uint32_t pivot = rest->member[rest->first[c]];
    const int32_t most = bounds->upper[pivot] > 0 ? bounds->upper[pivot] : bounds->lower[pivot];
    rest->farthest[c] = most < rest->farthest[c] ? most : rest->farthest[c];
}

/* Sets farthest[c] to how far the targets that the pivot of c reaches can be, or, with `against`, those that reach it; -1: there are none. */
static void find_farthest(struct rest *rest, int against, const struct bounds *bounds, const struct bounds *targets, int32_t floor)
{
    int32_t *farthest = rest->farthest;
    for (uint32_t c = 0; c < rest->components; c++) {
        farthest[c] = -1;
        for (uint32_t i = rest->first[c]; i < rest->first[c + 1]; i++) {
            const int32_t d = rest->distance[against][i];
            if (targets->upper[rest->member[i]] > floor && d > farthest[c])
                farthest[c] = d;
        }
    }
    for (uint32_t turn = 0; turn < rest->components; turn++) {
        const uint32_t c = against ? rest->components - 1 - turn : turn;
        if (against)
            limit_by_pivot(rest, c, bounds);
        for (uint64_t edge = rest->first_edge[c]; edge < rest->first_edge[c + 1]; edge++) {
            const uint32_t near = against ? rest->edge_to[edge] : c, far = against ? c : rest->edge_to[edge];
            if (farthest[far] >= 0 && farthest[far] + rest->edge_length[edge] > farthest[near])
                farthest[near] = farthest[far] + rest->edge_length[edge];
        }
        if (!against)
            limit_by_pivot(rest, c, bounds);
    }
}

/* Sets beyond[] to upper bounds of the distances in the rest (rest.h). */
void rest_beyond(struct rest *rest, int against, const struct bounds *bounds, const struct bounds *targets, int32_t floor,
                 int32_t *beyond)
{
    find_farthest(rest, against, bounds, targets, floor);
    for (uint32_t c = 0; c < rest->components; c++) {
        for (uint32_t i = rest->first[c]; i < rest->first[c + 1]; i++)
            beyond[rest->member[i]] = rest->farthest[c] < 0 ? 0 : rest->farthest[c] + rest->distance[!against][i];
    }
}
