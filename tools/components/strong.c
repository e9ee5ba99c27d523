/* strong.c: see strong.h
 *
 * Tarjan's algorithm in the form of Pearce (2016), with one number for each vertex and without recursion. A number is 0 before
 * the vertex is visited; then the smallest number of a vertex that is known to be reached from it and to reach it; and in the
 * end DONE and the smallest id of its component. The numbers stand in the slots of the forest. */
#include "strong.h"

#include "formats/base/arith.h"
#include "formats/base/progress.h"
#include "formats/base/text.h"
#include "tools/stream/input_ids.h"

#include <inttypes.h>

#define DONE (UINT32_C(1) << 31)      /* of a number: the component is known */
#define ROW_BEGIN (UINT32_C(1) << 31) /* of a head: the first one of its row */
#define NOT_ROOT (UINT32_C(1) << 31)  /* of a vertex on the path: it reaches a vertex below it on the path */
#define NO_ARC UINT64_MAX

enum {
    AHEAD = 8,       /* arcs between fetching the number of a head into the cache and reading it */
    ROW_AHEAD = 32,  /* edges between fetching the end of a row, and changing it; the place in the row comes at half of that */
    STEP = 1 << 16   /* vertices between two reports of progress */
};

/* The arcs of the graph without loops, by their tails. */
struct rows {
    uint64_t n;
    uint64_t *end;  /* [n] behind the arcs of each vertex that the search has not followed; NO_ARC: it has followed all */
    uint32_t *head; /* [arcs] */
    uint64_t arcs;
    struct input_ids ids;
};

struct search {
    struct rows *rows;
    uint32_t *number; /* [n] as the head of this file has it */
    uint32_t *stack;  /* [n] two stacks: the path, from its begin on, and the waiting vertices, from its end on */
    uint64_t path;    /* the length of the path from the root of the search to the vertex that is visited */
    uint64_t waiting; /* stack[waiting..n - 1] are visited, not on the path, and their component is not yet known */
    uint32_t visited; /* the vertices so far */
};

/* ---- rows ---- */

/* Counts the arcs of each vertex in its `end`; an edges_visitor. */
static enum status count_arcs(void *context, int thread, const struct edge *edges, size_t count, struct error *e)
{
    struct rows *r = context;
    struct edge restored[EDGES_VISIT_PIECE];
    edges = input_ids_restore(&r->ids, edges, count, restored);
    (void)thread;
    (void)e;
    for (size_t i = 0; i < count; i++) {
        if (i + ROW_AHEAD < count)
            __builtin_prefetch(&r->end[edges[i + ROW_AHEAD].u], 1);
        if (edges[i].u != edges[i].v)
            __atomic_fetch_add(&r->end[edges[i].u], 1, __ATOMIC_RELAXED);
    }
    return ST_OK;
}

/* Places arcs in their rows; an edges_visitor. */
static enum status place_arcs(void *context, int thread, const struct edge *edges, size_t count, struct error *e)
{
    struct rows *r = context;
    struct edge restored[EDGES_VISIT_PIECE];
    edges = input_ids_restore(&r->ids, edges, count, restored);
    (void)thread;
    for (size_t i = 0; i < count; i++) {
        if (i + ROW_AHEAD < count) {
            uint64_t place = __atomic_load_n(&r->end[edges[i + ROW_AHEAD / 2].u], __ATOMIC_RELAXED);
            __builtin_prefetch(&r->end[edges[i + ROW_AHEAD].u], 1);
            __builtin_prefetch(&r->head[place < r->arcs ? place : 0], 1);
        }
        if (edges[i].u == edges[i].v)
            continue;
        uint64_t at = __atomic_fetch_add(&r->end[edges[i].u], 1, __ATOMIC_RELAXED);
        if (at >= r->arcs)
            return edges_scan_changed("the edges", e);
        r->head[at] = (uint32_t)edges[i].v;
    }
    return ST_OK;
}

/* Marks the first head of each row, so that the search, which goes from the end of a row to its beginning, sees where the row
 * begins. */
static void mark_rows(struct rows *r)
{
    for (uint64_t v = r->n; v-- > 0;) {
        uint64_t begin = v > 0 ? r->end[v - 1] : 0;
        if (begin < r->end[v])
            r->head[begin] |= ROW_BEGIN;
        else
            r->end[v] = NO_ARC;
    }
    if (r->arcs > 0)
        r->head[0] |= ROW_BEGIN; /* so that a search ends, though the edges may have changed between the passes */
}

/* Makes both passes over the edges. The caller releases end and head. */
static enum status make_rows(struct rows *r, struct edge_source *source, int threads, struct memory_budget *budget,
                             struct error *e)
{
    const struct edges_info *info = &source->info;
    uint64_t own_edges;
    input_ids_init(&r->ids, info->randomized, info->random_n, info->random_seed);
    if (memory_take_huge(budget, (void **)&r->end, r->n, sizeof *r->end, "rows of arcs", e) != ST_OK)
        return e->status;
    progress_stage("counting arcs", source->share_edges, PROGRESS_ITEMS);
    if (edge_source_first_scan(source, threads, count_arcs, r, &own_edges, e) != ST_OK)
        return e->status;
    for (uint64_t v = 0; v < r->n; v++) { /* the number of arcs of a vertex becomes the beginning of its row */
        uint64_t arcs = r->end[v];
        r->end[v] = r->arcs;
        r->arcs += arcs;
    }
    if (memory_take_huge(budget, (void **)&r->head, r->arcs, sizeof *r->head, "arcs", e) != ST_OK)
        return e->status;
    progress_stage("placing arcs", source->share_edges, PROGRESS_ITEMS);
    if (edge_source_scan(source, threads, place_arcs, r, e) == ST_OK)
        mark_rows(r);
    return e->status;
}

/* ---- search ---- */

/* Puts an unvisited vertex on the path. */
static inline void enter(struct search *k, uint32_t v)
{
    k->number[v] = ++k->visited;
    k->stack[k->path++] = v;
}

/* Follows arcs of the vertex at the end of the path. Returns 1 at the first arc that leads to an unvisited vertex, which it puts on
 * the path. Returns 0 when all arcs are followed. */
static inline int follow_arcs(struct search *k)
{
    const uint32_t *head = k->rows->head;
    uint32_t *last = &k->stack[k->path - 1], v = *last & ~NOT_ROOT, number = k->number[v];
    uint64_t at = k->rows->end[v];
    while (at != NO_ARC) {
        uint32_t arc = head[--at], to = arc & ~ROW_BEGIN, other = k->number[to];
        __builtin_prefetch(&k->number[head[at >= AHEAD ? at - AHEAD : 0] & ~ROW_BEGIN]);
        if (arc & ROW_BEGIN)
            at = NO_ARC;
        if (other == 0) {
            k->number[v] = number;
            k->rows->end[v] = at;
            enter(k, to);
            return 1;
        }
        if (other < number) {
            number = other;
            *last = v | NOT_ROOT;
        }
    }
    k->number[v] = number;
    k->rows->end[v] = NO_ARC;
    return 0;
}

/* Ends the component of the root v: v, and the waiting vertices that were visited after v. Their numbers become the smallest id. */
static void end_component(struct search *k, uint32_t v)
{
    const uint32_t least_number = k->number[v];
    uint32_t least_id = v;
    uint64_t end = k->waiting;
    for (; end < k->rows->n && k->number[k->stack[end]] >= least_number; end++)
        least_id = k->stack[end] < least_id ? k->stack[end] : least_id;
    for (; k->waiting < end; k->waiting++)
        k->number[k->stack[k->waiting]] = DONE | least_id;
    k->number[v] = DONE | least_id;
}

/* Takes the vertex at the end of the path, whose arcs are all followed, from the path. */
static inline void leave(struct search *k)
{
    uint32_t last = k->stack[--k->path], v = last & ~NOT_ROOT;
    if (!(last & NOT_ROOT)) {
        end_component(k, v);
        return;
    }
    k->stack[--k->waiting] = v;
    uint32_t *before = &k->stack[k->path - 1];
    if (k->number[v] < k->number[*before & ~NOT_ROOT]) {
        k->number[*before & ~NOT_ROOT] = k->number[v];
        *before |= NOT_ROOT;
    }
}

/* Searches depth first, without recursion, from each vertex that no earlier search has visited. Afterwards number[v] is the smallest
 * id of the strong component of v. */
static void search_all(struct search *k)
{
    progress_stage("searching strong components", k->rows->n, PROGRESS_ITEMS);
    for (uint64_t root = 0; root < k->rows->n; root++) {
        if (root % STEP == 0)
            progress_add(smaller(STEP, k->rows->n - root));
        if (k->number[root] != 0)
            continue;
        enter(k, (uint32_t)root);
        while (k->path > 0) {
            if (!follow_arcs(k))
                leave(k);
        }
    }
    for (uint64_t v = 0; v < k->rows->n; v++)
        k->number[v] &= ~DONE; /* which end_component has set */
}

/* ---- all of it ---- */

/* Refuses a graph whose arcs the budget cannot hold. */
static enum status check_memory(const struct edge_source *source, const struct memory_budget *budget, struct error *e)
{
    char need[16], left[16];
    uint64_t n = source->totals.n, edges = source->totals.edges;
    uint64_t bytes = n * (sizeof(uint64_t) + sizeof(uint32_t)) + edges * sizeof(uint32_t);
    if (n >= DONE)
        return fail(e, ST_RESOURCE, "--strong: %s has %" PRIu64 " vertices, and strong components are found of less than 2^31; "
                    "weak ones, without --strong, of any number", source->name, n);
    if (bytes > memory_left(budget))
        return fail(e, ST_RESOURCE, "--strong: the arcs of %s take %s of memory, and %s of the memory budget (-S) are left; weak "
                    "components, without --strong, need no arcs in memory", source->name, format_size(bytes, need, sizeof need),
                    format_size(memory_left(budget), left, sizeof left));
    return ST_OK;
}

/* Finds the strong components (strong.h). The slots of the forest, which are zero before, serve as the numbers of the search. */
enum status strong_components(struct forest *forest, struct edge_source *source, struct memory_budget *budget, struct error *e)
{
    struct rows rows = {.n = source->totals.n};
    struct search k = {.rows = &rows, .waiting = rows.n};
    if (check_memory(source, budget, e) == ST_OK && make_rows(&rows, source, forest->values.threads, budget, e) == ST_OK &&
        memory_take(budget, (void **)&k.stack, rows.n, sizeof *k.stack, "stack of vertices", e) == ST_OK) {
        k.number = forest->values.of; /* zeroed when the forest was opened */
        search_all(&k);
    }
    memory_release(budget, rows.end);
    memory_release(budget, rows.head);
    memory_release(budget, k.stack);
    return e->status;
}
