/* test_visits.c: pushes, merged pushes and pulls are those of the CPU */
#include "checks.h"
#include "steps.h"
#include "tests.h"

#include "traverse/engine/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The masks of a visit: vertices it starts from, visited vertices, and those that this level has found before. */
struct masks {
    enum mask_kind from, visited, next;
};

static const struct masks masks_list[] = {
    {MASK_NONE, MASK_HALF, MASK_NONE}, {MASK_ONE, MASK_NONE, MASK_NONE},
    {MASK_ONE, MASK_HALF, MASK_FEW},   {MASK_FEW, MASK_FEW, MASK_FEW},
    {MASK_HALF, MASK_HALF, MASK_HALF}, {MASK_MOST, MASK_MOST, MASK_FEW},
    {MASK_ALL, MASK_NONE, MASK_NONE},  {MASK_ALL, MASK_NONE, MASK_ALL},
    {MASK_ALL, MASK_ALL, MASK_NONE}};

static const char *const way_name[] = {"cuda_push, by rows", "cuda_push, by edges", "cuda_pull_rows"};

static int bit(const uint64_t *mask, uint64_t i, uint64_t bits)
{
    return i < bits && mask_bit(mask, i);
}

/* Returns whether the visit can have found `to` from the vertex that `parent` names. */
static int is_legal(const struct visit *v, uint64_t to, uint32_t parent)
{
    const struct shard *shard = v->shard;
    enum vertex_kind kind = subgraph_rows(v->g);
    uint64_t from = parent & ~PARENT_DELEGATE_BIT;
    if (((parent & PARENT_DELEGATE_BIT) != 0) != (kind == DELEGATES) ||
        !bit(v->from, from, vertices_of(shard, kind)))
        return 0;
    if (v->way == VISIT_PULL)
        return csr_has_edge(&shard->csr[subgraph_reverse(v->g)], to, from);
    uint64_t code = v->g == NN ? (uint64_t)shard->index << shard->local_bits | to : to;
    return csr_has_edge(&shard->csr[v->g], from, code);
}

static void check_parents(const struct visit *v, const struct visited *out)
{
    for (uint64_t i = 0; i < vertices_of(v->shard, subgraph_columns(v->g)); i++) {
        if (!mask_bit(out->next, i) || mask_bit(v->next, i))
            check_that(out->parent[i] == POISON, "vertex %" PRIu64 " is not new and got a parent",
                       i);
        else
            check_that(is_legal(v, i, out->parent[i]), "vertex %" PRIu64 ": %" PRIx32
                       " is no parent of it", i, out->parent[i]);
    }
}

static uint64_t first_difference(const uint64_t *a, const uint64_t *b, uint64_t words)
{
    uint64_t w = 0;
    while (w < words && a[w] == b[w])
        w++;
    return w;
}

static void compare(const struct visit *v, const struct visited *kernel, const struct visited *twin)
{
    uint64_t words = mask_words(vertices_of(v->shard, subgraph_columns(v->g)));
    uint64_t w = first_difference(kernel->next, twin->next, words);
    int same = check_that(w == words, "next differs in word %" PRIu64 " of %" PRIu64, w, words);
    check_that(kernel->found == twin->found, "found is %d for %d", kernel->found, twin->found);
    check_that(kernel->sent == twin->sent, "%" PRIu64 " vertices are sent for %" PRIu64,
               kernel->sent, twin->sent);
    check_that(kernel->sent_sum == twin->sent_sum, "others are sent");
    if (v->parents && same)
        check_parents(v, kernel);
}

static void free_visited(struct visited *out)
{
    free(out->next);
    free(out->parent);
}

static void run_visit(struct visit *v)
{
    struct visited kernel = {0}, twin = {0};
    twin_visit(v, &twin);
    for (v->parents = 1; v->parents >= 0; v->parents--) {
        kernel = (struct visited){0};
        kernel_visit(v, &kernel);
        compare(v, &kernel, &twin);
        free_visited(&kernel);
    }
    free_visited(&twin);
}

/* Compares one visit. A pull of dd finds its parents among visited vertices. */
static void test_masks_of(const struct shard *shard, enum subgraph g, enum way way,
                          const struct masks *m)
{
    uint64_t to = vertices_of(shard, subgraph_columns(g)), random = (uint64_t)(m - masks_list);
    uint64_t *visited = mask_make(to, m->visited, &random), *next = mask_make(to, m->next, &random);
    uint64_t *from = mask_make(vertices_of(shard, subgraph_rows(g)), m->from, &random);
    for (uint64_t w = 0; w < mask_words(to); w++)
        next[w] &= ~visited[w];
    check_input("from %s, visited %s, next %s", mask_kind_name[m->from], mask_kind_name[m->visited],
                mask_kind_name[m->next]);
    run_visit(&(struct visit){.shard = shard,
                              .g = g,
                              .way = way,
                              .from = way == VISIT_PULL && g == DD ? visited : from,
                              .visited = visited,
                              .next = next});
    free(visited);
    free(next);
    free(from);
}

/* An emulated GPU takes every other one of the masks, which the next way leaves out, and of thousands of shards every
 * third one. */
static size_t next_masks(const struct shard *shard)
{
    return !tiny ? 1 : shard->p > 1000 ? 3 : 2;
}

void test_visits(const struct shard *shard, const struct graph_spec *spec)
{
    for (int g = 0; g < SUBGRAPHS; g++) {
        for (int way = VISIT_ROWS; way <= VISIT_PULL; way++) {
            if (g == NN && way == VISIT_PULL && shard->p > 1) /* nn of several shards is not symmetric */
                continue;
            check_begin();
            for (size_t m = tiny ? way % 2 : 0; m < sizeof masks_list / sizeof *masks_list; m += next_masks(shard))
                test_masks_of(shard, (enum subgraph)g, (enum way)way, &masks_list[m]);
            check_end("%s, %s: %s", way_name[way], subgraph_name[g], spec->name);
        }
    }
}
