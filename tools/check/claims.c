/* claims.c: see claims.h */
#include "claims.h"

#include <string.h>

enum { CHUNK = 4096 };

typedef long long ll;

enum status claims_open(struct claims *a, const char *depths, const char *parents, uint64_t n,
                         const char *tmpdir, struct error *e)
{
    a->n = n;
    a->has_depths = depths != NULL;
    a->has_parents = parents != NULL;
    if (depths != NULL && claim_file_open(&a->depths, depths, n, tmpdir, e) != ST_OK)
        return e->status;
    if (parents != NULL && claim_file_open(&a->parents, parents, n, tmpdir, e) != ST_OK)
        claim_file_close(&a->depths);
    return e->status;
}

void claims_close(struct claims *a)
{
    claim_file_close(&a->depths);
    claim_file_close(&a->parents);
}

enum status claims_value(const struct claim_file *file, uint64_t vertex, int64_t *value, struct error *e)
{
    return claim_file_read(file, vertex, 1, value, e);
}

/* ---- the survey ---- */

/* The values of one vertex. CLAIM_NONE stands for a value without a file. */
struct vertex_claim {
    uint64_t id;
    int64_t depth, parent;
};

/* Nonzero for CLAIM_NONE and numbers below n. */
static int is_value(const struct claims *a, int64_t value)
{
    return value == CLAIM_NONE || (value >= 0 && (uint64_t)value < a->n);
}

/* Nonzero if either file has the vertex as the root. */
static int looks_like_root(const struct claims *a, const struct vertex_claim *v)
{
    return (a->has_depths && v->depth == 0) || (a->has_parents && v->parent == (int64_t)v->id);
}

static enum status check_root(const struct claims *a, const struct vertex_claim *v, struct error *e)
{
    if (a->has_depths && v->depth != 0)
        return fail(e, ST_INVALID, "%s: vertex %lld: depth %lld, and it is the root",
                    a->depths.name, (ll)v->id, (ll)v->depth);
    if (a->has_parents && v->parent != (int64_t)v->id)
        return fail(e, ST_INVALID,
                    "%s: vertex %lld: parent %lld, and it is the root, which is its own",
                    a->parents.name, (ll)v->id, (ll)v->parent);
    return ST_OK;
}

/* Checks a vertex that is not the root. */
static enum status check_other(const struct claims *a, const struct vertex_claim *v, struct error *e)
{
    if (a->has_depths && v->depth == 0)
        return fail(e, ST_INVALID, "%s: vertex %lld: depth 0, and the root is %lld", a->depths.name,
                    (ll)v->id, (ll)a->root);
    if (a->has_parents && v->parent == (int64_t)v->id)
        return fail(e, ST_INVALID, "%s: vertex %lld: its own parent, and the root is %lld",
                    a->parents.name, (ll)v->id, (ll)a->root);
    if (a->has_depths && a->has_parents && (v->depth == CLAIM_NONE) != (v->parent == CLAIM_NONE))
        return fail(e, ST_INVALID, "%s: vertex %lld: parent %lld, and depth %lld", a->parents.name,
                    (ll)v->id, (ll)v->parent, (ll)v->depth);
    return ST_OK;
}

/* Checks one vertex by itself. While *rooted is 0, makes the first vertex that looks like one the root. */
static enum status check_vertex(struct claims *a, int *rooted, const struct vertex_claim *v, struct error *e)
{
    if (!is_value(a, v->depth))
        return fail(e, ST_INVALID, "%s: vertex %lld: %lld is no depth", a->depths.name, (ll)v->id,
                    (ll)v->depth);
    if (!is_value(a, v->parent))
        return fail(e, ST_INVALID, "%s: vertex %lld: %lld is no parent", a->parents.name, (ll)v->id,
                    (ll)v->parent);
    if (!*rooted && looks_like_root(a, v)) {
        a->root = v->id;
        *rooted = 1;
    }
    return *rooted && v->id == a->root ? check_root(a, v, e) : check_other(a, v, e);
}

/* Checks `count` vertices from `first` on, and adds their depths to *sums. */
static enum status survey_chunk(struct claims *a, uint64_t first, uint64_t count, int *rooted,
                                struct claim_sums *sums, struct error *e)
{
    int64_t depth[CHUNK], parent[CHUNK];
    memset(depth, 0xff, sizeof depth); /* CLAIM_NONE */
    memset(parent, 0xff, sizeof parent);
    if ((a->has_depths && claim_file_read(&a->depths, first, count, depth, e) != ST_OK) ||
        (a->has_parents && claim_file_read(&a->parents, first, count, parent, e) != ST_OK))
        return e->status;
    for (uint64_t i = 0; i < count; i++) {
        const struct vertex_claim v = {first + i, depth[i], parent[i]};
        if (check_vertex(a, rooted, &v, e) != ST_OK)
            return e->status;
        if (v.depth != CLAIM_NONE)
            claim_sums_add(sums, v.id, (uint64_t)v.depth);
    }
    return ST_OK;
}

/* Checks all vertices without edges, finds the root unless it is given, and sums up the depths. */
enum status claims_survey(struct claims *a, struct claim_sums *sums, struct error *e)
{
    int rooted = a->root_given;
    const char *name = a->has_depths ? a->depths.name : a->parents.name;
    memset(sums, 0, sizeof *sums);
    for (uint64_t first = 0; first < a->n && e->status == ST_OK; first += CHUNK) {
        uint64_t count = a->n - first < CHUNK ? a->n - first : CHUNK;
        survey_chunk(a, first, count, &rooted, sums, e);
    }
    if (e->status == ST_OK && !rooted)
        fail(e, ST_INVALID, "%s: no vertex is the root", name);
    return e->status;
}
