/* check.c: see check.h */
#include "check.h"

#include "edge_rules.h"
#include "tree_levels.h"

typedef long long ll;

/* Finds the depth of a vertex: in the file of depths or, if there are only parents, from its level, which is then in memory. */
static enum status find_depth(const struct claim_windows *w, uint64_t v, int64_t *depth, struct error *e)
{
    if (w->claims->has_depths)
        return claim_file_read(&w->claims->depths, v, 1, depth, e);
    uint32_t level = w->word[v * w->stride];
    *depth = level == LEVEL_UNREACHED ? CLAIM_NONE : (int64_t)(level / 2);
    return ST_OK;
}

/* The file of depths or, if there is none, that of parents. */
static const char *name_of(const struct claims *a)
{
    return a->has_depths ? a->depths.name : a->parents.name;
}

/* Fails: this edge contradicts the depths of its ends. `reversed`: it goes the other way in the graph. */
static enum status report_edge(const struct claim_windows *w, const struct offence *o, int reversed, struct error *e)
{
    uint64_t u = reversed ? o->v : o->u, v = reversed ? o->u : o->v;
    int64_t of_u, of_v;
    if (find_depth(w, u, &of_u, e) != ST_OK || find_depth(w, v, &of_v, e) != ST_OK)
        return e->status;
    return fail(e, ST_INVALID, "%s: edge %lld %lld: depths %lld and %lld", name_of(w->claims), claims_shown(w->claims, (int64_t)u),
                claims_shown(w->claims, (int64_t)v),
                (ll)of_u, (ll)of_v);
}

/* Fails: no edge has proved the depth of v; either its parent is not one level up, or has another nearest root, or the graph has
 * no edge between them. */
static enum status report_parent(const struct claim_windows *w, uint64_t v, int64_t depth, struct error *e)
{
    int64_t parent, of_parent, nearest = CLAIM_NONE, nearest_of_parent = CLAIM_NONE;
    if (claim_file_read(&w->claims->parents, v, 1, &parent, e) != ST_OK ||
        find_depth(w, (uint64_t)parent, &of_parent, e) != ST_OK)
        return e->status;
    if (of_parent != depth - 1)
        return fail(e, ST_INVALID, "%s: tree edge %lld %lld: depths %lld and %lld",
                    w->claims->parents.name, claims_shown(w->claims, (int64_t)v), claims_shown(w->claims, parent), (ll)depth,
                    (ll)of_parent);
    if (w->claims->has_nearest && (claim_file_read(&w->claims->nearest, v, 1, &nearest, e) != ST_OK ||
                                   claim_file_read(&w->claims->nearest, (uint64_t)parent, 1, &nearest_of_parent, e) != ST_OK))
        return e->status;
    if (nearest != nearest_of_parent)
        return fail(e, ST_INVALID, "%s: tree edge %lld %lld: nearest roots %lld and %lld", w->claims->nearest.name,
                    claims_shown(w->claims, (int64_t)v), claims_shown(w->claims, parent), claims_shown(w->claims, nearest),
                    claims_shown(w->claims, nearest_of_parent));
    return fail(e, ST_INVALID, "%s: tree edge %lld %lld: not in the graph",
                w->claims->parents.name, claims_shown(w->claims, (int64_t)v), claims_shown(w->claims, parent));
}

/* Fails: no edge has proved the depth of v. */
static enum status report_vertex(const struct claim_windows *w, uint64_t v, struct error *e)
{
    int64_t depth;
    if (find_depth(w, v, &depth, e) != ST_OK)
        return e->status;
    if (w->claims->has_parents)
        return report_parent(w, v, depth, e);
    if (!w->claims->has_nearest)
        return fail(e, ST_INVALID, "%s: vertex %lld: depth %lld, and no neighbour has depth %lld", w->claims->depths.name,
                    claims_shown(w->claims, (int64_t)v), (ll)depth, (ll)depth - 1);
    int64_t nearest;
    if (claim_file_read(&w->claims->nearest, v, 1, &nearest, e) != ST_OK)
        return e->status;
    return fail(e, ST_INVALID, "%s: vertex %lld: depth %lld and nearest root %lld, and no neighbour has depth %lld and this root",
                w->claims->nearest.name, claims_shown(w->claims, (int64_t)v), (ll)depth, claims_shown(w->claims, nearest),
                (ll)depth - 1);
}

/* Fails for the first vertex that no edge has settled, except roots. */
static enum status check_settled(const struct claim_windows *w, struct error *e)
{
    const struct claims *a = w->claims;
    uint64_t n = a->n, i = 0; /* roots[i] is the first root from `first` on */
    for (uint64_t first = 0; first < n && e->status == ST_OK; first += 64) {
        uint64_t open = ~w->settled[first / 64];
        if (n - first < 64)
            open &= (UINT64_C(1) << (n - first)) - 1;
        for (; i < a->root_count && a->roots[i] / 64 == first / 64; i++)
            open &= ~(UINT64_C(1) << (a->roots[i] % 64));
        if (open != 0)
            report_vertex(w, first + (uint64_t)__builtin_ctzll(open), e);
    }
    return e->status;
}

/* Finds offences that need no edge, and opens the windows. If there is one alone it is loaded, with levels. */
static enum status check_vertices(struct claim_windows *w, struct claims *a, int threads,
                                  struct memory_budget *budget, uint64_t room,
                                  struct claim_sums *sums, struct error *e)
{
    if (claims_survey(a, sums, e) != ST_OK ||
        claim_windows_open(w, a, threads, budget, room, e) != ST_OK)
        return e->status;
    if (w->count == 1 && claim_windows_load(w, /* index */ 0, /* half */ 0, e) == ST_OK && !a->has_depths)
        tree_levels_find(w, sums, e);
    sums->windows = w->count;
    if (e->status == ST_OK && sums->levels > (uint64_t)a->deepest + 1)
        fail(e, ST_INVALID, "%s: depth %llu, where the search ended at %u", name_of(a), (unsigned long long)sums->levels - 1, a->deepest);
    return e->status;
}

/* Tests all conditions, and fails with the first offence. All ranks call it together. */
enum status check_claims(struct graph_edges *edges, struct claims *a, int threads,
                          struct memory_budget *budget, struct claim_sums *sums, struct error *e)
{
    struct offence first;
    struct claim_windows w = {.budget = budget};
    uint64_t room = comm_min_of(edges->comm, memory_left(budget));
    check_vertices(&w, a, threads, budget, room, sums, e);
    if (comm_agree(edges->comm, e) == ST_OK && edge_rules_check(edges, &w, &first, e) == ST_OK) {
        if (first.u != UINT64_MAX)
            report_edge(&w, &first, edges->directed && edges->reversed, e);
        else
            check_settled(&w, e);
    }
    claim_windows_close(&w);
    return comm_agree(edges->comm, e);
}
