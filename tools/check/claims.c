/* claims.c: see claims.h */
#include "claims.h"

#include <string.h>

enum { CHUNK = 4096 };

typedef long long ll;

enum status claims_open(struct claims *a, const char *depths, const char *parents, const char *nearest, uint64_t n,
                         const char *tmpdir, struct error *e)
{
    a->n = n;
    a->has_depths = depths != NULL;
    a->has_parents = parents != NULL;
    a->has_nearest = nearest != NULL;
    if ((depths != NULL && claim_file_open(&a->depths, depths, /* is_depths */ 1, n, a->base, tmpdir, e) != ST_OK) ||
        (parents != NULL && claim_file_open(&a->parents, parents, /* is_depths */ 0, n, a->base, tmpdir, e) != ST_OK) ||
        (nearest != NULL && claim_file_open(&a->nearest, nearest, /* is_depths */ 0, n, a->base, tmpdir, e) != ST_OK))
        claims_close(a);
    return e->status;
}

void claims_close(struct claims *a)
{
    claim_file_close(&a->depths);
    claim_file_close(&a->parents);
    claim_file_close(&a->nearest);
}

/* Returns the index of a vertex among the roots by binary search; -1: it is none. */
int64_t claims_root_index(const struct claims *a, uint64_t vertex)
{
    uint64_t first = 0, end = a->root_count;
    while (first < end) {
        const uint64_t middle = first + (end - first) / 2;
        if (a->roots[middle] < vertex)
            first = middle + 1;
        else
            end = middle;
    }
    return first < a->root_count && a->roots[first] == vertex ? (int64_t)first : -1;
}

/* ---- the survey ---- */

/* The values of one vertex. CLAIM_NONE stands for a value without a file. */
struct vertex_claim {
    uint64_t id;
    int64_t depth, parent, nearest;
};

/* Nonzero for CLAIM_NONE and numbers below n. */
static int is_value(const struct claims *a, int64_t value)
{
    return value == CLAIM_NONE || (value >= 0 && (uint64_t)value < a->n);
}

static enum status check_root(const struct claims *a, const struct vertex_claim *v, struct error *e)
{
    const char *the = a->root_count > 1 ? "a" : "the";
    if (a->has_depths && v->depth != 0)
        return fail(e, ST_INVALID, "%s: vertex %lld: depth %lld, and it is %s root", a->depths.name, claims_shown(a, (int64_t)v->id),
                    (ll)v->depth, the);
    if (a->has_parents && v->parent != (int64_t)v->id)
        return fail(e, ST_INVALID, "%s: vertex %lld: parent %lld, and it is %s root, which is its own", a->parents.name,
                    claims_shown(a, (int64_t)v->id), claims_shown(a, v->parent), the);
    return ST_OK;
}

/* Checks a vertex that is not the root. */
static enum status check_other(const struct claims *a, const struct vertex_claim *v, struct error *e)
{
    const int says_depth = a->has_depths && v->depth == 0, says_parent = a->has_parents && v->parent == (int64_t)v->id;
    const char *name = says_depth ? a->depths.name : a->parents.name, *what = says_depth ? "depth 0" : "its own parent";
    if ((says_depth || says_parent) && a->root_count > 1)
        return fail(e, ST_INVALID, "%s: vertex %lld: %s, and it is none of the roots", name, claims_shown(a, (int64_t)v->id), what);
    if (says_depth || says_parent)
        return fail(e, ST_INVALID, "%s: vertex %lld: %s, and the root is %lld", name, claims_shown(a, (int64_t)v->id), what,
                    claims_shown(a, (int64_t)a->root));
    if (a->has_depths && a->has_parents && (v->depth == CLAIM_NONE) != (v->parent == CLAIM_NONE))
        return fail(e, ST_INVALID, "%s: vertex %lld: parent %lld, and depth %lld", a->parents.name,
                    claims_shown(a, (int64_t)v->id), claims_shown(a, v->parent), (ll)v->depth);
    return ST_OK;
}

/* Checks the nearest root of a vertex by itself. */
static enum status check_nearest(const struct claims *a, const struct vertex_claim *v, int is_root, struct error *e)
{
    const int64_t value = a->has_depths ? v->depth : v->parent;
    if (is_root && v->nearest != (int64_t)v->id)
        return fail(e, ST_INVALID, "%s: vertex %lld: nearest root %lld, and it is a root", a->nearest.name, claims_shown(a, (int64_t)v->id),
                    claims_shown(a, v->nearest));
    if ((v->nearest == CLAIM_NONE) != (value == CLAIM_NONE))
        return fail(e, ST_INVALID, "%s: vertex %lld: nearest root %lld, and %s %lld", a->nearest.name, claims_shown(a, (int64_t)v->id),
                    claims_shown(a, v->nearest), a->has_depths ? "depth" : "parent", a->has_depths ? (ll)value : claims_shown(a, value));
    if (v->nearest != CLAIM_NONE && (v->nearest < 0 || claims_root_index(a, (uint64_t)v->nearest) < 0))
        return fail(e, ST_INVALID, "%s: vertex %lld: nearest root %lld is no root", a->nearest.name, claims_shown(a, (int64_t)v->id),
                    claims_shown(a, v->nearest));
    return ST_OK;
}

/* Checks one vertex by itself. While there is no root, makes the first vertex that looks like one the root. */
static enum status check_vertex(struct claims *a, const struct vertex_claim *v, struct error *e)
{
    if (!is_value(a, v->depth))
        return fail(e, ST_INVALID, "%s: vertex %lld: %lld is no depth", a->depths.name, claims_shown(a, (int64_t)v->id),
                    (ll)v->depth);
    if (!is_value(a, v->parent))
        return fail(e, ST_INVALID, "%s: vertex %lld: %lld is no parent", a->parents.name, claims_shown(a, (int64_t)v->id),
                    claims_shown(a, v->parent));
    if (a->root_count == 0 && ((a->has_depths && v->depth == 0) || (a->has_parents && v->parent == (int64_t)v->id))) {
        a->root = v->id;
        a->roots = &a->root;
        a->root_count = 1;
    }
    const int is_root = claims_root_index(a, v->id) >= 0;
    if (a->has_nearest && check_nearest(a, v, is_root, e) != ST_OK)
        return e->status;
    return is_root ? check_root(a, v, e) : check_other(a, v, e);
}

/* Checks `count` vertices from `first` on, and adds their depths to *sums. */
static enum status survey_chunk(struct claims *a, uint64_t first, uint64_t count, struct claim_sums *sums, struct error *e)
{
    int64_t depth[CHUNK], parent[CHUNK], nearest[CHUNK];
    memset(depth, 0xff, sizeof depth); /* CLAIM_NONE */
    memset(parent, 0xff, sizeof parent);
    if ((a->has_depths && claim_file_read(&a->depths, first, count, depth, e) != ST_OK) ||
        (a->has_parents && claim_file_read(&a->parents, first, count, parent, e) != ST_OK) ||
        (a->has_nearest && claim_file_read(&a->nearest, first, count, nearest, e) != ST_OK))
        return e->status;
    for (uint64_t i = 0; i < count; i++) {
        const struct vertex_claim v = {first + i, depth[i], parent[i], a->has_nearest ? nearest[i] : CLAIM_NONE};
        if (check_vertex(a, &v, e) != ST_OK)
            return e->status;
        if (v.depth != CLAIM_NONE)
            claim_sums_add(sums, v.id, (uint64_t)v.depth);
    }
    return ST_OK;
}

/* Checks all vertices without edges, finds the root unless it is given, and sums up the depths. */
enum status claims_survey(struct claims *a, struct claim_sums *sums, struct error *e)
{
    const char *name = a->has_depths ? a->depths.name : a->parents.name;
    memset(sums, 0, sizeof *sums);
    for (uint64_t first = 0; first < a->n && e->status == ST_OK; first += CHUNK) {
        uint64_t count = a->n - first < CHUNK ? a->n - first : CHUNK;
        survey_chunk(a, first, count, sums, e);
    }
    if (e->status == ST_OK && a->root_count == 0)
        fail(e, ST_INVALID, "%s: no vertex is the root", name);
    return e->status;
}
