/* directed.c: chooses roots in a directed graph, searches, and narrows the bounds until they meet (directed.h) */
#include "directed.h"

#include "traverse/session/graph.h"

#include "formats/base/arith.h"

#include <inttypes.h>

enum {
    FEW_LANDMARKS = 2, /* landmarks that are enough for the diameter */
    ALL_LANDMARKS = 4, /* landmarks that are enough for all eccentricities */
    FEW_ROUNDS = 8,    /* rounds of searches along the edges, which settle few other vertices, between two narrowings of upper bounds */
    MOST_HUBS = 4,     /* hubs that are left for a better one before the components are found */
    MUCH = 64,         /* a set of vertices is much larger than another one from this factor on */
    SWEEPS = 2,        /* the first roots, each farthest from the one before */
    REFINED = 2        /* for the diameter: narrowings of the upper bounds of each side in turn, as each rests on the other's */
};

/* The sums and lengths of rest.h have 32 bits. */
#define MOST_VERTICES (UINT64_C(1) << 30)

/* Opens the bounds and the memory for distances (directed.h). */
enum status directed_open(struct directed *d, struct root_search *search, struct bounds *bounds, const struct goals *goals,
                          struct known *known, struct error *e)
{
    struct memory_budget *budget = bounds->budget;
    *d = (struct directed){.search = search, .goals = goals, .known = known, .bounds = {bounds, &d->against}};
    d->rounds = (struct rounds){.search = search, .bounds = {bounds, &d->against}};
    if (search->count >= MOST_VERTICES)
        return fail(e, ST_RESOURCE, "the directed graph has %" PRIu64 " vertices with edges: less than %" PRIu64 " are taken",
                    search->count, MOST_VERTICES);
    if (bounds_open(&d->against, search->count, bounds->threads, budget, e) == ST_OK)
        memory_take(budget, (void **)&d->uncovered, search->capacity, 4, "bounds of eccentricities", e);
    for (int side = 0; side < SIDES; side++)
        memory_take(budget, (void **)&d->scratch[side], search->capacity, 4, "distances", e);
    return e->status;
}

void directed_close(struct directed *d)
{
    if (!directed_is_open(d))
        return;
    struct memory_budget *budget = d->bounds[ALONG]->budget;
    for (int side = 0; side < SIDES; side++) {
        for (int i = 0; i < LANDMARKS; i++)
            memory_release(budget, d->distance[side][i]);
        memory_release(budget, d->scratch[side]);
    }
    memory_release(budget, d->uncovered);
    rest_close(&d->rest);
    rounds_close(&d->rounds);
    bounds_close(&d->against);
}

/* ---- searches ---- */

/* Searches from a root on one side. */
static void search_from(struct directed *d, enum side side, const struct root *root, int32_t *distance)
{
    root_search_run(d->search, side, root, distance);
    d->known->searches++;
    d->known->last = *root;
}

/* Makes `most`, the largest distance from a root on one side, the bounds of the root, which is not live any more on this side. */
static void settle_root(struct directed *d, enum side side, const struct root *root, int32_t most)
{
    const uint64_t index = root_search_index(d->search, root);
    d->bounds[side]->lower[index] = most;
    d->bounds[side]->upper[index] = 0;
    if (side == ALONG && d->distance[AGAINST][0][index] >= 0)
        known_take_center(d->known, most, root);
}

/* Uses the distances from a root, which a search on `side` has found: raises the lower bounds of the other side, and settles the root.
 * Returns the largest distance, and sets *farthest to a vertex at this distance. */
static int32_t take_distances(struct directed *d, enum side side, const struct root *root, const int32_t *distance, struct root *farthest)
{
    struct bounds *other = d->bounds[!side];
    struct found_vertex far;
    root_search_pick(d->search, other, PICK_FARTHEST, distance, 0, &far);
    bounds_raise_lower(other, distance);
    known_take_pair(d->known, far.value, side == ALONG ? root : &far.root, side == ALONG ? &far.root : root);
    settle_root(d, side, root, far.value);
    *farthest = far.root;
    return far.value;
}

/* Notes a root as the next landmark, and searches from it and to it. */
static enum status search_landmark(struct directed *d, const struct root *root, struct error *e)
{
    const uint32_t i = d->known->landmarks;
    for (int side = 0; side < SIDES; side++) {
        int32_t **distance = &d->distance[side][i];
        if (*distance == NULL && memory_take(d->bounds[ALONG]->budget, (void **)distance, d->search->capacity, 4,
                                             "distances from a landmark", e) != ST_OK)
            return e->status;
        root_search_run(d->search, side, root, *distance);
    }
    d->known->landmark[i] = d->known->last = *root;
    return ST_OK;
}

/* ---- the core ---- */

/* Makes landmark 0 a vertex with most edges of those that are marked as never reached, and searches from it and to it. */
static enum status take_hub(struct directed *d, struct error *e)
{
    struct found_vertex hub;
    root_search_hub(d->search, d->bounds[ALONG], 0, &hub);
    d->known->searches += SIDES;
    return search_landmark(d, &hub.root, e);
}

/* Makes landmark 0 a hub whose strong component is not much smaller than another set of vertices that may contain a larger one: those that
 * the hub reaches, that reach it, or neither. As long as there is such a set, the next hub is one of its vertices. MOST_HUBS are left. */
static enum status choose_hub(struct directed *d, struct error *e)
{
    int32_t *const *from = d->distance[ALONG], *const *to = d->distance[AGAINST];
    for (int left = 0; take_hub(d, e) == ST_OK && left < MOST_HUBS; left++) {
        uint64_t size[RELATIONS] = {0};
        for (uint64_t v = 0; v < d->search->count; v++)
            size[relation_of(from[0], to[0], v)]++;
        const int side = size[REACHED] >= size[REACHES] ? REACHED : REACHES;
        const int next = size[side] / MUCH > size[IN_CORE] ? side : UNRELATED;
        if (size[next] / MUCH <= size[IN_CORE])
            break;
        for (uint64_t v = 0; v < d->search->count; v++) /* lower bounds serve as marks until bounds are kept there */
            d->bounds[ALONG]->lower[v] = relation_of(from[0], to[0], v) == next ? NEVER_REACHED : 0;
    }
    return e->status;
}

/* Finds the rest of landmark 0. Devices that do not read the rows on the host get a graph opened that has them. */
static enum status find_rest(struct directed *d, struct error *e)
{
    struct searcher *s = d->search->searcher;
    struct graph rows = {0};
    struct joined_graph all = {0};
    const int reads_host = s->rank.backend->reads_host_columns;
    const struct graph_options options = {.folder = s->args->folder,
                                          .device_count = s->graph.device_count,
                                          .resident = RESIDENT_PACKED,
                                          .trust = s->args->trust,
                                          .columns = SHARD_ALL_COLUMNS,
                                          .threads = s->threads,
                                          .budget = &s->budget};
    if ((reads_host || graph_open(&rows, &s->comm, &options, e) == ST_OK) &&
        joined_graph_open(&all, reads_host ? &s->graph : &rows, &comm_alone, 0, &s->budget, e) == ST_OK)
        rest_open(&d->rest, &all, d->distance[ALONG][0], d->distance[AGAINST][0], e);
    joined_graph_close(&all);
    graph_close(&rows);
    return e->status;
}

/* Marks the vertices of all largest strong components as never reached. Returns whether the core is the largest component, or one of them
 * that has a vertex with most edges. */
static int core_is_largest(struct directed *d)
{
    const struct rest *rest = &d->rest;
    const uint64_t core = d->search->count - rest->count, largest = larger(core, rest_largest(rest));
    struct found_vertex hub;
    for (uint64_t v = 0; v < d->search->count; v++) {
        const uint32_t c = rest->component[v];
        d->bounds[ALONG]->lower[v] = (c == REST_CORE ? core : rest_size(rest, c)) == largest ? NEVER_REACHED : 0;
    }
    root_search_hub(d->search, d->bounds[ALONG], 0, &hub);
    return rest->component[root_search_index(d->search, &hub.root)] == REST_CORE;
}

/* Finds the core, with landmark 0 in it, and the rest. The core of a chosen hub is taken if it is the largest strong component. Otherwise
 * the next hub is in the largest one, which is marked then. */
static enum status find_core(struct directed *d, struct error *e)
{
    if (choose_hub(d, e) == ST_OK && find_rest(d, e) == ST_OK && !core_is_largest(d)) {
        rest_close(&d->rest);
        if (take_hub(d, e) == ST_OK)
            find_rest(d, e);
    }
    d->known->size = d->search->count - d->rest.count;
    return e->status;
}

/* ---- upper bounds ---- */

/* Returns the number below which upper bounds need not be told apart. */
static int32_t floor_of(const struct directed *d)
{
    return d->goals->all ? 0 : d->known->diameter.lower;
}

/* Lowers the upper bounds of one side by a landmark: by the distances from it and to it, and by d->uncovered for other pairs. */
static enum status lower_by_landmark(struct directed *d, enum side side, int32_t *const distance[SIDES], const int32_t most[SIDES],
                                     struct error *e)
{
    const struct landmark_limit limit = {.bounds = d->bounds[side],
                                         .targets = d->bounds[!side],
                                         .to = distance[!side],
                                         .from = distance[side],
                                         .most_to = most[!side],
                                         .most_from = most[side],
                                         .uncovered = d->uncovered,
                                         .floor = floor_of(d)};
    return root_search_narrow_by_landmark(d->search, &limit, e);
}

/* Takes one member of a component of the rest, whose distances are in d->scratch, and lowers with them the upper bounds of all members. */
static void lower_component(struct directed *d, enum side side, uint32_t component)
{
    struct bounds *b = d->bounds[side];
    const int32_t floor = floor_of(d), *to = d->scratch[!side];
    struct found_vertex target;
    const int any = root_search_pick(d->search, d->bounds[!side], PICK_REMOTE, d->scratch[side], floor, &target);
    for (uint32_t i = d->rest.first[component]; i < d->rest.first[component + 1]; i++) {
        const uint32_t v = d->rest.member[i];
        const int32_t by_root = any ? to[v] + target.value : 0, least = b->lower[v] > floor ? b->lower[v] : floor;
        const int32_t most = by_root > least ? by_root : least;
        b->upper[v] = most < b->upper[v] ? most : b->upper[v];
    }
}

/* Lowers the upper bounds of both sides by all landmarks, and by the last root if it was searched from on both sides. `most` has the
 * largest distances from this root and to it; NULL: it was searched from on one side alone, or is a landmark. */
static enum status narrow(struct directed *d, const int32_t *most, struct error *e)
{
    const struct known *k = d->known;
    const uint64_t last = root_search_index(d->search, &k->last);
    const uint32_t component = d->rest.component[last];
    for (int turn = 0; turn < (d->goals->diameter ? REFINED : 1) * SIDES; turn++) {
        const enum side side = turn % SIDES;
        rest_bound_uncovered(&d->rest, side, d->bounds[side], d->bounds[!side], floor_of(d), d->uncovered);
        for (uint32_t i = 0; i < k->landmarks; i++) {
            int32_t *const distance[SIDES] = {d->distance[ALONG][i], d->distance[AGAINST][i]};
            const int32_t farthest[SIDES] = {k->farthest[ALONG][i], k->farthest[AGAINST][i]};
            if (lower_by_landmark(d, side, distance, farthest, e) != ST_OK)
                return e->status;
        }
        if (most != NULL && component != REST_CORE)
            lower_component(d, side, component);
        else if (most != NULL && lower_by_landmark(d, side, d->scratch, most, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* Sets the counts of open vertices, and the bounds of diameter and radius, by the bounds of all vertices. Of the radius, those that reach
 * the core count. */
static void summarise(struct directed *d)
{
    struct known *k = d->known;
    struct open_bounds open[SIDES];
    struct found_vertex least;
    for (int side = 0; side < SIDES; side++)
        bounds_summarise(d->bounds[side], k->diameter.lower, 0, &open[side]);
    k->open = open[ALONG].open;
    k->least_open = open[ALONG].least_open;
    k->above = smaller(open[ALONG].above, open[AGAINST].above);
    const uint64_t upper = smaller((uint64_t)open[ALONG].greatest_upper, (uint64_t)open[AGAINST].greatest_upper);
    k->diameter.upper = (int32_t)larger((uint64_t)k->diameter.lower, upper);
    if (root_search_pick(d->search, d->bounds[ALONG], PICK_LEAST_UPPER, d->distance[AGAINST][0], 0, &least))
        known_take_center(k, least.value, &least.root);
    k->radius.lower = k->radius.upper;
    if (root_search_pick(d->search, d->bounds[ALONG], PICK_CENTRAL, d->distance[AGAINST][0], 0, &least) && least.value < k->radius.upper)
        k->radius.lower = least.value;
    k->below = bounds_count_below(d->bounds[ALONG], d->distance[AGAINST][0], k->radius.upper);
}

/* Narrows the bounds after searches from a root, with the argument of narrow, and counts the vertices whose bounds are open. */
static enum status refine(struct directed *d, const int32_t *most, struct error *e)
{
    if (narrow(d, most, e) == ST_OK)
        summarise(d);
    return e->status;
}

/* ---- steps ---- */

/* Takes over the searches of search_landmark from a root, and narrows the bounds. Sets *farthest to a vertex that is farthest along the
 * edges. */
static enum status take_landmark(struct directed *d, const struct root *root, struct root *farthest, struct error *e)
{
    struct known *k = d->known;
    const uint32_t i = k->landmarks;
    struct root farthest_to;
    k->farthest[ALONG][i] = take_distances(d, ALONG, root, d->distance[ALONG][i], farthest);
    k->farthest[AGAINST][i] = take_distances(d, AGAINST, root, d->distance[AGAINST][i], &farthest_to);
    k->landmarks++;
    return refine(d, NULL, e);
}

/* Finds the core and the rest, and narrows the bounds by landmark 0 (directed.h). */
enum status directed_begin(struct directed *d, struct error *e)
{
    struct known *k = d->known;
    if (find_core(d, e) != ST_OK)
        return e->status;
    for (int side = 0; side < SIDES; side++)
        bounds_begin_all(d->bounds[side], (int32_t)d->search->count - 1);
    k->radius.upper = INT32_MAX;
    k->sweeps = SWEEPS;
    k->has_next = 1;
    k->next_side = AGAINST;
    return take_landmark(d, &k->landmark[0], &k->next, e);
}

/* Sets *root to the next landmark: the vertex of the core with the smallest lower bound among those that are live (bounds.h) on both sides.
 * Returns 0 if there is none, or if more landmarks would not help. */
static int pick_landmark(const struct directed *d, int for_diameter, struct found_vertex *root)
{
    const struct known *k = d->known;
    if (d->goals->all ? k->landmarks >= ALL_LANDMARKS : !for_diameter || k->landmarks >= FEW_LANDMARKS || k->steps % 2 != 0)
        return 0;
    for (uint64_t v = 0; v < d->search->count; v++) /* 0: may be picked, if it is live along the edges; -1: not */
        d->scratch[ALONG][v] = d->rest.component[v] == REST_CORE && d->against.upper[v] > 0 ? 0 : -1;
    return root_search_pick(d->search, d->bounds[ALONG], PICK_CENTRAL, d->scratch[ALONG], 0, root);
}

/* Searches from a root along and against the edges, and makes it a landmark, which lowers upper bounds. */
static enum status step_by_landmark(struct directed *d, const struct root *root, struct error *e)
{
    struct root farthest;
    if (search_landmark(d, root, e) != ST_OK)
        return e->status;
    d->known->searches += SIDES;
    return take_landmark(d, root, &farthest, e);
}

/* Searches from a root on one side, along or against the edges, and narrows the bounds of all vertices by the distances. If `both` is 1,
 * does so on the other side, too, unless the root is alone in its component. Sets *farthest to a vertex at the largest distance on
 * `side`. */
static enum status search_and_narrow(struct directed *d, enum side side, const struct root *root, int both, struct root *farthest,
                                struct error *e)
{
    const uint32_t component = d->rest.component[root_search_index(d->search, root)];
    const uint64_t size = component == REST_CORE ? d->known->size : rest_size(&d->rest, component);
    struct root farthest_back;
    int32_t most[SIDES];
    search_from(d, side, root, d->scratch[side]);
    most[side] = take_distances(d, side, root, d->scratch[side], farthest);
    if (!both || size == 1)
        return refine(d, NULL, e);
    search_from(d, !side, root, d->scratch[!side]);
    most[!side] = take_distances(d, !side, root, d->scratch[!side], &farthest_back);
    return refine(d, most, e);
}

/* Searches from up to `most` roots of a round, and narrows the bounds. */
static enum status step_by_round(struct directed *d, uint64_t most, struct error *e)
{
    struct known *k = d->known;
    const struct round round = rounds_choose(&d->rounds, k, d->distance[ALONG], d->distance[AGAINST]);
    struct found_vertex root[ROUND_MOST];
    struct root farthest;
    uint32_t count;
    if (rounds_run(&d->rounds, &round, smaller(most, ROUND_MOST), k->size, d->scratch[ALONG], root, &count, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < count; i++) {
        if (root[i].value > k->diameter.lower) { /* a pair of vertices is wanted */
            root_search_run(d->search, round.side, &root[i].root, d->scratch[round.side]);
            take_distances(d, round.side, &root[i].root, d->scratch[round.side], &farthest);
        }
        settle_root(d, round.side, &root[i].root, root[i].value);
        k->last = root[i].root;
    }
    k->searches += count;
    if ((round.side == AGAINST || k->steps++ % FEW_ROUNDS == 0) && narrow(d, NULL, e) != ST_OK)
        return e->status;
    summarise(d);
    return ST_OK;
}

/* Makes a vertex the root of the next step. */
static void set_next(struct known *k, enum side side, const struct root *root)
{
    k->has_next = 1;
    k->next = *root;
    k->next_side = side;
}

/* Searches from the root that the step before has set. One of the first roots sets the vertex farthest from it as the next one. */
static enum status step_by_next(struct directed *d, struct error *e)
{
    struct known *k = d->known;
    const enum side side = (enum side)k->next_side;
    const struct root root = k->next;
    struct root farthest;
    if (search_and_narrow(d, side, &root, 0, &farthest, e) == ST_OK && k->sweeps > 1) {
        k->sweeps--;
        set_next(k, !side, &farthest);
    }
    return e->status;
}

/* For the diameter: searches from a vertex with the largest upper bound, on both sides in turn. */
static enum status step_for_diameter(struct directed *d, struct error *e)
{
    const enum side side = (enum side)(d->known->steps++ % SIDES);
    struct found_vertex extreme;
    struct root farthest;
    root_search_pick(d->search, d->bounds[side], PICK_EXTREME, NULL, d->known->diameter.lower, &extreme);
    return search_and_narrow(d, side, &extreme.root, 1, &farthest, e);
}

/* For the radius: searches from a vertex with the smallest lower bound of those that reach the core. The vertex farthest from it is next: a
 * search against the edges from there raises the lower bounds of other central vertices. */
static enum status step_for_radius(struct directed *d, struct error *e)
{
    struct found_vertex central;
    struct root farthest;
    root_search_pick(d->search, d->bounds[ALONG], PICK_CENTRAL, d->distance[AGAINST][0], 0, &central);
    if (search_and_narrow(d, ALONG, &central.root, 0, &farthest, e) == ST_OK)
        set_next(d->known, AGAINST, &farthest);
    return e->status;
}

/* Searches from one more root, or with goals.all from up to `most` (directed.h). The first of these that fits is searched from:
 * - the root that the step before has set, unless its bounds have met since;
 * - a landmark, as long as more landmarks help;
 * - roots that tell most about what is wanted: a round for all eccentricities, else one root for the diameter, else one for the radius. */
enum status directed_step(struct directed *d, uint64_t most, struct error *e)
{
    struct known *k = d->known;
    const int has_next = k->has_next && d->bounds[k->next_side]->upper[root_search_index(d->search, &k->next)] > 0;
    const int for_diameter = d->goals->diameter && k->above > 0;
    struct found_vertex landmark;
    k->has_next = 0;
    if (has_next)
        return step_by_next(d, e);
    if (pick_landmark(d, for_diameter, &landmark))
        return step_by_landmark(d, &landmark.root, e);
    if (d->goals->all)
        return step_by_round(d, most, e);
    return for_diameter ? step_for_diameter(d, e) : step_for_radius(d, e);
}

/* Searches from the landmarks again, and finds the rest (directed.h). The largest distances are those that the searches find, as tables are
 * made for so many. */
enum status directed_restore(struct directed *d, struct error *e)
{
    struct known *k = d->known;
    const uint32_t landmarks = k->landmarks;
    for (k->landmarks = 0; k->landmarks < landmarks; k->landmarks++) {
        const struct root root = k->landmark[k->landmarks];
        struct found_vertex farthest;
        if (search_landmark(d, &root, e) != ST_OK)
            return e->status;
        for (int side = 0; side < SIDES; side++) {
            const int32_t *distance = d->distance[side][k->landmarks];
            const int any = root_search_pick(d->search, d->bounds[!side], PICK_FARTHEST, distance, 0, &farthest);
            k->farthest[side][k->landmarks] = any ? farthest.value : 0;
        }
    }
    return find_rest(d, e);
}
