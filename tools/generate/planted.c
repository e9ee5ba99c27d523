/* planted.c: see planted.h */
#include "planted.h"

#include "formats/base/hash.h"

#include <math.h>

/* The edges within a community of `size` vertices that make this mean degree. */
uint64_t planted_inner_edges(uint64_t size, double degree)
{
    return (uint64_t)rint((double)size * degree * .5);
}

static uint64_t bridge_count(const struct planted *g)
{
    return g->bridges == PLANTED_CHAIN ? g->communities - 1 : g->bridges;
}

uint64_t planted_edge_count(const struct planted *g)
{
    uint64_t inner, edges;
    if (__builtin_mul_overflow(g->communities, g->inner, &inner) ||
        __builtin_add_overflow(inner, bridge_count(g), &edges))
        return UINT64_MAX;
    return edges;
}

/* Makes a random word into one of the numbers 0..count - 1. */
static inline uint64_t below(uint64_t random, uint64_t count)
{
    return (uint64_t)((unsigned __int128)random * count >> 64);
}

/* An edge between two different vertices of the `size` from vertex `base` on. */
static inline struct edge inner_edge(uint64_t base, uint64_t size, uint64_t random, uint64_t random2)
{
    uint64_t u = below(random, size), v = below(random2, size - 1);
    return (struct edge){base + u, base + v + (v >= u)};
}

/* An edge from a vertex of a community to one of the next community. */
static inline struct edge chain_edge(uint64_t community, uint64_t size, uint64_t random, uint64_t random2)
{
    uint64_t base = community * size;
    return (struct edge){base + below(random, size), base + size + below(random2, size)};
}

/* An edge from any vertex to any vertex of another community. */
static inline struct edge bridge(const struct planted *g, uint64_t random, uint64_t random2)
{
    uint64_t n = g->communities * g->size, u = below(random, n), v = below(random2, n - g->size);
    return (struct edge){u, v < u / g->size * g->size ? v : v + g->size};
}

void planted_edges(const struct planted *g, uint64_t first, size_t count, struct edge *edges)
{
    const uint64_t all_inner = g->communities * g->inner;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = first + i, random = random64(g->seed, 2 * number);
        uint64_t random2 = random64(g->seed, 2 * number + 1);
        if (number < all_inner)
            edges[i] = inner_edge(number / g->inner * g->size, g->size, random, random2);
        else if (g->bridges == PLANTED_CHAIN)
            edges[i] = chain_edge(number - all_inner, g->size, random, random2);
        else
            edges[i] = bridge(g, random, random2);
    }
}
