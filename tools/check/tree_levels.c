/* tree_levels.c: see tree_levels.h */
#include "tree_levels.h"

#include <string.h>

typedef unsigned long long ull;

/* Values in place of levels not yet known. They are above all real levels, and their settled bit says nothing. */
#define LEVEL_UNKNOWN (UINT32_MAX - 1) /* not looked at */
#define LEVEL_ON_WAY (UINT32_MAX - 2)  /* on the way that is being followed */

/* Where the level of vertex v is. */
static uint32_t *level_at(struct claim_windows *w, uint64_t v)
{
    return &w->word[v * w->stride];
}

/* Fails with the smallest vertex of the cycle that `v` is on. */
static enum status refuse_cycle(const struct claim_windows *w, uint64_t v, struct error *e)
{
    uint64_t smallest = v;
    for (uint64_t x = claim_parent(w, v); x != v; x = claim_parent(w, x))
        smallest = x < smallest ? x : smallest;
    return fail(e, ST_INVALID, "%s: tree edge %lld %lld: on a cycle of parents", w->claims->parents.name,
                claims_shown(w->claims, (int64_t)smallest), claims_shown(w->claims, (int64_t)claim_parent(w, smallest)));
}

/* Follows parents from v to the first vertex whose level is known, and from there gives levels to the vertices on the way. */
static enum status follow(struct claim_windows *w, uint64_t v, struct error *e)
{
    uint64_t x = v, child = v, steps = 0;
    while (*level_at(w, x) == LEVEL_UNKNOWN) {
        *level_at(w, x) = LEVEL_ON_WAY;
        child = x;
        x = claim_parent(w, x);
        steps++;
    }
    if (*level_at(w, x) == LEVEL_UNREACHED)
        return fail(e, ST_INVALID, "%s: tree edge %lld %lld: %lld has no parent", w->claims->parents.name,
                    claims_shown(w->claims, (int64_t)child), claims_shown(w->claims, (int64_t)x), claims_shown(w->claims, (int64_t)x));
    if (*level_at(w, x) == LEVEL_ON_WAY)
        return refuse_cycle(w, x, e);
    uint64_t depth = *level_at(w, x) / 2 + steps;
    if (depth > LEVEL_MOST_DEPTH)
        return fail(e, ST_RESOURCE,
                    "%s: vertex %lld: depth %llu is more than this program can check",
                    w->claims->parents.name, claims_shown(w->claims, (int64_t)v), (ull)depth);
    for (x = v; *level_at(w, x) == LEVEL_ON_WAY; x = claim_parent(w, x))
        *level_at(w, x) = (uint32_t)depth-- << 1;
    return ST_OK;
}

/* Sets the level of every vertex by following parents to a root, and sums up the levels. */
enum status tree_levels_find(struct claim_windows *w, struct claim_sums *sums, struct error *e)
{
    uint64_t n = w->claims->n;
    memset(sums, 0, sizeof *sums);
    for (uint64_t v = 0; v < n; v++) {
        if (claims_root_index(w->claims, v) < 0 && *level_at(w, v) != LEVEL_UNREACHED)
            *level_at(w, v) = LEVEL_UNKNOWN;
    }
    for (uint64_t v = 0; v < n && e->status == ST_OK; v++) {
        if (*level_at(w, v) == LEVEL_UNREACHED)
            continue;
        if (*level_at(w, v) != LEVEL_UNKNOWN || follow(w, v, e) == ST_OK)
            claim_sums_add(sums, v, *level_at(w, v) / 2);
    }
    return e->status;
}
