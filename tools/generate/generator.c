/* generator.c: see generator.h */
#include "generator.h"

#include "formats/base/clones.h"
#include "formats/base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sizes ---- */

uint64_t generator_vertices(const struct generator_options *o)
{
    switch (o->kind) {
    case GRAPH_POISSON:
    case GRAPH_GEOMETRIC: return o->vertices;
    case GRAPH_PLANTED: return o->communities * o->size;
    case GRAPH_LATTICE: return o->side[0] * o->side[1] * o->side[2];
    default: return UINT64_C(1) << o->scale;
    }
}

/* The planted graph that the options describe; a Poisson graph is one community. */
static struct planted planted_of(const struct generator_options *o)
{
    if (o->kind == GRAPH_POISSON)
        return (struct planted){1, o->vertices, planted_inner_edges(o->vertices, o->degree), 0, o->seed};
    return (struct planted){o->communities, o->size, planted_inner_edges(o->size, o->degree), o->bridges, o->seed};
}

static struct lattice lattice_of(const struct generator_options *o)
{
    struct lattice lattice;
    lattice_init(&lattice, o->side, o->dimensions, o->stencil, o->torus);
    return lattice;
}

/* The number of items: edges or, of a geometric graph, points. */
uint64_t generator_items(const struct generator_options *o)
{
    uint64_t edges;
    if (o->kind == GRAPH_GEOMETRIC)
        return o->vertices;
    if (o->kind == GRAPH_LATTICE) {
        const struct lattice lattice = lattice_of(o);
        return lattice_edge_count(&lattice);
    }
    if (o->kind == GRAPH_POISSON || o->kind == GRAPH_PLANTED) {
        const struct planted planted = planted_of(o);
        return planted_edge_count(&planted);
    }
    return __builtin_mul_overflow(o->edge_factor, UINT64_C(1) << o->scale, &edges) ? UINT64_MAX : edges;
}

/* How many items make about a block of edges: a point of a geometric graph makes half its degree. */
size_t generator_block_items(const struct generator_options *o)
{
    if (o->kind != GRAPH_GEOMETRIC || o->degree < 2)
        return EDGES_BLOCK_EDGES;
    size_t points = (size_t)(EDGES_BLOCK_EDGES / (o->degree * .5));
    return points > 0 ? points : 1;
}

/* ---- the run ---- */

/* Makes the tables or points of the graph's kind, and the permutation of its ids. */
enum status generator_init(struct generator *g, const struct generator_options *o, uint64_t memory_bytes,
                           struct error *e)
{
    const struct rmat_params params = {o->scale, o->a, o->b, o->c, o->seed};
    g->options = o;
    memory_budget_init(&g->budget, memory_bytes);
    /* the permutation is seeded with the last random number, because edges use those from number 0 on */
    if (o->kind != GRAPH_GRAPH500)
        bijection_init(&g->bijection, generator_vertices(o), random64(o->seed, UINT64_MAX));
    switch (o->kind) {
    case GRAPH_RMAT: return rmat_init(&g->rmat, &params, e);
    case GRAPH_GRAPH500: return kronecker500_init(&g->kronecker500, o->scale, o->seed, o->seed + 1, e);
    case GRAPH_GEOMETRIC:
        return geometric_init(&g->geometric, o->vertices, o->degree, o->seed, &g->budget, e);
    case GRAPH_LATTICE: g->lattice = lattice_of(o); break;
    default: g->planted = planted_of(o);
    }
    return ST_OK;
}

void generator_free(struct generator *g)
{
    geometric_free(&g->geometric, &g->budget);
}

/* Takes one step of the permutation, for ids of at most 32 bits. No higher bit is needed, so a vector holds twice as many ids. */
static inline uint32_t step_u32(const struct bijection *b, uint32_t x)
{
    for (int r = 0; r < BIJECTION_ROUNDS; r++) {
        x = (x * (uint32_t)b->multiplier[r] + (uint32_t)b->addend[r]) & (uint32_t)b->mask;
        x ^= x >> b->shift;
    }
    return x;
}

/* Takes the first step of the permutation for all edges. Returns nonzero if an id lands outside 0..n-1 and needs more steps. An
 * edge costs 32 bytes of memory traffic and eight multiplications. Callers pass `narrow` as a constant. */
static inline int step_all(const struct bijection *b, struct edge *edges, size_t count, int narrow)
{
    uint64_t outside = 0;
    for (size_t i = 0; i < count; i++) {
        edges[i].u = narrow ? step_u32(b, (uint32_t)edges[i].u) : bijection_step(b, edges[i].u);
        edges[i].v = narrow ? step_u32(b, (uint32_t)edges[i].v) : bijection_step(b, edges[i].v);
        outside |= (edges[i].u >= b->n) | (edges[i].v >= b->n);
    }
    return outside != 0;
}

/* Calls step_all so that a compiler makes vectors of it, with narrow ids where they are enough. */
WIDE_CLONES
static int step_ids(const struct bijection *bijection, struct edge *edges, size_t count)
{
    const struct bijection b = *bijection; /* a copy, which storing edges cannot change */
    return b.mask <= UINT32_MAX ? step_all(&b, edges, count, /* narrow */ 1) : step_all(&b, edges, count, /* narrow */ 0);
}

/* Permutes the ids of all edges. */
static void randomize(const struct bijection *bijection, struct edge *edges, size_t count)
{
    if (!step_ids(bijection, edges, count))
        return;
    for (size_t i = 0; i < count; i++) {
        if (edges[i].u >= bijection->n)
            edges[i].u = bijection_forward(bijection, edges[i].u);
        if (edges[i].v >= bijection->n)
            edges[i].v = bijection_forward(bijection, edges[i].v);
    }
}

/* Makes edges of a kind whose items are edges, into an empty list. */
static enum status edges_by_number(const struct generator *g, uint64_t first, size_t count, struct edge_list *list,
                                   struct error *e)
{
    if (edge_list_reserve(list, count, e) != ST_OK)
        return e->status;
    switch (g->options->kind) {
    case GRAPH_RMAT: rmat_edges(&g->rmat, first, count, list->edges); break;
    case GRAPH_GRAPH500: kronecker500_edges(&g->kronecker500, first, count, list->edges); break;
    case GRAPH_LATTICE: lattice_edges(&g->lattice, first, count, list->edges); break;
    default: planted_edges(&g->planted, first, count, list->edges);
    }
    list->count = count;
    return ST_OK;
}

/* Makes the edges of some items, in place of those in the list, and randomises their ids where the options say so. */
enum status generator_edges(const struct generator *g, uint64_t first, size_t count, struct edge_list *list,
                            struct error *e)
{
    const struct generator_options *o = g->options;
    list->count = 0;
    if (o->kind == GRAPH_GEOMETRIC)
        geometric_edges(&g->geometric, first, count, list, e);
    else
        edges_by_number(g, first, count, list, e);
    if (e->status == ST_OK && o->kind != GRAPH_GRAPH500 && o->randomize)
        randomize(&g->bijection, list->edges, list->count);
    return e->status;
}

/* ---- provenance ---- */

/* Prints "key value" with as few digits as tell the value from every other. */
static void describe_real(FILE *text, const char *key, double value)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.15g", value);
    if (strtod(digits, NULL) != value)
        snprintf(digits, sizeof digits, "%.17g", value);
    fprintf(text, "%s %s\n", key, digits);
}

static void describe_shape(const struct generator_options *o, FILE *text)
{
    static const char *const names[] = {"rmat", "graph500-v3", "poisson", "lattice", "geometric", "planted"};
    fprintf(text, "generator %s\n", names[o->kind]);
    if (o->kind == GRAPH_RMAT || o->kind == GRAPH_GRAPH500)
        fprintf(text, "scale %d\nedgefactor %" PRIu64 "\n", o->scale, o->edge_factor);
    else if (o->kind == GRAPH_LATTICE)
        fprintf(text, "sides %" PRIu64 " %" PRIu64 " %" PRIu64 "\nstencil %" PRIu64 "\ntorus %s\n", o->side[0],
                o->side[1], o->side[2], o->stencil, o->torus ? "yes" : "no");
    else if (o->kind == GRAPH_PLANTED)
        fprintf(text, "communities %" PRIu64 "\nsize %" PRIu64 "\n", o->communities, o->size);
    else
        fprintf(text, "vertices %" PRIu64 "\n", o->vertices);
    if (o->kind == GRAPH_POISSON || o->kind == GRAPH_GEOMETRIC || o->kind == GRAPH_PLANTED)
        describe_real(text, "degree", o->degree);
    if (o->kind == GRAPH_PLANTED && o->bridges == PLANTED_CHAIN)
        fprintf(text, "bridges chain\n");
    else if (o->kind == GRAPH_PLANTED)
        fprintf(text, "bridges %" PRIu64 "\n", o->bridges);
}

/* Writes the options that determine the graph into the buffer, a line for each. Returns the characters written. */
int generator_describe(const struct generator_options *o, char *buffer, size_t room)
{
    FILE *text = fmemopen(buffer, room, "w");
    if (text == NULL)
        return 0;
    describe_shape(o, text);
    if (o->kind == GRAPH_GRAPH500) {
        fprintf(text, "seeds %" PRIu64 " %" PRIu64 "\n", o->seed, o->seed + 1);
    } else {
        if (o->kind == GRAPH_RMAT) {
            describe_real(text, "A", o->a);
            describe_real(text, "B", o->b);
            describe_real(text, "C", o->c);
        }
        fprintf(text, "seed %" PRIu64 "\nrandomized %s\n", o->seed, o->randomize ? "yes" : "no");
    }
    int used = (int)ftell(text);
    fclose(text);
    return used;
}
