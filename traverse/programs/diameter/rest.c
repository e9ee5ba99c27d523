/* rest.c: finds the strong components of the vertices outside of the core, and bounds their distances (rest.h) */
#include "rest.h"

#include "formats/base/arith.h"

#include <stdlib.h>
#include <string.h>

/* Edges within components: those of member i lead to to[first[i]] to to[first[i + 1] - 1]. */
struct inner_edges {
    uint64_t *first; /* [R + 2] the last element is used only while the edges are made */
    uint32_t *to;
};

/* What is needed to find the rest. Vertices are numbered as in the joined graph. */
struct building {
    struct rest *rest;
    const struct joined_graph *all;
    uint8_t *relation;   /* [vertices] relation_of */
    uint32_t *component; /* [vertices] REST_CORE: the core, or not yet known */
    union {
        uint32_t *low_link; /* [vertices] in find_components: the least order of a vertex that is known to be reached; 0: not visited */
        uint32_t *number;   /* [vertices] from choose_pivots on: the number of the member */
    };
    uint32_t *stack;   /* [R] vertices on the stack of components, then a queue */
    uint32_t *path;    /* [R] the path to the present vertex */
    uint32_t *order;   /* [R] how many vertices were visited up to each vertex of the path */
    uint64_t *next;    /* [R] the next edge of each vertex of the path */
    struct inner_edges inner[SIDES];
    uint64_t outer;    /* edges between components */
};

/* Returns whether an edge from v, which is not in the core, to w is one of the rest. An edge from v to the core is none, as v reaches z. */
static inline int is_in_rest(const struct building *b, uint32_t v, uint32_t w)
{
    return !((b->relation[v] & REACHES) && (b->relation[w] & REACHED));
}

/* Finds out for each vertex whether it is in the core, reaches the core or is reached from it: allocates b->relation, and sets it. Adds the
 * vertices outside of the core to b->rest->count. */
static enum status find_relations(struct building *b, const int32_t *along, const int32_t *against, struct error *e)
{
    const struct joined_graph *all = b->all;
    if (memory_take(all->budget, (void **)&b->relation, all->vertices, 1, "sides of the core", e) != ST_OK)
        return e->status;
    for (uint64_t v = 0; v < all->vertices; v++) {
        b->relation[v] = (uint8_t)relation_of(along, against, index_of_joined(all, v));
        b->rest->count += b->relation[v] != IN_CORE;
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
    memory_take(rest->budget, (void **)&b->low_link, vertices, 4, what, e);
    memory_take(rest->budget, (void **)&b->stack, count, 4, what, e);
    memory_take(rest->budget, (void **)&b->path, count, 4, what, e);
    memory_take(rest->budget, (void **)&b->order, count, 4, what, e);
    memory_take(rest->budget, (void **)&b->next, count, 8, what, e);
    memory_take(rest->budget, (void **)&b->inner[0].first, count + 2, 8, what, e);
    memory_take(rest->budget, (void **)&b->inner[1].first, count + 2, 8, what, e);
    return e->status;
}

/* Finds the components by a depth-first search (Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972). A component is complete
 * after all components that its edges lead to. */
static void find_components(struct building *b)
{
    struct rest *rest = b->rest;
    const struct joined_rows *rows = b->all->push;
    uint32_t visits = 0, members = 0, stacked = 0, depth = 0;
    memset(b->component, 0xff, b->all->vertices * sizeof *b->component); /* REST_CORE */
    for (uint64_t root = 0; root < b->all->vertices; root++) {
        uint32_t enter = (uint32_t)root;
        int enters = b->relation[root] != IN_CORE && b->low_link[root] == 0;
        while (enters || depth > 0) {
            if (enters) {
                b->low_link[enter] = ++visits;
                b->stack[stacked++] = b->path[depth] = enter;
                b->order[depth] = visits;
                b->next[depth++] = rows->offsets[enter];
                enters = 0;
            }
            const uint32_t v = b->path[depth - 1];
            uint64_t at = b->next[depth - 1];
            for (; at < rows->offsets[v + 1] && !enters; at++) {
                const uint32_t w = rows->columns[at];
                if (!is_in_rest(b, v, w) || b->component[w] != REST_CORE)
                    continue;
                enters = b->low_link[w] == 0;
                enter = w;
                if (!enters && b->low_link[w] < b->low_link[v])
                    b->low_link[v] = b->low_link[w];
            }
            b->next[depth - 1] = at;
            if (enters)
                continue;
            depth--;
            if (depth > 0 && b->low_link[v] < b->low_link[b->path[depth - 1]])
                b->low_link[b->path[depth - 1]] = b->low_link[v];
            if (b->low_link[v] != b->order[depth])
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

/* Returns the number of edges from a vertex, those to the core too. */
static uint64_t degree_of(const struct building *b, uint32_t v)
{
    return b->all->push->offsets[v + 1] - b->all->push->offsets[v];
}

/* Makes the member of each component with the most edges its first, and so its pivot; of equal ones, that with the smallest id. Sets
 * number[] to the numbers of members. */
static void choose_pivots(struct building *b)
{
    struct rest *rest = b->rest;
    for (uint32_t c = 0; c < rest->components; c++) {
        uint32_t *first = &rest->member[rest->first[c]], *pivot = first;
        for (uint32_t *m = first; m < &rest->member[rest->first[c + 1]]; m++) {
            const uint64_t edges = degree_of(b, *m), most = degree_of(b, *pivot);
            if (edges > most || (edges == most && b->all->ids[*m] < b->all->ids[*pivot]))
                pivot = m;
        }
        const uint32_t before = *first;
        *first = *pivot;
        *pivot = before;
    }
    for (uint64_t i = 0; i < rest->count; i++)
        b->number[rest->member[i]] = (uint32_t)i;
}

/* Goes over the edges of the rest. The first call, with `stores` 0, counts those within components and those between them: the edges of
 * member i in first[i + 2], so that after summing first[i + 1] is where the second call, which stores them, writes next. */
static void take_inner_edges(struct building *b, int stores)
{
    const struct joined_rows *rows = b->all->push;
    for (uint64_t i = 0; i < b->rest->count; i++) {
        const uint32_t v = b->rest->member[i];
        for (uint64_t at = rows->offsets[v]; at < rows->offsets[v + 1]; at++) {
            const uint32_t w = rows->columns[at];
            if (!is_in_rest(b, v, w))
                continue;
            if (b->component[w] != b->component[v]) {
                b->outer += !stores;
            } else if (stores) {
                b->inner[ALONG].to[b->inner[ALONG].first[i + 1]++] = b->number[w];
                b->inner[AGAINST].to[b->inner[AGAINST].first[b->number[w] + 1]++] = (uint32_t)i;
            } else {
                b->inner[ALONG].first[i + 2]++;
                b->inner[AGAINST].first[b->number[w] + 2]++;
            }
        }
    }
}

/* Makes the lists of edges within components. */
static enum status list_inner_edges(struct building *b, struct error *e)
{
    const uint64_t count = b->rest->count;
    take_inner_edges(b, 0);
    for (int i = 0; i < SIDES; i++) {
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
                if (!is_in_rest(b, v, w) || to == c)
                    continue;
                const int32_t length = rest->distance[ALONG][i] + 1 + rest->distance[AGAINST][b->number[w]];
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
    if (find_relations(&b, along, against, e) == ST_OK && take_arrays(&b, e) == ST_OK) {
        find_components(&b);
        choose_pivots(&b);
        if (list_inner_edges(&b, e) == ST_OK) {
            find_distances(&b, &b.inner[ALONG], rest->distance[ALONG]);
            find_distances(&b, &b.inner[AGAINST], rest->distance[AGAINST]);
            list_outer_edges(&b, e);
        }
    }
    for (uint64_t v = 0; v < all->vertices && e->status == ST_OK; v++)
        rest->component[index_of_joined(all, v)] = b.component[v];
    for (uint64_t i = 0; i < rest->count && e->status == ST_OK; i++)
        rest->member[i] = (uint32_t)index_of_joined(all, rest->member[i]);
    void *const arrays[] = {b.relation, b.component, b.low_link, b.stack, b.path, b.order, b.next, b.inner[ALONG].first, b.inner[ALONG].to,
                            b.inner[AGAINST].first, b.inner[AGAINST].to};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        memory_release(rest->budget, arrays[i]);
    return e->status;
}

void rest_close(struct rest *rest)
{
    void *const arrays[] = {rest->component, rest->member, rest->first, rest->distance[ALONG], rest->distance[AGAINST], rest->first_edge,
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

/* Lowers farthest[c] to the upper bound of the pivot or, if it was a root (its upper bound is 0), to its eccentricity. No distance is
 * larger than the number of vertices, so sums of two fit. */
static void limit_by_pivot(const struct rest *rest, uint32_t c, const struct bounds *bounds)
{
    const uint32_t pivot = rest->member[rest->first[c]];
    const int32_t most = bounds->upper[pivot] > 0 ? bounds->upper[pivot] : bounds->lower[pivot];
    rest->farthest[c] = most < rest->farthest[c] ? most : rest->farthest[c];
}

/* Sets farthest[c] to an upper bound of the distances from the pivot of c to the targets in its own component; -1: it has none. On the
 * side AGAINST, from these targets to the pivot. */
static void find_own_targets(struct rest *rest, enum side side, const struct bounds *targets, int32_t floor)
{
    for (uint32_t c = 0; c < rest->components; c++) {
        rest->farthest[c] = -1;
        for (uint32_t i = rest->first[c]; i < rest->first[c + 1]; i++) {
            const int32_t d = rest->distance[side][i];
            if (targets->upper[rest->member[i]] > floor && d > rest->farthest[c])
                rest->farthest[c] = d;
        }
    }
}

/* Raises farthest[c] by the targets of other components that the pivot of c reaches, or that reach it. Edges lead to components with
 * smaller numbers, so a component comes after all that its targets are in. */
static void find_farther_targets(struct rest *rest, enum side side, const struct bounds *bounds)
{
    int32_t *farthest = rest->farthest;
    for (uint32_t c = 0; side == ALONG && c < rest->components; c++) {
        for (uint64_t edge = rest->first_edge[c]; edge < rest->first_edge[c + 1]; edge++) {
            const int32_t beyond = farthest[rest->edge_to[edge]];
            if (beyond >= 0 && beyond + rest->edge_length[edge] > farthest[c])
                farthest[c] = beyond + rest->edge_length[edge];
        }
        limit_by_pivot(rest, c, bounds);
    }
    for (uint32_t c = rest->components; side == AGAINST && c-- > 0;) {
        limit_by_pivot(rest, c, bounds);
        for (uint64_t edge = rest->first_edge[c]; farthest[c] >= 0 && edge < rest->first_edge[c + 1]; edge++) {
            int32_t *of = &farthest[rest->edge_to[edge]];
            if (farthest[c] + rest->edge_length[edge] > *of)
                *of = farthest[c] + rest->edge_length[edge];
        }
    }
}

/* Sets uncovered[] to upper bounds of the distances in the rest (rest.h). */
void rest_bound_uncovered(struct rest *rest, enum side side, const struct bounds *bounds, const struct bounds *targets, int32_t floor,
                          int32_t *uncovered)
{
    find_own_targets(rest, side, targets, floor);
    find_farther_targets(rest, side, bounds);
    for (uint32_t c = 0; c < rest->components; c++) {
        for (uint32_t i = rest->first[c]; i < rest->first[c + 1]; i++)
            uncovered[rest->member[i]] = rest->farthest[c] < 0 ? 0 : rest->farthest[c] + rest->distance[!side][i];
    }
}
