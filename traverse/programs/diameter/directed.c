/* directed.c: chooses roots in a directed graph, searches, and narrows the bounds until they meet (directed.h) */
#include "directed.h"

#include "traverse/session/graph.h"

#include "formats/base/arith.h"

#include <inttypes.h>

enum {
    FEW_LANDMARKS = 2, /* landmarks that are enough for the diameter */
    ALL_LANDMARKS = 4, /* landmarks that are enough for all eccentricities */
    FEW_ROUNDS = 8,    /* rounds of searches along the edges, which settle few other vertices, between two narrowings of upper bounds */
    MOST_TRIES = 4,    /* hubs that are tried for the core, before the components are found */
    MUCH = 64,         /* a component is much smaller than other vertices if these are more by this factor */
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
        return fail(e, ST_RESOURCE, "the directed graph has %" PRIu64 " vertices with edges: less than %" PRIu64 " are taken", search->count,
                    MOST_VERTICES);
    if (bounds_open(&d->against, search->count, bounds->threads, budget, e) == ST_OK)
        memory_take(budget, (void **)&d->beyond, search->capacity, 4, "bounds of eccentricities", e);
    for (int side = 0; side < SIDES; side++)
        memory_take(budget, (void **)&d->scratch[side], search->capacity, 4, "distances", e);
    return e->status;
}

/* Frees everything. *d may be zeroed. */
void directed_close(struct directed *d)
{
    if (!directed_is_open(d))
        return;
    struct memory_budget *budget = d->bounds[ALONG]->budget;
    for (int side = 0; side < SIDES; side++) {
        for (int i = 0; i < LANDMARKS; i++)
            memory_release(budget, d->landmark[side][i]);
        memory_release(budget, d->scratch[side]);
    }
    memory_release(budget, d->beyond);
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

/* Takes over the largest distance from a root on one side. The root is not live any more on this side. */
static void take_root(struct directed *d, enum side side, const struct root *root, int32_t most)
{
    const uint64_t index = root_search_index(d->search, root);
    d->bounds[side]->lower[index] = most;
    d->bounds[side]->upper[index] = 0;
    if (side == ALONG && d->landmark[AGAINST][0][index] >= 0)
        known_take_center(d->known, most, root);
}

/* Takes over the distances from a root on one side: raises lower bounds. Returns the largest distance. Sets *farthest to a vertex at it. */
static int32_t take_distances(struct directed *d, enum side side, const struct root *root, const int32_t *distance, struct root *farthest)
{
    struct bounds *other = d->bounds[!side];
    struct found_vertex far;
    root_search_pick(d->search, other, PICK_FARTHEST, distance, 0, &far);
    bounds_find(other, distance);
    known_take_pair(d->known, far.value, side == ALONG ? root : &far.root, side == ALONG ? &far.root : root);
    take_root(d, side, root, far.value);
    *farthest = far.root;
    return far.value;
}

/* Notes a root as the next landmark, and allocates its arrays of distances, which the caller fills by searches. */
static enum status prepare_landmark(struct directed *d, const struct root *root, struct error *e)
{
    const uint32_t i = d->known->landmarks;
    for (int side = 0; side < SIDES && e->status == ST_OK; side++) {
        if (d->landmark[side][i] == NULL)
            memory_take(d->bounds[ALONG]->budget, (void **)&d->landmark[side][i], d->search->capacity, 4, "distances from a landmark", e);
    }
    d->known->landmark[i] = *root;
    return e->status;
}

/* ---- the core ---- */

/* The number of vertices by what a vertex z reaches, and what reaches it. */
struct around {
    uint64_t core, reached, reaches, others; /* both; the first alone; the second alone; none */
};

/* Returns the numbers of vertices around landmark 0. */
static struct around count_around(const struct directed *d)
{
    struct around n = {0};
    for (uint64_t v = 0; v < d->search->count; v++) {
        const int is_reached = d->landmark[ALONG][0][v] >= 0, reaches = d->landmark[AGAINST][0][v] >= 0;
        n.core += is_reached && reaches;
        n.reached += is_reached && !reaches;
        n.reaches += !is_reached && reaches;
        n.others += !is_reached && !reaches;
    }
    return n;
}

/* Makes landmark 0 a vertex with most edges of those that are marked as never reached, and searches from it. */
static enum status try_hub(struct directed *d, struct error *e)
{
    struct found_vertex hub;
    root_search_hub(d->search, d->bounds[ALONG], 0, &hub);
    if (prepare_landmark(d, &hub.root, e) != ST_OK)
        return e->status;
    for (int side = 0; side < SIDES; side++)
        search_from(d, side, &hub.root, d->landmark[side][0]);
    return ST_OK;
}

/* Marks exactly those vertices as never reached that landmark 0 reaches (is_reached) or does not, and that reach it (reaches) or do not.
 * Lower bounds serve as marks until bounds are kept there. */
static void mark_around(struct directed *d, int is_reached, int reaches)
{
    for (uint64_t v = 0; v < d->search->count; v++) {
        const int is_marked = (d->landmark[ALONG][0][v] >= 0) == is_reached && (d->landmark[AGAINST][0][v] >= 0) == reaches;
        d->bounds[ALONG]->lower[v] = is_marked ? NEVER_REACHED : 0;
    }
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
        rest_open(&d->rest, &all, d->landmark[ALONG][0], d->landmark[AGAINST][0], e);
    joined_graph_close(&all);
    graph_close(&rows);
    return e->status;
}

/* Marks the vertices of all largest strong components as never reached. `core` is the number of vertices of the core. Returns whether the
 * core is the largest component, or one of them that has a vertex with most edges. */
static int core_is_largest(struct directed *d, uint64_t core)
{
    const struct rest *rest = &d->rest;
    const uint64_t largest = larger(core, rest_largest(rest));
    struct found_vertex hub;
    for (uint64_t v = 0; v < d->search->count; v++) {
        const uint32_t c = rest->component[v];
        d->bounds[ALONG]->lower[v] = (c == REST_CORE ? core : rest_size(rest, c)) == largest ? NEVER_REACHED : 0;
    }
    root_search_hub(d->search, d->bounds[ALONG], 0, &hub);
    return rest->component[root_search_index(d->search, &hub.root)] == REST_CORE;
}

/* Finds the core, with landmark 0 in it, and the rest. Tries hubs: if so many vertices are on one side of a hub, or on no side, that a
 * larger component may be among them, the next hub is one of these. Otherwise finds all components. If the core is not the largest, the
 * largest ones are marked, and the next hub, which is in one of them, is the last. */
static enum status find_core(struct directed *d, struct error *e)
{
    struct around n = {0};
    for (int tries = 0; try_hub(d, e) == ST_OK; tries++) {
        n = count_around(d);
        const uint64_t side = larger(n.reached, n.reaches);
        if (tries < MOST_TRIES && larger(side, n.others) / MUCH > n.core) {
            const int on_side = side / MUCH > n.core;
            mark_around(d, on_side && n.reached == side, on_side && n.reached < side);
            continue;
        }
        if (find_rest(d, e) != ST_OK || core_is_largest(d, n.core))
            break;
        rest_close(&d->rest);
        tries = MOST_TRIES; /* so the next hub is in a largest component */
    }
    d->known->size = n.core;
    return e->status;
}

/* ---- upper bounds ---- */

/* Returns the number below which upper bounds need not be told apart. */
static int32_t floor_of(const struct directed *d)
{
    return d->goals->all ? 0 : d->known->diameter[0];
}

/* Lowers the upper bounds of one side by a landmark: by the distances from it and to it, and by d->beyond for other pairs. */
static enum status limit_by(struct directed *d, enum side side, int32_t *const distance[SIDES], const int32_t most[SIDES], struct error *e)
{
    const struct landmark_limit limit = {.bounds = d->bounds[side],
                                         .targets = d->bounds[!side],
                                         .to = distance[!side],
                                         .from = distance[side],
                                         .most_to = most[!side],
                                         .most_from = most[side],
                                         .beyond = d->beyond,
                                         .floor = floor_of(d)};
    return root_search_limit(d->search, &limit, e);
}

/* Lowers the upper bounds of the members of a component of the rest by one of them, whose distances are in d->scratch. */
static void limit_component(struct directed *d, enum side side, uint32_t component)
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

/* Lowers the upper bounds of both sides by all landmarks, and by the last root if it was searched from on both sides: `pair` has the
 * largest distances from it and to it; NULL: it was not. */
static enum status narrow(struct directed *d, const int32_t *pair, struct error *e)
{
    const struct known *k = d->known;
    const uint64_t last = root_search_index(d->search, &k->last);
    const uint32_t component = d->rest.component[last];
    for (int turn = 0; turn < (d->goals->diameter ? REFINED : 1) * SIDES; turn++) {
        const enum side side = turn % SIDES;
        rest_beyond(&d->rest, side, d->bounds[side], d->bounds[!side], floor_of(d), d->beyond);
        for (uint32_t i = 0; i < k->landmarks; i++) {
            int32_t *const distance[SIDES] = {d->landmark[ALONG][i], d->landmark[AGAINST][i]};
            if (limit_by(d, side, distance, (int32_t[]){k->eccentricity[i], k->against[i]}, e) != ST_OK)
                return e->status;
        }
        if (pair != NULL && component != REST_CORE)
            limit_component(d, side, component);
        else if (pair != NULL && limit_by(d, side, d->scratch, pair, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* Sets the counts of open vertices and the bounds in *d->known by the bounds of all vertices. */
static void summarise(struct directed *d)
{
    struct known *k = d->known;
    struct open_bounds open[SIDES];
    struct found_vertex least;
    for (int side = 0; side < SIDES; side++)
        bounds_summarise(d->bounds[side], k->diameter[0], 0, &open[side]);
    k->open = open[ALONG].open;
    k->least_open = open[ALONG].least_open;
    k->above = smaller(open[ALONG].above, open[AGAINST].above);
    k->diameter[1] = (int32_t)larger((uint64_t)k->diameter[0], smaller((uint64_t)open[ALONG].greatest_upper,
                                                                       (uint64_t)open[AGAINST].greatest_upper));
    if (root_search_pick(d->search, d->bounds[ALONG], PICK_LEAST_UPPER, d->landmark[AGAINST][0], 0, &least))
        known_take_center(k, least.value, &least.root);
    k->radius[0] = k->radius[1];
    if (root_search_pick(d->search, d->bounds[ALONG], PICK_CENTRAL, d->landmark[AGAINST][0], 0, &least) && least.value < k->radius[1])
        k->radius[0] = least.value;
    k->below = bounds_below(d->bounds[ALONG], d->landmark[AGAINST][0], k->radius[1]);
}

/* Narrows the bounds after searches from a root (narrow), and sums up what is open. */
static enum status refine(struct directed *d, const int32_t *pair, struct error *e)
{
    if (narrow(d, pair, e) == ST_OK)
        summarise(d);
    return e->status;
}

/* ---- steps ---- */

/* Makes a root, from which the searches have been made, the next landmark. Narrows the bounds. Sets *farthest to a vertex that is farthest
 * along the edges. */
static enum status take_landmark(struct directed *d, const struct root *root, struct root *farthest, struct error *e)
{
    struct known *k = d->known;
    const uint32_t i = k->landmarks;
    struct root farthest_to;
    k->eccentricity[i] = take_distances(d, ALONG, root, d->landmark[ALONG][i], farthest);
    k->against[i] = take_distances(d, AGAINST, root, d->landmark[AGAINST][i], &farthest_to);
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
    k->radius[1] = INT32_MAX;
    k->has_next = 1;
    k->next_side = AGAINST;
    k->sweeps = SWEEPS;
    return take_landmark(d, &k->landmark[0], &k->next, e);
}

/* Picks the vertex of the core with the smallest lower bound among those that are live (bounds.h) on both sides, searches from it along and
 * against the edges, and makes it a landmark, which lowers upper bounds. *any becomes whether there was one. */
static enum status step_by_landmark(struct directed *d, int *any, struct error *e)
{
    struct found_vertex central;
    struct root farthest;
    for (uint64_t v = 0; v < d->search->count; v++) /* 0: may be picked, if it is live along the edges; -1: not */
        d->scratch[ALONG][v] = d->rest.component[v] == REST_CORE && d->against.upper[v] > 0 ? 0 : -1;
    *any = root_search_pick(d->search, d->bounds[ALONG], PICK_CENTRAL, d->scratch[ALONG], 0, &central);
    if (!*any || prepare_landmark(d, &central.root, e) != ST_OK)
        return e->status;
    for (int side = 0; side < SIDES; side++)
        search_from(d, side, &central.root, d->landmark[side][d->known->landmarks]);
    return take_landmark(d, &central.root, &farthest, e);
}

/* Searches from a root on one side or, if `pairs` is 1 and it is not a component of its own, on both. Sets *farthest to a vertex that is
 * farthest on this side. */
static enum status step_by_root(struct directed *d, enum side side, const struct root *root, int pairs, struct root *farthest, struct error *e)
{
    const uint32_t component = d->rest.component[root_search_index(d->search, root)];
    const uint64_t size = component == REST_CORE ? d->known->size : rest_size(&d->rest, component);
    struct root farthest_back;
    int32_t most[SIDES];
    search_from(d, side, root, d->scratch[side]);
    most[side] = take_distances(d, side, root, d->scratch[side], farthest);
    if (!pairs || size == 1)
        return refine(d, NULL, e);
    search_from(d, !side, root, d->scratch[!side]);
    most[!side] = take_distances(d, !side, root, d->scratch[!side], &farthest_back);
    return refine(d, most, e);
}

/* Searches from up to `most` roots of a round, and narrows the bounds. */
static enum status step_by_round(struct directed *d, uint64_t most, struct error *e)
{
    struct known *k = d->known;
    const struct round round = rounds_choose(&d->rounds, k, d->landmark[ALONG], d->landmark[AGAINST]);
    struct found_vertex root[ROUND_MOST];
    struct root farthest;
    uint32_t count;
    if (rounds_run(&d->rounds, &round, smaller(most, ROUND_MOST), k->size, d->scratch[ALONG], root, &count, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < count; i++) {
        if (root[i].value > k->diameter[0]) { /* a pair of vertices is wanted */
            root_search_run(d->search, round.side, &root[i].root, d->scratch[round.side]);
            take_distances(d, round.side, &root[i].root, d->scratch[round.side], &farthest);
        }
        take_root(d, round.side, &root[i].root, root[i].value);
        k->last = root[i].root;
    }
    k->searches += count;
    if ((round.side == AGAINST || k->turn++ % FEW_ROUNDS == 0) && narrow(d, NULL, e) != ST_OK)
        return e->status;
    summarise(d);
    return ST_OK;
}

/* Searches from one more root (directed.h). */
enum status directed_step(struct directed *d, uint64_t most, struct error *e)
{
    struct known *k = d->known;
    struct found_vertex next = {.root = k->next};
    struct root farthest;
    const int has_next = k->has_next && d->bounds[k->next_side]->upper[root_search_index(d->search, &k->next)] > 0;
    const int for_diameter = d->goals->diameter && k->above > 0 && !d->goals->all;
    const int wants_landmark = !has_next && (d->goals->all ? k->landmarks < ALL_LANDMARKS
                                                           : for_diameter && k->landmarks < FEW_LANDMARKS && k->turn % 2 == 0);
    enum side side = has_next ? (enum side)k->next_side : ALONG;
    int any = 0;
    k->has_next = 0;
    if (wants_landmark && (step_by_landmark(d, &any, e) != ST_OK || any))
        return e->status;
    if (!has_next && d->goals->all)
        return step_by_round(d, most, e);
    /* where a bound is open there is a vertex to pick */
    if (!has_next && for_diameter) {
        side = (enum side)(k->turn++ % SIDES);
        root_search_pick(d->search, d->bounds[side], PICK_EXTREME, NULL, k->diameter[0], &next);
    } else if (!has_next) {
        root_search_pick(d->search, d->bounds[ALONG], PICK_CENTRAL, d->landmark[AGAINST][0], 0, &next);
    }
    if (step_by_root(d, side, &next.root, !has_next && for_diameter, &farthest, e) != ST_OK)
        return e->status;
    /* the vertex farthest from a root raises lower bounds: by the first sweeps, and of central vertices for the radius */
    const int sweeps = has_next && k->sweeps > 1;
    if (sweeps || (!has_next && !for_diameter)) {
        k->sweeps -= (uint32_t)sweeps;
        k->has_next = 1;
        k->next = farthest;
        k->next_side = !side;
    }
    return ST_OK;
}

/* Searches from the landmarks again, and finds the rest (directed.h). */
enum status directed_restore(struct directed *d, struct error *e)
{
    struct known *k = d->known;
    const uint32_t landmarks = k->landmarks;
    for (k->landmarks = 0; k->landmarks < landmarks; k->landmarks++) {
        const struct root root = k->landmark[k->landmarks];
        if (prepare_landmark(d, &root, e) != ST_OK)
            return e->status;
        for (int side = 0; side < SIDES; side++)
            root_search_run(d->search, side, &root, d->landmark[side][k->landmarks]);
        k->last = root;
    }
    return find_rest(d, e);
}
