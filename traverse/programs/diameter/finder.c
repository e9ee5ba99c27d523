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
    f->known.diameter[0] = -1;
    if (root_search_open(&f->search, searcher, reverse, e) == ST_OK &&
        bounds_open(&f->bounds, f->search.count, searcher->threads, &searcher->budget, e) == ST_OK)
        memory_take(&searcher->budget, (void **)&f->scratch, f->search.capacity, 4, "distances", e);
    memory_advise_huge(f->scratch);
    f->rounds = (struct rounds){.search = &f->search, .bounds = {&f->bounds, &f->bounds}};
    if (reverse != NULL && e->status == ST_OK)
        directed_open(&f->directed, &f->search, &f->bounds, &f->goals, &f->known, e);
    return comm_agree(&searcher->comm, e);
}

/* Frees everything. *f may be zeroed. */
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
    uint64_t reached = bounds_reached(&f->bounds, distance);
    comm_sum_u64(&f->search.searcher->comm, &reached, 1);
    return reached;
}

/* ---- the bounds ---- */

/* Collective. Lowers the upper bounds by the pairs that landmark i leaves possible. Unless all eccentricities are wanted, bounds
 * below that of the diameter are of no use, and are not told apart. */
static enum status refine_by(struct finder *f, uint32_t i, struct error *e)
{
    const int32_t most = f->known.eccentricity[i];
    const struct landmark_limit limit = {.bounds = &f->bounds, .targets = &f->bounds, .to = f->distance[i], .from = f->distance[i],
                                         .most_to = most, .most_from = most, .floor = f->goals.all ? 0 : f->known.diameter[0]};
    return root_search_limit(&f->search, &limit, e);
}

/* Collective. Sets the counts of open vertices and the bounds in f->known by the bounds of all vertices. */
static void summarise(struct finder *f)
{
    struct known *k = &f->known;
    const struct comm *comm = &f->search.searcher->comm;
    struct open_bounds open;
    bounds_summarise(&f->bounds, k->diameter[0], k->radius[1], &open);
    uint64_t sums[] = {open.open, open.above, open.below};
    uint64_t least[] = {(uint64_t)open.least_lower, (uint64_t)open.least_open, (uint64_t)(INT32_MAX - open.greatest_upper)};
    comm_sum_u64(comm, sums, 3);
    comm_min_u64(comm, least, 3);
    k->open = sums[0];
    k->above = sums[1];
    k->below = sums[2];
    k->radius[0] = (int32_t)smaller(least[0], (uint64_t)k->radius[1]);
    k->least_open = (int32_t)least[1];
    k->diameter[1] = (int32_t)larger((uint64_t)INT32_MAX - least[2], (uint64_t)k->diameter[0]);
}

/* Collective. Once all eccentricities are known, sets the radius: a vertex with the smallest one may never have been a root. */
static void settle_radius(struct finder *f)
{
    struct found_vertex center;
    if (root_search_pick(&f->search, &f->bounds, PICK_LEAST_UPPER, NULL, 0, &center))
        known_take_center(&f->known, center.value, &center.root);
}

/* Collective. Uses the landmarks if it is time to do so, and sums up what is open. */
static enum status refine(struct finder *f, struct error *e)
{
    struct known *k = &f->known;
    summarise(f);
    if (!finder_is_done(f) && (f->goals.diameter || f->goals.all) && k->searches >= k->refined_at) {
        for (uint32_t i = 0; i < k->landmarks; i++) {
            if (refine_by(f, i, e) != ST_OK)
                return e->status;
        }
        if (f->goals.all)
            k->refined_at = (uint32_t)(k->searches + 1 + k->searches / REFINED_SHARE);
        summarise(f);
    }
    if (f->goals.all && finder_is_done(f))
        settle_radius(f);
    return ST_OK;
}

/* Takes over the eccentricity of a root, and a vertex that far from it. The root is not live any more. */
static void take_root(struct finder *f, const struct root *root, const struct found_vertex *farthest)
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

/* Collective. Makes *root a landmark, and returns memory for the distances from it, which the caller then searches: memory of its own or,
 * if there are LANDMARKS many already, that of the oldest landmark. Returns NULL after a failure. */
static int32_t *new_landmark(struct finder *f, const struct root *root, uint32_t *place, struct error *e)
{
    struct known *k = &f->known;
    const struct searcher *s = f->search.searcher;
    *place = k->landmarks < LANDMARKS ? k->landmarks++ : k->oldest++ % LANDMARKS;
    k->landmark[*place] = *root;
    if (f->distance[*place] == NULL) {
        memory_take(f->bounds.budget, (void **)&f->distance[*place], f->search.capacity, 4, "distances from a landmark", e);
        memory_advise_huge(f->distance[*place]);
    }
    return comm_agree(&s->comm, e) == ST_OK ? f->distance[*place] : NULL;
}

/* Collective. Searches from a live root, and narrows the bounds. Sets *farthest to a vertex farthest from it. */
static enum status search_from(struct finder *f, const struct root *root, int is_landmark, struct found_vertex *farthest,
                               struct error *e)
{
    uint32_t place = 0;
    int32_t *distance = is_landmark ? new_landmark(f, root, &place, e) : f->scratch;
    if (distance == NULL)
        return e->status;
    root_search_run(&f->search, ALONG, root, distance);
    root_search_pick(&f->search, &f->bounds, PICK_FARTHEST, distance, 0, farthest);
    bounds_narrow(&f->bounds, distance, farthest->value);
    if (f->known.size > 2)
        root_search_share_leaf(&f->search, &f->bounds, root, distance, farthest->value);
    take_root(f, root, farthest);
    if (is_landmark)
        f->known.eccentricity[place] = farthest->value;
    return ST_OK;
}

/* ---- components ---- */

/* Collective. Begins the component of a root, whose distances are in `distance`, which becomes the first landmark. */
static enum status begin_at(struct finder *f, const struct root *root, const int32_t *distance, struct error *e)
{
    struct known *k = &f->known;
    struct found_vertex farthest;
    uint32_t place;
    k->size = root->at == ROOT_AT_ISOLATED ? 1 : count_reached(f, distance);
    k->landmarks = k->oldest = k->refined_at = 0;
    k->turn = k->remote = 0;
    k->radius[1] = INT32_MAX;
    int32_t *kept = new_landmark(f, root, &place, e);
    if (kept == NULL)
        return e->status;
    memcpy(kept, distance, f->search.capacity * sizeof *kept);
    if (!root_search_pick(&f->search, &f->bounds, PICK_FARTHEST, distance, 0, &farthest))
        farthest = (struct found_vertex){.root = *root}; /* the root has no edges */
    bounds_begin(&f->bounds, distance, farthest.value, (int32_t)smaller(k->size, INT32_MAX));
    take_root(f, root, &farthest);
    k->eccentricity[place] = farthest.value;
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
    return begin_at(f, &root, f->scratch, e);
}

/* Collective. Begins a component (finder.h). The component before is finished. */
enum status finder_begin(struct finder *f, const struct root *root, int *begun, struct error *e)
{
    struct found_vertex hub;
    *begun = 1;
    if (f->known.size > 0)
        bounds_end(&f->bounds);
    if (root == NULL && f->search.searcher->graph.vertices == 0) { /* the first vertex is as good a component as any other */
        f->known.diameter[0] = 0;
        f->known.size = 1;
        f->known.last = f->known.from = f->known.to = f->known.center = (struct root){.at = ROOT_AT_ISOLATED};
        *begun = 0;
        return ST_OK;
    }
    if (directed_is_open(&f->directed))
        return directed_begin(&f->directed, e);
    f->known.at_hub = root == NULL;
    if (root == NULL && !f->goals.every)
        return begin_largest(f, begun, e);
    if (root != NULL) {
        root_search_run(&f->search, ALONG, root, f->scratch);
        return begin_at(f, root, f->scratch, e);
    }
    *begun = root_search_hub(&f->search, &f->bounds, 0, &hub);
    if (!*begun)
        return ST_OK;
    root_search_run(&f->search, ALONG, &hub.root, f->scratch);
    if (f->goals.all || count_reached(f, f->scratch) > (uint64_t)f->known.diameter[0] + 1)
        return begin_at(f, &hub.root, f->scratch, e);
    bounds_leave_out(&f->bounds, f->scratch); /* no path in this component is longer than the diameter so far */
    f->known.open = f->known.above = f->known.below = 0;
    f->known.landmarks = 0;
    f->known.searches++;
    f->known.last = hub.root;
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

/* Collective. Chooses the next root, for all eccentricities: in turn a central vertex, and vertices that are farthest from the
 * landmarks and so keep the upper bounds of others high. Sets *is_landmark. */
static void choose_for_all(struct finder *f, struct found_vertex *next, int *is_landmark)
{
    struct known *k = &f->known;
    *is_landmark = k->turn % CENTRAL_TURNS == 0 || (k->landmarks < LANDMARKS && k->turn % 2 == 0);
    if (!*is_landmark && root_search_pick(&f->search, &f->bounds, PICK_REMOTE, f->distance[k->remote++ % k->landmarks],
                                          k->least_open, next))
        return;
    *is_landmark = 1;
    root_search_pick(&f->search, &f->bounds, PICK_OPEN_CENTRAL, NULL, 0, next);
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
        if (farthest.value > f->known.diameter[0]) { /* a pair of vertices is wanted */
            root_search_run(&f->search, ALONG, &root[i].root, f->scratch);
            root_search_pick(&f->search, &f->bounds, PICK_FARTHEST, f->scratch, 0, &farthest);
        }
        take_root(f, &root[i].root, &farthest);
    }
    f->known.refined_at = 0;
    return refine(f, e);
}

/* Returns whether the next roots are those of a round: all eccentricities are wanted, and all vertices are few levels from a landmark. In
 * other graphs, such as roads, each search tells more about which root is best next. */
static int goes_by_rounds(const struct finder *f)
{
    const struct known *k = &f->known;
    int is_near = 0;
    for (uint32_t i = 0; i < k->landmarks; i++)
        is_near |= k->eccentricity[i] < FEW_LEVELS;
    return f->goals.all && is_near;
}

/* Collective. Searches from one more root, or a round of them (finder.h). Chooses it by the first that is wanted and not yet known. */
enum status finder_step(struct finder *f, uint64_t most, struct error *e)
{
    struct known *k = &f->known;
    struct found_vertex next = {.root = k->next}, farthest;
    if (directed_is_open(&f->directed))
        return directed_step(&f->directed, most, e);
    const int has_next = k->has_next && is_live(f, &k->next), for_diameter = f->goals.diameter && k->above > 0;
    int is_landmark = 0;
    k->has_next = 0;
    /* of a component that was begun at another root, rounds need the hub; its eccentricity is half of that of the root, or more */
    const int wants_hub = !has_next && f->goals.all && !k->at_hub && k->eccentricity[0] < 2 * FEW_LEVELS &&
                          root_search_hub(&f->search, &f->bounds, 1, &next);
    if (!has_next && !wants_hub && goes_by_rounds(f))
        return step_by_round(f, most, e);
    if (wants_hub) {
        k->at_hub = is_landmark = 1;
    } else if (!has_next && f->goals.all) {
        choose_for_all(f, &next, &is_landmark);
    } else if (!has_next && for_diameter) {
        is_landmark = k->landmarks < FEW_LANDMARKS && k->turn % 2 == 0;
        root_search_pick(&f->search, &f->bounds, is_landmark ? PICK_CENTRAL : PICK_EXTREME, NULL, k->diameter[0], &next);
    } else if (!has_next) {
        root_search_pick(&f->search, &f->bounds, PICK_CENTRAL, NULL, 0, &next);
    }
    if (search_from(f, &next.root, is_landmark, &farthest, e) != ST_OK)
        return e->status;
    if (!has_next && !wants_hub)
        k->turn++;
    if (!has_next && !for_diameter && !f->goals.all) { /* of the radius: the farthest vertex raises the bounds of central ones */
        k->next = farthest.root;
        k->has_next = 1;
    }
    return refine(f, e);
}

/* Collective. After a state was read: searches from its landmarks again, as a state does not have their distances. Bounds stay. */
enum status finder_restore(struct finder *f, struct error *e)
{
    const uint32_t landmarks = f->known.landmarks;
    uint32_t place;
    if (directed_is_open(&f->directed))
        return directed_restore(&f->directed, e);
    f->known.landmarks = 0; /* new_landmark adds them again, one by one */
    for (uint32_t i = 0; i < landmarks; i++) {
        const struct root root = f->known.landmark[i];
        int32_t *distance = new_landmark(f, &root, &place, e);
        if (distance == NULL)
            return e->status;
        root_search_run(&f->search, ALONG, &root, distance);
        f->known.last = root;
    }
    return ST_OK;
}
