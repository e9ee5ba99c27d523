/* edge_rules.c: see edge_rules.h */
#include "edge_rules.h"

#include <stdlib.h>

enum { BATCH = 128 }; /* edges between fetching their ends into the cache and looking at them */

/* The first offence that a thread has found, in a cache line of its own. */
struct thread_offence {
    _Alignas(64) struct offence first;
};

/* A pass over the edges between the two windows in memory and, in some passes, over those that stay within one of them. */
struct rules_pass {
    struct claim_windows *w;
    int directed;
    uint64_t begin[2], ids[2]; /* of the windows in memory; 0 ids: none */
    int within[2];             /* this pass takes the edges within this window */
    struct thread_offence *thread;
};

struct slots {
    uint64_t u[BATCH], v[BATCH];
};

/* ---- one edge ---- */

/* Sets *first to u, v if that is smaller. */
static void keep_first(struct offence *first, uint64_t u, uint64_t v)
{
    if (u < first->u || (u == first->u && v < first->v))
        *first = (struct offence){u, v};
}

/* The same for an undirected edge. */
static void note_offence(struct offence *first, uint64_t u, uint64_t v)
{
    keep_first(first, u < v ? u : v, u < v ? v : u);
}

/* The level of the vertex in `slot`, with its settled bit, which other threads may set. */
static uint32_t level_in(const struct claim_windows *w, uint64_t slot)
{
    return __atomic_load_n(&w->word[slot * w->stride], __ATOMIC_RELAXED);
}

/* Settles the vertex in `slot` by the vertex `neighbour` in slot `up`, one level up; if parents are given, only if this is its
 * parent, and if nearest roots are given, only if both have the same. */
static void settle(struct claim_windows *w, uint64_t slot, uint32_t level, uint64_t up, uint64_t neighbour)
{
    if (level & LEVEL_SETTLED)
        return;
    if ((!w->claims->has_parents || claim_parent(w, slot) == neighbour) &&
        (!w->claims->has_nearest || claim_nearest(w, slot) == claim_nearest(w, up)))
        __atomic_fetch_or(&w->word[slot * w->stride], LEVEL_SETTLED, __ATOMIC_RELAXED);
}

/* Checks an undirected edge, and settles its deeper end if it can. */
static void check_undirected(struct rules_pass *p, const struct edge *edge, uint64_t slot_u, uint64_t slot_v,
                             struct offence *first)
{
    uint32_t u = level_in(p->w, slot_u), v = level_in(p->w, slot_v);
    uint32_t up_u = u | LEVEL_SETTLED, up_v = v | LEVEL_SETTLED; /* the words of both ends if both were settled */
    if (up_u == up_v)
        return;
    if (u == LEVEL_UNREACHED || v == LEVEL_UNREACHED) {
        if ((u == LEVEL_UNREACHED ? v : u) / 2 < p->w->claims->deepest)
            note_offence(first, edge->u, edge->v);
        return;
    }
    if (up_u == up_v + 2)
        settle(p->w, slot_u, u, slot_v, edge->v);
    else if (up_v == up_u + 2)
        settle(p->w, slot_v, v, slot_u, edge->u);
    else
        note_offence(first, edge->u, edge->v);
}

/* Checks a directed edge from u to v, and settles v if it can. An edge whose tail was not reached says nothing. */
static void check_directed(struct rules_pass *p, const struct edge *edge, uint64_t slot_u, uint64_t slot_v,
                           struct offence *first)
{
    uint32_t u = level_in(p->w, slot_u), v = level_in(p->w, slot_v);
    uint64_t up_u = u | LEVEL_SETTLED, up_v = v | LEVEL_SETTLED;
    if (u == LEVEL_UNREACHED)
        return;
    if (v == LEVEL_UNREACHED ? u / 2 < p->w->claims->deepest : up_v > up_u + 2)
        keep_first(first, edge->u, edge->v);
    else if (v != LEVEL_UNREACHED && up_v == up_u + 2)
        settle(p->w, slot_v, v, slot_u, edge->u);
}

/* ---- edges ---- */

/* Finds the slot of a vertex, its index in the memory of both windows. Returns which half that is; -1 if in neither window. */
static int find_slot(const struct rules_pass *p, uint64_t id, uint64_t *slot)
{
    *slot = id - p->begin[0];
    if (*slot < p->ids[0])
        return 0;
    *slot = id - p->begin[1];
    if (*slot >= p->ids[1])
        return -1;
    *slot += p->w->size;
    return 1;
}

/* Copies the edges that this pass takes to kept[], and the slots of their ends to `at`. Returns the number of these edges. */
static size_t find_slots(const struct rules_pass *p, const struct edge *edges, size_t count,
                         struct edge *kept, struct slots *at)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        int half_u = find_slot(p, edges[i].u, &at->u[found]);
        int half_v = find_slot(p, edges[i].v, &at->v[found]);
        if (half_u < 0 || half_v < 0 || (half_u == half_v && !p->within[half_u]))
            continue;
        __builtin_prefetch(&p->w->word[at->u[found] * p->w->stride]);
        __builtin_prefetch(&p->w->word[at->v[found] * p->w->stride]);
        kept[found++] = edges[i];
    }
    return found;
}

/* Checks the edges that this pass takes; an edges_visitor. */
static enum status visit_edges(void *context, int thread, const struct edge *edges, size_t count, struct error *e)
{
    struct rules_pass *p = context;
    struct slots at;
    struct edge kept[BATCH];
    (void)e;
    for (size_t first = 0; first < count; first += BATCH) {
        size_t batch = count - first < BATCH ? count - first : BATCH;
        size_t found = find_slots(p, edges + first, batch, kept, &at);
        for (size_t i = 0; i < found && p->directed; i++)
            check_directed(p, &kept[i], at.u[i], at.v[i], &p->thread[thread].first);
        for (size_t i = 0; i < found && !p->directed; i++)
            check_undirected(p, &kept[i], at.u[i], at.v[i], &p->thread[thread].first);
    }
    return ST_OK;
}

/* ---- passes ---- */

/* Makes this pass look for vertices of window `index` in this half of the memory. */
static void use_window(struct rules_pass *p, uint32_t index, int half)
{
    p->begin[half] = claim_window_begin(p->w, index);
    p->ids[half] = claim_window_end(p->w, index) - p->begin[half];
}

/* Makes the pass for windows a and b, over the edges between them. If b comes right after a, the pass also takes the edges
 * within a; if it is the last pass, those within b, too. */
static enum status pass_over_pair(struct rules_pass *p, struct graph_edges *edges, uint32_t a,
                                  uint32_t b, struct error *e)
{
    use_window(p, a, /* half */ 0);
    use_window(p, b, /* half */ 1);
    p->within[0] = b == a + 1;
    p->within[1] = b == a + 1 && b + 1 == p->w->count;
    claim_windows_load(p->w, b, 1, e);
    if (graph_edges_scan(edges, visit_edges, p, e) != ST_OK)
        return e->status;
    claim_windows_settle(p->w, a, 0);
    claim_windows_settle(p->w, b, 1);
    return ST_OK;
}

/* ---- all ranks ---- */

/* Sets *first to the smallest offence of all threads and ranks. */
static void find_first(const struct rules_pass *p, const struct comm *comm, int threads, struct offence *first)
{
    *first = (struct offence){UINT64_MAX, UINT64_MAX};
    for (int t = 0; t < threads; t++) {
        const struct offence *own = &p->thread[t].first;
        keep_first(first, own->u, own->v);
    }
    uint64_t least = comm_min_of(comm, first->u);
    first->v = comm_min_of(comm, first->u == least ? first->v : UINT64_MAX);
    first->u = least;
}

/* Makes all passes: sets *first to the smallest offence, and completes the mask of settled vertices. Collective. */
enum status edge_rules_check(struct graph_edges *edges, struct claim_windows *w, struct offence *first, struct error *e)
{
    struct rules_pass p = {.w = w, .directed = edges->directed};
    size_t bytes = (size_t)edges->threads * sizeof *p.thread;
    p.thread = aligned_alloc(_Alignof(struct thread_offence), bytes);
    if (p.thread == NULL)
        fail_memory(e, "offences", bytes);
    for (int t = 0; t < edges->threads && p.thread != NULL; t++)
        p.thread[t].first = (struct offence){UINT64_MAX, UINT64_MAX};
    comm_agree(edges->comm, e);
    if (w->count == 1 && e->status == ST_OK) {
        use_window(&p, /* index */ 0, /* half */ 0);
        p.within[0] = 1;
        if (graph_edges_scan(edges, visit_edges, &p, e) == ST_OK)
            claim_windows_settle(w, /* index */ 0, /* half */ 0);
    }
    for (uint32_t a = 0; a + 1 < w->count && e->status == ST_OK; a++) {
        /* if window a cannot be read, its first pass is made all the same, because in a pass the other ranks learn of the failure */
        claim_windows_load(w, a, 0, e);
        for (uint32_t b = a + 1; b < w->count && (b == a + 1 || e->status == ST_OK); b++)
            pass_over_pair(&p, edges, a, b, e);
    }
    if (e->status == ST_OK) {
        find_first(&p, edges->comm, edges->threads, first);
        comm_or_masks(edges->comm, w->settled, w->claims->n / 64 + 1);
    }
    free(p.thread);
    return e->status;
}
