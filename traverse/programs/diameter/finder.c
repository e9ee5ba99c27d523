/* finder.c: chooses roots, searches, and narrows the bounds until they meet (finder.h) */
#include "finder.h"

#include "formats/base/arith.h"

#include <stdlib.h>
#include <string.h>

/* How roots are chosen:
 * - CENTRAL_TURNS: with goals.all, every so many turns a new landmark is searched from.
 * - FEW_LANDMARKS: without goals.all, this number of landmarks is enough.
 * - REFINED_SHARE: with goals.all, the landmarks are used again after every 1 / REFINED_SHARE of all searches, as each use is
 *   two passes over the vertices for each landmark. */
enum { CENTRAL_TURNS = 8, FEW_LANDMARKS = 2, REFINED_SHARE = 64 };

/* Opens the search, the bounds and the memory for distances (finder.h). */
enum status finder_open(struct finder *f, struct searcher *searcher, struct searcher *reverse, const struct goals *goals,
                        struct error *e)
{
    *f = (struct finder){.goals = *goals};
    f->known.diameter.lower = -1;
    if (root_search_open(&f->search, searcher, reverse, e) == ST_OK &&
        bounds_open(&f->bounds, f->search.count, searcher->threads, &searcher->budget, e) == ST_OK)
        memory_take_huge(&searcher->budget, (void **)&f->scratch, f->search.capacity, 4, "distances", e);
    f->rounds = (struct rounds){.search = &f->search, .bounds = {&f->bounds, &f->bounds}};
    if (reverse != NULL && e->status == ST_OK)
        directed_open(&f->directed, &f->search, &f->bounds, &f->goals, &f->known, e);
    return comm_agree(&searcher->comm, e);
}

void finder_close(struct finder *f)
{
    if (f->search.searcher == NULL)
        return;
    for (int i = 0; i < LANDMARKS; i++)
        memory_release(&f->search.searcher->budget, f->distance[i]);
    memory_release(&f->search.searcher->budget, f->scratch);
    directed_close(&f->directed);
    rounds_close(&f->rounds);
    bounds_close(&f->bounds);
    root_search_close(&f->search);
}

/* Returns the number of vertices in all ranks that have a distance. */
static uint64_t count_reached(const struct finder *f, const int32_t *distance)
{
    uint64_t reached = bounds_count_reached(&f->bounds, distance);
    comm_sum_u64(&f->search.searcher->comm, &reached, 1);
    return reached;
}

/* ---- the bounds ---- */

/* Collective. Sets the counts of open vertices, and the bounds of diameter and radius, by the bounds of all vertices. */
static void summarise(struct finder *f)
{
    struct known *k = &f->known;
    const struct comm *comm = &f->search.searcher->comm;
    struct open_bounds open;
    bounds_summarise(&f->bounds, k->diameter.lower, k->radius.upper, &open);
    uint64_t sums[] = {open.open, open.above, open.below};
    uint64_t least[] = {(uint64_t)open.least_lower, (uint64_t)open.least_open, (uint64_t)(INT32_MAX - open.greatest_upper)};
    comm_sum_u64(comm, sums, 3);
    comm_min_u64(comm, least, 3);
    k->open = sums[0];
    k->above = sums[1];
    k->below = sums[2];
    k->radius.lower = (int32_t)smaller(least[0], (uint64_t)k->radius.upper);
    k->least_open = (int32_t)least[1];
    k->diameter.upper = (int32_t)larger((uint64_t)INT32_MAX - least[2], (uint64_t)k->diameter.lower);
}

/* Collective. Lowers upper bounds by the landmarks if it is time to do so, and counts the vertices whose bounds are open. Unless all
 * eccentricities are wanted, bounds below that of the diameter are of no use, and are not told apart. */
static enum status refine(struct finder *f, struct error *e)
{
    struct known *k = &f->known;
    struct found_vertex center;
    summarise(f);
    if (!finder_is_done(f) && (f->goals.diameter || f->goals.all) && k->searches >= k->refine_at) {
        for (uint32_t i = 0; i < k->landmarks; i++) {
            const int32_t most = k->farthest[ALONG][i];
            const struct landmark_limit limit = {.bounds = &f->bounds, .targets = &f->bounds, .to = f->distance[i], .from = f->distance[i],
                                                 .most_to = most, .most_from = most, .floor = f->goals.all ? 0 : k->diameter.lower};
            if (root_search_narrow_by_landmark(&f->search, &limit, e) != ST_OK)
                return e->status;
        }
        if (f->goals.all)
            k->refine_at = (uint32_t)(k->searches + 1 + k->searches / REFINED_SHARE);
        summarise(f);
    }
    /* a vertex with the smallest eccentricity may never have been a root */
    if (f->goals.all && finder_is_done(f) && root_search_pick(&f->search, &f->bounds, PICK_LEAST_UPPER, NULL, 0, &center))
        known_take_center(k, center.value, &center.root);
    return ST_OK;
}

/* Makes the distance of a vertex farthest from a root the bounds of the root, which is not live any more. */
static void settle_root(struct finder *f, const struct root *root, const struct found_vertex *farthest)
{
    struct known *k = &f->known;
    const uint64_t index = root_search_index(&f->search, root);
    const int32_t e = farthest->value;
    if (index != UINT64_MAX) {
        f->bounds.lower[index] = e;
        f->bounds.upper[index] = 0;
    }
    known_take_pair(k, e, root, &farthest->root);
    known_take_center(k, e, root);
    k->searches++;
    f->known.last = *root;
}

/* Collective. Makes *root landmark number *i, and returns memory for the distances from it, which the caller then searches: memory of its
 * own or, if there are LANDMARKS many already, that of the oldest landmark. Returns NULL after a failure. */
static int32_t *new_landmark(struct finder *f, const struct root *root, uint32_t *i, struct error *e)
{
    struct known *k = &f->known;
    const struct searcher *s = f->search.searcher;
    *i = k->landmarks < LANDMARKS ? k->landmarks++ : k->oldest++ % LANDMARKS;
    k->landmark[*i] = *root;
    if (f->distance[*i] == NULL)
        memory_take_huge(f->bounds.budget, (void **)&f->distance[*i], f->search.capacity, 4, "distances from a landmark", e);
    return comm_agree(&s->comm, e) == ST_OK ? f->distance[*i] : NULL;
}

/* Collective. Searches from a live root (bounds.h), and narrows the bounds of all vertices by the distances from it. If `is_landmark` is 1,
 * keeps these distances, by which later roots are picked. Sets *farthest to a vertex at the largest distance. */
static enum status search_and_narrow(struct finder *f, const struct root *root, int is_landmark, struct found_vertex *farthest,
                                     struct error *e)
{
    uint32_t i = 0;
    int32_t *distance = is_landmark ? new_landmark(f, root, &i, e) : f->scratch;
    if (distance == NULL)
        return e->status;
    root_search_run(&f->search, ALONG, root, distance);
    root_search_pick(&f->search, &f->bounds, PICK_FARTHEST, distance, 0, farthest);
    bounds_narrow(&f->bounds, distance, farthest->value);
    if (f->known.size > 2)
        root_search_share_leaf(&f->search, &f->bounds, root, distance, farthest->value);
    settle_root(f, root, farthest);
    if (is_landmark)
        f->known.farthest[ALONG][i] = farthest->value;
    return refine(f, e);
}

/* ---- components ---- */

/* Collective. Begins the component of a root, whose distances are in f->scratch. The root becomes the first landmark. */
static enum status begin_at(struct finder *f, const struct root *root, struct error *e)
{
    const int32_t *distance = f->scratch;
    struct known *k = &f->known;
    struct found_vertex farthest;
    uint32_t i;
    k->size = root->at == ROOT_AT_ISOLATED ? 1 : count_reached(f, distance);
    k->landmarks = k->oldest = k->refine_at = 0;
    k->steps = k->remote_steps = 0;
    k->radius.upper = INT32_MAX;
    int32_t *kept = new_landmark(f, root, &i, e);
    if (kept == NULL)
        return e->status;
    memcpy(kept, distance, f->search.capacity * sizeof *kept);
    if (!root_search_pick(&f->search, &f->bounds, PICK_FARTHEST, distance, 0, &farthest))
        farthest = (struct found_vertex){.root = *root}; /* the root has no edges */
    bounds_begin_component(&f->bounds, distance, farthest.value, (int32_t)smaller(k->size, INT32_MAX));
    settle_root(f, root, &farthest);
    k->farthest[ALONG][i] = farthest.value;
    k->next = farthest.root;
    k->has_next = 1;
    return refine(f, e);
}

/* Collective. Finds the largest component: searches from vertices that were not reached, until no more are left than the
 * largest component so far has. Begins this component. */
static enum status begin_largest(struct finder *f, int *begun, struct error *e)
{
    uint64_t left = f->search.searcher->graph.vertices, largest = 0;
    struct found_vertex hub;
    struct root root = {0};
    while (largest < left && root_search_hub(&f->search, &f->bounds, 0, &hub)) {
        root_search_run(&f->search, ALONG, &hub.root, f->scratch);
        const uint64_t size = count_reached(f, f->scratch);
        left -= smaller(size, left);
        if (size > largest) {
            largest = size;
            root = hub.root;
        }
        bounds_leave_out(&f->bounds, f->scratch);
        f->known.last = hub.root;
        f->known.searches++;
    }
    *begun = largest > 0;
    if (!*begun)
        return ST_OK;
    if (root.id != f->known.last.id)
        root_search_run(&f->search, ALONG, &root, f->scratch);
    else
        f->known.searches--; /* begin_at counts this search */
    return begin_at(f, &root, e);
}

/* Collective. Searches from a root of the next component, so that its vertices get their first bounds (finder.h). Sets *begun to 0 if there
 * is no such component. The component before is finished. */
enum status finder_begin(struct finder *f, const struct root *root, int *begun, struct error *e)
{
    struct known *k = &f->known;
    struct found_vertex hub;
    *begun = 1;
    if (k->size > 0)
        bounds_end_component(&f->bounds);
    if (root == NULL && f->search.searcher->graph.vertices == 0) { /* no vertex has edges: the first one is the component */
        k->diameter.lower = 0;
        k->size = 1;
        k->last = k->from = k->to = k->center = (struct root){.at = ROOT_AT_ISOLATED};
        *begun = 0;
        return ST_OK;
    }
    if (directed_is_open(&f->directed))
        return directed_begin(&f->directed, e);
    k->has_hub = root == NULL;
    if (root == NULL && !f->goals.every)
        return begin_largest(f, begun, e);
    if (root == NULL) { /* of every component, the next one is that of a hub that no search has reached */
        *begun = root_search_hub(&f->search, &f->bounds, 0, &hub);
        root = &hub.root;
    }
    if (!*begun)
        return ST_OK;
    root_search_run(&f->search, ALONG, root, f->scratch);
    if (!k->has_hub || f->goals.all || count_reached(f, f->scratch) > (uint64_t)k->diameter.lower + 1)
        return begin_at(f, root, e);
    bounds_leave_out(&f->bounds, f->scratch); /* no path in this component is longer than the diameter so far */
    k->open = k->above = k->below = 0;
    k->landmarks = 0;
    k->searches++;
    k->last = *root;
    return ST_OK;
}

/* ---- steps ---- */

/* Returns whether the bounds of what is wanted have met (finder.h). */
int finder_is_done(const struct finder *f)
{
    const struct known *k = &f->known;
    return f->goals.all ? k->open == 0
                        : (!f->goals.diameter || k->above == 0) && (!f->goals.radius || k->below == 0);
}

/* Collective. Returns whether a vertex is live. */
static int is_live(const struct finder *f, const struct root *root)
{
    const uint64_t index = root_search_index(&f->search, root);
    return comm_max_of(&f->search.searcher->comm, index != UINT64_MAX && f->bounds.upper[index] > 0) == 1;
}

/* Collective. Searches from up to `most` roots of a round, and narrows the bounds. */
static enum status step_by_round(struct finder *f, uint64_t most, struct error *e)
{
    const struct round round = rounds_choose(&f->rounds, &f->known, f->distance, f->distance);
    struct found_vertex root[ROUND_MOST];
    uint32_t count;
    if (rounds_run(&f->rounds, &round, smaller(most, ROUND_MOST), f->known.size, f->scratch, root, &count, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < count; i++) {
        struct found_vertex farthest = {.value = root[i].value};
        if (farthest.value > f->known.diameter.lower) { /* a pair of vertices is wanted */
            root_search_run(&f->search, ALONG, &root[i].root, f->scratch);
            root_search_pick(&f->search, &f->bounds, PICK_FARTHEST, f->scratch, 0, &farthest);
        }
        settle_root(f, &root[i].root, &farthest);
    }
    f->known.refine_at = 0;
    return refine(f, e);
}

/* Returns whether the next roots are those of a round: all eccentricities are wanted, and all vertices are few levels from a landmark. In
 * other graphs, such as roads, each search tells more about which root is best next. */
static int goes_by_rounds(const struct finder *f)
{
    const struct known *k = &f->known;
    int is_near = 0;
    for (uint32_t i = 0; i < k->landmarks; i++)
        is_near |= k->farthest[ALONG][i] < FEW_LEVELS;
    return f->goals.all && is_near;
}

/* Collective. Makes the next step towards all eccentricities, the first of these that fits:
 * - If the component was begun at another root than its hub, and rounds may be worth while: searches from the hub, which they need.
 * - Where rounds are worth while (goes_by_rounds): searches from the roots of a round.
 * - Searches from one vertex: a central one in every few steps, and else one that is far from a landmark, as such vertices keep the upper
 *   bounds of others high. */
static enum status step_for_all(struct finder *f, uint64_t most, struct error *e)
{
    struct known *k = &f->known;
    struct found_vertex next, farthest;
    int is_landmark = k->steps % CENTRAL_TURNS == 0 || (k->landmarks < LANDMARKS && k->steps % 2 == 0);
    /* the eccentricity of the hub is half of that of landmark 0, or more */
    if (!k->has_hub && k->farthest[ALONG][0] < 2 * FEW_LEVELS && root_search_hub(&f->search, &f->bounds, 1, &next)) {
        k->has_hub = 1;
        return search_and_narrow(f, &next.root, 1, &farthest, e);
    }
    if (goes_by_rounds(f))
        return step_by_round(f, most, e);
    if (is_landmark || !root_search_pick(&f->search, &f->bounds, PICK_REMOTE, f->distance[k->remote_steps++ % k->landmarks],
                                         k->least_open, &next)) {
        is_landmark = 1;
        root_search_pick(&f->search, &f->bounds, PICK_OPEN_CENTRAL, NULL, 0, &next);
    }
    k->steps++;
    return search_and_narrow(f, &next.root, is_landmark, &farthest, e);
}

/* Collective. Searches from one more root, or a round of them (finder.h). Chooses it by the first goal that is not yet reached. Where a
 * bound is open there is a vertex to pick. */
enum status finder_step(struct finder *f, uint64_t most, struct error *e)
{
    struct known *k = &f->known;
    const struct root next = k->next;
    struct found_vertex picked, farthest;
    if (directed_is_open(&f->directed))
        return directed_step(&f->directed, most, e);
    const int has_next = k->has_next && is_live(f, &next), for_diameter = f->goals.diameter && k->above > 0;
    k->has_next = 0;
    if (has_next)
        return search_and_narrow(f, &next, 0, &farthest, e);
    if (f->goals.all)
        return step_for_all(f, most, e);
    const int is_landmark = for_diameter && k->landmarks < FEW_LANDMARKS && k->steps % 2 == 0;
    root_search_pick(&f->search, &f->bounds, for_diameter && !is_landmark ? PICK_EXTREME : PICK_CENTRAL, NULL, k->diameter.lower, &picked);
    k->steps++;
    if (search_and_narrow(f, &picked.root, is_landmark, &farthest, e) == ST_OK && !for_diameter) {
        k->next = farthest.root; /* for the radius: the vertex farthest from a central one raises the bounds of other central ones */
        k->has_next = 1;
    }
    return e->status;
}

/* Collective. After a state was read: searches from its landmarks again, as a state does not have their distances. Bounds stay, and the
 * largest distances are those that the searches find, as tables are made for so many. */
enum status finder_restore(struct finder *f, struct error *e)
{
    const uint32_t landmarks = f->known.landmarks;
    struct found_vertex farthest;
    uint32_t number;
    if (directed_is_open(&f->directed))
        return directed_restore(&f->directed, e);
    f->known.landmarks = 0; /* new_landmark adds them again, one by one */
    for (uint32_t i = 0; i < landmarks; i++) {
        const struct root root = f->known.landmark[i];
        int32_t *distance = new_landmark(f, &root, &number, e);
        if (distance == NULL)
            return e->status;
        root_search_run(&f->search, ALONG, &root, distance);
        f->known.farthest[ALONG][i] = root_search_pick(&f->search, &f->bounds, PICK_FARTHEST, distance, 0, &farthest) ? farthest.value : 0;
        f->known.last = root;
    }
    return ST_OK;
}
